"""Eliminations move by move, which the front end must make, and tell, in the same way.

Run ``python -m tests.stage.goldens --accept`` after changing what a move does or what is said of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from adviz import CGraph, Counting, LineGraph, examples, why_illegal
from adviz.stage.narration.both_sides import BothSides
from adviz.stage.shows.elimination_scene import Plan, own_order, play_order

FOLDER = Path(__file__).parents[1] / "goldens" / "eliminations"
MOST_ILLEGAL = 12
SEED = 1  # with which twins merge
Graph = CGraph | LineGraph


def moves_of(graph: Graph, technique: str) -> Iterator[Any]:
    """All moves that can be written down at the start, possible or not; of faces also pairs that are no face."""
    if isinstance(graph, LineGraph):
        yield from ((e, f) for e in graph.nodes for f in graph.nodes)
    elif technique == "vertex":
        yield from graph.vertices
    else:
        pairs = [(i, j) for i in graph.vertices for j in graph.vertices]
        yield from ((side, i, j) for side in ("front", "back") for i, j in pairs)


def by_chance(technique: str, seed: int) -> Callable[[Graph], Any]:
    """An order that draws any move that is possible."""
    draw = Random(seed)

    def order(graph: Graph) -> Any:
        moves = [move for move in moves_of(graph, technique) if why_illegal(graph, move) is None]
        return draw.choice(moves) if moves else None

    return order


def random_graph(seed: int) -> CGraph:
    """Two inputs, up to five intermediates and two outputs, with numbers of different sizes and signs."""
    draw = Random(seed)
    count = draw.randint(5, 9)
    edges = {(draw.randrange(min(j, count - 2)), j) for j in range(2, count) for _ in range(2)}
    edges |= {(i, draw.randrange(max(i + 1, 2), count)) for i in range(count - 2)}
    partials = {edge: round(draw.uniform(-2, 2), 3) for edge in edges}
    return CGraph.from_edges(sorted(edges), partials=partials, outputs=[count - 2, count - 1])


def illegal(graph: Graph, technique: str, sides: BothSides) -> list[Any]:
    """Moves that are not possible at the start, with the reason."""
    reasons = [(move, why_illegal(graph, move)) for move in moves_of(graph, technique)]
    told = [[sides.page_move(move), reason] for move, reason in reasons if reason]
    return told[:: max(1, len(told) // MOST_ILLEGAL)]


def golden(graph: CGraph, technique: str, order: Any, count: str = "sparse") -> dict[str, Any]:
    """One elimination: what it begins with, its moves and steps, what is there at the end."""
    plan = Plan(graph, technique=technique, counting=Counting(count))
    sides = BothSides(graph, technique)
    reasons = illegal(sides.side, technique, sides)
    run = play_order(plan, order, "run")
    steps = [
        {
            name: step[name]
            for name in ("kind", "caption", "whole", "coarse", "product", "merge", "formula")
            if name in step
        }
        | {"cost": {name: step["cost"][name] for name in ("multiplications", "additions")}}
        | {"edits": {key.removeprefix("run/"): [before, after] for key, before, after in step["edits"]}}
        for step in run.steps
    ]
    if any(isinstance(label, dict) for label in sides.stage().values()):
        for step in steps:
            del step["formula"]  # matrices are written as far as there is room, which only Python decides
    return {
        "own": own_order(plan),
        "start": sides.stage(),
        "illegal": reasons,
        "moves": list(map(sides.page_move, run.moves)),
        "steps": steps,
        "end": run.sides.stage(),
    }


def cases() -> dict[str, Callable[[], dict[str, Any]]]:
    """What makes each golden, by its name."""
    graphs: dict[str, Callable[[], CGraph]] = {
        name.replace(" ", "_"): examples[name].graph for name in ("Naumann 2004", "lion", "bat", "two diamonds")
    }
    graphs |= {f"random_{seed}": partial(random_graph, seed) for seed in range(2)}
    counts = {"lion": "scalar", "bat": "block"}

    def made(name: str, technique: str) -> dict[str, Any]:
        return golden(graphs[name](), technique, by_chance(technique, SEED), counts.get(name, "sparse"))

    return {
        f"{name}-{technique}": partial(made, name, technique)
        for name in graphs
        for technique in ("vertex", "edge", "face")
    }


def text(document: dict[str, Any]) -> str:
    """A golden as it is written: with a step on each line."""
    parts = {name: json.dumps(part, ensure_ascii=False) for name, part in document.items()}
    parts["steps"] = "[\n" + ",\n".join(json.dumps(step, ensure_ascii=False) for step in document["steps"]) + "\n]"
    return "{\n" + ",\n".join(f'"{name}": {part}' for name, part in parts.items()) + "\n}\n"


def write() -> None:
    """Write all goldens anew."""
    FOLDER.mkdir(exist_ok=True)
    for name, made in cases().items():
        (FOLDER / f"{name}.json").write_text(text(made()), encoding="utf-8")
