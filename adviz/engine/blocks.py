"""Blocks: atomic functions, each with its value and the local Jacobian of each operand, one line per rule.

With this module you can

* read every rule: elementwise Blocks in ``ELEMENTWISE``, Blocks over whole arrays below it;
* add a rule for a ufunc of your own: :func:`define`;
* write a Block of your own: ``Block(name, data_fn, get_jacobians)``, called like a function.

A partial is a function of the value ``y`` and the operands, in that order, and works on numbers and arrays alike. Where
a function has a kink (``abs`` at 0, ties of ``maximum``) the rule takes the mean of the one-sided derivatives.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .jacobians import Diagonal, Jacobian, MatrixProduct, Reduction, Reshaping, Selection, Window

BLOCKS: list[Block] = []
"""Every Block made so far; a graph's columns hold places in this list."""

BLOCK_OF: dict[Any, Block] = {}
"""The Block of a NumPy ufunc."""


class Block:
    """An atomic function: ``data_fn(*operands)`` is its value, ``get_jacobians(value, *operands)`` its Jacobians.

    There is one Jacobian per operand. Called with Variables among its operands it adds a node to their graph; without
    any it just computes. Operands that are not differentiated (an axis, a shape, a key) are operands too; their
    Jacobian is ``None``.

    >>> double = Block("double", lambda x: 2 * x, lambda y, x: [Diagonal(2.0, np.shape(y), np.shape(x))])
    >>> double(4.0)
    8.0
    """

    __slots__ = ("data_fn", "family", "get_jacobians", "name", "number", "partials", "scalar_fn", "symbol")

    def __init__(
        self,
        name: str,
        data_fn: Callable[..., Any],
        get_jacobians: Callable[..., Sequence[Jacobian | None]],
        family: str = "arithmetic",
        symbol: str | None = None,
    ):
        self.name, self.family, self.symbol = name, family, symbol or name
        self.data_fn, self.get_jacobians = data_fn, get_jacobians
        self.partials: tuple[Callable[..., Any], ...] = ()
        self.scalar_fn: Callable[..., float] = data_fn
        self.number = len(BLOCKS)
        BLOCKS.append(self)

    def __call__(self, *operands: Any) -> Any:
        """The value; a Variable if one of the operands is one. Filled in where Variables are made."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<Block {self.name}>"


class SimpleBlock(Block):
    """An elementwise Block: one partial per operand, each a function of the value and the operands.

    ``scalar_fn`` computes the same on Python floats, quicker; where it raises, NumPy's answer (NaN, infinity) is taken.
    """

    __slots__ = ()

    def __init__(
        self,
        name: str,
        data_fn: Callable[..., Any],
        *partials: Callable[..., Any],
        family: str = "arithmetic",
        symbol: str | None = None,
        scalar_fn: Callable[..., float] | None = None,
    ):
        super().__init__(name, data_fn, self._diagonals, family, symbol)
        self.partials = partials
        self.scalar_fn = scalar_fn or (lambda *operands: float(data_fn(*operands)))

    def _diagonals(self, value: Any, *operands: Any) -> list[Jacobian]:
        shape = np.shape(value)
        return [
            Diagonal(partial(value, *operands), shape, np.shape(operand))
            for partial, operand in zip(self.partials, operands, strict=True)
        ]


def define(ufunc: np.ufunc, *partials: Callable[..., Any], family: str = "arithmetic") -> Block:
    """Give a ufunc a rule: one partial per operand, as a function of the value and the operands.

    >>> block = define(np.heaviside, lambda y, x, h: 0.0, lambda y, x, h: x == 0)
    >>> block(0.0, 0.5)
    0.5
    """
    BLOCK_OF[ufunc] = SimpleBlock(ufunc.__name__, ufunc, *partials, family=family)
    return BLOCK_OF[ufunc]


# ---- the elementwise table: ufunc, symbol, quick version on floats, one partial per operand ----


def zero(y: Any, *operands: Any) -> float:
    """The partial of a function that is constant by steps."""
    return 0.0


def power_of_base(y: Any, x: Any, p: Any) -> Any:
    """``p x^(p-1)``, and 0 for ``p = 0`` also where ``x`` is 0."""
    return np.where(np.equal(p, 0), 0.0, p * np.power(x, np.where(np.equal(p, 0), 1.0, np.subtract(p, 1))))


def power_of_exponent(y: Any, x: Any, p: Any) -> Any:
    """``y log x``, and 0 where ``x`` is 0."""
    return y * np.log(np.where(np.equal(x, 0), 1.0, x))


def larger(y: Any, x: Any, z: Any) -> Any:
    """1 where ``x`` was taken, one half where both are equal."""
    return np.where(np.equal(x, z), 0.5, np.equal(x, y))


_: Any = None
ELEMENTWISE: dict[str, list[tuple[Any, ...]]] = {
    "arithmetic": [
        (np.add, "+", operator.add, lambda y, a, b: 1.0, lambda y, a, b: 1.0),
        (np.subtract, "−", operator.sub, lambda y, a, b: 1.0, lambda y, a, b: -1.0),
        (np.multiply, "×", operator.mul, lambda y, a, b: b, lambda y, a, b: a),
        (np.divide, "÷", operator.truediv, lambda y, a, b: 1 / b, lambda y, a, b: -y / b),
        (np.negative, "neg", operator.neg, lambda y, x: -1.0),
        (np.positive, "pos", operator.pos, lambda y, x: 1.0),
        (np.conjugate, "conj", _, lambda y, x: 1.0),
        (np.reciprocal, "1/x", _, lambda y, x: -y * y),
        (np.floor_divide, "//", _, zero, zero),
        (np.remainder, "mod", _, lambda y, a, b: 1.0, lambda y, a, b: -np.floor_divide(a, b)),
        (np.fmod, "fmod", _, lambda y, a, b: 1.0, lambda y, a, b: -np.trunc(a / b)),
        (np.floor, "floor", _, zero),
        (np.ceil, "ceil", _, zero),
        (np.trunc, "trunc", _, zero),
        (np.rint, "rint", _, zero),
        (np.sign, "sign", _, zero),
        (np.nextafter, "nextafter", math.nextafter, lambda y, a, b: 1.0, zero),
        (np.deg2rad, "deg2rad", _, lambda y, x: np.pi / 180),
        (np.rad2deg, "rad2deg", _, lambda y, x: 180 / np.pi),
        (np.radians, "radians", _, lambda y, x: np.pi / 180),
        (np.degrees, "degrees", _, lambda y, x: 180 / np.pi),
    ],
    "power": [
        (np.power, "pow", operator.pow, power_of_base, power_of_exponent),
        (np.float_power, "pow", _, power_of_base, power_of_exponent),
        (np.square, "x²", lambda x: x * x, lambda y, x: 2 * x),
        (np.sqrt, "√", math.sqrt, lambda y, x: 0.5 / y),
        (np.cbrt, "∛", _, lambda y, x: 1 / (3 * y * y)),
        (np.exp, "exp", math.exp, lambda y, x: y),
        (np.exp2, "exp2", _, lambda y, x: np.log(2) * y),
        (np.expm1, "expm1", math.expm1, lambda y, x: y + 1),
        (np.log, "log", math.log, lambda y, x: 1 / x),
        (np.log2, "log2", math.log2, lambda y, x: 1 / (np.log(2) * x)),
        (np.log10, "log10", math.log10, lambda y, x: 1 / (np.log(10) * x)),
        (np.log1p, "log1p", math.log1p, lambda y, x: 1 / (1 + x)),
        (
            np.logaddexp,
            "logaddexp",
            _,
            lambda y, a, b: 1 / (1 + np.exp(b - a)),
            lambda y, a, b: 1 / (1 + np.exp(a - b)),
        ),
        (
            np.logaddexp2,
            "logaddexp2",
            _,
            lambda y, a, b: 1 / (1 + np.exp2(b - a)),
            lambda y, a, b: 1 / (1 + np.exp2(a - b)),
        ),
        (np.hypot, "hypot", math.hypot, lambda y, a, b: a / y, lambda y, a, b: b / y),
    ],
    "trigonometric": [
        (np.sin, "sin", math.sin, lambda y, x: np.cos(x)),
        (np.cos, "cos", math.cos, lambda y, x: -np.sin(x)),
        (np.tan, "tan", math.tan, lambda y, x: 1 + y * y),
        (np.arcsin, "arcsin", math.asin, lambda y, x: 1 / np.sqrt((1 - x) * (1 + x))),
        (np.arccos, "arccos", math.acos, lambda y, x: -1 / np.sqrt((1 - x) * (1 + x))),
        (np.arctan, "arctan", math.atan, lambda y, x: 1 / (1 + x * x)),
        (np.arctan2, "arctan2", math.atan2, lambda y, a, b: b / (a * a + b * b), lambda y, a, b: -a / (a * a + b * b)),
        (np.sinh, "sinh", math.sinh, lambda y, x: np.cosh(x)),
        (np.cosh, "cosh", math.cosh, lambda y, x: np.sinh(x)),
        (np.tanh, "tanh", math.tanh, lambda y, x: (1 - y) * (1 + y)),
        (np.arcsinh, "arcsinh", math.asinh, lambda y, x: 1 / np.sqrt(1 + x * x)),
        (np.arccosh, "arccosh", math.acosh, lambda y, x: 1 / np.sqrt((x - 1) * (x + 1))),
        (np.arctanh, "arctanh", math.atanh, lambda y, x: 1 / ((1 - x) * (1 + x))),
    ],
    "selection": [
        (np.absolute, "abs", abs, lambda y, x: np.sign(x)),
        (np.fabs, "abs", math.fabs, lambda y, x: np.sign(x)),
        (np.maximum, "max", _, larger, lambda y, a, b: larger(y, b, a)),
        (np.minimum, "min", _, larger, lambda y, a, b: larger(y, b, a)),
        (np.fmax, "fmax", _, larger, lambda y, a, b: larger(y, b, a)),
        (np.fmin, "fmin", _, larger, lambda y, a, b: larger(y, b, a)),
        (np.copysign, "copysign", math.copysign, lambda y, a, b: np.copysign(1.0, a) * np.copysign(1.0, b), zero),
    ],
}

for _family, _rows in ELEMENTWISE.items():
    for _ufunc, _symbol, _quick, *_partials in _rows:
        BLOCK_OF[_ufunc] = SimpleBlock(
            _ufunc.__name__, _ufunc, *_partials, family=_family, symbol=_symbol, scalar_fn=_quick
        )

# ``**`` on arrays squares where ``np.power`` would take logarithms, and Variables should give what the operator gives.
BLOCK_OF[np.power].data_fn = lambda x, p: x**p if np.ndim(x) else np.power(x, p)

# Every output of a graph is a node of its own, so that an output which feeds another node is not a special case.
INPUT = Block("input", lambda: None, lambda y: [], family="input")
OUTPUT = SimpleBlock("output", lambda x: x, lambda y, x: 1.0, family="output", scalar_fn=lambda x: x)


COPY = SimpleBlock("copy", np.copy, lambda y, x: 1.0, family="shape", scalar_fn=float)


def _cast(y: Any, x: Any, dtype: Any) -> list[Jacobian | None]:
    return [Diagonal(1.0, np.shape(y), np.shape(x)), None]


CAST = Block("astype", lambda x, dtype: np.asarray(x).astype(dtype), _cast, "shape")

# ---- Blocks over whole arrays; operands after the first are settings unless said ----


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


def _reduction(name: str, symbol: str, fn: Callable[..., Any], weights: Callable[..., Any]) -> Block:
    def jacobians(y: Any, x: Any, axis: Any, keepdims: bool) -> list[Jacobian | None]:
        return [Reduction(weights(y, x, axis), axis, keepdims, np.shape(y), np.shape(x)), None, None]

    return Block(name, lambda x, axis, keepdims: fn(x, axis=axis, keepdims=keepdims), jacobians, "reduction", symbol)


def _moving(name: str, fn: Callable[..., Any]) -> Block:
    """A function that moves and repeats entries: its Jacobian is found by moving their numbers."""

    def jacobians(y: Any, x: Any, *settings: Any) -> list[Jacobian | None]:
        numbers = np.arange(np.size(x)).reshape(np.shape(x))
        return [Selection(np.asarray(fn(numbers, *settings)), np.shape(x)), *[None] * len(settings)]

    return Block(name, fn, jacobians, "shape")


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

RESHAPE = Block("reshape", np.reshape, lambda y, x, shape: [Reshaping(np.shape(y), np.shape(x)), None], "shape")
TRANSPOSE = _moving("transpose", np.transpose)
FLIP = _moving("flip", np.flip)
ROLL = _moving("roll", np.roll)
REPEAT = _moving("repeat", np.repeat)
TILE = _moving("tile", np.tile)
TAKE = _moving("take", np.take)
DIAGONAL = _moving("diagonal", np.diagonal)
BROADCAST = _moving("broadcast_to", np.broadcast_to)
INDEX = Block("index", lambda x, key: np.asarray(x)[key], _index, "shape", "[ ]")
CONCATENATE = Block("concatenate", lambda axis, *arrays: np.concatenate(arrays, axis), _parts, "shape")
STACK = Block("stack", lambda axis, *arrays: np.stack(arrays, axis), _layers, "shape")

MATMUL = Block("matmul", np.matmul, _matrix_products, "linear", "@")
BLOCK_OF[np.matmul] = MATMUL
WHERE = Block("where", np.where, _where, "selection", "where")
