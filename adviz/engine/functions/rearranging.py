"""NumPy's functions that rearrange, choose and sort entries: each is applied to indices, and the entries are taken."""

from __future__ import annotations

from functools import reduce
from itertools import accumulate
from typing import Any

import numpy as np

from ..arrays.object_arrays import ObjectArray
from ..devices import as_like, to_numpy
from ..recording.tape import running_tapes
from ..recording.unsupported import sized_by_data
from ..rules.gathering import SCATTER, SLOT
from ..rules.indexing import DIAGONAL_MATRIX, PAD
from ..rules.reducing import BINCOUNT
from ..rules.selection import TIED, WHERE
from ..variable import is_symbolic_array
from .arguments import (
    Function,
    Rules,
    check_unsupported,
    data_of,
    holds_traced,
    joined,
    missing,
    named,
    numpy_data,
    only_axis,
    symbolic_or_data,
)
from .casts import is_fortran, laid_out, laid_out_like
from .entrywise import elementwise


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
    if len(running_tapes()) > 1 and not is_symbolic_array(a):
        steps = np.diff(data_of(ordered), axis=axis, prepend=np.nan, append=np.nan)
        tied = np.equal(np.moveaxis(steps, axis, -1), 0)
        ordered = elementwise(TIED)(ordered, np.moveaxis(tied[..., 1:] | tied[..., :-1], -1, axis) * 1.0)
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
        kinds = np.where(np.reshape(condition, np.shape(x)), kind, kinds)
    indices = [np.flatnonzero(kinds == kind) for kind in range(-1, len(funclist))]
    pieces = [0.0, *funclist]
    result = [
        np.broadcast_to(piece(np.take(x, where), *args, **settings) if callable(piece) else piece, where.shape)
        for piece, where in zip(pieces, indices, strict=True)
    ]
    return laid_out_like(np.reshape(entries(np.argsort(np.concatenate(indices)), *result), np.shape(x)), x)


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
        if callable(piece):
            piece = piece(*where_it_holds(condition, x), *args, **settings)
        result = np.where(condition, piece, result)
    return result if result.dtype == x.dtype else result.astype(x.dtype)


def select(condlist: Any, choicelist: Any, default: Any = 0.0) -> Any:
    """``np.select``: nested ``np.where``; the first condition that holds counts."""
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        default = np.where(condition, choice, default)
    return laid_out(default, "C")


def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: Any = "xy") -> tuple[Any, ...]:
    """``np.meshgrid``."""
    grids = np.meshgrid(*[np.arange(np.size(x)) for x in xi], sparse=sparse, indexing=indexing)
    return tuple(entries(grid, x) for grid, x in zip(grids, xi, strict=True))


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
        border = np.pad(np.zeros(np.shape(array)), pad_width, constant_values=constants) if np.any(constants) else 0.0
        return PAD(array, pad_width) + as_like(border, array)
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
        return take_along_axis(array, taken, axis)

    return accumulate


def _running_everywhere(extreme: Any, array: Any, axis: int) -> Any:
    """Return the same by combining neighbours, pairs, fours … (Hillis and Steele 1986)."""
    before, by = [slice(None)] * axis, 1
    while by < np.shape(array)[axis]:
        first, later, earlier = (array[(*before, part)] for part in (slice(by), slice(by, None), slice(-by)))
        array, by = np.concatenate([first, extreme(later, earlier)], axis), 2 * by
    return array


FUNCTIONS: Rules = {
    **named(np, rot90, insert, block, meshgrid, pad, diag, where),
    np.delete: _rearranged(np.delete),
    **named(np, compress, extract),
    np.resize: _rearranged(np.resize),
    np.diagflat: lambda v, k=0: DIAGONAL_MATRIX(np.ravel(v), k),
    np.triu: _triangle(np.triu),
    np.tril: _triangle(np.tril),
}

COMPOSED = named(np, bincount, choose, select, piecewise, unique, partition, sort, take_along_axis)
if hasattr(np, "unstack"):  # NumPy 2.1
    COMPOSED[np.unstack] = lambda x, /, *, axis=0: tuple(np.moveaxis(x, axis, 0))

ACCUMULATIONS: Rules = {np.maximum: _running(np.maximum), np.minimum: _running(np.minimum)}
"""The rules of ``ufunc.accumulate``."""
