"""``scipy.linalg`` on traced values: for the most part NumPy's functions, with SciPy's keywords.

Settings of how a result is computed (``overwrite_a``, ``check_finite``, ``lapack_driver``) make no difference.
Matrix functions are differentiated by themselves: ``f([[A, E], [0, A]])`` has the derivative of ``f`` at ``A`` in
the direction ``E`` in its upper right corner (Mathias 1996, "A chain rule for matrix functions"; Higham 2008,
"Functions of Matrices", section 3.2). Sources of the other rules are in ``functions/linalg.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
import scipy.linalg

from ..apply import on_whole
from ..blocks import Rule, Words
from ..devices import as_like
from ..functions.arguments import (
    Function,
    Patches,
    check_unsupported,
    holds_traced,
    is_of_entries,
    joined,
    missing,
    numpy_data,
)
from ..functions.entries import indices_of
from ..functions.matrix_rules import mirrored, mT
from ..functions.registry import asking
from ..jacobians.local import Jacobian, LinearMap
from ..rules.textbook import JACOBIAN, of_matrix
from ..tape import current_tape

COMPUTING = ("overwrite_a", "overwrite_b", "overwrite_ab", "check_finite", "lapack_driver", "driver", "lwork")


def _with_settings(name: str, version: Function) -> Function:
    """Return a version without settings of how a result is computed, with the signature of SciPy's own."""
    its_signature = signature(getattr(scipy.linalg, name))

    def call(*args: Any, **settings: Any) -> Any:
        given = its_signature.bind(*args, **settings).arguments
        return version(**{key: value for key, value in given.items() if key not in COMPUTING})

    return call


# ---- equations ----

TRIANGULAR = ("lower triangular", "upper triangular")
MIRRORED = ("sym", "symmetric", "her", "hermitian", "pos", "positive definite")


def solve(a: Any, b: Any, lower: bool = False, assume_a: Any = None, transposed: bool = False) -> Any:
    """``scipy.linalg.solve``; of ``a`` only the entries that ``assume_a`` names are read."""
    a = _assumed(joined(a), assume_a, lower)
    return np.linalg.solve(mT(a) if transposed else a, joined(b))


def _assumed(a: Any, kind: Any, lower: bool) -> Any:
    if kind in MIRRORED:
        return mirrored(a, "L" if lower else "U")
    if kind in TRIANGULAR:
        return np.tril(a) if kind == TRIANGULAR[0] else np.triu(a)
    if kind == "diagonal":
        return a * as_like(np.eye(np.shape(a)[-1]), a)
    if kind in ("tridiagonal", "banded", "gen", "general", None):
        return a
    raise missing(f"scipy.linalg.solve with assume_a={kind!r}", "Omit it.")


def solve_triangular(a: Any, b: Any, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False) -> Any:
    """``scipy.linalg.solve_triangular``, which reads one triangle."""
    a = np.tril(joined(a)) if lower else np.triu(joined(a))
    if unit_diagonal:
        identity = as_like(np.eye(np.shape(a)[-1]), a)
        a = a * (1 - identity) + identity
    b, is_lower = joined(b), lower == (trans in (0, "N"))
    a = a if trans in (0, "N") else mT(a)
    if is_of_entries(a, b) and np.ndim(a) == 2:
        return _substituted(a, b) if is_lower else _substituted(a[::-1, ::-1], b[::-1])[::-1]
    return np.linalg.solve(a, b)


def _substituted(a: Any, b: Any) -> Any:
    """Forward substitution: nothing is decided by the data."""
    result: list[Any] = []
    for i in range(len(a)):
        rest = b[i]
        for j in range(i):
            rest = rest - a[i, j] * result[j]
        result.append(rest / a[i, i])
    return np.stack(result)


def cholesky(a: Any, lower: bool = False) -> Any:
    """``scipy.linalg.cholesky``, which reads the upper triangle unless ``lower`` is set."""
    a = np.atleast_2d(joined(a))
    return np.linalg.cholesky(a) if lower else mT(np.linalg.cholesky(mT(a)))


def cho_solve(c_and_lower: Any, b: Any) -> Any:
    """``scipy.linalg.cho_solve``."""
    c, lower = c_and_lower
    factor = solve_triangular(c, b, trans=0 if lower else 1, lower=lower)
    return solve_triangular(c, factor, trans=1 if lower else 0, lower=lower)


def _banded(l_and_u: Any, ab: Any) -> Any:
    """Return the matrix whose diagonals are the rows of ``ab``."""
    below, above = l_and_u
    size = np.shape(ab)[1]
    row, column = np.indices((size, size))
    place = above + row - column
    inside = (place >= 0) & (place <= below + above)
    return ab[np.where(inside, place, 0), column] * as_like(inside * 1.0, ab)


def solveh_banded(ab: Any, b: Any, lower: bool = False) -> Any:
    """``scipy.linalg.solveh_banded``, by the whole matrix."""
    width = np.shape(ab)[0] - 1
    half = _banded((width, 0) if lower else (0, width), joined(ab))
    whole = half + mT(half) - half * as_like(np.eye(np.shape(ab)[1]), half)
    return np.linalg.solve(whole, joined(b))


def lstsq(a: Any, b: Any, cond: Any = None) -> tuple[Any, Any, Any, Any]:
    """``scipy.linalg.lstsq``."""
    x, residuals, rank, s = np.linalg.lstsq(joined(a), joined(b), rcond=np.finfo(float).eps if cond is None else cond)
    return x, residuals[0] if np.size(residuals) and np.ndim(b) == 1 else residuals, rank, s


def pinv(a: Any, *, atol: Any = None, rtol: Any = None, return_rank: bool = False) -> Any:
    """``scipy.linalg.pinv``."""
    check_unsupported("scipy.linalg.pinv", "Use rtol.", atol=atol)
    a = joined(a)
    rtol = max(np.shape(a)) * np.finfo(float).eps if rtol is None else rtol
    result = np.linalg.pinv(a, rtol)
    return (result, np.linalg.matrix_rank(numpy_data(a), rtol=rtol)) if return_rank else result


# ---- LU ----


def _lu(y: Any, a: Any, rows: Any) -> list[Jacobian | None]:
    """The value is ``L - 1 + U`` of the rows in order (de Hoog, Anderssen and Lukas 2011)."""
    size = np.shape(a)[-1]
    identity = as_like(np.eye(size), y)
    lower, upper = np.tril(y, -1) + identity, np.triu(y)

    def jvp(t: Any) -> Any:
        inner = mT(np.linalg.solve(mT(upper), mT(np.linalg.solve(lower, t[rows]))))
        return lower @ np.tril(inner, -1) + np.triu(inner) @ upper

    def vjp(c: Any) -> Any:
        inner = np.tril(mT(lower) @ np.tril(c, -1), -1) + np.triu(np.triu(c) @ mT(upper))
        return np.linalg.solve(mT(lower), mT(np.linalg.solve(upper, mT(inner))))[np.argsort(rows)]

    return [LinearMap(jvp, vjp, np.shape(y), np.shape(a)), None]


def _packed_lu(a: Any, rows: Any) -> Any:
    return _eliminated(a[rows]) if holds_traced(a) else scipy.linalg.lu_factor(a)[0]


def _eliminated(a: Any) -> Any:
    """Gaussian elimination of rows that are in order."""
    if len(a) < 2:
        return a
    factors = a[1:, :1] / a[0, 0]
    rest = _eliminated(a[1:, 1:] - factors * a[:1, 1:])
    return np.concatenate([a[:1], np.concatenate([factors, rest], axis=1)])


LU = Rule(
    "lu",
    _packed_lu,
    _lu,
    "linear",
    words=of_matrix(
        JACOBIAN,
        "The factors of {a} = L U are differentiated through that equation: L stays lower and U upper triangular.",
        ("{a}⁻ᵀ ·", "That is the rule of solving a system; here the factors themselves are the value."),
    ),
)


def lu_factor(a: Any) -> tuple[Any, Any]:
    """``scipy.linalg.lu_factor`` of a square matrix; the data decide which rows are exchanged."""
    a = joined(a)
    if np.ndim(a) != 2 or np.shape(a)[0] != np.shape(a)[1]:
        raise missing(f"scipy.linalg.lu_factor of an array of shape {np.shape(a)}", "Square matrices are factored.")
    _, pivots = scipy.linalg.lu_factor(numpy_data(a))
    rows = _order(pivots)
    return (_eliminated(a[rows]) if is_of_entries(a) else LU(a, rows)), pivots


def _order(pivots: Any) -> Any:
    """Return the order of rows after the exchanges."""
    rows = np.arange(len(pivots))
    for k, pivot in enumerate(pivots):
        rows[[k, pivot]] = rows[[pivot, k]]
    return rows


def lu(a: Any, permute_l: bool = False, p_indices: bool = False) -> tuple[Any, ...]:
    """``scipy.linalg.lu`` of a square matrix."""
    packed, pivots = lu_factor(a)
    places = np.argsort(_order(pivots))
    lower = np.tril(packed, -1) + as_like(np.eye(len(pivots)), packed)
    if permute_l:
        return lower[places], np.triu(packed)
    return (places if p_indices else np.eye(len(pivots))[places]), lower, np.triu(packed)


def lu_solve(lu_and_piv: Any, b: Any, trans: int = 0) -> Any:
    """``scipy.linalg.lu_solve``."""
    packed, pivots = lu_and_piv
    rows, b = _order(numpy_data(pivots)), joined(b)
    if trans:
        half = solve_triangular(packed, b, trans=1)
        return solve_triangular(packed, half, trans=1, lower=True, unit_diagonal=True)[np.argsort(rows)]
    half = solve_triangular(packed, b[rows], lower=True, unit_diagonal=True)
    return solve_triangular(packed, half)


# ---- eigenvalues, singular values, orthogonal factors ----


def eigh(
    a: Any, b: Any = None, *, lower: bool = True, eigvals_only: bool = False, subset_by_index: Any = None, **others: Any
) -> Any:
    """``scipy.linalg.eigh``; of two matrices ``a v = w b v``, by the Cholesky factor of the second."""
    check_unsupported(
        "scipy.linalg.eigh", "Select from its result.", **{k: v for k, v in others.items() if (k, v) != ("type", 1)}
    )
    a = joined(a)
    uplo: Any = "L" if lower else "U"
    factor = None if b is None else cholesky(b, lower)
    if factor is not None:
        factor = factor if lower else mT(factor)
        a = np.linalg.solve(factor, mT(np.linalg.solve(factor, mirrored(a, uplo))))
    chosen = slice(None) if subset_by_index is None else slice(subset_by_index[0], subset_by_index[1] + 1)
    if eigvals_only:
        return np.linalg.eigvalsh(a, uplo)[..., chosen]
    w, v = np.linalg.eigh(a, uplo)
    v = v if factor is None else np.linalg.solve(mT(factor), v)
    return w[..., chosen], v[..., chosen]


def eig(a: Any, b: Any = None, left: bool = False, right: bool = True, homogeneous_eigvals: bool = False) -> Any:
    """``scipy.linalg.eig`` of a matrix with real eigenvalues, which SciPy has complex with imaginary parts of 0."""
    check_unsupported("scipy.linalg.eig", b=b, left=left or None, homogeneous_eigvals=homogeneous_eigvals or None)
    w, v = np.linalg.eig(joined(a))
    return (w, v) if right else w


def eigvals(a: Any, b: Any = None, homogeneous_eigvals: bool = False) -> Any:
    """``scipy.linalg.eigvals`` of a matrix with real eigenvalues."""
    check_unsupported("scipy.linalg.eigvals", b=b, homogeneous_eigvals=homogeneous_eigvals or None)
    return np.linalg.eigvals(joined(a))


def qr(a: Any, mode: str = "full", pivoting: bool = False) -> Any:
    """``scipy.linalg.qr``: reduced, or of square matrices, which are the same."""
    check_unsupported("scipy.linalg.qr", "Omit it.", pivoting=pivoting or None)
    a = joined(a)
    if mode not in ("economic", "r", "full") or (np.shape(a)[-2] > np.shape(a)[-1] and mode != "economic"):
        raise missing(f"scipy.linalg.qr with mode={mode!r} of an array of shape {np.shape(a)}", "Use mode='economic'.")
    q, r = np.linalg.qr(a)
    return (r,) if mode == "r" else (q, r)


def polar(a: Any, side: str = "right") -> tuple[Any, Any]:
    """``scipy.linalg.polar`` by singular values."""
    u, s, vh = np.linalg.svd(joined(a), full_matrices=False)
    return u @ vh, ((mT(vh) * s) @ vh if side == "right" else (u * s) @ mT(u))


# ---- functions of matrices ----


FRECHET = of_matrix(
    "L({a}ᵀ, …)",
    "A function of a matrix passes the adjoint on by its Fréchet derivative at the transposed matrix, L({a}ᵀ, …).",
    ("{f}′({a}) ·", "Matrices do not commute, so the derivative is no product with one matrix."),
    ("L({a}, …)", "The matrix has to be transposed: that is the rule of forward mode."),
)


def _of_matrix(name: str, scalar: Callable[[Any], Any] | None = None) -> Function:
    """A function of a matrix that SciPy computes, differentiated by itself; ``scalar`` is what it is entry by entry."""

    def compute(a: Any) -> Any:
        result = function(a)
        if np.iscomplexobj(result):
            raise missing(f"scipy.linalg.{name} with complex values", "Only real ones can be traced.")
        return result

    def jacobians(y: Any, a: Any) -> list[Jacobian]:
        size = np.shape(a)[-1]

        def along(a: Any, direction: Any) -> Any:
            whole = np.block([[a, direction], [0.0 * a, a]])
            return function(whole)[:size, size:]

        return [LinearMap(lambda t: along(a, t), lambda c: along(mT(a), c), np.shape(y), np.shape(a))]

    def of_matrix(A: Any, **settings: Any) -> Any:
        check_unsupported(f"scipy.linalg.{name}", "Omit it.", **settings)
        a = joined(A)
        if np.ndim(a) != 2:
            raise missing(f"scipy.linalg.{name} of an array with {np.ndim(a)} axes", "Pass one matrix at a time.")
        if not is_of_entries(a):
            return rule(a)
        if scalar is not None:
            return scalar(a)
        if (tape := current_tape()) is None or tape.symbolic:
            raise missing(f"scipy.linalg.{name}, entry by entry", 'Trace with grain="array".')
        return on_whole(rule, a)

    function = asking("scipy.linalg", name)
    rule = Rule(name, compute, jacobians, "linear", words=FRECHET, code=f"real(scipy.linalg.{name}({{a}}))")
    return of_matrix


PADE: tuple[int, ...] = (
    *(64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600),
    *(670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1),
)


def _expm(a: Any) -> Any:
    """Padé's approximation of degree 13, scaled and squared (Higham 2005); how often is decided by the data."""
    norm = float(np.linalg.norm(numpy_data(a), 1))
    squarings = max(0, int(np.ceil(np.log2(max(norm, 1e-300) / 5.4))))
    a = a / 2.0**squarings
    identity, square = np.eye(len(a)), a @ a
    powers = [identity, square]
    while len(powers) < 7:
        powers.append(powers[-1] @ square)
    odd = a @ sum(weight * power for weight, power in zip(PADE[1::2], powers, strict=True))
    even = sum(weight * power for weight, power in zip(PADE[0::2], powers, strict=True))
    result = np.linalg.solve(even - odd, even + odd)
    for _ in range(squarings):
        result = result @ result
    return result


# ---- Sylvester's equation ----


def _sylvester(y: Any, a: Any, b: Any, q: Any) -> list[Jacobian]:
    def jvp(t: Any) -> Any:
        return SOLVED_SYLVESTER(a, b, t)

    def back(c: Any) -> Any:
        return SOLVED_SYLVESTER(mT(a), mT(b), c)

    return [
        LinearMap(lambda t: jvp(-t @ y), lambda c: -back(c) @ mT(y), np.shape(y), np.shape(a)),
        LinearMap(lambda t: jvp(-y @ t), lambda c: -mT(y) @ back(c), np.shape(y), np.shape(b)),
        LinearMap(jvp, back, np.shape(y), np.shape(q)),
    ]


SOLVED_SYLVESTER = asking("scipy.linalg", "solve_sylvester")
SYLVESTER = Rule(
    "solve_sylvester",
    SOLVED_SYLVESTER,
    _sylvester,
    "linear",
    code="scipy.linalg.solve_sylvester({a...})",
    words=Words(
        "For {a} {y} + {y} {b} = {c} the transposed equation {a}ᵀ Z + Z {b}ᵀ = … is solved for the adjoint:"
        " [c:{c} receives Z][ac:, ][a:{a} receives −Z {y}ᵀ][ab:, and ][b:{b} receives −{y}ᵀ Z].",
        (
            (("Z · {y}ᵀ", "The sign is missing: a larger {a} makes the solution smaller."),),
            (("{y}ᵀ · Z", "The sign is missing: a larger {b} makes the solution smaller."),),
            (("1", "The transposed equation has to be solved with the adjoint."),),
        ),
        gates=("−Z · {y}ᵀ", "−{y}ᵀ · Z", "Z"),
    ),
)


def solve_sylvester(a: Any, b: Any, q: Any) -> Any:
    """``scipy.linalg.solve_sylvester``: ``a x + x b = q``."""
    a, b, q = map(joined, (a, b, q))
    if is_of_entries(a, b, q):
        m, n = np.shape(q)
        whole = np.kron(a, np.eye(n)) + np.kron(np.eye(m), mT(b))
        return np.reshape(np.linalg.solve(whole, np.ravel(q)), (m, n))
    return SYLVESTER(a, b, q)


def solve_discrete_lyapunov(a: Any, q: Any, method: Any = None) -> Any:
    """``scipy.linalg.solve_discrete_lyapunov``: ``a x a' - x + q = 0``, as one system."""
    a, q = joined(a), joined(q)
    whole = as_like(np.eye(np.size(q)), a) - np.kron(a, a)
    return np.reshape(np.linalg.solve(whole, np.ravel(q)), np.shape(q))


# ---- matrices made of vectors ----


def block_diag(*arrs: Any) -> Any:
    """``scipy.linalg.block_diag``: rows of each block between zeros."""
    blocks = [np.atleast_2d(joined(block)) for block in arrs]
    widths = [np.shape(block)[1] for block in blocks]
    rows = []
    for k, block in enumerate(blocks):
        sides = (np.zeros((len(block), sum(others))) for others in (widths[:k], widths[k + 1 :]))
        left, right = (as_like(zeros, block) for zeros in sides)
        rows.append(np.concatenate([left, block, right], axis=1))
    return np.concatenate(rows)


def _arranged(name: str, *defaults: Callable[[Any], Any]) -> Function:
    """A matrix of the entries of vectors, arranged as SciPy arranges their indices; the index 0 is that of a zero."""
    arrange = getattr(scipy.linalg, name)

    def made(*vectors: Any) -> Any:
        arrays = [np.ravel(joined(vector)) for vector in vectors if vector is not None]
        places = [places + 1 for places in indices_of(*arrays)]
        whole = np.concatenate([as_like(np.zeros(1), arrays[0]), *arrays])
        return whole[arrange(*places, *(default(places[0]) for default in defaults[len(places) - 1 :])).astype(int)]

    return made


VERSIONS: Patches = {
    "inv": lambda a, assume_a=None, lower=False: np.linalg.inv(_assumed(joined(a), assume_a, lower)),
    "det": lambda a: np.linalg.det(joined(a)),
    "cho_factor": lambda a, lower=False: (cholesky(a, lower), lower),
    "solve_banded": lambda l_and_u, ab, b: np.linalg.solve(_banded(l_and_u, joined(ab)), joined(b)),
    **dict.fromkeys(
        ("solve_continuous_lyapunov", "solve_lyapunov"), lambda a, q: solve_sylvester(a, np.transpose(joined(a)), q)
    ),
    "eigvalsh": lambda a, b=None, **settings: eigh(a, b, eigvals_only=True, **settings),
    "svd": lambda a, full_matrices=True, compute_uv=True: np.linalg.svd(joined(a), full_matrices, compute_uv),
    "svdvals": lambda a: np.linalg.svd(joined(a), compute_uv=False),
    "norm": lambda a, ord=None, axis=None, keepdims=False: np.linalg.norm(joined(a), ord, axis, keepdims),
    "solve_toeplitz": lambda c_or_cr, b: np.linalg.solve(
        asking("scipy.linalg", "toeplitz")(*(c_or_cr if isinstance(c_or_cr, tuple) else [c_or_cr])), joined(b)
    ),
}
VERSIONS |= {
    version.__name__: version
    for version in (
        *(solve, solve_triangular, solveh_banded, solve_sylvester, solve_discrete_lyapunov, lstsq, pinv),
        *(cholesky, cho_solve, lu, lu_factor, lu_solve, eigh, eig, eigvals, qr, polar),
    )
}

FUNCTIONS: Patches = {name: _with_settings(name, version) for name, version in VERSIONS.items()} | {
    "block_diag": block_diag,
    "toeplitz": _arranged("toeplitz", lambda c: c),
    "hankel": _arranged("hankel", lambda c: 0 * c),
    "circulant": _arranged("circulant"),
    "expm": _of_matrix("expm", _expm),
    **{name: _of_matrix(name) for name in ("sqrtm", "logm", "sinm", "cosm", "tanm", "sinhm", "coshm", "tanhm")},
}
