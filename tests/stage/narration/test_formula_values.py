"""Formulas of rules as numbers: they are those of the partials, and nothing else is read."""

import numpy as np
import pytest

from adviz.engine.blocks import BLOCK_OF
from adviz.stage.narration.local_partials import LocalPartials
from adviz.stage.narration.symbols import evaluate
from tests.primitives import UFUNCS

from .. import rules_page

BLOCKS = [BLOCK_OF[ufunc] for ufunc in UFUNCS]
POINTS = [(0.37, 0.81), (1.7, 2.3), (2.3, 1.7)]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_the_number_of_a_formula_is_that_of_the_partial(block):
    """Sentences such as "1 if {a} is the larger one, else 0" have no number."""
    for point in POINTS:
        operands = [np.float64(each) for each in point[: len(block.partials)]]
        with np.errstate(all="ignore"):
            y = np.float64(block.compute(*operands))
            partials = [float(partial(y, *operands)) for partial in block.partials]
        for formula, expected in zip(block.words.short or block.formulas, partials, strict=True):
            found = evaluate(formula, {"y": y} | dict(zip("ab", operands, strict=False)))
            assert found is not None, formula
            if np.isfinite(y):
                assert found == pytest.approx(expected, rel=1e-12), formula


@pytest.mark.parametrize(
    ("formula", "number"),
    [
        ("2 + 3 · 4", 14),
        ("-2²", -4),
        ("2^-1", 0.5),
        ("2^3^2", 512),
        ("x⁻¹".replace("x", "{a}"), 0.5),
        ("8 / 4 / 2", 1),
        ("|1 - 4|", 3),
        ("⌊-1.5⌋", -2),
        ("√(1 + 3)", 2),
        ("√4 + 1", 3),
        ("cos 0 · 3", 3),
        ("ln e", 1),
        ("e^(1 - 1)", 1),
        ("[{a} > 1]", 1),
        ("[not {a}]", 0),
        ("[{a} = 0]", 0),
        ("(1 - 3)²", 4),
    ],
)
def test_a_formula_is_read_as_it_is_written(formula, number):
    assert evaluate(formula, {"a": 2.0}) == pytest.approx(number)


@pytest.mark.parametrize(
    "formula",
    ["", "1 +", "(1", "J ·", "__import__('os')", "{b}", "psi(1)", "1 2", "broadcast", "2 ⊙ 3", "1 if {a} else 0"],
)
def test_anything_else_has_no_number(formula):
    assert evaluate(formula, {"a": 2.0}) is None


def test_a_quotient_by_zero_is_infinite():
    assert evaluate("1 / {a}", {"a": 0.0}) == np.inf


ENTRIES = [entry for name, found in rules_page.entries().items() if name != "Arrays" for entry in found]


def test_every_mistake_between_numbers_has_a_number():
    for entry in ENTRIES:
        for place, told in enumerate(entry.mistakes()):
            found = entry.local.mistaken_numbers(entry.node, place)
            assert [(text, why) for text, _, why in found] == told, entry.text


def test_the_numbers_of_mistakes_are_those_of_their_formulas():
    graph = rules_page.entry("sin(x)", np.sin, x=1.0).graph
    local = LocalPartials(graph, ["x", "sin(x)"].__getitem__)
    found = {text: number for text, number, _ in local.mistaken_numbers(1, 0)}
    assert found == pytest.approx({"−cos x": -np.cos(1.0), "sin(x)": np.sin(1.0), "1": 1.0})
