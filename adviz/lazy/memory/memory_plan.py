"""A memory plan: for each value of a computation from when until when it lives, and in which bytes, by several methods.

With a :class:`MemoryPlan` you can

* compare: ``plan.peaks`` has the bytes that each method takes, ``plan.lower_bound`` what no method without writing in
  place can do without;
* see who lives where: ``plan.coloring.places`` is the table of one method, a line for each value; ``plan.text()``;
* draw: ``plan.running`` says what runs in which order, ``plan.live`` how many bytes are in use meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

ALIGNMENT = 8
"""Bytes: every value begins at a multiple of them, as numbers in double precision must."""


def aligned(count: int) -> int:
    """Return bytes that a value takes: those it has, up to the next multiple of :data:`ALIGNMENT`.

    >>> aligned(0), aligned(3), aligned(16)
    (0, 8, 16)
    """
    return -(-count // ALIGNMENT) * ALIGNMENT


class Running(NamedTuple):
    """An instruction at its place in the running order; ``op`` is the one that it belongs to, if any.

    ``kind`` is ``"parameter"`` or ``"storage"`` (bytes from outside, before the computation runs), ``"view"`` (bytes
    of ``base``, another instruction's number, or of a constant), ``"fused"`` (none: it is read where it is made, entry
    by entry) or ``"value"`` (bytes that are planned).
    """

    number: int
    name: str
    what: str
    op: Any
    kind: str
    bytes: int
    base: int | None = None


class Place(NamedTuple):
    """Where one value lives: bytes ``offset`` to ``offset + bytes`` of the arena, from ``first`` to ``last``.

    ``number`` is that of its instruction. It is computed at ``first``, a place in the running order, and read at
    ``last`` for the last time; what is returned or stored lives to the end, which is the number of all instructions.
    ``buffer`` is the lane that it is in: with ``"naive"`` and ``"coloring"`` one of the buffers, else one for each
    offset. ``reused_from`` is the value (its number) that had these bytes before, the last of them if there are
    several; ``in_place`` says that it took them over while that was read.
    """

    number: int
    name: str
    op: Any
    first: int
    last: int
    bytes: int
    offset: int
    buffer: int
    reused_from: int | None = None
    in_place: bool = False


@dataclass(frozen=True)
class Layout:
    """What one method makes of a computation: its ``places``, in running order, and the bytes of the whole arena."""

    method: str
    places: tuple[Place, ...]
    peak: int
    lower_bound: int
    """The most bytes that live at the same time; a value that is overwritten in place is not counted twice."""

    @cached_property
    def of_number(self) -> dict[int, Place]:
        """The place of each value, by the number of its instruction."""
        return {place.number: place for place in self.places}

    @property
    def buffers(self) -> list[tuple[int, int]]:
        """Offset and bytes of each buffer, or lane."""
        result: dict[int, tuple[int, int]] = {}
        for place in self.places:
            offset, size = result.get(place.buffer, (place.offset, 0))
            result[place.buffer] = offset, max(size, aligned(place.bytes))
        return [result[buffer] for buffer in sorted(result)]


@dataclass(frozen=True)
class MemoryPlan:
    """The layouts of a computation by all methods; see the head of this module.

    ``naive``: a buffer for each value. ``coloring``: one for each color of the interference graph. ``offsets`` and
    ``first_fit``: pieces of one arena, in the order in which values come; ``by_size``: the largest value first.
    ``in_place``: the largest value first, and operations on entries write over an operand that nothing reads later.
    """

    running: tuple[Running, ...]
    live: tuple[int, ...]
    """For each instruction the bytes of values that live while it runs, operands and its own value included."""
    naive: Layout
    coloring: Layout
    offsets: Layout
    first_fit: Layout
    by_size: Layout
    in_place: Layout

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """All of them, the plainest first."""
        return self.naive, self.coloring, self.first_fit, self.offsets, self.by_size, self.in_place

    @property
    def peaks(self) -> dict[str, int]:
        """Bytes of the arena, by method."""
        return {layout.method: layout.peak for layout in self.layouts}

    @property
    def lower_bound(self) -> int:
        """The most bytes that live at the same time, in :attr:`live`."""
        return self.naive.lower_bound

    @property
    def peak_at(self) -> int:
        """Where the most bytes live: a place in the running order."""
        return max(range(len(self.live)), key=self.live.__getitem__, default=0)

    def text(self, method: str = "in place") -> str:
        """Return the table of one method, and the peaks of all."""
        (layout,) = (each for each in self.layouts if each.method == method)
        return "\n".join(_lines(self, layout))


def _lines(plan: MemoryPlan, layout: Layout) -> Iterator[str]:
    names = {place.number: place.name for place in layout.places}
    head = ("value", "op", "first", "last", "offset", "bytes", "had by")
    body = [
        (
            place.name,
            plan.running[place.first].what,
            str(place.first),
            str(place.last),
            str(place.offset),
            str(place.bytes),
            f"{names.get(place.reused_from, '')}{', in place' if place.in_place else ''}",  # type: ignore[arg-type]
        )
        for place in layout.places
    ]
    yield from _columns([head, *body])
    yield "bytes: " + ", ".join(f"{method} {peak:,}" for method, peak in plan.peaks.items())
    yield f"live at the same time, at most: {plan.lower_bound:,}"


def _columns(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    lines = list(rows)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
