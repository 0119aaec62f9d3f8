"""The programs of the literature against oracles that share nothing with them: physics, geometry, complex numbers."""

from functools import reduce

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import norm

import adviz as ad
from adviz.algorithms.examples.functions import (
    PROGRAMS,
    black_scholes,
    black_scholes_greeks,
    random_function,
    six_joint_arm,
    slide,
)
from adviz.engine.calls import leaves, rebuild

from ...engine.derivatives import assert_close
from ...graph.dags import assembled


def flat(case):
    """A program as a function of one array of numbers, and its point."""
    parts = [np.asarray(leaf) for _, leaf in leaves(case.arguments, "x")]
    ends = np.cumsum([part.size for part in parts])

    def function(x):
        shaped = (each.reshape(part.shape) for each, part in zip(np.split(x, ends[:-1]), parts, strict=True))
        result = case.program(*rebuild(case.arguments, shaped))
        return np.concatenate([np.ravel(each) for each in result]) if isinstance(result, tuple) else result

    return function, np.concatenate([part.ravel() for part in parts])


# ---- derivatives ----


@pytest.mark.parametrize("order", ["forward", "reverse", "markowitz"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_elimination_finds_its_jacobian(name, order):
    case = PROGRAMS[name]
    graph = ad.linearize(case.program, *case.arguments)
    list(ad.vertex_elimination(graph, order))
    function, x = flat(case)
    assert_close(assembled(graph, graph.jacobian()), np.atleast_2d(ad.jacobian(function)(x)), 1e-12)


# ---- the arm ----

TWISTS = np.pi / 2 * np.array([1, 0, 1, -1, 1, 0])
ALONG, ACROSS = [0.575, 0, 0, 1.035, 0, 0.185], [0.175, 0.890, 0.050, 0, 0, 0]


def link(angle, along, across, twist):
    """The matrix of Denavit and Hartenberg: a turn about z, moves along z and x, a turn about x."""
    (c, s), (d, t) = (np.cos(angle), np.sin(angle)), (np.cos(twist), np.sin(twist))
    return np.array([[c, -s * d, s * t, across * c], [s, c * d, -c * t, across * s], [0, t, d, along], [0, 0, 0, 1]])


def about(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]] if axis == "z" else [[c, 0, s], [0, 1, 0], [-s, 0, c]])


@given(st.lists(st.floats(-3, 3), min_size=6, max_size=6))
def test_the_hand_is_where_the_matrices_of_the_links_put_it(angles):
    hand = reduce(np.matmul, map(link, angles, ALONG, ACROSS, TWISTS))
    *place, alpha, beta, gamma = six_joint_arm(*angles)
    assert_close(place, hand[:3, 3], 1e-12)
    assume(np.hypot(*hand[:2, 2]) > 1e-3)  # a hand that points straight up or down has no such angles
    assert_close(about("z", alpha) @ about("y", beta) @ about("z", gamma), hand[:3, :3], 1e-9)


# ---- finance ----


def put(spot, strike, rate, volatility, time):
    high = (np.log(spot / strike) + (rate + volatility**2 / 2) * time) / (volatility * np.sqrt(time))
    low = high - volatility * np.sqrt(time)
    return strike * np.exp(-rate * time) * norm.cdf(-low) - spot * norm.cdf(-high)


market = st.tuples(st.floats(10, 100), st.floats(10, 100), st.floats(0, 0.2), st.floats(0.05, 1), st.floats(0.1, 3))


@given(market)
def test_a_call_less_a_put_is_the_spot_less_the_strike_today(option):
    spot, strike, rate, _, time = option
    assert_close(black_scholes(*option) - put(*option), spot - strike * np.exp(-rate * time), 1e-12)


@given(market)
def test_the_gradient_of_the_price_is_the_greeks(option):
    gradient = ad.grad(black_scholes, argnums=tuple(range(5)))(*option)
    assert_close(gradient, np.array(black_scholes_greeks(*option)), 1e-12)


@given(market)
def test_the_greeks_obey_the_equation_of_black_and_scholes(option):
    spot, _, rate, volatility, _ = option
    delta, _, _, _, theta = black_scholes_greeks(*option)
    gamma = ad.grad(lambda spot: black_scholes_greeks(spot, *option[1:])[0])(spot)
    growth = 0.5 * volatility**2 * spot**2 * gamma + rate * spot * delta - rate * black_scholes(*option)
    assert_close(theta, growth, 1e-11)


# ---- chance, the slide ----


@given(st.integers(0, 1000))
def test_a_random_function_uses_all_its_inputs_and_operations(seed):
    graph = ad.linearize(random_function(seed, inputs=3, operations=20), *np.linspace(0.1, 0.9, 3))
    assert len(graph.inputs) == 3
    assert len(graph.intermediates) + len(graph.outputs) == 20


def test_in_the_contest_the_usual_orders_are_three_above_the_best():
    case = PROGRAMS["contest"]
    graph = ad.linearize(case.program, *case.arguments)
    usual = [
        sum(step.multiplications for step in ad.vertex_elimination(graph.copy(), order))
        for order in ("forward", "reverse", "markowitz")
    ]
    assert usual == [24, 22, 22]
    best = ad.optimal_order(graph)
    assert (best.cost, best.proved) == (19, True)


def test_the_slide_has_its_value_and_its_jacobian():
    assert_close(slide(1.2, 0.7), [0.6266325163383618, 1.2765310628071875], 1e-15)
    expected = [[-1.0172489878790667, -0.7490357498040547], [1.864731276682226, -0.450549419422434]]
    function, x = flat(PROGRAMS["slide program"])
    assert_close(ad.jacobian(function)(x), expected, 1e-14)
