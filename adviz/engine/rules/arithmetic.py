"""Sums, products, quotients, remainders, and rounding."""

from __future__ import annotations

import math
import operator
from functools import partial
from typing import Any

import numpy as np

from ..blocks import Numeric, Words
from .elementwise import elementwise, rounded, zero
from .textbook import flat, one, units

primitive = partial(elementwise, family="arithmetic")


def _floor_divide(a: Any, b: Any) -> Any:
    """As in NumPy: the remainder is subtracted first, so that the quotient is an integer."""
    if b == 0:
        return a / b
    rest = np.fmod(a, b)
    quotient = (a - rest) / b
    if rest != 0 and (b < 0) != (rest < 0):
        quotient -= 1.0
    return np.rint(quotient)


primitive(
    np.add,
    "+",
    ("1", lambda y, a, b: 1.0),
    ("1", lambda y, a, b: 1.0),
    scalar_fn=operator.add,
    simpler=lambda known, a, b: known.add(a, b),
    noun="sum",
    numeric=Numeric(0.25, operator="+"),
    words=Words(
        "If a term grows, the sum grows by the same amount: [ab:both of its partials are 1][A:its partial is 1]"
        "[B:its partial is 1].",
        (
            (("{b}", "That is the other term; in a sum the terms do not multiply each other, so the partial is 1."),),
            (("{a}", "That is the other term; in a sum the terms do not multiply each other, so the partial is 1."),),
        ),
        twice="Both terms are {a}, so {a} is used twice, and each use has the partial 1.",
    ),
)

primitive(
    np.subtract,
    "−",
    ("1", lambda y, a, b: 1.0),
    ("-1", lambda y, a, b: -1.0),
    scalar_fn=operator.sub,
    simpler=lambda known, a, b: known.subtract(a, b),
    noun="difference",
    numeric=Numeric(0.25, operator="-"),
    words=Words(
        "[a:In a difference, ][B:In a difference, ]"
        "[A:the constant drops out][b:what is subtracted counts with the opposite sign]: {partials}.",
        (
            (("-1", "The minus sign belongs to {b}, which is subtracted; {a} counts with its own sign."),),
            (("1", "{b} is subtracted: as it grows, the value falls, so the partial is negative."),),
        ),
        twice="Both operands are {a}: its two uses have the partials 1 and −1, and cancel.",
    ),
)

primitive(
    np.multiply,
    "×",
    ("{b}", lambda y, a, b: b),
    ("{a}", lambda y, a, b: a),
    scalar_fn=operator.mul,
    simpler=lambda known, a, b: known.multiply(a, b),
    noun="product",
    numeric=Numeric(0.25, operator="*"),
    words=Words(
        "[ab:The product rule: the slope with respect to one factor is the other factor, {partials}.]"
        "[A:A constant factor stays: {partials}.][B:A constant factor stays: {partials}.]",
        (
            (("{a}", "That is {a} itself; the partial with respect to one factor is the other factor."),),
            (("{b}", "That is {b} itself; the partial with respect to one factor is the other factor."),),
        ),
        cases=(
            (
                lambda y, a, b: a == 0 == b,
                "Both factors are 0, so both partials are 0: near here a change of one alone"
                " does not move the product.",
            ),
            (lambda y, a, b: a == 0, "The product rule: {partials}[b:; {a} is 0 here, so {b} has no influence]."),
            (lambda y, a, b: b == 0, "The product rule: {partials}[a:; {b} is 0 here, so {a} has no influence]."),
        ),
        twice="Both factors are {a}, so {a} is used twice: each use has the partial {a}, together 2 · {a}.",
    ),
)

primitive(
    np.divide,
    "÷",
    ("1 / {b}", lambda y, a, b: 1 / b),
    ("-{a} / {b}²", lambda y, a, b: -y / b),
    scalar_fn=operator.truediv,
    simpler=lambda known, a, b: known.divide(a, b),
    noun="quotient",
    numeric=Numeric(0.38, operator="/"),
    words=Words(
        "[ab:The quotient rule: {partials}; the larger {b} is, the less the quotient responds.]"
        "[A:Dividing by a constant is a constant factor: {partials}.]"
        "[B:A reciprocal falls as {b} grows, with the square of {b} below: {partials}.]",
        (
            (
                ("{b}", "Upside down: {a} is divided by {b}, so the partial is 1 over {b}."),
                ("-{a} / {b}²", "That is the partial with respect to the denominator."),
            ),
            (
                ("1 / {b}", "That is the partial with respect to the numerator."),
                ("{a} / {b}²", "The sign is missing: as the denominator grows, the quotient shrinks."),
                ("-{a} / {b}", "The square is missing: it is −{a} over the square of {b}."),
            ),
        ),
    ),
    remedy="a / np.where(b != 0, b, 1.0)",
)

primitive(
    np.negative,
    "neg",
    ("-1", lambda y, x: -1.0),
    scalar_fn=operator.neg,
    simpler=lambda known, x: -x,
    noun="opposite",
    numeric=Numeric(0.2, operator="-"),
    words=one(
        "A minus sign reverses every change: the partial is −1.",
        ("1", "The sign is missing: as {a} grows, the value falls."),
    ),
)

primitive(
    np.positive,
    "pos",
    ("1", lambda y, x: 1.0),
    scalar_fn=operator.pos,
    simpler=lambda known, x: x,
    count=0,
    words=one("A plus sign changes nothing: the partial is 1."),
)

primitive(
    np.conjugate,
    "conj",
    ("1", lambda y, x: 1.0),
    simpler=lambda known, x: x,
    count=0,
    words=one(
        "A real number is its own conjugate: the partial is 1.", ("-1", "Only an imaginary part changes its sign.")
    ),
)

primitive(
    np.reciprocal,
    "1/x",
    ("-1 / {a}²", lambda y, x: -y * y),
    simpler=lambda known, x: known.divide(known.one, x),
    words=one(
        "The derivative of a reciprocal is minus one over the square: {partials}.",
        ("1 / {a}²", "The sign is missing: as {a} grows, its reciprocal falls."),
        ("-1 / {a}", "The square is missing: it is −1 over the square of {a}."),
        ("ln {a}", "That is the antiderivative of the reciprocal, not its derivative."),
    ),
    remedy="np.reciprocal(np.where(x != 0, x, 1.0))",
)

primitive(
    np.floor_divide,
    "//",
    ("0", zero),
    ("0", zero),
    operator="//",
    numeric=Numeric(6.0, c="adviz_floor_divide({0}, {1})", compiled=_floor_divide),
    steps=lambda y, a, b: (a, y * b),
    words=flat("The whole part of a quotient"),
)

REST = Words(
    "A remainder is what is left of {a} after whole multiples of {b}: {partials}.",
    (
        (("0", "The remainder follows {a} one for one until it jumps."),),
        (("1", "That is the partial with respect to {a}."),),
    ),
)
primitive(
    np.remainder,
    "mod",
    ("1", lambda y, a, b: 1.0),
    ("-⌊{a} / {b}⌋", lambda y, a, b: -np.floor_divide(a, b)),
    operator="%",
    numeric=Numeric(6.0, c="adviz_remainder({0}, {1})"),
    steps=lambda y, a, b: (y, 0.0),
    words=REST,
)

primitive(
    np.fmod,
    "fmod",
    ("1", lambda y, a, b: 1.0),
    ("-trunc({a} / {b})", lambda y, a, b: np.rint((y - a) / b)),
    scalar_fn=math.fmod,
    numeric=Numeric(6.0),
    steps=lambda y, a, b: (y, 0.0),
    words=REST,
)


def _at_whole(y: Any, x: Any) -> tuple[Any, Any]:
    return x, y


ROUND = Numeric(0.3, parity=-1, standard="round", c="rint({0})", is_instruction=True)
for ufunc, exact, steps, said, numeric in (
    (np.floor, math.floor, _at_whole, "floor", Numeric(0.3, is_instruction=True)),
    (np.ceil, math.ceil, _at_whole, "ceil", Numeric(0.3, is_instruction=True)),
    (np.trunc, math.trunc, _at_whole, "trunc", Numeric(0.3, parity=-1, is_instruction=True)),
    (np.rint, round, lambda y, x: (np.abs(x - y), 0.5), "Rounding", ROUND),
):
    record = {"scalar_fn": rounded(exact), "numeric": numeric, "steps": steps, "words": flat(said)}
    primitive(ufunc, ufunc.__name__, ("0", zero), **record)

primitive(
    np.sign,
    "sign",
    ("0", zero),
    scalar_fn=lambda x: 1.0 if x > 0 else -1.0 if x < 0 else x + 0.0,
    numeric=Numeric(1.0, parity=-1, c="{0} > 0 ? 1 : {0} < 0 ? -1 : {0}", is_instruction=True),
    steps=lambda y, x: (x, 0.0),
    words=flat("sign", "on either side of 0"),
)

primitive(
    np.nextafter,
    "nextafter",
    ("1", lambda y, a, b: 1.0),
    ("0", zero),
    scalar_fn=math.nextafter,
    numeric=Numeric(5.0),
    words=Words(
        "The neighbouring floating-point number moves along with {a}, and {b} only gives the direction: {partials}.",
        ((("0", "The neighbour moves along with {a}, one for one."),), (("1", "{b} only gives the direction."),)),
    ),
)

for conversion, forward, backward, said, inverse, factor in (
    (np.deg2rad, "degrees", "radians", "π/180", "180 / π", np.pi / 180),
    (np.rad2deg, "radians", "degrees", "180/π", "π / 180", 180 / np.pi),
    (np.radians, "degrees", "radians", "π/180", "180 / π", np.pi / 180),
    (np.degrees, "radians", "degrees", "180/π", "π / 180", 180 / np.pi),
):
    primitive(
        conversion,
        conversion.__name__,
        (said.replace("/", " / "), lambda y, x, factor=factor: factor),
        simpler=lambda known, x, factor=factor: known.multiply(x, known.constant(factor)),
        words=units(forward, backward, said, inverse),
    )
