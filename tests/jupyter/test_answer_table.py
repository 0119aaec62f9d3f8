"""The answers of a reader as a table for the lecturer."""

import csv
import io

import numpy as np
import pytest

import adviz as ad
from adviz.stage.scene.document import keyframes


@pytest.fixture
def player():
    return ad.show_backward(lambda x, y: np.sin(x) + x * y, 1.0, 2.0, teach=True)


def asked(player, part):
    """The step and the question, edge by edge, whose prompt has a part."""
    for number, keyframe in keyframes(player.scene, "edges"):
        if keyframe["question"] and part in keyframe["question"]["prompt"]:
            return number, keyframe["question"]
    raise LookupError(part)


def test_a_row_has_the_right_answer_the_tries_and_the_mistakes(player):
    number, question = asked(player, "through sin(x)")
    told = question["diagnoses"][0][1]
    given = {"step": number, "prompt": question["prompt"], "given": 0.54, "right": True, "tries": [-0.54, 0.54]}
    player.answers = [{**given, "mistakes": [told]}]
    assert player.answers_table() == [
        {
            "step": number,
            "question": "What does x receive through sin(x)?",
            "answer": pytest.approx(np.cos(1.0)),
            "given": 0.54,
            "right": True,
            "at_once": False,
            "tries": [-0.54, 0.54],
            "mistakes": [told],
        }
    ]
    assert player.score == (0, 1)


def test_questions_of_the_engine_have_their_answers_too(player):
    number, step = next((k, step) for k, step in enumerate(player.scene["steps"]) if step["question"])
    prompt = step["question"]["prompt"]
    player.answers = [{"step": number, "prompt": prompt, "given": None, "right": False, "tries": []}]
    (row,) = player.answers_table()
    assert (row["answer"], row["given"], row["at_once"]) == (step["question"]["answer"], None, False)


def test_a_question_of_other_numbers_has_no_answer_any_more(player):
    player.answers = [{"step": 3, "prompt": "What was it?", "given": 1, "right": True, "tries": [1]}]
    assert player.answers_table()[0]["answer"] is None


def test_the_table_is_saved_as_comma_separated_values(player, tmp_path):
    prompt = '=HYPERLINK(1), "quoted"'
    player.answers = [{"step": 3, "prompt": prompt, "given": -2, "right": False, "tries": [1, -2], "mistakes": ["@no"]}]
    path = player.save(tmp_path / "answers.csv")
    (row,) = csv.DictReader(io.StringIO(path.read_text()))
    assert row["question"] == f"'{prompt}"
    assert (row["given"], row["tries"], row["mistakes"]) == ("-2", "1; -2", "'@no")


def test_nothing_asked_is_a_table_of_headings(player, tmp_path):
    text = player.save(tmp_path / "answers.csv").read_text()
    assert text.split(",")[:2] == ["step", "question"]
    assert len(text.splitlines()) == 1
