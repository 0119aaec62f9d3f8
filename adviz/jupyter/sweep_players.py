"""The functions that open a Player: watch a sweep over the graph of a function, or play a Scene or a timeline."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from inspect import Parameter, signature
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms.examples.small_functions import Case
from ..algorithms.sweeps.seeds import GivenSeeds, by_output
from ..engine.blocks import Block
from ..engine.calls import check_arguments, check_function, check_options, leaves, matched, rebuild, takes
from ..engine.devices import as_floats, to_numpy
from ..engine.trace import GRAINS, to_be_shown, trace
from ..engine.trace_errors import InputError, NonFiniteWarning
from ..engine.tracing.decisions import Decision, decisions
from ..graph.graph import Graph
from ..graph.timeline import Timeline
from ..stage.scene import captions, schema
from ..stage.scene.progress import progress
from ..stage.shows import beside_flow
from ..stage.shows import sweep_scene as show
from ..stage.shows.beside_flow import Along
from ..stage.shows.options import Engine, Names, Show, ShowError, chosen
from .player import ALIKE, Player

if TYPE_CHECKING:
    from ..kernels.arrays.array_program import ArrayProgram

Build = Callable[..., Show]
Traceable = Callable[..., Any] | Case | Graph


def show_forward(
    f: Traceable,
    /,
    *args: Any,
    direction: Any = None,
    jacobian: bool | str = False,
    panels: Names | None = None,
    teach: bool = False,
    grain: str = "array",
    **settings: Any,
) -> Player:
    """Watch values and their tangents flow forward through ``f(*args, **settings)``.

    ``f`` may also be a :class:`~adviz.Graph`, or one of ``adviz.examples``, which brings its own arguments.
    ``direction`` holds a tangent for every argument (for a single argument, its tangent); by default it is 1 for every
    entry of the first argument and 0 for the others. ``jacobian=True`` takes one direction after the other and fills
    the Jacobian column by column; with ``jacobian="blocks"`` whole Jacobian blocks flow. ``panels`` chooses among
    ``adviz.stage.shows.options.PANELS``. Beside a graph that is seen at once, ``"code"`` has numbers under it,
    ``"result"`` tells each derivative as it arrives, and ``"nudge"`` compares it with what ``f`` does when an entry of
    an input is changed a little: for that ``f`` is called a few dozen times more, if it is quick. ``teach=True`` asks a
    question before each answer is shown. Raises what :func:`adviz.trace` raises, ``InputError`` for a direction whose
    structure is not that of the arguments, and ``ShowError`` for an unknown option.

    >>> player = show_forward(lambda x, y: x * y, 3.0, 4.0, direction=(1.0, 0.0))
    >>> player.scene["steps"][-1]["caption"].split(". ")[-1]
    'One forward sweep has given one derivative, in the direction of the seed: f changes at the rate 4.'
    """

    def build(program: TracedProgram, graph: Graph, **options: Any) -> Show:
        tangents = None if direction is None else program.direction(graph, direction)
        return show.forward_scene(graph, tangents, jacobian=jacobian, panels=panels, teach=teach, **options)

    return _played(show_forward, (f, args, grain, settings), build)


def show_backward(
    f: Traceable,
    /,
    *args: Any,
    engine: str | Engine = "toposort",
    seeds: GivenSeeds = None,
    jacobian: bool = False,
    panels: Names | None = None,
    teach: bool = False,
    in_place: bool = False,
    grain: str = "array",
    **settings: Any,
) -> Player:
    """Watch adjoints flow back through ``f(*args, **settings)`` with one of the engines of ``adviz.sweeps.ENGINES``.

    ``seeds`` are the adjoints of the results, by place: ``{0: 1.0}`` for the first; entries of a dict may have their
    keys instead. A single number needs no seed, and an example brings its own. ``jacobian=True`` takes one entry of the
    results after the other and fills the Jacobian row by row. ``in_place=True`` shows what went wrong when
    ``use_counts`` added in place. Arguments after an example replace its own. All other options are those of
    :func:`show_forward`. Raises :class:`~adviz.SeedError` for several results, or an array, without ``seeds``.

    >>> player = show_backward(lambda x, y: x * y, 3.0, 4.0, engine="tape")
    >>> player.scene["steps"][-1]["caption"].split(". ")[0].split(": ")[1]
    '∂f/∂x = 4 and ∂f/∂y = 3'
    """

    def build(program: TracedProgram, graph: Graph, **options: Any) -> Show:
        given = None if jacobian and seeds is None else by_output(graph, program.seeds if seeds is None else seeds)
        options |= {"seeds": given, "jacobian": jacobian, "in_place": in_place, "panels": panels, "teach": teach}
        return show.backward_scene(graph, engine, **options)

    return _played(show_backward, (f, args, grain, settings), build)


def show_tape_vs_graph(
    f: Traceable,
    /,
    *args: Any,
    engines: Names | Iterable[Engine] = ("tape", "toposort"),
    align: str = "step",
    seeds: GivenSeeds = None,
    panels: Names | None = None,
    teach: bool = False,
    grain: str = "array",
    **settings: Any,
) -> Player:
    """Watch one to four reverse sweeps over ``f(*args, **settings)`` side by side, on one clock.

    With ``align="step"`` all engines process their nodes in lockstep; with ``align="event"`` a move takes as long as
    its operations, and the engine whose clock is behind moves next. ``adviz.examples`` has programs on which the
    engines differ, with arguments and seeds. All other options are those of :func:`show_backward`.

    >>> import adviz
    >>> player = show_tape_vs_graph(adviz.examples["dead branch"])
    >>> [run["label"] for run in player.scene["runs"]]
    ['tape', 'sorted node graph']
    """

    def build(program: TracedProgram, graph: Graph, **options: Any) -> Show:
        given = by_output(graph, program.seeds if seeds is None else seeds)
        options |= {"seeds": given, "align": align, "panels": panels, "teach": teach}
        return show.engines_scene(graph, engines, **options)

    return _played(show_tape_vs_graph, (f, args, grain, settings), build)


SHOWS = (show_forward, show_backward, show_tape_vs_graph)


def play(
    source: Traceable | Timeline | dict[str, Any] | tuple[dict[str, Any], bytes],
    /,
    *args: Any,
    graph: Graph | None = None,
    panels: Names | None = None,
    teach: bool = False,
    grain: str = "array",
    **settings: Any,
) -> Player:
    """Play an evaluation, a timeline, or the Scene of a show (alone, or with the buffer of its columns).

    ``play(f, *args)`` plays the evaluation of ``f(*args, **settings)``, ``play(graph)`` that of a graph, and
    ``play(timeline, graph=graph)`` a timeline of a sweep over a graph. ``panels`` chooses among the panels. Raises
    ``ShowError`` for any other source, and ``SceneError`` for a document that is not the Scene of a show.

    >>> play(lambda x: x * x, 3.0).scene["steps"][1]["caption"]
    'f = x·x = 3 × 3 = 9.'
    """
    if isinstance(source, Timeline) or any(isinstance(argument, Timeline) for argument in args):
        return _timeline(source, args, graph, panels=panels, teach=teach)
    if isinstance(source, dict | tuple) and not isinstance(source, Case):
        return _scene(source, args, graph, panels, teach)
    if not isinstance(source, Case | Graph) and not callable(source):
        raise ShowError(
            "ad.play takes a function with its arguments, a Graph, a Timeline with graph=, or the Scene of a show, "
            f"not {type(source).__name__}"
        )

    def build(_: TracedProgram, traced: Graph, **options: Any) -> Show:
        return show.evaluation_scene(traced, panels=panels, teach=teach, **options)

    return _played(play, (source, args, grain, settings), build)


def _timeline(source: Any, args: tuple[Any, ...], graph: Graph | None, **options: Any) -> Player:
    if args or not isinstance(source, Timeline) or not isinstance(graph, Graph):
        raise ShowError("a timeline needs its graph: write ad.play(timeline, graph=graph)")
    with progress("Playing") as tell:
        return Player(show.timeline_scene(graph, source, progress=tell, **options), graph)


def _scene(source: Any, args: tuple[Any, ...], graph: Graph | None, panels: Names | None, teach: bool) -> Player:
    pair = source if isinstance(source, tuple) else (source, b"")
    if args or len(pair) != 2:
        raise ShowError("a Scene is played alone, or with its columns as ad.play((scene, columns))")
    document, columns = pair
    schema.check(document)
    if not document.get("runs"):
        raise schema.SceneError("scene.runs: expected a run to play, as a show has; a graph plays as ad.play(graph)")
    if panels is not None:
        known = {panel[word]: panel[word] for word in ("kind", "id") for panel in document["panels"]}
        names = chosen("panel", panels, known)
        shown = [panel for name in names for panel in document["panels"] if name in (panel["kind"], panel["id"])]
        document = document | {"panels": shown}
    return Player((document | {"teach": teach or document.get("teach", False)}, columns), graph)


def _played(show_of: Callable[..., Player], given: tuple[Any, ...], build: Build) -> Player:
    check_settings(show_of, given[0], given[-1])
    program = TracedProgram(*given)
    check_program(show_of, program)
    with progress("Playing") as tell:
        with decisions() as decided:
            graph = program.graph()
        shown = build(program, graph, progress=tell, along=program.along({}, decided))
    again = None if isinstance(program.f, Graph) else partial(_again, program, build)
    return Player(shown, graph, again, program)


def _again(
    program: TracedProgram, build: Build, numbers: Mapping[int, float], like: dict[str, Any]
) -> tuple[Graph, Show]:
    """Trace a program with other numbers, and lay its show out like an earlier one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NonFiniteWarning)  # sliders pass such points, and the panels show them
        with decisions() as decided:
            graph = program.graph(numbers)
    return graph, build(program, graph, like=like, along=program.along(numbers, decided))


def check_settings(show_of: Callable[..., Player], f: object, settings: Iterable[str]) -> None:
    """Raise ``OptionError`` for a keyword that is neither an option of the show nor a parameter of the function."""
    function = f.program if isinstance(f, Case) else f
    unknown = [name for name in settings if not takes(function, name)]
    if not unknown:
        return
    options = {
        each: [name for name, one in signature(each).parameters.items() if one.kind is Parameter.KEYWORD_ONLY]
        for each in (show_of, *SHOWS)
    }
    for name in unknown:
        meant = get_close_matches(name, options[show_of], 1, ALIKE)
        others = [one.__name__ for one in SHOWS if name in options[one]]
        if meant or others:
            verb = "has" if len(others) == 1 else "have"
            hint = f"did you mean {meant[0]}=?" if meant else f"{captions.listed(others)} {verb} it"
            raise ShowError(f"{show_of.__name__} has no option {name!r}; {hint}")
    if callable(function):
        check_options(show_of.__name__, function, unknown, options[show_of])


def check_program(show_of: Callable[..., Player], program: TracedProgram) -> None:
    """Raise ``InputError`` for what is no function, and where it gets nothing to differentiate with respect to."""
    if not isinstance(program.f, Graph):
        check_function(show_of.__name__, program.f)
        check_arguments(show_of.__name__, program.f, program.args, program.settings)


# ---- programs ----


class TracedProgram:
    """A function with its arguments, or a graph, which is shown as it is."""

    def __init__(self, f: Traceable, args: tuple[Any, ...], grain: str, settings: dict[str, Any]):
        if isinstance(f, type) and issubclass(f, Block):
            raise ShowError(f"{f.__name__} is a class of Blocks: create one and show that, {f.__name__}()")
        if grain not in GRAINS:
            raise ShowError(f"grain is {grain!r}; it can be {' or '.join(map(repr, GRAINS))}")
        if isinstance(f, Graph) and (args or settings):
            raise ShowError("a graph is shown as it is: leave the arguments out")
        self.f: Callable[..., Any] | Graph = f.program if isinstance(f, Case) else f
        self.args, self.seeds = args, None
        if isinstance(f, Case):
            self.args, self.seeds = args or f.arguments, f.seeds
        elif isinstance(f, Graph):
            self.args = tuple(f.values[node] for node in f.inputs)
        self.grain, self.settings = grain, settings

    def graph(self, numbers: Mapping[int, Any] | None = None) -> Graph:
        """Trace the program; ``numbers`` replace arguments, by the place of their nodes among the inputs."""
        if isinstance(self.f, Graph):
            return to_be_shown(self.f)
        return to_be_shown(trace(self.f, *self._arguments(numbers or {}), grain=self.grain, **self.settings))

    def along(self, numbers: Mapping[int, Any], already: Sequence[Decision] | None = None) -> Along:
        """Return the program at some numbers, as a function of others, which replace arguments as in :meth:`graph`.

        What it has decided at these numbers ``already`` need not be found again.
        """
        function: Any = self.f

        def result(others: Mapping[int, Any]) -> Any:
            """Return the result; nothing is traced."""
            return function(*self._arguments({**numbers, **others}), **self.settings)

        def decided(others: Mapping[int, Any]) -> list[Decision]:
            with decisions() as found:
                self.graph({**numbers, **others})
            return found

        return Along(result, decided, already, beside_flow.OF_A_GRAPH if isinstance(function, Graph) else "")

    def compiled(self) -> ArrayProgram:
        """Return the compiled gradient of the function, on arrays."""
        from ..kernels.compiling import compile_gradient  # all that compiles is needed only here

        program: ArrayProgram = compile_gradient(self.f, *self.args, grain="array", **self.settings)
        return program

    def _arguments(self, numbers: Mapping[int, Any]) -> Iterator[Any]:
        places = count()
        for argument in self.args:
            yield rebuild(argument, (self._leaf(leaf, numbers, places) for _, leaf in leaves(argument, "")))

    def _leaf(self, leaf: Any, numbers: Mapping[int, Any], places: Iterator[int]) -> Any:
        """Return a leaf with its new numbers. Booleans have no node; in the scalar grain every entry has its own."""
        if not _is_traced(leaf):
            return leaf
        if self.grain == "array" or not np.ndim(leaf):
            return numbers.get(next(places), leaf)
        entries = as_floats(to_numpy(leaf))
        for place in np.ndindex(entries.shape):
            entries[place] = numbers.get(next(places), entries[place])
        return entries

    def direction(self, graph: Graph, tangents: Any) -> dict[int, Any]:
        """Return the tangents, structured like the arguments, by input node.

        Raises ``InputError`` for another structure and for anything but real numbers.
        """
        like: Any = self.args
        if len(self.args) == 1 and not (isinstance(tangents, tuple) and len(tangents) == 1):
            (like,) = self.args
        elif isinstance(tangents, list) or (isinstance(tangents, np.ndarray) and tangents.ndim):
            tangents = tuple(tangents)
        result: list[Any] = []
        for (name, tangent), (_, leaf) in zip(matched(tangents, like, "direction"), leaves(like, ""), strict=True):
            if not _is_traced(leaf):
                continue
            try:
                array = np.asarray(to_numpy(tangent)).astype(float, casting="same_kind")
            except TypeError as error:
                raise InputError(f"{name} is {tangent!r}, not made of real numbers.") from error
            result += [array] if self.grain == "array" or not np.ndim(leaf) else list(array.ravel())
        return dict(zip(graph.inputs, result, strict=True))


def _is_traced(leaf: Any) -> bool:
    return np.asarray(to_numpy(leaf)).dtype.kind != "b"
