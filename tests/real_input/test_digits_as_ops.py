"""scikit-learn's digits: networks that are built as ops, differentiated, trained, saved and trained on."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.datasets import load_digits

import adviz as ad
from adviz import lazy

PICTURES, DIGITS = load_digits(return_X_y=True)
PICTURES, TARGETS = PICTURES / 16, np.eye(10)[DIGITS]
TRAIN, TEST = np.arange(1500), np.arange(1500, 1797)


def scores(W1, b1, W2, b2, x):
    return np.tanh(x @ W1 + b1) @ W2 + b2


def cross_entropy(z, t):
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    return -np.mean(np.sum(t * np.log(e / np.sum(e, axis=1, keepdims=True)), axis=1))


def network(seed=3):
    """Variables of a network with a hidden layer, and what they begin with."""
    draw = np.random.default_rng(seed).normal
    start = 0.2 * draw(size=(64, 32)), np.zeros(32), 0.2 * draw(size=(32, 10)), np.zeros(10)
    return [
        lazy.variable(each.shape, each, name=name) for each, name in zip(start, "W1 b1 W2 b2".split(), strict=True)
    ], start


def batches(count, seed=0):
    draw = np.random.default_rng(seed)
    for _ in range(count):
        chosen = draw.choice(TRAIN, 100, replace=False)
        yield PICTURES[chosen], TARGETS[chosen]


def placeholders(rows=100):
    return lazy.placeholder((rows, 64), name="x"), lazy.placeholder((rows, 10), name="t")


@pytest.mark.long
def test_derivatives_are_those_of_grad_and_of_jax():
    weights, start = network()
    x, t = placeholders()
    loss = cross_entropy(scores(*weights, x), t)
    pictures, targets = next(batches(1))
    found = lazy.computation([lazy.deriv(loss, w) for w in weights], x, t)(pictures, targets)
    by_grad = ad.grad(lambda *w: cross_entropy(scores(*w, pictures), targets), argnums=(0, 1, 2, 3))(*start)

    def of_jax(W1, b1, W2, b2):
        z = jnp.tanh(pictures @ W1 + b1) @ W2 + b2
        return -jnp.mean(jnp.sum(targets * jax.nn.log_softmax(z, axis=1), axis=1))

    with jax.enable_x64(True):
        by_jax = jax.grad(of_jax, argnums=(0, 1, 2, 3))(*map(jnp.asarray, start))
    for one, other, third in zip(found, by_grad, by_jax, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-15)
        np.testing.assert_allclose(one, third, rtol=1e-11, atol=1e-15)


@pytest.mark.parametrize(
    ("method", "steps"),
    [(lambda loss: lazy.sgd(loss, 0.1, momentum=0.9), 400), (lambda loss: lazy.adam(loss, 0.005), 300)],
    ids=["momentum", "Adam"],
)
def test_a_network_learns_to_read_digits(method, steps):
    weights, _ = network()
    x, t = placeholders()
    loss = cross_entropy(scores(*weights, x), t)
    train = lazy.computation([loss, method(loss)], x, t)
    losses = [train(*batch)[0] for batch in batches(steps)]
    assert np.mean(losses[-20:]) < 0.1 * np.mean(losses[:5])
    everything = lazy.placeholder((len(TEST), 64))
    read = lazy.computation(np.argmax(scores(*weights, everything), axis=1), everything)
    assert np.mean(read(PICTURES[TEST]) == DIGITS[TEST]) > 0.9


def test_logistic_regression_is_that_of_the_program_and_of_updates_by_hand():
    """Zeros against the rest, by cross-entropy of the sigmoid: compared step by step."""

    def loss_of(w, b, x, t):
        z = x @ w + b
        return np.mean(np.logaddexp(0, z) - t * z)

    w, b = lazy.variable((64,)), lazy.variable(())
    x, t = lazy.placeholder((100, 64)), lazy.placeholder((100,))
    loss = loss_of(w, b, x, t)
    train = lazy.computation([loss, lazy.sgd(loss, 0.5)], x, t)
    program = ad.compile_gradient(loss_of, np.zeros(64), 0.0, PICTURES[:100], TARGETS[:100, 0], inputs=[0, 1])
    own_w, own_b = np.zeros(64), 0.0
    for pictures, targets in batches(150):
        (value, _), expected = train(pictures, targets[:, 0]), program(own_w, own_b, pictures, targets[:, 0])
        assert value == pytest.approx(expected.value, rel=1e-10)
        own_w, own_b = own_w - 0.5 * expected.gradient[0], own_b - 0.5 * expected.gradient[1]
    np.testing.assert_allclose(lazy.shared[w], own_w, rtol=1e-8)
    found = PICTURES[TEST] @ lazy.shared[w] + lazy.shared[b] > 0
    assert np.mean(found == (DIGITS[TEST] == 0)) > 0.98


@pytest.mark.parametrize(
    "method", [lambda loss: lazy.sgd(loss, 0.1, momentum=0.9), lazy.adam], ids=["momentum", "Adam"]
)
def test_training_that_is_saved_and_loaded_goes_on_to_the_last_bit(method, tmp_path):
    def built(store):
        weights, _ = network()
        x, t = placeholders()
        loss = cross_entropy(scores(*weights, x), t)
        return weights, lazy.computation([loss, method(loss)], x, t, store=store)

    weights, train = built(lazy.Store())
    for batch in batches(20):
        train(*batch)
    train.save(tmp_path / "weights.npz")
    whole = [train(*batch)[0] for batch in batches(20, seed=1)]

    later, goes_on = built(lazy.Store())
    goes_on.load(tmp_path / "weights.npz")
    assert [goes_on(*batch)[0] for batch in batches(20, seed=1)] == whole
    for one, other in zip(weights, later, strict=True):
        assert goes_on.store[other].tobytes() == train.store[one].tobytes()
