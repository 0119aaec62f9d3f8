"""A function that is no longer what was compiled is noticed, and said by name; what computes the same is no change."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

import adviz as ad
from adviz.kernels.program_errors import ProgramError


def of(source, **scope):
    """The functions of a module of its own."""
    module = {"np": np, **scope}
    exec(source, module)
    return module


SOURCE = """
def f(x):
    return rate * x

def g(x):
    return f(x) + 1

def table(x):
    return values[0] * x

def keyed(x):
    return values["rate"] * x
"""


def compiled(name, **scope):
    module = of(SOURCE, **scope)
    return ad.compile_jacobian(module[name], 1.0), module


def assert_changed(program, what):
    for x in (1.0, [1.0, 2.0], np.ones(20)):
        with pytest.raises(ProgramError, match=f"has changed since it was compiled: {what}. Compile it again"):
            program(x)


def test_another_number():
    program, module = compiled("f", rate=2.0)
    module["rate"] = 3.0
    assert_changed(program, "rate has another value")
    module["rate"] = 2.0
    assert program(1.0) == (2.0, 2.0)
    module["rate"] = 2
    assert_changed(program, "rate has another value")
    del module["rate"]
    assert_changed(program, "rate has another value")


def test_the_default_of_an_argument():
    def f(x, rates=[2.0], *, share=1.0):  # noqa: B006
        return rates[0] * share * x

    program = ad.compile_jacobian(f, 1.0)
    f.__defaults__[0][0] = 3.0
    assert_changed(program, "a default of f has another value")
    f.__defaults__[0][0] = 2.0
    assert program(1.0) == (2.0, 2.0)
    f.__kwdefaults__ = {"share": 5.0}
    assert_changed(program, "a default of f has another value")


class Gas:
    gamma = 1.4

    def __init__(self):
        self.heats = [2.0, 3.0]

    def energy(self, x):
        return self.gamma * self.heats[0] * x


def test_what_a_function_takes_from_a_class_a_module_or_an_object():
    air, module = Gas(), SimpleNamespace(density=3.0, name=object())

    def f(x):
        return Gas.gamma * air.heats[1] * module.density * x

    def assert_noticed(owner, name, value):
        programs = [ad.compile_gradient(f, 1.0)]
        if owner is not module:
            programs.append(ad.compile_gradient(air.energy, 1.0))
        old = getattr(owner, name)
        try:
            setattr(owner, name, value)
            for program in programs:
                with pytest.raises(ProgramError, match=rf"{name} has another value"):
                    program(1.0)
        finally:
            setattr(owner, name, old)
        module.name = object()  # of which the function takes nothing
        assert programs[0](2.0).value == f(2.0)

    assert_noticed(Gas, "gamma", 1.7)
    assert_noticed(air, "heats", [2.0, 5.0])
    assert_noticed(module, "density", 4.0)


def test_what_a_function_uses_that_it_calls():
    program, module = compiled("g", rate=2.0)
    module["rate"] = 3.0
    assert_changed(program, "rate has another value")


def test_another_function_of_the_same_name():
    program, module = compiled("g", rate=2.0)
    exec("def f(x):\n    return x * x", module)
    assert_changed(program, "f has another value")


def test_the_same_function_written_again_is_no_change():
    program, module = compiled("g", rate=2.0)
    exec(SOURCE, module)
    assert program(1.0) == (3.0, 2.0)


def test_other_code():
    program, module = compiled("g", rate=2.0)
    module["f"].__code__ = (lambda x: x).__code__
    assert_changed(program, "f has other code")


@pytest.mark.parametrize("values", [np.array([2.0, np.nan]), [2.0, 3.0]])
def test_an_array_or_list_changed_in_place(values):
    program, module = compiled("table", values=values)
    assert program(1.0) == (2.0, 2.0)
    module["values"] = type(values)(values) if isinstance(values, list) else values.copy()
    assert program(1.0) == (2.0, 2.0)
    module["values"][0] = 5.0
    assert_changed(program, "values has another value")


def test_a_dict_changed_in_place():
    program, module = compiled("keyed", values={"rate": 2.0, "other": (1.0, [2.0])})
    module["values"]["other"] = (1.0, [2.0])
    assert program(1.0) == (2.0, 2.0)
    module["values"]["rate"] = 5.0
    assert_changed(program, "values has another value")


def test_what_stands_within_itself():
    values = {"rate": 2.0}
    values["all"] = [values]
    program, module = compiled("keyed", values=values)
    assert program(1.0) == (2.0, 2.0)
    module["values"]["rate"] = 5.0
    assert_changed(program, "values has another value")


def test_an_outer_variable():
    rate = 2.0
    program = ad.compile_jacobian(lambda x: rate * x, 1.0)
    assert program(1.0) == (2.0, 2.0)
    rate = 3.0
    assert_changed(program, "rate has another value")


def test_functions_behind_partial_applications_and_methods():
    module = of("def f(scale, x):\n    return scale * rate * x", rate=2.0)
    program = ad.compile_jacobian(partial(module["f"], 2.0), 1.0)
    module["rate"] = 3.0
    assert_changed(program, "rate has another value")


def test_recursion_and_functions_that_call_each_other_are_watched_once():
    module = of("def f(x, n=3):\n    return g(x, n) if n else x\n\ndef g(x, n):\n    return x * f(x, n - 1)")
    program = ad.compile_jacobian(module["f"], 2.0)
    assert program(2.0) == (16.0, 32.0)
    assert len(program.watch.functions) == 2


def test_what_cannot_be_watched_is_compiled_all_the_same():
    weights = SimpleNamespace(rate=2.0)

    class Model:
        def __call__(self, x):
            return weights.rate * x

    assert ad.compile_jacobian(Model(), 1.0)(1.0) == (2.0, 2.0)
    assert ad.compile_jacobian(np.sin, 1.0)(0.0) == (0.0, 1.0)


class Scaled:
    """An object that is called, and has a method."""

    def __init__(self):
        self.weight = 2.0

    def __call__(self, x):
        return self.weight * x

    def method(self, x):
        return self.weight * x


def test_attributes_of_the_object_that_is_called_are_watched():
    for pick in (lambda scaled: scaled, lambda scaled: scaled.method):
        scaled = Scaled()
        program = ad.compile_gradient(pick(scaled), 1.0)
        assert program(3.0).gradient == 2.0
        scaled.weight = 5.0
        with pytest.raises(ad.ProgramError, match="weight has another value"):
            program(3.0)


def test_arrays_of_a_partial_application_are_watched():
    weights = np.array([1.0, 2.0])
    program = ad.compile_gradient(partial(lambda w, x: np.sum(w * x), weights), np.ones(2))
    program(np.ones(2))
    weights[0] = 7.0
    with pytest.raises(ad.ProgramError, match="argument 0 has another value"):
        program(np.ones(2))


class Layer:
    """Keeps what went through it, as layers do."""

    def __init__(self):
        self.last, self.seen, self.norms = None, [], {}

    def loss(self, w):
        self.last = w
        self.seen[:] = [w, w[0] * 2, np.zeros(3)]
        self.seen[2][0] = w[1]
        self.norms["square"] = np.sum(self.last**2)
        return self.norms["square"]


def with_cache(w, cache=[]):  # noqa: B006
    cache.clear()
    cache.append(w)
    return np.sum(cache[0] ** 2)


@pytest.mark.parametrize("grain", ["array", "scalar", "auto"])
@pytest.mark.parametrize("make", [lambda: Layer().loss, lambda: with_cache, lambda: partial(Layer().loss)])
def test_a_function_that_keeps_its_argument(make, grain):
    f, x = make(), np.array([0.4, 1.3, 0.7])
    program = ad.compile_gradient(f, x, grain=grain)
    for point in (x, 2 * x, np.array([1.0, 2.0, 3.0])):
        np.testing.assert_allclose(program(point).gradient, 2 * point)
    f(x)  # leaves equal numbers
    np.testing.assert_allclose(program(x).gradient, 2 * x)
    np.testing.assert_allclose(ad.compile_hessian(f, x, grain=grain)(x).hessian, 2 * np.eye(3))
    np.testing.assert_allclose(ad.grad(f)(x), 2 * x)
