"""The matrix of a run beside its graph: its entries, with those that changed last."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..scene import theme
from ..scene.document import Show
from ..scene.panels import MatrixPanel
from ..scene.short_text import OnStage, brief, fitting
from ..scene.text_widths import fit, width
from .marks import Box, Item, Mark, Text

MOST = 8  # the most rows and columns of a matrix that is drawn
CELL = (58.0, 24.0)
LABELS = 90.0  # px: the longest label of a row
LETTERS = theme.DETAIL_SIZE
HEAD = 44.0  # above the first row: the label of the matrix and those of the columns
GAP = 2.0


def matrix_of(scene: Show, run: str) -> MatrixPanel | None:
    """Return the first matrix of a run, if there is room for it."""
    panels = [panel for panel in scene["panels"] if panel["kind"] == "matrix" and panel["run"] == run]
    return next((panel for panel in panels if max(len(panel["rows"]), len(panel["columns"])) <= MOST), None)


def size(panel: MatrixPanel) -> tuple[float, float]:
    """Return width and height of a matrix with its labels."""
    across = _labels(panel) + max(len(panel["columns"]) * CELL[0], width(panel["label"], LETTERS))
    return across + theme.MARGIN, HEAD + len(panel["rows"]) * CELL[1] + theme.MARGIN


def _labels(panel: MatrixPanel) -> float:
    """Return the width of the labels of the rows."""
    return min(LABELS, max((width(row, LETTERS) for row in panel["rows"]), default=0.0)) + 8


def items(
    panel: MatrixPanel, stage: dict[str, OnStage], changed: set[str], partial: Callable[[str], bool]
) -> Iterator[Item]:
    """Yield the matrix with its upper left corner at (0, 0).

    An entry whose key is in ``changed`` has a border; one whose key is ``partial`` is fainter, and shows that more will
    be added.
    """
    left, (w, h) = _labels(panel), CELL
    label = fit(panel["label"], LETTERS, size(panel)[0] - left)
    words: list[Mark] = [Text(left, 14, label, LETTERS, "ink", anchor="start")]
    for i, row in enumerate(panel["rows"]):
        words.append(Text(left / 2 - 2, HEAD + (i + 0.65) * h, fit(row, LETTERS, left), LETTERS, "muted"))
    for j, column in enumerate(panel["columns"]):
        words.append(Text(left + (j + 0.5) * w, HEAD - 8, fit(column, LETTERS, w), LETTERS, "muted"))
    yield Item(panel["id"], "labels", "", words)
    for i in range(len(panel["rows"])):
        for j in range(len(panel["columns"])):
            key = f"{panel['run']}/cell/{i}/{j}"
            marks = [*_cell(left + j * w, HEAD + i * h, stage.get(key), key in changed, partial(key))]
            yield Item(f"{panel['id']}/{i}/{j}", "cell", "", marks)


def _cell(x: float, y: float, value: OnStage, changed: bool, partial: bool) -> Iterator[Mark]:
    """Yield an entry: its box, and its number if there is one; a dot for a zero."""
    w, h = CELL[0] - GAP, CELL[1] - GAP
    fill, line = ("paper" if value is None else "neutral"), ("accent" if changed else "neutral")
    yield Box(x, y, w, h, 3.0, fill, line, thickness=2.5 if changed else 1.0)
    if value is not None:
        numbers = brief(value) if value else ["·"]
        texts = [f"{text} +…" for text in numbers] if partial else numbers
        text = fitting(texts, LETTERS, w - 4, "mono")
        yield Text(x + w / 2, y + h / 2 + 4, text, LETTERS, "ink" if value and not partial else "muted", "mono")
