"""Rules that move, repeat and join entries: reshape, transpose, flip, roll, repeat, tile, concatenate, stack; casts.

Operands after the first are settings unless said: an axis, a shape, a key. They are not differentiated; their Jacobian
is ``None``. Of ``concatenate`` and ``stack`` the first operand, the axis, is the setting.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..blocks import Elementwise, Rule, Words
from ..devices import on_one_device
from ..jacobians.base import Shape
from ..jacobians.local import Diagonal, Flat, Jacobian, Movement, Reshaping, Window, unbroadcast
from . import abstract_values, rows
from .elementwise import itself
from .gathering import SLOT, scattered
from .textbook import MOVED, UNMOVED, moved, one


def _cast(y: Any, x: Any, dtype: Any) -> list[Jacobian | None]:
    is_stepwise = getattr(y, "dtype", np.dtype(float)).kind in "biu"
    return [Flat(np.shape(y), np.shape(x)) if is_stepwise else Diagonal(1.0, np.shape(y), np.shape(x)), None]


CAST = Rule(
    "astype",
    lambda x, dtype: (x if hasattr(x, "shape") else np.asarray(x)).astype(dtype),
    _cast,
    "shape",
    formulas=("1",),
    words=one("Rounding to another type is taken for the identity: the partial is 1.", short=("1",)),
    code="{a}.astype({b!dtype})",
    batched=rows.as_it_is,
    abstract_eval=abstract_values.cast,
)
ROUNDED: dict[str, Elementwise] = {
    kind.__name__: Elementwise(
        "astype",
        itself(lambda kind=kind: ROUNDED[kind.__name__], lambda x, kind=kind: np.float64(kind(x))),  # type: ignore[misc]
        lambda y, x: 1.0,
        family="shape",
        symbol=kind.__name__,
        scalar_fn=lambda x, kind=kind: float(kind(x)),
        formulas=("1",),
        words=CAST.words,
    )
    for kind in (np.float16, np.float32)
}
"""A number in double precision rounded to another type, by its name: conversions in the scalar grain."""
COPY = Elementwise(
    "copy",
    np.copy,
    lambda y, x: 1.0,
    family="shape",
    scalar_fn=float,
    formulas=("1",),
    words=one("A copy has the same value, so its partial is 1."),
)
ARRANGE = Rule(
    "arrange",
    lambda x, order: x.copy(order),
    _cast,
    "shape",
    words=moved(("1", "1"), "Only the order in memory changed, so the adjoint passes unchanged."),
)
"""A copy with its entries in memory in another order."""

RESHAPED = "Only the arrangement changed, so the adjoint is put back into the shape {shape} of {a}."
NOT_AVERAGED = "mean of copies", "Contributions of copies add up; they are not averaged."


def moving(name: str, fn: Callable[..., Any], back: Callable[..., Any], placed: bool = False, **record: Any) -> Rule:
    """A rule for a function that moves and repeats entries; ``back(adjoint, shape, *settings)`` is its transpose.

    If ``placed``, it places every entry once, among zeros.
    """

    def jacobians(y: Any, x: Any, *settings: Any) -> list[Jacobian | None]:
        shape = np.shape(x)
        movement = Movement(lambda t: fn(t, *settings), lambda c: back(c, shape, *settings), np.shape(y), shape, placed)
        return [movement, *[None] * len(settings)]

    return Rule(name, fn, jacobians, "shape", **record)


def _repeated(x: Any, repeats: Any, axis: Any) -> Any:
    """``np.repeat``, with counts as a list: device libraries do not take NumPy's arrays for settings."""
    return np.repeat(x, repeats.tolist() if isinstance(repeats, np.ndarray) else repeats, axis)


RESHAPE = Rule(
    "reshape",
    np.reshape,
    lambda y, x, shape: [Reshaping(np.shape(y), np.shape(x)), None],
    "shape",
    words=moved(
        ("reshape", "reshape"),
        RESHAPED,
        ("1", "That has the shape of the result; the adjoint of {a} has the shape of {a}, {shape}."),
    ),
    abstract_eval=abstract_values.reshaped,
    gives_array=True,
    is_view=True,
    batched=rows.reshapes,
    by_rows=rows.of_same_rows,
    shape_at=1,
)


def _transposed(adjoint: Any, shape: Shape, axes: Any) -> Any:
    return np.transpose(adjoint, None if axes is None else tuple(int(k) for k in np.argsort(np.mod(axes, len(shape)))))


def _summed_repeats(adjoint: Any, shape: Shape, repeats: Any, axis: Any) -> Any:
    """Return the sums over the copies of each entry."""
    if axis is None:
        return np.reshape(_summed_repeats(adjoint, (math.prod(shape),), repeats, 0), shape)
    axis = axis % len(shape)
    if np.ndim(repeats) and np.size(repeats) > 1:
        places = np.repeat(np.arange(shape[axis]), repeats)
        return scattered(adjoint, shape, (*[slice(None)] * axis, SLOT), (places,))
    copies = int(np.reshape(repeats, ()))
    return np.sum(np.reshape(adjoint, (*shape[: axis + 1], copies, *shape[axis + 1 :])), axis=axis + 1)


def _summed_tiles(adjoint: Any, shape: Shape, reps: Any) -> Any:
    """Return the sums over all tiles."""
    given = tuple(int(count) for count in np.ravel(reps))
    depth = max(len(given), len(shape))
    counts, sizes = (1,) * (depth - len(given)) + given, (1,) * (depth - len(shape)) + shape
    parts = np.reshape(adjoint, [n for pair in zip(counts, sizes, strict=True) for n in pair])
    return np.reshape(np.sum(parts, axis=tuple(range(0, 2 * depth, 2))), shape)


def _summed_windows(adjoint: Any, shape: Shape, window_shape: Any, axis: Any) -> Any:
    """Return the sums over all windows that an entry is in."""
    numbers = np.arange(math.prod(shape)).reshape(shape)
    places = np.array(np.lib.stride_tricks.sliding_window_view(numbers, window_shape, axis))
    return np.reshape(scattered(adjoint, (numbers.size,), (SLOT,), (places,)), shape)


def _sum_gate(value: Any, own: Any, shape: Any = ()) -> tuple[str, str]:
    """Return which sum undoes that an array was broadcast, and that a tangent is broadcast as the value is."""
    return _undoing_sum(np.shape(value), np.shape(own)), "1"


def _undoing_sum(whole: tuple[int, ...], part: tuple[int, ...]) -> str:
    extra = len(whole) - len(part)
    axes = [k for k, size in enumerate(whole) if k < extra or (part[k - extra] == 1 and size != 1)]
    if not axes:
        return "1"
    if len(axes) == len(whole):
        return "Σ"
    if len(whole) == 2:
        return "Σ rows" if axes == [0] else "Σ columns"
    return f"Σ {'axis' if len(axes) == 1 else 'axes'} {', '.join(map(str, axes))}"


TRANSPOSE = moving(
    "transpose",
    np.transpose,
    _transposed,
    abstract_eval=abstract_values.transposed,
    is_view=True,
    batched=rows.transposes,
    by_rows=rows.of_transposes,
    words=moved(
        lambda value, own, axes=(): ("ᵀ" if np.ndim(own) == 2 else "transpose",) * 2,
        "Only the arrangement changed, so the adjoint is transposed back.",
        UNMOVED,
    ),
)
FLIP = moving(
    "flip",
    np.flip,
    lambda adjoint, shape, axis: np.flip(adjoint, axis),
    code="np.flip({a}, axis={b:None})",
    standard="xp.flip({a}, axis={b!axes})",
    abstract_eval=abstract_values.like_first,
    is_view=True,
    batched=rows.along_axis,
    by_rows=rows.along_another_axis,
    words=moved(("flip", "flip"), "The order was reversed, so the adjoint is reversed back.", UNMOVED),
)
ROLL = moving(
    "roll",
    np.roll,
    lambda c, shape, by, axis: np.roll(c, tuple(-int(each) for each in by) if np.ndim(by) else -by, axis),
    code="np.roll({a}, {b}, axis={c:None})",
    standard="xp.roll({a}, {b}, axis={c:None})",
    abstract_eval=abstract_values.rolled,
    batched=rows.along_axis,
    words=moved(("roll back", "roll"), "The entries were shifted, so the adjoint is shifted back by as much.", UNMOVED),
)
REPEAT = moving(
    "repeat",
    _repeated,
    _summed_repeats,
    code="np.repeat({a}, {b}, axis={c:None})",
    standard="xp.repeat({a}, {b}, axis={c:None})",
    batched=rows.along_axis,
    words=moved(
        ("Σ copies", "copies"),
        "Each entry of {a} was used several times, so its adjoint is the sum over its copies.",
        NOT_AVERAGED,
    ),
)
TILE = moving(
    "tile",
    np.tile,
    _summed_tiles,
    standard="xp.tile({a}, {b!sizes})",
    words=moved(
        ("Σ copies", "copies"),
        "{a} was used several times, so its adjoint is the sum over its copies.",
        NOT_AVERAGED,
    ),
)
WINDOWS = moving(
    "sliding_window_view",
    np.lib.stride_tricks.sliding_window_view,
    _summed_windows,
    standard="windows({a}, {b}, {c})",
    is_view=True,
    is_read_only=True,
    words=moved("at its places", "Each entry of {a} is in several windows: its adjoint is the sum over them.", UNMOVED),
)
BROADCAST = moving(
    "broadcast_to",
    np.broadcast_to,
    lambda adjoint, shape, whole: unbroadcast(adjoint, shape),
    abstract_eval=abstract_values.broadcast,
    gives_array=True,
    is_view=True,
    is_read_only=True,
    batched=rows.broadcasts,
    by_rows=rows.of_repeated,
    shape_at=1,
    words=moved(
        _sum_gate,
        "{a} was repeated, so its adjoint is the sum over its copies.",
        NOT_AVERAGED,
    ),
)


def _parts(y: Any, axis: int, *arrays: Any) -> list[Jacobian | None]:
    """``concatenate``: each operand is a slice of the value."""
    result: list[Jacobian | None] = [None]
    start, axis = 0, axis % np.ndim(y)
    for array in arrays:
        end = start + np.shape(array)[axis]
        key = (*[slice(None)] * axis, slice(start, end))
        result.append(Window(key, np.shape(y), np.shape(array), placed=True))
        start = end
    return result


def _layers(y: Any, axis: int, *arrays: Any) -> list[Jacobian | None]:
    """``stack``: each operand is one layer of the value."""
    before = [slice(None)] * (axis % np.ndim(y))
    return [None, *(Window((*before, k), np.shape(y), np.shape(array), placed=True) for k, array in enumerate(arrays))]


JOINED = Words(
    "Each operand is a part of the result, and receives its part of the adjoint.",
    ((("1", "That is the adjoint of the whole; each operand receives its own part of it."),),),
    gates=(("part {part}", "as part {part}"),),
    forward=MOVED,
)
CONCATENATE = Rule(
    "concatenate",
    lambda axis, *arrays: np.concatenate(on_one_device(*arrays), axis),
    _parts,
    "shape",
    code="np.concatenate([{b...}], axis={a:0})",
    standard="xp.concat([{b...!arrays}], axis={a:0})",
    batched=rows.joins,
    by_rows=rows.of_joined,
    words=JOINED,
)
STACK = Rule(
    "stack",
    lambda axis, *arrays: np.stack(on_one_device(*arrays), axis),
    _layers,
    "shape",
    code="np.stack([{b...}], axis={a:0})",
    standard="xp.stack([{b...!arrays}], axis={a:0})",
    batched=rows.joins,
    by_rows=rows.of_joined,
    words=JOINED,
)
