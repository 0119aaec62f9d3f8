"""What a graph takes: what fits into a budget, the values in memory at the same time, the times of its operations.

And saved graphs: loading them, with the Blocks that the tables have.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from linecache import getline
from pathlib import Path
from time import perf_counter_ns
from typing import Any, NamedTuple

import numpy as np

from ..graph.checked_graphs import load as load_with
from ..graph.errors import AdvizError, OptionError
from ..graph.files.container import MOST_BYTES
from ..graph.files.graph_columns import BlockName
from ..graph.graph import Graph, Node
from ..graph.line_sizes import LineSizes, sizes_by_line, table_of_lines
from ..graph.versions import stored
from .blocks import INPUT, OUTPUT, Block, block_named
from .calls import check_call
from .trace import trace
from .trace_errors import InputError, MissingBlockError


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


# ---- memory ----


class Holder(NamedTuple):
    """What is in memory: the value of a node, or its adjoint, and the bytes of that."""

    node: Node
    what: str
    bytes: int


@dataclass(frozen=True)
class LiveBytes:
    """The bytes in memory, step by step; see :func:`live_bytes`.

    ``bytes`` has an entry for each step: ``bytes[k]`` while node ``k`` is evaluated, and with its gradient
    ``bytes[2 * n - 1 - k]`` while the reverse sweep is at node ``k`` of ``n``. Value or adjoint ``i`` belongs to node
    ``owners[i]``, has ``sizes[i]`` bytes, and is there from step ``begins[i]`` to step ``ends[i]``.
    """

    graph: Graph
    with_gradient: bool
    owners: np.ndarray
    sizes: np.ndarray
    begins: np.ndarray
    ends: np.ndarray
    values: int
    """How many of these are values; adjoints come after them."""

    @cached_property
    def bytes(self) -> np.ndarray:
        """The bytes in memory at each step."""
        steps = len(self.graph) * (2 if self.with_gradient else 1)
        change = np.zeros(steps + 1, np.int64)
        np.add.at(change, self.begins, self.sizes)
        np.add.at(change, self.ends + 1, -self.sizes)
        return np.cumsum(change[:-1])

    @property
    def peak(self) -> int:
        """The most bytes at one step."""
        return int(self.bytes.max(initial=0))

    @property
    def peak_at(self) -> int:
        """The first step with the most bytes."""
        return int(self.bytes.argmax()) if len(self.bytes) else 0

    def node_at(self, step: int) -> Node:
        """Return the node that a step is about."""
        count = len(self.graph)
        return self.graph[step if step < count else 2 * count - 1 - step]

    def holders(self, step: int | None = None, most: int = 10) -> list[Holder]:
        """Return what is in memory at a step, at the peak unless said: the largest first, at most so many.

        >>> import adviz
        >>> live = live_bytes(adviz.trace(lambda x: np.sum(np.exp(x) * x), np.ones(100)), gradient=True)
        >>> [(each.what, each.node.name or each.node.block.name, each.bytes) for each in live.holders(most=3)]
        [('value', 'x', 800), ('value', 'exp', 800), ('value', 'multiply', 800)]
        """
        return [
            Holder(self.graph[int(self.owners[k])], "value" if k < self.values else "adjoint", int(self.sizes[k]))
            for k in self._there(step)[:most]
        ]

    def holding(self, step: int | None = None) -> np.ndarray:
        """Return the numbers of the nodes with a value or an adjoint in memory at a step, at the peak unless said.

        Each is there once, the one with the largest first.

        >>> import adviz
        >>> live_bytes(adviz.trace(lambda x: np.sum(np.exp(x) * x), np.ones(100))).holding().tolist()
        [0, 1, 2]
        """
        nodes = self.owners[self._there(step)]
        _, first = np.unique(nodes, return_index=True)
        return nodes[np.sort(first)]

    def _there(self, step: int | None) -> np.ndarray:
        """Return what is in memory at a step, the largest first."""
        at = self.peak_at if step is None else step
        there = np.flatnonzero((self.begins <= at) & (at <= self.ends))
        return there[np.argsort(-self.sizes[there], kind="stable")]

    def __repr__(self) -> str:
        when = "with its gradient" if self.with_gradient else "while it is evaluated"
        return f"<LiveBytes of {self.graph.title}, {when}: at most {self.peak:,} of {int(self.sizes.sum()):,} bytes>"


def live_bytes(graph: Graph, gradient: bool = False) -> LiveBytes:
    """Return the bytes that are in memory at each step of an evaluation, and who holds them.

    A value is kept until its last use, a result to the end; arrays that share memory count once. With the
    ``gradient``, values are kept until the reverse sweep has come back to their node, and the adjoint of a node is
    there from its first contribution until the sweep has been at the node; those of the inputs stay.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: np.sum(np.exp(x) * x), np.ones(1000))
    >>> live_bytes(graph).peak, live_bytes(graph, gradient=True).peak
    (24000, 48000)
    """
    count = len(graph)
    owner, sizes = _owners(graph)
    last = _last_uses(graph, gradient)
    begins = np.full(count, count)
    ends = np.full(count, -1)
    np.minimum.at(begins, owner, np.arange(count))
    np.maximum.at(ends, owner, last)
    held = np.flatnonzero(sizes)
    if not gradient:
        return LiveBytes(graph, False, held, sizes[held], begins[held], ends[held], len(held))
    of_values = held, sizes[held], begins[held], 2 * count - 1 - begins[held]
    both = zip(of_values, _adjoints(graph, last), strict=True)
    nodes, sizes, begins, ends = (np.concatenate(pair) for pair in both)
    return LiveBytes(graph, True, nodes, sizes, begins, ends, len(held))


def _owners(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """For each node the one that first held the memory of its value, and the bytes of those that are owners."""
    count = len(graph)
    owner, sizes = np.arange(count), np.full(count, 8, np.int64)
    if isinstance(graph.values, array):
        return owner, sizes
    first: dict[int, int] = {}
    for index, value in enumerate(stored(graph.values)):
        if not hasattr(value, "nbytes"):
            continue
        while hasattr(getattr(value, "base", None), "nbytes"):
            value = value.base
        owner[index] = first.setdefault(id(value), index)
        sizes[index] = value.nbytes if owner[index] == index else 0
    return owner, sizes


def _last_uses(graph: Graph, only_live: bool) -> np.ndarray:
    """Return the last node that uses each; a result is used to the end, and what nothing uses by itself."""
    count = len(graph)
    last, users = np.arange(count), np.arange(count)
    is_live = np.frombuffer(graph.live, np.uint8) != 0 if only_live else np.ones(count, bool)
    for column in (graph.first, graph.second):
        operands = np.frombuffer(column, np.dtype(column.typecode)) if count else np.zeros(0, int)
        chosen = (operands >= 0) & is_live
        np.maximum.at(last, operands[chosen], users[chosen])
    for user, further in graph.rest.items():
        for operand in further:
            if operand >= 0 and is_live[user]:
                last[operand] = max(last[operand], user)
    last[graph.outputs] = count - 1
    return last


def _adjoints(graph: Graph, last: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the nodes that get an adjoint, its bytes, and the steps from which and to which it is there."""
    count = len(graph)
    nodes = np.flatnonzero(np.frombuffer(graph.live, np.uint8))
    sizes = np.full(len(nodes), 8, np.int64)
    if not isinstance(graph.values, array):
        nodes = nodes[[_is_real(graph, k) for k in nodes]]
        sizes = np.array([getattr(graph.values[int(k)], "nbytes", 8) for k in nodes], np.int64)
    ends = 2 * count - 1 - nodes
    ends[np.isin(nodes, graph.inputs)] = 2 * count - 1
    return nodes, sizes, 2 * count - 1 - last[nodes], ends


def _is_real(graph: Graph, index: Any) -> bool:
    value = graph.values[int(index)]
    return getattr(getattr(value, "dtype", None), "kind", "f") == "f"


# ---- times ----


LEAST, MOST = 5, 1000
"""How often an evaluation of all nodes is repeated, at least and at most."""


class LineTime(NamedTuple):
    """A line of the user's source: the nodes that it made, their seconds, and the share of the whole."""

    file: str
    line: int
    text: str
    nodes: int
    seconds: float
    share: float


@dataclass(frozen=True)
class Profile:
    """The seconds that each node of a graph takes; see :func:`profile`.

    ``seconds`` has an entry per node, the median of ``repeats`` measurements less ``overhead``, the seconds that the
    measurement of nothing takes, and never less than 0; ``spread`` is half of the distance between the quartiles.
    ``called`` are the seconds of a call of the function itself.
    """

    graph: Graph
    seconds: np.ndarray
    spread: np.ndarray
    overhead: float
    repeats: int
    called: float

    @property
    def total(self) -> float:
        """The seconds of all nodes together."""
        return float(self.seconds.sum())

    def slowest(self, most: int = 10) -> list[tuple[Node, float]]:
        """Return the nodes that take longest, each with its seconds."""
        return [(self.graph[int(k)], float(self.seconds[k])) for k in np.argsort(-self.seconds, kind="stable")[:most]]

    def lines(self) -> list[LineTime]:
        """Return the lines of the source, the slowest first."""
        seconds: dict[tuple[str, int], float] = defaultdict(float)
        nodes: dict[tuple[str, int], int] = defaultdict(int)
        texts: dict[tuple[str, int], str] = {}
        for index, time in enumerate(self.seconds):
            if (place := self.graph.origin(index)) is not None:
                key = place.file, place.line
                seconds[key] += float(time)
                nodes[key] += 1
                texts.setdefault(key, getline(place.file, place.line).strip())
        total = self.total or 1.0
        ordered = sorted(seconds, key=lambda key: (-seconds[key], key))
        return [LineTime(*key, texts[key], nodes[key], seconds[key], seconds[key] / total) for key in ordered]

    def __str__(self) -> str:
        head = (
            f"{self.graph.title}: {_text(self.total)} in {len(self.graph):,} nodes, medians of {self.repeats:,} "
            f"repeats; {_text(self.overhead)} for measuring a node are subtracted. A call takes {_text(self.called)}."
        )
        rows = [
            f"  {each.share:6.1%}  {_text(each.seconds):>8}  {each.nodes:>6,} nodes  line {each.line}: {each.text}"
            for each in self.lines()[:10]
        ]
        return "\n".join([head, *rows])

    def __repr__(self) -> str:
        return f"<Profile of {self.graph.title}: {_text(self.total)} in {len(self.graph):,} nodes>"


def profile(f: Callable[..., Any], *args: Any, grain: str = "array", seconds: float = 1.0) -> Profile:
    """Measure the time that each node of ``f`` takes, by repeating its operation at the values of a trace.

    All nodes are evaluated one after the other, as often as fits into about so many ``seconds``, and at least five
    times. What is measured is the operation on plain arrays, as it is without a trace; what Python does between the
    operations is not, so that the whole is less than a call of ``f`` takes, which is told as well. In the scalar grain
    nodes take less time than their measurement, and figures are rough.

    Raises :class:`~adviz.InputError` for a time that is not positive.

    >>> import adviz
    >>> timed = profile(lambda a: np.sum(a @ a), np.ones((300, 300)), seconds=0.05)
    >>> timed.slowest(1)[0][0].block.name, len(timed.seconds) == len(timed.graph)
    ('matmul', True)
    """
    if not seconds > 0:
        raise InputError(f"profile measures for a positive number of seconds, not {seconds!r}.")
    graph = trace(f, *args, grain=grain)
    steps = [_operation(graph, index) for index in range(len(graph))]
    called, rounds = [_timed(f, deepcopy(args))], [_round(steps)]
    whole = max(int(rounds[0].sum()) + called[0], 1)
    repeats = int(min(max(1e9 * seconds / whole, LEAST), MOST))
    while len(rounds) < repeats:
        called.append(_timed(f, deepcopy(args)))  # f may write into them
        rounds.append(_round(steps))
    overhead = float(np.median([_timed(_nothing, ()) for _ in range(1000)]))
    low, middle, high = np.percentile(np.array(rounds), [25, 50, 75], axis=0)
    is_measured = np.array([step is not None for step in steps])
    times = np.where(is_measured, np.maximum(middle - overhead, 0.0), 0.0)
    return Profile(graph, times / 1e9, (high - low) / 2e9, overhead / 1e9, repeats, float(np.median(called)) / 1e9)


def _operation(graph: Graph, index: int) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
    """Return what computes a node, and its operands; nothing for inputs and outputs."""
    block = graph.blocks[index]
    if block in (INPUT, OUTPUT):
        return None
    operands = graph.operands(index)
    return block.compute, tuple(graph.values[each] if each >= 0 else graph.literal(each) for each in operands)


def _round(steps: list[tuple[Callable[..., Any], tuple[Any, ...]] | None]) -> np.ndarray:
    """Return the nanoseconds of all operations, one after the other."""
    with np.errstate(all="ignore"):
        return np.array([0 if step is None else _timed(*step) for step in steps])


def _timed(function: Callable[..., Any], args: tuple[Any, ...]) -> int:
    start = perf_counter_ns()
    function(*args)
    return perf_counter_ns() - start


def _nothing() -> None:
    """What is measured to know how long measuring takes."""


def _text(seconds: float) -> str:
    """Seconds in a unit that is easy to read."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
