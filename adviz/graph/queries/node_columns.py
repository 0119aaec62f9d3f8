"""What queries and tables ask of every node, as NumPy arrays: each is computed once, on request."""

from __future__ import annotations

from array import array
from contextlib import suppress
from functools import cached_property
from itertools import pairwise
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from ..files.saved_values import are_saved
from ..ipython import called
from ..origins import Origin, assigned_name, origin, written_name
from ..scopes import ARGUMENT, CALL, ITERATION, KINDS, PART, WRITES, ScopeTree
from ..versions import Version, stored
from ..wengert_list import WRITE, WengertList, newly_held

# ---- scopes that are alike ----


MOST_RANGES = 3
"""Ranges of iterations that are written out."""


class ScopeGroups(NamedTuple):
    """Groups of scopes: the first scope of each and the group around it (-1 for none); the group of every scope."""

    firsts: list[int]
    parents: list[int]
    numbers: np.ndarray


def alike(tree: ScopeTree, by_iteration: bool = False) -> ScopeGroups:
    """Group the scopes: those of one call in the source, and those of one loop with its iterations and parts.

    With ``by_iteration``, the iterations of a loop with equal contents are a group of their own.
    """
    known: dict[Any, int] = {}
    firsts, parents, groups = list[int](), list[int](), list[int]()
    places = zip(tree.kinds, tree.parents, tree.places, tree.signatures, strict=True)
    for scope, (kind, parent, (code, offset), signature) in enumerate(places):
        around = groups[parent] if parent >= 0 else -1
        if kind == ITERATION and by_iteration:
            key: Any = (around, signature)
        elif kind in (ITERATION, PART) and parent >= 0:
            groups.append(around)
            continue
        else:
            key = (around, kind, id(code), offset)
        group = known.setdefault(key, len(known))
        if group == len(firsts):
            firsts.append(scope)
            parents.append(around)
        groups.append(group)
    return ScopeGroups(firsts, parents, np.array(groups, np.int32))


def iteration_names(tree: ScopeTree, groups: ScopeGroups) -> dict[int, str]:
    """Return what each group of iterations is called, such as ``iterations 1–37, 39–100``."""
    kinds, ordinals = np.frombuffer(tree.kinds, np.int8), np.frombuffer(tree.ordinals, np.int32)
    iterations = np.flatnonzero(kinds == ITERATION)
    pairs = np.sort(groups.numbers[iterations].astype(np.int64) << 32 | ordinals[iterations])
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # nested ones repeat; np.unique would import numpy.ma
    starts = np.flatnonzero(np.diff(pairs >> 32, prepend=-1))
    ends = [*starts[1:].tolist(), len(pairs)]
    return {
        int(pairs[start] >> 32): iterations_text(pairs[start:end] & 0xFFFFFFFF)
        for start, end in zip(starts.tolist(), ends[: len(starts)], strict=True)
    }


def iterations_text(ordinals: np.ndarray) -> str:
    """Return what the iterations with these numbers, in order, are called.

    >>> iterations_text(np.array([38])), iterations_text(np.array([1, 2, 3, 5]))
    ('iteration 38', 'iterations 1–3, 5')
    >>> iterations_text(np.arange(1, 3000, 3))
    'iterations 1, 4, 7, … (1,000 of them)'
    """
    breaks = [0, *(np.flatnonzero(np.diff(ordinals) > 1) + 1).tolist(), len(ordinals)]
    ends = [(ordinals[start], ordinals[end - 1]) for start, end in pairwise(breaks[: MOST_RANGES + 1])]
    ranges = ", ".join(f"{first:,}" if first == last else f"{first:,}–{last:,}" for first, last in ends)
    more = f", … ({len(ordinals):,} of them)" if len(breaks) > MOST_RANGES + 1 else ""
    return f"iteration{'s' if len(ordinals) > 1 else ''} {ranges}{more}"


# ---- columns ----


class Texts(NamedTuple):
    """A column of texts: which of the ``table`` each node has."""

    table: list[str]
    numbers: np.ndarray

    def column(self) -> np.ndarray:
        """Return the texts of all nodes, as an array of objects."""
        return np.array([*self.table, ""], object)[self.numbers]


class Place(NamedTuple):
    """A place in the source that made nodes: its sub-expression, the name of what is assigned or written, the code."""

    origin: Origin
    name: str
    code: CodeType


class NodeColumns:
    """Columns over the nodes of a graph; ``-1`` stands for none in columns of numbers of rows.

    >>> import adviz
    >>> columns = NodeColumns(adviz.trace(lambda x: x * x, 3.0))
    >>> columns.bytes.tolist(), columns.times_used.tolist(), columns.operations.tolist()
    ([8, 8, 8], [2, 0, 0], [0, 1, 0])
    """

    def __init__(self, graph: WengertList):
        self.graph = graph

    @cached_property
    def block(self) -> np.ndarray:
        """Rows of ``graph.block_table``."""
        return np.frombuffer(self.graph.block_numbers, np.int32)

    @cached_property
    def times_used(self) -> np.ndarray:
        """Uses."""
        return np.frombuffer(self.graph.times_used, np.int32)

    @cached_property
    def live(self) -> np.ndarray:
        """Whether it reaches an output."""
        return np.frombuffer(self.graph.live, np.bool_)

    @cached_property
    def depth(self) -> np.ndarray:
        """Steps on the longest path to it."""
        return np.frombuffer(self.graph.levels, np.int32)

    # ---- values ----

    @property
    def is_of_numbers(self) -> bool:
        """Whether every value is a plain float."""
        return isinstance(self.graph.values, array)

    @cached_property
    def _outlines(self) -> tuple[list[Any], np.ndarray]:
        """The different kinds of values, as (shape, dtype, bytes), and the kind of every node; makes no arrays."""
        if self.is_of_numbers:
            return [((), "float64", 8)], np.zeros(len(self.graph), np.int32)
        kinds: dict[Any, int] = {}
        numbers = []
        for value in stored(self.graph.values):
            value = value.chain.outline if type(value) is Version else value
            kind = (getattr(value, "shape", ()), str(getattr(value, "dtype", "float64")), getattr(value, "nbytes", 8))
            numbers.append(kinds.setdefault(kind, len(kinds)))
        return list(kinds), np.array(numbers, np.int32)

    def _of_outline(self, values: list[Any], dtype: Any) -> np.ndarray:
        return np.array(values, dtype)[self._outlines[1]]

    @cached_property
    def bytes(self) -> np.ndarray:
        """Bytes of the value; views of another node's memory have their own."""
        return self._of_outline([size for *_, size in self._outlines[0]], np.int64)

    @cached_property
    def entries(self) -> np.ndarray:
        """The numbers in the value."""
        return self._of_outline([int(np.prod(shape, dtype=np.int64)) for shape, *_ in self._outlines[0]], np.int64)

    @cached_property
    def held(self) -> np.ndarray:
        """Bytes that the value adds to those of the nodes before it: 0 for a view. Their sum is ``graph.bytes``."""
        if self.is_of_numbers:
            return np.full(len(self.graph), 8, np.int64)
        return np.fromiter(newly_held(stored(self.graph.values)), np.int64, len(self.graph))

    @cached_property
    def shape(self) -> Texts:
        """The shape of the value, as Python writes it."""
        return Texts([str(tuple(shape)) for shape, *_ in self._outlines[0]], self._outlines[1])

    @cached_property
    def dtype(self) -> Texts:
        """The name of the value's dtype."""
        return Texts([dtype for _, dtype, _ in self._outlines[0]], self._outlines[1])

    @cached_property
    def _numbers(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The value of a number, NaN for an array; whether there is a NaN; whether there is infinity."""
        if self.is_of_numbers:
            numbers: Any = self.graph.values
            values = np.frombuffer(numbers)
            return values, np.isnan(values), np.isinf(values)
        if not are_saved(self.graph.values):
            nothing = np.zeros(len(self.graph), bool)
            return np.full(len(self.graph), np.nan), nothing, nothing
        rows = [(np.nan if np.ndim(v) else float(v), np.isnan(v).any(), np.isinf(v).any()) for v in self.graph.values]
        values, nan, inf = np.array(rows, float).reshape(-1, 3).T
        return values, nan.astype(bool), inf.astype(bool)

    @property
    def value(self) -> np.ndarray:
        """The value of a number; NaN for an array."""
        return self._numbers[0]

    @property
    def isnan(self) -> np.ndarray:
        """Whether the value, or an entry of it, is NaN."""
        return self._numbers[1]

    @property
    def isinf(self) -> np.ndarray:
        """Whether the value, or an entry of it, is infinite."""
        return self._numbers[2]

    @cached_property
    def operations(self) -> np.ndarray:
        """Floating-point operations, by the table of the Blocks; see :meth:`Block.operations`."""
        graph = self.graph
        each = [block.per_entry for block in graph.block_table]
        result = np.array([count or 0 for count in each], np.int64)[self.block] * self.entries
        irregular = np.array([count is None for count in each], bool)
        for node in np.flatnonzero(irregular[self.block]).tolist():
            operands = [graph.values[k] if k >= 0 else graph.literal(k) for k in graph.operands(node)]
            block = graph.block_table[graph.block_numbers[node]]
            with suppress(ValueError, TypeError, IndexError, AttributeError):  # operands of a file that no trace makes
                result[node] = block.operations(graph.values[node], operands)
        return result

    # ---- places in the source ----

    @cached_property
    def _placed(self) -> tuple[list[Place], np.ndarray]:
        """The different places that made nodes, and the row of every node."""
        graph = self.graph
        codes = graph.codes
        number = {id(code): k for k, code in enumerate(codes)}
        of_call = np.array([number.get(id(call.code), -1) for call in graph.call_table], np.int64)
        code = of_call[np.frombuffer(graph.calls, np.int32)]
        offset = np.frombuffer(graph.offsets, np.int32).astype(np.int64)
        is_write = np.array([block.name == WRITE for block in graph.block_table], bool)[self.block]
        width = 2 * (int(offset.max(initial=0)) + 1)
        keys = np.where((code < 0) | (offset < 0), -1, code * width + 2 * offset + is_write)
        rows = np.full(max(len(codes), 1) * width + 1, -1, np.int32)
        places: list[Place] = []
        marks = np.zeros(len(rows), bool)
        marks[keys] = True
        for key in np.flatnonzero(marks[:-1]).tolist():
            of_code, (at, written) = codes[key // width], divmod(key % width, 2)
            if (place := origin(of_code, at)) is not None:
                rows[key] = len(places)
                places.append(Place(place, (written_name if written else assigned_name)(of_code, at) or "", of_code))
        return places, rows[keys]

    @property
    def place(self) -> np.ndarray:
        """Rows of :attr:`places`."""
        return self._placed[1]

    @property
    def places(self) -> list[Place]:
        """The places in the source that made nodes."""
        return self._placed[0]

    @cached_property
    def first_line(self) -> np.ndarray:
        """The line on which its sub-expression begins; infinity where there is none."""
        return np.array([*(place.origin.line for place in self.places), np.inf], float)[self.place]

    @cached_property
    def last_line(self) -> np.ndarray:
        """The line on which its sub-expression ends; minus infinity where there is none."""
        return np.array([*(place.origin.end_line for place in self.places), -np.inf], float)[self.place]

    @cached_property
    def function(self) -> Texts:
        """The user's function that it was made in."""
        return Texts([place.origin.function.rpartition(".")[2] for place in self.places], self.place)

    @cached_property
    def file(self) -> Texts:
        """The file of the source, or the notebook cell."""
        return Texts([called(place.origin.file) for place in self.places], self.place)

    @cached_property
    def source(self) -> Texts:
        """The sub-expression, its lines joined by one blank."""
        texts = [" ".join(line.strip() for line in place.origin.text.split("\n")) for place in self.places]
        return Texts(texts, self.place)

    @cached_property
    def name(self) -> Texts:
        """The name in the source, of an argument or of what is assigned or written to; "" for none."""
        names = self.graph.names
        table = [*(place.name for place in self.places), *names.values()]
        numbers = self.place.copy()
        numbers[list(names)] = np.arange(len(self.places), len(table))
        return Texts(table, numbers)

    # ---- scopes ----

    @cached_property
    def scope(self) -> np.ndarray:
        """The innermost scope."""
        return np.frombuffer(self.graph.scopes.of_node, np.int32)

    @cached_property
    def scope_labels(self) -> Texts:
        """The label of every scope; each text is in the table once for all scopes that are made alike."""
        tree = self.graph.scopes
        kinds, ordinals = np.frombuffer(tree.kinds, np.int8), np.frombuffer(tree.ordinals, np.int32)
        known: dict[Any, int] = {}
        code = np.array([known.setdefault(id(place), len(known)) for place, _ in tree.places], np.int64)
        offset = np.array([offset for _, offset in tree.places], np.int64)
        number = np.arange(len(tree))
        alike = np.where(kinds == ITERATION, ordinals, code * (offset.max() + 2) + offset + 1)
        is_own = (number == 0) | np.isin(kinds, (ARGUMENT, PART, WRITES))
        keys = np.where(is_own, -1 - number, alike * len(KINDS) + kinds)
        _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
        label = self.graph.scope_label
        rows = zip(first.tolist(), kinds[first].tolist(), ordinals[first].tolist(), strict=True)
        return Texts([f"iteration {k:,}" if kind == ITERATION else label(scope) for scope, kind, k in rows], numbers)

    @cached_property
    def scope_words(self) -> list[str]:
        """The labels of the table in small letters, those with a comma (``iteration 1,000``) also without it."""
        small = [label.lower() for label in self.scope_labels.table]
        return [f"{label}\0{label.replace(',', '')}" if "," in label else label for label in small]

    def within(self, held: np.ndarray) -> np.ndarray:
        """Return whether the scope of each node, or one around it, is one of those that are held."""
        change = np.zeros(len(held) + 1, np.int32)
        np.add.at(change, np.flatnonzero(held), 1)
        np.subtract.at(change, np.frombuffer(self.graph.scopes.ends, np.int32)[held], 1)
        return (np.cumsum(change[:-1]) > 0)[self.scope]

    @cached_property
    def scope_paths(self) -> list[str]:
        """For every scope the labels from the outermost: ``f › for k in range(3) › iteration 2``."""
        labels, parents = self.scope_labels, self.graph.scopes.parents
        paths: list[str] = []
        for number, parent in zip(labels.numbers.tolist(), parents, strict=True):
            own = labels.table[number]
            paths.append(f"{paths[parent]} › {own}" if parent >= 0 else own)
        return paths

    @cached_property
    def scope_groups(self) -> ScopeGroups:
        """Scopes that are made alike, as one each: one call in the source, one loop with all its iterations."""
        return alike(self.graph.scopes)

    def scope_place(self, scope: int) -> Origin | None:
        """Say where a scope was called, or stands in the source."""
        tree = self.graph.scopes
        code, offset = tree.places[scope]
        if tree.kinds[scope] == CALL:  # by the scope around: a function, or a loop, perhaps in a comprehension
            code = tree.places[tree.parents[scope]][0] if scope else None
        return None if code is None or isinstance(code, str) else origin(code, offset)
