"""Building first and running later beside computing at once: one clock, two accounts of the same lines."""

import numpy as np

from adviz.jupyter.op_players import show_build
from adviz.stage.scene import schema

from ...goldens import stage_at


def f(x, y):
    a = np.sin(x)
    unused = x + y  # noqa: F841
    b = x * y
    return a + b


def shown():
    document = show_build(f, 1.0, 2.0).scene
    schema.check(document)
    return document


def values(document, run, cursor):
    stage = stage_at(document, cursor)
    names = document["tables"]["names"]
    start = f"{run}/value/"
    return {names[key.removeprefix(start)]: value for key, value in stage.items() if key.startswith(start)}


def test_while_lines_run_one_side_builds_and_the_other_computes():
    document = shown()
    returned = next(k for k, step in enumerate(document["steps"]) if step["kind"] == "return")
    for cursor in range(1, returned + 1):
        step = document["steps"][cursor - 1]
        assert [part["run"] for part in step["parts"]] == ["lazy", "immediate"]
        assert values(document, "lazy", cursor) == {}
        assert len(values(document, "immediate", cursor)) == cursor


def test_both_sides_end_with_the_same_values_but_for_what_nobody_needs():
    document = shown()
    last = len(document["steps"])
    now, later = values(document, "immediate", last), values(document, "lazy", last)
    assert later.items() <= now.items()
    assert set(now) - set(later) == {"unused"}
    assert later["a + b"] == np.sin(1.0) + 2.0


def test_no_line_is_marked_while_ops_run():
    document = shown()
    running = [step for step in document["steps"] if "parts" not in step]
    assert running
    assert all(step["node"] is None for step in running)
    assert "f is not called" in running[-1]["caption"]


def test_what_will_not_run_is_drawn_as_such_and_inputs_are_given_on_the_other_side():
    lazy, immediate = shown()["panels"][:2]
    dead = [node["label"] for node in lazy["nodes"] if node["dead"]]
    assert dead == ["unused"]
    assert not any(node["dead"] for node in immediate["nodes"])
    assert [node["detail"] for node in immediate["nodes"][:2]] == ["given", "given"]
