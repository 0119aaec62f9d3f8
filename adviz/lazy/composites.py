"""Functions that are made of several ops and have a derivative as a whole: softmax, cross-entropy and their like.

They are computed so that nothing overflows, and their derivatives so that nothing is divided by zero.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Any

import numpy as np

from ..engine.tape import user_origin
from ..graph.reach import reachable
from .axes import place
from .building import constant, in_axes, literal, with_axes
from .contexts import current_schema, within
from .op_errors import OpError
from .ops import Op, moment

# ---- schemas ----

# Schemas: what several ops are as a whole, with a derivative of the whole.
#
# A schema belongs to the op that is its value. Derivatives ask it instead of its parts, which is more accurate and
# shorter; pictures may show its parts as one box.
#
# Source: the schemas of Nervana Graph (2016); the derivatives are those of textbooks, such as Goodfellow, Bengio and
# Courville, Deep Learning (2016), sections 6.2.2 and 8.7.1.


class Schema:
    """Several ops that are one function of ``args``; ``kept`` is what else its derivative needs.

    ``ops`` are its parts, whose ``part_of`` it is; ``part_of`` is the schema around it, if there is one.

    A schema of your own is a subclass with a method ``contributions(y, adjoint)``: for each argument what the adjoint
    of the value ``y`` contributes to its adjoint, as a function without arguments that builds the op.

    >>> import adviz
    >>> y = adviz.lazy.softmax(adviz.lazy.placeholder((3,), name="x"))
    >>> y.schemas[0], [op.what for op in y.schemas[0].ops], y.part_of is y.schemas[0]
    (<Softmax of x: 5 ops>, ['max', 'subtract', 'exp', 'sum', 'divide'], True)
    """

    def __init__(self, args: Iterable[Op], **kept: Any):
        self.args = tuple(args)
        self.__dict__.update(kept)
        self.ops: list[Op] = []
        self.part_of: Schema | None = current_schema()

    @property
    def name(self) -> str:
        """What it is called: ``"log sum exp"``."""
        return "".join(f" {each.lower()}" if each.isupper() else each for each in type(self).__name__).strip()

    def contributions(self, y: Op, adjoint: Op) -> Iterable[Callable[[], Any]]:
        """Return for each argument, in order, how what it gets of an adjoint is built."""
        raise NotImplementedError

    def adjoints(self, y: Op, adjoint: Op, varies: Container[Op]) -> list[tuple[Op, Op]]:
        """Return what the adjoint of the value passes on to those arguments that vary; the ops belong to the value."""
        before = moment()
        builders = zip(self.args, self.contributions(y, in_kind(adjoint, y)), strict=True)
        result = [(arg, self._checked(arg, build())) for arg, build in builders if arg in varies]
        pending = [op for _, op in result]
        while pending:
            op = pending.pop()
            if op.number > before and op.derived_from is None:
                pending += op.args
                op.belong_to(y)
        return result

    def _checked(self, arg: Op, contribution: Any) -> Op:
        """Return what an argument gets of an adjoint, which is of its shape."""
        op = contribution if isinstance(contribution, Op) else constant(contribution)
        is_turned = bool(arg.axes) and set(arg.axes or ()) == set(op.axes or ())
        if op.shape != arg.shape and not is_turned:
            raise OpError(
                f"{self.name} gives {arg.name}, of shape {arg.axes or arg.shape}, a contribution of shape "
                f"{op.axes or op.shape}; they must agree.",
                op.origin or user_origin(),
            )
        return op

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {', '.join(arg.name for arg in self.args)}: {len(self.ops)} ops>"


def in_kind(op: Op, like: Op) -> Op:
    """Return an op of the shape of another one, with the axes of that."""
    is_turned = op.axes and like.axes and {*op.axes} == {*like.axes}
    return in_axes(op, like.axes) if is_turned else with_axes(op, like.axes)


def composite(schema: Schema, build: Callable[[], tuple[Op, Op | None]]) -> Op:
    """Return the value of ops that ``build`` builds as one, and which of them the schema has the derivative of, if any.

    Where it has none, that of the parts is taken.
    """
    with within(schema):
        value, whole = build()

    def inside(*ops: Op) -> list[Op]:
        return [op for op in ops if op.part_of is schema and op not in schema.args]

    schema.ops = sorted(reachable(inside(value), lambda op: inside(*op.args)), key=lambda op: op.number)
    for op in schema.ops:
        op.is_step = op is not value
    if whole is not None:
        whole.add_schema(schema)
    return value


# ---- composite functions ----


FLOOR = float(np.exp(-50.0))
"""The least probability that a logarithm is taken of."""


class Softmax(Schema):
    """Exponentials that are divided by their sum along ``axis``."""

    axis: Any
    shifted: Any
    total: Any

    def contributions(self, y: Any, adjoint: Any) -> Iterable[Callable[[], Any]]:
        """Return z − y·Σz, with z = δ·y."""
        z = adjoint * y
        yield lambda: z - _along(np.sum, z, self.axis) * y


class LogSumExp(Schema):
    """The logarithm of a sum of exponentials along ``axis``."""

    axis: Any

    def contributions(self, y: Any, adjoint: Any) -> Iterable[Callable[[], Any]]:
        """Return δ·softmax(x)."""
        (x,) = self.args
        yield lambda: np.exp(x - _again(y, x, self.axis)) * _again(adjoint, x, self.axis)


class Sigmoid(Schema):
    """The logistic function."""

    def contributions(self, y: Any, adjoint: Any) -> Iterable[Callable[[], Any]]:
        """Return δ·y·(1 − y)."""
        yield lambda: y * (1 - y) * adjoint


class CrossEntropy(Schema):
    """The cross-entropy of a softmax and weights ``t``, from what the softmax is taken of."""

    softmax: Softmax
    p: Any

    def contributions(self, y: Any, adjoint: Any) -> Iterable[Callable[[], Any]]:
        """Return for x δ·(softmax(x)·Σt − t), which is δ·(softmax(x) − t) where Σt = 1."""
        x, t = self.args
        parts, axis = self.softmax, self.softmax.axis
        given = _again(adjoint, x, axis)
        yield lambda: _summed_to(x, (self.p * _along(np.sum, _repeated(t, x, axis), axis) - t) * given)
        yield lambda: _summed_to(t, (np.log(parts.total) - parts.shifted) * given)


class BinaryCrossEntropy(Schema):
    """The cross-entropy of a sigmoid and probabilities ``t``, from what the sigmoid is taken of."""

    p: Any

    def contributions(self, y: Any, adjoint: Any) -> Iterable[Callable[[], Any]]:
        """Return for x δ·(sigmoid(x) − t)."""
        x, t = self.args
        yield lambda: _summed_to(x, (self.p - t) * adjoint)
        yield lambda: _summed_to(t, np.negative(x) * adjoint)


class LayerNorm(Schema):
    """Entries less their mean, divided by their standard ``deviation``, along ``axis``."""

    axis: Any
    deviation: Any

    def contributions(self, y: Any, adjoint: Any) -> Iterable[Callable[[], Any]]:
        """Return (δ − mean(δ) − y·mean(δ·y)) / deviation."""

        def mean(op: Any) -> Any:
            return _along(np.mean, op, self.axis)

        yield lambda: (adjoint - mean(adjoint) - y * mean(adjoint * y)) / self.deviation


# ---- functions ----


def softmax(x: Any, axis: Any = -1) -> Op:
    """Exponentials of ``x`` divided by their sum along an axis, or several: probabilities.

    >>> import adviz
    >>> adviz.lazy.computation(softmax([0.0, 1000.0]))()
    array([0., 1.])
    """
    x = _op(x)
    schema = Softmax([x], axis=_axis(x, axis))

    def build() -> tuple[Any, Any]:
        schema.shifted = x - _along(np.max, x, schema.axis)
        exponentials = np.exp(schema.shifted)
        schema.total = _along(np.sum, exponentials, schema.axis)
        y = exponentials / schema.total
        return y, y

    return composite(schema, build)


def log_sum_exp(x: Any, axis: Any = None) -> Op:
    """Return the logarithm of the sum of exponentials of ``x`` along an axis, by default along all.

    >>> import adviz
    >>> round(adviz.lazy.computation(log_sum_exp([1000.0, 1000.0]) - 1000)(), 3)
    0.693
    """
    x = _op(x)
    schema = LogSumExp([x], axis=_axis(x, axis))

    def build() -> tuple[Any, Any]:
        most = _along(np.max, x, schema.axis)
        total = np.log(np.sum(np.exp(x - most), axis=schema.axis))
        y = total + (most if x.axes else np.reshape(most, total.shape))
        return y, y

    return composite(schema, build)


def sigmoid(x: Any) -> Op:
    """Return the logistic function 1 / (1 + exp(−x)) of each entry.

    >>> import adviz
    >>> adviz.lazy.computation(sigmoid([-1000.0, 0.0, 1000.0]))()
    array([0. , 0.5, 1. ])
    """
    x = _op(x)

    def build() -> tuple[Any, Any]:
        y = np.exp(-np.logaddexp(0.0, -x))
        return y, y

    return composite(Sigmoid([x]), build)


def cross_entropy(y: Any, t: Any, axis: Any = None) -> Op:
    """Return the cross-entropy −Σ t·log y along an axis: by default that of the softmax that ``y`` is, or the last one.

    Of a :func:`softmax` it is computed from what that is taken of: exactly, also where ``y`` vanishes. Its derivative
    with respect to that is softmax(x)·Σt − t, for all weights ``t``. Of other probabilities the logarithm is that of
    exp(−50) at least.

    >>> import adviz
    >>> x = adviz.lazy.placeholder((2,))
    >>> loss = cross_entropy(softmax(x), [1.0, 0.0])
    >>> adviz.lazy.computation([loss, adviz.lazy.deriv(loss, x)], x)([-1000.0, 1000.0])
    (2000.0, array([-1.,  1.]))
    """
    y, t = _op(y), _op(t)
    known = y.find_schema(Softmax)
    wanted = _axis(y, -1 if axis is None else axis) if known is None or axis is not None else known.axis
    if known is None or wanted != known.axis:
        return composite(CrossEntropy([y, t]), lambda: (-np.sum(np.log(np.maximum(y, FLOOR)) * t, axis=wanted), None))
    if y.axes is None and any(y.shape[each] < t.shape[each] for each in wanted or () if -each <= t.ndim):
        raise OpError(f"The weights have the shape {t.shape}, and the softmax has {y.shape}.", user_origin())

    def build() -> tuple[Any, Any]:
        loss = np.sum((np.log(known.total) - known.shifted) * t, axis=wanted)
        return loss, loss

    return composite(CrossEntropy([*known.args, t], softmax=known, p=y), build)


def binary_cross_entropy(y: Any, t: Any) -> Op:
    """Return the cross-entropy −t·log y − (1 − t)·log(1 − y) of each entry.

    Of a :func:`sigmoid` it is computed from what that is taken of, as log(1 + exp(x)) − x·t; its derivative with
    respect to that is sigmoid(x) − t. Of other probabilities the logarithms are those of exp(−50) at least.

    >>> import adviz
    >>> x = adviz.lazy.placeholder()
    >>> loss = binary_cross_entropy(sigmoid(x), 1.0)
    >>> adviz.lazy.computation([loss, adviz.lazy.deriv(loss, x)], x)(-1000.0)
    (1000.0, -1.0)
    """
    y, t = _op(y), _op(t)
    known = y.find_schema(Sigmoid)
    if known is None:

        def of_probabilities() -> tuple[Any, None]:
            return -np.log(np.maximum(y, FLOOR)) * t - np.log(np.maximum(1 - y, FLOOR)) * (1 - t), None

        return composite(BinaryCrossEntropy([y, t]), of_probabilities)
    (x,) = known.args

    def build() -> tuple[Any, Any]:
        loss = np.logaddexp(0.0, x) - x * t
        return loss, loss

    return composite(BinaryCrossEntropy([x, t], p=y), build)


def layer_norm(x: Any, axis: Any = -1, scale: Any = None, offset: Any = None, epsilon: float = 1e-5) -> Op:
    """Return entries of ``x`` less their mean, divided by √(variance + ``epsilon``), times ``scale``, plus ``offset``.

    Mean and variance are taken along an axis, or several. Source: Ba, Kiros and Hinton, Layer Normalization (2016).

    >>> import adviz
    >>> adviz.lazy.computation(layer_norm([1.0, 2.0, 3.0], offset=1.0))().round(3)
    array([-0.225,  1.   ,  2.225])
    """
    x = _op(x)
    schema = LayerNorm([x], axis=_axis(x, axis))

    def build() -> tuple[Any, Any]:
        differences = x - _along(np.mean, x, schema.axis)
        schema.deviation = np.sqrt(_along(np.mean, differences**2, schema.axis) + epsilon)
        normal = differences / schema.deviation
        scaled = normal if scale is None else normal * scale
        return (scaled if offset is None else scaled + offset), normal

    return composite(schema, build)


# ---- along an axis, with and without names ----


def _op(value: Any) -> Any:
    """Return an op, typed as what may be computed with; Python's numbers take on the precision beside them."""
    if isinstance(value, Op):
        return value
    return literal(value) if type(value) in (int, float) else constant(value)


def _axis(x: Op, axis: Any) -> Any:
    """Return axes of an op, by name or, where they have none, counted from the last, -1; ``None`` for a number.

    Raises :class:`OpError` where there is none such.
    """
    wanted = axis if isinstance(axis, tuple | list) else range(-x.ndim, 0) if axis is None else (axis,)
    if x.axes is not None:
        return tuple(x.axes[place(x.axes, each)] for each in wanted)
    if any(not -x.ndim <= each < x.ndim for each in wanted):
        raise OpError(f"{x.name} has the shape {x.shape}, and no axis {axis}.", user_origin())
    return tuple(each % x.ndim - x.ndim for each in wanted) if x.ndim else None


def _along(function: Callable[..., Any], x: Any, axis: Any) -> Any:
    """Reduce so that the result can be combined with ``x``: to the length 1, where axes are matched by place."""
    is_matched = x.axes is not None or axis is None or x.ndim == 1
    return function(x, axis=axis) if is_matched else function(x, axis=axis, keepdims=True)


def _again(reduced: Any, x: Any, axis: Any) -> Any:
    """Return what was reduced, so that it can be combined with ``x``."""
    return reduced if x.axes is not None or axis is None else np.expand_dims(reduced, axis)


def _repeated(t: Any, x: Any, axis: Any) -> Any:
    """Repeat weights that are the same for several entries of ``x`` along an axis, once for each."""
    if x.axes is not None:
        missing = tuple(each for each in axis if each not in (t.axes or ()))
        return t * with_axes(np.ones([each.length for each in missing], t.dtype), missing) if missing else t
    is_whole = axis is None or all(-each <= t.ndim and t.shape[each] == x.shape[each] for each in axis)
    return t if is_whole else np.broadcast_to(t, np.broadcast_shapes(t.shape, x.shape))


def _summed_to(x: Op, value: Any) -> Any:
    """Return an adjoint of ``x``, which was repeated to the shape of ``value``: the sum over the axes of that."""
    if x.axes is not None:
        extra = tuple(each for each in value.axes or () if each not in x.axes)
        total: Any = np.sum(value, axis=extra) if extra else value
        return in_axes(total, x.axes)
    lead = value.ndim - x.ndim
    if lead:
        value = np.sum(value, axis=tuple(range(lead)))
    ones = tuple(k for k, (own, other) in enumerate(zip(x.shape or (), value.shape or (), strict=True)) if own < other)
    return np.sum(value, axis=ones, keepdims=True) if ones else value
