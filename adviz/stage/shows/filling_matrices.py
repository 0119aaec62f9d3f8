"""The matrices that a sweep fills: the gradient, the Jacobian, or the Jacobian times a direction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

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

Cells = Callable[[Key, Value, int], Iterator[tuple[int, int, float]]]
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
    cells = _cells(graph, "adjoint", count)
    return Matrix(rows, _entries(graph, graph.inputs), "seeds times Jacobian" if weighted else "gradient", cells, zeros)


def jacobian(graph: Graph, flow: str) -> Matrix:
    """Return the Jacobian, filled by the tangents of the outputs, or by the adjoints of the inputs.

    Tangents fill it in whole blocks, or by sweeps of one column each, adjoints by sweeps of one row each.
    """
    rows, columns = _entries(graph, graph.outputs), _entries(graph, graph.inputs)
    return Matrix(rows, columns, "Jacobian", _cells(graph, flow), _zeros(graph))


def directional(graph: Graph) -> Matrix:
    """Return the Jacobian times a direction."""
    rows, cells = _entries(graph, graph.outputs), _cells(graph, "tangent")
    return Matrix(rows, [Entry("direction")], "Jacobian times direction", cells, [])


def _cells(graph: Graph, flow: str, count: int = 1) -> Cells:
    """Return what says which cells a value fills: tangents of the outputs columns, adjoints of the inputs rows.

    A sweep fills so many rows.
    """
    places = _places(graph, graph.inputs if flow == "adjoint" else graph.outputs)

    def cells(key: Key, value: Value, sweep: int) -> Iterator[tuple[int, int, float]]:
        own = places.get(key[1]) if key[0] == flow else None
        if not own:
            return
        lines = np.reshape(value, (count, len(own)) if flow == "adjoint" else (len(own), -1))
        for row, line in enumerate(lines.tolist()):
            for column, entry in enumerate(line):
                yield (sweep + row, own[column], entry) if flow == "adjoint" else (own[row], sweep + column, entry)

    return cells


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


def unit_sweeps(graph: Graph, nodes: Sequence[int], sweep: Engine) -> Iterator[Step]:
    """Sweep once for each entry of the inputs, in its direction, or of the outputs, back from it."""
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
