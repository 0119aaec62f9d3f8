"""What an array program costs: operations on numbers, and the bytes that are in use while it runs."""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

from ..derivations.translation import Translation
from ..sources.writing import Written
from ..terms.array_terms import Term, in_order, work


class ArrayCost(NamedTuple):
    """Operations on numbers, and the most bytes of computed arrays that are in use at the same time.

    ``live`` has the bytes after each line that computes something; arguments are not counted.
    """

    operations: int
    peak_bytes: int
    live: tuple[int, ...] = ()


def cost_of(found: Translation, written: Written) -> ArrayCost:
    """The cost of a program: an array is in use from the line that computes it to the last one that needs it.

    >>> import adviz, numpy as np
    >>> adviz.compile_gradient(lambda x: np.sum(np.sin(x)), np.ones(1000), grain="array").cost.operations
    3000
    """
    lines = list(dict.fromkeys(row.term for row in written.rows if row.term is not None))
    operations = sum(work(term.operation, term.operands) for term in in_order(found.results) if term.operands)
    number = {term: k for k, term in enumerate(lines)}
    last = {read: k for k, term in enumerate(lines) for read in _read(term, number)}
    last |= dict.fromkeys(found.results, len(lines))
    ends: dict[int, int] = {}
    for term, end in last.items():
        ends[end] = ends.get(end, 0) + term.bytes
    live, now = [], 0
    for k, term in enumerate(lines):
        now += term.bytes
        live.append(now)
        now -= ends.get(k, 0)
    return ArrayCost(operations, max(live, default=0), tuple(live))


def _read(term: Term, lines: Container[Term]) -> list[Term]:
    """The lines that a line reads."""
    found, pending = [], list(term.operands)
    while pending:
        each = pending.pop()
        if each in lines:
            found.append(each)
        else:
            pending += each.operands
    return found
