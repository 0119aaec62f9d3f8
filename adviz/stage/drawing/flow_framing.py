"""What is seen of a sweep too large to be read as a whole: a window on what is in play, signs beyond it, and a map.

The same as ``framing.ts`` of the front end; a test compares both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..scene.flow_panel import FlowEdge, FlowNode, FlowPanel, Gate, Move
from .flow_motion import ARRIVES, Point, eased, point_at, reversed_chain, timed
from .flow_pills import GHOST, PILL, extent, pair, pill
from .flow_places import EQUATION, Places, labelled
from .flow_places import HIGH as EQUATION_HIGH
from .flow_standing import Context
from .marks import Box, Mark, Text

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
        """Whether another part lies in this one."""
        across, down = abs(other.x - self.x), abs(other.y - self.y)
        return 2 * across <= self.w - other.w + 0.01 and 2 * down <= self.h - other.h + 0.01

    def shares(self, other: Frame) -> bool:
        """Whether another part has an area in common with this one."""
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
        """Whether a frame shows so much that there is no need of a map."""
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
