"""The Player: watch a derivative being computed, in a notebook or in a saved page.

:func:`show_forward`, :func:`show_backward` and :func:`show_tape_vs_graph` trace a function and play a sweep over its
graph; :func:`play` plays a Scene, a timeline, or the evaluation of a graph.
"""

from __future__ import annotations

import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import traitlets

from ..algorithms.sweeps.cases import Case
from ..engine.errors import NonFiniteWarning
from ..engine.structure import leaves, matched, rebuild
from ..engine.trace import trace
from ..graph.graph import Graph
from ..graph.timeline import Timeline
from ..stage import html, layout, scene, show
from .view import FRONT_END, View, write

BREAKPOINT = re.compile(r"node:\d+|line:\d+|block:.+")
PATIENCE = 1.0
"""Seconds after which one is told how far a show is."""


class Program:
    """A function with its arguments: what can be traced again with other numbers."""

    def __init__(self, f: Callable[..., Any] | Case, args: tuple[Any, ...], grain: str, settings: dict[str, Any]):
        case = f if isinstance(f, Case) else Case(f, args, "")
        self.f, self.args, self.grain, self.settings = case.program, args or case.arguments, grain, settings

    def graph(self, numbers: Mapping[int, float] | None = None) -> Graph:
        """The graph; ``numbers`` take the place of arguments, by the place of their nodes among the inputs."""
        return trace(self.f, *self._arguments(numbers or {}), grain=self.grain, **self.settings)

    def _arguments(self, numbers: Mapping[int, float]) -> Iterator[Any]:
        places = count()
        for argument in self.args:
            yield rebuild(argument, (self._leaf(leaf, numbers, places) for _, leaf in leaves(argument, "")))

    def _leaf(self, leaf: Any, numbers: Mapping[int, float], places: Iterator[int]) -> Any:
        """A leaf with its new numbers. Booleans have no node; in the scalar grain an array has one for each entry."""
        if not _is_traced(leaf):
            return leaf
        if self.grain == "array" or not np.ndim(leaf):
            return numbers.get(next(places), leaf)
        entries = np.array(leaf, float)
        for place in np.ndindex(entries.shape):
            entries[place] = numbers.get(next(places), entries[place])
        return entries

    def direction(self, graph: Graph, tangents: Any) -> dict[int, Any]:
        """Tangents of the structure of the arguments, by input node."""
        if len(self.args) == 1 and not (isinstance(tangents, tuple) and len(tangents) == 1):
            tangents = (tangents,)
        found: list[Any] = []
        for (_, tangent), (_, leaf) in zip(
            matched(tuple(tangents), self.args, "direction"), leaves(self.args, ""), strict=True
        ):
            if _is_traced(leaf):
                whole = self.grain == "array" or not np.ndim(leaf)
                found += [np.asarray(tangent, float)] if whole else list(np.ravel(np.asarray(tangent, float)))
        return dict(zip(graph.inputs, found, strict=True))


def _is_traced(leaf: Any) -> bool:
    return np.asarray(leaf).dtype.kind != "b"


# ---- the shows ----


def show_forward(
    f: Callable[..., Any] | Case,
    /,
    *args: Any,
    direction: Any = None,
    jacobian: bool | str = False,
    panels: Sequence[str] | None = None,
    teach: bool = False,
    grain: str = "array",
    **settings: Any,
) -> Player:
    """Watch values and their tangents flow forward through ``f(*args, **settings)``.

    ``direction`` holds a tangent for every argument (for a single argument, its tangent); without one the first
    argument moves alone. ``jacobian=True`` takes one direction after the other, and the matrix fills column by column;
    with ``jacobian="blocks"`` whole Jacobian blocks flow. ``panels`` chooses among ``adviz.stage.show.PANELS``;
    ``teach=True`` asks before it shows. Raises what :func:`adviz.trace` raises, and ``InputError`` for a direction of
    another structure than the arguments.

    >>> player = show_forward(lambda x, y: x * y, 3.0, 4.0, direction=(1.0, 0.0))
    >>> player.scene["steps"][-1]["caption"]
    'v2 was used for the last time: its value and tangent are freed (16 bytes); 48 bytes are alive.'
    """

    def build(program: Program, graph: Graph, **options: Any) -> show.Show:
        tangents = None if direction is None else program.direction(graph, direction)
        return show.forward_scene(graph, tangents, jacobian=jacobian, panels=panels, teach=teach, **options)

    return _played(Program(f, args, grain, settings), build)


def show_backward(
    f: Callable[..., Any] | Case,
    /,
    *args: Any,
    engine: str = "toposort",
    seeds: Mapping[int, Any] | None = None,
    panels: Sequence[str] | None = None,
    teach: bool = False,
    in_place: bool = False,
    grain: str = "array",
    **settings: Any,
) -> Player:
    """Watch cotangents flow back through ``f(*args, **settings)``, by one of the engines of ``adviz.sweeps.ENGINES``.

    ``seeds`` are cotangents by the place of the result, ``{0: 1.0}`` for the first; without them every result has 1.
    ``in_place=True`` shows what went wrong when ``use_counts`` added in place. The rest is as for
    :func:`show_forward`.

    >>> player = show_backward(lambda x, y: x * y, 3.0, 4.0, engine="tape")
    >>> player.scene["steps"][-1]["caption"]
    'v0 (x) is an input, where the sweep ends: the derivative by it is 4.'
    """

    def build(program: Program, graph: Graph, **options: Any) -> show.Show:
        given = _by_output(graph, seeds)
        options |= {"seeds": given, "in_place": in_place, "panels": panels, "teach": teach}
        return show.backward_scene(graph, engine, **options)

    return _played(Program(f, args, grain, settings), build)


def show_tape_vs_graph(
    f: Callable[..., Any] | Case,
    /,
    *args: Any,
    engines: Sequence[str] = ("tape", "toposort"),
    align: str = "step",
    seeds: Mapping[int, Any] | None = None,
    panels: Sequence[str] | None = None,
    teach: bool = False,
    grain: str = "array",
    **settings: Any,
) -> Player:
    """Watch one to four ways to run backward side by side on ``f(*args, **settings)``, with one clock.

    ``align="step"`` has all of them take their turns together; with ``"event"`` a move takes the time of its
    operations, and the next event anywhere comes next. ``adviz.examples`` has programs on which they differ.

    >>> import adviz
    >>> player = show_tape_vs_graph(adviz.examples["dead branch"])
    >>> [run["label"] for run in player.scene["runs"]]
    ['tape', 'node graph, sorted']
    """

    def build(program: Program, graph: Graph, **options: Any) -> show.Show:
        options |= {"seeds": _by_output(graph, seeds), "align": align, "panels": panels, "teach": teach}
        return show.engines_scene(graph, engines, **options)

    return _played(Program(f, args, grain, settings), build)


def play(
    source: Graph | Timeline | dict[str, Any] | tuple[dict[str, Any], bytes],
    *,
    graph: Graph | None = None,
    panels: Sequence[str] | None = None,
    teach: bool = False,
) -> Player:
    """Play what is there already: a Scene (alone, or with the buffer of its columns), a timeline, or a graph.

    Of a graph the evaluation is played. A timeline changes keys of the sweeps, and needs the ``graph`` they are about.
    ``panels`` chooses among the panels. Raises ``TypeError`` for anything else, and ``SceneError`` for a document that
    is not the Scene of a show.

    >>> import adviz
    >>> play(adviz.trace(lambda x: x * x, 3.0)).scene["steps"][1]["caption"]
    'v1 = v0 × v0 = 3 × 3 = 9.'
    """
    if isinstance(source, Graph):
        return Player(show.evaluation_scene(source, panels=panels, teach=teach), source)
    if isinstance(source, Timeline):
        if graph is None:
            raise TypeError("A timeline alone does not know its program: write ad.play(timeline, graph=graph).")
        return Player(show.timeline_scene(graph, source, panels=panels, teach=teach), graph)
    document, columns = source if isinstance(source, tuple) else (source, b"")
    scene.check(document)
    if not document.get("runs"):
        raise scene.SceneError("scene.runs: expected at least one run to play")
    if panels is not None:
        document = document | {"panels": [panel for name in panels for panel in _chosen(document, name)]}
    return Player((document | {"teach": teach or document.get("teach", False)}, columns), graph)


def _chosen(document: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = [panel for panel in document["panels"] if name in (panel["id"], panel["kind"])]
    if not found:
        kinds = dict.fromkeys(panel["kind"] for panel in document["panels"])
        raise ValueError(f"this show has no panel {name!r}; it has {', '.join(kinds)}")
    return found


def _by_output(graph: Graph, seeds: Mapping[int, Any] | None) -> dict[int, Any] | None:
    """Seeds by output node, from seeds by the place among the results."""
    if seeds is None:
        return None
    for place in seeds:
        if not 0 <= place < len(graph.outputs):
            raise ValueError(f"seeds name result {place!r}; there are results 0 to {len(graph.outputs) - 1}")
    return {graph.outputs[place]: seed for place, seed in seeds.items()}


Build = Callable[..., show.Show]
Again = Callable[[Mapping[int, float], dict[str, Any]], tuple[Graph, show.Show]]


def _played(program: Program, build: Build) -> Player:
    """The Player of a program, and how it is played again with other numbers."""
    layout.warm()  # Graphviz starts while the function runs
    graph = program.graph()
    return Player(build(program, graph, progress=Told("turns played")), graph, partial(_again, program, build))


def _again(
    program: Program, build: Build, numbers: Mapping[int, float], like: dict[str, Any]
) -> tuple[Graph, show.Show]:
    """A program traced with other numbers, and its show in the places of an earlier one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NonFiniteWarning)  # a slider passes by such places, and the panels show them
        graph = program.graph(numbers)
    return graph, build(program, graph, like=like)


class Told:
    """Tells on the screen how far something is, if it takes its time."""

    def __init__(self, done: str) -> None:
        self.words, self.start = done, time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() - self.start > PATIENCE:
            end = "\n" if done == total else ""
            print(f"\r{done:,} of {total:,} {self.words}", end=end, file=sys.stderr, flush=True)


# ---- the widget ----


class Player(View):
    """A widget that plays a show: ``cursor`` is the number of steps taken, and all that follows is live both ways.

    ``playing``, ``speed`` (steps per second), ``selection`` (nodes), ``breakpoints`` (``"node:3"``,
    ``"block:multiply"``, ``"line:12"``), ``answers`` (those of the teaching mode) and ``inputs``: numbers by name,
    which can be changed where the Player knows the program. The show is then played with the new numbers in the same
    places.

    >>> player = show_backward(lambda x: x * x, 3.0)
    >>> player.cursor = 2
    >>> player.scene["steps"][player.cursor - 1]["caption"]
    'One more use of v2 is found: 1 use so far.'
    """

    cursor = traitlets.Int(0).tag(sync=True)
    playing = traitlets.Bool(False).tag(sync=True)
    speed = traitlets.Float(1.0).tag(sync=True)
    breakpoints = traitlets.List(traitlets.Unicode()).tag(sync=True)
    answers = traitlets.List(traitlets.Dict()).tag(sync=True)
    inputs = traitlets.Dict().tag(sync=True)

    def __init__(self, shown: show.Show, graph: Graph | None = None, again: Again | None = None):
        if again is None:  # sliders would move nothing
            shown = ({**shown[0], "inputs": []}, shown[1])
        self._again = again
        self._next: tuple[Graph, show.Show] | None = None
        self._ready = False
        super().__init__(shown, graph, inputs=_numbers(shown[0]))
        self._ready = True

    @property
    def score(self) -> tuple[int, int]:
        """How many questions were answered right, and how many were asked."""
        return sum(bool(answer.get("right")) for answer in self.answers), len(self.answers)

    @traitlets.validate("cursor")
    def _check_cursor(self, proposal: Any) -> int:
        last = len(self.scene["steps"])
        if not 0 <= proposal["value"] <= last:
            raise traitlets.TraitError(f"cursor is {proposal['value']}; this show has cursors 0 to {last}")
        return proposal["value"]

    @traitlets.validate("speed")
    def _check_speed(self, proposal: Any) -> float:
        if not (np.isfinite(proposal["value"]) and proposal["value"] > 0):
            raise traitlets.TraitError(f"speed is {proposal['value']}; it must be above 0")
        return proposal["value"]

    @traitlets.validate("breakpoints")
    def _check_breakpoints(self, proposal: Any) -> list[str]:
        for name in proposal["value"]:
            if not BREAKPOINT.fullmatch(name):
                raise traitlets.TraitError(f"breakpoint {name!r} is not like 'node:3', 'block:multiply' or 'line:12'")
        return list(dict.fromkeys(proposal["value"]))

    @traitlets.validate("inputs")
    def _check_inputs(self, proposal: Any) -> dict[str, float]:
        """Play the show with the new numbers before anything is changed, so that a failure leaves all as it was."""
        present = _numbers(self.scene)
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
        places = {entry["node"]: numbers[entry["name"]] for entry in self.scene["inputs"]}
        order = {node: place for place, node in enumerate(self.graph.inputs)}
        try:
            self._next = self._again({order[node]: number for node, number in places.items()}, self.scene)
        except Exception as error:
            self.send_state("inputs")  # so that sliders go back to where they were
            raise traitlets.TraitError(f"with {numbers} the program fails: {type(error).__name__}: {error}") from error
        return numbers

    @traitlets.observe("inputs")
    def _replace(self, _: Any) -> None:
        if self._next is None:
            return
        (self.graph, (document, columns)), self._next = self._next, None
        with self.hold_sync():
            self.cursor = min(self.cursor, len(document["steps"]))
            self.scene, self.columns = document, columns
            self.selection = [node for node in self.selection if node < len(self.graph)]

    def _still(self) -> dict[str, Any]:
        from ..stage import frames, png

        return {
            "text/html": html.notebook_html(self.scene, self.fallback),
            "image/png": png.image(frames.strip(self.scene), scale=1),
            "text/plain": show.transcript(self.scene),
        }

    def save(
        self,
        path: str | Path,
        *,
        theme: str = "light",
        cursors: Sequence[int] | None = None,
        speed: float | None = None,
    ) -> Path:
        """Save as a file; its suffix tells as what.

        ``.html`` is a page in which everything works but live inputs; ``.gif`` and ``.mp4`` (with ffmpeg) are films of
        ``speed`` steps per second; ``.pdf`` is a handout; ``.svg`` and ``.png`` are pictures of the moment at the
        cursor. ``cursors`` chooses other moments; of several there is a picture each, ``show-007.svg`` and so on, and
        the first is returned. Raises ``ValueError`` for another suffix, and ``IndexError`` for a moment that the show
        does not have.
        """
        from ..stage import gif, pdf, video

        path = Path(path)
        if path.suffix in (".svg", ".png"):
            return self._pictures(path, [self.cursor] if cursors is None else cursors, theme)
        speed = self.speed if speed is None else speed
        writers: dict[str, Callable[[], str | bytes]] = {
            ".html": lambda: html.page(self.scene, self.columns, {}, self._details([]), FRONT_END),
            ".gif": lambda: gif.gif(self.scene, cursors, speed=speed, theme=theme, progress=Told("pictures drawn")),
            ".mp4": lambda: video.mp4(self.scene, cursors, speed=speed, theme=theme, progress=Told("pictures drawn")),
            ".pdf": lambda: pdf.handout(self.scene, cursors, theme=theme),
        }
        return write(path, writers, ".svg", ".png")

    def _pictures(self, path: Path, cursors: Sequence[int], theme: str) -> Path:
        """A picture of each of some moments, the first under the name of the path where it is the only one."""
        from ..stage import frames, png, svg

        film, digits = frames.Film(self.scene), len(str(len(self.scene["steps"])))
        paths = (
            [path.with_stem(f"{path.stem}-{cursor:0{digits}}") for cursor in cursors] if len(cursors) > 1 else [path]
        )
        for each, cursor in zip(paths, cursors, strict=True):
            drawn = film.picture(cursor)
            each.write_bytes(
                svg.markup(drawn, theme).encode() if path.suffix == ".svg" else png.image(drawn, theme=theme)
            )
        return paths[0]


def _numbers(document: dict[str, Any]) -> dict[str, float]:
    """The inputs of a show that can be changed, by name."""
    return {entry["name"]: entry["value"] for entry in document["inputs"]}
