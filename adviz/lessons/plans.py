"""What a lesson consists of, and its shows, played once and ready to be put on a page or on paper.

Texts are plain text: a blank line separates paragraphs, lines that begin with four spaces are a formula or a program,
`backquotes` hold code and *asterisks* a term where it is defined.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, Literal

import numpy as np

from ..jupyter.player import Player
from ..jupyter.view import FrontEnd
from ..stage.export.html import base64
from ..stage.scene.document import Show, keyframes


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


# ---- shows, played ----


@dataclass(frozen=True)
class Rehearsed:
    """What is left of a Player: the show, and the document that the front end reads, with the bundle that reads it."""

    show: Show
    document: dict[str, Any]
    front_end: FrontEnd
    #: The level of detail of what is said; a show that asks goes edge by edge, one without levels move by move.
    level: Literal["nodes", "edges", "engine"] = "nodes"

    @property
    def moment(self) -> int:
        """The moment on paper: the last one, or the first where the show asks for what comes."""
        return 0 if self.show.get("teach") else len(self.show["steps"])

    @cached_property
    def programs(self) -> list[str]:
        """The texts of the programs that are differentiated."""
        return [file["text"] for file in self.show["source"]["files"]]

    @cached_property
    def sentences(self) -> list[str]:
        """What is said at the level: at the beginning and after each press, or after each move of the engine."""
        steps = self.show["steps"]
        if self.level == "engine":
            return [step["caption"] for step in steps]
        return [self.show["opening"]["caption"], *(each["caption"] for _, each in keyframes(self.show, self.level))]

    @property
    def begin(self) -> int:
        """After how many presses of the arrow key the first of the sentences is said."""
        return 1 if self.level == "engine" else 0

    @property
    def presses(self) -> int:
        """The presses of the arrow key that lead to the end, where the show does not ask."""
        return len(self.sentences) - 1 + self.begin

    @property
    def questions(self) -> int:
        """How often the show asks."""
        if not self.show.get("teach"):
            return 0
        return sum(bool(keyframe["question"]) for _, keyframe in keyframes(self.show, "edges"))

    def press(self, words: str) -> int:
        """Return after how many presses a sentence is said, by words that no other sentence has.

        Raises ``ValueError`` where no sentence has these words, or several have.
        """
        (result,) = (k for k, sentence in enumerate(self.sentences, self.begin) if words in sentence)
        return result


def rehearsed(scene: Scene) -> Rehearsed:
    """Play the show of a scene and put its Player away."""
    player = scene.show()
    show: Any = player.scene
    level: Any = "engine" if not show.get("opening") else "edges" if show.get("teach") else scene.level
    document = {"scene": show, "columns": base64(player.columns), "views": {}, "details": {}}
    player.put_away()
    return Rehearsed(show, document, player.front_end, level)
