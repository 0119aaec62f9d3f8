"""SciPy's linear maps on traced values: ``scipy.fft``, ``scipy.signal``, ``scipy.ndimage`` and ``scipy.sparse``.

Transforms are NumPy's, and those into cosines and sines as matrices. Convolutions and filters are linear in each
operand, so the derivative of a convolution is a convolution with the other operand, and that of a filter is the same
filter. Transposed, convolutions are correlations, and filters run from the end to the beginning. The filters of images
are made of correlations; what is between their pixels is linear interpolation. A sparse matrix of constants is a linear
map, too.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import reduce
from importlib import import_module
from itertools import product
from operator import add
from typing import Any

import numpy as np
import scipy

from ..arrays import as_program_array
from ..blocks import Rule, Words
from ..devices import as_like
from ..functions.arguments import (
    Function,
    Patches,
    check_unsupported,
    data_of,
    holds_traced,
    is_of_entries,
    joined,
    missing,
)
from ..functions.entries import pad
from ..functions.registry import asking
from ..jacobians.local import Jacobian, LinearMap
from ..object_arrays import is_complex
from ..rules import matrix_products, operation_counts
from ..tracing.writes import added_at, write
from .calling import bound, searched

# ---- any linear function ----


def linear(module: str, name: str, place: int, within: str = "") -> Function:
    """Return a function that is linear in one argument, along an axis: its matrix is its value at the unit vectors.

    SciPy's own function is ``within`` a module, which is not imported before it is called.
    """

    def apply(*args: Any, **settings: Any) -> Any:
        function = getattr(import_module(module + within), name)
        argument = list(inspect.signature(function).parameters)[place]
        given = bound(function, args, settings)
        x, axis = joined(given.pop(argument)), given.pop("axis")
        if holds_traced(given):
            raise missing(f"{module}.{name} with traced settings", "Only the signal may be traced.")
        if given.get("zi") is not None:
            raise missing(f"{module}.{name} with zi", "Use scipy.signal.lfilter.")
        size = np.shape(x)[axis]
        columns = np.concatenate([np.zeros((size, 1)), np.eye(size)], axis=1)
        result = np.asarray(searched(function, {**given, argument: columns, "axis": 0}))
        offset, matrix = result[:, 0], result[:, 1:] - result[:, :1]
        y = np.moveaxis(x, axis, -1) @ as_like(matrix.T, x)
        return np.moveaxis(y + as_like(offset, y) if np.any(offset) else y, -1, axis)

    return apply


# ---- scipy.fft ----

ALONG_AN_AXIS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
ALONG_SEVERAL = ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")


def _transform(name: str) -> Function:
    """Return SciPy's function of the name that NumPy's has; how it computes makes no difference."""
    numpys = getattr(np.fft, name)

    def apply(
        x: Any, n: Any = None, axis: Any = None, norm: Any = None, *_: Any, plan: Any = None, **settings: Any
    ) -> Any:
        check_unsupported(f"scipy.fft.{name}", "Omit it.", plan=plan)
        which = {key: settings.pop(key) for key in ("s", "axes") if key in settings}
        given = {"norm": norm} | ({} if n is None else {first: n}) | ({} if axis is None else {second: axis})
        return numpys(joined(x), **given, **which)

    first, second = ("n", "axis") if name in ALONG_AN_AXIS else ("s", "axes")
    return apply


# ---- scipy.signal: convolutions ----

CONVOLVED, FILTERED = asking("scipy.signal", "convolve"), asking("scipy.signal", "lfilter")


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


# ---- scipy.signal: filters ----


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
        ((("filter", "To go back, the filter has to run from the end to the beginning."),),) * 3,
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


def find_peaks(x: Any, **settings: Any) -> Any:
    """``scipy.signal.find_peaks``: where peaks are, which does not change near ``x``; what else is asked is refused."""
    check_unsupported("scipy.signal.find_peaks", "Compute it from x at the peaks.", **settings)
    return scipy.signal.find_peaks(data_of(x))


def _state(k: int, b: Any, a: Any, x: Any, y: Any, zi: Any, order: int) -> Any:
    """Return an entry of the final state: later contributions of inputs, outputs and the initial state."""
    count = np.shape(x)[-1]
    lags = [j for j in range(k + 1, order + 1) if j - k <= count]
    terms = [b[j] * x[..., count - (j - k)] for j in lags if j < np.size(b)]
    terms += [-a[j] * y[..., count - (j - k)] for j in lags if j < np.size(a)]
    terms += [zi[..., k + count]] if k + count < order else []
    return reduce(add, terms)


# ---- scipy.ndimage ----

MODES: dict[str, Any] = {
    **dict.fromkeys(("reflect", "grid-mirror"), "symmetric"),
    **dict.fromkeys(("constant", "grid-constant"), "constant"),
    **dict.fromkeys(("wrap", "grid-wrap"), "wrap"),
    "nearest": "edge",
    "mirror": "reflect",
}
"""How an image goes on beyond its edges: in SciPy's words, and in those of ``np.pad``."""

EDGES: dict[str, Any] = dict.fromkeys(("constant", "grid-constant"), "edge")
"""What stands for neighbours that are not there, and do not count."""


def _in_numpy(mode: str) -> Any:
    if mode not in MODES:
        raise RuntimeError("boundary mode not supported")
    return MODES[mode]


def _put(output: Any, value: Any) -> Any:
    """Return a result where, or in the type that, it was asked for."""
    if output is None or isinstance(output, type | np.dtype | str):
        return value if output is None else value.astype(output)
    output = as_program_array(output)
    write(output, ..., value)
    return output


def _correlated(x: Any, weights: Any, mode: str, cval: float, origins: list[int]) -> Any:
    """Return the sum of weights times what is around each entry; as many weights along each axis as SciPy has them."""
    settings = {"constant_values": cval} if _in_numpy(mode) == "constant" else {}
    sizes = np.shape(weights)
    widths = [(size // 2 + by, size - size // 2 - 1 - by) for size, by in zip(sizes, origins, strict=True)]
    if any(min(width) < 0 for width in widths):
        raise ValueError("Invalid origin; origin must satisfy -(len(weights) // 2) <= origin <= (len(weights)-1) // 2")
    around = np.lib.stride_tricks.sliding_window_view(np.pad(x, widths, MODES[mode], **settings), sizes)
    return np.tensordot(around, weights, np.ndim(x))


def correlate1d(
    input: Any,
    weights: Any,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: int = 0,
) -> Any:
    """``correlate1d``, by which SciPy filters along one axis after the other."""
    x, weights = joined(input), np.asarray(weights)
    shape, origins = [1] * np.ndim(x), [0] * np.ndim(x)
    shape[axis], origins[axis] = np.size(weights), origin
    return _put(output, _correlated(x, np.reshape(weights, shape), mode, cval, origins))


def uniform_filter1d(
    input: Any, size: int, axis: int = -1, output: Any = None, mode: str = "reflect", cval: Any = 0.0, origin: int = 0
) -> Any:
    """``uniform_filter1d``: a running mean."""
    return correlate1d(input, np.full(size, 1.0 / size), axis, output, mode, cval, origin)


def correlate_or_convolve(
    input: Any, weights: Any, output: Any, mode: str, cval: Any, origin: Any, convolution: bool, axes: Any = None
) -> Any:
    """Return what ``correlate`` and ``convolve`` are."""
    x, weights = joined(input), np.asarray(weights)
    dims = np.ndim(x)
    axes = range(dims) if axes is None else [axis % dims for axis in np.atleast_1d(axes).tolist()]
    if np.ndim(weights) != len(axes):
        raise RuntimeError(f"weights.ndim ({np.ndim(weights)}) must match len(axes) ({len(axes)})")
    origins = dict(zip(axes, np.broadcast_to(origin, len(axes)).tolist(), strict=True))
    if convolution:
        sizes = dict(zip(axes, np.shape(weights), strict=True))
        weights = np.flip(weights)
        origins = {axis: -by - (sizes[axis] % 2 == 0) for axis, by in origins.items()}
    weights = np.expand_dims(weights, tuple(axis for axis in range(dims) if axis not in origins))
    return _put(output, _correlated(x, weights, mode, cval, [origins.get(axis, 0) for axis in range(dims)]))


def map_coordinates(
    input: Any,
    coordinates: Any,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:
    """``map_coordinates``: the nearest entry (order 0), or a mean of the neighbours, by the distance to each (1)."""
    x, places = joined(input), joined(coordinates)
    where = np.asarray(data_of(places))
    given = {"coordinates": where, "order": 0, "mode": mode, "cval": -1}
    if order == 0:
        numbers = searched(
            scipy.ndimage.map_coordinates, {"input": np.arange(float(np.size(x))).reshape(x.shape), **given}
        )
        taken = np.ravel(x)[numbers.astype(int)]
        return _put(output, taken if numbers.min(initial=0) >= 0 else np.where(numbers >= 0, taken, cval))
    if order > 1 or mode == "wrap":
        name = f"scipy.ndimage.map_coordinates with {f'order={order}' if order > 1 else 'mode=wrap'}"
        raise missing(name, "Use order=1." if order > 1 else "Use mode='grid-wrap', or 'nearest'.")
    lower = np.floor(where).astype(int)
    total: Any = 0.0
    for corner in product((0, 1), repeat=np.ndim(x)):
        weight, index, is_within = 1.0, [], np.True_
        for axis, step in enumerate(corner):
            share = places[axis] - lower[axis]
            weight = weight * (share if step else 1.0 - share)
            place, size = lower[axis] + step, np.shape(x)[axis]
            margins = (max(0, -int(place.min(initial=0))), max(0, int(place.max(initial=0)) - size + 1))
            index.append(np.pad(np.arange(size), margins, EDGES.get(mode, _in_numpy(mode)))[place + margins[0]])
            is_within = is_within & (place >= 0) & (place < size)
        entries = x[tuple(index)]
        total = total + weight * (np.where(is_within, entries, cval) if mode == "grid-constant" else entries)
    if mode == "constant":
        last = np.reshape(np.subtract(np.shape(x), 1), (-1,) + (1,) * (where.ndim - 1))
        total = np.where(np.all((where >= 0) & (where <= last), axis=0), total, cval)
    return _put(output, total)


# ---- scipy.sparse ----


class Combination:
    """A sum of sparse matrices, each times a traced number: SciPy's own have plain numbers only.

    It is never added up where it meets vectors or dense matrices.
    """

    __array_priority__ = 20.0  # NumPy's arrays leave operators to it

    def __init__(self, *terms: tuple[Any, Any]):
        self.terms = terms

    def _sum(self, apply: Callable[[Any], Any]) -> Any:
        return reduce(add, (factor * apply(matrix) for factor, matrix in self.terms))

    def __matmul__(self, other: Any) -> Any:
        return self._sum(lambda matrix: matrix @ other)

    def __rmatmul__(self, other: Any) -> Any:
        return self._sum(lambda matrix: other @ matrix)

    def __mul__(self, other: Any) -> Any:
        if np.ndim(other):
            return self._sum(lambda matrix: matrix * other)
        return Combination(*((factor * other, matrix) for factor, matrix in self.terms))

    def __rmul__(self, other: Any) -> Any:
        return self._sum(lambda matrix: other * matrix) if np.ndim(other) else self * other

    def __truediv__(self, other: Any) -> Any:
        return self * (1 / other)

    def __neg__(self) -> Any:
        return self * -1.0

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Combination):
            return Combination(*self.terms, *other.terms)
        return Combination(*self.terms, (1.0, other)) if hasattr(other, "tocsr") else self.toarray() + other

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __getitem__(self, key: Any) -> Any:
        return self._sum(lambda matrix: matrix[key])

    def __getattr__(self, name: str) -> Any:
        """Return what a matrix has that is linear in its entries."""
        first = self.terms[0][1]
        if name in ("shape", "ndim", "nnz"):
            return getattr(first, name)
        if name in ("T", "real"):
            return self._sum(lambda matrix: getattr(matrix, name))
        if name in ("toarray", "todense", "sum", "mean", "diagonal", "trace", "transpose", "dot", "tocsr", "tocsc"):
            return lambda *args, **settings: self._sum(lambda matrix: getattr(matrix, name)(*args, **settings))
        if name.startswith("__") or not hasattr(first, name):
            raise AttributeError(name)
        raise missing(f"{name} of a sparse matrix times a traced number", "Use what toarray() gives.")

    __radd__ = __add__


def sparse_product(matrix: Any, other: Any) -> Any:
    """``matrix @ other``: what meets an entry of the matrix, times that entry, added up for each row."""
    other = joined(other)
    shape = np.shape(other)
    if not shape:
        return Combination((other, matrix))
    if matrix.ndim == 1:
        return sparse_product(matrix.reshape(1, -1), other)[0]
    if matrix.ndim > 2 or len(shape) > 2:
        raise missing("a product of a sparse array of more than two axes", "Use a matrix, and a vector or a matrix.")
    if matrix.shape[1] != shape[0]:
        raise ValueError(f"matmul: the shapes do not fit: {matrix.shape} @ {shape}")
    if is_complex(other):
        return sparse_product(matrix, other.real) + 1j * sparse_product(matrix, other.imag)
    if matrix.dtype.kind == "c":
        return sparse_product(matrix.real, other) + 1j * sparse_product(matrix.imag, other)
    entries = matrix.tocoo()
    rows, weights = entries.row, np.asarray(entries.data, float)
    if len(shape) == 2:
        rows, weights = rows[:, None] * shape[1] + np.arange(shape[1]), weights[:, None]
    return added_at(other[entries.col] * weights, rows, (matrix.shape[0], *shape[1:]))


def _sparse_product_from_left(matrix: Any, other: Any) -> Any:
    """``other @ matrix``."""
    return sparse_product(matrix.T, joined(other).T).T if np.ndim(other) else Combination((other, matrix))


# ---- all of them ----

REAL_TRANSFORMS = ("dct", "idct", "dst", "idst")
FILTERS = {"savgol_filter": 0, "detrend": 0, "sosfilt": 1, "sosfiltfilt": 1, "filtfilt": 2}
"""Filters that are linear maps with a matrix, and the place of the signal among their arguments."""
_IMAGES: Patches = {
    "_correlate_or_convolve": correlate_or_convolve,
    "correlate1d": correlate1d,
    "map_coordinates": map_coordinates,
    "uniform_filter1d": uniform_filter1d,
}
OF_MODULES: dict[str, dict[str, Patches]] = {
    "scipy.fft": {
        "FUNCTIONS": {
            **{name: _transform(name) for name in ALONG_AN_AXIS + ALONG_SEVERAL},
            **{name: linear("scipy.fft", name, 0, "._realtransforms_backend") for name in REAL_TRANSFORMS},
        }
    },
    "scipy.signal": {
        "FUNCTIONS": {
            **{f.__name__: f for f in (convolve, fftconvolve, convolve2d, correlate2d, lfilter)},
            "correlate": lambda in1, in2, mode="full", method="auto": convolve(in1, np.flip(joined(in2)), mode, method),
            "oaconvolve": fftconvolve,
            "find_peaks": find_peaks,
            **{name: linear("scipy.signal", name, place) for name, place in FILTERS.items()},
        }
    },
    "scipy.ndimage._filters": {"FUNCTIONS": _IMAGES},
    "scipy.ndimage._interpolation": {"FUNCTIONS": _IMAGES},
    "scipy.sparse._coo": {
        "FUNCTIONS": {
            **dict.fromkeys(("_spbase._matmul_dispatch", "_coo_base._matmul_dispatch"), sparse_product),
            **dict.fromkeys(("_spbase._rmatmul_dispatch", "_coo_base._rmatmul_dispatch"), _sparse_product_from_left),
            **dict.fromkeys(
                ("_spbase.__mul__", "_spbase.__rmul__"),
                lambda matrix, other: matrix.multiply(other) if np.ndim(other) else Combination((other, matrix)),
            ),
            "_spbase.__truediv__": lambda matrix, other: matrix * (1 / other),
            "_spbase.__add__": lambda matrix, other: matrix.toarray() + other,
            "_spbase.__sub__": lambda matrix, other: matrix.toarray() - other,
            "_spbase.__rsub__": lambda matrix, other: other - matrix.toarray(),
        }
    },
}
