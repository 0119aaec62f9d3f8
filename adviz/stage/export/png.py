"""The graph of a scene as a PNG image, drawn by resvg from the SVG with the fonts of this package."""

from importlib.resources import as_file, files
from math import sqrt

from ..drawing.marks import Picture, View
from ..drawing.pictures import still
from ..scene.document import Scene
from ..scene.node_details import Adjoints
from ..scene.text_widths import advances
from .svg import markup

SANS = "Adviz Sans, sans-serif"
STACKS = {"sans": SANS, "mono": "Adviz Mono, monospace", "serif": SANS}

MOST_PIXELS = 16_000_000  # the most pixels of an image, which takes half a second, and 64 MB while it is drawn


def png(scene: Scene, scale: float = 2, theme: str = "light", known: Adjoints | None = None) -> bytes:
    """Return the picture of `scene` in the theme "light" or "dark".

    One px is `scale` image pixels wide, or fewer where the image would become too large.
    """
    return image(still(scene, known), scale, theme)


def image(drawn: Picture, scale: float = 2, theme: str = "light", view: View | None = None) -> bytes:
    """Return a picture, or a ``view`` with the pixels that it says, as a PNG image; the options are those of `png`."""
    from resvg_py import svg_to_bytes

    document = markup(drawn, theme, STACKS, view)
    with as_file(files("adviz.stage").joinpath("fonts")) as fonts:
        drawing = svg_to_bytes(
            svg_string=document,
            zoom=1.0 if view else min(scale, sqrt(MOST_PIXELS / (drawn.width * drawn.height))),
            font_files=[str(fonts / "sans.ttf"), str(fonts / "mono.ttf")],
            # Reading the system's fonts takes longer than drawing: they are read only for other characters.
            skip_system_fonts=advances("sans").keys() >= set(document) - {"\n"},
        )
    return bytes(drawing)
