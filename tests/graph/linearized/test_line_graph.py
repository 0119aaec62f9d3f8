"""The dual on which faces are eliminated: its theorems, its names, and that every change can be taken back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adviz import CGraph, CGraphError, Step, line_graph
from adviz.graph.linearized.line_graph import SINK, SOURCE, is_interior

from ..dags import check_steps, graphs


def two_by_two():
    return line_graph(CGraph.from_edges([("x", "v"), ("z", "v"), ("v", "y"), ("v", "w")], partials=[2, 3, 5.0, 7.0]))


# ---- theorems ----


def test_many_inputs_are_not_looked_through_for_every_vertex():
    compared = []

    class Vertex(int):
        __hash__ = int.__hash__

        def __eq__(self, other):
            compared.append(self)
            return int(self) == int(other)

    vertices = list(map(Vertex, range(202)))
    graph = CGraph.from_edges([(vertices[k], vertices[100 + k]) for k in range(102)])
    compared.clear()
    line_graph(graph)
    assert len(compared) < 1000


@given(graphs())
def test_every_vertex_is_a_biclique_and_every_interior_node_in_two_of_them(graph):
    dual = line_graph(graph)
    bicliques = {j: dual.biclique(j) for j in graph.vertices}
    for j, (into, out) in bicliques.items():
        assert len(into) == max(len(graph.predecessors(j)), 1)
        assert len(out) == max(len(graph.successors(j)), 1)
        assert all(dual.has_face(e, f) for e in into for f in out)
    for e in dual.interior:
        assert [j for j, (into, out) in bicliques.items() if e in out] == [e[0]]
        assert [j for j, (into, out) in bicliques.items() if e in into] == [e[1]]


@given(graphs())
def test_its_nodes_are_the_edges_of_the_extended_graph(graph):
    dual = line_graph(graph)
    assert dual.interior == graph.edges
    assert [dual.label(e) for e in dual.interior] == [graph.partial(*edge) for edge in graph.edges]
    ends = [(SOURCE, x) for x in graph.inputs] + [(y, SINK) for y in graph.outputs]
    assert set(dual.nodes) == {*dual.interior, *ends}
    assert all(dual.label(e) == 1 and not is_interior(e) for e in ends)
    assert len(dual.faces) == sum(len(dual.predecessors(e)) for e in dual.nodes)
    assert dual.is_tripartite == (not dual.interior_faces)


def test_a_vertex_called_source_is_no_end():
    dual = line_graph(CGraph.from_edges([("source", "x"), ("x", "sink")], partials=[2.0, 3.0]))
    assert dual.interior == [("source", "x"), ("x", "sink")]
    assert repr(dual) == "<LineGraph: 4 nodes, 3 faces>"
    assert repr(line_graph(CGraph.from_edges([(0, 1)]))) == "<LineGraph: 3 nodes, 2 faces>"
    assert repr(dual.nodes[0]) == "(SOURCE, 'source')"


# ---- the end ----


def test_the_labels_are_the_jacobian_once_it_is_tripartite():
    dual = line_graph(CGraph.from_edges([("x", "v"), ("v", "y")], partials=[2.0, 3.0]))
    with pytest.raises(CGraphError, match="interior faces"):
        dual.jacobian()
    dual.add_node(("x", "y"), 6.0, [(SOURCE, "x")], [("y", SINK)])
    for e in [("x", "v"), ("v", "y")]:
        dual.remove_node(e)
    assert dual.is_tripartite
    assert dual.jacobian() == {("x", "y"): 6.0}
    dual.add_node(dual.fresh("x", "y"), 0.5, [(SOURCE, "x")], [("y", SINK)])
    assert dual.jacobian() == {("x", "y"): 6.5}


def test_a_node_that_leads_nowhere_is_no_entry():
    dual = line_graph(CGraph.from_edges([("x", "y")]))
    dual.remove_face(("x", "y"), ("y", SINK))
    assert not dual.is_tripartite


@given(graphs())
def test_it_knows_the_graph_that_it_is_of(graph):
    assert line_graph(graph).cgraph().state() == graph.state()


def test_twins_are_one_edge_of_the_graph_behind():
    dual = two_by_two()
    dual.add_node(("x", "v", 2), 0.5, dual.predecessors(("x", "v")), dual.successors(("x", "v")))
    assert dual.cgraph().partial("x", "v") == dual.sums()["x", "v"] == 2.5


# ---- names ----


def test_twins_are_counted_from_two():
    dual = two_by_two()
    assert dual.fresh("x", "y") == ("x", "y")
    assert dual.fresh("x", "v") == ("x", "v", 2)
    dual.add_node(("x", "v", 2), 1.0, dual.predecessors(("x", "v")), dual.successors(("x", "v")))
    assert dual.fresh("x", "v") == ("x", "v", 3)
    assert dual.interior[:3] == [("x", "v"), ("x", "v", 2), ("z", "v")]
    names = [dual.node_name(e) for e in [("x", "v"), ("x", "v", 2), (SOURCE, "x"), ("y", SINK)]]
    assert names == ["x → v", "x → v′", "→ x", "y →"]


def test_a_biclique_is_none_once_a_face_of_it_is_gone():
    dual = two_by_two()
    assert dual.biclique("v") == ((("x", "v"), ("z", "v")), (("v", "y"), ("v", "w")))
    edit = dual.remove_face(("x", "v"), ("v", "y"))
    assert dual.biclique("v") is None
    dual.undo(Step("remove", (edit,)))
    assert dual.biclique("v") is not None
    assert dual.biclique("nowhere") is None


# ---- changes ----


@st.composite
def changes(draw):
    """A line graph, and steps of random edits that were made on a copy of it."""
    dual = line_graph(draw(graphs(6)))
    changed, steps = dual.copy(), []
    for _ in range(draw(st.integers(0, 6))):
        e, f = draw(st.sampled_from(changed.nodes)), draw(st.sampled_from(changed.nodes))
        match draw(st.sampled_from(["label", "node", "face", "new"])):
            case "label":
                edits = (changed.set_label(e, draw(st.floats(1, 2))),)
            case "node" if len(changed.nodes) > 1:
                edits = changed.remove_node(e)
            case "face" if changed.faces:
                edits = (changed.remove_face(*draw(st.sampled_from(changed.faces))),)
            case _:
                name = changed.fresh(draw(st.sampled_from(dual.inputs)), draw(st.sampled_from(dual.outputs)))
                edits = changed.add_node(name, 0.5, [e], [f])
        steps.append(Step("change", tuple(edits)))
    return dual, changed, steps


@given(changes())
def test_steps_lead_from_state_to_state_and_back_and_are_undone_and_redone(change):
    check_steps(*change)


def test_graphviz_shows_names_labels_and_faces():
    source = line_graph(CGraph.from_edges([("<x>", "y")], partials=[2.5])).to_graphviz().source
    assert "<x> → y\n2.5" in source
    assert source.count("->") == 2
