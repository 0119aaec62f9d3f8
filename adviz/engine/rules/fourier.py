"""Fourier transforms: ``np.fft`` of traced arrays, and the complex numbers that come out of it.

Variables are real. A transform therefore gives a :class:`Complex`: two real Variables that compute together as complex
numbers do, until ``.real``, ``.imag``, ``abs``, ``np.angle`` or an inverse transform lead back to real ones.

In the array grain a transform is one Block; its transpose is the inverse transform without the factor ``1 / n``. In the
scalar grain it is written out: butterflies as long as the size is even (Cooley and Tukey 1965), then sums.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..arrays import beside
from ..blocks import Rule, is_traced
from ..jacobians import Jacobian, LinearMap
from ..object_arrays import ObjectArray
from ..operators import ARITHMETIC, COMPARISONS, SIGNS
from .functions import data_of, missing

# ---- complex numbers ----


class Complex:
    """Complex numbers whose real and imaginary parts are traced: arrays of one shape, or numbers.

    They have arithmetic with each other, with traced values and with plain numbers, real or complex, and the functions
    in ``UFUNCS`` and ``FUNCTIONS``. Others raise a :class:`~adviz.MissingBlockError` with their name.

    >>> z = Complex(3.0, 4.0)
    >>> z * 1j, z * z.conj(), float(abs(z))
    (Complex(-4.0, 3.0), Complex(25.0, 0.0), 5.0)
    """

    __slots__ = ("imag", "real")

    def __init__(self, real: Any, imag: Any):
        self.real, self.imag = real, imag

    shape = property(lambda self: np.shape(self.real))
    ndim = property(lambda self: np.ndim(self.real))
    size = property(lambda self: np.size(self.real))
    dtype = property(lambda self: np.dtype(complex))
    T = property(np.transpose)

    def conj(self) -> Complex:
        """The conjugate numbers."""
        return Complex(self.real, -self.imag)

    conjugate = conj

    def __len__(self) -> int:
        return len(self.real)

    def __getitem__(self, key: Any) -> Complex:
        return Complex(self.real[key], self.imag[key])

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
        if ufunc not in UFUNCS or method != "__call__" or settings:
            raise missing(f"np.{ufunc.__name__} of complex numbers", "Compute real and imaginary parts apart.")
        return UFUNCS[ufunc](*map(as_complex, inputs))

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, settings: Any) -> Any:
        if function in FUNCTIONS:
            return FUNCTIONS[function](*args, **settings)
        name = f"{function.__module__}.{function.__name__}".replace("numpy", "np")
        raise missing(f"{name} of complex numbers", "Compute real and imaginary parts apart.")

    def __repr__(self) -> str:
        return f"Complex({self.real!r}, {self.imag!r})"


def _operator(ufunc: np.ufunc, is_reflected: bool = False) -> Callable[..., Any]:
    return lambda self, *other: ufunc(*other, self) if is_reflected else ufunc(self, *other)


for _name, _ufunc in (ARITHMETIC | SIGNS | COMPARISONS | {"matmul": np.matmul}).items():
    setattr(Complex, f"__{_name}__", _operator(_ufunc))
    if _ufunc.nin == 2 and _name not in COMPARISONS:
        setattr(Complex, f"__r{_name}__", _operator(_ufunc, is_reflected=True))
for _name in ("sum", "mean", "reshape", "transpose", "ravel"):
    setattr(
        Complex,
        _name,
        lambda self, *args, _name=_name, **settings: Complex(
            getattr(self.real, _name)(*args, **settings), getattr(self.imag, _name)(*args, **settings)
        ),
    )


def as_complex(value: Any) -> Complex:
    """Real numbers, traced or not, as complex ones; the imaginary part of a real one is the number 0."""
    if isinstance(value, Complex):
        return value
    return Complex(value.real, value.imag) if np.iscomplexobj(data_of(value, decides=False)) else Complex(value, 0.0)


def _is_real(z: Complex) -> bool:
    return isinstance(z.imag, float) and not z.imag


def _times(a: Complex, b: Complex) -> Complex:
    if _is_real(a):
        return Complex(a.real * b.real, a.real * b.imag)
    if _is_real(b):
        return Complex(a.real * b.real, a.imag * b.real)
    return Complex(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real)


def _over(a: Complex, b: Complex) -> Complex:
    if _is_real(b):
        return Complex(a.real / b.real, a.imag / b.real)
    return _over(_times(a, b.conj()), Complex(np.square(b.real) + np.square(b.imag), 0.0))


def _power(a: Complex, p: Complex) -> Complex:
    if not (_is_real(p) and np.ndim(p.real) == 0 and data_of(p.real) in range(1, 100)):
        raise missing("powers of complex numbers but 1, 2, 3 …", "Use np.exp and np.log.")
    return a if p.real == 1 else _times(_power(a, Complex(p.real - 1, 0.0)), a)


def _whole(a: Complex) -> tuple[Any, Any]:
    """Both parts, of one shape."""
    return a.real, a.imag if np.shape(a.imag) == np.shape(a.real) else 0.0 * a.real


UFUNCS: dict[Any, Callable[..., Any]] = {
    np.add: lambda a, b: Complex(*(x + y for x, y in zip(_whole(a), _whole(b), strict=True))),
    np.subtract: lambda a, b: Complex(*(x - y for x, y in zip(_whole(a), _whole(b), strict=True))),
    np.multiply: _times,
    np.divide: _over,
    np.power: _power,
    np.square: lambda a: _times(a, a),
    np.negative: lambda a: Complex(-a.real, -a.imag),
    np.positive: lambda a: a,
    np.conjugate: Complex.conj,
    np.absolute: lambda a: np.hypot(a.real, a.imag),
    np.exp: lambda a: Complex(np.exp(a.real) * np.cos(a.imag), np.exp(a.real) * np.sin(a.imag)),
    np.log: lambda a: Complex(np.log(np.hypot(a.real, a.imag)), np.arctan2(a.imag, a.real)),
}
"""Formulas of both parts; operands arrive as Complex."""


# ---- transforms ----


TRANSPOSED: dict[Any, Any] = {"backward": "forward", "forward": "backward", "ortho": "ortho"}
"""The transpose of a transform is the inverse one, with the factor ``1 / n`` at the other side."""


def _rule(name: str, compute: Callable[..., Any], transposed: Callable[..., Any]) -> Rule:
    def jacobians(y: Any, x: Any, axes: Any, norm: Any) -> list[Jacobian | None]:
        jvp, vjp = (lambda t: rule(t, axes, norm)), (lambda c: transposed(c, axes, TRANSPOSED[norm]))
        return [LinearMap(jvp, vjp, np.shape(y), np.shape(x)), None, None]

    def parts(x: Any, axes: Any, norm: Any) -> Any:
        if is_traced(x):  # of an outer trace
            return rule(x, axes, norm)
        found = compute(x, axes=axes, norm=norm)
        return np.stack([found.real, found.imag])

    rule = Rule(name, parts, jacobians, "linear")
    return rule


FFT = _rule("fft", lambda x, **settings: np.fft.fftn(x[0] + 1j * x[1], **settings), lambda c, *s: IFFT(c, *s))
IFFT: Rule = _rule("ifft", lambda x, **settings: np.fft.ifftn(x[0] + 1j * x[1], **settings), lambda c, *s: FFT(c, *s))
FFT_OF_REAL = _rule("fft", np.fft.fftn, lambda c, *s: IFFT(c, *s)[0])
"""Values and complex operands have the real and the imaginary part stacked in front."""


def _transformed(z: Complex, axes: Sequence[int], norm: str | None, inverse: bool) -> Complex:
    """The transform along axes that have their sizes."""
    if isinstance(z.real, ObjectArray):
        for axis in axes:
            z = _by_entries(z, axis, norm or "backward", inverse)
        return z
    axes = tuple(k % z.ndim - z.ndim for k in axes)
    if _is_real(z) and not inverse:
        found = FFT_OF_REAL(z.real, axes, norm or "backward")
    else:
        found = (IFFT if inverse else FFT)(np.stack(_whole(z)), axes, norm or "backward")
    return Complex(found[0], found[1])


def _by_entries(z: Complex, axis: int, norm: str, inverse: bool) -> Complex:
    last = Complex(*(np.moveaxis(part, axis, -1) for part in _whole(z)))
    size = last.shape[-1]
    scale = {"backward": 1 / size if inverse else 1.0, "forward": 1.0 if inverse else 1 / size, "ortho": size**-0.5}
    found = butterflies(last, 1 if inverse else -1) * scale[norm]
    return Complex(*(np.moveaxis(part, -1, axis) for part in (found.real, found.imag)))


def butterflies(z: Complex, sign: int) -> Complex:
    """The transform of even and of odd places, joined; sums where the size is odd."""
    size = z.shape[-1]
    if size == 1:
        return z
    if size % 2:
        turns = np.exp(sign * 2j * np.pi / size * np.outer(np.arange(size), np.arange(size)))
        return (z[..., None, :] * turns).sum(-1)
    even, odd = butterflies(z[..., ::2], sign), butterflies(z[..., 1::2], sign)
    odd = odd * np.exp(sign * 2j * np.pi / size * np.arange(size // 2))
    return _joined([even + odd, even - odd])


def _joined(parts: Sequence[Any], axis: int = -1) -> Complex:
    wholes = [_whole(as_complex(part)) for part in parts]
    return Complex(*(np.concatenate(side, axis=axis) for side in zip(*wholes, strict=True)))


def _part(axis: int, depth: int, *limits: int | None) -> tuple[slice, ...]:
    return (*[slice(None)] * (axis % depth), slice(*limits))


def _sized(z: Complex, size: int, axis: int) -> Complex:
    """Cut, or filled up with zeros."""
    present = z.shape[axis]
    if present >= size:
        return z if present == size else Complex(*(part[_part(axis, z.ndim, size)] for part in _whole(z)))
    zeros = beside(np.zeros([size - present if k == axis % z.ndim else n for k, n in enumerate(z.shape)]), z.real)
    if _is_real(z):
        return Complex(np.concatenate([z.real, zeros], axis), 0.0)
    return _joined([z, zeros], axis)


def _axes(z: Complex, s: Any, axes: Any) -> tuple[list[int], list[int]]:
    """Sizes and axes, spelled out."""
    if axes is None:
        axes = range(z.ndim) if s is None else range(-len(s), 0)
    sizes = [None] * len(axes) if s is None else s
    return [z.shape[k] if n in (None, -1) else n for n, k in zip(sizes, axes, strict=True)], list(axes)


def _transform(inverse: bool, axes: Any = None) -> Callable[..., Any]:
    """``np.fft.fftn`` and its like; ``axes`` if none are given."""
    default = axes

    def transform(a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> Complex:
        z = as_complex(a)
        sizes, axes = _axes(z, s, axes)
        for size, axis in zip(sizes, axes, strict=True):
            z = _sized(z, size, axis)
        return _transformed(z, axes, norm, inverse)

    return transform


def _real_transform(axes: Any = None) -> Callable[..., Any]:
    """``np.fft.rfftn`` and its like: the half of the spectrum that the other one mirrors."""
    whole = _transform(False, axes)
    default = axes

    def transform(a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> Complex:
        found = whole(a, s, axes, norm)
        last = -1 if axes is None else axes[-1]
        return found[_part(last, found.ndim, found.shape[last] // 2 + 1)]

    return transform


def _inverse_real_transform(axes: Any = None) -> Callable[..., Any]:
    """``np.fft.irfftn`` and its like: the spectrum is mirrored along the last axis."""
    default = axes

    def transform(a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> Any:
        z = Complex(*_whole(as_complex(a)))
        sizes, axes = _axes(z, s, axes)
        size = 2 * (z.shape[axes[-1]] - 1) if s is None or s[-1] in (None, -1) else s[-1]
        for n, axis in zip([*sizes[:-1], size // 2 + 1], axes, strict=True):
            z = _sized(z, n, axis)
        z = _transformed(z, axes[:-1], norm, inverse=True) if axes[:-1] else z
        mirrored = z[_part(axes[-1], z.ndim, (size - 1) // 2, 0, -1)].conj()
        return _transformed(_joined([z, mirrored], axes[-1]), axes[-1:], norm, inverse=True).real

    return transform


def _along_one(transform: Callable[..., Any]) -> Callable[..., Any]:
    """``np.fft.fft`` and its like, of one size along one axis."""
    return lambda a, n=None, axis=-1, norm=None, out=None: transform(a, None if n is None else [n], [axis], norm)


def hfft(a: Any, n: int | None = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
    """``np.fft.hfft``."""
    return np.fft.irfft(np.conjugate(a), n, axis, TRANSPOSED[norm or "backward"])


def ihfft(a: Any, n: int | None = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
    """``np.fft.ihfft``."""
    return np.fft.rfft(a, n, axis, TRANSPOSED[norm or "backward"]).conj()


def _shift(to_the_middle: bool) -> Callable[..., Any]:
    """``np.fft.fftshift`` and its inverse."""

    def shift(x: Any, axes: Any = None) -> Any:
        axes = tuple(range(np.ndim(x))) if axes is None else tuple(np.atleast_1d(axes))
        steps = tuple(np.shape(x)[k] // 2 * (1 if to_the_middle else -1) for k in axes)
        return np.roll(x, steps, axes)

    return shift


COMPOSED: dict[Any, Callable[..., Any]] = {
    np.fft.fft: _along_one(_transform(False)),
    np.fft.ifft: _along_one(_transform(True)),
    np.fft.fftn: _transform(False),
    np.fft.ifftn: _transform(True),
    np.fft.fft2: _transform(False, (-2, -1)),
    np.fft.ifft2: _transform(True, (-2, -1)),
    np.fft.rfft: _along_one(_real_transform()),
    np.fft.rfftn: _real_transform(),
    np.fft.rfft2: _real_transform((-2, -1)),
    np.fft.irfft: _along_one(_inverse_real_transform()),
    np.fft.irfftn: _inverse_real_transform(),
    np.fft.irfft2: _inverse_real_transform((-2, -1)),
    np.fft.hfft: hfft,
    np.fft.ihfft: ihfft,
    np.fft.fftshift: _shift(True),
    np.fft.ifftshift: _shift(False),
}
"""What the functions of ``np.fft`` are, of real and of complex numbers."""


def _to_both_parts(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, *args, **settings: Complex(
        function(a.real, *args, **settings), function(a.imag, *args, **settings)
    )


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    **COMPOSED,
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a, axis=None: a.size if axis is None else a.shape[axis],
    np.iscomplexobj: lambda x: True,
    np.isrealobj: lambda x: False,
    np.real: lambda val: val.real,
    np.imag: lambda val: val.imag,
    np.angle: lambda z, deg=False: np.arctan2(z.imag, z.real) * (180 / np.pi if deg else 1.0),
    np.concatenate: lambda arrays, axis=0: _joined(arrays, axis),
    **{
        function: _to_both_parts(function)
        for function in (
            np.sum,
            np.mean,
            np.reshape,
            np.ravel,
            np.transpose,
            np.swapaxes,
            np.moveaxis,
            np.squeeze,
            np.expand_dims,
            np.roll,
            np.flip,
            np.take,
            np.diff,
            np.cumsum,
            np.tile,
            np.repeat,
            np.pad,
        )
    },
}
"""What NumPy's functions are of complex numbers."""
