"""A moment of a sweep as marks: nodes with their derivatives, what waits at them, and what is added.

The same marks in the same order as ``moment.ts`` of the front end; a test compares them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..scene.flow_panel import Amount, FlowNode, FlowPanel
from ..scene.text_widths import printable
from .flow_edges import edge_marks, equation_marks, gate_marks, label, travel_marks
from .flow_motion import ADDED, GATHERED, eased, within
from .flow_pills import (
    CELL,
    HIGH,
    PILL,
    RESULT,
    band,
    extent,
    fitting,
    ghost,
    heat,
    hue,
    moving,
    pair,
    pill,
    stacked,
    written,
)
from .flow_places import EQUATION, MOST_PARKED, Places, arrivals, places
from .flow_standing import DEAD, DONE, UNLIT, Context, Lit, Standing, stand, strip_marks
from .marks import Box, Item, Mark, Text

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
            if found := list(marks):
                yield Item(f"{panel['id']}/{kind}/{key}", kind, printable(title), found)


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
