"""Fourier transforms: ``np.fft`` of traced arrays, real or complex; also used for ``scipy.fft``.

In the array grain a transform is one Block; its transpose is the inverse transform without the factor ``1 / n``. In the
scalar grain it is written out: butterflies as long as the size is even (Cooley and Tukey 1965), then sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays.complex_pairs import Complex, as_complex, is_complex, is_zero, zeros
from ..arrays.object_arrays import ObjectArray
from ..arrays.program_arrays import contents
from ..blocks import Rule, Words, is_traced
from ..jacobians.local import Jacobian, LinearMap
from ..recording.tape import user_origin
from ..rules import operation_counts
from ..trace_errors import InputError
from .arguments import Function, Rules, named

TRANSPOSED: dict[Any, Any] = {"backward": "forward", "forward": "backward", "ortho": "ortho"}
"""The transpose of a transform is the inverse one, with the factor ``1 / n`` on the other side."""


TRANSFORM = Words(
    "The transform is linear, with a matrix F, so the adjoint is multiplied with its conjugate transpose Fᴴ: the"
    " inverse transform, up to its factor.",
    ((("F ·", "The matrix of the transform has to be transposed and conjugated."),),),
    gates=(("Fᴴ ·", "F ·"),),
)
INVERSE = Words(
    "The inverse transform is linear, with a matrix F, so the adjoint is multiplied with its conjugate"
    " transpose Fᴴ: the"
    " transform, up to its factor.",
    ((("F ·", "The matrix of the transform has to be transposed and conjugated."),),),
    gates=(("Fᴴ ·", "F ·"),),
)


def _rule(name: str, helper: str, compute: Function, transposed: Function, words: Words) -> Rule:
    def jacobians(y: Any, x: Any, axes: Any, norm: Any) -> list[Jacobian | None]:
        jvp, vjp = (lambda t: rule(t, axes, norm)), (lambda c: transposed(c, axes, TRANSPOSED[norm]))
        return [LinearMap(jvp, vjp, np.shape(y), np.shape(x)), None, None]

    def parts(x: Any, axes: Any, norm: Any) -> Any:
        if is_traced(x):  # of an outer trace
            return rule(x, axes, norm)
        result = compute(x, axes=axes, norm=norm)
        return np.stack([result.real, result.imag])

    called = helper.removeprefix("def ").partition("(")[0]
    rule = Rule(
        name,
        parts,
        jacobians,
        "linear",
        words=words,
        count=operation_counts.fourier,
        code=f"{called}({{a}}, {{b}}, {{c}})",
        helper=helper,
    )
    return rule


FFT = _rule(
    "fft",
    '''def fft_of_parts(x, axes, norm):
    """The real and the imaginary part of the Fourier transform of x[0] + 1j * x[1]."""
    z = np.fft.fftn(x[0] + 1j * x[1], axes=axes, norm=norm)
    return np.stack([z.real, z.imag])''',
    lambda x, **settings: np.fft.fftn(x[0] + 1j * x[1], **settings),
    lambda c, *s: IFFT(c, *s),
    TRANSFORM,
)
IFFT: Rule = _rule(
    "ifft",
    '''def ifft_of_parts(x, axes, norm):
    """The real and the imaginary part of the inverse Fourier transform of x[0] + 1j * x[1]."""
    z = np.fft.ifftn(x[0] + 1j * x[1], axes=axes, norm=norm)
    return np.stack([z.real, z.imag])''',
    lambda x, **settings: np.fft.ifftn(x[0] + 1j * x[1], **settings),
    lambda c, *s: FFT(c, *s),
    INVERSE,
)
FFT_OF_REAL = _rule(
    "fft",
    '''def fft_of_real(x, axes, norm):
    """The real and the imaginary part of a Fourier transform."""
    z = np.fft.fftn(x, axes=axes, norm=norm)
    return np.stack([z.real, z.imag])''',
    np.fft.fftn,
    lambda c, *s: IFFT(c, *s)[0],
    TRANSFORM,
)
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


COMPOSED: Rules = {
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
    COMPOSED[getattr(np.fft, _name)] = _along_one(_transform)
    COMPOSED[getattr(np.fft, f"{_name}2")] = _along_two(_transform)
