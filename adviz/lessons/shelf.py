"""The lessons by name, and how they are saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..graph.errors import OptionError
from ..jupyter.view import write
from . import backprop, forward_or_reverse, tape_or_graph
from .lesson_page import handout, page
from .plans import Plan, Rehearsed, rehearsed

PLANS: dict[str, Plan] = {
    "backprop": backprop.PLAN,
    "forward-or-reverse": forward_or_reverse.PLAN,
    "tape-or-graph": tape_or_graph.PLAN,
}


def lesson(name: str) -> Lesson:
    """Return a lesson of 50 minutes: one of ``"backprop"``, ``"forward-or-reverse"`` and ``"tape-or-graph"``.

    Raises ``ValueError`` for another name.

    >>> lesson("backprop")
    <Lesson 'backprop': Backpropagation, number by number, 50 minutes>
    """
    if name not in PLANS:
        raise OptionError(f"there is no lesson {name!r}; there are {', '.join(PLANS)}")
    return Lesson(name, PLANS[name])


@dataclass(frozen=True)
class Lesson:
    """A lesson, to be saved as a page or as a handout.

    >>> import adviz, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     adviz.lesson("backprop").save(f"{folder}/handout.pdf").name
    'handout.pdf'
    """

    name: str
    plan: Plan

    @cached_property
    def shows(self) -> Sequence[Rehearsed]:
        """The shows of the scenes, in their order."""
        return [rehearsed(scene) for scene in self.plan.scenes]

    def save(self, path: str | Path, *, solutions: bool = True) -> Path:
        """Save the lesson in the format of the suffix, and return the path.

        ``.html`` is a page for the class, which needs no kernel and no network; unless ``solutions=False``, a second
        page in it is for the lecturer. ``.pdf`` is a handout for students, without the answers. Raises ``ValueError``
        for another suffix and ``FileNotFoundError`` for a missing folder.
        """
        writers: dict[str, Callable[[], str | bytes]] = {
            ".html": lambda: page(self.plan, self.shows, solutions=solutions),
            ".pdf": lambda: handout(self.plan, self.shows),
        }
        return write(path, writers)

    def __repr__(self) -> str:
        *_, (_, _, minutes) = self.plan.clock()
        return f"<Lesson {self.name!r}: {self.plan.title}, {minutes} minutes>"
