"""The panel of a sweep as numbers that flow: its places, its ribbons, its maps, and shows that have it."""

import json

import numpy as np
import pytest
from hypothesis import assume, given, settings

import adviz as ad
from adviz.stage.scene import schema
from adviz.stage.scene.text_widths import invisible
from adviz.stage.shows import flow_scene, sweep_scene

from ..goldens import as_graphs, engine_steps
from ..panels import HOSTILE
from ..programs import EXPRESSIONS, NUMBERS, PROGRAMS, compiled, is_finite, quietly


def f(x, y):
    return np.sin(x) + x * y


def loss(W, x, b):
    return np.sum(np.tanh(W @ x + b) ** 2)


def shows(graph):
    seeds = {output: np.ones(np.shape(graph.values[output])) for output in graph.outputs}
    direction = {node: np.ones(np.shape(graph.values[node])) for node in graph.inputs}
    return [sweep_scene.backward_scene(graph, seeds=seeds)[0], sweep_scene.forward_scene(graph, direction)[0]]


def flow_panel(document):
    (panel,) = (panel for panel in document["panels"] if panel["kind"] == "flow")
    return panel


def amounts(panel):
    """The derivatives of a panel."""
    parts = [item[name] for item in panel["nodes"] for name in ("seed", "result") if name in item]
    return parts + [edge[name] for edge in panel["edges"] for name in ("given", "product") if name in edge]


def check(document):
    schema.check(document)
    json.dumps(document, allow_nan=False)
    panel = flow_panel(document)
    moves = panel["moves"]
    assert {move["edge"] for move in moves if move["kind"] == "send"} == {
        edge["key"] for edge in panel["edges"] if "product" in edge
    }
    assert {move["nodes"][0] for move in moves if move["kind"] == "sum"} == {
        item["node"] for item in panel["nodes"] if item["total"][0]
    }
    assert all(0 <= move["step"] < len(document["steps"]) for move in moves)
    assert [step["kind"] for step in document["steps"]].count("result") == 1
    assert document["steps"][-1]["kind"] == "result"


@pytest.mark.long
@given(EXPRESSIONS, NUMBERS, NUMBERS)
@settings(max_examples=10, deadline=None)
def test_random_programs_are_pictures_that_pass_the_check(expression, x, y):
    graph = quietly(compiled(expression), x, y)
    for document in shows(graph):
        check(document)
    assume(is_finite(graph))
    for part in amounts(flow_panel(shows(graph)[0])):
        assert part["ribbon"] == flow_scene.THINNEST or float(part["text"].replace("−", "-"))


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_that_are_easily_shown_wrong_pass_the_check(program):
    for document in shows(ad.trace(program, 0.5, 2.0)):
        check(document)


def test_ribbons_are_as_wide_as_their_derivatives_are_large():
    panel = flow_panel(sweep_scene.backward_scene(ad.trace(lambda x, y: x * 8.0 - y * 2.0 + 0.0 * x, 1.0, 1.0))[0])
    widths = {part["text"]: (part["ribbon"], part["sign"]) for part in amounts(panel)}
    assert widths["8"] == (flow_scene.WIDEST, 1)
    assert widths["−2"] == (pytest.approx(flow_scene.WIDEST / 4), -1)
    assert widths["1"][0] == pytest.approx(flow_scene.WIDEST / 8)
    assert widths["0"] == (flow_scene.THINNEST, 0)


def test_what_is_not_a_number_has_no_sign_and_what_is_infinite_no_width():
    panel = flow_panel(sweep_scene.backward_scene(quietly(lambda x: np.sqrt(x) * x, 0.0))[0])
    assert {part["sign"] for part in amounts(panel) if part["text"] == "NaN"} == {None}
    for part in amounts(panel):
        assert flow_scene.THINNEST <= part["ribbon"] <= flow_scene.WIDEST


def test_arrays_are_maps_of_value_and_derivative_in_the_same_shape():
    graph = ad.trace(loss, np.array([[1.0, -2.0], [0.5, 0.0], [3.0, 1.0]]), np.array([0.5, -1.0]), np.zeros(3))
    document = sweep_scene.backward_scene(graph)[0]
    check(document)
    for item in flow_panel(document)["nodes"]:
        if np.ndim(graph.values[item["node"]]):
            value, derivative = item["map"], item["result"]["map"]
            assert value["shape"] == derivative["shape"] == list(np.shape(graph.values[item["node"]]))
            assert (value["rows"], value["columns"]) == (derivative["rows"], derivative["columns"])
        else:
            assert "map" not in item


def test_shares_of_both_signs_are_told():
    assert flow_scene.amount(np.array([3.0, -1.0]), 10.0)["against"] == 0.25
    assert flow_scene.amount(np.array([3.0, 1.0]), 10.0)["against"] == 0.0
    assert "against" not in flow_scene.amount(3.0, 10.0)
    assert flow_scene.amount(np.array([-3.0, 1.0]), 10.0)["sign"] == -1


def test_gates_have_symbol_and_number_and_a_number_alone_once():
    gates = {
        edge["key"]: edge["gate"] for edge in flow_panel(sweep_scene.backward_scene(ad.trace(f, 1.0, 2.0))[0])["edges"]
    }
    assert (gates["2/0"]["symbol"], gates["2/0"]["number"]) == ("cos x", "0.5403")
    assert (gates["3/0"]["symbol"], gates["3/0"]["number"]) == ("y", "2")
    assert (gates["4/0"]["symbol"], gates["4/0"]["number"]) == ("", "1")
    graph = ad.trace(lambda x: np.sin(np.sqrt(2 * np.pi) * x), 1.0)
    gate = flow_panel(sweep_scene.backward_scene(graph)[0])["edges"][0]["gate"]
    assert (gate["symbol"], gate["number"]) == ("", "2.5066")


def test_dead_branches_are_marked():
    def dead(x):
        unused = np.exp(x)  # noqa: F841
        return x * x

    panel = flow_panel(sweep_scene.backward_scene(ad.trace(dead, 1.0), "tape")[0])
    assert [item["dead"] for item in panel["nodes"]] == [False, True, False]
    assert [edge["dead"] for edge in panel["edges"]].count(True) == 1


def test_all_shows_over_few_nodes_flow():
    def long(x):
        for _ in range(flow_scene.MOST_NODES):
            x = np.sin(x)
        return x

    graph = ad.trace(f, 1.0, 2.0)
    for document in (
        sweep_scene.engines_scene(graph)[0],
        sweep_scene.forward_scene(graph, jacobian=True)[0],
        sweep_scene.backward_scene(graph, jacobian=True)[0],
        sweep_scene.forward_scene(graph, jacobian="blocks")[0],
        sweep_scene.evaluation_scene(graph)[0],
    ):
        assert not any(panel["kind"] == "graph" for panel in document["panels"])
    with as_graphs():
        large = sweep_scene.backward_scene(ad.trace(long, 1.0))[0]
    for document in (
        large,
        sweep_scene.backward_scene(graph, panels="table")[0],
    ):
        assert not any(panel["kind"] == "flow" for panel in document["panels"])
        assert engine_steps(document) == document["steps"]
        assert "opening" not in document


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_names_stay_short_visible_text(hostile):
    graph = ad.trace(f, 1.0, 2.0)
    graph.names[0] = hostile
    document = sweep_scene.backward_scene(graph)[0]
    check(document)
    panel = flow_panel(document)
    texts = [item[part] for item in panel["nodes"] for part in ("name", "value", "title", "derivative")]
    texts += [edge["gate"][part] for edge in panel["edges"] for part in ("symbol", "number")]
    texts += [rest["caption"] for step in document["steps"] for rest in step.get("rests", {}).values()]
    assert not any(invisible(character) for text in texts for character in text)
    assert all(len(text) < 1_000 for text in texts)


def test_players_timelines_and_scenes_play_it():
    player = ad.show_backward(f, 1.0, 2.0)
    assert ad.play(player.scene, panels=["graph"]).scene["panels"] == [flow_panel(player.scene)]
    timeline = ad.Timeline.record({}, ad.toposort(player.graph))
    played = ad.play(timeline, graph=player.graph).scene
    assert flow_panel(played)["edges"] == flow_panel(player.scene)["edges"]
    assert played["opening"] == player.scene["opening"]


def test_other_numbers_are_told_in_the_same_picture():
    player = ad.show_backward(f, 1.0, 2.0)
    player.inputs = {"x": -123456.789, "y": 3.0}
    after = flow_panel(player.scene)
    assert [node["value"] for node in after["nodes"][:2]] == ["−123457", "3"]
    assert after["nodes"][0]["name"] == "x = −123457"
    assert after["note"] is None
    check(player.scene)


def test_another_structure_is_placed_anew_and_says_so_once():
    first = sweep_scene.backward_scene(ad.trace(f, 1.0, 2.0))[0]
    other = sweep_scene.backward_scene(ad.trace(np.sin, 1.0), like=first)[0]
    assert flow_panel(other)["note"].startswith(flow_scene.ANEW)
    again = sweep_scene.backward_scene(ad.trace(np.sin, 2.0), like=other)[0]
    assert flow_panel(again)["note"] is None


def test_numbers_whose_squares_are_too_large_are_shown():
    for f, x in ((lambda x: np.sum(1e155 * x), np.ones(2)), (lambda x: np.sum(x * x), np.array([1e154, 1.0]))):
        for scene in (sweep_scene.backward_scene, sweep_scene.forward_scene):
            json.dumps(scene(ad.trace(f, x))[0], allow_nan=False)
    amount = flow_scene.amount(np.full(2, 1e155), 1e155)
    assert amount["sign"] == 1
    assert amount["ribbon"] > flow_scene.amount(np.zeros(2), 1e155)["ribbon"]


def test_a_long_gate_of_a_line_over_arrays_stands_in_two_lines():
    def gated(a, w):
        gate = 1 / (1 + np.exp(-(a[:, :2] @ w)))
        other = np.tanh(a[:, 2:])
        return np.sum(gate * other * np.sum(gate))

    panel = ad.show_backward(gated, np.ones((3, 4)) / 3, np.eye(2)).scene["panels"][0]
    gates = [edge["gate"] for edge in panel["lines"]["edges"]]
    below = [gate["below"][0] for gate in gates if "below" in gate]
    assert "at [:, 2:]" in below
    assert all(gate["written"] == f"{gate['symbol']}, {gate['below'][0]}" for gate in gates if "below" in gate)
