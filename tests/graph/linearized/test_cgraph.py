"""The graph that eliminations change: what edges make, what is refused, and that every change can be taken back."""

import graphviz
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adviz import CGraph, CGraphError, Step, line_graph
from adviz.graph.linearized.measures import bauer

from ..dags import assembled, check_steps, dense_jacobian, graphs

# ---- from edges ----


def test_inputs_intermediates_and_outputs_follow_from_the_edges():
    graph = CGraph.from_edges([(3, 4), (0, 2), (1, 2), (2, 3), (2, 4), (4, 5), (4, 6)])
    assert (graph.inputs, graph.intermediates, graph.outputs) == ((0, 1), [2, 3, 4], (5, 6))
    assert graph.vertices == list(range(7))
    assert (graph.predecessors(4), graph.successors(2)) == ([2, 3], [3, 4])
    assert repr(graph) == "<CGraph: 2 inputs, 3 intermediates, 2 outputs, 7 edges>"
    assert not graph.is_bipartite
    assert graph.is_intermediate(2)
    assert not graph.is_intermediate(0)


def test_whole_numbers_are_in_order_and_other_vertices_as_mentioned():
    assert CGraph.from_edges([(5, 1), (0, 1)]).vertices == [0, 5, 1]
    assert CGraph.from_edges([("b", "y"), ("a", "y")]).vertices == ["b", "a", "y"]


def test_parallel_edges_are_added():
    graph = CGraph.from_edges([("x", "y")] * 3, partials=[2, 3, 0.5])
    assert graph.partial("x", "y") == 5.5
    assert CGraph.from_edges([("x", "y")] * 2, partials={("x", "y"): 2}).partial("x", "y") == 2


def test_partials_are_kept_as_they_are_given():
    graph = CGraph.from_edges([(0, 1), (1, 2)], {1: 2}, [[[1], [2]], np.array([[3.0, 4.0]])])
    assert graph.partial(0, 1).tolist() == [[1.0], [2.0]]
    assert graph.size(1) == 2
    one = CGraph.from_edges([(0, 1), (1, 2)], partials={(1, 2): np.float32(0.5), (0, 1): np.int64(-1)})
    assert [(type(one.partial(*edge)), one.partial(*edge)) for edge in one.edges] == [(int, -1), (float, 0.5)]
    assert one.partial(0, 2) is None


def test_random_partials_are_away_from_zero_and_the_same_for_the_same_seed():
    edges = [(i, j) for j in range(12) for i in range(j)]
    one, same, other = (CGraph.from_edges(edges, {3: 2}, seed=seed) for seed in (1, 1, 2))
    labels = [np.ravel(one.partial(*edge)) for edge in edges]
    assert all((abs(label) >= 0.5).all() and (abs(label) <= 1.5).all() for label in labels)
    for edge, label in zip(edges, labels, strict=True):
        assert np.array_equal(label, np.ravel(same.partial(*edge)))
    assert any(not np.array_equal(one.partial(*edge), other.partial(*edge)) for edge in edges)
    assert CGraph.from_edges(edges).partial(0, 1) == CGraph.from_edges(edges, seed=0).partial(0, 1)


def test_named_outputs_are_vertices_of_their_own_and_the_rest_goes():
    edges = [("x", "v"), ("v", "w"), ("v", "dead"), ("z", "dead")]
    graph = CGraph.from_edges(edges, {"x": 2, "v": 2}, outputs=["w", "v", "x"], names={"v": "vee"})
    assert graph.inputs == ("x", "z")
    assert graph.outputs == ("w", ("output", "v"), ("output", "x"))
    assert "dead" not in graph
    assert graph.partial("v", ("output", "v")) == 1
    assert graph.size(("output", "v")) == 2
    assert graph.name(("output", "v")) == "vee (output)"
    np.testing.assert_allclose(assembled(graph, bauer(graph)), dense_jacobian(graph))


GRAPH = [(0, 1), (1, 2)]
REFUSED = {
    "an empty list": ({"edges": []}, "There are no edges"),
    "a text": ({"edges": "ab"}, "edges is str"),
    "a triple": ({"edges": [(1, 2, 3)]}, r"Edge 0 is \(1, 2, 3\)"),
    "no pair": ({"edges": [(0, 1), 7]}, "Edge 1 is 7"),
    "a list for a vertex": ({"edges": [([], 1)]}, r"Edge 0 has the vertex \[\], which is not hashable"),
    "a self loop": ({"edges": [(0, 1), (1, 1)]}, "Edge 1 leads from 1 to itself"),
    "a cycle": ({"edges": [(0, 1), (1, 2), (2, 3), (3, 1)]}, "cycle: (1 → 2 → 3 → 1|2 → 3 → 1 → 2|3 → 1 → 2 → 3)"),
    "NaN": ({"partials": [1.0, float("nan")]}, "The partial of 2 with respect to 1 is not finite"),
    "infinity in a matrix": (
        {"sizes": {1: 2}, "partials": [[[1], [np.inf]], [[1, 2]]]},
        "of 1 with respect to 0 is not finite",
    ),
    "a matrix between numbers": ({"partials": [1, [[1, 2]]]}, r"of 2 with respect to 1 is of shape \(1, 2\).*a number"),
    "a number for a matrix": (
        {"sizes": {1: 2}, "partials": [1, 1]},
        r"of 1 with respect to 0 is a number.* matrix of shape \(2, 1",
    ),
    "a matrix of another shape": ({"sizes": {1: 2}, "partials": [[[1, 2]], 1]}, r"shape \(1, 2\).* shape \(2, 1\)"),
    "a text for a partial": ({"partials": ["1", 1]}, "of 1 with respect to 0 is str"),
    "a truth value": ({"partials": [True, 1]}, "of 1 with respect to 0 is bool"),
    "a ragged matrix": ({"sizes": {1: 2}, "partials": [[[1], [2, 3]], 1]}, "of 1 with respect to 0 is list"),
    "a complex number": ({"partials": [1j, 1]}, "of 1 with respect to 0 is complex"),
    "too few partials": ({"partials": [1]}, "partials has 1 for 2 edges"),
    "a partial of no edge": ({"partials": {(0, 1): 1, (1, 2): 1, (0, 2): 1}}, r"partials has \(0, 2\)"),
    "an edge without partial": ({"partials": {(0, 1): 1}}, "of 2 with respect to 1 is missing"),
    "a number for partials": ({"partials": 3}, "partials is int"),
    "a size of zero": ({"sizes": {1: 0}}, "The size of 1 is 0"),
    "a size that is no whole number": ({"sizes": {1: 2.0}}, "The size of 1 is 2.0"),
    "a size that is a truth value": ({"sizes": {1: True}}, "The size of 1 is True"),
    "a size of no vertex": ({"sizes": {9: 1}}, "sizes has 9"),
    "a list of sizes": ({"sizes": [1, 2, 3]}, "sizes is list"),
    "a name that is no text": ({"names": {1: 2}}, "The name of 1 is int"),
    "an unknown output": ({"outputs": [9]}, "outputs has 9"),
    "an output that is not hashable": ({"outputs": [[]]}, r"outputs has \[\]"),
    "an output twice": ({"outputs": [2, 2]}, "outputs has 2 twice"),
    "no outputs": ({"outputs": []}, "outputs is empty"),
    "a partial beyond all floats": ({"partials": [10**400, 1]}, "of 1 with respect to 0 is not finite"),
    "a title that is no text": ({"title": 3}, "title is int"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_makes_no_graph_is_refused_by_name(case):
    settings, message = REFUSED[case]
    with pytest.raises(CGraphError, match=message):
        CGraph.from_edges(**{"edges": GRAPH} | settings)


# ---- changes ----


@st.composite
def changes(draw):
    """A graph, and steps of random edits that were made on a copy of it."""
    graph = draw(graphs())
    changed, steps = graph.copy(), []
    for _ in range(draw(st.integers(0, 6))):
        if changed.intermediates and draw(st.booleans()):
            steps.append(Step("remove", changed.remove_vertex(draw(st.sampled_from(changed.intermediates)))))
        elif changed.edges and draw(st.booleans()):
            steps.append(Step("remove", (changed.remove_edge(*draw(st.sampled_from(changed.edges))),)))
        else:
            i, j = sorted(
                draw(st.lists(st.sampled_from(range(len(changed.vertices))), min_size=2, max_size=2, unique=True))
            )
            vertices = changed.vertices
            steps.append(Step("set", (changed.set_partial(vertices[i], vertices[j], draw(st.floats(1, 2))),)))
    return graph, changed, steps


@given(changes())
def test_steps_lead_from_state_to_state_and_back_and_are_undone_and_redone(change):
    check_steps(*change)


def test_the_jacobian_is_there_when_no_intermediate_is_left():
    graph = CGraph.from_edges([("x", "v"), ("v", "y"), ("x", "y")], partials=[2.0, 3.0, 5.0])
    with pytest.raises(CGraphError, match=r"what is left between \(v\)"):
        graph.jacobian()
    graph.set_partial("x", "y", 11.0)
    graph.remove_vertex("v")
    assert graph.is_bipartite
    assert graph.jacobian() == {("x", "y"): 11.0}


# ---- in words and pictures ----


def test_the_summary_counts_levels_paths_and_faces():
    graph = CGraph.from_edges([(0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5), (4, 6)], title="Naumann 2004, Fig. 1")
    assert graph.summary() == (
        "Naumann 2004, Fig. 1: 7 vertices, 7 edges\n"
        "  inputs 2 · outputs 2 · intermediates 3 · interior faces 9\n"
        "  levels 5 · cross-level edges 1\n"
        "  paths 8 · multiplications by Bauer's formula 20"
    )


@pytest.mark.long
def test_a_summary_of_very_many_paths_is_quick():
    graph = CGraph.from_edges([(k, k + step) for k in range(20_000) for step in (1, 2)])
    assert "paths about 10^" in graph.summary()


def test_graphviz_shows_names_as_text_and_arrows_in_either_direction():
    hostile = 'a"]; b -> <b>\\N'
    graph = CGraph.from_edges([("x", "y")], partials=[2.5], names={"x": hostile})
    picture = graph.to_graphviz()
    assert graphviz.quoting.quote(graphviz.escape(hostile)) in picture.source
    assert "0 -> 1 [label=2.5]" in picture.source
    assert "1 -> 0 [label=2.5]" in graph.to_graphviz(direction="dependence").source
    with pytest.raises(ValueError, match="direction is 'up'; it can be 'data flow' or 'dependence'"):
        graph.to_graphviz(direction="up")


def test_what_reaches_no_output_is_kept_where_nothing_is_pruned():
    edges = [(0, 1), (1, 2), (2, 3), (1, 4)]
    assert CGraph.from_edges(edges, outputs=[4]).vertices == [0, 1, 4]
    graph = CGraph.from_edges(edges, outputs=[4], prune=False)
    assert (graph.intermediates, graph.outputs) == ([1, 2, 3], (4,))
    assert graph.pruned().vertices == [0, 1, 4]
    assert graph.vertices == [0, 1, 2, 3, 4]
    assert line_graph(graph).interior == [(0, 1), (1, 4)]
