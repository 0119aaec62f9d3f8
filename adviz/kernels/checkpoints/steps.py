"""The lines of a program as steps: what each gives a value to, what it reads, and what it costs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from ..sources.writing import Row, Written
from ..terms.array_terms import FREE, Term, reached, work

NAME = re.compile(r"\s*(\w+)")
"""What a line that computes something begins with: the name of it."""
WORD = re.compile(r"(?<![\w.])[^\W\d]\w*")


class Step(NamedTuple):
    """The ``rows`` that compute a value of some ``bytes`` under a ``name``, of the values that it ``reads``."""

    rows: tuple[Row, ...]
    name: str
    reads: frozenset[str]
    bytes: int
    operations: int
    is_derivative: bool


class Steps(NamedTuple):
    """A program in parts: the rows before the first value (``head``), the ``steps``, and the row that returns.

    ``returned`` are the names that results are made of; what is computed where it is returned takes some ``bytes`` and
    ``operations``. Names that several steps give a value to are ``changing``.
    """

    head: tuple[Row, ...]
    steps: list[Step]
    last: Row
    returned: frozenset[str]
    bytes: int
    operations: int
    changing: frozenset[str]


def steps_of(written: Written, results: Sequence[Term]) -> Steps | None:
    """The steps of a program that returns some terms; ``None`` if it has loops."""
    groups = [(term, tuple(rows)) for term, rows in groupby(written.rows[:-1], key=lambda row: row.term)]
    computed = [(term, rows) for term, rows in groups if term is not None]
    if not computed or any(term.name == "loop" for term, _ in computed):
        return None
    names = {term: _name(rows) for term, rows in computed}
    own = frozenset(names.values())
    steps = []
    for term, rows in computed:
        _, between = reached(term.operands, names)
        costs = sum(map(_work, [term, *between]))
        reads = _read_in(rows) & own - {names[term]}
        steps.append(Step(rows, names[term], reads, term.bytes, costs, rows[0].is_derivative))
    _, between = reached(results, names)
    unwritten = [term for term in dict.fromkeys(results) if term in between and term.operands]
    times = Counter(step.name for step in steps)
    return Steps(
        tuple(row for row in groups[0][1] if not row.text.startswith("    #")),
        _results_first(steps),
        written.rows[-1],
        _read_in(written.rows[-1:]) & own,
        sum(term.bytes for term in unwritten if term.name not in FREE),
        sum(map(_work, between)),
        frozenset(name for name, count in times.items() if count > 1),
    )


def _results_first(steps: Sequence[Step]) -> list[Step]:
    """The same steps, but what no other step reads of derivatives as soon as the adjoints are there that it takes."""
    place = {step.name: k for k, step in enumerate(steps) if step.is_derivative}
    read, times = {name for step in steps for name in step.reads}, Counter(step.name for step in steps)

    def at(k: int) -> tuple[int, int]:
        step = steps[k]
        last = max((place[name] for name in step.reads if name in place), default=k)
        is_free = step.is_derivative and step.name not in read and times[step.name] == 1
        return min(last, k) if is_free else k, k

    return [steps[k] for k in sorted(range(len(steps)), key=at)]


def _name(rows: Sequence[Row]) -> str:
    found = NAME.match(rows[0].text)
    assert found is not None
    return found[1]


def _read_in(rows: Sequence[Row]) -> frozenset[str]:
    """The names in some rows: what is written within an expression may have got a line of its own later."""
    return frozenset(name for row in rows for name in WORD.findall(row.text.partition("  # ")[0]))


def _work(term: Term) -> int:
    return work(term.operation, term.operands) if term.operands else 0
