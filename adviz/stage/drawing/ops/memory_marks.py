"""Bytes over the running order as marks: the same as what ``memory-panel.ts`` of the front end draws."""

from __future__ import annotations

from collections.abc import Iterator

from ...scene import theme
from ...scene.document import MemoryBlock, MemoryLayout, MemoryPanel
from ...scene.text_widths import fit
from ..flow_pills import straight
from ..marks import Box, Curve, Mark, Text, amount

WIDTH, HEIGHT = 470.0, 220.0
LEFT, RIGHT, TOP, BOTTOM = 20.0, 20.0, 34.0, 16.0
LOWEST = 11.0  # px of a block that has its name inside


class _Scale:
    """Where a place in the running order, and a byte, are in the picture."""

    def __init__(self, panel: MemoryPanel):
        self.count = len(panel["running"]) + 1
        self.most = max(1, panel["layouts"][panel["chosen"]]["bytes"])

    def x(self, at: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * max(0.0, at) / self.count

    def y(self, offset: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * offset / self.most


def marks(panel: MemoryPanel, cursor: int) -> Iterator[Mark]:
    """Yield the plan that is chosen, and a line where the computation is after so many steps."""
    scale, layout, at = _Scale(panel), panel["layouts"][panel["chosen"]], panel["at"][cursor]
    told = " · ".join(f"{each['method']} {amount(each['bytes'])}" for each in panel["layouts"])
    yield Text(
        LEFT, 14, fit(f"Memory: {told}", theme.DETAIL_SIZE, WIDTH - LEFT), theme.DETAIL_SIZE, "ink", anchor="start"
    )
    for k, block in enumerate(layout["blocks"]):
        yield from _block(scale, block, _span(layout, k), at)
    top = scale.y(layout["bytes"])
    yield Curve(straight([(LEFT, top), (WIDTH - RIGHT, top)]), "ink", 1.2)
    x = scale.x(at)
    yield Curve(straight([(x, TOP - 8), (x, HEIGHT - BOTTOM)]), "accent", 1.6)


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
