"""NumPy's functions of shapes, on whole arrays: reshaping, axes in another order, arrays joined and repeated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..recording.memory import is_dense, numbers_of
from ..recording.unsupported import sized_by_data
from ..rules.gathering import GATHER, SLOT
from ..rules.indexing import DIAGONAL, TAKE
from ..rules.reshaping import BROADCAST, CONCATENATE, FLIP, REPEAT, RESHAPE, ROLL, STACK, TILE, TRANSPOSE, WINDOWS
from ..variable import Variable, apart, is_symbolic_array
from .arguments import Function, Rules, as_numbers, data_of, joined, missing, named, symbolic_or_data
from .casts import axes_in_memory, is_fortran


def reshape(a: Any, /, shape: Any = None, order: Any = "C", *, newshape: Any = None, copy: Any = None) -> Any:
    """``np.reshape``; column-major order is row-major order of the reversed axes."""
    order = (order or "C").upper()
    shape = np.broadcast_to(False, np.shape(a)).reshape(newshape if shape is None else shape, order=order).shape
    if copy is False:
        raise missing("np.reshape with copy=False", "Omit it.")
    if order == "F" or (order == "A" and is_fortran(a)):
        return np.transpose(RESHAPE(np.transpose(a), shape[::-1]))
    return RESHAPE(a, shape)


def ravel(a: Any, order: str | None = "C") -> Any:
    """``np.ravel``; with ``order="K"`` in the order in memory. A view if the entries are contiguous."""
    numbers, order = numbers_of(a), (order or "C").upper()
    if order != "K":
        result = reshape(a, (-1,), order)
    else:
        axes = axes_in_memory(a)
        result = RESHAPE(a if axes == sorted(axes) else np.transpose(a, axes), (np.size(a),))
    if not isinstance(numbers, np.ndarray) or not numbers.ndim or not isinstance(result, Variable):
        return result
    flags = numbers.flags
    is_view = {"C": flags.c_contiguous, "F": flags.f_contiguous}.get(order, flags.forc or is_dense(numbers))
    return result if is_view else apart(result)


def _reshaped_like(function: Function) -> Function:
    """A function that only changes the shape: its shape is asked of an array without memory; ``reshape`` does it."""

    def apply(a: Any, *args: Any, **settings: Any) -> Any:
        return RESHAPE(a, function(np.broadcast_to(False, np.shape(a)), *args, **settings).shape)

    return apply


def _at_least(function: Function) -> Function:
    """``np.atleast_1d`` and its like, which take any number of arrays."""
    one = _reshaped_like(function)
    return lambda *arrays: one(arrays[0]) if len(arrays) == 1 else tuple(map(one, arrays))


def _transposed_like(function: Function) -> Function:
    """Return a function that permutes axes: it is asked where each axis is moved; ``transpose`` does it."""

    def apply(a: Any, *args: Any, **settings: Any) -> Any:
        sizes = np.broadcast_to(False, range(np.ndim(a)))  # all different, so that shapes tell axes apart
        return TRANSPOSE(a, function(sizes, *args, **settings).shape)

    return apply


def stack(arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None) -> Any:
    """``np.stack``: each operand is a layer."""
    return STACK(axis, *as_numbers([*map(joined, arrays)]))


def concatenate(arrays: Any, axis: int | None = 0, out: Any = None, *, dtype: Any = None) -> Any:
    """``np.concatenate``: operands one after the other."""
    parts = [joined(part) for part in arrays]
    return CONCATENATE(0 if axis is None else axis, *(map(np.ravel, parts) if axis is None else parts))


def take(a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise") -> Any:
    """``np.take``; indices that are nodes stay nodes."""
    if not is_symbolic_array(indices):
        return TAKE(a, indices, axis, *([] if mode == "raise" else [None, mode]))
    a = np.asarray(a) if isinstance(a, list | tuple) else a
    a, axis = (a if np.ndim(a) == 1 else np.ravel(a), 0) if axis is None else (a, axis % np.ndim(a))
    which, size = symbolic_or_data(indices), np.shape(a)[axis]
    which = {"clip": np.clip(which, 0, size - 1), "wrap": np.remainder(which, size)}[mode] if mode != "raise" else which
    return GATHER(a, (*[slice(None)] * axis, SLOT), which)


def taken(a: Any, indices: Any) -> Any:
    """``np.take`` of entries counted row by row; NumPy itself asks the array only, and not the indices."""
    return take(a, indices) if is_symbolic_array(indices) else np.take(a, indices)


def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """``np.roll``, along one axis also by a number that is a node."""
    if not is_symbolic_array(shift):
        return ROLL(a, data_of(shift), axis)
    flat = np.ravel(a) if axis is None else a
    size = np.shape(flat)[axis or 0]
    places = np.remainder(np.arange(size) - symbolic_or_data(shift), size)
    return np.reshape(take(flat, places, axis or 0), np.shape(a))


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    """``np.repeat``."""
    if is_symbolic_array(repeats):
        raise sized_by_data("np.repeat")
    return REPEAT(a, repeats, axis)


def _stacked(expand: Callable[[Any], Any], axis: int) -> Function:
    """``np.hstack`` and its like: arrays get the axes they lack and are concatenated."""

    def apply(arrays: Any, *, dtype: Any = None) -> Any:
        parts = [expand(joined(part)) for part in arrays]
        return concatenate(parts, axis if np.ndim(parts[0]) > 1 else 0)

    return apply


FUNCTIONS: Rules = {
    **named(np, reshape, ravel, concatenate, stack, take, roll, repeat),
    **{f: _reshaped_like(f) for f in (np.squeeze, np.expand_dims)},
    **{f: _at_least(f) for f in (np.atleast_1d, np.atleast_2d, np.atleast_3d)},
    **{f: _transposed_like(f) for f in (np.transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.matrix_transpose)},
    np.flip: lambda m, axis=None: FLIP(m, axis),
    np.flipud: lambda m: FLIP(m, 0),
    np.fliplr: lambda m: FLIP(m, 1),
    np.tile: lambda A, reps: TILE(A, reps),
    np.diagonal: lambda a, offset=0, axis1=0, axis2=1: DIAGONAL(a, offset, axis1, axis2),
    np.lib.stride_tricks.sliding_window_view: lambda x, window_shape, axis=None, *, subok=False, writeable=False: (
        WINDOWS(x, window_shape, axis)
    ),
    np.broadcast_to: lambda array, shape, subok=False: BROADCAST(
        array, shape if type(shape) is tuple else tuple(np.ravel(shape).tolist())
    ),
    np.vstack: _stacked(np.atleast_2d, 0),
    np.hstack: _stacked(np.atleast_1d, 1),
    np.column_stack: _stacked(lambda a: reshape(a, (-1, 1)) if np.ndim(a) < 2 else a, 1),
    np.dstack: _stacked(np.atleast_3d, 2),
    np.append: lambda arr, values, axis=None: concatenate((arr, values), axis),
}
