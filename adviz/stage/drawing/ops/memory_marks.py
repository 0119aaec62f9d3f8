"""Bytes over the running order as marks: the same as what ``memory-panel.ts`` of the front end draws."""

from __future__ import annotations

from collections.abc import Iterator

from ...scene import theme
from ...scene.document import MemoryBlock, MemoryLayout, MemoryPanel
from ...scene.text_widths import fit, width
from ..flow_pills import straight
from ..marks import Arrow, Box, Curve, Dotted, Mark, Text, amount

WIDTH, HEIGHT = 470.0, 246.0
LEFT, RIGHT, TOP, BOTTOM = 20.0, 20.0, 52.0, 24.0
LOWEST = 11.0  # px of a block that has its name inside
SEEN = 7.0  # px of a block of which it is seen whose bytes it has


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
    for k, block in enumerate(layout["blocks"]):
        if "before" in block and scale.y(block["offset"]) - scale.y(block["offset"] + block["bytes"]) >= SEEN:
            yield from _hand_over(scale, layout, block["before"], k)
    top, floor = scale.y(layout["bytes"]), scale.y(0)
    yield Curve(straight([(LEFT, floor), (WIDTH - RIGHT, floor)]), "faint", 1.0)
    yield Curve(straight([(LEFT, top), (WIDTH - RIGHT, top)]), "ink", 1.2)
    yield Text(LEFT, top - 4, amount(layout["bytes"]), theme.DETAIL_SIZE, "ink", anchor="start")
    yield from _peak(scale, panel)
    x, name = scale.x(at), panel["running"][at - 1] if at else ""
    yield Curve(straight([(x, TOP - 18), (x, HEIGHT - BOTTOM)]), "accent", 1.6)
    yield Arrow((x, TOP - 15, x - 5, TOP - 23, x + 5, TOP - 23), "accent")
    shown = fit(name, theme.DETAIL_SIZE, WIDTH / 2)
    start = x - 9 - width(shown, theme.DETAIL_SIZE) if x > WIDTH / 2 else x + 9
    yield Text(start, TOP - 15, shown, theme.DETAIL_SIZE, "ink", anchor="start")


def _peak(scale: _Scale, panel: MemoryPanel) -> Iterator[Mark]:
    """Yield a frame around the moment at which most bytes live."""
    left, right, y = scale.x(panel["peak"]), scale.x(panel["peak"] + 1), scale.y(panel["bound"])
    floor = scale.y(0)
    yield Dotted(straight([(left, floor), (left, y), (right, y), (right, floor)]), "ink", 1.2)
    yield Text((left + right) / 2, HEIGHT - 8, "▲ peak", theme.DETAIL_SIZE, "ink")


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
