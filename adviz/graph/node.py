"""Nodes as views: made when asked, from the columns of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .origins import Origin

if TYPE_CHECKING:
    from .graph import Graph


class Literal(NamedTuple):
    """An operand that is a constant of the program."""

    value: Any


class Node:
    """A view of one node of a graph.

    >>> import adviz
    >>> node = adviz.trace(lambda x: x * x, 3.0)[1]
    >>> node.block, node.value, node.operands[0].name, node.times_used
    (<Block multiply>, 9.0, 'x', 0)
    """

    __slots__ = ("graph", "index")

    def __init__(self, graph: Graph, index: int):
        self.graph, self.index = graph, index

    @property
    def block(self) -> Any:
        """The Block that computed it."""
        return self.graph.blocks[self.index]

    @property
    def operands(self) -> list[Node | Literal]:
        """Operands in order, with repeats."""
        graph = self.graph
        return [
            Node(graph, operand) if operand >= 0 else Literal(graph.literal(operand))
            for operand in graph.operands(self.index)
        ]

    @property
    def users(self) -> list[Node]:
        """The nodes it is an operand of, with repeats."""
        return [Node(self.graph, user) for user in self.graph.users(self.index)]

    @property
    def value(self) -> Any:
        """What was computed: a float, or an array."""
        return self.graph.values[self.index]

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the value; ``()`` for a number."""
        return getattr(self.value, "shape", ())

    @property
    def dtype(self) -> str:
        """Name of the value's dtype."""
        return str(getattr(self.value, "dtype", "float64"))

    @property
    def bytes(self) -> int:
        """Bytes of the value."""
        return getattr(self.value, "nbytes", 8)

    @property
    def times_used(self) -> int:
        """Operand occurrences in nodes that reach an output."""
        return self.graph.times_used[self.index]

    @property
    def live(self) -> bool:
        """Whether it reaches an output."""
        return bool(self.graph.live[self.index])

    @property
    def name(self) -> str | None:
        """Its name in the user's source, if any."""
        return self.graph.name(self.index)

    @property
    def scope(self) -> str:
        """The chain of calls, loops and iterations it was made in."""
        return self.graph.scope_path(self.graph.scopes.of_node[self.index])

    @property
    def origin(self) -> Origin | None:
        """The sub-expression in the user's source."""
        return self.graph.origin(self.index)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and (self.graph, self.index) == (other.graph, other.index)

    def __hash__(self) -> int:
        return hash((id(self.graph), self.index))

    def __repr__(self) -> str:
        return f"<Node {self.index}: {self.graph.label(self.index)}>"
