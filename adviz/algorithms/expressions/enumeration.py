"""All small graphs and what each costs at best: :class:`Enumerated`; those that come with adviz: :func:`enumerated`."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import combinations, permutations, product
from pathlib import Path
from typing import NamedTuple

from ...graph.linearized.cgraph import CGraph, expect
from ..search.distributed import gathered
from ..search.masks import reached
from ..search.optimum import Optimum, optimal_order
from ..search.problem import bits, mask_of
from .dependencies import dependencies
from .oracle import cheaper_expressions, cheapest_sets
from .terms import ExpressionError

# ---- small graphs ----


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
        masks = [tuple(mask_of(map(int, each)) for each in part) for part in (inputs, outputs)]
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
        edges = [(x, first + i) for x, mask in enumerate(inputs) for i in bits(mask)]
        edges += [(first + i, first + j) for i, j in self.inner]
        return edges + [(first + i, y) for y, mask in enumerate(outputs, last) for i in bits(mask)]

    def __str__(self) -> str:
        masks = (["".join(map(str, bits(mask))) for mask in part] for part in (self.inputs, self.outputs))
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
        [mask_of(place[i] for i in near(vertex) if i in place) for vertex in ends]
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
    return mask_of(names[i] for i in bits(mask))


def _renamed_edges(
    inner: tuple[tuple[int, int], ...], names: tuple[int, ...], mirrored: bool
) -> tuple[tuple[int, int], ...]:
    return tuple(sorted((names[j], names[i]) if mirrored else (names[i], names[j]) for i, j in inner))


# ---- the table ----


SIZES, GRAPHS = "sizes.csv", "exceptional.csv.gz"


class Exceptional(NamedTuple):
    """A graph whose best order of vertices takes more than the least."""

    graph: SmallGraph
    optima: Optima


class Size(NamedTuple):
    """How many graphs there are with so many intermediates and edges, and how many of them are exceptional in a way.

    ``edge_below_vertex`` and ``face_below_edge`` count those where the best order of edges is cheaper than that of
    vertices, and that of faces cheaper than that of edges; ``least_below_face`` those where faces do not reach the
    optimum; ``without_acyclic`` those all of whose optimal sets of expressions close a circle. For exceptional graphs
    alone, ``mixed`` and ``circular`` count those where the optimal set that was found first multiplies something both
    directly and indirectly, and closes a circle.
    """

    intermediates: int
    edges: int
    graphs: int
    edge_below_vertex: int
    face_below_edge: int
    least_below_face: int
    mixed: int
    circular: int
    without_acyclic: int


@dataclass(frozen=True)
class Enumerated:
    """All graphs of some sizes: how many there are, by intermediates and edges, and the exceptional ones."""

    counts: Mapping[tuple[int, int], int]
    graphs: tuple[Exceptional, ...]

    @property
    def sizes(self) -> list[Size]:
        """Count the exceptional graphs of each size."""
        result: dict[tuple[int, int], list[Optima]] = {size: [] for size in self.counts}
        for graph, best in self.graphs:
            result[graph.intermediates, graph.edges].append(best)
        return [
            Size(
                *size,
                self.counts[size],
                sum(best.edge < best.vertex for best in some),
                sum(best.face < best.edge for best in some),
                sum(best.least < best.face for best in some),
                sum(best.mixed for best in some),
                sum(best.circular for best in some),
                sum(not best.has_acyclic for best in some),
            )
            for size, some in result.items()
        ]

    def __repr__(self) -> str:
        total = sum(self.counts.values())
        return f"<Enumerated: {total:,} graphs of {len(self.counts)} sizes, {len(self.graphs):,} of them exceptional>"

    def save(self, folder: str | Path) -> None:
        """Write two tables into a folder: the sizes, and the exceptional graphs. The same result is the same bytes."""
        rows = [(*size, count) for size, count in self.counts.items()]
        text = _csv(("intermediates", "edges", "graphs"), rows)
        (Path(folder) / SIZES).write_text(text, encoding="utf-8", newline="")
        whole = [(str(graph), *map(int, best)) for graph, best in self.graphs]
        packed = gzip.compress(_csv(("graph", *Optima._fields), whole).encode(), mtime=0)
        (Path(folder) / GRAPHS).write_bytes(packed)

    @classmethod
    def load(cls, folder: Traversable) -> Enumerated:
        """Return what :meth:`save` wrote into a folder."""
        _, *sizes = csv.reader(io.StringIO((folder / SIZES).read_text(encoding="utf-8")))
        _, *graphs = csv.reader(io.StringIO(gzip.decompress((folder / GRAPHS).read_bytes()).decode()))
        return cls(
            {(int(intermediates), int(edges)): int(count) for intermediates, edges, count in sizes},
            tuple(Exceptional(SmallGraph.parsed(text), _optima(*map(int, rest))) for text, *rest in graphs),
        )


@cache
def enumerated() -> Enumerated:
    """Return what was enumerated for adviz: all graphs of the sizes in ``counts``, and nothing is claimed of others.

    Made by ``enumerate_optima(folder, sizes).save(...)``, see :func:`enumerate_optima`.

    >>> found = enumerated()
    >>> found.counts[3, 12], [str(graph) for graph, best in found.graphs if best.face < best.edge][:1]
    (34389, ['01 02 | 0 0 01 02 | 1 1 2 2'])
    >>> [str(graph) for graph, best in found.graphs if graph.edges <= 8]
    ['01 | 0 0 | 1 1 1 01', '01 02 12 | 0 | 1 1 02']
    """
    return Enumerated.load(files(__package__))


def _optima(vertex: int, edge: int, face: int, least: int, *flags: int) -> Optima:
    return Optima(vertex, edge, face, least, *map(bool, flags))


def _csv(names: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return text.getvalue()


# ---- optima ----

# What a small graph costs at best: optima, by vertices, edges, faces, and any set of expressions.
#
# The best order of vertices is found by trying all. If the relaxation of oracle shows that no set of expressions is
# cheaper, all four are equal: an order of vertices is one of edges, one of edges is one of faces, and eliminating
# faces makes a set of expressions. That is so for nearly all graphs, and takes 2 ms. For the others the 0/1 program is
# solved, and orders of edges are searched for until one takes its optimum, or one is proved to be the best; then
# orders of faces.
#
# Whether some optimal set of expressions is free of circles, see dependencies, follows: in the set that an elimination
# makes, each product only waits for earlier ones, so that there is one where faces reach the optimum. Where they do
# not, there is none, since its faces could be eliminated at its cost (Zhou's proposition 1). That is computed all the
# same where vertices do not reach the optimum: the set that the program found is looked at, and if it closes a circle,
# all others.
#
# Inputs that lead to the same intermediates are one vertex of several entries for the program, and so are outputs that
# come from the same: each may as well do what the cheapest of them does.


FIRST, MOST = 100, 50_000
"""The effort of a search, which is continued with twice as much until there is a proof: most need the first."""


class Optima(NamedTuple):
    """The fewest multiplications by ``vertex``, ``edge``, ``face``, and of any set of expressions: the ``least``.

    Where vertices take more than the least, ``mixed`` says whether the cheapest set that was found first multiplies
    something both directly and indirectly, and ``circular`` whether it closes a circle. ``has_acyclic`` says whether
    any of all cheapest sets closes none.
    """

    vertex: int
    edge: int
    face: int
    least: int
    mixed: bool = False
    circular: bool = False
    has_acyclic: bool = True

    @property
    def is_exceptional(self) -> bool:
        """Whether the best order of vertices takes more than the least."""
        return self.vertex > self.least


def optima(small: SmallGraph) -> Optima:
    """Return what a small graph costs at best, all proved.

    >>> optima(SmallGraph.parsed("01 | 0 0 | 1 1 1 01"))
    Optima(vertex=12, edge=11, face=11, least=11, mixed=True, circular=False, has_acyclic=True)
    """
    vertex = vertex_optimum(small)
    graph, merged = small.graph(), small.without_twins()
    least, cheapest = cheaper_expressions(merged, vertex)
    if cheapest is None:
        return Optima(vertex, vertex, vertex, vertex)
    waits = dependencies(cheapest)
    edge = face = _best(graph, "edge", least)
    if edge.cost > least:
        face = _best(graph, "face", least)
    has_acyclic = not waits.cycle or any(not dependencies(each).cycle for each in cheapest_sets(merged))
    return Optima(vertex, edge.cost, face.cost, least, bool(waits.mixed), bool(waits.cycle), has_acyclic)


def _best(graph: CGraph, technique: str, least: int) -> Optimum:
    """Return an order that takes the least, or else one that is proved to be the best."""
    limit = FIRST
    result = optimal_order(graph, technique, units=False, effort=limit)
    while result.cost > least and not result.proved:
        limit = min(2 * limit, MOST)
        result = result.resume(effort=limit)
    return result


def vertex_optimum(small: SmallGraph) -> int:
    """Return the fewest multiplications of any order of vertices, by what was eliminated before each.

    >>> vertex_optimum(SmallGraph.parsed("01 | 0 0 | 1 1 1 01"))
    12
    """
    count = small.intermediates
    before, behind = [0] * count, [0] * count
    for i, j in small.inner:
        before[j] |= 1 << i
        behind[i] |= 1 << j
    for masks, near in ((small.inputs, before), (small.outputs, behind)):
        for end, mask in enumerate(masks, count):
            for i in range(count):
                near[i] |= (mask >> i & 1) << end
    best: list[float] = [0, *[math.inf] * ((1 << count) - 1)]
    for gone in range(1 << count):
        for v in range(count):
            if not gone >> v & 1:
                cost = best[gone] + reached(before, gone, v).bit_count() * reached(behind, gone, v).bit_count()
                best[gone | 1 << v] = min(best[gone | 1 << v], cost)
    return int(best[-1])


# ---- enumerating ----

# What all graphs of some sizes cost at best: enumerate_optima, in pieces, which a folder keeps.
#
# A piece is a pure function of plain data, so that one whose worker is lost is done again, and one that is in the
# folder is not.


FILE = "pieces.jsonl"
FOREVER = 1e8
"""Seconds."""


class Progress(NamedTuple):
    """How far an enumeration is: ``pieces`` of ``of`` are done, the last of them ``piece``, after ``seconds``."""

    pieces: int
    of: int
    piece: Piece
    seconds: float


def enumerate_optima(
    folder: str | Path,
    sizes: Iterable[tuple[int, int]],
    *,
    executor: Executor | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Enumerated:
    """Return what all small graphs of some ``sizes``, intermediates and edges, cost at best.

    Each piece that is done is a line of JSON in a file of ``folder``, so that an enumeration which was stopped goes on
    there, also with more sizes. The pieces are done by the ``executor`` if there is one, any of
    :mod:`concurrent.futures` or Dask's ``client.get_executor()``; ``progress`` is called after each.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     found = enumerate_optima(folder, [(2, 7), (2, 8)])
    >>> [(size.edges, size.graphs, size.edge_below_vertex) for size in found.sizes]
    [(7, 54, 0), (8, 114, 1)]
    >>> [str(each.graph) for each in found.graphs]
    ['01 | 0 0 | 1 1 1 01']
    """
    if executor is not None and not hasattr(executor, "submit"):
        raise ValueError(f"executor is {executor!r}; expected one of concurrent.futures, or None.")
    file, start = Path(folder) / FILE, time.monotonic()
    file.parent.mkdir(parents=True, exist_ok=True)
    wanted = [piece for size in dict.fromkeys(sizes) for piece in pieces(*size)]
    known = _read(file)
    waiting = [piece for piece in wanted if piece not in known]
    with file.open("a", encoding="utf-8") as lines, closing(_results(waiting, executor)) as results:
        for count, (piece, result) in enumerate(results, 1):
            lines.write(json.dumps([piece, result]) + "\n")
            lines.flush()
            known[piece] = result
            if progress:
                progress(Progress(len(wanted) - len(waiting) + count, len(wanted), piece, time.monotonic() - start))
    counts = dict.fromkeys((piece[:2] for piece in wanted), 0)
    for piece in wanted:
        counts[piece[:2]] += known[piece][0]
    every = (Exceptional(SmallGraph.parsed(text), Optima(*best)) for piece in wanted for text, best in known[piece][1])
    return Enumerated(counts, tuple(every))


Result = tuple[int, list[tuple[str, Optima]]]
"""How many graphs there are in a piece, and the exceptional ones as text."""


def done(piece: Piece) -> Result:
    """Return how many graphs there are in a piece, and what the exceptional ones among them cost at best.

    >>> count, exceptional = done(Piece(2, 8, 1, 2))
    >>> count, [text for text, _ in exceptional]
    (14, ['01 | 0 0 | 1 1 1 01'])
    """
    result = [(graph, optima(graph)) for graph in graphs_of(piece)]
    return len(result), [(str(graph), best) for graph, best in result if best.is_exceptional]


def _results(waiting: list[Piece], executor: Executor | None) -> Generator[tuple[Piece, Result]]:
    if executor is None:
        for piece in waiting:
            yield piece, done(piece)
    else:
        for (piece,), result in gathered(executor, done, [(piece,) for piece in waiting], time.monotonic() + FOREVER):
            yield piece, result


def _read(file: Path) -> dict[Piece, Result]:
    """Return the pieces that a file has; a line that was not written to its end is none, and is cut off."""
    if not file.exists():
        return {}
    text = file.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    if whole != text:
        file.write_bytes(whole)
    return {Piece(*piece): result for piece, result in map(json.loads, whole.splitlines())}
