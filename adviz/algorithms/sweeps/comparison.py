"""What each reverse sweep costs, side by side, read off the Steps."""

from __future__ import annotations

import html
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from ...graph.errors import OptionError
from ...graph.graph import Graph
from ...graph.timeline import Step
from .backward import parallel_tape, rank_heap, recursion, tape, toposort, use_counts
from .forward import lazy_evaluation
from .primitives import memory
from .seeds import GivenSeeds, checked_seeds

Engine = Callable[..., Iterator[Step]]
"""A reverse sweep: a function of a graph and seeds."""
FIGURES = "visits skips edges counts multiplications additions comparisons stored peak".split()

ENGINES: dict[str, Engine] = {
    "recursion": recursion,
    "tape": tape,
    "tape with flags": partial(tape, flags=True),
    "toposort": toposort,
    "rank_heap": rank_heap,
    "use_counts": use_counts,
}
"""The reverse sweeps, by name."""


class Meter:
    """Figures of a sweep so far: add the Steps in order, read the figures at any time.

    ``visits`` (turns of nodes), ``skips`` (turns without work), ``edges`` (on which a product has travelled; those to
    ``outputs`` are no uses, and are not counted), ``counts`` (of uses, and of contributions where they are counted
    apart), ``multiplications``, ``additions``, ``comparisons``; the ``bytes`` alive (stored, adjoints, tangents,
    products and values; memory that several keys hold is counted once), how many of them the forward pass has
    ``stored``, and the ``peak`` so far.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: x * x, 3.0)
    >>> meter = Meter(graph.outputs)
    >>> for step in toposort(graph):
    ...     meter.add(step)
    >>> meter.visits, meter.edges, meter.multiplications, meter.bytes, meter.peak
    (3, 2, 2, 24, 40)
    """

    def __init__(self, outputs: Iterable[int] = ()) -> None:
        self.outputs = frozenset(outputs)
        self.visits = self.skips = self.edges = self.counts = 0
        self.multiplications = self.additions = self.comparisons = 0
        self.bytes = self.stored = self.peak = 0
        self._holders: dict[int, int] = {}

    def add(self, step: Step) -> None:
        """Count one more Step."""
        self.visits += step.kind == "visit"
        self.skips += step.kind == "skip"
        self.edges += step.kind == "product" and self.outputs.isdisjoint(step.focus)
        self.counts += step.kind == "count"
        self.multiplications += step.multiplications
        self.additions += step.additions
        self.comparisons += step.comparisons
        for key, before, after in step.edits:
            self._hold(key, after, 1)
            self._hold(key, before, -1)
        self.peak = max(self.peak, self.bytes)

    def _hold(self, key: Hashable, value: Any, change: int) -> None:
        """Count one more holder of a value (``change`` 1), or one fewer (-1)."""
        word = _word(key)
        if value is None or word not in HOLDERS:
            return
        if word == "stored":
            self.stored += change * value
            self.bytes += change * value
            return
        owner, size = memory(value)
        if owner is not None:
            before = self._holders.get(owner, 0)
            self._holders[owner] = before + change
            change = (before + change > 0) - (before > 0)
        self.bytes += change * size


HOLDERS = {"stored", "adjoint", "product", "tangent", "value"}


def _word(key: Any) -> Any:
    if not isinstance(key, tuple):
        return "value"
    return _word(key[2]) if key[0] == "device" else key[0]


class Comparison:
    """Figures of several engines: ``rows`` (one dict each), ``table()`` (columns, ready for ``pandas.DataFrame``)."""

    def __init__(self, title: str, rows: list[dict[str, Any]]):
        self.title, self.rows = title, rows

    def __getitem__(self, engine: str) -> dict[str, Any]:
        return {row["engine"]: row for row in self.rows}[engine]

    @property
    def heading(self) -> str:
        """The first line of the table."""
        return self.title

    def table(self) -> dict[str, list[Any]]:
        """Return the columns."""
        return {name: [row[name] for row in self.rows] for name in self.rows[0]} if self.rows else {}

    def __repr__(self) -> str:
        lines = [[name, *map(_text, column)] for name, column in self.table().items()]
        widths = [max(map(len, line)) for line in lines]
        columns = [[entry.rjust(width) for entry in line] for line, width in zip(lines, widths, strict=True)]
        columns[:1] = [[entry.ljust(width) for entry in line] for line, width in zip(lines[:1], widths, strict=False)]
        title = [self.heading] if self.heading else []
        return "\n".join([*title, *("  ".join(line).rstrip() for line in zip(*columns, strict=True))])

    def _repr_html_(self) -> str:
        columns = self.table()
        head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_text(entry))}</td>" for entry in row.values()) + "</tr>"
            for row in self.rows
        )
        return f"<table><caption>{html.escape(self.heading)}</caption><tr>{head}</tr>{body}</table>"


def _text(entry: Any) -> str:
    if entry is None or isinstance(entry, bool):
        return {None: "", True: "yes", False: "no"}[entry]
    return f"{entry:,}" if isinstance(entry, int) else str(entry)


def compare(
    graph: Graph,
    engines: Iterable[str] | Mapping[str, Engine] = tuple(ENGINES),
    seeds: GivenSeeds = None,
) -> Comparison:
    """Compare what each engine evaluates, visits, computes and keeps for the same outputs of the same graph.

    ``engines`` are names in ``ENGINES``, or engines by name. The columns: values evaluated where evaluation is
    immediate, and where it is lazy (``lazily``); the figures of :class:`Meter`, where ``left`` are the bytes alive at
    the end. Raises :class:`~.seeds.SeedError`, and ``ValueError`` for an unknown name.

    >>> import adviz
    >>> table = compare(adviz.trace(lambda x: x * x, 3.0), ["tape", "toposort"])
    >>> table["toposort"]["peak"]
    40
    >>> [(row["engine"], row["edges"], row["counts"], row["additions"]) for row in table.rows]
    [('tape', 2, 0, 3), ('toposort', 2, 4, 1)]
    """
    chosen = dict(engines) if isinstance(engines, Mapping) else _named(engines)
    outputs = list(checked_seeds(graph, seeds).adjoints)
    return Comparison(graph.title, [_row(graph, name, engine, seeds, outputs) for name, engine in chosen.items()])


def _named(names: Iterable[str]) -> dict[str, Engine]:
    wanted = [names] if isinstance(names, str) else list(names)
    unknown = [name for name in wanted if name not in ENGINES]
    if unknown:
        raise OptionError(f"no engine is called {unknown[0]!r}; there are {', '.join(ENGINES)}")
    return {name: ENGINES[name] for name in wanted}


def _row(graph: Graph, name: str, engine: Engine, seeds: GivenSeeds, outputs: list[int]) -> dict[str, Any]:
    meter = Meter(graph.outputs)
    for step in engine(graph, seeds):
        meter.add(step)
    on_demand = getattr(engine, "func", engine) not in (tape, parallel_tape)
    lazily = sum(1 for _ in lazy_evaluation(graph, outputs, on_demand=on_demand))
    figures = {figure: getattr(meter, figure) for figure in FIGURES}
    return {"engine": name, "evaluated": len(graph), "lazily": lazily, **figures, "left": meter.bytes}
