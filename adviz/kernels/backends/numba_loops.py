"""Programs on Numba: compiled loops over blocks of points, which write nothing to memory but the results.

A block has a row for each input, each output, and each value that another loop needs. The compiler vectorizes loops in
which no operation calls a function; operations that do are in loops of their own, some of them vectorized, too.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, groupby
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from ...engine.trace_errors import InputError
from ..expressions.expressions import OPERATIONS, partner
from ..points.batches import Batch, Leaf, batch
from ..points.results import Part
from ..points.source_text import compiled, place_names, written
from ..program_errors import missing_operation
from ..schedules import Schedule
from .threads import crew, share

# ---- programs as loops over points, on flat arrays ----


def check_operations(schedule: Schedule, known: Container[str], name: str) -> None:
    """Raise a :class:`~adviz.ProgramError` for an operation that a back end does not have."""
    for each in schedule.instructions:
        if each.operation not in known and not OPERATIONS[each.operation].numeric.operator:
            raise missing_operation(each.operation, name)


def check_dtype(dtype: Any) -> None:
    """Raise an :class:`~adviz.InputError` for a dtype that no loop is compiled for."""
    if str(dtype) not in ("float32", "float64"):
        raise InputError(f"The arguments are of dtype {dtype}; loops are compiled for float32 and float64. Cast them.")


def flat(given: Batch, points: str, xp: Any = np) -> list[Any]:
    """Return the arguments as flat arrays; only those that are not contiguous are copied."""
    return [xp.ascontiguousarray(each.T if points == "first" else each).reshape(-1) for each in given.matrices]


def results(memory: Any, given: Batch, parts: Sequence[Part], points: str, single: tuple[int, ...] = ()) -> list[Any]:
    """Return the arrays of the results, one after the other in memory; ``single`` is the axis of a single point."""
    length, start, result = single if given.length is None else (given.size,), 0, []
    for leaf, _, _ in parts:
        stop = start + leaf.size * given.size
        result.append(memory[start:stop].reshape(leaf.shape_of(length, points)))
        start = stop
    return result


# ---- loops over blocks of points ----


SIMPLE = {
    name
    for name, each in OPERATIONS.items()
    if each.numeric.operator or each.is_condition or each.numeric.is_instruction
}
"""Operations that the processor has instructions for."""


BUILT_IN: dict[str, Any] = {"range": range, "min": min, "empty": np.empty}
"""What loops call besides operations."""


def function_of(name: str) -> Any:
    """Return the function that computes an operation; ``None`` if Numba has none."""
    ufunc, numeric = getattr(np, name, None), OPERATIONS[name].numeric
    return numeric.compiled or numeric.scalar or (ufunc if ufunc is OPERATIONS[name].numpy else None)


def row_of(name: str) -> str:
    """Return the function of whole rows for an operation, by its name in :mod:`.numba_rows`; "" if there is none.

    >>> row_of("exp"), row_of("sin"), row_of("tan")
    ('exp_row', 'sin_cos_row', '')
    """
    numeric = OPERATIONS[name].numeric
    return f"{numeric.pair[0]}_row" if numeric.pair is not None else f"{name}_row" if numeric.has_rows else ""


LEAST_SHARE = 750_000
"""Nanoseconds of work that a thread gets, at least, as predicted for NumPy: a third or less of that here."""
SPANS = 4
"""The spans of points for each thread: what a thread that was interrupted has not begun, others take."""

Lines = list["str | Lines"]
"""Lines of a text, and lists of lines that are indented."""


class Numba:
    """A compiled loop for each dtype of the arguments, for any layout and any number of points."""

    is_on_numpy = True
    batch = staticmethod(batch)

    def __init__(self, schedule: Schedule, numba: Any, threads: int | None = 1):
        from . import numba_rows

        self.schedule, self.helpers, self.types = schedule, vars(numba_rows), numba.types
        self.threads, self.block = threads, numba_rows.BLOCK
        self.least = max(self.block, round(LEAST_SHARE / (schedule.nanoseconds or 1)))
        self.compile = partial(numba.njit, error_model="numpy", nogil=True)
        self._loops: dict[np.dtype, Callable[..., bool]] = {}
        self._pieces: list[Piece] = []
        self.functions = {name: function_of(name) for name in {each.operation for each in schedule.instructions}}
        check_operations(schedule, {name for name, each in self.functions.items() if each is not None}, "Numba")

    def __call__(self, given: Batch, parts: list[Part], points: str) -> list[np.ndarray]:
        check_dtype(given.dtype)
        loop = self._loop(given.dtype, parts, [*map(len, given.matrices)])
        made = [each.make(each.size * given.size, given.dtype) for each in self._pieces]
        arrays = [*flat(given, points), *made]

        def run(first: int) -> bool:
            return loop(first, min(first + step, given.size), given.size, points == "last", *arrays)

        threads, step = crew(self.threads, given.size // self.least), max(given.size, 1)
        if threads > 1:  # a few spans for each, some of which may wait
            step = -(-given.size // (threads * SPANS * self.block)) * self.block
        if any(share(run, range(0, given.size, step), threads)):
            np.subtract(np.inf, np.inf)  # sets NumPy's error state, which compiled code does not
        return [
            array
            for piece, numbers in zip(self._pieces, made, strict=True)
            for array in results(numbers, given, piece.parts, points, (1,))
        ]

    def point(
        self, leaves: Sequence[Leaf], parts: Sequence[Part], write: Callable[[Iterable[str]], str]
    ) -> tuple[list[str], dict[str, object]]:
        """Write statements that return the results of ``a0``… at one point, if finite, and functions that they call."""
        loop = self._loop(np.dtype(float), parts, [leaf.size for leaf in leaves])
        given = [f"a{k}.ravel()" if leaf.shape else f"array((a{k},))" for k, leaf in enumerate(leaves)]
        made = [f"made{k}" for k in range(len(self._pieces))]
        texts = [
            (f"{name}.reshape({leaf.shape})" if len(leaf.shape) > 1 else name) if leaf.shape else f"{name}.item({k})"
            for name, piece in zip(made, self._pieces, strict=True)
            for k, (leaf, _, _) in enumerate(piece.parts)
        ]
        lines = [f"{name} = {each.make.__name__}({each.size})" for name, each in zip(made, self._pieces, strict=True)]
        lines += [
            f"if loop({', '.join(['0', '1', '1', 'True', *given, *made])}): return None",
            f"return {write(texts)}",
        ]
        return lines, {"array": np.array, "empty": np.empty, "zeros": np.zeros, "loop": loop}

    def _loop(self, dtype: np.dtype, parts: Sequence[Part], sizes: Sequence[int]) -> Callable[..., bool]:
        """Return the loop for a dtype, compiled when it is first used; the parts are always the same."""
        if dtype not in self._loops:
            self._pieces = pieces(parts)
            source = Source(self.schedule, sizes, self._pieces)
            whole, row = self.helpers["whole"], self.helpers["ROW"]
            called = {
                name: self.compile(each) if isinstance(each, FunctionType) else each
                for name, each in self.functions.items()
            }
            numbers = {f"c{place}": dtype.type(value) for place, value in self.schedule.constants.items()}
            numbers |= {f"r{k}": whole(k * row) for k in range(source.spare + 1)}
            numbers |= {f"places{k}": each.places for k, each in enumerate(self._pieces)}
            names = self.helpers | BUILT_IN | called | numbers | {"dtype": dtype}
            self._loops[dtype] = self.compile(self._signature(dtype, len(sizes)))(compiled(str(source), names))
        return self._loops[dtype]

    def _signature(self, dtype: np.dtype, count: int) -> Any:
        """Return the types of the arguments, which may be read-only; else each kind of array is compiled for."""
        array = partial(self.types.Array, getattr(self.types, dtype.name), 1, "C")
        arrays = [array(readonly=True)] * count + [array()] * len(self._pieces)
        return self.types.boolean(*[self.types.int64] * 3, self.types.boolean, *arrays)


class Piece(NamedTuple):
    """Parts in one array of ``size`` numbers at each point, of which those at ``places`` are outputs."""

    parts: list[Part]
    size: int
    places: np.ndarray

    @property
    def make(self) -> Callable[..., np.ndarray]:
        """The function that makes the array: of zeros if some numbers are no outputs."""
        return np.empty if len(self.places) == self.size else np.zeros


def pieces(parts: Sequence[Part]) -> list[Piece]:
    """Return a piece for each array, and one for each sequence of numbers."""
    result = []
    for _, group in groupby(enumerate(parts), lambda each: each[0] if each[1].leaf.shape else -1):
        inside = [part for _, part in group]
        *starts, size = accumulate((part.leaf.size for part in inside), initial=0)
        places = [start + row for start, part in zip(starts, inside, strict=True) for row in part.rows]
        result.append(Piece(inside, size, np.array(places, np.intp)))
    return result


# ---- the text ----


def stages(schedule: Schedule) -> dict[int, int]:
    """Return the stage in which each place is computed: even ones are vectorized, odd ones call functions.

    >>> from ..expressions.expressions import Expressions
    >>> from ..schedules import schedule
    >>> known = Expressions()
    >>> x = known.input()
    >>> sine = known.apply(np.sin, [known.multiply(x, x)])
    >>> [*stages(schedule(known, [x], [known.add(sine, x)])).values()]
    [0, 0, 1, 2]
    """
    result = dict.fromkeys([*schedule.inputs, *schedule.constants], 0)
    for place, operation, operands in schedule.instructions:
        last = max(result[each] for each in operands)
        result[place] = last + last % 2 if operation in SIMPLE else last + 1 | 1
    return result


class Source:
    """The loops of a program as Python source, from arguments of these ``sizes`` to pieces.

    ``stage`` is that of each place, and ``rows`` has the rows of places that other loops need: first those of the
    arguments, then those of the outputs.
    """

    def __init__(self, schedule: Schedule, sizes: Sequence[int], made: Sequence[Piece]):
        self.schedule, self.sizes, self.made = schedule, sizes, made
        self.names, self.stage = place_names(schedule), stages(schedule)
        self.outputs = [schedule.outputs[k] for piece in made for part in piece.parts for k in part.outputs]
        self.called = {each.place for each in schedule.instructions if row_of(each.operation)}
        self.rows = {place: k for k, place in enumerate(schedule.inputs)}
        for place, operation, operands in schedule.instructions:
            for each in [*operands, place]:
                is_elsewhere = each not in schedule.constants and self.stage[each] != self.stage[place]
                if row_of(operation) or is_elsewhere:
                    self.rows.setdefault(each, len(self.rows) + len(self.outputs))
        self.spare = len(self.rows) + len(self.outputs)

    def __str__(self) -> str:
        """Return the source of a function that returns whether some result is not finite."""
        arrays = [f"given{k}" for k in range(len(self.sizes))] + [f"made{k}" for k in range(len(self.made))]
        return indented([f"def program({', '.join(['begin', 'end', 'points', 'is_last', *arrays])}):", self._lines()])

    def _lines(self) -> Lines:
        lines: Lines = ["bad = False", f"block = empty({self.spare + 1} * ROW, dtype)"]
        fixed: Lines = [self._put(self.rows[place], place) for place in self.schedule.constants if place in self.rows]
        if fixed:
            lines += ["for p in range(whole(ROW)):", fixed]
        return [*lines, "for first in range(begin, end, BLOCK):", [*self._block()], "return bad"]

    def _block(self) -> Iterator[str | Lines]:
        yield "stop = whole(min(BLOCK, points - first))"
        yield "count = whole(STEP * min(BLOCK // STEP, (points - first + STEP - 1) // STEP))"
        row = 0
        for k, size in enumerate(self.sizes):
            yield f"take(block, {row}, given{k}, {size}, is_last, points, first)"
            row += size
        for now in range(max(self.stage.values(), default=0) + 2):
            yield from self._calls(now)
            yield from self._loop(now)
        for k, (parts, size, places) in enumerate(self.made):
            is_last = "is_last" if parts[0].leaf.shape else "True"
            yield f"bad |= put(block, {row}, made{k}, places{k}, {size}, {is_last}, points, first)"
            row += len(places)

    def _calls(self, now: int) -> Iterator[str]:
        """Yield the functions of whole rows in a stage; sine and cosine of the same angle are computed together."""
        mine = [each for each in self.schedule.instructions if each.place in self.called]
        row_of_call = {each[1:]: self.rows[each.place] for each in mine if self.stage[each.place] == now}
        for (operation, operands), row in row_of_call.items():
            other, pair = partner(operation), OPERATIONS[operation].numeric.pair
            made = [row]
            if other is not None and pair is not None:
                made = [row, row_of_call.get((other, operands), self.spare)][:: -1 if pair[1] else 1]
            if pair is None or not pair[1] or (other, operands) not in row_of_call:
                rows = ", ".join(f"r{each}" for each in [*(self.rows[place] for place in operands), *made])
                yield f"{row_of(operation)}(block, {rows}, stop)"

    def _loop(self, now: int) -> Lines:
        """Return the loop over points of a stage; a vectorized one may go beyond the last point."""
        steps = [each for each in self.schedule.instructions if self.stage[each.place] == now]
        steps = [each for each in steps if each.place not in self.called]
        puts = [(self.rows[each.place], each.place) for each in steps if each.place in self.rows]
        for row, place in enumerate(self.outputs, len(self.schedule.inputs)):
            if self.stage[place] + (place in self.called) == now:
                puts.append((row, place))
        own = {each.place for each in steps} | self.schedule.constants.keys()
        needed = dict.fromkeys([*(place for each in steps for place in each.operands), *(place for _, place in puts)])
        lines: Lines = [f"{self.names[place]} = block[r{self.rows[place]} + p]" for place in needed if place not in own]
        lines += [f"{self.names[each.place]} = {written(each, self.names)}" for each in steps]
        lines += [self._put(*each) for each in puts]
        return [f"for p in range({'stop' if now % 2 else 'count'}):", lines] if lines else []

    def _put(self, row: int, place: int) -> str:
        return f"block[r{row} + p] = {self.names[place]}"


def indented(lines: Lines, depth: int = 0) -> str:
    """Write lines, and lists of lines one level deeper."""
    return "\n".join(indented(each, depth + 1) if isinstance(each, list) else "    " * depth + each for each in lines)
