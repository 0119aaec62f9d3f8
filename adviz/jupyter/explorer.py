"""The Explorer: browse the graph of what a function computed, in a notebook or on a saved page."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import traitlets

from ..algorithms.examples.small_functions import Case
from ..engine.calls import check_call
from ..engine.measuring import Profile
from ..engine.trace import to_be_shown, trace
from ..engine.trace_errors import InputError
from ..graph.files.saved_values import are_saved
from ..graph.graph import Graph
from ..stage.drawing.marks import graph_of, heading, summary
from ..stage.drawing.pictures import NoEngine
from ..stage.export import html, pdf, png, svg
from ..stage.layout import placing
from ..stage.layout.layered import topological
from ..stage.scene.document import Scene
from ..stage.scene.node_details import Adjoints
from ..stage.scene.panels import GraphPanel, Item
from ..stage.scene.text_widths import printable
from ..stage.shows import sweep_scene
from ..stage.shows.adjoints import adjoints
from ..stage.shows.explorer_scene import document, view
from .player import Player
from .sweep_players import play
from .view import View, write

# ---- graphs as text ----


MARKERS = {"input": "in ", "output": "out", "scope": "[+]", "outside": "...", "block": "   "}


def text(scene: Scene) -> str:
    """Return a listing of the opened scope: a line per item with its operands, operands first.

    For f(x) = sin(x) * x:

        f
        3 nodes · 3 edges · 1 input · 1 output · depth 2 · 24 B
        in  n0  x             used 2
            n1  sin    n0     used 1
        out n2  ×      n1 n0
    """
    panel = graph_of(scene)
    operands: dict[str, list[str]] = {node["key"]: [] for node in panel["nodes"]}
    for edge in panel["edges"]:
        operands[edge["head"]].append(edge["tail"] + (f" (×{edge['count']:,})" if edge["count"] > 1 else ""))
    index = {node["key"]: k for k, node in enumerate(panel["nodes"])}
    pairs = [(index[edge["tail"]], index[edge["head"]]) for edge in panel["edges"]]
    nodes = [panel["nodes"][k] for k in topological(len(index), pairs)]
    rows = [_row(node, operands[node["key"]]) for node in nodes]
    widths = [max(map(len, column), default=0) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(size) for cell, size in zip(cells, widths, strict=True)).rstrip() for cells in rows]
    head = [heading(scene, panel), summary(scene)]
    return "\n".join([*(line for line in head if line), *lines, *([note] if (note := panel.get("note")) else [])])


def _row(node: Item, operands: list[str]) -> list[str]:
    """Return the cells of one item: kind and key, label, operands, detail, use."""
    label = node["label"] + (f" × {node['repeat']:,}" if node["repeat"] > 1 else "")
    use = "dead" if node["dead"] else f"used {node['uses']:,}" if node["uses"] else ""
    cells = [f"{MARKERS[node['kind']]} {node['key']}", label, " ".join(operands), node["detail"], use]
    return [printable(cell).rstrip() if k else cell for k, cell in enumerate(cells)]


MOST_ADJOINTS = 40_000  # the most adjoints that a saved page holds
MOST_VIEWS = 40  # the most scopes of which a saved page holds pictures
MOST_PLAYED = 100_000
"""The most nodes of a graph whose evaluation a saved page plays; a larger show takes too long to make."""


def explore(
    f: Callable[..., Any] | Case | Graph | Profile, /, *args: Any, grain: str = "array", **settings: Any
) -> Explorer:
    """Trace ``f(*args, **settings)`` and explore its graph; a :class:`~adviz.Graph` is explored as it is.

    One of ``adviz.examples`` brings its arguments.

    Of what :func:`adviz.profile` returns, the graph is explored together with the times of its nodes: they are in the
    list "Color by", and a column of the table of sizes.

    The arguments are those of :func:`adviz.trace`. In a notebook the Explorer is live: ``explorer.selection`` is the
    list of selected nodes, both ways. Its button "Play" steps through the evaluation, as does the Player that
    ``explorer.play()`` returns. ``explorer.save("page.html")`` writes one file that needs no kernel.

    >>> explorer = explore(lambda x: x * x, 3.0)
    >>> explorer.graph.block_counts(), explorer.selection
    ({'input': 1, 'multiply': 1, 'output': 1}, [])
    """
    placing.warm()  # Graphviz starts while the function runs
    if isinstance(f, Graph | Profile) and (args or settings):
        raise InputError("A graph is explored as it is: leave the arguments out.")
    if isinstance(f, Profile):
        return Explorer(f.graph, seconds=f.seconds)
    if isinstance(f, Case):
        args, f = args or f.arguments, f.program
    if not isinstance(f, Graph):
        check_call("explore", f, args, settings, ["grain"])
    return Explorer(f if isinstance(f, Graph) else trace(f, *args, grain=grain, **settings))


class Explorer(View):
    """A widget that shows a graph: picture, sizes, inspector, source, scopes, search.

    >>> import adviz
    >>> explorer = Explorer(adviz.trace(lambda x: x * x, 3.0), selection=[1])
    >>> explorer.graph[explorer.selection[0]].block
    <Block multiply>
    """

    graph: Graph
    seconds: np.ndarray | None
    """The time of each node, where it was measured."""

    def __init__(
        self,
        graph: Graph,
        shown: tuple[Scene, bytes] | None = None,
        seconds: np.ndarray | None = None,
        **settings: Any,
    ):
        graph = to_be_shown(graph)
        self.seconds = seconds
        super().__init__(document(graph, seconds=seconds) if shown is None else shown, graph, **settings)

    def put_away(self) -> None:
        """Close the Explorer, and drop the Scene, which is many times larger than the graph, until it is needed."""
        super().put_away()
        for name in ("scene", "columns"):
            self._trait_values.pop(name, None)

    @traitlets.default("scene")
    def _scene_again(self) -> dict[str, Any]:
        self._trait_values["scene"], self._trait_values["columns"] = self._again()
        return self._trait_values["scene"]

    def _again(self) -> tuple[Scene, bytes]:
        """Return the Scene and its columns, which were put away."""
        return document(self.graph, seconds=self.seconds)

    def _view(self, scope: int) -> GraphPanel:
        """Return a scope, placed."""
        return view(self.graph, scope)

    def _plays(self) -> bool:
        """Return whether a saved page plays the evaluation."""
        return len(self.graph) <= MOST_PLAYED and are_saved(self.graph.values)

    @traitlets.default("columns")
    def _columns_again(self) -> bytes:
        self._scene_again()
        return self._trait_values["columns"]

    def _answers(self) -> dict[str, Callable[[Any], Any]]:
        return {
            **super()._answers(),
            "view": lambda message: self._view(int(message["scope"])),
            "adjoints": lambda message: adjoints(self.graph, int(message["output"])),
            "play": lambda _: self._show(),
        }

    def _show(self) -> dict[str, Any]:
        """Return what the Scene of the evaluation has that differs from the Scene of the graph.

        Tables and columns are those of the graph, which has some more, for the search box.
        """
        document, _ = sweep_scene.evaluation_scene(self.graph, flows=False)
        changed = {key: value for key, value in document.items() if value != self.scene.get(key)}
        return {key: value for key, value in changed.items() if key not in ("tables", "columns")}

    def _still(self) -> dict[str, Any]:
        known = self._known()
        try:
            drawn = {
                "text/html": html.notebook_html(self._document, self.fallback, known=known),
                "image/png": png.png(self._document, known=known),
            }
        except NoEngine:
            drawn = {"text/html": html.static_html(self._document, self.fallback)}
        return drawn | {"text/plain": text(self._document)}

    def _known(self) -> Adjoints | None:
        """Return the adjoints that stand beside the values, if an output is chosen and they can be computed."""
        panel = next((panel for panel in self._document["panels"] if panel["kind"] == "derivatives"), None)
        if panel is None or panel["chosen"] is None:
            return None
        try:
            return adjoints(self.graph, panel["chosen"])
        except (ArithmeticError, NotImplementedError, TypeError, ValueError):
            return None  # as in the live view, where the values stand alone

    def play(self, *, panels: Sequence[str] | None = None, teach: bool = False) -> Player:
        """Watch the graph being evaluated, node by node; see :func:`adviz.play`."""
        return play(self.graph, panels=panels, teach=teach)

    def save(self, path: str | Path, *, theme: str = "light") -> Path:
        """Save the graph in the format of the suffix, and return the path.

        ``.html`` is a page to explore, without kernel or network; ``.svg``, ``.png`` and ``.pdf`` are pictures. Raises
        ``ValueError`` for another suffix.
        """
        writers: dict[str, Callable[[], str | bytes]] = {
            ".html": self._page,
            ".svg": lambda: svg.svg(self._document, theme, known=self._known()),
            ".png": lambda: png.png(self._document, theme=theme, known=self._known()),
            ".pdf": lambda: pdf.pdf(self._document, theme, known=self._known()),
        }
        return write(path, writers)

    def _page(self) -> str:
        """Return the page, with the outermost scopes, the details of their nodes, and the evaluation."""
        views = self._views()
        shown = [item["node"] for panel in views.values() for item in panel["nodes"] if item["node"] is not None]
        played = self._show() if self._plays() else None
        return html.page(
            self._document,
            self.columns,
            views,
            self._details(shown),
            self.front_end.text,
            show=played,
            adjoints=self._adjoints(),
        )

    def _adjoints(self) -> dict[int, Adjoints]:
        """Return the adjoints for as many outputs as a page has room for, by their places among those to choose."""
        panel = next((panel for panel in self._document["panels"] if panel["kind"] == "derivatives"), None)
        result: dict[int, Adjoints] = {}
        for choice in range(len(panel["outputs"]) if panel else 0):
            if len(result) * len(self.graph) >= MOST_ADJOINTS:
                break
            try:
                result[choice] = adjoints(self.graph, choice)
            except (ArithmeticError, NotImplementedError, TypeError, ValueError) as error:
                warnings.warn(f"The page does not show derivatives: {error}", stacklevel=2)
                break
        return result

    def _views(self) -> dict[int, GraphPanel]:
        """Return placed panels by scope, breadth first from the root."""
        views: dict[int, GraphPanel] = {}
        waiting = [0]
        while waiting and len(views) < MOST_VIEWS:
            scope = waiting.pop(0)
            panel = self._view(scope)
            views[scope] = views[panel["scope"]] = panel
            waiting += [item["span"][0] for item in panel["nodes"] if item["span"] and item["span"][0] not in views]
            siblings = panel["siblings"]
            if siblings and siblings["index"] == 0:
                near = range(1, min(siblings["count"], 4))
                waiting += [siblings["first"] + k * siblings["stride"] for k in near]
        return views
