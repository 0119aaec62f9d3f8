"""The two pictures of an elimination, with everything that will ever be in them."""

from __future__ import annotations

from math import inf
from typing import NamedTuple, get_args

from ...graph.graph import Graph
from ...graph.linearized.checked_parts import Vertex
from ..layout.elimination_layout import Box, node_box, placed, vertex_box
from ..narration.both_sides import BothSides
from ..narration.elimination_narration import Narrator
from ..scene.document import Step
from ..scene.panels import Direction, EliminationPicture, Role, Side
from ..scene.short_text import OnStage

SIDES: tuple[Side, ...] = get_args(Side)
MOST_FORESEEN = 90  # the most edges outside the show that get a place, for moves of the reader's own
MOST_NODES = 60  # a line graph with more nodes at the start is folded
MOST_ROUTED = 1_200
"""In a folded graph of a larger ``placing.extent``, fill-ins have no routes, which would take much time and space."""
FOLDED = "Folded: a box is the biclique of a vertex, with all its faces; a line is the node that two of them share."
SUMS = "Edges are the sums over twins of the line graph, where the elimination is made."

Thing = tuple[str, ...]
"""An edge or a node of the line graph by its ends: ``("1", "3")``, ``("s", "0")``, ``("1", "3", "2")``."""
Story = tuple[dict[str, OnStage], list[Step]]  # the stage at the start, and the steps


class Union(NamedTuple):
    """Everything that is ever there: edges, nodes of the line graph, and faces."""

    edges: list[Thing]
    nodes: list[Thing]
    faces: list[tuple[Thing, Thing]]


def pictures(
    sides: BothSides, stories: list[Story], direction: Direction, program: Graph | None, foreseen: bool
) -> dict[Side, EliminationPicture]:
    """Return both sides, placed once for everything in the stories and, if ``foreseen``, in any other order."""
    union, narrator = _union(sides, stories, foreseen), Narrator(sides)
    first = frozenset(key.split("/", 1)[1] for start, _ in stories for key in start)
    vertices = [_vertex(narrator, vertex) for vertex in sides.keys.vertices]
    edges = [(f"edge/{'.'.join(e)}", f"vertex/{e[0]}", f"vertex/{e[1]}") for e in union.edges]
    faces = [(f"face/{'.'.join(e)}/{'.'.join(f)}", _node(e), _node(f)) for e, f in union.faces]
    folded = len(sides.line.nodes) > MOST_NODES
    most = MOST_ROUTED if folded else inf
    cgraph = placed("cgraph", vertices, edges, direction, first, labelled=True, most=most)
    if folded:
        linegraph = placed("linegraph", vertices, edges, direction, first, most=most)
        linegraph["folded"] = True
    else:
        linegraph = placed("linegraph", [_line_node(narrator, e) for e in union.nodes], faces, direction, first)
    for panel in (cgraph, linegraph)[: 1 + folded]:
        for node, vertex, name in zip(panel["nodes"], sides.keys.vertices, narrator.names, strict=True):
            if name != node["label"]:
                node["name"] = name
            if program and isinstance(vertex, int):
                node["node"] = vertex
    notes: dict[Side, str] = {
        "cgraph": SUMS if sides.technique == "face" else "",
        "linegraph": FOLDED if folded else "",
    }
    if linegraph["note"] == cgraph["note"]:  # one note is enough
        linegraph["note"] = None
    for panel in (cgraph, linegraph):
        panel["note"] = " ".join(filter(None, [notes[panel["side"]], panel["note"]])) or None
    return {"cgraph": cgraph, "linegraph": linegraph}


# ---- what is drawn ----


def _vertex(narrator: Narrator, vertex: Vertex) -> Box:
    graph, number = narrator.sides.graph, narrator.sides.keys.number(vertex)
    role: Role = "input" if vertex in graph.inputs else "output" if vertex in graph.outputs else "intermediate"
    name, index, size = narrator.labels[number], f"v{narrator.indices[number]}", graph.size(vertex)
    details = [index] * (name != index) + [f"size {size}"] * (size > 1)
    return vertex_box(f"vertex/{number}", role, name, ", ".join(details))


def _line_node(narrator: Narrator, e: Thing) -> Box:
    if e[0] == "s":
        return node_box(_node(e), "source", f"→ {narrator.names[int(e[1])]}")
    if e[1] == "t":
        return node_box(_node(e), "sink", f"{narrator.names[int(e[0])]} →")
    vertices = narrator.sides.keys.vertices
    return node_box(_node(e), "edge", narrator.symbol((vertices[int(e[0])], vertices[int(e[1])], *map(int, e[2:]))))


def _node(e: Thing) -> str:
    return f"node/{'.'.join(e)}"


# ---- all that is ever there ----


def _union(sides: BothSides, stories: list[Story], foreseen: bool) -> Union:
    keys = {key for start, _ in stories for key in start}
    keys |= {key for _, steps in stories for step in steps for key, *_ in step["edits"]}
    parted = [key.split("/")[1:] for key in keys]
    edges, nodes = (
        {tuple(thing.split(".")) for word, thing, *_ in parted if word == kind} for kind in ("edge", "node")
    )
    faces = {(tuple(e.split(".")), tuple(f.split("."))) for word, e, *rest in parted if word == "face" for f in rest}
    pairs = _joined(sides) if foreseen else set()
    if 0 < len(pairs) <= MOST_FORESEEN:
        edges, nodes = edges | pairs, nodes | pairs
        faces |= {(e, f) for e in nodes for f in nodes if e[1] == f[0] and len(e) + len(f) == 4}
    return Union(
        sorted(edges, key=_rank),
        sorted(nodes, key=_rank),
        sorted(faces, key=lambda face: (_rank(face[1]), _rank(face[0]))),
    )


def _rank(e: Thing) -> list[float]:
    """Sort by head, then by tail, then twins by number."""
    tail, head, *twin = ({"s": -1.0, "t": inf}.get(end) or float(end) for end in e)
    return [head, tail, *twin]


def _joined(sides: BothSides) -> set[Thing]:
    """Return all pairs of vertices that a path joins: the possible edges."""
    graph, number = sides.graph, sides.keys.number
    reached: dict[Vertex, set[Vertex]] = {}
    for i in reversed(graph.vertices):
        reached[i] = {k for j in graph.successors(i) for k in (j, *reached[j])}
    return {(str(number(i)), str(number(k))) for i, ends in reached.items() for k in ends}
