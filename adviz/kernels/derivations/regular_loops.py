"""Loops of a traced function whose iterations all do the same: they are derived once, and stay loops in a program.

An iteration takes the state that the one before it left, values from outside, and entries of arrays whose indices grow
from iteration to iteration. Iterations at the beginning that are different, as where the state is not traced yet, stay
as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...engine.rules.indexing import INDEX
from ...graph.graph import Graph
from ...graph.reach import reachable
from ...graph.scopes import ITERATION, LOOP
from ...graph.versions import whole
from ..terms.array_terms import key_of

FEWEST = 3
"""Iterations that are worth a loop."""


class Local(NamedTuple):
    """The value of an iteration's node, by its place in the iteration."""

    place: int


class Carried(NamedTuple):
    """What the iteration before left at a place; in the first one, the operand ``first``, a node or a literal."""

    place: int
    first: int


class Fixed(NamedTuple):
    """A node outside the loop, or a literal (negative)."""

    node: int


class Key(NamedTuple):
    """A key whose whole numbers grow by ``step`` from iteration to iteration, and what it is in the first one."""

    first: Any
    step: Any


Slot = Local | Carried | Fixed | Key


class Loop(NamedTuple):
    """A regular loop: the nodes ``start`` to ``end`` are ``iterations`` of ``length`` nodes each.

    ``slots`` has the operands of each node of an iteration, none for nodes that lead to no result; ``results`` are the
    places of the last one that are used after the loop.
    """

    start: int
    length: int
    iterations: int
    slots: tuple[tuple[Slot, ...], ...]
    results: tuple[int, ...] = ()

    @property
    def firsts(self) -> dict[int, int | None]:
        """The state by places: what the first iteration takes for it, ``None`` if none takes it but what follows."""
        carried = {slot.place: slot.first for operands in self.slots for slot in operands if isinstance(slot, Carried)}
        return dict.fromkeys(sorted({*carried, *self.results})) | carried

    @property
    def fixed(self) -> list[int]:
        """The nodes outside that every iteration takes, but for arrays of which it takes entries."""
        result = (
            slot.node
            for operands in self.slots
            if not _is_keyed(operands)
            for slot in operands
            if isinstance(slot, Fixed)
        )
        return sorted({node for node in result if node >= 0})

    @property
    def entries(self) -> dict[int, tuple[int, Key]]:
        """The places that take entries of an array outside: the array, and the keys."""
        return {
            place: (operands[0].node, operands[1])
            for place, operands in enumerate(self.slots)
            if _is_keyed(operands) and isinstance(operands[0], Fixed) and isinstance(operands[1], Key)
        }

    @property
    def taken(self) -> list[tuple[tuple[str, int], int]]:
        """What the loop takes, and the node: the state at first, what is fixed, and arrays that have entries."""
        state = [(("state", place), first) for place, first in self.firsts.items() if first is not None and first >= 0]
        fixed = [(("fixed", node), node) for node in self.fixed]
        return [*state, *fixed, *((("entries", base), base) for base, _ in self.entries.values())]

    @property
    def end(self) -> int:
        """The first node after the loop."""
        return self.start + self.iterations * self.length

    @property
    def last(self) -> int:
        """The first node of the last iteration."""
        return self.end - self.length


def _is_keyed(operands: tuple[Slot, ...]) -> bool:
    return any(isinstance(slot, Key) for slot in operands)


def loops_of(graph: Graph, level: int = 0) -> list[Loop]:
    """Return the regular loops of a graph, in their order: the outermost ones, or those within ``level`` others.

    >>> import adviz, numpy as np
    >>> def walk(x, steps):
    ...     for step in steps:
    ...         x = np.sin(x) * step
    ...     return x
    >>> [(loop.start, loop.length, loop.iterations) for loop in loops_of(adviz.trace(walk, 1.0, np.ones(5)))]
    [(2, 3, 5)]
    """
    result = (_regular(graph, ranges) or _regular(graph, _in_pairs(ranges)) for ranges in _iterations(graph, level))
    return [loop for loop in result if loop is not None]


def _in_pairs(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return two ranges as one: around another loop, the entry that an iteration takes is counted by itself."""
    return [(one[0], other[1]) for one, other in zip(ranges[::2], ranges[1::2], strict=False)]


def _iterations(graph: Graph, level: int) -> Iterator[list[tuple[int, int]]]:
    """Yield the ranges of nodes of the iterations of each loop that is within so many others."""
    tree = graph.scopes
    of_scope: dict[int, tuple[int, int] | None] = {}
    by_loop: dict[int, dict[int, list[int]]] = {}
    for node, scope in enumerate(tree.of_node):
        if scope not in of_scope:
            of_scope[scope] = _place(tree, scope, level)
        if (place := of_scope[scope]) is not None:
            loop, iteration = place
            by_loop.setdefault(loop, {}).setdefault(iteration, []).append(node)
    for iterations in by_loop.values():
        yield [(nodes[0], nodes[-1] + 1) for nodes in iterations.values()]


def _place(tree: Any, scope: int, level: int) -> tuple[int, int] | None:
    """Return the loop within so many others that a scope is in, and the iteration of it."""
    path = tree.path(scope)
    loops = [number for number, each in enumerate(path) if tree.kinds[each] == LOOP]
    if len(loops) <= level:
        return None
    inner = [each for each in path[loops[level] :] if tree.kinds[each] == ITERATION]
    return (path[loops[level]], inner[0]) if inner else None


def _regular(graph: Graph, ranges: list[tuple[int, int]]) -> Loop | None:
    """Return the loop of the last iterations that do the same, if there are enough of them."""
    if not ranges:
        return None
    length = ranges[-1][1] - ranges[-1][0]
    first = len(ranges) - 1
    while first > 0 and ranges[first - 1] == (ranges[first][0] - length, ranges[first][0]):
        first -= 1
    while len(ranges) - first >= FEWEST:
        loop = _from(graph, ranges[first][0], length, len(ranges) - first)
        if loop is not None:
            return loop
        first += 1
        if first > 3:  # whatever begins differently does so in the first few
            return None
    return None


def _from(graph: Graph, start: int, length: int, count: int) -> Loop | None:
    slots: list[tuple[Slot, ...]] = []
    for place in range(length):
        nodes = range(start + place, start + count * length, length)
        if not any(graph.live[node] for node in nodes):
            slots.append(())
            continue
        if any(graph.blocks[node] is not graph.blocks[nodes[0]] for node in nodes):
            return None
        operands = [graph.operands(node) for node in nodes]
        if len({len(each) for each in operands}) > 1:
            return None
        is_key = [graph.blocks[nodes[0]] is INDEX and k == 1 for k in range(len(operands[0]))]
        own_slots = [
            _slot(graph, start, length, each, keyed)
            for each, keyed in zip(zip(*operands, strict=True), is_key, strict=True)
        ]
        if None in own_slots:
            return None
        slots.append(tuple(own_slots))  # type: ignore[arg-type]
    loop = Loop(start, length, count, tuple(slots))
    later = [node for node in range(loop.end, len(graph)) if graph.live[node]]
    used = {operand for node in later for operand in graph.operand_nodes(node) if start <= operand < loop.end}
    used |= {node for node in graph.outputs if start <= node < loop.end}
    if any(node < loop.last for node in used):
        return None
    loop = _without_unused(loop._replace(results=tuple(sorted(node - loop.last for node in used))))
    if not all(_is_alike(graph, first, loop.last + place) for place, first in loop.firsts.items()):
        return None
    is_whole = all(not _is_keyed(operands) or place in loop.entries for place, operands in enumerate(loop.slots))
    firsts = [first for first in loop.firsts.values() if first is not None and first >= 0]
    if not is_whole or not all(graph.live[first] for first in firsts):
        return None  # a state that begins with what is not live has no say in the results
    return loop


def _without_unused(loop: Loop) -> Loop:
    """Return the loop without the operands of what leads to no result."""

    def taken(place: int) -> list[int]:
        return [slot.place for slot in loop.slots[place] if isinstance(slot, Local | Carried)]

    used = reachable(loop.results, taken)
    return loop._replace(slots=tuple(slots if place in used else () for place, slots in enumerate(loop.slots)))


def _is_alike(graph: Graph, first: int | None, last: int) -> bool:
    """Tell whether the state begins with an array of the shape and dtype that it has at the end, or with a literal."""
    if first is None or first < 0:
        return True
    one, other = (np.asarray(whole(graph.values[node])) for node in (first, last))
    return one.shape == other.shape and one.dtype == other.dtype


def _slot(graph: Graph, start: int, length: int, operands: tuple[int, ...], is_key: bool) -> Slot | None:
    """Return what the same operand of all iterations is."""
    first = operands[0]
    if all(each == first for each in operands) and first < start:
        return Fixed(first)
    if all(each < 0 for each in operands):
        values = [graph.literal(each) for each in operands]
        if len({key_of(value) for value in values}) == 1:
            return Fixed(first)
        return _growing(values) if is_key else None
    places = [each - start - k * length for k, each in enumerate(operands)]
    if all(0 <= place < length and place == places[0] for place in places):
        return Local(places[0])
    before = {place + length for place in places[1:]}
    if len(before) == 1 and 0 <= (place := before.pop()) < length and first < start:
        return Carried(place, first)
    return None


def _growing(keys: list[Any]) -> Key | None:
    """Return a key that has whole numbers which grow by the same step, all the rest being equal."""
    parts = [key if isinstance(key, tuple) else (key,) for key in keys]
    if len({len(each) for each in parts}) > 1:
        return None
    steps = []
    for column in zip(*parts, strict=True):
        numbers = all(type(each) is int for each in column)
        step = column[1] - column[0] if numbers else 0
        if numbers and any(each != column[0] + k * step for k, each in enumerate(column)):
            return None
        if not numbers and len({key_of(each) for each in column}) > 1:
            return None
        steps.append(step)
    return Key(parts[0], tuple(steps))
