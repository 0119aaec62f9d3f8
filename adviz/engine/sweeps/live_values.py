"""Values that are in memory at the same time: while a graph is evaluated, and while its gradient is computed."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...graph.graph import Graph, Node
from ...graph.versions import stored


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
