"""Scenes of computations: what runs when, which values arrive, and where they live."""

import numpy as np
import pytest

from adviz import lazy
from adviz.stage.scene import schema
from adviz.stage.shows.ops.computation_scene import computation_scene

from .... import op_graphs
from ...goldens import stage_at


@pytest.fixture(scope="module")
def training():
    loss, step, x, t = op_graphs.network()
    computation = lazy.computation([loss, step], x, t)
    document, _ = computation_scene(computation, op_graphs.batch())
    schema.check(document)
    return computation, document


def memory_of(document):
    return next(panel for panel in document["panels"] if panel["kind"] == "memory")


def node(document, name):
    return next(int(k) for k, each in document["tables"]["names"].items() if each == name)


def test_values_arrive_in_the_order_in_which_ops_run(training):
    computation, document = training
    end = stage_at(document, len(document["steps"]))
    assert end[f"ops/value/{node(document, 'loss')}"] == pytest.approx(computation(*op_graphs.batch())[0])
    start = stage_at(document, 0)
    assert f"ops/value/{node(document, 'W1')}" in start
    assert f"ops/value/{node(document, 'x')}" not in start
    names = [document["tables"]["names"][str(step["node"])] for step in document["steps"]]
    assert names.index("h") < names.index("z") < names.index("loss") < names.index("z_adj") < names.index("W1_adj")


def test_a_call_is_not_made(training):
    _w, before, _update, after = op_graphs.counter()
    computation = lazy.computation([before, after])
    document, _ = computation_scene(computation, [])
    assert document["steps"][-1]["caption"].endswith("All has run; a call changes w.")
    assert computation() == (0.0, 3.0)


def test_the_memory_is_that_of_the_plan(training):
    computation, document = training
    panel, plan = memory_of(document), computation.memory
    naive, planned, in_place = panel["layouts"]
    assert [each["method"] for each in panel["layouts"]] == ["naive", "planned", "in place"]
    assert naive["bytes"] == plan.naive.peak
    assert in_place["bytes"] == plan.in_place.peak
    assert planned["bytes"] == min(plan.peaks[name] for name in ("coloring", "best fit", "first fit", "largest first"))
    assert in_place["bytes"] <= planned["bytes"] <= naive["bytes"]
    assert panel["bound"] == plan.lower_bound
    assert any("before" in block for block in planned["blocks"])
    assert any(block.get("in_place") for block in in_place["blocks"])
    assert not any("before" in block for block in naive["blocks"])


def test_where_the_computation_is_advances_with_its_steps(training):
    _, document = training
    panel = memory_of(document)
    at = panel["at"]
    assert len(at) == len(document["steps"]) + 1
    assert at == sorted(at)
    assert at[-1] == len(panel["running"])
    for block in panel["layouts"][0]["blocks"]:
        cursor = next(k for k, done in enumerate(at) if done > block["first"])
        assert document["steps"][cursor - 1]["node"] == block["node"]


def test_it_is_asked_what_changes_and_whose_buffer_is_free(training):
    _computation, document = training
    questions = [step["question"] for step in document["steps"] if step["question"]]
    assert questions[0]["prompt"] == "Does W1 change when this runs?"
    assert questions[0]["answer"] == "yes"
    free = [question for question in questions if "Whose buffer is free now?" in question["prompt"]]
    assert 1 <= len(free) <= 3
    for question in free:
        assert question["answer"] in question["choices"]
        assert len(question["choices"]) >= 3
        assert len(question["diagnoses"]) == len(question["choices"]) - 1


def test_what_was_built_isolated_and_is_not_asked_for_changes_nothing():
    with lazy.isolated():
        w = lazy.variable((), 1.0, name="w")
        lazy.assign(w, w + 1)
    document, _ = computation_scene(lazy.computation(w * 2), [])
    question = document["steps"][0]["question"]
    assert (question["prompt"], question["answer"]) == ("Does w change when this runs?", "no")
    assert "isolated" in question["diagnoses"][0][1]


def test_storage_through_a_view_is_told():
    document, _ = computation_scene(lazy.computation(op_graphs.views()[2]), [])
    stored = next(step for step in document["steps"] if step["kind"] == "assign")
    assert "stores 10 in a part of w" in stored["caption"]
    value = stage_at(document, len(document["steps"]))[f"ops/value/{node(document, 'w')}"]
    assert value["data"] == [10.0, 2.0, 3.0]


def test_what_is_not_finite_arrives():
    x = lazy.placeholder((2,), name="x")
    with np.errstate(all="ignore"):
        document, _ = computation_scene(lazy.computation(np.log(x), x), [[0.0, 1.0]])
    end = stage_at(document, len(document["steps"]))
    assert end["ops/value/1"]["data"] == ["-inf", 0.0]
