"""What stands in square brackets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...engine.rules.gathering import SLOT
from ..derivations.regular_loops import Key


def key_text(form: Any, indices: Iterable[str] = ()) -> str:
    """What stands in square brackets: ``1:, i`` for a slice and an array of indices.

    >>> key_text((slice(1, None), SLOT), iter(["i"]))
    '1:, i'
    """
    rest = iter(indices)
    return ", ".join(_part_text(part, rest) for part in (form if isinstance(form, tuple) else (form,))) or "()"


def _part_text(part: Any, indices: Iterator[str]) -> str:
    if part is SLOT:
        return next(indices)
    if part is Ellipsis:
        return "..."
    if isinstance(part, slice):
        ends = ["" if each is None else str(int(each)) for each in (part.start, part.stop, part.step)]
        return ":".join(ends[: 3 if ends[2] else 2])
    return str(part)


def growing_text(key: Key, counter: str) -> str:
    """A key as it is in iteration ``counter``: ``k + 1, :``."""
    parts = []
    for part, step in zip(key.first, key.step, strict=True):
        if not step:
            parts.append(key_text((part,)))
        elif step == 1:
            parts.append(f"{counter} + {part}" if part else counter)
        else:
            parts.append(f"{part} - {counter}" if step == -1 else f"{part} + {step} * {counter}")
    return ", ".join(parts)
