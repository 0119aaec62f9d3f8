"""What an array program costs: operations on numbers, and the bytes that are in use while it runs."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import Any, NamedTuple

from ...engine.blocks import INPUT
from ..derivations.loop_bodies import Body
from ..derivations.translation import Translation
from ..schedules import fewest_advances, most_kept, revolve
from ..sources.checkpoint_lines import Iteration
from ..sources.writing import Written
from ..terms.array_terms import Made, Term, in_order, made_of, reached, viewed, work

# ---- loops ----


NONE: Mapping[int, Any] = MappingProxyType({})


class Use(NamedTuple):
    """A part of the run of a program: its operations on numbers, and the bytes that are in use meanwhile."""

    operations: int
    bytes: int


class LoopCost(NamedTuple):
    """The cost of a loop whose iterations get what their derivatives take in a ``way`` of :class:`.Iteration`.

    ``forward_work``, ``again_work`` and ``back_work`` are operations of an iteration, of what is computed again before
    its derivative, or to get there from a checkpoint, and of its derivative. ``state``, ``kept`` and ``taken`` are
    bytes: of the state, where nothing else keeps it, of what an iteration keeps to the end, and of what is in use for
    its derivative alone. ``within`` and ``within_back`` are the most bytes in use while an iteration and its derivative
    are computed. Neither arguments nor the state that a loop begins with are counted.
    """

    iterations: int
    way: str
    checkpoints: int
    forward_work: int
    again_work: int
    back_work: int
    state: int
    kept: int
    taken: int
    within: int
    within_back: int

    @property
    def most_kept(self) -> int:
        """How many states are kept at the same time."""
        return most_kept(self.iterations, self.checkpoints) if self.way == "checkpoints" else 0

    @property
    def operations(self) -> int:
        """Operations of the whole loop, with what is computed again."""
        n, again = self.iterations, self.iterations * self.again_work
        if self.way == "checkpoints":
            further = fewest_advances(n, self.checkpoints) - (n - 1)
            again = (n - 1) * self.forward_work + further * self.again_work
        return n * (self.forward_work + self.back_work) + again

    @property
    def left(self) -> int:
        """Bytes that are kept between the loop and that of its derivative."""
        if self.way == "checkpoints":
            return (self.most_kept - 1) * self.state + self.taken
        return self.iterations * self.kept

    @property
    def peak_forward(self) -> int:
        """The most bytes in use while the loop runs."""
        if self.way == "checkpoints":
            return self.most_kept * self.state + self.within
        return (self.iterations - 1) * self.kept + self.state + self.within

    @property
    def peak_back(self) -> int:
        """The most bytes in use while its derivative runs."""
        derivative = self.taken + self.within_back
        if self.way == "checkpoints":
            return (self.most_kept - 1) * self.state + max(self.state + self.within, derivative)
        return self.iterations * self.kept + derivative

    def forward(self) -> Iterator[Use]:
        """Yield what runs before the last iteration is done."""
        if self.way == "checkpoints":
            yield from (use for is_back, use in takewhile(lambda pair: not pair[0], self._scheduled()))
            return
        for number in range(self.iterations):
            yield Use(self.forward_work, number * self.kept + self.state + self.within)

    def backward(self) -> Iterator[Use]:
        """Yield the derivatives, from the last iteration to the first, with what is computed again for them."""
        if self.way == "checkpoints":
            yield from (use for is_back, use in self._scheduled() if is_back)
            return
        for _ in range(self.iterations):
            yield Use(self.again_work + self.back_work, self.iterations * self.kept + self.taken + self.within_back)

    def _scheduled(self) -> Iterator[tuple[bool, Use]]:
        """Yield what runs by the schedule, and whether that comes after the last iteration."""
        kept, is_back = set[int](), False
        for action, k in revolve(self.iterations, self.checkpoints):
            if action == "keep":
                kept.add(k)
            if action in ("advance", "reverse"):
                is_less = is_back and action == "advance"
                work_done = self.again_work if is_less else self.forward_work
                yield is_back, Use(work_done, len(kept) * self.state + self.within)
            if action == "reverse":
                kept.discard(k)
                is_back = True
                others = max(len(kept) - 1, 0) * self.state
                yield is_back, Use(self.back_work, others + self.taken + self.within_back)


def loop_cost(body: Body, iteration: Iteration) -> LoopCost:
    """Return the cost of a loop from the terms of an iteration, and from the loops within."""
    loops = {start: loop_cost(body.bodies[start], each) for start, each in iteration.within.items()}
    states, kept, way = iteration.after, iteration.kept, iteration.way
    after, left = list(states.values()), sum(loop.left for loop in loops.values())
    state = _arrays(after, states)
    stay = _arrays([states.get(term.value, term) if term.operation is INPUT else term for term in kept], states)
    taken = {
        "checkpoints": _bytes(_arrays([*kept, *after], states)) + left,
        "recomputed": most_bytes(iteration.recomputed, kept, loops) + left,
    }
    forward = in_order([*after, *kept])
    again = {"checkpoints": in_order([states[number] for number in iteration.carried]), "recomputed": in_order(kept)}
    if loops:  # all of an iteration is run again
        again = dict.fromkeys(again, forward)
    forward_work = _work(forward, loops)
    everything = sum(map(inner_work, in_order(body.translation.results))) + sum(
        loop.operations for loop in loops.values()
    )
    return LoopCost(
        body.loop.iterations,
        way,
        iteration.checkpoints or 0,
        forward_work,
        _work(again[way], loops) if way in again else 0,
        everything - forward_work,
        _bytes(state - stay if way == "kept" else state),
        _bytes(stay) + left if way == "kept" else 0,
        taken.get(way, 0),
        most_bytes(iteration.forward, [*kept, *after], loops),
        most_bytes(iteration.derivative, [*body.adjoints.values(), *body.adjoints_dot.values()], loops),
    )


def _work(terms: Iterable[Term], loops: Mapping[int, LoopCost]) -> int:
    """Return operations on numbers that forward terms take, with those of all iterations of loops."""
    return sum(map(inner_work, terms)) + sum(loop.iterations * loop.forward_work for loop in loops.values())


def inner_work(term: Term) -> int:
    """Return operations on numbers that a term takes by itself; those of a loop are counted by its iterations."""
    return work(term.operation, term.operands) if term.operands and term.name != "loop" else 0


def most_bytes(lines: Sequence[Term], results: Sequence[Term], loops: Mapping[int, LoopCost] = NONE) -> int:
    """Return the most bytes in use while the terms of some lines are computed one by one, of which the results stay.

    What loops keep for their derivatives is in use from the first on; with the derivatives it is not counted.
    """
    groups = grouped(in_order([*lines, *results]))
    rows = [groups[made_by(term)] if term.name == "loop" else [term] for term in lines]
    rows.append(unwritten(results, {term for terms in rows for term in terms}))
    result, left = 0, 0
    for terms, live in zip(rows, bytes_in_use(rows, results), strict=True):
        start, part = made_by(terms[0]) if terms and terms[0].name == "loop" else (None, "")
        loop = loops.get(start) if start is not None else None
        inside = 0 if loop is None else loop.peak_forward if part == "forward" else loop.peak_back - loop.left
        result = max(result, live + left + inside)
        left += loop.left if loop is not None and part == "forward" else 0
    return result


def made_by(term: Term) -> tuple[int, str]:
    """Return the loop that makes a term, by its first node, and the part of the program."""
    return made_of(term)[:2]


def grouped(terms: Iterable[Term]) -> dict[tuple[int, str], list[Term]]:
    """Return the terms that loops make, by the loop and the part of the program."""
    result: dict[tuple[int, str], list[Term]] = {}
    for term in terms:
        if term.name == "loop":
            result.setdefault(made_by(term), []).append(term)
    return result


def unwritten(results: Iterable[Term], lines: Container[Term]) -> list[Term]:
    """Return the results that are computed where they are returned."""
    computed = (term for term in dict.fromkeys(results) if term.operands and not term.is_view)
    return [term for term in computed if term not in lines]


def bytes_in_use(
    rows: Sequence[Sequence[Term]], results: Iterable[Term], further: Mapping[int, Sequence[Term]] = NONE
) -> list[int]:
    """Return the bytes of computed arrays that are in use after each of some rows of terms.

    An array is in use from the row that computes it to the last one that reads it, and a result to the end. By the
    number of a row, ``further`` has terms that it reads although they are no operands.
    """
    known = {term for terms in rows for term in terms}
    last: dict[Term, int] = {}
    for k, terms in enumerate(rows):
        operands = [operand for term in terms for operand in term.operands]
        last |= dict.fromkeys([*terms, *reached([*operands, *further.get(k, ())], known)[0]], k)
    last |= dict.fromkeys((term for term in reached(results, known)[0]), len(rows))
    ends = [0] * (len(rows) + 1)
    for term, end in last.items():
        ends[end] += term.bytes
    result, now = [], 0
    for k, terms in enumerate(rows):
        now += sum(term.bytes for term in terms)
        result.append(now)
        now -= ends[k]
    return result


def _arrays(terms: Iterable[Term], states: Container[int]) -> set[Term]:
    """Return the arrays that terms are views of, if a loop makes them; ``states`` are the inputs that it makes."""
    result = set()
    for term in terms:
        while (seen := viewed(term)) is not None:
            term = seen
        if term.operands or (term.operation is INPUT and term.value in states):
            result.add(term)
    return result


def _bytes(terms: Iterable[Term]) -> int:
    return sum(term.bytes for term in terms)


# ---- the whole program ----


HEAD = re.compile(r"^ *for .* in |= checkpointed\(")
"""What the line of a loop has that tells which one it is."""


class Moment(NamedTuple):
    """A line of a program that computes something, as it is run: the bytes in use after it, and its operations.

    Where it is a loop, ``bytes`` and ``operations`` are those without its iterations; ``part`` is ``"forward"`` or
    ``"backward"``.
    """

    text: str
    bytes: int
    operations: int = 0
    loop: LoopCost | None = None
    part: str = ""

    def uses(self) -> Iterator[Use]:
        """Yield operations and bytes in use, for each iteration of a loop, else once."""
        if self.loop is None or self.operations:
            yield Use(self.operations, self.bytes + self._left)
        if self.loop is None:
            return
        for use in self.loop.forward() if self.part == "forward" else self.loop.backward():
            yield Use(use.operations, self.bytes + use.bytes)

    @property
    def _left(self) -> int:
        """Bytes that the loop of values has left for that of derivatives."""
        return self.loop.left if self.loop is not None and self.part == "backward" else 0

    @property
    def peak(self) -> int:
        """The most bytes in use."""
        inside = 0 if self.loop is None else self.loop.peak_forward if self.part == "forward" else self.loop.peak_back
        return self.bytes + inside


class ArrayCost(NamedTuple):
    """Operations on numbers, and the most bytes of computed arrays that are in use at the same time.

    ``moments`` are the lines that compute something; arguments are not counted.
    """

    operations: int
    peak_bytes: int
    moments: tuple[Moment, ...] = ()

    @property
    def live(self) -> tuple[int, ...]:
        """The bytes in use after each line that computes something; the most of them while a loop runs."""
        return tuple(moment.peak for moment in self.moments)

    def __repr__(self) -> str:
        return f"ArrayCost(operations={self.operations}, peak_bytes={self.peak_bytes})"


def cost_of(translation: Translation, written: Written, bodies: Mapping[int, Body]) -> ArrayCost:
    """Return the cost of a program: an array is in use from the line that computes it to the last one that needs it.

    What an iteration of a loop computes is counted as often as it runs; what it keeps for its derivative is in use
    until that has been computed.

    >>> import adviz, numpy as np
    >>> adviz.compile_gradient(lambda x: np.sum(np.sin(x)), np.ones(1000), grain="array").cost
    ArrayCost(operations=3000, peak_bytes=8008)
    """
    if written.runs:
        return _cost_of_runs(written)
    loops = {start: loop_cost(bodies[start], iteration) for start, iteration in written.iterations.items()}
    order = in_order(translation.results)
    texts, rows = _rows(written, order, translation.results)
    known = {term for terms in rows for term in terms}
    infos: list[Made | None] = [
        terms[0].operands[0].value if terms and terms[0].name == "loop" else None for terms in rows
    ]
    made = [(k, info, rows[k][0].operands) for k, info in enumerate(infos) if info is not None]
    taken = {info.loop: operands for _, info, operands in made if info.part == "forward"}
    further = {k: taken[info.loop] for k, info, _ in made if info.part == "backward"}
    moments, left, counted = [], 0, set[Term]()
    for text, terms, info, live in zip(
        texts, rows, infos, bytes_in_use(rows, translation.results, further), strict=True
    ):
        _, between = reached([operand for term in terms for operand in term.operands], known)
        new = {*terms, *between} - counted
        counted |= new
        loop, part = (loops[info.loop], info.part) if info else (None, "")
        left -= loop.left if loop and part == "backward" else 0
        moments.append(Moment(text, live + left, sum(map(inner_work, new)), loop, part))
        left += loop.left if loop and part == "forward" else 0
    operations = sum(map(inner_work, order)) + sum(loop.operations for loop in loops.values())
    return ArrayCost(operations, max((moment.peak for moment in moments), default=0), tuple(moments))


def _cost_of_runs(written: Written) -> ArrayCost:
    """Return the cost of a program that runs lines again."""
    moments = tuple(Moment(run.text, run.bytes, run.operations) for run in written.runs)
    return ArrayCost(sum(run.operations for run in written.runs), max(moment.peak for moment in moments), moments)


def _rows(written: Written, order: Sequence[Term], results: Sequence[Term]) -> tuple[list[str], list[list[Term]]]:
    """Return the lines that compute something outside of iterations: their texts, and the terms that each computes.

    The last ones are results that are computed where they are returned.
    """
    loops = grouped(order)
    own, result = {*order}, dict[Term, str]()
    for row in written.rows:
        is_head = row.term is not None and row.term.name == "loop" and HEAD.search(row.text)
        if row.term in own and (row.term not in result or is_head):
            result[row.term] = row.text.strip()
    rows = [loops[made_by(term)] if term.name == "loop" else [term] for term in result]
    last = unwritten(results, {term for terms in rows for term in terms})
    return [*result.values(), "return"], [*rows, last]
