"""D*: what derivative graphs share is found, factored once, and counted."""

import pytest
from hypothesis import given

import adviz as ad
from adviz import CGraph
from adviz.algorithms import elimination as el
from adviz.algorithms.elimination.dstar import factor_subgraphs
from adviz.algorithms.examples.known_optima import GRAPHS

from ...graph.dags import edge_lists


def cost(graph):
    return sum(step.multiplications for step in ad.dstar(el.derivative_graphs(graph)))


@pytest.mark.parametrize(
    ("name", "expected"),
    [("two diamonds", 5), ("two crossed diamonds", 8), ("Naumann 2004", 7), ("lion", 11), ("bat", 22)],
)
def test_graphs_of_the_literature_cost_their_optimum(name, expected):
    assert cost(GRAPHS[name].graph()) == expected


def test_what_more_derivative_graphs_share_comes_first():
    """The diamond 2 … 5 is in the graphs of both inputs, that from 0 in one."""
    graph = CGraph.from_edges([(0, 6), (0, 7), (6, 2), (7, 2), (1, 2), (2, 3), (2, 4), (3, 5), (4, 5)])
    graphs = el.derivative_graphs(graph)
    replaced = [step.focus[-1] for step in ad.dstar(graphs) if step.kind == "replace"]
    assert replaced[0] == ("edge", 2, 5)
    assert replaced[1] == ("edge", 0, 2)


def test_every_product_is_a_step_and_what_is_in_no_graph_goes():
    graph = CGraph.from_edges([(0, 1), (1, 2)], partials=[2.0, 3.0])
    graphs = el.derivative_graphs(graph)
    assert [(step.kind, step.multiplications) for step in ad.dstar(graphs)] == [
        ("fill_in", 1),
        ("replace", 0),
        ("remove", 0),
        ("remove", 0),
    ]
    assert graphs.state() == {("vertex", 0): True, ("vertex", 2): True, ("edge", 0, 2): 6.0, ("pairs", 0, 2): {(0, 2)}}


def test_before_the_end_there_is_no_jacobian():
    graphs = el.derivative_graphs(CGraph.from_edges([(0, 1), (1, 2)]))
    with pytest.raises(ad.CGraphError, match="more than one edge"):
        graphs.jacobian()


@given(edge_lists(7))
def test_dominators_are_what_every_path_passes(edges):
    graph = CGraph.from_edges(edges)
    factored = el.derivative_graphs(graph)
    for x, y in factored.pairs:
        found = {(a, b) for a, b, _ in factor_subgraphs(factored.edges(x, y), graph.rank)}
        assert found == by_paths(factored.edges(x, y), x, y)


def by_paths(edges, x, y):
    """Pairs of a branch and the nearest vertex on all paths between it and the end, by listing all paths."""
    found = set()
    for start, forward in ((x, True), (y, False)):
        turned = [e if forward else (e[1], e[0]) for e in edges]
        for b in {e[1] for e in turned}:
            paths = list(paths_between(turned, start, b))
            if sum(e[1] == b for e in turned) > 1:
                common = [v for v in paths[0][:-1] if all(v in path for path in paths)]
                found.add((common[-1], b) if forward else (b, common[-1]))
    return found


def paths_between(edges, start, end):
    if start == end:
        yield [end]
    for i, j in edges:
        if i == start:
            yield from ([i, *path] for path in paths_between(edges, j, end))
