"""Nudges: what a derivative says of a small change in one entry of an input, beside what the program then computes.

The numbers of a program are nudged when its show is made, since that is quick. Entries of arrays are nudged when they
are asked for, or when the show is saved as a page, which then has as many of them as it may.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from copy import deepcopy
from functools import partial
from itertools import pairwise
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from ...engine.sweeps import sweeps
from ...engine.tracing.decisions import Decision
from ...graph.graph import Graph
from ..narration import branches
from ..narration.flows import shown
from ..narration.folds.folded_graph import whole
from ..narration.levels import SweepNarrator
from ..scene import formulas
from ..scene.document import Show
from ..scene.heat_maps import heat_map
from ..scene.source_numbers import Nudge, NudgePanel
from ..scene.text_widths import printable
from .beside_flow import HUGE, derivative, direction, is_gradient
from .flow_scene import MOST_CELLS
from .options import ShowError

PLACES = 21  # at which a function is evaluated along an entry
STEPS = 100  # of a nudge in the scale of an input
DIGITS = 12  # of a value: what a derivative misses is a small difference
LEAST = 1e-3  # numbers between this and 1 have the scale 1
MOST_AT_ONCE = 6  # the most numbers that are nudged when a show is made
MOST_SAVED = 64  # the most entries that a page has
MOST_INPUTS = 60  # the most inputs that can be nudged
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
    for number, node in enumerate(chosen[:MOST_INPUTS]):
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
