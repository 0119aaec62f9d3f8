"""The looks of pictures as data: sizes in px, colors in a light and a dark variant, fonts.

Every renderer takes its numbers from here, and the layout takes the sizes, so that what is placed is what is drawn.
The colors of families are those of Okabe and Ito, which suit any color vision; shape and label repeat what they say.
"""

from typing import Final

# Text.
LABEL_SIZE: Final = 13.0
DETAIL_SIZE: Final = 11.0
BADGE_SIZE: Final = 10.0
TITLE_SIZE: Final = 15.0
NOTE_SIZE: Final = 11.0
TEXT_LIMIT: Final = 190.0  # a longer label or detail ends in "…"
SANS: Final = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, DejaVu Sans, sans-serif"
MONO: Final = "ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace"

# Nodes: the height is that of one line of text, or of two.
MINIMAL_WIDTH: Final = 46.0
ONE_LINE: Final = 30.0
TWO_LINES: Final = 46.0
STATE_LINE: Final = 16.0  # one line more, where a show writes what is on stage
STATE_WIDTH: Final = 94.0  # of that line
PADDING: Final = 12.0
PILL_PADDING: Final = 18.0  # a pill loses its round ends
CORNER: Final = 6.0
DOUBLE_BORDER: Final = 3.0  # distance between the two borders of an output
STACK: Final = 3.5  # distance between the sheets of a repeated scope
SHEETS: Final = 2  # sheets behind a repeated scope
BADGE_HEIGHT: Final = 15.0

# Between the nodes.
NODE_GAP: Final = 26.0
LAYER_GAP: Final = 40.0
MARGIN: Final = 20.0
TITLE_HEIGHT: Final = 34.0
NOTE_HEIGHT: Final = 18.0
WIDEST_TITLE: Final = 520.0  # a longer title does not widen the picture

# Lines.
BORDER: Final = 1.5
EDGE: Final = 1.25
THICKEST: Final = 3.5  # of an edge that stands for many
ARROW: Final = (7.5, 6.0)  # length and width of the head
DASH: Final = (4.0, 3.0)
DEAD_OPACITY: Final = 0.45

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

#: Colors of the picture itself.
PICTURE: Final = {
    "light": {
        "paper": "#FFFFFF",
        "ink": "#16202A",
        "muted": "#53606D",
        "edge": "#77828E",
        "badge": "#2B3642",
        "accent": "#0B62C4",
    },
    "dark": {
        "paper": "#14181D",
        "ink": "#EDF1F5",
        "muted": "#B6C1CC",
        "edge": "#8793A0",
        "badge": "#D5DCE4",
        "accent": "#7DB8FF",
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

    "paper", "ink", "muted", "edge", "badge" and "accent"; and for each family F "F" (the fill) and "F-line" (the
    border).
    """
    if theme not in TINTS:
        raise ValueError(f"theme is {theme!r}; it can be {' or '.join(map(repr, TINTS))}")
    fill, toward, share = TINTS[theme]
    table = dict(PICTURE[theme])
    for family, base in {**PALETTE, "neutral": NEUTRAL}.items():
        table[family] = mix(base, PICTURE[theme]["paper"], fill)
        table[f"{family}-line"] = mix(toward, base, share)
    return table


def family_of(node: dict) -> str:
    """Return the name of the color that a node of a graph panel is drawn in."""
    if node["kind"] in ("input", "output"):
        return node["kind"]
    if node["kind"] in ("block", "scope") and node["family"] in PALETTE:
        return node["family"]
    return "neutral"
