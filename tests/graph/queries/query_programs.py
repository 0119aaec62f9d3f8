"""The programs that the golden queries are asked of; their lines are named in ``tests/goldens/queries.json``."""

import numpy as np


def layer(x, w):
    return np.tanh(x @ w)


def network(x, w, v):
    h = layer(x, w)
    unused = np.cos(h)  # noqa: F841
    score = np.sum(
        layer(h, v),
        axis=1,
    )
    return np.log(score)


def powers(x):
    total = 0.0
    for _ in range(1005):
        x = x * 0.5
    for k in range(3):
        total = total + x ** (k + 1)
    return total


def writing(x):
    out = np.zeros(4)
    for i in range(4):
        out[i] = x[i] * 2.0
    np.exp(x, out=x.copy())
    label = "größe 😀"  # noqa: F841
    return np.where(out > 1.0, out, -out)


def valley(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1 - x[:-1]) ** 2.0)
