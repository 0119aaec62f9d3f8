"""NumPy's ufuncs of complex numbers: formulas of their real and imaginary parts, one line each.

The values of ``UFUNCS`` are complex, those of ``REAL`` are real, or true or false.
Derivatives are those of the formulas. Parts that are known to be 0, as those of real operands, are left out.

Sides of branch cuts are NumPy's, told by the sign of a zero, and the formulas of the inverse functions are those that
keep it (Kahan 1987, "Branch cuts for complex elementary functions, or much ado about nothing's sign bit"). Where
``abs`` has a kink, at 0, its derivative is 0; that of ``sqrt`` is infinite there.

Functions of arrays by real and imaginary parts follow: linear ones of each part, multilinear ones of all pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from ..arrays import contents
from ..devices import as_like
from ..functions.arguments import Function, Rules, missing
from ..object_arrays import (
    Complex,
    as_complex,
    has_complex,
    is_complex,
    is_of_objects,
    is_plain,
    is_zero,
    writable,
    zeros,
)
from ..tape import user_origin
from ..trace_errors import ArrayWriteError

MOST_PRODUCTS = 100
"""Exponents up to this one are computed by products, as in NumPy."""

# ---- real and imaginary parts: sums and products that leave zeros out ----


def _spread(part: Any, other: Any) -> Any:
    shape = np.broadcast_shapes(np.shape(part), np.shape(other))
    return part if np.shape(part) == shape else as_like(np.copy(np.broadcast_to(part, shape)), other)


def _plus(a: Any, b: Any) -> Any:
    return _spread(a, b) if is_zero(b) else _spread(b, a) if is_zero(a) else a + b


def _minus(a: Any, b: Any) -> Any:
    return _spread(a, b) if is_zero(b) else a - b


def _product(a: Any, b: Any) -> Any:
    if is_zero(a) or is_zero(b):
        return zeros(np.broadcast_shapes(np.shape(a), np.shape(b)), a, b)
    return b if type(a) is float and a == 1.0 else a if type(b) is float and b == 1.0 else a * b


def _quotient(a: Any, b: Any) -> Any:
    return zeros(np.broadcast_shapes(np.shape(a), np.shape(b)), a, b) if is_zero(a) else a / b


def _squares(z: Complex) -> Any:
    return _plus(_product(z.real, z.real), _product(z.imag, z.imag))


def _never(condition: Any) -> bool:
    """Return whether a condition is known to hold nowhere, which is not known of a node."""
    return is_plain(condition) and not np.any(condition)


def _unless(condition: Any, part: Any, otherwise: float) -> Any:
    """Return a part, with another number where a condition holds."""
    return part if _never(condition) else np.where(condition, otherwise, part)


# ---- arithmetic ----


def times(a: Complex, b: Complex) -> Complex:
    """Return the product."""
    return Complex(
        _minus(_product(a.real, b.real), _product(a.imag, b.imag)),
        _plus(_product(a.real, b.imag), _product(a.imag, b.real)),
    )


def over(a: Complex, b: Complex) -> Complex:
    """Return the quotient."""
    if is_zero(b.imag):
        return Complex(_quotient(a.real, b.real), _quotient(a.imag, b.real))
    product, squares = times(a, conjugate(b)), _squares(b)
    return Complex(_quotient(product.real, squares), _quotient(product.imag, squares))


def conjugate(z: Complex) -> Complex:
    """Return the conjugate numbers."""
    return Complex(z.real, -z.imag)


def times_i(z: Complex) -> Complex:
    """``1j * z``, to the sign of zero."""
    return Complex(-z.imag, z.real)


def over_i(z: Complex) -> Complex:
    """``-1j * z``, to the sign of zero."""
    return Complex(z.imag, -z.real)


def length(z: Complex) -> Any:
    """Return the absolute value."""
    return np.abs(z.real) if is_zero(z.imag) else np.abs(z.imag) if is_zero(z.real) else np.hypot(z.real, z.imag)


def angle(z: Complex) -> Any:
    """Return the angle, between minus pi and pi."""
    return np.arctan2(z.imag, z.real)


def sign(z: Complex) -> Complex:
    """``z / abs(z)``, and 0 at 0."""
    whole = _unless(np.equal(length(z), 0), length(z), 1.0)
    return Complex(_quotient(z.real, whole), _quotient(z.imag, whole))


# ---- powers ----


def power(z: Complex, p: Complex) -> Complex:
    """Return products for whole exponents that are plain, else ``exp(p log z)``."""
    if is_plain(p.real) and is_zero(p.imag):
        exponents = np.asarray(p.real, float)
        if np.all(np.rint(exponents) == exponents) and np.all(np.abs(exponents) <= MOST_PRODUCTS):
            return _whole_power(z, exponents.astype(int))
    nothing = np.logical_and(np.equal(z.real, 0), np.equal(z.imag, 0))
    result = exponential(times(p, logarithm(Complex(_unless(nothing, z.real, 1.0), z.imag))))
    if _never(nothing):
        return result
    at_zero = np.where(
        np.equal(p.imag, 0), np.where(p.real > 0, 0.0, np.where(np.equal(p.real, 0), 1.0, np.nan)), np.nan
    )
    return Complex(np.where(nothing, at_zero, result.real), np.where(nothing, 0.0, result.imag))


def _whole_power(z: Complex, exponents: np.ndarray) -> Complex:
    """By squaring; where exponents differ, each entry is multiplied by the factors of its own exponent."""
    result, factor, rest = None, z, np.abs(exponents)
    while np.any(rest):
        odd = rest % 2 == 1
        if odd.all():
            result = factor if result is None else times(result, factor)
        elif odd.any():
            chosen = Complex(np.where(odd, factor.real, 1.0), np.where(odd, factor.imag, 0.0))
            result = chosen if result is None else times(result, chosen)
        rest = rest // 2
        factor = times(factor, factor) if np.any(rest) else factor
    shape = np.broadcast_shapes(z.shape, exponents.shape)
    one = Complex(1.0 if not shape else zeros(shape, z.real) + 1.0, zeros(shape, z.real))
    result = one if result is None else times(result, one) if result.shape != shape else result
    if np.any(exponents < 0):
        inverse = over(one, result)
        keep = exponents >= 0
        result = (
            inverse
            if not keep.any()
            else Complex(np.where(keep, result.real, inverse.real), np.where(keep, result.imag, inverse.imag))
        )
    return result


def root(z: Complex) -> Complex:
    """The square root with a real part that is not negative, on the side of the cut that the sign of zero tells."""
    x, y = z.real, z.imag
    greater = np.sqrt(np.abs(x) if is_zero(y) else (length(z) + np.abs(x)) / 2)  # of both parts
    side = np.where(np.signbit(y), -1.0, 1.0)
    less = _quotient(y, 2 * _unless(np.equal(greater, 0), greater, 1.0))
    right = np.greater_equal(x, 0)
    return Complex(np.where(right, greater, side * less), np.where(right, less, side * greater))


def exponential(z: Complex) -> Complex:
    """``exp``."""
    if is_zero(z.imag):
        return Complex(np.exp(z.real), z.imag)
    grown = 1.0 if is_zero(z.real) else np.exp(z.real)
    return Complex(_product(grown, np.cos(z.imag)), _product(grown, np.sin(z.imag)))


def expm1(z: Complex) -> Complex:
    """``expm1``, without cancellation near 0."""
    half = np.sin(z.imag / 2)
    return Complex(
        _minus(_product(np.expm1(z.real), np.cos(z.imag)), 2 * half * half), _product(np.exp(z.real), np.sin(z.imag))
    )


def logarithm(z: Complex) -> Complex:
    """``log``."""
    return Complex(np.log(length(z)), angle(z))


def log1p(z: Complex) -> Complex:
    """``log1p``, without cancellation near 0, and near -1."""
    more = Complex(1 + z.real, z.imag)
    squares, less = _squares(more), _plus(z.real * (2 + z.real), _product(z.imag, z.imag))
    is_near = np.less(squares, 0.5)
    real = np.log1p(_unless(is_near, less, 0.0))
    if not _never(is_near):
        real = real + np.log(np.where(is_near, squares, 1.0))
    return Complex(real / 2, angle(more))


def _scaled(z: Complex, factor: float) -> Complex:
    return Complex(_product(factor, z.real), _product(factor, z.imag))


# ---- trigonometry ----


def _circular(real: Any, imag: Any, of_sums: Any) -> Callable[[Complex], Complex]:
    """``sin``, ``cos``, ``sinh`` and ``cosh``: products of a function of the real and one of the imaginary part."""

    def formula(z: Complex) -> Complex:
        (f, g), (h, k) = real, imag
        return Complex(_product(f(z.real), g(z.imag)), of_sums * _product(h(z.real), k(z.imag)))

    return formula


def tangent(z: Complex) -> Complex:
    """``tan``."""
    t, h = np.tan(z.real), np.tanh(z.imag)
    whole = 1 + _product(t, h) * _product(t, h)
    return Complex(_quotient(_product(t, 1 - h * h), whole), _quotient(_product(h, 1 + t * t), whole))


def inverse_sine(z: Complex) -> Complex:
    """``arcsin``."""
    below, above = root(Complex(1 - z.real, -z.imag)), root(Complex(1 + z.real, z.imag))
    real = np.arctan2(z.real, times(below, above).real)
    return Complex(real, np.arcsinh(times(conjugate(below), above).imag))


def inverse_cosine(z: Complex) -> Complex:
    """``arccos``."""
    below, above = root(Complex(1 - z.real, -z.imag)), root(Complex(1 + z.real, z.imag))
    return Complex(2 * np.arctan2(below.real, above.real), np.arcsinh(times(conjugate(above), below).imag))


def inverse_hyperbolic_cosine(z: Complex) -> Complex:
    """``arccosh``."""
    below, above = root(Complex(z.real - 1, z.imag)), root(Complex(z.real + 1, z.imag))
    return Complex(np.arcsinh(times(conjugate(below), above).real), 2 * np.arctan2(below.imag, above.real))


def inverse_hyperbolic_tangent(z: Complex) -> Complex:
    """``arctanh``; the side is that of the nearer singularity, lest the logarithm cancel."""
    x, y = z.real, z.imag
    side = np.where(np.signbit(x), -1.0, 1.0)
    toward = side * x
    squares = _plus((1 - toward) * (1 - toward), _product(y, y))
    return Complex(
        side * np.log1p(4 * toward / squares) / 4, np.arctan2(2 * y, _minus((1 - x) * (1 + x), _product(y, y))) / 2
    )


def sinc(z: Complex) -> Complex:
    """``np.sinc``."""
    nothing = np.logical_and(np.equal(z.real, 0), np.equal(z.imag, 0))
    safe = _scaled(Complex(_unless(nothing, z.real, 1e-20), z.imag), np.pi)
    return over(UFUNCS[np.sin](safe), safe)


# ---- all of them ----

UFUNCS: dict[Any, Callable[..., Complex]] = {
    np.add: lambda a, b: Complex(_plus(a.real, b.real), _plus(a.imag, b.imag)),
    np.subtract: lambda a, b: Complex(_minus(a.real, b.real), _minus(a.imag, b.imag)),
    np.multiply: times,
    np.divide: over,
    np.negative: lambda z: Complex(-z.real, -z.imag),
    np.positive: lambda z: z,
    np.conjugate: conjugate,
    np.reciprocal: lambda z: over(Complex(1.0, 0.0), z),
    np.sign: sign,
    np.rint: lambda z: Complex(np.rint(z.real), np.rint(z.imag)),
    **dict.fromkeys((np.power, np.float_power), power),
    np.square: lambda z: times(z, z),
    np.sqrt: root,
    np.exp: exponential,
    np.exp2: lambda z: exponential(_scaled(z, float(np.log(2)))),
    np.expm1: expm1,
    np.log: logarithm,
    np.log2: lambda z: _scaled(logarithm(z), float(1 / np.log(2))),
    np.log10: lambda z: _scaled(logarithm(z), float(1 / np.log(10))),
    np.log1p: log1p,
    np.sin: _circular((np.sin, np.cosh), (np.cos, np.sinh), 1.0),
    np.cos: _circular((np.cos, np.cosh), (np.sin, np.sinh), -1.0),
    np.sinh: _circular((np.sinh, np.cos), (np.cosh, np.sin), 1.0),
    np.cosh: _circular((np.cosh, np.cos), (np.sinh, np.sin), 1.0),
    np.tan: tangent,
    np.tanh: lambda z: over_i(tangent(times_i(z))),
    np.arcsin: inverse_sine,
    np.arccos: inverse_cosine,
    np.arctan: lambda z: over_i(inverse_hyperbolic_tangent(times_i(z))),
    np.arcsinh: lambda z: over_i(inverse_sine(times_i(z))),
    np.arccosh: inverse_hyperbolic_cosine,
    np.arctanh: inverse_hyperbolic_tangent,
}
"""Ufuncs whose values are complex; operands are Complex."""


def _before(strict: np.ufunc, last: np.ufunc) -> Function:
    """Return the order of NumPy: by real parts, and where these are equal by imaginary ones."""
    return lambda a, b: np.logical_or(
        strict(a.real, b.real), np.logical_and(np.equal(a.real, b.real), last(a.imag, b.imag))
    )


def _of_truths(connective: np.ufunc) -> Function:
    return lambda *operands: connective(*(np.not_equal(z, 0) for z in operands))


REAL: Rules = {
    np.absolute: length,
    np.equal: lambda a, b: np.logical_and(np.equal(a.real, b.real), np.equal(a.imag, b.imag)),
    np.not_equal: lambda a, b: np.logical_or(np.not_equal(a.real, b.real), np.not_equal(a.imag, b.imag)),
    np.less: _before(np.less, np.less),
    np.less_equal: _before(np.less, np.less_equal),
    np.greater: _before(np.greater, np.greater),
    np.greater_equal: _before(np.greater, np.greater_equal),
    np.isnan: lambda z: np.logical_or(np.isnan(z.real), np.isnan(z.imag)),
    np.isinf: lambda z: np.logical_or(np.isinf(z.real), np.isinf(z.imag)),
    np.isfinite: lambda z: np.logical_and(np.isfinite(z.real), np.isfinite(z.imag)),
    **{f: _of_truths(f) for f in (np.logical_not, np.logical_and, np.logical_or, np.logical_xor)},
}
"""Ufuncs whose values are real, or true or false: plain booleans, or nodes in a symbolic trace."""


def of_numbers(ufunc: np.ufunc, operands: tuple[Any, ...]) -> Any:
    """Return the value of a ufunc that is in a table, at operands of which at least one is complex."""
    numbers = [Complex(contents(z.real), contents(z.imag)) for z in map(as_complex, operands)]
    if ufunc not in UFUNCS:
        return REAL[ufunc](*numbers)
    result = UFUNCS[ufunc](*numbers)
    given = [part for z in numbers for part in (z.real, z.imag)]
    return Complex(_own(result.real, given), _own(result.imag, given))


def _own(part: Any, given: list[Any]) -> Any:
    """Return a part that shares no memory with the operands: writing to one does not change the other."""
    result = np.copy(part) if np.ndim(part) and any(part is other for other in given) else part
    return writable(result) if type(result) is np.ndarray and not is_of_objects(result) else result


ADVICE = "Compute with the real and the imaginary part, z.real and z.imag."


IGNORED = {"casting", "order", "subok", "axes", "axis", "keepdims"}
"""Settings that are handled elsewhere, or make no difference to double precision."""


def check_settings(name: str, dtype: Any = None, **others: Any) -> None:
    """Raise an error for settings that would make a difference."""
    if dtype is not None and np.dtype(dtype) not in (np.complex128, object):
        raise missing(f"np.{name} of complex numbers with dtype={np.dtype(dtype)}", ADVICE)
    unusual = [key for key, value in others.items() if value is not None and value is not True]
    given = [key for key in unusual if key not in IGNORED]
    if given:
        raise missing(f"np.{name} of complex numbers with {' and '.join(given)}", ADVICE)


# ---- linear functions: each part by itself ----


def part(value: Any, k: int) -> Any:
    """Return the real (``k = 0``) or the imaginary part of an operand, also of each in a sequence."""
    if isinstance(value, list | tuple):
        return type(value)(part(entry, k) for entry in value)
    z = as_complex(value)
    return z.imag if k else z.real


def paired(real: Any, imag: Any) -> Any:
    """Return the results of both parts as complex numbers."""
    if isinstance(real, list | tuple):
        return type(real)(map(paired, real, imag))
    return None if real is None else Complex(real, imag)


def linear(function: Function, *data: int | str) -> Function:
    """A function applied to both parts of the operands ``data`` (positions and names): by default the first one."""
    data = data or (0,)

    def apply(*args: Any, **settings: Any) -> Any:
        def of(k: int) -> Any:
            parts = [part(arg, k) if place in data else arg for place, arg in enumerate(args)]
            named = {
                name: part(value, k) if name in data or is_complex(value) else value for name, value in settings.items()
            }
            return function(*parts, **named)

        return paired(of(0), of(1))

    return apply


def linear_into(function: Function, *data: int | str) -> Function:
    """Return a linear function that writes into its first operand."""
    on_parts = linear(function, *data)

    def apply(*args: Any, **settings: Any) -> Any:
        if not is_complex(args[0] if args else next(iter(settings.values()))):
            raise ArrayWriteError(
                f"np.{function.__name__} was to put complex numbers into an array of real ones, which has no place for "
                "imaginary parts. Make that array complex: x + 0j.",
                user_origin(),
            )
        return on_parts(*args, **settings)

    return apply


def linear_in_all(function: Function) -> Function:
    """Return a function of any number of operands, applied to both parts of all of them."""
    return lambda *args, **settings: paired(*(function(*(part(arg, k) for arg in args), **settings) for k in (0, 1)))


# ---- multilinear functions: all pairs of parts ----


def _multilinear(function: Function, places: Sequence[int], args: Sequence[Any], settings: Any) -> Complex:
    """Return the sum over all choices of parts of the operands at ``places``; each imaginary part has the factor i."""
    operands = [as_complex(args[place]) for place in places]
    result: list[Any] = [None, None]
    for choice in product((0, 1), repeat=len(operands)):
        parts = [(z.real, z.imag)[k] for k, z in zip(choice, operands, strict=True)]
        if not any(map(is_zero, parts)):
            term = _called(function, places, parts, args, settings)
            result[sum(choice) % 2] = _added(result[sum(choice) % 2], term, is_less=sum(choice) % 4 > 1)
    known = next((part for part in result if part is not None), None)
    if known is None:
        known = result[0] = _called(function, places, [z.real for z in operands], args, settings)
    return Complex(*(zeros(np.shape(known), known) if part is None else part for part in result))


def _added(known: Any, term: Any, is_less: bool) -> Any:
    if known is None:
        return -term if is_less else term
    return known - term if is_less else known + term


def _called(function: Function, places: Sequence[int], parts: list[Any], args: Any, settings: Any) -> Any:
    whole = list(args)
    for place, part in zip(places, parts, strict=True):
        whole[place] = part
    return function(*whole, **settings)


def bilinear(function: Function, conjugated: int | None = None) -> Function:
    """A product of the first two operands; ``conjugated`` is the position of the one that is conjugated, if any."""

    def apply(*args: Any, **settings: Any) -> Complex:
        whole = [conj(arg) if place == conjugated else arg for place, arg in enumerate(args)]
        return _multilinear(function, (0, 1), whole, settings)

    return apply


def conj(value: Any) -> Any:
    """Return the conjugate of complex numbers; real ones as they are."""
    return conjugate(as_complex(value)) if has_complex(value) else value


def einsum(*operands: Any, out: Any = None, **settings: Any) -> Complex:
    """``np.einsum``."""
    first = isinstance(operands[0], str)
    places = range(1, len(operands)) if first else range(0, len(operands) // 2 * 2, 2)
    return _multilinear(np.einsum, places, operands, settings)
