"""``scipy.optimize`` on traced values: minima, and what the catalogue of calls does not say of roots."""

import numpy as np
import pytest
import scipy.optimize as op
from scipy.optimize import brentq

import adviz as ad

from ..checks import GRAINS
from ..derivatives import assert_close, central_gradients
from ..scipys import check_values
from .test_catalogue import cubic, valley


def misses(v, p):
    """Three equations for two numbers."""
    return [v[0] - p * v[1], v[1] - 2 + v[0] ** 2, v[0] - 0.5]


MINIMA = {
    "minimize": lambda p: op.minimize(valley, [1.0, 1.0], args=(p,), tol=1e-12).x,
    "the least value": lambda p: op.minimize(lambda v: valley(v, p), np.ones(2), tol=1e-12).fun,
    "minimize within bounds": lambda p: (
        op.minimize(valley, [1.0, 1.0], args=(p,), bounds=[(0, 3), (None, 5)], tol=1e-12).x
    ),
    "Nelder and Mead": lambda p: (
        op.minimize(valley, [1.0, 1.0], args=(p,), method="Nelder-Mead", options={"xatol": 1e-11, "fatol": 1e-15}).x
    ),
    "minimize_scalar": lambda p: op.minimize_scalar(lambda t: (t - p) ** 2 * (1 + t * t), tol=1e-12).x,
    "minimize_scalar within bounds": lambda p: (
        op.minimize_scalar(
            lambda t: (t - p) ** 2 + np.cos(t), bounds=(0, 4), method="bounded", options={"xatol": 1e-11}
        ).x
    ),
    "least_squares": lambda p: op.least_squares(misses, np.ones(2), args=(p,), xtol=1e-14, ftol=1e-14, gtol=1e-14).x,
}


@pytest.mark.slow
@GRAINS
@pytest.mark.parametrize("name", MINIMA)
def test_a_minimum_is_scipys_and_a_root_of_the_gradient(name, grain):
    f = MINIMA[name]
    check_values(f, (1.3,), grain, 1e-14)
    (expected,) = central_gradients(f, (1.3,), 1e-3)
    assert_close(ad.jacobian(f, grain=grain)(1.3), expected, 1e-4)
    derivative = ad.jacobian(f, grain=grain)
    assert_close(ad.jacobian(derivative, grain=grain)(1.3), central_gradients(derivative, (1.3,), 1e-3)[0], 1e-4)


def test_derivatives_of_third_order_are_right_too():
    third = ad.grad(ad.grad(ad.grad(lambda p: brentq(lambda t: t**3 - p, 0.1, 3.0))))(2.0)
    assert_close(third, 10 / 27 * 2.0 ** (-8 / 3), 1e-9)


def test_a_root_depends_on_its_first_guess_by_nothing():
    with pytest.warns(ad.IndependentOutputWarning):
        assert ad.grad(lambda guess: op.newton(lambda t: t**2 - 2, guess))(1.0) == 0


def test_an_equation_without_traced_values_is_solved_as_ever():
    calls = []

    def f(x):
        calls.append(op.brentq(lambda t: t**2 - 2, 0.0, 2.0, full_output=True))
        return x * calls[-1][0]

    graph = ad.trace(f, 3.0)
    assert [node.block.name for node in graph] == ["input", "multiply", "output"]
    assert calls[0][0] == brentq(lambda t: t**2 - 2, 0.0, 2.0)
    assert calls[0][1].converged


def test_a_search_is_not_a_program_for_all_points():
    with pytest.raises(ad.BranchError):
        ad.compile_jacobian(lambda p: brentq(cubic, 0.0, 3.0, args=(p,)), 2.3)


@pytest.mark.parametrize("name", ["differential_evolution", "dual_annealing"])
def test_a_search_with_random_numbers_runs_on_plain_numbers_in_a_trace(name):
    search = getattr(op, name)
    found = ad.grad(lambda x: x * search(lambda p: (p[0] - 0.3) ** 2, [(0, 1)], maxiter=20).x[0])(0.3)
    assert found == pytest.approx(0.3, abs=1e-3)
