"""Functions of Variables under their short names: ``ad.sin``, ``ad.log``, ``ad.sum_elts`` …

Each is one Block, or a few, and works on Variables, on traced values, and on plain numbers and arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from .blocks import BLOCK_OF, Block
from .errors import DomainError
from .rules import array_blocks
from .rules.functions import data_of
from .variable import apply_block


def _function(block: Block, name: str, sentence: str, example: str, result: str) -> Callable[..., Any]:
    def function(*operands: Any) -> Any:
        return apply_block(block, operands)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{sentence}, entry by entry; arrays of any shape, operands broadcast.\n\n    >>> {example}\n    {result}\n    "
    )
    return function


def _ufunc(ufunc: np.ufunc, sentence: str, example: str, result: str) -> Callable[..., Any]:
    return _function(BLOCK_OF[ufunc], ufunc.__name__, sentence, f"{ufunc.__name__}({example})", result)


sin = _ufunc(np.sin, "Sine, of radians", "0.0", "0.0")
cos = _ufunc(np.cos, "Cosine, of radians", "0.0", "1.0")
tan = _ufunc(np.tan, "Tangent, of radians", "0.0", "0.0")
arcsin = _ufunc(np.arcsin, "Inverse sine, in radians; NaN outside -1 … 1", "0.0", "0.0")
arccos = _ufunc(np.arccos, "Inverse cosine, in radians; NaN outside -1 … 1", "1.0", "0.0")
arctan = _ufunc(np.arctan, "Inverse tangent, in radians", "0.0", "0.0")
sinh = _ufunc(np.sinh, "Hyperbolic sine", "0.0", "0.0")
cosh = _ufunc(np.cosh, "Hyperbolic cosine", "0.0", "1.0")
tanh = _ufunc(np.tanh, "Hyperbolic tangent", "0.0", "0.0")
exp = _ufunc(np.exp, "The exponential function", "0.0", "1.0")
sqrt = _ufunc(np.sqrt, "Square root; NaN below 0", "0.25", "0.5")
add = _ufunc(np.add, "The sum of two operands", "0.5, 2.0", "2.5")
subtract = _ufunc(np.subtract, "The difference of two operands", "0.5, 2.0", "-1.5")
multiply = _ufunc(np.multiply, "The product of two operands", "0.5, 2.0", "1.0")
divide = _ufunc(np.divide, "The quotient of two operands", "0.5, 2.0", "0.25")
power = _ufunc(np.power, "The first operand to the power of the second", "0.5, 2.0", "0.25")
logistic = _function(
    array_blocks.LOGISTIC, "logistic", "The logistic function 1 / (1 + exp(-x))", "logistic(0.0)", "0.5"
)


def log(x: Any, base: float = math.e) -> Any:
    """Logarithm to a fixed base, entry by entry; NaN below 0.

    Raises :class:`~adviz.DomainError` for bases that are not positive, or are 1.

    >>> log(8.0, base=2)
    3.0
    """
    if not isinstance(base, int | float | np.number) or not base > 0 or base == 1:
        raise DomainError(f"The base of a logarithm is {base!r}; it can be any positive number but 1.")
    for known, ufunc in ((math.e, np.log), (2, np.log2), (10, np.log10)):
        if base == known:
            return apply_block(BLOCK_OF[ufunc], (x,))
    return apply_block(BLOCK_OF[np.log], (x,)) / math.log(base)


def sum_elts(x: Any) -> Any:
    """The sum of the entries of a vector, as a vector of length 1.

    >>> sum_elts([1.0, 2.0])
    array([3.])
    """
    return array_blocks.SUM(x, None, np.ndim(data_of(x, decides=False)) > 0)


blocks = SimpleNamespace(
    **{
        name: lambda block=block: block
        for name, block in {
            **{ufunc.__name__: block for ufunc, block in BLOCK_OF.items()},
            "logistic": array_blocks.LOGISTIC,
            "extract": array_blocks.INDEX,
        }.items()
    }
)
"""The Blocks of the table as the documentation makes them: ``sin_block = ad.blocks.sin()``. There is one of each."""
