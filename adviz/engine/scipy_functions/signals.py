"""``scipy.signal`` on traced values: convolutions and filters.

Both are linear in each operand, so the derivative of a convolution is a convolution with the other operand, and that of
a filter is the same filter. Transposed, convolutions are correlations, and filters run from the end to the beginning.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np
import scipy.signal

from ..blocks import Rule, Words
from ..devices import as_like
from ..functions.arguments import Overrides, holds_traced, is_of_entries, joined, missing
from ..functions.overrides import asking
from ..functions.rearranging import pad
from ..jacobians.local import Jacobian, LinearMap
from ..rules import matrix_products, operation_counts
from .calling_scipy import linear

CONVOLVED, FILTERED = asking(scipy.signal.convolve), asking(scipy.signal.lfilter)

# ---- convolutions ----


def _convolution(y: Any, a: Any, b: Any, method: str) -> list[Jacobian | None]:
    def along(other: Any, own: Any) -> Jacobian:
        return LinearMap(
            lambda t: CONVOLVED(t, other, "full", method),
            lambda c: CONVOLVED(c, np.flip(other), "valid", method),
            np.shape(y),
            np.shape(own),
        )

    return [along(b, a), along(a, b), None]


CONVOLVE = Rule(
    "convolve",
    lambda a, b, method: CONVOLVED(a, b, "full", method),
    _convolution,
    "linear",
    "∗",
    code="scipy.signal.convolve({a}, {b}, 'full', {c})",
    gives_array=True,
    words=matrix_products.CONVOLVE.words,
    count=operation_counts.convolve,
)


def _convolved_by_entries(a: Any, b: Any) -> Any:
    """Return products of each entry with each, added where indices add up to the same."""
    terms: dict[tuple[int, ...], list[Any]] = {}
    for i in np.ndindex(np.shape(a)):
        for j in np.ndindex(np.shape(b)):
            terms.setdefault(tuple(map(add, i, j)), []).append(a[i] * b[j])
    shape = tuple(m + n - 1 for m, n in zip(np.shape(a), np.shape(b), strict=True))
    return np.reshape(np.stack([reduce(add, terms[place]) for place in np.ndindex(shape)]), shape)


def convolve(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """``scipy.signal.convolve``: the part of the full convolution that ``mode`` selects."""
    a, b = joined(in1), joined(in2)
    if np.ndim(a) != np.ndim(b):
        raise ValueError("volume and kernel should have the same dimensionality")
    if not np.ndim(a):
        return np.multiply(a, b)
    whole = _convolved_by_entries(a, b) if is_of_entries(a, b) else CONVOLVE(a, b, method)
    return _part(whole, np.shape(a), np.shape(b), mode)


def _part(whole: Any, first: tuple[int, ...], second: tuple[int, ...], mode: str) -> Any:
    """The part of a convolution that has the shape of the first operand, or where the operands wholly overlap."""
    if mode == "full":
        return whole
    if mode == "same":
        starts, sizes = [(n - 1) // 2 for n in second], list(first)
    elif mode == "valid":
        gaps = np.subtract(first, second)
        if np.any(gaps > 0) and np.any(gaps < 0):
            raise ValueError("For 'valid' mode, one must be at least as large as the other in every dimension")
        starts, sizes = (np.minimum(first, second) - 1).tolist(), (np.abs(gaps) + 1).tolist()
    else:
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    return whole[tuple(slice(start, start + size) for start, size in zip(starts, sizes, strict=True))]


def fftconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    """``scipy.signal.fftconvolve`` along all axes."""
    if axes is not None:
        raise missing("scipy.signal.fftconvolve with axes", "Omit it.")
    return convolve(in1, in2, mode, "fft")


BORDERS = {"fill": "constant", "wrap": "wrap", "symm": "symmetric"}
"""The modes of ``np.pad`` for the boundaries."""


def convolve2d(in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0) -> Any:
    """``scipy.signal.convolve2d``: of an array that is extended beyond its boundary."""
    a, b = joined(in1), joined(in2)
    if np.ndim(a) != 2 or np.ndim(b) != 2:
        raise ValueError("convolve2d inputs must both be 2-D arrays")
    if boundary not in BORDERS:
        raise ValueError("Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and 'symmetric' (or 'symm').")
    plain_border = boundary == "fill" and not holds_traced(fillvalue) and fillvalue == 0
    if plain_border or mode == "valid":
        return convolve(a, b, mode, "direct")
    filling: Any = {"constant_values": fillvalue} if boundary == "fill" else {}
    widths = [(n - 1, n - 1) for n in np.shape(b)]
    border: Any = BORDERS[boundary]
    wider = (np.pad if holds_traced(a) else pad)(a, widths, border, **filling)
    whole = convolve(wider, b, "valid", "direct")
    return _part(whole, np.shape(a), np.shape(b), mode)


def correlate2d(in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0) -> Any:
    """``scipy.signal.correlate2d``, whose ``same`` is centered differently from that of a convolution."""
    a, b = joined(in1), joined(in2)
    if mode == "same":
        whole = convolve2d(a, np.flip(b), "full", boundary, fillvalue)
        starts = [n - 1 - (n - 1) // 2 for n in np.shape(b)]
        return whole[tuple(slice(start, start + n) for start, n in zip(starts, np.shape(a), strict=True))]
    return convolve2d(a, np.flip(b), mode, boundary, fillvalue)


# ---- filters ----


def _lfilter(y: Any, b: Any, a: Any, x: Any) -> list[Jacobian]:
    """Along the last axis: ``a ∗ y = b ∗ x``, so that ``a ∗ dy = db ∗ x + b ∗ dx - da ∗ y``."""
    one = as_like(np.ones(1), y)

    def back(c: Any, numerator: Any) -> Any:
        return np.flip(FILTERED(numerator, a, np.flip(c, -1)), -1)

    def along(part: Any, taps: Any, sign: float) -> Jacobian:
        def vjp(c: Any) -> Any:
            response = back(c, one)
            lags = [
                np.sum(response[..., k:] * part[..., : np.shape(part)[-1] - k])
                if k < np.shape(part)[-1]
                else 0.0 * np.sum(c)
                for k in range(np.size(taps))
            ]
            return sign * np.stack(lags)

        return LinearMap(lambda t: sign * FILTERED(t, a, part), vjp, np.shape(y), np.shape(taps))

    return [
        along(x, b, 1.0),
        along(y, a, -1.0),
        LinearMap(lambda t: FILTERED(b, a, t), lambda c: back(c, b), np.shape(y), np.shape(x)),
    ]


LFILTER = Rule(
    "lfilter",
    FILTERED,
    _lfilter,
    "linear",
    code="scipy.signal.lfilter({a...})",
    words=Words(
        "A filter is linear in its signal: the adjoint runs through the same filter from the end to the beginning.",
        (
            (("filter", "To go back, the filter has to run from the end to the beginning."),),
            (("filter", "To go back, the filter has to run from the end to the beginning."),),
            (("filter", "To go back, the filter has to run from the end to the beginning."),),
        ),
        gates=("correlate with {c}", "correlate with {y}", "filter from the end"),
    ),
)


def _filtered_by_entries(b: Any, a: Any, x: Any) -> Any:
    """Return the recurrence, one number after the other along the last axis."""
    columns: list[Any] = []
    for n in range(np.shape(x)[-1]):
        terms = [b[k] * x[..., n - k] for k in range(min(len(b), n + 1))]
        terms += [-a[k] * columns[n - k] for k in range(1, min(len(a), n + 1))]
        columns.append(reduce(add, terms) / a[0])
    return np.stack(columns, axis=-1)


def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """``scipy.signal.lfilter``; with ``zi``, the initial state, it also returns the final state."""
    b, a, x = np.atleast_1d(joined(b)), np.atleast_1d(joined(a)), np.moveaxis(joined(x), axis, -1)
    run = _filtered_by_entries if is_of_entries(b, a, x) else LFILTER
    y = run(b, a, x)
    if zi is None:
        return np.moveaxis(y, -1, axis)
    zi, count, order = np.moveaxis(joined(zi), axis, -1), np.shape(x)[-1], max(np.size(a), np.size(b)) - 1
    padding = as_like(np.zeros((*np.shape(zi)[:-1], max(count - order, 0))), zi)
    y = y + run(a[:1], a, np.concatenate([zi, padding], axis=-1)[..., :count])
    state = [_state(k, b / a[0], a / a[0], x, y, zi, order) for k in range(order)]
    return np.moveaxis(y, -1, axis), np.moveaxis(np.stack(state, axis=-1), -1, axis)


def _state(k: int, b: Any, a: Any, x: Any, y: Any, zi: Any, order: int) -> Any:
    """Return an entry of the final state: later contributions of inputs, outputs and the initial state."""
    count = np.shape(x)[-1]
    lags = [j for j in range(k + 1, order + 1) if j - k <= count]
    terms = [b[j] * x[..., count - (j - k)] for j in lags if j < np.size(b)]
    terms += [-a[j] * y[..., count - (j - k)] for j in lags if j < np.size(a)]
    terms += [zi[..., k + count]] if k + count < order else []
    return reduce(add, terms)


FUNCTIONS: Overrides = {
    **{f.__name__: f for f in (convolve, fftconvolve, convolve2d, correlate2d, lfilter)},
    "correlate": lambda in1, in2, mode="full", method="auto": convolve(in1, np.flip(joined(in2)), mode, method),
    "oaconvolve": fftconvolve,
}
for _place, _names in enumerate((("savgol_filter", "detrend"), ("sosfilt", "sosfiltfilt"), ("filtfilt",))):
    FUNCTIONS |= {name: linear("scipy.signal", getattr(scipy.signal, name), _place) for name in _names}
