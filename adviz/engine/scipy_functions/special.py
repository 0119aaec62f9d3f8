"""``scipy.special`` on traced values: our versions of functions in Python that work on ``np.asarray`` of arguments.

Ufuncs have a Block each, in ``special_rules.py`` and ``probability.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as special

from ..blocks import Elementwise, Words
from ..functions.arguments import Function, Overrides, joined, missing, refuse
from ..functions.entrywise import elementwise
from ..rules.elementwise import zero
from . import probability as probability
from .special_rules import INVERSE, WRONG
from .special_rules import SPECIAL as SPECIAL


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
    refuse("scipy.special.softplus", "Apply np.where to its result.", **settings)
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
    formulas=("e^(-{y}) / (1 + {y})", "0"),
    words=Words(f"{INVERSE}: {{partials}}.", (WRONG[INVERSE],) * 2),
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
