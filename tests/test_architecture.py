"""The map of the house is true: its walks are what really happens, and it is short."""

import re
import sys
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import adviz as ad

from . import house

TEXT = house.MAP.read_text(encoding="utf-8")
STEP = re.compile(r"^\d+\. (.*)$", re.MULTILINE)
PLACE = re.compile(r"`([\w/-]+\.(?:py|ts))` · `([\w.#]+)`")


def walk(name: str) -> list[tuple[str, str]]:
    """The places that a walk comes by: a file and a name in it."""
    (body,) = re.findall(rf"<!-- walk: {name} -->\n(.*?)<!-- end of the walk -->", TEXT, re.DOTALL)
    places = [PLACE.match(step) for step in STEP.findall(body)]
    assert all(places), "every step begins with `file` · `name`"
    return [(place[1], place[2]) for place in places if place]


def calls(f: Callable[[], object]) -> list[tuple[str, str]]:
    """The functions of the package that a call calls, in order, as a file and a qualified name.

    Comprehensions do not count: since Python 3.12 they are no functions.
    """
    start = str(house.ADVIZ) + "/"
    found: list[tuple[str, str]] = []

    def hear(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(start) and not code.co_name.endswith("comp>"):
            found.append((code.co_filename.removeprefix(start), code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(hear)
    try:
        f()
    finally:
        sys.setprofile(before)
    return found


def missed(places: list[tuple[str, str]], called: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The first place, if any, that is not called after the ones before it."""
    ahead = iter(called)
    yield from (place for place in places if place not in ahead)


def wave(x, y):
    return np.sin(x) + x * y


def total(x):
    return np.sum(np.sin(x))


def test_it_can_be_read_in_an_evening():
    assert len(TEXT.encode()) <= 15_000


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("grad", lambda: ad.grad(total)(np.ones(3))),
        ("show_backward", lambda: ad.show_backward(wave, 1.0, 2.0)),
    ],
)
def test_a_walk_is_what_happens_and_goes_through_as_many_files_as_it_says(name, call):
    call()  # the first call also does what is done once
    called = calls(call)
    assert next(missed(walk(name), called), None) is None
    (body,) = re.findall(rf"([^\n]*)\n\n<!-- walk: {name} -->", TEXT)
    (functions,), (files,) = re.findall(r"(\d+) functions", body), re.findall(r"(\d+) files", body)
    assert len({file for file, _ in called}) == int(files)
    assert 0.95 * int(functions) <= len(set(called)) <= int(functions)


@pytest.mark.parametrize(("file", "name"), walk("step"))
def test_the_walk_through_the_front_end_names_what_is_there(file, name):
    text = (house.FRONT_END / file).read_text(encoding="utf-8")
    assert re.search(rf"(?:function |class |const |^ +(?:async )?){re.escape(name)}\b", text, re.MULTILINE)


def test_files_that_are_named_exist():
    named = set(re.findall(r"`((?:adviz|tests|widgets|bench|notebooks|binder)/[\w/.-]*)`", TEXT))
    named |= {f"adviz/{place}" for place in re.findall(r"`((?:engine|stage|jupyter|kernels|graph)/[\w/.]+)`", TEXT)}
    named -= {"adviz/static/"}  # made by the build
    assert [name for name in sorted(named) if not (house.ROOT / name).exists()] == []
