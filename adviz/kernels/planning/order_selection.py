"""The elimination order of a program: the one asked for, or the one with the fastest program of several."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

from ...algorithms.elimination import OrderError
from ...algorithms.elimination.orders import NAMES, Order
from ...algorithms.search.greedy import quick_order
from ...graph.linearized.checked_parts import Vertex
from ..expressions.accumulation import Linearization, Places, accumulated, eliminated, reached
from ..expressions.expressions import CONSTANT, Expressions
from ..expressions.operations import OPERATIONS
from .schedule import nanoseconds


class Chosen(NamedTuple):
    """An order, the Jacobian that it accumulates, and the order as a list of vertices if it is one of vertices."""

    order: Order
    jacobian: Places
    vertices: list[Vertex] | None


def chosen(linear: Linearization, order: Any, outputs: Callable[[Places], list[int]]) -> Chosen:
    """Accumulate a Jacobian by an order, for ``"best"`` the fastest of three, for ``"searched"`` improved by a search.

    ``outputs`` maps a Jacobian to the outputs of its program.

    >>> from adviz import trace
    >>> from ..expressions.accumulation import expressions_of
    >>> linear = expressions_of(trace(lambda x, y: (x * y) * (x * y), 3.0, 2.0)).linear
    >>> chosen(linear, "reverse", lambda jacobian: [*jacobian.values()]).order
    'reverse'
    """
    if not isinstance(order, str) or order not in ("best", "searched"):
        if isinstance(order, str) and order not in NAMES:
            raise OrderError(f"There is no order {order!r}; the names are {', '.join(NAMES)}, best and searched.")
        order = getattr(order, "order", order)  # of an Optimum
        order = list(order) if isinstance(order, Iterator) else order
        jacobian, vertices = accumulated(linear, order)
        return Chosen(order if isinstance(order, str) or vertices is None else vertices, jacobian, vertices)
    vertices, jacobian, least = [], {}, math.inf
    for candidate in candidates(linear):
        try:
            found = eliminated(linear, _within(TOO_SLOW * least, linear.known, candidate))
        except _TooSlowError:
            continue
        if (time := predicted(linear.known, outputs(found))) < least:
            vertices, jacobian, least = candidate, found, time
    if order == "best":
        return Chosen(vertices, jacobian, vertices)
    vertices = searched(linear, vertices, outputs)
    return Chosen(vertices, eliminated(linear, vertices), vertices)


TOO_SLOW = 4
"""An order is given up when it takes this many times as long as the best so far; some products may not be needed."""


class _TooSlowError(Exception):
    """Ends the elimination by an order that is too slow."""


def _within(most: float, known: Expressions, order: list[Vertex]) -> Iterator[Vertex]:
    """The vertices of an order, while the expressions that they add take at most ``most`` nanoseconds."""
    each, done, taken = nanoseconds(Counter(add=1), 0), len(known), 0.0
    for vertex in order:
        yield vertex
        taken += each * sum(operation != CONSTANT for operation in known.operations[done:])
        done = len(known)
        if taken > most:
            raise _TooSlowError


TRIALS, PATIENCE = 500, 500_000
"""The most orders that a search tries, and the most expressions that it visits."""


def searched(linear: Linearization, order: list[Vertex], outputs: Callable[[Places], list[int]]) -> list[Vertex]:
    """Improve an order: single vertices are moved to random places (seeded), and what is not slower is kept."""
    random, least = Random(0), None
    for _ in range(min(TRIALS, PATIENCE // len(linear.known)) if len(order) > 1 else 0):
        trial = list(order)
        if least is not None:
            trial.insert(random.randrange(len(order)), trial.pop(random.randrange(len(order))))
        known = linear.known.copy()
        cost = predicted(known, outputs(eliminated(linear._replace(known=known), trial)))
        if least is None or cost <= least:
            order, least = trial, cost
    return order


LARGE = 2000
"""The most intermediates for which :func:`markowitz`, which looks at all of them in each step, is fast enough."""


def candidates(linear: Linearization) -> Iterator[list[Vertex]]:
    """Reverse, Markowitz and forward order; of large graphs the Markowitz order with the tie-break that is fastest."""
    inner = linear.cgraph.intermediates
    yield inner[::-1]
    yield [*markowitz(linear, inner)] if len(inner) <= LARGE else quick_order(linear.cgraph)[0]
    yield inner


def markowitz(linear: Linearization, inner: list[Vertex]) -> Iterator[Vertex]:
    """The order of lowest Markowitz degree, the first of equal ones: ``vertex_order(graph, "markowitz")``, but faster.

    On sets of neighbours it takes a tenth of the time (0.2 ms instead of 2.9 ms for the 79 vertices of the Roe flux).
    """
    predecessors: dict[Vertex, set[Vertex]] = {vertex: set() for vertex in linear.cgraph.rank}
    successors: dict[Vertex, set[Vertex]] = {vertex: set() for vertex in linear.cgraph.rank}
    for i, j in linear.partials:
        predecessors[j].add(i)
        successors[i].add(j)
    degrees = {j: len(predecessors[j]) * len(successors[j]) for j in inner}
    while degrees:
        j = min(degrees, key=degrees.__getitem__)
        yield j
        del degrees[j]
        for i in predecessors[j]:
            successors[i].remove(j)
            successors[i] |= successors[j]
        for k in successors[j]:
            predecessors[k].remove(j)
            predecessors[k] |= predecessors[j]
        for i in (*predecessors[j], *successors[j]):
            if i in degrees:
                degrees[i] = len(predecessors[i]) * len(successors[i])


def predicted(known: Expressions, outputs: list[int]) -> float:
    """Predict the nanoseconds that a point takes, as the schedule does, without making one."""
    outputs = [*map(known.plain, outputs)]
    operations = known.operations
    computed = sum(operations[place] in OPERATIONS for place in {*outputs})
    return nanoseconds(Counter(operations[place] for place in reached(known, outputs)), len(outputs) - computed)
