"""A moment of a sweep as marks: nodes with their derivatives, what waits at them, and what is added.

The same marks in the same order as ``moment.ts`` and ``edges.ts`` of the front end; a test compares them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from math import pi, sin

from ..scene.flow_panel import Amount, FlowEdge, FlowNode, FlowPanel
from ..scene.text_widths import printable
from .flow_motion import (
    ADDED,
    ARRIVES,
    AT_GATE,
    GATHERED,
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
from .flow_pills import (
    CELL,
    HIGH,
    PILL,
    RESULT,
    SMALL_CELL,
    band,
    extent,
    fitting,
    ghost,
    hatched,
    heat,
    hue,
    moving,
    pair,
    pill,
    stacked,
    written,
)
from .flow_places import EQUATION, MOST_PARKED, Places, arrivals, labelled, places
from .flow_places import HIGH as EQUATION_HIGH
from .flow_standing import DEAD, DONE, ENDED, LIT, PAST, PLAYED, UNLIT, Context, Lit, Standing, stand, strip_marks
from .marks import Arrow, Box, Curve, Item, Mark, Text

# ---- edges ----


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
    """Return whether an edge passes its gate from above or from below."""
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
    yield Box(x - w / 2, y - EQUATION_HIGH / 2, w, EQUATION_HIGH, 4, "paper", thickness=0, opacity=0.86 * opacity)
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


# ---- nodes ----


MOST_ADDED = 3  # arrays that are shown beside each other while they are added
INSIDE = 24.0  # what a result leaves of the width of its node, so that it stays inside the round corners
WIDEST_SUM = 320.0  # px of the terms of a sum
STACKED = 5.0  # px by which each edge of a folded node stands out behind the one before it
FOLDED, FOLD_LINE = 22.0, 20.0  # px at the top of a folded node for what is in it, and to the baseline of that
EQUALS = re.compile(r" [=≈] ")


def moment(
    panel: FlowPanel, start: int, stop: int, progress: float, placed: Places | None = None, lit: Lit = None
) -> Iterator[Item]:
    """Yield the picture of a sweep when so much (0 to 1) of the way between two cursors is done.

    ``placed`` is what :func:`~.flow_places.places` returns for this panel; ``lit`` are the edges of a path that is
    looked at.
    """
    context = stand(panel, placed or places(panel), start, stop, progress, lit)
    nodes, edges = context.standings.values(), panel["edges"]
    layers: list[tuple[str, Iterable[tuple[str, str, Iterator[Mark]]]]] = [
        ("edge", ((edge["key"], "", edge_marks(edge, context)) for edge in edges)),
        ("gate", ((edge["key"], "", gate_marks(edge, context)) for edge in edges)),
        ("node", ((each.node["key"], each.node["title"], node_marks(each, context)) for each in nodes)),
        ("equation", ((edge["key"], "", equation_marks(edge, context)) for edge in edges)),
        ("parked", ((each.node["key"], "", parked_marks(each, context)) for each in nodes)),
        ("seed", ((each.node["key"], "", seed_marks(each, context)) for each in nodes)),
        ("strip", (("", "", strip_marks(panel, stop)),)),
        ("way", ((edge["key"], "", travel_marks(edge, context)) for edge in edges)),
    ]
    for kind, drawn in layers:
        for key, title, marks in drawn:
            if result := list(marks):
                yield Item(f"{panel['id']}/{kind}/{key}", kind, printable(title), result)


def node_marks(standing: Standing, context: Context) -> Iterator[Mark]:
    """Yield a node with its value and its derivative, or the place for it."""
    node, lit, total = standing.node, context.lit, standing.sum
    x, y, w, h = node["x"], node["y"], node["w"], node["h"]
    is_played = any(phase.is_played and phase.share > 0 for phase in [total, standing.seed, *standing.sending] if phase)
    sent = bool(standing.sending) and all(phase.share >= 1 for phase in standing.sending)
    touched = lit is None or any(
        node["node"] in (edge["head"], edge["tail"]) for key, edge in context.edges.items() if key in lit
    )
    strength = DEAD if node["dead"] else 1.0 if touched else UNLIT
    opacity = min(DONE, strength) if sent and not context.is_ended and not is_played else strength
    corner = min(h / 2, 28.0 if "map" in node else 40.0) if node["kind"] == "input" else 12.0
    line, thickness = ("ink", 3.2) if is_played or "first" in node else ("faint", 1.6)
    if "fold" in node:
        for k in (2, 1):
            left, up = x - w / 2 + k * STACKED, y - h / 2 - k * STACKED
            yield Box(left, up, w - 2 * k * STACKED, h, 12.0, "paper", "faint", node["dead"], 1.6, opacity)
    yield Box(x - w / 2, y - h / 2, w, h, corner, "paper", line, node["dead"], thickness, opacity)
    if node["kind"] == "output" or "returned" in node:
        yield Box(
            x - w / 2 + 5, y - h / 2 + 5, w - 10, h - 10, corner - 5, "paper", "faint", node["dead"], 1.4, opacity
        )
    if "fold" in node:
        yield Text(x, y - h / 2 + FOLD_LINE, node["fold"], 17, "muted", opacity=opacity)
    yield from (_array_marks if "map" in node else _number_marks)(standing, opacity, strength)
    place = context.places.totals.get(node["key"])
    if place and total and total.is_played and total.share >= 1:
        text, wide = pair(node["total"])
        color = hue(node["result"]["sign"] if "result" in node else 0)
        yield from label(text, wide * (EQUATION / PILL), place, color, strength)


def _number_marks(standing: Standing, opacity: float, strength: float) -> Iterator[Mark]:
    """Yield the name and the value of a number, and its derivative, or the place for it."""
    node, total = standing.node, standing.sum
    x, y = node["x"], node["y"] + ("fold" in node) * FOLDED / 2
    if node["kind"] == "block":
        left = x - node["w"] / 2 + 18 + node["value_w"] / 2
        yield Text(x, y - 14, node["name"], 22, "ink", "serif", opacity=opacity)
        yield from band(node["value"], left, y + 30, node["value_w"], opacity)
        yield Text(left, y + 25, node["value"], 19, "ink", opacity=opacity)
    else:
        yield from band(node["value"], x, y - 23, 0.9 * node["name_w"], opacity)
        yield Text(x, y - 28, node["name"], 22, "ink", "serif", opacity=opacity)
        yield Text(x, y - 2, node["derivative"], 17, "muted", "serif", opacity=opacity)
    slot_x, slot_y = standing.slot
    if standing.is_complete and "result" in node:
        if not total or total.share >= 1:
            yield from pill(node["result"], slot_x, slot_y, _result_size(standing), strength)
    elif standing.arriving or total or standing.seed:
        high = HIGH * PILL
        yield Box(slot_x - 28, slot_y - high / 2, 56, high, high / 2, "", "faint", True, 1.4, opacity)


def _result_size(standing: Standing) -> float:
    """Return the size of a result: larger for inputs, and in forward mode for outputs, as far as there is room."""
    node = standing.node
    if node["kind"] == "block" or not standing.arriving:
        return PILL
    return fitting(node["result"]["w"], node["w"] - INSIDE, RESULT)


def _array_marks(standing: Standing, opacity: float, strength: float) -> Iterator[Mark]:
    """Yield the value of an array as a map, and beside it that of its derivative under a bar."""
    node, total = standing.node, standing.sum
    given, x, y = node["map"], node["x"], node["y"]
    baseline = y - node["h"] / 2 + 24 + ("fold" in node) * FOLDED
    yield Text(x - node["value_w"] / 2 - 4, baseline, node["name"], 22, "ink", "serif", opacity=opacity)
    yield Text(x + node["name_w"] / 2 + 4, baseline, node["value"], 17, "muted", opacity=opacity)
    wide, high = CELL * len(given["columns"]), CELL * len(given["rows"])
    yield from heat(given, x - 8 - wide / 2, y + node["slot"][1], CELL, opacity)
    if not standing.arriving and not standing.seed and not total:
        return
    slot_x, slot_y = standing.slot
    result = node["result"].get("map") if "result" in node else None
    complete = standing.is_complete and (not total or total.share >= 1) and result is not None
    bar = "ink" if complete else "faint"
    yield Box(slot_x - wide / 2, slot_y - (high / 2 + 6), wide, 2, 0, bar, thickness=0, opacity=opacity)
    if complete and result is not None:
        yield from heat(result, slot_x, slot_y, CELL, strength)
    else:
        yield Box(slot_x - wide / 2, slot_y - high / 2, wide, high, 1, "", "faint", True, 1.2, opacity)


def seed_marks(standing: Standing, context: Context) -> Iterator[Mark]:
    """Yield what the sweep starts with, on its way into the picture and into its node."""
    node, seed = standing.node, standing.seed
    if not seed or "seed" not in node or seed.share <= 0:
        return
    x, y = standing.slot
    if seed.share < 1:
        side = 1 if context.panel["reverse"] else -1
        start = node["x"] + side * (node["w"] / 2 + extent(node["seed"], PILL)[0] / 2)
        yield from moving(node["seed"], start + eased(seed.share) * (x - start), y, (-side, 0))
    elif node["total"][0] and (standing.sum.share if standing.sum else 0.0) <= GATHERED:
        yield from pill(node["seed"], x, y, PILL, 1.0)


def parked_marks(standing: Standing, context: Context) -> Iterator[Mark]:
    """Yield contributions at a node that adds several: parked, on their way together, and what is left of them."""
    node = standing.node
    if not node["total"][0] or "result" not in node:
        return
    together = standing.sum.share if standing.sum else 0.0
    order = [edge["key"] for edge in arrivals(context.panel)[node["node"]]]
    arrived = {phase.move["edge"] for phase in standing.arriving if phase.share >= 1}
    shown = [key for key in order if key in arrived]
    rest = shown[MOST_PARKED - 1 :] if len(order) > MOST_PARKED else []
    (slot_x, slot_y), t = standing.slot, eased(within(together, 0, GATHERED))
    for key in shown[: len(shown) - max(0, len(rest) - 1)]:
        x, y = context.places.parked[key]
        amount = stacked(len(rest)) if len(rest) > 1 and key == rest[0] else context.edges[key]["product"]
        opacity = UNLIT if context.lit is not None and key not in context.lit else 1.0
        if together > GATHERED:
            yield from ghost(amount, x, y, opacity * within(together, GATHERED, 1))
        else:
            yield from pill(amount, x + t * (slot_x - x), y + t * (slot_y - y), PILL, opacity)
    if not GATHERED < together < 1:
        return
    if "map" in node["result"]:
        yield from _added_maps(standing, [context.edges[key]["product"] for key in shown], together)
    else:
        yield from _fuse_marks(standing, together, context.panel["width"])


def _fuse_marks(standing: Standing, together: float, room: float) -> Iterator[Mark]:
    """Yield the terms of a sum with a plus, and then the sum."""
    node = standing.node
    (x, y), (words, wide, size) = standing.slot, _fused(node, together)
    half = extent(node["result"], size, wide)[0] / 2
    yield from written(node["result"], words, wide, max(half + 3, min(x, room - half - 3)), y, size, 1.0)


def _fused(node: FlowNode, together: float) -> tuple[str, float, float]:
    """Return the words of a sum that is being added, their width and their size."""
    result, (total, whole) = node["result"], pair(node["total"])
    if together < ADDED:
        words = EQUALS.split(total)[0]
        wide = whole * len(words) / len(total)
        return words, wide, fitting(wide, max(node["w"], WIDEST_SUM), PILL)
    last = PILL if node["kind"] == "block" else fitting(result["w"], node["w"] - INSIDE, RESULT)
    return result["text"], result["w"], PILL + (last - PILL) * within(together, ADDED, 1)


def _added_maps(standing: Standing, products: list[Amount], together: float) -> Iterator[Mark]:
    """Yield arrays beside each other with a plus between them, and then their sum."""
    result, (x, y) = standing.node["result"], standing.slot
    if together >= ADDED:
        yield from pill(result, x, y, PILL, 1.0)
        return
    terms = products[:MOST_ADDED]
    step = extent(result, PILL)[0] + 20
    for k, term in enumerate(terms):
        at = x + (k - (len(terms) - 1) / 2) * step
        if k:
            yield Text(at - step / 2, y + 7, "+", 22, "ink", "bold")
        yield from pill(term, at, y, PILL, 1.0)
