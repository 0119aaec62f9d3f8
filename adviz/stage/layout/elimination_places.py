"""Where vertices and labels of an elimination stand, in one picture of a c-graph and its line graph.

The label of an edge stands where the node of the line graph does. Inputs and outputs never move; x is given by the
longest paths, and y by a descent (:mod:`.elimination_board`) from where things were.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from math import sqrt
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from ..scene.algebra_panels import Role
from .elimination_board import COARSE, FINE, RIM, ROOM, Board, Box
from .layered import Grid, by_medians, distance, exchange_in, layers, settle, wishes
from .layered import crossings as grid_crossings

# ---- orders from top to bottom ----

# The order of vertices and labels from top to bottom with few crossings, while inputs and outputs keep theirs.
#
# The bipartite layers vertex, label, vertex are those of layered: medians and exchanges of neighbors, from several
# starts.


STARTS, SWEEPS = 12, 12
PLACINGS = 12  # sweeps in which each layer moves towards its neighbors
LANE = 6.0  # the height of a line that passes a layer


def orders(board: Board, fixed: int, most: int) -> list[np.ndarray]:
    """Return up to so many choices of y for the boxes of a board, those with the fewest crossings.

    The first ``fixed`` boxes, inputs and outputs, stay where they are.
    """
    lines = [(int(one), int(other)) for one, other in board.lines]
    heads = {head for _, head in lines}
    ranks: list[str | None] = [None] * len(board.y)
    ranks[:fixed] = ["sink" if box in heads else "source" for box in range(fixed)]
    grid = Grid(layers(ranks, lines), lines)
    grid.rows[0], grid.rows[-1] = (sorted(row, key=lambda box: board.y[box]) for row in (grid.rows[0], grid.rows[-1]))
    random = np.random.default_rng(7)
    found: dict[tuple[tuple[int, ...], ...], int] = {}
    for _ in range(STARTS):
        rows, count = _ordered(grid, random)
        found[tuple(map(tuple, rows))] = count
    best = sorted(found, key=lambda rows: found[rows])[:most]
    return [_placed(grid, [list(row) for row in rows], board, fixed) for rows in best]


def _ordered(grid: Grid, random: np.random.Generator) -> tuple[list[list[int]], int]:
    """Return the order with the fewest crossings on the way from a random one, and their number."""
    inner = range(1, len(grid.rows) - 1)
    rows = [
        list(row) if k not in inner else [row[place] for place in random.permutation(len(row))]
        for k, row in enumerate(grid.rows)
    ]
    best, fewest = rows, grid_crossings(grid, rows)
    for sweep in range(SWEEPS):
        rows = [list(row) for row in rows]
        by_medians(grid, rows, downwards=sweep % 2 == 0)
        rows[0], rows[-1] = list(grid.rows[0]), list(grid.rows[-1])
        while sum(exchange_in(grid, rows, k) for k in inner):
            pass
        count = grid_crossings(grid, rows)
        if count < fewest:
            best, fewest = rows, count
        if not fewest:
            break
    return best, fewest


def _placed(grid: Grid, rows: list[list[int]], board: Board, fixed: int) -> np.ndarray:
    """Return y of the boxes: each layer in turn moves towards its neighbors, as far as order and gaps allow."""
    grid.rows = rows
    tall = [*board.h, *[LANE] * (len(grid.layer) - len(board.h))]
    height = float((board.least + board.most).max())
    y = [*board.y, *[0.0] * (len(tall) - len(board.y))]
    gaps = [[distance(grid, tall, ROOM, one, other) for one, other in pairwise(row)] for row in rows]
    for row in rows[1:-1]:
        for place, box in enumerate(row):
            y[box] = height * (place + 0.5) / len(row)
    for _ in range(PLACINGS):
        for row, apart in zip(rows[1:-1], gaps[1:-1], strict=True):
            wish, pull = wishes(grid, row, y, (True, True))
            settle(row, apart, wish, pull, y)
            offsets = np.cumsum([0.0, *apart])
            low, high = tall[row[0]] / 2 + RIM, height - tall[row[-1]] / 2 - RIM - offsets[-1]
            for box, offset in zip(row, offsets, strict=True):
                y[box] = offset + max(low, min(y[box] - offset, high)) if low < high else y[box]
    result = np.array(y[: len(board.y)])
    result[:fixed] = board.y[:fixed]
    return np.clip(result, board.least, board.most)


def means(board: Board, fixed: int, most: int) -> list[np.ndarray]:
    """Return so many choices of y that are near a drawing of Tutte: each box is at the mean of its neighbors."""
    pull = np.zeros((len(board.y), len(board.y)))
    np.add.at(pull, (board.tail, board.head), 1)
    pull += pull.T
    matrix = np.diag(pull.sum(1)) - pull
    y, random = board.y.copy(), np.random.default_rng(11)
    height = (board.least + board.most).max()
    free = np.arange(fixed, len(y))
    matrix[free, free] += 1e-6  # where nothing leads to an input or an output, the middle
    y[free] = np.linalg.solve(matrix[fixed:, fixed:], pull[fixed:, :fixed] @ y[:fixed] + 1e-6 * height / 2)
    result = [
        np.where(np.arange(len(y)) < fixed, y, y + random.normal(0, height / 6 * bool(k), len(y))) for k in range(most)
    ]
    return [np.clip(each, board.least, board.most) for each in result]


# ---- a picture ----


Places = dict[str, tuple[float, float]]
"""Centers by key: ``vertex/3`` or ``label/1.3``."""

WIDTH, HEIGHT = 780.0, 430.0  # of the stage
STUB = 18.0  # of a line beside inputs and outputs, where a line graph has one
EDGE = 40.0  # at least, from the sides of the stage to the centers of inputs and outputs
DISC = 44.0  # the height of a vertex, and its width where its name is short
GAP, SIDE = 18.0, 22.0  # at least, between boxes one after the other; beside inputs and outputs
PASSES, ROUNDS = 4, 3
EFFORT = 150  # boxes and starts, so many of both together
SHARES = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)  # of the way between its ends where a fill-in may come in
STRETCH = 1.2  # of x about the middle
MOST = 12  # labels on a stage of this size
LONGEST = 3.4  # times as wide as high, at most
AT_END = 0.66  # where the labels stand when only inputs and outputs are left
BETWEEN = 78.0  # at most, between labels there


_Found = tuple[int, float, np.ndarray]


class End(NamedTuple):
    """A vertex; ``size`` is the number of its rows, and ``w`` the width of its box."""

    key: str
    role: Role
    size: int
    w: float = DISC


class Wire(NamedTuple):
    """A label between two vertices, with the size of its box as a node of the line graph."""

    key: str
    tail: str
    head: str
    w: float
    h: float


def first_places(ends: Sequence[End], wires: Sequence[Wire], W: float = WIDTH, H: float = HEIGHT) -> Places:
    """Return the centers of all vertices and labels, with as few crossings as several starts find.

    >>> ends = [End("0", "input", 1), End("1", "intermediate", 1), End("2", "output", 1)]
    >>> first_places(ends, [Wire("0.1", "0", "1", 92, 50), Wire("1.2", "1", "2", 92, 50)])["vertex/1"]
    (390.0, 215.0)
    """
    if _is_done(ends, wires):
        return _last_places(ends, wires, W, H)
    picture = _Picture(ends, wires, W, H)
    board, free = picture.board(), picture.free
    tries = max(2, min(5, EFFORT // len(free)))
    starts = [*orders(board, free[0], tries), *means(board, free[0], tries)]
    found = sorted((_settled(board, y, free, COARSE) for y in starts), key=itemgetter(0, 1))
    best = _first_good(_settled(board, y, free) for _, _, y in found[:tries])
    random = np.random.default_rng(7)
    for _ in range(tries):
        if not best[0]:
            break
        y = best[2].copy()
        shaken = random.choice(free, len(free) // 3 + 1, replace=False)
        y[shaken] += random.normal(0, H / 12, len(shaken))
        best = min(best, _settled(board, np.clip(y, board.least, board.most), free), key=itemgetter(0, 1))
    board.y = best[2]
    return _freed(picture, board)


def stage(ends: Sequence[End], wires: Sequence[Wire], most: int = 0) -> tuple[float, float]:
    """Return the width and the height of the smallest stage that has room for the longest path and ``most`` labels.

    It is 780 by 430 or larger: as wide as paths are long, and higher where that leaves too little room.

    >>> stage([End("0", "input", 1), End("1", "output", 1)], [Wire("0.1", "0", "1", 92, 50)])
    (780.0, 430.0)
    """
    inner = max((end.w for end in ends if end.role == "intermediate"), default=DISC)
    long = max((wire.w for wire in wires), default=0) + inner + 2 * GAP
    depth = max(depths(wires)[0].values(), default=0)
    rows = max(sum(end.role == role for end in ends) for role in ("input", "output"))
    area = max(most, len(wires)) / MOST
    wide = max(1.0, (long * depth + 2 * (_edge(ends) + SIDE - GAP)) / WIDTH, sqrt(area))
    high = max(1.0, rows * (DISC + ROOM) / HEIGHT, area / wide, WIDTH * wide / LONGEST / HEIGHT)
    return round(WIDTH * wide, 1), round(HEIGHT * high, 1)


def born(
    places: Places,
    ends: Sequence[End],
    wires: Sequence[Wire],
    added: Sequence[Wire],
    W: float = WIDTH,
    H: float = HEIGHT,
) -> Places:
    """Return the centers of labels that come in among ``wires``, and of them only: the rest stays where it is.

    They take the outside, so that their lines are arcs around what is there.
    """
    return _inserted(_Picture(ends, [*wires, *added], W, H), places, added, outside=True)


def relaxed(
    places: Places,
    ends: Sequence[End],
    wires: Sequence[Wire],
    W: float = WIDTH,
    H: float = HEIGHT,
    pairs: Collection[tuple[str, str]] | None = None,
) -> Places:
    """Return the centers after a move: inputs and outputs where they are, the others as near as order allows.

    ``pairs`` of labels, the faces that are left, change nothing: a line leads to a vertex as long as it is there.
    """
    if _is_done(ends, wires):
        return _last_places(ends, wires, W, H)
    picture = _Picture(ends, wires, W, H)
    board = picture.board()
    board.was = np.array([places.get(key, place)[1] for key, place in zip(picture.index, picture.centers, strict=True)])
    found = []
    for order in (picture.free, picture.free[::-1]):  # from the other side there may be fewer crossings
        board.y = board.was.copy()
        board.descend(order, PASSES)
        found.append((board.faults(), board.y))
        if not found[-1][0]:
            break
    board.y = min(found, key=itemgetter(0))[1]
    return _freed(picture, board)


def crossings(places: Places, ends: Sequence[End], wires: Sequence[Wire]) -> int:
    """Return how many lines between labels and vertices cross."""
    return _Picture(ends, wires, WIDTH, HEIGHT).board(places).crossings()


# ---- what is on the board ----


class _Picture:
    """Keys of what is there, in order of x, with boxes, and lines between a label and the vertices at its ends."""

    def __init__(self, ends: Sequence[End], wires: Sequence[Wire], width: float, height: float):
        known = {end.key for end in ends}
        used = dict.fromkeys(key for wire in wires for key in wire[1:3])
        ends = [*ends, *(End(key, "intermediate", 1) for key in used if key not in known)]
        self.wires, self.height = wires, height
        self.sizes = {f"label/{wire.key}": (wire.w, wire.h) for wire in wires}
        vertices = {f"vertex/{end.key}": (end.w, DISC) for end in ends}
        fixed = _fixed(ends, width, height)
        x = _columns(ends, wires, width)
        kept = [f"vertex/{end.key}" for end in ends if end.key in used and f"vertex/{end.key}" not in fixed]
        free = sorted([*self.sizes, *kept], key=lambda key: x[key])
        self.sizes |= vertices
        self.index = {key: place for place, key in enumerate([*fixed, *free])}
        self.free = list(range(len(fixed), len(self.index)))
        self.centers = [fixed.get(key) or (x[key], height / 2) for key in self.index]
        self.named = [
            line
            for wire in wires
            for label in [f"label/{wire.key}"]
            for line in ((f"vertex/{wire.tail}", label), (label, f"vertex/{wire.head}"))
        ]
        self.lines = [(self.index[one], self.index[other]) for one, other in self.named]

    def box(self, key: str, x: float, y: float) -> Box:
        return Box(*self.sizes[key], x, y)

    def board(self, places: Places | None = None) -> Board:
        centers = places or dict(zip(self.index, self.centers, strict=True))
        return Board([self.box(key, *centers[key]) for key in self.index], self.lines, self.height)

    def places(self, board: Board) -> Places:
        return {key: _rounded(board.x[i], board.y[i]) for key, i in self.index.items()}


def _settled(board: Board, y: np.ndarray, order: Sequence[int], levels: int = FINE) -> _Found:
    """Return faults, cost and y after a descent from a start; a fault is a crossing, or a line under a box."""
    board.y = y.copy()
    board.descend(order, PASSES, levels)
    return board.faults(), round(board.total(), 6), board.y


def _first_good(found: Iterable[_Found]) -> _Found:
    """Return the first that has no faults, or else the one with the fewest."""
    best = None
    for each in found:
        if not each[0]:
            return each
        best = min(best or each, each, key=itemgetter(0, 1))
    assert best
    return best


def _freed(picture: _Picture, board: Board) -> Places:
    """Return the places on a board; what overlaps something goes up or down, and labels also between their ends."""
    places = picture.places(board)
    for number in range(ROUNDS):
        crowded = board.overlapping()
        if not crowded[picture.free].any():
            break
        board.descend([box for box in picture.free if crowded[box]], PASSES)
        moved = [wire for wire in picture.wires if board.overlapping()[picture.index[f"label/{wire.key}"]]]
        places = picture.places(board)
        places |= _inserted(picture, places, moved[:: (-1) ** number], outside=False)
        board = picture.board(places)
    return places


def _inserted(picture: _Picture, places: Places, added: Sequence[Wire], *, outside: bool) -> Places:
    """Return the best places of some labels, among several x for each, while the rest stays where it is."""
    new = [f"label/{wire.key}" for wire in added]
    there = {key: place for key, place in places.items() if key in picture.index and key not in new}
    boxes = [
        picture.box(key, *there.get(key, center)) for key, center in zip(picture.index, picture.centers, strict=True)
    ]
    lines = [line for line, ends in zip(picture.lines, picture.named, strict=True) if not {*ends} & {*new}]
    spots: dict[str, list[int]] = {}
    for key, wire in zip(new, added, strict=True):
        tail, head = f"vertex/{wire.tail}", f"vertex/{wire.head}"
        (x, y), (u, v) = there[tail], there[head]
        spots[key] = [len(boxes) + k for k in range(len(SHARES))]
        for share, spot in zip(SHARES, spots[key], strict=True):
            boxes.append(picture.box(key, x + share * (u - x), (y + v) / 2))
            lines += [(picture.index[tail], spot), (spot, picture.index[head])]
    board = Board(boxes, lines, picture.height)
    board.outer = range(len(picture.index), len(boxes)) if outside else ()
    board.put([*range(len(picture.index), len(boxes)), *(picture.index[key] for key in new)], there=False)
    for _ in range(2):
        for tried in spots.values():
            board.put(tried, there=False)
            best = []
            for spot in tried:
                ys = board.heights(spot, FINE)
                costs = board.costs(spot, ys)
                best.append((round(float(costs.min()), 6), spot, float(ys[costs.argmin()])))
            _, spot, board.y[spot] = min(best)
            board.put([spot], there=True)
    return {
        key: _rounded(board.x[spot], board.y[spot])
        for key, tried in spots.items()
        for spot in tried
        if board.there[spot]
    }


def _rounded(x: float, y: float) -> tuple[float, float]:
    return round(float(x), 1), round(float(y), 1)


def _is_done(ends: Sequence[End], wires: Sequence[Wire]) -> bool:
    middle = {end.key for end in ends if end.role == "intermediate"}
    return not any(wire.tail in middle or wire.head in middle for wire in wires)


# ---- x ----


def _columns(ends: Sequence[End], wires: Sequence[Wire], width: float) -> dict[str, float]:
    """Return x by key: of a label by the longest paths before and after it, of a vertex between its labels."""
    before, after = depths(wires)
    share = {wire.key: (before[wire.tail] + 1) / (before[wire.tail] + after[wire.head] + 2) for wire in wires}
    least, most = min(share.values()), max(share.values())
    edge = _edge(ends)
    side = edge + max(end.w for end in ends) / 2 + SIDE + max(wire.w for wire in wires) / 2
    low, high = (width / 2 + STRETCH * (each - 0.5) * (width - 2 * edge) for each in (least, most))
    low, high = max(low, side), min(high, width - side)
    x = {key: low + (high - low) * (each - least) / (most - least or 1) for key, each in share.items()}
    result = {f"label/{key}": each for key, each in x.items()}
    for end in ends:
        left = [x[wire.key] + wire.w / 2 for wire in wires if wire.head == end.key]
        right = [x[wire.key] - wire.w / 2 for wire in wires if wire.tail == end.key]
        if left or right:
            result[f"vertex/{end.key}"] = (max(left, default=edge) + min(right, default=width - edge)) / 2
    return result


def _edge(ends: Sequence[End]) -> float:
    """Return the distance of the centers of inputs and outputs from the sides of the stage."""
    return max([EDGE, *(end.w / 2 + STUB for end in ends if end.role != "intermediate")])


def depths(wires: Sequence[Wire]) -> tuple[dict[str, int], dict[str, int]]:
    """Return by vertex the number of edges on the longest path before it, and after it."""
    before, after = ({key: 0 for wire in wires for key in wire[1:3]} for _ in range(2))
    for _ in before:  # in topological order, one round would do
        for wire in wires:
            before[wire.head] = max(before[wire.head], before[wire.tail] + 1)
            after[wire.tail] = max(after[wire.tail], after[wire.head] + 1)
    return before, after


# ---- y ----


def _fixed(ends: Sequence[End], width: float, height: float) -> Places:
    """Return the centers of inputs and outputs: outputs lie at the heights of their rows of the Jacobian."""
    places: Places = {}
    for role, x in (("input", _edge(ends)), ("output", width - _edge(ends))):
        chosen = [end for end in ends if end.role == role]
        sizes = [end.size if role == "output" else 1 for end in chosen]
        y = 0.0
        for end, band in zip(chosen, _bands(sizes, height), strict=True):
            places[f"vertex/{end.key}"] = _rounded(x, y + band / 2)
            y += band
    return places


def _bands(sizes: Sequence[int], height: float) -> list[float]:
    """Return parts of the height in proportion to sizes, but none that is too narrow for a vertex, if there is room."""
    least = min(DISC + ROOM, height / max(1, len(sizes)))
    total = sum(sizes) or 1
    if min(sizes, default=1) * height >= least * total:
        return [height * size / total for size in sizes]
    return [least + (height - least * len(sizes)) * size / total for size in sizes]


def _last_places(ends: Sequence[End], wires: Sequence[Wire], width: float, height: float) -> Places:
    """Return the centers when only inputs and outputs are left: labels in the reading order of the Jacobian."""
    places = _fixed(ends, width, height)
    inputs = {end.key: k for k, end in enumerate(ends)}
    rows: dict[str, list[Wire]] = {end.key: [] for end in ends if end.role == "output"}
    for wire in sorted(wires, key=lambda wire: inputs[wire.tail]):
        rows[wire.head].append(wire)
    bands = dict(zip(rows, _bands([end.size for end in ends if end.role == "output"], height), strict=True))
    labels = [
        (wire, places[f"vertex/{key}"][1] + (k - (len(row) - 1) / 2) * min(BETWEEN, bands[key] / len(row)))
        for key, row in rows.items()
        for k, wire in enumerate(row)
    ]
    for wire, y, column in _side_by_side(labels, height):
        places[f"label/{wire.key}"] = _rounded(AT_END * width + column * (wire.w + ROOM), y)
    return places


def _side_by_side(labels: list[tuple[Wire, float]], height: float) -> Iterable[tuple[Wire, float, float]]:
    """Yield labels with their y and their column, which is 0 if one column has room for all."""
    tall = max((wire.h for wire, _ in labels), default=0.0) + ROOM
    columns = max(1, int(np.ceil(len(labels) * tall / (height + ROOM))))
    ys = [y for _, y in labels]
    half = tall / 2 - ROOM / 2
    for k in range(len(ys)):
        ys[k] = max(ys[k], half, ys[k - columns] + tall if k >= columns else half)
    for k in reversed(range(len(ys))):
        last = height - half
        ys[k] = min(ys[k], last, ys[k + columns] - tall if k + columns < len(ys) else last)
    return [(wire, y, k % columns - (columns - 1) / 2) for k, ((wire, _), y) in enumerate(zip(labels, ys, strict=True))]
