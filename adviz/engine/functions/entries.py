"""NumPy's functions of entries: of each by itself, and those that move, repeat, join, choose and sort them.

Functions that are ufuncs, or one Block, are not here. What rearranges entries is applied to indices, and the entries
are taken.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import accumulate
from typing import Any

import numpy as np

from ..apply import by_entries
from ..arrays import is_dense, numbers_of
from ..blocks import Block
from ..devices import as_like, to_numpy
from ..object_arrays import ObjectArray, as_object_array, as_plain_array, is_of_objects
from ..rules.elementwise import OF_ENTRIES
from ..rules.gathering import GATHER, SCATTER, SLOT
from ..rules.indexing import DIAGONAL, DIAGONAL_MATRIX, PAD, TAKE
from ..rules.powers import LENGTH, ROOT
from ..rules.reducing import BINCOUNT
from ..rules.reshaping import BROADCAST, CONCATENATE, FLIP, REPEAT, RESHAPE, ROLL, STACK, TILE, TRANSPOSE, WINDOWS
from ..rules.selection import WHERE
from ..tape import running_tapes
from ..unsupported import sized_by_data
from ..variable import Variable, apart, is_symbolic_array
from .arguments import (
    Function,
    Rules,
    as_one_array,
    as_scalars,
    axes_in_memory,
    check_unsupported,
    data_of,
    holds_traced,
    in_type,
    in_type_of,
    is_fortran,
    is_traced_array,
    joined,
    laid_out,
    laid_out_like,
    locked,
    missing,
    named,
    numpy_data,
    only_axis,
    symbolic_or_data,
    type_of,
)
from .ties import note_steps

# ---- each entry by itself ----


def elementwise(block: Block) -> Function:
    """Return an elementwise Block, on object arrays entry by entry."""

    def apply(*operands: Any) -> Any:
        if any(map(is_of_objects, operands)):
            return as_object_array(by_entries(block, len(operands))(*map(as_plain_array, operands)))
        return block(*operands)

    return apply


length, root = elementwise(LENGTH), elementwise(ROOT)
"""The square root and the power of norms: their derivative at 0 is 0."""


def clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None) -> Any:
    """``np.clip`` as maximum and minimum."""
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    a = a if low is None else np.maximum(a, low)
    return a if high is None else np.minimum(a, high)


def nan_to_num(
    x: Any, copy: bool = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Any:
    """``np.nan_to_num``."""
    largest = float(np.finfo(type_of(x) if is_traced_array(x) else float).max)
    x = np.where(np.isnan(x), nan, x)
    x = np.where(np.equal(x, np.inf), largest if posinf is None else posinf, x)
    return np.where(np.equal(x, -np.inf), -largest if neginf is None else neginf, x)


def round_half_even(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """``np.round``; with decimals, row-major unless the array is column-major."""
    if not decimals:
        return np.rint(a)
    return laid_out(np.rint(a * 10.0**decimals) / 10.0**decimals, "F" if is_fortran(a) else "C")


def frexp(x: Any) -> tuple[Any, Any]:
    """``np.frexp``; the exponent is piecewise constant."""
    exponent = np.frexp(data_of(x))[1]
    return x * np.ldexp(1.0, -exponent), exponent


# ---- shapes ----


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
    return STACK(axis, *as_scalars([*map(joined, arrays)]))


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


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Return parts of an array as slices; NumPy's own code swaps axes before and after."""
    places = np.array_split(np.arange(np.shape(ary)[axis]), indices_or_sections)
    before = (slice(None),) * (axis % np.ndim(ary))
    return [ary[(*before, slice(each[0], each[-1] + 1) if each.size else slice(0, 0))] for each in places]


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


# ---- entries in other places ----


def indices_of(*arrays: Any) -> list[np.ndarray]:
    """For each array the flat indices of its entries, counted on from one array to the next."""
    starts = accumulate((np.size(array) for array in arrays), initial=0)
    result = [
        np.arange(start, start + np.size(array)).reshape(np.shape(array))
        for start, array in zip(starts, arrays, strict=False)
    ]
    return [indices.copy("F") if is_fortran(array) else indices for indices, array in zip(result, arrays, strict=True)]


def entries(indices: Any, *arrays: Any) -> Any:
    """Return the entries with these indices, as :func:`indices_of` counts them."""
    rows = [as_like(np.ravel(array), *arrays) for array in arrays]
    result = np.take(np.concatenate(rows) if len(arrays) > 1 else arrays[0], indices)
    return laid_out_like(result, indices)


def _rearranged(function: Function) -> Function:
    """Return a function that only rearranges entries: applied to their indices."""
    return lambda a, *args, **settings: entries(function(*indices_of(a), *map(data_of, args), **settings), a)


def where(condition: Any, *choices: Any) -> Any:
    """``np.where``; the condition is not differentiated.

    The adjoint of an entry that is not chosen is 0, and 0 times an infinite partial derivative is NaN:
    choose the argument of the function as well, ``np.sqrt(np.where(x > 0, x, 1.0))``.
    """
    if len(choices) == 1:
        raise ValueError("either both or neither of x and y should be given")
    return WHERE(symbolic_or_data(condition), *choices) if choices else np.where(data_of(condition))


def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Any:
    """``np.take_along_axis`` by an index along one axis and open grids along the others."""
    if axis is None:
        return np.ravel(arr)[indices]
    grid = list(np.indices(indices.shape, sparse=True))
    grid[axis] = indices
    return arr[tuple(grid)]


def sort(a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    """``np.sort``: entries taken in the order of their data, NaN last."""
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    if axis is None:
        a, axis = np.ravel(a), -1
    ordered = take_along_axis(a, np.argsort(symbolic_or_data(a), axis=axis, kind="stable"), axis)
    if len(running_tapes()) > 1:
        note_steps(ordered, ordered, axis)
    return laid_out_like(ordered, a)


def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """``np.rot90``: axes exchanged and flipped."""
    first, second = (int(axis) % np.ndim(m) for axis in axes)
    if first == second:
        raise ValueError("Axes must be different.")
    if k % 4 in (0, 2):
        return np.flip(m, (first, second)) if k % 4 else m[...]
    return (
        np.swapaxes(np.flip(m, second), first, second) if k % 4 == 1 else np.flip(np.swapaxes(m, first, second), second)
    )


def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    """``np.insert``, applied to the indices of the entries of both arrays."""
    values = in_type(as_one_array(values), type_of(arr)) if is_traced_array(arr) else values
    first, second = indices_of(arr, values)
    return entries(np.insert(first, obj, second, axis), arr, values)


def block(arrays: Any) -> Any:
    """``np.block``, applied to the indices of the entries of all arrays."""

    def flat(part: Any) -> list[Any]:
        return [leaf for piece in part for leaf in flat(piece)] if isinstance(part, list) else [part]

    def placed(part: Any) -> Any:
        return list(map(placed, part)) if isinstance(part, list) else next(indices)

    leaves = flat(arrays)
    indices = iter(indices_of(*leaves))
    return entries(np.block(placed(arrays)), *leaves)


def choose(a: Any, choices: Any, out: Any = None, mode: Any = "raise") -> Any:
    """``np.choose``; what chooses is not differentiated."""
    if is_symbolic_array(a):
        shape = np.broadcast_shapes(np.shape(a), *map(np.shape, choices))
        whole = np.stack([np.broadcast_to(choice, shape) for choice in choices])
        which = np.broadcast_to(symbolic_or_data(a), (1, *shape))
        return take_along_axis(whole, which if mode == "raise" else _within(which, len(whole), mode), 0)[0]
    return entries(np.choose(numpy_data(a), indices_of(*choices), mode=mode), *choices)


def _within(indices: Any, size: int, mode: Any) -> Any:
    """Indices beyond the ends: the nearest within for ``"clip"``, counted on from the other end for ``"wrap"``."""
    return np.remainder(indices, size) if mode == "wrap" else np.clip(indices, 0, size - 1)


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **settings: Any) -> Any:
    """``np.piecewise``: each function on its entries, then all entries in their first order."""
    if any(map(is_symbolic_array, condlist if isinstance(condlist, list | tuple) else [condlist])):
        return _piecewise_everywhere(x, condlist, funclist, args, settings)
    conditions = (
        np.atleast_2d(np.asarray([*map(numpy_data, condlist)], bool)) if np.ndim(x) else [[c] for c in condlist]
    )
    kinds = np.full(np.shape(x), len(funclist) - 1 if len(funclist) > len(condlist) else -1)
    for kind, condition in enumerate(conditions):
        kinds = np.where(_of_leading_axes(condition, np.shape(x)), kind, kinds)
    indices = [np.flatnonzero(kinds == kind) for kind in range(-1, len(funclist))]
    result = [
        np.broadcast_to(piece(np.take(x, where), *args, **settings) if callable(piece) else piece, where.shape)
        for piece, where in zip([0.0, *funclist], indices, strict=True)
    ]
    joined = np.reshape(entries(np.argsort(np.concatenate(indices)), *result), np.shape(x))
    return laid_out_like(in_type_of(joined, x), x)


def _of_leading_axes(condition: Any, shape: tuple[int, ...]) -> Any:
    """Return a condition for all entries of an array with further axes."""
    axes = np.ndim(condition)
    return np.broadcast_to(np.reshape(condition, shape[:axes] + (1,) * len(shape[axes:])), shape)


def where_it_holds(condition: Any, *arrays: Any, otherwise: float | None = None) -> list[Any]:
    """Return arrays for a function that is called where a condition that is a node holds.

    Elsewhere they have entries for which it did hold at the example, so that the function has a finite slope there; if
    there were none, they have the number ``otherwise``, or stay as they are.
    """
    shape = np.shape(condition)
    places = np.argwhere(np.broadcast_to(data_of(condition, decides=False), shape))
    if not len(places):
        return [each if otherwise is None else np.where(condition, each, otherwise) for each in arrays]
    known = [np.broadcast_to(data_of(each, decides=False), shape)[tuple(places[0])] for each in arrays]
    return [np.where(condition, each, one) for each, one in zip(arrays, known, strict=True)]


def _piecewise_everywhere(x: Any, condlist: Any, funclist: Any, args: Any, settings: dict[str, Any]) -> Any:
    """Return nested ``np.where``."""
    conditions = condlist if isinstance(condlist, list | tuple) else [condlist]
    pieces = list(funclist)
    if len(pieces) > len(conditions):
        conditions = [*conditions, np.logical_not(reduce(np.logical_or, conditions))]
    result = as_like(np.zeros(np.shape(x), x.dtype), x)
    for condition, piece in zip(conditions, pieces, strict=True):
        known = piece(*where_it_holds(condition, x), *args, **settings) if callable(piece) else piece
        result = np.where(condition, known, result)
    return result if result.dtype == x.dtype else result.astype(x.dtype)


def select(condlist: Any, choicelist: Any, default: Any = 0.0) -> Any:
    """``np.select``: nested ``np.where``; the first condition that holds counts."""
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        default = np.where(condition, choice, default)
    return laid_out(default, "C")


def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: Any = "xy") -> tuple[Any, ...]:
    """``np.meshgrid``."""
    grids = np.meshgrid(*[np.arange(np.size(x)) for x in xi], sparse=sparse or not copy, indexing=indexing)
    placed = entries if copy else lambda grid, x: np.reshape(x, grid.shape)
    result = tuple(placed(grid, x) for grid, x in zip(grids, xi, strict=True))
    return result if copy or sparse else tuple(np.broadcast_arrays(*result))


REPEATING = ("edge", "reflect", "symmetric", "wrap")
"""Modes of padding that repeat entries."""

STATISTICS: dict[str, Function] = {"maximum": np.max, "minimum": np.min, "mean": np.mean, "median": np.median}
"""Modes of padding with one number per row."""

SETTING: dict[Any, str] = {
    "constant": "constant_values",
    "linear_ramp": "end_values",
    "reflect": "reflect_type",
    "symmetric": "reflect_type",
    **dict.fromkeys(STATISTICS, "stat_length"),
}
"""The keyword that a mode of padding takes, if any."""


def pad(array: Any, pad_width: Any, mode: Any = "constant", **settings: Any) -> Any:
    """``np.pad``, except for ``mode="empty"`` and for functions as ``mode``."""
    if isinstance(mode, str) and (unknown := settings.keys() - {SETTING.get(mode)}):
        raise ValueError(f"unsupported keyword arguments for mode {mode!r}: {unknown}")
    if mode == "constant" and not holds_traced(settings):
        constants = settings.get("constant_values", 0)
        if not np.any(constants):
            return PAD(array, pad_width) + as_like(0.0, array)
        border = np.pad(np.zeros(np.shape(array)), pad_width, constant_values=constants)
        return PAD(array, pad_width) + in_type_of(as_like(border, array), array)
    odd = settings.get("reflect_type") == "odd"
    if mode in REPEATING and not odd:
        return entries(np.pad(indices_of(array)[0], pad_width, mode=mode), array)
    if mode not in ("constant", "linear_ramp", *STATISTICS) and not (odd and mode in ("reflect", "symmetric")):
        raise missing(f"np.pad with mode={mode!r} and {settings}", "Use np.concatenate.")
    for axis, widths in enumerate(_pairs(pad_width, np.ndim(array))):
        values = [_pairs(value, np.ndim(array))[axis] for key, value in settings.items() if key != "reflect_type"]
        rows = np.moveaxis(array, axis, 0)
        ends = [
            np.flip(_beyond(np.flip(rows, 0) if end else rows, int(width), mode, *(value[end] for value in values)), 0)
            for end, width in enumerate(widths)
        ]
        array = np.moveaxis(np.concatenate([ends[0], rows, np.flip(ends[1], 0)]), 0, axis)
    return array


def _pairs(given: Any, depth: int) -> Any:
    """For each axis the setting of its two ends, as NumPy reads it."""
    if isinstance(given, dict):
        return [given.get(k, given.get(k - depth, (0, 0))) for k in range(depth)]
    given = joined(given)
    if given is None or isinstance(given, str):
        return [(given, given)] * depth
    return np.broadcast_to(given, (depth, 2))


def _beyond(rows: Any, width: int, mode: str, setting: Any = None) -> Any:
    """Return the rows that are added before the first one, the nearest first."""
    shape = np.shape(rows)[1:]
    if mode == "constant":
        return np.broadcast_to(setting, (width, *shape))
    if mode == "linear_ramp":
        end = 0.0 if setting is None else setting
        shares = np.reshape(as_like(np.arange(1, width + 1) / max(width, 1), rows), (-1,) + (1,) * len(shape))
        return rows[0] + shares * (end - rows[0])
    if mode in STATISTICS:
        count = len(rows) if setting is None else min(int(setting), len(rows))
        return np.broadcast_to(STATISTICS[mode](rows[:count], axis=0), (width, *shape))
    first = int(mode == "reflect")
    if width > len(rows) - first:
        raise missing("np.pad with reflect_type='odd' and more rows than there are to reflect", "Pad several times.")
    return 2 * rows[:1] - rows[first : width + first]


def diag(v: Any, k: int = 0) -> Any:
    """``np.diag``: a diagonal matrix of a vector, the diagonal of a matrix."""
    return np.diagonal(v, k) if np.ndim(v) > 1 else DIAGONAL_MATRIX(v, k)


def _triangle(keep: Function) -> Function:
    return lambda m, k=0: np.where(as_like(keep(np.ones(np.shape(m)[-2:], bool), k), m), m, 0.0)


def unique(ar: Any, return_index: bool = False, **settings: Any) -> Any:
    """``np.unique`` of the entries: the first of equal ones is taken."""
    check_unsupported("np.unique", "Flatten the array first.", axis=settings.get("axis"))
    if is_symbolic_array(ar):
        raise sized_by_data("np.unique")
    _, first, *others = np.unique(numpy_data(ar), return_index=True, **settings)
    result = np.take(np.ravel(ar), first)
    others = [first, *others] if return_index else others
    return (result, *others) if others else result


def partition(a: Any, kth: Any, axis: int | None = -1, kind: Any = "introselect", order: Any = None) -> Any:
    """``np.partition``: entries taken in the order of their data."""
    a, axis = (np.ravel(a), 0) if axis is None else (a, axis)
    order = np.argpartition(to_numpy(symbolic_or_data(a)), kth, axis, kind, order)
    return laid_out_like(take_along_axis(a, order, axis), a)


def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    """``np.bincount``: sums of weights; without them, counts, which are plain."""
    if is_symbolic_array(x):
        return _counted(symbolic_or_data(x), weights, minlength)
    indices = np.asarray(numpy_data(x))
    size = max(minlength, int(np.max(indices, initial=-1)) + 1)
    if isinstance(weights, ObjectArray):
        return np.stack([np.sum(weights[indices == k]) for k in range(size)])
    return np.bincount(indices, None, size) if weights is None else BINCOUNT(weights, indices, size)


def _counted(indices: Any, weights: Any, size: int) -> Any:
    """``np.bincount`` of indices that are nodes, in as many bins as ``minlength`` says."""
    if not size:
        raise sized_by_data("np.bincount without minlength")
    part = np.ones(np.shape(indices), int) if weights is None else np.broadcast_to(weights, np.shape(indices))
    part = part.astype(float) if part.dtype.itemsize < 8 else part  # NumPy adds them up in double precision
    return SCATTER(part, (size,), (SLOT,), indices)


def compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Any:
    """``np.compress``, by a condition that is plain."""
    if is_symbolic_array(condition):
        raise sized_by_data("np.compress")
    return entries(np.compress(numpy_data(condition), indices_of(a)[0], axis), a)


def extract(condition: Any, arr: Any) -> Any:
    """``np.extract``, by a condition that is plain."""
    if is_symbolic_array(condition):
        raise sized_by_data("np.extract")
    return entries(np.extract(numpy_data(condition), indices_of(arr)[0]), arr)


def _running(extreme: Any) -> Function:
    """``np.maximum.accumulate`` and its like: at each index, the entry that is the largest so far."""

    def accumulate(array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        if is_symbolic_array(array):
            return _running_everywhere(extreme, array, only_axis(axis) % np.ndim(array))
        data, axis = numpy_data(array), only_axis(axis)
        shape = [-1 if k == axis % np.ndim(array) else 1 for k in range(np.ndim(array))]
        indices = np.arange(np.shape(array)[axis]).reshape(shape)
        taken = np.maximum.accumulate(np.where(np.equal(extreme.accumulate(data, axis), data), indices, 0), axis)
        result = take_along_axis(array, taken, axis)
        note_steps(array, result, axis)
        return result

    return accumulate


def _running_everywhere(extreme: Any, array: Any, axis: int) -> Any:
    """Return the same by combining neighbours, pairs, fours … (Hillis and Steele 1986)."""
    before, by = [slice(None)] * axis, 1
    while by < np.shape(array)[axis]:
        first, later, earlier = (array[(*before, part)] for part in (slice(by), slice(by, None), slice(-by)))
        array, by = np.concatenate([first, extreme(later, earlier)], axis), 2 * by
    return array


FUNCTIONS: Rules = {
    **named(np, reshape, ravel, concatenate, stack, take, roll, repeat),
    **{f: _reshaped_like(f) for f in (np.squeeze, np.expand_dims)},
    **{f: _at_least(f) for f in (np.atleast_1d, np.atleast_2d, np.atleast_3d)},
    **{f: _transposed_like(f) for f in (np.transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.matrix_transpose)},
    np.flip: lambda m, axis=None: FLIP(m, axis),
    np.flipud: lambda m: FLIP(m, 0),
    np.fliplr: lambda m: FLIP(m, 1),
    np.tile: lambda A, reps: TILE(A, reps),
    np.diagonal: lambda a, offset=0, axis1=0, axis2=1: locked(DIAGONAL(a, offset, axis1, axis2)),
    np.lib.stride_tricks.sliding_window_view: lambda x, window_shape, axis=None, *, subok=False, writeable=False: (
        WINDOWS(x, window_shape, axis) if writeable else locked(WINDOWS(x, window_shape, axis))
    ),
    np.broadcast_to: lambda array, shape, subok=False: BROADCAST(
        array, shape if type(shape) is tuple else tuple(np.ravel(shape).tolist())
    ),
    np.vstack: _stacked(np.atleast_2d, 0),
    np.hstack: _stacked(np.atleast_1d, 1),
    np.column_stack: _stacked(lambda a: reshape(a, (-1, 1)) if np.ndim(a) < 2 else a, 1),
    np.dstack: _stacked(np.atleast_3d, 2),
    np.append: lambda arr, values, axis=None: concatenate((arr, values), axis),
    **named(np, array_split, rot90, insert, block, meshgrid, pad, diag, where, compress, extract),
    np.delete: _rearranged(np.delete),
    np.resize: _rearranged(np.resize),
    np.diagflat: lambda v, k=0: DIAGONAL_MATRIX(np.ravel(v), k),
    np.triu: _triangle(np.triu),
    np.tril: _triangle(np.tril),
}

COMPOSED: Rules = {
    np.divmod: lambda a, b: (np.floor_divide(a, b), np.remainder(a, b)),
    np.modf: lambda x: (np.fmod(x, 1.0), np.trunc(x)),
    **named(np, clip, nan_to_num, frexp),
    **dict.fromkeys((np.round, np.around), round_half_even),
    np.fix: lambda x, out=None: np.trunc(x),
    np.ldexp: lambda x1, x2: (
        x1
        * (np.power(2.0, symbolic_or_data(x2)) if is_symbolic_array(x2) else in_type_of(np.ldexp(1.0, data_of(x2)), x1))
    ),
    **{function: elementwise(block) for function, block in OF_ENTRIES.items()},
    np.angle: lambda z, deg=False: in_type_of(np.where(np.less(z, 0), 180.0 if deg else np.pi, 0.0), z),
    np.real_if_close: lambda a, tol=100: a,
    np.broadcast_arrays: lambda *args, subok=False: tuple(
        np.broadcast_to(a, np.broadcast_shapes(*map(np.shape, args))) for a in args
    ),
    **named(np, bincount, choose, select, piecewise, unique, partition, sort, take_along_axis),
}
if hasattr(np, "unstack"):  # NumPy 2.1
    COMPOSED[np.unstack] = lambda x, /, *, axis=0: tuple(np.moveaxis(x, axis, 0))

ACCUMULATIONS: Rules = {np.maximum: _running(np.maximum), np.minimum: _running(np.minimum)}
"""The rules of ``ufunc.accumulate``."""
