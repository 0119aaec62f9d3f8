"""Programs on Numba: one compiled loop over all points, with nothing written to memory but the results.

The compiler computes several points at once where no operation calls the C library, and where it sees that no array
overlaps another: such loops go in blocks, from and to memory of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby
from types import FunctionType
from typing import Any

import numpy as np

from .loops import Layout, Loop, check_operations, count_of_results, flat, layout_of, loop_of, results
from .operations import OPERATIONS, SPECIAL
from .points import Batch, batch
from .results import Part
from .schedule import Schedule
from .writing import compiled

BLOCK = 128
"""Points of a block: the numbers of a usual program stay in the nearest cache."""
SIMPLE = {name for name, each in OPERATIONS.items() if each.sign or each.is_condition}
SIMPLE |= {"sqrt", "absolute", "sign", "maximum", "minimum", "where", "floor", "ceil", "trunc", "rint", "copysign"}
"""Operations that are instructions of the processor."""


def _heaviside(x: Any, half: Any) -> Any:
    return 1.0 if x > 0 else 0.0 if x < 0 else half if x == 0 else x


def _floor_divide(a: Any, b: Any) -> Any:
    """As NumPy has it: less the remainder first, so that the quotient is whole."""
    if b == 0:
        return a / b
    rest = np.fmod(a, b)
    quotient = (a - rest) / b
    if rest != 0 and (b < 0) != (rest < 0):
        quotient -= 1.0
    return np.rint(quotient)


OWN: dict[str, Callable[..., Any]] = {
    "where": OPERATIONS["where"].scalar,
    "heaviside": _heaviside,
    "floor_divide": _floor_divide,
    "gammaln": math.lgamma,
    **SPECIAL,
}
"""Operations that are not the NumPy functions of that name, as Numba knows them."""

KNOWN: dict[str, Any] = {name: getattr(np, name) for name in OPERATIONS if hasattr(np, name)}
KNOWN |= {"range": range, "min": min, "empty": np.empty} | OWN


class Numba:
    """A compiled loop for each layout and dtype that a program meets."""

    is_on_numpy = True
    batch = staticmethod(batch)

    def __init__(self, schedule: Schedule, numba: Any):
        self.schedule, self.compile = schedule, partial(numba.njit, error_model="numpy", nogil=True)
        self.is_simple = all(each.operation in SIMPLE for each in schedule.instructions)
        self._loops: dict[Any, Callable[..., bool]] = {}
        own = {name: self.compile(each) for name, each in OWN.items() if isinstance(each, FunctionType)}
        self.functions = KNOWN | own
        check_operations(schedule, self.functions, "Numba")

    def __call__(self, given: Batch, parts: list[Part], points: str) -> list[np.ndarray]:
        memory = np.empty(count_of_results(given, parts), given.dtype)
        key = layout_of(given, points), given.dtype
        if key not in self._loops:
            self._loops[key] = self._compiled(parts, *key)
        if self._loops[key](given.size, *flat(given, points), memory):
            np.subtract(np.inf, np.inf)  # tells NumPy's error state, which compiled code does not
        return results(memory, given, parts, points, (1,))

    def _compiled(self, parts: Sequence[Part], layout: Layout, dtype: np.dtype) -> Callable[..., bool]:
        sizes = [part.leaf.size for part in parts]
        if self.is_simple:
            text = blocked(loop_of(self.schedule, parts, layout._replace(points="last")), layout, sizes)
        else:
            text = plain(loop_of(self.schedule, parts, layout), layout)
        constants = {f"c{place}": dtype.type(value) for place, value in self.schedule.constants.items()}
        return self.compile(compiled(text, self.functions | constants | {"dtype": dtype}))


def plain(loop: Loop, layout: Layout) -> str:
    """One point after the other. Returns whether some result is not finite."""
    arrays = [f"a{k}" for k in range(len(layout.sizes))]
    return indented([f"def program({', '.join(['count', *arrays, 'r'])}):", ["bad = False", *over(loop), "return bad"]])


def over(loop: Loop, count: str = "count") -> list[Any]:
    """The loop itself, and whether the sum of all results is finite."""
    lines = [f"{target} = {value}" for target, value in loop.loads + loop.steps + loop.stores]
    total = " + ".join(dict.fromkeys(value for _, value in loop.stores)) or "0.0"
    return [f"for p in range({count}):", [*lines, f"total = {total}", "bad |= total - total != 0.0"]]


def blocked(loop: Loop, layout: Layout, sizes: Sequence[int]) -> str:
    """The same on blocks: arguments are copied into arrays ``a0``… and results out of ``r``, with the points last."""
    given = [f"given{k}" for k in range(len(layout.sizes))]
    lines: list[Any] = ["bad = False", f"count = {BLOCK}", f"r = empty({sum(sizes)} * count, dtype)"]
    taken: list[Any] = []
    for k, (size, is_shared) in enumerate(zip(layout.sizes, layout.shared, strict=True)):
        lines.append(f"a{k} = given{k}" if is_shared else f"a{k} = empty({size} * count, dtype)")
        if not is_shared:
            taken += copied(f"a{k}[k * count + p]", f"given{k}", size, 0, layout.points)
    put: list[Any] = []
    for start, size, points in regions(sizes, layout.points):
        put += copied(f"r[({start} + k) * count + p]", "made", size, start, points, is_out=True)
    body = ["stop = min(count, points - first)", *taken, *over(loop, "stop"), *put]
    lines += ["for first in range(0, points, count):", body, "return bad"]
    return indented([f"def program({', '.join(['points', *given, 'made'])}):", lines])


def regions(sizes: Sequence[int], points: str) -> Iterator[tuple[int, int, str]]:
    """Where results begin, how many numbers they are, and where the points are; numbers in a row are as one result.

    >>> list(regions([1, 1, 3], "first")), list(regions([1, 1, 3], "last"))
    ([(0, 2, 'last'), (2, 3, 'first')], [(0, 5, 'last')])
    """
    start = 0
    for is_in_rows, group in groupby(sizes, lambda size: points == "last" or size == 1):
        found = list(group)
        for size in [sum(found)] if is_in_rows else found:
            yield start, size, "last" if is_in_rows else "first"
            start += size


def copied(inside: str, array: str, size: int, start: int, points: str, is_out: bool = False) -> list[Any]:
    """Loops between an array of the block and one outside, of so many numbers behind ``start`` others."""
    at = f"({start} + k) * points + first + p" if points == "last" else f"{start} * points + (first + p) * {size} + k"
    sides = (f"{array}[{at}]", inside) if is_out else (inside, f"{array}[{at}]")
    return [f"for k in range({size}):", ["for p in range(stop):", [f"{sides[0]} = {sides[1]}"]]]


def indented(lines: list[Any], depth: int = 0) -> str:
    """Lines, and lists of lines that stand deeper."""
    return "\n".join(indented(each, depth + 1) if isinstance(each, list) else "    " * depth + each for each in lines)
