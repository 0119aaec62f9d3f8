"""What a trace recorded, to be read, asked and measured.

With a :class:`Graph` you can

* read a node: ``graph[3].value``, ``.operands``, ``.users``, ``.times_used``, ``.origin``, ``.scope``;
* measure it: ``graph.summary()`` (text), ``graph.nodes_table()`` (columns), ``.depth``, ``.width``, ``.bytes``;
* find nodes: ``graph.find("times_used > 3 and bytes > 1e6")``; count them: ``graph.by("line")``;
* follow dependences: ``graph.ancestors(i)``, ``graph.descendants(i)``, ``graph.count_paths(i, j)``;
* keep it and hand it on: ``graph.save("g.adviz")``, ``.to_networkx()``, ``.to_csv()``, ``.to_graphviz()``.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .exchange_of_graphs import Exchange
from .queries.aggregates import Groups, grouped, short_names
from .queries.data_table import Table, told_apart
from .queries.found_nodes import Nodes, edges_table, nodes_table
from .queries.node_columns import NodeColumns
from .queries.query_language import holds, parse
from .reach import reachable
from .timeline import State
from .wengert_list import ABSENT as ABSENT
from .wengert_list import WRITE as WRITE
from .wengert_list import Literal as Literal
from .wengert_list import Node as Node
from .wengert_list import WengertList
from .wengert_list import held as held
from .wording import counted


class Graph(Exchange, WengertList):
    """What a trace recorded: nodes in evaluation order, with their operands, values, scopes and origins.

    Its columns are those of the :class:`~.wengert_list.WengertList`.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: x * x + 1.0, 3.0)
    >>> graph, graph.inputs, graph.outputs, graph.operands(1), graph.literal(graph.operands(2)[1])
    (<Graph of <lambda>: 4 nodes, 3 edges>, [0], [3], (0, 0), 1.0)
    """

    def state(self) -> State:
        """Return the state before a sweep, which is empty: sweeps do not change the graph."""
        return {}

    def independence(self) -> str:
        """Return what to say where no result depends on any input; "" where one does."""
        if not self.inputs or any(self.live[index] for index in self.inputs):
            return ""
        names = [name for index in self.inputs if (name := self.name(index))]
        named = ", ".join(names) if len(names) == len(self.inputs) < 5 else "its arguments"
        return f"The result of {self.title} does not depend on {named}, so every derivative is 0."

    def local_jacobians(self, index: int) -> list[tuple[int, Any]]:
        """Return the operands of a node that are nodes, in order and with repeats, each with its local Jacobian.

        Operands that nothing is differentiated with respect to, such as indices that are nodes, are left out.
        """
        operands = self.operands(index)
        data = [self.values[operand] if operand >= 0 else self.literal(operand) for operand in operands]
        places = [place for place, operand in enumerate(operands) if operand >= 0]
        jacobians = self.blocks[index].local_jacobians(self.values[index], data, places)
        return [(operands[place], each) for place, each in zip(places, jacobians, strict=True) if each is not None]

    # ---- reach and paths ----

    def ancestors(self, index: int) -> set[int]:
        """Return all nodes that feed a node."""
        return set(reachable(self.operand_nodes(index), self.operand_nodes))

    def descendants(self, index: int) -> set[int]:
        """Return all nodes that a node feeds."""
        return set(reachable(self.users(index), self.users))

    def count_paths(self, start: int, end: int) -> int:
        """Count the paths from one node to another, repeated operands counted apart; 1 for a node to itself."""
        between = (self.descendants(start) & self.ancestors(end)) | {start, end}
        paths = {start: 1}
        for node in sorted(between):
            if node > start:
                paths[node] = sum(paths.get(operand, 0) for operand in self.operand_nodes(node))
        return paths.get(end, 0)

    # ---- sizes ----

    @property
    def depth(self) -> int:
        """Number of steps on the longest path."""
        return max(self.levels, default=0)

    @property
    def width(self) -> int:
        """Most nodes on one level, where a node's level is the longest path that leads to it."""
        return max(Counter(self.levels).values(), default=0)

    def summary(self) -> str:
        """Return sizes, counts by block and the nodes used most, as text."""
        held, work = f"{self.bytes:,} bytes held", counted((self.operations, "operation"))
        lines = [
            f"{self.title}: {len(self):,} nodes, {self.edges:,} edges",
            f"  inputs {len(self.inputs):,} · outputs {len(self.outputs):,} · dead {self.live.count(0):,}",
            f"  depth {self.depth:,} · width {self.width:,} · {held} · {work}",
            "  blocks: " + ", ".join(f"{name} {count:,}" for name, count in self.block_counts().items()),
            "  used most: " + ", ".join(self._used_most()),
        ]
        return "\n".join(lines)

    def _used_most(self) -> list[str]:
        """Return what is said of the nodes used most; those of one place that are used equally often are one entry."""
        columns = self.columns
        count = len(columns.places) + 1
        keys = (columns.times_used.astype(np.int64) * len(self.block_table) + columns.block) * count + columns.place + 1
        keys[self.inputs] = -1 - np.arange(len(self.inputs))
        _, first, alike = np.unique(keys, return_index=True, return_counts=True)
        order = np.lexsort((first, -columns.times_used[first]))[:5]
        pairs = zip(first[order].tolist(), alike[order].tolist(), strict=True)
        most = [(node, number) for node, number in pairs if self.times_used[node]]
        return [
            f"{label} {self.times_used[node]:,}×{f' in {number:,} nodes' if number > 1 else ''}"
            for label, (node, number) in zip(self.labels([node for node, _ in most]), most, strict=True)
        ]

    def labels(self, nodes: Sequence[int]) -> list[str]:
        """Return labels of nodes; those that repeat are told apart by the place in the source, and by number.

        >>> import adviz
        >>> adviz.trace(lambda x: x * x, 3.0).labels([0, 1])
        ['x (input)', 'v1 (multiply)']
        """
        origins = [self.origin(node) for node in nodes]
        files = short_names([place.file for place in origins if place])
        places = [f"{files[place.file]}:{place.line}" if place else "" for place in origins]
        numbered = [
            f"{place}, node {node:,}" if place else f"node {node:,}" for place, node in zip(places, nodes, strict=True)
        ]
        blocks = [f"{self.name(node) or f'v{node}'} ({self.blocks[node].name}" for node in nodes]
        return [f"{label})" for label in told_apart(blocks, places, numbered, joined="{}, {}")]

    @property
    def operations(self) -> int:
        """Floating-point operations of the evaluation, by the table of the Blocks: see :meth:`Block.operations`."""
        return int(self.columns.operations.sum())

    def block_counts(self) -> dict[str, int]:
        """Return number of nodes by name of block, the most frequent first."""
        return dict(Counter(block.name for block in self.blocks).most_common())

    def table(self) -> dict[str, Any]:
        """Return columns over the nodes, ready for ``pandas.DataFrame(graph.table())``."""
        table = self.nodes_table()
        shapes = [getattr(value, "shape", ()) for value in self.values]
        return {
            "node": array("i", range(len(self))),
            "name": table["name"].tolist(),
            "block": table["block"].tolist(),
            "shape": shapes,
            "bytes": array("q", table["bytes"].tolist()),
            "times_used": array("i", self.times_used),
            "live": table["live"].tolist(),
            "level": array("i", self.levels),
            "scope": table["scope"].tolist(),
            "file": table["file"].tolist(),
            "line": table["line"].tolist(),
        }

    # ---- questions ----

    @cached_property
    def columns(self) -> NodeColumns:
        """What can be asked of every node, as NumPy arrays, each computed once: ``graph.columns.bytes``."""
        return NodeColumns(self)

    def find(self, query: str) -> Nodes:
        """Return the nodes for which a query holds, in the order of evaluation; all of them for an empty query.

        The language is that of the Explorer's search box; docs/queries.md has its grammar. Raises
        :class:`~adviz.QueryError`, with the place of the character that is wrong.

        >>> import adviz
        >>> graph = adviz.trace(lambda x: x * x + 1.0, 3.0)
        >>> graph.find("block == add or times_used > 1").indices.tolist(), graph.find("value >= 9 not output")[0].value
        ([0, 2], 9.0)
        """
        return Nodes(self.columns, np.flatnonzero(holds(self.columns, parse(query))), query)

    def by(self, criterion: str) -> Groups:
        """Count the nodes by line, function, scope, iteration, block or shape, as a table.

        Its columns are nodes, bytes held, floating-point operations, uses and the share of all nodes; their sums are
        the figures of :meth:`summary`. By ``"iteration"``, iterations of a loop with equal contents are one row.
        Raises :class:`~adviz.graph.errors.OptionError` for another criterion.

        >>> import adviz
        >>> adviz.trace(lambda x: x * x + 1.0, 3.0).by("block")
        4 nodes of <lambda> by block
        block     nodes  bytes  operations  uses  share
        input         1      8           0     2  25.0%
        multiply      1      8           1     1  25.0%
        add           1      8           1     0  25.0%
        output        1      8           0     0  25.0%
        """
        return grouped(self.columns, criterion)

    def nodes_table(self) -> Table:
        """Return a row for each node: name, block, shape, bytes, operations, uses, depth, scope, file and line.

        >>> import adviz
        >>> adviz.trace(lambda x: x * x, 3.0).nodes_table()["times_used"].tolist()
        [2, 0, 0]
        """
        return nodes_table(self.columns)

    def edges_table(self) -> Table:
        """Return a row for each operand that is a node: tail, head, place, bytes, and whether it is a use.

        What outputs and dead nodes take is not a use: the uses are the edges of the graph.

        >>> import adviz
        >>> table = adviz.trace(lambda x: x * x, 3.0).edges_table()
        >>> table["tail"].tolist(), table["head"].tolist(), table["is_use"].tolist()
        ([0, 0, 1], [1, 1, 2], [True, True, False])
        """
        return edges_table(self.columns)

    # ---- pictures ----

    def to_graphviz(self) -> Any:
        """Return the graph as a ``graphviz.Digraph``; names are escaped."""
        import graphviz

        dot = graphviz.Digraph(name="adviz", graph_attr={"rankdir": "TB"}, node_attr={"shape": "box"})
        for node in self:
            style = {} if self.live[node.index] else {"style": "dashed"}
            dot.node(str(node.index), graphviz.escape(self.label(node.index)), **style)
            for operand in self.operand_nodes(node.index):
                dot.edge(str(operand), str(node.index))
        return dot
