"""Keys as the array API standard wants them: they name all axes, and their slices end within the array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.rules.gathering import SLOT


def whole_key(key: str, count: int) -> str:
    """A key that names all axes, as the standard wants it."""
    parts = key.split(", ")
    named = sum(1 for part in parts if part != "None")
    return key if "..." in parts or named == count else f"{key}, ..."


def _parts(form: Any) -> tuple[Any, ...]:
    return form if isinstance(form, tuple) else (form,)


def tuple_key(form: Any, indices: Sequence[str] = ()) -> str:
    """A key as a tuple: ``(slice(1, None), i, ...)``."""
    rest = iter(indices)
    texts = [next(rest) if part is SLOT else "..." if part is Ellipsis else str(part) for part in _parts(form)]
    return f"({', '.join(texts)}{',' * (len(texts) == 1)})"


def plain_form(form: Any) -> tuple[Any, ...]:
    """A key without numbers of NumPy's."""
    return tuple(
        slice(*(None if end is None else int(end) for end in (part.start, part.stop, part.step)))
        if isinstance(part, slice)
        else int(part)
        if isinstance(part, int | np.integer)
        else part
        for part in _parts(form)
    )


def within(form: tuple[Any, ...], shape: tuple[int, ...]) -> tuple[Any, ...]:
    """A key whose slices end within the array, as the standard wants them."""
    spread = len(shape) - sum(1 for part in form if part is not None and part is not Ellipsis)
    found, axis = [], 0
    for part in form:
        if isinstance(part, slice):
            found.append(_slice_within(part, shape[axis]))
        else:
            found.append(part)
        axis += spread if part is Ellipsis else part is not None
    return tuple(found)


def _slice_within(part: slice, count: int) -> slice:
    ends = (part.start, part.stop)
    if all(end is None or -count <= end <= count for end in ends):
        return part
    start, stop, step = part.indices(count)
    if not range(start, stop, step):
        return slice(0, 0)
    return slice(start, None if stop < 0 else stop, part.step)
