"""Blocks: what is compiled does what the definition does, bit for bit; blocks of any size give the same points."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adviz.kernels.backends.numpy_blocks import BLOCK, Blocks
from adviz.kernels.expressions.expressions import Expressions
from adviz.kernels.schedules import schedule

from ..test_schedules import schedules


def rows(plan, count, dtype, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=count).astype(dtype) for _ in plan.inputs]


def run(blocks, inputs, count, dtype):
    outputs = [np.full(count, np.nan, dtype) for _ in blocks.schedule.outputs]
    with np.errstate(all="ignore"):  # random programs overflow
        blocks(inputs, outputs, np.dtype(dtype))
    return outputs


@given(schedules(), st.sampled_from([0, 1, 7, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 5]), st.sampled_from("fd"))
@settings(max_examples=60)
def test_the_compiled_block_does_what_the_definition_does_bit_for_bit(plan, count, dtype):
    blocks, inputs = Blocks(plan), rows(plan, count, dtype)
    interpreted, compiled, again = (run(blocks, inputs, count, dtype) for _ in range(3))
    np.testing.assert_array_equal(interpreted, compiled)
    np.testing.assert_array_equal(again, compiled)
    assert {row.dtype.char for row in compiled} == {dtype}


@given(schedules(), st.integers(256, 300), st.integers(1, 1000))
@settings(max_examples=60)
def test_blocks_of_any_size_give_the_same_points(plan, size, count):
    inputs = rows(plan, count, float)
    whole, cut = Blocks(plan), Blocks(plan)
    cut.size = size
    for _ in range(2):
        np.testing.assert_array_equal(run(whole, inputs, count, float), run(cut, inputs, count, float))


@given(schedules(), st.integers(2, 50), st.data())
@settings(max_examples=60)
def test_a_row_of_one_number_is_that_number_at_all_points(plan, count, data):
    inputs = rows(plan, count, float)
    alone = [data.draw(st.booleans()) for _ in inputs]
    short = [row[:1] if one else row for row, one in zip(inputs, alone, strict=True)]
    full = [np.full(count, row[0]) if one else row for row, one in zip(inputs, alone, strict=True)]
    for _ in range(2):
        np.testing.assert_array_equal(run(Blocks(plan), short, count, float), run(Blocks(plan), full, count, float))


@given(schedules())
@settings(max_examples=30)
def test_rows_that_are_not_dense_are_read_and_written(plan):
    blocks, count = Blocks(plan), 300
    inputs = rows(plan, count, float)
    matrix = np.full((count, len(plan.outputs)), np.nan)
    for _ in range(2):
        blocks([np.repeat(row, 3)[::3] for row in inputs], list(matrix.T), np.dtype(float))
        np.testing.assert_array_equal(matrix.T, run(Blocks(plan), inputs, count, float))


@pytest.mark.slow
def test_buffers_of_large_programs_stay_small():
    known = Expressions()
    x = known.input()
    values = [known.apply(np.sin, [known.add(x, known.constant(float(k)))]) for k in range(20_000)]
    total = values[0]
    for value in values[1:]:
        total = known.add(total, value)
    backwards = [known.multiply(total, value) for value in values]
    blocks = Blocks(schedule(known, [x], [sum_of(known, backwards)]))
    assert len(blocks.work) >= 20_000
    assert blocks.size == 419
    points = np.linspace(0, 1, 500)
    (found,) = run(blocks, [points], 500, float)
    sines = np.sin(points + np.arange(20_000.0)[:, None])
    np.testing.assert_allclose(found, sines.sum(axis=0) ** 2, rtol=1e-9, atol=1e-9)


def sum_of(known, places):
    total = known.zero
    for place in places:
        total = known.add(total, place)
    return total


@pytest.mark.parametrize("count", [1, 100])
def test_constants_are_of_the_precision_of_the_points(count):
    known = Expressions()
    x = known.input()
    blocks = Blocks(schedule(known, [x], [known.add(x, known.constant(0.1)), known.constant(0.1)]))
    for _ in range(2):
        found, constant = run(blocks, [np.full(count, 0.2, np.float32)], count, np.float32)
        np.testing.assert_array_equal(found, np.float32(0.2) + np.float32(0.1))
        np.testing.assert_array_equal(constant, np.float32(0.1))
