"""Blocks over whole arrays: reductions, moves of entries, products of matrices; one line per rule.

Operands after the first are settings unless said: an axis, a shape, a key. They are not differentiated; their Jacobian
is ``None``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .blocks import BLOCK_OF, Elementwise, Rule
from .jacobians import Diagonal, Jacobian, MatrixProduct, Reduction, Reshaping, Selection, Window

COPY = Elementwise("copy", np.copy, lambda y, x: 1.0, family="shape", scalar_fn=float)

LOGISTIC = Elementwise(
    "logistic",
    lambda x: np.exp(-np.logaddexp(0.0, -x)),
    lambda y, x: y * np.exp(-np.logaddexp(0.0, x)),  # the product of both tails: neither overflows nor cancels
    family="power",
)


def _cast(y: Any, x: Any, dtype: Any) -> list[Jacobian | None]:
    return [Diagonal(1.0, np.shape(y), np.shape(x)), None]


CAST = Rule("astype", lambda x, dtype: (x if hasattr(x, "shape") else np.asarray(x)).astype(dtype), _cast, "shape")


def _weights_of_prod(y: Any, x: Any, axis: Any) -> np.ndarray:
    """For each entry the product of the others along the axis, right also where entries are 0."""
    axes = tuple(range(np.ndim(x))) if axis is None else tuple(np.atleast_1d(axis) % np.ndim(x))
    kept = [k for k in range(np.ndim(x)) if k not in axes]
    order = [*kept, *axes]
    rows = np.transpose(x, order)
    flat = rows.reshape(*rows.shape[: len(kept)], -1)
    before, after = np.ones_like(flat), np.ones_like(flat)
    before[..., 1:] = np.cumprod(flat[..., :-1], axis=-1)
    after[..., :-1] = np.cumprod(flat[..., :0:-1], axis=-1)[..., ::-1]
    return np.transpose((before * after).reshape(rows.shape), np.argsort(order))


def _weights_of_extreme(y: Any, x: Any, axis: Any) -> np.ndarray:
    """1 at the largest (smallest) entry, shared equally among ties."""
    top = y if axis is None or np.ndim(y) == np.ndim(x) else np.expand_dims(y, axis)
    chosen = np.equal(x, top)
    return chosen / np.sum(chosen, axis=axis, keepdims=True)


def _reduction(name: str, symbol: str, fn: Callable[..., Any], weights: Callable[..., Any]) -> Rule:
    def jacobians(y: Any, x: Any, axis: Any, keepdims: bool) -> list[Jacobian | None]:
        return [Reduction(weights(y, x, axis), axis, keepdims, np.shape(y), np.shape(x)), None, None]

    return Rule(name, lambda x, axis, keepdims: fn(x, axis=axis, keepdims=keepdims), jacobians, "reduction", symbol)


def _moving(name: str, fn: Callable[..., Any]) -> Rule:
    """A function that moves and repeats entries: its Jacobian is found by moving their numbers."""

    def jacobians(y: Any, x: Any, *settings: Any) -> list[Jacobian | None]:
        numbers = np.arange(np.size(x)).reshape(np.shape(x))
        return [Selection(np.asarray(fn(numbers, *settings)), np.shape(x)), *[None] * len(settings)]

    return Rule(name, fn, jacobians, "shape")


def _index(y: Any, x: Any, key: Any) -> list[Jacobian | None]:
    parts = key if isinstance(key, tuple) else (key,)
    if all(part is None or part is Ellipsis or isinstance(part, int | np.integer | slice) for part in parts):
        return [Window(key, np.shape(y), np.shape(x)), None]
    numbers = np.arange(np.size(x)).reshape(np.shape(x))
    return [Selection(np.asarray(numbers[key]), np.shape(x)), None]


def _parts(y: Any, axis: int, *arrays: Any) -> list[Jacobian | None]:
    """``concatenate``: each operand is a slice of the value."""
    found: list[Jacobian | None] = [None]
    start, axis = 0, axis % np.ndim(y)
    for array in arrays:
        end = start + np.shape(array)[axis]
        key = (*[slice(None)] * axis, slice(start, end))
        found.append(Window(key, np.shape(y), np.shape(array), placed=True))
        start = end
    return found


def _layers(y: Any, axis: int, *arrays: Any) -> list[Jacobian | None]:
    """``stack``: each operand is one layer of the value."""
    before = [slice(None)] * (axis % np.ndim(y))
    return [
        None,
        *(Window((*before, k), np.shape(y), np.shape(array), placed=True) for k, array in enumerate(arrays)),
    ]


def _matrix_products(y: Any, a: Any, b: Any) -> list[Jacobian]:
    return [
        MatrixProduct(b, "left", np.shape(y), np.shape(a)),
        MatrixProduct(a, "right", np.shape(y), np.shape(b)),
    ]


def _where(y: Any, condition: Any, a: Any, b: Any) -> list[Jacobian | None]:
    chosen = np.asarray(condition, bool)
    return [
        None,
        Diagonal(chosen.astype(float), np.shape(y), np.shape(a)),
        Diagonal((~chosen).astype(float), np.shape(y), np.shape(b)),
    ]


SUM = _reduction("sum", "Σ", np.sum, lambda y, x, axis: 1.0)
MEAN = _reduction("mean", "mean", np.mean, lambda y, x, axis: np.size(y) / max(np.size(x), 1))
PROD = _reduction("prod", "Π", np.prod, _weights_of_prod)
MAX = _reduction("max", "max", np.max, _weights_of_extreme)
MIN = _reduction("min", "min", np.min, _weights_of_extreme)

RESHAPE = Rule("reshape", np.reshape, lambda y, x, shape: [Reshaping(np.shape(y), np.shape(x)), None], "shape")
TRANSPOSE = _moving("transpose", np.transpose)
FLIP = _moving("flip", np.flip)
ROLL = _moving("roll", np.roll)
REPEAT = _moving("repeat", np.repeat)
TILE = _moving("tile", np.tile)
TAKE = _moving("take", np.take)
DIAGONAL = _moving("diagonal", np.diagonal)
BROADCAST = _moving("broadcast_to", np.broadcast_to)
INDEX = Rule("index", lambda x, key: (x if hasattr(x, "shape") else np.asarray(x))[key], _index, "shape", "[ ]")
CONCATENATE = Rule("concatenate", lambda axis, *arrays: np.concatenate(arrays, axis), _parts, "shape")
STACK = Rule("stack", lambda axis, *arrays: np.stack(arrays, axis), _layers, "shape")

MATMUL = Rule("matmul", np.matmul, _matrix_products, "linear", "@")
BLOCK_OF[np.matmul] = MATMUL
WHERE = Rule("where", np.where, _where, "selection", "where")
