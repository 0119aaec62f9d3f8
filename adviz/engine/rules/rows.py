"""What operations are of many arrays at once, and of the rows of one array: records name these functions.

``batched(batch, term, operands)`` gives the term of an operation with an axis more in front, ``None`` where it has no
such form. ``operands`` are those of the ``term``, each with its rows where ``batch.has_rows`` of the term's own.
``by_rows(term, rows)`` says of each operand whether it is taken row by row; ``None`` where a row of the value depends
on other rows. Terms are those of ``kernels/terms/array_terms.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Uses = list[bool] | None

# ---- many at once ----


def reductions(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    a, axis, keepdims = operands
    axes = range(len(a.shape) - 1) if axis.value is None else np.atleast_1d(axis.value) % max(len(a.shape) - 1, 1)
    if len(a.shape) == 1:
        return a
    return batch.apply(term.operation, a, tuple(int(k) + 1 for k in axes), keepdims)


def products(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    (one, other), (a, b) = term.operands, operands
    if batch.has_rows(one) and batch.has_rows(other):
        return None
    if batch.has_rows(other) and len(other.shape) == 1:
        if len(one.shape) > 2:
            return None
        return batch.apply(term.operation, b, one if len(one.shape) == 1 else batch.transposed(one, (1, 0)))
    if batch.has_rows(one) and len(one.shape) == 1:
        return batch.apply(term.operation, a, b) if len(other.shape) <= 2 else None
    rank = max(len(one.shape), len(other.shape))
    pair = (batch.padded(each, rank) if len(each.shape) > 1 else each for each in (one, other))
    return batch.apply(term.operation, *pair)


def contractions(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    spec = term.operands[0].value
    free = [letter for letter in "bnrzabcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" if letter not in spec]
    if not isinstance(spec, str) or "->" not in spec or not free:
        return None
    inputs, output = spec.replace(" ", "").split("->")
    parts = zip(inputs.split(","), term.operands[1:], strict=True)
    written = ",".join(free[0] * batch.has_rows(each) + part for part, each in parts)
    return batch.apply(term.operation, f"{written}->{free[0]}{output}", *operands[1:])


def solutions(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    (a, b), (_, rows) = term.operands, operands
    if batch.has_rows(a) or len(a.shape) > 2:
        return None
    if len(b.shape) == 1:
        return batch.transposed(batch.apply(term.operation, a, batch.transposed(rows, (1, 0))), (1, 0))
    return batch.apply(term.operation, a, rows)


def transposes(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    count, axes = len(term.shape), term.operands[1].value
    order = range(count)[::-1] if axes is None else axes
    return batch.transposed(operands[0], (0, *(int(k) % count + 1 for k in order)))


def reshapes(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    return batch.reshaped(operands[0], (batch.count, *term.shape))


def broadcasts(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    return batch.apply(term.operation, batch.padded(term.operands[0], len(term.shape)), (batch.count, *term.shape))


def joins(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    axis, *parts = term.operands
    return batch.apply(term.operation, int(axis.value) % len(term.shape) + 1, *map(batch.repeated, parts))


def along_axis(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    """Return an operation along one axis, its last setting; not where it takes all axes as one."""
    x, *settings, axis = operands
    if not isinstance(axis.value, int | np.integer):
        return None
    return batch.apply(term.operation, x, *settings, int(axis.value) % (len(x.shape) - 1) + 1)


def diagonals(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    x, offset, *axes = operands
    return batch.apply(term.operation, x, offset, *(int(k.value) % (len(x.shape) - 1) + 1 for k in axes))


def as_it_is(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    """Return an operation that takes axes in front for those of a stack."""
    return batch.apply(term.operation, *operands)


def with_row(key: Any) -> tuple[Any, ...]:
    """Return a key for every row."""
    return (slice(None), *(key if isinstance(key, tuple) else (key,)))


def parts(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    return batch.apply(term.operation, operands[0], with_row(operands[1].value))


def placed(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    return batch.apply(term.operation, operands[0], with_row(operands[1].value), (batch.count, *term.shape))


def overwritten(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    x, value, key = term.operands
    rank = np.ndim(np.broadcast_to(0.0, x.shape)[key.value])
    return batch.apply(term.operation, batch.repeated(x), batch.padded(value, rank), with_row(key.value))


# ---- row by row ----


def has_rows(term: Any, rows: int) -> bool:
    """Return whether the first axis of a term has so many rows."""
    return bool(term.shape) and term.shape[0] == rows


def axes_of(term: Any) -> list[int]:
    """Return the axes that a reduction runs along."""
    x, axis = term.operands[:2]
    count = len(x.shape)
    return list(range(count)) if axis.value is None else [int(k) % count for k in np.atleast_1d(axis.value)]


def _first(term: Any, holds: bool) -> Uses:
    """Only the first operand is taken row by row."""
    return [k == 0 for k in range(len(term.operands))] if holds else None


def along_other_axes(term: Any, rows: int) -> Uses:
    return _first(term, has_rows(term.operands[0], rows) and 0 not in axes_of(term))


def along_another_axis(term: Any, rows: int) -> Uses:
    axis = term.operands[1].value
    count = len(term.operands[0].shape)
    return _first(term, isinstance(axis, int | np.integer) and int(axis) % count > 0)


def of_products(term: Any, rows: int) -> Uses:
    a, b = term.operands
    if not has_rows(a, rows) or len(a.shape) < 2 or len(b.shape) > len(a.shape):
        return None
    is_batch = len(b.shape) == len(a.shape) > 2
    return [True, is_batch] if not is_batch or has_rows(b, rows) else None


def of_same_rows(term: Any, rows: int) -> Uses:
    return _first(term, has_rows(term.operands[0], rows))


def of_repeated(term: Any, rows: int) -> Uses:
    x = term.operands[0]
    return [has_rows(x, rows) and len(x.shape) == len(term.shape), False]


def of_transposes(term: Any, rows: int) -> Uses:
    axes = term.operands[1].value
    return _first(term, axes is not None and int(axes[0]) == 0)


def at_keys(term: Any, rows: int) -> Uses:
    key = term.operands[1].value
    return _first(term, isinstance(key, tuple) and bool(key) and isinstance(key[0], slice) and key[0] == slice(None))


def of_joined(term: Any, rows: int) -> Uses:
    axis, *joined = term.operands
    holds = int(axis.value) % len(term.shape) > 0 and all(has_rows(each, rows) for each in joined)
    return [False, *(True for _ in joined)] if holds else None


# ---- reductions ----


def reduced(name: str, kind: str = "whole") -> dict[str, Any]:
    """Return what the records of reductions have in common; ``kind`` is what the array API standard reduces."""
    settings = "axis={b:None}, keepdims={c:False})"
    return {
        "by_rows": along_other_axes,
        "code": f"np.{name}({{a}}, {settings}",
        "standard": f"xp.{name}({{a!{kind}}}, {settings}",
    }
