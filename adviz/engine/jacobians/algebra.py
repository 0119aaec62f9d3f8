"""The algebra of Jacobians: products and sums that keep structure, and the multiplications that a product takes.

Both are tables over pairs of normal forms, the matrices that results of such operations have.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..devices import device_array, on_one_device
from .base import (
    PRODUCTS,
    SUMS,
    Form,
    Index,
    Jacobian,
    LinearMap,
    ProductRule,
    Shape,
    Sparse,
    SumRule,
    Zero,
    add_at,
    composed,
)

# ---- normal forms ----


class RankOne(Form):
    """A ``column`` times a ``row``, both vectors. A zero in one of them stands for no entries.

    >>> RankOne(np.array([1.0, 2.0]), np.array([3.0, 0.0]), (2,), (2,)).dense()
    array([[3., 0.],
           [6., 0.]])
    """

    structure = "rank-one"

    def __init__(self, column: np.ndarray, row: np.ndarray, out_shape: Shape, in_shape: Shape):
        super().__init__(out_shape, in_shape)
        self.column, self.row = on_one_device(column, row)

    @property
    def nnz(self) -> int:
        return int(np.count_nonzero(self.column)) * int(np.count_nonzero(self.row))

    @property
    def scale_cost(self) -> int:
        return min(self.shape)

    @property
    def matvec_cost(self) -> int:
        return sum(self.shape)

    @property
    def T(self) -> RankOne:
        return RankOne(self.row, self.column, self.in_shape, self.out_shape)

    def scaled(self, number: float) -> RankOne:
        if len(self.row) < len(self.column):
            return self.T.scaled(number).T
        return RankOne(self.column * number, self.row, self.out_shape, self.in_shape)

    def dense(self) -> np.ndarray:
        column, row = self.column[:, None], self.row
        with np.errstate(invalid="ignore"):
            return np.where(np.logical_and(column, row), column * row, 0.0)

    def apply(self, matrix: Any) -> Any:
        column, row, matrix = on_one_device(self.column, self.row, matrix)
        return np.matmul(column[:, None], np.matmul(row[None, :], matrix))


class Kronecker(Form):
    """The Kronecker product of two Jacobians: of ``matrix -> left @ matrix @ right.T`` on matrices.

    >>> left, right = Dense(np.ones((2, 3)), (2,), (3,)), Sparse(None, None, 1.0, (4,), (4,))
    >>> map_of_matrices = Kronecker(left, right, (2, 4), (3, 4))
    >>> map_of_matrices.nnz, map_of_matrices.jvp(np.ones((3, 4)))[0]
    (24, array([3., 3., 3., 3.]))
    """

    structure = "kronecker"

    def __init__(self, left: Jacobian, right: Jacobian, out_shape: Shape, in_shape: Shape):
        super().__init__(out_shape, in_shape)
        self.left, self.right = left.normal(), right.normal()

    @property
    def nnz(self) -> int:
        return self.left.nnz * self.right.nnz

    @property
    def scale_cost(self) -> int:
        return min(self.left.scale_cost, self.right.scale_cost)

    @property
    def matvec_cost(self) -> int:
        return min(self._costs())

    @property
    def T(self) -> Kronecker:
        return Kronecker(self.left.T, self.right.T, self.in_shape, self.out_shape)

    def entries(self) -> Sparse:
        left, right = self.left.entries(), self.right.entries()
        rows, columns = (
            np.add.outer(i * size, j).ravel()
            for i, j, size in zip(left.places(), right.places(), right.shape, strict=True)
        )
        first, second = on_one_device(*(np.broadcast_to(factor.weights, factor.nnz) for factor in (left, right)))
        return Sparse(rows, columns, (first[:, None] * second).ravel(), self.out_shape, self.in_shape)

    def scaled(self, number: float) -> Kronecker:
        if self.left.scale_cost <= self.right.scale_cost:
            return Kronecker(self.left.scaled(number), self.right, self.out_shape, self.in_shape)
        return Kronecker(self.left, self.right.scaled(number), self.out_shape, self.in_shape)

    def dense(self) -> np.ndarray:
        return self.entries().dense()

    def apply(self, matrix: Any) -> Any:
        (p, n), (q, m), width = self.left.shape, self.right.shape, matrix.shape[1]
        left_first, right_first = self._costs()
        if left_first <= right_first:
            half = self.left.apply(np.reshape(matrix, (n, m * width)))
            return np.reshape(_apply_inside(self.right, np.reshape(half, (p, m, width))), (p * q, width))
        half = _apply_inside(self.right, np.reshape(matrix, (n, m, width)))
        return np.reshape(self.left.apply(np.reshape(half, (n, q * width))), (p * q, width))

    def _costs(self) -> tuple[int, int]:
        """Return multiplications for a vector if the left, and if the right factor is applied first."""
        (p, n), (q, m) = self.left.shape, self.right.shape
        left, right = self.left.matvec_cost, self.right.matvec_cost
        return left * m + p * right, right * n + q * left


def _apply_inside(form: Form, block: Any) -> Any:
    """Return a form applied along the middle axis of three."""
    outer, size, width = block.shape
    result = form.apply(np.reshape(np.swapaxes(block, 0, 1), (size, outer * width)))
    return np.swapaxes(np.reshape(result, (form.shape[0], outer, width)), 0, 1)


def kronecker(left: Jacobian, right: Jacobian, out_shape: Shape, in_shape: Shape) -> Form:
    """Return the Kronecker product of two Jacobians; a factor of one number is no factor.

    >>> kronecker(Dense(np.eye(1), (), ()), Dense(np.ones((2, 3)), (2,), (3,)), (1, 2), (1, 3))
    <Jacobian 2x3 dense>
    """
    for factor, other in ((left, right), (right, left)):
        if factor.shape == (1, 1) and factor.multiple is not None:
            return (other * factor.multiple).normal().between(out_shape, in_shape)
    return Kronecker(left, right, out_shape, in_shape)


class Dense(Form):
    """A matrix with nothing known about it.

    >>> Dense(np.array([[1.0, 2.0]]), (1,), (2,)).vjp(np.ones(1))
    array([1., 2.])
    """

    structure = "dense"

    def __init__(self, matrix: Any, out_shape: Shape, in_shape: Shape):
        super().__init__(out_shape, in_shape)
        self.matrix = matrix

    @property
    def multiple(self) -> float | None:
        return float(self.matrix[0, 0]) if self.shape == (1, 1) else None

    @property
    def T(self) -> Dense:
        return Dense(self.matrix.T, self.in_shape, self.out_shape)

    def scaled(self, number: float) -> Dense:
        return Dense(self.matrix * number, self.out_shape, self.in_shape)

    def jvp(self, tangent: Any) -> Any:
        return np.matmul(self.matrix, np.reshape(tangent, -1)).reshape(self.out_shape)

    def vjp(self, adjoint: Any) -> Any:
        return np.matmul(np.reshape(adjoint, -1), self.matrix).reshape(self.in_shape)

    def dense(self) -> np.ndarray:
        return self.matrix

    def apply(self, matrix: Any) -> Any:
        return np.matmul(*on_one_device(self.matrix, matrix))


# ---- products ----


def _either(form: type[Form]) -> Callable[[Form, Form], bool]:
    return lambda a, b: isinstance(a, form) or isinstance(b, form)


def _nothing(a: Form, b: Form) -> bool:
    return 0 in a.shape + b.shape or any(isinstance(form, Sparse) and not form.nnz for form in (a, b))


def _through_a_number(a: Form, b: Form) -> bool:
    """Return whether the inner size is 1; fewer entries than a column and a row have stay entries."""
    few = isinstance(a, Sparse) and isinstance(b, Sparse) and a.nnz * b.nnz < a.shape[0] + b.shape[1]
    return a.shape[1] == 1 and not few


def _fit(a: Form, b: Form) -> bool:
    """Return whether both are Kronecker products, with factors whose products exist."""
    if not isinstance(a, Kronecker) or not isinstance(b, Kronecker):
        return False
    return (a.left.shape[1], a.right.shape[1]) == (b.left.shape[0], b.right.shape[0])


def _sparse_product(a: Form, b: Form) -> Form:
    left, right = a.entries(), b.entries()
    if left.columns is not None and right.rows is not None and _meetings(left, right) > left.shape[0] * right.shape[1]:
        return Dense(left.apply(right.dense()), a.out_shape, b.in_shape)
    i, j = _meeting(left, right)
    weights = operator.mul(*on_one_device(_taken_weights(left.weights, i), _taken_weights(right.weights, j)))
    return _sparse(_taken(left.rows, i), _taken(right.columns, j), weights, a.out_shape, b.in_shape)


def _meetings(a: Sparse, b: Sparse) -> int:
    """Count the pairs of an entry of ``a`` and an entry of ``b`` whose column and row agree."""
    return int(_counts(a.columns, a.shape[1]) @ _counts(b.rows, b.shape[0]))


def _meeting(a: Sparse, b: Sparse) -> tuple[Index, Index]:
    """Return those pairs: for each the place in ``a`` and the place in ``b``."""
    if b.rows is None:
        return None, a.columns
    if a.columns is None:
        return b.rows, None
    order, counts = np.argsort(b.rows, kind="stable"), _counts(b.rows, b.shape[0])
    pairs = counts[a.columns]
    # The pairs of an entry of ``a`` are a run; so are, once sorted by rows, the entries of ``b`` that they meet.
    shift = (np.cumsum(counts) - counts)[a.columns] - (np.cumsum(pairs) - pairs)
    return np.repeat(np.arange(a.nnz), pairs), order[np.arange(pairs.sum()) + np.repeat(shift, pairs)]


def _sparse_multiplications(a: Form, b: Form) -> int:
    left, right = a.entries(), b.entries()
    if left.is_unit or right.is_unit:
        return 0
    meetings = _meetings(left, right)
    return min(meetings, 1) if type(left.weights) is type(right.weights) is float else meetings


PRODUCTS += [
    ProductRule(_nothing, lambda a, b: Zero(a.out_shape, b.in_shape), lambda a, b: 0),
    ProductRule(
        lambda a, b: isinstance(a, RankOne),
        lambda a, b: RankOne(a.column, b.T.apply(a.row[:, None])[:, 0], a.out_shape, b.in_shape),
        lambda a, b: b.T.matvec_cost,
    ),
    ProductRule(
        lambda a, b: isinstance(b, RankOne),
        lambda a, b: RankOne(a.apply(b.column[:, None])[:, 0], b.row, a.out_shape, b.in_shape),
        lambda a, b: a.matvec_cost,
    ),
    ProductRule(
        _through_a_number,
        lambda a, b: RankOne(a.dense()[:, 0], b.dense()[0], a.out_shape, b.in_shape),
        lambda a, b: 0,
    ),
    ProductRule(
        _fit,
        lambda a, b: kronecker(a.left @ b.left, a.right @ b.right, a.out_shape, b.in_shape),
        lambda a, b: a.left.multiplications(b.left) + a.right.multiplications(b.right),
    ),
    ProductRule(
        lambda a, b: isinstance(b, Dense),
        lambda a, b: Dense(a.apply(b.matrix), a.out_shape, b.in_shape),
        lambda a, b: a.matvec_cost * b.shape[1],
    ),
    ProductRule(
        lambda a, b: isinstance(a, Dense),
        lambda a, b: Dense(b.T.apply(a.matrix.T).T, a.out_shape, b.in_shape),
        lambda a, b: b.T.matvec_cost * a.shape[0],
    ),
    ProductRule(_either(LinearMap), composed, lambda a, b: 0),
    ProductRule(lambda a, b: True, _sparse_product, _sparse_multiplications),
]


# ---- sums ----


def _equal_factors(side: str) -> Callable[[Form, Form], bool]:
    def equal(a: Form, b: Form) -> bool:
        if not isinstance(a, Kronecker) or not isinstance(b, Kronecker):
            return False
        first, second = getattr(a, side), getattr(b, side)
        return first.shape == second.shape and first.multiple is not None and first.multiple == second.multiple

    return equal


def _added_maps(a: Form, b: Form) -> LinearMap:
    def jvp(tangent: Any) -> Any:
        return a.jvp(tangent) + np.reshape(b.jvp(np.reshape(tangent, b.in_shape)), a.out_shape)

    def vjp(adjoint: Any) -> Any:
        return a.vjp(adjoint) + np.reshape(b.vjp(np.reshape(adjoint, b.out_shape)), a.in_shape)

    return LinearMap(jvp, vjp, a.out_shape, a.in_shape, device_array(*(getattr(form, "like", None) for form in (a, b))))


def _added_entries(a: Form, b: Form) -> Form:
    left, right = a.entries(), b.entries()
    if _same(left.rows, right.rows) and _same(left.columns, right.columns):
        first, second = on_one_device(left.weights, right.weights)
        weights = first * 1.0 + second  # of booleans a sum would be an "or"
        return _sparse(left.rows, left.columns, weights, a.out_shape, a.in_shape)
    rows, columns = (np.concatenate(pair) for pair in zip(left.places(), right.places(), strict=True))
    weights = np.concatenate(on_one_device(*(np.broadcast_to(part.weights, part.nnz) for part in (left, right))))
    return _sparse(rows, columns, weights, a.out_shape, a.in_shape)


SUMS += [
    SumRule(_either(LinearMap), _added_maps),
    SumRule(_equal_factors("left"), lambda a, b: Kronecker(a.left, a.right + b.right, a.out_shape, a.in_shape)),
    SumRule(_equal_factors("right"), lambda a, b: Kronecker(a.left + b.left, a.right, a.out_shape, a.in_shape)),
    SumRule(
        lambda a, b: isinstance(a, Dense | RankOne) or isinstance(b, Dense | RankOne),
        lambda a, b: Dense(operator.add(*on_one_device(a.dense(), b.dense())), a.out_shape, a.in_shape),
    ),
    SumRule(lambda a, b: True, _added_entries),
]


# ---- numbers of rows and columns ----


def _sparse(rows: Index, columns: Index, weights: Any, out_shape: Shape, in_shape: Shape) -> Form:
    """Return the simplest matrix with these entries; entries at one place are added up."""
    if rows is not None and columns is not None:
        rows, columns, weights = _merged(rows, columns, weights, math.prod(in_shape))
    if type(weights) is float and weights == 0:
        return Zero(out_shape, in_shape)
    rows, columns = in_order(rows, math.prod(out_shape)), in_order(columns, math.prod(in_shape))
    result = Sparse(rows, columns, weights, out_shape, in_shape)
    full = result.nnz == math.prod(result.shape) and min(result.shape) > 1
    return Dense(result.dense(), out_shape, in_shape) if full else result


def _merged(rows: np.ndarray, columns: np.ndarray, weights: Any, width: int) -> tuple[np.ndarray, np.ndarray, Any]:
    places, which, counts = np.unique(rows * width + columns, return_inverse=True, return_counts=True)
    if type(weights) is float and (counts == counts[:1]).all():
        weights = weights * float(counts.max(initial=0))
    else:
        weights = add_at(np.broadcast_to(weights, which.shape), which, places.shape)
    return *np.divmod(places, max(width, 1)), weights


def in_order(index: Index, size: int) -> Index:
    """``None`` for all numbers below ``size`` in order, else the index itself."""
    return None if index is not None and np.array_equal(index, np.arange(size)) else index


def _same(left: Index, right: Index) -> bool:
    return left is right or (left is not None and right is not None and np.array_equal(left, right))


def _taken(index: Index, places: Index) -> Index:
    return places if index is None else index if places is None else index[places]


def _taken_weights(weights: Any, places: Index) -> Any:
    return weights if type(weights) is float or places is None else weights[places]


def _counts(index: Index, size: int) -> np.ndarray:
    return np.ones(size, int) if index is None else np.bincount(index, minlength=size)
