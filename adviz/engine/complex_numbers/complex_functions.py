"""NumPy's functions of complex arrays: one line each.

``LINEAR`` are applied to the real and to the imaginary part, ``BILINEAR`` to all pairs of parts, ``ON_DATA`` ask about
the data and are not differentiated; the others are written out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays.complex_pairs import Complex, as_array, as_complex, as_program_made, is_complex
from ..functions import fourier, linalg, products, reductions
from ..functions.arguments import WRITERS, Function, Rules, data_of, missing, named
from ..functions.entrywise import length
from ..functions.rearranging import sort, take_along_axis
from ..recording.refusals import decided_by_data
from .by_parts import bilinear, check_settings, einsum, linear, linear_in_all, linear_into
from .complex_linalg import det, inv, pinv, slogdet, solve
from .complex_reductions import choice, cumprod, cumsum, mean, norm, prod, total, truth, var
from .complex_ufuncs import angle, sinc


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
    """A function of ``np.emath``: of complex numbers where some number has no real value."""

    def apply(x: Any, *others: Any) -> Any:
        return function(as_complex(x) if np.any(has_no_value(data_of(x))) else x, *others)

    return apply


def _is_negative(x: Any) -> Any:
    return np.isreal(x) & (np.real(x) < 0)


def _is_beyond_1(x: Any) -> Any:
    return np.isreal(x) & (np.abs(x) > 1)


COMPOSED: Rules = {
    getattr(np.emath, function.__name__): _beyond(function, has_no_value)
    for functions, has_no_value in (
        ((np.sqrt, np.log, np.log2, np.log10, np.power), _is_negative),
        ((np.arcsin, np.arccos, np.arctanh), _is_beyond_1),
    )
    for function in functions
}
"""Functions of real numbers whose values may be complex; the data decide."""


# ---- functions of the data ----


def _on_data(function: Function) -> Function:
    return lambda *args, **settings: function(*map(_data, args), **{key: _data(settings[key]) for key in settings})


def _data(value: Any) -> Any:
    found = data_of(value)
    if type(found) is Complex:  # the data would decide
        raise decided_by_data()
    return found


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

FUNCTIONS |= fourier.COMPOSED | COMPOSED
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
