"""A training step as one op graph, against the compiled gradient with the update of the weights written by hand.

    python bench/op_training.py                 the whole measurement, about a minute
    python bench/op_training.py --quick         a smoke test of some seconds
    python bench/op_training.py --json out.json the figures as JSON, too

The data are scikit-learn's digits. Both train on the same batches, in turn, and their losses are compared first. The
update by hand works in place, as one writes it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import cycle
from statistics import median
from typing import Any

import numpy as np
from measure import Figures, answer, command_line, report, round_robin, samples, table, verdict
from sklearn.datasets import load_digits

import adviz as ad

PICTURES, DIGITS = load_digits(return_X_y=True)
PICTURES, TARGETS = PICTURES / 16, np.eye(10)[DIGITS]
OPS, HAND = "ops", "compiled gradient, update by hand"
GOAL = 1.1
CLOSE = 1e-8
Weights = Sequence[Any]


def network(W1, b1, W2, b2, x, t):  # type: ignore[no-untyped-def]
    """The cross-entropy of a network with a hidden layer."""
    h = np.tanh(x @ W1 + b1)
    z = h @ W2 + b2
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    return -np.mean(np.sum(t * np.log(p), axis=1))


def logistic(w, b, x, t):  # type: ignore[no-untyped-def]
    """The cross-entropy of logistic regression: zeros against all other digits."""
    z = x @ w + b
    return np.mean(np.logaddexp(0, z) - t * z)


def momentum_by_hand(weights: list[Any]) -> Callable[[Weights], None]:
    """The update of gradient descent with momentum, in place."""
    moves = [np.zeros_like(each) for each in weights]

    def update(gradient: Weights) -> None:
        for each, move, slope in zip(weights, moves, gradient, strict=True):
            move *= 0.9
            move -= 0.1 * slope
            each += move

    return update


def adam_by_hand(weights: list[Any]) -> Callable[[Weights], None]:
    """The update of Adam, in place."""
    means, squares = [np.zeros_like(each) for each in weights], [np.zeros_like(each) for each in weights]
    steps = 0

    def update(gradient: Weights) -> None:
        nonlocal steps
        steps += 1
        for each, mean, square, slope in zip(weights, means, squares, gradient, strict=True):
            mean *= 0.9
            mean += (1 - 0.9) * slope
            square *= 0.999
            square += (1 - 0.999) * slope**2
            each -= 0.001 * (mean / (1 - 0.9**steps)) / (np.sqrt(square / (1 - 0.999**steps)) + 1e-8)

    return update


def _network(hidden: int) -> tuple[Any, list[np.ndarray], np.ndarray]:
    draw = np.random.default_rng(0).normal
    start = [0.2 * draw(size=(64, hidden)), np.zeros(hidden), 0.2 * draw(size=(hidden, 10)), np.zeros(10)]
    return network, start, TARGETS


MODELS: dict[str, Callable[[], tuple[Any, list[np.ndarray], np.ndarray]]] = {
    "logistic regression": lambda: (logistic, [np.zeros(64), np.zeros(1)], TARGETS[:, 0]),
    "32 hidden units": lambda: _network(32),
    "256 hidden units": lambda: _network(256),
}
METHODS: dict[str, tuple[Callable[[Any], Any], Callable[[list[Any]], Callable[[Weights], None]]]] = {
    "momentum": (lambda loss: ad.lazy.sgd(loss, 0.1, momentum=0.9), momentum_by_hand),
    "Adam": (lambda loss: ad.lazy.adam(loss, 0.001), adam_by_hand),
}


def trainers(model: str, method: str, rows: int) -> dict[str, Callable[[Any, Any], float]]:
    """Two ways to take a step, each with weights of its own: functions of a batch that return the loss."""
    function, start, targets = MODELS[model]()
    step, by_hand = METHODS[method]
    x, t = ad.lazy.placeholder((rows, 64)), ad.lazy.placeholder((rows, *targets.shape[1:]))
    loss = function(*(ad.lazy.variable(each.shape, each) for each in start), x, t)
    train = ad.lazy.computation([loss, step(loss)], x, t, store=ad.lazy.Store())

    inputs = list(range(len(start)))
    program = ad.compile_gradient(function, *start, PICTURES[:rows], targets[:rows], inputs=inputs, grain="array")
    weights = [each.copy() for each in start]
    update = by_hand(weights)

    def hand(pictures: Any, wanted: Any) -> float:
        value, gradient = program(*weights, pictures, wanted)
        update(gradient)
        return float(value)

    return {OPS: lambda pictures, wanted: float(train(pictures, wanted)[0]), HAND: hand}


def training(model: str, method: str, seconds: str, rows: str = "100") -> Figures:
    """Microseconds per step of both, and their ratio: the median over rounds."""
    ways, targets = trainers(model, method, int(rows)), MODELS[model]()[2]
    draw = np.random.default_rng(1)
    chosen = [draw.choice(1500, int(rows), replace=False) for _ in range(50)]
    batches = [(PICTURES[each], targets[each]) for each in chosen]
    losses = {name: [way(*batch) for batch in batches] for name, way in ways.items()}
    if not np.allclose(losses[OPS], losses[HAND], rtol=CLOSE):
        raise SystemExit(f"{model}, {method}: the two lose different amounts.")

    def stepping(way: Callable[[Any, Any], float]) -> Callable[[], float]:
        again = cycle(batches)
        return lambda: way(*next(again))

    times = round_robin({name: stepping(way) for name, way in ways.items()}, float(seconds), unmeasured=5)
    figures = {name: median(column) / 1000 for name, column in times.items()}
    return figures | {"ratio": median(np.divide(times[OPS], times[HAND]))}


def main() -> None:
    """Measure, and print tables and goals."""
    options = command_line(__doc__, 3, "some milliseconds per figure").parse_args()
    if options.sample:
        answer(training, options.sample)
        return
    seconds = "0.02" if options.quick else "2"
    tasks = [(model, method, seconds) for model in MODELS for method in METHODS]
    taken = samples(os.path.abspath(__file__), tasks, 1 if options.quick else options.rounds)
    found = {f"{model}, {method}": each for (model, method, _), each in zip(tasks, taken, strict=True)}
    body = [[name, f"{each[OPS]:,.0f}", f"{each[HAND]:,.0f}", f"{each['ratio']:.2f}"] for name, each in found.items()]
    goals = [verdict(f"{name}, ops / by hand", each["ratio"], GOAL, ".2f") for name, each in found.items()]
    report(table(["a step, µs", OPS, HAND, "ratio"], body), goals, {"training": found}, options.json)


if __name__ == "__main__":
    main()
