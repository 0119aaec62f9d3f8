"""``scipy.spatial.distance`` on traced values: against SciPy's own values, and against differences of them."""

import numpy as np
import pytest
from scipy.spatial import distance
from scipy.spatial.distance import cdist, euclidean, pdist

import adviz as ad
from adviz.engine.scipy_functions.fitting import METRICS

from ..checks import GRAINS
from ..scipys import check, check_first_derivatives

RNG = np.random.default_rng(5)
U, V = RNG.normal(size=(3, 4)), RNG.normal(size=(2, 4))
W = np.array([1.0, 0.5, 2.0, 0.3])
OTHERS = {"mahalanobis": {"VI": np.diag(W)}}
WEIGHED = [name for name in METRICS if name not in ("mahalanobis", "seuclidean")]


@pytest.mark.slow
@GRAINS
@pytest.mark.parametrize("name", METRICS)
def test_distances_of_rows_have_scipys_values_and_their_derivatives(name, grain):
    check(lambda u, v: cdist(u, v, name, **OTHERS.get(name, {})), (U, V), grain)
    check(lambda u: pdist(u, name, **OTHERS.get(name, {})), (U,), grain)


@GRAINS
@pytest.mark.parametrize("name", WEIGHED)
def test_distances_may_be_weighted(name, grain):
    metric = getattr(distance, name)
    check(lambda u, v: metric(u, v), (U[0], V[0]), grain)
    check(lambda u, v, w: metric(u, v, w=w), (U[0], V[0], W), grain)
    check(lambda u, v: cdist(u, v, name, w=W), (U, V), grain)


FUNCTIONS = {
    "minkowski of order 3": (lambda u, v: distance.minkowski(u, v, 3, w=W), (U[0], V[0])),
    "minkowski of infinite order": (lambda u, v: distance.minkowski(u, v, np.inf), (U[0], V[0])),
    "cdist, minkowski": (lambda u, v: cdist(u, v, "minkowski", p=1.5), (U, V)),
    "mahalanobis": (distance.mahalanobis, (U[0], V[0], np.diag(W))),
    "seuclidean": (distance.seuclidean, (U[0], V[0], W)),
    "mahalanobis by the covariance of the samples": (lambda x: pdist(x, "mahalanobis"), (RNG.normal(size=(6, 3)),)),
    "jensenshannon": (distance.jensenshannon, (W, W[::-1].copy())),
    "jensenshannon of rows": (lambda p, q: distance.jensenshannon(p, q, 2.0, axis=1), (np.abs(U), np.abs(U + 1))),
    "squareform": (distance.squareform, (RNG.normal(size=6),)),
    "squareform of a matrix": (lambda x: distance.squareform(distance.squareform(pdist(x)) * 2), (U,)),
    "a metric of the program's own": (lambda u, v: cdist(u, v, lambda a, b: np.sum(np.abs(a - b) ** 3)), (U, V)),
    "a metric of SciPy's as a function": (lambda u, v: cdist(u, v, distance.cityblock), (U, V)),
    "lists": (lambda u: euclidean([u[0], u[1]], [1.0, 2.0]), (U[0],)),
}


@GRAINS
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_has_scipys_value_and_its_derivatives(name, grain):
    check(*FUNCTIONS[name], grain)


@GRAINS
def test_the_derivative_of_a_distance_that_is_zero_is_the_mean_of_its_one_sided_ones(grain):
    check_first_derivatives(lambda u: euclidean(u, U[0]), (U[0],), grain)
    check_first_derivatives(lambda x: cdist(x, x), (U,), grain)


def test_what_is_not_covered_is_named():
    for name, f in {
        "cdist with metric='hamming'": lambda u: cdist(u, V, "hamming"),
        "pdist with metric='jaccard'": lambda u: pdist(u, "jaccard"),
        "cdist with out": lambda u: cdist(u, V, out=np.zeros((3, 2))),
    }.items():
        with pytest.raises(ad.MissingBlockError, match=rf"no Block for scipy\.spatial\.distance\.{name}"):
            ad.trace(f, U)
