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

from ..blocks import BLOCK_OF, Elementwise
from ..functions.arguments import Function, Overrides, joined, missing, refuse
from ..functions.entrywise import elementwise
from ..functions.registry import PARAMETERS
from ..rules.elementwise import sign, zero
from ..rules.probability import ROWS, unknown
from .special_formulas import FORMULAS, words

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
