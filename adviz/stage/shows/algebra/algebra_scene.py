"""The Scene of the algebra of a graph: its expressions, its chains and blocks, step by step, and its levels.

The keys of its stage are those of the picture of an elimination: ``algebra/vertex/3``, ``algebra/node/1.3`` (whose
value is a letter here) and ``algebra/face/0.1/1.3``. Steps have no cost of their own: what the expressions cost after
each is in their panel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from ....algorithms.expressions import ExpressionError, LocalJacobian, local_jacobians, optimal_expressions
from ....algorithms.search.clock import Budget, budget_of
from ....algorithms.search.optimum import optimal_order
from ....engine.trace import trace
from ....graph.graph import Graph
from ....graph.linearized.cgraph import CGraph
from ....graph.linearized.measures import DIRECTIONS, bauer_multiplications
from ...narration.algebra.algebra_narration import AlgebraNarrator, Namer
from ...narration.algebra.factored_moments import TOO_LARGE, WAYS, FactoredMoment, Way, factored
from ...narration.algebra.page_moments import PageMoment, paged
from ...narration.questions.algebra_questions import Examiner
from ...scene import document as documents
from ...scene.algebra.elimination_panels import Direction
from ...scene.algebra.expression_panels import BestCost
from ...scene.document import Panel, Scene
from ...scene.document import Step as SceneStep
from ...scene.short_text import OnStage
from .. import explorer_scene
from ..options import Names, Show, ShowError, chosen
from .factored_picture import picture, stage_of
from .level_tables import levels_panel
from .written_sets import dependence, outline, written_set

PanelKind = Literal["graph", "expressions", "outline", "levels", "dependencies"]
PANELS: tuple[PanelKind, ...] = get_args(PanelKind)
RUN = "algebra"
UNTITLED = "linearized graph"
TITLES = {
    "backward": "backward factorization",
    "forward": "forward factorization",
    "paths": "all paths apart, and joined again",
    "pages": "pages, one by one",
}
COUNTED = ", each product counted as one"
MOST_STEPS = 100
EFFORT = 5_000
WIDEST, HIGHEST = 1_500.0, 800.0  # of a picture: in a larger one letters could not be read


def algebra_scene(
    graph: CGraph,
    way: str = "backward",
    *,
    references: bool = True,
    direction: str = "data flow",
    program: Graph | None = None,
    panels: Names | None = None,
    teach: bool = False,
    effort: float | None = None,
    time_limit: float | None = None,
) -> Show:
    """Show the algebra of a graph while it is factored in one of ``WAYS``.

    ``panels`` chooses among ``PANELS``; dependencies are shown where there are some. The cost is shown beside the
    fewest that any expressions take, with the ``effort`` and ``time_limit`` of :func:`~adviz.optimal_order`, 5,000 by
    default. Raises :class:`~adviz.ShowError` for an unknown option and for a graph that is too large to be seen.

    >>> edges = [(7, 5), (7, 6), (5, 4), (6, 4), (4, 2), (4, 3), (5, 2), (6, 3), (2, 1), (3, 1)]
    >>> document, _ = algebra_scene(CGraph.from_edges(edges))
    >>> document["steps"][1]["caption"].split(". ")[-1]
    'The cost falls from 16 to 12 multiplications.'
    """
    (chosen_way,), (arrows,) = chosen("way", [way], WAYS), chosen("direction", [direction], DIRECTIONS)
    try:
        found = paged(graph) if chosen_way == "pages" else factored(graph, chosen_way, references)
        moments = list(found)
        if len(moments) > MOST_STEPS:
            raise ExpressionError(f"There are {len(moments) - 1} steps, more than {MOST_STEPS}: show a smaller part.")
        for moment in moments:
            assert moment.expressions
    except ExpressionError as error:
        raise ShowError(f"this graph is too large for a show: {error}") from None
    namer = Namer(moments)
    stages = [{f"{RUN}/{key}": value for key, value in stage_of(moment, namer).items()} for moment in moments]
    scene, columns = _base(graph, program)
    shown = _panels(graph, moments, namer, arrows, panels, budget_of(time_limit, effort, EFFORT))
    for panel in shown:
        if panel["kind"] == "elimination" and (panel["width"] > WIDEST or panel["height"] > HIGHEST):
            why = "its paths are too long" if panel["width"] > WIDEST else "there are too many copies"
            raise ShowError(f"this graph is too large for a show: {why} for a picture, so {TOO_LARGE}")
    has_levels = any(panel["kind"] == "levels" and not panel["why_not"] for panel in shown)
    document: documents.Show = {
        "version": scene["version"],
        "title": scene["title"],
        "panels": shown,
        "steps": _steps(moments, stages, namer, chosen_way, local_jacobians(graph) if has_levels else ()),
        "start": {**stages[0]},
        "invitation": AlgebraNarrator(namer).invitation(moments[0], chosen_way, len(moments) - 1),
        "runs": [{"id": RUN, "label": TITLES[chosen_way] + (COUNTED if _is_sized(graph) else ""), "kind": "forward"}],
        "inputs": [],
        "teach": bool(teach),
        "own": None,
        "why_not_own": None,
        "source": scene["source"],
        "tables": scene["tables"],
        "columns": scene["columns"],
    }
    return document, columns


def _base(graph: CGraph, program: Graph | None) -> tuple[Scene, bytes]:
    """Return the Scene of the program; without a program, a Scene without source and nodes."""
    scene, columns = explorer_scene.document(program or trace(lambda: ()), panels=[])
    if program is None:
        entries = [entry for entry in scene["columns"] if entry["name"] != "bytes"]  # one entry for all nodes
        scene = {**scene, "title": graph.title or UNTITLED, "source": {"files": []}, "columns": entries}
    return scene, columns


def _panels(
    graph: CGraph,
    moments: list[FactoredMoment],
    namer: Namer,
    direction: Direction,
    panels: Names | None,
    budget: Budget,
) -> list[Panel]:
    found: list[Panel] = []
    kinds = PANELS if panels is None else list(dict.fromkeys(chosen("panel", panels, PANELS)))
    for kind in kinds:
        match kind:
            case "graph":
                found.append(picture(moments, namer, direction, RUN))
            case "expressions":
                found.append(
                    {
                        "id": kind,
                        "kind": kind,
                        "run": RUN,
                        "sets": [written_set(moment, namer) for moment in moments],
                        "bauer": bauer_multiplications(_of_numbers(graph)),
                        "optimum": _best(graph, budget),
                    }
                )
            case "outline":
                trees = [outline(moment, namer) for moment in moments]
                found.append({"id": kind, "kind": kind, "run": RUN, "trees": trees})
            case "levels":
                levels = levels_panel(graph, namer)
                if panels is not None or levels["why_not"] is None:
                    found.append(levels)
            case "dependencies":
                sets = [dependence(moment, namer) for moment in moments]
                if panels is not None or any(each["waits"] for each in sets):
                    found.append({"id": kind, "kind": kind, "run": RUN, "sets": sets})
    return found


def _of_numbers(graph: CGraph) -> CGraph:
    """Return the graph with numbers for arrays: expressions count each product as one."""
    return CGraph(graph.vertices, graph.inputs, graph.outputs, dict.fromkeys(graph.edges, 1))


def _is_sized(graph: CGraph) -> bool:
    return any(graph.size(vertex) > 1 for vertex in graph.vertices)


def _best(graph: CGraph, budget: Budget) -> BestCost | None:
    """Return the fewest multiplications of any expressions that are found; of arrays nothing is searched for."""
    if 0 in budget or not graph.intermediates or _is_sized(graph):
        return None
    try:
        best = optimal_expressions(graph, **budget.options)
    except (ExpressionError, ImportError):  # too large for a proof, or without SciPy
        order = optimal_order(graph, "face", units=False, **budget.options)
        return {"multiplications": order.cost, "proved": False}
    return {"multiplications": best.cost, "proved": best.proved}


def _steps(
    moments: list[FactoredMoment],
    stages: list[dict[str, OnStage]],
    namer: Namer,
    way: Way,
    levels: Sequence[LocalJacobian],
) -> list[SceneStep]:
    narrator, examiner, last = AlgebraNarrator(namer), Examiner(namer, way, levels), len(moments) - 1
    steps: list[SceneStep] = []
    for number, now in enumerate(moments[1:], start=1):
        before, old, new = moments[number - 1], stages[number - 1], stages[number]
        caption = narrator.caption(before, now)
        if number == last:
            caption = f"{caption} {narrator.ending(now)}".strip()
        edits = [[key, old.get(key), new.get(key)] for key in {**old, **new} if old.get(key) != new.get(key)]
        steps.append(
            {
                "kind": now.kind,
                "caption": caption,
                "focus": [f"edge/{namer.thing(edge)}" for edge in now.edges] if isinstance(now, PageMoment) else [],
                "cost": {"multiplications": 0, "additions": 0, "comparisons": 0, "visits": 0},
                "edits": edits,
                "run": RUN,
                "node": None,
                "edge": None,
                "bytes": 0,
                "peak": 0,
                "formula": None,
                "question": examiner.ask(before, now, number, number == last),
                "coarse": True,
            }
        )
    return steps
