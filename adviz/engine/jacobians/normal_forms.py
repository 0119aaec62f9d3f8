"""The normal forms with a product in them: rank-one matrices, Kronecker products, dense matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..devices import on_one_device
from .base import Form, Jacobian, Shape, Sparse


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
