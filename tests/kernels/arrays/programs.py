"""Ten programs on arrays that people know, each with its gradient as a person writes it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Known(NamedTuple):
    """A function, arguments drawn at random, which of them to differentiate with respect to, the gradient by hand."""

    function: Callable[..., Any]
    draw: Callable[[Any], tuple[Any, ...]]
    inputs: tuple[int, ...]
    by_hand: Callable[..., Any]


# ---- a network ----


def network(W1, b1, W2, b2, x, t):
    h = np.tanh(x @ W1 + b1)
    z = h @ W2 + b2
    top = np.max(z, axis=1, keepdims=True)
    logp = z - top - np.log(np.sum(np.exp(z - top), axis=1, keepdims=True))
    return -np.mean(np.sum(t * logp, axis=1))


def network_by_hand(W1, b1, W2, b2, x, t):
    h = np.tanh(x @ W1 + b1)
    z = h @ W2 + b2
    shifted = z - np.max(z, axis=1, keepdims=True)
    e = np.exp(shifted)
    total = np.sum(e, axis=1, keepdims=True)
    logp = shifted - np.log(total)
    value = -np.mean(np.sum(t * logp, axis=1))
    z_adj = (np.sum(t, axis=1, keepdims=True) * e / total - t) / len(x)
    W2_adj = h.T @ z_adj
    b2_adj = np.sum(z_adj, axis=0)
    a_adj = z_adj @ W2.T * (1 - h**2)
    W1_adj = x.T @ a_adj
    b1_adj = np.sum(a_adj, axis=0)
    return value, (W1_adj, b1_adj, W2_adj, b2_adj)


# ---- logistic regression ----


def logistic_regression(w, b, X, y, decay):
    score = X @ w + b
    loss = np.mean(np.logaddexp(0.0, -y * score))
    return loss + 0.5 * decay * np.sum(w**2)


def logistic_regression_by_hand(w, b, X, y, decay):
    score = X @ w + b
    loss = np.mean(np.logaddexp(0, -y * score))
    value = loss + decay / 2 * np.sum(w**2)
    score_adj = -y / (1 + np.exp(y * score)) / len(y)
    w_adj = X.T @ score_adj + decay * w
    b_adj = np.sum(score_adj)
    return value, (w_adj, b_adj)


# ---- softmax and cross-entropy ----


def cross_entropy(z, t):
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    return -np.mean(np.sum(t * np.log(p), axis=1))


def cross_entropy_by_hand(z, t):
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    value = -np.mean(np.sum(t * np.log(p), axis=1))
    z_adj = (np.sum(t, axis=1, keepdims=True) * p - t) / len(z)
    return value, z_adj


# ---- a recurrent cell ----


def recurrent(W, U, b, v, xs, target):
    h = np.zeros(len(b))
    for x in xs:
        h = np.tanh(W @ h + U @ x + b)
    return (v @ h - target) ** 2


def recurrent_by_hand(W, U, b, v, xs, target):
    hs = [np.zeros(len(b))]
    for x in xs:
        hs.append(np.tanh(W @ hs[-1] + U @ x + b))
    error = v @ hs[-1] - target
    value = error**2
    v_adj = 2 * error * hs[-1]
    h_adj = 2 * error * v
    W_adj, U_adj, b_adj = np.zeros_like(W), np.zeros_like(U), np.zeros_like(b)
    for k in reversed(range(len(xs))):
        a_adj = h_adj * (1 - hs[k + 1] ** 2)
        W_adj += np.outer(a_adj, hs[k])
        U_adj += np.outer(a_adj, xs[k])
        b_adj += a_adj
        h_adj = W.T @ a_adj
    return value, (W_adj, U_adj, b_adj, v_adj)


# ---- an LSTM ----


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


def lstm_by_hand(W, U, b, xs, target):
    h, c = np.zeros(3), np.zeros(3)
    steps = []
    for x in xs:
        z = W @ h + U @ x + b
        i, f, o = sigmoid(z[:3]), sigmoid(z[3:6]), sigmoid(z[6:9])
        g = np.tanh(z[9:])
        before = h, c
        c = f * c + i * g
        r = np.tanh(c)
        h = o * r
        steps.append((*before, x, i, f, o, g, r))
    value = np.sum((h - target) ** 2)
    h_adj, c_adj = 2 * (h - target), np.zeros(3)
    W_adj, U_adj, b_adj = np.zeros_like(W), np.zeros_like(U), np.zeros_like(b)
    for h, c, x, i, f, o, g, r in reversed(steps):
        c_adj = c_adj + h_adj * o * (1 - r**2)
        i_adj = c_adj * g * i * (1 - i)
        f_adj = c_adj * c * f * (1 - f)
        o_adj = h_adj * r * o * (1 - o)
        g_adj = c_adj * i * (1 - g**2)
        z_adj = np.concatenate([i_adj, f_adj, o_adj, g_adj])
        W_adj += np.outer(z_adj, h)
        U_adj += np.outer(z_adj, x)
        b_adj += z_adj
        h_adj = W.T @ z_adj
        c_adj = c_adj * f
    return value, (W_adj, U_adj, b_adj)


# ---- an attention head ----


def attention(Wq, Wk, Wv, x, target):
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    score = q @ k.T / np.sqrt(q.shape[-1])
    e = np.exp(score - np.max(score, axis=-1, keepdims=True))
    p = e / np.sum(e, axis=-1, keepdims=True)
    y = p @ v
    return np.mean((y - target) ** 2)


def attention_by_hand(Wq, Wk, Wv, x, target):
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    scale = np.sqrt(q.shape[-1])
    score = q @ k.T / scale
    e = np.exp(score - np.max(score, axis=-1, keepdims=True))
    p = e / np.sum(e, axis=-1, keepdims=True)
    error = p @ v - target
    value = np.mean(error**2)
    y_adj = 2 * error / error.size
    p_adj = y_adj @ v.T
    score_adj = p * (p_adj - np.sum(p_adj * p, axis=-1, keepdims=True)) / scale
    Wq_adj = x.T @ (score_adj @ k)
    Wk_adj = x.T @ (score_adj.T @ q)
    Wv_adj = x.T @ (p.T @ y_adj)
    return value, (Wq_adj, Wk_adj, Wv_adj)


# ---- a convolution ----


def convolution(K, b, image, target):
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3))
    y = np.einsum("ijkl,ckl->cij", windows, K) + b[:, None, None]
    a = np.maximum(y, 0.0)
    pooled = np.mean(a, axis=(1, 2))
    return np.sum((pooled - target) ** 2)


def convolution_by_hand(K, b, image, target):
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3))
    y = np.einsum("ijkl,ckl->cij", windows, K) + b[:, None, None]
    error = np.mean(np.maximum(y, 0), axis=(1, 2)) - target
    value = np.sum(error**2)
    pooled_adj = 2 * error / y[0].size
    y_adj = pooled_adj[:, None, None] * (y > 0)
    K_adj = np.einsum("ijkl,cij->ckl", windows, y_adj)
    b_adj = np.sum(y_adj, axis=(1, 2))
    return value, (K_adj, b_adj)


# ---- a Gaussian process ----


def gaussian_process(log_length, log_amplitude, log_noise, x, y):
    d = (x[:, None] - x[None, :]) / np.exp(log_length)
    K = np.exp(2 * log_amplitude) * np.exp(-0.5 * d**2) + np.exp(2 * log_noise) * np.eye(len(x))
    L = np.linalg.cholesky(K)
    a = np.linalg.solve(L, y)
    return 0.5 * a @ a + np.sum(np.log(np.diagonal(L))) + 0.5 * len(x) * np.log(2 * np.pi)


def gaussian_process_by_hand(log_length, log_amplitude, log_noise, x, y):
    d = (x[:, None] - x) / np.exp(log_length)
    amplitude, noise = np.exp(2 * log_amplitude), np.exp(2 * log_noise)
    signal = amplitude * np.exp(-(d**2) / 2)
    K = signal + noise * np.eye(len(x))
    L = np.linalg.cholesky(K)
    a = np.linalg.solve(L, y)
    value = a @ a / 2 + np.sum(np.log(np.diag(L))) + len(x) * np.log(2 * np.pi) / 2
    alpha = np.linalg.solve(L.T, a)
    K_adj = (np.linalg.inv(K) - np.outer(alpha, alpha)) / 2
    signal_adj = K_adj * signal
    log_length_adj = np.sum(signal_adj * d**2)
    log_amplitude_adj = 2 * np.sum(signal_adj)
    log_noise_adj = 2 * noise * np.trace(K_adj)
    return value, (log_length_adj, log_amplitude_adj, log_noise_adj)


# ---- a Kalman filter ----


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


def kalman_by_hand(A, C, Q, R, ys):
    m, P, value, steps = np.zeros(3), np.eye(3), 0.0, []
    for y in ys:
        m0, P0 = m, P
        m, P = A @ m, A @ P @ A.T + Q
        S = C @ P @ C.T + R
        r = y - C @ m
        inverse = np.linalg.inv(S)
        G = P @ C.T @ inverse
        steps.append((m0, P0, m, P, inverse, r, G))
        m, P = m + G @ r, P - G @ C @ P
        value += (r @ inverse @ r + np.linalg.slogdet(S)[1]) / 2
    A_adj, C_adj, m_adj, P_adj = np.zeros_like(A), np.zeros_like(C), np.zeros(3), np.zeros((3, 3))
    for m0, P0, m, P, inverse, r, G in reversed(steps):
        G_adj = np.outer(m_adj, r) - P_adj @ (C @ P).T
        C_adj -= G.T @ P_adj @ P.T
        r_adj = inverse @ r + G.T @ m_adj
        P_adj = P_adj - (G @ C).T @ P_adj + G_adj @ inverse @ C
        C_adj += (P @ G_adj @ inverse).T
        S_adj = inverse / 2 - np.outer(inverse @ r, inverse @ r) / 2 - G.T @ G_adj @ inverse
        C_adj += S_adj @ C @ P.T + S_adj.T @ C @ P - np.outer(r_adj, m)
        P_adj = P_adj + C.T @ S_adj @ C
        m_adj = m_adj - C.T @ r_adj
        A_adj += np.outer(m_adj, m0) + P_adj @ A @ P0.T + P_adj.T @ A @ P0
        m_adj, P_adj = A.T @ m_adj, A.T @ P_adj @ A
    return value, (A_adj, C_adj)


# ---- bodies that attract each other ----


def bodies(x, v, m):
    for _ in range(5):
        d = x[None] - x[:, None]
        r = np.sum(d**2, axis=-1) + 0.1
        a = np.sum(m[None, :, None] * d / (r**1.5)[..., None], axis=1)
        v = v + 0.01 * a
        x = x + 0.01 * v
    return np.sum(x**2)


def bodies_by_hand(x, v, m):
    positions = []
    for _ in range(5):
        positions.append(x)
        d = x[None] - x[:, None]
        r = np.sum(d**2, axis=-1)[..., None] + 0.1
        v = v + 0.01 * np.sum(m[:, None] * d / r**1.5, axis=1)
        x = x + 0.01 * v
    value = np.sum(x**2)
    x_adj, v_adj = 2 * x, np.zeros_like(v)
    for x in reversed(positions):
        d = x[None] - x[:, None]
        r = np.sum(d**2, axis=-1)[..., None] + 0.1
        v_adj = v_adj + 0.01 * x_adj
        f_adj = 0.01 * v_adj[:, None] * m[:, None]
        d_adj = f_adj / r**1.5 - 3 * d * np.sum(f_adj * d, axis=-1, keepdims=True) / r**2.5
        x_adj = x_adj + np.sum(d_adj, axis=0) - np.sum(d_adj, axis=1)
    return value, (x_adj, v_adj)


def _one_hot(draw, rows, columns):
    return np.eye(columns)[draw.integers(0, columns, rows)]


KNOWN = {
    "network": Known(
        network,
        lambda draw: (*_normal(draw, (4, 5), 5, (5, 3), 3, (8, 4)), _one_hot(draw, 8, 3)),
        (0, 1, 2, 3),
        network_by_hand,
    ),
    "logistic_regression": Known(
        logistic_regression,
        lambda draw: (*_normal(draw, 4, (), (8, 4)), np.sign(draw.normal(size=8)), 0.1),
        (0, 1),
        logistic_regression_by_hand,
    ),
    "cross_entropy": Known(
        cross_entropy, lambda draw: (*_normal(draw, (8, 3)), _one_hot(draw, 8, 3)), (0,), cross_entropy_by_hand
    ),
    "recurrent": Known(
        recurrent, lambda draw: _normal(draw, (4, 4), (4, 2), 4, 4, (6, 2), ()), (0, 1, 2, 3), recurrent_by_hand
    ),
    "lstm": Known(lstm, lambda draw: _normal(draw, (12, 3), (12, 2), 12, (5, 2), 3), (0, 1, 2), lstm_by_hand),
    "attention": Known(
        attention, lambda draw: _normal(draw, (4, 5), (4, 5), (4, 3), (7, 4), (7, 3)), (0, 1, 2), attention_by_hand
    ),
    "convolution": Known(convolution, lambda draw: _normal(draw, (2, 3, 3), 2, (7, 8), 2), (0, 1), convolution_by_hand),
    "gaussian_process": Known(
        gaussian_process, lambda draw: (0.1, 0.2, -1.0, *_normal(draw, 6, 6)), (0, 1, 2), gaussian_process_by_hand
    ),
    "kalman": Known(
        kalman,
        lambda draw: (*_normal(draw, (3, 3), (2, 3)), 0.3 * np.eye(3), 0.2 * np.eye(2), *_normal(draw, (4, 2))),
        (0, 1),
        kalman_by_hand,
    ),
    "bodies": Known(bodies, lambda draw: (*_normal(draw, (3, 2), (3, 2)), 1 + draw.random(3)), (0, 1), bodies_by_hand),
}


def _normal(draw, *shapes):
    return tuple(0.5 * draw.normal(size=shape) for shape in shapes)
