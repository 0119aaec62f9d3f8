"""Which parts of captions are mathematics."""

import numpy as np
import pytest

import adviz as ad
from adviz.stage.scene import sentences


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
    assert sentences.plain(sentences.mathematics(forged)) == "xyz"
    assert sentences.marked(f"{sentences.mathematics(forged)} is 1") == ("xyz is 1", [[0, 3, None]])


def test_characters_of_two_units_are_counted_as_pages_do():
    assert sentences.marked(f"𝑎𝑎 {sentences.mathematics('x')}") == ("𝑎𝑎 x", [[5, 6, None]])


def test_what_is_not_finite_has_no_sign():
    assert sentences.marked(sentences.result("NaN", float("nan"))) == ("NaN", [])
