"""Derivatives of ops as ops: nothing is computed, the graph grows by the adjoints.

Every rule is that of the Block, applied to what stands for the ops. Where a value is used more than once, its adjoint
is a sum, which is an op of its own. What was stored by an assignment is a leaf: the derivative ends there.

Source: building_graphs.rst and autodiff.rst of Nervana Graph (2016); Griewank and Walther, Evaluating Derivatives
(2nd ed., 2008), section 3.2.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.blocks import Block
from ..engine.jacobians.local import Flat
from ..engine.tape import user_origin, warn
from ..engine.trace_errors import IndependentOutputWarning
from .axes import listed
from .building import Blocks, constant, in_axes
from .composites import in_kind
from .op_errors import OpError
from .ops import Op, ordered


def deriv(y: Op, x: Op, error: Any = None) -> Op:
    """Return the derivative of ``y`` with respect to ``x``, times ``error``: an op of the shape of ``x``.

    Without ``error``, the adjoint of ``y`` (an op or an array), it is 1, and ``y`` must be a number. The adjoints of
    one ``y`` are built once, and shared by all ``x``. Where ``y`` does not depend on ``x``, it is the constant 0, with
    a warning.

    Raises :class:`~.op_errors.OpError` if the shape of ``error`` is not that of ``y``, and for another ``x`` than ``y``
    that is constant: constants take no part in derivatives.

    >>> import adviz
    >>> x = adviz.lazy.placeholder((2,))
    >>> gradient = deriv(np.sum(x**2), x)
    >>> adviz.lazy.computation(gradient, x)([1.0, 2.0])
    array([2., 4.])
    """
    if isinstance(x, list | tuple):
        raise OpError("deriv takes one x at a time: [deriv(y, x) for x in …] builds the adjoints once.", user_origin())
    for op in (y, x):
        if not isinstance(op, Op) or not op.has_value:
            raise OpError(f"{getattr(op, 'name', type(op).__name__)} has no value to differentiate.", user_origin())
        if np.dtype(op.dtype).kind != "f":
            raise OpError(f"{op.name} is of {op.dtype}; derivatives are those of real numbers.", user_origin())
    if error is not None:
        error = _like(error if isinstance(error, Op) else constant(error), y)
    if error is None and y.shape:
        raise OpError(
            f"{y.name} is an array of shape {y.shape}. Pass error=, its adjoint, of the same shape, or differentiate a "
            "number, such as its sum.",
            user_origin(),
        )
    result = adjoints(y, error).get(x)
    if result is None and not any(_is_leaf(op) for op in ordered([x], data_of)):
        of = "a constant" if x.is_constant else "made of constants"
        raise OpError(
            f"{x.name} is {of}, and constants take no part in derivatives. Make a variable or a placeholder of it.",
            user_origin(),
        )
    if result is None:
        hint = " Each view is an op of its own: name it once, and compute with that." if x.is_view else ""
        warn(IndependentOutputWarning(f"{y.name} does not depend on {x.name}; its derivative is zero.{hint}"))
        return in_kind(constant(np.zeros(x.shape or (), x.dtype)), x)
    return in_kind(result, x)


def _like(error: Op, y: Op) -> Op:
    """Return an adjoint in the order of the axes of what it is of."""
    of_error, of_y = (set(op.axes or ()) for op in (error, y))
    if of_error and of_y and of_error != of_y:
        raise OpError(
            f"error has the axes {listed(error.axes)}, and {y.name} has {listed(y.axes)}; they must be the same.",
            user_origin(),
        )
    given = in_axes(error, y.axes)
    if given.shape != y.shape:
        raise OpError(f"error has the shape {given.shape}, and {y.name} has {y.shape}; they must agree.", user_origin())
    return given


def adjoints(y: Op, error: Op | None = None) -> dict[Op, Op]:
    """Return the adjoints of all ops of real numbers that ``y`` depends on, by op; built once for each ``error``."""
    key = ("adjoints", error)
    if key not in y.memo:
        y.memo[key] = _swept(y, _one(y) if error is None else error)
    result: dict[Op, Op] = y.memo[key]
    return result


def _one(y: Op) -> Op:
    one = constant(np.ones((), y.dtype)[()])
    one.name = "1"
    return one


def _swept(y: Op, error: Op) -> dict[Op, Op]:
    """Return one sweep back over the ops that there are now: those that are built meanwhile are not visited."""
    order = ordered([y], data_of)
    varies: set[Op] = set()
    for op in order:
        is_real = op.has_value and np.dtype(op.dtype).kind == "f"
        if is_real and (_is_leaf(op) or any(arg in varies for arg in data_of(op))):
            varies.add(op)
    known = {y: error}
    for op in reversed(order):
        if op not in known or op not in varies or not data_of(op):
            continue
        for arg, contribution in _passed(op, known[op], varies):
            known[arg] = _added(known[arg], contribution, arg) if arg in known else contribution
            _note(known[arg], arg)
    return known


def _is_leaf(op: Op) -> bool:
    """Return whether derivatives begin there: at what is given or stored, unless it is a constant."""
    return op.kind == "assign" or (op.is_persistent and not op.is_constant)


def data_of(op: Op) -> Sequence[Op]:
    """Return what the value of an op is made of: nothing, where it was stored; the parts that a composite op keeps."""
    if op.kind == "assign" or op.is_persistent:
        return ()
    return op.schemas[0].args if op.schemas else op.args


def _passed(op: Op, adjoint: Op, varies: set[Op]) -> list[tuple[Op, Op]]:
    """Return what an adjoint passes on to the arguments of an op."""
    if op.schemas:
        result: list[tuple[Op, Op]] = op.schemas[0].adjoints(op, adjoint, varies)
        return result
    return [(op.args[0], adjoint)] if op.kind == "sequential" else _by_block(op, adjoint, varies)


def _by_block(op: Op, adjoint: Op, varies: set[Op]) -> list[tuple[Op, Op]]:
    """Return the local Jacobians of a Block, each applied to the adjoint from the left."""
    block: Any = op.block
    assert isinstance(block, Block)
    places = [k for k, each in enumerate(op.operands) if isinstance(each, Op) and each in varies]
    with Blocks() as blocks, np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        given = blocks.value(adjoint)
        data = [blocks.value(each) if isinstance(each, Op) else each for each in op.operands]
        value = block(*data)
        jacobians = block.local_jacobians(value, data, places)
        made = [
            (op.operands[place], jacobian.vjp(given))
            for place, jacobian in zip(places, jacobians, strict=True)
            if jacobian is not None and not isinstance(jacobian, Flat)
        ]
    ops = blocks.simplified_ops([each for _, each in made], {op: value}, op)
    return [(arg, each) for (arg, _), each in zip(made, ops, strict=True)]


def _added(one: Op, other: Op, to: Op) -> Op:
    with Blocks() as blocks:
        total = blocks.value(one) + blocks.value(other)
    result = blocks.op(total)
    result.belong_to(to)
    return result


def _note(adjoint: Op, op: Op) -> None:
    """Note what an adjoint is of, unless it is an op that was there before; it has the axes of that."""
    if adjoint.derived_from is not None and adjoint.adjoint_of is None:
        adjoint.adjoint_of = op
        adjoint.axes = adjoint.axes or op.axes
        if op.own_name:
            adjoint.name = f"{op.own_name}_adj"
