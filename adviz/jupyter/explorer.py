"""The Explorer: walk around in the graph of what a function computed, in a notebook or in a saved page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import anywidget
import traitlets

from ..engine.trace import trace
from ..graph.graph import Graph
from ..stage import html, layout
from ..stage.detail import detail
from ..stage.scene import document, view

BUNDLE = Path(__file__).parents[1] / "static" / "adviz.js"
FRONT_END = BUNDLE.read_text(encoding="utf-8") if BUNDLE.is_file() else ""
MOST_VIEWS = 40
"""Scopes that a saved page has pictures of."""
MOST_DETAILS = 1_000
"""Nodes that a saved page knows everything about; of the others it knows what the columns say."""


def explore(f: Callable[..., Any] | Graph, /, *args: Any, grain: str = "array", **settings: Any) -> Explorer:
    """Trace ``f(*args, **settings)`` and open its graph to explore; a :class:`~adviz.Graph` is opened as it is.

    Arguments are those of :func:`adviz.trace`. Shown in a notebook the Explorer is live: ``explorer.selection`` is the
    list of selected nodes, both ways. ``explorer.save("page.html")`` keeps it as one file that needs no kernel.
    """
    layout.warm()  # Graphviz starts while the function runs
    if isinstance(f, Graph) and (args or settings):
        raise TypeError("A graph is explored as it is: leave the arguments out.")
    return Explorer(f if isinstance(f, Graph) else trace(f, *args, grain=grain, **settings))


class Explorer(anywidget.AnyWidget):
    """A widget that shows a graph: picture, sizes, inspector, source, scopes, search."""

    _esm = FRONT_END  # the text: given a path, anywidget would hold on to every Explorer ever made
    scene = traitlets.Dict().tag(sync=True)
    columns = traitlets.Bytes().tag(sync=True)
    selection = traitlets.List(traitlets.Int()).tag(sync=True)
    fallback = traitlets.Unicode().tag(sync=True)

    def __init__(self, graph: Graph, **settings: Any):
        if not FRONT_END:
            raise FileNotFoundError(
                f"The front end is not built: {BUNDLE} is missing. Run `pip install .` in the checkout of adviz."
            )
        self.graph = graph
        scene, columns = document(graph)
        super().__init__(scene=scene, columns=columns, fallback=f"adviz-{uuid4().hex}", **settings)
        self.on_msg(self._answer)

    @traitlets.validate("selection")
    def _check_selection(self, proposal: Any) -> list[int]:
        for node in proposal["value"]:
            if not 0 <= node < len(self.graph):
                raise traitlets.TraitError(
                    f"selection has node {node}, but the graph has nodes 0 to {len(self.graph) - 1}"
                )
        return proposal["value"]

    def _answer(self, _: Any, message: Any, buffers: Any) -> None:
        """Answer the front end, which asks for the picture of a scope or for all about a node."""
        answer: dict[str, Any] = {"id": message.get("id")}
        try:
            if message["type"] == "view":
                answer["view"] = view(self.graph, int(message["scope"]))
            elif message["type"] == "detail":
                answer["detail"] = detail(self.graph, int(message["node"]))
            else:
                answer["error"] = f"Unknown request {message['type']!r}."
        except Exception as error:  # whatever went wrong, the front end must not wait for ever
            answer["error"] = f"{type(error).__name__}: {error}"
        self.send(answer)

    def _ipython_display_(self) -> None:
        """The live view, and beside it a still picture that the live view hides while it is alive.

        Two outputs, because a notebook that is opened again with a fresh kernel shows an error in place of a widget
        whatever else that output holds; the still picture then remains.
        """
        from IPython.display import display

        from ..stage import png, text

        live, metadata = self._repr_mimebundle_() or ({}, {})
        display(
            {key: value for key, value in live.items() if key != "text/plain"} | {"text/plain": repr(self.graph)},
            raw=True,
            metadata=metadata,
        )
        still = {
            "text/html": html.notebook_html(self.scene, self.fallback),
            "image/png": png.png(self.scene),
            "text/plain": text.text(self.scene),
        }
        display(still, raw=True)

    def save(self, path: str | Path, *, theme: str = "light") -> Path:
        """Save as one file; its suffix tells as what.

        ``.html`` is a page to explore, without kernel or network; ``.svg``, ``.png`` and ``.pdf`` are pictures. Raises
        ``ValueError`` for another suffix.
        """
        from ..stage import pdf, png, svg

        path = Path(path)
        writers: dict[str, Callable[[], str | bytes]] = {
            ".html": self._page,
            ".svg": lambda: svg.svg(self.scene, theme),
            ".png": lambda: png.png(self.scene, theme=theme),
            ".pdf": lambda: pdf.pdf(self.scene, theme),
        }
        if path.suffix not in writers:
            raise ValueError(f"cannot save as {path.suffix or path.name!r}; the suffix can be {', '.join(writers)}")
        content = writers[path.suffix]()
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def _page(self) -> str:
        """The page: the pictures of the outermost scopes and what is known of the nodes in them travel along."""
        views = self._views()
        shown = [item["node"] for panel in views.values() for item in panel["nodes"] if item["node"] is not None]
        nodes = dict.fromkeys([*shown, *range(min(len(self.graph), MOST_DETAILS))])
        details = {node: detail(self.graph, node) for node in list(nodes)[:MOST_DETAILS]}
        return html.page(self.scene, self.columns, views, details, FRONT_END)

    def _views(self) -> dict[int, dict[str, Any]]:
        """Placed panels by scope, breadth first from the root."""
        views: dict[int, dict[str, Any]] = {}
        waiting = [0]
        while waiting and len(views) < MOST_VIEWS:
            scope = waiting.pop(0)
            panel = view(self.graph, scope)
            views[scope] = views[panel["scope"]] = panel
            waiting += [item["span"][0] for item in panel["nodes"] if item["span"] and item["span"][0] not in views]
            siblings = panel["siblings"]
            if siblings and siblings["index"] == 0:
                near = range(1, min(siblings["count"], 4))
                waiting += [siblings["first"] + k * siblings["stride"] for k in near]
        return views
