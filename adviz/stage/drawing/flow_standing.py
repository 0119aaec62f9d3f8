"""How far a sweep is: what every node has received and sent, and what every edge carries.

The same as ``standing.ts`` of the front end.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from ..narration.engine_strips import strip_height
from ..scene import theme
from ..scene.flow_panel import FlowEdge, FlowNode, FlowPanel
from .flow_motion import ADDED, Chain, Phase, Point, phases, reversed_chain, triangle
from .flow_places import Places
from .marks import Arrow, Box, Mark, Text

PAST, PLAYED, ENDED = 0.45, 0.75, 0.62  # the opacity of a ribbon
DONE, DEAD = 0.62, 0.55
LIT, UNLIT = 0.9, 0.13
HIGH = 32.0  # of a cell of a strip
PIP, APART, PIPS = 13.0, 18.0, 108.0  # uses that are waited for, one beside the other; many overlap

Lit = AbstractSet[str] | None
"""The edges on a path that the reader looks at; ``None`` where all are shown alike."""


@dataclass
class Standing:
    """A node: its contributions, and how far they are."""

    node: FlowNode
    arriving: list[Phase] = field(default_factory=list)
    sending: list[Phase] = field(default_factory=list)
    sum: Phase | None = None
    seed: Phase | None = None

    @property
    def slot(self) -> Point:
        """Where the derivative of the node stands."""
        (across, down), node = self.node["slot"], self.node
        return node["x"] + across, node["y"] + down

    @property
    def is_complete(self) -> bool:
        """Whether all that a sweep gives to a node is there."""
        if self.node["total"][0]:
            return self.sum is not None and self.sum.share >= ADDED
        if self.seed:
            return self.seed.share >= 1
        return bool(self.arriving) and all(phase.share >= 1 for phase in self.arriving)


@dataclass(frozen=True)
class Context:
    """A moment of a sweep; ``sends`` is what is sent along edges, by their keys."""

    panel: FlowPanel
    places: Places
    edges: dict[str, FlowEdge]
    standings: dict[int, Standing]
    sends: dict[str, Phase]
    is_ended: bool
    lit: Lit

    def source(self, edge: FlowEdge) -> Standing:
        """Return the node that sends its derivative along an edge."""
        return self.standings[edge["head"] if self.panel["reverse"] else edge["tail"]]

    def target(self, edge: FlowEdge) -> Standing:
        """Return the node that receives a derivative along an edge."""
        return self.standings[edge["tail"] if self.panel["reverse"] else edge["head"]]

    def ways(self, edge: FlowEdge) -> tuple[Chain, Chain]:
        """Return the way of a derivative along an edge: up to the gate, and from there on."""
        if self.panel["reverse"]:
            return reversed_chain(edge["after"]), reversed_chain(edge["before"])
        return edge["before"], edge["after"]


def sweep_at(panel: FlowPanel, cursor: int) -> FlowPanel:
    """Return a panel with what the sweep gives that was last under way, where several follow each other."""
    begun = [sweep for sweep in panel.get("sweeps", ()) if sweep["first"] < cursor]
    if not begun:
        return panel
    sweep = begun[-1]
    nodes = _given(panel["nodes"], sweep["nodes"], ("seed", "result"))
    edges = _given(panel["edges"], sweep["edges"], ("first", "given", "product"))
    return {**panel, "nodes": nodes, "edges": edges, "moves": sweep["moves"]}


def _given(whole: Any, parts: Any, optional: tuple[str, ...]) -> Any:
    """Return parts of a picture with what another sweep gives to them."""
    return [
        {name: value for name, value in old.items() if name not in optional} | new
        for old, new in zip(whole, parts, strict=True)
    ]


def stand(panel: FlowPanel, places: Places, start: int, stop: int, progress: float, lit: Lit) -> Context:
    """Return how far a sweep is when so much (0 to 1) of the way between two cursors is done."""
    edges = {edge["key"]: edge for edge in panel["edges"]}
    standings = {node["node"]: Standing(node) for node in panel["nodes"]}
    sends: dict[str, Phase] = {}
    found = phases(panel, start, stop, progress)
    is_ended = any(phase.move["kind"] == "result" and phase.share > 0 for phase in found)
    context = Context(panel, places, edges, standings, sends, is_ended, lit)
    for phase in found:
        move = phase.move
        if move["kind"] == "send":
            edge = edges[move["edge"]]
            sends[move["edge"]] = phase
            context.target(edge).arriving.append(phase)
            context.source(edge).sending.append(phase)
        elif move["kind"] != "result":
            for node in move["nodes"]:
                setattr(standings[node], move["kind"], phase)
    return context


# ---- what an engine keeps, below the picture: the same as ``strip.ts`` of the front end ----


def strip_marks(panel: FlowPanel, cursor: int) -> Iterator[Mark]:
    """Yield the strip after so many steps; nothing before the first, and where there is none."""
    strip = panel.get("strip")
    passed = [state for state in strip["states"] if state[0] < cursor] if strip else []
    if not strip or not passed:
        return
    _, head, letters, waits, ready, work = passed[-1]
    width, gap, columns = panel["width"], theme.FLOW_STRIP_GAP, strip["columns"]
    top = panel["height"] - strip_height(strip) + theme.FLOW_STRIP_ABOVE
    wide = min(theme.FLOW_STRIP_WIDEST, (width - 2 * theme.FLOW_STRIP_SIDE + gap) / columns - gap)
    left = (width - columns * (wide + gap) + gap) / 2
    nodes = {node["node"]: node for node in panel["nodes"]}
    for k, (cell, letter, count) in enumerate(zip(strip["cells"], letters, waits, strict=True)):
        x, y = left + k % columns * (wide + gap), top + theme.FLOW_STRIP_ROW * (k // columns)
        is_at, is_ready = cell["node"] == head, letter == "r"
        fill = "ink" if is_at else "cell" if letter in "ar" else "paper"
        line = "ink" if is_at or is_ready else "faint"
        opacity = DEAD if letter == "n" else 1.0
        corner, thickness = 0.0 if strip["tape"] else 8.0, 3.0 if is_ready else 1.4
        yield Box(x, y, wide, HIGH, corner, fill, line, letter in "fn", thickness, opacity)
        ink = "paper" if is_at else "muted" if letter == "f" else "ink"
        yield Text(x + wide / 2, y + 22, str(cell["name"][0]), theme.FLOW_STRIP_NAME, ink, "serif", opacity=opacity)
        if is_at and strip["tape"]:
            yield Arrow(triangle(x + wide / 2, y - 4, 0, 1, 11, 20), "ink")
        node = nodes[cell["node"]]
        if letter == "n":
            yield Text(node["x"], node["y"] - node["h"] / 2 - 8, "never visited", theme.FLOW_STRIP_WORD, "muted")
        apart = min(APART, PIPS / count) if count else 0.0
        for i in range(count):
            x, y = node["x"] + apart * (i - (count - 1) / 2) - PIP / 2, node["y"] + node["h"] / 2 + 7
            yield Box(x, y, PIP, PIP, PIP / 2, "paper", "ink", False, 2.0)
    yield Text(width / 2, panel["height"] - 32, work, theme.FLOW_STRIP_WORD, "ink")
    yield Text(width / 2, panel["height"] - 9, ready, theme.FLOW_STRIP_WORD, "muted")
