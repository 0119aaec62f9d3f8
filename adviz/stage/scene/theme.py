"""The looks of pictures as data: sizes in px, colors in a light and a dark variant, fonts.

Every renderer takes its numbers from here, and the layout takes the sizes, so that what is placed is what is drawn.
The colors of families are those of Okabe and Ito, which suit any color vision; shape and label repeat what they say.
"""

from functools import cache
from math import cbrt
from typing import Final

from ...graph.errors import OptionError

# Text.
LABEL_SIZE: Final = 13.0
DETAIL_SIZE: Final = 11.0
TITLE_SIZE: Final = 15.0
NOTE_SIZE: Final = 11.0
TEXT_LIMIT: Final = 190.0  # a longer label or detail ends in "…"
SANS: Final = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, DejaVu Sans, sans-serif"
SERIF: Final = "STIX Two Text, Cambria Math, Cambria, Georgia, Times New Roman, DejaVu Serif, serif"
MONO: Final = "ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace"

# Nodes: the height is that of one line of text, or of two.
MINIMAL_WIDTH: Final = 46.0
ONE_LINE: Final = 30.0
TWO_LINES: Final = 46.0
STATE_LINE: Final = 16.0  # one line more, where a show writes what is on stage
STATE_WIDTH: Final = 110.0  # of that line
ADJOINT_WIDTH: Final = 54.0  # of the pill with the adjoint, beside the value
MAP_ROOM: Final = 12.0  # height for a heat map, which is taller than a line of text
MAP_GAP: Final = 7.0  # before that pill, and before a heat map
PADDING: Final = 12.0
PILL_PADDING: Final = 18.0  # a pill loses its round ends
CORNER: Final = 6.0

# Between the nodes.
NODE_GAP: Final = 26.0
LAYER_GAP: Final = 40.0
EXPLORER_GAP: Final = 28.0  # between layers where nothing is written on edges but a count
MARGIN: Final = 20.0
TITLE_HEIGHT: Final = 34.0
NOTE_HEIGHT: Final = 18.0
WIDEST_TITLE: Final = 520.0  # a longer title does not widen the picture

# The picture of a sweep, in px at its natural size: a name, a value, a pill, the text of a gate, an equation.
FLOW_NAME: Final = 22.0
FLOW_TEXT: Final = 19.0  # of all letters in the picture of a sweep but for names, gates and results
FLOW_GATE: Final = 20.0
FLOW_WIDEST_NAME: Final = 170.0
FLOW_WIDEST_TITLE: Final = 210.0  # of an input or a result with its value
FLOW_WIDEST_GATE: Final = 134.0
FLOW_WIDEST_GATE_OF_LINE: Final = 190.0
FLOW_STRIP_WIDEST: Final = 100.0  # cell
FLOW_STRIP_SIDE: Final = 24.0
FLOW_STRIP_GAP: Final = 6.0

# The names of vertices in an elimination.
VERTEX: Final = 17.0
VERTEX_ROOM: Final = 88.0

# Lines.
BORDER: Final = 1.5
DASH: Final = (4.0, 3.0)
DOTS: Final = (1.2, 3.0)

#: Family -> its base color. "input" and "output" are kinds rather than families, yet they color a node like one.
PALETTE: Final = {
    "arithmetic": "#56B4E9",
    "power": "#E69F00",
    "trigonometric": "#009E73",
    "hyperbolic": "#009E73",
    "reduction": "#D55E00",
    "linear": "#0072B2",
    "shape": "#999999",
    "selection": "#CC79A7",
    "input": "#F0E442",
    "output": "#F0E442",
}
NEUTRAL: Final = "#8792A2"  # scopes, and families without a color of their own

#: Colors of the picture itself. In that of a sweep hue means sign: "positive", "negative" and "zero", and "on-hue" is
#: text on them; "faint" is a line of what is not in play, "cell" the ground of heat maps, "hatched" what is not finite;
#: in that of a graph "kept" is what is stored.
#: Of two graphs "positive" is added, "negative" removed and "changed" what is not the same in both.
#: In an elimination each product of a move has a hue of its own while it is in play: "pair-1" to "pair-6".
PICTURE: Final = {
    "light": {
        "paper": "#FFFFFF",
        "ink": "#16202A",
        "muted": "#53606D",
        "edge": "#77828E",
        "badge": "#2B3642",
        "accent": "#0B62C4",
        "positive": "#0B62B0",
        "negative": "#B65200",
        "changed": "#7A2F8F",
        "zero": "#68727C",
        "on-hue": "#FFFFFF",
        "faint": "#B4BEC7",
        "cell": "#F3F5F7",
        "hatched": "#C9CED3",
        "kept": "#6B4E9B",
        "pair-1": "#0072B2",
        "pair-2": "#B65200",
        "pair-3": "#00806A",
        "pair-4": "#B04379",
        "pair-5": "#7D6200",
        "pair-6": "#5B4FC4",
    },
    "dark": {
        "paper": "#14181D",
        "ink": "#EDF1F5",
        "muted": "#B6C1CC",
        "edge": "#8793A0",
        "badge": "#D5DCE4",
        "accent": "#7DB8FF",
        "positive": "#70B7F5",
        "negative": "#F3A05A",
        "changed": "#D9A3EA",
        "zero": "#8D98A1",
        "on-hue": "#0C1A26",
        "faint": "#56626D",
        "cell": "#20262C",
        "hatched": "#4A535B",
        "kept": "#C3A8EE",
        "pair-1": "#6BB8F0",
        "pair-2": "#F3A05A",
        "pair-3": "#3FC7A4",
        "pair-4": "#EB95C2",
        "pair-5": "#D8BC52",
        "pair-6": "#ADA4F7",
    },
}

#: Theme -> CSS selectors of pages in that theme: JupyterLab and nbconvert, VS Code.
PAGES: Final = {
    "light": ("[data-jp-theme-light=true]", ".vscode-light"),
    "dark": ("[data-jp-theme-light=false]", ".vscode-dark"),
}

#: Theme -> how much of the base color is in the fill, and what is mixed into the border, and how much of it.
TINTS: Final = {"light": (0.24, "#000000", 0.34), "dark": (0.27, "#FFFFFF", 0.12)}


def mix(color: str, other: str, share: float) -> str:
    """Return the color with `share` (0 to 1) of `color` and the rest of `other`."""
    pairs = zip(bytes.fromhex(color[1:]), bytes.fromhex(other[1:]), strict=True)
    return "#" + "".join(f"{round(share * one + (1 - share) * two):02X}" for one, two in pairs)


def colors(theme: str) -> dict[str, str]:
    """Return every color of the "light" or "dark" theme by the name of its use.

    Those of `PICTURE`; and for each family F "F" (the fill) and "F-line" (the
    border).
    """
    if theme not in TINTS:
        raise OptionError(f"theme is {theme!r}; it can be {' or '.join(map(repr, TINTS))}")
    fill, toward, share = TINTS[theme]
    table = dict(PICTURE[theme])
    for family, base in {**PALETTE, "neutral": NEUTRAL}.items():
        table[family] = mix(base, PICTURE[theme]["paper"], fill)
        table[f"{family}-line"] = mix(toward, base, share)
    return table


def color(table: dict[str, str], name: str) -> str:
    """Return a color of a theme by its name; "positive 63" is 63 percent of it on the ground of a heat map.

    >>> color(colors("light"), "positive 0"), color(colors("light"), "positive 100")
    ('#F3F5F7', '#0B62B0')
    """
    base, _, share = name.partition(" ")
    return _mixed(table[base], table["cell"], int(share)) if share else table[base]


@cache
def _mixed(one: str, other: str, percent: int) -> str:
    """Return a mixture of two colors in Oklab, as CSS makes it (https://bottosson.github.io/posts/oklab)."""
    share = percent / 100
    pairs = zip(_oklab(one), _oklab(other), strict=True)
    light, green_red, blue_yellow = (share * here + (1 - share) * there for here, there in pairs)
    l, m, s = (  # noqa: E741
        (light + a * green_red + b * blue_yellow) ** 3
        for a, b in ((0.3963377774, 0.2158037573), (-0.1055613458, -0.0638541728), (-0.0894841775, -1.2914855480))
    )
    rows = (4.0767416621, -3.3077115913, 0.2309699292), (-1.2684380046, 2.6097574011, -0.3413193965)
    linear = [a * l + b * m + c * s for a, b, c in (*rows, (-0.0041960863, -0.7034186147, 1.7076147010))]
    curved = (12.92 * x if x <= 0.0031308 else 1.055 * x ** (1 / 2.4) - 0.055 for x in (max(x, 0.0) for x in linear))
    return "#" + "".join(f"{min(255, round(255 * x)):02X}" for x in curved)


def _oklab(color: str) -> tuple[float, float, float]:
    """Return a color in Oklab: lightness, green to red, blue to yellow."""
    parts = [part / 255 for part in bytes.fromhex(color[1:])]
    r, g, b = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)  # noqa: E741
    m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
    s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
    return (
        0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
    )
