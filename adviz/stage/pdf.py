"""A scene's graph as a PDF of one page: vectors, with text that can be selected and searched."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from . import theme as looks
from .drawing import Arrow, Box, Curve, Mark, Picture, Text, picture
from .metrics import UNKNOWN, advances, width

if TYPE_CHECKING:
    from fpdf import FPDF
    from fpdf.drawing import PaintedPath

POINTS = 0.75  # points in a px
LONGEST = 14_400  # points: the longest side a PDF page may have


def pdf(scene: dict, theme: str = "light") -> bytes:
    """Return the picture of `scene` in the theme "light" or "dark", on a page of its own size.

    A character that the fonts shipped here lack is shown as U+FFFD.
    """
    drawn = picture(scene)
    page = opened(drawn)
    pen = Pen(page, looks.colors(theme))
    pen.draw(Box(0, 0, drawn.width, drawn.height, 0, "paper"))
    for mark in drawn.frame:
        pen.draw(mark)
    for item in drawn.items:
        opacity = looks.DEAD_OPACITY if item.dead else 1
        with page.local_context(fill_opacity=opacity, stroke_opacity=opacity):
            for mark in item.marks:
                pen.draw(mark)
    return bytes(page.output())


def opened(drawn: Picture) -> "FPDF":
    """Return an empty document with one page of the picture's size, its unit a px."""
    from fpdf import FPDF

    size = (drawn.width, drawn.height)
    page = FPDF(unit=min(POINTS, LONGEST / max(size)), format=size)
    with as_file(files("adviz.stage").joinpath("fonts")) as fonts:
        for name in ("sans", "mono"):
            page.add_font(name, fname=fonts / f"{name}.ttf")
    page.set_auto_page_break(False)
    page.set_title(drawn.title)
    page.set_creator("adviz")
    page.add_page()
    return page


class Pen:
    """Draws marks on a page."""

    def __init__(self, page: "FPDF", colors: dict[str, str]) -> None:
        """Draw on `page` with `colors` by name."""
        self.page = page
        self.colors = colors

    def draw(self, mark: Mark) -> None:
        """Draw one mark."""
        match mark:
            case Box():
                with self.path(mark.fill, mark.line, looks.BORDER, mark.dashed) as path:
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
