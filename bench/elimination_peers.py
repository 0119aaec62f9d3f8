"""Random programs, and the same elimination as others would write it: in dictionaries, and on graphs of NetworkX."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from random import Random

Edges = list[tuple[int, int]]


def random_program(intermediates: int, window: int, ends: int = 10, seed: int = 0) -> Edges:
    """A program drawn by lot, from its outputs back to its inputs, so that everything in it is needed.

    Of three operations one takes one value, and two take two, of the ``window`` places before them. There are ``ends``
    outputs, and as many inputs at most.
    """
    chance, edges, place = Random(seed), set(), 0
    takers: defaultdict[int, list[int]] = defaultdict(list)

    def draw(head: int) -> None:
        for _ in range(chance.choice((1, 2, 2))):
            takers[chance.randrange(place - window, place)].append(head)

    for y in range(ends):
        draw(ends + intermediates + y)
    for j in reversed(range(ends, ends + intermediates)):
        while place not in takers:
            place -= 1
        edges.update((j, head) for head in takers.pop(place))
        draw(j)
    for number, left in enumerate(sorted(takers)):
        edges.update((number % ends, head) for head in takers[left])
    return sorted(edges)


def partials_of(edges: Edges) -> list[float]:
    """Partials with which every vertex is the mean of its predecessors: their products neither grow nor vanish."""
    operands = Counter(j for _, j in edges)
    return [1 / operands[j] for _, j in edges]


def middle(edges: Edges) -> list[int]:
    """The intermediates in topological order."""
    tails, heads = zip(*edges, strict=True)
    return sorted({*tails} & {*heads})


class Dictionaries:
    """The partials of a graph in dictionaries of dictionaries, by head and by tail."""

    def __init__(self, edges: Edges):
        self.tails: defaultdict[int, dict[int, float]] = defaultdict(dict)
        self.heads: defaultdict[int, dict[int, float]] = defaultdict(dict)
        for (i, j), label in zip(edges, partials_of(edges), strict=True):
            self.tails[j][i] = self.heads[i][j] = label

    def degree(self, j: int) -> int:
        """The Markowitz degree of ``j``."""
        return len(self.tails[j]) * len(self.heads[j])

    def eliminate(self, j: int) -> Iterable[int]:
        """Eliminate ``j``; its neighbours."""
        into, out = self.tails.pop(j), self.heads.pop(j)
        for k in out:
            del self.tails[k][j]
        for i, tail in into.items():
            heads = self.heads[i]
            del heads[j]
            for k, head in out.items():
                heads[k] = self.tails[k][i] = heads.get(k, 0.0) + head * tail
        return *into, *out

    def jacobian(self) -> dict[tuple[int, int], float]:
        """The partial derivatives of each output y with respect to each input x, by ``(x, y)``, at the end."""
        return {(i, k): label for i, heads in self.heads.items() for k, label in heads.items()}


class Networkx:
    """The same as a graph of NetworkX, whose edges have attributes."""

    def __init__(self, edges: Edges):
        import networkx

        self.graph = networkx.DiGraph()
        self.graph.add_weighted_edges_from((*edge, c) for edge, c in zip(edges, partials_of(edges), strict=True))

    def degree(self, j: int) -> int:
        return self.graph.in_degree(j) * self.graph.out_degree(j)

    def eliminate(self, j: int) -> Iterable[int]:
        graph = self.graph
        into, out = dict(graph.pred[j]), dict(graph.succ[j])
        graph.remove_node(j)
        for i, tail in into.items():
            heads = graph.adj[i]
            for k, head in out.items():
                gain = head["weight"] * tail["weight"]
                if k in heads:
                    heads[k]["weight"] += gain
                else:
                    graph.add_edge(i, k, weight=gain)
        return *into, *out

    def jacobian(self) -> dict[tuple[int, int], float]:
        return {(i, k): label for i, k, label in self.graph.edges(data="weight")}


def by_markowitz(graph: Dictionaries | Networkx, intermediates: Iterable[int]) -> int:
    """Eliminate the vertex of lowest Markowitz degree, the first of equal ones, until none is left: multiplications."""
    degree = {j: graph.degree(j) for j in intermediates}
    heap = [(now, j) for j, now in degree.items()]
    heapify(heap)
    total = 0
    while heap:
        now, j = heappop(heap)
        if degree.get(j) != now:
            continue
        del degree[j]
        total += now
        for i in graph.eliminate(j):
            if i in degree and (now := graph.degree(i)) != degree[i]:
                degree[i] = now
                heappush(heap, (now, i))
    return total
