"""What the inspector says of a local partial derivative."""

import json

import numpy as np
import pytest

import adviz as ad
from adviz.engine.jacobians.algebra import RankOne
from adviz.engine.jacobians.base import LinearMap
from adviz.stage.shows.detail import _form_parts, detail


def jacobians(function, *arguments, node):
    rows = detail(ad.trace(function, *arguments), node)["operands"]
    return [row["jacobian"] for row in rows if "node" in row]


def written(jacobian):
    return [(part["label"], part["text"]) for part in jacobian["parts"]]


def test_the_symbol_is_that_of_the_rule_in_the_names_of_the_source():
    def f(x, y):
        return np.sin(x + y) * y

    (sine,) = jacobians(f, 1.0, 2.0, node=3)
    assert (sine["rule"], sine["symbol"], sine["text"]) == ("∂np.sin(x + y)/∂(x + y)", "cos (x + y)", "-0.99")
    first, second = jacobians(f, 1.0, 2.0, node=4)
    assert (first["symbol"], first["text"]) == ("y", "2")
    assert (second["symbol"], second["text"]) == ("np.sin(x + y)", "0.1411")


def test_a_diagonal_shows_its_five_values():
    x = np.linspace(0, 1, 5)
    (found,) = jacobians(np.sin, x, node=1)
    assert (found["structure"], found["shape"]) == ("diagonal", [5, 5])
    label, text = written(found)[0]
    assert label == "the diagonal: one factor for each entry"
    assert text == "[1, 0.9689, 0.8776, 0.7317, 0.5403]"
    assert found["parts"][0]["map"]["shape"] == [5]


@pytest.mark.parametrize(
    ("function", "argument", "expected"),
    [
        (lambda x: x * 3.0, np.ones(30), [("the factor of every entry", "3")]),
        (
            lambda x: x[::-1][:2],
            np.arange(3.0),
            [("entry of the operand → entry of the value", "[2] → [0], [1] → [1], [0] → [2]"), ("each times", "1")],
        ),
        (lambda x: np.mean(x, axis=0), np.ones((4, 2)), [("sums over axis 0, with the weights", "0.25")]),
        (
            lambda x: np.eye(2) @ x,
            np.ones((2, 3)),
            [("multiplies from the left by the other operand", "[1, 0; 0, 1]")],
        ),
        (
            lambda x: x * np.array([1.0, 2.0]),
            np.ones(1),
            [("one factor for each entry of the value", "[1, 2]")],
        ),
    ],
)
def test_each_structure_says_what_it_consists_of(function, argument, expected):
    (found,) = jacobians(function, argument, node=1)
    assert written(found) == expected


def test_a_rank_one_matrix_shows_its_two_vectors():
    parts = list(_form_parts(RankOne(np.array([1.0, 2.0]), np.array([3.0, 4.0]), (2,), (2,))))
    assert [(part["label"], part["text"]) for part in parts] == [("a column", "[1, 2]"), ("times a row", "[3, 4]")]


def test_a_map_without_entries_says_how_it_is_known():
    twice = LinearMap(lambda tangent: 2 * tangent, lambda adjoint: 2 * adjoint, (40,), (40,))
    (part,) = _form_parts(twice)
    assert part == {"label": "known by its products with vectors; its entries are not written out", "text": None}


def test_jacobians_with_entries_that_are_not_finite_are_json():
    with pytest.warns(ad.NonFiniteWarning):
        (found,) = jacobians(np.log, np.array([-1.0, 0.0, 2.0]), node=1)
    assert found["parts"][0]["map"]["data"] == [-1.0, "inf", 0.5]
    with pytest.warns(ad.NonFiniteWarning):
        (found,) = jacobians(np.sqrt, np.array([-1.0, 4.0]), node=1)
    assert "NaN" in found["text"]
    assert "nan" not in found["text"]
    json.dumps(found, allow_nan=False)


def test_many_places_are_counted():
    (found,) = jacobians(lambda x: x[::-1], np.arange(100.0), node=1)
    assert written(found)[0][1].endswith("[76] → [23], … 100 in all")
