"""Linear algebra: rules against central differences on single matrices and stacks, values against NumPy."""

import numpy as np
import pytest

import adviz as ad
from adviz.engine.blocks import Block
from adviz.engine.functions import linalg

from ..derivatives import assert_close, central_jacobian

RNG = np.random.default_rng(5)
A = RNG.normal(size=(3, 3)) + 2 * np.eye(3)
STACK = RNG.normal(size=(2, 3, 3)) + 2 * np.eye(3)
TALL, WIDE = RNG.normal(size=(4, 3)), RNG.normal(size=(3, 4))
B, C = RNG.normal(size=(3, 2)), RNG.normal(size=(2, 3, 2))
POSITIVE = A @ A.T + np.eye(3)
POSITIVE_STACK = STACK @ STACK.swapaxes(1, 2) + np.eye(3)
RANK_TWO = A * [1.0, 1.0, 0.0]
ONE = np.array([[2.0]])
REAL = np.array([[2.0, 0.3, 0.1], [0.4, 1.0, 0.2], [0.1, 0.5, 3.0]])
"""A matrix that is not symmetric, and whose eigenvalues are real."""

CASES: dict[str, list[tuple]] = {
    "solve": [(A, B), (STACK, B), (A, C), (STACK, C), (STACK[:1], C), (ONE, ONE)],
    "inv": [(A,), (STACK,), (ONE,)],
    "pinv": [(A, None), (TALL, None), (WIDE, 1e-10), (np.stack([TALL, 2 * TALL[::-1]]), None)],
    "det": [(A,), (STACK,), (RANK_TWO,), (np.stack([A, RANK_TWO]),), (0 * A,), (ONE,)],
    "logabsdet": [(A,), (STACK,), (-A,)],
    "signdet": [(A,), (STACK,), (-A,)],
    "cholesky": [(POSITIVE,), (POSITIVE_STACK,), (ONE,)],
    "eigh": [(POSITIVE, "L"), (POSITIVE_STACK, "U"), (A, "L"), (ONE, "L")],
    "eigvalsh": [(POSITIVE, "L"), (POSITIVE_STACK, "L"), (A, "U")],
    "eig": [(REAL,), (np.stack([REAL, REAL.T + 1]),), (ONE,)],
    "eigvals": [(REAL,), (np.stack([REAL, REAL.T + 1]),), (ONE,)],
    "svd": [(A,), (TALL,), (WIDE,), (STACK,), (np.stack([TALL, 2 * TALL[::-1]]),)],
    "svdvals": [(A,), (TALL,), (WIDE,), (STACK,)],
    "qr": [(A,), (TALL,), (STACK,)],
}
TABLE = [block for block in vars(linalg).values() if isinstance(block, Block)]
EXAMPLES = [
    pytest.param(block, operands, id=f"{block.name}-{k}")
    for block in TABLE
    for k, operands in enumerate(CASES.get(block.name, []))
]


def test_every_rule_has_matrices_to_be_tested_with():
    assert {block.name for block in TABLE} == set(CASES)


@pytest.mark.parametrize(("block", "operands"), EXAMPLES)
def test_both_products_agree_with_central_differences(block, operands):
    value = block.compute(*operands)
    for k, jacobian in enumerate(block.linearize(value, *operands)):
        if jacobian is None:
            continue
        slope = central_jacobian(lambda x, k=k: block.compute(*operands[:k], x, *operands[k + 1 :]), operands[k])
        slope = slope.reshape(jacobian.shape)
        tangent, adjoint = RNG.normal(size=jacobian.in_shape), RNG.normal(size=jacobian.out_shape)
        forward, backward = jacobian.jvp(tangent), jacobian.vjp(adjoint)
        assert (np.shape(forward), np.shape(backward)) == (jacobian.out_shape, jacobian.in_shape)
        assert_close(np.ravel(forward), slope @ np.ravel(tangent), 1e-7)
        assert_close(np.ravel(backward), np.ravel(adjoint) @ slope, 1e-7)
        assert np.sum(adjoint * forward) == pytest.approx(np.sum(tangent * backward), rel=1e-11, abs=1e-11)


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
