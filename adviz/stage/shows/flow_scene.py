"""The panel of a sweep of which everything can be seen at once, and what is said at its levels of detail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from ...engine.jacobians.local import Diagonal, MatrixProduct
from ...graph.graph import Graph
from ..layout import flow_layout
from ..narration.engine_strips import strip_height
from ..narration.flows import EdgeKey, Flow, key, shown
from ..narration.folds.folded_graph import Fold, drawn
from ..narration.levels import SweepNarrator
from ..narration.playing import Run
from ..narration.source_names import SourceNames
from ..scene import captions, theme
from ..scene.flow_panel import Amount, Carried, FlowEdge, FlowNode, FlowPanel, Form, FurtherSweep, Gate, Given, Strip
from ..scene.heat_maps import heat_map
from ..scene.text_widths import fit, fit_formula, printable, width

MOST_NODES = 40  # of a larger graph the folded picture is shown
WIDEST = 26.0  # px of the ribbon of the largest derivative
THINNEST = 1.6
ANEW = "With these numbers the program takes another path: the picture has a new layout."
WIDEST_FOLD = 280.0  # px of what is said of what is inside
NAME_ENDS = 24.0  # px of a node beside its name
MOST_CELLS = 8, 8  # rows and columns of a heat map in a node
GATE_CELLS = 4, 4
FEW = 14  # nodes whose names and gates are written at full length
CROWDED = 0.62  # how much of the length in gates, and of the width of ribbons, is left to more nodes
CROWDED_NAMES = 0.8  # and of the length of names: a node is nearly as wide, for its value and its derivative
PARKED_GAP = 20.0  # px between a number that is parked and the next box
PILL_ENDS = theme.FLOW_AROUND * theme.FLOW_PILL  # px of a pill beside its text

WAYS = {
    "recursion": "whatever is complete sends at once",
    "tape": "the record backwards, last row first",
    "tape with flags": "the record backwards, what is not marked is skipped",
    "toposort": "a node sends when all its uses have reported",
    "rank_heap": "the node of the highest rank sends next",
    "use_counts": "a node sends when all its uses have reported",
}
"""How each engine goes on, in few words."""

Words = tuple[str, float]


def fits(graph: Graph) -> bool:
    """Return whether all nodes of a graph can be seen at once."""
    return sum(block.name != "output" for block in graph.blocks) <= MOST_NODES


def nodes_of(graph: Graph) -> list[int]:
    """Return the nodes that are drawn: an output is drawn as the node that is returned."""
    return [node for node in drawn(graph) if shown(graph, node) == node]


def panel(
    narrators: Sequence[SweepNarrator], run: str, like: FlowPanel | None = None, strip: Strip | None = None
) -> FlowPanel:
    """Return the panel of a sweep, or of several that follow each other; a ``strip`` has its room below.

    ``like`` is an earlier panel of the same structure. Its places are kept, unless a number has become longer than the
    room that it had.
    """
    narrator = narrators[0]
    flow, graph = narrator.flow, narrator.flow.graph
    nodes_drawn = nodes_of(graph)
    number = {node: k for k, node in enumerate(nodes_drawn)}
    share, names = (1.0, 1.0) if len(nodes_drawn) <= FEW else (CROWDED, CROWDED_NAMES)
    largest = max(_largest(each.flow) for each in narrators) / share
    sweeps = [[_node(each, node, largest, names) for node in nodes_drawn] for each in narrators]
    nodes = _sized(sweeps, _is_tall(like))
    found = list(_drawn_edges(graph, set(nodes_drawn)))
    carried = [[_edge(each, edge, tail, largest, share) for edge, tail in found] for each in narrators]
    edges = carried[0]
    is_alike = like is not None and _outline(like["nodes"], like["edges"]) == _outline(nodes, edges)
    is_saved = is_alike and like is not None and not _grown(like, nodes, edges)
    if like and is_saved:
        placed = _kept(like)
    else:
        ends = [(number[tail], number[edge[0]]) for edge, tail in found]
        place = partial(_placed, flow.reverse, sweeps, carried, ends, like if is_alike else None)
        placed = place(is_tall=False)
        if placed.rows > 1 and len(nodes) <= FEW:
            narrow = place(is_tall=True)
            placed = narrow if narrow.rows == 1 else place(is_tall=False)
    for item, (x, y) in zip(nodes, placed.nodes, strict=True):
        item["x"], item["y"] = x, y
    for k, each in enumerate(edges):
        each["before"], each["after"] = placed.before[k], placed.after[k]
        each["gate"]["x"], each["gate"]["y"] = placed.gates[k]
    made: FlowPanel = {
        "id": "graph",
        "kind": "flow",
        "run": run,
        "reverse": flow.reverse,
        "width": placed.size[0],
        "height": placed.size[1] + strip_height(strip),
        "note": placed.note if is_alike or not like else f"{ANEW} {placed.note or ''}".strip(),
        "nodes": nodes,
        "edges": edges,
        "moves": narrator.moves(),
    }
    if strip:
        made["strip"] = strip
    further = [_further(*each) for each in zip(narrators, sweeps, carried, strict=True)][1:]
    if further:
        made["sweeps"] = further
    return made


def _further(narrator: SweepNarrator, nodes: list[FlowNode], edges: list[FlowEdge]) -> FurtherSweep:
    """Return what a later sweep gives to nodes and edges."""
    return {
        "first": narrator.first,
        "nodes": [_only(Given, node) for node in nodes],
        "edges": [_only(Carried, edge) for edge in edges],
        "moves": narrator.moves(),
    }


def title(run: Run) -> list[str]:
    """Return the name of a run, and how its engine goes on."""
    return [f"{run.label[0].upper()}{run.label[1:]}", WAYS.get(run.engine, "")]


def _only(kind: Any, whole: Any) -> Any:
    """Return the entries of a part of a document."""
    return {name: whole[name] for name in kind.__annotations__ if name in whole}


def _placed(
    reverse: bool,
    sweeps: list[list[FlowNode]],
    carried: list[list[FlowEdge]],
    ends: list[flow_layout.Edge],
    like: FlowPanel | None,
    is_tall: bool,
) -> flow_layout.Placed:
    """Give nodes their sizes, not less than they had in a panel of the same form, and return their places."""
    nodes, edges = _sized(sweeps, is_tall), carried[0]
    if like and is_tall == _is_tall(like):
        _grown(like, nodes, edges)
    wanted = [_rooms(reverse, each, nodes, alike) for each, alike in zip(sweeps, carried, strict=True)]
    return flow_layout.place(
        [(node["w"], node["h"]) for node in nodes],
        ends,
        [(edge["gate"]["w"], edge["gate"]["h"]) for edge in edges],
        [(max(left for left, _ in rooms), max(right for _, right in rooms)) for rooms in zip(*wanted, strict=True)],
    )


def _is_tall(panel: FlowPanel | None) -> bool:
    return panel is not None and any("tall" in node for node in panel["nodes"])


def _sized(sweeps: list[list[FlowNode]], is_tall: bool) -> list[FlowNode]:
    """Return the nodes as the first sweep has them, with room for what every sweep gives to them."""
    for alike in zip(*sweeps, strict=True):
        fullest = alike[0].copy()
        for name in ("seed", "result"):
            if given := [each[name] for each in alike if name in each]:
                fullest[name] = max(given, key=lambda amount: amount["w"])
        fullest.pop("tall", None)
        if is_tall and "map" not in fullest:
            fullest["tall"] = True
        fullest["w"], fullest["h"] = _size(fullest)
        fullest["slot"] = _slot(fullest)
        if "fold" in fullest:
            fullest = _with_fold(fullest)
        form: Any = _only(Form, fullest)
        for each in alike:
            each.pop("tall", None)
            each.update(form)
    return sweeps[0]


def _outline(nodes: Iterable[FlowNode], edges: Iterable[FlowEdge]) -> list[str]:
    return [*(node["key"] for node in nodes), *(edge["key"] for edge in edges)]


def _grown(like: FlowPanel, nodes: list[FlowNode], edges: list[FlowEdge]) -> bool:
    """Make everything at least as large as it was; return whether something needs more room than it had."""
    boxes: list[tuple[Any, Any]] = [
        *zip(nodes, like["nodes"], strict=True),
        *((edge["gate"], was["gate"]) for edge, was in zip(edges, like["edges"], strict=True)),
    ]
    has_grown = any(box["w"] > old["w"] or box["h"] > old["h"] for box, old in boxes)
    for box, old in boxes:
        box["w"], box["h"] = max(box["w"], old["w"]), max(box["h"], old["h"])
    for node in nodes:
        node["slot"] = _slot(node)
    return has_grown


def _kept(like: FlowPanel) -> flow_layout.Placed:
    """Return the places of an earlier panel."""
    edges = like["edges"]
    return flow_layout.Placed(
        [(node["x"], node["y"]) for node in like["nodes"]],
        [(edge["gate"]["x"], edge["gate"]["y"]) for edge in edges],
        [edge["before"] for edge in edges],
        [edge["after"] for edge in edges],
        (like["width"], like["height"] - strip_height(like.get("strip"))),
        (like["note"] or "").removeprefix(ANEW).strip() or None,
    )


# ---- nodes ----


def _node(narrator: SweepNarrator, node: int, largest: float, share: float) -> FlowNode:
    flow, graph = narrator.flow, narrator.flow.graph
    value, name = graph.values[node], printable(narrator.names(node))
    returned = any(shown(graph, output) == node for output in graph.outputs)
    kind: Literal["input", "block", "output"] = (
        "input" if graph.blocks[node].name == "input" else "output" if returned else "block"
    )
    number = "" if np.ndim(value) or kind == "block" else f" = {captions.decimals(value)}"
    shown_value = captions.decimals(value) if not np.ndim(value) else captions.shape(np.shape(value))
    limit = theme.FLOW_WIDEST_NAME * share if kind == "block" else theme.FLOW_WIDEST_TITLE
    title = fit_formula(name, theme.FLOW_NAME, limit - width(number, theme.FLOW_NAME)) + number
    result: FlowNode = {
        "key": str(node),
        "node": node,
        "kind": kind,
        "name": title,
        "name_w": round(width(title, theme.FLOW_NAME), 1),
        "value": shown_value,
        "value_w": round(width(shown_value, theme.FLOW_VALUE if not np.ndim(value) else theme.FLOW_SHAPE), 1),
        "slot": [0.0, 0.0],
        "x": 0.0,
        "y": 0.0,
        "w": 0.0,
        "h": 0.0,
        "dead": not graph.live[node],
        "title": f"{name}, {'' if np.ndim(value) else 'value '}{captions.value(value)}",
        "derivative": _derivative(narrator, node) if node in flow.results or not narrator.line else "",
        "total": _words("", theme.FLOW_PILL),
    }
    fold = graph.blocks[node]
    if isinstance(fold, Fold):
        result["fold"] = fit(f"{fold.place.short} · {len(fold.inside):,} ops", theme.FLOW_FOLD, WIDEST_FOLD)
        result["title"] = f"{result['title']}, folded: {printable(fold.place.label)}, {fold.counted}"
    if returned and kind == "input":
        result["returned"] = True
    if node == narrator.first_value:
        result["first"] = True
        result["title"] += ": the first value that is not finite"
    if np.ndim(value):
        result["map"] = heat_map(value, *MOST_CELLS)
    if node in flow.seeds:
        result["seed"] = amount(flow.seeds[node], largest)
    if node in flow.results:
        result["result"] = amount(flow.results[node], largest)
        if node in flow.sums:
            added = (
                f"Σ {len(narrator.parts.terms(node))}" if np.ndim(flow.results[node]) else narrator.parts.added(node)
            )
            result["total"] = _words(added, theme.FLOW_PILL)
    return result


def _with_fold(node: FlowNode) -> FlowNode:
    """Return a node that has room for what it says of what is inside."""
    node["w"] = round(max(node["w"], width(node["fold"], theme.FLOW_FOLD) + NAME_ENDS), 1)
    across, down = _slot(node)
    return {**node, "h": node["h"] + theme.FLOW_FOLDED, "slot": [across, down + theme.FLOW_FOLDED / 2]}


def _slot(node: FlowNode) -> list[float]:
    """Return where the derivative of a node stands, from its center."""
    if "map" in node:
        across = (theme.FLOW_BESIDE + theme.FLOW_CELL * len(node["map"]["columns"])) / 2
        return [across, round((theme.FLOW_HEAD - theme.FLOW_PAD) / 2 + 2, 1)]
    if node["kind"] == "block" and "tall" not in node:
        return [round(node["w"] / 2 - _wide(node) / 2 - 14, 1), 18.0]
    return [0.0, 31.0]


def _wide(node: FlowNode) -> float:
    """Return the width of the place for the derivative of an operation."""
    return max(56.0, max((node[name]["w"] for name in ("seed", "result") if name in node), default=0.0) + PILL_ENDS)


def _derivative(narrator: SweepNarrator, node: int) -> str:
    """Return what the derivative of a node is called: ``∂f/∂x``, or ``x′`` in forward mode."""
    if narrator.flow.reverse and (narrator.is_single or narrator.line):
        return f"∂{narrator.top}/∂{narrator.names(node)}"
    if narrator.line:
        return f"∂{narrator.names(node)}/∂{narrator.line.entry}"
    return "adjoint" if narrator.flow.reverse else "tangent"


def _size(node: FlowNode) -> tuple[float, float]:
    """Return the width and the height of a node: room for its name, its value and its derivative."""
    text = width(node["name"], theme.FLOW_NAME)
    if "map" in node:
        cells = len(node["map"]["columns"]) * theme.FLOW_CELL
        both = 2 * cells + theme.FLOW_BESIDE
        label = text + node["value_w"] + 8
        high = theme.FLOW_HEAD + len(node["map"]["rows"]) * theme.FLOW_CELL + theme.FLOW_PAD
        return round(max(64.0, label, both) + 2 * theme.FLOW_PAD, 1), round(max(high, 66.0), 1)
    if node["kind"] == "block":
        if "tall" in node:
            return round(max(84.0, text + 24, node["value_w"] + 24, _wide(node) + 16), 1), 118.0
        return round(max(110.0, text + 24, node["value_w"] + _wide(node) + 40), 1), 84.0
    shown = max((node[name]["w"] for name in ("seed", "result") if name in node), default=24.0)
    word = width(node["derivative"], theme.FLOW_WORD)
    if "tall" in node:
        return round(max(84.0, text + 24, word + 24, shown + PILL_ENDS + 24), 1), 118.0
    large = theme.FLOW_RESULT / theme.FLOW_PILL * (shown + PILL_ENDS)
    return round(max(108.0, text + 30, word + 40, large + 16), 1), 118.0


def _rooms(
    reverse: bool, given: list[FlowNode], nodes: list[FlowNode], edges: list[FlowEdge]
) -> list[flow_layout.Room]:
    """Return for each node the px wanted at its left and right, where several contributions park and are added.

    Such a node is made as high as they need one above the other. ``given`` are the nodes as the sweep has them.
    """
    result = []
    for each, node in zip(given, nodes, strict=True):
        parked = [
            edge["product"]
            for edge in edges
            if "product" in edge and (edge["tail"] if reverse else edge["head"]) == node["node"]
        ]
        if not each["total"][0] or not parked:
            result.append((0.0, 0.0))
            continue
        widest = max(_parked_width(each) for each in parked)
        least = 44.0 + 34.0 * (min(len(parked), theme.FLOW_MOST_PARKED) - 1)
        node["h"] = max(node["h"], least)
        room = theme.FLOW_PARKED + widest + PARKED_GAP
        result.append((0.0, room) if reverse else (room, 0.0))
    return result


def _parked_width(amount: Amount) -> float:
    return theme.FLOW_SMALL_CELL * len(amount["map"]["columns"]) + 10 if "map" in amount else amount["w"] + PILL_ENDS


# ---- edges ----


def _edge(narrator: SweepNarrator, edge: EdgeKey, tail: int, largest: float, share: float) -> FlowEdge:
    flow, graph = narrator.flow, narrator.flow.graph
    sent = flow.sent.get(edge)
    is_array = narrator.parts.is_array(edge)
    gate = _gate(narrator, edge, is_array, share)
    result: FlowEdge = {
        "key": key(edge),
        "tail": tail,
        "head": edge[0],
        "before": [],
        "after": [],
        "gate": gate,
        "dead": not graph.live[edge[0]],
        "factors": _words("", theme.FLOW_PILL),
        "equation": _words("", theme.FLOW_EQUATION),
    }
    if edge == narrator.first_broken:
        result["first"] = True
    if sent:
        result["given"], result["product"] = amount(sent.given, largest), amount(sent.product, largest)
        if not is_array:
            result["factors"] = _words(narrator.parts.factors(edge), theme.FLOW_PILL)
            result["equation"] = _words(narrator.parts.equation(edge), theme.FLOW_EQUATION)
    return result


def _gate(narrator: SweepNarrator, edge: EdgeKey, is_array: bool, share: float) -> Gate:
    symbol = printable(narrator.parts.symbol(edge))
    number = "" if is_array else captions.decimals(narrator.parts.partial(edge))
    if symbol.startswith("∂") and width(symbol, theme.FLOW_GATE) > theme.FLOW_WIDEST_GATE * share:
        symbol = f"∂/∂{symbol.rpartition('/∂')[2]}"
    symbol = fit_formula("" if symbol == number else symbol, theme.FLOW_GATE, theme.FLOW_WIDEST_GATE * share)
    wide = max(width(symbol, theme.FLOW_GATE), width(number, theme.FLOW_GATE))
    gate: Gate = {
        "x": 0.0,
        "y": 0.0,
        "w": round(max(40.0, wide + 18), 1),
        "h": 56.0 if symbol and number else 34.0,
        "symbol": symbol,
        "number": number,
    }
    factor = _factor(narrator.flow, edge) if is_array else None
    if factor is not None:
        gate["map"] = heat_map(factor, *GATE_CELLS)
        gate["h"] = round(42.0 + theme.FLOW_SMALL_CELL * len(gate["map"]["rows"]), 1)
    return gate


def _factor(flow: Flow, edge: EdgeKey) -> np.ndarray | None:
    """Return the array by which an adjoint, or a tangent, is multiplied at an edge; ``None`` if there is none."""
    with np.errstate(all="ignore"):  # what is infinite or NaN is drawn as that
        jacobian = flow.graph.local_jacobians(edge[0])[edge[1]][1]
    match jacobian:
        case MatrixProduct(fixed=fixed) if 1 <= np.ndim(fixed) <= 2:
            return np.transpose(fixed) if flow.reverse else np.asarray(fixed)
        case Diagonal(partial=partial) if np.ndim(partial) and np.any(partial != np.ravel(partial)[:1]):
            return np.asarray(partial, float)
    return None


# ---- derivatives and arrays ----


def amount(value: Any, largest: float) -> Amount:
    """Return a derivative with the width of its ribbon, where ``largest`` is the largest derivative of the sweep."""
    size = magnitude(value)
    ribbon = max(THINNEST, WIDEST * min(1.0, size / largest)) if np.isfinite(size) and size and largest else THINNEST
    text = captions.decimals(value) if not np.ndim(value) else captions.shape(np.shape(value))
    entries = np.asarray(value, float)
    total = float(np.sum(entries)) if np.isfinite(size) else np.nan
    result: Amount = {
        "text": text,
        "w": round(width(text, theme.FLOW_PILL), 1),
        "sign": None if np.isnan(total) else 0 if not size else 1 if total >= 0 else -1,
        "ribbon": round(ribbon, 2),
    }
    if np.ndim(value):
        result["map"] = heat_map(value, *MOST_CELLS)
        weight = float(np.sum(np.abs(entries)))
        if np.isfinite(weight) and np.isfinite(total) and weight:
            result["against"] = round((weight - abs(total)) / 2 / weight, 3)
    return result


def magnitude(value: Any) -> float:
    """Return the absolute value of a number, or the norm of an array."""
    return captions.norm(np.asarray(value, float))


def _largest(flow: Flow) -> float:
    """Return the largest derivative that a ribbon stands for."""
    carried = [each for sent in flow.sent.values() for each in (sent.given, sent.product)]
    sizes = [magnitude(value) for value in [*carried, *flow.results.values()]]
    return max((size for size in sizes if np.isfinite(size)), default=0.0)


def _words(text: str, size: float) -> list[str | float]:
    return [text, round(width(text, size), 1)]


def named(graph: Graph, title: str) -> SourceNames:
    """Return the names of all nodes that are drawn."""
    return SourceNames(graph, nodes_of(graph), title)


def _drawn_edges(graph: Graph, nodes: set[int]) -> Iterator[tuple[EdgeKey, int]]:
    """Yield the edges between some nodes, each with its operand."""
    for node in sorted(nodes):
        for place, operand in enumerate(graph.operand_nodes(node)):
            if operand in nodes:
                yield (node, place), operand
