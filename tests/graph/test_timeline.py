"""Laws of Step and Timeline: replay and rewind are inverse, at(k) is k steps, costs add up, misfits are refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adviz import Edit, Step, Timeline, TimelineError, replay, rewind

KEYS = st.sampled_from(["a", "b", ("edge", 1, 2), 3])
VALUES = st.one_of(st.none(), st.integers(-2, 2), st.floats(allow_nan=True), st.lists(st.integers(0, 1), max_size=2))
STATES = st.dictionaries(KEYS, VALUES.filter(lambda value: value is not None), max_size=3)


@st.composite
def walks(draw):
    """A start and steps that fit it: each edit says what its key really held."""
    start = draw(STATES)
    state, steps = dict(start), []
    for _ in range(draw(st.integers(0, 6))):
        edits = []
        for key in draw(st.lists(KEYS, max_size=3)):
            after = draw(VALUES)
            edits.append(Edit(key, state.get(key), after))
            if after is None:
                state.pop(key, None)
            else:
                state[key] = after
        costs = draw(st.tuples(st.integers(0, 5), st.integers(0, 5)))
        steps.append(Step("move", tuple(edits), multiplications=costs[0], additions=costs[1]))
    return start, steps, state


@given(walks())
def test_replay_leads_to_the_end_and_rewind_back_to_the_start(walk):
    start, steps, end = walk
    before = dict(start)
    assert replay(start, steps) == end
    assert rewind(end, steps) == start == before


@given(walks())
def test_the_state_after_k_steps_is_the_replay_of_k_steps(walk):
    start, steps, end = walk
    timeline = Timeline(start, iter(steps))
    assert len(timeline) == len(steps)
    assert list(timeline) == steps
    for k in range(len(steps) + 1):
        assert timeline.at(k) == replay(start, steps[:k]) == rewind(end, steps[k:])
    assert timeline.start == start
    for cursor in (-1, len(steps) + 1):
        with pytest.raises(IndexError):
            timeline.at(cursor)


@given(walks())
def test_costs_are_sums_over_the_steps(walk):
    start, steps, _ = walk
    timeline = Timeline(start, steps)
    assert timeline.multiplications == sum(step.multiplications for step in steps)
    assert timeline.additions == sum(step.additions for step in steps)


@given(walks(), KEYS)
def test_a_step_that_does_not_fit_is_refused(walk, key):
    start, steps, end = walk
    misfit = Step("misfit", (Edit(key, "something else", 1),))
    with pytest.raises(TimelineError, match="expects 'something else'"):
        replay(start, [*steps, misfit])
    with pytest.raises(TimelineError):
        rewind(end, [*steps, Step("misfit", (Edit(key, 1, "something else"),))])
    assert issubclass(TimelineError, ValueError)


def test_edits_of_one_step_apply_in_order_and_rewind_in_reverse():
    step = Step("twice", (Edit("n", None, 1), Edit("n", 1, 2), Edit("m", None, 0), Edit("n", 2, None)))
    assert replay({}, [step]) == {"m": 0}
    assert rewind({"m": 0}, [step]) == {}


def test_recording_an_algorithm_leaves_the_start_alone():
    def count(state):
        for k in range(3):
            edit = Edit("n", state["n"], k)
            state["n"] = k
            yield Step("count", (edit,), focus=("n",), additions=1)

    start = {"n": -1}
    timeline = Timeline.record(start, count)
    assert start == {"n": -1}
    assert [timeline.at(k)["n"] for k in range(4)] == [-1, 0, 1, 2]
    assert (timeline.additions, timeline.multiplications) == (3, 0)


def test_values_may_be_arrays_and_nan():
    one, other = np.array([1.0, np.nan]), np.array([2.0, 3.0])
    steps = [Step("set", (Edit("a", None, one), Edit("n", None, np.nan))), Step("set", (Edit("a", one.copy(), other),))]
    steps.append(Step("set", (Edit("n", float("nan"), 1), Edit("a", other, np.float64(1)))))
    assert replay({}, steps) == {"a": 1.0, "n": 1}
    assert rewind(replay({}, steps), steps) == {}
    for wrong in (one, 2.0, np.ones((1, 2)), None):
        with pytest.raises(TimelineError):
            replay({"a": other}, [Step("set", (Edit("a", wrong, None),))])


def test_a_state_that_is_handed_out_is_a_copy():
    timeline = Timeline({"n": 1}, [Step("set", (Edit("n", 1, 2),))])
    timeline.at(0)["n"] = 99
    timeline.at(1)["n"] = 99
    assert (timeline.at(0), timeline.at(1)) == ({"n": 1}, {"n": 2})


def test_steps_are_values():
    step = Step("move", (Edit("a", None, 1),))
    assert step == Step("move", (Edit("a", None, 1),))
    assert hash(step) == hash(Step("move", (Edit("a", None, 1),)))
    with pytest.raises(AttributeError):
        step.kind = "other"
