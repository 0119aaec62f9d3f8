"""What is said at the levels of nodes and edges: everything once, in order, and enough to know what a derivative is."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings

import adviz as ad
from adviz.stage.narration.flows import edge_of
from adviz.stage.narration.levels import SweepNarrator
from adviz.stage.scene import formulas
from adviz.stage.scene.document import keyframes
from adviz.stage.shows import sweep_scene
from adviz.stage.shows.flow_scene import named

from ..programs import ENGINES, EXPRESSIONS, NUMBERS, PROGRAMS, compiled, is_finite, quietly
from .test_flows import forward, reverse


def f(x, y):
    return np.sin(x) + x * y


def told_by(flow):
    return SweepNarrator(flow, named(flow.graph, "f"))


def at(level, show):
    """The rests of a show at a level, with the opening."""
    return [show["opening"], *(keyframe for _, keyframe in keyframes(show, level))]


def show_of(program, *arguments, **options):
    return sweep_scene.backward_scene(quietly(program, *arguments), **options)[0]


def check_levels(narrator):
    """Nothing is left out, nothing is said twice, and steps of nodes end where steps of edges end."""
    flow, rests, moves = narrator.flow, narrator.keyframes(), narrator.moves()
    edges = {step for step, said in rests.items() if "edges" in said}
    nodes = {step for step, said in rests.items() if "nodes" in said}
    assert nodes <= edges
    assert max(nodes) == max(edges) == flow.steps
    assert len(edges) == len(moves) == 2 + len(flow.sent) + len(flow.sums)
    assert [move["step"] for move in moves] == sorted(move["step"] for move in moves)
    assert Counter(edge_of(move) for move in moves if move["kind"] == "send") == Counter(dict.fromkeys(flow.sent, 1))
    arrived = sorted(sent.step for sent in flow.sent.values())
    for step, sent in zip(sorted(edges)[1:], sorted(moves, key=lambda move: move["step"])[1:], strict=True):
        assert sent["step"] <= step  # it is told when it has happened
    assert all(any(step >= each for step in edges) for each in arrived)
    for said in rests.values():
        for rest in said.values():
            assert rest["name"]
            assert re.search(r"[.:]$", rest["caption"]), rest["caption"]
            assert not re.search(r"\bv\d+\b", rest["caption"]), rest["caption"]
            assert "None" not in rest["caption"]


@pytest.mark.parametrize("engine", ENGINES)
@given(EXPRESSIONS, NUMBERS, NUMBERS)
@settings(max_examples=20, deadline=None)
def test_every_contribution_is_told_once_and_in_order_whatever_the_engine(engine, expression, x, y):
    graph = quietly(compiled(expression), x, y)
    assume(is_finite(graph))
    check_levels(told_by(reverse(graph, engine)))


@given(EXPRESSIONS, NUMBERS, NUMBERS)
@settings(max_examples=20, deadline=None)
def test_in_forward_mode_too(expression, x, y):
    graph = quietly(compiled(expression), x, y)
    assume(is_finite(graph))
    check_levels(told_by(forward(graph, {0: 1.0, 1: 0.5})))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_that_are_easily_told_wrong_are_told_at_both_levels(program, engine):
    check_levels(told_by(reverse(ad.trace(program, 0.5, 2.0), engine)))


@pytest.mark.parametrize("program", [lambda x, y: x, lambda x, y: np.log(-x) * y, lambda x, y: x / (y - y)])
def test_programs_without_operations_or_with_values_that_are_not_finite_are_told(program):
    graph = quietly(program, 1.0, 2.0)
    narrator = told_by(reverse(graph))
    check_levels(narrator)
    assert narrator.opening()["caption"].endswith(".")


@pytest.mark.parametrize("engine", [engine for engine in ENGINES if engine != "recursion"])
def test_seven_rests_at_nodes_and_nine_at_edges(engine):
    show = show_of(f, 1.0, 2.0, engine=engine)
    assert len(at("nodes", show)) == 7
    assert len(at("edges", show)) == 9
    assert [rest["name"] for rest in at("nodes", show)][:3] == ["values", "seed", "f"]
    assert {rest["name"] for rest in at("nodes", show)[3:]} == {"x·y", "sin(x)", "x adds up", "gradient"}


def test_the_opening_has_each_value_between_the_inputs_and_the_result_once():
    said = at("nodes", show_of(f, 1.0, 2.0))[0]["caption"]
    assert said.startswith("The values come first: sin(x) = 0.8415, x·y = 2 and f = 2.8415. Now")


def test_the_recursion_leaves_a_node_after_each_contribution_and_comes_back():
    show = show_of(f, 1.0, 2.0, engine="recursion")
    assert [rest["name"] for rest in at("nodes", show)].count("f") == 2
    assert len(at("nodes", show)) == len(at("edges", show)) == 9


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_tells_the_same_sums_and_the_same_result(engine):
    def numbers(show):
        sums = [rest["caption"].rsplit("= ")[-1] for rest in at("nodes", show) if rest["name"].endswith("adds up")]
        return sums, re.search(r"∂f/∂x = .*? and ∂f/∂y = [\d.]+\b", at("nodes", show)[-1]["caption"])[0]

    assert numbers(show_of(f, 1.0, 2.0, engine=engine)) == numbers(show_of(f, 1.0, 2.0))
    assert numbers(show_of(f, 1.0, 2.0)) == (["2.5403."], "∂f/∂x = 2.5403 and ∂f/∂y = 1")


# ---- what a reader asks, answered by the captions alone ----


@pytest.fixture(scope="module", params=["nodes", "edges"])
def told(request):
    return " ".join(rest["caption"] for rest in at(request.param, show_of(f, 1.0, 2.0)))


ANSWERS = {
    "why x gets two numbers": [r"x is used twice: .* through \S+ and through \S+.* add: 2 \+ 0\.5403 = 2\.5403"],
    "where the number of sin comes from": [
        r"The derivative of sin is cos: ∂sin\(x\)/∂x = cos x\.",
        r"x receives 1·cos x = 1·0\.5403 = 0\.5403",
    ],
    "why the number of y is one": [r"∂\(x·y\)/∂y = x", r"y receives 1·x = 1·1 = 1"],
    "what would change if y were three": [
        r"∂\(x·y\)/∂x = y",
        r"If y were 3, f would be 3\.8415, and the adjoint of x would be 3\.5403",
        r"no other adjoint would change",
    ],
    "how much it took": [r"\(5 multiplications, 3 of them by 1, which an engine leaves out, and 1 addition\)"],
    "what the numbers tell about f": [
        r"∂f/∂x = 2\.5403 and ∂f/∂y = 1",
        r"[Ii]f x grows by 0\.01.*?, f grows by about 0\.0254",
        r"[Ii]f y grows by 0\.01.*?, f grows by about 0\.01\b",
    ],
    "by which path": [r"x → sin\(x\) → f"],
}


@pytest.mark.parametrize("question", ANSWERS)
def test_what_a_reader_asks_is_answered(question, told):
    for words in ANSWERS[question]:
        assert re.search(words, told)


def test_factors_that_an_engine_leaves_out_are_counted_as_its_meters_do():
    show = show_of(lambda x, y: (x * y + 3.0) ** 2, 2.0, 0.0)
    told = "4 multiplications, 2 of them by 1 or 0, which an engine leaves out, and no addition"
    assert told in at("nodes", show)[-1]["caption"]
    assert sum(step["cost"]["multiplications"] for step in show["steps"]) == 4 - 2


def test_why_derivatives_are_multiplied_is_said_once(told):
    assert told.count("Why multiply") == 1


@pytest.mark.parametrize(
    ("program", "is_promised"),
    [
        (f, True),
        (lambda x, y: 5.0 - x * y, True),
        (lambda x, y: np.sin(x * y), False),
        (lambda x, y: np.sin(x) * y + x, False),  # what sin x receives is passed on to x
        (lambda x, y: x * y + y, False),
        (lambda x, y: x * y * x, False),
    ],
)
def test_what_another_value_of_a_factor_would_change_is_true(program, is_promised):
    told = " ".join(rest["caption"] for rest in at("nodes", show_of(program, 1.0, 2.0)))
    promised = re.search(r"the adjoint of x would be (−?[\d.]+); no other adjoint would change", told)
    assert bool(promised) == is_promised
    if promised:
        told_of_x = float(promised[1].replace("−", "-"))
        before, after = (np.array(ad.grad(program, (0, 1))(1.0, y)) for y in (2.0, 3.0))
        np.testing.assert_allclose(after, [told_of_x, before[1]], atol=1e-4)
        result = float(re.search(r"would be (−?[\d.]+), and", told)[1].replace("−", "-"))
        np.testing.assert_allclose(result, program(1.0, 3.0), atol=1e-4)


# ---- special cases ----


SAID = {
    "paths that cancel": (lambda x: x * 3.0 - x * 3.0, [2.0], "opposite directions", r"3 \+ \(−3\) = 0|−3 \+ 3 = 0"),
    "an input that is not used": (lambda x, y: x * 2.0, [1.0, 5.0], "does not depend on y: that derivative is 0\\."),
    "one multiplication": (np.sin, [1.0], r"\(1 multiplication and no addition\)"),
    "what is returned as it is": (lambda x: x, [1.0], "∂[fx]/∂x = 1", r"\(no multiplication and no addition\)"),
    "minus signs": (lambda p: np.sqrt(np.sum((p - 3.0) ** 2)), [np.array([1.0, 2.0])], r"\[−2, −1\]"),
    "a large array": (lambda x: np.sum(np.tanh(x)), [np.ones((4, 5))], r"tanh\(x\) is a 4×5 matrix with norm"),
    "no number": (lambda x, y: np.log(-x) * y, [1.0, 2.0], "NaN", r"log\("),
}


@pytest.mark.parametrize("case", SAID)
def test_what_is_said_of_special_cases(case):
    program, arguments, *words = SAID[case]
    told = " ".join(rest["caption"] for rest in at("nodes", show_of(program, *arguments)))
    assert all(re.search(each, told) for each in words), told
    assert case != "no number" or "derivative is 2" not in told


def test_forward_mode_tells_what_moves_what_stands_still_and_one_derivative():
    show = sweep_scene.forward_scene(ad.trace(f, 1.0, 2.0), {0: 1.0, 1: 0.0})[0]
    captions = [rest["caption"] for rest in at("nodes", show)]
    assert "x moves at the rate 1 and y stands still" in captions[1]
    assert "2.5403" in captions[-1]
    assert "one derivative, in the direction of the seed" in captions[-1]


def test_several_results_are_told_with_their_seeds():
    graph = ad.trace(lambda x: (x * 2.0, np.sin(x)), 1.0)
    show = sweep_scene.backward_scene(graph, seeds={graph.outputs[0]: 1.0, graph.outputs[1]: 10.0})[0]
    captions = [rest["caption"] for rest in at("nodes", show)]
    assert "1 for f[0] and 10 for f[1]. These are the weights of the sum that is differentiated." in captions[1]
    assert "how strongly the weighted sum responds" in captions[0]
    assert "the adjoint of x is 7.403" in captions[-1]


def test_a_seed_that_is_not_1_gives_no_derivative_of_the_result_itself():
    graph = ad.trace(lambda x: x * x, 3.0)
    show = sweep_scene.backward_scene(graph, seeds={graph.outputs[0]: 2.0})[0]
    text = " ".join(rest["caption"] for rest in at("nodes", show))
    assert "the adjoint of x is 12" in text
    assert "∂" not in at("nodes", show)[-1]["caption"]
    panel = next(panel for panel in show["panels"] if panel["kind"] == "flow")
    assert {node["derivative"] for node in panel["nodes"]} == {"adjoint"}


def test_uses_alike_are_told_together_and_others_one_by_one():
    captions = [rest["caption"] for rest in at("nodes", show_of(lambda x: (x * x) / (x + 1.0) - x, 2.0))]
    (square,) = [caption for caption in captions if "Both factors are x" in caption]
    assert "x receives 0.3333·x = 0.3333·2 ≈ 0.6667 from each of its two uses" in square
    (opposed,) = [
        rest["caption"] for rest in at("nodes", show_of(lambda x: x - x, 2.0)) if "Both operands" in rest["caption"]
    ]
    assert "x receives 1·1 = 1, and x also receives 1·(−1) = −1" in opposed


def test_an_operand_that_depends_on_another_one_is_said_to_be_counted_apart_once():
    text = " ".join(rest["caption"] for rest in at("nodes", show_of(lambda x: x * x * x * x, 2.0)))
    assert text.count("Each operand is varied alone here; that x·x·x depends on x as well is counted") == 1
    assert "varied alone" not in " ".join(rest["caption"] for rest in at("nodes", show_of(f, 1.0, 2.0)))


def test_arrays_are_told_by_their_rules_and_shapes_and_not_by_numbers():
    def loss(W, x, b):
        return np.sum(np.tanh(W @ x + b))

    show = show_of(loss, np.full((3, 2), 0.1), np.ones(2), np.ones(3))
    told = " ".join(rest["caption"] for rest in at("edges", show))
    (bench,) = (panel for panel in show["panels"] if panel["kind"] == "bench")
    written = " ".join(formulas.text(each["title"]) for each in bench["benches"])
    assert not any(rest["formula"] for rest in at("edges", show))
    assert "W receives the adjoint times xᵀ, and x receives Wᵀ times the adjoint" in told
    assert "· xᵀ" in written
    assert "∂loss/∂W (3×2)" in told


def test_hostile_numbers_of_operands_are_counted_and_not_all_named():
    show = show_of(lambda x: sum(x * k for k in range(1, 30)), 1.0)
    if "opening" in show:
        assert all(len(rest["caption"]) < 1_500 for rest in at("nodes", show))
    many = quietly(lambda *xs: np.sum(np.stack(xs)), *np.arange(12.0))
    captions = [rest["caption"] for rest in at("nodes", sweep_scene.backward_scene(many)[0])]
    assert any("more likewise" in caption for caption in captions)


def test_why_derivatives_are_multiplied_does_not_say_again_what_the_rule_has_said():
    def iterated(x):
        for _ in range(60):
            x = 0.5 * x * (1 - x)
        return x

    (told,) = [each["caption"] for each in at("nodes", show_of(iterated, 0.3)) if "Why multiply?" in each["caption"]]
    assert re.search(r"Why multiply\? iterated in turn changes (as much as|by [−\d.]+ times) that\.", told)
    assert told.count("A small change") + told.count("a small change") == 1


def test_paths_that_cancel_up_to_rounding_are_told_as_such():
    told = [each["caption"] for each in at("nodes", show_of(lambda x: 0.1 * x + 0.2 * x - 0.3 * x, 1.0))]
    (adding,) = [caption for caption in told if "is used 3 times" in caption]
    assert "pull in opposite directions" in adding
    assert "e−17, which is 0 up to rounding. At this point a small change of x does not change" in adding


def test_an_input_grows_by_a_step_of_its_own_scale_in_the_last_sentence():
    told = at("nodes", show_of(lambda price, rate: price * rate, 200_000.0, 0.04))[-1]["caption"]
    plain = re.sub("[\ue000\ue001]", "", told)
    assert "If price grows by 1000 and nothing else changes, f grows by about 40" in plain
    assert "if rate grows by 0.0001, f grows by about 20" in plain


def test_a_change_within_rounding_of_the_result_is_not_told_as_one():
    told = at("nodes", show_of(lambda x, y: y + 0.1 * x + 0.2 * x - 0.3 * x, 1.0, 1.0))[-1]["caption"]
    plain = re.sub("[\ue000\ue001]", "", told)
    assert "e−17" in plain
    assert "If y grows by 0.01 and nothing else changes, f grows by about 0.01." in plain
