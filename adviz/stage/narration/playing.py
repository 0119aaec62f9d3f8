"""One run of an algorithm becomes the steps of a Scene: what is seen of each, in words and numbers.

A node inside a folded scope is not seen: all moves there that follow each other become one step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ...algorithms.sweeps.comparison import Meter
from ...graph.graph import Graph
from ...graph.timeline import Algorithm, State, Step
from ..scene import captions
from .coarse_steps import Turn
from .sweep_narration import Act, Narrator, act

Document = dict[str, Any]

MOST_STEPS = 10_000
"""A longer run has neighboring steps taken together."""
MOST_FOCUSED = 8
"""Items that a step looks at."""
COSTS = ("multiplications", "additions", "comparisons")
STAGE = set("value tangent cotangent product times_used times_visited ready rank flag stored references".split())
"""What is on stage; keys of a timeline of one's own may be others."""
PACE = 512
"""Moves after which it is told how far a run is."""
ORDER = -1
"""The turn of those Steps that look for the order before anybody's turn comes."""


class Run(NamedTuple):
    """One run of a show: a sweep over the graph, or several after each other. A wrong one is not summed up."""

    id: str
    label: str
    kind: str
    engine: str
    algorithm: Algorithm
    matrix: Matrix | None = None
    sweeps: int = 1
    is_right: bool = True


class Entry(NamedTuple):
    """A row or a column of a matrix: its label, and the node whose entry it is, if it is one's."""

    label: str
    node: int | None = None


class Matrix(NamedTuple):
    """A matrix that fills: its rows and columns, and from a key of the state and its value the places and entries.

    ``zeros`` are entries that no path leads to: they are known before anything flows.
    """

    rows: list[Entry]
    columns: list[Entry]
    label: str
    cells: Callable[[Any, Any], Iterable[tuple[int, int, float]]]
    zeros: list[tuple[int, int]]


# ---- what is seen of a graph ----


class View:
    """Which item of the picture each node is in (``owners``), and what comes ``first`` in it.

    ``nodes`` are those that are shown one by one.
    """

    def __init__(self, graph: Graph, picture: Document):
        self.items = [item for item in picture["nodes"] if item["kind"] != "outside"]
        self.nodes = sorted(item["node"] for item in self.items if item["node"] is not None)
        owner = np.full(len(graph), -1, np.int32)
        scope = np.frombuffer(graph.scopes.of_node, np.int32)
        for k, item in enumerate(self.items):
            if item["span"]:
                owner[(scope >= item["span"][0]) & (scope < item["span"][1])] = k
        for k, item in enumerate(self.items):
            if item["node"] is not None:
                owner[item["node"]] = k
        self.owners = owner.tolist()
        self.folds = any(item["node"] is None for item in self.items)
        self.first = {owner: node for node, owner in reversed(list(enumerate(self.owners)))}

    def item(self, node: int) -> Document:
        """The item that a node is in."""
        return self.items[self.owners[node]]

    def folded(self, node: int) -> bool:
        """Whether a node is inside a folded scope."""
        return self.items[self.owners[node]]["node"] is None


def shown(value: Any) -> Any:
    """A value as the Scene carries it: numbers, truths, small arrays whole, large ones by their shape and norm.

    >>> shown(0.5), shown(float("nan")), shown(np.ones(2)), shown(np.ones(100))
    (0.5, 'nan', {'shape': [2], 'data': [1.0, 1.0]}, {'shape': [100], 'norm': 10.0})
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, tuple):  # a priority on a heap, which is the rank and then the order
        return -value[0]
    if np.ndim(value) == 0:
        return float(value) if np.isfinite(value) else str(float(value))
    array = np.asarray(value, float)
    if array.size <= captions.MOST_NUMBERS:
        return {"shape": list(array.shape), "data": list(map(shown, array.ravel().tolist()))}
    return {"shape": list(array.shape), "norm": shown(captions.norm(array))}


# ---- a run becomes documents ----


class Playback:
    """One run, played once: its Steps become documents."""

    def __init__(self, graph: Graph, run: Run, view: View, panel: str, progress: Callable[[int], None]):
        self.graph, self.run, self.view, self.panel, self.progress = graph, run, view, panel, progress
        self.state: State = {}
        self.meter = Meter()
        self.narrator = Narrator(graph, run.engine, self.state)
        self.turn: int | None = None
        self.turns = self.moves = 0
        self.begun = False
        self.told, self.beginning = Turn(self.narrator), Document()
        self.counts: dict[str, int] = {}
        self.cells: dict[str, Any] = {}
        self.edits: dict[str, list[Any]] = {}

    def documents(self) -> list[Document]:
        """The steps, merged where they are inside a folded scope, and thinned where they are too many."""
        documents = _thinned(self._merged())
        ending = self.narrator.ending(self.run.sweeps) if self.run.is_right else ""
        if "whole" in self.beginning:
            self.beginning["whole"] = f"{self.beginning['whole']} {ending}".strip()
        for document in documents[-1:]:
            document["caption"] = f"{document['caption']} {ending}".strip()
        return documents

    def _merged(self) -> Iterator[Document]:
        """Steps of one group that follow each other as one; those of no group as they are."""
        document: Document = {}
        present: int | None = None
        for step in self.run.algorithm(self.state):
            self.moves += 1
            if self.moves % PACE == 0:
                self.progress(self.turns)
            before = self.meter.bytes
            self.meter.add(step)
            done = act(step, before, self.meter.bytes)
            self.turn, coarse = self._turn(done)
            group = self._group()
            if group is not None and group == present:
                self._add(document, step)
                continue
            if present is not None:
                yield self._closed(document)
            document, present = self._document(done, coarse, group is None), group
            if group is None:
                self._tell(done, document)
                yield document
        if present is not None:
            yield self._closed(document)
        self._end_turn()

    def _tell(self, done: Act, document: Document) -> None:
        """Take a step into what is told of the turn that it belongs to."""
        if document["coarse"]:
            self._end_turn()
            self.told, self.beginning = Turn(self.narrator), document
        self.told.add(done, document["caption"])

    def _end_turn(self) -> None:
        if sentence := self.told.sentence():
            self.beginning["whole"] = sentence

    def _document(self, done: Act, coarse: bool, told: bool) -> Document:
        """A step; the first of a group is not told in words."""
        step = done.step
        self.edits.clear()
        self._edit(step)
        nodes = list(dict.fromkeys(done.nodes)) if told else [] if self.turn == ORDER else [done.node]
        return {
            "kind": step.kind,
            "caption": self.narrator.caption(done) if told else "",
            "focus": [f"{self.panel}/{self.view.item(node)['key']}" for node in nodes],
            "cost": {name: getattr(step, name) for name in COSTS} | {"visits": int(step.kind == "visit")},
            "edits": list(self.edits.values()),
            "run": self.run.id,
            "node": nodes[0] if nodes else None,
            "edge": list(done.way) if done.way and told else None,
            "coarse": coarse,
            "bytes": self.meter.bytes,
            "peak": self.meter.peak,
            "formula": self.narrator.formula(done) if told else None,
            "question": self.narrator.question(done) if told else None,
        } | ({} if told else {"moves": 1})

    def _add(self, document: Document, step: Step) -> None:
        """One step more for a group: costs add up, and an edit goes from the first state to the last."""
        cost, visited = document["cost"], step.kind == "visit"
        for name in COSTS:
            cost[name] += getattr(step, name)
        cost["visits"] += visited
        self._edit(step)
        if visited:
            document["kind"] = "visit"
        document["moves"] += 1
        document["bytes"], document["peak"] = self.meter.bytes, self.meter.peak

    def _closed(self, document: Document) -> Document:
        return _told(document | {"edits": list(self.edits.values())})

    def _turn(self, done: Act) -> tuple[int | None, bool]:
        """Whose turn a Step belongs to, and whether a coarse step begins with it."""
        if done.step.kind in ("visit", "skip", "evaluate"):
            self.turns += 1
            return done.node, True
        if done.way:
            return done.way.node, done.way.node != self.turn
        if done.step.kind == "count" and self.turn is None:
            return ORDER, True
        return (None, True) if done.step.kind == "seed" or not done.nodes else (self.turn, False)

    def _group(self) -> int | None:
        if self.turn is None or not self.view.folds:
            return None
        if self.turn == ORDER:
            return ORDER
        return self.view.owners[self.turn] if self.view.folded(self.turn) else None

    def _edit(self, step: Step) -> None:
        """What changes on stage; of several changes under one key the first and the last state."""
        for key, before, after in self._changes(step):
            if key in self.edits:
                self.edits[key][2] = after
            else:
                self.edits[key] = [key, before, after]

    def _changes(self, step: Step) -> Iterator[tuple[str, Any, Any]]:
        if step.kind == "seed" and self.run.kind == "reverse" and not self.begun:
            self.begun = True  # the table shows what the forward pass has computed
            for node in self.view.nodes:
                yield self._key("value", node), None, shown(self.graph.values[node])
        if step.kind == "seed" and self.run.matrix:
            yield from self._cells((row, column, 0.0) for row, column in self.run.matrix.zeros)
        key: Any
        for key, before, after in step.edits:
            what, node, *place = key if isinstance(key, tuple) else ("value", key)
            if what not in STAGE:
                continue
            if not self.view.folded(node):
                yield self._key(what, node, *place), shown(before), shown(after)
            elif what == "stored":
                yield self._count(what, node, after)
            if self.run.matrix and after is not None and isinstance(key, tuple):
                yield from self._cells(self.run.matrix.cells(key, after))
        if self.view.folds and step.kind in ("visit", "evaluate"):
            turn: Any = step.focus[0]
            if self.view.folded(turn):
                yield self._count("times_visited", turn, 1)

    def _count(self, what: str, node: int, more: int) -> tuple[str, Any, Any]:
        """Something is counted together for all nodes of a folded scope."""
        key = self._key(what, self.view.first[self.view.owners[node]])
        before = self.counts.get(key)
        self.counts[key] = (before or 0) + more
        return key, before, self.counts[key]

    def _cells(self, entries: Iterable[tuple[int, int, float]]) -> Iterator[tuple[str, Any, Any]]:
        for row, column, entry in entries:
            name = self._key("cell", row, column)
            before, self.cells[name] = self.cells.get(name), shown(entry)
            if before != self.cells[name]:
                yield name, before, self.cells[name]

    def _key(self, what: str, *places: int) -> str:
        return "/".join([self.run.id, what, *map(str, places)])


def _thinned(documents: Iterable[Document]) -> list[Document]:
    """At most ``MOST_STEPS`` steps: if there are more, two, four, eight … neighbors become one."""
    kept: list[Document] = []
    together = 1
    for place, document in enumerate(documents):
        if place % together:
            _join(kept[-1], document)
        else:
            kept.append(document)
        if len(kept) > MOST_STEPS:
            for one, other in zip(kept[::2], kept[1::2], strict=False):
                _join(one, other)
            kept, together = kept[::2], 2 * together
    return kept if together == 1 else list(map(_told, kept))


def _join(document: Document, other: Document) -> None:
    """Let a step be followed by another at once: costs add up, an edit goes from the first state to the last."""
    edits = {edit[0]: edit for edit in document["edits"]}
    for key, before, after in other["edits"]:
        edits[key] = [key, edits[key][1] if key in edits else before, after]
    document |= {
        "edits": list(edits.values()),
        "cost": {name: count + other["cost"][name] for name, count in document["cost"].items()},
        "focus": list(dict.fromkeys([*document["focus"], *other["focus"]]))[:MOST_FOCUSED],
        "moves": document.get("moves", 1) + other.get("moves", 1),
        "coarse": document["coarse"] or other["coarse"],
        "edge": None,
        "formula": None,
        "question": None,
        "caption": "",
        "bytes": other["bytes"],
        "peak": other["peak"],
    }
    if other["cost"]["visits"]:
        document["kind"] = other["kind"]


def _told(document: Document) -> Document:
    """A step that stands for many, with its sentence."""
    document.pop("whole", None)
    cost, moves = document["cost"], captions.plural(document.get("moves", 1), "move")
    if document["kind"] == "count":
        document["caption"] = f"The uses of nodes are counted along the edges: {moves}."
        return document
    work = [captions.plural(cost[name], name[:-1]) for name in ("multiplications", "additions") if cost[name]]
    turns = captions.plural(cost["visits"] or document.get("moves", 1), "turn" if cost["visits"] else "node")
    alive = captions.amount(document["bytes"])
    document["caption"] = f"Folded: {turns}, {captions.listed([moves, *work])}; {alive} are alive."
    return document
