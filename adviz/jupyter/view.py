"""The base class of the Explorer and the Player: a widget that shows a Scene, with a still picture beside it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4
from weakref import WeakSet

import anywidget
import numpy as np
import traitlets
from IPython import get_ipython
from ipywidgets import Output
from ipywidgets.widgets import widget as registry

from ..graph import ipython
from ..graph.errors import OptionError, check_folder, no_attribute
from ..graph.graph import Graph
from ..stage.scene.document import Scene, Show
from ..stage.scene.node_details import Detail
from ..stage.shows.detail import detail
from ..stage.shows.options import ShowError

# ---- cells of a notebook ----

# Note which notebook cell shows which views, and close the views that a cell run again no longer shows.
#
# A displayed widget stays in the registries of ipywidgets and of the kernel, with everything it holds, until it is
# closed; a notebook, however, discards the output of a cell when the cell is run again. Views are therefore noted by
# cell. After a cell has been run again, those of its former views that no cell shows any more are closed. They can be
# shown again: see View.
#
# The front end says which cell it runs (JupyterLab and VS Code do); where it does not, nothing is closed. Nor is
# anything closed that was shown by a callback or in an `Output` widget.


class Shown(Protocol):
    """A view that can be closed and shown again."""

    def put_away(self) -> None:
        """Close the view."""


class Cells:
    """The views shown, by the id of their cell, and those whose cell is not known."""

    def __init__(self) -> None:
        self.shown: dict[str, WeakSet[Shown]] = {}
        self.elsewhere: WeakSet[Shown] = WeakSet()
        self.replaced: WeakSet[Shown] = WeakSet()
        self.shell: Any = None

    def show(self, view: Shown) -> None:
        """Note that the present cell shows a view."""
        shell = get_ipython()
        self.watch(shell)
        # What goes into an ``Output`` widget may stand in any cell.
        is_captured = any(isinstance(widget, Output) and widget.msg_id for widget in list(registry._instances.values()))
        cell = None if is_captured else present_cell(shell)
        (self.elsewhere if cell is None else self.shown.setdefault(cell, WeakSet())).add(view)

    def watch(self, shell: Any) -> None:
        """Listen to a shell for cells being run; once per shell."""
        if shell is not None and shell is not self.shell:
            shell.events.register("pre_run_cell", self.begin)
            shell.events.register("post_run_cell", self.end)
            self.shell = shell

    def begin(self, _: Any = None) -> None:
        """Note before a cell is run that its former views are about to disappear."""
        cell = present_cell(self.shell)
        if cell is not None:
            self.replaced |= self.shown.pop(cell, WeakSet())

    def end(self, _: Any = None) -> None:
        """Close, after a cell was run, the former views that no cell shows any more."""
        replaced, self.replaced = self.replaced, WeakSet()
        for view in replaced:
            if view not in self.elsewhere and not any(view in views for views in self.shown.values()):
                view.put_away()


def present_cell(shell: Any) -> str | None:
    """Return the front end's id of the cell being run, or ``None`` if it has not given one."""
    kernel = getattr(shell, "kernel", None)
    if kernel is None:
        return None
    result = kernel.get_parent().get("metadata", {}).get("cellId")
    return result if isinstance(result, str) else None


cells = Cells()


# ---- the widget ----


STATIC = Path(__file__).parents[1] / "static"


class FrontEnd:
    """A bundle of the front end: a widget or a page takes the one that shows its kind of Scene."""

    def __init__(self, name: str):
        self.name, self.file = name, STATIC / f"{name}.js"
        self.text = self.file.read_text(encoding="utf-8") if self.file.is_file() else ""
        # The text: given a path, anywidget holds on to every widget ever made, to reload it when the file is saved.
        self.esm = self.file if self.text and os.environ.get("ANYWIDGET_HMR") == "1" else self.text


GRAPHS, SWEEPS, ELIMINATIONS = map(FrontEnd, ("graphs", "sweeps", "eliminations"))
MOST_DETAILS = 1_000  # the most nodes whose details a saved page holds; of the others it knows what is in the columns


class View(anywidget.AnyWidget):
    """A widget that shows the Scene of a graph (``None`` if only the Scene is known).

    :meth:`_still` gives the picture for where scripts are off. The front end and the widget registries know of a View
    only while it is displayed. Before and after that, only the user's references keep it alive, and it can be displayed
    at any time.
    """

    front_end = GRAPHS
    _esm = GRAPHS.esm
    scene = traitlets.Dict().tag(sync=True)
    columns = traitlets.Bytes().tag(sync=True)
    selection = traitlets.List(traitlets.Int()).tag(sync=True)
    fallback = traitlets.Unicode().tag(sync=True)

    graph: Graph | None = None
    _is_wanted = False

    def __init__(self, shown: tuple[Scene | dict[str, Any], bytes], graph: Graph | None = None, **settings: Any):
        if not self.front_end.text:
            raise FileNotFoundError(
                f"The front end is not built: {self.front_end.file} is missing. "
                "Run `pip install .` in the checkout of adviz."
            )
        self.graph = graph
        scene, columns = shown
        super().__init__(scene=scene, columns=columns, fallback=f"adviz-{uuid4().hex}", **settings)
        self.on_msg(self._answer)

    @property
    def _document(self) -> Scene:
        """The Scene as typed data."""
        scene: Any = self.scene
        return scene

    def open(self) -> None:
        """Register with the front end, if the View is to be displayed."""
        if self._is_wanted:
            super().open()

    @property
    def model_id(self) -> str:
        """The front end's id; whoever reads it is about to display the View, alone or inside another widget."""
        self.be_open()
        name: str = self.comm.comm_id
        return name

    def be_open(self) -> None:
        """Register with the front end."""
        if self.comm is None:
            self.__dict__.pop("_repr_mimebundle_", None)  # hidden by close()
            self._model_id, self._is_wanted = None, True
            self.open()

    def put_away(self) -> None:
        """Close the View, and drop what can be made again when it is displayed again."""
        self.close()
        self._is_wanted = False
        layout = self._trait_values.get("layout")  # a widget of its own, made when this one was opened
        if layout is not None and all(getattr(layout, key) is None for key in layout.keys if key[0] != "_"):
            layout.close()
            del self._trait_values["layout"]

    def __setattr__(self, name: str, value: Any) -> None:
        with ipython.users_frames():
            try:
                super().__setattr__(name, value)
            except traitlets.TraitError as error:
                if name not in self._expected() or not str(error).startswith(f"The '{name}' trait"):
                    raise
                raise self._refused(name, value) from None  # rather than in the words of traitlets

    if not TYPE_CHECKING:  # or every name would pass as an attribute

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):  # Python and Jupyter ask for such names
                raise AttributeError(f"a {type(self).__name__} has no attribute {name!r}", name=name, obj=None)
            raise no_attribute(name, dir(self), f"a {type(self).__name__}")

    def _expected(self) -> dict[str, str]:
        """Return what traits can be, by their names."""
        return {"selection": f"it is a list of nodes, which are 0 to {self._nodes() - 1}"}

    def _refused(self, name: str, value: object) -> traitlets.TraitError:
        return traitlets.TraitError(f"{name} is {value!r}; {self._expected()[name]}")

    def _nodes(self) -> int:
        return next(entry["length"] for entry in self.scene["columns"] if entry["name"] == "first")

    @traitlets.validate("selection")
    def _check_selection(self, proposal: Any) -> list[int]:
        nodes = self._nodes()
        for node in proposal["value"]:
            if not 0 <= node < nodes:
                raise traitlets.TraitError(f"selection has node {node}, but the graph has nodes 0 to {nodes - 1}")
        return proposal["value"]

    def _answers(self) -> dict[str, Callable[[Any], Any]]:
        """Return the requests of the front end that can be answered, as functions of the message."""
        graph = self.graph
        return {} if graph is None else {"detail": lambda message: detail(graph, int(message["node"]))}

    def _answer(self, _: Any, message: Any, buffers: Any) -> None:
        """Answer a request of the front end, with an error if need be."""
        answer: dict[str, Any] = {"id": message.get("id")}
        answers = self._answers()
        try:
            kind = message["type"]
            if kind in answers:
                answer[kind] = answers[kind](message)
            else:
                answer["error"] = f"Unknown request {kind!r}."
        except Exception as error:  # without an answer the front end would wait forever
            answer["error"] = f"{type(error).__name__}: {error}"
        self.send(answer)

    def _still(self) -> dict[str, Any]:
        """Return what replaces the live view, by MIME type."""
        raise NotImplementedError

    def _ipython_display_(self) -> None:
        """Display the live view and a still picture, which the live view hides while it is alive.

        These are two outputs because a notebook that is reopened with a fresh kernel shows an error in place of a
        widget, whatever else that output holds; the still picture then remains.
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

    def _details(self, nodes: list[int]) -> dict[int, Detail]:
        """Return the details of some nodes, and of as many of the first nodes as a page has room for."""
        if self.graph is None:
            return {}
        wanted = dict.fromkeys([*nodes, *range(min(len(self.graph), MOST_DETAILS))])
        return {node: detail(self.graph, node) for node in list(wanted)[:MOST_DETAILS]}


# ---- files ----


def write(path: str | Path, writers: dict[str, Callable[[], str | bytes]], *others: str) -> Path:
    """Write a file with the writer of its suffix.

    Raises ``ValueError`` for a suffix without a writer; ``others`` are suffixes to name in the message as well.
    """
    with ipython.users_frames():
        path = Path(path)
        if path.suffix not in writers:
            suffixes = ", ".join([*writers, *others])
            raise OptionError(f"cannot save as {path.suffix or path.name!r}; the suffix can be {suffixes}")
        check_folder(path)
        content = writers[path.suffix]()
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def write_moments(path: Path, scene: Show, cursors: Sequence[int], theme: str) -> Path:
    """Write an SVG or PNG of each moment and return the first path; several moments are numbered: ``show-007.svg``."""
    from ..stage.drawing.frames import Film
    from ..stage.export import png, svg

    check_folder(path)
    film, digits = Film(scene), len(str(len(scene["steps"])))
    paths = [path.with_stem(f"{path.stem}-{cursor:0{digits}}") for cursor in cursors] if len(cursors) > 1 else [path]
    for each, cursor in zip(paths, cursors, strict=True):
        picture = film.picture(cursor)
        is_svg = path.suffix == ".svg"
        each.write_bytes(svg.markup(picture, theme).encode() if is_svg else png.image(picture, theme=theme))
    return paths[0]


def checked_moments(scene: Show, cursors: object) -> list[int] | None:
    """Return the cursors as a list; ``None`` stays ``None``.

    Raises ``ShowError`` for anything but a non-empty collection of whole numbers, and ``IndexError`` for a moment
    outside the show.
    """
    last = len(scene["steps"])
    if cursors is None:
        return None
    moments = [] if isinstance(cursors, str) or not isinstance(cursors, Iterable) else list(cursors)
    if not moments or not all(isinstance(moment, int | np.integer) for moment in moments):
        raise ShowError(f"cursors is {cursors!r}; it names moments from 0 to {last}, as in cursors=[0, {last}]")
    for moment in moments:
        if not 0 <= moment <= last:
            raise IndexError(f"there is no moment {moment}; this show has cursors 0 to {last}")
    return moments
