"""One move at a time: what it does, and the sentence that says why it is not possible."""

import pytest

import adviz as ad
from adviz import CGraph
from adviz.algorithms import elimination as el
from adviz.graph.linearized.line_graph import SINK, SOURCE

GRAPH = CGraph.from_edges([(0, 2), (1, 2), (2, 3), (2, 4), (3, 4)], partials=[2.0, 3.0, 5.0, 7.0, 11.0])


def told(steps):
    return [(step.kind, *step.focus, step.multiplications, step.additions) for step in steps]


DONE = {
    "a vertex is multiplied out edge by edge": (
        [3],
        [("absorb", ("edge", 2, 3), ("edge", 3, 4), ("edge", 2, 4), 1, 1), ("remove", ("vertex", 3), 0, 0)],
    ),
    "front elimination of the last edge into a vertex takes the vertex away": (
        [("front", 2, 3)],
        [
            ("absorb", ("edge", 2, 3), ("edge", 3, 4), ("edge", 2, 4), 1, 1),
            *(("remove", ("edge", 2, 3), 0, 0), ("remove", ("vertex", 3), 0, 0)),
        ],
    ),
    "back elimination of the last edge out of a vertex takes the vertex away": (
        [("back", 3, 4), ("back", 2, 4)],
        [
            ("fill_in", ("edge", 0, 2), ("edge", 2, 4), ("edge", 0, 4), 1, 0),
            ("fill_in", ("edge", 1, 2), ("edge", 2, 4), ("edge", 1, 4), 1, 0),
            *(("remove", ("edge", 2, 4), 0, 0), ("remove", ("vertex", 2), 0, 0)),
        ],
    ),
}


@pytest.mark.parametrize("name", DONE)
def test_what_the_last_of_some_moves_does(name):
    graph, (moves, expected) = GRAPH.copy(), DONE[name]
    for move in moves:
        found = told((el.eliminate_edge if isinstance(move, tuple) else el.eliminate_vertex)(graph, move))
    assert found == expected
    assert graph.partial(2, 4) in (None, 7.0 + 11.0 * 5.0)


def test_edges_into_a_vertex_are_not_listed_again_for_each_that_is_eliminated():
    asked = []

    class Vertex(int):
        def __hash__(self):
            asked.append(self)
            return int(self)

    vertices = list(map(Vertex, range(302)))
    graph = ad.CGraph.from_edges([*((i, vertices[300]) for i in vertices[:300]), (vertices[300], vertices[301])])
    moves = [("front", i, vertices[300]) for i in vertices[:300]]
    asked.clear()
    for move in moves:
        list(el.eliminate_edge(graph, move))
    assert len(asked) < 100 * len(moves)


def test_a_face_is_absorbed_by_the_edge_beside_it():
    dual = ad.line_graph(GRAPH)
    assert told(el.eliminate_face(dual, ((2, 3), (3, 4)))) == [
        ("absorb", ("node", (2, 3)), ("node", (3, 4)), ("node", (2, 4)), 1, 1),
        ("remove", ("face", (2, 3), (3, 4)), 0, 0),
        ("remove", ("node", (2, 3)), 0, 0),
        ("remove", ("node", (3, 4)), 0, 0),
    ]


def test_a_face_is_filled_in_beside_what_its_ends_still_do():
    dual = ad.line_graph(GRAPH)
    assert told(el.eliminate_face(dual, ((0, 2), (2, 4)))) == [
        ("fill_in", ("node", (0, 2)), ("node", (2, 4)), ("node", (0, 4)), 1, 0),
        ("remove", ("face", (0, 2), (2, 4)), 0, 0),
    ]
    assert (dual.predecessors((0, 4)), dual.successors((0, 4))) == (((SOURCE, 0),), ((4, SINK),))


def test_nodes_that_become_twins_merge():
    """The product comes beside an edge that leads elsewhere, too; when the rest of that is gone, both are alike."""
    dual = ad.line_graph(CGraph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3), (2, 4)]))
    list(el.eliminate_face(dual, ((0, 1), (1, 2))))
    assert (0, 2, 2) not in dual
    dual = ad.line_graph(CGraph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3), (2, 4)]))
    list(el.eliminate_face(dual, ((0, 2), (2, 3))))
    steps = [*el.eliminate_face(dual, ((0, 1), (1, 2))), *el.eliminate_face(dual, ((0, 2, 2), (2, 3)))]
    assert ("merge", ("node", (0, 2, 2)), ("node", (0, 2)), 0, 1) in told(steps)


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        (0, "v0 is an input: only intermediates are eliminated."),
        (4, "v4 is an output: only intermediates are eliminated."),
        (9, "There is no vertex 9 in this graph."),
        ([2], "There is no vertex [2] in this graph."),
        (
            ("front", 0),
            "There is no vertex ('front', 0) in this graph; "
            "an edge is eliminated as ('front', i, j) or ('back', i, j).",
        ),
        (("front", 3, 4), "The edge v3 → v4 cannot be front-eliminated: v4 is an output, so no edge leads on from it."),
        (("back", 0, 2), "The edge v0 → v2 cannot be back-eliminated: v0 is an input, so no edge leads into it."),
        (("front", 0, 3), "There is no edge v0 → v3, or no longer."),
        (("front", 0, 9), "There is no vertex 9 in this graph."),
        (("front", [], 2), "There is no vertex [] in this graph."),
        (("side", 0, 2), "('side', 0, 2) is not an edge and its side: expected ('front', i, j) or ('back', i, j)."),
    ],
)
def test_why_a_move_on_the_graph_is_not_possible(move, reason):
    assert ad.why_illegal(GRAPH, move) == reason


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        (((0, 2), (3, 4)), "There is no face from v0 → v2 to v3 → v4, or no longer."),
        (((0, 2), (2, 9)), "There is no node (2, 9), or no longer: nodes are removed and merged."),
        (((0, 2), [2, 4]), "There is no node [2, 4], or no longer: nodes are removed and merged."),
        (((SOURCE, 0), (0, 2)), "→ v0 is a source or sink edge: only interior faces are eliminated."),
        (((3, 4), (4, SINK)), "v4 → is a source or sink edge: only interior faces are eliminated."),
        (9, "9 is not a face: expected a pair (e, f) of nodes of the line graph."),
    ],
)
def test_why_a_face_is_not_eliminated(move, reason):
    dual = ad.line_graph(GRAPH)
    assert ad.why_illegal(dual, move) == reason
    start = dual.state()
    with pytest.raises(ad.OrderError):
        list(el.eliminate_face(dual, move))
    assert dual.state() == start


def test_what_has_been_eliminated_is_not_eliminated_again():
    graph = GRAPH.copy()
    list(el.eliminate_vertex(graph, 3))
    assert ad.why_illegal(graph, 3) == "v3 has been eliminated already."
    assert ad.why_illegal(graph, ("front", 2, 3)) == "v3 has been eliminated already."


def test_a_vertex_may_look_like_a_move():
    graph = CGraph.from_edges([("x", ("front", 1, 2)), (("front", 1, 2), "y")])
    assert ad.why_illegal(graph, ("front", 1, 2)) is None
    assert el.greedy_order(graph, el.markowitz) == [("front", 1, 2)]


@pytest.mark.parametrize("move", [3, ("front", 9, 3), ("back", 0, 2)])
def test_an_edge_that_is_not_possible_changes_nothing(move):
    graph = GRAPH.copy()
    with pytest.raises(ad.OrderError):
        list(el.eliminate_edge(graph, move))
    assert graph.state() == GRAPH.state()


def test_a_vertex_where_an_edge_or_a_face_is_expected_is_told_what_to_write_instead():
    graph = ad.CGraph.from_edges([(0, 1), (1, 2)])
    with pytest.raises(ad.OrderError, match=r"to eliminate the vertex v1, write \('front', i, j\) for each edge"):
        list(el.eliminate_edge(graph, 1))
    with pytest.raises(ad.OrderError, match=r"to eliminate the vertex v1, write a face \(e, f\) for each edge into it"):
        list(el.eliminate_face(ad.line_graph(graph), 1))


def test_what_is_no_graph_has_no_moves():
    with pytest.raises(TypeError, match="Expected a CGraph, not a str"):
        ad.why_illegal("bat", 1)
