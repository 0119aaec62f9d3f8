"""The picture of an elimination; of a large one the extended Jacobian."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from ...graph.graph import Graph
from ...graph.linearized.cgraph import CGraph
from ...graph.linearized.checked_parts import Vertex
from ...graph.linearized.measures import levels
from ..narration.both_sides import BothSides
from ..narration.elimination_narration import Narrator
from ..scene import theme
from ..scene.algebra_panels import Direction, EliminationPanel, EliminationVertex, ExtendedPanel
from ..scene.text_widths import fit, width

MOST_NODES = 60  # with more nodes of the line graph at the start, a graph is large
LONGEST = 7  # edges of a path: labels of a longer one could not be read beside each other


def is_large(sides: BothSides) -> bool:
    """Return whether a graph is shown as its extended Jacobian."""
    return len(sides.line.nodes) > MOST_NODES or max(levels(sides.graph).values(), default=0) > LONGEST


def pictures(
    kind: Literal["elimination", "cgraph", "linegraph"],
    sides: BothSides,
    runs: Sequence[str],
    direction: Direction,
    program: Graph | None,
) -> Iterator[EliminationPanel | ExtendedPanel]:
    """Yield the picture of each run; of a large graph its extended Jacobian."""
    vertices = _vertices(sides, program)
    is_line_graph = kind == "linegraph" or (kind == "elimination" and sides.technique == "face")
    for run in runs:
        if is_large(sides):
            yield {"kind": "extended", "id": f"extended-{run}", "run": run, "vertices": vertices}
            continue
        yield {
            "kind": "elimination",
            "id": f"{kind}-{run}",
            "run": run,
            "reading": "line graph" if is_line_graph else "graph",
            "fixed": kind != "elimination",
            "direction": direction,
            "vertices": vertices,
        }


def _vertices(sides: BothSides, program: Graph | None) -> list[EliminationVertex]:
    narrator, graph = Narrator(sides), sides.graph
    vertices: list[EliminationVertex] = []
    for vertex in sides.keys.vertices:
        number, size = sides.keys.number(vertex), graph.size(vertex)
        name, index = narrator.labels[number], narrator.indices[number]
        detail = ", ".join([f"v{index}"] * (name != f"v{index}") + [f"size {size}"] * (size > 1))
        item = described(graph, vertex, str(number), name, narrator.names[number], index, detail)
        if program and isinstance(vertex, int):
            item["node"] = vertex
        vertices.append(item)
    return vertices


def described(
    graph: CGraph, vertex: Vertex, thing: str, label: str, name: str, index: str, detail: str
) -> EliminationVertex:
    """Return what a picture knows of a vertex of a graph; its label is cut to the room that it has."""
    label = fit(label, theme.VERTEX, theme.VERTEX_ROOM)
    return {
        "thing": thing,
        "role": "input" if vertex in graph.inputs else "output" if vertex in graph.outputs else "intermediate",
        "label": label,
        "label_w": round(width(label, theme.VERTEX), 1),
        "name": name,
        "index": index,
        "detail": detail,
        "size": graph.size(vertex),
    }
