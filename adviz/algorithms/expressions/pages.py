"""Pages: what several entries of a Jacobian have in common is taken out and computed once.

A page is a part of a graph with some of its paths; all pages have the inputs and outputs of the whole in common. The
strategy for a page with several entries:

1. Simple chains and blocks are contracted to reference edges.
2. ``u`` is the intermediate that the most outputs depend on, the one closest to the outputs if there are several;
   ``w``, which ``u`` is or depends on, depends on the most inputs, and is closest to them.
3. The paths through ``u`` and ``w`` are a page of their own, in three parts: from the outputs to ``u``, from ``u`` to
   ``w``, and from ``w`` to the inputs. So are the paths through ``u`` that avoid ``w``, and those that avoid ``u``.
4. A page where no ``u`` and ``w`` have more than one entry between them, or which has one entry, is factored: backward
   or forward, whichever is cheaper.
5. If factoring the page as a whole costs less, it is not divided.
6. Equal entries of different pages are added; a common factor of terms is taken out, and equal values are one.

Source: Y. Zhou, Notes on Computational Graph and Jacobian Accumulation (2020), section 5, whose conditions are lost in
print. Decided here: pages are separated by paths, so that a page is always a graph; his step 4, which separates edges
that cross many levels, is what avoids ``u`` or ``w`` here; "the largest degree" counts in the page, not in the whole.
It is a heuristic: ``bench/algebra.py`` says how often it finds the optimum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from ...graph.linearized.cgraph import CGraph, expect
from ...graph.linearized.checked_parts import Edge, Vertex
from ...graph.linearized.measures import edges_between, index_domains, index_ranges
from .conversion import backward_factorization, forward_factorization
from .decomposition import decomposed
from .local_jacobians import levels_from_outputs
from .sharing import Shared, Value
from .terms import Expression, ExpressionError, Expressions, Letter, Reference, folded

MOST_PAGES = 10_000
Entries = dict[tuple[Vertex, Vertex], Value]


@dataclass(frozen=True)
class Page:
    """A part of a graph: its edges, why it was taken out, and the vertices ``u`` and ``w`` it is divided at, if any.

    ``avoids`` is the vertex that its paths do not pass, if it was taken out for that.
    """

    number: int
    of: int | None
    reason: str
    edges: tuple[Edge, ...]
    inputs: tuple[Vertex, ...]
    outputs: tuple[Vertex, ...]
    u: Vertex | None = None
    w: Vertex | None = None
    avoids: Vertex | None = None


@dataclass(frozen=True)
class Pages:
    """The pages of a graph, outer ones first, and the expressions they make together."""

    pages: tuple[Page, ...]
    expressions: Expressions

    @property
    def multiplications(self) -> int:
        """Multiplications of the expressions."""
        return self.expressions.multiplications


def pages(graph: CGraph, compare: bool = True) -> Pages:
    """Divide a graph with several inputs and outputs into pages, and return them with the expressions they make.

    A page that costs less if it is factored as a whole is not divided; with ``compare=False`` all are. Raises
    :class:`ExpressionError` if there are more than 10,000 pages.

    >>> graph = CGraph.from_edges([(0, 2), (1, 2), (2, 3), (3, 4), (3, 5)])
    >>> found = pages(graph)
    >>> found.pages[0].u, found.multiplications
    (3, 6)
    >>> print(found.expressions)
    X1 = e32 e20
    X2 = e32 e21
    e40 = e43 X1
    e41 = e43 X2
    e50 = e53 X1
    e51 = e53 X2
    """
    expect(graph, CGraph)
    pruned = graph.pruned()
    division = _Division(compare)
    labels = {(i, j): division.shared.letter(Letter(j, i)) for i, j in pruned.edges}
    entries = division.entries(_graph(pruned, labels, pruned.inputs, pruned.outputs), None, "the whole graph")
    order = [(y, x) for y in graph.outputs for x in graph.inputs if (y, x) in entries]
    return Pages(tuple(division.pages), division.shared.expressions({entry: entries[entry] for entry in order}))


def _graph(like: CGraph, labels: Mapping[Edge, Value], inputs: Iterable[Vertex], outputs: Iterable[Vertex]) -> CGraph:
    """Return the graph of those edges that lie on a path from the inputs to the outputs."""
    kept = {edge: labels[edge] for edge in edges_between(inputs, outputs, list(labels))}
    ends = {end for edge in kept for end in edge}
    vertices, inputs, outputs = ([v for v in each if v in ends] for each in (like.vertices, inputs, outputs))
    return CGraph(vertices, inputs, outputs, kept)


class _Division:
    """The pages so far, and the values they share."""

    def __init__(self, compare: bool):
        self.compare, self.shared, self.pages = compare, Shared(), list[Page]()
        self.known: dict[Any, Entries] = {}

    def entries(self, page: CGraph, of: int | None, reason: str, avoids: Vertex | None = None) -> Entries:
        """Return the entries of a page."""
        key = frozenset(page.edges), page.inputs, page.outputs
        if not page.edges or key in self.known:
            return self.known.get(key, {})
        if len(self.pages) == MOST_PAGES:
            raise ExpressionError(f"There are more than {MOST_PAGES:,} pages: take an order of eliminations instead.")
        number, edges = len(self.pages), tuple(page.edges)
        core = self._contracted(page)
        u, w = self._ends(core)
        self.pages.append(Page(number, of, reason, edges, page.inputs, page.outputs, u, w, avoids))
        if u is None or w is None:
            result = self._factored(core)
        else:
            before = (
                dict(self.shared.made),
                dict(self.known),
                [*self.pages[:-1], replace(self.pages[-1], u=None, w=None)],
            )
            result = self._divided(core, number, u, w)
            divided = self.shared.made, self.known, self.pages
            cost = self.shared.multiplications(result.values())
            if self.compare:
                self.shared.made, self.known, self.pages = before
                whole = self._factored(core)
                if cost <= self.shared.multiplications(whole.values()):
                    self.shared.made, self.known, self.pages = divided
                else:
                    result = whole
        self.known[key] = result
        return result

    def _contracted(self, page: CGraph) -> CGraph:
        labels = {edge: self._value(part, page) for edge, part in decomposed(page).edges.items()}
        return _graph(page, labels, page.inputs, page.outputs)

    def _value(self, expression: Expression, page: CGraph, known: Mapping[str, Value] | None = None) -> Value:
        def leaf(each: Letter | Reference) -> Value:
            value: Value = (
                known[each.name] if isinstance(each, Reference) and known else page.partial(each.tail, each.head)
            )
            return value

        multiplied, added = self.shared.product, self.shared.sum
        return folded(expression, leaf, lambda made, _: reduce(multiplied, made), lambda made, _: added(made))

    def _ends(self, page: CGraph) -> tuple[Vertex | None, Vertex | None]:
        """Return the vertices u and w of a page, or nothing where no two entries have anything in common."""
        if not page.intermediates or len(page.inputs) * len(page.outputs) == 1:
            return None, None
        level, roots, terminals = levels_from_outputs(page), index_ranges(page), index_domains(page)
        u = max(page.intermediates, key=lambda vertex: (len(roots[vertex]), -level[vertex]))
        below = {i for i, _ in edges_between(page.inputs, [u], page.edges)} - {*page.inputs} | {u}
        w = max((v for v in page.intermediates if v in below), key=lambda v: (len(terminals[v]), level[v]))
        return (u, w) if len(roots[u]) * len(terminals[w]) > 1 else (None, None)

    def _factored(self, page: CGraph) -> Entries:
        """Return the entries of a page by the cheaper factorization."""
        ways = [backward_factorization(page), forward_factorization(page)]
        best = min(ways, key=lambda each: each.multiplications)
        return best.made(lambda expression, known: self._value(expression, page, known))

    def _divided(self, page: CGraph, number: int, u: Vertex, w: Vertex) -> Entries:
        labels = {edge: page.partial(*edge) for edge in page.edges}

        def part(inputs: Iterable[Vertex], outputs: Iterable[Vertex], avoiding: Vertex | None, reason: str) -> Entries:
            kept = {edge: label for edge, label in labels.items() if avoiding not in edge}
            return self.entries(_graph(page, kept, inputs, outputs), number, reason, avoiding)

        to_u = part([u], page.outputs, None, f"what leads from {u} to the outputs")
        if u == w:
            between, to_w = None, part(page.inputs, [u], None, f"what leads from the inputs to {u}")
            beside: Entries = {}
        else:
            between = part([w], [u], None, f"what leads from {w} to {u}")[u, w]
            to_w = part(page.inputs, [w], None, f"what leads from the inputs to {w}")
            beside = part(page.inputs, [u], w, f"what leads to {u} and avoids {w}")
        result = part(page.inputs, page.outputs, u, f"what avoids {u}")
        tails = dict.fromkeys([x for _, x in to_w] + [x for _, x in beside])
        if between is not None and not beside and len(to_u) < len(to_w):
            to_u, between = {(y, w): self.shared.product(value, between) for (y, _), value in to_u.items()}, None
        ahead = {y: value for (y, _), value in to_u.items()}
        behind = {x: self._behind(u, w, x, between, to_w, beside) for x in tails}
        for y, one in ahead.items():
            for x, other in behind.items():
                through = self.shared.product(one, other)
                result = result | {(y, x): self.shared.sum([result[y, x], through]) if (y, x) in result else through}
        return result

    def _behind(self, u: Vertex, w: Vertex, x: Vertex, between: Value | None, to_w: Entries, beside: Entries) -> Value:
        """Return what leads from an input to ``u``: through ``w``, and beside it."""
        terms = []
        if (w, x) in to_w:
            terms.append(to_w[w, x] if between is None else self.shared.product(between, to_w[w, x]))
        if (u, x) in beside:
            terms.append(beside[u, x])
        return self.shared.sum(terms)
