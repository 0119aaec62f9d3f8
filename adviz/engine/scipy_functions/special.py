"""``scipy.special`` on traced values: our versions of functions in Python that work on ``np.asarray`` of arguments.

Ufuncs have a Block each, in ``special_rules.py``; those of probability have theirs here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special
import scipy.special as special

from ..blocks import Elementwise, Words, source_of
from ..functions.arguments import Function, Patches, check_unsupported, joined, missing
from ..functions.entries import elementwise
from ..object_arrays import Complex
from ..rules.elementwise import itself, zero
from ..tracing.complex_ufuncs import UFUNCS
from .special_rules import INVERSE, ROOT_PI, UNKNOWN, WRONG, rule, unknown
from .special_rules import SPECIAL as SPECIAL

# ---- functions of probability ----


DENSITY = "The derivative of a distribution function is the density"
TAIL = "The derivative of an upper tail is minus the density"
STEPS = "The distribution is constant between whole numbers, and responds to its parameter"
LOGARITHMIC = "The derivative is the value times the derivative of its logarithm"
INTEGRAND = "The derivative of an integral is its integrand"
GAMMA = "{x}^({a} - 1) · e^(-{x}) / gamma({a})"
BETA = "{x}^({a} - 1) · (1 - {x})^({b} - 1) / beta({a}, {b})"
STUDENT = "(1 + {x}² / {a})^(-({a} + 1) / 2) / (√{a} · beta({a} / 2, 1 / 2))"
CHI = "({x} / 2)^({a} / 2 - 1) · e^(-{x} / 2) / (2 · gamma({a} / 2))"
FISHER = (
    "{a} · {b} / ({a} · {x} + {b})² · ({a} · {x} / ({a} · {x} + {b}))^({a} / 2 - 1)"
    " · ({b} / ({a} · {x} + {b}))^({b} / 2 - 1) / beta({a} / 2, {b} / 2)"
)
GDTR = "({a} · {c})^({b} - 1) · e^(-{a} · {c}) / gamma({b})"
POISSON = "{b}^⌊{a}⌋ · e^(-{b}) / gamma(⌊{a}⌋ + 1)"
NEGATIVE = "{c}^({b} - 1) · (1 - {c})^⌊{a}⌋ / beta({b}, ⌊{a}⌋ + 1)"
BINOMIAL = "{c}^⌊{a}⌋ · (1 - {c})^({b} - ⌊{a}⌋ - 1) / beta(⌊{a}⌋ + 1, {b} - ⌊{a}⌋)"


def _at(density: str, x: str) -> str:
    return density.replace("{x}", x)


def gamma_density(a: Any, x: Any) -> Any:
    """Return the density of the gamma distribution of shape ``a``."""
    return np.exp(special.xlogy(a - 1, x) - x - special.gammaln(a))


def beta_density(a: Any, b: Any, x: Any) -> Any:
    """Return the density of the beta distribution."""
    return np.exp(special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b))


def t_density(v: Any, x: Any) -> Any:
    """Return the density of Student's distribution of ``v`` degrees of freedom."""
    return np.exp(-(v + 1) / 2 * np.log1p(x * x / v) - special.betaln(v / 2, 0.5)) / np.sqrt(v)


def f_density(m: Any, n: Any, x: Any) -> Any:
    """Return the density of Fisher's distribution, by that of the beta distribution."""
    return beta_density(m / 2, n / 2, m * x / (m * x + n)) * m * n / np.square(m * x + n)


def poisson_mass(k: Any, m: Any) -> Any:
    """Return the probability of ``k`` events of which ``m`` are expected."""
    return np.exp(special.xlogy(k, m) - m - special.gammaln(k + 1))


def binomial_slope(k: Any, n: Any, p: Any) -> Any:
    """Return the derivative of the probability of more than ``k`` in ``n`` with respect to ``p``."""
    k = np.floor(k)
    return np.where(np.less(k, n), beta_density(k + 1, np.where(np.less(k, n), n - k, 1.0), p), 0.0)


def cauchy_slope(q: Any, scale: Any) -> Any:
    """1 over the density of Cauchy's distribution at a quantile."""
    return scale * np.pi / np.square(np.sin(np.pi * q))


def distribution(
    density: str, function: Function, below: str, above: str = "", inverse: str = "", inverse_above: str = ""
) -> None:
    """Make the Blocks of a distribution: its parameters come first, and no derivative by them is known.

    Below and above are its two functions; they, and their inverses, are known by the density alone.
    """
    unknown_ones = [UNKNOWN] * (getattr(special, below).nin - 1)
    x = "{" + "abc"[len(unknown_ones)] + "}"
    for name, sign, why in ((below, 1.0, DENSITY), (above, -1.0, TAIL)):
        text = "-" * (sign < 0) + _at(density, x)
        if name:
            rule(name, why, *unknown_ones, (text, lambda y, *operands, sign=sign: sign * function(*operands)))
    for name, sign in ((inverse, 1.0), (inverse_above, -1.0)):
        text = "-" * (sign < 0) + f"1 / ({_at(density, '{y}')})"
        if name:
            rule(
                name, INVERSE, *unknown_ones, (text, lambda y, *operands, sign=sign: sign / function(*operands[:-1], y))
            )


def chi_density(v: Any, x: Any) -> Any:
    """Return the density of the chi-squared distribution of ``v`` degrees of freedom."""
    return gamma_density(v / 2, x / 2) / 2


distribution(GAMMA, gamma_density, "gammainc", "gammaincc", "gammaincinv", "gammainccinv")
distribution(BETA, beta_density, "betainc", "betaincc", "betaincinv", "betainccinv")
distribution(STUDENT, t_density, "stdtr", inverse="stdtrit")
distribution(CHI, chi_density, "chdtr", "chdtrc", inverse_above="chdtri")
distribution(FISHER, f_density, "fdtr", "fdtrc", "fdtri")
for _name, _sign, _why in (("gdtr", "", DENSITY), ("gdtrc", "-", TAIL)):
    rule(
        _name,
        _why,
        (f"{_sign}{{c}} · {GDTR}", lambda y, a, b, x, s=float(f"{_sign}1"): s * x * gamma_density(b, a * x)),
        UNKNOWN,
        (f"{_sign}{{a}} · {GDTR}", lambda y, a, b, x, s=float(f"{_sign}1"): s * a * gamma_density(b, a * x)),
    )
rule("pdtr", STEPS, ("0", zero), (f"-{POISSON}", lambda y, k, m: -poisson_mass(np.floor(k), m)))
rule("pdtrc", STEPS, ("0", zero), (POISSON, lambda y, k, m: poisson_mass(np.floor(k), m)))
rule("nbdtr", STEPS, ("0", zero), ("0", zero), (NEGATIVE, lambda y, k, n, p: beta_density(n, np.floor(k) + 1, p)))
rule(
    "nbdtrc", STEPS, ("0", zero), ("0", zero), (f"-{NEGATIVE}", lambda y, k, n, p: -beta_density(n, np.floor(k) + 1, p))
)
rule(
    "owens_t",
    INTEGRAND,
    (
        "-e^(-{a}² / 2) · erf({a} · {b} / √2) / √(8 · π)",
        lambda y, h, a: -np.exp(-h * h / 2) * special.erf(a * h / np.sqrt(2)) / np.sqrt(8 * np.pi),
    ),
    (
        "e^(-{a}² · (1 + {b}²) / 2) / (2 · π · (1 + {b}²))",
        lambda y, h, a: np.exp(-h * h * (1 + a * a) / 2) / (2 * np.pi * (1 + a * a)),
    ),
)
rule(
    "_beta_pdf",
    LOGARITHMIC,
    ("{y} · (({b} - 1) / {a} - ({c} - 1) / (1 - {a}))", lambda y, x, a, b: y * ((a - 1) / x - (b - 1) / (1 - x))),
    (
        "{y} · (ln {a} - psi({b}) + psi({b} + {c}))",
        lambda y, x, a, b: y * (np.log(x) - special.psi(a) + special.psi(a + b)),
    ),
    (
        "{y} · (ln (1 - {a}) - psi({c}) + psi({b} + {c}))",
        lambda y, x, a, b: y * (np.log1p(-x) - special.psi(b) + special.psi(a + b)),
    ),
)
rule(
    "_beta_ppf",
    INVERSE,
    ("1 / ({y}^({b} - 1) · (1 - {y})^({c} - 1) / beta({b}, {c}))", lambda y, p, a, b: 1 / beta_density(a, b, y)),
    UNKNOWN,
    UNKNOWN,
)
for _name, _sign in (("_cauchy_ppf", ""), ("_cauchy_isf", "-")):
    rule(
        _name,
        INVERSE,
        (
            f"{_sign}{{c}} · π / (sin (π · {{a}}))²",
            lambda y, q, m, s, sign=float(f"{_sign}1"): sign * cauchy_slope(q, s),
        ),
        ("1", lambda y, q, m, s: 1.0),
        ("({y} - {b}) / {c}", lambda y, q, m, s: (y - m) / s),
    )
rule(
    "_binom_pmf",
    LOGARITHMIC,
    ("0", zero),
    (
        "{y} · (psi({b} + 1) - psi({b} - {a} + 1) + ln (1 - {c}))",
        lambda y, k, n, p: y * (special.psi(n + 1) - special.psi(n - k + 1) + np.log1p(-p)),
    ),
    ("{y} · ({a} - {b} · {c}) / ({c} · (1 - {c}))", lambda y, k, n, p: y * (k - n * p) / (p * (1 - p))),
)
rule("_binom_cdf", STEPS, ("0", zero), UNKNOWN, (f"-{BINOMIAL}", lambda y, k, n, p: -binomial_slope(k, n, p)))
rule("_binom_sf", STEPS, ("0", zero), UNKNOWN, (BINOMIAL, lambda y, k, n, p: binomial_slope(k, n, p)))
rule(
    "_nbinom_pmf",
    LOGARITHMIC,
    ("0", zero),
    (
        "{y} · (psi({b} + {a}) - psi({b}) + ln {c})",
        lambda y, k, n, p: y * (special.psi(n + k) - special.psi(n) + np.log(p)),
    ),
    ("{y} · ({b} / {c} - {a} / (1 - {c}))", lambda y, k, n, p: y * (n / p - k / (1 - p))),
)
rule("_nbinom_cdf", STEPS, ("0", zero), UNKNOWN, (NEGATIVE, lambda y, k, n, p: beta_density(n, np.floor(k) + 1, p)))
rule(
    "_nbinom_sf", STEPS, ("0", zero), UNKNOWN, (f"-{NEGATIVE}", lambda y, k, n, p: -beta_density(n, np.floor(k) + 1, p))
)


def logsumexp(a: Any, axis: Any = None, b: Any = None, keepdims: Any = False, return_sign: bool = False) -> Any:
    """``scipy.special.logsumexp``; without weights one Block."""
    a = joined(a)
    if b is None and not return_sign:
        return np.logaddexp.reduce(a, axis=axis, keepdims=keepdims)
    top = np.max(a, axis=axis, keepdims=True)
    total = np.sum((1.0 if b is None else b) * np.exp(a - top), axis=axis, keepdims=True)
    result = np.log(np.abs(total) if return_sign else total) + top
    result, sign = (x if keepdims else np.squeeze(x, axis) for x in (result, np.sign(total)))
    return (result, sign) if return_sign else result


def log_softmax(x: Any, axis: Any = None) -> Any:
    """``scipy.special.log_softmax``."""
    x = joined(x)
    return x - np.logaddexp.reduce(x, axis=axis, keepdims=True)


def softplus(x: Any, **settings: Any) -> Any:
    """``scipy.special.softplus``."""
    check_unsupported("scipy.special.softplus", "Apply np.where to its result.", **settings)
    return np.logaddexp(0.0, x)


def _lambertw(z: Any, k: Any) -> Any:
    result = special.lambertw(z, np.asarray(k).astype(int))
    return result if np.any(np.imag(result)) else np.real(result)


LAMBERTW = Elementwise(
    "lambertw",
    _lambertw,
    lambda y, z, k: np.exp(-y) / (1 + y),
    zero,
    family="power",
    symbol="W",
    code="np.real(scipy.special.lambertw({a}, {b!int}))",
    formulas=("e^(-{y}) / (1 + {y})", "0"),
    words=Words(f"{INVERSE}: {{partials}}.", (WRONG[INVERSE],) * 2),
)


def lambertw(z: Any, k: Any = 0, tol: float = 1e-8) -> Any:
    """``scipy.special.lambertw`` where it is real, as real numbers; SciPy's are complex, with imaginary parts of 0."""
    return elementwise(LAMBERTW)(joined(z), k)


def comb(N: Any, k: Any, *, exact: bool = False, repetition: bool = False) -> Any:
    """``scipy.special.comb`` in floating point."""
    check_unsupported("scipy.special.comb", "Call it with exact=False.", exact=exact or None)
    if repetition:
        return special.binom(N + k - 1, k)
    return np.where(_is_choice(N, k), special.binom(N, k), 0.0)


def _is_choice(N: Any, k: Any) -> Any:
    return np.logical_and(np.less_equal(k, N), np.logical_and(np.greater_equal(N, 0), np.greater_equal(k, 0)))


def perm(N: Any, k: Any, exact: bool = False) -> Any:
    """``scipy.special.perm`` in floating point."""
    check_unsupported("scipy.special.perm", "Call it with exact=False.", exact=exact or None)
    return np.where(_is_choice(N, k), special.poch(N - k + 1, k), 0.0)


def factorial(n: Any, exact: bool = False, extend: str = "zero") -> Any:
    """``scipy.special.factorial`` in floating point."""
    check_unsupported("scipy.special.factorial", "Use scipy.special.gamma.", exact=exact or None)
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


FUNCTIONS: Patches = {
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


# ---- complex numbers ----


def complex_of(x: Any, y: Any) -> Any:
    """Return the plain complex numbers with these parts, to the sign of zero."""
    z = np.empty(np.broadcast_shapes(np.shape(x), np.shape(y)), complex)
    z.real, z.imag = x, y
    return z[()]


def complex_polygamma(z: Any, n: Any) -> Any:
    """Return the derivative of order n > 0 of the digamma function (DLMF 25.11.12).

    It is a sum over all (z + k) ** -(n + 1), added up by the formula of Euler and Maclaurin (DLMF 2.10.1); left of 0
    what the sum over all whole k leaves, which has the period 1.
    """
    s, sign, is_left = n + 1.0, np.where(n % 2, 1.0, -1.0), np.real(z) < 0

    def summed(z: Any) -> Any:
        far = z + 16
        result = sum((z + k) ** -s for k in range(16)) + far ** (1 - s) / (s - 1) + far**-s / 2
        for j, number in enumerate(scipy.special.bernoulli(20)[2::2], 1):
            factor = number / scipy.special.gamma(2 * j + 1) * scipy.special.poch(s, 2 * j - 1)
            result = result + factor * far ** (1 - s - 2 * j)
        return result

    right, inside = summed(np.where(is_left, 1 - z, z)), np.where(is_left, z - np.floor(np.real(z)), 0.5)
    total = np.where(is_left, summed(inside) + sign * (summed(1 - inside) - right), right)
    return sign * scipy.special.gamma(s) * total


def _is_plain(number: Any) -> bool:
    return isinstance(number, float | int | np.ndarray | np.generic)


HOLOMORPHIC = "A complex derivative is the same in all directions (Cauchy and Riemann)"
OF_PARTS: list[Elementwise] = []
"""The Blocks of the real and the imaginary parts of complex functions."""


def holomorphic(
    name: str, function: Function, slope: Function, formula: str, code: str = "", order: bool = False
) -> Function:
    """Make the Blocks of both parts of a complex function, and return the function of numbers with traced parts.

    ``slope(y, z)`` is its derivative, ``formula`` how that is written. Where it has an ``order``, that is a further
    operand, with respect to which the derivative is not known. ``code`` is what programs call, if that is not SciPy's.
    """
    last = ", {c}" if order else ""
    z = "({a} + i · {b})"
    written = formula.format(a=z, y=f"{name}{z}", c="{c}").replace(f"({z})", z)

    def derivative(x: Any, y: Any, *n: Any) -> Any:
        if _is_plain(x) and _is_plain(y):
            z = complex_of(x, y)
            return slope(function(z, *n), z, *n)
        z = Complex(x, y)
        return slope(of_parts(z, *n), z, *n)

    def block(kind: str, part: Function, *partials: tuple[str, Function]) -> Function:
        functions = [lambda w, *operands, of=of: of(derivative(*operands)) for _, of in partials]
        made: Elementwise = Elementwise(
            f"{name}_{kind}",
            itself(lambda: made, lambda x, y, *n: part(function(complex_of(x, y), *n))),
            *(*functions, unknown)[: 2 + order],
            family="power",
            formulas=(*(f"{text} ({written})" for text, _ in partials), "")[: 2 + order],
            words=Words(f"{HOLOMORPHIC}: {{partials}}."),
            code=f"{code or f'scipy.special.{name}'}(complex_of({{a}}, {{b}}){last}).{kind}",
            helper=source_of(function if code else complex_of),
        )
        OF_PARTS.append(made)
        return elementwise(made)

    minus_imag = "-Im", lambda w: -np.imag(w)
    real = block("real", np.real, ("Re", np.real), minus_imag)
    imag = block("imag", np.imag, ("Im", np.imag), ("Re", np.real))

    def of_parts(z: Complex, *n: Any) -> Complex:
        return Complex(real(z.real, z.imag, *n), imag(z.real, z.imag, *n))

    return of_parts


def polygamma(y: Any, z: Any, n: Any = 0.0) -> Any:
    """Return the derivative of the derivative of order ``n`` of the digamma function."""
    return (POLYGAMMA if type(z) is Complex else complex_polygamma)(z, n + 1)


POLYGAMMA: Function = holomorphic(
    "polygamma", complex_polygamma, polygamma, "polygamma({c} + 1, {a})", code="complex_polygamma", order=True
)
OF_COMPLEX: dict[str, tuple[Function, str]] = {
    "psi": (polygamma, "polygamma(1, {a})"),
    "wofz": (lambda y, z: 2j / ROOT_PI - 2 * z * y, "2 · i / √π - 2 · {a} · {y}"),
}
"""The derivatives, and how they are written: where nothing is said here, those of the real functions."""

for _ufunc in [ufunc for ufunc in vars(special).values() if isinstance(ufunc, np.ufunc) and "D->D" in ufunc.types]:
    _name = _ufunc.__name__
    if _ufunc in SPECIAL and _name not in OF_COMPLEX:
        OF_COMPLEX[_name] = SPECIAL[_ufunc].partials[0], SPECIAL[_ufunc].formulas[0]
    if getattr(np, _name, None) in UFUNCS:  # SciPy has another log1p
        UFUNCS[_ufunc] = UFUNCS[getattr(np, _name)]
    elif _name in OF_COMPLEX:
        UFUNCS[_ufunc] = holomorphic(_name, _ufunc, *OF_COMPLEX[_name])
