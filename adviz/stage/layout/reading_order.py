"""Keeps operands and inputs in their order from left to right, as far as that costs no clarity: `a - b` reads a, b.

Graphviz can either ignore the order of the edges into a node or obey it at any price. So small graphs are placed both
ways, and the better one is taken.
"""

from bisect import bisect_right, insort

import numpy as np

#: Up to so many edges a graph is placed both ways (some 10 ms more).
SMALL = 120
#: So many pairs out of order are as bad as one crossing.
CROSSING = 4


def best(candidates: list[dict], job: dict) -> dict:
    """Return the placement for a job of `dot_worker`, as it is or mirrored, with the fewest faults."""
    wanted = sequences(job)

    def faults(placed: dict) -> int:
        return disorder(placed, wanted)

    # A graph and its mirror image have the same crossings.
    sides = [min(placed, mirrored(placed), key=faults) for placed in candidates]
    if len(sides) == 1:
        return sides[0]
    return min(sides, key=lambda placed: CROSSING * crossings(placed, job["edges"]) + faults(placed))


def sequences(job: dict) -> list[list[int]]:
    """Return lists of nodes that read best from left to right: the operands of each node, the inputs, the outputs."""
    operands: list[list[int]] = [[] for _ in job["nodes"]]
    for tail, head in job["edges"]:
        operands[head].append(tail)
    ends = [[v for v, (_, _, rank) in enumerate(job["nodes"]) if rank == end] for end in ("source", "sink")]
    return operands + ends


def mirrored(placed: dict) -> dict:
    """Return the placement with left and right exchanged."""
    width = placed["size"][0]

    def mirror(points: list[float]) -> list[float]:
        return [number if k % 2 else width - number for k, number in enumerate(points)]

    return {**placed, "nodes": [*map(mirror, placed["nodes"])], "edges": [*map(mirror, placed["edges"])]}


def disorder(placed: dict, wanted: list[list[int]]) -> int:
    """Return how many pairs of nodes are the wrong way round in the sequences."""
    pairs = 0
    for sequence in wanted:
        passed: list[float] = []  # sorted
        for v in sequence:
            x = placed["nodes"][v][0]
            pairs += len(passed) - bisect_right(passed, x)
            insort(passed, x)
    return pairs


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
