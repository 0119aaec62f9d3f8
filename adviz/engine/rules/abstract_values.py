"""The shape and the dtype of an operation's value, from those of its operands: without computing it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

ShapeDtype = tuple[tuple[int, ...], Any]


class AbstractValue(NamedTuple):
    """An operand of which only shape and dtype are known, or a constant with its ``value``."""

    shape: tuple[int, ...]
    dtype: Any
    value: Any = None
    is_constant: bool = False

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)

    @classmethod
    def constant(cls, value: Any) -> AbstractValue:
        """Return a number, an array or a setting of any kind."""
        is_array = isinstance(value, np.ndarray | np.generic)
        return cls(value.shape, value.dtype, value, True) if is_array else cls((), None, value, True)


def shape_dtype_of(operation: Any, operands: Sequence[Any]) -> ShapeDtype:
    """Shape and dtype of ``operation`` at operands of which shape and dtype are known, or a constant ``value``.

    >>> from adviz.engine.blocks import BLOCK_OF
    >>> from adviz.engine.rules.abstract_values import AbstractValue
    >>> x, y = AbstractValue((3, 1), np.dtype(np.float32)), AbstractValue((4,), np.dtype(float))
    >>> shape_dtype_of(BLOCK_OF[np.multiply], [x, y])
    ((3, 4), dtype('float64'))
    """
    if operation.partials:
        kinds = tuple(operand.dtype if operand.dtype is not None else type(operand.value) for operand in operands)
        shape = np.broadcast_shapes(*(operand.shape for operand in operands))
        return shape, _kind_of_entries(operation, kinds, bool(shape))
    if operation.abstract_eval is not None:
        shape, dtype = operation.abstract_eval(*operands)
        return shape, np.dtype(float) if dtype is None else dtype
    data = [placeholder(operand) for operand in operands]
    with np.errstate(all="ignore"):
        result = np.asarray(operation.compute(*data))
    return result.shape, result.dtype


@cache
def _kind_of_entries(operation: Any, kinds: tuple[Any, ...], has_axes: bool) -> Any:
    with np.errstate(all="ignore"):
        ones = [np.ones((1,) * has_axes, kind) if isinstance(kind, np.dtype) else kind(1) for kind in kinds]
        return np.asarray(operation.compute(*ones)).dtype


def placeholder(operand: Any) -> Any:
    """Something of the shape of an operand: the identity matrix where it is square, so that it can be inverted."""
    if operand.is_constant:
        return operand.value
    if operand.dtype.kind in "iu":
        return np.broadcast_to(np.zeros((), operand.dtype), operand.shape)  # 0 is an index of every axis
    if len(operand.shape) > 1 and operand.shape[-1] == operand.shape[-2]:
        return np.broadcast_to(np.eye(operand.shape[-1], dtype=operand.dtype), operand.shape)
    return np.broadcast_to(np.ones((), operand.dtype), operand.shape)


def _places(axis: Any, count: int) -> list[int]:
    """Return the places of one or several axes among so many, or all of them; raises ``AxisError`` as NumPy does."""
    if axis is None:
        return list(range(count))
    wanted = np.atleast_1d(axis).tolist()
    for each in wanted:
        if not -count <= each < count:
            raise np.exceptions.AxisError(each, count)
    return [each % count for each in wanted]


def reduced(x: Any, axis: Any, keepdims: Any) -> ShapeDtype:
    axes = _places(axis.value, len(x.shape))
    keeps = keepdims.value
    shape = tuple(1 if k in axes else n for k, n in enumerate(x.shape) if keeps or k not in axes)
    return shape, _dtype(x)


def summed(x: Any, axis: Any, keepdims: Any) -> ShapeDtype:
    return reduced(x, axis, keepdims)[0], np.sum(np.zeros(1, _dtype(x))).dtype


def averaged(x: Any, axis: Any, keepdims: Any) -> ShapeDtype:
    return reduced(x, axis, keepdims)[0], np.mean(np.zeros(1, _dtype(x))).dtype


def extreme(x: Any, axis: Any, keepdims: Any) -> ShapeDtype:
    shape, dtype = reduced(x, axis, keepdims)
    if not x.size and 0 not in shape:
        raise ValueError("zero-size array to reduction operation which has no identity")
    return shape, dtype


def _dtype(x: Any) -> Any:
    return np.asarray(x.value).dtype if x.dtype is None else x.dtype


def product(a: Any, b: Any) -> ShapeDtype:
    rows, columns = a.shape[-2:-1], b.shape[-1:] if len(b.shape) > 1 else ()
    if not a.shape or not b.shape or a.shape[-1] != b.shape[-2:][0]:
        raise ValueError(f"the last axis of {a.shape} and the one of rows of {b.shape} must have one length")
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return (*batch, *rows, *columns), np.result_type(_dtype(a), _dtype(b))


def reshaped(x: Any, shape: Any) -> ShapeDtype:
    wanted = shape.value if isinstance(shape.value, tuple | list) else (shape.value,)
    known = int(np.prod([n for n in wanted if n != -1]))
    return tuple(int(x.size // max(known, 1)) if n == -1 else int(n) for n in wanted), _dtype(x)


def transposed(x: Any, axes: Any) -> ShapeDtype:
    return tuple(x.shape[k] for k in (axes.value if axes.value is not None else range(len(x.shape))[::-1])), x.dtype


def _real(*operands: Any) -> Any:
    dtypes = list(map(_dtype, operands))
    return np.result_type(*dtypes) if all(each.kind == "f" for each in dtypes) else np.dtype(float)


def square(a: Any) -> ShapeDtype:
    if len(a.shape) < 2 or a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError(f"{a.shape} is not the shape of a square matrix")
    return a.shape, _real(a)


def solved(a: Any, b: Any) -> ShapeDtype:
    rows = b.shape[-2:][:1]
    if square(a)[0][-1:] != rows:
        raise ValueError(f"the matrix {a.shape} and the right side {b.shape} must have as many rows")
    if len(b.shape) == 1:
        return (*a.shape[:-2], a.shape[-1]), _real(a, b)
    return (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:]), _real(a, b)


def like_first(x: Any, *settings: Any) -> ShapeDtype:
    return x.shape, _dtype(x)


def rolled(x: Any, shift: Any, axis: Any) -> ShapeDtype:
    _places(axis.value, len(x.shape))
    return like_first(x)


def of_identity(count: Any, dtype: Any) -> ShapeDtype:
    return (count.value, count.value), np.dtype(dtype.value)


def on_diagonal(v: Any, k: Any) -> ShapeDtype:
    if len(v.shape) != 1:
        raise ValueError("Input must be 1- or 2-d.")
    return (v.size + abs(k.value),) * 2, _dtype(v)


def of_rows(each: Any, *operands: Any) -> ShapeDtype:
    one, places = each.value
    return (operands[places[0]].shape[0], *one.shape), one.dtype


def made_by_loop(made: Any, *operands: Any) -> ShapeDtype:
    return made.value.shape, made.value.dtype


def contracted(subscripts: Any, *operands: Any) -> ShapeDtype:
    sizes = sizes_of(subscripts.value, [operand.shape for operand in operands])
    result = subscripts.value.partition("->")[2]
    return tuple(sizes[label] for label in result), np.result_type(*map(_dtype, operands))


def sizes_of(subscripts: str, shapes: Sequence[tuple[int, ...]]) -> dict[str, int]:
    """Return the size of each label of an einsum.

    >>> sizes_of("ij,jk->ik", [(2, 3), (3, 4)])
    {'i': 2, 'j': 3, 'k': 4}
    """
    labels = subscripts.partition("->")[0].split(",")
    return {label: n for own, shape in zip(labels, shapes, strict=True) for label, n in zip(own, shape, strict=True)}


def broadcast(x: Any, shape: Any) -> ShapeDtype:
    return tuple(shape.value), _dtype(x)


def scattered(part: Any, shape: Any, *indices: Any) -> ShapeDtype:
    return tuple(shape.value), part.dtype


def placed(part: Any, key: Any, shape: Any) -> ShapeDtype:
    return tuple(shape.value), part.dtype


def cast(x: Any, dtype: Any) -> ShapeDtype:
    return x.shape, np.dtype(dtype.value)
