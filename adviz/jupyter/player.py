"""The Player: watch a derivative being computed, in a notebook or on a saved page."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import traitlets

from ..graph import ipython
from ..graph.graph import Graph
from ..stage.scene import document
from ..stage.scene.document import Question, keyframes
from ..stage.scene.document import Show as SceneShow
from ..stage.scene.progress import progress
from ..stage.shows import beside_flow
from ..stage.shows.beside_flow import Along
from ..stage.shows.options import Show, ShowError
from ..stage.shows.sweep_scene import transcript
from .view import SWEEPS, View, checked_moments, write, write_moments

if TYPE_CHECKING:
    from ..kernels.arrays.array_program import ArrayProgram

# ---- answers ----


COLUMNS = ("step", "question", "answer", "given", "right", "at_once", "tries", "mistakes")
FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet takes a cell that begins like this for a formula


def rows(show: SceneShow, answers: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
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


def _questions(show: SceneShow) -> Iterator[tuple[int, Question]]:
    yield from ((number, step["question"]) for number, step in enumerate(show["steps"]) if step["question"])
    yield from ((number, each["question"]) for number, each in keyframes(show, "edges") if each["question"])


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


# ---- the Player ----


Again = Callable[[Mapping[int, float], document.Show], tuple[Graph, Show]]
"""Trace the program with other numbers, by place among the inputs, and lay its show out like an earlier Scene."""


class Program(Protocol):
    """What a show is of: at some numbers a function of others, and the compiled gradient of that function."""

    def along(self, numbers: Mapping[int, Any]) -> Along: ...

    def compiled(self) -> ArrayProgram: ...


ALIKE = 0.75  # least similarity between a misspelling and the name that is suggested for it


class Player(View):
    """A widget that plays a show; ``cursor`` is the number of steps taken.

    Like ``cursor``, these traits are live both ways: ``playing``, ``speed`` (steps per second), ``selection`` (nodes),
    ``breakpoints`` (``"node:3"``, ``"block:multiply"``, ``"line:12"``), ``answers`` (of the teaching mode) and
    ``inputs`` (numbers by name). Inputs can be changed if the Player knows the program: the show is then played with
    the new numbers, and nothing in the picture moves.

    >>> import adviz
    >>> player = adviz.show_backward(lambda x: x * x, 3.0)
    >>> player.cursor = 2
    >>> player.scene["steps"][player.cursor - 1]["caption"]
    'One more use of x is found: 1 use so far.'
    """

    front_end = SWEEPS
    _esm = SWEEPS.esm
    cursor = traitlets.Int(0).tag(sync=True)
    playing = traitlets.Bool(False).tag(sync=True)
    speed = traitlets.Float(1.0).tag(sync=True)
    breakpoints = traitlets.List(traitlets.Unicode()).tag(sync=True)
    answers = traitlets.List(traitlets.Dict()).tag(sync=True)
    inputs = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        shown: Show,
        graph: Graph | None = None,
        again: Again | None = None,
        program: Program | None = None,
    ):
        if again is None:  # without the program, sliders would have no effect
            shown = ({**shown[0], "inputs": []}, shown[1])
        self._again, self._program = again, program
        self._changed: dict[int, float] = {}  # inputs by place, as they have been chosen since
        self._next: tuple[Graph, Show] | None = None
        self._ready = False
        super().__init__(shown, graph, inputs=_numbers(shown[0]))
        self._ready = True

    @property
    def _show(self) -> document.Show:
        """The Scene that is played, as typed data."""
        show: Any = self.scene
        return show

    @property
    def score(self) -> tuple[int, int]:
        """The number of questions answered right at the first try, and of questions asked."""
        at_once = (answer.get("right") and len(answer.get("tries", ())) <= 1 for answer in self.answers)
        return sum(map(bool, at_once)), len(self.answers)

    def answers_table(self) -> list[dict[str, Any]]:
        """Return a row for each question that was asked, as for ``pandas.DataFrame``.

        ``answer`` is the right one, ``given`` the last one of the reader (``None``: it was shown unanswered), ``tries``
        are all that were given, and ``mistakes`` the sentences that were said about wrong ones. ``save`` writes the
        same to a ``.csv`` file.

        >>> import adviz
        >>> player = adviz.show_backward(lambda x: x * x, 3.0, teach=True)
        >>> player.answers = [{"step": 2, "prompt": "?", "given": 4, "right": True, "tries": [3, 4]}]
        >>> [(row["question"], row["given"], row["right"], row["at_once"]) for row in player.answers_table()]
        [('?', 4, True, False)]
        """
        return rows(self._show, self.answers)

    def __setattr__(self, name: str, value: Any) -> None:
        with ipython.users_frames():
            is_new = not name.startswith("_") and not hasattr(self, name)
            if is_new and (meant := get_close_matches(name, self.trait_names(), 1, ALIKE)):
                raise AttributeError(f"a Player has no {name!r}; did you mean {meant[0]!r}?")
            super().__setattr__(name, value)

    def _expected(self) -> dict[str, str]:
        return {
            **super()._expected(),
            "cursor": f"this show has cursors 0 to {len(self.scene['steps'])}",
            "speed": "it must be a number above 0",
            "playing": "it can be True or False",
            "breakpoints": 'it is a list of texts, such as ["node:3"]',
            "answers": "it is a list of dicts",
            "inputs": f"it is a dict of numbers, such as {_numbers(self._show) or {'x': 1.0}}",
        }

    def _answers(self) -> dict[str, Callable[[Any], Any]]:
        return {
            **super()._answers(),
            "nudge": lambda asked: self._nudged(int(asked["node"]), int(asked["entry"])),
            "program": lambda _: self._backward_program(),
        }

    def _nudged(self, node: int, entry: int) -> Any:
        """Return the nudge of an entry of an input."""
        if self.graph is None or self._program is None:
            raise ShowError("This show does not know its program.")
        return beside_flow.nudged(self.graph, self._program.along(self._changed), node, entry)

    def _backward_program(self) -> list[Any]:
        """Return the lines of the program of the backward pass."""
        from ..stage.shows import backward_program  # all that compiles is needed only here

        if self.graph is None or self._program is None:
            return []
        return [*backward_program.program_lines(self._show, self.graph, self._program.compiled)]

    def _for_a_page(self) -> SceneShow:
        """Return the Scene with what a page cannot ask for."""
        from ..stage.shows import backward_program

        if self.graph is None or self._program is None:
            return self._show
        show = beside_flow.with_nudges(self._show, self.graph, self._program.along(self._changed))
        return backward_program.with_program(show, self.graph, self._program.compiled)

    @traitlets.validate("cursor")
    def _check_cursor(self, proposal: Any) -> int:
        if not 0 <= proposal["value"] <= len(self.scene["steps"]):
            raise self._refused("cursor", proposal["value"])
        return proposal["value"]

    @traitlets.validate("speed")
    def _check_speed(self, proposal: Any) -> float:
        if not (np.isfinite(proposal["value"]) and proposal["value"] > 0):
            raise self._refused("speed", proposal["value"])
        return proposal["value"]

    @traitlets.validate("breakpoints")
    def _check_breakpoints(self, proposal: Any) -> list[str]:
        nodes, lines, blocks = _stops(self._show)
        for name in proposal["value"]:
            if name not in (*nodes, *lines, *blocks):
                ranges = [" to ".join(dict.fromkeys((names[0], names[-1]))) for names in (nodes, lines) if names]
                raise traitlets.TraitError(f"breakpoint {name!r} stops nowhere; there are {', '.join(ranges + blocks)}")
        return list(dict.fromkeys(proposal["value"]))

    @traitlets.validate("inputs")
    def _check_inputs(self, proposal: Any) -> dict[str, float]:
        """Play the show with the new numbers before anything is changed, so that a failure changes nothing."""
        present = _numbers(self._show)
        if not self._ready or proposal["value"] == present:
            return proposal["value"]
        if self._again is None or self.graph is None:
            raise traitlets.TraitError("this Player does not know its program, so its inputs stay as they are")
        for name, number in proposal["value"].items():
            if name not in present:
                raise traitlets.TraitError(f"there is no input {name!r}; there are {', '.join(present) or 'none'}")
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise traitlets.TraitError(f"input {name} is {number!r}, not a number")
        numbers = present | {name: float(number) for name, number in proposal["value"].items()}
        places = {entry["node"]: numbers[entry["name"]] for entry in self._show["inputs"]}
        order = {node: place for place, node in enumerate(self.graph.inputs)}
        chosen = {order[node]: number for node, number in places.items()}
        try:
            self._next, self._changed = self._again(chosen, self._show), chosen
        except BaseException as error:
            self.send_state("inputs")  # puts the sliders back
            if not isinstance(error, Exception):  # the stop button
                raise
            raise traitlets.TraitError(f"with {numbers} the program fails: {type(error).__name__}: {error}") from error
        return numbers

    @traitlets.observe("inputs")
    def _replace(self, _: Any) -> None:
        if self._next is None:
            return
        (self.graph, (show, columns)), self._next = self._next, None
        with self.hold_sync():
            self.cursor = min(self.cursor, len(show["steps"]))
            self.scene, self.columns = {**show}, columns
            self.selection = [node for node in self.selection if node < len(self.graph)]
            stops = set().union(*_stops(show))
            self.breakpoints = [name for name in self.breakpoints if name in stops]

    def _still(self) -> dict[str, Any]:
        from ..stage.drawing import frames  # what draws is needed once a show is displayed or saved
        from ..stage.drawing.pictures import NoEngine
        from ..stage.export import html, png

        try:
            film = frames.key_film(self._show)
            drawn = {
                "text/html": html.notebook_html(self._show, self.fallback, film=film),
                "image/png": png.image(frames.strip(film), scale=1),
            }
        except NoEngine:
            drawn = {"text/html": html.static_html(self._show, self.fallback)}
        return drawn | {"text/plain": transcript(self._show)}

    def save(
        self,
        path: str | Path,
        *,
        theme: str = "light",
        cursor: int | None = None,
        cursors: Sequence[int] | None = None,
        speed: float | None = None,
    ) -> Path:
        """Save the show in the format of the suffix, and return the path.

        ``.html`` is a page in which everything works but live inputs; ``.gif`` and ``.mp4`` (with ffmpeg) are films for
        a slide, of ``speed`` steps per second, about ten seconds long by default; ``.pdf`` is a handout; ``.svg`` and
        ``.png`` are pictures of the moment shown, or of the last moment if the show has not begun; ``.csv`` is the
        table of the reader's answers.

        ``cursor`` chooses another moment, ``cursors`` several; each then has its own picture (``show-007.svg``), and
        the path of the first is returned. Raises ``ValueError`` for another suffix, ``FileNotFoundError`` for a missing
        folder, ``IndexError`` for a moment outside the show, and :class:`~adviz.ShowError` for anything that is no
        moment.
        """
        from ..stage.export import films, html, pdf

        with ipython.users_frames():
            if cursor is not None and cursors is not None:
                raise ShowError("give a cursor or cursors, not both")
            path, cursors = Path(path), checked_moments(self._show, cursors if cursor is None else [cursor])
            if path.suffix in (".svg", ".png"):
                return write_moments(path, self._show, cursors or [self.cursor or len(self.scene["steps"])], theme)
            writers: dict[str, Callable[[], str | bytes]] = {
                ".html": lambda: html.page(
                    self._for_a_page(), self.columns, {}, {}, self.front_end.text, traits=self._kept()
                ),
                ".gif": lambda: films.gif(self._show, cursors, speed=speed, theme=theme, progress=tell),
                ".mp4": lambda: films.mp4(self._show, cursors, speed=speed, theme=theme, progress=tell),
                ".csv": lambda: text(self.answers_table()),
                ".pdf": lambda: pdf.handout(self._show, cursors, theme=theme, progress=tell),
            }
            with progress("Drawing") as tell:
                return write(path, writers, ".svg", ".png")

    def _kept(self) -> dict[str, Any]:
        """Return the traits that a saved page keeps."""
        return {}


def _stops(show: document.Show) -> tuple[list[str], list[str], list[str]]:
    """Return the possible breakpoints of a show: nodes, lines, blocks."""
    nodes = next(entry["length"] for entry in show["columns"] if entry["name"] == "first")
    lines = {file["line"] + k for file in show["source"]["files"] for k in range(file["text"].count("\n") + 1)}
    blocks = {block["name"] for block in show["tables"]["blocks"]}
    return (
        [f"node:{node}" for node in range(nodes)],
        [f"line:{line}" for line in sorted(lines)],
        [f"block:{block}" for block in sorted(blocks)],
    )


def _numbers(show: document.Show) -> dict[str, float]:
    return {entry["name"]: entry["value"] for entry in show["inputs"]}
