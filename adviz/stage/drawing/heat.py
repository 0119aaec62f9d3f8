"""What several pictures have in common: the hues of derivatives, arrays as small maps, and lines of bars.

The same as in ``pills.ts`` of the front end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, isfinite
from typing import Literal

from ..scene.panels import HeatMap
from .marks import Box, Curve, Mark

HATCHED = (0, 1), (1, 0), (2, 0), (0, 2), (1, 2), (2, 1)  # lines across a cell, in halves of its side

Point = tuple[float, float]
Sign = Literal[-1, 0, 1] | None


def hue(sign: Sign) -> str:
    """Return the color of a derivative; one that is not finite is grey like zero, and its text says what it is."""
    return "positive" if sign == 1 else "negative" if sign == -1 else "zero"


def heat(given: HeatMap, x: float, y: float, cell: float, opacity: float) -> Iterator[Mark]:
    """Yield the cells of an array around a center."""
    columns, side = len(given["columns"]), cell - 1
    left, top = x - cell * columns / 2 + 0.5, y - cell * len(given["rows"]) / 2 + 0.5
    for k, entry in enumerate(given["data"]):
        row, column = divmod(k, columns)
        fill = _shade(float(entry), given["scale"])
        at_x, at_y = left + cell * column, top + cell * row
        line = "zero" if fill.endswith(" 0") else ""  # its paint is that of the ground, faint in the dark
        yield Box(at_x, at_y, side, side, 0.5, fill, line, thickness=cell / 15, opacity=opacity)
        if fill == "hatched":
            corners = [(at_x + side / 2 * across, at_y + side / 2 * down) for across, down in HATCHED]
            yield Curve(straight(corners), "zero", cell / 12, opacity=opacity)


def straight(corners: Sequence[Point]) -> list[float]:
    """Return straight lines from corner to corner as a chain of curves."""
    (x, y), *others = corners
    chain = [x, y]
    for to_x, to_y in others:
        chain += [x, y, to_x, to_y, to_x, to_y]
        x, y = to_x, to_y
    return chain


def hatched(points: list[float], wide: float, opacity: float) -> Iterator[Mark]:
    """Yield a line of bars on a grey ground, as it stands for what is not finite."""
    yield Curve(points, "hatched", wide, opacity=opacity)
    yield Curve(points, "zero", wide, dashed=True, opacity=opacity)


def _shade(entry: float, scale: float) -> str:
    """Return the color of an entry: its sign, and its share of the scale in percent."""
    if not isfinite(entry):
        return "hatched"
    return f"{hue(1 if entry > 0 else -1 if entry < 0 else 0)} {floor(100 * (abs(entry) / (scale or 1)) + 0.5)}"
