"""Composite ops in the pictures of ops: one box and one step while they are folded, their ops when they are opened."""

import numpy as np
import pytest

from adviz import lazy
from adviz.lazy.composites import Schema, composite
from adviz.stage.scene import schema
from adviz.stage.shows.ops.computation_scene import computation_scene
from adviz.stage.shows.ops.op_scene import op_scene

from .... import op_graphs


def graph_of(document):
    schema.check(document)
    return next(panel for panel in document["panels"] if panel["kind"] == "graph")


def built(ops):
    return graph_of(op_scene(ops)[0])


def labels(panel):
    return [node["label"] for node in panel["nodes"]]


def edges(panel):
    name = {node["key"]: node["label"] for node in panel["nodes"]}
    return {(name[edge["tail"]], name[edge["head"]]) for edge in panel["edges"]}


@pytest.fixture(scope="module")
def classifier():
    document, _ = op_scene(op_graphs.classifier())
    return document


def test_a_composite_is_one_box_with_its_operands_and_its_value(classifier):
    panel = graph_of(classifier)
    boxes = {node["label"]: node for node in panel["nodes"] if node["kind"] == "scope"}
    assert {label: (box["detail"], box["count"]) for label, box in boxes.items()} == {
        "p": ("softmax [2×3]", 5),
        "losses": ("cross entropy [2]", 4),
    }
    assert boxes["p"]["title"].startswith("p: softmax, 5 ops, folded; float64 2×3 matrix")
    assert {edge for edge in edges(panel) if {"p", "losses"} & {*edge}} == {
        ("z", "p"),
        ("p", "losses"),
        ("t", "losses"),
        ("p", "multiply"),
    }
    assert not {"max", "exp", "log"} & {*labels(panel)}


def test_opened_it_is_its_ops_in_a_box_with_its_name(classifier):
    panel = graph_of(classifier)["opened"]
    inside = {
        box["label"]: [panel["nodes"][k]["label"] for k in box["nodes"]]
        for box in panel["groups"]
        if box.get("composite")
    }
    assert inside == {
        "softmax": ["max", "subtract", "exp", "sum", "p"],
        "cross entropy": ["log", "subtract", "multiply", "losses"],
    }
    assert {("exp", "p"), ("sum", "p"), ("sum", "log")} <= edges(panel)


def test_both_pictures_have_the_same_ops(classifier):
    folded = graph_of(classifier)
    opened = folded["opened"]
    assert folded["id"] == opened["id"]
    outside = {node["key"] for node in folded["nodes"] if node["kind"] != "scope"}
    assert outside < {node["key"] for node in opened["nodes"]}
    assert sum(node["count"] for node in folded["nodes"]) == len(opened["nodes"])


def test_without_a_composite_there_is_nothing_to_open():
    assert "opened" not in built(op_graphs.network()[:2])


def test_a_composite_is_one_coarse_step(classifier):
    steps = classifier["steps"]
    whole = [step["whole"] for step in steps if "whole" in step]
    assert whole == [
        "p is built of z: softmax, 5 ops, whose value is a 2×3 matrix. Nothing is computed.",
        "losses is built of p and t: cross entropy, 4 ops, whose value is a vector of length 2. Nothing is computed.",
    ]
    assert sum(not step["coarse"] for step in steps) == 4 + 3
    assert steps[3]["focus"][:2] == ["graph/3", "graph/c1"]


def test_a_value_arrives_at_the_box_when_a_computation_runs():
    z, t = lazy.placeholder((2, 3), name="z"), lazy.placeholder((2, 3), name="t")
    losses = lazy.cross_entropy(lazy.softmax(z), t)
    document, _ = computation_scene(lazy.computation(losses, z, t), [np.zeros((2, 3)), np.eye(3)[:2]])
    panel = graph_of(document)
    box = next(node for node in panel["nodes"] if node["label"] == "losses")
    assert box["room"] > 0
    written = next(step for step in document["steps"] if step["edits"][0][0] == f"ops/value/{box['node']}")
    assert written["edits"][0][2]["data"] == pytest.approx([np.log(3)] * 2, abs=1e-3)
    assert document["steps"][-4]["whole"].endswith("4 ops: [1.1, 1.1]. All has run; no storage changes.")


def test_of_a_softmax_whose_value_is_not_needed_the_box_says_so():
    z, t = lazy.placeholder((3,), name="z"), lazy.placeholder((3,), name="t")
    panel = built(lazy.cross_entropy(lazy.softmax(z), t))
    box = next(node for node in panel["nodes"] if node["label"] == "softmax(z)")
    assert box["node"] is None
    assert box["count"] == 4
    assert "nothing here needs its value" in box["title"]


def test_a_composite_in_a_composite_is_folded_into_it_and_opened_in_a_box_of_its_own():
    class Mixed(Schema):
        pass

    z = lazy.placeholder((3,), name="z")

    def parts():
        return lazy.softmax(z) * 2 + lazy.sigmoid(z), None

    panel = built(composite(Mixed([z]), parts))
    assert [(node["kind"], node["count"]) for node in panel["nodes"]] == [("input", 1), ("scope", 5 + 1 + 4 + 1)]
    found = [(box["label"], box["parent"]) for box in panel["opened"]["groups"]]
    assert found == [("mixed", -1), ("softmax", 0), ("sigmoid", 0)]


def test_boxes_of_metadata_stay_around_what_is_folded():
    z = lazy.placeholder((3,), name="z")
    with lazy.metadata(layer="output"):
        p = lazy.softmax(z)
    panel = built(p)
    ((box,),) = [panel["groups"]]
    assert (box["label"], [panel["nodes"][k]["label"] for k in box["nodes"]]) == ("layer: output", ["p"])


def test_axes_stand_in_place_of_the_shape():
    unit, batch, kind = lazy.axis("unit", 10), lazy.axis("batch", 32), lazy.axis("kind", 4)
    x = lazy.placeholder((unit, batch), name="x")
    W = lazy.variable((kind, unit), 0.0, name="W")
    p = lazy.softmax(lazy.dot(W, x), axis=kind)
    details = {node["label"]: node["detail"] for node in built(p)["nodes"]}
    assert details["x"] == "unit 10 × batch 32"
    assert details["W"] == "variable kind 4 × unit 10"
    assert details["p"] == "softmax kind 4 × batch 32"
    captions = [step["caption"] for step in op_scene(p)[0]["steps"]]
    assert "its value, a matrix with the axes unit 10 × batch 32, comes from outside" in captions[0]


def test_an_op_without_a_name_is_told_by_its_expression_or_its_operand():
    x, W = lazy.placeholder((2, 3), name="x"), lazy.variable((3, 4), 0.0, name="W")
    long = np.sum(np.exp(x @ W) * 2 + np.exp(x @ W) * 3) + 1
    captions = [step["caption"] for step in op_scene([long, lazy.deriv(np.sum(x @ W), W)])[0]["steps"]]
    assert any(each.startswith("exp(x @ W) * 2 + exp(x @ W) * 3 is built of") for each in captions)
    assert any(each.startswith("transpose shows x in another shape") for each in captions)
