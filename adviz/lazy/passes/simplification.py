"""Passes that make a program smaller: simplification, common subexpressions, and instructions that nobody uses.

Instructions become simpler by the rules of programs on arrays, those of :mod:`~adviz.kernels.terms`: there is no second
set. A rule sees terms; here each instruction has one, and where a rule makes another term of it, the instruction
changes.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterator, Mapping
from itertools import count
from typing import Any

import numpy as np

from ...engine.rules.gathering import is_simple
from ...engine.rules.indexing import INDEX, SET
from ...graph.timeline import Edit, State, Step
from ...kernels.terms.array_terms import Term, Terms, in_order, key_of
from ...kernels.terms.linear_rules import simplifying
from .instructions import Instruction, Instructions, Value

PRUNING = frozenset(
    {"neutral elements", "signs", "constants folded", "zeros", "sums", "broadcasts", "reshapes", "logarithms"}
)
"""Names of rules: for -(-a), a · 0, a · 1, a · (-1), a + 0, sums and products of constants, log(exp a)."""


def simplification(instructions: Instructions, names: Container[str] | None = PRUNING) -> Iterator[Step]:
    """Simplify each instruction by the rules of these ``names``, or by all rules, in running order.

    An instruction that becomes the value of another one, or a constant, is removed; what is dead then stays.
    ``instructions.laws`` says by which law each has become what it is. Values are those from before, up to rounding,
    where they are finite.

    >>> import adviz, numpy as np
    >>> x = adviz.lazy.placeholder((2,), name="x")
    >>> found = adviz.lazy.computation(np.log(np.exp(x)) * 1.0 + 0.0, x).instructions
    >>> [found.laws[step.focus[0][1]] for step in simplification(found)]
    ['log(exp(a)) = a, log(exp(a) / b) = a - log(b)', 'a · 1 = a', 'a + 0 = a']
    """
    simplifier = _Simplifier(instructions, names)
    for each in list(instructions):
        yield from simplifier.simplify(instructions[each.number])


class _Noting(Terms):
    """Terms that remember which law was used last: that of the rule which all others were used within."""

    law = ""

    def note(self, rule: str, law: str, saved: int) -> None:
        super().note(rule, law, saved)
        self.law = law


class _Simplifier:
    """The terms of instructions, and the operand that each term stands for."""

    def __init__(self, instructions: Instructions, names: Container[str] | None):
        self.instructions, self.terms = instructions, _Noting(simplifying(names).rules)
        self.terms.derivative_from = 0  # all rules, not only those that keep the form that the user gave a value
        self.of_number: dict[int, Term] = {}
        self.operand_of: dict[Term, Any] = {}

    def simplify(self, each: Instruction) -> Iterator[Step]:
        """Let one instruction be what the rules make of it; those that it reads are already."""
        plain, result = self._terms_of(each)
        if result is plain or not _fits(result, each):
            self._stands_for(plain or self.terms.plain(each.block, *self._given(each)), each.number)
        elif result.is_constant or result in self.operand_of:
            yield self._replaced(each, result)
        else:
            yield self._changed(each, result)

    def _terms_of(self, each: Instruction) -> tuple[Term | None, Term]:
        """Return the term of an instruction without rules, if it was made, and with rules."""
        if each.is_input or not _has_plain_key(each):
            term = self.terms.input(each.number, each.shape, each.dtype)  # something that no rule looks into
            return term, term
        given = self._given(each)
        result = self.terms.apply(each.block, *given)
        return self.terms.made(each.block, *given), result

    def _given(self, each: Instruction) -> list[Term]:
        return [
            self.of_number[operand.number] if isinstance(operand, Value) else self.terms.constant(operand)
            for operand in each.operands
        ]

    def _stands_for(self, term: Term, number: int) -> None:
        self.of_number[number] = term
        self.operand_of.setdefault(term, Value(number))

    def _replaced(self, each: Instruction, term: Term) -> Step:
        """Let a constant, or another instruction, stand for one."""
        operand = np.asarray(term.value, each.dtype)[()] if term.is_constant else self.operand_of[term]
        edits = (
            *self.instructions.substitute(each.number, operand),
            self.instructions.note_law(each.number, self.terms.law),
            *self.instructions.remove(each.number),
        )
        return Step("simplify", edits, _focus(each.number, operand))

    def _changed(self, each: Instruction, result: Term) -> Step:
        """Let an instruction do something else, for which others may have to run before it."""
        edits: list[Edit] = []
        for term in in_order([result], lambda term: term not in self.operand_of):
            operands = tuple(self._operand(each) for each in term.operands)
            if term is result:
                edits.append(self.instructions.change(each.number, block=term.operation, operands=operands))
                self._stands_for(term, each.number)
            elif not term.is_constant:
                number = self.instructions.fresh()
                made = Instruction(number, term.operation, operands, term.shape, term.dtype, each.op)
                edits += self.instructions.insert(made, each.number)
                self._stands_for(term, number)
        edits.append(self.instructions.note_law(each.number, self.terms.law))
        return Step("simplify", tuple(edits), _focus(each.number, *self.instructions[each.number].operands))

    def _operand(self, term: Term) -> Any:
        return term.value if term.is_constant else self.operand_of[term]


def _fits(term: Term, each: Instruction) -> bool:
    """Return whether a term has the shape and the dtype of an instruction; a number takes its dtype."""
    return term.shape == each.shape and (term.is_constant or term.dtype == each.dtype)


def _has_plain_key(each: Instruction) -> bool:
    """Return whether an instruction selects entries, if it does, by numbers and slices only."""
    keys = [each.operands[place] for block, place in ((INDEX, 1), (SET, 2)) if each.block is block]
    return all(map(is_simple, keys))


def _focus(number: int, *operands: Any) -> tuple[Any, ...]:
    read = dict.fromkeys(each.number for each in operands if isinstance(each, Value))
    return ("instruction", number), *(("instruction", each) for each in read if each != number)


# ---- common subexpressions ----

# Common subexpressions: what is computed twice is computed once.
#
# Source: Cocke, Global common subexpression elimination (1970); within straight-line code it is a table of what is
# there, as in Cocke and Schwartz, Programming Languages and Their Compilers (1970).


def common_subexpressions(instructions: Instructions) -> Iterator[Step]:
    """Let all that read an instruction read an earlier one with the same Block and operands, and remove it.

    >>> import adviz, numpy as np
    >>> x = adviz.lazy.placeholder((2,), name="x")
    >>> found = adviz.lazy.computation(np.exp(x) + np.exp(x), x).instructions
    >>> [step.kind for step in common_subexpressions(found)], [each.block.name for each in found]
    (['share'], ['input', 'exp', 'add'])
    """
    known: dict[Hashable, int] = {}
    for number in [each.number for each in instructions if not each.is_input]:
        first = known.setdefault(_key(instructions[number]), number)
        if first != number:
            edits = instructions.substitute(number, Value(first)) + instructions.remove(number)
            yield Step("share", edits, (("instruction", number), ("instruction", first)))


def _key(instruction: Instruction) -> Hashable:
    """Return what instructions that compute the same have in common."""
    operands = (each if isinstance(each, Value) else key_of(each) for each in instruction.operands)
    return id(instruction.block), *operands


def dead_instructions(instructions: Instructions) -> Iterator[Step]:
    """Remove, from the last one to the first, what has no users and is not returned; inputs stay.

    >>> import adviz
    >>> x = adviz.lazy.placeholder((2,), name="x")
    >>> found = adviz.lazy.computation(adviz.lazy.sequential([x * 2, x + 1]), x).instructions
    >>> [step.focus for step in dead_instructions(found)], len(found)
    ([(('instruction', 1),)], 2)
    """
    returned = instructions.returned
    for each in reversed(list(instructions)):
        if not (each.is_input or each.number in returned or instructions.users(each.number)):
            yield Step("remove", instructions.remove(each.number), (("instruction", each.number),))


SHORT = 24
"""Characters of a plain operand."""


def listing(state: State, step: Step | None = None) -> str:
    """Return the instructions of a state, a line each; those that a Step is about have a mark.

    With the states of a timeline a pass can be watched, Step by Step. A line has the number of the instruction, what it
    does, its shape and dtype, its loop if it was fused, and the law by which it has become what it is.

    >>> import adviz, numpy as np
    >>> x = adviz.lazy.placeholder((2,), name="x")
    >>> found = adviz.lazy.computation(np.exp(x) * -1.0, x).instructions
    >>> timeline = adviz.Timeline.record(found, adviz.lazy.simplification(found))
    >>> for k, step in enumerate(timeline):
    ...     print(listing(timeline.at(k)), listing(timeline.at(k + 1), step), sep="\\n")
      0  x: (2,) float64
      1  exp(0): (2,) float64
      2  multiply(1, -1.0): (2,) float64
      return 2
      0  x: (2,) float64
    ▸ 1  exp(0): (2,) float64
    ▸ 2  negative(1): (2,) float64, by a · (-1) = -a
      return 2
    """
    marked = step.focus if step else ()
    order: Any = state["order"]
    there = (number for number in order if state.get(("instruction", number)))
    lines = [_line(state, number, ("instruction", number) in marked) for number in there]
    return "\n".join([*lines, f"  return {', '.join(_results(state))}"])


def _line(state: Mapping[Any, Any], number: int, is_marked: bool) -> str:
    each = state["instruction", number]
    what = each.name if each.is_input else f"{each.block.name}({', '.join(map(_operand, each.operands))})"
    group, law = state.get(("group", number)), state.get(("law", number))
    notes = [f", loop {group}" if group is not None else "", f", by {law}" if law is not None else ""]
    return f"{'▸' if is_marked else ' '} {number}  {what}: {each.shape} {each.dtype}{''.join(notes)}"


def _results(state: Mapping[Any, Any]) -> Iterator[str]:
    for k in count():
        if ("result", k) not in state:
            return
        yield _operand(state["result", k])


def _operand(operand: Any) -> str:
    """Return the number of an instruction, or plain data in short."""
    if isinstance(operand, Value):
        return str(operand.number)
    text = repr(operand.item() if isinstance(operand, np.generic) else operand)
    return text if len(text) <= SHORT and "\n" not in text else f"{type(operand).__name__} {np.shape(operand)}"
