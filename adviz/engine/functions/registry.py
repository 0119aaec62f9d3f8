"""NumPy's functions on Variables: which Block each of them is, one line per function.

``FUNCTIONS`` are carried out by Blocks over whole arrays; ``COMPOSED`` are written with other functions, and so work on
object arrays too; ``PLAIN_FUNCTIONS`` ask about the data and are not differentiated. ``dispatch.py`` looks there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from inspect import Parameter, signature
from operator import index
from typing import Any

import numpy as np

from ..apply import by_entries
from ..arrays.complex_pairs import Complex, as_program_made
from ..arrays.object_arrays import as_object_array, as_plain_array
from ..blocks import Block
from ..devices import as_like, to_numpy
from ..recording.memory import is_dense, numbers_of
from ..recording.refusals import decided_by_data
from ..recording.tape import user_origin
from ..rules.conditions import WHERE
from ..rules.elementwise import LENGTH, ROOT
from ..rules.indexing import DIAGONAL, TAKE
from ..rules.joining import CONCATENATE, STACK
from ..rules.reducing import MAX, MEAN, MIN, PROD, SUM
from ..rules.reshaping import BROADCAST, FLIP, REPEAT, RESHAPE, ROLL, TILE, TRANSPOSE
from ..trace_errors import MissingBlockError
from ..variable import Variable, apart


def missing(name: str, advice: str) -> MissingBlockError:
    """The error for a function without a rule."""
    return MissingBlockError(f"adviz has no Block for {name}. {advice}", user_origin())


def name_of(called: Any) -> str:
    """What a program calls a function of NumPy's, or a ufunc of another library.

    >>> name_of(np.linalg.inv), name_of(np.sin)
    ('np.linalg.inv', 'np.sin')
    """
    name: str = called.__name__
    if isinstance(called, np.ufunc):
        return f"np.{name}" if getattr(np, name, None) is called else name
    return f"{called.__module__}.{name}".replace("numpy", "np", 1)


def is_kept(keepdims: Any) -> bool:
    """Whether ``keepdims`` was asked for."""
    return keepdims is not np._NoValue and bool(keepdims)


def only_axis(axis: Any) -> int:
    """The axis of a function that goes along one: a whole number, or a tuple of one."""
    return index(axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis)


def refuse(name: str, advice: str = "Write it out.", **settings: Any) -> None:
    """Name the settings of a function for which there is no rule, if any of them is given."""
    given = [key for key, value in settings.items() if value is not None and value is not np._NoValue]
    if given:
        raise missing(f"{name} with {' and '.join(given)}", advice)


def data_of(value: Any, decides: bool = True) -> Any:
    """The plain data behind a value, Variables inside lists and object arrays included.

    Raises :class:`~adviz.BranchError` in a symbolic trace, where nothing may be decided by the data; unless it decides
    nothing, as where only the shape is asked for.
    """
    if isinstance(value, Variable):
        if decides and value.tape.symbolic:
            if value.tape.decisions is None:
                raise decided_by_data()
            return value  # every comparison that it takes part in is kept
        return data_of(value.data, decides)
    if isinstance(value, list | tuple):
        return type(value)(data_of(entry, decides) for entry in value)
    if type(value) is Complex:
        return Complex(*(as_object_array(data_of(part, decides)) for part in (value.real, value.imag))).plain()
    if isinstance(value, np.ndarray) and value.dtype == object:
        entries = as_plain_array(np.array([data_of(entry, decides) for entry in value.flat]))
        found = as_plain_array(np.empty_like(as_plain_array(value), entries.dtype))  # at the same places in memory
        found[...] = entries.reshape(value.shape)
        return found
    return value


def places_of(value: Any) -> Any:
    """The plain data behind a value where places are computed from it: in NumPy, whatever library it is of."""
    return to_numpy(data_of(value))


# ---- carried out by Blocks ----


def elementwise(block: Block) -> Callable[..., Any]:
    """An elementwise Block, on object arrays entry by entry."""

    def apply(*operands: Any) -> Any:
        if any(isinstance(operand, np.ndarray) and operand.dtype == object for operand in operands):
            return as_object_array(by_entries(block, len(operands))(*map(as_plain_array, operands)))
        return block(*operands)

    return apply


length, root = elementwise(LENGTH), elementwise(ROOT)


def _reduce(block: Block, ufunc: np.ufunc) -> Callable[..., Any]:
    """A reduction by a ufunc; entries left out by ``where`` count as what changes nothing."""

    def reduce(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = np._NoValue,
        where: Any = np._NoValue,
    ) -> Any:
        a = joined(a)
        axis = axis if np.ndim(a) or axis not in (0, -1) else None  # NumPy lets numbers have an axis here
        if where is not np._NoValue and where is not True:
            left_out = initial if ufunc.identity is None else ufunc.identity
            if left_out is np._NoValue:
                raise ValueError(f"np.{block.name} with where needs initial, the value where nothing is left")
            a = np.where(where, a, left_out)
        if initial is not np._NoValue and ufunc.identity is None and not np.size(a):
            found = ufunc.reduce(np.zeros(np.shape(a)), axis=axis, keepdims=is_kept(keepdims), initial=0.0)
            return np.broadcast_to(initial, np.shape(found))
        found = block(a, axis, is_kept(keepdims))
        return found if initial is np._NoValue else ufunc(found, initial)

    return reduce


def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **others: Any) -> Any:
    """``np.mean``; with ``where``, a sum over a count."""
    where = others.get("where", np._NoValue)
    if where is np._NoValue or where is True:
        return MEAN(joined(a), axis, is_kept(keepdims))
    settings = {"axis": axis, "keepdims": is_kept(keepdims)}
    count = np.sum(np.broadcast_to(places_of(where), np.shape(a)) * 1.0, **settings)
    return np.sum(a, where=where, **settings) / as_like(count, a)


def joined(a: Any) -> Any:
    """Sequences of Variables as one array Variable; everything else as it is."""
    return stack(list(a)) if issubclass(type(a), list | tuple) else a


def reshape(a: Any, /, shape: Any = None, order: Any = "C", *, newshape: Any = None, copy: Any = None) -> Any:
    """``np.reshape``; column-major order is row-major order of the axes turned round."""
    order = (order or "C").upper()
    shape = np.broadcast_to(False, np.shape(a)).reshape(newshape if shape is None else shape, order=order).shape
    if copy is False:
        raise missing("np.reshape with copy=False", "Leave it out.")
    if order == "F" or (order == "A" and is_fortran(a)):
        return np.transpose(RESHAPE(np.transpose(a), shape[::-1]))
    return RESHAPE(a, shape)


def ravel(a: Any, order: str | None = "C") -> Any:
    """``np.ravel``; as the entries are in memory, if ``order`` is ``"K"``. A view if they are side by side there."""
    numbers, order = numbers_of(a), (order or "C").upper()
    if order != "K":
        found = reshape(a, (-1,), order)
    else:
        axes = _axes_in_memory(a)
        found = RESHAPE(a if axes == sorted(axes) else np.transpose(a, axes), (np.size(a),))
    if not isinstance(numbers, np.ndarray) or not numbers.ndim or not isinstance(found, Variable):
        return found
    flags = numbers.flags
    is_view = {"C": flags.c_contiguous, "F": flags.f_contiguous}.get(order, flags.forc or is_dense(numbers))
    return found if is_view else apart(found)


def is_fortran(a: Any) -> bool:
    """Whether an array's entries are in column-major order in memory; those of other libraries are not."""
    data = a if isinstance(a, np.ndarray) else data_of(a, decides=False)
    return isinstance(data, np.ndarray) and np.isfortran(data)


def _axes_in_memory(a: Any) -> list[int]:
    """The axes of an array, beginning with the one along which steps in memory are longest."""
    data = a if isinstance(a, np.ndarray) else data_of(a, decides=False)
    if not isinstance(data, np.ndarray) or data.flags.c_contiguous:
        return list(range(np.ndim(a)))
    found: list[int] = []
    for axis in reversed(range(np.ndim(a))):  # as NumPy's iterator sorts them: an axis without steps stays where it is
        place = len(found)
        for k in reversed(range(len(found))):
            own, other = abs(data.strides[axis]), abs(data.strides[found[k]])
            if own and other and other <= own:
                break
            place = k if own and other else place
        found.insert(place, axis)
    return found[::-1]


def laid_out_like(found: Any, a: Any) -> Any:
    """An array of the shape of another one, with its entries in memory in the same order, as in a copy of that."""
    plain = a if isinstance(a, np.ndarray) else data_of(a, decides=False)
    axes = _axes_in_memory(np.empty_like(plain) if isinstance(plain, np.ndarray) else a)
    if axes == sorted(axes) or not isinstance(found, Variable | np.ndarray) or axes == _axes_in_memory(found):
        return found
    turned = np.transpose(found, axes)
    return np.transpose(turned.copy(), np.argsort(axes))


def _reshaped_like(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that only changes the shape: asked on an array without memory, done by ``reshape``."""

    def apply(a: Any, *args: Any, **settings: Any) -> Any:
        return RESHAPE(a, function(np.broadcast_to(False, np.shape(a)), *args, **settings).shape)

    return apply


def _at_least(function: Callable[..., Any]) -> Callable[..., Any]:
    """``np.atleast_1d`` and its like, which take any number of arrays."""
    one = _reshaped_like(function)
    return lambda *arrays: one(arrays[0]) if len(arrays) == 1 else tuple(map(one, arrays))


def _transposed_like(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that permutes axes: asked which axis went where, done by ``transpose``."""

    def apply(a: Any, *args: Any, **settings: Any) -> Any:
        sizes = np.broadcast_to(False, range(np.ndim(a)))  # all different, so that shapes tell axes apart
        return TRANSPOSE(a, function(sizes, *args, **settings).shape)

    return apply


def stack(arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None) -> Any:
    """``np.stack``: each operand becomes a layer."""
    return STACK(axis, *map(joined, arrays))


def concatenate(arrays: Any, axis: int | None = 0, out: Any = None, *, dtype: Any = None) -> Any:
    """``np.concatenate``: operands one after the other."""
    parts = [joined(part) for part in arrays]
    return CONCATENATE(0 if axis is None else axis, *(map(np.ravel, parts) if axis is None else parts))


def _stacked(expand: Callable[[Any], Any], axis: int) -> Callable[..., Any]:
    """``np.hstack`` and its like: arrays given the axes they lack, then one after the other."""

    def apply(arrays: Any, *, dtype: Any = None) -> Any:
        parts = [expand(joined(part)) for part in arrays]
        return concatenate(parts, axis if np.ndim(parts[0]) > 1 else 0)

    return apply


def where(condition: Any, *choices: Any) -> Any:
    """``np.where``; the condition is not differentiated.

    Entries of an array that are not chosen hand back an adjoint of 0, and 0 times an infinite partial is NaN:
    choose what the function is applied to as well, ``np.sqrt(np.where(x > 0, x, 1.0))``.
    """
    return WHERE(data_of(condition), *choices) if choices else np.where(data_of(condition))


def dot(a: Any, b: Any, out: Any = None) -> Any:
    """``np.dot``: multiply for numbers, matmul up to matrices, tensordot beyond."""
    if not np.ndim(a) or not np.ndim(b):
        return np.multiply(a, b)
    return np.matmul(a, b) if np.ndim(b) <= 2 else tensordot(a, b, ([-1], [-2]))


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """``np.tensordot`` by bringing the summed axes together and one matmul."""
    if isinstance(axes, int):
        axes = (range(np.ndim(a) - axes, np.ndim(a)), range(axes))
    left, right = ([int(k) % np.ndim(x) for k in np.atleast_1d(ks)] for x, ks in zip((a, b), axes, strict=True))
    rows = [k for k in range(np.ndim(a)) if k not in left]
    columns = [k for k in range(np.ndim(b)) if k not in right]
    inner = int(np.prod([np.shape(a)[k] for k in left]))
    shape = tuple(np.shape(a)[k] for k in rows) + tuple(np.shape(b)[k] for k in columns)
    if [np.shape(a)[k] for k in left] != [np.shape(b)[k] for k in right]:
        raise ValueError("shape-mismatch for sum")
    matrices = (
        np.reshape(np.transpose(a, rows + left), (-1, inner)),
        np.reshape(np.transpose(b, right + columns), (inner, -1)),
    )
    return np.reshape(np.matmul(*matrices), shape)


def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None, **settings: Any
) -> Any:
    """``np.full_like``; a traced number is repeated, and stays traced."""
    if isinstance(fill_value, Variable):
        refuse("np.full_like of a traced value", "Use np.broadcast_to.", order=None if order in "KC" else order)
        return np.broadcast_to(fill_value, np.shape(a) if shape is None else shape)
    return np.full_like(data_of(a, decides=False), fill_value, dtype, order, subok, shape, **settings)


def _on_data(function: Callable[..., Any]) -> Callable[..., Any]:
    def apply(*args: Any, **settings: Any) -> Any:
        found = function(*(data_of(arg, decides=False) for arg in args), **settings)
        return as_program_made(found)

    return apply


def _differences(a: Any, n: int = 1, axis: int = -1, prepend: Any = np._NoValue, append: Any = np._NoValue) -> Any:
    """``np.diff`` by slices."""
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    a, axis = joined(a), axis % np.ndim(a)
    edge = [1 if k == axis else size for k, size in enumerate(np.shape(a))]
    ends = [x if x is np._NoValue or np.ndim(x) else np.broadcast_to(x, edge) for x in (prepend, append)]
    rows = [x for x in (ends[0], a, ends[1]) if x is not np._NoValue]
    a = np.concatenate([as_like(x, a) for x in rows], axis) if len(rows) > 1 and n else a
    whole = [slice(None)] * axis
    for _ in range(n):
        a = a[(*whole, slice(1, None))] - a[(*whole, slice(None, -1))]
    return a


REDUCTIONS: dict[Any, Callable[..., Any]] = {
    np.add: _reduce(SUM, np.add),
    np.multiply: _reduce(PROD, np.multiply),
    np.maximum: _reduce(MAX, np.maximum),
    np.minimum: _reduce(MIN, np.minimum),
}
"""What ``ufunc.reduce`` is."""

FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: REDUCTIONS[np.add],
    np.mean: mean,
    np.prod: REDUCTIONS[np.multiply],
    np.max: REDUCTIONS[np.maximum],
    np.amax: REDUCTIONS[np.maximum],
    np.min: REDUCTIONS[np.minimum],
    np.amin: REDUCTIONS[np.minimum],
    np.dot: dot,
    np.tensordot: tensordot,
    np.inner: lambda a, b: tensordot(a, b, ([-1], [-1])) if np.ndim(a) and np.ndim(b) else np.multiply(a, b),
    np.outer: lambda a, b, out=None: np.multiply(np.reshape(a, (-1, 1)), np.ravel(b)),
    np.vdot: lambda a, b: np.matmul(np.ravel(a), np.ravel(b)),
    np.trace: lambda a, offset=0, axis1=0, axis2=1, dtype=None, out=None: np.sum(
        np.diagonal(a, offset, axis1, axis2), axis=-1
    ),
    np.where: where,
    np.reshape: reshape,
    np.ravel: ravel,
    np.squeeze: _reshaped_like(np.squeeze),
    np.expand_dims: _reshaped_like(np.expand_dims),
    np.atleast_1d: _at_least(np.atleast_1d),
    np.atleast_2d: _at_least(np.atleast_2d),
    np.atleast_3d: _at_least(np.atleast_3d),
    np.transpose: _transposed_like(np.transpose),
    np.swapaxes: _transposed_like(np.swapaxes),
    np.moveaxis: _transposed_like(np.moveaxis),
    np.rollaxis: _transposed_like(np.rollaxis),
    np.matrix_transpose: _transposed_like(np.matrix_transpose),
    np.flip: lambda m, axis=None: FLIP(m, axis),
    np.flipud: lambda m: FLIP(m, 0),
    np.fliplr: lambda m: FLIP(m, 1),
    np.roll: lambda a, shift, axis=None: ROLL(a, data_of(shift), axis),
    np.repeat: lambda a, repeats, axis=None: REPEAT(a, repeats, axis),
    np.tile: lambda A, reps: TILE(A, reps),
    np.take: lambda a, indices, axis=None, out=None, mode="raise": TAKE(
        a, indices, axis, *([] if mode == "raise" else [None, mode])
    ),
    np.diagonal: lambda a, offset=0, axis1=0, axis2=1: DIAGONAL(a, offset, axis1, axis2),
    np.broadcast_to: lambda array, shape, subok=False: BROADCAST(array, shape),
    np.concatenate: concatenate,
    np.stack: stack,
    np.vstack: _stacked(np.atleast_2d, 0),
    np.hstack: _stacked(np.atleast_1d, 1),
    np.column_stack: _stacked(lambda a: reshape(a, (-1, 1)) if np.ndim(a) < 2 else a, 1),
    np.dstack: _stacked(np.atleast_3d, 2),
    np.append: lambda arr, values, axis=None: concatenate((arr, values), axis),
    np.real: lambda val: val,
    np.imag: lambda val: val.imag,
    np.diff: _differences,
    np.zeros_like: _on_data(np.zeros_like),
    np.ones_like: _on_data(np.ones_like),
    np.empty_like: _on_data(np.empty_like),
    np.full_like: full_like,
    np.result_type: _on_data(np.result_type),
    np.common_type: _on_data(np.common_type),
    np.can_cast: _on_data(np.can_cast),
}

NUMPYS_OWN: tuple[Any, ...] = (np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, np.ptp)
"""Functions whose own code, in Python, does right with Variables."""
FUNCTIONS |= {function: function.__wrapped__ for function in NUMPYS_OWN}


# ---- composed: the same on Variables and on object arrays ----


def clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None) -> Any:
    """``np.clip`` as maximum and minimum."""
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    a = a if low is None else np.maximum(a, low)
    return a if high is None else np.minimum(a, high)


def var(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False, **others: Any
) -> Any:
    """``np.var`` from means."""
    ddof = freedom(ddof, others.pop("correction", np._NoValue))
    known = others.pop("mean", np._NoValue)
    if any(value is not np._NoValue for value in others.values()):
        raise missing(f"np.var with {' and '.join(others)}", "Write it out with np.sum.")
    centered = a - (np.mean(a, axis=axis, keepdims=True) if known is np._NoValue else known)
    total = np.sum(centered * centered, axis=axis, keepdims=is_kept(keepdims))
    return total / (np.divide(np.size(a), np.size(total)) - ddof)


def freedom(ddof: Any, correction: Any) -> Any:
    """``ddof``, or ``correction``, which is the array standard's name for it."""
    if correction is not np._NoValue and ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return ddof if correction is np._NoValue else correction


def nan_to_num(
    x: Any, copy: bool = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Any:
    """``np.nan_to_num``."""
    largest = np.finfo(float).max
    x = np.where(np.isnan(x), nan, x)
    x = np.where(np.equal(x, np.inf), largest if posinf is None else posinf, x)
    return np.where(np.equal(x, -np.inf), -largest if neginf is None else neginf, x)


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
    return laid_out_like(take_along_axis(a, np.argsort(data_of(a), axis=axis, kind="stable"), axis), a)


def in_rows(a: Any, axis: Any) -> tuple[Any, tuple[int, ...]]:
    """The array with some of its axes (all, if ``None``) as one, the last; and which they were."""
    axes = tuple(range(np.ndim(a))) if axis is None else tuple(int(k) % np.ndim(a) for k in np.atleast_1d(axis))
    kept = [k for k in range(np.ndim(a)) if k not in axes]
    count = int(np.prod([np.shape(a)[k] for k in axes], dtype=int))
    return np.reshape(np.transpose(a, [*kept, *axes]), [*(np.shape(a)[k] for k in kept), count]), axes


def nan_first(ordered: Any, found: Any) -> Any:
    """What was found in sorted rows, but NaN for rows that end with it."""
    if not np.any(np.isnan(ordered)):
        return found
    last = ordered[..., -1]
    return np.where(np.isnan(last), last, found)


def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Any:
    """``np.median``: the mean of the two entries in the middle, NaN where one entry is."""
    rows, axes = in_rows(a, axis)
    ordered, size = sort(rows), np.shape(rows)[-1]
    found = nan_first(ordered, np.mean(ordered[..., (size - 1) // 2 : size // 2 + 1], axis=-1))
    return np.expand_dims(found, axes) if is_kept(keepdims) else found


COMPOSED: dict[Any, Callable[..., Any]] = {
    np.divmod: lambda a, b: (np.floor_divide(a, b), np.remainder(a, b)),
    np.modf: lambda x: (np.fmod(x, 1.0), np.trunc(x)),
    np.clip: clip,
    np.var: var,
    np.std: lambda *args, **settings: length(var(*args, **settings)),
    np.nan_to_num: nan_to_num,
    np.take_along_axis: take_along_axis,
    np.sort: sort,
    np.median: median,
    np.broadcast_arrays: lambda *args, subok=False: tuple(
        np.broadcast_to(a, np.broadcast_shapes(*map(np.shape, args))) for a in args
    ),
}

ON_SHAPES = {
    *(np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj),
    *(np.array_repr, np.array_str, np.array2string, np.shares_memory, np.may_share_memory),
}
"""Functions that do not ask for values, or only to show them."""

PLAIN_FUNCTIONS = ON_SHAPES | {
    *(np.linalg.matrix_rank, np.nanargmax, np.nanargmin, np.isin, np.array_equiv),
    *(np.argmax, np.argmin, np.argsort, np.argpartition, np.lexsort, np.argwhere, np.nonzero, np.flatnonzero),
    *(np.count_nonzero, np.searchsorted, np.digitize, np.all, np.any, np.allclose, np.isclose, np.array_equal),
    *(np.iscomplex, np.isreal, np.isposinf, np.isneginf),
}
"""Functions that ask about data, or give booleans and places: computed on the data, not part of the graph."""

REFUSED = {
    np.histogram: "Counts have no derivative; ask for them after tracing.",
    np.histogram2d: "Counts have no derivative; ask for them after tracing.",
    np.histogramdd: "Counts have no derivative; ask for them after tracing.",
    np.nanquantile: "Use np.nanmedian, or np.quantile of the entries that are no NaN.",
    np.nanpercentile: "Use np.nanmedian, or np.percentile of the entries that are no NaN.",
    np.polydiv: "Use np.polymul with the quotient.",
}
"""Functions that NumPy's own code would begin and not finish: what to do instead."""

PARAMETERS: dict[Any, list[int]] = {}
"""Operands of a ufunc, by their places, by which no derivative is known."""

WRITERS = {
    np.copyto: "dst",
    np.fill_diagonal: "a",
    np.place: "arr",
    np.put: "a",
    np.put_along_axis: "arr",
    np.putmask: "a",
}
"""Functions that write into their first argument, and what that is called."""


def target_of(function: Any, args: Sequence[Any], settings: Mapping[str, Any]) -> Any:
    """What a call writes into, if anything: its ``out``, by name or by place, or what it changes.

    >>> target_of(np.round, ([0.5], 0, "here"), {}), target_of(np.put, (), {"a": "there"}), target_of(np.sin, (), {})
    ('here', 'there', None)
    """
    if function in WRITERS:
        return args[0] if args else settings[WRITERS[function]]
    if function is np.nan_to_num and not (args[1] if len(args) > 1 else settings.get("copy", True)):
        return args[0] if args else settings["x"]
    place = place_of_out(function)
    return args[place] if place is not None and len(args) > place else settings.get("out")


WITHOUT_SIGNATURE: dict[str, tuple[str, ...]] = {
    "concatenate": ("arrays", "axis", "out"),
    "dot": ("a", "b", "out"),
    "empty_like": ("prototype", "dtype", "order", "subok", "shape"),
}
"""Parameters that functions written in C take by place, by name; before NumPy 2.4 they do not tell their signatures."""


@cache
def parameters_of(function: Any) -> tuple[str, ...]:
    """The parameters that a function of NumPy's takes by place.

    >>> parameters_of(np.trace), parameters_of(np.sin)
    (('a', 'offset', 'axis1', 'axis2', 'dtype', 'out'), ())
    """
    if isinstance(function, np.ufunc):
        return ()
    try:
        parameters = signature(function).parameters.values()
    except ValueError:
        return WITHOUT_SIGNATURE.get(function.__name__, ())
    return tuple(parameter.name for parameter in parameters if parameter.kind is not Parameter.KEYWORD_ONLY)


def place_of_out(function: Any) -> int | None:
    """Which argument of a function of NumPy's ``out`` is, if it may be given without its name."""
    names = parameters_of(function)
    return names.index("out") if "out" in names else None
