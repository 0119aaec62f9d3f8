"""``scipy.spatial.distance`` on traced values: one line per metric, of vectors along the last axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as special

from ..devices import as_like
from ..functions.arguments import Function, Overrides, check_unsupported, joined, missing
from ..functions.entrywise import length
from ..functions.linalg import norm


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


METRICS: Overrides = {
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


FUNCTIONS: Overrides = {name: _of_vectors(name) for name in METRICS} | {
    **{f.__name__: f for f in (cdist, pdist, squareform)},
    "jensenshannon": lambda p, q, *args, **settings: jensenshannon(joined(p), joined(q), *args, **settings),
}
