"""The algebra of Jacobians agrees with that of their matrices, and keeps the structure that the mathematics allows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adviz.engine.jacobians.algebra import Dense, Kronecker, RankOne
from adviz.engine.jacobians.base import Jacobian, LinearMap, Sparse, Zero
from adviz.engine.jacobians.local import Diagonal, MatrixProduct, Reduction, Reshaping, Selection, Window

from ..derivatives import assert_close
from ..jacobian_strategies import any_sign, chains, matrix_by_columns, positive, sums

equal = np.testing.assert_array_equal  # entries are small whole numbers: sums of their products are exact


@given(chains(2), st.data())
def test_a_product_has_the_product_of_the_matrices(pair, data):
    a, b = pair
    c = a @ b
    equal(c.dense(), a.dense() @ b.dense())
    assert (c.out_shape, c.in_shape) == (a.out_shape, b.in_shape)
    tangent, adjoint = data.draw(any_sign(b.in_shape)), data.draw(any_sign(a.out_shape))
    equal(np.ravel(c.jvp(tangent)), c.dense() @ tangent.ravel())
    equal(np.ravel(c.vjp(adjoint)), adjoint.ravel() @ c.dense())
    equal(c.jvp(tangent), a.jvp(np.reshape(b.jvp(tangent), a.in_shape)))


@given(chains(3))
def test_products_associate(chain):
    a, b, c = chain
    equal(((a @ b) @ c).dense(), (a @ (b @ c)).dense())


@given(sums())
def test_a_sum_has_the_sum_of_the_matrices(pair):
    a, b = pair
    c = a + b
    equal(c.dense(), a.dense() + b.dense())
    equal(matrix_by_columns(c), c.dense())
    equal(matrix_by_columns(c.T), c.dense().T)
    assert (c.out_shape, c.in_shape) == (a.out_shape, a.in_shape)


@given(chains(2))
def test_a_transpose_has_the_transposed_matrix(chain):
    for jacobian in (*chain, chain[0] @ chain[1]):
        equal(jacobian.T.dense(), jacobian.dense().T)
        equal(matrix_by_columns(jacobian.T), jacobian.dense().T)
        equal(jacobian.T.T.dense(), jacobian.dense())
        assert (jacobian.T.out_shape, jacobian.T.in_shape) == (jacobian.in_shape, jacobian.out_shape)


@given(chains(2), st.data())
def test_products_with_matrices_and_vectors_are_plain_arrays(chain, data):
    for jacobian in (*chain, chain[0] @ chain[1]):
        (rows, columns), matrix = jacobian.shape, jacobian.dense()
        right, left = data.draw(any_sign((columns, 2))), data.draw(any_sign((2, rows)))
        for found, expected in (
            (jacobian @ right, matrix @ right),
            (left @ jacobian, left @ matrix),
            (jacobian @ right[:, 0], matrix @ right[:, 0]),
            (left[0] @ jacobian, left[0] @ matrix),
        ):
            assert type(found) is np.ndarray
            equal(found, expected)


@given(chains(2), st.sampled_from([-2.0, -1, 0, 1, 3, np.float64(0.5)]))
def test_multiples_have_the_multiple_of_the_matrix(chain, number):
    for jacobian in (*chain, chain[0] @ chain[1]):
        equal((number * jacobian).dense(), number * jacobian.dense())
        equal((jacobian * number).dense(), number * jacobian.dense())
        equal((-jacobian).dense(), -jacobian.dense())


@given(chains(2, positive), sums(positive))
def test_nnz_counts_the_entries_that_are_not_zero(chain, pair):
    cancelling = any((jacobian.dense() < 0).any() for jacobian in (*chain, *pair))
    for jacobian in (*chain, chain[0] @ chain[1], *pair, pair[0] + pair[1]):
        entries, unknown = np.count_nonzero(jacobian.dense()), jacobian.structure in ("dense", "operator", "kronecker")
        assert entries <= jacobian.nnz <= jacobian.dense().size
        assert entries == jacobian.nnz or unknown or cancelling


@given(chains(2))
def test_a_product_takes_no_more_multiplications_than_that_of_dense_matrices(pair):
    a, b = pair
    assert 0 <= a.multiplications(b) <= a.shape[0] * a.shape[1] * b.shape[1]


def diagonal(size: int) -> Jacobian:
    return Diagonal(np.arange(2.0, size + 2), (size,), (size,))


def dense(rows: int, columns: int) -> Jacobian:
    return Dense(np.arange(1.0, 1 + rows * columns).reshape(rows, columns), (rows,), (columns,))


IDENTITY = Reshaping((3,), (3,))
DOUBLE, MINUS = Diagonal(2.0, (3,), (3,)), Diagonal(-1.0, (3,), (3,))
SOME = Selection(np.array([2, 0]), (3,))
PLACED = SOME.T
COLUMN = Diagonal(np.array([1.0, 2.0, 3.0]), (3,), ())
ROW = Reduction(np.array([1.0, 2.0, 4.0]), None, False, (), (3,))
TOTAL, ROWS_OF_SIX = Reduction(1.0, None, False, (), (3,)), Reduction(1.0, 1, False, (3,), (3, 2))
TWICE = Diagonal(1.0, (3, 2), (3, 1))
MEAN = Reduction(0.5, 1, False, (3,), (3, 2))
OUTER = RankOne(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 2.0]), (3,), (3,))
LEFT = MatrixProduct(np.ones((4, 2)), "left", (3, 2), (3, 4))  # x @ fixed
RIGHT = MatrixProduct(np.ones((5, 3)), "right", (5, 2), (3, 2))  # fixed @ x
OF_TWELVE = Diagonal(np.arange(1.0, 13).reshape(3, 4), (3, 4), (3, 4))
FLIP = LinearMap(np.flip, np.flip, (3,), (3,))


@pytest.mark.parametrize(
    ("a", "b", "structure", "multiplications"),
    [
        (IDENTITY, dense(3, 2), "dense", 0),
        (IDENTITY, FLIP, "operator", 0),
        (DOUBLE, DOUBLE, "scalar", 1),
        (DOUBLE, Diagonal(0.5, (3,), (3,)), "identity", 1),
        (MINUS, MINUS, "identity", 0),
        (DOUBLE, diagonal(3), "diagonal", 3),
        (DOUBLE, dense(3, 2), "dense", 6),
        (DOUBLE, OUTER, "rank-one", 3),
        (Diagonal(2.0, (6,), (6,)), LEFT, "kronecker", 0),  # the identity in it becomes a multiple
        (diagonal(3), diagonal(3), "diagonal", 3),
        (diagonal(3), PLACED, "selection", 0),
        (SOME, diagonal(3), "selection", 0),
        (SOME, PLACED, "identity", 0),
        (PLACED, SOME, "selection", 0),
        (SOME, dense(3, 4), "dense", 0),
        (diagonal(3), dense(3, 4), "dense", 12),
        (dense(2, 3), diagonal(3), "dense", 6),
        (dense(2, 3), dense(3, 4), "dense", 24),
        (dense(1, 3), dense(3, 1), "dense", 3),
        (dense(3, 1), dense(1, 3), "rank-one", 0),
        (diagonal(3), COLUMN, "broadcast", 3),
        (ROW, COLUMN, "scalar", 3),
        (COLUMN, ROW, "rank-one", 0),
        (ROWS_OF_SIX, TWICE, "scalar", 0),
        (MEAN, TWICE, "identity", 0),
        (TWICE, ROWS_OF_SIX, "sparse", 0),
        (TWICE, COLUMN, "broadcast", 0),
        (TOTAL, ROWS_OF_SIX, "reduction", 0),
        (ROW, ROWS_OF_SIX, "reduction", 0),
        (ROW, MEAN, "reduction", 6),
        (OUTER, OUTER, "rank-one", 6),
        (OUTER, diagonal(3), "rank-one", 3),
        (dense(2, 3), OUTER, "rank-one", 6),
        (OUTER, SOME.T, "rank-one", 0),
        (RIGHT, LEFT, "kronecker", 0),  # each has an identity where the other has its matrix
        (RIGHT, RIGHT.T, "kronecker", 75),
        (LEFT, OF_TWELVE, "sparse", 24),
        (LEFT, Dense(np.ones((12, 2)), (3, 4), (2,)), "dense", 48),
        (Zero((2,), (3,)), dense(3, 4), "zero", 0),
        (FLIP, diagonal(3), "operator", 0),
        (FLIP, dense(3, 2), "dense", 18),
        (dense(2, 3), FLIP, "dense", 18),
        (FLIP, OUTER, "rank-one", 9),
    ],
)
def test_products_of_structures(a, b, structure, multiplications):
    found = a @ b
    assert (found.structure, a.multiplications(b)) == (structure, multiplications)
    assert_close(found.dense(), a.dense() @ b.dense(), 1e-15)


@pytest.mark.parametrize(
    ("a", "b", "structure"),
    [
        (IDENTITY, IDENTITY, "scalar"),
        (IDENTITY, MINUS, "zero"),
        (diagonal(3), IDENTITY, "diagonal"),
        (diagonal(3), diagonal(3), "diagonal"),
        (SOME, SOME, "selection"),
        (SOME, Selection(np.array([0, 1]), (3,)), "sparse"),
        (Selection(np.array([0, 1, 2]), (3,)), DOUBLE, "scalar"),
        (Window(slice(None, 2), (2,), (3,)), -Window(slice(1, None), (2,), (3,)), "sparse"),
        (TWICE, TWICE, "broadcast"),
        (ROW, TOTAL, "reduction"),
        (Zero((3,), (3,)), OUTER, "rank-one"),
        (FLIP, Zero((3,), (3,)), "operator"),
        (FLIP, IDENTITY, "operator"),
        (OUTER, diagonal(3), "dense"),
        (dense(3, 3), IDENTITY, "dense"),
        (dense(2, 2), Selection(np.array([0, 0]), (2,)), "dense"),
        (PLACED @ SOME, Selection(np.array([1, 1, 1]), (3,)), "sparse"),
        (LEFT, LEFT, "kronecker"),
        (RIGHT, RIGHT, "kronecker"),
        (LEFT, Diagonal(1.0, (3, 2), (1, 2)) @ Reduction(1.0, 1, True, (2,), (2, 6)), "sparse"),
    ],
)
def test_sums_of_structures(a, b, structure):
    assert (a + b).structure == structure
    equal((a + b).dense(), a.dense() + b.dense())


def test_entries_that_would_meet_too_often_are_multiplied_densely():
    """Where a pattern meets another in more places than the product has entries, the product is a dense one."""
    crowded = Sparse(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.arange(4.0), (3,), (3,))
    assert (crowded @ crowded).structure == "sparse"
    meeting = Sparse(np.repeat([0, 1], 8), np.tile(np.arange(8), 2), 2.0, (3,), (9,))
    assert (meeting @ meeting.T).structure == "dense"
    equal((meeting @ meeting.T).dense(), meeting.dense() @ meeting.dense().T)


def test_a_million_numbers_never_make_a_matrix():
    size = 10**6
    a, b = Diagonal(np.full(size, 2.0), (size,), (size,)), Diagonal(np.full(size, 3.0), (size,), (size,))
    spread = Diagonal(1.0, (size,), ())
    mean = Reduction(2 / size, None, False, (), (size,))
    for found, structure, numbers in (
        (a @ b, "diagonal", size),
        (a + b, "diagonal", size),
        ((a @ b).T, "diagonal", size),
        (spread @ mean, "rank-one", 2 * size),
        (a @ spread @ mean @ b, "rank-one", 2 * size),
        (mean @ spread, "scalar", 1),
    ):
        held = [value for value in vars(found).values() if isinstance(value, np.ndarray | float)]
        assert (found.structure, sum(map(np.size, held))) == (structure, numbers)
    assert (a.multiplications(b), (a @ b).nnz) == (size, size)
    assert (a @ np.ones(size))[-1] == (np.ones(size) @ a)[0] == 2.0


def test_outside_the_structure_an_infinite_partial_leaves_zeros():
    infinite = Diagonal(np.array([np.inf, 1.0, np.inf]), (3,), (3,))
    column, row = Diagonal(np.array([np.inf, 0.0]), (2,), ()), Reduction(np.array([0.0, np.inf]), None, False, (), (2,))
    for jacobian in (infinite, infinite @ SOME.T, SOME @ infinite, infinite.T, column @ row):
        assert not np.isnan(jacobian.dense()).any()


def test_a_jacobian_of_ones_own_says_what_it_has_to_do():
    class Nothing(Jacobian):
        pass

    for ask in (Nothing((1,), (1,)).jvp, Nothing((1,), (1,)).vjp):
        with pytest.raises(NotImplementedError):
            ask(np.ones(1))


def test_sizes_that_do_not_fit_are_named():
    for multiply in (lambda: SOME @ SOME, lambda: SOME.times(SOME), lambda: SOME.multiplications(SOME)):
        with pytest.raises(ValueError, match=r"\(2, 3\) and \(2, 3\)"):
            multiply()
    with pytest.raises(ValueError, match=r"\(2, 3\) and \(4, 1\)"):
        SOME @ np.ones((4, 1))
    with pytest.raises(ValueError, match=r"\(4,\) and \(2, 3\)"):
        np.ones(4) @ SOME
    for add in (lambda: SOME + PLACED, lambda: SOME.plus(PLACED)):
        with pytest.raises(ValueError, match=r"\(2, 3\) and \(3, 2\)"):
            add()


@pytest.mark.parametrize("other", ["text", None, 2.0])
def test_what_is_no_matrix_is_refused(other):
    for combine in (lambda: SOME @ other, lambda: other @ SOME, lambda: SOME + other):
        with pytest.raises(TypeError):
            combine()
    with pytest.raises(TypeError):
        SOME * SOME


def test_numpy_takes_a_jacobian_for_its_matrix():
    equal(np.asarray(SOME), SOME.dense())
    assert np.array(SOME, np.float32).dtype == np.float32
    equal(np.concatenate([SOME, diagonal(3)], axis=0), np.concatenate([SOME.dense(), diagonal(3).dense()]))
    copied = np.array(dense(2, 2))
    assert not np.shares_memory(copied, dense(2, 2).dense())


def test_a_jacobian_says_its_size_and_structure():
    assert [repr(jacobian) for jacobian in (SOME, LEFT, FLIP, Zero((2,), (3, 2)))] == [
        "<Jacobian 2x3 selection>",
        "<Jacobian 6x12 kronecker>",
        "<Jacobian 3x3 operator>",
        "<Jacobian 2x6 zero>",
    ]


def test_a_jacobian_of_ones_own_needs_its_two_products_only():
    class Mirror(Jacobian):
        def jvp(self, tangent):
            return tangent[::-1]

        vjp = jvp

    mirror = Mirror((3,), (3,))
    equal(mirror.dense(), np.eye(3)[::-1])
    equal((mirror @ diagonal(3) + mirror.T).dense(), (np.diag([2.0, 3, 4]) + np.eye(3))[::-1])
    assert (mirror.structure, mirror.nnz) == ("operator", 9)


def test_the_matrix_of_an_operator_takes_as_few_products_as_it_has_rows_or_columns():
    asked = []

    def jvp(tangent):
        asked.append("jvp")
        return np.stack([tangent.sum(), tangent[0]])

    def vjp(adjoint):
        asked.append("vjp")
        return np.full(4, adjoint[0]) + adjoint[1] * np.eye(4)[0]

    matrix = np.array([[1.0, 1, 1, 1], [1, 0, 0, 0]])
    operator = LinearMap(jvp, vjp, (2,), (4,))
    equal(operator.dense(), matrix)
    equal(operator.T.dense(), matrix.T)
    assert asked == ["vjp"] * 4


def test_a_product_of_kronecker_products_multiplies_the_factors():
    """(A ⊗ B)(C ⊗ D) = AC ⊗ BD, as x -> A(Cx) and x -> (xD)B have it."""
    rng = np.random.default_rng(4)
    a, c, d = (rng.normal(size=shape) for shape in ((5, 3), (3, 4), (2, 6)))
    outer, inner = MatrixProduct(a, "right", (5, 2), (3, 2)), MatrixProduct(c, "right", (3, 2), (4, 2))
    beside = MatrixProduct(d, "left", (5, 6), (5, 2))
    found = beside @ outer @ inner
    assert isinstance(found, Kronecker)
    assert_close(found.left.dense(), a @ c, 1e-14)
    assert_close(found.right.dense(), d.T, 1e-14)
    assert_close(found.dense(), np.kron(a @ c, d.T), 1e-14)
    assert found.nnz == found.dense().size
    assert outer.multiplications(inner) == a.size * 4


@pytest.mark.parametrize(("old", "new"), [("scaling", "scale_cost"), ("applying", "matvec_cost")])
def test_former_names_of_costs_say_the_new_ones(old, new):
    with pytest.warns(DeprecationWarning, match=f"{old} is called {new} now"):
        assert getattr(SOME.normal(), old) == getattr(SOME.normal(), new)
