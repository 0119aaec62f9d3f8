"""Scenes of sweeps over a graph, move by move; up to four sweeps on one clock.

:func:`forward_scene`, :func:`backward_scene`, :func:`engines_scene` and :func:`evaluation_scene` return a Scene and the
buffer of its columns, like :func:`~.explorer_scene.document`. A show is a :class:`~adviz.Timeline` that is narrated and
placed. The keys of its stage are ``run/what/node``, ``run/product/node/place`` for a product that waits on an edge, and
``run/cell/row/column`` for an entry of the matrix.

A graph that is too large to be shown node by node is played folded: consecutive moves inside one folded scope become
one step, with their joint cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...algorithms import sweeps
from ...algorithms.sweeps.seeds import Seeds, checked_direction, checked_seeds
from ...graph.graph import Graph
from ...graph.timeline import LiveTimeline, Step, Timeline
from ..layout import placing
from ..narration.playing import Document, FoldedNodes, Matrix, Picture, Playback, Run
from ..scene import captions, theme
from ..scene.document import Input
from ..scene.panels import GraphPanel, TableRow
from ..scene.progress import Progress
from . import explorer_scene, filling_matrices, folding
from .one_clock import ALIGNMENTS
from .options import Engine, Names, Show, ShowError, chosen, chosen_panels

LABELS = {
    "recursion": "recursion",
    "tape": "tape",
    "tape with flags": "tape with flags",
    "toposort": "sorted node graph",
    "rank_heap": "node graph with a heap of ranks",
    "use_counts": "node graph with use counts",
}
JACOBIANS = (False, True, "blocks")
PER_RUN = {"graph", "tape", "table", "matrix"}
MOST_RUNS = 4
MOST_INPUTS = 12  # the most numbers that may be changed
REACH = 100  # steps of a slider on either side of its start
HUGE = 1e300  # numbers beyond have no slider


def evaluation_scene(graph: Graph, *, panels: Names | None = None, **options: Any) -> Show:
    """Show the evaluation of a graph, node by node.

    >>> import adviz
    >>> document, _ = evaluation_scene(adviz.trace(lambda x: x * x, 3.0))
    >>> [step["caption"] for step in document["steps"]]
    ['v0 (x) is given: 3.', 'v1 = v0 × v0 = 3 × 3 = 9.', 'v2 = v1 = 9.']
    """
    timeline = LiveTimeline({}, partial(sweeps.evaluation, graph))
    run = Run("evaluation", "evaluation", "evaluation", "evaluation", timeline)
    return _show(graph, [run], chosen_panels(panels, "graph", "table", "code", "formula"), **options)


def forward_scene(
    graph: Graph,
    direction: Mapping[int, Any] | None = None,
    *,
    jacobian: bool | str = False,
    panels: Names | None = None,
    **options: Any,
) -> Show:
    """Show a forward sweep: values with their tangents in one ``direction``, given by input node.

    Without a direction every entry of the first input has the tangent 1. ``jacobian=True`` sweeps once for every entry
    of the inputs and fills the Jacobian column by column; ``jacobian="blocks"`` sweeps once with whole Jacobian blocks,
    which fill it row by row. Raises :class:`ShowError` for another ``jacobian``, and for ``jacobian`` together with a
    ``direction``.

    >>> import adviz
    >>> document, _ = forward_scene(adviz.trace(lambda x: x * x, 3.0))
    >>> document["steps"][2]["caption"]
    'v0 (x) passes 3 × 1 = 3 on to v1.'
    """
    if not (isinstance(jacobian, bool | str) and jacobian in JACOBIANS):
        raise ShowError(f"jacobian is {jacobian!r}; it can be {', '.join(map(repr, JACOBIANS))}")
    if jacobian and direction is not None:
        raise ShowError("the Jacobian takes every direction: give a direction or jacobian, not both")
    panels = chosen_panels(panels, "graph", *(["matrix"] if jacobian else []), "table", "formula", "code", "meters")
    by_columns = jacobian is True
    if direction is None and not jacobian:
        direction = {node: np.ones(np.shape(graph.values[node])) for node in graph.inputs[:1]}
    along = checked_direction(graph, direction) if direction is not None else None
    algorithm: Callable[[], Iterator[Step]] = partial(sweeps.forward_flow, graph, along)
    if by_columns:
        algorithm = partial(filling_matrices.column_sweeps, graph)
    count = filling_matrices.size(graph, graph.inputs) if by_columns else 1
    matrix: Matrix | None = None
    if "matrix" in panels and filling_matrices.fits(graph, filling_matrices.size(graph, graph.outputs)):
        matrix = filling_matrices.jacobian(graph) if jacobian else filling_matrices.directional(graph)
    run = Run("forward", "forward mode", "forward", "forward", LiveTimeline({}, algorithm), matrix, count)
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
    """Show a reverse sweep with one of ``sweeps.ENGINES``.

    With ``in_place``, ``use_counts`` adds in place as the original did, WRONGLY. ``seeds`` are adjoints by output node;
    ``None`` stands for 1 at a single output of one entry. Raises :class:`~adviz.SeedError` for any other graph without
    seeds, and :class:`ShowError` for an unknown engine.

    >>> import adviz
    >>> document, _ = backward_scene(adviz.trace(lambda x: x * x, 3.0), "tape")
    >>> document["steps"][4]["caption"]
    'v1 is visited next, since it is the previous entry of the tape; its adjoint is 1.'
    """
    panels = chosen_panels(panels, "graph", "table", "formula", "code", "tape", "meters")
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
    """Show one to four reverse sweeps over the same graph, on one clock.

    With ``align="step"`` the sweeps visit their nodes in lockstep, and within a visit move by move. With
    ``align="event"`` the clock of each run is the work that it has done, and the run whose clock is behind moves next.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: x * x, 3.0)
    >>> document, _ = engines_scene(graph)
    >>> [part["run"] for part in document["steps"][0]["parts"]]
    ['tape', 'toposort']
    """
    names = chosen("engine", engines, sweeps.ENGINES)
    if len(names) > MOST_RUNS:
        raise ShowError(f"{len(names)} engines are given; there can be 1 to {MOST_RUNS} side by side")
    if align not in ALIGNMENTS:
        raise ShowError(f"align is {align!r}; it can be {' or '.join(map(repr, ALIGNMENTS))}")
    panels, given = chosen_panels(panels, "graph", "tape", "formula", "code", "meters"), checked_seeds(graph, seeds)
    runs = [_backward(graph, name, _identity(names, k), given, panels) for k, name in enumerate(names)]
    return _show(graph, runs, panels, align=align, **options)


def timeline_scene(graph: Graph, timeline: Timeline, *, panels: Names | None = None, **options: Any) -> Show:
    """Show a timeline whose keys are those of the sweeps, such as that of a sweep of your own.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: x * x, 3.0)
    >>> document, _ = timeline_scene(graph, adviz.Timeline.record({}, adviz.toposort(graph)))
    >>> document["runs"][0]["kind"]
    'reverse'
    """
    words = {edit.key[0] for step in timeline for edit in step.edits if isinstance(edit.key, tuple)}
    kind = "forward" if "tangent" in words else "reverse" if "adjoint" in words else "evaluation"
    run = Run("timeline", "timeline", kind, kind, timeline)
    return _show(graph, [run], chosen_panels(panels, "graph", "table", "formula", "code", "meters"), **options)


def transcript(document: Document) -> str:
    """Return a show as text: a numbered line for each step.

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


def _identity(engines: Sequence[str], k: int) -> str:
    """Return the name of the k-th run in keys; a further run of the same engine is numbered."""
    earlier = list(engines[:k]).count(engines[k])
    return engines[k].replace(" ", "_") + (f"-{earlier + 1}" if earlier else "")


def _backward(graph: Graph, name: str, run: str, seeds: Seeds, panels: Sequence[str], in_place: bool = False) -> Run:
    if in_place and name != "use_counts":
        raise ShowError(f"only 'use_counts' adds in place, not {name!r}")
    engine = partial(sweeps.use_counts, in_place=True) if in_place else sweeps.ENGINES[name]
    is_shown = "matrix" in panels and filling_matrices.fits(graph, seeds.rows or 1)
    matrix = filling_matrices.gradient(graph, seeds) if is_shown else None
    timeline = LiveTimeline({}, partial(engine, graph, seeds.adjoints))
    return Run(run, LABELS[name], "reverse", name, timeline, matrix, is_right=not in_place)


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
    """Return the Scene of some runs; ``like`` is an earlier show of the same structure, whose layout is kept."""
    if not isinstance(teach, bool):
        raise ShowError(f"teach is {teach!r}; it can be True or False")
    scene, columns = explorer_scene.document(graph, panels=[])
    picture = _picture(graph, like) if "graph" in panels else folding.panel(graph)
    folded = FoldedNodes(graph, picture)
    played = [
        Playback(graph, run, folded, _panel_id("graph", run, runs), _reporter(progress, graph, k, runs)).documents()
        for k, run in enumerate(runs)
    ]
    document = {
        **scene,
        "panels": [panel for name in panels for panel in _panels(graph, name, runs, picture, folded)],
        "steps": played[0] if len(runs) == 1 else list(ALIGNMENTS[align](played, runs)),
        "runs": [{"id": run.id, "label": run.label, "kind": run.kind} for run in runs],
        "inputs": inputs(graph),
        "teach": teach,
    }
    return document, columns


def _reporter(progress: Progress | None, graph: Graph, number: int, runs: list[Run]) -> Callable[[int], None]:
    """Return a function that takes the visits made by a run, and reports the progress of all runs."""
    visits_of = [run.sweeps * len(graph) for run in runs]
    start, total = sum(visits_of[:number]), sum(visits_of)
    return lambda visits: progress(start + visits, total) if progress else None


def _picture(graph: Graph, like: Document | None) -> GraphPanel:
    """Return the graph panel, placed, with room in every item for the state that a run writes there."""
    panel = folding.panel(graph)
    for item in panel["nodes"]:
        item["room"] = theme.STATE_LINE
        if item["node"] is not None:
            item["detail"] = f"v{item['node']} = {captions.detail(graph, item['node'])}"
    old = like and next((old for old in like["panels"] if old["kind"] == "graph"), None)
    if old and _outline(old) == _outline(panel):  # keep the places; texts that have grown are cut to their items
        nodes = [was | placing.sized(item, was["w"]) for item, was in zip(panel["nodes"], old["nodes"], strict=True)]
        edges = [was | edge for edge, was in zip(panel["edges"], old["edges"], strict=True)]
        return old | {"nodes": nodes, "edges": edges, "note": (old["note"] or "").removeprefix(ANEW).strip() or None}
    placed = placing.place(panel)
    return placed | {"note": f"{ANEW} {placed['note'] or ''}".strip()} if old else placed


ANEW = "With these numbers the program takes another path: the picture has a new layout."


def _outline(panel: Picture) -> tuple[list[str], list[tuple[str, int]]]:
    """Return what two pictures must have in common for one to keep the layout of the other."""
    return [item["key"] for item in panel["nodes"]], [(edge["key"], edge["count"]) for edge in panel["edges"]]


def _panels(graph: Graph, kind: str, runs: list[Run], picture: Picture, folded: FoldedNodes) -> Iterator[Document]:
    """Yield the panels of one kind, one or one per run; among several runs only those of tapes have a tape panel."""
    if kind not in PER_RUN:
        yield {"id": kind, "kind": kind}
        return
    for run in runs:
        own = {"id": _panel_id(kind, run, runs), "kind": kind, "run": run.id}
        if kind == "graph":
            yield {**picture, **own}
        elif kind == "tape" and (len(runs) == 1 or run.engine.startswith("tape")):
            rows = [
                _row(graph, node) | {"detail": captions.detail(graph, node), "dead": not graph.live[node]}
                for node in folded.shown
            ]
            yield own | {"rows": rows}
        elif kind == "table":
            yield own | {"columns": COLUMNS[run.kind], "rows": [_row(graph, node) for node in folded.shown]}
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
    "reverse": [{"what": "value", "label": "v"}, {"what": "adjoint", "label": "v̄"}],
}


def _panel_id(kind: str, run: Run, runs: list[Run]) -> str:
    return kind if len(runs) == 1 else f"{kind}-{run.id}"


def _row(graph: Graph, node: int) -> TableRow:
    return {"node": node, "label": captions.formula(graph, node)}


def inputs(graph: Graph) -> list[Input]:
    """Return the numbers among the inputs, each with the range of a slider."""
    found = [node for node in graph.inputs if np.ndim(graph.values[node]) == 0 and abs(graph.values[node]) < HUGE]
    documents: list[Input] = []
    for node in found[:MOST_INPUTS]:
        value = float(graph.values[node])
        low, high = _around(value)
        name = graph.name(node) or f"v{node}"
        documents.append({"name": name, "node": node, "value": value, "min": low, "max": high})
    return documents


def _around(value: float) -> tuple[float, float]:
    """Return the ends of a slider around a number: ``REACH`` round steps on either side."""
    least = max(1.0, 1.5 * abs(value)) / REACH
    unit = 10.0 ** np.floor(np.log10(least))
    step = next(unit * digit for digit in (1, 2, 5, 10) if unit * digit >= least * (1 - 1e-9))
    low, high = (float(f"{value + side * REACH * step:.12g}") for side in (-1, 1))
    return low, high
