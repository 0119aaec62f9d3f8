"""Scenes of eliminations: a graph and its line graph, product by product.

:func:`elimination_scene` returns a Scene and the buffer of its columns, like the shows of sweeps. The keys of its stage
are ``run/vertex/3``, ``run/edge/1.3``, ``run/node/1.3``, ``run/face/0.1/1.3`` and ``run/cell/row/column``; ``start`` is
the stage before the first step. ``own`` is what the page needs to make moves itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, get_args

import numpy as np

from ...algorithms.elimination import vertex_elimination
from ...algorithms.elimination.counting import COUNTS, Counting
from ...algorithms.elimination.orders import Order
from ...graph.graph import Graph
from ...graph.linearized.cgraph import CGraph
from ...graph.linearized.checked_parts import Vertex
from ...graph.linearized.labels import Label, dense
from ...graph.linearized.line_graph import LineGraph
from ...graph.linearized.measures import DIRECTIONS, index_domains, levels
from ...graph.timeline import Edit, State, Step, Timeline
from ..narration.both_sides import MOVES, BothSides, Move, Seen, cells
from ..narration.elimination_narration import Narrator
from ..narration.playing import COSTS, MOST_STEPS, Run, cost_of, step_document
from ..narration.questions.elimination_questions import Examiner
from ..scene import captions, theme
from ..scene import document as documents
from ..scene.algebra_panels import Direction, EliminationPanel, EliminationVertex, ExtendedPanel
from ..scene.captions import OnStage
from ..scene.document import Label as PageLabel
from ..scene.document import Merge, Optimum, Own, Panel, Product, Question, Technique
from ..scene.document import Step as SceneStep
from ..scene.panels import MatrixPanel, Reference
from ..scene.progress import Progress
from ..scene.text_widths import fit, width
from . import explorer_scene
from .options import Names, Show, ShowError, chosen, chosen_kinds, show_document
from .told_runs import in_lockstep

Orders = Sequence[Order] | Mapping[str, Order]

PanelKind = Literal["elimination", "cgraph", "linegraph", "matrix", "formula", "code", "meters"]
PANELS: tuple[PanelKind, ...] = get_args(PanelKind)
USUAL: tuple[Literal["forward", "reverse", "markowitz"], ...] = ("forward", "reverse", "markowitz")
"""The orders whose costs the meters show for comparison."""
DEFAULT: tuple[PanelKind, ...] = tuple(name for name in PANELS if name not in ("cgraph", "linegraph"))
COMPARED: dict[int, tuple[PanelKind, ...]] = {2: ("elimination", "formula", "meters"), 3: ("elimination", "meters")}
"""The panels where several orders are compared, by their number: as many as leave the pictures room."""
LARGE: tuple[PanelKind, ...] = ("elimination", "formula", "code", "meters")
"""The panels of a large graph, whose picture is a matrix with the Jacobian in its corner."""
PICTURES = "elimination", "cgraph", "linegraph"
MOST_ORDERS = 3
TOO_WIDE = "No order of your own here: paths are too long for a picture in which moves are made. Show a smaller part."
MOST_OWN = 60  # a line graph with more nodes is not eliminated by hand
MOST_NUMBERS = 1_000  # the most numbers of a label that the page multiplies
MOST_OF_A_HEAD = 9  # the most characters of the name of a row or a column of the Jacobian
LABELS = {
    "forward": "forward order",
    "reverse": "reverse order",
    "markowitz": "lowest Markowitz degree first",
    "best": "cheapest of forward, reverse and Markowitz",
    "optimal": "best order found",
}
COUNTED = {"scalar": ", products counted by sizes", "block": ", each product counted as one"}


class Plan(NamedTuple):
    """What is shown: a graph (and its line graph, if that was given), the technique, and how products are counted.

    ``optimum`` describes the best order: its ``cost``, a ``lower_bound``, and whether it is ``proved``.
    """

    graph: CGraph
    line: LineGraph | None = None
    technique: Technique = "vertex"
    counting: Counting = Counting()
    program: Graph | None = None
    optimum: Optimum | None = None

    def sides(self) -> BothSides:
        """Return the two sides, before the first move."""
        return BothSides(self.graph, self.technique, self.line)


class Played(NamedTuple):
    """One order, played: its run, whose timeline is on both sides, its moves, its steps, and the sides at the end."""

    run: Run
    moves: list[Move]
    steps: list[SceneStep]
    sides: BothSides


def elimination_scene(
    graph: CGraph | LineGraph,
    order: Order = "best",
    *,
    orders: Orders | None = None,
    technique: str = "vertex",
    counting: Counting | None = None,
    direction: str = "data flow",
    program: Graph | None = None,
    optimum: Optimum | None = None,
    panels: Names | None = None,
    own: bool = True,
    teach: bool = False,
    progress: Progress | None = None,
) -> Show:
    """Show the elimination of a graph in an order, or in up to three ``orders`` side by side on one clock.

    ``technique`` is one of ``both_sides.MOVES``; a line graph is eliminated by faces. ``direction="dependence"``
    reverses the arrows. ``program`` is the traced graph whose nodes are the vertices, ``optimum`` the cost of the best
    order, if it is known. With ``own`` the page can eliminate in the reader's own order, or says why it cannot.
    ``panels`` chooses among ``PANELS``: ``elimination`` is the picture with both readings, ``cgraph`` and ``linegraph``
    have one of them; of a large graph each is its extended Jacobian. ``progress`` receives the number of eliminated
    intermediates, and of all. Raises :class:`~adviz.ShowError` for an unknown option and :class:`~adviz.OrderError`
    for an impossible order.

    >>> document, _ = elimination_scene(CGraph.from_edges([(0, 1), (1, 2)], partials=[2.0, 3.0]), "forward")
    >>> document["steps"][0]["caption"]
    'c₂₀ is filled in: c₂₁ · c₁₀ = 3 · 2 = 6.'
    """
    (way,), (arrows,) = chosen("technique", [technique], MOVES), chosen("direction", [direction], DIRECTIONS)
    line = graph if isinstance(graph, LineGraph) else None
    if line is not None and technique != "face":
        raise ShowError(f"a line graph is eliminated by faces, not by {technique}: write technique='face'")
    whole = graph.cgraph() if isinstance(graph, LineGraph) else graph
    plan = Plan(whole, line, way, counting or Counting(), program, optimum)
    played = _all_played(plan, {labelled(order): order} if orders is None else named(orders), progress)
    is_asked = own and len(played) == 1
    base, columns = explorer_scene.linearized_document(whole, program)
    runs = [each.run for each in played]
    large = is_large(plan.sides())
    kinds = chosen_kinds(panels, PANELS, *COMPARED.get(len(runs), LARGE if large else DEFAULT))
    document = show_document(
        base,
        [panel for kind in kinds for panel in _panels(kind, plan, played, arrows)],
        played[0].steps if len(played) == 1 else list(in_lockstep([each.steps for each in played], runs)),
        _runs(plan, runs),
        bool(teach),
        start={str(key): value for run in runs for key, value in run.timeline.start.items()},
        own=own_order(plan) if is_asked and not large else None,
        why_not_own=why_not_own(plan) or (TOO_WIDE if large else None) if is_asked else None,
    )
    return document, columns


def _runs(plan: Plan, runs: list[Run]) -> list[documents.Run]:
    """Return the runs of the Scene; a single one says how it eliminates and, where that matters, how it counts."""
    before = after = ""
    if len(runs) == 1:
        before = f"{plan.technique} elimination: "
        is_sized = any(size > 1 for size in plan.graph.sizes.values())
        after = COUNTED.get(plan.counting.count, "") if is_sized else ""
    return [{"id": run.id, "label": before + run.label + after, "kind": run.kind} for run in runs]


def named(orders: Orders) -> dict[str, Order]:
    """Return orders by name."""
    result = dict(orders) if isinstance(orders, Mapping) else {}
    for order in () if result else orders:
        label = labelled(order)
        result[f"{label} {len(result) + 1}" if label in result else label] = order
    if not 1 <= len(result) <= MOST_ORDERS:
        raise ShowError(f"{len(result)} orders are given; there can be 1 to {MOST_ORDERS} side by side")
    return result


def labelled(order: Order) -> str:
    """Return the name of an order.

    >>> labelled("reverse"), labelled([2, 1])
    ('reverse order', 'given order')
    """
    if isinstance(order, str):
        return LABELS.get(order, order)
    return "given order" if isinstance(order, Iterable) else "greedy order"


# ---- a run ----


def _all_played(plan: Plan, orders: dict[str, Order], progress: Progress | None) -> list[Played]:
    count = len(plan.graph.intermediates)
    played: list[Played] = []

    def report(left: int) -> None:
        if progress:
            progress((len(played) + 1) * count - left, len(orders) * count)

    for number, (label, order) in enumerate(orders.items(), start=1):
        each = play_order(plan, order, f"order-{number}", label, report)
        if each.steps:
            ending = _ending(plan, each)
            each.steps[-1]["caption"] += ending
            last = next(step for step in reversed(each.steps) if step["coarse"])
            last["whole"] += ending
        played.append(each)
    return played


def play_order(
    plan: Plan, order: Order, name: str, label: str = "", report: Callable[[int], None] = lambda left: None
) -> Played:
    """Play an order, move by move; ``report`` receives the number of intermediates left after each.

    >>> plan = Plan(CGraph.from_edges([(0, 1), (1, 2)], partials=[2.0, 3.0]))
    >>> play_order(plan, "forward", "run").steps[0]["whole"]
    'v1 is eliminated: 1 × 1 = 1 multiplication and 1 fill-in.'
    """
    sides = plan.sides()
    start: State = {f"{name}/{key}": value for key, value in (sides.stage() | _zeros(sides)).items()}
    narrator, examiner = Narrator(sides), Examiner(sides)
    moves: list[Move] = []
    steps: list[Step] = []
    documents: list[SceneStep] = []
    for number, move in enumerate(sides.moves(order, plan.counting)):
        question, around = examiner.ask(move, number, plan.counting), narrator.around(move)
        done: list[Seen] = []
        for seen in sides.make(move, plan.counting):
            asked = examiner.ask_product(seen, len(done))
            asked = asked if done else question
            edits = tuple(Edit(f"{name}/{key}", before, after) for key, before, after in seen.edits)
            steps.append(replace(seen.step, edits=edits))
            documents.append(_document(steps[-1], seen, name, narrator, asked, coarse=not done))
            done.append(seen)
        if len(steps) > MOST_STEPS:
            raise ShowError(f"the elimination takes more than {MOST_STEPS:,} steps: show a smaller graph")
        documents[-len(done)]["whole"] = narrator.whole(move, around, done)
        moves.append(move)
        report(len(sides.graph.intermediates))
    run = Run(name, label, "forward", "elimination", Timeline(start, steps))
    return Played(run, moves, documents, sides)


def _document(
    step: Step, seen: Seen, run: str, narrator: Narrator, question: Question | None, *, coarse: bool
) -> SceneStep:
    merge: Merge | None = None
    product: Product | None = None
    if seen.result is not None and step.kind == "merge":
        merge = {"from": seen.factors[0], "into": seen.result}
    elif seen.result is not None:
        product = {"factors": list(seen.factors), "result": seen.result, "fresh": step.kind == "fill_in"}
    return {
        **step_document(run, step.kind, narrator.caption(seen)),
        "focus": [f"{side}-{run}/{key}" for side in PICTURES for key in _focus(seen)],
        "cost": cost_of(step),
        "edits": [list(edit) for edit in step.edits],
        "formula": narrator.formula(seen),
        "question": question,
        "product": product,
        "merge": merge,
        "coarse": coarse,
    }


def _focus(seen: Seen) -> list[str]:
    """Return the keys in the focus of a Step on both sides, the most important first."""
    keys = []
    for key in [seen.result, *seen.factors] if seen.result else [key for key, *_ in seen.edits[-1:]]:
        word, thing = key.split("/", 1)
        other_side = {"edge": f"node/{thing}", "node": "edge/" + ".".join(thing.split(".")[:2])}
        keys += [key, *([other_side[word]] if word in other_side else [])]
    return keys


def _zeros(sides: BothSides) -> dict[str, OnStage]:
    """Return the entries of the Jacobian that no path leads to: they are known from the start."""
    domains = index_domains(sides.graph)
    apart = ((rows, columns) for (y, rows), (x, columns) in sides.blocks() if x not in domains[y])
    return {key: 0 for rows, columns in apart for key in cells(rows, columns)}


def _ending(plan: Plan, played: Played) -> str:
    """Return the result, to be added to the last caption; "" if the elimination is not complete."""
    if not (played.sides.graph.is_bipartite and played.sides.line.is_tripartite):
        return ""
    spent = [(sum(step["cost"][name] for step in played.steps), name[:-1]) for name in COSTS[:2]]
    work = captions.listed([captions.plural(count, noun) for count, noun in spent if count])
    left = "The line graph is tripartite" if plan.technique == "face" else "No intermediate is left"
    return f" {left}: the labels are the Jacobian, after {work or 'no multiplication'}."


# ---- panels ----


def _panels(kind: PanelKind, plan: Plan, played: list[Played], direction: Direction) -> Iterator[Panel]:
    match kind:
        case "elimination" | "cgraph" | "linegraph":
            runs = [each.run.id for each in played]
            yield from pictures(kind, plan.sides(), runs, direction, plan.program)
        case "matrix":
            yield from (_matrix(plan, each.run, alone=len(played) == 1) for each in played)
        case "meters":
            yield {"id": kind, "kind": "meters", "references": references(plan)}
        case "formula":
            yield {"id": kind, "kind": "formula"}
        case "code" if plan.program:
            yield {"id": kind, "kind": "code"}


def _matrix(plan: Plan, run: Run, *, alone: bool) -> MatrixPanel:
    """Return the Jacobian of a run, entry by entry; its label names the run if there are several."""
    sides = plan.sides()
    rows = _lines(plan, sides, plan.graph.outputs, sides.rows)
    columns = _lines(plan, sides, plan.graph.inputs, sides.columns)
    return {
        "id": f"matrix-{run.id}",
        "kind": "matrix",
        "run": run.id,
        "rows": [name for name, _ in rows],
        "columns": [name for name, _ in columns],
        "row_nodes": [node for _, node in rows],
        "column_nodes": [node for _, node in columns],
        "label": "Jacobian" if alone else f"{run.label}: Jacobian",
    }


def _lines(plan: Plan, sides: BothSides, vertices: Sequence[Vertex], spans: list[range]) -> list[tuple[str, int]]:
    """Return the names of rows or columns of the Jacobian, with their vertices."""
    narrator = Narrator(sides)
    return [
        (
            _head(f"{narrator.called(vertex)}[{entry}]" if len(span) > 1 else narrator.called(vertex)),
            vertex if plan.program and isinstance(vertex, int) else sides.keys.number(vertex),
        )
        for vertex, span in zip(vertices, spans, strict=True)
        for entry in range(len(span))
    ]


def _head(name: str) -> str:
    """Return a name with its index, cut to the room at a row or a column.

    >>> _head("arguments[0]"), _head("density1"), _head("velocity (v3)")
    ('argum…[0]', 'density1', 'vel… (v3)')
    """
    base = re.split(r" \(|\[", name, maxsplit=1)[0]
    index = name.removeprefix(base)
    room = max(1, MOST_OF_A_HEAD - len(index) - 1)
    return name if len(name) <= MOST_OF_A_HEAD or len(base) <= room else f"{base[:room]}…{index}"


def references(plan: Plan) -> list[Reference]:
    """Return the costs of the usual orders, and of the best one, if it is known.

    >>> [entry["multiplications"] for entry in references(Plan(CGraph.from_edges([(0, 1), (1, 2)])))]
    [1, 1, 1]
    """
    result: list[Reference] = []
    for name in USUAL:
        steps = vertex_elimination(plan.graph.copy(), name, plan.counting)
        work = sum(step.multiplications for step in steps)
        result.append({"label": name.capitalize(), "multiplications": work, "kind": name})
    if plan.optimum:
        label = "Best possible" if plan.optimum["proved"] else "Best known"
        result.append({"label": label, "multiplications": plan.optimum["cost"], "kind": "optimum"})
        if not plan.optimum["proved"] and (bound := plan.optimum["lower_bound"]):
            result.append({"label": "At least", "multiplications": bound, "kind": "bound"})
    return result


# ---- the reader's own order ----


def own_order(plan: Plan) -> Own | None:
    """Return what the page needs to make moves itself; ``None`` if it cannot.

    >>> own_order(Plan(CGraph.from_edges([(0, 1), (1, 2)], partials=[2.0, 3.0])))["edges"]
    [[0, 1, 2.0], [1, 2, 3.0]]
    """
    if why_not_own(plan):
        return None
    graph, sides = plan.graph, plan.sides()
    narrator, number = Narrator(sides), sides.keys.number
    (count,) = chosen("count", [plan.counting.count], COUNTS)
    return {
        "technique": plan.technique,
        "sizes": [graph.size(vertex) for vertex in graph.vertices],
        "inputs": [number(x) for x in graph.inputs],
        "outputs": [number(y) for y in graph.outputs],
        "rows": list(map(len, sides.rows)),
        "columns": list(map(len, sides.columns)),
        "edges": [[number(i), number(j), _told(graph.partial(i, j))] for i, j in graph.edges],
        "count": count,
        "units": plan.counting.units,
        "optimum": plan.optimum,
        "names": narrator.names,
        "texts": [repr(vertex) for vertex in graph.vertices],
    }


def why_not_own(plan: Plan) -> str | None:
    """Return why the page cannot make moves itself, and what to write so that it can; ``None`` if it can.

    The page multiplies numbers and small arrays only; it knows neither structured Jacobians, nor units, nor a line
    graph without its graph.

    >>> why_not_own(Plan(CGraph.from_edges([(0, 1), (1, 2)]), counting=Counting(units=False)))
    'No order of your own here: products with units are not counted. Leave units=False out.'
    """
    graph, counting = plan.graph, plan.counting
    labels = [graph.partial(*edge) for edge in graph.edges]
    arrays = list(map(dense, labels))
    nodes, most = len(labels) + len(graph.inputs) + len(graph.outputs), max(map(np.size, arrays), default=0)
    is_structured = counting.count == "sparse" and any(hasattr(label, "dense") for label in labels)
    is_finite = all(np.isfinite(array).all() for array in arrays)
    reasons = {
        "this line graph came without its graph. Show the CGraph.": plan.line is not None,
        "products with units are not counted. Leave units=False out.": not counting.units,
        f"the line graph has {nodes:,} nodes, more than {MOST_OWN}. Show a smaller part.": nodes > MOST_OWN,
        'products are counted by the structure of Jacobians. Write count="scalar".': is_structured,
        f"a Jacobian has {most:,} numbers, more than {MOST_NUMBERS:,}. Take smaller arrays.": most > MOST_NUMBERS,
        "a partial derivative is not finite. Take other arguments.": not is_finite,
    }
    return next((f"No order of your own here: {why}" for why, holds in reasons.items() if holds), None)


def _told(label: Label) -> PageLabel:
    """Return all numbers of a label, as the page multiplies them."""
    if isinstance(label, int):
        return label
    array = np.asarray(dense(label), float)
    return {"shape": list(array.shape), "data": array.ravel().tolist()} if array.ndim else float(array)


# ---- pictures ----


MOST_NODES = 60  # with more nodes of the line graph at the start, a graph is large
LONGEST = 7  # edges of a path: labels of a longer one could not be read beside each other


def is_large(sides: BothSides) -> bool:
    """Return whether a graph is shown as its extended Jacobian."""
    return len(sides.line.nodes) > MOST_NODES or max(levels(sides.graph).values(), default=0) > LONGEST


def pictures(
    kind: Literal["elimination", "cgraph", "linegraph"],
    sides: BothSides,
    runs: Sequence[str],
    direction: Direction,
    program: Graph | None,
) -> Iterator[EliminationPanel | ExtendedPanel]:
    """Yield the picture of each run; of a large graph its extended Jacobian."""
    vertices = _vertices(sides, program)
    is_line_graph = kind == "linegraph" or (kind == "elimination" and sides.technique == "face")
    for run in runs:
        if is_large(sides):
            yield {"kind": "extended", "id": f"extended-{run}", "run": run, "vertices": vertices}
            continue
        yield {
            "kind": "elimination",
            "id": f"{kind}-{run}",
            "run": run,
            "reading": "line graph" if is_line_graph else "graph",
            "fixed": kind != "elimination",
            "direction": direction,
            "vertices": vertices,
        }


def _vertices(sides: BothSides, program: Graph | None) -> list[EliminationVertex]:
    narrator, graph = Narrator(sides), sides.graph
    vertices: list[EliminationVertex] = []
    for vertex in sides.keys.vertices:
        number, size = sides.keys.number(vertex), graph.size(vertex)
        name, index = narrator.labels[number], narrator.indices[number]
        detail = ", ".join([f"v{index}"] * (name != f"v{index}") + [f"size {size}"] * (size > 1))
        item = described(graph, vertex, str(number), name, narrator.names[number], index, detail)
        if program and isinstance(vertex, int):
            item["node"] = vertex
        vertices.append(item)
    return vertices


def described(
    graph: CGraph, vertex: Vertex, thing: str, label: str, name: str, index: str, detail: str
) -> EliminationVertex:
    """Return what a picture knows of a vertex of a graph; its label is cut to the room that it has."""
    label = fit(label, theme.VERTEX, theme.VERTEX_ROOM)
    return {
        "thing": thing,
        "role": "input" if vertex in graph.inputs else "output" if vertex in graph.outputs else "intermediate",
        "label": label,
        "label_w": round(width(label, theme.VERTEX), 1),
        "name": name,
        "index": index,
        "detail": detail,
        "size": graph.size(vertex),
    }
