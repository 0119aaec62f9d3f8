"""Saved graphs: loading them, with the Blocks that the tables have, and holding graphs to a budget."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ..graph.checked_graphs import load as load_with
from ..graph.errors import AdvizError, OptionError
from ..graph.files.container import MOST_BYTES
from ..graph.files.graph_columns import BlockName
from ..graph.graph import Graph
from ..graph.line_sizes import LineSizes, sizes_by_line, table_of_lines
from .blocks import Block, block_named
from .calls import check_call
from .trace import trace
from .trace_errors import MissingBlockError


class UnknownBlock(Block):
    """Stands for a Block that a file names and that is not in the tables, such as one of the user's own."""

    def __init__(self, name: str, family: str = "own", symbol: str | None = None):
        self.name, self.family, self.symbol = name, family, symbol or name

    def data_fn(self, *operands: Any, **settings: Any) -> Any:
        raise self._unknown()

    def get_jacobians(self, *operands: Any, **settings: Any) -> Any:
        raise self._unknown()

    def _unknown(self) -> MissingBlockError:
        return MissingBlockError(
            f"The graph was loaded from a file, which has the Block {self.name} by name only: it can be looked at, and "
            "not be computed or differentiated. Trace the function again for that."
        )


def load(path: str | Path, *, most_bytes: int = MOST_BYTES) -> Graph:
    """Load a graph that ``graph.save(path)`` wrote.

    It is explored, measured, drawn and compared as the graph that was traced, on any machine; if it was saved with
    ``values=True``, it is differentiated, too. ``most_bytes`` is what it may take in memory. Everything in the file is
    checked, none of it is run. Blocks of your own come back as names: what needs their functions is refused.

    Raises :class:`~adviz.GraphFileError`, with the place, for a file that is no graph, is damaged, of another version
    or too large.

    >>> import tempfile, adviz
    >>> path = adviz.trace(lambda x: x * x, 3.0).save(tempfile.mkdtemp() + "/square.adviz", values=True)
    >>> load(path)[1].value, load(path).origin(1).text
    (9.0, 'x * x')
    """
    return load_with(path, _block, most_bytes)


def _block(name: BlockName) -> Block:
    """Return the Block of the tables with a name, or what stands for one that is in none."""
    try:
        return block_named(name.name, name.number)
    except MissingBlockError:
        return UnknownBlock(name.name, name.family, name.symbol)


# ---- budgets ----


MOST_LINES = 8
"""The most lines of the source that an error lists for each measure."""


class Measure(NamedTuple):
    """What has a limit: how much of it a graph has, how much a line of the source has, and how it is called."""

    of_graph: Callable[[Graph], int]
    of_line: Callable[[LineSizes], int]
    words: str


MEASURES = {
    "nodes": Measure(len, lambda line: line.nodes, "nodes"),
    "bytes": Measure(lambda graph: graph.bytes, lambda line: line.bytes, "bytes"),
    "times_used": Measure(
        lambda graph: max(graph.times_used, default=0), lambda line: line.times_used, "uses of one value"
    ),
    "operations": Measure(lambda graph: graph.operations, lambda line: line.operations, "floating-point operations"),
}


class Excess(NamedTuple):
    """A measure that exceeds its limit."""

    measure: str
    found: int
    limit: int


class BudgetError(AdvizError, AssertionError):
    """A graph is larger than its budget; ``exceeded`` has the measures with their limits, ``graph`` is the graph.

    >>> import adviz
    >>> try:
    ...     adviz.budget(lambda x: x * x + x, 3.0, nodes=3)
    ... except BudgetError as error:
    ...     print(error.exceeded)
    [Excess(measure='nodes', found=4, limit=3)]
    """

    def __init__(self, message: str, exceeded: list[Excess], graph: Graph):
        super().__init__(message)
        self.exceeded, self.graph = exceeded, graph

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.exceeded, self.graph)


def budget(
    f: Callable[..., Any] | Graph,
    /,
    *args: Any,
    nodes: int | None = None,
    bytes: int | None = None,
    times_used: int | None = None,
    operations: int | None = None,
    grain: str = "array",
    **settings: Any,
) -> Graph:
    """Trace ``f(*args, **settings)`` and return its graph, if it is no larger than its budget.

    ``nodes`` is the most nodes that it may have, ``bytes`` the most bytes that its values may hold, ``times_used`` the
    most uses of any value, and ``operations`` the most floating-point operations. A
    :class:`~adviz.Graph` in the place of ``f`` is measured as it is.

    Raises :class:`~adviz.BudgetError`, with a table of the lines of the source that make most, if it is larger, and
    ``OptionError`` if there is no limit at all or one that is no whole number.

    >>> budget(lambda x: x * x, 3.0, nodes=3, bytes=1000)
    <Graph of <lambda>: 3 nodes, 2 edges>
    """
    limits = {"nodes": nodes, "bytes": bytes, "times_used": times_used, "operations": operations}
    if isinstance(f, Graph):
        if args or settings:
            raise OptionError("A graph is measured as it is: leave the arguments out.")
        graph = f
    else:
        check_call("budget", f, args, settings, ["grain", *limits])
        graph = trace(f, *args, grain=grain, **settings)
    exceeded = _exceeded(graph, limits)
    if exceeded:
        raise BudgetError(_told(graph, exceeded), exceeded, graph)
    return graph


def _exceeded(graph: Graph, limits: dict[str, int | None]) -> list[Excess]:
    given = {name: limit for name, limit in limits.items() if limit is not None}
    if not given:
        raise OptionError(f"budget needs a limit: {', '.join(f'{name}=…' for name in limits)}")
    for name, limit in given.items():
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 0:
            raise OptionError(f"{name} is {limit!r}; it is the most that there may be, a whole number")
    result = [Excess(name, MEASURES[name].of_graph(graph), limit) for name, limit in given.items()]
    return [each for each in result if each.found > each.limit]


def _told(graph: Graph, exceeded: list[Excess]) -> str:
    """Return the measures that exceed their limits, each with the lines that make most of it."""
    lines = [f"The graph of {graph.title} is larger than its budget."]
    by_line = sizes_by_line(graph)
    for each in exceeded:
        measure = MEASURES[each.measure]
        lines.append(f"  {each.found:,} {measure.words}, and {each.limit:,} are allowed:")
        most = sorted(by_line, key=measure.of_line, reverse=True)
        rows = [(f"{measure.of_line(line):,}", line.place) for line in most[:MOST_LINES] if measure.of_line(line)]
        lines += [f"    {row}" for row in table_of_lines(rows, (each.measure, "line"))]
        if len(most) > MOST_LINES:
            lines.append(f"    … and {len(most) - MOST_LINES:,} more lines")
    return "\n".join(lines)
