"""Where functions have a kink: there a rule has the mean of the one-sided derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...graph.graph import Graph
from ..blocks import BLOCK_OF, Block, Rule
from ..devices import is_on_device
from ..jacobians.local import Flat, Jacobian
from .elementwise import LENGTH, ROOT
from .reducing import MAX, MIN
from .textbook_arrays import ARRAYS

# ---- positions ----


def is_array(operand: Any) -> bool:
    """Whether an operand has entries, and is no setting."""
    return isinstance(operand, float | np.number | np.ndarray) or hasattr(operand, "tape") or is_on_device(operand)


def _positions(name: str, fn: Callable[..., Any]) -> Rule:
    """A rule of indices; what has no entries among the operands is a setting."""

    def constant(y: Any, *operands: Any) -> list[Jacobian | None]:
        return [Flat(np.shape(y), np.shape(each)) if is_array(each) else None for each in operands]

    return Rule(name, fn, constant, "selection", words=ARRAYS[name])


ARGMAX = _positions("argmax", lambda x, axis, keepdims: np.argmax(x, axis, keepdims=keepdims))
ARGMIN = _positions("argmin", lambda x, axis, keepdims: np.argmin(x, axis, keepdims=keepdims))
ARGSORT = _positions("argsort", lambda x, axis, kind: np.argsort(x, axis, kind))
ARGPARTITION = _positions("argpartition", lambda x, kth, axis, kind: np.argpartition(x, kth, axis, kind))
LEXSORT = _positions("lexsort", lambda axis, *keys: np.lexsort(keys, axis))
SEARCHSORTED = _positions("searchsorted", lambda a, v, side: np.searchsorted(a, v, side))
DIGITIZE = _positions("digitize", np.digitize)


# ---- kinks ----


def _at_ties(y: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    top = y if axis is None or np.ndim(y) == np.ndim(x) else np.expand_dims(y, axis)
    return np.greater(np.sum(np.equal(x, top) * 1.0, axis=axis), 1.0)


def _at_equal(y: Any, x: Any, axis: Any, *settings: Any) -> Any:
    return np.equal(np.diff(np.sort(x, axis=axis), axis=axis), 0.0)


LARGER = frozenset(BLOCK_OF[each] for each in (np.maximum, np.minimum, np.fmax, np.fmin))

KINKS: dict[Block, Callable[..., Any]] = {
    **dict.fromkeys((BLOCK_OF[np.absolute], BLOCK_OF[np.fabs]), lambda y, x: np.equal(x, 0.0)),
    BLOCK_OF[np.copysign]: lambda y, x, z: np.equal(x, 0.0),
    **dict.fromkeys(LARGER, lambda y, a, b: np.equal(a, b)),
    **dict.fromkeys((BLOCK_OF[np.hypot], LENGTH, ROOT), lambda y, *operands: np.equal(y, 0.0)),
    **dict.fromkeys((MAX, MIN), _at_ties),
    ARGSORT: _at_equal,
}
"""By the Block, a function of the value and the operands: whether they are at a kink, entry by entry or as a whole."""


def at_kinks(graph: Graph, data: Callable[[int], Sequence[Any]]) -> Any:
    """NaN where a node of a graph is at a kink, else 0; ``None`` where none of them has one.

    ``data`` has the value and the operands of each node; nothing for those that are left out.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: abs(x) + np.maximum(x, x), 3.0)
    >>> float(at_kinks(graph, lambda node: (3.0, 3.0)))
    0.0
    """
    found = None
    for node, block in enumerate(graph.blocks):
        if block not in KINKS or (block in LARGER and len(set(graph.operands(node))) == 1):
            continue
        if known := data(node):
            here = KINKS[block](*known)
            here = np.any(here) if getattr(here, "ndim", 0) else here
            found = here if found is None else np.logical_or(found, here)
    return None if found is None else np.where(found, np.nan, 0.0)
