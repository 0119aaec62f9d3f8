"""Versions of arrays that were written to: one of a chain is stored whole, the others as what changed.

Ten thousand writes into an array of ten thousand numbers would be as many arrays. A :class:`Chain` keeps for every
write the entries at its key before and after, and makes a version on request, from the one that was requested last: to
go through all of them, forwards or backwards, takes one copy and one write for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np


class Chain:
    """Versions of one array, each made from the last one by a write: its key, the old entries and the new ones."""

    def __init__(self, first: np.ndarray):
        self.writes: list[tuple[Any, np.ndarray, np.ndarray]] = []
        self.whole = (0, first)  # one tuple, so that another thread sees both change at once
        self.outline = np.broadcast_to(np.zeros((), first.dtype), first.shape)

    def add(self, key: Any, before: np.ndarray, after: np.ndarray) -> Version:
        """Add the version ``after``; return what is stored for ``before``."""
        self.writes.append((key, np.array(before[key]), np.array(after[key])))
        self.whole = (len(self.writes), after)
        return Version(self, len(self.writes) - 1)

    def version(self, place: int) -> np.ndarray:
        """Return one of the versions, as a read-only array."""
        at, array = self.whole
        if place != at:
            array = array.copy(order="K")
            for key, _, new in self.writes[at:place]:
                array[key] = new
            for key, old, _ in reversed(self.writes[place:at]):
                array[key] = old
            array.flags.writeable = False
            self.whole = (place, array)
        return array


class Version(NamedTuple):
    """What is stored instead of the value of a node: its chain, and its place there."""

    chain: Chain
    place: int

    @property
    def nbytes(self) -> int:
        """Bytes of the old and the new entries of the write that follows."""
        _, old, new = self.chain.writes[self.place]
        return old.nbytes + new.nbytes

    def array(self) -> np.ndarray:
        """Return the value."""
        return self.chain.version(self.place)


class Values(Sequence[Any]):
    """Values by node, as arrays and numbers; ``stored`` has Versions instead of some.

    >>> first = np.zeros(3)
    >>> chain = Chain(first)
    >>> values = Values([chain.add(1, first, np.array([0.0, 5.0, 0.0])), 2.5])
    >>> list(values), values[0].flags.writeable
    ([array([0., 0., 0.]), 2.5], False)
    """

    def __init__(self, stored: list[Any]):
        self.stored = stored

    def __len__(self) -> int:
        return len(self.stored)

    def __getitem__(self, index: Any) -> Any:
        result = self.stored[index]
        return [*map(whole, result)] if isinstance(index, slice) else whole(result)

    def __iter__(self) -> Iterator[Any]:
        return map(whole, self.stored)


def whole(stored: Any) -> Any:
    """Return the value that something stored stands for."""
    return stored.array() if type(stored) is Version else stored


def stored(values: Any) -> Any:
    """Return what is stored for values; iterating over it makes no arrays."""
    return values.stored if isinstance(values, Values) else values
