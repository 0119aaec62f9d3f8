"""Place a sweep so that it is seen as large as possible: from left to right, in one row if that can be read.

Edges leave a node at the right and enter it at the left, in the order of what they lead to, so that numbers can park
beside each other; every edge has a gate, and nothing lies on it. Several placements are made (one row or more, inputs
in the rows or beside their consumers), and the one that a stage of common proportions shows largest is taken. Few nodes
stand in one row, where no edge runs back, unless they are too small there. The result depends on nothing but the graph
and its sizes.
"""

from __future__ import annotations

from typing import NamedTuple

from ..scene import theme
from . import flow_columns, flow_sheet
from .flow_columns import Edge as Edge
from .flow_columns import Room as Room
from .flow_columns import Size as Size
from .flow_sheet import Point

STAGE = 880.0, 560.0  # px that a show has for its picture on a common screen
LARGE = 1.2  # what is seen so large may as well stand in fewer rows
LEGIBLE = 0.72  # text of 11 px on a screen of 1280; few nodes stand in one row where that is reached
READABLE = 0.66  # and of 10 px, which is enough where an edge would have to run back instead
MOST_ROWS = 8
MOST_PLACED = 2  # the most promising of them are made
ROW_COST = 0.95  # what one row more must gain, as a share of the scale
RETURN_COST = 0.97  # and one edge more that goes around the end of a row
CROSSING_COST = 0.97
SATELLITE_COST = 0.93  # inputs stand at the left where that costs little


class Placed(NamedTuple):
    """Centers of nodes and gates, and for each edge the curves before and after its gate; the size of all; the rows."""

    nodes: list[Point]
    gates: list[Point]
    before: list[list[float]]
    after: list[list[float]]
    size: Size
    note: str | None
    rows: int = 1


def place(nodes: list[Size], edges: list[Edge], gates: list[Size], room: list[Room] | None = None) -> Placed:
    """Place nodes of given sizes, and edges from operand to result with gates of given sizes.

    ``room`` is for each node the px wanted at its left and at its right for numbers that park.

    >>> placed = place([(60.0, 40.0), (60.0, 40.0)], [(0, 1)], [(40.0, 30.0)])
    >>> (x, y), (gate_x, gate_y), (end_x, end_y) = placed.nodes[0], placed.gates[0], placed.nodes[1]
    >>> x < gate_x < end_x, y == gate_y == end_y
    (True, True)
    """
    graph = flow_columns.Graph(nodes, edges, gates, room or [(0.0, 0.0)] * len(nodes))
    if not nodes:
        return Placed([], [], [], [], (2 * theme.MARGIN, 2 * theme.MARGIN), None)
    sheet = best(graph)
    result = sheet.places()
    width, height = (round(length + 2 * theme.MARGIN, 1) for length in result.size)
    return Placed(
        [(_at(x), _at(y)) for x, y in result.nodes],
        [(_at(x), _at(y)) for x, y in result.gates],
        [[*map(_at, curve)] for curve in result.before],
        [[*map(_at, curve)] for curve in result.after],
        (width, height),
        None,
        len(sheet.rows),
    )


def _at(number: float) -> float:
    return round(number + theme.MARGIN, 1)


def best(graph: flow_columns.Graph) -> flow_sheet.Sheet:
    """Return the placement with the highest score, or that of few nodes in one row where they can be read."""
    beside = flow_columns.satellites(graph)
    ways = [beside, {}] if beside else [{}]
    result = _best(graph, ways, MOST_ROWS)
    if len(graph.nodes) <= flow_columns.FEW and len(result.rows) > 1:
        straight = _best(graph, ways, 1)
        if scale(straight.size) >= (READABLE if result.returns else LEGIBLE):
            result = straight
    return result


def _best(graph: flow_columns.Graph, ways: list[dict[int, int]], most_rows: int) -> flow_sheet.Sheet:
    """Return the placement in so many rows at most that has the highest score; one that cannot have it is not made."""
    scored: list[tuple[float, flow_sheet.Sheet]] = []
    for satellites in ways:
        for most, share, columns, begins in plans(graph, satellites, most_rows)[:MOST_PLACED]:
            if most > max((score for score, _ in scored), default=0.0):
                sheet = flow_sheet.cut(columns, begins)
                scored.append((share * scale(sheet.size) * RETURN_COST**sheet.returns, sheet))
    return max(scored, key=lambda each: each[0])[1]


def plans(
    graph: flow_columns.Graph, satellites: dict[int, int], most_rows: int
) -> list[tuple[float, float, flow_columns.Columns, list[int]]]:
    """Return the ways to cut the columns into rows: the best score that it can have, and the factor of the size."""
    result = []
    columns = flow_columns.Columns(graph, satellites)
    cost = CROSSING_COST ** columns.crossings() * (SATELLITE_COST if satellites else 1.0)
    for rows in range(1, most_rows + 1):
        begins = columns.cuts(rows)
        if begins is None:
            break
        share = cost * ROW_COST ** (rows - 1)
        size, returns = columns.least(begins)
        result.append((share * scale(size) * RETURN_COST**returns, share, columns, begins))
    return sorted(result, key=lambda plan: -plan[0])


def scale(size: Size) -> float:
    """Return how large a placement of this size is on the stage."""
    return min(LARGE, STAGE[0] / (size[0] + 2 * theme.MARGIN), STAGE[1] / (size[1] + 2 * theme.MARGIN))
