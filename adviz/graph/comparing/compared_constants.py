"""The constants that the nodes of two graphs take, ``2.0`` in ``x**2.0`` or ``1:`` in ``x[1:]``, compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..graph import ABSENT, Graph
from ..wording import few, literal


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
        """Which nodes of the first graph take a constant where a node of the second one takes another constant."""
        (first, second, more), partners = self._columns(0, nodes), self._columns(1, others)
        found = np.zeros(len(nodes), bool)
        for one, other in ((first, partners[0]), (second, partners[1])):
            found |= (one >= 0) & (other >= 0) & (one != other)
        for place in np.flatnonzero(more >= 0).tolist():
            found[place] |= any(True for _ in self._changes(int(nodes[place]), int(others[place])))
        return found

    def columns(self, nodes: np.ndarray, others: np.ndarray) -> list[np.ndarray]:
        """What is said of the constants of pairs of nodes, as numbers that are equal where the same is said."""
        return [*self._columns(0, nodes), *self._columns(1, others)]

    def _columns(self, side: int, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The constants that nodes take as their first and second operand, and those nodes that have more; else -1."""
        rest = np.isin(nodes, list(self.sides[side].rest))
        return self._column(side, "first", nodes), self._column(side, "second", nodes), np.where(rest, nodes, -1)

    def _column(self, side: int, name: str, nodes: np.ndarray) -> np.ndarray:
        """The constants that nodes take as their first or second operand, -1 where it is a node or there is none."""
        operands = np.asarray(getattr(self.sides[side], name))[nodes]
        return np.where(operands < ABSENT, self._numbers[side][~np.minimum(operands, ABSENT)], -1)

    def _changes(self, node: int, other: int) -> Iterator[tuple[int, int]]:
        """The operands of a node and of another one that are constants, and not the same one."""
        one, two = self._numbers
        for operand, partner in zip(self.sides[0].operands(node), self.sides[1].operands(other), strict=False):
            if operand < ABSENT and partner < ABSENT and one[~operand] != two[~partner]:
                yield operand, partner

    def told(self, node: int, other: int) -> str:
        """The constants of a node that are others in the other graph, before and after: ``2 → 3``."""
        changes = [
            f"{literal(self.sides[0].literal(one))} → {literal(self.sides[1].literal(two))}"
            for one, two in self._changes(node, other)
        ]
        return ", ".join(few(changes, "…"))


def _key(value: Any) -> Any:
    """What is equal for constants that are the same: numbers, texts, arrays and what is made of them."""
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
