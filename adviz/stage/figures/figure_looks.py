"""What all Plotly figures look like: the colors of the theme, the fonts, and names that are shown as text."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ..scene import theme as looks
from ..scene.text_widths import fit

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def dressed(figure: Figure, title: str, theme: str, height: int) -> Figure:
    """Give a figure its title, colors and fonts, and return it."""
    table = looks.colors(theme)
    figure.update_layout(
        title={"text": plain(title, 15, 760), "x": 0.01, "font": {"size": 15}},
        template="plotly_white" if theme == "light" else "plotly_dark",
        font={"family": looks.SANS, "size": 12, "color": table["ink"]},
        paper_bgcolor=table["paper"],
        plot_bgcolor=table["paper"],
        colorway=[table["linear-line"]],
        showlegend=False,
        bargap=0.25,
        height=height,
        margin={"l": 20, "r": 20, "t": 90, "b": 60},
    )
    figure.update_xaxes(automargin=True, gridcolor=looks.mix(table["muted"], table["paper"], 0.2))
    figure.update_yaxes(automargin=True, gridcolor=looks.mix(table["muted"], table["paper"], 0.2), zeroline=False)
    return figure


def plain(text: str, size: float, limit: float) -> str:
    """Return `text`, cut to `limit` px, so that Plotly shows it as it is: neither as HTML nor as TeX."""
    return escape(fit(text, size, limit), quote=False).replace("$", "&#36;")
