"""Linear algebra: ``np.linalg`` on whole matrices, and on stacks of them along the leading axes."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from ..devices import as_like
from ..variable import is_symbolic_array
from .arguments import Function, Rules, data_of, joined, missing, named
from .entrywise import length, root
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
    kept = [k for k in range(np.ndim(a)) if k not in (axes or ())]
    a = np.transpose(a, [*kept, *(axes or ())])
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
