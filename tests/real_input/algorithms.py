"""Textbook algorithms in plain Python and NumPy, as people write them: nothing here knows of adviz."""

from __future__ import annotations

import numpy as np


def runge_kutta(f, y, t_end, steps):
    """The classical fourth-order method."""
    h, t = t_end / steps, 0.0
    for _ in range(steps):
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
    return y


def pendulum(x):
    """Angle and speed of a damped pendulum after two seconds, from angle, speed and length."""
    return runge_kutta(lambda t, y: np.stack([y[1], -9.81 / x[2] * np.sin(y[0]) - 0.1 * y[1]]), x[:2], 2.0, 20)


def heron(x):
    """Square roots by Heron's rule, until two rounds agree."""
    guess = 1.0
    while True:
        better = (guess + x / guess) / 2
        if abs(better - guess) < 1e-12:
            return better
        guess = better


def cholesky(A):
    """The lower triangular factor, by loops."""
    n = len(A)
    L = np.zeros((n, n), dtype=object)
    for i in range(n):
        for j in range(i + 1):
            s = A[i, j]
            for k in range(j):
                s = s - L[i, k] * L[j, k]
            L[i, j] = np.sqrt(s) if i == j else s / L[j, j]
    return L


def gram_schmidt(A):
    """Orthonormal columns, one after the other."""
    columns = []
    for a in A.T:
        for q in columns:
            a = a - np.dot(q, a) * q
        columns.append(a / np.linalg.norm(a))
    return np.column_stack(columns)


def rotate(q, v):
    """A vector turned by a quaternion."""
    w, x, y, z = q / np.sqrt(np.sum(q * q))
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    return R @ v


def logsumexp(z, axis):
    """By hand, without overflow."""
    top = np.max(z, axis=axis, keepdims=True)
    return np.log(np.sum(np.exp(z - top), axis=axis)) + np.squeeze(top, axis)


def softmax_regression(W, b, x, labels):
    """Mean cross entropy."""
    z = x @ W + b
    return np.mean(logsumexp(z, 1) - z[np.arange(len(labels)), labels])


def two_layer(W1, b1, W2, b2, x, labels):
    """The loss of a network with one hidden layer of tanh."""
    return softmax_regression(W2, b2, np.tanh(x @ W1 + b1), labels)


def attention(Q, K, V):
    """Scaled dot products, softmax over keys."""
    scores = Q @ K.T / np.sqrt(K.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ V


def planets(x):
    """Energy of three bodies after some leapfrog steps; positions and speeds are halves of ``x``."""
    position, velocity = np.reshape(x, (2, 3, 2))

    def force(position):
        total = 0
        for i in range(3):
            for j in range(3):
                if i != j:
                    d = position[j] - position[i]
                    pull = d / (np.sum(d * d) + 0.1) ** 1.5
                    total = total + np.outer(np.arange(3) == i, pull)
        return total

    for _ in range(5):
        velocity = velocity + 0.05 * force(position)
        position = position + 0.1 * velocity
        velocity = velocity + 0.05 * force(position)
    return np.sum(velocity**2) / 2


def recurrence(x, n):
    """A logistic map with memory, in place, entry by entry: about five nodes per round."""
    state = np.array([x[0], x[1], 0.0])
    for k in range(n):
        i = k % 3
        state[i] = x[2] * state[i - 1] * (1 - state[i - 2]) + 0.1
    return state
