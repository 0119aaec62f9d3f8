"""Rules of reductions: sum, mean, prod, max, min, logsumexp, bincount; and of cumulative sums and products.

Operands after the first are settings unless said: an axis, a shape, a key. They are not differentiated; their Jacobian
is ``None``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..blocks import Rule, is_traced
from ..devices import as_like
from ..jacobians.local import Jacobian, LinearMap, Reduction
from .elementwise import marked
from .gathering import Indexing, split
from .textbook_arrays import ARRAYS


def shifted(x: Any, axis: int, by: int, fill: float) -> Any:
    """Shift the entries by ``by`` places along the axis; the first ones are ``fill``."""
    before = [slice(None)] * (axis % np.ndim(x))
    first = as_like(np.full(np.shape(x[(*before, slice(by))]), fill), x)
    return np.concatenate([first, x[(*before, slice(max(np.shape(x)[axis] - by, 0)))]], axis)


def products_of_others(x: Any) -> Any:
    """For each entry the product of the others along the last axis; entries may be 0."""
    before = np.cumprod(shifted(x, -1, 1, 1.0), axis=-1)
    return before * np.flip(np.cumprod(shifted(np.flip(x, -1), -1, 1, 1.0), axis=-1), -1)


def _weights_of_prod(y: Any, x: Any, axis: Any) -> Any:
    axes = tuple(range(np.ndim(x))) if axis is None else tuple(np.atleast_1d(axis) % np.ndim(x))
    kept = tuple(k for k in range(np.ndim(x)) if k not in axes)
    rows = np.transpose(x, kept + axes)
    shape = np.shape(rows)
    others = products_of_others(np.reshape(rows, (*shape[: len(kept)], math.prod(shape[len(kept) :]))))
    return np.transpose(np.reshape(others, shape), tuple(np.argsort(kept + axes)))


def _weights_of_extreme(y: Any, x: Any, axis: Any) -> np.ndarray:
    """1 at the largest (smallest) entry, shared equally among ties.

    In the scalar grain a reduction is one operation on two numbers after the other, and each of those shares equally.
    """
    top = y if axis is None or np.ndim(y) == np.ndim(x) else np.expand_dims(y, axis)
    chosen = np.equal(x, top)
    count = np.sum(chosen, axis=axis, keepdims=True)
    if not is_traced(x) or x.tape.symbolic:
        return chosen / count
    return marked(chosen / count, x, chosen & (count > 1))


def _log_sum_exp(x: Any, axis: Any, keepdims: bool) -> Any:
    """Subtract the largest entry first, so that nothing overflows."""
    top = np.max(x, axis=axis, keepdims=True) if np.size(x) else 0.0
    top = np.where(np.isfinite(top), top, 0.0)
    total = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(total, axis)


def _weights_of_log_sum_exp(y: Any, x: Any, axis: Any) -> Any:
    """The softmax; 0 where all entries are minus infinity."""
    total = y if axis is None or np.ndim(y) == np.ndim(x) else np.expand_dims(y, axis)
    return np.exp(x - np.where(np.equal(total, -np.inf), 0.0, total))


def _reduction(name: str, symbol: str, fn: Callable[..., Any], weights: Callable[..., Any]) -> Rule:
    def jacobians(y: Any, x: Any, axis: Any, keepdims: bool) -> list[Jacobian | None]:
        return [Reduction(weights(y, x, axis), axis, keepdims, np.shape(y), np.shape(x)), None, None]

    def compute(x: Any, axis: Any, keepdims: bool) -> Any:
        return fn(x, axis=axis, keepdims=keepdims)

    return Rule(name, compute, jacobians, "reduction", symbol, words=ARRAYS[name])


def _bincount(y: Any, weights: Any, places: Any, size: int) -> list[Jacobian | None]:
    return [Indexing(*split(places), np.shape(y), np.shape(weights), placed=True), None, None]


SUM = _reduction("sum", "Σ", np.sum, lambda y, x, axis: 1.0)
MEAN = _reduction("mean", "mean", np.mean, lambda y, x, axis: np.size(y) / max(np.size(x), 1))
PROD = _reduction("prod", "Π", np.prod, _weights_of_prod)
MAX = _reduction("max", "max", np.max, _weights_of_extreme)
MIN = _reduction("min", "min", np.min, _weights_of_extreme)
LOG_SUM_EXP = _reduction("logsumexp", "log Σ exp", _log_sum_exp, _weights_of_log_sum_exp)
BINCOUNT = Rule(
    "bincount",
    lambda w, places, size: np.bincount(as_like(places, w), w, size),
    _bincount,
    "reduction",
    words=ARRAYS["bincount"],
)


# ---- cumulative ----


def _recurrence(factors: Any, terms: Any, axis: int) -> Any:
    """``s[i] = terms[i] + factors[i] * s[i - 1]``, by combining neighbours, pairs, fours … (Hillis and Steele 1986)."""
    by = 1
    while by < np.shape(terms)[axis]:
        terms = terms + factors * shifted(terms, axis, by, 0.0)
        factors, by = factors * shifted(factors, axis, by, 0.0), 2 * by
    return terms


def _cumprod(y: Any, x: Any, axis: int) -> list[Jacobian | None]:
    """Without division by ``x``, so that entries may be 0."""
    before = shifted(y, axis, 1, 1.0)

    def vjp(adjoint: Any) -> Any:
        factors = shifted(np.flip(x, axis), axis, 1, 0.0)
        return before * np.flip(_recurrence(factors, np.flip(adjoint, axis), axis), axis)

    return [LinearMap(lambda tangent: _recurrence(x, before * tangent, axis), vjp, np.shape(y), np.shape(x)), None]


CUMSUM = Rule(
    "cumsum",
    np.cumsum,
    lambda y, x, axis: [
        LinearMap(
            lambda tangent: np.cumsum(tangent, axis),
            lambda adjoint: np.flip(np.cumsum(np.flip(adjoint, axis), axis), axis),
            np.shape(y),
            np.shape(x),
        ),
        None,
    ],
    "linear",
    words=ARRAYS["cumsum"],
)
CUMPROD = Rule("cumprod", np.cumprod, _cumprod, "arithmetic", words=ARRAYS["cumprod"])
