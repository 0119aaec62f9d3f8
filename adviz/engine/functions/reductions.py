"""NumPy's functions along an axis: sums, products, means, quantiles; differences, slopes and areas of samples.

And those that call a function of the program for each row or number. ``np.vectorize`` is a class and does not ask its
arguments whether they are traced; ``registry.py`` replaces its code.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any

import numpy as np

from ..blocks import Block
from ..devices import as_like, to_numpy
from ..object_arrays import DOUBLE, as_plain_array
from ..rules.reducing import CUMPROD, CUMSUM, LOG_SUM_EXP, MAX, MEAN, MIN, PROD, SUM
from ..variable import Variable, is_symbolic_array
from .arguments import (
    Function,
    Patches,
    Rules,
    as_one_array,
    as_scalars,
    check_unsupported,
    data_of,
    holds_traced,
    in_type,
    in_type_of,
    is_saved,
    joined,
    laid_out_like,
    missing,
    named,
    only_axis,
    symbolic_or_data,
    type_of,
)
from .entries import length, sort, take_along_axis, taken


def reduction(ufunc: np.ufunc, name: str, reduce: Function, operand: Callable[[Any, Any], Any]) -> Function:
    """A reduction by a ufunc, from ``reduce(a, axis, keepdims)``; ``operand(a, dtype)`` makes the array to be reduced.

    Entries that ``where`` leaves out count as the identity of the ufunc.
    """

    def apply(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = np._NoValue,
        where: Any = np._NoValue,
    ) -> Any:
        a = operand(a, dtype)
        axis = axis if np.ndim(a) or axis not in (0, -1) else None  # NumPy lets numbers have an axis here
        if where is not np._NoValue and where is not True:
            left_out = initial if ufunc.identity is None else ufunc.identity
            if left_out is np._NoValue:
                raise ValueError(f"np.{name} with where needs initial, the value where nothing is left")
            a = np.where(where, a, left_out)
        if initial is not np._NoValue and ufunc.identity is None and not np.size(a):
            result = ufunc.reduce(np.zeros(np.shape(a)), axis=axis, keepdims=is_saved(keepdims), initial=0.0)
            return np.broadcast_to(initial, np.shape(result))
        result = reduce(a, axis, is_saved(keepdims))
        return result if initial is np._NoValue else ufunc(result, initial)

    return apply


def _reduction(ufunc: np.ufunc, block: Block) -> Function:
    return reduction(ufunc, block.name, block, lambda a, dtype: joined(a))


def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **others: Any) -> Any:
    """``np.mean``; with ``where``, a sum over a count."""
    where = others.get("where", np._NoValue)
    if where is np._NoValue or where is True:
        return MEAN(joined(a), axis, is_saved(keepdims))
    settings = {"axis": axis, "keepdims": is_saved(keepdims)}
    return np.sum(a, where=where, **settings) / _count_where(where, a, **settings)


def _count_where(where: Any, a: Any, less: Any = 0, **settings: Any) -> Any:
    """Return the number of entries for which a condition holds, less so many."""
    count = np.sum(np.broadcast_to(to_numpy(symbolic_or_data(where)), np.shape(a)) * 1.0, **settings)
    return in_type_of(as_like(np.maximum(count - less, 0) if less else count, a), a)


def var(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False, **others: Any
) -> Any:
    """``np.var`` from means; with ``where``, of the entries for which it holds."""
    ddof = freedom(ddof, others.get("correction", np._NoValue))
    known, where = others.get("mean", np._NoValue), others.get("where", np._NoValue)
    where = np.array(where) if isinstance(where, list) else where
    chosen = {} if where is np._NoValue or where is True else {"where": as_like(where, a)}
    centered = a - (np.mean(a, axis=axis, keepdims=True, **chosen) if known is np._NoValue else known)
    settings = {"axis": axis, "keepdims": is_saved(keepdims)}
    total = np.sum(centered * centered, **settings, **chosen)
    if chosen:
        return total / _count_where(where, a, ddof, **settings)
    return total / (np.size(a) / max(np.size(total), 1) - ddof)


def freedom(ddof: Any, correction: Any) -> Any:
    """``ddof``, or ``correction``, which is the array standard's name for it."""
    if correction is not np._NoValue and ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return ddof if correction is np._NoValue else correction


def in_rows(a: Any, axis: Any) -> tuple[Any, tuple[int, ...]]:
    """The array with some of its axes (all, if ``None``) joined into one, the last; and which axes those were."""
    axes = tuple(range(np.ndim(a))) if axis is None else tuple(int(k) % np.ndim(a) for k in np.atleast_1d(axis))
    if axes == (np.ndim(a) - 1,) and is_symbolic_array(a):
        return a, axes
    remaining = [k for k in range(np.ndim(a)) if k not in axes]
    count = int(np.prod([np.shape(a)[k] for k in axes], dtype=int))
    return np.reshape(np.transpose(a, [*remaining, *axes]), [*(np.shape(a)[k] for k in remaining), count]), axes


def nan_first(ordered: Any, value: Any) -> Any:
    """Return the results of sorted rows, but NaN for rows that end with it."""
    if not is_symbolic_array(ordered) and not np.any(np.isnan(ordered)):
        return value
    last = ordered[..., -1]
    return np.where(np.isnan(last), last, value)


def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Any:
    """``np.median``: the mean of the two entries in the middle, NaN where one entry is."""
    rows, axes = in_rows(a, axis)
    ordered, size = sort(rows), np.shape(rows)[-1]
    result = nan_first(ordered, np.mean(ordered[..., (size - 1) // 2 : size // 2 + 1], axis=-1))
    return np.expand_dims(result, axes) if is_saved(keepdims) else result


def _cumulative(rule: Any) -> Function:
    def cumulative(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
        return rule(np.ravel(a), 0) if axis is None or not np.ndim(a) else rule(a, axis)

    return cumulative


def _cumulative_with_initial(cumulate: Function, initial: float) -> Function:
    """``np.cumulative_sum`` and ``np.cumulative_prod`` of the array standard."""

    def cumulative(
        x: Any, /, *, axis: int | None = None, dtype: Any = None, out: Any = None, include_initial: bool = False
    ) -> Any:
        axis = 0 if axis is None else axis
        result = cumulate(x, axis)
        first = as_like(np.full([1 if k == axis % np.ndim(x) else n for k, n in enumerate(np.shape(x))], initial), x)
        return np.concatenate([first, result], axis) if include_initial else result

    return cumulative


def without_nan(function: Function, filling: float) -> Function:
    """``np.nansum`` and its like: NaN counts as ``filling``."""

    return lambda a, *args, **settings: function(np.where(np.isnan(a), filling, a), *args, **settings)


def _nan_extreme(function: Function, filling: float) -> Function:
    """``np.nanmax`` and ``np.nanmin``: NaN only where all entries are."""

    def apply(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, **others: Any) -> Any:
        check_unsupported(f"np.nan{function.__name__}", "Apply np.where first.", **others)
        settings = {"axis": axis, "keepdims": is_saved(keepdims)}
        missing_all = np.all(np.isnan(a), **settings)
        return np.where(missing_all, np.nan, function(np.where(np.isnan(a), filling, a), **settings))

    return apply


def nanmean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **others: Any) -> Any:
    """``np.nanmean``."""
    check_unsupported("np.nanmean", "Apply np.where first.", **others)
    settings = {"axis": axis, "keepdims": is_saved(keepdims)}
    return np.sum(np.where(np.isnan(a), 0.0, a), **settings) / in_type_of(_known(a, **settings), a)


def _known(a: Any, **settings: Any) -> Any:
    return np.sum(np.logical_not(np.isnan(a)), **settings)


def nanvar(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False, **others: Any
) -> Any:
    """``np.nanvar``."""
    ddof = freedom(ddof, others.pop("correction", np._NoValue))
    check_unsupported("np.nanvar", "Apply np.where first.", **others)
    settings = {"axis": axis, "keepdims": is_saved(keepdims)}
    centered = np.where(np.isnan(a), 0.0, a - nanmean(a, axis, keepdims=True))
    return np.sum(np.square(centered), **settings) / in_type_of(_known(a, **settings) - ddof, a)


def nanmedian(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = False) -> Any:
    """``np.nanmedian``: NaN is sorted to the end of its row; the middle is that of the rest."""
    rows, axes = in_rows(a, axis)
    count = _known(rows, axis=-1, keepdims=True)
    middle = np.concatenate([np.maximum(count - 1, 0) // 2, count // 2], axis=-1)
    result = np.mean(take_along_axis(sort(rows), middle), axis=-1)
    return np.expand_dims(result, axes) if is_saved(keepdims) else result


def _log_sum(unit: float) -> Function:
    """``np.logaddexp.reduce`` and, with logarithms in another unit, ``np.logaddexp2.reduce``."""

    return lambda a, axis=0, dtype=None, out=None, keepdims=False: LOG_SUM_EXP(a * unit, axis, keepdims) / unit


def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = False) -> Any:
    """``np.average``."""
    keepdims, axis = is_saved(keepdims), tuple(axis) if isinstance(axis, list) else axis
    if weights is None:
        result = np.mean(a, axis=axis, keepdims=keepdims)
        return (result, np.full(np.shape(result), np.size(a) / np.size(result))) if returned else result
    if np.shape(weights) != np.shape(a):
        axes = np.atleast_1d(axis) % np.ndim(a)
        weights = np.reshape(weights, [n if k in axes else 1 for k, n in enumerate(np.shape(a))])
    total = np.sum(np.broadcast_to(weights, np.shape(a)), axis=axis, keepdims=keepdims)
    result = np.sum(a * weights, axis=axis, keepdims=keepdims) / total
    return (result, total) if returned else result


METHODS = {
    "linear": (1.0, 1.0),
    "weibull": (0.0, 0.0),
    "hazen": (0.5, 0.5),
    "interpolated_inverted_cdf": (0.0, 1.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
"""Hyndman and Fan 1996: the quantile ``q`` of ``n`` entries is at position ``n q + alpha + (1 - alpha - beta) q``."""

ROUNDED: Patches = {
    "lower": np.floor,
    "higher": np.ceil,
    "nearest": np.rint,
    "midpoint": lambda place: (np.floor(place) + np.ceil(place)) / 2,
}


def _positions(count: int, q: Any, method: str) -> Any:
    """Return the position of a quantile among the sorted entries, perhaps between two of them."""
    if method in ROUNDED:
        return ROUNDED[method]((count - 1) * q)
    if method not in METHODS:
        raise missing(f"np.quantile with method={method!r}", f"There are {', '.join([*METHODS, *ROUNDED])}.")
    alpha, beta = METHODS[method]
    return np.clip(count * q + alpha + q * (1 - alpha - beta) - 1, 0, count - 1)


def _check_quantile(name: str, q: Any, **settings: Any) -> None:
    check_unsupported(name, "Sort the entries and apply the weights.", **settings)
    if isinstance(q, Variable):
        raise missing(f"{name} with a traced q", "Pass q as a keyword argument: those are not traced.")


def quantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: Any = False,
    *,
    weights: Any = None,
    **others: Any,
) -> Any:
    """``np.quantile`` by the methods that take one entry or interpolate between two."""
    _check_quantile("np.quantile", q, weights=weights, **others)
    rows, axes = in_rows(a, axis)
    ordered, count = sort(rows), np.shape(rows)[-1]
    positions = _positions(count, np.multiply(q, 1.0), method)
    below = np.floor(positions).astype(int)
    above = np.minimum(below + 1, count - 1)
    share = np.reshape(positions - below, np.shape(q) + (1,) * (np.ndim(rows) - 1))
    share = _shares_in_type_of(as_like(share, rows), q, rows)
    columns = np.moveaxis(ordered, -1, 0)
    result = np.take(columns, below, axis=0) * (1 - share) + np.take(columns, above, axis=0) * share
    result = nan_first(ordered, result)
    return np.expand_dims(result, tuple(k + np.ndim(q) for k in axes)) if is_saved(keepdims) else result


def _hundredths(q: Any) -> Any:
    return q / 100 if type(q) in (int, float) else np.true_divide(q, 100)


def _shares_in_type_of(shares: Any, q: Any, rows: Any) -> Any:
    """Return shares in the precision of the rows, or in that of the quantiles, if they are an array of NumPy's."""
    return in_type_of(shares, rows) if type(q) in (int, float) else in_type(shares, type_of(as_one_array(q)))


def nanquantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: Any = False,
    *,
    weights: Any = None,
    **others: Any,
) -> Any:
    """``np.nanquantile``: NaN is sorted to the end of its row, and positions are those among the rest."""
    _check_quantile("np.nanquantile", q, weights=weights, **others)
    rows, axes = in_rows(a, axis)
    ordered, count = sort(rows), np.maximum(_known(rows, axis=-1, keepdims=True), 1)
    positions = _positions(count, as_like(np.multiply(np.ravel(q), 1.0), rows), method)
    below = np.floor(positions).astype(int)
    share = _shares_in_type_of(positions - below, q, rows)
    above = take_along_axis(ordered, np.minimum(below + 1, count - 1))
    result = np.moveaxis(take_along_axis(ordered, below) * (1 - share) + above * share, -1, 0)
    result = np.reshape(result, np.shape(q) + np.shape(result)[1:])
    return np.expand_dims(result, tuple(k + np.ndim(q) for k in axes)) if is_saved(keepdims) else result


reduce_sum, reduce_product = _reduction(np.add, SUM), _reduction(np.multiply, PROD)
reduce_max, reduce_min = _reduction(np.maximum, MAX), _reduction(np.minimum, MIN)
cumsum, cumprod = _cumulative(CUMSUM), _cumulative(CUMPROD)

# ---- samples along a line ----


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """``np.interp``: the line through the two points beside ``x``; differentiated with respect to all three."""
    if period is not None:
        order = np.argsort(np.remainder(to_numpy(symbolic_or_data(xp)), period))
        x, xp, fp = np.remainder(x, period), taken(np.remainder(xp, period), order), taken(fp, order)
        xp, fp = (np.concatenate([a[-1:] - shift, a, a[:1] + shift]) for a, shift in ((xp, period), (fp, 0.0)))
    known, asked = (to_numpy(symbolic_or_data(each)) for each in (xp, x))
    after = np.clip(np.searchsorted(known, asked, side="right"), 1, max(len(known) - 1, 1))
    if len(known) == 1:
        inside = np.take(fp, np.zeros(np.shape(x), int))
    else:
        x0, x1, y0, y1 = (taken(a, places) for a in (xp, fp) for places in (after - 1, after))
        inside = (y1 - y0) / (x1 - x0) * (x - x0) + y0
    below, above = (as_like(result, inside) for result in (np.less(x, known[0]), np.greater(x, known[-1])))
    inside = np.where(below, fp[0] if left is None else left, inside)
    return in_type(np.where(above, fp[-1] if right is None else right, inside), DOUBLE)


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = np._NoValue, append: Any = np._NoValue) -> Any:
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


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """``np.trapezoid``: the sum of widths times mean heights."""
    axis = index(axis)
    if x is not None:
        widths = np.diff(x, axis=-1 if np.ndim(x) == 1 else axis)
        along = [-1 if k == axis % np.ndim(y) else 1 for k in range(np.ndim(y))]
        dx = np.reshape(widths, along) if np.ndim(x) == 1 else widths
    y = np.moveaxis(y, axis, -1)
    dx = np.moveaxis(dx, axis, -1) if np.ndim(dx) > 1 else dx
    return np.sum(dx * (y[..., 1:] + y[..., :-1]) / 2, axis=-1)


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """``np.gradient``: differences of second order inside, of ``edge_order`` at the edges."""
    axes = range(np.ndim(f)) if axis is None else [int(k) for k in np.atleast_1d(axis)]
    spacings = varargs * len(axes) if len(varargs) == 1 else varargs or (1.0,) * len(axes)
    if len(spacings) != len(axes):
        raise TypeError(f"np.gradient along {len(axes)} axes was given {len(spacings)} spacings")
    result = tuple(_slope(f, h, k, edge_order) for h, k in zip(spacings, axes, strict=True))
    return result[0] if len(axes) == 1 else result


def _slope(f: Any, spacing: Any, axis: int, edge_order: int) -> Any:
    """Three-point differences on a grid that may be uneven (Fornberg 1988)."""
    whole, f = f, np.moveaxis(f, axis, -1)
    if np.shape(f)[-1] <= edge_order:
        raise ValueError("Shape of array too small to calculate a numerical gradient")
    widths = np.diff(spacing) if np.ndim(spacing) else np.broadcast_to(spacing, (np.shape(f)[-1] - 1,))
    widths = in_type_of(as_like(widths, f), f)
    before, after = widths[:-1], widths[1:]
    steps = (f[..., 1:] - f[..., :-1]) / widths
    inside = (after * steps[..., :-1] + before * steps[..., 1:]) / (before + after)
    first, last = steps[..., :1], steps[..., -1:]
    if edge_order == 2:
        first, last = 2 * first - inside[..., :1], 2 * last - inside[..., -1:]
    return laid_out_like(np.moveaxis(np.concatenate([first, inside, last], axis=-1), -1, axis), whole)


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """``np.linspace`` between traced ends."""
    start, stop = as_scalars([start, stop])
    steps = num - 1 if endpoint else num
    width = (stop - start) / steps if steps else np.nan
    shares = in_type_of(as_like(np.arange(num) / max(steps, 1), stop - start), stop - start)
    shares = np.reshape(shares, (-1,) + (1,) * np.ndim(stop - start))
    result = np.moveaxis(start + shares * (stop - start), 0, axis)
    return (result, width) if retstep else result


def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Any:
    """``np.geomspace`` between traced ends."""
    start, stop = as_scalars([start, stop])
    factors = in_type(np.exp(linspace(0.0, np.log(stop / start), num, endpoint)), DOUBLE)
    return np.moveaxis(start * factors, 0, axis)


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None, axis: int = 0
) -> Any:
    """``np.logspace`` between traced ends."""
    start, stop, base = as_scalars([start, stop, base])
    if np.ndim(base):
        start, stop, base = np.broadcast_arrays(start, stop, base)
        base = np.expand_dims(base, axis)
    return np.power(base, linspace(start, stop, num, endpoint, axis=axis))


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """``np.ediff1d``."""
    steps = np.diff(np.ravel(ary))
    parts = [in_type(np.ravel(part), type_of(steps)) for part in (to_begin, steps, to_end) if part is not None]
    return np.concatenate(parts) if len(parts) > 1 else steps


def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * np.pi) -> Any:
    """``np.unwrap``: the multiples of the period that it adds are piecewise constant."""
    if not is_symbolic_array(p):
        settings = {"discont": discont, "axis": axis, "period": period}
        return p + (np.unwrap(data_of(p), **settings) - data_of(p))
    steps, half = np.diff(p, axis=axis), period / 2
    turned = np.remainder(steps + half, period) - half
    turned = np.where(np.equal(turned, -half) & np.greater(steps, 0), half, turned)
    shifts = np.where(np.less(np.abs(steps), half if discont is None else discont), 0.0, turned - steps)
    before = [slice(None)] * (axis % np.ndim(p))
    later = p[(*before, slice(1, None))] + np.cumsum(shifts, axis=axis)
    return np.concatenate([p[(*before, slice(1))], later], axis)


# ---- functions of the program ----


def apply_along_axis(func1d: Any, axis: int, arr: Any, *args: Any, **settings: Any) -> Any:
    """``np.apply_along_axis``: the axis is replaced by those of the results."""
    axis = axis % np.ndim(arr)
    rows = np.moveaxis(arr, axis, -1)
    shape = np.shape(rows)[:-1]
    result = [func1d(rows[place], *args, **settings) for place in np.ndindex(shape)]
    if not result:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    added = np.ndim(result[0])
    whole = _together(result, shape)
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


# ---- all of them ----

FUNCTIONS: Rules = {
    np.sum: reduce_sum,
    np.mean: mean,
    np.prod: reduce_product,
    **dict.fromkeys((np.max, np.amax), reduce_max),
    **dict.fromkeys((np.min, np.amin), reduce_min),
    np.cumsum: cumsum,
    np.cumprod: cumprod,
    np.nancumsum: without_nan(cumsum, 0.0),
    np.nancumprod: without_nan(cumprod, 1.0),
    np.diff: diff,
}

COMPOSED: Rules = {
    **named(np, var, median, nanmean, nanvar, nanmedian, average, quantile, nanquantile),
    np.std: lambda *args, **settings: length(var(*args, **settings)),
    np.nansum: without_nan(np.sum, 0.0),
    np.nanprod: without_nan(np.prod, 1.0),
    np.nanmax: _nan_extreme(np.max, -np.inf),
    np.nanmin: _nan_extreme(np.min, np.inf),
    np.nanstd: lambda *args, **settings: length(nanvar(*args, **settings)),
    np.percentile: lambda a, q, *args, **settings: quantile(a, _hundredths(q), *args, **settings),
    np.nanpercentile: lambda a, q, *args, **settings: nanquantile(a, _hundredths(q), *args, **settings),
    **named(np, interp, unwrap, trapezoid, gradient, ediff1d, linspace, geomspace, logspace, apply_along_axis),
    getattr(np, "trapz", np.trapezoid): trapezoid,  # its name until NumPy 2.4
}
if hasattr(np, "cumulative_sum"):  # NumPy 2.1
    COMPOSED[np.cumulative_sum] = _cumulative_with_initial(np.cumsum, 0.0)
    COMPOSED[np.cumulative_prod] = _cumulative_with_initial(np.cumprod, 1.0)

REDUCTIONS: Rules = {
    np.add: reduce_sum,
    np.multiply: reduce_product,
    np.maximum: reduce_max,
    np.minimum: reduce_min,
    np.logaddexp: _log_sum(1.0),
    np.logaddexp2: _log_sum(float(np.log(2))),
    np.fmax: _nan_extreme(np.max, -np.inf),
    np.fmin: _nan_extreme(np.min, np.inf),
    np.hypot: lambda a, axis=0, dtype=None, out=None, keepdims=False: np.linalg.norm(a, axis=axis, keepdims=keepdims),
}
"""The rules of ``ufunc.reduce``."""

ACCUMULATIONS: Rules = {
    np.add: lambda array, axis=0, dtype=None, out=None: cumsum(array, only_axis(axis)),
    np.multiply: lambda array, axis=0, dtype=None, out=None: cumprod(array, only_axis(axis)),
}
"""The rules of ``ufunc.accumulate``."""

OF_MODULES: dict[str, dict[str, Patches]] = {
    "numpy": {
        "SEARCHES": {"vectorize._vectorize_call": vectorized},
        "FUNCTIONS": {"isscalar": lambda element: np.ndim(element) == 0},
    }
}
