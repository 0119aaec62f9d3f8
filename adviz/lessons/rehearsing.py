"""The shows of a lesson, played once and ready to be put on a page or on paper."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from ..jupyter.view import FrontEnd
from ..stage.export.html import base64
from ..stage.scene.document import Show
from .plans import Scene


@dataclass(frozen=True)
class Rehearsed:
    """What is left of a Player: the show, and the document that the front end reads, with the bundle that reads it."""

    show: Show
    document: dict[str, Any]
    front_end: FrontEnd
    #: The level of detail at which it is told; a show that asks is told edge by edge, one without levels move by move.
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
        told = (step.get("rests", {}).get(self.level) for step in steps)
        return [self.show["opening"]["caption"], *(rest["caption"] for rest in told if rest)]

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
        told = (step.get("rests", {}).get("edges") for step in self.show["steps"])
        return sum(bool(rest and rest.get("question")) for rest in told) if self.show.get("teach") else 0

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
