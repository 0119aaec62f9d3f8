"""What a textbook says of the elementwise rules: the sentence of each, and the wrong factors that people take.

They are in the order of the table in ``elementwise.py``; the mistakes that every rule has, such as taking the value for
the derivative, are in ``stage/narration/local_partials.py``. The page RULES.md shows all of them.
"""

from __future__ import annotations

from typing import Any

from ..blocks import Words

Mistake = tuple[str, str]


def one(rule: str, *mistakes: Mistake, **others: Any) -> Words:
    """Words of a function of one operand."""
    return Words(rule, (mistakes,), **others)


def flat(name: str, between: str = "between its jumps") -> Words:
    """Words of a piecewise constant function."""
    jump = ("1", f"{between[0].upper()}{between[1:]} the value does not change at all, so the partial is 0.")
    return Words(f"{name} is constant {between}, so its derivative is 0.", ((jump,), (jump,)))


def units(forward: str, backward: str, factor: str, inverse: str) -> Words:
    """Words of a conversion of angles."""
    diagnosis = f"That is the factor from {backward} to {forward}."
    return one(f"The conversion from {forward} to {backward} is a constant factor, {factor}.", (inverse, diagnosis))


def inverse(name: str, reason: str, *mistakes: Mistake) -> Words:
    """Words of an inverse function."""
    return one(f"{reason}: {{partials}}.", *mistakes)


def extreme(word: str, sign: str, opposite: str) -> Words:
    """Words of the larger or the smaller one of two operands."""
    return Words(
        f"Only the {word} operand matters: {{partials}}.",
        tuple(
            (
                (own, f"That is {own} itself; its partial is 1 where it is taken and 0 where it is not."),
                (wrong, f"Only the {word} operand is passed the adjoint, not the other one."),
            )
            for own, wrong in (("{a}", f"[{{a}} {opposite} {{b}}]"), ("{b}", f"[{{b}} {opposite} {{a}}]"))
        ),
        short=(f"[{{a}} {sign} {{b}}]", f"[{{b}} {sign} {{a}}]"),
        arrays=f"Only the {word} operand matters, entry by entry: [a:{{a}} receives the adjoint where {{a}}"
        f" {sign} {{b}}]"
        f"[ab:, and ][b:{{b}} where {{b}} {sign} {{a}}]; where both are equal, each has half.",
        cases=(
            (
                lambda y, a, b: a == b,
                "{a} and {b} are equal here, where the function has a kink: the mean of the one-sided"
                " derivatives is 1/2.",
            ),
            (
                lambda y, a, b: y == a,
                f"Only the {word} operand matters: {{a}} {sign} {{b}}, so [a:{{a}} receives the whole adjoint]"
                "[ab: and ][b:{b} receives nothing].",
            ),
            (
                lambda y, a, b: y == b,
                f"Only the {word} operand matters: {{b}} {sign} {{a}}, so [b:{{b}} receives the whole adjoint]"
                "[ab: and ][a:{a} receives nothing].",
            ),
        ),
    )


POWER = Words(
    "[A:The power rule: the exponent comes down as a factor and is lowered by 1, {partials}.]"
    "[B:A power grows with its exponent in proportion to itself: {partials}.]"
    "[ab:The power rule holds for the base, and the exponential rule for the exponent: {partials}.]",
    (
        (
            ("{a}^({b} - 1)", "The exponent is missing as a factor: it comes down in front."),
            ("{b} · {a}^{b}", "The exponent has to be lowered by 1."),
            ("{y} · ln {a}", "That is the rule for a varying exponent; here the base varies."),
        ),
        (
            ("{b} · {a}^({b} - 1)", "That is the power rule, for a varying base; here the exponent varies."),
            ("{y}", "The factor ln {a} is missing: only e to the power of {b} is its own derivative."),
        ),
    ),
)
LARGER, SMALLER = extreme("larger", ">", "<"), extreme("smaller", "<", ">")
WORDS: dict[str, Words] = {
    # ---- arithmetic ----
    "add": Words(
        "If a term grows, the sum grows by the same amount: [ab:both of its partials are 1][A:its partial is 1]"
        "[B:its partial is 1].",
        (
            (("{b}", "That is the other term; in a sum the terms do not multiply each other, so the partial is 1."),),
            (("{a}", "That is the other term; in a sum the terms do not multiply each other, so the partial is 1."),),
        ),
        twice="Both terms are {a}, so {a} is used twice, and each use has the partial 1.",
    ),
    "subtract": Words(
        "[a:In a difference, ][B:In a difference, ]"
        "[A:the constant drops out][b:what is subtracted counts with the opposite sign]: {partials}.",
        (
            (("-1", "The minus sign belongs to {b}, which is subtracted; {a} counts with its own sign."),),
            (("1", "{b} is subtracted: as it grows, the value falls, so the partial is negative."),),
        ),
        twice="Both operands are {a}: its two uses have the partials 1 and −1, and cancel.",
    ),
    "multiply": Words(
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
            (
                lambda y, a, b: a == 0,
                "The product rule: {partials}[b:; {a} is 0 here, so {b} has no influence].",
            ),
            (
                lambda y, a, b: b == 0,
                "The product rule: {partials}[a:; {b} is 0 here, so {a} has no influence].",
            ),
        ),
        twice="Both factors are {a}, so {a} is used twice: each use has the partial {a}, together 2 · {a}.",
    ),
    "divide": Words(
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
    "negative": one(
        "A minus sign reverses every change: the partial is −1.",
        ("1", "The sign is missing: as {a} grows, the value falls."),
    ),
    "positive": one("A plus sign changes nothing: the partial is 1."),
    "conjugate": one(
        "A real number is its own conjugate: the partial is 1.",
        ("-1", "Only an imaginary part changes its sign."),
    ),
    "reciprocal": one(
        "The derivative of a reciprocal is minus one over the square: {partials}.",
        ("1 / {a}²", "The sign is missing: as {a} grows, its reciprocal falls."),
        ("-1 / {a}", "The square is missing: it is −1 over the square of {a}."),
        ("ln {a}", "That is the antiderivative of the reciprocal, not its derivative."),
    ),
    "floor_divide": flat("The whole part of a quotient"),
    "remainder": Words(
        "A remainder is what is left of {a} after whole multiples of {b}: {partials}.",
        (
            (("0", "The remainder follows {a} one for one until it jumps."),),
            (("1", "That is the partial with respect to {a}."),),
        ),
    ),
    "fmod": Words(
        "A remainder is what is left of {a} after whole multiples of {b}: {partials}.",
        (
            (("0", "The remainder follows {a} one for one until it jumps."),),
            (("1", "That is the partial with respect to {a}."),),
        ),
    ),
    "floor": flat("floor"),
    "ceil": flat("ceil"),
    "trunc": flat("trunc"),
    "rint": flat("Rounding"),
    "sign": flat("sign", "on either side of 0"),
    "nextafter": Words(
        "The neighbouring floating-point number moves along with {a}, and {b} only gives the direction: {partials}.",
        ((("0", "The neighbour moves along with {a}, one for one."),), (("1", "{b} only gives the direction."),)),
    ),
    "deg2rad": units("degrees", "radians", "π/180", "180 / π"),
    "rad2deg": units("radians", "degrees", "180/π", "π / 180"),
    "radians": units("degrees", "radians", "π/180", "180 / π"),
    "degrees": units("radians", "degrees", "180/π", "π / 180"),
    # ---- powers, exponentials, logarithms ----
    "power": POWER,
    "float_power": POWER,
    "square": one(
        "The power rule: the derivative of a square is twice its base, {partials}.",
        ("{a}", "The factor 2 is missing: both factors of the square contribute."),
    ),
    "sqrt": one(
        "The derivative of a square root is 1 over twice the root: {partials}.",
        ("1 / {y}", "The factor 1/2 is missing: it is 1 over twice the root."),
        ("2 · {y}", "Upside down: it is 1 over twice the root."),
    ),
    "cbrt": one(
        "The derivative of a cube root is 1 over three times its square: {partials}.",
        ("1 / (2 · {y})", "That is the rule of the square root."),
        ("1 / (3 · {y})", "The square is missing: it is 1 over three times the square of the root."),
    ),
    "exp": one(
        "exp is its own derivative, so the partial is the value itself: {partials}.",
        ("{a}", "That is the exponent; exp is its own derivative, so the partial is the value."),
        ("{a} · e^({a} - 1)", "That is the power rule, for a varying base; here the exponent varies."),
    ),
    "exp2": one(
        "A power of 2 grows in proportion to itself, by the factor ln 2: {partials}.",
        ("{y}", "The factor ln 2 is missing: only exp is its own derivative."),
        ("{a} · 2^({a} - 1)", "That is the power rule, for a varying base; here the exponent varies."),
    ),
    "expm1": one(
        "exp is its own derivative, and the constant 1 that is subtracted drops out: {partials}.",
        ("{y}", "That is the value; the constant that was subtracted does not belong to the derivative."),
    ),
    "log": one(
        "The derivative of log is the reciprocal, so a small {a} responds strongly: {partials}.",
        ("{a}", "Upside down: the derivative of log is 1 over {a}."),
        ("1 / {y}", "That is 1 over the value; it is 1 over {a}."),
    ),
    "log2": one(
        "The derivative of log is the reciprocal, and the base 2 divides it by ln 2: {partials}.",
        ("1 / {a}", "That is the rule of the natural logarithm; the factor 1/ln 2 is missing."),
        ("ln 2 / {a}", "The factor ln 2 belongs below."),
    ),
    "log10": one(
        "The derivative of log is the reciprocal, and the base 10 divides it by ln 10: {partials}.",
        ("1 / {a}", "That is the rule of the natural logarithm; the factor 1/ln 10 is missing."),
        ("ln 10 / {a}", "The factor ln 10 belongs below."),
    ),
    "log1p": one(
        "The derivative of log is the reciprocal, here of 1 + {a}: {partials}.",
        ("1 / {a}", "That is 1 over {a}; the logarithm is taken of 1 + {a}."),
        ("1 + {a}", "Upside down: the derivative of log is the reciprocal."),
    ),
    "logaddexp": Words(
        "The partial of each operand is its share of the sum of exponentials, and the shares add up to 1: {partials}.",
        (
            (
                ("e^{a}", "That is the exponential itself; its share is wanted, divided by the sum."),
                ("e^({b} - {y})", "That is the share of {b}."),
            ),
            (
                ("e^{b}", "That is the exponential itself; its share is wanted, divided by the sum."),
                ("e^({a} - {y})", "That is the share of {a}."),
            ),
        ),
    ),
    "logaddexp2": Words(
        "The partial of each operand is its share of the sum of powers of 2, and the shares add up to 1: {partials}.",
        (
            (
                ("2^{a}", "That is the power itself; its share is wanted, divided by the sum."),
                ("2^({b} - {y})", "That is the share of {b}."),
            ),
            (
                ("2^{b}", "That is the power itself; its share is wanted, divided by the sum."),
                ("2^({a} - {y})", "That is the share of {a}."),
            ),
        ),
    ),
    "hypot": Words(
        "A hypotenuse responds to each side in proportion, by the side over the hypotenuse: {partials}.",
        (
            (
                ("{b} / {y}", "That is the share of the other side."),
                ("2 · {a}", "That is the derivative of the square; the root over it is missing."),
            ),
            (
                ("{a} / {y}", "That is the share of the other side."),
                ("2 · {b}", "That is the derivative of the square; the root over it is missing."),
            ),
        ),
        cases=(
            (
                lambda y, a, b: y == 0,
                "The length is 0, where it has a kink: the mean of the one-sided derivatives, 0, is taken.",
            ),
        ),
    ),
    # ---- trigonometric and hyperbolic functions ----
    "sin": one(
        "The derivative of sin is cos: {partials}.",
        ("-cos {a}", "The sign is wrong: the derivative of sin is cos; the minus sign is in the derivative of cos."),
    ),
    "cos": one(
        "The derivative of cos is −sin: {partials}.",
        ("sin {a}", "The sign is missing: cos falls where sin is positive, so its derivative is −sin."),
    ),
    "tan": one(
        "The derivative of tan is 1 + tan²: {partials}.",
        ("1 - {y}²", "The sign is wrong: 1 − tanh² is the derivative of tanh, and 1 + tan² that of tan."),
        ("1 / cos {a}", "The square is missing: the derivative of tan is 1 over the square of cos."),
    ),
    "arcsin": one(
        "arcsin undoes sin, so its derivative is 1 over the cosine of the angle: {partials}.",
        ("-1 / √(1 - {a}²)", "The sign is wrong: that is the derivative of arccos."),
        ("1 / √(1 + {a}²)", "The sign below the root is wrong: that is the derivative of arcsinh."),
        ("1 / sin {a}", "arcsin is the inverse function of sin, not 1 over sin."),
    ),
    "arccos": one(
        "arccos falls as arcsin rises, so its derivative is minus that of arcsin: {partials}.",
        ("1 / √(1 - {a}²)", "The sign is missing: arccos falls; that is the derivative of arcsin."),
    ),
    "arctan": one(
        "arctan undoes tan, so its derivative is 1 over 1 + the square of the tangent, {a}: {partials}.",
        ("1 / (1 - {a}²)", "The sign is wrong: that is the derivative of arctanh."),
        ("1 + {a}²", "Upside down: arctan is the inverse function of tan, so its derivative is the reciprocal."),
    ),
    "arctan2": Words(
        "The angle of a point turns the faster, the nearer it is to the origin: {partials}.",
        (
            (
                ("-{a} / ({a}² + {b}²)", "That is the partial with respect to {b}."),
                ("1 / (1 + {a}²)", "That is the derivative of arctan; the angle depends on {b}, too."),
            ),
            (
                ("{b} / ({a}² + {b}²)", "That is the partial with respect to {a}."),
                (
                    "{a} / ({a}² + {b}²)",
                    "The sign is missing: the partials with respect to {a} and {b} have opposite signs.",
                ),
            ),
        ),
    ),
    "sinh": one(
        "The derivative of sinh is cosh: {partials}.",
        ("-cosh {a}", "The sign is wrong: the derivative of sinh is cosh."),
        ("cos {a}", "That is the derivative of sin; sinh is the hyperbolic function."),
    ),
    "cosh": one(
        "The derivative of cosh is sinh, without a minus sign: {partials}.",
        ("-sinh {a}", "The sign is wrong: cos has a minus sign in its derivative, cosh has none."),
    ),
    "tanh": one(
        "The derivative of tanh is 1 − tanh²: {partials}.",
        ("1 + {y}²", "The sign is wrong: 1 + tan² is the derivative of tan, and 1 − tanh² that of tanh."),
        ("1 - {a}²", "That squares {a}; it is 1 minus the square of the value."),
        ("1 - {y}", "The square is missing: it is 1 minus the square of the value."),
        arrays="The derivative of tanh is 1 − tanh²: {partials}; where {y} is near ±1 the unit is saturated and"
        " lets little"
        " through.",
        cases=(
            (
                lambda y, a: abs(y) > 0.95,
                "The derivative of tanh is 1 − tanh²: {partials}; {y} is close to ±1, so the unit is saturated"
                " and lets little through.",
            ),
        ),
    ),
    "arcsinh": one(
        "arcsinh undoes sinh, so its derivative is 1 over the cosh of the value: {partials}.",
        ("1 / √(1 - {a}²)", "The sign below the root is wrong: that is the derivative of arcsin."),
        ("1 / √({a}² - 1)", "The sign below the root is wrong: that is the derivative of arccosh."),
    ),
    "arccosh": one(
        "arccosh undoes cosh, so its derivative is 1 over the sinh of the value: {partials}.",
        ("1 / √({a}² + 1)", "The sign below the root is wrong: that is the derivative of arcsinh."),
        ("-1 / √({a}² - 1)", "The sign is wrong: arccosh rises."),
    ),
    "arctanh": one(
        "arctanh undoes tanh, so its derivative is 1 over 1 − the square of the hyperbolic tangent, {a}: {partials}.",
        ("1 / (1 + {a}²)", "The sign is wrong: that is the derivative of arctan."),
        ("1 - {a}²", "Upside down: the derivative of the inverse function is the reciprocal."),
    ),
    # ---- selections ----
    "absolute": one("", short=("sign {a}",)),
    "maximum": LARGER,
    "minimum": SMALLER,
    "fmax": LARGER,
    "fmin": SMALLER,
    "heaviside": Words(
        "A step is flat on either side of 0, so its derivative is 0; {b} only counts where {a} is 0.",
        (
            (("1", "That follows {a} smoothly; on either side of 0 the step does not change at all."),),
            (("1", "{b} is the value at 0 only; elsewhere the partial is 0."),),
        ),
        short=("0", "[{a} = 0]"),
    ),
    "copysign": Words(
        "The sign is that of {b}, the size that of {a}: {a} counts as it is or reversed, and {b} is flat.",
        (
            (("1", "Where the signs of {a} and {b} differ, {a} is reversed: its partial is −1."),),
            (("1", "Only the sign of {b} counts, and that does not change with it except at 0."),),
        ),
        short=("sign {a} · sign {b}", "0"),
    ),
    # ---- others that act entry by entry ----
    "copy": one("A copy has the same value, so its partial is 1."),
    "read": Words("This number was read here; the derivative does not flow through it: its partial is 0."),
    "astype": one("Rounding to another type is taken for the identity: the partial is 1.", short=("1",)),
    "logistic": one(
        "The derivative of the logistic function is its value times 1 minus its value: {partials}.",
        ("1 - {y}", "The factor {y} is missing: it is the value times 1 minus the value."),
        ("1 - {y}²", "That is the rule of tanh."),
        ("{a} · (1 - {a})", "That takes {a}; it is the value times 1 minus the value."),
    ),
    "sinc": one(
        "The quotient rule, for sin(π · {a}) over π · {a}: {partials}.",
        ("cos(π · {a})", "That is half of it: the quotient rule has a second term, and divides by {a}."),
    ),
    "newton step": Words(
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
    "where": Words(
        "The condition decides which operand is taken: [b:the partial of {b} is 1 where it holds, else 0][bc:; ]"
        "[c:the partial of {c} is 1 where it does not hold, else 0].",
        (
            (("1", "The condition only decides; it is flat, so its partial is 0."),),
            (("[not {a}]", "That is the partial of the other operand: this one is taken where the condition holds."),),
            (
                (
                    "[{a}]",
                    "That is the partial of the other operand: this one is taken where the condition does not hold.",
                ),
            ),
        ),
        short=("0", "[{a}]", "[not {a}]"),
        arrays="The condition decides entry by entry which operand is taken: [b:{b} receives the adjoint where it is"
        " true, else 0][bc:, and ][c:{c} receives the adjoint where it is false, else 0].",
        cases=(
            (
                lambda y, c, a, b: bool(c) is True,
                "The condition holds, so [b:{b} receives the whole adjoint][bc: and ][c:{c} nothing].",
            ),
            (
                lambda y, c, a, b: bool(c) is False,
                "The condition does not hold, so [c:{c} receives the whole adjoint][bc: and ][b:{b} nothing].",
            ),
        ),
    ),
}
"""By the name of the Block."""
COMPARISON = Words(
    "A condition is 1 or 0 and flat wherever it does not jump, so nothing passes through it: its partials are 0.",
    ((("1", "That would be a smooth dependence; a condition is flat, and jumps."),),) * 2,
)
_ABS_MISTAKES = (
    ("1", "That holds for positive {a} only; it is the sign of {a}."),
    ("-1", "That holds for negative {a} only; it is the sign of {a}."),
)
WORDS["kink"] = Words(
    "The slope {a} is the mean of the slopes on both sides of a kink at {b} = 0, where it has no derivative by {b}.",
    ((), (("0", "The mean of both slopes is no slope itself: it does not stay the same on both sides of the kink."),)),
    short=("1", "NaN"),
)
WORDS["tied"] = Words(
    "The entries are those of {a}, so the adjoint passes on; at equal ones sorting has a kink.",
    ((("0", "The values are the entries themselves, so the adjoint passes on."),),),
    short=("1",),
)
WORDS["absolute"] = WORDS["fabs"] = Words(
    "The derivative of the absolute value is the sign: {partials}.",
    (_ABS_MISTAKES,),
    short=("sign {a}",),
    cases=(
        (lambda y, a: a > 0, "{a} is positive, so the absolute value passes the adjoint unchanged: the partial is 1."),
        (lambda y, a: a < 0, "{a} is negative, so the absolute value reverses every change: the partial is −1."),
        (
            lambda y, a: a == 0,
            "{a} is 0, where the absolute value has a kink: the mean of the one-sided derivatives, 0, is taken.",
        ),
    ),
)
