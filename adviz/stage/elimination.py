"""Scenes of eliminations: a graph and its line graph, product by product.

:func:`elimination_scene` gives a Scene and the buffer of its columns, as the shows of sweeps do. What is on stage has
keys ``run/vertex/3``, ``run/edge/1.3``, ``run/node/1.3``, ``run/face/0.1/1.3`` and ``run/cell/row/column``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.elimination import vertex_elimination
from ..algorithms.elimination.counting import Counting
from ..algorithms.elimination.orders import NAMES, Order
from ..engine.trace import trace
from ..graph.cgraph import CGraph
from ..graph.graph import Graph
from ..graph.labels import dense
from ..graph.linegraph import LineGraph
from ..graph.measures import index_domains
from . import scene, show
from .both_sides import BothSides, Move, Seen, behind_the_line
from .elimination_layout import Box, node_box, placed, vertex_box
from .elimination_words import Narrator
from .playing import COSTS, Document, Run
from .progress import Progress

SIDES = ("cgraph", "linegraph")
PANELS = (*SIDES, "matrix", "formula", "code", "meters")
MOST_OWN = 60
"""A line graph of more nodes is not eliminated by hand."""
MOST_FORESEEN = 90
"""Edges for which a place is kept, for moves that are not part of the show."""


class Plan(NamedTuple):
    """What is shown: a graph, or a line graph where that was given; by which technique, and how it is counted."""

    graph: CGraph
    line: LineGraph | None
    technique: str
    counting: Counting
    program: Graph | None = None
    optimum: Document | None = None


class Played(NamedTuple):
    """A run that was played: what is there at the start, its moves and its steps."""

    run: Run
    sides: BothSides
    start: dict[str, Any]
    moves: list[Move]
    steps: list[Document]


def elimination_scene(
    graph: CGraph | LineGraph,
    order: Order = "best",
    *,
    technique: str = "vertex",
    orders: Sequence[Order] | None = None,
    direction: str = "data flow",
    counting: Counting | None = None,
    program: Graph | None = None,
    optimum: Document | None = None,
    panels: show.Names | None = None,
    own: bool = True,
    teach: bool = False,
    progress: Progress | None = None,
) -> show.Show:
    """The elimination of a graph in an order, or in two ``orders`` side by side.

    >>> from adviz import CGraph
    >>> document, _ = elimination_scene(CGraph.from_edges([(0, 1), (1, 2)], partials=[2.0, 3.0]), "forward")
    >>> document["steps"][0]["caption"]
    'c₂₀ is filled in: c₂₁ · c₁₀ = 3 · 2 = 6.'
    """
    line = graph if isinstance(graph, LineGraph) else None
    plain = behind_the_line(graph) if isinstance(graph, LineGraph) else graph
    plan = Plan(plain, line, technique, counting or Counting(), program, optimum)
    chosen = [order] if orders is None else list(orders)
    played = [_played(plan, each, f"order-{k}") for k, each in enumerate(chosen, start=1)]
    runs = [each.run for each in played]
    wanted = show.chosen("panel", PANELS if panels is None else panels, {name: name for name in PANELS})
    base, columns = scene.document(program or trace(tuple), panels=[])
    if program is None:
        base |= _nothing(base) | {"title": plain.title}
    own_data = _own(plan) if own and len(runs) == 1 else None
    pictures = _pictures(plan, played, direction, foreseen=own_data is not None)
    return base | {
        "panels": [panel for name in wanted for panel in _panels(name, plan, played, pictures)],
        "steps": played[0].steps
        if len(runs) == 1
        else list(show.ALIGNMENTS["step"]([each.steps for each in played], runs)),
        "start": {key: value for each in played for key, value in each.start.items()},
        "runs": [{"id": run.id, "label": run.label, "kind": run.kind} for run in runs],
        "inputs": [],
        "teach": bool(teach),
        "own": own_data,
    }, columns


def _nothing(base: Document) -> Document:
    """What a Scene of no program has: no source, and no nodes."""
    return {
        "source": {"files": []},
        "columns": [entry for entry in base["columns"] if entry["name"] != "bytes"],  # which has one entry for all
    }


# ---- a run ----


def _played(plan: Plan, order: Order, name: str) -> Played:
    """One order, played."""
    sides = BothSides(plan.graph, plan.technique, plan.line)
    run = Run(name, labelled(order), "forward", "elimination", lambda _: iter(()))
    played = Played(run, sides, {f"{name}/{key}": value for key, value in {**sides.stage, **_zeros(sides)}.items()}, [], [])
    narrator = Narrator(sides)
    for move in sides.moves(order, plan.counting):
        around = _around(sides, move)
        done: list[Seen] = []
        told: list[Document] = []
        for seen in sides.make(move, plan.counting):
            done.append(seen)
            told.append(_step(seen, name, narrator, not told))
        told[0]["whole"] = narrator.whole(move, around, done)
        played.moves.append(move)
        played.steps.extend(told)
    return played


def _step(seen: Seen, run: str, narrator: Narrator, coarse: bool) -> Document:
    step = seen.step
    product, merge = None, None
    if step.kind == "merge":
        merge = {"from": seen.factors[0], "into": seen.result}
    elif seen.factors:
        product = {"factors": list(seen.factors), "result": seen.result, "fresh": step.kind == "fill_in"}
    return {
        "kind": step.kind,
        "caption": narrator.caption(seen),
        "focus": [f"{side}-{run}/{key}" for side in SIDES for key in _focus(seen)],
        "cost": {name: getattr(step, name) for name in COSTS} | {"visits": 0},
        "edits": [[f"{run}/{key}", before, after] for key, before, after in seen.edits],
        "run": run,
        "node": None,
        "edge": None,
        "coarse": coarse,
        "bytes": 0,
        "peak": 0,
        "formula": narrator.formula(seen),
        "question": None,
        "product": product,
        "merge": merge,
    }


def _focus(seen: Seen) -> list[str]:
    """The keys that a Step is about, the most important first, as each side has them."""
    keys = [seen.result, *seen.factors] if seen.result else [key for key, *_ in seen.edits[-1:]]
    found: list[str] = []
    for key in keys:
        word, thing = key.split("/", 1)
        found.append(key)
        if word == "edge":
            found.append(f"node/{thing}")
        elif word == "node":
            found.append("edge/" + ".".join(thing.split(".")[:2]))
    return found


def _around(sides: BothSides, move: Move) -> tuple[int, int] | None:
    """|P_j| and |S_j| of a vertex that is to be eliminated."""
    if sides.technique != "vertex":
        return None
    return len(sides.graph.predecessors(move)), len(sides.graph.successors(move))


def _zeros(sides: BothSides) -> dict[str, Any]:
    """Entries of the Jacobian that no path leads to: they are known from the start."""
    graph, domains = sides.graph, index_domains(sides.graph)
    return {
        f"cell/{row}/{column}": 0
        for row, y in enumerate(graph.outputs)
        for column, x in enumerate(graph.inputs)
        if x not in domains[y]
    }


def labelled(order: Order) -> str:
    """What an order is called."""
    return order if isinstance(order, str) else "given order" if isinstance(order, Iterable) else "greedy order"


# ---- pictures ----


class Union(NamedTuple):
    """All that is ever there, as things: edges, nodes of the line graph, faces."""

    edges: list[tuple[str, ...]]
    nodes: list[tuple[str, ...]]
    faces: list[tuple[tuple[str, ...], tuple[str, ...]]]


def _pictures(plan: Plan, played: list[Played], direction: str, foreseen: bool) -> dict[str, Document]:
    """Both sides, placed."""
    sides = played[0].sides
    union = _union(plan, played, foreseen)
    first = {key.split("/", 1)[1] for key in played[0].start}
    narrator = Narrator(BothSides(plan.graph, plan.technique, plan.line))
    vertices = [
        _vertex(plan, narrator, number, vertex) for number, vertex in enumerate(sides.things.vertices)
    ]
    edges = [(f"edge/{i}.{j}", f"vertex/{i}", f"vertex/{j}") for i, j in union.edges]
    cgraph = placed(vertices, edges, direction, True, first)
    nodes = [_node(narrator, e) for e in union.nodes]
    faces = [
        (f"face/{'.'.join(e)}/{'.'.join(f)}", f"node/{'.'.join(e)}", f"node/{'.'.join(f)}") for e, f in union.faces
    ]
    linegraph = placed(nodes, faces, direction, False, first)
    if plan.program:
        for node, vertex in zip(cgraph["nodes"], sides.things.vertices, strict=True):
            node["node"] = vertex
    return {"cgraph": cgraph, "linegraph": linegraph}


def _vertex(plan: Plan, narrator: Narrator, number: int, vertex: Any) -> Box:
    graph = plan.graph
    role = "input" if vertex in graph.inputs else "output" if vertex in graph.outputs else "intermediate"
    name, index = narrator.names[number], f"v{narrator.indices[number]}"
    size = graph.size(vertex)
    details = [index] * (name != index) + [f"size {size}"] * (size > 1)
    return vertex_box(f"vertex/{number}", role, name, ", ".join(details))


def _node(narrator: Narrator, e: tuple[str, ...]) -> Box:
    key = f"node/{'.'.join(e)}"
    if e[0] == "s":
        return node_box(key, "source", f"→ {narrator.names[int(e[1])]}")
    if e[1] == "t":
        return node_box(key, "sink", f"{narrator.names[int(e[0])]} →")
    vertices = narrator.sides.things.vertices
    ends = vertices[int(e[0])], vertices[int(e[1])]
    return node_box(key, "edge", narrator.symbol((*ends, *map(int, e[2:]))))


def _union(plan: Plan, played: list[Played], foreseen: bool) -> Union:
    keys = {key.split("/", 1)[1] for each in played for key in each.start}
    keys |= {edit[0].split("/", 1)[1] for each in played for step in each.steps for edit in step["edits"]}
    edges = {_parts(key) for key in keys if key.startswith("edge/")}
    nodes = {_parts(key) for key in keys if key.startswith("node/")}
    faces = {tuple(map(_parted, key.split("/")[1:])) for key in keys if key.startswith("face/")}
    if foreseen:
        pairs = _connected(plan.graph, played[0].sides)
        if len(pairs) <= MOST_FORESEEN:
            edges |= pairs
            nodes |= pairs
            faces |= {(e, f) for e in nodes for f in nodes if e[1] == f[0] and len(e) == len(f) == 2}
    return Union(sorted(edges, key=_rank), sorted(nodes, key=_rank), sorted(faces, key=lambda face: [*map(_rank, face)]))


def _parts(key: str) -> tuple[str, ...]:
    return _parted(key.split("/", 1)[1])


def _parted(thing: str) -> tuple[str, ...]:
    return tuple(thing.split("."))


def _rank(e: tuple[str, ...]) -> list[float]:
    ends = {"s": -1.0, "t": np.inf}
    tail, head, *twin = (ends.get(end, None) if end in ends else float(end) for end in e)
    return [head, tail, *twin]


def _connected(graph: CGraph, sides: BothSides) -> set[tuple[str, ...]]:
    """All pairs of vertices that a path joins."""
    reached: dict[Any, set[Any]] = {}
    for i in reversed(graph.vertices):
        reached[i] = {k for j in graph.successors(i) for k in {j, *reached[j]}}
    number = sides.things.number
    return {(str(number(i)), str(number(k))) for i, behind in reached.items() for k in behind}


# ---- panels ----


def _panels(kind: str, plan: Plan, played: list[Played], pictures: dict[str, Document]) -> Iterator[Document]:
    if kind == "code" and plan.program is None:
        return
    if kind == "meters":
        yield {"id": kind, "kind": kind, "references": references(plan)}
    elif kind in ("formula", "code"):
        yield {"id": kind, "kind": kind}
    else:
        for each in played:
            own = {"id": f"{kind}-{each.run.id}", "run": each.run.id}
            yield {**pictures[kind], **own, "side": kind} if kind in SIDES else {**own, **_matrix(plan, each)}


def _matrix(plan: Plan, played: Played) -> Document:
    graph, sides = plan.graph, played.sides
    names = Narrator(sides).called
    return {
        "kind": "matrix",
        "rows": [names(y) for y in graph.outputs],
        "columns": [names(x) for x in graph.inputs],
        "label": "Jacobian",
    } | ({"row_nodes": list(graph.outputs), "column_nodes": list(graph.inputs)} if plan.program else {})


def references(plan: Plan) -> list[Document]:
    """What other orders take, and the best possible, if it is known."""
    found = []
    for name in NAMES:
        steps = vertex_elimination(plan.graph.copy(), name, plan.counting)
        work = sum(step.multiplications for step in steps)
        found.append({"label": name.capitalize(), "multiplications": work, "kind": name})
    if plan.optimum:
        found.append({"label": "Best possible", "multiplications": plan.optimum["cost"], "kind": "optimum"})
    return found


# ---- one's own order ----


def _own(plan: Plan) -> Document | None:
    """What the page needs to make moves itself; ``None`` where it cannot."""
    graph = plan.graph
    sides = BothSides(graph, plan.technique, plan.line)
    labels = [dense(graph.partial(*edge)) for edge in graph.edges]
    nodes = len(labels) + len(graph.inputs) + len(graph.outputs)
    if plan.line or nodes > MOST_OWN or not plan.counting.units:
        return None
    narrator, number = Narrator(sides), sides.things.number
    return {
        "technique": plan.technique,
        "sizes": [graph.size(vertex) for vertex in graph.vertices],
        "inputs": [number(x) for x in graph.inputs],
        "outputs": [number(y) for y in graph.outputs],
        "edges": [[number(i), number(j), sides.stage[sides.things.key(("edge", i, j))]] for i, j in graph.edges],
        "count": plan.counting.count,
        "units": plan.counting.units,
        "optimum": plan.optimum,
        "names": narrator.names,
        "texts": [repr(vertex) for vertex in graph.vertices],
        "indices": narrator.indices,
    }
