"""Programs on arrays that can be recorded at one point and are right at other points."""

import re

import numpy as np

from .programs import OPERATIONS, Program
from .writing_programs import program

NAMES = OPERATIONS.keys() - {"by number"}
"""Without those that Python decides."""


def others(program: Program):
    rng = np.random.default_rng(7)
    drawn = [[rng.uniform(-1.5, 1.5, shape) for shape in program.shapes] for _ in range(3)]
    return [[float(x) if x.ndim == 0 else x for x in inputs] for inputs in drawn]


UNKNOWN_SIZE = re.compile(r"\[(np\.abs\()?\w+\)? [<>] |np\.place\(")
"""What reads or writes as many entries as the values say."""
WRITING = {seed: each for seed, each in enumerate(map(program, range(120))) if not UNKNOWN_SIZE.search(each.text)}


def drawn(*shapes: tuple[int, ...]):
    rng = np.random.default_rng(5)
    return tuple(rng.normal(size=shape) for shape in shapes)


def network(W1, b1, W2, b2, X, labels):
    logits = np.tanh(X @ W1 + b1) @ W2 + b2
    logits = logits - logits.max(axis=1, keepdims=True)
    chosen = logits[np.arange(len(X)), labels] - np.log(np.sum(np.exp(logits), axis=1))
    return -np.mean(chosen)


def recurrent_cell(Wx, Wh, b, X):
    n = len(Wh)
    h, c, states = np.zeros(n), np.zeros(n), np.zeros((len(X), n))
    for t in range(len(X)):
        i, f, o, g = np.split(X[t] @ Wx + h @ Wh + b, 4)
        c = c / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
        h = np.tanh(c) / (1 + np.exp(-o))
        states[t] = h
    return np.sum(states**2)


def attention_head(X, Q, K, V, mask):
    scores = np.where(mask, X @ Q @ (X @ K).T / np.sqrt(Q.shape[1]), -1e9)
    scores = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    scores /= scores.sum(axis=-1, keepdims=True)
    return np.sum((scores @ X @ V) ** 2)


def segments(x, groups):
    sums = np.zeros(3)
    np.add.at(sums, groups, x)
    return np.sum(sums**2) + np.sort(x)[-1] + np.median(x)


LABELS, OTHERS = np.array([0, 2, 1, 1, 0]), np.array([2, 2, 0, 1, 1])
WRITTEN = {
    "network": (network, (*drawn((4, 6), (6,), (6, 3), (3,), (5, 4)), LABELS), {5: OTHERS}),
    "recurrent cell": (recurrent_cell, drawn((3, 8), (2, 8), (8,), (4, 3)), {}),
    "attention head": (
        attention_head,
        (*drawn(*[(3, 3)] * 4), np.tri(3, dtype=bool)),
        {4: ~np.tri(3, k=-1, dtype=bool)},
    ),
    "segments": (segments, (*drawn((5,)), LABELS), {1: OTHERS}),
}
