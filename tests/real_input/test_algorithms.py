"""Textbook algorithms traced as they are, in both grains; derivatives against central differences."""

import numpy as np
import pytest

import adviz as ad

from ..engine.derivatives import assert_close, central_jacobian
from . import algorithms

rng = np.random.default_rng(7)
MATRIX = rng.normal(size=(4, 4))
POSITIVE = MATRIX @ MATRIX.T + 4 * np.eye(4)
VECTOR = rng.normal(size=4)
CASES = {
    "pendulum": (algorithms.pendulum, np.array([1.0, 0.2, 1.5])),
    "heron": (algorithms.heron, 2.0),
    "cholesky": (algorithms.cholesky, POSITIVE),
    "gram_schmidt": (algorithms.gram_schmidt, MATRIX[:, :3]),
    "rotate": (lambda q: algorithms.rotate(q, np.array([1.0, 2.0, 3.0])), rng.normal(size=4)),
    "attention": (lambda Q: algorithms.attention(Q, MATRIX[:3], MATRIX[1:, :2]), MATRIX[:2]),
    "planets": (algorithms.planets, rng.normal(size=12)),
    "softmax_regression": (
        lambda W: algorithms.softmax_regression(W, VECTOR[:3], MATRIX, np.array([0, 2, 1, 1])),
        MATRIX[:, :3],
    ),
}


@pytest.mark.parametrize("grain", ["array", "scalar"])
@pytest.mark.parametrize("name", CASES)
def test_an_algorithm_traces_and_its_derivative_is_right(name, grain):
    f, x = CASES[name]
    found = ad.jacobian(f, grain=grain)(x)
    assert_close(found, central_jacobian(lambda x: np.asarray(f(x if x.ndim else float(x)), float), x), 1e-6)


@pytest.mark.parametrize("name", CASES)
def test_both_grains_give_the_same_to_the_last_digits(name):
    f, x = CASES[name]
    assert_close(ad.jacobian(f, grain="scalar")(x), ad.jacobian(f)(x), 1e-11)


def test_a_recurrence_of_a_hundred_thousand_nodes():
    x, n = np.array([0.3, 0.6, 1.7]), 25_000
    graph = ad.trace(algorithms.recurrence, x, n=n, grain="scalar")
    assert len(graph) > 100_000
    assert graph.depth > 50_000
    expected = algorithms.recurrence(x, n)
    assert_close([graph.values[node] for node in graph.outputs], expected, 1e-13)
    short = ad.jacobian(lambda x: algorithms.recurrence(x, 40), grain="scalar")(x)
    assert_close(short, central_jacobian(lambda x: algorithms.recurrence(x, 40), x), 1e-5)
    value, gradient = ad.value_and_grad(lambda x: algorithms.recurrence(x, n).sum(), grain="scalar")(x)
    assert value == pytest.approx(expected.sum())
    assert np.isfinite(gradient).all()
