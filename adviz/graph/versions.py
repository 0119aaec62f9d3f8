"""Values of arrays that were written to: one version of a chain is stored whole, the others as differences.

Ten thousand writes into an array of ten thousand numbers would be as many arrays. A :class:`Chain` keeps the values at
the key of every write, before and after it, and restores a version on request from the version restored last: to go
through all of them, in either direction, takes one copy and one write each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np


class Chain:
    """Versions of one array, each made from the previous one by a write: key, values before and values after."""

    def __init__(self, first: np.ndarray):
        self.writes: list[tuple[Any, np.ndarray, np.ndarray]] = []
        self.whole = (0, first)  # replaced as a whole: other threads may read it
        self.outline = np.broadcast_to(np.zeros((), first.dtype), first.shape)

    def add(self, key: Any, before: np.ndarray, after: np.ndarray) -> Version:
        """Append the next version; return what is stored in place of the previous one."""
        self.writes.append((key, np.array(before[key]), np.array(after[key])))
        self.whole = (len(self.writes), after)
        return Version(self, len(self.writes) - 1)

    def version(self, place: int) -> np.ndarray:
        """One of the versions, as a read-only array."""
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
    """What is stored in place of the value of a node: its chain, and its place there."""

    chain: Chain
    place: int

    @property
    def nbytes(self) -> int:
        """Bytes of the values that the next write changes, before and after."""
        _, old, new = self.chain.writes[self.place]
        return old.nbytes + new.nbytes

    def array(self) -> np.ndarray:
        """The value."""
        return self.chain.version(self.place)


class Values(Sequence[Any]):
    """Values by node, as arrays and numbers; ``stored`` has Versions in place of some.

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
        found = self.stored[index]
        return [*map(whole, found)] if isinstance(index, slice) else whole(found)

    def __iter__(self) -> Iterator[Any]:
        return map(whole, self.stored)


def whole(stored: Any) -> Any:
    """A value from what is stored of it."""
    return stored.array() if type(stored) is Version else stored


def stored(values: Any) -> Any:
    """What is stored of values: looking through it makes no arrays."""
    return values.stored if isinstance(values, Values) else values
