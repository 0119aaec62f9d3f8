"""The scopes of two graphs that are laid over each other.

A scope of the first graph is the scope of the second that has most of its nodes, if that is of its kind; else it is
added inside what the scope around it is. Where one of the graphs makes in one node what the other makes number by
number, in a scope of its own, the node is in that scope too, and both are seen side by side.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..scopes import EXPRESSION, ScopeTree, tree_of

if TYPE_CHECKING:
    from .union_graph import UnionGraph


def joined_scopes(union: UnionGraph, labels: Sequence[object]) -> ScopeTree:
    """The scopes of both graphs; ``labels`` tell nodes apart, as in :func:`~adviz.graph.scopes.scope_tree`."""
    one, other = (graph.scopes for graph in union.sides)
    kinds, parents, places = array("b", other.kinds), array("i", other.parents), list(other.places)
    images: list[int] = []
    for scope, partner in enumerate(_partners(union, one, other)):
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
    unmade = set(np.flatnonzero(np.asarray(union.offsets) == -1).tolist())
    return tree_of(
        kinds, parents, places, array("i", of_node.astype(np.int32).tobytes()), union.offsets, labels, unmade
    )


def _partners(union: UnionGraph, one: ScopeTree, other: ScopeTree) -> list[int]:
    """For each scope of the first graph that of the second which has most of its nodes; -1 for none."""
    nodes, mates = union.comparison.pairs
    scopes = np.asarray(one.of_node, np.int64)[nodes], np.asarray(other.of_node, np.int64)[mates]
    pairs, counts = np.unique(scopes[0] * len(other) + scopes[1], return_counts=True)
    votes: list[Counter[int]] = [Counter() for _ in range(len(one))]
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        scope, partner = divmod(pair, len(other))
        votes[scope][partner] += count
    found = [-1] * len(one)
    for scope in range(len(one) - 1, -1, -1):
        alike = [(count, -each) for each, count in votes[scope].items() if other.kinds[each] == one.kinds[scope]]
        found[scope] = -max(alike)[1] if alike else -1 if scope else 0
        if scope:  # what is around it is around its partner
            around = votes[one.parents[scope]]
            for each, count in votes[scope].items():
                inner = each == found[scope]
                around[max(other.parents[each], 0) if inner else each] += count
    return found


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
