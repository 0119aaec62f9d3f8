"""The picture of a graph while it is factored: that of an elimination, with letters in place of numbers."""

from __future__ import annotations

from ....graph.linearized.cgraph import CGraph, Copy, original
from ....graph.linearized.checked_parts import Edge, Vertex
from ....graph.linearized.line_graph import SINK, SOURCE, LineNode, line_graph
from ...layout.elimination_places import End, Wire
from ...layout.factored_places import Still, placed
from ...narration.algebra.algebra_narration import Namer
from ...narration.algebra.factored_moments import FactoredMoment, edges_of
from ...narration.algebra.page_moments import PageMoment
from ...scene.algebra.elimination_panels import Direction, EliminationPanel, EliminationVertex
from ...scene.short_text import OnStage
from ...scene.text_widths import fit, width

LABEL = 84.0, 38.0  # the room of a letter
TEXT, AROUND, LEAST, MOST = 17.0, 22.0, 44.0, 110.0  # the name of a vertex; px around it; the width of its box


def stage_of(moment: FactoredMoment, namer: Namer) -> dict[str, OnStage]:
    """Return what there is: vertices, letters and the lines between them, by keys of the Scene."""
    found: dict[str, OnStage] = {f"vertex/{namer.numbers[vertex]}": True for vertex in moment.graph.vertices}
    line = line_graph(moment.graph)

    def thing(node: LineNode) -> str:
        ends: dict[Vertex, str] = {SOURCE: "s", SINK: "t"}
        return ".".join(ends.get(end) or namer.numbers[end] for end in node)

    for node in line.nodes:
        part = moment.parts.get((node[0], node[1]))
        found[f"node/{thing(node)}"] = 1 if part is None else namer.leaf(part)
    for one, other in line.faces:
        found[f"face/{thing(one)}/{thing(other)}"] = True
    return found


def picture(moments: list[FactoredMoment], namer: Namer, direction: Direction, run: str) -> EliminationPanel:
    """Return the picture of all moments."""
    vertices = [_vertex(vertex, moments[0].graph, namer) for vertex in namer.vertices]
    whole = [moment for moment in moments if not isinstance(moment, PageMoment)]  # a page stays where it is
    stills = [_still(moment, vertices, namer) for moment in whole]
    w, h, found = placed(stills)
    return {
        "id": f"elimination-{run}",
        "kind": "elimination",
        "run": run,
        "reading": "graph",
        "fixed": True,
        "direction": direction,
        "width": w,
        "height": h,
        "note": None,
        "vertices": vertices,
        "places": found,
    }


def _vertex(vertex: Vertex, graph: CGraph, namer: Namer) -> EliminationVertex:
    name, index = namer.label(vertex), namer.indices[original(vertex)]
    found: EliminationVertex = {
        "thing": namer.numbers[vertex],
        "role": "input" if vertex in graph.inputs else "output" if vertex in graph.outputs else "intermediate",
        "label": fit(name, TEXT, MOST - AROUND),
        "name": namer.called(vertex),
        "index": index,
        "detail": "" if namer.label(original(vertex)) == f"v{index}" else f"v{index}",
        "size": 1,
        "w": max(LEAST, round(width(name, TEXT) * 1.06 + AROUND, 1)),
    }
    return found


def _still(moment: FactoredMoment, vertices: list[EliminationVertex], namer: Namer) -> Still:
    there = {namer.numbers[vertex] for vertex in moment.graph.vertices}
    ends = [End(each["thing"], each["role"], 1, each["w"]) for each in vertices if each["thing"] in there]
    wires = [
        Wire(namer.thing(edge), namer.numbers[edge[0]], namer.numbers[edge[1]], *LABEL) for edge in moment.graph.edges
    ]
    return Still(ends, wires, _sources(moment, namer))


def _sources(moment: FactoredMoment, namer: Namer) -> dict[str, str]:
    """Return by the key of each new thing that of what it comes out of, where that was there before the steps."""
    found: dict[str, str] = {}
    edges: dict[Edge, Edge] = {}
    for step in moment.steps:
        there = edges_of(step)
        if step.kind in ("split", "join"):
            for old, new in zip(there[::2], there[1::2], strict=True):
                edges[new] = edges.get(old, old)
        elif step.kind in ("fill_in", "absorb"):
            edges.setdefault(there[2], edges.get(there[0], there[0]))
    for new, old in edges.items():
        found[f"label/{namer.thing(new)}"] = f"label/{namer.thing(old)}"
        for end, source in zip(new, old, strict=True):
            if isinstance(end, Copy) and end != source:
                found.setdefault(f"vertex/{namer.numbers[end]}", f"vertex/{namer.numbers[source]}")
    return found
