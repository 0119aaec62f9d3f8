"""Random linearized graphs, drawn by Hypothesis: labels are numbers or matrices, integers among them."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from adviz import CGraph, Step, replay, rewind


@st.composite
def edge_lists(draw: st.DrawFn, vertices: int = 9) -> list[tuple[int, int]]:
    """Edges upwards between whole numbers; at least one, some of them twice."""
    count = draw(st.integers(2, vertices))
    pairs = st.integers(0, count - 2).flatmap(lambda i: st.tuples(st.just(i), st.integers(i + 1, count - 1)))
    return draw(st.lists(pairs, min_size=1, max_size=3 * count))


@st.composite
def graphs(draw: st.DrawFn, vertices: int = 9, largest: int = 1) -> CGraph:
    """Graphs whose vertices have up to ``largest`` entries."""
    edges = draw(edge_lists(vertices))
    sizes = {vertex: draw(st.integers(1, largest)) for vertex in sorted({v for edge in edges for v in edge})}
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    partials = [_partial(rng, sizes[j], sizes[i]) for i, j in edges]
    return CGraph.from_edges(edges, sizes, partials, seed=draw(st.integers(0, 99)))


def _partial(rng: np.random.Generator, rows: int, columns: int) -> int | float | np.ndarray:
    if rows == columns and rng.random() < 0.3:
        return int(rng.choice([-1, 1, 2]))
    found = rng.uniform(0.5, 1.5, (rows, columns)) * rng.choice([-1, 1], (rows, columns))
    return found.item() if rows == columns == 1 else found


def dense_jacobian(graph: CGraph) -> np.ndarray:
    """All outputs by all inputs, by multiplication of whole matrices in topological order: an oracle without paths."""
    identity = np.eye(sum(map(graph.size, graph.inputs)))
    ends = np.cumsum([graph.size(x) for x in graph.inputs])
    rows = dict(zip(graph.inputs, np.split(identity, ends[:-1]), strict=True))
    for j in graph.vertices:
        if j not in rows:
            rows[j] = np.zeros((graph.size(j), len(identity)))
        for i in graph.predecessors(j):
            rows[j] = rows[j] + matrix(graph, i, j, graph.partial(i, j)) @ rows[i]
    return np.concatenate([rows[y] for y in graph.outputs])


def matrix(graph: CGraph, i: object, j: object, label: object) -> np.ndarray:
    """A label written out; a number is that multiple of the identity."""
    if isinstance(label, int | float):
        return label * np.eye(graph.size(j), graph.size(i))
    return np.asarray(label)


def assembled(graph: CGraph, entries: dict) -> np.ndarray:
    """The blocks of a Jacobian by pairs of vertices, put together; zeros where there is none."""
    blocks = [
        [matrix(graph, x, y, entries.get((x, y), np.zeros((graph.size(y), graph.size(x))))) for x in graph.inputs]
        for y in graph.outputs
    ]
    return np.block(blocks)


def check_steps(start: Any, end: Any, steps: list[Step]) -> None:
    """Steps lead from one graph to another and back: as states, and done on the graph itself, orders and all."""
    assert replay(start.state(), steps) == end.state()
    assert rewind(end.state(), steps) == start.state()
    graph = end.copy()
    for step in reversed(steps):
        graph.undo(step)
    assert list(graph.state().items()) == list(start.state().items())
    for step in steps:
        graph.redo(step)
    assert list(graph.state().items()) == list(end.state().items())
