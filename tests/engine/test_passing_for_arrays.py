"""Programs that ask ``isinstance`` see in traced values what NumPy would have there; adviz and libraries do not."""

import collections
import functools
import itertools
import numbers

import numpy as np
import pytest

import adviz as ad

from ..catalogue import expressions, function_of
from .checks import GRAINS

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
    assert not isinstance(ad.Variable([1.0, 2.0]), np.ndarray)


def test_functions_of_one_type_or_another_are_chosen_as_for_arrays():
    @functools.singledispatch
    def size(value):
        return "something"

    size.register(np.ndarray)(lambda value: "an array")
    size.register(float)(lambda value: "a number")
    assert seen(lambda x: (size(x), size(x[0]))) == ("an array", "a number")


BY_VALUE = {
    "a table": (lambda x: sum({1.0: 10.0, 2.0: 20.0}.get(v, 0.0) * v for v in x), [10.0, 20.0, 10.0]),
    "a set of numbers": (lambda x: sum(v for v in x if v in {1.0}), [1.0, 0.0, 1.0]),
    "a set of entries": (lambda x: np.sum(x) * len(set(x)), [2.0, 2.0, 2.0]),
    "a count": (lambda x: max(collections.Counter(x).values()) * np.sum(x), [2.0, 2.0, 2.0]),
    "groups": (lambda x: sum(map(len, itertools.chain({v: [1] for v in x}.values()))) * x[0], [2.0, 0.0, 0.0]),
    "keys from entries": (lambda x: dict(zip(x, x**2, strict=True))[x[1]], [0.0, 4.0, 0.0]),
}


@GRAINS
@pytest.mark.parametrize("name", BY_VALUE)
def test_a_number_is_a_key_by_its_value(name, grain):
    f, expected = BY_VALUE[name]
    x = np.array([1.0, 2.0, 1.0])
    value, gradient = ad.value_and_grad(f, grain=grain)(x)
    assert (value, gradient.tolist()) == (f(x), expected)
    with pytest.raises(ad.BranchError):
        ad.compile_gradient(f, x, grain=grain)
    assert ad.compile_gradient(f, x, grain=grain, branches=True)(x).gradient.tolist() == expected


@GRAINS
def test_a_key_is_found_again_after_the_trace(grain):
    memory, seen = {}, set()

    def f(x):
        if x not in memory:
            memory[x] = np.sin(x)
        seen.add(x * 1.0)
        return memory[x * 1.0]

    assert ad.grad(f, grain=grain)(0.7) == pytest.approx(np.cos(0.7))
    assert (len(memory), 0.7 in memory, 0.7 in seen) == (1, True, True)


def test_an_item_is_counted_from_the_end():
    assert ad.grad(lambda x: x.item(-1) * x.item(0))(np.array([1.0, 2.0, 3.0])).tolist() == [3.0, 0.0, 1.0]
    with pytest.raises(IndexError):
        ad.grad(lambda x: x.item(3))(np.ones(3))


@GRAINS
def test_the_real_part_of_an_array_of_reals_is_written(grain):
    def f(x):
        y = x.copy()
        y.real = x**2
        return np.sum(y)

    assert ad.grad(f, grain=grain)(np.array([1.0, 2.0])).tolist() == [2.0, 4.0]


BY_TYPE = {
    "an array": (lambda x: np.sum(x**2) if type(x) is np.ndarray else np.sum(x), [2.0, 4.0]),
    "an entry": (lambda x: sum(3 * v for v in x if np.issubdtype(type(v), np.floating)), [3.0, 3.0]),
    "a number made": (lambda x: type(x[0])(2.0) * x[1], [0.0, 2.0]),
    "an array made": (
        lambda x: x[1] if type(np.zeros(3)) is np.ndarray and type(x > 1) is np.ndarray else x[0],
        [0, 1],
    ),
    "others": (
        lambda x: x[1] if [type([x]), int, type(str), type(None)][:3] == [list, int, type] else x[0],
        [0, 1],
    ),
}


@GRAINS
@pytest.mark.parametrize("name", BY_TYPE)
def test_its_type_is_that_of_numpys_arrays_and_numbers(name, grain):
    f, expected = BY_TYPE[name]
    value, gradient = ad.value_and_grad(f, grain=grain)(np.array([1.0, 2.0]))
    assert (value, gradient.tolist()) == (f(np.array([1.0, 2.0])), expected)


@GRAINS
def test_the_type_of_a_number_among_numbers_is_pythons(grain):
    assert ad.grad(lambda x: x**2 if type(x) in (int, float) else x, grain=grain)(3.0) == 6.0
    assert ad.grad(lambda x: x**2 if type(x).__name__ == "float" else x, grain=grain)(3.0) == 6.0


def test_classes_are_made_and_asked_for_as_ever_while_a_program_is_traced():
    def f(x):
        class Kind(type):
            def __call__(cls, *args):
                return super().__call__(*args)

        class Rate(metaclass=Kind):
            of = 3.0

        made = type("Made", (Rate,), {"more": 2.0})
        assert isinstance(made, Kind)
        assert type(Rate) is Kind
        assert type(made()) is made
        assert isinstance(int, type)
        assert issubclass(Kind, type)
        assert not isinstance(3, type)
        return x * made.of * made.more

    assert ad.grad(f)(1.0) == 6.0


ASKS_WHAT_A_NUMBER_IS = """
isinstance(x, np.float64) | isinstance(x, np.generic) | isinstance(x, float) | type(x) is float | type(x + 1) is float
x.__class__ is float | isinstance(x, np.ndarray) | isinstance(x * 2, np.floating) | {float: 1, np.float64: 0}[type(x)]
"""


@GRAINS
@pytest.mark.parametrize("text", expressions(ASKS_WHAT_A_NUMBER_IS))
def test_a_program_gets_the_type_that_its_number_has_also_where_it_is_compiled(text, grain):
    asked = function_of(text)

    def f(x):
        return 2 * x if asked(x) else 3 * x

    for x in (0.3, np.float64(0.3)):
        slope = f(x) / x
        assert ad.grad(f, grain=grain)(x) == pytest.approx(slope)
        assert ad.compile_gradient(f, x, grain=grain)(x).gradient == pytest.approx(slope)


ATTRIBUTES = """
hasattr(x[0], "__len__") | hasattr(x[0], "__iter__") | hasattr(x, "__iter__") | hasattr(x, "tape") | hasattr(x, "index")
hasattr(x, "backward") | hasattr(x[0], "shape") | hasattr(x, "weights") | getattr(x, "index", None) is None
getattr(x, "shape", None) == (3,) | getattr(x, "node", 1) == 1
isinstance(x[0] > 0, np.bool_) | isinstance(x[0] > 0, bool) | type(x[0] > 0) is np.bool_ | (x[0] > 0).dtype == bool
"""


@GRAINS
@pytest.mark.parametrize("text", expressions(ATTRIBUTES))
def test_a_program_is_told_of_attributes_and_of_comparisons_what_numpy_has(text, grain):
    asked = function_of(text)

    def f(x):
        return 2 * x[0] if asked(x) else 3 * x[1]

    assert ad.value_and_grad(f, grain=grain)(X)[0] == pytest.approx(f(X))
    assert ad.compile_gradient(f, X, grain=grain)(X).value == pytest.approx(f(X))


@GRAINS
@pytest.mark.parametrize("name", ["shape", "dtype", "real", "is_integer", "tape"])
def test_a_program_is_told_of_its_number_what_python_has(name, grain):
    def f(x):
        return 2 * x if hasattr(x, name) else 3 * x

    assert ad.grad(f, grain=grain)(0.3) == pytest.approx(f(0.3) / 0.3)
    assert ad.compile_gradient(f, 0.3, grain=grain)(0.3).gradient == pytest.approx(f(0.3) / 0.3)


@GRAINS
def test_other_attributes_are_asked_for_once(grain):
    class Layer:
        calls = 0

        @property
        def rate(self):
            Layer.calls += 1
            return 2.0

    def f(x):
        return x * getattr(Layer(), "rate", 1.0) * getattr(Layer(), "other", 3.0)

    assert ad.grad(f, grain=grain)(0.3) == 6.0
    assert Layer.calls == 1
