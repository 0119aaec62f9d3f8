"""Which loop begins another iteration, found while the program runs; needed for nested loops (``graph/loops.py``)."""

from __future__ import annotations

from types import FrameType
from typing import Any

from ...graph.loops import ControlFlow


class Iterations:
    """One call of a function with nested loops: the place of its last operation, and its variables at that time."""

    __slots__ = ("end", "flow", "offset", "seen")

    def __init__(self, flow: ControlFlow):
        self.flow, self.offset, self.end = flow, -1, -1
        self.seen: tuple[Any, ...] = ()  # the values themselves: another one cannot have the id of one that is held

    def look(self, frame: FrameType) -> int:
        """The number of loops that stay open, the last of which iterates again; 0 if offsets alone show it."""
        before, offset = self.offset, frame.f_lasti
        self.offset = offset
        if before < offset < self.end:  # straight-line code: no loop can have come between
            return 0
        flow, seen = self.flow, self.seen
        places, self.end = flow.known_signs.get((before, offset)) or flow.signs(before, offset)
        self.seen = now = tuple(map(frame.f_locals.get, flow.watched))
        for place, depth in places:
            if now[place] is not seen[place]:
                return depth
        return 0
