"""Linear algebra: ``np.linalg`` on matrices, on stacks of them along the leading axes, and written out in numbers.

On object arrays and in the scalar grain, where there are numbers only: Gaussian elimination with partial pivoting, back
substitution and Cholesky's method (Golub and Van Loan 2013, sections 3.4, 3.1 and 4.2), and Householder's reflections
(5.2). The data decide which row is the pivot, as they decide every branch.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from ..devices import as_like
from ..object_arrays import as_object_array
from ..variable import is_symbolic_array
from .arguments import Function, Rules, data_of, is_symbolic, joined, missing, named
from .entries import length, root
from .matrix_rules import (
    CHOLESKY,
    DET,
    EIG,
    EIGH,
    EIGVALS,
    EIGVALSH,
    INV,
    LOG_DET,
    PINV,
    QR,
    SIGN_DET,
    SOLVE,
    SVD,
    SVDVALS,
    mirrored,
    mT,
)
from .reductions import in_rows

# ---- the functions of np.linalg ----

SlogdetResult: Any = type(np.linalg.slogdet(np.eye(1)))
EigResult = type(np.linalg.eig(np.eye(1)))
EighResult = type(np.linalg.eigh(np.eye(1)))
SVDResult = type(np.linalg.svd(np.eye(1)))
QRResult = type(np.linalg.qr(np.eye(1)))


def solve(a: Any, b: Any) -> Any:
    """``np.linalg.solve``: ``b`` is a vector if it has one axis."""
    a, b = joined(a), joined(b)
    return SOLVE(a, np.expand_dims(b, -1))[..., 0] if np.ndim(b) == 1 else SOLVE(a, b)


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = np._NoValue) -> Any:
    """``np.linalg.pinv``, differentiated at constant rank."""
    a = mirrored(a, "L") if hermitian else a
    return PINV(a, rcond if rtol is np._NoValue else rtol)


def _unpacked(value: Any) -> tuple[Any, Any]:
    return value[..., 0, :], value[..., 1:, :]


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """``np.linalg.svd``; vectors without a singular value are left out."""
    a, (m, n) = mirrored(a, "L") if hermitian else a, np.shape(a)[-2:]
    if not compute_uv:
        return SVDVALS(a)
    if full_matrices and m != n:
        raise missing("np.linalg.svd with full_matrices=True", "Pass full_matrices=False.")
    result = SVD(a)
    return SVDResult(result[..., :m, :], result[..., m, :], mT(result[..., m + 1 :, :]))


def qr(a: Any, mode: str = "reduced") -> Any:
    """``np.linalg.qr`` of matrices that are not wider than high."""
    m, n = np.shape(a)[-2:]
    if m < n or mode not in ("reduced", "r"):
        raise missing(f"np.linalg.qr with mode={mode!r} of a matrix of shape {(m, n)}", "Use tall matrices.")
    result = QR(a)
    return result[..., m:, :] if mode == "r" else QRResult(result[..., :m, :], result[..., m:, :])


def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Any, Any, Any, Any]:
    """``np.linalg.lstsq`` by the pseudo-inverse."""
    m, n = np.shape(a)
    x = np.linalg.pinv(a, rcond=np.finfo(float).eps * max(m, n) if rcond is None else rcond) @ b
    s = SVDVALS(a)
    if is_symbolic_array(s):  # a program for all points is of matrices of full rank
        rank, is_known = np.sum(s > s[0] * (np.finfo(float).eps * max(m, n) if rcond is None else rcond)), n < m
    else:
        rank = np.linalg.lstsq(data_of(a), data_of(b), rcond=rcond)[2]
        is_known = rank == n < m
    residuals = np.atleast_1d(np.sum(np.square(b - a @ x), axis=0)) if is_known else as_like(np.zeros(0), x)
    return x, residuals, rank, s


def matrix_power(a: Any, n: int) -> Any:
    """``np.linalg.matrix_power`` by squaring."""
    if n < 0:
        return matrix_power(np.linalg.inv(a), -n)
    if n == 0:
        return 0.0 * a + as_like(np.eye(np.shape(a)[-1]), a)
    half = matrix_power(a, n // 2) if n > 1 else None
    return a if half is None else half @ half if n % 2 == 0 else half @ half @ a


def cond(x: Any, p: Any = None) -> Any:
    """``np.linalg.cond``."""
    if p in (None, 2, -2):
        s = SVDVALS(x)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return matrix_norm(x, ord=p) * matrix_norm(np.linalg.inv(x), ord=p)


def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """``np.linalg.tensorsolve``."""
    remaining = [k for k in range(np.ndim(a)) if k not in (axes or ())]
    a = np.transpose(a, [*remaining, *(axes or ())])
    shape = np.shape(a)[np.ndim(b) :]
    return np.reshape(np.linalg.solve(np.reshape(a, (np.size(b), -1)), np.ravel(b)), shape)


def tensorinv(a: Any, ind: int = 2) -> Any:
    """``np.linalg.tensorinv``."""
    rows, columns = np.shape(a)[:ind], np.shape(a)[ind:]
    return np.reshape(np.linalg.inv(np.reshape(a, (int(np.prod(rows)), -1))), columns + rows)


# ---- norms ----


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    """``np.linalg.norm``: of vectors along one axis, of matrices along two."""
    axes = tuple(range(np.ndim(x))) if axis is None else tuple(np.atleast_1d(axis))
    if ord is None or (ord in ("fro", "f") and len(axes) == 2) or (ord == 2 and len(axes) == 1):
        return length(np.sum(np.square(x), axis=axis, keepdims=keepdims))
    if len(axes) == 1:
        return _vector_norm(x, ord, axes[0], keepdims)
    result = matrix_norm(np.moveaxis(x, axes, (-2, -1)), ord=ord)
    return np.expand_dims(result, tuple(k % np.ndim(x) for k in axes)) if keepdims else result


def _vector_norm(x: Any, ord: Any, axis: Any, keepdims: Any) -> Any:
    if isinstance(ord, str):
        raise ValueError(f"ord={ord!r} is a norm of matrices")
    if ord == 0:
        return np.sum(np.not_equal(x, 0) * 1.0, axis=axis, keepdims=keepdims)
    if np.isinf(ord):
        return (np.max if ord > 0 else np.min)(np.abs(x), axis=axis, keepdims=keepdims)
    return root(np.sum(np.abs(x) ** ord, axis=axis, keepdims=keepdims), 1 / ord)


MATRIX_NORMS: dict[Any, Callable[[Any], Any]] = {
    "fro": lambda x: length(np.sum(np.square(x), axis=(-2, -1))),
    "nuc": lambda x: np.sum(SVDVALS(x), axis=-1),
    2: lambda x: SVDVALS(x)[..., 0],
    -2: lambda x: SVDVALS(x)[..., -1],
    1: lambda x: np.max(np.sum(np.abs(x), axis=-2), axis=-1),
    -1: lambda x: np.min(np.sum(np.abs(x), axis=-2), axis=-1),
    np.inf: lambda x: np.max(np.sum(np.abs(x), axis=-1), axis=-1),
    -np.inf: lambda x: np.min(np.sum(np.abs(x), axis=-1), axis=-1),
}


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """``np.linalg.matrix_norm``."""
    if ord not in MATRIX_NORMS:
        raise ValueError(f"ord={ord!r} is no norm of matrices; there are {', '.join(map(str, MATRIX_NORMS))}")
    result = MATRIX_NORMS[ord](x)
    return np.expand_dims(result, (-2, -1)) if keepdims else result


def vector_norm_by(norm: Function) -> Function:
    """``np.linalg.vector_norm``, along some axes or of all entries, by a norm along one axis."""

    def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
        rows, axes = in_rows(x, axis)
        result = norm(rows, ord, axis=-1)
        return np.expand_dims(result, axes) if keepdims else result

    return vector_norm


FUNCTIONS: Rules = {
    **named(np.linalg, solve, pinv, svd, qr, lstsq),
    np.linalg.inv: INV,
    np.linalg.slogdet: lambda a: SlogdetResult(
        SIGN_DET(a) if is_symbolic_array(a) else np.linalg.slogdet(data_of(a))[0], LOG_DET(a)
    ),
    np.linalg.cholesky: lambda a, /, *, upper=False: mT(CHOLESKY(mT(a))) if upper else CHOLESKY(a),
    np.linalg.eigh: lambda a, UPLO="L": EighResult(*_unpacked(EIGH(a, UPLO.upper()))),
    np.linalg.eig: lambda a: EigResult(*_unpacked(EIG(a))),
    np.linalg.det: DET,
    np.linalg.eigvals: EIGVALS,
    np.linalg.eigvalsh: lambda a, UPLO="L": EIGVALSH(a, UPLO.upper()),
    np.linalg.svdvals: SVDVALS,
}
"""Functions that have no form entry by entry."""

COMPOSED: Rules = {
    **named(np.linalg, norm, matrix_norm, cond, matrix_power, tensorsolve, tensorinv),
    np.linalg.multi_dot: lambda arrays, *, out=None: reduce(np.matmul, arrays),
    np.linalg.vector_norm: vector_norm_by(norm),
}


# ---- written out in numbers ----


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


def solve_of_entries(a: Any, b: Any) -> Any:
    """``np.linalg.solve`` of one matrix."""
    if np.ndim(b) == 1:
        return solve_of_entries(a, np.reshape(b, (-1, 1)))[:, 0]
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
            if i == j and not is_symbolic(a) and not data_of(rest) > 0:
                raise np.linalg.LinAlgError("Matrix is not positive definite")
            rows[i].append(np.sqrt(rest) if i == j else rest / rows[j][j])
    result = np.stack([np.stack([*row, *[0.0] * (len(a) - len(row))]) for row in rows])
    return np.transpose(result) if upper else result


def qr_of_entries(a: Any, mode: str = "reduced") -> Any:
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


def pinv_of_entries(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = np._NoValue) -> Any:
    """``np.linalg.pinv`` of one matrix of full rank, by its decomposition into an orthonormal and a triangular one."""
    if hermitian:
        raise missing("np.linalg.pinv with hermitian, entry by entry", "Omit it.")
    m, n = np.shape(a)
    given = rcond if rtol is np._NoValue else rtol
    tolerance = {} if given is None else {"rtol": given}
    if np.linalg.matrix_rank(data_of(a), **tolerance) < min(m, n):
        raise missing("np.linalg.pinv, entry by entry, of a matrix that lacks rank", 'Trace with grain="array".')
    if m < n:
        return np.transpose(pinv_of_entries(np.transpose(a)))
    q, r = qr_of_entries(a)
    return solve_of_entries(r, np.transpose(q))


class Unavailable:
    """In place of a result that has no form entry by entry: any use raises an error with its name."""

    def __init__(self, name: str):
        self._name = name

    def _unsupported(self, *_: Any, **settings: Any) -> Any:
        raise missing(f"{object.__getattribute__(self, '_name')}, entry by entry", 'Trace with grain="array".')

    __getattr__ = __array__ = __getitem__ = __iter__ = __len__ = _unsupported


def lstsq_of_entries(a: Any, b: Any, rcond: Any = None) -> tuple[Any, Any, Any, Any]:
    """``np.linalg.lstsq``, except for singular values."""
    a, (m, n) = as_object_array(np.asarray(a)), np.shape(a)
    x = pinv_of_entries(a, np.finfo(float).eps * max(m, n) if rcond is None else rcond) @ b
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
        return _each(solve_of_entries)(a, b)
    stack = np.broadcast_shapes(np.shape(a)[:-2], np.shape(b)[:-2])
    left, right = (np.broadcast_to(x, (*stack, *np.shape(x)[-2:])) for x in (a, b))
    return np.stack([solve_each(matrix, side) for matrix, side in zip(left, right, strict=True)])


BY_ENTRIES: Rules = {
    np.linalg.solve: solve_each,
    np.linalg.inv: _each(lambda a: solve_of_entries(a, np.eye(len(a)))),
    np.linalg.det: _each(det),
    np.linalg.slogdet: _each(slogdet),
    np.linalg.cholesky: _each(cholesky),
    np.linalg.pinv: _each(pinv_of_entries, is_square=False),
    np.linalg.qr: _each(qr_of_entries, is_square=False),
    np.linalg.lstsq: lstsq_of_entries,
}
