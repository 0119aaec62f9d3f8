"""NumPy's functions and ufuncs where complex numbers take part, traced or not: which rule is called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays.complex_pairs import Complex, as_complex, is_plain
from ..arrays.object_arrays import as_numbers
from ..functions.arguments import Function, missing, name_of, target_of
from ..recording.tape import current_tape
from ..recording.unsupported import unwritable
from .by_parts import ADVICE, check_settings, part
from .complex_functions import FUNCTIONS, LINEAR_INTO, METHODS, PRODUCTS
from .complex_ufuncs import REAL, UFUNCS, of_numbers


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


def _put(found: Any, out: Any) -> Any:
    if type(out) is not Complex:
        raise unwritable()
    if np.shape(found) != out.shape:
        raise ValueError(f"out has the shape {out.shape}, and the result {np.shape(found)}")
    out[...] = found
    return out
