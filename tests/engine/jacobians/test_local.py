"""Local Jacobians as rules make them: their two products agree with the matrix, on numbers and on traced values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adviz.engine.jacobians.local import (
    Dense,
    Diagonal,
    MatrixProduct,
    Reduction,
    Reshaping,
    Selection,
    Window,
    add_at,
    place,
    unbroadcast,
)

from ..jacobian_strategies import SHAPES, jacobian_from, matrix_by_columns, positive


@given(st.data())
def test_the_products_of_a_rule_agree_with_its_matrix(data):
    jacobian = data.draw(jacobian_from(data.draw(st.sampled_from(SHAPES)), positive))
    matrix = matrix_by_columns(jacobian)
    np.testing.assert_array_equal(jacobian.dense(), matrix)
    np.testing.assert_array_equal(jacobian.normal().dense(), matrix)
    tangent, adjoint = np.ones(jacobian.in_shape), data.draw(positive(jacobian.out_shape))
    forward, backward = jacobian.jvp(tangent), jacobian.vjp(adjoint)
    assert (np.shape(forward), np.shape(backward)) == (jacobian.out_shape, jacobian.in_shape)
    np.testing.assert_array_equal(np.ravel(forward), matrix @ np.ravel(tangent))
    np.testing.assert_array_equal(np.ravel(backward), np.ravel(adjoint) @ matrix)


@pytest.mark.parametrize(
    "jacobian",
    [
        Diagonal(2.0, (), ()),
        Reshaping((), ()),
        Reduction(2.0, None, False, (), ()),
        Window(None, (1,), ()),
        Window(0, (2,), (), placed=True),
        Window(None, (), (1,), placed=True),
        Selection(np.array(0), ()),
        Dense(np.array([[2.0]]), (), ()),
        MatrixProduct(np.array([2.0]), "right", (), (1,)),
    ],
    ids=lambda jacobian: type(jacobian).__name__,
)
def test_numbers_are_tangents_and_adjoints_of_numbers(jacobian):
    matrix = matrix_by_columns(jacobian)
    tangent = 3.0 if jacobian.in_shape == () else np.full(jacobian.in_shape, 3.0)
    adjoint = 3.0 if jacobian.out_shape == () else np.full(jacobian.out_shape, 3.0)
    np.testing.assert_array_equal(np.ravel(jacobian.jvp(tangent)), 3 * matrix.sum(axis=1))
    np.testing.assert_array_equal(np.ravel(jacobian.vjp(adjoint)), 3 * matrix.sum(axis=0))


def test_an_identity_hands_on_the_very_array():
    x = np.ones((2, 3))
    assert Diagonal(1.0, (2, 3), (2, 3)).vjp(x) is x


def test_adjoints_keep_their_precision():
    single = np.ones((2, 3), np.float32)
    for jacobian in (
        Diagonal(2.0, (2, 3), (3,)),
        Window(0, (2, 3), (4, 2, 3)),
        Reduction(2.0, 0, False, (2, 3), (4, 2, 3)),
    ):
        assert jacobian.vjp(single).dtype == np.float32


def test_a_part_is_placed_and_parts_at_one_place_are_added():
    np.testing.assert_array_equal(place(np.ones(2), slice(None, None, -2), (4,)), [0, 1, 0, 1])
    np.testing.assert_array_equal(place(5.0, (0, 1), (1, 2)), [[0, 5]])
    np.testing.assert_array_equal(
        add_at(np.array([[1.0, 2.0], [4.0, 8.0]]), np.array([[0, 1], [0, 3]]), (2, 2)), [[5, 2], [0, 8]]
    )
    np.testing.assert_array_equal(add_at(np.zeros(0), np.zeros(0, int), (3,)), np.zeros(3))


def test_axes_along_which_an_operand_was_repeated_are_summed():
    adjoint = np.arange(24.0).reshape(2, 3, 4)
    np.testing.assert_array_equal(unbroadcast(adjoint, (3, 1)), adjoint.sum(axis=(0, 2))[:, None])
    assert unbroadcast(adjoint, ()) == adjoint.sum()
    assert unbroadcast(2.0, (1, 1)).shape == (1, 1)
