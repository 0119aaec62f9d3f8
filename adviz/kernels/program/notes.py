"""What is known of each expression of a program: a name, a comment, its place in the user's source, its part.

Nothing here is needed to run a program; notes are made when they are asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...algorithms.elimination import vertex_elimination
from ...graph.linearized.checked_parts import Vertex
from ...graph.origins import Origin
from ..expressions.accumulation import ADJOINT, TANGENT, Linearization, Traced


class Note(NamedTuple):
    """What is known of an expression: a name for it, what it is, the place in the user's source it comes from, and the
    part of the program that it is in: ``("products", "at v7")``.

    >>> import adviz, numpy as np
    >>> program = adviz.compile_gradient(lambda x: np.exp(x) * x, 1.0)
    >>> [(note.name, note.comment, note.part) for note in program.notes.values()][-1]
    ('dv2_dx', '∂v2/∂x, with ∂v2/∂v1 · ∂v1/∂x', ('products', 'at v1'))
    """

    name: str
    comment: str
    origin: Origin | None
    part: tuple[str, ...]


class Elimination(NamedTuple):
    """A linearization, the order of vertices in which it is eliminated (``None`` if it is one of edges or faces), and
    whether its vertices are nodes of the traced graph; else they are expressions."""

    linear: Linearization
    order: Sequence[Vertex] | None
    is_of_nodes: bool


def notes_of(traced: Traced, eliminations: Iterable[Elimination]) -> dict[int, Note]:
    """Return notes on all expressions: values and partials of the graph, and the products of eliminations.

    >>> import adviz, numpy as np
    >>> from ..expressions.accumulation import expressions_of
    >>> traced = expressions_of(adviz.trace(lambda x: np.sin(x), 1.0))
    >>> [(note.name, note.comment) for note in notes_of(traced, []).values() if note.comment]
    [('v1', 'v1 = np.sin(x)'), ('', 'for the partials of v1')]
    >>> traced = expressions_of(adviz.trace(lambda x: np.sin(x) * x, 1.0))
    >>> [note.name for note in notes_of(traced, [Elimination(traced.linear, [1], True)]).values()][-2:]
    ['', 'dv2_dx']
    """
    notes: dict[int, Note] = {}
    graph = traced.graph
    nodes = {node: graph.name(node) or f"v{vertex}" for node, vertex in enumerate(traced.vertices)}
    origins: dict[Vertex, Origin | None] = {v: graph.origin(node) for node, v in enumerate(traced.vertices)}
    for node, place in enumerate(traced.values):
        origin = graph.origin(node)
        text = " ".join(origin.text.split()) if origin else ""
        name = nodes[node] if place > 0 else f"minus_{nodes[node]}"
        comment = f"{nodes[node]} = {text}{'' if place > 0 else ', with the opposite sign'}" if text else ""
        notes.setdefault(abs(place), Note(name, comment, origin, ("values",)))
    for node, places in traced.made:
        for place in places:
            notes.setdefault(place, Note("", f"for the partials of {nodes[node]}", graph.origin(node), ("partials",)))
    for linear, order, is_of_nodes in eliminations:
        names: dict[Vertex, str] = dict(zip(traced.vertices, nodes.values(), strict=True))
        if not is_of_nodes:
            names = {place: note.name or f"e{place}" for place, note in notes.items()}
        writer = _Writer(notes, names, origins if is_of_nodes else {}, "" if is_of_nodes else "second ")
        for (i, j), place in linear.partials.items():
            writer.partial(i, j, place)
        if order is not None:
            writer.products(linear, order)
    return notes


@dataclass
class _Writer:
    """Writes notes on the partials, the products and the sums of one elimination."""

    notes: dict[int, Note]
    names: Mapping[Vertex, str]
    origins: Mapping[Vertex, Origin | None]
    which: str

    def __post_init__(self) -> None:
        self.counts = Counter(self.names.values())

    def partial(self, i: Vertex, j: Vertex, place: int) -> None:
        known = self.notes.get(abs(place))
        if known is None or not known.name:
            name, text = self._derivative(i, j)
            origin, part = (known.origin, known.part) if known else (self.origins.get(j), (f"{self.which}partials",))
            self.notes[abs(place)] = Note(name, f"{'-' if place < 0 else ''}{text}", origin, part)

    def products(self, linear: Linearization, order: Sequence[Vertex]) -> None:
        """Note what each Step of the elimination multiplies, and what the sum is: the edge (i, k) gains c_kj c_ji."""
        graph = linear.labelled()
        for step in vertex_elimination(graph, order):
            if step.kind in ("fill_in", "absorb"):
                edges: Any = step.focus
                (_, i, j), (_, _, k), _ = edges
                gain = (graph.partial(j, k) * graph.partial(i, j)).place
                self._product(i, j, k, gain, graph.partial(i, k).place)

    def _product(self, i: Vertex, j: Vertex, k: Vertex, gain: int, total: int) -> None:
        chain = f"{self._derivative(j, k)[1]} · {self._derivative(i, j)[1]}"
        name, text = self._derivative(i, k)
        signs = ["-" if place < 0 else "" for place in (gain, total)]
        origin, part = self.origins.get(j), (f"{self.which}products", f"at {self._called(j)}")
        gained = Note(name if gain == total else "", f"{signs[0]}{chain}", origin, part)
        self.notes.setdefault(abs(gain), gained)
        self.notes.setdefault(abs(total), Note(name, f"{signs[1]}{text}, with {chain}", origin, part))

    def _called(self, j: Vertex) -> str:
        """Return the name of a vertex, with its number if others have the same name."""
        name = self.names.get(j, f"v{j}")
        return name if self.counts[name] < 2 else f"{name} (v{j})"

    def _derivative(self, i: Vertex, j: Vertex) -> tuple[str, str]:
        """Return the derivative of ``j`` with respect to ``i``: a name for it, and how it is written."""
        one, other = (self.names.get(each, "") for each in (i, j))
        if i == TANGENT:
            return f"{other}_dot", f"{other}\u0307"
        if j == ADJOINT:
            return f"{one}_bar", f"{one}\u0304"
        if isinstance(j, tuple):  # an entry of the gradient
            return f"g{j[1]}_{one}", f"∂g{j[1]}/∂{one}"
        return f"d{other}_d{one}", f"∂{other}/∂{one}"
