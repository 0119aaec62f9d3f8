"""What the Explorer and the Player have in common: a Scene in a widget, a still picture beside it, files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import anywidget
import traitlets

from ..graph.graph import Graph
from ..stage.shows.detail import detail
from .notebook_cells import cells

BUNDLE = Path(__file__).parents[1] / "static" / "adviz.js"
FRONT_END = BUNDLE.read_text(encoding="utf-8") if BUNDLE.is_file() else ""
MOST_DETAILS = 1_000
"""Nodes that a saved page knows everything about; of the others it knows what the columns say."""


class View(anywidget.AnyWidget):
    """A widget that shows the Scene of a graph (``None`` where only the Scene is known).

    What is seen of it when scripts are off says :meth:`_still`. The front end, and the registries of widgets that hold
    on to it, hear of a View when it is to be seen, and no longer when it is not: until then, and after that, it belongs
    to who refers to it, and can be shown at any time.
    """

    # The text: given a path, anywidget holds on to every widget ever made, to reload it when the file is saved.
    _esm = BUNDLE if FRONT_END and os.environ.get("ANYWIDGET_HMR") == "1" else FRONT_END
    scene = traitlets.Dict().tag(sync=True)
    columns = traitlets.Bytes().tag(sync=True)
    selection = traitlets.List(traitlets.Int()).tag(sync=True)
    fallback = traitlets.Unicode().tag(sync=True)

    graph: Graph | None
    _is_wanted = False

    def __init__(self, shown: tuple[dict[str, Any], bytes], graph: Graph | None = None, **settings: Any):
        if not FRONT_END:
            raise FileNotFoundError(
                f"The front end is not built: {BUNDLE} is missing. Run `pip install .` in the checkout of adviz."
            )
        self.graph = graph
        scene, columns = shown
        super().__init__(scene=scene, columns=columns, fallback=f"adviz-{uuid4().hex}", **settings)
        self.on_msg(self._answer)

    def open(self) -> None:
        """Tell the front end, if the View is to be seen."""
        if self._is_wanted:
            super().open()

    @property
    def model_id(self) -> str:
        """What the front end calls it. Who asks is about to show it, alone or inside another widget."""
        self.be_open()
        name: str = self.comm.comm_id
        return name

    def be_open(self) -> None:
        """Be known to the front end from now on."""
        if self.comm is None:
            self.__dict__.pop("_repr_mimebundle_", None)  # a widget that was closed has it hidden
            self._model_id, self._is_wanted = None, True
            self.open()

    def put_away(self) -> None:
        """Close it, and forget what can be made again when it is to be seen again."""
        self.close()
        self._is_wanted = False
        layout = self._trait_values.get("layout")  # a widget, too, made when this one was opened
        if layout is not None and all(getattr(layout, key) is None for key in layout.keys if key[0] != "_"):
            layout.close()
            del self._trait_values["layout"]

    @traitlets.validate("selection")
    def _check_selection(self, proposal: Any) -> list[int]:
        nodes = next(entry["length"] for entry in self.scene["columns"] if entry["name"] == "first")
        for node in proposal["value"]:
            if not 0 <= node < nodes:
                raise traitlets.TraitError(f"selection has node {node}, but the graph has nodes 0 to {nodes - 1}")
        return proposal["value"]

    def _answers(self) -> dict[str, Callable[[Any], Any]]:
        """What the front end may ask for: from a message the answer."""
        graph = self.graph
        return {} if graph is None else {"detail": lambda message: detail(graph, int(message["node"]))}

    def _answer(self, _: Any, message: Any, buffers: Any) -> None:
        """Answer the front end."""
        answer: dict[str, Any] = {"id": message.get("id")}
        answers = self._answers()
        try:
            kind = message["type"]
            if kind in answers:
                answer[kind] = answers[kind](message)
            else:
                answer["error"] = f"Unknown request {kind!r}."
        except Exception as error:  # whatever went wrong, the front end must not wait for ever
            answer["error"] = f"{type(error).__name__}: {error}"
        self.send(answer)

    def _still(self) -> dict[str, Any]:
        """What stands in for the live view, by type."""
        raise NotImplementedError

    def _ipython_display_(self) -> None:
        """The live view, and beside it a still picture that the live view hides while it is alive.

        Two outputs, because a notebook that is opened again with a fresh kernel shows an error in place of a widget
        whatever else that output holds; the still picture then remains.
        """
        from IPython.display import display

        cells.show(self)
        self.be_open()
        live, metadata = self._repr_mimebundle_() or ({}, {})
        display(
            {key: value for key, value in live.items() if key != "text/plain"} | {"text/plain": repr(self)},
            raw=True,
            metadata=metadata,
        )
        display(self._still(), raw=True)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.graph or self.scene['title']}>"

    def _details(self, nodes: list[int]) -> dict[int, dict[str, Any]]:
        """All about some nodes, and about as many of the first as a page has room for."""
        if self.graph is None:
            return {}
        wanted = dict.fromkeys([*nodes, *range(min(len(self.graph), MOST_DETAILS))])
        return {node: detail(self.graph, node) for node in list(wanted)[:MOST_DETAILS]}


def write(path: str | Path, writers: dict[str, Callable[[], str | bytes]], *others: str) -> Path:
    """Write a file as its suffix says. Raises ``ValueError`` for a suffix that has no writer; there are ``others``."""
    path = Path(path)
    if path.suffix not in writers:
        raise ValueError(
            f"cannot save as {path.suffix or path.name!r}; the suffix can be {', '.join([*writers, *others])}"
        )
    check_folder(path)
    content = writers[path.suffix]()
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def check_folder(path: Path) -> None:
    """Raise ``FileNotFoundError`` where a file cannot be put: before it is drawn."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r} for {path.name}; make it first")
