"""Orders of faces by their names on a line graph: of a path through states, and of an order of edges."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from typing import Any

from ....graph.cgraph import CGraph
from ....graph.linegraph import Face, LineGraph, line_graph
from ..moves import eliminate_face
from .best_first import Path
from .face_problem import FaceProblem, Faces, FaceState, Node
from .structure import Structure, mask_of


def faces_of(graph: CGraph, edges: list[tuple[str, Any, Any]]) -> Iterator[Face]:
    """The faces of edges that are eliminated at their fronts and backs, in this order."""
    dual = _plain(graph, {})
    for side, i, j in edges:
        own = 0 if side == "front" else 1
        for face in [face for face in dual.interior_faces if face[own][:2] == (i, j)]:
            if dual.has_face(*face):
                yield face
                deque(eliminate_face(dual, face), maxlen=0)


def faces_along(graph: CGraph, structure: Structure, path: Path) -> Iterator[Face]:
    """The faces whose elimination leads through the states of a path; states know no names, so each is looked up."""
    number = {vertex: k for k, vertex in enumerate(structure.vertices)}
    constants = {(structure.vertices[i], structure.vertices[j]): value for (i, j), value in structure.constants.items()}
    dual, state = _plain(graph, constants), FaceProblem(structure).start
    for (first, second), after in path:
        ends = state[first].tail, state[first].head, state[second].head
        for face in [(e, f) for e, f in dual.interior_faces if (number[e[0]], number[e[1]], number[f[1]]) == ends]:
            trial = dual.copy()
            deque(eliminate_face(trial, face), maxlen=0)
            if _state(trial, number, structure) == after:
                yield face
                dual, state = trial, after
                break


def _plain(graph: CGraph, constants: dict[tuple[Any, Any], Any]) -> LineGraph:
    """The line graph with its constants as labels, and NaN for all others: what has to do with NaN is NaN."""
    dual = line_graph(graph)
    for e in dual.interior:
        dual.set_label(e, constants.get(e, math.nan))
    return dual


def _state(dual: LineGraph, number: dict[Any, int], structure: Structure) -> FaceState:
    nodes = dual.interior
    place = {e: k for k, e in enumerate(nodes)}
    known = []
    for e in nodes:
        constant = None if dual.label(e) != dual.label(e) else dual.label(e)
        before = mask_of(place[d] for d in dual.predecessors(e) if d in place)
        known.append(Node(number[e[0]], number[e[1]], constant, before))
    return Faces(structure, known).state()
