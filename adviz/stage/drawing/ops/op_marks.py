"""Ops as marks: the shape of each kind, the bar above a part of a derivative, the boxes around what belongs together.

The same as what ``op-shapes.ts`` of the front end draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import cos, pi, sin
from typing import Any

from ...scene import panels, theme
from ...scene.heat_maps import NODE_CELL
from ...scene.short_text import brief, fitting
from ..flow_pills import heat, straight
from ..marks import Box, Curve, Item, Mark, Text, node_item

LID, POINT = 4.0, 9.0  # px: the lid of a drum, the point of an assignment
RAISED = 3.0  # px that the lid is above its box, so that the name has its room
ABOVE = 4.0  # px from the box to the bar above it
ARC = 8  # straight pieces of half a lid


def group_marks(group: panels.Group) -> Iterator[Mark]:
    """Yield a box around ops with its label."""
    yield Box(group["x"], group["y"], group["w"], group["h"], 8, "cell", "faint", thickness=1.0)
    yield Text(group["x"] + 9, group["y"] + 16, group["label"], theme.DETAIL_SIZE, "muted", anchor="start")


def op_item(node: panels.Item, value: Any) -> Item:
    """Return the marks of an op, with its value if it has one."""
    item = node_item(node, 0.0, 0.0)
    shape: list[Mark] = [mark for mark in item.marks if isinstance(mark, Box)]
    words = [mark for mark in item.marks if not isinstance(mark, Box)]
    sort = node.get("sort")
    if sort and sort != "constant":
        shape = [*_outline(sort, node)]
    looks: dict[str, Any] = {"fill": "paper", "line": "neutral-line", **({"corner": 0} if sort else {})}
    plain = [replace(mark, **looks) if isinstance(mark, Box) else mark for mark in shape]
    if node.get("derived"):
        x, y, half = node["x"], node["y"] - node["h"] / 2 - ABOVE, node["w"] / 2 - 4
        plain.append(Curve(straight([(x - half, y), (x + half, y)]), "ink", 1.6))
    return replace(item, marks=[*plain, *words, *_value(node, value)])


def _outline(sort: str, node: panels.Item) -> Iterator[Mark]:
    x, y, w, h = node["x"], node["y"], node["w"] / 2, node["h"] / 2
    if sort == "storage":
        lids = [[(w * cos(pi * k / ARC), side * LID * sin(pi * k / ARC)) for k in range(ARC + 1)] for side in (-1, 1)]
        edge = y - h + LID - RAISED
        top = [(x + dx, edge + dy) for dx, dy in lids[0]]
        front, bottom = ([(x + dx, at + dy) for dx, dy in lids[1]] for at in (edge, y + h - LID))
        yield Curve(straight([*top, *reversed(bottom), top[0]]), "neutral-line", theme.BORDER)
        yield Curve(straight(front), "neutral-line", 1.0)
        return
    back = -w + POINT if sort == "order" else -w
    corners = [(back, -h), (w - POINT, -h), (w, 0.0), (w - POINT, h), (back, h), (-w, 0.0), (back, -h)]
    yield Curve(straight([(x + dx, y + dy) for dx, dy in corners]), "neutral-line", theme.BORDER)


def _value(node: panels.Item, value: Any) -> Iterator[Mark]:
    room = node.get("room", 0.0)
    middle = node["y"] + node["h"] / 2 - room / 2
    if value is None or not room:
        return
    if isinstance(value, dict):
        rows, columns = len(value["rows"]), len(value["columns"])
        if rows and columns:
            cell = min(NODE_CELL, (room - 6) / rows, (node["w"] - 20) / columns)
            known: Any = value
            yield from heat(known, node["x"], middle - 4, cell, 1.0)
        return
    text = fitting(brief(value), theme.DETAIL_SIZE, node["w"] - 10, "mono")
    yield Text(node["x"], middle - 0.5, text, theme.DETAIL_SIZE, "ink", "mono")
