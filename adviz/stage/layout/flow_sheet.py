"""The rows of a sweep one below the other, and the curves between all places.

An edge to a later row goes around the end of its row, back below it, and down beside the rows between. Where it is the
only one that leaves its row, it is a single curve with its gate between the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple

from . import layered
from .flow_columns import LAYER_GAP, LINE_GAP, Columns, Size

# ---- curves ----


BEND = 0.45  # how far a curve keeps its direction, as a share of the distance
ROUND = 4 / 3  # how far a control point lies beyond the farthest point of a half turn
SHARES = [((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3) for t in (k / 16 for k in range(1, 17))]
"""What the four points of a curve count at places along it."""

Point = tuple[float, float]


class Stop(NamedTuple):
    """A place that a curve passes from left to right, and how steep it may be there at most."""

    x: float
    y: float
    steepest: float = 0.0


def smooth(stops: Sequence[Stop]) -> list[float]:
    """Return the curves through some stops without their start, six numbers each; level at both ends.

    Between two stops a curve never leaves the strip between their heights.
    """
    rises = [(b.y - a.y) / (b.x - a.x) if b.x > a.x else 0.0 for a, b in pairwise(stops)]
    slopes = [0.0] * len(stops)
    for k, (before, after) in enumerate(pairwise(rises), 1):
        if before * after > 0:
            least = min(abs(before), abs(after), stops[k].steepest / 2)
            slopes[k] = 2 * least if before > 0 else -2 * least
    result: list[float] = []
    for k, (a, b) in enumerate(pairwise(stops)):
        reach = BEND * (b.x - a.x)
        result += [a.x + reach, a.y + slopes[k] * reach, b.x - reach, b.y - slopes[k + 1] * reach, b.x, b.y]
    return result


def going_around(start: Point, end: Point, right: float, left: float, back: float) -> list[float]:
    """Return the curves from the end of a row to the beginning of a lower one, without their start.

    They go ``right`` px beyond the start, back at the height ``back``, and ``left`` px beyond the end.
    """
    (x, y), (end_x, end_y) = start, end
    out, into = x + ROUND * right, end_x - ROUND * left
    third = (end_x - x) / 3
    return [
        *(out, y, out, back, x, back),
        *(x + third, back, end_x - third, back, end_x, back),
        *(into, back, into, end_y, end_x, end_y),
    ]


def swoop(start: Point, gate: Point, end: Point) -> tuple[list[float], list[float]]:
    """Return the curve that leaves a node at its lower side and enters another at its upper side, cut at its gate."""
    (x, y), (gate_x, gate_y), (end_x, end_y) = start, gate, end
    return (
        [x, y, x, gate_y, x + BEND * (gate_x - x), gate_y, gate_x, gate_y],
        [gate_x, gate_y, end_x - BEND * (end_x - gate_x), gate_y, end_x, gate_y, end_x, end_y],
    )


def straight(start: Point, end: Point) -> list[float]:
    """Return a line as a curve."""
    (x, y), (end_x, end_y) = start, end
    right, down = (end_x - x) / 3, (end_y - y) / 3
    return [x, y, x + right, y + down, end_x - right, end_y - down, end_x, end_y]


def places_along(path: Sequence[float]) -> list[Point]:
    """Return some places on a chain of curves."""
    result = []
    for i in range(0, len(path) - 2, 6):
        x0, y0, x1, y1, x2, y2, x3, y3 = path[i : i + 8]
        for p, q, r, s in SHARES:
            result.append((p * x0 + q * x1 + r * x2 + s * x3, p * y0 + q * y1 + r * y2 + s * y3))
    return result


# ---- rows ----

# One row of the columns of a sweep: how high and how far to the right each box of it stands.
#
# Edges that are alone at both of their ends are straight; numbers that park at a node have room before the next box.


NODE_GAP = 28.0  # px between boxes above each other
SLOT_GAP = 20.0  # px between a box and an edge that passes it
WIDEST_GAP = 64.0
SLANT = 0.32  # px between columns for each px that an edge rises or falls between them
PILL = 32.0  # px of height for a parked number
SWEEPS = 6
STRONG, WEAK = 8.0, 1.0  # how much an edge wants to be straight: alone at both of its ends, or not


class Row:
    """One row of columns: the items with their extents, and their coordinates within the row."""

    def __init__(self, columns: Columns, table: list[list[int]], *, swoops: tuple[bool, bool], is_first: bool) -> None:
        """Place the items of a table; ``swoops``: whether a single curve enters the row from above, and leaves it."""
        self.columns, self.table, self.swoops = columns, table, swoops
        self.close = columns.graph.close
        self.items = [v for column in table for v in column]
        self.column = {v: k for k, column in enumerate(table) for v in column}
        self.sides: dict[int, int] = {}  # satellite -> -1: above, 1: below
        self.up: dict[int, float] = {}
        self.down: dict[int, float] = {}
        for column in self.table:
            for v in column:
                self._extent(v, column, is_first)
        self.y: dict[int, float] = {}
        self.x: dict[int, float] = {}
        self._rise()
        self.top = min((self.y[v] - self.up[v] for v in self.items), default=0.0)
        self.bottom = max((self.y[v] + self.down[v] for v in self.items), default=0.0)
        self.width = self._spread()

    def _extent(self, v: int, column: list[int], is_first: bool) -> None:
        columns = self.columns
        half = columns.size(v)[1] / 2
        extent = {-1: half, 1: half}
        side = -1 if is_first else 1
        if len(column) > 1:
            side = -1 if v == column[0] else 1 if v == column[-1] else side
        if self.swoops[0] and v == self.table[0][0]:
            side = 1
        if self.swoops[1] and v == self.table[-1][-1]:
            side = -1
        for satellite in columns.around.get(v, ()):
            gate = columns.graph.gates[columns.beside[satellite]]
            room = columns.graph.room[columns.core[v]][0]
            extent[side] += 2 * LAYER_GAP + (PILL if room else 0.0) + gate[1] + columns.graph.nodes[satellite][1]
            self.sides[satellite] = side
            side = -side
        self.up[v], self.down[v] = extent[-1], extent[1]

    # ---- up and down ----

    def _gaps(self, column: list[int]) -> list[float]:
        grid = self.columns.grid
        return [
            self.down[a] + self.up[b] + self.close * (SLOT_GAP if grid.is_slot(a) or grid.is_slot(b) else NODE_GAP)
            for a, b in pairwise(column)
        ]

    def _links(self) -> Iterable[tuple[int, int, float, float]]:
        """Yield the links within the row with the height of the head above the tail if straight, and their weight."""
        columns = self.columns
        for column in self.table[:-1]:
            for u in column:
                for v in filter(self.column.__contains__, columns.grid.down[u]):
                    alone = self._is_alone(u, v)
                    drop = columns.out.get((u, v), 0.0) - columns.into.get((u, v), 0.0)
                    yield u, v, drop, STRONG if alone else WEAK

    def _is_alone(self, u: int, v: int) -> bool:
        """Return whether a link wants to be straight: where it is the only one at either of its ends.

        The gate of an edge to a node with several operands stands in the middle of a curve instead.
        """
        columns, grid = self.columns, self.columns.grid
        if len(grid.down[u]) > 1 or len(grid.up[v]) > 1:
            return False
        if not columns.is_node(u) or not columns.is_gate(v):
            return True
        (head,) = grid.down[v]
        return len(grid.up[head]) == 1

    def _rise(self) -> None:
        """Give each item its y: in the order of its column, and near what it is linked to."""
        y = self.y
        gaps = [self._gaps(column) for column in self.table]
        near: dict[int, list[tuple[int, float, float, bool]]] = {v: [] for v in self.items}
        for u, v, drop, weight in self._links():
            near[v].append((u, drop, weight, True))
            near[u].append((v, -drop, weight, False))
        scratch = [0.0] * len(self.columns.grid.layer)
        for column, apart in zip(self.table, gaps, strict=True):
            layered.settle(column, apart, dict.fromkeys(column, 0.0), dict.fromkeys(column, 1.0), scratch)
        for turn in range(SWEEPS):
            forth = turn % 2 == 0
            sequence = list(zip(self.table, gaps, strict=True))
            for column, apart in sequence if forth else reversed(sequence):
                wish, pull = {}, {}
                for v in column:
                    total, weight = 0.02 * scratch[v], 0.02
                    for u, drop, strength, back in near[v]:
                        if turn >= SWEEPS // 2 or back == forth:
                            total += strength * (scratch[u] + drop)
                            weight += strength
                    wish[v], pull[v] = total / weight, weight
                layered.settle(column, apart, wish, pull, scratch)
        y.update({v: scratch[v] for v in self.items})
        for _ in range(3):
            self._straighten(gaps, near)

    def _straighten(self, gaps: list[list[float]], near: dict[int, list[tuple[int, float, float, bool]]]) -> None:
        """Move runs of items that want to be straight to one height, as far as their neighbors leave room."""
        limits: dict[int, tuple[int | None, float, int | None, float]] = {}
        for column, apart in zip(self.table, gaps, strict=True):
            for v, above, before, under, after in zip(
                column, [None, *column[:-1]], [0.0, *apart], [*column[1:], None], [*apart, 0.0], strict=True
            ):
                limits[v] = above, before, under, after
        seen: set[int] = set()
        for column in self.table:
            for v in column:
                if v in seen:
                    continue
                run = [v]
                while (follower := self._strong(run[-1], near)) is not None and follower not in seen:
                    run.append(follower)
                seen |= {*run}
                self._align(run, limits, near)

    def _strong(self, v: int, near: dict[int, list[tuple[int, float, float, bool]]]) -> int | None:
        return next((u for u, _, weight, back in near[v] if not back and weight == STRONG), None)

    def _align(self, run: list[int], limits: dict, near: dict[int, list[tuple[int, float, float, bool]]]) -> None:
        y = self.y
        part: list[int] = []
        low, high = -inf, inf
        least: float = low
        most: float = high
        ends: list[int | None] = [*run, None]
        for v in ends:
            if v is not None:
                above, before, under, after = limits[v]
                least = -inf if above is None else y[above] + before
                most = inf if under is None else y[under] - after
                if max(low, least) <= min(high, most) + 1e-9:
                    part.append(v)
                    low, high = max(low, least), min(high, most)
                    continue
            inside = {*part}
            wishes = sorted(y[u] + drop for w in part for u, drop, _, _ in near[w] if u not in inside)
            middle = len(wishes) // 2
            wish = y[part[0]] if not wishes else (wishes[middle] + wishes[-middle - 1]) / 2
            for w in part:
                y[w] = min(max(wish, low), high)
            if v is not None:
                part, low, high = [v], least, most

    # ---- from left to right ----

    def _spread(self) -> float:
        """Give each item its x, from 0, and return the width."""
        at = 0.0
        self.edges_of: list[tuple[float, float]] = []  # left and right of each column
        for number, column in enumerate(self.table):
            if number:
                at += self._gap(self.table[number - 1], column)
            wide = max(map(self.columns.width, column), default=0.0)
            for v in column:
                self.x[v] = at + wide / 2
            self.edges_of.append((at, at + wide))
            at += wide
        return at

    def _gap(self, left: list[int], right: list[int]) -> float:
        """Return the px between two columns: for edges that rise or fall, and for numbers that park."""
        columns, grid, y = self.columns, self.columns.grid, self.y
        wanted = self.close * LAYER_GAP
        for u in left:
            for v in filter(self.column.__contains__, grid.down[u]):
                start, end = y[u] + columns.out.get((u, v), 0.0), y[v] + columns.into.get((u, v), 0.0)
                wanted = max(wanted, self.close * min(WIDEST_GAP, SLANT * abs(end - start)))
                for node, port, side, others in ((u, start, 1, right), (v, end, 0, left)):
                    room = columns.graph.room[columns.core[node]][side] if columns.is_node(node) else 0.0
                    if room > wanted and any(self._is_near(port, other) for other in others):
                        wanted = room
        return wanted

    def _is_near(self, port: float, gate: int) -> bool:
        high = self.columns.size(gate)[1]
        return high > 0 and abs(self.y[gate] - port) < (high + PILL) / 2

    def past_neighbors(self, v: int) -> tuple[float, float]:
        """Return the left and the right side of the widest box at the place of an item in its column."""
        wide = max(map(self.columns.width, self.table[self.column[v]]))
        return self.x[v] - wide / 2, self.x[v] + wide / 2

    def sides_of(self, v: int) -> tuple[float, float]:
        """Return the left and the right side of the column of an item."""
        return self.edges_of[self.column[v]]

    def widen(self, width: float) -> None:
        """Spread the columns to this width."""
        spare = (width - self.width) / max(1, len(self.table) - 1)
        for number, column in enumerate(self.table):
            for v in column:
                self.x[v] += number * spare
            left, right = self.edges_of[number]
            self.edges_of[number] = left + number * spare, right + number * spare
        self.width = width


# ---- the sheet ----


TURN = 16.0  # px beyond the end of a row, of the innermost edge that goes around
NEAR = 4.0  # px from a box that an edge keeps
BETWEEN = 40.0  # px between rows


class Places(NamedTuple):
    """Centers of nodes and gates; for each edge the curves before and after its gate; the size without margins."""

    nodes: list[Point]
    gates: list[Point]
    before: list[list[float]]
    after: list[list[float]]
    size: Size


class Return(NamedTuple):
    """An edge that goes around: the last item in its row, the one after it, the first in a later row, and the rows."""

    last: int
    after: int
    first: int
    row: int
    later: int


def cut(columns: Columns, begins: list[int]) -> Sheet:
    """Place the columns in rows that begin with these layers."""
    return Sheet(columns, _Cut(columns, begins))


class _Cut:
    """The columns cut into rows: the tables of the rows, and the edges between them."""

    def __init__(self, columns: Columns, begins: list[int]) -> None:
        self.columns, grid = columns, columns.grid
        row_of_layer = [k for k, (a, b) in enumerate(pairwise([*begins, columns.count])) for _ in range(a, b)]
        self.row = [row_of_layer[(column + 1) // 2] for column in grid.layer]  # of each item
        self.returns: list[Return] = []
        kept: list[bool] = [not grid.is_slot(v) for v in range(len(grid.layer))]
        for chain in grid.chains[::2]:
            first, last = self.row[chain[0]], self.row[chain[-1]]
            for v in chain[1:-1]:
                kept[v] = self.row[v] in (first, last)
            if first < last:
                inside = sum(self.row[v] == first for v in chain)
                later = next(v for v in chain if self.row[v] == last)
                self.returns.append(Return(chain[inside - 1], chain[inside], later, first, last))
        self.tables: list[list[list[int]]] = [[] for _ in begins]
        for column in grid.rows:
            if column:
                self.tables[self.row[column[0]]].append([v for v in column if kept[v]])
        self.swoops: dict[int, int] = {}  # row -> the gate of the single curve that leads to it
        for k in range(1, len(begins)):
            gate = self._swoop(k)
            if gate is not None:
                self.swoops[k] = gate
                self.returns = [each for each in self.returns if each.first != gate]
                del self.tables[k][0]
        self.tables = [[column for column in table if column] for table in self.tables]

    def _swoop(self, k: int) -> int | None:
        """Return the gate of the edge that is the only one from a row to the next, if it can be a single curve."""
        columns, grid = self.columns, self.columns.grid
        leaving = [each for each in self.returns if each.row == k - 1]
        if len(leaving) != 1 or leaving[0].later != k or not columns.is_gate(leaving[0].first):
            return None
        tail, gate = leaving[0].last, leaving[0].first
        (head,) = grid.down[gate]
        before, (gates, heads, *_) = self.tables[k - 1][-1], self.tables[k]
        if not columns.is_node(tail) or len(grid.down[tail]) > 1 or tail != before[-1]:
            return None
        if gates != [gate] or head != heads[0] or any(len(columns.around.get(end, ())) > 1 for end in (tail, head)):
            return None
        return gate


class Sheet:
    """The rows one below the other, and the curves between all places."""

    def __init__(self, columns: Columns, cut: _Cut) -> None:
        self.columns, self.cut = columns, cut
        self.line_gap = LINE_GAP * columns.graph.close
        self.returns = len(cut.returns)
        self.gates: dict[int, Point] = {}  # those that stand between rows
        count = len(cut.tables)
        self.rows = rows = [
            Row(columns, table, swoops=(k in cut.swoops, k + 1 in cut.swoops), is_first=k == 0)
            for k, table in enumerate(cut.tables)
        ]
        self.row_of = {v: rows[cut.row[v]] for row in rows for v in row.items}
        self.turns = [[each for each in cut.returns if each.row == k] for k in range(count)]
        for lines in self.turns:  # the lowest one first: it is the innermost
            lines.sort(key=lambda line: -self._port(line.last, line.after, 1).y)
        beyond = [TURN + self.line_gap * (len(lines) - 1) if lines else 0.0 for lines in self.turns]
        widest = max(row.width + turn for row, turn in zip(rows, beyond, strict=True))
        at = 0.0
        self.channel: list[float] = []  # where the innermost edge goes back, below each row
        for k, row in enumerate(rows):
            if count > 1 and row.width > 0.55 * widest:
                row.widen(widest - beyond[k])
            high = row.bottom - row.top
            self._move(row, 0.0, at - row.top)
            row.top, row.bottom = at, at + high
            self.channel.append(row.bottom + BETWEEN * columns.graph.close / 2)
            at += high + (self._below(k) if k + 1 < count else 0.0)
        self.lanes = self._lanes()
        margin = TURN + self.line_gap * max(self.lanes.values()) if self.lanes else 0.0
        for row in rows:
            self._move(row, margin, 0.0)
        self.size = margin + widest, at
        for k, gate in cut.swoops.items():
            (tail,), (head,) = columns.grid.up[gate], columns.grid.down[gate]
            self.gates[gate] = (rows[k - 1].x[tail] + rows[k].x[head]) / 2, (rows[k - 1].bottom + rows[k].top) / 2

    def _below(self, k: int) -> float:
        """Return the px between a row and the next one."""
        if k + 1 in self.cut.swoops:
            return self.columns.size(self.cut.swoops[k + 1])[1] + 2 * LAYER_GAP
        return BETWEEN * self.columns.graph.close + self.line_gap * max(0, len(self.turns[k]) - 1)

    def _lanes(self) -> dict[int, int]:
        """Return how far to the left each edge goes that goes around, by its first item in the later row."""
        spans = sorted(
            (self.row_of[line.first].y[line.first] - self._back(line), self._back(line), line.first)
            for line in self.cut.returns
        )
        lanes: list[list[tuple[float, float]]] = []
        result = {}
        for length, start, item in spans:
            end = start + length
            free = (k for k, lane in enumerate(lanes) if all(end < a or b < start for a, b in lane))
            result[item] = next(free, len(lanes))
            if result[item] == len(lanes):
                lanes.append([])
            for lane in lanes[: result[item] + 1]:  # a longer one lies outside
                lane.append((start, end))
        return result

    def _back(self, line: Return) -> float:
        return self.channel[line.row] + self.line_gap * self.turns[line.row].index(line)

    def _move(self, row: Row, right: float, down: float) -> None:
        for v in row.items:
            row.x[v] += right
            row.y[v] += down
        row.edges_of = [(a + right, b + right) for a, b in row.edges_of]

    def center(self, v: int) -> Point:
        if v in self.gates:
            return self.gates[v]
        row = self.row_of[v]
        return row.x[v], row.y[v]

    def places(self) -> Places:
        columns, graph = self.columns, self.columns.graph
        nodes: list[Point] = [(0.0, 0.0)] * len(graph.nodes)
        gates: list[Point] = [(0.0, 0.0)] * len(graph.edges)
        before: list[list[float]] = [[] for _ in graph.edges]
        after: list[list[float]] = [[] for _ in graph.edges]
        for v, node in enumerate(columns.core):
            nodes[node] = self.center(v)
        for number, k in enumerate(columns.edges):
            gate = columns.first_gate + number
            gates[k] = self.center(gate)
            before[k], after[k] = self._curves(gate, number)
        for satellite, k in columns.beside.items():
            nodes[satellite], gates[k], before[k], after[k] = self._satellite(satellite, k)
        return Places(nodes, gates, before, after, self.size)

    def _satellite(self, satellite: int, k: int) -> tuple[Point, Point, list[float], list[float]]:
        graph = self.columns.graph
        v = self.columns.item[graph.edges[k][1]]
        row, (x, y) = self.row_of[v], self.center(v)
        side, room = row.sides[satellite], graph.room[graph.edges[k][1]][0]
        border = y + side * self.columns.size(v)[1] / 2
        gate = border + side * (LAYER_GAP + (PILL if room else 0.0) + graph.gates[k][1] / 2)
        far = gate + side * (graph.gates[k][1] / 2 + LAYER_GAP)
        center = far + side * graph.nodes[satellite][1] / 2
        return (x, center), (x, gate), straight((x, far), (x, gate)), straight((x, gate), (x, border))

    def _curves(self, gate: int, number: int) -> tuple[list[float], list[float]]:
        """Return the curves of an edge up to the center of its gate and from there on."""
        columns, grid = self.columns, self.columns.grid
        first, second = grid.chains[2 * number], grid.chains[2 * number + 1]
        head = second[-1]
        if gate in self.gates:
            (x, y), (end_x, end_y) = self.center(first[0]), self.center(head)
            below, above = columns.size(first[0])[1] / 2, columns.size(head)[1] / 2
            return swoop((x, y + below), self.gates[gate], (end_x, end_y - above))
        for flat in (False, True):
            before, after = self._path(gate, first, second, flat)
            if flat or not self._covers({first[0], gate, head}, before, after):
                break
        return before, after

    def _path(self, gate: int, first: list[int], second: list[int], flat: bool) -> tuple[list[float], list[float]]:
        """Return the curves through the items of two links; ``flat``: level beside wider boxes of the same column."""
        run = self._leaving(first[0], first[1], 1, flat)
        path = [run[0].x, run[0].y]
        for u, v in pairwise([v for v in first if v in self.row_of]):
            if self.row_of[u] is not self.row_of[v]:
                last = self._port(u, first[first.index(u) + 1], 1)._replace(x=self.row_of[u].edges_of[-1][1])
                path += smooth(run if run[-1].x == last.x else [*run, last])
                begin = Stop(self.row_of[v].edges_of[0][0], self.center(v)[1])
                path += self._around(v, last, begin)
                run = [begin]
            run += self._passed(v, flat)
        run += reversed(self._leaving(second[-1], second[-2], 0, flat))
        at = next(k for k, stop in enumerate(run) if (stop.x, stop.y) == self.center(gate))
        begun = len(path) + 6 * at
        path += smooth(run)
        return path[:begun], path[begun - 2 :]

    def _covers(self, own: set[int], *paths: list[float]) -> bool:
        """Return whether curves cover a box other than those at their ends and their gate."""
        ends = self.columns.grid.nodes
        rows = {id(self.row_of[v]): self.row_of[v] for v in own}.values()
        boxes = [(self.center(v), self.columns.size(v)) for row in rows for v in row.items if v < ends and v not in own]
        return any(
            abs(x - u) < w / 2 + NEAR and abs(y - v) < h / 2 + NEAR
            for path in paths
            for x, y in places_along(path)
            for (u, v), (w, h) in boxes
        )

    def _leaving(self, v: int, other: int, side: int, flat: bool) -> list[Stop]:
        """Return the stops of a link from its end at a node until it is past wider boxes of the column."""
        port, sides = self._port(v, other, side), self.row_of[v].past_neighbors(v)
        return [port, port._replace(x=sides[side])] if flat and abs(port.x - sides[side]) > 1 else [port]

    def _port(self, v: int, other: int, side: int) -> Stop:
        """Return where a link leaves an item (side 1) or enters it."""
        columns, (x, y) = self.columns, self.center(v)
        offset = columns.out.get((v, other), 0.0) if side else columns.into.get((other, v), 0.0)
        return Stop(x + (1 if side else -1) * columns.size(v)[0] / 2, y + offset)

    def _passed(self, v: int, flat: bool) -> list[Stop]:
        """Return the stops of an edge at its gate, or where it passes a column."""
        columns, (x, y) = self.columns, self.center(v)
        wide, high = columns.size(v)
        if columns.is_gate(v):
            sides = self.row_of[v].past_neighbors(v)
            if flat:
                return [Stop(sides[0], y), Stop(x, y), Stop(sides[1], y)]
            return [Stop(x, y, high / wide)]
        left, right = self.row_of[v].sides_of(v)
        return [Stop(left, y), Stop(right, y)] if right > left else [Stop(x, y)]

    def _around(self, v: int, last: Stop, begin: Stop) -> list[float]:
        """Return the curves of an edge to its first item in a later row."""
        line = next(each for each in self.cut.returns if each.first == v)
        inner = self.turns[line.row].index(line)
        right, left = TURN + self.line_gap * inner, TURN + self.line_gap * self.lanes[v]
        return going_around((last.x, last.y), (begin.x, begin.y), right, left, self._back(line))
