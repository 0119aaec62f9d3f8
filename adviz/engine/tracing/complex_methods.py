"""Operators and methods of complex numbers: NumPy's functions of that name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays.complex_pairs import Complex, as_array
from ..complex_numbers.calls import call_function, call_ufunc
from ..complex_numbers.parts import ADVICE
from ..functions.arguments import missing
from ..recording.tape import current_tape
from .operators import ARITHMETIC, COMPARISONS, SIGNS


def _array_ufunc(self: Complex, ufunc: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
    """NumPy asks this when a ufunc meets complex numbers."""
    return call_ufunc(ufunc, method, inputs, settings)


def _array_function(self: Complex, function: Callable[..., Any], types: Any, args: Any, settings: Any) -> Any:
    """NumPy asks this when one of its functions meets complex numbers."""
    return call_function(function, args, settings)


def _operator(ufunc: np.ufunc, is_reflected: bool = False) -> Callable[..., Any]:
    return lambda self, *other: ufunc(*other, self) if is_reflected else ufunc(self, *other)


def _in_place(ufunc: np.ufunc) -> Callable[[Any, Any], Any]:
    """``z += w``: all who hold these numbers, or share memory with them, see the new ones, as with NumPy's arrays."""

    def method(self: Any, other: Any) -> Any:
        found = ufunc(self, other)
        if not self.ndim or current_tape() is None:  # in forward and reverse mode nothing is written to
            return found
        if found.shape != self.shape:
            raise ValueError(f"an array of shape {self.shape} cannot hold the result of shape {found.shape}")
        self[...] = found
        return self

    return method


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *args, **settings: function(self, *args, **settings)


def _by_sequence(function: Callable[..., Any]) -> Callable[..., Any]:
    """Methods such as ``reshape`` take ``z.reshape(2, 3)`` as well as ``z.reshape((2, 3))``."""

    def method(self: Complex, *args: Any, **settings: Any) -> Any:
        first = args[0] if len(args) == 1 and (args[0] is None or np.ndim(args[0])) else (args or None)
        return function(self, first, **settings)

    return method


def astype(self: Complex, dtype: Any, *args: Any, **settings: Any) -> Any:
    """Complex numbers stay what they are."""
    if np.dtype(dtype).kind not in "cO":
        raise missing(f"astype({np.dtype(dtype)}) of complex numbers", "Take z.real, z.imag or np.abs(z).")
    return as_array(self, dtype)


def _filled(self: Complex, value: Any) -> None:
    self[...] = value


def _unknown(self: Complex, name: str) -> Any:
    if name.startswith("__") or not hasattr(np.ndarray, name):
        raise AttributeError(f"complex numbers have no attribute {name!r}")
    if self.plain() is not self:
        return getattr(self.plain(), name)
    raise missing(f"the attribute {name} of complex numbers", ADVICE)


FUNCTIONS: tuple[str, ...] = (
    *("sum", "mean", "prod", "cumsum", "cumprod", "var", "std", "all", "any", "ravel", "squeeze", "swapaxes"),
    *("repeat", "take", "diagonal", "trace", "dot", "round", "argmax", "argmin", "argsort", "nonzero"),
    *("copy", "max", "min", "clip", "ptp", "partition", "searchsorted"),
)
"""Methods that are functions of the same name; those which complex numbers do not have say so."""

METHODS: dict[str, Callable[..., Any]] = {
    **{name: _method(getattr(np, name)) for name in FUNCTIONS},
    **dict.fromkeys(("conj", "conjugate"), _method(np.conjugate)),
    **dict.fromkeys(("__copy__", "__deepcopy__"), lambda self, *memo: np.copy(self)),
    "flatten": _method(np.ravel),
    "reshape": _by_sequence(np.reshape),
    "transpose": _by_sequence(np.transpose),
    "compress": lambda self, condition, axis=None: np.compress(condition, self, axis),
    "astype": astype,
    "fill": _filled,
    "__divmod__": _operator(np.divmod),
    "__array_ufunc__": _array_ufunc,
    "__array_function__": _array_function,
    "__getattr__": _unknown,
}

VIEWS: dict[str, Callable[[Any], Any]] = {"T": np.transpose, "mT": np.matrix_transpose, "flat": np.ravel}

for _name, _found in METHODS.items():
    setattr(Complex, _name, _found)
for _name, _ufunc in (ARITHMETIC | SIGNS | COMPARISONS | {"matmul": np.matmul}).items():
    setattr(Complex, f"__{_name}__", _operator(_ufunc))
    if _ufunc.nin == 2 and _name not in COMPARISONS:
        setattr(Complex, f"__i{_name}__", _in_place(_ufunc))
        setattr(Complex, f"__r{_name}__", _operator(_ufunc, is_reflected=True))
for _name, _view in VIEWS.items():
    setattr(Complex, _name, property(_method(_view)))
