"""Keeps operands in their order from left to right, as far as that costs no clarity: `a - b` should read a, b.

Graphviz can either ignore the order of the edges into a node or obey it at any price. So small graphs are placed both
ways, and the better one is taken.
"""

from itertools import pairwise

import numpy as np

#: Up to so many edges a graph is placed both ways (some 10 ms more).
SMALL = 120
#: So many operands out of order are as bad as one crossing.
CROSSING = 4


def best(candidates: list[dict], edges: list[list[int]]) -> dict:
    """Return the placement, as it is or mirrored, with the fewest faults; `edges` are pairs [tail, head], in order."""
    candidates = [side for placed in candidates for side in (placed, mirrored(placed))]
    if len(candidates) == 2:  # a graph and its mirror image have the same crossings
        return min(candidates, key=lambda placed: disorder(placed, edges))
    return min(candidates, key=lambda placed: CROSSING * crossings(placed, edges) + disorder(placed, edges))


def mirrored(placed: dict) -> dict:
    """Return the placement with left and right exchanged."""
    width = placed["size"][0]

    def mirror(points: list[float]) -> list[float]:
        return [number if k % 2 else width - number for k, number in enumerate(points)]

    return {**placed, "nodes": [*map(mirror, placed["nodes"])], "edges": [*map(mirror, placed["edges"])]}


def disorder(placed: dict, edges: list[list[int]]) -> int:
    """Return how many operands are left of the operand before them."""
    operands: dict[int, list[float]] = {}
    for tail, head in edges:
        operands.setdefault(head, []).append(placed["nodes"][tail][0])
    return sum(right < left for places in operands.values() for left, right in pairwise(places))


def crossings(placed: dict, edges: list[list[int]]) -> int:
    """Return how many pairs of edges without a common end cross, the curves taken for their control polygons."""
    lines = [np.reshape(points, (-1, 2)) for points in placed["edges"]]
    start = np.concatenate([line[:-1] for line in lines])
    end = np.concatenate([line[1:] for line in lines])
    owner = np.repeat(np.arange(len(lines)), [len(line) - 1 for line in lines])
    apart = parted(start, end)
    first, second = np.nonzero(apart & apart.T)
    pairs = {(int(owner[i]), int(owner[j])) for i, j in zip(first, second, strict=True)}
    return sum(i < j and not {*edges[i]} & {*edges[j]} for i, j in pairs)


def parted(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return [i, j]: whether the line through start[i] and end[i] has start[j] and end[j] on its two sides."""
    along = (end - start)[:, None]

    def side(points: np.ndarray) -> np.ndarray:
        across = points[None] - start[:, None]
        return along[..., 0] * across[..., 1] - along[..., 1] * across[..., 0]

    return side(start) * side(end) < 0
