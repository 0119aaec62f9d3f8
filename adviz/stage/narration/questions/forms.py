"""The two forms of a question, with the mistakes that are told apart: for a number, and for one of several choices.

Formulas are told apart from words in prompts, not in the answers, hints and diagnoses.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...scene.document import Question
from ...scene.sentences import marked
from ..flows import EdgeKey, key
from .wrong_answers import Wrong

TOLERANCE = 0.006  # of an answer, relative to the right one
MOST_CHOICES = 5


def number(
    prompt: str,
    answer: Any,
    wrong: Iterable[Wrong],
    hint: str,
    edge: EdgeKey | None = None,
    nodes: list[int] | None = None,
    tolerance: float = TOLERANCE,
) -> Question:
    """Return a question for a number; ``wrong`` are answers that people give, each with what they mistake."""
    question: Question = {
        "kind": "number",
        "prompt": prompt,
        "answer": float(answer),
        "tolerance": tolerance,
        "hint": hint,
        "diagnoses": [[each, why] for each, why in wrong],
    }
    return _about(question, edge, nodes)


def choice(
    prompt: str,
    right: str,
    wrong: Iterable[tuple[str, str]],
    hint: str,
    edge: EdgeKey | None = None,
    nodes: list[int] | None = None,
    most: int = MOST_CHOICES,
) -> Question:
    """Return a question with its choices in an order that does not depend on which one is right."""
    diagnoses: dict[str, str] = {}
    for text, why in wrong:
        if text != right and len(diagnoses) < most - 1:
            diagnoses.setdefault(text, why)
    question: Question = {
        "kind": "choice",
        "prompt": prompt,
        "answer": right,
        "choices": sorted([right, *diagnoses], key=lambda text: (len(text), text)),
        "hint": hint,
        "diagnoses": [[text, why] for text, why in diagnoses.items()],
    }
    return _about(question, edge, nodes)


def _about(question: Question, edge: EdgeKey | None, nodes: list[int] | None) -> Question:
    question["prompt"], marks = marked(question["prompt"])
    if marks:
        question["marks"] = marks
    if edge is not None:
        question["edge"] = key(edge)
    question["nodes"] = nodes or []
    return question
