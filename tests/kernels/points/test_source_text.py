"""What is written: large programs compile, deep ones too, and numbers are written to the last digit."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adviz as ad
from adviz.kernels.points.source_text import compiled, number_text, point_source, scalar_functions, tuple_text

from ...engine.derivatives import assert_close
from ..test_schedules import ran, schedules


@given(st.floats())
def test_numbers_are_written_to_the_last_digit(value):
    again = eval(number_text(value), {"inf": math.inf, "nan": math.nan})
    assert again == value or (value != value and again != again)
    assert type(again) is float


def test_tuples_of_any_length():
    assert [eval(tuple_text(texts)) for texts in ([], ["1"], ["1", "2"])] == [(), (1,), (1, 2)]


@given(schedules())
def test_the_function_of_one_point_computes_what_the_definition_does(plan):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(len(plan.inputs), 5))
    names = {each.place: f"own{each.place}" for each in plan.instructions}
    names |= {place: f"o{plan.outputs.index(place)}" for place in names if place in plan.outputs}
    expected = ran(plan, names, x, 0.0)
    function = compiled(point_source(plan), scalar_functions())
    for point, column in zip(x.T.tolist(), expected.T, strict=True):
        assert_close(function(*point), column, 1e-13)


@pytest.mark.slow
def test_a_chain_of_ten_thousand_operations():
    def f(x):
        for _ in range(5000):
            x = np.sin(x) + 1e-3 * x
        return x

    program = ad.compile_gradient(f, 1.0)
    expected = ad.value_and_grad(f)(0.7)
    assert_close(program(0.7), expected, 1e-12)
    assert_close(program(np.full(20, 0.7)).gradient, np.full(20, expected[1]), 1e-12)


@pytest.mark.parametrize("terms", [1, 499, 500, 501, 2000])
def test_sums_of_any_number_of_results(terms):
    program = ad.compile_jacobian(lambda x: np.stack([x * k for k in range(1, terms + 1)]), 1.0)
    np.testing.assert_array_equal(program(2.0).values, 2.0 * np.arange(1, terms + 1))
    np.testing.assert_array_equal(program(2.0).jacobian, np.arange(1.0, terms + 1))
