"""A program as readable source: a line for each operation, with names from the user's function, and comments."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from typing import Any, NamedTuple

import numpy as np

from ...engine.calls import leaves
from ...graph.origins import Origin
from ..expressions.expressions import OPERATIONS
from ..points.batches import Leaf
from ..points.results import Coo, Csr, Part, structure_text
from ..points.source_text import new_name, number_text, tuple_text, written
from ..schedules import Cost, Instruction, Schedule
from .guards import Guard
from .notes import Note


@dataclass(eq=False, repr=False)
class Contents:
    """The parts of a :class:`~.program.Program` that say what it computes, whatever runs it.

    ``arguments`` are the arrays of the arguments, which are structured as ``example`` is; ``parts`` are the arrays of
    the results, which are structured as ``template`` is. ``points`` says where the axis of the points is, ``"first"``
    or ``"last"``.
    """

    name: str
    schedule: Schedule
    argument_names: list[str]
    arguments: list[Leaf]
    example: tuple[object, ...]
    parts: list[Part]
    template: Any
    points: str
    sparsity: Coo | Csr | None
    guard: Guard | None
    explain: Callable[[], dict[int, Note]]

    @property
    def cost(self) -> Cost:
        """The operations and buffers that one point takes."""
        return self.schedule.cost

    @property
    def function_name(self) -> str:
        """The name of the function that the program is written as."""
        stem = re.sub(r"\W+", "_", self.name).strip("_")
        return f"{stem if stem.isidentifier() else 'program'}_{type(self.template)._fields[-1]}"

    @cached_property
    def notes(self) -> dict[int, Note]:
        """What each expression is, and where it comes from."""
        return self.explain()

    def finished(self, value: Any) -> Any:
        """Return the results, with the positions of the entries if the Jacobian is sparse."""
        return value if self.sparsity is None else value._replace(jacobian=self.sparsity._replace(data=value.jacobian))


WIDTH = 44
"""The column at which comments begin, at most."""
RESERVED = {"stacked", "points", "broadcast_arrays", "inf", "nan"}
ZERO, AROUND = "0.0", ", points)"


class Line(NamedTuple):
    """A line of a program; ``place`` is the expression that it computes, 0 for lines that compute none.

    >>> import adviz
    >>> [bool(line.place) for line in adviz.compile_gradient(np.exp, 1.0).lines]
    [False, True, False]
    """

    text: str
    place: int = 0
    origin: Origin | None = None


def identifiers(schedule: Schedule, notes: Mapping[int, Note], taken: Iterable[str]) -> dict[int, str]:
    """Name each expression of a schedule, all differently.

    >>> import adviz
    >>> program = adviz.compile_gradient(lambda x: np.sin(x), 1.0)
    >>> list(identifiers(program.schedule, {}, ["t1"]).values())
    ['t1_2', 't2']
    """
    used = dict.fromkeys((*taken, *OPERATIONS, *RESERVED), 2)
    result, without = {}, count(1)
    for each in schedule.instructions:
        note = notes.get(each.place)
        result[each.place] = new_name(note.name if note else "", f"t{next(without)}", used)
    return result


def listing(program: Contents, is_saved: bool = False) -> list[Line]:
    """Return the lines of a function with the arguments of the user's, on one point or, with arrays, on many.

    Arrays have the axis of the points last. In a program that is saved, results that are constants have it, too.

    >>> import adviz
    >>> [line.text for line in listing(adviz.compile_gradient(lambda x: x * 2.0, 1.0))][2:]
    ['    return (v1, 2.0)']
    """
    schedule, notes, name = program.schedule, program.notes, program.function_name
    used = dict.fromkeys((name, *OPERATIONS, *RESERVED), 2)
    parameters = [new_name(argument, f"x{number}", used) for number, argument in enumerate(program.argument_names)]
    names: dict[int, str] = {place: number_text(value) for place, value in schedule.constants.items()}
    unpacking = list(_unpacking(program, parameters, names, used))
    names |= identifiers(schedule, notes, used)
    codes = [f"    {names[each.place]} = {written(each, names)}" for each in schedule.instructions]
    width = min(WIDTH, max(map(len, codes), default=0))
    body = [_line(each, f"{code:<{width}}", notes) for each, code in zip(schedule.instructions, codes, strict=True)]
    outputs = [names[place] for place in schedule.outputs]
    constants = {ZERO, *(names[place] for place in schedule.constants)} if is_saved and schedule.inputs else set()
    texts = [_array(part, outputs, constants) for part in program.parts]
    if any(text.endswith(AROUND) for text in texts):
        body.append(Line(f"    points, *_ = broadcast_arrays({', '.join(names[place] for place in schedule.inputs)})"))
    results = Line(f"    return {structure_text(program.template, iter(texts))}")
    return [Line(f"def {name}({', '.join(parameters)}):"), *unpacking, *body, results]


def _unpacking(program: Contents, parameters: list[str], names: dict[int, str], used: dict[str, int]) -> Iterator[Line]:
    """Yield a line for each array among the arguments. The names of the inputs are entered in ``names``."""
    places = iter(program.schedule.inputs)
    for parameter, example in zip(parameters, program.example, strict=True):
        for path, leaf in leaves(example, parameter):
            shape = np.shape(leaf)
            if path == parameter and not shape:
                names[next(places)] = parameter
                continue
            stem = re.sub(r"\W+", "_", path).strip("_")
            entries = [new_name("_".join([stem, *map(str, index)]), "x", used) for index in np.ndindex(shape)]
            names.update(zip(islice(places, len(entries)), entries, strict=True))
            yield Line(f"    {_pattern(shape, iter(entries))} = {path}")


def _line(instruction: Instruction, code: str, notes: Mapping[int, Note]) -> Line:
    note = notes.get(instruction.place)
    text = f"{code}  # {note.comment}" if note and note.comment else code.rstrip()
    return Line(text, instruction.place, note.origin if note else None)


def _pattern(shape: tuple[int, ...], names: Iterator[str]) -> str:
    if not shape:
        return next(names)
    return tuple_text([_pattern(shape[1:], names) for _ in range(shape[0])])


def _array(part: Part, outputs: Sequence[str], constants: Container[str]) -> str:
    numbers, shape = part.numbers(outputs, ZERO), part.leaf.shape
    if constants and all(number in constants for number in numbers):
        return f"stacked([{', '.join(numbers)}], {shape}{AROUND}"
    return f"stacked([{', '.join(numbers)}], {shape})" if shape else numbers[0]
