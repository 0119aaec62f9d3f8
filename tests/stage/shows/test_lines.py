"""The statements with which the Explorer opens: what is one box, and what is said of each value."""

import numpy as np
import pytest

import adviz as ad
from adviz.stage.narration.folds import statements
from adviz.stage.scene.heat_maps import heat_map
from adviz.stage.shows import explorer_scene, flow_scene, sweep_scene
from adviz.stage.shows.explorer_scene import lines_panel

from ..narration.folds.programs import PROGRAMS, WEIGHTS, classifier, entry_by_entry


def boxes_of(graph, depth):
    return flow_scene.boxes(statements.layers(graph)[depth])


def names(panel):
    known = {node["node"]: node["name"][0] for node in panel["nodes"]}
    return [[known[exit_] for exit_ in box["exits"]] for box in panel["boxes"]]


def test_each_statement_is_a_box_in_the_names_of_the_source():
    panel = lines_panel(ad.trace(classifier, *WEIGHTS))
    assert names(panel) == [["h"], ["z"], ["e"], ["p"], ["loss"]]
    assert panel["boxes"][1]["label"] == "z = h @ W2 + b2"
    assert len(panel["nodes"]) == 19  # all but the output: each box can be opened


def test_what_leaves_a_statement_at_several_places_leaves_one_box():
    def split(x):
        a, b = np.split(np.tanh(x * 2.0 + 1.0), 2)
        c = np.exp(a) * b + np.sin(b) * a
        return np.sum(c * c)

    panel = lines_panel(ad.trace(split, np.arange(4.0)))
    assert names(panel)[0] == ["tanh(…)", "a", "b"]


def test_values_that_are_assigned_together_keep_the_names_that_they_were_computed_under():
    def cell(h, c, x, w):
        c = np.tanh(x * w) * c + 0.5
        h = np.tanh(c) * h + 1.0
        return h, c

    def cells(w):
        h, c = np.ones(2), np.ones(2)
        h, c = cell(h, c, 0.3, w)
        h, c = cell(h, c, 0.7, w)
        return np.sum(h * c)

    graph = ad.trace(cells, np.array([0.5, 0.2]))
    names = {node["node"]: node["name"][0] for node in lines_panel(graph)["nodes"]}
    for node, name in names.items():
        if graph.name(node) in ("h", "c"):
            assert name[0] == graph.name(node)
    assert {name[0] for name in names.values()} >= {"h", "c"}


def test_few_operations_are_seen_one_by_one():
    panel = lines_panel(ad.trace(lambda x, y: np.sin(x) * y + x, 1.0, 2.0))
    assert panel["boxes"] == []
    assert [node["value"][0] for node in panel["nodes"]] == ["1", "2", "0.8415", "1.6829", "2.6829"]


def test_iterations_of_a_long_loop_are_told_together():
    def steps(x):
        for _ in range(100):
            x = x - 0.01 * (x * x - 2.0)
        return x

    graph = ad.trace(steps, 1.0)
    panel = lines_panel(graph)
    outer = boxes_of(graph, 0)
    assert 1 < len(outer) <= statements.MOST_INSIDE
    assert outer[0]["label"] == "iterations 1–20"
    known = {node["node"]: node["name"][0] for node in panel["nodes"]}
    assert known[outer[0]["exits"][0]] == "x⁽²⁰⁾"
    inner = [box["label"] for box in boxes_of(graph, 1) if box["inside"][0] in outer[-1]["inside"]]
    assert inner[:2] == ["iteration 81", "iterations 82–84"]
    assert (inner[-1], len(inner)) == ("iteration 100", 8)


def test_an_iteration_opens_into_the_statements_of_what_it_calls():
    def layer(x, w):
        s = x * w + np.sin(x)
        e = np.exp(-s) * s
        return e / (1.0 + e * e)

    def deep(x, w):
        for _ in range(4):
            x = layer(x, w)
        return x

    graph = ad.trace(deep, 0.5, 1.5)
    inner = [box["label"] for box in boxes_of(graph, 1)]
    assert inner[:3] == ["s = x * w + np.sin(x)", "e = np.exp(-s) * s", "return e / (1.0 + e * e)"]


def test_of_a_graph_with_very_many_nodes_only_what_is_seen_is_told(monkeypatch):
    monkeypatch.setattr(explorer_scene, "MOST_TOLD", 10)
    panel = lines_panel(ad.trace(classifier, *WEIGHTS))
    assert len(panel["nodes"]) == 4 + 5


def network(x, layers):
    for w, b in layers:
        x = np.tanh(x @ w + b)
    return np.sum(x)


def test_many_inputs_are_in_the_box_that_alone_uses_them():
    layers = [(np.eye(2), np.ones(2)) for _ in range(8)]
    graph = ad.trace(network, np.ones(2), layers)
    panel = lines_panel(graph)
    inside = {node for box in panel["boxes"] for node in box["inside"]}
    assert {*graph.inputs[1:]} <= inside
    assert graph.inputs[0] in {node["node"] for node in panel["nodes"]}


@pytest.mark.parametrize("change", ["many statements", "without values", "very many nodes"])
def test_what_cannot_be_seen_at_once_has_no_lines(change, monkeypatch):
    graph = ad.trace(classifier, *WEIGHTS)
    if change == "many statements":
        monkeypatch.setattr(statements, "MOST_INSIDE", 1)
        monkeypatch.setattr(explorer_scene, "MOST_SINGLE", 3)
    elif change == "very many nodes":
        monkeypatch.setattr(statements.choosing, "LARGEST", 3)
        monkeypatch.setattr(explorer_scene, "MOST_SINGLE", 3)
    else:
        monkeypatch.setattr(explorer_scene, "are_saved", lambda values: False)
    assert lines_panel(graph) is None


TOLD = [classifier, *(program for program in PROGRAMS if program is not entry_by_entry)]


@pytest.mark.parametrize("program", TOLD, ids=lambda each: each.__name__)
def test_boxes_are_disjoint_and_computed_before_what_uses_them(program):
    graph = ad.trace(program, *PROGRAMS.get(program, WEIGHTS))
    panel = lines_panel(graph)
    known = {node["node"] for node in panel["nodes"]}
    layers = statements.layers(graph)
    assert [box for layer in layers for box in flow_scene.boxes(layer)] == panel["boxes"]
    for depth in range(len(layers)):
        last = {}
        for box in boxes_of(graph, depth):
            assert not {*last} & {*box["inside"]}
            assert {*box["exits"]} <= {*box["inside"]} & known
            assert not depth or any({*box["inside"]} <= {*outer["inside"]} for outer in boxes_of(graph, depth - 1))
            last |= dict.fromkeys(box["inside"], box["inside"][-1])
        for node in range(len(graph)):
            for operand in graph.operand_nodes(node):
                if node not in last or last[node] != last.get(operand):
                    assert last.get(operand, operand) < node


@pytest.mark.parametrize("program", TOLD, ids=lambda each: each.__name__)
def test_a_node_has_the_same_name_at_every_depth(program):
    graph = ad.trace(program, *PROGRAMS.get(program, WEIGHTS))
    document, _ = sweep_scene.backward_scene(graph, panels=["graph"])
    panel = document["panels"][0]
    told = {}
    for nodes in (panel["nodes"], panel["lines"]["nodes"], *(inner["nodes"] for inner in panel.get("inner", []))):
        for node in nodes:
            told.setdefault(node["node"], set()).add(node["derivative"])
    assert [names for names in told.values() if len(names) > 1] == []


def test_gates_of_lines_have_the_array_that_they_multiply_by():
    scene = ad.show_backward(classifier, *WEIGHTS).scene
    (flow,) = [panel for panel in scene["panels"] if panel["kind"] == "flow"]
    drawn = {edge["gate"]["symbol"]: edge["gate"].get("map") for edge in flow["lines"]["edges"]}
    W2 = WEIGHTS[2]
    assert drawn["· W2ᵀ"] == heat_map(W2.T, *flow_scene.GATE_CELLS)
    assert drawn["Σ rows"] is drawn["J 8×8"] is None
    assert max(drawn["⊙ −T ⊙ 1/p ÷ 4"]["data"]) <= 0 < max(drawn["⊙ e"]["data"])  # with its sign
