"""Running sweeps in tests: to the end of a state, to a text, to gradients."""

from collections.abc import Iterable

import numpy as np

from adviz import Graph, Step, replay


def run(algorithm: Iterable[Step]) -> tuple[dict, list[Step]]:
    """The state that a sweep leads to from nothing, read off its Steps; and these."""
    steps = list(algorithm)
    return replay({}, steps), steps


def log(algorithm: Iterable[Step]) -> list[str]:
    """Every Step as a line: what happened, and where."""
    _, steps = run(algorithm)
    return [f"{step.kind} {'→'.join(map(str, step.focus))}" for step in steps]


def visits(algorithm: Iterable[Step]) -> list[int]:
    """The nodes in the order of their turns."""
    _, steps = run(algorithm)
    return [step.focus[0] for step in steps if step.kind == "visit"]


def adjoints(graph: Graph, algorithm: Iterable[Step], rows: int | None = None) -> list[np.ndarray]:
    """What flowed back to each input; zeros where nothing did."""
    state, _ = run(algorithm)
    shapes = [
        np.shape(graph.values[node]) if rows is None else (rows, np.size(graph.values[node])) for node in graph.inputs
    ]
    return [
        np.asarray(state.get(("adjoint", node), np.zeros(shape)))
        for node, shape in zip(graph.inputs, shapes, strict=True)
    ]
