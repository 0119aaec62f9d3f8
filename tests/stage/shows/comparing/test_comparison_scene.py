"""The Scene of two graphs laid over each other: what is said of items and edges, and that it is a Scene."""

import json
import re

import numpy as np
import pytest

import adviz as ad
from adviz.graph.comparing.union_graph import UnionGraph
from adviz.stage.scene.schema import check
from adviz.stage.shows.comparison_scene import compared_detail, comparison_document, comparison_view

from .compared_versions import today, traced_versions, yesterday

HOSTILE = "</script><b onclick='1'>&amp;"


def union_of(one, other):
    return UnionGraph(ad.compare_graphs(one, other))


@pytest.fixture(scope="module")
def versions():
    return union_of(*traced_versions())


def items(union, scope=0):
    return {item["title"].split(",")[0]: item for item in comparison_view(union, scope)["nodes"]}


def test_it_is_a_scene(versions):
    document, _ = comparison_document(versions, ("one", "two"))
    check(json.loads(json.dumps(document, allow_nan=False)))


def test_items_are_told_apart(versions):
    found = items(versions)
    assert found["sin"]["change"] == {"state": "added", "sign": "+"}
    assert found["sin"]["sides"][0] is None
    assert found["matmul"]["detail"] == "3 → 8"
    assert [side["detail"] for side in found["matmul"]["sides"]] == ["3", "8"]
    assert found["mean"]["label"] == "Σ → mean"
    assert found["mean"]["change"]["sign"] == "≠"
    assert "change" not in found["output"]


def test_edges_have_their_counts_in_both_graphs(versions):
    view = comparison_view(versions, 0)
    name = {item["key"]: item["title"].split(",")[0] for item in view["nodes"]}
    sides = {(name[edge["tail"]], name[edge["head"]]): edge.get("sides") for edge in view["edges"]}
    assert sides["tanh", "multiply"] == [2, 0]
    assert sides["add", "multiply"] == [0, 2]
    assert sides["input", "matmul"] is None


def test_kinds_have_all_their_nodes_and_groups(versions):
    panel = comparison_document(versions)[0]["panels"][2]
    assert {kind["kind"]: kind["count"] for kind in panel["kinds"]} == versions.counts()
    for kind in panel["kinds"]:
        nodes = sorted(node for group in kind["groups"] for node in group["nodes"])
        assert nodes == np.flatnonzero(versions.differences & kind["bit"]).tolist()
    assert panel["note"] == "7 nodes are in both, 2 only in after. 1 of 4 lines of source made nodes in both."
    assert panel["sizes"][0] == ["nodes", 7, 9]


def test_folded_boxes_say_what_is_inside():
    def loop(x, most):
        for k in range(60):
            x = np.sin(x) * 0.5
            if k < most:
                x = x + 1.0
        return x

    union = union_of(ad.trace(loop, 1.0, most=0), ad.trace(loop, 1.0, most=3))
    box = next(item for item in comparison_view(union, 0)["nodes"] if item["kind"] == "scope")
    assert box["change"] == {"state": "added", "sign": "+3"}
    assert [side["detail"] for side in box["sides"]] == ["60 iterations, 120 nodes", "60 iterations, 123 nodes"]
    assert box["detail"] == "120 → 123 nodes"
    assert "3 added" in box["title"]


def test_details_have_the_numbers_of_the_union(versions):
    names = [versions.blocks[node].name for node in range(len(versions))]
    sin, mean = names.index("sin"), names.index("mean")
    found = compared_detail(versions, sin, ("one", "two"))
    assert found["node"] == sin
    assert found["differences"] == [f"only in two: node {versions.after[sin]} there"]
    assert [operand["node"] for operand in found["operands"]] == versions.operand_nodes(sin)
    assert found["formula"].startswith(f"v{sin} = sin(v{versions.operand_nodes(sin)[0]}")
    assert compared_detail(versions, mean, ("one", "two"))["differences"][0] == "sum → mean"


def test_variables_that_are_called_as_nodes_keep_their_names():
    def before(x):
        v4 = np.sin(np.exp(x)) + 1.0
        return v4 * np.cos(x)

    def after(x):
        v4 = np.sin(x) + 1.0
        return v4 * np.cos(x)

    union = union_of(ad.trace(before, 1.0), ad.trace(after, 1.0))
    found = compared_detail(union, 5, ("a", "b"))
    assert (found["node"], found["formula"], union.after[5]) == (5, "v5 = v3 × v4", 4)
    assert [each["label"] for each in found["operands"]] == ["v3 (+ 1)", "v4 (cos)"]
    assert found["operands"][1]["jacobian"]["symbol"] == "v4"  # the variable
    assert compared_detail(union, 3, ("a", "b"))["called"] == "v4"


def test_what_differs_is_said_in_sentences():
    before = ad.trace(lambda x, y: (x * y) + x, 2.0, 3.0)
    after = ad.trace(lambda x, y: (x * y) + y, 2.0, 3.0)
    union = union_of(before, after)
    said = [compared_detail(union, node, ("a", "b"))["differences"] for node in range(len(union))]
    assert said[0] == ["used 2 → 1 times"]
    assert said[1] == ["used 1 → 2 times"]
    assert said[3][0] == "computed from v2 (×), v0 (x) → from v2 (×), v1 (y)"


def test_the_same_source_is_there_once_and_two_versions_both():
    def f(x):
        return np.sum(np.sin(x))

    grains = union_of(*(ad.trace(f, np.ones(3), grain=grain) for grain in ("scalar", "array")))
    assert len(comparison_document(grains)[0]["source"]["files"]) == 1
    document = comparison_document(union_of(ad.trace(f, np.ones(3)), ad.trace(today, np.ones(3), np.ones((2, 3)))))[0]
    assert [file["name"].split(".")[-1] for file in document["source"]["files"]] == ["today", "f"]
    files = {span[0] for span in document["tables"]["spans"]}
    assert files == {0, 1}


def test_forward_is_found_in_the_gradient():
    given = np.ones(4), np.ones((3, 4))
    union = union_of(ad.trace(yesterday, *given), ad.trace(ad.grad(yesterday), *given))
    assert (union.before >= 0).sum() == ((union.before >= 0) & (union.after >= 0)).sum()
    assert "replaced" not in union.counts()


def test_labels_with_markup_stay_text(tmp_path):
    graph, other = traced_versions()
    explorer = ad.show_comparison(graph, other, labels=(HOSTILE, "b"))
    page = explorer.save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<b onclick" not in page
    assert not re.search(r"(src|href)=\"http", page)
    picture = explorer.save(tmp_path / "picture.svg").read_text(encoding="utf-8")
    assert "<b onclick" not in picture
    assert "Σ → mean" in picture
    assert ">≠<" in picture
    assert ">+<" in picture


def test_a_graph_without_nodes_over_another():
    with pytest.warns(ad.IndependentOutputWarning):
        empty = ad.trace(lambda: 1.0)
    graph = ad.trace(lambda x: x * x, 3.0)
    for union, state in ((union_of(empty, graph), "added"), (union_of(graph, empty), "removed")):
        document, _ = comparison_document(union)
        assert {item["change"]["state"] for item in document["panels"][0]["nodes"]} == {state}
        json.dumps(document, allow_nan=False)
