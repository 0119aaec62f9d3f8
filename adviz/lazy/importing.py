"""Ops of a graph that was traced: from what ran once to what is run later."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..engine.blocks import INPUT, OUTPUT
from ..engine.trace_errors import InputError
from ..graph.graph import Graph
from .building import literal, operation
from .ops import Op
from .storing import placeholder


class TracedOps(NamedTuple):
    """The results of a graph as ops, in order, and the placeholders that its inputs became."""

    results: tuple[Op, ...]
    placeholders: tuple[Op, ...]


def from_graph(graph: Graph, *inputs: Op) -> TracedOps:
    """Return the ops of a graph that :func:`adviz.trace` made, which keep its names and its places in the source.

    Its inputs become placeholders, unless ``inputs`` say which ops stand for them. What the traced function decided by
    its data, in an ``if`` or by an index, was decided for that point. Dead nodes are left out. Raises
    :class:`~adviz.InputError` for another number of inputs than the graph has, and for other shapes.

    >>> import adviz
    >>> results, params = from_graph(adviz.trace(lambda x, y: np.sin(x) * y, 1.0, 2.0))
    >>> params, round(adviz.lazy.computation(results[0], *params)(0.5, 2.0), 4)
    ((<Op x: placeholder () float64>, <Op y: placeholder () float64>), 0.9589)
    """
    if not isinstance(graph, Graph):
        raise InputError(f"from_graph takes the graph that ad.trace(f, …) makes, and not {type(graph).__name__}.")
    if inputs and len(inputs) != len(graph.inputs):
        raise InputError(f"{graph.title} has {len(graph.inputs)} inputs, and got {len(inputs)} ops.")
    of_node: dict[int, Op] = {}
    for place, node in enumerate(graph.inputs):
        of_node[node] = _input(graph, node, inputs[place] if inputs else None)
    for node, block in enumerate(graph.blocks):
        if block is INPUT or not graph.live[node]:
            continue
        given = [of_node[each] if each >= 0 else graph.literal(each) for each in graph.operands(node)]
        if block is OUTPUT:
            of_node[node] = given[0] if isinstance(given[0], Op) else literal(given[0])
        else:
            of_node[node] = _placed(graph, node, operation(block, given, np.asarray(graph.values[node])))
    return TracedOps(tuple(of_node[node] for node in graph.outputs), tuple(of_node[node] for node in graph.inputs))


def _input(graph: Graph, node: int, given: Op | None) -> Op:
    value = np.asarray(graph.values[node])
    if given is None:
        return _placed(graph, node, placeholder(value.shape, value.dtype))
    if given.shape != value.shape:
        raise InputError(f"{graph.name(node)} has the shape {value.shape}, and {given.name} has {given.shape}.")
    return given


def _placed(graph: Graph, node: int, op: Op) -> Op:
    """Return an op with the name and the place in the source that a node has."""
    op.code, op.offset = graph.call_table[graph.calls[node]].code, graph.offsets[node]
    op.given_name = graph.names.get(node) or ""
    return op
