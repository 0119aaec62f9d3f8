"""Programs that are too large to be seen node by node."""

import numpy as np


def newton(x, a):
    for _ in range(20):
        x = x - 0.3 * (x * x - a) / (2.0 * x)
    return x


def layer(x, w):
    out = np.sin(x * w) + x
    return out / (1.0 + out * out)


def block(x, w):
    for k in range(3):
        x = layer(x, w + k)
    return x


def calls(x, w):
    a = block(x, w)
    b = block(a, w * 2.0)
    return a * b + block(b, w * 3.0)


def network(x, w, b, v):
    h = x
    for _ in range(10):
        h = np.tanh(h @ w + b) + np.sin(h)
    return np.sum(h @ v)


def recurrent(xs, u, w, v):
    h, loss = np.zeros(3), 0.0
    for t in range(12):
        h = np.tanh(xs[t] @ u + h @ w)
        loss = loss + (h @ v - 1.0) ** 2
    return loss


def rosenbrock(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def two_results(x, y):
    for _ in range(15):
        x, y = np.sin(x) * y, np.cos(y) + x
    return x * y, y


def unused(x, y):
    for _ in range(15):
        x = np.sin(x) * y
        lost = np.exp(x) * y  # noqa: F841
    return x


def entry_by_entry(x, y):
    return sum(np.sin(x * k) * y for k in range(1, 20))


def classifier(W1, b1, W2, b2):
    h = np.tanh(X @ W1 + b1)
    z = h @ W2 + b2
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    loss = -np.mean(np.sum(T * np.log(p), axis=1))
    return loss  # noqa: RET504 - a name that the picture shows


def cell(x, h, W, U):
    a = x @ W + h @ U
    return np.tanh(a)


def cells(W, U, v):
    h = np.zeros(2)
    for row in X:
        h = cell(row, h, W, U)
        h = h / np.sqrt(1.0 + h @ h)
    return h @ v


def blocks(x, parameters):
    for A, B, c in parameters:
        h = np.tanh(x @ A + c)
        x = x + h @ B
    return np.sum(x * x)


_random = np.random.default_rng(0)
PROGRAMS = {
    newton: (1.5, 2.0),
    calls: (0.7, 1.3),
    network: tuple(_random.normal(size=size) for size in ((4, 3), (3, 3), 3, 3)),
    recurrent: tuple(_random.normal(size=size) for size in ((12, 2), (2, 3), (3, 3), 3)),
    rosenbrock: (_random.normal(size=12),),
    unused: (0.6, 0.8),
    entry_by_entry: (0.3, 1.1),
}
"""Each with its arguments; all have a single number as their result."""

X, T = _random.normal(size=(4, 2)), np.eye(2)[[0, 1, 1, 0]]
CELLS = tuple(_random.normal(size=size) for size in ((2, 2), (2, 2), 2))
BLOCKS = X, [tuple(0.5 * _random.normal(size=size) for size in ((2, 3), (3, 2), 3)) for _ in range(12)]
WEIGHTS = tuple(_random.normal(size=size) for size in ((2, 3), 3, (3, 2), 2))
