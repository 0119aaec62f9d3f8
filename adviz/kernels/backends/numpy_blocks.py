"""A program on NumPy: many points in blocks that stay in the processor's cache, one call of NumPy per operation.

:func:`interpret` is the definition; the compiled block makes the same calls without any look-up. A first call on few
points is interpreted: compiling would make the first Jacobian of the Roe flux take 8.4 ms instead of 6.3 ms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import pi
from threading import local
from types import CodeType
from typing import Any

import numpy as np

from ...engine.rules.selection import CHOICE
from ..expressions.expressions import OPERATIONS, partner
from ..points.source_text import bound, code_of, numpy_functions, place_names
from ..schedules import Instruction, Schedule
from .threads import crew, share

# ---- rows ----

# Sine and cosine of the same angles on NumPy, together: 7 ns for both, where NumPy's own take 8 ns each.
#
# NumPy calls the C library for each number in double precision; sums and products are of several numbers at once. The
# angle is reduced by three numbers that add up to a quarter turn (Cody and Waite, Software Manual for the Elementary
# Functions, 1980); the polynomials of what remains are those of fdlibm (k_sin.c and k_cos.c, Sun Microsystems, 1993).
# Both are within two units of the last place. The result at one point does not depend on those beside it.


DOUBLE = np.dtype(float)
CALLS = 50
"""The calls of NumPy that compute sine and cosine of a row."""
MOST = 1024.0
"""The largest angle; of larger ones the error grows to 2.5 units of the last place."""


def _constants(numbers: str) -> list[np.ndarray]:
    """Return numbers as NumPy takes them fastest."""
    return [np.asarray(float(number)) for number in numbers.split()]


OF_SINE = _constants(
    "1.58969099521155010221e-10 -2.50507602534068634195e-08 2.75573137070700676789e-06 "
    "-1.98412698298579493134e-04 8.33333333332248946124e-03 -1.66666666666666324348e-01"
)
OF_COSINE = _constants(
    "-1.13596475577881948265e-11 2.08757232129817482790e-09 -2.75573143513906633035e-07 "
    "2.48015872894767294178e-05 -1.38888888888741095749e-03 4.16666666666666019037e-02"
)
QUARTERS = _constants("1.5707963267341256 6.0771005063039660e-11 2.0222662487959506e-21")
PER_TURN, QUARTER, HALF, ONE, TWO, FOUR = _constants(f"{2 / pi!r} 0.25 0.5 1 2 4")

_own = local()


def _rows(count: int) -> np.ndarray:
    """Return memory of the current thread for what is computed on the way."""
    known: np.ndarray | None = getattr(_own, "rows", None)
    if known is None or known.shape[1] < count:
        known = _own.rows = np.empty((3, count))
    return known[:, :count]


def sin_cos(angle: np.ndarray, sine: np.ndarray, cosine: np.ndarray) -> None:
    """Fill two rows with the sines and cosines of a row of angles, or of a single one; the angles may be overwritten.

    >>> angle, sine, cosine = np.array([0.0, np.pi / 6]), np.empty(2), np.empty(2)
    >>> sin_cos(angle, sine, cosine)
    >>> sine.round(12), cosine.round(12)
    (array([0. , 0.5]), array([1.       , 0.8660254]))
    """
    if sine.dtype != DOUBLE:
        sin_and_cos(angle, sine, cosine)
        return
    rest, turns, square = _rows(len(sine))
    np.absolute(angle, square)
    is_usual = square.min(initial=1.0) > 0.0 and square.max(initial=0.0) <= MOST  # zeros have signs
    unusual = () if is_usual else np.flatnonzero(~((square > 0.0) & (square <= MOST)))
    left = angle if is_usual else np.broadcast_to(angle, sine.shape)[unusual]
    _reduce(angle, rest, turns, square)
    np.multiply(rest, rest, square)
    _horner(OF_SINE, square, sine)
    for factor in (square, rest):
        np.multiply(sine, factor, sine)
    np.add(sine, rest, sine)
    _horner(OF_COSINE, square, rest)
    for factor in (square, square):
        np.multiply(rest, factor, rest)
    np.multiply(square, HALF, square)
    np.subtract(ONE, square, square)
    np.add(rest, square, rest)
    _turn(turns, sine, rest, square, cosine)
    if not is_usual:
        sine[unusual], cosine[unusual] = np.sin(left), np.cos(left)


def sin_and_cos(angle: np.ndarray, sine: np.ndarray, cosine: np.ndarray) -> None:
    """Compute the same by NumPy, which is faster for few angles, and in single precision."""
    sines = np.sin(angle)
    np.cos(angle, cosine)
    sine[...] = sines


def _horner(coefficients: list[np.ndarray], x: np.ndarray, array: np.ndarray) -> None:
    """Evaluate a polynomial."""
    first, *others, last = coefficients
    np.multiply(x, first, array)
    for each in others:
        np.add(array, each, array)
        np.multiply(array, x, array)
    np.add(array, last, array)


def _reduce(angle: np.ndarray, rest: np.ndarray, turns: np.ndarray, product: np.ndarray) -> None:
    """Return the number of quarter turns that is nearest to an angle, and the rest."""
    np.multiply(angle, PER_TURN, turns)
    np.rint(turns, turns)
    for each in QUARTERS:
        np.multiply(turns, each, product)
        np.subtract(angle, product, rest)
        angle = rest


def _turn(turns: Any, sine: Any, c: Any, other: Any, cosine: Any) -> None:
    """Turn a sine and its cosine ``c`` by quarter turns, that is by their cosines and sines, which are 0, 1 and -1."""
    np.multiply(turns, QUARTER, other)
    np.floor(other, other)
    np.multiply(other, FOUR, other)
    np.subtract(turns, other, turns)  # 0 to 3
    np.subtract(turns, TWO, cosine)
    np.absolute(cosine, cosine)
    np.subtract(cosine, ONE, cosine)
    np.subtract(turns, ONE, turns)
    np.absolute(turns, turns)
    np.subtract(ONE, turns, turns)
    np.multiply(sine, turns, other)
    np.multiply(sine, cosine, sine)
    np.multiply(c, turns, turns)
    np.add(sine, turns, sine)
    np.multiply(c, cosine, cosine)
    np.subtract(cosine, other, cosine)


# ---- blocks of points ----


BLOCK = 8192
"""Points of a block: with fewer the overhead of calls grows, with more the buffers do not fit in the cache."""
LEAST_CALL = 5_000
"""Nanoseconds that a call of NumPy takes, on average, where threads share the points.

Each call takes Python's lock when it returns; a thread that finds it taken sleeps, and takes some 10 µs to wake up."""
MOST_SHARED = 1 << 20
"""The most numbers in the buffers of a thread, where several share the larger cache."""
ALIGNED = 16
"""The points of a block are a multiple of this, for rows of results to begin at lines of the cache."""
MOST_NUMBERS = 1 << 23
"""The most numbers in the buffers of one thread."""


class Blocks:
    """Runs the blocks of one program. Keeps its compiled code, and buffers for each thread that runs it."""

    def __init__(self, schedule: Schedule, threads: int | None = 1):
        schedule = self.schedule = side_by_side(schedule)
        self.threads = threads
        self.work = work_buffers(schedule)
        self.size = max(256, min(BLOCK, MOST_NUMBERS // max(len(self.work), 1)))
        calls = len(schedule.instructions) + CALLS * len([*_pairs(schedule.instructions)])
        self.least = round(LEAST_CALL * calls / (schedule.nanoseconds or 1)) or 1
        self.calls = 0
        self._own = local()
        self._functions: dict[tuple[np.dtype, bool], Callable[..., None]] = {}
        self._code: CodeType | None = None

    def __call__(self, inputs: list[np.ndarray], outputs: list[np.ndarray], dtype: np.dtype) -> None:
        """Fill the rows ``outputs`` from the rows ``inputs``, each of which is as long or has one number."""
        count = len(outputs[0]) if outputs else 0
        run = self._function(dtype, count)
        if count <= self.size and {row.strides for row in (*inputs, *outputs)} == {(dtype.itemsize,)}:
            run(*inputs, *outputs, *self._workspace(dtype, count))
            return

        def run_block(start: int) -> None:
            stop = min(start + size, count)
            given = [row if len(row) == 1 else row[start:stop] for row in inputs]
            wanted = [row[start:stop] for row in outputs]
            filled = [row if _is_dense(row) else np.empty_like(row) for row in wanted]
            run(*map(_dense, given), *filled, *self._workspace(dtype, stop - start))
            for row, buffer in zip(wanted, filled, strict=True):
                if row is not buffer:
                    row[...] = buffer

        threads = crew(self.threads, count // self.least)
        size = self._size_for(threads, count)
        share(run_block, range(0, count, size), threads)

    def _size_for(self, threads: int, count: int) -> int:
        """Return the points of a block, such that each thread gets as many blocks."""
        if threads == 1:
            return self.size
        most = max(self.size, min(4 * BLOCK, MOST_SHARED // max(len(self.work), 1)))
        blocks = -(-count // (threads * most)) * threads
        return -(-count // (blocks * ALIGNED)) * ALIGNED

    def _function(self, dtype: np.dtype, count: int) -> Callable[..., None]:
        """Return what runs a block: compiled at the second call, or if there are many points."""
        self.calls += 1
        if self.calls == 1 and count <= 4 * self.size:
            return partial(self._interpret, self._constants(dtype), functions(count))
        key = dtype, count >= FEW
        if key not in self._functions:
            self._code = self._code or code_of(block_source(self.schedule))
            self._functions[key] = bound(self._code, functions(count) | self._constants(dtype))
        return self._functions[key]

    def _interpret(self, constants: dict[str, np.ndarray], known: dict[str, Any], *buffers: np.ndarray) -> None:
        names = block_arguments(self.schedule, self.work)
        interpret(
            block_calls(self.schedule, self.schedule.buffers), dict(zip(names, buffers, strict=True)) | constants, known
        )

    def _constants(self, dtype: np.dtype) -> dict[str, np.ndarray]:
        return {f"c{place}": np.asarray(float(value), dtype) for place, value in self.schedule.constants.items()}

    def _workspace(self, dtype: np.dtype, count: int) -> list[np.ndarray]:
        """Return the buffers of the current thread, for ``count`` points."""
        known: dict[np.dtype, tuple[int, np.ndarray | None, list[np.ndarray]]] = self._own.__dict__.setdefault(
            "buffers", {}
        )
        last, memory, buffers = known.get(dtype, (-1, None, []))
        if last != count:
            if memory is None or memory.shape[1] < count:
                memory = _aligned(len(self.work), max(count, self.size) if count > self.size // 8 else count, dtype)
            rows = zip(memory, self.work, strict=True)
            buffers = [(row.view(bool) if name[0] == "b" else row)[:count] for row, name in rows]
            known[dtype] = count, memory, buffers
        return buffers


LINE = 64
"""Bytes of a line of the processor's cache."""


def _aligned(rows: int, count: int, dtype: np.dtype) -> np.ndarray:
    """Return memory for rows that begin at cache lines: the Jacobian of the Roe flux becomes up to 6 % faster."""
    step = LINE // dtype.itemsize
    width = -(-count // step) * step
    memory = np.empty(rows * width + step, dtype)
    start = -memory.ctypes.data % LINE // dtype.itemsize
    return memory[start : start + rows * width].reshape(rows, width)


def _is_dense(row: np.ndarray) -> bool:
    """Return whether the numbers of a row are adjacent in memory; operations on other rows would be slow."""
    return row.strides[0] == row.itemsize or len(row) < 2


def _dense(row: np.ndarray) -> np.ndarray:
    return row if _is_dense(row) else row.copy()


Call = tuple[str, list[str], str]
"""A call of NumPy: its function, the names of its arguments, and the keyword of the last argument, if it has one."""


def block_calls(schedule: Schedule, buffers: Mapping[int, str]) -> Iterator[Call]:
    """Yield the calls that compute a block of points, each place in its buffer."""
    names = place_names(schedule) | dict(buffers)
    pairs = {sine.place: cosine.place for sine, cosine in _pairs(schedule.instructions)}
    second = {*pairs.values()}
    for place, operation, operands in schedule.instructions:
        target, data = names[place], [names[operand] for operand in operands]
        if place in pairs:
            together, number = OPERATIONS[operation].numeric.pair or ("", 0)
            both = [target, names[pairs[place]]]
            yield together, [*data, *(both[::-1] if number else both)], ""
        elif place in second:
            continue
        elif operation == CHOICE.name:
            yield "copyto", [target, data[2]], ""
            yield "copyto", [target, data[1], data[0]], "where"
        else:
            yield operation, [*data, target], "out" if OPERATIONS[operation].numeric.names_out else ""
    for number, place in enumerate(schedule.outputs):
        if buffers.get(place) != f"o{number}":
            yield "copyto", [f"o{number}", names[place]], ""


def _pairs(instructions: Sequence[Instruction]) -> Iterator[tuple[Instruction, Instruction]]:
    """Yield instructions for the sine and the cosine of the same angle that follow each other, in either order."""
    for one, other in pairwise(instructions):
        if partner(one.operation) == other.operation and one.operands == other.operands:
            yield one, other


def side_by_side(schedule: Schedule) -> Schedule:
    """Compute sine and cosine of the same angle one after the other, so that one call computes both."""
    paired = {(each.operation, each.operands): each for each in schedule.instructions if partner(each.operation)}
    order: dict[int, Instruction] = {}
    for each in schedule.instructions:
        order.setdefault(each.place, each)
        if other := paired.get((partner(each.operation) or "", each.operands)):
            order.setdefault(other.place, other)
    return replace(schedule, instructions=tuple(order.values()))


FEW = 2000
"""With fewer points in a call, 50 calls on short rows are slower than NumPy's own sine and cosine: 23 and 17 ns at
1,000 points."""


def functions(count: int = FEW) -> dict[str, Any]:
    """Return the functions that the blocks of so many points call, by name."""
    return numpy_functions() | {"sin_cos": sin_cos if count >= FEW else sin_and_cos}


def block_source(schedule: Schedule) -> str:
    """Write a function of a block of points, which fills the buffers of the outputs from those of the inputs.

    Its arguments are the inputs ``x0``…, the buffers of the outputs ``o0``…, and those of intermediate values.
    """
    lines = []
    for function, (*arguments, last), keyword in block_calls(schedule, schedule.buffers):
        lines.append(f"{function}({', '.join([*arguments, f'{keyword}={last}' if keyword else last])})")
    names = ", ".join(block_arguments(schedule, work_buffers(schedule)))
    return "\n".join([f"def block({names}):", *(f"    {line}" for line in lines or ["pass"])])


def block_arguments(schedule: Schedule, work: list[str]) -> list[str]:
    """Return the names of the buffers of a block: inputs, outputs, and those of intermediate values."""
    inputs = [f"x{number}" for number in range(len(schedule.inputs))]
    outputs = [f"o{number}" for number in range(len(schedule.outputs))]
    return inputs + outputs + work


def work_buffers(schedule: Schedule) -> list[str]:
    """Return the names of the buffers of intermediate values, conditions last."""
    names = {name for name in schedule.buffers.values() if name[0] != "o"}
    return sorted(names, key=lambda name: (name[0] == "b", int(name[1:])))


def interpret(calls: Iterable[Call], arrays: Mapping[str, np.ndarray], known: Mapping[str, Any] | None = None) -> None:
    """Make the calls of a block, one after the other, on arrays by name."""
    known = known or functions()
    for function, names, keyword in calls:
        arguments = [arrays[name] for name in names]
        named = {keyword: arguments.pop()} if keyword else {}
        known[function](*arguments, **named)
