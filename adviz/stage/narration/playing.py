"""Narrate a timeline: its Steps become the steps of a Scene, with words, numbers and edits of what is on stage.

A node inside a folded scope is not shown: consecutive moves inside one folded scope become one step.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ...algorithms.sweeps.comparison import Meter
from ...algorithms.sweeps.seeds import Value
from ...graph.graph import Graph
from ...graph.timeline import Step, Timeline, follow
from ..scene import captions
from ..scene.captions import OnStage, carried
from ..scene.document import Cost, CostName, RunKind
from ..scene.document import Edit as SceneEdit
from ..scene.document import Step as SceneStep
from .flows import shown
from .questions.sweep_questions import SweepExaminer
from .source_names import SourceNames, sentence
from .sweep_narration import MOST_NAMED, Act, Key, Narrator, Way, act, parts

Change = tuple[str, OnStage, OnStage]  # a key of the Scene, with its value before and after

MOST_STEPS = 10_000  # of a longer run, neighboring steps are joined
MOST_FOCUSED = 8  # the most items in the focus of a step
COSTS: tuple[CostName, ...] = ("multiplications", "additions", "comparisons")
COUNTS: tuple[CostName, ...] = (*COSTS, "visits")
STAGE = set("value tangent adjoint product times_used times_visited ready rank flag stored references".split())
"""The keys of a state that are shown; other timelines may have others."""
PACE = 512  # moves between two reports of progress
RESULT = "result"  # the kind of the step that says the result


class Returned(NamedTuple):
    """What steps about an output have in common."""

    output: int


ORDER = -1  # stands for the node of those Steps that look for the order before any node is visited


class Run(NamedTuple):
    """One run of a show: a timeline of one or several sweeps. The result of a wrong run is not summed up.

    ``moving`` are the inputs that have a tangent other than 0 in forward mode.
    """

    id: str
    label: str
    kind: RunKind
    engine: str
    timeline: Timeline
    matrix: Matrix | None = None
    sweeps: int = 1
    is_right: bool = True
    moving: Collection[int] = ()

    def kept(self) -> Run:
        """Return the run with all its steps, where they are read several times; not where arrays are changed in place.

        What was in an array when a step was made is there only until the next one is.
        """
        timeline = self.timeline
        return self._replace(timeline=Timeline(timeline.start, timeline.steps)) if self.is_right else self


class Entry(NamedTuple):
    """A row or a column of a matrix: its label, and the node whose entry it is, if any."""

    label: str
    node: int | None = None


class Matrix(NamedTuple):
    """A matrix that fills; ``cells`` maps a key, its value and the number of the sweep to places and entries.

    ``zeros`` are entries that no path leads to: they are known before the sweep.
    """

    rows: list[Entry]
    columns: list[Entry]
    label: str
    cells: Callable[[Key, Value, int], Iterable[tuple[int, int, float]]]
    zeros: list[tuple[int, int]]


class FoldedNodes:
    """The item of the picture that each node is in; ``shown`` are the nodes with an item of their own.

    ``keys`` are those of the items, ``owners`` has for each node the number of its item. A picture of such items tells
    how often the engine was in each, if its visits are ``counted``.
    """

    counted = True

    def __init__(self, keys: Sequence[str], owners: list[int], shown: list[int]):
        self.keys, self.owners, self.shown = keys, owners, shown
        self.first = {owner: node for node, owner in reversed(list(enumerate(owners)))}
        is_shown = set(shown)
        self.is_folded = [node not in is_shown for node in range(len(owners))]
        self.any = len(shown) < len(owners)

    def key(self, node: int) -> str:
        """Return the key of the item that a node is in."""
        return self.keys[self.owners[node]]

    def __contains__(self, node: int) -> bool:
        return self.is_folded[node]

    def group(self, node: int) -> Hashable:
        """Return what the steps of a node have in common with those that are joined with them; ``None``: with none."""
        return self.owners[node] if node in self else None


class Playback:
    """The narration of one run; it sums the visits of nodes up, unless something else tells of them."""

    def __init__(
        self,
        graph: Graph,
        run: Run,
        folded: FoldedNodes,
        panel: str,
        progress: Callable[[int], None],
        names: SourceNames,
        has_formulas: bool = True,
        has_sums: bool = True,
    ):
        self.has_formulas, self.has_sums = has_formulas, has_sums
        self.graph, self.run, self.folded, self.panel, self.progress = graph, run, folded, panel, progress
        self.state = dict(run.timeline.start)
        self.meter = Meter(graph.outputs)
        self.narrator = Narrator(graph, run.engine, self.state, names)
        self.examiner = SweepExaminer(self.narrator)
        self.node: int | None = None
        self.visits = self.moves = 0
        self.sweep = -1
        self.summary = Summary(self.narrator)
        self.beginning: SceneStep | None = None  # of the present visit
        self.counts: dict[str, int] = {}
        self.cells: dict[str, OnStage] = {}
        self.edits: dict[str, SceneEdit] = {}

    def documents(self) -> list[SceneStep]:
        """Return the steps, joined inside folded scopes, and thinned if there are too many."""
        documents = _thinned(self._merged())
        ending = self.narrator.ending(self.run.sweeps) if self.run.is_right else ""
        if self.beginning and "whole" in self.beginning:
            self.beginning["whole"] = f"{self.beginning['whole']} {ending}".strip()
        for document in documents[-1:]:
            document["caption"] = f"{document['caption']} {ending}".strip()
        return documents

    def _merged(self) -> Iterator[SceneStep]:
        """Yield consecutive steps of one group as one step, and those of no group as they are."""
        joined: SceneStep | None = None  # the step of the group ``present``
        present: Hashable = None
        for step in self.run.timeline:
            follow(self.state, step)
            self.sweep += step.kind == "seed"
            self.moves += 1
            if self.moves % PACE == 0:
                self.progress(self.visits)
            before = self.meter.bytes
            self.meter.add(step)
            done = act(step, before, self.meter.bytes)
            self.node, coarse = self._node(done)
            group = self._group()
            if joined and group == present:
                self._add(joined, step)
                continue
            if joined:
                yield self._closed(joined)
            document, present = self._document(done, coarse, group is None), group
            joined = None if group is None else document
            if self.has_sums and coarse and (group is None or isinstance(group, Returned)):
                self._end_visit()
                self.summary, self.beginning = Summary(self.narrator), document
            if group is None:
                if self.has_sums:
                    self.summary.add(done, document["caption"])
                yield document
        if joined:
            yield self._closed(joined)
        self._end_visit()

    def _end_visit(self) -> None:
        sentence = self.summary.sentence()
        if sentence and self.beginning:
            self.beginning["whole"] = sentence

    def _document(self, done: Act, coarse: bool, in_words: bool) -> SceneStep:
        """Return a step; the first of a group has no words."""
        step = done.step
        self.edits.clear()
        _merge(self.edits, self._changes(step))
        nodes = list(dict.fromkeys(done.nodes)) if in_words else [] if self.node == ORDER else [done.node]
        document: SceneStep = {
            **step_document(self.run.id, step.kind, self.narrator.caption(done) if in_words else ""),
            "focus": [f"{self.panel}/{self.folded.key(node)}" for node in nodes],
            "cost": cost_of(step, int(step.kind == "visit")),
            "edits": list(self.edits.values()),
            "node": shown(self.graph, nodes[0]) if nodes else None,
            "edge": list(done.way) if done.way and in_words else None,
            "coarse": coarse,
            "bytes": self.meter.bytes,
            "peak": self.meter.peak,
            "formula": self.narrator.formula(done) if in_words and self.has_formulas else None,
            "question": self.examiner.question(done) if in_words else None,
        }
        if not in_words:
            document["moves"] = 1
            self._tell_returned(document)
        return document

    def _add(self, document: SceneStep, step: Step) -> None:
        """Add a step to a group: costs add up, and an edit leads from the first state to the last."""
        visited = step.kind == "visit"
        document["cost"] = total([document["cost"], cost_of(step, int(visited))])
        _merge(self.edits, self._changes(step))
        if visited:
            document["kind"] = "visit"
        document["moves"] += 1
        document["bytes"], document["peak"] = self.meter.bytes, self.meter.peak
        self._tell_returned(document)

    def _tell_returned(self, document: SceneStep) -> None:
        """Say what the steps of an output come to, as long as they are under way."""
        if isinstance(self._group(), Returned) and self.node is not None:
            document["caption"] = self.narrator.returned(self.node) or document["caption"]
            if self.has_formulas:
                document["formula"] = self.narrator.formula_of(shown(self.graph, self.node)) or document["formula"]

    def _closed(self, document: SceneStep) -> SceneStep:
        closed: SceneStep = {**document, "edits": list(self.edits.values())}
        return closed if closed["caption"] else _summed_up(closed)

    def _node(self, done: Act) -> tuple[int | None, bool]:
        """Return the node whose visit a Step belongs to, and whether a coarse step begins with the Step."""
        if done.step.kind in ("visit", "skip", "evaluate"):
            self.visits += 1
            return done.node, True
        if done.way:
            return done.way.node, done.way.node != self.node
        if done.step.kind == "free" and done.nodes and self.graph.blocks[done.node].name == "output":
            return done.node, done.node != self.node
        if done.step.kind == "count" and self.node is None:
            return ORDER, True
        return (None, True) if done.step.kind == "seed" or not done.nodes else (self.node, False)

    def _group(self) -> Hashable:
        """Return the group that the present node is in, if any."""
        if self.node is None:
            return None
        is_output = self.node != ORDER and self.graph.blocks[self.node].name == "output"
        if is_output and self.run.kind != "evaluation":
            return Returned(self.node)
        if not self.folded.any:
            return None
        return ORDER if self.node == ORDER else self.folded.group(self.node)

    def _changes(self, step: Step) -> Iterator[Change]:
        if step.kind == "seed" and self.run.kind == "reverse" and not self.sweep:
            for node in self.folded.shown:  # the table shows what the forward pass has computed
                yield self._key("value", node), None, carried(self.graph.values[node])
        if step.kind == "seed" and self.run.matrix:
            yield from self._cells((row, column, 0.0) for row, column in self.run.matrix.zeros)
        for key, before, after in step.edits:
            what, node, *place = parts(key)
            if what not in STAGE:
                continue
            if not self.folded.is_folded[node] and not (what == "product" and node in self.folded):
                yield self._key(what, node, *place), carried(before), carried(after)
            elif what == "stored":
                yield self._count(what, node, (after or 0) - (before or 0))
            if self.run.matrix and after is not None and isinstance(key, tuple):
                yield from self._cells(self.run.matrix.cells(key, after, self.sweep))
        if self.folded.any and self.folded.counted and step.kind in ("visit", "evaluate"):
            visited: Any = step.focus[0]
            if visited in self.folded:
                yield self._count("times_visited", visited, 1)

    def _count(self, what: str, node: int, more: int) -> Change:
        """Count something for all nodes of a folded scope together."""
        key = self._key(what, self.folded.first[self.folded.owners[node]])
        before = self.counts.get(key)
        self.counts[key] = (before or 0) + more
        return key, before, self.counts[key]

    def _cells(self, entries: Iterable[tuple[int, int, float]]) -> Iterator[Change]:
        for row, column, entry in entries:
            name = self._key("cell", row, column)
            before, self.cells[name] = self.cells.get(name), carried(entry)
            if before != self.cells[name]:
                yield name, before, self.cells[name]

    def _key(self, what: str, *places: int) -> str:
        return "/".join([self.run.id, what, *map(str, places)])


def _merge(edits: dict[str, SceneEdit], changes: Iterable[Change | SceneEdit]) -> None:
    """Add changes to edits by key; an edit leads from the first state of its key to the last."""
    for key, before, after in changes:
        if key in edits:
            edits[key][2] = after
        else:
            edits[key] = [key, before, after]


def _thinned(documents: Iterable[SceneStep]) -> list[SceneStep]:
    """Return at most ``MOST_STEPS`` steps: if there are more, two, four, eight … neighbors become one."""
    result: list[SceneStep] = []
    together = 1
    for place, document in enumerate(documents):
        if place % together:
            _join(result[-1], document)
        else:
            result.append(document)
        if len(result) > MOST_STEPS:
            for one, other in zip(result[::2], result[1::2], strict=False):
                _join(one, other)
            result, together = result[::2], 2 * together
    return result if together == 1 else list(map(_summed_up, result))


def _join(document: SceneStep, other: SceneStep) -> None:
    edits = {edit[0]: edit for edit in document["edits"]}
    _merge(edits, other["edits"])
    document |= {
        "edits": list(edits.values()),
        "cost": total([document["cost"], other["cost"]]),
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


def _summed_up(document: SceneStep) -> SceneStep:
    document.pop("whole", None)
    cost, moves = document["cost"], captions.plural(document.get("moves", 1), "move")
    if document["kind"] == "count":
        document["caption"] = f"The uses of nodes are counted along the edges: {moves}."
        return document
    work = [captions.plural(cost[name], name[:-1]) for name in ("multiplications", "additions") if cost[name]]
    visits = captions.plural(cost["visits"] or document.get("moves", 1), "visit" if cost["visits"] else "node")
    alive = captions.amount(int(document["bytes"]))
    document["caption"] = f"Folded: {visits}, {captions.listed([moves, *work])}; {alive} are alive."
    return document


def steps_of(documents: Iterable[SceneStep]) -> list[int]:
    """Return for each Step of a timeline the number of the document that tells of it."""
    return [number for number, document in enumerate(documents) for _ in range(document.get("moves", 1))]


def step_document(run: str, kind: str, caption: str) -> SceneStep:
    """Return a step in which nothing happens."""
    return {
        "run": run,
        "kind": kind,
        "node": None,
        "edge": None,
        "formula": None,
        "cost": total([]),
        "bytes": 0,
        "peak": 0,
        "caption": caption,
        "focus": [],
        "edits": [],
        "coarse": True,
        "question": None,
    }


def result(before: SceneStep, caption: str) -> SceneStep:
    """Return the step that says the result, after the last move of an engine."""
    return {**step_document(before["run"], RESULT, caption), "bytes": before["bytes"], "peak": before["peak"]}


def cost_of(step: Step, visits: int = 0) -> Cost:
    """Return what a Step costs; ``visits`` are the nodes that are visited."""
    return {
        "multiplications": step.multiplications,
        "additions": step.additions,
        "comparisons": step.comparisons,
        "visits": visits,
    }


def total(costs: Iterable[Cost]) -> Cost:
    """Return the sum of some costs.

    >>> one = {"multiplications": 2, "additions": 1, "comparisons": 0, "visits": 1}
    >>> total([one, one])
    {'multiplications': 4, 'additions': 2, 'comparisons': 0, 'visits': 2}
    """
    sums: Cost = {"multiplications": 0, "additions": 0, "comparisons": 0, "visits": 0}
    for cost in costs:
        for name in COUNTS:
            sums[name] += cost[name]
    return sums


# ---- a coarse step, the whole visit of a node, in one sentence ----


class Summary:
    """Collects the Steps of a visit as they happen, since the numbers are those of the moment.

    >>> import adviz
    >>> from adviz.stage.shows.sweep_scene import forward_scene
    >>> document, _ = forward_scene(adviz.trace(lambda x: x * x, 3.0), panels="table")
    >>> document["steps"][1]["whole"]
    'f = x·x = 3 × 3 = 9; it receives 3 × 1 = 3 from x and 3 × 1 = 3 from x: its tangent is 6.'
    """

    def __init__(self, narrator: Narrator):
        self.narrator = narrator
        self.acts: list[Act] = []
        self.captions: list[str] = []
        self.opening = ""
        self.is_known = True
        self.products: list[tuple[Way, str]] = []
        self.sums: dict[int, str] = {}

    def add(self, act: Act, caption: str) -> None:
        """Add a Step with its own sentence; the state is that after the Step."""
        self.acts.append(act)
        self.captions.append(caption)
        try:
            if act.step.kind == "visit":
                self.opening = self.narrator.opening(act)
            elif act.way and act.step.kind == "product":
                self.products.append((act.way, self.narrator.arithmetic(act)))
            elif act.way and act.step.kind == "accumulate":
                self.sums[act.node] = self.narrator.total(act)
        except (LookupError, StopIteration):  # a timeline of the user's own may lack what this needs
            self.is_known = False

    def sentence(self) -> str | None:
        """Return the whole visit; ``None`` if it is a single Step, or many Steps that nothing sums up."""
        if len(self.acts) < 2:
            return None
        if self.products and self.is_known:
            return f"{self._received() if self.narrator.forward else self._passed()}{self._aftermath()}."
        if all(act.step.kind == "count" for act in self.acts):
            nodes, uses = len({act.node for act in self.acts}), captions.plural(len(self.acts), "use")
            return f"The uses of {captions.plural(nodes, 'node')} are counted: {uses} in all."
        return " ".join(self.captions) if len(self.captions) <= MOST_NAMED else None

    def _passed(self) -> str:
        passed: dict[int, list[str]] = {}
        for way, arithmetic in self.products:
            passed.setdefault(way.operand, []).append(arithmetic)
        texts = [
            f"{captions.listed(_first(parts, 'product'))} back to {self.narrator.called(node)}{self.sums.get(node, '')}"
            for node, parts in passed.items()
        ]
        first = f"{self.opening}: it" if self.opening else self.narrator.called(self.products[0][0].node)
        return sentence(f"{first} passes {', and '.join(_first(texts, 'product'))}")

    def _received(self) -> str:
        texts = [f"{arithmetic} from {self.narrator.called(way.operand)}" for way, arithmetic in self.products]
        total = self.sums.get(self.acts[0].node, "")
        return sentence(f"{self.opening}; it receives {captions.listed(_first(texts, 'product'))}{total}")

    def _aftermath(self) -> str:
        """Return which nodes are ready now, and what is freed."""
        freed = [act.node for act in self.acts if act.step.kind == "free"]
        if self.narrator.forward:
            return self._claim(freed, "freed")
        gone = "; its adjoint is freed" if freed else ""
        return gone + self._claim([node for act in self.acts for node in act.made_ready], "ready")

    def _claim(self, nodes: list[int], claim: str) -> str:
        names = [self.narrator.called(node) for node in nodes]
        verb = "is" if len(names) == 1 else "are"
        return f"; {captions.listed(_first(names, 'node'))} {verb} {claim}" if names else ""


def _first(words: list[str], noun: str) -> list[str]:
    """Return the first few of some words, and how many more there are."""
    more = len(words) - MOST_NAMED
    return [*words[:MOST_NAMED], *([captions.plural(more, f"more {noun}")] if more > 0 else [])]
