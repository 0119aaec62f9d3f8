"""Twins are eliminated alike: the smaller problem in which each stands for all, and its orders on the whole graph.

Twins are vertices with equal predecessors and equal successors: parallel inputs, parallel outputs, intermediates. One
vertex that weighs as much as all of them together costs the same at best, for vertices, for edges and for faces:

*At least*. No two twins are in one product, so that an order costs c + w_1 a_1 + w_2 a_2, where a_1 and a_2 are what
is multiplied for each entry of the one and of the other. Let a_1 <= a_2, and let the labels at the second be zero. Then
the same order, without the products that have become zero, eliminates the graph without the second; and with the first
in the place of both it costs c + (w_1 + w_2) a_1 at most. On the line graph, products that were absorbed by what is
zero now need a node of their own, and nodes may have become twins that did not merge. Neither is worse where absorbing
and merging are compulsory: if two nodes have equal predecessors and equal successors, one may have the sum of both
labels and the other zero, and by the same argument the order without the latter costs no more.

*At most*. Each move is made for all twins, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from ...graph.linearized.cgraph import CGraph
from ...graph.linearized.checked_parts import Vertex
from ...graph.linearized.line_graph import Face, LineNode, line_graph
from ..elimination.moves import eliminate_face
from .line_orders import PRODUCTS, nodes_of
from .problem import Structure, bits, mask_of

Members = dict[Vertex, tuple[Vertex, ...]]
"""The twins that each vertex stands for, itself among them."""


def without_twins(structure: Structure) -> tuple[Structure, Members]:
    """Merge twins, repeatedly, into one vertex each; return the structure and the vertices that each stands for.

    Where labels matter, twins may cost differently, and each stands for itself.

    >>> from .problem import structure_of
    >>> small, members = without_twins(structure_of(CGraph.from_edges([(0, 2), (1, 2), (2, 3), (3, 4)])))
    >>> small.sizes, members[0]
    ((2, 1, 1, 1), (0, 1))
    """
    members: Members = {vertex: (vertex,) for vertex in structure.vertices}
    while True:
        alike: dict[tuple[int, ...], list[int]] = {}
        for k, sides in enumerate(zip(structure.preds, structure.succs, strict=True)):
            alike.setdefault((*sides, structure.inside >> k & 1), []).append(k)
        if len(alike) == len(structure.sizes) or structure.labels:
            return structure, members
        names = structure.vertices
        members = {names[twins[0]]: sum((members[names[k]] for k in twins), ()) for twins in alike.values()}
        structure = _merged(structure, list(alike.values()))


def _merged(structure: Structure, classes: list[list[int]]) -> Structure:
    """The structure of the first of each class, in order."""
    number = {twins[0]: k for k, twins in enumerate(classes)}

    def renumbered(masks: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(mask_of(number[i] for i in bits(masks[first]) if i in number) for first in number)

    return Structure(
        tuple(structure.vertices[first] for first in number),
        renumbered(structure.preds),
        renumbered(structure.succs),
        tuple(sum(structure.sizes[k] for k in twins) for twins in classes),
        mask_of(number[j] for j in bits(structure.inside) if j in number),
    )


def small_graph(graph: CGraph, members: Members) -> CGraph:
    """The graph of the vertices that stand for all twins, with labels that do not matter."""
    inputs, outputs = ([vertex for vertex in side if vertex in members] for side in (graph.inputs, graph.outputs))
    edges = {(i, j): 0 for i, j in graph.edges if i in members and j in members}
    return CGraph(members, inputs, outputs, edges, graph.sizes)


def edges_of_twins(edges: list[tuple[str, Any, Any]], members: Members) -> list[tuple[str, Any, Any]]:
    """Replace each edge by the edges of all twins that it stands for."""
    return [(side, i, j) for side, first, second in edges for i, j in product(members[first], members[second])]


def faces_of_twins(graph: CGraph, faces: Iterator[Face], members: Members) -> Iterator[Face]:
    """Replace each face of the small graph by the faces of all twins that it stands for."""
    small, whole = line_graph(small_graph(graph, members)), line_graph(graph)
    for e in whole.interior:
        whole.set_label(e, 0)
    nodes: dict[LineNode, dict[Any, LineNode]] = {
        e: {pair: pair for pair in product(members[e[0]], members[e[1]])} for e in small.interior
    }
    merged: dict[LineNode, LineNode] = {}

    def present(e: LineNode) -> LineNode:
        while e in merged:
            e = merged[e]
        return e

    for e, f in faces:
        made: dict[Any, LineNode] = {}
        for i, j, k in product(*(members[vertex] for vertex in (e[0], e[1], f[1]))):
            face = present(nodes[e][i, j]), present(nodes[f][j, k])
            yield face
            for step in eliminate_face(whole, face, PRODUCTS):
                touched = nodes_of(step)
                if step.kind == "fill_in":
                    made[i, k] = touched[-1]
                    merged.pop(touched[-1], None)  # another node may have had its name
                elif step.kind == "merge":
                    merged[touched[1]] = touched[0]
        for step in eliminate_face(small, (e, f), PRODUCTS):
            if step.kind == "fill_in":
                nodes[nodes_of(step)[-1]] = made
