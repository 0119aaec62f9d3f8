"""One run over ops in the pictures: what is built, with the values that have arrived, and where they live."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import cos, pi, sin
from typing import Any

from ..scene import panels, theme
from ..scene.document import MemoryBlock, MemoryLayout, MemoryPanel, Run, Show, Step
from ..scene.heat_maps import NODE_CELL
from ..scene.playhead import Playhead
from ..scene.short_text import brief, fitting
from ..scene.text_widths import fit, width
from . import lanes
from .heat import heat, straight
from .lanes import Lane, Move, lit
from .marks import Arrow, Box, Curve, Dotted, Item, Mark, Text, amount, edge_item, moved_item, node_item
from .pictures import Pictures

# ---- ops ----

# Ops as marks: the shape of each kind, the bar above a part of a derivative, the boxes around what belongs together.
#
# The same as what `op-shapes.ts` of the front end draws.


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
    """Return the marks of an op, or of a composite op that is folded, with its value if it has one.

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


# ---- memory ----


MEMORY_WIDTH, MEMORY_HEIGHT = 470.0, 246.0
LEFT, RIGHT, TOP, BOTTOM = 20.0, 20.0, 52.0, 24.0
LOWEST = 11.0  # px of a block that has its name inside
SEEN = 7.0  # px of a block of which it is seen whose bytes it has


class _Scale:
    """Where a place in the running order, and a byte, are in the picture."""

    def __init__(self, panel: MemoryPanel):
        self.count = len(panel["running"]) + 1
        self.most = max(1, panel["layouts"][panel["chosen"]]["bytes"])

    def x(self, at: float) -> float:
        return LEFT + (MEMORY_WIDTH - LEFT - RIGHT) * max(0.0, at) / self.count

    def y(self, offset: float) -> float:
        return MEMORY_HEIGHT - BOTTOM - (MEMORY_HEIGHT - TOP - BOTTOM) * offset / self.most


def memory_marks(panel: MemoryPanel, cursor: int) -> Iterator[Mark]:
    """Yield the plan that is chosen, and a line where the computation is after so many steps."""
    scale, layout, at = _Scale(panel), panel["layouts"][panel["chosen"]], panel["at"][cursor]
    text = " · ".join(f"{each['method']} {amount(each['bytes'])}" for each in panel["layouts"])
    yield Text(
        LEFT,
        14,
        fit(f"Memory: {text}", theme.DETAIL_SIZE, MEMORY_WIDTH - LEFT),
        theme.DETAIL_SIZE,
        "ink",
        anchor="start",
    )
    for k, block in enumerate(layout["blocks"]):
        yield from _block(scale, block, _span(layout, k), at)
    for k, block in enumerate(layout["blocks"]):
        if "before" in block and scale.y(block["offset"]) - scale.y(block["offset"] + block["bytes"]) >= SEEN:
            yield from _hand_over(scale, layout, block["before"], k)
    top, floor = scale.y(layout["bytes"]), scale.y(0)
    yield Curve(straight([(LEFT, floor), (MEMORY_WIDTH - RIGHT, floor)]), "faint", 1.0)
    yield Curve(straight([(LEFT, top), (MEMORY_WIDTH - RIGHT, top)]), "ink", 1.2)
    yield Text(LEFT, top - 4, amount(layout["bytes"]), theme.DETAIL_SIZE, "ink", anchor="start")
    yield from _peak(scale, panel)
    x, name = scale.x(at), panel["running"][at - 1] if at else ""
    yield Curve(straight([(x, TOP - 18), (x, MEMORY_HEIGHT - BOTTOM)]), "accent", 1.6)
    yield Arrow((x, TOP - 15, x - 5, TOP - 23, x + 5, TOP - 23), "accent")
    shown = fit(name, theme.DETAIL_SIZE, MEMORY_WIDTH / 2)
    start = x - 9 - width(shown, theme.DETAIL_SIZE) if x > MEMORY_WIDTH / 2 else x + 9
    yield Text(start, TOP - 15, shown, theme.DETAIL_SIZE, "ink", anchor="start")


def _peak(scale: _Scale, panel: MemoryPanel) -> Iterator[Mark]:
    """Yield a frame around the moment at which most bytes live."""
    left, right, y = scale.x(panel["peak"]), scale.x(panel["peak"] + 1), scale.y(panel["bound"])
    floor = scale.y(0)
    yield Dotted(straight([(left, floor), (left, y), (right, y), (right, floor)]), "ink", 1.2)
    yield Text((left + right) / 2, MEMORY_HEIGHT - 8, "▲ peak", theme.DETAIL_SIZE, "ink")


def _hand_over(scale: _Scale, layout: MemoryLayout, before: int, now: int) -> Iterator[Mark]:
    """Yield an arrow where bytes go from one value to another."""
    old, new = layout["blocks"][before], layout["blocks"][now]
    low, high = max(old["offset"], new["offset"]), min(old["offset"] + old["bytes"], new["offset"] + new["bytes"])
    y = scale.y((low + max(low, high)) / 2)
    start, end = scale.x(_span(layout, before)[1]), scale.x(_span(layout, now)[0])
    yield Dotted(straight([(start, y), (end, y)]), "ink", 1.0)
    yield Arrow((end + 3, y, end - 3, y - 3.5, end - 3, y + 3.5), "ink")


def _span(layout: MemoryLayout, k: int) -> tuple[float, float]:
    """Return from when until when a block is drawn: who writes in place takes over in the middle of its turn."""
    block = layout["blocks"][k]
    is_taken = any(each.get("in_place") and each.get("before") == k for each in layout["blocks"])
    return block["first"] + (0.5 if block.get("in_place") else 0.0), block["last"] + (0.5 if is_taken else 1.0)


def _block(scale: _Scale, block: MemoryBlock, span: tuple[float, float], at: int) -> Iterator[Mark]:
    (start, end), y = span, scale.y(block["offset"] + block["bytes"])
    x, w, h = scale.x(start), scale.x(end) - scale.x(start), max(2.5, scale.y(block["offset"]) - y)
    is_later, is_over = at <= start, at - 1 >= end
    fill = "paper" if is_later or is_over else "cell"
    yield Box(
        x, y, max(1.0, w - 1), max(1.5, h - 1), 0, fill, "faint" if is_later or is_over else "ink", dashed=is_later
    )
    name = fit(block["name"], theme.DETAIL_SIZE, w - 6)
    if h >= LOWEST and (len(name) > 2 or name == block["name"]):
        ink = "muted" if is_later or is_over else "ink"
        yield Text(x + w / 2, y + h / 2 + 3.5, name, theme.DETAIL_SIZE, ink)


# ---- the run ----


RINGS = (3.5, 1.8)  # px: around what a step is about, and around what else takes part in it


class OpLane(Lane):
    """One run over ops: its graph, and below it the memory, if the show has such a panel."""

    def __init__(self, scene: Show, run: Run, pictures: Pictures, moments: Sequence[int] | None = None):
        self.memory: MemoryPanel | None = next(
            (panel for panel in scene["panels"] if panel["kind"] == "memory" and panel["run"] == run["id"]), None
        )
        start = f"{run['id']}/built/"
        self.builds = any(key.startswith(start) for step in scene["steps"] for key, *_ in step["edits"])
        super().__init__(scene, run, pictures, moments)
        self.born: dict[str, int] = {}
        for cursor, move in zip(self.when, self.moves, strict=True):
            if move.focus:
                self.born.setdefault(move.focus[0], cursor)
        self.keeps = False
        self.costs = {}
        if self.memory:
            self.width = max(self.width, MEMORY_WIDTH)

    @property
    def body(self) -> float:
        """The height of the graph, and of the memory below it."""
        return super().body + (MEMORY_HEIGHT if self.memory else 0.0)

    def items(self, playhead: Playhead, share: float) -> Iterator[Item]:
        """Yield the graph, and the memory below it."""
        yield from super().items(playhead, share)
        if self.memory:
            left = (self.width - MEMORY_WIDTH) / 2
            marks = [*memory_marks(self.memory, playhead.cursor)]
            yield moved_item(Item(self.memory["id"], "memory", "", marks), left, super().body)

    def _items(self, step: Step) -> list[str]:
        """Return the keys of the items in the focus of a step: what is folded away is not among them."""
        there = {node["key"] for node in self.panel["nodes"]}
        return [key for key in super()._items(step) if key in there]

    def _told(self, coarse: bool) -> list[str]:
        """Return the sentence of each move; the last one of a composite op has that of the whole, which is folded."""
        return super()._told(True)

    def _focused(self, move: Move | None, last: int) -> list[str]:
        """Return the items that a step is about: of a composite op all that the steps up to here are."""
        if move is None:
            return []
        turn = [each for each in self.moves[: last + 1] if each.turn == move.turn]
        return [*dict.fromkeys(key for each in reversed(turn) for key in each.focus)]

    def _graph(self, playhead: Playhead, share: float) -> Iterator[Item]:
        """Yield what is built, each op with its value; rings are around what the step is about."""
        focus = self._focused(self._moving(playhead.cursor), self._last(playhead.cursor))
        there = {node["key"] for node in self.panel["nodes"] if self._is_there(playhead, node["key"])}
        edges = [edge for edge in self.panel["edges"] if edge["head"] in there]
        first = {edge["tail"] for edge in edges if edge["kind"] == "initializer"}
        there = {key for key in there if not key.startswith("first")} | first
        for k, group in enumerate(self.panel.get("groups", [])):
            if any(self.panel["nodes"][node]["key"] in there for node in group["nodes"]):
                yield self._named(Item(f"box{k}", "box", "", []), [*group_marks(group)])
        for edge in edges:
            item = edge_item(edge, 0.0, 0.0)
            yield self._named(item, [*map(lit, item.marks)] if edge["head"] in focus[:1] else item.marks)
        for node in self.panel["nodes"]:
            if node["key"] in there:
                outline = RINGS[0] if node["key"] in focus[:1] else RINGS[1] if node["key"] in focus else 0.0
                item = op_item(node, playhead.stage.get(f"{self.run}/value/{node['node']}"), outline)
                yield self._named(replace(item, dead=False), item.marks)

    def _is_there(self, playhead: Playhead, key: str) -> bool:
        """Return whether an op is built; in a show that does not build, all are."""
        return not self.builds or self.born.get(key, 0) <= playhead.cursor
