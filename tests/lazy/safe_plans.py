"""What holds for every memory plan: who lives at the same time is apart, and peaks are between their bounds."""

from __future__ import annotations

from adviz.lazy.memory.memory_plan import Layout, MemoryPlan, Place, aligned
from adviz.lazy.passes.fusion import loops_of
from adviz.lazy.passes.instructions import Instructions


def assert_safe(plan: MemoryPlan, instructions: Instructions) -> None:
    """Every layout keeps values apart that live at the same time, and takes no less than they have bytes together."""
    loops = [number for loop in loops_of(instructions) for number in [loop[0].number] * len(loop)]
    for layout in plan.layouts:
        for k, one in enumerate(layout.places):
            assert one.offset % 8 == 0
            for other in layout.places[:k]:
                _assert_apart(one, other, layout, loops)
            assert one.in_place or one.reused_from == _had_before(one, layout.places[:k])
        assert layout.peak == max((place.offset + aligned(place.bytes) for place in layout.places), default=0)
        assert layout.lower_bound <= layout.peak <= plan.naive.peak
    assert plan.naive.peak == sum(aligned(place.bytes) for place in plan.naive.places)
    assert plan.coloring.peak == sum(size for _, size in plan.coloring.buffers)
    assert plan.lower_bound == max(plan.live, default=0) == (plan.live[plan.peak_at] if plan.live else 0)
    assert list(plan.live) == [_live(plan.naive, place) for place in range(len(plan.running))]
    assert plan.in_place.lower_bound <= plan.lower_bound


def _assert_apart(one: Place, other: Place, layout: Layout, loops: list[int]) -> None:
    """Two values are apart in space or in time, unless one takes over where the other is read last."""
    if not _meet(one, other) or one.first > other.last:
        return
    assert layout.method == "in place"
    assert one.in_place
    assert (one.reused_from, one.offset, one.bytes) == (other.number, other.offset, other.bytes)
    assert loops[one.first] == loops[other.last]  # in one instruction, or in one loop


def _had_before(one: Place, earlier: tuple[Place, ...]) -> int | None:
    """The value that had some of these bytes last."""
    gone = [each for each in earlier if each.last < one.first and _meet(one, each)]
    return max(gone, key=lambda each: each.last).number if gone else None


def _meet(one: Place, other: Place) -> bool:
    return one.offset < other.offset + other.bytes and other.offset < one.offset + one.bytes


def _live(layout: Layout, place: int) -> int:
    return sum(each.bytes for each in layout.places if each.first <= place <= each.last)
