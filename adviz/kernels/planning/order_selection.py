"""Which order a program is made of: the one asked for, or the quickest of several."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

from ...algorithms.elimination import OrderError
from ...algorithms.elimination.orders import NAMES
from ...algorithms.search.greedy import quick_order
from ..expressions.accumulation import Linearization, Places, accumulated, eliminated, reached
from ..expressions.expressions import CONSTANT, Expressions
from ..expressions.operations import OPERATIONS
from .schedule import nanoseconds


class Chosen(NamedTuple):
    """An order, the Jacobian that it accumulates, and its vertices, if it is one of vertices."""

    order: Any
    jacobian: Places
    vertices: list[Any] | None


def chosen(linear: Linearization, order: Any, outputs: Callable[[Places], list[int]]) -> Chosen:
    """The Jacobian by an order; by the quickest of a few for ``"best"``, improved by a search for ``"searched"``.

    ``outputs`` are the outputs of the program that a Jacobian makes.

    >>> from adviz import trace
    >>> from ..expressions.accumulation import expressions_of
    >>> linear = expressions_of(trace(lambda x, y: (x * y) * (x * y), 3.0, 2.0)).linear
    >>> chosen(linear, "reverse", lambda jacobian: [*jacobian.values()]).order
    'reverse'
    """
    if not isinstance(order, str) or order not in ("best", "searched"):
        if isinstance(order, str) and order not in NAMES:
            raise OrderError(f"There is no order {order!r}; the names are {', '.join(NAMES)}, best and searched.")
        order = getattr(order, "order", order)  # that of an Optimum
        order = list(order) if isinstance(order, Iterator) else order
        jacobian, vertices = accumulated(linear, order)
        return Chosen(order if isinstance(order, str) or vertices is None else vertices, jacobian, vertices)
    vertices, jacobian, least = [], {}, math.inf
    for candidate in candidates(linear):
        try:
            found = eliminated(linear, _promising(linear.known, candidate, HOPELESS * least))
        except _HopelessError:
            continue
        if (time := predicted(linear.known, outputs(found))) < least:
            vertices, jacobian, least = candidate, found, time
    if order == "best":
        return Chosen(vertices, jacobian, vertices)
    vertices = searched(linear, vertices, outputs)
    return Chosen(vertices, eliminated(linear, vertices), vertices)


HOPELESS = 4
"""How many times slower an order may get before it is given up; some of its products may turn out not to be needed."""


class _HopelessError(Exception):
    pass


def _promising(known: Expressions, order: list[Any], most: float) -> Iterator[Any]:
    """The vertices of an order, until what is new with them takes so many nanoseconds or more."""
    each, done, taken = nanoseconds(Counter(add=1), 0), len(known), 0.0
    for vertex in order:
        yield vertex
        taken += each * sum(operation != CONSTANT for operation in known.operations[done:])
        done = len(known)
        if taken > most:
            raise _HopelessError


TRIALS, PATIENCE = 500, 500_000
"""Orders that a search tries, and expressions that it looks at."""


def searched(linear: Linearization, order: list[Any], outputs: Callable[[Places], list[int]]) -> list[Any]:
    """An order that is expected to be as quick or quicker: vertices are moved to other places, at random but seeded."""
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
"""Intermediates above which there is no time for the Markowitz order that looks at all of them in each step."""


def candidates(linear: Linearization) -> Iterator[list[Any]]:
    """Reverse, Markowitz and forward; of large graphs the Markowitz order that breaks ties in the quickest way."""
    inner = linear.cgraph.intermediates
    yield inner[::-1]
    yield [*markowitz(linear, inner)] if len(inner) <= LARGE else quick_order(linear.cgraph)[0]
    yield inner


def markowitz(linear: Linearization, inner: list[Any]) -> Iterator[Any]:
    """The order of lowest Markowitz degree; of equal ones the first is taken."""
    before: dict[Any, set[Any]] = {vertex: set() for vertex in linear.cgraph.rank}
    behind: dict[Any, set[Any]] = {vertex: set() for vertex in linear.cgraph.rank}
    for i, j in linear.partials:
        before[j].add(i)
        behind[i].add(j)
    degrees = {j: len(before[j]) * len(behind[j]) for j in inner}
    while degrees:
        left = [*degrees.values()]
        j = [*degrees][left.index(min(left))]
        yield j
        del degrees[j]
        for i in before[j]:
            behind[i].remove(j)
            behind[i] |= behind[j]
        for k in behind[j]:
            before[k].remove(j)
            before[k] |= before[j]
        for i in (*before[j], *behind[j]):
            if i in degrees:
                degrees[i] = len(before[i]) * len(behind[i])


def predicted(known: Expressions, outputs: list[int]) -> float:
    """Nanoseconds that a point is expected to take, those of the schedule."""
    outputs = [*map(known.plain, outputs)]
    operations = known.operations
    computed = sum(operations[place] in OPERATIONS for place in {*outputs})
    return nanoseconds(Counter(operations[place] for place in reached(known, outputs)), len(outputs) - computed)
