"""Programs that ask ``isinstance`` see in traced values what NumPy would have there; adviz and libraries do not."""

import copy
import functools
import numbers

import numpy as np
import pytest
import scipy.linalg

import adviz as ad

from .derivatives import assert_close

GRAINS = pytest.mark.parametrize("grain", ["array", "scalar"])
X = np.array([0.3, -0.7, 1.1])


def seen(ask, grain="array"):
    found = []
    ad.trace(lambda x: (found.append(ask(x)), x)[1], X, grain=grain)
    return found[0]


@GRAINS
def test_an_array_is_an_array(grain):
    assert seen(lambda x: isinstance(x, np.ndarray), grain)
    assert not seen(lambda x: isinstance(x, float | int | list | tuple), grain)


@GRAINS
@pytest.mark.parametrize("kind", [float, np.floating, np.float64, numbers.Number, numbers.Real, (int, float)])
def test_a_number_is_a_number(grain, kind):
    assert seen(lambda x: isinstance(x[0], kind), grain)
    assert seen(lambda x: isinstance(np.sum(x), kind), grain)
    assert not seen(lambda x: isinstance(x[0], np.ndarray | int | complex), grain)
    assert seen(lambda x: np.isscalar(x[0]), grain)
    assert not seen(lambda x: np.isscalar(x), grain)


def test_a_traced_value_is_still_a_variable():
    assert seen(lambda x: isinstance(x, ad.Variable) and isinstance(x[0], ad.Variable))
    assert seen(lambda x: issubclass(type(x), ad.Variable))
    assert not isinstance(ad.Variable([1.0, 2.0]), np.ndarray)


@GRAINS
def test_a_program_that_checks_its_arguments_traces(grain):
    def as_vector(v):
        if isinstance(v, np.ndarray):
            return v.ravel()
        if isinstance(v, int | float):
            return np.r_[v]
        raise TypeError("invalid input type")

    def covariance(n, q):
        return np.eye(n) * q if np.isscalar(q) else q

    def f(x):
        return np.concatenate([as_vector(x), as_vector(x[0])]), covariance(2, x[1])

    (vector, matrix), pullback = ad.vjp(f, X, grain=grain)
    assert_close(vector, f(X)[0], 0.0)
    assert_close(matrix, f(X)[1], 0.0)
    (gradient,) = pullback((np.arange(1.0, 5.0), np.array([[1.0, 10.0], [100.0, 1000.0]])))
    assert_close(gradient, [5.0, 1003.0, 3.0])


def test_functions_of_one_type_or_another_are_chosen_as_for_arrays():
    @functools.singledispatch
    def size(value):
        return "something"

    size.register(np.ndarray)(lambda value: "an array")
    size.register(float)(lambda value: "a number")
    assert seen(lambda x: (size(x), size(x[0]))) == ("an array", "a number")


def test_writes_and_copies_of_what_passes_for_an_array_work():
    def f(x):
        y, view = x * 1.0, None
        view = y[:2]
        y[0] = 5 * x[2]
        return view * copy.copy(x)[:2] + copy.deepcopy(y)[1:]

    assert_close(ad.vjp(f, X)[0], f(X), 0.0)
    assert_close(ad.jacobian(f)(X), ad.jacobian(f, grain="scalar")(X))


def test_scipy_sees_what_it_is():
    matrix = np.outer(X, X) + np.eye(3)
    assert_close(ad.vjp(scipy.linalg.inv, matrix)[0], scipy.linalg.inv(matrix), 1e-12)
