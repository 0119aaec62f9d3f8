"""Which node of one graph is which node of another.

Both graphs are sequences, their nodes in evaluation order. They are aligned

1. by their Blocks alone, with the fewest edits, if few will do;
2. else by place: the expressions that made nodes, each with the calls around it, are aligned with the fewest edits in
   the order in which they were first evaluated, and the third node of an expression (the third iteration, say) is the
   third node of its partner. As in patience diff, the longest increasing chain of such pairs is kept, and what is left
   between two of them is aligned by 1.

Where several alignments take the same number of edits, gaps slide to where most neighbors agree in name, in source
text and in structure: hashes of the nodes around a node, within three edges (Weisfeiler and Lehman; Shervashidze et
al., JMLR 12, 2011), as comparisons of syntax trees use them (Falleri et al., "Fine-grained and accurate source code
differencing", ASE 2014). Names and lines decide nothing else, so that a renamed copy is aligned with its original.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from functools import cached_property
from typing import Any

import numpy as np

from ..graph import ABSENT, Graph

# ---- the least edits ----

# The fewest insertions, deletions and replacements that turn one sequence into another.
#
# The algorithm is that of Landau and Vishkin ("Fast parallel and serial approximate string matching", J. Algorithms
# 10, 1989): for e = 0, 1, 2, … edits, how far the sequences can be matched on each diagonal, which takes O(n + e²)
# steps where the longest common extension of two places is known at once. Here extensions are found by binary search
# over hashes of prefixes, for all diagonals together. Myers' difference algorithm (1986) is the same without
# replacements.


FAR = np.int64(-(1 << 40))
"""Less than any place: a diagonal that no such edits lead to."""
BASE = np.uint64(0x9E3779B97F4A7C15)
SMALL = 300
"""Sequences of fewer entries are compared to the end, whatever it takes."""


def aligned(before: np.ndarray, after: np.ndarray, most: int) -> np.ndarray | None:
    """Give each entry of a sequence its place in the other, -1 for a deleted one; ``None`` if it takes more edits.

    Replaced entries are aligned with what replaces them. The number of entries without partner, plus that of replaced
    ones, is the least that is possible.

    >>> aligned(np.array([5, 6, 7, 8]), np.array([5, 7, 8, 9]), 2).tolist()
    [0, -1, 1, 2]
    >>> aligned(np.array([5, 6, 7]), np.array([5, 9, 7]), 1).tolist()
    [0, 1, 2]
    """
    first, last = _common_ends(before, after)
    mates = np.full(len(before), -1, np.int64)
    mates[:first] = np.arange(first)
    mates[len(before) - last :] = np.arange(len(after) - last, len(after))
    middle, other = before[first : len(before) - last], after[first : len(after) - last]
    if len(middle) and len(other):
        most = max(most, SMALL) if max(len(middle), len(other)) <= SMALL else most
        partners = _Diagonals(middle, other).mates(most)
        if partners is None:
            return None
        mates[first : first + len(middle)] = np.where(partners >= 0, partners + first, -1)
    elif max(len(middle), len(other)) > most:
        return None
    return mates


def _common_ends(before: np.ndarray, after: np.ndarray) -> tuple[int, int]:
    """Return the lengths of the longest common beginning and end, which do not overlap."""
    shorter = min(len(before), len(after))
    first = _equal(before[:shorter], after[:shorter])
    rest = shorter - first
    return first, _equal(before[::-1][:rest], after[::-1][:rest])


def _equal(one: np.ndarray, other: np.ndarray) -> int:
    """Return how many entries are equal from the beginning."""
    differ = one != other
    return int(np.argmax(differ)) if differ.any() else len(one)


class _Diagonals:
    """Two sequences, and how far they can be matched on each diagonal, with so many edits."""

    def __init__(self, before: np.ndarray, after: np.ndarray):
        self.before, self.after = before, after
        self.powers = np.cumprod(np.full(max(len(before), len(after)) + 1, BASE, np.uint64))
        self.sums = [self._prefix_sums(each) for each in (before, after)]

    def _prefix_sums(self, entries: np.ndarray) -> np.ndarray:
        """Return the sums of entry times power over all beginnings, modulo 2⁶⁴."""
        mixed = (entries.astype(np.uint64) + np.uint64(1)) * np.uint64(0xD6E8FEB86659FD93)
        mixed ^= mixed >> np.uint64(32)
        terms = mixed * np.uint64(0xCA5A826395121157) * self.powers[: len(entries)]
        return np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)])

    def extension(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Return how many entries are equal from place i of the first sequence and place j of the second."""
        low = np.zeros(len(i), np.int64)
        high = np.minimum(len(self.before) - i, len(self.after) - j)
        starts = high > 0
        starts[starts] = self.before[i[starts]] == self.after[j[starts]]
        open_ones = np.flatnonzero(starts)
        low[open_ones] = 1
        while len(open_ones):
            middle = (low[open_ones] + high[open_ones] + 1) // 2
            same = self._are_equal(i[open_ones], j[open_ones], middle)
            low[open_ones[same]] = middle[same]
            high[open_ones[~same]] = middle[~same] - 1
            open_ones = open_ones[low[open_ones] < high[open_ones]]
        return low

    def _are_equal(self, i: np.ndarray, j: np.ndarray, length: np.ndarray) -> np.ndarray:
        one, other = self.sums
        return (one[i + length] - one[i]) * self.powers[j] == (other[j + length] - other[j]) * self.powers[i]

    def mates(self, most: int) -> np.ndarray | None:
        """Return the alignment with the fewest edits; ``None`` if there are more than ``most``."""
        zero = np.zeros(1, np.int64)
        reached = [zero + self.extension(zero, zero)]
        while not self._is_done(reached):
            if len(reached) > most:
                return None
            start = self._starts(reached[-1], len(reached))
            fits = start >= 0
            i = start[fits]
            start[fits] = i + self.extension(i, i + np.arange(-len(reached), len(reached) + 1)[fits])
            reached.append(start)
        return self._traced_back(reached)

    def _is_done(self, reached: list[np.ndarray]) -> bool:
        """Return whether the ends are matched: they are on the diagonal m - n."""
        edits, place = len(reached) - 1, len(self.after) - len(self.before)
        return abs(place) <= edits and int(reached[-1][place + edits]) >= len(self.before)

    def _starts(self, last: np.ndarray, edits: int) -> np.ndarray:
        """Say where each diagonal is entered with one edit more: by replacing, inserting or deleting an entry."""
        n, m = len(self.before), len(self.after)
        around = np.concatenate([[FAR, FAR], last, [FAR, FAR]])
        start = np.maximum(np.maximum(around[1:-1] + 1, around[:-2]), around[2:] + 1)
        diagonals = np.arange(-edits, edits + 1)
        start = np.minimum(start, np.minimum(n, m - diagonals))
        return np.where((start >= 0) & (start + diagonals >= 0), start, FAR)

    def _traced_back(self, reached: list[np.ndarray]) -> np.ndarray:
        n, m = len(self.before), len(self.after)
        mates = np.full(n, -1, np.int64)
        i, diagonal = n, m - n
        for edits in range(len(reached) - 1, 0, -1):
            last = reached[edits - 1]

            def at(k: int, last: np.ndarray = last, edits: int = edits) -> int:
                return int(last[k + edits - 1]) if abs(k) < edits else int(FAR)

            replaced, inserted, deleted = at(diagonal) + 1, at(diagonal - 1), at(diagonal + 1) + 1
            start = min(max(replaced, inserted, deleted), n, m - diagonal)
            mates[start:i] = np.arange(start, i) + diagonal
            if replaced >= start:
                mates[start - 1] = start - 1 + diagonal
                i = start - 1
            elif deleted >= start:
                i, diagonal = start - 1, diagonal + 1
            else:
                i, diagonal = start, diagonal - 1
        mates[:i] = np.arange(i)
        return mates


# ---- the alignment ----


MOST_EDITS = 400
"""Up to which nodes are aligned with the fewest edits by their Blocks alone."""
MOST_EDITS_BETWEEN = 64
"""The same between two nodes that are aligned by place."""
MOST_SLIDES = 2_000
"""The farthest that a gap slides."""
ROUNDS = 3
"""How many edges from a node its structure is looked at."""

_MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0x165667B19E3779F9)


class Side:
    """One of two graphs: its nodes as numbers that can be compared with those of the other graph."""

    def __init__(self, graph: Graph, known: dict[Any, int]):
        self.graph, self._known = graph, known
        self.blocks = self._numbers_of([block.name for block in graph.block_table])[column_of(graph.block_numbers)]

    def _number(self, thing: Any) -> int:
        return self._known.setdefault(thing, len(self._known))

    def _numbers_of(self, things: list[Any]) -> np.ndarray:
        return np.array(list(map(self._number, things)), np.int64)

    @cached_property
    def contexts(self) -> list[int]:
        """For each call a number, the same for calls from the same places that lead to it."""
        result: list[int] = []
        code_of = {id(code): k for k, code in enumerate(self.graph.codes)}
        own: dict[Any, int] = {}
        for code, parent, offset in self.graph.call_table:
            above = result[parent] if parent >= 0 else -1
            result.append(own.setdefault((above, offset, code_of.get(id(code), -1)), len(own)))
        return result

    @cached_property
    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """The first node of every place in the order of evaluation, and the place of every node.

        Inputs and outputs, which no instruction made, are of one place each: its Block.
        """
        calls, offsets = column_of(self.graph.calls), column_of(self.graph.offsets)
        contexts = np.array(self.contexts, np.int64)[calls]
        keys = (contexts << 32) + np.where(offsets >= 0, offsets, (1 << 31) + column_of(self.graph.block_numbers))
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        return first[order], rank[place]

    @cached_property
    def occurrences(self) -> np.ndarray:
        """For each node how many nodes of its place came before."""
        return numbered(self.places[1])

    @cached_property
    def texts(self) -> np.ndarray:
        """A number for the source text of every node, and for the name of its function."""
        first, place = self.places
        return self._numbers_of([self._text(node) for node in first.tolist()])[place]

    def _text(self, node: int) -> Any:
        origin, graph = self.graph.origin(node), self.graph
        return (origin.function, origin.text) if origin else ("name", graph.names.get(node, ""))

    @cached_property
    def names(self) -> np.ndarray:
        """A number for the name of every node; names of inputs and outputs differ within a place."""
        first, place = self.places
        result = self._numbers_of([("name", self.graph.name(node)) for node in first.tolist()])[place]
        for node, name in self.graph.names.items():
            result[node] = self._number(("name", name))
        return result

    @cached_property
    def arguments(self) -> np.ndarray:
        """A number for every input, by its argument and how many entries of that came before."""
        counts: Counter[str] = Counter()
        result = []
        for node in self.graph.inputs:
            argument = self.graph.names.get(node, "").partition("[")[0]
            result.append(("argument", argument, counts[argument]))
            counts[argument] += 1
        return self._numbers_of(result)

    @cached_property
    def structure(self) -> np.ndarray:
        """A hash of what is around every node, within ``ROUNDS`` edges."""
        graph = self.graph
        first, second = column_of(graph.first), column_of(graph.second)
        tails, heads, operand = graph.operand_rows
        place = np.minimum(operand + 1, 3).astype(np.uint64)
        constants = (first < ABSENT).astype(np.uint64) + np.uint64(2) * (second < ABSENT).astype(np.uint64)
        hashes = _mixed(self.blocks.astype(np.uint64) + _MIX[0] * constants)
        for _ in range(ROUNDS):
            around = np.zeros(len(graph), np.uint64)
            np.add.at(around, heads, _mixed(hashes[tails] * _MIX[1] + place))
            np.add.at(around, tails, _mixed(hashes[heads] * _MIX[2] + place))
            hashes = _mixed(hashes * _MIX[0] + around)
        return hashes

    def likeness(self, other: Side, one: int, another: int) -> int:
        """Count the ways in which a node is like one of the other graph."""
        columns = ("texts", "names", "structure")
        return sum(int(getattr(self, name)[one] == getattr(other, name)[another]) for name in columns)

    def order_key(self) -> Any:
        """Return a key that orders the two graphs of a comparison, whichever was given first."""
        return len(self.graph), [block.name for block in self.graph.blocks]


def column_of(column: Any) -> np.ndarray:
    return np.asarray(column, np.int64)


def numbered(keys: np.ndarray) -> np.ndarray:
    """Count for each key how many equal ones came before.

    >>> numbered(np.array([5, 7, 5, 5])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(keys, kind="stable")
    ranks = np.arange(len(keys))
    is_first = np.diff(keys[order], prepend=-1) != 0
    result = np.empty(len(keys), np.int64)
    result[order] = ranks - np.maximum.accumulate(np.where(is_first, ranks, 0))
    return result


def turned_around(mates: np.ndarray, count: int) -> np.ndarray:
    """Return for each of ``count`` entries its place among ``mates``, -1 for none.

    >>> turned_around(np.array([2, -1, 0]), 4).tolist()
    [2, -1, 0, -1]
    """
    result = np.full(count, -1, np.int64)
    result[mates[mates >= 0]] = np.flatnonzero(mates >= 0)
    return result


def _mixed(numbers: np.ndarray) -> np.ndarray:
    """Return numbers whose bits depend on all bits of the given ones."""
    numbers = numbers ^ (numbers >> np.uint64(31))
    return (numbers * _MIX[1]) ^ (numbers >> np.uint64(29))


def partners(before: Graph, after: Graph) -> np.ndarray:
    """Return for each node of a graph its partner in the other one, -1 for none.

    >>> import adviz
    >>> one, other = adviz.trace(lambda x: x * x, 3.0), adviz.trace(lambda x: x * x + x, 3.0)
    >>> partners(one, other).tolist(), partners(other, one).tolist()
    ([0, 1, 3], [0, 1, -1, 2])
    """
    if not len(before) or not len(after):
        return np.full(len(before), -1, np.int64)
    known: dict[Any, int] = {}
    one, other = Side(before, known), Side(after, known)
    if len(before) == len(after) and (one.blocks == other.blocks).all():
        return np.arange(len(before))
    if one.order_key() <= other.order_key():
        return _partners(one, other)
    return turned_around(_partners(other, one), len(before))


def _partners(one: Side, other: Side) -> np.ndarray:
    mates = aligned(one.blocks, other.blocks, MOST_EDITS)
    if mates is None:
        mates = _by_place(one, other)
    return _slid(one, other, _by_argument(one, other, mates))


def _by_argument(one: Side, other: Side, mates: np.ndarray) -> np.ndarray:
    """Align inputs by the argument that they are of, if that aligns as many: ``x[0]`` with ``x`` for other grains."""
    inputs, others = one.graph.inputs, other.graph.inputs
    begin, end = len(inputs), len(others)
    are_first = inputs == list(range(begin)) and others == list(range(end))
    if not are_first or begin == end or (mates[:begin] >= end).any() or (mates[begin:] < end)[mates[begin:] >= 0].any():
        return mates
    places, other_places = one.arguments, other.arguments
    _, i, j = np.intersect1d(places, other_places, assume_unique=True, return_indices=True)
    order = np.argsort(i)
    kept = _increasing(j[order])
    if len(kept) < int((mates[:begin] >= 0).sum()):
        return mates
    result = mates.copy()
    result[:begin] = -1
    result[i[order][kept]] = j[order][kept]
    return result


# ---- by place ----


def _by_place(one: Side, other: Side) -> np.ndarray:
    """Return the alignment by expressions, and between what they align by Blocks."""
    mates = np.full(len(one.blocks), -1, np.int64)
    fixed = _fixed(one, other)
    mates[fixed[:, 0]] = fixed[:, 1]
    ends = np.concatenate([[[-1, -1]], fixed, [[len(one.blocks), len(other.blocks)]]])
    known: dict[Any, np.ndarray | None] = {}  # what is between iterations is often the same
    gaps = np.flatnonzero((np.diff(ends, axis=0) > 1).all(axis=1))
    for (i, j), (i_end, j_end) in zip(ends[gaps].tolist(), ends[gaps + 1].tolist(), strict=True):
        parts = one.blocks[i + 1 : i_end], other.blocks[j + 1 : j_end]
        key = parts[0].tobytes(), parts[1].tobytes()
        if key not in known:
            known[key] = aligned(*parts, MOST_EDITS_BETWEEN)
        places = known[key]
        if places is not None:
            mates[i + 1 : i_end] = np.where(places >= 0, places + j + 1, -1)
    return mates


def _fixed(one: Side, other: Side) -> np.ndarray:
    """Pair nodes of aligned expressions, by their number of evaluations, in an order that both graphs share."""
    first, place = one.places
    second, other_place = other.places
    partner = _aligned_places(one, other, first, second)
    count = len(one.blocks) + len(other.blocks)
    keys = np.where(partner[place] >= 0, partner[place] * count + one.occurrences, -1 - np.arange(len(place)))
    others = other_place * count + other.occurrences
    _, i, j = np.intersect1d(keys, others, assume_unique=True, return_indices=True)
    alike = one.blocks[i] == other.blocks[j]
    order = np.argsort(i[alike])
    i, j = i[alike][order], j[alike][order]
    kept = _increasing(j)
    return np.stack([i[kept], j[kept]], axis=1)


def _aligned_places(one: Side, other: Side, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the expression of the other graph that each expression is: by Blocks, or by texts that are there once."""
    by_block = aligned(one.blocks[first], other.blocks[second], MOST_EDITS)
    if by_block is not None:
        return by_block
    result = np.full(len(first), -1, np.int64)
    texts, others = one.texts[first], other.texts[second]
    (unique, place), (unique_others, other_place) = _once(texts), _once(others)
    _, i, j = np.intersect1d(unique, unique_others, assume_unique=True, return_indices=True)
    result[place[i]] = other_place[j]
    return result


def _once(texts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    unique, place, counts = np.unique(texts, return_index=True, return_counts=True)
    return unique[counts == 1], place[counts == 1]


def _increasing(numbers: np.ndarray) -> np.ndarray:
    """Return the places of a longest increasing subsequence, by patience sorting.

    >>> _increasing(np.array([3, 0, 1, 5, 2])).tolist()
    [1, 2, 4]
    """
    if (np.diff(numbers) > 0).all():
        return np.arange(len(numbers))
    tops: list[int] = []
    places: list[int] = []
    below = [-1] * len(numbers)
    for place, number in enumerate(numbers.tolist()):
        pile = bisect_left(tops, number)
        below[place] = places[pile - 1] if pile else -1
        tops[pile : pile + 1], places[pile : pile + 1] = [number], [place]
    chain = [places[-1]] if places else []
    while chain and below[chain[-1]] >= 0:
        chain.append(below[chain[-1]])
    return np.array(chain[::-1], np.int64)


# ---- sliding ----


def _slid(one: Side, other: Side, mates: np.ndarray) -> np.ndarray:
    """Slide gaps, on both sides, to where the nodes around them are most alike; the number of edits stays."""
    back = turned_around(_slide_gaps(one, other, mates), len(other.blocks))
    return turned_around(_slide_gaps(other, one, back), len(one.blocks))


def _slide_gaps(one: Side, other: Side, mates: np.ndarray) -> np.ndarray:
    mates = mates.copy()
    gaps = np.flatnonzero(np.diff(np.concatenate([[0], mates < 0, [0]]).astype(np.int8)))
    starts, ends = gaps[::2], gaps[1::2]
    can = _can_slide(one, other, mates, starts - 1, ends - 1) | _can_slide(one, other, mates, ends, starts)
    for start, end in zip(starts[can].tolist(), ends[can].tolist(), strict=True):
        _slide(one, other, mates, start, end, -1)
        _slide(one, other, mates, start, end, 1)
    return mates


def _can_slide(one: Side, other: Side, mates: np.ndarray, beside: np.ndarray, far: np.ndarray) -> np.ndarray:
    """Return whether the partner of the node beside a run can be that of the node at the run's far end."""
    inside = (beside >= 0) & (beside < len(mates))
    near = np.where(inside, beside, 0)
    block = one.blocks[near]
    return inside & (mates[near] >= 0) & (block == one.blocks[far]) & (block == other.blocks[mates[near]])


def _slide(one: Side, other: Side, mates: np.ndarray, start: int, end: int, way: int) -> None:
    """Slide one run down (-1) or up (1) to the best place, if that is better than where it is.

    A step lets the partner of the node beside the run be that of the run's far end, if both have its Block.
    """
    if (mates[start:end] >= 0).any():
        return  # it was slid the other way
    gain, best, steps = 0, 0, 0
    beside, far = (start - 1, end - 1) if way < 0 else (end, start)
    lost: list[tuple[int, int, int]] = []
    while 0 <= beside < len(mates) and steps < MOST_SLIDES:
        partner = int(mates[beside])
        if partner < 0 or not one.blocks[beside] == one.blocks[far] == other.blocks[partner]:
            break
        gain += one.likeness(other, far, partner) - one.likeness(other, beside, partner)
        lost.append((beside, far, partner))
        steps += 1
        if gain > best:
            best, kept = gain, steps
        beside, far = beside + way, far + way
    for beside, far, partner in lost[: kept if best else 0]:
        mates[beside], mates[far] = -1, partner
