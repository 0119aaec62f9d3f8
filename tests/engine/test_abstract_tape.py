"""What is written on a tape that does not compute large arrays is what one writes that computes them."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings

import adviz as ad
from adviz.engine import apply
from adviz.engine.blocks import BLOCK_OF

from ..agreement.array_programs import ONE, array_programs

DRAWN = np.random.default_rng(3)


def source(f, arguments, least: int) -> str:
    """The program of values and adjoints; arrays of fewer numbers than ``least`` are computed while it is written."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(action="ignore"):
        patch.setattr(apply, "LARGE", least)
        return ad.compile_vjp(f, *arguments, grain="array").source


@settings(max_examples=40, deadline=None)
@given(array_programs())
def test_random_programs_are_written_alike(program):
    def f(*arguments):
        return program(*arguments)

    arguments = program.inputs(1)
    assert source(f, arguments, 1) == source(f, arguments, 10**9)


@pytest.mark.parametrize("name", ONE)
def test_each_operation_is_written_alike(name):
    x = DRAWN.normal(size=(3, 3))
    assert source(lambda x: ONE[name](x), [x], 1) == source(lambda x: ONE[name](x), [x], 10**9)


def test_large_arrays_are_stood_in_for():
    tape = apply.AbstractTape(None)
    block, small, large = (
        BLOCK_OF[np.sin],
        np.ones(apply.LARGE - 1),
        np.ones((apply.LARGE, 1), np.float32),
    )
    assert [tape.is_large(block, [each]) for each in (small, large)] == [False, True]
    found = tape.placeholder(BLOCK_OF[np.add], (0, -1), [large, np.ones(3)])
    assert (found.shape, found.dtype, found.any()) == ((apply.LARGE, 3), np.float64, False)
