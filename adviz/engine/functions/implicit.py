"""Implicit functions: the solution of ``F(x, p) = 0`` is differentiated through the equation, not through the search.

Where a solution ``x`` is known as plain numbers, one step of Newton's method from there, ``x - F(x, p) / F'(x, p)``,
leaves its value unchanged and has its derivative with respect to ``p``: the implicit function theorem. The error of
a step is the square of the error before it, so two steps also give the second and the third derivatives
(Gilbert 1992, "Automatic differentiation and iterative processes"; Griewank and Walther 2008, chapter 15).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..blocks import Elementwise, Words
from ..devices import as_like
from .arguments import data_of, holds_traced
from .entrywise import elementwise

STEPS = 2


def _no_step(residual: Any, slope: Any) -> Any:
    """0; for values of an outer trace a step again, so that it has derivatives there too."""
    if holds_traced((residual, slope)):
        return elementwise(CORRECTION)(residual, slope)
    return as_like(np.zeros(np.shape(residual)), residual)[()]


CORRECTION = Elementwise(
    "newton step",
    _no_step,
    lambda y, residual, slope: -1 / slope,
    lambda y, residual, slope: -y / slope,
    formulas=("-1 / {b}", "-{y} / {b}"),
    code="{zeros}",
    standard="{zeros}",
    words=Words(
        "The implicit function theorem: the solution moves by minus the change of the residual over its slope.",
        (
            (("1 / {b}", "The sign is missing: the solution moves against the change of the residual."),),
            (
                (
                    "-1 / {b}",
                    "That is the partial with respect to the residual; at a solution the slope has no influence.",
                ),
            ),
        ),
    ),
)
"""A Newton step at a solution, as a function of the residual and the slope; its value is 0."""


def solution(value: Any, equation: Callable[[Any], tuple[Any, Any]]) -> Any:
    """Return numbers that solve an equation, each by itself, as a function of the traced values in it.

    ``equation(x)`` is ``F(x)`` and its derivative with respect to ``x``.
    """
    for _ in range(STEPS):
        value = value + elementwise(CORRECTION)(*equation(value))
    return value


def solution_of_system(value: Any, equations: Callable[[Any], tuple[Any, Any]]) -> Any:
    """Return a vector that solves equations, as a function of the traced values in them.

    ``equations(x)`` is ``F(x)`` and its Jacobian with respect to ``x``.
    """
    for _ in range(STEPS):
        residual, jacobian = equations(value)
        residual = residual - as_like(np.asarray(data_of(residual)), residual)
        value = value - np.linalg.solve(jacobian, residual)
    return value
