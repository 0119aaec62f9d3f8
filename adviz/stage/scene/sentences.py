"""Which parts of a sentence are mathematics, and which number is its result; and questions, whose prompts have both.

A sentence is put together from words and formulas. Whoever writes a formula into it says so, and what is said is kept
beside the finished sentence: letters alone do not tell the variable a from the article.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .document import Question, TextMark

BEGINS, ENDS = "\ue000", "\ue001"
"""Around a formula; ``text_widths.printable`` replaces such characters in names and values of the user's."""
SIGNS = {"\ue002": -1, "\ue003": 0, "\ue004": 1}
"""Before a result: its sign."""
FORMULA = re.compile(r"(∂*)\ue000([^\ue001]*)\ue001([ᵀ′⁻⁰¹²³⁴-⁹]*)")
LETTER = re.compile(r"[^\W\d_]")
NOTES = re.compile(f"[{BEGINS}{ENDS}{''.join(SIGNS)}]")


def mathematics(text: str) -> str:
    """Return a formula for a sentence."""
    return f"{BEGINS}{plain(text)}{ENDS}"


def result(text: str, value: Any) -> str:
    """Return a number for a sentence: what the sentence comes to."""
    return f"{BEGINS}{[*SIGNS][int(np.sign(value)) + 1]}{text}{ENDS}" if np.isfinite(value) else text


def ending_in_result(text: str, value: Any) -> str:
    """Return an equation for a sentence with its last word as the result.

    >>> plain(ending_in_result("2 + 0.5 = 2.5", 2.5)), marked(ending_in_result("2 + 0.5 = 2.5", 2.5))
    ('2 + 0.5 = 2.5', ('2 + 0.5 = 2.5', [[10, 13, 1]]))
    """
    before, space, last = text.rpartition(" ")
    return f"{before}{space}{result(last, value)}"


def plain(sentence: str) -> str:
    """Return a sentence as it is read."""
    return NOTES.sub("", sentence)


def marked(sentence: str) -> tuple[str, list[TextMark]]:
    """Return a sentence as it is read, and from where to where it is mathematics.

    >>> marked(f"So {mathematics('x')} receives {mathematics('∂f/∂x')} = {result('−2', -2)}.")
    ('So x receives ∂f/∂x = −2.', [[3, 4, None], [14, 19, None], [22, 24, -1]])
    """
    return plain(sentence), list(_marks(sentence))


def in_lines(text: str, marks: Iterable[TextMark], lines: Iterable[str]) -> Iterator[tuple[tuple[int, int, Any], ...]]:
    """Yield for each line of a text which parts of it are mathematics, counted in characters.

    The last line may be cut.

    >>> [*in_lines("So x is x·y = −2.", [[3, 4, None], [8, 11, None], [14, 16, -1]], ["So x is x·y", "= −…"])]
    [((3, 4, None), (8, 11, None)), ((2, 3, -1),)]
    """
    units = text.encode("utf-16-le")
    places = [(*(len(units[: 2 * at].decode("utf-16-le")) for at in (start, end)), sign) for start, end, sign in marks]
    at = 0
    for line in lines:
        shown = line.removesuffix("…")
        first = max(text.find(shown, at), at)
        at = first + len(shown)
        cut = [(max(start, first) - first, min(end, at) - first, sign) for start, end, sign in places]
        yield tuple((start, end, sign) for start, end, sign in cut if start < end)


def _marks(sentence: str) -> Iterator[TextMark]:
    left_out = 0  # of the signs around formulas before, which are no part of the sentence as it is read
    for match in FORMULA.finditer(sentence):
        text = plain(match[0])
        start = _units(sentence, match.start()) - left_out
        left_out += len(match[0]) - len(text)
        sign = SIGNS.get(match[2][:1])
        if sign is not None or LETTER.search(text):
            yield [start, _units(sentence, match.end()) - left_out, sign]


def _units(text: str, end: int) -> int:
    """Return how many units of UTF-16 the beginning of a text has: that is what a page counts."""
    return len(text[:end].encode("utf-16-le")) // 2


# ---- questions ----


TOLERANCE = 0.006  # of an answer, relative to the right one
MOST_CHOICES = 5

WrongNumber = tuple[float, str]
"""A wrong answer, with what was probably mistaken."""


def number_question(
    prompt: str,
    answer: Any,
    wrong: Iterable[WrongNumber],
    hint: str,
    edge: tuple[int, int] | None = None,
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


def choice_question(
    prompt: str,
    right: str,
    wrong: Iterable[tuple[str, str]],
    hint: str,
    edge: tuple[int, int] | None = None,
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


def _about(question: Question, edge: tuple[int, int] | None, nodes: list[int] | None) -> Question:
    question["prompt"], marks = marked(question["prompt"])
    if marks:
        question["marks"] = marks
    if edge is not None:
        question["edge"] = f"{edge[0]}/{edge[1]}"
    question["nodes"] = nodes or []
    return question
