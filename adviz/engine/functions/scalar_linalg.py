"""Linear algebra written out in numbers: ``np.linalg`` on object arrays and in the scalar grain.

Gaussian elimination with partial pivoting, back substitution and Cholesky's method (Golub and Van Loan 2013, sections
3.4, 3.1 and 4.2), and Householder's reflections (5.2). The data decide which row is the pivot, as they
decide every branch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.object_arrays import as_object_array
from .arguments import Function, Rules, data_of, missing, named
from .linalg import QRResult, SlogdetResult


def triangular(a: Any) -> tuple[list[Any], float]:
    """Return the rows of a triangular form (zeros left of the diagonal are not written), and the sign of the exchanges.

    A column without a pivot is exchanged for another: derivatives are right at singular matrices too.
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
    result: list[Any] = [None] * size
    for i in reversed(range(size)):
        rest = rows[i][size:]
        for j in range(i + 1, size):
            rest = rest - rows[i][j] * result[j]
        result[i] = rest / rows[i][i]
    return np.stack(result)


def det(a: Any) -> Any:
    """``np.linalg.det``: the product of the pivots; without the last two, second derivatives go through all four."""
    rows, sign = triangular(a)
    pivots = [rows[k][k] for k in range(len(rows))]
    if len(rows) > 1 and not data_of(pivots[-2]):
        pivots[-2:] = [pivots[-2] * pivots[-1] - rows[-2][-1] * rows[-1][-2]]
    product = pivots[0] if sign > 0 else -pivots[0]
    for pivot in pivots[1:]:
        product = product * pivot
    return product


def slogdet(a: Any) -> Any:
    """``np.linalg.slogdet``; the sign is piecewise constant."""
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
    result = np.stack([np.stack([*row, *[0.0] * (len(a) - len(row))]) for row in rows])
    return np.transpose(result) if upper else result


def qr(a: Any, mode: str = "reduced") -> Any:
    """``np.linalg.qr`` of one matrix that is not wider than high, by Householder's reflections, with LAPACK's signs."""
    m, n = np.shape(a)
    if m < n or mode not in ("reduced", "r"):
        raise missing(f"np.linalg.qr with mode={mode!r} of a matrix of shape {(m, n)}", "Use tall matrices.")
    rows: list[Any] = []
    reflections: list[Any] = []
    rest = a
    for k in range(n):
        column = rest[:, 0]
        if any(data_of(column[1:])):
            size = np.sqrt(np.sum(np.square(column)))
            vector = np.concatenate([column[:1] + (size if data_of(column[0]) >= 0 else -size), column[1:]])
            reflections.append((k, vector, 2 / np.sum(np.square(vector))))
            rest = _reflected(rest, vector, reflections[-1][2])
        rows.append(np.concatenate([np.zeros(k), rest[0]]))
        rest = rest[1:, 1:]
    triangle = np.stack(rows)
    if mode == "r":
        return triangle
    basis: Any = np.eye(m, n)
    for k, vector, factor in reversed(reflections):
        basis = np.concatenate([basis[:k], _reflected(basis[k:], vector, factor)])
    return QRResult(as_object_array(np.asarray(basis, object)), triangle)


def _reflected(rows: Any, vector: Any, factor: Any) -> Any:
    return rows - np.reshape(vector, (-1, 1)) * (factor * (vector @ rows))


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = np._NoValue) -> Any:
    """``np.linalg.pinv`` of one matrix of full rank, by its decomposition into an orthonormal and a triangular one."""
    if hermitian:
        raise missing("np.linalg.pinv with hermitian, entry by entry", "Omit it.")
    m, n = np.shape(a)
    given = rcond if rtol is np._NoValue else rtol
    tolerance = {} if given is None else {"rtol": given}
    if np.linalg.matrix_rank(data_of(a), **tolerance) < min(m, n):
        raise missing("np.linalg.pinv, entry by entry, of a matrix that lacks rank", 'Trace with grain="array".')
    if m < n:
        return np.transpose(pinv(np.transpose(a)))
    q, r = qr(a)
    return solve(r, np.transpose(q))


class Unavailable:
    """In place of a result that has no form entry by entry: any use raises an error with its name."""

    def __init__(self, name: str):
        self._name = name

    def _refuse(self, *_: Any, **settings: Any) -> Any:
        raise missing(f"{object.__getattribute__(self, '_name')}, entry by entry", 'Trace with grain="array".')

    __getattr__ = __array__ = __getitem__ = __iter__ = __len__ = _refuse


def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Any, Any, Any, Any]:
    """``np.linalg.lstsq``, except for singular values."""
    a, (m, n) = as_object_array(np.asarray(a)), np.shape(a)
    x = pinv(a, np.finfo(float).eps * max(m, n) if rcond is None else rcond) @ b
    residuals = np.atleast_1d(np.sum(np.square(b - a @ x), axis=0)) if n < m else np.zeros(0)
    return x, residuals, min(m, n), Unavailable("the singular values of np.linalg.lstsq")


def _each(function: Function, is_square: bool = True) -> Function:
    """Return a function of one matrix, applied to each of a stack."""

    def apply(a: Any, *args: Any, **settings: Any) -> Any:
        if is_square and (np.ndim(a) < 2 or np.shape(a)[-2] != np.shape(a)[-1]):
            raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
        if np.ndim(a) == 2:
            return function(a, *args, **settings)
        result = [apply(matrix, *args, **settings) for matrix in a]
        if isinstance(result[0], tuple):
            return type(result[0])(*map(np.stack, zip(*result, strict=True)))
        return np.stack(result)

    return apply


def solve_each(a: Any, b: Any) -> Any:
    """``np.linalg.solve``: stacks of matrices, of right sides, or of both; a vector is one right side for all."""
    if np.ndim(b) == 1:
        return solve_each(a, np.reshape(b, (-1, 1)))[..., 0]
    if np.ndim(a) == 2 and np.ndim(b) == 2:
        return _each(solve)(a, b)
    stack = np.broadcast_shapes(np.shape(a)[:-2], np.shape(b)[:-2])
    left, right = (np.broadcast_to(x, (*stack, *np.shape(x)[-2:])) for x in (a, b))
    return np.stack([solve_each(matrix, side) for matrix, side in zip(left, right, strict=True)])


BY_ENTRIES: Rules = {
    np.linalg.solve: solve_each,
    np.linalg.inv: _each(lambda a: solve(a, np.eye(len(a)))),
    np.linalg.det: _each(det),
    np.linalg.slogdet: _each(slogdet),
    np.linalg.cholesky: _each(cholesky),
    np.linalg.pinv: _each(pinv, is_square=False),
    np.linalg.qr: _each(qr, is_square=False),
    **named(np.linalg, lstsq),
}
