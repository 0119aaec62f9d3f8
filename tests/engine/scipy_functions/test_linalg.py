"""``scipy.linalg`` on traced values: what the catalogue of calls does not say."""

import numpy as np
import pytest
import scipy.linalg as la

import adviz as ad

from .test_catalogue import MATRICES, P

SWAPPED, b = MATRICES["s"], MATRICES["b"]


def test_a_keyword_that_scipy_does_not_know_is_its_own_error():
    with pytest.raises(TypeError, match="overwrite"):
        ad.trace(lambda a: la.inv(a, overwrite=True), P)


def test_complex_values_of_a_logarithm_are_refused_by_name():
    with pytest.raises(ad.MissingBlockError, match=r"no Block for scipy\.linalg\.logm with complex values"):
        ad.trace(lambda a: la.logm(-a), P)


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


@pytest.mark.parametrize("grain", ["array", "scalar"])
def test_a_number_is_factored_as_a_matrix_of_one_entry(grain):
    assert ad.jacobian(lambda x: la.cholesky(x, lower=True), grain=grain)(4.0).tolist() == [[0.25]]
