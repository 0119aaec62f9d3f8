"""The pictures of an elimination in films and stills: of one run, or below each other."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple

from ...scene.algebra_panels import EliminationPanel, EliminationVertex, ExtendedPanel
from ...scene.document import Show, Step
from ...scene.playhead import Playhead
from ...scene.short_text import OnStage
from ...scene.text_widths import printable
from ..flow_motion import Point, cut, eased, headed, reversed_chain, within
from ..marks import Arrow, Box, Curve, Item, Mark, Text, moved
from .elimination_standing import Context, is_inner, is_whole, label_of, labels, lanes, stand
from .elimination_steps import Beat, Multiplied, State, beats
from .elimination_values import chip, extent, is_tall, plaque, plaque_extent, symbol, written
from .extended_frames import items, labels_of

# ---- marks of a moment ----

# A moment of an elimination as marks: vertices, labels, the faces between them, and the product in play.
#
# The same marks in the same order as `elimination-marks.ts` of the front end; a test compares them. A face is drawn
# between two curves: through its vertex, along both edges, and straight from label to label. Every point of it lies
# between the points of the two, and so do the control points of their Bezier curves.


LABEL, NODE = (80.0, 30.0), (92.0, 50.0)  # the box of a label in a graph, and in a line graph
TALLER = 8.0, 12.0  # px more where it holds several rows
DISC, NARROW, SQUARE = 44.0, 34.0, 7.0  # the height of a vertex; of an end in a line graph, and its corner there
RING = 46.0  # the radius of a vertex that has lost faces
PORTS, PORT = 60.0, 30.0  # the height that its ports take, and the most between two of them
LINE, WAITING, GROWN, PLAYED, HALO = 2.1, 3.0, 3.2, 5.5, 20.0  # the thickness of lines
HEAD = 12.0, 11.0  # the length and the width of the head of an arrow
STUB = 18.0  # px of the edge that begins at an input or ends at an output of a line graph
FADED = 0.86  # of a vertex in a line graph
CLEAR, FARTHER = 8.0, 22.0  # px between a label and the arithmetic beside it, and to the next place that is tried


def moment(
    panel: EliminationPanel, start: State, played: Sequence[Beat], first: int, last: int, progress: float, morph: float
) -> Iterator[Item]:
    """Yield the picture when so much (0 to 1) of the way between two cursors is done; a line graph has ``morph`` 1."""
    context = stand(panel, start, played, first, last, progress, morph)
    faces = [key for key in {**context.before, **context.after} if key.startswith("face/")]
    things = labels({**context.before, **context.after})
    there = {**context.before, **context.after}
    vertices = [each for each in panel["vertices"] if f"vertex/{each['thing']}" in there]
    yield from _items(panel, "face", [(key, "", face_marks(key[5:], context)) for key in faces])
    yield from _items(
        panel, "vertex", [(each["thing"], each["name"], vertex_marks(each, context)) for each in vertices]
    )
    yield from _items(
        panel, "label", [(thing, _title(thing, context), label_marks(thing, context)) for thing in things]
    )
    yield from _items(panel, "product", [("", "", product_marks(context)), ("note", "", note_marks(context))])


def _title(thing: str, context: Context) -> str:
    """Return the letter of an edge that has one, or else the symbol of its number."""
    value = label_of(context.after, context.before, thing)
    return value if isinstance(value, str) and value[0] in "eX" else symbol(indices(context.panel), thing)


def _items(panel: EliminationPanel, kind: str, drawn: list[tuple[str, str, Iterator[Mark]]]) -> Iterator[Item]:
    for key, title, marks in drawn:
        if result := list(marks):
            yield Item(f"{panel['id']}/{kind}/{key}", kind, printable(title), result)


def indices(panel: EliminationPanel) -> dict[str, str]:
    """Return the index of each vertex in the symbols of labels."""
    return {each["thing"]: each["index"] for each in panel["vertices"]}


# ---- labels ----


class Frame(NamedTuple):
    """The box of a label."""

    x: float
    y: float
    w: float
    h: float
    swollen: float


def frame(thing: str, context: Context) -> Frame:
    """Return the box of a label, which is larger where it is a node of a line graph, or in play."""
    x, y = context.spots[f"label/{thing}"]
    product, swollen = context.product, context.morph
    if product and context.on:
        if thing in (product.head, product.tail):
            swollen = max(swollen, context.on * context.pointed)
        elif thing == product.result:
            swollen = max(swollen, context.on * context.landed)
    more = [TALLER[0], TALLER[1]] if is_tall(label_of(context.after, context.before, thing)) else [0.0, 0.0]
    (w, h), (wide, high) = LABEL, NODE
    if context.merge and context.merge[0] == thing:
        u, v = context.spots[f"label/{context.merge[1]}"]
        x, y = x + context.gone * (u - x), y + context.gone * (v - y)
    return Frame(x, y, w + swollen * (wide - w), h + more[0] + swollen * (high + more[1] - h - more[0]), swollen)


def label_marks(thing: str, context: Context) -> Iterator[Mark]:
    """Yield a label: its value, and its symbol where there is room."""
    x, y, w, h, swollen = frame(thing, context)
    presence, product = context.presence(f"node/{thing}"), context.product
    is_factor = product is not None and context.on > 0 and thing in (product.head, product.tail)
    hue = product.hue if product and is_factor else context.results.get(thing) if context.on else None
    is_merged = context.merge is not None and thing in context.merge
    fill = f"{hue} 14" if is_factor else "paper"
    thickness = 3.0 if hue or is_merged else 1 + 0.6 * swollen
    line = hue or ("ink" if is_merged else "edge" if swollen > 0.5 else "faint")
    yield Box(x - w / 2, y - h / 2, w, h, 6, fill, line, thickness=thickness, opacity=presence)
    strength = presence * (1.0 if hue or is_merged else context.dim)
    is_new = (context.landed > 0.5 and context.gone == 0) or context.gone > 0.5
    value = label_of(*((context.after, context.before) if is_new else (context.before, context.after)), thing)
    named = within(swollen, 0.6, 1)
    if named:
        yield Text(
            x, y - h / 2 + 19, symbol(indices(context.panel), thing), 17, "ink", "serif", opacity=named * strength
        )
    yield from written(value, x, y + swollen * 10, w - 4, "ink", strength)


# ---- vertices ----


def vertex_marks(vertex: EliminationVertex, context: Context) -> Iterator[Mark]:
    """Yield a vertex: a disc, a ring where it has lost faces, and an end of a line graph a square."""
    thing, morph = vertex["thing"], context.morph
    x, y = context.spots[f"vertex/{thing}"]
    presence = context.presence(f"vertex/{thing}")
    if vertex["role"] != "intermediate":
        yield from _end_marks(vertex, x, y, morph)
        return
    opacity, ring = presence * (1 - FADED * context.opened(thing)), context.ring(thing)
    half, tall = _halves(vertex, ring)
    yield Box(x - half, y - tall, 2 * half, 2 * tall, tall, "" if ring > 0.5 else "cell", "edge", ring > 0, 2, opacity)
    yield Text(x, y + 6 - ring * (tall + 16), vertex["label"], 17, "ink", "bold", opacity=max(opacity, 0.35 * presence))
    if vertex["detail"] and ring < 1:
        yield Text(x, y + tall + 18, vertex["detail"], 16, "muted", opacity=opacity * (1 - ring))


def _halves(vertex: EliminationVertex, ring: float) -> Point:
    """Return half of the width and half of the height of a vertex."""
    half = vertex["w"] / 2
    return half + ring * (RING - half), DISC / 2 - 2 + ring * (RING - DISC / 2 + 2)


def _end_marks(vertex: EliminationVertex, x: float, y: float, morph: float) -> Iterator[Mark]:
    """Yield an input or an output, in a line graph with the edge that begins or ends there."""
    w, h = vertex["w"], DISC + morph * (NARROW - DISC)
    side = -1 if vertex["role"] == "input" else 1
    if morph:
        stub = [x + side * w / 2, y, x + side * (w / 2 + STUB), y]
        yield Curve([*stub[:2], *stub[:2], *stub[2:], *stub[2:]], "edge", 2, opacity=morph)
        yield Text(x + side * (w / 2 + STUB / 2), y - 8, "1", 16, "muted", opacity=morph)
    thickness = 1.8 if side < 0 else 3.0
    yield Box(x - w / 2, y - h / 2, w, h, h / 2 + morph * (SQUARE - h / 2), "cell", "edge", False, thickness, 1.0)
    yield Text(x, y + 6, vertex["label"], 17, "ink", "bold", opacity=1.0)
    if vertex["detail"]:
        yield Text(x, y + DISC / 2 + 19, vertex["detail"], 16, "muted", opacity=1.0)


# ---- faces ----


def cubic(x: float, y: float, u: float, v: float) -> list[float]:
    """Return a curve that begins and ends level."""
    middle = (x + u) / 2
    return [x, y, middle, y, middle, v, u, v]


def face_marks(name: str, context: Context) -> Iterator[Mark]:
    """Yield a face: a lane from label to label, or a line between a label and an end."""
    tail, head = name.split("/")
    key, product = f"face/{name}", context.product
    inner = is_inner(tail) and is_inner(head)
    opened = context.opened(tail.split(".")[1]) if inner else context.morph
    chain = _lane(tail, head, opened, context) if inner else _outer(tail, head, context)
    presence = context.presence(key)
    if product and context.on and name == product.face:
        strength = context.on * (1.0 if context.is_played else 1 - context.gone)
        yield Curve(chain, f"{product.hue} 16", HALO, opacity=strength)
        yield from _drawn(chain, product.hue, PLAYED, strength * (0.25 + 0.75 * context.pointed), 1.0, context)
        return
    hue = context.results.get(head) or context.results.get(tail) if context.on else None
    if hue and (product is None or f"face/{name}" not in context.rested):
        kept = presence * (1 / 3 + 2 / 3 * opened if inner else 1.0)
        grown = reversed_chain(chain) if head in context.results else chain
        yield Curve(cut(grown, kept), hue, GROWN, opacity=presence)
        return
    waits = context.waiting.get(name)
    share = 1 / 3 + 2 / 3 * opened if inner else 1.0
    strength = presence * (1.0 if waits else context.dim)
    yield from _drawn(chain, waits or "edge", WAITING if waits else LINE, strength, share, context)


def _drawn(
    chain: list[float], line: str, thickness: float, opacity: float, share: float, context: Context
) -> Iterator[Mark]:
    """Yield a line with the head of an arrow after a share of it."""
    yield Curve(chain, line, thickness, opacity=opacity)
    is_back = context.panel["direction"] == "dependence"
    pointed = headed(cut(reversed_chain(chain) if is_back else chain, share), *HEAD)[1]
    yield Arrow(pointed, line, opacity)


def _outer(tail: str, head: str, context: Context) -> list[float]:
    """Return the line between an end and a label."""
    if not is_inner(tail):
        x, y = context.spots[f"vertex/{tail[2:]}"]
        half, box = _width(tail[2:], context) / 2, frame(head, context)
        return cubic(x + half, y, box.x - box.w / 2, box.y)
    x, y = context.spots[f"vertex/{head[:-2]}"]
    half, box = _width(head[:-2], context) / 2, frame(tail, context)
    return cubic(box.x + box.w / 2, box.y, x - half, y)


def _width(vertex: str, context: Context) -> float:
    return next(each["w"] for each in context.panel["vertices"] if each["thing"] == vertex)


def _lane(tail: str, head: str, opened: float, context: Context) -> list[float]:
    """Return the curve between the one through the vertex and the straight one."""
    vertex = tail.split(".")[1]
    x, y = context.spots[f"vertex/{vertex}"]
    one, other, ring = frame(tail, context), frame(head, context), context.ring(vertex)
    half = _halves(next(each for each in context.panel["vertices"] if each["thing"] == vertex), ring)[0]
    port, gate = (y + ring * _port(thing, vertex, end, context) for thing, end in ((tail, 1), (head, 0)))
    start, stop = (one.x + one.w / 2, one.y), (other.x - other.w / 2, other.y)
    through = [*cubic(*start, x - half, port), *cubic(x - half, port, x + half, gate)[2:]]
    through += cubic(x + half, gate, *stop)[2:]
    shares = (within(end, start[0], stop[0]) for end in (x - half, x + half))
    straight = _in_three(cubic(*start, *stop), *shares)
    return [a + opened * (b - a) for a, b in zip(through, straight, strict=True)]


def _port(thing: str, vertex: str, end: int, context: Context) -> float:
    """Return how far below the middle of a ring the line of a label enters or leaves it."""
    there = [each for each in labels({**context.rested, **context.before}) if each.split(".")[end] == vertex]
    ordered = sorted(there, key=lambda each: context.spots[f"label/{each}"][1])
    if thing not in ordered or len(ordered) < 2:
        return 0.0
    return (ordered.index(thing) - (len(ordered) - 1) / 2) * min(PORT, PORTS / (len(ordered) - 1))


def _in_three(points: list[float], one: float, two: float) -> list[float]:
    """Return one curve as three, cut at two shares: as wide as their counterparts, so that all between are smooth."""

    def back(chain: list[float], share: float) -> list[float]:
        return reversed_chain(cut(reversed_chain(chain), 1 - share))[2:]

    return [*cut(points, one), *back(cut(points, two), one / two if two else 0.0), *back(points, two)]


# ---- the product in play ----


def product_marks(context: Context) -> Iterator[Mark]:
    """Yield two factors that meet beside the label that takes their product, and their arithmetic."""
    product = context.product
    if product is None or not context.is_played or not context.on:
        return
    values = [context.before[f"node/{each}"] for each in (product.head, product.tail)]
    new, old = context.after[f"node/{product.result}"], context.before.get(f"node/{product.result}")
    said, signs = ([*values, new], ["·", "="]) if old is None else ([old, gained(old, new), new], ["+", "="])
    place = _product_place(product, plaque_extent(said), context)
    met, fused = eased(within(context.met, 0, 0.8)), within(context.met, 0.8, 1)
    if 0 < context.met < 1:
        wide = [extent(value)[0] + 16 for value in values]
        for k, thing in enumerate((product.head, product.tail)):
            at, to = frame(thing, context), place[0] + (2 * k - 1) * (wide[1 - k] + 14) / 2
            x, y = at.x + met * (to - at.x), at.y + met * (place[1] - at.y)
            yield from chip(values[k], x, y, product.hue, 1 - fused)
        if met > 0.95:
            x = place[0] + (wide[0] - wide[1]) / 2
            yield Text(x, place[1] + 7, "·", 24, "ink", "bold", opacity=1 - fused)
    if fused:
        count = 2 if old is not None and context.landed <= 0.5 else 3
        yield from plaque(said[:count], signs[: count - 1], 2 if old is None else 1, place, product.hue, fused)


def _product_place(made: Multiplied, size: Point, context: Context) -> Point:
    """Return the nearest place over or under the result where arithmetic covers neither it nor its factors."""
    panel, (w, h), (wide, high) = context.panel, size, NODE
    high += TALLER[1]
    boxes = [context.spots[f"label/{thing}"] for thing in (made.result, made.head, made.tail)]
    (x, y), best, least = boxes[0], (0.0, 0.0), inf
    for step, side, aside in itertools.product((0, 1, 2, 3, 4, 5), (-1, 1), (0, -1, 1)):
        across, down = x + aside * abs(w - wide) / 2, y + side * ((high + h) / 2 + CLEAR + FARTHER * step)
        u = min(max(across, w / 2 + 2), panel["width"] - w / 2 - 2)
        v = min(max(down, h / 2 + 2), panel["height"] - h / 2 - 2)
        covered = sum(
            max(0.0, (w + wide) / 2 - abs(u - left)) * max(0.0, (h + high) / 2 - abs(v - top)) for left, top in boxes
        )
        if covered < least:
            best, least = (u, v), covered
    return best


def gained(old: OnStage, new: OnStage) -> OnStage:
    """Return what a label has gained.

    >>> gained(1.0, 3.0), gained({"shape": [1, 1], "data": [1.0]}, {"shape": [1, 1], "data": [3.0]})["data"]
    (2.0, [2.0])
    """
    if isinstance(old, dict) and isinstance(new, dict) and "data" in old and "data" in new:
        pairs = zip(old["data"], new["data"], strict=True)
        return {"shape": new["shape"], "data": [float(other) - float(one) for one, other in pairs]}
    if isinstance(old, int | float) and isinstance(new, int | float):
        return new - old
    return new


def note_marks(context: Context) -> Iterator[Mark]:
    """Yield what a graph can no longer show: vertices that keep only some of their faces."""
    state = context.rests if context.ending > 0.5 else context.rested
    broken = [
        each
        for each in context.panel["vertices"]
        if each["role"] == "intermediate" and not is_whole(state, each["thing"])
    ]
    if context.morph >= 0.5 or not broken:
        return
    kept = [
        f"{each['label']} keeps {lanes(state, each['thing'])[0]} of {lanes(state, each['thing'])[1]} lanes"
        for each in broken
    ]
    words = f"no c-graph any more: {', '.join(kept)}"
    yield Text(context.panel["width"] / 2, 18, words, 16, "ink", opacity=1.0)


# ---- pictures ----


PALE = 0.22  # the opacity of what is not on the page that is looked at


def _beside(item: Item, page: Collection[str]) -> Item:
    """Return an item, pale if it is not on a page."""
    _, sort, thing = item.key.split("/", 2)
    things = [each for each in thing.removeprefix("face/").split("/") if is_inner(each)]
    if sort not in ("label", "face") or all(each in page for each in things):
        return item
    return replace(item, marks=[replace(mark, opacity=PALE * mark.opacity) for mark in item.marks])


class Pictures:
    """The pictures of a run: one with a reading, one for each, or of a large graph the extended Jacobian."""

    def __init__(self, scene: Show, run: str):
        own = [panel for panel in scene["panels"] if panel.get("run") == run]
        self.run = run
        self.matrices: list[ExtendedPanel] = [panel for panel in own if panel["kind"] == "extended"]
        self.panels: list[EliminationPanel] = [panel for panel in own if panel["kind"] == "elimination"]
        self.start = {
            key.removeprefix(f"{run}/"): value
            for key, value in scene.get("start", {}).items()
            if key.startswith(f"{run}/")
        }
        shown: list[EliminationPanel | ExtendedPanel] = [*self.panels, *self.matrices]
        self.beats = beats(scene["steps"], run) if shown else []
        self.size = max((panel["width"] for panel in shown), default=0.0), sum(panel["height"] for panel in shown)

    @property
    def is_any(self) -> bool:
        """Whether the show has such a picture."""
        return bool(self.panels or self.matrices)

    def items(self, playhead: Playhead, taken: Sequence[Step], share: float) -> Iterator[Item]:
        """Yield what is seen when the steps just taken have gone so far."""
        stop, top = self._count(playhead.steps[: playhead.cursor]), 0.0
        start = stop - self._count(taken)
        is_page = taken and taken[-1]["kind"] == "page"
        page = {key.removeprefix("edge/") for key in taken[-1]["focus"]} if is_page else None
        for panel in self.matrices:
            yield from items(panel, labels_of(self.start), playhead.stage, taken, self.beats[:stop], share)
        for picture in self.panels:
            morph = float(picture["reading"] == "line graph")
            for item in moment(picture, self.start, self.beats, start, stop, share, morph):
                seen = _beside(item, page) if page is not None else item
                yield replace(seen, marks=[moved(mark, 0.0, top) for mark in seen.marks])
            top += picture["height"]

    def sends(self, taken: Sequence[Step]) -> bool:
        """Return whether two labels are multiplied in some steps."""
        return bool(self.panels) and any(
            part.get("product") for step in taken for part in step.get("parts", [step]) if part["run"] == self.run
        )

    def _count(self, steps: Sequence[Step]) -> int:
        return sum(part["run"] == self.run for step in steps for part in step.get("parts", [step]))
