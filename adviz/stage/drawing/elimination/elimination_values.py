"""Labels of edges as marks: numbers, small arrays as heat maps with their shape, and the arithmetic of a product.

The same as ``elimination-values.ts`` of the front end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor
from typing import NamedTuple

from ...scene import captions, formulas
from ...scene.panels import HeatMap
from ...scene.short_text import OnStage
from ..flow_motion import Point
from ..flow_pills import heat
from ..marks import Box, Mark, Text

NUMBER, SHAPE = 17.0, 16.0  # sizes of a number, and of the shape of an array
CHARACTER = 0.7  # the width of a bold digit of a wide font, as a share of its size
CELL, SMALL_CELL = 15.0, 12.0  # px of a heat map in a label, and on its way
MOST_CELLS = 5  # rows or columns of a heat map
TALL, LEAST_CELL = 34.0, 5.5  # px of the heat map of a label at most; of a cell: below, there is no heat map
GAP, SIGN = 6.0, 24.0  # between a heat map and its shape; the room of a sign
PLAQUE, AROUND = 34.0, 20.0  # the least height of a plaque, and what it is wider than its content


class Block(NamedTuple):
    """An array as it is drawn: its heat map, and its shape in words."""

    map: HeatMap
    shape: str


def told(value: OnStage) -> str:
    """Return a number in four figures, or the shape of an array.

    >>> told(-1.00512), told({"shape": [2, 1], "data": [1.0, 2.0]})
    ('−1.005', '2×1')
    """
    if isinstance(value, dict):
        return captions.shape(value["shape"])
    return (captions.number(value) if isinstance(value, int | float) else str(value)).replace("-", "−")


def block_of(value: OnStage) -> Block | None:
    """Return what is drawn of an array, of a large one evenly spaced entries; ``None`` for a number, or none."""
    if not isinstance(value, dict) or not value.get("data"):
        return None
    columns = value["shape"][-1]
    shown = [_spaced(len(value["data"]) // columns), _spaced(columns)]
    numbers = [float(entry) for entry in value["data"]]
    scale = max((abs(entry) for entry in numbers if abs(entry) < float("inf")), default=0.0)
    data: list[float | str] = [value["data"][row * columns + column] for row in shown[0] for column in shown[1]]
    result: HeatMap = {"shape": value["shape"], "rows": shown[0], "columns": shown[1], "data": data, "scale": scale}
    return Block(result, told(value))


def _spaced(count: int) -> list[int]:
    return [floor(k * count / min(count, MOST_CELLS)) for k in range(min(count, MOST_CELLS))]


def is_tall(value: OnStage) -> bool:
    """Return whether a label needs more height than a number."""
    result = block_of(value)
    return result is not None and len(result.map["rows"]) > 1


def written(
    value: OnStage, x: float, y: float, room: float, fill: str, opacity: float, longest: int = 0
) -> Iterator[Mark]:
    """Yield the value of a label around a center, no wider than there is room; among others, in the size of all."""
    result, words = block_of(value), told(value)
    fitting = room / (CHARACTER * max(len(words), longest))
    if not isinstance(value, dict):
        size = min(NUMBER, fitting)
        ink = "accent" if isinstance(value, str) and value.startswith("X") else fill  # a reference, as in formulas
        yield Text(x, y + 0.35 * size, words, size, ink, "bold", opacity=opacity)
        return
    rows, columns = (len(result.map["rows"]), len(result.map["columns"])) if result else (1, 1)
    wide = CHARACTER * SHAPE * len(words)
    cell = min(CELL, TALL / rows, (room - GAP - wide) / columns)
    if result is None or cell < LEAST_CELL:
        size = min(SHAPE, fitting)
        yield Text(x, y + 0.35 * size, words, size, "muted", opacity=opacity)
        return
    yield from heat(result.map, x - (GAP + wide) / 2, y, cell, opacity)
    yield Text(x + (cell * columns + GAP) / 2, y + 0.35 * SHAPE, words, SHAPE, "muted", opacity=opacity)


def symbol(indices: dict[str, str], thing: str) -> str:
    """Return the symbol of a label, with a dash for each twin before.

    >>> symbol({"1": "1", "3": "3"}, "1.3.2")
    'c′₃₁'
    """
    tail, head, *twin = thing.split(".")
    ends = indices[tail], indices[head]
    return "c" + "′" * (int(twin[0]) - 1 if twin else 0) + subscript(*ends)


def subscript(tail: str, head: str) -> str:
    """Return the two indices of a label, head first."""
    comma = "," if len(tail) + len(head) > 2 else ""
    return f"{head}{comma}{tail}".translate(formulas.SUBSCRIPTS)


def extent(value: OnStage) -> tuple[float, float]:
    """Return the width and the height of a value on its way."""
    result = block_of(value)
    if result:
        return SMALL_CELL * len(result.map["columns"]), SMALL_CELL * len(result.map["rows"])
    return CHARACTER * NUMBER * len(told(value)), NUMBER


def chip(value: OnStage, x: float, y: float, hue: str, opacity: float) -> Iterator[Mark]:
    """Yield a factor on its way."""
    w, h = extent(value)
    w, h = w + 16, h + 14
    yield Box(x - w / 2, y - h / 2, w, h, 7, "paper", hue, thickness=2.5, opacity=opacity)
    yield from _small(value, told(value), x, y, hue, opacity)


def _small(value: OnStage, words: str, x: float, y: float, fill: str, opacity: float) -> Iterator[Mark]:
    result = block_of(value)
    if result:
        yield from heat(result.map, x, y, SMALL_CELL, opacity)
    else:
        yield Text(x, y + 0.35 * NUMBER, words, NUMBER, fill, "bold", opacity=opacity)


def terms(values: Sequence[OnStage]) -> tuple[list[str], list[Point]]:
    """Return the values on a plaque in words, a negative one after a sign in brackets, and their extents."""
    words = [f"({told(each)})" if k and told(each).startswith("−") else told(each) for k, each in enumerate(values)]
    sizes = [
        extent(each) if block_of(each) else (CHARACTER * NUMBER * len(text), NUMBER)
        for each, text in zip(values, words, strict=True)
    ]
    return words, sizes


def plaque_extent(values: Sequence[OnStage]) -> Point:
    """Return the width and the height of a plaque."""
    _, sizes = terms(values)
    wide = sum(w for w, _ in sizes) + SIGN * (len(values) - 1)
    return wide + AROUND, max(PLAQUE, max(high for _, high in sizes) + 14)


def plaque(
    values: Sequence[OnStage], signs: Sequence[str], hued: int, place: Point, hue: str, opacity: float
) -> Iterator[Mark]:
    """Yield values with signs between them around a place; the one that is ``hued`` wears a hue."""
    words, sizes = terms(values)
    (w, h), (x, y) = plaque_extent(values), place
    yield Box(x - w / 2, y - h / 2, w, h, 7, "paper", hue, thickness=2, opacity=opacity)
    left = x - (w - AROUND) / 2
    for k, (value, text) in enumerate(zip(values, words, strict=True)):
        yield from _small(value, text, left + sizes[k][0] / 2, y, hue if k == hued else "ink", opacity)
        left += sizes[k][0] + SIGN
        if k < len(signs):
            yield Text(left - SIGN / 2, y + 0.35 * NUMBER, signs[k], NUMBER, "ink", "bold", opacity=opacity)
