"""A moment of an elimination as marks: both sides, and what the last step did.

Factors have one color and their product another, which fills what absorbs it; what has just been removed is dashed. An
intermediate and the faces through it share a hue.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import log
from typing import Literal

from ...scene import panels, theme
from ...scene.captions import shape
from ...scene.document import Step
from ...scene.panels import Edge, LargeEdge, LargeNode, LargePanel
from ...scene.short_text import OnStage, brief, fitting, wrapped
from ..marks import Arrow, Box, Curve, Item, Mark, Text, edge_item, moved, node_item

HEADINGS = {"cgraph": "Computational graph", "linegraph": "Line graph"}
LINE, MOST_LINES = 14.0, 4  # of the heading of each side
HUES = ("arithmetic", "power", "trigonometric", "selection", "input", "reduction", "linear")
ABSORBED = "linear"
COLORS = {"factor": "reduction-line", "fresh": "accent", "changed": "accent", "gone": "muted"}
KINDS: dict[str, Literal["input", "output", "outside", "block"]] = {
    "input": "input",
    "output": "output",
    "source": "outside",
    "sink": "outside",
}
LABEL = (64.0, 18.0)
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
    hues = {thing: HUES[k % len(HUES)] for k, thing in enumerate(_intermediates(panel))}

    def state(key: str) -> tuple[OnStage, str]:
        return stage.get(f"{run}/{key}"), parts.get(key, "")

    def is_seen(key: str) -> bool:
        label, role = state(key)
        return label is not None or role == "gone"

    edges = [(edge, *state(edge["key"])) for edge in panel["edges"] if is_seen(edge["key"])]
    for edge, _, role in edges:
        yield _line(panel, edge, role, hues.get(edge.get("via", ""), ""))
    for edge, label, role in edges:
        if "at" in edge and role != "gone":
            yield _label(panel, edge, label, role)
    for node in panel["nodes"]:
        if is_seen(node["key"]):
            yield _node(panel, node, *state(node["key"]), hues.get(node["thing"], ""))


def _intermediates(panel: LargePanel) -> list[str]:
    if panel["side"] == "cgraph" or panel.get("folded"):
        return [node["thing"] for node in panel["nodes"] if node["role"] == "intermediate"]
    inner = {edge["via"] for edge in panel["edges"] if "s." not in edge["thing"] and ".t" not in edge["thing"]}
    return sorted(inner, key=int)


def _line(panel: LargePanel, edge: LargeEdge, role: str, hue: str) -> Item:
    color = COLORS.get(role) or (f"{hue}-line" if hue else "edge")
    marks: list[Mark] = []
    single: Edge = {
        "key": edge["key"],
        "tail": edge["tail"],
        "head": edge["head"],
        "points": edge["points"],
        "count": 1,
        "kind": "data",
    }
    for mark in edge_item(single, 0.0, 0.0).marks:
        if isinstance(mark, Curve):
            thickness = 2.25 if role in ("factor", "fresh") else mark.thickness
            marks.append(replace(mark, line=color, thickness=thickness, dashed=role == "gone"))
        elif isinstance(mark, Arrow):
            marks.append(replace(mark, fill=color))
    return Item(f"{panel['id']}/{edge['key']}", "edge", "", marks)


def _label(panel: LargePanel, edge: LargeEdge, label: OnStage, role: str) -> Item:
    (x, y), (w, h) = edge["at"], LABEL
    text = _written(label, w - 4)
    fill, line = ABSORBED if role == "changed" else "paper", COLORS.get(role, "neutral-line")
    marks: list[Mark] = [
        Box(x - w / 2, y - h / 2, w, h, 4.0, fill, line, thickness=2.0 if role else 1.0),
        Text(x, y + 4, text, theme.DETAIL_SIZE, "ink", "mono"),
    ]
    return Item(f"{panel['id']}/label/{edge['thing']}", "label", "", marks)


def _node(panel: LargePanel, node: LargeNode, label: OnStage, role: str, hue: str) -> Item:
    detail, left = node["detail"], (node["x"] - node["w"] / 2, node["y"] - node["h"] / 2)
    key = f"{panel['id']}/{node['key']}"
    if role == "gone":
        ghost = Box(*left, node["w"], node["h"], theme.CORNER, "", "muted", True)
        return Item(key, "node", "", [ghost, Text(node["x"], node["y"] + 4, node["label"], theme.LABEL_SIZE, "muted")])
    if node["role"] == "edge":
        detail = _written(label, node["w"] - 6)
    kind = KINDS.get(node["role"], "block")
    title = ", ".join(filter(None, [node["label"], detail]))
    drawn: panels.Item = {
        "key": node["key"],
        "kind": kind,
        "label": node["label"],
        "node": None,
        "span": None,
        "count": 1,
        "x": node["x"],
        "y": node["y"],
        "w": node["w"],
        "h": node["h"],
        "family": ABSORBED if role == "changed" else hue,
        "detail": detail,
        "title": title,
        "uses": 0,
        "dead": False,
        "repeat": 1,
    }
    item = node_item(drawn, 0.0, 0.0)
    marks = item.marks
    if kind in ("input", "output"):  # color is for intermediates
        marks = [
            replace(mark, fill="paper" if mark.fill == "paper" else "neutral", line="neutral-line")
            if isinstance(mark, Box)
            else mark
            for mark in marks
        ]
    if role:
        corner = theme.CORNER if kind == "block" else node["h"] / 2
        marks = [*marks, Box(*left, node["w"], node["h"], corner, "", COLORS[role], thickness=3.0)]
    return replace(item, key=key, marks=marks)


def _written(label: OnStage, room: float) -> str:
    """Return a number, or the shape of a matrix."""
    texts = [shape(label["shape"])] if isinstance(label, dict) else brief(label)
    return fitting(texts, theme.DETAIL_SIZE, room, "mono")
