"""A function that is no longer what was compiled is noticed, and said by name; what computes the same is no change."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

import adviz as ad

SOURCES = {
    "number": "rate = 2.0\ndef f(x):\n    return rate * x",
    "default": "def f(x, rates=[2.0], *, share=1.0):\n    return rates[0] * share * x",
    "called": "rate = 2.0\ndef g(x):\n    return rate * x\ndef f(x):\n    return g(x)",
    "array": "values = np.array([2.0, np.nan])\ndef f(x):\n    return values[0] * x",
    "list": "values = [2.0, 3.0]\ndef f(x):\n    return values[0] * x",
    "dict": "values = {'rate': 2.0, 'other': (1.0, [2.0])}\ndef f(x):\n    return values['rate'] * x",
    "itself": "values = {'rate': 2.0}\nvalues['all'] = [values]\ndef f(x):\n    return values['rate'] * x",
    "class": "class Gas:\n    gamma = 2.0\ndef f(x):\n    return Gas.gamma * x",
    "module": "air = Namespace(rate=2.0, name=object())\ndef f(x):\n    return air.rate * x",
    "object": "class Gas:\n    def __init__(self):\n        self.heats = [2.0]\n"
    "    def energy(self, x):\n        return self.heats[0] * x\nair = Gas()\nf = air.energy",
    "callable": "class Gas:\n    def __init__(self):\n        self.rate = 2.0\n"
    "    def __call__(self, x):\n        return self.rate * x\nf = Gas()",
    "partial": "rate = 1.0\ndef g(scale, x):\n    return scale[0] * rate * x\nf = partial(g, np.array([2.0]))",
}
"""Modules whose ``f`` doubles its argument."""

CHANGES = [
    ("number", "rate = 3.0", "rate has another value"),
    ("number", "rate = 2", "rate has another value"),
    ("number", "del rate", "rate has another value"),
    ("default", "f.__defaults__[0][0] = 3.0", "a default of f has another value"),
    ("default", "f.__kwdefaults__ = {'share': 5.0}", "a default of f has another value"),
    ("called", "rate = 3.0", "rate has another value"),
    ("called", "def g(x):\n    return x * x", "g has another value"),
    ("called", "g.__code__ = (lambda x: x).__code__", "g has other code"),
    ("array", "values[0] = 5.0", "values has another value"),
    ("list", "values[0] = 5.0", "values has another value"),
    ("dict", "values['rate'] = 5.0", "values has another value"),
    ("itself", "values['rate'] = 5.0", "values has another value"),
    ("class", "Gas.gamma = 1.7", "Gas.gamma has another value"),
    ("module", "air.rate = 4.0", "air.rate has another value"),
    ("object", "air.heats = [5.0]", "heats has another value"),
    ("callable", "f.rate = 5.0", "rate has another value"),
    ("partial", "rate = 3.0", "rate has another value"),
    ("partial", "f.args[0][0] = 7.0", "argument 0 has another value"),
]

THE_SAME = [
    ("number", "rate = 1.0 + 1.0"),
    ("called", SOURCES["called"]),
    ("array", "values = values.copy()"),
    ("list", "values = list(values)"),
    ("dict", "values['other'] = (1.0, [2.0])"),
    ("module", "air.name = object()"),
]


def compiled(source):
    """The program of a module's function, and the module, in which one may execute changes."""
    module = {"np": np, "partial": partial, "Namespace": SimpleNamespace}
    exec(SOURCES[source], module)
    return ad.compile_jacobian(module["f"], 1.0), module


@pytest.mark.parametrize(("source", "change", "what"), CHANGES)
def test_what_has_changed_is_said_by_name(source, change, what):
    program, module = compiled(source)
    assert program(1.0) == (2.0, 2.0)
    exec(change, module)
    for x in (1.0, [1.0, 2.0], np.ones(20)):
        with pytest.raises(ad.ProgramError, match=f"has changed since it was compiled: {what}. Compile it again"):
            program(x)


@pytest.mark.parametrize(("source", "change"), THE_SAME)
def test_what_computes_the_same_is_no_change(source, change):
    program, module = compiled(source)
    exec(change, module)
    assert program(1.0) == (2.0, 2.0)


def test_a_change_that_is_taken_back_is_none():
    program, module = compiled("number")
    module["rate"] = 3.0
    with pytest.raises(ad.ProgramError):
        program(1.0)
    module["rate"] = 2.0
    assert program(1.0) == (2.0, 2.0)


def test_an_outer_variable():
    rate = 2.0
    program = ad.compile_jacobian(lambda x: rate * x, 1.0)
    assert program(1.0) == (2.0, 2.0)
    rate = 3.0
    with pytest.raises(ad.ProgramError, match="rate has another value"):
        program(1.0)


def test_recursion_and_functions_that_call_each_other_are_watched_once():
    module = {}
    exec("def f(x, n=3):\n    return g(x, n) if n else x\n\ndef g(x, n):\n    return x * f(x, n - 1)", module)
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
