"""Programs on large arrays in parts: rows that depend on no other rows are computed block by block, in the cache.

What is separable along the first axis of the large arrays is a function of a block of rows; sums over that axis are
added up block by block. Everything else is computed whole, before, between and after. A part is a function of NumPy as
the program itself is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...engine.blocks import INPUT
from ...engine.rules.gathering import SLOT
from ...engine.rules.matrix_products import MATMUL
from ...engine.rules.reducing import MEAN, SUM
from ...engine.rules.reshaping import TRANSPOSE
from ...engine.rules.rows import axes_of, has_rows
from ..derivations.translation import Translation
from ..sources.helpers import helper_of
from ..sources.lines import Writer
from ..sources.names import Names
from ..sources.writing import Row, Written, written
from ..terms.array_terms import Term, Terms, in_order
from .costs import cost_of


class BlockFunction(NamedTuple):
    """A function that takes values, arrays for results, and arrays to work in; the last of these ``shapes`` and dtypes.

    It returns the totals, in a tuple.
    """

    written: Written
    shapes: tuple[tuple[tuple[int, ...], str], ...]


def block_function(translation: Translation, filled: Sequence[Term], totals: Sequence[Term]) -> BlockFunction:
    """Return the function of some terms: those that are ``filled`` are written into arrays that are given.

    >>> import numpy as np
    >>> from ..terms.array_terms import Terms
    >>> terms = Terms()
    >>> x = terms.input(0, (2000,), np.dtype(float))
    >>> y = terms.apply(np.exp, terms.apply(np.sin, x))
    >>> print(block_function(Translation(None, terms, [y], "", ["x"]), [y], []).written.source)
    def block(x0, r0):
        sin = np.sin(x0, out=r0)
        exp = np.exp(sin, out=r0)
        return ()
    """
    inputs = {number: f"x{number}" for number in range(len(translation.inputs))}
    targets: dict[Term, str] = {}
    for number, term in enumerate(filled):
        targets.setdefault(term, f"r{number}")
    helpers = filter(None, map(helper_of, translation.terms.known.values()))
    taken = ["np", "scipy", "float", "bool", "real", "block", *helpers]
    arrays = [f"r{number}" for number in range(len(filled))]
    names = Names(translation, inputs, [*taken, *inputs.values(), *arrays, *(f"w{number}" for number in range(1000))])
    writer = Writer(translation, names, (), [*filled, *totals], targets=targets)
    lines = writer.lines()
    assert writer.buffers is not None
    work = writer.buffers.made
    rows = [Row(f"    {statement}", line.term) for line in lines for statement in line.statements]
    for name, term in zip(arrays, filled, strict=True):
        if writer.buffers.of.get(term) != name:
            rows.append(Row(f"    {name}[...] = {writer.printed[term].text}"))
    returned = "".join(f"{writer.printed[term].text}, " for term in totals).rstrip()
    parameters = ", ".join([*inputs.values(), *arrays, *work])
    head = Row(f"def block({parameters}):")
    written = Written("block", "", "A block of rows.", [head, *rows, Row(f"    return ({returned})")], writer.constants)
    return BlockFunction(written, tuple((shape, dtype.str) for shape, dtype in work.values()))


LARGE = 1 << 20
"""Bytes that arrays computed in rows have on average, at least: smaller ones stay in the cache as they are."""
FEWEST = 3
"""Operations in rows that are worth it."""
BLOCK = 1 << 17
"""Numbers of a block of an array."""
FEW_ROWS = 256
"""Rows of a block where there are products of matrices, at least."""


class WholePart(NamedTuple):
    """A function that takes some values by their numbers, and gives others; nothing after it needs those that end.

    ``peak`` are the most bytes that it uses at the same time, with those of what it gives.
    """

    function: Written
    takes: tuple[int, ...]
    gives: tuple[int, ...]
    peak: int
    ends: tuple[int, ...] = ()


class RowsPart(NamedTuple):
    """A function of a block of rows, and one for the rows that are left at the end.

    ``sliced`` says which values it takes block by block; some values are ``filled``, others ``totals``, which are added
    up.
    """

    function: BlockFunction
    rest: BlockFunction | None
    takes: tuple[int, ...]
    sliced: tuple[bool, ...]
    filled: tuple[int, ...]
    totals: tuple[int, ...]
    peak: int
    ends: tuple[int, ...] = ()

    @property
    def gives(self) -> tuple[int, ...]:
        """The values that it computes."""
        return self.filled + self.totals


Part = WholePart | RowsPart


class Plan(NamedTuple):
    """The parts of a program, which follow each other; values are numbered, the arguments first.

    ``rows`` is the length of the first axis, ``block`` that of a block; ``shapes`` has the shapes and dtypes of arrays
    that are filled, ``counts`` what totals are divided by, ``constants`` arrays that are known.
    """

    rows: int
    block: int
    parts: list[Part]
    results: tuple[int, ...]
    shapes: dict[int, tuple[tuple[int, ...], str]]
    counts: dict[int, int]
    constants: dict[int, np.ndarray]
    bytes: dict[int, int]

    @property
    def peak_bytes(self) -> int:
        """The most bytes of computed arrays that are in use at the same time."""
        peak, live = 0, dict[int, int]()
        for part in self.parts:
            peak = max(peak, sum(live.values()) + part.peak)
            live |= {number: self.bytes[number] for number in part.gives}
            live = {number: each for number, each in live.items() if number not in part.ends}
        return peak


class Place(NamedTuple):
    """Where a term is computed: whole before the blocks of a level, or in rows or as a total of them."""

    kind: str
    level: int

    @property
    def is_there_at(self) -> int:
        """The level at which it can be used as a whole."""
        return self.level + (self.kind != "whole")


def planned(translation: Translation, inputs: int) -> Plan | None:
    """Return a plan for a program with so many arguments; ``None`` where it would not be faster.

    >>> import adviz
    >>> program = adviz.compile_gradient(lambda x: np.sum(np.sin(x) * x), np.ones(10), grain="array")
    >>> planned(program._first.lowered.translation, 1) is None
    True
    """
    order = sorted(in_order(translation.results), key=lambda term: term.number)
    if any(term.name == "loop" for term in order):
        return None
    sizes: Counter[int] = Counter()
    for term in order:
        if term.operands and term.shape and not term.is_view:
            sizes[term.shape[0]] += term.bytes
    rows = max(sizes, key=lambda length: sizes[length], default=0)
    if rows < 2 or sizes[rows] < LARGE * FEWEST:
        return None
    planner = _Planner(translation, order, rows, inputs)
    in_rows = [term for term in order if planner.places[term].kind == "rows" and not term.is_view]
    if len(in_rows) < FEWEST or sum(term.bytes for term in in_rows) < LARGE * len(in_rows):
        return None
    return planner.plan()


class _Planner:
    """The places of all terms, and the parts that compute them."""

    def __init__(self, translation: Translation, order: Sequence[Term], rows: int, inputs: int):
        self.translation, self.order, self.rows = translation, order, rows
        self.uses: dict[Term, list[bool]] = {}
        self.places: dict[Term, Place] = {}
        for term in order:
            self.places[term] = self._place(term)
        self.numbers: dict[Term, int] = {term: term.value for term in order if term.operation is INPUT}
        self.next = inputs
        self.constants: dict[int, np.ndarray] = {}

    def _place(self, term: Term) -> Place:
        if not term.operands:
            return Place("whole", 0)
        if (uses := uses_of(term, self.rows)) is not None:
            self.uses[term] = uses
            return Place("rows", max(map(self._level, term.operands, uses)))
        if (summed := summed_rows(term, self.rows)) and any(self.places[each].kind == "rows" for each in summed):
            return Place("total", max(self._level(each, True) for each in summed))
        return Place("whole", max(self.places[each].is_there_at for each in term.operands))

    def _level(self, term: Term, is_row: bool) -> int:
        place = self.places[term]
        return place.level if is_row and place.kind == "rows" else place.is_there_at

    def number(self, term: Term) -> int:
        """Return the number of the value of a term."""
        if term not in self.numbers:
            self.numbers[term], self.next = self.next, self.next + 1
            if term.is_constant:
                self.constants[self.numbers[term]] = np.asarray(term.value)
        return self.numbers[term]

    def plan(self) -> Plan:
        """Return the parts, in the order in which they are run."""
        places, results = self.places, self.translation.results
        needed = dict.fromkeys(results)
        parts: list[Part] = []
        for level in range(max(place.level for place in places.values()), -1, -1):
            for kinds in (("rows", "total"), ("whole",)):
                wanted = [each for each in needed if each.operands and places[each].level == level]
                wanted = [each for each in wanted if places[each].kind in kinds]
                if wanted:
                    part, taken = self._part(wanted, level, "rows" in kinds)
                    needed |= dict.fromkeys(taken)
                    parts.insert(0, part)
        given = [each for each in needed if each.operands]
        return Plan(
            self.rows,
            self._block(),
            _ended(parts, {*map(self.number, results)}),
            tuple(map(self.number, results)),
            {self.number(each): (each.shape, each.dtype.str) for each in given if places[each].kind == "rows"},
            {
                self.number(each): each.operands[0].size // max(each.size, 1)
                for each in given
                if places[each].kind == "total" and each.is_of(MEAN)
            },
            self.constants,
            {self.number(each): each.bytes for each in given},
        )

    def _block(self) -> int:
        """Return how many rows a block has."""
        in_rows = [term for term in self.order if self.places[term].kind == "rows"]
        widest = max(math.prod(term.shape[1:]) for term in in_rows)
        has_products = any(term.is_of(MATMUL) and self.places[term].kind != "whole" for term in self.order)
        return min(self.rows, max(BLOCK // max(widest, 1), FEW_ROWS if has_products else 1))

    def _part(self, wanted: Sequence[Term], level: int, is_of_rows: bool) -> tuple[Part, list[Term]]:
        """Return the function of some terms, and the terms that it takes."""
        builder = _Builder(self, level, self._block() if is_of_rows else None)
        if not is_of_rows:
            translation = builder.translation([(term, False) for term in wanted])
            function, taken = builder.whole(translation), [term for term, _ in builder.taken]
            peak = cost_of(translation, function, {}).peak_bytes
            return WholePart(function, tuple(map(self.number, taken)), tuple(map(self.number, wanted)), peak), taken
        filled = [term for term in wanted if self.places[term].kind == "rows"]
        totals = [term for term in wanted if self.places[term].kind == "total"]
        rest = self.rows % self._block()
        block = builder.block(filled, totals)
        work = sum(math.prod(shape) * np.dtype(dtype).itemsize for shape, dtype in block.shapes)
        part = RowsPart(
            block,
            _Builder(self, level, rest).block(filled, totals) if rest else None,
            tuple(self.number(term) for term, _ in builder.taken),
            tuple(is_row for _, is_row in builder.taken),
            tuple(map(self.number, filled)),
            tuple(map(self.number, totals)),
            sum(term.bytes for term in wanted) + work,
        )
        return part, [term for term, _ in builder.taken]


def _ended(parts: Sequence[Part], results: set[int]) -> list[Part]:
    """Return the same parts, each with the values that none after it takes."""
    result, later = [], set(results)
    for part in reversed(parts):
        ends = {*part.takes, *part.gives} - later
        later |= ends
        result.append(part._replace(ends=tuple(sorted(ends))))
    return result[::-1]


Use = tuple[Term, bool]
"""A term, and whether it is used row by row."""


class _Builder:
    """The terms of a part once more: for a block of ``length`` rows of a level, or whole if that is ``None``.

    ``taken`` are the values that it takes from elsewhere, with whether they are taken block by block.
    """

    def __init__(self, planner: _Planner, level: int, length: int | None):
        self.planner, self.level, self.length = planner, level, length
        self.terms, self.taken = Terms(), dict[Use, None]()

    def whole(self, translation: Translation) -> Written:
        """Return the terms of a translation as a function of what they take."""
        examples = {
            name: np.broadcast_to(np.zeros((), self.made[use].dtype), self.made[use].shape)
            for name, use in zip(translation.inputs, self.taken, strict=True)
        }
        return written(translation, "part", examples, tuple(translation.results), 0, "A part of a program.", ("", ""))

    def block(self, filled: Sequence[Term], totals: Sequence[Term]) -> BlockFunction:
        """Return some terms as a function of a block of rows."""
        result = self.translation([*((term, True) for term in filled), *((term, False) for term in totals)])
        count = len(filled)
        return block_function(result, result.results[:count], result.results[count:])

    def translation(self, wanted: Sequence[Use]) -> Translation:
        """Return some terms once more, with the names of what they take."""
        pending, uses = list(wanted), dict[Use, list[Use]]()
        while pending:
            use = pending.pop()
            if use not in uses:
                uses[use] = self._uses(*use)
                pending += uses[use]
        self.made: dict[Use, Term] = {}
        for use in sorted(uses, key=lambda use: (use[0].number, use[1])):
            self.made[use] = self._made(use, [self.made[each] for each in uses[use]])
        whole, names = self.planner.translation, [f"x{number}" for number in range(len(self.taken))]
        return Translation(whole.graph, self.terms, [self.made[use] for use in wanted], whole.suffix, names)

    def _uses(self, term: Term, is_row: bool) -> list[Use]:
        """Return what a term is computed of in this part; nothing, if it comes from elsewhere."""
        place = self.planner.places[term]
        if not term.operands:
            return []
        if self.length is None or (place.kind == "whole" and not is_row):
            is_here = place.kind == "whole" and (term.is_view or (self.length is None and place.level == self.level))
            return [(each, False) for each in term.operands] if is_here else []
        if place.level != self.level or place.kind == "whole" or (place.kind == "rows" and not is_row):
            return []
        if place.kind == "rows":
            return list(zip(term.operands, self.planner.uses[term], strict=True))
        summed = summed_rows(term, self.planner.rows)
        return [
            *((each, True) for each in summed),
            *((each, False) for each in term.operands[1:] if not term.is_of(MATMUL)),
        ]

    def _made(self, use: Use, operands: list[Term]) -> Term:
        term, is_row = use
        if not operands:
            if term.is_constant and not is_row:
                return self.terms.constant(term.value)
            self.taken[use] = None
            shape = (self.length, *term.shape[1:]) if is_row and self.length is not None else term.shape
            dtype = np.asarray(term.value).dtype if term.dtype is None else term.dtype
            return self.terms.input(len(self.taken) - 1, shape, dtype)
        place = self.planner.places[term]
        if place.kind == "total":
            if term.is_of(MATMUL):
                a, b = operands
                turned = self.terms.plain(TRANSPOSE, a, self.terms.constant((1, 0))) if len(a.shape) == 2 else a
                return self.terms.plain(term.operation, turned, b)
            return self.terms.plain(SUM, *operands)
        if is_row and self.length is not None:
            operands = self._of_block(term, operands)
        return self.terms.plain(term.operation, *operands)

    def _of_block(self, term: Term, operands: list[Term]) -> list[Term]:
        """Return the same operands, with shapes for a block, and the numbers of its rows."""
        if (place := term.operation.shape_at) is not None:
            operands[place] = self.terms.constant((self.length, *term.shape[1:]))
        first = term.operation.indices_at
        if first is not None and term.operands[first - 1].value[0] is SLOT:  # else they are the indices of other axes
            operands[first] = self.terms.constant(np.arange(self.length or 0))
        return operands


def uses_of(term: Term, rows: int) -> list[bool] | None:
    """Return which operands an operation takes row by row; ``None`` where a row of it depends on other rows.

    >>> from ..terms.linear_rules import simplifying
    >>> terms = simplifying()
    >>> x, w = terms.input(0, (8, 3), np.dtype(float)), terms.input(1, (3, 2), np.dtype(float))
    >>> uses_of(terms.apply(np.matmul, x, w), 8), uses_of(terms.apply(SUM, x, 0, False), 8)
    ([True, False], None)
    """
    if not has_rows(term, rows):
        return None
    if term.operation.is_entrywise:
        return [has_rows(each, rows) and len(each.shape) == len(term.shape) for each in term.operands]
    uses: list[bool] | None = None if term.operation.by_rows is None else term.operation.by_rows(term, rows)
    return uses


def summed_rows(term: Term, rows: int) -> list[Term]:
    """Return the arrays whose rows an operation adds up or multiplies and adds up; none, if it does something else."""
    if term.is_of(SUM, MEAN) and has_rows(term.operands[0], rows):
        return [term.operands[0]] if 0 in axes_of(term) and term.dtype.kind == "f" else []
    if term.is_of(MATMUL):
        a, b = term.operands
        base = a.operands[0] if a.is_of(TRANSPOSE) and len(a.shape) == 2 else a
        is_sum = has_rows(base, rows) and len(base.shape) == (1 if base is a else 2)
        return [base, b] if is_sum and has_rows(b, rows) and len(b.shape) <= 2 else []
    return []
