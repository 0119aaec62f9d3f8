"""Graphs for other programs: files, tables, graphs of NetworkX, Graphviz."""

from __future__ import annotations

import csv
import io
from array import array
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from .errors import check_folder
from .files.graph_columns import save
from .files.saved_sources import saved_function
from .files.saved_values import Keeping, Reading, are_saved, columns_of_objects, values_with_versions
from .versions import stored


class Exchange:
    """What a :class:`~adviz.Graph` can be turned into."""

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
        return save(self, path, values)

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

        graph: Any = self
        result = networkx.MultiDiGraph(title=graph.title, inputs=list(graph.inputs), outputs=list(graph.outputs))
        table = graph.table()
        numbers = table.pop("node")
        rows = zip(*table.values(), strict=True)
        result.add_nodes_from((n, dict(zip(table, row, strict=True))) for n, row in zip(numbers, rows, strict=True))
        places = zip(*(column.tolist() for column in graph.operand_rows), strict=True)
        result.add_edges_from((tail, head, {"place": place}) for tail, head, place in places)
        return result

    def to_dot(self) -> str:
        """Return the graph in the language of Graphviz; names are shown as text, whatever they contain.

        >>> import adviz
        >>> adviz.trace(lambda x: x * x, 3.0).to_dot().splitlines()[3:6]
        ['\\t0 [label="x (input)"]', '\\t1 [label="v1 (multiply)"]', '\\t0 -> 1']
        """
        graph: Any = self
        return graph.to_graphviz().source

    def to_csv(self, path: str | Path | None = None) -> str:
        """Write :meth:`~adviz.Graph.table` as CSV, with a column ``operands``: nodes by number, constants as written.

        With a ``path`` it is written to that file, too.

        >>> import adviz
        >>> [row[:20] for row in adviz.trace(lambda x: x * 2.0, 3.0).to_csv().splitlines()]
        ['node,name,block,oper', '0,x,input,,(),8,1,Tr', '1,,multiply,0 2.0,()', '2,,output,1,(),8,0,T']
        """
        graph: Any = self
        table = graph.table()
        first = {name: table.pop(name) for name in ("node", "name", "block")}
        table = {**first, "operands": [_written(graph, node) for node in range(len(graph))], **table}
        text = csv_text(table)
        if path is not None:
            check_folder(Path(path))
            Path(path).write_text(text, encoding="utf-8", newline="")
        return text

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


def csv_text(table: Mapping[str, Iterable[Any]]) -> str:
    """Return columns as CSV.

    >>> csv_text({"node": [0, 1], "shape": [(), (2, 3)]})
    'node,shape\\n0,()\\n1,"(2, 3)"\\n'
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return text.getvalue()


def _computed(kind: type) -> set[str]:
    """Return the names of cached properties."""
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
