"""``scipy.special`` on traced values: one line per rule.

The formulas are those of the Digital Library of Mathematical Functions (dlmf.nist.gov). For some orders and shape
parameters no closed form of the derivative is known; where one of them is traced, an error names the function.

Ufuncs have a Block each. ``logsumexp`` and its like are functions in Python that work on ``np.asarray`` of their
arguments; ``FUNCTIONS`` has our versions of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as special
from scipy.special import _ufuncs

from ..blocks import BLOCK_OF, Block, Elementwise, Words
from ..functions.arguments import Function, Overrides, joined, missing, refuse
from ..functions.entrywise import elementwise
from ..functions.registry import PARAMETERS
from ..rules.elementwise import zero
from ..rules.powers import LOGISTIC
from ..rules.probability import ROWS, unknown
from ..rules.selection import sign

# ---- formulas ----


GAMMA = "{x}^({a} - 1) · e^(-{x}) / gamma({a})"
BETA = "{x}^({a} - 1) · (1 - {x})^({b} - 1) / beta({a}, {b})"
STUDENT = "(1 + {x}² / {a})^(-({a} + 1) / 2) / (√{a} · beta({a} / 2, 1 / 2))"
CHI = "({x} / 2)^({a} / 2 - 1) · e^(-{x} / 2) / (2 · gamma({a} / 2))"
FISHER = (
    "{a} · {b} / ({a} · {x} + {b})² · ({a} · {x} / ({a} · {x} + {b}))^({a} / 2 - 1)"
    " · ({b} / ({a} · {x} + {b}))^({b} / 2 - 1) / beta({a} / 2, {b} / 2)"
)


def _at(density: str, x: str) -> str:
    return density.replace("{x}", x)


def _inverse(density: str, x: str = "{y}", sign: str = "") -> str:
    return f"{sign}1 / ({_at(density, x)})"


GDTR = "({a} · {c})^({b} - 1) · e^(-{a} · {c}) / gamma({b})"
POISSON = "{b}^⌊{a}⌋ · e^(-{b}) / gamma(⌊{a}⌋ + 1)"
NEGATIVE = "{c}^({b} - 1) · (1 - {c})^⌊{a}⌋ / beta({b}, ⌊{a}⌋ + 1)"
BINOMIAL = "{c}^⌊{a}⌋ · (1 - {c})^({b} - ⌊{a}⌋ - 1) / beta(⌊{a}⌋ + 1, {b} - ⌊{a}⌋)"
FORMULAS: dict[str, tuple[str, ...]] = {
    # ---- error functions ----
    "erf": ("(2 / √π) · e^(-{a}²)",),
    "erfc": ("-(2 / √π) · e^(-{a}²)",),
    "erfcx": ("2 · {a} · {y} - 2 / √π",),
    "erfi": ("(2 / √π) · e^({a}²)",),
    "dawsn": ("1 - 2 · {a} · {y}",),
    "erfinv": ("(√π / 2) · e^({y}²)",),
    "erfcinv": ("-(√π / 2) · e^({y}²)",),
    "ndtr": ("e^(-{a}² / 2) / √(2 · π)",),
    "log_ndtr": ("e^(-{a}² / 2 - {y}) / √(2 · π)",),
    "ndtri": ("√(2 · π) · e^({y}² / 2)",),
    "ndtri_exp": ("√(2 · π) · e^({y}² / 2 + {a})",),
    # ---- gamma functions ----
    "gamma": ("{y} · psi({a})",),
    "gammaln": ("psi({a})",),
    "loggamma": ("psi({a})",),
    "rgamma": ("-{y} · psi({a})",),
    "psi": ("polygamma(1, {a})",),
    "zeta": ("", "-{a} · zeta({a} + 1, {b})"),
    "gammasgn": ("0",),
    "beta": ("{y} · (psi({a}) - psi({a} + {b}))", "{y} · (psi({b}) - psi({a} + {b}))"),
    "betaln": ("psi({a}) - psi({a} + {b})", "psi({b}) - psi({a} + {b})"),
    "binom": ("{y} · (psi({a} + 1) - psi({a} - {b} + 1))", "{y} · (psi({a} - {b} + 1) - psi({b} + 1))"),
    "poch": ("{y} · (psi({a} + {b}) - psi({a}))", "{y} · psi({a} + {b})"),
    # ---- logistic functions, entropies, losses ----
    "expit": ("{y} · (1 - {y})",),
    "logit": ("1 / ({a} · (1 - {a}))",),
    "log_expit": ("1 - e^{y}",),
    "xlogy": ("ln {b}", "{a} / {b}"),
    "xlog1py": ("ln (1 + {b})", "{a} / (1 + {b})"),
    "entr": ("-ln {a} - 1",),
    "rel_entr": ("ln ({a} / {b}) + 1", "-{a} / {b}"),
    "kl_div": ("ln ({a} / {b})", "1 - {a} / {b}"),
    "expm1": ("e^{a}",),
    "log1p": ("1 / (1 + {a})",),
    "exp2": ("{y} · ln 2",),
    "exp10": ("{y} · ln 10",),
    "cbrt": ("1 / (3 · {y}²)",),
    "cosm1": ("-sin {a}",),
    "huber": ("max(|{b}| - {a}, 0)", "clip({b}, -{a}, {a})"),
    "pseudo_huber": ("2 · {y} / {a} - {b}² / √({a}² + {b}²)", "{a} · {b} / √({a}² + {b}²)"),
    "boxcox": ("{a}^({b} - 1)", ""),
    "boxcox1p": ("(1 + {a})^({b} - 1)", ""),
    "inv_boxcox": ("{y}^(1 - {b})", ""),
    "inv_boxcox1p": ("(1 + {y})^(1 - {b})", ""),
    # ---- integrals ----
    "exp1": ("-e^(-{a}) / {a}",),
    "expi": ("e^{a} / {a}",),
    "expn": ("", "-expn({a} - 1, {b})"),
    "spence": ("ln {a} / (1 - {a})",),
    "ellipk": ("(ellipe({a}) / (1 - {a}) - {y}) / (2 · {a})",),
    "ellipe": ("({y} - ellipk({a})) / (2 · {a})",),
    "ellipkm1": ("-(ellipe(1 - {a}) / {a} - {y}) / (2 · (1 - {a}))",),
    "ellipkinc": (
        "1 / √(1 - {b} · (sin {a})²)",
        "(ellipeinc({a}, {b}) / (1 - {b}) - {y}) / (2 · {b})"
        " - sin (2 · {a}) / (4 · (1 - {b}) · √(1 - {b} · (sin {a})²))",
    ),
    "ellipeinc": ("√(1 - {b} · (sin {a})²)", "({y} - ellipkinc({a}, {b})) / (2 · {b})"),
    "exprel": ("(e^{a} - {y}) / {a}",),
    # ---- Bessel and Struve functions ----
    "j0": ("-j1({a})",),
    "j1": ("(j0({a}) - jv(2, {a})) / 2",),
    "jv": ("", "(jv({a} - 1, {b}) - jv({a} + 1, {b})) / 2"),
    "y0": ("-y1({a})",),
    "y1": ("y0({a}) - {y} / {a}",),
    "yn": ("", "(yv({a} - 1, {b}) - yv({a} + 1, {b})) / 2"),
    "yv": ("", "(yv({a} - 1, {b}) - yv({a} + 1, {b})) / 2"),
    "i0": ("i1({a})",),
    "i1": ("(i0({a}) + iv(2, {a})) / 2",),
    "iv": ("", "(iv({a} - 1, {b}) + iv({a} + 1, {b})) / 2"),
    "i0e": ("i1e({a}) - sign {a} · {y}",),
    "i1e": ("(i0e({a}) + ive(2, {a})) / 2 - sign {a} · {y}",),
    "ive": ("", "(ive({a} - 1, {b}) + ive({a} + 1, {b})) / 2 - sign {b} · {y}"),
    "k0": ("-k1({a})",),
    "k1": ("-k0({a}) - {y} / {a}",),
    "kn": ("", "-(kv({a} - 1, {b}) + kv({a} + 1, {b})) / 2"),
    "kv": ("", "-(kv({a} - 1, {b}) + kv({a} + 1, {b})) / 2"),
    "k0e": ("{y} - k1e({a})",),
    "k1e": ("{y} - k0e({a}) - {y} / {a}",),
    "kve": ("", "{y} - (kve({a} - 1, {b}) + kve({a} + 1, {b})) / 2"),
    "struve": ("", "struve({a} - 1, {b}) - ({a} / {b}) · {y}"),
    "modstruve": ("", "modstruve({a} - 1, {b}) - ({a} / {b}) · {y}"),
    # ---- of degrees, powers ----
    "sindg": ("(π / 180) · cosdg({a})",),
    "cosdg": ("-(π / 180) · sindg({a})",),
    "tandg": ("(π / 180) · (1 + {y}²)",),
    "cotdg": ("-(π / 180) · (1 + {y}²)",),
    "powm1": ("{b} · {a}^({b} - 1)", "({y} + 1) · ln {a}"),
    # ---- hypergeometric functions, orthogonal polynomials ----
    "hyp0f1": ("", "hyp0f1({a} + 1, {b}) / {a}"),
    "hyp1f1": ("", "", "({a} / {b}) · hyp1f1({a} + 1, {b} + 1, {c})"),
    "hyperu": ("", "", "-{a} · hyperu({a} + 1, {b} + 1, {c})"),
    "hyp2f1": ("", "", "", "({a} · {b} / {c}) · hyp2f1({a} + 1, {b} + 1, {c} + 1, {d})"),
    "eval_legendre": ("", "({a} + 1) · eval_jacobi({a} - 1, 1, 1, {b}) / 2"),
    "eval_chebyt": ("", "{a} · eval_chebyu({a} - 1, {b})"),
    "eval_chebyu": ("", "2 · eval_gegenbauer({a} - 1, 2, {b})"),
    "eval_laguerre": ("", "-eval_genlaguerre({a} - 1, 1, {b})"),
    "eval_genlaguerre": ("", "", "-eval_genlaguerre({a} - 1, {b} + 1, {c})"),
    "eval_gegenbauer": ("", "", "2 · {b} · eval_gegenbauer({a} - 1, {b} + 1, {c})"),
    "eval_jacobi": ("", "", "", "({a} + {b} + {c} + 1) · eval_jacobi({a} - 1, {b} + 1, {c} + 1, {d}) / 2"),
    # ---- distributions ----
    "gammainc": ("", _at(GAMMA, "{b}")),
    "gammaincc": ("", f"-{_at(GAMMA, '{b}')}"),
    "gammaincinv": ("", _inverse(GAMMA)),
    "gammainccinv": ("", _inverse(GAMMA, sign="-")),
    "betainc": ("", "", _at(BETA, "{c}")),
    "betaincc": ("", "", f"-{_at(BETA, '{c}')}"),
    "betaincinv": ("", "", _inverse(BETA)),
    "betainccinv": ("", "", _inverse(BETA, sign="-")),
    "stdtr": ("", _at(STUDENT, "{b}")),
    "stdtrit": ("", _inverse(STUDENT)),
    "chdtr": ("", _at(CHI, "{b}")),
    "chdtrc": ("", f"-{_at(CHI, '{b}')}"),
    "chdtri": ("", _inverse(CHI, sign="-")),
    "fdtr": ("", "", _at(FISHER, "{c}")),
    "fdtrc": ("", "", f"-{_at(FISHER, '{c}')}"),
    "fdtri": ("", "", _inverse(FISHER)),
    "gdtr": (f"{{c}} · {GDTR}", "", f"{{a}} · {GDTR}"),
    "gdtrc": (f"-{{c}} · {GDTR}", "", f"-{{a}} · {GDTR}"),
    "pdtr": ("0", f"-{POISSON}"),
    "pdtrc": ("0", POISSON),
    "nbdtr": ("0", "0", NEGATIVE),
    "nbdtrc": ("0", "0", f"-{NEGATIVE}"),
    "owens_t": (
        "-e^(-{a}² / 2) · erf({a} · {b} / √2) / √(8 · π)",
        "e^(-{a}² · (1 + {b}²) / 2) / (2 · π · (1 + {b}²))",
    ),
    "beta_pdf": (
        "{y} · (({b} - 1) / {a} - ({c} - 1) / (1 - {a}))",
        "{y} · (ln {a} - psi({b}) + psi({b} + {c}))",
        "{y} · (ln (1 - {a}) - psi({c}) + psi({b} + {c}))",
    ),
    "beta_ppf": ("1 / ({y}^({b} - 1) · (1 - {y})^({c} - 1) / beta({b}, {c}))", "", ""),
    "cauchy_ppf": ("{c} · π / (sin (π · {a}))²", "1", "({y} - {b}) / {c}"),
    "cauchy_isf": ("-{c} · π / (sin (π · {a}))²", "1", "({y} - {b}) / {c}"),
    "binom_pmf": (
        "0",
        "{y} · (psi({b} + 1) - psi({b} - {a} + 1) + ln (1 - {c}))",
        "{y} · ({a} - {b} · {c}) / ({c} · (1 - {c}))",
    ),
    "binom_cdf": ("0", "", f"-{BINOMIAL}"),
    "binom_sf": ("0", "", BINOMIAL),
    "nbinom_pmf": (
        "0",
        "{y} · (psi({b} + {a}) - psi({b}) + ln {c})",
        "{y} · ({b} / {c} - {a} / (1 - {c}))",
    ),
    "nbinom_cdf": ("0", "", NEGATIVE),
    "nbinom_sf": ("0", "", f"-{NEGATIVE}"),
    "lambertw": ("e^(-{y}) / (1 + {y})", "0"),
}
"""By the name of the Block."""
INVERSE = (
    "erfinv erfcinv ndtri gammaincinv gammainccinv betaincinv betainccinv stdtrit chdtri fdtri beta_ppf cauchy_ppf"
    " cauchy_isf logit lambertw ndtri_exp"
)
NEIGHBOURS = "j0 j1 jv y0 y1 yn yv i0 i1 iv i0e i1e ive k0 k1 kn kv k0e k1e kve struve modstruve"
POLYNOMIALS = "eval_legendre eval_chebyt eval_chebyu eval_laguerre eval_genlaguerre eval_gegenbauer eval_jacobi"
REASONS: dict[str, str] = {
    "erf": "erf is the integral of a bell curve, so its derivative is that curve",
    "ndtr": "The derivative of a distribution function is the density, here a bell curve",
    "erfc": "erfc is 1 − erf, so its derivative is minus a bell curve",
    "erfi": "The derivative of an integral is its integrand",
    "erfcx": "The product rule, for e^({a}²) · erfc({a})",
    "dawsn": "The product rule, for a falling bell curve times an integral",
    "log_ndtr": "The derivative of a logarithm is that of its argument over its argument, here density over"
    " distribution",
    **dict.fromkeys(INVERSE.split(), "An inverse function has 1 over the derivative of the function that it undoes"),
    **dict.fromkeys(
        "gammainc betainc stdtr chdtr fdtr gdtr".split(), "The derivative of a distribution function is the density"
    ),
    **dict.fromkeys(
        "gammaincc betaincc chdtrc fdtrc gdtrc".split(), "The derivative of an upper tail is minus the density"
    ),
    **dict.fromkeys(
        "pdtr pdtrc nbdtr nbdtrc binom_cdf binom_sf nbinom_cdf nbinom_sf".split(),
        "The distribution is constant between whole numbers, and responds to its parameter",
    ),
    **dict.fromkeys(
        "beta_pdf binom_pmf nbinom_pmf".split(), "The derivative is the value times the derivative of its logarithm"
    ),
    **dict.fromkeys("gammaln loggamma".split(), "The derivative of log Γ is the digamma function psi"),
    **dict.fromkeys(
        "gamma rgamma beta betaln binom poch".split(),
        "The derivative of log Γ is the digamma function psi, and the chain rule gives the rest",
    ),
    **dict.fromkeys(NEIGHBOURS.split(), "The derivative is known from the functions of the neighbouring orders"),
    **dict.fromkeys(POLYNOMIALS.split(), "The derivative of a polynomial of this kind is one of a degree less"),
    **dict.fromkeys(
        "hyp0f1 hyp1f1 hyperu hyp2f1".split(), "The derivative is the same function with its parameters raised by 1"
    ),
    **dict.fromkeys("exp1 expi expn spence owens_t".split(), "The derivative of an integral is its integrand"),
    **dict.fromkeys(
        "ellipk ellipe ellipkm1 ellipkinc ellipeinc".split(),
        "The derivatives of elliptic integrals are known by elliptic integrals of the other kind",
    ),
    **dict.fromkeys("sindg cosdg tandg cotdg".split(), "An angle in degrees brings the factor π/180 with it"),
    "psi": "The derivative of the digamma function is the trigamma function",
    "zeta": "The power rule, for each term of the series",
    "gammasgn": "A sign is constant between its jumps",
    "log_expit": "The derivative of the logarithm of the logistic function is 1 minus the logistic function",
    "xlogy": "A product with a logarithm, by the product rule",
    "xlog1py": "A product with a logarithm, by the product rule",
    "entr": "The product rule, for −{a} · log {a}",
    "rel_entr": "The product rule, for {a} · log({a} / {b})",
    "kl_div": "The product rule, for {a} · log({a} / {b}) - {a} + {b}",
    "exp10": "A power of 10 grows in proportion to itself, by the factor ln 10",
    "huber": "The loss is quadratic up to {a} and linear beyond, so its slope grows and then stays",
    "pseudo_huber": "The chain rule, for a root of a sum of squares",
    **dict.fromkeys("boxcox boxcox1p powm1".split(), "The power rule; the constant drops out"),
    **dict.fromkeys("inv_boxcox inv_boxcox1p".split(), "The power rule, for the exponent 1 over the parameter"),
    "exprel": "The quotient rule, for e^{a} - 1 over {a}",
}
"""Why a derivative is what it is, by the name of the Block."""
ALIKE: dict[str, Block] = {each: BLOCK_OF[vars(np)[each]] for each in ("expm1", "log1p", "exp2", "cbrt")}
ALIKE |= {"expit": LOGISTIC, "cosm1": BLOCK_OF[np.cos]}
"""The functions that are NumPy's, or have the derivative of one of them."""
WRONG: dict[str, tuple[tuple[str, str], ...]] = {
    **dict.fromkeys(
        INVERSE.split(),
        (("1 / {y}", "That is the reciprocal of the value; it is 1 over the other function's derivative."),),
    ),
    "erf": (("e^(-{a}²)", "The factor 2/√π is missing."),),
    "ndtr": (("e^(-{a}² / 2)", "The factor 1/√(2π) is missing."),),
    "gammaln": (("1 / {y}", "That takes log Γ for a plain logarithm; its derivative is psi."),),
    "exp10": (("{y}", "The factor ln 10 is missing: only exp is its own derivative."),),
    "xlogy": (
        ("ln {b}", "That is the partial with respect to {a}."),
        ("{a} / {b}", "That is the partial with respect to {b}."),
    ),
}
"""Wrong factors, besides those that are known for all functions."""


def words(name: str) -> Words:
    """Words of a special function."""
    if name in ALIKE:
        return ALIKE[name].words
    return Words(f"{REASONS[name]}: {{partials}}.", (WRONG.get(name, ()),) * len(FORMULAS[name]))


# ---- rules ----


ROOT_PI = np.sqrt(np.pi)
ROOT_TWO_PI = np.sqrt(2 * np.pi)


def trigamma(x: Any) -> Any:
    """The derivative of ``psi``; left of 0 by reflection."""
    right = np.greater(x, 0)
    reflected = np.square(np.pi / np.sin(np.pi * np.where(right, 0.5, x))) - special.zeta(
        2, np.where(right, 1.0, 1 - x)
    )
    return np.where(right, special.zeta(2, np.where(right, x, 1.0)), reflected)


def beta_slope(a: Any, b: Any) -> Any:
    """The derivative of ``log B(a, b)`` by ``a``."""
    return special.psi(a) - special.psi(a + b)


def except_at(x: Any, point: float, value: float, formula: Function) -> Any:
    """A formula, and its limit at the point where it would divide by 0."""
    return np.where(np.equal(x, point), value, formula(np.where(np.equal(x, point), 0.5, x)))


def elliptic_slope(x: Any) -> Any:
    """The derivative of ``ellipk``."""
    return except_at(x, 0, np.pi / 8, lambda m: (special.ellipe(m) / (1 - m) - special.ellipk(m)) / (2 * m))


def elliptic_root(u: Any, m: Any) -> Any:
    """What the incomplete elliptic integrals are integrals of."""
    return np.sqrt(1 - m * np.square(np.sin(u)))


def exprel_slope(y: Any, x: Any) -> Any:
    """``(exp(x) - y) / x``, by its series where that would cancel."""
    near = np.less(np.abs(x), 1e-2)
    series = 1 / 2 + x * (1 / 3 + x * (1 / 8 + x * (1 / 30 + x * (1 / 144 + x / 840))))
    return np.where(near, series, (np.exp(x) - y) / np.where(near, 1.0, x))


SPECIAL: list[tuple[Any, ...]] = [
    (special.erf, lambda y, x: 2 / ROOT_PI * np.exp(-x * x)),
    (special.erfc, lambda y, x: -2 / ROOT_PI * np.exp(-x * x)),
    (special.erfcx, lambda y, x: 2 * x * y - 2 / ROOT_PI),
    (special.erfi, lambda y, x: 2 / ROOT_PI * np.exp(x * x)),
    (special.dawsn, lambda y, x: 1 - 2 * x * y),
    (special.erfinv, lambda y, x: ROOT_PI / 2 * np.exp(y * y)),
    (special.erfcinv, lambda y, x: -ROOT_PI / 2 * np.exp(y * y)),
    (special.ndtr, lambda y, x: np.exp(-x * x / 2) / ROOT_TWO_PI),
    (special.log_ndtr, lambda y, x: np.exp(-x * x / 2 - y) / ROOT_TWO_PI),
    (special.ndtri, lambda y, x: ROOT_TWO_PI * np.exp(y * y / 2)),
    (special.ndtri_exp, lambda y, x: ROOT_TWO_PI * np.exp(y * y / 2 + x)),
    (special.gamma, lambda y, x: y * special.psi(x)),
    (special.gammaln, lambda y, x: special.psi(x)),
    (special.loggamma, lambda y, x: special.psi(x)),
    (special.rgamma, lambda y, x: -y * special.psi(x)),
    (special.psi, lambda y, x: trigamma(x)),
    (_ufuncs._zeta, unknown, lambda y, x, q: -x * special.zeta(x + 1, q)),
    (special.gammasgn, lambda y, x: 0.0),
    (special.beta, lambda y, a, b: y * beta_slope(a, b), lambda y, a, b: y * beta_slope(b, a)),
    (special.betaln, lambda y, a, b: beta_slope(a, b), lambda y, a, b: beta_slope(b, a)),
    (
        special.binom,
        lambda y, n, k: y * (special.psi(n + 1) - special.psi(n - k + 1)),
        lambda y, n, k: y * (special.psi(n - k + 1) - special.psi(k + 1)),
    ),
    (special.poch, lambda y, z, m: y * (special.psi(z + m) - special.psi(z)), lambda y, z, m: y * special.psi(z + m)),
    (special.expit, lambda y, x: y * special.expit(-x)),
    (special.logit, lambda y, x: 1 / (x * (1 - x))),
    (special.log_expit, lambda y, x: special.expit(-x)),
    (special.xlogy, lambda y, a, b: np.log(b), lambda y, a, b: a / b),
    (special.xlog1py, lambda y, a, b: np.log1p(b), lambda y, a, b: a / (1 + b)),
    (special.entr, lambda y, x: -np.log(x) - 1),
    (special.rel_entr, lambda y, a, b: np.log(a / b) + 1, lambda y, a, b: -a / b),
    (special.kl_div, lambda y, a, b: np.log(a / b), lambda y, a, b: 1 - a / b),
    (special.expm1, lambda y, x: np.exp(x)),
    (special.log1p, lambda y, x: 1 / (1 + x)),
    (special.exp2, lambda y, x: np.log(2) * y),
    (special.exp10, lambda y, x: np.log(10) * y),
    (special.cbrt, lambda y, x: 1 / (3 * y * y)),
    (special.cosm1, lambda y, x: -np.sin(x)),
    (
        special.huber,
        lambda y, d, x: np.where(np.less_equal(np.abs(x), d), 0.0, np.abs(x) - d),
        lambda y, d, x: np.clip(x, -d, d),
    ),
    (special.pseudo_huber, lambda y, d, x: 2 * y / d - x * x / np.hypot(d, x), lambda y, d, x: d * x / np.hypot(d, x)),
    (special.boxcox, lambda y, x, p: np.power(x, p - 1), unknown),
    (special.boxcox1p, lambda y, x, p: np.power(1 + x, p - 1), unknown),
    (special.inv_boxcox, lambda y, x, p: np.power(y, 1 - p), unknown),
    (special.inv_boxcox1p, lambda y, x, p: np.power(1 + y, 1 - p), unknown),
    (special.exp1, lambda y, x: -np.exp(-x) / x),
    (special.expi, lambda y, x: np.exp(x) / x),
    (special.expn, unknown, lambda y, n, x: -special.expn(n - 1, x)),
    (special.spence, lambda y, x: except_at(x, 1, -1.0, lambda z: np.log(z) / (1 - z))),
    (special.ellipk, lambda y, x: elliptic_slope(x)),
    (
        special.ellipe,
        lambda y, x: except_at(x, 0, -np.pi / 8, lambda m: (special.ellipe(m) - special.ellipk(m)) / (2 * m)),
    ),
    (special.j0, lambda y, x: -special.j1(x)),
    (special.j1, lambda y, x: (special.j0(x) - special.jv(2, x)) / 2),
    (special.jv, unknown, lambda y, v, x: (special.jv(v - 1, x) - special.jv(v + 1, x)) / 2),
    (special.y0, lambda y, x: -special.y1(x)),
    (special.y1, lambda y, x: special.y0(x) - y / x),
    (special.yn, unknown, lambda y, v, x: (special.yv(v - 1, x) - special.yv(v + 1, x)) / 2),
    (special.yv, unknown, lambda y, v, x: (special.yv(v - 1, x) - special.yv(v + 1, x)) / 2),
    (special.i0, lambda y, x: special.i1(x)),
    (special.i1, lambda y, x: (special.i0(x) + special.iv(2, x)) / 2),
    (special.iv, unknown, lambda y, v, x: (special.iv(v - 1, x) + special.iv(v + 1, x)) / 2),
    (special.i0e, lambda y, x: special.i1e(x) - sign(y, x) * y),
    (special.i1e, lambda y, x: (special.i0e(x) + special.ive(2, x)) / 2 - sign(y, x) * y),
    (special.ive, unknown, lambda y, v, x: (special.ive(v - 1, x) + special.ive(v + 1, x)) / 2 - sign(y, x) * y),
    (special.k0, lambda y, x: -special.k1(x)),
    (special.k1, lambda y, x: -special.k0(x) - y / x),
    (special.kn, unknown, lambda y, v, x: -(special.kv(v - 1, x) + special.kv(v + 1, x)) / 2),
    (special.kv, unknown, lambda y, v, x: -(special.kv(v - 1, x) + special.kv(v + 1, x)) / 2),
    (special.k0e, lambda y, x: y - special.k1e(x)),
    (special.k1e, lambda y, x: y - special.k0e(x) - y / x),
    (special.kve, unknown, lambda y, v, x: y - (special.kve(v - 1, x) + special.kve(v + 1, x)) / 2),
    (special.struve, unknown, lambda y, v, x: special.struve(v - 1, x) - v / x * y),
    (special.modstruve, unknown, lambda y, v, x: special.modstruve(v - 1, x) - v / x * y),
    (special.ellipkm1, lambda y, p: -elliptic_slope(1 - p)),
    (
        special.ellipkinc,
        lambda y, u, m: 1 / elliptic_root(u, m),
        lambda y, u, m: (
            (special.ellipeinc(u, m) / (1 - m) - y) / (2 * m) - np.sin(2 * u) / (4 * (1 - m) * elliptic_root(u, m))
        ),
    ),
    (special.ellipeinc, lambda y, u, m: elliptic_root(u, m), lambda y, u, m: (y - special.ellipkinc(u, m)) / (2 * m)),
    (special.exprel, lambda y, x: exprel_slope(y, x)),
    (special.sindg, lambda y, x: np.pi / 180 * special.cosdg(x)),
    (special.cosdg, lambda y, x: -np.pi / 180 * special.sindg(x)),
    (special.tandg, lambda y, x: np.pi / 180 * (1 + y * y)),
    (special.cotdg, lambda y, x: -np.pi / 180 * (1 + y * y)),
    (special.powm1, lambda y, x, p: p * np.power(x, p - 1), lambda y, x, p: (y + 1) * np.log(x)),
    (special.hyp0f1, unknown, lambda y, v, x: special.hyp0f1(v + 1, x) / v),
    (special.hyp1f1, unknown, unknown, lambda y, a, b, x: a / b * special.hyp1f1(a + 1, b + 1, x)),
    (special.hyperu, unknown, unknown, lambda y, a, b, x: -a * special.hyperu(a + 1, b + 1, x)),
    (
        special.hyp2f1,
        *(unknown, unknown, unknown),
        lambda y, a, b, c, x: a * b / c * special.hyp2f1(a + 1, b + 1, c + 1, x),
    ),
    (special.eval_legendre, unknown, lambda y, n, x: (n + 1) / 2 * special.eval_jacobi(n - 1, 1, 1, x)),
    (special.eval_chebyt, unknown, lambda y, n, x: n * special.eval_chebyu(n - 1, x)),
    (special.eval_chebyu, unknown, lambda y, n, x: 2 * special.eval_gegenbauer(n - 1, 2, x)),
    (special.eval_laguerre, unknown, lambda y, n, x: -special.eval_genlaguerre(n - 1, 1, x)),
    (special.eval_genlaguerre, *(unknown, unknown), lambda y, n, a, x: -special.eval_genlaguerre(n - 1, a + 1, x)),
    (special.eval_gegenbauer, *(unknown, unknown), lambda y, n, a, x: 2 * a * special.eval_gegenbauer(n - 1, a + 1, x)),
    (
        special.eval_jacobi,
        *(unknown, unknown, unknown),
        lambda y, n, a, b, x: (n + a + b + 1) / 2 * special.eval_jacobi(n - 1, a + 1, b + 1, x),
    ),
]
"""Ufunc, and one partial per operand; those of probability distributions are in ``probability.py``."""

for _ufunc, *_partials in SPECIAL + ROWS:
    if _ufunc not in BLOCK_OF:
        _name = _ufunc.__name__.strip("_")
        BLOCK_OF[_ufunc] = Elementwise(
            _name, _ufunc, *_partials, family="power", formulas=FORMULAS[_name], words=words(_name)
        )
        PARAMETERS[_ufunc] = [place for place, partial in enumerate(_partials) if partial is unknown]


# ---- functions that are not ufuncs ----


def logsumexp(a: Any, axis: Any = None, b: Any = None, keepdims: Any = False, return_sign: bool = False) -> Any:
    """``scipy.special.logsumexp``; without weights one Block."""
    a = joined(a)
    if b is None and not return_sign:
        return np.logaddexp.reduce(a, axis=axis, keepdims=keepdims)
    top = np.max(a, axis=axis, keepdims=True)
    total = np.sum((1.0 if b is None else b) * np.exp(a - top), axis=axis, keepdims=True)
    found = np.log(np.abs(total) if return_sign else total) + top
    found, sign = (x if keepdims else np.squeeze(x, axis) for x in (found, np.sign(total)))
    return (found, sign) if return_sign else found


def log_softmax(x: Any, axis: Any = None) -> Any:
    """``scipy.special.log_softmax``."""
    x = joined(x)
    return x - np.logaddexp.reduce(x, axis=axis, keepdims=True)


def softplus(x: Any, **settings: Any) -> Any:
    """``scipy.special.softplus``."""
    refuse("scipy.special.softplus", "Apply np.where to its result.", **settings)
    return np.logaddexp(0.0, x)


def _lambertw(z: Any, k: Any) -> Any:
    found = special.lambertw(z, np.asarray(k).astype(int))
    return found if np.any(np.imag(found)) else np.real(found)


LAMBERTW = Elementwise(
    "lambertw",
    _lambertw,
    lambda y, z, k: np.exp(-y) / (1 + y),
    zero,
    family="power",
    symbol="W",
    formulas=FORMULAS["lambertw"],
    words=words("lambertw"),
)


def lambertw(z: Any, k: Any = 0, tol: float = 1e-8) -> Any:
    """``scipy.special.lambertw`` where it is real, as real numbers; SciPy's are complex, with imaginary parts of 0."""
    return elementwise(LAMBERTW)(joined(z), k)


def comb(N: Any, k: Any, *, exact: bool = False, repetition: bool = False) -> Any:
    """``scipy.special.comb`` in floating point."""
    refuse("scipy.special.comb", "Call it with exact=False.", exact=exact or None)
    if repetition:
        return special.binom(N + k - 1, k)
    return np.where(_is_choice(N, k), special.binom(N, k), 0.0)


def _is_choice(N: Any, k: Any) -> Any:
    return np.logical_and(np.less_equal(k, N), np.logical_and(np.greater_equal(N, 0), np.greater_equal(k, 0)))


def perm(N: Any, k: Any, exact: bool = False) -> Any:
    """``scipy.special.perm`` in floating point."""
    refuse("scipy.special.perm", "Call it with exact=False.", exact=exact or None)
    return np.where(_is_choice(N, k), special.poch(N - k + 1, k), 0.0)


def factorial(n: Any, exact: bool = False, extend: str = "zero") -> Any:
    """``scipy.special.factorial`` in floating point."""
    refuse("scipy.special.factorial", "Use scipy.special.gamma.", exact=exact or None)
    if extend != "zero":
        raise missing(f"scipy.special.factorial with extend={extend!r}", "Use scipy.special.gamma.")
    n = joined(n)
    return np.where(np.less(n, 0), 0.0, special.gamma(np.where(np.less(n, 0), 0.0, n) + 1.0))


def _spherical(name: str, below: float) -> Function:
    """A spherical Bessel function by that of an order one half higher; that of order ``n - 1`` is in its derivative."""
    cylindrical = getattr(special, name)
    factor = np.sqrt(np.pi / 2)

    def spherical(n: Any, z: Any, derivative: bool = False) -> Any:
        def value(n: Any) -> Any:
            return factor * cylindrical(n + 0.5, z) / np.sqrt(z)

        return below * value(n - 1.0) - (n + 1) / z * value(n) if derivative else value(n)

    return spherical


FUNCTIONS: Overrides = {
    **{f.__name__: f for f in (lambertw, comb, perm, factorial, logsumexp, log_softmax, softplus)},
    "softmax": lambda x, axis=None: np.exp(log_softmax(x, axis)),
    "polygamma": lambda n, x: (
        special.psi(x) if n == 0 else (-1.0) ** (n + 1) * special.gamma(n + 1.0) * special.zeta(n + 1, x)
    ),
    "multigammaln": lambda a, d: (
        d * (d - 1) / 4 * np.log(np.pi) + np.sum(special.gammaln(a[..., None] - np.arange(d) / 2), axis=-1)
    ),
    "spherical_jn": _spherical("jv", 1.0),
    "spherical_yn": _spherical("yv", 1.0),
    "spherical_in": _spherical("iv", 1.0),
    "spherical_kn": _spherical("kv", -1.0),
}
