"""What an engine keeps while it sweeps, read off its Steps: a cell for each node, what is ready, and what is done.

A returned result is a node of its own in the graph; here its cell is that of the node that is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from ...graph.graph import Graph
from ...graph.timeline import State, Step, Timeline, follow
from ..scene import captions, theme
from ..scene.document import Step as SceneStep
from ..scene.flow_panel import Strip, StripCell
from ..scene.text_widths import fit, fit_formula, printable, width
from .flows import shown
from .folds.folded_graph import drawn

NOTHING, ADJOINT, READY, FREED, NEVER = "-arfn"
MOST_IN_A_ROW = 12  # cells
ROOM = 720.0  # px of width that a strip has at least
TURNS = ("visit", "skip")
MOST_READY = 8  # the most ready nodes that are named


def strip(
    graph: Graph,
    timeline: Timeline,
    documents: Sequence[SceneStep],
    when: Sequence[int],
    names: Callable[[int], str],
    is_tape: bool,
) -> Strip:
    """Return the strip of a run, whose Steps ``documents`` tell of, which are the steps ``when`` of a show.

    ``is_tape``: nodes have their turns in the order of the record.

    >>> import adviz
    >>> from adviz.stage.narration.playing import cost_of
    >>> graph = adviz.trace(lambda x: x * x, 3.0)
    >>> timeline = adviz.Timeline.record({}, adviz.toposort(graph))
    >>> documents = [{"cost": cost_of(step), "bytes": 0} for step in timeline]
    >>> made = strip(graph, timeline, documents, range(len(timeline)), str, False)
    >>> made["states"][0][2], made["states"][-1][1:]
    ('-r', [0, 'af', [0, 0], '', '0 bytes held · 2 multiplications · 2 uses counted'])
    """
    left = list(drawn(graph))
    nodes = [node for node in left if shown(graph, node) == node]
    own = {node: [k for k in left if shown(graph, k) == node] for node in nodes}
    steps = list(timeline)
    met = {shown(graph, focus) for step in steps if step.kind in TURNS for focus in _first(step)}
    keys: Iterator[Any] = (edit.key for step in steps for edit in step.edits)
    met |= {shown(graph, key[1]) for key in keys if _is(key, "adjoint")}
    columns = -(-len(nodes) // -(-len(nodes) // MOST_IN_A_ROW))
    widest = (ROOM - 2 * theme.FLOW_STRIP_SIDE) / columns - theme.FLOW_STRIP_GAP - 10
    cells = [_cell(node, printable(names(node)), widest) for node in nodes]
    states: list[list[Any]] = []
    for number, (head, letters, waits, ready, work) in zip(
        when, _moments(graph, timeline, documents, own, met), strict=True
    ):
        listed = [f"{printable(names(node))}{rank}" for node, rank in ready]
        words = f"ready: {', then '.join(captions.few(listed, '…', MOST_READY))}" if listed else ""
        now = [head, letters, waits, fit(words, theme.FLOW_TEXT, ROOM), work]
        if not states or states[-1][1:] != now:
            states.append([number, *now])
    return {"tape": is_tape, "columns": columns, "cells": cells, "states": states}


def _cell(node: int, name: str, widest: float) -> StripCell:
    text = fit_formula(name, theme.FLOW_TEXT, min(widest, theme.FLOW_STRIP_WIDEST - 10))
    return {"node": node, "name": [text, round(width(text, theme.FLOW_TEXT), 1)]}


def _first(step: Step) -> tuple[Any, ...]:
    return step.focus[:1]


def _moments(
    graph: Graph, timeline: Timeline, documents: Sequence[SceneStep], own: dict[int, list[int]], met: set[int]
) -> Iterator[tuple[int, str, list[int], list[tuple[int, str]], str]]:
    """Yield after each document what is visited, the letters, the uses waited for, what is ready, and the work."""
    state: State = dict(timeline.start)
    had: set[int] = set()
    head, uses, work = -1, 0, {"multiplications": 0, "comparisons": 0}
    compares = any(each["cost"]["comparisons"] for each in documents)
    steps = iter(timeline)
    for document in documents:
        for step in islice(steps, document.get("moves", 1)):
            follow(state, step)
            if step.kind in TURNS:
                head = shown(graph, _first(step)[0])
            counts = [edit for edit in step.edits if _is(edit.key, "times_used")]
            uses += sum((edit.before or 0) < (edit.after or 0) for edit in counts)
        for name in work:
            work[name] += document["cost"][name]  # type: ignore[literal-required]
        letters = "".join(_letter(state, node, parts, had, met) for node, parts in own.items())
        ready = _ready(graph, state)
        done = [f"{captions.amount(int(document['bytes']))} held"]
        done.append(captions.plural(work["multiplications"], "multiplication"))
        done.append(f"{captions.plural(uses, 'use')} counted")
        if compares:
            done.append(captions.plural(work["comparisons"], "comparison"))
        waits = [max((_awaited(state, part) for part in parts), default=0) for parts in own.values()]
        yield head, letters, waits, ready, " · ".join(done)


def _ready(graph: Graph, state: State) -> list[tuple[int, str]]:
    """Return the nodes that are ready, the next first; those on a heap with their ranks."""
    result: list[Any] = [(place, key[1]) for key, place in state.items() if _is(key, "ready")]  # type: ignore[index]
    on_heap = any(isinstance(place, tuple) for place, _ in result)
    # A stack gives its last entry, a heap the one of the least priority.
    result.sort(reverse=not on_heap)
    return [(shown(graph, node), f" (rank {-place[0]})" if on_heap else "") for place, node in result]


def _awaited(state: State, node: int) -> int:
    """Return on how many edges a node still waits for a contribution."""
    left: int = state.get(("times_used", node), 0) - state.get(("times_visited", node), 0)
    return left


def _is(key: Any, word: str) -> bool:
    return isinstance(key, tuple) and key[0] == word


def _letter(state: State, node: int, parts: list[int], had: set[int], met: set[int]) -> str:
    if node not in met:
        return NEVER
    if any(("ready", part) in state for part in parts):
        return READY
    if any(("adjoint", part) in state for part in parts):
        had.add(node)
        return ADJOINT
    return FREED if node in had else NOTHING
