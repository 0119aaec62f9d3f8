"""The two engines of the exact search: plain Python, and the same source compiled by Numba where it is installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec, module_from_spec
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from . import clock, cuts, masks
from .clock import WEEK
from .problem import Kernel, Structure

PLACES = 62
"""Vertices that fit into a compiled mask: 64 bits, less the sign and one to spare."""
HUGE = 1 << 60
"""More than any cost that compiled code deals with."""
FEW = 20
"""Vertices for which plain Python is done before the compiler has started."""


class PythonEngine:
    """Masks of any length, in lists.

    >>> PythonEngine().array([1, 2])
    [1, 2]
    """

    name, entry, speed = "python", 400, 1  # bytes that an entry of a memo takes; nodes visited in a step
    moves: Any = masks

    def array(self, values: Sequence[int]) -> Any:
        """Return numbers as the functions of this engine take them."""
        return list(values)

    def table(self, most: int) -> Any:
        """Return an empty memo with room for ``most`` entries."""
        return {}

    def meter(self, most: int, end: float, weight: int) -> Any:
        """Meter a search that may keep ``most`` entries, until the time ``end``; a node is ``weight`` steps."""
        steps = clock.counting()
        return [0, cuts.HUGE if steps is None else steps.left(end) // weight, most, 0, end]

    def timed(self, search: Callable[[], Any], meter: Any, end: float, weight: int) -> Any:
        """Run a search, which looks at the clock itself."""
        before = meter[0]
        try:
            return search()
        finally:
            if (steps := clock.counting()) is not None:
                steps.count += (meter[0] - before) * (weight - 1)


class ByLabels(PythonEngine):
    """Plain Python, in which the cost of an order follows from the labels of a structure.

    >>> structure = Structure((0, 1, 2), (0, 1, 2), (2, 4, 0), (1, 1, 1), 2, {(0, 1): -1})
    >>> ByLabels(structure).moves.order_cost([], [], [], [1], 9.0)
    0
    """

    def __init__(self, structure: Structure):
        own = structure.apart()

        def order_cost(preds: Any, succs: Any, sizes: Any, order: Sequence[int], limit: float) -> int:
            nonlocal own
            if own.algebra.is_full:
                own = structure.apart()
            own.algebra.limit = limit
            return own.cost(order, limit)

        self.moves = copied(masks)
        self.moves.order_cost = order_cost


class WideEngine(PythonEngine):
    """Plain Python, but for annealing, which is compiled for graphs of any number of vertices."""

    speed = 10

    def __init__(self) -> None:
        self.moves = copied(masks)
        known: dict[int, Any] = {}

        def anneal(preds: Any, succs: Any, sizes: Any, order: Any, best: Any, run: Any, *heat: Any) -> None:
            if id(preds) not in known:
                known.clear()
                sides = masks.words_of(preds), masks.words_of(succs)
                known[id(preds)] = *sides, np.array(sizes, np.int64), preds
            arrays = [np.array(each, np.int64) for each in (order, best, run)]
            compiled(is_wide=True).anneal(*known[id(preds)][:3], *arrays, *map(float, heat[:2]), heat[2])
            for each, array in zip((order, best, run), arrays, strict=True):
                each[:] = array.tolist()

        self.moves.anneal = anneal


class NumbaEngine(PythonEngine):
    """Masks of 64 bits, in arrays; compiled on first use, and kept on disk."""

    name, entry, speed = "numba", 24, 10

    def __init__(self) -> None:
        self.moves = compiled()

    def array(self, values: Sequence[int]) -> Any:
        """Return numbers as the functions of this engine take them."""
        return np.array(values, np.int64)

    def table(self, most: int) -> Any:
        """Return an empty memo with room for ``most`` entries: a row of two keys and a value for each."""
        return np.zeros((1 << max(most, 1).bit_length() - 1, 3), np.int64)

    def meter(self, most: int, end: float, weight: int) -> Any:
        """Return the meter of a search; compiled code has no clock, but it counts nodes."""
        steps = clock.counting()
        return self.array([0, HUGE if steps is None else steps.left(end) * self.speed // weight, most, 0, 0])

    def timed(self, search: Callable[[], Any], meter: Any, end: float, weight: int) -> Any:
        """Run a search in a thread of its own; the clock and the user end it by setting its number of nodes to none."""
        steps = clock.counting()
        wait = min(end - clock.now(), WEEK) if steps is None else steps.seconds_left()
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(search)
            try:
                result = answer.result(wait)
                if steps is not None:
                    steps.count += int(meter[0]) * weight // self.speed
                return result
            except TimeoutError:
                meter[1] = -1
                return answer.result()
            except KeyboardInterrupt:
                meter[1] = -1
                raise


def choose_engine(name: str | None, kernel: Kernel) -> PythonEngine:
    """Return the engine of this name; for ``None``, the quicker one. Compiled code may have to be compiled first."""
    return NumbaEngine() if is_compiled(name, kernel) else PythonEngine()


def is_compiled(name: str | None, kernel: Kernel) -> bool:
    """Return whether a kernel is searched by compiled code where an engine of this name is asked for.

    For ``None``, that is so where Numba is installed and the kernel is not small. A kernel that is too large for Numba
    is searched by plain Python.
    """
    return len(kernel.sizes) <= PLACES and is_annealed(name, kernel)


def is_annealed(name: str | None, kernel: Kernel) -> bool:
    """Return whether at least the annealing of a kernel is compiled."""
    fits = sum(kernel.sizes) ** 3 < HUGE  # no order costs more than the cube
    wanted = kernel.inside.bit_count() > FEW and has_numba() if name is None else name == "numba"
    return wanted and fits


def has_numba() -> bool:
    """Return whether Numba is installed."""
    return find_spec("numba") is not None


def njit(function: Callable[..., Any], **options: Any) -> Any:
    """Compile a function with Numba when it is first called, and cache it on disk if there is a place for it.

    >>> njit(lambda x: x + 1.0)(2.0)
    3.0
    """
    import numba

    compiler: Any = numba.njit
    try:
        return compiler(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # neither the package nor the home directory can be written to
        return compiler(nogil=True, **options)(function)


@cache
def compiled(is_wide: bool = False) -> Any:
    """Return a second copy of the module :mod:`~.masks`, compiled with what it imports of :mod:`~.cuts`.

    Where it ``is_wide``, orders cost and anneal on masks of several words.
    """
    import numba

    uncached: Any = numba.njit
    powers = np.zeros(67, np.int64)
    for k in range(63):
        powers[(1 << k) % 67] = k  # the powers of two are distinct modulo 67

    def place(bit: int) -> int:
        return powers[bit % 67]

    def is_over(meter: Any) -> bool:
        return meter[0] > meter[1]

    @uncached
    def row_of(memo: Any, inside: int, around: int) -> int:
        """Return the row of a key, or the free one where it would be; -1 if there is none in reach."""
        last = len(memo) - 1
        row = ((inside * 0x9E3779B97F4A7C1) ^ (around * 0x2545F4914F6CDD1)) >> 7 & last
        for _ in range(16):
            if memo[row, 2] == 0 or (memo[row, 0] == inside and memo[row, 1] == around):
                return row
            row = row + 1 & last
        return -1

    def recall(memo: Any, inside: int, around: int) -> int:
        row = row_of(memo, inside, around)
        return memo[row, 2] - 1 if row >= 0 else -1

    def remember(memo: Any, inside: int, around: int, value: int, meter: Any) -> None:
        row = row_of(memo, inside, around)
        if row >= 0:
            memo[row, 0], memo[row, 1], memo[row, 2] = inside, around, value + 1

    own = {function.__name__: uncached(function, nogil=True) for function in (place, is_over, recall, remember)}
    own |= {"HUGE": HUGE, "Room": cuts.Room}  # one class, so that what was compiled is found again on disk
    for part in (cuts, masks):
        module = copied(part)
        for name, function in vars(part).items():
            if isinstance(function, FunctionType) and function.__module__ == part.__name__ and name not in own:
                own[name] = njit(getattr(module, name))
        vars(module).update(own)
    return wide(module) if is_wide else module


def wide(module: Any) -> Any:
    """Let a copy of :mod:`~.masks` eliminate on masks of several words."""
    module.cost, module.eliminate = module.wide_cost, module.wide_eliminate
    return module


def copied(module: ModuleType) -> ModuleType:
    """Return a second copy of a module, whose functions may be replaced."""
    spec = module.__spec__
    assert spec
    assert spec.loader
    other = module_from_spec(spec)
    spec.loader.exec_module(other)
    return other
