"""The columns of a graph, and a node as a view of them: the record of a trace in evaluation order (the Wengert list).

A million nodes are a few flat columns, not a million objects; a :class:`Node` is a view made on request. Operands are
integers: a node by its index, a literal (a constant of the program) by the complement of its place in ``literals``.
Literals take part in the data flow, not in the gradient flow, and are never nodes. What can be asked of all of it is in
:class:`~adviz.Graph`.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from .loops import control_flow
from .origins import Origin, assigned_name, loop_header, origin, written_name
from .scopes import ARGUMENT, CALL, EXPRESSION, ITERATION, LOOP, PART, WRITES, Call, ScopeTree, scope_tree
from .versions import stored
from .wording import counted

WRITE = "set"
"""The name of the Block that writes into an array: a function of the last version, the value and the key."""
ABSENT = -1
"""The operand of a column that has none: the complement of ``literals[0]``, which is never used."""


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

    def __init__(self, graph: WengertList, index: int):
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
        """The value: a float, or an array."""
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
        """The path of calls, loops and iterations that it was made in."""
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


def held(values: Iterable[Any]) -> int:
    """Return the bytes that values hold; views of another one's memory are counted once.

    >>> import numpy as np
    >>> array = np.zeros(4)
    >>> held([array, array[1:], 2.0])
    40
    """
    return sum(newly_held(values))


def newly_held(values: Iterable[Any]) -> Iterator[int]:
    """Yield the bytes that each of the values adds to those before it: none where it is a view of their memory."""
    owners: set[int] = set()
    for value in values:
        if not hasattr(value, "nbytes"):
            yield 8
            continue
        while hasattr(getattr(value, "base", None), "nbytes"):
            value = value.base
        yield 0 if id(value) in owners else value.nbytes
        owners.add(id(value))


class WengertList:
    """Nodes in evaluation order, frozen.

    Columns, one entry per node: ``block_numbers`` (places in ``block_table``), ``first`` and ``second`` (operands),
    ``values``, ``calls`` and ``offsets`` (where it was made). ``rest`` holds further operands of the few nodes that
    have more than two. ``evaluations`` are ranges of nodes that one evaluation of one expression made (first, end,
    first, end, …). ``rounds`` say which of several nested loops began another iteration before a node (see
    :func:`~.scopes.scope_tree`). ``inputs`` and ``outputs`` are node indices; every output is a node of its own.
    """

    def __init__(
        self,
        *,
        block_table: Sequence[Any],
        block_numbers: array,
        first: array,
        second: array,
        rest: dict[int, tuple[int, ...]],
        literals: list[Any],
        values: Sequence[Any],
        calls: array,
        offsets: array,
        evaluations: array,
        rounds: dict[int, int],
        call_table: list[Call],
        inputs: list[int],
        outputs: list[int],
        names: dict[int, str],
        title: str,
    ):
        self.block_table, self.block_numbers = block_table, block_numbers
        self.first, self.second, self.rest = first, second, rest
        self.literals, self.values = literals, values
        self.calls, self.offsets, self.call_table = calls, offsets, call_table
        self.evaluations, self.rounds = evaluations, rounds
        self.inputs, self.outputs, self.names, self.title = inputs, outputs, names, title

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def blocks(self) -> list[Any]:
        """The Block of every node."""
        return [self.block_table[number] for number in self.block_numbers]

    def __getitem__(self, index: int) -> Node:
        if not -len(self) <= index < len(self):
            raise IndexError(f"node {index} of a graph of {len(self)} nodes")
        return Node(self, index % len(self))

    def __iter__(self) -> Iterator[Node]:
        return (Node(self, index) for index in range(len(self)))

    def __repr__(self) -> str:
        return f"<Graph of {self.title}: {counted((len(self), 'node'), (self.edges, 'edge'))}>"

    # ---- operands and users ----

    def operands(self, index: int) -> tuple[int, ...]:
        """Return operands of a node, in order, with repeats: nodes as they are, literals as complements (negative)."""
        first, second = self.first[index], self.second[index]
        if second == ABSENT:
            return () if first == ABSENT else (first,)
        return (first, second, *self.rest.get(index, ()))

    def operand_nodes(self, index: int) -> list[int]:
        """Return the operands of a node that are nodes, in order and with repeats."""
        return [operand for operand in self.operands(index) if operand >= 0]

    def literal(self, operand: int) -> Any:
        """Return the constant that a negative operand stands for."""
        return self.literals[~operand]

    def users(self, index: int) -> list[int]:
        """Return the nodes that have this node as an operand, with repeats."""
        starts, users = self._users
        return list(users[starts[index] : starts[index + 1]])

    @cached_property
    def _users(self) -> tuple[array, array]:
        """Users of all nodes, one after the other, and where each node's begin."""
        tails, heads, _ = self.operand_rows
        starts = np.append(0, np.cumsum(np.bincount(tails, minlength=len(self))))
        users = heads[np.argsort(tails, kind="stable")].astype(np.int32)
        return array("q", starts.astype(np.int64).tobytes()), array("i", users.tobytes())

    @property
    def data_edges(self) -> tuple[np.ndarray, np.ndarray]:
        """The tails and heads of all data edges, by head and then by operand."""
        return self.operand_rows[:2]

    @cached_property
    def operand_rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The tails and heads of all operands that are nodes, and their places there: by head and then by place."""
        every = np.arange(len(self))
        rest = [(tail, head, k) for head, further in self.rest.items() for k, tail in enumerate(further, 2)]
        rows = np.vstack(
            [
                np.column_stack([np.frombuffer(self.first, np.int32), every, np.zeros_like(every)]),
                np.column_stack([np.frombuffer(self.second, np.int32), every, np.ones_like(every)]),
                np.array(rest, np.int64).reshape(-1, 3),
            ]
        )
        tails, heads, places = rows[rows[:, 0] >= 0].T
        order = np.lexsort((places, heads))
        return tails[order], heads[order], places[order]

    @cached_property
    def live(self) -> bytearray:
        """1 for each node that reaches an output, 0 for dead nodes."""
        ends = np.ones(len(self), bool)  # nodes that are no operand and no output
        operands = np.concatenate([np.frombuffer(column, np.int32) for column in (self.first, self.second)])
        ends[operands[operands >= 0]] = False
        ends[[operand for more in self.rest.values() for operand in more if operand >= 0]] = False
        ends[self.outputs] = False
        if not ends.any():
            return bytearray(b"\1" * len(self))  # from every node a path leads on until there is an output
        live = bytearray(len(self))
        for index in self.outputs:
            live[index] = 1
        first, second, rest = self.first, self.second, self.rest
        for index in range(len(self) - 1, -1, -1):
            if live[index]:
                if (operand := first[index]) >= 0:
                    live[operand] = 1
                if (operand := second[index]) >= 0:
                    live[operand] = 1
                for operand in rest.get(index, ()):
                    if operand >= 0:
                        live[operand] = 1
        return live

    @cached_property
    def times_used(self) -> array:
        """How often each node is an operand of a node that reaches an output; 0 for dead nodes.

        These are the edges that lead from it to its users. Being returned is not a use: for ``out = x + x`` the counts
        are 2 for x and 0 for out.
        """
        is_user = np.frombuffer(self.live, np.uint8).astype(bool)
        is_user[self.outputs] = False
        operands = [np.frombuffer(column, np.int32)[is_user] for column in (self.first, self.second)]
        further = (operand for user, more in self.rest.items() if is_user[user] for operand in more)
        used = np.concatenate([*operands, np.fromiter(further, np.int32)])
        return array("i", np.bincount(used[used >= 0], minlength=len(self)).astype(np.int32).tobytes())

    @cached_property
    def edges(self) -> int:
        """The number of edges: of uses, so the sum of ``times_used``.

        Neither what is returned nor what dead nodes take is used; both are drawn, and not counted.
        """
        return sum(self.times_used)

    @cached_property
    def levels(self) -> array:
        """For each node the number of steps on the longest path to it; of an output, returning is the last."""
        levels = array("i", bytes(4 * len(self)))
        first, second, rest = self.first, self.second, self.rest
        for index in range(len(self)):
            a, b = first[index], second[index]
            level = levels[a] + 1 if a >= 0 else 0
            if b >= 0 and levels[b] >= level:
                level = levels[b] + 1
            for operand in rest.get(index, ()):
                if operand >= 0 and levels[operand] >= level:
                    level = levels[operand] + 1
            levels[index] = level
        return levels

    @property
    def bytes(self) -> int:
        """Bytes that the values hold; views of another node's memory are counted once."""
        if isinstance(self.values, array):
            return 8 * len(self)
        return held(stored(self.values))

    # ---- where a node was made ----

    @cached_property
    def codes(self) -> list[CodeType]:
        """The code of the user's functions that took part, in the order they were called first."""
        return list({id(call.code): call.code for call in self.call_table if call.code is not None}.values())

    def origin(self, index: int) -> Origin | None:
        """Return the sub-expression in the user's source that made a node; ``None`` for inputs and outputs."""
        return origin(self.call_table[self.calls[index]].code, self.offsets[index])

    def name(self, index: int) -> str | None:
        """Return the name in the source: of an argument, or of what is assigned or written to; else ``None``."""
        if index in self.names:
            return self.names[index]
        name_of = written_name if self.blocks[index].name == WRITE else assigned_name
        return name_of(self.call_table[self.calls[index]].code, self.offsets[index])

    @cached_property
    def numbers(self) -> Sequence[int]:
        """The numbers by which nodes are called; of a graph that is laid over another one, those in both."""
        return range(len(self))

    def numbered(self, index: int) -> str:
        """Return what a node is called that has no name: ``v12``."""
        return f"v{self.numbers[index]}"

    def label(self, index: int) -> str:
        """Return a short text for a node: ``h (tanh)``, or ``v12 (tanh)`` where it has no name."""
        return f"{self.name(index) or self.numbered(index)} ({self.blocks[index].name})"

    @cached_property
    def scopes(self) -> ScopeTree:
        """The tree of calls, loops and iterations the nodes were made in; ``scopes.of_node[i]`` is the innermost."""
        labels = [block.name for block in self.blocks]
        return scope_tree(
            self.call_table, self.calls, self.offsets, labels, self.evaluations, self.rounds, self._chains_of_writes()
        )

    def _chains_of_writes(self) -> list[list[int]]:
        """Return nodes that write into one array, each the only user of the last one."""
        chains: dict[int, list[int]] = {}  # by their last node
        for index in [index for index, block in enumerate(self.blocks) if block.name == WRITE]:
            last = self.first[index]
            is_next = last in chains and self.users(last) == [index]
            chain = chains.pop(last) if is_next else []
            chain.append(index)
            chains[index] = chain
        return list(chains.values())

    def scope_label(self, number: int) -> str:
        """Return what a scope is called: the function, the loop's head, ``iteration 3``, or an expression's text."""
        if number == 0:
            return self.title
        scope, kind = self.scopes[number], self.scopes.kinds[number]
        if kind == ITERATION:
            return f"iteration {scope.ordinal:,}"
        if kind == WRITES:
            name = self.name(self.scopes.first_node(number)) or "array"
            return f"{name} · {counted((self.scopes.nodes[number], 'write'))}"
        if kind == ARGUMENT:
            name = self.name(self.scopes.first_node(number)) or "result"
            return name.rpartition("[")[0] or name
        if scope.code is None or isinstance(scope.code, str):
            return f"part {scope.ordinal:,}" if kind == PART else scope.code or scope.kind
        if kind == CALL:
            return scope.code.co_name
        if kind == LOOP:
            return loop_header(scope.code, control_flow(scope.code).body(scope.offset))
        if kind == EXPRESSION:
            place = origin(scope.code, scope.offset)
            return " ".join(place.text.split()) if place and place.text else "expression"
        return f"part {scope.ordinal:,}"

    def scope_path(self, number: int) -> str:
        """Return the scopes around and including one, from the outermost: ``f › for k in range(3) › iteration 2``."""
        return " › ".join(self.scope_label(scope) for scope in self.scopes.path(number))
