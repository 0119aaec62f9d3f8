"""An arena: bytes from 0 on, of which pieces are taken and given back; neighbors that are free become one piece.

Source: Knuth, The Art of Computer Programming, vol. 1 (3rd ed., 1997), section 2.5: first fit, best fit, liberation.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Sequence

from ...graph.timeline import Edit, Step
from .lifetimes import Lifetime
from .memory_plan import aligned

Gap = tuple[int, int]
"""Offset and bytes of a free piece."""

Fit = Callable[[Gap], object]
"""Of all gaps that are large enough, the one with the lowest key is taken."""


def first_fit(gap: Gap) -> object:
    """The gap that comes first."""
    return gap[0]


def best_fit(gap: Gap) -> object:
    """The smallest gap; of several the first."""
    return gap[1], gap[0]


class Arena:
    """Pieces of memory by offset; it grows where no gap is large enough.

    >>> arena = Arena()
    >>> arena.allocate(0), arena.allocate(10), arena.allocate(10), arena.allocate(10)
    (0, 0, 10, 20)
    >>> for offset in (0, 10):
    ...     arena.free(offset, 10)
    >>> arena.gaps
    [(0, 20)]
    >>> arena.allocate(15), arena.gaps, arena.size
    (0, [(15, 5)], 30)
    """

    def __init__(self, fit: Fit = best_fit):
        self.fit, self.size = fit, 0
        self.gaps: list[Gap] = []

    def allocate(self, count: int) -> int:
        """The offset of so many bytes, which are taken."""
        fitting = [gap for gap in self.gaps if gap[1] >= count] if count else []
        if not fitting:
            return self._grown(count)
        gap = min(fitting, key=self.fit)  # type: ignore[arg-type]
        place = self.gaps.index(gap)
        rest = (gap[0] + count, gap[1] - count)
        self.gaps[place : place + 1] = [rest] if rest[1] else []
        return gap[0]

    def _grown(self, count: int) -> int:
        """The offset of bytes at the end, of which some may be there already."""
        if not count:
            return 0
        at_end = self.gaps and sum(self.gaps[-1]) == self.size
        offset = self.gaps.pop()[0] if at_end else self.size
        self.size = offset + count
        return offset

    def free(self, offset: int, count: int) -> None:
        """Give bytes back."""
        if not count:
            return
        place = bisect(self.gaps, (offset, 0))
        before, after = self.gaps[place - 1 : place] if place else [], self.gaps[place : place + 1]
        start, end = offset, offset + count
        if before and sum(before[0]) == offset:
            start, place = before[0][0], place - 1
        else:
            before = []
        if after and after[0][0] == end:
            end = sum(after[0])
        else:
            after = []
        self.gaps[place : place + len(before) + len(after)] = [(start, end - start)]


def allocation(lifetimes: Iterable[Lifetime], arena: Arena) -> Iterator[Step]:
    """Take bytes for each value when it is made, and give them back when it has been read for the last time.

    The state has offset and bytes of each value that lives.

    >>> steps = list(allocation([Lifetime(0, 0, 1, 8), Lifetime(1, 1, 2, 8), Lifetime(2, 2, 2, 8)], Arena()))
    >>> [(step.kind, step.edits[0].key) for step in steps][:3], offsets_of(steps)
    ([('allocate', ('bytes', 0)), ('allocate', ('bytes', 1)), ('free', ('bytes', 0))], {0: 0, 1: 8, 2: 0})
    """
    events = []
    for each in lifetimes:
        events += [(each.first, 0, each), (each.last, 1, each)]
    offsets: dict[int, int] = {}
    for _, is_end, each in sorted(events, key=lambda event: event[:2]):
        count, key = aligned(each.bytes), ("bytes", each.number)
        if is_end:
            piece = offsets[each.number], count
            arena.free(*piece)
            yield Step("free", (Edit(key, piece, None),), (key,))
        else:
            offsets[each.number] = arena.allocate(count)
            yield Step("allocate", (Edit(key, None, (offsets[each.number], count)),), (key,))


def offsets_of(steps: Iterable[Step]) -> dict[int, int]:
    """Where an allocation has put each value."""
    return {edit.key[1]: edit.after[0] for step in steps for edit in step.edits if edit.after is not None}  # type: ignore[index]


def largest_first(lifetimes: Sequence[Lifetime]) -> dict[int, int]:
    """An offset for each value: the largest one first, in the smallest gap between those that live at its time.

    Source: Pisarchyk and Lee, Efficient memory management for deep neural net inference (2020), greedy by size.

    >>> largest_first([Lifetime(0, 0, 1, 8), Lifetime(1, 1, 2, 16), Lifetime(2, 2, 2, 8)])
    {1: 0, 0: 16, 2: 16}
    """
    placed: list[tuple[int, int, Lifetime]] = []
    found: dict[int, int] = {}
    for each in sorted(lifetimes, key=lambda each: (-each.bytes, each.first)):
        count = aligned(each.bytes)
        beside = [(start, end) for start, end, other in placed if _overlap(each, other)]
        found[each.number] = offset = _smallest_gap(beside, count)
        if count:
            placed.insert(bisect(placed, (offset,)), (offset, offset + count, each))
    return found


def _overlap(one: Lifetime, other: Lifetime) -> bool:
    return one.first <= other.last and other.first <= one.last


def _smallest_gap(taken: Iterable[tuple[int, int]], count: int) -> int:
    """The offset of the smallest gap that has so many bytes, between pieces by offset; after them if there is none."""
    end, best = 0, None
    for start, stop in taken:
        if start - end >= count and (best is None or (start - end, end) < best):
            best = start - end, end
        end = max(end, stop)
    return end if best is None or not count else best[1]
