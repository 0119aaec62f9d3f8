"""Memory plans are made: one layout by each method, of the lifetimes of the values of a computation."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...engine.rules.gathering import is_simple
from ...engine.rules.indexing import INDEX, SET
from ...engine.rules.reshaping import BROADCAST, RESHAPE, TRANSPOSE
from ...graph.timeline import Edit, Step
from ..passes.fusion import is_of_entries, loops_of
from ..passes.instructions import Instruction, Instructions, Value
from .memory_plan import Layout, MemoryPlan, Place, Running, aligned

# ---- lifetimes ----


Bases = dict[int, "int | None"]
"""By instruction the one whose bytes its value is in: itself, what it is a view of, or ``None`` for a constant."""


class Lifetime(NamedTuple):
    """The bytes of a value, and the places in the running order at which it is made and read for the last time."""

    number: int
    first: int
    last: int
    bytes: int


def bases_of(instructions: Instructions) -> Bases:
    """Return whose bytes each value is in.

    Views are a part that numbers and slices choose, a transpose, an array repeated along axes, and an array in another
    shape if its entries are one after the other in memory, in their order. Values from outside are taken to be in it.
    """
    result: Bases = {}
    in_order: set[int] = set()
    for each in instructions:
        if _is_view(each, in_order):
            viewed = each.operands[0]
            result[each.number] = result[viewed.number] if isinstance(viewed, Value) else None
        else:
            result[each.number] = each.number
        if result[each.number] == each.number or each.block is RESHAPE:
            in_order.add(each.number)
    return result


def _is_view(each: Instruction, in_order: set[int]) -> bool:
    if each.block is INDEX:
        return is_simple(each.operands[1])
    if each.block is RESHAPE:
        return not isinstance(each.operands[0], Value) or each.operands[0].number in in_order
    return each.block in (TRANSPOSE, BROADCAST)


def lifetimes_of(instructions: Instructions, bases: Bases) -> list[Lifetime]:
    """Return the lifetimes of all values that have bytes of their own here, in running order.

    What is returned or stored lives to the end, which is the number of instructions; what nothing reads, while it is
    made. Who reads a view reads what it is a view of. Those that are fused run at the same time, from the first one's
    place to the last one's, and what only they read has no bytes.
    """
    spans = _spans(loops_of(instructions))
    order = list(instructions)
    last = {bases[number]: len(order) for number in instructions.returned}
    for place in range(len(order) - 1, -1, -1):
        for number in (order[place].number, *order[place].reads):
            last.setdefault(bases[number], spans[place].stop - 1)
    inner = inner_values(instructions)
    return [
        Lifetime(each.number, spans[place].start, last[each.number], each.bytes)
        for place, each in enumerate(order)
        if bases[each.number] == each.number and not each.is_input and each.number not in inner
    ]


def _spans(loops: Iterable[Sequence[Instruction]]) -> list[range]:
    """Return for each instruction the places of those that run with it."""
    result: list[range] = []
    for loop in loops:
        result += [range(len(result), len(result) + len(loop))] * len(loop)
    return result


def inner_values(instructions: Instructions) -> set[int]:
    """Return the values that only the loop reads which makes them: they need not be in memory."""
    result = set()
    for loop in loops_of(instructions):
        own = {each.number for each in loop}
        read = (each for each in own if instructions.users(each) and own.issuperset(instructions.users(each)))
        result |= {*read} - instructions.returned
    return result


def live_bytes(lifetimes: Iterable[Lifetime], count: int) -> list[int]:
    """Return the bytes that live at each of ``count`` places.

    >>> live_bytes([Lifetime(0, 0, 1, 8), Lifetime(1, 1, 2, 16)], 3)
    [8, 24, 16]
    """
    changes = [0] * (count + 1)
    for each in lifetimes:
        changes[each.first] += each.bytes
        if each.last < count:
            changes[each.last + 1] -= each.bytes
    result, now = [], 0
    for change in changes[:count]:
        now += change
        result.append(now)
    return result


# ---- writing in place ----


def overwritten(instructions: Instructions, bases: Bases, lifetimes: Sequence[Lifetime]) -> dict[int, int]:
    """Return by instruction the operand that its value may be written over.

    The instruction computes each entry from those at the same place, or writes into its first operand. The operand has
    bytes of its own here, no parameter's and no storage's; it has the shape and dtype of the value; nothing reads it,
    or a view of it, later; and no other operand is a view of it, or is what is written into it: its entries would be
    read at other places. Those that are fused read all of their operands at a place before they write there.
    """
    life = {each.number: each for each in lifetimes}
    result: dict[int, int] = {}
    end = -1
    for loop in loops_of(instructions):
        end += len(loop)
        reads = [read for each in loop for read in each.reads]
        ending = {read for read in reads if read in life and life[read].last == end} - {each.number for each in loop}
        free = [number for number in dict.fromkeys(reads) if number in ending]
        free = [number for number in free if all(bases[read] != number or read == number for read in reads)]
        for each in loop:
            kind = each.shape, each.dtype
            same = (number for number in free if (instructions[number].shape, instructions[number].dtype) == kind)
            chosen = next((number for number in same if each.number in life and _may_write_over(each, number)), None)
            if chosen is not None:
                result[each.number] = chosen
                free.remove(chosen)
    return result


def _may_write_over(each: Instruction, number: int) -> bool:
    if each.block is SET:
        return isinstance(each.operands[0], Value) and each.reads.index(number) == 0 and each.reads.count(number) == 1
    return is_of_entries(each)


def merged(lifetimes: Iterable[Lifetime], over: dict[int, int]) -> tuple[list[Lifetime], dict[int, int]]:
    """Join the lifetimes of values that are written over each other, under the first one's number; say who is where.

    >>> merged([Lifetime(3, 0, 1, 8), Lifetime(4, 1, 2, 8)], {4: 3})
    ([Lifetime(number=3, first=0, last=2, bytes=8)], {3: 3, 4: 3})
    """
    root: dict[int, int] = {}
    whole: dict[int, Lifetime] = {}
    for each in lifetimes:
        root[each.number] = start = root[over[each.number]] if each.number in over else each.number
        whole[start] = whole[start]._replace(last=each.last) if start in whole else each
    return list(whole.values()), root


# ---- coloring ----

# Buffers by coloring: values that live at the same time interfere; those of one color share a buffer.
#
# Source: Chaitin et al., Register allocation via coloring (1981); the greedy choice by weight is that of the memory
# analysis of Nervana Graph (2016), written from its definition.


def interference(lifetimes: Sequence[Lifetime]) -> list[int]:
    """Return for each value those that live at the same time, as a mask: bit ``k`` is the value at place ``k``.

    >>> [bin(mask) for mask in interference([Lifetime(7, 0, 1, 8), Lifetime(8, 1, 2, 8), Lifetime(9, 2, 3, 8)])]
    ['0b10', '0b101', '0b10']
    """
    result = [0] * len(lifetimes)
    ends: list[tuple[int, int]] = []
    for k in sorted(range(len(lifetimes)), key=lambda k: lifetimes[k].first):
        ends = [(last, other) for last, other in ends if last >= lifetimes[k].first]
        for _, other in ends:
            result[k] |= 1 << other
            result[other] |= 1 << k
        ends.append((lifetimes[k].last, k))
    return result


def colored(lifetimes: Sequence[Lifetime]) -> list[list[Lifetime]]:
    """Return the values by color, the heaviest color first: no two of one color interfere.

    Take the heaviest value without a color, and let all others that can, by weight, take its color, too.

    >>> [[each.number for each in color] for color in colored(
    ...     [Lifetime(7, 0, 1, 8), Lifetime(8, 1, 2, 32), Lifetime(9, 2, 3, 16)])]
    [[8], [9, 7]]
    """
    neighbors = interference(lifetimes)
    waiting = sorted(range(len(lifetimes)), key=lambda k: (-lifetimes[k].bytes, k))
    colors = []
    while waiting:
        color, rest, blocked = [], [], 0
        for k in waiting:
            if blocked >> k & 1:
                rest.append(k)
            else:
                color.append(lifetimes[k])
                blocked |= neighbors[k]
        colors.append(color)
        waiting = rest
    return colors


# ---- the arena ----

# An arena: bytes from 0 on, of which pieces are taken and given back; neighbors that are free become one piece.
#
# Source: Knuth, The Art of Computer Programming, vol. 1 (3rd ed., 1997), section 2.5: first fit, best fit, liberation.


Gap = tuple[int, int]
"""Offset and bytes of a free piece."""

Fit = Callable[[Gap], object]
"""Of all gaps that are large enough, the one with the lowest key is taken."""


def first_fit(gap: Gap) -> object:
    """Return the gap that comes first."""
    return gap[0]


def best_fit(gap: Gap) -> object:
    """Return the smallest gap; of several the first."""
    return gap[1], gap[0]


class Arena:
    """Pieces of memory by offset; it grows where no gap is large enough."""

    def __init__(self, fit: Fit = best_fit):
        self.fit, self.size = fit, 0
        self.gaps: list[Gap] = []

    def allocate(self, count: int) -> int:
        """Return the offset of so many bytes, which are taken."""
        fitting = [gap for gap in self.gaps if gap[1] >= count] if count else []
        if not fitting:
            return self._grown(count)
        gap = min(fitting, key=self.fit)  # type: ignore[arg-type]
        place = self.gaps.index(gap)
        rest = (gap[0] + count, gap[1] - count)
        self.gaps[place : place + 1] = [rest] if rest[1] else []
        return gap[0]

    def _grown(self, count: int) -> int:
        """Return the offset of bytes at the end, of which some may be there already."""
        if not count:
            return 0
        at_end = self.gaps and sum(self.gaps[-1]) == self.size
        offset = self.gaps.pop()[0] if at_end else self.size
        self.size = offset + count
        return offset

    def free(self, offset: int, count: int) -> None:
        """Give bytes back; neighbors that are free become one piece."""
        if not count:
            return
        place, start, end = bisect(self.gaps, (offset, 0)), offset, offset + count
        if place < len(self.gaps) and self.gaps[place][0] == end:
            end = sum(self.gaps.pop(place))
        if place and sum(self.gaps[place - 1]) == offset:
            place -= 1
            start, _ = self.gaps.pop(place)
        self.gaps.insert(place, (start, end - start))


def allocation(lifetimes: Iterable[Lifetime], arena: Arena) -> Iterator[Step]:
    """Take bytes for each value when it is made, and give them back when it has been read for the last time.

    The state has offset and bytes of each value that lives.
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
    """Return where an allocation has put each value."""
    return {edit.key[1]: edit.after[0] for step in steps for edit in step.edits if edit.after is not None}  # type: ignore[index]


def largest_first(lifetimes: Sequence[Lifetime]) -> dict[int, int]:
    """Return an offset for each value: the largest one first, in the smallest gap between those that live at its time.

    Source: Pisarchyk and Lee, Efficient memory management for deep neural net inference (2020), greedy by size.

    >>> largest_first([Lifetime(0, 0, 1, 8), Lifetime(1, 1, 2, 16), Lifetime(2, 2, 2, 8)])
    {1: 0, 0: 16, 2: 16}
    """
    pieces = np.zeros((4, len(lifetimes)), np.int64)  # first, last, begin, end
    result: dict[int, int] = {}
    for k, each in enumerate(sorted(lifetimes, key=lambda each: (-each.bytes, each.first))):
        first, last, *piece = pieces[:, :k]
        beside = (first <= each.last) & (each.first <= last)
        taken = sorted(zip(*(ends[beside].tolist() for ends in piece), strict=True))
        result[each.number] = offset = _smallest_gap(taken, aligned(each.bytes))
        pieces[:, k] = each.first, each.last, offset, offset + aligned(each.bytes)
    return result


def _smallest_gap(taken: Iterable[tuple[int, int]], count: int) -> int:
    """Return the offset of the smallest gap of so many bytes between pieces by offset; else the end of the last."""
    end, best = 0, None
    for start, stop in taken:
        if start - end >= count and (best is None or (start - end, end) < best):
            best = start - end, end
        end = max(end, stop)
    return end if best is None or not count else best[1]


# ---- all methods ----


def memory_plan(instructions: Instructions) -> MemoryPlan:
    """Return the layouts of instructions by all methods; nothing is computed.

    Parameters, and what storage holds at the beginning, have bytes from outside; constants are a part of the program.

    >>> import adviz, numpy as np
    >>> x = adviz.lazy.placeholder((100,), name="x")
    >>> plan = adviz.lazy.computation(np.sum(np.tanh(np.exp(np.sin(x)))), x).memory
    >>> plan.peaks["naive"], plan.peaks["best fit"], plan.peaks["in place"], plan.lower_bound
    (2408, 1600, 808, 1600)
    """
    bases, inner = bases_of(instructions), inner_values(instructions)
    lifetimes = lifetimes_of(instructions, bases)
    over = overwritten(instructions, bases, lifetimes)
    cells, root = merged(lifetimes, over)
    of_cell = largest_first(cells)
    in_place = {number: of_cell[start] for number, start in root.items()}
    make = _Maker(instructions, lifetimes)
    live = live_bytes(lifetimes, len(instructions))
    bound, bound_in_place = (max(each, default=0) for each in (live, live_bytes(cells, len(instructions))))
    return MemoryPlan(
        tuple(_running(each, bases, inner) for each in instructions),
        tuple(live),
        make.of_buffers("naive", [[each] for each in lifetimes], bound),
        make.of_buffers("coloring", colored(lifetimes), bound),
        make.of_offsets("best fit", _allocated(lifetimes, best_fit), bound),
        make.of_offsets("first fit", _allocated(lifetimes, first_fit), bound),
        make.of_offsets("largest first", largest_first(lifetimes), bound),
        make.of_offsets("in place", in_place, bound_in_place, over),
    )


def _allocated(lifetimes: Sequence[Lifetime], fit: Fit) -> dict[int, int]:
    return offsets_of(allocation(lifetimes, Arena(fit)))


def _running(each: Instruction, bases: Bases, inner: Container[int]) -> Running:
    base = bases[each.number]
    if each.is_input:
        kind = "parameter" if each.op is not None and each.op.is_input else "storage"
    else:
        kind = "view" if base != each.number else "fused" if each.number in inner else "value"
    return Running(each.number, each.name, each.block.name, each.op, kind, each.bytes, base if kind == "view" else None)


class _Maker:
    """Makes layouts of the same values."""

    def __init__(self, instructions: Instructions, lifetimes: Sequence[Lifetime]):
        self.instructions, self.lifetimes = instructions, lifetimes

    def of_buffers(self, method: str, buffers: Sequence[Sequence[Lifetime]], bound: int) -> Layout:
        """Return the layout of values in buffers, which are one after the other in the arena."""
        sizes = [max((aligned(each.bytes) for each in buffer), default=0) for buffer in buffers]
        starts = np.cumsum([0, *sizes]).tolist()
        lane = {each.number: k for k, buffer in enumerate(buffers) for each in buffer}
        return self._made(method, {number: starts[k] for number, k in lane.items()}, lane, starts[-1], bound, {})

    def of_offsets(
        self, method: str, offsets: Mapping[int, int], bound: int, over: Mapping[int, int] | None = None
    ) -> Layout:
        """Return the layout of values at offsets."""
        lanes = {offset: k for k, offset in enumerate(sorted(set(offsets.values())))}
        lane = {number: lanes[offset] for number, offset in offsets.items()}
        peak = max((offsets[each.number] + aligned(each.bytes) for each in self.lifetimes), default=0)
        return self._made(method, offsets, lane, peak, bound, over or {})

    def _made(
        self,
        method: str,
        offsets: Mapping[int, int],
        lane: Mapping[int, int],
        peak: int,
        bound: int,
        over: Mapping[int, int],
    ) -> Layout:
        had = {**_owners_before(self.lifetimes, offsets), **over}
        places = (
            Place(
                each.number,
                self.instructions[each.number].name,
                self.instructions[each.number].op,
                each.first,
                each.last,
                each.bytes,
                offsets[each.number],
                lane[each.number],
                had.get(each.number),
                each.number in over,
            )
            for each in self.lifetimes
        )
        return Layout(method, tuple(places), peak, bound)


def _owners_before(lifetimes: Sequence[Lifetime], offsets: Mapping[int, int]) -> dict[int, int]:
    """Return by value the one that had some of its bytes last."""
    columns = [(offsets[each.number], offsets[each.number] + each.bytes, each.last) for each in lifetimes]
    start, end, last = np.array(columns, np.int64).reshape(-1, 3).T
    result: dict[int, int] = {}
    for k, each in enumerate(lifetimes):
        shares = (start[:k] < end[k]) & (start[k] < end[:k]) & (last[:k] < each.first)
        if shares.any():
            result[each.number] = lifetimes[int(np.argmax(np.where(shares, last[:k], -1)))].number
    return result
