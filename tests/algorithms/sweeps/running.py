"""Running sweeps in tests: to the end of a state, to a text, to gradients."""

from typing import Any

import numpy as np

from adviz import Graph, Step


def run(algorithm: Any) -> tuple[dict, list[Step]]:
    """The state an algorithm leaves behind when it starts from nothing, and its Steps."""
    state: dict = {}
    return state, list(algorithm(state))


def log(algorithm: Any) -> list[str]:
    """Every Step as a line: what happened, and where."""
    _, steps = run(algorithm)
    return [f"{step.kind} {'→'.join(map(str, step.focus))}" for step in steps]


def visits(algorithm: Any) -> list[int]:
    """The nodes in the order of their turns."""
    _, steps = run(algorithm)
    return [step.focus[0] for step in steps if step.kind == "visit"]


def cotangents(graph: Graph, algorithm: Any, rows: int | None = None) -> list[np.ndarray]:
    """What flowed back to each input; zeros where nothing did."""
    state, _ = run(algorithm)
    shapes = [
        np.shape(graph.values[node]) if rows is None else (rows, np.size(graph.values[node])) for node in graph.inputs
    ]
    return [
        np.asarray(state.get(("cotangent", node), np.zeros(shape)))
        for node, shape in zip(graph.inputs, shapes, strict=True)
    ]
