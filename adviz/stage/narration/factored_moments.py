"""What there is after each Step of a factorization: the graph, what its edges stand for, and the expressions.

While a graph is not simple, its core has several paths between an input and an output. What can be written then is the
sum of them, over chains and blocks that are contracted: at the start of a complex graph that is Bauer's formula, at the
end of a factorization a single nested expression. So what splitting brings is seen in what the expressions cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from ...algorithms.expressions import (
    ExpressionError,
    Expressions,
    Letter,
    Reference,
    all_paths,
    backward_splits,
    decomposed,
    forward_splits,
    path_joints,
    path_splits,
)
from ...algorithms.expressions.decomposition import Decomposition
from ...algorithms.expressions.terms import Expression, added, folded, multiplied
from ...graph.linearized.cgraph import CGraph, original
from ...graph.linearized.checked_parts import Edge, Vertex
from ...graph.linearized.measures import count_paths
from ...graph.timeline import Step

Way = Literal["backward", "forward", "paths", "pages"]
WAYS: tuple[Way, ...] = get_args(Way)
MOST_EDGES = 48  # of a graph, also after splitting, in one picture
MOST_TERMS = 60  # of all sums of paths that are written

TOO_LARGE = "show a smaller part, or write ad.algebra.expressions(graph)"


@dataclass(frozen=True)
class FactoredMoment:
    """A graph after some Steps, the last of which are ``steps``.

    ``kind`` is ``"start"``, ``"split"``, ``"join"`` or ``"reference"``; of a page ``"page"``, or ``"together"``.
    ``parts`` is what each edge of the graph stands for; ``references`` have their names.
    """

    kind: str
    steps: tuple[Step, ...]
    graph: CGraph
    parts: dict[Edge, Letter | Reference]
    references: dict[str, Expression]

    @cached_property
    def core(self) -> Decomposition:
        """The chains and blocks of the graph, whose letters are edges of this graph."""
        return decomposed(self.graph)

    @cached_property
    def rows(self) -> dict[tuple[Vertex, Vertex], Expression]:
        """The entries, whose letters are edges of this graph."""
        core = CGraph(self.core.vertices, self.core.inputs, self.core.outputs, dict.fromkeys(self.core.edges, 1))
        if (count := count_paths(core)) > MOST_TERMS:
            raise ExpressionError(f"There are {count:,} products to write, more than {MOST_TERMS}: {TOO_LARGE}.")
        edges = self.core.edges
        return {
            entry: added(*(substituted(path, lambda leaf: edges[leaf.tail, leaf.head]) for path in paths))
            for entry, paths in all_paths(core).items()
        }

    @cached_property
    def expressions(self) -> Expressions:
        """The set of expressions, in letters of the graph at the start."""
        return Expressions({entry: self.spelled(each) for entry, each in self.rows.items()}, self.references)

    @property
    def multiplications(self) -> int:
        """Multiplications of the expressions, each reference once."""
        return self.expressions.multiplications

    def spelled(self, expression: Expression) -> Expression:
        """Return an expression with what its edges stand for."""
        return substituted(expression, lambda leaf: self.parts[leaf.tail, leaf.head])


def substituted(expression: Expression, leaf: Callable[[Letter | Reference], Expression]) -> Expression:
    """Return an expression with something else in place of each letter or reference."""
    return folded(expression, leaf, lambda made, _: multiplied(*made), lambda made, _: added(*made))


def factored(graph: CGraph, way: Way = "backward", references: bool = True) -> Iterator[FactoredMoment]:
    """Yield what there is at the start and after each split, joint or reference; the graph is left as it is.

    Contractions belong to the reference that they make. All splits of a vertex are one, since between them some of its
    paths are in no copy. Raises :class:`~adviz.algebra.ExpressionError` where there is
    too much to be seen.

    >>> edges = [(7, 5), (7, 6), (5, 4), (6, 4), (4, 2), (4, 3), (5, 2), (6, 3), (2, 1), (3, 1)]
    >>> [(each.kind, each.multiplications) for each in factored(CGraph.from_edges(edges))]
    [('start', 16), ('split', 16), ('split', 12), ('reference', 10), ('split', 8)]
    """
    whole = graph.pruned().copy()
    parts: dict[Edge, Expression] = {(i, j): Letter(j, i) for i, j in whole.edges}
    known: dict[str, Expression] = {}
    yield _moment("start", [], whole, parts, known)
    waiting: list[Step] = []
    latest: FactoredMoment | None = None
    for step in _steps(whole, way, references):
        if latest and (step.kind, step.focus[0]) != (latest.kind, latest.steps[-1].focus[0]):
            yield latest
            latest, waiting = None, []
        waiting.append(step)
        _follow(step, parts, known)
        if step.kind in ("split", "join", "reference"):
            latest = _moment(step.kind, waiting, whole, parts, known)
        if latest and step.kind != "split":
            yield latest
            latest, waiting = None, []
    if latest:
        yield latest


def _steps(graph: CGraph, way: Way, references: bool) -> Iterator[Step]:
    if way == "backward":
        yield from backward_splits(graph, references)
    elif way == "forward":
        yield from forward_splits(graph, references)
    elif way == "paths" and not decomposed(graph).is_simple:  # of a simple graph all would be joined again
        yield from path_splits(graph)
        yield from path_joints(graph)


def _follow(step: Step, parts: dict[Edge, Expression], known: dict[str, Expression]) -> None:
    """Bring what edges stand for to what it is after a Step."""
    match step.kind:
        case "fill_in" | "absorb":
            first, second, edge = edges_of(step)
            product = multiplied(parts[second], parts[first])
            parts[edge] = added(parts[edge], product) if step.kind == "absorb" else product
        case "reference":
            (edge,) = edges_of(step)
            name = f"X{len(known) + 1}"
            known[name] = parts[edge]
            parts[edge] = Reference(name, original(edge[1]), original(edge[0]))
        case "split" | "join":
            edges = edges_of(step)
            parts |= {new: parts[old] for old, new in zip(edges[::2], edges[1::2], strict=True)}


def _moment(
    kind: str, steps: list[Step], graph: CGraph, parts: dict[Edge, Expression], known: dict[str, Expression]
) -> FactoredMoment:
    if (count := len(graph.edges)) > MOST_EDGES:
        raise ExpressionError(f"There are {count} edges to draw, more than {MOST_EDGES}: {TOO_LARGE}.")
    there: Any = {edge: parts[edge] for edge in graph.edges}
    return FactoredMoment(kind, tuple(steps), graph.copy(), there, dict(known))


def edges_of(step: Step) -> list[Edge]:
    """Return the edges in the focus of a Step; of a split or a joint in pairs, old and new."""
    keys: Any = step.focus
    return [(key[1], key[2]) for key in keys if key[0] == "edge"]


def vertices_of(step: Step) -> list[Vertex]:
    """Return the vertices in the focus of a Step: the one that is split or kept, and its copy."""
    keys: Any = step.focus
    return [key[1] for key in keys if key[0] == "vertex"]
