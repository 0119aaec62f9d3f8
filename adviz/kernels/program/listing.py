"""A program to be read: a line for each operation, with names from the user's function and what each line is.

Nothing here is needed to run a program; it is made when it is asked for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import count, islice
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...engine.pytrees import leaves
from ...graph.origins import Origin
from ..expressions.accumulation import ALONG, BEHIND, Linearization, Traced, eliminated
from ..expressions.operations import OPERATIONS
from ..planning.schedule import Instruction, Schedule
from ..points.results import Part, structure_text
from ..points.source_text import number_text, tuple_text, written

if TYPE_CHECKING:
    from .program import Program

WIDTH = 44
"""Columns for code beside comments, at most."""
LONGEST = 32
"""Characters of a name."""
RESERVED = {"stacked", "points", "broadcast_arrays", "inf", "nan"}
ZERO, AROUND = "0.0", ", points)"


class Note(NamedTuple):
    """What is known of an expression: a name for it, what it is, the place in the user's source it comes from, and the
    part of the program that it is in: ``("products", "at v7")``.

    >>> import adviz
    >>> program = adviz.compile_gradient(lambda x: np.exp(x) * x, 1.0)
    >>> [(note.name, note.comment, note.part) for note in program.notes.values()][-1]
    ('dv2_dx', '∂v2/∂x, with ∂v2/∂v1 · ∂v1/∂x', ('products', 'at v1'))
    """

    name: str
    comment: str
    origin: Origin | None
    part: tuple[str, ...]


class Line(NamedTuple):
    """A line of a program; ``place`` is the expression it computes, 0 for the lines around.

    >>> import adviz
    >>> [bool(line.place) for line in adviz.compile_gradient(np.exp, 1.0).lines]
    [False, True, False]
    """

    text: str
    place: int = 0
    origin: Origin | None = None


# ---- what expressions are ----


class Elimination(NamedTuple):
    """Of what, by which order of vertices (``None`` for edges and faces), and whether those are nodes of the traced
    graph or expressions.

    >>> from adviz import trace
    >>> from ..expressions.accumulation import expressions_of
    >>> traced = expressions_of(trace(lambda x: np.sin(x) * x, 1.0))
    >>> [note.name for note in notes_of(traced, [Elimination(traced.linear, [1], True)]).values()][-2:]
    ['', 'dv2_dx']
    """

    linear: Linearization
    order: Sequence[Any] | None
    is_of_nodes: bool


def notes_of(traced: Traced, eliminations: Iterable[Elimination]) -> dict[int, Note]:
    """Notes on all expressions: values and partials of the graph, and the products of eliminations.

    >>> from adviz import trace
    >>> from ..expressions.accumulation import expressions_of
    >>> traced = expressions_of(trace(lambda x: np.sin(x), 1.0))
    >>> [(note.name, note.comment) for note in notes_of(traced, []).values() if note.comment]
    [('v1', 'v1 = np.sin(x)'), ('', 'for the partials of v1')]
    """
    notes: dict[int, Note] = {}
    graph = traced.graph
    nodes = {node: graph.name(node) or f"v{vertex}" for node, vertex in enumerate(traced.vertices)}
    origins = {vertex: graph.origin(node) for node, vertex in enumerate(traced.vertices)}
    for node, place in enumerate(traced.values):
        origin = graph.origin(node)
        text = " ".join(origin.text.split()) if origin else ""
        name = nodes[node] if place > 0 else f"minus_{nodes[node]}"
        told = f"{nodes[node]} = {text}{'' if place > 0 else ', with the other sign'}" if text else ""
        notes.setdefault(abs(place), Note(name, told, origin, ("values",)))
    for node, places in traced.made:
        for place in places:
            notes.setdefault(place, Note("", f"for the partials of {nodes[node]}", graph.origin(node), ("partials",)))
    for linear, order, is_of_nodes in eliminations:
        names: dict[Any, str] = dict(zip(traced.vertices, nodes.values(), strict=True))
        if not is_of_nodes:
            names = {place: note.name or f"e{place}" for place, note in notes.items()}
        reader = _Reader(notes, names, origins if is_of_nodes else {}, "" if is_of_nodes else "second ")
        for (i, j), place in linear.partials.items():
            reader.partial(i, j, place)
        if order is not None:
            eliminated(linear, order, reader.product)
    return notes


class _Reader:
    """Writes notes on the partials of an elimination, its products and its sums."""

    def __init__(
        self, notes: dict[int, Note], names: Mapping[Any, str], origins: Mapping[Any, Origin | None], which: str
    ):
        self.notes, self.names, self.origins, self.which = notes, names, origins, which
        self.counts = Counter(names.values())

    def partial(self, i: Any, j: Any, place: int) -> None:
        """The partial of the edge from ``i`` to ``j``."""
        known = self.notes.get(abs(place))
        if known is None or not known.name:
            name, text = self._by(i, j)
            origin, part = (known.origin, known.part) if known else (self.origins.get(j), (f"{self.which}partials",))
            self.notes[abs(place)] = Note(name, f"{'-' if place < 0 else ''}{text}", origin, part)

    def product(self, i: Any, j: Any, k: Any, gain: int, total: int) -> None:
        """The edge from ``i`` to ``k`` gained a product by way of ``j``."""
        chain = f"{self._by(j, k)[1]} · {self._by(i, j)[1]}"
        name, text = self._by(i, k)
        signs = ["-" if place < 0 else "" for place in (gain, total)]
        origin, part = self.origins.get(j), (f"{self.which}products", f"at {self._called(j)}")
        gained = Note(name if gain == total else "", f"{signs[0]}{chain}", origin, part)
        self.notes.setdefault(abs(gain), gained)
        self.notes.setdefault(abs(total), Note(name, f"{signs[1]}{text}, with {chain}", origin, part))

    def _called(self, j: Any) -> str:
        """The name of a vertex, with its number where others are called the same."""
        name = self.names.get(j, f"v{j}")
        return name if self.counts[name] < 2 else f"{name} (v{j})"

    def _by(self, i: Any, j: Any) -> tuple[str, str]:
        """A name for the derivative of ``j`` by ``i``, and how it is written."""
        one, other = (self.names.get(each, "") for each in (i, j))
        if i == ALONG:
            return f"{other}_dot", f"{other}\u0307"
        if j == BEHIND:
            return f"{one}_bar", f"{one}\u0304"
        if isinstance(j, tuple):  # an entry of the gradient
            return f"g{j[1]}_{one}", f"∂g{j[1]}/∂{one}"
        return f"d{other}_d{one}", f"∂{other}/∂{one}"


# ---- lines ----


def identifiers(schedule: Schedule, notes: Mapping[int, Note], taken: Iterable[str]) -> dict[int, str]:
    """A name for each expression of a schedule, all different.

    >>> import adviz
    >>> program = adviz.compile_gradient(lambda x: np.sin(x), 1.0)
    >>> list(identifiers(program.schedule, {}, ["t1"]).values())
    ['t1_2', 't2']
    """
    used = dict.fromkeys((*taken, *OPERATIONS, *RESERVED), 2)
    found, without = {}, count(1)
    for each in schedule.instructions:
        note = notes.get(each.place)
        found[each.place] = _unused(note.name if note else "", f"t{next(without)}", used)
    return found


def _unused(wanted: str, otherwise: str, used: dict[str, int]) -> str:
    """An identifier like the one wanted, and not used yet; ``used`` has those that are, and what to number next."""
    stem = re.sub(r"\W+", "_", wanted).strip("_")
    stem = stem if 0 < len(stem) <= LONGEST and stem.isidentifier() and not iskeyword(stem) else otherwise
    name = stem
    while name in used:
        name, used[stem] = f"{stem}_{used[stem]}", used[stem] + 1
    used[name] = 2
    return name


def listing(program: Program, is_kept: bool = False) -> list[Line]:
    """The lines of a function with the arguments of the user's, on one point or, with arrays, on many.

    Arrays have the axis of the points last. In a program that is kept, results that are constants have it, too.

    >>> import adviz
    >>> [line.text for line in listing(adviz.compile_gradient(lambda x: x * 2.0, 1.0))][2:]
    ['    return (v1, 2.0)']
    """
    schedule, notes, name = program.schedule, program.notes, program.function_name
    used = dict.fromkeys((name, *OPERATIONS, *RESERVED), 2)
    parameters = [_unused(argument, f"x{number}", used) for number, argument in enumerate(program.argument_names)]
    names: dict[int, str] = {place: number_text(value) for place, value in schedule.constants.items()}
    unpacking = list(_unpacking(program, parameters, names, used))
    names |= identifiers(schedule, notes, used)
    codes = [f"    {names[each.place]} = {written(each, names)}" for each in schedule.instructions]
    width = min(WIDTH, max(map(len, codes), default=0))
    body = [_line(each, f"{code:<{width}}", notes) for each, code in zip(schedule.instructions, codes, strict=True)]
    outputs = [names[place] for place in schedule.outputs]
    constants = {ZERO, *(names[place] for place in schedule.constants)} if is_kept and schedule.inputs else set()
    texts = [_array(part, outputs, constants) for part in program.parts]
    if any(text.endswith(AROUND) for text in texts):
        body.append(Line(f"    points, *_ = broadcast_arrays({', '.join(names[place] for place in schedule.inputs)})"))
    results = Line(f"    return {structure_text(program.template, iter(texts))}")
    return [Line(f"def {name}({', '.join(parameters)}):"), *unpacking, *body, results]


def _unpacking(program: Program, parameters: list[str], names: dict[int, str], used: dict[str, int]) -> Iterator[Line]:
    """A line for each array among the arguments. What inputs are called is entered in ``names``."""
    places = iter(program.schedule.inputs)
    for parameter, example in zip(parameters, program.example, strict=True):
        for path, leaf in leaves(example, parameter):
            shape = np.shape(leaf)
            if path == parameter and not shape:
                names[next(places)] = parameter
                continue
            stem = re.sub(r"\W+", "_", path).strip("_")
            entries = [_unused("_".join([stem, *map(str, index)]), "x", used) for index in np.ndindex(shape)]
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
