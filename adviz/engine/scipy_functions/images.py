"""``scipy.ndimage`` on traced values: correlations, which its linear filters are made of, and linear interpolation."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import scipy.ndimage

from ..arrays.program_arrays import as_program_array
from ..functions.arguments import Overrides, data_of, joined, missing
from ..writing.writes import write
from .calling_scipy import searched

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


FUNCTIONS: Overrides = {
    "_correlate_or_convolve": correlate_or_convolve,
    "correlate1d": correlate1d,
    "map_coordinates": map_coordinates,
    "uniform_filter1d": uniform_filter1d,
}
