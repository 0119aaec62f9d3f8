"""Rules of linear algebra: solving, inverses, determinants and decompositions, on stacks of matrices, too.

Sources: Giles 2008, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation";
Murray 2016, "Differentiation of the Cholesky decomposition"; Golub and Pereyra 1973 for the pseudo-inverse; Walter and
Lehmann 2010 for QR. In each rule ``t`` is the tangent of the matrix and ``c`` the adjoint of the value.

A decomposition has one value, its factors stacked, from which the factors are then taken. Where NumPy reads one
triangle only (``cholesky``, ``eigh``), the derivative with respect to the other is zero. Eigenvectors of a repeated
eigenvalue have no derivative: it is infinite unless they are unused; the same is true of singular vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..blocks import Rule, Words, is_traced, source_of
from ..devices import as_like, is_on_device
from ..jacobians.local import Flat, Jacobian, LinearMap, Reduction, unbroadcast
from ..rules import abstract_values, operation_counts, rows
from ..rules.reducing import products_of_others
from ..rules.textbook import CONSTANT, JACOBIAN, of_matrix
from ..variable import is_symbolic_array
from .arguments import Function, data_of, missing, symbolic_or_data

Linear = Callable[[Any], Any]


def mT(a: Any) -> Any:
    """Return the matrices transposed."""
    return np.swapaxes(a, -1, -2)


def diagonal(a: Any) -> Any:
    """Return the diagonals."""
    return np.diagonal(a, 0, -2, -1)


def _rule(name: str, compute: Function, products: Callable[..., tuple[Linear, Linear]], **record: Any) -> Rule:
    """Return a function of one matrix; ``products(value, matrix, *settings)`` gives ``jvp`` and ``vjp``."""

    def jacobians(y: Any, a: Any, *settings: Any) -> list[Jacobian | None]:
        return [LinearMap(*products(y, a, *settings), np.shape(y), np.shape(a)), *[None] * len(settings)]

    return Rule(name, compute, jacobians, "linear", **record)


# ---- solve, inverse, determinant ----


def _solution(a: Any, b: Any) -> Any:
    if is_on_device(a) and a.shape[:-2] != b.shape[:-2]:  # which CuPy does not broadcast
        stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a, b = (np.broadcast_to(part, (*stack, *part.shape[-2:])) for part in (a, b))
    return np.linalg.solve(a, b)


def _solve(y: Any, a: Any, b: Any) -> list[Jacobian]:
    """``b`` is a matrix, or a stack of them."""

    def back(c: Any) -> Any:
        return _solution(mT(a), c)

    along_a = (lambda t: -_solution(a, t @ y)), (lambda c: unbroadcast(-back(c) @ mT(y), np.shape(a)))
    along_b = (lambda t: _solution(a, t)), (lambda c: unbroadcast(back(c), np.shape(b)))
    return [LinearMap(*along_a, np.shape(y), np.shape(a)), LinearMap(*along_b, np.shape(y), np.shape(b))]


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
    """Return the cofactors as they are defined."""
    size = np.shape(a)[-1]
    if size == 1:
        return 0.0 * a + 1.0
    others = [[k for k in range(size) if k != left_out] for left_out in range(size)]
    rows = [
        [(-1.0) ** (i + j) * np.linalg.det(a[..., others[i], :][..., others[j]]) for j in range(size)]
        for i in range(size)
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _pinv(y: Any, a: Any, rcond: Any) -> tuple[Linear, Linear]:
    """At constant rank."""
    rows, columns = (as_like(np.eye(np.shape(product)[-1]), y) - product for product in (a @ y, y @ a))
    return (
        lambda t: -y @ t @ y + y @ mT(y) @ mT(t) @ rows + columns @ mT(t) @ mT(y) @ y,
        lambda c: -mT(y) @ c @ mT(y) + rows @ mT(c) @ y @ mT(y) + mT(y) @ y @ mT(c) @ columns,
    )


SOLVE = Rule(
    "solve",
    _solution,
    _solve,
    "linear",
    code="np.linalg.solve({a}, {b})",
    words=Words(
        "For {a} {y} = {b} the transposed system is solved: [b:{b} receives {a}⁻ᵀ times the adjoint][ab:, and ]"
        "[a:{a} receives minus that times {y}ᵀ].",
        (
            (
                ("{a}⁻ᵀ · (…) · {y}ᵀ", "The sign is missing: a larger {a} makes the solution smaller."),
                ("−{a}⁻¹ · (…) · {y}ᵀ", "{a} has to be transposed: the transposed system is solved."),
            ),
            (
                ("{a}⁻¹ ·", "{a} has to be transposed: the transposed system is solved."),
                ("{a}ᵀ ·", "That multiplies with {a}; the system is solved, so it is the inverse."),
            ),
        ),
        gates=(("−{a}⁻ᵀ · (…) · {y}ᵀ", "−{a}⁻¹ · (…) · {y}"), ("{a}⁻ᵀ ·", "{a}⁻¹ ·")),
    ),
    count=operation_counts.solve,
    abstract_eval=abstract_values.solved,
    batched=rows.solutions,
)
INV = _rule(
    "inv",
    np.linalg.inv,
    lambda y, a: ((lambda t: -y @ t @ y), (lambda c: -mT(y) @ c @ mT(y))),
    count=operation_counts.cubic(2),
    abstract_eval=abstract_values.square,
    batched=rows.as_it_is,
    words=of_matrix(
        ("−{a}⁻ᵀ · (…) · {a}⁻ᵀ", "−{a}⁻¹ · (…) · {a}⁻¹"),
        "The inverse of a matrix has the rule of the reciprocal, from both sides: {a} receives −{a}⁻ᵀ times the adjoint"
        " times {a}⁻ᵀ.",
        ("{a}⁻ᵀ · (…) · {a}⁻ᵀ", "The sign is missing: a larger matrix has a smaller inverse."),
        ("−{a}⁻¹ · (…) · {a}⁻¹", "The inverses have to be transposed: that is the rule of forward mode."),
        (
            "−{a}⁻ᵀ · {a}⁻ᵀ ·",
            "Matrices do not commute: one inverse stands on the left of the adjoint, the other on its right.",
        ),
    ),
)
PINV = _rule(
    "pinv",
    lambda a, rcond: np.linalg.pinv(a, *([] if rcond is None else [rcond])),
    _pinv,
    code="np.linalg.pinv({a}, {b:None})",
    standard="xp.linalg.pinv({a}, rtol={b:None})",
    count=operation_counts.oblong(lambda m, n: 6 * m * n**2 + 20 * n**3 + 2 * m * n**2),
    words=of_matrix(
        JACOBIAN,
        "The pseudo-inverse has the rule of the inverse, and two terms more for what it leaves out (Golub and"
        " Pereyra).",
        ("−{y}ᵀ · (…) · {y}ᵀ", "That is the rule of the inverse, which only square matrices of full rank have."),
    ),
)
DET = Rule(
    "det",
    np.linalg.det,
    _det,
    "linear",
    words=of_matrix(
        "· det({a})·{a}⁻ᵀ",
        "Jacobi's formula: the partials of a determinant are the cofactors, det({a})·{a}⁻ᵀ.",
        ("· {a}⁻ᵀ", "That is the rule of the logarithm of the determinant; the factor det({a}) is missing."),
        ("· det({a})·{a}⁻¹", "The inverse has to be transposed."),
    ),
    count=operation_counts.cubic(2 / 3),
)
LOG_DET = Rule(
    "logabsdet",
    lambda a: np.linalg.slogdet(a)[1],
    lambda y, a: [Reduction(mT(np.linalg.inv(a)), (-2, -1), False, np.shape(y), np.shape(a))],
    "linear",
    "log |det|",
    code="np.linalg.slogdet({a})[1]",
    standard="xp.linalg.slogdet({a})[1]",
    words=of_matrix(
        "· {a}⁻ᵀ",
        "The logarithm of a determinant has the transposed inverse for its partials, {a}⁻ᵀ.",
        ("· {a}⁻¹", "The inverse has to be transposed."),
        ("· det({a})·{a}⁻ᵀ", "That is the rule of the determinant itself; the logarithm divides it by det({a})."),
    ),
    count=operation_counts.cubic(2 / 3),
)


SIGN_DET = Rule(
    "signdet",
    lambda a: np.linalg.slogdet(a)[0],
    lambda y, a: [Flat(np.shape(y), np.shape(a))],
    "linear",
    "sign det",
    code="np.linalg.slogdet({a})[0]",
    standard="xp.linalg.slogdet({a})[0]",
    words=CONSTANT,
    count=operation_counts.cubic(2 / 3),
)


# ---- decompositions ----


def _halved(a: Any) -> Any:
    return a * as_like(np.tri(np.shape(a)[-1]) - np.eye(np.shape(a)[-1]) / 2, a)


def mirrored(t: Any, uplo: Any) -> Any:
    """Return the symmetric matrices of which one triangle is read, the lower one if ``uplo`` is ``"L"``."""
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
        """Return the part of each column that does not change the length of its eigenvector."""
        return x - v * np.sum(v * x, axis=-2, keepdims=True)

    def jvp(t: Any) -> Any:
        inner = np.linalg.solve(v, t @ v)
        return np.concatenate([diagonal(inner)[..., None, :], across(v @ _over_gaps(inner, w))], axis=-2)

    def vjp(c: Any) -> Any:
        inner = as_like(np.eye(np.shape(a)[-1]), c) * c[..., 0, None, :] + _over_gaps(mT(v) @ across(c[..., 1:, :]), w)
        return np.linalg.solve(mT(v), inner @ mT(v))

    return jvp, vjp


def _eigvals(y: Any, a: Any) -> tuple[Linear, Linear]:
    w, v = (_real("np.linalg.eigvals", part) for part in np.linalg.eig(a))
    order = np.argsort(
        np.argsort(symbolic_or_data(y), axis=-1), axis=-1
    )  # LAPACK's may differ where no vectors are computed
    order = np.take_along_axis(np.argsort(symbolic_or_data(w), axis=-1), order, -1)
    v = np.take_along_axis(v, np.broadcast_to(order[..., None, :], np.shape(v)), -1)
    return (lambda t: diagonal(np.linalg.solve(v, t @ v)), lambda c: np.linalg.solve(mT(v), c[..., :, None] * mT(v)))


def _svd(y: Any, a: Any) -> tuple[Linear, Linear]:
    """The value is ``u``, a row of singular values, and ``v`` below each other, of as many columns as those."""
    m, n = np.shape(a)[-2:]
    u, s, v = y[..., :m, :], y[..., m, :], y[..., m + 1 :, :]
    row = s[..., None, :]

    def outside(basis: Any, x: Any) -> Any:
        """Return the part of ``x`` that the basis does not span."""
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


def eigh_in_one(a: Any, uplo: Any) -> Any:
    """Eigenvalues of symmetric matrices, with the eigenvectors as columns below them."""
    w, v = np.linalg.eigh(a, uplo)
    return np.concatenate([w[..., None, :], v], axis=-2)


def svd_in_one(a: Any) -> Any:
    """u, a row of singular values, and v, below each other."""
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return np.concatenate([u, s[..., None, :], np.swapaxes(vh, -1, -2)], axis=-2)


def qr_in_one(a: Any) -> Any:
    """q and r, below each other."""
    return np.concatenate([*np.linalg.qr(a)], axis=-2)


def _real(name: str, value: Any) -> Any:
    """Return what is real: NumPy 2.5 and CuPy call all eigenvalues and eigenvectors complex."""
    if not np.iscomplexobj(value):
        return value
    if np.any(value.imag):
        raise missing(f"{name} of a matrix with complex eigenvalues", "Only real ones can be traced.")
    return value.real


def _eig_in_one(a: Any) -> Any:
    w, v = np.linalg.eig(a)
    return np.concatenate([_real("np.linalg.eig", part) for part in (w[..., None, :], v)], axis=-2)


CHOLESKY = _rule(
    "cholesky",
    np.linalg.cholesky,
    _cholesky,
    count=operation_counts.cubic(1 / 3),
    abstract_eval=abstract_values.square,
    words=of_matrix(
        JACOBIAN,
        "The factor L of {a} = L Lᵀ is differentiated through that equation: two triangular systems are solved with the"
        " adjoint.",
        ("/ (2 · {y})", "That is the rule of the square root of a number; matrices do not commute."),
    ),
)
EIGH = _rule(
    "eigh",
    eigh_in_one,
    _eigh,
    code="eigh_in_one({a}, {b})",
    helper=source_of(eigh_in_one),
    count=operation_counts.cubic(9),
    words=of_matrix(
        JACOBIAN,
        "Eigenvalues respond by the outer products of their eigenvectors, and eigenvectors turn towards each other, the"
        " faster the closer their eigenvalues are.",
        ("V diag(…) Vᵀ", "That is the part of the eigenvalues; the eigenvectors change as well."),
    ),
)
EIGVALSH = _rule(
    "eigvalsh",
    np.linalg.eigvalsh,
    _eigvalsh,
    count=operation_counts.cubic(4 / 3),
    words=of_matrix(
        "V diag(…) Vᵀ",
        "An eigenvalue of a symmetric matrix responds to {a} by the outer product of its eigenvector with itself.",
        ("diag(…)", "The eigenvectors are missing: that holds for diagonal matrices only."),
        ("Vᵀ diag(…) V", "The eigenvectors are the columns of V: it stands on the left, its transpose on the right."),
    ),
)
EIG = _rule(
    "eig",
    _eig_in_one,
    _eig,
    code="eig_in_one({a})",
    helper='''def eig_in_one(a):
    """Eigenvalues of matrices, with the eigenvectors as columns below them."""
    w, v = np.linalg.eig(a)
    return np.concatenate([real(w)[..., None, :], real(v)], axis=-2)''',
    count=operation_counts.cubic(25),
    words=of_matrix(
        JACOBIAN,
        "Eigenvalues respond by the outer products of left and right eigenvectors, and eigenvectors turn towards each"
        " other, the faster the closer their eigenvalues are.",
        ("V⁻ᵀ diag(…) Vᵀ", "That is the part of the eigenvalues; the eigenvectors change as well."),
    ),
)
EIGVALS = _rule(
    "eigvals",
    lambda a: _real("np.linalg.eigvals", np.linalg.eigvals(a)),
    _eigvals,
    code="real(np.linalg.eigvals({a}))",
    count=operation_counts.cubic(10),
    words=of_matrix(
        "V⁻ᵀ diag(…) Vᵀ",
        "An eigenvalue responds to {a} by the outer product of its left and its right eigenvector.",
        ("V diag(…) Vᵀ", "That holds for symmetric matrices, of which the left and right eigenvectors are the same."),
    ),
)
SVD = _rule(
    "svd",
    svd_in_one,
    _svd,
    code="svd_in_one({a})",
    helper=source_of(svd_in_one),
    count=operation_counts.oblong(lambda m, n: 6 * m * n**2 + 20 * n**3),
    words=of_matrix(
        JACOBIAN,
        "Singular values respond by the outer products of their vectors, and the vectors turn towards each other, the"
        " faster the closer their singular values are.",
        ("U diag(…) Vᵀ", "That is the part of the singular values; the vectors change as well."),
    ),
)
SVDVALS = _rule(
    "svdvals",
    lambda a: np.linalg.svd(a, compute_uv=False),
    _svdvals,
    code="np.linalg.svd({a}, compute_uv=False)",
    standard="xp.linalg.svdvals({a})",
    count=operation_counts.oblong(lambda m, n: 4 * m * n**2 - 4 / 3 * n**3),
    words=of_matrix(
        "U diag(…) Vᵀ",
        "A singular value responds to {a} by the outer product of its left and its right singular vector.",
        ("V diag(…) Uᵀ", "U and V are exchanged: {a} = U diag(s) Vᵀ, and its adjoint has the same form."),
    ),
)
QR = _rule(
    "qr",
    qr_in_one,
    _qr,
    code="qr_in_one({a})",
    helper=source_of(qr_in_one),
    count=operation_counts.oblong(lambda m, n: 4 * m * n**2 - 4 / 3 * n**3),
    words=of_matrix(
        JACOBIAN,
        "The factors of {a} = Q R are differentiated through that equation: Q stays orthogonal and R triangular.",
        ("Q ·", "That is the part of R only; Q changes as well."),
    ),
)
