"""Errors that look at the user's frame: why a traced value cannot go where the program puts it, and what to do."""

from __future__ import annotations

import linecache
from dis import opname
from types import FrameType

import numpy as np

from ...graph.origins import origin
from ..trace_errors import ArrayWriteError, BranchError, ConversionError, MissingBlockError
from .tape import user_frame, user_origin


def complex_value(name: str) -> MissingBlockError:
    """The error for a Block that made complex numbers."""
    return MissingBlockError(
        f"The Block {name} made complex numbers, and Blocks are real. Compute their real and imaginary parts.",
        user_origin(),
    )


def decided_by_data() -> BranchError:
    """The error for a decision by the data in a program for all points, which takes one branch only."""
    return BranchError(
        "What is computed here depends on the values, and a program for all points takes one way only. "
        "Use np.where for a choice per point, or np.maximum, np.minimum, np.abs; or compile it with branches=True.",
        user_origin(),
    )


def unwritable() -> ArrayWriteError:
    """The error for a traced value that was to go into an array which no trace can follow."""
    frame = user_frame()
    place = origin(frame.f_code, frame.f_lasti) if frame else None
    name = place.text.split("[")[0] if place else ""
    if frame and name.isidentifier() and name not in frame.f_code.co_varnames:
        array = f"`{name}`, which was not made in the traced function{_assigned(name, frame)}"
        advice = f"Write into a copy: {name} = np.array({name})."
    else:
        array = "an array that was not made in the traced function, or by a function that adviz does not know"
        advice = "Write into a copy of it: np.array(a)."
    return ArrayWriteError(f"A traced value was written into {array}. {advice}", place)


def _assigned(name: str, frame: FrameType) -> str:
    """Where a module first assigns a name, by the text of its source."""
    path = frame.f_code.co_filename
    if name in frame.f_globals:
        for number, line in enumerate(linecache.getlines(path), 1):
            if line.startswith(f"{name} ") and "=" in line:
                return f" but at {path}:{number}"
    return ""


def cut_off(name: str) -> Exception:
    """The error for a traced value that is turned into a plain number; the advice depends on the caller."""
    frame = user_frame()
    place = origin(frame.f_code, frame.f_lasti) if frame else None
    if frame and opname[frame.f_code.co_code[frame.f_lasti]] == "STORE_SUBSCR":
        return unwritable()
    if place and place.text.startswith("complex("):
        return ConversionError("complex() makes plain numbers only. Write x + 1j * y instead.", place)
    if place and place.text.startswith(("math.", "cmath.")):
        function = place.text.split("(")[0]
        name = function.removeprefix("c").removeprefix("math.")
        name = {"fsum": "sum", "fabs": "abs", "dist": "linalg.norm", "phase": "angle"}.get(name, name)
        known = hasattr(np, name.split(".")[0])
        otherwise = "Write it out with NumPy's functions, or make a Block: adviz.define."
        advice = f"Use np.{name} instead." if known else otherwise
        return ConversionError(f"{function} works on plain numbers only. {advice}", place)
    return ConversionError(
        f"Making {name} of a traced value would cut it off from the graph. "
        "Leave it as it is, or convert after tracing.",
        place,
    )
