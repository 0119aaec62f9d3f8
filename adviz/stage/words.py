"""Words in little room: values from exact to short, texts in lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import captions
from .metrics import fit, printable, width


def brief(value: Any) -> list[str]:
    """A value as it stands on stage, from the most exact way of writing it to the shortest.

    >>> brief(0.84147098), brief("nan"), brief({"shape": [2], "data": [1.0, "inf"]})
    (['0.8415', '0.841', '0.84'], ['nan'], ['[1 inf]', '[2]'])
    """
    if isinstance(value, bool) or not isinstance(value, int | float | dict):
        return [printable(str(value))]
    if not isinstance(value, dict):
        return [captions.number(value, digits) for digits in (4, 3, 2)]
    size = f"[{captions.shape(value['shape'])}]"
    if "norm" in value:
        return [f"{size} norm {brief(value['norm'])[0]}", size]
    length = (value["shape"] or [1])[-1] or 1
    texts = []
    for digits in range(3):
        entries = [brief(entry)[min(digits, len(brief(entry)) - 1)] for entry in value["data"]]
        rows = [" ".join(entries[k : k + length]) for k in range(0, len(entries), length)]
        texts.append(f"[{'; '.join(rows)}]")
    return [*dict.fromkeys(texts), size]


def fitting(texts: Sequence[str], size: float, room: float, font: str = "sans") -> str:
    """The first of some texts that fits into ``room`` px, or as much of the last as does."""
    return next((text for text in texts if width(text, size, font) <= room), "") or fit(texts[-1], size, room, font)


def wrapped(text: str, size: float, room: float, most: int) -> list[str]:
    """A text in lines of at most ``room`` px, broken between words; what ``most`` lines do not hold ends in "…".

    >>> wrapped("one two three", 10, 45, 2)
    ['one two', 'three']
    """
    words = printable(text).split(" ")
    lines: list[str] = []
    while words and len(lines) < most - 1:
        count = next((k for k in range(2, len(words) + 1) if width(" ".join(words[:k]), size) > room), len(words) + 1)
        lines.append(fit(" ".join(words[: count - 1]), size, room))
        words = words[count - 1 :]
    return [*lines, *([fit(" ".join(words), size, room)] if words else [])]
