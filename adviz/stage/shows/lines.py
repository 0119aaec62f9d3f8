"""The picture with which the Explorer opens: a box for each statement of the function; a few nodes one by one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...graph.files.saved_values import are_saved
from ...graph.graph import Graph
from ..narration.folds import statements
from ..scene import captions, theme
from ..scene.heat_maps import heat_map
from ..scene.panels import FlowBox, LinesPanel, NamedValue
from ..scene.text_widths import fit_formula, printable, width
from . import flow_scene

MOST_INPUTS = 12
MOST_SINGLE = 24  # nodes that are seen one by one where there is a single statement
MOST_OPENED = 30  # nodes of a box that is opened in place
MOST_NODES = 3_000  # of graphs that are seen so
MOST_TOLD = 400  # nodes that are told of: of more only those that leave boxes
MOST_CELLS = 8, 8  # rows and columns of a heat map
WIDEST_NAME, WIDEST_INSIDE = 140.0, 110.0  # px


def lines_panel(graph: Graph) -> LinesPanel | None:
    """Return the statements of a graph, or its nodes where they are few; ``None`` where neither can be read at once.

    >>> import adviz
    >>> panel = lines_panel(adviz.trace(lambda x, y: np.sin(x) * y + x, 1.0, 2.0))
    >>> [node["name"][0] for node in panel["nodes"]], panel["boxes"]
    (['x', 'y', 'sin(x)', 'sin(x)·y', 'f'], [])
    """
    if len(graph) > MOST_NODES or not graph.outputs or not are_saved(graph.values):
        return None
    layers = statements.layers(graph)
    is_small = len(graph) <= MOST_SINGLE or statements.is_few(graph)
    if not layers and (not is_small or len(graph.inputs) > MOST_INPUTS):
        return None
    boxes = [box for layer in layers for box in flow_scene.boxes(layer)]
    exits = {node for box in boxes for node in box["exits"]}
    opened = exits.union(*_opened(boxes))
    seen = sorted(opened if len(opened) <= MOST_TOLD else exits)
    told: dict[int, NamedValue] = {}
    for layer in [*layers, graph]:
        names = flow_scene.named(layer, graph.title)
        is_inside = layer is graph and layers
        for node in seen if is_inside else flow_scene.nodes_of(layer):
            if node not in told:
                told[node] = _value(graph, node, printable(names(node)), WIDEST_INSIDE if is_inside else WIDEST_NAME)
    return {"id": "lines", "kind": "lines", "nodes": [told[node] for node in sorted(told)], "boxes": boxes}


def _opened(boxes: list[FlowBox]) -> Iterator[list[int]]:
    """Yield what is seen when each box is open, but for boxes in it; not where it is too much."""
    innermost = {node: number for number, box in enumerate(boxes) for node in box["inside"]}
    for number, box in enumerate(boxes):
        direct = [node for node in box["inside"] if innermost[node] == number]
        if len(direct) <= MOST_OPENED:
            yield direct


def _value(graph: Graph, node: int, whole: str, widest: float) -> NamedValue:
    value, name = graph.values[node], fit_formula(whole, theme.FLOW_NAME, widest)
    is_array = np.ndim(value) > 0
    text = captions.shape(np.shape(value)) if is_array else captions.decimals(value)
    size = theme.FLOW_SHAPE if is_array else theme.FLOW_VALUE
    result: NamedValue = {
        "node": node,
        "name": [name, round(width(name, theme.FLOW_NAME), 1)],
        "value": [text, round(width(text, size), 1)],
    }
    if is_array:
        result["map"] = heat_map(value, *MOST_CELLS)
    return result
