"""What the sentences, formulas and questions of a show say."""

import re

import numpy as np
import pytest

import adviz as ad
from adviz.stage.scene import formulas
from adviz.stage.shows import sweep_scene

from ..goldens import engine_steps
from .test_coarse_steps import named_or_capital


def product(x, y):
    h = x * y
    return h + y


def steps(graph, engine="toposort", **options):
    return sweep_scene.backward_scene(graph, engine, **options)[0]["steps"]


def captions_of(graph, kind, engine="toposort", **options):
    return [step["caption"] for step in steps(graph, engine, **options) if step["kind"] == kind]


@pytest.fixture
def graph():
    return ad.trace(product, 3.0, 0.5)


@pytest.mark.parametrize(
    ("engine", "words"),
    [
        ("recursion", "it has just received its last contribution"),
        ("tape", "it is the previous entry of the tape"),
        ("tape with flags", "is marked"),
        ("toposort", "it is the last node that became complete"),
        ("rank_heap", "its rank, 0, is the highest in the heap"),
        ("use_counts", "it is the last node that became ready"),
    ],
)
def test_every_engine_gives_its_reason_for_a_turn(graph, engine, words):
    assert any(words in caption for caption in captions_of(graph, "visit", engine))


def test_a_tape_says_that_the_dead_have_nothing_to_hand_on_and_flags_pass_them_over():
    graph = ad.trace(ad.examples["dead branch"].program, 0.5)
    assert any("no output depends on it" in caption for caption in captions_of(graph, "visit", "tape"))
    assert any("is skipped" in caption for caption in captions_of(graph, "skip", "tape with flags"))


def test_adding_in_place_says_where_else_the_sum_appears():
    graph = ad.trace(*ad.examples["fan-out"][:1], 1.0, 4.0)
    told = captions_of(graph, "accumulate", "use_counts", in_place=True)
    words = "which also changes x² + x·2 and x·y, which share the array"
    assert any(words in caption for caption in told)
    assert not any("the array" in caption for caption in captions_of(graph, "accumulate", "use_counts"))


def test_arrays_are_told_whole_if_they_are_small_and_by_kind_and_norm_if_not():
    small = captions_of(ad.trace(lambda x: np.sum(np.sin(x)), np.zeros(2)), "product")
    local = "the local Jacobian, a 2×2 matrix known by its diagonal"
    assert small[-1] == f"sin(x) passes [1, 1] back to x: [1, 1] times {local}."
    large = captions_of(ad.trace(lambda x: np.sum(np.sin(x)), np.zeros(100)), "product")
    assert "sin(x) passes a vector of length 100 with norm 10 back to x" in large[-1]


@pytest.mark.parametrize("words", ["kronecker", "rank-one", "operator", "reduction", "(diagonal"])
def test_a_local_jacobian_is_described_in_words(words):
    graph = ad.trace(lambda w, x: np.sum(np.tanh(w @ x) / np.linalg.norm(w @ x)), np.eye(3), np.arange(1.0, 4.0))
    assert not any(words in caption for caption in captions_of(graph, "product"))
    assert any("known as a Kronecker product" in caption for caption in captions_of(graph, "product"))


def test_small_matrices_stand_in_the_formula():
    graph = ad.trace(lambda x: np.sum(np.array([[1.0, 2.0], [3.0, 4.0]]) @ x), np.ones(2))
    found = [step["formula"] for step in steps(graph, panels="graph") if step["kind"] == "product" and step["formula"]]
    side = "([1, 2; 3, 4] @ x)̄ · ∂([1, 2; 3, 4] @ x)/∂x"
    assert formulas.text(found[-1]) == f"x̄ += {side} = [1, 1] · [1, 2; 3, 4] = [4, 6]"


def test_seeds_in_rows_stand_as_a_matrix_in_the_formula_and_arrays_as_a_row():
    graph = ad.trace(lambda x: x[0] + x[1], np.array([[1.0, 2.0], [3.0, 4.0]]))
    for seed, text in ((np.eye(2), "[1, 0; 0, 1] · [1, 0; 0, 1]"), (np.ones(2), "[1, 1] · [1, 0; 0, 1]")):
        given = steps(graph, seeds={graph.outputs[0]: seed}, panels=["formula", "table"])
        first = next(step for step in given if step["kind"] == "product" and step["formula"])
        assert text in formulas.text(first["formula"])


def test_forward_products_have_the_jacobian_first():
    document, _ = sweep_scene.forward_scene(ad.trace(product, 3.0, 0.5), jacobian="blocks")
    texts = [formulas.text(step["formula"]) for step in document["steps"] if step["kind"] == "product"]
    assert texts[0] == "h\u0307 += ∂h/∂x · x\u0307 = 0.5 · [1, 0] = [0.5, 0]"


def test_questions_ask_for_what_the_step_reveals(graph):
    asked = [step for step in steps(graph) if step["question"]]
    assert {step["question"]["kind"] for step in asked} == {"number", "node", "choice"}
    for step in asked:
        question = step["question"]
        assert question["hint"]
        if question["kind"] == "node":
            assert question["answer"] == step["node"]
        elif question["kind"] == "choice":
            assert question["answer"] in question["choices"]
        else:
            told = re.search(r"(?:=|passes its adjoint) (-?[\d.]*\d)", step["caption"])
            assert float(told[1]) == pytest.approx(question["answer"], abs=1e-3)


def test_hints_tell_the_local_rule():
    graph = ad.trace(lambda x: np.sin(x) / x, 2.0)
    hints = " ".join(step["question"]["hint"] for step in steps(graph) if step["question"])
    assert "The adjoint of sin(x) is 0.5, and ∂sin(x)/∂x = cos x." in hints
    assert "∂f/∂sin(x) = 1/x" in hints
    assert "∂f/∂x = −sin(x)/x²" in hints


def test_a_partial_has_brackets_around_what_is_no_single_name():
    graph = ad.trace(lambda x, y: (x * y) / (x + y), 2.0, 3.0)
    asked = " ".join(step["question"]["hint"] for step in steps(graph) if step["question"])
    assert "∂(x·y)/∂y = x" in asked
    assert "∂f/∂(x + y) = " in asked
    texts = [formulas.text(step["formula"]) for step in steps(graph) if step["formula"]]
    assert any("∂(x·y)/∂y" in text for text in texts)


def test_a_question_about_nan_has_a_text_for_an_answer():
    with pytest.warns(ad.NonFiniteWarning):
        graph = ad.trace(lambda x: np.log(x) * x, -1.0)
    answers = [step["question"]["answer"] for step in steps(graph) if step["question"]]
    assert "NaN" in answers


@pytest.mark.parametrize("engine", [*ad.sweeps.ENGINES])
@pytest.mark.parametrize("name", [*ad.sweeps.CASES])
def test_every_step_of_every_engine_on_every_example_has_one_sentence(name, engine):
    case = ad.examples[name]
    graph = ad.trace(case.program, *case.arguments)
    document, _ = sweep_scene.backward_scene(graph, engine, seeds=dict.fromkeys(graph.outputs, 1.0))
    begins = named_or_capital(graph, document)
    for step in document["steps"]:
        assert re.match(begins, step["caption"])
        assert step["caption"].endswith(".")
        assert not step["caption"].startswith(step["kind"].capitalize())
        assert "None" not in step["caption"]


@pytest.mark.parametrize("f", [lambda x: np.sin(x[0]) * x[0], lambda x: np.sum(x * 2.0), lambda x: x * x])
def test_arrays_of_one_number_are_told(f):
    graph = ad.trace(f, np.array([1.5]))
    for scene, _ in (sweep_scene.backward_scene(graph), sweep_scene.forward_scene(graph)):
        assert all(step["caption"] for step in scene["steps"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "So in this direction the derivative of the result is 0.5."),
        ({"direction": {0: 1.0, 1: 1.0}}, "So in this direction the derivative of the result is 4.5."),
        ({"panels": ["formula", "table"]}, "So in this direction the derivative of the result is 0.5."),
        ({"jacobian": "blocks"}, "So the Jacobian of the result is [0.5, 4]."),
        ({"jacobian": True}, "This was the last of 2 columns: the Jacobian is complete."),
    ],
)
def test_the_end_of_a_forward_show_names_the_result(graph, options, words):
    document, _ = sweep_scene.forward_scene(graph, **options)
    assert engine_steps(document)[-1]["caption"].endswith(words)
    assert sum(words in step["caption"] for step in document["steps"]) == 1


def test_of_many_derivatives_some_are_named_and_the_others_counted():
    graph = ad.trace(lambda *x: sum(x), *np.ones(7))
    document, _ = sweep_scene.backward_scene(graph)
    assert engine_steps(document)[-1]["caption"].endswith("1 with respect to x[3] and 3 more.")


def test_jacobian_blocks_are_called_so(graph):
    document, _ = sweep_scene.forward_scene(graph, jacobian="blocks")
    told = [step["caption"] for step in document["steps"]]
    assert told[0].endswith("the Jacobian block of x is [1, 0] and that of y is [0, 1].")
    assert any("its value and Jacobian block are freed" in caption for caption in told)
    assert not any("tangent" in caption for caption in told)


def test_bytes_are_told_only_where_some_are_freed():
    graph = ad.trace(lambda x: np.sum(np.reshape(x, (2, 2))), np.ones(4))
    for engine in ad.sweeps.ENGINES:
        for caption in captions_of(graph, "free", engine):
            assert "(0 bytes)" not in caption
    assert any("is freed;" in caption for engine in ad.sweeps.ENGINES for caption in captions_of(graph, "free", engine))


def test_shapes_never_look_like_values():
    graph = ad.trace(lambda w, x: np.sum(np.tanh(w @ x)), np.ones((6, 20)), np.ones(20))
    document, _ = sweep_scene.backward_scene(graph)
    texts = [step["caption"] for step in document["steps"]]
    texts += [formulas.text(step["formula"]) for step in document["steps"] if step["formula"]]
    (flow,) = (panel for panel in document["panels"] if panel["kind"] == "flow")
    texts += [item[part] for item in flow["nodes"] for part in ("name", "value", "title")]
    texts += [row["detail"] for panel in document["panels"] if panel["kind"] == "tape" for row in panel["rows"]]
    assert not any(re.search(r"\[\d+(×\d+)*\]", text) for text in texts)
    assert {"x, vector of length 20", "w @ x, vector of length 6", "w, 6×20 matrix"} <= {*texts}


@pytest.mark.slow
def test_no_formula_is_longer_than_a_known_number_of_characters():
    def program(w, x):
        return np.sum(np.stack([np.tanh(w @ x) * k for k in range(12)]))

    graph = ad.trace(program, np.random.default_rng(0).normal(size=(20, 30)), np.linspace(-1e-8, 1e9, 30))
    shows = [
        sweep_scene.backward_scene(graph),
        sweep_scene.forward_scene(graph, jacobian="blocks"),
        sweep_scene.evaluation_scene(graph),
    ]
    written = [step["formula"] for document, _ in shows for step in document["steps"] if step["formula"]]
    assert max(len(side) for tree in written for side in formulas.text(tree).split(" = ")) <= formulas.LONGEST_SIDE
    assert any("…" in formulas.text(tree) for tree in written)


def test_the_numbers_of_a_large_jacobian_that_is_not_written_out_are_not_made_up():
    graph = ad.trace(lambda w, x: np.sum(w @ x), np.ones((30, 30)), np.ones(30))
    texts = [formulas.text(step["formula"]) for step in steps(graph, panels="graph") if step["formula"]]
    assert any("(30×900 matrix)" in text for text in texts)


def test_of_a_repeated_operand_it_is_asked_along_which_edge():
    document, _ = sweep_scene.backward_scene(ad.trace(lambda x: x * x, 3.0))
    prompts = [step["question"]["prompt"] for step in document["steps"] if step["kind"] == "product"]
    assert prompts[-2:] == [f"What does f pass back to x, along the edge of operand {k}?" for k in (1, 2)]


def moved(x):
    out = np.zeros(3)
    out[0] = x[1] * 2.0
    out[[0, 2]] = out[[2, 0]]
    out[...] = out * x
    return np.sum(out)


def test_a_write_is_told_by_what_is_kept_and_where_the_value_goes():
    told = " ".join(captions_of(ad.trace(moved, np.array([0.3, 0.5, 0.7])), "product"))
    assert "a 3×3 matrix which is the identity, but 0 at [[0, 2]]." in told
    assert "a 3×2 matrix which places the value at [[0, 2]]." in told
    assert "a 3×1 matrix which places the value at [0]." in told
    assert "a 3×3 matrix which is zero: all is overwritten." in told


def test_a_write_reads_as_a_version_with_a_value_at_a_key():
    graph = ad.trace(moved, np.array([0.3, 0.5, 0.7]))
    evaluations = sweep_scene.forward_scene(graph)[0]["steps"]
    texts = [step["caption"] for step in evaluations]
    assert "out⁽¹⁾ = [0, 0, 0] with 1 at [0] = [1, 0, 0]." in texts
    assert "out⁽¹⁾[[2, 0]] = [1, 0, 0][[2, 0]] = [0, 1]." in texts
