"""Time per node: each operation of a graph is repeated at the values that were recorded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from linecache import getline
from time import perf_counter_ns
from typing import Any, NamedTuple

import numpy as np

from ...graph.graph import Graph, Node
from ..blocks import INPUT, OUTPUT
from ..trace import trace
from ..trace_errors import InputError

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
    >>> found = profile(lambda a: np.sum(a @ a), np.ones((300, 300)), seconds=0.05)
    >>> found.slowest(1)[0][0].block.name, len(found.seconds) == len(found.graph)
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
