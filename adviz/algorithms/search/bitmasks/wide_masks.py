"""Simulated annealing on masks of several words, for graphs of more vertices than one word has bits.

The fast twin of :func:`~.masks.anneal`, which defines it: rows of ``preds`` and ``succs`` are the words of a mask, the
lowest bits first. In plain Python it is slow; it is there to be compiled.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .cuts import place
from .masks import draw, move

BITS = 62
"""Bits of a word that are used: 64, less the sign and one to spare."""

Words = Any
"""A row of words for each mask, as an array."""


def words_of(masks: list[int]) -> Words:
    """The masks of all vertices of a graph as rows of words, with a bit for each vertex.

    >>> words_of([5, 2, 0]).tolist(), words_of([1 << 62] * 63)[0].tolist()
    ([[5], [2], [0]], [0, 1])
    """
    count = 1 + (len(masks) - 1) // BITS
    rows = [[mask >> BITS * k & (1 << BITS) - 1 for k in range(count)] for mask in masks]
    return np.array(rows, np.int64)


def wide_weight(words: Words, j: int, sizes: Any) -> int:
    """The sum of the sizes of the vertices in a mask."""
    total = 0
    for k in range(words.shape[1]):
        todo = words[j, k]
        while todo:
            bit = todo & -todo
            todo ^= bit
            total += sizes[BITS * k + place(int(bit))]
    return total


def wide_join(ends: Words, others: Words, j: int) -> None:
    """Give each vertex in the mask ``ends[j]`` those of ``others[j]`` instead of ``j``."""
    for k in range(ends.shape[1]):
        todo = ends[j, k]
        while todo:
            bit = todo & -todo
            todo ^= bit
            i = BITS * k + place(int(bit))
            others[i, j // BITS] &= ~(1 << j % BITS)
            for h in range(ends.shape[1]):
                others[i, h] |= others[j, h]


def wide_order_cost(preds: Words, succs: Words, sizes: Any, order: Any, limit: float) -> int:
    """The multiplications of eliminating all vertices in this order, or the first sum that is above ``limit``."""
    new_preds, new_succs = preds.copy(), succs.copy()
    total = 0
    for j in order:
        total += sizes[j] * wide_weight(new_preds, j, sizes) * wide_weight(new_succs, j, sizes)
        if total > limit:
            break
        wide_join(new_preds, new_succs, j)
        wide_join(new_succs, new_preds, j)
    return total


def wide_anneal(
    preds: Words, succs: Words, sizes: Any, order: Any, best: Any, run: Any, hot: float, cold: float, steps: int
) -> None:
    """Continue simulated annealing for some steps: see :func:`~.masks.anneal`."""
    n = len(order)
    for _ in range(min(steps, run[4] - run[3])):
        temperature = hot * (cold / hot) ** (run[3] / run[4])
        run[3] += 1
        source = int(draw(run) * n)
        target = int(draw(run) * n)
        limit = run[1] - temperature * math.log(draw(run))
        move(order, source, target)
        total = wide_order_cost(preds, succs, sizes, order, limit)
        if total > limit:
            move(order, target, source)
            continue
        run[1] = total
        if total < run[2]:
            run[2] = total
            best[:] = order
