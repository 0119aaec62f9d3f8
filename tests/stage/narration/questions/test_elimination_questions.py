"""Questions about eliminations: true answers, and a sentence for each usual mistake."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz
from adviz.stage.narration.questions.elimination_questions import NOTHING, WHY_FACES
from adviz.stage.shows.elimination_scene import elimination_scene


def steps_of(graph, order="forward", technique="vertex"):
    document, _ = elimination_scene(graph, order, technique=technique, teach=True)
    return document["steps"]


def asked(graph, words, order="forward", technique="vertex"):
    """The first question of a show with these words in its prompt."""
    questions = (step["question"] for step in steps_of(graph, order, technique))
    return next(question for question in questions if question and words in question["prompt"])


def told(question, wrong):
    """What is said of a wrong answer."""
    return dict(map(tuple, question["diagnoses"]))[wrong]


def star(into=2, out=3, sizes=None, more=()):
    """A vertex "j" with so many edges into it and out of it."""
    edges = [(f"x{k}", "j") for k in range(into)] + [("j", f"y{k}") for k in range(out)]
    return adviz.CGraph.from_edges([*edges, *more], sizes=sizes)


@st.composite
def graphs(draw):
    count = draw(st.integers(4, 8))
    pairs = [(i, j) for j in range(1, count) for i in range(j)]
    edges = sorted({(0, 1), *draw(st.lists(st.sampled_from(pairs), min_size=count, max_size=2 * count))})
    partials = [draw(st.sampled_from([-2.0, -0.5, 0.5, 1.5, 3.0])) for _ in edges]
    return adviz.CGraph.from_edges(edges, partials=partials)


# ---- true answers ----


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(graphs(), st.sampled_from(["vertex", "edge", "face"]), st.sampled_from(["forward", "reverse"]))
def test_answers_are_what_the_elimination_does(graph, technique, order):
    steps = steps_of(graph, order, technique) if graph.intermediates else []
    starts = [k for k, step in enumerate(steps) if step["coarse"]]
    for k, step in enumerate(steps):
        question = step["question"]
        if not question:
            continue
        move = steps[k : next((start for start in starts if start > k), len(steps))]
        prompt, answer = question["prompt"], question["answer"]
        assert answer not in dict(map(tuple, question["diagnoses"]))
        if "How many multiplications" in prompt:
            assert answer == sum(each["cost"]["multiplications"] for each in move)
        elif "Which edges appear" in prompt:
            count = 0 if answer == NOTHING else answer.count(" → ")
            assert count == sum(each["kind"] == "fill_in" for each in move)
        elif "What becomes" in prompt:
            assert ("filled in" in answer) == (step["kind"] == "fill_in")
        elif "Which value" in prompt:
            assert any(np.isclose(answer, after) for _, _, after in step["edits"] if isinstance(after, float))
        elif "on no path" in prompt:
            removed = {key for each in move for key, _, after in each["edits"] if "/node/" in key and after is None}
            factors = [f"{step['run']}/{key}" for key in step["product"]["factors"]]
            gone = [factor in removed for factor in factors]
            merged = {f"{step['run']}/{each['merge']['from']}" for each in move if each["merge"]}
            if not merged & set(factors):
                assert (answer == "both") == all(gone)
                assert (answer == NOTHING) == (not any(gone))


@pytest.mark.long
@pytest.mark.parametrize("technique", ["vertex", "edge", "face"])
def test_every_wrong_choice_has_its_reason(technique):
    for name in ("lion", "bat", "Naumann 2004"):
        for step in steps_of(adviz.examples[name].graph(), "forward", technique):
            if (question := step["question"]) and question["kind"] == "choice":
                reasons = dict(map(tuple, question["diagnoses"]))
                assert set(question["choices"]) == {question["answer"], *reasons}
                assert all(reason.endswith((".", "?")) for reason in reasons.values())


# ---- what people mistake ----


def test_edges_that_are_added_where_they_are_multiplied():
    question = asked(star(2, 4), "How many multiplications")
    assert question["answer"] == 8
    assert told(question, 6) == "That counts the edges; each edge in meets each edge out, so the counts are multiplied."


def test_one_side_alone():
    question = asked(star(2, 3), "How many multiplications")
    assert told(question, 2) == "Those are the edges into j; each of them meets every edge out of it."
    assert told(question, 3) == "Those are the edges out of j; each of them meets every edge into it."


def test_fill_ins_alone():
    question = asked(star(3, 3, more=[("x0", "y0"), ("x1", "y1")]), "How many multiplications")
    assert told(question, 7) == "Those are the fill-ins; products that are absorbed multiply, too."


def test_products_of_matrices_that_are_counted_as_those_of_numbers():
    question = asked(star(2, 2, sizes={"x0": 2, "x1": 2, "y0": 3, "y1": 3}), "How many multiplications")
    assert question["answer"] == 24
    assert told(question, 4) == (
        "That counts the edges; each edge in meets each edge out, so the counts are multiplied."
    )
    question = asked(star(3, 2, sizes={"x0": 2, "y0": 3}), "How many multiplications")
    assert told(question, 6) == "That counts the products, as for numbers; 3×1 times 1×2 takes 6 multiplications."


def test_the_other_side_of_an_edge():
    question = asked(star(3, 2), "How many multiplications", [("front", f"x{k}", "j") for k in range(3)], "edge")
    assert question["answer"] == 2
    assert told(question, 3) == "Those are the edges into j; this edge meets the edges out of its head."
    assert told(question, 1) == "The edge meets each of the edges out of its head, and each makes a product."
    question = asked(star(2, 4), "How many multiplications", [("back", "j", f"y{k}") for k in range(4)], "edge")
    assert told(question, 4) == "Those are the edges out of j; this edge meets the edges into its tail."


def test_edges_that_exist_already_and_edges_that_are_forgotten():
    graph = adviz.CGraph.from_edges([(0, 1), (0, 2), (1, 2), (2, 3), (1, 4), (2, 4)])
    question = asked(graph, "Which edges appear?", [1, 2])
    assert question["answer"] == "v0 → v3"
    assert told(question, "v0 → v3, v0 → v4") == "v0 → v4 exists already: that product is added to it."
    assert told(question, "none") == "v0 → v3 appears, too: no edge joins v0 to v3 yet."


@pytest.mark.long
def test_a_low_degree_on_one_side_only():
    edges = [(0, 1), (1, 2), (1, 3), (1, 4), (5, 6), (7, 6), (6, 8), (9, 10), (10, 11), (10, 12), (13, 10), (14, 10)]
    graph = adviz.CGraph.from_edges([*edges, (3, 15), (15, 16)])
    question = asked(graph, "lowest Markowitz degree", [3, 15, 1, 6, 10])
    assert question["answer"] == "v6"
    assert told(question, "v1") == "It has fewer edges in, but both sides count: its degree is 1 × 3 = 3."
    assert told(question, "v10") == "Its degree is 3 × 2 = 6; there is a lower one."


def test_the_first_of_the_program():
    graph = adviz.CGraph.from_edges([(0, 1), (8, 1), (1, 2), (1, 3), (3, 4), (4, 5), (5, 6)])
    question = asked(graph, "lowest Markowitz degree", [3, 4, 5, 1])
    assert question["answer"] == "v5"
    assert told(question, "v1") == "It is the first in the order of the program, but its degree is 2 × 2 = 4."


def test_an_absorption_that_is_taken_for_a_fill_in_and_the_converse():
    kinds = {}
    for name in ("lion", "bat"):
        for step in steps_of(adviz.examples[name].graph()):
            if step["question"] and "What becomes" in step["question"]["prompt"]:
                kinds[step["kind"]] = step["question"]["diagnoses"][0][1]
    assert kinds["fill_in"].endswith("so there is nothing that it could be added to.")
    assert kinds["absorb"] == "The edge v1 → v7 exists already: parallel paths add."


def test_a_value_that_is_replaced_multiplied_or_added_wrongly():
    graph = adviz.CGraph.from_edges([("x", "j"), ("j", "z"), ("j", "y"), ("x", "y")], partials=[2.0, 5.0, 3.0, 4.0])
    found = [step["question"] for step in steps_of(graph) if step["question"]]
    question = next(question for question in found if "Which value" in question["prompt"] and question["answer"] == 10)
    assert "is 4 now. Which value has" in question["prompt"]
    assert told(question, 6.0) == "That is the product alone; an absorption adds it to what is there."
    assert told(question, 24.0) == "Parallel paths add; only edges in series multiply."
    assert told(question, 5.0) == "Edges in series multiply; only parallel ones add."


def test_labels_that_other_paths_need():
    graph = adviz.CGraph.from_edges([("x", "j"), ("w", "j"), ("j", "y"), ("j", "z")])
    question = asked(graph, "on no path", technique="face")
    assert question["answer"] == NOTHING
    assert told(question, "both").startswith("c₂₀ still has the successor c")


@pytest.mark.long
def test_why_faces_need_fewer_multiplications_than_vertices():
    best = adviz.optimal_order(adviz.examples["bat"].graph(), "face")
    question = asked(adviz.examples["bat"].graph(), "Why?", best.order, "face")
    assert question["prompt"] == (
        "With this face the elimination takes 22 multiplications; no order of vertices takes fewer than 24. Why?"
    )
    assert question["answer"] == WHY_FACES
    assert len(question["diagnoses"]) == 3
