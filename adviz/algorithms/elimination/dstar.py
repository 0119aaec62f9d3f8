"""D*: factor what the derivative graphs of all pairs of an input and an output have in common.

A vertex *dominates* another in a derivative graph if every path from the input to the other passes it; it
*postdominates* if every path from the other to the output does. A *factor subgraph* is all paths from ``a`` to ``b``,
where ``b`` is reached by several edges and ``a`` is its immediate dominator, or ``a`` is left by several and ``b`` is
its immediate postdominator. Its sum of products becomes one edge. The one in most derivative graphs is first, of those
the smallest. When none is left, each derivative graph is one path, and the product of neighbours that most paths share
is first.

Two factor subgraphs are the same if they have the same edges: the sums over other edges differ.

Source: B. Guenter, Efficient symbolic differentiation for graphics applications, SIGGRAPH 2007 (in whose drawings the
output is the root, so that what is called a dominator there is a postdominator in the flow of data).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping
from itertools import chain, pairwise
from typing import Any, NamedTuple

from ...graph.linearized.cgraph import CGraph, Linearized, expect, fresh
from ...graph.linearized.checked_parts import CGraphError, Vertex
from ...graph.linearized.labels import Label, product
from ...graph.linearized.measures import edges_between, index_domains, index_ranges
from ...graph.timeline import Edit, State, Step
from ...graph.wording import counted
from .counting import PLAIN, Counting, expect_counting
from .moves import summed

Edge = tuple[Any, ...]
"""The ends of an edge, and a number for a later one between the same ends."""
Pair = tuple[Vertex, Vertex]
"""An input and an output."""


class DerivativeGraphs(Linearized):
    """The derivative graphs of all pairs of an input and an output, which share their edges.

    >>> graphs = derivative_graphs(CGraph.from_edges([(0, 2), (1, 2), (2, 3)]))
    >>> graphs, graphs.edges(0, 3), graphs.edges(1, 3)
    (<DerivativeGraphs: 2 pairs, 3 edges>, [(0, 2), (2, 3)], [(1, 2), (2, 3)])
    """

    made_by = "adviz.derivative_graphs"

    def __init__(self, graph: CGraph):
        """Without edges yet: :func:`derivative_graphs` gives them."""
        super().__init__(graph.rank, graph.inputs, graph.outputs, graph.sizes, graph.names, graph.title)
        self._vertices = dict.fromkeys(graph.vertices, True)
        self._labels: dict[Edge, Label] = {}
        self._pairs: dict[Edge, frozenset[Pair]] = {}
        self._graphs: defaultdict[Pair, set[Edge]] = defaultdict(set)

    @property
    def pairs(self) -> list[Pair]:
        """The inputs and outputs between which there are paths."""
        return sorted(filter(self._graphs.get, self._graphs), key=lambda pair: (self.rank[pair[0]], self.rank[pair[1]]))

    def edges(self, x: Vertex, y: Vertex) -> list[Edge]:
        """Return the edges of one derivative graph, by head and then by tail in topological order."""
        return self.in_order(self._graphs[x, y])

    def label(self, e: Edge) -> Label:
        """Return the label of an edge; ``None`` where there is no such edge."""
        return self._labels.get(e)

    def pairs_of(self, e: Edge) -> frozenset[Pair]:
        """Return the inputs and outputs whose derivative graphs have an edge."""
        return self._pairs[e]

    def __repr__(self) -> str:
        return f"<DerivativeGraphs: {counted((len(self.pairs), 'pair'), (len(self._labels), 'edge'))}>"

    @property
    def unused(self) -> list[Edge]:
        """The edges that are in no derivative graph."""
        return self.in_order(e for e, pairs in self._pairs.items() if not pairs)

    def jacobian(self) -> dict[Pair, Label]:
        """Return the derivative of each output ``y`` with respect to each input ``x`` it depends on, under ``(x, y)``.

        Raises :class:`~adviz.CGraphError` while a derivative graph has more than one edge.
        """
        if any(len(self._graphs[pair]) > 1 for pair in self.pairs):
            raise CGraphError("The labels are not the Jacobian yet: some derivative graphs have more than one edge.")
        return {pair: self._labels[e] for pair in self.pairs for e in self._graphs[pair]}

    # ---- changing ----

    def add_edge(self, i: Vertex, j: Vertex, label: Label) -> tuple[Edge, Edit]:
        """Return a new edge, which is in no derivative graph yet; and the edit."""
        e = fresh(i, j, self._labels)
        self._labels[e], self._pairs[e] = label, frozenset()
        return e, Edit(("edge", *e), None, label)

    def set_label(self, e: Edge, label: Label) -> Edit:
        """Give an edge another label."""
        edit = Edit(("edge", *e), self._labels[e], label)
        self._labels[e] = label
        return edit

    def set_pairs(self, e: Edge, pairs: frozenset[Pair]) -> Edit:
        """Let an edge be in the derivative graphs of these pairs."""
        old, self._pairs[e] = self._pairs[e], pairs
        for pair in old - pairs:
            self._graphs[pair].remove(e)
        for pair in pairs - old:
            self._graphs[pair].add(e)
        return Edit(("pairs", *e), old or None, pairs or None)

    def remove_edge(self, e: Edge) -> tuple[Edit, ...]:
        """Remove an edge that is in no derivative graph, and those of its vertices that have no edge left."""
        del self._pairs[e]
        removed = Edit(("edge", *e), self._labels.pop(e), None)
        ends = {end for edge in self._labels for end in edge[:2]} | {*self.inputs, *self.outputs}
        lonely = [j for j in e[:2] if j not in ends]
        return (removed, *(Edit(("vertex", j), self._vertices.pop(j), None) for j in lonely))

    def _put(self, key: Any, value: Any) -> None:
        match key:
            case ("vertex", j) if value is None:
                del self._vertices[j]
            case ("vertex", j):
                self._vertices[j] = value
            case ("pairs", *e):
                self.set_pairs(tuple(e), value or frozenset())
            case ("edge", *e) if value is None:
                del self._labels[tuple(e)], self._pairs[tuple(e)]
            case ("edge", *e):
                self._labels[tuple(e)] = value
                self._pairs.setdefault(tuple(e), frozenset())

    def state(self) -> State:
        """Return what is there: as CGraphs have it, and ``("pairs", i, j)``: whose derivative graphs have an edge."""
        vertices: State = {("vertex", j): True for j in sorted(self._vertices, key=self.rank.__getitem__)}
        edges: State = {("edge", *e): self._labels[e] for e in self.in_order(self._labels)}
        return vertices | edges | {("pairs", *e): pairs for e, pairs in self._pairs.items() if pairs}


def derivative_graphs(graph: CGraph) -> DerivativeGraphs:
    """Return the derivative graphs of a linearized graph: what is on a path from an input to an output.

    >>> derivative_graphs(CGraph.from_edges([(0, 2), (1, 2), (2, 3)])).pairs
    [(0, 3), (1, 3)]
    """
    expect(graph, CGraph)
    graphs = DerivativeGraphs(graph)
    domains, ranges = index_domains(graph), index_ranges(graph)
    for i, j in graph.edges:
        e, _ = graphs.add_edge(i, j, graph.partial(i, j))
        graphs.set_pairs(e, frozenset((x, y) for x in domains[i] for y in ranges[j]))
    return graphs


def dstar(graphs: DerivativeGraphs, counting: Counting = PLAIN) -> Iterator[Step]:
    """Factor the derivative graphs until each is one edge, whose label is its entry of the Jacobian.

    Every product is a Step, ``fill_in`` or ``absorb``, on an edge that is in no derivative graph yet; then it replaces
    what it stands for in the derivative graphs (``replace``), and edges that are in none any more are removed
    (``remove``).

    >>> import adviz
    >>> graph = adviz.CGraph.from_edges([(0, 1), (1, 2), (1, 3), (2, 4), (3, 4)], partials=[2.0, 3.0, 5.0, 7.0, 11.0])
    >>> graphs = derivative_graphs(graph)
    >>> adviz.Timeline.record(graphs, dstar(graphs)).multiplications, graphs.jacobian()
    (3, {(0, 4): 152.0})
    """
    expect(graphs, DerivativeGraphs)
    expect_counting(counting)
    return _dstar(graphs, counting)


def _dstar(graphs: DerivativeGraphs, counting: Counting) -> Iterator[Step]:
    result = {pair: factor_subgraphs(graphs.edges(*pair), graphs.rank) for pair in graphs.pairs}
    while chosen := _most_frequent(result):
        shared = [pair for pair, factors in result.items() if chosen in factors]
        new = yield from _sum_of_paths(graphs, chosen, counting)
        yield from _replace(graphs, {pair: result[pair][chosen] for pair in shared}, new)
        for pair in shared:
            result[pair] = factor_subgraphs(graphs.edges(*pair), graphs.rank)
    while neighbors := _neighbors(graphs):
        (e, f), shared = max(neighbors.items(), key=lambda entry: len(entry[1]))
        new, step = _gain(graphs, [e, f], None, (e[0], f[1]), counting)
        yield step
        yield from _replace(graphs, dict.fromkeys(shared, frozenset([e, f])), new)


# ---- factor subgraphs ----


class Factor(NamedTuple):
    """A factor subgraph: all paths from ``a`` to ``b``, by their edges."""

    a: Vertex
    b: Vertex
    edges: frozenset[Edge]


def factor_subgraphs(edges: list[Edge], rank: Any) -> dict[Factor, frozenset[Edge]]:
    """Return the factor subgraphs of one derivative graph, each with edges that cut all of its paths.

    ``rank[j]`` is the place of a vertex.

    >>> edges = [(0, 1), (1, 2), (1, 3), (2, 4), (3, 4)]
    >>> [(a, b) for a, b, _ in factor_subgraphs(edges, range(5))]
    [(1, 4)]
    """
    into: defaultdict[Vertex, list[Edge]] = defaultdict(list)
    out: defaultdict[Vertex, list[Edge]] = defaultdict(list)
    for e in edges:
        into[e[1]].append(e)
        out[e[0]].append(e)
    order = sorted({end for e in edges for end in e[:2]}, key=rank.__getitem__)
    dominators = _dominators(order, lambda j: [e[0] for e in into[j]])
    postdominators = _dominators(order[::-1], lambda j: [e[1] for e in out[j]])
    cuts = [(dominators[b], b, into[b]) for b in order if len(into[b]) > 1]
    cuts += [(a, postdominators[a], out[a]) for a in order if len(out[a]) > 1]
    return {Factor(a, b, frozenset(edges_between([a], [b], edges))): frozenset(cut) for a, b, cut in cuts}


def _dominators(order: list[Vertex], predecessors: Callable[[Vertex], list[Vertex]]) -> dict[Vertex, Vertex]:
    """Return the immediate dominator of each vertex but the first: where the dominators of its predecessors meet."""
    depth, nearest = {order[0]: 0}, dict[Vertex, Vertex]()
    for j in order[1:]:
        meeting, *others = predecessors(j)
        for other in others:
            while meeting != other:
                if depth[meeting] < depth[other]:
                    meeting, other = other, meeting
                meeting = nearest[meeting]
        nearest[j], depth[j] = meeting, depth[meeting] + 1
    return nearest


def _most_frequent(factors: Mapping[Pair, Mapping[Factor, Any]]) -> Factor | None:
    """Return the factor subgraph in most derivative graphs, of those the smallest; ``None`` where there is none."""
    counts = Counter(chain.from_iterable(factors.values()))
    return max(counts, key=lambda factor: (counts[factor], -len(factor.edges)), default=None)


def _sum_of_paths(graphs: DerivativeGraphs, factor: Factor, counting: Counting) -> Generator[Step, None, Edge]:
    """Yield the sum over the paths of a factor subgraph on a new edge: a sweep from the end with more edges."""
    a, b, edges = factor
    onward = sum(e[0] == a for e in edges) >= sum(e[1] == b for e in edges)
    near, far, start = (0, 1, a) if onward else (1, 0, b)
    into = defaultdict(list)
    for e in graphs.in_order(edges):
        into[e[far]].append(e)
    sums: dict[Vertex, Edge] = {}
    for v in sorted(into, key=graphs.rank.__getitem__, reverse=not onward):
        if [e[near] for e in into[v]] == [start]:
            sums[v] = into[v][0]
            continue
        ends = (a, v) if onward else (v, b)
        for e in sorted(into[v], key=lambda e: e[near] == start):
            other = [sums[e[near]]] if e[near] != start else []
            sums[v], step = _gain(graphs, [*other, e] if onward else [e, *other], sums.get(v), ends, counting)
            yield step
    return sums[b if onward else a]


def _gain(
    graphs: DerivativeGraphs, factors: list[Edge], total: Edge | None, ends: Pair, counting: Counting
) -> tuple[Edge, Step]:
    """Add the product of one or two edges to another, or to a new one if that is ``None``."""
    (i, k), labels = ends, [graphs.label(e) for e in factors]
    gain, work = labels[0], 0
    if len(labels) == 2:
        gain, sizes = product(labels[1], labels[0]), (graphs.size(k), graphs.size(factors[0][1]), graphs.size(i))
        work = counting.multiplications(labels[1], labels[0], sizes)
    if total is None:
        total, edit = graphs.add_edge(*ends, gain)
        return total, Step("fill_in", (edit,), _focus(*factors, total), work)
    whole, added = summed(graphs, graphs.label(total), gain, ends, counting)
    return total, Step("absorb", (graphs.set_label(total, whole),), _focus(*factors, total), work, added)


def _replace(graphs: DerivativeGraphs, cuts: Mapping[Pair, frozenset[Edge]], new: Edge) -> Iterator[Step]:
    """Put an edge into derivative graphs instead of those that are cut; edges on no path then leave them."""
    leaving: defaultdict[Edge, set[Pair]] = defaultdict(set)
    for (x, y), cut in cuts.items():
        edges = graphs.edges(x, y)
        left = edges_between([x], [y], graphs.in_order([*(e for e in edges if e not in cut), new]))
        for e in set(edges).difference(left):
            leaving[e].add((x, y))
    edits = [graphs.set_pairs(e, graphs.pairs_of(e) - leaving[e]) for e in graphs.in_order(leaving)]
    yield Step("replace", (*edits, graphs.set_pairs(new, frozenset(cuts))), _focus(*graphs.in_order(leaving), new))
    for e in graphs.unused:
        yield Step("remove", graphs.remove_edge(e), _focus(e))


def _neighbors(graphs: DerivativeGraphs) -> dict[tuple[Edge, Edge], list[Pair]]:
    """Return neighbouring edges in derivative graphs, which are paths now, each with the pairs of these graphs."""
    result = defaultdict(list)
    for pair in graphs.pairs:
        for neighbors in pairwise(graphs.edges(*pair)):
            result[neighbors].append(pair)
    return result


def _focus(*edges: Edge) -> tuple[tuple[Any, ...], ...]:
    return tuple(("edge", *e) for e in edges)
