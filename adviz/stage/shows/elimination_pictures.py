"""The picture of an elimination, and where everything stands in it; of a large one two, with all that is ever there."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal

from ...graph.graph import Graph
from ...graph.linearized.checked_parts import Vertex
from ..layout.elimination_layout import Box, placed, vertex_box
from ..layout.elimination_places import End, Places, Wire, born, first_places, relaxed, stage
from ..narration.both_sides import BothSides
from ..narration.elimination_narration import Narrator
from ..scene.document import Step
from ..scene.panels import (
    Direction,
    EliminationPanel,
    EliminationPicture,
    EliminationVertex,
    LargePanel,
    LargePicture,
    Place,
    Reading,
    Role,
    Side,
)
from ..scene.short_text import OnStage
from ..scene.text_widths import fit, width

MOST_NODES = 60  # with more nodes of the line graph at the start, a graph is large
MOST_ROUTED = 1_200
"""In a folded graph of a larger ``placing.extent``, fill-ins have no routes, which would take much time and space."""
FOLDED = "Folded: a box is the biclique of a vertex, with all its faces; a line is the node that two of them share."
SUMS = "Edges are the sums over twins of the line graph, where the elimination is made."
HEAD = 24.0
"""Room above for the note on what a graph can no longer show; vertex elimination always keeps a graph."""
LABEL = 92.0, 50.0, 62.0  # the width of a label, and its height without and with rows
TEXT, AROUND, LEAST, MOST = 17.0, 22.0, 44.0, 110.0  # the name of a vertex; px around it; the width of its box

Thing = tuple[str, ...]
"""An edge or a node of the line graph by its ends: ``("1", "3")``, ``("s", "0")``, ``("1", "3", "2")``."""
Story = tuple[dict[str, OnStage], list[Step]]  # the stage at the start, and the steps


class Pictures:
    """The picture of an elimination with its runs, or of a large one both sides."""

    def __init__(self, sides: BothSides, stories: dict[str, Story], direction: Direction, program: Graph | None):
        self.sides, self.stories = sides, stories
        self.large: dict[Side, LargePicture] = {}
        self.top = 0.0 if sides.technique == "vertex" else HEAD
        if len(sides.line.nodes) > MOST_NODES:
            self.large = large_pictures(sides, [*stories.values()], direction, program)
        else:
            most = max(len(labels) for story in stories.values() for labels in _labels(story))
            self.one = picture(sides, direction, program, most, self.top)

    def panels(self, kind: Literal["elimination", "cgraph", "linegraph"]) -> Iterator[EliminationPanel | LargePanel]:
        """Yield the picture of each run; of a large graph that of a side, by default the one where moves are made."""
        usual: Side = "linegraph" if self.sides.technique == "face" else "cgraph"
        for run, story in self.stories.items():
            if self.large:
                side = usual if kind == "elimination" else kind
                yield {**self.large[side], "id": f"{side}-{run}", "run": run}
                continue
            panel: EliminationPanel = {
                **self.one,
                "id": f"{kind}-{run}",
                "run": run,
                "places": places(self.one, run, story, self.top),
            }
            if kind != "elimination":
                panel["reading"], panel["fixed"] = "graph" if kind == "cgraph" else "line graph", True
            yield panel


def _labels(story: Story) -> Iterator[set[str]]:
    """Yield the labels that are there at the start, and after each step."""
    start, steps = story
    there = {key for key in start if _is_label(key)}
    yield there
    for step in steps:
        for key, _, after in step["edits"]:
            if _is_label(key):
                there = there - {key} if after is None else there | {key}
        yield there


def _is_label(key: str) -> bool:
    return "/node/" in key and "/s." not in key and not key.endswith(".t")


def picture(sides: BothSides, direction: Direction, program: Graph | None, most: int, top: float) -> EliminationPicture:
    """Return the picture of an elimination with at most so many labels at a time, and so much room above them."""
    narrator = Narrator(sides)
    reading: Reading = "line graph" if sides.technique == "face" else "graph"
    vertices: list[EliminationVertex] = []
    for vertex in sides.keys.vertices:
        box, number = _vertex(narrator, vertex), sides.keys.number(vertex)
        label = fit(narrator.labels[number], TEXT, MOST - AROUND)
        found: EliminationVertex = {
            "thing": str(number),
            "role": "input" if box.role == "input" else "output" if box.role == "output" else "intermediate",
            "label": label,
            "name": narrator.names[number],
            "index": narrator.indices[number],
            "detail": box.detail,
            "size": sides.graph.size(vertex),
            "w": max(LEAST, round(width(label, TEXT) * 1.06 + AROUND, 1)),
        }
        if program and isinstance(vertex, int):
            found["node"] = vertex
        vertices.append(found)
    ends, wires = _ends(vertices, set(sides.stage())), _wires(sides.stage())
    w, h = stage(ends, wires, most)
    return {
        "kind": "elimination",
        "reading": reading,
        "fixed": False,
        "direction": direction,
        "width": w,
        "height": h + top,
        "note": None,
        "vertices": vertices,
    }


def places(panel: EliminationPicture, run: str, story: Story, top: float) -> list[Place]:
    """Return where everything stands, and after how many steps: fill-ins find a place, and moves relax the rest.

    Nothing stands in the uppermost ``top`` of the panel.
    """
    start, steps = story
    state = {key.removeprefix(f"{run}/"): value for key, value in start.items()}
    room = _Room(panel, top)
    found: list[Place] = []

    def keep(cursor: int, now: Places) -> None:
        found.extend(
            [cursor, key, x, round(y + top, 1)] for key, (x, y) in now.items() if room.known.get(key) != (x, y)
        )
        room.known |= now

    keep(0, first_places(room.ends(state), room.wires(state), *room.size))
    for cursor, step in enumerate(steps, start=1):
        before = room.wires(state)
        for key, _, after in step["edits"]:
            own = key.removeprefix(f"{run}/")
            if after is None:
                state.pop(own, None)
            else:
                state[own] = after
        wires, old = room.wires(state), {wire.key for wire in before}
        added = [wire for wire in wires if wire.key not in old]
        if added:
            there = room.there(before)
            keep(cursor, born(there, room.ends(state), before, added, *room.size))
        if cursor == len(steps) or steps[cursor]["coarse"]:
            now = relaxed(room.there(wires), room.ends(state), wires, *room.size, _pairs(state))
            keep(cursor, now)
    return found


class _Room:
    """What is to be placed, and the places known so far."""

    def __init__(self, panel: EliminationPicture, top: float):
        self.panel, self.size = panel, (panel["width"], panel["height"] - top)
        self.known: Places = {}

    def ends(self, state: dict[str, OnStage]) -> list[End]:
        """Return the vertices that are there."""
        return _ends(self.panel["vertices"], state)

    def wires(self, state: dict[str, OnStage]) -> list[Wire]:
        """Return the labels that are there."""
        return _wires(state)

    def there(self, wires: list[Wire]) -> Places:
        """Return the known places of all vertices and of some labels."""
        keys = {f"label/{wire.key}" for wire in wires}
        return {key: place for key, place in self.known.items() if key.startswith("vertex/") or key in keys}


def _ends(vertices: list[EliminationVertex], there: Collection[str]) -> list[End]:
    return [
        End(each["thing"], each["role"], each["size"], each["w"])
        for each in vertices
        if f"vertex/{each['thing']}" in there
    ]


def _wires(state: dict[str, OnStage]) -> list[Wire]:
    found = []
    for thing in _things(state):
        tail, head, *_ = thing.split(".")
        found.append(Wire(thing, tail, head, *_box(state[f"node/{thing}"])))
    return found


def _things(state: dict[str, OnStage]) -> list[str]:
    things = [key.removeprefix("node/") for key in state if key.startswith("node/")]
    return sorted(
        (thing for thing in things if "s." not in thing and ".t" not in thing),
        key=lambda thing: _rank(tuple(thing.split("."))),
    )


def _pairs(state: dict[str, OnStage]) -> list[tuple[str, str]]:
    """Return the faces that are left, as pairs of labels."""
    found = [(tail, head) for _, tail, head in (key.split("/") for key in state if key.startswith("face/"))]
    return [(tail, head) for tail, head in found if "s." not in tail and ".t" not in head]


def _box(value: OnStage) -> tuple[float, float]:
    w, h, tall = LABEL
    return w, tall if isinstance(value, dict) and value["shape"][0] > 1 else h


# ---- of a large graph ----


def large_pictures(
    sides: BothSides, stories: list[Story], direction: Direction, program: Graph | None
) -> dict[Side, LargePicture]:
    """Return both sides of a large graph, placed once for everything in the stories."""
    edges_there, narrator = _edges(stories), Narrator(sides)
    first = frozenset(key.split("/", 1)[1] for start, _ in stories for key in start)
    vertices = [_vertex(narrator, vertex) for vertex in sides.keys.vertices]
    edges = [(f"edge/{'.'.join(e)}", f"vertex/{e[0]}", f"vertex/{e[1]}") for e in edges_there]
    cgraph = placed("cgraph", vertices, edges, direction, first, labelled=True, most=MOST_ROUTED)
    linegraph = placed("linegraph", vertices, edges, direction, first, most=MOST_ROUTED)
    for panel in (cgraph, linegraph):
        for node, vertex in zip(panel["nodes"], sides.keys.vertices, strict=False):
            node["node"] = vertex if program and isinstance(vertex, int) else sides.keys.number(vertex)
    notes: dict[Side, str] = {"cgraph": SUMS if sides.technique == "face" else "", "linegraph": FOLDED}
    if linegraph["note"] == cgraph["note"]:  # one note is enough
        linegraph["note"] = None
    for panel in (cgraph, linegraph):
        panel["note"] = " ".join(filter(None, [notes[panel["side"]], panel["note"]])) or None
    return {"cgraph": cgraph, "linegraph": linegraph}


def _vertex(narrator: Narrator, vertex: Vertex) -> Box:
    graph, number = narrator.sides.graph, narrator.sides.keys.number(vertex)
    role: Role = "input" if vertex in graph.inputs else "output" if vertex in graph.outputs else "intermediate"
    name, index, size = narrator.labels[number], f"v{narrator.indices[number]}", graph.size(vertex)
    details = [index] * (name != index) + [f"size {size}"] * (size > 1)
    return vertex_box(f"vertex/{number}", role, name, narrator.names[number], ", ".join(details))


def _edges(stories: list[Story]) -> list[Thing]:
    """Return all edges that are ever there."""
    keys = {key for start, _ in stories for key in start}
    keys |= {key for _, steps in stories for step in steps for key, *_ in step["edits"]}
    parted = [key.split("/")[1:] for key in keys]
    return sorted({tuple(thing.split(".")) for word, thing, *_ in parted if word == "edge"}, key=_rank)


def _rank(e: Thing) -> list[float]:
    """Sort by head, then by tail."""
    return [float(end) for end in reversed(e)]
