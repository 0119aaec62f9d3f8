"""What instructions are at one moment of a pass, as lines to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

import numpy as np

from ...graph.timeline import State, Step
from .instructions import Instruction, Value

SHORT = 24
"""Characters of a plain operand."""


def listing(state: State, step: Step | None = None) -> str:
    """Return the instructions of a state, a line each; those that a Step is about have a mark.

    With the states of a timeline a pass can be watched, Step by Step. A line has the number of the instruction, what it
    does, its shape and dtype, its loop if it was fused, and the law by which it has become what it is.

    >>> import adviz, numpy as np
    >>> x = adviz.lazy.placeholder((2,), name="x")
    >>> found = adviz.lazy.computation(np.exp(x) * -1.0, x).instructions
    >>> timeline = adviz.Timeline.record(found, adviz.lazy.simplification(found))
    >>> for k, step in enumerate(timeline):
    ...     print(listing(timeline.at(k)), listing(timeline.at(k + 1), step), sep="\\n")
      0  x: (2,) float64
      1  exp(0): (2,) float64
      2  multiply(1, -1.0): (2,) float64
      return 2
      0  x: (2,) float64
    ▸ 1  exp(0): (2,) float64
    ▸ 2  negative(1): (2,) float64, by a · (-1) = -a
      return 2
    """
    marked = step.focus if step else ()
    order: Any = state["order"]
    lines = [_line(state, number, ("instruction", number) in marked) for number in order if _at(state, number)]
    return "\n".join([*lines, f"  return {', '.join(_results(state))}"])


def _at(state: Mapping[Any, Any], number: int) -> Instruction | None:
    return state.get(("instruction", number))


def _line(state: Mapping[Any, Any], number: int, is_marked: bool) -> str:
    each = state["instruction", number]
    what = each.name if each.is_input else f"{each.block.name}({', '.join(map(_operand, each.operands))})"
    group, law = state.get(("group", number)), state.get(("law", number))
    notes = [f", loop {group}" if group is not None else "", f", by {law}" if law is not None else ""]
    return f"{'▸' if is_marked else ' '} {number}  {what}: {each.shape} {each.dtype}{''.join(notes)}"


def _results(state: Mapping[Any, Any]) -> Iterator[str]:
    for k in count():
        if ("result", k) not in state:
            return
        yield _operand(state["result", k])


def _operand(operand: Any) -> str:
    """Return the number of an instruction, or plain data in short."""
    if isinstance(operand, Value):
        return str(operand.number)
    text = repr(operand.item() if isinstance(operand, np.generic) else operand)
    return text if len(text) <= SHORT and "\n" not in text else f"{type(operand).__name__} {np.shape(operand)}"
