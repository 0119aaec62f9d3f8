"""What the cells of the course show, saved in its notebooks for readers on the web, who have no kernel.

``python -m tests.notebooks.outputs`` runs the notebooks and saves their outputs anew. Of a live view its picture and
its words are kept; a page that shows a notebook has neither its scripts nor its styles.
"""

from __future__ import annotations

import base64
import io
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "notebooks"
COURSE = sorted(FOLDER.glob("[0-9][0-9]_*.ipynb"))
WITH_OUTPUTS = COURSE[:5]
WITH_EXERCISES = [*COURSE[:6], *COURSE[7:]]
"""Those on graphs and sweeps are stored with outputs; those on eliminations measure times, or have many shows."""

KEPT = ("image/png", "text/html", "application/vnd.plotly.v1+json", "text/plain")
LIVE = "application/vnd.jupyter.widget-view+json"
SOURCES = "adviz_sources"  # the entry of a notebook's metadata that says of which sources the outputs are
LARGEST = 850_000  # bytes of a notebook
WIDEST, AREA, COLORS = 1_250, 600_000, 32  # of a picture, in px: a notebook on graphs has a dozen pictures
STRIP = "every-step"  # the tag of a cell whose show is saved step by step; of others, the last moment is
NO_GRAMMAR = """
import sys

sys.modules.setdefault("rfc3987_syntax", None)
"""
"""What `nbformat` checks addresses with makes a parser of their grammar on import, which takes two seconds."""

SETTING = """
from adviz.stage.drawing import frames
from adviz.stage.export import films

films.FLOWING = 2
if "whole" not in globals():
    whole = frames.strip
frames.strip = lambda film: film.picture(len(film.steps))
"""
BRIEF = """
from adviz.stage.export import png

png.MOST_PIXELS = 100_000
"""
"""Where pictures are only made, and nobody looks at them, they are small: drawing them takes most of the time."""

TOLD = 3_000  # the most characters of the words of a picture
NUMBER = re.compile(r"[-−+]?\b\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
SOLUTION = re.compile(r"<summary>Solution[^<]*</summary>(.*?)</details>", re.DOTALL)
CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)


def read(path: Path) -> Any:
    """Return a notebook."""
    import nbformat

    return nbformat.read(path, as_version=4)


def code(notebook: Any) -> list[Any]:
    """Return the cells with code."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def sources(notebook: Any) -> str:
    """Return a digest of the code, which changes with whatever might change an output."""
    return sha256(json.dumps([cell.source for cell in code(notebook)]).encode()).hexdigest()


def solutions(notebook: Any) -> list[str]:
    """Return the code of the folded solutions, in order."""
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    folded = [solution for text in texts for solution in SOLUTION.findall(text)]
    return [found for solution in folded for found in CODE.findall(solution)]


def run(notebook: Any, folder: Path, more: list[str] | None = None, has_strips: bool = True) -> Any:
    """Run a copy of a notebook in a copy of the course's folder, and then ``more`` cells; return the copy.

    Without strips, of every show the last moment is drawn, in few pixels. Films have few pictures.
    """
    from nbclient import NotebookClient
    from nbformat import from_dict
    from nbformat.v4 import new_code_cell

    shutil.copytree(FOLDER, folder, dirs_exist_ok=True)
    cells = [new_code_cell(NO_GRAMMAR + SETTING + ("" if has_strips else BRIEF))]
    for cell in from_dict(notebook).cells:
        whole = has_strips and STRIP in cell.metadata.get("tags", [])
        cells += [new_code_cell("frames.strip = whole"), cell, new_code_cell(SETTING)] if whole else [cell]
    own = {cell.id for cell in notebook.cells}
    cells += [new_code_cell(text) for text in more or []]
    copy = from_dict({**notebook, "cells": cells})
    NotebookClient(copy, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    copy.cells = [cell for cell in copy.cells if cell.id in own]
    return copy


def kept(outputs: list[Any]) -> list[Any]:
    """Return what is saved of the outputs of a cell: prints in one piece, pictures, tables and words."""
    found: list[Any] = []
    for output in outputs:
        if output["output_type"] == "stream":
            if output["name"] != "stdout":
                continue
            if found and found[-1]["output_type"] == "stream":
                found[-1]["text"] += output["text"]
            else:
                found.append({"output_type": "stream", "name": "stdout", "text": output["text"]})
        elif LIVE not in output.get("data", {}):
            data = dict(_data(output["data"]))
            found.append({"output_type": "display_data", "data": data, "metadata": {}})
    for output in found:
        if "text" in output:  # what stands on a terminal in the end: a bar that was removed leaves nothing
            output["text"] = re.sub(r"[^\n]*\r", "", output["text"])
    return [output for output in found if output.get("text", "shown").strip()]


def _data(data: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for kind in KEPT:
        if kind == "text/html" and "image/png" in data:  # the picture with buttons, which need styles
            continue
        if kind == "image/png" and kind in data:
            yield kind, small(data[kind])
        elif kind == "text/plain" and "image/png" in data and len(data[kind]) > TOLD:
            yield kind, data[kind][:TOLD].rpartition("\n")[0] + "\n…"
        elif kind in data:
            yield kind, data[kind]
    if "text/plain" not in data:
        yield "text/plain", "A figure: run this cell to see it."


def small(picture: str) -> str:
    """Return a PNG in Base64 with fewer pixels, if it has too many, and fewer colors."""
    from PIL import Image

    image = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")
    w, h = image.size
    times = min(1.0, WIDEST / w, (AREA / (w * h)) ** 0.5)
    image = image.resize((round(times * w), round(times * h)), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    image.quantize(COLORS, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return base64.b64encode(file.getvalue()).decode()


def kinds(outputs: list[Any]) -> list[list[str]]:
    """Return of what kind the outputs of a cell are."""
    return [sorted(output.get("data", {"text": None})) for output in outputs]


def numbers(outputs: list[Any]) -> list[float]:
    """Return the numbers that a cell prints or returns; not those in the words of a picture."""
    texts = [output["text"] for output in outputs if "text" in output]
    texts += [output["data"]["text/plain"] for output in outputs if "data" in output and len(output["data"]) == 1]
    return [
        float(number.replace(",", "").replace("−", "-")) for number in NUMBER.findall(" ".join(texts)) if number.strip()
    ]


def save(path: Path) -> int:
    """Run a notebook, save it with its outputs, and return its size in bytes."""
    import nbformat

    notebook = read(path)
    with tempfile.TemporaryDirectory() as folder:
        ran = run(notebook, Path(folder))
    for cell, done in zip(code(notebook), code(ran), strict=True):
        cell.outputs = [nbformat.from_dict(output) for output in kept(done.outputs)]
        cell.execution_count = None
    notebook.metadata[SOURCES] = sources(notebook)
    nbformat.write(notebook, path)
    return path.stat().st_size


if __name__ == "__main__":
    for path in WITH_OUTPUTS:
        print(f"{path.name}: {save(path):,} bytes", file=sys.stderr)
