"""Linear algebra: ``np.linalg`` on whole matrices, and on stacks of them along the leading axes.

Sources: Giles 2008, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation";
Murray 2016, "Differentiation of the Cholesky decomposition"; Golub and Pereyra 1973 for the pseudo-inverse; Walter and
Lehmann 2010 for QR. In each rule ``t`` is the tangent of the matrix and ``c`` the adjoint of the value.

A decomposition has one value, its factors stacked, from which the factors are then taken. Where NumPy reads one
triangle only (``cholesky``, ``eigh``), the derivative with respect to the other is zero. Eigenvectors of a repeated
eigenvalue have no derivative: it is infinite unless they are unused; the same is true of singular vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from ..blocks import Rule, is_traced
from ..devices import as_like
from ..jacobians.local import Flat, Jacobian, LinearMap, Reduction, unbroadcast
from ..rules.reducing import products_of_others
from ..rules.textbook_arrays import ARRAYS
from ..variable import is_symbolic_array
from .arguments import Function, Rules, data_of, joined, missing, named, symbolic_or_data
from .entrywise import length, root
from .reductions import in_rows

Linear = Callable[[Any], Any]


def mT(a: Any) -> Any:
    """The matrices transposed."""
    return np.swapaxes(a, -1, -2)


def diagonal(a: Any) -> Any:
    """The diagonals."""
    return np.diagonal(a, 0, -2, -1)


def _rule(name: str, compute: Function, products: Callable[..., tuple[Linear, Linear]]) -> Rule:
    """A function of one matrix; ``products(value, matrix, *settings)`` gives ``jvp`` and ``vjp``."""

    def jacobians(y: Any, a: Any, *settings: Any) -> list[Jacobian | None]:
        return [LinearMap(*products(y, a, *settings), np.shape(y), np.shape(a)), *[None] * len(settings)]

    return Rule(name, compute, jacobians, "linear", words=ARRAYS[name])


# ---- solve, inverse, determinant ----


def _solve(y: Any, a: Any, b: Any) -> list[Jacobian]:
    """``b`` is a matrix, or a stack of them."""

    def back(c: Any) -> Any:
        return np.linalg.solve(mT(a), c)

    along_a = (lambda t: -np.linalg.solve(a, t @ y)), (lambda c: unbroadcast(-back(c) @ mT(y), np.shape(a)))
    along_b = (lambda t: np.linalg.solve(a, t)), (lambda c: unbroadcast(back(c), np.shape(b)))
    return [LinearMap(*along_a, np.shape(y), np.shape(a)), LinearMap(*along_b, np.shape(y), np.shape(b))]


def _inv(y: Any, a: Any) -> tuple[Linear, Linear]:
    return lambda t: -y @ t @ y, lambda c: -mT(y) @ c @ mT(y)


def _det(y: Any, a: Any) -> list[Jacobian]:
    """The cofactors; without an inverse, which singular matrices lack, from singular values, or from minors if traced.

    A program for all points has the inverse, if its example has one.
    """
    if np.all(y.data if is_symbolic_array(y) else data_of(y)):
        cofactors = np.expand_dims(y, (-2, -1)) * mT(np.linalg.inv(a))
    elif is_traced(a):  # singular vectors have no derivative where singular values are equal
        cofactors = _of_minors(a)
    else:
        u, s, vh = np.linalg.svd(a)
        others = products_of_others(s)
        signs = np.sign(np.linalg.det(u) * np.linalg.det(vh))
        cofactors = (u * (others * np.expand_dims(signs, -1))[..., None, :]) @ vh
    return [Reduction(cofactors, (-2, -1), False, np.shape(y), np.shape(a))]


def _of_minors(a: Any) -> Any:
    """The cofactors as they are defined."""
    size = np.shape(a)[-1]
    if size == 1:
        return 0.0 * a + 1.0
    kept = [[k for k in range(size) if k != left_out] for left_out in range(size)]
    rows = [
        [(-1.0) ** (i + j) * np.linalg.det(a[..., kept[i], :][..., kept[j]]) for j in range(size)] for i in range(size)
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _log_det(y: Any, a: Any) -> list[Jacobian]:
    return [Reduction(mT(np.linalg.inv(a)), (-2, -1), False, np.shape(y), np.shape(a))]


def _pinv(y: Any, a: Any, rcond: Any) -> tuple[Linear, Linear]:
    """At constant rank."""
    rows, columns = (as_like(np.eye(np.shape(product)[-1]), y) - product for product in (a @ y, y @ a))
    return (
        lambda t: -y @ t @ y + y @ mT(y) @ mT(t) @ rows + columns @ mT(t) @ mT(y) @ y,
        lambda c: -mT(y) @ c @ mT(y) + rows @ mT(c) @ y @ mT(y) + mT(y) @ y @ mT(c) @ columns,
    )


SOLVE = Rule("solve", np.linalg.solve, _solve, "linear", words=ARRAYS["solve"])
INV = _rule("inv", np.linalg.inv, _inv)
PINV = _rule("pinv", lambda a, rcond: np.linalg.pinv(a, *([] if rcond is None else [rcond])), _pinv)
DET = Rule("det", np.linalg.det, _det, "linear", words=ARRAYS["det"])
LOG_DET = Rule(
    "logabsdet", lambda a: np.linalg.slogdet(a)[1], _log_det, "linear", "log |det|", words=ARRAYS["logabsdet"]
)


SIGN_DET = Rule(
    "signdet",
    lambda a: np.linalg.slogdet(a)[0],
    lambda y, a: [Flat(np.shape(y), np.shape(a))],
    "linear",
    "sign det",
    words=ARRAYS["signdet"],
)


# ---- decompositions ----


def _halved(a: Any) -> Any:
    return a * as_like(np.tri(np.shape(a)[-1]) - np.eye(np.shape(a)[-1]) / 2, a)


def mirrored(t: Any, uplo: Any) -> Any:
    """The symmetric matrices of which one triangle is read, the lower one if ``uplo`` is ``"L"``."""
    return np.tril(t) + mT(np.tril(t, -1)) if uplo == "L" else np.triu(t) + mT(np.triu(t, 1))


def _mirrored_transposed(c: Any, uplo: Any) -> Any:
    return np.tril(c) + np.tril(mT(c), -1) if uplo == "L" else np.triu(c) + np.triu(mT(c), 1)


def _cholesky(y: Any, a: Any) -> tuple[Linear, Linear]:
    def jvp(t: Any) -> Any:
        return y @ _halved(np.linalg.solve(y, mT(np.linalg.solve(y, mirrored(t, "L")))))

    def vjp(c: Any) -> Any:
        inner = _halved(mT(y) @ np.tril(c))
        return _mirrored_transposed(mT(np.linalg.solve(mT(y), mT(np.linalg.solve(mT(y), inner)))), "L")

    return jvp, vjp


def _over_gaps(a: Any, values: Any) -> Any:
    """``a[i, j] / (values[j] - values[i])``, and 0 on the diagonal; 0 / 0 is 0: what is undefined is unused."""
    gaps = values[..., None, :] - values[..., :, None]
    gaps = np.where(as_like(np.eye(np.shape(a)[-1], dtype=bool), a), np.inf, gaps)
    return a / np.where(np.logical_and(np.equal(gaps, 0), np.equal(a, 0)), 1.0, gaps)


def _eigh(y: Any, a: Any, uplo: Any) -> tuple[Linear, Linear]:
    """The value is a row of eigenvalues with the eigenvectors, columns, below them."""
    w, v = y[..., 0, :], y[..., 1:, :]

    def jvp(t: Any) -> Any:
        inner = mT(v) @ mirrored(t, uplo) @ v
        return np.concatenate([diagonal(inner)[..., None, :], v @ _over_gaps(inner, w)], axis=-2)

    def vjp(c: Any) -> Any:
        inner = as_like(np.eye(np.shape(a)[-1]), c) * c[..., 0, None, :] + _over_gaps(mT(v) @ c[..., 1:, :], w)
        return _mirrored_transposed(v @ inner @ mT(v), uplo)

    return jvp, vjp


def _eigvalsh(y: Any, a: Any, uplo: Any) -> tuple[Linear, Linear]:
    _, v = np.linalg.eigh(a, uplo)
    return (
        lambda t: diagonal(mT(v) @ mirrored(t, uplo) @ v),
        lambda c: _mirrored_transposed((v * c[..., None, :]) @ mT(v), uplo),
    )


def _eig(y: Any, a: Any) -> tuple[Linear, Linear]:
    """The value is a row of eigenvalues with the eigenvectors, columns of length 1, below them; all of them real."""
    w, v = y[..., 0, :], y[..., 1:, :]

    def across(x: Any) -> Any:
        """The part of each column that does not change the length of its eigenvector."""
        return x - v * np.sum(v * x, axis=-2, keepdims=True)

    def jvp(t: Any) -> Any:
        inner = np.linalg.solve(v, t @ v)
        return np.concatenate([diagonal(inner)[..., None, :], across(v @ _over_gaps(inner, w))], axis=-2)

    def vjp(c: Any) -> Any:
        inner = as_like(np.eye(np.shape(a)[-1]), c) * c[..., 0, None, :] + _over_gaps(mT(v) @ across(c[..., 1:, :]), w)
        return np.linalg.solve(mT(v), inner @ mT(v))

    return jvp, vjp


def _eigvals(y: Any, a: Any) -> tuple[Linear, Linear]:
    w, v = np.linalg.eig(a)
    order = np.argsort(
        np.argsort(symbolic_or_data(y), axis=-1), axis=-1
    )  # LAPACK's may differ where no vectors are computed
    order = np.take_along_axis(np.argsort(symbolic_or_data(w), axis=-1), order, -1)
    v = np.take_along_axis(v, np.broadcast_to(order[..., None, :], np.shape(v)), -1)
    return (
        lambda t: diagonal(np.linalg.solve(v, t @ v)),
        lambda c: np.linalg.solve(mT(v), c[..., :, None] * mT(v)),
    )


def _svd(y: Any, a: Any) -> tuple[Linear, Linear]:
    """The value is ``u``, a row of singular values, and ``v`` below each other, of as many columns as those."""
    m, n = np.shape(a)[-2:]
    u, s, v = y[..., :m, :], y[..., m, :], y[..., m + 1 :, :]
    row = s[..., None, :]

    def outside(basis: Any, x: Any) -> Any:
        """The part of ``x`` that the basis does not span."""
        return x - basis @ (mT(basis) @ x) if np.shape(basis)[-2] > np.shape(basis)[-1] else 0.0 * x

    def jvp(t: Any) -> Any:
        inner = mT(u) @ t @ v
        du = u @ _over_gaps(inner * row + mT(inner * row), s * s) + outside(u, t @ v / row)
        dv = v @ _over_gaps(mT(row * mT(inner)) + row * mT(inner), s * s) + outside(v, mT(t) @ u / row)
        return np.concatenate([du, diagonal(inner)[..., None, :], dv], axis=-2)

    def vjp(c: Any) -> Any:
        cu, cs, cv = c[..., :m, :], c[..., m : m + 1, :], c[..., m + 1 :, :]
        left, right = mT(u) @ cu, mT(v) @ cv
        inner = _over_gaps(left - mT(left), s * s) * row + mT(row * mT(_over_gaps(right - mT(right), s * s)))
        inner = inner + as_like(np.eye(min(m, n)), cs) * cs
        return u @ inner @ mT(v) + outside(u, cu / row) @ mT(v) + u @ mT(outside(v, cv / row))

    return jvp, vjp


def _svdvals(y: Any, a: Any) -> tuple[Linear, Linear]:
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return lambda t: diagonal(mT(u) @ t @ mT(vh)), lambda c: (u * c[..., None, :]) @ vh


def _qr(y: Any, a: Any) -> tuple[Linear, Linear]:
    """The value is ``q`` with ``r`` below it, of at least as many rows as columns."""
    m = np.shape(a)[-2]
    q, r = y[..., :m, :], y[..., m:, :]

    def jvp(t: Any) -> Any:
        scaled = mT(np.linalg.solve(mT(r), mT(t)))
        inner = mT(q) @ scaled
        turn = np.tril(inner, -1) - mT(np.tril(inner, -1))
        return np.concatenate([scaled - q @ (inner - turn), (inner - turn) @ r], axis=-2)

    def vjp(c: Any) -> Any:
        cq, cr = c[..., :m, :], np.triu(c[..., m:, :])
        inner = r @ mT(cr) - mT(cq) @ q
        return mT(np.linalg.solve(r, mT(cq + q @ (np.tril(inner) + mT(np.tril(inner, -1))))))

    return jvp, vjp


def _below(*parts: Any) -> Any:
    return np.concatenate(parts, axis=-2)


def _packed_svd(a: Any) -> Any:
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return _below(u, s[..., None, :], mT(vh))


def _real(name: str, found: Any) -> Any:
    if np.iscomplexobj(found):
        raise missing(f"{name} of a matrix with complex eigenvalues", "Only real ones can be traced.")
    return found


def _packed(w: Any, v: Any) -> Any:
    return _below(_real("np.linalg.eig", w)[..., None, :], v)


CHOLESKY = _rule("cholesky", np.linalg.cholesky, _cholesky)
EIGH = _rule("eigh", lambda a, uplo: _packed(*np.linalg.eigh(a, uplo)), _eigh)
EIGVALSH = _rule("eigvalsh", np.linalg.eigvalsh, _eigvalsh)
EIG = _rule("eig", lambda a: _packed(*np.linalg.eig(a)), _eig)
EIGVALS = _rule("eigvals", lambda a: _real("np.linalg.eigvals", np.linalg.eigvals(a)), _eigvals)
SVD = _rule("svd", _packed_svd, _svd)
SVDVALS = _rule("svdvals", lambda a: np.linalg.svd(a, compute_uv=False), _svdvals)
QR = _rule("qr", lambda a: _below(*np.linalg.qr(a)), _qr)


# ---- the functions of np.linalg ----

SlogdetResult = type(np.linalg.slogdet(np.eye(1)))
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


def _unpacked(found: Any) -> tuple[Any, Any]:
    return found[..., 0, :], found[..., 1:, :]


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """``np.linalg.svd``; vectors without a singular value are left out."""
    a, (m, n) = mirrored(a, "L") if hermitian else a, np.shape(a)[-2:]
    if not compute_uv:
        return SVDVALS(a)
    if full_matrices and m != n:
        raise missing("np.linalg.svd with full_matrices=True", "Pass full_matrices=False.")
    found = SVD(a)
    return SVDResult(found[..., :m, :], found[..., m, :], mT(found[..., m + 1 :, :]))


def qr(a: Any, mode: str = "reduced") -> Any:
    """``np.linalg.qr`` of matrices that are not wider than high."""
    m, n = np.shape(a)[-2:]
    if m < n or mode not in ("reduced", "r"):
        raise missing(f"np.linalg.qr with mode={mode!r} of a matrix of shape {(m, n)}", "Use tall matrices.")
    found = QR(a)
    return found[..., m:, :] if mode == "r" else QRResult(found[..., :m, :], found[..., m:, :])


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


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """``np.linalg.norm``: of vectors along one axis, of matrices along two."""
    axes = tuple(range(np.ndim(x))) if axis is None else tuple(np.atleast_1d(axis))
    if ord is None or (ord in ("fro", "f") and len(axes) == 2) or (ord == 2 and len(axes) == 1):
        return length(np.sum(np.square(x), axis=axis, keepdims=keepdims))
    if len(axes) == 1:
        return _vector_norm(x, ord, axes[0], keepdims)
    found = matrix_norm(np.moveaxis(x, axes, (-2, -1)), ord=ord)
    return np.expand_dims(found, tuple(k % np.ndim(x) for k in axes)) if keepdims else found


def _vector_norm(x: Any, ord: Any, axis: Any, keepdims: bool) -> Any:
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
    found = MATRIX_NORMS[ord](x)
    return np.expand_dims(found, (-2, -1)) if keepdims else found


def vector_norm_by(norm: Function) -> Function:
    """``np.linalg.vector_norm``, along some axes or of all entries, by a norm along one axis."""

    def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
        rows, axes = in_rows(x, axis)
        found = norm(rows, ord, axis=-1)
        return np.expand_dims(found, axes) if keepdims else found

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
