"""Sparse matrices of constants and traced arrays: what the catalogue of calls does not say."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sl

import adviz as ad

from ..checks import GRAINS
from ..derivatives import assert_close
from .test_catalogue import DENSE, SECTIONS, drawn

X = drawn(3)


def test_products_are_compiled():
    for text in ("x @ (S @ x)", "S @ np.array([x[0], 1.0, x[2]])", "S @ x[:, None]"):
        f, _ = SECTIONS["sparse"].function(text)
        value, jacobian = ad.compile_jacobian(f, X)(2.0 * X)
        assert_close(value, f(2.0 * X), 1e-13)
        assert_close(jacobian, ad.jacobian(f)(2.0 * X), 1e-13)


def test_a_large_matrix_is_never_made_dense():
    size = 100_000  # dense, it would take 80 GB
    matrix = sp.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(size, size), format="csr")
    x = np.linspace(0.0, 1.0, size)
    found = ad.grad(lambda x: 0.5 * np.sum((matrix @ x) ** 2))(x)
    assert_close(found, matrix.T @ (matrix @ x), 1e-12)


@GRAINS
def test_what_does_not_fit_or_is_made_before_the_trace_is_refused(grain):
    with pytest.raises(ValueError, match=r"the shapes do not fit: \(3, 4\) @ \(3,\)"):
        ad.trace(lambda x: sp.csr_matrix((3, 4)) @ x, X, grain=grain)
    with pytest.raises(ad.MissingBlockError, match="takes plain numbers"):
        ad.trace(lambda x: sl.splu(sp.csc_matrix(DENSE)).solve(x), X, grain=grain)
