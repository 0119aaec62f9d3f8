"""The picture of the Explorer as it stands still: beside each value its adjoint, arrays as heat maps.

The same as what ``adjoints.ts`` of the front end adds to a picture.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..scene import panels, theme
from ..scene.captions import shape as sizes
from ..scene.document import Scene
from ..scene.heat_maps import node_size
from ..scene.node_details import Adjoints
from ..scene.text_widths import printable, width
from .heat import Sign, hatched, heat, hue, straight
from .marks import Box, Item, Mark, Picture, Text, badge, graph_of, moved, picture, shape, texts

PILL_SIZE, PILL_HEIGHT, PILL_ENDS = 10.5, 16.0, 12.0
BAND = 4.0  # px below a value that is not finite
NOT_FINITE = re.compile(r"\b(NaN|inf)\b")
TOLD = "Filled, or under a bar: the derivative of {} with respect to the value beside it."


def still(scene: Scene, known: Adjoints | None = None) -> Picture:
    """Return the picture of a scene; ``known`` are the derivatives of the output that its panel has chosen."""
    panel = graph_of(scene)
    if known:
        text = " ".join(filter(None, [panel.get("note"), known["note"] or TOLD.format(_chosen(scene))]))
        panel = {**panel, "note": text}
        scene = {**scene, "panels": [panel if each["kind"] == "graph" else each for each in scene["panels"]]}
    drawn = picture(scene)
    at = {item.key: k for k, item in enumerate(drawn.items) if item.kind != "edge"}
    items = [*drawn.items]
    feeding: dict[str, list[str]] = {}
    for edge in panel["edges"]:
        feeding.setdefault(edge["head"], []).append(edge["tail"])
    unknown = {node["key"] for node in panel["nodes"] if _is_unknown(node)}
    for node in panel["nodes"]:
        begins = node["key"] in unknown and not unknown.intersection(feeding.get(node["key"], ()))
        if known or begins or "map" in node or node["key"] in unknown:
            left, top = _corner(items[at[node["key"]]], node)
            items[at[node["key"]]] = _item(node, left, top, known, begins and node["kind"] != "outside")
    return replace(drawn, items=items)


def _chosen(scene: Scene) -> str:
    """Return the name of the output that is differentiated."""
    panel = next(panel for panel in scene["panels"] if panel["kind"] == "derivatives")
    return printable(panel["outputs"][panel["chosen"] or 0]["label"])


def _corner(item: Item, node: panels.Item) -> tuple[float, float]:
    """Return the center of a node as it is drawn."""
    box = [mark for mark in item.marks if isinstance(mark, Box)][theme.SHEETS if node["repeat"] > 1 else 0]
    return box.x + box.w / 2, box.y + box.h / 2


def _item(node: panels.Item, x: float, y: float, known: Adjoints | None, begins: bool) -> Item:
    """Return the marks of a node with its center at a point."""
    marks: list[Mark] = [*shape(node, x - node["w"] / 2, y - node["h"] / 2)]
    if known:  # hue says the sign, and nothing else
        marks = [replace(mark, fill="paper", line="neutral-line") for mark in marks if isinstance(mark, Box)]
    if begins:
        marks = [replace(mark, line="ink", thickness=2.4) for mark in marks if isinstance(mark, Box)]
    adjoint = None if known is None or node["kind"] == "outside" else _adjoint(node, known)
    marks += _maps(node, x, y, adjoint) if "map" in node else _number(node, x, y, adjoint)
    text = f", adjoint {_short(adjoint)}" if isinstance(adjoint, float) else ""
    return Item(node["key"], node["kind"], printable(node["title"]) + text, [*marks, *badge(node, x, y)], node["dead"])


def _adjoint(node: panels.Item, known: Adjoints) -> float | panels.HeatMap | None:
    """Return the adjoint of an item: a number, the map of an array, or nothing."""
    if "map" in node or node["node"] is None:
        return known["maps"].get(node["key"])
    if "beside" not in node:
        return None
    return float(np.frombuffer(b64decode(known["numbers"]), "<f8")[node["node"]])


def _is_unknown(node: panels.Item) -> bool:
    """Return whether the value of an item is not finite, or an entry of it."""
    if "map" in node:
        return any(isinstance(entry, str) for entry in node["map"]["data"])
    return node["node"] is not None and "beside" in node and bool(NOT_FINITE.search(node["detail"]))


def _number(node: panels.Item, x: float, y: float, adjoint: float | panels.HeatMap | None) -> Iterator[Mark]:
    """Yield the name and the value of a number, and its adjoint on a pill."""
    result = [*texts(node, x, y)]
    if len(result) < 2 or (not isinstance(adjoint, float) and not _is_unknown(node)):
        yield from result
        return
    label, detail = (mark for mark in result if isinstance(mark, Text))
    room, shift = width(detail.text, theme.DETAIL_SIZE, "mono"), 0.0
    yield label
    if isinstance(adjoint, float):
        words = _short(adjoint)
        wide = width(words, PILL_SIZE, "mono") + PILL_ENDS
        shift = (theme.MAP_GAP + wide) / 2
        middle = x + (room + theme.MAP_GAP) / 2
        sign: Sign = None if not np.isfinite(adjoint) else 0 if not adjoint else 1 if adjoint > 0 else -1
        top = y + 8.5 - PILL_HEIGHT / 2
        yield Box(middle - wide / 2, top, wide, PILL_HEIGHT, PILL_HEIGHT / 2, hue(sign), thickness=0)
        yield Text(middle, y + 12.3, words, PILL_SIZE, "on-hue", "mono")
    yield replace(detail, x=detail.x - shift)
    if _is_unknown(node):
        yield from hatched(straight([(x - shift - room / 2, y + 18), (x - shift + room / 2, y + 18)]), BAND, 1.0)


def _maps(node: panels.Item, x: float, y: float, adjoint: float | panels.HeatMap | None) -> Iterator[Mark]:
    """Yield the name of an array, its shape and the map of its values, and under a bar that of its adjoint."""
    known, (wide, high) = node["map"], node_size(node["map"])
    text = sizes(known["shape"])
    name, separator, _ = node["detail"].partition(" = ")
    words = f"{printable(name)} {text}" if separator and node["kind"] == "block" else text
    room, several = width(words, theme.DETAIL_SIZE, "mono"), 1 + isinstance(adjoint, dict)
    left = x - (room + (theme.MAP_GAP + wide) * several) / 2
    first = left + room + theme.MAP_GAP + wide / 2
    yield Text(x, y - 10, node["label"], theme.LABEL_SIZE, "ink")
    yield Text(left + room / 2, y + 14, words, theme.DETAIL_SIZE, "muted", "mono")
    cell = wide / max(len(known["columns"]), 1)
    yield from _drawn(known, first, y + 10, cell)
    if isinstance(adjoint, dict):
        second = first + wide + theme.MAP_GAP
        yield from _drawn(adjoint, second, y + 10, cell)
        yield Box(second - wide / 2, y + 10 - high / 2 - 2.5, wide, 1.2, 0, "ink", thickness=0)


def _drawn(known: panels.HeatMap, x: float, y: float, cell: float) -> Iterator[Mark]:
    """Yield a map of small cells, which are apart by a tenth of their size."""
    for mark in heat(known, 0.0, 0.0, 10.0, 1.0):
        yield moved(mark, x, y, cell / 10)


def _short(value: float) -> str:
    """Return a number in some seven characters.

    >>> _short(2.5403023), _short(-1.93e21)
    ('2.54', '-1.9e+21')
    """
    text = f"{value + 0.0:.4g}"
    return text if len(text) <= 7 else f"{value:.1e}"
