"""``scipy.integrate`` on traced values: against SciPy's own values, and against differences of them.

Steps of a differential equation are kept when it is differentiated. Where their lengths are prescribed, so are SciPy's,
and differences agree; where they are chosen by the solver, derivatives agree with those of precise solutions.
"""

import numpy as np
import pytest
from scipy.integrate import odeint, quad, solve_ivp

import adviz as ad

from ..checks import GRAINS
from ..derivatives import assert_close, central_gradients
from ..scipys import check, check_values


def foxes(t, u, a, b):
    """Lotka and Volterra's foxes and rabbits."""
    return [a * u[0] - b * u[0] * u[1], -u[1] + u[0] * u[1]]


def pendulum(u, t, b, c):
    """A pendulum with friction."""
    angle, speed = u
    return [speed, -b * speed - c * np.sin(angle)]


U = np.array([1.2, 0.7])
STEPS = {"first_step": 0.1, "max_step": 0.1, "rtol": 1.0, "atol": 1.0}
TIMES = [0.0, 0.33, 0.5, 1.0]
EXPLICIT = pytest.mark.parametrize("method", ["RK23", "RK45", "DOP853"])


@pytest.mark.slow
@GRAINS
@EXPLICIT
def test_steps_of_one_length_are_differentiated_as_differences_are(method, grain):
    settings = {"method": method, **STEPS}
    check(lambda u, a: solve_ivp(foxes, (0.0, 0.3), u, args=(a, 0.5), **settings).y, (U, 1.1), grain)
    check(lambda u, a: solve_ivp(foxes, (0.0, 1.0), u, t_eval=TIMES, args=(a, 0.5), **settings).y[0], (U, 1.1), grain)
    check(lambda u: solve_ivp(lambda t, u: -u + t, (1.0, 0.8), u, **settings).y[:, -1], (U,), grain)


@GRAINS
@EXPLICIT
def test_steps_that_the_solver_chose_are_differentiated_as_the_solution_is(method, grain):
    def f(u, a, **tolerances):
        return solve_ivp(lambda t, u: np.array(foxes(t, u, a, 0.5)), (0.0, 2.0), u, t_eval=[0.3, 2.0], **tolerances).y

    check_values(lambda u, a: solve_ivp(foxes, (0, 2), u, method=method, args=(a, 0.5)).y, (U, 1.1), grain, 1e-11)
    check_values(lambda u, a: f(u, a, method=method), (U, 1.1), grain, 1e-11)
    precise = {"method": method, "rtol": 1e-6, "atol": 1e-8}
    found = ad.jacobian(lambda u, a: f(u, a, **precise), argnums=(0, 1), grain=grain)(U, 1.1)
    expected = central_gradients(lambda u, a: f(u, a, method="DOP853", rtol=1e-12, atol=1e-13), (U, 1.1))
    for jacobian, differences in zip(found, expected, strict=True):
        assert_close(jacobian, differences, 1e-4)


@GRAINS
def test_the_ends_of_the_interval_may_be_traced(grain):
    def f(start, end):
        found = solve_ivp(lambda t, u: [-u[0] * t], (start, end), [1.0], rtol=1e-9, atol=1e-10)
        return np.stack([found.y[0, -1], found.t[-1], found.t[0]])

    jacobian = ad.jacobian(f, argnums=(0, 1), grain=grain)(0.2, 1.5)
    value = np.exp((0.2**2 - 1.5**2) / 2)
    assert_close(jacobian[0], [0.2 * value, 0.0, 1.0], 1e-6)
    assert_close(jacobian[1], [-1.5 * value, 1.0, 0.0], 1e-6)


@pytest.mark.slow
@GRAINS
@pytest.mark.parametrize("method", ["LSODA", "BDF", "Radau"])
def test_other_methods_give_the_value_and_a_precise_derivative(method, grain):
    settings = {"method": method, "t_eval": [0.5, 1.0], "rtol": 1e-8, "atol": 1e-10}
    check(lambda u, a: solve_ivp(foxes, (0.0, 1.0), u, args=(a, 0.5), **settings).y, (U, 1.1), grain, 1e-12)


@pytest.mark.slow
@GRAINS
def test_odeint_gives_the_value_and_a_precise_derivative(grain):
    times = np.linspace(0, 2, 5)
    check(lambda u, b: odeint(pendulum, u, times, args=(b, 5.0)), (U, 0.25), grain)
    check(lambda b: odeint(lambda t, u: [-b * u[0]], [1.0], [0, 0.5, 0.5, 2], tfirst=True), (0.25,), grain)
    check(lambda b: odeint(lambda u, t: -b * u, [1.0], [2.0, 1.0, 0.0], full_output=True)[0], (0.25,), grain)


def test_an_equation_without_traced_values_is_solved_as_ever():
    def f(x):
        solution = solve_ivp(lambda t, u: -u, (0.0, 1.0), [1.0], events=lambda t, u: u[0] - 0.5, dense_output=True)
        assert solution.sol(0.5).shape == (1,)
        return x * solution.t_events[0][0] * odeint(lambda u, t: -u, 1.0, [0, 1])[1, 0] * quad(np.sin, 0, 1)[0]

    graph = ad.trace(f, 3.0)
    assert {node.block.name for node in graph} == {"input", "multiply", "output"}
    assert graph.values[-1] == pytest.approx(f(3.0), rel=1e-15)


def test_a_solver_that_chooses_its_steps_is_not_a_program_for_all_points():
    with pytest.raises(ad.BranchError):
        ad.compile_jacobian(lambda p: solve_ivp(lambda t, u: -p * u, (0, 1), [1.0]).y[0, -1], 1.5)


def test_a_vectorized_equation_gets_columns_and_calls_are_counted():
    def f(u):
        found = solve_ivp(lambda t, u: -2.0 * u[:1] + 0 * u, (0.0, 1.0), u, vectorized=True, rtol=1e-6)
        counts.append((found.nfev, found.y.shape))
        return found.y[:, -1]

    counts = []
    assert_close(ad.vjp(f, U)[0], f(U), 1e-12)
    assert counts[0] == counts[1]


@pytest.mark.parametrize("method", ["RK45", "LSODA"])
def test_where_an_interval_ends_changes_nothing_at_given_times(method):
    def half(rate, end):
        found = solve_ivp(lambda t, y: -rate * y, (0, end), [1.0], method=method, t_eval=[0.5], rtol=1e-10, atol=1e-12)
        return found.y[0, 0]

    rate, end = ad.grad(half, (0, 1))(2.0, 1.2)
    assert (rate, end) == (pytest.approx(-0.5 * np.exp(-1), rel=1e-7), 0.0)
