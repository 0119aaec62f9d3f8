"""The cheapest order of elimination, found and where possible proved: :func:`optimal_order`."""

from __future__ import annotations

import math
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from ...graph.linearized.cgraph import CGraph
from ...graph.linearized.checked_parts import CGraphError, Vertex
from ...graph.linearized.line_graph import Face, LineGraph, LineNode, is_interior, line_graph
from ...graph.timeline import Step
from ..elimination.counting import Cost, Counting
from ..elimination.moves import eliminate_face
from ..examples.functions import PROGRAMS
from ..examples.known_optima import GraphCase
from ..examples.small_functions import CASES
from . import clock
from .best_first import Path
from .clock import ENDLESS, Budget, Steps, budget_of, counted
from .distributed import processes, shared_rounds
from .engines import has_numba
from .graph_problem import Faces, Node
from .greedy import AT_LEAST
from .label_kinds import Constants, Kinds
from .path_search import PathSearch
from .problem import Structure, bits, mask_of, structure_of
from .vertex_search import VertexSearch

# ---- orders on a line ----


PRODUCTS = Counting("block")
"""A convention of counting that ignores labels."""


def faces_of(graph: CGraph, edges: list[tuple[str, Any, Any]]) -> Iterator[Face]:
    """Yield the faces of an order of edges, which are eliminated at their fronts and backs."""
    dual = line_graph(graph)
    nodes: dict[tuple[Any, Any], list[LineNode]] = defaultdict(list)
    for e in dual.interior:
        nodes[e].append(e)
        dual.set_label(e, 0)
    for side, i, j in edges:
        own = filter(dual.__contains__, nodes[i, j])
        if side == "front":
            faces = [(e, f) for e in own for f in dual.successors(e)]
        else:
            faces = [(d, e) for e in own for d in dual.predecessors(e)]
        for face in faces:
            if dual.has_face(*face) and all(map(is_interior, face)):
                yield face
                for step in eliminate_face(dual, face):
                    if step.kind == "fill_in":
                        new = nodes_of(step)[-1]
                        nodes[new[:2]].append(new)


def nodes_of(step: Step) -> list[LineNode]:
    """Return the nodes that a Step of a line graph is about."""
    focus: Any = step.focus
    return [key[1] for key in focus if key[0] == "node"]


def faces_along(graph: CGraph, structure: Structure, path: Path) -> Iterator[Face]:
    """Yield the faces whose elimination leads through the states of a path, which has the places of nodes only."""
    dual = line_graph(graph)
    number = {vertex: k for k, vertex in enumerate(structure.vertices)}
    for i, j in dual.interior:
        label = structure.labels.get((number[i], number[j]))
        dual.set_label((i, j), Known(structure.algebra, label, (graph.size(j), graph.size(i))))
    for (first, second), _ in path:
        nodes = dual.interior
        order = _faces(dual, nodes, number, structure).order()
        face = nodes[order[first]], nodes[order[second]]
        yield face
        deque(eliminate_face(dual, face, PRODUCTS), maxlen=0)


def _faces(dual: LineGraph, nodes: list[LineNode], number: dict[Any, int], structure: Structure) -> Faces:
    """Return the line graph as searches represent it, with its nodes in this order."""
    place = {e: k for k, e in enumerate(nodes)}
    preds = [mask_of(place[d] for d in dual.predecessors(e) if d in place) for e in nodes]
    ends = [(number[e[0]], number[e[1]], dual.label(e).label) for e in nodes]
    return Faces(structure, [Node(*each, mask) for each, mask in zip(ends, preds, strict=True)])


@dataclass(frozen=True)
class Known:
    """What is known of a label, used instead of the label; ``sizes`` are those of its head and of its tail."""

    algebra: Constants | Kinds
    label: Any
    sizes: tuple[int, int]
    shape = ()  # that of no matrix, so that no number is made of it

    def __matmul__(self, tail: Known) -> Known:
        (k, j), (_, i) = self.sizes, tail.sizes
        return Known(self.algebra, self.algebra.product(self.label, tail.label, (k, j, i))[0], (k, i))

    def __add__(self, other: Known) -> Known:
        return Known(self.algebra, self.algebra.plus(self.label, other.label), self.sizes)


# ---- vertices of one kind ----

# Twins are eliminated alike: the smaller problem in which each stands for all, and its orders on the whole graph.
#
# Twins are vertices with equal predecessors and equal successors: parallel inputs, parallel outputs, intermediates.
# One vertex that weighs as much as all of them together costs the same at best, for vertices, for edges and for faces:
#
# *At least*. No two twins are in one product, so that an order costs c + w_1 a_1 + w_2 a_2, where a_1 and a_2 are what
# is multiplied for each entry of the one and of the other. Let a_1 <= a_2, and let the labels at the second be zero.
# Then the same order, without the products that have become zero, eliminates the graph without the second; and with
# the first in the place of both it costs c + (w_1 + w_2) a_1 at most. On the line graph, products that were absorbed
# by what is zero now need a node of their own, and nodes may have become twins that did not merge. Neither is worse
# where absorbing and merging are compulsory: if two nodes have equal predecessors and equal successors, one may have
# the sum of both labels and the other zero, and by the same argument the order without the latter costs no more.
#
# *At most*. Each move is made for all twins, one after the other.


Members = dict[Vertex, tuple[Vertex, ...]]
"""The twins that each vertex stands for, itself among them."""


def without_twins(structure: Structure) -> tuple[Structure, Members]:
    """Merge twins, repeatedly, into one vertex each; return the structure and the vertices that each stands for.

    Where labels matter, twins may cost differently, and each stands for itself.

    >>> from .problem import structure_of
    >>> small, members = without_twins(structure_of(CGraph.from_edges([(0, 2), (1, 2), (2, 3), (3, 4)])))
    >>> small.sizes, members[0]
    ((2, 1, 1, 1), (0, 1))
    """
    members: Members = {vertex: (vertex,) for vertex in structure.vertices}
    while True:
        alike: dict[tuple[int, ...], list[int]] = {}
        for k, sides in enumerate(zip(structure.preds, structure.succs, strict=True)):
            alike.setdefault((*sides, structure.inside >> k & 1), []).append(k)
        if len(alike) == len(structure.sizes) or structure.labels:
            return structure, members
        names = structure.vertices
        members = {names[twins[0]]: sum((members[names[k]] for k in twins), ()) for twins in alike.values()}
        structure = _merged(structure, list(alike.values()))


def _merged(structure: Structure, classes: list[list[int]]) -> Structure:
    """Return the structure of the first of each class, in order."""
    number = {twins[0]: k for k, twins in enumerate(classes)}

    def renumbered(masks: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(mask_of(number[i] for i in bits(masks[first]) if i in number) for first in number)

    return Structure(
        tuple(structure.vertices[first] for first in number),
        renumbered(structure.preds),
        renumbered(structure.succs),
        tuple(sum(structure.sizes[k] for k in twins) for twins in classes),
        mask_of(number[j] for j in bits(structure.inside) if j in number),
    )


def small_graph(graph: CGraph, members: Members) -> CGraph:
    """Return the graph of the vertices that stand for all twins, with labels that do not matter."""
    inputs, outputs = ([vertex for vertex in side if vertex in members] for side in (graph.inputs, graph.outputs))
    edges = {(i, j): 0 for i, j in graph.edges if i in members and j in members}
    return CGraph(members, inputs, outputs, edges, graph.sizes)


def edges_of_twins(edges: list[tuple[str, Any, Any]], members: Members) -> list[tuple[str, Any, Any]]:
    """Replace each edge by the edges of all twins that it stands for."""
    return [(side, i, j) for side, first, second in edges for i, j in product(members[first], members[second])]


def faces_of_twins(graph: CGraph, faces: Iterator[Face], members: Members) -> Iterator[Face]:
    """Replace each face of the small graph by the faces of all twins that it stands for."""
    small, whole = line_graph(small_graph(graph, members)), line_graph(graph)
    for e in whole.interior:
        whole.set_label(e, 0)
    nodes: dict[LineNode, dict[Any, LineNode]] = {
        e: {pair: pair for pair in product(members[e[0]], members[e[1]])} for e in small.interior
    }
    merged: dict[LineNode, LineNode] = {}

    def present(e: LineNode) -> LineNode:
        while e in merged:
            e = merged[e]
        return e

    for e, f in faces:
        made: dict[Any, LineNode] = {}
        for i, j, k in product(*(members[vertex] for vertex in (e[0], e[1], f[1]))):
            face = present(nodes[e][i, j]), present(nodes[f][j, k])
            yield face
            for step in eliminate_face(whole, face, PRODUCTS):
                touched = nodes_of(step)
                if step.kind == "fill_in":
                    made[i, k] = touched[-1]
                    merged.pop(touched[-1], None)  # another node may have had its name
                elif step.kind == "merge":
                    merged[touched[1]] = touched[0]
        for step in eliminate_face(small, (e, f), PRODUCTS):
            if step.kind == "fill_in":
                nodes[nodes_of(step)[-1]] = made


# ---- the search ----


EFFORT = 200_000
"""States that are visited, if nothing else is said."""
IN_TASKS = 60.0
"""Seconds that a search in several tasks takes, if nothing else is said."""
TECHNIQUES = {"vertex": ("vertex", "vertices"), "edge": ("edge", "edges"), "face": ("face", "faces")}
"""What is eliminated, by technique: in the singular and in the plural."""


@dataclass(frozen=True, repr=False)
class Optimum:
    """The cheapest order that was found, and what is known of all others.

    ``order`` is as the elimination of its technique takes it: vertices, ``("front", i, j)`` and ``("back", i, j)``, or
    faces. It takes ``cost`` multiplications, counted by ``Counting(count, units, own_cost)``; no order takes fewer
    than ``lower_bound``, and it is ``proved`` to be the cheapest if the two are equal. ``states`` were searched in
    ``seconds``, preparations included, by the ``engine`` ``"python"`` or ``"numba"``; where ``"numba"`` was asked for
    and Python ran instead, ``why_python`` says why. ``interrupted`` tells whether the user interrupted the search.

    >>> import adviz
    >>> best = optimal_order(adviz.examples["lion"].graph())
    >>> best
    <Optimum: 12 multiplications by 2 vertices, proved to be the fewest>
    >>> best.order, best.cost, best.proved
    ([1, 2], 12, True)
    """

    technique: str
    order: list[Any]
    cost: int
    lower_bound: int
    engine: str
    seconds: float
    states: int
    proved: bool = field(init=False)
    count: str = "sparse"
    units: bool = True
    interrupted: bool = False
    why_python: str = ""
    own_cost: Cost | None = None
    search: Search | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "proved", self.lower_bound >= self.cost)

    def __repr__(self) -> str:
        least = f"where any order takes at least {number(self.lower_bound)}"
        known = "proved to be the fewest" if self.proved else least
        moves = f"{len(self.order):,} {TECHNIQUES[self.technique][len(self.order) != 1]}"
        what = "multiplications" if self.own_cost is None else f"({Counting(cost=self.own_cost)})"
        engine = f"; Python ran instead of Numba, since {self.why_python}" if self.why_python else ""
        return f"<Optimum: {number(self.cost)} {what} by {moves}, {known}{engine}>"

    def resume(self, time_limit: float | None = None, **options: Any) -> Optimum:
        """Continue where the search stopped; ``options`` are those of :meth:`Search.run`."""
        assert self.search is not None
        return self.search.run(time_limit, **options)


def optimal_order(
    graph: CGraph | GraphCase,
    technique: str = "vertex",
    *,
    count: str = "sparse",
    units: bool = True,
    effort: float | None = None,
    time_limit: float | None = None,
    memory: int = 1 << 30,
    executor: Executor | None = None,
    workers: int = 1,
    seed: int = 0,
    engine: str | None = None,
    progress: Callable[[Optimum], object] | None = None,
    cost: Cost | None = None,
) -> Optimum:
    """Return the cheapest order of elimination that is found with so much ``effort``, proved to be so where possible.

    ``graph`` is a linearized one, ``adviz.linearize(f, x)``, or an example that is a graph. ``technique`` is
    ``"vertex"``, ``"edge"`` or ``"face"``; ``count``, ``units`` and ``cost`` say how products are counted, and are
    those of :class:`~adviz.Counting` for the elimination, which says what a proof needs of a ``cost``. Proofs go
    furthest where costs follow from sizes: between numbers, and with ``count="scalar"`` or ``"block"``. Where they
    depend on the structure of Jacobians, or on a ``cost``, bounds are weak, and only small graphs are proved. A proof
    knows structures, not numbers: where a sum is 0 only because its terms cancel, as in ``x - np.mean(x)`` behind
    another sum, an elimination may multiply less by chance.

    ``effort`` is the number of states that are visited, 200,000 by default, which takes from ten seconds to some
    minutes; the result is the same on every machine. With ``time_limit``, in seconds, the search ends when the time is
    up; with both, when either is spent; and with ``effort=math.inf``, when there is a proof. An interrupt ends it with
    the best order so far; ``progress`` is called with the optimum so far now and then. ``memory`` bounds what is kept,
    in bytes: past it, the search continues with the bounds it has. Orders of vertices are searched for in tasks if
    there is an ``executor``, any of :mod:`concurrent.futures` or Dask's ``client.get_executor()``, or there are several
    ``workers``: processes that import the main module, so that a script calls this below
    ``if __name__ == "__main__":``. Tasks have a time limit, of 60 seconds by default. ``engine`` is ``"python"``,
    ``"numba"`` (which is installed separately), or ``None`` for the better one; the result says where Python ran
    instead of Numba, and why. Edges and faces of more than 300 intermediates are not searched: they are eliminated
    along the best order of vertices that is found.

    The order never costs more than forward, reverse and, unless the graph is large, the greedy orders of all keys that
    :mod:`adviz.elimination` lists, from which the search starts. Raises ``ValueError`` for unknown words and negative
    numbers, and :class:`~adviz.CGraphError` for anything but a graph.

    >>> import adviz
    >>> best = optimal_order(adviz.examples["lion"], "edge")
    >>> best.cost, best.proved
    (11, True)
    """
    options: dict[str, Any] = {"count": count, "units": units, "cost": cost, "memory": memory, "seed": seed}
    options["engine"] = engine
    run = {"executor": executor, "workers": workers, "progress": progress}
    return _search(graph, technique, None, budget_of(time_limit, effort, EFFORT), options | run)


def anneal(
    graph: CGraph | GraphCase,
    technique: str = "vertex",
    *,
    effort: float | None = None,
    time_limit: float | None = None,
    **options: Any,
) -> Optimum:
    """Return the cheapest order that simulated annealing with restarts finds; options of :func:`optimal_order`.

    The ``effort`` is 50,000 by default. Orders of vertices are annealed, also where edges or faces are eliminated along
    them.

    >>> import adviz
    >>> anneal(adviz.examples["lion"], effort=500).cost
    12
    """
    return _search(graph, technique, ("anneal",), budget_of(time_limit, effort, EFFORT // 4), options)


def beam(
    graph: CGraph | GraphCase,
    technique: str = "vertex",
    *,
    effort: float | None = None,
    time_limit: float | None = None,
    **options: Any,
) -> Optimum:
    """Return the cheapest order that beam searches find, each wider than the last; options of :func:`anneal`.

    >>> import adviz
    >>> beam(adviz.examples["bat"], "face", effort=2500).cost <= 24
    True
    """
    return _search(graph, technique, ("beam",), budget_of(time_limit, effort, EFFORT // 4), options)


def number(cost: float) -> str:
    """Return a cost in words; one of one's own may be no whole number.

    >>> number(12345), number(0.1 + 0.2)
    ('12,345', '0.3')
    """
    return f"{cost:,}" if isinstance(cost, int) else f"{cost:,.6g}"


def _search(
    graph: CGraph | GraphCase,
    technique: str,
    ways: tuple[str, ...] | None,
    budget: Budget,
    options: dict[str, Any],
) -> Optimum:
    own = {name: options.pop(name) for name in ("executor", "workers", "progress") if name in options}
    search = Search(graph, technique, ways, budget=budget, **options)
    seconds = budget.seconds if budget.seconds == math.inf else max(budget.seconds - search.seconds, 0.0)
    steps = budget.steps if budget.steps is None else max(budget.steps - search.steps.count, 0)
    return search.spend(Budget(steps, seconds), **own)


def _graph_of(source: Any) -> CGraph:
    if isinstance(source, GraphCase):
        return source.graph()
    if isinstance(source, CGraph):
        return source
    if isinstance(source, str):
        hint = f"give it adviz.examples[{source!r}]"
    elif name := next((name for name, case in (CASES | PROGRAMS).items() if case is source), None):
        hint = f"write adviz.linearize(adviz.examples[{name!r}])"
    else:
        hint = "give it adviz.linearize(f, x), for f at x"
    raise CGraphError(f"A search needs a linearized graph, not a {type(source).__name__}: {hint}.")


class Search:
    """A search for the best order of a graph, which can be continued.

    >>> import adviz
    >>> search = Search(adviz.examples["lion"].graph(), "face")
    >>> search.run(effort=0).proved, search.run().proved
    (False, True)
    """

    def __init__(
        self,
        graph: CGraph | GraphCase,
        technique: str = "vertex",
        ways: tuple[str, ...] | None = None,
        *,
        count: str = "sparse",
        units: bool = True,
        memory: int = 1 << 30,
        seed: int = 0,
        engine: str | None = None,
        budget: Budget = ENDLESS,
        cost: Cost | None = None,
    ):
        start = time.monotonic()
        if technique not in TECHNIQUES:
            raise ValueError(f"no technique is called {technique!r}; there are {', '.join(TECHNIQUES)}")
        if not isinstance(seed, int):
            raise ValueError(f"seed is {seed!r}; expected a whole number.")
        if engine not in (None, "python", "numba"):
            raise ValueError(f"engine is {engine!r}; expected 'python', 'numba' or None.")
        if engine == "numba" and not has_numba():
            raise ValueError("engine is 'numba', which is not installed; expected 'python' or None.")
        graph = _graph_of(graph)
        graph = graph.pruned() if technique == "face" else graph.copy()
        self.technique, self.graph, self.memory = technique, graph, memory
        self.counting, self.named = Counting(count, units, cost), engine
        whole = structure_of(graph, self.counting, memory // 2)
        self.structure, self.members = without_twins(whole)
        self.inner: VertexSearch | PathSearch
        self.steps = Steps()
        with counted(None if budget.steps is None else self.steps):
            end = clock.now() + max(budget.limit / 4, AT_LEAST)
            if technique == "vertex" and not self.structure.labels:
                self.inner = VertexSearch(self.structure, ways or ("anneal", "prove"), engine, memory, seed, end=end)
            else:
                ways = ways or ("beam", "prove", "anneal")
                self.inner = PathSearch(self.structure, technique, ways, memory, seed, annealer=engine, end=end)
        self.seconds = time.monotonic() - start

    def run(
        self,
        time_limit: float | None = None,
        *,
        effort: float | None = None,
        executor: Executor | None = None,
        workers: int = 1,
        progress: Callable[[Optimum], object] | None = None,
    ) -> Optimum:
        """Search with as much ``effort`` again, or another ``time_limit``; options as of :func:`optimal_order`."""
        return self.spend(budget_of(time_limit, effort, EFFORT), executor, workers, progress)

    def spend(
        self,
        budget: Budget,
        executor: Executor | None = None,
        workers: int = 1,
        progress: Callable[[Optimum], object] | None = None,
    ) -> Optimum:
        """Search until the budget is spent, or there is a proof."""
        start, interrupted = time.monotonic(), False
        if executor is not None and not hasattr(executor, "submit"):
            raise ValueError(f"executor is {executor!r}; expected one of concurrent.futures, or None.")
        if workers < 1:
            raise ValueError(f"workers is {workers}; expected 1, for this process alone, or more.")
        pool = processes(workers) if executor is None and workers > 1 else None
        if executor or pool:  # what is done first decides there
            budget = Budget(None, IN_TASKS if budget.seconds == math.inf else budget.seconds)
        limit = budget.limit
        if self.technique == "face":  # the names of faces are made at the end
            self._order()
            limit = max(limit - 2 * (time.monotonic() - start), 0.0) if budget.steps is None else limit
        self.steps.until = start + budget.seconds
        try:
            with pool or nullcontext(), counted(None if budget.steps is None else self.steps):
                for _ in self._rounds(executor or pool, clock.now() + limit):
                    if progress:
                        progress(self._optimum(start, False))
        except KeyboardInterrupt:
            interrupted = True
        result = self._optimum(start, interrupted)
        self.seconds = result.seconds
        return result

    def _rounds(self, executor: Executor | None, end: float) -> Iterator[None]:
        if executor is not None and isinstance(self.inner, VertexSearch):
            return shared_rounds(self.inner, executor, self.memory, end)
        return self.inner.rounds(end)

    def _optimum(self, start: float, interrupted: bool) -> Optimum:
        inner, seconds = self.inner, self.seconds + time.monotonic() - start
        known = inner.cost, inner.low, inner.engine, seconds, inner.states
        why_python = inner.why_python() if self.named == "numba" else ""
        counting = self.counting.count, self.counting.units
        own_cost = self.counting.cost
        return Optimum(self.technique, self._order(), *known, *counting, interrupted, why_python, own_cost, self)

    def _order(self) -> list[Any]:
        vertices, inner = self.structure.vertices, self.inner
        path = None if isinstance(inner, VertexSearch) else inner.path
        if self.technique == "face" and path is not None:
            faces = faces_along(small_graph(self.graph, self.members), self.structure, path)
            return list(faces_of_twins(self.graph, faces, self.members))
        moves: list[Any] = inner.order if path is None else [move for move, _ in path]
        if self.technique == "vertex":
            return [twin for j in moves for twin in self.members[vertices[j]]]
        edges = edges_of_twins([(side, vertices[i], vertices[j]) for side, i, j in moves], self.members)
        return edges if self.technique == "edge" else list(faces_of(self.graph, edges))
