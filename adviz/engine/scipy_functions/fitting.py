"""``scipy.spatial.distance``, ``scipy.interpolate`` and ``scipy.optimize`` on traced values: to fit curves to points.

Distances: one line per metric, of vectors along the last axis. Interpolation: piecewise polynomials of a traced
variable, and of traced values at knots, which are plain numbers; the data decide in which piece a number is.

Optimization: roots and minima as implicit functions of the traced values in their equation. SciPy searches with plain
numbers. The derivative of what it finds is that of the equation, not that of the search: where ``F(x, p) = 0``,
``dx/dp`` is ``-(dF/dx)^-1 dF/dp`` (the implicit function theorem; ``functions/products.py`` has the sources). So a
bracket or a first guess has no derivative, and where ``dF/dx`` is 0 or singular, there is none. The equation may use
traced values: as arguments (``args``), or as variables from outside. A minimum is a root of the gradient. Searches that
would have to be traced step by step are unsupported: their result is (nearly) constant in the first guess and in steps
that comparisons decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
import scipy.special as special

from ..derivatives import grad, hessian, jacobian, jvp
from ..devices import as_like
from ..functions.arguments import (
    Function,
    Patches,
    check_unsupported,
    data_of,
    holds_traced,
    joined,
    missing,
    numpy_data,
)
from ..functions.entries import length
from ..functions.linalg import norm
from ..functions.products import solution, solution_of_system
from ..functions.ties import note_ties
from ..rules.kinks import in_intervals
from ..tape import untraced
from .calling import Watched, bound, grain, searched

# ---- scipy.spatial.distance ----


def _weighted(w: Any, terms: Any) -> Any:
    """Return the sum of terms along the last axis, weighted if there are weights."""
    return np.sum(terms if w is None else w * terms, axis=-1)


def euclidean(u: Any, v: Any, w: Any = None) -> Any:
    """Return the length of the difference; where it is 0, so is its derivative."""
    return length(_weighted(w, np.square(u - v)))


def minkowski(u: Any, v: Any, p: Any = 2, w: Any = None) -> Any:
    """Return the ``p``-norm of the difference."""
    if p == np.inf:
        return chebyshev(u, v, w)
    return euclidean(u, v, w) if p == 2 else norm(u - v if w is None else w ** (1 / p) * (u - v), p, axis=-1)


def chebyshev(u: Any, v: Any, w: Any = None) -> Any:
    """Return the largest difference where the weight is not 0."""
    return np.max(np.abs(u - v) if w is None else np.where(np.not_equal(w, 0), np.abs(u - v), 0.0), axis=-1)


def correlation(u: Any, v: Any, w: Any = None, centered: bool = True) -> Any:
    """1 less the correlation."""
    w = w if w is None else w / np.sum(w)
    if centered:
        u, v = (x - (np.mean(x, -1, keepdims=True) if w is None else _weighted(w, x)[..., None]) for x in (u, v))
    return 1.0 - _weighted(w, u * v) / np.sqrt(_weighted(w, u * u) * _weighted(w, v * v))


def canberra(u: Any, v: Any, w: Any = None) -> Any:
    """Differences in proportion, 0 where both are 0."""
    sizes = np.abs(u) + np.abs(v)
    return _weighted(w, np.abs(u - v) / np.where(np.equal(sizes, 0), 1.0, sizes))


def mahalanobis(u: Any, v: Any, VI: Any) -> Any:
    """Return the length of the difference in the metric of the inverse covariance."""
    difference = u - v
    return length(np.sum(difference @ VI * difference, axis=-1))


def jensenshannon(p: Any, q: Any, base: Any = None, *, axis: int = 0, keepdims: Any = False) -> Any:
    """``scipy.spatial.distance.jensenshannon``."""
    p, q = (x / np.sum(x, axis=axis, keepdims=True) for x in (p, q))
    middle = (p + q) / 2
    total = np.sum(special.rel_entr(p, middle) + special.rel_entr(q, middle), axis=axis, keepdims=keepdims)
    return length(total / (2 if base is None else 2 * np.log(base)))


METRICS: Patches = {
    "euclidean": euclidean,
    "sqeuclidean": lambda u, v, w=None: _weighted(w, np.square(u - v)),
    "cityblock": lambda u, v, w=None: _weighted(w, np.abs(u - v)),
    "chebyshev": chebyshev,
    "minkowski": minkowski,
    "cosine": lambda u, v, w=None: correlation(u, v, w, centered=False),
    "correlation": correlation,
    "canberra": canberra,
    "braycurtis": lambda u, v, w=None: _weighted(w, np.abs(u - v)) / _weighted(w, np.abs(u + v)),
    "seuclidean": lambda u, v, V: length(np.sum(np.square(u - v) / V, axis=-1)),
    "mahalanobis": mahalanobis,
}

SYNONYMS = {"l2": "euclidean", "sqe": "sqeuclidean", "l1": "cityblock", "manhattan": "cityblock", "max": "chebyshev"}


def _metric(function: str, metric: Any, settings: dict[str, Any], *samples: Any) -> Function:
    """The function that ``metric`` names; variances and covariances that are not given are those of the samples."""
    is_scipys = (getattr(metric, "__module__", None) or "").startswith("scipy.")  # None: made by eval
    metric = getattr(metric, "__name__", metric) if is_scipys else metric
    name = SYNONYMS.get(metric, metric)
    settings = {key: joined(value) for key, value in settings.items() if value is not None}
    if name == "seuclidean" and "V" not in settings:
        settings["V"] = np.var(np.concatenate(samples), axis=0, ddof=1)
    if name == "mahalanobis" and "VI" not in settings:
        settings["VI"] = np.transpose(np.linalg.inv(np.cov(np.transpose(np.concatenate(samples)))))
    if callable(name):
        return lambda u, v: _called(name, u, v, settings)
    if name not in METRICS:
        raise missing(f"scipy.spatial.distance.{function} with metric={metric!r}", f"There are {', '.join(METRICS)}.")
    return lambda u, v: METRICS[name](u, v, **settings)


def _called(metric: Any, u: Any, v: Any, settings: dict[str, Any]) -> Any:
    """Return a metric that is a function of the program, on one pair of vectors after the other."""
    u, v = np.broadcast_arrays(u, v)
    shape = np.shape(u)[:-1]
    return np.reshape(np.stack([metric(u[k], v[k], **settings) for k in np.ndindex(shape)]), shape)


def cdist(XA: Any, XB: Any, metric: Any = "euclidean", *, out: Any = None, **settings: Any) -> Any:
    """``scipy.spatial.distance.cdist``: each row of one with each row of the other."""
    check_unsupported("scipy.spatial.distance.cdist", "Use its result.", out=out)
    a, b = joined(XA), joined(XB)
    return _metric("cdist", metric, settings, a, b)(a[:, None, :], b[None, :, :])


def pdist(X: Any, metric: Any = "euclidean", *, out: Any = None, **settings: Any) -> Any:
    """``scipy.spatial.distance.pdist``: each row with those after it."""
    check_unsupported("scipy.spatial.distance.pdist", "Use its result.", out=out)
    x = joined(X)
    first, second = np.triu_indices(np.shape(x)[0], 1)
    return _metric("pdist", metric, settings, x)(x[first], x[second])


def squareform(X: Any, force: str = "no", checks: bool = True) -> Any:
    """``scipy.spatial.distance.squareform``: a vector of distances as a symmetric matrix, or the reverse."""
    x = joined(X)
    if force.lower() not in ("no", "tomatrix", "tovector"):
        raise ValueError(f"force={force!r} is not known; it can be 'no', 'tomatrix' or 'tovector'")
    if np.ndim(x) == 2:
        return x[np.triu_indices(np.shape(x)[0], 1)]
    size = int(np.ceil(np.sqrt(2 * np.size(x))))
    places = np.zeros((size, size), int)
    places[np.triu_indices(size, 1)] = np.arange(1, np.size(x) + 1)
    return np.concatenate([as_like(np.zeros(1), x), x])[places + places.T]


def _of_vectors(name: str) -> Function:
    def distance(u: Any, v: Any, *args: Any, **settings: Any) -> Any:
        return METRICS[name](joined(u), joined(v), *map(joined, args), **{k: joined(x) for k, x in settings.items()})

    return distance


# ---- scipy.interpolate ----


def polynomials(self: Any, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
    """Return a piecewise polynomial or its derivative of order ``nu``, by Horner's rule."""
    if not isinstance(self, scipy.interpolate.PPoly) or self.x[-1] < self.x[0]:
        raise missing(f"scipy.interpolate.{type(self).__name__} of falling knots or another basis", "Use PPoly.")
    x, knots, coefficients = joined(x), self.x, getattr(_holder(self), _place(self))
    extrapolate = self.extrapolate if extrapolate is None else extrapolate
    if extrapolate == "periodic":
        x = knots[0] + np.remainder(x - knots[0], knots[-1] - knots[0])
    places = np.clip(np.searchsorted(knots, numpy_data(x), side="right") - 1, 0, len(knots) - 2)  # of the pieces
    note_ties(*in_intervals(x, knots))
    rest = np.ndim(coefficients) - 2
    shift = np.reshape(x - as_like(knots[places], x), np.shape(x) + (1,) * rest)
    order = np.shape(coefficients)[0] - 1
    result: Any = 0.0 * shift * coefficients[0][places]
    for k in range(order - nu + 1):
        factor = np.prod(np.arange(order - k - nu + 1, order - k + 1)) * 1.0
        result = result * shift + factor * coefficients[k][places]
    if not extrapolate:
        outside = (numpy_data(x) < knots[0]) | (numpy_data(x) > knots[-1])
        result = np.where(np.reshape(outside, np.shape(shift)), np.nan, result) if np.any(outside) else result
    return np.moveaxis(result, range(np.ndim(x), np.ndim(x) + self.axis), range(self.axis)) if self.axis else result


def cubic_spline(
    original: Any, self: Any, x: Any, y: Any, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None
) -> None:
    """``CubicSpline`` through traced values: its coefficients are linear in them."""
    if not holds_traced((x, y)):
        with untraced():
            original(self, x, y, axis, bc_type, extrapolate)
        return
    if holds_traced(x) or not isinstance(bc_type, str) or axis:
        raise missing("scipy.interpolate.CubicSpline with traced knots, an axis, or numbers as bc_type", "Omit it.")
    if bc_type == "periodic":
        raise missing("scipy.interpolate.CubicSpline through traced values, periodic", "Use another bc_type.")
    y = joined(y)
    with untraced():
        original(self, x, np.eye(np.shape(y)[0]), 0, bc_type, extrapolate)
    units = getattr(_holder(self), _place(self))
    setattr(_holder(self), _place(self), np.tensordot(as_like(units, y), y, 1))


def _holder(self: Any) -> Any:
    """Return what holds the coefficients: the polynomial, or, since SciPy 1.18, another one in it."""
    return getattr(self, "_delegate_to", self)


def _place(self: Any) -> str:
    """Return the attribute that holds the coefficients of a piecewise polynomial."""
    return "_c" if hasattr(_holder(self), "_c") else "c"


def _of_spline(tck: Any, x: Any, nu: int, extrapolate: Any) -> Any:
    """Return a spline as piecewise polynomials, from its derivatives at the knots."""
    t, c, k = tck
    count = len(t) - k - 1
    with untraced():
        BSpline, PPoly = scipy.interpolate.BSpline, scipy.interpolate.PPoly
        numbers = BSpline(t, np.asarray(c, float)[:count], k)
        knots = np.unique(numbers.t[k : count + 1])
        orders = range(k, -1, -1)
        pieces = PPoly(np.stack([numbers(knots[:-1], nu=j) / math.factorial(j) for j in orders]), knots)
    return polynomials(pieces, x, nu, extrapolate)


def spline(self: Any, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
    """``BSpline`` of a traced variable."""
    if self.c.ndim > 1 or holds_traced(self.c):
        raise missing("scipy.interpolate.BSpline of traced or several coefficients", "Use CubicSpline.")
    return _of_spline(self.tck, x, nu, self.extrapolate if extrapolate is None else extrapolate)


def univariate(self: Any, x: Any, nu: int = 0, ext: Any = None) -> Any:
    """``UnivariateSpline`` of a traced variable, extrapolated beyond its ends."""
    if (self.ext if ext is None else ext) not in (0, "extrapolate"):
        raise missing("scipy.interpolate.UnivariateSpline with ext", "Omit it.")
    return _of_spline(self._eval_args, x, nu, True)


# ---- interp1d ----


def interp1d(original: Any, *args: Any, **settings: Any) -> None:
    """``interp1d`` through traced values: made of their data, it keeps the traced values too."""
    given = bound(original, args, settings)
    self, y = given["self"], joined(given["y"])
    if holds_traced(given["x"]):
        raise missing("scipy.interpolate.interp1d with traced knots", "Use np.interp.")
    searched(original, {name: data_of(value) for name, value in given.items()})
    if holds_traced(y):
        order = range(len(given["x"])) if given["assume_sorted"] else np.argsort(given["x"], kind="mergesort")
        self.traced = np.take(y, np.asarray(order), axis=self.axis)


def interpolated(self: Any, x: Any) -> Any:
    """Return the value of an ``interp1d``: a value, a line between two values, or a spline."""
    if not hasattr(self, "_kind"):
        raise missing(f"scipy.interpolate.{type(self).__name__}", "Use CubicSpline.")
    x, shape = np.ravel(joined(x)), np.shape(x)
    values, knots = np.moveaxis(getattr(self, "traced", self.y), self.axis, 0), self.x
    column = (-1,) + (1,) * (np.ndim(values) - 1)
    if self._kind in ("nearest", "nearest-up", "previous", "next"):
        with untraced():
            numbers = type(self)(knots, np.arange(len(knots)) * 1.0, self._kind, fill_value="extrapolate")
            places = np.nan_to_num(numbers(numpy_data(x))).astype(int)
        result = values[places] + 0.0 * np.reshape(x, column)
    elif self._kind == "linear":
        places = np.clip(np.searchsorted(knots, numpy_data(x)), 1, len(knots) - 1)
        note_ties(*in_intervals(x, knots))
        low, high = knots[places - 1], knots[places]
        slope = (values[places] - values[places - 1]) / as_like(np.reshape(high - low, column), values)
        result = slope * np.reshape(x - as_like(low, x), column) + values[places - 1]
    elif np.ndim(values) == 1 and not hasattr(self, "traced"):
        result = _of_spline((self._spline.t, np.ravel(self._spline.c), self._spline.k), x, 0, True)
    else:
        raise missing("scipy.interpolate.interp1d of traced values or several, by splines", "Use CubicSpline.")
    return np.moveaxis(
        np.reshape(_bounded(self, x, result), shape + np.shape(result)[1:]),
        range(len(shape)),
        range(self.axis, self.axis + len(shape)),
    )


def _bounded(self: Any, x: Any, value: Any) -> Any:
    """Return the values outside of the knots, or the error there."""
    if self._extrapolate:
        return value
    with untraced():
        sides = self._check_bounds(numpy_data(x))
    for outside, filling in zip(sides, (self._fill_value_below, self._fill_value_above), strict=True):
        if np.any(outside):
            value = np.where(np.reshape(outside, (-1,) + (1,) * (np.ndim(value) - 1)), filling, value)
    return value


# ---- scipy.optimize ----

DERIVATIVES = ("fprime", "fprime2", "jac", "hess", "hessp")
"""Functions that SciPy is given to search faster, and calls with the same arguments."""


def _search(differentiated: Callable[[Any, Watched, dict[str, Any]], Any]) -> Function:
    """Return a search with plain numbers. If the function that SciPy searched is traced, the result is differentiated.

    ``differentiated`` gets what SciPy found, the function, and all arguments by their names.
    """

    def search(original: Function, *args: Any, **settings: Any) -> Any:
        given = bound(original, args, settings)
        key, extra = next(iter(given)), given.get("args", ())
        plain = {name: data_of(value) for name, value in given.items()}
        plain |= {name: Watched(given[name], extra) for name in DERIVATIVES if callable(given.get(name))}
        function = plain[key] = Watched(given[key], extra)
        result = searched(original, plain | ({"args": ()} if "args" in given else {}))
        return differentiated(result, function, given) if function.is_traced else result

    return search


def _value(function: Watched, x: Any) -> Any:
    return joined(function.function(x, *function.args))


# ---- roots ----


def _root(name: str, attribute: str = "", system: bool = False) -> Function:
    """Return a search for a root, which is an attribute of SciPy's result, or the result, or the first of several."""

    def differentiated(value: Any, function: Watched, given: dict[str, Any]) -> Any:
        if given.get("fprime") is True or given.get("jac") is True:
            raise missing(f"scipy.optimize.{name} of a function that returns its slope too", "Return the value only.")
        plain = value[attribute] if attribute else value[0] if isinstance(value, tuple) else value
        if system:
            root = solution_of_system(plain, _system(function, np.size(plain)))
        else:
            root = solution(plain, _slope(lambda x: _value(function, x)))
        if not attribute:
            return (root, *value[1:]) if isinstance(value, tuple) else root
        value[attribute] = root
        return value

    return _search(differentiated)


def _slope(value: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, Any]]:
    """Return an equation's value and its derivative; if it is one per entry, of each by itself."""

    def equation(x: Any) -> tuple[Any, Any]:
        result = jvp(value, (x,), (np.ones(np.shape(x))[()],), grain=grain())
        return np.reshape(result[0], np.shape(x)), np.reshape(result[1], np.shape(x))

    return equation


def _system(function: Watched, size: int) -> Callable[[Any], tuple[Any, Any]]:
    def value(x: Any) -> Any:
        return np.ravel(_value(function, x))

    return lambda x: (value(x), np.reshape(jacobian(value, grain=grain())(x), (size, size)))


# ---- minima ----


def _minimum(name: str, squared: bool = False) -> Function:
    """Return a search for a minimum that is inside of all bounds: the root of the gradient."""

    def differentiated(answer: Any, function: Watched, given: dict[str, Any]) -> Any:
        if given.get("jac") is True or given.get("constraints") or given.get("loss", "linear") != "linear":
            raise missing(f"scipy.optimize.{name} with jac=True, constraints or a loss", "Omit them.")
        _check_inside(name, answer.x, given.get("bounds"))

        def value(x: Any) -> Any:
            y = _value(function, x)
            return np.sum(np.square(y)) / 2 if squared else np.reshape(y, ())

        answer.x = _stationary(value, answer.x)
        answer["cost" if squared else "fun"] = value(answer.x)
        return answer

    return _search(differentiated)


def _check_inside(name: str, x: Any, bounds: Any) -> None:
    if bounds is None:
        return
    ends = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else bounds
    ends = ends if isinstance(ends, tuple) and len(ends) == 2 and np.ndim(x) else np.transpose(np.array(ends, float))
    low, high = (
        np.where(np.isnan(np.array(end, float)), side, np.array(end, float))
        for end, side in zip(ends, (-np.inf, np.inf), strict=True)
    )
    if np.any(x - low < 1e-6 * (1 + np.abs(x))) or np.any(high - x < 1e-6 * (1 + np.abs(x))):
        raise missing(
            f"scipy.optimize.{name} of a minimum on a bound", "Only minima inside the bounds are differentiated."
        )


def _stationary(value: Callable[[Any], Any], x: Any) -> Any:
    """Return a minimum as the root of the gradient, of one number or of several."""

    def equations(x: Any) -> tuple[Any, Any]:
        size = int(np.size(data_of(x)))
        slope = np.reshape(grad(value, grain=grain())(x), (size,))
        return slope, np.reshape(hessian(value, grain=grain())(x), (size, size))

    if not np.ndim(x):
        return np.reshape(solution_of_system(np.reshape(x, (1,)), lambda x: equations(x[0])), ())
    return solution_of_system(x, equations)


def _unsupported(name: str) -> Function:
    """Return a search of which only the steps could be differentiated, which says nothing about the minimum."""

    def unsupported(*_: Any) -> Any:
        raise missing(f"scipy.optimize.{name}", "Use scipy.optimize.minimize, root or root_scalar.")

    return _search(unsupported)


# ---- all of them ----

UNSUPPORTED = (
    *("fmin", "fmin_powell", "fmin_cg", "fmin_bfgs", "fmin_ncg", "fmin_l_bfgs_b", "fmin_tnc", "fmin_slsqp"),
    *("fminbound", "brent", "golden", "bracket", "basinhopping", "differential_evolution", "dual_annealing"),
    *("shgo", "direct", "brute", "broyden1", "broyden2", "anderson", "newton_krylov", "leastsq"),
)

OF_MODULES: dict[str, dict[str, Patches]] = {
    "scipy.spatial.distance": {
        "FUNCTIONS": {
            **{name: _of_vectors(name) for name in METRICS},
            **{f.__name__: f for f in (cdist, pdist, squareform)},
            "jensenshannon": lambda p, q, *args, **settings: jensenshannon(joined(p), joined(q), *args, **settings),
        }
    },
    "scipy.interpolate": {
        "METHODS": {
            **dict.fromkeys(("_interpolate._PPolyBase.__call__", "PPoly.__call__", "BPoly.__call__"), polynomials),
            "BSpline.__call__": spline,
            "UnivariateSpline.__call__": univariate,
            "_polyint._Interpolator1D.__call__": interpolated,
        },
        "SEARCHES": {"CubicSpline.__init__": cubic_spline, "interp1d.__init__": interp1d},
    },
    "scipy.optimize": {
        "SEARCHES": {
            **{name: _root(name) for name in ("brentq", "brenth", "ridder", "bisect", "toms748", "newton")},
            "fsolve": _root("fsolve", system=True),
            "root": _root("root", "x", system=True),
            "root_scalar": _root("root_scalar", "root"),
            # each entry by itself
            "fixed_point": _search(lambda answer, call, _: solution(answer, _slope(lambda x: _value(call, x) - x))),
            "minimize": _minimum("minimize"),
            "minimize_scalar": _minimum("minimize_scalar"),
            "least_squares": _minimum("least_squares", squared=True),
            **{name: _unsupported(name) for name in UNSUPPORTED},
        }
    },
}
