"""SciPy's ufuncs of probability distributions: one line per rule; ``special.py`` registers them.

The derivative of a distribution function is the density, that of a quantile 1 over the density there (the rule of the
inverse function). Counts are whole numbers, and the distribution is constant between them. Where no closed form of the
derivative with respect to a parameter is known, an error names the function.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as special
from scipy.special import _ufuncs

from ..rules.elementwise import zero


def unknown(y: Any, *operands: Any) -> Any:
    """The partial with respect to a parameter for which no closed form is known."""
    return np.nan


def gamma_density(a: Any, x: Any) -> Any:
    """The density of the gamma distribution of shape ``a``."""
    return np.exp(special.xlogy(a - 1, x) - x - special.gammaln(a))


def beta_density(a: Any, b: Any, x: Any) -> Any:
    """The density of the beta distribution."""
    return np.exp(special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b))


def t_density(v: Any, x: Any) -> Any:
    """The density of Student's distribution of ``v`` degrees of freedom."""
    return np.exp(-(v + 1) / 2 * np.log1p(x * x / v) - special.betaln(v / 2, 0.5)) / np.sqrt(v)


def f_density(m: Any, n: Any, x: Any) -> Any:
    """The density of Fisher's distribution, by that of the beta distribution."""
    return beta_density(m / 2, n / 2, m * x / (m * x + n)) * m * n / np.square(m * x + n)


def poisson_mass(k: Any, m: Any) -> Any:
    """The probability of ``k`` events of which ``m`` are expected."""
    return np.exp(special.xlogy(k, m) - m - special.gammaln(k + 1))


def binomial_slope(k: Any, n: Any, p: Any) -> Any:
    """The derivative of the probability of more than ``k`` in ``n`` with respect to ``p``."""
    k = np.floor(k)
    return np.where(np.less(k, n), beta_density(k + 1, np.where(np.less(k, n), n - k, 1.0), p), 0.0)


def cauchy_slope(q: Any, scale: Any) -> Any:
    """1 over the density of Cauchy's distribution at a quantile."""
    return scale * np.pi / np.square(np.sin(np.pi * q))


PROBABILITIES: list[tuple[Any, ...]] = [
    ("gammainc", unknown, lambda y, a, x: gamma_density(a, x)),
    ("gammaincc", unknown, lambda y, a, x: -gamma_density(a, x)),
    ("gammaincinv", unknown, lambda y, a, p: 1 / gamma_density(a, y)),
    ("gammainccinv", unknown, lambda y, a, p: -1 / gamma_density(a, y)),
    ("betainc", unknown, unknown, lambda y, a, b, x: beta_density(a, b, x)),
    ("betaincc", unknown, unknown, lambda y, a, b, x: -beta_density(a, b, x)),
    ("betaincinv", unknown, unknown, lambda y, a, b, p: 1 / beta_density(a, b, y)),
    ("betainccinv", unknown, unknown, lambda y, a, b, p: -1 / beta_density(a, b, y)),
    ("stdtr", unknown, lambda y, v, x: t_density(v, x)),
    ("stdtrit", unknown, lambda y, v, p: 1 / t_density(v, y)),
    ("chdtr", unknown, lambda y, v, x: gamma_density(v / 2, x / 2) / 2),
    ("chdtrc", unknown, lambda y, v, x: -gamma_density(v / 2, x / 2) / 2),
    ("chdtri", unknown, lambda y, v, p: -2 / gamma_density(v / 2, y / 2)),
    ("fdtr", unknown, unknown, lambda y, m, n, x: f_density(m, n, x)),
    ("fdtrc", unknown, unknown, lambda y, m, n, x: -f_density(m, n, x)),
    ("fdtri", unknown, unknown, lambda y, m, n, p: 1 / f_density(m, n, y)),
    ("gdtr", lambda y, a, b, x: x * gamma_density(b, a * x), unknown, lambda y, a, b, x: a * gamma_density(b, a * x)),
    (
        "gdtrc",
        lambda y, a, b, x: -x * gamma_density(b, a * x),
        unknown,
        lambda y, a, b, x: -a * gamma_density(b, a * x),
    ),
    ("pdtr", zero, lambda y, k, m: -poisson_mass(np.floor(k), m)),
    ("pdtrc", zero, lambda y, k, m: poisson_mass(np.floor(k), m)),
    ("nbdtr", zero, zero, lambda y, k, n, p: beta_density(n, np.floor(k) + 1, p)),
    ("nbdtrc", zero, zero, lambda y, k, n, p: -beta_density(n, np.floor(k) + 1, p)),
    (
        "owens_t",
        lambda y, h, a: -np.exp(-h * h / 2) * special.erf(a * h / np.sqrt(2)) / np.sqrt(8 * np.pi),
        lambda y, h, a: np.exp(-h * h * (1 + a * a) / 2) / (2 * np.pi * (1 + a * a)),
    ),
    (
        "_beta_pdf",
        lambda y, x, a, b: y * ((a - 1) / x - (b - 1) / (1 - x)),
        lambda y, x, a, b: y * (np.log(x) - special.psi(a) + special.psi(a + b)),
        lambda y, x, a, b: y * (np.log1p(-x) - special.psi(b) + special.psi(a + b)),
    ),
    ("_beta_ppf", lambda y, p, a, b: 1 / beta_density(a, b, y), unknown, unknown),
    ("_cauchy_ppf", lambda y, q, m, s: cauchy_slope(q, s), lambda y, q, m, s: 1.0, lambda y, q, m, s: (y - m) / s),
    ("_cauchy_isf", lambda y, q, m, s: -cauchy_slope(q, s), lambda y, q, m, s: 1.0, lambda y, q, m, s: (y - m) / s),
    (
        "_binom_pmf",
        zero,
        lambda y, k, n, p: y * (special.psi(n + 1) - special.psi(n - k + 1) + np.log1p(-p)),
        lambda y, k, n, p: y * (k - n * p) / (p * (1 - p)),
    ),
    ("_binom_cdf", zero, unknown, lambda y, k, n, p: -binomial_slope(k, n, p)),
    ("_binom_sf", zero, unknown, lambda y, k, n, p: binomial_slope(k, n, p)),
    (
        "_nbinom_pmf",
        zero,
        lambda y, k, n, p: y * (special.psi(n + k) - special.psi(n) + np.log(p)),
        lambda y, k, n, p: y * (n / p - k / (1 - p)),
    ),
    ("_nbinom_cdf", zero, unknown, lambda y, k, n, p: beta_density(n, np.floor(k) + 1, p)),
    ("_nbinom_sf", zero, unknown, lambda y, k, n, p: -beta_density(n, np.floor(k) + 1, p)),
]
"""Name and one partial per operand; older versions of SciPy lack some. Those with an underscore are not public."""

ROWS: list[tuple[Any, ...]] = [
    (getattr(module, name), *partials)
    for name, *partials in PROBABILITIES
    if hasattr(module := _ufuncs if name.startswith("_") else special, name)
]
"""As in ``special.SPECIAL``: the ufunc, and its partials."""
