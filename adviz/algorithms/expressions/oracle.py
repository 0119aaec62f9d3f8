"""The fewest multiplications of any set of expressions: :func:`optimal_expressions`, a 0/1 program.

A set of expressions makes partial sums of paths: each is a sum of edges and products within it that have no path in
common, and the factors of a product are partial sums again. Adding and copying are free, so that no way to multiply
along the paths of a graph takes fewer, be it by vertices, edges, faces, splitting or factorization: only subtraction
could. The program chooses sums and products, and is solved by HiGHS through SciPy.

What makes it fast, on 60 random graphs of 4 intermediates and 12 edges: chains and blocks are contracted first, which
costs what it must. Sums that differ by a direct edge are one. Two edges that follow each other on a path of an entry
have to be multiplied somewhere: with this the relaxation is at 7.0 instead of 3.9 where it is worst, and if it reaches
the cost of an order of faces, rounded up, that is the proof, for 54 of the 60. The other six take up to 7 s, instead of
more than 30. The median is 0.02 s.

Source: the formulation is our own.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import or_
from typing import Any, NamedTuple

import numpy as np

from ...graph.linearized.cgraph import CGraph, expect
from ...graph.linearized.checked_parts import Edge, Vertex
from ...graph.linearized.line_graph import line_graph
from ...graph.timeline import Timeline
from ..elimination.counting import Counting
from ..elimination.techniques import face_elimination
from ..search.clock import ENDLESS, Budget, budget_of
from ..search.optimum import EFFORT, optimal_order
from ..search.problem import bits, mask_of
from .decomposition import Decomposition, decomposed
from .factorization import expressions_of
from .pages import pages
from .sharing import Part, written_parts
from .terms import Expression, ExpressionError, Expressions, Letter, folded, multiplications

# ---- partial sums ----

# Which partial sums and products a Jacobian may be made of: sets of paths between two vertices.
#
# A partial sum is a set of paths with the same ends, and a product multiplies one from `middle` to `head` by one from
# `tail` to `middle`. What may be needed is closed downwards from the entries: the products within a needed sum, and
# the sums that are their factors. A direct edge is free in any sum, so that sums which differ by it alone are one.
# Their number grows exponentially with that of the paths.


MOST_PRODUCTS = 100_000
MOST_PATHS = 2_000


class PathSet(NamedTuple):
    """Some of the paths from one vertex to another: the ones of ``bits`` in :attr:`PartialSums.paths`."""

    tail: Vertex
    head: Vertex
    bits: int


class PathProduct(NamedTuple):
    """What is multiplied: ``left`` leads on to the head, ``right`` from the tail to where ``left`` begins."""

    left: PathSet
    right: PathSet


class PartialSums:
    """All partial sums and products that may be needed for the entries of a graph.

    ``paths`` has the paths between two vertices; ``entries`` what is wanted; ``within`` the products, as sets of
    paths, that may be added to make a sum; ``ways`` how each of them may be multiplied. Sums are written without their
    direct edge, see :meth:`indirect`. Raises :class:`ExpressionError` for more than 100,000
    products, or 2,000 paths.

    >>> sums = PartialSums(CGraph.from_edges([(0, 1), (1, 2), (2, 3), (1, 3)]))
    >>> [sums.paths[0, 3][place] for place in range(2)]
    [(0, 1, 3), (0, 1, 2, 3)]
    >>> len(sums.within), sum(map(len, sums.ways.values()))
    (3, 6)
    """

    def __init__(self, graph: CGraph):
        self.graph = graph
        if (count := sum(_counts(graph).values())) > MOST_PATHS:
            raise ExpressionError(_too_many(f"{count:,} paths between two vertices"))
        self.paths = _paths(graph)
        self._place = {pair: {path: k for k, path in enumerate(each)} for pair, each in self.paths.items()}
        pairs = [(x, y) for y in graph.outputs for x in graph.inputs if (x, y) in self.paths]
        self.entries = [PathSet(*pair, (1 << len(self.paths[pair])) - 1) for pair in pairs]
        self.within: dict[PathSet, list[PathSet]] = {}
        self.ways: dict[PathSet, dict[PathProduct, None]] = {}
        self._close()

    def indirect(self, whole: PathSet) -> PathSet:
        """Return a sum without its direct edge, which costs nothing."""
        edge = self._place[whole.tail, whole.head].get((whole.tail, whole.head))
        return whole if edge is None else whole._replace(bits=whole.bits & ~(1 << edge))

    def listed(self, whole: PathSet) -> list[tuple[Vertex, ...]]:
        """Return the paths of a set, each from its tail to its head."""
        paths = self.paths[whole.tail, whole.head]
        return [paths[k] for k in bits(whole.bits)]

    def _close(self) -> None:
        waiting = [each for entry in self.entries if (each := self.indirect(entry)).bits]
        seen, count = set(waiting), 0
        while waiting:
            whole = waiting.pop()
            products: dict[PathSet, None] = {}
            for way, made in self._products(whole):
                products[made] = None
                ways, count = self.ways.setdefault(made, {}), count + 1
                if count > MOST_PRODUCTS:
                    raise ExpressionError(_too_many(f"more than {MOST_PRODUCTS:,} products of partial sums"))
                if way in ways:
                    continue
                ways[way] = None
                fresh = [each for factor in way if (each := self.indirect(factor)).bits and each not in seen]
                seen.update(fresh)
                waiting += fresh
            self.within[whole] = list(products)

    def _products(self, whole: PathSet) -> Iterator[tuple[PathProduct, PathSet]]:
        """Yield all products whose paths are among those of a sum, each with the set of its paths."""
        tail, head = whole[:2]
        place = self._place[tail, head]
        for middle in self.graph.intermediates:
            if (tail, middle) not in self.paths or (middle, head) not in self.paths:
                continue
            lefts, rights = self.paths[middle, head], self.paths[tail, middle]
            made = [[1 << place[right + left[1:]] for right in rights] for left in lefts]
            free = [mask_of(k for k, bit in enumerate(row) if bit & whole.bits) for row in made]
            for right in _subsets(reduce(or_, free)):
                rows = [reduce(or_, (row[k] for k in bits(right))) for row in made]
                fits = mask_of(k for k, each in enumerate(free) if each & right == right)
                for left in _subsets(fits):
                    paths = reduce(or_, (rows[k] for k in bits(left)))
                    factors = PathProduct(PathSet(middle, head, left), PathSet(tail, middle, right))
                    yield factors, PathSet(tail, head, paths)


def _too_many(what: str) -> str:
    return (
        f"There are {what}: this serves graphs of some 15 edges beside chains and blocks. adviz.optimal_order searches "
        "larger ones for the best elimination."
    )


def _counts(graph: CGraph) -> Counter[Vertex]:
    """Return how many paths lead to each vertex from all others."""
    counts = Counter[Vertex]()
    for vertex in graph.vertices:
        counts[vertex] = sum(1 + counts[other] for other in graph.predecessors(vertex))
    return counts


def _paths(graph: CGraph) -> dict[tuple[Vertex, Vertex], list[tuple[Vertex, ...]]]:
    """Return all paths between any two vertices."""
    result: dict[tuple[Vertex, Vertex], list[tuple[Vertex, ...]]] = {}
    for tail in graph.vertices:
        into: dict[Vertex, list[tuple[Vertex, ...]]] = {tail: [(tail,)]}
        for head in graph.vertices:
            if paths := [(*path, head) for i in graph.predecessors(head) for path in into.get(i, ())]:
                into[head] = result[tail, head] = paths
    return result


def _subsets(mask: int) -> Iterator[int]:
    """Yield all subsets but the empty one."""
    subset = mask
    while subset:
        yield subset
        subset = (subset - 1) & mask


TOLERANCE = 1e-6
PER_NODE = 10
"""Steps of a search that count as a node of the 0/1 program: it takes milliseconds."""


@dataclass(frozen=True)
class OptimalExpressions:
    """The cheapest set of expressions that was found, and what is known of all others.

    No set takes fewer than ``lower_bound`` multiplications; ``cost`` is ``proved`` to be the fewest if the two are
    equal. Bounds are of floating-point arithmetic, and hold to the tolerances of HiGHS, 10⁻⁶.
    """

    expressions: Expressions
    lower_bound: int
    seconds: float
    cost: int = field(init=False)
    proved: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cost", self.expressions.multiplications)
        object.__setattr__(self, "proved", self.lower_bound >= self.cost)

    def __repr__(self) -> str:
        known = "proved to be the fewest" if self.proved else f"where any set takes at least {self.lower_bound:,}"
        return f"<OptimalExpressions: {self.cost:,} multiplications, {known}>"


def optimal_expressions(
    graph: CGraph, time_limit: float | None = None, *, effort: float | None = None
) -> OptimalExpressions:
    """Return the set of expressions with the fewest multiplications, and a proof, or what is known after an effort.

    ``effort`` and ``time_limit`` are those of :func:`~adviz.optimal_order`, for the orders to begin with and the proof.

    All values are numbers, and every product counts, also by 1. Small graphs only: some 15 edges beside chains and
    blocks. Raises :class:`ExpressionError` for larger ones, whose partial sums are too many, and for a graph with
    vertices of several entries; ``ImportError`` without SciPy, and ``ValueError`` for a limit that is none.

    >>> edges = [(7, 5), (7, 6), (5, 4), (6, 4), (4, 2), (4, 3), (5, 2), (6, 3), (2, 1), (3, 1)]
    >>> optimal_expressions(CGraph.from_edges(edges))
    <OptimalExpressions: 8 multiplications, proved to be the fewest>
    """
    expect(graph, CGraph)
    start, budget = time.monotonic(), budget_of(time_limit, effort, EFFORT)
    for vertex in graph.vertices:
        if graph.size(vertex) > 1:
            raise ExpressionError(f"{vertex!r} has {graph.size(vertex)} entries: expressions are of numbers.")
    core = decomposed(graph)
    paid = sum(map(multiplications, core.edges.values()))
    small = core.graph()
    choice = _Choice(small)  # first of all, since it may be too large
    best = _on_edges(core, _by_faces(small, budget))
    best = min(best, pages(graph).expressions, key=lambda each: each.multiplications)
    left = partial(_left, budget, start)
    bound, chosen = choice.solved(best.multiplications - paid, left)
    if chosen is not None:
        best = min(best, _on_edges(core, chosen), key=lambda each: each.multiplications)
    return OptimalExpressions(best, bound + paid, time.monotonic() - start)


def cheaper_expressions(graph: CGraph, known: int) -> tuple[int, Expressions | None]:
    """Return the fewest multiplications if they are fewer than ``known``, with expressions; else ``known`` and none.

    What :func:`optimal_expressions` asks once it knows a good order: for the many graphs of an enumeration. A letter
    between vertices of several entries is a dense matrix.

    >>> from ..examples.known_optima import GRAPHS
    >>> least, expressions = cheaper_expressions(GRAPHS["lion"].graph(), 12)
    >>> least, expressions.multiplications, cheaper_expressions(GRAPHS["lion"].graph(), 11)
    (11, 5, (11, None))
    """
    bound, result = _Choice(graph).solved(known)
    return bound, result if bound < known else None


def cheapest_sets(graph: CGraph) -> Iterator[Expressions]:
    """Yield all sets of expressions with the fewest multiplications, however many there are.

    Each is cut off from the program once it is found. Two are different if their products or sums are.

    >>> [sum(1 for _ in cheapest_sets(CGraph.from_edges(zip(range(n), range(1, n + 1))))) for n in (2, 3, 4, 5)]
    [1, 2, 5, 14]
    """
    return _Choice(graph).cheapest()


def _left(budget: Budget, start: float) -> Budget:
    return budget._replace(seconds=max(budget.seconds - (time.monotonic() - start), 0.0))


def _by_faces(graph: CGraph, budget: Budget) -> Expressions:
    """Return the expressions of the best order of faces that is found with a quarter of what may be spent."""
    dual = line_graph(graph)
    effort = math.inf if budget.steps is None else budget.steps / 4
    order = optimal_order(graph, "face", units=False, effort=effort, time_limit=budget.seconds / 4).order
    return expressions_of(Timeline.record(dual, face_elimination(dual, order, Counting(units=False))))


def _on_edges(core: Decomposition, expressions: Expressions) -> Expressions:
    """Return expressions of a core with what its edges stand for in place of its letters."""
    order = [Part("leaf", (expression,)) for expression in core.edges.values()]
    letters = dict(zip(core.edges, order, strict=True))
    known: dict[str, Part] = {}

    def made(expression: Expression) -> Part:
        return folded(
            expression,
            lambda leaf: letters[leaf.tail, leaf.head] if isinstance(leaf, Letter) else known[leaf.name],
            lambda parts, _: reduce(partial(kept, "product"), parts),
            lambda parts, _: kept("sum", *parts),
        )

    def kept(kind: str, *of: Part) -> Part:
        order.append(Part(kind, of))
        return order[-1]

    for name, expression in expressions.references.items():
        known[name] = made(expression)
    return written_parts({entry: [made(each)] for entry, each in expressions.entries.items()}, order)


# ---- the 0/1 program ----


class _Choice:
    """Which sums and products are chosen: a column for each sum, for each product, and for each use of it in a sum."""

    def __init__(self, graph: CGraph):
        self.graph = graph
        self.sums = sums = PartialSums(graph)
        ways = [(made, way) for made, each in sums.ways.items() for way in each]
        uses = [(whole, made) for whole, each in sums.within.items() for made in each]
        self.sum_at = {whole: k for k, whole in enumerate(sums.within)}
        self.way_at = {key: len(self.sum_at) + k for k, key in enumerate(ways)}
        self.use_at = {key: len(self.sum_at) + len(ways) + k for k, key in enumerate(uses)}
        self.count = len(self.sum_at) + len(ways) + len(uses)
        self.rows: list[tuple[dict[int, int], float, float]] = []
        self._sums()
        self._factors()
        self._neighbors()

    def _sums(self) -> None:
        """Require each path of a chosen sum in one of the products that it adds, which is made in some way."""
        ways: dict[PathSet, list[int]] = {}
        for (made, _), column in self.way_at.items():
            ways.setdefault(made, []).append(column)
        for whole, products in self.sums.within.items():
            for k in bits(whole.bits):
                terms = {self.use_at[whole, made]: 1 for made in products if made.bits >> k & 1}
                self.rows.append((terms | {self.sum_at[whole]: -1}, 0, 0))
            for made in products:
                self.rows.append(({self.use_at[whole, made]: -1} | dict.fromkeys(ways[made], 1), 0, math.inf))

    def _factors(self) -> None:
        """Require that the factors of a chosen product are chosen."""
        for (_, way), column in self.way_at.items():
            for factor in way:
                if (whole := self.sums.indirect(factor)).bits:
                    self.rows.append(({self.sum_at[whole]: 1, column: -1}, 0, math.inf))

    def _neighbors(self) -> None:
        """Require that two successive edges are multiplied by each other somewhere; and each entry by a product."""
        faces: dict[tuple[Edge, Edge], dict[int, int]] = {}
        entries: dict[Edge, dict[int, int]] = {each[:2]: {} for each in self.sums.entries}
        for (made, (left, right)), column in self.way_at.items():
            heads = {path[1] for path in self.sums.listed(left)}
            tails = {path[-2] for path in self.sums.listed(right)}
            for face in [((i, left.tail), (left.tail, k)) for i in tails for k in heads]:
                faces.setdefault(face, {})[column] = 1
            if made[:2] in entries:
                entries[made[:2]][column] = 1
        self.rows += [(terms, 1, math.inf) for terms in [*faces.values(), *entries.values()] if terms]

    def _along_paths(self) -> Iterator[tuple[dict[int, int], float, float]]:
        """Require it for each path of an entry, by products of its own pieces: stronger, but slow for whole numbers."""
        pieces: dict[tuple[tuple[Vertex, ...], Vertex], set[int]] = {}
        for (_, (left, right)), column in self.way_at.items():
            for head in self.sums.listed(left):
                for tail in self.sums.listed(right):
                    pieces.setdefault((tail + head[1:], left.tail), set()).add(column)
        for path in [path for entry in self.sums.entries for path in self.sums.listed(entry)]:
            for k in range(1, len(path) - 1):
                result = [pieces[path[i:j], path[k]] for i in range(k) for j in range(k + 2, len(path) + 1)]
                yield dict.fromkeys(set[int]().union(*result), 1), 1, math.inf

    def solved(self, known: int, left: Callable[[], Budget] = lambda: ENDLESS) -> tuple[int, Expressions | None]:
        """Return a lower bound, and the expressions of a solution unless ``known`` multiplications are the fewest."""
        if not self.way_at:
            return 0, None
        relaxed = self._milp([*self.rows, *self._along_paths()], left(), whole=False)
        bound = max(_up(relaxed.fun), 0) if relaxed.fun is not None and relaxed.status == 0 else 0
        if bound >= known or 0 in left():
            return min(bound, known), None
        result = self._milp(self.rows, left(), whole=True)
        if result.mip_dual_bound is not None:
            bound = max(bound, _up(result.mip_dual_bound))
        return min(bound, known), None if result.x is None else self._expressions(result.x > 0.5)

    def cheapest(self) -> Iterator[Expressions]:
        """Yield the expressions of all optimal solutions."""
        rows, least = list(self.rows), math.inf
        while (result := self._milp(rows, ENDLESS, whole=True)).x is not None and _up(result.fun) <= least:
            least = _up(result.fun)
            yield self._expressions(result.x > 0.5)
            used = self._used(result.x > 0.5)
            rows.append((dict.fromkeys(used, 1), 0, len(used) - 1))

    def _used(self, chosen: Any) -> set[int]:
        """Return the columns of the products, and of their uses, that the entries are made of."""
        ways = {made: (way, column) for (made, way), column in self.way_at.items() if chosen[column]}
        waiting, used = list(map(self.sums.indirect, self.sums.entries)), set[int]()
        while waiting:
            whole = waiting.pop()
            for made in self.sums.within.get(whole, ()):
                if chosen[use := self.use_at[whole, made]] and use not in used:
                    way, column = ways[made]
                    used |= {use, column}
                    waiting += map(self.sums.indirect, way)
        return used

    def _milp(self, rows: list[tuple[dict[int, int], float, float]], budget: Budget, whole: bool) -> Any:
        try:
            from scipy.optimize import Bounds, LinearConstraint, milp
            from scipy.sparse import csc_array
        except ImportError as error:
            raise ImportError("SciPy is not installed, whose HiGHS proves the optimum: pip install scipy") from error
        cost, least = np.zeros(self.count), np.zeros(self.count)
        size = self.graph.size
        cost[[*self.way_at.values()]] = [
            size(made.tail) * size(left.tail) * size(made.head) for made, (left, _) in self.way_at
        ]
        least[[self.sum_at[each] for entry in self.sums.entries if (each := self.sums.indirect(entry)).bits]] = 1
        at = [(row, column, value) for row, (terms, _, _) in enumerate(rows) for column, value in terms.items()]
        r, c, values = zip(*at, strict=True)
        matrix = csc_array((values, (r, c)), shape=(len(rows), self.count))
        options: dict[str, float] = {}
        if budget.steps is not None and budget.steps < math.inf:
            options["node_limit"] = int(budget.steps / PER_NODE)
        if budget.seconds < math.inf:
            options["time_limit"] = max(budget.seconds, 0.001)
        return milp(
            cost,
            integrality=np.full(self.count, whole),
            bounds=Bounds(least, np.ones(self.count)),
            constraints=LinearConstraint(matrix, [low for _, low, _ in rows], [high for _, _, high in rows]),
            options=options,
        )

    def _expressions(self, chosen: Any) -> Expressions:
        """Return what a solution computes."""
        ways = {made: way for (made, way), column in self.way_at.items() if chosen[column]}
        order: list[Part] = []
        parts: dict[PathSet | Edge, Part] = {}

        def kept(key: Any, kind: str, *of: Any) -> Part:
            if key not in parts:
                parts[key] = Part(kind, of)
                order.append(parts[key])
            return parts[key]

        def product(made: PathSet) -> Part:
            return parts.get(("product", made)) or kept(("product", made), "product", *map(summed, ways[made]))

        def summed(whole: PathSet) -> Part:
            if whole in parts:
                return parts[whole]
            indirect = self.sums.indirect(whole)
            terms = [
                product(made) for made in self.sums.within.get(indirect, ()) if chosen[self.use_at[indirect, made]]
            ]
            if indirect != whole:
                edge = whole[:2]
                terms.append(kept(("edge", *edge), "leaf", Letter(edge[1], edge[0])))
            return terms[0] if len(terms) == 1 else kept(whole, "sum", *terms)

        return written_parts({(each.head, each.tail): [summed(each)] for each in self.sums.entries}, order)


def _up(value: float) -> int:
    return math.ceil(value - TOLERANCE)
