"""NumPy's functions of each entry by itself that are not ufuncs, or not one Block: for arrays and for object arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..apply import by_entries
from ..arrays.object_arrays import as_object_array, as_plain_array, is_of_objects
from ..blocks import Block
from ..rules.elementwise import OF_ENTRIES
from ..rules.powers import LENGTH, ROOT
from ..variable import is_symbolic_array
from .arguments import Function, Rules, data_of, named, symbolic_or_data
from .casts import is_fortran, is_traced_array, laid_out, type_of


def elementwise(block: Block) -> Function:
    """Return an elementwise Block, on object arrays entry by entry."""

    def apply(*operands: Any) -> Any:
        if any(map(is_of_objects, operands)):
            return as_object_array(by_entries(block, len(operands))(*map(as_plain_array, operands)))
        return block(*operands)

    return apply


length, root = elementwise(LENGTH), elementwise(ROOT)
"""The square root and the power of norms: their derivative at 0 is 0."""


def clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None) -> Any:
    """``np.clip`` as maximum and minimum."""
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    a = a if low is None else np.maximum(a, low)
    return a if high is None else np.minimum(a, high)


def nan_to_num(
    x: Any, copy: bool = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Any:
    """``np.nan_to_num``."""
    largest = float(np.finfo(type_of(x) if is_traced_array(x) else float).max)
    x = np.where(np.isnan(x), nan, x)
    x = np.where(np.equal(x, np.inf), largest if posinf is None else posinf, x)
    return np.where(np.equal(x, -np.inf), -largest if neginf is None else neginf, x)


def round_half_even(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """``np.round``; with decimals, row-major unless the array is column-major."""
    if not decimals:
        return np.rint(a)
    return laid_out(np.rint(a * 10.0**decimals) / 10.0**decimals, "F" if is_fortran(a) else "C")


def frexp(x: Any) -> tuple[Any, Any]:
    """``np.frexp``; the exponent is piecewise constant."""
    exponent = np.frexp(data_of(x))[1]
    return x * np.ldexp(1.0, -exponent), exponent


COMPOSED: Rules = {
    np.divmod: lambda a, b: (np.floor_divide(a, b), np.remainder(a, b)),
    np.modf: lambda x: (np.fmod(x, 1.0), np.trunc(x)),
    **named(np, clip, nan_to_num, frexp),
    **dict.fromkeys((np.round, np.around), round_half_even),
    np.fix: lambda x, out=None: np.trunc(x),
    np.ldexp: lambda x1, x2: (
        x1 * (np.power(2.0, symbolic_or_data(x2)) if is_symbolic_array(x2) else np.ldexp(1.0, data_of(x2)))
    ),
    **{function: elementwise(block) for function, block in OF_ENTRIES.items()},
    np.angle: lambda z, deg=False: np.where(np.less(z, 0), 180.0 if deg else np.pi, 0.0),
    np.real_if_close: lambda a, tol=100: a,
    np.broadcast_arrays: lambda *args, subok=False: tuple(
        np.broadcast_to(a, np.broadcast_shapes(*map(np.shape, args))) for a in args
    ),
}
