"""A term for all rows has, row by row, the values of the term for one."""

from types import SimpleNamespace

import numpy as np
import pytest

from adviz.engine.blocks import BLOCK_OF, BLOCKS
from adviz.engine.functions.matrix_rules import INV, SOLVE
from adviz.engine.rules.gathering import ADD_AT, GATHER, PLACE, PUT, SCATTER, SLOT
from adviz.engine.rules.indexing import DIAGONAL, DIAGONAL_MATRIX, INDEX, PAD, SET, TAKE
from adviz.engine.rules.reducing import CUMSUM, MAX, MEAN, SUM
from adviz.engine.rules.reshaping import BROADCAST, CAST, CONCATENATE, FLIP, REPEAT, RESHAPE, ROLL, STACK, TRANSPOSE
from adviz.engine.rules.selection import WHERE
from adviz.kernels.terms.array_terms import Terms
from adviz.kernels.terms.batching import Batch
from adviz.kernels.terms.linear_rules import simplifying

from .values import value_of

OF_NAME = {block.name: block for block in reversed(BLOCKS)}
"""Of several with one name, NumPy's."""
MASK = np.array([True, False, True])
X, ROWS = object(), slice(None)
"""What stands for the operand that has rows."""

ELSEWHERE = SimpleNamespace(positions=lambda x: None)
"""Where a view of an array is that is laid out in another way."""

CASES = {
    "entries": ((2, 3), [(np.multiply, X, np.arange(3.0)), (np.subtract, np.ones((4, 1, 1)), X), (np.tanh, X)]),
    "choices": ((3,), [(WHERE, MASK, X, 0.0), (WHERE, MASK, np.ones((2, 3)), X)]),
    "sums": (
        (2, 3, 4),
        [
            (each, X, axis, keep)
            for each in (SUM, MEAN, MAX)
            for axis in (None, 1, -1, (0, 2))
            for keep in (True, False)
        ],
    ),
    "sums of a number": ((), [(SUM, X, None, False), (MEAN, X, (), True)]),
    "products of vectors": (
        (3,),
        [
            (np.matmul, X, np.arange(3.0)),
            (np.matmul, np.arange(3.0), X),
            (np.matmul, np.arange(6.0).reshape(2, 3), X),
            (np.matmul, X, np.arange(6.0).reshape(3, 2)),
            (np.matmul, np.arange(12.0).reshape(2, 2, 3), X),
            (np.matmul, X, np.arange(12.0).reshape(2, 3, 2)),
        ],
    ),
    "products of matrices": (
        (2, 3),
        [
            (np.matmul, X, np.arange(3.0)),
            (np.matmul, np.arange(2.0), X),
            (np.matmul, X, np.arange(12.0).reshape(3, 4)),
            (np.matmul, np.arange(8.0).reshape(4, 2), X),
            (np.matmul, X, np.arange(60.0).reshape(5, 3, 4)),
            (np.matmul, np.arange(40.0).reshape(5, 4, 2), X),
        ],
    ),
    "stacks of matrices": (
        (5, 2, 3),
        [(np.matmul, X, np.arange(12.0).reshape(3, 4)), (np.matmul, np.ones((5, 4, 2)), X), (np.matmul, X, np.ones(3))],
    ),
    "contractions": (
        (2, 3),
        [
            (OF_NAME["einsum"], "ij,jk->ik", X, np.arange(12.0).reshape(3, 4)),
            (OF_NAME["einsum"], "bn,nr->rb", np.arange(8.0).reshape(4, 2), X),
            (OF_NAME["einsum"], "ij,ij->", X, np.ones((2, 3))),
        ],
    ),
    "shapes": (
        (2, 1, 3),
        [
            (TRANSPOSE, X, None),
            (TRANSPOSE, X, (1, 2, -3)),
            (RESHAPE, X, (3, 2)),
            (RESHAPE, X, (-1,)),
            (BROADCAST, X, (4, 2, 5, 3)),
            (CAST, X, np.dtype(np.float32)),
        ],
    ),
    "a number repeated": ((), [(BROADCAST, X, (2, 3)), (RESHAPE, X, (1, 1)), (np.add, X, np.ones((2, 2)))]),
    "entries by a key": (
        (3, 4),
        [(INDEX, X, key) for key in [0, (ROWS, 1), (..., slice(1, 3)), (None, 2), (slice(None, None, -1), -1)]],
    ),
    "placed by a key": (
        (3,),
        [(PLACE, X, (slice(1, 4),), (5,)), (PLACE, X, (2,), (4, 3)), (PLACE, X, (ROWS, 0), (3, 2))],
    ),
    "overwritten": (
        (3, 4),
        [
            (SET, X, 0.0, (1,)),
            (SET, X, np.ones(3), (ROWS, 0)),
            (SET, np.ones((5, 3, 4)), X, (2,)),
            (SET, np.ones((4, 3, 4)), X, ()),
        ],
    ),
    "entries at indices": (
        (3, 4),
        [
            (GATHER, X, (SLOT,), np.array([2, 0, 2])),
            (GATHER, X, (ROWS, SLOT), np.array([[1, 3]])),
            (GATHER, X, (SLOT, SLOT), np.array([0, 1]), np.array([3, 3])),
            (GATHER, X, (SLOT,), MASK),
            (GATHER, X, (SLOT, None, SLOT), np.array([0, 1]), np.array([3, 3])),
            (GATHER, X, (0, SLOT), np.array([1, 1, 2])),
        ],
    ),
    "entries apart": (
        (3, 2, 4),
        [(GATHER, X, (SLOT, ROWS, SLOT), np.array([[0, 1]]), np.array([[3, 3]])), (GATHER, X, (SLOT, ROWS, 1), MASK)],
    ),
    "scattered": (
        (2, 4),
        [(SCATTER, X, (3, 4), (SLOT,), np.array([1, 1])), (SCATTER, X, (5, 4), (SLOT,), np.array([4, 0]))],
    ),
    "scattered apart": (
        (2, 4),
        [(SCATTER, X, (3, 4, 3), (SLOT, ROWS, SLOT), np.array([0, 2]), np.array([1, 1]))],
    ),
    "put": (
        (3, 4),
        [
            (PUT, X, 0.5, (SLOT,), np.array([0, 2])),
            (PUT, X, 0.5, (SLOT,), MASK),
            (PUT, np.ones((5, 4)), X, (SLOT,), np.array([0, 2, 4])),
            (PUT, np.ones((3, 4, 3)), X, (SLOT, ROWS, SLOT), np.arange(3), np.arange(3)),
        ],
    ),
    "added at": ((3,), [(ADD_AT, X, np.array([5, 0, 5]), (2, 3))]),
    "seen": ((2, 3), [(OF_NAME["view"], X, np.array([[5, 0], [1, 1]]), ELSEWHERE)]),
    "joined": (
        (2, 3),
        [
            (CONCATENATE, 0, X, np.ones((1, 3)), X),
            (CONCATENATE, -1, np.ones((2, 2)), X),
            (STACK, 1, X, np.ones((2, 3))),
        ],
    ),
    "along an axis": (
        (2, 3),
        [
            *((CUMSUM, X, axis) for axis in (0, -1, None)),
            *((FLIP, X, axis) for axis in (0, -1, None, (0, 1))),
            *((ROLL, X, 2, axis) for axis in (0, -1, None)),
            *((REPEAT, X, 2, axis) for axis in (0, -1, None)),
            (REPEAT, X, np.array([2, 0, 1]), 1),
            (TAKE, X, np.array([0, 2]), 1, None, "raise"),
        ],
    ),
    "diagonals": ((3, 4), [(DIAGONAL, X, 0, 0, 1), (DIAGONAL, X, 1, -1, -2)]),
    "solved": ((3,), [(SOLVE, np.eye(3) + 0.3, X)]),
    "matrices solved": ((3, 3), [(SOLVE, np.eye(3) + 0.3, X), (INV, X), (SOLVE, X, np.ones(3)), (SOLVE, X, np.eye(3))]),
    "row by row": ((3,), [(DIAGONAL_MATRIX, X, 1), (OF_NAME["convolve"], X, np.array([1.0, 2.0]))]),
    "row by row, of matrices": ((3, 3), [(PAD, X, ((0, 1), (2, 0))), (OF_NAME["cholesky"], X)]),
}
EVERY = [(name, shape, case) for name, (shape, cases) in CASES.items() for case in cases]


def rows_of(shape, count, dtype=float):
    """Matrices that have inverses and Cholesky factors, where they are square."""
    found = np.random.default_rng(1).normal(size=(count, *shape))
    if len(shape) == 2 and shape[0] == shape[1]:
        found = found @ np.swapaxes(found, -1, -2) + 3 * np.eye(shape[0])
    return found.astype(dtype)


@pytest.mark.every
@pytest.mark.parametrize(("name", "shape", "case"), EVERY)
def test_each_row_is_the_value_at_that_row(name, shape, case):
    for make in (Terms, simplifying):
        for count in (1, 4, 0):
            check_rows(make(), rows_of(shape, count), name, case)


def check_rows(terms, rows, name, case):
    count, *shape = rows.shape
    x, matrix = terms.input(0, tuple(shape), np.dtype(float)), terms.input(1, rows.shape, np.dtype(float))
    operation, *given = case
    block = BLOCK_OF.get(operation, operation)
    term = terms.plain(block, *(x if each is X else terms.constant(each) for each in given))
    terms.derivative_from = 0
    found = Batch(terms, count, {x: matrix}).of(term)
    got = np.asarray(value_of(found, {1: rows}))
    assert got.shape == found.shape == (count, *term.shape)
    assert got.dtype == found.dtype == term.dtype
    for row, one in zip(rows, got, strict=True):
        np.testing.assert_allclose(one, value_of(term, {0: row}), 1e-10, 1e-12, err_msg=name)


def test_every_rule_is_seen_above():
    used = {getattr(BLOCK_OF.get(case[0], case[0]), "name", "") for _, _, case in EVERY}
    batched = {block.name for block in BLOCKS if getattr(block.batched, "__module__", "").startswith("adviz.")}
    assert batched - used <= {"min", "prod"}  # as max
