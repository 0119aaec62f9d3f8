"""What a program decides by traced values: its comparisons, where they stand, and how they came out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from ..tape import user_frame


class Decision(NamedTuple):
    """A comparison of traced values: the instruction that asked for it, and whether it holds, for an array as bytes."""

    code: CodeType
    offset: int
    holds: bool | bytes


_kept: ContextVar[list[Decision] | None] = ContextVar("_kept", default=None)


@contextmanager
def decisions() -> Iterator[list[Decision]]:
    """Keep what is decided in this block, in order.

    >>> import adviz
    >>> with decisions() as found:
    ...     graph = adviz.trace(lambda x: x if x > 0 else -x, -3.0)
    >>> [each.holds for each in found]
    [False]
    """
    found: list[Decision] = []
    token = _kept.set(found)
    try:
        yield found
    finally:
        _kept.reset(token)


def kept(outcome: Any) -> Any:
    """Return the outcome of a comparison, which is noted if anybody keeps decisions."""
    found = _kept.get()
    frame = user_frame() if found is not None else None
    if found is not None and frame is not None:
        holds = np.asarray(outcome)
        found.append(Decision(frame.f_code, frame.f_lasti, holds.tobytes() if holds.ndim else bool(holds)))
    return outcome
