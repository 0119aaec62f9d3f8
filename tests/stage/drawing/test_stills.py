"""Stills of the Explorer tell of each value what the live view tells: its adjoint, and where it is not finite."""

import numpy as np
import pytest

import adviz as ad
from adviz.stage.drawing.marks import Box, Curve, Text
from adviz.stage.drawing.pictures import still
from adviz.stage.shows.adjoints import adjoints
from adviz.stage.shows.explorer_scene import document

pytestmark = pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning")


def drawn(f, *args):
    """The items of a still by their keys, without and with adjoints, and its picture."""
    graph = ad.trace(f, *args)
    scene, _ = document(graph)
    whole = still(scene, adjoints(graph, 0))
    return {item.key: item for item in still(scene).items}, {item.key: item for item in whole.items}, whole


def words(item):
    return [mark.text for mark in item.marks if isinstance(mark, Text)]


def fills(item):
    return {mark.fill for mark in item.marks if isinstance(mark, Box)}


def test_beside_each_number_stands_its_adjoint_on_a_pill_in_the_hue_of_its_sign():
    plain, known, whole = drawn(lambda x, y: np.sin(x) - x * y, 0.0, 2.0)
    assert words(known["n0"])[:3] == ["x", "0", "-1"]
    assert "negative" in fills(known["n0"])
    assert words(known["n1"])[2] == "0"
    assert "zero" in fills(known["n1"])
    assert known["n0"].title.endswith(", adjoint -1")
    assert not fills(plain["n0"]) & {"positive", "negative", "zero"}
    assert "the derivative of f with respect to the value beside it" in whole.frame[-1].text


def test_arrays_are_heat_maps_those_of_adjoints_under_a_bar():
    plain, known, _ = drawn(lambda x: np.sum(x * x), np.array([1.0, -2.0, 0.0]))
    cells = [mark.fill for mark in known["n0"].marks if isinstance(mark, Box) and " " in mark.fill]
    assert cells == ["positive 50", "negative 100", "zero 0"] * 2
    bars = [[mark for mark in item.marks if isinstance(mark, Curve)] for item in (plain["n0"], known["n0"])]
    assert [len(each) for each in bars] == [0, 1]
    assert sum(" " in fill for fill in fills(plain["n0"])) == 3


def test_what_is_not_finite_is_hatched_and_outlined_where_it_began():
    plain, known, whole = drawn(lambda x: np.log(x) * x + 1.0, -1.0)
    for items in (plain, known):
        outlined = [key for key, item in items.items() if item.kind == "block" and item.marks[0].line == "ink"]
        banded = [
            key for key, item in items.items() if any(getattr(mark, "line", "") == "hatched" for mark in item.marks)
        ]
        assert outlined == ["n1"]
        assert banded == ["n1", "n2", "n3", "n4"]
    assert "not finite" in whole.frame[-1].text


def test_everything_is_inside_its_node():
    _, known, _ = drawn(lambda x: np.sum(np.exp(x) * 1e9), np.linspace(-1, 1, 60).reshape(12, 5))
    for item in known.values():
        if item.kind == "block":
            outline, *others = [mark for mark in item.marks if isinstance(mark, Box)]
            for box in others:
                assert outline.x <= box.x
                assert box.x + box.w <= outline.x + outline.w
                assert box.y + box.h <= outline.y + outline.h


def test_every_still_of_an_explorer_has_the_adjoints():
    explorer = ad.explore(lambda x, y: np.sin(x) + x * y, 1.0, 2.0)
    assert "adjoint 2.54" in explorer._still()["text/html"]
    several = ad.explore(lambda x: (x * x, x), 3.0)
    assert "adjoint" not in several._still()["text/html"]  # no output is chosen
