"""Names in programs: stand-ins take the place of their originals, and leave again."""

from __future__ import annotations

import gc
import math
import sys
import threading
import types
import weakref
from typing import Any

import pytest

from adviz.engine.recording.names_in_programs import MOST_KNOWN, StandIns, modules_reached, namespaces


def another_root(x: float) -> str:
    return f"another root of {x}"


def another_sine(x: float) -> str:
    return f"another sine of {x}"


@pytest.fixture
def stand_ins() -> StandIns:
    return StandIns({math.sqrt: another_root, math.sin: another_sine})


def program(text: str, name: str = "program", path: str = "program.py") -> types.ModuleType:
    module = types.ModuleType(name)
    module.__file__ = path
    exec(text, vars(module))
    return module


def test_a_program_calls_the_stand_in_by_whatever_name_it_gave_the_original(stand_ins: StandIns) -> None:
    module = program("from math import sqrt, sqrt as root, cos\ndef f(x): return sqrt(x), root(x), cos(x)")
    with stand_ins.within(vars(module)):
        assert module.f(0.0) == ("another root of 0.0", "another root of 0.0", 1.0)
    assert module.f(4.0) == (2.0, 2.0, math.cos(4.0))


def test_names_are_restored_after_an_error(stand_ins: StandIns) -> None:
    names = {"sqrt": math.sqrt}
    with pytest.raises(ZeroDivisionError), stand_ins.within(names):
        1 / 0  # noqa: B018
    assert names == {"sqrt": math.sqrt}


def test_the_last_who_asked_restores_the_names(stand_ins: StandIns) -> None:
    names: dict[str, Any] = {"sqrt": math.sqrt}
    with stand_ins.within(names):
        with stand_ins.within(names, names):
            pass
        assert names["sqrt"] is another_root
    assert names["sqrt"] is math.sqrt


def test_threads_that_overlap_restore_the_names_when_the_last_is_done(stand_ins: StandIns) -> None:
    names: dict[str, Any] = {"sqrt": math.sqrt}
    first_is_in, second_is_in, first_is_out = threading.Event(), threading.Event(), threading.Event()
    seen: list[Any] = []

    def first() -> None:
        with stand_ins.within(names):
            first_is_in.set()
            second_is_in.wait(10)
        first_is_out.set()

    def second() -> None:
        first_is_in.wait(10)
        with stand_ins.within(names):
            second_is_in.set()
            first_is_out.wait(10)
            seen.append(names["sqrt"])

    threads = [threading.Thread(target=each) for each in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (seen, names) == ([another_root], {"sqrt": math.sqrt})


def test_many_threads_at_once_leave_the_names_as_they_were(stand_ins: StandIns) -> None:
    spaces: list[dict[str, Any]] = [{"sqrt": math.sqrt, "wave": math.sin, "one": 1} for _ in range(3)]
    failures: list[str] = []

    def ask(number: int) -> None:
        for turn in range(300):
            names = spaces[(number + turn) % 3]
            with stand_ins.within(names):
                if names["sqrt"] is not another_root or names["wave"] is not another_sine:
                    failures.append(f"{number}, {turn}: {names}")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert spaces == [{"sqrt": math.sqrt, "wave": math.sin, "one": 1}] * 3


def test_a_name_that_the_program_binds_meanwhile_stays_as_the_program_has_it(stand_ins: StandIns) -> None:
    names: dict[str, Any] = {"sqrt": math.sqrt, "sin": math.sin}
    with stand_ins.within(names):
        names["sqrt"] = abs
        del names["sin"]
    assert names == {"sqrt": abs}


def test_a_name_bound_to_something_else_since_the_last_time_is_left_alone(stand_ins: StandIns) -> None:
    names: dict[str, Any] = {"sqrt": math.sqrt, "root": math.sqrt}
    with stand_ins.within(names):
        pass
    names["sqrt"] = names["root"] = abs
    with stand_ins.within(names):
        assert names == {"sqrt": abs, "root": abs}


def test_a_name_imported_since_the_last_time_is_found(stand_ins: StandIns) -> None:
    names: dict[str, Any] = {"sqrt": abs, "one": 1}
    with stand_ins.within(names):
        assert names["sqrt"] is abs
    names["root"] = math.sqrt
    with stand_ins.within(names):
        assert names["root"] is another_root


def test_a_name_bound_to_an_original_since_the_last_time_is_found(stand_ins: StandIns) -> None:
    names: dict[str, Any] = {"sqrt": abs, "one": 1}
    with stand_ins.within(names):
        assert names["sqrt"] is abs
    names["sqrt"] = math.sqrt
    with stand_ins.within(names):
        assert names["sqrt"] is another_root


def test_nothing_keeps_a_namespace_alive(stand_ins: StandIns) -> None:
    module = program("from math import sqrt\nclass Thing: pass\nthing = Thing()\ndef f(): pass")
    thing = weakref.ref(module.thing)
    with stand_ins.within(*namespaces(module.f)):
        pass
    del module
    gc.collect()
    assert thing() is None


def test_more_namespaces_than_are_remembered(stand_ins: StandIns) -> None:
    spaces: list[dict[str, Any]] = [{"sqrt": math.sqrt} for _ in range(MOST_KNOWN + 10)]
    with stand_ins.within(*spaces):
        assert all(names["sqrt"] is another_root for names in spaces)
    assert all(names["sqrt"] is math.sqrt for names in spaces)


# ---- the modules of a program ----


@pytest.fixture
def two_modules(monkeypatch: pytest.MonkeyPatch) -> list[types.ModuleType]:
    far = program("from math import sqrt\nclass Model:\n    def __call__(self, x): return sqrt(x)", "far_module")
    near = program("def g(x): return x", "near_module")
    near.far = far  # type: ignore[attr-defined]
    for module in (far, near):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return [near, far]


@pytest.mark.parametrize("name", ["near_module", "g"])
def test_the_modules_of_a_program_are_found_by_what_it_imports(two_modules: list[types.ModuleType], name: str) -> None:
    near, far = two_modules
    main = program("import math, json\ndef f(x): return x", "__main__")
    setattr(main, name, near if name == "near_module" else near.g)
    assert modules_reached(vars(main)) == [near, far]
    found = namespaces(main.f)
    assert [names["__name__"] for names in found] == ["__main__", "near_module", "far_module"]
    assert all(names is vars(module) for names, module in zip(found, (main, near, far), strict=True))


def test_the_module_of_an_object_is_found_by_its_class(two_modules: list[types.ModuleType]) -> None:
    _, far = two_modules
    main = program("def f(x): return x", "__main__")
    main.model = far.Model()  # type: ignore[attr-defined]
    assert modules_reached(vars(main)) == [far]


def test_libraries_and_adviz_are_no_users_programs() -> None:
    main = program("import json, math, numpy as np, adviz\nfrom numpy.linalg import norm\ndef f(x): return norm(x)")
    assert modules_reached(vars(main)) == []


def test_a_method_belongs_to_the_module_of_its_function(two_modules: list[types.ModuleType]) -> None:
    _, far = two_modules
    model = far.Model()
    assert namespaces(type(model).__call__)[0] is vars(far)
    assert namespaces(model.__call__)[0] is vars(far)


def test_what_is_no_function_of_python_has_no_namespaces() -> None:
    assert [*namespaces(math.sqrt), *namespaces(3)] == []
