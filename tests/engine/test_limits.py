"""Second derivatives at kinks: limits where these agree, NaN with a warning elsewhere, on all roads alike."""

import contextlib
from itertools import islice

import numpy as np
import pytest

import adviz as ad

from .derivatives import assert_close

GRAINS = ["array", "scalar"]
EYE = np.eye(2)
SMOOTH = {
    "norm squared": (lambda x: (np.linalg.norm(x) / 2) ** 2, np.zeros(2), EYE / 2),
    "cosh of a norm": (lambda x: np.cosh(np.linalg.norm(x)), np.zeros(2), EYE),
    "fourth power of a norm": (lambda x: np.linalg.norm(x) ** 4, np.zeros(2), 0 * EYE),
    "hypot squared": (lambda x: np.hypot(x[0], x[1]) * np.hypot(x[1], x[0]), np.zeros(2), 2 * EYE),
    "abs squared": (lambda x: np.sum(np.abs(x) ** 2), np.zeros(2), 2 * EYE),
    "abs cubed": (lambda x: np.sum(np.abs(x) ** 3), np.zeros(2), 0 * EYE),
    "abs cubed times a square": (lambda x: np.sum(x**2 * np.abs(x) ** 3), np.zeros(2), 0 * EYE),
    "root of a square, squared": (lambda x: np.sum(np.sqrt(x**2) ** 2), np.zeros(2), 2 * EYE),
    "fourth root of a fourth power, squared": (lambda x: np.sum((x**4) ** 0.25 * abs(x)), np.zeros(2), 2 * EYE),
    "root of a sum of squares, squared": (lambda x: np.cosh(np.sqrt(x[0] ** 2 + x[1] ** 2)), np.zeros(2), EYE),
    "power spectrum": (lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2), np.ones(2), 4 * EYE),
    "variance": (lambda x: np.std(x) ** 2, np.ones(2), np.array([[0.5, -0.5], [-0.5, 0.5]])),
    "product of both": (lambda x: np.maximum(x[0], x[1]) * np.minimum(x[0], x[1]), np.ones(2), 1 - EYE),
    "sum of both": (lambda x: np.max(x) + np.min(x), np.ones(2), 0 * EYE),
    "softmax by hand": (lambda x: np.max(x) + np.log(np.sum(np.exp(x - np.max(x)))), np.zeros(2), EYE / 2 - 0.25),
    "tie that stays one": (lambda x: np.sum(np.maximum(x, (x + x) / 2) ** 2), np.array([0.3, -0.2]), 2 * EYE),
    "sign times itself, squared": (lambda x: np.sum((np.sign(x) * x) ** 2), np.zeros(2), 2 * EYE),
    "hand-written abs squared": (lambda x: np.sum(np.where(x > 0, x, -x) ** 2), np.zeros(2), 2 * EYE),
    "positive and negative part": (lambda x: np.sum((x * (x > 0) - x * (x < 0)) ** 2), np.zeros(2), 2 * EYE),
    "sign of its own": (
        lambda x: np.sum(np.copysign(x, x) ** 2 + (x * np.copysign(1.0, x)) ** 2),
        np.zeros(2),
        4 * EYE,
    ),
    "same on both sides": (
        lambda x: np.sum(np.where(x > 0.5, x**3, x * x**2)),
        np.array([0.5, 1.0]),
        np.diag([3.0, 6.0]),
    ),
    "chosen by select": (lambda x: np.sum(np.select([x > 0, x < 0], [x, -x], 0.0 * x) ** 2), np.zeros(2), 2 * EYE),
    "cubed positive part": (lambda x: np.sum(np.maximum(x, 0.0) ** 3), np.array([0.0, 1.0]), np.diag([0.0, 6.0])),
}
NAN = np.nan
KINKED = {
    "abs": (lambda x: np.abs(x[0]) + x[1] ** 2, np.array([0.0, 1.0]), [[NAN, 0], [0, 2]]),
    "abs times another": (lambda x: np.abs(x[0]) * x[1], np.array([0.0, 1.0]), [[NAN, NAN], [NAN, 0]]),
    "abs times itself": (lambda x: np.abs(x[0]) * x[0] + x[1], np.array([0.0, 1.0]), [[NAN, 0], [0, 0]]),
    "sum of abs squared": (lambda x: np.sum(np.abs(x)) ** 2, np.zeros(2), [[2, NAN], [NAN, 2]]),
    "positive part": (lambda x: np.sum(np.maximum(x, 0.0)), np.array([0.0, 1.0]), [[NAN, 0], [0, 0]]),
    "positive part squared": (lambda x: np.sum(np.maximum(x, 0.0) ** 2), np.array([0.0, 1.0]), [[NAN, 0], [0, 2]]),
    "the larger one squared": (lambda x: np.maximum(x[0], x[1]) ** 2, np.ones(2), [[NAN, NAN], [NAN, NAN]]),
    "the largest": (lambda x: np.max(x), np.ones(2), [[NAN, NAN], [NAN, NAN]]),
    "clip": (lambda x: np.sum(np.clip(x, -1.0, 1.0) ** 2), np.array([1.0, 0.5]), [[NAN, 0], [0, 2]]),
    "norm": (np.linalg.norm, np.zeros(2), [[NAN, NAN], [NAN, NAN]]),
    "deviation": (np.std, np.ones(2), [[NAN, NAN], [NAN, NAN]]),
}


TIED = {
    "sign times itself": lambda x: np.sign(x) * x,
    "where": lambda x: np.where(x > 0, x, -x),
    "where, the other side": lambda x: np.where(x < 0, 0.0, x),
    "a mask": lambda x: (x >= 0) * x,
    "a mask, squared": lambda x: ((x >= 0) * x) ** 2,
    "a step": lambda x: np.heaviside(x, 0.5) * x,
    "the sign of a number": lambda x: np.copysign(1.0, x) * x,
    "a sign bit": lambda x: np.where(np.signbit(x), -x, x),
    "a condition at another number": lambda x: np.where(x + 1 > 1, x, 2 * x),
    "a whole part": lambda x: np.floor(x) * x + np.ceil(x) * x + np.trunc(x + 1) * x,
    "a rounded number": lambda x: np.rint(x + 0.5) * x,
    "a remainder": lambda x: (x % 1.0) ** 2 + x // 1.0,
}
"""What is put together at equal numbers, and does not fit."""
PLACES = {
    "the place of the largest": lambda x: np.stack([x, -x])[np.argmax(np.stack([x, -x]))],
    "the place of the smallest": lambda x: np.stack([x, -x])[np.argmin(np.stack([x, -x]))],
    "an order": lambda x: np.stack([x, 3 * x])[np.argsort(np.stack([x, 3 * x]))[1]],
    "an order by keys": lambda x: np.stack([x, 3 * x])[np.lexsort((np.stack([x, 3 * x]),))[1]],
    "two parts": lambda x: np.partition(np.stack([x, -x, x - 1]), 2)[2],
    "an interval": lambda x: np.array([1.0, 2.0])[np.searchsorted([0.0], x)] * x,
    "a bin": lambda x: np.array([1.0, 2.0])[np.digitize(x, [0.0])] * x,
    "a line through points": lambda x: np.interp(x, [-1, 0, 1], [0.0, 0.0, 1.0]),
}
"""Places in arrays: there are programs of them in the grain of arrays."""
IN_PYTHON = {
    "the largest so far": lambda x: np.maximum.accumulate(np.stack([0 * x, x]))[1],
    "what is not zero": lambda x: x if x else 2 * x,
    "different numbers": lambda x: np.sum(np.unique(np.stack([x, -x, x + 1]))),
    "an if": lambda x: x if x > 0 else -x,
    "the larger one": lambda x: max(x, -x),
    "a piece": lambda x: np.piecewise(x, [x < 0, x >= 0], [lambda t: -t, lambda t: t]),
    "a sorted list": lambda x: sorted([x, 3 * x])[1],
}


@pytest.mark.parametrize("grain", GRAINS)
@pytest.mark.parametrize("name", TIED | PLACES | IN_PYTHON)
@pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning", "ignore::adviz.IndependentOutputWarning")
def test_where_parts_do_not_fit_there_is_no_second_derivative_and_a_warning_says_why(name, grain):
    part = (TIED | PLACES | IN_PYTHON)[name]
    f, x = lambda x: part(x[0]) + x[1] ** 3, np.array([0.0, 1.0])
    is_compiled = name in TIED or (name in PLACES and grain == "array")
    for found in islice(roads(f, x, grain), 3 if is_compiled else 1):
        assert_close(found, [[NAN, 0], [0, 6]], 1e-8)
    with pytest.warns(ad.NonFiniteWarning, match="do not fit together|has a kink at this point"):
        ad.hessian(f, grain=grain)(x)


OF_ROWS = {
    "intervals": (lambda x: np.sum(np.searchsorted([1.0, 2.0], x) * x**2), [1.0, 1.5]),
    "bins": (lambda x: np.sum(np.digitize(x, [1.0, 2.0]) * x**2), [1.0, 1.5]),
    "lines through points": (lambda x: np.sum(np.interp(x, [0.0, 1.0, 2.0], [0.0, 1.0, 4.0]) ** 2), [1.0, 1.5]),
    "sorted": (lambda x: np.sort(x) @ np.array([1.0, 2.0]) * np.sum(x), [1.0, 1.0]),
    "the median": (lambda x: np.median(x) ** 2, [1.0, 1.0, 2.0]),
}


@pytest.mark.parametrize("name", OF_ROWS)
@pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning", "ignore::adviz.IndependentOutputWarning")
def test_programs_of_gradients_of_arrays_are_undefined_where_the_engine_is(name):
    f, x = OF_ROWS[name][0], np.array(OF_ROWS[name][1])
    expected = ad.hessian(f)(x)
    assert np.isnan(expected).any()
    program = ad.compile_jacobian(ad.grad(f), x + np.arange(x.size) / 8, grain="array")
    assert_close(program(x).jacobian, expected, 1e-8)


@pytest.mark.parametrize(("f", "most"), [(lambda x: np.sum(np.where(x > 0, x, -x)), 60), (lambda x: x @ abs(x), 60)])
@pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning")
def test_a_function_is_not_run_again_at_a_point_nor_on_lines_that_cannot_tell_more(f, most):
    calls = []
    ad.hessian(lambda x: calls.append(x) or f(x))(np.zeros(5))
    assert len(calls) <= most


@pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning")
def test_a_turn_that_is_added_or_not_has_no_second_derivative():
    assert np.isnan(ad.hessian(lambda x: np.sum(np.unwrap(x) ** 2))(np.array([0.0, np.pi]))).any()


@pytest.mark.parametrize("grain", GRAINS)
@pytest.mark.filterwarnings("ignore::adviz.IndependentOutputWarning")
def test_a_value_that_is_left_out_has_the_limits_of_its_neighbours(grain):
    def f(x):
        return np.sum(np.where(x != 0, np.sin(x) / np.where(x != 0, x, 1.0), 1.0))

    assert_close(ad.hessian(f, grain=grain)(np.zeros(2)), -np.eye(2) / 3, 1e-6)
    assert_close(ad.compile_hessian(f, np.zeros(2), grain=grain)(np.zeros(2)).hessian, -np.eye(2) / 3, 1e-6)


def roads(f, x, grain):
    """The Hessian on every road."""
    yield ad.hessian(f, grain=grain)(x)
    with contextlib.suppress(ad.BranchError, ad.MissingBlockError):  # of a comparison in the gradient of numbers
        yield ad.compile_jacobian(ad.grad(f, grain=grain), x, grain=grain)(x).jacobian
    yield ad.compile_hessian(f, x, grain=grain)(x).hessian
    yield ad.jacobian(ad.grad(f, grain=grain), grain=grain)(x)
    program = ad.compile_hvp(f, x, grain=grain)
    for products in (lambda e: ad.hvp(f, (x,), (e,), grain=grain)[0], lambda e: program((x,), (e,)).product):
        yield np.stack([products(e) for e in np.eye(2)])


@pytest.mark.long
@pytest.mark.parametrize("grain", GRAINS)
@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.filterwarnings("ignore:infinity arises")
def test_a_smooth_function_has_its_second_derivatives_where_a_part_of_it_has_a_kink(name, grain):
    f, x, expected = SMOOTH[name]
    for found in roads(f, x, grain):
        assert_close(found, expected, 1e-8)


MIXED = [
    *("sign times itself, squared", "positive and negative part", "chosen by select", "same on both sides"),
    *("positive part", "the largest", "clip", "norm"),
]


@pytest.mark.long
@pytest.mark.parametrize("inner", GRAINS)
@pytest.mark.parametrize("grain", GRAINS)
@pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning")
def test_derivatives_in_one_grain_of_those_in_another_are_right_or_nan_at_kinks(grain, inner):
    for f, x, expected in ((SMOOTH | KINKED)[name] for name in MIXED):
        gradient = ad.grad(f, grain=inner)
        program = ad.compile_jacobian(gradient, x, grain=grain)
        for found in (ad.jacobian(gradient, grain=grain)(x), program(x).jacobian):
            np.testing.assert_allclose(found, np.where(np.isnan(found), NAN, expected), 1e-8, 1e-8)


@pytest.mark.parametrize("inner", GRAINS)
@pytest.mark.parametrize("grain", GRAINS)
def test_programs_of_derivatives_choose_at_every_point(grain, inner):
    """A derivative inside of a program has the grain of the program, whose comparisons are nodes."""

    def f(x):
        return np.sum(np.where(x > 0, x**3, np.sin(x)) * np.maximum(x, 0.5) * (x < 0.9)) + np.max(np.abs(x)) ** 3

    x, point = np.array([0.3, -0.7, 1.2]), np.array([-0.4, 0.6, 0.2])
    program = ad.compile_jacobian(ad.grad(f, grain=inner), x, grain=grain)
    for each in (x, point):
        values, jacobian = program(each)
        assert_close(values, ad.grad(f)(each), 1e-10)
        assert_close(jacobian, ad.hessian(f)(each), 1e-10)


@pytest.mark.parametrize("grain", GRAINS)
@pytest.mark.parametrize("name", KINKED)
def test_at_a_kink_there_is_no_second_derivative_and_a_warning_names_it(name, grain):
    f, x, expected = KINKED[name]
    with pytest.warns(ad.NonFiniteWarning, match="has a kink at this point"):
        assert_close(ad.hessian(f, grain=grain)(x), expected, 1e-8)
    with pytest.warns(ad.NonFiniteWarning, match="has a kink at this point"):
        assert_close(ad.compile_hessian(f, x, grain=grain)(x).hessian, expected, 1e-8)


@pytest.mark.long
def test_sorted_entries_have_a_kink_where_two_are_equal():
    x = np.array([1.0, 1.0, 0.0])
    for hessian in (ad.hessian, lambda f: lambda x: ad.compile_hessian(f, x, grain="array")(x).hessian):
        assert_close(hessian(lambda x: np.sum(np.sort(x) ** 2))(x), 2 * np.eye(3), 1e-8)
        with pytest.warns(ad.NonFiniteWarning, match="kink"):
            found = hessian(lambda x: np.sum(np.sort(x) * np.arange(3)))(x)
        assert np.isnan(found[:2, :2]).all()
        assert not found[2].any()


@pytest.mark.parametrize("grain", GRAINS)
@pytest.mark.parametrize("power", [2, 3])
@pytest.mark.filterwarnings("ignore:infinity arises")  # in the graph of the gradient
def test_one_number_has_its_second_derivatives_on_every_road(power, grain):
    for f in (lambda x: np.sqrt(x**2) ** power, lambda x: x**2 * np.abs(x) ** power):
        expected = 2.0 if power == 2 and f(2.0) == 4.0 else 0.0
        for found in (ad.grad(ad.grad(f, grain=grain), grain=grain)(0.0), ad.hessian(f, grain=grain)(0.0)):
            assert_close(found, expected, 1e-8)
        assert_close(ad.compile_hessian(f, 0.0, grain=grain)(0.0).hessian, expected, 1e-8)
        assert_close(ad.hvp(f, (0.0,), (1.0,), grain=grain)[0], expected, 1e-8)


@pytest.mark.parametrize("grain", ["array", "scalar", "auto"])
def test_programs_with_several_numbers_as_results_have_limits(grain):
    def several(a):
        return [np.sqrt(a**2) * a, {"cubed": np.sqrt(a * a) ** 3, "list": [a, a * a]}]

    def smooth(a, b):
        return abs(a) ** 3 + np.hypot(a, b) ** 2 * np.cosh(abs(b))

    values, jacobian = ad.compile_jacobian(several, 0.0, grain=grain)(0.0)
    assert values == [0.0, {"cubed": 0.0, "list": [0.0, 0.0]}]
    assert jacobian == [0.0, {"cubed": 0.0, "list": [1.0, 0.0]}]
    assert ad.compile_jvp(several, 0.0, grain=grain)((0.0,), (3.0,))[1] == [0.0, {"cubed": 0.0, "list": [3.0, 0.0]}]
    pulled = ad.compile_vjp(several, 0.0, grain=grain)((0.0,), [1.0, {"cubed": 1.0, "list": [2.0, 1.0]}])
    assert pulled.adjoints == (2.0,)
    assert ad.compile_hessian(smooth, 0.0, 0.0, grain=grain)(0.0, 0.0).hessian == ((2.0, 0.0), (0.0, 2.0))


@pytest.mark.parametrize("grain", GRAINS)
def test_zero_times_an_infinite_partial_of_a_root_is_the_limit_or_nan_with_a_warning(grain):
    assert ad.grad(lambda x: np.sqrt(x**2) * x, grain=grain)(0.0) == 0.0
    assert ad.jacobian(lambda x: np.sqrt(x**2) * x, grain=grain)(np.array([0.0, 1.0])).tolist() == [[0, 0], [0, 2]]
    with pytest.warns(ad.NonFiniteWarning, match="infinite or undefined"):
        assert np.isnan(ad.grad(lambda x: np.sqrt(x**2), grain=grain)(0.0))
    with pytest.warns(ad.NonFiniteWarning, match="infinite or undefined"):
        assert ad.grad(np.sqrt, grain=grain)(0.0) == np.inf


def test_away_from_kinks_and_in_first_derivatives_nothing_is_marked():
    graph = ad.trace(ad.grad(lambda x: np.sum(np.abs(x) ** 2)), np.array([1.0, -2.0]))
    assert "kink" not in graph.block_counts()
    assert ad.grad(lambda x: np.sum(np.abs(x)))(np.zeros(2)).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("larger", [np.maximum, np.minimum, np.fmax, np.fmin])
@pytest.mark.parametrize("grain", ["array", "scalar"])
def test_the_larger_of_a_number_and_itself_has_no_kink(larger, grain):
    def f(x):
        return larger(x, x) ** 3

    found = ad.compile_hessian(f, 1.0, grain=grain)(2.0).hessian, ad.hessian(f, grain=grain)(2.0)
    assert found == (12.0, 12.0)


@pytest.mark.parametrize("grain", ["array", "scalar"])
@pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning")
def test_a_direction_that_meets_a_kink_only_later_has_no_wrong_number(grain):
    def f(x):  # x[0] * x[2], as two of three are equal
        return np.median(np.array([x[0] * x[2], x[0] + 2 * x[1], x[0] * x[2]]))

    (found,) = ad.hvp(f, (np.zeros(3),), (np.array([0.0, 0.0, 1.0]),), grain=grain)
    right = np.array([1.0, 0.0, 0.0])
    assert ((found == right) | np.isnan(found)).all()


def test_the_mixed_derivative_of_a_kernel_is_known_at_equal_points():
    a = np.array([0.4, 1.3, 0.7])
    mixed = ad.jacobian(lambda b: ad.grad(lambda z: np.exp(-(np.linalg.norm(z - b) ** 2)))(a))(a)
    assert_close(mixed, 2 * np.eye(3), 1e-8)


def test_numbers_have_derivatives_of_derivatives_at_kinks():
    for derivative in (ad.grad(ad.grad(lambda x: x * np.abs(x) ** 2)), ad.jacobian(ad.grad(lambda x: np.abs(x) ** 3))):
        assert derivative(0.0) == 0.0
    assert ad.grad(ad.grad(lambda x: np.abs(x) ** 2))(0.0) == 2.0
    assert ad.vjp(ad.grad(lambda x: np.abs(x) ** 2), 0.0)[1](3.0) == (6.0,)
    assert ad.jvp(ad.grad(lambda x: np.abs(x) ** 2), (0.0,), (3.0,))[1] == 6.0


@pytest.mark.parametrize("grain", GRAINS)
def test_third_derivatives_at_kinks_are_limits_or_nan_with_a_warning(grain):
    def third(f):
        return ad.grad(ad.grad(ad.grad(f, grain=grain), grain=grain), grain=grain)(0.0)

    assert third(lambda x: np.abs(x) ** 2) == third(lambda x: np.abs(x) ** 4) == 0.0
    assert third(lambda x: np.abs(x) ** 2 * x) == pytest.approx(6.0)
    assert third(lambda x: np.maximum(x, 0.0) * np.minimum(x, 0.0) * (x + 3.0)) == pytest.approx(0.0)
    for f in (np.abs, lambda x: x * np.abs(x), lambda x: np.abs(x) ** 3, lambda x: np.maximum(x, 0.0) ** 2):
        with pytest.warns(ad.NonFiniteWarning, match="has a kink at this point"):
            assert np.isnan(third(f))


def test_programs_over_points_have_limits_at_the_points_with_kinks():
    program = ad.compile_hessian(lambda x: np.sum(np.abs(x) ** 2), np.ones(2), grain="scalar")
    assert_close(program(np.array([[1.0, 2.0], [0.0, 1.0]])).hessian, [2 * EYE, 2 * EYE], 1e-8)


def test_the_determinant_has_derivatives_at_singular_matrices():
    for matrix in (np.array([[1.0, 2.0], [2.0, 4.0]]), np.diag([1.0, 0.0, 0.0])):
        for example in (matrix, np.eye(len(matrix))):
            gradient = ad.compile_gradient(np.linalg.det, example, grain="array")(matrix).gradient
            assert_close(gradient, ad.grad(np.linalg.det)(matrix), 1e-12)
        expected = ad.hessian(
            lambda a: np.sum(np.cross(a[0], a[1]) * a[2]) if len(a) > 2 else a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]
        )
        for grain in GRAINS:
            assert_close(ad.hessian(np.linalg.det, grain=grain)(matrix), expected(matrix), 1e-8)
        assert_close(ad.compile_hessian(np.linalg.det, matrix, grain="array")(matrix).hessian, expected(matrix), 1e-8)


@pytest.mark.parametrize("grain", GRAINS)
@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_function_that_changes_what_it_depends_on_keeps_its_nan(grain, is_compiled):
    runs = [0]

    def f(x):
        runs[0] += 1
        return runs[0] * (np.linalg.norm(x) ** 2 + np.sin(x[1]) + 1.0)

    x = np.zeros(2)
    with pytest.warns(ad.NonFiniteWarning, match="kink"):
        found = ad.compile_hessian(f, x, grain=grain)(x).hessian if is_compiled else ad.hessian(f, grain=grain)(x)
    assert np.isnan(found).all()


def test_a_program_that_asks_its_function_leaves_the_arguments_as_they_are():
    def writing(x):
        x *= 2.0
        return np.sum(np.abs(x) ** 2)

    x = np.array([0.0, 0.7])
    assert_close(ad.compile_hessian(writing, np.ones(2), grain="array")(x).hessian, 8 * EYE, 1e-8)
    assert x.tolist() == [0.0, 0.7]

    def singular(x):
        x[0, 0] = 0.0
        return np.sum(x @ np.linalg.inv(x + 1.0)) + np.linalg.det(x)

    for kind in (ad.compile_gradient, ad.compile_jacobian):
        matrix = np.diag([1.0, 0.0, 2.0])
        before = matrix.copy()
        with contextlib.suppress(ad.AdvizError, np.linalg.LinAlgError):
            kind(lambda x: singular(x), np.eye(3), grain="array")(matrix)
        np.testing.assert_array_equal(matrix, before)


@pytest.mark.parametrize("grain", ["array", "scalar"])
def test_a_number_is_compared_with_an_array_from_the_left(grain):
    """Ties are looked for on both sides, whichever of them is of objects."""
    graph = ad.trace(lambda x: np.sum(np.less(0, x) * x * x), np.array([-1.0, 2.0]), grain=grain)
    assert graph.values[graph.outputs[0]] == 4.0
