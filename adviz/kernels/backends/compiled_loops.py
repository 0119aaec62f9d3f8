"""Programs as loops over points, on flat arrays: what compiled back ends have in common.

At point ``p`` of ``count`` a loop loads the numbers of the arguments from their arrays ``a0``…, executes the
instructions, and stores all results in one array ``r``. These assignments are in the language of the back end.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.trace_errors import InputError
from ..expressions.operations import OPERATIONS
from ..planning.schedule import Instruction, Schedule
from ..points.batches import Batch
from ..points.results import Part
from ..points.source_text import place_names
from ..program_errors import missing_operation

Assignments = list[tuple[str, str]]
"""Targets with their right-hand sides."""


class Layout(NamedTuple):
    """The arrays in memory: numbers of each argument at one point, and whether it is the same at all points."""

    sizes: tuple[int, ...]
    shared: tuple[bool, ...]
    points: str

    def address(self, array: str, row: int, size: int, start: int = 0) -> str:
        """Where a number is at point ``p``, in an array of ``size`` numbers at each point, after ``start`` others.

        >>> layout = Layout((3,), (False,), "first")
        >>> layout.address("a0", 2, 3), layout._replace(points="last").address("a0", 2, 3)
        ('a0[p * 3 + 2]', 'a0[2 * count + p]')
        """
        if self.points == "last":
            return f"{array}[{start + row} * count + p]"
        return f"{array}[{f'{start} * count + ' if start else ''}p * {size} + {row}]"

    def inputs(self) -> Iterator[str]:
        """Where the number of each input is."""
        for k, (size, is_shared) in enumerate(zip(self.sizes, self.shared, strict=True)):
            for row in range(size):
                yield f"a{k}[{row}]" if is_shared else self.address(f"a{k}", row, size)


class Loop(NamedTuple):
    """The assignments of one point: loads of ``x0``…, steps that compute ``v7``…, and stores of the results."""

    loads: Assignments
    steps: Assignments
    stores: Assignments


def loop_of(
    schedule: Schedule,
    parts: Sequence[Part],
    layout: Layout,
    write: Callable[[Instruction, dict[int, str]], str],
) -> Loop:
    """The loop of a program; ``write`` writes the right-hand sides."""
    names = place_names(schedule)
    loads = [(f"x{k}", address) for k, address in enumerate(layout.inputs())]
    steps = [(names[each.place], write(each, names)) for each in schedule.instructions]
    outputs = [names[place] for place in schedule.outputs]
    stores: Assignments = []
    for part in parts:
        start, size = len(stores), part.leaf.size
        made = enumerate(part.numbers(outputs, "0.0"))
        stores += [(layout.address("r", row, size, start), value) for row, value in made]
    return Loop(loads, steps, stores)


def check_operations(schedule: Schedule, known: Container[str], name: str) -> None:
    """Raise a :class:`~adviz.ProgramError` for an operation that a back end does not have."""
    for each in schedule.instructions:
        if each.operation not in known and not OPERATIONS[each.operation].sign:
            raise missing_operation(each.operation, name)


def check_dtype(dtype: Any) -> None:
    """Raise an :class:`~adviz.InputError` for a dtype that no loop is compiled for."""
    if str(dtype) not in ("float32", "float64"):
        raise InputError(f"The arguments are of dtype {dtype}; loops are compiled for float32 and float64. Cast them.")


def layout_of(given: Batch, points: str) -> Layout:
    """The layout of a batch."""
    shared = [matrix.shape[1] < (given.length or 1) for matrix in given.matrices]
    return Layout(tuple(matrix.shape[0] for matrix in given.matrices), tuple(shared), points)


def flat(given: Batch, points: str, xp: Any = np) -> list[Any]:
    """The arguments as flat arrays; only those that are not contiguous are copied."""
    return [xp.ascontiguousarray(each.T if points == "first" else each).reshape(-1) for each in given.matrices]


def results(memory: Any, given: Batch, parts: Sequence[Part], points: str, single: tuple[int, ...] = ()) -> list[Any]:
    """The arrays of the results, one after the other in memory; ``single`` is the axis of a single point, if any."""
    length, start, found = single if given.length is None else (given.size,), 0, []
    for leaf, _, _ in parts:
        stop = start + leaf.size * given.size
        found.append(memory[start:stop].reshape(leaf.shape_of(length, points)))
        start = stop
    return found
