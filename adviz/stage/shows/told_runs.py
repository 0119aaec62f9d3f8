"""Runs as they are told: played move by move, over folds where there is much, and explained where numbers flow.

A graph that is too large to be shown node by node is played folded: consecutive moves inside one folded scope become
one step, with their joint cost. One with many operations is told line by line first. Several runs are on one clock:
their steps become joint steps of one Scene.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from heapq import heappop, heappush
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from ...graph.graph import Graph
from ..narration.evaluations import EvaluationNarrator, evaluation_of
from ..narration.flows import Flow, flows_of, placed_in
from ..narration.folds import choosing, statements
from ..narration.folds.folded_flow import FoldedSweep, flow_over, folded_flow
from ..narration.folds.folded_graph import FoldedGraph, drawn
from ..narration.levels import SweepNarrator
from ..narration.playing import COSTS, MOST_STEPS, RESULT, FoldedNodes, Playback, Run, result, steps_of, total
from ..narration.source_names import SourceNames
from ..scene import captions
from ..scene.document import Part, Question, Rests, Step
from ..scene.progress import Progress
from . import filling_matrices, flow_scene, folding
from .options import PanelKind

MOST_LAYERS = 4  # of lines within lines
FEW_BESIDE = 10  # nodes that can be read where two sweeps share a window

Steps = list[Step]


class Told(NamedTuple):
    """Some runs: the steps of each, and all on one clock; what explains them, if numbers flow, and by lines.

    ``folded`` has the nodes that are seen, and ``names`` are those of the picture.
    """

    played: list[Steps]
    steps: Steps
    narrators: list[list[SweepNarrator]]
    by_line: list[SweepNarrator]
    folded: FoldedNodes
    names: SourceNames


def told(
    graph: Graph,
    runs: list[Run],
    panels: Sequence[PanelKind],
    title: str,
    align: str,
    progress: Progress | None,
    *,
    is_flow: bool = True,
    is_foldable: bool = True,
    most_layers: int = MOST_LAYERS,
) -> Told:
    """Tell some runs; over folds where the graph is large and ``is_foldable``, in at most so many layers of lines."""
    folds, lines = _folded(graph, runs, panels, is_foldable, most_layers) if is_flow else (None, [])
    folded = partial(FoldedSweep, folds) if folds else cache(partial(folding.folded_nodes, graph))
    is_seen = is_flow and "graph" in panels and not folded().any and bool(lines or flow_scene.fits(graph))
    runs = [run.kept() for run in runs] if folds or is_seen else runs
    flows = _flows(graph, runs) if is_seen else []
    is_told = folds or flows or (is_seen and _is_evaluation(runs))
    only = None if is_told else folded().shown
    names = flow_scene.named((folds or graph) if is_told else graph, title, only, lines if is_told else ())
    on_bench = bool(is_told) and _is_on_bench(folds or graph, runs, flows, panels)
    has_rests = bool(is_told) and len(runs) == 1  # a show that rests at nodes says there what happens
    playback = partial(Playback, names=names, has_formulas=not on_bench, has_sums=not has_rests)
    played = [_played(graph, k, runs, folded(), progress, playback) for k in range(len(runs))]
    beside = _folded_flows(folds, runs, played, names) if folds and len(runs) > 1 else []
    steps = played[0] if len(runs) == 1 else list(ALIGNMENTS[align](played, runs))
    narrators: list[list[SweepNarrator]] = []
    if folds and len(runs) > 1:
        narrators = _beside(beside, runs, played, steps, names)
    elif is_told and _is_evaluation(runs):
        narrators = [[_evaluated(folds or graph, names, steps)]]
    elif folds:
        narrators = _as_folds(folds, runs[0], steps, names, on_bench)
    elif is_told:
        is_by_edge = not lines or flow_scene.fits(graph)  # else edges are those between lines
        narrators = _as_flow(graph, runs, flows, played, steps, names, on_bench, is_by_edge)
    by_line = list(_by_line(lines, narrators[0][0], steps)) if narrators else []
    if (folds and not narrators) or (lines and not by_line):
        less = {"is_foldable": bool(lines), "most_layers": bool(lines and folds)}
        return told(graph, runs, panels, title, align, progress, **less)
    return Told(played, steps, narrators, by_line, folded(), names)


def _is_single(runs: list[Run], panels: Sequence[PanelKind]) -> bool:
    """Return whether there is a single sweep with a picture."""
    return len(runs) == 1 and "graph" in panels and runs[0].sweeps == 1


def _folded(
    graph: Graph, runs: list[Run], panels: Sequence[PanelKind], foldable: bool, most_layers: int
) -> tuple[FoldedGraph | None, list[FoldedGraph]]:
    """Return the folds over which a sweep is explained where it is large, and the lines by which it is told first."""
    if len(runs) > 1 and "graph" in panels and foldable:
        return _folded_beside(graph), []
    if not _is_single(runs, panels):
        return None, []
    is_told = most_layers and len(graph) > statements.FEW_ON_ARRAYS
    lines = statements.layers(graph, runs[0].moving, MOST_LAYERS - 1)[:most_layers] if is_told else []
    if not foldable or flow_scene.fits(graph) or (lines and statements.can_be_opened(graph)):
        return None, lines
    return (lines[-1], lines[:-1]) if lines else (choosing.folded(graph), [])


def _folded_beside(graph: Graph) -> FoldedGraph | None:
    """Return the folds over which several sweeps are seen beside each other, where nodes would be too small."""
    if len(flow_scene.nodes_of(graph)) <= FEW_BESIDE:
        return None
    lines = statements.layers(graph, also_few=True)[:1]
    return lines[0] if lines else None if flow_scene.fits(graph) else choosing.folded(graph)


def _is_evaluation(runs: list[Run]) -> bool:
    return any(run.kind == "evaluation" for run in runs)


def _is_on_bench(graph: Graph, runs: list[Run], flows: list[list[Flow]], panels: Sequence[PanelKind]) -> bool:
    """Return whether the bench stands in the place of formulas: they tell of numbers, and it of arrays."""
    flow = flows[0][0] if flows else None
    if not _is_single(runs, panels) or _is_evaluation(runs) or "formula" not in panels or (flow and flow.is_block):
        return False
    live = (node for node in drawn(graph) if graph.live[node] and graph.blocks[node].name != "output")
    swept = {head for head, _ in flow.sent} if flow else live
    return any(np.ndim(graph.values[end]) for node in swept for end in (node, *graph.operand_nodes(node)))


def _evaluated(graph: Graph, names: SourceNames, steps: Steps) -> SweepNarrator:
    """Explain an evaluation, whose last step says the result."""
    narrator = EvaluationNarrator(evaluation_of(graph, steps), names, steps)
    for number, rests in narrator.keyframes().items():
        steps[number]["rests"] = rests
    return narrator


def _flows(graph: Graph, runs: list[Run]) -> list[list[Flow]]:
    """Read the sweeps of each run; nothing where one of them cannot be seen as numbers that flow."""
    if _is_evaluation(runs):
        return []
    result = [flows_of(graph, run.timeline, run.kind == "reverse", run.sweeps) for run in runs]
    is_thinned = any(sum(flow.steps for flow in flows or []) > MOST_STEPS for flows in result)
    return [] if is_thinned or not all(result) else [flows for flows in result if flows]


def _as_flow(
    graph: Graph,
    runs: list[Run],
    flows: list[list[Flow]],
    played: list[Steps],
    steps: Steps,
    names: SourceNames,
    on_bench: bool,
    is_by_edge: bool,
) -> list[list[SweepNarrator]]:
    """Explain sweeps that fit, for each run one after the other; steps that say results are added.

    A single run is explained at its levels of detail. Several run on one clock: there each move of the engines counts.
    """
    step_of = list(map(steps_of, played))
    if not flows or [sum(flow.steps for flow in each) for each in flows] != list(map(len, step_of)):
        return []
    if len(runs) > 1:
        single = [placed_in(each, own, own[-1]) for (each,), own in zip(flows, step_of, strict=True)]
        return _beside(single, runs, played, steps, names)
    (run,) = runs
    narrators, first = [], 0
    for number, flow in enumerate(flows[0]):
        line = filling_matrices.line(graph, run, number + 1) if run.sweeps > 1 else None
        own, step_of[0] = step_of[0][: flow.steps], step_of[0][flow.steps :]
        own = [step + number for step in own]  # after the results of earlier sweeps
        narrator = SweepNarrator(placed_in(flow, own, own[-1] + 1), names, first, line, on_bench=on_bench)
        _explained(narrator, steps, own[-1] + 1, is_by_edge)
        narrators.append(narrator)
        first = own[-1] + 2
    return [narrators]


def _beside(
    flows: list[Flow],
    runs: list[Run],
    played: list[Steps],
    steps: Steps,
    names: SourceNames,
) -> list[list[SweepNarrator]]:
    """Explain sweeps on one clock, where each move of the engines counts; one more step says what they have cost."""
    if not flows:
        return []
    when = [moments(steps, run) for run in runs]
    steps.append(results(runs, played))
    placed = [placed_in(each, at, len(steps) - 1) for each, at in zip(flows, when, strict=True)]
    return [[SweepNarrator(each, names)] for each in placed]


def _folded_flows(folds: FoldedGraph, runs: list[Run], played: list[Steps], names: SourceNames) -> list[Flow]:
    """Return several sweeps over folds, whose steps tell also what folds send; nothing where one cannot be seen so."""
    flows = [flow for run, own in zip(runs, played, strict=True) if (flow := folded_flow(folds, run, own))]
    if len(flows) < len(runs):
        return []
    for flow, own in zip(flows, played, strict=True):
        for step, words in SweepNarrator(flow, names).briefly().items():
            own[step]["caption"] = own[step]["caption"] or words
    return flows


def _as_folds(
    folds: FoldedGraph, run: Run, steps: Steps, names: SourceNames, on_bench: bool
) -> list[list[SweepNarrator]]:
    """Explain a single sweep over folds, as those are explained that fit."""
    flow = folded_flow(folds, run, steps)
    if not flow or flow.steps != len(steps):
        return []
    narrator = SweepNarrator(flow, names, on_bench=on_bench and not flow.is_block)
    explained = _explained(narrator, steps, len(steps))
    for number, step in enumerate(steps):
        if not step["caption"]:  # what folds send is no work of the engine
            step["caption"] = next(each["edges"]["caption"] for at, each in sorted(explained.items()) if at >= number)
    return [[narrator]]


def _explained(narrator: SweepNarrator, steps: Steps, last: int, is_by_edge: bool = True) -> dict[int, Rests]:
    """Put the step that says the result at the place ``last``, and the keyframes of a sweep into its steps."""
    explained = narrator.keyframes(is_by_edge=is_by_edge)
    steps.insert(last, result(steps[last - 1], explained[last]["nodes"]["caption"]))
    for step, each in explained.items():
        steps[step]["rests"] = each
    return explained


def _by_line(layers: list[FoldedGraph], narrator: SweepNarrator, steps: Steps) -> Iterator[SweepNarrator]:
    """Explain a sweep line by line as well, and by what is inside of lines, as far as its moves can be seen so."""
    costs = [[step["cost"][name] for step in steps] for name in ("multiplications", "additions")]
    has_edges = flow_scene.fits(narrator.graph)
    for depth, layer in enumerate(layers):
        flow = flow_over(layer, narrator.flow)
        if not flow:
            return
        flow = flow._replace(cost=(sum(costs[0]), sum(costs[1])))
        sends = {sent.step for each in (flow, narrator.flow) for sent in each.sent.values()}
        begun = sorted({*sends, *flow.sums.values(), flow.steps})
        result = narrator.over(flow, begun)
        told = result.keyframes(layer.exits if depth else None, is_by_edge=not depth and not has_edges)
        _tell(steps, told, depth)
        yield result


def _tell(steps: Steps, told: dict[int, Rests], depth: int) -> None:
    """Put what is said of lines into steps, or what is said so deep inside of lines."""
    if any("edges" in each for each in told.values()):  # edges are those between lines
        for step in steps:
            step.get("rests", {}).pop("edges", None)
    for number, each in told.items():
        rests = steps[number].setdefault("rests", {})
        if "edges" in each:
            rests["edges"] = each["edges"]
        if "nodes" in each and depth:
            inner = rests.setdefault("inner", [])
            inner += [*[None] * (depth - 1 - len(inner)), each["nodes"]]
        elif "nodes" in each:
            rests["lines"] = each["nodes"]


def _played(
    graph: Graph,
    k: int,
    runs: list[Run],
    folded: FoldedNodes,
    progress: Progress | None,
    playback: Callable[..., Playback],
) -> Steps:
    """Return the steps of the k-th run."""
    visits_of = [run.sweeps * len(graph) for run in runs]
    start, total = sum(visits_of[:k]), sum(visits_of)

    def report(visits: int) -> None:
        if progress:
            progress(start + visits, total)

    return playback(graph, runs[k], folded, panel_id("graph", runs[k], runs), report).documents()


def panel_id(kind: str, run: Run, runs: list[Run]) -> str:
    """Return the name of a panel of a run."""
    return kind if len(runs) == 1 else f"{kind}-{run.id}"


# ---- several runs on one clock ----


def in_lockstep(played: list[Steps], runs: list[Run]) -> Iterator[Step]:
    """Yield joint steps in which all runs visit their nodes together, move by move; a run that has ended waits."""
    for visits in zip_longest(*map(_visits, played), fillvalue=()):
        for k, moves in enumerate(zip_longest(*visits)):
            parts = [(run, move) for run, move in zip(runs, moves, strict=True) if move]
            yield {**_joint(parts), "coarse": not k}


def _visits(documents: Steps) -> Iterator[Steps]:
    """Yield the steps of a run, one coarse step at a time."""
    visit: Steps = []
    for document in documents:
        if document["coarse"] and visit:
            yield visit
            visit = []
        visit.append(document)
    yield visit


def by_events(played: list[Steps], runs: list[Run]) -> Iterator[Step]:
    """Yield the moves by time; a move takes as long as its operations and comparisons, at least 1."""
    clocks = [(0, k, 0) for k in range(len(runs))]
    while clocks:
        time, k, place = heappop(clocks)
        document = played[k][place]
        joint = _joint([(runs[k], document)])
        joint.pop("whole", None)  # other runs move in between
        yield joint
        if place + 1 < len(played[k]):
            work = sum(document["cost"][name] for name in COSTS)
            heappush(clocks, (time + max(work, document.get("moves", 1)), k, place + 1))


def moments(steps: Steps, run: Run) -> list[int]:
    """Return which joint steps have a step of a run."""
    return [
        k
        for k, step in enumerate(steps)
        if any(part["run"] == run.id and part["kind"] != RESULT for part in step.get("parts", [step]))
    ]


def results(runs: list[Run], played: list[Steps]) -> Step:
    """Return the step that says what several runs have cost."""
    parts = []
    for run, documents in zip(runs, played, strict=True):
        cost, last = total(document["cost"] for document in documents), documents[-1]
        work = [captions.plural(cost[name], name[:-1]) for name in ("multiplications", "additions")]
        if cost["comparisons"]:
            work.append(captions.plural(cost["comparisons"], "comparison"))
        text = f"In all {captions.listed([captions.plural(cost['visits'], 'visit'), *work])}"
        parts.append((run, result(last, f"{text}; at most {captions.amount(int(last['peak']))} alive.")))
    return _joint(parts)


ALIGNMENTS = {"step": in_lockstep, "event": by_events}


def _joint(parts: list[tuple[Run, Step]]) -> Step:
    """Join steps of several runs: their edits and costs together, and what each of them is in ``parts``."""
    documents = [document for _, document in parts]
    questions: Iterator[Question] = (
        {**question, "prompt": f"{run.label}: {question['prompt']}"}
        for run, document in parts
        if (question := document["question"])
    )
    joint: Step = {
        **documents[0],
        "caption": _said((run, document["caption"]) for run, document in parts),
        "focus": [key for document in documents for key in document["focus"]],
        "cost": total(document["cost"] for document in documents),
        "edits": [edit for document in documents for edit in document["edits"]],
        "question": next(questions, None),
    }
    if any("whole" in document for document in documents):
        joint["whole"] = _said((run, document.get("whole") or document["caption"]) for run, document in parts)
    if len(documents) > 1:
        joint["parts"] = list(map(part, documents))
    return joint


def part(document: Step) -> Part:
    """Return what a joint step says of one of its runs."""
    return flow_scene.only(Part, document)


def _said(sentences: Iterable[tuple[Run, str]]) -> str:
    return " ".join(f"{run.label[0].upper()}{run.label[1:]}: {sentence}" for run, sentence in sentences)
