"""The Scene of a graph: one JSON document, and one buffer of columns with the data of all nodes and scopes.

``document(graph)`` returns the Scene with the root scope placed. The columns are packed into one little-endian buffer,
so that a graph of 100,000 nodes needs only a few megabytes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from types import CodeType
from typing import Any

import numpy as np

from ...engine.measuring import LiveBytes, live_bytes
from ...engine.trace import trace
from ...graph import ipython
from ...graph.files.saved_values import are_saved
from ...graph.graph import Graph
from ...graph.linearized.cgraph import CGraph
from ...graph.origins import assigned_name, origin, source
from ...graph.queries.aggregates import iteration_rows, scope_names
from ...graph.scopes import KINDS
from ..layout import placing
from ..narration.folds import statements
from ..scene import captions, heat_maps, text_widths, theme
from ..scene.document import ColumnEntry, ColumnType, Panel, Scene, Tables
from ..scene.panels import (
    FlowBox,
    GraphPanel,
    LinesPanel,
    NamedValue,
    NodeUses,
    Peak,
    SizesPanel,
    SourceFile,
    Span,
    UnplacedGraphPanel,
    UnplacedItem,
    UseCount,
)
from ..scene.text_widths import fit_formula, printable, width
from . import adjoints, flow_scene, folding

LIVE, NAN, INF, SCALAR, INPUT, OUTPUT = 1, 2, 4, 8, 16, 32
UNTITLED = "linearized graph"
WHOLE = {"first", "scope_parent", "rest_node", "rest_operand"}
LEAST_GRID = 7  # the fewest items without edges among them that are placed as a grid
MOST_ALIVE, MOST_HOLDERS = 1_000, 4  # the most nodes that are told of a peak of memory, and those with their names
WIDEST_GRID = 12  # the most columns of a matrix whose rows are those of the grid
TYPES: dict[str, ColumnType] = {"u1": "u8", "u2": "u16", "u4": "u32", "i4": "i32", "f4": "f32", "f8": "f64"}


def view(graph: Graph, scope: int = 0) -> GraphPanel:
    """Return a scope as a placed graph panel, with its sizes: a picture of at most some tens of items, where possible.

    Inputs stand beside what uses them. Entries of one array, which have no edges among them, are a grid.
    """
    panel = folding.panel(graph, scope, readable=True)
    grids = adjoints.arguments(graph) if are_saved(graph.values) else {}
    differentiable = not adjoints.refusal(graph) and any(graph.live[index] for index in graph.inputs)
    for item in panel["nodes"]:
        _prepare(graph, item, grids, differentiable)
    result = placed(panel, graph, grids)
    return {**result, "sizes": sizes_panel(graph, result["scope"])}


def placed(panel: UnplacedGraphPanel, graph: Graph, grids: dict[int, list[int]] | None = None) -> GraphPanel:
    """Return a panel as the Explorer places it; ``grids`` are scopes whose nodes are the entries of one array."""
    columns = _columns(panel, graph, grids or {})
    if columns:
        panel["nodes"], panel["edges"] = [item for item in panel["nodes"] if item["kind"] != "outside"], []
    result = placing.place(panel, ranks={"output": "sink"}, columns=columns, layer_gap=theme.EXPLORER_GAP)
    if columns:
        result["note"] = "Entries of one array: their edges lead outside, and are not drawn."
    return result


def _prepare(graph: Graph, item: UnplacedItem, grids: dict[int, list[int]], differentiable: bool) -> None:
    """Give an item the heat map of an array, and the room that this and an adjoint take."""
    node, words = item["node"], ""
    if not are_saved(graph.values):
        return
    if node is not None and np.ndim(graph.values[node]):
        item["map"] = heat_maps.heat_map(graph.values[node])
        named = graph.name(node) if graph.blocks[node].name != "input" else None
        words = f"{named} " if named and item["kind"] != "outside" else ""
    elif item["span"] and item["span"][0] in grids and item["span"][1] == item["span"][0] + 1:
        item["map"] = adjoints.entries(graph, grids[item["span"][0]], graph.values)
    if "map" in item:
        sheets = 2 if differentiable else 1
        text = text_widths.width(words + captions.shape(item["map"]["shape"]), theme.DETAIL_SIZE, "mono")
        item["beside"] = text + sheets * (heat_maps.node_size(item["map"])[0] + theme.MAP_GAP)
    elif node is not None and item["kind"] != "outside" and differentiable:
        item["beside"] = theme.ADJOINT_WIDTH + theme.MAP_GAP


def _columns(panel: UnplacedGraphPanel, graph: Graph, grids: dict[int, list[int]]) -> int:
    """Return in how many columns the items of a panel are placed as a grid; 0 where there are edges among them."""
    inside = {item["key"] for item in panel["nodes"] if item["kind"] != "outside"}
    if len(inside) < LEAST_GRID or any(edge["tail"] in inside and edge["head"] in inside for edge in panel["edges"]):
        return 0
    nodes = grids.get(panel["scope"])
    wide = adjoints.entries(graph, nodes, graph.values)["shape"][-1] if nodes else 0
    return wide if 1 < wide <= WIDEST_GRID else math.ceil(math.sqrt(len(inside)))


def document(graph: Graph, panels: list[Panel] | None = None, seconds: np.ndarray | None = None) -> tuple[Scene, bytes]:
    """Return the Scene of a graph, opened at its root unless ``panels`` are given, and the buffer of its columns.

    ``seconds`` are the times of the nodes, where they were measured.
    """
    files, tables, spans = _tables(graph)
    columns = node_columns(graph, spans)
    if panels is None:
        columns |= question_columns(graph)
        if seconds is not None:
            columns["seconds"] = seconds.astype(np.float32)
        tables["shapes"], tables["dtypes"] = graph.columns.shape.table, graph.columns.dtype.table
        tables["scope_groups"] = [[name, parent] for name, parent in scope_names(graph.columns)]
    of_scopes = scope_columns(graph, tables["scope_labels"])
    if panels is None:
        iterations, row_of = iteration_rows(graph.columns)
        tables["iterations"] = [[name, around] for name, around in iterations]
        of_scopes["scope_iteration"] = _narrow(row_of)
        of_scopes["scope_group"] = _narrow(graph.columns.scope_groups[2])
    entries, buffer = pack({**columns, **of_scopes})
    scene: Scene = {
        "version": 1,
        "title": graph.title,
        "panels": _panels(graph) if panels is None else panels,
        "steps": [],
        "source": {"files": files},
        "tables": tables,
        "columns": entries,
    }
    return scene, buffer


def linearized_document(graph: CGraph, program: Graph | None) -> tuple[Scene, bytes]:
    """Return the Scene of the program of a linearized graph; without a program, one without source and nodes."""
    scene, columns = document(program or trace(lambda: ()), panels=[])
    if program is None:
        entries = [entry for entry in scene["columns"] if entry["name"] != "bytes"]  # one entry for all nodes
        scene = {**scene, "title": graph.title or UNTITLED, "source": {"files": []}, "columns": entries}
    return scene, columns


def _panels(graph: Graph) -> list[Panel]:
    root = view(graph)
    sizes: SizesPanel = {**root.pop("sizes"), "peaks": peaks(graph)}
    told = lines_panel(graph)
    return [root, *([told] if told else []), {"id": "code", "kind": "code"}, sizes, adjoints.derivatives_panel(graph)]


# ---- tables: blocks, functions of the user, spans in them, names ----


def _tables(graph: Graph) -> tuple[list[SourceFile], Tables, np.ndarray]:
    """Return the tables of a Scene, and for every node its row in the table of spans (-1 for none)."""
    files, spans, of_node = spans_of_graph(graph)
    tables: Tables = {
        "blocks": [{"name": block.name, "family": block.family, "symbol": block.symbol} for block in graph.block_table],
        "spans": spans,
        "names": {str(index): name for index, name in graph.names.items()},
        "scope_labels": [],
    }
    return files, tables, of_node


def spans_of_graph(graph: Graph) -> tuple[list[SourceFile], list[Span], np.ndarray]:
    """Return the user's functions, the sub-expressions that made nodes, and the sub-expression of every node."""
    number = {id(code): k for k, code in enumerate(graph.codes)}
    places = graph.columns.places
    spans: list[Span] = [[number[id(place.code)], *place.origin[2:6], place.name or None] for place in places]
    return source_files(graph.codes), spans, graph.columns.place


def spans_of(
    codes: Sequence[CodeType], numbers: np.ndarray, offsets: np.ndarray
) -> tuple[list[SourceFile], list[Span], np.ndarray]:
    """Return functions and sub-expressions; of each node the number of its code (-1: none) and the offset are given."""
    keys = numbers.astype(np.int64) << 32 | np.maximum(offsets, 0)
    keys[(offsets < 0) | (numbers < 0)] = -1
    unique, row = np.unique(keys, return_inverse=True)
    spans: list[Span] = []
    place_of = np.full(len(unique), -1, np.int32)
    for k, key in enumerate(unique.tolist()):
        place = origin(codes[key >> 32], key & 0xFFFFFFFF) if key >= 0 else None
        if place is not None:
            name = assigned_name(codes[key >> 32], key & 0xFFFFFFFF)
            place_of[k] = len(spans)
            spans.append([key >> 32, *place[2:6], name])
    return source_files(codes), spans, place_of[row]


NO_SOURCE = "# The source of this function is not known: define it in a file or in a cell."


def source_files(codes: Sequence[CodeType]) -> list[SourceFile]:
    """Return the texts of functions."""
    texts = [source(code) for code in codes]
    return [
        {"name": text.name, "path": ipython.called(text.path), "line": text.line, "text": text.text or NO_SOURCE}
        for text in texts
    ]


# ---- columns ----


def node_columns(graph: Graph, spans: np.ndarray) -> dict[str, np.ndarray]:
    """Return the data of every node, as columns."""
    columns = graph.columns
    flags = columns.live * np.uint8(LIVE) | columns.isnan * np.uint8(NAN) | columns.isinf * np.uint8(INF)
    flags |= np.array([shape == "()" for shape in columns.shape.table], bool)[columns.shape.numbers] * np.uint8(SCALAR)
    flags[graph.inputs] |= INPUT
    flags[graph.outputs] |= OUTPUT
    rest = [(node, operand) for node, further in graph.rest.items() for operand in further if operand >= 0]
    rest_columns = np.array(rest, np.int32).reshape(-1, 2).T
    return {
        "block": _narrow(columns.block),
        "flags": flags,
        "uses": _narrow(columns.times_used),
        "first": np.maximum(np.frombuffer(graph.first, np.int32), -1),
        "second": np.maximum(np.frombuffer(graph.second, np.int32), -1),
        "rest_node": rest_columns[0],
        "rest_operand": rest_columns[1],
        "scope": np.frombuffer(graph.scopes.of_node, np.int32),
        "span": spans,
        "bytes": (np.array([8]) if columns.is_of_numbers else columns.bytes).astype(np.float32),
        "value": columns.value,
    }


def question_columns(graph: Graph) -> dict[str, np.ndarray]:
    """Return what the search box and the sizes of an Explorer ask of every node besides."""
    columns = graph.columns
    return {
        "bytes": _narrow(columns.bytes),
        "shape": _narrow(columns.shape.numbers),
        "dtype": _narrow(columns.dtype.numbers),
        "operations": _narrow(columns.operations),
        "held": _narrow(columns.held),
    }


def scope_columns(graph: Graph, labels: list[str]) -> dict[str, np.ndarray]:
    """Return the data of every scope, as columns; their labels are added to ``labels``, each once."""
    tree = graph.scopes
    numbers: dict[Any, int] = {}
    label_of = np.zeros(len(tree), np.int64)
    for scope in range(len(tree)):
        kind = KINDS[tree.kinds[scope]]
        code, offset = tree.places[scope]
        key = kind if kind == "iteration" else (kind, id(code), offset) if kind in ("call", "loop") and scope else scope
        if key not in numbers:
            numbers[key] = len(labels)
            labels.append(kind if kind == "iteration" else graph.scope_label(scope))
        label_of[scope] = numbers[key]
    return {
        "scope_parent": np.frombuffer(tree.parents, np.int32),
        "scope_end": np.frombuffer(tree.ends, np.int32),
        "scope_nodes": _narrow(np.frombuffer(tree.nodes, np.int32)),
        "scope_label": _narrow(label_of),
        "scope_kind": np.frombuffer(tree.kinds, np.uint8),
        "scope_ordinal": _narrow(np.frombuffer(tree.ordinals, np.int32)),
    }


def _narrow(column: np.ndarray) -> np.ndarray:
    """Return a column in the narrowest type that holds it: whole numbers without a sign, or floats where it is long."""
    top = int(column.max(initial=0))
    kinds = (np.uint8, 1 << 8), (np.uint16, 1 << 16), (np.uint32, 1 << 32)
    return column.astype(next((kind for kind, above in kinds if top < above), np.float64))


def pack(columns: dict[str, np.ndarray]) -> tuple[list[ColumnEntry], bytes]:
    """Return the place of each column, and the columns one after the other, each at a multiple of 8 bytes.

    A column whose entries are all equal keeps one entry, except those in ``WHOLE``: two of them give the number of
    nodes and scopes, two are pairs.
    """
    entries: list[ColumnEntry] = []
    parts: list[bytes] = []
    offset = 0
    for name, column in columns.items():
        if len(column) > 1 and name not in WHOLE and (column[0] == column).all():
            column = column[:1]
        data = np.ascontiguousarray(column).astype(column.dtype.newbyteorder("<")).tobytes()
        entries.append({"name": name, "type": TYPES[column.dtype.str[1:]], "offset": offset, "length": len(column)})
        parts.append(data + b"\0" * (-len(data) % 8))
        offset += len(parts[-1])
    return entries, b"".join(parts)


# ---- sizes ----


def sizes_panel(graph: Graph, scope: int = 0) -> SizesPanel:
    """Return the sizes of a scope: totals, the distribution of times_used, the most used.

    Inputs and outputs of an inner scope are the values that come in from outside, and those that are used outside.
    """
    tree, everything = graph.scopes, scope == 0
    of_node = np.frombuffer(tree.of_node, np.int32)
    inside = (of_node >= scope) & (of_node < tree.ends[scope])
    members = np.flatnonzero(inside)
    tails, heads = graph.data_edges
    within = inside[tails] & inside[heads]
    is_user = np.frombuffer(graph.live, np.uint8).astype(bool)  # being returned is not a use
    is_user[list(graph.outputs)] = False
    levels = graph.levels if everything else _levels(members, tails[within], heads[within])
    coming, going = tails[inside[heads] & ~inside[tails]], tails[inside[tails] & ~inside[heads]]
    return {
        "id": "sizes",
        "kind": "sizes",
        "scope": scope,
        "nodes": len(members),
        "edges": int((within & is_user[heads]).sum()),
        "depth": max(levels, default=0),
        "width": max(Counter(levels).values(), default=0),
        "bytes": int(graph.columns.held[members].sum()),
        "dead": int((np.frombuffer(graph.live, np.uint8)[members] == 0).sum()),
        "inputs": len(graph.inputs) if everything else len({*coming.tolist()}),
        "outputs": len(graph.outputs) if everything else len({*going.tolist()}),
        "literals": len(graph.literals) - 1,
        "uses": use_counts(graph.columns.times_used[members]),
        "most_used": most_used(graph, members),
    }


def _levels(members: np.ndarray, tails: np.ndarray, heads: np.ndarray) -> list[int]:
    """Return for each node of a scope the number of edges on the longest path inside that leads to it."""
    level = dict.fromkeys(members.tolist(), 0)
    for tail, head in zip(tails.tolist(), heads.tolist(), strict=True):  # in the order of the heads
        level[head] = max(level[head], level[tail] + 1)
    return list(level.values())


def peaks(graph: Graph) -> list[Peak]:
    """Return the peaks of the bytes in memory, of an evaluation and with the gradient, where there is one."""
    dtypes = graph.columns.dtype
    has_gradient = any(dtypes.table[k].startswith("float") for k in dtypes.numbers[graph.outputs]) and graph.inputs
    return [_peak(live_bytes(graph, gradient)) for gradient in ([False, True] if has_gradient else [False])]


def _peak(live: LiveBytes) -> Peak:
    graph, nodes, holders = live.graph, live.holding(), live.holders(most=MOST_HOLDERS)
    at = live.node_at(live.peak_at).index if len(graph) else 0
    return {
        "gradient": live.with_gradient,
        "bytes": live.peak,
        "node": at,
        "back": live.peak_at >= len(graph) > 0,
        "count": len(nodes),
        "nodes": nodes[:MOST_ALIVE].tolist(),
        "holders": [{"node": each.node.index, "what": each.what, "bytes": each.bytes} for each in holders],
    }


def most_used(graph: Graph, members: np.ndarray) -> list[NodeUses]:
    """Return the ten of some nodes that are used most."""
    uses = graph.columns.times_used[members]
    most = members[np.argsort(-uses, kind="stable")[:10]].tolist()
    return [
        {"node": k, "uses": graph.times_used[k], "label": label}
        for k, label in zip(most, graph.labels(most), strict=True)
        if graph.times_used[k]
    ]


def use_counts(uses: Any) -> list[UseCount]:
    """Count nodes by their uses: 0 to 4 one by one, then in ranges that double."""
    buckets: Counter[tuple[int, int]] = Counter()
    for count, nodes in zip(*(each.tolist() for each in np.unique(uses, return_counts=True)), strict=True):
        low = count if count < 5 else max(5, 1 << (count.bit_length() - 1))
        buckets[low, count if count < 5 else (7 if count < 8 else 2 * low - 1)] += nodes
    return [{"uses": low, "upto": high, "count": count} for (low, high), count in sorted(buckets.items())]


# ---- statements ----


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
    names = flow_scene.named(graph, graph.title, layers=layers)
    outside = {node for layer in (layers or (graph,)) for node in flow_scene.nodes_of(layer)}
    nodes = [
        _value(graph, node, printable(names(node)), WIDEST_NAME if node in outside else WIDEST_INSIDE)
        for node in sorted(outside.union(seen))
    ]
    return {"id": "lines", "kind": "lines", "nodes": nodes, "boxes": boxes}


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
    result: NamedValue = {
        "node": node,
        "name": [name, round(width(name, theme.FLOW_NAME), 1)],
        "value": [text, round(width(text, theme.FLOW_TEXT), 1)],
    }
    if is_array:
        result["map"] = heat_maps.heat_map(value, *MOST_CELLS)
    return result
