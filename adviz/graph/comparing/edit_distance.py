"""The fewest insertions, deletions and replacements that turn one sequence into another.

The algorithm is that of Landau and Vishkin ("Fast parallel and serial approximate string matching", J. Algorithms 10,
1989): for e = 0, 1, 2, … edits, how far the sequences can be matched on each diagonal, which takes O(n + e²) steps
where the longest common extension of two places is known at once. Here extensions are found by binary search over
hashes of prefixes, for all diagonals together. Myers' difference algorithm (1986) is the same without replacements.
"""

from __future__ import annotations

import numpy as np

FAR = np.int64(-(1 << 40))
"""Less than any place: a diagonal that no such edits lead to."""
BASE = np.uint64(0x9E3779B97F4A7C15)
SMALL = 300
"""Sequences of fewer entries are compared to the end, whatever it takes."""


def aligned(before: np.ndarray, after: np.ndarray, most: int) -> np.ndarray | None:
    """For each entry of a sequence its place in the other, -1 for a deleted one; ``None`` if it takes more edits.

    Replaced entries are aligned with what replaces them. The number of entries without partner, plus that of replaced
    ones, is the least that is possible.

    >>> aligned(np.array([5, 6, 7, 8]), np.array([5, 7, 8, 9]), 2).tolist()
    [0, -1, 1, 2]
    >>> aligned(np.array([5, 6, 7]), np.array([5, 9, 7]), 1).tolist()
    [0, 1, 2]
    """
    first, last = _common_ends(before, after)
    mates = np.full(len(before), -1, np.int64)
    mates[:first] = np.arange(first)
    mates[len(before) - last :] = np.arange(len(after) - last, len(after))
    middle, other = before[first : len(before) - last], after[first : len(after) - last]
    if len(middle) and len(other):
        most = max(most, SMALL) if max(len(middle), len(other)) <= SMALL else most
        found = _Diagonals(middle, other).mates(most)
        if found is None:
            return None
        mates[first : first + len(middle)] = np.where(found >= 0, found + first, -1)
    elif max(len(middle), len(other)) > most:
        return None
    return mates


def _common_ends(before: np.ndarray, after: np.ndarray) -> tuple[int, int]:
    """The lengths of the longest common beginning and end, which do not overlap."""
    shorter = min(len(before), len(after))
    first = _equal(before[:shorter], after[:shorter])
    rest = shorter - first
    return first, _equal(before[::-1][:rest], after[::-1][:rest])


def _equal(one: np.ndarray, other: np.ndarray) -> int:
    """How many entries are equal from the beginning."""
    differ = one != other
    return int(np.argmax(differ)) if differ.any() else len(one)


class _Diagonals:
    """Two sequences, and how far they can be matched on each diagonal, with so many edits."""

    def __init__(self, before: np.ndarray, after: np.ndarray):
        self.before, self.after = before, after
        self.powers = np.cumprod(np.full(max(len(before), len(after)) + 1, BASE, np.uint64))
        self.sums = [self._prefix_sums(each) for each in (before, after)]

    def _prefix_sums(self, entries: np.ndarray) -> np.ndarray:
        """The sums of entry times power over all beginnings, modulo 2⁶⁴."""
        mixed = (entries.astype(np.uint64) + np.uint64(1)) * np.uint64(0xD6E8FEB86659FD93)
        mixed ^= mixed >> np.uint64(32)
        terms = mixed * np.uint64(0xCA5A826395121157) * self.powers[: len(entries)]
        return np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)])

    def extension(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """How many entries are equal from place i of the first sequence and place j of the second."""
        low = np.zeros(len(i), np.int64)
        high = np.minimum(len(self.before) - i, len(self.after) - j)
        starts = high > 0
        starts[starts] = self.before[i[starts]] == self.after[j[starts]]
        open_ones = np.flatnonzero(starts)
        low[open_ones] = 1
        while len(open_ones):
            middle = (low[open_ones] + high[open_ones] + 1) // 2
            same = self._are_equal(i[open_ones], j[open_ones], middle)
            low[open_ones[same]] = middle[same]
            high[open_ones[~same]] = middle[~same] - 1
            open_ones = open_ones[low[open_ones] < high[open_ones]]
        return low

    def _are_equal(self, i: np.ndarray, j: np.ndarray, length: np.ndarray) -> np.ndarray:
        one, other = self.sums
        return (one[i + length] - one[i]) * self.powers[j] == (other[j + length] - other[j]) * self.powers[i]

    def mates(self, most: int) -> np.ndarray | None:
        """The alignment with the fewest edits; ``None`` if there are more than ``most``."""
        n, m = len(self.before), len(self.after)
        zero = np.zeros(1, np.int64)
        reached = [zero + self.extension(zero, zero)]
        while not self._is_done(reached):
            if len(reached) > most:
                return None
            start = self._starts(reached[-1], len(reached))
            fits = start >= 0
            i = start[fits]
            start[fits] = i + self.extension(i, i + np.arange(-len(reached), len(reached) + 1)[fits])
            reached.append(start)
        return self._traced_back(reached, n, m)

    def _is_done(self, reached: list[np.ndarray]) -> bool:
        """Whether the ends are matched: they are on the diagonal m - n."""
        edits, place = len(reached) - 1, len(self.after) - len(self.before)
        return abs(place) <= edits and int(reached[-1][place + edits]) >= len(self.before)

    def _starts(self, last: np.ndarray, edits: int) -> np.ndarray:
        """Where each diagonal is entered with one edit more: by replacing, inserting or deleting an entry."""
        n, m = len(self.before), len(self.after)
        around = np.concatenate([[FAR, FAR], last, [FAR, FAR]])
        start = np.maximum(np.maximum(around[1:-1] + 1, around[:-2]), around[2:] + 1)
        diagonals = np.arange(-edits, edits + 1)
        start = np.minimum(start, np.minimum(n, m - diagonals))
        return np.where((start >= 0) & (start + diagonals >= 0), start, FAR)

    def _traced_back(self, reached: list[np.ndarray], n: int, m: int) -> np.ndarray:
        """The alignment, from its end to its beginning."""
        mates = np.full(n, -1, np.int64)
        i, diagonal = n, m - n
        for edits in range(len(reached) - 1, 0, -1):
            last = reached[edits - 1]

            def at(k: int, last: np.ndarray = last, edits: int = edits) -> int:
                return int(last[k + edits - 1]) if abs(k) < edits else int(FAR)

            replaced, inserted, deleted = at(diagonal) + 1, at(diagonal - 1), at(diagonal + 1) + 1
            start = min(max(replaced, inserted, deleted), n, m - diagonal)
            mates[start:i] = np.arange(start, i) + diagonal
            if replaced >= start:
                mates[start - 1] = start - 1 + diagonal
                i = start - 1
            elif deleted >= start:
                i, diagonal = start - 1, diagonal + 1
            else:
                i, diagonal = start, diagonal - 1
        mates[:i] = np.arange(i)
        return mates
