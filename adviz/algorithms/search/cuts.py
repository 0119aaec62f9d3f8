"""The least vertex cut between what stays and a vertex, by maximal flow on bit masks.

Graphs are as in :mod:`~.masks`, which says what cuts are good for; this is written for both engines, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Masks = list[int]
"""Bit masks by vertex, or other numbers; in compiled code arrays."""
Ints = Sequence[int]

HUGE = 1 << 1000
"""More than any cost; compiled code has another."""


class Room(NamedTuple):
    """The arrays that the search of a cut writes to; all zero between the calls."""

    flow: Masks
    through: Masks
    carriers: Masks
    parent: Masks
    queue: Masks


def place(bit: int) -> int:
    """Return the place of the one bit that is set."""
    return bit.bit_length() - 1


def weight(mask: int, sizes: Ints) -> int:
    """Return the sum of the sizes of the vertices in a mask."""
    total = 0
    while mask:
        bit = mask & -mask
        mask ^= bit
        total += sizes[place(bit)]
    return total


def cut(preds: Masks, sizes: Ints, inside: int, j: int, room: Room) -> int:
    """Return the weight of the least vertex cut between what stays and ``j``: a maximal flow by shortest paths.

    Each vertex is split into a way in (even) and a way out (odd) with its size between them; paths start at ``j``.
    """
    most = weight(preds[j], sizes)  # the predecessors are a cut, too
    if preds[j] & inside == 0:
        return most
    total = touched = 0
    while total < most:
        end = shortest_path(preds, sizes, inside, j, room)
        if end < 0:
            break
        least, on_path = augment(sizes, 2 * j + 1, end, room)
        total += least
        touched |= on_path
    clear(touched, len(sizes), room)
    return total


def shortest_path(preds: Masks, sizes: Ints, inside: int, j: int, room: Room) -> int:
    """Find a shortest augmenting path from ``j``, written to ``room.parent``; its end, or -1 if there is none."""
    _, through, carriers, parent, queue = room
    queue[0] = 2 * j + 1
    head, tail = 0, 1
    into, out = 0, 1 << j
    while head < tail:
        x = queue[head]
        head += 1
        v = x >> 1
        if x & 1:
            new = preds[v] & ~into
            if v != j and through[v] > 0:
                new |= (1 << v) & ~into
            step = 0
            into |= new
        elif through[v] < sizes[v] and not (inside >> v) & 1:
            parent[x + 1] = x
            return x + 1
        else:
            new = carriers[v] & ~out
            if through[v] < sizes[v]:
                new |= (1 << v) & ~out
            step = 1
            out |= new
        while new:
            bit = new & -new
            new ^= bit
            y = 2 * place(bit) + step
            parent[y] = x
            queue[tail] = y
            tail += 1
    return -1


def augment(sizes: Ints, source: int, end: int, room: Room) -> tuple[int, int]:
    """Send as much flow as fits along the path from ``source`` to ``end``; how much, and the vertices on the path."""
    flow, through, carriers, parent, _ = room
    n = len(sizes)
    least = HUGE
    x = end
    while x != source:
        y = parent[x]
        if x >> 1 == y >> 1:
            least = min(least, sizes[x >> 1] - through[x >> 1] if x & 1 else through[x >> 1])
        elif x & 1:
            least = min(least, flow[(x >> 1) * n + (y >> 1)])
        x = y
    touched = 0
    x = end
    while x != source:
        y = parent[x]
        v = x >> 1
        u = y >> 1
        touched |= 1 << v
        if u == v:
            through[v] += least if x & 1 else -least
        elif x & 1:
            flow[v * n + u] -= least
            if flow[v * n + u] == 0:
                carriers[u] &= ~(1 << v)
        else:
            flow[u * n + v] += least
            carriers[v] |= 1 << u
        x = y
    return least, touched


def clear(touched: int, n: int, room: Room) -> None:
    """Remove all flow from the vertices that it touched."""
    flow, through, carriers, _, _ = room
    while touched:
        bit = touched & -touched
        touched ^= bit
        v = place(bit)
        through[v] = 0
        while carriers[v]:
            one = carriers[v] & -carriers[v]
            carriers[v] ^= one
            flow[place(one) * n + v] = 0
