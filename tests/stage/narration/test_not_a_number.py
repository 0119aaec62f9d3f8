"""Captions say where NaN and infinity begin, and that a constant has no derivative but 0."""

import numpy as np
import pytest

import adviz as ad

pytestmark = [
    pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning"),
    pytest.mark.filterwarnings("ignore::adviz.IndependentOutputWarning"),
]


def logarithm(x, y):
    a = x * y
    return np.log(a) * y + x


def root(x):
    return np.sqrt(x * x)


def constant(x):
    return 3.0


def told(player):
    """What is said at the level of nodes, before the sweep and in it."""
    scene = player.scene
    rests = [step["rests"]["nodes"]["caption"] for step in scene["steps"] if "nodes" in step.get("rests", {})]
    return [scene["opening"]["caption"], *rests]


LINE = logarithm.__code__.co_firstlineno + 2


@pytest.mark.parametrize("show", [ad.show_backward, ad.show_forward])
def test_a_value_that_is_nan_is_named_with_its_line_at_the_start_at_its_node_and_at_the_end(show):
    opening, *rests, ending = told(show(logarithm, -1.0, 2.0))
    assert "log(−2) has no real value. What is computed from it is NaN as well: " in opening
    assert f"look at log(a), line {LINE}, where the first NaN appeared." in opening
    (at_the_node,) = [text for text in rests if "log(−2) has no real value" in text]
    assert "∂log(a)/∂a = 1/a" in at_the_node
    assert f"But log(−2) has no real value, so these numbers are no derivatives: look at log(a), line {LINE}" in ending


def test_an_infinite_partial_is_named_where_it_acts_and_at_the_end():
    *_, ending = texts = told(ad.show_backward(root, 0.0))
    (first,) = [text for text in texts if "first adjoint that is not finite" in text]
    assert "The local partial is infinite here" in first
    assert f"look at root, line {root.__code__.co_firstlineno + 1}, whose local partial was the first" in ending


def test_where_all_is_finite_nothing_is_said():
    text = " ".join(told(ad.show_backward(logarithm, 1.0, 2.0)))
    assert not any(word in text for word in ("NaN", "∞", "no real value", "finite"))


@pytest.mark.parametrize(
    ("f", "argument", "fact"),
    [
        (lambda x: np.sum(np.log(x)), np.array([1.0, -2.0]), "1 of the 2 entries of v1 is NaN."),
        (lambda x: np.log(x), np.array([0.0, -2.0, -1.0]), "2 of the 3 entries of v1 are NaN and 1 is infinite."),
        (lambda x: 1.0 / x, 0.0, "is ∞. What is computed from it is infinite or NaN as well"),
        (lambda x: x * x, np.nan, "v0 (x), an argument, is NaN."),
        (lambda x: np.exp(-(np.log(x) ** 2)), 0.0, "log(0) is −∞. The result is finite all the same"),
    ],
)
def test_an_evaluation_says_it_where_it_happens(f, argument, fact):
    captions = [step["caption"] for step in ad.play(f, argument).scene["steps"]]
    assert sum(fact in caption for caption in captions) == 1


def test_every_engine_says_it():
    for engine in ad.sweeps.ENGINES:
        document = ad.show_backward(logarithm, -1.0, 2.0, engine=engine).scene
        assert "log(−2) has no real value" in document["steps"][0]["caption"]


def test_a_constant_function_is_said_to_be_one():
    sentence = "The result of constant does not depend on x, so every derivative is 0."
    assert ad.explore(constant, 1.0).scene["panels"][0]["note"] == sentence
    assert ad.play(constant, 1.0).scene["steps"][-1]["caption"].endswith(sentence)
    assert told(ad.show_forward(constant, 1.0))[-1] == sentence
    with pytest.raises(ad.SeedError, match=r"does not depend on x, so every derivative is 0\. There is nothing"):
        ad.show_backward(constant, 1.0)
    assert ad.explore(lambda x: x * x, 1.0).scene["panels"][0]["note"] is None
