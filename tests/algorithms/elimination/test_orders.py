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


BAT, SMALL = GRAPHS["bat"].graph(), CGraph.from_edges(EDGES)
CHAIN = CGraph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
OF_MOVES = {
    "Markowitz degrees weigh sizes": (
        *(el.markowitz, BAT),
        {2: 4, 3: 4, 4: 8, ("front", 0, 2): 4, ("back", 4, 6): 4, ("back", 2, 4): 2},
    ),
    "relative degrees compare with the end, when all inputs that reach a vertex are before it": (
        *(el.relative_markowitz, BAT),
        {2: 2 * 2 - 2 * 4, 3: 2 * 2 - 2 * 4, 4: 2 * 4 - 4 * 4, ("front", 2, 4): 4 - 4, ("back", 4, 5): 2 - 4},
    ),
    "fill-in counts edges that are not there yet": (el.fill_in, SMALL, {2: 4, 3: 0, ("front", 0, 2): 2}),
    "damage weighs the growth of others": (el.Damage(2), SMALL, {3: 1 - 4}),
    "damage without a weight is the degree": (el.Damage(0), SMALL, {3: 1}),
}


@pytest.mark.parametrize("name", OF_MOVES)
def test_what_keys_say_of_moves(name):
    key, graph, expected = OF_MOVES[name]
    assert {move: key(graph)(move) for move in expected} == expected


TWO_CHAINS = CGraph.from_edges([(0, 1), (1, 5), (0, 2), (2, 3), (3, 4), (4, 6)])
TWO = CGraph.from_edges([("x", "a"), ("x", "b"), ("a", "c"), ("b", "d"), ("c", "y"), ("d", "z")])


@pytest.mark.parametrize(
    ("graph", "keys", "options", "order"),
    [
        (CHAIN, (el.markowitz,), {}, [1, 2, 3]),
        (CHAIN, (el.markowitz, el.reverse), {}, [3, 2, 1]),
        (CHAIN, (el.fill_in, el.reverse), {}, [3, 2, 1]),
        (TWO_CHAINS, (el.markowitz, el.reverse), {"last_touched": True}, [4, 3, 2, 1]),
        (TWO, (el.markowitz,), {}, ["a", "b", "c", "d"]),
        (TWO, (el.markowitz,), {"last_touched": True}, ["a", "c", "b", "d"]),
    ],
)
def test_ties_are_broken_by_the_next_key_or_by_what_was_touched_last(graph, keys, options, order):
    assert el.greedy_order(graph, *keys, **options) == order


def test_a_key_of_ones_own_may_look_anywhere():
    def furthest_from_the_middle(graph):
        return lambda j: -abs(graph.intermediates.index(j) - len(graph.intermediates) / 2)

    order = el.greedy(furthest_from_the_middle)
    assert el.vertex_order(CHAIN, order) == el.vertex_order(CHAIN, lambda graph: order(graph)) == [1, 2, 3]


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
