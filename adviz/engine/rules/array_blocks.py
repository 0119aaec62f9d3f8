"""Blocks over whole arrays: reductions, moves of entries, products of matrices; one line per rule.

Operands after the first are settings unless said: an axis, a shape, a key. They are not differentiated; their Jacobian
is ``None``.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from string import ascii_letters
from typing import Any

import numpy as np

from ..blocks import BLOCK_OF, Elementwise, Rule, is_traced, power_of_exponent
from ..devices import as_like, on_one_device, to_numpy
from ..jacobians.local import Diagonal, Jacobian, LinearMap, MatrixProduct, Reduction, Reshaping, Selection, Window

COPY = Elementwise("copy", np.copy, lambda y, x: 1.0, family="shape", scalar_fn=float)

LOGISTIC = Elementwise(
    "logistic",
    lambda x: np.exp(-np.logaddexp(0.0, -x)),
    lambda y, x: y * np.exp(-np.logaddexp(0.0, x)),  # the product of both tails: neither overflows nor cancels
    family="power",
)


def _itself(known: Callable[[], Elementwise], ufunc: np.ufunc) -> Callable[..., Any]:
    """What a Block computes that is a ufunc with another derivative: of an outer trace's values, itself again."""

    def compute(*data: Any) -> Any:
        if any(map(is_traced, data)):
            return known()(*data)
        if any(isinstance(each, np.ndarray) and each.dtype == object for each in data):
            return np.frompyfunc(compute, len(data), 1)(*data)
        return ufunc(*data)

    return compute


LENGTH: Elementwise = Elementwise(
    "sqrt",
    _itself(lambda: LENGTH, np.sqrt),
    lambda y, x: 0.5 / np.where(np.equal(y, 0), np.inf, y),
    family="power",
    symbol="√",
    scalar_fn=math.sqrt,
)
"""The root of a sum of squares. At 0 a length has a kink, and the mean of its one-sided derivatives is 0."""

ROOT: Elementwise = Elementwise(
    "power",
    _itself(lambda: ROOT, np.power),
    lambda y, x, p: p * y / np.where(np.equal(y, 0), np.inf, x),
    power_of_exponent,
    family="power",
    symbol="pow",
    scalar_fn=operator.pow,
)
"""The root of a sum of other powers, and 0 there too."""


def _cast(y: Any, x: Any, dtype: Any) -> list[Jacobian | None]:
    return [Diagonal(1.0, np.shape(y), np.shape(x)), None]


CAST = Rule("astype", lambda x, dtype: (x if hasattr(x, "shape") else np.asarray(x)).astype(dtype), _cast, "shape")

ROUNDED: dict[str, Elementwise] = {
    kind.__name__: Elementwise(
        "astype",
        lambda x, kind=kind: np.float64(kind(x)),
        lambda y, x: 1.0,
        family="shape",
        symbol=kind.__name__,
        scalar_fn=lambda x, kind=kind: float(kind(x)),
    )
    for kind in (np.float16, np.float32)
}
"""A number in double precision rounded to another type, by its name: conversions in the scalar grain."""

ARRANGE = Rule("arrange", lambda x, order: x.copy(order), _cast, "shape")
"""A copy with its entries in memory in another order."""


def _shifted(x: Any, axis: int, by: int, fill: float) -> Any:
    """Every entry ``by`` places further along the axis, the first ones filled."""
    before = [slice(None)] * (axis % np.ndim(x))
    first = as_like(np.full(np.shape(x[(*before, slice(by))]), fill), x)
    return np.concatenate([first, x[(*before, slice(max(np.shape(x)[axis] - by, 0)))]], axis)


def products_of_others(x: Any) -> Any:
    """For each entry the product of the others along the last axis, right also where entries are 0."""
    before = np.cumprod(_shifted(x, -1, 1, 1.0), axis=-1)
    return before * np.flip(np.cumprod(_shifted(np.flip(x, -1), -1, 1, 1.0), axis=-1), -1)


def _weights_of_prod(y: Any, x: Any, axis: Any) -> Any:
    axes = tuple(range(np.ndim(x))) if axis is None else tuple(np.atleast_1d(axis) % np.ndim(x))
    kept = tuple(k for k in range(np.ndim(x)) if k not in axes)
    rows = np.transpose(x, kept + axes)
    others = products_of_others(np.reshape(rows, (*np.shape(rows)[: len(kept)], -1)))
    return np.transpose(np.reshape(others, np.shape(rows)), tuple(np.argsort(kept + axes)))


def _weights_of_extreme(y: Any, x: Any, axis: Any) -> np.ndarray:
    """1 at the largest (smallest) entry, shared equally among ties.

    In the scalar grain a reduction is one operation on two numbers after the other, and each of those shares equally.
    """
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


def _placing(name: str, fn: Callable[..., Any]) -> Rule:
    """A function that gives every entry one place among zeros: found by placing their numbers, from 1 on."""

    def jacobians(y: Any, x: Any, *settings: Any) -> list[Jacobian | None]:
        numbers = np.ravel(fn(np.arange(1, np.size(x) + 1).reshape(np.shape(x)), *settings))
        places = np.argsort(numbers, kind="stable")[np.size(y) - np.size(x) :]
        return [Selection(places.reshape(np.shape(x)), np.shape(y)).T, *[None] * len(settings)]

    return Rule(name, fn, jacobians, "shape")


def _repeated(x: Any, repeats: Any, axis: Any) -> Any:
    """Counts are given as a list: to other libraries, arrays are what is computed with."""
    return np.repeat(x, repeats.tolist() if isinstance(repeats, np.ndarray) else repeats, axis)


def _bincount(y: Any, weights: Any, places: Any, size: int) -> list[Jacobian | None]:
    return [Selection(places, (size,)).T, None, None]


def _recurrence(factors: Any, terms: Any, axis: int) -> Any:
    """``s[i] = terms[i] + factors[i] * s[i - 1]``, by joining neighbours, pairs, fours … (Hillis, Steele 1986)."""
    by = 1
    while by < np.shape(terms)[axis]:
        terms = terms + factors * _shifted(terms, axis, by, 0.0)
        factors, by = factors * _shifted(factors, axis, by, 0.0), 2 * by
    return terms


def _cumprod(y: Any, x: Any, axis: int) -> list[Jacobian | None]:
    """Right also where entries are 0: no division by ``x``."""
    before = _shifted(y, axis, 1, 1.0)

    def vjp(cotangent: Any) -> Any:
        factors = _shifted(np.flip(x, axis), axis, 1, 0.0)
        return before * np.flip(_recurrence(factors, np.flip(cotangent, axis), axis), axis)

    return [LinearMap(lambda tangent: _recurrence(x, before * tangent, axis), vjp, np.shape(y), np.shape(x)), None]


def _einsum(y: Any, subscripts: str, *operands: Any) -> list[Jacobian | None]:
    return [None, *(_einsum_along(k, y, subscripts, operands) for k in range(len(operands)))]


def _einsum_along(k: int, y: Any, subscripts: str, operands: Sequence[Any]) -> Jacobian:
    """Linear in each operand, all sizes being equal.

    Transposed, an index that repeats is an identity matrix more, and one that nothing else has a vector of ones.
    """
    *labels, result = re.split(",|->", subscripts)
    others, own, shape = [*labels[:k], *labels[k + 1 :]], labels[k], np.shape(operands[k])
    unused = iter(sorted(set(ascii_letters) - set(subscripts)))
    target = "".join(next(unused) if label in own[:j] else label for j, label in enumerate(own))
    extra = {label + new: np.eye(n) for label, new, n in zip(own, target, shape, strict=True) if label != new}
    extra |= {label: np.ones(n) for label, n in zip(own, shape, strict=True) if label not in "".join([result, *others])}
    extra = {labels: as_like(array, *operands) for labels, array in extra.items()}
    transposed = ",".join([result, *others, *extra]) + "->" + target

    def jvp(tangent: Any) -> Any:
        return np.einsum(subscripts, *operands[:k], tangent, *operands[k + 1 :])

    def vjp(cotangent: Any) -> Any:
        return np.einsum(transposed, cotangent, *operands[:k], *operands[k + 1 :], *extra.values(), optimize=True)

    return LinearMap(jvp, vjp, np.shape(y), shape)


def _convolution(y: Any, a: Any, b: Any) -> list[Jacobian]:
    def along(other: Any, own: Any) -> Jacobian:
        def vjp(cotangent: Any) -> Any:
            return np.convolve(cotangent, np.flip(other))[np.size(other) - 1 : np.size(y)]

        return LinearMap(lambda tangent: np.convolve(tangent, other), vjp, np.shape(y), np.shape(own))

    return [along(b, a), along(a, b)]


def _log_sum_exp(x: Any, axis: Any, keepdims: bool) -> Any:
    """The largest entry is taken out, so that nothing overflows."""
    top = np.max(x, axis=axis, keepdims=True) if np.size(x) else 0.0
    top = np.where(np.isfinite(top), top, 0.0)
    total = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(total, axis)


def _weights_of_log_sum_exp(y: Any, x: Any, axis: Any) -> Any:
    """The softmax; 0 where all entries are minus infinity."""
    total = y if axis is None or np.ndim(y) == np.ndim(x) else np.expand_dims(y, axis)
    return np.exp(x - np.where(np.equal(total, -np.inf), 0.0, total))


def _sinc_slope(y: Any, x: Any) -> Any:
    """``(cos πx - sinc x) / x``, by its series where that would cancel (|πx| < 0.1)."""
    near = np.less(np.abs(x), 0.03)
    squared = np.square(np.pi * x)
    series = -(np.pi**2) * x / 3 * (1 - squared / 10 * (1 - squared / 28 * (1 - squared / 54 * (1 - squared / 88))))
    return np.where(near, series, (np.cos(np.pi * x) - y) / np.where(near, 1.0, x))


def _index(y: Any, x: Any, key: Any) -> list[Jacobian | None]:
    key = tuple(map(to_numpy, key)) if isinstance(key, tuple) else to_numpy(key)
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
    chosen = np.logical_and(condition, True)
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

LOG_SUM_EXP = _reduction("logsumexp", "log Σ exp", _log_sum_exp, _weights_of_log_sum_exp)

RESHAPE = Rule("reshape", np.reshape, lambda y, x, shape: [Reshaping(np.shape(y), np.shape(x)), None], "shape")
TRANSPOSE = _moving("transpose", np.transpose)
FLIP = _moving("flip", np.flip)
ROLL = _moving("roll", np.roll)
REPEAT = _moving("repeat", _repeated)
TILE = _moving("tile", np.tile)
TAKE = _moving("take", np.take)
DIAGONAL = _moving("diagonal", np.diagonal)
BROADCAST = _moving("broadcast_to", np.broadcast_to)
BINCOUNT = Rule("bincount", lambda w, places, size: np.bincount(as_like(places, w), w, size), _bincount, "reduction")
PAD = _placing("pad", np.pad)
DIAGONAL_MATRIX = _placing("diag", np.diagflat)
INDEX = Rule("index", lambda x, key: (x if hasattr(x, "shape") else np.asarray(x))[key], _index, "shape", "[ ]")
CONCATENATE = Rule("concatenate", lambda axis, *arrays: np.concatenate(on_one_device(*arrays), axis), _parts, "shape")
STACK = Rule("stack", lambda axis, *arrays: np.stack(on_one_device(*arrays), axis), _layers, "shape")

MATMUL = Rule("matmul", np.matmul, _matrix_products, "linear", "@")
BLOCK_OF[np.matmul] = MATMUL
WHERE = Rule("where", np.where, _where, "selection", "where")
EINSUM = Rule("einsum", np.einsum, _einsum, "linear")
CONVOLVE = Rule("convolve", np.convolve, _convolution, "linear", "∗")
CUMSUM = Rule(
    "cumsum",
    np.cumsum,
    lambda y, x, axis: [
        LinearMap(
            lambda tangent: np.cumsum(tangent, axis),
            lambda cotangent: np.flip(np.cumsum(np.flip(cotangent, axis), axis), axis),
            np.shape(y),
            np.shape(x),
        ),
        None,
    ],
    "linear",
)
CUMPROD = Rule("cumprod", np.cumprod, _cumprod, "arithmetic")
SINC = Elementwise("sinc", np.sinc, _sinc_slope, family="trigonometric")
