"""Alignments of sequences take as few edits as the textbook's table says."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from adviz.graph.comparing.alignment import aligned

SEQUENCES = st.lists(st.integers(0, 3), max_size=14)


def fewest(before, after):
    """The Levenshtein distance, by Wagner and Fischer's table."""
    row = list(range(len(after) + 1))
    for i, one in enumerate(before, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(after, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (one != other))
    return row[-1]


def taken(before, after, mates):
    """The edits of an alignment, which has to be one: increasing, inside, each partner taken once."""
    assert len(mates) == len(before)
    partners = [mate for mate in mates if mate >= 0]
    assert partners == sorted(set(partners))
    assert all(mate < len(after) for mate in partners)
    replaced = sum(before[i] != after[mate] for i, mate in enumerate(mates) if mate >= 0)
    return replaced + len(before) + len(after) - 2 * len(partners)


@given(SEQUENCES, SEQUENCES)
def test_the_fewest_edits(before, after):
    mates = aligned(np.array(before, int), np.array(after, int), 20)
    assert taken(before, after, mates.tolist()) == fewest(before, after)


@given(st.integers(0, 2**32 - 1), st.integers(0, 12))
def test_few_edits_of_long_sequences(seed, edits):
    rng = np.random.default_rng(seed)
    before = rng.integers(0, 3, 2000).tolist()
    after = list(before)
    for _ in range(edits):
        place, kind = int(rng.integers(len(after))), int(rng.integers(3))
        after[place : place + (kind > 0)] = [int(rng.integers(3))] * (kind < 2)
    mates = aligned(np.array(before), np.array(after), 12)
    assert taken(before, after, mates.tolist()) <= edits


def test_too_many_edits():
    assert aligned(np.zeros(1000, int), np.ones(1000, int), 10) is None
    assert aligned(np.zeros(1000, int), np.zeros(1011, int), 10) is None
