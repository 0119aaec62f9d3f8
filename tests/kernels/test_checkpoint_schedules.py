"""The schedule of checkpoints reverses every iteration once, keeps no more states, and advances as seldom as any."""

from collections import Counter
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adviz as ad
from adviz.kernels.schedules import checkpoint_count, fewest_advances, most_kept, revolve

from .following import followed


@cache
def fewest(length, checkpoints):
    """The fewest advances, by dynamic programming: the first state is kept already, and another one comes next.

    Nothing is assumed of where it is best kept: all places are tried (Griewank and Walther 2000, equation 5).
    """
    if length == 1:
        return 0
    if checkpoints == 1:
        return length * (length - 1) // 2
    later = (k + fewest(length - k, checkpoints - 1) + fewest(k, checkpoints) for k in range(1, length))
    return min(later)


def run(length, checkpoints):
    """How often a schedule takes each action, and the most states kept."""
    actions, most = followed(revolve(length, checkpoints), [1] * length)
    return Counter(action for action, _ in actions), most


@pytest.mark.parametrize("checkpoints", range(1, 9))
def test_no_schedule_advances_less_often(checkpoints):
    for length in range(1, 60):
        actions, most = run(length, checkpoints)
        assert actions["advance"] == fewest(length, checkpoints) == fewest_advances(length, checkpoints)
        assert most == most_kept(length, checkpoints) <= checkpoints


@given(st.integers(1, 700), st.integers(1, 40))
def test_long_loops_are_reversed_in_the_number_of_advances_of_the_formula(length, checkpoints):
    actions, most = run(length, checkpoints)
    assert actions["advance"] == fewest_advances(length, checkpoints)
    assert most == most_kept(length, checkpoints)


@pytest.mark.parametrize(
    ("text", "bytes_of_a_state", "count"),
    [
        ("64 MB", 1_000_000, 64),
        ("64MB", 1_000_001, 63),
        (" 1.5 kb ", 500, 3),
        ("1 KiB", 512, 2),
        ("2 GiB", 2**30, 2),
        ("100 bytes", 8, 12),
        ("8 B", 8, 1),
        ("5 MB", 0, 5_000_000),
    ],
)
def test_bytes_are_as_many_states_as_fit(text, bytes_of_a_state, count):
    assert checkpoint_count(text, bytes_of_a_state) == count


@pytest.mark.parametrize("wrong", [0, -1, True, 2.0, "many", "5", "-2 MB", "1 kg", "٣ MB", "", [3], {}])
def test_what_is_neither_a_number_nor_bytes_says_what_it_can_be(wrong):
    with pytest.raises(ad.graph.errors.OptionError, match=r"a number of states, such as 5, or the bytes.*64 MB"):
        checkpoint_count(wrong, 8)


def test_bytes_in_which_no_state_fits_are_refused_with_the_figure():
    with pytest.raises(ad.ProgramError, match=r"'1 kB', but one state takes 8,000 bytes"):
        checkpoint_count("1 kB", 8_000)
