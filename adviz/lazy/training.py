"""Training steps: one op that changes the variables of a loss, by gradient descent or by Adam.

They are made of the ops that everybody has: derivatives, assignments that are isolated, and persistent ops for what a
method remembers from step to step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..engine.tape import user_origin
from .adjoint_ops import deriv
from .contexts import isolated, ordering
from .op_errors import OpError
from .ops import Op
from .storing import assign, checked, doall, persistent

Update = Callable[[Any, Any], Op]
"""From a variable and its gradient, the assignment to it."""


def sgd(loss: Op, rate: float | Op, momentum: float | Op = 0.0, variables: Sequence[Op] | None = None) -> Op:
    """Build a step of gradient descent: an op that moves variables against the derivative of ``loss`` times ``rate``.

    Of the last move of each variable, ``momentum`` times as much is added (Polyak 1964). ``rate`` and ``momentum`` are
    numbers, or ops such as a placeholder. The ``variables`` are those that the loss depends on, unless said. The step
    runs where it is asked for, at the values of the variables before it.

    Raises :class:`~.op_errors.OpError` if ``loss`` is not one number, or depends on no variable.

    >>> import adviz
    >>> w = adviz.lazy.variable((), 3.0)
    >>> loss = (w - 1) ** 2
    >>> train = adviz.lazy.computation([loss, sgd(loss, rate=0.25)])
    >>> [train()[0] for _ in range(3)]
    [4.0, 1.0, 0.25]
    """
    has_momentum = isinstance(momentum, Op) or momentum != 0

    def update(w: Any, gradient: Any) -> Op:
        if not has_momentum:
            return assign(w, w - rate * gradient)
        velocity: Any = persistent(w.axes or w.shape, dtype=w.dtype, name=f"{w.name}_velocity")
        assign(velocity, momentum * velocity - rate * gradient)
        return assign(w, w + velocity)

    return _step("sgd", loss, variables, update)


def adam(
    loss: Op,
    rate: float | Op = 0.001,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
    variables: Sequence[Op] | None = None,
) -> Op:
    """Return a step of Adam, with bias correction, as an op (Kingma and Ba 2015, algorithm 1); see :func:`sgd`.

    >>> import adviz
    >>> w = adviz.lazy.variable((), 3.0)
    >>> loss = (w - 1) ** 2
    >>> train = adviz.lazy.computation([w, adam(loss, rate=0.5)])
    >>> [round(train()[0], 3) for _ in range(3)]
    [2.5, 2.009, 1.537]
    """
    rest1, rest2 = (round(1 - beta, 15) for beta in (beta1, beta2))  # 0.1, and not 0.09999999999999998
    corrections: list[Any] = []  # of the bias: one number for the mean, one for eps, as in the paper's section 2

    def update(w: Any, gradient: Any) -> Op:
        if not corrections:
            steps: Any = persistent((), dtype=loss.dtype, name="steps")
            assign(steps, steps + 1)
            root = np.sqrt(1 - beta2**steps)
            corrections.extend((root / (1 - beta1**steps), root))
            for op, name in zip(corrections, ("mean_correction", "eps_correction"), strict=True):
                op.name = name
        of_mean, of_eps = corrections
        mean: Any = persistent(w.axes or w.shape, dtype=w.dtype, name=f"{w.name}_mean")
        square: Any = persistent(w.axes or w.shape, dtype=w.dtype, name=f"{w.name}_square")
        assign(mean, beta1 * mean + rest1 * gradient)
        assign(square, beta2 * square + rest2 * gradient**2)
        return assign(w, w - rate * of_mean * mean / (np.sqrt(square) + eps * of_eps))

    return _step("adam", loss, variables, update)


def _step(name: str, loss: Op, variables: Sequence[Op] | None, update: Update) -> Op:
    """Return the op that runs the updates of all variables, with the derivatives at the values before them."""
    if not isinstance(loss, Op) or loss.shape != ():
        what = f"{loss.name} has the shape {loss.shape}" if isinstance(loss, Op) else f"it is {type(loss).__name__}"
        raise OpError(f"A loss is an op of one number, and {what}. Take a sum or a mean.", user_origin())
    chosen = loss.variables() if variables is None else list(checked(variables))
    if not chosen:
        raise OpError(f"{loss.name} depends on no variable that could be trained.", loss.origin)
    step = doall([], name=name)
    with isolated(), ordering("creation"):
        gradients = [deriv(loss, w) for w in chosen]
        updates = [update(w, gradient) for w, gradient in zip(chosen, gradients, strict=True)]
    step.control_deps |= dict.fromkeys(updates)
    for op in step.ordered_ops():
        op.is_step = op.is_step or op.number > step.number  # `step = ad.lazy.sgd(…)` names the step, and not its parts
    return step
