"""What is seen of the pages of a graph: each with its own expressions, and at the end all of them together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ....algorithms.expressions import (
    Expressions,
    Letter,
    Page,
    Reference,
    backward_factorization,
    decomposed,
    forward_factorization,
    pages,
)
from ....algorithms.expressions.terms import Expression, walk
from ....graph.linearized.cgraph import CGraph
from ....graph.linearized.checked_parts import Edge, Vertex
from .factored_moments import FactoredMoment, factored, substituted

Spelled = dict[Edge, Expression]
"""What each edge of a page stands for in letters of the whole graph: a page is taken out of a contracted one."""


@dataclass(frozen=True)
class PageMoment(FactoredMoment):
    """A page of a graph, or for ``page=None`` all that its pages make together; the graph stays as it is.

    ``of`` is the page that it is taken out of, ``whole`` its expressions, and ``edges`` are its edges.
    """

    page: Page | None
    of: Page | None
    whole: Expressions
    edges: tuple[Edge, ...]

    @property
    def rows(self) -> dict[tuple[Vertex, Vertex], Expression]:
        """The entries of the page."""
        return dict(self.whole.entries)

    @property
    def expressions(self) -> Expressions:
        """The expressions of the page, or of all pages."""
        return self.whole


def paged(graph: CGraph) -> Iterator[FactoredMoment]:
    """Yield the graph, each of its pages, and what they make together.

    >>> graph = CGraph.from_edges([(0, 2), (1, 2), (2, 3), (3, 4), (3, 5)])
    >>> [(each.kind, each.multiplications) for each in paged(graph)]
    [('start', 8), ('page', 0), ('page', 0), ('page', 0), ('together', 6)]
    """
    start = next(factored(graph))
    yield start
    found = pages(start.graph)
    spelled: list[Spelled] = []

    def moment(kind: str, page: Page | None, of: Page | None, whole: Expressions, edges: Iterable[Edge]) -> PageMoment:
        known = dict(whole.references)
        return PageMoment(kind, (), start.graph, start.parts, known, page, of, whole, tuple(edges))

    for page in found.pages:
        if page.of is None:
            spelled.append({(i, j): Letter(j, i) for i, j in page.edges})
            continue
        of, own = found.pages[page.of], _graph(start.graph, page)
        core = decomposed(_graph(start.graph, of)).edges
        spelled.append({edge: _letters(core[edge], spelled[page.of]) for edge in page.edges})
        letters = [each for part in spelled[-1].values() for each in walk(part) if isinstance(each, Letter)]
        edges = dict.fromkeys((each.tail, each.head) for each in letters)
        yield moment("page", page, of, _factored(own, spelled[-1]), edges)
    yield moment("together", None, None, found.expressions, ())


def _graph(graph: CGraph, page: Page) -> CGraph:
    ends = {vertex for edge in page.edges for vertex in edge}
    vertices = [vertex for vertex in graph.vertices if vertex in ends]
    return CGraph(vertices, page.inputs, page.outputs, dict.fromkeys(page.edges, 1))


def _letters(expression: Expression, spelled: Mapping[Edge, Expression]) -> Expression:
    return substituted(expression, lambda leaf: leaf if isinstance(leaf, Reference) else spelled[leaf.tail, leaf.head])


def _factored(page: CGraph, spelled: Spelled) -> Expressions:
    """Return the expressions of a page on its own, by the cheaper factorization."""
    ways = backward_factorization(page), forward_factorization(page)
    best = min(ways, key=lambda each: each.multiplications)
    entries = {entry: _letters(each, spelled) for entry, each in best.entries.items()}
    return Expressions(entries, {name: _letters(each, spelled) for name, each in best.references.items()})
