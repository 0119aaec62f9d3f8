"""The picture of the Explorer as it stands still: beside each value its adjoint, arrays as heat maps."""

from __future__ import annotations

from base64 import b64decode
from math import ceil, isfinite

import numpy as np

from ..scene import panels, theme
from ..scene.document import Scene
from ..scene.node_details import Adjoints
from ..scene.text_widths import fit, printable, width
from .marks import Mark, Picture, Text, graph_of, heading, moved_item, summary
from .pictures import Pictures, named_item

TOLD = "Filled, or under a bar: the derivative of {} with respect to the value beside it."


def still(scene: Scene, known: Adjoints | None = None) -> Picture:
    """Return the picture of a scene's graph, with its title above and its note below.

    ``known`` are the derivatives of the output that its panel has chosen. Raises :class:`~.pictures.NoEngine`.
    """
    panel = graph_of(scene)
    about = known and (known["note"] or TOLD.format(_chosen(scene)))
    title, note = heading(scene, panel), " ".join(filter(None, [panel.get("note"), about]))
    top = theme.TITLE_HEIGHT if title else 0.0
    least = 2 * theme.MARGIN + max(width(title, theme.TITLE_SIZE), width(note, theme.NOTE_SIZE))
    whole = ceil(max(panel["width"], min(least, theme.WIDEST_TITLE)))
    height = ceil(top + panel["height"] + (theme.NOTE_HEIGHT if note else 0.0))
    frame: list[Mark] = []
    lines = (title, theme.TITLE_SIZE, top - 8, "ink"), (note, theme.NOTE_SIZE, height - 12, "muted")
    for text, size, y, fill in lines:
        if text:
            shown = fit(text, size, whole - 2 * theme.MARGIN)
            frame.append(Text(theme.MARGIN, y, shown, size, fill, anchor="start"))
    adjoints = known and {node["key"]: _adjoint(node, known) for node in panel["nodes"] if node["kind"] != "outside"}
    drawn = Pictures(scene).ask("still", panel=panel["id"], adjoints=adjoints)
    left = (whole - panel["width"]) / 2
    items = [moved_item(named_item(each["key"], each), left, top) for each in drawn["items"]]
    return Picture(whole, height, title, summary(scene), frame, items)


def _chosen(scene: Scene) -> str:
    """Return the name of the output that is differentiated."""
    panel = next(panel for panel in scene["panels"] if panel["kind"] == "derivatives")
    return printable(panel["outputs"][panel["chosen"] or 0]["label"])


def _adjoint(node: panels.Item, known: Adjoints) -> float | str | panels.HeatMap | None:
    """Return the adjoint of an item as JSON has it: a number, the map of an array, or nothing."""
    if "map" in node or node["node"] is None:
        return known["maps"].get(node["key"])
    if "beside" not in node:
        return None
    value = float(np.frombuffer(b64decode(known["numbers"]), "<f8")[node["node"]])
    return value if isfinite(value) else "NaN"
