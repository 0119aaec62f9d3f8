"""The process stays as it was found: a traced program has names of its own, and nobody else sees them."""

from __future__ import annotations

import contextlib
import copy
import functools
import gc
import importlib
import math
import operator
import os
import pickle
import subprocess
import sys
import threading
import types
import warnings
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
import scipy.special
import scipy.stats

import adviz as ad
from adviz.engine.tracing import namespaces

from ..checks import GRAINS

X = np.array([0.4, 1.3, 0.7])


def program(text: str, name: str = "a_program", **names: Any) -> types.ModuleType:
    """A module with a text for its source."""
    module = types.ModuleType(name)
    vars(module).update(names)
    exec(text, vars(module))
    return module


def look() -> dict[Any, Any]:
    """What every module has under its names, and the code of every function."""
    found: dict[Any, Any] = {}
    for name, module in list(sys.modules.items()):
        if module is None or name.partition(".")[0] in ("adviz", "tests"):
            continue
        for key, value in list(vars(module).items()):
            if callable(value) or isinstance(value, types.ModuleType):
                found[name, key] = value
                found[name, key, "code"] = value.__code__ if type(value) is types.FunctionType else None
    return found


def changed(before: dict[Any, Any]) -> list[Any]:
    after = look()
    return [key for key in before if after.get(key) is not before[key]]


# ---- what a program gets ----

KEPT = {
    "a dictionary": "ROOTS = {'of two': math.sqrt}\ndef f(x): return ROOTS['of two'](x[0])",
    "a dictionary in a list": "ROOTS = [{'of two': math.sqrt}]\ndef f(x): return ROOTS[0]['of two'](x[0])",
    "a tuple": "ROOTS = (math.sqrt,)\ndef f(x): return ROOTS[0](x[0])",
    "a default": "def f(x, root=math.sqrt): return root(x[0])",
    "a default by name": "def f(x, *, root=math.sqrt): return root(x[0])",
    "a closure": "def made(root):\n    return lambda x: root(x[0])\nf = made(math.sqrt)",
    "an attribute of a class": "class Root:\n    of = math.sqrt\ndef f(x): return Root.of(x[0])",
    "a static method": "class Root:\n    of = staticmethod(math.sqrt)\ndef f(x): return Root().of(x[0])",
    "an attribute of an object": (
        "class Root:\n    def __init__(self): self.of = math.sqrt\nroot = Root()\ndef f(x): return root.of(x[0])"
    ),
    "an object with slots that holds a dictionary": (
        "class Root:\n    __slots__ = ('of',)\nroot = Root()\nroot.of = {2: math.sqrt}\n"
        "def f(x): return root.of[2](x[0])"
    ),
    "a partial function": "from functools import partial\nroot = partial(math.sqrt)\ndef f(x): return root(x[0])",
    "an imported name": "from math import sqrt as root\ndef f(x): return root(x[0])",
    "an import in the function": "def f(x):\n    from math import sqrt\n    return sqrt(x[0])",
    "a module in an attribute": (
        "class Root:\n    def __init__(self): self.m = math\nroot = Root()\ndef f(x): return root.m.sqrt(x[0])"
    ),
    "a method": "class Root:\n    def __call__(self, x): return math.sqrt(x[0])\nf = Root()",
    "a method of a base": (
        "class Base:\n    def of(self, x): return math.sqrt(x[0])\nclass Root(Base):\n    pass\nf = Root().of"
    ),
    "a property": (
        "class Root:\n    def __init__(self, x): self.x = x\n"
        "    @property\n    def of(self): return math.sqrt(self.x)\n"
        "def f(x): return Root(x[0]).of"
    ),
    "a decorated function": (
        "import functools\ndef twice(g):\n    @functools.wraps(g)\n    def h(x): return g(x)\n    return h\n"
        "@twice\ndef f(x): return math.sqrt(x[0])"
    ),
    "a function in a table": (
        "def root(x): return math.sqrt(x)\nROOTS = {'of': [root]}\ndef f(x): return ROOTS['of'][0](x[0])"
    ),
    "a generator": "def roots(x):\n    yield math.sqrt(x[0])\ndef f(x): return sum(roots(x))",
    "a function made in the function": "def f(x):\n    def root(y): return math.sqrt(y)\n    return root(x[0])",
    "a class made in the function": (
        "def f(x):\n    class Root:\n        def of(self, y): return math.sqrt(y)\n    return Root().of(x[0])"
    ),
    "evaluated text": "def f(x): return eval('math.sqrt(y)', globals(), {'y': x[0]})",
    "map": "def f(x): return sum(map(math.sqrt, x[:1]))",
}
"""Where a program may have a function of ``math`` from."""


@GRAINS
@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_a_function_of_math_is_found_wherever_the_program_has_it(text: str, grain: str) -> None:
    module = program(text, math=math)
    before = {name: value for name, value in vars(module).items() if name != "__builtins__"}
    for _ in range(2):
        np.testing.assert_allclose(ad.grad(module.f, grain=grain)(X), [0.5 / math.sqrt(0.4), 0, 0])
    assert all(vars(module)[name] is value for name, value in before.items())
    assert module.f(X) == math.sqrt(0.4)
    for holder in (getattr(module, name, None) for name in ("ROOTS", "Root", "root")):
        text_of = repr(vars(holder) if hasattr(holder, "__dict__") else holder)
        assert "adviz" not in text_of


@GRAINS
def test_arrays_are_made_and_written_into_in_functions_of_other_modules(
    grain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = program(
        "from numpy import zeros\ndef table(x):\n    out = zeros(2)\n    out[0] = x[0] * x[1]\n    return out[0]", "far"
    )
    monkeypatch.setitem(sys.modules, "far", far)

    def imported(x):
        import far as helper  # type: ignore[import-not-found]

        return getattr(helper, "table")(x)  # noqa: B009

    for f in (far.table, lambda x: far.table(x), imported):
        np.testing.assert_allclose(ad.grad(f, grain=grain)(X), [1.3, 0.4, 0])
    assert far.zeros is np.zeros


@GRAINS
def test_random_numbers_that_a_program_draws_may_be_written_into(grain: str) -> None:
    def f(x):
        w = np.random.default_rng(3).normal(size=3)
        w += x
        v = np.random.RandomState(3).randn(3)
        v *= w
        assert isinstance(np.random.default_rng(1), np.random.Generator)
        return np.sum(v)

    np.testing.assert_allclose(ad.grad(f, grain=grain)(X), np.random.RandomState(3).randn(3))


@GRAINS
def test_the_numbers_that_a_program_draws_are_those_that_it_draws_without_a_trace(grain: str) -> None:
    def f(x):
        np.random.seed(7)  # noqa: NPY002
        drawn = np.random.randn(3)  # noqa: NPY002  # keeps every second number for later
        return x + drawn + np.random.gamma(np.full(3, 2.0))  # noqa: NPY002

    for _ in range(2):
        kept = []
        ad.trace(lambda x: kept.append(f(x)) or x, X, grain=grain)  # noqa: B023
        np.testing.assert_array_equal(kept[0], f(X))


def test_a_function_is_the_same_function_while_it_is_traced() -> None:
    module = program(
        "class Layer:\n    def __init__(self, act): self.act = act\n"
        "def relu(x): return np.maximum(x, 0)\nlayer = Layer(relu)\n"
        "def f(x): return np.sum(layer.act(x)) if layer.act is relu else np.sum(x) * 7",
        np=np,
    )
    np.testing.assert_allclose(ad.grad(module.f)(X), np.ones(3))


def test_what_numpy_imports_when_it_is_asked_for_is_special_from_the_start() -> None:
    code = "import numpy as np, adviz.engine.tracing.spaces as spaces; print('ma' in spaces.SPECIAL[np])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.strip() == "True"


def test_variables_of_a_closure_have_any_name() -> None:
    args, settings, choose, make, dispatch, own = (math.sqrt,) * 6

    def helper(x):
        return sum(root(x[0]) for root in (args, settings, choose, make, dispatch, own))

    assert ad.grad(lambda x: helper(x))(X)[0] == pytest.approx(3 / math.sqrt(0.4))


def test_globals_that_a_program_binds_or_deletes_arrive_in_its_module() -> None:
    module = program(
        "count = 0\nold = 1\ndef f(x):\n    global count, old, new\n    count += 1\n    new = 'made'\n    del old\n"
        "    return np.sum(x) * count",
        np=np,
    )
    np.testing.assert_allclose(ad.grad(module.f)(X), np.ones(3))
    assert (module.count, module.new, hasattr(module, "old"), module.np) == (1, "made", False, np)


BIND = "def bind(x):\n    global count\n    count = math.sin(x)\n"
READ = "def read(): return count\n"
WAVE = "wave = math.cos\ndef bent(x): return wave(x)\n"
BOUND = {
    "a function that calls others": (
        "def bent(x): return math.sin(x)\ndef f(x):\n    global count\n    count = bent(x)\n    return count * x"
    ),
    "a function in a tuple": (
        "count, bends = 0.5, (math.cos, math.sin)\ndef f(x):\n    global count\n    count = bends[1](x)\n"
        "    return count * x"
    ),
    "a method": (
        "class Bending:\n    def __call__(self, x): return math.sin(x)\nbent = Bending()\ndef f(x):\n"
        "    global count\n    count = bent(x)\n    return count * x"
    ),
    "a function that reads nothing else": f"{BIND}{READ}def f(x):\n    bind(x)\n    return read() * x",
    "a function that has read it before": (
        f"{BIND}def f(x):\n    before = count\n    bind(x)\n    return (count + 0 * before) * x"
    ),
    "a function that is found later": (
        f"{READ}class Bind:\n    def __call__(self, x):\n        global count\n        count = math.sin(x)\n"
        "def f(x, last=[read, Bind()]):\n    last[1](x)\n    return last[0]() * x"
    ),
    "a property": (
        f"class Reading:\n    @property\n    def value(self): return count\n{BIND}def f(x):\n    bind(x)\n"
        "    return Reading().value * x"
    ),
    "what looks for the name": (
        f"def bind(x): globals()['count'] = math.sin(x)\n{READ}def f(x):\n    bind(x)\n    return read() * x"
    ),
    "an attribute of its module": (
        f"{READ}def f(x):\n    a_program.count = math.sin(x)\n    return a_program.read() * x"
    ),
    "setattr": f"{READ}def f(x):\n    setattr(a_program, 'count', math.sin(x))\n    return a_program.read() * x",
    "what imports its module": (
        "def f(x):\n    global count\n    count = math.sin(x)\n    import sys\n"
        "    return sys.modules['adviz_program'].count * x"
    ),
    "its own namespace": f"{BIND}def f(x):\n    bind(x)\n    return bind.__globals__['count'] * x",
    "a module that a class has": (
        f"class Model: pass\n{BIND}def f(x):\n    Model.module = a_program\n    bind(x)\n"
        "    return Model.module.count * x"
    ),
    "a module in a tuple of tuples": (
        f"held = []\n{BIND}def f(x):\n    bind(x)\n    return sum(m.count for (_, m) in held[0]) * x"
    ),
    "a thread": (
        "from threading import Thread\ndef bind():\n    global count\n    count = 2.0\ndef f(x):\n"
        "    thread = Thread(target=bind)\n    thread.start()\n    thread.join()\n"
        "    return math.sin(x) * x * count / 2"
    ),
    "a function that the search does not find": (
        "import weakref\nclass Reading:\n    def read(self): return count\none = Reading()\n"
        "all = weakref.WeakSet([one])\ndef f(x):\n    global count\n    count = math.sin(x)\n"
        "    return sum(each.read() for each in all) * x"
    ),
    "what looks whether there is such a name": (
        "def bind(x): globals()['count'] = math.sin(x)\ndef f(x):\n    bind(x)\n"
        "    return (globals().get('count') if 'count' in vars(a_program) else 0.0) * x"
    ),
    "a name that was deleted": (
        "def f(x):\n    global count\n    del count\n    try: return count * x\n"
        "    except NameError: count = math.sin(x)\n    return count * x"
    ),
    "a text that is executed": (
        f"def bind(x): exec('global count; count = math.sin(x)')\n{READ}def f(x):\n    bind(x)\n    return read() * x"
    ),
    "a function that is bound": f"{WAVE}def f(x):\n    global wave\n    wave = math.sin\n    return bent(x) * x",
    "a function that is bound after it was called": (
        f"{WAVE}def bind(x):\n    global wave\n    before = bent(x)\n    wave = math.sin\n"
        "    return bent(x) + 0 * before\ndef f(x): return bind(x) * x"
    ),
    "a function that is bound by the name of the module": (
        f"{WAVE}def f(x):\n    before = bent(x)\n    a_program.wave = math.sin\n    return (bent(x) + 0 * before) * x"
    ),
    "a function that is bound in the namespace": (
        f"{WAVE}def f(x):\n    before = bent(x)\n    globals()['wave'] = math.sin\n"
        "    return (bent(x) + 0 * before) * x"
    ),
    "a function in a variable of a closure": (
        "def made():\n    wave = math.cos\n    def bind():\n        nonlocal wave\n        wave = math.sin\n"
        "    def f(x):\n        before = wave(x)\n        bind()\n        return (wave(x) + 0 * before) * x\n"
        "    return f\nf = made()"
    ),
}


@GRAINS
@pytest.mark.parametrize("text", BOUND.values(), ids=BOUND)
def test_what_one_function_binds_all_read(text: str, grain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = program(text, math=math, count=0.5)
    vars(module)["a_program"] = module
    vars(module).get("held", []).append((("", module),))
    monkeypatch.setitem(sys.modules, "adviz_program", module)
    assert ad.grad(module.f, grain=grain)(0.7) == pytest.approx(math.sin(0.7) + 0.7 * math.cos(0.7), abs=1e-15)
    assert getattr(module, "wave", math.sin) is math.sin
    assert getattr(module, "bends", (math.cos, math.sin)) == (math.cos, math.sin)
    assert getattr(module, "bends", (math.cos,))[0] is math.cos
    if "Thread" not in text and "count" in text:
        assert module.count == pytest.approx(math.sin(0.7))


MOVED = {
    "a list that is emptied": ("held = [math.sin, math.cos]", "held.pop(0)", [math.cos]),
    "a list that is turned": ("held = [math.sin, math.cos]", "held.reverse() or held[1]", [math.cos, math.sin]),
    "a list that grows": ("held = [math.sin]", "held.insert(0, math.cos) or held[1]", [math.cos, math.sin]),
    "a dictionary": ("held = {0: math.sin}", "held.setdefault(1, held.pop(0))", {1: math.sin}),
    "a dictionary that is written": ("held = {0: math.cos}", "held.update({0: math.sin}) or held[0]", {0: math.sin}),
}


@pytest.mark.parametrize(("held", "moved", "expected"), MOVED.values(), ids=MOVED)
def test_what_a_program_moves_in_its_containers_stays_moved(held: str, moved: str, expected: Any) -> None:
    module = program(f"{held}\ndef f(x): return ({moved})(x)", math=math)
    assert ad.grad(module.f)(0.7) == pytest.approx(math.cos(0.7))
    assert module.held == expected
    assert all(map(operator.is_, *(each.values() if type(each) is dict else each for each in (module.held, expected))))


REMEMBERED = {
    "a function": "@functools.lru_cache\ndef wave(v): return math.sin(v)\ndef f(x): return wave(x) * wave(x)",
    "a method": (
        "class Waves:\n    @functools.cache\n    def of(self, v): return math.sin(v)\nwaves = Waves()\n"
        "def f(x): return waves.of(x) * waves.of(x)"
    ),
    "a function in a table": (
        "waves = {'sin': functools.cache(lambda v: math.sin(v))}\ndef f(x): return waves['sin'](x) ** 2"
    ),
    "a recursion": (
        "calls = []\n@functools.cache\ndef power(v, n):\n    calls.append(n)\n"
        "    return 1.0 if n < 1 else math.sin(v) if n < 2 else (power(v, n - 1) + power(v, n - 2) * math.sin(v)) / 2\n"
        "def f(x): return power(x, 2) * 2 * math.sin(x) - power(x, 2) * math.sin(x)\n"
        "def g(x):\n    calls.clear()\n    power(x, 40)\n    return x * len(calls)"
    ),
}


@GRAINS
@pytest.mark.parametrize("text", REMEMBERED.values(), ids=REMEMBERED)
def test_results_that_python_remembers_are_not_taken_for_traced_ones(text: str, grain: str) -> None:
    module = program(text, math=math, functools=functools)
    value = module.f(0.7)
    for _ in range(2):
        assert ad.grad(module.f, grain=grain)(0.7) == pytest.approx(2 * math.sin(0.7) * math.cos(0.7))
        assert module.f(0.7) == value
    if hasattr(module, "g"):
        assert ad.grad(module.g, grain=grain)(0.7) == 41.0  # each of them is computed once
    held = getattr(module, "waves", getattr(module, "wave", None))
    held = next(iter(held.values())) if isinstance(held, dict) else held
    assert held is None or type(getattr(held, "of", held)).__module__ in ("functools", "builtins")


def test_equal_numbers_are_remembered_apart() -> None:
    square = functools.cache(lambda v: v * v)
    assert ad.grad(lambda x: square(x[0]) + 3 * square(x[1]))(np.ones(2)).tolist() == [2.0, 6.0]
    assert square.cache_info().currsize == 0


@GRAINS
def test_a_function_that_is_decorated_while_it_is_traced_remembers_equal_numbers_apart(grain: str) -> None:
    def f(x: Any) -> Any:
        @functools.lru_cache(maxsize=8)
        def square(v: Any) -> Any:
            return v * v

        scaled = functools.cache(lambda pair: pair[0] * pair[1])
        return square(x[0]) + 3 * square(x[1]) + scaled((x[0], 2.0)) + scaled((x[1], 2.0))

    assert ad.grad(f, grain=grain)(np.ones(2)).tolist() == [4.0, 8.0]


def test_a_trace_that_was_interrupted_before_it_ran_leaves_nothing() -> None:
    module = program("count, bends = 0, []\ndef f(x):\n    global count\n    count += 1\n    return bends[0](x)")
    vars(module).update(math=math)
    module.bends = [math.sin]
    begun, _ = namespaces.begin()
    begun.search(module.f, module.bends)
    assert ad.grad(module.f)(0.7) == pytest.approx(math.cos(0.7))
    assert module.count == 1
    assert module.bends[0] is math.sin
    assert namespaces.begin()[1]
    ad.grad(module.f)(0.7)


def test_traces_in_two_threads_share_a_table_of_functions() -> None:
    table = {"bend": math.sin}
    first_is_in, second_is_done = threading.Event(), threading.Event()
    found: list[float] = []

    def f(x):
        first_is_in.set()
        second_is_done.wait()
        return table["bend"](x)

    thread = threading.Thread(target=lambda: found.append(ad.grad(f)(0.7)))
    thread.start()
    first_is_in.wait()
    found.append(ad.grad(lambda x: table["bend"](x))(0.7))
    second_is_done.set()
    thread.join()
    assert found == pytest.approx([math.cos(0.7)] * 2)
    assert table["bend"] is math.sin


def test_what_outlives_the_trace_binds_in_its_module() -> None:
    module = program(
        "count = 0\nkept = []\ndef f(x):\n    def add():\n        global count\n        count += 1\n"
        "    kept.append(add)\n    return math.sin(x)",
        math=math,
    )
    ad.grad(module.f)(0.7)
    module.kept[0]()
    module.kept[0]()
    assert module.count == 2


def test_a_text_with_names_of_its_own_has_no_others() -> None:
    module = program(
        "scale, space = 5.0, {}\ndef f(x):\n    try: found = eval('scale', space)\n"
        "    except NameError: found = 1.0\n    return found * math.sin(x)",
        math=math,
    )
    assert ad.grad(module.f)(0.7) == pytest.approx(math.cos(0.7))
    assert type(module.space["__builtins__"]) is dict
    made = program(
        "k, made = 1.0, {}\ndef f(x):\n    if not made:\n        names = {'k': 3.0, 'math': math}\n"
        "        exec('def g(x): return k * math.sin(x)', names)\n        made['g'] = names['g']\n"
        "    return made['g'](x)",
        math=math,
    )
    assert [ad.grad(made.f)(0.7) for _ in range(3)] == pytest.approx([3 * math.cos(0.7)] * 3)


def test_modules_are_equal_to_themselves_while_a_program_is_traced() -> None:
    rates = {np: 2.0}
    assert ad.grad(lambda x: rates[np] * x if np in rates and np == next(iter(rates)) else x)(0.7) == 2.0


def test_a_module_that_computes_its_attributes_does_so_each_time() -> None:
    module = program(
        "count = 0\ndef __getattr__(name):\n    global count\n    if name != 'step': raise AttributeError(name)\n"
        "    count += 1\n    return count",
        "lazy",
    )
    assert ad.grad(lambda x: module.step * x + module.step * x)(0.7) == 3.0


def test_a_variable_of_a_closure_is_bound_after_the_trace_to_what_the_program_has_bound() -> None:
    wave = math.cos

    def f(x):
        nonlocal wave
        before, wave = wave(x), math.sin
        return before

    ad.grad(f)(0.7)
    assert wave is math.sin


def test_modules_that_a_program_binds_are_what_they_were() -> None:
    module = program(
        "def f(x):\n    global np, root\n    import numpy as np\n    from math import sqrt as root\n"
        "    return root(np.sum(x))"
    )
    ad.grad(module.f)(X)
    assert module.np is np
    assert module.root is math.sqrt


def test_a_module_that_an_object_of_the_program_keeps_is_whole_after_the_trace() -> None:
    helpers = program("import numpy as np\ndef double(x): return np.add(np.zeros(3), 2 * x)", "helpers")
    module = program(
        "kept = []\ndef f(x):\n    kept.append(helpers)\n    return np.sum(helpers.double(x))", helpers=helpers, np=np
    )
    np.testing.assert_array_equal(ad.grad(module.f)(X), [2, 2, 2])
    np.testing.assert_array_equal(module.kept[0].double(X), 2 * X)


def test_what_a_program_keeps_is_pickled_and_copied() -> None:
    kept: dict[str, Any] = {}

    def f(x):
        kept.update(bend=math.sin, make=np.zeros, drawn=np.random.default_rng(3))
        return copy.deepcopy(kept)["bend"](x)

    assert ad.grad(f)(0.7) == pytest.approx(math.cos(0.7))
    sent = pickle.loads(pickle.dumps(kept))
    assert (sent["bend"], sent["make"]) == (math.sin, np.zeros)
    assert sent["bend"] is math.sin
    assert type(sent["drawn"]) is np.random.Generator
    assert copy.deepcopy(kept)["bend"](0.7) == math.sin(0.7)
    expected = np.random.default_rng(3).normal(size=2)
    np.testing.assert_array_equal(sent["drawn"].normal(size=2), expected)


def test_what_outlives_the_trace_finds_the_names_of_its_module() -> None:
    module = program(
        "kept = []\nscale = 2.0\ndef f(x):\n    kept.append(lambda y: scale * np.sqrt(y))\n"
        "    def numbers():\n        yield 1\n        yield scale\n    g = numbers()\n    next(g)\n    kept.append(g)\n"
        "    return np.sum(x)",
        np=np,
    )
    ad.grad(module.f)(X)
    module.scale = 3.0
    function, generator = module.kept
    assert (function(4.0), next(generator)) == (6.0, 3.0)


def test_another_librarys_patch_is_used_and_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    zeros, sine = np.zeros, math.sin

    def own_zeros(*args, **settings):
        calls.append("zeros")
        return zeros(*args, **settings)

    def own_sine(x):
        calls.append("sin")
        return sine(x)

    def f(x):
        y = np.zeros(3)
        y[0] = x[0]
        return np.sum(y) * math.sin(x[1])

    ad.grad(f)(X)
    monkeypatch.setattr(np, "zeros", own_zeros)
    monkeypatch.setattr(math, "sin", own_sine)
    np.testing.assert_allclose(ad.grad(f)(X), [sine(1.3), 0.4 * math.cos(1.3), 0])
    assert calls[:2] == ["zeros", "sin"]
    assert (np.zeros, math.sin) == (own_zeros, own_sine)


def test_a_warning_that_is_shown_once_is_shown_once_for_all_traces() -> None:
    text = "import warnings\nfrom math import cos\ndef f(x):\n    warnings.warn('slow')\n    return cos(x[0])"
    f = vars(program(text))["f"]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        for _ in range(3):
            ad.grad(f)(X)
        f(X)
    assert [str(each.message) for each in told] == ["slow"]


def test_what_a_function_says_of_itself_is_said_of_the_function() -> None:
    seen = []

    class Model:
        def loss(self, x: Any, scale: float = 2.0) -> Any:
            """Say something."""
            import inspect

            seen.append((inspect.signature(self.loss), self.loss.__doc__, self.loss.__qualname__))
            return np.sum(x) * scale

    model = Model()
    ad.grad(model.loss)(X)
    model.loss(X)
    assert str(seen[0]) == str(seen[1])


# ---- what stays ----

WAYS = {
    "a gradient": lambda f: ad.grad(f)(X),
    "a trace of numbers": lambda f: ad.trace(f, X, grain="scalar"),
    "a program": lambda f: ad.compile_gradient(f, X),
    "a derivative of a derivative": lambda f: ad.hessian(f)(X),
}
PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "NumPy": lambda x: np.sum(np.sin(x) * np.polynomial.Polynomial([1.0, 2.0])(x)),
    "functions of SciPy": lambda x: scipy.special.logsumexp(x) + np.sum(scipy.linalg.solve(np.eye(3), x)),
    "methods of SciPy": lambda x: np.sum(scipy.stats.norm.logpdf(x)),
    "a search of SciPy": lambda x: scipy.optimize.brentq(lambda t: t - x[0], -1.0, 2.0) * x[1],
    "writing": lambda x: np.add.at(y := np.zeros(3), [0, 1, 1], x) or np.sum(y * y),
}


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)
def test_every_module_and_every_function_is_as_it_was(f: Callable[[Any], Any], way: Callable[[Any], Any]) -> None:
    with contextlib.suppress(ad.AdvizError):  # so it is after an error, too
        way(f)
    before = look()
    with contextlib.suppress(ad.AdvizError):
        way(f)
    assert changed(before) == []
    assert not namespaces._running


class Mine(Exception):
    """What a program raises."""


def interrupted(x: Any) -> Any:
    raise KeyboardInterrupt


def failing(x: Any) -> Any:
    raise Mine


def leaving(x: Any) -> Any:
    sys.exit(3)


def inner(x: Any) -> Any:
    with contextlib.suppress(Mine):
        ad.grad(failing)(x)
    return np.sum(x)


@pytest.mark.parametrize("f", [interrupted, failing, leaving, inner])
def test_so_it_is_whatever_way_the_trace_ends(f: Callable[[Any], Any]) -> None:
    def g(x):
        scipy.special.logsumexp(x)
        return f(x)

    before = look()
    with contextlib.suppress(Mine, KeyboardInterrupt, SystemExit):
        ad.grad(g)(X)
    assert changed(before) == []
    assert f.__code__.co_name == f.__name__
    assert "__wrapped__" not in vars(f)
    assert namespaces.present() is None


def test_modules_that_are_imported_meanwhile_have_their_own_names(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "imported_meanwhile.py").write_text(
        "import numpy as np, math\nfrom math import sqrt\nfrom numpy import zeros\nimport scipy.special as special\n"
        "def f(x):\n    y = zeros(2)\n    y[0] = sqrt(x[0])\n    return y[0]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def f(x):
        import imported_meanwhile  # type: ignore[import-not-found]

        return imported_meanwhile.f(x)

    try:
        np.testing.assert_allclose(ad.grad(f)(X), [0.5 / math.sqrt(0.4), 0, 0])
        module = sys.modules["imported_meanwhile"]
        assert (module.np, module.math, module.sqrt, module.zeros) == (np, math, math.sqrt, np.zeros)
        assert type(module.zeros) is type(np.zeros)
        assert module.special is scipy.special
    finally:
        sys.modules.pop("imported_meanwhile", None)


def test_other_threads_get_numpys_own_functions_meanwhile() -> None:
    seen: list[Any] = []

    class Model:
        def loss(self, x):
            return np.sum(np.zeros(3) + math.sqrt(x[0]))

    model = Model()

    def elsewhere():
        y = model.loss(X)
        seen.append((np.zeros, math.sqrt, type(np.zeros(2)), type(y), scipy.special.logsumexp(X)))

    def f(x):
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        return model.loss(x)

    ad.grad(f)(X)
    ((zeros, root, kind, of_loss, value),) = seen
    assert zeros is np.zeros
    assert root is math.sqrt
    assert (kind, of_loss, value) == (np.ndarray, np.float64, scipy.special.logsumexp(X))


def test_traces_in_many_threads_share_functions() -> None:
    class Model:
        def root(self, x):
            return math.sqrt(x[0])

        def loss(self, x):
            y = np.zeros(2)
            y[0] = self.root(x)
            return y[0]

    model, found = Model(), []
    code = Model.root.__code__

    def differentiate():
        found.extend(ad.grad(model.loss)(X)[0] for _ in range(20))

    threads = [threading.Thread(target=differentiate) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [0.5 / math.sqrt(0.4)] * 120
    assert Model.root.__code__ is code


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning", "ignore:os.fork.. was called:RuntimeWarning")
def test_a_process_forked_by_another_thread_is_as_it_was_found() -> None:
    class Model:
        def loss(self, x):
            return np.sum(np.zeros(3) + x)

    model, code = Model(), Model.loss.__code__
    found = []

    def fork():
        child = os.fork()
        if not child:
            os._exit(0 if Model.loss.__code__ is code else 1)
        found.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    def f(x):
        assert Model.loss.__code__ is not code
        thread = threading.Thread(target=fork)
        thread.start()
        thread.join()
        return model.loss(x)

    ad.grad(lambda x: f(x) + 0 * model.loss(x))(X)
    assert found == [0]


def a_method() -> tuple[Any, Callable[[Any], Any]]:
    class Model:
        def root(self, x):
            return math.sqrt(x[0])

    model = Model()
    model.itself = model  # type: ignore[attr-defined]
    return Model, partial(Model.root, model)


def a_helper() -> tuple[Any, Callable[[Any], Any]]:
    weights = np.ones(3)

    def helper(x):
        return np.sum(np.zeros(3) + weights * x)

    return weights, lambda x: helper(x)


def a_recursion() -> tuple[Any, Callable[[Any], Any]]:
    def power(x, n):
        return x[0] * power(x, n - 1) if n else 1.0

    return power, lambda x: power(x, 3)


def a_mistake() -> tuple[Any, Callable[[Any], Any]]:
    def helper(x):
        raise ValueError

    return helper, lambda x: helper(x)


def what_keeps_its_argument() -> tuple[Any, Callable[[Any], Any]]:
    def helper(x):
        helper.last = x  # type: ignore[attr-defined]
        return x[0] * 2

    return helper, lambda x: helper(x)


@pytest.mark.parametrize("made", [a_method, a_helper, a_recursion, a_mistake, what_keeps_its_argument])
@pytest.mark.parametrize("way", [ad.grad, lambda f: partial(ad.trace, f), lambda f: ad.compile_gradient(f, X)])
def test_nothing_of_a_program_is_kept_alive(made: Callable[[], Any], way: Callable[[Any], Any]) -> None:
    thing, f = made()
    with contextlib.suppress(ValueError):
        way(f)(X)
    kept = weakref.ref(thing)
    del thing, f
    gc.collect()
    assert kept() is None


def test_a_function_that_was_made_while_another_was_traced_is_traced_later() -> None:
    module = program(
        "import functools\n@functools.cache\ndef made(k):\n    return lambda x: np.sum(np.zeros(3) + k * x)\n"
        "def f(x): return made(2.0)(x)\ndef g(x): return made(2.0)(x) + math.sqrt(x[0])",
        np=np,
        math=math,
    )
    np.testing.assert_allclose(ad.grad(module.f)(X), [2, 2, 2])
    np.testing.assert_allclose(ad.grad(module.g)(X), [2 + 0.5 / math.sqrt(0.4), 2, 2])
    assert module.made(2.0)(X) == pytest.approx(4.8)


@GRAINS
def test_a_traced_program_may_load_a_module_again(grain, tmp_path, monkeypatch):
    (tmp_path / "loaded_again.py").write_text(
        "from math import exp\nimport numpy as np\n\n\ndef g(x):\n    return exp(x[0])\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "loaded_again", module := importlib.import_module("loaded_again"))

    def f(x):
        return importlib.reload(module).g(x) * module.g(x)

    assert ad.grad(f, grain=grain)(np.zeros(2)).tolist() == [2.0, 0.0]
    assert module.exp is math.exp
    assert module.np is np
    assert type(module.g.__globals__) is dict
