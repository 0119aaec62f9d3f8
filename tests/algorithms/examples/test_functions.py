"""The programs of the literature against oracles that share nothing with them: physics, geometry, complex numbers."""

from functools import reduce

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.stats import norm

import adviz as ad
from adviz.algorithms.examples.functions import (
    GAMMA,
    PROGRAMS,
    SPECIES,
    black_scholes,
    black_scholes_greeks,
    human_heart_dipole,
    lstm_cell,
    pollution,
    propane_combustion,
    random_function,
    roe_flux,
    roe_flux_3d,
    six_joint_arm,
    slide,
)
from adviz.algorithms.examples.known_optima import LANDMARKS
from adviz.engine.pytrees import leaves, rebuild

from ...engine.derivatives import assert_close, central_jacobian
from ...graph.dags import assembled

ANALYTIC = ["slide program", "human heart dipole", "propane combustion", "pollution"]
ANALYTIC += ["random function", "contest", "LSTM cell"]
OPTION = PROGRAMS["Black-Scholes"].arguments


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


@pytest.mark.parametrize("name", PROGRAMS)
def test_its_jacobian_agrees_with_central_differences(name):
    function, x = flat(PROGRAMS[name])
    assert_close(ad.jacobian(function)(x), central_jacobian(function, x), 1e-7)


@pytest.mark.parametrize("name", ANALYTIC)
def test_its_jacobian_agrees_with_complex_steps_to_the_last_digits(name):
    function, x = flat(PROGRAMS[name])
    columns = [function(x + 1e-30j * unit).imag / 1e-30 for unit in np.eye(x.size)]
    assert_close(ad.jacobian(function)(x), np.stack(columns, axis=-1), 1e-14)


@pytest.mark.parametrize("order", ["forward", "reverse", "markowitz"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_elimination_finds_its_jacobian(name, order):
    case = PROGRAMS[name]
    graph = ad.linearize(case.program, *case.arguments)
    list(ad.vertex_elimination(graph, order))
    function, x = flat(case)
    assert_close(assembled(graph, graph.jacobian()), np.atleast_2d(ad.jacobian(function)(x)), 1e-12)


# ---- gas ----

positive = st.floats(0.1, 10)
speed = st.floats(-3, 3)


def conserved(density, velocity, pressure):
    velocity = np.asarray(velocity, float)
    energy = pressure / (GAMMA - 1) + 0.5 * density * np.sum(velocity**2)
    return density, density * velocity, energy


def euler(density, velocity, pressure):
    """The flux of the Euler equations across the first direction."""
    velocity = np.atleast_1d(velocity)
    mass = density * velocity[0]
    momentum = mass * velocity + np.array([pressure, 0, 0])[: velocity.size]
    return np.array([mass, *momentum, velocity[0] * (conserved(density, velocity, pressure)[2] + pressure)])


@given(positive, st.tuples(speed, speed, speed), positive)
def test_between_equal_states_the_flux_is_that_of_the_state(density, velocity, pressure):
    state = conserved(density, velocity, pressure)
    assert_close(roe_flux_3d(*state, *state), euler(density, np.array(velocity), pressure), 1e-12)
    tube = conserved(density, velocity[0], pressure)
    assert_close(roe_flux(*tube, *tube), euler(density, velocity[0], pressure), 1e-12)


@given(positive, speed, positive, positive, speed, positive)
def test_in_a_tube_space_is_a_line(density1, velocity1, pressure1, density2, velocity2, pressure2):
    tube = *conserved(density1, velocity1, pressure1), *conserved(density2, velocity2, pressure2)
    space = [np.array([each, 0, 0]) if place in (1, 4) else each for place, each in enumerate(tube)]
    mass, momentum, *aside, energy = roe_flux_3d(*space)
    assert_close([mass, momentum, energy], roe_flux(*tube), 1e-12)
    assert_close(aside, [0, 0], 1e-12)


@given(positive, positive, positive, positive, speed, speed)
def test_what_is_faster_than_sound_knows_only_where_it_comes_from(density1, pressure1, density2, pressure2, v, w):
    fast = 10 * np.sqrt(GAMMA * max(pressure1 / density1, pressure2 / density2, 1.0))
    one, other = (density1, np.array([fast, v, w]), pressure1), (density2, np.array([fast + 1, w, v]), pressure2)
    assert_close(roe_flux_3d(*conserved(*one), *conserved(*other)), euler(*one), 1e-11)


@given(positive, st.floats(1.1, 20))
def test_a_shock_that_stands_still_is_a_wave_of_its_own(density, ratio):
    """The Rankine-Hugoniot conditions: both sides have the same flux, and it is the flux between them."""
    pressure = 1.0
    sound = np.sqrt(GAMMA * pressure / density)
    mach = np.sqrt(1 + (GAMMA + 1) / (2 * GAMMA) * (ratio - 1))
    squeezed = density * (GAMMA + 1) * mach**2 / ((GAMMA - 1) * mach**2 + 2)
    before, behind = (density, mach * sound, pressure), (squeezed, density * mach * sound / squeezed, ratio * pressure)
    assert_close(euler(*before), euler(*behind), 1e-12)
    assert_close(roe_flux(*conserved(*before), *conserved(*behind)), euler(*before), 1e-11)


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


def test_at_zero_angles_the_arm_reaches_forward_and_hangs_down():
    x, y, z, *_ = six_joint_arm(*[0.0] * 6)
    assert_close([x, y, z], [0.175 + 0.890 + 0.050, 0, 0.575 - 1.035 - 0.185], 1e-15)


# ---- equations ----

numbers = st.floats(-3, 3)


@given(st.lists(numbers, min_size=8, max_size=8))
def test_the_equations_of_the_heart_are_moments_of_complex_numbers(x):
    a, b, c, d, t, u, v, w = x
    moments = [(a + 1j * c) * (t + 1j * v) ** k + (b + 1j * d) * (u + 1j * w) ** k for k in range(4)]
    measured = [0.485 - 0.0019j, -0.0581 + 0.015j, 0.105 + 0.0406j, 0.167 - 0.399j]
    expected = [
        part for one, other in zip(moments, measured, strict=True) for part in ((one - other).real, (one - other).imag)
    ]
    assert_close(human_heart_dipole(*x), expected, 1e-13)


def test_newtons_method_finds_the_known_mixture_of_burnt_propane():
    """The same model in five unknowns (Meintjes and Morgan 1990) has one root, which interval arithmetic encloses."""
    function, x = flat(PROGRAMS["propane combustion"])
    for _ in range(8):
        x = x - np.linalg.solve(ad.jacobian(function)(x), function(x))
    assert_close(propane_combustion(*x), np.zeros(11), 1e-14)
    assert (x > 0).all()
    co2, h2o, n2, co, *_, everything = x
    reduced = [
        co / everything,
        co2 / co,
        np.sqrt(h2o * co / co2 / everything),
        np.sqrt(n2 / everything),
        1 / everything,
    ]
    assert_close(reduced, [0.003114102265, 34.59792453, 0.06504177869, 0.8593780506, 0.03695185915], 1e-10)


# ---- chemistry ----

ATOMS = {
    "nitrogen": {"NO2": 1, "NO": 1, "PAN": 1, "HNO3": 1, "NO3": 1, "N2O5": 2},
    "sulfur": {"SO2": 1, "SO4": 1},
}


@pytest.mark.parametrize("atom", ATOMS)
@given(st.lists(st.floats(0, 1), min_size=20, max_size=20))
def test_atoms_are_neither_made_nor_lost_in_air(atom, concentrations):
    changes = dict(zip(SPECIES, pollution(*concentrations), strict=True))
    largest = max(map(abs, changes.values()))
    assert abs(sum(count * changes[name] for name, count in ATOMS[atom].items())) <= 1e-14 * largest


def test_after_an_hour_the_air_is_as_the_collection_of_problems_has_it():
    start = {"NO": 0.2, "O3": 0.04, "HCHO": 0.1, "CO": 0.3, "ALD": 0.01, "SO2": 0.007}
    program = ad.compile_jacobian(pollution, *np.ones(20))
    found = solve_ivp(
        lambda t, y: pollution(*y),
        (0, 60),
        [start.get(name, 0.0) for name in SPECIES],
        method="Radau",
        rtol=1e-8,
        atol=1e-14,
        jac=lambda t, y: np.array(program(*y.tolist()).jacobian),
    )
    expected = [0.5646255480022769e-1, 0.1342484130422339, 0.4139734331099427e-8, 0.5523140207484359e-2]
    np.testing.assert_allclose(found.y[:4, -1], expected, rtol=1e-6)
    np.testing.assert_allclose(found.y[:, -1], PROGRAMS["pollution"].arguments, rtol=4e-3)


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


# ---- learning, chance, the slide ----


def test_a_cell_that_remembers_all_and_writes_nothing_stays():
    bias = np.array([-50.0, 50.0, 50.0, 0.0])
    hidden, cell = lstm_cell(np.ones(2), np.zeros(1), np.array([0.7]), np.zeros((4, 2)), np.zeros((4, 1)), bias)
    assert_close([hidden, cell], [[np.tanh(0.7)], [0.7]], 1e-15)


def test_attention_does_not_mind_the_order_of_tokens():
    x, target, *blocks = PROGRAMS["transformer encoder"].arguments
    program = PROGRAMS["transformer encoder"].program
    assert_close(program(x[::-1], target[::-1], *blocks), program(x, target, *blocks), 1e-14)


@given(st.integers(0, 1000))
def test_a_random_function_uses_all_its_inputs_and_operations(seed):
    graph = ad.linearize(random_function(seed, inputs=3, operations=20), *np.linspace(0.1, 0.9, 3))
    assert len(graph.inputs) == 3
    assert len(graph.intermediates) + len(graph.outputs) == 20


def fewest_multiplications(graph: ad.CGraph) -> int:
    """Over all orders of vertices, by dynamic programming over the sets of vertices that are gone."""

    def reached(j, gone, neighbors):
        found, waiting = set(), [j]
        while waiting:
            new = set(neighbors(waiting.pop())) - found
            found |= new
            waiting += new & gone
        return len(found - gone)

    costs = {frozenset(): 0}
    for _ in graph.intermediates:
        longer = {}
        for gone, cost in costs.items():
            for j in set(graph.intermediates) - gone:
                product = reached(j, gone, graph.predecessors) * reached(j, gone, graph.successors)
                longer[gone | {j}] = min(cost + product, longer.get(gone | {j}, np.inf))
        costs = longer
    return min(costs.values())


def test_in_the_contest_the_usual_orders_are_three_above_the_best():
    case = PROGRAMS["contest"]
    graph = ad.linearize(case.program, *case.arguments)
    usual = [
        sum(step.multiplications for step in ad.vertex_elimination(graph.copy(), order))
        for order in ("forward", "reverse", "markowitz")
    ]
    assert usual == [24, 22, 22]
    assert fewest_multiplications(graph) == 19


def test_the_slide_has_its_value_and_its_jacobian():
    assert_close(slide(1.2, 0.7), [0.6266325163383618, 1.2765310628071875], 1e-15)
    expected = [[-1.0172489878790667, -0.7490357498040547], [1.864731276682226, -0.450549419422434]]
    function, x = flat(PROGRAMS["slide program"])
    assert_close(ad.jacobian(function)(x), expected, 1e-14)


# ---- landmarks ----


@pytest.mark.parametrize("name", LANDMARKS)
def test_published_counts_fall_from_the_usual_orders_to_the_best_known(name):
    landmark = LANDMARKS[name]
    usual = min(landmark.forward, landmark.reverse, landmark.markowitz)
    assert usual >= landmark.learned >= landmark.known >= landmark.proved


@pytest.mark.parametrize("name", LANDMARKS)
def test_a_program_with_landmarks_has_as_many_inputs_as_the_graph_that_was_counted(name):
    case = PROGRAMS[name]
    assert len(ad.linearize(case.program, *case.arguments).inputs) == LANDMARKS[name].inputs
