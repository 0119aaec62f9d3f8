"""Ops and named axes: give an op axes, bring it into their order, contract."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..engine.rules.reshaping import RESHAPE
from ..engine.tape import user_origin
from .axes import Axes, Axis, axes_of_shape, laid_out, listed
from .building import built, constant, placed
from .op_errors import OpError
from .ops import Op


def with_axes(op: Any, axes: Axis | Iterable[Axis] | None) -> Op:
    """Return the same value with other axes, one for one: xarray's ``rename``. ``None`` takes the axes off.

    Raises :class:`~.op_errors.OpError` where a length differs.

    >>> import adviz
    >>> c, n = adviz.lazy.axis("class", 2), adviz.lazy.axis("batch", 3)
    >>> with_axes(np.ones((3, 2)), (n, c))
    <Op reshape: reshape (batch (3), class (2)) float64>
    """
    given = op if isinstance(op, Op) else constant(op)
    lengths, named = (given.shape, None) if axes is None else axes_of_shape(axes)
    if lengths != given.shape or not given.has_value:
        raise OpError(f"{given.name} has the shape {given.shape}, and the axes are {listed(named)}.", user_origin())
    if given.axes == named:
        return given
    result: Op = placed(lambda x: RESHAPE(x, given.shape), (given,), {})
    result.axes = named
    return result


def in_axes(op: Op, axes: Axes | None) -> Op:
    """An op in the order of axes, with the length 1 for those it does not have; without axes it is left as it is.

    Raises :class:`~.op_errors.OpError` if it has an axis that is not among them.
    """
    if not op.axes or not axes or op.axes == axes:
        return op
    own = op.axes
    result: Op = placed(lambda x: laid_out(x, own, axes), (op,), {})
    result.axes = axes if len(own) == len(axes) else None
    return result


def dot(x: Any, y: Any, axis: Any = None) -> Op:
    """Return the product of two ops, summed over axes that both have.

    These are those of ``axis``, where it is given; else each ``a - 1`` of ``x`` with ``a`` of ``y``, where there are
    such duals; else all axes that both have. Other axes that both have are kept, and match. The result has the axes of
    ``x`` that are left, then those of ``y``. Of ops without axes it is ``np.dot``.

    Source: axes.rst of Nervana Graph (2016); ``xarray.dot``.

    >>> import adviz
    >>> h, n = adviz.lazy.axis("hidden", 4), adviz.lazy.axis("batch", 2)
    >>> w, x = adviz.lazy.variable((h, h - 1)), adviz.lazy.placeholder((n, h))
    >>> dot(w, x).axes, dot(w, w).axes, dot(x, x, axis=h).axes
    ((hidden (4), batch (2)), (hidden (4), hidden-1 (4)), (batch (2),))
    """
    x, y = (each if isinstance(each, Op) else constant(each) for each in (x, y))
    if axis is not None and not (x.axes or y.axes):
        raise OpError("axis= needs ops with axes.", user_origin())
    result: Op = built(np.dot, (x, y), {} if axis is None else {"axis": axis})
    return result
