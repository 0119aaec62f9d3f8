"""The graph of a scene as a PDF of one page, and a show as a handout: vectors, with searchable text."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from importlib.resources import as_file, files
from itertools import product
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from ..drawing.flow_lane import rests_of
from ..drawing.frames import HIGHEST, Film, key_frames
from ..drawing.marks import Arrow, Box, Cells, Curve, Mark, Picture, Text, moved
from ..drawing.pictures import still
from ..scene import theme as looks
from ..scene.document import Scene, Show
from ..scene.node_details import Adjoints
from ..scene.progress import Progress
from ..scene.text_widths import UNKNOWN, advances, width

if TYPE_CHECKING:
    from fpdf import FPDF
    from fpdf.drawing import PaintedPath

POINTS = 0.75  # points in a px
LONGEST = 14_400  # points: the longest side of a PDF page

A4 = (793.7, 1122.5)  # px
EDGE, GAP = 42.0, 18.0  # around the pictures of a handout, and between them
LEGIBLE, LARGEST = 0.6, 0.8  # the scale of a picture
MOST = 12  # key frames
WHOLE, LARGE = 0.5, 1.0  # the part of the first page that a whole sweep may take, and its scale
STEP_WIDTH, ABREAST = 600.0, 2  # px of the picture of a step, and how many stand beside each other
MOST_STEPS = 40


def pdf(scene: Scene, theme: str = "light", known: Adjoints | None = None) -> bytes:
    """Return the picture of `scene` in the theme "light" or "dark", on a page of its own size.

    A character that the fonts shipped here lack is shown as U+FFFD.
    """
    drawn = still(scene, known)
    page = opened(drawn.title, (drawn.width, drawn.height))
    page.add_page()
    Pen(page, looks.colors(theme)).picture(drawn)
    return bytes(page.output())


def handout(
    scene: Show,
    cursors: Sequence[int] | None = None,
    *,
    theme: str = "light",
    progress: Progress | None = None,
) -> bytes:
    """Return moments of a show as pictures with their captions, in rows.

    The pages are in portrait or landscape format, whichever the pictures fill better. If `cursors` is None, there are
    as many key frames as fill the pages; of a graph that is higher than half a page only a part is seen, which follows
    the moments. Where numbers flow, the first moment is shown large, and then the steps. Raises ValueError if there is
    no moment, and what `frames.Film` raises.
    """
    flows = bool(rests_of(scene))
    moments = key_frames(scene, MOST_STEPS if flows else MOST) if cursors is None else cursors
    if not moments:
        raise ValueError("there is no moment to show")
    if flows:
        return _steps(scene, moments, theme, progress)
    film = Film(scene, moments, HIGHEST)
    sheet = grid(*film.size)
    each = sheet.columns * sheet.rows
    if cursors is None and len(moments) > each:
        moments = key_frames(scene, len(moments) - len(moments) % each)
    w, h = (side * sheet.scale for side in film.size)
    left, top = (
        (side - count * size - (count - 1) * GAP) / 2
        for side, count, size in zip(sheet.size, (sheet.columns, sheet.rows), (w, h), strict=True)
    )
    page = opened(film.title, sheet.size)
    pen = Pen(page, looks.colors(theme))
    for k, cursor in enumerate(moments):
        if not k % each:
            page.add_page()
            pen.draw(Box(0, 0, *sheet.size, 0, "paper"))
            footer = f"{k // each + 1} / {ceil(len(moments) / each)}"
            pen.draw(Text(sheet.size[0] / 2, sheet.size[1] - EDGE / 2, footer, looks.NOTE_SIZE, "muted"))
        row, column = divmod(k % each, sheet.columns)
        x, y = left + column * (w + GAP), top + row * (h + GAP)
        pen.picture(film.picture(cursor), x, y, sheet.scale)
        pen.draw(Box(x, y, w, h, looks.CORNER, "", "neutral"))
        if progress:
            progress(k + 1, len(moments))
    return bytes(page.output())


def _steps(scene: Show, moments: Sequence[int], theme: str, progress: Progress | None) -> bytes:
    """Return a sweep in which numbers flow: its first moment over the width of the page, and the others below."""
    whole, steps = Film(scene, moments[:1]), Film(scene, moments[1:] or moments, HIGHEST, STEP_WIDTH)
    width, height = A4[0] - 2 * EDGE, A4[1] - 2 * EDGE
    large = min(LARGE, width / whole.size[0], WHOLE * height / whole.size[1])
    small = min((width - (ABREAST - 1) * GAP) / ABREAST / steps.size[0], height / steps.size[1])
    w, h = steps.size[0] * small, steps.size[1] * small
    page = opened(whole.title, A4)
    pen = Pen(page, looks.colors(theme))
    y = EDGE
    for k, cursor in enumerate(moments):
        film, scale, place = (steps, small, (k - 1) % ABREAST) if k else (whole, large, 0)
        if not k or (not place and y + h > A4[1] - EDGE):
            y = EDGE
            page.add_page()
            pen.draw(Box(0, 0, *A4, 0, "paper"))
            pen.draw(Text(A4[0] / 2, A4[1] - EDGE / 2, str(page.page), looks.NOTE_SIZE, "muted"))
        x = EDGE + place * (w + GAP) if k else (A4[0] - whole.size[0] * large) / 2
        pen.picture(film.picture(cursor), x, y, scale)
        pen.draw(Box(x, y, film.size[0] * scale, film.size[1] * scale, looks.CORNER, "", "neutral"))
        if not k:
            y += whole.size[1] * large + GAP
        elif place == ABREAST - 1:
            y += h + GAP
        if progress:
            progress(k + 1, len(moments))
    return bytes(page.output())


class Sheet(NamedTuple):
    """A page in px, the rows and columns of pictures on it, and their scale."""

    size: tuple[float, float]
    columns: int
    rows: int
    scale: float


def grid(w: float, h: float) -> Sheet:
    """Return the sheet that legible pictures of this size fill best."""

    def sheet(size: tuple[float, float], columns: int, rows: int) -> Sheet:
        room = [side - 2 * EDGE - (k - 1) * GAP for side, k in zip(size, (columns, rows), strict=True)]
        return Sheet(size, columns, rows, min(room[0] / columns / w, room[1] / rows / h, LARGEST))

    sheets = [sheet(size, *each) for size in (A4, A4[::-1]) for each in product(range(1, 5), range(1, 7))]
    least = min(LEGIBLE, max(each.scale for each in sheets))
    legible = [each for each in sheets if each.scale >= least]
    return max(legible, key=lambda each: each.columns * each.rows * each.scale**2)


def opened(title: str, size: tuple[float, float]) -> "FPDF":
    """Return an empty document with pages of a size in px, the unit of the document."""
    from fpdf import FPDF

    page = FPDF(unit=min(POINTS, LONGEST / max(size)), format=size)
    with as_file(files("adviz.stage").joinpath("fonts")) as fonts:
        for name in ("sans", "mono"):
            page.add_font(name, fname=fonts / f"{name}.ttf")
    page.set_auto_page_break(False)
    page.set_title(title)
    page.set_creator("adviz")
    return page


class Pen:
    """Draws marks on a page."""

    def __init__(self, page: "FPDF", colors: dict[str, str]) -> None:
        self.page = page
        self.colors = colors

    def picture(self, drawn: Picture, x: float = 0.0, y: float = 0.0, scale: float = 1.0) -> None:
        """Draw a picture with its upper left corner at (x, y), and nothing that lies beyond its sides."""
        with self.page.rect_clip(x, y, drawn.width * scale, drawn.height * scale):
            for mark in (Box(0, 0, drawn.width, drawn.height, 0, "paper"), *drawn.frame):
                self.draw(moved(mark, x, y, scale))
            for item in drawn.items:
                for mark in item.marks:
                    self.draw(moved(mark, x, y, scale))

    def draw(self, mark: Mark) -> None:
        """Draw one mark."""
        match mark:
            case Box():
                dash = looks.DASH if mark.dashed else None
                with self.path(mark.fill, mark.line, mark.thickness, dash, mark.opacity) as path:
                    path.rectangle(mark.x, mark.y, mark.w, mark.h, mark.corner, mark.corner)
            case Curve():
                dash = looks.DOTS if mark.dotted else looks.DASH if mark.dashed else None
                with self.path(mark.fill, mark.line, mark.thickness, dash, mark.opacity) as path:
                    path.move_to(*mark.points[:2])
                    for k in range(2, len(mark.points), 6):
                        path.curve_to(*mark.points[k : k + 6])
            case Arrow():
                with self.path(mark.fill, "", opacity=mark.opacity) as path:
                    path.move_to(*mark.points[:2])
                    path.line_to(*mark.points[2:4])
                    path.line_to(*mark.points[4:])
                    path.close()
            case Cells():
                with self.path(mark.fill, "", opacity=mark.opacity) as path:
                    for k in range(0, len(mark.boxes), 4):
                        path.rectangle(*mark.boxes[k : k + 4])
            case Text():
                self.write(mark)

    def write(self, mark: Text) -> None:
        """Draw a line of text."""
        font = "mono" if mark.font == "mono" else "sans"
        known = advances(font)
        shown = "".join(character if character in known else UNKNOWN for character in mark.text)
        left = mark.x - (width(shown, mark.size, font) / 2 if mark.anchor == "middle" else 0)
        self.page.set_font(font, size=mark.size * self.page.k)
        with self.page.local_context(fill_opacity=mark.opacity) if mark.opacity < 1 else nullcontext():
            # Formulas are in the font of the words: what is of one color stays together, so that it is found.
            for text, color in replace(mark, text=shown, parts=tuple(part for part in mark.parts if part[2])).pieces():
                self.page.set_text_color(looks.color(self.colors, color or mark.fill))
                self.page.text(left, mark.y, text)
                left += width(text, mark.size, font)

    @contextmanager
    def path(
        self,
        fill: str,
        line: str,
        thickness: float = 0,
        dash: tuple[float, float] | None = None,
        opacity: float = 1.0,
    ) -> Iterator["PaintedPath"]:
        """Yield a path to build, which is then filled and drawn in the named colors ("" for none)."""
        with self.page.new_path() as path:
            path.style.auto_close = False
            path.style.fill_color = looks.color(self.colors, fill) if fill else None
            path.style.stroke_color = looks.color(self.colors, line) if line else None
            path.style.stroke_width = thickness
            path.style.stroke_dash_pattern = dash
            if opacity < 1:
                path.style.fill_opacity = path.style.stroke_opacity = opacity
            yield path
