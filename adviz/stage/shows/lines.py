"""The picture with which the Explorer opens: a box for each statement of the function; a few nodes one by one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...graph.files.saved_values import are_saved
from ...graph.graph import Graph
from ..narration.folds import statements
from ..narration.folds.folded_graph import FoldedGraph, Place, kept, parts_of, targets, whole
from ..narration.source_names import SourceNames
from ..scene import captions, theme
from ..scene.heat_maps import heat_map
from ..scene.panels import FlowBox, LinesPanel, NamedValue
from ..scene.text_widths import fit_formula, printable, width

MOST_INPUTS = 12
MOST_SINGLE = 24  # nodes that are seen one by one where there is a single statement
FEW_INSIDE = 6  # operations that are seen one by one where a box is opened
MOST_OPENED = 30  # nodes of a box that is opened in place
MOST_NODES, MOST_NESTED = 3_000, 1_000  # of graphs that are seen so, and in whose boxes there are boxes
MOST_TOLD = 400  # nodes that are told of: of more only those that are seen while all boxes are closed
MOST_CELLS = 8, 8  # rows and columns of a heat map
WIDEST_NAME, WIDEST_INSIDE = 140.0, 110.0  # px


def lines_panel(graph: Graph) -> LinesPanel | None:
    """Return the statements of a graph, or its nodes where they are few; ``None`` where neither can be read at once.

    >>> import adviz
    >>> panel = lines_panel(adviz.trace(lambda x, y: np.sin(x) * y + x, 1.0, 2.0))
    >>> [node["name"][0] for node in panel["nodes"]], panel["boxes"]
    (['x', 'y', 'sin(x)', 'sin(x)·y', 'f'], [])
    """
    is_small = len(graph) <= MOST_NODES and graph.outputs and are_saved(graph.values)
    parts = _parts(graph) if is_small else None
    if parts is None:
        return None
    outer = [*_boxes(graph, parts)]
    boxes = [*outer]
    for number, box in enumerate(boxes):  # grows as inner ones are found
        if len(graph) > MOST_NESTED:
            break
        if "parent" not in box or "parent" not in boxes[box["parent"]]:
            boxes += [FlowBox(**inner, parent=number) for inner in _boxes(graph, _inner(graph, box["inside"]))]
    folded = FoldedGraph(graph, parts)
    closed = [node for node in folded.kept if graph.blocks[node].name != "output"]
    inside = {node for number, box in enumerate(boxes) for node in [*box["exits"], *_direct(boxes, number)]}
    if len(inside) > MOST_TOLD:
        boxes, inside = outer, set()
    names = {node: name for box in boxes for node, name in targets(graph, box["label"], box["exits"]).items()}
    nodes = [
        *_named(folded, closed, WIDEST_NAME, names),
        *_named(graph, sorted(inside - {*closed}), WIDEST_INSIDE, names),
    ]
    nodes.sort(key=lambda each: each["node"])
    return {"id": "lines", "kind": "lines", "nodes": nodes, "boxes": boxes}


def _boxes(graph: Graph, parts: list[tuple[Place, list[int]]]) -> Iterator[FlowBox]:
    """Yield the parts of several nodes, of which one is used outside, or returned."""
    part_of = parts_of(graph, [nodes for _, nodes in parts])
    left = kept(graph, part_of)
    for number, (place, inside) in enumerate(parts):
        exits = [node for node in left if part_of[node] == number]
        if len(inside) > 1 and exits:
            yield {"label": printable(place.short), "inside": inside, "exits": exits}


def _inner(graph: Graph, nodes: list[int]) -> list[tuple[Place, list[int]]]:
    operations = [node for node in nodes if graph.operand_nodes(node)]
    return statements.inside(graph, operations) if len(operations) > FEW_INSIDE else []


def _direct(boxes: list[FlowBox], number: int) -> list[int]:
    """Return the nodes that are seen when a box is opened, but for boxes in it; none where they are too many."""
    among = {node for box in boxes if box.get("parent") == number for node in box["inside"]}
    result = [node for node in boxes[number]["inside"] if node not in among]
    return result if len(result) <= MOST_OPENED else []


def _parts(graph: Graph) -> list[tuple[Place, list[int]]] | None:
    """Return what is one box; many inputs are in the box that alone uses them. ``None`` if that would be too many."""
    few = len(graph) <= MOST_SINGLE
    parts = [] if statements.is_few(graph) else statements.boxes(graph) or ([] if few else None)
    if parts is None or len(graph.inputs) <= MOST_INPUTS:
        return parts
    owners = {node: number for number, (_, nodes) in enumerate(parts) for node in nodes}
    left = len(graph.inputs)
    for node in graph.inputs:
        users = {owners.get(user, -1) for user in graph.users(node)}
        if len(users) == 1 and -1 not in users:
            parts[users.pop()][1].insert(0, node)
            left -= 1
    return parts if left <= MOST_INPUTS else None


def _named(graph: Graph, nodes: list[int], widest: float, given: dict[int, str]) -> Iterator[NamedValue]:
    bound = [
        node for node in range(len(graph)) if whole(graph).name(node)
    ]  # numbered as they are set, whether seen or not
    names = SourceNames(graph, sorted({*nodes, *bound}), graph.title)
    for node in nodes:
        name = given.get(node) or printable(names(node))
        yield _value(graph, node, fit_formula(name, theme.FLOW_NAME, widest))


def _value(graph: Graph, node: int, name: str) -> NamedValue:
    value = graph.values[node]
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
