"""Moments of a show as pictures: the graph with its state, the formula, the sentence and the meters of every run.

All pictures of one show have the same size, and everything in them its place for good; what changes from one to the
next is what changes on stage.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from math import ceil, inf, log
from operator import itemgetter
from typing import Any

from ..scene import theme
from ..scene.captions import plural
from ..scene.short_text import brief, fitting, wrapped
from ..scene.text_widths import fit, printable, width
from . import matrix_marks, typesetting
from .elimination_frames import Sides
from .marks import (
    Arrow,
    Box,
    Curve,
    Item,
    Mark,
    Picture,
    Text,
    along,
    amount,
    edge_item,
    moved,
    node_item,
    short,
    titled,
)

COSTS = ("multiplications", "additions", "comparisons", "visits")
SHORT = dict(zip(COSTS, ("×", "+", "<", "visits"), strict=True))
FLOWS = {"reverse": ("cotangent", "v\u0304"), "forward": ("tangent", "v\u0307"), "evaluation": ("value", "v")}
"""What flows in a run of each kind, and its sign."""
FREED = {"reverse": "cotangent", "forward": "value", "evaluation": "value"}
"""What a node has lost when it is free again."""

NARROWEST = 470.0
"""A run has at least this width, so that there is room for its sentences."""
MOST_LINES = 6
"""Lines of a sentence."""
ASPECT = 1.5
"""How much wider than high a picture is to be, where runs can be arranged."""
HIGHEST = 800.0
"""Films and handouts show no more of a graph than there is room for in so many px, and follow the steps."""
LEAST_SEEN = 240.0
BEYOND = 10_000.0  # what lies so far beyond the part that is seen is covered
MOST_KEY_FRAMES = 10
MOST_OF_A_STRIP = 6
STRIP_AREA = 3_000_000
"""A strip has about so many square px at most, so that notebooks stay small."""

CAPTION_SIZE, METER_SIZE, LABEL_SIZE = 13.0, 11.0, 13.0
LINE = typesetting.LINE  # from one line of a sentence to the next
BAR = 3.0  # height of the bar that tells how far the show is
FOOT = 26.0
SQUARE, ROUND = 5.0, 15.0  # px that the last line of a node keeps from its sides
PILL_HEIGHT, PILL_WIDTH = 17.0, 84.0
PLACES = (0.5, 0.35, 0.65, 0.2, 0.8)
"""Where on its edge a product may wait; the first place that is free is taken."""

NO_GRAPH: dict[str, Any] = {"id": "", "width": 0.0, "height": 0.0, "nodes": [], "edges": []}
Rectangle = tuple[float, float, float, float]


def frame(scene: dict[str, Any], cursor: int) -> Picture:
    """The picture of a show after ``cursor`` steps. Raises as :meth:`Film.picture` does.

    >>> import adviz
    >>> from adviz.stage.shows.sweep_scene import backward_scene
    >>> scene, _ = backward_scene(adviz.trace(lambda x: x * x, 3.0))
    >>> frame(scene, 1).summary.split(":")[0]
    'Step 1 of 19'
    """
    return Film(scene).picture(cursor)


def key_frames(scene: dict[str, Any], most: int = MOST_KEY_FRAMES) -> list[int]:
    """Cursors of at most ``most`` moments that tell the show: the first, the last, and coarse steps evenly between.

    >>> key_frames({"steps": [{"coarse": k % 2 == 0} for k in range(10)]}, 4)
    [0, 4, 6, 10]
    """
    steps = scene["steps"]
    ends = [k for k, step in enumerate(steps) if k and step.get("coarse")]  # a turn is over where the next one begins
    moments = [0, *ends, *([len(steps)] if steps else [])]
    last = len(moments) - 1
    count = min(most, len(moments))
    return [moments[round(k * last / max(1, count - 1))] for k in range(count)]


def strip(scene: dict[str, Any]) -> Picture:
    """Key frames of a show beside and below each other, as one picture: for paper, and where nothing can be chosen.

    There are fewer where they are large. Raises as :class:`Film` does.
    """
    one = Film(scene, key_frames(scene)).size
    cursors = key_frames(scene, max(2, min(MOST_OF_A_STRIP, int(STRIP_AREA / (one[0] * one[1])))))
    film = Film(scene, cursors)
    pictures = [film.picture(cursor) for cursor in cursors]
    (w, h), places = _tiled(*film.size, len(pictures))
    frame: list[Mark] = []
    items = []
    for (x, y), drawn in zip(places, pictures, strict=True):
        frame += [moved(mark, x, y) for mark in drawn.frame]
        items += [_moved(item, x, y) for item in drawn.items]
    told = " ".join(drawn.summary for drawn in pictures)
    return Picture(w, h, film.title, told, frame, items)


class Film:
    """A show whose moments can be drawn one after the other: to go on by a step costs no more than that step."""

    def __init__(self, scene: dict[str, Any], moments: Sequence[int] | None = None, highest: float = inf):
        """Of the Scene of a show; of all its moments, or of some that lie apart.

        Pictures are then as high as these need, and the last moment of a turn tells the whole turn. Where they would be
        higher than ``highest`` px, a part of the graph is seen, which follows the steps. Raises ``ValueError`` if the
        Scene is no show: if it has no runs.
        """
        if not scene.get("runs"):
            raise ValueError("the scene has no runs: it is a graph to explore, not a show")
        self.scene, self.steps = scene, scene["steps"]
        self.title = titled(scene)
        self.stage: dict[str, Any] = dict(scene.get("start", {}))
        self.cursor = len(self.steps)
        self.changes: dict[str, list[tuple[int, Any]]] = {}
        for k, step in enumerate(self.steps, start=1):
            for key, _, after in step["edits"]:
                self.changes.setdefault(key, []).append((k, after))
        self._seek(0)
        self.lanes = [Lane(scene, run, moments) for run in scene["runs"]]
        for lane in self.lanes:
            lane.lines = max(other.lines for other in self.lanes)
            lane.formula = max(other.formula for other in self.lanes)
        top = theme.TITLE_HEIGHT if self.title else theme.MARGIN
        for lane in self.lanes:
            lane.cut(max(LEAST_SEEN, highest - top - FOOT - (lane.height - lane.body)))
        self.is_cut = any(lane.is_cut for lane in self.lanes)
        w, h = (max(getattr(lane, side) for lane in self.lanes) for side in ("width", "height"))
        (w, h), places = _tiled(w, h, len(self.lanes), inf if self.is_cut else ASPECT)
        self.size, self.places = (ceil(w), ceil(top + h + FOOT)), [(x, top + y) for x, y in places]

    def _seek(self, cursor: int) -> None:
        while self.cursor > cursor:
            self.cursor -= 1
            self.stage |= {key: before for key, before, _ in reversed(self.steps[self.cursor]["edits"])}
        while self.cursor < cursor:
            self.stage |= {key: after for key, _, after in self.steps[self.cursor]["edits"]}
            self.cursor += 1

    def freed(self, key: str) -> bool:
        """Whether something was on stage, and is no more."""
        return self.first(key) < self.cursor and self.stage.get(key) is None

    def first(self, key: str) -> int:
        """When something comes on stage; never, if it is not there at any time."""
        return next((k for k, after in self.changes.get(key, ()) if after is not None), len(self.steps) + 1)

    def partial(self, key: str) -> bool:
        """Whether more will be added to what is on stage."""
        present, changes = self.stage.get(key), self.changes.get(key, [])
        coming = changes[bisect_right(changes, self.cursor, key=itemgetter(0)) :][:1]
        return present is not None and any(after not in (None, present) for _, after in coming)

    def travels(self, cursor: int) -> bool:
        """Whether the last of ``cursor`` steps sends something along an edge that is seen."""
        return any(lane.sends(cursor) for lane in self.lanes)

    def picture(self, cursor: int, share: float = 1.0) -> Picture:
        """The picture after ``cursor`` steps; a product of the last of them has gone ``share`` of the way to its place.

        Raises ``IndexError`` for a cursor that the show does not have.
        """
        if not 0 <= cursor <= len(self.steps):
            raise IndexError(f"the show has no moment {cursor}: there are moments 0 to {len(self.steps)}")
        self._seek(cursor)
        frame, items = [*self._frame()], []
        for lane, (x, y) in zip(self.lanes, self.places, strict=True):
            frame += [moved(mark, x, y) for mark in lane.words(cursor)]
            items += [_moved(item, x, y + lane.head) for item in lane.items(self, share)]
        if self.is_cut:  # what lies beyond is covered, and the words stand on the cover
            frame, items = [], [*items, Item("words", "words", "", frame)]
        told = self.steps[cursor - 1]["caption"] if cursor else "Nothing has happened yet."
        return Picture(*self.size, self.title, f"{self._step()}: {printable(told)}", frame, items)

    def _step(self) -> str:
        return f"Step {self.cursor:,} of {len(self.steps):,}"

    def _frame(self) -> Iterator[Mark]:
        """The title above, and below how far the show is."""
        whole, height = self.size
        room = whole - 2 * theme.MARGIN
        if self.title:
            text = fit(self.title, theme.TITLE_SIZE, room)
            yield Text(theme.MARGIN, theme.TITLE_HEIGHT - 8, text, theme.TITLE_SIZE, "ink", anchor="start")
        step = self._step()
        yield Text(theme.MARGIN, height - 10, step, METER_SIZE, "muted", anchor="start")
        left = theme.MARGIN + width(f"Step {len(self.steps):,} of {len(self.steps):,}", METER_SIZE) + 12
        length = whole - theme.MARGIN - left
        yield Box(left, height - 15, length, BAR, BAR / 2, "neutral")
        if self.cursor:
            yield Box(left, height - 15, length * self.cursor / len(self.steps), BAR, BAR / 2, "accent")


def _of_kind(scene: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [panel for panel in scene["panels"] if panel["kind"] == kind]


def _moved(item: Item, x: float, y: float) -> Item:
    return replace(item, marks=[moved(mark, x, y) for mark in item.marks])


def _tiled(
    w: float, h: float, count: int, aspect: float = ASPECT
) -> tuple[tuple[float, float], list[tuple[float, float]]]:
    """The size of ``count`` tiles of a size, and where each is: in rows with few gaps that come close to ``aspect``."""

    def misfit(columns: int) -> float:
        rows = ceil(count / columns)
        return abs(log(columns * w / (rows * h) / aspect)) + (rows * columns - count) / count

    columns = count if aspect == inf else min(range(1, count + 1), key=misfit)
    return (columns * w, ceil(count / columns) * h), [(k % columns * w, k // columns * h) for k in range(count)]


class Lane:
    """One run of a show: its graph, what it does when, and the room that its words take."""

    def __init__(self, scene: dict[str, Any], run: dict[str, Any], moments: Sequence[int] | None = None):
        self.run = run["id"]
        self.kind = run["kind"]
        self.label = run["label"] if len(scene["runs"]) > 1 else ""
        self.pair = Sides([panel for panel in _of_kind(scene, "elimination") if panel["run"] == self.run])
        blank = NO_GRAPH | dict(zip(("width", "height"), self.pair.size, strict=True))
        self.panel = next((panel for panel in _of_kind(scene, "graph") if panel.get("run") == self.run), blank)
        self.moves, self.when = [], []
        turn = 0
        for k, step in enumerate(scene["steps"], start=1):
            turn += bool(step.get("coarse"))
            for part in step.get("parts", [step]):
                if part["run"] == self.run:
                    self.moves.append(part | {"focus": self._items(step), "turn": turn})
                    self.when.append(k)
        self.keeps = any(move["peak"] for move in self.moves)
        self.signs = self._signs(scene["steps"])
        self.costs = [*accumulate(([move["cost"][name] for name in COSTS] for move in self.moves), _added)]
        self.matrix = matrix_marks.shown(scene, self.run)
        beside = matrix_marks.size(self.matrix)[0] if self.matrix else 0.0
        self.width = max(self.panel["width"] + beside, NARROWEST)
        self.is_coarse = moments is not None
        self.told = self._told(self.is_coarse)
        shown = range(len(self.moves)) if moments is None else {*map(self._last, moments)} - {-1}
        self.lines = max((len(self._caption(k)) for k in shown), default=0)
        self.formula = max((sum(map(typesetting.height, self._formula(k))) for k in shown), default=0.0)
        self.head = LINE if self.label else 0.0
        self.roads = {
            (move["edge"][0], move["edge"][2]): road["key"]
            for move in self.moves
            if move["edge"] and (road := self._road(move))
        }
        self.slots = self._slots()
        self.is_cut = False

    def cut(self, room: float) -> None:
        """Let no more than ``room`` px of the graph be seen at a time, where it is higher."""
        self.is_cut = room < self.panel["height"] and bool(self.panel["nodes"])
        if self.is_cut:
            self.room, self.tops = room, [*self._tops(room)]

    def _tops(self, room: float) -> Iterator[float]:
        """Where the part that is seen begins, move by move: it stays while the steps stay in it."""
        reach = {node["key"]: (node["y"] - node["h"] / 2, node["y"] + node["h"] / 2) for node in self.panel["nodes"]}
        last, top = self.panel["height"] - room, -inf
        for move in self.moves:
            ends = [reach[key] for key in move["focus"] if key in reach]
            if ends:
                low, high = min(low for low, _ in ends), max(high for _, high in ends)
                if low < top or high > top + room:
                    top = min(max(0.0, (low + high - room) / 2), last)
            yield max(top, 0.0)

    def _top(self, cursor: int, share: float) -> float:
        """Where the part that is seen begins; on the way there, if a product is."""
        last = max(self._last(cursor), 0)
        before = self.tops[max(last - 1, 0)]
        return before + share * (self.tops[last] - before)

    @property
    def height(self) -> float:
        """Of the graph with the words around it."""
        return self.head + self.body + self.formula + (self.lines + 2) * LINE

    @property
    def body(self) -> float:
        """The height of the graph and what is beside it."""
        return max(
            self.room if self.is_cut else self.panel["height"],
            matrix_marks.size(self.matrix)[1] if self.matrix else 0.0,
        )

    def _told(self, coarse: bool) -> list[str]:
        """What is said of each move; if ``coarse``, the last of a turn says what the whole turn was."""
        # A sentence begins with the run where there are several; here the run stands above it.
        said = f"{self.label[:1].upper()}{self.label[1:]}: "
        last = {move["turn"]: k for k, move in enumerate(self.moves)}
        wholes = {move["turn"]: move["whole"] for move in self.moves if move.get("whole")} if coarse else {}
        told = [
            wholes.get(move["turn"], move["caption"]) if last[move["turn"]] == k else move["caption"]
            for k, move in enumerate(self.moves)
        ]
        return [sentence.removeprefix(said) for sentence in told]

    def _caption(self, last: int) -> list[str]:
        """The sentence of a move in lines; none before the first move."""
        return wrapped(self.told[last], CAPTION_SIZE, self.width - 2 * theme.MARGIN, MOST_LINES) if last >= 0 else []

    def _formula(self, last: int) -> list[typesetting.Line]:
        """The formula of a move in lines, if there is one."""
        return typesetting.lines(self.moves[last]["formula"], self.width - 2 * theme.MARGIN) if last >= 0 else []

    def _items(self, step: dict[str, Any]) -> list[str]:
        """The keys of the items of this run's graph that a step happens at."""
        start = f"{self.panel['id']}/"
        return [key.removeprefix(start) for key in step["focus"] if key.startswith(start)]

    def _signs(self, steps: list[dict[str, Any]]) -> dict[str, int]:
        """By which node's keys it is told of a folded scope."""
        folded = {node["key"] for node in self.panel["nodes"] if node["node"] is None}
        signs: dict[str, int] = {}
        for k, move in zip(self.when, self.moves, strict=True):
            if move["focus"] and move["focus"][0] in folded and move["focus"][0] not in signs:
                keys = [key.split("/") for key, *_ in steps[k - 1]["edits"]]
                found = [int(key[2]) for key in keys if key[:2] == [self.run, "times_visited"]]
                signs |= dict.fromkeys(move["focus"][:1], found[0]) if found else {}
        return signs

    def _road(self, move: dict[str, Any]) -> dict[str, Any] | None:
        """The edge that a move happens along, where that is seen."""
        ends = set(move["focus"]) if move["edge"] else set()
        return next((edge for edge in self.panel["edges"] if {edge["tail"], edge["head"]} == ends), None)

    def _slots(self) -> dict[str, float]:
        """Where on each edge products wait: clear of the nodes and of each other, as far as there is room."""
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
        """The number of the last move up to a cursor; -1 before the first."""
        return bisect_right(self.when, cursor) - 1

    def _moving(self, cursor: int) -> dict[str, Any] | None:
        """The move that the step just taken holds of this run."""
        last = self._last(cursor)
        return self.moves[last] if last >= 0 and self.when[last] == cursor else None

    def sends(self, cursor: int) -> bool:
        """Whether the step just taken sends something along an edge that is seen."""
        move = self._moving(cursor)
        return move is not None and move["kind"] == "product" and self._road(move) is not None

    def words(self, cursor: int) -> Iterator[Mark]:
        """The label above the graph; formula, sentence and meters below it. A run that waits is muted."""
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
        """What the run has cost so far, and what it keeps; then the same in less room."""
        spent = self.costs[last] if last >= 0 else [0] * len(COSTS)
        used = self.costs[-1] if self.costs else spent
        now = self.moves[last] if last >= 0 else {"bytes": 0, "peak": 0}
        kept = [f"{amount(now['bytes'])} alive, peak {amount(now['peak'])}"] if self.keeps else []
        counts = [(name, count) for name, count, end in zip(COSTS, spent, used, strict=True) if end]
        yield " · ".join([*(plural(count, name[:-1]) for name, count in counts), *kept])
        yield " · ".join([*(f"{short(count)} {SHORT[name]}" for name, count in counts), *kept])

    def items(self, film: Film, share: float) -> Iterator[Item]:
        """The graph, and the matrix beside it."""
        w, h = matrix_marks.size(self.matrix) if self.matrix else (0.0, 0.0)
        left = (self.width - self.panel["width"] - w) / 2
        for item in (*self.pair.items(film.stage, self.run, self._taken(film)), *self._seen(film, share)):
            yield _moved(item, left, 0.0)
        if self.matrix:
            changed = {key for key, *_ in film.steps[film.cursor - 1]["edits"]} if film.cursor else set()
            # Entries of an elimination are what the graph has by now, not sums that are under way.
            partial = (lambda _: False) if self.pair.panels else film.partial
            for item in matrix_marks.items(self.matrix, film.stage, changed, partial):
                yield _moved(item, left + self.panel["width"], max(0.0, (self.body - h) / 2))

    def _seen(self, film: Film, share: float) -> Iterator[Item]:
        """The graph, or the part of it that is seen, with a bar beside it that tells which part that is."""
        if not self.is_cut:
            yield from self._graph(film, share)
            return
        top, whole = self._top(film.cursor, share), self.panel["height"]
        for item in self._graph(film, share):
            marks = [moved(mark, 0.0, -top) for mark in item.marks if _reaches(mark, top, top + self.room)]
            if marks:
                yield replace(item, marks=marks)
        left, w = (self.panel["width"] - self.width) / 2, self.width
        covers = [Box(left, -BEYOND, w, BEYOND, 0, "paper"), Box(left, self.room, w, BEYOND, 0, "paper")]
        x = self.panel["width"] - 2 * BAR
        track = Box(x, 0.0, BAR, self.room, BAR / 2, "neutral")
        here = Box(x, top / whole * self.room, BAR, self.room**2 / whole, BAR / 2, "muted")
        yield Item("cover", "cover", "", [*covers, track, here])

    def _taken(self, film: Film) -> list[dict[str, Any]]:
        """The steps just taken: where only some moments are shown, all of the turn that is over."""
        last = film.cursor
        first = max(last - 1, 0)
        while self.is_coarse and first and not film.steps[first]["coarse"]:
            first -= 1
        return film.steps[first:last]

    def _graph(self, film: Film, share: float) -> Iterator[Item]:
        """Edges, nodes with their state, rings around those in focus, and products on their way."""
        move = self._moving(film.cursor)
        road = self._road(move) if move else None
        for edge in self.panel["edges"]:
            item = edge_item(edge, 0.0, 0.0)
            yield self._named(item, [_lit(mark) for mark in item.marks] if edge is road else item.marks)
        for node in self.panel["nodes"]:
            yield from self._node(film, node, move["focus"] if move else [])
        yield from self._products(film, road, share)

    def _named(self, item: Item, marks: list[Mark], dead: bool = False) -> Item:
        return replace(item, key=f"{self.panel['id']}/{item.key}", marks=marks, dead=dead)

    def _node(self, film: Film, node: dict[str, Any], focus: list[str]) -> Iterator[Item]:
        sign = node["node"] if node["node"] is not None else self.signs.get(node["key"])

        def on_stage(what: str) -> Any:
            return film.stage.get(f"{self.run}/{what}/{sign}")

        freed = film.freed(f"{self.run}/{FREED[self.kind]}/{sign}")
        if self.kind != "reverse" and film.first(f"{self.run}/value/{sign}") > film.cursor:
            node = node | {"detail": f"v{sign}", "title": f"v{sign}, not yet computed"}
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
            words.insert(0, _ring(node, 3.5))
        elif on_stage("ready") is not None:
            words.insert(0, _ring(node, 2.5, dashed=True))
        partial = film.partial(f"{self.run}/{FLOWS[self.kind][0]}/{sign}")
        if not freed and (state := self._state(node, on_stage, " + …" if partial else "")):
            fill = "muted" if partial else "accent"
            words.append(Text(node["x"], node["y"] + node["h"] / 2 - 8, state, theme.DETAIL_SIZE, fill, "mono"))
        yield self._named(replace(item, title=""), words)

    def _state(self, node: dict[str, Any], on_stage: Callable[[str], Any], more: str) -> str:
        """The line at the bottom of a node: what has flowed to it (and that ``more`` comes), or how much it awaits."""
        flow, sign = FLOWS[self.kind]
        used, visited = (on_stage(what) or 0 for what in ("times_used", "times_visited"))
        if node["node"] is None:
            texts = [plural(visited, "turn")] if visited else []
        elif on_stage(flow) is None:
            texts = [f"awaits {used - visited:,}"] if used > visited else []
        else:
            texts = [f"{sign} = {text}{more}" for text in brief(on_stage(flow))] if self.kind != "evaluation" else []
        edge = SQUARE if node["kind"] in ("block", "scope") else ROUND
        return fitting(texts, theme.DETAIL_SIZE, node["w"] - 2 * edge, "mono") if texts else ""

    def _products(self, film: Film, road: dict[str, Any] | None, share: float) -> Iterator[Item]:
        """What waits on each edge, and what goes along one now."""
        waiting: dict[str, list[Any]] = {}
        for (node, place), edge in self.roads.items():
            value = film.stage.get(f"{self.run}/product/{node}/{place}")
            if value is not None:
                waiting.setdefault(edge, []).append(value)
        points = {edge["key"]: edge["points"] for edge in self.panel["edges"]}
        for key, values in waiting.items():
            now = road is not None and key == road["key"]
            start = 1.0 if self.kind == "reverse" else 0.0
            way = start + (share if now else 1.0) * (self.slots[key] - start)
            marks = [*_pill(values, *along(points[key], way), now)]
            yield self._named(Item(key, "product", "", []), marks)


def _added(one: list[int], other: list[int]) -> list[int]:
    return [a + b for a, b in zip(one, other, strict=True)]


def _overlap(one: Rectangle, other: Rectangle) -> float:
    """The common area of two rectangles given by center and size."""
    x, y = ((one[k + 2] + other[k + 2]) / 2 - abs(one[k] - other[k]) for k in (0, 1))
    return max(0.0, x) * max(0.0, y)


def _reaches(mark: Mark, top: float, bottom: float) -> bool:
    """Whether a mark may be seen between two heights."""
    match mark:
        case Box():
            ends = (mark.y, mark.y + mark.h)
        case Text():
            ends = (mark.y - mark.size, mark.y + mark.size)
        case _:
            ends = (min(mark.points[1::2]), max(mark.points[1::2]))
    return ends[0] < bottom and ends[1] > top


def _lit(mark: Mark) -> Mark:
    """A mark of an edge that something travels along."""
    match mark:
        case Curve():
            return replace(mark, line="accent", thickness=mark.thickness + 1.25)
        case Arrow():
            return replace(mark, fill="accent")
        case _:
            return mark


def _ring(node: dict[str, Any], thickness: float, dashed: bool = False) -> Box:
    """A border for what is in focus (or, dashed, ready), over that of the node."""
    x, y, w, h = (node[name] for name in ("x", "y", "w", "h"))
    corner = theme.CORNER if node["kind"] in ("block", "scope") else h / 2
    return Box(x - w / 2, y - h / 2, w, h, corner, "", "accent", dashed, thickness)


def _pill(values: list[Any], x: float, y: float, now: bool) -> Iterator[Mark]:
    """Numbers on an edge."""
    texts = [brief(value)[0] for value in values]
    text = fitting([", ".join(texts), *(brief(values[0]) if len(values) == 1 else ())], theme.DETAIL_SIZE, PILL_WIDTH)
    w = max(PILL_HEIGHT, width(text, theme.DETAIL_SIZE) + 12)
    fill, ink = ("accent", "paper") if now else ("paper", "accent")
    yield Box(x - w / 2, y - PILL_HEIGHT / 2, w, PILL_HEIGHT, PILL_HEIGHT / 2, fill, "accent")
    yield Text(x, y + 4, text, theme.DETAIL_SIZE, ink)
