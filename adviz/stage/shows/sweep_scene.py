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
from functools import cache, partial
from typing import Any, cast

import numpy as np

from ...algorithms import sweeps
from ...algorithms.sweeps.seeds import GivenSeeds, Seeds, checked_direction, checked_seeds
from ...engine.tracing.decisions import Decision
from ...graph.graph import Graph
from ...graph.timeline import LiveTimeline, Step, Timeline
from ..narration import branches
from ..narration.levels import SweepNarrator
from ..narration.playing import FoldedNodes, Matrix, Run
from ..narration.source_names import NodeNames
from ..scene import document as documents
from ..scene.document import Panel, RunKind, keyframes
from ..scene.flow_panel import CodePanel, FlowPanel
from ..scene.panels import GraphPanel, TableColumn
from ..scene.progress import Progress
from . import beside_flow, explorer_scene, filling_matrices, flow_scene, folding, told_runs
from .beside_flow import Along
from .options import (
    PANELS,
    Engine,
    Names,
    PanelKind,
    Show,
    ShowError,
    chosen,
    chosen_jacobian,
    chosen_kinds,
    show_document,
)
from .told_runs import ALIGNMENTS, Told, moments, panel_id

LABELS = {
    "recursion": "recursion",
    "tape": "tape",
    "tape with flags": "tape with flags",
    "toposort": "sorted node graph",
    "rank_heap": "node graph with a heap of ranks",
    "use_counts": "node graph with use counts",
}
QUANTITIES = {"evaluation": ("value",), "forward": ("value", "tangent"), "reverse": ("value", "adjoint")}
"""The columns of a table, by kinds of runs."""
JACOBIANS = (False, True, "blocks")
MOST_RUNS = 4


def evaluation_scene(graph: Graph, *, panels: Names | None = None, **options: Any) -> Show:
    """Show the evaluation of a graph, node by node.

    >>> import adviz
    >>> document, _ = evaluation_scene(adviz.trace(lambda x: x * x, 3.0))
    >>> [step["caption"] for step in document["steps"]]
    ['x is given: 3.', 'f = x·x = 3 × 3 = 9.', 'The result is 9.']
    """
    timeline = LiveTimeline({}, partial(sweeps.evaluation, graph))
    run = Run("evaluation", "evaluation", "evaluation", "evaluation", timeline)
    return _show(graph, [run], chosen_kinds(panels, PANELS, "graph", "table", "code", "formula"), **options)


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
    'x passes 3 × 1 = 3 on to f.'
    """
    filled = chosen_jacobian(jacobian, JACOBIANS, direction, "a direction")
    panels = chosen_kinds(panels, PANELS, "graph", *filled, "code", "result", "nudge", "formula", "table", "meters")
    by_columns = jacobian is True
    if direction is None and not jacobian:
        direction = {node: np.ones(np.shape(graph.values[node])) for node in graph.inputs[:1]}
    along = checked_direction(graph, direction) if direction is not None else None
    algorithm: Callable[[], Iterator[Step]] = partial(sweeps.forward_flow, graph, along)
    if by_columns:
        algorithm = partial(filling_matrices.unit_sweeps, graph, graph.inputs, sweeps.forward_flow)
    count = filling_matrices.size(graph, graph.inputs) if by_columns else 1
    matrix: Matrix | None = None
    if "matrix" in panels and filling_matrices.fits(graph, filling_matrices.size(graph, graph.outputs)):
        matrix = filling_matrices.jacobian(graph, "tangent") if jacobian else filling_matrices.directional(graph)
    moving = [node for node, tangent in (along or {}).items() if np.any(tangent)]
    timeline = LiveTimeline({}, algorithm)
    run = Run("forward", "forward mode", "forward", "forward", timeline, matrix, count, moving=moving)
    return _show(graph, [run], panels, **options)


def backward_scene(
    graph: Graph,
    engine: str | Engine = "toposort",
    *,
    seeds: GivenSeeds = None,
    jacobian: bool = False,
    in_place: bool = False,
    panels: Names | None = None,
    **options: Any,
) -> Show:
    """Show a reverse sweep with one of ``sweeps.ENGINES``; with ``jacobian`` one for every entry of the outputs.

    These fill the Jacobian row by row.

    With ``in_place``, ``use_counts`` adds in place as the original did, WRONGLY. ``seeds`` are adjoints by output node;
    ``None`` stands for 1 at a single output of one entry. Raises :class:`~adviz.SeedError` for any other graph without
    seeds, and :class:`ShowError` for an unknown engine, or for ``jacobian`` together with ``seeds``.

    >>> import adviz
    >>> document, _ = backward_scene(adviz.trace(lambda x: x * x, 3.0), "tape")
    >>> document["steps"][2]["caption"]
    'f is visited next, since it is the previous entry of the tape; its adjoint is 1.'
    """
    filled = chosen_jacobian(jacobian, (False, True), seeds, "seeds")
    panels = chosen_kinds(
        panels, PANELS, "graph", *filled, "code", "result", "nudge", "formula", "table", "tape", "meters"
    )
    (name,) = chosen("engine", [engine], sweeps.ENGINES)
    if jacobian:
        return _show(graph, [_rows(graph, name, panels, in_place)], panels, **options)
    run = _backward(graph, name, _identity([name], 0), checked_seeds(graph, seeds), panels, in_place)
    return _show(graph, [run], panels, **options)


def engines_scene(
    graph: Graph,
    engines: Names | Iterable[Engine] = ("tape", "toposort"),
    *,
    seeds: GivenSeeds = None,
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
    # Strips tell of the tape, and equations stand at the gates.
    panels, given = chosen_kinds(panels, PANELS, "graph", "code", "meters"), checked_seeds(graph, seeds)
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
    kind: RunKind = "forward" if "tangent" in words else "reverse" if "adjoint" in words else "evaluation"
    run = Run("timeline", "timeline", kind, kind, timeline)
    panels = chosen_kinds(panels, PANELS, "graph", "code", "result", "nudge", "formula", "table", "meters")
    return _show(graph, [run], panels, **options)


def transcript(document: documents.Show) -> str:
    """Return a show as text: a numbered line for each step; a sweep is first explained node by node, then move by move.

    >>> import adviz
    >>> print(transcript(evaluation_scene(adviz.trace(lambda x: x * x, 3.0))[0]))
    <lambda>: evaluation
    Node by node:
    1  Values are computed one after the other, each from those before it: follow them from left to right.
    2  Given is x = 3.
    3  f = x·x = 3 × 3 = 9.
    4  All values are there: f = 9.
    Move by move:
    1  x is given: 3.
    2  f = x·x = 3 × 3 = 9.
    3  The result is 9.
    >>> lines = transcript(backward_scene(adviz.trace(lambda x: x * x, 3.0))[0]).splitlines()
    >>> [line for line in lines if not line[0].isdigit() and line[0] != " "]
    ['<lambda>: sorted node graph', 'Node by node:', 'Move by move:']
    """
    title = f"{document['title']}: {' vs. '.join(run['label'] for run in document['runs'])}"
    moves = [step["caption"] for step in document["steps"]]
    if not (opening := document.get("opening")):
        return "\n".join([title, *_numbered(moves)])
    nodes = [opening["caption"], *(keyframe["caption"] for _, keyframe in keyframes(document))]
    return "\n".join([title, "Node by node:", *_numbered(nodes), "Move by move:", *_numbered(moves)])


def _numbered(sentences: Sequence[str]) -> list[str]:
    """Return lines, each with its number."""
    places = len(str(len(sentences)))
    return [f"{k:>{places}}  {sentence}" for k, sentence in enumerate(sentences, 1)]


def _identity(engines: Sequence[str], k: int) -> str:
    """Return the name of the k-th run in keys; a further run of the same engine is numbered."""
    earlier = list(engines[:k]).count(engines[k])
    return engines[k].replace(" ", "_") + (f"-{earlier + 1}" if earlier else "")


def _rows(graph: Graph, name: str, panels: Sequence[PanelKind], in_place: bool) -> Run:
    """Return the run of the sweeps that fill the Jacobian row by row."""
    count = filling_matrices.size(graph, graph.outputs)
    is_shown = "matrix" in panels and filling_matrices.fits(graph, count)
    matrix = filling_matrices.jacobian(graph, "adjoint") if is_shown else None
    by_entry = partial(filling_matrices.unit_sweeps, graph, graph.outputs, _engine(name, in_place))
    timeline = LiveTimeline({}, by_entry)
    return Run(_identity([name], 0), LABELS[name], "reverse", name, timeline, matrix, count, not in_place)


def _engine(name: str, in_place: bool) -> Engine:
    if in_place and name != "use_counts":
        raise ShowError(f"only 'use_counts' adds in place, not {name!r}")
    return partial(sweeps.use_counts, in_place=True) if in_place else sweeps.ENGINES[name]


def _backward(
    graph: Graph, name: str, run: str, seeds: Seeds, panels: Sequence[PanelKind], in_place: bool = False
) -> Run:
    is_shown = "matrix" in panels and filling_matrices.fits(graph, seeds.rows or 1)
    matrix = filling_matrices.gradient(graph, seeds) if is_shown else None
    timeline = LiveTimeline({}, partial(_engine(name, in_place), graph, seeds.adjoints))
    return Run(run, LABELS[name], "reverse", name, timeline, matrix, is_right=not in_place)


# ---- a show put together ----


def _show(
    graph: Graph,
    runs: list[Run],
    panels: Sequence[PanelKind],
    *,
    align: str = "step",
    teach: bool = False,
    like: documents.Show | None = None,
    progress: Progress | None = None,
    along: Along | None = None,
    flows: bool = True,
) -> Show:
    """Return the Scene of some runs; ``like`` is an earlier show of the same structure, whose layout stays.

    ``along`` is the program with other numbers. Without ``flows`` the graph is drawn as the Explorer draws it.
    """
    scene, columns = explorer_scene.document(graph, panels=[])
    told = told_runs.told(graph, runs, panels, scene["title"], align, progress, is_flow=flows)
    called = NodeNames(graph, told.names)
    picture = cache(partial(folding.picture, called, like)) if "graph" in panels else None  # placed where it is shown
    narrators, steps = told.narrators, told.steps
    old = {panel["run"]: panel for panel in like["panels"] if panel["kind"] == "flow"} if like else {}
    flow: dict[PanelKind, list[Panel]] = {}
    if narrators and len(runs) > 1:
        flow = {"graph": [*_side_by_side(told, runs, old)]}
    elif narrators:
        flow = _flow_panels(narrators[0], runs[0], panels, old, along, told.by_line)
    shown = [
        panel
        for name in panels
        for panel in (flow[name] if name in flow else _panels(name, runs, picture, told.folded, called))
    ]
    if not shown:
        raise ShowError(f"of the panels {', '.join(panels)} this show has none; results stand beside a single graph")
    document = show_document(
        scene,
        shown,
        steps,
        [{"id": run.id, "label": run.label, "kind": run.kind} for run in runs],
        teach,
        inputs=beside_flow.inputs(graph),
    )
    if narrators and len(runs) == 1:
        document["opening"] = (told.by_line or narrators[0])[0].opening()
        _tell_branches(document, graph, along.decided or () if along else ())
    return document, columns


def _tell_branches(document: documents.Show, graph: Graph, decisions: Sequence[Decision]) -> None:
    """Say with the result where it holds, and which parts of the source were not run."""
    found = branches.branches(decisions)
    last = document["steps"][-1]
    sentence, rests = branches.holding(found), last.get("rests", {})
    for told in (last, rests.get("lines"), rests.get("nodes"), rests.get("edges")):
        if told:
            told["caption"] += sentence
    skipped = branches.skipped(graph, found)
    for panel in document["panels"]:
        if panel["kind"] == "code" and skipped:
            panel["skipped"] = skipped


def _flow_panels(
    narrators: list[SweepNarrator],
    run: Run,
    panels: Sequence[PanelKind],
    old: dict[str, FlowPanel],
    along: Along | None,
    by_line: list[SweepNarrator],
) -> dict[PanelKind, list[Panel]]:
    """Return the panels that show a run as numbers that flow, and what stands beside a single sweep."""
    narrator = narrators[0]
    flow = flow_scene.panel(narrators, run.id, old.get(run.id), lines=by_line)
    if len(narrators) > 1:
        return {"graph": [flow]}
    is_single = run.kind != "evaluation" and not narrator.flow.is_block  # a derivative for each entry
    results = [beside_flow.result_panel(narrator, run.id)] if is_single else []
    result: dict[PanelKind, list[Panel]] = {"graph": [flow], "result": [*results]}
    if narrator.on_bench:  # at the end it lists the derivatives
        result |= {"formula": [beside_flow.bench_panel(narrator, by_line, run.id)], "result": []}
    numbers = beside_flow.source_numbers(narrator, flow) if "code" in panels else None
    if numbers:
        code: CodePanel = {"id": "code", "kind": "code", "numbers": numbers}
        if narrator.on_bench and along and beside_flow.is_gradient(narrator) and narrator.flow.reverse:
            code["program"] = []  # written when it is asked for
        result["code"] = [code]
    nudge = beside_flow.nudge_panel(narrator, run.id, along) if "nudge" in panels and is_single else None
    if nudge:
        result["nudge"] = [nudge]
    return result


def _side_by_side(told: Told, runs: list[Run], old: dict[str, FlowPanel]) -> Iterator[FlowPanel]:
    """Yield a panel for each run, with the strip of its engine."""
    for run, each, own_steps in zip(runs, told.narrators, told.played, strict=True):
        is_tape = run.engine.startswith("tape")
        at = moments(told.steps, run)
        strip = flow_scene.engine_strip(each[0].graph, run.timeline, own_steps, at, each[0].names, is_tape=is_tape)
        panel = flow_scene.panel(each, run.id, old.get(run.id), strip)
        yield {**panel, "id": panel_id("graph", run, runs), "title": flow_scene.title(run)}


def _panels(
    kind: PanelKind,
    runs: list[Run],
    picture: Callable[[], GraphPanel] | None,
    folded: FoldedNodes,
    called: NodeNames,
) -> Iterator[Panel]:
    """Yield the panels of one kind, one or one per run; among several runs only those of tapes have a tape panel.

    Result and nudge stand only beside a single sweep that is seen at once.
    """
    match kind:
        case "code" | "formula" | "meters":
            yield cast(Panel, {"id": kind, "kind": kind})
    for run in runs:
        name = panel_id(kind, run, runs)
        if kind == "graph" and picture:
            yield {**picture(), "id": name, "run": run.id}
        elif kind == "tape" and (len(runs) == 1 or run.engine.startswith("tape")):
            yield {"id": name, "kind": "tape", "run": run.id, "rows": beside_flow.tape_rows(called, folded.shown)}
        elif kind == "table":
            columns: list[TableColumn] = [{"what": what, "label": what} for what in QUANTITIES[run.kind]]
            rows = beside_flow.rows(called, folded.shown)
            yield {"id": name, "kind": "table", "run": run.id, "columns": columns, "rows": rows}
        elif kind == "matrix" and run.matrix:
            down, across = run.matrix.rows, run.matrix.columns
            yield {
                "id": name,
                "kind": "matrix",
                "run": run.id,
                "rows": [row.label for row in down],
                "row_nodes": [row.node for row in down],
                "columns": [column.label for column in across],
                "column_nodes": [column.node for column in across],
                "label": run.matrix.label,
            }
