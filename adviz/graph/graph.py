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
from pathlib import Path
from typing import Any

import numpy as np

from .errors import check_folder
from .files.container import write
from .files.graph_columns import columns_of
from .files.saved_sources import saved_function
from .files.saved_values import Keeping, Reading, are_saved, columns_of_objects, values_with_versions
from .queries.aggregates import Groups, grouped, short_names
from .queries.data_table import Table, csv_text, told_apart
from .queries.found_nodes import Nodes, edges_table, nodes_table
from .queries.node_columns import NodeColumns
from .queries.query_language import holds, parse
from .reach import reachable
from .timeline import State
from .versions import stored
from .wengert_list import ABSENT as ABSENT
from .wengert_list import WRITE as WRITE
from .wengert_list import Literal as Literal
from .wengert_list import Node as Node
from .wengert_list import WengertList
from .wengert_list import held as held
from .wording import counted


class Graph(WengertList):
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

    # ---- for other programs: files, tables, graphs of NetworkX, Graphviz ----

    def save(self, path: str | Path, *, values: bool = False) -> Path:
        """Save the graph, to be loaded by :func:`adviz.load`, and return the path.

        The file has the nodes, their operands, shapes, bytes, scopes and constants, and the source text of the
        functions, so that the graph is explored elsewhere as here. ``values=True`` saves the values of the nodes, too;
        without them the graph that is loaded can be measured, searched, compared and drawn, and not be differentiated.
        Blocks of your own are kept by name. The file has neither code nor pickles in it, and checksums all through.

        Raises :class:`~adviz.GraphFileError` for constants and values that are not made of numbers, and
        ``FileNotFoundError`` if there is no such folder.

        >>> import adviz, tempfile
        >>> graph = adviz.trace(lambda x: x * x, 3.0)
        >>> adviz.load(graph.save(tempfile.mkdtemp() + "/g.adviz")).block_counts() == graph.block_counts()
        True
        """
        return write(path, columns_of(self, values))

    def to_networkx(self) -> Any:
        """Return the graph as a ``networkx.MultiDiGraph``: an edge per operand, from what is used to where it is used.

        Nodes have the attributes ``name``, ``block``, ``shape``, ``bytes``, ``times_used``, ``live``, ``level``,
        ``scope`` and ``line``, as in :meth:`~adviz.Graph.table`; edges have ``place``, the number of the operand. The
        graph's own attributes are ``title``, ``inputs`` and ``outputs``.

        >>> import adviz
        >>> found = adviz.trace(lambda x: x * x, 3.0).to_networkx()
        >>> found.nodes[1]["block"], sorted(found.edges(data="place"))
        ('multiply', [(0, 1, 0), (0, 1, 1), (1, 2, 0)])
        """
        try:
            import networkx
        except ImportError as error:
            raise ImportError("NetworkX is not installed, which this needs: pip install networkx") from error

        result = networkx.MultiDiGraph(title=self.title, inputs=list(self.inputs), outputs=list(self.outputs))
        table = self.table()
        numbers = table.pop("node")
        rows = zip(*table.values(), strict=True)
        result.add_nodes_from((n, dict(zip(table, row, strict=True))) for n, row in zip(numbers, rows, strict=True))
        places = zip(*(column.tolist() for column in self.operand_rows), strict=True)
        result.add_edges_from((tail, head, {"place": place}) for tail, head, place in places)
        return result

    def to_dot(self) -> str:
        """Return the graph in the language of Graphviz; names are shown as text, whatever they contain.

        >>> import adviz
        >>> adviz.trace(lambda x: x * x, 3.0).to_dot().splitlines()[3:6]
        ['\\t0 [label="x (input)"]', '\\t1 [label="v1 (multiply)"]', '\\t0 -> 1']
        """
        return self.to_graphviz().source

    def to_csv(self, path: str | Path | None = None) -> str:
        """Write :meth:`~adviz.Graph.table` as CSV, with a column ``operands``: nodes by number, constants as written.

        With a ``path`` it is written to that file, too.

        >>> import adviz
        >>> [row[:20] for row in adviz.trace(lambda x: x * 2.0, 3.0).to_csv().splitlines()]
        ['node,name,block,oper', '0,x,input,,(),8,1,Tr', '1,,multiply,0 2.0,()', '2,,output,1,(),8,0,T']
        """
        table = self.table()
        first = {name: table.pop(name) for name in ("node", "name", "block")}
        table = {**first, "operands": [_written(self, node) for node in range(len(self))], **table}
        text = csv_text(table)
        if path is not None:
            check_folder(Path(path))
            Path(path).write_text(text, encoding="utf-8", newline="")
        return text

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

    # ---- pickle ----

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: functions as data, for code objects cannot be, and arrays with what they share."""
        state = {name: value for name, value in vars(self).items() if name not in _computed(type(self))}
        codes = {id(call.code): call.code for call in state["call_table"] if call.code is not None}
        functions = {number: saved_function(code) for number, code in codes.items()}
        state["call_table"] = [call._replace(code=functions.get(id(call.code))) for call in state["call_table"]]
        keeping = Keeping()
        for name in _objects(state):
            state[name] = columns_of_objects(name, stored(state[name]), keeping)
        return {**state, "memory": keeping.memory, "chains": keeping.chains}

    def __setstate__(self, state: dict[str, Any]) -> None:
        memory = state.pop("memory")
        reading = Reading("the pickle", b"".join(memory), list(map(len, memory)), state.pop("chains"))
        for name in _objects(state):
            columns, others = state[name]
            state[name] = values_with_versions(reading.objects(name, list(columns.values()), others))
        vars(self).update(state)

    def __copy__(self) -> Any:
        """Return a copy that shares all parts, and keeps the code objects."""
        result = object.__new__(type(self))
        vars(result).update(vars(self))
        return result


def _computed(kind: type) -> set[str]:
    return {name for each in kind.__mro__ for name, value in vars(each).items() if isinstance(value, cached_property)}


def _objects(state: dict[str, Any]) -> list[str]:
    """Return the attributes of a graph that are sequences of any objects."""
    values = state["values"]
    is_column = isinstance(values, array) or not are_saved(values)
    return ["literals"] if is_column else ["literals", "values"]


def _written(graph: Any, node: int) -> str:
    """Return the operands of a node in a cell of a table."""
    return " ".join(str(each) if each >= 0 else _short(graph.literal(each)) for each in graph.operands(node))


def _short(constant: Any) -> str:
    """Return a constant in few letters: an array by its shape."""
    shape = getattr(constant, "shape", ())
    return f"array{list(shape)}" if shape else "".join(repr(constant).split())
