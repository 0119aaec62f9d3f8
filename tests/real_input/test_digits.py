"""A two-layer network in plain NumPy on scikit-learn's digits: the loss traced, its gradient by three other roads."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.datasets import load_digits

import adviz as ad

from ..engine.derivatives import assert_close
from .algorithms import two_layer


@pytest.fixture(scope="module")
def problem():
    """Weights, and the images and labels of the whole data set."""
    digits, rng = load_digits(), np.random.default_rng(3)
    weights = (
        rng.normal(size=(64, 20)) * 0.1,
        rng.normal(size=20) * 0.1,
        rng.normal(size=(20, 10)) * 0.1,
        rng.normal(size=10) * 0.1,
    )
    return weights, digits.data / 16, digits.target


def test_the_graph_of_the_loss(problem):
    weights, x, labels = problem
    graph = ad.trace(lambda *weights: two_layer(*weights, x, labels), *weights)
    assert len(graph.inputs) == 4
    assert len(graph) < 30
    assert graph.values[graph.outputs[0]] == pytest.approx(two_layer(*weights, x, labels), rel=1e-14)
    assert {"two_layer", "softmax_regression", "logsumexp"} <= {node.origin.function for node in graph if node.origin}
    assert graph.block_counts()["matmul"] == 2
    assert all(graph.live)


@pytest.mark.slow
def test_the_gradient_is_that_of_jax(problem):
    weights, x, labels = problem
    found = ad.grad(two_layer, argnums=(0, 1, 2, 3))(*weights, x, labels)

    def loss(W1, b1, W2, b2):
        z = jnp.tanh(x @ W1 + b1) @ W2 + b2
        return jnp.mean(jax.scipy.special.logsumexp(z, axis=1) - z[jnp.arange(len(labels)), labels])

    with jax.enable_x64(True):
        expected = jax.grad(loss, argnums=(0, 1, 2, 3))(*map(jnp.asarray, weights))
        for one, other in zip(found, expected, strict=True):
            assert_close(one, other, 1e-12)


def test_the_gradient_is_that_of_central_differences(problem):
    weights, x, labels = problem
    found = ad.grad(two_layer, argnums=(0, 1, 2, 3))(*weights, x, labels)
    rng = np.random.default_rng(4)
    for _ in range(3):
        direction = [rng.normal(size=w.shape) for w in weights]
        ahead, behind = (
            two_layer(*[w + step * d for w, d in zip(weights, direction, strict=True)], x, labels)
            for step in (1e-6, -1e-6)
        )
        slope = sum(np.sum(gradient * d) for gradient, d in zip(found, direction, strict=True))
        assert slope == pytest.approx((ahead - behind) / 2e-6, rel=1e-6)


def test_both_grains_agree_on_a_few_images(problem):
    weights, x, labels = problem
    by_array, by_scalar = (
        ad.grad(two_layer, argnums=(0, 1, 2, 3), grain=grain)(*weights, x[:3], labels[:3])
        for grain in ("array", "scalar")
    )
    for one, other in zip(by_array, by_scalar, strict=True):
        assert_close(one, other, 1e-12)


def test_gradient_descent_learns(problem):
    weights, x, labels = problem
    value_and_grad = ad.value_and_grad(two_layer, argnums=(0, 1, 2, 3))
    losses = []
    for _ in range(30):
        loss, gradients = value_and_grad(*weights, x, labels)
        losses.append(loss)
        weights = [w - 1.0 * gradient for w, gradient in zip(weights, gradients, strict=True)]
    assert losses[-1] < 0.4 * losses[0]
