"""Programs on Numba: one compiled loop over all points, with nothing written to memory but the results.

The compiler computes several points at once where no operation calls the C library, and where it sees that no array
overlaps another: such loops go in blocks, from and to memory of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .loops import Assignments, Layout, Loop, check_operations, flat, layout_of, loop_of, results, room
from .operations import OPERATIONS
from .points import Batch, batch
from .results import Part
from .schedule import Schedule
from .writing import compiled

BLOCK = 128
"""Points of a block: the numbers of a usual program stay in the nearest cache."""
SIMPLE = {name for name, each in OPERATIONS.items() if each.sign or each.is_condition}
SIMPLE |= {"sqrt", "absolute", "sign", "maximum", "minimum", "where", "floor", "ceil", "trunc", "rint", "copysign"}
"""Operations that are instructions of the processor."""


def _where(condition: Any, a: Any, b: Any) -> Any:
    return a if condition else b


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


def _normal_distribution(x: Any) -> Any:
    return 0.5 * math.erfc(-x * math.sqrt(0.5))


OWN: dict[str, Callable[..., Any]] = {
    "where": _where,
    "heaviside": _heaviside,
    "floor_divide": _floor_divide,
    "erf": math.erf,
    "erfc": math.erfc,
    "gamma": math.gamma,
    "gammaln": math.lgamma,
    "ndtr": _normal_distribution,
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
        own = {name: self.compile(each) for name, each in OWN.items() if each.__module__ == __name__}
        self.functions = KNOWN | own
        check_operations(schedule, self.functions, "Numba")

    def __call__(self, given: Batch, parts: list[Part], points: str) -> list[np.ndarray]:
        memory = np.empty(room(given, parts), given.dtype)
        key = layout_of(given, points), given.dtype
        if key not in self._loops:
            self._loops[key] = self._compiled(parts, *key)
        if self._loops[key](1 if given.length is None else given.length, *flat(given, points), memory):
            np.subtract(np.inf, np.inf)  # tells NumPy's error state, which compiled code does not
        return results(memory, given, parts, points, (1,))

    def _compiled(self, parts: Sequence[Part], layout: Layout, dtype: np.dtype) -> Callable[..., bool]:
        loop = loop_of(self.schedule, parts, layout)
        arguments = ["count", *(f"a{k}" for k in range(len(layout.sizes))), "r"]
        text = (blocked if self.is_simple else plain)(loop, arguments)
        constants = {f"c{place}": dtype.type(value) for place, value in self.schedule.constants.items()}
        return self.compile(compiled(text, self.functions | constants | {"dtype": dtype}))


def plain(loop: Loop, arguments: Sequence[str]) -> str:
    """One point after the other. Returns whether some result is not finite."""
    lines = _assigned(loop.loads + loop.steps + loop.stores + _checked(loop))
    return _function(arguments, ["for p in range(count):", lines])


def blocked(loop: Loop, arguments: Sequence[str]) -> str:
    """Blocks: each input is copied in, everything is computed, and each output is copied out.

    One array for all inputs and one for all outputs, with distances between them that the compiler knows.
    """
    taken = [(f"given[{BLOCK * k} + p - start]", place) for k, (_, place) in enumerate(loop.loads)]
    loads = [(name, f"given[{BLOCK * k} + q]") for k, (name, _) in enumerate(loop.loads)]
    stores = [(f"made[{BLOCK * k} + q]", value) for k, (_, value) in enumerate(loop.stores)]
    put = [(place, f"made[{BLOCK * k} + p - start]") for k, (place, _) in enumerate(loop.stores)]
    body: list[Any] = [f"stop = min(start + {BLOCK}, count)"]
    body += [part for each in taken for part in ("for p in range(start, stop):", _assigned([each]))]
    body += ["for q in range(stop - start):", _assigned(loads + loop.steps + stores + _checked(loop))]
    body += [part for each in put for part in ("for p in range(start, stop):", _assigned([each]))]
    memory = [f"given = empty({BLOCK * len(loads)}, dtype)", f"made = empty({BLOCK * len(stores)}, dtype)"]
    return _function(arguments, [*memory, f"for start in range(0, count, {BLOCK}):", body])


def _checked(loop: Loop) -> Assignments:
    """Whether the sum of all results is finite."""
    return [
        ("total", " + ".join({value: None for _, value in loop.stores}) or "0.0"),
        ("bad", "bad | (total - total != 0.0)"),
    ]


def _function(arguments: Sequence[str], lines: list[Any]) -> str:
    return _indented([f"def program({', '.join(arguments)}):", ["bad = False", *lines, "return bad"]])


def _assigned(assignments: Assignments) -> list[str]:
    return [f"{target} = {value}" for target, value in assignments]


def _indented(lines: list[Any], depth: int = 0) -> str:
    """Lines, and lists of lines that stand deeper."""
    return "\n".join(_indented(each, depth + 1) if isinstance(each, list) else "    " * depth + each for each in lines)
