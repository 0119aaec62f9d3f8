"""Questions about derivatives: what is asked, that answers are right, and that a mistake is told for what it is."""

import warnings

import numpy as np
import pytest

import adviz as ad
from adviz.stage.narration.questions.sweep_questions import alike
from adviz.stage.scene.document import keyframes
from adviz.stage.shows import sweep_scene


def questions(show):
    """The questions of a show by step, edge by edge."""
    return {number: each["question"] for number, each in keyframes(show, "edges") if each["question"]}


def asked(f, *args, forward=False, **options):
    with warnings.catch_warnings(action="ignore"):
        graph = ad.trace(f, *args)
    scene = sweep_scene.forward_scene if forward else sweep_scene.backward_scene
    return [*questions(scene(graph, **options)[0]).values()]


def about(found, part):
    (question,) = [question for question in found if part in question["prompt"]]
    return question


def f(x, y):
    return np.sin(x) + x * y


def loss(W, b, X, t):
    h = np.tanh(X @ W + b)
    return np.sum((h - t) ** 2)


RNG = np.random.default_rng(1)
ARGS = [RNG.normal(size=shape) for shape in ((2, 3), (3,), (4, 2), (4, 3))]
SCALAR, ARRAYS, FORWARD = asked(f, 1.0, 2.0), asked(loss, *ARGS), asked(f, 1.0, 2.0, forward=True)


def diagnosis(question, wrong):
    """What is said about a wrong answer: that of the nearest one, as in the page."""
    number, why = min(question["diagnoses"], key=lambda pair: abs(pair[0] - wrong))
    assert number == pytest.approx(wrong, rel=1e-9)
    return why


# ---- what is asked ----


def test_derivatives_factors_sums_and_reasons_are_asked_for():
    assert [question["prompt"] for question in SCALAR] == [
        "The sweep starts at f. What is its adjoint there, the seed, and why?",
        "Which factor stands on this edge, ∂f/∂sin(x)?",
        "What does x·y receive from f?",
        "Which factor stands on this edge, ∂(x·y)/∂x?",
        "What does y receive through x·y?",
        "What does x receive through sin(x)?",
        "2 and 0.5403 have arrived at x. What is the adjoint of x?",
    ]
    cos = np.cos(1.0)
    assert [question["answer"] for question in SCALAR[1:]] == pytest.approx(["1", 1.0, "y", 1.0, cos, 2 + cos])


def test_forward_questions_follow_the_tangents():
    prompts = [question["prompt"] for question in FORWARD]
    assert prompts[0] == "The sweep follows x. Which tangent does y start with, the seed, and why?"
    assert FORWARD[0]["answer"] == "0, because y stands still in this sweep"
    assert about(FORWARD, "What does sin(x) receive")["answer"] == pytest.approx(np.cos(1.0))
    assert "2 and 0 have arrived at x·y. What is the tangent of x·y?" in prompts
    assert not any("adjoint" in text for question in FORWARD for text in (question["prompt"], question["hint"]))


def test_of_arrays_operations_axes_and_shapes_are_asked_for():
    prompts = " ".join(question["prompt"] for question in ARRAYS)
    for part in ("Which matrix is transposed", "Over which axis", "What is the shape", "What happens to it"):
        assert part in prompts


def test_what_is_asked_about_is_marked():
    edges = [question.get("edge") for question in SCALAR]
    assert edges == [None, "4/0", "4/1", "3/0", "3/1", "2/0", None]
    assert [SCALAR[0]["nodes"], SCALAR[-1]["nodes"]] == [[4], [0]]


def test_an_array_that_is_used_twice_asks_how_its_contributions_become_one():
    question = about(asked(lambda x: np.sum(np.sin(x) * x), np.ones(3)), "How do they become")
    assert question["answer"] == "they are added, entry by entry"
    assert len(question["diagnoses"]) == 3


def test_two_uses_in_one_product_are_told_apart():
    question = about(asked(lambda x: x * x + 1.0, 3.0), "use 2")
    assert question["prompt"] == "What does x receive through use 2 of x in x·x?"
    assert question["answer"] == 3.0


def test_of_many_edges_alike_some_are_asked_about():
    def chain(x):
        for _ in range(12):
            x = x * 1.1 + 0.5
        return x

    prompts = [question["prompt"] for question in asked(chain, 1.0)]
    assert 6 <= len(prompts) <= 9


def test_what_is_not_finite_is_not_asked_for():
    assert all(np.isfinite(q["answer"]) for q in asked(lambda x: np.log(x) * x, -1.0) if q["kind"] == "number")


def test_own_seeds_and_several_results_have_no_question_about_the_seed():
    graph = ad.trace(lambda x: (x * 2.0, x * 3.0), 1.0)
    show, _ = sweep_scene.backward_scene(graph, seeds=dict.fromkeys(graph.outputs, 1.0))
    assert not any("seed" in question["prompt"] for question in questions(show).values())


def test_every_question_can_be_answered_and_its_diagnoses_are_wrong():
    for question in [*SCALAR, *ARRAYS, *FORWARD]:
        assert question["hint"]
        assert question["diagnoses"]
        wrong = [answer for answer, _ in question["diagnoses"]]
        assert all(why.endswith((".", "?")) for _, why in question["diagnoses"])
        if question["kind"] == "choice":
            assert question["answer"] in question["choices"]
            assert sorted([question["answer"], *wrong]) == sorted(question["choices"])
        else:
            assert question["tolerance"] == 0.006
            assert not any(alike(number, question["answer"]) for number in wrong)


def test_the_right_choice_is_not_always_at_the_same_place():
    places = {q["choices"].index(q["answer"]) for q in [*SCALAR, *ARRAYS] if q["kind"] == "choice"}
    assert len(places) > 2


def test_the_engine_keeps_its_own_questions():
    show, _ = sweep_scene.backward_scene(ad.trace(f, 1.0, 2.0))
    prompts = [step["question"]["prompt"] for step in show["steps"] if step["question"]]
    assert "Which node is visited next?" in prompts


# ---- mistakes, one by one ----

THROUGH_SIN = about(SCALAR, "through sin(x)")
SUM = about(SCALAR, "have arrived at x")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (np.sin(1.0), "That is the value of sin(x); the factor on the edge is its derivative."),
        (-np.cos(1.0), "The sign is wrong: the derivative of sin is cos"),
        (np.cos(np.radians(1.0)), "0.9998 is what comes out where x = 1 is taken for degrees; it is in radians."),
        (1.0 + np.cos(1.0), "Along a path, partials multiply; only separate paths add."),
        (2.0 + np.cos(1.0), "2.5403 is all that x receives, over all paths."),
        (2.0, "2 is what x receives through x·y. Asked for is only what comes through sin(x)."),
    ],
    ids=["value for derivative", "sign", "degrees", "sum for product", "total for share", "another path"],
)
def test_a_mistake_in_a_product_is_told(wrong, told):
    assert told in diagnosis(THROUGH_SIN, wrong)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (2.0 * np.cos(1.0), "Along a path, partials multiply; contributions of separate paths add."),
        (2.0, "That leaves out one contribution: what x receives through sin(x), 0.5403."),
        (np.cos(1.0), "That leaves out one contribution: what x receives through x·y, 2."),
        (2.0 - np.cos(1.0), "Contributions add with their own signs: 0.5403 is not subtracted."),
        (1.0 + np.cos(1.0) / 2, "That is their mean."),
        (1.0, "1 is the value of x. Asked for is its adjoint"),
    ],
    ids=["product for sum", "forgotten", "another forgotten", "subtracted", "mean", "value"],
)
def test_a_mistake_in_a_sum_is_told(wrong, told):
    assert told in diagnosis(SUM, wrong)


def test_a_sum_of_signs_that_differ_knows_the_sum_without_them():
    question = about(asked(lambda x: x * 3.0 - x * 5.0, 2.0), "have arrived at x")
    assert question["answer"] == -2.0
    assert diagnosis(question, 8.0).startswith("The signs count")


def test_the_adjoint_that_is_not_yet_multiplied_and_the_partial_alone_are_told():
    question = about(asked(lambda x: np.exp(3.0 * np.sin(x)), 1.0), "through sin(x)")
    given = 3 * np.exp(3 * np.sin(1.0))
    assert question["answer"] == pytest.approx(given * np.cos(1.0))
    assert "It has still to be multiplied by the local partial" in diagnosis(question, given)
    assert "is the local partial on the edge alone" in diagnosis(question, np.cos(1.0))


def test_the_own_factor_for_the_other_is_told_in_numbers_and_in_symbols():
    def g(x, y):
        return (x * y) * 3.0

    found = asked(g, 5.0, 7.0)
    assert "That is y itself" in diagnosis(about(found, "through x·y"), 3.0 * 7.0)
    factor = about(found, "Which factor")
    assert factor["answer"] == "y"
    assert "That is x itself" in dict(factor["diagnoses"])["x"]


def test_a_symbol_that_has_the_right_number_here_is_no_choice():
    factor = about(asked(lambda x, y: x * y, 5.0, 1.0), "Which factor")
    assert factor["answer"] == "y"
    assert "1" not in factor["choices"]


def test_a_matrix_that_is_not_transposed_and_one_on_the_wrong_side_are_told():
    question = about(ARRAYS, "Which matrix is transposed")
    assert question["answer"] == "· Wᵀ"
    told = dict(question["diagnoses"])
    assert "W has to be transposed" in told["· W"]
    assert "from the right" in told["Wᵀ ·"]


def test_the_wrong_axis_and_a_missing_sum_are_told():
    question = about(ARRAYS, "Over which axis")
    assert question["answer"] == "over axis 0: the rows are added up"
    told = dict(question["diagnoses"])
    assert "b acts through every row" in told["over axis 1: the columns are added up"]
    assert "The result would have the shape 4×3" in told["over none: it stays as it is"]


def test_an_axis_of_one_entry_is_no_other_choice():
    question = about(asked(lambda X, b: np.sum(X + b), np.ones((4, 1)), np.ones(1)), "Over which axis")
    assert "over both axes: all entries are added up" not in question["choices"]


def test_a_transposed_shape_is_told():
    question = about(ARRAYS, "shape of the contribution to W")
    assert question["answer"] == "a 2×3 matrix"
    assert dict(question["diagnoses"])["a 3×2 matrix"].startswith("That is transposed: An adjoint has the shape")


def test_the_seed_that_is_the_value_is_told():
    told = dict(SCALAR[0]["diagnoses"])
    assert SCALAR[0]["answer"] == "1, because f changes one for one with itself"
    assert "That is the value of f." in told["2.8415, because that is the value of f"]


def test_a_wrong_sign_of_a_small_number_is_wrong_and_what_is_printed_alike_is_not():
    assert not alike(-0.002, 0.002)
    assert alike(0.00201, 0.002)
    assert alike(1e-9, 1.001e-9)
