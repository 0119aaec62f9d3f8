"""Shows of the algebra of graphs, which the front end reads in its tests.

Run ``python -m tests.stage.goldens --accept`` after changing what they are made of or what is said of them.
"""

from __future__ import annotations

import json
import math
from base64 import b64encode
from pathlib import Path
from typing import Any

from adviz import CGraph, examples
from adviz.stage.shows.algebra_scene import algebra_scene

FOLDER = Path(__file__).parents[1] / "goldens" / "algebra"
CASES: dict[str, dict[str, Any]] = {
    "two_crossed_diamonds": {"teach": True},
    "two_crossed_diamonds_by_paths": {"way": "paths", "panels": ["graph", "expressions", "dependencies"]},
    "slide_in_pages": {"way": "pages", "panels": ["graph", "expressions"]},
}


def graph_of(name: str) -> CGraph:
    """The graph that a golden is of."""
    return examples["slide" if name.startswith("slide") else "two crossed diamonds"].graph()


def text(name: str) -> str:
    """A golden as it is written: what is asked of the front end, and the buffer of its columns."""
    document, columns = algebra_scene(graph_of(name), effort=math.inf, **CASES[name])
    parts = {"scene": document, "columns": b64encode(columns).decode("ascii")}
    return json.dumps(parts, ensure_ascii=False, allow_nan=False, indent=None) + "\n"


def write() -> None:
    """Write all goldens anew."""
    FOLDER.mkdir(exist_ok=True)
    for name in CASES:
        (FOLDER / f"{name}.json").write_text(text(name), encoding="utf-8")
