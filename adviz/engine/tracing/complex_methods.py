"""NumPy's protocols on complex numbers, and the methods that refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays.complex_pairs import Complex, as_array
from ..complex_numbers.by_parts import ADVICE
from ..complex_numbers.complex_dispatch import call_function, call_ufunc
from ..functions.arguments import missing


def _astype(self: Complex, dtype: Any, *args: Any, **settings: Any) -> Any:
    if np.dtype(dtype).kind not in "cO":
        raise missing(f"astype({np.dtype(dtype)}) of complex numbers", "Take z.real, z.imag or np.abs(z).")
    return as_array(self, dtype)


def _unknown(self: Complex, name: str) -> Any:
    if name.startswith("__") or not hasattr(np.ndarray, name):
        raise AttributeError(f"complex numbers have no attribute {name!r}")
    if self.plain() is not self:
        return getattr(self.plain(), name)
    raise missing(f"the attribute {name} of complex numbers", ADVICE)


OF_COMPLEX: dict[str, Callable[..., Any]] = {
    "astype": _astype,
    "__array_ufunc__": lambda self, ufunc, method, *inputs, **settings: call_ufunc(ufunc, method, inputs, settings),
    "__array_function__": lambda self, function, types, args, settings: call_function(function, args, settings),
    "__getattr__": _unknown,
}
