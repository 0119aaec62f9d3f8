"""Which order a program is made of: never one that is expected to be slower than forward, reverse or Markowitz."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.kernels.expressions.accumulation import eliminated
from adviz.kernels.lowering import chosen, predicted
from adviz.kernels.schedules import schedule

from .running import functions, quiet, run, traced

NAMED = ("forward", "reverse", "markowitz")


def expected(program):
    return program.cost.nanoseconds


def compiled(program, order, **options):
    with quiet(), warnings.catch_warnings(action="ignore", category=ad.NonFiniteWarning):
        return ad.compile_jacobian(run(program), *(np.ones(shape) for shape in program.shapes), order=order, **options)


@given(functions(size=10), st.sampled_from([None, 0, -1]))
@settings(max_examples=60)
def test_the_default_is_never_expected_to_be_slower_than_an_order_with_a_name(program, inputs):
    least = min(expected(compiled(program, order, inputs=inputs)) for order in NAMED)
    assert expected(compiled(program, "best", inputs=inputs)) <= least + 1e-9


@given(functions(size=10))
@settings(max_examples=40)
def test_what_is_predicted_of_an_order_is_what_its_schedule_takes(program):
    with quiet(), warnings.catch_warnings(action="ignore", category=ad.NonFiniteWarning):
        found = traced(run(program), *(np.ones(shape) for shape in program.shapes))
    known = found.linear.known
    outputs = [*found.outputs, *eliminated(found.linear, found.linear.cgraph.intermediates).values()]
    assert predicted(known, outputs) == pytest.approx(schedule(known, found.inputs, outputs).nanoseconds)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Roe flux", "six-joint arm", "Black-Scholes"])
def test_a_search_makes_programs_quicker_and_makes_the_same_again(name):
    case = ad.examples[name]
    best, searched, again = (
        ad.compile_jacobian(case.program, *case.arguments, order=order) for order in ("best", "searched", "searched")
    )
    assert expected(searched) < expected(best)
    assert searched.order == again.order
    np.testing.assert_allclose(*(np.ravel(each(*case.arguments).jacobian) for each in (best, searched)), rtol=1e-9)


def chain(x):
    y = x[0]
    for k in range(1, len(x)):
        y = np.tanh(y * x[k]) + y * x[k - 1]
    return y


def test_an_order_that_gets_many_times_slower_than_another_is_given_up():
    linear = traced(chain, np.ones(200)).linear
    best = chosen(linear, "best", lambda jacobian: [*jacobian.values()])
    size = len(linear.known)
    assert best.order == linear.cgraph.intermediates[::-1]
    eliminated(linear, linear.cgraph.intermediates)
    assert len(linear.known) > 2 * size


def test_where_nothing_is_between_there_is_nothing_to_be_searched():
    assert ad.compile_jacobian(lambda x: x * 2.0, 1.0, order="searched").order == []


def test_a_name_that_is_none_is_told_with_those_that_are():
    with pytest.raises(ad.OrderError, match=r"no order 'sideways'.*forward, reverse, markowitz, best and searched"):
        ad.compile_jacobian(lambda x: x, 1.0, order="sideways")


def test_an_order_that_stops_before_the_end_is_refused():
    def one_only(graph):
        return 1 if 1 in graph.intermediates else None

    with pytest.raises(ad.OrderError, match="ends too early: v2 can still be eliminated"):
        ad.compile_jacobian(lambda x: np.exp(np.sin(np.cos(x))), 1.0, order=one_only)
