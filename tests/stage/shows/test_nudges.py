"""Nudges: what a derivative says of a small change, and what the program then computes."""

import json
import time

import numpy as np
import pytest

import adviz as ad
from adviz.stage.scene import schema
from adviz.stage.shows import beside_flow

MIDDLE = beside_flow.PLACES // 2


def f(x, y):
    return np.sin(x) + x * y


def loss(w, b):
    return np.sum(np.tanh(np.ones((4, 2)) @ w + b) ** 2)


W, B = np.array([[0.3, -0.4, 1.2], [0.7, 0.1, -0.2]]), np.array([0.1, 0.0, -0.5])


def nudge_of(player):
    return next((each for each in player.scene["panels"] if each["kind"] == "nudge"), None)


def inputs_of(*args, **options):
    return nudge_of(ad.show_backward(*args, **options))["inputs"]


def told(f, x):
    ((found,),) = (each["nudges"] for each in inputs_of(f, x))
    return found


def saved(player):
    """The nudges that a page of a show has."""
    document = player._for_a_page()
    schema.check(json.loads(json.dumps(document, allow_nan=False)))
    return next(each for each in document["panels"] if each["kind"] == "nudge")["inputs"]


def test_a_nudge_holds_the_derivative_and_what_really_happens():
    panel = nudge_of(ad.show_backward(f, 1.0, 2.0))
    assert (panel["result"], [each["name"] for each in panel["inputs"]]) == ("f", ["x", "y"])
    x = panel["inputs"][0]
    (found,) = x["nudges"]
    assert (x["symbol"], x["input"], x["node"], x["shape"]) == ("x\u0304", 0, 0, [])
    assert (found["start"], found["step"], found["gaps"], found["changes"]) == (1.0, 0.01, [], [])
    assert found["slope"] == pytest.approx(np.cos(1.0) + 2.0)
    assert found["values"] == pytest.approx([f(1.0 + 0.01 * k, 2.0) for k in range(-MIDDLE, MIDDLE + 1)], rel=1e-11)


def test_forward_mode_nudges_the_input_that_moves():
    (x,) = nudge_of(ad.show_forward(f, 1.0, 2.0))["inputs"]
    assert (x["name"], x["input"], x["node"]) == ("x", 0, 4)
    (y,) = nudge_of(ad.show_forward(f, 1.0, 2.0, direction=(0.0, 1.0)))["inputs"]
    assert (y["name"], y["symbol"]) == ("y", "∂f/∂y")
    assert nudge_of(ad.show_forward(f, 1.0, 2.0, direction=(1.0, 1.0))) is None


def test_only_functions_to_a_number_are_nudged():
    assert nudge_of(ad.show_backward(lambda x: (x, x * x), 2.0, seeds={1: 1.0})) is None
    assert nudge_of(ad.show_backward(lambda x: x * x, 2.0, seeds={0: 3.0})) is None


def test_entries_of_arrays_are_nudged_when_they_are_asked_for():
    player = ad.show_backward(loss, W, B)
    assert [(each["name"], each["shape"], each["nudges"]) for each in nudge_of(player)["inputs"]] == [
        ("w", [2, 3], []),
        ("b", [3], []),
    ]
    found = player._answers()["nudge"]({"node": 0, "entry": 4})
    other = W.copy()
    other[1, 1] += 3 * found["step"]
    assert (found["start"], found["step"]) == (0.1, 0.01)
    assert found["values"][MIDDLE + 3] == pytest.approx(loss(other, B), rel=1e-11)
    assert found["slope"] == pytest.approx(ad.grad(loss, argnums=0)(W, B)[1, 1])
    assert W[1, 1] == 0.1


def test_a_page_has_the_entries_that_are_drawn():
    w, b = saved(ad.show_backward(loss, W, B))
    assert (sorted(each["entry"] for each in w["nudges"]), len(b["nudges"])) == ([0, 1, 2, 3, 4, 5], 3)
    large = saved(ad.show_backward(lambda x: np.sum(np.sin(x) * np.cos(x)), np.linspace(0.0, 1.0, 900).reshape(30, 30)))
    (x,) = large
    slopes = [abs(each["slope"]) for each in x["nudges"]]
    assert 0 < len(slopes) <= beside_flow.MOST_SAVED
    assert slopes == sorted(slopes, reverse=True)


def test_numbers_of_a_page_are_those_of_its_scene():
    player = ad.show_backward(f, 1.0, 2.0)
    assert player._for_a_page() is player.scene


def test_other_inputs_are_nudged_from_where_they_are():
    player = ad.show_backward(lambda x, w: x * np.sum(w * w), 2.0, np.array([1.0, 3.0]))
    player.inputs = {"x": 5.0}
    found = player._answers()["nudge"]({"node": 1, "entry": 1})
    assert (found["values"][MIDDLE], found["slope"]) == (50.0, 30.0)


def test_numbers_of_the_scalar_grain_are_nudged_one_by_one():
    inputs = inputs_of(lambda x: x[0] * x[1], np.array([2.0, 3.0]), grain="scalar")
    assert [(each["name"], each["nudges"][0]["slope"]) for each in inputs] == [("x[0]", 3.0), ("x[1]", 2.0)]


@pytest.mark.parametrize("x", [0.0, 1e-9, 0.02, 0.5, 1.0, 7.0, 340.0, -2e6])
def test_a_nudge_is_small_beside_its_input(x):
    found = told(np.sin, x)
    most = MIDDLE * found["step"]
    assert most <= 0.1 * max(1.0, abs(x)) * (1 + 1e-9)
    assert most >= 0.04 * min(abs(x) or 1.0, 1.0)


@pytest.mark.parametrize(
    ("function", "x", "gaps"),
    [
        (np.log, 0.05, [*range(6)]),  # up to 0, where it is −∞
        (lambda x: 1.0 / x, -0.05, [14, 15]),  # the pole is at one of the places
        (lambda x: 1.0 / (x - 0.023), 0.0, [12]),  # between two of them
        (lambda x: np.sin(90.0 * x), 0.1, []),
    ],
)
def test_where_a_function_has_no_value_is_told(function, x, gaps):
    found = told(function, x)
    assert found["gaps"] == gaps
    missing = {k for k, value in enumerate(found["values"]) if value is None}
    assert {k - 1 for k in missing if k} | {k for k in missing if k < 20} <= {*gaps}


def test_where_a_branch_changes_is_told():
    def kinked(x):
        if x > 0.0:
            return x * x
        return -2.0 * x

    found = told(kinked, 0.05)
    ((place, words),) = found["changes"]
    assert (place, words) == (0.0, f"x > 0.0 (line {kinked.__code__.co_firstlineno + 1})")
    assert told(kinked, 0.5)["changes"] == []
    assert told(lambda x: max(x, 0.3) * x, 0.25)["changes"][0][0] == pytest.approx(0.3)


def test_a_branch_that_an_entry_decides_is_told():
    def clipped(x):
        return np.sum(np.where(x > 0.55, x, x * x))

    found = ad.show_backward(clipped, np.array([0.1, 0.5]))._answers()["nudge"]({"node": 0, "entry": 1})
    assert found["changes"][0][0] == pytest.approx(0.55)


def test_what_a_program_prints_while_it_is_nudged_is_dropped(capsys):
    def talking(x):
        print("once more")
        return x * x

    ad.show_backward(talking, 2.0)
    assert capsys.readouterr().out == "once more\n"


def test_a_graph_is_not_nudged_and_says_so():
    player = ad.show_backward(ad.trace(f, 1.0, 2.0))
    assert (nudge_of(player)["inputs"], nudge_of(player)["why"]) == ([], beside_flow.OF_A_GRAPH)
    with pytest.raises(ad.ShowError, match="does not know its program"):
        ad.play(player.scene)._nudged(0, 0)


def test_a_slow_program_is_not_nudged_and_says_so():
    calls = []

    def slow(x):
        calls.append(x)
        time.sleep(2 * beside_flow.COSTLY)
        return x * x

    assert nudge_of(ad.show_backward(slow, 2.0))["why"] == beside_flow.SLOW
    assert len(calls) <= 1 + beside_flow.TRIES  # the trace, and each attempt


def test_a_program_is_nudged_though_the_machine_was_busy_for_a_moment():
    calls = iter(range(10**6))

    def interrupted(x):
        if next(calls) == 1:  # the first evaluation after the trace
            time.sleep(2 * beside_flow.COSTLY)
        return x * x

    assert "why" not in nudge_of(ad.show_backward(interrupted, 2.0))


def test_a_program_that_answers_otherwise_each_time_is_not_nudged():
    count = iter(range(10**6))
    assert nudge_of(ad.show_backward(lambda x: x * next(count), 2.0))["why"] == beside_flow.OTHERWISE


def test_a_program_that_fails_the_second_time_is_not_nudged():
    count = iter(range(10**6))

    def once(x):
        if next(count):
            raise RuntimeError
        return x * x

    assert nudge_of(ad.show_backward(once, 2.0))["why"] == beside_flow.FAILS


def test_an_entry_that_cannot_be_nudged_is_refused():
    player = ad.show_backward(lambda x: np.sum(np.nan_to_num(x)), np.array([1.0, np.inf]))
    with pytest.raises(ad.ShowError, match="There are no numbers around this entry"):
        player._nudged(0, 1)
