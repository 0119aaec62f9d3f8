"""Where functions have a kink: there a rule has the mean of the one-sided derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...graph.graph import Graph
from ..blocks import Count, Rule
from ..devices import is_on_device
from ..jacobians.local import Flat, Jacobian
from . import operation_counts, rows
from .elementwise import tied
from .textbook import CONSTANT

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


LAST, FIRST = slice(-1, None), slice(1)


def neighbours(x: Any, axis: Any, part: slice = slice(None)) -> tuple[Any, Any]:
    """Return entries and those before them, in the order of their numbers along an axis: all of these, or a part."""
    rows = np.moveaxis(np.sort(x, axis=axis), -1 if axis is None else axis, 0)
    return rows[1:][part], rows[:-1][part]


def in_intervals(x: Any, ends: Any) -> tuple[Any, Any]:
    """Return numbers, and the ends of the intervals that they are in."""
    return np.expand_dims(x, -1), ends


ARGMAX, ARGMIN = (
    _positions(
        fn.__name__,
        lambda x, axis, keepdims, fn=fn: fn(x, axis, keepdims=keepdims),
        operation_counts.fewer_by_results,
        kink=lambda y, x, axis, keepdims, part=part: np.equal(*neighbours(x, axis, part)),
        **rows.reduced(fn.__name__),
    )
    for fn, part in ((np.argmax, LAST), (np.argmin, FIRST))
)
ARGSORT = _positions(
    "argsort",
    lambda x, axis, kind: np.argsort(x, axis, kind),
    operation_counts.sorting,
    kink=lambda y, x, axis, kind: np.equal(*neighbours(x, axis)),
    code="np.argsort({a}, axis={b:-1}, kind={c:None})",
    standard="xp.argsort({a}, axis={b:-1})",
)
ARGPARTITION = _positions(
    "argpartition",
    lambda x, kth, axis, kind: np.argpartition(x, kth, axis, kind),
    operation_counts.sorting,
    kink=lambda y, x, kth, axis, kind: np.equal(*neighbours(x, axis)),
    code="np.argpartition({a}, {b}, {c}, {d:'introselect'})",
    standard="xp.argsort({a}, axis={c})",
)
LEXSORT = _positions(
    "lexsort",
    lambda axis, *keys: np.lexsort(keys, axis),
    operation_counts.sorting,
    kink=lambda y, axis, *keys: np.equal(*neighbours(keys[-1], axis)),
    code="np.lexsort([{b...}], {a})",
    standard="xp.lexsort([{b...}], {a})",
)
SEARCHSORTED = _positions(
    "searchsorted",
    lambda a, v, side: np.searchsorted(a, v, side),
    operation_counts.searching,
    kink=lambda y, a, v, side: np.equal(*in_intervals(v, a)),
    code="np.searchsorted({a}, {b}, side={c:'left'})",
    standard="xp.searchsorted({a!reals}, {b!array}, side={c})",
)
DIGITIZE = _positions(
    "digitize",
    np.digitize,
    operation_counts.searching,
    kink=lambda y, x, bins, right: np.equal(*in_intervals(x, bins)),
)


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
