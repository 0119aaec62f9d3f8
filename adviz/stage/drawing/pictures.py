"""What the front end draws of a show, without a page: its script ``pictures.js`` runs in a JavaScript engine.

The engine is QuickJS, since its wheel is small (2.5 MB; V8's has 22 MB) and it is ready within some milliseconds. In
Pyodide the engine of the browser serves.
"""

from __future__ import annotations

import json
import sys
import threading
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import count
from math import ceil, isfinite
from pathlib import Path
from typing import Any

import numpy as np

from ...graph.errors import AdvizError
from ..scene import theme
from ..scene.algebra_panels import EliminationPanel, ExtendedPanel
from ..scene.document import Scene, Show, Step
from ..scene.node_details import Adjoints
from ..scene.panels import HeatMap, MatrixPanel
from ..scene.panels import Item as PlacedItem
from ..scene.text_widths import fit, printable, width
from .marks import (
    Arrow,
    Box,
    Cells,
    Curve,
    Item,
    Mark,
    Picture,
    Text,
    graph_of,
    heading,
    moved_item,
    summary,
)

SCRIPT = Path(__file__).parents[2] / "static" / "pictures.js"
DRAWN = "flow", "bench", "elimination", "extended", "graph", "matrix", "memory"
"""The kinds of panels that the front end draws for files."""
TYPES: dict[str, Callable[..., Mark]] = {"box": Box, "curve": Curve, "text": Text, "cells": Cells, "arrow": Arrow}
MOST = 8  # the most rows and columns of a matrix that is drawn
NUMBERS = count()
THREAD = threading.local()


class NoEngine(AdvizError, RuntimeError):
    """There is no JavaScript engine to draw files with; the message says what to install."""


def _functions(script: str) -> list[Any]:
    """Run the script, and return its functions ``open`` and ``ask``."""
    names = "adviz.open", "adviz.ask"
    if sys.platform == "emscripten":
        from pyodide.code import run_js

        run_js(script)
        return [run_js(name) for name in names]
    try:
        from quickjs import Context
    except ImportError as error:
        raise NoEngine(
            "Pictures in files are drawn by adviz's front end, which needs a JavaScript engine: "
            "python -m pip install quickjs-ng"
        ) from error
    context = Context()
    context.eval(script)
    return [context.eval(name) for name in names]


class Pictures:
    """The moments of a show, which the front end draws."""

    def __init__(self, scene: Scene):
        self.scene, self.number = scene, next(NUMBERS)

    @cached_property
    def text(self) -> str:
        """The parts of the Scene from which moments are drawn, as JSON."""
        panels = [panel for panel in self.scene["panels"] if panel["kind"] in DRAWN]
        steps = self.scene["steps"] if any(panel["kind"] not in DRAWN[:2] for panel in panels) else []
        start, runs = self.scene.get("start", {}), self.scene.get("runs", [])
        return json.dumps({"panels": panels, "runs": runs, "steps": steps, "start": start}, allow_nan=False)

    def ask(self, what: str, **about: Any) -> Any:
        """Return the answer to a question of ``pictures.ts``; raise :class:`NoEngine`."""
        open_, question = _engine()
        text = json.dumps(about)
        answer = question(self.number, what, text)
        if not answer:  # nothing has been asked about this show, or much about other shows since
            open_(self.number, self.text)
            answer = question(self.number, what, text)
        return json.loads(answer)


def _engine() -> list[Any]:
    """Return the functions of this thread: QuickJS belongs to the thread that has made it."""
    if not hasattr(THREAD, "functions"):
        THREAD.functions = _functions(SCRIPT.read_text("utf-8"))
    functions: list[Any] = THREAD.functions
    return functions


def item_of(panel: str, given: dict[str, Any]) -> Item:
    """Return an item of a panel as the front end has drawn it."""
    return named_item(f"{panel}/{given['kind']}/{given['key']}", given)


def named_item(key: str, given: dict[str, Any]) -> Item:
    """Return an item as the front end has drawn it, under a key."""
    return Item(key, given["kind"], printable(given["title"]), [mark_of(each) for each in given["marks"]])


def mark_of(given: dict[str, Any]) -> Mark:
    """Return a mark as the front end has drawn it.

    >>> mark_of({"type": "arrow", "key": "edge/head", "points": [0, 0, 1, 1, 2, 0], "fill": "ink", "opacity": 1})
    Arrow(points=[0, 0, 1, 1, 2, 0], fill='ink', opacity=1)
    """
    fields = {name: value for name, value in given.items() if name not in ("type", "key")}
    if "text" in fields:
        fields["text"] = printable(fields["text"])
    return TYPES[given["type"]](**fields)


class Eliminations:
    """The pictures of a run: one with a reading, one for each, or of a large graph the extended Jacobian."""

    def __init__(self, scene: Show, run: str, pictures: Pictures):
        own = [panel for panel in scene["panels"] if panel.get("run") == run]
        self.run, self.pictures = run, pictures
        matrices: list[ExtendedPanel] = [panel for panel in own if panel["kind"] == "extended"]
        graphs: list[EliminationPanel] = [panel for panel in own if panel["kind"] == "elimination"]
        self.panels: list[EliminationPanel | ExtendedPanel] = [*matrices, *graphs]
        self.sizes = [pictures.ask("eliminationSize", panel=panel["id"]) for panel in self.panels]
        self.size = max((size["width"] for size in self.sizes), default=0.0), sum(size["height"] for size in self.sizes)

    def items(self, so_far: Sequence[Step], taken: Sequence[Step], share: float) -> Iterator[Item]:
        """Yield what is seen after the steps ``so_far``, a ``share`` of the way through those just ``taken``."""
        stop, top = self._count(so_far) if self.panels else 0, 0.0
        is_page = bool(taken) and taken[-1]["kind"] == "page"
        page = [key.removeprefix("edge/") for key in taken[-1]["focus"]] if is_page else None
        cursors = {"from": stop - self._count(taken), "to": stop}
        for panel, size in zip(self.panels, self.sizes, strict=True):
            about = {"panel": panel["id"], "progress": share, "page": page, **cursors}
            for each in self.pictures.ask("elimination", **about)["items"]:
                yield moved_item(item_of(panel["id"], each), 0.0, top)
            top += size["height"]

    def _count(self, steps: Sequence[Step]) -> int:
        return sum(part["run"] == self.run for step in steps for part in step.get("parts", [step]))


class Matrix:
    """A matrix in the pictures of a show, and the ``size`` that it takes."""

    def __init__(self, panel: MatrixPanel, pictures: Pictures):
        self.id, self.pictures = panel["id"], pictures
        size = pictures.ask("matrixSize", panel=self.id)
        self.size: tuple[float, float] = (size["width"], size["height"])

    def items(self, before: int, cursor: int, sums: bool = True) -> Iterator[Item]:
        """Yield the matrix after ``cursor`` steps, with its upper left corner at (0, 0).

        An entry that has changed since ``before`` has a border; one to which more will be added is fainter, and says
        so, unless its ``sums`` are not those of the run.
        """
        drawn = self.pictures.ask("matrix", panel=self.id, before=before, cursor=cursor, sums=sums)
        for each in drawn["items"]:
            yield named_item(f"{self.id}/{each['key']}" if each["key"] else self.id, each)


def matrix_of(scene: Show, run: str, pictures: Pictures) -> Matrix | None:
    """Return the first matrix of a run, if there is room for it."""
    panels = [panel for panel in scene["panels"] if panel["kind"] == "matrix" and panel["run"] == run]
    found = next((panel for panel in panels if max(len(panel["rows"]), len(panel["columns"])) <= MOST), None)
    return Matrix(found, pictures) if found else None


# ---- a graph that nothing happens on ----


TOLD = "Filled, or under a bar: the derivative of {} with respect to the value beside it."


def still(scene: Scene, known: Adjoints | None = None) -> Picture:
    """Return the picture of a scene's graph, with its title above and its note below: beside each value its adjoint.

    ``known`` are the derivatives of the output that its panel has chosen. Raises :class:`~.pictures.NoEngine`.
    """
    panel = graph_of(scene)
    about = known and (known["note"] or TOLD.format(_chosen(scene)))
    title, note = heading(scene, panel), " ".join(filter(None, [panel.get("note"), about]))
    top = theme.TITLE_HEIGHT if title else 0.0
    least = 2 * theme.MARGIN + max(width(title, theme.TITLE_SIZE), width(note, theme.NOTE_SIZE))
    whole = ceil(max(panel["width"], min(least, theme.WIDEST_TITLE)))
    height = ceil(top + panel["height"] + (theme.NOTE_HEIGHT if note else 0.0))
    frame: list[Mark] = []
    lines = (title, theme.TITLE_SIZE, top - 8, "ink"), (note, theme.NOTE_SIZE, height - 12, "muted")
    for text, size, y, fill in lines:
        if text:
            shown = fit(text, size, whole - 2 * theme.MARGIN)
            frame.append(Text(theme.MARGIN, y, shown, size, fill, anchor="start"))
    adjoints = known and {node["key"]: _adjoint(node, known) for node in panel["nodes"] if node["kind"] != "outside"}
    drawn = Pictures(scene).ask("still", panel=panel["id"], adjoints=adjoints)
    left = (whole - panel["width"]) / 2
    items = [moved_item(named_item(each["key"], each), left, top) for each in drawn["items"]]
    return Picture(whole, height, title, summary(scene), frame, items)


def _chosen(scene: Scene) -> str:
    """Return the name of the output that is differentiated."""
    panel = next(panel for panel in scene["panels"] if panel["kind"] == "derivatives")
    return printable(panel["outputs"][panel["chosen"] or 0]["label"])


def _adjoint(node: PlacedItem, known: Adjoints) -> float | str | HeatMap | None:
    """Return the adjoint of an item as JSON has it: a number, the map of an array, or nothing."""
    if "map" in node or node["node"] is None:
        return known["maps"].get(node["key"])
    if "beside" not in node:
        return None
    value = float(np.frombuffer(b64decode(known["numbers"]), "<f8")[node["node"]])
    return value if isfinite(value) else "NaN"
