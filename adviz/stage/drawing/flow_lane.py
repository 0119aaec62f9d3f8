"""A sweep in the pictures of a show: numbers that flow, the formula and the sentence of the step, and the story so far.

It rests where its sentences are those of nodes: the values, the seed, each node that sends or adds, the result.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import NamedTuple

from ..scene import theme
from ..scene.document import Part, Rest, Run, Show, TextMark
from ..scene.flow_panel import FlowEdge, FlowNode, FlowPanel, Gate, Move
from ..scene.playhead import Playhead
from ..scene.sentences import in_lines
from ..scene.short_text import wrapped
from ..scene.text_widths import fit
from . import matrix_marks, typesetting
from .flow_marks import moment
from .flow_motion import ARRIVES, Point, eased, point_at, reversed_chain, timed
from .flow_pills import GHOST, PILL, extent, hue, pair, pill
from .flow_places import EQUATION, Places, labelled, places
from .flow_places import HIGH as EQUATION_HIGH
from .flow_standing import Context, stand, sweep_at
from .marks import Arrow, Box, Cells, Curve, Item, Mark, Text, moved, moved_item

# ---- what is seen of a large sweep ----

# What is seen of a sweep too large to be read as a whole: a window on what is in play, signs beyond it, and a map.
#
# The same as `framing.ts` of the front end; a test compares both.


FEW, STILL = 12, 2 / 3  # so few nodes are seen together while letters have this share of what is asked for
GLIDE = 700.0  # milliseconds until the window is where it belongs; numbers travel then
AROUND = 16.0  # px that the window leaves free around what is in play
WIDE, HIGH = 0.24, 0.26  # the largest shares of the sides of a window that the map takes
MOST = 0.95  # a window that shows so much of the whole needs no map
NAME, SIGN, TRIED = 18.0, 30.0, 40  # of a name beyond the window: its size, its height, the places tried for it
ASIDE = (0, 1, -1, 2, -2)  # how many of its heights a sign may stand beside its edge
FULL_NAME = 22.0  # the size of the name in its node

Size = tuple[float, float]
Cursors = tuple[int, int, int]
"""Where the show rested before, where it rests before the step, and after it."""


class Frame(NamedTuple):
    """The center and the size of a part of the picture."""

    x: float
    y: float
    w: float
    h: float

    def holds(self, other: Frame) -> bool:
        """Return whether another part lies in this one."""
        across, down = abs(other.x - self.x), abs(other.y - self.y)
        return 2 * across <= self.w - other.w + 0.01 and 2 * down <= self.h - other.h + 0.01

    def shares(self, other: Frame) -> bool:
        """Return whether another part has an area in common with this one."""
        return 2 * abs(self.x - other.x) < self.w + other.w and 2 * abs(self.y - other.y) < self.h + other.h

    @classmethod
    def around(cls, parts: Sequence[Frame]) -> Frame:
        """Return the smallest part that holds others."""
        left, right = min(part.x - part.w / 2 for part in parts), max(part.x + part.w / 2 for part in parts)
        top, bottom = min(part.y - part.h / 2 for part in parts), max(part.y + part.h / 2 for part in parts)
        return cls((left + right) / 2, (top + bottom) / 2, right - left, bottom - top)


def window_of(panel: FlowPanel, stage: Size, letters: float) -> Size | None:
    """Return the least window, so that the smallest letters have so many px on a stage; ``None``: the whole is legible.

    >>> panel = {"width": 2000.0, "height": 800.0, "nodes": [{}] * 20}
    >>> window_of(panel, (1000.0, 500.0), 16.0), window_of(panel, (1000.0, 500.0), 8.0)
    ((1000.0, 500.0), None)
    """
    seen = GHOST * min(stage[0] / panel["width"], stage[1] / panel["height"])
    times = GHOST / letters
    is_legible = seen >= letters * (1.0 if len(panel["nodes"]) > FEW else STILL)
    return None if is_legible else (times * stage[0], times * stage[1])


def in_play(panel: FlowPanel, start: int, stop: int) -> list[Move]:
    """Return what happens between two cursors, or where that is nothing, what happened last before."""
    last = max((move["step"] for move in panel["moves"] if move["step"] < stop), default=-1)
    return [move for move in panel["moves"] if min(start, last) <= move["step"] < stop]


def played(panel: FlowPanel, placed: Places, moves: Sequence[Move]) -> tuple[list[Frame], list[list[Frame]]]:
    """Return what must be seen of moves; and beyond that, for each edge, its other end with the way there."""
    edges, nodes = {edge["key"]: edge for edge in panel["edges"]}, {node["node"]: node for node in panel["nodes"]}
    core: list[Frame] = []
    far: list[list[Frame]] = []

    def at(place: Point | None, w: float, h: float) -> list[Frame]:
        return [Frame(*place, w, h)] if place else []

    for move in moves:
        if move["edge"]:
            edge, key = edges[move["edge"]], move["edge"]
            core += [_box(nodes[edge["head"]]), _box(edge["gate"])]
            core += at(placed.equations.get(key), labelled(pair(edge["equation"])[1]), EQUATION_HIGH)
            chain = edge["before"]
            end = [_box(nodes[edge["tail"]])] + [
                Frame(x, y, 0, 0) for x, y in zip(chain[::2], chain[1::2], strict=True)
            ]
            if "product" in edge:
                end += at(placed.parked.get(key), *extent(edge["product"], PILL))
            far.append(end)
            continue
        for node in [nodes[number] for number in move["nodes"]]:
            core.append(_box(node))
            if move["kind"] != "sum":
                continue
            core += at(
                placed.totals.get(node["key"]), labelled(pair(node["total"])[1] * (EQUATION / PILL)), EQUATION_HIGH
            )
            for edge in panel["edges"]:
                if "product" in edge and edge["tail" if panel["reverse"] else "head"] == node["node"]:
                    core += at(placed.parked.get(edge["key"]), *extent(edge["product"], PILL))
    return core, far


def _box(thing: FlowNode | Gate) -> Frame:
    return Frame(thing["x"], thing["y"], thing["w"], thing["h"])


@dataclass(frozen=True)
class Framing:
    """The window on a sweep."""

    panel: FlowPanel
    placed: Places
    window: Size

    @property
    def whole(self) -> Frame:
        """What shows all of the picture."""
        (w, h), (wide, high) = self.window, (self.panel["width"], self.panel["height"])
        times = max(wide / w, high / h)
        return Frame(wide / 2, high / 2, times * w, times * h)

    def is_whole(self, frame: Frame) -> bool:
        """Return whether a frame shows so much that there is no need of a map."""
        return frame.w > MOST * self.whole.w

    def map_of(self, frame: Frame) -> Frame:
        """Return where the map lies in a frame."""
        times = min(WIDE * frame.w / self.panel["width"], HIGH * frame.h / self.panel["height"])
        wide, high = times * self.panel["width"], times * self.panel["height"]
        left, top = frame.x + frame.w / 2 - wide / 2, frame.y + frame.h / 2 - high / 2
        return Frame(left - AROUND / 2, top - AROUND / 2, wide, high)

    def frame_of(self, moves: Sequence[Move]) -> Frame:
        """Return what is seen where moves are in play: all of it, legible, and beside the map.

        Where there are none, and of the result, all of the picture is seen.
        """
        whole = self.whole
        if not moves or any(move["kind"] == "result" for move in moves):
            return whole
        seen, far = played(self.panel, self.placed, moves)
        wide, high = self.window[0] - 2 * AROUND, (1 - HIGH) * self.window[1] - 3 * AROUND
        for end in far:
            both = Frame.around([*seen, *end])
            if both.w <= wide and both.h <= high:
                seen = [*seen, *end]
        box = Frame.around(seen)
        times = max(1.0, box.w / wide, box.h / high)
        w, h = times * self.window[0], times * self.window[1]
        if w >= whole.w:
            return whole
        frame = Frame(_inside(box.x, w, self.panel["width"]), _inside(box.y, h, self.panel["height"]), w, h)
        map_ = self.map_of(frame)
        near = map_._replace(w=map_.w + AROUND, h=map_.h + AROUND)
        lower = [part.y + part.h / 2 + AROUND - map_.y + map_.h / 2 for part in seen if part.shares(near)]
        return frame._replace(y=frame.y + max(0.0, *lower)) if lower else frame

    def ends(self, cursors: Cursors) -> tuple[Frame, Frame]:
        """Return what is seen before a step and after it."""
        before, start, stop = cursors
        return self.frame_of(in_play(self.panel, before, start)), self.frame_of(in_play(self.panel, start, stop))

    def glide(self, cursors: Cursors) -> float:
        """Return the milliseconds until the window is where numbers begin to travel."""
        start, end = self.ends(cursors)
        return 0.0 if start == end else GLIDE

    def framed(self, cursors: Cursors, progress: float) -> tuple[Frame, float]:
        """Return the frame when so much of the time of a step is over, and how far its moves are then."""
        start, end = self.ends(cursors)
        if progress >= 1:
            return end, 1.0
        lead, (_, total) = self.glide(cursors), timed(self.panel, *cursors[1:])
        time = progress * (lead + total)
        t = eased(min(1.0, time / lead)) if lead else 1.0
        frame = Frame(*(one + t * (other - one) for one, other in zip(start, end, strict=True)))
        return frame, max(0.0, time - lead) / total if total else 1.0

    def overlay(self, context: Context, frame: Frame, moves: Sequence[Move]) -> Iterator[Mark]:
        """Yield what lies over a part of the picture: signs to what is in play beyond it, and the map."""
        if not self.is_whole(frame):
            yield from self._signs(context, frame, moves)
            yield from self._map(context, frame, moves)

    def _signs(self, context: Context, frame: Frame, moves: Sequence[Move]) -> Iterator[Mark]:
        taken = [self.map_of(frame), *played(self.panel, self.placed, moves)[0]]
        for move in moves:
            if not move["edge"]:
                continue
            edge = context.edges[move["edge"]]
            node = context.standings[edge["tail"]].node
            if frame.holds(_box(node)):
                continue
            phase = context.sends.get(move["edge"])
            name = node["name"] if "map" in node else node["name"].split(" = ")[0]
            pill_w, pill_h = extent(edge["product"], PILL) if "product" in edge else (0.0, 0.0)
            wide = node["name_w"] * NAME / FULL_NAME * (len(name) / len(node["name"])) + 40
            place = _free(edge, frame, max(wide, pill_w + 8), SIGN + pill_h, taken)
            taken.append(place)
            top = place.y - place.h / 2
            yield Box(place.x - place.w / 2, top, place.w, place.h, 12, "paper", "ink", True, 1.6)
            words = f"→ {name}" if self.panel["reverse"] else f"{name} →"
            yield Text(place.x, top + 21, words, NAME, "ink", "serif")
            arrived = phase is not None and phase.share >= ARRIVES
            amount = (edge.get("product") if arrived else None) if self.panel["reverse"] else edge.get("given")
            if amount:
                yield from pill(amount, place.x, place.y + place.h / 2 - pill_h / 2 - 3, PILL, 1.0)

    def _map(self, context: Context, frame: Frame, moves: Sequence[Move]) -> Iterator[Mark]:
        """Yield the nodes as boxes, filled where the sweep has been, in ink where it is; and what the window shows."""
        place, width, height = self.map_of(frame), self.panel["width"], self.panel["height"]
        times, line = place.w / width, frame.w / self.window[0]
        left, top = place.x - place.w / 2, place.y - place.h / 2

        def box(part: Frame, fill: str, stroke: str, thickness: float) -> Box:
            x, y = left + times * (part.x - part.w / 2), top + times * (part.y - part.h / 2)
            return Box(x, y, times * part.w, times * part.h, 2, fill, stroke, thickness=thickness * line)

        acting = {node for move in moves for node in move["nodes"]}
        for edge in (context.edges[move["edge"]] for move in moves if move["edge"]):
            acting |= {edge["head"], edge["tail"]}
        yield box(Frame(width / 2, height / 2, width, height), "paper", "muted", 1.4)
        for standing in context.standings.values():
            done = ("faint", "muted") if standing.is_complete else ("", "faint")
            fill, stroke = ("ink", "ink") if standing.node["node"] in acting else done
            yield box(_box(standing.node), fill, stroke, 1.2)
        x0, y0 = max(0.0, frame.x - frame.w / 2), max(0.0, frame.y - frame.h / 2)
        x1, y1 = min(width, frame.x + frame.w / 2), min(height, frame.y + frame.h / 2)
        yield box(Frame((x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0), "", "ink", 2)


def _inside(center: float, room: float, size: float) -> float:
    return size / 2 if room >= size else max(room / 2, min(center, size - room / 2))


def _free(edge: FlowEdge, frame: Frame, w: float, h: float, taken: Sequence[Frame]) -> Frame:
    """Return where the sign of an edge stands: on its way, where that leaves the frame, and on nothing in play."""
    room = frame._replace(w=frame.w - w - AROUND, h=frame.h - h - AROUND)
    chain = reversed_chain(edge["before"])
    way = [Frame(*point_at(chain, (k + 1) / TRIED), 0, 0) for k in range(TRIED)]
    out = next((k for k, point in enumerate(way) if not room.holds(point)), TRIED)
    tried = [
        Frame(_near(point.x, room.x, room.w), _near(point.y + aside * h, room.y, room.h), w, h)
        for aside in ASIDE
        for point in reversed(way[: out + 1])
    ]
    return next((place for place in tried if not any(place.shares(other) for other in taken)), tried[0])


def _near(at: float, middle: float, size: float) -> float:
    return max(middle - size / 2, min(at, middle + size / 2))


# ---- the lane ----


STAGE = 900.0, 560.0  # px that the picture has at most, where the whole cannot be read
LETTERS = 10.0  # px of the smallest letters there
BEYOND = 10_000.0  # how far the picture is covered beyond the part that is seen
NARROWEST = 600.0  # the least width, so that there is room for sentences and for the names of the steps
CAPTION_SIZE, LINE = 17.0, 25.0
MOST_LINES = 8
LARGER = 1.25  # how much larger formulas are than beside other graphs
LABEL_SIZE = 13.0
NAME_SIZE, GAP = 12.0, 4.0  # of the steps, and between their bars
LEAST_NAME = 34.0  # px: a name with less room is left out, unless its step is shown


def flow_of(scene: Show, run: str) -> FlowPanel | None:
    """Return the picture of a sweep in which numbers flow, if a run has one."""
    return next((panel for panel in scene["panels"] if panel["kind"] == "flow" and panel["run"] == run), None)


def rests_of(scene: Show, run: str | None = None) -> dict[int, Rest]:
    """Return what is said at the level of nodes, by the cursors where the show rests; nothing for other shows.

    Several runs on one clock rest after each coarse step; there it is said of all of them, or of one ``run``.
    """
    if not any(panel["kind"] == "flow" for panel in scene.get("panels", ())):
        return {}
    if "opening" not in scene:
        return _coarse(scene, run)
    told = {k: step["rests"] for k, step in enumerate(scene["steps"], start=1) if "rests" in step}
    return {0: scene["opening"]} | {k: rests["nodes"] for k, rests in told.items() if "nodes" in rests}


def _coarse(scene: Show, run: str | None) -> dict[int, Rest]:
    """Return what is said of coarse steps, by the cursors where they end; a run that waits keeps its last words."""
    steps = scene["steps"]
    starts = [k for k, step in enumerate(steps) if step["coarse"] or not k]
    label = next((each["label"] for each in scene["runs"] if each["id"] == run), "")
    rests = {0: _rest("start", "")}
    for number, (start, stop) in enumerate(pairwise([*starts, len(steps)]), start=1):
        parts: list[Part] = [steps[start]]
        if run is not None:
            every = [part for step in steps[start:stop] for part in step.get("parts", [step])]
            parts = [part for part in every if part["run"] == run][:1]
        name = "result" if steps[start]["kind"] == "result" else str(number)
        said = [part.get("whole") or part["caption"] for part in parts]
        text = _rest(name, said[0].removeprefix(f"{label[:1].upper()}{label[1:]}: ")) if said else None
        rests[stop] = text or rests[max(rests)]
    return rests


def _rest(name: str, caption: str) -> Rest:
    return {"name": name, "caption": caption, "formula": None, "nodes": [], "question": None}


class FlowLane:
    """The run of a show whose numbers flow, with the room that its words take."""

    head = 0.0

    def __init__(
        self, scene: Show, run: Run, panel: FlowPanel, moments: Sequence[int] | None = None, widest: float = inf
    ):
        self.run, self.panel = run["id"], panel
        self.rests = rests_of(scene, self.run)
        self.cursors = [*self.rests]
        self.label = ": ".join(filter(None, panel.get("title", [])))
        self.head = LINE if self.label else 0.0
        wide = min(STAGE[0], widest)
        # What an engine keeps is always in sight.
        is_whole = "strip" in panel
        self.window = None if is_whole else window_of(panel, (wide, wide * STAGE[1] / STAGE[0]), LETTERS)
        self.sweeps: dict[int, tuple[FlowPanel, Places, Framing | None]] = {}
        self.is_cut = self.window is not None
        self.size: Size = self.window or (panel["width"], panel["height"])
        self.scale = min(1.0, widest / self.size[0])
        self.matrix = matrix_marks.matrix_of(scene, self.run) if "sweeps" in panel else None
        self.beside, self.least = matrix_marks.size(self.matrix) if self.matrix else (0.0, 0.0)
        self.width = max(self.scale * self.size[0] + self.beside, NARROWEST)
        shown = self.rests if moments is None else {self._last(cursor) for cursor in moments}
        self.lines = max((len(self._caption(rest)) for rest in shown), default=0)
        self.formula = max((self._formula_height(rest) for rest in shown), default=0.0)

    @property
    def body(self) -> float:
        """The height of the graph."""
        return max(self.scale * self.size[1], self.least)

    @property
    def height(self) -> float:
        """The height of the graph with the words below it."""
        return self.head + self.body + self.formula + (self.lines + 0.6) * LINE

    def cut(self, room: float) -> None:
        """Show the graph no higher than ``room`` px."""
        self.scale = min(self.scale, room / self.size[1])

    def _last(self, cursor: int) -> int:
        """Return where the show rested last, up to a cursor."""
        return self.cursors[bisect_right(self.cursors, cursor) - 1]

    def before(self, cursor: int) -> int:
        """Return where the show rested before a cursor."""
        return self.cursors[max(bisect_left(self.cursors, cursor) - 1, 0)]

    def duration(self, cursor: int) -> float:
        """Return how many milliseconds numbers flow until a cursor, from where the show rested before."""
        start = self.before(cursor)
        panel, _, framing = self._sweep(cursor)
        lead = framing.glide((self.before(start), start, cursor)) if framing else 0.0
        return lead + timed(panel, start, cursor)[1]

    def sends(self, cursor: int) -> bool:
        """Return whether anything flows until a cursor, from where the show rested before."""
        return self.duration(cursor) > 0

    def _caption(self, rest: int) -> list[str]:
        room = self.width - 2 * theme.MARGIN
        return wrapped(self.rests[rest]["caption"], CAPTION_SIZE, room, MOST_LINES)

    def _formula(self, rest: int) -> list[typesetting.Line]:
        tree = self.rests[rest]["formula"]
        return typesetting.lines(tree, (self.width - 2 * theme.MARGIN) / LARGER)

    def _formula_height(self, rest: int) -> float:
        return LARGER * sum(map(typesetting.height, self._formula(rest)))

    def words(self, cursor: int) -> Iterator[Mark]:
        """Yield the formula and the sentence below the graph; those of a run that waits are muted."""
        rest = self._last(cursor)
        fill = "muted" if rest and self.rests[rest] is self.rests[self.before(rest)] else "ink"
        if self.label:
            yield Text(self.width / 2, 13, fit(self.label, LABEL_SIZE, self.width), LABEL_SIZE, fill)
        y = bottom = self.head + self.body + self.formula
        for side in reversed(self._formula(rest)):  # the last of them stands on the sentence
            high = LARGER * typesetting.height(side)
            bottom -= high
            for mark in typesetting.marks(side, 0.0, 0.0, fill):
                yield moved(mark, theme.MARGIN, bottom + high / 2, LARGER)
        lines, said = self._caption(rest), self.rests[rest]
        for line, parts in zip(lines, _parts(said["caption"], said.get("marks", ()), lines), strict=True):
            y += LINE
            yield Text(theme.MARGIN, y, line, CAPTION_SIZE, fill, anchor="start", parts=parts)

    def items(self, playhead: Playhead, share: float) -> Iterator[Item]:
        """Yield the graph, or the part of it in which something happens, and beside several sweeps their matrix."""
        yield from self._graph(playhead.cursor, share)
        if self.matrix:
            cursor, wide = playhead.cursor, self.scale * self.size[0]
            taken = playhead.steps[self.before(cursor) : cursor]
            changed = {key for step in taken for key, *_ in step["edits"]}
            left = (self.width - wide - self.beside) / 2 + wide
            for item in matrix_marks.items(self.matrix, playhead.stage, changed, playhead.is_partial):
                yield moved_item(item, left, max(0.0, (self.body - self.least) / 2))

    @property
    def framing(self) -> Framing | None:
        """What is seen of the first sweep; ``None`` where that is all of it."""
        return self._sweep(0)[2]

    def _sweep(self, cursor: int) -> tuple[FlowPanel, Places, Framing | None]:
        """Return the picture of the sweep that a cursor is in, with its places and what is seen of it."""
        panel = sweep_at(self.panel, cursor)
        first = panel["moves"][0]["step"]
        if first not in self.sweeps:
            placed = places(panel)
            self.sweeps[first] = panel, placed, Framing(panel, placed, self.window) if self.window else None
        return self.sweeps[first]

    def _graph(self, cursor: int, share: float) -> Iterator[Item]:
        """Yield the graph, or the part of it in which something happens."""
        start, w = self.before(cursor), self.size[0]
        panel, placed, framing = self._sweep(cursor)
        left = (self.width - self.scale * w - self.beside) / 2
        if not framing:
            for item in moment(panel, start, cursor, share, placed):
                yield moved_item(item, left, 0.0, self.scale)
            return
        frame, share = framing.framed((self.before(start), start, cursor), share)
        k = self.scale * w / frame.w
        x, y = left - k * (frame.x - frame.w / 2), -k * (frame.y - frame.h / 2)
        for item in moment(panel, start, cursor, share, placed):
            moved_marks = moved_item(item, x, y, k)
            if any(_reaches(mark, left, left + self.scale * w, self.body) for mark in moved_marks.marks):
                yield moved_marks
        context = stand(panel, placed, start, cursor, share, None)
        over = [*framing.overlay(context, frame, in_play(panel, start, cursor))]
        sides = [(left - BEYOND, 0.0), (left + self.scale * w, 0.0), (0.0, -BEYOND), (0.0, self.body)]
        covers: list[Mark] = [Box(a, b, BEYOND, BEYOND, 0, "paper", thickness=0) for a, b in sides]
        yield Item(f"{panel['id']}/map", "map", "", [*(moved(mark, x, y, k) for mark in over), *covers])

    def number(self, cursor: int) -> int:
        """Return how many times the show has rested up to a cursor; the values are 0."""
        return bisect_right(self.cursors, cursor) - 1

    def story(self, cursor: int, left: float, right: float, bottom: float) -> Iterator[Mark]:
        """Yield a bar for each step with its name, as far as there is room."""
        here, count = self.number(cursor), len(self.cursors)
        ends = [left + (right - left + GAP) * k / count for k in range(count + 1)]
        for k, (start, end) in enumerate(pairwise(ends)):
            wide = end - start - GAP
            fill = "ink" if k == here else "muted" if k < here else "faint"
            yield Box(start, bottom - 24, wide, 3, 1, fill, thickness=0)
            room = wide if wide >= LEAST_NAME else min(120.0, right - start) if k == here else 0.0
            rest = self.rests[self.cursors[k]]
            if room and (name := fit(rest["name"], NAME_SIZE, room)):
                fill, [parts] = "ink" if k == here else "muted", _parts(rest["name"], rest.get("named", ()), [name])
                yield Text(start, bottom - 8, name, NAME_SIZE, fill, anchor="start", parts=parts)


def _parts(text: str, marks: Sequence[TextMark], lines: Sequence[str]) -> Iterator[tuple[tuple[int, int, str], ...]]:
    """Yield for each line of a text which parts of it are mathematics."""
    for result in in_lines(text, marks, lines):
        yield tuple((start, end, "" if sign is None else hue(sign)) for start, end, sign in result)


def _reaches(mark: Mark, left: float, right: float, bottom: float) -> bool:
    """Return whether a mark may be visible between two sides and above a height."""
    match mark:
        case Box():
            x, y = (mark.x, mark.x + mark.w), (mark.y, mark.y + mark.h)
        case Text():
            x, y = (mark.x - BEYOND, mark.x + BEYOND), (mark.y - mark.size, mark.y + mark.size)
        case Cells():
            x, y = (-BEYOND, BEYOND), (-BEYOND, BEYOND)
        case Curve() | Arrow():
            x, y = ((min(mark.points[k::2]), max(mark.points[k::2])) for k in (0, 1))
    return x[0] <= right and x[1] >= left and y[0] <= bottom and y[1] >= 0.0
