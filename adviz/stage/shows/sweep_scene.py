"""Scenes of shows: a sweep over a graph, move by move, or up to four of them on one clock.

:func:`forward_scene`, :func:`backward_scene`, :func:`engines_scene` and :func:`evaluation_scene` give a Scene and the
buffer of its columns, as :func:`~.scene.document` does. What is on stage has keys ``run/what/node``, and
``run/product/node/place`` for what waits on an edge; ``run/cell/row/column`` is an entry of the matrix.

A graph that is too large to be shown node by node is played folded: all moves inside one folded scope that follow each
other are one step, which costs what they cost together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from heapq import heappop, heappush
from itertools import zip_longest
from typing import Any

import numpy as np

from ...algorithms import sweeps
from ...algorithms.sweeps.primitives import put
from ...algorithms.sweeps.seeds import Seeds, checked_direction, checked_seeds
from ...graph.errors import AdvizError
from ...graph.graph import Graph
from ...graph.timeline import State, Step, Timeline
from ..layout import placing
from ..narration.playing import COSTS, Document, Entry, Matrix, Playback, Run, View
from ..scene import captions, theme
from ..scene.progress import Progress
from . import explorer_scene, folding

Show = tuple[Document, bytes]
Names = str | Iterable[str]
Engine = Callable[..., Any]

LABELS = {
    "recursion": "recursion",
    "tape": "tape",
    "tape with flags": "tape with flags",
    "toposort": "sorted node graph",
    "rank_heap": "node graph with a heap of ranks",
    "use_counts": "node graph with use counts",
}
PANELS = ("graph", "tape", "table", "matrix", "code", "formula", "meters")
JACOBIANS = (False, True, "blocks")
PER_RUN = {"graph", "tape", "table", "matrix"}
MOST_RUNS = 4
MOST_CELLS = 2_500
"""A matrix of more entries is not shown."""
MOST_INPUTS = 12
"""Numbers that may be changed."""
REACH = 100
"""Steps of a slider on both sides of where it stands."""
HUGE = 1e300
"""Numbers beyond have no slider."""


class ShowError(AdvizError, TypeError, ValueError):
    """A show was asked for something that there is not; the message says what there is.

    >>> import adviz
    >>> evaluation_scene(adviz.trace(lambda x: x * x, 3.0), panels="graf")
    Traceback (most recent call last):
    adviz.stage.shows.sweep_scene.ShowError: no panel is called 'graf'; there are graph, ...
    """


# ---- the shows ----


def evaluation_scene(graph: Graph, *, panels: Names | None = None, **options: Any) -> Show:
    """The evaluation of a graph, node by node.

    >>> import adviz
    >>> document, _ = evaluation_scene(adviz.trace(lambda x: x * x, 3.0))
    >>> [step["caption"] for step in document["steps"]]
    ['v0 (x) is given: 3.', 'v1 = v0 × v0 = 3 × 3 = 9.', 'v2 = v1 = 9.']
    """
    run = Run(
        "evaluation", "evaluation", "evaluation", "evaluation", lambda state: sweeps.evaluation(graph, state=state)
    )
    return _show(graph, [run], _panels_of(panels, "graph", "table", "code", "formula"), **options)


def forward_scene(
    graph: Graph,
    direction: Mapping[int, Any] | None = None,
    *,
    jacobian: bool | str = False,
    panels: Names | None = None,
    **options: Any,
) -> Show:
    """The forward sweep: values with tangents in one ``direction``, given by input node as for ``forward_flow``.

    Without a direction all entries of the first input move at the speed 1. ``jacobian=True`` sweeps once for every
    entry of the inputs and fills the Jacobian column by column; ``jacobian="blocks"`` sweeps once with whole Jacobian
    blocks, which fill it row by row. Raises :class:`ShowError` for another ``jacobian``, and for one beside a
    ``direction``.

    >>> import adviz
    >>> document, _ = forward_scene(adviz.trace(lambda x: x * x, 3.0))
    >>> document["steps"][2]["caption"]
    'v0 (x) hands 3 × 1 = 3 on to v1.'
    """
    if not (isinstance(jacobian, bool | str) and jacobian in JACOBIANS):
        raise ShowError(f"jacobian is {jacobian!r}; it can be {', '.join(map(repr, JACOBIANS))}")
    if jacobian and direction is not None:
        raise ShowError("the Jacobian takes every direction: give a direction or jacobian, not both")
    panels = _panels_of(panels, "graph", *(["matrix"] if jacobian else []), "table", "formula", "code", "meters")
    sweep = Columns(graph) if jacobian is True else None
    if direction is None:
        direction = {node: np.ones(np.shape(graph.values[node])) for node in graph.inputs[:1]}
    along = None if jacobian else checked_direction(graph, direction)
    algorithm = sweep or (lambda state: sweeps.forward_flow(graph, along, state=state))
    rows = sum(int(np.size(graph.values[node])) for node in graph.outputs)
    matrix: Matrix | None = None
    if "matrix" in panels and _fits(graph, rows, graph.inputs):
        matrix = _jacobian(graph, sweep) if jacobian else _product(graph)
    run = Run("forward", "forward mode", "forward", "forward", algorithm, matrix, sweep.count if sweep else 1)
    return _show(graph, [run], panels, **options)


def backward_scene(
    graph: Graph,
    engine: str | Engine = "toposort",
    *,
    seeds: Mapping[int, Any] | None = None,
    in_place: bool = False,
    panels: Names | None = None,
    **options: Any,
) -> Show:
    """A reverse sweep by one of ``sweeps.ENGINES``; with ``in_place`` ``use_counts`` adds as the original did, WRONGLY.

    ``seeds`` are cotangents by output node; ``None`` stands for 1, at the one output of one entry. Raises
    :class:`~adviz.SeedError` for any other graph without seeds, and :class:`ShowError` for an unknown engine.

    >>> import adviz
    >>> document, _ = backward_scene(adviz.trace(lambda x: x * x, 3.0), "tape")
    >>> document["steps"][4]["caption"]
    'It is the turn of v1, since it stands before the last one on the tape; its cotangent is 1.'
    """
    panels = _panels_of(panels, "graph", "table", "formula", "code", "tape", "meters")
    (name,) = chosen("engine", [engine], sweeps.ENGINES)
    run = _backward(graph, name, _identity([name], 0), checked_seeds(graph, seeds), panels, in_place)
    return _show(graph, [run], panels, **options)


def engines_scene(
    graph: Graph,
    engines: Names | Iterable[Engine] = ("tape", "toposort"),
    *,
    seeds: Mapping[int, Any] | None = None,
    align: str = "step",
    panels: Names | None = None,
    **options: Any,
) -> Show:
    """One to four ways to run backward over the same graph, on one clock.

    ``align="step"``: all take their turns together, turn by turn, and within a turn move by move. ``align="event"``:
    the clock of each run is the work that it has done, and whose clock is behind makes the next move.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: x * x, 3.0)
    >>> document, _ = engines_scene(graph)
    >>> [part["run"] for part in document["steps"][0]["parts"]]
    ['tape', 'toposort']
    """
    names = chosen("engine", engines, sweeps.ENGINES)
    if len(names) > MOST_RUNS:
        raise ShowError(f"{len(names)} engines are asked for; there can be 1 to {MOST_RUNS} side by side")
    if align not in ALIGNMENTS:
        raise ShowError(f"align is {align!r}; it can be {' or '.join(map(repr, ALIGNMENTS))}")
    panels, given = _panels_of(panels, "graph", "tape", "formula", "code", "meters"), checked_seeds(graph, seeds)
    runs = [_backward(graph, name, _identity(names, k), given, panels) for k, name in enumerate(names)]
    return _show(graph, runs, panels, align=align, **options)


def timeline_scene(graph: Graph, timeline: Timeline, *, panels: Names | None = None, **options: Any) -> Show:
    """A recorded timeline whose keys are those of the sweeps: of a sweep of one's own, say.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: x * x, 3.0)
    >>> document, _ = timeline_scene(graph, adviz.Timeline.record({}, adviz.toposort(graph)))
    >>> document["runs"][0]["kind"]
    'reverse'
    """
    words = {edit.key[0] for step in timeline for edit in step.edits if isinstance(edit.key, tuple)}
    kind = "forward" if "tangent" in words else "reverse" if "cotangent" in words else "evaluation"

    def again(state: State) -> Iterator[Step]:
        state |= timeline.start
        for step in timeline:
            state |= {edit.key: edit.after for edit in step.edits}
            yield step

    run = Run("timeline", "timeline", kind, kind, again)
    return _show(graph, [run], _panels_of(panels, "graph", "table", "formula", "code", "meters"), **options)


def transcript(document: Document) -> str:
    """A show as text: a numbered line for each step.

    >>> import adviz
    >>> print(transcript(evaluation_scene(adviz.trace(lambda x: x * x, 3.0))[0]))
    <lambda>: evaluation
    1  v0 (x) is given: 3.
    2  v1 = v0 × v0 = 3 × 3 = 9.
    3  v2 = v1 = 9.
    """
    places = len(str(len(document["steps"])))
    lines = [f"{k:>{places}}  {step['caption']}" for k, step in enumerate(document["steps"], 1)]
    return "\n".join([f"{document['title']}: {' vs. '.join(run['label'] for run in document['runs'])}", *lines])


def chosen(what: str, given: Any, known: Mapping[str, Any]) -> list[str]:
    """The names in ``given``, which is one or several; what a name stands for may take its place.

    >>> chosen("engine", [sweeps.tape, "toposort"], sweeps.ENGINES), chosen("engine", "tape", sweeps.ENGINES)
    (['tape', 'toposort'], ['tape'])
    """
    several = isinstance(given, Iterable) and not isinstance(given, str)
    names = [_name(what, one, known) for one in (given if several else [given])]
    if not names:
        raise ShowError(f"no {what} is chosen; there are {', '.join(known)}")
    return names


def _name(what: str, one: Any, known: Mapping[str, Any]) -> str:
    for name, meaning in known.items():
        if one is meaning or (isinstance(one, str) and one == name):
            return name
    raise ShowError(f"no {what} is called {getattr(one, '__name__', one)!r}; there are {', '.join(known)}")


def _panels_of(given: Any, *defaults: str) -> Sequence[str]:
    """The kinds of panels, each once."""
    return defaults if given is None else list(dict.fromkeys(chosen("panel", given, {name: name for name in PANELS})))


def _identity(engines: Sequence[str], k: int) -> str:
    """The name of a run in keys; an engine that was there before is numbered."""
    before = list(engines[:k]).count(engines[k])
    return engines[k].replace(" ", "_") + (f"-{before + 1}" if before else "")


def _backward(
    graph: Graph,
    name: str,
    run: str,
    seeds: Seeds,
    panels: Sequence[str],
    in_place: bool = False,
) -> Run:
    if in_place and name != "use_counts":
        raise ShowError(f"only 'use_counts' adds in place, not {name!r}")
    engine = partial(sweeps.use_counts, in_place=True) if in_place else sweeps.ENGINES[name]
    shown = "matrix" in panels and _fits(graph, seeds.rows or 1, graph.inputs)
    gradient = _gradient(graph, seeds) if shown else None

    def algorithm(state: State) -> Iterator[Step]:
        return engine(graph, seeds.cotangents, state=state)

    return Run(run, LABELS[name], "reverse", name, algorithm, gradient, is_right=not in_place)


# ---- matrices that fill ----


def _rows(graph: Graph, nodes: Sequence[int]) -> dict[int, range]:
    """For each of some nodes the places of its entries among those of all."""
    ends = np.cumsum([0, *(int(np.size(graph.values[node])) for node in nodes)]).tolist()
    return {node: range(start, end) for node, start, end in zip(nodes, ends, ends[1:], strict=False)}


def _entries(graph: Graph, nodes: Sequence[int]) -> list[Entry]:
    """All entries of some nodes."""
    entries: list[Entry] = []
    for node in nodes:
        name, shape = captions.shortened(graph.name(node) or f"v{node}"), np.shape(graph.values[node])
        labels = [f"{name}[{', '.join(map(str, place))}]" if place else name for place in np.ndindex(*shape)]
        entries += [Entry(label, node) for label in labels]
    return entries


def _fits(graph: Graph, rows: int, columns: Sequence[int]) -> bool:
    """Whether a matrix is small enough to be shown."""
    return rows * sum(int(np.size(graph.values[node])) for node in columns) <= MOST_CELLS


def _reached(graph: Graph) -> list[int]:
    """For each node the inputs that it depends on, the first of them as the lowest bit."""
    reached = [0] * len(graph)
    for place, node in enumerate(graph.inputs):
        reached[node] = 1 << place
    for node in range(len(graph)):
        for operand in graph.operand_nodes(node):
            reached[node] |= reached[operand]
    return reached


def _unreached(graph: Graph, rows: Sequence[int]) -> list[int]:
    """Columns of the Jacobian that none of some outputs depends on."""
    reached = _reached(graph)
    apart = [k for k in range(len(graph.inputs)) if not any(reached[node] >> k & 1 for node in rows)]
    columns = _rows(graph, graph.inputs)
    return [column for k in apart for column in columns[graph.inputs[k]]]


def _gradient(graph: Graph, seeds: Seeds) -> Matrix:
    """Rows of the Jacobian, weighted by the seeds, from the cotangents of the inputs."""
    columns = _rows(graph, graph.inputs)
    first, *others = seeds.cotangents
    weighted = bool(others) or np.size(graph.values[first]) > 1
    count = seeds.rows or 1
    rows = [Entry(f"row {k}") for k in range(count)] if weighted or count > 1 else _entries(graph, [first])

    def cells(key: Any, value: Any) -> Iterator[tuple[int, int, float]]:
        if key[0] == "cotangent" and key[1] in columns:
            for row, line in enumerate(np.reshape(value, (count, -1)).tolist()):
                yield from ((row, column, entry) for column, entry in zip(columns[key[1]], line, strict=True))

    zeros = [(row, column) for row in range(count) for column in _unreached(graph, [first, *others])]
    label = "seeds times Jacobian" if weighted else "gradient"
    return Matrix(rows, _entries(graph, graph.inputs), label, cells, zeros)


def _jacobian(graph: Graph, sweep: Columns | None) -> Matrix:
    """The Jacobian from what arrives at the outputs: whole blocks, or the column that a sweep is at."""
    zeros = [
        (row, column)
        for node, rows in _rows(graph, graph.outputs).items()
        for column in _unreached(graph, [node])
        for row in rows
    ]
    columns = _entries(graph, graph.inputs)
    return _arriving(graph, columns, "Jacobian", (lambda: sweep.column) if sweep else (lambda: 0), zeros)


def _product(graph: Graph) -> Matrix:
    """The Jacobian times a direction."""
    return _arriving(graph, [Entry("direction")], "Jacobian times direction", lambda: 0, [])


def _arriving(
    graph: Graph, columns: list[Entry], label: str, first: Callable[[], int], zeros: list[tuple[int, int]]
) -> Matrix:
    rows = _rows(graph, graph.outputs)

    def cells(key: Any, value: Any) -> Iterator[tuple[int, int, float]]:
        if key[0] == "tangent" and key[1] in rows:
            for row, line in zip(rows[key[1]], np.reshape(value, (len(rows[key[1]]), -1)).tolist(), strict=True):
                yield from ((row, first() + k, entry) for k, entry in enumerate(line))

    return Matrix(_entries(graph, graph.outputs), columns, label, cells, zeros)


class Columns:
    """An algorithm: one forward sweep after the other, each in the direction of one entry of the inputs."""

    def __init__(self, graph: Graph):
        self.graph, self.column = graph, -1
        self.count = sum(int(np.size(graph.values[node])) for node in graph.inputs)

    def __call__(self, state: State) -> Iterator[Step]:
        self.column = -1
        for node in self.graph.inputs:
            shape = np.shape(self.graph.values[node])
            for unit in np.eye(int(np.prod(shape))):
                if state:
                    yield Step("free", tuple(put(state, key, None) for key in list(state)))
                self.column += 1
                yield from sweeps.forward_flow(self.graph, {node: unit.reshape(shape)}, state=state)


# ---- a show put together ----


def _show(
    graph: Graph,
    runs: list[Run],
    panels: Sequence[str],
    *,
    align: str = "step",
    teach: bool = False,
    like: Document | None = None,
    progress: Progress | None = None,
) -> Show:
    """The Scene of some runs. ``like`` is an earlier show of a graph of the same structure, whose places are kept."""
    if not isinstance(teach, bool):
        raise ShowError(f"teach is {teach!r}; it can be True or False")
    document, columns = explorer_scene.document(graph, panels=[])
    picture = _picture(graph, like) if "graph" in panels else folding.panel(graph)
    view = View(graph, picture)
    played = [
        Playback(graph, run, view, _panel_id("graph", run, runs), _reporter(progress, graph, k, runs)).documents()
        for k, run in enumerate(runs)
    ]
    together = _alone if len(runs) == 1 else ALIGNMENTS[align]
    document |= {
        "panels": [panel for name in panels for panel in _panels(graph, name, runs, picture, view)],
        "steps": list(together(played, runs)),
        "runs": [{"id": run.id, "label": run.label, "kind": run.kind} for run in runs],
        "inputs": inputs(graph),
        "teach": teach,
    }
    return document, columns


def _reporter(progress: Progress | None, graph: Graph, number: int, runs: list[Run]) -> Callable[[int], None]:
    """Tells how far a show is, now and then, if anyone wants to know."""
    turns_of = [run.sweeps * len(graph) for run in runs]
    start, total = sum(turns_of[:number]), sum(turns_of)

    def report(turns: int) -> None:
        if progress:
            progress(start + turns, total)

    return report


def _picture(graph: Graph, like: Document | None) -> Document:
    """The graph panel, placed, with room in every item for what a run writes there."""
    panel = folding.panel(graph)
    for item in panel["nodes"]:
        item["room"] = theme.STATE_LINE
        if item["node"] is not None:
            item["detail"] = f"v{item['node']} = {captions.detail(graph, item['node'])}"
    old = like and next((old for old in like["panels"] if old["kind"] == "graph"), None)
    if old and _outline(old) == _outline(panel):
        return _in_the_places_of(old, panel)
    placed = placing.place(panel)
    return placed | {"note": f"{ANEW} {placed['note'] or ''}".strip()} if old else placed


ANEW = "With these numbers the program takes another path: the picture is placed anew."


def _outline(panel: Document) -> Any:
    """What must be the same in two pictures for one to have the places of the other."""
    return [item["key"] for item in panel["nodes"]], [(edge["key"], edge["count"]) for edge in panel["edges"]]


def _in_the_places_of(old: Document, panel: Document) -> Document:
    """A panel with the places of another; texts that have become longer are cut where the items end."""
    nodes = [
        before | placing.sized(item, before["w"]) for item, before in zip(panel["nodes"], old["nodes"], strict=True)
    ]
    edges = [before | edge for edge, before in zip(panel["edges"], old["edges"], strict=True)]
    return old | {"nodes": nodes, "edges": edges, "note": (old["note"] or "").removeprefix(ANEW).strip() or None}


def _panels(graph: Graph, kind: str, runs: list[Run], picture: Document, view: View) -> Iterator[Document]:
    """The panels of one kind: one, or one for each run; side by side with others only a tape is shown as a tape."""
    if kind not in PER_RUN:
        yield {"id": kind, "kind": kind}
        return
    for run in runs:
        own = {"id": _panel_id(kind, run, runs), "kind": kind, "run": run.id}
        if kind == "graph":
            yield {**picture, **own}
        elif kind == "tape" and (len(runs) == 1 or run.engine.startswith("tape")):
            yield own | {"rows": [_tape_row(graph, node) for node in view.nodes]}
        elif kind == "table":
            rows = [{"node": node, "label": captions.formula(graph, node)} for node in view.nodes]
            yield own | {"columns": COLUMNS[run.kind], "rows": rows}
        elif kind == "matrix" and run.matrix:
            down, across = run.matrix.rows, run.matrix.columns
            yield own | {
                "rows": [row.label for row in down],
                "row_nodes": [row.node for row in down],
                "columns": [column.label for column in across],
                "column_nodes": [column.node for column in across],
                "label": run.matrix.label,
            }


COLUMNS = {
    "evaluation": [{"what": "value", "label": "v"}],
    "forward": [{"what": "value", "label": "v"}, {"what": "tangent", "label": "v̇"}],
    "reverse": [{"what": "value", "label": "v"}, {"what": "cotangent", "label": "v̄"}],
}


def _panel_id(kind: str, run: Run, runs: list[Run]) -> str:
    return kind if len(runs) == 1 else f"{kind}-{run.id}"


def _tape_row(graph: Graph, node: int) -> Document:
    return {
        "node": node,
        "label": captions.formula(graph, node),
        "detail": captions.detail(graph, node),
        "dead": not graph.live[node],
    }


def inputs(graph: Graph) -> list[Document]:
    """The numbers among the inputs, each with a range around it that a slider can have."""
    found = [node for node in graph.inputs if np.ndim(graph.values[node]) == 0 and abs(graph.values[node]) < HUGE]
    return [_input(graph, node) for node in found[:MOST_INPUTS]]


def _input(graph: Graph, node: int) -> Document:
    value = float(graph.values[node])
    low, high = _around(value)
    return {"name": graph.name(node) or f"v{node}", "node": node, "value": value, "min": low, "max": high}


def _around(value: float) -> tuple[float, float]:
    """The ends of a slider with a number in its middle: a round step is there ``REACH`` times on both sides."""
    least = max(1.0, 1.5 * abs(value)) / REACH
    unit = 10.0 ** np.floor(np.log10(least))
    step = next(unit * digit for digit in (1, 2, 5, 10) if unit * digit >= least * (1 - 1e-9))
    low, high = (float(f"{value + side * REACH * step:.12g}") for side in (-1, 1))
    return low, high


# ---- several runs on one clock ----


def _alone(played: list[list[Document]], runs: list[Run]) -> Iterator[Document]:
    """One run needs no clock."""
    yield from played[0]


def _by_turns(played: list[list[Document]], runs: list[Run]) -> Iterator[Document]:
    """All runs take their turns together, and within a turn make their moves together; who is through waits."""
    for turns in zip_longest(*map(_turns, played), fillvalue=()):
        for k, moves in enumerate(zip_longest(*turns)):
            parts = [(run, move) for run, move in zip(runs, moves, strict=True) if move]
            yield _together(parts) | {"coarse": not k}


def _turns(documents: list[Document]) -> Iterator[list[Document]]:
    """The steps of a run, turn by turn."""
    turn: list[Document] = []
    for document in documents:
        if document["coarse"] and turn:
            yield turn
            turn = []
        turn.append(document)
    yield turn


def _by_events(played: list[list[Document]], runs: list[Run]) -> Iterator[Document]:
    """Whose clock is behind moves next; a move takes as long as its operations and comparisons, at least 1."""
    clocks = [(0, k, 0) for k in range(len(runs))]
    while clocks:
        time, k, place = heappop(clocks)
        document = played[k][place]
        joint = _together([(runs[k], document)])
        joint.pop("whole", None)  # other runs move in between
        yield joint
        if place + 1 < len(played[k]):
            work = sum(document["cost"][name] for name in COSTS)
            heappush(clocks, (time + max(work, document.get("moves", 1)), k, place + 1))


ALIGNMENTS = {"step": _by_turns, "event": _by_events}


def _together(parts: list[tuple[Run, Document]]) -> Document:
    """Steps of several runs as one: their edits and costs together, and what each of them is in ``parts``."""
    documents = [document for _, document in parts]
    questions = [(run, document["question"]) for run, document in parts if document["question"]]
    joint = documents[0] | {
        "caption": _said((run, document["caption"]) for run, document in parts),
        "focus": [key for document in documents for key in document["focus"]],
        "cost": {name: sum(document["cost"][name] for document in documents) for name in documents[0]["cost"]},
        "edits": [edit for document in documents for edit in document["edits"]],
        "question": next(
            (question | {"prompt": f"{run.label}: {question['prompt']}"} for run, question in questions), None
        ),
    }
    if any("whole" in document for document in documents):
        joint["whole"] = _said((run, document.get("whole") or document["caption"]) for run, document in parts)
    if len(documents) == 1:
        return joint
    return joint | {"parts": [{name: document[name] for name in PART if name in document} for document in documents]}


def _said(sentences: Iterable[tuple[Run, str]]) -> str:
    """What is said of several runs."""
    return " ".join(f"{run.label[0].upper()}{run.label[1:]}: {sentence}" for run, sentence in sentences)


PART = tuple("run kind node edge formula caption whole cost bytes peak product merge".split())
