"""Edges of a sweep as marks: lines of the data, ribbons of derivatives, gates, and products on their way.

The same as ``edges.ts`` of the front end.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import pi, sin

from ..scene.flow_panel import Amount, FlowEdge
from .flow_motion import (
    ARRIVES,
    AT_GATE,
    LEAVES,
    LIFT,
    MULTIPLIED,
    Point,
    cut,
    direction_at,
    eased,
    headed,
    point_at,
    within,
)
from .flow_pills import PILL, SMALL_CELL, band, extent, hatched, heat, hue, moving, pair, pill, written
from .flow_places import EQUATION, HIGH, labelled
from .flow_standing import DEAD, ENDED, LIT, PAST, PLAYED, UNLIT, Context
from .marks import Arrow, Box, Curve, Mark, Text

POST = 4.0
UNKNOWN = 8.0  # the width of a ribbon of what is not a number, which has no size


def edge_marks(edge: FlowEdge, context: Context) -> Iterator[Mark]:
    """Yield an edge: the line of the data, and the ribbon of the derivative as far as it has come."""
    phase, lit = context.sends.get(edge["key"]), context.lit
    share = phase.share if phase else 0.0
    if share < 1:
        yield from _data_marks(edge, share, _opacity(edge, context))
    if not phase or "given" not in edge or "product" not in edge or share <= LIFT:
        return
    first, second = context.ways(edge)
    if lit is not None:
        opacity = LIT if edge["key"] in lit else UNLIT
    else:
        opacity = ENDED if context.is_ended else PLAYED if phase.is_played else PAST
    yield from _ribbon(edge["given"], cut(first, eased(within(share, LIFT, AT_GATE))), opacity)
    beyond = eased(within(share, LEAVES, ARRIVES))
    product = edge["product"]
    if beyond > 0 and share < ARRIVES:
        yield from _ribbon(product, cut(second, beyond), opacity)
    elif beyond:
        wide = _thickness(product) + 10
        stem, head = headed(second, max(12.0, 0.62 * wide), wide)
        yield from _ribbon(product, stem, opacity)
        yield Arrow(head, hue(product["sign"]), opacity=opacity)


def _opacity(edge: FlowEdge, context: Context) -> float:
    if edge["dead"]:
        return DEAD
    return UNLIT if context.lit is not None and edge["key"] not in context.lit else 1.0


def _data_marks(edge: FlowEdge, share: float, opacity: float) -> Iterator[Mark]:
    """Yield the line along which the value of an operand is used."""
    stem, head = headed(edge["after"], 13, 11)
    line = partial(Curve, line="faint", thickness=1.6, dashed=edge["dead"], opacity=opacity)
    yield line(edge["before"])
    yield line(stem if share < ARRIVES else edge["after"])
    if share < ARRIVES:
        yield Arrow(head, "faint", opacity=opacity)


def _thickness(amount: Amount) -> float:
    return UNKNOWN if amount["sign"] is None else amount["ribbon"]


def _ribbon(amount: Amount, points: list[float], opacity: float) -> Iterator[Mark]:
    """Yield a derivative on its edge, as wide as it is large.

    One of both signs has a casing of the sign that is less.
    """
    sign, against = amount["sign"], amount.get("against", 0.0)
    is_nothing = sign == 0 and not against
    if sign is None:
        yield from hatched(points, UNKNOWN, opacity)
        return
    wide = 1.6 if is_nothing else amount["ribbon"]
    if not against or wide < 4:
        yield Curve(points, hue(sign), wide, is_nothing, opacity)
        return
    core = wide * (1 - against)
    yield Curve(points, "negative" if sign == 1 else "positive", wide, opacity=opacity)
    yield Curve(points, "paper", core)
    yield Curve(points, hue(sign), core, opacity=opacity)


def gate_marks(edge: FlowEdge, context: Context) -> Iterator[Mark]:
    """Yield the local partial of an edge: a box between two posts."""
    gate, phase = edge["gate"], context.sends.get(edge["key"])
    x, y, w, h, symbol, number = gate["x"], gate["y"], gate["w"], gate["h"], gate["symbol"], gate["number"]
    is_played = phase is not None and phase.is_played and phase.share > 0
    opacity, ink, top = _opacity(edge, context), "ink" if is_played else "muted", y - h / 2
    begins = "first" in edge and phase is not None and phase.share >= MULTIPLIED
    line, thickness = ("ink", 3.2) if begins else ("ink", 2.0) if is_played else ("faint", 1.4)
    yield Box(x - w / 2, top, w, h, 1, "paper", line, thickness=thickness, opacity=opacity)
    for side in (-1, 1):
        if _is_steep(edge):
            yield Box(x - w / 2, y + side * h / 2 - POST / 2, w, POST, 1, ink, thickness=0, opacity=opacity)
        else:
            yield Box(x + side * w / 2 - POST / 2, top, POST, h, 1, ink, thickness=0, opacity=opacity)
    if symbol:
        baseline = y + 6 if not number and "map" not in gate else top + 24
        yield Text(x, baseline, symbol, 18, "ink", "serif", opacity=opacity)
    if number:
        baseline = y + 20 if symbol else y + 6
        yield from band(number, x, baseline + 4, min(w - 12, 12 * len(number) + 4), opacity)
        yield Text(x, baseline, number, 18, "ink", "bold", opacity=opacity)
    if "map" in gate:
        middle = y + h / 2 - 8 - SMALL_CELL * len(gate["map"]["rows"]) / 2
        yield from heat(gate["map"], x, middle, SMALL_CELL, opacity)


def _is_steep(edge: FlowEdge) -> bool:
    """Whether an edge passes its gate from above or from below."""
    (x, y), gate = edge["before"][-2:], edge["gate"]
    return abs(x - gate["x"]) < gate["w"] / 2 - 1 and abs(y - gate["y"]) > gate["h"] / 2 - 1


def equation_marks(edge: FlowEdge, context: Context) -> Iterator[Mark]:
    """Yield the product at a gate in numbers, from when it is multiplied out until the next step."""
    phase, place = context.sends.get(edge["key"]), context.places.equations.get(edge["key"])
    if place and phase and phase.is_played and phase.share >= MULTIPLIED:
        is_unlit = context.lit is not None and edge["key"] not in context.lit
        color = hue(edge["product"]["sign"] if "product" in edge else 0)
        yield from label(*pair(edge["equation"]), place, color, UNLIT if is_unlit else 1.0)


def label(text: str, wide: float, place: Point, fill: str, opacity: float) -> Iterator[Mark]:
    """Yield an equation on a ground that keeps it legible on whatever is behind."""
    (x, y), w = place, labelled(wide)
    yield Box(x - w / 2, y - HIGH / 2, w, HIGH, 4, "paper", thickness=0, opacity=0.86 * opacity)
    yield Text(x, y + 6, text, EQUATION, fill, "bold", opacity=opacity)


def travel_marks(edge: FlowEdge, context: Context) -> Iterator[Mark]:
    """Yield a product on its way, from the node that sends it through the gate to the node that receives it."""
    phase = context.sends.get(edge["key"])
    if not phase or "given" not in edge or "product" not in edge or not 0 < phase.share < 1:
        return
    share, given, product, gate = phase.share, edge["given"], edge["product"], edge["gate"]
    first, second = context.ways(edge)
    down, parked = _aside(edge), context.places.parked.get(edge["key"])
    here = gate["x"], gate["y"] + down
    factors, wide = pair(edge["factors"])
    if share < LIFT:
        yield from _between(given, context.source(edge).slot, point_at(first, 0), within(share, 0, LIFT))
    elif share < AT_GATE:
        t = eased(within(share, LIFT, AT_GATE))
        x, y = point_at(first, t)
        yield from moving(given, x, y + down * within(t, 0.6, 1), direction_at(first, t))
    elif share < MULTIPLIED and factors:
        yield from written(given, factors, wide, *here, PILL, 1.0)
    elif share < LEAVES:
        swell = 1 + 0.18 * sin(pi * within(share, MULTIPLIED, LEAVES))
        yield from pill(given if share < MULTIPLIED else product, *here, PILL * swell, 1.0)
    elif share < ARRIVES:
        t = eased(within(share, LEAVES, ARRIVES))
        (x, y), near = point_at(second, t), within(t, 0.4, 1)
        to_x, to_y = parked or (x, y)
        y += near * (to_y - y) + down * within(t, 0.4, 0)
        yield from moving(product, x + near * (to_x - x), y, direction_at(second, t))
    else:
        start, end = parked or point_at(second, 1), parked or context.target(edge).slot
        yield from _between(product, start, end, within(share, ARRIVES, 1))


def _aside(edge: FlowEdge) -> float:
    """Return how far below the middle of its gate a derivative is multiplied.

    It may cover the factor, never the symbol.
    """
    gate, given, product = edge["gate"], edge["given"], edge["product"]
    if "map" not in given and "map" not in product:
        return 13.0 if gate["symbol"] and gate["number"] else 0.0
    high = max(extent(given, PILL)[1], extent(product, PILL)[1])
    return max(0.0, gate["h"] / 2 - 6 - high / 2) if "map" in gate else gate["h"] / 2 + high / 2 - 6


def _between(amount: Amount, start: Point, end: Point, share: float) -> Iterator[Mark]:
    t = eased(share)
    yield from pill(amount, start[0] + t * (end[0] - start[0]), start[1] + t * (end[1] - start[1]), PILL, 1.0)
