"""What stands beside a sweep: its source with numbers, its result, and rows for its nodes.

The result needs the sweep's end; the page shows a derivative once the sweep has reached it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, cast

import numpy as np

from ...graph.graph import Graph
from ...graph.origins import source
from ..narration.bench import benches
from ..narration.flows import key
from ..narration.folds.folded_graph import FoldedGraph, whole
from ..narration.levels import SweepNarrator, edge_of
from ..narration.playing import Run
from ..narration.source_names import Evaluation, NodeNames, Place, iterations_in_source, values_in_source
from ..scene import captions, formulas
from ..scene.bench_panel import BenchPanel
from ..scene.document import Input
from ..scene.flow_panel import FlowPanel, Move
from ..scene.panels import TableColumn, TableRow, TapeRow
from ..scene.source_numbers import Bracket, ResultPanel, ResultRow, SourceNumbers
from ..scene.text_widths import joins, printable, unkeyed, width

TAB = 8
MOST_INPUTS = 12  # the most numbers that may be changed
REACH = 100  # steps of a slider on either side of its start
HUGE = 1e300  # numbers beyond have no slider
NO_NODE = -1
MOST_TERMS = 5  # the most terms of a derivative that the result tells
MOST_ON_BENCH = 60  # edges


# ---- rows for nodes ----

QUANTITIES = {"evaluation": ("value",), "forward": ("value", "tangent"), "reverse": ("value", "adjoint")}


def columns(run: Run) -> list[TableColumn]:
    """Return the columns of an evaluation trace."""
    return [{"what": what, "label": what} for what in QUANTITIES[run.kind]]


def rows(called: NodeNames, nodes: Iterable[int]) -> list[TableRow]:
    """Return a row for each node: with its name."""
    formulas_ = ((node, captions.formula(called.graph, node)) for node in nodes)
    return [{"node": node, "label": unkeyed(called(node)), "title": formula} for node, formula in formulas_]


def tape_rows(called: NodeNames, nodes: Iterable[int]) -> list[TapeRow]:
    """Return the entries of a tape: rows with values."""
    graph = called.graph
    return [
        {**row, "detail": captions.value(graph.values[row["node"]]), "dead": not graph.live[row["node"]]}
        for row in rows(called, nodes)
    ]


# ---- the source with numbers ----


def source_numbers(narrator: SweepNarrator, panel: FlowPanel) -> SourceNumbers | None:
    """Return the numbers under the source; ``None`` where the source is not known."""
    graph, drawn = whole(narrator.flow.graph), {node["node"] for node in panel["nodes"]}
    folds = {node["node"] for node in panel["nodes"] if "fold" in node}

    def is_drawn(one: Evaluation) -> bool:
        """Return whether what stands there is in the picture: a use inside of a fold is not."""
        is_use_seen = not one.edge or (one.edge[0] in drawn and one.edge[0] not in folds)
        return one.node is None or (one.node in drawn and is_use_seen)

    lines = [dict(enumerate(text.text.split("\n"), text.line)) for text in map(source, graph.codes)]
    moves = _scopes(graph, panel["moves"][:-1])  # but for the result
    brackets: list[Bracket] = []
    for place, evaluations in sorted(values_in_source(graph).items()):
        found = [one for one in evaluations if is_drawn(one)]
        line = lines[place.file].get(place.end_line)
        if any(one.node is not None for one in found) and line is not None:
            brackets.append(_bracket(place, line, _shown_from(graph, found, moves)))
    if not brackets:
        return None
    for place, rounds in iterations_in_source(graph, sorted(drawn)).items():
        line = lines[place.file].get(place.end_line)
        if line is not None:
            brackets.append(_bracket(place, line, _shown_from(graph, rounds, moves)))
    used = {(bracket["file"], bracket["line"]) for bracket in brackets}
    wide = max(_advance(lines[file][line]) for file, line in used)
    return {"width": wide, "word": narrator.word, "brackets": brackets}


def _bracket(place: Place, line: str, evaluations: list[list[Any]]) -> Bracket:
    """Return the bracket under an expression; of one in several lines under its last line."""
    start = place.column if place.line == place.end_line else len(line) - len(line.lstrip())
    return {
        "file": place.file,
        "line": place.end_line,
        "start": start,
        "end": place.end_column,
        "at": [_advance(line[:start]), _advance(line[: place.end_column])],
        "evaluations": evaluations,
    }


def _advance(text: str) -> float:
    """Return the width of source in widths of a character: other scripts have characters of twice the width."""
    if text.isascii() and text.isprintable():
        return float(len(text))
    at = 0.0
    for character in text:
        wide = 0.0 if joins(character) else 1.0 if width(character, 1, "mono") < 0.8 else 2.0
        at = (at // TAB + 1) * TAB if character == "\t" else at + wide
    return at


def _shown_from(graph: Graph, evaluations: list[Evaluation], moves: Sequence[tuple[int, int]]) -> list[list[Any]]:
    """Return the evaluations of one expression in the order in which they are shown, each with the first step.

    ``moves`` are steps and scopes: one is shown where it alone is in the innermost scope around a move that has any.
    """
    entries = [_entry(one) for one in evaluations]
    result: list[list[Any]] = [[-1, *entries[-1]]]
    if len(entries) == 1:
        return result
    tree = graph.scopes
    near: dict[int, list[tuple[int, str]]] = {}
    for one, entry in zip(evaluations, entries, strict=True):
        for scope in tree.path(tree.of_node[_made(one)]):
            near.setdefault(scope, []).append(entry)
    for step, scope in moves:
        while scope not in near:
            scope = tree.parents[scope]
        if len(near[scope]) == 1 and [*near[scope][0]] != result[-1][1:]:
            result.append([step, *near[scope][0]])
    return result


def _scopes(graph: Graph, moves: Iterable[Move]) -> list[tuple[int, int]]:
    """Return the scopes that moves are in, one after the other, each after the step of its first move."""
    nodes = [(move["step"], edge_of(move)[0] if move["edge"] else move["nodes"][0]) for move in moves if move["nodes"]]
    places = [(step, graph.scopes.of_node[node]) for step, node in nodes]
    return [next(group) for _, group in groupby(places, lambda place: place[1])]


def _entry(evaluation: Evaluation) -> tuple[int, str]:
    if evaluation.node is None:
        return NO_NODE, captions.shortened(captions.literal(evaluation.literal)).replace("-", "−")
    return evaluation.node, key(evaluation.edge) if evaluation.edge else ""


def _made(evaluation: Evaluation) -> int:
    """Return the node in whose evaluation something stands."""
    if evaluation.node is None:
        return evaluation.user
    return evaluation.edge[0] if evaluation.edge else evaluation.node


# ---- the operation in play ----


def bench_panel(narrator: SweepNarrator, by_line: Sequence[SweepNarrator], run: str) -> BenchPanel:
    """Return the operations of a sweep over arrays in numbers; of very many only those of the lines."""
    is_told = not by_line or len(narrator.flow.sent) <= MOST_ON_BENCH
    panel: BenchPanel = {"id": "bench", "kind": "bench", "run": run, "benches": benches(narrator) if is_told else []}
    if by_line:
        panel["lines"] = benches(by_line[0])
        inner = [benches(each, cast(FoldedGraph, each.graph).exits) for each in by_line[1:]]
        if inner:
            panel["inner"] = inner
    return panel


# ---- the result ----


def result_panel(narrator: SweepNarrator, run: str) -> ResultPanel:
    """Return the panel of the derivatives that a sweep computes."""
    flow, graph = narrator.flow, narrator.flow.graph
    wanted = list(graph.inputs) if flow.reverse else list(narrator.outputs)
    rows: list[ResultRow] = [
        {"node": node, "name": derivative(narrator, node), "via": _terms(narrator, node)} for node in wanted
    ]
    return {"id": "result", "kind": "result", "run": run, "title": _title(narrator), "rows": rows}


def _title(narrator: SweepNarrator) -> str:
    flow, values = narrator.flow, [narrator.graph.values[node] for node in narrator.graph.inputs]
    what = "Gradient" if flow.reverse else "Partial derivative"
    if flow.reverse and not is_gradient(narrator):
        what = "Adjoints of the inputs"
    elif not flow.reverse and direction(narrator) is None:
        what = "Derivative in the direction of the seed"
    if any(map(np.ndim, values)):
        return f"{what}, in the shapes of the {'inputs' if flow.reverse else 'results'}"
    point = ", ".join(captions.few([captions.decimals(value) for value in values], "…"))
    return f"{what} at ({point})" if values else what


def is_gradient(narrator: SweepNarrator) -> bool:
    """Whether the sweep starts with 1 at a single result, so that adjoints are the derivatives of that result."""
    seeds = narrator.flow.seeds
    return len(seeds) == 1 and all(not np.ndim(seed) and seed == 1 for seed in seeds.values())


def direction(narrator: SweepNarrator) -> int | None:
    """Return the number among the inputs that alone moves in forward mode, at the rate 1."""
    moving = [node for node, seed in narrator.flow.seeds.items() if np.any(seed)]
    is_one = len(moving) == 1 and not np.ndim(narrator.flow.seeds[moving[0]]) and narrator.flow.seeds[moving[0]] == 1
    return moving[0] if is_one and moving[0] in narrator.graph.inputs else None


def derivative(narrator: SweepNarrator, node: int) -> str:
    """Return how a derivative is written: ``∂f/∂x``, or the name with a bar or a dot."""
    names, flow = narrator.names, narrator.flow
    if flow.reverse and is_gradient(narrator):
        (result,) = flow.seeds
        return f"∂{printable(names(result))}/∂{printable(names(node))}"
    moving = None if flow.reverse else direction(narrator)
    if moving is not None:
        return f"∂{printable(names(node))}/∂{printable(names(moving))}"
    name = printable(names(node))
    if len(name) == 1:
        return name + formulas.MARKS["bar" if flow.reverse else "dot"]
    return f"{'adjoint' if flow.reverse else 'tangent'} of {name}"


def _terms(narrator: SweepNarrator, node: int) -> list[str]:
    """Return the terms of which a derivative is the sum, and the sum."""
    edges = narrator.flow.contributions(node)
    if len(edges) < 2 or any(map(narrator.parts.is_array, edges)):
        return []
    terms = [
        f"via {printable(narrator.names(narrator.flow.source(edge)))}: {narrator.parts.equation(edge)}"
        for edge in edges
    ]
    total = captions.decimals(narrator.flow.results[node])
    return [*captions.few(terms, "…", MOST_TERMS), f"sum over paths: {total}"]


# ---- the numbers that may be changed ----


def inputs(graph: Graph) -> list[Input]:
    """Return the numbers among the inputs, each with the range of a slider."""
    numbers = [node for node in graph.inputs if np.ndim(graph.values[node]) == 0]
    found = [node for node in numbers if abs(float(graph.values[node])) < HUGE]
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
