"""The compiled twin of :func:`~.quick.markowitz`; imported only where numba is installed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from .compiled import njit

COUNT, INNER, MARK = 2, 4, 5
"""Columns of the row of a vertex, behind the first cells of its two lists: their lengths, whether it is to be
eliminated, and when it was met last. A row has 32 bytes, so that it is in one line of the cache."""
SHORT = 32
"""Neighbours that are sorted as they come."""


def compiled_markowitz(before: list[set[int]], behind: list[set[int]], inner: Sequence[int]) -> tuple[list[int], int]:
    """As :func:`~.quick.markowitz`; the sets stay as they are, and those ``behind`` follow from those ``before``."""
    counts = np.fromiter(map(len, before), np.int32, len(before))
    tails = np.fromiter(chain.from_iterable(before), np.int32, counts.sum())
    order, cost = eliminate_all(counts, tails, np.array(inner, np.int32))
    return order.tolist(), int(cost)


@njit
def doubled(array: Any) -> Any:  # pragma: no cover
    """The same, with room for as much again."""
    return np.concatenate((array, np.empty_like(array)))


@njit
def remove(vertices: Any, cells: Any, side: int, i: int, j: int, free: int) -> int:  # pragma: no cover
    """Take ``j`` out of a list of ``i``; the first free cell."""
    previous, cell = -1, vertices[i, side]
    while cells[cell, 0] != j:
        previous, cell = cell, cells[cell, 1]
    if previous < 0:
        vertices[i, side] = cells[cell, 1]
    else:
        cells[previous, 1] = cells[cell, 1]
    cells[cell, 1] = free
    vertices[i, COUNT + side] -= 1
    return cell


@njit
def insert(vertices: Any, cells: Any, side: int, i: int, j: int, free: int) -> int:  # pragma: no cover
    """Put ``j`` into a list of ``i``; the first free cell."""
    cell, following = free, cells[free, 1]
    cells[cell, 0], cells[cell, 1], vertices[i, side] = j, vertices[i, side], cell
    vertices[i, COUNT + side] += 1
    return following


@njit
def with_more(cells: Any, free: int) -> Any:  # pragma: no cover
    """The cells and as many free ones behind the last that is; and the first free one."""
    first, cells = len(cells), doubled(cells)
    chain_up(cells, first)
    if free < 0:
        return cells, first
    cells[free, 1] = first
    return cells, free


@njit
def chain_up(cells: Any, first: int) -> None:  # pragma: no cover
    """Make a list of the cells from ``first`` on."""
    for cell in range(first, len(cells)):
        cells[cell, 1] = cell + 1
    cells[-1, 1] = -1


@njit
def eliminate_all(counts: Any, tails: Any, inner: Any) -> Any:  # pragma: no cover
    """Order and multiplications, from the numbers of predecessors, and the predecessors, vertex after vertex.

    Neighbours are linked lists of ``cells``, each with a vertex and the next cell; and so are the entries of the queue,
    from the ``tops`` of each degree.
    """
    n = len(counts)
    vertices = np.zeros((n, 8), np.int32)
    vertices[:, 0] = vertices[:, 1] = vertices[:, MARK] = -1
    cells = np.empty((4 * len(tails) + 16, 2), np.int32)
    chain_up(cells, 0)
    free = 0
    at = 0
    for j in range(n):
        for _ in range(counts[j]):
            free = insert(vertices, cells, 0, j, tails[at], free)
            free = insert(vertices, cells, 1, tails[at], j, free)
            at += 1
    entries = np.empty((4 * len(inner) + 16, 2), np.int32)
    tops = np.full(64, -1, np.int32)
    used = 0
    near = np.empty((2, n), np.int32)
    size = np.zeros(2, np.int64)
    order = np.empty(len(inner), np.int32)
    cost = 0
    lowest = 0
    stamp = 0
    for j in inner:
        vertices[j, INNER] = 1
    near[0, : len(inner)] = inner
    size[0] = len(inner)
    for turn in range(len(inner) + 1):
        for side in (1, 0):
            for a in range(size[side] - 1, -1, -1):
                i = near[side, a]
                if vertices[i, INNER] == 0:
                    continue
                degree = np.int64(vertices[i, COUNT]) * vertices[i, COUNT + 1]
                lowest = min(lowest, degree)
                if degree >= len(tops):
                    tops = np.concatenate((tops, np.full(degree + 1, -1, np.int32)))
                if used == len(entries):
                    entries = doubled(entries)
                entries[used, 0], entries[used, 1], tops[degree] = i, tops[degree], used
                used += 1
        if turn == len(inner):
            break

        # an entry is stale if its vertex has gone, or has another degree by now
        j = -1
        while j < 0:
            while tops[lowest] < 0:
                lowest += 1
            i, tops[lowest] = entries[tops[lowest]]
            if vertices[i, INNER] == 1 and np.int64(vertices[i, COUNT]) * vertices[i, COUNT + 1] == lowest:
                j = i
        vertices[j, INNER] = 0
        order[turn] = j
        cost += lowest
        for side in range(2):
            count = 0
            cell = vertices[j, side]
            while cell >= 0:
                i, following = cells[cell]
                cells[cell, 1] = free
                free = cell
                cell = following
                place = count
                while count < SHORT and place > 0 and near[side, place - 1] > i:
                    near[side, place] = near[side, place - 1]
                    place -= 1
                near[side, place] = i
                count += 1
            if count > SHORT:
                near[side, :count].sort()
            size[side] = count
            for a in range(count):
                free = remove(vertices, cells, 1 - side, near[side, a], j, free)
        for a in range(size[0]):
            i = near[0, a]
            stamp += 1
            cell = vertices[i, 1]
            while cell >= 0:
                vertices[cells[cell, 0], MARK] = stamp
                cell = cells[cell, 1]
            for b in range(size[1]):
                k = near[1, b]
                if vertices[k, MARK] != stamp:
                    if free < 0 or cells[free, 1] < 0:
                        cells, free = with_more(cells, free)
                    free = insert(vertices, cells, 1, i, k, free)
                    free = insert(vertices, cells, 0, k, i, free)
    return order, cost
