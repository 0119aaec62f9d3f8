"""Compiled programs of random functions by random orders: the engine's Jacobians, JAX's, and differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.engine.calls import leaves

from ..engine.derivatives import assert_close
from .running import (
    Found,
    any_order,
    batch,
    engine,
    functions,
    matrices,
    one_more,
    order_of,
    point,
    quiet,
    run,
)

COUNTS = [0, 1, 2, 13, 100, 10_000]
LAYOUTS = ["first", "last"]
layouts = st.sampled_from(LAYOUTS)


pytestmark = pytest.mark.usefixtures("double_precision")


def compiled(program, order=("best", 0), points="first"):
    f, inputs = run(program), program.inputs()
    with quiet():
        return ad.compile_jacobian(f, *inputs, order=order_of(f, inputs, order), points=points)


@given(functions(size=10), any_order, st.sampled_from(COUNTS), layouts, st.integers(0, 99))
@settings(max_examples=100)
def test_jacobians_at_any_batch_are_those_of_the_engine(program, order, count, points, seed):
    arrays = batch(program.shapes, count, points, seed)
    values, jacobians = matrices(compiled(program, order, points)(*arrays), program.shapes, points)
    assert len(values) == count
    for k in {0, count // 2, count - 1} & {*range(count)}:
        expected_values, expected = engine(run(program), point(arrays, k, points))
        assert_close(values[k : k + 1], expected_values, 1e-12)
        assert_close(jacobians[k : k + 1], expected, 1e-10)


# ---- what is given ----


@given(functions(size=12), any_order, st.sampled_from([1, 5, 40]), layouts)
@settings(max_examples=40)
def test_single_precision_stays_single_and_is_right_to_its_digits(program, order, count, points):
    found = compiled(program, order, points)
    arrays = [x.astype(np.float32) for x in batch(program.shapes, count, points)]
    values, jacobians = matrices(found(*arrays), program.shapes, points)
    assert values.dtype == jacobians.dtype == np.float32
    expected, expected_jacobians = matrices(found(*(x.astype(float) for x in arrays)), program.shapes, points)
    assert_close(values, expected, 1e-3)
    assert np.median(np.abs(jacobians - expected_jacobians)) < 1e-3 * (1 + np.abs(expected_jacobians).max(initial=0.0))


def _strided(x):
    return np.repeat(x, 2, axis=-1)[..., ::2] if x.ndim else x


def _backward(x):
    return x[::-1].copy()[::-1]


def _read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


KINDS = {
    "not contiguous": _strided,
    "backwards in memory": _backward,
    "read-only": _read_only,
    "in Fortran's order": np.asfortranarray,
    "a broadcast view": lambda x: np.broadcast_to(x, (2, *x.shape))[1],
    "of the other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
    "lists": lambda x: x.tolist(),
    "a subclass": lambda x: x.view(np.matrix) if x.ndim == 2 else x.view(np.recarray),
}


@pytest.mark.parametrize("kind", KINDS)
@given(functions(size=8), st.sampled_from([0, 1, 13, 9000]), layouts)
@settings(max_examples=10)
def test_however_the_points_lie_in_memory_results_are_the_same_bit_for_bit(kind, program, count, points):
    found = compiled(program, points=points)
    arrays = batch(program.shapes, count, points)
    alike = [KINDS[kind](x) if count or kind != "lists" else x for x in arrays]
    for one, other in zip(found(*arrays), found(*alike), strict=True):
        for (_, expected), (_, same) in zip(leaves(one, ""), leaves(other, ""), strict=True):
            assert type(same) is np.ndarray
            assert same.dtype == float
            np.testing.assert_array_equal(same, expected)


@given(functions(size=8), st.sampled_from([None, 0, 1, 13, 9000]), layouts)
@settings(max_examples=40)
def test_what_is_given_stays_as_it_was_and_no_result_shares_memory(program, count, points):
    found = compiled(program, points=points)
    arrays = program.inputs() if count is None else batch(program.shapes, count, points)
    kept = [np.copy(x) for x in arrays]
    results = [np.asarray(leaf) for part in found(*arrays) for _, leaf in leaves(part, "")]
    for x, before in zip(arrays, kept, strict=True):
        np.testing.assert_array_equal(x, before)
    for k, result in enumerate(results):
        assert not any(np.shares_memory(result, x) for x in arrays)
        assert not any(np.shares_memory(result, other) for other in results[:k])
        result += 1.0  # is the caller's own


@given(functions(size=8), st.sampled_from([1, 13, 9000]), layouts, st.data())
@settings(max_examples=40)
def test_arguments_without_the_axis_of_the_points_are_the_same_for_all(program, count, points, data):
    found = compiled(program, points=points)
    arrays = batch(program.shapes, count, points)
    inputs = program.inputs()
    shared = data.draw(st.lists(st.booleans(), min_size=len(inputs), max_size=len(inputs)).filter(lambda s: not all(s)))
    mixed = [one if alone else many for one, many, alone in zip(inputs, arrays, shared, strict=True)]
    full = [
        np.copy(np.broadcast_to(x if points == "first" else np.asarray(x)[..., None], many.shape)) if alone else many
        for x, many, alone in zip(inputs, arrays, shared, strict=True)
    ]
    for one, other in zip(
        matrices(found(*mixed), program.shapes, points), matrices(found(*full), program.shapes, points), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_whole_numbers_and_booleans_are_computed_with_as_floats():
    program = ad.compile_jacobian(lambda x: x / 2, 1)
    for whole in ([1, 2], np.array([1, 2], np.int8), np.array([1, 2], np.uint64), range(1, 3)):
        np.testing.assert_array_equal(program(whole).values, [0.5, 1.0])
    np.testing.assert_array_equal(program([True, False]).values, [0.5, 0.0])
    assert program(3) == program(3.0) == (1.5, 0.5)


# ---- roads through a program ----


@given(functions(size=12), any_order, layouts)
@settings(max_examples=50)
def test_few_points_one_by_one_are_those_of_a_block_to_rounding(program, order, points):
    found = compiled(program, order, points)
    many = batch(program.shapes, 60, points)
    by_blocks = matrices(found(*many), program.shapes, points)
    for count in (1, 5, 12):
        few = [x[:count] if points == "first" else x[..., :count] for x in many]
        for one, other in zip(matrices(found(*few), program.shapes, points), by_blocks, strict=True):
            assert_close(one, other[:count], 1e-12)
    alone = found(*point(many, 7, points))
    for one, other in zip(matrices(Found(*map(one_more, alone)), program.shapes), by_blocks, strict=True):
        assert_close(one, other[7:8], 1e-12)


@given(functions(size=10), any_order, any_order)
@settings(max_examples=40)
def test_every_order_gives_the_same_values_bit_for_bit_and_the_same_jacobian(program, one, other):
    arrays = batch(program.shapes, 30)
    left, right = (matrices(compiled(program, order)(*arrays), program.shapes) for order in (one, other))
    np.testing.assert_array_equal(left[0], right[0])
    assert_close(left[1], right[1], 1e-10)


@pytest.mark.parametrize("exponent", [-3, -2, -1, 0, 0.5, 1, 2, 3, 4, 2.5])
def test_powers_are_those_of_the_function_to_the_last_digit(exponent):
    x = np.random.default_rng(3).uniform(0.1, 9.0, 5000)
    value, gradient = ad.compile_gradient(lambda x: x**exponent, 1.0)(x)
    np.testing.assert_array_equal(value, x**exponent)
    np.testing.assert_allclose(gradient, exponent * x ** (exponent - 1.0), rtol=1e-14)
