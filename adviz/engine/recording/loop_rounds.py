"""Which loop goes round, told while the program runs: needed where loops lie in loops, see :mod:`..graph.loops`."""

from __future__ import annotations

from types import FrameType
from typing import Any

from ...graph.loops import ControlFlow


class Turns:
    """One call of a function with nested loops: the place of its last operation, and its variables at that time."""

    __slots__ = ("end", "flow", "offset", "seen")

    def __init__(self, flow: ControlFlow):
        self.flow, self.offset, self.end = flow, -1, -1
        self.seen: tuple[Any, ...] = ()  # the values themselves: another one cannot have the id of one that is held

    def look(self, frame: FrameType) -> int:
        """How many loops stay open, the last of them going round; 0 if none did or offsets alone show it."""
        before, offset = self.offset, frame.f_lasti
        self.offset = offset
        if before < offset < self.end:  # on a straight line: no loop can have come between
            return 0
        flow, seen = self.flow, self.seen
        places, self.end = flow.known_signs.get((before, offset)) or flow.signs(before, offset)
        self.seen = now = tuple(map(frame.f_locals.get, flow.watched))
        for place, depth in places:
            if now[place] is not seen[place]:
                return depth
        return 0
