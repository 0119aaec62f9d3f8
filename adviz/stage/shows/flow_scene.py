"""The panel of a sweep of which everything can be seen at once, and what is said at its levels of detail.

Below each of several sweeps is a strip: what its engine keeps, read off the Steps, with a cell for each node, what is
ready, and what is done. A returned result is a node of its own in the graph; here it is the node that is returned.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, islice
from math import isfinite, isnan, prod
from typing import Any, Literal, cast

import numpy as np

from ...engine.blocks import Block
from ...engine.jacobians.local import Diagonal, MatrixProduct
from ...graph.graph import Graph
from ...graph.timeline import State, Step, Timeline, follow
from ..narration.flows import EdgeKey, Flow, key, shown
from ..narration.folds import gates
from ..narration.folds.folded_graph import Fold, FoldedGraph, drawn
from ..narration.levels import SweepNarrator
from ..narration.playing import Run
from ..narration.source_names import SourceNames
from ..scene import captions, theme
from ..scene.document import Step as SceneStep
from ..scene.flow_panel import (
    Amount,
    Carried,
    FlowEdge,
    FlowLines,
    FlowNode,
    FlowPanel,
    FurtherSweep,
    Gate,
    Given,
    Strip,
    StripCell,
)
from ..scene.formulas import CALL, bracketed
from ..scene.heat_maps import beside, heat_map
from ..scene.panels import FlowBox
from ..scene.text_widths import ELLIPSIS, fit, fit_formula, printable, width

MOST_NODES = 40  # of a larger graph the folded picture is shown
WIDEST = 26.0  # px of the ribbon of the largest derivative
THINNEST = 1.6
ANEW = "With these numbers the program takes another path: the picture has a new layout."
NUMBER = re.compile(r"−?[\d.]+(e[+−]\d+)?")  # a constant of the program, which may have fewer digits
WIDEST_FOLD = 280.0  # px of what is said of what is inside
SHORT_NAME = 110.0  # px of a name where there is little room
MOST_CELLS = 8, 8  # rows and columns of a heat map in a node
GATE_CELLS = 4, 4
FEW = 14  # nodes whose names and gates are written at full length
CROWDED = 0.62  # how much of the length in gates, and of the width of ribbons, is left to more nodes
CROWDED_NAMES = 0.8  # and of the length of names: a node is nearly as wide, for its value and its derivative
ROOMY_NAMES = 1.15  # of lines, which are few

WAYS = {
    "recursion": "whatever is complete sends at once",
    "tape": "the record backwards, last row first",
    "tape with flags": "the record backwards, what is not marked is skipped",
    "toposort": "a node sends when all its uses have reported",
    "rank_heap": "the node of the highest rank sends next",
    "use_counts": "a node sends when all its uses have reported",
}
"""How each engine goes on, in few words."""

Words = tuple[str, float]
Amounts = Callable[[Any], Amount]


def fits(graph: Graph) -> bool:
    """Return whether all nodes of a graph can be seen at once."""
    return sum(block.name != "output" for block in graph.blocks) <= MOST_NODES


def nodes_of(graph: Graph) -> list[int]:
    """Return the nodes that are drawn: an output is drawn as the node that is returned."""
    return [node for node in drawn(graph) if shown(graph, node) == node]


def panel(
    narrators: Sequence[SweepNarrator],
    run: str,
    like: FlowPanel | None = None,
    strip: Strip | None = None,
    lines: Sequence[SweepNarrator] = (),
) -> FlowPanel:
    """Return the panel of a sweep, or of several that follow each other; a ``strip`` stands below.

    ``lines`` tell the same sweep line by line, and by what is inside of lines. A note says if an earlier panel that it
    is ``like`` has another structure.
    """
    narrator = narrators[0]
    flow, graph = narrator.flow, narrator.flow.graph
    nodes_drawn = nodes_of(graph)
    is_crowded = len(nodes_drawn) > FEW and not lines
    share, names = (CROWDED, CROWDED_NAMES) if is_crowded else (1.0, 1.0)
    amounts = _amounts([each.flow for each in narrators], share)
    sweeps = [[_node(each, node, amounts, names) for node in nodes_drawn] for each in narrators]
    carried = [_edges(each, nodes_drawn, amounts, share) for each in narrators]
    nodes, edges = sweeps[0], carried[0]
    is_alike = like is None or _outline(like["nodes"], like["edges"]) == _outline(nodes, edges)
    made: FlowPanel = {
        "id": "graph",
        "kind": "flow",
        "run": run,
        "reverse": flow.reverse,
        "note": None if is_alike else ANEW,
        "nodes": nodes,
        "edges": edges,
        "moves": narrator.moves(),
    }
    if strip:
        made["strip"] = strip
    if lines:
        outer, *others = lines
        made["lines"] = _lines(outer, nodes_of(outer.graph), amounts)
        inner = [_lines(each, sorted(cast(FoldedGraph, each.graph).exits), amounts) for each in others]
        if inner:
            made["inner"] = inner
    further = [_further(*each) for each in zip(narrators, sweeps, carried, strict=True)][1:]
    if further:
        made["sweeps"] = further
    return made


def _edges(narrator: SweepNarrator, heads: Iterable[int], amounts: Amounts, share: float) -> list[FlowEdge]:
    """Return the edges to some nodes."""
    return [
        _edge(narrator, (head, place), operand, amounts, share)
        for head in heads
        for place, operand in enumerate(narrator.graph.operand_nodes(head))
    ]


def _lines(narrator: SweepNarrator, nodes: Sequence[int], amounts: Amounts) -> FlowLines:
    """Return what is there while every line is one box, of some nodes."""
    graph = cast(FoldedGraph, narrator.graph)
    return {
        "nodes": [_node(narrator, node, amounts, ROOMY_NAMES) for node in nodes],
        "edges": _edges(narrator, nodes, amounts, theme.FLOW_WIDEST_GATE_OF_LINE / theme.FLOW_WIDEST_GATE),
        "moves": narrator.moves(),
        "boxes": boxes(graph),
    }


def boxes(graph: FoldedGraph) -> list[FlowBox]:
    """Return what is one box of a folded graph, with the nodes inside and those of them that are left."""
    exits, result = {*graph.exits}, list[FlowBox]()
    for place, nodes in graph.boxes:
        left = [node for node in nodes if node in exits]
        box: FlowBox = {"label": printable(place.short), "inside": nodes, "exits": left}
        result.append({**box, "loop": [*place.loop]} if place.loop else box)
    return result


def _further(narrator: SweepNarrator, nodes: list[FlowNode], edges: list[FlowEdge]) -> FurtherSweep:
    """Return what a later sweep gives to nodes and edges."""
    return {
        "first": narrator.first,
        "nodes": [only(Given, node) for node in nodes],
        "edges": [only(Carried, edge) for edge in edges],
        "moves": narrator.moves(),
    }


def title(run: Run) -> list[str]:
    """Return the name of a run, and how its engine goes on."""
    return [f"{run.label[0].upper()}{run.label[1:]}", WAYS.get(run.engine, "")]


def only(kind: Any, whole: Any) -> Any:
    """Return the entries of a part of a document."""
    return {name: whole[name] for name in kind.__annotations__ if name in whole}


def _outline(nodes: Iterable[FlowNode], edges: Iterable[FlowEdge]) -> list[str]:
    return [*(node["key"] for node in nodes), *(edge["key"] for edge in edges)]


# ---- nodes ----


def _node(narrator: SweepNarrator, node: int, amounts: Amounts, share: float) -> FlowNode:
    flow, graph = narrator.flow, narrator.flow.graph
    value, name = graph.values[node], printable(narrator.names(node))
    returned = any(shown(graph, output) == node for output in graph.outputs)
    kind: Literal["input", "block", "output"] = (
        "input" if graph.blocks[node].name == "input" else "output" if returned else "block"
    )
    number = "" if np.ndim(value) or kind == "block" else f" = {captions.decimals(value)}"
    shown_value = captions.decimals(value) if not np.ndim(value) else captions.shape(np.shape(value))
    beside = SHORT_NAME if kind == "block" else theme.FLOW_WIDEST_TITLE - width(number, theme.FLOW_NAME)
    title = fit_formula(name, theme.FLOW_NAME, max(theme.FLOW_WIDEST_NAME * share, beside)) + number
    is_told = flow.values is None and (node in flow.results or not narrator.line)
    derivative = _derivative(narrator, node) if is_told else ""
    part = printable(graph.name(node) or "") if kind == "input" else ""  # of an argument, with another name inside
    called = f"{name}, {part}" if "[" in part and part != name else name
    result: FlowNode = {
        "key": str(node),
        "node": node,
        "kind": kind,
        "name": title,
        "name_w": round(width(title, theme.FLOW_NAME), 1),
        "value": shown_value,
        "value_w": round(width(shown_value, theme.FLOW_TEXT), 1),
        "dead": not graph.live[node],
        "title": called if flow.values else f"{called}, {'' if np.ndim(value) else 'value '}{captions.value(value)}",
        "derivative": derivative,
        "derivative_w": round(width(derivative, theme.FLOW_TEXT), 1),
        "total": _words("", theme.FLOW_TEXT),
    }
    fold = graph.blocks[node]
    if isinstance(fold, Fold):
        what = "" if fold.place.is_line else fold.place.short
        result["fold"] = fit(what, theme.FLOW_TEXT, WIDEST_FOLD)
        result["fold_w"] = round(width(result["fold"], theme.FLOW_TEXT), 1)
        result["title"] = f"{result['title']}, folded: {printable(fold.place.label)}, {fold.counted}"
        if flow.reverse and (stem := printable(narrator.parts.local.stem(node))):
            result["stem"] = [_words(line, theme.FLOW_GATE) for line in _two_lines(stem)]
    brief = fit_formula(name, theme.FLOW_NAME, beside) + number
    if brief != title:
        result["brief"] = [brief, round(width(brief, theme.FLOW_NAME), 1)]
    if returned and kind == "input":
        result["returned"] = True
    if node == narrator.first_value:
        result["first"] = True
        result["title"] += ": the first value that is not finite"
    if np.ndim(value):
        result["map"] = heat_map(value, *MOST_CELLS)
    if node in flow.seeds:
        result["seed"] = amounts(flow.seeds[node])
    if node in flow.changes:
        result["before"] = amounts(flow.changes[node].before)
    if node in flow.results:
        result["result"] = amounts(flow.results[node])
        if node in flow.sums:
            added = (
                f"Σ {len(narrator.parts.terms(node))}" if np.ndim(flow.results[node]) else narrator.parts.added(node)
            )
            result["total"] = _words(added, theme.FLOW_TEXT)
    return result


def _two_lines(gate: str, widest: float = theme.FLOW_WIDEST_GATE) -> list[str]:
    """Return a gate in two lines if it is long: the first ends between two operations, or else before a factor.

    >>> _two_lines("⊙ (1 − h²)"), _two_lines("⊙ 1/(2·sd) ⊙ 2·(y − mu) ÷ 3"), _two_lines("⊙ (1 − a²), · xᵀ @ value")
    (['⊙ (1 − h²)'], ['⊙ 1/(2·sd)', '⊙ 2·(y − mu) ÷ 3'], ['⊙ (1 − a²)', '· xᵀ @ value'])
    """
    if width(gate, theme.FLOW_GATE) <= widest:
        return [gate]
    factors = [place for place, sign in enumerate(gate) if place and sign in "⊙Σ÷"]
    for places in ([match.end() for match in re.finditer(", ", gate)], factors):
        depth = [0, *accumulate((letter in "([") - (letter in ")]") for letter in gate)]
        outside = [place for place in places if not depth[place]]
        cuts = [(gate[:place].rstrip(", "), gate[place:]) for place in outside]
        wide, best = min(
            ((max(width(line, theme.FLOW_GATE) for line in cut), cut) for cut in cuts), default=(0.0, None)
        )
        if best and (wide <= widest or places is factors):
            return [*best]
    return [gate]


def _derivative(narrator: SweepNarrator, node: int) -> str:
    """Return what the derivative of a node is called: ``∂f/∂x``, or ``x′`` in forward mode."""
    name = bracketed(narrator.names(node), CALL)
    if narrator.flow.reverse and (narrator.is_single or narrator.line):
        return f"∂{narrator.top}/∂{name}"
    if narrator.line:
        return f"∂{name}/∂{narrator.line.entry}"
    return narrator.word.removeprefix("Jacobian ")


# ---- edges ----


def _edge(narrator: SweepNarrator, edge: EdgeKey, tail: int, amounts: Amounts, share: float) -> FlowEdge:
    flow, graph = narrator.flow, narrator.flow.graph
    sent = flow.sent.get(edge)
    is_array = narrator.parts.is_array(edge)
    gate = _gate(narrator, edge, not narrator.parts.is_number(edge), share)
    result: FlowEdge = {
        "key": key(edge),
        "tail": tail,
        "head": edge[0],
        "gate": gate,
        "dead": not graph.live[edge[0]],
        "factors": _words("", theme.FLOW_TEXT),
        "equation": _words("", theme.FLOW_TEXT),
    }
    if edge == narrator.first_broken:
        result["first"] = True
    if sent:
        result["given"], result["product"] = amounts(sent.given), amounts(sent.product)
        if not is_array:
            result["factors"] = _words(narrator.parts.sides(edge)[0], theme.FLOW_TEXT)
            result["equation"] = _words(narrator.parts.equation(edge), theme.FLOW_TEXT)
    return result


def _gate(narrator: SweepNarrator, edge: EdgeKey, is_array: bool, share: float) -> Gate:
    if narrator.flow.values is not None:
        return {"symbol": "", "symbol_w": 0.0, "number": "", "number_w": 0.0}
    symbol = printable(narrator.parts.symbol(edge))
    number = "" if is_array else captions.decimals(narrator.parts.partial(edge))
    limit = theme.FLOW_WIDEST_GATE * share
    if width(symbol, theme.FLOW_GATE) > limit:
        symbol = f"∂/∂{symbol.rpartition('/∂')[2]}" if symbol.startswith("∂") else symbol.replace("broadcast", "bc")
    whole = "" if symbol == number or (number and NUMBER.fullmatch(symbol)) else symbol
    symbol = fit_formula(whole, theme.FLOW_GATE, limit)
    factor = _factor(narrator, edge) if is_array and not whole.startswith("J ") else None
    lines = _two_lines(whole, limit) if is_array and factor is None and ELLIPSIS in symbol else []
    if lines and all(width(line, theme.FLOW_GATE) <= limit for line in lines):
        symbol = lines[0]
    elif ELLIPSIS in symbol:
        lines, symbol = [], "" if number else _brief(narrator.graph.blocks[edge[0]], edge[1], whole, limit)
    gate: Gate = {
        "symbol": symbol,
        "symbol_w": round(width(symbol, theme.FLOW_GATE), 1),
        "number": number,
        "number_w": round(width(number, theme.FLOW_GATE), 1),
    }
    if lines[1:]:
        gate["below"] = _words(lines[1], theme.FLOW_GATE)
    if symbol != whole:
        gate["written"] = whole
    if factor is not None:
        gate["map"] = heat_map(factor, *GATE_CELLS)
    return gate


def _brief(block: Block, place: int, symbol: str, limit: float) -> str:
    """Return how a local Jacobian is written where its symbol is too long.

    It is written without what is in its brackets, else by its operation, or its shape.

    >>> from adviz.engine.blocks import BLOCK_OF
    >>> square = BLOCK_OF[np.square]
    >>> _brief(square, 0, "⊙ 2·(prediction − y)", 134.0), _brief(square, 0, "⊙ (1 − tanh(W1 @ x + b1)²), Σ", 134.0)
    ('⊙ 2·(…)', '⊙ square′, Σ')
    """
    if isinstance(block, Fold):
        return block.words.gates[place]
    sign, _, summed = symbol.partition(", Σ")
    whole = f"{sign[:1]} {captions.shortened(block.name)}′" if sign.startswith(("⊙", "·")) else block.name
    named = f"{whole}, Σ{summed}" if summed or symbol.endswith("Σ") else whole
    elided = re.sub(r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", f"({ELLIPSIS})", symbol)
    texts = [named] if elided[2:].startswith(f"({ELLIPSIS})") else [elided, named]
    return next((text for text in texts if width(text, theme.FLOW_GATE) <= limit), named)


def _factor(narrator: SweepNarrator, edge: EdgeKey) -> np.ndarray | None:
    """Return the array that is multiplied by at an edge; ``None`` if there is none, or if there are two."""
    (node, place), parts = edge, narrator.parts
    block = narrator.graph.blocks[node]
    with np.errstate(all="ignore"):  # what is infinite or NaN is drawn as that
        is_fold = isinstance(block, Fold)
        passed = gates.factors(block, place, parts.adjoint(node)) if is_fold else [parts.jacobians(node)[place][1]]
        fixed = [each.fixed for each in passed if isinstance(each, MatrixProduct) and 1 <= np.ndim(each.fixed) <= 2]
        partials = [np.asarray(each.partial, float) for each in passed if isinstance(each, Diagonal)]
        scale = prod(each for partial in partials if _is_one_number(partial) for each in partial.flat[:1])
        found = [partial for partial in partials if not _is_one_number(partial)]
        if len(fixed) == 1 and not found:
            return scale * (np.transpose(fixed[0]) if narrator.flow.reverse else np.asarray(fixed[0]))
        is_alike = len({partial.shape for partial in found}) == 1 and not fixed
        return scale * prod(found) if is_alike else None


def _is_one_number(partial: np.ndarray) -> bool:
    return not np.any(partial != partial.flat[:1])


# ---- derivatives and arrays ----


def amount(value: Any, largest: float) -> Amount:
    """Return a derivative with the width of its ribbon, where ``largest`` is the largest derivative of the sweep."""
    entries = np.asarray(value, float)
    size = captions.norm(entries)
    ribbon = max(THINNEST, WIDEST * min(1.0, size / largest)) if isfinite(size) and size and largest else THINNEST
    text = captions.shape(entries.shape) if entries.ndim else captions.decimals(value)
    total = float(entries.sum()) if isfinite(size) else np.nan
    result: Amount = {
        "text": text,
        "w": round(width(text, theme.FLOW_TEXT), 1),
        "sign": None if isnan(total) else 0 if not size else 1 if total >= 0 else -1,
        "ribbon": round(ribbon, 2),
    }
    if entries.ndim:
        result["map"] = beside(heat_map(value, *MOST_CELLS), largest)
        weight = float(np.abs(entries).sum())
        if isfinite(weight) and isfinite(total) and weight:
            result["against"] = round((weight - abs(total)) / 2 / weight, 3)
    return result


def _amounts(flows: Iterable[Flow], share: float) -> Amounts:
    """Return :func:`amount` for the derivatives of sweeps, which makes one document of what edges and nodes share."""
    told: dict[int, Amount] = {}
    sent = ((each.given, each.product) for flow in flows for each in flow.sent.values())
    each_once = {id(value): value for values in (*sent, *(flow.results.values() for flow in flows)) for value in values}
    sizes = (captions.norm(np.asarray(value, float)) for value in each_once.values())
    largest = max(filter(isfinite, sizes), default=0.0) / share

    def shared(value: Any) -> Amount:
        if id(value) not in told:
            told[id(value)] = amount(value, largest)
        return told[id(value)]

    return shared


def _words(text: str, size: float) -> list[str | float]:
    return [text, round(width(text, size), 1)]


def named(graph: Graph, title: str, only: Iterable[int] | None = None, layers: Sequence[Graph] = ()) -> SourceNames:
    """Return the names of all nodes that are drawn, of inputs inside of folds, and of what the program names there.

    So a node has the same name, whether the boxes of the ``layers`` around it are open or closed. Where a picture has
    ``only`` some of the nodes, these are told apart.
    """
    if only is not None:
        return SourceNames(graph, sorted({shown(graph, node) for node in only}), title)
    names = SourceNames(graph, (), title, layers)
    for layer in (*layers, graph):
        bound = filter(layer.name, range(len(graph))) if isinstance(layer, FoldedGraph) else ()
        names.tell_apart(sorted({*graph.inputs, *nodes_of(layer), *bound}))
    return names


# ---- what an engine keeps ----


NOTHING, ADJOINT, READY, FREED, NEVER = "-arfn"
MOST_IN_A_ROW = 12  # cells
ROOM = 720.0  # px of width that a strip has at least
TURNS = ("visit", "skip")
MOST_READY = 8  # the most ready nodes that are named


def engine_strip(
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
