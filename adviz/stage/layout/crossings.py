"""Order the items of a layered graph within their layers so that few edges cross.

Median sweeps and exchanges of neighbors, after Gansner et al. (1993); the best order found is kept. An edge over
several layers is a chain of `slots` without width. Items are numbered: first the nodes, then the slots.
"""

from bisect import bisect_right, insort
from itertools import pairwise

EFFORT = 50_000  # segments visited for the order, and again for the coordinates: about half a second each
SWEEPS = (2, 24)  # at least and at most


class Grid:
    """Items in layers: `rows[k]` are the items of layer k from left to right; `up[v]`, `down[v]` their neighbors."""

    def __init__(self, layer: list[int], edges: list[tuple[int, int]]) -> None:
        """Give every edge a slot in each layer that it crosses."""
        self.nodes = len(layer)
        self.layer = list(layer)
        self.up: list[list[int]] = [[] for _ in layer]
        self.down: list[list[int]] = [[] for _ in layer]
        self.chains = [self._chain(tail, head) for tail, head in edges]
        self.rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
        for v, k in enumerate(self.layer):
            self.rows[k].append(v)
        self.segments = sum(map(len, self.down))

    def _chain(self, tail: int, head: int) -> list[int]:
        chain = [tail]
        for k in range(self.layer[tail] + 1, self.layer[head]):
            chain.append(len(self.layer))
            self.layer.append(k)
            self.up.append([])
            self.down.append([])
        chain.append(head)
        for above, below in pairwise(chain):
            if above != below:
                self.down[above].append(below)
                self.up[below].append(above)
        return chain

    def is_slot(self, v: int) -> bool:
        """Whether item `v` is a slot."""
        return v >= self.nodes


def sweeps(grid: Grid) -> int:
    """Return the number of sweeps over the grid that are affordable."""
    return max(SWEEPS[0], min(SWEEPS[1], EFFORT // (grid.segments + 1)))


def order(grid: Grid) -> None:
    """Order each row of the grid so that few edges cross."""
    rows = depth_first(grid)
    best, fewest = rows, crossings(grid, rows)
    for k in range(sweeps(grid)):
        rows = [list(row) for row in rows]
        by_medians(grid, rows, downwards=k % 2 == 0)
        exchange(grid, rows)
        count = crossings(grid, rows)
        if count < fewest:
            best, fewest = rows, count
        if not fewest:
            break
    grid.rows = best


def depth_first(grid: Grid) -> list[list[int]]:
    """Return the rows in the order of a depth-first walk from the last layer up, which keeps the order of operands."""
    rows: list[list[int]] = [[] for _ in grid.rows]
    seen = [False] * len(grid.layer)
    for row in reversed(grid.rows):
        for start in row:
            stack = [start]
            while stack:
                v = stack.pop()
                if not seen[v]:
                    seen[v] = True
                    rows[grid.layer[v]].append(v)
                    stack.extend(reversed(grid.up[v]))
    return rows


def indices(row: list[int]) -> dict[int, int]:
    """Return {item: its index in the row}."""
    return {v: k for k, v in enumerate(row)}


def by_medians(grid: Grid, rows: list[list[int]], *, downwards: bool) -> None:
    """Sort row after row by the medians of the neighbors in the previous row; items without neighbors stay."""
    sequence = range(1, len(rows)) if downwards else range(len(rows) - 2, -1, -1)
    neighbors = grid.up if downwards else grid.down
    for k in sequence:
        before = indices(rows[k - 1] if downwards else rows[k + 1])
        row = rows[k]
        movable = [v for v in row if neighbors[v]]
        movable.sort(key={v: median(sorted(before[u] for u in neighbors[v])) for v in movable}.__getitem__)
        moved = iter(movable)
        rows[k] = [next(moved) if neighbors[v] else v for v in row]


def median(places: list[int]) -> float:
    """Return the median of sorted indices; if there are two, a mean weighted to the denser side (Gansner et al.)."""
    half = len(places) // 2
    if len(places) % 2:
        return places[half]
    low, high = places[half - 1], places[half]
    left, right = low - places[0], places[-1] - high
    if left + right == 0:
        return (low + high) / 2
    return (low * right + high * left) / (left + right)


def exchange(grid: Grid, rows: list[list[int]], rounds: int = 4) -> None:
    """Exchange neighbors in a row wherever that reduces crossings."""
    for _ in range(rounds):
        if not sum(exchange_in(grid, rows, k) for k in range(len(rows))):
            return


def exchange_in(grid: Grid, rows: list[list[int]], k: int) -> bool:
    """Exchange neighbors in row k once from left to right; return whether any were exchanged."""
    above = indices(rows[k - 1]) if k else {}
    below = indices(rows[k + 1]) if k + 1 < len(rows) else {}
    row, changed = rows[k], False
    ends = [(sorted([above[u] for u in grid.up[v]]), sorted([below[u] for u in grid.down[v]])) for v in row]
    for i in range(len(row) - 1):
        (up, down), (next_up, next_down) = ends[i], ends[i + 1]
        crossed = inversions(up, next_up) + inversions(down, next_down)
        if crossed and crossed > inversions(next_up, up) + inversions(next_down, down):
            row[i], row[i + 1] = row[i + 1], row[i]
            ends[i], ends[i + 1] = ends[i + 1], ends[i]
            changed = True
    return changed


def inversions(left: list[int], right: list[int]) -> int:
    """Return the number of pairs (a of left, b of right) with a > b; both sorted."""
    if not left or not right or left[-1] <= right[0]:
        return 0
    return sum([len(left) - bisect_right(left, b) for b in right])


def crossings(grid: Grid, rows: list[list[int]]) -> int:
    """Return the number of crossings of segments for an order of the rows."""
    total = 0
    for above, below in pairwise(rows):
        place = indices(below)
        passed: list[int] = []  # sorted: ends of the segments met so far
        for v in above:
            ends = [place[u] for u in grid.down[v]]
            total += sum(len(passed) - bisect_right(passed, end) for end in ends)
            for end in ends:
                insort(passed, end)
    return total
