"""NumPy's functions on Variables: which Block each of them is, one line per function.

A function that is not listed is carried out on object arrays of scalar Variables, entry by entry; if NumPy cannot do
that either, a :class:`MissingBlockError` names it.
"""

from __future__ import annotations

from collections.abc import Callable
from sys import _getframe
from typing import Any

import numpy as np

from ..graph.graph import ABSENT
from . import blocks
from .blocks import BLOCK_OF
from .errors import ArrayWriteError, MissingBlockError
from .tape import user_origin
from .variable import Variable, apply_block, record, scalars

# ---- ufuncs ----

PLAIN_UFUNCS = {
    *(np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal),
    *(np.isnan, np.isinf, np.isfinite, np.signbit, np.logical_and, np.logical_or, np.logical_xor, np.logical_not),
}
"""Ufuncs whose values are booleans: computed on the data, not part of the graph."""


def call_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """What a ufunc (or a method of one) gives where a Variable takes part."""
    if settings.get("out") is not None and any(out is not None for out in settings["out"]):
        raise ArrayWriteError(
            "A traced value was written into an existing array (out=, or an operator such as +=). "
            "Make a new array instead, or start from one with dtype=object.",
            user_origin(),
        )
    settings = {key: value for key, value in settings.items() if key not in ("out", "dtype", "casting", "order", "subok")}
    if method == "reduce" and ufunc in REDUCTIONS:
        settings.setdefault("axis", 0)
        return REDUCTIONS[ufunc](*inputs, **settings)
    if method == "outer":
        first, second = inputs
        return ufunc(np.reshape(first, np.shape(first) + (1,) * np.ndim(second)), second)
    if any(isinstance(entry, np.ndarray) and entry.dtype == object for entry in inputs) and ufunc not in BLOCK_OF:
        return getattr(ufunc, method)(*map(scalars, inputs), **settings)
    if ufunc in PLAIN_UFUNCS:
        return getattr(ufunc, method)(*map(data_of, inputs), **settings)
    block = BLOCK_OF.get(ufunc)
    if block is None or method != "__call__" or settings:
        name = f"np.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
        if settings:
            name += f" with {', '.join(settings)}"
        raise missing(name, f"adviz.define(np.{ufunc.__name__}, lambda y, x: ...), one partial per operand, adds one.")
    return apply_block(block, tuple(np.asarray(entry) if isinstance(entry, list | tuple) else entry for entry in inputs))


def missing(name: str, advice: str) -> MissingBlockError:
    """The error for a function without a rule."""
    return MissingBlockError(f"adviz has no Block for {name}. {advice}", user_origin())


def data_of(value: Any) -> Any:
    """The plain data behind a value, Variables inside lists and object arrays included."""
    if isinstance(value, Variable):
        return value.data
    if isinstance(value, list | tuple):
        return type(value)(map(data_of, value))
    if isinstance(value, np.ndarray) and value.dtype == object:
        return np.array([data_of(entry) for entry in value.ravel()]).reshape(value.shape)
    return value


# ---- functions over arrays ----


def _reduce(block: blocks.Block, count: Callable[[Any, Any], Any] | None = None) -> Callable[..., Any]:
    def reduce(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **settings: Any) -> Any:
        if out is not None or any(value is not np._NoValue for value in settings.values()):
            raise missing(f"np.{block.name} with out=, initial= or where=", "Leave these settings out.")
        return block(_array(a), axis, bool(keepdims) if keepdims is not np._NoValue else False)

    return reduce


def _array(a: Any) -> Any:
    """Sequences of Variables as one array Variable; everything else as it is."""
    return stack(list(a)) if isinstance(a, list | tuple) else a


def reshape(a: Any, /, shape: Any = None, order: str = "C", *, newshape: Any = None, copy: Any = None) -> Any:
    """``np.reshape`` in row-major order; other orders move the numbers."""
    shape = newshape if shape is None else shape
    if order in ("F", "A") and np.ndim(a) > 1:
        return np.transpose(reshape(np.transpose(a), np.empty(np.shape(a)).reshape(shape).shape[::-1]))
    return blocks.RESHAPE(a, tuple(np.empty(np.shape(a), np.bool_).reshape(shape).shape))


def _reshaped_like(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that only changes the shape: asked on an empty array, done by ``reshape``."""

    def apply(a: Any, *args: Any, **settings: Any) -> Any:
        return blocks.RESHAPE(a, function(np.empty(np.shape(a), np.bool_), *args, **settings).shape)

    return apply


def _transposed_like(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that permutes axes: asked which axis went where, done by ``transpose``."""

    def apply(a: Any, *args: Any, **settings: Any) -> Any:
        sizes = np.empty(tuple(range(2, np.ndim(a) + 2)), np.bool_)  # all different, so that shapes tell axes apart
        return blocks.TRANSPOSE(a, tuple(size - 2 for size in function(sizes, *args, **settings).shape))

    return apply


def stack(arrays: Any, axis: int = 0, out: Any = None, **settings: Any) -> Any:
    """``np.stack``: each operand becomes a layer."""
    return blocks.STACK(axis, *map(_array, arrays))


def concatenate(arrays: Any, axis: int | None = 0, out: Any = None, **settings: Any) -> Any:
    """``np.concatenate``: operands one after the other."""
    parts = [_array(part) for part in arrays]
    return blocks.CONCATENATE(0 if axis is None else axis, *(map(np.ravel, parts) if axis is None else parts))


def _stacked(expand: Callable[[Any], Any], axis: int) -> Callable[..., Any]:
    def apply(arrays: Any, **settings: Any) -> Any:
        parts = [expand(_array(part)) for part in arrays]
        return concatenate(parts, axis if np.ndim(parts[0]) > 1 else 0)

    return apply


def where(condition: Any, *choices: Any) -> Any:
    """``np.where``; the condition is not differentiated."""
    return blocks.WHERE(data_of(condition), *choices) if choices else np.where(data_of(condition))


def dot(a: Any, b: Any, out: Any = None) -> Any:
    """``np.dot``: multiply for numbers, matmul up to matrices, tensordot beyond."""
    if not np.ndim(a) or not np.ndim(b):
        return np.multiply(a, b)
    return np.matmul(a, b) if np.ndim(b) <= 2 else tensordot(a, b, ([-1], [-2]))


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """``np.tensordot`` by bringing the summed axes together and one matmul."""
    if isinstance(axes, int):
        axes = (list(range(np.ndim(a) - axes, np.ndim(a))), list(range(axes)))
    left, right = ([int(k) % np.ndim(x) for k in np.atleast_1d(ks)] for x, ks in zip((a, b), axes, strict=True))
    free_left = [k for k in range(np.ndim(a)) if k not in left]
    free_right = [k for k in range(np.ndim(b)) if k not in right]
    rows = np.transpose(a, free_left + left)
    columns = np.transpose(b, right + free_right)
    inner = int(np.prod([np.shape(a)[k] for k in left]))
    shape = np.shape(rows)[: len(free_left)] + np.shape(columns)[len(right) :]
    return np.reshape(np.matmul(np.reshape(rows, (-1, inner)), np.reshape(columns, (inner, -1))), shape)


def clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None) -> Any:
    """``np.clip`` as maximum and minimum."""
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    a = a if low is None else np.maximum(a, low)
    return a if high is None else np.minimum(a, high)


def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: Any = False, **_: Any) -> Any:
    """``np.var`` from means."""
    centered = a - np.mean(a, axis=axis, keepdims=True)
    total = np.sum(centered * centered, axis=axis, keepdims=keepdims is True)
    return total / (np.size(a) / np.size(total) - ddof)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """``np.linalg.norm`` for the Euclidean (Frobenius) norm."""
    if ord not in (None, 2, "fro") or (ord == 2 and axis is None and np.ndim(x) > 1):
        raise missing(f"np.linalg.norm with ord={ord!r}", "Write it out with np.abs, np.sum or np.max.")
    return np.sqrt(np.sum(np.square(x), axis=axis, keepdims=keepdims))


REDUCTIONS: dict[Any, Callable[..., Any]] = {
    np.add: _reduce(blocks.SUM),
    np.multiply: _reduce(blocks.PROD),
    np.maximum: _reduce(blocks.MAX),
    np.minimum: _reduce(blocks.MIN),
}

FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: _reduce(blocks.SUM),
    np.mean: _reduce(blocks.MEAN),
    np.prod: _reduce(blocks.PROD),
    np.max: _reduce(blocks.MAX),
    np.amax: _reduce(blocks.MAX),
    np.min: _reduce(blocks.MIN),
    np.amin: _reduce(blocks.MIN),
    np.var: var,
    np.std: lambda *args, **settings: np.sqrt(var(*args, **settings)),
    np.linalg.norm: norm,
    np.dot: dot,
    np.tensordot: tensordot,
    np.inner: lambda a, b: tensordot(a, b, ([-1], [-1])) if np.ndim(a) and np.ndim(b) else np.multiply(a, b),
    np.outer: lambda a, b, out=None: np.multiply(np.reshape(a, (-1, 1)), np.ravel(b)),
    np.vdot: lambda a, b: np.matmul(np.ravel(a), np.ravel(b)),
    np.trace: lambda a, offset=0, axis1=0, axis2=1, **_: np.sum(np.diagonal(a, offset, axis1, axis2), axis=-1),
    np.where: where,
    np.clip: clip,
    np.reshape: reshape,
    np.ravel: lambda a, order="C": reshape(a, (-1,), order),
    np.squeeze: _reshaped_like(np.squeeze),
    np.expand_dims: _reshaped_like(np.expand_dims),
    np.atleast_1d: _reshaped_like(np.atleast_1d),
    np.atleast_2d: _reshaped_like(np.atleast_2d),
    np.atleast_3d: _reshaped_like(np.atleast_3d),
    np.transpose: _transposed_like(np.transpose),
    np.swapaxes: _transposed_like(np.swapaxes),
    np.moveaxis: _transposed_like(np.moveaxis),
    np.rollaxis: _transposed_like(np.rollaxis),
    np.matrix_transpose: _transposed_like(np.matrix_transpose),
    np.flip: lambda m, axis=None: blocks.FLIP(m, axis),
    np.flipud: lambda m: blocks.FLIP(m, 0),
    np.fliplr: lambda m: blocks.FLIP(m, 1),
    np.roll: lambda a, shift, axis=None: blocks.ROLL(a, shift, axis),
    np.repeat: lambda a, repeats, axis=None: blocks.REPEAT(a, repeats, axis),
    np.tile: lambda A, reps: blocks.TILE(A, reps),
    np.take: lambda a, indices, axis=None, **_: blocks.TAKE(a, indices, axis),
    np.diagonal: lambda a, offset=0, axis1=0, axis2=1: blocks.DIAGONAL(a, offset, axis1, axis2),
    np.broadcast_to: lambda array, shape, subok=False: blocks.BROADCAST(array, shape),
    np.concatenate: concatenate,
    np.stack: stack,
    np.vstack: _stacked(np.atleast_2d, 0),
    np.hstack: _stacked(np.atleast_1d, 1),
    np.column_stack: _stacked(lambda a: reshape(a, (-1, 1)) if np.ndim(a) < 2 else a, 1),
    np.append: lambda arr, values, axis=None: concatenate((arr, values), axis),
    np.copy: lambda a, **_: a,
    np.diff: lambda a, n=1, axis=-1, **_: _differences(a, n, axis),
    np.real: lambda val: val,
    np.nan_to_num: lambda x, nan=0.0, **_: np.where(np.isnan(x), nan, x),
}

PLAIN_FUNCTIONS = {
    *(np.shape, np.ndim, np.size, np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.result_type),
    *(np.argmax, np.argmin, np.argsort, np.argwhere, np.nonzero, np.flatnonzero, np.count_nonzero, np.searchsorted),
    *(np.all, np.any, np.allclose, np.isclose, np.array_equal, np.iscomplexobj, np.isrealobj, np.iscomplex, np.isreal),
    *(np.can_cast, np.common_type, np.min_scalar_type, np.array_repr, np.array_str, np.array2string, np.sign),
}
"""Functions that ask about data, or give booleans and places: computed on the data, not part of the graph."""


def _differences(a: Any, n: int, axis: int) -> Any:
    """``np.diff`` by slices."""
    axis = axis % np.ndim(a)
    for _ in range(n):
        whole = [slice(None)] * axis
        a = a[(*whole, slice(1, None))] - a[(*whole, slice(None, -1))]
    return a


def call_function(function: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """What a NumPy function gives where a Variable takes part."""
    if function in FUNCTIONS:
        return FUNCTIONS[function](*args, **settings)
    if function in PLAIN_FUNCTIONS:
        return function(*map(data_of, args), **{key: data_of(value) for key, value in settings.items()})
    try:
        return function(*map(_by_entries, args), **{key: _by_entries(value) for key, value in settings.items()})
    except TypeError as error:
        name = f"{function.__module__}.{function.__name__}".replace("numpy", "np")
        raise missing(name, "Write it out with functions that have one, or make a Block of your own: adviz.Block.") from error


def _by_entries(value: Any) -> Any:
    """Variables as object arrays, also inside sequences."""
    if isinstance(value, list | tuple):
        return type(value)(map(_by_entries, value))
    return scalars(value) if isinstance(value, Variable) else value


# ---- Variables answer to NumPy ----


def _array_ufunc(self: Variable, ufunc: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
    """NumPy asks this when a ufunc meets a Variable; a ufunc of one number takes the short road."""
    if method == "__call__" and len(inputs) == 1 and not settings and type(self.data) is float:
        block = BLOCK_OF.get(ufunc)
        if block is not None:
            try:
                value = block.scalar_fn(self.data)
            except (ArithmeticError, ValueError):
                value = None
            if type(value) is float:
                return record(self.tape, block.number, self.index, ABSENT, value, _getframe(1))
    return call_ufunc(ufunc, method, inputs, settings)


def _array_function(self: Variable, function: Callable[..., Any], types: Any, args: Any, settings: Any) -> Any:
    """NumPy asks this when one of its functions meets a Variable."""
    return call_function(function, args, settings)


Variable.__array_ufunc__ = _array_ufunc  # type: ignore[attr-defined]
Variable.__array_function__ = _array_function  # type: ignore[attr-defined]


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Variable, *args: Any, **settings: Any) -> Any:
        return function(self, *args, **settings)

    return method


def _by_sequence(function: Callable[..., Any]) -> Callable[..., Any]:
    """Methods such as ``reshape`` take ``x.reshape(2, 3)`` as well as ``x.reshape((2, 3))``."""

    def method(self: Variable, *args: Any, **settings: Any) -> Any:
        first = args[0] if len(args) == 1 and (args[0] is None or np.ndim(args[0])) else (args or None)
        return function(self, first, **settings)

    return method


METHODS = ("sum", "mean", "prod", "max", "min", "var", "std", "dot", "clip", "squeeze", "swapaxes", "repeat", "take")
for _name in METHODS + ("ravel", "diagonal", "trace", "argmax", "argmin", "argsort", "nonzero", "all", "any"):
    setattr(Variable, _name, _method(getattr(np, _name)))
Variable.flatten = _method(np.ravel)  # type: ignore[attr-defined]
Variable.reshape = _by_sequence(np.reshape)  # type: ignore[attr-defined]
Variable.transpose = _by_sequence(np.transpose)  # type: ignore[attr-defined]
Variable.copy = Variable.conjugate = Variable.conj = lambda self, *args: self  # type: ignore[attr-defined]
Variable.astype = lambda self, dtype, **_: _cast(self, dtype)  # type: ignore[attr-defined]
Variable.__getitem__ = lambda self, key: blocks.INDEX(self, key)  # type: ignore[attr-defined]
Variable.__matmul__ = lambda self, other: np.matmul(self, other)  # type: ignore[attr-defined]
Variable.__rmatmul__ = lambda self, other: np.matmul(other, self)  # type: ignore[attr-defined]


def _cast(variable: Variable, dtype: Any) -> Variable:
    """``astype`` to a real type: the values stay as they are."""
    if np.dtype(dtype).kind not in "fO":
        raise missing(f"astype({np.dtype(dtype)})", "Only conversions between real types keep derivatives.")
    return variable
