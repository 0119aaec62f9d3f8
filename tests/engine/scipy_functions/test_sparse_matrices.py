"""Sparse matrices of constants and traced arrays: products and sums are those of the dense matrix."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sl

import adviz as ad

from ..checks import GRAINS
from ..derivatives import assert_close
from ..scipys import check

RNG = np.random.default_rng(5)
DENSE = np.array([[2.0, 0.0, -1.5], [0.0, 0.0, 0.7], [0.3, 1.1, 0.0]])
X, COLUMNS = RNG.normal(size=3), RNG.normal(size=(3, 2))
KINDS = [f"{form}_{kind}" for form in ("csr", "csc", "coo", "bsr", "dia", "lil", "dok") for kind in ("matrix", "array")]
SPARSE = sp.csr_matrix(DENSE)


@GRAINS
@pytest.mark.parametrize("kind", KINDS)
def test_products_with_a_sparse_matrix_are_linear_maps(kind, grain):
    matrix = getattr(sp, kind)(DENSE)
    check(lambda x: matrix @ x + x @ matrix + matrix.dot(x) * x + matrix.T @ (x * x), (X,), grain)
    check(lambda x: (matrix @ x).T + x.T @ matrix, (COLUMNS,), grain)


def written(x):
    y = np.zeros(3)
    y[1] = x[0]
    y[2] = x[2] ** 2
    return y


def multiplied_in_place(x):
    y = x * 1.0
    y @= SPARSE
    return y


PRODUCTS = {
    "matrix times": lambda x: SPARSE * x,
    "times matrix": lambda x: x * SPARSE,
    "a quadratic form": lambda x: x @ (SPARSE @ x),
    "a list": lambda x: SPARSE @ np.array([x[0], 1.0, x[2]]),
    "a written array": lambda x: SPARSE @ written(x) + written(x) @ SPARSE,
    "in place": multiplied_in_place,
    "complex entries": lambda x: np.abs(sp.csr_array(DENSE + 1j * DENSE.T) @ x) ** 2,
    "complex numbers": lambda x: np.abs(SPARSE @ (x * 1j + 2.0)) ** 2,
    "a column": lambda x: SPARSE @ x[:, None],
    "not square": lambda x: sp.csr_array(DENSE[:2]) @ x,
    "no entries": lambda x: sp.csr_matrix((3, 3)) @ x,
    "repeated entries": lambda x: sp.coo_matrix(([1.0, 2.0, 3.0], ([0, 0, 1], [2, 2, 1])), shape=(3, 3)) @ x,
    "whole numbers": lambda x: sp.csr_matrix(np.eye(3, dtype=int)) @ x,
    "one axis": lambda x: sp.coo_array(DENSE[0]) @ x,
    "diagonals": lambda x: sp.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(3, 3)) @ x,
    "a row": lambda x: SPARSE[0] @ x,
    "a linear operator": lambda x: sl.aslinearoperator(SPARSE) @ x,
    "sums": lambda x: np.asarray(SPARSE + np.outer(x, x)) + np.asarray(np.outer(x, x) + SPARSE),
    "differences": lambda x: np.asarray(SPARSE - np.outer(x, x)) * np.asarray(np.outer(x, x) - SPARSE),
}


@GRAINS
@pytest.mark.parametrize("name", PRODUCTS)
def test_a_program_with_a_sparse_matrix_has_the_values_and_derivatives_of_numbers(name, grain):
    check(PRODUCTS[name], (X,), grain)


def test_they_are_compiled():
    for name in ("a quadratic form", "a list", "a column"):
        value, jacobian = ad.compile_jacobian(PRODUCTS[name], X)(2.0 * X)
        assert_close(value, PRODUCTS[name](2.0 * X), 1e-13)
        assert_close(jacobian, ad.jacobian(PRODUCTS[name])(2.0 * X), 1e-13)


def test_a_large_matrix_is_never_made_dense():
    size = 100_000  # dense, it would take 80 GB
    matrix = sp.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(size, size), format="csr")
    x = np.linspace(0.0, 1.0, size)
    found = ad.grad(lambda x: 0.5 * np.sum((matrix @ x) ** 2))(x)
    assert_close(found, matrix.T @ (matrix @ x), 1e-12)


@GRAINS
def test_what_does_not_fit_or_is_not_known_is_refused(grain):
    with pytest.raises(ValueError, match=r"the shapes do not fit: \(3, 4\) @ \(3,\)"):
        ad.trace(lambda x: sp.csr_matrix((3, 4)) @ x, X, grain=grain)
    with pytest.raises(ad.MissingBlockError, match="of more than two axes"):
        ad.trace(lambda x: sp.coo_array(np.ones((2, 2, 3))) @ x, X, grain=grain)
    with pytest.raises(ad.MissingBlockError, match=r"scipy\.sparse\.linalg\.spsolve"):
        ad.trace(lambda x: sl.spsolve(sp.csc_matrix(DENSE), x), X, grain=grain)
    with pytest.raises(ad.MissingBlockError, match="takes plain numbers"):
        ad.trace(lambda x: sl.splu(sp.csc_matrix(DENSE)).solve(x), X, grain=grain)
