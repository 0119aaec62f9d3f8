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
    found: Bases = {}
    in_order: set[int] = set()
    for each in instructions:
        if _is_view(each, in_order):
            viewed = each.operands[0]
            found[each.number] = found[viewed.number] if isinstance(viewed, Value) else None
        else:
            found[each.number] = each.number
        if found[each.number] == each.number or each.block is RESHAPE:
            in_order.add(each.number)
    return found


def _is_view(each: Instruction, in_order: set[int]) -> bool:
    if each.block is INDEX:
        return is_simple(each.operands[1])
    if each.block is RESHAPE:
        return not isinstance(each.operands[0], Value) or each.operands[0].number in in_order
    return each.block in (TRANSPOSE, BROADCAST)


def lifetimes_of(instructions: Instructions, bases: Bases) -> list[Lifetime]:
    """The lifetimes of all values that have bytes of their own here, in running order.

    What is returned or stored lives to the end, which is the number of instructions; what nothing reads, while it is
    made. Who reads a view reads what it is a view of.
    """
    order = list(instructions)
    last = {bases[number]: len(order) for number in instructions.returned}
    for place in range(len(order) - 1, -1, -1):
        for number in (order[place].number, *order[place].reads):
            last.setdefault(bases[number], place)
    return [
        Lifetime(each.number, place, last[each.number], each.bytes)
        for place, each in enumerate(order)
        if bases[each.number] == each.number and not each.is_input
    ]


def live_bytes(lifetimes: Iterable[Lifetime], count: int) -> list[int]:
    """The bytes that live at each of ``count`` places.

    >>> live_bytes([Lifetime(0, 0, 1, 8), Lifetime(1, 1, 2, 16)], 3)
    [8, 24, 16]
    """
    changes = [0] * (count + 1)
    for each in lifetimes:
        changes[each.first] += each.bytes
        if each.last < count:
            changes[each.last + 1] -= each.bytes
    found, now = [], 0
    for change in changes[:count]:
        now += change
        found.append(now)
    return found


# ---- writing in place ----


def overwritten(instructions: Instructions, bases: Bases, lifetimes: Sequence[Lifetime]) -> dict[int, int]:
    """By instruction the operand that its value may be written over.

    The instruction computes each entry from those at the same place, or writes into its first operand. The operand has
    bytes of its own here, no parameter's and no storage's; it has the shape and dtype of the value; nothing reads it,
    or a view of it, later; and no other operand is a view of it, whose entries would be at other places.
    """
    life = {each.number: each for each in lifetimes}
    found: dict[int, int] = {}
    for place, each in enumerate(instructions):
        if each.number not in life:
            continue
        for number in _may_be_written_over(each):
            operand = instructions[number]
            is_same = (operand.shape, operand.dtype) == (each.shape, each.dtype)
            is_alone = all(bases[read] != number or read == number for read in each.reads)
            if number in life and life[number].last == place and is_same and is_alone:
                found[each.number] = number
                break
    return found


def _may_be_written_over(each: Instruction) -> list[int]:
    if each.block is SET:
        return each.reads[:1] if isinstance(each.operands[0], Value) else []
    return each.reads if each.block.partials else []


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
