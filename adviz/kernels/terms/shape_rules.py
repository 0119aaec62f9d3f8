"""The rules of shapes and of sums for terms; :mod:`~.array_terms` says what a rule is.

In the laws ``a``, ``b`` and ``c`` are arrays, and ``k`` is a number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.blocks import Block
from ...engine.rules.abstract_values import shape_dtype_of
from ...engine.rules.gathering import SCATTER, SLOT
from ...engine.rules.indexing import DIAGONAL_MATRIX
from ...engine.rules.reducing import MAX, MEAN, MIN, SUM
from ...engine.rules.reshaping import BROADCAST, RESHAPE, TRANSPOSE
from .arithmetic_rules import PAIRED, SINGLE, number_repeated, scale, scaled
from .array_terms import DIVIDE, MULTIPLY, NEGATIVE, Term, Terms, fits, key_of, rule
from .identities import IDENTITY


def are_single(form: Sequence[Any], indices: Sequence[Any]) -> bool:
    """Tell whether no entry is taken twice at a form with these indices: all of one axis, and all different.

    >>> are_single((SLOT, SLOT), [np.arange(3), np.array([1, 1, 0])]), are_single((SLOT,), [np.array([1, 1])])
    (True, False)
    """
    plain = [np.asarray(each) for each in indices]
    if not plain or len(plain) != sum(part is SLOT for part in form) or any(each.ndim != 1 for each in plain):
        return False
    if any(each.dtype.kind not in "iu" or (each < 0).any() for each in plain) or len({each.size for each in plain}) > 1:
        return False
    rows = np.stack(plain, axis=1)
    return len(np.unique(rows, axis=0)) == len(rows)


@rule("sums", "the sum of a row of zeros and one entry v is v", SUM)
def _one_in_each_row(terms: Terms, a: Term, axis: Term, keepdims: Term) -> Term | None:
    if not a.is_of(SCATTER) or axis.value not in (1, (1,)) or len(a.shape) != 2:
        return None
    part, _, form, *indices = a.operands
    is_plain = len(indices) == 2 and all(slot is SLOT for slot in form.value) and indices[0].is_constant
    if not is_plain or not np.array_equal(indices[0].value, np.arange(a.shape[0])):
        return None
    wanted = shape_dtype_of(SUM, [a, axis, keepdims])
    result = terms.apply(RESHAPE, part, wanted[0])
    return result if fits(result, wanted) else None


# ---- shapes ----


@rule("broadcasts", "a repeated to its own shape is a", BROADCAST)
def _broadcast_to_itself(terms: Terms, a: Term, shape: Term) -> Term | None:
    if a.shape == tuple(shape.value) and not a.is_number:
        return a
    return terms.apply(BROADCAST, a.operands[0], shape) if a.is_of(BROADCAST) else None


@rule("broadcasts", "an array of equal numbers is one number repeated", BROADCAST)
def _broadcast_number(terms: Terms, a: Term, shape: Term) -> Term | None:
    number = None if a.is_number else number_repeated(a)
    return None if number is None else terms.apply(BROADCAST, number, shape)


def _repeats_by_itself(block: Block) -> None:
    """Let an operation on entries repeat its operands by itself: what is repeated is computed once."""
    name = block.name

    @rule("broadcasts", f"{name}(repeated(a), b) = {name}(a, b), where the shape of b is that of the result", block)
    def rewrite(terms: Terms, *operands: Term) -> Term | None:
        inner = [_once(terms, each) for each in operands]
        if inner == list(operands):
            return None
        operation = terms.operation
        shape, dtype = shape_dtype_of(operation, operands)
        if shape_dtype_of(operation, inner)[1] != dtype:
            return None  # a number of Python's would take on another dtype
        if np.broadcast_shapes(*(each.shape for each in inner)) == shape:
            return terms.apply(operation, *inner)
        return terms.apply(BROADCAST, terms.apply(operation, *inner), shape)


def _once(terms: Terms, a: Term) -> Term:
    """Return what is repeated in a term; a number, where all its entries are that number."""
    if a.is_of(BROADCAST):
        return a.operands[0]
    if a.shape and a.is_constant and (number := number_repeated(a)) is not None:
        return terms.constant(number)
    return a


for _block in (*SINGLE, *PAIRED):
    _repeats_by_itself(_block)


@rule("reshapes", "a in its own shape is a, and a shape given twice is the last one", RESHAPE)
def _reshape_twice(terms: Terms, a: Term, shape: Term) -> Term | None:
    wanted = shape_dtype_of(RESHAPE, [a, shape])[0]
    if a.shape == wanted and not a.is_number:
        return a
    if a.is_of(RESHAPE):
        return terms.apply(RESHAPE, a.operands[0], terms.constant(wanted))
    return None


@rule("reshapes", "a sum in the shape with its axes kept is the sum that keeps them, unless the user's", RESHAPE)
def _reshape_sum(terms: Terms, a: Term, shape: Term) -> Term | None:
    wanted = shape_dtype_of(RESHAPE, [a, shape])[0]
    if a.is_of(SUM, MEAN, MAX, MIN) and not a.operands[2].value and a.number >= terms.users_until:
        operands = (*a.operands[:2], terms.constant(True))
        if shape_dtype_of(a.operation, operands)[0] == wanted:
            return terms.apply(a.operation, *operands)
    return None


@rule("reshapes", "a number repeated, in another shape, is that number repeated", RESHAPE)
def _repeated_last(terms: Terms, a: Term, setting: Term) -> Term | None:
    if a.is_of(BROADCAST) and not a.operands[0].shape:
        return terms.apply(BROADCAST, a.operands[0], shape_dtype_of(terms.operation, [a, setting])[0])
    return None


@rule("reshapes", "an operation on what had the shape before is done in that shape", RESHAPE)
def _reshaped_back(terms: Terms, a: Term, shape: Term) -> Term | None:
    wanted = shape_dtype_of(RESHAPE, [a, shape])[0]
    before = [each.operands[0].shape if each.is_of(RESHAPE) else each.shape for each in a.operands]
    if not a.is_of(*PAIRED) or wanted not in [*before, *(each.shape for each in a.operands)]:
        return None
    inner = [
        each if each.is_number else terms.apply(RESHAPE, each, wanted if each.size == math.prod(wanted) else ())
        for each in a.operands
        if each.size in (math.prod(wanted), 1) or each.is_number
    ]
    if len(inner) < len(a.operands) or any(each.is_of(RESHAPE) for each in inner):
        return None
    return terms.apply(a.operation, *inner)


rule("transposes", "a number repeated, transposed, is that number repeated", TRANSPOSE)(_repeated_last)


@rule("signs", "(-a).T = -(a.T)", TRANSPOSE)
@rule("signs", "-a in another shape", RESHAPE)
def _negative_last(terms: Terms, a: Term, *settings: Term) -> Term | None:
    operation = terms.operation
    return terms.apply(NEGATIVE, terms.apply(operation, a.operands[0], *settings)) if a.is_of(NEGATIVE) else None


@rule("constants folded", "k · a in another shape", RESHAPE)
def _scaled_reshaped(terms: Terms, a: Term, shape: Term) -> Term | None:
    base, above, below = scale(a)
    if base is a:
        return None
    result = terms.apply(RESHAPE, base, shape)
    return scaled(terms, result, above, below, (result.shape, a.dtype))


@rule("constants folded", "(k · a).T = k · a.T, where a.T is simpler", TRANSPOSE)
def _scaled_transposed(terms: Terms, a: Term, axes: Term) -> Term | None:
    base, above, below = scale(a)
    if base is a or not base.is_of(TRANSPOSE, DIAGONAL_MATRIX, IDENTITY):
        return None
    result = terms.apply(TRANSPOSE, base, axes)
    return scaled(terms, result, above, below, (result.shape, a.dtype))


rule("signs", "sum(-a) = -sum(a)", SUM)(_negative_last)


@rule("transposes", "(a.T).T = a", TRANSPOSE)
def _transpose_twice(terms: Terms, a: Term, axes: Term) -> Term | None:
    count = len(a.shape)
    order = tuple(axes.value) if axes.value is not None else tuple(range(count))[::-1]
    order = tuple(k % count for k in order)
    if order == tuple(range(count)):
        return a
    if a.is_of(TRANSPOSE):
        x, inner = a.operands
        first = tuple(inner.value) if inner.value is not None else tuple(range(count))[::-1]
        return terms.apply(TRANSPOSE, x, terms.constant(tuple(first[k] for k in order)))
    return None if axes.value == order else terms.apply(TRANSPOSE, a, terms.constant(order))


def _computed_before_reshaping(block: Block) -> None:
    """Let an operation on two arrays that were reshaped in the same way be reshaped afterwards."""
    name = block.name

    @rule("reshapes", f"{name}(reshaped(a), reshaped(b)) = reshaped({name}(a, b))", block)
    def rewrite(terms: Terms, *operands: Term) -> Term | None:
        if block in (MULTIPLY, DIVIDE) and any(each.is_number for each in operands):
            return None  # numbers come last
        inner = [each.operands[0] if each.is_of(RESHAPE) else each for each in operands]
        shapes = {(one.shape, each.shape) for one, each in zip(inner, operands, strict=True) if not each.is_number}
        if inner == list(operands) or len(shapes) != 1 or inner[0].shape == operands[0].shape == ():
            return None
        operation = terms.operation
        shape, dtype = shape_dtype_of(operation, operands)
        result = terms.apply(operation, *inner)
        return terms.apply(RESHAPE, result, shape) if result.dtype == dtype else None


for _block in (*SINGLE, *PAIRED):
    if _block is not NEGATIVE:  # the sign comes last
        _computed_before_reshaping(_block)


# ---- sums ----


def _written_in_one_way(reduction: Any) -> None:
    @rule("axes", "axes are written in one way, and kept if another sum of these keeps them", reduction)
    def rewrite(terms: Terms, a: Term, axis: Term, keepdims: Term) -> Term | None:
        axes = axes_of(a, axis)
        plain: Any = None if axes == tuple(range(len(a.shape))) else axes[0] if len(axes) == 1 else axes
        if key_of(plain) != key_of(axis.value):
            return terms.apply(reduction, a, plain, keepdims)
        if not a.shape:
            return None
        other = terms.made(reduction, a, axis, terms.constant(not keepdims.value))
        if other is None or (keepdims.value and other.number >= terms.users_until):
            return None
        return terms.apply(RESHAPE, other, shape_dtype_of(reduction, [a, axis, keepdims])[0])


for _reduction in (SUM, MEAN, MAX, MIN):
    _written_in_one_way(_reduction)


@rule("sums", "sum(k · a) = k · sum(a), where k does not vary along the axes", SUM)
def _factor_out_of_sum(terms: Terms, a: Term, axis: Term, keepdims: Term) -> Term | None:
    if not a.is_of(MULTIPLY, DIVIDE):
        return None
    axes = axes_of(a, axis)
    for inner, factor in (a.operands, a.operands[::-1]) if a.is_of(MULTIPLY) else (a.operands,):
        padded = (1,) * (len(a.shape) - len(factor.shape)) + factor.shape
        if inner.shape == a.shape and inner.dtype == a.dtype and all(padded[k] == 1 for k in axes):
            total = terms.apply(SUM, inner, axis, keepdims)
            if not keepdims.value and factor.shape:
                shape = tuple(n for k, n in enumerate(padded) if k not in axes)
                factor = terms.apply(RESHAPE, factor, terms.constant(shape))
            return terms.apply(a.operation, total, factor)
    return None


@rule("sums", "a sum along axes of length 1 is the array without them", SUM)
def _sum_of_one(terms: Terms, a: Term, axis: Term, keepdims: Term) -> Term | None:
    if a.shape and a.dtype.kind == "f" and all(a.shape[k] == 1 for k in axes_of(a, axis)):
        return terms.apply(RESHAPE, a, terms.constant(shape_dtype_of(SUM, [a, axis, keepdims])[0]))
    return None


@rule("sums", "the sum of n equal numbers is n times that number", SUM)
def _sum_of_repeated(terms: Terms, a: Term, axis: Term, keepdims: Term) -> Term | None:
    if not a.is_of(BROADCAST) or a.dtype.kind != "f":
        return None
    inner, axes = a.operands[0], axes_of(a, axis)
    if inner.dtype != a.dtype and not inner.is_number:
        return None
    padded = (1,) * (len(a.shape) - len(inner.shape)) + inner.shape
    repeats = math.prod(a.shape[k] for k in axes if padded[k] == 1)
    left = tuple(k for k in axes if padded[k] != 1)
    whole = terms.apply(RESHAPE, inner, terms.constant(padded)) if inner.shape else inner
    total = terms.apply(SUM, whole, terms.constant(left), terms.constant(True)) if left else whole
    total = terms.apply(MULTIPLY, total, terms.constant(float(repeats))) if repeats != 1 else total
    shape = shape_dtype_of(SUM, [a, axis, keepdims])[0]
    if total.shape:
        lengths = tuple(1 if k in axes else n for k, n in enumerate(padded))
        lengths = lengths if keepdims.value else tuple(n for k, n in enumerate(lengths) if k not in axes)
        total = terms.apply(RESHAPE, total, terms.constant(lengths))
    return terms.apply(BROADCAST, total, terms.constant(shape))


def axes_of(a: Term, axis: Term) -> tuple[int, ...]:
    """Return the axes that a sum runs along."""
    count = len(a.shape)
    return tuple(range(count)) if axis.value is None else tuple(int(k) % count for k in np.atleast_1d(axis.value))
