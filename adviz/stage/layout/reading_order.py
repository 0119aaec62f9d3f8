"""Keep operands and inputs in their order from left to right, if the picture stays clear: `a - b` reads a, b.

Graphviz either ignores the order of the edges into a node or obeys it in any case. So small graphs are placed both
ways, and the better placement is taken.
"""

from bisect import bisect_right, insort

import numpy as np

SMALL = 120  # the most edges of a graph that is placed both ways (which takes some 10 ms more)
CROSSING = 4  # the number of pairs out of order that is as bad as one crossing


def best(candidates: list[dict], job: dict) -> dict:
    """Return the placement for a job of `dot_worker` with the fewest faults, mirrored if that is better."""
    wanted = sequences(job)

    def faults(placed: dict) -> int:
        return disorder(placed, wanted)

    # A graph and its mirror image have the same crossings.
    sides = [min(placed, mirrored(placed), key=faults) for placed in candidates]
    if len(sides) == 1:
        return sides[0]
    return min(sides, key=lambda placed: CROSSING * crossings(placed, job["edges"]) + faults(placed))


def sequences(job: dict) -> list[list[int]]:
    """Return the lists of nodes to be read from left to right: the operands of each node, the inputs, the outputs."""
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
    """Return the number of pairs of nodes that are out of order."""
    pairs = 0
    for sequence in wanted:
        passed: list[float] = []  # sorted
        for v in sequence:
            x = placed["nodes"][v][0]
            pairs += len(passed) - bisect_right(passed, x)
            insort(passed, x)
    return pairs


def crossings(placed: dict, edges: list[list[int]]) -> int:
    """Return the number of crossings of edges without a common end, counted on the control polygons."""
    lines = [np.reshape(points, (-1, 2)) for points in placed["edges"]]
    start = np.concatenate([line[:-1] for line in lines])
    end = np.concatenate([line[1:] for line in lines])
    owner = np.repeat(np.arange(len(lines)), [len(line) - 1 for line in lines])
    apart = parted(start, end)
    first, second = np.nonzero(apart & apart.T)
    pairs = {(int(owner[i]), int(owner[j])) for i, j in zip(first, second, strict=True)}
    return sum(i < j and not {*edges[i]} & {*edges[j]} for i, j in pairs)


def parted(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return [i, j]: whether start[j] and end[j] are on different sides of the line through start[i] and end[i]."""
    along = (end - start)[:, None]

    def side(points: np.ndarray) -> np.ndarray:
        across = points[None] - start[:, None]
        return along[..., 0] * across[..., 1] - along[..., 1] * across[..., 0]

    return side(start) * side(end) < 0
