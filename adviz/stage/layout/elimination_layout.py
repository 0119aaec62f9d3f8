"""The layout of a large elimination: everything that will ever be there gets its place once, so that nothing moves.

Graphviz places vertices and edges together. The label of an edge is a box through which its route leads, so that no
label covers anything, and fill-ins have their routes before they appear.
"""

from __future__ import annotations

from collections.abc import Container
from math import inf
from typing import Any, NamedTuple

from ..scene import theme
from ..scene.panels import Direction, Edge, Item, LargePicture, Role, Side
from ..scene.text_widths import fit, width
from . import placing

LABEL = (66.0, 20.0)  # width and height of the label of an edge, with a margin
LABEL_BOX = (64.0, 18.0)
DEADLINE = 8.0  # seconds for Graphviz: the layout is made once
MARGIN = 12.0
FIRST, LATER = 12, 1
"""The weights of edges that are there first, which are short and straight, and of those that come later."""


class Box(NamedTuple):
    """A vertex to be placed."""

    key: str
    role: Role
    label: str
    name: str
    detail: str
    w: float
    h: float


RANKS = {"input": "source", "output": "sink"}


def vertex_box(key: str, role: Role, label: str, name: str, detail: str) -> Box:
    """Return the box of a vertex with its name."""
    label = fit(label, theme.LABEL_SIZE, theme.TEXT_LIMIT)
    texts = max(width(label, theme.LABEL_SIZE), width(detail, theme.DETAIL_SIZE, "mono"))
    padding = 2 * (theme.PADDING if role == "intermediate" else theme.PILL_PADDING)
    w = max(theme.MINIMAL_WIDTH, round(texts + padding, 1))
    return Box(key, role, label, name, detail, w, theme.TWO_LINES if detail else theme.ONE_LINE)


def placed(
    side: Side,
    boxes: list[Box],
    edges: list[tuple[str, str, str]],
    direction: Direction,
    first: Container[str],
    *,
    labelled: bool = False,
    most: float = inf,
) -> LargePicture:
    """Return the picture of a side: boxes and edges ``(key, tail, head)``; ``labelled`` ones lead through their labels.

    Edges that are there ``first`` are as short and straight as possible. If the ``placing.extent`` of all edges is
    larger than ``most``, the others have no routes: they lead straight from box to box.
    """
    job = _job(boxes, edges, first, labelled)
    routed = edges
    if placing.extent(job) > most:
        routed = [edge for edge in edges if edge[0] in first]
        job = _job(boxes, routed, first, labelled)
    found, note = placing.placement(job, DEADLINE)
    w, h = (round(length + 2 * MARGIN, 1) for length in found["size"])
    places, routes = ([placing.shifted(each, MARGIN) for each in found[name]] for name in ("nodes", "edges"))
    if labelled:
        routes = [_joined(one, other) for one, other in zip(routes, routes[len(routed) :], strict=False)]
    keys = [key for key, *_ in routed]
    route, label = (dict(zip(keys, found, strict=True)) for found in (routes, places[len(boxes) :] or routes))
    standing = {box.key: (box, x, y) for box, (x, y) in zip(boxes, places, strict=False)}
    for key, tail, head in edges:
        if key not in route:
            route[key] = _straight(standing[tail], standing[head])
            label[key] = [round(sum(ends) / 2, 1) for ends in (route[key][::6], route[key][1::6])]
    called = {box.key: box.name for box in boxes}
    labels = [
        _blank(key, f"edge from {called[tail]} to {called[head]}", label[key][0], label[key][1], *LABEL_BOX)
        for key, tail, head in edges
        if labelled
    ]
    words = "computational graph" if side == "cgraph" else "line graph"
    return {
        "kind": "large",
        "side": side,
        "scope": 0,
        "path": [{"scope": 0, "label": words}],
        "siblings": None,
        "direction": direction,
        "width": w,
        "height": h,
        "note": note,
        "nodes": [*(_node(box, x, y) for box, (x, y) in zip(boxes, places, strict=False)), *labels],
        "edges": [_edge(key, tail, head, route[key], direction) for key, tail, head in edges],
    }


def _job(boxes: list[Box], edges: list[tuple[str, str, str]], first: Container[str], labelled: bool) -> dict[str, Any]:
    """Return the job for Graphviz; ``labelled`` edges lead through the boxes of their labels."""
    index = {box.key: place for place, box in enumerate(boxes)}
    chains = [
        [index[tail], *([len(boxes) + k] if labelled else []), index[head]] for k, (_, tail, head) in enumerate(edges)
    ]
    return {
        "weights": [FIRST if key in first else LATER for key, *_ in edges] * (2 if labelled else 1),
        "node_gap": theme.NODE_GAP / 3,
        "layer_gap": theme.LAYER_GAP * (0.4 if labelled else 1),
        "orderings": [""],
        "nodes": [[box.w, box.h, RANKS.get(box.role)] for box in boxes] + [[*LABEL, None] for _ in edges] * labelled,
        "edges": [chain[k : k + 2] for k in range(1 + labelled) for chain in chains],
    }


def _straight(tail: tuple[Box, float, float], head: tuple[Box, float, float]) -> list[float]:
    (one, x, y), (other, u, v) = tail, head
    (dx, dy) = u - x, v - y
    leave, enter = (
        min(0.45, *(size / 2 / (abs(way) or 1e-9) for size, way in ((box.w, dx), (box.h, dy)))) for box in (one, other)
    )
    shares = [leave + share * (1 - enter - leave) / 3 for share in range(4)]
    return [round(number, 1) for share in shares for number in (x + share * dx, y + share * dy)]


def _node(box: Box, x: float, y: float) -> Item:
    kind = "block" if box.role == "intermediate" else box.role
    title = ", ".join(filter(None, [box.name, box.detail]))
    return {**_blank(box.key, title, x, y, box.w, box.h), "kind": kind, "label": box.label, "detail": box.detail}


def _blank(key: str, title: str, x: float, y: float, w: float, h: float) -> Item:
    """Return an item without words."""
    return {
        "key": key,
        "kind": "block",
        "label": "",
        "node": None,
        "span": None,
        "count": 1,
        "x": x,
        "y": y,
        "w": w,
        "h": h,
        "family": "",
        "detail": "",
        "title": title,
        "uses": 0,
        "dead": False,
        "repeat": 1,
    }


def _edge(key: str, tail: str, head: str, points: list[float], direction: Direction) -> Edge:
    """Return an edge in the direction of its arrow."""
    if direction == "dependence":
        tail, head = head, tail
        points = [number for k in range(len(points) - 2, -1, -2) for number in points[k : k + 2]]
    return {"key": key, "tail": tail, "head": head, "points": points, "count": 1, "kind": "data"}


def _joined(one: list[float], other: list[float]) -> list[float]:
    (x, y), (u, v) = one[-2:], other[:2]
    bridge = [number for share in (1 / 3, 2 / 3) for number in (x + share * (u - x), y + share * (v - y))]
    return [*one, *(round(number, 1) for number in bridge), *other]
