"""Linear algebra written out in numbers, as on paper: what ``np.linalg`` is on object arrays and in the scalar grain.

Gaussian elimination with partial pivoting, back substitution and Cholesky's method (Golub and Van Loan 2013, sections
3.4, 3.1 and 4.2). Which row becomes the pivot is decided by the data, as any branch is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .functions import data_of
from .linalg import SlogdetResult


def triangular(a: Any) -> tuple[list[Any], float]:
    """Rows with zeros (which are not written) left of the diagonal, and the sign of the exchanges.

    Where a column has no pivot, another one takes its place: derivatives are right at singular matrices too.
    """
    rows, sign = list(a), 1.0
    size = len(rows)
    for k in range(size):
        column = next((j for j in range(k, size) if any(data_of(row[j]) for row in rows[k:])), k)
        pivot = k + int(np.argmax([abs(data_of(row[column])) for row in rows[k:]]))
        if column != k:
            rows, sign = [_exchanged(row, k, column) for row in rows], -sign
        if pivot != k:
            rows, sign = _exchanged(rows, k, pivot), -sign
        if data_of(rows[k][k]):
            for i in range(k + 1, size):
                factor = rows[i][k] / rows[k][k]
                rows[i] = np.concatenate([rows[i][: k + 1], rows[i][k + 1 :] - factor * rows[k][k + 1 :]])
    return rows, sign


def _exchanged(row: Any, i: int, j: int) -> Any:
    row = row.copy()
    row[i], row[j] = row[j], row[i]
    return row


def solve(a: Any, b: Any) -> Any:
    """``np.linalg.solve`` of one matrix."""
    if np.ndim(b) == 1:
        return solve(a, np.reshape(b, (-1, 1)))[:, 0]
    size = len(a)
    rows, _ = triangular(np.concatenate([a, b], axis=1))
    if not all(data_of(row[k]) for k, row in enumerate(rows)):
        raise np.linalg.LinAlgError("Singular matrix")
    found: list[Any] = [None] * size
    for i in reversed(range(size)):
        rest = rows[i][size:]
        for j in range(i + 1, size):
            rest = rest - rows[i][j] * found[j]
        found[i] = rest / rows[i][i]
    return np.stack(found)


def det(a: Any) -> Any:
    """``np.linalg.det``: the product of the pivots."""
    rows, sign = triangular(a)
    product = rows[0][0] if sign > 0 else -rows[0][0]
    for k in range(1, len(rows)):
        product = product * rows[k][k]
    return product


def slogdet(a: Any) -> Any:
    """``np.linalg.slogdet``; the sign is constant by steps."""
    rows, sign = triangular(a)
    pivots = [row[k] for k, row in enumerate(rows)]
    for pivot in pivots:
        sign = -sign if data_of(pivot) < 0 else sign if data_of(pivot) else 0.0
    return SlogdetResult(np.float64(sign), np.sum(np.log(np.abs(np.stack(pivots)))))


def cholesky(a: Any, /, *, upper: bool = False) -> Any:
    """``np.linalg.cholesky`` of one matrix."""
    rows: list[list[Any]] = []
    for i in range(len(a)):
        rows.append([])
        for j in range(i + 1):
            rest = a[j, i] if upper else a[i, j]
            for k in range(j):
                rest = rest - rows[i][k] * rows[j][k]
            rows[i].append(np.sqrt(rest) if i == j else rest / rows[j][j])
    found = np.stack([np.stack([*row, *[0.0] * (len(a) - len(row))]) for row in rows])
    return np.transpose(found) if upper else found


def _stacked(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of one square matrix on a stack of them."""

    def apply(a: Any, *args: Any, **settings: Any) -> Any:
        if np.ndim(a) < 2 or np.shape(a)[-2] != np.shape(a)[-1]:
            raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
        if np.ndim(a) == 2:
            return function(a, *args, **settings)
        found = [apply(matrix, *args, **settings) for matrix in a]
        if isinstance(found[0], SlogdetResult):
            return SlogdetResult(*(np.stack([one[part] for one in found]) for part in range(2)))
        return np.stack(found)

    return apply


def solve_each(a: Any, b: Any) -> Any:
    """``np.linalg.solve``: stacks of matrices, of right sides, or of both; a vector is one right side for all."""
    if np.ndim(b) == 1:
        return solve_each(a, np.reshape(b, (-1, 1)))[..., 0]
    if np.ndim(a) == 2 and np.ndim(b) == 2:
        return _stacked(solve)(a, b)
    stack = np.broadcast_shapes(np.shape(a)[:-2], np.shape(b)[:-2])
    left, right = (np.broadcast_to(x, (*stack, *np.shape(x)[-2:])) for x in (a, b))
    return np.stack([solve_each(matrix, side) for matrix, side in zip(left, right, strict=True)])


BY_ENTRIES: dict[Any, Callable[..., Any]] = {
    np.linalg.solve: solve_each,
    np.linalg.inv: _stacked(lambda a: solve(a, np.eye(len(a)))),
    np.linalg.det: _stacked(det),
    np.linalg.slogdet: _stacked(slogdet),
    np.linalg.cholesky: _stacked(cholesky),
}
