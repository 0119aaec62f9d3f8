"""The picture of an elimination, and where everything stands in it; of a large one the extended Jacobian."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal

from ...graph.graph import Graph
from ..layout.elimination_places import End, Places, Wire, born, first_places, relaxed, stage
from ..narration.both_sides import BothSides
from ..narration.elimination_narration import Narrator
from ..scene.algebra_panels import (
    Direction,
    EliminationPanel,
    EliminationPicture,
    EliminationVertex,
    ExtendedPanel,
    Place,
    Reading,
)
from ..scene.document import Step
from ..scene.short_text import OnStage
from ..scene.text_widths import fit, width

MOST_NODES = 60  # with more nodes of the line graph at the start, a graph is large
WIDTH, HEIGHT = 920.0, 490.0  # of an extended Jacobian
WIDEST = 1_450.0  # of a picture: in a wider one, of long paths, labels could not be read
HEAD = 24.0
"""Room above for the note on what a graph can no longer show; vertex elimination always keeps a graph."""
LABEL = 92.0, 50.0, 62.0  # the width of a label, and its height without and with rows
TEXT, AROUND, LEAST, MOST = 17.0, 22.0, 44.0, 110.0  # the name of a vertex; px around it; the width of its box

Thing = tuple[str, ...]
"""An edge or a node of the line graph by its ends: ``("1", "3")``, ``("s", "0")``, ``("1", "3", "2")``."""
Story = tuple[dict[str, OnStage], list[Step]]  # the stage at the start, and the steps


class Pictures:
    """The picture of an elimination with its runs, or of a large one the extended Jacobian."""

    def __init__(self, sides: BothSides, stories: dict[str, Story], direction: Direction, program: Graph | None):
        self.sides, self.stories = sides, stories
        self.top = 0.0 if sides.technique == "vertex" else HEAD
        self.one = self._one(direction, program) if len(sides.line.nodes) <= MOST_NODES else None
        self.is_large = self.one is None or self.one["width"] > WIDEST
        self.vertices = _vertices(sides, program)

    def _one(self, direction: Direction, program: Graph | None) -> EliminationPicture:
        most = max(len(labels) for story in self.stories.values() for labels in _labels(story))
        return picture(self.sides, direction, program, most, self.top)

    def panels(self, kind: Literal["elimination", "cgraph", "linegraph"]) -> Iterator[EliminationPanel | ExtendedPanel]:
        """Yield the picture of each run; of a large graph its extended Jacobian."""
        for run, story in self.stories.items():
            if self.is_large or self.one is None:
                yield {
                    "kind": "extended",
                    "id": f"extended-{run}",
                    "run": run,
                    "width": WIDTH,
                    "height": HEIGHT,
                    "vertices": self.vertices,
                }
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
    reading: Reading = "line graph" if sides.technique == "face" else "graph"
    vertices = _vertices(sides, program)
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


def _vertices(sides: BothSides, program: Graph | None) -> list[EliminationVertex]:
    narrator = Narrator(sides)
    vertices: list[EliminationVertex] = []
    graph = sides.graph
    for vertex in sides.keys.vertices:
        number, size = sides.keys.number(vertex), graph.size(vertex)
        name, index = narrator.labels[number], narrator.indices[number]
        label = fit(name, TEXT, MOST - AROUND)
        item: EliminationVertex = {
            "thing": str(number),
            "role": "input" if vertex in graph.inputs else "output" if vertex in graph.outputs else "intermediate",
            "label": label,
            "name": narrator.names[number],
            "index": index,
            "detail": ", ".join([f"v{index}"] * (name != f"v{index}") + [f"size {size}"] * (size > 1)),
            "size": size,
            "w": max(LEAST, round(width(label, TEXT) * 1.06 + AROUND, 1)),
        }
        if program and isinstance(vertex, int):
            item["node"] = vertex
        vertices.append(item)
    return vertices


def places(panel: EliminationPicture, run: str, story: Story, top: float) -> list[Place]:
    """Return where everything stands, and after how many steps: fill-ins find a place, and moves relax the rest.

    Nothing stands in the uppermost ``top`` of the panel.
    """
    start, steps = story
    state = {key.removeprefix(f"{run}/"): value for key, value in start.items()}
    room = _Room(panel, top)
    result: list[Place] = []

    def keep(cursor: int, now: Places) -> None:
        result.extend(
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
    return result


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
    result = []
    for thing in _things(state):
        tail, head, *_ = thing.split(".")
        result.append(Wire(thing, tail, head, *_box(state[f"node/{thing}"])))
    return result


def _things(state: dict[str, OnStage]) -> list[str]:
    things = [key.removeprefix("node/") for key in state if key.startswith("node/")]
    return sorted(
        (thing for thing in things if "s." not in thing and ".t" not in thing),
        key=lambda thing: _rank(tuple(thing.split("."))),
    )


def _pairs(state: dict[str, OnStage]) -> list[tuple[str, str]]:
    """Return the faces that are left, as pairs of labels."""
    result = [(tail, head) for _, tail, head in (key.split("/") for key in state if key.startswith("face/"))]
    return [(tail, head) for tail, head in result if "s." not in tail and ".t" not in head]


def _box(value: OnStage) -> tuple[float, float]:
    w, h, tall = LABEL
    return w, tall if isinstance(value, dict) and value["shape"][0] > 1 else h


def _rank(e: Thing) -> list[float]:
    """Sort by head, then by tail."""
    return [float(end) for end in reversed(e)]
