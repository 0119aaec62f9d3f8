"""What an array program costs: operations on numbers, and the bytes that are in use while it runs."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import NamedTuple

from ..derivations.loop_bodies import Body
from ..derivations.translation import Translation
from ..sources.writing import Written
from ..terms.array_terms import FREE, Term, in_order, work


class ArrayCost(NamedTuple):
    """Operations on numbers, and the most bytes of computed arrays that are in use at the same time.

    ``live`` has the bytes after each line that computes something; arguments are not counted.
    """

    operations: int
    peak_bytes: int
    live: tuple[int, ...] = ()


def cost_of(found: Translation, written: Written, bodies: Mapping[int, Body]) -> ArrayCost:
    """The cost of a program: an array is in use from the line that computes it to the last one that needs it.

    What an iteration of a loop computes is counted as often as it runs; what it keeps for its derivative is in use
    until that has been computed.

    >>> import adviz, numpy as np
    >>> adviz.compile_gradient(lambda x: np.sum(np.sin(x)), np.ones(1000), grain="array").cost.operations
    3000
    """
    looped = {start: _iteration(body) for start, body in bodies.items()}
    order = in_order(found.results)
    own = {*order}
    computed = dict.fromkeys(row.term for row in written.rows if row.term is not None)
    lines = [term for term in computed if term.name != "loop" or term in own]  # those of loops within are counted there
    operations = sum(map(_work, order)) + sum(each for each, _ in looped.values())
    number = {term: k for k, term in enumerate(lines)}
    last = {read: k for k, term in enumerate(lines) for read in _read(term, number)}
    last |= dict.fromkeys(found.results, len(lines))
    ends: dict[int, int] = {}
    for term, end in last.items():
        ends[end] = ends.get(end, 0) + term.bytes
    live, now = [], 0
    for k, term in enumerate(lines):
        now += term.bytes
        if term.name == "loop":
            start, part = term.operands[0].value[:2]
            now += looped[start][1] * (1 if part == "forward" else 0)
            live.append(now)
            now -= looped[start][1] * (0 if part == "forward" and _is_derived(bodies[start]) else 1)
            continue
        live.append(now)
        now -= ends.get(k, 0)
    return ArrayCost(operations, max(live, default=0), tuple(live))


def _work(term: Term) -> int:
    return work(term.operation, term.operands) if term.operands and term.name != "loop" else 0


def _is_derived(body: Body) -> bool:
    return bool(body.adjoints)


def _iteration(body: Body) -> tuple[int, int]:
    """Operations of all iterations of a loop, and the bytes of what they compute, as far as it is kept."""
    order = in_order(body.found.results)
    within = [_iteration(each) for each in body.bodies.values()]
    forward = in_order([*body.after.values(), *body.after_dot.values()])
    kept = sum(term.bytes for term in forward if term.operands and term.name not in FREE)
    operations = sum(map(_work, order)) + sum(each for each, _ in within)
    times = body.loop.iterations if _is_derived(body) else 1
    return body.loop.iterations * operations, times * (kept + sum(each for _, each in within))


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
