"""Quicker formulas in place of some functions, which cost some of the last digits: what ``fast=True`` asks for.

* The sine and the cosine of an angle from the tangent t of half of it: with r = 2 / (1 + t^2) they are t r and r - 1.
  NumPy computes tangents of several numbers at once, and on most machines no sines and cosines in double precision. Of
  a sine a few units of the last place are lost; a cosine is wrong by some 3e-16, which is much of it where it is small.
* The length of (a, b) as the root of a^2 + b^2, whose squares overflow beyond 1e154 and vanish below 1e-154, in single
  precision beyond 1e19 and below 1e-19; and x / sqrt(s) / sqrt(s) as x / s. Where both squares vanish, derivatives of
  angles are NaN.

Source: the half-angle identities, M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions (1964), 4.3.24-25.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from ..expressions.accumulation import reached
from ..expressions.expressions import CONSTANT, INPUT, Expressions
from ..expressions.operations import OPERATIONS


class Replaced(NamedTuple):
    """What stands for an expression, and the expressions that were new with it."""

    place: int
    made: range


def quickened(known: Expressions, outputs: Iterable[int], names: Iterable[str]) -> dict[int, Replaced]:
    """What stands for each expression that the outputs need, where operations of these names are replaced.

    >>> known = Expressions()
    >>> x = known.input()
    >>> length = known.apply(np.hypot, [x, known.one])
    >>> known.operations[quickened(known, [length], ["hypot"])[length].place]
    'sqrt'
    """
    found: dict[int, Replaced] = {}
    rules = {name: RULES[name] for name in names}
    for place in reached(known, map(abs, outputs)):
        start, operation = len(known), known.operations[place]
        operands = () if operation in (INPUT, CONSTANT) else known.operands[place]
        now = [found[each].place for each in operands]
        if operation in rules:
            other = rules[operation](known, *now)
        elif now == [*operands]:
            other = place
        elif operation == "where":
            other = known.where(*now)
        else:
            other = known.apply(OPERATIONS[operation].numpy, now)
        found[place] = Replaced(other, range(start, len(known)))
    return found


def _sine(known: Expressions, angle: int) -> int:
    return known.multiply(*_of_half(known, angle))


def _cosine(known: Expressions, angle: int) -> int:
    return known.subtract(_of_half(known, angle)[1], known.one)


def _of_half(known: Expressions, angle: int) -> tuple[int, int]:
    """The tangent t of half an angle, and 2 / (1 + t^2)."""
    tangent = known.apply(np.tan, [known.multiply(angle, known.constant(0.5))])
    below = known.add(known.one, known.multiply(tangent, tangent))
    return tangent, known.divide(known.constant(2.0), below)


def _length(known: Expressions, a: int, b: int) -> int:
    return known.apply(np.sqrt, [known.add(known.multiply(a, a), known.multiply(b, b))])


def _product(known: Expressions, a: int, b: int) -> int:
    """a b; where one is r = 1 / sqrt(s), and the other has r as a factor too, with 1 / s."""
    for product, root in ((abs(a), abs(b)), (abs(b), abs(a))):
        factors = known.operands[product] if known.operations[product] == "multiply" else ()
        if root in factors and known.operations[root] == "divide":
            one, below = known.operands[root]
            if one == known.one and known.operations[below] == "sqrt":
                (other,) = {*factors} - {root} or {root}
                inverse = known.divide(one, known.operands[below][0])
                place = known.multiply(other, inverse)
                return place if (a < 0) == (b < 0) else -place
    return known.multiply(a, b)


RULES: dict[str, Callable[..., int]] = {"sin": _sine, "cos": _cosine, "hypot": _length, "multiply": _product}
"""What is written for operations of these names."""
QUICKER = {"numpy": [*RULES], "numba": ["hypot", "multiply"]}
"""Which of them are quicker, by back end."""
