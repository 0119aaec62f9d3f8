"""Instructions: what a computation does, in running order and in functional form, as a small graph that passes change.

Each instruction makes one value, by a Block, of the values of earlier ones and of plain data. Storage that is written
has a value for each version of it (see :mod:`~..functional`), so that an instruction changes nothing; what storage
holds at the end is a result like others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ...engine.blocks import INPUT, OUTPUT, Block
from ...engine.variable import Variable
from ...graph.timeline import Edit, State
from ..functional import NEXT, Recorded
from ..ops import Op


class Value(NamedTuple):
    """An operand, or a result, that is the value of the instruction of this number."""

    number: int


@dataclass(frozen=True, eq=False, slots=True)
class Instruction:
    """One operation: ``block`` at ``operands``, which are :class:`Value` or plain data; equal to itself only.

    The Block of a parameter, and of storage that is read, is ``INPUT``. ``op`` is the op that it belongs to.
    """

    number: int
    block: Block
    operands: tuple[Any, ...]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    op: Op | None = None

    @property
    def reads(self) -> list[int]:
        """The instructions whose values it takes, in order and with repeats."""
        return [each.number for each in self.operands if isinstance(each, Value)]

    @property
    def is_input(self) -> bool:
        """Whether its value comes from outside."""
        return self.block is INPUT

    @property
    def bytes(self) -> int:
        """Bytes of its value."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def name(self) -> str:
        """The name of its op, or what it does."""
        return (self.op.name if self.op is not None else "") or self.block.name

    def __repr__(self) -> str:
        return f"<Instruction {self.number}: {self.block.name} {self.shape} {self.dtype}>"


class Instructions:
    """Instructions in running order, and what is returned; methods that change something return the Edits.

    ``results`` are operands, one for each of ``names``.

    >>> import adviz, numpy as np
    >>> x = adviz.lazy.placeholder((2,), name="x")
    >>> found = adviz.lazy.computation(np.exp(x) * 1.0, x).instructions
    >>> [instruction.block.name for instruction in found], found.evaluated([[0.0, 1.0]])
    (['input', 'exp', 'multiply'], [array([1.        , 2.71828183])])
    """

    def __init__(self, instructions: Iterable[Instruction], results: Sequence[Any], names: Sequence[str]):
        self._of_number = {each.number: each for each in instructions}
        self._order = tuple(self._of_number)
        self.results, self.names = list(results), list(names)
        self.laws: dict[int, str] = {}
        self.groups: dict[int, int] = {}
        self._next = max(self._of_number, default=-1) + 1
        self._users: dict[int, dict[int, None]] = {number: {} for number in self._of_number}
        for each in self._of_number.values():
            self._note_uses(each)

    # ---- to read ----

    def __len__(self) -> int:
        return len(self._of_number)

    def __iter__(self) -> Iterator[Instruction]:
        return iter([self._of_number[number] for number in self._order if number in self._of_number])

    def __getitem__(self, number: int) -> Instruction:
        return self._of_number[number]

    def __contains__(self, number: object) -> bool:
        return number in self._of_number

    def users(self, number: int) -> list[int]:
        """Return the instructions that take the value of one, each once."""
        return list(self._users[number])

    def places(self) -> dict[int, int]:
        """Return the place of each instruction in the running order, from 0."""
        return {each.number: place for place, each in enumerate(self)}

    @property
    def returned(self) -> set[int]:
        """The instructions whose values are results."""
        return {each.number for each in self.results if isinstance(each, Value)}

    def fresh(self) -> int:
        """Return a number that no instruction had."""
        self._next += 1
        return self._next - 1

    def state(self) -> State:
        """Return what is there, as a state."""
        state: State = {"order": self._order}
        state |= {("instruction", number): each for number, each in self._of_number.items()}
        state |= {("result", k): operand for k, operand in enumerate(self.results)}
        state |= {("law", number): law for number, law in self.laws.items()}
        return state | {("group", number): group for number, group in self.groups.items()}

    def evaluated(self, values: Sequence[Any]) -> list[Any]:
        """Return the results at values of the inputs, one instruction after the other."""
        known: dict[int, Any] = {}
        given = iter(values)
        for each in self:
            if each.is_input:
                known[each.number] = np.asarray(next(given), each.dtype)[()]
            else:
                known[each.number] = each.block.compute(*(_datum(operand, known) for operand in each.operands))
        return [_datum(operand, known) for operand in self.results]

    # ---- to change ----

    def insert(self, instruction: Instruction, before: int) -> tuple[Edit, ...]:
        """Let an instruction run just before another one."""
        place = self._order.index(before)
        edit = self.arrange((*self._order[:place], instruction.number, *self._order[place:]))
        self._of_number[instruction.number] = instruction
        self._users[instruction.number] = {}
        self._note_uses(instruction)
        return edit, Edit(("instruction", instruction.number), None, instruction)

    def change(self, number: int, **fields: Any) -> Edit:
        """Let an instruction do something else."""
        before = self._of_number[number]
        for read in before.reads:
            self._users[read].pop(number, None)
        self._of_number[number] = after = replace(before, **fields)
        self._note_uses(after)
        return Edit(("instruction", number), before, after)

    def substitute(self, number: int, operand: Any) -> tuple[Edit, ...]:
        """Let all that take the value of an instruction take another operand instead, also as a result."""
        edits = [
            self.change(user, operands=_with(self._of_number[user].operands, number, operand))
            for user in self.users(number)
        ]
        for k, each in enumerate(self.results):
            if isinstance(each, Value) and each.number == number:
                edits.append(Edit(("result", k), each, operand))
                self.results[k] = operand
        return tuple(edits)

    def remove(self, number: int) -> tuple[Edit, ...]:
        """Take an instruction away that no other one reads."""
        before = self._of_number.pop(number)
        for read in before.reads:
            self._users[read].pop(number, None)
        del self._users[number]
        edits = [Edit(("instruction", number), before, None)]
        if number in self.groups:
            edits.append(Edit(("group", number), self.groups.pop(number), None))
        return tuple(edits)

    def note_law(self, number: int, law: str) -> Edit:
        """Note the law by which an instruction has become what it is, or another one stands for it."""
        before, self.laws[number] = self.laws.get(number), law
        return Edit(("law", number), before, law)

    def group(self, number: int, group: int) -> Edit:
        """Put an instruction into a group: those that are to run as one."""
        before, self.groups[number] = self.groups.get(number), group
        return Edit(("group", number), before, group)

    def arrange(self, order: Iterable[int]) -> Edit:
        """Run the instructions in another order."""
        before, self._order = self._order, tuple(order)
        return Edit("order", before, self._order)

    def _note_uses(self, instruction: Instruction) -> None:
        for read in instruction.reads:
            self._users[read][instruction.number] = None

    def __repr__(self) -> str:
        return f"<Instructions: {len(self)} for {', '.join(self.names) or 'nothing'}>"


def _datum(operand: Any, known: Mapping[int, Any]) -> Any:
    return known[operand.number] if isinstance(operand, Value) else operand


def _with(operands: Iterable[Any], number: int, operand: Any) -> tuple[Any, ...]:
    return tuple(operand if isinstance(each, Value) and each.number == number else each for each in operands)


def instructions_of(recorded: Recorded, ops: Sequence[Op], kept: Sequence[Op]) -> Instructions:
    """Return the instructions of a schedule that was recorded, numbered as the rows of its graph are.

    Results are those of ``ops``, and then what the ``kept`` ones among the storage that is written hold at the end.
    """
    graph = recorded.graph
    wanted = [*recorded.results, *(recorded.end[op] for op in kept)]
    results = [Value(each.index) if isinstance(each, Variable) else each for each in wanted]
    rows = [_instruction(recorded, row) for row, block in enumerate(graph.blocks) if block is not OUTPUT]
    return Instructions(rows, results, [*(op.name for op in ops), *(f"{op.name}{NEXT}" for op in kept)])


def _instruction(recorded: Recorded, row: int) -> Instruction:
    graph, value = recorded.graph, np.asarray(recorded.graph.values[row])
    operands = tuple(Value(k) if k >= 0 else graph.literal(k) for k in graph.operands(row))
    return Instruction(row, graph.blocks[row], operands, value.shape, value.dtype, recorded.rows.get(row))
