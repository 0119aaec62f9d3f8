"""The forward flow: blocks of the shapes of the documentation, and memory that stays flat."""

import numpy as np
import pytest

import adviz as ad
from adviz.algorithms.sweeps.comparison import Meter
from adviz.algorithms.sweeps.forward import forward_flow

from ...engine.derivatives import assert_close
from .backward.test_tape_order import with_dead_code
from .running import run


def tangents(f, *arguments, direction=None):
    graph = ad.trace(f, *arguments)
    state, _ = run(forward_flow(graph, direction))
    return [state["tangent", output] for output in graph.outputs]


def test_inputs_carry_their_rows_of_the_identity():
    graph = ad.trace(lambda x, L: x * np.sum(L), 2.0, np.array([1.0, 2.0, 3.0]))
    state, (first, *_) = run(forward_flow(graph))
    assert first.kind == "seed"
    assert state["tangent", 0].tolist() == [[1.0, 0.0, 0.0, 0.0]]
    assert state["tangent", 1].tolist() == [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    assert_close(state["tangent", graph.outputs[0]], [[6.0, 2.0, 2.0, 2.0]], 1e-15)


def test_the_block_of_a_node_is_its_jacobians_side_by_side_times_the_blocks_of_its_operands():
    x, y = np.array([0.5, 2.0]), np.array([3.0, -1.0])
    (found,) = tangents(lambda x, y: x * y + np.sin(x), x, y)
    assert_close(found, np.hstack([np.diag(y + np.cos(x)), np.diag(x)]), 1e-15)


def test_a_direction_may_leave_inputs_at_rest():
    assert_close(tangents(lambda x, y: x * y, 3.0, 5.0, direction={0: 2.0}), [10.0], 1e-15)
    assert_close(tangents(lambda x, y: x * y, 3.0, 5.0, direction={}), [0.0], 1e-15)


@pytest.mark.parametrize("direction", [None, {0: np.ones(10)}], ids=["blocks", "direction"])
def test_memory_stays_flat_however_long_the_program(direction):
    def chain(x, length):
        for _ in range(length):
            x = np.sin(x)
        return x

    def peak(length):
        meter = Meter()
        for step in forward_flow(ad.trace(lambda x: chain(x, length), np.ones(10)), direction):
            meter.add(step)
        return meter.peak

    assert peak(3) == peak(300)


def test_an_output_without_operands_is_at_rest():
    def program(x):
        row = np.empty(2, object)
        row[:] = [x * x, 7.0]
        return row

    assert [block.tolist() for block in tangents(program, 3.0)] == [[[6.0]], [[0.0]]]
    assert_close(tangents(program, 3.0, direction={0: 1.0}), [6.0, 0.0], 1e-15)


def test_dead_values_flow_too_and_go_at_once():
    graph = ad.trace(with_dead_code, 1.0)
    state, steps = run(forward_flow(graph))
    assert [step.focus[0] for step in steps if step.kind == "visit"] == [1, 2, 3, 4]
    assert [step.focus[0] for step in steps if step.kind == "free"] == [1, 2, 3]
    assert {key for key in state if not isinstance(key, tuple)} == {0, 4}


def test_work_is_counted_per_column():
    graph = ad.trace(lambda x: np.sin(x) * x, np.ones(4))
    blocks, direction = (run(forward_flow(graph, way))[1] for way in (None, {0: np.ones(4)}))
    assert [sum(step.multiplications for step in steps) for steps in (blocks, direction)] == [3 * 4 * 4, 3 * 4]
    assert [sum(step.additions for step in steps) for steps in (blocks, direction)] == [4 * 4, 4]
