"""Programs on arrays, recorded at one point with their gradients: values and gradients are right at other points."""

import re
import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings

import adviz as ad
from tests.engine.symbolic import gradient_graph, recomputed

from ..engine.derivatives import assert_close
from .programs import OPERATIONS, Program, programs
from .writing_programs import program

NAMES = OPERATIONS.keys() - {"by number"}
"""Without those that Python decides."""


def check(f, example, points, kinds=()):
    """Compare what is recorded at an example with the engine at points; arguments of ``kinds`` are labels and masks."""
    floats = tuple(k for k in range(len(example)) if k not in kinds)
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        graph = gradient_graph(f, *example)
        for point in points:
            value, *found = recomputed(graph, *point)
            wanted, gradients = ad.value_and_grad(f, argnums=floats)(*point)
            assert_close(value, wanted, 1e-10)
            for k, gradient in zip(floats, gradients, strict=True):
                assert_close(found[k], gradient, 1e-9)


def others(program: Program):
    rng = np.random.default_rng(7)
    drawn = [[rng.uniform(-1.5, 1.5, shape) for shape in program.shapes] for _ in range(3)]
    return [[float(x) if x.ndim == 0 else x for x in inputs] for inputs in drawn]


@given(programs(names=NAMES))
@settings(max_examples=60)
def test_random_programs(program):
    check(partial(program.loss, np), program.inputs(), others(program))


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_operation_alone(name):
    for shape in ((3,), (2, 3), ()):
        count = 2 if name not in NAMES or OPERATIONS[name].__code__.co_argcount == 3 else 1
        program = Program((shape,) * count, ((name, tuple(range(count))),), (count,))
        check(partial(program.loss, np), program.inputs(), others(program))


UNKNOWN_SIZE = re.compile(r"\[(np\.abs\()?\w+\)? [<>] |np\.place\(")
"""What reads or writes as many entries as the values say."""
WRITING = {seed: each for seed, each in enumerate(map(program, range(120))) if not UNKNOWN_SIZE.search(each.text)}


@pytest.mark.parametrize("written", WRITING.values(), ids=map(str, WRITING))
def test_programs_that_write_into_arrays(written):
    def loss(x):
        found = written.function(x)
        return np.sum(found * np.cos(np.arange(float(np.size(found)))))

    check(loss, (written.point,), [(written.point[::-1].copy(),), (-written.point,)])


# ---- programs as they are written ----


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


@pytest.mark.parametrize(("f", "example", "swapped"), WRITTEN.values(), ids=WRITTEN)
def test_programs_as_they_are_written(f, example, swapped):
    rng = np.random.default_rng(8)
    moved = [
        swapped.get(k, x) if k in swapped else x + 0.2 * rng.normal(size=np.shape(x)) for k, x in enumerate(example)
    ]
    check(f, example, [example, tuple(moved)], tuple(swapped))


@pytest.mark.parametrize(("f", "example", "swapped"), WRITTEN.values(), ids=WRITTEN)
def test_a_gradient_within_a_program(f, example, swapped):
    direction = np.cos(np.arange(float(np.size(example[0])))).reshape(np.shape(example[0]))

    def slope(x, *others):
        return np.sum(ad.grad(f)(x, *others) * direction)

    elsewhere = {k: 1.1 * x for k, x in enumerate(example) if k not in swapped} | swapped
    check(slope, example, [tuple(elsewhere[k] for k in range(len(example)))], tuple(swapped))
