"""Control flow that depends on values, in programs on arrays: a program for each path through the function.

A call is one point. Its program is one of its shapes and dtypes whose comparisons come out as they did when it was
traced; where there is none, the function is traced at this point.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from typing import Any

import numpy as np

from ..engine.linearize import CONDITIONS
from ..graph.graph import Graph
from .arrays.array_compiling import own_options
from .arrays.array_program import MOST, ArrayProgram
from .arrays.lowering import Lowered, Traced, traced
from .derivations.derivation import Derivation
from .derivations.translation import translated
from .points.array_arguments import Key, key_of
from .points.source_text import number_text, written
from .program.branches import MOST as MOST_PATHS
from .program.branches import Paths, joined_sources, too_many
from .program.guards import comment_of
from .program.watching import Watch
from .program_errors import ProgramError
from .schedules import Instruction
from .sources.array_modules import defined
from .sources.writing import Written
from .sources.writing import written as written_source


@dataclass(eq=False)
class ArrayGuard:
    """The conditions that a program takes for granted, how each was decided, and the same in words.

    >>> import adviz
    >>> f = lambda x: np.sum(x) if np.all(x > 0) else np.sum(x * x)
    >>> program = adviz.compile_gradient(f, np.ones(3), grain="array", branches=True)
    >>> program.programs[0].guard.decisions
    (True,)
    """

    written: Written
    decisions: tuple[bool, ...]
    texts: tuple[str, ...]

    @property
    def comment(self) -> str:
        """The decisions, as a comment above the program."""
        return comment_of(self.texts)

    def holds(self, arguments: Sequence[Any]) -> bool:
        """Return whether every condition is decided in this way; not where one of them cannot be computed."""
        try:
            with np.errstate(all="ignore"):
                result = self._conditions(*arguments)
        except (ArithmeticError, ValueError):  # np.linalg.LinAlgError is a ValueError
            return False
        return tuple(map(bool, result)) == self.decisions

    @cached_property
    def _conditions(self) -> Callable[..., Any]:
        return defined(self.written)

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs."""
        state = {key: value for key, value in self.__dict__.items() if key != "_conditions"}
        return state | {"written": self.written.bare()}


def array_guard(of: Traced) -> ArrayGuard | None:
    """Return the guard of the decisions that a trace took; ``None`` if there were none."""
    if not of.decisions:
        return None
    graph = copy(of.graph)
    graph.outputs = list(of.decisions)
    for counted in ("live", "times_used"):  # which depend on the outputs
        vars(graph).pop(counted, None)
    derivation = Derivation(graph)
    conditions = derivation.run(lambda it: [it.values[node] for node in of.decisions])
    found = translated(derivation, conditions, {}, {}, "")
    template = (False,) * len(conditions)
    text = written_source(
        found, "conditions", of.arguments, template, len(conditions), "What decides.", ("values", "values")
    )
    return ArrayGuard(text, tuple(of.decisions.values()), _texts(of.graph, of.decisions))


def _texts(graph: Graph, decisions: Mapping[int, bool]) -> tuple[str, ...]:
    """Return the decisions in words, place by place; what comes several times in a row, as in a loop, is counted."""
    places: dict[Any, list[str]] = {}
    for node, holds in decisions.items():
        text = _condition(graph, node)
        places.setdefault(graph.origin(node), []).append(text if holds else f"not {text}")
    result = []
    for place, texts in places.items():
        counted = ((text, len([*group])) for text, group in groupby(texts))
        said = ", ".join(text if count == 1 else f"{count} times {text}" for text, count in counted)
        result.append(said + (f" (line {place.line})" if place else ""))
    return tuple(result)


def _condition(graph: Graph, node: int) -> str:
    """Return a condition in the names of the user's source; else as it stands there."""
    origin = graph.origin(node)
    if graph.blocks[node] in CONDITIONS:
        operands = graph.operands(node)
        names = {each: graph.name(each) or "" for each in operands if each >= 0}
        names |= {
            each: number_text(graph.literal(each)) for each in operands if each < 0 and not np.ndim(graph.literal(each))
        }
        if all(names.get(each) for each in operands):
            return written(Instruction(node, graph.blocks[node].name, operands), names)
    name, is_truth = graph.name(node), np.asarray(graph.values[node]).dtype.kind == "b"
    text = " ".join(origin.text.split()) if origin else name or f"v{node}"
    return text if is_truth else f"{name or text} != 0"


class ArrayBranches(Paths[ArrayProgram]):
    """What ``compile_gradient`` and its like return with ``branches=True`` on arrays.

    It is called as an :class:`~.array_program.ArrayProgram` is, at one point. ``programs`` are those of the paths that
    points have taken so far, for the last :data:`~.array_program.MOST` shapes and dtypes of the arguments, each to be
    inspected and saved; ``specializations`` has their sources by these shapes. Another process gets only these: there a
    point that takes any other path is a :class:`~adviz.ProgramError`.

    >>> import adviz
    >>> f = lambda x: np.sum(x) if np.all(x > 0) else np.sum(x * x)
    >>> program = adviz.compile_gradient(f, np.ones(2), grain="array", branches=True)
    >>> program(np.array([-1.0, 3.0])).gradient, len(program.programs)
    (array([-2.,  6.]), 2)
    """

    def __init__(
        self,
        compile_at: Callable[..., ArrayProgram],
        example: tuple[Any, ...],
        watch: Callable[[], Watch],
        of_points: Callable[[], Callable[..., Any]] | None = None,
    ):
        self._compile_at, self._begin_watch, self._of_points = compile_at, watch, of_points
        self._at_points: Callable[..., Any] | None = None
        first = compile_at(*example)
        self._watch = watch()
        self.example, self._arguments = first.example, first.arguments
        key = key_of([np.asarray(value) for _, value in first.arguments.named()])
        self._paths: OrderedDict[Key, list[ArrayProgram]] = OrderedDict({key: [first]})
        self.programs = [first]

    def __call__(self, *arguments: Any) -> Any:
        """Values and derivatives at a point; where it takes another path than all before, that is compiled first.

        Raises :class:`~adviz.ProgramError` if there are more than a hundred paths, and what the programs raise.
        """
        self._watch.check()
        arrays = self._arguments.arrays(arguments)
        key = key_of(arrays)
        if key not in self._paths and self._of_points is not None and self._arguments.has_points(arrays):
            self._at_points = self._at_points or self._of_points()
            return self._at_points(*arguments)
        return self._at(key, arrays)(*self._arguments.structured(arrays))

    def _at(self, key: Key, arrays: list[Any]) -> ArrayProgram:
        """Return the program of the path that a point takes."""
        known, primals = self._paths.get(key, []), self._arguments.primals(arrays)
        for program in known:
            if program.guard is None or program.guard.holds(primals):
                return program
        added = self._compile_at(*primals)
        self._watch = self._begin_watch()
        for program in known:  # a guard may round otherwise than the function
            if added.guard is not None and program.guard.decisions == added.guard.decisions:
                return program
        if len(known) == MOST_PATHS:
            raise too_many(self.name)
        self._arguments.check_shapes(arrays, added.example)
        self._paths.setdefault(key, []).append(added)
        if len(self._paths) > MOST:
            self._paths.popitem(last=False)
        self.programs = [program for paths in self._paths.values() for program in paths]
        return added

    @property
    def specializations(self) -> dict[str, str]:
        """The sources of all paths by the shapes and dtypes that they are for, the latest last."""
        return {self._arguments.called(key): joined_sources(paths) for key, paths in self._paths.items()}

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs: the programs so far."""
        return super().__getstate__() | {"_begin_watch": None, "_of_points": None, "_at_points": None}


def array_branches(
    lowered: Callable[..., Lowered],
    f: Callable[..., Any],
    example: tuple[Any, ...],
    settings: Mapping[str, Any],
    options: Mapping[str, Any],
    of_points: Callable[[], Callable[..., Any]] | None = None,
) -> ArrayBranches:
    """Return the programs that ``lowered`` makes of a function path by path, with its own ``options``.

    ``of_points`` makes the program that takes arguments with an axis of points more than the example. Raises
    :class:`~adviz.ProgramError` where a batch is to be added up: its rows would have to take the same path.
    """
    if options.get("batch") is not None:
        raise ProgramError("A batch is added up row by row, and rows may take different paths: leave branches out.")
    inputs, own = options.get("inputs"), own_options(options)

    def compile_at(*point: Any) -> ArrayProgram:
        first = traced(f, point, settings, inputs, decides=True)
        decided, ready = tuple(first.decisions.values()), [first]

        def at(primals: tuple[Any, ...]) -> Lowered:
            of = ready.pop() if ready else traced(f, primals, settings, inputs, decides=True)
            if tuple(of.decisions.values()) != decided:
                raise ProgramError(
                    f"The program is that of one path through {of.graph.title}, and arguments of these shapes and "
                    "dtypes take another one. Call what compile_* returned, which finds the path."
                )
            return lowered(of, **own)

        return ArrayProgram(at, point, partial(Watch, f), guard=array_guard(first))

    return ArrayBranches(compile_at, example, partial(Watch, f), of_points)
