"""Running a program in parts: whole ones at once, those of rows block by block."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...engine.recording.non_finite import checksum
from ..sources.array_modules import defined
from .row_blocks import Plan, RowsPart, WholePart

Blocks = Callable[[dict[int, Any]], dict[int, float]]


def runner(plan: Plan) -> Callable[[Sequence[Any]], tuple[list[Any], list[Any]]]:
    """A function of the arrays of the arguments: those of the results, and what tells whether they are finite.

    Results are arrays of their own.
    """
    steps = [(part, _rows(plan, part) if isinstance(part, RowsPart) else _whole(part)) for part in plan.parts]

    def run(arrays: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        values: dict[int, Any] = dict(enumerate(arrays)) | plan.constants
        sums: dict[int, float] = {}
        for part, step in steps:
            sums |= step(values)
            for number in part.ends:
                values.pop(number, None)
        results = _own([values[number] for number in plan.results], arrays)
        pairs = zip(plan.results, results, strict=True)
        return results, [each for number, each in pairs if not math.isfinite(sums.get(number, math.inf))]

    return run


def _whole(part: WholePart) -> Blocks:
    function = defined(part.function)

    def step(values: dict[int, Any]) -> dict[int, float]:
        values.update(zip(part.gives, function(*map(values.__getitem__, part.takes)), strict=True))
        return {}

    return step


def _rows(plan: Plan, part: RowsPart) -> Blocks:
    """Fill arrays block by block, and add up totals; the checksums of what is filled tell whether it is finite."""
    compute = defined(part.function.written)
    compute_rest = defined(part.rest.written) if part.rest else compute
    takes = list(zip(part.takes, part.sliced, strict=True))

    def step(values: dict[int, Any]) -> dict[int, float]:
        given = [(values[number], is_row) for number, is_row in takes]
        filled = [np.empty(shape, dtype) for shape, dtype in (plan.shapes[number] for number in part.filled)]
        work = [np.empty(shape, dtype) for shape, dtype in part.function.shapes]
        totals: list[Any] = []
        sums = [0.0] * len(filled)
        for start in range(0, plan.rows, plan.block):
            end = start + plan.block
            if end > plan.rows and part.rest:
                work.clear()
                work += [np.empty(shape, dtype) for shape, dtype in part.rest.shapes]
            compute_block = compute if end <= plan.rows else compute_rest
            blocks = [array[start:end] for array in filled]
            found = compute_block(*(value[start:end] if is_row else value for value, is_row in given), *blocks, *work)
            totals = [one + other for one, other in zip(totals, found, strict=True)] if start else list(found)
            for k, block in enumerate(blocks):
                sums[k] += checksum(block)
        for number, total in zip(part.totals, totals, strict=True):
            values[number] = total / plan.counts[number] if number in plan.counts else total
        values.update(zip(part.filled, filled, strict=True))
        return dict(zip(part.filled, sums, strict=True))

    return step


def _own(results: Sequence[Any], arrays: Sequence[Any]) -> list[Any]:
    """The same results, none of which shares memory with another one or with an argument."""
    found: list[Any] = []
    for each in results:
        is_shared = isinstance(each, np.ndarray) and (
            not each.flags.writeable or any(np.may_share_memory(each, other) for other in (*arrays, *found))
        )
        each = each.copy() if is_shared else each
        found.append(float(each) if type(each) is np.float64 else each)
    return found
