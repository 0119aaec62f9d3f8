"""Sums, products and norms of complex arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.complex_pairs import Complex, as_complex, is_complex
from ..functions.arguments import missing
from ..functions.entrywise import length
from ..functions.reductions import in_rows
from .complex_ufuncs import times
from .parts import ADVICE, check_settings, linear, paired, part

joined = linear(np.concatenate)


def choice(condition: Any, *choices: Any) -> Any:
    """``np.where``."""
    if not choices:
        return np.where(truth(condition))
    return paired(*(np.where(truth(condition), *(part(choice, k) for choice in choices)) for k in (0, 1)))


def truth(condition: Any) -> Any:
    return np.not_equal(condition, 0) if is_complex(condition) else condition


def total(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = np._NoValue,
    where: Any = True,
) -> Complex:
    """``np.sum``."""
    check_settings("sum", dtype)
    a = a if where is True or where is np._NoValue else choice(where, a, 0.0)
    found = linear(np.sum)(as_complex(a), axis=axis, keepdims=keepdims is True)
    return found if initial is np._NoValue else found + initial


def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **others: Any) -> Complex:
    """``np.mean``."""
    check_settings("mean", dtype)
    return linear(np.mean)(as_complex(a), axis=axis, keepdims=keepdims is True, **others)


def _halves(z: Complex) -> tuple[Complex, Complex]:
    """Entries at even and at odd places of the last axis, as many of the one as of the other."""
    count = z.shape[-1] // 2 * 2
    return z[..., 0:count:2], z[..., 1:count:2]


def _product_of_last(z: Any) -> Any:
    """The product along the last axis: of neighbours, then of these."""
    while z.shape[-1] > 1:
        rest = z[..., z.shape[-1] // 2 * 2 :]
        found = times(*_halves(z))
        z = joined([found, rest], -1) if rest.shape[-1] else found
    return z[..., 0]


def prod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = np._NoValue,
    where: Any = True,
) -> Any:
    """``np.prod``."""
    check_settings("prod", dtype)
    z: Any = as_complex(a if where is True or where is np._NoValue else choice(where, a, 1.0))
    rows, axes = in_rows(z, axis) if z.ndim else (np.reshape(z, 1), ())
    found = _product_of_last(rows) if rows.shape[-1] > 1 else rows.sum(-1) + (1 - rows.shape[-1])
    found = np.expand_dims(found, axes) if keepdims is True and axes else found
    return found if initial is np._NoValue else found * initial


def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """``np.cumprod``: products with what is one place before, then two, then four (Hillis and Steele 1986)."""
    check_settings("cumprod", dtype)
    z, step = np.moveaxis(_flat_unless(as_complex(a), axis), -1 if axis is None else axis, -1), 1
    if z.shape[-1] < 2:
        return np.copy(_flat_unless(a, axis))
    while step < z.shape[-1]:
        z, step = joined([z[..., :step], times(z[..., step:], z[..., :-step])], -1), 2 * step
    return np.moveaxis(z, -1, -1 if axis is None else axis)


def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Complex:
    """``np.cumsum``."""
    check_settings("cumsum", dtype)
    return linear(np.cumsum)(as_complex(a), axis=axis)


def _flat_unless(z: Any, axis: Any) -> Any:
    return np.ravel(z) if axis is None else z


def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, **others: Any) -> Any:
    """``np.var``: that of both parts."""
    check_settings("var", dtype)
    return np.var(a.real, axis=axis, **others) + np.var(a.imag, axis=axis, **others)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """``np.linalg.norm``; of matrices those that are sums and maxima of absolute values."""
    axes = range(x.ndim) if axis is None else np.atleast_1d(axis)
    if ord is None or (ord in ("fro", "f") and len(axes) == 2) or (ord == 2 and len(axes) == 1):
        return length(np.sum(np.square(x.real) + np.square(x.imag), axis=axis, keepdims=keepdims))
    if len(axes) == 2 and ord in (2, -2, "nuc"):
        raise missing(f"np.linalg.norm of complex matrices with ord={ord!r}", ADVICE)
    return np.linalg.norm(np.abs(x), ord, axis, keepdims)


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """``np.linalg.vector_norm``: along some axes, or of all entries."""
    rows, axes = in_rows(x, axis)
    found = norm(rows, ord, axis=-1)
    return np.expand_dims(found, axes) if keepdims else found
