"""Which partial sums and products a Jacobian may be made of: sets of paths between two vertices.

A partial sum is a set of paths with the same ends, and a product multiplies one from ``middle`` to ``head`` by one from
``tail`` to ``middle``. What may be needed is closed downwards from the entries: the products within a needed sum, and
the sums that are their factors. A direct edge is free in any sum, so that sums which differ by it alone are one. Their
number grows exponentially with that of the paths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...graph.linearized.cgraph import CGraph
from ...graph.linearized.checked_parts import Vertex
from .terms import ExpressionError

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
        self._place = {pair: {path: k for k, path in enumerate(found)} for pair, found in self.paths.items()}
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
        return [path for k, path in enumerate(self.paths[whole.tail, whole.head]) if whole.bits >> k & 1]

    def _close(self) -> None:
        waiting = [each for entry in self.entries if (each := self.indirect(entry)).bits]
        seen, count = set(waiting), 0
        while waiting:
            whole = waiting.pop()
            found: dict[PathSet, None] = {}
            for way, made in self._products(whole):
                found[made] = None
                ways, count = self.ways.setdefault(made, {}), count + 1
                if count > MOST_PRODUCTS:
                    raise ExpressionError(_too_many(f"more than {MOST_PRODUCTS:,} products of partial sums"))
                if way in ways:
                    continue
                ways[way] = None
                fresh = [each for factor in way if (each := self.indirect(factor)).bits and each not in seen]
                seen.update(fresh)
                waiting += fresh
            self.within[whole] = list(found)

    def _products(self, whole: PathSet) -> Iterator[tuple[PathProduct, PathSet]]:
        """Yield all products whose paths are among those of a sum, each with the set of its paths."""
        tail, head, bits = whole
        place = self._place[tail, head]
        for middle in self.graph.intermediates:
            if (tail, middle) not in self.paths or (middle, head) not in self.paths:
                continue
            lefts, rights = self.paths[middle, head], self.paths[tail, middle]
            made = [[1 << place[right + left[1:]] for right in rights] for left in lefts]
            free = [_bits(bool(bit & bits) for bit in row) for row in made]
            for right in _subsets(_union(free)):
                rows = [_union(bit for k, bit in enumerate(row) if right >> k & 1) for row in made]
                fits = _bits(each & right == right for each in free)
                for left in _subsets(fits):
                    paths = _union(row for k, row in enumerate(rows) if left >> k & 1)
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
    found: dict[tuple[Vertex, Vertex], list[tuple[Vertex, ...]]] = {}
    for tail in graph.vertices:
        into: dict[Vertex, list[tuple[Vertex, ...]]] = {tail: [(tail,)]}
        for head in graph.vertices:
            if paths := [(*path, head) for i in graph.predecessors(head) for path in into.get(i, ())]:
                into[head] = found[tail, head] = paths
    return found


def _bits(flags: Iterable[bool]) -> int:
    return sum(1 << k for k, flag in enumerate(flags) if flag)


def _union(sets: Iterable[int]) -> int:
    found = 0
    for each in sets:
        found |= each
    return found


def _subsets(bits: int) -> Iterator[int]:
    """Yield all subsets but the empty one."""
    subset = bits
    while subset:
        yield subset
        subset = (subset - 1) & bits
