"""Arrays that a program writes into again: operations on the entries of large arrays allocate nothing.

An array is free for another value as soon as its last reader has run; the reader itself may write over it.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

import numpy as np

from ...engine.blocks import BLOCK_OF
from ..terms.array_terms import Term, viewed

UFUNCS: dict[int, Any] = {id(block): ufunc for ufunc, block in BLOCK_OF.items() if isinstance(ufunc, np.ufunc)}
SMALL = 1 << 10
"""Arrays of fewer numbers are allocated: that is quick."""


class Buffers:
    """Which array each value of a program is written into; ``made`` has the shapes and dtypes of the arrays by name.

    ``targets`` are terms that are to be written into arrays which are given, by their names. ``same`` are terms that
    change another one in place, which is in the same array; ``inlined`` those that are computed where they are read.
    """

    def __init__(
        self,
        order: Sequence[Term],
        targets: Mapping[Term, str],
        same: Mapping[Term, Term],
        inlined: Container[Term] = (),
    ):
        self.made: dict[str, tuple[tuple[int, ...], Any]] = {}
        self.of: dict[Term, str] = {}
        position = {term: k for k, term in enumerate(order)}
        last = dict(position) | dict.fromkeys(targets, len(order))
        for term in reversed(order):
            is_later = viewed(term) is not None or term in same or term in inlined
            reads_at = last[term] if is_later else position[term]
            for operand in term.operands:
                last[operand] = max(last.get(operand, 0), reads_at)
        free: dict[Any, list[str]] = {}
        ends: dict[int, list[Term]] = {}
        given = {**targets} | {other: targets[term] for term, other in same.items() if term in targets}
        until = {name: position[term] for term, name in given.items()}  # before that, anything may be in them
        for term, name in targets.items():
            free.setdefault((term.shape, term.dtype), []).append(name)
        for k, term in enumerate(order):
            for ended in ends.pop(k, ()):
                free.setdefault((ended.shape, ended.dtype), []).append(self.of[ended])
            if term in same and same[term] in self.of:
                self.of[term] = self.of[same[term]]
            if not is_written_into(term) or term in same:
                continue
            if term in given:
                self.of[term] = given[term]
                continue
            names = free.setdefault((term.shape, term.dtype), [])
            fitting = [name for name in names if last[term] <= until.get(name, len(order))]
            if fitting:
                self.of[term] = min(fitting, key=lambda name: until.get(name, len(order)))
                names.remove(self.of[term])
            else:
                self.of[term] = name = f"w{len(self.made)}"
                self.made[name] = (term.shape, term.dtype)
            ends.setdefault(last[term], []).append(term)


def readers_first(order: Sequence[Term]) -> list[Term]:
    """The same terms, but what takes little of a large array, such as a sum, comes as soon as it can.

    So arrays are free for others earlier: an exponential may be written over what it is of.
    """
    found: dict[Term, None] = {term: None for term in order if not term.operands}
    readers: dict[Term, list[Term]] = {}
    for term in order:
        for operand in dict.fromkeys(term.operands):
            readers.setdefault(operand, []).append(term)
    pending = list(order[::-1])
    while pending:
        term = pending.pop()
        if term in found:
            continue
        found[term] = None
        ready = (each for each in readers.get(term, ()) if all(operand in found for operand in each.operands))
        pending += [each for each in ready if viewed(each) is not None or _takes_little(each)][::-1]
    return list(found)


def _takes_little(term: Term) -> bool:
    return 8 * term.size <= max((each.size for each in term.operands), default=0) or term.size < SMALL


def is_written_into(term: Term) -> bool:
    """Whether an operation writes its value into an array that it is given: NumPy's on the entries of real numbers."""
    is_of_entries = id(term.operation) in UFUNCS and UFUNCS[id(term.operation)].signature is None
    return is_of_entries and term.size >= SMALL and term.dtype.kind == "f" and _keeps_dtype(term)


def _keeps_dtype(term: Term) -> bool:
    """Whether the operation computes in the dtype of its value: numbers of Python's take on that of the others."""
    kinds = {each.dtype for each in term.operands if each.dtype is not None}
    return kinds == {term.dtype}
