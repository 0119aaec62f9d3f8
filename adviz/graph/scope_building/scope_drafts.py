"""Trees of scopes out of drafts: numbered in preorder, with signatures, those that are too large split into parts."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Sequence
from types import CodeType

import numpy as np

from ..scopes import ARGUMENT, CALL, EXPRESSION, NOWHERE, PART, WRITES, Run, ScopeTree

MOST_CHILDREN = 40
"""A scope with more nodes and scopes than this is split into parts, so that each is a picture that can be read."""
MOST_BESIDE = 12
"""The most inputs and outputs that are not part of parts."""
MOST_ALIKE = 150
"""The same for entries of one array, which are shown as a grid."""


class Draft:
    """Scopes in the order they are met, which interleaved calls (generators) make different from preorder."""

    def __init__(self) -> None:
        self.kinds, self.parents = array("b"), array("i")
        self.places: list[tuple[CodeType | str | None, int]] = []

    def add(self, kind: int, parent: int, code: CodeType | str | None, offset: int) -> int:
        self.kinds.append(kind)
        self.parents.append(parent)
        self.places.append((code, offset))
        return len(self.kinds) - 1


def finished(draft: Draft, of_node: array, offsets: Sequence[int], labels: Sequence[object]) -> ScopeTree:
    """Return the tree of a draft, with its signatures; scopes that are too large are split."""
    tree = _in_preorder(draft, of_node)
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    contents = np.array(offsets, np.int64) << 32 | np.array([*map(numbers.__getitem__, labels)], np.int64)
    tree.signatures = _signatures(tree, contents)
    split = _split_crowds(tree, set(np.flatnonzero(np.equal(offsets, NOWHERE)).tolist()))
    if split is not tree:
        split.signatures = _signatures(split, contents)
    return split


def named_tree(paths: Sequence[tuple[str, ...]]) -> ScopeTree:
    """Return the tree of straight-line code in which each node is in scopes of these names, the outermost first.

    >>> tree = named_tree([(), ("values",), ("values", "sums"), ("partials",)])
    >>> [scope for scope, _ in tree.places], list(tree.of_node)
    ([None, 'values', 'sums', 'partials'], [0, 1, 2, 3])
    """
    draft = Draft()
    known: dict[tuple[str, ...], int] = {(): draft.add(CALL, -1, None, 0)}
    for path in paths:
        for depth, name in enumerate(path):
            if path[: depth + 1] not in known:
                known[path[: depth + 1]] = draft.add(CALL, known[path[:depth]], name, 0)
    tree = _in_preorder(draft, array("i", [known[path] for path in paths]))
    tree.signatures = array("i", range(len(tree)))  # no two are alike
    tree = _split_crowds(tree)
    tree.signatures = array("i", range(len(tree)))
    return tree


def tree_of(
    kinds: array,
    parents: array,
    places: list[tuple[CodeType | str | None, int]],
    of_node: array,
    offsets: Sequence[int],
    labels: Sequence[object],
) -> ScopeTree:
    """The tree of scopes of which each stands behind its parent, without empty ones; too large ones are split."""
    is_filled = bytearray(len(kinds))
    for scope in of_node:
        is_filled[scope] = 1
    for scope in range(len(kinds) - 1, 0, -1):
        is_filled[parents[scope]] |= is_filled[scope]
    draft, number = Draft(), [0] * len(kinds)
    for scope in [0, *(scope for scope in range(1, len(kinds)) if is_filled[scope])]:
        number[scope] = draft.add(kinds[scope], number[parents[scope]] if scope else -1, *places[scope])
    return finished(draft, array("i", [number[scope] for scope in of_node]), offsets, labels)


class _OwnNodes:
    """The nodes directly inside each scope, in order."""

    def __init__(self, of_node: Sequence[int], scopes: int):
        self.nodes = np.argsort(np.array(of_node, np.int64), kind="stable")
        self.starts = np.append(0, np.cumsum(np.bincount(np.array(of_node, np.int64), minlength=scopes)))

    def count(self, scope: int) -> int:
        return int(self.starts[scope + 1] - self.starts[scope])

    def __getitem__(self, scope: int) -> list[int]:
        result: list[int] = self.nodes[self.starts[scope] : self.starts[scope + 1]].tolist()
        return result


def _split_crowds(tree: ScopeTree, unmade: Collection[int] = ()) -> ScopeTree:
    """Split scopes that are too large (long straight-line code, iterations that all differ) into parts.

    The nodes that no instruction made, inputs and outputs, stay beside the parts, unless they are many.
    """
    beside = unmade if len(unmade) <= MOST_BESIDE else ()
    own = _OwnNodes(tree.of_node, len(tree))
    first = _first_nodes(tree.of_node, tree.parents, range(len(tree)))
    draft, of_node = Draft(), array("i", tree.of_node)
    draft.kinds, draft.parents, draft.places = array("b", tree.kinds), array("i", tree.parents), list(tree.places)
    for scope in range(len(tree)):
        most = MOST_ALIKE if tree.kinds[scope] in (EXPRESSION, ARGUMENT, WRITES) else MOST_CHILDREN
        if own.count(scope) + tree.ends[scope] - scope - 1 <= most:
            continue
        runs, nodes = tree.runs(scope), own[scope]
        if len(nodes) + len(runs) > most:
            at = {run.first: own[run.first][-1] for run in runs if tree.kinds[run.first] == WRITES}  # after its values
            entries: list[tuple[int, Run | None]] = [(node, None) for node in nodes if node not in beside]
            entries += [(at.get(run.first, first[run.first]), run) for run in runs]
            _split(draft, of_node, scope, sorted(entries, key=lambda entry: entry[0]), tree)
    return tree if len(draft.kinds) == len(tree) else _in_preorder(draft, of_node)


def _split(draft: Draft, of_node: array, scope: int, entries: list[tuple[int, Run | None]], tree: ScopeTree) -> None:
    """Give each stretch of a scope's entries (nodes and runs of scopes) a part of its own, and parts of parts."""
    levels = math.ceil(math.log(len(entries), MOST_CHILDREN))
    size = math.ceil(len(entries) / math.ceil(len(entries) ** (1 / levels)))
    for start in range(0, len(entries), size):
        part = draft.add(PART, scope, *draft.places[scope])
        inside = entries[start : start + size]
        if levels > 2:
            _split(draft, of_node, part, inside, tree)
            continue
        for node, run in inside:
            if run is None:
                of_node[node] = part
            else:
                for child in range(run.first, run.end, (run.end - run.first) // run.repeat):
                    draft.parents[child] = part


def _in_preorder(draft: Draft, of_node: array) -> ScopeTree:
    """Number the scopes so that every subtree is a range, in the order of their first nodes."""
    count = len(draft.kinds)
    children: list[list[int]] = [[] for _ in range(count)]
    order, waiting = [], [0]
    for scope in range(1, count):
        children[draft.parents[scope]].append(scope)
    while waiting:
        scope = waiting.pop()
        order.append(scope)
        waiting += children[scope]
    first = _first_nodes(of_node, draft.parents, order)
    order, waiting = [], [0]
    while waiting:
        scope = waiting.pop()
        order.append(scope)
        waiting += sorted(children[scope], key=first.__getitem__, reverse=True)
    number = array("i", bytes(4 * count))
    for new, old in enumerate(order):
        number[old] = new
    return ScopeTree(
        array("b", (draft.kinds[old] for old in order)),
        array("i", (number[draft.parents[old]] if old else -1 for old in order)),
        [draft.places[old] for old in order],
        array("i", (number[scope] for scope in of_node)),
    )


def _first_nodes(of_node: array, parents: array, order: Sequence[int]) -> list[int]:
    """Return the first node inside each scope; ``order`` has parents before children."""
    least = np.full(len(parents), len(of_node))
    np.minimum.at(least, np.array(of_node, np.int64), np.arange(len(of_node)))
    first: list[int] = least.tolist()
    for scope in reversed(order):
        if scope:
            first[parents[scope]] = min(first[parents[scope]], first[scope])
    return first


def _signatures(tree: ScopeTree, contents: np.ndarray) -> array:
    """Equal numbers for scopes that hold the same blocks from the same places (``contents``), in the same order."""
    known: dict[object, int] = {}
    own = _OwnNodes(tree.of_node, len(tree))
    kept = contents[own.nodes].tobytes()
    starts = own.starts.tolist()
    signatures = array("i", bytes(4 * len(tree)))
    for scope in range(len(tree) - 1, -1, -1):
        inside = kept[8 * starts[scope] : 8 * starts[scope + 1]]
        below = tuple([signatures[child] for child in tree.children(scope)])
        code, offset = tree.places[scope]
        key = (tree.kinds[scope], id(code), offset, inside, below)
        signatures[scope] = known.setdefault(key, len(known))
    return signatures
