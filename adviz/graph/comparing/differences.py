"""What differs between two graphs, as a table, and by line of the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from html import escape
from typing import Any, NamedTuple

import numpy as np

from ..files.saved_values import outlines_of
from ..graph import ABSENT, Graph
from ..ipython import cell
from ..origins import Origin, place_called
from ..queries.aggregates import short_names
from ..wording import counted, few, literal
from .alignment import Side, partners

# ---- constants ----


class ComparedConstants:
    """The constants of two graphs as numbers, equal for constants that are the same."""

    def __init__(self, before: Graph, after: Graph):
        known: dict[Any, int] = {}
        self.sides = before, after
        self._numbers = [
            np.array([known.setdefault(_key(each), len(known)) for each in graph.literals], np.int64)
            for graph in self.sides
        ]

    def are_other(self, nodes: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Return which nodes of the first graph take a constant where their partners take another constant."""
        (first, second, more), partners = self._columns(0, nodes), self._columns(1, others)
        result = np.zeros(len(nodes), bool)
        for one, other in ((first, partners[0]), (second, partners[1])):
            result |= (one >= 0) & (other >= 0) & (one != other)
        for place in np.flatnonzero(more >= 0).tolist():
            result[place] |= any(True for _ in self._changes(int(nodes[place]), int(others[place])))
        return result

    def columns(self, nodes: np.ndarray, others: np.ndarray) -> list[np.ndarray]:
        """Return what is said of the constants of pairs of nodes, as numbers that are equal where the same is said."""
        return [*self._columns(0, nodes), *self._columns(1, others)]

    def _columns(self, side: int, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the constants that nodes take as first and second operand, and nodes that have more; else -1."""
        rest = np.isin(nodes, list(self.sides[side].rest))
        return self._column(side, "first", nodes), self._column(side, "second", nodes), np.where(rest, nodes, -1)

    def _column(self, side: int, name: str, nodes: np.ndarray) -> np.ndarray:
        """Return the constants that nodes take as first or second operand, -1 where it is a node or there is none."""
        operands = np.asarray(getattr(self.sides[side], name))[nodes]
        return np.where(operands < ABSENT, self._numbers[side][~np.minimum(operands, ABSENT)], -1)

    def _changes(self, node: int, other: int) -> Iterator[tuple[int, int]]:
        """Yield the operands of a node and of another one that are constants, and not the same one."""
        one, two = self._numbers
        for operand, partner in zip(self.sides[0].operands(node), self.sides[1].operands(other), strict=False):
            if operand < ABSENT and partner < ABSENT and one[~operand] != two[~partner]:
                yield operand, partner

    def told(self, node: int, other: int) -> str:
        """Return the constants of a node that are others in the other graph, before and after: ``2 → 3``."""
        changes = [
            f"{literal(self.sides[0].literal(one))} → {literal(self.sides[1].literal(two))}"
            for one, two in self._changes(node, other)
        ]
        return ", ".join(few(changes, "…"))


def _key(value: Any) -> Any:
    """Return what is equal for constants that are the same: numbers, texts, arrays and what is made of them."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int | float | complex) and not isinstance(value, bool):
        return value if value == value else "NaN"  # which is not equal to itself; 2 is the same as 2.0
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes() if value.dtype != object else repr(value)
    if isinstance(value, tuple | list):
        return type(value), tuple(map(_key, value))
    if isinstance(value, slice):
        return slice, tuple(map(_key, (value.start, value.stop, value.step)))
    if isinstance(value, bool | str | bytes | type(None) | type(Ellipsis)):
        return type(value), value
    return type(value).__name__  # functions, for example, which are made anew by each run


# ---- the table ----


KINDS = {
    "added": "only in the second graph",
    "removed": "only in the first graph",
    "replaced": "computed by another Block",
    "resized": "of another shape or dtype",
    "rewired": "computed from other nodes",
    "with other constants": "with a constant operand that differs",
    "used more": "with more uses as operands",
    "used less": "with fewer uses as operands",
    "moved": "made by another line of its function, or in another function",
}
"""The kinds of differences. A node that is in both graphs may differ in several ways."""
EDITS = ("added", "removed", "replaced")
MOST_LINES = 12
"""The most lines of each kind that are printed."""


class Difference(NamedTuple):
    """A difference: its kind, and the node in the first and in the second graph, ``None`` where there is none."""

    kind: str
    before: int | None
    after: int | None


class Comparison:
    """Two graphs, which node of one is which of the other, and what differs; made by :func:`adviz.compare_graphs`.

    ``partners`` has for each node of ``before`` its partner in ``after``, -1 for none.
    """

    def __init__(self, before: Graph, after: Graph):
        self.before, self.after = before, after
        self.partners = partners(before, after)

    @cached_property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """The nodes that have a partner, and their partners."""
        nodes = np.flatnonzero(self.partners >= 0)
        return nodes, self.partners[nodes]

    @cached_property
    def nodes(self) -> dict[str, np.ndarray]:
        """For each of ``KINDS`` an array with a row per difference: the node before and after, -1 for none."""
        one, other = self.pairs
        is_found = np.zeros(len(self.after), bool)
        is_found[other] = True
        added, removed = np.flatnonzero(~is_found), np.flatnonzero(self.partners < 0)
        uses, others = (np.frombuffer(graph.times_used, np.int32) for graph in (self.before, self.after))
        differ = {
            "replaced": self._are_replaced(),
            "resized": self._are_resized(),
            "rewired": self._are_rewired(is_found),
            "with other constants": self.constants.are_other(one, other),
            "used more": others[other] > uses[one],
            "used less": others[other] < uses[one],
            "moved": self._are_moved(),
        }
        return {
            "added": np.stack([np.full(len(added), -1), added], axis=1),
            "removed": np.stack([removed, np.full(len(removed), -1)], axis=1),
            **{kind: np.stack([one[mask], other[mask]], axis=1) for kind, mask in differ.items()},
        }

    @cached_property
    def constants(self) -> ComparedConstants:
        """The constants of both graphs."""
        return ComparedConstants(self.before, self.after)

    def _are_replaced(self) -> np.ndarray:
        known: dict[Any, int] = {}
        one, other = (Side(graph, known).blocks for graph in (self.before, self.after))
        return one[self.pairs[0]] != other[self.pairs[1]]

    def _are_resized(self) -> np.ndarray:
        known: dict[Any, int] = {}
        one, other = (_outlines(graph, known) for graph in (self.before, self.after))
        return one[self.pairs[0]] != other[self.pairs[1]]

    def _are_rewired(self, is_found: np.ndarray) -> np.ndarray:
        """Return which nodes have operands that are not partners, and both have one: others were added or removed."""
        one, other = self.pairs
        result = np.zeros(len(one), bool)
        for name in ("first", "second"):
            result |= self._is_other(
                np.asarray(getattr(self.before, name))[one], np.asarray(getattr(self.after, name))[other], is_found
            )
        place = np.full(len(self.before), -1)
        place[one] = np.arange(len(one))
        for node, operands in self.before.rest.items():
            if place[node] >= 0:
                others = self.after.rest.get(int(self.partners[node]), ())
                shared = min(len(operands), len(others))
                wrong = self._is_other(np.array(operands[:shared], int), np.array(others[:shared], int), is_found)
                result[place[node]] |= wrong.any()
        return result

    def _is_other(self, operands: np.ndarray, others: np.ndarray, is_found: np.ndarray) -> np.ndarray:
        mates = np.where(operands >= 0, self.partners[np.maximum(operands, 0)], -1)
        both = (mates >= 0) & (others >= 0) & is_found[np.maximum(others, 0)]
        return both & (mates != others)

    def _are_moved(self) -> np.ndarray:
        """Return which nodes are of another line of their function, or of another function than most of its nodes."""
        one, other = self.pairs
        (codes, lines), (codes_after, lines_after) = _lines(self.before), _lines(self.after)
        codes, lines, codes_after, lines_after = codes[one], lines[one], codes_after[other], lines_after[other]
        known = (lines >= 0) & (lines_after >= 0)
        pairs = Counter(zip(codes[known].tolist(), codes_after[known].tolist(), strict=True))
        partner = np.full(len(self.before.codes) + 1, -1)
        taken: set[int] = set()
        for _, _, code, code_after in sorted((-count, sum(pair), *pair) for pair, count in pairs.items()):
            if partner[code] < 0 and code_after not in taken:  # pairs of equal rank do not exclude each other
                partner[code] = code_after
                taken.add(code_after)
        return known & ((partner[codes] != codes_after) | (lines != lines_after))

    # ---- to be read ----

    def __len__(self) -> int:
        """Return the number of nodes that were added, removed or replaced."""
        return sum(len(self.nodes[kind]) for kind in EDITS)

    def __bool__(self) -> bool:
        """Return whether anything differs."""
        return any(map(len, self.nodes.values()))

    def __iter__(self) -> Iterator[Difference]:
        for kind, rows in self.nodes.items():
            for before, after in rows.tolist():
                yield Difference(kind, before if before >= 0 else None, after if after >= 0 else None)

    def table(self) -> dict[str, list[Any]]:
        """Return columns over the differences, ready for ``pandas.DataFrame(comparison.table())``; -1 and "" for none.

        >>> import adviz
        >>> table = adviz.compare_graphs(adviz.trace(lambda x: x * x, 3.0), adviz.trace(lambda x: x + x, 3.0)).table()
        >>> table["kind"], table["block_before"], table["block_after"]
        (['replaced'], ['multiply'], ['add'])
        """
        rows = list(self)
        columns: dict[str, list[Any]] = {"kind": [row.kind for row in rows]}
        for side, graph in (("before", self.before), ("after", self.after)):
            sides = [_node_facts(graph, getattr(row, side)) for row in rows]
            for name, column in zip(_NodeFacts._fields, zip(*sides, strict=True) if sides else [()] * 7, strict=True):
                columns[f"{name}_{side}"] = list(column)
        return columns

    def __str__(self) -> str:
        """Return sizes before and after, and the differences by line."""
        one, other = self.before, self.after
        sizes = ", ".join(
            f"{before:,} → {after:,} {word}" if before != after else f"{before:,} {word}"
            for before, after, word in (
                (len(one), len(other), "nodes"),
                (one.edges, other.edges, "edges"),
                (one.bytes, other.bytes, "bytes"),
            )
        )
        lines = [f"{one.title} → {other.title}: {sizes}" if one.title != other.title else f"{one.title}: {sizes}"]
        if not self:
            lines.append("  no differences")
        for kind, rows in self.nodes.items():
            lines += self._lines_of(kind, rows)
        return "\n".join(lines)

    def _lines_of(self, kind: str, rows: np.ndarray) -> Iterator[str]:
        """Yield the differences of one kind, by line of the source and by Block."""
        if not len(rows):
            return
        yield f"  {kind}: {counted((len(rows), 'node'))}, {KINDS[kind]}"
        groups = self.groups(kind)
        for words, alike in groups[:MOST_LINES]:
            yield f"    {len(alike):,} × {words}" if len(alike) > 1 else f"    {words}"
        if len(groups) > MOST_LINES:
            yield f"    … and {len(groups) - MOST_LINES:,} more"

    def groups(self, kind: str) -> list[tuple[str, np.ndarray]]:
        """Group the differences of a kind of which the same is said: words, and their rows; the most frequent first.

        >>> import adviz
        >>> comparison = adviz.compare_graphs(adviz.trace(lambda x: x * x, 3.0), adviz.trace(lambda x: x + x, 3.0))
        >>> [(words.partition(" at ")[0], rows.tolist()) for words, rows in comparison.groups("replaced")]
        [('multiply → add', [[1, 1]])]
        """
        rows = self.nodes[kind]
        by_words: dict[str, list[np.ndarray]] = {}
        first, place = self._alike(kind, rows)
        order = np.argsort(place, kind="stable")
        counts = np.bincount(place, minlength=len(first))
        for (one, other), alike in zip(rows[first].tolist(), np.split(order, np.cumsum(counts)[:-1]), strict=False):
            by_words.setdefault(self._said(kind, one, other, _elided), []).append(alike)
        groups = [(words, rows[np.sort(np.concatenate(places))]) for words, places in by_words.items()]
        worded = [
            (self._said(kind, *alike[0].tolist()) if len(alike) == 1 else words, alike) for words, alike in groups
        ]
        return sorted(worded, key=lambda group: (-len(group[1]), group[1][0].tolist()))

    def _alike(self, kind: str, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the first row of each group of which the same is said, and the group of every row."""
        columns = [np.append(of, -1)[nodes] for nodes, own in zip(rows.T, self._columns, strict=True) for of in own]
        if kind == "with other constants":
            columns += self.constants.columns(*rows.T)
        keys = np.zeros(len(rows), np.uint64)
        for column in columns:
            keys = keys * np.uint64(0x9E3779B97F4A7C15) + column.astype(np.uint64)
            keys ^= keys >> np.uint64(29)
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        return first, place

    @cached_property
    def _columns(self) -> list[list[np.ndarray]]:
        """For each graph what is said of nodes, as numbers: place, Block, size and uses; names are those of places."""
        known: dict[Any, int] = {}
        return [
            [
                graph.columns.place,
                np.asarray(graph.block_numbers),
                _outlines(graph, known),
                np.asarray(graph.times_used),
                _of_nodes(graph.names, len(graph)),
            ]
            for graph in (self.before, self.after)
        ]

    def place(self, origin: Origin) -> str:
        """Name a line of the source: by its file, with the folders only if another file is called so, too."""
        return place_called(self._files.get(origin.file, origin.file), origin.line)

    @cached_property
    def _files(self) -> dict[str, str]:
        codes = [*self.before.codes, *self.after.codes]
        names = short_names([code.co_filename for code in codes])
        return {path: name for path, name in names.items() if not cell(path)}

    def _said(self, kind: str, before: int, after: int, named: Callable[[str], str] = str) -> str:
        one, other = _node_facts(self.before, before, self.place), _node_facts(self.after, after, self.place)
        here = other if after >= 0 else one
        uses = f"{one.times_used:,} → {other.times_used:,} times"
        change = {
            "replaced": lambda: f"{one.block} → {other.block}",
            "resized": lambda: f"{named(here.label)}: {_sized(one)} → {_sized(other)}",
            "with other constants": lambda: f"{here.block}: {self.constants.told(before, after)}",
            "used more": lambda: f"{named(here.label)}: {uses}",
            "used less": lambda: f"{named(here.label)}: {uses}",
            "moved": lambda: f"{here.block} from {one.place}, to {here.place}",
        }.get(kind, lambda: here.block)
        return f"{change()} at {here.place}" if here.place and kind != "moved" else change()

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return f"<pre>{escape(str(self))}</pre>"

    def __repr__(self) -> str:
        counts = [f"{len(rows):,} {kind}" for kind, rows in self.nodes.items() if len(rows)]
        return f"<Comparison of {self.before.title} and {self.after.title}: {', '.join(counts) or 'no differences'}>"


class _NodeFacts(NamedTuple):
    """What a table says of a node."""

    node: int
    block: str
    label: str
    shape: Any
    bytes: int
    times_used: int
    place: str


_NONE = _NodeFacts(-1, "", "", (), 0, 0, "")


def _whole_place(origin: Origin) -> str:
    return place_called(origin.file, origin.line)


def _elided(label: str) -> str:
    """Return a label without the index of an entry.

    >>> _elided("x[3] (input)"), _elided("h (tanh)")
    ('x[…] (input)', 'h (tanh)')
    """
    name, opened, block = label.rpartition(" (")
    return f"{name.partition('[')[0]}[…]{opened}{block}" if name.endswith("]") else label


def _node_facts(graph: Graph, node: int | None, placed: Callable[[Origin], str] = _whole_place) -> _NodeFacts:
    if node is None or node < 0:
        return _NONE
    result, origin = graph[node], graph.origin(node)
    block = result.block.name
    name = graph.name(node)
    place = f"{placed(origin)}, in {origin.function}" if origin else ""
    return _NodeFacts(
        node, block, f"{name} ({block})" if name else block, result.shape, result.bytes, result.times_used, place
    )


def _sized(side: _NodeFacts) -> str:
    return f"{'×'.join(map(str, side.shape)) or 'number'} ({side.bytes:,} bytes)"


def _outlines(graph: Graph, known: dict[Any, int]) -> np.ndarray:
    """Return for each node a number for its shape and its dtype."""
    result = outlines_of(graph.values)
    numbers = [known.setdefault((np.dtype(float), ()) if each is None else each, len(known)) for each in result.table]
    return np.array(numbers, int)[result.kinds]


def _of_nodes(names: dict[int, str], count: int) -> np.ndarray:
    """Return for each node that has a name of its own its number, the entries of an array having one; else -1."""
    known: dict[str, int] = {}
    result = np.full(count, -1)
    arrays = [name.partition("[")[0] if name.endswith("]") else name for name in names.values()]
    result[list(names)] = [known.setdefault(name, len(known)) for name in arrays]
    return result


def _lines(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Return for each node the number of its function, and its line there from the first; -1 where it has none."""
    places, place = graph.columns.places, graph.columns.place
    number = {id(code): k for k, code in enumerate(graph.codes)}
    codes = [number[id(each.code)] for each in places]
    lines = [each.origin.line - each.code.co_firstlineno for each in places]
    return np.array([*codes, -1])[place], np.array([*lines, -1])[place]


def compare_graphs(before: Graph, after: Graph) -> Comparison:
    """Return what differs between two graphs: of two versions of a function, two inputs, or before and after a change.

    Nodes are aligned in evaluation order with the fewest nodes added, removed and replaced, as far as 400 will do, and
    by the expressions and the iterations that made them beyond that (see ``graph/comparing/alignment.py`` for the
    algorithms and their sources). Neither names nor lines matter, so that a renamed copy has no differences. The
    comparison is printed by line of the source. Iterating over it gives every difference with its nodes, its length is
    the number of nodes that were added, removed or replaced, and ``comparison.table()`` has columns.

    Changing k nodes (adding, removing or replacing one each) gives at most k such differences, for k up to 400. Nodes
    that are in both graphs are *resized*, *rewired*, *with other constants*, *used more* or *used less* often, or
    *moved* in the source.

    Raises ``TypeError`` for anything but graphs.

    >>> import adviz
    >>> before = adviz.trace(lambda x: x * x + x, 3.0)
    >>> after = adviz.trace(lambda x: x * x + x * x, 3.0)
    >>> list(compare_graphs(before, after))[:2]
    [Difference(kind='added', before=None, after=2), Difference(kind='used more', before=0, after=0)]
    """
    for place, each in (("first", before), ("second", after)):
        if not isinstance(each, Graph):
            raise TypeError(
                f"Two graphs are compared, and the {place} argument is of type {type(each).__name__}: "
                "graphs are made with adviz.trace or adviz.load."
            )
    return Comparison(before, after)
