"""Results that a program keeps by number: found again by a number that is equal, and may have another derivative.

A traced number is a key by its value, as its equals are. ``memo[x]`` may so find what was computed from a plain number,
in an earlier trace, or from another traced number: the value is right, and its derivative is that of the other key.
It is the same where both keys have the same derivative, which a reverse sweep tells.
"""

from __future__ import annotations

import ast
import dis
from types import FrameType
from typing import Any

import numpy as np

from ...graph.origins import origin, syntax_at
from ...graph.syntax_trees import parse
from ..sweeps import sweeps
from ..tape import Tape, user_frame
from ..unsupported import found_as, kept_by_number, looked_up_in, stored
from ..variable import Traced


def check_lookup(one: Any, other: Any) -> None:
    """Raise if a dictionary takes one of two equal numbers for the other, and their derivatives differ."""
    tapes = [each.tape for each in (one, other) if type(each) is Traced and each.tape.hashed]
    if not tapes:
        return
    tape = max(tapes, key=lambda tape: tape.level)
    if tape.is_closed or (tape.symbolic and tape.decisions is None):
        return
    frame = user_frame()
    name = _results_read(frame) if frame else ""
    if name and not _have_same_derivative(tape, one, other):
        raise kept_by_number(name)


def _results_read(frame: FrameType) -> str:
    """Return the source of the dictionary of results that is read in a frame now; empty if there is none."""
    place = origin(frame.f_code, frame.f_lasti)
    if place is None or not place.text:
        return "a dictionary" if _may_store(frame) else ""
    try:
        read = looked_up_in(parse(place.text, mode="eval").body)
    except SyntaxError:
        return ""
    kept = found_as(frame, read) if read else None
    if read is None or not isinstance(kept, dict):
        return ""
    if _is_filled_by_class(kept) or ".setdefault(" in place.text:
        return ast.unparse(read)
    stores = map(stored, syntax_at(frame.f_code, frame.f_lasti).parents.items())
    return ast.unparse(read) if ast.unparse(read) in stores else ""


def _may_store(frame: FrameType) -> bool:
    """Return whether a function without a source looks something up now, and stores something by key."""
    instructions = list(dis.get_instructions(frame.f_code))
    now = next((each.opname for each in instructions if each.offset == frame.f_lasti), "")
    stores = any(each.opname == "STORE_SUBSCR" or each.argval == "setdefault" for each in instructions)
    return stores and not now.startswith("COMPARE_OP")


def _is_filled_by_class(kept: Any) -> bool:
    """Return whether a class derived from ``dict`` computes what is missing."""
    return "__missing__" in {
        name for kind in type(kept).__mro__ if kind.__module__ != "collections" for name in vars(kind)
    }


def _have_same_derivative(tape: Tape, one: Any, other: Any) -> bool:
    """Return whether two numbers have the same derivative with respect to the inputs of a trace."""
    seeds: dict[int, float] = {}
    for each, seed in ((one, 1.0), (other, -1.0)):
        if type(each) is Traced and each.tape is tape:
            seeds[each.index] = seeds.get(each.index, 0.0) + seed
    linear = sweeps(tape.so_far(list(seeds)))
    size, difference = (linear.reverse({k: f(seed) for k, seed in seeds.items()}) for f in (abs, float))
    scale = max((np.max(np.abs(each), initial=0.0) for each in size.values()), default=0.0)
    return all(np.all(np.abs(each) <= 1e-9 * scale) for each in difference.values())
