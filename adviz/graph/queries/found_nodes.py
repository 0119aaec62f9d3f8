"""The nodes that a query has found, and the tables of nodes and edges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np

from ..wengert_list import Node
from ..wording import counted
from .data_table import Table
from .node_columns import NodeColumns


class Nodes(Sequence[Node]):
    """Nodes of a graph, in the order of evaluation: a sequence that a notebook shows as a table.

    ``indices`` are their numbers, an array.

    >>> import adviz
    >>> found = adviz.trace(lambda x: x * x + x, 3.0).find("times_used > 0")
    >>> len(found), found.indices.tolist(), found[1], found[:1].indices.tolist()
    (2, [0, 1], <Node 1: v1 (multiply)>, [0])
    """

    def __init__(self, columns: NodeColumns, indices: np.ndarray, query: str = ""):
        self._columns, self.indices, self.query = columns, indices, query

    def __len__(self) -> int:
        return len(self.indices)

    @overload
    def __getitem__(self, place: int) -> Node: ...
    @overload
    def __getitem__(self, place: slice) -> Nodes: ...
    def __getitem__(self, place: int | slice) -> Node | Nodes:
        if isinstance(place, slice):
            return Nodes(self._columns, self.indices[place], self.query)
        return Node(self._columns.graph, int(self.indices[place]))

    def __iter__(self) -> Iterator[Node]:
        return (Node(self._columns.graph, index) for index in self.indices.tolist())

    def __contains__(self, node: object) -> bool:
        return isinstance(node, Node) and node.graph is self._columns.graph and bool((self.indices == node.index).any())

    def table(self) -> Table:
        """Return the columns of :meth:`adviz.Graph.nodes_table`, of these nodes."""
        return nodes_table(self._columns, self.indices, self._title)

    @property
    def _title(self) -> str:
        asked = f" for {self.query}" if self.query else ""
        return f"{counted((len(self), 'node'))} of {self._columns.graph.title}{asked}"

    def __repr__(self) -> str:
        return repr(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def nodes_table(columns: NodeColumns, indices: np.ndarray | slice = slice(None), title: str = "") -> Table:
    """Return the table of nodes: a row for each."""
    graph = columns.graph
    blocks = np.array([block.name for block in graph.block_table], object)
    lines = np.where(np.isfinite(columns.first_line), columns.first_line, 0).astype(np.int64)
    rows: dict[str, Any] = {
        "node": np.arange(len(graph))[indices],
        "name": columns.name.column()[indices],
        "block": blocks[columns.block[indices]],
        "shape": columns.shape.column()[indices],
        "dtype": columns.dtype.column()[indices],
        "bytes": columns.bytes[indices],
        "operations": columns.operations[indices],
        "times_used": columns.times_used[indices],
        "live": columns.live[indices],
        "depth": columns.depth[indices],
        "scope": np.array(columns.scope_paths, object)[columns.scope[indices]],
        "file": columns.file.column()[indices],
        "line": lines[indices],
    }
    return Table(title or f"{counted((len(graph), 'node'))} of {graph.title}", rows)


def edges_table(columns: NodeColumns) -> Table:
    """Return the table of edges: a row for each operand that is a node, ordered by head and place there."""
    graph = columns.graph
    tail, head, operand = graph.operand_rows
    is_use = columns.live.copy()
    is_use[list(graph.outputs)] = False
    rows = {"tail": tail, "head": head, "operand": operand, "bytes": columns.bytes[tail], "is_use": is_use[head]}
    return Table(f"{counted((len(tail), 'operand'))} of {graph.title}, {counted((graph.edges, 'edge'))}", rows)
