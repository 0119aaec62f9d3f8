"""Formulas in one line of text: with any names in them they have the value of the partial, and its number."""

import re

import numpy as np
import pytest

from adviz.engine.blocks import BLOCK_OF
from adviz.stage.narration.local_partials import LocalPartials
from adviz.stage.scene import formulas
from adviz.stage.scene.formulas import evaluate
from tests.primitives import UFUNCS

from .. import rules_page

PYTHON = [
    (r"\b(sin|cos|sinh|cosh|ln|sign) (\w+)", r"\1(\2)"),
    (r"√(\w+)", r"√(\1)"),
    (r"⌊(.*?)⌋", r"floor(\1)"),
    ("√", "sqrt"),
    ("π", "pi"),
    ("²", "**2"),
    (r"\^", "**"),
    ("·", "*"),
    ("−", "-"),
]
"""A formula as it is shown, as Python."""
FUNCTIONS = {
    **{name: getattr(np, name) for name in ("sin", "cos", "sinh", "cosh", "sign", "sqrt", "floor", "trunc", "pi", "e")},
    "ln": np.log,
}
NAMES = ["p", "p + q", "p·q", "p − q", "(p + q)·q", "p/q", "sin(p + q)", "p^q", "−p"]
BLOCKS = [BLOCK_OF[ufunc] for ufunc in UFUNCS]
IN_FORMULAS = [block for block in BLOCKS if not any("if" in text or "sign of" in text for text in block.formulas)]


def evaluated(text: str, names: dict[str, float]) -> float:
    for written, python in PYTHON:
        text = re.sub(written, python, text)
    return eval(text, FUNCTIONS | names)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("block", IN_FORMULAS, ids=lambda block: block.name)
def test_a_name_in_a_formula_is_bracketed_where_the_value_needs_it(block, name):
    known = {"p": 0.37, "q": 0.23}
    operands = [np.float64(evaluated(name, known)), np.float64(0.61)][: len(block.partials)]
    y = np.float64(block.compute(*operands))
    for formula, partial in zip(block.formulas, block.partials, strict=True):
        text = formulas.simplified(formulas.fill(formulas.tight(formula), {"a": name, "b": "r", "y": "y"}))
        expected = partial(y, *operands)
        if np.isfinite(expected):
            assert evaluated(text, known | {"r": 0.61, "y": y}) == pytest.approx(expected, rel=1e-12), text


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("exponent", ["2", "3", "0.5", "1", "−1", "−2", "−0.5"])
def test_an_exponent_that_is_worked_out_has_the_value_of_the_power_rule(exponent):
    text = formulas.simplified(formulas.fill(formulas.tight("{b} · {a}^({b} - 1)"), {"a": "p + q", "b": exponent}))
    for raised, figure in zip("⁰¹²³⁴⁵", "012345", strict=True):
        text = re.sub(f"⁻{raised}", f"^(-{figure})", text)
        text = re.sub(raised, f"^{figure}", text)
    n = float(exponent.replace("−", "-"))
    assert evaluated(text, {"p": 0.4, "q": 0.3}) == pytest.approx(n * 0.7 ** (n - 1))


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        ("jv(2 − 1, x)", "jv(1, x)"),
        ("(2 + 3 + 4 + 1)·x", "10·x"),
        ("2 − x", "2 − x"),
        ("x^(n − 1)", "x^(n − 1)"),
        ("x1 − 1", "x1 − 1"),
        ("(3 − ⌊x⌋ − 1)", "(3 − ⌊x⌋ − 1)"),
        ("2·3 − 1", "2·3 − 1"),
        ("x − 2 + 1", "x − 2 + 1"),
    ],
)
def test_sums_of_numbers_are_worked_out_where_nothing_else_belongs_to_them(formula, found):
    assert formulas.simplified(formula) == found


@pytest.mark.parametrize("name", ["a" * 90, "f(" * 40, "{a}", "", "x" + ")" * 30, "f([g({h}, [1, 2, 3])])" * 3])
def test_a_shortened_name_is_short(name):
    assert len(formulas.short(name)) <= 2 * formulas.LONGEST


# ---- numbers ----


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
