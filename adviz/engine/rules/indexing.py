"""Rules that pick entries, replace them or place them among zeros: indexing, take, diagonal; writing; pad, diag.

Operands after the first are settings unless said: an axis, a shape, a key. They are not differentiated; their Jacobian
is ``None``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..blocks import Rule, Words, is_traced
from ..devices import is_on_device
from ..jacobians.base import Shape
from ..jacobians.local import Diagonal, Jacobian, Window
from . import abstract_values, rows
from .gathering import SLOT, Indexing, is_reshaping, is_simple, scattered, split
from .reshaping import RESHAPED, moving
from .textbook import moved


def _index(y: Any, x: Any, key: Any) -> list[Jacobian | None]:
    if is_simple(key):
        return [Window(key, np.shape(y), np.shape(x)), None]
    return [Indexing(*split(key), np.shape(y), np.shape(x)), None]


INDEX = Rule(
    "index",
    lambda x, key: (x if hasattr(x, "shape") else np.asarray(x))[key],
    _index,
    "shape",
    "[ ]",
    code="{a}[{b!key}]",
    gives_array=True,
    noun="entries",
    is_view=True,
    batched=rows.parts,
    by_rows=rows.at_keys,
    words=moved(
        lambda y, x, key: ("reshape", "reshape") if is_reshaping(key, np.shape(x)) else ("at [{key}]", "[{key}]"),
        "{a}[{key}] is used and the rest is not: the adjoint goes to [{key}], and all other entries receive 0.",
        ("1", "That is the adjoint of the part; in {a} it stands at [{key}], among zeros."),
        ("broadcast", "Only the entries at [{key}] were used; the others receive 0."),
        arrays=lambda y, x, key: RESHAPED if is_reshaping(key, np.shape(x)) else "",
    ),
)


def _given_back(
    adjoint: Any, shape: Shape, indices: Any, axis: int | None = None, out: None = None, mode: Any = "raise"
) -> Any:
    """Return the transpose of ``np.take``: entries added up where they were taken."""
    if axis is None:
        return np.reshape(_given_back(adjoint, (math.prod(shape),), indices, 0, out, mode), shape)
    axis = axis % len(shape)
    places = np.take(np.arange(shape[axis]), indices, mode=mode)
    return scattered(adjoint, shape, (*[slice(None)] * axis, SLOT), (np.asarray(places),))


def _on_diagonal(adjoint: Any, shape: Shape, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return zeros with an adjoint on the diagonal."""
    axes = (axis1 % len(shape), axis2 % len(shape))
    rest = tuple(size for axis, size in enumerate(shape) if axis not in axes)
    places = np.arange(np.shape(adjoint)[-1])
    rows, columns = places + max(-offset, 0), places + max(offset, 0)
    whole = scattered(adjoint, (*rest, *(shape[axis] for axis in axes)), (..., SLOT, SLOT), (rows, columns))
    return np.moveaxis(whole, (-2, -1), axes)


TAKE = moving(
    "take",
    np.take,
    _given_back,
    code="np.take({a}, {b}, axis={c:None}, out={d:None}, mode={e:'raise'})",
    standard="taken({a}, {b!array}, {c:None}{d!unsupported})",
    words=moved(
        ("at [{places}]", "[{places}]"),
        "The entries at [{places}] of {a} are used and the rest is not: the adjoint goes there, and is added up"
        " where one"
        " was taken twice.",
        ("1", "That is the adjoint of the part; in {a} it stands at [{places}], among zeros."),
    ),
)
DIAGONAL = moving(
    "diagonal",
    np.diagonal,
    _on_diagonal,
    standard="diagonal({a}, {b}, {c}, {d})",
    is_view=True,
    is_read_only=True,
    batched=rows.diagonals,
    words=moved(
        "on the diagonal",
        "Only the diagonal of {a} is used: the adjoint goes there, and all other entries receive 0.",
        ("broadcast", "Only the diagonal was used; the others receive 0."),
    ),
)


def _set(x: Any, value: Any, key: Any) -> Any:
    if is_traced(x) or is_traced(value):
        return SET(x, value, key)  # an outer trace's
    whole = x.copy() if is_on_device(x) else np.array(x, order="K")
    whole[key] = value
    return whole


class Kept(Diagonal):
    """Of what stays of an array when something is written into it at a key: zeros are written there."""

    def __init__(self, remaining: np.ndarray, key: Any):
        super().__init__(remaining, remaining.shape, remaining.shape)
        self.key = key

    def jvp(self, tangent: Any) -> Any:
        return SET(tangent, 0.0, self.key) if is_traced(tangent) and self.out_shape else super().jvp(tangent)

    def vjp(self, adjoint: Any) -> Any:
        return self.jvp(adjoint)


def _set_jacobians(y: Any, x: Any, value: Any, key: Any) -> list[Jacobian | None]:
    """Where it is differentiated, the value has the shape of the selected part, and no entry is selected twice."""
    shape, remaining = np.shape(y), np.ones(np.shape(y))
    remaining[key] = 0.0
    if is_simple(key):
        placed: Jacobian | None = Window(key, shape, np.shape(value), placed=True)
    else:
        is_whole = np.size(remaining[key]) == np.size(value)
        placed = Indexing(*split(key), shape, np.shape(value), placed=True) if is_whole else None
    return [Kept(remaining, key), placed, None]


SET = Rule(
    "set",
    _set,
    _set_jacobians,
    "shape",
    "[ ]=",
    ("1, but 0 at [{c}]", "1 at [{c}], else 0"),
    words=Words(
        "At [{c}] the earlier entries were overwritten: [b:{b} receives the adjoint there][ab:, and ]"
        "[a:{a} all the rest of it].",
        (
            (("1", "What was at [{c}] was overwritten and has no influence any more: the adjoint there is 0."),),
            (("1", "That is the adjoint of the whole array; {b} was written to [{c}] only."),),
        ),
        gates=(("0 at [{c}]", "0 at [{c}]"), "its part [{c}]"),
    ),
    abstract_eval=abstract_values.like_first,
    batched=rows.overwritten,
    statements=("{y} = {a}.copy()", "{y}[{c!key}] = {b}"),
    standard="put({a!own}, {b}, {c!tuple})",
    gives_array=True,
)
"""A new version of an array, in which the entries at the key are those of the value: what ``x[key] = value`` means."""


def _inner(adjoint: Any, shape: Shape, pad_width: Any) -> Any:
    """Return what is within the margins."""
    if isinstance(pad_width, dict):
        pad_width = [pad_width.get(k, pad_width.get(k - len(shape), (0, 0))) for k in range(len(shape))]
    widths = np.broadcast_to(pad_width, (len(shape), 2))[:, 0]
    return adjoint[tuple(slice(int(first), int(first) + size) for first, size in zip(widths, shape, strict=True))]


def _of_diagonal(adjoint: Any, shape: Shape, k: int) -> Any:
    taken = np.diagonal(adjoint, k)
    return taken if len(shape) == 1 else np.reshape(taken, shape)


PAD = moving(
    "pad",
    np.pad,
    _inner,
    placed=True,
    standard="put({zeros}, {a}, {b!inside})",
    gives_array=True,
    words=moved(
        "without margins",
        "{a} is the inner part of the result, and receives the inner part of the adjoint.",
        ("1", "That is the adjoint of the whole; the margins do not depend on {a}."),
    ),
)
DIAGONAL_MATRIX = moving(
    "diag",
    np.diagflat,
    _of_diagonal,
    placed=True,
    code="np.diag({a}, {b:0})",
    standard="on_diagonal({a}, {b})",
    abstract_eval=abstract_values.on_diagonal,
    words=moved(
        "its diagonal",
        "{a} is the diagonal of the result, and receives the diagonal of the adjoint.",
        ("1", "That is the adjoint of the whole; the zeros beside the diagonal do not depend on {a}."),
    ),
)
