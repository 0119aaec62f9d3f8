"""Values and texts in little space: values as the Scene holds them, from exact to short; texts in lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

import numpy as np

from . import captions
from .text_widths import fit, printable, width

SPACE = re.compile(r" (?![^\[]*\])")  # between words; the numbers of an array stay together


class ArrayOnStage(TypedDict):
    """An array on stage: all its entries, or its norm where there are too many."""

    shape: list[int]
    data: NotRequired[list[float | str]]
    norm: NotRequired[float | str]


OnStage = float | str | ArrayOnStage | None
"""A value as the Scene holds it; a text stands for NaN or an infinity, ``None`` for no value."""


def carried(value: Any) -> OnStage:
    """Return a value as the Scene holds it: numbers, truth values, small arrays whole, large ones by shape and norm.

    >>> carried(0.5), carried(float("nan")), carried(np.ones(2)), carried(np.ones(100))
    (0.5, 'NaN', {'shape': [2], 'data': [1.0, 1.0]}, {'shape': [100], 'norm': 10.0})
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, tuple):  # a priority on a heap: the negative rank, then the order
        return -value[0]
    if np.ndim(value) == 0:
        return _number(value)
    array = np.asarray(value, float)
    if array.size <= captions.MOST_NUMBERS:
        return {"shape": list(array.shape), "data": list(map(_number, array.ravel().tolist()))}
    return {"shape": list(array.shape), "norm": _number(captions.norm(array))}


def _number(value: float) -> float | str:
    return float(value) if np.isfinite(value) else captions.number(value)


def fitting(texts: Sequence[str], size: float, room: float, font: str = "sans") -> str:
    """Return the first of some texts that fits into ``room`` px, or as much of the last as fits."""
    return next((text for text in texts if width(text, size, font) <= room), "") or fit(texts[-1], size, room, font)


def wrapped(text: str, size: float, room: float, most: int) -> list[str]:
    """Return a text in at most ``most`` lines of ``room`` px, broken between words; a longer text ends in "…".

    >>> wrapped("one two three", 10, 45, 2), wrapped("is [1, 2]", 10, 38, 2)
    (['one two', 'three'], ['is', '[1, 2]'])
    """
    words = SPACE.split(printable(text))
    lines: list[str] = []
    while words and len(lines) < most - 1:
        count = next((k for k in range(2, len(words) + 1) if width(" ".join(words[:k]), size) > room), len(words) + 1)
        lines.append(fit(" ".join(words[: count - 1]), size, room))
        words = words[count - 1 :]
    return [*lines, *([fit(" ".join(words), size, room)] if words else [])]
