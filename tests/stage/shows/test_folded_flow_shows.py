"""Shows of sweeps over large graphs: flows over folds, at every level of detail, in pictures and in words."""

from unittest import mock

import numpy as np
import pytest

import adviz as ad
from adviz.stage.narration.folds import choosing, statements
from adviz.stage.scene import captions
from adviz.stage.scene.document import coarsest, keyframes
from adviz.stage.shows import sweep_scene, told_runs

from ..narration.folds.programs import PROGRAMS, calls, newton, recurrent, rosenbrock, two_results
from .test_flow_scene import amounts, check, flow_panel


def gates(panel):
    """The gates of a panel, by their edges."""
    return {edge["key"]: edge["gate"] for edge in panel["edges"]}


def told(document):
    """The panel of a sweep as it is seen while all lines are closed."""
    panel = flow_panel(document)
    return panel.get("lines", panel)


def said(document):
    """The captions at the level at which a show opens."""
    return [keyframe["caption"] for _, keyframe in keyframes(document, coarsest(document))]


def kinds(document):
    return [panel["kind"] for panel in document["panels"]]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_large_graph_is_a_flow_of_folds(program):
    graph = ad.trace(program, *PROGRAMS[program])
    direction = {node: np.ones(np.shape(graph.values[node])) for node in graph.inputs}
    for document in (sweep_scene.backward_scene(graph)[0], sweep_scene.forward_scene(graph, direction)[0]):
        check(document)
        panel = flow_panel(document)
        folds = [node for node in told(document)["nodes"] if "fold" in node]
        assert folds
        assert all("folded: " in node["title"] and node["title"].endswith(("operations", "inputs")) for node in folds)
        assert all(amount["ribbon"] > 0 for amount in [*amounts(panel), *amounts(told(document))])
        assert all(step["caption"] for step in document["steps"])


def test_gates_and_results_are_numbers_of_grad():
    graph = ad.trace(newton, 1.5, 2.0)
    panel = told(sweep_scene.backward_scene(graph)[0])

    def seven(x, a):
        for _ in range(7):
            x = x - 0.3 * (x * x - a) / (2.0 * x)
        return x

    partials = ad.grad(seven, argnums=(0, 1))(1.5, 2.0)
    exit_ = next(node for node in panel["nodes"] if node.get("fold", "").startswith("iterations 1–7"))
    found = gates(panel)
    assert [found[f"{exit_['node']}/{k}"]["number"] for k in (0, 1)] == [captions.decimals(each) for each in partials]
    inputs = [node["result"]["text"] for node in panel["nodes"] if node["kind"] == "input"]
    assert inputs == [captions.decimals(each) for each in ad.grad(newton, argnums=(0, 1))(1.5, 2.0)]


def test_of_a_chaotic_program_no_change_is_predicted():
    def chaotic(x):
        for _ in range(200):
            x = 3.7 * x * (1.0 - x)
        return x

    document = sweep_scene.backward_scene(ad.trace(chaotic, 0.4))[0]
    assert "∂chaotic/∂x" in document["steps"][-1]["caption"]
    assert "grows by about" not in document["steps"][-1]["caption"], "its derivative is far too large for that"


def test_gates_of_arrays_tell_their_shapes():
    panel = told(sweep_scene.backward_scene(ad.trace(recurrent, *PROGRAMS[recurrent]))[0])
    symbols = {gate["symbol"] for gate in gates(panel).values()}
    assert any(symbol.startswith("J ") and "×" in symbol for symbol in symbols)


def test_captions_say_what_is_inside():
    document = sweep_scene.backward_scene(ad.trace(newton, 1.5, 2.0))[0]
    assert "Stacked nodes are folded" in document["opening"]["caption"]
    captions_ = said(document)
    assert captions_[1].startswith(
        "Through iterations 15–20 of the loop for _ in range(20) (36 operations), newton depends on x⁽¹⁴⁾ and a."
    )
    assert "One backward sweep (120 multiplications and 79 additions) has given" in captions_[-1]


def test_captions_of_arrays_name_the_jacobian():
    document = sweep_scene.backward_scene(ad.trace(recurrent, *PROGRAMS[recurrent]))[0]
    words = " ".join(said(document))
    assert "times their Jacobians J, the slopes of each entry of" in words


def test_the_costs_of_all_steps_are_those_of_the_engine():
    graph = ad.trace(newton, 1.5, 2.0)
    document = sweep_scene.backward_scene(graph, "tape")[0]
    real = list(ad.sweeps.ENGINES["tape"](graph, {graph.outputs[0]: 1.0}))
    for name in ("multiplications", "additions", "comparisons"):
        assert sum(step["cost"][name] for step in document["steps"]) == sum(getattr(step, name) for step in real)


def test_the_source_has_numbers_only_where_something_is_seen():
    document = sweep_scene.backward_scene(ad.trace(calls, 0.7, 1.3))[0]
    panel = flow_panel(document)
    code = next(panel for panel in document["panels"] if panel["kind"] == "code")
    drawn, edges = {node["node"] for node in panel["nodes"]}, {edge["key"] for edge in panel["edges"]}
    for bracket in code["numbers"]["brackets"]:
        for _, node, edge in bracket["evaluations"]:
            assert node == -1 or (node in drawn and (not edge or edge in edges))


@pytest.mark.long
def test_a_graph_with_too_much_outside_of_folds_keeps_its_picture():
    no_lines = mock.patch.object(statements, "layers", return_value=[])
    with mock.patch.object(choosing, "MOST_DRAWN", 5), no_lines:
        document = sweep_scene.backward_scene(ad.trace(newton, 1.5, 2.0))[0]
    assert kinds(document)[0] == "graph"
    assert "opening" not in document


def test_what_is_no_sweep_keeps_its_picture():
    nothing = {"return_value": None}
    with (
        mock.patch.object(told_runs, "folded_flow", **nothing),
        mock.patch.object(told_runs, "flow_over", **nothing),
    ):
        document = sweep_scene.backward_scene(ad.trace(calls, 0.7, 1.3))[0]
    assert "graph" in kinds(document)


def test_another_point_keeps_the_layout():
    one = sweep_scene.backward_scene(ad.trace(newton, 1.5, 2.0))[0]
    other = sweep_scene.backward_scene(ad.trace(newton, 1.7, 2.5), like=one)[0]
    keys = [[node["key"] for node in flow_panel(each)["nodes"]] for each in (one, other)]
    assert keys[0] == keys[1]
    assert flow_panel(other)["note"] is None


def test_questions_are_asked_of_folds():
    document = sweep_scene.backward_scene(ad.trace(newton, 1.5, 2.0), teach=True)[0]
    asked = [keyframe["question"] for _, keyframe in keyframes(document, "edges")]
    assert sum(question is not None for question in asked) > 2
    check(document)


def test_several_results_are_told():
    graph = ad.trace(two_results, 0.4, 0.9)
    document = sweep_scene.backward_scene(graph, seeds=dict.fromkeys(graph.outputs, 1.0))[0]
    check(document)
    assert sum("seed" in node for node in flow_panel(document)["nodes"]) == 2


@pytest.mark.long
@pytest.mark.parametrize(
    "suffix", [".html", ".svg", *(pytest.param(each, marks=pytest.mark.slow) for each in (".pdf", ".gif"))]
)
def test_shows_of_folds_are_saved(suffix, tmp_path):
    path = tmp_path / f"show{suffix}"
    few = {"cursors": [20, 40]} if suffix == ".gif" else {}  # a film draws a picture every twelfth of a second
    ad.show_backward(rosenbrock, *PROGRAMS[rosenbrock]).save(path, **few)
    assert path.stat().st_size > 1000
    if suffix == ".svg":
        assert "iteration" in path.read_text(encoding="utf-8")


def test_iterations_whose_results_are_partly_unused_are_told():
    def epidemic(beta, gamma):
        s, i, r = 0.99, 0.01, 0.0
        for _ in range(12):
            new, healed = beta * s * i, gamma * i
            s, i, r = s - new, i + new - healed, r + healed
        return i

    panel = told(sweep_scene.backward_scene(ad.trace(epidemic, 0.5, 0.1))[0])
    results = {node["name"]: node["result"]["text"] for node in panel["nodes"] if node["kind"] == "input"}
    slopes = ad.grad(epidemic, argnums=(0, 1))(0.5, 0.1)
    assert results == {"beta = 0.5": captions.decimals(slopes[0]), "gamma = 0.1": captions.decimals(slopes[1])}
