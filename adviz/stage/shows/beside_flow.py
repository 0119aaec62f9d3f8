"""What stands beside a sweep: its source with numbers, its result, nudges of its inputs, and rows for its nodes.

The result needs the sweep's end; the page shows a derivative once the sweep has reached it. A nudge tells what a
derivative says of a small change in one entry of an input, beside what the program then computes. Numbers of a program
are nudged when its show is made, since that is quick; entries of arrays when they are asked for, or when the show is
saved as a page, which then has as many of them as it may.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from copy import deepcopy
from functools import partial
from itertools import groupby, pairwise
from time import perf_counter
from typing import Any, NamedTuple, cast

import numpy as np

from ...engine.sweeps import sweeps
from ...engine.tracing.decisions import Decision
from ...graph.graph import Graph
from ...graph.origins import source
from ..narration import branches
from ..narration.bench import benches
from ..narration.flows import edge_of, key, shown
from ..narration.folds.folded_graph import FoldedGraph, whole
from ..narration.levels import SweepNarrator
from ..narration.source_names import Evaluation, NodeNames, Place, iterations_in_source, values_in_source
from ..scene import captions, formulas
from ..scene.document import Input, Show
from ..scene.flow_panel import (
    BenchPanel,
    Bracket,
    FlowPanel,
    Nudge,
    NudgePanel,
    ResultPanel,
    ResultRow,
    SourceNumbers,
)
from ..scene.heat_maps import heat_map
from ..scene.panels import TableRow, TapeRow
from ..scene.text_widths import joins, printable, unkeyed, width
from .flow_scene import MOST_CELLS
from .options import ShowError

TAB = 8
MOST_INPUTS = 12  # the most numbers that may be changed
REACH = 100  # steps of a slider on either side of its start
HUGE = 1e300  # numbers beyond have no slider
NO_NODE = -1
MOST_TERMS = 5  # the most terms of a derivative that the result tells
MOST_ON_BENCH = 60  # edges


# ---- rows for nodes ----


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
    acting = [
        (move["step"], graph.scopes.of_node[edge_of(move)[0] if move["edge"] else move["nodes"][0]])
        for move in panel["moves"][:-1]  # but for the result
        if move["nodes"]
    ]
    moves = [next(group) for _, group in groupby(acting, lambda each: each[1])]  # the first in a scope
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
        made = one.user if one.node is None else one.edge[0] if one.edge else one.node
        for scope in tree.path(tree.of_node[made]):
            near.setdefault(scope, []).append(entry)
    for step, scope in moves:
        while scope not in near:
            scope = tree.parents[scope]
        if len(near[scope]) == 1 and [*near[scope][0]] != result[-1][1:]:
            result.append([step, *near[scope][0]])
    return result


def _entry(evaluation: Evaluation) -> tuple[int, str]:
    if evaluation.node is None:
        return NO_NODE, captions.shortened(captions.literal(evaluation.literal)).replace("-", "−")
    return evaluation.node, key(evaluation.edge) if evaluation.edge else ""


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


# ---- nudges ----


PLACES = 21  # at which a function is evaluated along an entry
STEPS = 100  # of a nudge in the scale of an input
DIGITS = 12  # of a value: what a derivative misses is a small difference
LEAST = 1e-3  # numbers between this and 1 have the scale 1
MOST_AT_ONCE = 6  # the most numbers that are nudged when a show is made
MOST_SAVED = 64  # the most entries that a page has
MOST_NUDGED = 60  # the most inputs that can be nudged
LONGEST = 1.0  # s that evaluations may take in all
COSTLY = 0.01  # s of one evaluation, beyond which a function is not evaluated along its inputs
TRIES = 3  # of a function that seems so slow
HALVINGS = 40  # at the most, on the way to where a branch changes

OF_A_GRAPH = "A graph is the record of one run. Show its function, and any input can be nudged."
FAILS = "The function cannot be run again here, so nothing can be nudged."
SLOW = "The function takes too long to be run again for each place, so nothing can be nudged."
OTHERWISE = "The function gives another result each time it runs, so a nudge would tell nothing."


class Along(NamedTuple):
    """A program with other arguments, by place among its inputs: what it returns, and what it decides on the way.

    ``decided`` is what it has decided with its own arguments, and ``why`` says why it cannot be run; if that is known.
    """

    result: Callable[[Mapping[int, Any]], Any]
    decisions: Callable[[Mapping[int, Any]], Sequence[Decision]]
    decided: Sequence[Decision] | None = None
    why: str = ""


def nudge_panel(narrator: SweepNarrator, run: str, along: Along | None) -> NudgePanel | None:
    """Return what can be nudged, and the nudges of numbers; ``None`` where a sweep gives no derivatives of a number.

    What the program prints meanwhile is dropped.
    """
    flow, graph = narrator.flow, whole(narrator.flow.graph)
    single = len(graph.outputs) == 1 and not np.ndim(graph.values[graph.outputs[0]])
    moving = direction(narrator)
    if along is None or not single or (not is_gradient(narrator) if flow.reverse else moving is None):
        return None
    result = shown(graph, graph.outputs[0])
    panel: NudgePanel = {"id": "nudge", "kind": "nudge", "run": run, "result": printable(narrator.top), "inputs": []}
    deadline = perf_counter() + LONGEST
    why = _why_not(along, graph, deadline)
    if why:
        return {**panel, "why": why}
    chosen = [node for node in graph.inputs if (flow.reverse or node == moving) and np.size(graph.values[node])]
    for number, node in enumerate(chosen[:MOST_NUDGED]):
        of = node if flow.reverse else result
        at_once = number < MOST_AT_ONCE and not np.ndim(graph.values[node])
        found = _nudge(graph, along, node, 0, float(flow.results.get(of, 0.0)), deadline) if at_once else None
        panel["inputs"].append(
            {
                "name": printable(narrator.names(node)),
                "symbol": _symbol(narrator, of),
                "input": node,
                "node": of,
                "shape": [*np.shape(graph.values[node])],
                "nudges": [found] if found else [],
            }
        )
    return panel if panel["inputs"] else None


def nudged(graph: Graph, along: Along, node: int, entry: int) -> Nudge:
    """Return the nudge of an entry of an input. Raises :class:`ShowError` where the program has no values around it."""
    slope = _slopes(graph)[node].ravel()[entry]
    found = _nudge(graph, along, node, entry, float(slope), perf_counter() + LONGEST)
    if found is None:
        raise ShowError("There are no numbers around this entry at which the function could be evaluated in time.")
    return found


def with_nudges(show: Show, graph: Graph, along: Along) -> Show:
    """Return a show for a page, where nothing can be asked for: with the nudges of those entries that matter most."""
    panel = next((each for each in show["panels"] if each["kind"] == "nudge"), None)
    if panel is None or all(each["nudges"] for each in panel["inputs"]):
        return show
    result = deepcopy(panel)
    deadline, slopes = perf_counter() + LONGEST, _slopes(graph)
    inputs = [each for each in result["inputs"] if not each["nudges"]]
    for each in inputs:
        node = each["input"]
        for entry in _telling(slopes[node], MOST_SAVED // len(inputs)):
            found = _nudge(graph, along, node, entry, float(slopes[node].ravel()[entry]), deadline)
            each["nudges"] += [found] if found else []
    panels = [result if each is panel else each for each in show["panels"]]
    return {**show, "panels": panels}


def _telling(slope: np.ndarray, most: int) -> list[int]:
    """Return the entries of a derivative that are drawn, those that matter most first."""
    drawn = heat_map(slope, *MOST_CELLS)
    wide = slope.shape[-1] if slope.ndim else 1
    entries = [row * wide + column for row in drawn["rows"] for column in drawn["columns"]]
    return sorted(entries, key=lambda entry: -np.nan_to_num(abs(slope.ravel()[entry])))[: max(1, most)]


def _slopes(graph: Graph) -> dict[int, np.ndarray]:
    """Return the derivatives of the only result with respect to all inputs."""
    with np.errstate(all="ignore"):
        adjoints = sweeps(graph).reverse({graph.outputs[0]: 1.0})
    values = {node: graph.values[node] for node in graph.inputs}
    return {node: np.broadcast_to(adjoints.get(node, 0.0), np.shape(value)) for node, value in values.items()}


def _symbol(narrator: SweepNarrator, node: int) -> str:
    """Return the derivative as a factor: ``x̄``, or ``∂f/∂rate`` where a name is no letter."""
    name = printable(narrator.names(node))
    if narrator.flow.reverse and len(name) == 1:
        return name + formulas.MARKS["bar"]
    return derivative(narrator, node)


# ---- along an entry ----


def _nudge(graph: Graph, along: Along, node: int, entry: int, slope: float, deadline: float) -> Nudge | None:
    """Return the nudge of an entry; ``None`` where it, or its derivative, is not finite, or where time is up."""
    array = np.asarray(graph.values[node], float)
    start, step = float(array.ravel()[entry]), _step(array)
    if not np.isfinite([start, slope]).all() or abs(start) > HUGE or perf_counter() > deadline:
        return None
    number, base = graph.inputs.index(node), float(graph.values[graph.outputs[0]])

    def numbers(place: float) -> dict[int, Any]:
        if not array.ndim:
            return {number: place}
        other = array.copy()
        other.ravel()[entry] = place
        return {number: other}

    places = [_place(start, k * step, step) for k in range(-(PLACES // 2), PLACES // 2 + 1)]
    values, gaps = _values(places, lambda place: _evaluated(along, numbers(place), deadline), base)
    if perf_counter() > deadline:
        return None
    rounded = [None if value is None else float(f"{value:.{DIGITS}g}") for value in values]
    own = _decided(along, {}) if along.decided is None else along.decided
    changes = [*_changes(places, own, lambda place: _decided(along, numbers(place)), deadline)] if own else []
    return {
        "entry": entry,
        "start": start,
        "step": step,
        "slope": slope,
        "values": rounded,
        "gaps": gaps,
        "changes": changes,
    }


def _step(values: np.ndarray) -> float:
    """Return a round number, a small part of the scale of an input.

    >>> [_step(np.asarray(value)) for value in (0.0, 0.03, 3.0, [40.0, -250.0], 3e-9)]
    [0.01, 0.01, 0.02, 2.0, 2e-11]
    """
    finite = np.abs(values[np.isfinite(values)])
    size = min(float(finite.max(initial=0.0)), HUGE)
    size = 1.0 if size == 0 or LEAST <= size < 1 else size
    unit = 10.0 ** np.floor(np.log10(size))
    digit = max(digit for digit in (1, 2, 5) if digit * unit <= size * (1 + 1e-9))
    return float(f"{digit * unit / STEPS:.{DIGITS}g}")


def _place(start: float, change: float, step: float) -> float:
    """Return a number that is nudged, without the noise of the sum: 0 and not 1e-17."""
    return round(start + change, int(DIGITS - np.floor(np.log10(step)))) if change else start


def _values(
    places: Sequence[float], evaluated: Callable[[float], float | None], base: float
) -> tuple[list[float | None], list[int]]:
    """Return the values of a function along an input, and after which of them it has none before the next.

    Where it changes its sign, what it has in the middle tells a zero from a pole.
    """
    values = [base if k == PLACES // 2 else evaluated(place) for k, place in enumerate(places)]
    gaps = []
    for k, (one, other) in enumerate(pairwise(values)):
        if one is None or other is None:
            gaps.append(k)
        elif one * other < 0:
            between = evaluated((places[k] + places[k + 1]) / 2)
            if between is None or not min(one, other) <= between <= max(one, other):
                gaps.append(k)
    return values, gaps


def _changes(
    places: Sequence[float],
    base: Sequence[Decision],
    decided: Callable[[float], Sequence[Decision] | None],
    deadline: float,
) -> Iterator[list[Any]]:
    """Yield where, on either side of the middle, a program begins to decide otherwise, and what in words."""
    for side in (places[PLACES // 2 :: -1], places[PLACES // 2 :]):
        for before, place in pairwise(side):
            other = decided(place)
            if other is None or perf_counter() > deadline:
                break
            words = branches.changed(base, other)
            if words is not None:
                yield [_boundary(before, place, lambda at: decided(at) == base), words]
                break


def _boundary(inside: float, outside: float, is_same: Callable[[float], bool]) -> float:
    """Return the number between two at which something changes, with as few digits as that allows."""
    width = abs(outside - inside)
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if is_same(middle) else (inside, middle)
    return round(outside, int(8 - np.floor(np.log10(width)))) + 0.0


# ---- the program, once more ----


def _why_not(along: Along, graph: Graph, deadline: float) -> str:
    """Return why a program is not evaluated with other numbers; "" where it is. Once the machine may be busy."""
    if along.why:
        return along.why
    for _ in range(TRIES):
        begun = perf_counter()
        value = _evaluated(along, {}, deadline)
        if value is None:
            return FAILS
        if not np.isclose(value, float(graph.values[graph.outputs[0]]), equal_nan=True):
            return OTHERWISE
        if perf_counter() - begun <= COSTLY:
            return ""
    return SLOW


def _evaluated(along: Along, numbers: Mapping[int, Any], deadline: float) -> float | None:
    """Return the value of a program with other numbers; ``None`` where it fails, is not finite, or is late."""
    if perf_counter() > deadline:
        return None
    value = quietly(lambda: float(along.result(numbers)))
    return value if value is not None and np.isfinite(value) else None


def _decided(along: Along, numbers: Mapping[int, Any]) -> Sequence[Decision] | None:
    return quietly(partial(along.decisions, numbers))


def quietly(act: Callable[[], Any]) -> Any:
    """Return what a program returns, or ``None`` where it fails; nothing of what it says is heard."""
    try:
        with (
            redirect_stdout(io.StringIO()),
            redirect_stderr(io.StringIO()),
            warnings.catch_warnings(action="ignore"),
            np.errstate(all="ignore"),
        ):
            return act()
    except Exception:
        return None
