"""Graphs as JSON documents and as graphs of NetworkX, in both directions; pictures by Graphviz."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

from .checked_parts import CGraphError, Parts, Vertex, is_of, parts_of_lists
from .labels import Label, dense, is_finite
from .measures import DIRECTIONS, Linearization

# ---- JSON documents ----

FORMAT, VERSION = "adviz CGraph", 1
FIELDS: dict[str, dict[str, Any]] = {
    "The document": {"format": str, "version": int, "title": str}
    | dict.fromkeys(("inputs", "outputs", "vertices", "edges"), list),
    "vertices": {"vertex": (int, str, list), "name": str, "size": int},
    "edges": {"tail": (int, str, list), "head": (int, str, list), "partial": (int, float, list)},
}
"""The fields of each object of a document, with their types; a vertex may lack name and size."""


def to_json(graph: Linearization) -> str:
    """Return the JSON document of a graph: see :meth:`~adviz.CGraph.to_json`."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "title": graph.title,
        "inputs": list(map(_written, graph.inputs)),
        "outputs": list(map(_written, graph.outputs)),
        "vertices": [
            {"vertex": _written(v)}
            | ({"name": graph.names[v]} if v in graph.names else {})
            | ({"size": graph.size(v)} if graph.size(v) != 1 else {})
            for v in graph.vertices
        ],
        "edges": [
            {"tail": _written(i), "head": _written(j), "partial": _written_label(i, j, graph.partial(i, j))}
            for i, j in graph.edges
        ],
    }
    return json.dumps(document, allow_nan=False)


def _written(vertex: Any) -> Any:
    if isinstance(vertex, tuple):
        return list(map(_written, vertex))
    return int(vertex) if is_of(Integral, vertex) else _int_or_text(vertex)


def _written_label(i: Vertex, j: Vertex, label: Label) -> Any:
    if not is_finite(label):
        raise CGraphError(f"The partial of {j!r} with respect to {i!r} is not finite: a JSON document cannot have it.")
    return label if isinstance(label, Real) else dense(label).tolist()


def from_json(document: str) -> Parts:
    """Return the parts of the graph in a JSON document: see :meth:`~adviz.CGraph.from_json`."""
    try:
        whole = json.loads(document)
    except (TypeError, ValueError, RecursionError) as error:
        raise CGraphError(f"This is not a whole JSON document: {error}.") from None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise CGraphError(f"This JSON document is no graph: its format is not {FORMAT!r}.")
    if whole.get("version") != VERSION:
        raise CGraphError(f"The document is of version {whole.get('version')!r}; this adviz reads version {VERSION}.")
    whole = _record("The document", whole, FIELDS["The document"])
    vertices = [_record(f"vertices[{k}]", each, FIELDS["vertices"]) for k, each in enumerate(whole["vertices"])]
    edges = [_record(f"edges[{k}]", each, FIELDS["edges"]) for k, each in enumerate(whole["edges"])]
    return parts_of_lists(
        [(_read(each["vertex"]), each) for each in vertices],
        [(_read(each["tail"]), _read(each["head"]), each["partial"]) for each in edges],
        map(_read, whole["inputs"]),
        map(_read, whole["outputs"]),
        whole["title"],
    )


def _record(place: str, record: Any, fields: dict[str, Any]) -> dict[str, Any]:
    """Check that an object of a document has its fields and no others."""
    if not isinstance(record, dict):
        raise CGraphError(f"{place} is {type(record).__name__}; expected an object.")
    for key in fields.keys() - {"name", "size"} - record.keys():
        raise CGraphError(f"{place} lacks {key!r}.")
    for key, value in record.items():
        if key not in fields:
            raise CGraphError(f"{place} has {key!r}, which is none of {', '.join(fields)}.")
        if not is_of(fields[key], value):
            raise CGraphError(f"{place} has {value!r} for {key!r}, which is of another kind.")
    return record


def _read(vertex: Any) -> Vertex:
    return tuple(map(_read, vertex)) if isinstance(vertex, list) else _int_or_text(vertex)


def _int_or_text(vertex: Any) -> Any:
    if not is_of((int, str), vertex):
        raise CGraphError(f"A document cannot have the vertex {vertex!r}: use whole numbers, texts, tuples of those.")
    return vertex


# ---- other libraries ----


def to_networkx(graph: Linearization) -> Any:
    """Return a ``networkx.DiGraph``: see :meth:`~adviz.CGraph.to_networkx`."""
    try:
        import networkx
    except ImportError as error:
        raise ImportError("NetworkX is not installed, which this needs: pip install networkx") from error

    result = networkx.DiGraph(title=graph.title, inputs=list(graph.inputs), outputs=list(graph.outputs))
    result.add_nodes_from((v, {"name": graph.name(v), "size": graph.size(v)}) for v in graph.vertices)
    result.add_edges_from((i, j, {"partial": graph.partial(i, j)}) for i, j in graph.edges)
    return result


def from_networkx(graph: Any) -> Parts:
    """Return the parts of a directed graph of NetworkX: see :meth:`~adviz.CGraph.from_networkx`."""
    if not hasattr(graph, "is_directed"):
        raise CGraphError(f"Expected a directed NetworkX graph, not {type(graph).__name__}.")
    if not graph.is_directed():
        raise CGraphError("The NetworkX graph is undirected: its edges do not say what is computed from what.")
    edges = [(i, j, attributes.get("partial")) for i, j, attributes in graph.edges(data=True)]
    own = graph.graph
    vertices = list(graph.nodes(data=True))
    return parts_of_lists(vertices, edges, own.get("inputs"), own.get("outputs"), own.get("title", ""))


def digraph(names: Mapping[Any, str], edges: Iterable[tuple[Any, Any, str]], direction: str) -> Any:
    """Return a ``graphviz.Digraph`` of named vertices with labelled arrows between them; names and labels are text.

    Raises ``ValueError`` for a direction that is none of ``DIRECTIONS``.
    """
    if direction not in DIRECTIONS:
        raise ValueError(f"direction is {direction!r}; it can be {' or '.join(map(repr, DIRECTIONS))}")
    import graphviz

    is_flow = direction == DIRECTIONS[0]
    dot = graphviz.Digraph("adviz", graph_attr={"rankdir": "TB" if is_flow else "BT"}, node_attr={"shape": "box"})
    number = {vertex: str(k) for k, vertex in enumerate(names)}
    for vertex, name in names.items():
        dot.node(number[vertex], graphviz.escape(name))
    for i, j, label in edges:
        tail, head = (i, j) if is_flow else (j, i)
        dot.edge(number[tail], number[head], graphviz.escape(label))
    return dot
