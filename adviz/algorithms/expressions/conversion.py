"""From a graph to expressions and back, by factorization of what is left between its chains and blocks.

A simple graph, whose core has no intermediates, is one expression for each entry. In a complex one vertices are shared
by several products: *backward* factorization splits them behind, so that each entry is factored from its output;
*forward* factorization splits them in front, so that it is factored from its input. With references nothing is computed
twice: what a split vertex stands for is written once and named.

Source: Y. Zhou, Notes on Computational Graph and Jacobian Accumulation (2020), section 4, equations 4.1 to 4.5. Its
roots are the outputs here, its terminals the inputs.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from typing import Any

from ...graph.linearized.cgraph import CGraph
from ...graph.linearized.checked_parts import Vertex
from ...graph.linearized.labels import Label
from ...graph.linearized.measures import count_paths, index_domains, index_ranges
from ..elimination.techniques import vertex_elimination
from .decomposition import Decomposition, decomposed
from .path_sets import paths_between
from .sharing import residue_of
from .terms import (
    MOST_PATHS,
    Expression,
    ExpressionError,
    Expressions,
    Letter,
    Product,
    Reference,
    added,
    expect_expressions,
    multiplied,
)


def expressions(graph: CGraph) -> Expressions:
    """Return a graph as a set of expressions: its chains and blocks, and its core factored backward with references.

    >>> edges = [(7, 5), (7, 6), (5, 4), (6, 4), (4, 2), (4, 3), (5, 2), (6, 3), (2, 1), (3, 1)]
    >>> print(expressions(CGraph.from_edges(edges)))
    X1 = e45 e57 + e46 e67
    e17 = e12 (e25 e57 + e24 X1) + e13 (e36 e67 + e34 X1)
    """
    return backward_factorization(graph)


def backward_factorization(graph: CGraph, references: bool = True) -> Expressions:
    """Return each entry factored from its output, with or without references to what is used several times.

    Without references letters are repeated, as often as there are paths: raises :class:`ExpressionError` for more than
    100,000 paths.

    >>> edges = [(7, 5), (7, 6), (5, 4), (6, 4), (4, 2), (4, 3), (5, 2), (6, 3), (2, 1), (3, 1)]
    >>> found = backward_factorization(CGraph.from_edges(edges), references=False)
    >>> print(found, found.multiplications)
    e17 = e12 (e25 e57 + e24 (e45 e57 + e46 e67)) + e13 (e36 e67 + e34 (e45 e57 + e46 e67)) 10
    """
    return _Factoring(graph, references, forward=False).whole()


def forward_factorization(graph: CGraph, references: bool = True) -> Expressions:
    """Return each entry factored from its input, with or without references to what is used several times.

    >>> edges = [(7, 5), (7, 6), (5, 4), (6, 4), (4, 2), (4, 3), (5, 2), (6, 3), (2, 1), (3, 1)]
    >>> found = forward_factorization(CGraph.from_edges(edges), references=False)
    >>> print(found, found.multiplications)
    e17 = ((e12 e24 + e13 e34) e45 + e12 e25) e57 + ((e12 e24 + e13 e34) e46 + e13 e36) e67 10
    """
    return _Factoring(graph, references, forward=True).whole()


class _Factoring:
    """The factorization of a core; ``forward`` turns it around."""

    def __init__(self, graph: CGraph, references: bool, forward: bool):
        if not references and (count := count_paths(graph)) > MOST_PATHS:
            raise ExpressionError(
                f"Without references there are {count:,} products, more than {MOST_PATHS:,}: "
                "leave references=False out."
            )
        self.core: Decomposition = decomposed(graph)
        self.by_reference, self.forward = references, forward
        self.near: dict[Vertex, list[Vertex]] = {vertex: [] for vertex in self.core.vertices}
        for edge in self.core.edges:
            vertex, other = edge if forward else edge[::-1]
            self.near[vertex].append(other)
        self.far = (index_ranges if forward else index_domains)(graph)
        self.references: dict[str, Expression] = {}
        self.edges = dict(self.core.edges)

    def whole(self) -> Expressions:
        """Return the entries, factored."""
        if self.by_reference:
            self._name_edges()
        entries: dict[tuple[Vertex, Vertex], Expression] = {}
        outputs, inputs = self.core.outputs, self.core.inputs
        for far in outputs if self.forward else inputs:
            known = self._towards(far)
            entries |= {((far, near) if self.forward else (near, far)): made for near, made in known.items()}
        order = [(y, x) for y in outputs for x in inputs if (y, x) in entries]
        return Expressions({entry: entries[entry] for entry in order}, self.references)

    def _name_edges(self) -> None:
        """Refer to the edges of the core that stand for more than a letter and are used for several entries."""
        for (i, j), expression in self.core.edges.items():
            uses = self.far[j if self.forward else i]
            if not isinstance(expression, Letter) and len(uses) > 1:
                self.edges[i, j] = self._named(expression)

    def _towards(self, far: Vertex) -> dict[Vertex, Expression]:
        """Return what leads between each vertex and one end, as it is to be used by others."""
        order = self.core.vertices[::-1] if self.forward else self.core.vertices
        reached = [vertex for vertex in order if far in self.far[vertex] and vertex != far]
        uses = Counter(other for vertex in reached for other in self.near[vertex])
        known: dict[Vertex, Expression] = {}
        for vertex in reached:
            terms = [self._term(vertex, other, known, far) for other in self.near[vertex] if far in self.far[other]]
            expression = added(*terms)
            is_shared = uses[vertex] > 1 and not isinstance(expression, Letter | Reference)
            known[vertex] = self._named(expression) if self.by_reference and is_shared else expression
        return known

    def _term(self, vertex: Vertex, other: Vertex, known: Mapping[Vertex, Expression], far: Vertex) -> Expression:
        edge = self.edges[(vertex, other) if self.forward else (other, vertex)]
        if other == far:
            return edge
        return multiplied(known[other], edge) if self.forward else multiplied(edge, known[other])

    def _named(self, expression: Expression) -> Reference:
        name = f"X{len(self.references) + 1}"
        self.references[name] = expression
        return Reference(name, expression.head, expression.tail)


def graph_of(expressions: Expressions, partials: Mapping[tuple[Vertex, Vertex], Label] | None = None) -> CGraph:
    """Return the graph whose edges are the letters of a set of expressions.

    ``partials`` are labels under ``(tail, head)``; by default random ones are drawn. Raises :class:`ExpressionError`
    where a letter leads into an input or out of an output, where letters close a cycle, and where an entry is not the
    sum over the paths of the letters, each once.

    >>> from .notation import parsed
    >>> graph_of(parsed("e17 = e12 (e24 + e23 e34) e47")).edges
    [(7, 4), (4, 3), (4, 2), (3, 2), (2, 1)]
    """
    expect_expressions(expressions)
    letters = expressions.letters
    inputs = {x for _, x in expressions.entries}
    outputs = {y for y, _ in expressions.entries}
    for letter in letters:
        if letter.head in inputs:
            raise ExpressionError(f"{letter} leads into {letter.head!r}, which is an input: entries end there.")
        if letter.tail in outputs:
            raise ExpressionError(f"{letter} leads out of {letter.tail!r}, which is an output: entries begin there.")
    options: dict[str, Any] = {} if partials is None else {"partials": partials}
    try:
        graph = CGraph.from_edges(
            [(letter.tail, letter.head) for letter in letters], outputs=sorted(outputs, key=str), **options
        )
    except ValueError as error:
        raise ExpressionError(f"These letters make no graph: {error}") from None
    _check_entries(graph, expressions)
    return graph


def _check_entries(graph: CGraph, expressions: Expressions) -> None:
    """Check that each entry is the sum over all paths of the letters, each once, where letters are random numbers."""
    labels = {(i, j): residue_of(Letter(j, i)) for i, j in graph.edges}
    whole = CGraph(graph.vertices, graph.inputs, graph.outputs, labels)
    entries = expressions.evaluated(whole)
    deque(vertex_elimination(whole, "reverse"), maxlen=0)
    for (x, y), value in whole.jacobian().items():
        if (x, y) not in entries:
            path = next(paths_between(graph, x, y))
            raise ExpressionError(f"The letters lead from {x!r} to {y!r}, by {path}, and no entry says so.")
        if entries[x, y] != value:
            raise ExpressionError(
                f"{Letter(y, x)} is not the sum over its paths{_difference(graph, expressions, x, y)}."
            )


def _difference(graph: CGraph, expressions: Expressions, x: Vertex, y: Vertex) -> str:
    """Return which path is missing or there several times, if there are few."""
    if max(expressions.count_paths(), count_paths(graph)) > MOST_PATHS:
        return ""
    own = Counter(expressions.paths()[y, x])
    for path in paths_between(graph, x, y):
        letters = path.factors if isinstance(path, Product) else (path,)
        if own[letters] != 1:  # type: ignore[index]
            return f": {path} is " + (f"there {own[letters]} times" if own[letters] else "missing")  # type: ignore[index]
    return ""
