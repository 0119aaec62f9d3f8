"""Evaluations in the picture of sweeps: what is said when, and in whose names."""

import numpy as np

import adviz as ad
from adviz.stage.scene import schema
from adviz.stage.scene.document import keyframes
from adviz.stage.shows import sweep_scene

from ..goldens import f, logistic_map


def told(document, level="nodes"):
    return {rest["name"]: rest["caption"] for _, rest in keyframes(document, level)}


def flow_of(document):
    (flow,) = (panel for panel in document["panels"] if panel["kind"] == "flow")
    return flow


def test_an_evaluation_says_each_value_in_the_names_of_the_source():
    document, _ = sweep_scene.evaluation_scene(ad.trace(f, 2.0, 0.4))
    schema.check(document)
    said = told(document)
    assert said["inputs"] == "Given are x = 2 and y = 0.4."
    assert said["x·y"] == "x·y = 2 × 0.4 = 0.8."
    assert said["result"] == "All values are there: f = 1.8347."
    assert not any("v0" in text or "v2" in text for text in said.values())


def test_nothing_tells_a_value_before_it_is_computed():
    flow = flow_of(sweep_scene.evaluation_scene(ad.trace(f, 2.0, 0.4))[0])
    assert [move["kind"] for move in flow["moves"]] == ["value"] * len(flow["nodes"]) + ["result"]
    assert not any("value" in node["title"] or "result" in node for node in flow["nodes"])
    assert not any(edge["gate"]["symbol"] or "product" in edge for edge in flow["edges"])


def test_a_lazy_evaluation_leaves_values_out():
    graph = ad.trace(lambda x: (x + 1.0, x * 2.0), 3.0)
    steps = list(ad.sweeps.lazy_evaluation(graph, graph.outputs[1:], on_demand=True))
    flow = flow_of(sweep_scene.timeline_scene(graph, ad.Timeline({}, steps))[0])
    assert [move["nodes"] for move in flow["moves"] if move["kind"] == "value"] == [[0], [2]]


def test_many_operations_are_told_by_lines_and_by_iterations():
    document, _ = sweep_scene.evaluation_scene(ad.trace(logistic_map, 0.3))
    said = told(document, "lines")
    assert said["x⁽¹⁰⁾"] == "Iterations 1–10 of the loop for _ in range(60): x⁽¹⁰⁾ = 0.6001."

    def layers(x, w):
        h = np.tanh(w @ np.sin(x) + 1.0)
        z = np.exp(h * h - 2.0) / 3.0
        return np.sum(z * np.cos(z) + z)

    said = told(sweep_scene.evaluation_scene(ad.trace(layers, np.ones(2), np.ones((3, 2))))[0], "lines")
    assert said["h"].endswith("h = np.tanh(w @ np.sin(x) + 1.0): h is [0.9907, 0.9907, 0.9907].")


def test_the_explorer_plays_it_in_its_own_picture():
    document, _ = sweep_scene.evaluation_scene(ad.trace(f, 2.0, 0.4), flows=False)
    assert [panel["kind"] for panel in document["panels"]] == ["graph", "table", "code", "formula"]
    assert "opening" not in document
