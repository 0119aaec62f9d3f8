"""All small graphs, each once: :func:`small_graphs` by numbers of intermediates and edges.

The graphs are connected and of single numbers, have no edge from an input to an output, and no intermediate with one
predecessor and one successor, which costs the same wherever it is eliminated. Two that differ in names only, or in the
direction of all edges, are one.

A graph is given by the edges between its intermediates, and by where each input leads to and each output comes from,
as bit masks. What names its intermediates are given is decided twice: :func:`inner_graphs` keeps one graph of the edges
between intermediates of all that are alike, and one of all inputs and outputs that are alike under its symmetries is
kept, the least. That takes all permutations of a few intermediates, and neither a library for canonical forms nor any
memory of what was met.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from functools import cache
from itertools import combinations, permutations, product
from typing import NamedTuple

from ....graph.linearized.cgraph import CGraph, expect
from ..terms import ExpressionError

MOST_INTERMEDIATES = 6


class SmallGraph(NamedTuple):
    """A graph by the ``inner`` edges between its intermediates 0, 1, …, and a bit mask of those at each other vertex.

    >>> lion = SmallGraph.parsed("01 | 0 0 | 1 1 1 01")
    >>> lion.inner, lion.inputs, lion.outputs
    (((0, 1),), (1, 1), (2, 2, 2, 3))
    >>> str(lion), lion.graph()
    ('01 | 0 0 | 1 1 1 01', <CGraph: 2 inputs, 2 intermediates, 4 outputs, 8 edges>)
    """

    inner: tuple[tuple[int, int], ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    @classmethod
    def parsed(cls, text: str) -> SmallGraph:
        """Return the graph that was written with ``str``."""
        inner, inputs, outputs = (part.split() for part in text.split("|"))
        masks = [tuple(sum(1 << int(digit) for digit in each) for each in part) for part in (inputs, outputs)]
        return cls(tuple((int(edge[0]), int(edge[1])) for edge in inner), *masks)

    @property
    def intermediates(self) -> int:
        """How many there are."""
        return max(mask.bit_length() for mask in (*self.inputs, *self.outputs, *(1 << j for _, j in self.inner)))

    @property
    def edges(self) -> int:
        """How many there are."""
        return len(self.inner) + sum(mask.bit_count() for mask in self.inputs + self.outputs)

    def graph(self) -> CGraph:
        """Return it with partials that are random, and the same each time; inputs come first, outputs last."""
        return CGraph.from_edges(self._edges(self.inputs, self.outputs))

    def without_twins(self) -> CGraph:
        """Return it with one vertex for all inputs that lead to the same intermediates, of so many entries.

        And with one for all outputs that come from the same.

        >>> SmallGraph.parsed("01 | 0 0 | 1 1 1 01").without_twins().sizes
        {0: 2, 3: 3}
        """
        inputs, outputs = Counter(self.inputs), Counter(self.outputs)
        last = len(inputs) + self.intermediates
        sizes = [*enumerate(inputs.values()), *enumerate(outputs.values(), last)]
        return CGraph.from_edges(self._edges(inputs, outputs), {v: size for v, size in sizes if size > 1})

    def _edges(self, inputs: Collection[int], outputs: Collection[int]) -> list[tuple[int, int]]:
        first = len(inputs)
        last = first + self.intermediates
        edges = [(x, first + i) for x, mask in enumerate(inputs) for i in _bits(mask)]
        edges += [(first + i, first + j) for i, j in self.inner]
        return edges + [(first + i, y) for y, mask in enumerate(outputs, last) for i in _bits(mask)]

    def __str__(self) -> str:
        masks = (["".join(map(str, _bits(mask))) for mask in part] for part in (self.inputs, self.outputs))
        return " | ".join(" ".join(part) for part in ([f"{i}{j}" for i, j in self.inner], *masks))


class Piece(NamedTuple):
    """Part of the graphs of a size: those with the ``inner``-th graph between intermediates, and so many at inputs."""

    intermediates: int
    edges: int
    inner: int
    at_inputs: int


def small_graphs(intermediates: int, edges: int) -> Iterator[SmallGraph]:
    """Yield all graphs with so many intermediates and edges, each once.

    >>> [sum(1 for _ in small_graphs(2, edges)) for edges in range(2, 9)]
    [0, 0, 0, 6, 23, 54, 114]
    """
    for piece in pieces(intermediates, edges):
        yield from graphs_of(piece)


def pieces(intermediates: int, edges: int) -> list[Piece]:
    """Return the pieces that all graphs of a size are enumerated in.

    Raises :class:`ExpressionError` for numbers of intermediates other than 1 to 6.
    """
    if intermediates not in range(1, MOST_INTERMEDIATES + 1):
        raise ExpressionError(f"There can be 1 to {MOST_INTERMEDIATES} intermediates, not {intermediates!r}.")
    sizes = ((k, edges - len(inner)) for k, (inner, _) in enumerate(inner_graphs(intermediates)))
    return [Piece(intermediates, edges, k, share) for k, rest in sizes for share in range(1, rest)]


def graphs_of(piece: Piece) -> Iterator[SmallGraph]:
    """Yield the graphs of a piece."""
    count = piece.intermediates
    inner, symmetries = inner_graphs(count)[piece.inner]
    renamed = [([_renamed(mask, names) for mask in range(1 << count)], mirrored) for names, mirrored in symmetries]
    all_inputs = multisets(count, piece.at_inputs)
    all_outputs = multisets(count, piece.edges - len(inner) - piece.at_inputs)
    for inputs in all_inputs:
        before = _degrees(count, [j for _, j in inner], inputs)
        if 0 in before:
            continue
        for outputs in all_outputs:
            behind = _degrees(count, [i for i, _ in inner], outputs)
            result = SmallGraph(inner, inputs, outputs)
            if 0 not in behind and (1, 1) not in zip(before, behind, strict=True) and _is_connected(result, count):
                images = (_image(result, masks, mirrored) for masks, mirrored in renamed)
                if all((inputs, outputs) <= image for image in images):
                    yield result


Symmetry = tuple[tuple[int, ...], bool]
"""New names of intermediates, and whether all edges are reversed as well."""


@cache
def inner_graphs(intermediates: int) -> list[tuple[tuple[tuple[int, int], ...], list[Symmetry]]]:
    """Return all acyclic graphs on so many vertices, up to names and reversal, each with its symmetries.

    >>> [len(inner_graphs(count)) for count in (1, 2, 3, 4)]
    [1, 2, 5, 22]
    """
    pairs = list(combinations(range(intermediates), 2))
    seen = set[tuple[tuple[int, int], ...]]()
    result = []
    every = [(names, mirrored) for names in permutations(range(intermediates)) for mirrored in (False, True)]
    for chosen in range(1 << len(pairs)):
        inner = tuple(pair for k, pair in enumerate(pairs) if chosen >> k & 1)
        if inner not in seen:
            images = [(_renamed_edges(inner, *symmetry), symmetry) for symmetry in every]
            seen.update(image for image, _ in images)
            result.append((inner, [symmetry for image, symmetry in images if image == inner]))
    return result


@cache
def multisets(intermediates: int, edges: int) -> list[tuple[int, ...]]:
    """Return all ways in which inputs, or outputs, have so many edges in all, as sorted masks of intermediates.

    >>> multisets(2, 2)
    [(1, 1), (1, 2), (2, 2), (3,)]
    """
    if not edges:
        return [()]
    firsts = ((mask, edges - mask.bit_count()) for mask in range(1, 1 << intermediates))
    return [
        (mask, *rest)
        for mask, left in firsts
        if left >= 0
        for rest in multisets(intermediates, left)
        if not rest or rest[0] >= mask
    ]


def canonical(graph: CGraph) -> SmallGraph:
    """Return the one of :func:`small_graphs` that a graph is, up to names and reversal.

    Raises :class:`ExpressionError` for one that is none of them.

    >>> str(canonical(CGraph.from_edges([(0, 1), (1, 2), (1, 3), (2, 3), (2, 4), (2, 5), (3, 6), (3, 7)])))
    '01 02 12 | 0 | 1 1 2 2'
    """
    expect(graph, CGraph)
    place = {vertex: k for k, vertex in enumerate(graph.intermediates)}
    count = len(place)
    inner = tuple(sorted((place[i], place[j]) for i, j in graph.edges if i in place and j in place))
    masks = [
        [sum(1 << place[i] for i in near(vertex) if i in place) for vertex in ends]
        for ends, near in ((graph.inputs, graph.successors), (graph.outputs, graph.predecessors))
    ]
    whole = SmallGraph(inner, *(tuple(sorted(each)) for each in masks))
    if count not in range(1, MOST_INTERMEDIATES + 1) or whole.edges < len(graph.edges) or not _is_plain(whole, count):
        raise ExpressionError(
            f"{graph!r} is none of the small graphs: they are connected, have 1 to {MOST_INTERMEDIATES} intermediates, "
            "each with more than one predecessor or successor, and no edge from an input to an output."
        )
    known = {each for each, _ in inner_graphs(count)}
    return min(
        SmallGraph(image, *_image(whole, [_renamed(mask, names) for mask in range(1 << count)], mirrored))
        for names, mirrored in product(permutations(range(count)), (False, True))
        if (image := _renamed_edges(inner, names, mirrored)) in known
    )


def _is_plain(graph: SmallGraph, count: int) -> bool:
    before = _degrees(count, [j for _, j in graph.inner], graph.inputs)
    behind = _degrees(count, [i for i, _ in graph.inner], graph.outputs)
    ends = all((*graph.inputs, *graph.outputs, *before, *behind))
    return ends and (1, 1) not in zip(before, behind, strict=True) and _is_connected(graph, count)


def _degrees(count: int, inner: list[int], masks: tuple[int, ...]) -> list[int]:
    return [inner.count(i) + sum(mask >> i & 1 for mask in masks) for i in range(count)]


def _is_connected(graph: SmallGraph, count: int) -> bool:
    groups = [*graph.inputs, *graph.outputs, *(1 << i | 1 << j for i, j in graph.inner)]
    met, grown = 0, 1
    while grown != met:
        met = grown
        for group in groups:
            if group & grown:
                grown |= group
    return met == (1 << count) - 1


def _image(graph: SmallGraph, renamed: list[int], mirrored: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
    inputs, outputs = (tuple(sorted(renamed[mask] for mask in part)) for part in (graph.inputs, graph.outputs))
    return (outputs, inputs) if mirrored else (inputs, outputs)


def _renamed(mask: int, names: tuple[int, ...]) -> int:
    return sum(1 << names[i] for i in _bits(mask))


def _renamed_edges(
    inner: tuple[tuple[int, int], ...], names: tuple[int, ...], mirrored: bool
) -> tuple[tuple[int, int], ...]:
    return tuple(sorted((names[j], names[i]) if mirrored else (names[i], names[j]) for i, j in inner))


def _bits(mask: int) -> list[int]:
    return [k for k in range(mask.bit_length()) if mask >> k & 1]
