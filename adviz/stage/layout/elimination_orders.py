"""The order of vertices and labels from top to bottom with few crossings, while inputs and outputs keep theirs.

The bipartite layers vertex, label, vertex are those of :mod:`.layered`: medians and exchanges of neighbors, from
several starts.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from .elimination_board import RIM, ROOM, Board
from .layered import Grid, by_medians, crossings, distance, exchange_in, layers, settle, wishes

STARTS, SWEEPS = 12, 12
PLACINGS = 12  # sweeps in which each layer moves towards its neighbors
LANE = 6.0  # the height of a line that passes a layer


def orders(board: Board, fixed: int, most: int) -> list[np.ndarray]:
    """Return up to so many choices of y for the boxes of a board, those with the fewest crossings.

    The first ``fixed`` boxes, inputs and outputs, stay where they are.
    """
    lines = [(int(one), int(other)) for one, other in board.lines]
    heads = {head for _, head in lines}
    ranks: list[str | None] = [None] * len(board.y)
    ranks[:fixed] = ["sink" if box in heads else "source" for box in range(fixed)]
    grid = Grid(layers(ranks, lines), lines)
    grid.rows[0], grid.rows[-1] = (sorted(row, key=lambda box: board.y[box]) for row in (grid.rows[0], grid.rows[-1]))
    random = np.random.default_rng(7)
    found: dict[tuple[tuple[int, ...], ...], int] = {}
    for _ in range(STARTS):
        rows, count = _ordered(grid, random)
        found[tuple(map(tuple, rows))] = count
    best = sorted(found, key=lambda rows: found[rows])[:most]
    return [_placed(grid, [list(row) for row in rows], board, fixed) for rows in best]


def _ordered(grid: Grid, random: np.random.Generator) -> tuple[list[list[int]], int]:
    """Return the order with the fewest crossings on the way from a random one, and their number."""
    inner = range(1, len(grid.rows) - 1)
    rows = [
        list(row) if k not in inner else [row[place] for place in random.permutation(len(row))]
        for k, row in enumerate(grid.rows)
    ]
    best, fewest = rows, crossings(grid, rows)
    for sweep in range(SWEEPS):
        rows = [list(row) for row in rows]
        by_medians(grid, rows, downwards=sweep % 2 == 0)
        rows[0], rows[-1] = list(grid.rows[0]), list(grid.rows[-1])
        while sum(exchange_in(grid, rows, k) for k in inner):
            pass
        count = crossings(grid, rows)
        if count < fewest:
            best, fewest = rows, count
        if not fewest:
            break
    return best, fewest


def _placed(grid: Grid, rows: list[list[int]], board: Board, fixed: int) -> np.ndarray:
    """Return y of the boxes: each layer in turn moves towards its neighbors, as far as order and gaps allow."""
    grid.rows = rows
    tall = [*board.h, *[LANE] * (len(grid.layer) - len(board.h))]
    height = float((board.least + board.most).max())
    y = [*board.y, *[0.0] * (len(tall) - len(board.y))]
    gaps = [[distance(grid, tall, ROOM, one, other) for one, other in pairwise(row)] for row in rows]
    for row in rows[1:-1]:
        for place, box in enumerate(row):
            y[box] = height * (place + 0.5) / len(row)
    for _ in range(PLACINGS):
        for row, apart in zip(rows[1:-1], gaps[1:-1], strict=True):
            wish, pull = wishes(grid, row, y, (True, True))
            settle(row, apart, wish, pull, y)
            offsets = np.cumsum([0.0, *apart])
            low, high = tall[row[0]] / 2 + RIM, height - tall[row[-1]] / 2 - RIM - offsets[-1]
            for box, offset in zip(row, offsets, strict=True):
                y[box] = offset + max(low, min(y[box] - offset, high)) if low < high else y[box]
    found = np.array(y[: len(board.y)])
    found[:fixed] = board.y[:fixed]
    return np.clip(found, board.least, board.most)


def means(board: Board, fixed: int, most: int) -> list[np.ndarray]:
    """Return so many choices of y that are near a drawing of Tutte: each box is at the mean of its neighbors."""
    pull = np.zeros((len(board.y), len(board.y)))
    np.add.at(pull, (board.tail, board.head), 1)
    pull += pull.T
    matrix = np.diag(pull.sum(1)) - pull
    y, random = board.y.copy(), np.random.default_rng(11)
    height = (board.least + board.most).max()
    free = np.arange(fixed, len(y))
    matrix[free, free] += 1e-6  # where nothing leads to an input or an output, the middle
    y[free] = np.linalg.solve(matrix[fixed:, fixed:], pull[fixed:, :fixed] @ y[:fixed] + 1e-6 * height / 2)
    found = [
        np.where(np.arange(len(y)) < fixed, y, y + random.normal(0, height / 6 * bool(k), len(y))) for k in range(most)
    ]
    return [np.clip(each, board.least, board.most) for each in found]
