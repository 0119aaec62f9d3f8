"""In which order the Jacobian of a chain of arrays is multiplied: the least operations on numbers.

All derivatives go through a bottleneck, an array that every path from arguments to results passes. Between two of them
the Jacobian takes a sweep on, a sweep back, or the product of two Jacobians; a sweep may go on from a Jacobian.

Source: Naumann and Lotz, Algorithmic differentiation of numerical methods: tangent and adjoint solvers for
parameterized systems of nonlinear equations (2012); Naumann, Matrix-free Jacobian chaining (2024), for the recurrence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from ...graph.graph import Graph
from ..derivations.derivation import varied

MOST = 6
"""Bottlenecks that are considered; of more, the smallest are."""


class Plan(NamedTuple):
    """How the Jacobian from one stage of a chain to a later one is made.

    ``way`` is "forward" or "reverse": a sweep on or back through what is left of the way, beginning with the Jacobian
    of the ``first`` plan, or with the identity if that is ``None``; or "product": ``first`` times ``second``.
    """

    way: str
    start: int
    end: int
    cost: int
    first: Plan | None = None
    second: Plan | None = None


def bottlenecks(graph: Graph, inputs: Sequence[int], outputs: Iterable[int]) -> list[int]:
    """Return the nodes between, through which all paths from the inputs to the outputs go, in their order.

    >>> import adviz
    >>> bottlenecks(adviz.trace(lambda x: np.exp(np.sum(x)) * np.ones(3), np.ones(4)), [0], [3])
    [1, 2]
    """
    outputs = list(outputs)
    reaches = [False] * len(graph)
    for node in outputs:
        reaches[node] = True
    for node in range(len(graph) - 1, -1, -1):
        if reaches[node]:
            for operand in graph.operand_nodes(node):
                reaches[operand] = True
    depends = varied(graph, inputs)
    is_between = [one and other for one, other in zip(depends, reaches, strict=True)]
    edges = [(u, v) for v in range(len(graph)) if is_between[v] for u in graph.operand_nodes(v) if is_between[u]]
    edges += [(-1, x) for x in inputs if is_between[x]] + [(y, len(graph)) for y in outputs if is_between[y]]
    jumped = np.zeros(len(graph) + 1, int)
    for u, v in edges:
        jumped[u + 1] += 1
        jumped[v] -= 1
    over = np.cumsum(jumped)
    ends = {*inputs, *outputs}
    return [v for v in range(len(graph)) if is_between[v] and not over[v] and v not in ends]


def narrowest(nodes: Sequence[int], sizes: Sequence[int], most: int) -> list[int]:
    """The nodes of the least sizes, up to :data:`MOST`, which are smaller than ``most``: of equal neighbours the first.

    >>> narrowest([3, 4, 5, 6], [5, 5, 20, 2], 10)
    [3, 6]
    """
    pairs = list(zip(nodes, sizes, strict=True))
    kept = [
        (size, node)
        for k, (node, size) in enumerate(pairs)
        if size < most and (not k or pairs[k - 1][1] > size) and (k + 1 == len(pairs) or _next_size(pairs, k) > size)
    ]
    return sorted(node for _, node in sorted(kept)[:MOST])


def _next_size(pairs: Sequence[tuple[int, int]], k: int) -> float:
    """Return the size of the first later node that is of another size; infinite, if there is none."""
    return next((size for _, size in pairs[k + 1 :] if size != pairs[k][1]), float("inf"))


def best_plan(
    sizes: Sequence[int], forward: Callable[[int, int], int], reverse: Callable[[int, int], int], ways: Sequence[str]
) -> Plan:
    """Return the plan of the least cost for a chain whose stages have these numbers of entries.

    ``forward(i, j)`` and ``reverse(i, j)`` are the operations of one tangent or adjoint between two stages, ``ways``
    those that are allowed.

    >>> through_a_bottleneck = best_plan([100, 5, 100], lambda i, j: 3000, lambda i, j: 3000, ["forward", "reverse"])
    >>> through_a_bottleneck.way, through_a_bottleneck.cost
    ('product', 130000)
    """

    @cache
    def found(i: int, j: int) -> Plan:
        plans = []
        if "forward" in ways:
            plans.append(Plan("forward", i, j, sizes[i] * forward(i, j)))
        if "reverse" in ways:
            plans.append(Plan("reverse", i, j, sizes[j] * reverse(i, j)))
        for k in range(i + 1, j) if len(ways) > 1 else ():
            one, other = found(i, k), found(k, j)
            product = 2 * sizes[i] * sizes[k] * sizes[j]
            plans += [
                Plan("forward", i, j, one.cost + sizes[i] * forward(k, j), one),
                Plan("reverse", i, j, other.cost + sizes[j] * reverse(i, k), other),
                Plan("product", i, j, one.cost + other.cost + product, one, other),
            ]
        return min(plans, key=lambda plan: plan.cost)

    return found(0, len(sizes) - 1)


def sweeps(plan: Plan) -> list[tuple[str, int, int]]:
    """Return the sweeps that a plan takes: the way, the stage of the seeds, and the stage at which it arrives."""
    inner = [each for part in (plan.first, plan.second) if part is not None for each in sweeps(part)]
    if plan.way == "forward":
        return [*inner, ("forward", plan.first.end if plan.first else plan.start, plan.end)]
    if plan.way == "reverse":
        return [*inner, ("reverse", plan.first.start if plan.first else plan.end, plan.start)]
    return inner
