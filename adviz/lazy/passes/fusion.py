"""Fusion: operations on entries, and a reduction at the end, that could run as one loop are put into one group.

Source: Kennedy, Fast greedy weighted fusion (2001): of all edges whose ends may be fused, take the heaviest, and go on
with what both are then. The weight of an edge is the bytes that need not be written to memory and read again.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from ...graph.timeline import Step
from .instructions import Instruction, Instructions


def fusion(instructions: Instructions) -> Iterator[Step]:
    """Put instructions into groups, one Step for each fusion, and let those of a group run one after the other.

    Fused are operations on entries of one shape, and with them a reduction of such an array; nothing that a group needs
    may need another part of the group first. ``instructions.groups`` says of each that is in one its first member.

    >>> import adviz, numpy as np
    >>> x = adviz.lazy.placeholder((2,), name="x")
    >>> found = adviz.lazy.computation(np.sum(np.tanh(np.exp(x))) * 2, x).instructions
    >>> [step.kind for step in fusion(found)], found.groups
    (['fuse', 'fuse'], {1: 1, 2: 1, 3: 1})
    """
    groups = _Groups(instructions)
    while (pair := groups.heaviest()) is not None:
        members = groups.fuse(*pair)
        first = min(members, key=groups.places.__getitem__)
        changed = [number for number in members if instructions.groups.get(number) != first]
        edits = tuple(instructions.group(number, first) for number in changed)
        yield Step("fuse", edits, tuple(("instruction", number) for number in members))
    order = groups.order()
    if order != [each.number for each in instructions]:
        yield Step("arrange", (instructions.arrange(order),))


def is_of_entries(each: Instruction) -> bool:
    """Return whether each entry of the value is made of those at the same place."""
    return bool(each.block.partials) and bool(each.reads)


def is_reduction(each: Instruction) -> bool:
    """Return whether entries along axes of one array are made one."""
    return each.block.family == "reduction" and len(each.reads) == 1


def loops_of(instructions: Instructions) -> list[list[Instruction]]:
    """Return the instructions by loops, in running order: each alone but for the members of a group that still is one.

    Passes that run after :func:`fusion` may take a group apart: its members are neighbors, of one shape, and none reads
    a reduction that another one is.
    """
    result: list[list[Instruction]] = []
    for label, members in groupby(instructions, lambda each: instructions.groups.get(each.number)):
        loop = list(members)
        result += [loop] if label is not None and _is_loop(instructions, loop) else [[each] for each in loop]
    return result


def _is_loop(instructions: Instructions, members: list[Instruction]) -> bool:
    own = {each.number: each for each in members}
    for each in members:
        within = [own[read] for read in each.reads if read in own]
        is_fit = is_of_entries(each) or (is_reduction(each) and len(within) == 1)
        if not is_fit or not all(map(is_of_entries, within)):
            return False
    return len({each.shape if is_of_entries(each) else instructions[each.reads[0]].shape for each in members}) == 1


class _Groups:
    """Groups of instructions, by their first members; what leads from one to another; and which edges are the heaviest.

    ``loops`` has the shape of what a group runs over; ``into`` and ``out_of`` have the bytes that are handed on.
    """

    def __init__(self, instructions: Instructions):
        self.instructions, self.places = instructions, instructions.places()
        self.members: dict[int, list[int]] = {number: [number] for number in self.places}
        self.into: dict[int, dict[int, int]] = {number: {} for number in self.places}
        self.out_of: dict[int, dict[int, int]] = {number: {} for number in self.places}
        self.loops: dict[int, Any] = {}
        for each in instructions:
            if is_of_entries(each):
                self.loops[each.number] = each.shape
            elif is_reduction(each):
                self.loops[each.number] = instructions[each.reads[0]].shape
            for read in dict.fromkeys(each.reads):
                self.into[each.number][read] = self.out_of[read][each.number] = instructions[read].bytes
        self.queue = [(-weight, a, b) for a, ends in self.out_of.items() for b, weight in ends.items()]
        heapq.heapify(self.queue)

    def heaviest(self) -> tuple[int, int] | None:
        """Return the heaviest edge whose ends may be fused."""
        while self.queue:
            weight, a, b = heapq.heappop(self.queue)
            if self.out_of.get(a, {}).get(b) == -weight and self._may_be_fused(a, b):
                return a, b
        return None

    def _may_be_fused(self, a: int, b: int) -> bool:
        """Return whether ``b`` reads entries of ``a`` one by one, and nothing that has to wait for ``a``."""
        if a not in self.loops or self.loops[a] != self.loops.get(b):
            return False
        members = {*self.members[b]}
        ended = (each for each in self.members[a] if not is_of_entries(self.instructions[each]))
        if any(members.intersection(self.instructions.users(each)) for each in ended):
            return False
        return not self._is_another_way(a, b)

    def _is_another_way(self, a: int, b: int) -> bool:
        """Return whether a path leads from ``a`` to ``b`` through another group."""
        pending = [each for each in self.out_of[a] if each != b]
        seen = {*pending}
        while pending:
            for each in self.out_of[pending.pop()]:
                if each == b:
                    return True
                if each not in seen:
                    seen.add(each)
                    pending.append(each)
        return False

    def fuse(self, a: int, b: int) -> list[int]:
        """Put ``b`` into ``a``; return the members, in running order."""
        self.members[a] = sorted(self.members[a] + self.members.pop(b), key=self.places.__getitem__)
        del self.loops[b], self.out_of[a][b], self.into[b][a]
        for edges, back in ((self.out_of, self.into), (self.into, self.out_of)):
            for other, weight in edges.pop(b).items():
                edges[a][other] = back[other][a] = edges[a].get(other, 0) + weight
                del back[other][b]
        for other, weight in self.out_of[a].items():
            heapq.heappush(self.queue, (-weight, a, other))
        for other, weight in self.into[a].items():
            heapq.heappush(self.queue, (-weight, other, a))
        return self.members[a]

    def order(self) -> list[int]:
        """Return an order in which the members of each group are neighbors, close to the one of before."""
        waits = {group: len(before) for group, before in self.into.items()}
        ready = [(self.places[self.members[group][-1]], group) for group, count in waits.items() if not count]
        heapq.heapify(ready)
        result: list[int] = []
        while ready:
            _, group = heapq.heappop(ready)
            result += self.members[group]
            for user in self.out_of[group]:
                waits[user] -= 1
                if not waits[user]:
                    heapq.heappush(ready, (self.places[self.members[user][-1]], user))
        return result
