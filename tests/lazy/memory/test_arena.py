"""Pieces of an arena do not overlap, and what is free is as few gaps as can be."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adviz.lazy.memory.layouts import Arena, Lifetime, allocation, best_fit, first_fit, largest_first, offsets_of

LIFETIMES = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 6), st.integers(0, 9)), max_size=25).map(
    lambda rows: [Lifetime(k, first, first + length, 8 * words) for k, (first, length, words) in enumerate(rows)]
)


@pytest.mark.parametrize("fit", [best_fit, first_fit])
@given(moves=st.lists(st.integers(0, 30), max_size=60))
def test_pieces_and_gaps_make_up_the_arena(fit, moves):
    """A number takes as many bytes, or, where it is odd, gives one of the pieces back."""
    arena, taken = Arena(fit), []
    for move in moves:
        if move % 2 and taken:
            arena.free(*taken.pop(move % len(taken)))
        elif move:
            taken.append((arena.allocate(move), move))
        pieces = sorted([*taken, *arena.gaps])
        assert [start for start, _ in pieces] == [sum(size for _, size in pieces[:k]) for k in range(len(pieces))]
        assert sum(size for _, size in pieces) == arena.size
        gaps = arena.gaps
        assert all(start + size < after for (start, size), (after, _) in pairwise(gaps))


def test_the_smallest_gap_or_the_first_one_is_taken():
    for fit, expected in ((best_fit, 40), (first_fit, 0)):
        arena = Arena(fit)
        pieces = [(arena.allocate(size), size) for size in (30, 10, 20, 10)]
        arena.free(*pieces[0])
        arena.free(*pieces[2])
        assert arena.allocate(15) == expected


@given(LIFETIMES)
def test_values_that_live_at_the_same_time_are_apart(lifetimes):
    for offsets in (
        largest_first(lifetimes),
        *(offsets_of(allocation(lifetimes, Arena(fit))) for fit in (best_fit, first_fit)),
    ):
        for k, one in enumerate(lifetimes):
            for other in lifetimes[:k]:
                if one.first <= other.last and other.first <= one.last:
                    start, after = offsets[one.number], offsets[other.number]
                    assert start + one.bytes <= after or after + other.bytes <= start
