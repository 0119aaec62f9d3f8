"""The fast reverse sweep over arrays: from the rows of a tape to adjoints, without a graph.

:class:`~.sweeps.Sweeps` is the definition; a test proves on random programs that both agree. What makes it fast:

* An adjoint need only broadcast to the shape of its node: that of a sum stays one number.
* Adjoints are added up in place, and partials multiplied in place, in arrays that nothing else refers to.
* The adjoints of parts of an array are added to it when the sweep reaches it, not spread out into zeros before.
* No Jacobian is made for what most programs are made of: elementwise functions, sums, products of matrices.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..graph.graph import ABSENT
from ..graph.versions import Version, whole
from . import blocks
from .blocks import OUTPUT
from .jacobians.local import unbroadcast
from .rules.gathering import SIMPLE
from .rules.indexing import INDEX, SET
from .rules.matrix_products import MATMUL
from .rules.reducing import MAX, MEAN, MIN, SUM
from .rules.reshaping import TRANSPOSE
from .tape import FLOAT, Tape, unpack_rows

_KNOWN = len(blocks.BLOCKS)
"""Blocks with smaller numbers have rules of ours, which keep no arrays."""
PLAIN = {np.ndarray, Version, np.float64, np.float32, int}


class Adjoints:
    """Adjoints by node while they are summed up: the sums so far, and terms of parts of a node that are added later."""

    def __init__(self, seeds: dict[int, Any]):
        self.sums = dict(seeds)
        self.owned: set[int] = set()  # nodes whose sum is an array that nothing else refers to
        self.owns_this = False  # whether the node that passes its adjoint on now is one of them
        self.parts: dict[int, list[tuple[Any, Any]]] = {}

    def add(self, node: int, term: Any, is_fresh: bool) -> None:
        """Add a term; a fresh one is an array that the caller no longer needs."""
        known = self.sums.get(node)
        if known is None:
            self.sums[node] = term
            if is_fresh and type(term) is np.ndarray:
                self.owned.add(node)
        elif node in self.owned and _holds(known, term):
            known += term
        else:
            is_ours = is_fresh and _holds(term, known)
            self.sums[node] = total = np.add(term, known, out=term) if is_ours else known + term
            if type(total) is np.ndarray:
                self.owned.add(node)

    def add_part(self, node: int, key: Any, term: Any) -> None:
        """Add a term at a key, after the other terms."""
        self.parts.setdefault(node, []).append((key, term))

    def take(self, node: int, value: Any) -> Any:
        """Return the whole adjoint of a node, ``None`` if there is none."""
        known = self.sums.pop(node, None)
        for key, term in self.parts.pop(node, ()):
            if known is None:
                known = np.zeros(value.shape, value.dtype)
            elif not (node in self.owned and _holds(known, value)):
                known = np.asarray(known * np.ones(value.shape, value.dtype))  # NumPy makes numbers of no axes
            self.owned.add(node)
            if isinstance(key, SIMPLE) or (isinstance(key, tuple) and all(isinstance(k, SIMPLE) for k in key)):
                known[key] += term
            else:
                np.add.at(known, key, term)
            known = known if known.ndim else known[()]
        return known


def applies(tape: Tape) -> bool:
    """Return whether a tape has arrays, and plain data only."""
    kinds = set(map(type, tape.objects.values()))
    return tape.grain == "array" and np.ndarray in kinds and kinds <= PLAIN


def _holds(array: Any, term: Any) -> bool:
    """Return whether a sum with a term fits into an array."""
    if type(array) is not np.ndarray:
        return False
    return type(term) is float or (
        type(term) is np.ndarray and term.shape == array.shape and term.dtype is array.dtype is FLOAT
    )


def reverse(tape: Tape, seeds: dict[int, Any]) -> Adjoints:
    """Return adjoints of the inputs on a tape in the array grain, of plain data, from those of its outputs."""
    result = Adjoints(seeds)
    rows = list(unpack_rows(b"".join((*tape.pages, *tape.rows))))
    rest = tape.rest
    values = [row[0] for row in rows]
    for index, value in tape.objects.items():
        values[index] = value
    values.extend(reversed(tape.literals))  # those have negative numbers
    table = [*blocks.BLOCKS, *reversed(tape.own)] if tape.own else blocks.BLOCKS  # own Blocks have negative numbers
    inputs, has_versions = set(tape.inputs), bool(tape.chains)
    with np.errstate(all="ignore"):
        for index in range(len(rows) - 1, -1, -1):
            if (index not in result.sums and index not in result.parts) or index in inputs:
                continue
            _, number, first, second, _ = rows[index]
            operands: tuple[int, ...] = (first, second) if second != ABSENT else (first,)
            if index in rest:
                operands += rest[index]
            data, value, block = [*map(values.__getitem__, operands)], values[index], table[number]
            if has_versions:
                known = _outline if block in BY_SHAPE else whole
                data, value = [*map(known, data)], known(value)
            adjoint = result.take(index, value) if index in result.parts else result.sums.pop(index)
            result.owns_this = index in result.owned
            if block is OUTPUT:
                if first >= 0:
                    result.add(first, adjoint, result.owns_this)
                continue
            pull = _pull_elementwise if block.partials else PULLS.get(block, _pull_by_jacobians)
            pull(result, block, value, operands, data, adjoint)
        for index in inputs & result.parts.keys():
            result.sums[index] = result.take(index, values[index])
    return result


# ---- Blocks: each passes its adjoint on to its operands ----


def _pull_elementwise(adjoints: Adjoints, block: Any, value: Any, operands: Any, data: list[Any], adjoint: Any) -> None:
    shape = value.shape if type(value) is np.ndarray else ()
    is_free = adjoints.owns_this and type(adjoint) is np.ndarray and adjoint.shape == shape
    dividing, numbers = value, data
    if type(value) is float or float in map(type, data):
        dividing, *numbers = [np.float64(datum) if type(datum) is float else datum for datum in (value, *data)]
    last, passed = len(operands) - 1, []  # operands with the partial 1: the adjoint is theirs as it is
    for place, operand in enumerate(operands):
        if operand < 0:
            continue
        datum, partial = data[place], block.partials[place](dividing, *numbers)
        operand_shape = datum.shape if type(datum) is np.ndarray else ()
        if operand_shape != shape:
            if type(partial) is float:
                summed = sum_over_repeats(adjoint, shape, operand_shape)
                adjoints.add(operand, summed if partial == 1.0 else summed * partial, True)
            else:
                adjoints.add(operand, sum_over_repeats(adjoint * partial, shape, operand_shape), True)
        elif type(partial) is float and partial == 1.0:
            passed.append(operand)
        else:
            is_last = is_free and place == last and not passed
            adjoints.add(operand, *_times(adjoint, partial, is_last, block, value, data))
    for operand in passed:
        adjoints.add(operand, adjoint, is_free and len(passed) == 1)


def _times(adjoint: Any, partial: Any, is_free: bool, block: Any, value: Any, data: list[Any]) -> tuple[Any, bool]:
    """Return a product, in place of the partial or the adjoint where that is free, and whether the result is.

    A partial is, if a rule of ours made an array that nothing else refers to.
    """
    is_ours = block.number < _KNOWN and type(partial) is np.ndarray and partial.dtype == FLOAT and len(data) < 3
    is_others = partial is value or partial is data[0] or partial is data[-1]
    is_fresh = is_ours and partial.base is None and not is_others
    if type(adjoint) is float and adjoint == 1.0 and getattr(partial, "dtype", None) == FLOAT:
        return partial, is_fresh
    if is_fresh and partial.shape == getattr(value, "shape", ()):
        return np.multiply(partial, adjoint, out=partial), True
    if is_free:
        return np.multiply(adjoint, partial, out=adjoint), True
    return adjoint * partial, True


def sum_over_repeats(term: Any, shape: tuple[int, ...], operand_shape: tuple[int, ...]) -> Any:
    """Sum an adjoint over the axes along which an operand was repeated.

    The adjoint need only broadcast to ``shape``, and what is returned broadcasts to the shape of the operand.

    >>> sum_over_repeats(2.0, (3, 4), (4,)), sum_over_repeats(np.ones((3, 1)), (3, 4), (4,))
    (6.0, array([3.]))
    """
    if type(term) is not np.ndarray:
        return term * (math.prod(shape) / max(math.prod(operand_shape), 1))
    if term.shape == shape:
        return unbroadcast(term, operand_shape)
    lacking = len(shape) - len(operand_shape)
    sizes, padded = (1,) * (len(shape) - term.ndim) + term.shape, (1,) * lacking + operand_shape
    remaining = tuple(1 if size == 1 else own for size, own in zip(sizes[lacking:], operand_shape, strict=True))
    repeats = math.prod(n for n, size, own in zip(shape, sizes, padded, strict=True) if size != n != own)
    summed = unbroadcast(term, remaining)
    return summed if repeats == 1 else summed * repeats


def _pull_sum(adjoints: Adjoints, block: Any, value: Any, operands: Any, data: list[Any], adjoint: Any) -> None:
    x, axis, keepdims = data
    if type(adjoint) is not np.ndarray or not adjoint.ndim:
        adjoint = float(adjoint)
    elif not keepdims:
        whole = adjoint if adjoint.shape == np.shape(value) else np.broadcast_to(adjoint, np.shape(value))
        adjoint = whole.reshape(_kept(x.shape, axis))
    weight = np.size(value) / max(np.size(x), 1) if block is MEAN else 1.0
    adjoints.add(operands[0], adjoint if weight == 1.0 else adjoint * weight, False)


def _kept(shape: tuple[int, ...], axis: Any) -> tuple[int, ...]:
    """Return a shape in which the axes that are summed over have length 1."""
    if axis is None:
        return (1,) * len(shape)
    axes = [k % len(shape) for k in (axis if isinstance(axis, tuple) else (axis,))]
    return tuple(1 if k in axes else size for k, size in enumerate(shape))


def _pull_extreme(adjoints: Adjoints, block: Any, value: Any, operands: Any, data: list[Any], adjoint: Any) -> None:
    x, axis, _ = data
    remaining = _kept(np.shape(x), axis)
    places = np.flatnonzero(np.equal(x, np.reshape(value, remaining)))
    if len(places) != np.size(value) or not np.ndim(x) or np.isnan(value).any():  # ties, or nothing that is largest
        _pull_by_jacobians(adjoints, block, value, operands, data, adjoint)
        return
    spread = np.broadcast_to(np.reshape(np.broadcast_to(adjoint, np.shape(value)), remaining), x.shape)
    key = np.unravel_index(places, x.shape)
    adjoints.add_part(operands[0], key, spread[key])


def _pull_index(adjoints: Adjoints, block: Any, value: Any, operands: Any, data: list[Any], adjoint: Any) -> None:
    if type(data[0]) is np.ndarray:
        adjoints.add_part(operands[0], data[1], adjoint)
    else:
        _pull_by_jacobians(adjoints, block, value, operands, data, adjoint)


def _pull_matmul(adjoints: Adjoints, block: Any, value: Any, operands: Any, data: list[Any], adjoint: Any) -> None:
    a, b = data
    if not (type(a) is type(b) is type(adjoint) is np.ndarray and a.ndim == b.ndim == 2):
        _pull_by_jacobians(adjoints, block, value, operands, data, adjoint)
        return
    if adjoint.shape != value.shape:
        adjoint = np.broadcast_to(adjoint, value.shape)
    if operands[0] >= 0:
        adjoints.add(operands[0], np.matmul(adjoint, b.T), True)
    if operands[1] >= 0:
        adjoints.add(operands[1], np.matmul(a.T, adjoint), True)


def _pull_transpose(adjoints: Adjoints, block: Any, value: Any, operands: Any, data: list[Any], adjoint: Any) -> None:
    whole = np.broadcast_to(adjoint, np.shape(value))
    adjoints.add(operands[0], np.transpose(whole, np.argsort(data[1])), False)


def _pull_set(adjoints: Adjoints, block: Any, value: Any, operands: Any, data: list[Any], adjoint: Any) -> None:
    if type(value) is not np.ndarray or not value.ndim:
        _pull_by_jacobians(adjoints, block, value, operands, data, adjoint)
        return
    whole, written, key, is_owned = adjoint, operands[1], data[2], adjoints.owns_this
    if type(adjoint) is not np.ndarray or adjoint.shape != value.shape:
        whole, is_owned = np.broadcast_to(adjoint, value.shape), False
    if written >= 0:
        term = np.array(whole[key]).reshape(np.shape(data[1]))  # a copy: zeros are about to be written there
        adjoints.add(written, term if term.ndim else term[()], True)
    if operands[0] >= 0:
        remaining = whole if is_owned else whole.copy()
        remaining[key] = 0.0
        adjoints.add(operands[0], remaining, True)


def _pull_by_jacobians(
    adjoints: Adjoints, block: Any, value: Any, operands: Any, data: list[Any], adjoint: Any
) -> None:
    """Any Block: by its local Jacobians, as the definition has it."""
    if np.shape(adjoint) != np.shape(value):
        adjoint = np.broadcast_to(adjoint, np.shape(value))
    places = [place for place, operand in enumerate(operands) if operand >= 0]
    for place, jacobian in zip(places, block.local_jacobians(value, data, places), strict=True):
        if jacobian is not None:  # with respect to indices that are nodes there is none
            adjoints.add(operands[place], jacobian.vjp(adjoint), False)


def _outline(stored: Any) -> Any:
    """Return an array of the shape of what is stored, if that is a version of an array that was written to."""
    return stored.chain.outline if type(stored) is Version else stored


BY_SHAPE = {INDEX, SET}
"""Blocks whose adjoints depend on the shapes of the operands only."""

PULLS: dict[Any, Callable[..., None]] = {
    SUM: _pull_sum,
    MEAN: _pull_sum,
    MAX: _pull_extreme,
    MIN: _pull_extreme,
    INDEX: _pull_index,
    MATMUL: _pull_matmul,
    TRANSPOSE: _pull_transpose,
    SET: _pull_set,
}
