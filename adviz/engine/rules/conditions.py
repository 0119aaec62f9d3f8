"""Comparisons and choices as nodes: what they are while a function is traced symbolically, for all points at once.

Otherwise they are decided by the data, and leave no trace.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..blocks import Elementwise, Rule
from ..jacobians.local import Choice, Flat, Jacobian
from .elementwise import zero
from .textbook import COMPARISON, WORDS
from .textbook_arrays import ARRAYS

ROWS: list[tuple[Any, ...]] = [
    (np.less, "<", operator.lt),
    (np.less_equal, "≤", operator.le),
    (np.greater, ">", operator.gt),
    (np.greater_equal, "≥", operator.ge),
    (np.equal, "=", operator.eq),
    (np.not_equal, "≠", operator.ne),
    (np.isnan, "is NaN", np.isnan),
    (np.isinf, "is infinite", np.isinf),
    (np.isfinite, "is finite", np.isfinite),
    (np.signbit, "has a minus", np.signbit),
    (np.logical_and, "and", np.logical_and),
    (np.logical_or, "or", np.logical_or),
    (np.logical_xor, "either", np.logical_xor),
    (np.logical_not, "not", np.logical_not),
]

CONDITIONS = {
    ufunc: Elementwise(
        ufunc.__name__,
        ufunc,
        *[zero] * ufunc.nin,
        family="condition",
        symbol=symbol,
        scalar_fn=quick,
        formulas=("0",) * ufunc.nin,
        words=COMPARISON,
    )
    for ufunc, symbol, quick in ROWS
}
"""The Block of a ufunc whose values are booleans."""

READ = Elementwise("read", lambda x: x, zero, family="condition", scalar_fn=float, formulas=("0",), words=WORDS["read"])
"""A number that a program read, as text or for a decision (``recording/reads.py``): nothing depends on it."""

CONNECTIVES = {
    np.bitwise_and: np.logical_and,
    np.bitwise_or: np.logical_or,
    np.bitwise_xor: np.logical_xor,
    np.invert: np.logical_not,
}
"""What ``&``, ``|``, ``^`` and ``~`` are on arrays of comparisons."""

CHOICE = Elementwise(
    "where",
    np.where,
    zero,
    lambda y, condition, a, b: np.where(condition, 1.0, 0.0),
    lambda y, condition, a, b: np.where(condition, 0.0, 1.0),
    family="selection",
    formulas=("0", "1 where the condition holds, else 0", "0 where the condition holds, else 1"),
    words=WORDS["where"],
)
"""``np.where`` of numbers, with a condition that is a node."""


def _where(y: Any, condition: Any, a: Any, b: Any) -> list[Jacobian | None]:
    is_boolean = getattr(condition, "dtype", np.dtype(float)).kind == "b"
    chosen = condition if is_boolean else np.not_equal(condition, 0)
    return [
        None,
        Choice(chosen, np.shape(y), np.shape(a)),
        Choice(np.logical_not(chosen), np.shape(y), np.shape(b)),
    ]


WHERE = Rule("where", np.where, _where, "selection", formulas=CHOICE.formulas, words=CHOICE.words)
"""``np.where`` of arrays, with a condition that is decided by the data, or is a node over arrays."""


def _of_all(name: str, fn: Callable[..., Any]) -> Rule:
    """A rule of a truth value of the entries along axes."""

    def compute(x: Any, axis: Any, keepdims: bool) -> Any:
        return fn(x, axis=axis, keepdims=keepdims)

    def constant(y: Any, x: Any, axis: Any, keepdims: bool) -> list[Jacobian | None]:
        return [Flat(np.shape(y), np.shape(x)), None, None]

    return Rule(name, compute, constant, "condition", words=ARRAYS[name])


ALL, ANY = _of_all("all", np.all), _of_all("any", np.any)
