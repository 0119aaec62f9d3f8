"""The graph of a scene as a list of marks: what all pictures draw, decided once.

A mark is a shape with coordinates in px (y down) and the *names* of its colors (see `theme.color`). The renderers only
translate marks into their format; they decide nothing about the looks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, hypot, log2
from operator import mul
from typing import Literal

from ..scene import panels, theme
from ..scene.captions import plural
from ..scene.document import Scene
from ..scene.text_widths import fit, printable, width

TOLD_EDGES = {"returned": "returned", "control": "must run before", "initializer": "stored at first"}
"""What edges mean along which no value goes."""
Triangle = tuple[float, float, float, float, float, float]
HOLLOW = 0.45  # how much of the head of an arrow is hollow, where it leads to what is returned


@dataclass(frozen=True)
class Box:
    """A rectangle with round corners; "" is no fill or no line."""

    x: float
    y: float
    w: float
    h: float
    corner: float
    fill: str
    line: str = ""
    dashed: bool = False
    thickness: float = theme.BORDER
    opacity: float = 1.0


@dataclass(frozen=True)
class Curve:
    """A chain of cubic Bezier curves through x0, y0, x1, y1, ...; 1 + 3k points."""

    points: list[float]
    line: str
    thickness: float
    dashed: bool = False
    opacity: float = 1.0


@dataclass(frozen=True)
class Dotted(Curve):
    """A chain of curves whose line is dotted."""


@dataclass(frozen=True)
class Arrow:
    """A filled triangle: the tip and the two other corners."""

    points: Triangle
    fill: str
    opacity: float = 1.0


@dataclass(frozen=True)
class Text:
    """A line of text; `y` is its baseline, `x` its center or (`anchor` "start") its left end.

    `parts` are from where to where it is mathematics: a result with its color, or "" for a formula.
    """

    x: float
    y: float
    text: str
    size: float
    fill: str
    font: str = "sans"
    anchor: str = "middle"
    opacity: float = 1.0
    parts: tuple[tuple[int, int, str], ...] = ()

    def pieces(self) -> Iterator[tuple[str, str | None]]:
        """Yield the text in pieces: words with None, mathematics as in `parts`."""
        done = 0
        for start, end, color in self.parts:
            yield self.text[done:start], None
            yield self.text[start:end], color
            done = end
        yield self.text[done:], None


@dataclass(frozen=True)
class Cells:
    """Rectangles of one color, many at once: x, y, w, h of each."""

    boxes: list[float]
    fill: str
    opacity: float = 1.0


Mark = Box | Curve | Arrow | Text | Cells


@dataclass(frozen=True)
class Item:
    """The marks of one node or edge, with its key and its title ("" for an edge)."""

    key: str
    kind: str
    title: str
    marks: list[Mark]
    dead: bool = False


@dataclass(frozen=True)
class Picture:
    """A whole picture: background, then the marks of its frame, then the items, in drawing order."""

    width: float
    height: float
    title: str
    summary: str
    frame: list[Mark]
    items: list[Item]


def picture(scene: Scene) -> Picture:
    """Return the picture of the scene's graph panel with its title above and its note below."""
    panel = graph_of(scene)
    title = heading(scene, panel)
    top = theme.TITLE_HEIGHT if title else 0.0
    note = panel.get("note") or ""
    least = 2 * theme.MARGIN + max(width(title, theme.TITLE_SIZE), width(note, theme.NOTE_SIZE))
    whole = ceil(max(panel["width"], min(least, theme.WIDEST_TITLE)))
    room = whole - 2 * theme.MARGIN
    left = (whole - panel["width"]) / 2
    height = ceil(top + panel["height"] + (theme.NOTE_HEIGHT if note else 0.0))
    frame: list[Mark] = []
    if title:
        text = fit(title, theme.TITLE_SIZE, room)
        frame.append(Text(theme.MARGIN, top - 8, text, theme.TITLE_SIZE, "ink", anchor="start"))
    if note:
        text = fit(note, theme.NOTE_SIZE, room)
        frame.append(Text(theme.MARGIN, height - 12, text, theme.NOTE_SIZE, "muted", anchor="start"))
    items = [edge_item(edge, left, top) for edge in panel["edges"]]
    items += [node_item(node, left, top) for node in panel["nodes"]]
    return Picture(whole, height, title, summary(scene), frame, items)


def graph_of(scene: Scene) -> panels.GraphPanel:
    """Return the scene's first graph panel."""
    return next(panel for panel in scene["panels"] if panel["kind"] == "graph")


def heading(scene: Scene, panel: panels.GraphPanel | None) -> str:
    """Return the title of the picture: that of the scene, and the path to the opened scope."""
    inner = [step["label"] for step in panel["path"][1:]] if panel else []
    return printable(" › ".join([text for text in (scene["title"], *inner) if text]))


def titled(scene: Scene) -> str:
    """Return the title of a scene, with the path to the opened scope if it has a graph."""
    graphs = [panel for panel in scene["panels"] if panel["kind"] == "graph"]
    return heading(scene, graphs[0] if graphs else None)


def summary(scene: Scene) -> str:
    """Return a line about the size of the whole graph, or "" if the scene has no sizes."""
    sizes = next((panel for panel in scene["panels"] if panel["kind"] == "sizes"), None)
    return size_line(sizes) if sizes else ""


def size_line(sizes: panels.SizesPanel) -> str:
    """Return a line about the sizes of a graph."""
    counted: tuple[Literal["nodes", "edges", "inputs", "outputs"], ...] = ("nodes", "edges", "inputs", "outputs")
    parts = [plural(sizes[name], name[:-1]) for name in counted]
    parts.append(f"depth {sizes['depth']:,}")
    parts.append(amount(sizes["bytes"]))
    if sizes["dead"]:
        parts.append(f"{sizes['dead']:,} dead")
    return " · ".join(parts)


def amount(count: float) -> str:
    """Return a number of bytes with a unit: "640 B", "1.5 kB"."""
    units = ["B", "kB", "MB", "GB", "TB"]
    while abs(count) >= 999.5 and len(units) > 1:
        count /= 1000
        units.pop(0)
    return f"{count:.3g} {units[0]}" if units[0] != "B" else f"{count:.0f} B"


def edge_item(edge: panels.Edge, left: float, top: float) -> Item:
    """Return the marks of an edge: its curve, thicker if it stands for several edges, and the head of the arrow.

    What leads to a result is returned, not used: its line is dashed and its head hollow. So it is between ops that only
    must run one after the other; what is stored before all else has a dotted line.
    """
    points = [number + (top if k % 2 else left) for k, number in enumerate(edge["points"])]
    if edge["kind"] == "target":
        points = [number for k in range(len(points) - 2, -1, -2) for number in points[k : k + 2]]
    thickness = min(theme.EDGE + 0.4 * log2(edge["count"]), theme.THICKEST)
    tip, neck = arrow(points, thickness)
    is_use, dotted = edge["kind"] in ("data", "target"), edge["kind"] == "initializer"
    line = Dotted if dotted else Curve
    before, after = edge.get("sides", (1, 1))
    color = "edge" if before and after else "negative" if before else "positive"
    curve = line([*points[:-2], *neck], color, round(thickness, 2), dashed=not is_use or not after)
    several = f"{edge['count']:,} edges" if is_use else f"{edge['count']:,} values returned"
    title = several if edge["count"] > 1 else "" if is_use else TOLD_EDGES[edge["kind"]]
    heads = [Arrow(tip, color), *([] if is_use or dotted else [Arrow(inner(tip), "paper")])]
    return Item(edge["key"], "edge", title, [curve, *heads, *multiple(points, edge["count"])])


def inner(corners: Triangle) -> Triangle:
    """Return a smaller triangle inside another one, of which it leaves an outline."""
    x, y = (sum(corners[axis::2]) / 3 for axis in (0, 1))
    x0, y0, x1, y1, x2, y2 = ((y if k % 2 else x) + HOLLOW * (c - (y if k % 2 else x)) for k, c in enumerate(corners))
    return x0, y0, x1, y1, x2, y2


def multiple(points: list[float], count: int) -> Iterator[Mark]:
    """Yield the number of edges that are drawn as one, in the middle of their curve."""
    if count < 2:
        return
    text = "×" + short(count)
    x, y = middle(points)
    w = width(text, theme.BADGE_SIZE) + 6
    yield Box(x - w / 2, y - theme.BADGE_HEIGHT / 2, w, theme.BADGE_HEIGHT, theme.BADGE_HEIGHT / 2, "paper")
    yield Text(x, y + 3.6, text, theme.BADGE_SIZE, "muted")


def middle(points: list[float]) -> tuple[float, float]:
    """Return the middle of the middle curve of a Bezier chain."""
    curves = (len(points) - 2) // 6
    first = 6 * ((curves - 1) // 2)
    return along(points[first : first + 8], 0.5)


def along(points: list[float], share: float) -> tuple[float, float]:
    """Return the point after a `share` (0 to 1) of the curves of a Bezier chain."""
    curves = (len(points) - 2) // 6
    k = min(int(share * curves), curves - 1)
    t = share * curves - k
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
    x, y = (sum(map(mul, weights, points[6 * k + axis : 6 * k + 8 : 2])) for axis in (0, 1))
    return x, y


Rectangle = tuple[float, float, float, float]
"""Left, top, right and bottom side."""
WIDER = 1.3  # how much wider letters may be than those that were measured: bold ones, or those of another font


def extent(mark: Mark) -> Rectangle:
    """Return a rectangle that a mark lies in.

    >>> extent(Box(10.0, 10.0, 20.0, 5.0, 0, "paper", thickness=2.0))
    (9.0, 9.0, 31.0, 16.0)
    """
    match mark:
        case Box():
            half = mark.thickness / 2
            return mark.x - half, mark.y - half, mark.x + mark.w + half, mark.y + mark.h + half
        case Text():
            wide = WIDER * width(mark.text, mark.size, "mono" if mark.font == "mono" else "sans")
            left = mark.x if mark.anchor == "start" else mark.x - wide / 2
            return left, mark.y - 1.2 * mark.size, left + wide, mark.y + 0.5 * mark.size
        case Cells():
            corners = [mark.boxes[k : k + 4] for k in range(0, len(mark.boxes), 4)]
            points = [number for x, y, w, h in corners for number in (x, y, x + w, y + h)]
            return _around(points, 0.0)
        case Curve():
            return _around(mark.points, mark.thickness / 2)
        case Arrow():
            return _around(mark.points, 0.0)


def _around(points: Sequence[float], more: float) -> Rectangle:
    x, y = points[::2], points[1::2]
    return min(x) - more, min(y) - more, max(x) + more, max(y) + more


def meet(one: Rectangle, other: Rectangle) -> bool:
    """Return whether two rectangles have a point in common."""
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]


def moved(mark: Mark, x: float, y: float, scale: float = 1.0) -> Mark:
    """Return a mark whose point (0, 0) is drawn at (x, y), scaled by `scale`."""
    match mark:
        case Box():
            sizes = {name: scale * getattr(mark, name) for name in ("w", "h", "corner", "thickness")}
            return replace(mark, x=x + scale * mark.x, y=y + scale * mark.y, **sizes)
        case Curve():
            points = [scale * number + (y if k % 2 else x) for k, number in enumerate(mark.points)]
            return replace(mark, points=points, thickness=scale * mark.thickness)
        case Arrow():
            x0, y0, x1, y1, x2, y2 = (scale * number + (y if k % 2 else x) for k, number in enumerate(mark.points))
            return replace(mark, points=(x0, y0, x1, y1, x2, y2))
        case Text():
            return replace(mark, x=x + scale * mark.x, y=y + scale * mark.y, size=scale * mark.size)
        case Cells():
            return replace(mark, boxes=[scale * number + (x, y, 0, 0)[k % 4] for k, number in enumerate(mark.boxes)])


def moved_item(item: Item, x: float, y: float, scale: float = 1.0) -> Item:
    """Return an item whose point (0, 0) is drawn at (x, y), scaled by `scale`."""
    return replace(item, marks=[moved(mark, x, y, scale) for mark in item.marks])


def arrow(points: list[float], thickness: float) -> tuple[Triangle, tuple[float, float]]:
    """Return the head of the arrow at the end of a Bezier chain, and the middle of its back, where the line ends."""
    x, y = points[-2:]
    before = [points[k : k + 2] for k in range(len(points) - 4, -1, -2)]
    from_x, from_y = next((p for p in before if hypot(x - p[0], y - p[1]) > 0.5), (x, y - 1))
    length = hypot(x - from_x, y - from_y)
    dx, dy = (x - from_x) / length, (y - from_y) / length
    long, half = theme.ARROW[0] + thickness, (theme.ARROW[1] + thickness) / 2
    back_x, back_y = x - long * dx, y - long * dy
    corners = (x, y, back_x - half * dy, back_y + half * dx, back_x + half * dy, back_y - half * dx)
    return corners, (back_x + dx, back_y + dy)


def node_item(node: panels.Item, left: float, top: float) -> Item:
    """Return the marks of a node: its shape by kind, its texts, and the number of its uses."""
    x, y = node["x"] + left, node["y"] + top
    return Item(
        node["key"],
        node["kind"],
        printable(node["title"]),
        [
            *shapes_of(node, x - node["w"] / 2, y - node["h"] / 2),
            *texts(node, x, y),
            *badge(node, x, y),
            *sign(node, x, y),
        ],
        node["dead"],
    )


def shape(node: panels.Item, x: float, y: float) -> Iterator[Mark]:
    """Yield the boxes of a node whose upper left corner is (x, y)."""
    w, h, family = node["w"], node["h"], theme.family_of(node)
    line = f"{family}-line"
    match node["kind"]:
        case "outside":
            yield Box(x, y, w, h, h / 2, "paper", line, dashed=True)
        case "input":
            yield Box(x, y, w, h, h / 2, family, line)
        case "output":
            gap = theme.DOUBLE_BORDER
            yield Box(x, y, w, h, h / 2, "paper", line)
            yield Box(x + gap, y + gap, w - 2 * gap, h - 2 * gap, h / 2 - gap, family, line)
        case _:
            for sheet in range(theme.SHEETS if node["repeat"] > 1 else 0, 0, -1):
                shift = theme.STACK * sheet
                yield Box(x + shift, y + shift, w, h, theme.CORNER, family, line)
            yield Box(x, y, w, h, theme.CORNER, family, line)


STATES = {"added": "positive", "removed": "negative", "changed": "changed", "mixed": "changed"}
"""The colors of what differs in two graphs."""


def shapes_of(node: panels.Item, x: float, y: float) -> Iterator[Mark]:
    """Yield the boxes of a node; of one of two graphs laid over each other in the color of what differs."""
    if "sides" not in node:
        yield from shape(node, x, y)
        return
    state = STATES[node["change"]["state"]] if "change" in node else ""
    is_gone = node["sides"][1] is None
    for mark in shape(node, x, y):
        assert isinstance(mark, Box)
        fill, line = (f"{state} 14", state) if state else ("paper", "neutral-line")
        yield replace(
            mark, fill=fill, line=line, dashed=mark.dashed or is_gone, thickness=2.0 if state else mark.thickness
        )


def sign(node: panels.Item, x: float, y: float) -> Iterator[Mark]:
    """Yield the sign of what differs, at the upper left corner."""
    if "change" not in node:
        return
    text, color = node["change"]["sign"], STATES[node["change"]["state"]]
    w = max(theme.BADGE_HEIGHT, width(text, theme.LABEL_SIZE) + 8)
    middle, top = x - node["w"] / 2 + w / 2 - 6, y - node["h"] / 2 - theme.BADGE_HEIGHT / 2
    yield Box(middle - w / 2, top, w, theme.BADGE_HEIGHT, theme.BADGE_HEIGHT / 2, "paper", color)
    yield Text(middle, top + theme.BADGE_HEIGHT / 2 + 4.2, text, theme.LABEL_SIZE, color)


def texts(node: panels.Item, x: float, y: float) -> Iterator[Mark]:
    """Yield the one or two lines of a node centered at (x, y), above the room that a show needs."""
    y -= node.get("room", 0) / 2
    if node["detail"]:
        yield Text(x, y - 3.0, node["label"], theme.LABEL_SIZE, "ink")
        yield Text(x, y + 12.5, node["detail"], theme.DETAIL_SIZE, "muted", "mono")
    else:
        yield Text(x, y + 4.6, node["label"], theme.LABEL_SIZE, "ink")


def badge(node: panels.Item, x: float, y: float) -> Iterator[Mark]:
    """Yield the pill with times_used at the upper right corner, if that is more than 1."""
    if node["uses"] < 2:
        return
    text = "×" + short(node["uses"])
    w = max(theme.BADGE_HEIGHT, width(text, theme.BADGE_SIZE) + 8)
    middle, top = x + node["w"] / 2 - 3, y - node["h"] / 2 - theme.BADGE_HEIGHT / 2
    yield Box(middle - w / 2, top, w, theme.BADGE_HEIGHT, theme.BADGE_HEIGHT / 2, "badge", "paper")
    yield Text(middle, top + theme.BADGE_HEIGHT / 2 + 3.6, text, theme.BADGE_SIZE, "paper")


def short(count: int) -> str:
    """Return a count in at most four characters: "999", "12k", "3M"."""
    for unit in ("", "k", "M"):
        if count < 1000:
            return f"{count}{unit}"
        count = count // 1000
    return f"{count}G"
