"""A program as a list of instructions: the order in which expressions are computed, and the buffer of each.

The order is depth first from the outputs, so that values are used soon after they are computed and few buffers are live
at a time; a buffer is free again after the last use of its value.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from math import comb
from typing import Any, NamedTuple

from ..engine.rules.selection import CHOICE
from ..graph.errors import OptionError
from .expressions.expressions import CONSTANT, INPUT, OPERATIONS, Expressions, know
from .program_errors import ProgramError

CALL = 0.04
"""The overhead of a call of NumPy, in nanoseconds per number of a block."""
COPY = 0.1
"""The time to copy a number, in nanoseconds."""


class Instruction(NamedTuple):
    """An operation on the places of its operands; the result is the expression ``place``."""

    place: int
    operation: str
    operands: tuple[int, ...]


@dataclass(frozen=True)
class Cost:
    """The cost of one point: multiplications (and divisions), additions (and subtractions), other functions, buffers.

    ``nanoseconds`` is predicted for NumPy with many points in double precision; orders are compared by it.
    """

    multiplications: int
    additions: int
    functions: int
    buffers: int
    nanoseconds: float

    @property
    def operations(self) -> int:
        """All operations."""
        return self.multiplications + self.additions + self.functions


@dataclass(frozen=True)
class Schedule:
    """Instructions, constants by place, and the places of inputs and outputs."""

    instructions: tuple[Instruction, ...]
    constants: dict[int, float]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        know(each.operation for each in self.instructions)

    @property
    def cost(self) -> Cost:
        """The cost of one point."""
        counts = self._counts
        products = sum(counts[name] for name in counts if OPERATIONS[name].numeric.operator in ("*", "/"))
        sums = sum(counts[name] for name in counts if OPERATIONS[name].numeric.operator in ("+", "-"))
        return Cost(products, sums, counts.total() - products - sums, len({*self.buffers.values()}), self.nanoseconds)

    @property
    def nanoseconds(self) -> float:
        """The predicted time of one point."""
        return nanoseconds(self._counts, len(self.outputs) - len({*self.outputs} & self._made))

    @property
    def _counts(self) -> Counter[str]:
        return Counter(each.operation for each in self.instructions)

    @property
    def _made(self) -> set[int]:
        return {each.place for each in self.instructions}

    @cached_property
    def buffers(self) -> dict[int, str]:
        """The buffer of each place: ``o3`` of an output, ``w0`` for intermediate values, ``b0`` for conditions."""
        owners: dict[int, str] = {}
        made = self._made
        for number, place in enumerate(self.outputs):
            if place in made:
                owners.setdefault(place, f"o{number}")
        last = {operand: k for k, each in enumerate(self.instructions) for operand in each.operands}
        held: dict[int, str] = {}
        free: dict[str, list[str]] = {"w": [], "b": []}
        fresh = {kind: map(f"{kind}{{}}".format, count()) for kind in free}
        for k, (place, operation, operands) in enumerate(self.instructions):
            ended = [held.pop(each) for each in operands if each in held and last[each] == k]
            read_later, released = (
                (ended, []) if operation == CHOICE.name else ([], ended)
            )  # its first copy must not overwrite
            for name in released:
                free[name[0]].append(name)
            if place not in owners:
                kind = "b" if OPERATIONS[operation].is_condition else "w"
                owners[place] = held[place] = free[kind].pop() if free[kind] else next(fresh[kind])
            for name in read_later:  # what the second copy reads
                free[name[0]].append(name)
        return owners


def nanoseconds(counts: Counter[str], copies: int) -> float:
    """Predict the time of one point: of operations, counted by name, and of copies to further outputs.

    >>> round(nanoseconds(Counter(add=3), 1), 2)
    1.01
    """
    called = ((OPERATIONS[name].numeric.nanoseconds, count) for name, count in counts.items() if name in OPERATIONS)
    return sum(count * (each + CALL) for each, count in called) + copies * (COPY + CALL)


def schedule(known: Expressions, inputs: Iterable[int], outputs: Iterable[int]) -> Schedule:
    """Order the expressions that the outputs need. Nothing else is computed."""
    outputs = [known.plain(place) for place in outputs]
    operations, operands = known.operations, known.operands
    order: list[int] = []
    constants: dict[int, float] = {}
    seen: set[int] = set()
    for output in outputs:
        waiting = [output]
        while waiting:
            place = waiting.pop()
            if place < 0:  # its operands are computed by now
                order.append(-place)
            elif place not in seen:
                seen.add(place)
                operation = operations[place]
                if operation == CONSTANT:
                    constants[place] = operands[place][0]
                elif operation != INPUT:
                    waiting.append(-place)
                    waiting += operands[place][::-1]
    instructions = tuple(Instruction(place, operations[place], operands[place]) for place in order)
    return Schedule(instructions, constants, tuple(inputs), tuple(outputs))


# ---- schedules with checkpoints ----


REVOLVE = '''
def revolve(n, checkpoints):
    """Yield the actions that reverse n iterations, the last one first, while few states are kept.

    ("keep", k): keep the state before iteration k, until that is reversed; ("restore", k): go back to it;
    ("advance", k): run iteration k; ("reverse", k): run it, and then its derivative. At most so many
    checkpoints are kept at the same time, and no schedule advances less often: Griewank and Walther,
    Algorithm 799: revolve, ACM Transactions on Mathematical Software 26 (2000).
    """
    kept, at = [0], 0
    yield "keep", 0
    for last in reversed(range(n)):
        if at > last:
            at = kept[-1]
            yield "restore", at
        while at < last:
            length, usable = last + 1 - at, checkpoints + 1 - len(kept)
            repeats, before, reach = 0, 0, 1
            while reach < length:  # iterations that can be reversed if each advances so many times
                repeats += 1
                before, reach = reach, reach * (usable + repeats) // repeats
            stop = at + min(before, length - before * usable // (usable + repeats - 1))
            for k in range(at, stop):
                yield "advance", k
            at = stop
            if at < last:
                kept.append(at)
                yield "keep", at
        yield "reverse", last
        at = last + 1
        if kept[-1] == last:
            kept.pop()
'''
Action = tuple[str, int]
_scope: dict[str, Any] = {}
exec(REVOLVE, _scope)
revolve: Callable[[int, int], Iterator[Action]] = _scope["revolve"]
"""The actions that reverse so many iterations with so many checkpoints: what the text says."""

UNITS = {"bytes": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
UNITS |= {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}


def fewest_advances(n: int, checkpoints: int) -> int:
    """Return how often an iteration is advanced past, at least, to reverse ``n`` of them with so many ``checkpoints``.

    With r the smallest number for which binom(c + r, c) ≥ n, that is r n - binom(c + r, c + 1): no iteration is
    advanced past more than r times. The run that precedes its derivative is not counted.

    >>> fewest_advances(10, 3), fewest_advances(10, 1)
    (15, 45)
    """
    repeats = 0
    while comb(checkpoints + repeats, checkpoints) < n:
        repeats += 1
    return repeats * n - comb(checkpoints + repeats, checkpoints + 1)


def most_kept(n: int, checkpoints: int) -> int:
    """Return how many states :func:`revolve` keeps at the same time, at most.

    >>> most_kept(10, 3), most_kept(2, 3)
    (3, 1)
    """
    return min(checkpoints, max(n - 1, 1))


def checkpoint_count(checkpoints: object, state_bytes: int) -> int:
    """Return the number of checkpoints that is meant by a number, or by a text of bytes, in which so many states fit.

    Raises :class:`~adviz.OptionError` for anything else, and :class:`~adviz.ProgramError` where no state fits.

    >>> checkpoint_count(5, 1000), checkpoint_count("64 kB", 1000)
    (5, 64)
    """
    if isinstance(checkpoints, int) and not isinstance(checkpoints, bool) and checkpoints > 0:
        return checkpoints
    text = checkpoints.strip().lower() if isinstance(checkpoints, str) else ""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]+)", text, re.ASCII)
    if match is None or match[2] not in UNITS:
        raise OptionError(
            f"checkpoints is {checkpoints!r}; it can be a number of states, such as 5, or the bytes that they may "
            'take, such as "64 MB".'
        )
    limit = int(float(match[1]) * UNITS[match[2]])
    if limit < state_bytes:
        raise ProgramError(
            f"checkpoints is {checkpoints!r}, but one state takes {state_bytes:,} bytes. Allow as many at least."
        )
    return limit // max(state_bytes, 1)
