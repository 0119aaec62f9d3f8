"""The matrices that a sweep fills: the gradient, the Jacobian, or the Jacobian times a direction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...algorithms import sweeps
from ...algorithms.sweeps.primitives import put
from ...algorithms.sweeps.seeds import Seeds, Value
from ...graph.graph import Graph
from ...graph.timeline import State, Step
from ..narration.flows import shown
from ..narration.levels import JacobianLine
from ..narration.playing import Entry, Matrix, Run
from ..narration.source_names import SourceNames
from ..narration.sweep_narration import Key
from . import flow_scene
from .options import Engine

MOST_CELLS = 2_500  # the most entries of a matrix that is shown


def fits(graph: Graph, rows: int) -> bool:
    """Return whether a matrix with a column for every entry of the inputs is small enough to be shown."""
    return rows * size(graph, graph.inputs) <= MOST_CELLS


def size(graph: Graph, nodes: Sequence[int]) -> int:
    """Return the number of entries of some nodes."""
    return sum(int(np.size(graph.values[node])) for node in nodes)


def gradient(graph: Graph, seeds: Seeds) -> Matrix:
    """Return the rows of the Jacobian, weighted by the seeds: the adjoints of the inputs."""
    outputs = list(seeds.adjoints)
    weighted = size(graph, outputs) > 1
    count = seeds.rows or 1
    rows = [Entry(f"row {k}") for k in range(count)] if weighted or count > 1 else _entries(graph, outputs)
    zeros = [(row, column) for row in range(count) for column in _unreached(graph, outputs)]
    return _of_adjoints(graph, rows, "seeds times Jacobian" if weighted else "gradient", zeros, count)


def jacobian(graph: Graph) -> Matrix:
    """Return the Jacobian, filled by the tangents of the outputs: in whole blocks, or by sweeps of one column each."""
    return _of_tangents(graph, _entries(graph, graph.inputs), "Jacobian", _zeros(graph))


def by_rows(graph: Graph) -> Matrix:
    """Return the Jacobian, filled by the adjoints of the inputs: by sweeps of one row each."""
    return _of_adjoints(graph, _entries(graph, graph.outputs), "Jacobian", _zeros(graph))


def _of_adjoints(graph: Graph, rows: list[Entry], label: str, zeros: list[tuple[int, int]], count: int = 1) -> Matrix:
    """Return a matrix of which a sweep fills so many rows."""
    columns = _places(graph, graph.inputs)

    def cells(key: Key, value: Value, sweep: int) -> Iterator[tuple[int, int, float]]:
        if key[0] == "adjoint" and key[1] in columns:
            for row, line in enumerate(np.reshape(value, (count, -1)).tolist(), start=sweep):
                yield from ((row, column, entry) for column, entry in zip(columns[key[1]], line, strict=True))

    return Matrix(rows, _entries(graph, graph.inputs), label, cells, zeros)


def line(graph: Graph, run: Run, number: int) -> JacobianLine:
    """Return the line of the Jacobian that a sweep of a run fills; its ``number`` is counted from 1."""
    entries = _entries(graph, graph.outputs if run.kind == "reverse" else graph.inputs)
    following = entries[number].label if number < len(entries) else ""
    return JacobianLine(number, run.sweeps, entries[number - 1].label, following)


def _zeros(graph: Graph) -> list[tuple[int, int]]:
    """Return the places of the Jacobian that no path leads to."""
    return [
        (row, column)
        for node, rows in _places(graph, graph.outputs).items()
        for column in _unreached(graph, [node])
        for row in rows
    ]


def directional(graph: Graph) -> Matrix:
    """Return the Jacobian times a direction."""
    return _of_tangents(graph, [Entry("direction")], "Jacobian times direction", [])


def _of_tangents(graph: Graph, columns: list[Entry], label: str, zeros: list[tuple[int, int]]) -> Matrix:
    rows = _places(graph, graph.outputs)

    def cells(key: Key, value: Value, sweep: int) -> Iterator[tuple[int, int, float]]:
        if key[0] == "tangent" and rows.get(key[1]):
            for row, line in zip(rows[key[1]], np.reshape(value, (len(rows[key[1]]), -1)).tolist(), strict=True):
                yield from ((row, sweep + k, entry) for k, entry in enumerate(line))

    return Matrix(_entries(graph, graph.outputs), columns, label, cells, zeros)


def column_sweeps(graph: Graph) -> Iterator[Step]:
    """Sweep forward once in the direction of each entry of the inputs."""
    return _unit_sweeps(graph, graph.inputs, sweeps.forward_flow)


def row_sweeps(graph: Graph, engine: Engine) -> Iterator[Step]:
    """Sweep back once from each entry of the outputs."""
    return _unit_sweeps(graph, graph.outputs, engine)


def _unit_sweeps(graph: Graph, nodes: Sequence[int], sweep: Engine) -> Iterator[Step]:
    state: State = {}
    for node in nodes:
        shape = np.shape(graph.values[node])
        for unit in np.eye(int(np.prod(shape))):
            if state:
                yield Step("free", tuple(put(state, key, None) for key in list(state)))
            yield from sweep(graph, {node: unit.reshape(shape)}, state=state)


def _places(graph: Graph, nodes: Sequence[int]) -> dict[int, range]:
    """Return the places of the entries of each node among those of all."""
    ends = np.cumsum([0, *(int(np.size(graph.values[node])) for node in nodes)]).tolist()
    return {node: range(start, end) for node, start, end in zip(nodes, ends, ends[1:], strict=False)}


def _entries(graph: Graph, nodes: Sequence[int]) -> list[Entry]:
    entries: list[Entry] = []
    names = SourceNames(graph, [shown(graph, node) for node in (*graph.inputs, *graph.outputs)], graph.title)
    for node in nodes:
        name, shape = names(shown(graph, node)), np.shape(graph.values[node])
        labels = [f"{name}[{', '.join(map(str, place))}]" if place else name for place in np.ndindex(*shape)]
        seen = shown(graph, node) if flow_scene.fits(graph) else node
        entries += [Entry(label, seen) for label in labels]
    return entries


def _unreached(graph: Graph, outputs: Sequence[int]) -> list[int]:
    """Return the columns of the Jacobian on which none of some outputs depends."""
    inputs_of = [0] * len(graph)  # of each node, the inputs that it depends on, as bits
    for place, node in enumerate(graph.inputs):
        inputs_of[node] = 1 << place
    for node in range(len(graph)):
        for operand in graph.operand_nodes(node):
            inputs_of[node] |= inputs_of[operand]
    columns = _places(graph, graph.inputs)
    return [
        column
        for place, node in enumerate(graph.inputs)
        if not any(inputs_of[output] >> place & 1 for output in outputs)
        for column in columns[node]
    ]
