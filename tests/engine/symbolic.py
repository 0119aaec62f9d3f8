"""Graphs of arrays that hold at every point: recorded at one, recomputed at another, Block by Block."""

from collections.abc import Callable
from typing import Any

import numpy as np

from adviz.engine.apply import apply_block
from adviz.engine.jacobians.local import Flat
from adviz.engine.trace import record
from adviz.engine.variable import Variable
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


def _full(value: Any) -> Any:
    """A number as NumPy's: beside single precision a computed number counts in full."""
    return np.float64(value) if type(value) is float else value


def names_in(graph: Graph) -> list[str]:
    """The names of the Blocks of all nodes but inputs and outputs."""
    return [block.name for block in graph.blocks if block.name not in ("input", "output")]


def gradient_graph(f: Callable[..., Any], *example: Any) -> Graph:
    """The graph of the value and the gradient of a function of one number's result: a reverse sweep over its nodes.

    Each Block is applied to nodes of a new trace, which is to hold at every point too, and so are the products of its
    local Jacobians.
    """
    graph = graph_of(f, *example)

    def program(*inputs: Any) -> Any:
        values: dict[int, Any] = dict(zip(graph.inputs, inputs, strict=True))
        data: list[list[Any]] = []
        for node, block in enumerate(graph.blocks):
            data.append([values[k] if k >= 0 else graph.literal(k) for k in graph.operands(node)])
            if node not in values:
                values[node] = apply_block(block, tuple(data[node]))
        (output,) = graph.outputs
        adjoints: dict[int, Any] = {output: 1.0}
        for node in reversed(range(len(graph))):
            operands = graph.operands(node)
            places = [place for place, k in enumerate(operands) if k >= 0 and _is_differentiated(values[k])]
            if node in adjoints and places:
                jacobians = graph.blocks[node].local_jacobians(values[node], data[node], places)
                for place, jacobian in zip(places, jacobians, strict=True):
                    if jacobian is not None and not isinstance(jacobian, Flat):
                        term, operand = jacobian.vjp(adjoints[node]), operands[place]
                        adjoints[operand] = adjoints[operand] + term if operand in adjoints else term
        found = [np.broadcast_to(adjoints.get(k, 0.0), np.shape(values[k])) for k in graph.inputs]
        return (values[output], *(each + 0.0 * values[k] for k, each in zip(graph.inputs, found, strict=True)))

    return graph_of(program, *example)


def _is_differentiated(value: Any) -> bool:
    return isinstance(value, Variable) and value.dtype.kind == "f"
