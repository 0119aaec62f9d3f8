"""Op graphs that tests show: a counter, a network that learns, composite ops, a sequence, storage written in part."""

import numpy as np

from adviz import lazy


def counter():
    """A number that is read, counted up, and read again."""
    w = lazy.variable((), 0.0, name="w")
    before = w * 2
    update = lazy.assign(w, w + 1)
    after = w * 3
    return w, before, update, after


def network():
    """A step of training with softmax and cross-entropy: loss, step, and its two placeholders."""
    draw = np.random.default_rng(0).standard_normal
    x, t = lazy.placeholder((6, 4), name="x"), lazy.placeholder((6, 3), name="t")
    with lazy.metadata(layer="hidden"):
        W1, b1 = lazy.variable((4, 5), draw, name="W1"), lazy.variable((5,), 0.0, name="b1")
        h = np.tanh(x @ W1 + b1)
    with lazy.metadata(layer="output"):
        W2, b2 = lazy.variable((5, 3), draw, name="W2"), lazy.variable((3,), 0.0, name="b2")
        z = h @ W2 + b2
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    loss = -np.mean(np.sum(t * np.log(p), axis=1))
    with lazy.isolated():
        step = lazy.doall([lazy.assign(w, w - 0.5 * lazy.deriv(loss, w)) for w in loss.variables()])
    return loss, step, x, t


def classifier():
    """Probabilities and a loss, of composite ops, the derivative of the loss, and how often all this has run."""
    z, t = lazy.placeholder((2, 3), name="z"), lazy.placeholder((2, 3), name="t")
    p = lazy.softmax(z)
    losses = lazy.cross_entropy(p, t)
    gradient = lazy.deriv(losses, z, error=lazy.constant(np.ones(2), name="ones"))
    calls = lazy.variable((), 0.0, name="calls")
    lazy.assign(calls, calls + 1)
    return p, losses, gradient, calls + 0


def batch():
    """Values of the placeholders of the network."""
    return np.random.default_rng(1).normal(size=(6, 4)), np.eye(3)[[0, 1, 2, 0, 1, 2]]


def momentum():
    """Gradient descent with momentum: the parameter is updated by the new velocity."""
    w, v = lazy.variable((2,), [1.0, -2.0], name="w"), lazy.persistent((2,), 0.0, name="v")
    loss = np.sum(w**2)
    with lazy.isolated():
        velocity = lazy.assign(v, 0.9 * v - 0.1 * lazy.deriv(loss, w))
        move = lazy.assign(w, w + v)
        step = lazy.sequential([velocity, move])
    return loss, step


def views():
    """Storage that is written in part."""
    w = lazy.variable((3,), [1.0, 2.0, 3.0], name="w")
    first = w[0]
    w[0] = 10.0
    return w, first, np.sum(w)
