"""The loops of a code object, read from its bytecode.

While a function is traced only an instruction offset is kept per operation, because that is nearly free. Which loop an
operation ran in, and in which iteration, is worked out afterwards, here: two operations that follow each other in one
frame are in the same iteration if the second can be reached from the first without going round a loop that holds both.
"""

from __future__ import annotations

import dis
from bisect import bisect_right
from collections.abc import Callable
from functools import wraps
from types import CodeType
from typing import NamedTuple, TypeVar

T = TypeVar("T")
MOST_CODES = 512
_ENDS = {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_BACKWARD"}


def per_code(function: Callable[[CodeType], T]) -> Callable[[CodeType], T]:
    """Remember what a function of a code object returned, by identity: hashing a code object reads all of it."""
    known: dict[int, tuple[CodeType, T]] = {}

    @wraps(function)
    def remembering(code: CodeType) -> T:
        found = known.get(id(code))
        if found is None:
            if len(known) >= MOST_CODES:
                known.clear()
            found = known[id(code)] = (code, function(code))  # holds on to the code, so that its id stays its own
        return found[1]

    return remembering


class Loop(NamedTuple):
    """A range of instruction offsets that is run again and again; ``end`` is inside it."""

    start: int
    end: int


class Move(NamedTuple):
    """What happened between two operations: how many loops stayed open, and whether the innermost went round."""

    kept: int
    again: bool


class ControlFlow:
    """Loops and reachability of one code object."""

    def __init__(self, code: CodeType):
        instructions = list(dis.get_instructions(code))
        self._starts = [instruction.offset for instruction in instructions]
        self._calls = {instruction.offset for instruction in instructions if instruction.opname.startswith("CALL")}
        self._next: dict[int, list[int]] = {}
        ends: dict[int, int] = {}
        for instruction, following in zip(instructions, [*instructions[1:], None], strict=True):
            here, successors = instruction.offset, []
            if following is not None and instruction.opname not in _ENDS:
                successors.append(following.offset)
            if instruction.opcode in _JUMPS:
                target = instruction.argval
                successors.append(target)
                if target <= here and instruction.opname != "JUMP_BACKWARD_NO_INTERRUPT":  # that one waits in `await`
                    ends[target] = max(here, ends.get(target, here))
            self._next[here] = successors
        self.loops = sorted((Loop(start, end) for start, end in ends.items()), key=lambda loop: (loop.start, -loop.end))
        self._moves: dict[tuple[int, int], Move] = {}
        self._nests: dict[int, tuple[Loop, ...]] = {}

    def nest(self, offset: int) -> tuple[Loop, ...]:
        """The loops around an instruction, outermost first."""
        nest = self._nests.get(offset)
        if nest is None:
            offset = self._start(offset)
            nest = self._nests[offset] = tuple(loop for loop in self.loops if loop.start <= offset <= loop.end)
        return nest

    def is_call(self, offset: int) -> bool:
        """Whether an instruction calls a function; the others make at most one node each time they run."""
        return self._start(offset) in self._calls

    def move(self, before: int, after: int) -> Move:
        """How control can have come from one operation to the next, with as few jumps back as possible."""
        move = self._moves.get((before, after))
        if move is None:
            shared = [old for old, new in zip(self.nest(before), self.nest(after), strict=False) if old == new]
            heads = {loop.start for loop in shared}
            again = bool(shared) and not self._reaches(self._start(before), self._start(after), heads)
            move = self._moves[before, after] = Move(len(shared), again)
        return move

    def _start(self, offset: int) -> int:
        """The instruction that an offset lies in: a frame that waits for a call may point behind its first word."""
        return self._starts[bisect_right(self._starts, offset) - 1]

    def _reaches(self, before: int, after: int, heads: set[int]) -> bool:
        """Can ``after`` be run later than ``before`` without jumping back to one of ``heads``?"""
        seen, waiting = {before}, [before]
        while waiting:
            here = waiting.pop()
            for offset in self._next[here]:
                if offset == after and not (offset <= here and offset in heads):
                    return True
                if offset not in seen and not (offset <= here and offset in heads):
                    seen.add(offset)
                    waiting.append(offset)
        return False


_JUMPS = {*dis.hasjrel, *dis.hasjabs}


@per_code
def control_flow(code: CodeType) -> ControlFlow:
    """The loops of a code object, worked out once."""
    return ControlFlow(code)
