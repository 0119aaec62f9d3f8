"""Chains of unequal stages: the schedule is possible, fits, and takes as few operations as any that there is."""

from heapq import heappop, heappush

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adviz.kernels.schedules import fewest_advances
from adviz.kernels.staged_programs import chain_schedule

from .following import followed


def run(works, sizes, limit):
    """The operations of a schedule, and the most that is kept; the arguments are always there."""
    actions, most = followed(chain_schedule(works, sizes, limit), sizes, start={0})
    return sum(works[k] for action, k in actions if action == "advance"), most


def fewest(works, sizes, limit, may_drop):
    """The fewest operations, by Dijkstra's search over all that a machine may do.

    Where it ``may_drop``, a state may be let go before the stage after it is reversed.
    """
    count = len(works)
    queue, seen = [(0, count, 0, ())], set()
    while True:
        done, left, at, kept = heappop(queue)
        if left == 0:
            return done
        if (left, at, kept) in seen:
            continue
        seen.add((left, at, kept))
        moves = [(done, left, k, kept) for k in (0, *kept)]
        moves += [(done, left, at, tuple(each for each in kept if each != k)) for k in kept if may_drop]
        if at < left - 1:
            moves.append((done + works[at], left, at + 1, kept))
        if at == left - 1:
            moves.append((done, left - 1, 0, tuple(each for each in kept if each != at)))
        if 0 < at < left and at not in kept and sizes[at] + sum(sizes[k] for k in kept) <= limit:
            moves.append((done, left, at, tuple(sorted((*kept, at)))))
        for move in moves:
            heappush(queue, move)


@pytest.mark.parametrize("checkpoints", [1, 2, 3, 7])
def test_equal_stages_are_advanced_as_often_as_by_revolve(checkpoints):
    for count in range(1, 40):
        done, most = run([1] * count, [0] + [1] * (count - 1), checkpoints - 1)
        assert done == fewest_advances(count, checkpoints)
        assert most <= checkpoints - 1


NUMBERS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6)


@given(NUMBERS, st.integers(0, 5))
def test_no_schedule_with_so_many_states_takes_fewer_operations(stages, states):
    works, ones = [work for work, _ in stages], [0] + [1] * (len(stages) - 1)
    done, most = run(works, ones, states)
    assert most <= states
    assert done == fewest(works, ones, states, may_drop=True)


@given(NUMBERS, st.integers(0, 30))
def test_no_schedule_in_so_many_bytes_takes_fewer_operations(stages, limit):
    """Among those that keep a state until the stage after it is reversed."""
    works, sizes = [work for work, _ in stages], [0, *(size for _, size in stages[1:])]
    done, most = run(works, sizes, limit)
    assert most <= limit
    assert done == fewest(works, sizes, limit, may_drop=False)


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=12), st.integers(0, 10**10))
def test_sizes_of_any_magnitude_stay_within_the_limit(sizes, limit):
    _, most = run([1] * (len(sizes) + 1), [0, *sizes], limit)
    assert most <= limit
