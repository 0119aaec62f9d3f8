"""Players of op graphs without a browser: what opens, what is refused, files and displays."""

import numpy as np
import pytest

import adviz as ad
from adviz import lazy

from .. import op_graphs


def test_an_op_graph_opens_whole_and_a_quiz_at_its_start():
    _w, before, _update, after = op_graphs.counter()
    player = ad.show_ops([before, after])
    assert player.cursor == len(player.scene["steps"])
    assert "none has run" in player.scene["steps"][-1]["caption"]
    assert ad.show_ops(after, teach=True).cursor == 0


def test_a_computation_opens_at_its_start_and_changes_nothing():
    _w, before, _update, after = op_graphs.counter()
    computation = lazy.computation([before, after])
    player = ad.show_computation(computation, panels=("graph", "memory"))
    assert player.cursor == 0
    assert [panel["kind"] for panel in player.scene["panels"]] == ["graph", "memory"]
    assert computation() == (0.0, 3.0)


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (lambda: ad.show_ops(1.0), ad.ShowError, "takes an op, or several, not float"),
        (lambda: ad.show_ops([1.0]), ad.ShowError, "takes an op, or several, not list"),
        (lambda: ad.show_computation(np.sin), ad.ShowError, "takes a computation, not ufunc"),
        (lambda: ad.show_build(3.0), ad.InputError, "show_build"),
        (lambda: ad.show_build(lambda x: x if x > 0 else -x, 1.0), lazy.OpError, "has no value until"),
        (lambda: ad.show_build(lambda x: 3.0, 1.0), lazy.ComputationError, "Results are ops"),
        (lambda: ad.show_build(lambda x: np.sum(x.copy()), np.ones(2)), lazy.OpError, r"no attribute 'copy'.*\n  at "),
        (
            lambda: ad.show_build(lambda x: np.sum((x > 0) & (x < 1)), np.ones(2)),
            lazy.OpError,
            "cannot be built of ops",
        ),
        (lambda: ad.show_build(lambda p: p["a"] * 2, {"a": np.ones(2)}), lazy.OpError, "p is a dict"),
        (lambda: ad.show_build(lambda x: np.sum(x.nothing), np.ones(2)), AttributeError, "ndarray"),
    ],
)
def test_what_cannot_be_shown_is_said(wrong, error, words):
    with pytest.raises(error, match=words):
        wrong()


def test_a_function_that_does_something_else_when_called_again_is_refused():
    calls = []

    def counted(x):
        calls.append(x)
        return x * len(calls)

    with pytest.raises(ad.ShowError, match="computes something else"):
        ad.show_build(counted, 1.0)


def test_a_wrong_number_of_values_is_an_error_of_the_computation():
    x = lazy.placeholder(())
    with pytest.raises(lazy.ComputationError, match="takes 1 values"):
        ad.show_computation(lazy.computation(x * x, x))


def test_a_still_picture_has_edges_of_three_kinds_and_the_memory(tmp_path):
    _w, before, _update, after = op_graphs.counter()
    text = ad.show_ops([before, after]).save(tmp_path / "ops.svg").read_text(encoding="utf-8")
    assert "must run before" in text
    assert "stored at first" in text
    assert text.count("stroke-dasharray") >= 2
    player = ad.show_computation(lazy.computation([before, after]))
    player.cursor = 3
    text = player.save(tmp_path / "memory.svg").read_text(encoding="utf-8")
    assert "Memory: naive" in text
    assert all(f">{name}</text>" in text for name in ("before", "update", "after"))
    player = ad.show_ops([before, after])
    player.cursor = 1
    text = player.save(tmp_path / "early.svg").read_text(encoding="utf-8")
    assert ">w</text>" in text
    assert ">after</text>" not in text


def test_a_display_has_a_picture_and_a_transcript():
    player = ad.show_build(lambda x: np.sin(x) * x, 2.0)
    still = player._still()
    assert "Nothing is computed" in still["text/plain"]
    assert still["image/png"]


def test_several_results_and_arrays_are_built():
    def two(x, W):
        h = x @ W
        return {"h": h, "total": np.sum(h)}

    player = ad.show_build(two, np.ones((2, 3)), np.ones((3, 2)))
    assert player.scene["steps"][-1]["caption"].startswith("sum(h) runs: 12.")


def test_a_still_picture_has_composites_folded_and_tells_of_them_as_wholes(tmp_path):
    player = ad.show_ops(op_graphs.classifier())
    player.cursor = next(k for k, step in enumerate(player.scene["steps"]) if "whole" in step) + 5
    text = player.save(tmp_path / "composites.svg").read_text(encoding="utf-8")
    assert ">p</text>" in text
    assert ">softmax [2×3]</text>" in text
    assert ">exp</text>" not in text
    assert "p is built of z: softmax, 5 ops" in text
    assert ">losses</text>" not in text


def test_a_still_picture_of_memory_has_its_peak_its_bytes_and_what_runs(tmp_path):
    loss, step, x, t = op_graphs.network()
    player = ad.show_computation(lazy.computation([loss, step], x, t), *op_graphs.batch())
    player.cursor = 12
    text = player.save(tmp_path / "memory.svg").read_text(encoding="utf-8")
    memory = next(panel for panel in player.scene["panels"] if panel["kind"] == "memory")
    assert "▲ peak" in text
    assert f">{memory['running'][memory['at'][12] - 1]}</text>" in text
