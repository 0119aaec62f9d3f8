"""A scene's graph as a PNG image, drawn by resvg from the SVG with the fonts shipped here, without any browser."""

from importlib.resources import as_file, files

from .metrics import advances
from .svg import svg

STACKS = {"sans": "Adviz Sans, sans-serif", "mono": "Adviz Mono, monospace"}


def png(scene: dict, scale: float = 2, theme: str = "light") -> bytes:
    """Return the picture of `scene`, `scale` image pixels per px, in the theme "light" or "dark"."""
    from resvg_py import svg_to_bytes

    document = svg(scene, theme, STACKS)
    with as_file(files("adviz.stage").joinpath("fonts")) as fonts:
        return bytes(
            svg_to_bytes(
                svg_string=document,
                zoom=scale,
                font_files=[str(fonts / "sans.ttf"), str(fonts / "mono.ttf")],
                # Reading the system's fonts takes longer than drawing: only where ours lack a character.
                skip_system_fonts=advances("sans").keys() >= set(document) - {"\n"},
            )
        )
