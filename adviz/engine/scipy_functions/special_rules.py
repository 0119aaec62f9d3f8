"""Rules of ``scipy.special``: a record for each function.

The formulas are those of the Digital Library of Mathematical Functions (dlmf.nist.gov). For some orders and shape
parameters no closed form of the derivative is known; where one of them is traced, an error names the function.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as special
from scipy.special import _ufuncs

from ..blocks import BLOCK_OF, Elementwise, Numeric, Partial, Words
from ..functions.arguments import Function
from ..functions.registry import PARAMETERS
from ..rules.powers import LOGISTIC
from ..rules.selection import sign

SPECIAL: dict[np.ufunc, Elementwise] = {}
"""The Block of each function of SciPy that has a rule here or in ``special.py``."""


def unknown(y: Any, *operands: Any) -> Any:
    """Return the partial with respect to a parameter for which no closed form is known."""
    return np.nan


def rule(
    name: str,
    why: str | Words,
    *partials: tuple[str, Partial],
    wrong: tuple[tuple[str, str], ...] = (),
    **record: Any,
) -> None:
    """Make the Block of a ufunc of SciPy, if this version has it; those with an underscore are not public.

    ``why`` its derivative is what it is, the partials as in the rules of NumPy's functions, and wrong factors besides
    those that are known for all functions.
    """
    ufunc = getattr(_ufuncs if name.startswith("_") else special, name, None)
    if ufunc is None:
        return
    formulas, functions = zip(*partials, strict=True)
    if ufunc not in BLOCK_OF:  # SciPy's cbrt may be NumPy's
        text = (
            why
            if isinstance(why, Words)
            else Words(f"{why}: {{partials}}.", (wrong or WRONG.get(why, ()),) * len(formulas))
        )
        block = Elementwise(name.strip("_"), ufunc, *functions, family="power", formulas=formulas, words=text, **record)
        BLOCK_OF[ufunc] = block
        PARAMETERS[ufunc] = [place for place, partial in enumerate(functions) if partial is unknown]
    SPECIAL[ufunc] = BLOCK_OF[ufunc]  # type: ignore[assignment]


UNKNOWN = "", unknown
INVERSE = "An inverse function has 1 over the derivative of the function that it undoes"
LOG_GAMMA = "The derivative of log Γ is the digamma function psi"
DIGAMMA = "The derivative of log Γ is the digamma function psi, and the chain rule gives the rest"
NEIGHBOURS = "The derivative is known from the functions of the neighbouring orders"
POLYNOMIAL = "The derivative of a polynomial of this kind is one of a degree less"
RAISED = "The derivative is the same function with its parameters raised by 1"
INTEGRAND = "The derivative of an integral is its integrand"
ELLIPTIC = "The derivatives of elliptic integrals are known by elliptic integrals of the other kind"
DEGREES = "An angle in degrees brings the factor π/180 with it"
POWER_RULE = "The power rule; the constant drops out"
ROOT_RULE = "The power rule, for the exponent 1 over the parameter"
WRONG = {INVERSE: (("1 / {y}", "That is the reciprocal of the value; it is 1 over the other function's derivative."),)}
ROOT_PI = np.sqrt(np.pi)
ROOT_TWO_PI = np.sqrt(2 * np.pi)


def trigamma(x: Any) -> Any:
    """Return the derivative of ``psi``; left of 0 by reflection."""
    right = np.greater(x, 0)
    reflected = np.square(np.pi / np.sin(np.pi * np.where(right, 0.5, x))) - special.zeta(
        2, np.where(right, 1.0, 1 - x)
    )
    return np.where(right, special.zeta(2, np.where(right, x, 1.0)), reflected)


def beta_slope(a: Any, b: Any) -> Any:
    """Return the derivative of ``log B(a, b)`` by ``a``."""
    return special.psi(a) - special.psi(a + b)


def except_at(x: Any, point: float, series: tuple[float, ...], formula: Function) -> Any:
    """Return a formula, and its Taylor series at the point where it would divide by 0: first its value there."""
    expansion: Any = 0.0
    for coefficient in reversed(series):
        expansion = expansion * (x - point) + coefficient
    return np.where(np.equal(x, point), expansion, formula(np.where(np.equal(x, point), 0.5, x)))


def in_eighths(*coefficients: float) -> tuple[float, ...]:
    """Return coefficients times π / 8: the series of complete elliptic integrals (DLMF 19.5.1, 19.5.2)."""
    return tuple(np.pi / 8 * each for each in coefficients)


def expn_before(n: Any, x: Any) -> Any:
    """The exponential integral of order n - 1; SciPy has none of order -1 (DLMF 8.19.11)."""
    return np.where(np.equal(n, 0), np.exp(-x) * (1 + x) / x**2, special.expn(np.maximum(n - 1, 0), x))


def elliptic_slope(x: Any) -> Any:
    """Return the derivative of ``ellipk``."""
    series = in_eighths(1, 9 / 8, 75 / 64, 1225 / 1024)
    return except_at(x, 0, series, lambda m: (special.ellipe(m) / (1 - m) - special.ellipk(m)) / (2 * m))


def elliptic_root(u: Any, m: Any) -> Any:
    """Return what the incomplete elliptic integrals are integrals of."""
    return np.sqrt(1 - m * np.square(np.sin(u)))


def exprel_slope(y: Any, x: Any) -> Any:
    """``(exp(x) - y) / x``, by its series where that would cancel."""
    near = np.less(np.abs(x), 1e-2)
    series = 1 / 2 + x * (1 / 3 + x * (1 / 8 + x * (1 / 30 + x * (1 / 144 + x / 840))))
    return np.where(near, series, (np.exp(x) - y) / np.where(near, 1.0, x))


rule(
    "erf",
    "erf is the integral of a bell curve, so its derivative is that curve",
    ("(2 / √π) · e^(-{a}²)", lambda y, x: 2 / ROOT_PI * np.exp(-x * x)),
    wrong=(("e^(-{a}²)", "The factor 2/√π is missing."),),
    numeric=Numeric(10.0, scalar=math.erf, has_rows=True),
)
rule(
    "erfc",
    "erfc is 1 − erf, so its derivative is minus a bell curve",
    ("-(2 / √π) · e^(-{a}²)", lambda y, x: -2 / ROOT_PI * np.exp(-x * x)),
    numeric=Numeric(10.0, scalar=math.erfc, has_rows=True),
)
rule(
    "erfcx",
    "The product rule, for e^({a}²) · erfc({a})",
    ("2 · {a} · {y} - 2 / √π", lambda y, x: 2 * x * y - 2 / ROOT_PI),
)
rule("erfi", INTEGRAND, ("(2 / √π) · e^({a}²)", lambda y, x: 2 / ROOT_PI * np.exp(x * x)))
rule(
    "dawsn",
    "The product rule, for a falling bell curve times an integral",
    ("1 - 2 · {a} · {y}", lambda y, x: 1 - 2 * x * y),
)
rule("erfinv", INVERSE, ("(√π / 2) · e^({y}²)", lambda y, x: ROOT_PI / 2 * np.exp(y * y)))
rule("erfcinv", INVERSE, ("-(√π / 2) · e^({y}²)", lambda y, x: -ROOT_PI / 2 * np.exp(y * y)))
rule(
    "ndtr",
    "The derivative of a distribution function is the density, here a bell curve",
    ("e^(-{a}² / 2) / √(2 · π)", lambda y, x: np.exp(-x * x / 2) / ROOT_TWO_PI),
    wrong=(("e^(-{a}² / 2)", "The factor 1/√(2π) is missing."),),
    numeric=Numeric(10.0, scalar=lambda x: 0.5 * math.erfc(-x * math.sqrt(0.5)), has_rows=True),
)
rule(
    "log_ndtr",
    "The derivative of a logarithm is that of its argument over its argument, here density over distribution",
    ("e^(-{a}² / 2 - {y}) / √(2 · π)", lambda y, x: np.exp(-x * x / 2 - y) / ROOT_TWO_PI),
)
rule("ndtri", INVERSE, ("√(2 · π) · e^({y}² / 2)", lambda y, x: ROOT_TWO_PI * np.exp(y * y / 2)))
rule("ndtri_exp", INVERSE, ("√(2 · π) · e^({y}² / 2 + {a})", lambda y, x: ROOT_TWO_PI * np.exp(y * y / 2 + x)))
rule(
    "gamma",
    DIGAMMA,
    ("{y} · psi({a})", lambda y, x: y * special.psi(x)),
    numeric=Numeric(10.0, c="tgamma({0})", scalar=math.gamma),
)
rule(
    "gammaln",
    LOG_GAMMA,
    ("psi({a})", lambda y, x: special.psi(x)),
    wrong=(("1 / {y}", "That takes log Γ for a plain logarithm; its derivative is psi."),),
    numeric=Numeric(10.0, c="lgamma({0})", compiled=math.lgamma),
)
rule("loggamma", LOG_GAMMA, ("psi({a})", lambda y, x: special.psi(x)))
rule("rgamma", DIGAMMA, ("-{y} · psi({a})", lambda y, x: -y * special.psi(x)))
rule(
    "psi",
    "The derivative of the digamma function is the trigamma function",
    ("polygamma(1, {a})", lambda y, x: trigamma(x)),
)
rule(
    "_zeta",
    "The power rule, for each term of the series",
    UNKNOWN,
    ("-{a} · zeta({a} + 1, {b})", lambda y, x, q: -x * special.zeta(x + 1, q)),
)
rule("gammasgn", "A sign is constant between its jumps", ("0", lambda y, x: 0.0))
rule(
    "beta",
    DIGAMMA,
    ("{y} · (psi({a}) - psi({a} + {b}))", lambda y, a, b: y * beta_slope(a, b)),
    ("{y} · (psi({b}) - psi({a} + {b}))", lambda y, a, b: y * beta_slope(b, a)),
)
rule(
    "betaln",
    DIGAMMA,
    ("psi({a}) - psi({a} + {b})", lambda y, a, b: beta_slope(a, b)),
    ("psi({b}) - psi({a} + {b})", lambda y, a, b: beta_slope(b, a)),
)
rule(
    "binom",
    DIGAMMA,
    ("{y} · (psi({a} + 1) - psi({a} - {b} + 1))", lambda y, n, k: y * (special.psi(n + 1) - special.psi(n - k + 1))),
    ("{y} · (psi({a} - {b} + 1) - psi({b} + 1))", lambda y, n, k: y * (special.psi(n - k + 1) - special.psi(k + 1))),
)
rule(
    "poch",
    DIGAMMA,
    ("{y} · (psi({a} + {b}) - psi({a}))", lambda y, z, m: y * (special.psi(z + m) - special.psi(z))),
    ("{y} · psi({a} + {b})", lambda y, z, m: y * special.psi(z + m)),
)
rule("expit", LOGISTIC.words, ("{y} · (1 - {y})", lambda y, x: y * special.expit(-x)))
rule("logit", INVERSE, ("1 / ({a} · (1 - {a}))", lambda y, x: 1 / (x * (1 - x))))
rule(
    "log_expit",
    "The derivative of the logarithm of the logistic function is 1 minus the logistic function",
    ("1 - e^{y}", lambda y, x: special.expit(-x)),
)
rule(
    "xlogy",
    "A product with a logarithm, by the product rule",
    ("ln {b}", lambda y, a, b: np.log(b)),
    ("{a} / {b}", lambda y, a, b: a / b),
    wrong=(
        ("ln {b}", "That is the partial with respect to {a}."),
        ("{a} / {b}", "That is the partial with respect to {b}."),
    ),
)
rule(
    "xlog1py",
    "A product with a logarithm, by the product rule",
    ("ln (1 + {b})", lambda y, a, b: np.log1p(b)),
    ("{a} / (1 + {b})", lambda y, a, b: a / (1 + b)),
)
rule("entr", "The product rule, for −{a} · log {a}", ("-ln {a} - 1", lambda y, x: -np.log(x) - 1))
rule(
    "rel_entr",
    "The product rule, for {a} · log({a} / {b})",
    ("ln ({a} / {b}) + 1", lambda y, a, b: np.log(a / b) + 1),
    ("-{a} / {b}", lambda y, a, b: -a / b),
)
rule(
    "kl_div",
    "The product rule, for {a} · log({a} / {b}) - {a} + {b}",
    ("ln ({a} / {b})", lambda y, a, b: np.log(a / b)),
    ("1 - {a} / {b}", lambda y, a, b: 1 - a / b),
)
rule("expm1", BLOCK_OF[np.expm1].words, ("e^{a}", lambda y, x: np.exp(x)))
rule("log1p", BLOCK_OF[np.log1p].words, ("1 / (1 + {a})", lambda y, x: 1 / (1 + x)))
rule("exp2", BLOCK_OF[np.exp2].words, ("{y} · ln 2", lambda y, x: np.log(2) * y))
rule(
    "exp10",
    "A power of 10 grows in proportion to itself, by the factor ln 10",
    ("{y} · ln 10", lambda y, x: np.log(10) * y),
    wrong=(("{y}", "The factor ln 10 is missing: only exp is its own derivative."),),
)
rule("cbrt", BLOCK_OF[np.cbrt].words, ("1 / (3 · {y}²)", lambda y, x: 1 / (3 * y * y)))
rule("cosm1", BLOCK_OF[np.cos].words, ("-sin {a}", lambda y, x: -np.sin(x)))
rule(
    "huber",
    "The loss is quadratic up to {a} and linear beyond, so its slope grows and then stays",
    ("max(|{b}| - {a}, 0)", lambda y, d, x: np.where(np.less_equal(np.abs(x), d), 0.0, np.abs(x) - d)),
    ("clip({b}, -{a}, {a})", lambda y, d, x: np.clip(x, -d, d)),
)
rule(
    "pseudo_huber",
    "The chain rule, for a root of a sum of squares",
    ("2 · {y} / {a} - {b}² / √({a}² + {b}²)", lambda y, d, x: 2 * y / d - x * x / np.hypot(d, x)),
    ("{a} · {b} / √({a}² + {b}²)", lambda y, d, x: d * x / np.hypot(d, x)),
)
rule("boxcox", POWER_RULE, ("{a}^({b} - 1)", lambda y, x, p: np.power(x, p - 1)), UNKNOWN)
rule("boxcox1p", POWER_RULE, ("(1 + {a})^({b} - 1)", lambda y, x, p: np.power(1 + x, p - 1)), UNKNOWN)
rule("inv_boxcox", ROOT_RULE, ("{y}^(1 - {b})", lambda y, x, p: np.power(y, 1 - p)), UNKNOWN)
rule("inv_boxcox1p", ROOT_RULE, ("(1 + {y})^(1 - {b})", lambda y, x, p: np.power(1 + y, 1 - p)), UNKNOWN)
rule("exp1", INTEGRAND, ("-e^(-{a}) / {a}", lambda y, x: -np.exp(-x) / x))
rule("expi", INTEGRAND, ("e^{a} / {a}", lambda y, x: np.exp(x) / x))
rule("expn", INTEGRAND, UNKNOWN, ("-expn({a} - 1, {b})", lambda y, n, x: -expn_before(n, x)))
rule(
    "spence",
    INTEGRAND,
    (
        "ln {a} / (1 - {a})",
        lambda y, x: except_at(x, 1, (-1, 1 / 2, -1 / 3, 1 / 4), lambda z: np.log(z) / (1 - z)),
    ),
)
rule("ellipk", ELLIPTIC, ("(ellipe({a}) / (1 - {a}) - {y}) / (2 · {a})", lambda y, x: elliptic_slope(x)))
rule(
    "ellipe",
    ELLIPTIC,
    (
        "({y} - ellipk({a})) / (2 · {a})",
        lambda y, x: except_at(
            x,
            0,
            in_eighths(-1, -3 / 8, -15 / 64, -175 / 1024),
            lambda m: (special.ellipe(m) - special.ellipk(m)) / (2 * m),
        ),
    ),
)


def bessel(name: str, orders: str, before: float, after: float) -> None:
    """Make the Block of a Bessel function of any order: half a sum of its neighbours, ``orders``, is its derivative."""
    known = getattr(special, orders)
    sign, operator = "-" * (before < 0), "-" if before * after < 0 else "+"
    formula = f"{sign}({orders}({{a}} - 1, {{b}}) {operator} {orders}({{a}} + 1, {{b}})) / 2"
    rule(name, NEIGHBOURS, UNKNOWN, (formula, lambda y, v, x: (before * known(v - 1, x) + after * known(v + 1, x)) / 2))


for _name, _before, _after in (("jv", 1.0, -1.0), ("yv", 1.0, -1.0), ("iv", 1.0, 1.0), ("kv", -1.0, -1.0)):
    bessel(_name, _name, _before, _after)
bessel("yn", "yv", 1.0, -1.0)
bessel("kn", "kv", -1.0, -1.0)
rule("j0", NEIGHBOURS, ("-j1({a})", lambda y, x: -special.j1(x)))
rule("j1", NEIGHBOURS, ("(j0({a}) - jv(2, {a})) / 2", lambda y, x: (special.j0(x) - special.jv(2, x)) / 2))
rule("y0", NEIGHBOURS, ("-y1({a})", lambda y, x: -special.y1(x)))
rule("y1", NEIGHBOURS, ("y0({a}) - {y} / {a}", lambda y, x: special.y0(x) - y / x))
rule("i0", NEIGHBOURS, ("i1({a})", lambda y, x: special.i1(x)))
rule("i1", NEIGHBOURS, ("(i0({a}) + iv(2, {a})) / 2", lambda y, x: (special.i0(x) + special.iv(2, x)) / 2))
rule("i0e", NEIGHBOURS, ("i1e({a}) - sign {a} · {y}", lambda y, x: special.i1e(x) - sign(y, x) * y))
rule(
    "i1e",
    NEIGHBOURS,
    (
        "(i0e({a}) + ive(2, {a})) / 2 - sign {a} · {y}",
        lambda y, x: (special.i0e(x) + special.ive(2, x)) / 2 - sign(y, x) * y,
    ),
)
rule(
    "ive",
    NEIGHBOURS,
    UNKNOWN,
    (
        "(ive({a} - 1, {b}) + ive({a} + 1, {b})) / 2 - sign {b} · {y}",
        lambda y, v, x: (special.ive(v - 1, x) + special.ive(v + 1, x)) / 2 - sign(y, x) * y,
    ),
)
rule("k0", NEIGHBOURS, ("-k1({a})", lambda y, x: -special.k1(x)))
rule("k1", NEIGHBOURS, ("-k0({a}) - {y} / {a}", lambda y, x: -special.k0(x) - y / x))
rule("k0e", NEIGHBOURS, ("{y} - k1e({a})", lambda y, x: y - special.k1e(x)))
rule("k1e", NEIGHBOURS, ("{y} - k0e({a}) - {y} / {a}", lambda y, x: y - special.k0e(x) - y / x))
rule(
    "kve",
    NEIGHBOURS,
    UNKNOWN,
    (
        "{y} - (kve({a} - 1, {b}) + kve({a} + 1, {b})) / 2",
        lambda y, v, x: y - (special.kve(v - 1, x) + special.kve(v + 1, x)) / 2,
    ),
)
rule(
    "struve",
    NEIGHBOURS,
    UNKNOWN,
    ("struve({a} - 1, {b}) - ({a} / {b}) · {y}", lambda y, v, x: special.struve(v - 1, x) - v / x * y),
)
rule(
    "modstruve",
    NEIGHBOURS,
    UNKNOWN,
    ("modstruve({a} - 1, {b}) - ({a} / {b}) · {y}", lambda y, v, x: special.modstruve(v - 1, x) - v / x * y),
)
rule("ellipkm1", ELLIPTIC, ("-(ellipe(1 - {a}) / {a} - {y}) / (2 · (1 - {a}))", lambda y, p: -elliptic_slope(1 - p)))
rule(
    "ellipkinc",
    ELLIPTIC,
    ("1 / √(1 - {b} · (sin {a})²)", lambda y, u, m: 1 / elliptic_root(u, m)),
    (
        "(ellipeinc({a}, {b}) / (1 - {b}) - {y}) / (2 · {b})"
        " - sin (2 · {a}) / (4 · (1 - {b}) · √(1 - {b} · (sin {a})²))",
        lambda y, u, m: (
            (special.ellipeinc(u, m) / (1 - m) - y) / (2 * m) - np.sin(2 * u) / (4 * (1 - m) * elliptic_root(u, m))
        ),
    ),
)
rule(
    "ellipeinc",
    ELLIPTIC,
    ("√(1 - {b} · (sin {a})²)", lambda y, u, m: elliptic_root(u, m)),
    ("({y} - ellipkinc({a}, {b})) / (2 · {b})", lambda y, u, m: (y - special.ellipkinc(u, m)) / (2 * m)),
)
rule("wrightomega", INVERSE, ("{y} / (1 + {y})", lambda y, x: y / (1 + y)))
rule("exprel", "The quotient rule, for e^{a} - 1 over {a}", ("(e^{a} - {y}) / {a}", lambda y, x: exprel_slope(y, x)))
rule("sindg", DEGREES, ("(π / 180) · cosdg({a})", lambda y, x: np.pi / 180 * special.cosdg(x)))
rule("cosdg", DEGREES, ("-(π / 180) · sindg({a})", lambda y, x: -np.pi / 180 * special.sindg(x)))
rule("tandg", DEGREES, ("(π / 180) · (1 + {y}²)", lambda y, x: np.pi / 180 * (1 + y * y)))
rule("cotdg", DEGREES, ("-(π / 180) · (1 + {y}²)", lambda y, x: -np.pi / 180 * (1 + y * y)))
rule(
    "powm1",
    POWER_RULE,
    ("{b} · {a}^({b} - 1)", lambda y, x, p: p * np.power(x, p - 1)),
    ("({y} + 1) · ln {a}", lambda y, x, p: (y + 1) * np.log(x)),
)
rule("hyp0f1", RAISED, UNKNOWN, ("hyp0f1({a} + 1, {b}) / {a}", lambda y, v, x: special.hyp0f1(v + 1, x) / v))
rule(
    "hyp1f1",
    RAISED,
    UNKNOWN,
    UNKNOWN,
    ("({a} / {b}) · hyp1f1({a} + 1, {b} + 1, {c})", lambda y, a, b, x: a / b * special.hyp1f1(a + 1, b + 1, x)),
)
rule(
    "hyperu",
    RAISED,
    UNKNOWN,
    UNKNOWN,
    ("-{a} · hyperu({a} + 1, {b} + 1, {c})", lambda y, a, b, x: -a * special.hyperu(a + 1, b + 1, x)),
)
rule(
    "hyp2f1",
    RAISED,
    UNKNOWN,
    UNKNOWN,
    UNKNOWN,
    (
        "({a} · {b} / {c}) · hyp2f1({a} + 1, {b} + 1, {c} + 1, {d})",
        lambda y, a, b, c, x: a * b / c * special.hyp2f1(a + 1, b + 1, c + 1, x),
    ),
)
rule(
    "eval_legendre",
    POLYNOMIAL,
    UNKNOWN,
    (
        "({a} + 1) · eval_jacobi({a} - 1, 1, 1, {b}) / 2",
        lambda y, n, x: (n + 1) / 2 * special.eval_jacobi(n - 1, 1, 1, x),
    ),
)
rule(
    "eval_chebyt",
    POLYNOMIAL,
    UNKNOWN,
    ("{a} · eval_chebyu({a} - 1, {b})", lambda y, n, x: n * special.eval_chebyu(n - 1, x)),
)
rule(
    "eval_chebyu",
    POLYNOMIAL,
    UNKNOWN,
    ("2 · eval_gegenbauer({a} - 1, 2, {b})", lambda y, n, x: 2 * special.eval_gegenbauer(n - 1, 2, x)),
)
rule(
    "eval_laguerre",
    POLYNOMIAL,
    UNKNOWN,
    ("-eval_genlaguerre({a} - 1, 1, {b})", lambda y, n, x: -special.eval_genlaguerre(n - 1, 1, x)),
)
rule(
    "eval_genlaguerre",
    POLYNOMIAL,
    UNKNOWN,
    UNKNOWN,
    ("-eval_genlaguerre({a} - 1, {b} + 1, {c})", lambda y, n, a, x: -special.eval_genlaguerre(n - 1, a + 1, x)),
)
rule(
    "eval_gegenbauer",
    POLYNOMIAL,
    UNKNOWN,
    UNKNOWN,
    (
        "2 · {b} · eval_gegenbauer({a} - 1, {b} + 1, {c})",
        lambda y, n, a, x: 2 * a * special.eval_gegenbauer(n - 1, a + 1, x),
    ),
)
rule(
    "eval_jacobi",
    POLYNOMIAL,
    UNKNOWN,
    UNKNOWN,
    UNKNOWN,
    (
        "({a} + {b} + {c} + 1) · eval_jacobi({a} - 1, {b} + 1, {c} + 1, {d}) / 2",
        lambda y, n, a, b, x: (n + a + b + 1) / 2 * special.eval_jacobi(n - 1, a + 1, b + 1, x),
    ),
)
