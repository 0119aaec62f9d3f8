"""NumPy's protocols on Variables and object arrays: fast paths for common cases, the tables for the rest."""

from __future__ import annotations

from collections.abc import Callable
from sys import _getframe
from typing import Any

import numpy as np

from ..arrays.object_arrays import ObjectArray
from ..blocks import BLOCK_OF
from ..functions import casts
from ..functions.arguments import missing
from ..functions.casts import cast
from ..functions.registry import PARAMETERS
from ..recording.memory import memory_of
from ..rules.matrix_products import MATMUL
from ..rules.reducing import MAX, MEAN, MIN, SUM
from ..variable import Traced, Variable, apart
from ..writing import writing_functions
from .function_calls import call_function, put_into
from .operators import FAST_UFUNCS, NOTHING, apply_on_arrays, reduce_array
from .ufunc_calls import call_ufunc

REDUCED: dict[Any, tuple[Any, Callable[..., Any]]] = {
    np.sum: (SUM, np.add.reduce),
    np.mean: (MEAN, np.mean),
    np.max: (MAX, np.maximum.reduce),
    np.amax: (MAX, np.maximum.reduce),
    np.min: (MIN, np.minimum.reduce),
    np.amin: (MIN, np.minimum.reduce),
}
"""The Block of a reduction, and what computes the same on an array without ado."""
SIMPLE_REDUCTION = {"axis", "keepdims"}
"""With these settings at most, and of arrays in double precision, reductions take the fast path."""


def _array_ufunc(self: Variable, ufunc: np.ufunc, method: str, first: Any, *others: Any, **settings: Any) -> Any:
    if method == "__call__" and not settings:
        if type(first) is Traced and ufunc in FAST_UFUNCS:
            fast = FAST_UFUNCS[ufunc]
            return fast(first, others[0]) if others else fast(first)
        if ufunc in BLOCK_OF and ufunc.nin < 3 and ufunc not in PARAMETERS:
            right = others[0] if others else NOTHING
            result = apply_on_arrays(BLOCK_OF[ufunc], self.tape, first, right, _getframe(1))
            if result is not None:
                return result
    return call_ufunc(ufunc, method, (first, *others), settings)


class _AskedByNumPy(property):
    """``__array_ufunc__`` beside CuPy's arrays. NumPy asks the type; CuPy asks the instance, and finds none.

    To those it gives way: it has to, since its ``@`` takes arrays of its own only, and would not ask on.
    """

    __call__ = staticmethod(_array_ufunc)


def _matmul(self: Variable, other: Any) -> Any:
    result = apply_on_arrays(MATMUL, self.tape, self, other, _getframe(1))
    if result is None and getattr(other, "__array_priority__", 0.0) > 0.0 and not hasattr(other, "__array_ufunc__"):
        return NotImplemented  # as NumPy's arrays do: a sparse matrix knows the product
    return np.matmul(self, other) if result is None else result


def _array_function(self: Any, function: Callable[..., Any], types: Any, args: Any, settings: Any) -> Any:
    if function in REDUCED and type(args[0]) is Traced and len(args) == 1 and settings.keys() <= SIMPLE_REDUCTION:
        axis, keepdims = settings.get("axis"), settings.get("keepdims", False)
        result = reduce_array(*REDUCED[function], args[0], axis, keepdims, _getframe(1))
        if result is not None:
            return result
    return call_function(function, args, settings)


def _resize(self: Variable, *args: Any, **settings: Any) -> None:
    raise missing("the method resize", "Write x = np.resize(x, shape).")


def _flatten(self: Any, order: Any = "C") -> Any:
    """``x.flatten()``: what ``ravel`` gives, in memory of its own."""
    result = np.ravel(self, order=order)
    return apart(result) if isinstance(result, Traced) and result.ndim and memory_of(result) is not None else result


def _mean(self: ObjectArray, axis: Any = None, dtype: Any = None, out: Any = None, **settings: Any) -> Any:
    if dtype is not None:
        return np.mean(self, axis, dtype, out, **settings)  # which comes back without
    count = np.sum(np.ones(self.shape), axis=axis, **settings)
    result = np.sum(self, axis=axis, **settings) / count
    return result if out is None else put_into(result, out)


FLAT = property(
    writing_functions.Flat, lambda self, value: writing_functions.Flat(self).__setitem__(slice(None), value)
)
"""``x.flat``, which may be written to."""

OF_VARIABLES: dict[str, Any] = {
    "__array_function__": _array_function,
    "__array_ufunc__": _AskedByNumPy(lambda variable: None),
    "__matmul__": _matmul,
    "astype": cast,
    "copy": lambda self, order="C": casts.copy(self, order),
    "flatten": _flatten,
    "resize": _resize,
}
OF_TRACED: dict[str, Any] = {"__array_ufunc__": _array_ufunc, **writing_functions.METHODS, "flat": FLAT}
ON_DEVICES: dict[str, Any] = {"__array_ufunc__": _AskedByNumPy(lambda variable: None)}
OF_OBJECT_ARRAYS: dict[str, Any] = {
    "__array_function__": _array_function,
    "__array_ufunc__": lambda self, ufunc, method, *inputs, **settings: call_ufunc(ufunc, method, inputs, settings),
    "__getitem__": writing_functions.read_entries,
    "__setitem__": writing_functions.write_entries,
    "astype": cast,
    "mean": _mean,
}
