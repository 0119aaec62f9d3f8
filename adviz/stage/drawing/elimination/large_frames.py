"""A moment of the elimination of a large graph as marks: its sides, and what the last step did.

Factors have one color and their product another, which fills what absorbs it; what has just been removed is dashed. An
intermediate has a hue.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import log

from ...scene import panels, theme
from ...scene.captions import shape
from ...scene.document import Step
from ...scene.panels import Edge, LargePanel
from ...scene.short_text import OnStage, brief, fitting, wrapped
from ..marks import Arrow, Box, Curve, Item, Mark, Text, edge_item, moved, node_item

HEADINGS = {"cgraph": "Computational graph", "linegraph": "Line graph"}
LINE, MOST_LINES = 14.0, 4  # of the heading of each side
HUES = ("arithmetic", "power", "trigonometric", "selection", "input", "reduction", "linear")
ABSORBED = "linear"
COLORS = {"factor": "reduction-line", "fresh": "accent", "changed": "accent", "gone": "muted"}
WIDE = 1.5  # the desired ratio of width to height


class Sides:
    """The two pictures of one run, beside or below each other; there may be one, or none."""

    def __init__(self, panels: list[LargePanel]):
        self.panels = panels
        self.headings = [_heading(panel) for panel in panels]
        head = LINE * max(map(len, self.headings), default=0) + 6.0
        widths, heights = [panel["width"] for panel in panels], [panel["height"] for panel in panels]
        beside = sum(widths), max(heights, default=0.0) + head
        below = max(widths, default=0.0), sum(heights) + head * len(panels)
        stacked = abs(log(below[0] / below[1] / WIDE)) < abs(log(beside[0] / beside[1] / WIDE)) if panels else False
        self.size = (below if stacked else beside) if panels else (0.0, 0.0)
        self.places = [
            ((self.size[0] - panel["width"]) / 2, sum(heights[:k]) + (k + 1) * head)
            if stacked
            else (sum(widths[:k]), head)
            for k, panel in enumerate(panels)
        ]

    def items(self, stage: dict[str, OnStage], run: str, steps: list[Step]) -> Iterator[Item]:
        """Yield what is on stage, after the steps just taken."""
        parts = roles(stage, run, steps)
        for panel, lines, (x, y) in zip(self.panels, self.headings, self.places, strict=True):
            heading: list[Mark] = [
                Text(theme.MARGIN, -6.0 - LINE * k, line, theme.DETAIL_SIZE, "muted", anchor="start")
                for k, line in enumerate(reversed(lines))
            ]
            for item in (Item(panel["id"], "labels", "", heading), *_items(panel, stage, run, parts)):
                yield replace(item, marks=[moved(mark, x, y) for mark in item.marks])


def _heading(panel: LargePanel) -> list[str]:
    told = ". ".join(filter(None, [HEADINGS[panel["side"]], panel["note"]]))
    return wrapped(told, theme.DETAIL_SIZE, panel["width"] - 2 * theme.MARGIN, MOST_LINES)


def roles(stage: dict[str, OnStage], run: str, steps: list[Step]) -> dict[str, str]:
    """Return the roles of things in the steps just taken, by keys without the run.

    >>> edits = [["a/edge/0.1", 2.0, None], ["a/edge/0.2", None, 6.0]]
    >>> roles({"a/edge/0.2": 6.0}, "a", [{"run": "a", "edits": edits, "product": None}])
    {'edge/0.1': 'gone', 'edge/0.2': 'fresh'}
    """
    found: dict[str, str] = {}
    first: dict[str, OnStage] = {}
    for step in steps:
        for part in step.get("parts", [step]):
            product = part.get("product")
            if part["run"] == run and product:
                things = [key.split("/")[1] for key in product["factors"]]
                found |= {f"{word}/{thing}": "factor" for thing in things for word in ("edge", "node")}
        for key, before, _ in step["edits"]:
            if key.startswith(f"{run}/"):
                first.setdefault(key.removeprefix(f"{run}/"), before)
    for key, before in first.items():
        after = stage.get(f"{run}/{key}")
        if before is None and after is None:
            found.pop(key, None)
        elif before != after:
            found[key] = "fresh" if before is None else "gone" if after is None else "changed"
    return found


def _items(panel: LargePanel, stage: dict[str, OnStage], run: str, parts: dict[str, str]) -> Iterator[Item]:
    """Yield lines, then labels and nodes above them."""
    hues = {key: HUES[k % len(HUES)] for k, key in enumerate(_intermediates(panel))}

    def state(key: str) -> tuple[OnStage, str]:
        return stage.get(f"{run}/{key}"), parts.get(key, "")

    def is_seen(key: str) -> bool:
        label, role = state(key)
        return label is not None or role == "gone"

    for edge in panel["edges"]:
        if is_seen(edge["key"]):
            yield _line(panel, edge, state(edge["key"])[1])
    for node in panel["nodes"]:
        label, role = state(node["key"])
        if is_seen(node["key"]) and node["key"].startswith("vertex/"):
            yield _node(panel, node, role, hues.get(node["key"], ""))
        elif label is not None:
            yield _label(panel, node, label, role)


def _intermediates(panel: LargePanel) -> list[str]:
    return [node["key"] for node in panel["nodes"] if node["kind"] == "block" and node["key"].startswith("vertex/")]


def _line(panel: LargePanel, edge: Edge, role: str) -> Item:
    color = COLORS.get(role) or "edge"
    marks: list[Mark] = []
    for mark in edge_item(edge, 0.0, 0.0).marks:
        if isinstance(mark, Curve):
            thickness = 2.25 if role in ("factor", "fresh") else mark.thickness
            marks.append(replace(mark, line=color, thickness=thickness, dashed=role == "gone"))
        elif isinstance(mark, Arrow):
            marks.append(replace(mark, fill=color))
    return Item(f"{panel['id']}/{edge['key']}", "edge", "", marks)


def _label(panel: LargePanel, node: panels.Item, label: OnStage, role: str) -> Item:
    x, y, w, h = node["x"], node["y"], node["w"], node["h"]
    fill, line = ABSORBED if role == "changed" else "paper", COLORS.get(role, "neutral-line")
    marks: list[Mark] = [
        Box(x - w / 2, y - h / 2, w, h, 4.0, fill, line, thickness=2.0 if role else 1.0),
        Text(x, y + 4, _written(label, w - 4), theme.DETAIL_SIZE, "ink", "mono"),
    ]
    return Item(f"{panel['id']}/label/{node['key'].split('/')[1]}", "label", "", marks)


def _node(panel: LargePanel, node: panels.Item, role: str, hue: str) -> Item:
    left, key = (node["x"] - node["w"] / 2, node["y"] - node["h"] / 2), f"{panel['id']}/{node['key']}"
    if role == "gone":
        ghost = Box(*left, node["w"], node["h"], theme.CORNER, "", "muted", True)
        return Item(key, "node", "", [ghost, Text(node["x"], node["y"] + 4, node["label"], theme.LABEL_SIZE, "muted")])
    item = node_item({**node, "family": hue}, 0.0, 0.0)
    marks = item.marks
    if node["kind"] in ("input", "output"):  # color is for intermediates
        marks = [
            replace(mark, fill="paper" if mark.fill == "paper" else "neutral", line="neutral-line")
            if isinstance(mark, Box)
            else mark
            for mark in marks
        ]
    if role:
        corner = theme.CORNER if node["kind"] == "block" else node["h"] / 2
        marks = [*marks, Box(*left, node["w"], node["h"], corner, "", COLORS[role], thickness=3.0)]
    return replace(item, key=key, marks=marks)


def _written(label: OnStage, room: float) -> str:
    """Return a number, or the shape of a matrix."""
    texts = [shape(label["shape"])] if isinstance(label, dict) else brief(label)
    return fitting(texts, theme.DETAIL_SIZE, room, "mono")
