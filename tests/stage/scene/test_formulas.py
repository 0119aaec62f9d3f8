"""Formulas as trees, and as plain text."""

import numpy as np
import pytest

import adviz as ad
from adviz.stage.scene import formulas


def test_letters_have_dots_and_indices_of_several_digits():
    assert formulas.text(["sub", ["dot", ["id", "v"]], ["num", "120"]]) == "v̇₁₂₀"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-0.0, "0"),
        (float("nan"), "NaN"),
        (float("-inf"), "-inf"),
        (np.array([1.0, 2.0]), "[1, 2]"),
        (np.array([[1.0], [2.0]]), "[1; 2]"),
        (np.zeros((2, 2, 2)), "(2×2×2 array)"),
        (np.zeros(0), "(vector of length 0)"),
        (np.arange(9.0), "[0, 1, 2, 3, …, 8]"),
        (np.ones((30, 4)), "[1, 1, 1, 1; 1, 1, 1, 1; 1, 1, 1, 1; 1, 1, 1, 1; …; 1, 1, 1, 1]"),
        (np.full((30, 30), 1 / 3), "[0.333, …, 0.333; …; 0.333, …, 0.333]"),
    ],
)
def test_quantities_are_whole_as_long_as_they_are_small(value, text):
    assert formulas.text(formulas.fitted(formulas.quantity(value))) == text


def test_a_negative_factor_stands_in_brackets_and_a_negative_first_one_does_not():
    assert formulas.text(formulas.fitted(formulas.quantity(-2.0, factor=True))) == "(-2)"
    assert formulas.text(formulas.fitted(formulas.quantity(-2.0))) == "-2"


@pytest.mark.parametrize(
    ("program", "text"),
    [
        (lambda x: x @ np.ones((2, 2)), "x @ [1, 1; 1, 1]"),
        (lambda x: x @ np.ones((2, 20)), "x @ (2×20 matrix)"),
        (lambda x: np.sum(x), "sum(x)"),
        (lambda x: x[1], "x[1]"),
        (lambda x: np.maximum(x, 0.0), "maximum(x, 0)"),
        (lambda x: 2.0 / x, "2 ÷ x"),
    ],
)
def test_blocks_are_written_as_in_a_program(program, text):
    graph = ad.trace(program, np.array([1.0, 2.0]))
    operands = [formulas.figure(graph, each) if each < 0 else ["id", "x"] for each in graph.operands(1)]
    assert formulas.text(formulas.application(graph, 1, operands)) == text


def test_the_name_of_a_function_is_no_variable_and_stands_upright():
    tree = formulas.application(ad.trace(np.sin, 1.0), 1, [["id", "x"]])
    assert tree[1] == ["text", "sin"]


def test_every_tree_of_every_engine_has_a_text_and_leaves_of_text():
    def leaves(tree):
        kind, *parts = tree
        if kind == "matrix":
            return [leaf for line in parts[0] for entry in line for leaf in leaves(entry)]
        return parts if isinstance(parts[0], str) else [leaf for part in parts for leaf in leaves(part)]

    from ..goldens import ALL

    for name in ALL:
        document, _ = ALL[name]()
        trees = [step["formula"] for step in document["steps"] if step["formula"]]
        benches = [panel["benches"] for panel in document["panels"] if panel["kind"] == "bench"]
        trees += [each["title"] for bench in benches for each in bench]
        assert trees
        assert all(isinstance(leaf, str) for tree in trees for leaf in leaves(tree))
        assert all(formulas.text(tree) for tree in trees)
