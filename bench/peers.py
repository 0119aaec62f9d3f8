"""The programs of the benchmarks, in every library's own idiom.

A peer is a function that imports its library and gives a :class:`Task`: ``trace()`` writes down the program and
``gradient(traced)`` sweeps back over what was written; these are what ``trace.py`` measures. A :class:`Program` is
written once for all libraries that look like NumPy; these are what ``engine.py`` measures.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

PER_ITERATION = 4
"""Nodes that one iteration of the chain makes."""

START = 1.3
"""Where the chain starts; from there it sinks slowly, and neither it nor its derivative gets too small for a float."""


class Task(NamedTuple):
    """A program in one library: write it down, then sweep back; the gradient is compared between libraries."""

    trace: Callable[[], Any]
    gradient: Callable[[Any], Any]


# ---- a chain of scalar operations ----


def chain(nodes: int, xp: Any) -> Callable[[Any], Any]:
    """The program, with the sine of a library."""

    def program(x: Any) -> Any:
        for _ in range(nodes // PER_ITERATION):
            x = xp.sin(x) * x * (-0.01) + x
        return x

    return program


def chain_adviz(nodes: int) -> Task:
    """Unmodified NumPy code."""
    import adviz
    from adviz.engine.sweeps import sweeps

    def gradient(graph: Any) -> float:
        return float(sweeps(graph).reverse({graph.outputs[0]: 1.0})[graph.inputs[0]])

    program = chain(nodes, np)
    return Task(lambda: adviz.trace(program, START), gradient)


def chain_autograd(nodes: int) -> Task:
    """HIPS autograd: ``make_vjp`` runs the program and keeps its nodes."""
    import autograd.numpy as anp
    from autograd import make_vjp

    program = chain(nodes, anp)
    return Task(lambda: make_vjp(program)(START)[0], lambda vjp: float(vjp(1.0)))


def chain_torch(nodes: int) -> Task:
    """PyTorch, eager, on tensors without axes."""
    import torch

    torch.set_num_threads(1)
    program = chain(nodes, torch)

    def trace() -> Any:
        start = torch.tensor(START, dtype=torch.float64, requires_grad=True)
        return start, program(start)

    def gradient(traced: Any) -> float:
        start, end = traced
        end.backward()
        return float(start.grad)

    return Task(trace, gradient)


CHAIN = {"adviz": chain_adviz, "autograd": chain_autograd, "torch": chain_torch}


# ---- a network of arrays: 64 inputs, 64 hidden, 10 classes, a batch of 128 ----


def weights_and_data() -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Weights, a batch of handwritten digits, and one row of ones and zeros per digit."""
    from sklearn.datasets import load_digits

    random, digits = np.random.default_rng(0), load_digits()
    weights = [0.1 * random.normal(size=shape) for shape in ((64, 64), (64,), (64, 10), (10,))]
    return weights, digits.data[:128] / 16, np.eye(10)[digits.target[:128]]


def loss(xp: Any, weights: Any, batch: Any, targets: Any) -> Any:
    """Mean cross-entropy of a network with one hidden layer, written with the functions of ``xp``."""
    first, first_bias, second, second_bias = weights
    scores = xp.tanh(batch @ first + first_bias) @ second + second_bias
    return xp.mean(xp.log(xp.sum(xp.exp(scores), axis=1)) - xp.sum(scores * targets, axis=1))


PLAIN = "NumPy, forward only"


# ---- programs written once, for every library that looks like NumPy ----


class Program(NamedTuple):
    """A function, its arguments (it is differentiated with respect to the first), and its derivative by hand.

    ``write(xp)`` gives the function in terms of the library ``xp``, ``scanned()`` in terms of the loops that JAX
    compiles without writing them out. ``by_hand(*arguments)`` gives value and gradient, or the Jacobian.
    """

    write: Callable[[Any], Callable[..., Any]]
    arguments: tuple[Any, ...]
    by_hand: Callable[..., Any]
    scanned: Callable[[], Callable[..., Any]] | None = None
    is_jacobian: bool = False


def scalar_loop(operations: int) -> Program:
    """The chain of scalar operations."""
    iterations = operations // PER_ITERATION

    def by_hand(x: float) -> tuple[float, float]:
        tangent = 1.0
        for _ in range(iterations):
            sine = math.sin(x)
            tangent *= 1 - 0.01 * (math.cos(x) * x + sine)
            x = sine * x * (-0.01) + x
        return x, tangent

    def scanned() -> Callable[..., Any]:
        from jax import lax, numpy

        return lambda x: lax.fori_loop(0, iterations, lambda _, x: numpy.sin(x) * x * (-0.01) + x, x)

    return Program(partial(chain, operations), (START,), by_hand, scanned)


def network() -> Program:
    """The network with one hidden layer."""

    def by_hand(weights: Any, batch: Any, targets: Any) -> Any:
        first, first_bias, second, second_bias = weights
        hidden = np.tanh(batch @ first + first_bias)
        scores = hidden @ second + second_bias
        powers = np.exp(scores)
        sums = np.sum(powers, axis=1)
        value = np.mean(np.log(sums) - np.sum(scores * targets, axis=1))
        by_scores = (powers / sums[:, None] - targets) / len(batch)
        by_hidden = (by_scores @ second.T) * (1 - hidden * hidden)
        return value, [
            batch.T @ by_hidden,
            np.sum(by_hidden, axis=0),
            hidden.T @ by_scores,
            np.sum(by_scores, axis=0),
        ]

    return Program(lambda xp: lambda *arguments: loss(xp, *arguments), weights_and_data(), by_hand)


def elementwise() -> Program:
    """A chain of elementwise functions of a million numbers."""

    def write(xp: Any) -> Callable[..., Any]:
        return lambda x: xp.sum(xp.exp(-x * x) * xp.sin(x) + x / (1 + x * x))

    def by_hand(x: Any) -> tuple[Any, Any]:
        square = x * x
        bell, sine, below = np.exp(-square), np.sin(x), 1 + square
        value = np.sum(bell * sine + x / below)
        return value, bell * (np.cos(x) - 2 * x * sine) + (1 - square) / (below * below)

    return Program(write, (np.random.default_rng(0).normal(size=1_000_000),), by_hand)


def cross_entropy() -> Program:
    """Mean cross-entropy of 1000 rows of scores for 1000 classes, written so that nothing overflows."""
    random = np.random.default_rng(0)
    rows, labels = np.arange(1000), random.integers(1000, size=1000)

    def write(xp: Any) -> Callable[..., Any]:
        def entropy(scores: Any) -> Any:
            shifted = scores - xp.amax(scores, axis=1, keepdims=True)
            return xp.mean(xp.log(xp.sum(xp.exp(shifted), axis=1)) - shifted[rows, labels])

        return entropy

    def by_hand(scores: Any) -> tuple[Any, Any]:
        shifted = scores - np.max(scores, axis=1, keepdims=True)
        chosen = shifted[rows, labels]
        powers = np.exp(shifted, out=shifted)
        sums = np.sum(powers, axis=1)
        value = np.mean(np.log(sums) - chosen)
        powers *= 1 / (1000 * sums[:, None])
        powers[rows, labels] -= 1 / 1000
        return value, powers

    return Program(write, (random.normal(size=(1000, 1000)),), by_hand)


def recurrent() -> Program:
    """A recurrent network of 100 steps: 16 inputs, 32 units, a batch of 32."""
    random = np.random.default_rng(0)
    weights = [0.1 * random.normal(size=shape) for shape in ((16, 32), (32, 32), (32,))]
    inputs, start = random.normal(size=(100, 32, 16)), np.zeros((32, 32))

    def write(xp: Any) -> Callable[..., Any]:
        def unrolled(weights: Any, inputs: Any, state: Any) -> Any:
            from_input, from_state, bias = weights
            for step in inputs:
                state = xp.tanh(step @ from_input + state @ from_state + bias)
            return xp.mean(xp.square(state))

        return unrolled

    def by_hand(weights: Any, inputs: Any, state: Any) -> tuple[Any, Any]:
        from_input, from_state, bias = weights
        states = [state]
        for step in inputs:
            states.append(np.tanh(step @ from_input + states[-1] @ from_state + bias))
        gradient = [np.zeros_like(weight) for weight in weights]
        adjoint = 2 * states[-1] / state.size
        for step, before, after in zip(inputs[::-1], states[-2::-1], states[:0:-1], strict=True):
            adjoint = adjoint * (1 - after * after)
            gradient[0] += step.T @ adjoint
            gradient[1] += before.T @ adjoint
            gradient[2] += np.sum(adjoint, axis=0)
            adjoint = adjoint @ from_state.T
        return np.mean(np.square(states[-1])), gradient

    def scanned() -> Callable[..., Any]:
        from jax import lax, numpy

        def scan(weights: Any, inputs: Any, state: Any) -> Any:
            from_input, from_state, bias = weights

            def iteration(state: Any, step: Any) -> tuple[Any, None]:
                return numpy.tanh(step @ from_input + state @ from_state + bias), None

            return numpy.mean(numpy.square(lax.scan(iteration, state, inputs)[0]))

        return scan

    return Program(write, (weights, inputs, start), by_hand, scanned)


def attention() -> Program:
    """One attention head: 128 places of 64 numbers, mean squared error."""
    random = np.random.default_rng(0)
    weights = [random.normal(size=(64, 64)) / 8 for _ in range(3)]
    places, target = random.normal(size=(128, 64)), random.normal(size=(128, 64))

    def write(xp: Any) -> Callable[..., Any]:
        def head(weights: Any, places: Any, target: Any) -> Any:
            queries, keys, values = (places @ weight for weight in weights)
            scores = queries @ keys.T / 8
            powers = xp.exp(scores - xp.amax(scores, axis=1, keepdims=True))
            shares = powers / xp.sum(powers, axis=1, keepdims=True)
            return xp.mean((shares @ values - target) ** 2)

        return head

    def by_hand(weights: Any, places: Any, target: Any) -> tuple[Any, Any]:
        queries, keys, values = (places @ weight for weight in weights)
        scores = queries @ keys.T / 8
        powers = np.exp(scores - np.max(scores, axis=1, keepdims=True))
        shares = powers / np.sum(powers, axis=1, keepdims=True)
        error = shares @ values - target
        by_result = 2 * error / error.size
        by_shares = by_result @ values.T
        by_scores = shares * (by_shares - np.sum(by_shares * shares, axis=1, keepdims=True)) / 8
        gradient = [
            places.T @ (by_scores @ keys),
            places.T @ (by_scores.T @ queries),
            places.T @ (shares.T @ by_result),
        ]
        return np.mean(error**2), gradient

    return Program(write, (weights, places, target), by_hand)


def layers(inputs: int, outputs: int) -> Program:
    """The Jacobian of two layers with 100 units between them."""
    random = np.random.default_rng(0)
    first, second = 0.1 * random.normal(size=(100, inputs)), 0.1 * random.normal(size=(outputs, 100))

    def write(xp: Any) -> Callable[..., Any]:
        return lambda x, first, second: xp.tanh(second @ xp.tanh(first @ x))

    def by_hand(x: Any, first: Any, second: Any) -> Any:
        hidden = np.tanh(first @ x)
        result = np.tanh(second @ hidden)
        return (1 - result * result)[:, None] * (second @ ((1 - hidden * hidden)[:, None] * first))

    return Program(write, (random.normal(size=inputs), first, second), by_hand, is_jacobian=True)


def bottleneck(width: int, narrow: int) -> Program:
    """The Jacobian of two layers with a few units between them."""
    random = np.random.default_rng(0)
    first, second = 0.1 * random.normal(size=(narrow, width)), 0.1 * random.normal(size=(width, narrow))

    def write(xp: Any) -> Callable[..., Any]:
        return lambda x, first, second: xp.tanh(second @ xp.tanh(first @ x))

    def by_hand(x: Any, first: Any, second: Any) -> Any:
        hidden = np.tanh(first @ x)
        result = np.tanh(second @ hidden)
        return ((1 - result * result)[:, None] * second * (1 - hidden * hidden)) @ first

    return Program(write, (random.normal(size=width), first, second), by_hand, is_jacobian=True)


PROGRAMS: dict[str, Callable[[], Program]] = {
    **{
        f"scalar loop, {count:,} operations": partial(scalar_loop, count)
        for count in (1000, 10_000, 100_000, 1_000_000)
    },
    "network 64-64-10, batch of 128": network,
    "elementwise chain of 1,000,000 numbers": elementwise,
    "softmax cross-entropy, 1000 × 1000": cross_entropy,
    "recurrent network, 100 steps": recurrent,
    "attention head, 128 × 64": attention,
    "Jacobian, 10 → 1000": partial(layers, 10, 1000),
    "Jacobian, 1000 → 10": partial(layers, 1000, 10),
    "Jacobian, 100 → 5 → 100": partial(bottleneck, 100, 5),
}
