"""The Scene of two graphs laid over each other: that of their union, with what each item is in either graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...graph.comparing.differences import KINDS
from ...graph.comparing.union_graph import BITS, CHANGED, UnionGraph
from ...graph.graph import Graph
from ...graph.scopes import EXPRESSION
from ...graph.wording import counted
from ..scene import captions
from ..scene.document import ComparedGraph, ComparisonPanel, DifferenceGroup, DifferenceKind, Panel, Scene
from ..scene.node_details import Detail
from ..scene.panels import Change, GraphPanel, ItemSide, SourceFile, Span, UnplacedGraphPanel, UnplacedItem
from . import explorer_scene, folding
from .detail import detail

# ---- details ----


def compared_detail(union: UnionGraph, node: int, labels: tuple[str, str]) -> Detail:
    """Return the details of a node in the second graph if it is there, else in the first, and what differs.

    Nodes have the numbers of the union.

    >>> import adviz
    >>> before, after = adviz.trace(lambda x: x * x, 3.0), adviz.trace(lambda x: x * x + x, 3.0)
    >>> union = UnionGraph(adviz.compare_graphs(before, after))
    >>> compared_detail(union, 2, ("before", "after"))["differences"]
    ['only in after: node 2 there']
    """
    side = int(union.is_after[node])
    graph = union.numbered_sides[side]
    result: Any = _renumbered(detail(graph, int((union.before, union.after)[side][node])), graph.numbers)
    result["differences"] = differences(union, node, labels)
    return result


def _renumbered(part: Any, numbers: Sequence[int], key: str = "") -> Any:
    """Return details with the numbers of the union; texts have them."""
    if isinstance(part, dict):
        return {name: _renumbered(each, numbers, name) for name, each in part.items()}
    if isinstance(part, list):
        return [_renumbered(each, numbers) for each in part]
    return numbers[part] if key == "node" else part


def differences(union: UnionGraph, node: int, labels: tuple[str, str]) -> list[str]:
    """Say what differs between a node before and after, a sentence each."""
    before, after = int(union.before[node]), int(union.after[node])
    if before < 0 or after < 0:
        return [f"only in {labels[0 if after < 0 else 1]}: node {max(before, after)} there"]
    one, other = union.sides[0][before], union.sides[1][after]
    words = {
        "replaced": lambda: f"{one.block.name} → {other.block.name}",
        "resized": lambda: f"{_sized(one)} → {_sized(other)}",
        "rewired": lambda: f"computed from {_operands(union, 0, before)} → from {_operands(union, 1, after)}",
        "with other constants": lambda: f"constant {union.comparison.constants.told(before, after)}",
        "used more": lambda: f"used {one.times_used:,} → {other.times_used:,} times",
        "used less": lambda: f"used {one.times_used:,} → {other.times_used:,} times",
        "moved": lambda: f"moved from {_place(union, one)} to {_place(union, other)}",
    }
    bits = int(union.differences[node])
    result = [explain() for kind, explain in words.items() if bits & BITS[kind]]
    if result and before != after:
        result.append(f"node {before} → node {after}")
    return result


def _sized(node: Any) -> str:
    shape = captions.shape(node.shape) if node.shape else "number"
    return f"{shape}, {node.dtype} ({node.bytes:,} bytes)"


def _operands(union: UnionGraph, side: int, node: int) -> str:
    graph = union.numbered_sides[side]
    named = [f"{graph.numbered(each)} ({captions.label(graph, each)})" for each in graph.operand_nodes(node)]
    return ", ".join(captions.few(named, "…"))


def _place(union: UnionGraph, node: Any) -> str:
    return union.comparison.place(node.origin) if node.origin else "an unknown place"


# ---- the union ----


SIGNS = {"added": "+", "removed": "−", "changed": "≠"}
"""The sign of each state, which its color shows besides."""
LABELS = "before", "after"
MOST_GROUPS = 40
"""The most groups of one kind of differences that are listed."""
MOST_LISTED = 2_000
"""The most nodes of a group that the document has."""


def comparison_document(union: UnionGraph, labels: tuple[str, str] = LABELS) -> tuple[Scene, bytes]:
    """Return the Scene of two graphs laid over each other, opened at its root, and the buffer of its columns.

    >>> import adviz
    >>> before, after = adviz.trace(lambda x: x * x, 3.0), adviz.trace(lambda x: np.sin(x) * x, 3.0)
    >>> document, _ = comparison_document(UnionGraph(adviz.compare_graphs(before, after)))
    >>> [panel["kind"] for panel in document["panels"]], document["panels"][2]["note"][:35]
    (['graph', 'code', 'comparison'], '3 nodes are in both, 1 only in afte')
    """
    sides = [explorer_scene.spans_of_graph(graph) for graph in union.sides]
    files, spans, rows = _joined_sources(union, sides)
    panel = _panel(union, labels, sides)
    scope_labels: list[str] = []
    columns = {
        **explorer_scene.node_columns(union, rows),
        **explorer_scene.question_columns(union),
        **explorer_scene.scope_columns(union, scope_labels),
        "differences": union.differences,
    }
    for name, places, (*_, of_node) in zip(("before", "after"), (union.before, union.after), sides, strict=True):
        columns[f"span_{name}"] = np.append(of_node, -1)[places].astype(np.int32)
    entries, buffer = explorer_scene.pack(columns)
    panels: list[Panel] = [comparison_view(union, 0, labels), {"id": "code", "kind": "code"}, panel]
    scene: Scene = {
        "version": 1,
        "title": union.title,
        "panels": panels,
        "steps": [],
        "source": {"files": files},
        "tables": {
            "blocks": [
                {"name": block.name, "family": block.family, "symbol": block.symbol} for block in union.block_table
            ],
            "spans": spans,
            "names": {str(index): name for index, name in union.names.items()},
            "scope_labels": scope_labels,
            "shapes": union.columns.shape.table,
            "dtypes": union.columns.dtype.table,
        },
        "columns": entries,
    }
    return scene, buffer


def _joined_sources(union: UnionGraph, sides: list[Any]) -> tuple[list[SourceFile], list[Span], np.ndarray]:
    """Return the functions of both graphs, each once, their sub-expressions, and that of every node."""
    (files, spans, rows), (new_files, new_spans, new_rows) = sides
    if files == new_files:
        shift, all_files = 0, new_files
    else:
        shift, all_files = len(new_files), [*new_files, *files]
    old_spans: list[Span] = [[span[0] + shift, *span[1:]] for span in spans]
    result = union.joined(np.where(rows >= 0, rows.astype(np.int64) + len(new_spans), -1), new_rows)
    return all_files, [*new_spans, *old_spans], result.astype(np.int32)


# ---- the panel ----


def _panel(union: UnionGraph, labels: tuple[str, str], sides: list[Any]) -> ComparisonPanel:
    comparison = union.comparison
    compared: list[ComparedGraph] = [
        {"label": label, "title": graph.title, "files": files, "spans": spans}
        for label, graph, (files, spans, _) in zip(labels, union.sides, sides, strict=True)
    ]
    sizes = [_sizes(graph) for graph in union.sides]
    return {
        "id": "comparison",
        "kind": "comparison",
        "before": compared[0],
        "after": compared[1],
        "sizes": [[name, sizes[0][name], sizes[1][name]] for name in sizes[0]],
        "kinds": [_kind(union, kind, labels) for kind, rows in comparison.nodes.items() if len(rows)],
        "note": _note(union, labels, [_lines(files, spans) for files, spans, _ in sides]),
    }


def _sizes(graph: Graph) -> dict[str, int]:
    return {
        "nodes": len(graph),
        "edges": graph.edges,
        "depth": graph.depth,
        "bytes held": graph.bytes,
        "operations": graph.operations,
    }


def _kind(union: UnionGraph, kind: str, labels: tuple[str, str]) -> DifferenceKind:
    sides = {"added": f"only in {labels[1]}", "removed": f"only in {labels[0]}"}
    groups: list[DifferenceGroup] = []
    result = union.comparison.groups(kind)
    for words, rows in result[:MOST_GROUPS]:
        groups.append(
            {"words": words, "count": len(rows), "nodes": np.sort(union.nodes_of(rows[:MOST_LISTED])).tolist()}
        )
    return {
        "kind": kind,
        "sign": SIGNS[_state(BITS[kind])] if BITS[kind] & (CHANGED | BITS["added"] | BITS["removed"]) else "",
        "bit": BITS[kind],
        "words": sides.get(kind, KINDS[kind]),
        "count": len(union.comparison.nodes[kind]),
        "groups": groups,
        "more": max(len(result) - MOST_GROUPS, 0),
    }


def _note(union: UnionGraph, labels: tuple[str, str], lines: list[set[str]]) -> str:
    """Say how much is in both graphs, by nodes and by lines of the source."""
    only = [int((places < 0).sum()) for places in (union.after, union.before)]
    both = len(union) - sum(only)
    texts = [f"{counted((both, 'node'))} {'is' if both == 1 else 'are'} in both"]
    texts += [f"{count:,} only in {label}" for label, count in zip(labels, only, strict=True) if count]
    shared, every = len(lines[0] & lines[1]), len(lines[0] | lines[1])
    of_lines = f" {shared:,} of {counted((every, 'line'))} of source made nodes in both." if all(lines) else ""
    return ", ".join(texts) + "." + of_lines


def _lines(files: list[SourceFile], spans: list[Span]) -> set[str]:
    """Return the lines of the source that made nodes."""
    texts = [file["text"].split("\n") for file in files]
    result = {(file, line - files[file]["line"]) for file, line, *_ in spans}
    return {texts[file][line].strip() for file, line in result if 0 <= line < len(texts[file])}


# ---- a view ----


def comparison_view(union: UnionGraph, scope: int, labels: tuple[str, str] = LABELS) -> GraphPanel:
    """Return a scope of two graphs as a placed picture: of each item what it is before and after, and what differs."""
    panel = folding.panel(union, scope, readable=True)
    for item in panel["nodes"]:
        _tell_apart(union, item, labels)
    _tell_edges_apart(union, panel)
    return explorer_scene.placed(panel, union)


def _tell_apart(union: UnionGraph, item: UnplacedItem, labels: tuple[str, str]) -> None:
    if item["span"] is not None:
        _tell_fold_apart(union, item, labels)
    elif item["node"] is not None:
        _tell_node_apart(union, item, labels)


def _tell_node_apart(union: UnionGraph, item: UnplacedItem, labels: tuple[str, str]) -> None:
    node: int = item["node"]  # type: ignore[assignment]
    places = int(union.before[node]), int(union.after[node])
    one, other = (
        _side(graph, place, item) if place >= 0 else None for graph, place in zip(union.sides, places, strict=True)
    )
    item["sides"] = [one, other]
    only = one or other
    item["uses"] = max(side["uses"] for side in (one, other) if side)
    if one is None or other is None:
        item["label"], item["detail"] = only["label"], only["detail"]  # type: ignore[index]
    else:
        item["label"], item["detail"] = (_both(one[name], other[name]) for name in ("label", "detail"))
    state = _state(int(union.differences[node]))
    if state:
        item["change"] = _change(state, SIGNS[state])
        item["title"] += ", " + _told(state, labels, *places)


def _change(state: Any, sign: str) -> Change:
    return {"state": state, "sign": sign}


def _told(state: str, labels: tuple[str, str], before: int, after: int) -> str:
    if state == "changed":
        return "not the same in both graphs"
    return f"only in {labels[1] if before < 0 else labels[0]}"


def _side(graph: Graph, node: int, item: UnplacedItem) -> ItemSide:
    """Return what an item is called in one of the graphs."""
    if item["kind"] == "outside":
        return {"label": captions.label(graph, node), "detail": item["detail"], "uses": 0}
    value = graph.values[node]
    text = captions.shape(value.shape) if getattr(value, "shape", ()) else captions.value(value)
    is_entry = graph.scopes.kinds[graph.scopes.of_node[node]] == EXPRESSION
    name = None if is_entry or graph.blocks[node].name == "input" else graph.name(node)
    return {
        "label": captions.label(graph, node),
        "detail": f"{captions.shortened(name)} = {text}" if name else text,
        "uses": graph.times_used[node],
    }


def _both(one: str, other: str) -> str:
    """Return two texts as one, what they have in common at the beginning once."""
    if one == other or one == captions.NOT_SAVED:
        return other
    if other == captions.NOT_SAVED:
        return one
    (name, is_equal, value), (new_name, _, new_value) = one.partition(" = "), other.partition(" = ")
    if is_equal and name == new_name:
        if captions.NOT_SAVED in (value, new_value):
            return f"{name} = {new_value if value == captions.NOT_SAVED else value}"
        return f"{name} = {value} → {new_value}"
    return f"{one} → {other}"


def _tell_fold_apart(union: UnionGraph, item: UnplacedItem, labels: tuple[str, str]) -> None:
    first, end = item["span"]  # type: ignore[misc]
    scopes = union.columns.scope
    inside = (scopes >= first) & (scopes < end)
    differences = union.differences[inside]
    counts = {
        "added": int((differences & BITS["added"] > 0).sum()),
        "removed": int((differences & BITS["removed"] > 0).sum()),
        "changed": int((differences & CHANGED > 0).sum()),
    }
    total = len(differences)
    sizes = total - counts["added"], total - counts["removed"]
    head, is_count, _ = item["detail"].partition(captions.plural(total, "node"))
    details = [head + captions.plural(size, "node") for size in sizes] if is_count else [item["detail"]] * 2
    item["sides"] = [
        {"label": item["label"], "detail": detail, "uses": 0} if size else None
        for detail, size in zip(details, sizes, strict=True)
    ]
    if all(sizes) and details[0] != details[1]:
        item["detail"] = f"{sizes[0]:,} → {captions.plural(sizes[1], 'node')}"
    if any(counts.values()):
        sign = " ".join(f"{SIGNS[state]}{count:,}" for state, count in counts.items() if count)
        states = [state for state, count in counts.items() if count]
        state = states[0] if len(states) == 1 else "mixed"
        item["change"] = _change(state, sign)
        text = ", ".join(f"{count:,} {state}" for state, count in counts.items() if count)
        item["title"] += f", {text}"


def _state(differences: int) -> str:
    """Return what a node with some differences is; "" if it is the same, or has only moved."""
    for kind in ("added", "removed"):
        if differences & BITS[kind]:
            return kind
    return "changed" if differences & CHANGED else ""


# ---- edges ----


def _tell_edges_apart(union: UnionGraph, panel: UnplacedGraphPanel) -> None:
    """Give the edges of a picture how many edges they stand for in either graph, where that is not the same."""
    count = len(panel["nodes"])
    inside, coming, going = _owners(union, panel)
    tails, heads, is_old, is_new = union.edges_by_side
    from_item = np.where((inside[tails] < 0) & (inside[heads] >= 0), coming[tails], inside[tails])
    to_item = np.where((inside[heads] < 0) & (inside[tails] >= 0), going[heads], inside[heads])
    is_drawn = (from_item >= 0) & (to_item >= 0) & (from_item != to_item)
    pairs = from_item[is_drawn] * count + to_item[is_drawn]
    unique, place = np.unique(pairs, return_inverse=True)
    old, new = (np.bincount(place, flag[is_drawn], len(unique)).astype(int) for flag in (is_old, is_new))
    sides_of = dict(zip(unique.tolist(), zip(old.tolist(), new.tolist(), strict=True), strict=True))
    index = {item["key"]: k for k, item in enumerate(panel["nodes"])}
    for edge in panel["edges"]:
        sides = sides_of[index[edge["tail"]] * count + index[edge["head"]]]
        if sides[0] != sides[1]:
            edge["sides"] = list(sides)


def _owners(union: UnionGraph, panel: UnplacedGraphPanel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for each node the item that it is in, and those that stand for it outside: before and behind the scope."""
    index = {item["key"]: k for k, item in enumerate(panel["nodes"])}
    scopes = union.columns.scope
    inside = np.full(len(union), -1, np.int64)
    outside = {side: np.full(len(union), index.get(f"{side}-many", -1), np.int64) for side in ("from", "to")}
    folds = [(item["span"], k) for k, item in enumerate(panel["nodes"]) if item["span"]]
    for (first, end), k in folds:
        inside[(scopes >= first) & (scopes < end)] = k
    for k, item in enumerate(panel["nodes"]):
        if item["node"] is not None and item["kind"] == "outside":
            outside["from" if item["key"].startswith("from") else "to"][item["node"]] = k
        elif item["node"] is not None:
            inside[item["node"]] = k
    return inside, outside["from"], outside["to"]
