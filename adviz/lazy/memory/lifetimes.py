"""Lifetimes: from when until when each value is needed, by a sweep backward over the instructions; and who is a view.

Source: Kildall, A unified approach to global program optimization (1973); for straight-line code the equations
``live before = reads ∪ (live after - made)`` are solved by one sweep.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...engine.rules.gathering import is_simple
from ...engine.rules.indexing import INDEX, SET
from ...engine.rules.reshaping import BROADCAST, RESHAPE, TRANSPOSE
from ..passes.fusion import is_of_entries, loops_of
from ..passes.instructions import Instruction, Instructions, Value

Bases = dict[int, "int | None"]
"""By instruction the one whose bytes its value is in: itself, what it is a view of, or ``None`` for a constant."""


class Lifetime(NamedTuple):
    """The bytes of a value, and the places in the running order at which it is made and read for the last time."""

    number: int
    first: int
    last: int
    bytes: int


def bases_of(instructions: Instructions) -> Bases:
    """Whose bytes each value is in.

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
    """For each instruction the places of those that run with it."""
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
    """By instruction the operand that its value may be written over.

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
    """The lifetimes of values that are written over each other as one, with the first one's number; and who is where.

    >>> merged([Lifetime(3, 0, 1, 8), Lifetime(4, 1, 2, 8)], {4: 3})
    ([Lifetime(number=3, first=0, last=2, bytes=8)], {3: 3, 4: 3})
    """
    root: dict[int, int] = {}
    whole: dict[int, Lifetime] = {}
    for each in lifetimes:
        root[each.number] = start = root[over[each.number]] if each.number in over else each.number
        whole[start] = whole[start]._replace(last=each.last) if start in whole else each
    return list(whole.values()), root
