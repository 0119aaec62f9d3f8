"""What the front end draws of a show, without a page: its script ``pictures.js`` runs in a JavaScript engine.

The engine is QuickJS, since its wheel is small (2.5 MB; V8's has 22 MB) and it is ready within some milliseconds. In
Pyodide the engine of the browser serves.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

from ...graph.errors import AdvizError
from ..scene.document import Scene
from ..scene.text_widths import printable
from .marks import Arrow, Box, Cells, Curve, Item, Mark, Text

SCRIPT = Path(__file__).parents[2] / "static" / "pictures.js"
DRAWN = "flow", "bench", "elimination", "extended", "graph", "matrix", "memory"
"""The kinds of panels that the front end draws for files."""
TYPES: dict[str, Callable[..., Mark]] = {"box": Box, "curve": Curve, "text": Text, "cells": Cells, "arrow": Arrow}
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
