"""Moments of a show as pictures: for every run the graph with its state, the formula, the sentence and the meters.

All pictures of a show have the same size and the same layout; only what changes on stage changes in the picture.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from math import ceil, inf, log
from typing import NamedTuple

from ..scene import theme
from ..scene.captions import plural
from ..scene.document import CostName, MemoryPanel, Part, Run, Show, Step
from ..scene.panels import Edge, GraphPanel
from ..scene.text_widths import fit, fitting, printable, width, wrapped
from . import typesetting
from .flow_lane import FlowLane, flow_of, rests_of
from .marks import Box, Item, Mark, Picture, Text, amount, extent, meet, moved, moved_item, short, titled
from .pictures import Eliminations, Pictures, mark_of, matrix_of, named_item

ASPECT = 1.5  # the desired ratio of width to height, where runs can be arranged
HIGHEST = 800.0  # films and handouts show no more than this many px of a graph at a time, and follow the steps
LEAST_SEEN = 240.0
MOST_KEY_FRAMES = 10
MOST_OF_A_STRIP = 6
STRIP_AREA = 3_000_000  # the area of a strip in square px, about, so that notebooks stay small
BAR = 3.0  # height of the bar that shows how far the show is
FOOT, STORY = 26.0, 36.0  # below the words: how far the show is, or what its steps are called


def key_frames(scene: Show, most: int = MOST_KEY_FRAMES) -> list[int]:
    """Return the cursors of at most ``most`` moments: the first, the last, and ends of coarse steps evenly between.

    Where numbers flow, they are moments where the show rests.

    >>> key_frames({"steps": [{"coarse": k % 2 == 0} for k in range(10)]}, 4)
    [0, 4, 6, 10]
    """
    steps = scene["steps"]
    ends = [k for k, step in enumerate(steps) if k and step.get("coarse")]  # one ends where the next begins
    moments = [*rests_of(scene)] or [0, *ends, *([len(steps)] if steps else [])]
    last = len(moments) - 1
    count = min(most, len(moments))
    return [moments[round(k * last / max(1, count - 1))] for k in range(count)]


def key_film(scene: Show) -> Film:
    """Return the film of the key frames of a show; raise what :class:`Film` raises."""
    return Film(scene, key_frames(scene))


def strip(film: Film) -> Picture:
    """Return key frames of a film in rows, as one picture: for paper, and where nothing can be chosen.

    Large pictures are fewer.
    """
    room = STRIP_AREA / (film.size[0] * film.size[1])
    cursors = key_frames(film.scene, max(2, min(MOST_OF_A_STRIP, int(room))))
    pictures = [film.picture(cursor) for cursor in cursors]
    (w, h), places = _tiled(*film.size, len(pictures))
    frame: list[Mark] = []
    items = []
    for (x, y), drawn in zip(places, pictures, strict=True):
        frame += [moved(mark, x, y) for mark in drawn.frame]
        items += [moved_item(item, x, y) for item in drawn.items]
    text = " ".join(drawn.summary for drawn in pictures)
    return Picture(w, h, film.title, text, frame, items)


class Film:
    """The pictures of a show."""

    def __init__(self, scene: Show, moments: Sequence[int] | None = None, highest: float = inf, widest: float = inf):
        """Prepare all moments of the Scene of a show, or some ``moments`` that lie apart.

        Of the latter, pictures are as high as these need, and the last moment of a coarse step has the sentence of the
        whole. Where pictures would be higher than ``highest`` px, only a part of the graph is seen, which follows the
        steps; numbers that flow are seen as a whole, no wider than ``widest`` px. Raises ``ValueError`` if the Scene
        has no runs.
        """
        if not scene.get("runs"):
            raise ValueError("the scene has no runs: it is a graph to explore, not a show")
        self.scene, self.steps, self.title = scene, scene["steps"], titled(scene)
        pictures = Pictures(scene)
        self.lanes = [_lane(scene, run, pictures, moments, widest) for run in scene["runs"]]
        self.flow = next((lane for lane in self.lanes if isinstance(lane, FlowLane)), None)
        foot = STORY if self.flow else FOOT
        for lane in self.lanes:
            lane.lines = max(other.lines for other in self.lanes)
            lane.formula = max(other.formula for other in self.lanes)
        top = theme.TITLE_HEIGHT if self.title else theme.MARGIN
        for lane in self.lanes:
            lane.cut(max(LEAST_SEEN, highest - top - foot - (lane.height - lane.body)))
        self.is_cut = any(lane.is_cut for lane in self.lanes)
        w, h = (max(getattr(lane, side) for lane in self.lanes) for side in ("width", "height"))
        (w, h), places = _tiled(w, h, len(self.lanes), inf if self.is_cut else ASPECT)
        self.size, self.places = (ceil(w), ceil(top + h + foot)), [(x, top + y) for x, y in places]

    def travels(self, cursor: int) -> bool:
        """Return whether anything is seen on its way in the last of ``cursor`` steps."""
        return any(lane.sends(cursor) for lane in self.lanes)

    def duration(self, cursor: int) -> float:
        """Return how many milliseconds numbers flow until a cursor, from where the show rested before."""
        return max(lane.duration(cursor) if isinstance(lane, FlowLane) else 0.0 for lane in self.lanes)

    def picture(self, cursor: int, share: float = 1.0) -> Picture:
        """Return the picture after ``cursor`` steps; the last product has gone ``share`` of the way to its place.

        Raises ``IndexError`` for a cursor outside the show.

        >>> import adviz
        >>> from adviz.stage.shows.sweep_scene import evaluation_scene
        >>> Film(evaluation_scene(adviz.trace(lambda x: x * x, 3.0))[0]).picture(1).summary.split(":")[0]
        'Step 1 of 3'
        """
        if not 0 <= cursor <= len(self.steps):
            raise IndexError(f"the show has no moment {cursor}: there are moments 0 to {len(self.steps)}")
        step = f"Step {cursor:,} of {len(self.steps):,}"
        start = self.scene.get("invitation", "Nothing has happened yet.")
        text = self.steps[cursor - 1]["caption"] if cursor else start
        if self.flow:
            rests, number = [*rests_of(self.scene).values()], self.flow.number(cursor)
            step, text = f"Step {number:,} of {len(rests) - 1:,}", rests[number]["caption"]
        frame, items = [*self._frame(step, cursor)], []
        for lane, (x, y) in zip(self.lanes, self.places, strict=True):
            frame += [moved(mark, x, y) for mark in lane.words(cursor)]
            items += [moved_item(item, x, y + lane.head) for item in lane.items(cursor, share)]
        if self.is_cut:  # the graph beyond is covered, and the words stand on the cover
            frame, items = [], [*items, Item("words", "words", "", frame)]
        return Picture(*self.size, self.title, f"{step}: {printable(text)}", frame, items)

    def _frame(self, step: str, cursor: int) -> Iterator[Mark]:
        """Yield the title above, and the progress of the show below."""
        whole, height = self.size
        room = whole - 2 * theme.MARGIN
        if self.title:
            text = fit(self.title, theme.TITLE_SIZE, room)
            yield Text(theme.MARGIN, theme.TITLE_HEIGHT - 8, text, theme.TITLE_SIZE, "ink", anchor="start")
        if self.flow:
            yield from self.flow.story(cursor, theme.MARGIN, whole - theme.MARGIN, height)
            return
        yield Text(theme.MARGIN, height - 10, step, METER_SIZE, "muted", anchor="start")
        left = theme.MARGIN + width(f"Step {len(self.steps):,} of {len(self.steps):,}", METER_SIZE) + 12
        length = whole - theme.MARGIN - left
        yield Box(left, height - 15, length, BAR, BAR / 2, "neutral")
        if cursor:
            yield Box(left, height - 15, length * cursor / len(self.steps), BAR, BAR / 2, "accent")


def _lane(scene: Show, run: Run, pictures: Pictures, moments: Sequence[int] | None, widest: float) -> Lane | FlowLane:
    panel = flow_of(scene, run["id"])
    if run["kind"] == "ops":
        return OpLane(scene, run, pictures, moments)
    return FlowLane(scene, run, panel, pictures, moments, widest) if panel else Lane(scene, run, pictures, moments)


def _tiled(
    w: float, h: float, count: int, aspect: float = ASPECT
) -> tuple[tuple[float, float], list[tuple[float, float]]]:
    """Return the size of ``count`` tiles, and the place of each: in rows with few gaps and a ratio near ``aspect``."""

    def misfit(columns: int) -> float:
        rows = ceil(count / columns)
        return abs(log(columns * w / (rows * h) / aspect)) + (rows * columns - count) / count

    columns = count if aspect == inf else min(range(1, count + 1), key=misfit)
    return (columns * w, ceil(count / columns) * h), [(k % columns * w, k // columns * h) for k in range(count)]


# ---- one run in the pictures ----


SHORT: dict[CostName, str] = {"multiplications": "×", "additions": "+", "comparisons": "<", "visits": "visits"}
"""The costs of a step, and their short signs."""
NARROWEST = 470.0  # the least width of a run, so that there is room for its sentences
MOST_LINES = 6  # the most lines of a sentence
BEYOND = 10_000.0  # how far the graph is covered beyond the part that is seen
CAPTION_SIZE, METER_SIZE, LABEL_SIZE = 13.0, 11.0, 13.0
LINE = typesetting.LINE  # from one line of a sentence to the next
SCROLLBAR = 3.0
MEMORY = {"width": 470.0, "height": 226.0}
PLANS = 20.0  # px above the memory, for what each plan takes
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


class Move(NamedTuple):
    """What a step is to a run, with the items of its graph in focus, and the number of the coarse step."""

    part: Part
    focus: list[str]
    turn: int


class Lane:
    """One run of a show: its graph, its moves, and the room that its words take."""

    def __init__(self, scene: Show, run: Run, pictures: Pictures, moments: Sequence[int] | None = None):
        self.run, self.pictures = run["id"], pictures
        self.steps = scene["steps"]
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
        start = f"{self.run}/stored/"
        stores = any(key.startswith(start) for step in self.steps for key, *_ in step["edits"])
        self.signs = ["■ stored"] if stores and self.panel["nodes"] else []
        self.keeps = any(move.part["peak"] for move in self.moves)
        self.costs = {name: [0, *accumulate(move.part["cost"][name] for move in self.moves)] for name in SHORT}
        self.matrix = matrix_of(scene, self.run, pictures)
        self.beside = self.matrix.size if self.matrix else (0.0, 0.0)
        self.width = max(self.panel["width"] + self.beside[0], NARROWEST)
        self.is_coarse = moments is not None
        self.told = self._told(self.is_coarse)
        shown = range(len(self.moves)) if moments is None else {*map(self._last, moments)} - {-1}
        self.lines = max((len(self._caption(k)) for k in shown), default=0)
        self.formula = max((sum(map(typesetting.height, self._formula(k))) for k in shown), default=0.0)
        self.head = LINE if self.label else 0.0
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
        return max(self.room if self.is_cut else self.panel["height"], self.beside[1])

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

    def _road(self, move: Move) -> Edge | None:
        ends = set(move.focus) if move.part["edge"] else set()
        return next((edge for edge in self.panel["edges"] if {edge["tail"], edge["head"]} == ends), None)

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
        """Yield what the run has cost so far, what it keeps, and the sign of that; then the same in less room."""
        alive, peak = (self.moves[last].part["bytes"], self.moves[last].part["peak"]) if last >= 0 else (0, 0)
        kept = [f"{amount(alive)} alive, peak {amount(peak)}", *self.signs] if self.keeps else []
        counts = [(name, counts[last + 1]) for name, counts in self.costs.items() if counts[-1]]
        yield " · ".join([*(plural(count, name[:-1]) for name, count in counts), *kept])
        yield " · ".join([*(f"{short(count)} {SHORT[name]}" for name, count in counts), *kept])

    def items(self, cursor: int, share: float) -> Iterator[Item]:
        """Yield the graph, and the matrix beside it."""
        w, h = self.beside
        left = (self.width - self.panel["width"] - w) / 2
        eliminated = self.eliminations.items(self.steps[:cursor], self._taken(cursor), share)
        for item in (*eliminated, *self._seen(cursor, share)):
            yield moved_item(item, left, 0.0)
        if self.matrix:
            # The entries of an elimination are those of the graph at the moment, not sums under way.
            for item in self.matrix.items(max(cursor - 1, 0), cursor, not self.eliminations.panels):
                yield moved_item(item, left + self.panel["width"], max(0.0, (self.body - h) / 2))

    def _seen(self, cursor: int, share: float) -> Iterator[Item]:
        """Yield the graph, or the part of it that is seen, with a scroll bar."""
        if not self.is_cut:
            yield from self._graph(cursor, share)
            return
        last, whole = max(self._last(cursor), 0), self.panel["height"]
        before = self.tops[max(last - 1, 0)]
        top = before + share * (self.tops[last] - before)
        seen = -BEYOND, top, BEYOND, top + self.room
        for item in self._graph(cursor, share):
            marks = [moved(mark, 0.0, -top) for mark in item.marks if meet(extent(mark), seen)]
            if marks:
                yield replace(item, marks=marks)
        left, w = (self.panel["width"] - self.width) / 2, self.width
        covers = [Box(left, -BEYOND, w, BEYOND, 0, "paper"), Box(left, self.room, w, BEYOND, 0, "paper")]
        x, w = self.panel["width"] - 2 * SCROLLBAR, SCROLLBAR
        track = Box(x, 0.0, w, self.room, w / 2, "neutral")
        here = Box(x, top / whole * self.room, w, self.room**2 / whole, w / 2, "muted")
        yield Item("cover", "cover", "", [*covers, track, here])

    def _taken(self, cursor: int) -> list[Step]:
        """Return the steps just taken: if only some moments are shown, the whole coarse step."""
        first = max(cursor - 1, 0)
        while self.is_coarse and first and not self.steps[first]["coarse"]:
            first -= 1
        return self.steps[first:cursor]

    def _graph(self, cursor: int, share: float) -> Iterator[Item]:
        """Yield edges, nodes with their state, and products on their way."""
        name = self.panel["id"]
        if self.panel["nodes"]:
            drawn = self.pictures.ask("graph", panel=name, cursor=cursor, progress=share)
            yield from (named_item(f"{name}/{each['key']}", each) for each in drawn["items"])


class OpLane(Lane):
    """One run over ops: its graph, and below it the memory, if the show has such a panel."""

    def __init__(self, scene: Show, run: Run, pictures: Pictures, moments: Sequence[int] | None = None):
        self.memory: MemoryPanel | None = next(
            (panel for panel in scene["panels"] if panel["kind"] == "memory" and panel["run"] == run["id"]), None
        )
        super().__init__(scene, run, pictures, moments)
        self.keeps = False
        self.costs = {}
        if self.memory:
            self.width = max(self.width, MEMORY["width"])

    @property
    def body(self) -> float:
        """The height of the graph, and of the memory below it."""
        return super().body + (PLANS + MEMORY["height"] if self.memory else 0.0)

    def items(self, cursor: int, share: float) -> Iterator[Item]:
        """Yield the graph, and the memory below it."""
        yield from super().items(cursor, share)
        if self.memory:
            left, top = (self.width - MEMORY["width"]) / 2, super().body
            item = Item(self.memory["id"], "plans", "", [*self._plans(self.memory)])
            yield moved_item(item, left, top)
            drawn = self.pictures.ask("memory", panel=self.memory["id"], cursor=cursor, size=MEMORY)
            item = Item(self.memory["id"], "memory", "", [mark_of(each) for each in drawn["marks"]])
            yield moved_item(item, left, top + PLANS)

    def _plans(self, panel: MemoryPanel) -> Iterator[Mark]:
        text = "Memory: " + " · ".join(f"{each['method']} {amount(each['bytes'])}" for each in panel["layouts"])
        text = fit(text, theme.DETAIL_SIZE, MEMORY["width"])
        yield Text(0, 14, text, theme.DETAIL_SIZE, "ink", anchor="start")

    def _items(self, step: Step) -> list[str]:
        """Return the keys of the items in the focus of a step: what is folded away is not among them."""
        there = {node["key"] for node in self.panel["nodes"]}
        return [key for key in super()._items(step) if key in there]

    def _told(self, coarse: bool) -> list[str]:
        """Return the sentence of each move; the last one of a composite op has that of the whole, which is folded."""
        return super()._told(True)
