"""Which parts of captions are mathematics."""

import re

import numpy as np
import pytest

import adviz as ad
from adviz.stage.scene import captions
from adviz.stage.scene.document import keyframes


def rests(player):
    scene = player.scene
    return [scene["opening"], *(rest for step in scene["steps"] for rest in step.get("rests", {}).values())]


def texts(rest, sign=None):
    """The parts of a caption that are formulas, or results of a sign; offsets are in units of UTF-16."""
    units = rest["caption"].encode("utf-16-le")
    return [units[2 * start : 2 * end].decode("utf-16-le") for start, end, found in rest["marks"] if found == sign]


def product(x, y):
    return np.sin(x) + x * y


def test_names_and_partials_are_formulas_and_what_a_step_comes_to_is_its_result():
    found = {rest["name"]: rest for rest in rests(ad.show_backward(product, 1.0, -2.0))}
    assert texts(found["sin(x)"])[:3] == ["∂sin(x)/∂x = cos x", "x", "cos x"]
    assert texts(found["sin(x)"], 1) == ["0.5403"]
    assert texts(found["x adds up"], -1) == ["−1.4597"]
    assert texts(found["gradient"], 1) == ["1"]


@pytest.mark.parametrize("name", ["a", "sum", "times", "so"])
def test_a_variable_that_is_called_like_a_word_is_told_from_the_word(name):
    space = {"np": np}
    exec(f"def f({name}): return np.cos({name})", space)
    for rest in rests(ad.show_backward(space["f"], 0.5)):
        shown = texts(rest)
        formulas = name, "f", f"cos({name})", f"−sin {name}", f"(−sin {name})"
        assert all(part in formulas or part.startswith("∂") for part in shown), shown
    last = rests(ad.show_backward(space["f"], 0.5))[-1]
    assert texts(last, -1) == ["−0.4794"]


def test_marks_follow_each_other_within_the_caption():
    def everything(x, y, z):
        return np.tanh(x / y) * np.exp(-z) + np.log(y) ** 2 - np.sqrt(x) * np.maximum(y, z)

    def network(X, W, b):
        return np.sum(np.tanh(X @ W + b) ** 2)

    for show in (
        ad.show_backward(everything, 1.5, 2.5, 0.5),
        ad.show_forward(everything, 1.5, 2.5, 0.5),
        ad.show_backward(lambda x, y: (x * y, np.sin(x)), 1.5, 2.5, jacobian=True),
        ad.show_backward(network, np.ones((4, 3)), np.ones((3, 2)), np.zeros(2)),
    ):
        for rest in rests(show):
            ends = [place for mark in rest["marks"] for place in mark[:2]]
            assert ends == sorted(ends)
            assert not ends or ends[-1] <= len(rest["caption"].encode("utf-16-le")) // 2
            assert all(start < end for start, end, _ in rest["marks"])


def test_a_name_cannot_bring_marks_of_its_own():
    forged = "x\ue000y\ue001\ue004z"
    assert captions.plain(captions.mathematics(forged)) == "xyz"
    assert captions.marked(f"{captions.mathematics(forged)} is 1") == ("xyz is 1", [[0, 3, None]])


def test_characters_of_two_units_are_counted_as_pages_do():
    assert captions.marked(f"𝑎𝑎 {captions.mathematics('x')}") == ("𝑎𝑎 x", [[5, 6, None]])


def test_what_is_not_finite_has_no_sign():
    assert captions.marked(captions.result("NaN", float("nan"))) == ("NaN", [])


BLOCKS = {
    "add": (lambda x, y: x + y, [], ["1", "1"]),
    "subtract": (lambda x, y: x - y, ["∂f/∂x = 1", "∂f/∂y = −1"], ["1", "−1"]),
    "multiply": (lambda x, y: x * y, ["∂f/∂x = y", "∂f/∂y = x"], ["−0.5", "2"]),
    "divide": (lambda x, y: x / y, ["∂f/∂x = 1/y", "∂f/∂y = −x/y²"], ["−2", "−8"]),
    "power": (lambda x, y: x**3, ["∂f/∂x = 3·x²"], ["12"]),
    "sin": (lambda x, y: np.sin(x), ["∂f/∂x = cos x"], ["−0.4161"]),
    "cos": (lambda x, y: np.cos(x), ["∂f/∂x = −sin x"], ["−0.9093"]),
    "exp": (lambda x, y: np.exp(x), ["∂f/∂x = f"], ["7.3891"]),
    "log": (lambda x, y: np.log(x), ["∂f/∂x = 1/x"], ["0.5"]),
    "tanh": (lambda x, y: np.tanh(x), ["∂f/∂x = 1 − f²"], ["0.0707"]),
    "sqrt": (lambda x, y: np.sqrt(x), ["∂f/∂x = 1/(2·f)"], ["0.3536"]),
    "negative": (lambda x, y: -x, [], ["−1"]),
    "arctan2": (lambda x, y: np.arctan2(x, y), ["∂f/∂x = y/(x² + y²)", "∂f/∂y = −x/(x² + y²)"], ["−0.1176", "−0.4706"]),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_of_each_block_the_partials_are_formulas_and_the_products_results(name):
    function, partials, products = BLOCKS[name]
    player = ad.show_backward(function, 2.0, -0.5)
    told = next(keyframe for _, keyframe in keyframes(player.scene) if keyframe["name"] == "f")
    assert [text for text in texts(told) if "/∂" in text] == partials
    assert texts(told, 1) == [product for product in products if not product.startswith("−")]
    assert texts(told, -1) == [product for product in products if product.startswith("−")]


def test_what_is_zero_has_no_hue():
    def stationary(x, y):
        return np.cos(x) * y

    found = [texts(rest, 0) for rest in rests(ad.show_backward(stationary, 0.0, 2.0))]
    assert ["0"] in found


def test_names_of_steps_say_which_part_of_them_is_a_formula():
    named = {rest["name"]: rest["named"] for rest in rests(ad.show_backward(product, 1.0, -2.0))}
    assert named["sin(x)"] == [[0, 6, None]]
    assert named["x adds up"] == [[0, 1, None]]
    assert named["seed"] == named["gradient"] == []
    jacobian = ad.show_backward(lambda x, y: (x * y, np.sin(x)), 1.5, 2.5, jacobian=True)
    for rest in rests(jacobian):
        if rest["name"].startswith(("seed ", "row ")):
            assert rest["named"] == [[rest["name"].index(" ") + 1, len(rest["name"]), None]]


def test_prompts_of_questions_say_which_parts_of_them_are_formulas():
    asked = [rest["question"] for rest in rests(ad.show_backward(product, 1.0, -2.0)) if rest["question"]]
    prompts = {question["prompt"]: question.get("marks", []) for question in asked}
    for prompt, marks in prompts.items():
        assert marks, prompt
        formulas = {prompt[start:end] for start, end, _ in marks}
        assert formulas <= {"product", "x", "y", "x·y", "sin(x)", "∂(x·y)/∂x", "∂product/∂sin(x)"}, formulas
    assert {"∂(x·y)/∂x"} in [{prompt[start:end] for start, end, _ in marks} for prompt, marks in prompts.items()]


HOSTILE = "x\ue000so\ue001\ue000\ue004pwned\ue001\ue000"
"""A name that would mark a part of itself as a formula, and another as a positive result."""


def square():
    """A Block with that name."""
    methods = {"data_fn": lambda self, x: x.data**2, "gradient_fn": lambda self, x: 2 * x.data}
    return type(HOSTILE, (ad.SimpleBlock,), {"name": HOSTILE, **methods})()


def test_names_of_arguments_and_of_blocks_cannot_bring_marks_into_a_show():
    def hostile(x, y):
        return square()(x) * np.sin(y)

    hostile.__code__ = hostile.__code__.replace(co_varnames=(HOSTILE, "y"))
    told = rests(ad.show_backward(hostile, 0.5, 1.0))
    assert any("pwned" in rest["caption"] for rest in told)
    for rest in told:
        said = [rest["caption"], rest["name"], *([rest["question"]["prompt"]] if rest["question"] else [])]
        assert not re.search("[\ue000-\ue004]", "".join(said)), said
        for sign in (None, 1, 0, -1):
            assert not {"so", "pwned"} & set(texts(rest, sign)), rest


def test_a_formula_that_is_broken_into_lines_is_marked_in_both_and_what_is_cut_off_is_not():
    text = "So ∂f/∂x = cos x and so on"
    found = [*captions.in_lines(text, [[3, 16, None], [24, 26, None]], ["So ∂f/∂x", "= cos x and…"])]
    assert found == [((3, 8, None),), ((0, 7, None),)]


def test_characters_of_two_units_are_counted_once_in_lines():
    assert [*captions.in_lines("𝑎 is x", [[0, 2, None], [6, 7, None]], ["𝑎 is x"])] == [((0, 1, None), (5, 6, None))]
