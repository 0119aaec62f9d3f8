"""``scipy.linalg`` on traced values: against SciPy's own values, and against differences of them."""

import inspect

import numpy as np
import pytest
import scipy.linalg as la

import adviz as ad

from ..checks import GRAINS
from ..scipys import check

RNG = np.random.default_rng(5)
A = RNG.normal(size=(3, 3)) + 2 * np.eye(3)
B, b = RNG.normal(size=(3, 2)), RNG.normal(size=3)
P = A @ A.T + np.eye(3)
T = RNG.normal(size=(4, 3))
R = np.array([[2.0, 0.3, 0.1], [0.4, 1.0, 0.2], [0.1, 0.5, 3.0]])
"""A matrix that is not symmetric, and whose eigenvalues are real."""
SWAPPED = A[::-1].copy()
HAS_DISP = "disp" in inspect.signature(la.logm).parameters  # until SciPy 1.18

WHOLE = {
    "eigh": (lambda a: la.eigh(a)[0], (P,)),
    "squares of eigenvectors": (lambda a: la.eigh(a)[1] ** 2, (P,)),
    "eigh, upper": (lambda a: la.eigh(a, lower=False, eigvals_only=True), (P,)),
    "eigh of two matrices": (lambda a, b: la.eigh(a, b)[0], (A + A.T, P)),
    "eigh of two matrices, vectors": (lambda a, b: la.eigh(a, b)[1] ** 2, (A + A.T, P)),
    "eigvalsh": (lambda a, b: la.eigvalsh(a, b, lower=False), (A + A.T, P)),
    "eigh, some values": (lambda a: la.eigh(a, subset_by_index=[1, 2])[0], (P,)),
    "eig": (lambda a: np.real(la.eig(a)[0]), (R,)),
    "eig, vectors": (lambda a: la.eig(a)[1] ** 2, (R,)),
    "eigvals": (lambda a: la.eigvals(a).real, (R,)),
    "svd": (lambda a: la.svd(a)[1], (A,)),
    "svd, vectors": (lambda a: la.svd(a, full_matrices=False)[0] ** 2, (T,)),
    "svd, values": (lambda a: la.svd(a, compute_uv=False), (T,)),
    "svdvals": (la.svdvals, (T,)),
    "polar": (lambda a: la.polar(a)[0], (A,)),
    "polar, positive factors": (lambda a: la.polar(a)[1] + la.polar(a, side="left")[1], (A,)),
    "sqrtm": (la.sqrtm, (P,)),
    "logm": (la.logm, (P,)),
    "sinm": (la.sinm, (A / 3,)),
    "cosm": (la.cosm, (A / 3,)),
    "tanm": (la.tanm, (A / 9,)),
    "sinhm": (la.sinhm, (A / 3,)),
    "coshm": (la.coshm, (A / 3,)),
    "tanhm": (la.tanhm, (A / 3,)),
}
BOTH = {
    "solve": (la.solve, (A, B)),
    "solve of a vector": (la.solve, (A, b)),
    "solve, transposed": (lambda a, b: la.solve(a, b, transposed=True), (A, b)),
    "solve, positive definite": (lambda a, b: la.solve(a, b, assume_a="pos"), (P, b)),
    "solve, symmetric": (lambda a, b: la.solve(a, b, lower=True, assume_a="sym"), (P, b)),
    "solve, triangular": (lambda a, b: la.solve(a, b, assume_a="lower triangular"), (A, b)),
    "inv": (la.inv, (A,)),
    "det": (la.det, (A,)),
    "cholesky": (la.cholesky, (P,)),
    "cholesky, lower": (lambda a: la.cholesky(a, lower=True), (P,)),
    "cho_solve": (lambda a, b: la.cho_solve(la.cho_factor(a), b), (P, b)),
    "cho_solve, lower": (lambda a, b: la.cho_solve(la.cho_factor(a, lower=True), b), (P, B)),
    "cho_solve of plain factors": (lambda b: la.cho_solve(la.cho_factor(P), b), (b,)),
    "lower factor": (lambda a: la.lu(a)[1], (SWAPPED,)),
    "upper factor": (lambda a: la.lu(a)[2], (SWAPPED,)),
    "lu, permuted": (lambda a: la.lu(a)[0] @ la.lu(a)[1] + la.lu(a, permute_l=True)[0], (SWAPPED,)),
    "lu, indices": (lambda a: la.lu(a, p_indices=True)[0] + 0 * a[0], (SWAPPED,)),
    "lu_factor": (lambda a: la.lu_factor(a)[0], (SWAPPED,)),
    "lu_solve": (lambda a, b: la.lu_solve(la.lu_factor(a), b), (SWAPPED, b)),
    "lu_solve, transposed": (lambda a, b: la.lu_solve(la.lu_factor(a), b, trans=1), (SWAPPED, B)),
    "lu_solve of plain factors": (lambda b: la.lu_solve(la.lu_factor(A), b), (b,)),
    "solve_triangular": (la.solve_triangular, (A, b)),
    "solve_triangular, lower, transposed": (lambda a, b: la.solve_triangular(a, b, lower=True, trans="T"), (A, B)),
    "solve_triangular with a diagonal of ones": (lambda a, b: la.solve_triangular(a, b, unit_diagonal=True), (A, B)),
    "solve_banded": (
        lambda a, b: la.solve_banded((1, 1), a, b),
        (np.array([[0, 1.0, 0.5], [4, 5, 6], [0.3, 0.2, 0]]), b),
    ),
    "solveh_banded": (lambda a, b: la.solveh_banded(a, b), (np.array([[0, 1.0, 0.5], [4, 5, 6]]), b)),
    "solveh_banded, lower": (
        lambda a, b: la.solveh_banded(a, b, lower=True),
        (np.array([[4, 5, 6], [1.0, 0.5, 0]]), b),
    ),
    "qr": (lambda a: la.qr(a, mode="economic")[0], (T,)),
    "qr of a square matrix": (lambda a: la.qr(a)[1], (A,)),
    "qr, mode r": (lambda a: la.qr(a, mode="r")[0], (A,)),
    "norm": (la.norm, (A,)),
    "norm of order 1": (lambda a: la.norm(a, 1), (A,)),
    "norm along an axis": (lambda a: la.norm(a, axis=1, keepdims=True), (A,)),
    "pinv": (la.pinv, (T,)),
    "pinv with its rank": (lambda a: la.pinv(a, return_rank=True)[0], (T,)),
    "lstsq": (lambda a, b: la.lstsq(a, b)[0], (T, RNG.normal(size=4))),
    "lstsq, residuals": (lambda a, b: la.lstsq(a, b)[1], (T, RNG.normal(size=4))),
    "expm": (la.expm, (A,)),
    "expm, squared several times": (lambda a: la.expm(3 * a) / 10000.0, (A,)),
    "expm of 0": (lambda a: la.expm(a * 0), (A,)),
    "solve_sylvester": (la.solve_sylvester, (A, P[:2, :2], B)),
    "solve_continuous_lyapunov": (la.solve_continuous_lyapunov, (P, A)),
    "solve_discrete_lyapunov": (la.solve_discrete_lyapunov, (A / 4, P)),
    "block_diag": (lambda a, b: la.block_diag(a, b, 2.0), (A, B)),
    "block_diag of lists": (lambda b: la.block_diag(b, [[1.0, 2]], [b[0]]), (b,)),
    "toeplitz": (la.toeplitz, (b,)),
    "toeplitz of two vectors": (la.toeplitz, (b, RNG.normal(size=4))),
    "hankel": (la.hankel, (b,)),
    "hankel of two vectors": (la.hankel, (b, RNG.normal(size=4))),
    "circulant": (la.circulant, (b,)),
    "solve_toeplitz": (lambda c, b: la.solve_toeplitz(c, b), (np.array([4.0, 1, 0.5]), b)),
    "solve_toeplitz of two vectors": (
        lambda c, b: la.solve_toeplitz((c, c * 0.5 + 2), b),
        (np.array([4.0, 1, 0.5]), b),
    ),
}


@GRAINS
@pytest.mark.parametrize("name", BOTH)
def test_a_function_has_scipys_value_and_its_derivatives(name, grain):
    check(*BOTH[name], grain, 1e-11)


@GRAINS
@pytest.mark.slow
@pytest.mark.parametrize("name", WHOLE)
def test_what_has_no_form_entry_by_entry_is_done_on_whole_matrices(name, grain):
    check(*WHOLE[name], grain, 1e-11)


def test_keywords_that_would_change_the_result_are_named():
    for name, f in {
        "scipy.linalg.qr with pivoting": lambda a: la.qr(a, pivoting=True),
        "scipy.linalg.qr with mode='full' of an array of shape (3, 2)": lambda a: la.qr(a[:, :2]),
        "scipy.linalg.eig with b": lambda a: la.eig(a, P),
        "scipy.linalg.eig with left": lambda a: la.eig(a, left=True),
        "scipy.linalg.eigvals with homogeneous_eigvals": lambda a: la.eigvals(a, homogeneous_eigvals=True),
        "scipy.linalg.eigh with type": lambda a: la.eigh(a, P, type=2),
        "scipy.linalg.eigh with subset_by_value": lambda a: la.eigh(a, subset_by_value=[0.0, 1.0]),
        "scipy.linalg.pinv with atol": lambda a: la.pinv(a, atol=0.1),
        "scipy.linalg.lu_factor of an array of shape (3, 2)": lambda a: la.lu(a[:, :2]),
        **({"scipy.linalg.logm with disp": lambda a: la.logm(a, disp=False)} if HAS_DISP else {}),
        "scipy.linalg.logm with complex values": lambda a: la.logm(-a @ a.T),
        "scipy.linalg.expm of an array with 3 axes": lambda a: la.expm(np.stack([a, a])),
        "scipy.linalg.solve with assume_a='odd'": lambda a: la.solve(a, b, assume_a="odd"),
    }.items():
        with pytest.raises(ad.MissingBlockError) as caught:
            ad.trace(f, A)
        assert f"no Block for {name}." in str(caught.value)
    with pytest.raises(TypeError, match="overwrite"):
        ad.trace(lambda a: la.inv(a, overwrite=True), A)


def test_the_order_of_rows_is_the_one_of_scipy():
    for grain in ("array", "scalar"):
        found = []
        ad.trace(lambda a, found=found: found.append(la.lu_factor(a)[1]) or a, SWAPPED, grain=grain)
        np.testing.assert_array_equal(found[0], la.lu_factor(SWAPPED)[1])


def test_a_program_of_triangular_factors_holds_at_other_points():
    def f(x):
        factor = la.cholesky(P + x[0] * np.eye(3), lower=True)
        return b @ la.cho_solve((factor, True), x) + np.sum(np.log(np.diag(factor)))

    program = ad.compile_jacobian(f, b)
    for point in (b, np.array([2.0, 0.1, -1.0])):
        value, jacobian = program(point)
        assert value == pytest.approx(f(point), rel=1e-12)
        np.testing.assert_allclose(jacobian, ad.grad(f)(point), rtol=1e-11)
