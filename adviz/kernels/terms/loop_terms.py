"""Terms that a loop of a program makes: what it leaves, and the adjoints that it passes back."""

from __future__ import annotations

from typing import Any, NamedTuple


class Made(NamedTuple):
    """Which loop makes a term, by its first node, in which part of the program, and what of it the term is.

    ``seeds`` are the places of what the loop leaves whose adjoints are the operands.
    """

    loop: int
    part: str
    key: Any
    seeds: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: Any


class LoopOperation:
    """The operation of such terms: its first operand is a constant :class:`Made`, others are what the loop takes."""

    name = "loop"
    partials = ()


LOOP: Any = LoopOperation()
"""It is compared by identity, and not computed by itself."""
