"""All small graphs are enumerated, each once: counted anew by brute force, and compared with what is known."""

from collections import Counter, defaultdict
from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adviz import CGraph
from adviz.algorithms.expressions import ExpressionError
from adviz.algorithms.expressions.enumeration import SmallGraph, canonical, inner_graphs, pieces, small_graphs


def every_graph(vertices: int) -> list[nx.DiGraph]:
    """All graphs of the kind on so many vertices, one for each class of isomorphic and reversed ones."""
    pairs = list(combinations(range(vertices), 2))
    alike = defaultdict(list)
    for chosen in range(1, 1 << len(pairs)):
        graph = nx.DiGraph(pair for k, pair in enumerate(pairs) if chosen >> k & 1)
        if len(graph) == vertices and is_of_the_kind(graph):
            known = alike[min(map(degrees, (graph, graph.reverse())))]
            if not any(nx.is_isomorphic(graph, other) or nx.is_isomorphic(graph.reverse(), other) for other in known):
                known.append(graph)
    return [graph for some in alike.values() for graph in some]


def degrees(graph: nx.DiGraph) -> tuple[tuple[int, int], ...]:
    return tuple(sorted((graph.in_degree(v), graph.out_degree(v)) for v in graph))


def is_of_the_kind(graph: nx.DiGraph) -> bool:
    through = any(not graph.in_degree(i) and not graph.out_degree(j) for i, j in graph.edges)
    return not through and (1, 1) not in degrees(graph) and nx.is_weakly_connected(graph)


def intermediates(graph: nx.DiGraph) -> int:
    return sum(1 for v in graph if graph.in_degree(v) and graph.out_degree(v))


@pytest.mark.parametrize(("vertices", "most"), [(4, 5), (5, 8), pytest.param(6, 9, marks=pytest.mark.slow)])
def test_brute_force_finds_as_many(vertices, most):
    brute = Counter((intermediates(graph), graph.number_of_edges()) for graph in every_graph(vertices))
    found = Counter(
        (count, edges)
        for count in range(1, vertices - 1)
        for edges in range(2, most + 1)
        for graph in small_graphs(count, edges)
        if len(graph.inputs) + count + len(graph.outputs) == vertices
    )
    assert found == Counter({size: many for size, many in brute.items() if size[1] <= most})
    assert found


def test_edges_between_intermediates_are_the_known_number_of_acyclic_graphs():
    """OEIS A003087 counts acyclic digraphs without names: 1, 2, 6, 31, 302; mirror images are two of them."""
    for count, known in enumerate([1, 2, 6, 31, 302], 1):
        found = [any(mirrored for _, mirrored in symmetries) for _, symmetries in inner_graphs(count)]
        assert sum(1 if is_symmetric else 2 for is_symmetric in found) == known


def drawn(*sizes):
    """Some of all graphs of these sizes, which are made when the first is drawn: it takes seconds."""
    return st.deferred(lambda: st.sampled_from([graph for size in sizes for graph in small_graphs(*size)]))


@given(drawn((3, 9), (4, 9)), st.randoms(use_true_random=False), st.booleans())
def test_names_and_reversal_do_not_matter(small, random, mirrored):
    names = random.sample(range(100), 20)
    edges = [(names[j], names[i]) if mirrored else (names[i], names[j]) for i, j in small.graph().edges]
    random.shuffle(edges)
    assert canonical(CGraph.from_edges(edges)) == small


@given(drawn((2, 8), (4, 9)))
def test_a_graph_is_read_as_it_was_written(small):
    assert SmallGraph.parsed(str(small)) == small
    assert len(small.graph().edges) == small.edges
    assert len(small.graph().intermediates) == small.intermediates


@pytest.mark.parametrize(
    "edges",
    [
        [(0, 1), (1, 2)],  # an intermediate on a chain
        [(0, 2), (1, 2), (2, 3), (0, 3)],  # from an input to an output
        [(0, 2), (1, 2), (2, 3), (4, 6), (5, 6), (6, 7)],  # two parts
        [(0, 1)],
    ],
)
def test_other_graphs_are_none_of_them(edges):
    with pytest.raises(ExpressionError, match="is none of the small graphs: they are connected"):
        canonical(CGraph.from_edges(edges))


@pytest.mark.parametrize("count", [0, 7, "3"])
def test_other_numbers_of_intermediates_are_refused(count):
    with pytest.raises(ExpressionError, match="There can be 1 to 6 intermediates"):
        pieces(count, 9)
