"""Documents and other libraries' graphs: what goes out comes in again; what was cut or changed is refused."""

import json

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adviz as ad
from adviz import CGraph, CGraphError
from adviz.graph.timeline import _same

from ..dags import graphs

TREE = CGraph.from_edges([("x", "v"), ("v", "y")], {"x": 2}, [[[1.5, 2]], -1], names={"v": "<b>&\n\u2028"}, title='a"b')


def assert_same(one, other):
    assert (one.inputs, one.outputs, one.title) == (other.inputs, other.outputs, other.title)
    assert one.vertices == other.vertices
    assert [(one.name(v), one.size(v)) for v in one.vertices] == [
        (other.name(v), other.size(v)) for v in other.vertices
    ]
    assert one.edges == other.edges
    for edge in one.edges:
        label = one.partial(*edge)
        assert type(label) is type(other.partial(*edge))
        assert _same(label, other.partial(*edge))


# ---- JSON ----


@pytest.mark.slow
@given(graphs(largest=2), st.text(), st.dictionaries(st.integers(0, 1), st.text()))
def test_a_graph_comes_back_from_its_document(graph, title, names):
    graph.title, graph.names = title, {v: name for v, name in names.items() if v in graph}
    assert_same(CGraph.from_json(graph.to_json()), graph)


def test_vertices_may_be_texts_and_tuples():
    graph = CGraph.from_edges([("x", ("a", 1)), (("a", 1), "y")], outputs=["y", "x"], partials=[1, 0.1])
    assert_same(CGraph.from_json(graph.to_json()), graph)


def test_a_graph_comes_back_half_way_through_an_elimination():
    graph = CGraph.from_edges([(0, 1), (1, 2), (2, 3)])
    graph.set_partial(0, 2, 7)
    graph.remove_vertex(1)
    assert_same(CGraph.from_json(graph.to_json()), graph)


def test_jacobians_become_rows_and_keep_no_structure():
    graph = ad.linearize(lambda x: np.sum(np.sin(x)), np.array([1.0, 2.0]))
    (edge, *_) = graph.edges
    read = CGraph.from_json(graph.to_json())
    assert np.array_equal(read.partial(*edge), graph.partial(*edge).dense())


def test_what_json_cannot_say_is_refused():
    with pytest.raises(CGraphError, match=r"cannot have the vertex 1\.5"):
        CGraph.from_edges([(1.5, "y")]).to_json()
    graph = CGraph.from_edges([("x", "y")])
    graph.set_partial("x", "y", float("inf"))
    with pytest.raises(CGraphError, match="partial of 'y' with respect to 'x' is not finite"):
        graph.to_json()


@pytest.mark.parametrize("length", range(0, len(TREE.to_json()), 7))
def test_a_document_that_was_cut_is_refused(length):
    with pytest.raises(CGraphError, match="not a whole JSON document"):
        CGraph.from_json(TREE.to_json()[:length])


def changed(*path, to=None):
    """The document with the entry at a path set, or taken away."""
    document = json.loads(TREE.to_json())
    target = document
    for key in path[:-1]:
        target = target[key]
    if to is None:
        del target[path[-1]]
    else:
        target[path[-1]] = to
    return json.dumps(document)


BROKEN = {
    "no text": (None, "not a whole JSON document"),
    "a list": ("[]", "its format is not 'adviz CGraph'"),
    "another format": (changed("format", to="other"), "its format is not"),
    "another version": (changed("version", to=2), "of version 2; this adviz reads version 1"),
    "nested too deep": ("[" * 100_000, "not a whole JSON document"),
    "a part is missing": (changed("edges"), "The document lacks 'edges'"),
    "a part too many": (changed("edges_", to=[]), "The document has 'edges_', which is none of format, version"),
    "a part of another kind": (
        changed("inputs", to="x"),
        "The document has 'x' for 'inputs', which is of another kind",
    ),
    "a vertex that is no object": (changed("vertices", 1, to="v"), r"vertices\[1\] is str; expected an object"),
    "a vertex without itself": (changed("vertices", 1, "vertex"), r"vertices\[1\] lacks 'vertex'"),
    "a vertex twice": (changed("vertices", 1, "vertex", to="x"), "vertices has 'x' twice"),
    "a vertex with an object in it": (changed("vertices", 1, "vertex", to=[{}]), "cannot have the vertex {}"),
    "a truth value for a size": (changed("vertices", 0, "size", to=True), r"vertices\[0\] has True for 'size'"),
    "a size of zero": (changed("vertices", 0, "size", to=0), "The size of 'x' is 0"),
    "an edge to nowhere": (changed("edges", 1, "head", to="z"), "Edge 1 has 'z', which is not a vertex"),
    "a self loop": (changed("edges", 1, "head", to="v"), "Edge 1 leads from 'v' to itself"),
    "a partial of another shape": (changed("edges", 0, "partial", to=[[1.0]]), "'v' with respect to 'x' is a number"),
    "a text in a matrix": (changed("edges", 0, "partial", to=[["1", 2]]), "'v' with respect to 'x' is list"),
    "an infinite partial": (TREE.to_json().replace("-1}", "-1e999}"), "'y' with respect to 'v' is not finite"),
    "an edge into an input": (changed("inputs", to=["x", "v"]), "'v' is an input, but an edge leads to it"),
    "an edge out of an output": (changed("outputs", to=["v", "y"]), "'v' is an output, but an edge leads from it"),
    "an input that is an output": (changed("outputs", to=["x", "y"]), "'x' is an input and an output"),
    "an output that nobody names": (changed("outputs", to=["y", "y"]), "outputs has 'y' twice"),
    "no outputs": (changed("outputs", to=[]), "outputs is empty"),
    "a vertex that nothing leads to": (changed("edges", 0), "'v' is not an input, but no edge leads to it"),
    "a vertex that leads nowhere": (changed("edges", 1), "'v' is not an output, but no edge leads from it"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_changed_document_is_refused_and_the_place_is_named(case):
    document, message = BROKEN[case]
    with pytest.raises(CGraphError, match=message):
        CGraph.from_json(document)


def test_a_cycle_in_a_document_is_spelled_out():
    document = json.loads(CGraph.from_edges([(0, 1), (1, 2), (2, 3)]).to_json())
    document["edges"].append({"tail": 2, "head": 1, "partial": 1})
    with pytest.raises(CGraphError, match=r"cycle: (1 → 2 → 1|2 → 1 → 2)"):
        CGraph.from_json(json.dumps(document))


# ---- NetworkX ----


@given(graphs(largest=2))
def test_a_graph_comes_back_from_networkx(graph):
    assert_same(CGraph.from_networkx(graph.to_networkx()), graph)


def test_what_is_no_networkx_graph_is_refused_by_name():
    with pytest.raises(CGraphError, match="Expected a directed NetworkX graph, not NoneType"):
        CGraph.from_networkx(None)


def test_a_networkx_graph_of_ones_own_needs_edges_only():
    graph = CGraph.from_networkx(networkx.DiGraph([("x", "v"), ("v", "y")]))
    assert (graph.inputs, graph.intermediates, graph.outputs) == (("x",), ["v"], ("y",))
    assert all(type(graph.partial(*edge)) is float for edge in graph.edges)


def test_edges_of_a_multigraph_are_added():
    several = networkx.MultiDiGraph()
    several.add_edge("x", "y", partial=2)
    several.add_edge("x", "y", partial=3)
    assert CGraph.from_networkx(several).partial("x", "y") == 5


def test_networkx_graphs_that_say_too_little_are_refused():
    with pytest.raises(CGraphError, match="undirected"):
        CGraph.from_networkx(networkx.Graph([(0, 1)]))
    with pytest.raises(CGraphError, match="vertices is empty"):
        CGraph.from_networkx(networkx.DiGraph())
    half = networkx.DiGraph([(0, 1)])
    half.add_edge(1, 2, partial=1.0)
    with pytest.raises(CGraphError, match="The partial of 1 with respect to 0 is missing"):
        CGraph.from_networkx(half)
    alone = networkx.DiGraph([(0, 1)])
    alone.add_node(2)
    with pytest.raises(CGraphError, match="The vertex 2 is an input and an output"):
        CGraph.from_networkx(alone)
