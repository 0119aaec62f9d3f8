"""The answers of a reader as a table for the lecturer: what was asked, answered and mistaken."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..stage.scene.document import Question, Show

COLUMNS = ("step", "question", "answer", "given", "right", "at_once", "tries", "mistakes")
FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet takes a cell that begins like this for a formula


def rows(show: Show, answers: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for each question that was asked, in the order of the show.

    ``answer`` is the right one, ``None`` where the show now has other numbers; ``given`` the last one of the reader,
    ``None`` where it was shown unanswered; ``tries`` are all that were given, ``mistakes`` what was said about them.
    """
    known = {(step, question["prompt"]): question["answer"] for step, question in _questions(show)}
    return [_row(answer, known.get((answer.get("step", -1), answer.get("prompt", "")))) for answer in answers]


def text(table: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as comma-separated values; lists are separated by semicolons.

    >>> print(text([{"step": 3, "question": "=1", "answer": 2.0, "given": "", "tries": [1, 2]}]).replace("\\r", ""))
    step,question,answer,given,right,at_once,tries,mistakes
    3,'=1,2.0,,,,1; 2,
    <BLANKLINE>
    """
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    writer.writerows([_cell(row.get(column)) for column in COLUMNS] for row in table)
    return file.getvalue()


def _questions(show: Show) -> Iterator[tuple[int, Question]]:
    for number, step in enumerate(show["steps"]):
        rest = step.get("rests", {}).get("edges")
        for question in (step["question"], rest["question"] if rest else None):
            if question:
                yield number, question


def _row(answer: Mapping[str, Any], right: float | str | None) -> dict[str, Any]:
    tries = list(answer.get("tries", ()))
    return {
        "step": answer.get("step"),
        "question": answer.get("prompt"),
        "answer": right,
        "given": answer.get("given"),
        "right": bool(answer.get("right")),
        "at_once": bool(answer.get("right")) and len(tries) <= 1,
        "tries": tries,
        "mistakes": list(answer.get("mistakes", ())),
    }


def _cell(value: Any) -> Any:
    """Return what stands in a cell; of texts a spreadsheet computes nothing."""
    if isinstance(value, list | tuple):
        value = "; ".join(map(str, value)) if len(value) != 1 else value[0]
    if isinstance(value, str) and value.startswith(FORMULAS):
        return f"'{value}"
    return value
