"""What a lesson consists of.

Texts are plain text: a blank line separates paragraphs, lines that begin with four spaces are a formula or a program,
`backquotes` hold code and *asterisks* a term where it is defined.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

import numpy as np

from ..jupyter.player import Player


@dataclass(frozen=True)
class Question:
    """A question for the class, and the answer for the lecturer."""

    asks: str
    answer: str


@dataclass(frozen=True)
class Part:
    """Some minutes of a lesson, and notes for the lecturer."""

    title: str
    minutes: int
    text: str
    notes: str


@dataclass(frozen=True)
class Scene(Part):
    """A part with a show and questions on it.

    `until` are words of the sentence after which the lecturer stops, as `notes` tell; `level` is the level of detail
    where the show has several.
    """

    show: Callable[[], Player]
    questions: tuple[Question, ...]
    until: str = ""
    level: Literal["nodes", "engine"] = "nodes"


@dataclass(frozen=True)
class WrongProgram:
    """A program with a fault to be found; `fault` explains it, and `mended` is the program without it."""

    minutes: int
    text: str
    program: str
    fault: str
    mended: str


@dataclass(frozen=True)
class Exercises:
    """Exercises with their solutions."""

    minutes: int
    text: str
    each: tuple[Question, ...]


@dataclass(frozen=True)
class Plan:
    """A lesson: what it wants, and its parts in their order."""

    title: str
    summary: str
    goals: tuple[str, ...]
    prerequisites: tuple[str, ...]
    opening: Part
    scenes: tuple[Scene, ...]
    wrong: WrongProgram
    exercises: Exercises
    closing: Part

    def clock(self) -> Iterator[tuple[str, int, int]]:
        """Yield the title of each part in their order, with the minutes in which it begins and ends."""
        now = 0
        for title, minutes in (
            (self.opening.title, self.opening.minutes),
            *((f"{k}. {scene.title}", scene.minutes) for k, scene in enumerate(self.scenes, 1)),
            (WRONG, self.wrong.minutes),
            (EXERCISES, self.exercises.minutes),
            (self.closing.title, self.closing.minutes),
        ):
            yield title, now, now + minutes
            now += minutes


WRONG = "Find the fault"
EXERCISES = "Exercises"

_numbers = count(1)


def written(source: str) -> Callable[..., Any]:
    """Return the last function of a program text, which may use `np`.

    Its source is known to Python as that of a notebook cell is, so that shows name values as the text does. Functions
    of a module of this package would not do: their lines are hidden, as those of adviz itself.
    """
    text = source.strip() + "\n"
    file = f"lessons/{next(_numbers)}/program.py"  # there is no such file
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"np": np}
    exec(compile(text, file, "exec"), names)
    return [each for each in names.values() if callable(each)][-1]
