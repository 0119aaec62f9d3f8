"""What an array program costs: operations on numbers, and the bytes that are in use while it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..derivations.loop_bodies import Body
from ..derivations.translation import Translation
from ..sources.writing import Written
from ..terms.array_terms import Term, in_order, reached
from ..terms.loop_terms import Made
from .loop_costs import LoopCost, Use, bytes_in_use, grouped, inner_work, loop_cost, made_by, unwritten

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
        """Operations and bytes in use, for each iteration of a loop, else once."""
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


def cost_of(found: Translation, written: Written, bodies: Mapping[int, Body]) -> ArrayCost:
    """The cost of a program: an array is in use from the line that computes it to the last one that needs it.

    What an iteration of a loop computes is counted as often as it runs; what it keeps for its derivative is in use
    until that has been computed.

    >>> import adviz, numpy as np
    >>> adviz.compile_gradient(lambda x: np.sum(np.sin(x)), np.ones(1000), grain="array").cost
    ArrayCost(operations=3000, peak_bytes=8008)
    """
    if written.runs:
        return _cost_of_runs(written)
    loops = {start: loop_cost(bodies[start], iteration) for start, iteration in written.iterations.items()}
    order = in_order(found.results)
    texts, rows = _rows(written, order, found.results)
    known = {term for terms in rows for term in terms}
    infos: list[Made | None] = [
        terms[0].operands[0].value if terms and terms[0].name == "loop" else None for terms in rows
    ]
    made = [(k, info, rows[k][0].operands) for k, info in enumerate(infos) if info is not None]
    taken = {info.loop: operands for _, info, operands in made if info.part == "forward"}
    further = {k: taken[info.loop] for k, info, _ in made if info.part == "backward"}
    moments, left, counted = [], 0, set[Term]()
    for text, terms, info, live in zip(texts, rows, infos, bytes_in_use(rows, found.results, further), strict=True):
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
    """The cost of a program that runs lines again."""
    moments = tuple(Moment(run.text, run.bytes, run.operations) for run in written.runs)
    return ArrayCost(sum(run.operations for run in written.runs), max(moment.peak for moment in moments), moments)


def _rows(written: Written, order: Sequence[Term], results: Sequence[Term]) -> tuple[list[str], list[list[Term]]]:
    """The lines that compute something outside of iterations: their texts, and the terms that each computes.

    The last ones are results that are computed where they are returned.
    """
    loops = grouped(order)
    own, found = {*order}, dict[Term, str]()
    for row in written.rows:
        is_head = row.term is not None and row.term.name == "loop" and HEAD.search(row.text)
        if row.term in own and (row.term not in found or is_head):
            found[row.term] = row.text.strip()
    rows = [loops[made_by(term)] if term.name == "loop" else [term] for term in found]
    last = unwritten(results, {term for terms in rows for term in terms})
    return [*found.values(), "return"], [*rows, last]
