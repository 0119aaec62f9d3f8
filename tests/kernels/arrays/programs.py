"""Ten programs on arrays that people know."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Known(NamedTuple):
    """A function, arguments drawn at random, which of them to differentiate with respect to."""

    function: Callable[..., Any]
    draw: Callable[[Any], tuple[Any, ...]]
    inputs: tuple[int, ...]
    lines: int
    """Of code that a person needs for value and gradient."""


def network(W1, b1, W2, b2, x, t):
    h = np.tanh(x @ W1 + b1)
    z = h @ W2 + b2
    top = np.max(z, axis=1, keepdims=True)
    logp = z - top - np.log(np.sum(np.exp(z - top), axis=1, keepdims=True))
    return -np.mean(np.sum(t * logp, axis=1))


def logistic_regression(w, b, X, y, decay):
    score = X @ w + b
    loss = np.mean(np.logaddexp(0.0, -y * score))
    return loss + 0.5 * decay * np.sum(w**2)


def cross_entropy(z, t):
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    return -np.mean(np.sum(t * np.log(p), axis=1))


def recurrent(W, U, b, v, xs, target):
    h = np.zeros(len(b))
    for x in xs:
        h = np.tanh(W @ h + U @ x + b)
    return (v @ h - target) ** 2


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(W, U, b, xs, target):
    h, c = np.zeros(3), np.zeros(3)
    for x in xs:
        z = W @ h + U @ x + b
        i, f, o = sigmoid(z[:3]), sigmoid(z[3:6]), sigmoid(z[6:9])
        g = np.tanh(z[9:])
        c = f * c + i * g
        h = o * np.tanh(c)
    return np.sum((h - target) ** 2)


def attention(Wq, Wk, Wv, x, target):
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    score = q @ k.T / np.sqrt(q.shape[-1])
    e = np.exp(score - np.max(score, axis=-1, keepdims=True))
    p = e / np.sum(e, axis=-1, keepdims=True)
    y = p @ v
    return np.mean((y - target) ** 2)


def convolution(K, b, image, target):
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3))
    y = np.einsum("ijkl,ckl->cij", windows, K) + b[:, None, None]
    a = np.maximum(y, 0.0)
    pooled = np.mean(a, axis=(1, 2))
    return np.sum((pooled - target) ** 2)


def gaussian_process(log_length, log_amplitude, log_noise, x, y):
    d = (x[:, None] - x[None, :]) / np.exp(log_length)
    K = np.exp(2 * log_amplitude) * np.exp(-0.5 * d**2) + np.exp(2 * log_noise) * np.eye(len(x))
    L = np.linalg.cholesky(K)
    a = np.linalg.solve(L, y)
    return 0.5 * a @ a + np.sum(np.log(np.diagonal(L))) + 0.5 * len(x) * np.log(2 * np.pi)


def kalman(A, C, Q, R, ys):
    m, P, total = np.zeros(3), np.eye(3), 0.0
    for y in ys:
        m, P = A @ m, A @ P @ A.T + Q
        S = C @ P @ C.T + R
        r = y - C @ m
        G = np.linalg.solve(S, C @ P).T
        m, P = m + G @ r, P - G @ C @ P
        total = total + 0.5 * (r @ np.linalg.solve(S, r) + np.linalg.slogdet(S)[1])
    return total


def bodies(x, v, m):
    for _ in range(5):
        d = x[None] - x[:, None]
        r = np.sum(d**2, axis=-1) + 0.1
        a = np.sum(m[None, :, None] * d / (r**1.5)[..., None], axis=1)
        v = v + 0.01 * a
        x = x + 0.01 * v
    return np.sum(x**2)


def _one_hot(draw, rows, columns):
    return np.eye(columns)[draw.integers(0, columns, rows)]


KNOWN = {
    "network": Known(
        network, lambda draw: (*_normal(draw, (4, 5), 5, (5, 3), 3, (8, 4)), _one_hot(draw, 8, 3)), (0, 1, 2, 3), 14
    ),
    "logistic_regression": Known(
        logistic_regression, lambda draw: (*_normal(draw, 4, (), (8, 4)), np.sign(draw.normal(size=8)), 0.1), (0, 1), 7
    ),
    "cross_entropy": Known(cross_entropy, lambda draw: (*_normal(draw, (8, 3)), _one_hot(draw, 8, 3)), (0,), 5),
    "recurrent": Known(recurrent, lambda draw: _normal(draw, (4, 4), (4, 2), 4, 4, (6, 2), ()), (0, 1, 2, 3), 15),
    "lstm": Known(lstm, lambda draw: _normal(draw, (12, 3), (12, 2), 12, (5, 2), 3), (0, 1, 2), 27),
    "attention": Known(attention, lambda draw: _normal(draw, (4, 5), (4, 5), (4, 3), (7, 4), (7, 3)), (0, 1, 2), 14),
    "convolution": Known(convolution, lambda draw: _normal(draw, (2, 3, 3), 2, (7, 8), 2), (0, 1), 9),
    "gaussian_process": Known(gaussian_process, lambda draw: (0.1, 0.2, -1.0, *_normal(draw, 6, 6)), (0, 1, 2), 14),
    "kalman": Known(
        kalman,
        lambda draw: (*_normal(draw, (3, 3), (2, 3)), 0.3 * np.eye(3), 0.2 * np.eye(2), *_normal(draw, (4, 2))),
        (0, 1),
        25,
    ),
    "bodies": Known(bodies, lambda draw: (*_normal(draw, (3, 2), (3, 2)), 1 + draw.random(3)), (0, 1), 17),
}


def _normal(draw, *shapes):
    return tuple(0.5 * draw.normal(size=shape) for shape in shapes)
