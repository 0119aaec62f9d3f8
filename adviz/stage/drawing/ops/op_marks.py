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
from .. import lanes
from ..flow_pills import heat, straight
from ..marks import Arrow, Box, Curve, Item, Mark, Text, node_item

LID, POINT = 4.0, 9.0  # px: the lid of a drum, the point of an assignment
RAISED = 3.0  # px that the lid is above its box, so that the name has its room
ABOVE = 4.0  # px from the box to the bar above it
FOLDED, PLUS = 2.2, 8.0  # px: the line of what is folded, and the radius of its plus
ARC = 8  # straight pieces of half a lid


def group_marks(group: panels.Group) -> Iterator[Mark]:
    """Yield a box around ops with its label."""
    yield Box(group["x"], group["y"], group["w"], group["h"], 8, "cell", "faint", thickness=1.0)
    yield Text(group["x"] + 9, group["y"] + 16, group["label"], theme.DETAIL_SIZE, "muted", anchor="start")


def op_item(node: panels.Item, value: Any, outline: float = 0.0) -> Item:
    """Return the marks of an op, or of a compound that is folded, with its value if it has one.

    Of what a step is about the ``outline`` is drawn so many px thick.
    """
    item = node_item(node, 0.0, 0.0)
    shape: list[Mark] = [mark for mark in item.marks if isinstance(mark, Box)]
    words: list[Mark] = [mark for mark in item.marks if not isinstance(mark, Box)]
    sort = node.get("sort")
    if sort and sort != "constant":
        shape = [*_filled(sort, node), *_outline(sort, node)]
    looks: dict[str, Any] = {"fill": "paper", "line": "neutral-line", **({"corner": 0} if sort else {})}
    plain = [replace(mark, **looks) if isinstance(mark, Box) and mark.line else mark for mark in shape]
    if node["kind"] == "scope":
        plain = [replace(mark, thickness=FOLDED) if isinstance(mark, Box) else mark for mark in plain]
        words += _opener(node)
    if node.get("derived"):
        x, y, half = node["x"], node["y"] - node["h"] / 2 - ABOVE, node["w"] / 2 - 4
        plain.append(Curve(straight([(x - half, y), (x + half, y)]), "ink", 1.6))
    return replace(item, marks=[*plain, *(_ring(node, outline) if outline else ()), *words, *_value(node, value)])


def _ring(node: panels.Item, thickness: float) -> Iterator[Mark]:
    """Yield the outline of what a step is about."""
    sort = node.get("sort")
    if not sort or sort == "constant":
        box = lanes.ring(node, thickness)
        yield replace(box, corner=0) if sort else box
        return
    for mark in _outline(sort, node):
        yield replace(mark, line="accent", thickness=thickness if mark.thickness > 1 else 1.0)


def _opener(node: panels.Item) -> Iterator[Mark]:
    """Yield the plus of what can be opened where there is a hand to do so, as a sign that it is folded."""
    x, y = node["x"] + node["w"] / 2 + 1, node["y"] + node["h"] / 2 + 1
    yield Box(x - PLUS, y - PLUS, 2 * PLUS, 2 * PLUS, PLUS, "paper", "neutral-line", thickness=1.2)
    yield Curve(straight([(x - PLUS / 2, y), (x + PLUS / 2, y)]), "ink", 1.5)
    yield Curve(straight([(x, y - PLUS / 2), (x, y + PLUS / 2)]), "ink", 1.5)


def _filled(sort: str, node: panels.Item) -> Iterator[Mark]:
    """Yield what is inside the outline: no box behind it is seen through it."""
    x, y, w, h = node["x"], node["y"], node["w"] / 2, node["h"] / 2
    if sort == "storage":
        edge = y - h + LID - RAISED
        yield Box(x - w, edge, 2 * w, y + h - LID - edge, 0, "paper")
        yield Box(x - 0.7 * w, edge - 0.6 * LID, 1.4 * w, y + h - edge, 0, "paper")
        return
    back = -w + POINT if sort == "order" else -w
    yield Box(x + back, y - h, w - POINT - back, 2 * h, 0, "paper")
    yield Arrow((x + w, y, x + w - POINT, y - h, x + w - POINT, y + h), "paper")
    if sort == "order":
        yield Arrow((x - w, y, x + back, y - h, x + back, y + h), "paper")


def _outline(sort: str, node: panels.Item) -> Iterator[Curve]:
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
