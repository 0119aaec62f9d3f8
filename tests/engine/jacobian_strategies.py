"""Random local Jacobians of every structure, with small whole numbers for entries, so that sums are exact."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from adviz.engine.jacobians.local import (
    Dense,
    Diagonal,
    Jacobian,
    LinearMap,
    MatrixProduct,
    RankOne,
    Reduction,
    Reshaping,
    Selection,
    Window,
    Zero,
)

Shape = tuple[int, ...]
Numbers = Callable[[Any], st.SearchStrategy[Any]]

SHAPES: list[Shape] = [(), (1,), (3,), (4,), (2, 3), (3, 1), (1, 4), (2, 2, 3), (0,), (2, 0), (0, 3)]


def _numbers(low: int, high: int) -> Numbers:
    def arrays(shape: Shape) -> st.SearchStrategy[np.ndarray]:
        seeds = st.integers(0, 2**32 - 1)
        return seeds.map(lambda seed: np.random.default_rng(seed).integers(low, high, shape, endpoint=True) * 1.0)

    return arrays


positive = _numbers(1, 4)
any_sign = _numbers(-3, 3)


def matrix_by_columns(jacobian: Jacobian) -> np.ndarray:
    """The matrix from products with the columns of the identity: what a Jacobian is, by definition."""
    rows, columns = jacobian.shape
    basis = np.eye(columns).reshape(columns, *jacobian.in_shape)
    found = [np.broadcast_to(jacobian.jvp(tangent), jacobian.out_shape).ravel() for tangent in basis]
    return np.array(found).reshape(columns, rows).T


@st.composite
def _diagonal(draw: Any, shape: Shape, numbers: Numbers) -> Jacobian:
    before = draw(st.sampled_from([(), (1,), (2,)]))
    out_shape = before + tuple(draw(st.sampled_from([1, 3])) if size == 1 else size for size in shape)
    of_partial = draw(st.sampled_from([None, (), shape, out_shape]))
    partial = draw(st.sampled_from([1.0, -1.0, 2.0, 0.0])) if of_partial is None else draw(numbers(of_partial))
    return Diagonal(partial, out_shape, shape)


@st.composite
def _selection(draw: Any, shape: Shape, numbers: Numbers) -> Jacobian:
    out_shape = draw(st.sampled_from(SHAPES if math.prod(shape) else [(0,), (2, 0)]))
    index = st.integers(0, max(math.prod(shape) - 1, 0))
    count = math.prod(out_shape)
    return Selection(np.array(draw(st.lists(index, min_size=count, max_size=count)), int).reshape(out_shape), shape)


@st.composite
def _key(draw: Any, shape: Shape) -> tuple[Any, ...]:
    parts: list[Any] = []
    for size in shape[: draw(st.integers(0, len(shape)))]:
        whole_numbers = st.integers(-size, size - 1) if size else st.nothing()
        parts.append(draw(st.slices(size) | whole_numbers))
        parts += [None] * draw(st.sampled_from([0, 0, 1]))
    return (*parts, ...) if draw(st.booleans()) else tuple(parts)


@st.composite
def _window(draw: Any, shape: Shape, numbers: Numbers) -> Jacobian:
    key = draw(_key(shape))
    return Window(key, np.zeros(shape)[key].shape, shape)


@st.composite
def _placed(draw: Any, shape: Shape, numbers: Numbers) -> Jacobian:
    layer = (1, *(slice(1, size + 1) for size in shape))
    parallel = (*[slice(None)] * max(len(shape) - 1, 0), slice(None, None, -2))
    if shape and draw(st.booleans()):
        return Window(parallel, (*shape[:-1], 2 * shape[-1]), shape, placed=True)
    return Window(layer, (2, *(size + 2 for size in shape)), shape, placed=True)


@st.composite
def _reduction(draw: Any, shape: Shape, numbers: Numbers) -> Jacobian:
    axes = st.sampled_from(range(-len(shape), len(shape))) if shape else st.none()
    both = st.just(tuple(range(len(shape)))) if shape else st.none()
    axis, keepdims = draw(st.none() | axes | both), draw(st.booleans())
    of_weights = draw(st.sampled_from([None, (), shape, shape[-1:]]))
    weights = draw(st.sampled_from([1.0, 2.0])) if of_weights is None else draw(numbers(of_weights))
    return Reduction(weights, axis, keepdims, np.sum(np.zeros(shape), axis=axis, keepdims=keepdims).shape, shape)


@st.composite
def _matrix_product(draw: Any, shape: Shape, numbers: Numbers) -> Jacobian:
    side, more = draw(st.sampled_from(["left", "right"])), draw(st.sampled_from([1, 3]))
    stack = shape[:-2] if draw(st.booleans()) else (2, *[1] * len(shape[:-2]))
    if side == "left":
        inner = shape[-1]
        of_fixed = [(inner,), (inner, more), (*stack, inner, more)]
    else:
        inner = shape[-2] if len(shape) > 1 else shape[0]
        of_fixed = [(inner,), (more, inner), (*stack, more, inner)]
    fixed = draw(numbers(draw(st.sampled_from(of_fixed))))
    operand = np.zeros(shape)
    value = operand @ fixed if side == "left" else fixed @ operand
    return MatrixProduct(fixed, side, np.shape(value), shape)


@st.composite
def _dense(draw: Any, shape: Shape, numbers: Numbers) -> Jacobian:
    out_shape = draw(st.sampled_from(SHAPES))
    return Dense(draw(numbers((math.prod(out_shape), math.prod(shape)))), out_shape, shape)


@st.composite
def _rank_one(draw: Any, shape: Shape, numbers: Numbers) -> Jacobian:
    out_shape = draw(st.sampled_from([larger for larger in SHAPES if math.prod(larger) > 1]))
    return RankOne(draw(numbers(math.prod(out_shape))), draw(numbers(math.prod(shape))), out_shape, shape)


@st.composite
def _operator(draw: Any, shape: Shape, numbers: Numbers) -> Jacobian:
    known = draw(_dense(shape, numbers))
    return LinearMap(known.jvp, known.vjp, known.out_shape, known.in_shape)


@st.composite
def _zero(draw: Any, shape: Shape, numbers: Numbers) -> Jacobian:
    return Zero(draw(st.sampled_from(SHAPES)), shape)


@st.composite
def _reshaping(draw: Any, shape: Shape, numbers: Numbers) -> Jacobian:
    return Reshaping(draw(st.sampled_from([(math.prod(shape),), (1, *shape), shape[::-1]])), shape)


def jacobian_from(shape: Shape, numbers: Numbers = any_sign) -> st.SearchStrategy[Jacobian]:
    """A Jacobian of any kind that maps tangents of this shape."""
    kinds = [_diagonal, _reshaping, _selection, _window, _placed, _reduction, _dense, _operator, _zero]
    kinds += [_matrix_product] * (shape != ()) + [_rank_one] * (math.prod(shape) > 1)
    return st.sampled_from(kinds).flatmap(lambda kind: kind(shape, numbers))


@st.composite
def chains(draw: Any, length: int, numbers: Numbers = any_sign) -> list[Jacobian]:
    """Jacobians whose product exists, head first; transposes, and a Jacobian beside its own transpose, among them."""
    chain = [draw(jacobian_from(draw(st.sampled_from(SHAPES)), numbers))]
    while len(chain) < length:
        back = draw(st.booleans()) and math.prod(chain[0].in_shape) <= 12
        chain.insert(0, chain[0].T if back else draw(jacobian_from(chain[0].out_shape, numbers)))
    return [jacobian.T for jacobian in reversed(chain)] if draw(st.booleans()) else chain


@st.composite
def sums(draw: Any, numbers: Numbers = any_sign) -> tuple[Jacobian, Jacobian]:
    """Two Jacobians of one shape, alike or not."""
    tail, first = draw(chains(2, numbers))[::-1]
    a = draw(st.sampled_from([first, tail]))
    rows, columns = a.shape
    scaled = a @ Diagonal(draw(numbers(a.in_shape)), a.in_shape, a.in_shape)
    order = Selection(np.array(draw(st.permutations(range(rows))), int), (rows,))
    dense = Dense(draw(numbers(a.shape)), a.out_shape, a.in_shape)
    vectors = RankOne(draw(numbers(rows)), draw(numbers(columns)), a.out_shape, a.in_shape)
    known = LinearMap(dense.jvp, dense.vjp, a.out_shape, a.in_shape)
    zero = Zero((rows,), (columns,))
    pair = (a, draw(st.sampled_from([a, -a, 2.0 * a, scaled, order @ a, dense, vectors, known, zero])))
    return pair[::-1] if draw(st.booleans()) else pair
