"""NumPy's sums, products, means, quantiles and other functions along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..blocks import Block
from ..devices import as_like, to_numpy
from ..rules.reducing import CUMPROD, CUMSUM, LOG_SUM_EXP, MAX, MEAN, MIN, PROD, SUM
from ..variable import Variable, is_symbolic_array
from .arguments import (
    Function,
    Overrides,
    Rules,
    check_unsupported,
    is_saved,
    joined,
    missing,
    named,
    only_axis,
    symbolic_or_data,
)
from .casts import in_type_of
from .entrywise import length
from .rearranging import sort, take_along_axis


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
    kept = [k for k in range(np.ndim(a)) if k not in axes]
    count = int(np.prod([np.shape(a)[k] for k in axes], dtype=int))
    return np.reshape(np.transpose(a, [*kept, *axes]), [*(np.shape(a)[k] for k in kept), count]), axes


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


def _without_nan(function: Function, filling: float) -> Function:
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

ROUNDED: Overrides = {
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
    share = in_type_of(as_like(share, rows), rows)
    columns = np.moveaxis(ordered, -1, 0)
    result = np.take(columns, below, axis=0) * (1 - share) + np.take(columns, above, axis=0) * share
    result = nan_first(ordered, result)
    return np.expand_dims(result, tuple(k + np.ndim(q) for k in axes)) if is_saved(keepdims) else result


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
    share = in_type_of(positions - below, rows)
    above = take_along_axis(ordered, np.minimum(below + 1, count - 1))
    result = np.moveaxis(take_along_axis(ordered, below) * (1 - share) + above * share, -1, 0)
    result = np.reshape(result, np.shape(q) + np.shape(result)[1:])
    return np.expand_dims(result, tuple(k + np.ndim(q) for k in axes)) if is_saved(keepdims) else result


def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    """``np.cov``."""
    check_unsupported("np.cov", "Apply the weights to the rows.", fweights=fweights, aweights=aweights)
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    rows = _rows(m, rowvar) if y is None else np.concatenate([_rows(m, rowvar), _rows(y, rowvar)])
    centered = rows - np.mean(rows, axis=1, keepdims=True)
    freedom = np.shape(rows)[1] - ((0 if bias else 1) if ddof is None else ddof)
    return np.squeeze(np.matmul(centered, np.transpose(centered)) / freedom)


def _rows(m: Any, rowvar: bool) -> Any:
    """Return one variable per row."""
    return np.transpose(m) if not rowvar and np.ndim(m) > 1 else np.reshape(m, (-1, np.shape(m)[-1]))


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    """``np.corrcoef``; rounding may make it a little larger than 1, where NumPy clips."""
    covariance = cov(x, y, rowvar)
    if not np.ndim(covariance):
        return covariance / covariance
    deviation = np.sqrt(np.diagonal(covariance))
    return covariance / deviation[:, None] / deviation


reduce_sum, reduce_product = _reduction(np.add, SUM), _reduction(np.multiply, PROD)
reduce_max, reduce_min = _reduction(np.maximum, MAX), _reduction(np.minimum, MIN)
cumsum, cumprod = _cumulative(CUMSUM), _cumulative(CUMPROD)

FUNCTIONS: Rules = {
    np.sum: reduce_sum,
    np.mean: mean,
    np.prod: reduce_product,
    **dict.fromkeys((np.max, np.amax), reduce_max),
    **dict.fromkeys((np.min, np.amin), reduce_min),
    np.cumsum: cumsum,
    np.cumprod: cumprod,
    np.nancumsum: _without_nan(cumsum, 0.0),
    np.nancumprod: _without_nan(cumprod, 1.0),
}

COMPOSED: Rules = {
    **named(np, var, median, nanmean, nanvar, nanmedian, average, quantile, nanquantile, cov, corrcoef),
    np.std: lambda *args, **settings: length(var(*args, **settings)),
    np.nansum: _without_nan(np.sum, 0.0),
    np.nanprod: _without_nan(np.prod, 1.0),
    np.nanmax: _nan_extreme(np.max, -np.inf),
    np.nanmin: _nan_extreme(np.min, np.inf),
    np.nanstd: lambda *args, **settings: length(nanvar(*args, **settings)),
    np.percentile: lambda a, q, *args, **settings: quantile(a, np.true_divide(q, 100), *args, **settings),
    np.nanpercentile: lambda a, q, *args, **settings: nanquantile(a, np.true_divide(q, 100), *args, **settings),
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
