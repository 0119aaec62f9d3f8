"""Narrate a factorization: what is split, joined or named, why, and what the expressions cost after that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...algorithms.expressions import (
    Expressions,
    Letter,
    Page,
    Product,
    Reference,
    Sum,
    backward_factorization,
    decomposed,
    forward_factorization,
    pages,
)
from ...algorithms.expressions.terms import Expression, folded, walk
from ...graph.linearized.cgraph import CGraph, Copy, original
from ...graph.linearized.checked_parts import Edge, Vertex
from ...graph.linearized.measures import bauer_multiplications, count_paths
from ..scene import captions, formulas
from .elimination_narration import indices, names
from .factored_moments import FactoredMoment, Way, edges_of, factored, substituted, vertices_of

# ---- moments of a page ----


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
    result = pages(start.graph)
    spelled: list[Spelled] = []

    def moment(kind: str, page: Page | None, of: Page | None, whole: Expressions, edges: Iterable[Edge]) -> PageMoment:
        known = dict(whole.references)
        return PageMoment(kind, (), start.graph, start.parts, known, page, of, whole, tuple(edges))

    for page in result.pages:
        if page.of is None:
            spelled.append({(i, j): Letter(j, i) for i, j in page.edges})
            continue
        of, own = result.pages[page.of], _graph(start.graph, page)
        core = decomposed(_graph(start.graph, of)).edges
        spelled.append({edge: _letters(core[edge], spelled[page.of]) for edge in page.edges})
        letters = [each for part in spelled[-1].values() for each in walk(part) if isinstance(each, Letter)]
        edges = dict.fromkeys((each.tail, each.head) for each in letters)
        yield moment("page", page, of, _factored(own, spelled[-1]), edges)
    yield moment("together", None, None, result.expressions, ())


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


# ---- the narration ----


TIMES = {1: "once", 2: "twice"}
DASHES = {2: "′", 3: "″", 4: "‴"}  # of a copy; further ones have their number
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
NOUN = "multiplication"
COMES: dict[Way, str] = {
    "backward": "Vertices on several paths are split, from the inputs on, so that brackets can be set.",
    "forward": "Vertices on several paths are split, from the outputs on, so that brackets can be set.",
    "paths": "All paths are taken apart, and then joined again where brackets can be set.",
    "pages": "What several entries have in common is taken out, page by page.",
}
MOST_TOLD = 4  # names in a row
LONGEST = 60  # the most characters of an expression in a sentence


class Namer:
    """Names of vertices and edges in keys, in letters and in sentences; copies have a dash for each one before."""

    def __init__(self, moments: Sequence[FactoredMoment]):
        graph = moments[0].graph
        self.vertices = list(dict.fromkeys(vertex for moment in moments for vertex in moment.graph.vertices))
        self.vertices.sort(key=lambda vertex: isinstance(vertex, Copy))
        known = [vertex for vertex in self.vertices if not isinstance(vertex, Copy)]
        labels = [captions.shortened(graph.name(vertex)) for vertex in known]
        self.indices = dict(zip(known, indices(known), strict=True))
        self.labels = dict(zip(known, labels, strict=True))
        self.names = dict(zip(known, names(labels, list(self.indices.values())), strict=True))
        self.numbers = {vertex: str(number) for number, vertex in enumerate(self.vertices)}

    def thing(self, edge: Edge) -> str:
        """Return the name of an edge in keys: ``1.3``."""
        return f"{self.numbers[edge[0]]}.{self.numbers[edge[1]]}"

    def called(self, vertex: Vertex) -> str:
        """Return the name of a vertex in a sentence."""
        vertex_itself = original(vertex)
        return self.names[vertex_itself].replace(self.labels[vertex_itself], self.label(vertex), 1)

    def label(self, vertex: Vertex) -> str:
        """Return the name of a vertex in the picture."""
        return self.labels[original(vertex)] + _dashes(vertex)

    def index(self, letter: Letter) -> str:
        """Return the index of a letter, head first: ``57``, ``10,3``."""
        head, tail = self.indices[original(letter.head)], self.indices[original(letter.tail)]
        return f"{head}{',' if len(head) + len(tail) > 2 else ''}{tail}"

    def letter(self, letter: Letter) -> str:
        """Return a letter in a sentence: ``e₅₇``."""
        return "e" + self.index(letter).translate(formulas.SUBSCRIPTS)

    def leaf(self, leaf: Letter | Reference) -> str:
        """Return a letter or a reference in a sentence, and on an edge."""
        return self.letter(leaf) if isinstance(leaf, Letter) else leaf.name.translate(formulas.SUBSCRIPTS)

    def ends(self, tail: Vertex, head: Vertex) -> str:
        """Return from where to where something leads: ``v1 → v4``."""
        return f"{self.called(tail)} → {self.called(head)}"

    def text(self, expression: Expression) -> str:
        """Return an expression in a sentence."""
        return folded(expression, self.leaf, self._product, lambda made, _: " + ".join(made))

    def _product(self, made: list[str], product: Product) -> str:
        return " ".join(
            f"({text})" if isinstance(each, Sum | Product) else text
            for each, text in zip(product.factors, made, strict=True)
        )

    def factor(self, expression: Expression) -> str:
        """Return a factor, in brackets if it is a sum or a product."""
        text = self.text(expression)
        return f"({text})" if isinstance(expression, Sum | Product) else text


class AlgebraNarrator:
    """Says what each moment is, beside the one before."""

    def __init__(self, namer: Namer):
        self.namer = namer

    def caption(self, before: FactoredMoment, now: FactoredMoment) -> str:
        """Return what happened, why, and the cost before and after."""
        if isinstance(now, PageMoment):
            return self._page(now) if now.page else self._together(before, now)
        match now.kind:
            case "split":
                text = self._split(before, now)
            case "join":
                text = self._join(before, now)
            case _:
                text = self._reference(before, now)
        return f"{text} {self._cost(before.multiplications, now.multiplications)}"

    def _page(self, now: PageMoment) -> str:
        page = now.page
        assert page
        ends = f"from {self._listed(page.inputs)} to {self._listed(page.outputs)}"
        if page.avoids is not None:
            ends += f" without passing {self.namer.called(page.avoids)}"
        whole = f"page {now.of.number}" if now.of and now.of.number else "the graph"
        text = f"Page {page.number}, out of {whole}: what leads {ends}."
        if page.u is None or page.w is None:
            work = now.multiplications
            return f"{text} On its own it takes {captions.plural(work, NOUN) if work else f'no {NOUN}'}."
        through = self._listed(dict.fromkeys([page.w, page.u]))
        return f"{text} It is divided further: several entries lead through {through}."

    def _together(self, before: FactoredMoment, now: PageMoment) -> str:
        count = captions.plural(now.multiplications, NOUN)
        if before.kind == "start":
            return f"No page comes out of this graph: taken as a whole, its expressions take {count}."
        return (
            "The pages are laid on each other again: pages that follow each other are multiplied, entries of different "
            f"pages are added, and equal values are one. That takes {count}."
        )

    def invitation(self, start: FactoredMoment, way: Way, steps: int) -> str:
        """Return what is said before the first step."""
        if start.core.is_simple and way != "pages":
            return "Every block of this graph is simple: each entry is one expression, and nothing has to be split."
        paths = count_paths(start.graph)
        bauer = bauer_multiplications(
            CGraph(start.graph.vertices, start.graph.inputs, start.graph.outputs, start.parts)
        )
        text = (
            f"The Jacobian is a sum over {captions.plural(paths, 'path')}: {captions.plural(bauer, NOUN)}. {COMES[way]}"
        )
        return f"{text} Press play, or → for one step." if steps else text

    def ending(self, last: FactoredMoment) -> str:
        """Return what is said at the end."""
        if isinstance(last, PageMoment):
            return ""
        if last.core.is_simple:
            return "Every block is simple now: each entry is one expression, with brackets in brackets."
        return "What is left of the core is written as a sum of its paths."

    def _split(self, before: FactoredMoment, now: FactoredMoment) -> str:
        vertex = vertices_of(now.steps[0])[0]
        all_of_it = [vertex, *(vertices_of(step)[1] for step in now.steps)]
        text = captions.listed(list(map(self.namer.called, all_of_it)))
        into = f"into {text}" if len(all_of_it) <= MOST_TOLD else f"into {len(all_of_it)} vertices"
        again = self._again(before, now)
        return f"{self._why(before.graph, vertex)}. It is split {into}{f', and {again}' if again else ''}."

    def _why(self, graph: CGraph, vertex: Vertex) -> str:
        name, behind, ahead = self.namer.called(vertex), graph.predecessors(vertex), graph.successors(vertex)
        if len(ahead) > 1 and len(behind) > 1:
            return f"{name} has {len(behind)} edges in and {len(ahead)} out, so each of them is on several paths"
        if len(ahead) > 1:
            return f"{name} is used {_times(len(ahead))}, by {self._listed(ahead)}, so its edge in is on several paths"
        return f"{name} depends on {self._listed(behind)}, so its edge out is on several paths"

    def _listed(self, vertices: Iterable[Vertex]) -> str:
        return captions.listed(list(map(self.namer.called, vertices)))

    def _again(self, before: FactoredMoment, now: FactoredMoment) -> str:
        """Return which letters are on more edges than before."""
        old, new = _counts(before), _counts(now)
        by_count: dict[int, list[str]] = {}
        for leaf, count in new.items():
            if count > old.get(leaf, 0):
                by_count.setdefault(count, []).append(self.namer.leaf(leaf))
        if sum(map(len, by_count.values())) > MOST_TOLD:
            return "what leads to it and from it is copied"
        texts = [f"{captions.listed(names)} {_is(names)} on {count} edges" for count, names in by_count.items()]
        return f"{captions.listed(texts)} now" if texts else ""

    def _join(self, before: FactoredMoment, now: FactoredMoment) -> str:
        left, gone = vertices_of(now.steps[0])
        old, new = _counts(before), _counts(now)
        less = [self.namer.leaf(leaf) for leaf, count in old.items() if count > new.get(leaf, 0)]
        one, other = self.namer.called(left), self.namer.called(gone)
        written = f": {captions.listed(less)} {_is(less)} written one time fewer" if less else ""
        return f"{one} and {other} are copies with the same {self._side(now)}, so they are joined again{written}."

    def _side(self, now: FactoredMoment) -> str:
        new = edges_of(now.steps[0])[1]
        return "way to the output" if new[1] == vertices_of(now.steps[0])[0] else "way from the input"

    def _reference(self, before: FactoredMoment, now: FactoredMoment) -> str:
        name, expression = next((name, each) for name, each in now.references.items() if name not in before.references)
        symbol, text = name.translate(formulas.SUBSCRIPTS), self.namer.text(expression)
        kind = "block" if isinstance(expression, Sum) else "chain"
        ends = f"from {self.namer.called(expression.tail)} to {self.namer.called(expression.head)}"
        whole = f"{symbol} = {text}" if len(text) <= LONGEST else symbol
        return f"The {kind} {ends} is needed several times, so it is computed once: a new edge stands for {whole}."

    def _cost(self, before: int, now: int) -> str:
        if before == now:
            return f"The cost stays at {captions.plural(now, 'multiplication')}."
        word = "falls" if now < before else "rises"
        return f"The cost {word} from {before} to {captions.plural(now, 'multiplication')}."


def _counts(moment: FactoredMoment) -> dict[Any, int]:
    result: dict[Any, int] = {}
    for leaf in moment.parts.values():
        result[leaf] = result.get(leaf, 0) + 1
    return result


def _is(words: Sequence[str]) -> str:
    return "is" if len(words) == 1 else "are"


def _dashes(vertex: Vertex) -> str:
    """Return what follows the name of a vertex: nothing, or what tells a copy.

    >>> _dashes(4), _dashes(Copy(4, 3)), _dashes(Copy(4, 12))
    ('', '″', '′¹²')
    """
    if not isinstance(vertex, Copy):
        return ""
    return DASHES.get(vertex.number) or "′" + str(vertex.number).translate(SUPERSCRIPTS)


def _times(count: int) -> str:
    return TIMES.get(count, f"{count} times")
