"""Training steps do what their papers say, also where the user's ops are ordered otherwise."""

import numpy as np
import pytest

import adviz as ad
from adviz import lazy

DRAWN = np.random.default_rng(8)
X, T = DRAWN.normal(size=(20, 3)), DRAWN.normal(size=20)
START = np.array([0.5, -1.0, 2.0])


def regression(w, b, x=X, t=T):
    return np.mean((np.tanh(x @ w + b) - t) ** 2)


def gradient(w, b):
    return ad.grad(regression, argnums=(0, 1))(w, b)


def by_descent(steps, rate, momentum):
    w, b = START.copy(), 0.25
    moves = [np.zeros(3), 0.0]
    losses = []
    for _ in range(steps):
        losses.append(regression(w, b))
        moves = [momentum * move - rate * slope for move, slope in zip(moves, gradient(w, b), strict=True)]
        w, b = w + moves[0], b + moves[1]
    return losses, w, b


def by_adam(steps, rate, beta1=0.9, beta2=0.999, eps=1e-8):
    theta, m, v = np.append(START, 0.25), np.zeros(4), np.zeros(4)
    losses = []
    for step in range(1, steps + 1):
        losses.append(regression(theta[:3], theta[3]))
        g = np.append(*gradient(theta[:3], theta[3]))
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g**2
        theta = theta - rate * (m / (1 - beta1**step)) / (np.sqrt(v / (1 - beta2**step)) + eps)
    return losses, theta[:3], theta[3]


METHODS = {
    "descent": (lambda loss: lazy.sgd(loss, 0.1), lambda: by_descent(12, 0.1, 0.0)),
    "momentum": (lambda loss: lazy.sgd(loss, 0.1, momentum=0.9), lambda: by_descent(12, 0.1, 0.9)),
    "Adam": (lambda loss: lazy.adam(loss, 0.05), lambda: by_adam(12, 0.05)),
}


@pytest.mark.parametrize("rule", ["creation", "inferred"])
@pytest.mark.parametrize("name", METHODS)
def test_steps_are_those_of_the_method(name, rule):
    step, by_hand = METHODS[name]
    w, b = lazy.variable((3,), START), lazy.variable((), 0.25)
    with lazy.ordering(rule):
        loss = regression(w, b)
        train = lazy.computation([loss, step(loss)])
    losses, w_end, b_end = by_hand()
    np.testing.assert_allclose([train()[0] for _ in range(12)], losses, rtol=1e-12)
    np.testing.assert_allclose(lazy.shared[w], w_end, rtol=1e-12)
    np.testing.assert_allclose(lazy.shared[b], b_end, rtol=1e-12)


def test_a_step_runs_only_where_it_is_asked_for():
    w, b = lazy.variable((3,), START), lazy.variable((), 0.25)
    loss = regression(w, b)
    lazy.sgd(loss, 0.1, momentum=0.9)
    read = lazy.computation([loss, w])
    assert read()[0] == read()[0] == pytest.approx(regression(START, 0.25))


def test_a_rate_may_be_given_with_each_call():
    w = lazy.variable((), 3.0)
    rate = lazy.placeholder(())
    loss = (w - 1) ** 2
    train = lazy.computation([loss, lazy.sgd(loss, rate)], rate)
    assert [train(0.25)[0], train(0.5)[0], train(0.5)[0]] == [4.0, 1.0, 0.0]


def test_only_some_variables_are_trained():
    w, b = lazy.variable((3,), START), lazy.variable((), 0.25)
    loss = regression(w, b)
    train = lazy.computation(lazy.adam(loss, 0.1, variables=[b]))
    assert train() is None
    np.testing.assert_array_equal(lazy.shared[w], START)
    assert lazy.shared[b] == pytest.approx(by_adam(1, 0.1)[2])


def test_single_precision_stays_single():
    w = lazy.variable((3,), START, dtype=np.float32)
    loss = np.sum(np.tanh(w) ** 2)
    for step in (lazy.sgd(loss, 0.1, momentum=0.9), lazy.adam(loss)):
        train = lazy.computation([loss, step])
        assert train()[0].dtype == np.float32
        assert {lazy.shared[op].dtype for op in train.states} == {np.dtype(np.float32)}


def test_the_program_is_written_in_the_names_of_the_variables():
    w = lazy.variable((3,), START)
    loss = np.sum(np.sin(w))
    step = lazy.sgd(loss, 0.5, momentum=0.9)
    lines = lazy.computation([loss, step]).source.splitlines()[3:]
    assert [line.strip().split("  #")[0].strip() for line in lines] == [
        "loss = np.sum(np.sin(w))",
        "# backward",
        "w_adj = np.cos(w)",
        "w_velocity_next = 0.9 * w_velocity - w_adj / 2",
        "w_next = w + w_velocity_next",
        "return (loss,), (w_velocity_next, w_next)",
    ]
    assert step.own_name == "sgd"
