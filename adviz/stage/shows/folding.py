"""The picture of an opened scope: its nodes, its folded inner scopes, and the values that come from and go outside.

A scope of up to ``MOST_UNFOLDED`` nodes is shown node by node, except that a chain of writes into one array is one
item. In a larger scope each inner scope is folded into one item, and neighbors of the same structure (the iterations
of a loop) into one for all, so that a picture has at most a few hundred items, however large the graph is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...graph.graph import Graph
from ...graph.scopes import ARGUMENT, EXPRESSION, ITERATION, LOOP, PART, WRITES
from ..layout import placing
from ..narration.playing import FoldedNodes
from ..narration.source_names import NodeNames
from ..scene import captions, theme
from ..scene import document as documents
from ..scene.panels import Edge, GraphPanel, Siblings, UnplacedEdge, UnplacedGraphPanel, UnplacedItem
from ..scene.panels import Item as PlacedItem
from ..scene.text_widths import width
from . import flow_scene

MOST_UNFOLDED = 150
MOST_READABLE = 40  # the most nodes that the Explorer shows without folding any: a picture that can be read at once
MOST_ENTRIES = 8  # the most entries of an argument that the Explorer shows each by itself
MOST_INLINE = 3  # an inner scope of at most so many nodes is not folded
MOST_OUTSIDE = 12  # more sources (or users) outside the scope are shown as one


Picture = GraphPanel | UnplacedGraphPanel


class Item(NamedTuple):
    """A node (``span`` is None), or folded scopes ``span[0] … span[1] - 1``: ``repeat`` scopes of one structure."""

    node: int | None
    span: tuple[int, int] | None
    repeat: int

    @property
    def key(self) -> str:
        """The key of the item in a picture."""
        return f"s{self.span[0]}" if self.span else f"n{self.node}"


def opened(graph: Graph, scope: int) -> int:
    """Return the scope that is shown: for a loop whose iterations have one structure, the first iteration."""
    tree = graph.scopes
    while tree.kinds[scope] == LOOP:
        runs = tree.runs(scope)
        if len(runs) > 1:
            break
        scope = runs[0].first
    return scope


def items(graph: Graph, scope: int, readable: bool = False) -> list[Item]:
    """Return the items of a scope, nodes and folds; if it is to be ``readable``, at most some tens of them."""
    tree = graph.scopes
    inside = np.flatnonzero(_within(graph, scope, tree.ends[scope]))
    # Entries of one array are a grid when they are opened.
    is_grid = tree.kinds[scope] in (ARGUMENT, EXPRESSION) and tree.ends[scope] == scope + 1
    if len(inside) <= (MOST_READABLE if readable and not is_grid else MOST_UNFOLDED):
        folded = [inner for inner in range(scope + 1, tree.ends[scope]) if _is_one(graph, inner, readable)]
        single = inside[~np.isin(_scope_column(graph)[inside], folded)]
        return [*(Item(int(node), None, 1) for node in single), *(Item(None, (at, at + 1), 1) for at in folded)]
    result = [Item(int(node), None, 1) for node in np.flatnonzero(_scope_column(graph) == scope)]
    for run in tree.runs(scope):
        if run.repeat == 1 and tree.nodes[run.first] <= MOST_INLINE:
            result += [Item(int(node), None, 1) for node in np.flatnonzero(_within(graph, run.first, run.end))]
        else:
            result.append(Item(None, (run.first, run.end), run.repeat))
    return result


def folded_nodes(graph: Graph) -> FoldedNodes:
    """Return the items that nodes are in where the whole graph is opened."""
    shown = items(graph, opened(graph, 0))
    own = sorted(item.node for item in shown if item.node is not None)
    return FoldedNodes([item.key for item in shown], _owners(graph, shown).tolist(), own)


def _is_one(graph: Graph, scope: int, readable: bool) -> bool:
    """Return whether a scope is one item among nodes: a chain of writes, or, to be readable, an argument of many."""
    kind, count = graph.scopes.kinds[scope], graph.scopes.nodes[scope]
    return kind == WRITES or (readable and kind == ARGUMENT and count > MOST_ENTRIES)


def _scope_column(graph: Graph) -> np.ndarray:
    return np.frombuffer(graph.scopes.of_node, np.int32)


def _within(graph: Graph, first: int, end: int) -> np.ndarray:
    column = _scope_column(graph)
    return (column >= first) & (column < end)


def panel(graph: Graph, scope: int = 0, *, readable: bool = False) -> UnplacedGraphPanel:
    """Return a scope as a graph panel, not yet placed; ``readable`` folds more, so that a picture can be read at once.

    Raises ``IndexError`` for a scope that does not exist.
    """
    if not 0 <= scope < len(graph.scopes):
        raise IndexError(f"scope {scope} of {len(graph.scopes)}")
    scope = opened(graph, scope)
    shown = items(graph, scope, readable)
    owner = _owners(graph, shown)
    nodes = [_node_item(graph, item) if item.span is None else _scope_item(graph, item) for item in shown]
    links = _Links(graph, owner, nodes)
    links.add()
    return {
        "id": "graph",
        "kind": "graph",
        "scope": scope,
        "path": [{"scope": number, "label": graph.scope_label(number)} for number in graph.scopes.path(scope)],
        "siblings": _siblings(graph, scope),
        "direction": "TB",
        "note": graph.independence() or None,
        "nodes": nodes,
        "edges": links.edges,
    }


def _owners(graph: Graph, shown: list[Item]) -> np.ndarray:
    """Return for each node the number of its item, or -1."""
    owner = np.full(len(graph), -1, np.int32)
    column = _scope_column(graph)
    folds = [(item.span[0], item.span[1], k) for k, item in enumerate(shown) if item.span]
    if folds:
        starts, ends, numbers = np.array(sorted(folds)).T
        place = np.searchsorted(starts, column, "right") - 1
        inside = (place >= 0) & (column < ends[place])
        owner[inside] = numbers[place[inside]]
    for k, item in enumerate(shown):
        if item.node is not None:
            owner[item.node] = k
    return owner


def _siblings(graph: Graph, scope: int) -> Siblings | None:
    """Return the place of an opened iteration among those of its structure."""
    tree = graph.scopes
    if tree.kinds[scope] != ITERATION:
        return None
    for run in tree.runs(tree.parents[scope]):
        if run.first <= scope < run.end and run.repeat > 1:
            stride = (run.end - run.first) // run.repeat
            return {"index": (scope - run.first) // stride, "first": run.first, "stride": stride, "count": run.repeat}
    return None


def _node_item(graph: Graph, item: Item) -> UnplacedItem:
    index: int = item.node  # type: ignore[assignment]
    block = graph.blocks[index]
    return {
        "key": item.key,
        "kind": block.name if block.name in ("input", "output") else "block",
        "label": captions.label(graph, index),
        "detail": captions.detail(graph, index),
        "family": block.family,
        "node": index,
        "span": None,
        "count": 1,
        "repeat": 1,
        "uses": graph.times_used[index],
        "dead": not graph.live[index],
        "title": captions.title(graph, index),
    }


def _scope_item(graph: Graph, item: Item) -> UnplacedItem:
    first, end = item.span  # type: ignore[misc]
    tree, repeat = graph.scopes, item.repeat
    kind, inside = tree.kinds[first], np.flatnonzero(_within(graph, first, end))
    label, detail, family = graph.scope_label(first), captions.plural(len(inside), "node"), "scope"
    inner = tree.runs(first) if kind == LOOP else []
    if repeat == 1 and len(inner) == 1:
        repeat = inner[0].repeat
    elif len(inner) > 1:
        detail = f"{captions.plural(tree.iterations(first), 'iteration')}, {detail}"
    elif repeat > 1 and kind == ITERATION:
        label = f"iterations {tree.ordinals[first]:,}–{tree.ordinals[first] + repeat - 1:,}"
    if kind == PART:
        names = list(dict.fromkeys(filter(None, map(graph.name, inside.tolist()))))
        detail = f"{names[0]} … {names[-1]}" if len(names) > 1 else detail
    if kind == WRITES:
        detail, family = captions.value(graph.values[inside[-1]]), graph.blocks[inside[-1]].family
    if kind in (EXPRESSION, ARGUMENT) and len({graph.block_numbers[node] for node in inside}) == 1:
        family = graph.blocks[inside[0]].family
        if kind == EXPRESSION:  # one operation on every entry: shown like an operation on an array
            label, detail = captions.label(graph, inside[len(inside) // 2]), f"[{len(inside):,}] {label}"
    what = label if kind == WRITES else f"{tree[first].kind} {label}"
    written = "" if kind == WRITES else captions.writes(graph, inside.tolist())
    texts = [what, *[f"{repeat:,} times"] * (repeat > 1), *[written] * bool(written), detail, "folded"]
    return {
        "key": item.key,
        "kind": "scope",
        "label": f"{label}  × {repeat:,}" if repeat > 1 else label,
        "detail": written or detail,
        "family": family,
        "node": None,
        "span": [first, end],
        "count": len(inside),
        "repeat": repeat,
        "uses": 0,
        "dead": not any(graph.live[node] for node in inside),
        "title": ", ".join(texts),
    }


class _Links:
    """The edges between items, and the items outside the opened scope."""

    def __init__(self, graph: Graph, owner: np.ndarray, nodes: list[UnplacedItem]):
        self.graph, self.owner, self.nodes = graph, owner, nodes
        self.edges: list[UnplacedEdge] = []

    def add(self) -> None:
        tails, heads = self.graph.data_edges
        tail_items, head_items = self.owner[tails], self.owner[heads]
        inner = (tail_items >= 0) & (head_items >= 0) & (tail_items != head_items)
        self._pairs(tail_items[inner], head_items[inner], self._is_use(heads[inner]))
        coming = (tail_items < 0) & (head_items >= 0)
        self._outside(tails[coming], head_items[coming], "from")
        going = (tail_items >= 0) & (head_items < 0)
        self._outside(heads[going], tail_items[going], "to")

    def _is_use(self, heads: np.ndarray) -> np.ndarray:
        """Return for each edge whether it is a use: being returned is none."""
        return ~np.isin(heads, list(self.graph.outputs))

    def _pairs(self, tails: np.ndarray, heads: np.ndarray, is_use: np.ndarray) -> None:
        pairs = tails.astype(np.int64) * len(self.nodes) + heads
        unique, first, place, counts = np.unique(pairs, return_index=True, return_inverse=True, return_counts=True)
        uses = np.bincount(place, weights=is_use, minlength=len(unique))
        for k in np.argsort(first, kind="stable"):
            tail, head = divmod(int(unique[k]), len(self.nodes))
            self._edge(self.nodes[tail]["key"], self.nodes[head]["key"], int(counts[k]), int(uses[k]))

    def _edge(self, tail: str, head: str, count: int, uses: int) -> None:
        """Add an edge for so many uses; where there are none, for values that are returned."""
        kind = "data" if uses else "returned"
        self.edges.append({"key": f"{tail}>{head}", "tail": tail, "head": head, "count": uses or count, "kind": kind})

    def _outside(self, nodes: np.ndarray, insiders: np.ndarray, side: str) -> None:
        """Add an item for each node outside, or one for all of them if there are many."""
        distinct, group = np.unique(nodes, return_inverse=True)
        many = len(distinct) > MOST_OUTSIDE
        group = np.zeros_like(group) if many else group
        for k in range(min(len(distinct), 1) if many else len(distinct)):
            item = self._crowd(len(distinct), side) if many else self._neighbor(int(distinct[k]), side)
            self.nodes.append(item)
            chosen = group == k
            is_use = self._is_use(nodes[chosen]) if side == "to" else np.ones(chosen.sum(), bool)
            inside, place, counts = np.unique(insiders[chosen], return_inverse=True, return_counts=True)
            uses = np.bincount(place, weights=is_use, minlength=len(inside)).astype(int)
            for number, count, used in zip(inside.tolist(), counts.tolist(), uses.tolist(), strict=True):
                insider = self.nodes[number]["key"]
                tail, head = (item["key"], insider) if side == "from" else (insider, item["key"])
                self._edge(tail, head, count, used)

    def _neighbor(self, index: int, side: str) -> UnplacedItem:
        graph = self.graph
        where = graph.scope_label(graph.scopes.of_node[index])
        return {
            **_node_item(graph, Item(index, None, 1)),
            "key": f"{side}{index}",
            "kind": "outside",
            "detail": f"{side} {where}",
            "title": f"{side} outside: {captions.title(graph, index)}, in {where}",
        }

    def _crowd(self, count: int, side: str) -> UnplacedItem:
        text = f"{count:,} {'values' if side == 'from' else 'users'}"
        return {
            "key": f"{side}-many",
            "kind": "outside",
            "label": text,
            "detail": f"{side} outside",
            "family": "scope",
            "node": None,
            "span": None,
            "count": count,
            "repeat": 1,
            "uses": 0,
            "dead": False,
            "title": f"{text} {side} outside this scope",
        }


# ---- the picture of a run ----


def _named(name: str, value: str) -> str:
    """Return a value with its name, if there is room for it."""
    text = f"{name} = {value}"
    return text if width(text, theme.DETAIL_SIZE, "mono") <= theme.TEXT_LIMIT else value


def picture(called: NodeNames, like: documents.Show | None) -> GraphPanel:
    """Return the graph panel, placed, with room in every item for the state that a run writes there."""
    graph = called.graph
    unplaced = panel(graph)
    for item in unplaced["nodes"]:
        item["room"] = theme.STATE_LINE
        if item["kind"] == "block" and item["node"] is not None:
            item["detail"] = _named(called(item["node"]), captions.value(graph.values[item["node"]]))
    old = like and next((old for old in like["panels"] if old["kind"] == "graph"), None)
    if old and _outline(old) == _outline(unplaced):  # keep the places; texts that have grown are cut to their items
        nodes: list[PlacedItem] = [
            {**was, **placing.sized(item, was["w"])} for item, was in zip(unplaced["nodes"], old["nodes"], strict=True)
        ]
        edges: list[Edge] = [{**was, **edge} for edge, was in zip(unplaced["edges"], old["edges"], strict=True)]
        return {
            **old,
            "nodes": nodes,
            "edges": edges,
            "note": (old["note"] or "").removeprefix(flow_scene.ANEW).strip() or None,
        }
    placed = placing.place(unplaced)
    return {**placed, "note": f"{flow_scene.ANEW} {placed['note'] or ''}".strip()} if old else placed


def _outline(panel: Picture) -> tuple[list[str], list[tuple[str, int]]]:
    """Return what two pictures must have in common for one to keep the layout of the other."""
    return [item["key"] for item in panel["nodes"]], [(edge["key"], edge["count"]) for edge in panel["edges"]]
