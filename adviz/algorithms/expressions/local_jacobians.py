"""Local Jacobians between the levels of a graph, and what their product costs in each order of association.

Vertices are put on levels by the longest paths to the outputs. An edge that crosses levels is cut into pieces, all of
which but one are 1: copies of its tail or of its head stand on the levels between. Neighbouring levels are then
joined by a matrix, and the Jacobian is the product of all of them, in any order of association. A product by a 0 or by
the 1 of a copy costs nothing.

Source: Y. Zhou, Notes on Computational Graph and Jacobian Accumulation (2020), definition 3.4, section 4 and equation
4.6. Matrices are numbered from the outputs, as they stand in the product; "left to right" begins there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from typing import Literal, TypeAlias

from ...graph.errors import OptionError
from ...graph.linearized.cgraph import CGraph, Copy, expect
from ...graph.linearized.checked_parts import Vertex
from ...graph.linearized.labels import Label, plus, product
from ...graph.reach import reachable
from .terms import ExpressionError

Order: TypeAlias = "int | tuple[Order, Order]"
"""How a product is associated: ``((0, 1), (2, 3))``."""
Place: TypeAlias = tuple[Vertex, int]
"""A vertex or a copy of it, by its level."""
NAMED = "left to right", "right to left", "both ends", "middle out", "optimal"
COPIES = "tail", "head"
MOST_ORDERS = 12
"""The most matrices whose orders are all listed: 58,786."""


@dataclass(frozen=True)
class LocalJacobian:
    """A matrix between two levels: ``entries`` by row and column, where ``None`` is the 1 of a copy."""

    rows: tuple[Place, ...]
    columns: tuple[Place, ...]
    entries: Mapping[tuple[Place, Place], Label | None]

    def __matmul__(self, other: LocalJacobian) -> LocalJacobian:
        """Return the product; :func:`multiplications` says what it costs."""
        result: dict[tuple[Place, Place], Label | None] = {}
        for place, head, tail in _factors(self, other):
            value = head if tail is None else tail if head is None else product(head, tail)
            if place in result:
                value = plus(*(1 if each is None else each for each in (result[place], value)))
            result[place] = value
        return LocalJacobian(self.rows, other.columns, result)


def _factors(left: LocalJacobian, right: LocalJacobian) -> Iterator[tuple[tuple[Place, Place], Label, Label]]:
    """Yield the pairs of entries that a product of matrices multiplies, each behind its row and column."""
    by_row: dict[Place, list[tuple[Place, Label | None]]] = {}
    for (row, column), entry in right.entries.items():
        by_row.setdefault(row, []).append((column, entry))
    for (row, middle), head in left.entries.items():
        for column, tail in by_row.get(middle, ()):
            yield (row, column), head, tail


def multiplications(left: LocalJacobian, right: LocalJacobian) -> int:
    """Return how many products of two entries a product of matrices takes; by 0 and by the 1 of a copy none.

    >>> matrices = local_jacobians(CGraph.from_edges([(0, 1), (0, 2), (1, 3), (2, 3)]))
    >>> multiplications(*matrices)
    2
    """
    return sum(head is not None and tail is not None for _, head, tail in _factors(left, right))


def local_jacobians(graph: CGraph, copies: Literal["tail", "head"] = "tail") -> list[LocalJacobian]:
    """Return the matrices between neighbouring levels, from the outputs to the inputs.

    Their product is the Jacobian. ``copies`` says whether edges that cross levels are filled with copies of their
    ``"tail"``, so that they are multiplied next to their head, or of their ``"head"``. All values are numbers: raises
    :class:`ExpressionError` for a graph with vertices of several entries, and ``ValueError`` for other ``copies``.

    >>> [(len(each.rows), len(each.columns)) for each in local_jacobians(CGraph.from_edges([(0, 1), (1, 2), (0, 2)]))]
    [(1, 2), (2, 1)]
    """
    expect(graph, CGraph)
    if copies not in COPIES:
        raise OptionError(f"copies is {copies!r}; it can be 'tail' or 'head'")
    for vertex in graph.vertices:
        if graph.size(vertex) > 1:
            raise ExpressionError(f"{vertex!r} has {graph.size(vertex)} entries: levels are of numbers.")
    level = levels_from_outputs(graph)
    last = max(level.values(), default=0)
    entries: list[dict[tuple[Place, Place], Label | None]] = [{} for _ in range(last)]
    for i, j in graph.edges:
        top, bottom = level[j], level[i]
        between = [((i if copies == "tail" else j), at) for at in range(top + 1, bottom)]
        path = [(j, top), *between, (i, bottom)]
        own = 0 if copies == "tail" else len(path) - 2
        for k in range(len(path) - 1):
            # Copies of one vertex on one level are one: their edges are the same 1.
            entries[top + k][path[k], path[k + 1]] = graph.partial(i, j) if k == own else None
    rank = graph.rank

    def places(matrices: Iterable[Place]) -> tuple[Place, ...]:
        return tuple(sorted(set(matrices), key=lambda place: rank[place[0]]))

    ends = [(tuple((y, 0) for y in graph.outputs))]
    ends += [places([c for _, c in entries[k - 1]] + [r for r, _ in entries[k]]) for k in range(1, last)]
    ends += [tuple((x, last) for x in graph.inputs)]
    return [LocalJacobian(ends[k], ends[k + 1], entries[k]) for k in range(last)]


def jacobian_between(graph: CGraph, rows: Iterable[Vertex], columns: Iterable[Vertex]) -> LocalJacobian:
    """Return the matrix between two sets of vertices, which need not be levels: J_AB.

    The row of a vertex that is in both sets is the 1 of a copy; the row of another one has its local partials, and
    all of its predecessors must be in ``columns``: otherwise :class:`ExpressionError` names the edge. So the product
    of the matrices of several sets one after the other, from the outputs to the inputs, is the Jacobian, and
    J_AB @ J_BC eliminates all vertices of B that are not in C.

    >>> graph = CGraph.from_edges([(0, 1), (0, 2), (1, 3), (2, 3), (1, 4)])
    >>> matrices = [jacobian_between(graph, [3, 4], [1, 2]), jacobian_between(graph, [1, 2], [0])]
    >>> accumulated(matrices).multiplications
    3
    """
    expect(graph, CGraph)
    chosen = (tuple(dict.fromkeys(each)) for each in (rows, columns))
    heads, tails = (tuple((vertex, 0) for vertex in each) for each in chosen)
    known = set(graph.vertices)
    entries: dict[tuple[Place, Place], Label | None] = {}
    for place in (*heads, *tails):
        if place[0] not in known:
            raise ExpressionError(f"there is no vertex {place[0]!r}: a row and a column are vertices of the graph.")
    for head in heads:
        if head in tails:
            entries[head, head] = None
            continue
        if head[0] in graph.inputs:
            raise ExpressionError(f"{head[0]!r} is an input, which depends on nothing: it must be a column, too.")
        for i in graph.predecessors(head[0]):
            if (i, 0) not in tails:
                raise ExpressionError(f"{head[0]!r} depends on {i!r}, which is no column: add it to the columns.")
            entries[head, (i, 0)] = graph.partial(i, head[0])
    return LocalJacobian(heads, tails, entries)


def segmented(graph: CGraph, copies: Literal["tail", "head"] = "tail") -> CGraph:
    """Return the graph whose edges cross no level: those that do are cut by copies, and the other pieces are 1.

    Raises what :func:`local_jacobians` raises, which are the matrices of this graph.

    >>> found = segmented(CGraph.from_edges([(0, 1), (1, 2), (0, 2)]))
    >>> [(found.name(i), found.name(j)) for i, j in found.edges]
    [('v0', 'v0′'), ('v0', 'v1'), ('v0′', 'v2'), ('v1', 'v2')]
    """
    matrices = local_jacobians(graph, copies)
    level = levels_from_outputs(graph)

    def named(place: Place) -> Vertex:
        vertex, at = place
        return vertex if level[vertex] == at else Copy(vertex, abs(level[vertex] - at) + 1)

    places = [place for matrix in matrices[::-1] for place in matrix.columns] + list(matrices[0].rows)
    edges = [(key, entry) for matrix in matrices[::-1] for key, entry in matrix.entries.items()]
    partials = {(named(column), named(row)): 1 if entry is None else entry for (row, column), entry in edges}
    names = {named(place): graph.name(place[0]) + "′" * abs(level[place[0]] - place[1]) for place in places}
    return CGraph([named(place) for place in places], graph.inputs, graph.outputs, partials, names=names)


def levels(graph: CGraph) -> list[tuple[Vertex, ...]]:
    """Return the vertices of each level, that of the outputs first and that of the inputs last.

    >>> levels(CGraph.from_edges([(0, 1), (1, 2), (0, 2)]))
    [(2,), (1,), (0,)]
    """
    result: dict[int, list[Vertex]] = {}
    for vertex, level in levels_from_outputs(graph).items():
        result.setdefault(level, []).append(vertex)
    return [tuple(sorted(result[level], key=graph.rank.__getitem__)) for level in sorted(result)]


def levels_from_outputs(graph: CGraph) -> dict[Vertex, int]:
    """Return the number of edges on the longest path from each vertex to an output; inputs are on the last level.

    >>> levels_from_outputs(CGraph.from_edges([(0, 1), (1, 2), (0, 2)]))
    {2: 0, 1: 1, 0: 2}
    """
    expect(graph, CGraph)
    result: dict[Vertex, int] = {}
    for vertex in reversed(graph.vertices):
        result[vertex] = max((result[other] + 1 for other in graph.successors(vertex)), default=0)
    return result | dict.fromkeys(graph.inputs, max(result.values(), default=0))


# ---- orders of association ----


@dataclass(frozen=True)
class Accumulated:
    """A product of local Jacobians: the entries under ``(input, output)``, the order, and what it took."""

    jacobian: dict[tuple[Vertex, Vertex], Label]
    order: Order
    multiplications: int


def accumulated(matrices: Sequence[LocalJacobian], order: Order | str = "optimal") -> Accumulated:
    """Multiply local Jacobians in an order: one of ``NAMED``, or pairs of numbers such as ``((0, 1), (2, 3))``.

    ``"optimal"`` is the cheapest of all, by dynamic programming: the entries of a product do not depend on its order.
    Raises :class:`ExpressionError` for an order that does not have each number once, from left to right.

    >>> edges = [(7, 5), (7, 6), (5, 4), (6, 4), (4, 2), (4, 3), (2, 1), (3, 1)]
    >>> matrices = local_jacobians(CGraph.from_edges(edges))
    >>> [accumulated(matrices, each).multiplications for each in ("left to right", "right to left", "optimal")]
    [6, 6, 5]
    """
    chosen = order_by_name(matrices, order) if isinstance(order, str) else order
    if list(_numbers(chosen)) != [*range(len(matrices))]:
        raise ExpressionError(f"{chosen} is no order of {len(matrices)} matrices: write each number once, in pairs.")
    whole, work = _multiplied(matrices, chosen)
    entries = {(x, y): 1 if entry is None else entry for ((y, _), (x, _)), entry in whole.entries.items()}
    return Accumulated(entries, chosen, work)


def _multiplied(matrices: Sequence[LocalJacobian], order: Order) -> tuple[LocalJacobian, int]:
    if isinstance(order, int):
        return matrices[order], 0
    (left, one), (right, other) = (_multiplied(matrices, each) for each in order)
    return left @ right, one + other + multiplications(left, right)


def _numbers(order: Order) -> Iterator[int]:
    if isinstance(order, int):
        yield order
        return
    if not isinstance(order, tuple) or len(order) != 2:
        raise ExpressionError(f"{order!r} is no pair: an order is made of numbers and pairs, such as ((0, 1), 2).")
    for each in order:
        yield from _numbers(each)


def orders(count: int) -> Iterator[Order]:
    """Yield all orders of association; their number is Catalan's.

    >>> list(orders(3)), len(list(orders(6)))
    ([(0, (1, 2)), ((0, 1), 2)], 42)
    """
    if count > MOST_ORDERS:
        raise ExpressionError(f"{count} matrices have too many orders to list; 'optimal' needs no list.")
    yield from _orders(0, count)


def _orders(first: int, last: int) -> Iterator[Order]:
    if last - first == 1:
        yield first
    for cut in range(first + 1, last):
        for left in _orders(first, cut):
            for right in _orders(cut, last):
                yield left, right


def order_by_name(matrices: Sequence[LocalJacobian], name: str) -> Order:
    """Return an order by name. ``"both ends"`` ends, and ``"middle out"`` begins, in the middle.

    Raises ``ValueError`` for another name.

    >>> matrices = local_jacobians(CGraph.from_edges([(k, k + 1) for k in range(4)]))
    >>> [order_by_name(matrices, name) for name in ("left to right", "both ends", "middle out")]
    [(((0, 1), 2), 3), ((0, 1), (2, 3)), ((0, (1, 2)), 3)]
    """
    count = len(matrices)
    if name == "left to right":
        return _from_left(range(count))
    if name == "right to left":
        return _from_right(range(count))
    if name == "both ends":
        half = (count + 1) // 2
        return _from_left(range(count)) if count < 2 else (_from_left(range(half)), _from_right(range(half, count)))
    if name == "middle out":
        order: Order = (middle := (count - 1) // 2)
        for k in range(1, count):
            order = (order, middle + (k + 1) // 2) if k % 2 else (middle - k // 2, order)
        return order
    if name == "optimal":
        return _optimal(matrices)
    raise OptionError(f"no order is called {name!r}; there are {', '.join(NAMED)}")


def _from_left(numbers: Iterable[Order]) -> Order:
    return reduce(lambda order, number: (order, number), numbers)


def _from_right(numbers: Sequence[Order]) -> Order:
    return reduce(lambda order, number: (number, order), reversed(numbers))


def _optimal(matrices: Sequence[LocalJacobian]) -> Order:
    """Return the cheapest order: of each stretch of matrices once, from short to long."""

    @cache
    def whole(first: int, last: int) -> LocalJacobian:
        return matrices[first] if last - first == 1 else whole(first, last - 1) @ matrices[last - 1]

    @cache
    def best(first: int, last: int) -> tuple[int, Order]:
        if last - first == 1:
            return 0, first
        tried = []
        for cut in range(first + 1, last):
            (one, left), (other, right) = best(first, cut), best(cut, last)
            tried.append((one + other + multiplications(whole(first, cut), whole(cut, last)), (left, right)))
        return min(tried, key=lambda each: each[0])

    for length in range(2, len(matrices) + 1):  # short ones first, so that nothing is deep
        for first in range(len(matrices) - length + 1):
            best(first, first + length)
    return best(0, len(matrices))[1]


def undivided(matrix: LocalJacobian) -> list[LocalJacobian]:
    """Return the parts of a matrix that no entry connects: each can be multiplied on its own (definition 3.5).

    >>> (matrix,) = local_jacobians(CGraph.from_edges([(0, 2), (1, 3)]))
    >>> [[vertex for vertex, _ in part.rows] for part in undivided(matrix)]
    [[2], [3]]
    """
    near: dict[tuple[str, Place], list[tuple[str, Place]]] = {}
    for row, column in matrix.entries:
        near.setdefault(("row", row), []).append(("column", column))
        near.setdefault(("column", column), []).append(("row", row))
    result, seen = [], set[tuple[str, Place]]()
    for start in near:
        if start in seen:
            continue
        part = reachable([start], near.__getitem__)
        seen |= part.keys()
        rows = tuple(row for row in matrix.rows if ("row", row) in part)
        columns = tuple(column for column in matrix.columns if ("column", column) in part)
        entries = {place: entry for place, entry in matrix.entries.items() if ("row", place[0]) in part}
        result.append(LocalJacobian(rows, columns, entries))
    return result
