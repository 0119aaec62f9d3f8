"""Graphs of arrays that hold at every point: recorded at one, recomputed at another, Block by Block."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from adviz.engine.trace import record
from adviz.graph.graph import Graph


def graph_of(f: Callable[..., Any], *example: Any) -> Graph:
    """The graph of a function on arrays, which is to hold at every point."""
    return record(f, example, {}, "array", symbolic=True).trace().graph


def recomputed(graph: Graph, *inputs: Any) -> list[Any]:
    """The values of the outputs at other inputs, each node computed by its Block from those before it."""
    values: dict[int, Any] = dict(zip(graph.inputs, map(_full, inputs), strict=True))
    with np.errstate(all="ignore"):
        for node, block in enumerate(graph.blocks):
            if node not in values:
                operands = (values[k] if k >= 0 else graph.literal(k) for k in graph.operands(node))
                values[node] = _full(block.compute(*operands))
    return [values[node] for node in graph.outputs]


def elsewhere(f: Callable[[Any], Any], example: Any, points: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """What the graph recorded at an example gives at other points, each with what the function gives."""
    graph = graph_of(f, example)
    for point in points:
        (found,) = recomputed(graph, point.astype(example.dtype))
        yield found, f(point.astype(example.dtype))


def _full(value: Any) -> Any:
    """A number as NumPy's: beside single precision a computed number counts in full."""
    return np.float64(value) if type(value) is float else value


def names_in(graph: Graph) -> list[str]:
    """The names of the Blocks of all nodes but inputs and outputs."""
    return [block.name for block in graph.blocks if block.name not in ("input", "output")]
