"""The local Jacobians between levels as the Scene holds them, with every product of neighbours and what it costs."""

from __future__ import annotations

from typing import Any

from ....algorithms.expressions import Letter, accumulated, local_jacobians, multiplications
from ....algorithms.expressions.local_jacobians import LocalJacobian, Order
from ....algorithms.expressions.terms import Expression, added, multiplied
from ....graph.linearized.cgraph import CGraph
from ...narration.algebra.algebra_narration import Namer
from ...scene.algebra.expression_panels import LevelCost, LevelEntry, LevelMatrix, LevelsPanel

MOST_LEVELS = 8  # matrices: more have too many orders to be seen
MOST_ROWS = 8  # of a matrix

Entries = dict[tuple[Any, Any], Expression | None]


def levels_panel(graph: CGraph, namer: Namer) -> LevelsPanel:
    """Return the matrices of a graph, or why there are none."""
    panel: LevelsPanel = {
        "id": "levels", "kind": "levels", "matrices": [], "costs": [], "order": 0, "best": 0, "why_not": None
    }  # fmt: skip
    if any(graph.size(vertex) > 1 for vertex in graph.vertices):
        return {**panel, "why_not": "Levels are of numbers, and this graph has arrays."}
    found = local_jacobians(graph)
    rows = max((len(each) for matrix in found for each in (matrix.rows, matrix.columns)), default=0)
    if not 2 <= len(found) <= MOST_LEVELS:
        few, many = (
            "There is only one matrix" if found else "There is no matrix",
            f"There are {len(found)} matrices, more than {MOST_LEVELS}",
        )
        return {**panel, "why_not": f"{few if len(found) < 2 else many}: there is no order to choose."}
    if rows > MOST_ROWS:
        return {**panel, "why_not": f"A level has {rows} values, more than {MOST_ROWS}: its matrix would be too large."}
    best = accumulated(found)
    matrices, costs = _products(found)
    told = [_matrix(first, stop, *each, namer) for (first, stop), each in matrices.items()]
    return {**panel, "matrices": told, "costs": costs, "order": as_lists(best.order), "best": best.multiplications}


def as_lists(order: Order) -> Any:
    """Return an order as JSON holds it.

    >>> as_lists(((0, 1), 2))
    [[0, 1], 2]
    """
    return order if isinstance(order, int) else [as_lists(each) for each in order]


Whole = tuple[LocalJacobian, Entries]


def _products(found: list[LocalJacobian]) -> tuple[dict[tuple[int, int], Whole], list[LevelCost]]:
    """Return the products of all stretches of neighbours, and what each way to make one costs."""
    count = len(found)
    matrices: dict[tuple[int, int], Whole] = {}
    costs: list[LevelCost] = []
    for k, matrix in enumerate(found):
        letters: Entries = {}
        for (row, column), label in matrix.entries.items():
            letters[row, column] = None if label is None else Letter(row[0], column[0])
        matrices[k, k + 1] = matrix, letters
    for length in range(2, count + 1):
        for first in range(count - length + 1):
            stop = first + length
            for cut in range(first + 1, stop):
                work = multiplications(matrices[first, cut][0], matrices[cut, stop][0])
                costs.append([first, cut, stop, work])
            (left, one), (right, other) = matrices[first, stop - 1], matrices[stop - 1, stop]
            matrices[first, stop] = left @ right, _entries(one, other)
    return matrices, costs


def _entries(left: Entries, right: Entries) -> Entries:
    found: Entries = {}
    for (row, middle), head in left.items():
        for (at, column), tail in right.items():
            if at != middle:
                continue
            term = multiplied(head, tail) if head and tail else head or tail
            old = found.get((row, column))
            found[row, column] = added(old, term) if old and term else old or term
    return found


def _matrix(first: int, stop: int, matrix: LocalJacobian, entries: Entries, namer: Namer) -> LevelMatrix:
    rows, columns = ([namer.called(vertex) for vertex, _ in side] for side in (matrix.rows, matrix.columns))
    places = {place: k for side in (matrix.rows, matrix.columns) for k, place in enumerate(side)}
    told: list[LevelEntry] = []
    for (row, column), entry in entries.items():
        text = "" if entry is None else namer.text(entry)
        told.append([places[row], places[column], text])
    return {"first": first, "stop": stop, "rows": rows, "columns": columns, "entries": told}
