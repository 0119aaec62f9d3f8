"""Control flow that depends on values: a program for each way that it goes, and for each point the right one.

A function is traced at a point as it decides there, and what was decided is kept: the comparisons are the guards of its
program. Points that decide otherwise are traced in their turn, when they come.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np

from ...engine.pytrees import leaves, rebuild
from ...graph.graph import Graph
from ...graph.origins import Origin
from ...graph.wording import counted
from ..backends.numpy_blocks import Blocks
from ..expressions.numbering import CONDITIONS
from ..planning.schedule import Instruction, Schedule
from ..points.batches import Batch, batch
from ..points.results import Pulled, Pushed
from ..points.source_text import number_text, written
from ..program_errors import ProgramError
from .program import Program

MOST = 100
"""Ways that one function may go."""
LONGEST = 110
"""Columns of a comment."""


class Guard(NamedTuple):
    """What a program takes for granted: these comparisons, how each was decided, and the same in words.

    >>> import adviz
    >>> program = adviz.compile_gradient(lambda x: x * x if x > 0 else -x, 1.0, branches=True)
    >>> program.programs[0].guard.decisions
    (True,)
    """

    schedule: Schedule
    decisions: tuple[bool, ...]
    told: tuple[str, ...]

    @property
    def comment(self) -> str:
        """What was decided, over a program."""
        text = f"Where {', '.join(self.told)}"
        return "".join(f"{line}\n" for line in wrap(text, LONGEST, initial_indent="# ", subsequent_indent="#     "))

    def holds(self, given: Batch) -> np.ndarray:
        """At which points everything is decided so."""
        found = np.empty((len(self.decisions), given.size), given.dtype)
        inputs = [row for matrix in given.matrices for row in matrix.astype(given.dtype, copy=False)]
        inputs = inputs[: len(self.schedule.inputs)]  # tangents and cotangents come behind
        with np.errstate(all="ignore"):
            Blocks(self.schedule)(inputs, list(found), given.dtype)
        return np.asarray((found == np.array(self.decisions, given.dtype)[:, None]).all(axis=0))


def told(graph: Graph, vertices: Sequence[int], decisions: Mapping[int, bool]) -> tuple[str, ...]:
    """What was decided, for each place in the user's source; what has no name is called by its vertex.

    >>> from adviz.engine.trace import record
    >>> recorded = record(lambda x: x if abs(x) > 1 else 0.0, (3.0,), {}, "scalar", symbolic=True, decides=True)
    >>> graph = recorded.trace().graph
    >>> [text.partition(" (")[0] for text in told(graph, range(len(graph)), recorded.tape.decisions)]
    ['v1 > 1.0']
    """
    places: dict[Origin | None, list[str]] = {}
    for node, holds in decisions.items():
        text = _condition(graph, vertices, node)
        places.setdefault(graph.origin(node), []).append(text if holds else f"not {text}")
    return tuple(", ".join(texts) + (f" ({_line(place)})" if place else "") for place, texts in places.items())


def _line(place: Origin) -> str:
    return f"line {place.line}: {' '.join(place.text.split())}".removesuffix(": ")  # there may be no source


def _condition(graph: Graph, vertices: Sequence[int], node: int) -> str:
    """A comparison as it is written, with names; of a number whether it is not 0."""
    operands = graph.operands(node) if graph.blocks[node] in CONDITIONS else (node,)
    names = {each: graph.name(each) or f"v{vertices[each]}" for each in operands if each >= 0}
    names |= {each: number_text(graph.literal(each)) for each in operands if each < 0}
    if operands == (node,):
        return f"{names[node]} != 0.0"
    return written(Instruction(node, graph.blocks[node].name, operands), names)


def _unseen(*point: Any) -> Program:
    """Stands for the compiler in another process, where there is no function to be traced."""
    raise ProgramError(
        "A point goes a way that no point had gone before the program was sent to this process, where no other can "
        "be compiled. Call it at such points before it is sent."
    )


class Branches:
    """What ``compile_jacobian`` and its like return with ``branches=True``: called as a :class:`~.program.Program` is.

    ``programs`` are those of the ways that were seen so far, each to be looked at and saved; the first is that of the
    example. Another process is sent these: there a point that goes any other way is a
    :class:`~adviz.ProgramError`.

    >>> import adviz
    >>> program = adviz.compile_gradient(lambda x: x * x if x > 0 else -x, 1.0, branches=True)
    >>> program([-1.0, 3.0]).gradient, len(program.programs)
    (array([-1.,  6.]), 2)
    """

    def __init__(self, compile_at: Callable[..., Program], example: tuple[Any, ...]):
        self._compile_at = compile_at
        self.programs = [compile_at(*example)]
        self.example = self.programs[0].example
        if not self.programs[0].is_on_numpy:
            raise ProgramError(f"branches=True decides on NumPy's arrays, which {self.programs[0].backend} has not.")

    def __call__(self, *arguments: Any) -> Any:
        """Values and derivatives. Raises :class:`~.errors.ProgramError` if there are more than ``MOST`` ways to go."""
        first = self.programs[0]
        given = batch(arguments, self.example, first.arguments, first.points)
        way = self._ways(given)
        if given.length is None:
            return self.programs[way[0]](*arguments)
        found: Any = None
        arrays: list[Any] = []
        for number in dict.fromkeys(way.tolist()) or [0]:
            taken = np.flatnonzero(way == number)
            found = self.programs[number](*self._taken(given, taken))
            parts = [part for _, part in leaves(found, "")]
            arrays = arrays or [np.empty(self._shape(part, given.length), part.dtype) for part in parts]
            for array, part in zip(arrays, parts, strict=True):
                array[taken if first.points == "first" else (..., taken)] = part
        return rebuild(found, iter(arrays))

    def _ways(self, given: Batch) -> np.ndarray:
        """For each point the number of its program; those that are missing are compiled."""
        way = np.full(given.size, -1)
        for number in range(len(self.programs)):
            self._take(number, way, given)
        while (left := np.flatnonzero(way < 0)).size:
            number = self._number_at(self._point(given, int(left[0])))
            way[left[0]] = number  # even if its guard, which may round otherwise than the function, tells it apart
            self._take(number, way, given)
        return way

    def _take(self, number: int, way: np.ndarray, given: Batch) -> None:
        """Enter a program for the points that have none yet, and go its way."""
        left, guard = np.flatnonzero(way < 0), self.programs[number].guard
        way[left[guard.holds(_picked(given, left)) if guard else slice(None)]] = number

    def _number_at(self, point: tuple[Any, ...]) -> int:
        """The program of the way that a point goes when it is traced: equal decisions make equal programs."""
        first = self.programs[0]
        added = self._compile_at(*(point[0] if isinstance(first.template, Pushed | Pulled) else point))
        for number, known in enumerate(self.programs):
            if known.guard and added.guard and known.guard.decisions == added.guard.decisions:
                return number
        if len(self.programs) == MOST:
            raise ProgramError(
                f"{self.name} goes more than {MOST} ways, by the values of its arguments: "
                "a program for each would not pay. Write choices with np.where, and loops of fixed length."
            )
        if _form(added) != _form(first):
            raise ProgramError(
                f"{self.name} returns results of other shapes where it goes another way, "
                "so that not all points have a place in the same arrays."
            )
        self.programs.append(added)
        return self.programs.index(added)

    def _point(self, given: Batch, point: int) -> tuple[Any, ...]:
        values = [
            matrix[:, point if matrix.shape[1] > 1 else 0].reshape(leaf.shape)
            for leaf, matrix in zip(self.programs[0].arguments, given.matrices, strict=True)
        ]
        return tuple(rebuild(self.example, iter(values)))

    def _taken(self, given: Batch, taken: np.ndarray) -> tuple[Any, ...]:
        """Arguments at some of the points only."""
        shapes = [leaf.shape for leaf in self.programs[0].arguments]
        matrices = _picked(given, taken).matrices
        last = self.programs[0].points == "last"
        values = [
            matrix.reshape(shape)
            if matrix.shape[1] == 1 and wide.shape[1] == 1 and given.length != 1
            else matrix.reshape(*shape, -1)
            if last
            else matrix.T.reshape(-1, *shape)
            for matrix, wide, shape in zip(matrices, given.matrices, shapes, strict=True)
        ]
        return tuple(rebuild(self.example, iter(values)))

    def _shape(self, part: np.ndarray, count: int) -> tuple[int, ...]:
        return (count, *part.shape[1:]) if self.programs[0].points == "first" else (*part.shape[:-1], count)

    @property
    def source(self) -> str:
        """The programs of the ways that were seen so far, each under what was decided, with the place in the source.

        >>> import adviz
        >>> program = adviz.compile_gradient(lambda x: x * x if x > 0 else -x, 1.0, branches=True)
        >>> print(program.source.split("def")[0])  # doctest: +ELLIPSIS
        # Where x > 0.0 (line ...: x > 0)
        <BLANKLINE>
        """
        return "\n\n\n".join((each.guard.comment if each.guard else "") + each.source for each in self.programs)

    @property
    def name(self) -> str:
        """What the function is called."""
        return self.programs[0].name

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs: the programs of the ways seen so far."""
        return self.__dict__ | {"_compile_at": _unseen}

    def __repr__(self) -> str:
        return f"<Branches of {self.name}: {counted((len(self.programs), 'program'))} so far>"


def _form(program: Program) -> list[Any]:
    """The names and shapes of the results."""
    names = (name for name, _ in leaves(program.template, ""))
    return [(name, part.leaf.shape) for name, part in zip(names, program.parts, strict=True)]


def _picked(given: Batch, points: np.ndarray) -> Batch:
    matrices = [matrix[:, points] if matrix.shape[1] > 1 else matrix for matrix in given.matrices]
    return Batch(len(points), given.dtype, matrices)


def per_branch(compile_at: Callable[..., Program]) -> Callable[..., Any]:
    """Give a function that compiles the keyword ``branches``: a program for each way that control flow goes.

    >>> import adviz
    >>> adviz.compile_jvp(lambda x: abs(x), 1.0, branches=True)
    <Branches of <lambda>: 1 program so far>
    """

    @wraps(compile_at)
    def compile_all(f: Any, /, *example: Any, branches: bool = False, **options: Any) -> Any:
        if not branches:
            return compile_at(f, *example, **options)
        if options.get("form", "dense") != "dense":
            raise ProgramError("With branches=True the form is 'dense': each way has structural zeros of its own.")
        return Branches(lambda *point: compile_at(f, *point, branches=True, **options), example)

    return compile_all
