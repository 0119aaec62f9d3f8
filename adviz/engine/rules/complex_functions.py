"""What NumPy's functions are of arrays of complex numbers: the same functions of their parts, one line each.

``LINEAR`` are done to the real and to the imaginary part, ``MULTILINEAR`` to all pairs of parts, ``ON_DATA`` ask about
the data and are not differentiated; the others are written out. Systems of equations are solved in real numbers, with
``[[re, -im], [im, re]]`` for each matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import product
from typing import Any

import numpy as np

from ..complex_arrays import Complex, as_array, as_complex, filled, has_complex, is_complex, is_plain, is_zero, zeros
from ..errors import ArrayWriteError
from ..object_arrays import as_numbers, current_tape
from ..tape import user_origin
from ..variable import decided_by_data
from . import complex_numbers, fourier, linalg, products, sums
from .complex_numbers import CONDITIONS, REAL, UFUNCS, angle, conjugate, of_numbers, over, times
from .functions import data_of, in_rows, length, missing, sort, take_along_axis, target_of, written

ADVICE = "Compute with the real and the imaginary part, z.real and z.imag."

# ---- linear functions: both parts apart ----


def _part(value: Any, k: int) -> Any:
    """The real (``k = 0``) or the imaginary part of an operand, also of each in a sequence."""
    if isinstance(value, list | tuple):
        return type(value)(_part(entry, k) for entry in value)
    z = as_complex(value)
    return z.imag if k else z.real


def _paired(real: Any, imag: Any) -> Any:
    """What a function gave of both parts."""
    if isinstance(real, list | tuple):
        return type(real)(map(_paired, real, imag))
    return None if real is None else Complex(real, imag)


def _linear(function: Callable[..., Any], *data: int | str) -> Callable[..., Any]:
    """A function done to both parts of the operands ``data``, by place and by name: the first one, unless said."""
    data = data or (0,)

    def apply(*args: Any, **settings: Any) -> Any:
        def of(k: int) -> Any:
            parts = [_part(arg, k) if place in data else arg for place, arg in enumerate(args)]
            named = {
                name: _part(value, k) if name in data or is_complex(value) else value
                for name, value in settings.items()
            }
            return function(*parts, **named)

        return _paired(of(0), of(1))

    return apply


def _into_complex(function: Callable[..., Any], *data: int | str) -> Callable[..., Any]:
    """A linear function of its first operand and of what goes into it."""
    linear = _linear(function, *data)

    def apply(*args: Any, **settings: Any) -> Any:
        if not is_complex(args[0] if args else next(iter(settings.values()))):
            raise ArrayWriteError(
                f"np.{function.__name__} was to put complex numbers into an array of real ones, which has no place for "
                "imaginary parts. Make that array complex: x + 0j.",
                user_origin(),
            )
        return linear(*args, **settings)

    return apply


def _linear_in_all(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of any number of operands, done to both parts of all of them."""
    return lambda *args, **settings: _paired(*(function(*(_part(arg, k) for arg in args), **settings) for k in (0, 1)))


# ---- multilinear functions: all pairs of parts ----


def _multilinear(function: Callable[..., Any], places: Sequence[int], args: Sequence[Any], settings: Any) -> Complex:
    """The sum over all choices of parts of the operands at ``places``, each imaginary one with a factor of i."""
    operands = [as_complex(args[place]) for place in places]
    found: list[Any] = [None, None]
    for choice in product((0, 1), repeat=len(operands)):
        parts = [(z.real, z.imag)[k] for k, z in zip(choice, operands, strict=True)]
        if not any(map(is_zero, parts)):
            term = _called(function, places, parts, args, settings)
            found[sum(choice) % 2] = _added(found[sum(choice) % 2], term, is_less=sum(choice) % 4 > 1)
    known = next((part for part in found if part is not None), None)
    if known is None:
        known = found[0] = _called(function, places, [z.real for z in operands], args, settings)
    return Complex(*(zeros(np.shape(known), known) if part is None else part for part in found))


def _added(known: Any, term: Any, is_less: bool) -> Any:
    if known is None:
        return -term if is_less else term
    return known - term if is_less else known + term


def _called(function: Callable[..., Any], places: Sequence[int], parts: list[Any], args: Any, settings: Any) -> Any:
    whole = list(args)
    for place, part in zip(places, parts, strict=True):
        whole[place] = part
    return function(*whole, **settings)


def _bilinear(function: Callable[..., Any], conjugated: int | None = None) -> Callable[..., Any]:
    """A product of the first two operands; of one of them the conjugate is taken, if said."""

    def apply(*args: Any, **settings: Any) -> Complex:
        whole = [conj(arg) if place == conjugated else arg for place, arg in enumerate(args)]
        return _multilinear(function, (0, 1), whole, settings)

    return apply


def conj(value: Any) -> Any:
    """The conjugate of complex numbers; real ones as they are."""
    return conjugate(as_complex(value)) if has_complex(value) else value


def einsum(*operands: Any, out: Any = None, **settings: Any) -> Complex:
    """``np.einsum``."""
    first = isinstance(operands[0], str)
    places = range(1, len(operands)) if first else range(0, len(operands) // 2 * 2, 2)
    return _multilinear(np.einsum, places, operands, settings)


# ---- sums, products, norms ----


def _settings(name: str, dtype: Any = None, **others: Any) -> None:
    """Refuse what makes a difference that is not made here."""
    if dtype is not None and np.dtype(dtype).kind not in "cO":
        raise missing(f"np.{name} of complex numbers with dtype={dtype}", ADVICE)
    given = [key for key, value in others.items() if value is not None and value is not np._NoValue]
    if given:
        raise missing(f"np.{name} of complex numbers with {' and '.join(given)}", ADVICE)


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
    _settings("sum", dtype)
    a = a if where is True or where is np._NoValue else _where(where, a, 0.0)
    found = _linear(np.sum)(as_complex(a), axis=axis, keepdims=keepdims is True)
    return found if initial is np._NoValue else found + initial


def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **others: Any) -> Complex:
    """``np.mean``."""
    _settings("mean", dtype)
    return _linear(np.mean)(as_complex(a), axis=axis, keepdims=keepdims is True, **others)


def _halves(z: Complex) -> tuple[Complex, Complex]:
    """Entries at even and at odd places of the last axis, as many of the one as of the other."""
    count = z.shape[-1] // 2 * 2
    return z[..., 0:count:2], z[..., 1:count:2]


def _product_of_last(z: Any) -> Any:
    """The product along the last axis: of neighbours, then of these."""
    while z.shape[-1] > 1:
        rest = z[..., z.shape[-1] // 2 * 2 :]
        found = times(*_halves(z))
        z = _joined([found, rest], -1) if rest.shape[-1] else found
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
    _settings("prod", dtype)
    z: Any = as_complex(a if where is True or where is np._NoValue else _where(where, a, 1.0))
    rows, axes = in_rows(z, axis) if z.ndim else (np.reshape(z, 1), ())
    found = _product_of_last(rows) if rows.shape[-1] > 1 else rows.sum(-1) + (1 - rows.shape[-1])
    found = np.expand_dims(found, axes) if keepdims is True and axes else found
    return found if initial is np._NoValue else found * initial


def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """``np.cumprod``: products with what is one place before, then two, then four (Hillis and Steele 1986)."""
    _settings("cumprod", dtype)
    z, step = np.moveaxis(_flat_unless(as_complex(a), axis), -1 if axis is None else axis, -1), 1
    if z.shape[-1] < 2:
        return np.copy(_flat_unless(a, axis))
    while step < z.shape[-1]:
        z, step = _joined([z[..., :step], times(z[..., step:], z[..., :-step])], -1), 2 * step
    return np.moveaxis(z, -1, -1 if axis is None else axis)


def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Complex:
    """``np.cumsum``."""
    _settings("cumsum", dtype)
    return _linear(np.cumsum)(as_complex(a), axis=axis)


def _flat_unless(z: Any, axis: Any) -> Any:
    return np.ravel(z) if axis is None else z


def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, **others: Any) -> Any:
    """``np.var``: that of both parts."""
    _settings("var", dtype)
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


# ---- arrays of arrays ----


def _joined(parts: Any, axis: Any = 0) -> Complex:
    found: Complex = FUNCTIONS[np.concatenate](list(parts), axis)
    return found


def _where(condition: Any, *choices: Any) -> Any:
    """``np.where``."""
    if not choices:
        return np.where(_truth(condition))
    return _paired(*(np.where(_truth(condition), *(_part(choice, k) for choice in choices)) for k in (0, 1)))


def _truth(condition: Any) -> Any:
    return np.not_equal(condition, 0) if is_complex(condition) else condition


def full_like(a: Any, fill_value: Any, dtype: Any = None, *args: Any, **settings: Any) -> Any:
    """``np.full_like``."""
    if not is_complex(a):
        raise missing("np.full_like of a real array with complex numbers", "Use np.full(x.shape, z).")
    _settings("full_like", dtype)
    value = as_complex(fill_value)
    return Complex(*(np.copy(np.broadcast_to(part, a.shape)) for part in (value.real, value.imag)))


def _filled_like(value: float) -> Callable[..., Any]:
    def like(a: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None, **_: Any) -> Any:
        shape = np.shape(a) if shape is None else shape
        found = np.full(shape, value, complex if dtype is None else dtype)
        return filled(found) if is_complex(found) else found

    return like


def _angle(z: Any, deg: bool = False) -> Any:
    return angle(z) * (180 / np.pi) if deg else angle(z)


# ---- systems of equations ----


def _in_real_numbers(z: Complex) -> Any:
    """The matrix that does to the parts below each other what a complex matrix does to the numbers."""
    return np.concatenate(
        [np.concatenate([z.real, -z.imag], axis=-1), np.concatenate([z.imag, z.real], axis=-1)], axis=-2
    )


def _upper_and_lower(found: Any, rows: int, columns: int | None = None) -> Complex:
    return Complex(found[..., :rows, :columns], found[..., rows:, :columns])


def solve(a: Any, b: Any) -> Complex:
    """``np.linalg.solve``: ``b`` is a vector if it has one axis."""
    a, b = as_complex(a), as_complex(b)
    if b.ndim == 1:
        return solve(a, b[:, None])[..., 0]
    size = a.shape[-1]
    if is_zero(a.imag):
        found = np.linalg.solve(a.real, np.concatenate([b.real, b.imag], axis=-1))
        return Complex(found[..., : b.shape[-1]], found[..., b.shape[-1] :])
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
    found, size = Complex(1.0, 0.0), len(a)
    for rest in range(size - 1, -1, -1):
        j = next((j for j in range(rest + 1) if np.any(data_of(a[:, j]))), None)
        if j is None:  # nothing is left but zeros
            return found * np.prod(np.diagonal(a))
        i = int(np.argmax(np.abs(data_of(a[:, j]))))
        pivot = a[i, j]
        others = [k for k in range(rest + 1) if k != i], [k for k in range(rest + 1) if k != j]
        found = found * (-pivot if (i + j) % 2 else pivot)
        if rest:
            factors = a[others[0]][:, j] / pivot
            a = a[others[0]][:, others[1]] - np.multiply.outer(factors, a[i][others[1]])
    return found


def slogdet(a: Any) -> Any:
    """``np.linalg.slogdet``: the sign is a complex number, which turns with the matrix."""
    found = det(a)
    size = np.abs(found)
    return linalg.SlogdetResult(over(found, as_complex(size)), np.log(size))


# ---- np.emath: complex where real numbers have no answer ----


def _beyond(function: Callable[..., Any], has_no_answer: Callable[[Any], Any]) -> Callable[..., Any]:
    """A function of ``np.emath``: of complex numbers if it is asked for one that has no real answer."""

    def apply(x: Any, *others: Any) -> Any:
        return function(as_complex(x) if np.any(has_no_answer(data_of(x))) else x, *others)

    return apply


def _is_negative(x: Any) -> Any:
    return np.isreal(x) & (np.real(x) < 0)


def _is_beyond_1(x: Any) -> Any:
    return np.isreal(x) & (np.abs(x) > 1)


COMPOSED: dict[Any, Callable[..., Any]] = {
    np.emath.sqrt: _beyond(np.sqrt, _is_negative),
    np.emath.log: _beyond(np.log, _is_negative),
    np.emath.log2: _beyond(np.log2, _is_negative),
    np.emath.log10: _beyond(np.log10, _is_negative),
    np.emath.power: _beyond(np.power, _is_negative),
    np.emath.arcsin: _beyond(np.arcsin, _is_beyond_1),
    np.emath.arccos: _beyond(np.arccos, _is_beyond_1),
    np.emath.arctanh: _beyond(np.arctanh, _is_beyond_1),
}
"""What functions of real numbers are that may become complex; decided by the data."""


# ---- what is only asked ----


def _on_data(function: Callable[..., Any]) -> Callable[..., Any]:
    def apply(*args: Any, **settings: Any) -> Any:
        args, settings = tuple(map(_data, args)), {name: _data(value) for name, value in settings.items()}
        return function(*args, **settings)

    return apply


def _data(value: Any) -> Any:
    found = data_of(value)
    if type(found) is Complex:  # what would be decided by the data
        raise decided_by_data()
    return found


def _on_truth(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, *args, **settings: function(_truth(a), *args, **settings)


ON_DATA: tuple[Any, ...] = (
    *(np.allclose, np.isclose, np.array_equal, np.array_equiv, np.iscomplex, np.isreal),
    *(np.argmax, np.argmin, np.argsort, np.lexsort, np.array_repr, np.array_str, np.array2string),
)
"""Functions whose values are booleans, places or words."""

ON_TRUTH: tuple[Any, ...] = (np.all, np.any, np.count_nonzero, np.nonzero, np.argwhere, np.flatnonzero)
"""Functions that ask which numbers are not 0."""


def _as_array(value: Any, dtype: Any = None, **settings: Any) -> Complex:
    return as_array(value, dtype, copy=True)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.shape: lambda a: a.shape if is_complex(a) else as_complex(a).shape,
    np.ndim: lambda a: a.ndim if is_complex(a) else as_complex(a).ndim,
    np.size: lambda a, axis=None: as_complex(a).size if axis is None else as_complex(a).shape[axis],
    np.iscomplexobj: lambda x: True,
    np.isrealobj: lambda x: False,
    np.result_type: lambda *args: np.result_type(complex, *(complex if type(arg) is Complex else arg for arg in args)),
    np.real: lambda val: val.real,
    np.imag: lambda val: val.imag,
    np.angle: _angle,
    np.copy: _as_array,
    np.asarray_chkfinite: _as_array,
    np.astype: lambda x, dtype, /, *, copy=True, device=None: x.astype(dtype),
    np.where: _where,
    np.full_like: full_like,
    np.zeros_like: _filled_like(0.0),
    np.ones_like: _filled_like(1.0),
    np.empty_like: _filled_like(0.0),
    np.sum: total,
    np.mean: mean,
    np.prod: prod,
    np.cumsum: cumsum,
    np.cumprod: cumprod,
    np.var: var,
    np.std: lambda *args, **settings: length(var(*args, **settings)),
    np.average: sums.average,
    np.sort: sort,
    np.take_along_axis: take_along_axis,
    np.einsum: einsum,
    np.polyval: products.polyval,
    np.polyder: products.COMPOSED[np.polyder],
    np.polyint: products.polyint,
    np.vander: products.vander,
    np.poly: products.poly,
    np.sinc: lambda x: complex_numbers.sinc(as_complex(x)),
    np.linalg.norm: norm,
    np.linalg.vector_norm: vector_norm,
    np.linalg.matrix_norm: lambda x, /, *, keepdims=False, ord="fro": norm(x, ord, (-2, -1), keepdims),
    np.linalg.solve: solve,
    np.linalg.inv: inv,
    np.linalg.pinv: pinv,
    np.linalg.det: det,
    np.linalg.slogdet: slogdet,
    np.linalg.matrix_power: linalg.matrix_power,
    np.linalg.multi_dot: lambda arrays, *, out=None: reduce(np.matmul, arrays),
    **{function: _on_data(function) for function in ON_DATA},
    **{function: _on_truth(function) for function in ON_TRUTH},
}
"""What NumPy's functions are of complex numbers."""

BILINEAR: dict[Any, int | None] = {
    np.dot: None,
    np.vdot: 0,
    np.inner: None,
    np.outer: None,
    np.tensordot: None,
    np.kron: None,
    np.cross: None,
    np.convolve: None,
    np.correlate: 1,
    np.polymul: None,
    np.vecdot: 0,
    np.linalg.outer: None,
    np.linalg.matmul: None,
    np.linalg.tensordot: None,
    np.linalg.cross: None,
    np.linalg.vecdot: 0,
}
"""Products of two operands, and which of them is conjugated."""

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

WRITERS: dict[Any, tuple[int | str, ...]] = {
    np.insert: (0, 2, "arr", "values"),
    np.copyto: (0, 1, "dst", "src"),
    np.put: (0, 2, "a", "v"),
    np.place: (0, 2, "arr", "vals"),
    np.putmask: (0, 2, "a", "values"),
    np.put_along_axis: (0, 2, "arr", "values"),
    np.fill_diagonal: (0, 1, "a", "val"),
}
"""Linear functions whose first operand has to be complex, since complex numbers go into it."""

FUNCTIONS |= fourier.COMPOSED | COMPOSED
FUNCTIONS |= {function: _linear(function) for function in LINEAR}
FUNCTIONS |= {function: _linear(function, *data) for function, data in LINEAR_IN.items()}
FUNCTIONS |= {function: _into_complex(function, *data) for function, data in WRITERS.items()}
FUNCTIONS |= {function: _bilinear(function, conjugated) for function, conjugated in BILINEAR.items()}
FUNCTIONS |= {
    function: _linear_in_all(function)
    for function in (np.atleast_1d, np.atleast_2d, np.atleast_3d, np.meshgrid, np.broadcast_arrays)
}
if hasattr(np, "unstack"):  # NumPy 2.1
    FUNCTIONS[np.unstack] = _linear(np.unstack)
    FUNCTIONS[np.cumulative_sum] = _linear(np.cumulative_sum)

PRODUCTS: dict[Any, Callable[..., Any]] = {np.matmul: _bilinear(np.matmul)}
"""Ufuncs of matrices."""
if hasattr(np, "matvec"):  # NumPy 2.2
    PRODUCTS |= {np.matvec: _bilinear(np.matvec), np.vecmat: _bilinear(np.vecmat, 0)}
PRODUCTS[np.vecdot] = FUNCTIONS[np.vecdot]

METHODS: dict[str, dict[Any, Callable[..., Any]]] = {
    "reduce": {np.add: total, np.multiply: prod},
    "accumulate": {np.add: cumsum, np.multiply: cumprod},
}
"""What methods of ufuncs are."""


# ---- NumPy asks ----


def _is_traced(value: Any) -> bool:
    """Whether something in an argument is traced; complex numbers that are filled with plain ones are not."""
    if isinstance(value, list | tuple | dict):
        return any(map(_is_traced, value.values() if isinstance(value, dict) else value))
    return type(_plainly(value)) is Complex if type(value) is Complex else not is_plain(value)


def _plainly(value: Any) -> Any:
    """What is not traced as NumPy has it."""
    if isinstance(value, list | tuple):
        return type(value)(map(_plainly, value))
    return value.plain() if type(value) is Complex else as_numbers(value)


def _as_one_evaluation(carry_out: Callable[..., Any]) -> Callable[..., Any]:
    """Note on the tape that all nodes made meanwhile are of one evaluation of one expression."""

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
    """What a ufunc, or a method of one, gives of operands of which at least one is complex."""
    out = settings.pop("out", (None,))[0]
    _settings(ufunc.__name__, settings.pop("dtype", None), where=None if settings.get("where", True) is True else True)
    found = _of_ufunc(ufunc, method, inputs, settings)
    return found if out is None else _put(found, out)


def _of_ufunc(ufunc: np.ufunc, method: str, inputs: Sequence[Any], settings: dict[str, Any]) -> Any:
    if method == "__call__" and ufunc in PRODUCTS:
        return PRODUCTS[ufunc](*inputs, **settings)
    if method == "__call__" and (ufunc in UFUNCS or ufunc in REAL or ufunc in CONDITIONS):
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
            ufunc.at(_part(target, k), places, *(_part(value, k) for value in values))
        return None
    if not _is_traced(inputs):
        return getattr(ufunc, method)(*map(_plainly, inputs), **settings)
    name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
    raise missing(f"np.{name} of complex numbers", ADVICE)


@_as_one_evaluation
def call_function(function: Callable[..., Any], args: Sequence[Any], settings: dict[str, Any]) -> Any:
    """What a function of NumPy's gives of operands of which at least one is complex."""
    if function not in FUNCTIONS:
        if not any(map(_is_traced, (args, settings))):
            return function(*map(_plainly, args), **{key: _plainly(value) for key, value in settings.items()})
        name = f"{function.__module__}.{function.__name__}".replace("numpy", "np")
        raise missing(f"{name} of complex numbers", ADVICE)
    out = target_of(function, args, settings)
    if out is None or function in WRITERS:
        return FUNCTIONS[function](*args, **settings)
    args = [None if arg is out else arg for arg in args]
    return _put(FUNCTIONS[function](*args, **{name: value for name, value in settings.items() if name != "out"}), out)


def _put(found: Any, out: Any) -> Any:
    """What was found, written where it was wanted."""
    if type(out) is not Complex:
        raise written()
    if np.shape(found) != out.shape:
        raise ValueError(f"out has the shape {out.shape}, and what goes there {np.shape(found)}")
    out[...] = found
    return out
