"""Control flow that depends on values: a program for each path through the function, and for each point its program.

A function is traced at a point with the decisions it takes there; its comparisons and their outcomes are the guard of
the program. When points come that decide otherwise, the function is traced at one of them, and so on. On arrays a call
is one point, and its program one of its shapes and dtypes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Generic, TypeVar

import numpy as np

from ..engine.calls import leaves, rebuild
from ..graph.wording import counted
from .arrays.array_compiling import own_options
from .arrays.array_program import MOST, ArrayProgram
from .arrays.lowering import Lowered, Traced, traced
from .derivations.derivation import Derivation
from .derivations.translation import translated
from .points.array_arguments import Key, key_of
from .points.batches import Batch, batch
from .points.results import Pulled, Pushed
from .program.guards import comment_of, deciding, decision_texts
from .program.program import Program
from .program.settling import Settling
from .program.watching import Watch
from .program_errors import ProgramError
from .sources.array_modules import defined
from .sources.writing import Written, written

MOST_PATHS = 100
"""Programs for one function, at most."""


def unseen(*point: object) -> Any:
    """Stands for the compiler in another process, where there is no function to be traced."""
    raise ProgramError(
        "At some point the control flow takes a path that no point had taken before the program was sent to this "
        "process, where nothing can be compiled. Call the program at such a point before sending it."
    )


def too_many(name: str) -> ProgramError:
    """Return the error of a function that takes more paths than there may be programs."""
    return ProgramError(
        f"{name} takes more than {MOST_PATHS} paths, depending on its arguments, and each would need a program of its "
        "own. Write choices with np.where, and loops of fixed length."
    )


P = TypeVar("P", Program, ArrayProgram)


def joined_sources(programs: Sequence[Any]) -> str:
    """Return the sources of programs, each below its decisions."""
    return "\n\n\n".join((each.guard.comment if each.guard else "") + each.source for each in programs)


class Paths(Generic[P]):
    """The programs of the paths that points have taken so far, each to be inspected and saved."""

    programs: list[P]
    _compile_at: Callable[..., P]

    @property
    def source(self) -> str:
        """The source of the programs so far, each below its decisions and their places in the user's source.

        >>> import adviz
        >>> program = adviz.compile_gradient(lambda x: x * x if x > 0 else -x, 1.0, branches=True)
        >>> print(program.source.split("def")[0])  # doctest: +ELLIPSIS
        # Where x > 0.0 (line ...)
        <BLANKLINE>
        """
        return joined_sources(self.programs)

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.programs[0].name

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs: the programs so far."""
        return self.__dict__ | {"_compile_at": unseen}

    def __repr__(self) -> str:
        return f"<Branches of {self.name}: {counted((len(self.programs), 'program'))} so far>"


class Branches(Paths[Program]):
    """What ``compile_jacobian`` and its like return with ``branches=True``: called as a :class:`~.program.Program` is.

    ``programs`` are those of the paths that points have taken so far, each to be inspected and saved; the first is that
    of the example. Another process gets only these: there a point that takes any other path is a
    :class:`~adviz.ProgramError`.

    >>> import adviz
    >>> program = adviz.compile_gradient(lambda x: x * x if x > 0 else -x, 1.0, branches=True)
    >>> program([-1.0, 3.0]).gradient, len(program.programs)
    (array([-1.,  6.]), 2)
    """

    def __init__(self, compile_at: Callable[..., Program], example: tuple[object, ...]):
        self._compile_at = compile_at
        self.programs = [compile_at(*example)]
        self.example = self.programs[0].example
        if not self.programs[0].is_on_numpy:
            raise ProgramError(
                f"branches=True needs NumPy's arrays, and the backend is {self.programs[0].backend!r}. "
                "Choose 'numpy' or 'numba', or write choices with np.where."
            )

    def __call__(self, *arguments: object) -> Any:
        """Return values and derivatives. Raises :class:`~adviz.ProgramError` if there are more than a hundred paths."""
        first = self.programs[0]
        given = batch(arguments, self.example, first.arguments, first.points)
        number_of = self._program_numbers(given)
        if given.length is None:
            return self.programs[number_of[0]](*arguments)
        result: Any = None
        arrays: list[np.ndarray] = []
        for number in dict.fromkeys(number_of.tolist()) or [0]:
            taken = np.flatnonzero(number_of == number)
            self.programs[number].watch.check()
            result = self.programs[number].on_batch(_picked(given, taken))
            parts = [part for _, part in leaves(result, "")]
            arrays = arrays or [np.empty(self._shape(part, given.length), part.dtype) for part in parts]
            for array, part in zip(arrays, parts, strict=True):
                array[taken if first.points == "first" else (..., taken)] = part
        return rebuild(result, iter(arrays))

    def _program_numbers(self, given: Batch) -> np.ndarray:
        """Return the number of the program of each point; those that are missing are compiled."""
        number_of = np.full(given.size, -1)
        for number in range(len(self.programs)):
            self._assign(number, number_of, given)
        while (left := np.flatnonzero(number_of < 0)).size:
            number = self._number_at(self._point(given, int(left[0])))
            number_of[left[0]] = number  # even if its guard disagrees, since it may round otherwise than the function
            self._assign(number, number_of, given)
        return number_of

    def _assign(self, number: int, number_of: np.ndarray, given: Batch) -> None:
        left, guard = np.flatnonzero(number_of < 0), self.programs[number].guard
        number_of[left[guard.holds(_picked(given, left)) if guard else slice(None)]] = number

    def _number_at(self, point: tuple[Any, ...]) -> int:
        """Return the number of the program for the path that a point takes when it is traced."""
        first = self.programs[0]
        added = self._compile_at(*(point[0] if isinstance(first.template, Pushed | Pulled) else point))
        for number, known in enumerate(self.programs):
            if known.guard and added.guard and known.guard.decisions == added.guard.decisions:
                return number
        if len(self.programs) == MOST_PATHS:
            raise too_many(self.name)
        if _form(added) != _form(first):
            raise ProgramError(
                f"{self.name} returns results of different shapes on different paths, which do not fit in one array. "
                "Return the same shapes on all paths."
            )
        self.programs.append(added)
        return self.programs.index(added)

    def _point(self, given: Batch, point: int) -> tuple[Any, ...]:
        values = [
            matrix[:, point if matrix.shape[1] > 1 else 0].reshape(leaf.shape)
            for leaf, matrix in zip(self.programs[0].arguments, given.matrices, strict=True)
        ]
        return tuple(rebuild(self.example, iter(values)))

    def _shape(self, part: np.ndarray, count: int) -> tuple[int, ...]:
        return (count, *part.shape[1:]) if self.programs[0].points == "first" else (*part.shape[:-1], count)


def _form(program: Program) -> list[tuple[str, tuple[int, ...]]]:
    """Return the names and shapes of the arrays of the results."""
    names = (name for name, _ in leaves(program.template, ""))
    return [(name, part.leaf.shape) for name, part in zip(names, program.parts, strict=True)]


def _picked(given: Batch, points: np.ndarray) -> Batch:
    matrices = [matrix[:, points] if matrix.shape[1] > 1 else matrix for matrix in given.matrices]
    return Batch(len(points), given.dtype, matrices)


# ---- programs on arrays ----


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
        return {key: value for key, value in self.__dict__.items() if key != "_conditions"}


def array_guard(of: Traced) -> ArrayGuard | None:
    """Return the guard of the decisions that a trace took; ``None`` if there were none."""
    if not of.decisions:
        return None
    derivation = Derivation(deciding(of.graph, of.decisions))
    conditions = derivation.run(lambda it: [it.values[node] for node in of.decisions])
    translation = translated(derivation, conditions, {}, {}, "")
    template = (False,) * len(conditions)
    text = written(
        translation, "conditions", of.arguments, template, len(conditions), "What decides.", ("values", "values")
    )
    return ArrayGuard(text, tuple(of.decisions.values()), decision_texts(of.graph, of.decisions))


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
        self.settling: Settling | None = None
        first = compile_at(*example)
        self._watch = watch()
        self.example, self._arguments = first.example, first.arguments
        key = key_of([np.asarray(value) for _, value in first.arguments.named()])
        self._paths: OrderedDict[Key, list[ArrayProgram]] = OrderedDict({key: [first]})
        self.programs = [first]

    def __call__(self, *arguments: Any) -> Any:
        """Return values and derivatives at a point; where it takes another path than all before, compile that first.

        Raises :class:`~adviz.ProgramError` if there are more than a hundred paths, and what the programs raise.
        """
        self._watch.check()
        arrays = self._arguments.arrays(arguments)
        key = key_of(arrays)
        if key not in self._paths and self._of_points is not None and self._arguments.has_points(arrays):
            return self._of_points()(*arguments)
        program = self._at(key, arrays)
        program.settling = self.settling
        return program(*self._arguments.structured(arrays))

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
        return super().__getstate__() | {"_begin_watch": None, "_of_points": None, "settling": None}


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
