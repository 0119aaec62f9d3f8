"""Batches: what arguments may look like, and what is said of those that do not fit."""

import numpy as np
import pytest

import adviz as ad
from adviz.kernels.program_errors import ProgramError

pytestmark = pytest.mark.filterwarnings("ignore::adviz.IndependentOutputWarning")
ONE = {"a": 1.0}


def f(q, x):
    return q["a"] * x


@pytest.fixture(scope="module")
def program():
    return ad.compile_jacobian(f, ONE, np.ones(3))


WRONG = {
    "too few arguments": ((ONE,), "takes 2 arguments, not 1"),
    "too many arguments": ((ONE, np.ones(3), 1.0), "takes 2 arguments, not 3"),
    "a number for a dict": ((1.0, np.ones(3)), "argument 0 is a number; expected a dict of 'a'"),
    "a list for a dict": (([1.0], np.ones(3)), r"is an array of shape \(1,\); expected a dict of 'a'"),
    "another key": (({"b": 1.0}, np.ones(3)), "is a dict of 'b'; expected a dict of 'a'"),
    "one key more": (({"a": 1.0, "b": 2.0}, np.ones(3)), "expected a dict of 'a'"),
    "another length": ((ONE, np.ones(4)), r"\(4,\); expected \(3,\) for one point, or \(N, 3\) for N points"),
    "one axis more": ((ONE, np.ones((2, 3, 3))), r"\(2, 3, 3\); expected"),
    "a number for an array": ((ONE, 1.0), r"\(\); expected \(3,\)"),
    "the other layout": ((ONE, np.ones((3, 5))), r"\(3, 5\); expected .* The axis of the points is the first"),
    "numbers of points that differ": (({"a": np.ones(2)}, np.ones((4, 3))), r"different numbers of points: .* 2, .* 4"),
    "None": (({"a": None}, np.ones(3)), "dtype object"),
    "text": (({"a": "1.0"}, np.ones(3)), "not of real numbers"),
    "complex numbers": (({"a": 1j}, np.ones(3)), "dtype complex128"),
    "objects": (({"a": np.array([1.0], object)}, np.ones(3)), "dtype object"),
    "a masked array": ((ONE, np.ma.array(np.ones(3), mask=[True, False, False])), "MaskedArray, which computes in its"),
    "a date": (({"a": np.datetime64("2020")}, np.ones(3)), "datetime64"),
    "ragged lists": (({"a": [1, [2]]}, np.ones(3)), "not an array of real numbers"),
    "a number too large for an array": (({"a": 10**400}, np.ones(3)), "dtype object"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_an_input_error_that_says_what_was_expected(program, name):
    arguments, message = WRONG[name]
    with pytest.raises(ad.InputError, match=message):
        program(*arguments)


@pytest.mark.parametrize("wrong", [(1.0,), 5.0, None, {0: 1.0, 1: np.ones(3)}, "ab", np.ones((2, 3))], ids=repr)
def test_what_is_no_tuple_of_two_is_no_argument_that_was_one(wrong):
    program = ad.compile_jacobian(lambda pair: pair[0] * pair[1], (1.0, np.ones(3)))
    with pytest.raises(ad.InputError, match="expected a tuple of 2"):
        program(wrong)


def test_messages_name_arguments_as_the_function_does(program):
    with pytest.raises(ad.InputError, match=r"q\['a'\] has 2, x has 4"):
        program({"a": np.ones(2)}, np.ones((4, 3)))


def test_a_dict_may_have_another_order_and_a_tuple_be_a_list():
    program = ad.compile_jacobian(lambda q: q["a"] - 2 * q["b"][0], {"a": 1.0, "b": (1.0,)})
    assert program({"b": [10.0], "a": 1.0}) == (-19.0, {"a": 1.0, "b": (-2.0,)})


@pytest.mark.parametrize("points", ["first", "last"])
@pytest.mark.parametrize("count", [0, 1, 2, 30])
def test_results_have_an_axis_for_the_points_if_an_argument_has(points, count):
    program = ad.compile_jacobian(
        lambda x, y: (np.sum(x) * y, 2.0, x, np.zeros((2, 2))), np.ones(3), 1.0, points=points
    )
    found = program(np.ones(3), np.ones(count))

    def axes(*shape):
        return (count, *shape) if points == "first" else (*shape, count)

    assert [value.shape for value in found.values] == [axes(), axes(), axes(3), axes(2, 2)]
    assert [[part.shape for part in row] for row in found.jacobian] == [
        [axes(3), axes()],
        [axes(3), axes()],
        [axes(3, 3), axes(3)],
        [axes(2, 2, 3), axes(2, 2)],
    ]


@pytest.mark.parametrize("points", ["first", "last"])
@pytest.mark.parametrize("count", [None, 0, 5, 30])
def test_arrays_without_numbers(points, count):
    program = ad.compile_jacobian(lambda x, y: (x, y), np.ones(0), 1.0, points=points)
    found = program(np.ones(0), 1.0 if count is None else np.ones(count))
    axes = () if count is None else (count,)
    expected = (*axes, 0) if points == "first" else (0, *axes)
    assert np.shape(found.values[0]) == np.shape(found.jacobian[1][0]) == expected


def test_a_layout_that_is_none():
    with pytest.raises(ProgramError, match="it can be 'first' or 'last'"):
        ad.compile_jacobian(f, ONE, np.ones(3), points="middle")


def test_precisions_meet_in_the_larger_one():
    program = ad.compile_jacobian(lambda x, y: x * y, 1.0, 1.0)
    half, single, double = (np.ones(20, dtype) for dtype in "efd")
    assert program(single, double).values.dtype == np.float64
    assert program(single, half).values.dtype == np.float32
    assert program(single, 2).values.dtype == np.float64  # as NumPy has it of arrays, which whole numbers are made
    assert program(half, half).jacobian[0].dtype == np.float16
    assert program(double.astype(">f8"), double.astype(">f8")).values.dtype.isnative


def test_a_boolean_example_is_refused():
    with pytest.raises(ad.InputError, match="is boolean: pass what is the same for all points as a keyword argument"):
        ad.compile_jacobian(lambda x, flag: np.where(flag, x, -x), 1.0, True)
