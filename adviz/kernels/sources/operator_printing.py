"""Operators between operands: how strongly they bind, and where brackets stand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from ...engine.rules.reshaping import RESHAPE
from ..terms.array_terms import Term

ATOM, POWER, UNARY, PRODUCT, SUM, AND, OR, COMPARISON = range(8, 0, -1)


class Printed(NamedTuple):
    """An expression, and how strongly it binds."""

    text: str
    strength: int = ATOM

    def inside(self, strength: int) -> str:
        """Return the text as an operand of something that binds as strongly as this, in brackets if it needs them."""
        return self.text if self.strength >= strength else f"({self.text})"


OPERATORS = {
    **dict.fromkeys(("+", "-"), SUM),
    **dict.fromkeys(("*", "/", "@", "//", "%"), PRODUCT),
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), COMPARISON),
}
"""How strongly operators between two operands bind."""
CONNECTIVES = {"&": AND, "|": OR}
"""The same of those between booleans."""
COMMUTES = {"+", "*"}
WHOLE = {"//", "%"}
"""They are put in brackets among factors: ``-(a // b)`` is not ``-a // b``."""


def call(function: str, *arguments: str) -> Printed:
    """Return a call of a function."""
    return Printed(f"{function}({', '.join(filter(None, arguments))})")


def number_text(value: float, library: str = "np") -> str:
    """Return a number as Python writes it; what it has no literal for is of a library."""
    if math.isfinite(value):
        return repr(value)
    return f"{library}.nan" if math.isnan(value) else f"{library}.inf" if value > 0 else f"-{library}.inf"


def with_operator(term: Term, operands: Sequence[Printed]) -> Printed:
    """Return an operation that is written with an operator."""
    sign = term.operator
    if sign == "**":
        return _power(operands[0], operands[1].inside(UNARY) if len(operands) > 1 else "2")
    if sign in CONNECTIVES or sign == "~":
        return _connected(term, operands)
    return negative(term, operands) if len(operands) == 1 else operator(term, operands)


def operator(term: Term, operands: Sequence[Printed]) -> Printed:
    sign = term.operator
    strength = OPERATORS[sign]
    (a, b), (x, y) = term.operands, operands
    if sign == "*" and len(term.shape) == 2:
        for (column, left), (row, other) in (((a, x), (b, y)), ((b, y), (a, x))):
            if row.shape == term.shape[1:] and column.is_of(RESHAPE) and column.operands[0].shape == term.shape[:1]:
                return call("np.outer", _without_brackets(left.text.removesuffix("[:, None]")), other.text)
    if sign == "*":
        if y.text and b.is_number and not a.is_number:
            (a, b), (x, y) = (b, a), (y, x)
        if (quotient := as_quotient(a, y, b)) is not None:
            return quotient
    if sign == "+":
        if x.text.startswith("-") and not y.text.startswith("-"):
            x, y = y, x
        if y.text.startswith("-") and y.strength >= PRODUCT:
            return Printed(f"{x.inside(SUM)} - {y.text[1:]}", SUM)
    if strength == COMPARISON:
        return Printed(f"{x.inside(COMPARISON + 1)} {sign} {y.inside(COMPARISON + 1)}", COMPARISON)
    is_chain = sign in COMMUTES and not _has_matrix_product(y) and not _depends_on_order(term)
    right = strength if is_chain else strength + 1
    result = f"{x.inside(strength)} {sign} {y.inside(right)}"
    return Printed(result, SUM if sign in WHOLE else strength)


def _depends_on_order(product: Term) -> bool:
    """Tell whether ``k * b * x`` would be in another precision than ``k * (b * x)``, as for ``b`` of booleans."""
    a, b = product.operands
    if product.operator != "*" or product.dtype == np.dtype(float) or (not a.is_number and not b.is_number):
        return False
    return _first_factor(b if a.is_number else a).dtype != product.dtype


def _has_matrix_product(x: Printed) -> bool:
    """Return whether ``a * x`` without brackets would multiply ``a`` with the first factor of a matrix product only."""
    depth = 0
    for sign in x.text if x.strength == PRODUCT else "":
        depth += (sign in "([") - (sign in ")]")
        if sign == "@" and not depth:
            return True
    return False


def _without_brackets(text: str) -> str:
    """Return an expression without the brackets around all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depths = accumulate((char == "(") - (char == ")") for char in text[:-1])
    return text[1:-1] if all(depth > 0 for depth in depths) else text


def as_quotient(factor: Term, other: Printed, of: Term) -> Printed | None:
    """Return a product with 1/n as a quotient: ``x / 8``."""
    if not factor.is_number or not isinstance(factor.value, float) or not 0 < abs(factor.value) < 1:
        return None
    whole = round(1 / factor.value)
    if 1 / whole != factor.value or of.dtype is None or of.dtype.kind != "f":
        return None
    sign = "-" if whole < 0 else ""
    if sign and _begins_with_booleans(of):
        return None
    return Printed(f"{sign}{other.inside(PRODUCT)} / {abs(whole)}", PRODUCT)


def negative(term: Term, operands: Sequence[Printed]) -> Printed:
    (x,) = operands
    if _begins_with_booleans(term.operands[0]):
        return Printed(f"-{x.inside(UNARY)}", UNARY)
    return Printed(f"-{x.inside(PRODUCT)}", UNARY if x.strength > PRODUCT else PRODUCT)


def _first_factor(term: Term) -> Term:
    """Return what a product is written with first."""
    while term.operator in ("*", "/", "@") and len(term.operands) == 2:
        first, other = term.operands
        is_turned = term.operator == "*" and other.is_number and not first.is_number  # numbers are written first
        term = other if is_turned else first
    return term


def _begins_with_booleans(term: Term) -> bool:
    """Return whether the first factor of a product is of booleans, which have no negative."""
    first = _first_factor(term)
    return first.dtype is not None and bool(first.dtype.kind == "b")


def _power(base: Printed, exponent: str) -> Printed:
    plain = base.text.replace("_", "a").isalnum() and exponent.replace("-", "").replace(".", "").isalnum()
    return Printed(f"{base.inside(ATOM)}**{exponent}" if plain else f"{base.inside(ATOM)} ** {exponent}", POWER)


def connected(sign: str, operands: Sequence[Printed]) -> Printed:
    """Return booleans with an operator between them, or before one; comparisons among them stand in brackets."""
    if sign == "~":
        return Printed(f"~{operands[0].inside(UNARY)}", UNARY)
    strength = CONNECTIVES[sign]
    return Printed(f" {sign} ".join(each.inside(strength) for each in operands), strength)


def _connected(term: Term, operands: Sequence[Printed]) -> Printed:
    if all(each.dtype is not None and each.dtype.kind == "b" for each in term.operands):
        return connected(term.operator, operands)
    return call(f"np.{term.name}", *(each.text for each in operands))
