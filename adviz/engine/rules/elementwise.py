"""What the rules of elementwise functions have in common; there is one file for each family of them.

A rule is one record: the value, and for each operand the local partial derivative, how it is written and as a function
of the value ``y`` and the operands, which works on numbers and arrays alike; besides what a textbook says of it, and
how programs compute it. Where a function has a kink (``abs`` at 0, ties of ``maximum``) the rule takes the mean of the
one-sided derivatives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from ..blocks import BLOCK_OF, Block, Elementwise, Partial, Rule, Words, is_traced
from ..jacobians.local import Diagonal

OF_ENTRIES: dict[Any, Elementwise] = {}
"""The Block of a function of NumPy that works entry by entry, and is no ufunc."""


def elementwise(function: Any, symbol: str, *partials: tuple[str, Partial], **record: Any) -> Elementwise:
    """Make the Block of a ufunc, or another function of entries, and let it be found as that."""
    formulas, functions = zip(*partials, strict=True)
    block = Elementwise(function.__name__, function, *functions, symbol=symbol, formulas=formulas, **record)
    if isinstance(function, np.ufunc):
        BLOCK_OF[function] = block
    else:
        OF_ENTRIES[function] = block
    return block


def zero(y: Any, *operands: Any) -> float:
    """Return the partial of a piecewise constant function."""
    return 0.0


def rounded(function: Callable[[float], int]) -> Callable[[float], float]:
    """Let a function that returns integers return floats, zero with its sign; infinity and NaN stay as they are."""
    return lambda x: math.copysign(function(x), x) if math.isfinite(x) else x


# ---- kinks ----


def at_zero(y: Any, x: Any, *others: Any) -> Any:
    """Return whether the first operand is 0."""
    return np.equal(x, 0.0)


def tied(y: Any, a: Any, b: Any) -> Any:
    """Return whether both operands are equal."""
    return np.equal(a, b)


def kinked(slope: Any, x: Any, z: Any = 0.0) -> Any:
    """``slope``, which is a mean where ``x = z``: a derivative of it that is taken in turn is undefined there.

    In a trace for all points nothing is marked: its programs look for kinks at the points that come.
    """
    if x is z:
        return slope
    if any(map(holds_objects, (x, z))):
        return np.frompyfunc(kinked, 3, 1)(slope, x, z)
    if not (is_traced(x) or is_traced(z)):
        return slope
    if (x if is_traced(x) else z).tape.symbolic:
        note_tie(x, z)
        return slope
    at_kink = np.equal(_untraced(x), _untraced(z))
    return marked(slope, x - z, at_kink)


def marked(slope: Any, x: Any, at_kink: Any) -> Any:
    """``slope`` as a function of ``x`` whose derivative is undefined at some entries, if there are any."""
    if holds_objects(x):
        return np.frompyfunc(marked, 3, 1)(slope, x, at_kink)
    is_kinked = is_traced(x) and _are_kinks_marked.get() and np.any(at_kink)
    return KINK(slope, x, at_kink) if is_kinked else slope


def note_tie(x: Any, z: Any = 0.0) -> None:
    """Note that ``x = z`` decides between parts of a function of which a derivative is being recorded, if it holds.

    What is recorded is a kink that nothing depends on: whether the parts fit together, only the points around say.
    """
    if holds_objects(x) or holds_objects(z):
        np.frompyfunc(note_tie, 2, 1)(x, z)
        return
    if not (is_traced(x) or is_traced(z)):
        return
    tape = (x if is_traced(x) else z).tape
    if tape.level >= 1 and not tape.symbolic and np.any(at_tie := np.equal(_untraced(x), _untraced(z))):
        marked(0.0, np.subtract(x, z), at_tie)
    elif getattr(tape, "ties", None) is not None:
        tape.ties.append((x, z))


def undefined_at(ties: Sequence[tuple[Any, Any]]) -> Any:
    """Return 0, as a function whose derivative is infinite where two numbers are equal, so that others are asked."""
    result: Any = 0.0
    for x, z in ties:
        is_equal = np.equal(x, z)
        root = np.sqrt(np.where(is_equal, np.subtract(x, z), 1.0))
        result = result + np.sum(np.where(is_equal, root, 0.0))
    return result


@contextmanager
def beside_kinks() -> Iterator[None]:
    """Mark nothing: what is tied at points in general position is equal around them, and a mean of slopes exact."""
    token = _are_kinks_marked.set(False)
    try:
        yield
    finally:
        _are_kinks_marked.reset(token)


_are_kinks_marked = ContextVar("are_kinks_marked", default=True)


def _untraced(datum: Any) -> Any:
    while is_traced(datum):
        datum = datum.data
    return datum


def holds_objects(datum: Any) -> bool:
    """Return whether data are an array of objects: the numbers of an outer trace in the scalar grain."""
    return isinstance(datum, np.ndarray) and datum.dtype == object


def itself(known: Callable[[], Block], ufunc: Callable[..., Any]) -> Callable[..., Any]:
    """Compute what a function does, for a Block with another derivative; an outer trace's values go to the Block."""

    def compute(*data: Any) -> Any:
        if any(map(is_traced, data)):
            return known()(*data)
        if any(map(holds_objects, data)):
            return np.frompyfunc(compute, len(data), 1)(*data)
        return ufunc(*data)

    return compute


KINK: Rule = Rule(
    "kink",
    itself(lambda: KINK, lambda slope, x, at_kink: slope),
    lambda y, slope, x, at_kink: [
        Diagonal(1.0, np.shape(y), np.shape(slope)),
        Diagonal(marked(np.where(at_kink, np.nan, 0.0)[()], x, at_kink), np.shape(y), np.shape(x)),
        None,
    ],
    "selection",
    words=Words(
        "The slope {a} is the mean of the slopes on both sides of a kink at {b} = 0, where it has no derivative"
        " by {b}.",
        (
            (),
            (
                (
                    "0",
                    "The mean of both slopes is no slope itself: it does not stay the same on both sides of the kink.",
                ),
            ),
        ),
        short=("1", "NaN"),
    ),
)
"""A slope that is the mean of one-sided ones at a kink, while its derivative is recorded."""
