"""The columns of a sweep: nodes and gates in turn from left to right, and where they may be cut into rows.

The columns are those of the layered layout, with a gate for every edge in the column before the node that it leads to.
An input that only one node uses may stand above or below that node instead, as its satellite.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from . import layered

LAYER_GAP = 26.0  # px between boxes beside each other
CLOSE = 0.65  # of these gaps, and of those between edges, where there are many nodes
PORT_GAP = 40.0  # px between edges at one side of a node, where there is room
PORT_MARGIN = 18.0  # px from the first port to the corner of the node
LINE_GAP = 18.0  # px between edges that go around together
FEW = 14  # nodes with natural gaps

Size = tuple[float, float]
Edge = tuple[int, int]
Room = tuple[float, float]


class Graph(NamedTuple):
    """Sizes of nodes, edges from operand to result, sizes of their gates, and room for numbers that park.

    ``room`` is for each node the px wanted at its left and at its right before the next box.
    """

    nodes: list[Size]
    edges: list[Edge]
    gates: list[Size]
    room: list[Room]

    @property
    def close(self) -> float:
        """How large the gaps are, where 1 is natural."""
        return 1.0 if len(self.nodes) <= FEW else CLOSE


def satellites(graph: Graph) -> dict[int, int]:
    """Return the edges of inputs that may stand beside their only consumer, by the node of the input.

    A node keeps an operand at its left, and has at most two satellites.
    """
    ins: list[list[int]] = [[] for _ in graph.nodes]
    uses = [0] * len(graph.nodes)
    for k, (tail, head) in enumerate(graph.edges):
        ins[head].append(k)
        uses[tail] += 1
    result: dict[int, int] = {}
    for edges in ins:
        alone = [k for k in edges if not ins[graph.edges[k][0]] and uses[graph.edges[k][0]] == 1]
        if alone and len(alone) == len(edges):
            alone = alone[1:]
        result |= {graph.edges[k][0]: k for k in alone[:2]}
    return result


class Columns:
    """The columns of a graph: even ones of nodes, odd ones of the gates of the edges into the next column.

    Items are numbered: nodes in the columns, their gates, and then slots, where edges pass a column.
    """

    def __init__(self, graph: Graph, beside: dict[int, int]) -> None:
        self.graph = graph
        self.beside = beside
        self.core = [v for v in range(len(graph.nodes)) if v not in beside]
        self.item = {v: k for k, v in enumerate(self.core)}
        apart = set(beside.values())
        self.edges = [k for k in range(len(graph.edges)) if k not in apart]
        ends = [(self.item[graph.edges[k][0]], self.item[graph.edges[k][1]]) for k in self.edges]
        self.layer = layer = layers(len(self.core), ends)
        self.first_gate = len(self.core)
        links = [link for k, (a, b) in enumerate(ends) for link in ((a, self.first_gate + k), (self.first_gate + k, b))]
        at = [2 * each for each in layer] + [2 * layer[head] - 1 for _, head in ends]
        self.grid = layered.Grid(at, links)
        layered.order(self.grid)
        self.count = max(layer, default=-1) + 1  # columns of nodes
        self.place = {v: k for row in self.grid.rows for k, v in enumerate(row)}
        self.out, self.into = self._ports()
        self.around: dict[int, list[int]] = {}  # the satellites of an item
        for v, k in beside.items():
            self.around.setdefault(self.item[graph.edges[k][1]], []).append(v)

    def is_node(self, v: int) -> bool:
        return v < self.first_gate

    def is_gate(self, v: int) -> bool:
        return self.first_gate <= v < self.first_gate + len(self.edges)

    def size(self, v: int) -> Size:
        """Return the width and height of the box of an item; a slot has none."""
        if self.is_node(v):
            return self.graph.nodes[self.core[v]]
        return self.graph.gates[self.edges[v - self.first_gate]] if self.is_gate(v) else (0.0, 0.0)

    def width(self, v: int) -> float:
        """Return the width of an item with its satellites."""
        others = [self.graph.nodes[s][0] for s in self.around.get(v, ())]
        others += [self.graph.gates[self.beside[s]][0] for s in self.around.get(v, ())]
        return max([self.size(v)[0], *others])

    def height(self, v: int) -> float:
        """Return the height of an item with its satellites."""
        others = [self.graph.nodes[s][1] + self.graph.gates[self.beside[s]][1] for s in self.around.get(v, ())]
        return self.size(v)[1] + sum(others) + 2 * LAYER_GAP * len(others)

    def wide(self, column: int) -> float:
        """Return the width of a column."""
        return max(map(self.width, self.grid.rows[column]), default=0.0)

    def _ports(self) -> tuple[dict[Edge, float], dict[Edge, float]]:
        """Return how far from the middle of its box each link leaves its tail, and enters its head."""
        result: tuple[dict[Edge, float], dict[Edge, float]] = ({}, {})
        for v in range(self.first_gate):
            height = self.size(v)[1]
            for side, others in enumerate((self.grid.down[v], self.grid.up[v])):
                sequence = sorted(others, key=self.place.__getitem__)
                for link, offset in zip(sequence, offsets(len(sequence), height), strict=True):
                    result[side][(v, link) if side == 0 else (link, v)] = offset
        return result

    def crossings(self) -> int:
        """Return how many pairs of edges cross."""
        return layered.crossings(self.grid, self.grid.rows)

    def lines(self, layer: int) -> int:
        """Return how many edges lead from the columns before a column of nodes to it or beyond."""
        return len(self.grid.rows[2 * layer - 1])

    def cuts(self, rows: int) -> list[int] | None:
        """Return the layers with which the rows begin so that they are about equally long, and few edges lead on."""
        grid, count = self.grid, self.count
        nodes = [self.wide(2 * k) + LAYER_GAP for k in range(count)]
        gates = [0.0] + [self.wide(2 * k - 1) + LAYER_GAP for k in range(1, count)]
        whole = sum(nodes) + sum(gates)
        if rows > count or not grid.rows:
            return None
        mean = whole / rows
        best: list[dict[int, tuple[float, list[int]]]] = [{0: (0.0, [])}]
        for _ in range(rows):
            found: dict[int, tuple[float, list[int]]] = {}
            for start, (cost, begins) in best[-1].items():
                length = 0.0
                for end in range(start + 1, count + 1):
                    length += nodes[end - 1] + (
                        gates[end - 1] if end - 1 > start or (start and self.lines(start) > 1) else 0
                    )
                    lines = self.lines(end) if end < count else 0
                    total = cost + length**2 + (80.0 * (lines - 1) * mean if lines else 0.0)
                    if end not in found or total < found[end][0]:
                        found[end] = total, [*begins, start]
            best.append(found)
        return best[-1][count][1] if count in best[-1] else None

    def least(self, begins: list[int]) -> tuple[Size, int]:
        """Return a size that rows with these beginnings are not smaller than, and how many edges at least go around."""
        gap, spans = self.graph.close * LAYER_GAP, list(pairwise([*begins, self.count]))
        row = [k for k, (first, end) in enumerate(spans) for _ in range(first, end)]
        leaving = [0] * len(spans)
        for first, *_, last in self.grid.chains[::2]:
            tail, head = row[self.layer[first]], row[(self.grid.layer[last] + 1) // 2]
            leaving[tail] += tail < head
        wide, high = 0.0, 0.0
        for (first, end), lines in zip(spans, leaving, strict=True):
            span = range(2 * first, 2 * end - 1)
            turn = LINE_GAP * self.graph.close * lines if lines > 1 else 0.0
            wide = max(wide, sum(map(self.wide, span)) + gap * (len(span) - 1) + turn)
            high += turn + max(sum(self.height(v) + gap for v in self.grid.rows[column]) for column in span)
        return (wide, high - gap), sum(lines for lines in leaving if lines > 1)


def layers(count: int, edges: list[Edge]) -> list[int]:
    """Return the layer of each node: as late as its consumers allow, unless most of its edges then are longer.

    Edges come from tails with smaller numbers.
    """
    tails: list[list[int]] = [[] for _ in range(count)]
    heads: list[list[int]] = [[] for _ in range(count)]
    for tail, head in edges:
        tails[head].append(tail)
        heads[tail].append(head)
    early = [0] * count
    for v in range(count):
        early[v] = max((early[tail] + 1 for tail in tails[v]), default=0)
    layer = list(early)
    for v in reversed(range(count)):
        private = [tail for tail in tails[v] if set(heads[tail]) == {v} and not tails[tail]]
        if heads[v] and len(tails[v]) - len(private) <= len(heads[v]):
            layer[v] = min(layer[head] for head in heads[v]) - 1
    used = sorted(set(layer))
    return [used.index(each) for each in layer]


def offsets(count: int, height: float) -> list[float]:
    """Return the places of so many ports at a side of this height, from its middle."""
    apart = min(PORT_GAP, max(height - 2 * PORT_MARGIN, 0.5 * height) / max(1, count - 1))
    return [apart * (k - (count - 1) / 2) for k in range(count)]
