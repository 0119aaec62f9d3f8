"""A scene's graph as a PDF of one page, and a show as a handout: vectors, with text to select and search."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from . import theme as looks
from .drawing import Arrow, Box, Curve, Mark, Picture, Text, moved, picture
from .frames import Film, key_frames
from .metrics import UNKNOWN, advances, width

if TYPE_CHECKING:
    from fpdf import FPDF
    from fpdf.drawing import PaintedPath

POINTS = 0.75  # points in a px
LONGEST = 14_400  # points: the longest side a PDF page may have

A4 = (793.7, 1122.5)  # px
EDGE, GAP = 42.0, 18.0  # around the pictures of a handout, and between them
LEGIBLE = 0.6  # a picture is scaled down to this to make room for others


def pdf(scene: dict, theme: str = "light") -> bytes:
    """Return the picture of `scene` in the theme "light" or "dark", on a page of its own size.

    A character that the fonts shipped here lack is shown as U+FFFD.
    """
    drawn = picture(scene)
    page = opened(drawn.title, (drawn.width, drawn.height))
    page.add_page()
    Pen(page, looks.colors(theme)).picture(drawn)
    return bytes(page.output())


def handout(scene: dict, cursors: Sequence[int] | None = None, *, theme: str = "light") -> bytes:
    """Return moments of a show (its key frames, if `cursors` is None) as a strip of pictures with their captions.

    On every page are as many as can be read, from left to right. Raises ValueError if there is no moment, and as
    `frames.Film` does.
    """
    film = Film(scene)
    moments = key_frames(scene) if cursors is None else cursors
    if not moments:
        raise ValueError("there is no moment to show")
    columns, rows, scale = grid(*film.size)
    left = (A4[0] - columns * film.size[0] * scale - (columns - 1) * GAP) / 2
    page = opened(film.title, A4)
    pen = Pen(page, looks.colors(theme))
    pages = [moments[k : k + columns * rows] for k in range(0, len(moments), columns * rows)]
    for number, shown in enumerate(pages, start=1):
        page.add_page()
        pen.draw(Box(0, 0, *A4, 0, "paper"))
        for k, cursor in enumerate(shown):
            x = left + k % columns * (film.size[0] * scale + GAP)
            y = EDGE + k // columns * (film.size[1] * scale + GAP)
            pen.picture(film.picture(cursor), x, y, scale)
            pen.draw(Box(x, y, film.size[0] * scale, film.size[1] * scale, looks.CORNER, "", "neutral"))
        footer = f"{number} / {len(pages)}"
        pen.draw(Text(A4[0] / 2, A4[1] - EDGE / 2, footer, looks.NOTE_SIZE, "muted"))
    return bytes(page.output())


def grid(w: float, h: float) -> tuple[int, int, float]:
    """Return columns, rows and scale of pictures on a page: as many as are legible, and at least one."""

    def scale(columns: int, rows: int) -> float:
        room = [side - 2 * EDGE - (count - 1) * GAP for side, count in zip(A4, (columns, rows), strict=True)]
        return min(room[0] / columns / w, room[1] / rows / h, 1.0)

    grids = [(columns, rows) for columns in range(1, 5) for rows in range(1, 7)]
    least = min(LEGIBLE, scale(1, 1))
    columns, rows = max(
        (each for each in grids if scale(*each) >= least), key=lambda each: (each[0] * each[1], scale(*each))
    )
    return columns, rows, scale(columns, rows)


def opened(title: str, size: tuple[float, float]) -> "FPDF":
    """Return an empty document with pages of a size in px, which are its unit."""
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
        """Draw on `page` with `colors` by name."""
        self.page = page
        self.colors = colors

    def picture(self, drawn: Picture, x: float = 0.0, y: float = 0.0, scale: float = 1.0) -> None:
        """Draw a picture with its upper left corner at (x, y)."""
        for mark in (Box(0, 0, drawn.width, drawn.height, 0, "paper"), *drawn.frame):
            self.draw(moved(mark, x, y, scale))
        for item in drawn.items:
            opacity = looks.DEAD_OPACITY if item.dead else 1
            with self.page.local_context(fill_opacity=opacity, stroke_opacity=opacity):
                for mark in item.marks:
                    self.draw(moved(mark, x, y, scale))

    def draw(self, mark: Mark) -> None:
        """Draw one mark."""
        match mark:
            case Box():
                with self.path(mark.fill, mark.line, mark.thickness, mark.dashed) as path:
                    path.rectangle(mark.x, mark.y, mark.w, mark.h, mark.corner, mark.corner)
            case Curve():
                with self.path("", mark.line, mark.thickness, mark.dashed) as path:
                    path.move_to(*mark.points[:2])
                    for k in range(2, len(mark.points), 6):
                        path.curve_to(*mark.points[k : k + 6])
            case Arrow():
                with self.path(mark.fill, "") as path:
                    path.move_to(*mark.points[:2])
                    path.line_to(*mark.points[2:4])
                    path.line_to(*mark.points[4:])
                    path.close()
            case Text():
                self.write(mark)

    @contextmanager
    def path(self, fill: str, line: str, thickness: float = 0, dashed: bool = False) -> Iterator["PaintedPath"]:
        """Give a path to build, which is then filled and drawn in the colors of these names ("" for not at all)."""
        with self.page.new_path() as path:
            path.style.auto_close = False
            path.style.fill_color = self.colors[fill] if fill else None
            path.style.stroke_color = self.colors[line] if line else None
            path.style.stroke_width = thickness
            path.style.stroke_dash_pattern = looks.DASH if dashed else None
            yield path

    def write(self, mark: Text) -> None:
        """Write a line of text."""
        known = advances(mark.font)
        shown = "".join(character if character in known else UNKNOWN for character in mark.text)
        left = mark.x - (width(shown, mark.size, mark.font) / 2 if mark.anchor == "middle" else 0)
        self.page.set_font(mark.font, size=mark.size * self.page.k)
        self.page.set_text_color(self.colors[mark.fill])
        self.page.text(left, mark.y, shown)
