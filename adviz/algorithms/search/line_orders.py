"""Orders of faces by their names on a line graph: of a path through states, and of an order of edges."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...graph.linearized.cgraph import CGraph
from ...graph.linearized.line_graph import Face, LineGraph, LineNode, is_interior, line_graph
from ...graph.timeline import Step
from ..elimination.counting import Counting
from ..elimination.moves import eliminate_face
from .best_first import Path
from .face_problem import Faces, Node
from .label_kinds import Constants, Kinds
from .problem import Structure, mask_of

PRODUCTS = Counting("block")
"""A convention of counting that ignores labels."""


def faces_of(graph: CGraph, edges: list[tuple[str, Any, Any]]) -> Iterator[Face]:
    """The faces of an order of edges, which are eliminated at their fronts and backs."""
    dual = line_graph(graph)
    nodes: dict[tuple[Any, Any], list[LineNode]] = defaultdict(list)
    for e in dual.interior:
        nodes[e].append(e)
        dual.set_label(e, 0)
    for side, i, j in edges:
        own = filter(dual.__contains__, nodes[i, j])
        if side == "front":
            faces = [(e, f) for e in own for f in dual.successors(e)]
        else:
            faces = [(d, e) for e in own for d in dual.predecessors(e)]
        for face in faces:
            if dual.has_face(*face) and all(map(is_interior, face)):
                yield face
                for step in eliminate_face(dual, face):
                    if step.kind == "fill_in":
                        new = nodes_of(step)[-1]
                        nodes[new[:2]].append(new)


def nodes_of(step: Step) -> list[LineNode]:
    """The nodes that a Step of a line graph is about."""
    focus: Any = step.focus
    return [key[1] for key in focus if key[0] == "node"]


def faces_along(graph: CGraph, structure: Structure, path: Path) -> Iterator[Face]:
    """The faces whose elimination leads through the states of a path, which has the places of nodes only."""
    dual = line_graph(graph)
    number = {vertex: k for k, vertex in enumerate(structure.vertices)}
    for i, j in dual.interior:
        label = structure.labels.get((number[i], number[j]))
        dual.set_label((i, j), Known(structure.algebra, label, (graph.size(j), graph.size(i))))
    for (first, second), _ in path:
        nodes = dual.interior
        order = _faces(dual, nodes, number, structure).order()
        face = nodes[order[first]], nodes[order[second]]
        yield face
        deque(eliminate_face(dual, face, PRODUCTS), maxlen=0)


def _faces(dual: LineGraph, nodes: list[LineNode], number: dict[Any, int], structure: Structure) -> Faces:
    """The line graph as searches represent it, with its nodes in this order."""
    place = {e: k for k, e in enumerate(nodes)}
    preds = [mask_of(place[d] for d in dual.predecessors(e) if d in place) for e in nodes]
    ends = [(number[e[0]], number[e[1]], dual.label(e).label) for e in nodes]
    return Faces(structure, [Node(*each, mask) for each, mask in zip(ends, preds, strict=True)])


@dataclass(frozen=True)
class Known:
    """What is known of a label, used instead of the label; ``sizes`` are those of its head and of its tail."""

    algebra: Constants | Kinds
    label: Any
    sizes: tuple[int, int]
    shape = ()  # that of no matrix, so that no number is made of it

    def __matmul__(self, tail: Known) -> Known:
        (k, j), (_, i) = self.sizes, tail.sizes
        return Known(self.algebra, self.algebra.product(self.label, tail.label, (k, j, i))[0], (k, i))

    def __add__(self, other: Known) -> Known:
        return Known(self.algebra, self.algebra.plus(self.label, other.label), self.sizes)
