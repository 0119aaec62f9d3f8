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

from ...graph.graph import Graph
from ..blocks import BLOCK_OF, Block, Count, Elementwise, Partial, Rule, Words, is_traced
from ..devices import is_on_device
from ..jacobians.local import Diagonal, Flat, Jacobian
from . import operation_counts
from .textbook import CONSTANT


def elementwise(ufunc: np.ufunc, symbol: str, *partials: tuple[str, Partial], **record: Any) -> Elementwise:
    """Make the Block of a ufunc, and let it be found as that."""
    formulas, functions = zip(*partials, strict=True)
    block = Elementwise(ufunc.__name__, ufunc, *functions, symbol=symbol, formulas=formulas, **record)
    BLOCK_OF[ufunc] = block
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
    if x is z or not (is_traced(x) or is_traced(z)) or (x if is_traced(x) else z).tape.symbolic:
        return slope
    at_kink = np.equal(_untraced(x), _untraced(z))
    return marked(slope, x - z, at_kink)


def marked(slope: Any, x: Any, at_kink: Any) -> Any:
    """``slope`` as a function of ``x`` whose derivative is undefined at some entries, if there are any."""
    return KINK(slope, x, at_kink) if _are_kinks_marked.get() and np.any(at_kink) else slope


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


def itself(known: Callable[[], Block], ufunc: Callable[..., Any]) -> Callable[..., Any]:
    """Compute what a function does, for a Block with another derivative; an outer trace's values go to the Block."""

    def compute(*data: Any) -> Any:
        if any(map(is_traced, data)):
            return known()(*data)
        if any(isinstance(each, np.ndarray) and each.dtype == object for each in data):
            return np.frompyfunc(compute, len(data), 1)(*data)
        return ufunc(*data)

    return compute


KINK: Rule = Rule(
    "kink",
    itself(lambda: KINK, lambda slope, x, at_kink: slope),
    lambda y, slope, x, at_kink: [
        Diagonal(1.0, np.shape(y), np.shape(slope)),
        Diagonal(np.where(at_kink, np.nan, 0.0)[()], np.shape(y), np.shape(x)),
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


# ---- kinks ----


# ---- positions ----

# Rules of functions that give indices: where the largest entry is, in which order entries are, where they belong.
#
# They are nodes where a trace of arrays is to hold at every point; otherwise they are computed on the data. What they
# give is piecewise constant.


def is_array(operand: Any) -> bool:
    """Return whether an operand has entries, and is no setting."""
    return isinstance(operand, float | np.number | np.ndarray) or hasattr(operand, "tape") or is_on_device(operand)


def _positions(name: str, fn: Callable[..., Any], count: Count, **record: Any) -> Rule:
    """Return a rule of indices; what has no entries among the operands is a setting."""

    def constant(y: Any, *operands: Any) -> list[Jacobian | None]:
        return [Flat(np.shape(y), np.shape(each)) if is_array(each) else None for each in operands]

    return Rule(name, fn, constant, "selection", words=CONSTANT, count=count, **record)


def _at_equal(y: Any, x: Any, axis: Any, *settings: Any) -> Any:
    return np.equal(np.diff(np.sort(x, axis=axis), axis=axis), 0.0)


ARGMAX = _positions(
    "argmax", lambda x, axis, keepdims: np.argmax(x, axis, keepdims=keepdims), operation_counts.fewer_by_results
)
ARGMIN = _positions(
    "argmin", lambda x, axis, keepdims: np.argmin(x, axis, keepdims=keepdims), operation_counts.fewer_by_results
)
ARGSORT = _positions(
    "argsort", lambda x, axis, kind: np.argsort(x, axis, kind), operation_counts.sorting, kink=_at_equal
)
ARGPARTITION = _positions(
    "argpartition", lambda x, kth, axis, kind: np.argpartition(x, kth, axis, kind), operation_counts.sorting
)
LEXSORT = _positions("lexsort", lambda axis, *keys: np.lexsort(keys, axis), operation_counts.sorting)
SEARCHSORTED = _positions("searchsorted", lambda a, v, side: np.searchsorted(a, v, side), operation_counts.searching)
DIGITIZE = _positions("digitize", np.digitize, operation_counts.searching)


# ---- kinks ----


def at_kinks(graph: Graph, data: Callable[[int], Sequence[Any]]) -> Any:
    """NaN where a node of a graph is at a kink, else 0; ``None`` where none of them has one.

    ``data`` has the value and the operands of each node; nothing for those that are left out.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: abs(x) + np.maximum(x, x), 3.0)
    >>> float(at_kinks(graph, lambda node: (3.0, 3.0)))
    0.0
    """
    result = None
    for node, block in enumerate(graph.blocks):
        if block.kink is None or (block.kink is tied and len(set(graph.operands(node))) == 1):
            continue
        if known := data(node):
            here = block.kink(*known)
            here = np.any(here) if getattr(here, "ndim", 0) else here
            result = here if result is None else np.logical_or(result, here)
    return None if result is None else np.where(result, np.nan, 0.0)
