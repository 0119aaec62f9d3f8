"""NumPy's functions where complex numbers take part, traced or not: one line each, and which rule is called.

``LINEAR`` are applied to the real and to the imaginary part, ``BILINEAR`` to all pairs of parts, ``ON_DATA`` ask about
the data and are not differentiated; the others are written out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..functions import linalg, products, reductions
from ..functions.arguments import WRITERS, Function, Rules, check_casting, data_of, missing, name_of, named, target_of
from ..functions.entries import length, sort, take_along_axis
from ..functions.reductions import in_rows, reduction
from ..functions.registry import versions
from ..object_arrays import Complex, as_array, as_complex, as_numbers, as_program_made, is_complex, is_plain, is_zero
from ..tape import current_tape
from ..unsupported import decided_by_data, unwritable
from .complex_ufuncs import (
    ADVICE,
    REAL,
    UFUNCS,
    angle,
    bilinear,
    check_settings,
    einsum,
    linear,
    linear_in_all,
    linear_into,
    of_numbers,
    over,
    paired,
    part,
    sinc,
    times,
)

# ---- reductions ----


joined = linear(np.concatenate)


def choice(condition: Any, *choices: Any) -> Any:
    """``np.where``."""
    if not choices:
        return np.where(truth(condition))
    return paired(*(np.where(truth(condition), *(part(choice, k) for choice in choices)) for k in (0, 1)))


def truth(condition: Any) -> Any:
    """Return a condition as booleans: complex numbers are true where they are not 0."""
    return np.not_equal(condition, 0) if is_complex(condition) else condition


def _reduction(ufunc: np.ufunc, name: str, reduce: Function) -> Function:
    def operand(a: Any, dtype: Any) -> Complex:
        check_settings(name, dtype)
        return as_complex(a)

    return reduction(ufunc, name, reduce, operand)


def _product(z: Any, axis: Any, keepdims: bool) -> Any:
    rows, axes = in_rows(z, axis) if z.ndim else (np.reshape(z, 1), ())
    result = _product_of_last(rows) if rows.shape[-1] > 1 else rows.sum(-1) + (1 - rows.shape[-1])
    return np.expand_dims(result, axes) if keepdims and axes else result


def _product_of_last(z: Any) -> Any:
    """Return the product along the last axis: of neighbours, then of these products."""
    while (count := z.shape[-1]) > 1:
        even = count // 2 * 2
        result = times(z[..., 0:even:2], z[..., 1:even:2])
        z = joined([result, z[..., even:]], -1) if even < count else result
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


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    """``np.linalg.norm``; of matrices those norms that are sums and maxima of absolute values."""
    axes = range(x.ndim) if axis is None else np.atleast_1d(axis)
    if ord is None or (ord in ("fro", "f") and len(axes) == 2) or (ord == 2 and len(axes) == 1):
        return length(np.sum(np.square(x.real) + np.square(x.imag), axis=axis, keepdims=keepdims))
    if len(axes) == 2 and ord in (2, -2, "nuc"):
        raise missing(f"np.linalg.norm of complex matrices with ord={ord!r}", ADVICE)
    return np.linalg.norm(np.abs(x), ord, axis, keepdims)


# ---- linear algebra ----

# Linear algebra of complex matrices.
#
# Systems of equations are solved in real numbers, with `[[re, -im], [im, re]]` for each matrix.


def _in_real_numbers(z: Complex) -> Any:
    """Return the real matrix that maps stacked real and imaginary parts as a complex matrix maps the numbers."""
    return np.concatenate(
        [np.concatenate([z.real, -z.imag], axis=-1), np.concatenate([z.imag, z.real], axis=-1)], axis=-2
    )


def _upper_and_lower(value: Any, rows: int, columns: int | None = None) -> Complex:
    return Complex(value[..., :rows, :columns], value[..., rows:, :columns])


def solve(a: Any, b: Any) -> Complex:
    """``np.linalg.solve``: ``b`` is a vector if it has one axis."""
    a, b = as_complex(a), as_complex(b)
    if b.ndim == 1:
        return solve(a, b[:, None])[..., 0]
    size = a.shape[-1]
    if is_zero(a.imag):
        result = np.linalg.solve(a.real, np.concatenate([b.real, b.imag], axis=-1))
        return Complex(result[..., : b.shape[-1]], result[..., b.shape[-1] :])
    return _upper_and_lower(np.linalg.solve(_in_real_numbers(a), np.concatenate([b.real, b.imag], axis=-2)), size)


def inv(a: Any) -> Complex:
    """``np.linalg.inv``."""
    size = a.shape[-1]
    return _upper_and_lower(np.linalg.inv(_in_real_numbers(a)), size, size)


def pinv(a: Any, *args: Any, **settings: Any) -> Complex:
    """``np.linalg.pinv``: the singular values of the real matrix are those of the complex one, each twice."""
    m, n = a.shape[-2:]
    return _upper_and_lower(np.linalg.pinv(_in_real_numbers(a), *args, **settings), n, m)


def det(a: Any) -> Any:
    """``np.linalg.det``: the product of the pivots, each the largest of its column, as in real elimination."""
    if a.ndim > 2:
        return np.stack([det(matrix) for matrix in a])
    result, size = Complex(1.0, 0.0), len(a)
    for rest in range(size - 1, -1, -1):
        j = next((j for j in range(rest + 1) if any(bool(entry != 0) for entry in data_of(a[:, j]))), None)
        if j is None:  # only zeros are left
            return result * np.prod(np.diagonal(a))
        sizes = list(map(abs, data_of(a[:, j])))
        i = max(range(rest + 1), key=sizes.__getitem__)
        pivot = a[i, j]
        others = [k for k in range(rest + 1) if k != i], [k for k in range(rest + 1) if k != j]
        result = result * (-pivot if (i + j) % 2 else pivot)
        if rest:
            factors = a[others[0]][:, j] / pivot
            a = a[others[0]][:, others[1]] - np.multiply.outer(factors, a[i][others[1]])
    return result


def slogdet(a: Any) -> Any:
    """``np.linalg.slogdet``: the sign is a complex number of modulus 1."""
    result = det(a)
    size = np.abs(result)
    return linalg.SlogdetResult(over(result, as_complex(size)), np.log(size))


# ---- of the parts ----


def full_like(a: Any, fill_value: Any, dtype: Any = None, *args: Any, **settings: Any) -> Any:
    """``np.full_like``."""
    if not is_complex(a):
        raise missing("np.full_like of a real array with complex numbers", "Use np.full(x.shape, z).")
    check_settings("full_like", dtype)
    value = as_complex(fill_value)
    return Complex(*(np.copy(np.broadcast_to(part, a.shape)) for part in (value.real, value.imag)))


def _filled_like(value: float) -> Function:
    def like(a: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None, **_: Any) -> Any:
        shape = np.shape(a) if shape is None else shape
        return as_program_made(np.full(shape, value, complex if dtype is None else dtype))

    return like


# ---- np.emath: complex where there is no real value ----


def _beyond(function: Function, has_no_value: Callable[[Any], Any]) -> Function:
    """Return a function of ``np.emath``: of complex numbers where some number has no real value."""

    def apply(x: Any, *others: Any) -> Any:
        return function(as_complex(x) if np.any(has_no_value(data_of(x))) else x, *others)

    return apply


COMPOSED: Rules = {
    getattr(np.emath, function.__name__): _beyond(function, has_no_value)
    for functions, has_no_value in (
        ((np.sqrt, np.log, np.log2, np.log10, np.power), lambda x: np.isreal(x) & (np.real(x) < 0)),
        ((np.arcsin, np.arccos, np.arctanh), lambda x: np.isreal(x) & (np.abs(x) > 1)),
    )
    for function in functions
}
"""Functions of real numbers whose values may be complex; the data decide."""


# ---- functions of the data ----


def _on_data(function: Function) -> Function:
    return lambda *args, **settings: function(*map(_data, args), **{key: _data(settings[key]) for key in settings})


def _data(value: Any) -> Any:
    result = data_of(value)
    if type(result) is Complex:  # the data would decide
        raise decided_by_data()
    return result


def _on_truth(function: Function) -> Function:
    return lambda a, *args, **settings: function(truth(a), *args, **settings)


ON_DATA: tuple[Any, ...] = (
    *(np.allclose, np.isclose, np.array_equal, np.array_equiv, np.iscomplex, np.isreal),
    *(np.argmax, np.argmin, np.argsort, np.lexsort, np.array_repr, np.array_str, np.array2string),
)
"""Functions whose values are booleans, indices or text."""

ON_TRUTH: tuple[Any, ...] = (np.all, np.any, np.count_nonzero, np.nonzero, np.argwhere, np.flatnonzero)
"""Functions that ask which numbers are not 0."""


def _as_array(value: Any, dtype: Any = None, **settings: Any) -> Complex:
    return as_array(value, dtype, copy=True)


FUNCTIONS: Rules = {
    np.shape: lambda a: a.shape if is_complex(a) else as_complex(a).shape,
    np.ndim: lambda a: a.ndim if is_complex(a) else as_complex(a).ndim,
    np.size: lambda a, axis=None: as_complex(a).size if axis is None else as_complex(a).shape[axis],
    np.iscomplexobj: lambda x: True,
    np.isrealobj: lambda x: False,
    np.result_type: lambda *args: np.result_type(complex, *(complex if type(arg) is Complex else arg for arg in args)),
    np.real: lambda val: val.real,
    np.imag: lambda val: val.imag,
    np.angle: lambda z, deg=False: angle(z) * (180 / np.pi) if deg else angle(z),
    np.copy: _as_array,
    np.asarray_chkfinite: _as_array,
    np.astype: lambda x, dtype, /, *, copy=True, device=None: x.astype(dtype),
    np.where: choice,
    **named(np, full_like, cumprod, var, einsum, sort, take_along_axis, reductions.average),
    **named(np, products.polyval, products.polyint, products.vander, products.poly),
    **named(np.linalg, norm, solve, inv, pinv, det, slogdet, linalg.matrix_power),
    np.zeros_like: _filled_like(0.0),
    np.ones_like: _filled_like(1.0),
    np.empty_like: _filled_like(0.0),
    np.sum: total,
    np.mean: mean,
    np.prod: prod,
    np.cumsum: cumsum,
    np.std: lambda *args, **settings: length(var(*args, **settings)),
    np.polyder: products.COMPOSED[np.polyder],
    np.linalg.multi_dot: linalg.COMPOSED[np.linalg.multi_dot],
    np.sinc: lambda x: sinc(as_complex(x)),
    np.linalg.vector_norm: linalg.vector_norm_by(norm),
    np.linalg.matrix_norm: lambda x, /, *, keepdims=False, ord="fro": norm(x, ord, (-2, -1), keepdims),
    **{function: _on_data(function) for function in ON_DATA},
    **{function: _on_truth(function) for function in ON_TRUTH},
}
"""The rules of NumPy's functions of complex numbers."""

BILINEAR: dict[Any, int | None] = {
    **dict.fromkeys((np.dot, np.inner, np.outer, np.tensordot, np.kron, np.cross, np.convolve, np.polymul)),
    **dict.fromkeys((np.linalg.outer, np.linalg.matmul, np.linalg.tensordot, np.linalg.cross)),
    **dict.fromkeys((np.vdot, np.vecdot, np.linalg.vecdot), 0),
    np.correlate: 1,
}
"""Products of two operands, and the position of the one that is conjugated."""

LINEAR: tuple[Any, ...] = (
    *(np.reshape, np.ravel, np.transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.matrix_transpose),
    *(np.squeeze, np.expand_dims, np.broadcast_to, np.repeat, np.tile, np.resize, np.pad),
    *(np.flip, np.flipud, np.fliplr, np.roll, np.rot90, np.fft.fftshift, np.fft.ifftshift),
    *(np.take, np.delete, np.diagonal, np.trace, np.diag, np.diagflat, np.triu, np.tril),
    *(np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack, np.block),
    *(np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit),
    *(np.trapezoid, np.gradient, np.nan_to_num, np.round, np.around),
    *(np.linalg.trace, np.linalg.diagonal, np.linalg.matrix_transpose),
)
"""Linear functions of their first operand; of each array in it, if it is a sequence."""

LINEAR_IN: dict[Any, tuple[int | str, ...]] = {
    np.compress: (1, "a"),
    np.extract: (1, "arr"),
    np.append: (0, 1, "arr", "values"),
    np.diff: (0, "prepend", "append"),
    np.ediff1d: (0, 1, 2, "to_begin", "to_end"),
    np.interp: (2, "fp", "left", "right"),
    np.choose: (1, "choices"),
    np.select: (1, 2, "choicelist", "default"),
    np.polyadd: (0, 1),
    np.polysub: (0, 1),
}
"""Linear functions of other operands."""

LINEAR_INTO: dict[Any, tuple[int | str, ...]] = {np.insert: (0, 2, "arr", "values")} | {
    function: (0, names.index(written), names[0], written) for function, (names, written) in WRITERS.items()
}
"""Linear functions whose first operand has to be complex, since complex numbers go into it."""

FUNCTIONS |= products.FOURIER | COMPOSED
FUNCTIONS |= {function: linear(function) for function in LINEAR}
FUNCTIONS |= {function: linear(function, *data) for function, data in LINEAR_IN.items()}
FUNCTIONS |= {function: linear_into(function, *data) for function, data in LINEAR_INTO.items()}
FUNCTIONS |= {function: bilinear(function, conjugated) for function, conjugated in BILINEAR.items()}
FUNCTIONS |= {
    function: linear_in_all(function)
    for function in (np.atleast_1d, np.atleast_2d, np.atleast_3d, np.meshgrid, np.broadcast_arrays)
}
if hasattr(np, "unstack"):  # NumPy 2.1
    FUNCTIONS[np.unstack] = linear(np.unstack)
    FUNCTIONS[np.cumulative_sum] = linear(np.cumulative_sum)

PRODUCTS: Rules = {np.matmul: bilinear(np.matmul)}
"""Ufuncs of matrices."""
if hasattr(np, "matvec"):  # NumPy 2.2
    PRODUCTS |= {np.matvec: bilinear(np.matvec), np.vecmat: bilinear(np.vecmat, 0)}
PRODUCTS[np.vecdot] = FUNCTIONS[np.vecdot]

METHODS: dict[str, Rules] = {
    "reduce": {np.add: total, np.multiply: prod},
    "accumulate": {np.add: cumsum, np.multiply: cumprod},
}
"""The rules of methods of ufuncs."""


# ---- which rule is called ----


def _is_traced(value: Any) -> bool:
    """Return whether something in an argument is traced; complex numbers whose parts are plain are not."""
    if isinstance(value, list | tuple | dict):
        return any(map(_is_traced, value.values() if isinstance(value, dict) else value))
    return type(_plainly(value)) is Complex if type(value) is Complex else not is_plain(value)


def _plainly(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(map(_plainly, value))
    return value.plain() if type(value) is Complex else as_numbers(value)


PASSED_ON = {"axes", "axis", "keepdims"}
"""Settings of ufuncs of vectors and matrices."""


def _as_one_evaluation(carry_out: Function) -> Function:
    """Note on the tape that the nodes made by one call belong to the evaluation of one expression."""

    def evaluate(*args: Any) -> Any:
        tape = current_tape()
        if tape is None:
            return carry_out(*args)
        start = tape.count
        try:
            return carry_out(*args)
        finally:
            tape.evaluated(start)

    return evaluate


@_as_one_evaluation
def call_ufunc(ufunc: np.ufunc, method: str, inputs: Sequence[Any], settings: dict[str, Any]) -> Any:
    """Return the value of a ufunc, or of a method of one, at operands of which at least one is complex."""
    versions()  # scipy.special may have been imported during this trace
    out = settings.pop("out", (None,))[0]
    if method == "__call__":
        check_settings(ufunc.__name__, **settings)
        settings = {name: value for name, value in settings.items() if name in PASSED_ON}
    result = _of_ufunc(ufunc, method, inputs, settings)
    return result if out is None else _put(result, out)


def _of_ufunc(ufunc: np.ufunc, method: str, inputs: Sequence[Any], settings: dict[str, Any]) -> Any:
    if method == "__call__" and ufunc in PRODUCTS:
        return PRODUCTS[ufunc](*inputs, **settings)
    if method == "__call__" and (ufunc in UFUNCS or ufunc in REAL):
        return of_numbers(ufunc, tuple(inputs))
    if ufunc in METHODS.get(method, ()):
        settings.setdefault("axis", 0)
        return METHODS[method][ufunc](*inputs, **settings)
    if method == "outer" and ufunc in UFUNCS:
        first, second = map(as_complex, inputs)
        return of_numbers(ufunc, (np.reshape(first, first.shape + (1,) * second.ndim), second))
    if method == "at" and ufunc in (np.add, np.subtract):
        target, places, *values = inputs
        for k in (0, 1):
            ufunc.at(part(target, k), places, *(part(value, k) for value in values))
        return None
    if not _is_traced(inputs):
        return getattr(ufunc, method)(*map(_plainly, inputs), **settings)
    name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
    raise missing(f"np.{name} of complex numbers", ADVICE)


@_as_one_evaluation
def call_function(function: Function, args: Sequence[Any], settings: dict[str, Any]) -> Any:
    """Return the value of a NumPy function at operands of which at least one is complex."""
    if function not in FUNCTIONS:
        if not any(map(_is_traced, (args, settings))):
            return function(*map(_plainly, args), **{key: _plainly(value) for key, value in settings.items()})
        raise missing(f"{name_of(function)} of complex numbers", ADVICE)
    out = target_of(function, args, settings)
    if out is None or function in LINEAR_INTO:
        return FUNCTIONS[function](*args, **settings)
    args = [None if arg is out else arg for arg in args]
    return _put(FUNCTIONS[function](*args, **{name: value for name, value in settings.items() if name != "out"}), out)


def _put(result: Any, out: Any) -> Any:
    if type(out) is not Complex:
        check_casting(result, out)
        raise unwritable()
    if np.shape(result) != out.shape:
        raise ValueError(f"out has the shape {out.shape}, and the result {np.shape(result)}")
    out[...] = result
    return out
