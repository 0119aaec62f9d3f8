"""Programs that people write, built as ops and taken over from traces: values and derivatives are those of others."""

import numpy as np
import pytest
import scipy.optimize
import scipy.special

import adviz as ad
from adviz import lazy

DRAWN = np.random.default_rng(19)


def normal(*shape):
    return DRAWN.normal(size=shape)


def lstm_cell(x, h, c, W, U, b):
    sigmoid = scipy.special.expit
    n = h.shape[-1]
    gates = x @ W + h @ U + b
    i, f, o, g = (gates[..., k * n : (k + 1) * n] for k in range(4))
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return np.sum(sigmoid(o) * np.tanh(c))


def attention_head(x, Q, K, V):
    q, k, v = x @ Q, x @ K, x @ V
    scores = q @ k.T / np.sqrt(q.shape[-1])
    scores = np.where(np.tri(scores.shape[0]) > 0, scores, -1e9)
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return np.sum((weights / np.sum(weights, axis=-1, keepdims=True)) @ v) ** 2


def kalman_filter(A, C, q, r, ys):
    n = A.shape[0]
    m, P, total = np.zeros(n), np.eye(n), 0.0
    for k in range(ys.shape[0]):
        m, P = A @ m, A @ P @ A.T + q * np.eye(n)
        S = C @ P @ C.T + r * np.eye(C.shape[0])
        e = ys[k] - C @ m
        G = P @ C.T @ np.linalg.inv(S)
        m, P = m + G @ e, P - G @ C @ P
        total = total + e @ np.linalg.solve(S, e) + np.log(np.linalg.det(S))
    return 0.5 * total


def gaussian_process(x, y, scale, noise):
    d = x[:, None] - x[None, :]
    K = np.exp(-0.5 * d**2 / scale**2) + noise * np.eye(x.shape[0])
    L = np.linalg.cholesky(K)
    return 0.5 * y @ np.linalg.solve(K, y) + np.sum(np.log(np.diagonal(L)))


def pagerank(links, damping):
    share = links / np.sum(links, axis=0)
    n = links.shape[0]
    rank = np.ones(n) / n
    for _ in range(30):
        rank = damping * share @ rank + (1 - damping) / n
    return np.sum(rank * np.arange(float(n)))


def heat(u, k):
    for _ in range(5):
        inner = u[1:-1, 1:-1] + k * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
        u = np.pad(inner, 1)
    return np.sum(u**2)


PROGRAMS = {
    "scipy's rosen": (scipy.optimize.rosen, (normal(5),)),
    "scipy's rosen_der": (lambda x: np.sum(scipy.optimize.rosen_der(x) ** 2), (normal(5),)),
    "scipy's logsumexp": (lambda x: scipy.special.logsumexp(x), (normal(6),)),
    "scipy's softmax": (lambda x: np.sum(scipy.special.softmax(x, axis=1) ** 2), (normal(3, 4),)),
    "LSTM cell": (lstm_cell, (normal(4, 3), normal(4, 2), normal(4, 2), normal(3, 8), normal(2, 8), normal(8))),
    "attention head": (attention_head, (normal(5, 4), normal(4, 3), normal(4, 3), normal(4, 3))),
    "Kalman filter": (kalman_filter, (0.5 * normal(3, 3), normal(2, 3), 0.3, 0.2, normal(4, 2))),
    "Gaussian process": (gaussian_process, (normal(5), normal(5), 0.7, 0.2)),
    "PageRank": (pagerank, (DRAWN.random((5, 5)) + 0.1, 0.85)),
    "heat equation": (heat, (normal(6, 7), 0.1)),
}
OF_ARRAYS = {"scipy's rosen", "scipy's rosen_der", "scipy's logsumexp", "scipy's softmax"}
"""Programs that make arrays of their arguments: they are traced, and cannot be built."""


def agrees(f, inputs, results, params):
    """Assert that a value and its derivatives are those of the engine."""
    slopes = [lazy.deriv(results, param) for param in params]
    value, *found = lazy.computation([results, *slopes], *params, store=lazy.Store())(*inputs)
    np.testing.assert_allclose(value, f(*inputs), rtol=1e-10)
    for one, other in zip(found, ad.grad(f, argnums=range(len(inputs)))(*inputs), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-9)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_traced_programs_are_ops(name):
    f, inputs = PROGRAMS[name]
    (result,), params = lazy.from_graph(ad.trace(f, *inputs))
    agrees(f, inputs, result, params)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - OF_ARRAYS))
def test_programs_build_ops_as_they_are_written(name):
    f, inputs = PROGRAMS[name]
    params = [lazy.placeholder(np.shape(each)) for each in inputs]
    agrees(f, inputs, f(*params), params)


def test_the_heat_equation_is_stepped_in_storage():
    start, k = normal(6, 7), lazy.placeholder((), name="k")
    u = lazy.variable((6, 7), start, name="u")
    with lazy.isolated():
        new = u[1:-1, 1:-1] + k * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
        u[1:-1, 1:-1] = new
        step = lazy.computation(u, k, store=lazy.Store())
    expected = start.copy()
    for _ in range(20):
        expected[1:-1, 1:-1] += 0.1 * (
            expected[2:, 1:-1] + expected[:-2, 1:-1] + expected[1:-1, 2:] + expected[1:-1, :-2]
            - 4 * expected[1:-1, 1:-1]
        )  # fmt: skip
        np.testing.assert_allclose(step(0.1), expected, rtol=1e-12)


def test_a_program_that_makes_arrays_of_its_arguments_is_told_how_it_becomes_ops():
    with pytest.raises(lazy.OpError, match=r"is traced first: ad\.lazy\.from_graph\(ad\.trace\(f, example\)\)"):
        np.asarray(lazy.placeholder((5,)))


@pytest.mark.parametrize("f", [scipy.optimize.rosen, scipy.special.softmax, scipy.special.logsumexp])
def test_so_it_is_of_functions_of_scipy_that_are_written_in_python(f):
    with pytest.raises(lazy.OpError, match=r"is traced first: ad\.lazy\.from_graph\(ad\.trace\(f, example\)\)"):
        f(lazy.placeholder((5,)))
