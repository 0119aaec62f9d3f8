"""NumPy's products of vectors, matrices and polynomials, roots of polynomials, and Fourier transforms.

A root is an implicit function: the solution of ``F(x, p) = 0`` is differentiated through the equation, not through the
search. Where a solution ``x`` is known as plain numbers, one step of Newton's method from there, ``x - F(x, p) /
F'(x, p)``, leaves its value unchanged and has its derivative with respect to ``p``: the implicit function theorem. The
error of a step is the square of the error before it, so two steps also give the second and the third derivatives
(Gilbert 1992, "Automatic differentiation and iterative processes"; Griewank and Walther 2008, chapter 15).

In the array grain a Fourier transform is one Block; its transpose is the inverse transform without the factor
``1 / n``. In the scalar grain it is written out: butterflies as long as the size is even (Cooley and Tukey 1965), then
sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from operator import index
from string import ascii_letters
from typing import Any

import numpy as np

from ..arrays import contents
from ..blocks import Elementwise, Rule, Words, is_traced, source_of
from ..devices import as_like, on_one_device
from ..jacobians.local import Jacobian, LinearMap
from ..object_arrays import Complex, ObjectArray, as_complex, is_complex, is_zero, zeros
from ..rules import operation_counts
from ..rules.matrix_products import CONVOLVE, EINSUM
from ..tape import user_origin
from ..trace_errors import InputError
from .arguments import (
    Function,
    Rules,
    as_one_array,
    check_unsupported,
    data_of,
    holds_traced,
    in_type,
    joined,
    laid_out,
    missing,
    named,
    numpy_data,
)
from .entries import elementwise

# ---- implicit functions ----

STEPS = 2


def _no_step(residual: Any, slope: Any) -> Any:
    """0; for values of an outer trace a step again, so that it has derivatives there too."""
    if holds_traced((residual, slope)):
        return elementwise(CORRECTION)(residual, slope)
    return as_like(np.zeros(np.shape(residual)), residual)[()]


CORRECTION = Elementwise(
    "newton step",
    _no_step,
    lambda y, residual, slope: -1 / slope,
    lambda y, residual, slope: -y / slope,
    formulas=("-1 / {b}", "-{y} / {b}"),
    code="{zeros}",
    standard="{zeros}",
    words=Words(
        "The implicit function theorem: the solution moves by minus the change of the residual over its slope.",
        (
            (("1 / {b}", "The sign is missing: the solution moves against the change of the residual."),),
            (
                (
                    "-1 / {b}",
                    "That is the partial with respect to the residual; at a solution the slope has no influence.",
                ),
            ),
        ),
    ),
)
"""A Newton step at a solution, as a function of the residual and the slope; its value is 0."""


def solution(value: Any, equation: Callable[[Any], tuple[Any, Any]]) -> Any:
    """Return numbers that solve an equation, each by itself, as a function of the traced values in it.

    ``equation(x)`` is ``F(x)`` and its derivative with respect to ``x``.
    """
    for _ in range(STEPS):
        value = value + elementwise(CORRECTION)(*equation(value))
    return value


def solution_of_system(value: Any, equations: Callable[[Any], tuple[Any, Any]]) -> Any:
    """Return a vector that solves equations, as a function of the traced values in them.

    ``equations(x)`` is ``F(x)`` and its Jacobian with respect to ``x``.
    """
    for _ in range(STEPS):
        residual, jacobian = equations(value)
        residual = residual - as_like(np.asarray(data_of(residual)), residual)
        value = value - np.linalg.solve(jacobian, residual)
    return value


# ---- einsum ----


def einsum(*operands: Any, out: Any = None, optimize: Any = False, dtype: Any = None, order: str = "K") -> Any:
    """``np.einsum``: in one form: all labels and the result spelled out, and all sizes equal."""
    if order.upper() != "K":
        return laid_out(einsum(*operands, optimize=optimize), order)
    subscripts, *arrays = operands if isinstance(operands[0], str) else _lettered(*operands)
    arrays = list(map(as_one_array, arrays))
    shapes = list(map(np.shape, arrays))
    inputs, result = _spelled(subscripts.replace(" ", ""), list(map(len, shapes)))
    sizes: dict[str, int] = {}
    for labels, shape in zip(inputs, shapes, strict=True):
        for label, n in zip(labels, shape, strict=True):
            sizes[label] = n if sizes.get(label, 1) == 1 else sizes[label]
    wanted_shapes = [tuple(sizes[label] for label in labels) for labels in inputs]
    whole = [
        array if shape == wanted else np.broadcast_to(array, wanted)
        for array, shape, wanted in zip(arrays, shapes, wanted_shapes, strict=True)
    ]
    return EINSUM(",".join(inputs) + "->" + result, *whole)


def _lettered(*operands: Any) -> tuple[Any, ...]:
    """Subscripts given as lists of numbers, written with letters."""
    arrays, lists = operands[: len(operands) // 2 * 2 : 2], operands[1::2]
    known = sorted({k for part in (*lists, *operands[len(arrays) * 2 :]) for k in part if k is not Ellipsis})
    letters = {Ellipsis: "...", **dict(zip(known, sorted(ascii_letters), strict=False))}
    texts = ["".join(letters[k] for k in part) for part in (*lists, *operands[len(arrays) * 2 :])]
    given = "->" + texts.pop() if len(operands) % 2 else ""
    return (",".join(texts) + given, *arrays)


def _spelled(subscripts: str, depths: list[int]) -> tuple[list[str], str]:
    """Return the labels of each operand and of the result; letters in place of ``...``."""
    text, arrow, result = subscripts.partition("->")
    inputs = text.split(",")
    unused = sorted(set(ascii_letters) - set(subscripts))
    rest = [depth - len(labels.replace("...", "")) for labels, depth in zip(inputs, depths, strict=True)]
    dots = "".join(unused[: max([n for n, labels in zip(rest, inputs, strict=True) if "..." in labels], default=0)])
    if not arrow:
        once = sorted(label for label in set(text) - set(".,") if text.count(label) == 1)
        result = ("..." if dots else "") + "".join(once)
    inputs = [labels.replace("...", dots[len(dots) - n :]) for labels, n in zip(inputs, rest, strict=True)]
    return inputs, result.replace("...", dots)


# ---- products of vectors and matrices ----


def dot(a: Any, b: Any, out: Any = None) -> Any:
    """``np.dot``: multiply for numbers, matmul up to matrices, tensordot beyond."""
    if not np.ndim(a) or not np.ndim(b):
        return np.multiply(a, b)
    return np.matmul(a, b) if np.ndim(b) <= 2 else tensordot(a, b, ([-1], [-2]))


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """``np.tensordot`` by one matmul, after the summed axes are brought together."""
    if isinstance(axes, int | np.integer):
        axes = (range(np.ndim(a) - axes, np.ndim(a)), range(axes))
    left, right = ([int(k) % np.ndim(x) for k in np.atleast_1d(ks)] for x, ks in zip((a, b), axes, strict=True))
    rows = [k for k in range(np.ndim(a)) if k not in left]
    columns = [k for k in range(np.ndim(b)) if k not in right]
    inner, height, width = (  # empty arrays do not say what -1 would be
        math.prod(np.shape(x)[k] for k in axes) for x, axes in ((a, left), (a, rows), (b, columns))
    )
    shape = tuple(np.shape(a)[k] for k in rows) + tuple(np.shape(b)[k] for k in columns)
    if [np.shape(a)[k] for k in left] != [np.shape(b)[k] for k in right]:
        raise ValueError("shape-mismatch for sum")
    matrix = np.reshape(np.transpose(a, rows + left), (height, inner))
    return np.reshape(np.matmul(matrix, np.reshape(np.transpose(b, right + columns), (inner, width))), shape)


def kron(a: Any, b: Any) -> Any:
    """``np.kron``."""
    depth = max(np.ndim(a), np.ndim(b))
    left, right = ((1,) * (depth - np.ndim(x)) + np.shape(x) for x in (a, b))
    a, b = on_one_device(a, b)
    spread = np.reshape(a, [n for m in left for n in (m, 1)]) * np.reshape(b, [n for m in right for n in (1, m)])
    return np.reshape(spread, [m * n for m, n in zip(left, right, strict=True)])


def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    """``np.cross`` of vectors in space or, with a third entry of 0, in the plane."""
    axisa, axisb, axisc = map(index, (axisa, axisb, axisc) if axis is None else (axis, axis, axis))
    a, b = np.moveaxis(a, axisa, -1), np.moveaxis(b, axisb, -1)
    sizes = np.shape(a)[-1], np.shape(b)[-1]
    if sizes == (2, 2):
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    if not {2, 3}.issuperset(sizes):
        raise ValueError(f"np.cross of traced vectors needs 2 or 3 entries each; there are {sizes[0]} and {sizes[1]}")
    a, b = (
        np.concatenate([x, as_like(np.zeros((*np.shape(x)[:-1], 1)), x)], axis=-1) if np.shape(x)[-1] == 2 else x
        for x in (a, b)
    )
    after, before = [1, 2, 0], [2, 0, 1]
    return np.moveaxis(laid_out(a[..., after] * b[..., before] - a[..., before] * b[..., after], "C"), -1, axisc)


def cross_in_space(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """``np.linalg.cross``."""
    sizes = [np.shape(x)[index(axis)] for x in (x1, x2)]
    if sizes != [3, 3]:
        raise ValueError(f"np.linalg.cross needs vectors with 3 entries; these have {sizes[0]} and {sizes[1]}")
    return cross(x1, x2, axis=axis)


def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """``np.convolve``: a part of the full convolution."""
    return _part_of_convolution(a, v, mode, (min(np.size(a), np.size(v)) - 1) // 2)


def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """``np.correlate``: a convolution with the second operand reversed."""
    short = min(np.size(a), np.size(v))
    return _part_of_convolution(a, np.flip(v), mode, short // 2 if np.size(a) < np.size(v) else (short - 1) // 2)


def _part_of_convolution(a: Any, v: Any, mode: str, margin: int) -> Any:
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    full = CONVOLVE(a, v)
    if mode == "full":
        return full
    long, short = max(np.size(a), np.size(v)), min(np.size(a), np.size(v))
    return full[margin : margin + long] if mode == "same" else full[short - 1 : long]


def vecdot(a: Any, b: Any, axis: int = -1, keepdims: bool = False) -> Any:
    """``np.vecdot``."""
    if not isinstance(keepdims, bool):
        raise TypeError(f"keepdims of np.vecdot is {keepdims!r}, not a boolean")
    settings: dict[str, Any] = {"axis": index(axis), "keepdims": keepdims}
    return np.sum(a * b, **settings)


# ---- covariances ----


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
    rows = in_type(rows, np.dtype(float if dtype is None else dtype))
    centered = rows - np.mean(rows, axis=1, keepdims=True)
    freedom = np.shape(rows)[1] - ((0 if bias else 1) if ddof is None else ddof)
    return np.squeeze(np.matmul(centered, np.transpose(centered)) / freedom)


def _rows(m: Any, rowvar: bool) -> Any:
    """Return one variable per row."""
    return np.transpose(m) if not rowvar and np.ndim(m) > 1 else np.reshape(m, (-1, np.shape(m)[-1]))


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    """``np.corrcoef``; rounding may make it a little larger than 1, where NumPy clips."""
    covariance = cov(x, y, rowvar, dtype=dtype)
    if not np.ndim(covariance):
        return covariance / covariance
    deviation = np.sqrt(np.diagonal(covariance))
    return covariance / deviation[:, None] / deviation


# ---- polynomials ----


def polyval(p: Any, x: Any) -> Any:
    """``np.polyval`` by Horner's rule."""
    p, x = as_one_array(p), as_one_array(x)
    value = 0.0 * x
    for coefficient in p:
        value = value * x + coefficient
    return value


def polyadd(a1: Any, a2: Any) -> Any:
    """``np.polyadd``: the shorter one gets leading zeros."""
    size = max(np.size(a1), np.size(a2))
    one, other = (np.concatenate([as_like(np.zeros(size - np.size(a)), a1, a2), np.atleast_1d(a)]) for a in (a1, a2))
    return one + other


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """``np.vander``: powers as products, as NumPy takes them."""
    count = np.size(x) if N is None else N
    repeated = np.repeat(np.reshape(x, (-1, 1)), max(count - 1, 0), axis=1)
    ones = as_like(np.ones((np.size(x), min(count, 1))), x)
    powers = np.cumprod(np.concatenate([ones, repeated], axis=1), axis=1)
    return powers if increasing else np.flip(powers, 1)


def polyfit(x: Any, y: Any, deg: int, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False) -> Any:
    """``np.polyfit``: least squares by the pseudo-inverse, columns scaled as NumPy scales them."""
    check_unsupported("np.polyfit", "Use np.linalg.lstsq.", full=full or None, cov=cov or None)
    powers = np.vander(x, deg + 1)
    if w is not None:
        powers, y = powers * np.reshape(w, (-1, 1)), np.transpose(np.transpose(y) * w)
    scale = np.sqrt(np.sum(np.square(powers), axis=0))
    result = np.linalg.pinv(powers / scale, np.size(x) * np.finfo(float).eps if rcond is None else rcond) @ y
    return np.transpose(np.transpose(result) / scale)


def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    """``np.polyint``."""
    for constant in np.broadcast_to(0.0 if k is None else joined(k), (m,)):
        p = np.append(p / as_like(np.arange(np.size(p), 0, -1), p), as_like(np.reshape(constant, (1,)), p))
    return p


def poly(seq_of_zeros: Any) -> Any:
    """``np.poly`` of the zeros of a polynomial."""
    if np.ndim(seq_of_zeros) != 1:
        raise missing("np.poly of a matrix", "Pass the zeros.")
    return reduce(np.convolve, [np.stack([1.0, -zero]) for zero in seq_of_zeros])


def roots(p: Any) -> Any:
    """``np.roots``, if they are real: implicit functions of the coefficients."""
    p = joined(p)
    result = np.roots(numpy_data(p))
    if np.iscomplexobj(result):
        raise missing("np.roots of a polynomial with complex roots", "Only real ones can be traced.")
    return solution(as_like(result, p), lambda x: (np.polyval(p, x), np.polyval(np.polyder(p), x)))


FUNCTIONS: Rules = {
    **named(np, einsum, convolve, correlate, dot, tensordot),
    np.inner: lambda a, b: tensordot(a, b, ([-1], [-1])) if np.ndim(a) and np.ndim(b) else np.multiply(a, b),
    np.outer: lambda a, b, out=None: np.multiply(np.reshape(a, (-1, 1)), np.ravel(b)),
    np.vdot: lambda a, b: np.matmul(np.ravel(a), np.ravel(b)),
    np.trace: lambda a, offset=0, axis1=0, axis2=1, dtype=None, out=None: np.sum(
        np.diagonal(a, offset, axis1, axis2), axis=-1
    ),
}

COMPOSED: Rules = {
    **named(np, cov, corrcoef, kron, cross, vecdot, polyval, polyadd, vander, polyfit, polyint, poly, roots),
    np.linalg.cross: cross_in_space,
    np.linalg.outer: lambda x1, x2, /: np.outer(x1, x2),
    np.linalg.matmul: lambda x1, x2, /: np.matmul(x1, x2),
    np.linalg.tensordot: lambda x1, x2, /, *, axes=2: np.tensordot(x1, x2, axes),
    np.linalg.trace: lambda x, /, *, offset=0, dtype=None: np.trace(x, offset, -2, -1),
    np.linalg.diagonal: lambda x, /, *, offset=0: np.diagonal(x, offset, -2, -1),
    np.linalg.matrix_transpose: lambda x, /: np.swapaxes(x, -1, -2),
    np.linalg.vecdot: lambda x1, x2, /, *, axis=-1: vecdot(x1, x2, axis),
    np.polysub: lambda a1, a2: polyadd(a1, -a2),
    np.polymul: lambda a1, a2: np.convolve(np.atleast_1d(a1), np.atleast_1d(a2)),
    np.polyder: lambda p, m=1: (
        p if not m else np.polyder(p[:-1] * as_like(np.arange(np.size(p) - 1.0, 0, -1), p), m - 1)
    ),
}
if hasattr(np, "matvec"):  # NumPy 2.2
    COMPOSED[np.matvec] = lambda a, x: np.matmul(a, x[..., None])[..., 0]
    COMPOSED[np.vecmat] = lambda x, a: np.matmul(x[..., None, :], a)[..., 0, :]


# ---- Fourier transforms ----

TRANSPOSED: dict[Any, Any] = {"backward": "forward", "forward": "backward", "ortho": "ortho"}
"""The transpose of a transform is the inverse one, with the factor ``1 / n`` on the other side."""


def _words(name: str, back: str) -> Words:
    return Words(
        f"The {name} is linear, with a matrix F, so the adjoint is multiplied with its conjugate transpose Fᴴ:"
        f" the {back}, up to its factor.",
        ((("F ·", "The matrix of the transform has to be transposed and conjugated."),),),
        gates=(("Fᴴ ·", "F ·"),),
    )


TRANSFORM, INVERSE = _words("transform", "inverse transform"), _words("inverse transform", "transform")


def fft_of_parts(x: Any, axes: Any, norm: Any) -> Any:
    """The real and the imaginary part of the Fourier transform of x[0] + 1j * x[1]."""
    z = np.fft.fftn(x[0] + 1j * x[1], axes=axes, norm=norm)
    return np.stack([z.real, z.imag])


def ifft_of_parts(x: Any, axes: Any, norm: Any) -> Any:
    """The real and the imaginary part of the inverse Fourier transform of x[0] + 1j * x[1]."""
    z = np.fft.ifftn(x[0] + 1j * x[1], axes=axes, norm=norm)
    return np.stack([z.real, z.imag])


def fft_of_real(x: Any, axes: Any, norm: Any) -> Any:
    """The real and the imaginary part of a Fourier transform."""
    z = np.fft.fftn(x, axes=axes, norm=norm)
    return np.stack([z.real, z.imag])


def _rule(name: str, compute: Function, transposed: Function, words: Words) -> Rule:
    def jacobians(y: Any, x: Any, axes: Any, norm: Any) -> list[Jacobian | None]:
        jvp, vjp = (lambda t: rule(t, axes, norm)), (lambda c: transposed(c, axes, TRANSPOSED[norm]))
        return [LinearMap(jvp, vjp, np.shape(y), np.shape(x)), None, None]

    rule = Rule(
        name,
        lambda x, axes, norm: (rule if is_traced(x) else compute)(x, axes, norm),  # traced by an outer trace
        jacobians,
        "linear",
        words=words,
        count=operation_counts.fourier,
        code=f"{compute.__name__}({{a}}, {{b}}, {{c}})",
        helper=source_of(compute),
    )
    return rule


FFT = _rule("fft", fft_of_parts, lambda c, *s: IFFT(c, *s), TRANSFORM)
IFFT: Rule = _rule("ifft", ifft_of_parts, lambda c, *s: FFT(c, *s), INVERSE)
FFT_OF_REAL = _rule("fft", fft_of_real, lambda c, *s: IFFT(c, *s)[0], TRANSFORM)
"""Values and complex operands have the real and the imaginary part stacked in front."""


def _transformed(z: Any, axes: Sequence[int], norm: str | None, inverse: bool) -> Any:
    """Return the transform along axes that have their sizes."""
    norm = norm or "backward"
    if norm not in TRANSPOSED:
        raise ValueError(f"norm is {norm!r}; it can be {', '.join(map(repr, TRANSPOSED))}")
    z = Complex(contents(z.real), contents(z.imag))
    if isinstance(z.real, ObjectArray) or isinstance(z.imag, ObjectArray):
        for axis in axes:
            z = _by_entries(z, axis, norm, inverse)
        return z
    axes = tuple(k % z.ndim - z.ndim for k in axes)
    if is_zero(z.imag) and not inverse:
        result = FFT_OF_REAL(z.real, axes, norm)
    else:
        result = (IFFT if inverse else FFT)(np.stack([z.real, z.imag]), axes, norm)
    return Complex(result[0], result[1])


def _by_entries(z: Any, axis: int, norm: str, inverse: bool) -> Any:
    last = np.moveaxis(z, axis, -1)
    size = last.shape[-1]
    scale = {"backward": 1 / size if inverse else 1.0, "forward": 1.0 if inverse else 1 / size, "ortho": size**-0.5}
    return np.moveaxis(butterflies(last, 1 if inverse else -1) * scale[norm], -1, axis)


def butterflies(z: Any, sign: int) -> Any:
    """Return the transforms of entries at even and at odd indices, joined; sums where the size is odd."""
    size = z.shape[-1]
    if size == 1:
        return z
    if size % 2:
        factors = np.exp(sign * 2j * np.pi / size * np.outer(np.arange(size), np.arange(size)))
        return (z[..., None, :] * factors).sum(-1)
    even, odd = butterflies(z[..., ::2], sign), butterflies(z[..., 1::2], sign)
    odd = odd * np.exp(sign * 2j * np.pi / size * np.arange(size // 2))
    return np.concatenate([even + odd, even - odd], axis=-1)


def _part(axis: int, depth: int, *limits: int | None) -> tuple[slice, ...]:
    return (*[slice(None)] * (axis % depth), slice(*limits))


def _sized(z: Any, size: int, axis: int) -> Any:
    """Cut to a size along an axis, or padded with zeros."""
    present = z.shape[axis]
    if size < 1:
        raise ValueError(f"a transform needs at least one number, and was asked for {size}")
    if present >= size:
        return z if present == size else z[_part(axis, z.ndim, size)]
    shape = tuple(size - present if k == axis % z.ndim else n for k, n in enumerate(z.shape))
    return np.concatenate([z, zeros(shape, z.real)], axis)


def _axes(z: Complex, s: Any, axes: Any) -> tuple[list[int], list[int]]:
    """Return sizes and axes, spelled out."""
    if axes is None:
        axes = range(z.ndim) if s is None else range(-len(s), 0)
    sizes = [None] * len(axes) if s is None else s
    return [z.shape[k] if n in (None, -1) else n for n, k in zip(sizes, axes, strict=True)], list(axes)


def fftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None, inverse: bool = False) -> Complex:
    """``np.fft.fftn``, or its inverse."""
    z: Any = as_complex(a)
    sizes, axes = _axes(z, s, axes)
    for size, axis in zip(sizes, axes, strict=True):
        z = _sized(z, size, axis)
    return _transformed(z, axes, norm, inverse)


def rfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Complex:
    """``np.fft.rfftn``: the half of the spectrum that the other half mirrors."""
    if is_complex(a):
        raise InputError("A transform of real numbers got complex ones. Use np.fft.fft, or pass z.real.", user_origin())
    result = fftn(a, s, axes, norm)
    last = -1 if axes is None else axes[-1]
    return result[_part(last, result.ndim, result.shape[last] // 2 + 1)]


def irfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    """``np.fft.irfftn``: the spectrum is mirrored along the last axis."""
    z: Any = as_complex(a)
    sizes, axes = _axes(z, s, axes)
    size = 2 * (z.shape[axes[-1]] - 1) if s is None or s[-1] in (None, -1) else s[-1]
    for n, axis in zip([*sizes[:-1], size // 2 + 1], axes, strict=True):
        z = _sized(z, n, axis)
    z = _transformed(z, axes[:-1], norm, inverse=True) if axes[:-1] else z
    mirrored = z[_part(axes[-1], z.ndim, (size - 1) // 2, 0, -1)].conj()
    return _transformed(np.concatenate([z, mirrored], axes[-1]), axes[-1:], norm, inverse=True).real


def ifftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Complex:
    """``np.fft.ifftn``."""
    return fftn(a, s, axes, norm, inverse=True)


def _along_one(transform: Function) -> Function:
    """``np.fft.fft`` and its like, of one size along one axis."""
    return lambda a, n=None, axis=-1, norm=None, out=None: transform(a, None if n is None else [n], [axis], norm)


def _along_two(transform: Function) -> Function:
    """``np.fft.fft2`` and its like, along the last two axes unless others are named."""
    return lambda a, s=None, axes=(-2, -1), norm=None, out=None: transform(a, s, axes, norm)


def _shift(sign: int) -> Function:
    def shift(x: Any, axes: Any = None) -> Any:
        axes = tuple(range(np.ndim(x))) if axes is None else tuple(np.atleast_1d(axes))
        steps = tuple(sign * (np.shape(x)[k] // 2) for k in axes)
        return np.roll(x, steps, axes)

    return shift


FOURIER: Rules = {
    **named(np.fft, fftn, ifftn, rfftn, irfftn),
    np.fft.hfft: lambda a, n=None, axis=-1, norm=None, out=None: np.fft.irfft(
        np.conjugate(a), n, axis, TRANSPOSED[norm or "backward"]
    ),
    np.fft.ihfft: lambda a, n=None, axis=-1, norm=None, out=None: np.fft.rfft(
        a, n, axis, TRANSPOSED[norm or "backward"]
    ).conj(),
    np.fft.fftshift: _shift(1),
    np.fft.ifftshift: _shift(-1),
}
"""The rules of ``np.fft``, for real and for complex numbers."""
for _name, _transform in (("fft", fftn), ("ifft", ifftn), ("rfft", rfftn), ("irfft", irfftn)):
    FOURIER[getattr(np.fft, _name)] = _along_one(_transform)
    FOURIER[getattr(np.fft, f"{_name}2")] = _along_two(_transform)
COMPOSED |= FOURIER
