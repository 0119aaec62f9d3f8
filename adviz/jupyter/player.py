"""The Player: watch a derivative being computed, in a notebook or in a saved page.

:func:`show_forward`, :func:`show_backward` and :func:`show_tape_vs_graph` trace a function and play a sweep over its
graph; :func:`play` plays a Scene, a timeline, or the evaluation of a graph.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from inspect import Parameter, signature
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import traitlets

from ..algorithms.examples.small_functions import Case
from ..algorithms.sweeps.seeds import by_output
from ..engine.blocks import Block
from ..engine.devices import as_floats, to_numpy
from ..engine.pytrees import leaves, matched, rebuild
from ..engine.trace import GRAINS, to_be_shown, trace
from ..engine.trace_errors import InputError, NonFiniteWarning
from ..graph.graph import Graph
from ..graph.timeline import Timeline
from ..stage.export import html
from ..stage.layout import placing
from ..stage.scene import captions, schema
from ..stage.scene.progress import progress
from ..stage.shows import sweep_scene as show
from .view import FRONT_END, View, check_folder, write

Source = Callable[..., Any] | Case | Graph
ALIKE = 0.75
"""So much alike a name and a misspelling of it are, at least."""


class Program:
    """A function with its arguments: what can be traced again with other numbers. A graph is what it is."""

    def __init__(self, f: Source, args: tuple[Any, ...], grain: str, settings: dict[str, Any]):
        if isinstance(f, type) and issubclass(f, Block):
            raise show.ShowError(f"{f.__name__} is a class of Blocks: make one and show that, {f.__name__}()")
        if grain not in GRAINS:
            raise show.ShowError(f"grain is {grain!r}; it can be {' or '.join(map(repr, GRAINS))}")
        if isinstance(f, Graph) and (args or settings):
            raise show.ShowError("a graph is shown as it is: leave the arguments out")
        self.f: Callable[..., Any] | Graph = f.program if isinstance(f, Case) else f
        self.args = args or _arguments(f)
        self.seeds = f.seeds if isinstance(f, Case) else None
        self.grain, self.settings = grain, settings

    def graph(self, numbers: Mapping[int, float] | None = None) -> Graph:
        """The graph; ``numbers`` take the place of arguments, by the place of their nodes among the inputs."""
        if isinstance(self.f, Graph):
            return to_be_shown(self.f)
        return to_be_shown(trace(self.f, *self._arguments(numbers or {}), grain=self.grain, **self.settings))

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
        entries = as_floats(to_numpy(leaf))
        for place in np.ndindex(entries.shape):
            entries[place] = numbers.get(next(places), entries[place])
        return entries

    def direction(self, graph: Graph, tangents: Any) -> dict[int, Any]:
        """Tangents of the structure of the arguments, by input node."""
        like: Any = self.args
        if len(self.args) == 1 and not (isinstance(tangents, tuple) and len(tangents) == 1):
            (like,) = self.args
        elif isinstance(tangents, list) or (isinstance(tangents, np.ndarray) and tangents.ndim):
            tangents = tuple(tangents)
        found: list[Any] = []
        for (name, tangent), (_, leaf) in zip(matched(tangents, like, "direction"), leaves(like, ""), strict=True):
            if _is_traced(leaf):
                array = _real(name, tangent)
                found += [array] if self.grain == "array" or not np.ndim(leaf) else list(array.ravel())
        return dict(zip(graph.inputs, found, strict=True))


def check_settings(show_of: Callable[..., Player], f: object, settings: Iterable[str]) -> None:
    """Refuse a keyword that the function does not take, where an option of a show is meant."""
    options = {one: _keywords(one) for one in (show_of, *SHOWS)}
    for name in settings:
        if _takes(f, name):
            continue
        meant = get_close_matches(name, options[show_of], 1, ALIKE)
        others = [one.__name__ for one in SHOWS if name in options[one]]
        if meant or others:
            hint = (
                f"did you mean {meant[0]}=?"
                if meant
                else f"{captions.listed(others)} {'has' if len(others) == 1 else 'have'} it"
            )
            raise show.ShowError(f"{show_of.__name__} has no option {name!r}; {hint}")


def _keywords(f: Callable[..., Any]) -> list[str]:
    return [name for name, one in signature(f).parameters.items() if one.kind is Parameter.KEYWORD_ONLY]


def _takes(f: object, name: str) -> bool:
    """Whether a function takes a keyword, as far as one can know."""
    if not callable(f) and not isinstance(f, Case):
        return False
    try:
        parameters = signature(f.program if isinstance(f, Case) else f).parameters
    except (TypeError, ValueError):
        return True
    return name in parameters or any(one.kind is Parameter.VAR_KEYWORD for one in parameters.values())


def _arguments(f: Source) -> tuple[Any, ...]:
    """The arguments that a case or a graph brings along."""
    if isinstance(f, Case):
        return f.arguments
    return tuple(f.values[node] for node in f.inputs) if isinstance(f, Graph) else ()


def _is_traced(leaf: Any) -> bool:
    return np.asarray(to_numpy(leaf)).dtype.kind != "b"


def _real(name: str, tangent: Any) -> np.ndarray:
    try:
        return np.asarray(to_numpy(tangent)).astype(float, casting="same_kind")
    except TypeError as error:
        raise InputError(f"{name} is {tangent!r}, not made of real numbers.") from error


# ---- the shows ----


def show_forward(
    f: Source,
    /,
    *args: Any,
    direction: Any = None,
    jacobian: bool | str = False,
    panels: show.Names | None = None,
    teach: bool = False,
    grain: str = "array",
    **settings: Any,
) -> Player:
    """Watch values and their tangents flow forward through ``f(*args, **settings)``.

    ``f`` may also be a :class:`~adviz.Graph`, or one of ``adviz.examples``, which brings its own arguments.
    ``direction`` holds a tangent for every argument (for a single argument, its tangent); without one the first
    argument moves alone. ``jacobian=True`` takes one direction after the other, and the matrix fills column by column;
    with ``jacobian="blocks"`` whole Jacobian blocks flow. ``panels`` chooses among
    ``adviz.stage.shows.sweep_scene.PANELS``;
    ``teach=True`` asks before it shows. Raises what :func:`adviz.trace` raises, ``InputError`` for a direction of
    another structure than the arguments, and ``ShowError`` for an option that there is not.

    >>> player = show_forward(lambda x, y: x * y, 3.0, 4.0, direction=(1.0, 0.0))
    >>> player.scene["steps"][-1]["caption"].split(". ")[-1]
    'So in this direction the derivative of v3 is 4.'
    """

    def build(program: Program, graph: Graph, **options: Any) -> show.Show:
        tangents = None if direction is None else program.direction(graph, direction)
        return show.forward_scene(graph, tangents, jacobian=jacobian, panels=panels, teach=teach, **options)

    return _played(show_forward, (f, args, grain, settings), build)


def show_backward(
    f: Source,
    /,
    *args: Any,
    engine: str | show.Engine = "toposort",
    seeds: Mapping[int, Any] | None = None,
    panels: show.Names | None = None,
    teach: bool = False,
    in_place: bool = False,
    grain: str = "array",
    **settings: Any,
) -> Player:
    """Watch cotangents flow back through ``f(*args, **settings)``, by one of the engines of ``adviz.sweeps.ENGINES``.

    ``seeds`` are cotangents by the place of the result, ``{0: 1.0}`` for the first; a result that is one number needs
    none, and an example brings those that it is about. ``in_place=True`` shows what went wrong when ``use_counts``
    added in place. Arguments that follow an example take the place of its own. The rest is as for
    :func:`show_forward`. Raises :class:`~adviz.SeedError` for several results, or an array, without ``seeds``.

    >>> player = show_backward(lambda x, y: x * y, 3.0, 4.0, engine="tape")
    >>> player.scene["steps"][-1]["caption"].split(". ")[-1]
    'So the derivatives are 4 by v0 (x) and 3 by v1 (y).'
    """

    def build(program: Program, graph: Graph, **options: Any) -> show.Show:
        given = by_output(graph, program.seeds if seeds is None else seeds)
        options |= {"seeds": given, "in_place": in_place, "panels": panels, "teach": teach}
        return show.backward_scene(graph, engine, **options)

    return _played(show_backward, (f, args, grain, settings), build)


def show_tape_vs_graph(
    f: Source,
    /,
    *args: Any,
    engines: show.Names | Iterable[show.Engine] = ("tape", "toposort"),
    align: str = "step",
    seeds: Mapping[int, Any] | None = None,
    panels: show.Names | None = None,
    teach: bool = False,
    grain: str = "array",
    **settings: Any,
) -> Player:
    """Watch one to four ways to run backward side by side on ``f(*args, **settings)``, with one clock.

    ``align="step"`` has all of them take their turns together; with ``"event"`` a move takes the time of its
    operations, and the next event anywhere comes next. ``adviz.examples`` has programs on which they differ, with
    arguments and seeds. The rest is as for :func:`show_backward`.

    >>> import adviz
    >>> player = show_tape_vs_graph(adviz.examples["dead branch"])
    >>> [run["label"] for run in player.scene["runs"]]
    ['tape', 'sorted node graph']
    """

    def build(program: Program, graph: Graph, **options: Any) -> show.Show:
        given = by_output(graph, program.seeds if seeds is None else seeds)
        options |= {"seeds": given, "align": align, "panels": panels, "teach": teach}
        return show.engines_scene(graph, engines, **options)

    return _played(show_tape_vs_graph, (f, args, grain, settings), build)


SHOWS = (show_forward, show_backward, show_tape_vs_graph)


def play(
    source: Source | Timeline | dict[str, Any] | tuple[dict[str, Any], bytes],
    /,
    *args: Any,
    graph: Graph | None = None,
    panels: show.Names | None = None,
    teach: bool = False,
    grain: str = "array",
    **settings: Any,
) -> Player:
    """Play an evaluation, a timeline, or the Scene of a show (alone, or with the buffer of its columns).

    ``play(f, *args)`` plays the evaluation of ``f(*args, **settings)``, ``play(graph)`` that of a graph. A timeline
    changes keys of the sweeps: ``play(timeline, graph=graph)`` says which graph they are about. ``panels`` chooses
    among the panels. Raises ``ShowError`` for anything else, and ``SceneError`` for a document that is not the Scene of
    a show.

    >>> play(lambda x: x * x, 3.0).scene["steps"][1]["caption"]
    'v1 = v0 × v0 = 3 × 3 = 9.'
    """
    if isinstance(source, Timeline) or any(isinstance(argument, Timeline) for argument in args):
        return _timeline(source, args, graph, panels=panels, teach=teach)
    if isinstance(source, dict | tuple) and not isinstance(source, Case):
        return _scene(source, args, graph, panels, teach)
    if not isinstance(source, Case | Graph) and not callable(source):
        raise show.ShowError(
            "ad.play takes a function with its arguments, a Graph, a Timeline with graph=, or the Scene of a show, "
            f"not {type(source).__name__}"
        )

    def build(_: Program, traced: Graph, **options: Any) -> show.Show:
        return show.evaluation_scene(traced, panels=panels, teach=teach, **options)

    return _played(play, (source, args, grain, settings), build)


def _timeline(source: Any, args: tuple[Any, ...], graph: Graph | None, **options: Any) -> Player:
    if args or not isinstance(source, Timeline) or not isinstance(graph, Graph):
        raise show.ShowError("a timeline needs the graph that it is about: write ad.play(timeline, graph=graph)")
    with progress("Playing") as tell:
        return Player(show.timeline_scene(graph, source, progress=tell, **options), graph)


def _scene(source: Any, args: tuple[Any, ...], graph: Graph | None, panels: show.Names | None, teach: bool) -> Player:
    pair = source if isinstance(source, tuple) else (source, b"")
    if args or len(pair) != 2:
        raise show.ShowError("a Scene is played alone, or with its columns as ad.play((scene, columns))")
    document, columns = pair
    schema.check(document)
    if not document.get("runs"):
        raise schema.SceneError("scene.runs: expected a run to play, as a show has; a graph plays as ad.play(graph)")
    if panels is not None:
        known = {panel[word]: panel[word] for word in ("kind", "id") for panel in document["panels"]}
        names = show.chosen("panel", panels, known)
        shown = [panel for name in names for panel in document["panels"] if name in (panel["kind"], panel["id"])]
        document = document | {"panels": shown}
    return Player((document | {"teach": teach or document.get("teach", False)}, columns), graph)


Build = Callable[..., show.Show]
Again = Callable[[Mapping[int, float], dict[str, Any]], tuple[Graph, show.Show]]


def _played(show_of: Callable[..., Player], given: tuple[Any, ...], build: Build) -> Player:
    """The Player of a program, and how it is played again with other numbers."""
    check_settings(show_of, given[0], given[-1])
    program = Program(*given)
    placing.warm()  # Graphviz starts while the function runs
    with progress("Playing") as tell:
        graph = program.graph()
        shown = build(program, graph, progress=tell)
    return Player(shown, graph, None if isinstance(program.f, Graph) else partial(_again, program, build))


def _again(
    program: Program, build: Build, numbers: Mapping[int, float], like: dict[str, Any]
) -> tuple[Graph, show.Show]:
    """A program traced with other numbers, and its show in the places of an earlier one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NonFiniteWarning)  # a slider passes by such places, and the panels show them
        graph = program.graph(numbers)
    return graph, build(program, graph, like=like)


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
        """How many questions were answered right at once, and how many were asked."""
        at_once = (answer.get("right") and len(answer.get("tries", ())) <= 1 for answer in self.answers)
        return sum(map(bool, at_once)), len(self.answers)

    def __setattr__(self, name: str, value: Any) -> None:
        if not hasattr(self, name) and (meant := get_close_matches(name, self.trait_names(), 1, ALIKE)):
            raise AttributeError(f"a Player has no {name!r}; did you mean {meant[0]!r}?")
        super().__setattr__(name, value)

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
        nodes, lines, blocks = _stops(self.scene)
        for name in proposal["value"]:
            if name not in (*nodes, *lines, *blocks):
                ranges = [" to ".join(dict.fromkeys((names[0], names[-1]))) for names in (nodes, lines) if names]
                raise traitlets.TraitError(f"breakpoint {name!r} stops nowhere; there are {', '.join(ranges + blocks)}")
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
        except BaseException as error:
            self.send_state("inputs")  # so that sliders go back to where they were
            if not isinstance(error, Exception):  # the stop button
                raise
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
            stops = set().union(*_stops(document))
            self.breakpoints = [name for name in self.breakpoints if name in stops]

    def _still(self) -> dict[str, Any]:
        from ..stage.drawing import frames
        from ..stage.export import png

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
        cursor: int | None = None,
        cursors: Sequence[int] | None = None,
        speed: float | None = None,
    ) -> Path:
        """Save as a file; its suffix tells as what.

        ``.html`` is a page in which everything works but live inputs; ``.gif`` and ``.mp4`` (with ffmpeg) are films for
        a slide, of ``speed`` steps per second, about ten seconds long by default; ``.pdf`` is a handout; ``.svg`` and
        ``.png`` are pictures of the moment that is shown, or of the end of a show that has not begun.

        ``cursor`` chooses another moment, and ``cursors`` several: then there is a picture of each, ``show-007.svg``
        and so on, and the first is returned. Raises ``ValueError`` for another suffix, ``FileNotFoundError`` where
        there is no such folder, ``IndexError`` for a moment that the show does not have, and
        :class:`~adviz.ShowError` for what names no moment.
        """
        from ..stage.export import gif, pdf, video

        if cursor is not None and cursors is not None:
            raise show.ShowError("give a cursor or cursors, not both")
        path, cursors = Path(path), self._moments(cursors if cursor is None else [cursor])
        if path.suffix in (".svg", ".png"):
            return self._pictures(path, cursors or [self.cursor or len(self.scene["steps"])], theme)
        writers: dict[str, Callable[[], str | bytes]] = {
            ".html": lambda: html.page(self.scene, self.columns, {}, self._details([]), FRONT_END, traits=self._made()),
            ".gif": lambda: gif.gif(self.scene, cursors, speed=speed, theme=theme, progress=tell),
            ".mp4": lambda: video.mp4(self.scene, cursors, speed=speed, theme=theme, progress=tell),
            ".pdf": lambda: pdf.handout(self.scene, cursors, theme=theme, progress=tell),
        }
        with progress("Drawing") as tell:
            return write(path, writers, ".svg", ".png")

    def _made(self) -> dict[str, Any]:
        """What the reader has made of the show, which a page keeps."""
        return {}

    def _moments(self, cursors: Any) -> list[int] | None:
        """The moments that are asked for, if any are."""
        last = len(self.scene["steps"])
        if cursors is None:
            return None
        moments = [] if isinstance(cursors, str) or not isinstance(cursors, Iterable) else list(cursors)
        if not moments or not all(isinstance(moment, int | np.integer) for moment in moments):
            raise show.ShowError(
                f"cursors is {cursors!r}; it names moments from 0 to {last}, as in cursors=[0, {last}]"
            )
        for moment in moments:
            if not 0 <= moment <= last:
                raise IndexError(f"there is no moment {moment}; this show has cursors 0 to {last}")
        return moments

    def _pictures(self, path: Path, cursors: Sequence[int], theme: str) -> Path:
        """A picture of each of some moments, the first under the name of the path where it is the only one."""
        from ..stage.drawing import frames
        from ..stage.export import png, svg

        check_folder(path)
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


def _stops(document: dict[str, Any]) -> tuple[list[str], list[str], list[str]]:
    """What breakpoints can be in a show: nodes, lines and blocks."""
    nodes = next(entry["length"] for entry in document["columns"] if entry["name"] == "first")
    lines = {file["line"] + k for file in document["source"]["files"] for k in range(file["text"].count("\n") + 1)}
    blocks = {block["name"] for block in document["tables"]["blocks"]}
    return (
        [f"node:{node}" for node in range(nodes)],
        [f"line:{line}" for line in sorted(lines)],
        [f"block:{block}" for block in sorted(blocks)],
    )


def _numbers(document: dict[str, Any]) -> dict[str, float]:
    """The inputs of a show that can be changed, by name."""
    return {entry["name"]: entry["value"] for entry in document["inputs"]}
