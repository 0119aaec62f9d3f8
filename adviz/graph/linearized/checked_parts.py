"""What linearized graphs are made of, checked: vertices, edges, partials, sizes and names.

Whatever a user gives is checked before anything is made. An error says what is wrong with which edge or vertex, and
what to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from numbers import Integral, Real
from random import Random
from typing import Any, NamedTuple

from ..errors import AdvizError
from ..reach import reachable
from .labels import Label, is_finite, plus, shape

Vertex = Hashable
Edge = tuple[Vertex, Vertex]


class CGraphError(AdvizError, ValueError):
    """Edges, partials, sizes or a document do not make a linearized computational graph; or it is not finished yet.

    >>> import adviz
    >>> adviz.CGraph.from_edges([(0, 1)], outputs=[])
    Traceback (most recent call last):
    adviz.graph.linearized.checked_parts.CGraphError: outputs is empty.
    """


class Parts(NamedTuple):
    """What a graph is made of; ``vertices`` are in topological order."""

    vertices: list[Vertex]
    inputs: list[Vertex]
    outputs: list[Vertex]
    partials: dict[Edge, Label]
    sizes: dict[Vertex, int]
    names: dict[Vertex, str]
    title: str


def parts_of_edges(
    edges: Iterable[Edge],
    sizes: Mapping[Vertex, int] | None,
    partials: Iterable[Label] | Mapping[Edge, Label] | None,
    outputs: Iterable[Vertex] | None,
    names: Mapping[Vertex, str] | None,
    title: str,
    seed: int,
    prune: bool = True,
) -> Parts:
    """Return the parts of a graph from pairs ``(i, j)``: see :meth:`~adviz.CGraph.from_edges`."""
    pairs = [_checked_edge(f"Edge {place}", edge) for place, edge in enumerate(_sequence("edges", edges))]
    if not pairs:
        raise CGraphError("There are no edges. Pass a list of pairs (i, j), where j is computed from i.")
    mentioned: Any = dict.fromkeys(vertex for pair in pairs for vertex in pair)
    vertices = sorted(mentioned) if all(isinstance(vertex, Integral) for vertex in mentioned) else list(mentioned)
    body = _checked(vertices, pairs, partials, sizes, names, Random(seed))
    if outputs is not None:
        body, outputs = _with_outputs(body, _ends("outputs", outputs, body.order), prune)
    return _with_ends(body, None, outputs, title, may_be_dead=not prune)


def parts_of_lists(
    vertices: list[tuple[Vertex, Mapping[str, Any]]],
    edges: list[tuple[Vertex, Vertex, Any]],
    inputs: Iterable[Vertex] | None,
    outputs: Iterable[Vertex] | None,
    title: str,
) -> Parts:
    """Return the parts of a graph that is listed: vertices with attributes, edges with or without partials."""
    order = [vertex for vertex, _ in vertices]
    known = set(_ends("vertices", order, order))
    pairs = [_checked_edge(f"Edge {place}", (i, j)) for place, (i, j, _) in enumerate(edges)]
    for place, pair in enumerate(pairs):
        _check_known(f"Edge {place}", pair, known)
    partials = [partial for _, _, partial in edges]
    sizes, names = ({v: has[key] for v, has in vertices if key in has} for key in ("size", "name"))
    given = partials if any(partial is not None for partial in partials) else None
    return _with_ends(_checked(order, pairs, given, sizes, names, Random(0)), inputs, outputs, title)


# ---- vertices and edges ----


class _Body(NamedTuple):
    """A graph without inputs and outputs: vertices in topological order, labels, sizes and names."""

    order: list[Vertex]
    labels: dict[Edge, Label]
    sizes: dict[Vertex, int]
    names: dict[Vertex, str]


def _checked(vertices: list[Vertex], pairs: list[Edge], partials: Any, sizes: Any, names: Any, rng: Random) -> _Body:
    order = _topological_order(vertices, pairs)
    sizes = _by_vertex("sizes", sizes, order)
    for vertex, size in sizes.items():
        if not is_of(Integral, size) or size < 1:
            raise CGraphError(f"The size of {vertex!r} is {size!r}; expected a whole number of entries, at least 1.")
    sizes = {vertex: int(size) for vertex, size in sizes.items()}
    names = _by_vertex("names", names, order)
    for vertex, name in names.items():
        if not isinstance(name, str):
            raise CGraphError(f"The name of {vertex!r} is {type(name).__name__}; expected text.")
    return _Body(order, _labels(pairs, partials, sizes, rng), sizes, names)


def _with_ends(
    body: _Body,
    inputs: Iterable[Vertex] | None,
    outputs: Iterable[Vertex] | None,
    title: str,
    may_be_dead: bool = False,
) -> Parts:
    """Make the whole graph; by default inputs are the vertices without predecessors, outputs without successors."""
    order, labels, sizes, names = body
    if not isinstance(title, str):
        raise CGraphError(f"title is {type(title).__name__}; expected text.")
    heads, tails = {j for _, j in labels}, {i for i, _ in labels}
    inputs = _ends("inputs", [v for v in order if v not in heads] if inputs is None else inputs, order)
    outputs = _ends("outputs", [v for v in order if v not in tails] if outputs is None else outputs, order)
    between = set(order).difference(inputs, outputs)
    for vertices, what in (
        (set(inputs).intersection(outputs), "an input and an output; an output is a vertex of its own"),
        (heads.intersection(inputs), "an input, but an edge leads to it"),
        (tails.intersection(outputs), "an output, but an edge leads from it"),
        (between - heads, "not an input, but no edge leads to it"),
        (set() if may_be_dead else between - tails, "not an output, but no edge leads from it"),
    ):
        for vertex in vertices:
            raise CGraphError(f"The vertex {vertex!r} is {what}.")
    return Parts(order, inputs, outputs, labels, sizes, names, title)


def _with_outputs(body: _Body, outputs: list[Vertex], prune: bool) -> tuple[_Body, list[Vertex]]:
    """Copy each output that feeds others or is an input, and drop what reaches no output, if that is to be pruned."""
    order, labels, sizes, names = body
    tails: dict[Vertex, list[Vertex]] = {vertex: [] for vertex in order}
    for i, j in labels:
        tails[j].append(i)
    live = reachable(outputs if prune else order, tails.__getitem__)
    labels = {(i, j): label for (i, j), label in labels.items() if j in live}
    used = {i for i, _ in labels}
    copies = {y: ("output", y) for y in outputs if y in used or not tails[y]}
    kept = {vertex: vertex for vertex in order if vertex in live or not tails[vertex]}
    origins = kept | {copy: y for y, copy in copies.items()}
    sizes = {v: sizes[origin] for v, origin in origins.items() if origin in sizes}
    names = {v: names[v] for v in kept if v in names} | {v: f"{names.get(y, y)} (output)" for y, v in copies.items()}
    labels |= dict.fromkeys(copies.items(), 1)
    return _Body(list(origins), labels, sizes, names), [copies.get(y, y) for y in outputs]


def _topological_order(vertices: list[Vertex], pairs: list[Edge]) -> list[Vertex]:
    """Return the vertices in the order given, as far as the edges allow."""
    place = {vertex: k for k, vertex in enumerate(vertices)}
    sorter = TopologicalSorter(dict.fromkeys(vertices, ()))
    for i, j in pairs:
        sorter.add(j, i)
    try:
        sorter.prepare()
    except CycleError as error:
        cycle = " → ".join(map(str, error.args[1]))
        raise CGraphError(f"The edges close a cycle: {cycle}. No value can be computed from itself.") from None
    order: list[Vertex] = []
    waiting: list[int] = []
    while sorter.is_active():
        for vertex in sorter.get_ready():
            heappush(waiting, place[vertex])
        order.append(vertices[heappop(waiting)])
        sorter.done(order[-1])
    return order


def _sequence(name: str, entries: Any) -> list[Any]:
    if isinstance(entries, str | bytes | Mapping) or not isinstance(entries, Iterable):
        raise CGraphError(f"{name} is {type(entries).__name__}; expected a list.")
    return list(entries)


def _checked_edge(name: str, edge: Any) -> Edge:
    if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
        raise CGraphError(f"{name} is {edge!r}; expected a pair (i, j), where j is computed from i.")
    i, j = edge
    for vertex in edge:
        if not is_hashable(vertex):
            raise CGraphError(f"{name} has the vertex {vertex!r}, which is not hashable. Use numbers or texts.")
    if i == j:
        raise CGraphError(f"{name} leads from {i!r} to itself. No value can be computed from itself.")
    return i, j


def is_hashable(vertex: object) -> bool:
    """Return whether something can be a vertex.

    >>> is_hashable((1, "x")), is_hashable([1, "x"])
    (True, False)
    """
    try:
        hash(vertex)
    except TypeError:
        return False
    return True


def _by_vertex(name: str, settings: Any, vertices: list[Vertex]) -> dict[Vertex, Any]:
    settings = {} if settings is None else settings
    if not isinstance(settings, Mapping):
        raise CGraphError(f"{name} is {type(settings).__name__}; expected a dict by vertex.")
    _check_known(name, settings, set(vertices))
    return dict(settings)


def _ends(name: str, ends: Any, vertices: Iterable[Vertex]) -> list[Vertex]:
    """Return inputs or outputs: vertices of the graph, none of them twice."""
    result = _sequence(name, ends)
    if not result:
        raise CGraphError(f"{name} is empty.")
    _check_known(name, result, set(vertices))
    for vertex, times in Counter(result).items():
        if times > 1:
            raise CGraphError(f"{name} has {vertex!r} twice.")
    return result


def _check_known(name: str, vertices: Iterable[Any], known: Container[Vertex]) -> None:
    for vertex in vertices:
        if not is_hashable(vertex) or vertex not in known:
            raise CGraphError(f"{name} has {vertex!r}, which is not a vertex of the graph.")


def is_of(kind: type | tuple[type, ...], number: object) -> bool:
    """Return whether something is of a kind; truth values are no numbers.

    >>> is_of(int, 1), is_of(int, True)
    (True, False)
    """
    return isinstance(number, kind) and not isinstance(number, bool)


# ---- partials ----


def _labels(pairs: list[Edge], partials: Any, sizes: dict[Vertex, int], rng: Random) -> dict[Edge, Label]:
    """Return a label for each edge; those of edges that are mentioned twice are added."""
    if partials is None:
        return {(i, j): _random_partial(sizes.get(j, 1), sizes.get(i, 1), rng) for i, j in pairs}
    if isinstance(partials, Mapping):
        pairs = list(dict.fromkeys(pairs))
        if strange := partials.keys() - set(pairs):
            raise CGraphError(f"partials has {strange.pop()!r}, which is not an edge.")
        partials = [partials.get(edge) for edge in pairs]
    given = _sequence("partials", partials)
    if len(given) != len(pairs):
        raise CGraphError(f"partials has {len(given)} for {len(pairs)} edges; expected one for each edge.")
    labels: dict[Edge, Label] = {}
    for (i, j), partial in zip(pairs, given, strict=True):
        name = f"The partial of {j!r} with respect to {i!r}"
        label = _checked_partial(name, partial, sizes.get(j, 1), sizes.get(i, 1))
        labels[i, j] = plus(labels[i, j], label) if (i, j) in labels else label
    return labels


def _checked_partial(name: str, partial: Any, rows: int, columns: int) -> Label:
    """Return a number, or a matrix of that shape; integers stay integers."""
    label = _as_label(name, partial)
    if shape(label) != (rows, columns) and not (isinstance(label, Real) and rows == columns):
        expected = "a number" if rows == columns == 1 else f"a matrix of shape {(rows, columns)}"
        given = "a number" if isinstance(label, Real) else f"of shape {shape(label)}"
        raise CGraphError(f"{name} is {given}; the sizes of head and tail ask for {expected}.")
    if not is_finite(label):
        raise CGraphError(f"{name} is not finite. Take a point at which the function has a derivative.")
    return label


def _as_label(name: str, partial: Any) -> Label:
    if isinstance(partial, float):
        return float(partial)
    if is_of(Integral, partial):
        return int(partial)
    if hasattr(partial, "multiplications"):
        return partial  # a Jacobian
    import numpy as np  # makes arrays; graphs themselves need none

    try:
        result = np.array(partial)
    except ValueError:  # rows of different lengths
        result = np.empty(0, object)
    if result.dtype.kind not in "iuf":
        given = "missing" if partial is None else f"{type(partial).__name__}, not made of real numbers"
        raise CGraphError(f"{name} is {given}; expected a number or a matrix.")
    return float(result.item()) if result.shape in ((), (1, 1)) else result.astype(float)


def _random_partial(rows: int, columns: int, rng: Random) -> Label:
    """Return numbers of three digits, between 0.5 and 1.5 in size: products of them do not vanish."""
    numbers = [[rng.choice((-1, 1)) * round(rng.uniform(0.5, 1.5), 3) for _ in range(columns)] for _ in range(rows)]
    return numbers[0][0] if rows == columns == 1 else _as_label("", numbers)
