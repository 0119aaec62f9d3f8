"""The operations that programs consist of: how they are written, and how long they take.

They are the elementwise Blocks of which ``numeric`` says so. ``scalar`` is the function on Python floats; where it
raises, NumPy's answer (NaN, infinity) is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ...engine.blocks import BLOCK_OF, Numeric
from ...engine.rules.conditions import CHOICE, CONDITIONS
from ..program_errors import ProgramError


class Operation(NamedTuple):
    """An operation of a program; see :class:`~adviz.engine.blocks.Numeric`."""

    name: str
    numpy: Any
    scalar: Callable[..., Any]
    numeric: Numeric = Numeric(10.0)
    is_condition: bool = False


BLOCKS = {**BLOCK_OF, **CONDITIONS, np.where: CHOICE}
OPERATIONS: dict[str, Operation] = {
    block.name: Operation(block.name, ufunc, block.scalar_fn, block.numeric, block.family == "condition")
    for ufunc, block in BLOCKS.items()
    if block.numeric is not None
}
"""By NumPy's names; functions of SciPy are added when a program first uses them."""

SPECIAL: dict[str, Callable[..., Any]] = {
    "erf": math.erf,
    "erfc": math.erfc,
    "gamma": math.gamma,
    "ndtr": lambda x: 0.5 * math.erfc(-x * math.sqrt(0.5)),
}
"""SciPy's functions that the module ``math`` can compute."""


def know(names: Iterable[str]) -> None:
    """Add SciPy's functions of these names to the table; another process may have found them."""
    for name in names:
        if name not in OPERATIONS:
            from scipy.special import _ufuncs

            operation_of(getattr(_ufuncs, name))


def operation_of(ufunc: np.ufunc) -> Operation:
    """Find the operation of a ufunc of NumPy or SciPy. Raises :class:`~adviz.ProgramError` for any other function.

    >>> operation_of(np.sin).numeric.parity
    -1
    """
    name = ufunc.__name__
    known = OPERATIONS.get(name)
    if known is not None and known.numpy is ufunc:
        return known
    from scipy.special import _ufuncs  # has those that scipy.special exports, and those that it calls itself

    if getattr(_ufuncs, name, None) is not ufunc:
        raise ProgramError(f"A program has no operation for {name}, which is a ufunc of neither NumPy nor SciPy.")
    if known is not None:  # SciPy's log1p is NumPy's
        return known
    scalar = SPECIAL.get(name) or (lambda *operands: ufunc(*operands).item())
    return OPERATIONS.setdefault(name, Operation(name, ufunc, scalar))
