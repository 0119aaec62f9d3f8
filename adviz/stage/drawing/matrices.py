"""The matrix of a run beside its graph: its entries, with those that changed last."""

from __future__ import annotations

from collections.abc import Iterator

from ..scene.document import Show
from ..scene.panels import MatrixPanel
from .marks import Item
from .pictures import Pictures, named_item

MOST = 8  # the most rows and columns of a matrix that is drawn


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
