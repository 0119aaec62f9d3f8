"""The rows of a sweep one below the other, and the curves between all places.

An edge to a later row goes around the end of its row, back below it, and down beside the rows between. Where it is the
only one that leaves its row, it is a single curve with its gate between the rows.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from .flow_columns import LAYER_GAP, LINE_GAP, Columns, Size
from .flow_curves import Point, Stop, going_around, places_along, smooth, straight, swoop
from .flow_rows import PILL, Row

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
        found = {}
        for length, start, item in spans:
            end = start + length
            free = (k for k, lane in enumerate(lanes) if all(end < a or b < start for a, b in lane))
            found[item] = next(free, len(lanes))
            if found[item] == len(lanes):
                lanes.append([])
            for lane in lanes[: found[item] + 1]:  # a longer one lies outside
                lane.append((start, end))
        return found

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
        """Whether curves cover a box other than those at their ends and their gate."""
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
