"""Scenes of op graphs: what is drawn, how edges are told apart, what is said, what is asked."""

import numpy as np
import pytest

import adviz as ad
from adviz import lazy
from adviz.stage.scene import schema
from adviz.stage.shows.ops import op_picture
from adviz.stage.shows.ops.op_scene import op_scene

from .... import op_graphs
from ...goldens import played


def graph_of(ops, **settings):
    document, _ = op_scene(ops, **settings)
    schema.check(document)
    return next(panel for panel in document["panels"] if panel["kind"] == "graph")


def item(panel, label):
    return next(node for node in panel["nodes"] if node["label"] == label)


def edges(panel, kind):
    name = {node["key"]: node["label"] for node in panel["nodes"]}
    return {(name[edge["tail"]], name[edge["head"]]) for edge in panel["edges"] if edge["kind"] == kind}


def test_three_kinds_of_edges_and_what_stores_are_told_apart():
    _w, before, _update, after = op_graphs.counter()
    panel = graph_of([before, after])
    assert edges(panel, "control") == {("update", "after")}
    assert edges(panel, "target") == {("w", "update")}
    assert edges(panel, "initializer") == {("0", "w")}
    assert ("w", "before") in edges(panel, "data")


def test_kinds_of_ops_are_told_by_shape_and_word():
    loss, step, _x, _ = op_graphs.network()
    panel = graph_of([loss, step])
    assert (item(panel, "x")["kind"], item(panel, "x")["detail"]) == ("input", "placeholder [6×4]")
    assert (item(panel, "W1").get("sort"), item(panel, "W1")["detail"]) == ("storage", "variable [4×5]")
    assert item(panel, "step")["sort"] == "order"
    assert item(panel, "assign W1")["sort"] == "assign"
    assert item(panel, "W1_adj")["derived"]
    assert "derived" not in item(panel, "h")
    assert {node["family"] for node in panel["nodes"]} == {"op"}


def test_metadata_are_nested_boxes_and_derivatives_have_their_own():
    loss, step, _, _ = op_graphs.network()
    panel = graph_of([loss, step])
    boxes = panel["groups"]
    assert [(box["label"], box["parent"]) for box in boxes] == [
        ("layer: hidden", -1),
        ("layer: output", -1),
        ("derivatives", -1),
        ("layer: output", 2),
        ("layer: hidden", 2),
    ]
    for box in boxes:
        for k in box["nodes"]:
            node = panel["nodes"][k]
            assert box["x"] <= node["x"] - node["w"] / 2
            assert node["x"] + node["w"] / 2 <= box["x"] + box["w"]
            assert box["y"] <= node["y"] - node["h"] / 2
            assert node["y"] + node["h"] / 2 <= box["y"] + box["h"]
        outside = [node for k, node in enumerate(panel["nodes"]) if k not in box["nodes"]]
        for node in outside:
            inside_x = box["x"] < node["x"] < box["x"] + box["w"]
            assert not (inside_x and box["y"] < node["y"] < box["y"] + box["h"]), (box["label"], node["label"])


def test_without_graphviz_there_are_no_boxes_and_the_picture_says_so(monkeypatch):
    from adviz.stage.layout import placing

    monkeypatch.setattr(placing, "LARGE", 0)
    panel = graph_of(op_graphs.network()[:2])
    assert "groups" not in panel
    assert panel["note"].endswith("Boxes are left out.")


def test_each_op_knows_its_line_and_a_derivative_that_of_what_it_derives():
    x = lazy.placeholder((2,), name="x")
    loss = np.sum(np.tanh(x))
    gradient = lazy.deriv(loss, x)
    document, _ = op_scene([loss, gradient])
    assert document["source"]["files"][0]["name"].startswith("test_each_op_knows")
    spans = [text for text in (_text(document, span) for span in document["tables"]["spans"]) if text]
    assert "np.sum(np.tanh(x))" in spans
    assert "np.tanh(x)" in spans
    title = next(node["title"] for node in document["panels"][0]["nodes"] if node["label"] == "x_adj")
    assert "adjoint of x" in title
    assert "test_op_scene.py" in title


def _text(document, span):
    file, line, start, end_line, end, _ = span
    lines = document["source"]["files"][file]["text"].split("\n")
    first = document["source"]["files"][file]["line"]
    return lines[line - first][start:end] if line == end_line else ""


def test_ops_are_built_one_after_the_other_without_values():
    document, _ = op_scene(op_graphs.momentum())
    schema.check(document)
    keys = {key.split("/")[1] for step in document["steps"] for key, *_ in step["edits"]}
    assert keys == {"built"}
    assert set(played(document).values()) == {True}


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("w", "w is a variable: storage for a number that lasts"),
        ("update", "update is to store w + 1 in w when it runs. Nothing is stored now. after must run after it"),
        ("after", "It must run after update, which stores in w."),
    ],
)
def test_what_is_said_of_an_op(label, words):
    document, _ = op_scene(list(op_graphs.counter()))
    named = {name: int(node) for node, name in document["tables"]["names"].items()}
    assert words in document["steps"][named[label]]["caption"]


def test_it_is_asked_what_must_run_before():
    document, _ = op_scene(list(op_graphs.counter()), teach=True)
    (question,) = (step["question"] for step in document["steps"] if step["question"])
    assert question["answer"] == "update"
    assert {"before", "nothing else"} <= set(question["choices"])


def test_a_plain_number_is_said_by_its_expression_and_not_drawn():
    x = lazy.placeholder(())
    panel = graph_of(x * 2 + 1)
    assert [node["label"] for node in panel["nodes"]] == ["x", "x * 2", "x * 2 + 1"]


def test_what_cannot_be_shown_is_said():
    x = lazy.placeholder(())
    with pytest.raises(ad.ShowError, match="no panel is called 'tape'"):
        op_scene(x, panels="tape")
    with pytest.raises(ad.ShowError, match="this show has none"):
        op_scene(x, panels="memory")
    with pytest.raises(ad.ShowError, match="teach is 1"):
        op_scene(x, teach=1)
    with pytest.raises(ad.ShowError, match="no ops to show"):
        op_scene([])
    y = x
    for _ in range(301):
        y = y * x
    with pytest.raises(ad.ShowError, match=r"302 ops, more than the 300 .* ad.explore\(computation.graph\)"):
        op_scene(y)


def test_values_on_stage_are_numbers_and_maps():
    assert op_picture.on_stage(np.float64(0.5)) == 0.5
    assert op_picture.on_stage(np.inf) == "inf"
    assert op_picture.on_stage(np.eye(2))["data"] == [1.0, 0.0, 0.0, 1.0]
    assert op_picture.on_stage(None) is None


def test_a_shape_is_not_mistaken_for_a_number_and_a_number_is_told_where_the_name_does_not():
    x = lazy.placeholder((2,), name="x")
    twice = 2 * x
    panel = graph_of([twice, x + 1])
    assert item(panel, "twice")["detail"] == "multiply with 2 [2]"
    assert item(panel, "x + 1")["detail"] == "add [2]"
