"""Jacobians and Hessians of functions on arrays: local Jacobians, which keep their structure, multiplied in an order.

Vertices are arrays, and an edge is the local Jacobian of one with respect to another; eliminating a vertex multiplies
those of its edges. Source: Griewank and Walther, Evaluating Derivatives (2nd ed., 2008), sections 9.1 and 9.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...algorithms.elimination.moves import OrderError
from ...engine.jacobians.base import Jacobian
from ...engine.jacobians.local import Diagonal
from ...engine.pytrees import leaves, rebuild
from ...engine.tracing.leaves import Leaf
from ..derivations.derivation import Derivation, varied
from ..derivations.translation import translated
from ..points.results import Curvature, Derivatives
from ..points.selected import Which, selected
from ..program_errors import ProgramError
from .drafts import ADJOINT, Draft, Traced, check_is_real, of_gradient, values_of

Edges = dict[tuple[Any, Any], Jacobian]
ORDERS = ("forward", "reverse", "markowitz", "best")


def jacobian_draft(of: Traced, *, order: str = "best", outputs: Which = None, form: str = "dense") -> Draft:
    """Values and Jacobian, by eliminating vertices."""
    check_is_real(of)
    if form != "dense":
        raise ProgramError(f"form is {form!r}; on arrays it can be 'dense'. Sparse forms need grain='scalar'.")
    if outputs is not None:
        if not isinstance(of.result, tuple | list):
            raise ProgramError(f"outputs selects among results, and {of.graph.title} returns one. Leave it out.")
        of.result, of.outputs = selected("outputs", outputs, of.result, of.outputs)
    derivation = Derivation(of.graph)
    ends = [leaf.nodes[0] if leaf.nodes else None for leaf in of.outputs]
    shapes = [np.shape(value) for _, value in leaves(of.result, "")]
    values, matrices = derivation.run(lambda it: (values_of(it, of), _matrices(it, of.wanted, ends, shapes, order)))
    found = translated(derivation, [*values, *matrices], {}, {}, ADJOINT)
    template = Derivatives(of.result, rebuild(of.result, iter([of.structure] * len(values))))
    summary = f"The values of {of.graph.title}, and its Jacobian."
    return Draft(found, of.graph.title, of.arguments, template, len(values), summary, ("values", "Jacobian"))


def hessian_draft(of: Traced, *, order: str = "best") -> Draft:
    """Value, gradient and Hessian: the Jacobian of the gradient, by eliminating vertices of its graph."""
    of.check_is_number("compile_hessian")
    check_is_real(of)
    derivation, (value, *gradient) = of_gradient(of)
    ends = [y if isinstance(y, int) else None for y in gradient]
    shapes = [leaf.shape for leaf in of.wanted]
    matrices = derivation.run(lambda it: _matrices(it, _renumbered(of, it), ends, shapes, order))
    results = [derivation.values[y] if isinstance(y, int) else y.value for y in (value, *gradient)]
    found = translated(derivation, [*results, *matrices], {}, {}, ADJOINT)
    template = Curvature(0.0, of.structure, rebuild(of.structure, iter([of.structure] * len(of.wanted))))
    summary = f"The value of {of.graph.title}, its gradient, and its Hessian."
    return Draft(found, of.graph.title, of.arguments, template, 1, summary, ("value", "gradient and Hessian"))


def _renumbered(of: Traced, it: Derivation) -> list[Leaf]:
    """The wanted leaves, with their nodes in the graph of the gradient, whose inputs are in the same order."""
    places = {leaf.nodes[0]: node for leaf, node in zip(of.inputs, it.graph.inputs, strict=True)}
    return [leaf._replace(nodes=[places[leaf.nodes[0]]]) for leaf in of.wanted]


def _matrices(
    it: Derivation, inputs: Sequence[Leaf], ends: Sequence[int | None], shapes: Sequence[Any], order: str
) -> list[Any]:
    """The Jacobian of each end with respect to each input, an array of the shapes of both."""
    if order not in ORDERS:
        raise OrderError(f"order is {order!r}; of programs on arrays it can be {', '.join(ORDERS)}.")
    edges = _local_edges(it, [leaf.nodes[0] for leaf in inputs], ends)
    found = min((_eliminated(edges, moves) for moves in _orders(it, edges, order)), key=lambda each: each[1])[0]
    return [
        _dense(found.get((leaf.nodes[0], ("end", k))), shape, leaf) for k, shape in enumerate(shapes) for leaf in inputs
    ]


def _local_edges(it: Derivation, sources: Sequence[int], ends: Sequence[int | None]) -> Edges:
    """The local Jacobians of all nodes between the sources and the ends; each end is a vertex of its own."""
    graph, depends = it.graph, varied(it.graph, sources)
    edges: Edges = {}
    reaching = {end for end in ends if end is not None}
    for k, end in enumerate(ends):
        if end is not None and depends[end]:
            shape = np.shape(it.values[end])
            edges[end, ("end", k)] = Diagonal(1.0, shape, shape)
    for node in range(len(graph) - 1, -1, -1):
        if node not in reaching or not depends[node] or node in sources:
            continue
        places = [k for k, operand in enumerate(graph.operands(node)) if operand >= 0 and depends[operand]]
        with it.writing(node):
            for operand, jacobian in it.local_jacobians(node, places):
                edges[operand, node] = edges[operand, node].plus(jacobian) if (operand, node) in edges else jacobian
                reaching.add(operand)
    return edges


def _orders(it: Derivation, edges: Edges, order: str) -> Iterator[list[int]]:
    """The orders of vertices to try."""
    inner = sorted({i for i, _ in edges} & {j for _, j in edges if not isinstance(j, tuple)})
    if order in ("forward", "best"):
        yield inner
    if order in ("reverse", "best"):
        yield inner[::-1]
    if order in ("markowitz", "best"):
        yield list(_by_markowitz(edges, inner))


def _by_markowitz(edges: Edges, vertices: Sequence[int]) -> Iterator[int]:
    """Vertices by the least number of entries before them times that after them."""
    left = {(i, j): jacobian.shape for (i, j), jacobian in edges.items()}
    pending = set(vertices)
    while pending:
        chosen = min(pending, key=lambda v: (_degree(left, v), v))
        pending.remove(chosen)
        before = {i: shape for (i, j), shape in left.items() if j == chosen}
        after = {j: shape for (i, j), shape in left.items() if i == chosen}
        left = {edge: shape for edge, shape in left.items() if chosen not in edge}
        left |= {(i, j): (after[j][0], before[i][1]) for i in before for j in after}
        yield chosen


def _degree(shapes: Mapping[tuple[Any, Any], tuple[int, ...]], v: int) -> int:
    before = sum(shape[1] for (_, j), shape in shapes.items() if j == v)
    return before * sum(shape[0] for (i, _), shape in shapes.items() if i == v)


def _eliminated(edges: Edges, order: Sequence[int]) -> tuple[Edges, int]:
    """The edges that remain when vertices are eliminated, and the multiplications that this takes."""
    edges, work = dict(edges), 0
    for v in order:
        before = {i: edges.pop((i, v)) for i, j in list(edges) if j == v}
        after = {j: edges.pop((v, j)) for i, j in list(edges) if i == v}
        for j, head in after.items():
            for i, tail in before.items():
                work += head.multiplications(tail)
                product = head.times(tail)
                edges[i, j] = edges[i, j].plus(product) if (i, j) in edges else product
    return edges, work


def _dense(jacobian: Jacobian | None, shape: tuple[int, ...], leaf: Leaf) -> Any:
    if jacobian is None:
        return np.zeros(shape + leaf.shape, leaf.dtype)
    return np.reshape(jacobian.dense(), shape + leaf.shape)
