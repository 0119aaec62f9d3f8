"""What a sweep did, read off its Steps: the same as what the engines return, for all of them; and what is said."""

import re

import numpy as np
import pytest
from hypothesis import assume, given, settings

import adviz as ad
from adviz.stage.narration.flows import Contributions, flow_of, shown
from adviz.stage.scene import captions, formulas
from adviz.stage.scene.document import keyframes
from adviz.stage.shows.flow_scene import named

from ..programs import ENGINES, EXPRESSIONS, NUMBERS, PROGRAMS, compiled, is_finite, quietly


def reverse(graph, engine="toposort", seeds=None):
    seeds = seeds or {output: np.ones(np.shape(graph.values[output])) for output in graph.outputs}
    return flow_of(graph, ad.Timeline.record({}, ad.sweeps.ENGINES[engine](graph, seeds)), True)


def forward(graph, direction):
    return flow_of(graph, ad.Timeline.record({}, ad.forward_flow(graph, direction)), False)


def checked(flow):
    """Every product is what is given times the local partial; every result is the sum of the contributions."""
    for edge, sent in flow.sent.items():
        assert np.allclose(sent.given, flow.results[flow.source(edge)], equal_nan=True)
        jacobian = flow.graph.local_jacobians(edge[0])[edge[1]][1].dense()
        flat = np.ravel(sent.given) @ jacobian if flow.reverse else jacobian @ np.ravel(sent.given)
        assert np.allclose(flat, np.ravel(sent.product))
    for node, result in flow.results.items():
        terms = [flow.sent[edge].product for edge in flow.contributions(node)]
        assert np.allclose(sum(terms) + flow.seeds.get(node, 0.0), result)


@pytest.mark.parametrize("engine", ENGINES)
@given(EXPRESSIONS, NUMBERS, NUMBERS)
@settings(max_examples=25, deadline=None)
def test_the_results_of_a_sweep_are_the_gradient_whatever_the_engine(engine, expression, x, y):
    f = compiled(expression)
    graph = quietly(f, x, y)
    assume(is_finite(graph))
    flow = reverse(graph, engine)
    expected = ad.grad(f, argnums=(0, 1))(x, y)
    assert np.allclose([flow.results.get(node, 0.0) for node in graph.inputs], expected)
    checked(flow)


@given(EXPRESSIONS, NUMBERS, NUMBERS)
@settings(max_examples=40, deadline=None)
def test_the_results_of_a_forward_sweep_are_the_derivative_in_its_direction(expression, x, y):
    f = compiled(expression)
    graph = quietly(f, x, y)
    assume(is_finite(graph))
    flow = forward(graph, {0: 1.0, 1: -2.0})
    assert np.allclose(flow.results[shown(graph, graph.outputs[0])], ad.jvp(f, (x, y), (1.0, -2.0))[1])
    checked(flow)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_products_and_results_agree_where_they_are_easily_told_wrong(program, engine):
    graph = ad.trace(program, 0.5, 2.0)
    flow = reverse(graph, engine)
    checked(flow)
    step = 1e-6
    for node, (one, other) in enumerate(
        [((0.5 + step, 2.0), (0.5 - step, 2.0)), ((0.5, 2.0 + step), (0.5, 2.0 - step))]
    ):
        difference = np.sum(program(*one)) - np.sum(program(*other))
        assert flow.results[node] == pytest.approx(difference / (2 * step), rel=1e-5)


def test_a_node_that_is_returned_twice_is_seeded_with_both():
    assert reverse(ad.trace(lambda x: (h := x * 3.0, h), 2.0)).results == {1: 2.0, 0: 6.0}


def test_nan_flows_on():
    flow = reverse(quietly(lambda x: np.log(x) * x, -1.0))
    assert np.isnan(flow.results[0])
    assert not np.isnan(flow.seeds[2])


def test_what_is_no_single_sweep_is_none():
    graph = ad.trace(lambda w, x, z: (w * x, w * z), 2.0, 3.0, 4.0)
    devices = ad.sweeps.parallel_tape(graph, dict.fromkeys(graph.outputs, 1.0))
    assert flow_of(graph, ad.Timeline.record({}, devices), True) is None


def test_what_adding_in_place_changes_is_known():
    case = ad.examples["fan-out"]
    graph = ad.trace(case.program, *case.arguments)
    right = ad.use_counts(graph, {graph.outputs[0]: 1.0})
    wrong = ad.use_counts(graph, {graph.outputs[0]: 1.0}, in_place=True)
    assert flow_of(graph, ad.Timeline.record({}, right), True).results[0] == 8.0
    flow = flow_of(graph, ad.Timeline.record({}, wrong), True)
    assert {node: (change.node, change.before) for node, change in flow.changes.items()} == {4: (1, 1.0), 5: (1, 1.0)}
    assert [flow.results[node] for node in (0, 1, 4, 5)] == [12.0, 2.0, 2.0, 2.0]


# ---- in words and formulas ----


NUMBER = r"(−?[\d.]+(?:e[−+]\d+)?)"


def parts_of(graph, direction=None):
    return Contributions(forward(graph, direction) if direction else reverse(graph), named(graph, "f").local(graph))


def read(text):
    return float(text.replace("−", "-"))


def agrees(sign, value, result):
    """Whether a sign says truly if a value, as printed, is the printed result."""
    return sign == ("=" if captions.decimals(value) == result else "≈")


@given(EXPRESSIONS, NUMBERS, NUMBERS)
@settings(max_examples=80, deadline=None)
def test_printed_equations_hold_to_the_printed_digits_or_say_so(expression, x, y):
    graph = quietly(compiled(expression), x, y)
    assume(is_finite(graph))
    for parts in (parts_of(graph), parts_of(graph, {0: 1.0, 1: 0.5})):
        for edge, sent in parts.flow.sent.items():
            one, other, sign, result = re.fullmatch(
                rf"{NUMBER} · \(?{NUMBER}\)? ([=≈]) {NUMBER}", parts.equation(edge)
            ).groups()
            assert agrees(sign, read(one) * read(other), result)
            assert result == captions.decimals(sent.product)
        for node in parts.flow.sums:
            terms, sign, result = re.fullmatch(rf"(.*) ([=≈]) {NUMBER}", parts.added(node)).groups()
            assert result == captions.decimals(parts.flow.results[node])
            if "…" not in terms:
                assert agrees(sign, sum(read(term.strip("()")) for term in terms.split(" + ")), result)


def test_an_equation_that_rounding_spoils_says_so():
    parts = parts_of(ad.trace(lambda x: np.sin(np.sin(x)) * 3.0, 1.0))
    signs = [re.search("[=≈]", parts.equation(edge))[0] for edge in parts.flow.sent]
    assert signs[0] == "="
    assert "≈" in signs


def test_negative_factors_and_terms_stand_in_brackets():
    parts = parts_of(ad.trace(lambda x: -3.0 * x - x, 2.0))
    assert [parts.equation(edge) for edge in parts.flow.sent] == ["1 · 1 = 1", "1 · (−1) = −1", "1 · (−3) = −3"]
    assert {parts.added(0)} <= {"−1 + (−3) = −4", "−3 + (−1) = −4"}


def test_of_many_terms_some_are_written():
    parts = parts_of(ad.trace(lambda x: sum(x * k for k in range(1, 9)), 1.0))
    assert "…" in parts.added(0)
    assert parts.added(0).endswith("= 36")
    assert len(parts.terms(0)) == 8


def test_a_symbol_is_told_before_its_number_unless_it_is_the_number():
    parts = parts_of(ad.trace(lambda x, y: np.sin(x) + x * y, 1.0, 2.0))
    told = {parts.explained(edge) for edge in parts.flow.sent}
    assert {"1·1 = 1", "1·cos x = 1·0.5403 = 0.5403", "1·y = 1·2 = 2", "1·x = 1·1 = 1"} == told


def test_infinite_and_undefined_numbers_are_told():
    parts = parts_of(quietly(lambda x: np.sqrt(x) * x, 0.0))
    assert any("∞" in parts.equation(edge) for edge in parts.flow.sent)
    assert any("NaN" in parts.equation(edge) for edge in parts.flow.sent)


def test_arrays_are_told_by_what_is_done_with_them_and_their_shape():
    graph = ad.trace(lambda W, x, b: np.sum(W @ x + b), np.ones((3, 2)), np.ones(2), 1.0)
    parts = parts_of(graph)
    told = " | ".join(parts.explained(edge) for edge in parts.flow.sent)
    assert "a 3×2 matrix" in told
    assert "a vector of length 2" in told
    assert not any(re.search(r"\d\.\d{5}", parts.explained(edge)) for edge in parts.flow.sent)


def test_formulas_say_what_the_sentence_says():
    parts = parts_of(ad.trace(lambda x, y: np.sin(x) + x * y, 1.0, 2.0))
    assert formulas.text(parts.product((2, 0))).endswith("cos x = 1 · 0.5403 = 0.5403")
    assert formulas.text(parts.total(0)).endswith("= 2 + 0.5403 = 2.5403")


# ---- where NaN and infinity begin ----


def warned_of(test):
    """A test of what is warned of when it is traced."""
    for kind in ("NonFiniteWarning", "IndependentOutputWarning"):
        test = pytest.mark.filterwarnings(f"ignore::adviz.{kind}")(test)
    return test


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
    return [scene["opening"]["caption"], *(keyframe["caption"] for _, keyframe in keyframes(scene))]


LINE = logarithm.__code__.co_firstlineno + 2


@warned_of
@pytest.mark.parametrize("show", [ad.show_backward, ad.show_forward])
def test_a_value_that_is_nan_is_named_with_its_line_at_the_start_at_its_node_and_at_the_end(show):
    opening, *rests, ending = told(show(logarithm, -1.0, 2.0))
    assert "log(−2) has no real value. What is computed from it is NaN as well: " in opening
    assert f"look at log(a), line {LINE}, where the first NaN appeared." in opening
    (at_the_node,) = [text for text in rests if "log(−2) has no real value" in text]
    assert "∂log(a)/∂a = 1/a" in at_the_node
    assert f"But log(−2) has no real value, so these numbers are no derivatives: look at log(a), line {LINE}" in ending


@warned_of
def test_an_infinite_partial_is_named_where_it_acts_and_at_the_end():
    *_, ending = texts = told(ad.show_backward(root, 0.0))
    (first,) = [text for text in texts if "first adjoint that is not finite" in text]
    assert "The local partial is infinite here" in first
    assert f"look at root, line {root.__code__.co_firstlineno + 1}, whose local partial was the first" in ending


@warned_of
def test_where_all_is_finite_nothing_is_said():
    text = " ".join(told(ad.show_backward(logarithm, 1.0, 2.0)))
    assert not any(word in text for word in ("NaN", "∞", "no real value", "finite"))


@warned_of
@pytest.mark.parametrize(
    ("f", "argument", "fact"),
    [
        (lambda x: np.sum(np.log(x)), np.array([1.0, -2.0]), "1 of the 2 entries of log(x) is NaN."),
        (lambda x: np.log(x), np.array([0.0, -2.0, -1.0]), "2 of the 3 entries of f are NaN and 1 is infinite."),
        (lambda x: 1.0 / x, 0.0, "is ∞. What is computed from it is infinite or NaN as well"),
        (lambda x: x * x, np.nan, "x, an argument, is NaN."),
        (lambda x: np.exp(-(np.log(x) ** 2)), 0.0, "log(0) is −∞. The result is finite all the same"),
    ],
)
def test_an_evaluation_says_it_where_it_happens(f, argument, fact):
    captions = [step["caption"] for step in ad.play(f, argument).scene["steps"]]
    assert sum(fact in caption for caption in captions) == 1


@warned_of
def test_every_engine_says_it():
    for engine in ad.sweeps.ENGINES:
        document = ad.show_backward(logarithm, -1.0, 2.0, engine=engine).scene
        assert "log(−2) has no real value" in document["steps"][0]["caption"]


@warned_of
def test_a_constant_function_is_said_to_be_one():
    sentence = "The result of constant does not depend on x, so every derivative is 0."
    assert ad.explore(constant, 1.0).scene["panels"][0]["note"] == sentence
    assert ad.play(constant, 1.0).scene["steps"][-1]["caption"].endswith(sentence)
    assert told(ad.show_forward(constant, 1.0))[-1] == sentence
    with pytest.raises(ad.SeedError, match=r"does not depend on x, so every derivative is 0\. There is nothing"):
        ad.show_backward(constant, 1.0)
    assert ad.explore(lambda x: x * x, 1.0).scene["panels"][0]["note"] is None


def test_a_product_is_added_where_there_are_others_and_else_is_all_that_arrives():
    graph = ad.trace(lambda x, y: np.sin(x) + x * y, 1.0, 2.0)
    flow = reverse(graph)
    parts = Contributions(flow, named(graph, "f").local(graph))
    texts = [formulas.text(parts.product(edge)) for edge in flow.sent]
    assert [text[0] for text in texts if " += " in text] == ["x", "x"]
    assert "y" in [text[0] for text in texts if " += " not in text]
