"""Labels: numbers, arrays and structured Jacobians, multiplied and added in any mixture as matrices are."""

import itertools
from math import inf

import numpy as np
import pytest

from adviz.engine.jacobians.local import Dense, Diagonal
from adviz.graph.linearized.labels import dense, is_finite, plus, product, shape, text

SQUARE = {
    "integer": 3,
    "float": 0.5,
    "array": np.array([[1.0, 2.0], [3.0, 4.0]]),
    "diagonal": Diagonal(np.array([2.0, 5.0]), (2,), (2,)),
    "dense": Dense(np.array([[0.5, 0.0], [1.0, 2.0]]), (2,), (2,)),
}


def written_out(label):
    return label * np.eye(2) if isinstance(label, int | float) else np.asarray(label)


@pytest.mark.parametrize("one", SQUARE)
@pytest.mark.parametrize("other", SQUARE)
def test_products_and_sums_are_those_of_the_matrices(one, other):
    one, other = SQUARE[one], SQUARE[other]
    np.testing.assert_allclose(written_out(product(one, other)), written_out(one) @ written_out(other))
    np.testing.assert_allclose(written_out(plus(one, other)), written_out(one) + written_out(other))


def test_a_sum_leaves_its_terms_as_they_were():
    matrix = np.ones((2, 2))
    plus(matrix, 5)
    plus(Dense(matrix, (2,), (2,)), 5)
    assert matrix.tolist() == [[1, 1], [1, 1]]


def test_integers_stay_integers_and_one_by_one_is_a_number():
    assert [type(found) for found in (product(2, -1), plus(1, 1), product(2, 0.5))] == [int, int, float]
    row, column = np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]])
    for head, tail in itertools.product([row, Dense(row, (), (2,))], [column, Dense(column, (2,), ())]):
        assert type(product(head, tail)) is float
        assert product(head, tail) == 11.0


def test_integers_beyond_all_floats_are_infinite():
    large = 2**1000
    assert product(large, 2**22) == 2**1022
    assert [product(large, large), product(-large, large), plus(-(2**1023), -(2**1023))] == [inf, -inf, -inf]
    assert product(product(large, large), 0.5) == inf


def test_structure_survives_products_with_numbers():
    assert product(SQUARE["diagonal"], 2).structure == "diagonal"
    assert product(2, SQUARE["diagonal"]).structure == "diagonal"


def test_what_a_label_is_like():
    assert shape(SQUARE["diagonal"]) == shape(SQUARE["array"]) == (2, 2)
    assert is_finite(10**300)
    assert not any(
        map(is_finite, [inf, -(10**400), np.array([[1.0, np.nan]]), Diagonal(np.array([np.inf]), (1,), (1,))])
    )
    assert [text(label) for label in SQUARE.values()] == ["3", "0.5", "2×2", "2×2 diagonal", "2×2 dense"]
    assert dense(0.5) == 0.5
