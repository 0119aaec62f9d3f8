"""Two graphs laid over each other: one graph with the nodes and the edges of both, each node once.

Nodes that only the first graph has stand before those that only the second one has, between the same partners: the
order is topological for the edges of both. What is read of a node, its operands, its value, its place in the source, is
that in the second graph where it is there, else that in the first one. Data edges are those of both.

A scope of the first graph is the scope of the second that has most of its nodes, if that is of its kind; else it is
added inside what the scope around it is. Where one of the graphs makes in one node what the other makes number by
number, in a scope of its own, the node is in that scope too, and both are seen side by side.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..files.saved_values import UnsavedValues, are_saved, outlines_of, values_with_versions
from ..graph import ABSENT, Graph
from ..queries.node_columns import NodeColumns
from ..scopes import EXPRESSION, Call, ScopeTree, tree_of
from ..versions import stored
from .alignment import column_of, numbered, turned_around
from .differences import KINDS, Comparison

BITS = {kind: 1 << place for place, kind in enumerate(KINDS)}
"""The bit of each kind of difference in :attr:`UnionGraph.differences`."""
CHANGED = sum(bit for kind, bit in BITS.items() if kind not in ("added", "removed", "moved"))
"""The bits of nodes that are in both graphs, and not alike; one that only moved in the source is."""


class UnionColumns(NodeColumns):
    """Columns over the nodes of both graphs."""

    graph: UnionGraph

    @cached_property
    def operations(self) -> np.ndarray:
        """Floating-point operations, as in the graph that a node is of."""
        return self.graph.joined(*(graph.columns.operations for graph in self.graph.sides))


class UnionGraph(Graph):
    """Two graphs laid over each other.

    ``before`` and ``after`` have for each node the one that it is in the first and in the second graph, -1 for none;
    ``of_before`` and ``of_after`` are the ways back.

    >>> import adviz
    >>> one, other = adviz.trace(lambda x: x * x, 3.0), adviz.trace(lambda x: np.sin(x) * x, 3.0)
    >>> union = UnionGraph(adviz.compare_graphs(one, other))
    >>> union.before.tolist(), union.after.tolist()
    ([0, -1, 1, 2], [0, 1, 2, 3])
    >>> [tails.tolist() for tails in union.edges_by_side[:2]], union.counts()
    ([[0, 1, 0, 0, 2], [1, 2, 2, 2, 3]], {'added': 1})
    """

    def __init__(self, comparison: Comparison):
        self.comparison = comparison
        one, other = self.sides = comparison.before, comparison.after
        self.before, self.after = _merged(comparison)
        self.of_before = turned_around(self.before, len(one))
        self.of_after = turned_around(self.after, len(other))
        self.is_after = self.after >= 0
        table: dict[int, Any] = {id(block): block for graph in (other, one) for block in graph.block_table}
        super().__init__(
            block_table=list(table.values()),
            block_numbers=_ints(self.joined(*(_block_numbers(graph, list(table)) for graph in self.sides))),
            first=self._operands("first"),
            second=self._operands("second"),
            rest=self._rest(),
            literals=[*other.literals, *one.literals[1:]],
            values=self._values(),
            calls=_ints(self.joined(column_of(one.calls) + len(other.call_table), column_of(other.calls))),
            offsets=_ints(self.joined(column_of(one.offsets), column_of(other.offsets))),
            evaluations=array("i"),
            rounds={},
            call_table=[*other.call_table, *_behind(one.call_table, len(other.call_table))],
            inputs=self._ends("inputs"),
            outputs=self._ends("outputs"),
            names=self._names(),
            title=other.title if one.title == other.title else f"{one.title} → {other.title}",
        )

    @cached_property
    def numbered_sides(self) -> tuple[Graph, Graph]:
        """The two graphs, whose nodes are called by their numbers in both."""
        return _numbered_as(self.sides[0], self.of_before), _numbered_as(self.sides[1], self.of_after)

    def joined(self, before: Any, after: Any) -> np.ndarray:
        """Return a column over the nodes of both graphs, of one over those of the first and one over the second."""
        one, other = np.asarray(before), np.asarray(after)
        result = np.empty(len(self.is_after), np.result_type(one, other))
        result[self.is_after] = other[self.after[self.is_after]]
        result[~self.is_after] = one[self.before[~self.is_after]]
        return result

    def _operands(self, name: str) -> array:
        columns = (column_of(getattr(graph, name)) for graph in self.sides)
        return _ints(self.joined(*(self._renumbered(column, side) for side, column in enumerate(columns))))

    def _renumbered(self, operands: np.ndarray, side: int) -> np.ndarray:
        """Return operands of one graph as those of both; constants of the first stand behind those of the second."""
        places = (self.of_before, self.of_after)[side]
        shift = 0 if side else len(self.sides[1].literals) - 1
        return np.where(
            operands >= 0, places[np.maximum(operands, 0)], np.where(operands < ABSENT, operands - shift, ABSENT)
        )

    def _rest(self) -> dict[int, tuple[int, ...]]:
        result: dict[int, tuple[int, ...]] = {}
        for side, (graph, places) in enumerate(zip(self.sides, (self.of_before, self.of_after), strict=True)):
            for node, further in graph.rest.items():
                place = int(places[node])
                if side or not self.is_after[place]:
                    result[place] = tuple(self._renumbered(np.array(further, np.int64), side).tolist())
        return result

    def _values(self) -> Sequence[Any]:
        one, other = (graph.values for graph in self.sides)
        if isinstance(one, array) and isinstance(other, array):
            return array("d", self.joined(np.frombuffer(one), np.frombuffer(other)).tobytes())
        if are_saved(one) and are_saved(other):
            values = [stored(one), stored(other)]
            pairs = zip(self.before.tolist(), self.after.tolist(), strict=True)
            return values_with_versions([values[1][b] if b >= 0 else values[0][a] for a, b in pairs])
        return _unkept(self, outlines_of(one), outlines_of(other))

    def _ends(self, name: str) -> list[int]:
        one, other = self.sides
        nodes = [*self.of_before[getattr(one, name)].tolist(), *self.of_after[getattr(other, name)].tolist()]
        return sorted(set(nodes))

    def _names(self) -> dict[int, str]:
        one, other = self.sides
        before = {int(self.of_before[node]): name for node, name in one.names.items()}
        after = {int(self.of_after[node]): name for node, name in other.names.items()}
        return {node: name for node, name in before.items() if not self.is_after[node]} | after

    # ---- what both graphs have ----

    @cached_property
    def edges_by_side(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The data edges of both: tails, heads, and whether each is in the first, and in the second graph.

        An edge that is in both is there once; an operand that is repeated is as many edges as where it is more.
        """
        count = len(self)
        (tails, heads), (new_tails, new_heads) = (
            tuple(places[ends] for ends in graph.data_edges)
            for graph, places in zip(self.sides, (self.of_before, self.of_after), strict=True)
        )
        keys, new_keys = heads * count + tails, new_heads * count + new_tails
        one, other = (each + numbered(each) * (count * count) for each in (keys, new_keys))
        _, in_old, in_new = np.intersect1d(one, other, assume_unique=True, return_indices=True)
        shared, is_old_edge = np.zeros(len(tails), bool), np.zeros(len(new_tails), bool)
        shared[in_old], is_old_edge[in_new] = True, True
        all_tails, all_heads = np.concatenate([new_tails, tails[~shared]]), np.concatenate([new_heads, heads[~shared]])
        is_old = np.concatenate([is_old_edge, np.ones(int((~shared).sum()), bool)])
        is_new = np.arange(len(all_tails)) < len(new_tails)
        order = np.argsort(all_heads, kind="stable")
        return all_tails[order], all_heads[order], is_old[order], is_new[order]

    @property
    def data_edges(self) -> tuple[np.ndarray, np.ndarray]:
        """The tails and heads of the data edges of both graphs."""
        return self.edges_by_side[:2]

    @cached_property
    def differences(self) -> np.ndarray:
        """For each node the kinds of its differences, as the sum of their ``BITS``."""
        result = np.zeros(len(self), np.uint16)
        for kind, rows in self.comparison.nodes.items():
            result[self.nodes_of(rows)] |= BITS[kind]
        return result

    def nodes_of(self, rows: np.ndarray) -> np.ndarray:
        """Return the nodes that rows of the comparison are about: pairs of a node before and after, -1 for none."""
        before, after = np.append(self.of_before, -1)[rows[:, 0]], np.append(self.of_after, -1)[rows[:, 1]]
        return np.where(after >= 0, after, before)

    def counts(self) -> dict[str, int]:
        """Return how many nodes differ in which way."""
        return {kind: len(rows) for kind, rows in self.comparison.nodes.items() if len(rows)}

    @cached_property
    def live(self) -> bytearray:
        """1 for each node that reaches an output of a graph that it is in."""
        is_live = np.zeros(len(self), np.uint8)
        for graph, places in zip(self.sides, (self.of_before, self.of_after), strict=True):
            is_live[places] |= np.frombuffer(graph.live, np.uint8)
        return bytearray(is_live.tobytes())

    @cached_property
    def times_used(self) -> array:
        """How often each node is used in the graph that it is read of."""
        return _ints(self.joined(*(column_of(graph.times_used) for graph in self.sides)))

    @cached_property
    def columns(self) -> NodeColumns:
        """What can be asked of every node."""
        return UnionColumns(self)

    @cached_property
    def scopes(self) -> ScopeTree:
        """The scopes of the second graph, with those of the first that have no partner among them."""
        names = {id(block): block.name for block in self.block_table}
        states = np.where(self.before < 0, 1, np.where(self.after < 0, 2, (self.differences & CHANGED > 0) * 3))
        labels = [(names[id(block)], state) for block, state in zip(self.blocks, states.tolist(), strict=True)]
        return _joined_scopes(self, labels)


def _numbered_as(graph: Graph, numbers: np.ndarray) -> Graph:
    """Return the same graph, with what is known of it, under other numbers."""
    result: Graph = object.__new__(type(graph))
    result.__dict__.update(graph.__dict__, numbers=numbers.tolist())
    return result


def _merged(comparison: Comparison) -> tuple[np.ndarray, np.ndarray]:
    """Return for each node of both graphs, in the order of both, the one before and the one after."""
    one, other = comparison.pairs
    nodes, news = np.arange(len(comparison.before)), np.arange(len(comparison.after))
    is_single, is_new = np.ones(len(nodes), bool), np.ones(len(news), bool)
    is_single[one], is_new[other] = False, False
    singles, new = nodes[is_single], news[is_new]
    before = np.concatenate([singles, np.full(len(new), -1), one])
    after = np.concatenate([np.full(len(singles), -1), new, other])
    gap = np.concatenate([np.searchsorted(one, singles), np.searchsorted(other, new), np.arange(len(one))])
    turn = np.repeat([0, 1, 2], [len(singles), len(new), len(one)])
    order = np.lexsort((np.maximum(before, after), turn, gap))
    return before[order], after[order]


def _ints(column: np.ndarray) -> array:
    return array("i", column.astype(np.int32).tobytes())


def _block_numbers(graph: Graph, table: list[int]) -> np.ndarray:
    number = {block: k for k, block in enumerate(table)}
    return np.array([number[id(block)] for block in graph.block_table], np.int64)[column_of(graph.block_numbers)]


def _behind(calls: Sequence[Call], count: int) -> list[Call]:
    return [call._replace(parent=call.parent + count if call.parent >= 0 else -1) for call in calls]


def _unkept(union: UnionGraph, one: UnsavedValues, other: UnsavedValues) -> UnsavedValues:
    """Return what is known of values where one of the graphs has none."""
    table = [None if each is None else (each[0].str, each[1]) for each in (*other.table, *one.table)]
    kinds = union.joined(one.kinds.astype(np.int64) + len(other.table), other.kinds)
    owners = union.joined(
        np.where(one.owners > 0, one.owners.astype(np.int64) + len(other.owner_bytes) - 1, 0), other.owners
    )
    return UnsavedValues(kinds, owners, np.concatenate([other.owner_bytes, one.owner_bytes[1:]]), table)


# ---- scopes ----


def _joined_scopes(union: UnionGraph, labels: Sequence[object]) -> ScopeTree:
    """Return the scopes of both graphs; ``labels`` tell nodes apart, as in ``scope_tree``."""
    one, other = (graph.scopes for graph in union.sides)
    kinds, parents, places = array("b", other.kinds), array("i", other.parents), list(other.places)
    images: list[int] = []
    for scope, partner in enumerate(_partners_of_scopes(union, one, other)):
        if partner < 0:
            partner = len(kinds)
            kinds.append(one.kinds[scope])
            parents.append(images[one.parents[scope]])
            places.append(one.places[scope])
        images.append(partner)
    old = np.array(images, np.int64)[np.asarray(one.of_node, np.int64)]
    of_node = union.joined(old, np.asarray(other.of_node, np.int64))
    _move_into_added(union, of_node, old, parents, len(other))
    _move_into_expressions(union, of_node, kinds, parents, places)
    return tree_of(kinds, parents, places, _ints(of_node), union.offsets, labels)


def _partners_of_scopes(union: UnionGraph, one: ScopeTree, other: ScopeTree) -> list[int]:
    """Return for each scope of the first graph that of the second with most of its nodes; -1 for none."""
    nodes, mates = union.comparison.pairs
    scopes = np.asarray(one.of_node, np.int64)[nodes], np.asarray(other.of_node, np.int64)[mates]
    pairs, counts = np.unique(scopes[0] * len(other) + scopes[1], return_counts=True)
    votes: list[Counter[int]] = [Counter() for _ in range(len(one))]
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        scope, partner = divmod(pair, len(other))
        votes[scope][partner] += count
    result = [-1] * len(one)
    for scope in range(len(one) - 1, -1, -1):
        alike = [(count, -each) for each, count in votes[scope].items() if other.kinds[each] == one.kinds[scope]]
        result[scope] = -max(alike)[1] if alike else -1 if scope else 0
        if scope:  # what is around it is around its partner
            around = votes[one.parents[scope]]
            for each, count in votes[scope].items():
                inner = each == result[scope]
                around[max(other.parents[each], 0) if inner else each] += count
    return result


def _move_into_added(union: UnionGraph, of_node: np.ndarray, old: np.ndarray, parents: array, count: int) -> None:
    """Leave pairs in an added scope, where the second graph has their nodes right beside it."""
    pairs = np.flatnonzero((union.before >= 0) & union.is_after)
    scopes = old[union.before[pairs]]
    stays = (scopes >= count) & (np.asarray(parents, np.int64)[scopes] == of_node[pairs])
    of_node[pairs[stays]] = scopes[stays]


def _move_into_expressions(
    union: UnionGraph, of_node: np.ndarray, kinds: array, parents: array, places: list[tuple[Any, int]]
) -> None:
    """Put nodes into the scope of the expression that made them, if it is beside them."""
    beside = {
        (parents[scope], id(places[scope][0]), places[scope][1]): scope
        for scope, kind in enumerate(kinds)
        if kind == EXPRESSION
    }
    if not beside:
        return
    codes = [id(call.code) for call in union.call_table]
    offsets = union.offsets
    around = np.flatnonzero(np.isin(of_node, [scope for scope, *_ in beside]))
    for node in around.tolist():
        of_node[node] = beside.get((int(of_node[node]), codes[union.calls[node]], offsets[node]), of_node[node])
