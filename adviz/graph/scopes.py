"""The scopes of a graph: which call, which loop, which iteration each node was made in.

A trace records, per node, the call (one run of one user function) and the instruction offset. From these
``scope_drafts`` makes a tree: calls contain loops, loops contain iterations, and an expression that NumPy evaluated
number by number contains the nodes of one evaluation. Scopes are numbered in preorder, so that the subtree of a scope
is a range of numbers; scopes with equal contents have equal signatures, so that repetitions can be folded.
"""

from __future__ import annotations

from array import array
from types import CodeType
from typing import NamedTuple

import numpy as np

KINDS = ("call", "loop", "iteration", "expression", "part", "argument", "writes")
CALL, LOOP, ITERATION, EXPRESSION, PART, ARGUMENT, WRITES = range(7)
NOWHERE = -1
"""The offset of a node that no instruction made; the entries of one argument or result share a lower one."""


class Call(NamedTuple):
    """One run of a user function: its code, the run it was called from, and the calling instruction's offset."""

    code: CodeType | None
    parent: int
    offset: int


class Scope(NamedTuple):
    """A view of one scope, made on request from the columns of the tree. A named scope has a name instead of a code."""

    number: int
    kind: str
    code: CodeType | str | None
    offset: int
    parent: int
    end: int
    nodes: int
    signature: int
    ordinal: int


class Run(NamedTuple):
    """Neighboring scopes with equal signatures: the first, the number after the last one's subtree, their count."""

    first: int
    end: int
    repeat: int


class ScopeTree:
    """Columns over scopes, in preorder, and the innermost scope of every node (``of_node``)."""

    def __init__(self, kinds: array, parents: array, places: list[tuple[CodeType | str | None, int]], of_node: array):
        self.kinds, self.parents, self.places, self.of_node = kinds, parents, places, of_node
        count = len(kinds)
        self.ends = array("i", range(1, count + 1))
        self.nodes = array("i", np.bincount(np.array(of_node, np.int64), minlength=count).tolist())
        for scope in range(count - 1, 0, -1):
            parent = parents[scope]
            self.ends[parent] = max(self.ends[parent], self.ends[scope])
            self.nodes[parent] += self.nodes[scope]
        self.ordinals = array("i", bytes(4 * count))
        counts: dict[tuple[int, bool], int] = {}
        for scope in range(1, count):
            is_part, parent = kinds[scope] == PART, parents[scope]
            while not is_part and kinds[parent] == PART:  # iterations are numbered through all parts of their loop
                parent = parents[parent]
            counts[parent, is_part] = self.ordinals[scope] = counts.get((parent, is_part), 0) + 1
        self.signatures: array = array("i")

    def __len__(self) -> int:
        return len(self.kinds)

    def __getitem__(self, scope: int) -> Scope:
        columns = self.parents, self.ends, self.nodes, self.signatures, self.ordinals
        return Scope(scope, KINDS[self.kinds[scope]], *self.places[scope], *(column[scope] for column in columns))

    def first_node(self, scope: int) -> int:
        """Return the first node inside a scope."""
        return next(node for node, inner in enumerate(self.of_node) if scope <= inner < self.ends[scope])

    def iterations(self, loop: int) -> int:
        """Return the number of iterations of a loop, over all parts that they are split into."""
        last = loop
        while self.kinds[last] != ITERATION:
            last = self.children(last)[-1]
        return self.ordinals[last]

    def runs(self, scope: int) -> list[Run]:
        """Return the scopes directly inside a scope, in runs of neighbors with equal signatures."""
        runs: list[Run] = []
        for child in self.children(scope):
            last = runs[-1] if runs else None
            if last and self.signatures[last.first] == self.signatures[child]:
                runs[-1] = Run(last.first, self.ends[child], last.repeat + 1)
            else:
                runs.append(Run(child, self.ends[child], 1))
        return runs

    def children(self, scope: int) -> list[int]:
        """Return the scopes directly inside a scope, in order."""
        result, child = [], scope + 1
        while child < self.ends[scope]:
            result.append(child)
            child = self.ends[child]
        return result

    def path(self, scope: int) -> list[int]:
        """Return the scopes from the root to ``scope``, both included."""
        path = [scope]
        while self.parents[path[-1]] >= 0:
            path.append(self.parents[path[-1]])
        return path[::-1]
