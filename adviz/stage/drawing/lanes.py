"""One run of a show in the pictures: its graph with the state of the moment, its matrix, and its words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from math import inf
from typing import NamedTuple

from ..scene import panels, theme
from ..scene.captions import plural
from ..scene.document import CostName, Part, Run, Show, Step
from ..scene.panels import Edge, GraphPanel
from ..scene.playhead import Playhead
from ..scene.short_text import OnStage, brief, fitting, wrapped
from ..scene.text_widths import fit, width
from . import matrix_marks, typesetting
from .eliminations import Eliminations
from .marks import (
    Arrow,
    Box,
    Curve,
    Item,
    Mark,
    Text,
    along,
    amount,
    edge_item,
    extent,
    meet,
    moved,
    moved_item,
    node_item,
    short,
)
from .pictures import Pictures

SHORT: dict[CostName, str] = {"multiplications": "×", "additions": "+", "comparisons": "<", "visits": "visits"}
"""The costs of a step, and their short signs."""
FLOWS = {"reverse": ("adjoint", "v\u0304"), "forward": ("tangent", "v\u0307"), "evaluation": ("value", "v")}
"""What flows in a run of each kind, and its sign."""
FREED = {"reverse": "adjoint", "forward": "value", "evaluation": "value"}
"""What a node has lost when it has been freed."""

NARROWEST = 470.0  # the least width of a run, so that there is room for its sentences
MOST_LINES = 6  # the most lines of a sentence
BEYOND = 10_000.0  # how far the graph is covered beyond the part that is seen
CAPTION_SIZE, METER_SIZE, LABEL_SIZE = 13.0, 11.0, 13.0
LINE = typesetting.LINE  # from one line of a sentence to the next
SCROLLBAR = 3.0
SQUARE, ROUND = 5.0, 15.0  # px that the last line of a node keeps from its sides
PILL_HEIGHT, PILL_WIDTH = 17.0, 84.0
PLACES = (0.5, 0.35, 0.65, 0.2, 0.8)  # where on its edge a product may wait; the first free place is taken

NO_GRAPH: GraphPanel = {
    "id": "",
    "kind": "graph",
    "scope": 0,
    "path": [],
    "siblings": None,
    "width": 0.0,
    "height": 0.0,
    "note": None,
    "nodes": [],
    "edges": [],
}
Rectangle = tuple[float, float, float, float]


class Move(NamedTuple):
    """What a step is to a run, with the items of its graph in focus, and the number of the coarse step."""

    part: Part
    focus: list[str]
    turn: int


class Lane:
    """One run of a show: its graph, its moves, and the room that its words take."""

    def __init__(self, scene: Show, run: Run, pictures: Pictures, moments: Sequence[int] | None = None):
        self.run = run["id"]
        self.kind = run["kind"]
        self.label = run["label"] if len(scene["runs"]) > 1 else ""
        own = [panel for panel in scene["panels"] if panel.get("run") == self.run]
        self.eliminations = Eliminations(scene, self.run, pictures)
        blank: GraphPanel = {**NO_GRAPH, "width": self.eliminations.size[0], "height": self.eliminations.size[1]}
        self.panel = next((panel for panel in own if panel["kind"] == "graph"), blank)
        self.moves: list[Move] = []
        self.when: list[int] = []
        turn = 0
        for k, step in enumerate(scene["steps"], start=1):
            turn += bool(step.get("coarse"))
            for part in step.get("parts", [step]):
                if part["run"] == self.run:
                    self.moves.append(Move(part, self._items(step), turn))
                    self.when.append(k)
        self.keeps = any(move.part["peak"] for move in self.moves)
        self.signs = self._signs(scene["steps"])
        self.costs = {name: [0, *accumulate(move.part["cost"][name] for move in self.moves)] for name in SHORT}
        self.matrix = matrix_marks.matrix_of(scene, self.run)
        beside = matrix_marks.size(self.matrix)[0] if self.matrix else 0.0
        self.width = max(self.panel["width"] + beside, NARROWEST)
        self.is_coarse = moments is not None
        self.told = self._told(self.is_coarse)
        shown = range(len(self.moves)) if moments is None else {*map(self._last, moments)} - {-1}
        self.lines = max((len(self._caption(k)) for k in shown), default=0)
        self.formula = max((sum(map(typesetting.height, self._formula(k))) for k in shown), default=0.0)
        self.head = LINE if self.label else 0.0
        self.roads = {
            (move.part["edge"][0], move.part["edge"][2]): road["key"]
            for move in self.moves
            if move.part["edge"] and (road := self._road(move))
        }
        self.slots = self._slots()
        self.is_cut = False

    def cut(self, room: float) -> None:
        """Show no more than ``room`` px of the graph at a time, if it is higher."""
        self.is_cut = room < self.panel["height"] and bool(self.panel["nodes"])
        if self.is_cut:
            self.room, self.tops = room, [*self._tops(room)]

    def _tops(self, room: float) -> Iterator[float]:
        """Yield the top of the part that is seen, move by move: it stays while the steps stay inside."""
        reach = {node["key"]: (node["y"] - node["h"] / 2, node["y"] + node["h"] / 2) for node in self.panel["nodes"]}
        last, top = self.panel["height"] - room, -inf
        for move in self.moves:
            ends = [reach[key] for key in move.focus if key in reach]
            if ends:
                low, high = min(low for low, _ in ends), max(high for _, high in ends)
                if low < top or high > top + room:
                    top = min(max(0.0, (low + high - room) / 2), last)
            yield max(top, 0.0)

    @property
    def height(self) -> float:
        """The height of the graph with the words around it."""
        return self.head + self.body + self.formula + (self.lines + 2) * LINE

    @property
    def body(self) -> float:
        """The height of the graph and the matrix beside it."""
        return max(
            self.room if self.is_cut else self.panel["height"],
            matrix_marks.size(self.matrix)[1] if self.matrix else 0.0,
        )

    def _told(self, coarse: bool) -> list[str]:
        """Return the sentence of each move; if ``coarse``, the last move of a coarse step has that of the whole."""
        # With several runs a sentence begins with its run; here the run stands above it.
        said = f"{self.label[:1].upper()}{self.label[1:]}: "
        last = {move.turn: k for k, move in enumerate(self.moves)}
        wholes = {move.turn: whole for move in self.moves if (whole := move.part.get("whole"))} if coarse else {}
        texts = [
            wholes.get(move.turn, move.part["caption"]) if last[move.turn] == k else move.part["caption"]
            for k, move in enumerate(self.moves)
        ]
        return [sentence.removeprefix(said) for sentence in texts]

    def _caption(self, last: int) -> list[str]:
        """Return the sentence of a move in lines; none before the first move."""
        return wrapped(self.told[last], CAPTION_SIZE, self.width - 2 * theme.MARGIN, MOST_LINES) if last >= 0 else []

    def _formula(self, last: int) -> list[typesetting.Line]:
        return typesetting.lines(self.moves[last].part["formula"], self.width - 2 * theme.MARGIN) if last >= 0 else []

    def _items(self, step: Step) -> list[str]:
        """Return the keys of the items of this run's graph in the focus of a step."""
        start = f"{self.panel['id']}/"
        return [key.removeprefix(start) for key in step["focus"] if key.startswith(start)]

    def _signs(self, steps: list[Step]) -> dict[str, int]:
        """Return the node under whose keys the state of each folded scope is."""
        folded = {node["key"] for node in self.panel["nodes"] if node["node"] is None}
        signs: dict[str, int] = {}
        for k, move in zip(self.when, self.moves, strict=True):
            if move.focus and move.focus[0] in folded and move.focus[0] not in signs:
                keys = [key.split("/") for key, *_ in steps[k - 1]["edits"]]
                found = [int(key[2]) for key in keys if key[:2] == [self.run, "times_visited"]]
                signs |= dict.fromkeys(move.focus[:1], found[0]) if found else {}
        return signs

    def _road(self, move: Move) -> Edge | None:
        ends = set(move.focus) if move.part["edge"] else set()
        return next((edge for edge in self.panel["edges"] if {edge["tail"], edge["head"]} == ends), None)

    def _slots(self) -> dict[str, float]:
        """Return where on each edge products wait: clear of the nodes and of each other, if there is room."""
        taken = [(node["x"], node["y"], node["w"], node["h"]) for node in self.panel["nodes"]]
        slots = {}
        for edge in self.panel["edges"]:
            if edge["key"] not in self.roads.values():
                continue
            spots = {share: (*along(edge["points"], share), 0.7 * PILL_WIDTH, PILL_HEIGHT) for share in PLACES}
            slots[edge["key"]] = min(PLACES, key=lambda share: sum(_overlap(spots[share], other) for other in taken))
            taken.append(spots[slots[edge["key"]]])
        return slots

    def _last(self, cursor: int) -> int:
        """Return the number of the last move up to a cursor; -1 before the first."""
        return bisect_right(self.when, cursor) - 1

    def _moving(self, cursor: int) -> Move | None:
        """Return the move of this run in the step just taken, if any."""
        last = self._last(cursor)
        return self.moves[last] if last >= 0 and self.when[last] == cursor else None

    def sends(self, cursor: int) -> bool:
        """Return whether the step just taken sends a product along an edge that is shown."""
        move = self._moving(cursor)
        return move is not None and move.part["kind"] == "product" and self._road(move) is not None

    def words(self, cursor: int) -> Iterator[Mark]:
        """Yield the label above the graph, and formula, sentence and meters below. A run that waits is muted."""
        last, room = self._last(cursor), self.width - 2 * theme.MARGIN
        fill = "ink" if self._moving(cursor) else "muted"
        if self.label:
            text = fit(self.label, LABEL_SIZE, room)
            yield Text(self.width / 2, 13, text, LABEL_SIZE, fill)
        y = bottom = self.head + self.body + self.formula
        for side in reversed(self._formula(last)):  # the last of them stands on the sentence
            bottom -= typesetting.height(side)
            yield from typesetting.marks(side, theme.MARGIN, bottom + typesetting.height(side) / 2, fill)
        y -= 0.2 * LINE
        for k, line in enumerate(self._caption(last)):
            yield Text(theme.MARGIN, y + (k + 1.2) * LINE, line, CAPTION_SIZE, fill, anchor="start")
        text = fitting([*self._meters(last)], METER_SIZE, room)
        yield Text(theme.MARGIN, y + (self.lines + 1.4) * LINE, text, METER_SIZE, "muted", anchor="start")

    def _meters(self, last: int) -> Iterator[str]:
        """Yield what the run has cost so far, and what it keeps; then the same in less room."""
        alive, peak = (self.moves[last].part["bytes"], self.moves[last].part["peak"]) if last >= 0 else (0, 0)
        kept = [f"{amount(alive)} alive, peak {amount(peak)}"] if self.keeps else []
        counts = [(name, counts[last + 1]) for name, counts in self.costs.items() if counts[-1]]
        yield " · ".join([*(plural(count, name[:-1]) for name, count in counts), *kept])
        yield " · ".join([*(f"{short(count)} {SHORT[name]}" for name, count in counts), *kept])

    def items(self, playhead: Playhead, share: float) -> Iterator[Item]:
        """Yield the graph, and the matrix beside it."""
        w, h = matrix_marks.size(self.matrix) if self.matrix else (0.0, 0.0)
        left = (self.width - self.panel["width"] - w) / 2
        stage, cursor = playhead.stage, playhead.cursor
        taken = self._taken(playhead)
        for item in (*self.eliminations.items(playhead.steps[:cursor], taken, share), *self._seen(playhead, share)):
            yield moved_item(item, left, 0.0)
        if self.matrix:
            changed = {key for key, *_ in playhead.steps[cursor - 1]["edits"]} if cursor else set()
            # The entries of an elimination are those of the graph at the moment, not sums under way.
            partial = (lambda _: False) if self.eliminations.panels else playhead.is_partial
            for item in matrix_marks.items(self.matrix, stage, changed, partial):
                yield moved_item(item, left + self.panel["width"], max(0.0, (self.body - h) / 2))

    def _seen(self, playhead: Playhead, share: float) -> Iterator[Item]:
        """Yield the graph, or the part of it that is seen, with a scroll bar."""
        if not self.is_cut:
            yield from self._graph(playhead, share)
            return
        last, whole = max(self._last(playhead.cursor), 0), self.panel["height"]
        before = self.tops[max(last - 1, 0)]
        top = before + share * (self.tops[last] - before)
        seen = -BEYOND, top, BEYOND, top + self.room
        for item in self._graph(playhead, share):
            marks = [moved(mark, 0.0, -top) for mark in item.marks if meet(extent(mark), seen)]
            if marks:
                yield replace(item, marks=marks)
        left, w = (self.panel["width"] - self.width) / 2, self.width
        covers = [Box(left, -BEYOND, w, BEYOND, 0, "paper"), Box(left, self.room, w, BEYOND, 0, "paper")]
        x, w = self.panel["width"] - 2 * SCROLLBAR, SCROLLBAR
        track = Box(x, 0.0, w, self.room, w / 2, "neutral")
        here = Box(x, top / whole * self.room, w, self.room**2 / whole, w / 2, "muted")
        yield Item("cover", "cover", "", [*covers, track, here])

    def _taken(self, playhead: Playhead) -> list[Step]:
        """Return the steps just taken: if only some moments are shown, the whole coarse step."""
        last = playhead.cursor
        first = max(last - 1, 0)
        while self.is_coarse and first and not playhead.steps[first]["coarse"]:
            first -= 1
        return playhead.steps[first:last]

    def _graph(self, playhead: Playhead, share: float) -> Iterator[Item]:
        """Yield edges, nodes with their state, rings around those in focus, and products on their way."""
        move = self._moving(playhead.cursor)
        road = self._road(move) if move else None
        for edge in self.panel["edges"]:
            item = edge_item(edge, 0.0, 0.0)
            yield self._named(item, [lit(mark) for mark in item.marks] if edge is road else item.marks)
        for node in self.panel["nodes"]:
            yield from self._node(playhead, node, move.focus if move else [])
        yield from self._products(playhead, road, share)

    def _named(self, item: Item, marks: list[Mark], dead: bool = False) -> Item:
        return replace(item, key=f"{self.panel['id']}/{item.key}", marks=marks, dead=dead)

    def _node(self, playhead: Playhead, node: panels.Item, focus: list[str]) -> Iterator[Item]:
        sign = node["node"] if node["node"] is not None else self.signs.get(node["key"])

        def on_stage(what: str) -> OnStage:
            return playhead.stage.get(f"{self.run}/{what}/{sign}")

        freed = playhead.is_freed(f"{self.run}/{FREED[self.kind]}/{sign}")
        if self.kind != "reverse" and playhead.first(f"{self.run}/value/{sign}") > playhead.cursor:
            node = {**node, "detail": f"v{sign}", "title": f"v{sign}, not yet computed"}
        item = node_item(node, 0.0, 0.0)
        faded = freed or item.dead
        body: list[Mark] = [mark for mark in item.marks if isinstance(mark, Box) and mark.fill != "badge"]
        words: list[Mark] = [mark for mark in item.marks if mark not in body]
        if faded:  # the words stay readable
            words = [
                replace(mark, fill="muted") if isinstance(mark, Text) and mark.fill == "ink" else mark for mark in words
            ]
        yield self._named(item, body, faded)
        if node["key"] in focus:
            words.insert(0, ring(node, 3.5))
        elif on_stage("ready") is not None:
            words.insert(0, ring(node, 2.5, dashed=True))
        partial = playhead.is_partial(f"{self.run}/{FLOWS[self.kind][0]}/{sign}")
        if not freed and (state := self._state(node, on_stage, " + …" if partial else "")):
            fill = "muted" if partial else "accent"
            words.append(Text(node["x"], node["y"] + node["h"] / 2 - 8, state, theme.DETAIL_SIZE, fill, "mono"))
        yield self._named(replace(item, title=""), words)

    def _state(self, node: panels.Item, on_stage: Callable[[str], OnStage], more: str) -> str:
        """Return the bottom line of a node: its tangent or adjoint, with ``more``, or how much it still awaits."""
        flow, sign = FLOWS[self.kind]
        counts = (on_stage(what) for what in ("times_used", "times_visited"))
        used, visited = (int(count) if isinstance(count, int | float) else 0 for count in counts)
        if node["node"] is None:
            texts = [plural(visited, "turn")] if visited else []
        elif on_stage(flow) is None:
            texts = [f"awaits {used - visited:,}"] if used > visited else []
        else:
            texts = [f"{sign} = {text}{more}" for text in brief(on_stage(flow))] if self.kind != "evaluation" else []
        edge = SQUARE if node["kind"] in ("block", "scope") else ROUND
        return fitting(texts, theme.DETAIL_SIZE, node["w"] - 2 * edge, "mono") if texts else ""

    def _products(self, playhead: Playhead, road: Edge | None, share: float) -> Iterator[Item]:
        """Yield the products that wait on edges, and the one that travels now."""
        waiting: dict[str, list[OnStage]] = {}
        for (node, place), edge in self.roads.items():
            value = playhead.stage.get(f"{self.run}/product/{node}/{place}")
            if value is not None:
                waiting.setdefault(edge, []).append(value)
        points = {edge["key"]: edge["points"] for edge in self.panel["edges"]}
        for key, values in waiting.items():
            now = road is not None and key == road["key"]
            start = 1.0 if self.kind == "reverse" else 0.0
            way = start + (share if now else 1.0) * (self.slots[key] - start)
            marks = [*_pill(values, *along(points[key], way), now)]
            yield self._named(Item(key, "product", "", []), marks)


def _overlap(one: Rectangle, other: Rectangle) -> float:
    """Return the common area of two rectangles, each given by center and size."""
    x, y = ((one[k + 2] + other[k + 2]) / 2 - abs(one[k] - other[k]) for k in (0, 1))
    return max(0.0, x) * max(0.0, y)


def lit(mark: Mark) -> Mark:
    """Return a mark of an edge as it is drawn while a product travels along it."""
    match mark:
        case Curve():
            return replace(mark, line="accent", thickness=mark.thickness + 1.25)
        case Arrow():
            return replace(mark, fill="accent")
        case _:
            return mark


def ring(node: panels.Item, thickness: float, dashed: bool = False) -> Box:
    """Return a border over that of a node in focus or, dashed, of one that is ready."""
    x, y, w, h = node["x"], node["y"], node["w"], node["h"]
    corner = theme.CORNER if node["kind"] in ("block", "scope") else h / 2
    return Box(x - w / 2, y - h / 2, w, h, corner, "", "accent", dashed, thickness)


def _pill(values: list[OnStage], x: float, y: float, now: bool) -> Iterator[Mark]:
    texts = [brief(value)[0] for value in values]
    text = fitting([", ".join(texts), *(brief(values[0]) if len(values) == 1 else ())], theme.DETAIL_SIZE, PILL_WIDTH)
    w = max(PILL_HEIGHT, width(text, theme.DETAIL_SIZE) + 12)
    fill, ink = ("accent", "paper") if now else ("paper", "accent")
    yield Box(x - w / 2, y - PILL_HEIGHT / 2, w, PILL_HEIGHT, PILL_HEIGHT / 2, fill, "accent")
    yield Text(x, y + 4, text, theme.DETAIL_SIZE, ink)
