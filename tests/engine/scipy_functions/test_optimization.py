"""``scipy.optimize`` on traced values: roots against SciPy's, their derivatives against differences of them."""

import numpy as np
import pytest
import scipy.optimize as op
from scipy.optimize import brentq

import adviz as ad

from ..checks import GRAINS
from ..derivatives import assert_close, central_gradients
from ..scipys import check, check_values


def cubic(t, p, q=1.0):
    """An equation of one unknown."""
    return t**3 + q * t - p


def pair(v, p):
    """Two equations of two unknowns."""
    return [v[0] ** 2 + p * v[1] - 2, v[1] + v[0] * p - 1.5]


BRACKETED = ("brentq", "brenth", "ridder", "bisect", "toms748")
FUNCTIONS = {
    **{name: (lambda p, name=name: getattr(op, name)(lambda t: t**3 + t - p, 0.0, 3.0), (2.3,)) for name in BRACKETED},
    "parameters as arguments": (lambda p, q: brentq(cubic, 0.0, 3.0, args=(p, q)), (2.3, 1.2)),
    "one argument, not in a tuple": (lambda p: brentq(cubic, 0.0, 3.0, args=p), (2.3,)),
    "a bracket that is traced": (lambda p: brentq(cubic, p - 3, p, args=(p,)), (2.3,)),
    "full_output": (lambda p: brentq(cubic, 0.0, 3.0, (p,), full_output=True)[0], (2.3,)),
    "newton by secants": (lambda p: op.newton(cubic, 1.0, args=(p,)), (2.3,)),
    "newton with a slope": (lambda p: op.newton(cubic, 1.0, lambda t, p: 3 * t**2 + 1, (p,)), (2.3,)),
    "newton of several numbers": (lambda p: op.newton(cubic, np.ones(3), args=(p,)), (np.array([2.3, 1.0, 0.5]),)),
    "root_scalar": (lambda p: op.root_scalar(cubic, args=(p,), bracket=[0.0, 3.0]).root, (2.3,)),
    "root_scalar with a slope": (
        lambda p: op.root_scalar(cubic, args=(p,), x0=1.0, fprime=lambda t, p: 3 * t**2 + 1).root,
        (2.3,),
    ),
    "fsolve": (lambda p: op.fsolve(pair, [1.0, 1.0], args=(p,)), (0.7,)),
    "fsolve of one unknown": (lambda p: op.fsolve(cubic, 1.0, args=(p,)), (2.3,)),
    "fsolve with full_output": (lambda p: op.fsolve(pair, [1.0, 1.0], args=(p,), full_output=True)[0], (0.7,)),
    "root": (lambda p: op.root(pair, np.array([1.0, 1.0]), args=(p,)).x, (0.7,)),
    "root by another method": (lambda p: op.root(lambda v: np.array(pair(v, p)), [1.0, 1.0], method="lm").x, (0.7,)),
    "fixed_point": (lambda p: op.fixed_point(lambda x: np.cos(p * x), np.array([0.5, 0.6])), (np.array([0.7, 0.8]),)),
}


@pytest.mark.long
@GRAINS
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_root_is_scipys_and_has_the_derivatives_of_its_equation(name, grain):
    check(*FUNCTIONS[name], grain, 1e-10)


def valley(v, p):
    """A function of two numbers with one minimum."""
    return (v[0] - p) ** 2 + 5 * (v[1] - v[0] ** 2) ** 2 + 0.1 * v[1] ** 4


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


@pytest.mark.long
def test_searches_that_are_not_differentiated_are_named():
    for name, f in {
        "fmin": lambda p: op.fmin(valley, [1.0, 1.0], args=(p,), disp=0),
        "brent": lambda p: op.brent(lambda t: (t - p) ** 2),
        "golden": lambda p: op.golden(lambda t: (t - p) ** 2),
        "leastsq": lambda p: op.curve_fit(lambda t, a: t * a, [1.0, 2.0, 3.0], [p, 2 * p, 3.0])[0],
        "minimize of a minimum on a bound": lambda p: op.minimize(valley, [1, 1], args=p, bounds=[(0, 0.2), (0, 5)]).x,
        "minimize with jac=True, constraints": lambda p: (
            op.minimize(valley, [1, 1], args=p, constraints=[{"type": "eq", "fun": lambda v: v[0] - v[1]}]).x
        ),
    }.items():
        for grain in ("array", "scalar"):
            with pytest.raises(ad.MissingBlockError, match=rf"no Block for scipy\.optimize\.{name}"):
                ad.trace(f, 1.3, grain=grain)


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


def test_what_cannot_be_differentiated_is_named():
    def with_slope(t, p):
        return t**2 - p, 2 * t

    with pytest.raises(
        ad.MissingBlockError, match=r"scipy\.optimize\.root_scalar of a function that returns its slope"
    ):
        ad.trace(lambda p: op.root_scalar(with_slope, args=(p,), x0=1.0, fprime=True).root, 2.0)
    with pytest.raises(ad.BranchError):
        ad.compile_jacobian(lambda p: brentq(cubic, 0.0, 3.0, args=(p,)), 2.3)


@pytest.mark.parametrize("name", ["differential_evolution", "dual_annealing"])
def test_a_search_with_random_numbers_runs_on_plain_numbers_in_a_trace(name):
    search = getattr(op, name)
    found = ad.grad(lambda x: x * search(lambda p: (p[0] - 0.3) ** 2, [(0, 1)], maxiter=20).x[0])(0.3)
    assert found == pytest.approx(0.3, abs=1e-3)
