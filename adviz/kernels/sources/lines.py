"""The lines of an array program: which terms get one, in which order, and what they are called.

Values and adjoints that the user has named get a line, and what is used more than once; everything else is written
where it is used, as long as a line does not become too long.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...engine.blocks import BLOCK_OF, INPUT
from ...engine.rules.gathering import PLACE, SCATTER, SLOT
from ...engine.rules.reshaping import BROADCAST
from ...graph.origins import Origin
from ..derivations.translation import Translation
from ..program_errors import ProgramError
from ..terms.array_terms import ADD, LOOP, SUBTRACT, Term, in_order, together, viewed
from ..terms.shape_rules import are_single
from .names import Names
from .operator_printing import ATOM, UNARY, Printed, call, number_text
from .printing import (
    NoTextError,
    Printer,
    converted,
    dtype_text,
    filled,
    function_name,
    key_text,
    printed,
    shape_text,
    zeros_text,
)

# ---- constants ----


WRITTEN = 6
"""An array of more numbers is not written out where it is used."""
LONGEST = 48
"""Characters of an array that is written out, at most."""


def printed_constant(value: Any, kept: dict[str, np.ndarray], names: Any) -> Printed:
    """Return how a constant is written; arrays that no function of NumPy makes get a name among the ``kept``.

    >>> printed_constant(np.eye(3), {}, None), printed_constant(-2.0, {}, None)
    (Printed(text='np.eye(3)', strength=8), Printed(text='-2.0', strength=6))
    """
    if isinstance(value, np.ndarray):
        return _array(value, kept, names)
    if isinstance(value, bool | np.bool_):
        return Printed(str(bool(value)))
    if isinstance(value, np.generic) and value.dtype != np.dtype(float) and value.dtype.kind in "iuf":
        return call(f"np.{value.dtype.name}", number_text(value.item()))
    if isinstance(value, int | float | np.number):
        text = number_text(value if isinstance(value, int) else float(value))
        return Printed(text, UNARY if text.startswith("-") else ATOM)
    if isinstance(value, slice):
        return Printed(f"np.s_[{key_text(value)}]")
    return Printed(repr(value))


def _array(value: np.ndarray, kept: dict[str, np.ndarray], names: Any) -> Printed:
    dtype, shape = dtype_text(value.dtype), shape_text(value.shape)
    if not value.size and value.dtype.kind in "fiub":
        return call("np.zeros", shape, dtype)
    if value.size and value.dtype.kind in "fiu":
        first = value.flat[0]
        if np.array_equal(value, np.full(value.shape, first)):
            if first == 0 and not math.copysign(1.0, first) < 0:
                return call("np.zeros", shape, dtype)
            if first == 1:
                return call("np.ones", shape, dtype)
            return call("np.full", shape, number_text(first.item()), dtype)
        count = len(value)
        if value.ndim == 2 and count == value.shape[1] and np.array_equal(value, np.eye(count)):
            return call("np.eye", str(count), f"dtype={dtype}" if dtype else "")
        if (
            value.ndim == 1
            and value.dtype == np.arange(1).dtype
            and np.array_equal(value, np.arange(first, first + count))
        ):
            return call("np.arange", *([] if first == 0 else [str(first)]), str(first + count))
    text = repr(value.tolist()) if value.size <= WRITTEN else ""
    if 0 < len(text) <= LONGEST and value.dtype.kind in "fiub" and np.isfinite(value).all():
        plain = np.array(value.tolist())
        return call(
            "np.array",
            text,
            "" if plain.dtype == value.dtype and plain.shape == value.shape else f"dtype={dtype or 'float'}",
        )
    name = names.new("data")
    kept[name] = value
    return Printed(name)


# ---- buffers ----

# Arrays that a program writes into again: operations on the entries of large arrays allocate nothing.
#
# An array is free for another value as soon as its last reader has run; the reader itself may write over it.


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
    """Return the same terms, but what takes little of a large array, such as a sum, comes as soon as it can.

    So arrays are free for others earlier: an exponential may be written over what it is of.
    """
    result: dict[Term, None] = {term: None for term in order if not term.operands}
    readers: dict[Term, list[Term]] = {}
    for term in order:
        for operand in dict.fromkeys(term.operands):
            readers.setdefault(operand, []).append(term)
    pending = list(order[::-1])
    while pending:
        term = pending.pop()
        if term in result:
            continue
        result[term] = None
        ready = (each for each in readers.get(term, ()) if all(operand in result for operand in each.operands))
        pending += [
            each
            for each in ready
            if viewed(each) is not None or each.size < SMALL or 8 * each.size <= max(x.size for x in each.operands)
        ][::-1]
    return list(result)


def is_written_into(term: Term) -> bool:
    """Tell whether an operation writes into an array that it is given: NumPy's on the entries of real numbers do."""
    is_of_entries = id(term.operation) in UFUNCS and UFUNCS[id(term.operation)].signature is None
    return is_of_entries and term.size >= SMALL and term.dtype.kind == "f" and _keeps_dtype(term)


def _keeps_dtype(term: Term) -> bool:
    """Tell whether the operation computes in the dtype of its value: Python's numbers take on that of the others."""
    kinds = {each.dtype for each in term.operands if each.dtype is not None}
    return kinds == {term.dtype}


# ---- lines ----


WIDTH = 88
"""Columns of a line, without its comment, at most."""
SHORT = 60
"""Characters of the user's source that fit a comment."""


class Line(NamedTuple):
    """The statements that compute a term: their text, and the place in the user's source that they are due to.

    ``is_derivative`` says whether the values of the function do without it; ``comment`` explains a name that is not the
    user's.
    """

    term: Term
    statements: tuple[str, ...]
    comment: str
    origin: Origin | None
    is_derivative: bool
    indent: int = 0


@dataclass
class Writer:
    """Writes terms down line by line: ``printed`` has how each is written where it is used.

    ``values`` are the results of the user's function; ``results`` are all that the program returns. With ``targets``,
    arrays by their names that some results are written into, each operation gets a line, and arrays are used again.
    ``standing_only`` are the terms that get a line, where that has been decided.
    """

    translation: Translation
    names: Names
    values: Sequence[Term]
    results: Sequence[Term]
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    printed: dict[Term, Printed] = field(default_factory=dict)
    standing: dict[Term, tuple[str, ...]] = field(default_factory=dict)
    write_loop: Callable[[Writer, list[Term]], list[Line]] | None = None
    inlined: frozenset[Term] = frozenset()
    targets: Mapping[Term, str] | None = None
    buffers: Buffers | None = None
    standing_only: Container[Term] | None = None
    printer: Printer = field(default_factory=lambda: NUMPY)

    def lines(self) -> list[Line]:
        """Return the lines, in the order in which they are run."""
        needs = together([term for term in in_order(self.results) if term.operation is LOOP])
        of_values = set(in_order(self.values, needs=needs))
        order = self._order(of_values, needs)
        order = self.order = order if self.targets is None else readers_first(order)
        uses = Counter(operand for term in order for operand in term.operands)
        uses.update(self.results)
        self.of_values = of_values
        self.sums: set[Term] = set()
        self.later: dict[Term, Term] = {}
        self.given: dict[Term, str] = {}
        self.absorbed = dict(self._added_entries(order, uses))
        if self.targets is not None:
            same = {
                term: next(each for each in term.operands if each not in self.absorbed)
                for term in self.absorbed.values()
            }
            self.buffers = Buffers(order, self.targets, same, self.absorbed)
        loop_terms = [term for term in order if term.name == "loop"]
        self.for_loops = {each for term in loop_terms if _part(term) == "forward" for each in term.operands[1:]}
        self.others = {each for term in order if term.name != "loop" for each in term.operands} | {*self.results}
        self.loops_of: dict[Term, set[Any]] = {}
        for term in loop_terms:
            for each in term.operands[1:]:
                self.loops_of.setdefault(each, set()).add(term.operands[0].value[:2])
        self.seeds = (
            {each for term in loop_terms if _part(term) == "backward" for each in term.operands[1:]}
            - self.others
            - self.for_loops
        )
        loops: dict[Term, list[Line]] = {}
        for term in order:
            if term.name == "loop":
                if term not in self.printed and self.write_loop is not None:
                    group = [each for each in order if _is_of_one_loop(each, term)]
                    loops[term] = self.write_loop(self, group)
            elif term.is_constant:
                self.printed[term] = self.printer.constant(term.value, self.constants, self.names)
            elif term.operation is INPUT:
                self.printed[term] = Printed(self.names.of_input(term))
            else:
                self._write(term, uses[term])
        result = []
        for term in order:
            if term in self.standing:
                result.append(self._line(term, term not in of_values))
            result += loops.get(term, [])
        return result

    def _added_entries(self, order: Sequence[Term], uses: Counter[Term]) -> Iterator[tuple[Term, Term]]:
        """Find entries among zeros that are added to a fresh array, or subtracted from it: their term, and the sum's.

        Where the array is made of entries itself, it has the name of the sum from the beginning.
        """
        for term in order:
            for other, entries in _summands(term) if self.printer.changes_arrays else ():
                is_fresh = bool(other.operands) and uses[other] == 1 and other.name != "loop" and viewed(other) is None
                is_fresh = is_fresh and not self.names.is_users(other) and other.shape == entries.shape == term.shape
                is_fresh = is_fresh and (self.targets is None or not self._has_statements(other))
                is_single = _is_single(entries) or (self.targets is None and entries.is_of(PLACE))
                if is_fresh and uses[entries] == 1 and is_single and entries.dtype == other.dtype:
                    if self._has_statements(other) or other in self.sums:
                        self.later[other] = term
                    self.sums.add(term)
                    yield entries, term
                    break

    def _has_statements(self, term: Term) -> bool:
        return self.printer.changes_arrays and bool(term.operands and term.operation.statements)

    def _name(self, term: Term) -> str:
        """Return the name of a term: that of the sum that it grows to."""
        last = term
        while last in self.later and self.later[last] not in self.names.exact:
            last = self.later[last]
        if last not in self.given:
            self.given[last] = self.names.of(last)
        return self.given[last]

    def constant(self, value: Any) -> str:
        """Return how a constant is written."""
        return self.printer.array(value, self.constants, self.names).text

    def _order(self, of_values: set[Term], needs: Callable[[Term], Sequence[Term]]) -> list[Term]:
        """Return all terms that are needed in the order in which they were made, those of the values first.

        What a loop takes comes before all that it makes, and a loop of adjoints with the last of what it makes.
        """
        result = in_order(self.results)
        backward = [term for term in result if term.operation is LOOP and _part(term) == "backward"]
        last = {term.operands[0].value.loop: term.number for term in sorted(backward, key=lambda term: term.number)}
        numbers = {term: last[term.operands[0].value.loop] for term in backward}
        result.sort(key=lambda term: (term not in of_values, numbers.get(term, term.number), term.number))
        return in_order(result, needs=needs)

    def _write(self, term: Term, uses: int) -> None:
        if term in self.absorbed:
            return
        is_seen = term.is_view
        is_named = self.names.is_users(term) and not (is_seen and uses < 2)
        stands = is_named or (uses > 1 and not is_seen) or term in self.results or term in self.for_loops
        if term in self.inlined:
            stands = uses > 1
        stands = stands or (self.buffers is not None and not is_seen)
        if self.standing_only is not None:
            stands = term in self.standing_only
        stands = (stands and term not in self.seeds) or self._has_statements(term) or term in self.sums
        wanted = f"    {self.names.wanted(term)} = " if stands else ""
        if term not in self.sums and self.standing_only is None:
            self._shorten(term, WIDTH - len(wanted))
        if stands:
            self._stand(term)
        else:
            self.printed[term] = self._printed_term(term)

    def _stand(self, term: Term) -> None:
        """Give a term a line of its own, and a name."""
        name = self._name(term)
        if term in self.sums:
            statements = self._of_sum(name, term)
        elif self._has_statements(term):
            statements = _statements(name, term, [self.printed[each] for each in term.operands])
        elif self.buffers is not None and term in self.buffers.of:
            operands = ", ".join(self.printed[each].text for each in term.operands)
            statements = (f"{name} = {function_name(term)}({operands}, out={self.buffers.of[term]})",)
        else:
            statements = (f"{name} = {self._printed_term(term).text}",)
        self.standing[term] = statements
        self.printed[term] = Printed(name)

    def _of_sum(self, name: str, term: Term) -> tuple[str, ...]:
        """Return the statements that add entries to an array, or subtract them."""
        entries, other = sorted(term.operands, key=lambda each: each not in self.absorbed)
        part = entries.operands[0]
        part = part.operands[0] if part.is_of(BROADCAST) and part.operands[0].is_number else part
        if part.operands and part not in self.standing and len(self.printed[part].text) > SHORT:
            self._stand(part)
        change = changed_by(self.printed[part].text, term.is_of(SUBTRACT))
        begun, before = f"{name} = {self.printed[other].text}", self.printed[other].text
        return (*([begun] if before != name else []), f"{name}[{self._key(entries)}] {change}")

    def _key(self, entries: Term) -> str:
        """Write where entries are placed, in square brackets."""
        if entries.is_of(PLACE):
            return key_text(entries.operands[1].value)
        _, _, form, *indices = entries.operands
        return key_text(form.value, (self.printed[each].text for each in indices))

    def _printed_term(self, term: Term) -> Printed:
        try:
            return self.printer.print(term, [self.printed[each] for each in term.operands])
        except NoTextError as error:
            raise ProgramError(self._refusal(term)) from error

    def _refusal(self, term: Term) -> str:
        known = self.translation.known.get(term)
        place = self.translation.graph.origin(known.node) if known else None
        words = f"{term.name} has no text in {self.printer.said}. {self.printer.advice}"
        return words + (f"\n  at {place}" if place else "")

    def _shorten(self, term: Term, width: int) -> None:
        """Give operands lines of their own, the longest first, until a term can be written in so many columns."""
        inlined = [each for each in dict.fromkeys(term.operands) if each.operands and each not in self.standing]
        inlined = [each for each in inlined if each.name != "loop"]  # it has a name already
        inlined.sort(key=lambda each: len(self.printed[each].text))
        while inlined and not self._has_statements(term) and len(self._printed_term(term).text) > width:
            self._stand(inlined.pop())

    def _line(self, term: Term, is_derivative: bool) -> Line:
        known = self.translation.known.get(term)
        origin = self.translation.graph.origin(known.node) if known else None
        text = " ".join(origin.text.split()) if origin else ""
        explains = known is not None and (known.is_mark or not known.is_derivative) and term not in self.values
        explains = explains and not self.names.is_users(term)
        return Line(term, self.standing[term], text if explains and len(text) <= SHORT else "", origin, is_derivative)


def _summands(term: Term) -> tuple[tuple[Term, ...], ...]:
    """Return the operands of a sum or a difference, with those last that are added or subtracted."""
    if term.is_of(ADD):
        return term.operands, term.operands[::-1]
    return (term.operands,) if term.is_of(SUBTRACT) else ()


def changed_by(text: str, is_less: bool = False) -> str:
    """Return how something is added in place, or subtracted.

    >>> changed_by("-2 * x"), changed_by("-x + y"), changed_by("x", is_less=True)
    ('-= 2 * x', '+= -x + y', '-= x')
    """
    if text.startswith("-") and " + " not in text and " - " not in text:
        text, is_less = text[1:], not is_less
    return f"{'-' if is_less else '+'}= {text}"


def _is_single(term: Term) -> bool:
    """Return whether a term is entries among zeros, no two of them at one place."""
    if not term.is_of(SCATTER):
        return False
    form, indices = term.operands[2].value, term.operands[3:]
    if are_single(form, [each.value for each in indices if each.is_constant]):
        return True
    is_plain = all(part is SLOT for part in form) and len({each.shape for each in indices}) == 1
    return is_plain and any(each.is_constant and are_single((SLOT,), [each.value]) for each in indices)


def _part(term: Term) -> str:
    """Return the part of the program that a loop is in which makes a term."""
    return str(term.operands[0].value.part)


def _is_of_one_loop(a: Term, b: Term) -> bool:
    """Return whether two terms are made by the same loop in the same part of the program."""
    if not (a.name == b.name == "loop"):
        return False
    return bool(a.operands[0].value[:2] == b.operands[0].value[:2])


def _statements(name: str, term: Term, operands: Sequence[Printed]) -> tuple[str, ...]:
    """Return the statements that compute a term, which end with its value under a name."""
    zeros = call("np.zeros", shape_text(term.shape), dtype_text(term.dtype)).text
    texts = tuple(filled(each, term, operands, converted, zeros, name) for each in term.operation.statements)
    if not term.is_of(SCATTER) or _is_single(term):
        return texts
    key = converted("key", term, 2, operands)
    key = key if len(term.operands[2].value) == 1 and len(operands) > 3 else f"np.s_[{key}]"
    return texts[0], f"np.add.at({name}, {key}, {operands[0].text})"


NUMPY: Printer = Printer(printed, printed_constant, printed_constant, zeros_text)
"""The language of NumPy."""
