"""Orders: given ones are checked before anything changes, greedy ones look for the lowest keys."""

import numpy as np
import pytest

import adviz as ad
from adviz import CGraph
from adviz.algorithms import elimination as el
from adviz.algorithms.examples.known_optima import GRAPHS

EDGES = [(0, 2), (1, 2), (2, 3), (2, 4), (3, 4)]
ALL_EDGES = [("front", 0, 2), ("front", 1, 2), ("back", 3, 4)]
FACES = [((2, 3), (3, 4)), ((0, 2), (2, 4)), ((1, 2), (2, 4))]


IMPOSSIBLE = {
    ad.vertex_elimination: [
        ([3], "The order leaves v2 out: every intermediate is eliminated once."),
        ([3, 2, 3], "v3 is in the order twice: every intermediate is eliminated once."),
        ([3, 2, 7], "There is no vertex 7 in this graph."),
        ([3, 2, 4], "v4 is an output: only intermediates are eliminated."),
        ([[3], 2], "There is no vertex [3] in this graph."),
        ("nearest", "There is no order 'nearest'; the names are forward, reverse, markowitz and best."),
        (3, "3 is not an order: expected a list of moves, a name, or a function from the graph."),
        (None, "None is not an order: expected a list of moves, a name, or a function from the graph."),
    ],
    ad.edge_elimination: [
        ([], "The order ends too early: v2, v3 can still be eliminated."),
        (ALL_EDGES[:1], "The order ends too early: v2, v3 can still be eliminated."),
        ([*ALL_EDGES, ALL_EDGES[0]], "Move 4 of the order: v2 has been eliminated already."),
        ([("front", 0, 2), 3], "Move 2 of the order: 3 is not an edge and its side: expected ('front', i, j) or"),
        ([3], "The order leaves v2 out: every intermediate is eliminated once."),
        ([3, 2, 7], "There is no vertex 7 in this graph."),
    ],
    ad.face_elimination: [
        (FACES[:2], "The order ends too early: the face from v1 → v2 to v2 → v4 can still be eliminated."),
        ([*FACES, FACES[0]], "Move 4 of the order: There is no node (2, 3), or no longer"),
        ([FACES[0], FACES[0]], "Move 2 of the order: There is no node (2, 3), or no longer"),
        ([FACES[0], 3], "Move 2 of the order: 3 is not a face"),
        ([[2, 3]], "Move 1 of the order: [2, 3] is not a face"),
        ([2, 3, 2], "v2 is in the order twice: every intermediate is eliminated once."),
    ],
}


@pytest.mark.parametrize(
    ("eliminate", "order", "reason"), [(each, *row) for each, rows in IMPOSSIBLE.items() for row in rows]
)
def test_an_order_that_is_not_possible_changes_nothing(eliminate, order, reason):
    graph = CGraph.from_edges(EDGES)
    graph = ad.line_graph(graph) if eliminate is ad.face_elimination else graph
    start = graph.state()
    with pytest.raises(ad.OrderError) as raised:
        eliminate(graph, order)
    assert str(raised.value).startswith(reason)
    assert graph.state() == start


def test_many_vertices_that_are_left_out_are_not_all_named():
    graph = CGraph.from_edges([(i, i + 1) for i in range(9)])
    with pytest.raises(ad.OrderError, match=r"leaves v1, v2, v3, v4, v5 and 3 more out"):
        ad.vertex_elimination(graph, [])


@pytest.mark.parametrize(
    ("eliminate", "view", "left"),
    [
        (ad.vertex_elimination, CGraph.copy, "v2, v3"),
        (ad.edge_elimination, CGraph.copy, "v2, v3"),
        (ad.face_elimination, ad.line_graph, "the face from"),
    ],
)
def test_a_function_that_ends_too_early_is_refused_as_a_list_is(eliminate, view, left):
    with pytest.raises(ad.OrderError, match=f"The order ends too early: {left}"):
        list(eliminate(view(CGraph.from_edges(EDGES)), lambda graph: None))
    with pytest.raises(ad.OrderError, match="ends too early"):
        ad.show_elimination(CGraph.from_edges(EDGES), order=lambda graph: None)


def test_a_function_that_says_something_impossible_is_told_why():
    graph = CGraph.from_edges(EDGES)
    with pytest.raises(ad.OrderError, match="v3 has been eliminated already"):
        list(ad.vertex_elimination(graph, lambda graph: 3))
    assert graph.intermediates == [2]


# ---- keys ----


def test_markowitz_degrees_weigh_sizes():
    graph = GRAPHS["bat"].graph()
    assert {j: el.markowitz(graph)(j) for j in graph.intermediates} == {2: 4, 3: 4, 4: 8}
    assert [el.markowitz(graph)(move) for move in [("front", 0, 2), ("back", 4, 6), ("back", 2, 4)]] == [4, 4, 2]


def test_relative_degrees_compare_with_the_end():
    """At the end all inputs that reach a vertex are before it, all outputs that it reaches are behind it."""
    graph = GRAPHS["bat"].graph()
    relative = el.relative_markowitz(graph)
    assert {j: relative(j) for j in graph.intermediates} == {2: 2 * 2 - 2 * 4, 3: 2 * 2 - 2 * 4, 4: 2 * 4 - 4 * 4}
    assert relative(("front", 2, 4)) == 4 - 4
    assert relative(("back", 4, 5)) == 2 - 4


def test_fill_in_counts_edges_that_are_not_there_yet():
    graph = CGraph.from_edges(EDGES)
    assert [el.fill_in(graph)(move) for move in [2, 3, ("front", 0, 2)]] == [4, 0, 2]


def test_damage_weighs_the_growth_of_others():
    graph = CGraph.from_edges(EDGES)
    assert [el.Damage(weight)(graph)(3) for weight in (0, 1, 2)] == [1, 1 - 2, 1 - 4]


def test_ties_are_broken_by_the_next_key():
    graph = CGraph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
    assert el.greedy_order(graph, el.markowitz) == [1, 2, 3]
    assert el.greedy_order(graph, el.markowitz, el.reverse) == [3, 2, 1]
    assert el.greedy_order(graph, el.fill_in, el.reverse) == [3, 2, 1]


def test_ties_are_broken_by_what_was_touched_last():
    graph = CGraph.from_edges([(0, 1), (1, 5), (0, 2), (2, 3), (3, 4), (4, 6)])
    assert el.greedy_order(graph, el.markowitz, el.reverse, last_touched=True) == [4, 3, 2, 1]
    two = CGraph.from_edges([("x", "a"), ("x", "b"), ("a", "c"), ("b", "d"), ("c", "y"), ("d", "z")])
    assert el.greedy_order(two, el.markowitz) == ["a", "b", "c", "d"]
    assert el.greedy_order(two, el.markowitz, last_touched=True) == ["a", "c", "b", "d"]


def test_a_key_of_ones_own_may_look_anywhere():
    graph = CGraph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])

    def furthest_from_the_middle(graph):
        return lambda j: -abs(graph.intermediates.index(j) - len(graph.intermediates) / 2)

    order = el.greedy(furthest_from_the_middle)
    assert el.vertex_order(graph, order) == el.vertex_order(graph, lambda graph: order(graph)) == [1, 2, 3]


@pytest.mark.parametrize("order", [el.greedy(el.minimal_damage), (4, 2, 3), np.array([3, 4, 2])])
def test_an_order_of_vertices_may_stand_for_edges_and_for_faces(order):
    graph = GRAPHS["bat"].graph()
    by_vertex = sum(step.multiplications for step in ad.vertex_elimination(graph.copy(), order))
    assert sum(step.multiplications for step in ad.edge_elimination(graph.copy(), order)) == by_vertex
    assert sum(step.multiplications for step in ad.face_elimination(ad.line_graph(graph), order)) == by_vertex


def test_a_graph_of_another_kind_is_refused_by_name():
    graph = ad.CGraph.from_edges([(0, 1), (1, 2)])
    for elimination, given in (
        (ad.vertex_elimination, ad.line_graph(graph)),
        (ad.edge_elimination, ad.line_graph(graph)),
        (ad.face_elimination, graph),
        (ad.line_graph, ad.examples["bat"]),
        (ad.derivative_graphs, ad.line_graph(graph)),
        (lambda graph: next(ad.dstar(graph)), graph),
    ):
        with pytest.raises(TypeError, match=f"not a {type(given).__name__}: make one with adviz"):
            elimination(given)
