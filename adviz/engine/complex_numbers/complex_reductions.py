"""Sums, products, means and norms of complex arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.complex_pairs import Complex, as_complex, is_complex
from ..functions.arguments import Function, missing
from ..functions.entrywise import length
from ..functions.reductions import in_rows, reduction
from .by_parts import ADVICE, check_settings, linear, paired, part
from .complex_ufuncs import times

joined = linear(np.concatenate)


def choice(condition: Any, *choices: Any) -> Any:
    """``np.where``."""
    if not choices:
        return np.where(truth(condition))
    return paired(*(np.where(truth(condition), *(part(choice, k) for choice in choices)) for k in (0, 1)))


def truth(condition: Any) -> Any:
    """A condition as booleans: complex numbers are true where they are not 0."""
    return np.not_equal(condition, 0) if is_complex(condition) else condition


def _reduction(ufunc: np.ufunc, name: str, reduce: Function) -> Function:
    def operand(a: Any, dtype: Any) -> Complex:
        check_settings(name, dtype)
        return as_complex(a)

    return reduction(ufunc, name, reduce, operand)


def _product(z: Any, axis: Any, keepdims: bool) -> Any:
    rows, axes = in_rows(z, axis) if z.ndim else (np.reshape(z, 1), ())
    found = _product_of_last(rows) if rows.shape[-1] > 1 else rows.sum(-1) + (1 - rows.shape[-1])
    return np.expand_dims(found, axes) if keepdims and axes else found


def _product_of_last(z: Any) -> Any:
    """The product along the last axis: of neighbours, then of these products."""
    while (count := z.shape[-1]) > 1:
        even = count // 2 * 2
        found = times(z[..., 0:even:2], z[..., 1:even:2])
        z = joined([found, z[..., even:]], -1) if even < count else found
    return z[..., 0]


total = _reduction(np.add, "sum", lambda z, axis, keepdims: linear(np.sum)(z, axis=axis, keepdims=keepdims))
prod = _reduction(np.multiply, "prod", _product)


def linear_reduction(function: Function) -> Function:
    """``np.mean`` or ``np.cumsum``: that of each part, in double precision."""

    def apply(a: Any, axis: Any = None, dtype: Any = None, *args: Any, **settings: Any) -> Any:
        check_settings(function.__name__, dtype)
        return linear(function)(as_complex(a), axis, None, *args, **settings)

    return apply


mean, cumsum = linear_reduction(np.mean), linear_reduction(np.cumsum)


def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """``np.cumprod``: products with the entry one place before, then two, then four (Hillis and Steele 1986)."""
    check_settings("cumprod", dtype)
    a, axis = (np.ravel(a), -1) if axis is None else (a, axis)
    z: Any = np.moveaxis(as_complex(a), axis, -1)  # type: ignore[type-var]
    step = 1
    if z.shape[-1] < 2:
        return np.copy(a)
    while step < z.shape[-1]:
        z, step = joined([z[..., :step], times(z[..., step:], z[..., :-step])], -1), 2 * step
    return np.moveaxis(z, -1, axis)


def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, **others: Any) -> Any:
    """``np.var``: the sum of that of both parts."""
    check_settings("var", dtype)
    return np.var(a.real, axis=axis, **others) + np.var(a.imag, axis=axis, **others)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """``np.linalg.norm``; of matrices those norms that are sums and maxima of absolute values."""
    axes = range(x.ndim) if axis is None else np.atleast_1d(axis)
    if ord is None or (ord in ("fro", "f") and len(axes) == 2) or (ord == 2 and len(axes) == 1):
        return length(np.sum(np.square(x.real) + np.square(x.imag), axis=axis, keepdims=keepdims))
    if len(axes) == 2 and ord in (2, -2, "nuc"):
        raise missing(f"np.linalg.norm of complex matrices with ord={ord!r}", ADVICE)
    return np.linalg.norm(np.abs(x), ord, axis, keepdims)
