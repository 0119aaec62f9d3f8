"""Memory plans are made: one layout by each method, of the lifetimes of the values of a computation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..passes.instructions import Instruction, Instructions
from .arena import Arena, Fit, allocation, best_fit, first_fit, largest_first, offsets_of
from .coloring import colored
from .lifetimes import Bases, Lifetime, bases_of, lifetimes_of, live_bytes, merged, overwritten
from .memory_plan import Layout, MemoryPlan, Place, Running, aligned


def memory_plan(instructions: Instructions) -> MemoryPlan:
    """The layouts of instructions by all methods; nothing is computed.

    Parameters, and what storage holds at the beginning, have bytes from outside; constants are a part of the program.

    >>> import adviz, numpy as np
    >>> x = adviz.lazy.placeholder((100,), name="x")
    >>> plan = adviz.lazy.computation(np.sum(np.tanh(np.exp(np.sin(x)))), x).memory
    >>> plan.peaks["naive"], plan.peaks["best fit"], plan.peaks["in place"], plan.lower_bound
    (2408, 1600, 808, 1600)
    """
    bases = bases_of(instructions)
    lifetimes = lifetimes_of(instructions, bases)
    over = overwritten(instructions, bases, lifetimes)
    cells, root = merged(lifetimes, over)
    of_cell = largest_first(cells)
    in_place = {number: of_cell[start] for number, start in root.items()}
    make = _Maker(instructions, lifetimes)
    live = live_bytes(lifetimes, len(instructions))
    bound, bound_in_place = (max(each, default=0) for each in (live, live_bytes(cells, len(instructions))))
    return MemoryPlan(
        tuple(_running(each, bases) for each in instructions),
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


def _running(each: Instruction, bases: Bases) -> Running:
    base = bases[each.number]
    is_parameter = each.op is not None and each.op.is_input
    kind = ("parameter" if is_parameter else "storage") if each.is_input else "value" if base == each.number else "view"
    return Running(each.number, each.name, each.block.name, each.op, kind, each.bytes, base if kind == "view" else None)


class _Maker:
    """Makes layouts of the same values."""

    def __init__(self, instructions: Instructions, lifetimes: Sequence[Lifetime]):
        self.instructions, self.lifetimes = instructions, lifetimes

    def of_buffers(self, method: str, buffers: Sequence[Sequence[Lifetime]], bound: int) -> Layout:
        """The layout of values in buffers, which are one after the other in the arena."""
        sizes = [max((aligned(each.bytes) for each in buffer), default=0) for buffer in buffers]
        starts = np.cumsum([0, *sizes]).tolist()
        lane = {each.number: k for k, buffer in enumerate(buffers) for each in buffer}
        return self._made(method, {number: starts[k] for number, k in lane.items()}, lane, starts[-1], bound, {})

    def of_offsets(
        self, method: str, offsets: Mapping[int, int], bound: int, over: Mapping[int, int] | None = None
    ) -> Layout:
        """The layout of values at offsets."""
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
    """By value the one that had some of its bytes last."""
    columns = [(offsets[each.number], offsets[each.number] + each.bytes, each.last) for each in lifetimes]
    start, end, last = np.array(columns, np.int64).reshape(-1, 3).T
    found: dict[int, int] = {}
    for k, each in enumerate(lifetimes):
        shares = (start[:k] < end[k]) & (start[k] < end[:k]) & (last[:k] < each.first)
        if shares.any():
            found[each.number] = lifetimes[int(np.argmax(np.where(shares, last[:k], -1)))].number
    return found
