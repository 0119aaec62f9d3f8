"""The programs of the benchmarks, each in every library's own idiom.

A peer is a function that imports its library and gives a :class:`Task`: ``trace()`` writes down the program and
``gradient(traced)`` sweeps back over what was written. Both programs are small enough to read side by side.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

TURN = 4
"""Nodes that one turn of the chain makes."""

START = 1.3
"""Where the chain starts; from there it sinks slowly, and neither it nor its derivative gets too small for a float."""


class Task(NamedTuple):
    """A program in one library: write it down, then sweep back; the gradient is compared between libraries."""

    trace: Callable[[], Any]
    gradient: Callable[[Any], Any]


# ---- a chain of scalar operations ----


def chain_adviz(nodes: int) -> Task:
    """Unmodified NumPy code."""

    def program(x: Any) -> Any:
        for _ in range(nodes // TURN):
            x = np.sin(x) * x * (-0.01) + x
        return x

    return _adviz_chain(program)


def chain_adviz_method(nodes: int) -> Task:
    """``x.sin()`` is what NumPy calls on each entry of an array of objects; it saves NumPy's dispatch."""

    def program(x: Any) -> Any:
        for _ in range(nodes // TURN):
            x = x.sin() * x * (-0.01) + x
        return x

    return _adviz_chain(program)


def _adviz_chain(program: Callable[[Any], Any]) -> Task:
    import adviz
    from adviz.engine.reverse import pull_back

    def gradient(graph: Any) -> float:
        return float(pull_back(graph)({graph.outputs[0]: 1.0})[graph.inputs[0]])

    return Task(lambda: adviz.trace(program, START), gradient)


def chain_autograd(nodes: int) -> Task:
    """HIPS autograd: ``make_vjp`` runs the program and keeps its nodes."""
    import autograd.numpy as anp
    from autograd import make_vjp

    def program(x: Any) -> Any:
        for _ in range(nodes // TURN):
            x = anp.sin(x) * x * (-0.01) + x
        return x

    return Task(lambda: make_vjp(program)(START)[0], lambda vjp: float(vjp(1.0)))


def chain_torch(nodes: int) -> Task:
    """PyTorch, eager, on tensors without axes."""
    import torch

    torch.set_num_threads(1)

    def trace() -> Any:
        x = start = torch.tensor(START, dtype=torch.float64, requires_grad=True)
        for _ in range(nodes // TURN):
            x = torch.sin(x) * x * (-0.01) + x
        return start, x

    def gradient(traced: Any) -> float:
        start, end = traced
        end.backward()
        return float(start.grad)

    return Task(trace, gradient)


def chain_micrograd(nodes: int) -> Task:
    """micrograd, with a sine in the style of its ``relu``."""
    import math

    from micrograd.engine import Value

    # micrograd sorts its nodes by recursion
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 10 * nodes + 1000))

    def sin(x: Value) -> Value:
        out = Value(math.sin(x.data), (x,), "sin")

        def _backward() -> None:
            x.grad += math.cos(x.data) * out.grad

        out._backward = _backward
        return out

    def trace() -> Any:
        x = start = Value(START)
        for _ in range(nodes // TURN):
            x = sin(x) * x * (-0.01) + x
        return start, x

    def gradient(traced: Any) -> float:
        start, end = traced
        end.backward()
        return float(start.grad)

    return Task(trace, gradient)


def chain_casadi(nodes: int) -> Task:
    """CasADi SX is symbolic: its trace holds no values; its gradient is an expression, not evaluated here."""
    import casadi

    def trace() -> Any:
        x = start = casadi.SX.sym("x")
        for _ in range(nodes // TURN):
            x = casadi.sin(x) * x * (-0.01) + x
        return start, x

    def gradient(traced: Any) -> None:
        start, end = traced
        casadi.gradient(end, start)

    return Task(trace, gradient)


CHAIN = {
    "adviz": chain_adviz,
    "adviz, x.sin()": chain_adviz_method,
    "micrograd": chain_micrograd,
    "autograd": chain_autograd,
    "torch": chain_torch,
    "casadi": chain_casadi,
}


# ---- a network of arrays: 64 inputs, 64 hidden, 10 classes, a batch of 128 ----


def weights_and_data() -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Weights, a batch of inputs, and one row of ones and zeros per input."""
    random = np.random.default_rng(0)
    weights = [0.1 * random.normal(size=shape) for shape in ((64, 64), (64,), (64, 10), (10,))]
    return weights, random.normal(size=(128, 64)), np.eye(10)[random.integers(10, size=128)]


def loss(xp: Any, weights: Any, batch: Any, targets: Any) -> Any:
    """Mean cross-entropy of a network with one hidden layer, written with the functions of ``xp``."""
    first, first_bias, second, second_bias = weights
    scores = xp.tanh(batch @ first + first_bias) @ second + second_bias
    return xp.mean(xp.log(xp.sum(xp.exp(scores), axis=1)) - xp.sum(scores * targets, axis=1))


def network_plain() -> Task:
    """Plain NumPy: the forward pass only."""
    weights, batch, targets = weights_and_data()
    return Task(lambda: loss(np, weights, batch, targets), lambda traced: None)


def network_adviz() -> Task:
    """The plain NumPy function, handed to ``value_and_grad``."""
    import adviz

    weights, batch, targets = weights_and_data()
    evaluate = adviz.value_and_grad(lambda weights: loss(np, weights, batch, targets))
    return Task(lambda: None, lambda traced: evaluate(weights)[1])


def network_autograd() -> Task:
    """HIPS autograd."""
    import autograd.numpy as anp
    from autograd import value_and_grad

    weights, batch, targets = weights_and_data()
    evaluate = value_and_grad(lambda weights: loss(anp, weights, batch, targets))
    return Task(lambda: None, lambda traced: evaluate(weights)[1])


def network_torch() -> Task:
    """PyTorch, eager, one thread."""
    import torch

    torch.set_num_threads(1)
    weights, batch, targets = weights_and_data()
    leaves = [torch.tensor(weight, requires_grad=True) for weight in weights]
    inputs, classes = torch.tensor(batch), torch.tensor(targets)

    def gradient(traced: Any) -> Any:
        return [entry.numpy() for entry in torch.autograd.grad(loss(torch, leaves, inputs, classes), leaves)]

    return Task(lambda: None, gradient)


PLAIN = "NumPy, forward only"

NETWORK = {
    PLAIN: network_plain,
    "adviz": network_adviz,
    "autograd": network_autograd,
    "torch": network_torch,
}

REQUIRES = {name: name.split(",")[0].lower() for name in (*CHAIN, *NETWORK)}
"""The package that a peer needs."""
