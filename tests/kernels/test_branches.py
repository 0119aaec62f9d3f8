"""Control flow by values: every point goes its own way, and what was decided is part of the program."""

import numpy as np
import pytest

import adviz as ad

RANDOM = np.random.default_rng(7)


def crossing(x, y):
    """Another formula on each side of a line, and on it."""
    if x > y:
        return x * y
    return np.sin(x) if x < y else x**3


def halved(x):
    """As many turns as it takes."""
    turns = 0.0
    while abs(x) > 1.0:
        x, turns = x / 2, turns + x
    return x * turns


def sorted_product(x):
    first, second, *_ = np.sort(x)
    return first**2 * second


def solved(matrix, right):
    return np.linalg.solve(matrix, right)


CASES = {
    "if": (crossing, [(), ()]),
    "while": (halved, [()]),
    "sort": (sorted_product, [(4,)]),
    "pivots": (solved, [(3, 3), (3,)]),
    "largest": (lambda x: x[np.argmax(x)] * x[0], [(3,)]),
}


def points_of(shapes, count, points):
    shapes = [(count, *shape) if points == "first" else (*shape, count) for shape in shapes]
    return [4 * RANDOM.standard_normal(shape) for shape in shapes]


def at(values, k, points):
    return [value[k] if points == "first" else value[..., k] for value in values]


@pytest.mark.parametrize("points", ["first", "last"])
@pytest.mark.parametrize("name", CASES)
def test_each_point_has_the_values_and_the_jacobian_of_its_own_way(name, points):
    f, shapes = CASES[name]
    program = ad.compile_jacobian(f, *(RANDOM.standard_normal(shape) for shape in shapes), points=points, branches=True)
    arguments = points_of(shapes, 40, points)
    values, jacobian = program(*arguments)
    jacobian = jacobian if isinstance(jacobian, tuple) else (jacobian,)
    assert len(program.programs) > 1
    for k in range(40):
        here = at(arguments, k, points)
        np.testing.assert_allclose(at([values], k, points)[0], f(*here), rtol=1e-8)
        for block, expected in zip(jacobian, ad.jacobian(f, tuple(range(len(here))))(*here), strict=True):
            np.testing.assert_allclose(at([block], k, points)[0], expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_one_point_goes_its_own_way_too(name):
    f, shapes = CASES[name]
    program = ad.compile_jacobian(f, *(RANDOM.standard_normal(shape) for shape in shapes), branches=True)
    for _ in range(10):
        here = [3 * RANDOM.standard_normal(shape) for shape in shapes]
        np.testing.assert_allclose(program(*here).values, f(*here), rtol=1e-8)


def test_an_argument_may_be_the_same_for_all_points():
    program = ad.compile_gradient(crossing, 1.0, 2.0, branches=True)
    x = np.array([-1.0, 0.5, 3.0])
    np.testing.assert_array_equal(program(x, 0.5).gradient[0], [np.cos(-1.0), 3 * 0.5**2, 0.5])


def test_points_that_are_nan_go_the_way_of_comparisons_that_do_not_hold():
    program = ad.compile_gradient(halved, 1.0, branches=True)
    value, gradient = program([np.nan, 0.5])
    assert np.isnan(value[0])
    assert (value[1], gradient[1]) == (0.0, 0.0)


def test_no_points_make_no_way():
    program = ad.compile_gradient(halved, 1.0, branches=True)
    assert program(np.empty(0)).gradient.shape == (0,)
    assert len(program.programs) == 1


def test_what_is_decided_without_values_needs_no_guard():
    program = ad.compile_gradient(lambda x: np.sum(x) if len(x) > 2 else x[0], np.ones(3), branches=True)
    program(np.ones((5, 3)))
    assert [each.guard for each in program.programs] == [None]


def test_ways_without_end_are_told():
    def counted(x):
        k = 0.0
        while k < x:
            k = k + 1
        return x * k

    program = ad.compile_gradient(counted, 1.0, branches=True)
    with pytest.raises(ad.ProgramError, match="goes more than 100 ways"):
        program(np.arange(300.0))
    np.testing.assert_array_equal(program(np.array([1.0, 5.0])).gradient, [1.0, 5.0])


def test_without_branches_what_depends_on_values_is_refused_with_its_place():
    with pytest.raises(ad.BranchError, match="branches=True") as caught:
        ad.compile_gradient(crossing, 1.0, 2.0)
    assert caught.value.origin.text == "x > y"
