"""The tape: rows that a trace appends to, and how a frame of the user's program becomes a call.

One row per node, six entries each, in one flat list: nothing that the garbage collector has to follow survives, and a
million nodes stay as quick as a thousand. :meth:`Tape.graph` turns the rows into the columns of a Graph.
"""

from __future__ import annotations

import os
import sys
from array import array
from copy import deepcopy
from types import CodeType, FrameType
from typing import Any

import numpy as np

from ..graph.graph import Graph
from ..graph.origins import Origin, origin
from ..graph.scopes import Call
from . import blocks
from .errors import TraceClosedError

ROW = 6
MOST_FRAMES = 64
"""Calls that have ended are forgotten when more frames than this are known."""

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_NUMPY = os.path.dirname(os.path.abspath(np.__file__)) + os.sep
_MUTABLE = (list, np.ndarray)
_internal: dict[str, bool] = {}


def internal(code: CodeType) -> bool:
    """Whether a frame with this code is NumPy's or adviz's own, not the user's."""
    path = code.co_filename
    known = _internal.get(path)
    if known is None:
        known = _internal[path] = path.startswith((_HERE, _NUMPY, "<__array_function__"))
    return known


def user_frame() -> FrameType | None:
    """The innermost frame of the user's program."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and internal(frame.f_code):
        frame = frame.f_back
    return frame


def user_origin() -> Origin | None:
    """The place in the user's source that led here."""
    frame = user_frame()
    return origin(frame.f_code, frame.f_lasti) if frame else None


class Tape:
    """The rows of one trace: block number, first and second operand, value, call, instruction offset."""

    __slots__ = (
        *("rows", "count", "literals", "copies", "rest", "inputs", "names", "grain"),
        *("root", "frame", "origin", "call", "calls", "frames", "entered"),
    )

    def __init__(self, grain: str, code: CodeType | None, root: FrameType):
        self.grain = grain
        self.rows: list[Any] = []
        self.count = 0
        self.literals: list[Any] = [None]
        self.copies: dict[int, tuple[Any, int]] = {}
        self.rest: dict[int, tuple[int, ...]] = {}
        self.inputs: list[int] = []
        self.names: dict[int, str] = {}
        self.calls = [Call(code, -1, -1)]
        # The frame of the last operation, the user's frame it belongs to, and the number of that frame's call.
        self.root: FrameType | None = root
        self.frame: FrameType | None = None
        self.origin: FrameType = root
        self.call = 0
        self.frames: dict[FrameType, int] = {root: 0}
        self.entered = False

    def enter(self, frame: FrameType) -> None:
        """Make ``frame`` the current one: find the call it belongs to, or begin a new one."""
        if self.root is None:
            raise TraceClosedError(
                "This Variable belongs to a trace that has ended. Return values from the traced function instead of keeping Variables.",
                user_origin(),
            )
        chain: list[FrameType] = []
        above: FrameType | None = frame
        while above is not None and above not in self.frames:
            if not internal(above.f_code):
                chain.append(above)
            above = above.f_back
        above = above or self.root  # a thread of the user's own has no way back to the trace
        for user in reversed(chain):
            self._open(user, above)
            above = user
        self.frame, self.origin, self.call = frame, above, self.frames[above]

    def _open(self, frame: FrameType, above: FrameType) -> None:
        """Give a frame of the user's program a call of its own; the traced function itself has call 0."""
        if len(self.frames) > MOST_FRAMES:
            self._forget_ended(above)
        if above is self.root and frame.f_code is self.calls[0].code and not self.entered:
            self.entered = True
            self.frames[frame] = 0
            return
        self.calls.append(Call(frame.f_code, self.frames[above], -1 if above is self.root else above.f_lasti))
        self.frames[frame] = len(self.calls) - 1

    def _forget_ended(self, frame: FrameType | None) -> None:
        """Let go of frames that have returned, with all that their variables hold."""
        running: dict[FrameType, int] = {}
        while frame is not None:
            if frame in self.frames:
                running[frame] = self.frames[frame]
            frame = frame.f_back
        self.frames = running

    def literal(self, value: Any) -> int:
        """The operand for a constant of the program; arrays and lists are copied, since their owner may write to them."""
        if isinstance(value, list) or (isinstance(value, tuple) and any(isinstance(part, _MUTABLE) for part in value)):
            value = deepcopy(value)
        if isinstance(value, np.ndarray) and value.flags.writeable:
            known = self.copies.get(id(value))
            if known and np.array_equal(self.literals[~known[1]], value, equal_nan=value.dtype.kind == "f"):
                return known[1]
            self.copies[id(value)] = (value, ~len(self.literals))  # holds on to the array, so that its id stays its own
            value = value.copy()
        self.literals.append(value)
        return -len(self.literals)

    def close(self) -> None:
        """End the trace: Variables that outlive it are refused, frames and what they hold are let go."""
        self.root = self.frame = None
        self.frames.clear()
        self.copies.clear()

    def graph(self, outputs: list[int], title: str) -> Graph:
        """The columns of what was written down."""
        rows = self.rows
        values = rows[3::ROW]
        try:
            packed: Any = array("d", values) if all(type(value) is float for value in values) else values
        except TypeError:
            packed = values
        return Graph(
            block_table=blocks.BLOCKS,
            block_numbers=array("i", rows[0::ROW]),
            first=array("i", rows[1::ROW]),
            second=array("i", rows[2::ROW]),
            rest=self.rest,
            literals=self.literals,
            values=packed,
            calls=array("i", rows[4::ROW]),
            offsets=array("i", rows[5::ROW]),
            call_table=self.calls,
            inputs=self.inputs,
            outputs=outputs,
            names=self.names,
            title=title,
        )
