"""NumPy's functions of samples along a line: interpolation, differences, slopes, areas and grids."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from ..devices import as_like, to_numpy
from ..variable import is_symbolic_array
from .arguments import Rules, as_numbers, data_of, joined, named, symbolic_or_data
from .casts import in_type_of, laid_out_like
from .shapes import taken


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
    below, above = (as_like(found, inside) for found in (np.less(x, known[0]), np.greater(x, known[-1])))
    inside = np.where(below, fp[0] if left is None else left, inside)
    return np.where(above, fp[-1] if right is None else right, inside)


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
    start, stop = as_numbers([start, stop])
    steps = num - 1 if endpoint else num
    width = (stop - start) / steps if steps else np.nan
    shares = in_type_of(as_like(np.arange(num) / max(steps, 1), stop - start), stop - start)
    shares = np.reshape(shares, (-1,) + (1,) * np.ndim(stop - start))
    result = np.moveaxis(start + shares * (stop - start), 0, axis)
    return (result, width) if retstep else result


def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Any:
    """``np.geomspace`` between traced ends."""
    start, stop = as_numbers([start, stop])
    return np.moveaxis(start * np.exp(linspace(0.0, np.log(stop / start), num, endpoint)), 0, axis)


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None, axis: int = 0
) -> Any:
    """``np.logspace`` between traced ends."""
    start, stop, base = as_numbers([start, stop, base])
    if np.ndim(base):
        start, stop, base = np.broadcast_arrays(start, stop, base)
        base = np.expand_dims(base, axis)
    return np.power(base, linspace(start, stop, num, endpoint, axis=axis))


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """``np.ediff1d``."""
    parts = [part for part in (to_begin, np.diff(np.ravel(ary)), to_end) if part is not None]
    return np.concatenate([np.ravel(part) for part in parts]) if len(parts) > 1 else parts[0]


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


FUNCTIONS: Rules = {np.diff: diff}

COMPOSED: Rules = {
    **named(np, interp, unwrap, trapezoid, gradient, ediff1d, linspace, geomspace, logspace),
    getattr(np, "trapz", np.trapezoid): trapezoid,  # its name until NumPy 2.4
}
