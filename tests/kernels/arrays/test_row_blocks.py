"""Large programs are run in parts, rows block by block: with the same results, in less memory."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.kernels.arrays import row_blocks
from adviz.kernels.sources import lines

from ...agreement.array_programs import ONE, TWO, array_programs
from ...agreement.test_array_programs import alone, check, check_matrices
from ..running import peak_bytes

RNG = np.random.default_rng(5)


def plan_of(program) -> row_blocks.Plan | None:
    return program._first.plan


@pytest.fixture(params=[2, 3, 5])
def in_small_blocks(request, monkeypatch):
    """Programs of a few numbers are run in blocks of a few."""
    small_blocks(monkeypatch.setattr, request.param)


def small_blocks(change, count=4):
    change(row_blocks, "LARGE", 0)
    change(row_blocks, "FEWEST", 1)
    change(row_blocks, "BLOCK", count)
    change(row_blocks, "FEW_ROWS", 2)
    change(lines, "SMALL", 1)


# ---- agreement ----


@pytest.mark.long
@given(array_programs())
@settings(max_examples=20, deadline=None)
def test_random_programs_in_blocks_in_single_precision(program):
    with pytest.MonkeyPatch.context() as patch:
        small_blocks(patch.setattr)
        check(program, "float32")


@pytest.mark.long
@given(array_programs())
@settings(max_examples=20, deadline=None)
def test_matrices_of_random_programs_in_blocks(program):
    with pytest.MonkeyPatch.context() as patch:
        small_blocks(patch.setattr)
        check_matrices(program)


TALL = [(7,), (7, 3), (7, 1), (7, 2, 2), (7, 7), (3,), (1, 3), (3, 7), ()]
"""Of 7 rows, which blocks of 2, 3 or 5 leave a rest of."""


@pytest.mark.slow
@pytest.mark.usefixtures("in_small_blocks")
@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_every_operation_alone_in_blocks_that_leave_a_rest(name):
    for shape in ((7,), (7, 3), (7, 2, 2)):
        check(alone(name, shape))


@pytest.mark.long
@given(array_programs(shapes=TALL), st.integers(2, 40))
@settings(max_examples=40, deadline=None)
def test_random_programs_on_rows_in_blocks_that_leave_a_rest(program, block):
    with pytest.MonkeyPatch.context() as patch:
        small_blocks(patch.setattr, block)
        check(program)


# ---- programs that people write ----

X, W = RNG.normal(size=(11, 3)), RNG.normal(size=(3, 4))
LABELS = RNG.integers(0, 4, 11)


def network(x, w):
    h = np.tanh(x @ w)
    return np.mean((h @ w.T - x) ** 2)


def softmax(x, w):
    z = x @ w
    z = z - np.max(z, axis=1, keepdims=True)
    return np.mean(np.log(np.sum(np.exp(z), axis=1)) - z[np.arange(11), LABELS])


def normalized(x, w):
    """Rows depend on a mean of all rows, and on a product with all of them."""
    z = (x - np.mean(x, axis=0)) / np.std(x, axis=0)
    return np.sum(np.tanh(z.T @ z) @ np.ones(3)) + np.sum(np.sin(z @ w))


def ordered(x, w):
    """A row depends on the row before."""
    return np.sum(np.cumsum(np.sin(x), axis=0) * x) + np.sum(np.exp(x[1:] - x[:-1]) @ w)


def products_of_rows(x, w):
    return np.sum(np.sin(x[:, :2]) @ w[:2] * np.exp(x @ w)) + np.sum(x[:, [2, 0]] * np.cos(x[:, [0, 1]]))


def scaled(x, w):
    return np.sum(np.concatenate([x * 2, np.sqrt(x * x + 1)], axis=1)) * np.max(x) + np.sum(w)


@pytest.mark.usefixtures("in_small_blocks")
@pytest.mark.parametrize("dtype", [float, np.float32])
@pytest.mark.parametrize("f", [network, softmax, normalized, ordered, products_of_rows, scaled])
def test_gradients_in_blocks_are_those_of_the_engine(f, dtype):
    program = ad.compile_gradient(f, X.astype(dtype), W.astype(dtype), grain="array")
    assert plan_of(program) is not None
    for point in ((X, W), (X[::-1] + 0.1, 2 * W)):
        x, w = (each.astype(dtype) for each in point)
        value, wanted = ad.value_and_grad(f, (0, 1))(x, w)
        found = program(x, w)
        close = {"rtol": 1e-9, "atol": 1e-11} if dtype is float else {"rtol": 2e-3, "atol": 2e-3}
        np.testing.assert_allclose(found.value, value, **close)
        for one, other in zip(found.gradient, wanted, strict=True):
            assert (one.shape, one.dtype) == (other.shape, other.dtype)
            np.testing.assert_allclose(one, other, **close)


def test_the_numbers_of_columns_are_not_those_of_the_rows(monkeypatch):
    small_blocks(monkeypatch.setattr)
    x, y = RNG.normal(size=(7, 7)), RNG.normal(size=(7, 7))

    def f(x):
        return np.sum(np.sin(x)[:, np.arange(7)] * np.cos(np.take(np.exp(x), np.arange(7), axis=1)))

    program = ad.compile_gradient(f, x, grain="array")
    assert plan_of(program).block < 7
    np.testing.assert_allclose(program(y).gradient, ad.grad(f)(y), 1e-9)


def test_an_array_is_not_written_over_while_a_column_of_it_is_needed():
    """An entry at a number that NumPy has found is a view."""
    x, w = RNG.normal(size=(3000, 200)), RNG.normal(size=200)

    def f(x, w):
        y = np.sin(x)
        column = y[:, np.argmax(w)]
        z = np.exp(np.cos(y * y) * 2)
        return np.sum(np.tanh(z * x) + z, axis=1) * column

    program = ad.compile(f, x, w, grain="array")
    assert plan_of(program) is not None
    np.testing.assert_allclose(program(x, -w), f(x, -w), 1e-9)


# ---- large ones ----

LARGE = RNG.normal(size=(3000, 200))


def bell(x):
    return np.sum(np.exp(-x * x) * np.sin(x) + x / (1 + x * x))


def test_large_functions_of_entries_are_run_in_blocks_and_small_ones_are_not():
    assert plan_of(ad.compile_gradient(bell, LARGE, grain="array")) is not None
    assert plan_of(ad.compile_gradient(bell, LARGE[:100], grain="array")) is None


def test_the_source_stays_the_readable_one():
    program = ad.compile_gradient(bell, LARGE, grain="array")
    assert "out=" not in program.source
    assert "np.exp(-x * x)" in program.source


def test_it_takes_no_more_memory_than_it_says_and_less_than_line_by_line():
    program = ad.compile_gradient(bell, LARGE, grain="array")
    assert peak_bytes(program, LARGE) < 1.2 * program.cost.peak_bytes + 100_000
    assert program.cost.peak_bytes < 2 * LARGE.nbytes


def test_what_is_not_finite_in_a_block_is_reported_with_its_place():
    program = ad.compile_gradient(lambda x: np.sum(np.log(x) * x * np.cos(x)), np.abs(LARGE) + 1, grain="array")
    assert plan_of(program) is not None
    bad = np.abs(LARGE) + 1
    with warnings.catch_warnings(action="error"):
        program(bad)
    bad[2999, 7] = 0.0
    with pytest.warns(ad.NonFiniteWarning, match="arises in log"):
        program(bad)


def test_squares_that_overflow_are_not_taken_for_infinity():
    program = ad.compile_gradient(lambda x: np.sum(np.sin(x) * 1e200 * np.cos(x)), LARGE, grain="array")
    assert plan_of(program) is not None
    with warnings.catch_warnings(action="error"):
        assert np.abs(program(LARGE).gradient).max() > 1e199
