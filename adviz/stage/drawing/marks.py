"""Pictures as lists of marks, most of which the front end makes; and the words of their frames.

A mark is a shape with coordinates in px (y down) and the *names* of its colors (see `theme.color`). The renderers only
translate marks into their format; they decide nothing about the looks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from ..scene import panels, theme
from ..scene.captions import plural
from ..scene.document import Scene
from ..scene.text_widths import printable, width


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
    """A chain of cubic Bezier curves through x0, y0, x1, y1, ...; 1 + 3k points. What it encloses may be filled."""

    points: list[float]
    line: str
    thickness: float
    dashed: bool = False
    opacity: float = 1.0
    dotted: bool = False
    fill: str = ""


@dataclass(frozen=True)
class Arrow:
    """A filled triangle: the tip and the two other corners."""

    points: list[float]
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


@dataclass(frozen=True)
class Picture:
    """A whole picture: background, then the marks of its frame, then the items, in drawing order."""

    width: float
    height: float
    title: str
    summary: str
    frame: list[Mark]
    items: list[Item]


class View(NamedTuple):
    """A part of a picture: its upper left corner, its width and its height in px; and both in pixels of an image."""

    x: float
    y: float
    w: float
    h: float
    pixels: tuple[float, float]


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
            return replace(mark, points=_shifted(mark.points, x, y, scale), thickness=scale * mark.thickness)
        case Arrow():
            return replace(mark, points=_shifted(mark.points, x, y, scale))
        case Text():
            return replace(mark, x=x + scale * mark.x, y=y + scale * mark.y, size=scale * mark.size)
        case Cells():
            return replace(mark, boxes=[scale * number + (x, y, 0, 0)[k % 4] for k, number in enumerate(mark.boxes)])


def _shifted(points: Sequence[float], x: float, y: float, scale: float) -> list[float]:
    return [scale * number + (y if k % 2 else x) for k, number in enumerate(points)]


def moved_item(item: Item, x: float, y: float, scale: float = 1.0) -> Item:
    """Return an item whose point (0, 0) is drawn at (x, y), scaled by `scale`."""
    stays = not x and not y and scale == 1
    return item if stays else replace(item, marks=[moved(mark, x, y, scale) for mark in item.marks])


def short(count: int) -> str:
    """Return a count in at most four characters: "999", "12k", "3M"."""
    for unit in ("", "k", "M"):
        if count < 1000:
            return f"{count}{unit}"
        count = count // 1000
    return f"{count}G"
