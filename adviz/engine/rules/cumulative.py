"""Rules of cumulative sums and products: cumsum, cumprod.

Operands after the first are settings unless said: an axis, a shape, a key. They are not differentiated; their Jacobian
is ``None``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..blocks import Rule
from ..devices import as_like
from ..jacobians.local import Jacobian, LinearMap


def shifted(x: Any, axis: int, by: int, fill: float) -> Any:
    """Shift the entries by ``by`` places along the axis; the first ones are ``fill``."""
    before = [slice(None)] * (axis % np.ndim(x))
    first = as_like(np.full(np.shape(x[(*before, slice(by))]), fill), x)
    return np.concatenate([first, x[(*before, slice(max(np.shape(x)[axis] - by, 0)))]], axis)


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
)
CUMPROD = Rule("cumprod", np.cumprod, _cumprod, "arithmetic")
