"""A layered layout in linear time, for graphs that are too large for Graphviz and for environments without it.

Measured on a random graph with edges to near neighbors, on one core of a busy machine: 1,000 nodes and 1,844 edges
take 1.8 s here and 5.5 s with Graphviz; 5,000 nodes and 9,165 edges take 2.8 s here and more than 100 s with Graphviz.

The four steps of Sugiyama, Tagawa and Toda (1981), as in Gansner et al. (1993), each in its simplest good form:

1. *layers*: longest path, then every node is pulled towards the side where it has more edges;
2. *order*: median sweeps and exchanges of neighbors, and the order with the fewest crossings is kept;
3. *coordinates*: each layer in turn moves towards its neighbors, as far as order and gaps allow;
4. *routes*: straight through each layer, in a lane of its own, and curved between layers: no edge crosses a node.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import inf

EFFORT = 50_000  # segments visited for the order, and again for the coordinates: about half a second each
SWEEPS = (2, 24)  # at least and at most
SLOT_WIDTH = 10.0
STRAIGHT = 1.0  # px by which an edge may swerve without a bend
STRAIGHTNESS = {0: 1.0, 1: 2.0, 2: 8.0}  # slots at the ends of a segment -> its pull (Gansner et al., 4.2)


def place(job: dict) -> dict:
    """Return a placement for a job of `dot_worker` (see there), whatever the job."""
    nodes, gap = job["nodes"], job["node_gap"]
    edges, flipped = acyclic(len(nodes), job["edges"])
    layer = layers([node[2] for node in nodes], edges)
    grid = Grid(layer, edges)
    order(grid)
    widths = [node[0] for node in nodes] + [SLOT_WIDTH] * (len(grid.layer) - len(nodes))
    across = coordinates(grid, widths, gap)
    bands = heights(grid, [node[1] for node in nodes], job["layer_gap"])
    routes = [route(chain, nodes, grid, across, bands) for chain in grid.chains]
    left = min((x - width / 2 for x, width in zip(across, widths, strict=True)), default=0.0)
    right = max((x + width / 2 for x, width in zip(across, widths, strict=True)), default=0.0)
    return {
        "size": [right - left, bands[-1][1] if bands else 0.0],
        "nodes": [[across[v] - left, sum(bands[layer[v]]) / 2] for v in range(len(nodes))],
        "edges": [
            [number for x, y in (reversed(points) if back else points) for number in (x - left, y)]
            for points, back in zip(routes, flipped, strict=True)
        ],
    }


# 1. Layers


def acyclic(count: int, edges: Iterable[Sequence[int]]) -> tuple[list[tuple[int, int]], list[bool]]:
    """Return the edges, those that close a cycle turned around, and which ones these are."""
    position = {v: k for k, v in enumerate(topological(count, edges))}
    flipped = [position[tail] > position[head] for tail, head in edges]
    turned = [(head, tail) if flip else (tail, head) for (tail, head), flip in zip(edges, flipped, strict=True)]
    return turned, flipped


def topological(count: int, edges: Iterable[Sequence[int]]) -> list[int]:
    """Return the nodes, tails before heads (Kahn); a cycle is entered at its first node."""
    heads: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for tail, head in edges:
        if tail != head:
            heads[tail].append(head)
            waiting[head] += 1
    done = [False] * count
    result: list[int] = []
    ready = [v for v in reversed(range(count)) if not waiting[v]]
    first = 0
    while len(result) < count:
        if ready:
            v = ready.pop()
        else:
            while done[first]:
                first += 1
            v = first
        if done[v]:
            continue
        done[v] = True
        result.append(v)
        for head in heads[v]:
            waiting[head] -= 1
            if waiting[head] == 0:
                ready.append(head)
    return result


def layers(ranks: list[str | None], edges: list[tuple[int, int]]) -> list[int]:
    """Return the layer of each node, 0 on top: sources alone on the first, sinks alone on the last."""
    count = len(ranks)
    tails: list[list[int]] = [[] for _ in range(count)]
    heads: list[list[int]] = [[] for _ in range(count)]
    for tail, head in edges:
        if tail != head:
            tails[head].append(tail)
            heads[tail].append(head)
    sequence = topological(count, edges)
    lowest = int("source" in ranks)
    layer = [0] * count
    for v in sequence:
        top = 0 if ranks[v] == "source" else lowest
        layer[v] = max([top, *(layer[tail] + 1 for tail in tails[v])])
    last = max(layer, default=0)
    bottom = last + int(any(rank != "sink" and layer[v] == last for v, rank in enumerate(ranks)))
    for v in reversed(sequence):
        if ranks[v] == "sink" and not heads[v]:
            layer[v] = bottom
        elif ranks[v] != "source" and len(heads[v]) > len(tails[v]):
            layer[v] = min(layer[head] for head in heads[v]) - 1
    used = sorted(set(layer))
    return [bisect_left(used, each) for each in layer]


# 2. Order. An edge over several layers is a chain of "slots" without width. Items are numbered: nodes, then slots.


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
        """Return whether item `v` is a slot."""
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


# 3. Coordinates


def coordinates(grid: Grid, widths: list[float], gap: float) -> list[float]:
    """Return x of each item's center: rows in their order, `gap` px apart, each item near its neighbors."""
    x = [0.0] * len(widths)
    apart = [[distance(grid, widths, gap, left, right) for left, right in pairwise(row)] for row in grid.rows]
    for row, gaps in zip(grid.rows, apart, strict=True):
        settle(row, gaps, dict.fromkeys(row, 0.0), dict.fromkeys(row, 1.0), x)
    count = sweeps(grid)
    for number in range(count):
        downwards = number % 2 == 0
        sides = (True, True) if number >= count // 2 else (downwards, not downwards)
        sequence = range(len(grid.rows)) if downwards else reversed(range(len(grid.rows)))
        for k in sequence:
            wish, pull = wishes(grid, grid.rows[k], x, sides)
            settle(grid.rows[k], apart[k], wish, pull, x)
    straighten(grid, apart, x)
    return x


def distance(grid: Grid, widths: list[float], gap: float, left: int, right: int) -> float:
    """Return the least distance between the centers of two neighbors in a row; two lanes need no gap."""
    between = gap * (2 - grid.is_slot(left) - grid.is_slot(right)) / 2
    return (widths[left] + widths[right]) / 2 + between


def wishes(
    grid: Grid, row: list[int], x: list[float], sides: tuple[bool, bool]
) -> tuple[dict[int, float], dict[int, float]]:
    """Return the desired x of each item of the row, the weighted mean of its neighbors, and the total weight."""
    wish, pull = {}, {}
    for v in row:
        total, weight = 0.02 * x[v], 0.02
        for u in (*(grid.up[v] if sides[0] else ()), *(grid.down[v] if sides[1] else ())):
            strength = STRAIGHTNESS[grid.is_slot(u) + grid.is_slot(v)]
            total += strength * x[u]
            weight += strength
        wish[v], pull[v] = total / weight, weight
    return wish, pull


def settle(row: list[int], gaps: list[float], wish: dict[int, float], pull: dict[int, float], x: list[float]) -> None:
    """Set x of the row to the coordinates nearest to the wishes that keep order and gaps.

    Minus the gaps to their left, the coordinates must not decrease: this is an isotonic regression, solved exactly by
    pooling adjacent violators: items that push each other form a block with a common wish.
    """
    blocks: list[list[float]] = []  # wish less offset, pull, number of items
    offset, offsets = 0.0, []
    for v, step in zip(row, [0.0, *gaps], strict=False):
        offset += step
        offsets.append(offset)
        blocks.append([wish[v] - offset, pull[v], 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, p, m), (b, q, n) = blocks[-2], blocks[-1]
            blocks[-2:] = [[(a * p + b * q) / (p + q), p + q, m + n]]
    settled = (base for base, _, number in blocks for _ in range(int(number)))
    for v, base, offset in zip(row, settled, offsets, strict=True):
        x[v] = base + offset


def straighten(grid: Grid, apart: list[list[float]], x: list[float]) -> None:
    """Give the slots of each edge the same x over as many layers as the neighbors in the rows allow."""
    beside: list[tuple[int | None, float, int | None, float]] = [(None, 0.0, None, 0.0)] * len(x)
    for row, gaps in zip(grid.rows, apart, strict=True):
        lefts, rights = [None, *row[:-1]], [*row[1:], None]
        for v, left, before, right, after in zip(row, lefts, [0.0, *gaps], rights, [*gaps, 0.0], strict=False):
            beside[v] = (left, before, right, after)
    for chain in grid.chains:
        run: list[int] = []
        low, high = -inf, inf
        for slot in chain[1:-1]:
            left, before, right, after = beside[slot]
            least = -inf if left is None else x[left] + before
            most = inf if right is None else x[right] - after
            if max(low, least) > min(high, most):
                align(run, low, high, x)
                run, low, high = [], -inf, inf
            run.append(slot)
            low, high = max(low, least), min(high, most)
        align(run, low, high, x)


def align(run: list[int], low: float, high: float, x: list[float]) -> None:
    """Set x of the items to their mean, or to the nearer limit."""
    if run:
        mean = sum(x[v] for v in run) / len(run)
        for v in run:
            x[v] = min(max(mean, low), high)


# 4. Routes


def heights(grid: Grid, tall: list[float], gap: float) -> list[tuple[float, float]]:
    """Return top and bottom of each layer."""
    bands, top = [], 0.0
    for row in grid.rows:
        bottom = top + max((tall[v] for v in row if not grid.is_slot(v)), default=0.0)
        bands.append((top, bottom))
        top = bottom + gap
    return bands


def route(
    chain: list[int], nodes: list, grid: Grid, across: list[float], bands: list[tuple[float, float]]
) -> list[tuple[float, float]]:
    """Return the cubic Bezier chain of an edge, from the lower border of one node to the upper border of the other."""
    first, last = chain[0], chain[-1]
    start, end = (sum(bands[grid.layer[v]]) / 2 for v in (first, last))
    stops = [(port(grid, across, nodes, first, chain[1], "down"), start + nodes[first][1] / 2)]
    for slot in chain[1:-1]:
        top, bottom = bands[grid.layer[slot]]
        if len(stops) > 2 and abs(across[slot] - stops[-1][0]) < STRAIGHT:
            stops[-1] = (stops[-1][0], bottom)
        else:
            stops += [(across[slot], top), (across[slot], bottom)]
    stops.append((port(grid, across, nodes, last, chain[-2], "up"), end - nodes[last][1] / 2))
    points = [stops[0]]
    for (x, y), (to_x, to_y) in pairwise(stops):
        if (to_x, to_y) != (x, y):
            middle = (y + to_y) / 2
            points += [(x, middle), (to_x, middle), (to_x, to_y)]
    return points


def port(grid: Grid, across: list[float], nodes: list, v: int, toward: int, side: str) -> float:
    """Return x where the edge from `v` to `toward` leaves: the neighbors share the middle of the border."""
    neighbors = sorted({*getattr(grid, side)[v]}, key=across.__getitem__)
    if len(neighbors) < 2:
        return across[v]
    share = neighbors.index(toward) / (len(neighbors) - 1) - 0.5
    room = min(0.6 * nodes[v][0], 14.0 * (len(neighbors) - 1))
    return across[v] + share * room
