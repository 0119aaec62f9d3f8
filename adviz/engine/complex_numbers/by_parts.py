"""Functions of complex arrays by real and imaginary parts: linear functions of each, multilinear ones of all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from ..arrays.complex_pairs import Complex, as_complex, has_complex, is_complex, is_zero, zeros
from ..functions.arguments import Function, missing
from ..recording.tape import user_origin
from ..trace_errors import ArrayWriteError
from .complex_ufuncs import conjugate

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
