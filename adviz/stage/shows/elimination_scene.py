"""Scenes of eliminations: a graph and its line graph, product by product.

:func:`elimination_scene` gives a Scene and the buffer of its columns, as the shows of sweeps do. What is on stage has
keys ``run/vertex/3``, ``run/edge/1.3``, ``run/node/1.3``, ``run/face/0.1/1.3`` and ``run/cell/row/column``; all that is
there before the first step is in ``start``. ``own`` is what the page needs to make moves itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...algorithms.elimination import vertex_elimination
from ...algorithms.elimination.counting import Counting
from ...algorithms.elimination.orders import NAMES, Order
from ...engine.trace import trace
from ...graph.graph import Graph
from ...graph.linearized.cgraph import CGraph
from ...graph.linearized.checked_parts import Vertex
from ...graph.linearized.labels import Label, dense
from ...graph.linearized.line_graph import LineGraph
from ...graph.linearized.measures import DIRECTIONS, index_domains
from ..narration.both_sides import MOVES, BothSides, Move, Seen, cells, displayed
from ..narration.elimination_narration import Narrator
from ..narration.playing import COSTS, MOST_STEPS, Document, Run
from ..narration.questions import Examiner
from ..scene import captions
from ..scene.progress import Progress
from . import explorer_scene
from . import sweep_scene as show
from .elimination_pictures import SIDES, pictures

Orders = Sequence[Order] | Mapping[str, Order]

PANELS = (*SIDES, "matrix", "formula", "code", "meters")
MOST_ON_BOTH = 12
"""With more vertices, those of two orders counted twice, one side is shown unless ``panels`` says otherwise."""
UNTITLED = "linearized graph"
MOST_ORDERS = 2
MOST_OWN = 60
"""A line graph of more nodes is not eliminated by hand."""
MOST_NUMBERS = 1_000
"""Numbers of a label that the page multiplies."""
MOST_OF_A_HEAD = 9
"""Characters of a row or a column of the Jacobian."""
LABELS = {
    "forward": "forward order",
    "reverse": "reverse order",
    "markowitz": "lowest Markowitz degree first",
    "best": "cheapest of forward, reverse and Markowitz",
    "optimal": "best order found",
}
COUNTED = {"scalar": ", products counted by sizes", "block": ", each product counted as one"}


class Plan(NamedTuple):
    """What is shown: a graph (and the line graph, where that was given), by which technique, and how it is counted.

    ``optimum`` is what the best order takes: its ``cost``, a ``lower_bound``, and whether it is ``proved``.
    """

    graph: CGraph
    line: LineGraph | None = None
    technique: str = "vertex"
    counting: Counting = Counting()
    program: Graph | None = None
    optimum: Document | None = None

    def sides(self) -> BothSides:
        """The two sides, before the first move."""
        return BothSides(self.graph, self.technique, self.line)


class Played(NamedTuple):
    """One order, played: what is there at the start, its moves and its steps, and what is there at the end."""

    run: Run
    start: dict[str, Any]
    moves: list[Move]
    steps: list[Document]
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
    optimum: Document | None = None,
    panels: show.Names | None = None,
    own: bool = True,
    teach: bool = False,
    progress: Progress | None = None,
) -> show.Show:
    """The elimination of a graph in an order, or in two ``orders`` side by side on one clock.

    ``technique`` is one of ``both_sides.MOVES``; a line graph is eliminated by faces. ``direction="dependence"`` turns
    the arrows around. ``program`` is the traced graph whose nodes the vertices are, ``optimum`` what the best order
    takes, if it is known. With ``own`` the page can eliminate in the reader's own order, or says why it cannot.
    ``panels`` are those of ``PANELS`` that are shown: without it all, but of a graph of more than ``MOST_ON_BOTH``
    vertices only the side where moves are made. ``progress`` is told how many intermediates are gone, of how many.
    Raises :class:`~adviz.ShowError` for an option that there is not, :class:`~adviz.OrderError` for an order
    that is not possible.

    >>> document, _ = elimination_scene(CGraph.from_edges([(0, 1), (1, 2)], partials=[2.0, 3.0]), "forward")
    >>> document["steps"][0]["caption"]
    'c₂₀ is filled in: c₂₁ · c₁₀ = 3 · 2 = 6.'
    """
    show.chosen("technique", technique, MOVES)
    show.chosen("direction", direction, dict.fromkeys(DIRECTIONS))
    plan = _plan(graph, technique, counting or Counting(), program, optimum)
    wanted_orders = {labelled(order): order} if orders is None else named(orders)
    given = _panels_for(plan, len(wanted_orders)) if panels is None else panels
    wanted = show.chosen("panel", given, {name: name for name in PANELS})
    played = _all_played(plan, wanted_orders, progress)
    is_asked = own and len(played) == 1
    yours = own_order(plan) if is_asked else None
    way, how = (f"{technique} elimination: ", _counted(plan)) if len(played) == 1 else ("", "")
    base, columns = _base(plan)
    placed = pictures(
        plan.sides(), [(each.start, each.steps) for each in played], direction, program, yours is not None
    )
    return base | {
        "panels": [panel for kind in wanted for panel in _panels(kind, plan, played, placed)],
        "steps": _on_one_clock(played),
        "start": {key: value for each in played for key, value in each.start.items()},
        "runs": [{"id": each.run.id, "label": way + each.run.label + how, "kind": each.run.kind} for each in played],
        "inputs": [],
        "teach": bool(teach),
        "own": yours,
        "why_not_own": why_not_own(plan) if is_asked else None,
    }, columns


def _plan(
    graph: CGraph | LineGraph, technique: str, counting: Counting, program: Graph | None, optimum: Document | None
) -> Plan:
    if not isinstance(graph, LineGraph):
        return Plan(graph, None, technique, counting, program, optimum)
    if technique != "face":
        raise show.ShowError(f"a line graph is eliminated by faces, not by {technique}: write technique='face'")
    return Plan(graph.cgraph(), graph, technique, counting, program, optimum)


def _counted(plan: Plan) -> str:
    """How products are counted, where that makes a difference to what one would expect."""
    return COUNTED.get(plan.counting.count, "") if any(size > 1 for size in plan.graph.sizes.values()) else ""


def named(orders: Orders) -> dict[str, Order]:
    """Orders by what they are called."""
    found = dict(orders) if isinstance(orders, Mapping) else {}
    for order in () if found else orders:
        label = labelled(order)
        found[f"{label} {len(found) + 1}" if label in found else label] = order
    if not 1 <= len(found) <= MOST_ORDERS:
        raise show.ShowError(f"{len(found)} orders are given; there can be 1 or {MOST_ORDERS} side by side")
    return found


def labelled(order: Order) -> str:
    """What an order is called.

    >>> labelled("reverse"), labelled([2, 1])
    ('reverse order', 'given order')
    """
    if isinstance(order, str):
        return LABELS.get(order, order)
    return "given order" if isinstance(order, Iterable) else "greedy order"


def _base(plan: Plan) -> show.Show:
    """The Scene of the program, or of none: without source and nodes."""
    document, columns = explorer_scene.document(plan.program or trace(tuple), panels=[])
    if plan.program is None:
        entries = [entry for entry in document["columns"] if entry["name"] != "bytes"]  # one entry for all nodes
        document |= {"title": plan.graph.title or UNTITLED, "source": {"files": []}, "columns": entries}
    return document, columns


def _on_one_clock(played: list[Played]) -> list[Document]:
    if len(played) == 1:
        return played[0].steps
    return list(show.ALIGNMENTS["step"]([each.steps for each in played], [each.run for each in played]))


# ---- a run ----


def _all_played(plan: Plan, orders: dict[str, Order], progress: Progress | None) -> list[Played]:
    played = []
    for number, (label, order) in enumerate(orders.items(), start=1):
        tell = _reporter(progress, len(plan.graph.intermediates), number, len(orders))
        each = play_order(plan, order, f"order-{number}", label, tell)
        if each.steps:
            ending = _ending(plan, each)
            each.steps[-1]["caption"] += ending
            last = next(step for step in reversed(each.steps) if step["coarse"])
            last["whole"] += ending
        played.append(each)
    return played


def _reporter(progress: Progress | None, count: int, number: int, orders: int) -> Callable[[int], None]:
    """What tells how far all orders are, where so many intermediates are left in one of them."""
    return lambda left: progress(number * count - left, orders * count) if progress else None


def play_order(
    plan: Plan, order: Order, name: str, label: str = "", tell: Callable[[int], None] = lambda left: None
) -> Played:
    """One order, played move by move; how many intermediates are left is told after each.

    >>> plan = Plan(CGraph.from_edges([(0, 1), (1, 2)], partials=[2.0, 3.0]))
    >>> play_order(plan, "forward", "run").steps[0]["whole"]
    'v1 is eliminated: 1 × 1 = 1 multiplication and 1 fill-in.'
    """
    sides = plan.sides()
    start = {f"{name}/{key}": value for key, value in (sides.stage | _zeros(sides)).items()}
    played = Played(Run(name, label, "forward", "elimination", lambda _: iter(())), start, [], [], sides)
    narrator, examiner = Narrator(sides), Examiner(sides)
    for number, move in enumerate(sides.moves(order, plan.counting)):
        question, around = examiner.ask(move, number, plan.counting), narrator.around(move)
        done: list[Seen] = []
        for seen in sides.make(move, plan.counting):
            asked = examiner.ask_product(seen) if done else question
            played.steps.append(_step(seen, name, narrator, asked) | {"coarse": not done})
            done.append(seen)
        if len(played.steps) > MOST_STEPS:
            raise show.ShowError(f"the elimination takes more than {MOST_STEPS:,} steps: show a smaller graph")
        played.steps[-len(done)]["whole"] = narrator.whole(move, around, done)
        played.moves.append(move)
        tell(len(sides.graph.intermediates))
    return played


def _step(seen: Seen, run: str, narrator: Narrator, question: Document | None) -> Document:
    step = seen.step
    document = {
        "kind": step.kind,
        "caption": narrator.caption(seen),
        "focus": [f"{side}-{run}/{key}" for side in SIDES for key in _focus(seen)],
        "cost": {name: getattr(step, name) for name in COSTS} | {"visits": 0},
        "edits": [[f"{run}/{key}", before, after] for key, before, after in seen.edits],
        "run": run,
        "node": None,
        "edge": None,
        "bytes": 0,
        "peak": 0,
        "formula": narrator.formula(seen),
        "question": question,
        "product": None,
        "merge": None,
    }
    if step.kind == "merge":
        return document | {"merge": {"from": seen.factors[0], "into": seen.result}}
    if seen.factors:
        fresh = step.kind == "fill_in"
        return document | {"product": {"factors": list(seen.factors), "result": seen.result, "fresh": fresh}}
    return document


def _focus(seen: Seen) -> list[str]:
    """The keys that a Step is about, the most important first, and what they are on the other side."""
    keys = [seen.result, *seen.factors] if seen.result else [key for key, *_ in seen.edits[-1:]]
    return [alike for key in keys for alike in _on_both_sides(key)]


def _on_both_sides(key: str) -> list[str]:
    word, thing = key.split("/", 1)
    if word == "edge":
        return [key, f"node/{thing}"]
    return [key, "edge/" + ".".join(thing.split(".")[:2])] if word == "node" else [key]


def _zeros(sides: BothSides) -> dict[str, Any]:
    """Entries of the Jacobian that no path leads to: they are known from the start."""
    domains = index_domains(sides.graph)
    apart = ((rows, columns) for (y, rows), (x, columns) in sides.blocks() if x not in domains[y])
    return {key: 0 for rows, columns in apart for key in cells(rows, columns)}


def _ending(plan: Plan, played: Played) -> str:
    """What is said when all is done."""
    if not (played.sides.graph.is_bipartite and played.sides.line.is_tripartite):
        return ""
    spent = [(sum(step["cost"][name] for step in played.steps), name[:-1]) for name in COSTS[:2]]
    work = captions.listed([captions.plural(count, noun) for count, noun in spent if count])
    left = "The line graph is tripartite" if plan.technique == "face" else "No intermediate is left"
    return f" {left}: the labels are the Jacobian, after {work or 'no multiplication'}."


# ---- panels ----


def _panels_for(plan: Plan, runs: int) -> list[str]:
    """The panels that there is room for."""
    if runs * len(plan.graph.vertices) <= MOST_ON_BOTH:
        return list(PANELS)
    left_out = "cgraph" if plan.technique == "face" else "linegraph"
    return [name for name in PANELS if name != left_out]


def _panels(kind: str, plan: Plan, played: list[Played], placed: dict[str, Document]) -> Iterator[Document]:
    """The panels of one kind: one, or one for each run."""
    if kind in SIDES or kind == "matrix":
        for each in played:
            panel = placed[kind] if kind in SIDES else _matrix(plan, each.run.label if len(played) > 1 else "")
            yield {**panel, "id": f"{kind}-{each.run.id}", "run": each.run.id}
    elif kind == "meters":
        yield {"id": kind, "kind": kind, "references": references(plan)}
    elif kind != "code" or plan.program:
        yield {"id": kind, "kind": kind}


def _matrix(plan: Plan, of: str) -> Document:
    """The Jacobian, entry by entry; of which run, where there are several."""
    sides = plan.sides()
    rows = _lines(plan, sides, plan.graph.outputs, sides.rows)
    columns = _lines(plan, sides, plan.graph.inputs, sides.columns)
    return {
        "kind": "matrix",
        "rows": [name for name, _ in rows],
        "columns": [name for name, _ in columns],
        "row_nodes": [node for _, node in rows],
        "column_nodes": [node for _, node in columns],
        "label": f"{of}: Jacobian" if of else "Jacobian",
    }


def _lines(plan: Plan, sides: BothSides, vertices: Sequence[Vertex], spans: list[range]) -> list[tuple[str, Vertex]]:
    """What the rows or the columns of the Jacobian are called, and the vertices that they are of."""
    narrator = Narrator(sides)
    return [
        (
            _head(f"{narrator.called(vertex)}[{entry}]" if len(span) > 1 else narrator.called(vertex)),
            vertex if plan.program else sides.things.number(vertex),
        )
        for vertex, span in zip(vertices, spans, strict=True)
        for entry in range(len(span))
    ]


def _head(name: str) -> str:
    """A name with its index, as there is room for at a row or a column.

    >>> _head("arguments[0]"), _head("density1"), _head("velocity (v3)")
    ('argum…[0]', 'density1', 'vel… (v3)')
    """
    base = re.split(r" \(|\[", name, maxsplit=1)[0]
    index = name.removeprefix(base)
    room = max(1, MOST_OF_A_HEAD - len(index) - 1)
    return name if len(name) <= MOST_OF_A_HEAD or len(base) <= room else f"{base[:room]}…{index}"


def references(plan: Plan) -> list[Document]:
    """What the usual orders take, and the best one, if it is known.

    >>> [entry["multiplications"] for entry in references(Plan(CGraph.from_edges([(0, 1), (1, 2)])))]
    [1, 1, 1]
    """
    found = [{"label": name.capitalize(), "multiplications": _work(plan, name), "kind": name} for name in NAMES]
    if plan.optimum:
        label = "Best possible" if plan.optimum["proved"] else "Best known"
        found.append({"label": label, "multiplications": plan.optimum["cost"], "kind": "optimum"})
        if not plan.optimum["proved"] and (bound := plan.optimum["lower_bound"]):
            found.append({"label": "At least", "multiplications": bound, "kind": "bound"})
    return found


def _work(plan: Plan, order: Order) -> int:
    return sum(step.multiplications for step in vertex_elimination(plan.graph.copy(), order, plan.counting))


# ---- one's own order ----


def own_order(plan: Plan) -> Document | None:
    """What the page needs to make moves itself; ``None`` where it cannot.

    >>> own_order(Plan(CGraph.from_edges([(0, 1), (1, 2)], partials=[2.0, 3.0])))["edges"]
    [[0, 1, 2.0], [1, 2, 3.0]]
    """
    if why_not_own(plan):
        return None
    graph, sides = plan.graph, plan.sides()
    narrator, number = Narrator(sides), sides.things.number
    return {
        "technique": plan.technique,
        "sizes": [graph.size(vertex) for vertex in graph.vertices],
        "inputs": [number(x) for x in graph.inputs],
        "outputs": [number(y) for y in graph.outputs],
        "rows": list(map(len, sides.rows)),
        "columns": list(map(len, sides.columns)),
        "edges": [[number(i), number(j), _told(graph.partial(i, j))] for i, j in graph.edges],
        "count": plan.counting.count,
        "units": plan.counting.units,
        "optimum": plan.optimum,
        "names": narrator.names,
        "texts": [repr(vertex) for vertex in graph.vertices],
    }


def why_not_own(plan: Plan) -> str | None:
    """Why the page cannot make moves itself, and what to write so that it can; ``None`` if it can.

    The page knows numbers and small arrays only: nothing of structure, of units, or of a line graph that is none of a
    graph's.

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


def _told(label: Label) -> Any:
    """All numbers of a label, as the page multiplies them."""
    array = np.asarray(dense(label), float)
    return {"shape": list(array.shape), "data": array.ravel().tolist()} if array.ndim else displayed(label)
