"""Minimizers by gradient descent: :class:`GD` and :class:`Adam`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..devices import as_floats
from ..trace_errors import OutputError

Loss = Callable[[np.ndarray], tuple[Any, Any]]


class Optimizer:
    """Minimizes a loss from a start, step by step.

    ``loss_func(params)`` returns the loss (one number) and its gradient, a 1×n matrix as ``compute_gradients`` gives
    it, or a vector of n numbers; ``params`` are n numbers. ``lr`` is the learning rate. :meth:`solve` ends when the
    loss changes by less than ``tol`` in a step, or after ``max_iter`` steps.
    """

    def __init__(self, loss_func: Loss, params: Any, lr: float = 0.01, max_iter: int = 100_000, tol: float = 1e-14):
        self.loss_func, self.lr, self.max_iter, self.tol = loss_func, lr, max_iter, tol
        self.params = as_floats(params).reshape(-1)
        self.loss, self.gradient = self._evaluate()

    def _evaluate(self) -> tuple[float, np.ndarray]:
        loss, gradient = self.loss_func(self.params.copy())
        row = as_floats(gradient).reshape(-1)
        if row.shape != self.params.shape or np.size(loss) != 1:
            raise OutputError(
                f"loss_func returned a loss of shape {np.shape(loss)} and a gradient of shape {np.shape(gradient)}; "
                f"it needs one number and a gradient of shape (1, {self.params.size})."
            )
        return float(np.reshape(loss, ())), row

    def update(self, gradient: np.ndarray) -> np.ndarray:
        """Return what a step subtracts from the parameters."""
        raise NotImplementedError

    def step(self) -> np.ndarray:
        """Take one step; the new parameters."""
        self.params = self.params - self.update(self.gradient)
        self.loss, self.gradient = self._evaluate()
        return self.params

    def solve(self, return_steps: bool = False) -> Any:
        """Take steps until the loss stays the same; the parameters, and with ``return_steps`` those after each step."""
        steps = []
        for _ in range(self.max_iter):
            before = self.loss
            steps.append(self.step())
            if not abs(self.loss - before) >= self.tol:
                break
        return (self.params, steps) if return_steps else self.params


class GD(Optimizer):
    """Gradient descent.

    >>> GD(lambda p: ((p**2).sum(), 2 * p), [3.0], lr=0.25, tol=1e-9).solve().round(4)
    array([0.])
    """

    def update(self, gradient: np.ndarray) -> np.ndarray:
        """Return the learning rate times the gradient."""
        return self.lr * gradient


class Adam(Optimizer):
    """Adam, with bias correction (Kingma and Ba 2015, algorithm 1).

    >>> Adam(lambda p: (((p - 1) ** 2).sum(), 2 * (p - 1)), [3.0], lr=0.1, tol=1e-12).solve().round(4)
    array([1.])
    """

    def __init__(self, *args: Any, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8, **settings: Any):
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.mean: Any = 0.0
        self.square: Any = 0.0
        self.count = 0
        super().__init__(*args, **settings)

    def update(self, gradient: np.ndarray) -> np.ndarray:
        """Return the mean of the gradients over the root of the mean of their squares, both decaying."""
        self.count += 1
        self.mean = self.beta1 * self.mean + (1 - self.beta1) * gradient
        self.square = self.beta2 * self.square + (1 - self.beta2) * gradient**2
        mean, square = self.mean / (1 - self.beta1**self.count), self.square / (1 - self.beta2**self.count)
        return self.lr * mean / (np.sqrt(square) + self.eps)
