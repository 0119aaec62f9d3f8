"""NumPy's functions that call a function of the program for each number or row, and join the results.

``np.vectorize`` is a class and does not ask its arguments whether they are traced; ``overrides.py`` replaces its code.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.object_arrays import as_plain_array
from .arguments import Overrides, Rules, holds_traced, joined, missing


def apply_along_axis(func1d: Any, axis: int, arr: Any, *args: Any, **settings: Any) -> Any:
    """``np.apply_along_axis``: the axis is replaced by those of the results."""
    axis = axis % np.ndim(arr)
    rows = np.moveaxis(arr, axis, -1)
    shape = np.shape(rows)[:-1]
    found = [func1d(rows[place], *args, **settings) for place in np.ndindex(shape)]
    if not found:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    added = np.ndim(found[0])
    whole = _together(found, shape)
    return np.moveaxis(whole, range(len(shape), len(shape) + added), range(axis, axis + added))


def _together(values: list[Any], shape: tuple[int, ...]) -> Any:
    parts = [joined(part) for part in values]
    return np.reshape(np.stack(parts), shape + np.shape(parts[0]))


def vectorized(original: Any, self: Any, func: Any, args: Any) -> Any:
    """Call an object of ``np.vectorize``: with a signature the function gets vectors and matrices, else numbers.

    The function may use traced variables from outside, so it is called here whatever its arguments are.
    """
    cores = [len(core) for core in self._in_and_out_core_dims[0]] if self.signature else [0] * len(args)
    if len(cores) != len(args) or any(np.size(arg) == 0 for arg in args) or not args:
        return original(self, func=func, args=args)
    arrays = [joined(arg) if holds_traced(arg) else np.asarray(arg) for arg in args]
    shape = np.broadcast_shapes(*(np.shape(a)[: np.ndim(a) - core] for a, core in zip(arrays, cores, strict=True)))
    arrays = [
        np.broadcast_to(a, shape + np.shape(a)[np.ndim(a) - core :]) for a, core in zip(arrays, cores, strict=True)
    ]
    result = [func(*(_entry(array, place) for array in arrays)) for place in np.ndindex(shape)]
    if not isinstance(result[0], tuple):
        return _typed(result, shape, self.otypes and self.otypes[0])
    kinds = self.otypes or [None] * len(result[0])
    return tuple(
        _typed(list(column), shape, kind) for column, kind in zip(zip(*result, strict=True), kinds, strict=True)
    )


def _entry(array: Any, place: tuple[int, ...]) -> Any:
    """Return an entry; numbers as Python's, as NumPy passes them."""
    entry = array[place]
    return entry.item() if isinstance(entry, np.generic) else entry


def _typed(values: list[Any], shape: tuple[int, ...], kind: Any) -> Any:
    if not holds_traced(values):
        return as_plain_array(np.array(values, kind)).reshape(shape + np.shape(values[0]))
    if kind is not None and np.dtype(kind).kind not in "fO":
        raise missing(f"np.vectorize with otypes={kind!r}", "Only conversions between real types keep derivatives.")
    return _together(values, shape) if shape else values[0]


COMPOSED: Rules = {np.apply_along_axis: apply_along_axis}

SEARCHES: Overrides = {"vectorize._vectorize_call": vectorized}

FUNCTIONS: Overrides = {"isscalar": lambda element: np.ndim(element) == 0}
