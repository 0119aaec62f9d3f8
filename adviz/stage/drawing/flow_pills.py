"""Derivatives as marks: numbers on filled pills, arrays as small maps, and what is left of them once they are added.

The same as ``pills.ts`` of the front end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, inf, isfinite
from typing import Literal

from ..scene import theme
from ..scene.flow_panel import Amount
from ..scene.panels import HeatMap
from .flow_motion import Point, triangle
from .marks import Arrow, Box, Curve, Mark, Text

PILL, GHOST, RESULT = theme.FLOW_PILL, 16.0, theme.FLOW_RESULT
AROUND, HIGH = theme.FLOW_AROUND, 1.55  # around the text of a pill, and its height, as multiples of its size
DIGIT = 0.64  # the width of a digit, as a multiple of its size
CELL, SMALL_CELL = theme.FLOW_CELL, theme.FLOW_SMALL_CELL
HATCHED = (0, 1), (1, 0), (2, 0), (0, 2), (1, 2), (2, 1)  # lines across a cell, in halves of its side
BAND = 6.0  # px: the height of the band below a number that is not finite

Sign = Literal[-1, 0, 1] | None


def pair(words: list[str | float]) -> tuple[str, float]:
    """Return a text and its width."""
    text, wide = words
    return str(text), float(wide)


def hue(sign: Sign) -> str:
    """Return the color of a derivative; one that is not finite is grey like zero, and its text says what it is."""
    return "positive" if sign == 1 else "negative" if sign == -1 else "zero"


def extent(amount: Amount, size: float, wide: float | None = None) -> tuple[float, float]:
    """Return the width and the height of a derivative whose text has this size."""
    if "map" in amount:
        return SMALL_CELL * len(amount["map"]["columns"]) + 10, SMALL_CELL * len(amount["map"]["rows"]) + 10
    return (amount["w"] if wide is None else wide) * size / PILL + AROUND * size, HIGH * size


def fitting(wide: float, room: float, most: float) -> float:
    """Return the size of text with which a pill is no wider than there is room."""
    return min(most, room / (wide / PILL + AROUND))


def pill(amount: Amount, x: float, y: float, size: float, opacity: float) -> Iterator[Mark]:
    """Yield a derivative: a number on a filled pill, or the map of an array."""
    if "map" in amount:
        yield from packet(amount, x, y, opacity)
    else:
        yield from written(amount, amount["text"], amount["w"], x, y, size, opacity)


def written(amount: Amount, words: str, wide: float, x: float, y: float, size: float, opacity: float) -> Iterator[Mark]:
    """Yield words of a given width on the pill of a derivative."""
    w, h = wide * size / PILL + AROUND * size, HIGH * size
    yield Box(x - w / 2, y - h / 2, w, h, h / 2, hue(amount["sign"]), "paper", thickness=1.5, opacity=opacity)
    yield Text(x, y + 0.35 * size, words, size, "on-hue", "bold", opacity=opacity)


def moving(amount: Amount, x: float, y: float, direction: Point) -> Iterator[Mark]:
    """Yield a derivative on its way in a direction, which the head of an arrow shows."""
    (w, h), (dx, dy) = extent(amount, PILL), direction
    out = min(w / 2 / abs(dx) if dx else inf, h / 2 / abs(dy) if dy else inf) + 10
    yield Arrow(triangle(x + out * dx, y + out * dy, dx, dy, 14, 16), hue(amount["sign"]))
    yield from pill(amount, x, y, PILL, 1.0)


def packet(amount: Amount, x: float, y: float, opacity: float) -> Iterator[Mark]:
    """Yield an array on its way: a small map in a frame."""
    w, h = extent(amount, PILL)
    yield Box(x - w / 2, y - h / 2, w, h, 5, "paper", hue(amount["sign"]), thickness=2.4, opacity=opacity)
    yield from heat(amount["map"], x, y, SMALL_CELL, opacity)


def ghost(amount: Amount, x: float, y: float, opacity: float) -> Iterator[Mark]:
    """Yield a contribution that has been added: only its outline is left."""
    if "map" in amount:
        yield from packet(amount, x, y, opacity / 2)
        return
    w, h = extent(amount, GHOST)
    color = hue(amount["sign"])
    yield Box(x - w / 2, y - h / 2, w, h, h / 2, "paper", color, thickness=1.6, opacity=opacity)
    yield Text(x, y + 0.35 * GHOST, amount["text"], GHOST, color, "bold", opacity=opacity)


def stacked(count: int) -> Amount:
    """Return several contributions for which there is no room side by side."""
    text = f"+{count}"
    return {"text": text, "w": DIGIT * PILL * len(text), "sign": None, "ribbon": 0.0}


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


def band(number: str, x: float, y: float, wide: float, opacity: float) -> Iterator[Mark]:
    """Yield a hatched band below a number if it is NaN or infinite."""
    if "NaN" in number or "∞" in number:
        yield from hatched(straight([(x - wide / 2, y), (x + wide / 2, y)]), BAND, opacity)


def hatched(points: list[float], wide: float, opacity: float) -> Iterator[Mark]:
    """Yield a line of bars on a grey ground, as it stands for what is not finite."""
    yield Curve(points, "hatched", wide, opacity=opacity)
    yield Curve(points, "zero", wide, dashed=True, opacity=opacity)


def _shade(entry: float, scale: float) -> str:
    """Return the color of an entry: its sign, and its share of the scale in percent."""
    if not isfinite(entry):
        return "hatched"
    return f"{hue(1 if entry > 0 else -1 if entry < 0 else 0)} {floor(100 * (abs(entry) / (scale or 1)) + 0.5)}"
