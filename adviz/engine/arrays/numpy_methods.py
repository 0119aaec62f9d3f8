"""Operators and methods of NumPy's arrays that are also functions of NumPy: their form for traced arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

ARITHMETIC: dict[str, np.ufunc] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.divide,
    "pow": np.power,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
}
SIGNS: dict[str, np.ufunc] = {"neg": np.negative, "pos": np.positive, "abs": np.absolute}
COMPARISONS: dict[str, np.ufunc] = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}


def method_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function as a method of its first argument."""

    def method(self: Any, *args: Any, **settings: Any) -> Any:
        return function(self, *args, **settings)

    return method


def method_of_shape(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the same for ``reshape`` and its like, which take ``x.reshape(2, 3)`` as well as ``x.reshape((2, 3))``."""

    def method(self: Any, *args: Any, **settings: Any) -> Any:
        first = args[0] if len(args) == 1 and (args[0] is None or np.ndim(args[0])) else (args or None)
        return function(self, first, **settings)

    return method


class NumPyMethods:
    """The methods that are functions of the same name: a class that answers NumPy's protocols has them from here."""

    __slots__ = ()

    @property
    def nbytes(self: Any) -> Any:
        """Bytes of the data."""
        return self.size * self.dtype.itemsize

    def __len__(self: Any) -> int:
        if not self.ndim:
            raise TypeError("a number has no len()")
        size: int = self.shape[0]
        return size

    def __iter__(self: Any) -> Iterator[Any]:
        if not self.ndim:
            raise TypeError("iteration over a number")
        return (self[k] for k in range(len(self)))

    all, any = method_of(np.all), method_of(np.any)
    argmax, argmin, argsort = method_of(np.argmax), method_of(np.argmin), method_of(np.argsort)
    clip, round, nonzero = method_of(np.clip), method_of(np.round), method_of(np.nonzero)
    sum, prod, mean = method_of(np.sum), method_of(np.prod), method_of(np.mean)
    cumsum, cumprod = method_of(np.cumsum), method_of(np.cumprod)
    var, std = method_of(np.var), method_of(np.std)
    max, min = method_of(np.max), method_of(np.min)
    dot, trace, diagonal = method_of(np.dot), method_of(np.trace), method_of(np.diagonal)
    ravel, squeeze, swapaxes = method_of(np.ravel), method_of(np.squeeze), method_of(np.swapaxes)
    reshape, transpose = method_of_shape(np.reshape), method_of_shape(np.transpose)
    repeat, take, searchsorted = method_of(np.repeat), method_of(np.take), method_of(np.searchsorted)
