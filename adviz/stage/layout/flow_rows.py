"""One row of the columns of a sweep: how high and how far to the right each box of it stands.

Edges that are alone at both of their ends are straight; numbers that park at a node have room before the next box.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import inf

from . import layered
from .flow_columns import LAYER_GAP, Columns

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
        """Whether a link wants to be straight: where it is the only one at either of its ends.

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
