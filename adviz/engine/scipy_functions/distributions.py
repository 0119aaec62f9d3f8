"""``scipy.stats`` on traced values: densities, distribution functions and quantiles, frozen ones too.

SciPy's methods check their arguments, standardize them and select those within the support, with code that insists on
plain arrays; here NumPy's functions do the same. The formulas of the standard distributions are SciPy's own private
methods, which consist of ufuncs, or those of ``STANDARD`` where SciPy's are compiled code. Where neither is
differentiable, an error names the function.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.special as special
from scipy.stats import _distn_infrastructure as infrastructure

from ...graph.errors import AdvizError
from ..functions.arguments import Function, Patches, Rules, data_of, holds_traced, joined, missing
from ..trace_errors import BranchError
from ..tracing.function_calls import is_symbolic
from .calling import chosen, holds

# ---- the standard distributions ----


def _log_of_smaller(near: str, far: str, upper: bool) -> Function:
    """``logcdf`` and ``logsf``: by the smaller of the two, so that no digits are lost where the other is near 1."""

    def formula(distribution: Any, z: Any, *shapes: Any) -> Any:
        one, other = (getattr(distribution, f"_{name}") for name in (near, far))
        if is_symbolic() and holds_traced(shapes):
            return np.log(one(z, *shapes))
        median = data_of(distribution._ppf(0.5, *data_of(shapes)))
        is_small = np.greater_equal(z, median) if upper else np.less(z, median)
        result = chosen(is_small, lambda z: np.log(one(z, *shapes)), np.nan, z, median)
        if holds(is_small):
            return result
        return chosen(np.logical_not(is_small), lambda z: np.log1p(-other(z, *shapes)), result, z, median)

    return formula


DEFAULTS: Rules = {
    infrastructure.rv_continuous._logcdf: _log_of_smaller("cdf", "sf", False),
    infrastructure.rv_continuous._logsf: _log_of_smaller("sf", "cdf", True),
}
"""The methods of distributions without a formula of their own."""


def _log_mass(a: Any, b: Any) -> Any:
    """Return the logarithm of the normal distribution's mass between ``a`` and ``b``.

    Intervals right of 0, where digits would be lost, are mirrored.
    """
    right = np.greater(a, 0)
    a, b = np.where(right, np.negative(b), a), np.where(right, np.negative(a), b)
    low, high = special.log_ndtr(a), special.log_ndtr(b)
    return high + np.log1p(-np.exp(low - high))


STANDARD: dict[tuple[str, str], Function] = {
    ("nbinom", "logcdf"): lambda self, k, n, p: np.log(self._cdf(k, n, p)),
    ("binom", "logpmf"): lambda self, k, n, p: (
        special.gammaln(n + 1)
        - (special.gammaln(k + 1) + special.gammaln(n - k + 1))
        + special.xlogy(k, p)
        + special.xlog1py(n - k, -p)
    ),
    ("truncnorm", "logpdf"): lambda self, z, a, b: -z * z / 2 - np.log(2 * np.pi) / 2 - _log_mass(a, b),
    ("truncnorm", "pdf"): lambda self, z, a, b: np.exp(-z * z / 2 - _log_mass(a, b)) / np.sqrt(2 * np.pi),
    ("truncnorm", "logcdf"): lambda self, z, a, b: _log_mass(a, z) - _log_mass(a, b),
    ("truncnorm", "cdf"): lambda self, z, a, b: np.exp(_log_mass(a, z) - _log_mass(a, b)),
    ("truncnorm", "logsf"): lambda self, z, a, b: _log_mass(z, b) - _log_mass(a, b),
    ("truncnorm", "sf"): lambda self, z, a, b: np.exp(_log_mass(z, b) - _log_mass(a, b)),
    ("skewnorm", "cdf"): lambda self, z, a: special.ndtr(z) - 2 * special.owens_t(z, a),
    ("skewnorm", "sf"): lambda self, z, a: special.ndtr(-z) + 2 * special.owens_t(z, a),
}
"""By the names of distribution and method, where SciPy's own formula writes into arrays, or fails otherwise."""


def standard(distribution: Any, method: str, z: Any, *shapes: Any) -> Any:
    """Return a method of a standard distribution, at the standardized variable, by its formula."""
    private = getattr(type(distribution), f"_{method}")
    formula = STANDARD.get((distribution.name, method), DEFAULTS.get(private, private))
    try:
        return formula(distribution, z, *shapes)
    except BranchError:
        raise
    except (AdvizError, TypeError, ValueError, RuntimeError) as error:
        reason = str(error).splitlines()[0] if isinstance(error, AdvizError) else "Write out its formula."
        raise missing(f"scipy.stats.{distribution.name}.{method}", reason) from error


# ---- where it is valid ----


def standardized(distribution: Any, x: Any, args: Any, settings: Any) -> tuple[Any, tuple[Any, ...], Any]:
    """Return the standardized variable (of counts, less the location), the shape parameters, and the scale."""
    shapes, loc, scale = distribution._parse_args(*args, **settings)
    x, loc, scale, *shapes = map(joined, (x, loc, scale, *shapes))
    z = x if type(loc) is int and loc == 0 else np.subtract(x, loc)
    return z if type(scale) is int and scale == 1 else np.divide(z, scale), tuple(shapes), scale


def support(distribution: Any, shapes: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    """Return the ends of the support, and a number between them; of counts the smallest."""
    fixed = type(distribution)._get_support is infrastructure.rv_generic._get_support
    low, high = distribution._get_support(*([0.0] * len(shapes) if fixed else data_of(shapes)))
    if _is_discrete(distribution):
        return low, high, low
    ends = np.isfinite(low), np.isfinite(high)
    above, below = np.where(ends[0], low, 0.0), np.where(ends[1], high, 0.0)
    inside = np.where(ends[0] & ends[1], (above + below) / 2, np.where(ends[0], above + 1.0, below - 1.0 * ends[1]))
    return low, high, inside


def _is_discrete(distribution: Any) -> bool:
    return isinstance(distribution, infrastructure.rv_discrete)


APART = {"genextreme", "genpareto", "kappa4", "pearson3", "tukeylambda"}
"""Distributions with another formula where a shape parameter is 0, which lacks the derivative with respect to it."""


def where_valid(distribution: Any, shapes: tuple[Any, ...], scale: Any, value: Any) -> Any:
    """Return the result, and NaN where the parameters are not valid for the distribution."""
    if distribution.name in APART and any(holds_traced(shape) and np.any(data_of(shape) == 0) for shape in shapes):
        raise missing(f"scipy.stats.{distribution.name} with respect to a shape that is 0", "Use a small one.")
    checked: Any = True
    if type(distribution)._argcheck is infrastructure.rv_generic._argcheck:
        for shape in shapes:
            checked = np.logical_and(checked, np.greater(shape, 0))
    else:
        checked = distribution._argcheck(*(shapes if is_symbolic() else data_of(shapes)))
    condition = np.logical_and(checked, np.greater(scale, 0))
    return value if holds(condition) else np.where(condition, value, np.nan)


# ---- densities, probabilities, quantiles ----


def _density(method: str, outside: float) -> Function:
    """``pdf``, ``pmf`` and their logarithms; counts are integers, and other numbers have no mass."""

    def density(self: Any, x: Any, *args: Any, **settings: Any) -> Any:
        z, shapes, scale = standardized(self, x, args, settings)
        low, high, within = support(self, shapes)
        inside = np.logical_not(np.logical_or(np.less(z, low), np.greater(z, high)))
        if _is_discrete(self):
            whole = np.floor(z)
            inside, z = np.logical_and(inside, np.equal(whole, z)), whole
        result = chosen(inside, lambda z: standard(self, method, z, *shapes), outside, z, within)
        if type(scale) is not int or scale != 1:
            result = result / scale if method == "pdf" else result - np.log(scale)
        return where_valid(self, shapes, scale, result)

    return density


def _probability(method: str, below: float, above: float) -> Function:
    """``cdf`` and its like: with their values below and above the support."""

    def probability(self: Any, x: Any, *args: Any, **settings: Any) -> Any:
        z, shapes, scale = standardized(self, x, args, settings)
        low, high, within = support(self, shapes)
        over = np.greater_equal(z, high)
        under = (np.less if _is_discrete(self) else np.less_equal)(z, low)
        inside = np.logical_not(np.logical_or(under, over))
        z = np.floor(z) if _is_discrete(self) else z
        outside = below if holds(np.logical_not(over)) else np.where(over, above, below)
        result = chosen(inside, lambda z: standard(self, method, z, *shapes), outside, z, within)
        return where_valid(self, shapes, scale, result)

    return probability


def _quantile(method: str, first: int) -> Function:
    """``ppf`` and ``isf``; at 0 and 1 they are the ends of the support, ``first`` of which is that at 0."""

    def quantile(self: Any, q: Any, *args: Any, **settings: Any) -> Any:
        shapes, loc, scale = self._parse_args(*args, **settings)
        q, loc, scale, *shapes = map(joined, (q, loc, scale, *shapes))
        shapes = tuple(shapes)
        ends = support(self, shapes)[:2]
        inside = np.logical_and(np.less(0, q), np.less(q, 1))
        outside: Any = np.nan
        if not holds(inside):
            outside = np.where(np.equal(q, 0), ends[first], np.where(np.equal(q, 1), ends[1 - first], np.nan))
        result = chosen(inside, lambda q: standard(self, method, q, *shapes), outside, q, 0.5)
        return where_valid(self, shapes, scale, result * scale + loc)

    return quantile


# ---- distributions of vectors ----

LOG_TWO_PI = float(np.log(2 * np.pi))


def _centered(x: Any, mean: Any, cov: Any) -> tuple[Any, Any]:
    """Return rows of differences from the mean, and the factor of the covariance; numbers are expanded as in SciPy."""
    x, mean, cov = joined(x), joined(mean), joined(cov)
    size = max(
        np.shape(mean)[-1] if mean is not None and np.ndim(mean) else 1, np.shape(cov)[-1] if np.ndim(cov) else 1
    )
    if np.ndim(cov) < 2:
        cov = np.multiply(np.reshape(cov, (-1, 1)) if np.ndim(cov) else cov, np.eye(size))
    x = x[..., None] if size == 1 and np.ndim(x) < 2 else x
    return (x if mean is None else np.subtract(x, mean)), np.linalg.cholesky(cov)


def _whitened(x: Any, mean: Any, cov: Any) -> tuple[Any, Any, int]:
    """Squared distances in units of the covariance, the logarithm of its determinant, and the dimension.

    The covariance is read as Cholesky's method reads it: its lower triangle.
    """
    deviations, factor = _centered(x, mean, cov)
    size = np.shape(factor)[-1]
    rows = np.reshape(deviations, (-1, size))
    distances = np.sum(np.square(np.linalg.solve(factor, np.transpose(rows))), axis=0)
    distances = np.reshape(distances, np.shape(deviations)[:-1])
    return distances, 2 * np.sum(np.log(np.diagonal(factor))), size


def normal_logpdf(x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> Any:
    """``multivariate_normal.logpdf`` of a covariance matrix that is positive definite."""
    try:
        distances, log_determinant, size = _whitened(x, mean, getattr(cov, "covariance", cov))
    except np.linalg.LinAlgError as error:
        if not allow_singular:
            raise
        raise missing("scipy.stats.multivariate_normal with a singular matrix", "Use a regular one.") from error
    return -0.5 * (distances + (log_determinant + size * LOG_TWO_PI))


def normal_entropy(mean: Any = None, cov: Any = 1) -> Any:
    """``multivariate_normal.entropy`` of a covariance matrix that is positive definite."""
    _, factor = _centered(np.zeros(1), mean, getattr(cov, "covariance", cov))
    return np.sum(0.5 * (1 + LOG_TWO_PI) + np.log(np.diagonal(factor)))


def t_logpdf(x: Any, loc: Any = None, shape: Any = 1, df: Any = 1) -> Any:
    """``multivariate_t.logpdf``."""
    distances, log_determinant, size = _whitened(x, loc, shape)
    half = 0.5 * (df + size)
    scale = special.gammaln(half) - special.gammaln(0.5 * df) - size / 2 * np.log(df * np.pi) - 0.5 * log_determinant
    return scale - half * np.log(1 + distances / df)


def dirichlet_logpdf(x: Any, alpha: Any) -> Any:
    """``dirichlet.logpdf``; the last of the components may be left out, as they sum up to 1."""
    x, alpha = joined(x), joined(alpha)
    if np.shape(x)[0] == np.shape(alpha)[0] - 1:
        x = np.concatenate([x, 1 - np.sum(x, axis=0, keepdims=True)])
    norm = np.sum(special.gammaln(alpha)) - special.gammaln(np.sum(alpha))
    return np.sum(np.transpose(special.xlogy(alpha - 1, np.transpose(x))), axis=0) - norm


def _freeze_normal(
    self: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False, *args: Any, **_: Any
) -> None:
    """``multivariate_normal(mean, cov)``: keeps what is traced."""
    self._dist, self.mean, self.covariance, self.allow_singular = type(self), mean, joined(cov), allow_singular
    self.cov_object = SimpleNamespace(covariance=self.covariance)


def _method(function: Function) -> Function:
    return lambda self, *args, **settings: function(*args, **settings)


def _exponential(log_density: Function) -> Function:
    return lambda *args, **settings: np.exp(log_density(*args, **settings))


def _frozen_logpdf(self: Any, x: Any) -> Any:
    return normal_logpdf(x, self.mean, self.cov_object.covariance, self.allow_singular)


def _kernel_logpdf(self: Any, x: Any) -> Any:
    """``gaussian_kde.logpdf``: the logarithm of a weighted sum of normal densities, one per point of the data set."""
    points = np.atleast_2d(joined(x))
    points = np.transpose(points) if np.shape(points) == (1, self.d) and self.d > 1 else points
    if np.shape(points)[0] != self.d:
        raise ValueError(f"points have dimension {np.shape(points)[0]}, dataset has dimension {self.d}")
    whitened = (
        np.linalg.solve(self.cho_cov, points)[:, None, :] - np.linalg.solve(self.cho_cov, self.dataset)[:, :, None]
    )
    weights = np.log(self.weights)[:, None] - self.log_det / 2
    return np.logaddexp.reduce(weights - np.sum(np.square(whitened), axis=0) / 2, axis=0)


# ---- moments ----


def _moment(method: str, compute: Function) -> Function:
    """Return a method, ``compute(distribution, shapes, loc, scale)``; an error names it where it cannot be traced."""

    def apply(self: Any, *args: Any, **settings: Any) -> Any:
        try:
            shapes, loc, scale = self._parse_args(*args, **settings)
            return compute(self, tuple(map(joined, shapes)), loc, scale)
        except (AdvizError, TypeError, ValueError, RuntimeError) as error:
            raise missing(f"scipy.stats.{self.name}.{method}", "Write out its formula.") from error

    return apply


def _variance(self: Any, shapes: tuple[Any, ...], loc: Any, scale: Any) -> Any:
    return self._stats(*shapes)[1] * scale * scale


# ---- functions of samples ----


def zscore(a: Any, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate") -> Any:
    """``scipy.stats.zscore``."""
    _check_policy("zscore", nan_policy)
    a = joined(a)
    return (a - np.mean(a, axis=axis, keepdims=True)) / np.std(a, axis=axis, ddof=ddof, keepdims=True)


def _check_policy(name: str, nan_policy: str) -> None:
    if nan_policy != "propagate":
        raise missing(f"scipy.stats.{name} with nan_policy={nan_policy!r}", "Remove NaN first.")


def _standard_moment(name: str, order: int, unbiased: Callable[[Any, Any], Any]) -> Function:
    """``skew`` and ``kurtosis``: a central moment in units of the standard deviation."""

    def moment(
        a: Any, axis: Any = 0, bias: bool = True, nan_policy: str = "propagate", *, keepdims: bool = False
    ) -> Any:
        _check_policy(name, nan_policy)
        a, axis = (np.ravel(joined(a)), 0) if axis is None else (joined(a), axis)
        centered = a - np.mean(a, axis=axis, keepdims=True)
        ratio = np.mean(centered**order, axis=axis) / np.mean(np.square(centered), axis=axis) ** (order / 2)
        count = np.shape(a)[axis]
        result = ratio if bias or count < order else unbiased(ratio, count * 1.0)
        return np.reshape(result, np.shape(np.expand_dims(result, axis))) if keepdims else result

    return moment


FOURTH = _standard_moment("kurtosis", 4, lambda g, n: ((n * n - 1) * g - 3 * (n - 1) ** 2) / (n - 2) / (n - 3) + 3)


def kurtosis(a: Any, axis: Any = 0, fisher: bool = True, *args: Any, **settings: Any) -> Any:
    """``scipy.stats.kurtosis``: less 3, that of a normal distribution, as Fisher defined it."""
    return FOURTH(a, axis, *args, **settings) - (3 if fisher else 0)


PROBABILITIES = {"cdf": (0.0, 1.0), "sf": (1.0, 0.0), "logcdf": (-np.inf, 0.0), "logsf": (0.0, -np.inf)}

FUNCTIONS: Patches = {
    "rv_continuous.pdf": _density("pdf", 0.0),
    "rv_continuous.logpdf": _density("logpdf", -np.inf),
    "rv_continuous.ppf": _quantile("ppf", 0),
    "rv_continuous.isf": _quantile("isf", 1),
    "rv_discrete.pmf": _density("pmf", 0.0),
    "rv_discrete.logpmf": _density("logpmf", -np.inf),
}
for _kind in ("rv_continuous", "rv_discrete"):
    FUNCTIONS |= {f"{_kind}.{method}": _probability(method, *ends) for method, ends in PROBABILITIES.items()}

LOG_DENSITIES: Patches = {
    "multivariate_normal": normal_logpdf,
    "multivariate_t": t_logpdf,
    "dirichlet": dirichlet_logpdf,
}
for _name, _log_density in LOG_DENSITIES.items():
    FUNCTIONS[f"_multivariate.{_name}_gen.logpdf"] = _method(_log_density)
    FUNCTIONS[f"_multivariate.{_name}_gen.pdf"] = _method(_exponential(_log_density))

FUNCTIONS["_multivariate.multivariate_normal_gen.entropy"] = _method(normal_entropy)

METHODS: Patches = {
    "_multivariate.multivariate_normal_frozen.logpdf": _frozen_logpdf,
    "_multivariate.multivariate_normal_frozen.pdf": _exponential(_frozen_logpdf),
}

FUNCTIONS |= {
    "_multivariate.multivariate_normal_frozen.__init__": _freeze_normal,
    "zscore": zscore,
    "skew": _standard_moment("skew", 3, lambda g, n: np.sqrt(n * (n - 1)) / (n - 2) * g),
    "kurtosis": kurtosis,
    "gaussian_kde.logpdf": _kernel_logpdf,
    "gaussian_kde.evaluate": lambda self, points: np.exp(_kernel_logpdf(self, points)),
}
MOMENTS: Patches = {
    "entropy": lambda self, shapes, loc, scale: self._entropy(*shapes) + np.log(scale),
    "mean": lambda self, shapes, loc, scale: self._stats(*shapes)[0] * scale + loc,
    "var": _variance,
    "std": lambda *standard: np.sqrt(_variance(*standard)),
}
for _name, _formula in MOMENTS.items():
    FUNCTIONS[f"_distn_infrastructure.rv_generic.{_name}"] = _moment(_name, _formula)
