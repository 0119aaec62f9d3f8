"""Textbook algorithms in plain Python and NumPy, as people write them: nothing here knows of adviz."""

from __future__ import annotations

import math

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


def lu_solve(A, b):
    """Gaussian elimination with partial pivoting, on copies, in place."""
    A, b = np.array(A), np.array(b)
    n = len(b)
    for k in range(n):
        pivot = k + np.argmax(np.abs(A[k:, k]))
        A[[k, pivot]], b[[k, pivot]] = A[[pivot, k]], b[[pivot, k]]
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            A[i, k:] -= factor * A[k, k:]
            b[i] -= factor * b[k]
    x = np.zeros_like(b)
    for i in reversed(range(n)):
        x[i] = (b[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return x


def gram_schmidt(A):
    """Orthonormal columns, one after the other."""
    columns = []
    for a in A.T:
        for q in columns:
            a = a - np.dot(q, a) * q
        columns.append(a / np.linalg.norm(a))
    return np.column_stack(columns)


def fft(real, imaginary):
    """Cooley and Tukey's recursion on real and imaginary parts."""
    n = len(real)
    if n == 1:
        return real, imaginary
    (a, b), (c, d) = fft(real[::2], imaginary[::2]), fft(real[1::2], imaginary[1::2])
    cosine, sine = np.cos(2 * np.pi * np.arange(n // 2) / n), -np.sin(2 * np.pi * np.arange(n // 2) / n)
    e, f = cosine * c - sine * d, cosine * d + sine * c
    return np.concatenate([a + e, a - e]), np.concatenate([b + f, b - f])


def power_spectrum(x):
    real, imaginary = fft(x, 0 * x)
    return real**2 + imaginary**2


def normal_cdf(x):
    """The normal distribution by Abramowitz and Stegun 26.2.17."""
    t = 1 / (1 + 0.2316419 * np.abs(x))
    series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = np.exp(-x * x / 2) / math.sqrt(2 * math.pi) * series
    return np.where(x > 0, 1 - tail, tail)


def black_scholes(x):
    """The price of a call from spot, strike, time, rate and volatility."""
    spot, strike, time, rate, volatility = x
    d1 = (np.log(spot / strike) + (rate + volatility**2 / 2) * time) / (volatility * np.sqrt(time))
    d2 = d1 - volatility * np.sqrt(time)
    return spot * normal_cdf(d1) - strike * np.exp(-rate * time) * normal_cdf(d2)


def kalman_step(x, P, z, F, H, Q, R):
    """One prediction and one update with a measurement of one number."""
    x, P = F @ x, F @ P @ F.T + Q
    S = H @ P @ H.T + R
    K = P @ H.T / S
    return x + (K * (z - H @ x)).ravel(), (np.eye(len(x)) - K @ H) @ P


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


def levinson(r):
    """Coefficients of linear prediction from autocorrelations."""
    a, error = [1.0], r[0]
    for k in range(1, len(r)):
        reflection = -sum(a[j] * r[k - j] for j in range(k)) / error
        a = [
            *[a[j] + reflection * a[k - j] if j else a[0] for j in range(k)],
            reflection * a[0],
        ]
        error = error * (1 - reflection**2)
    return np.array(a)


def natural_spline(knots, values, at):
    """A cubic spline through points, evaluated at one place: Thomas's algorithm for the second derivatives."""
    n, h = len(knots) - 1, np.diff(knots)
    slopes = np.diff(values) / h
    diagonal, right = [], []
    for i in range(1, n):
        d, r = 2 * (h[i - 1] + h[i]), 6 * (slopes[i] - slopes[i - 1])
        if diagonal:
            w = h[i - 1] / diagonal[-1]
            d, r = d - w * h[i - 1], r - w * right[-1]
        diagonal.append(d)
        right.append(r)
    second = [0.0] * (n + 1)
    for i in reversed(range(1, n)):
        second[i] = (right[i - 1] - h[i] * second[i + 1]) / diagonal[i - 1]
    i = min(np.searchsorted(knots, at, side="right") - 1, n - 1)
    t = at - knots[i]
    b = slopes[i] - h[i] * (2 * second[i] + second[i + 1]) / 6
    return values[i] + t * (b + t * (second[i] / 2 + t * (second[i + 1] - second[i]) / (6 * h[i])))


def power_iteration(A, rounds=30):
    """The largest eigenvalue of a symmetric matrix."""
    v = np.ones(len(A))
    for _ in range(rounds):
        v = A @ v
        v /= np.linalg.norm(v)
    return v @ A @ v


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
