"""CGraphs from lists of edges: whatever is given is checked before anything is made.

An error says what is wrong with which edge or vertex, and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from numbers import Integral, Real
from random import Random
from typing import Any

from .cgraph import CGraph, CGraphError, Vertex
from .labels import Label, is_finite, plus, shape

Edge = tuple[Vertex, Vertex]


# ---- edges ----


def from_edges(
    edges: Iterable[Edge],
    sizes: Mapping[Vertex, int] | None = None,
    partials: Iterable[Any] | Mapping[Edge, Any] | None = None,
    outputs: Iterable[Vertex] | None = None,
    names: Mapping[Vertex, str] | None = None,
    title: str = "",
    seed: int = 0,
) -> CGraph:
    """A graph from pairs ``(i, j)``: see :meth:`CGraph.from_edges`."""
    pairs = [_checked_edge(place, edge) for place, edge in enumerate(_sequence(edges, "edges"))]
    if not pairs:
        raise CGraphError("There are no edges. Pass a list of pairs (i, j), where j is computed from i.")
    order = _topological_order(pairs)
    sizes = {vertex: _checked_size(vertex, size) for vertex, size in _known(sizes, order, "sizes").items()}
    names = {vertex: _checked_name(vertex, name) for vertex, name in _known(names, order, "names").items()}
    labels = _labels(pairs, partials, sizes, Random(seed))
    heads, tails = {j for _, j in labels}, {i for i, _ in labels}
    inputs = [vertex for vertex in order if vertex not in heads]
    if outputs is None:
        return CGraph(order, inputs, [vertex for vertex in order if vertex not in tails], labels, sizes, names, title)
    return _with_outputs(order, inputs, _checked_outputs(outputs, order), labels, sizes, names, title)


def _sequence(entries: Any, name: str) -> list[Any]:
    if isinstance(entries, str | bytes | Mapping) or not isinstance(entries, Iterable):
        raise CGraphError(f"{name} is {type(entries).__name__}; expected a list.")
    return list(entries)


def _checked_edge(place: int, edge: Any) -> Edge:
    if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
        raise CGraphError(f"Edge {place} is {edge!r}; expected a pair (i, j), where j is computed from i.")
    i, j = edge
    for vertex in edge:
        if not _is_hashable(vertex):
            raise CGraphError(f"Edge {place} has the vertex {vertex!r}, which is not hashable. Use numbers or texts.")
    if i == j:
        raise CGraphError(f"Edge {place} leads from {i!r} to itself. No value can be computed from itself.")
    return i, j


def _is_hashable(vertex: Any) -> bool:
    try:
        hash(vertex)
    except TypeError:
        return False
    return True


def _topological_order(pairs: list[Edge]) -> list[Vertex]:
    """Whole numbers ascending, as far as the edges allow; other vertices as they are mentioned."""
    mentioned: Any = dict.fromkeys(vertex for pair in pairs for vertex in pair)
    first = sorted(mentioned) if all(isinstance(vertex, Integral) for vertex in mentioned) else list(mentioned)
    place = {vertex: k for k, vertex in enumerate(first)}
    sorter = TopologicalSorter(dict.fromkeys(first, ()))
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
        order.append(first[heappop(waiting)])
        sorter.done(order[-1])
    return order


def _known(settings: Any, vertices: Iterable[Vertex], name: str) -> dict[Vertex, Any]:
    """A mapping whose keys are vertices of the graph."""
    if not isinstance(settings or {}, Mapping):
        raise CGraphError(f"{name} is {type(settings).__name__}; expected a dict by vertex.")
    found, known = dict(settings or {}), set(vertices)
    for vertex in found.keys() - known:
        raise CGraphError(f"{name} has {vertex!r}, which is on no edge.")
    return found


def _checked_size(vertex: Vertex, size: Any) -> int:
    if not isinstance(size, Integral) or type(size) is bool or size < 1:
        raise CGraphError(f"The size of {vertex!r} is {size!r}; expected a whole number of entries, at least 1.")
    return int(size)


def _checked_name(vertex: Vertex, name: Any) -> str:
    if not isinstance(name, str):
        raise CGraphError(f"The name of {vertex!r} is {type(name).__name__}; expected text.")
    return name


def _checked_outputs(outputs: Any, order: list[Vertex]) -> list[Vertex]:
    found = _sequence(outputs, "outputs")
    for place, vertex in enumerate(found):
        if not _is_hashable(vertex) or vertex not in set(order):
            raise CGraphError(f"The output {vertex!r} is on no edge, so that no path leads to it.")
        if vertex in found[:place]:
            raise CGraphError(f"The output {vertex!r} is named twice.")
    if not found:
        raise CGraphError("There are no outputs. Leave outputs out, and all vertices without successors are outputs.")
    return found


def _labels(pairs: list[Edge], partials: Any, sizes: dict[Vertex, int], rng: Random) -> dict[Edge, Label]:
    """A label for each edge; those of edges that are mentioned twice are added."""
    if partials is None:
        return {(i, j): _random_partial(sizes.get(j, 1), sizes.get(i, 1), rng) for i, j in pairs}
    if isinstance(partials, Mapping):
        if strange := [edge for edge in partials if edge not in pairs]:
            raise CGraphError(f"partials has {strange[0]!r}, which is not an edge.")
        if missing := [edge for edge in pairs if edge not in partials]:
            raise CGraphError(f"partials lacks the edge {missing[0]!r}.")
        pairs, given = list(partials), list(partials.values())
    else:
        given = _sequence(partials, "partials")
    if len(given) != len(pairs):
        raise CGraphError(f"There are {len(pairs)} edges and {len(given)} partials; expected one for each edge.")
    labels: dict[Edge, Label] = {}
    for (i, j), partial in zip(pairs, given, strict=True):
        label = checked_partial(f"The partial of {j!r} by {i!r}", partial, sizes.get(j, 1), sizes.get(i, 1))
        labels[i, j] = plus(labels[i, j], label) if (i, j) in labels else label
    return labels


def checked_partial(name: str, partial: Any, rows: int, columns: int) -> Label:
    """A number, or a matrix of that shape; integers stay integers. Raises :class:`CGraphError` for anything else."""
    label = _as_label(name, partial)
    if shape(label) != (rows, columns) and not (isinstance(label, Real) and rows == columns):
        expected = "a number" if (rows, columns) == (1, 1) else f"a matrix of shape {(rows, columns)}"
        found = "a number" if isinstance(label, Real) else f"of shape {shape(label)}"
        raise CGraphError(f"{name} is {found}; expected {expected}: sizes of head and tail.")
    if not is_finite(label):
        raise CGraphError(f"{name} is not finite. Take a point at which the function has a derivative.")
    return label


def _as_label(name: str, partial: Any) -> Label:
    if isinstance(partial, Integral) and type(partial) is not bool:
        return int(partial)
    if isinstance(partial, Real) and type(partial) is not bool:
        return float(partial)
    if hasattr(partial, "multiplications"):
        return partial
    import numpy as np  # makes arrays; graphs themselves need none

    try:
        matrix = np.array(partial, float)
    except (TypeError, ValueError):
        raise CGraphError(f"{name} is {type(partial).__name__}; expected a number or a matrix.") from None
    return matrix.item() if matrix.shape in ((), (1, 1)) and not isinstance(partial, str | bytes | bool) else matrix


def _random_partial(rows: int, columns: int, rng: Random) -> Label:
    """Numbers of three digits, between 0.5 and 1.5 in size: products of them do not vanish."""
    numbers = [[rng.choice((-1, 1)) * round(rng.uniform(0.5, 1.5), 3) for _ in range(columns)] for _ in range(rows)]
    return _as_label("", numbers)


def _with_outputs(
    order: list[Vertex],
    inputs: list[Vertex],
    outputs: list[Vertex],
    labels: dict[Edge, Label],
    sizes: dict[Vertex, int],
    names: dict[Vertex, str],
    title: str,
) -> CGraph:
    """The graph of these outputs: one that feeds others gets a copy to be the output, and what reaches none goes."""
    tails: dict[Vertex, list[Vertex]] = {vertex: [] for vertex in order}
    for i, j in labels:
        tails[j].append(i)
    live, waiting = set(), list(outputs)
    while waiting:
        if (vertex := waiting.pop()) not in live:
            live.add(vertex)
            waiting += tails[vertex]
    partials = {edge: label for edge, label in labels.items() if edge[1] in live}
    used = {i for i, _ in partials}
    ends = [("output", y) if y in used or not tails[y] else y for y in outputs]
    for y, copy in zip(outputs, ends, strict=True):
        if copy != y:
            partials[y, copy] = 1
            sizes[copy], names[copy] = sizes.get(y, 1), f"{names.get(y, y)} (output)"
    kept = [vertex for vertex in order if vertex in live or vertex in inputs]
    return CGraph(dict.fromkeys([*kept, *ends]), inputs, ends, partials, sizes, names, title)
