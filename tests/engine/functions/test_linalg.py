"""Linear algebra: matrices without full rank, values that repeat, and what is refused; the catalogue has the calls."""

import numpy as np
import pytest

import adviz as ad

from ..derivatives import assert_close

RNG = np.random.default_rng(5)
A = RNG.normal(size=(3, 3)) + 2 * np.eye(3)
TALL = RNG.normal(size=(4, 3))
RANK_TWO = A * [1.0, 1.0, 0.0]


def test_elimination_and_the_rule_agree_on_singular_matrices():
    for matrix in (RANK_TWO[:, [2, 0, 1]], np.zeros((3, 3)), np.ones((2, 2))):
        for grain in ("array", "scalar"):
            assert_close(ad.grad(np.linalg.det, grain=grain)(matrix), _cofactors(matrix), 1e-13)
    for grain in ("array", "scalar"):
        with pytest.raises(np.linalg.LinAlgError, match="Singular"):
            ad.trace(lambda x: np.linalg.solve(x, x[0]), np.ones((3, 3)), grain=grain)


def _cofactors(a):
    found = np.empty_like(a)
    for i, j in np.ndindex(*a.shape):
        found[i, j] = (-1) ** (i + j) * np.linalg.det(np.delete(np.delete(a, i, 0), j, 1))
    return found


def test_eigenvalues_that_repeat_have_a_gradient_where_no_eigenvector_is_asked_for():
    gradient = ad.grad(lambda a: np.sum(np.linalg.eigh(a)[0] ** 2))(np.eye(3))
    assert_close(gradient, 2 * np.eye(3), 1e-15)
    gradient = ad.grad(lambda a: np.sum(np.linalg.svd(a)[1] ** 2))(np.eye(3))
    assert_close(gradient, 2 * np.eye(3), 1e-15)


@pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning")
def test_eigenvectors_of_an_eigenvalue_that_repeats_have_no_derivative():
    with np.errstate(all="ignore"):
        gradient = ad.grad(lambda a: np.linalg.eigh(a)[1][0, 1])(np.eye(2))
    assert not np.isfinite(gradient).all()


def test_singular_values_of_least_squares_are_refused_entry_by_entry_once_they_are_asked_for():
    found = []
    ad.trace(lambda x: found.append(np.linalg.lstsq(x, x[:, 0])[3]) or x, TALL, grain="scalar")
    for use in (lambda s: s[0], lambda s: np.sum(s), list, len, lambda s: s.shape, lambda s: s * 2.0):
        with pytest.raises((ad.MissingBlockError, TypeError), match=r"the singular values|unsupported operand"):
            ad.trace(lambda x, use=use: use(np.linalg.lstsq(x, x[:, 0])[3]), TALL, grain="scalar")


def test_what_no_singular_value_belongs_to_is_refused_by_name():
    with pytest.raises(ad.MissingBlockError, match=r"np\.linalg\.svd with full_matrices=True"):
        ad.trace(lambda x: np.linalg.svd(x)[0], TALL)
    with pytest.raises(ad.MissingBlockError, match=r"np\.linalg\.qr with mode='complete'"):
        ad.trace(lambda x: np.linalg.qr(x, mode="complete")[0], TALL)
    with pytest.raises(ad.MissingBlockError, match=r"np\.linalg\.eig of a matrix with complex eigenvalues"):
        ad.trace(np.linalg.eig, np.array([[0.0, 1.0], [-1.0, 0.0]]))
    with pytest.raises(ad.MissingBlockError, match=r"np\.linalg\.eigvals of a matrix with complex eigenvalues"):
        ad.trace(np.linalg.eigvals, np.array([[0.0, 1.0], [-1.0, 0.0]]))
    with pytest.raises(ad.MissingBlockError, match=r"np\.linalg\.pinv, entry by entry, of a matrix that lacks rank"):
        ad.trace(np.linalg.pinv, RANK_TWO, grain="scalar")
    with pytest.raises(ValueError, match="no norm of matrices"):
        ad.trace(lambda x: np.linalg.norm(x, 3), TALL)
    with pytest.raises(ValueError, match="a norm of matrices"):
        ad.trace(lambda x: np.linalg.norm(x[0], "nuc"), TALL)
