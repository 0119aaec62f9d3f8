"""Fast math, which ``fast=True`` asks for: faster formulas that give up some of the last digits.

* The sine and the cosine of an angle from the tangent t of half of it: with r = 2 / (1 + t^2) they are t r and r - 1.
  NumPy computes tangents of several numbers at once, but on most machines not sines and cosines in double precision.
  A sine loses a few units of the last place; a cosine has an absolute error of some 3e-16, large where it is near 0.
* The length of (a, b) as the root of a^2 + b^2, whose squares overflow beyond 1e154 and underflow below 1e-154, in
  single precision beyond 1e19 and below 1e-19; and x / sqrt(s) / sqrt(s) as x / s. Where both squares underflow,
  derivatives of angles are NaN.

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
    """The expression that replaces another, and the range of expressions that were added for it."""

    place: int
    made: range


def faster(known: Expressions, outputs: Iterable[int], names: Iterable[str]) -> dict[int, Replaced]:
    """Replace the operations of these names, in all expressions that the outputs need.

    >>> known = Expressions()
    >>> x = known.input()
    >>> length = known.apply(np.hypot, [x, known.one])
    >>> known.operations[faster(known, [length], ["hypot"])[length].place]
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


def _of_half(known: Expressions, angle: int) -> tuple[int, int]:
    """The tangent t of half an angle, and 2 / (1 + t^2)."""
    tangent = known.apply(np.tan, [known.multiply(angle, known.constant(0.5))])
    below = known.add(known.one, known.multiply(tangent, tangent))
    return tangent, known.divide(known.constant(2.0), below)


def _product(known: Expressions, a: int, b: int) -> int:
    """a b; with 1 / s where one of them is r = 1 / sqrt(s), and the other has the factor r, too."""
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


RULES: dict[str, Callable[..., int]] = {
    "sin": lambda known, angle: known.multiply(*_of_half(known, angle)),
    "cos": lambda known, angle: known.subtract(_of_half(known, angle)[1], known.one),
    "hypot": lambda known, a, b: known.apply(np.sqrt, [known.add(known.multiply(a, a), known.multiply(b, b))]),
    "multiply": _product,
}
"""The formulas that replace operations, by name."""
FASTER = {"numpy": [*RULES], "numba": ["hypot", "multiply"]}
"""Those that are faster, by back end: Numba computes sines and cosines of several numbers at once, too."""
