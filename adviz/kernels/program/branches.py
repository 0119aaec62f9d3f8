"""Control flow that depends on values: a program for each path through the function, and for each point its program.

A function is traced at a point with the decisions it takes there; its comparisons and their outcomes are the guard of
the program. When points come that decide otherwise, the function is traced at one of them, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from ...engine.calls import leaves, rebuild
from ...graph.wording import counted
from ..points.batches import Batch, batch
from ..points.results import Pulled, Pushed
from ..program_errors import ProgramError
from .program import Program

MOST = 100
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
        f"{name} takes more than {MOST} paths, depending on its arguments, and each would need a program of its own. "
        "Write choices with np.where, and loops of fixed length."
    )


class Guarded(Protocol):
    """A program, whose ``guard`` says what its control flow took for granted."""

    @property
    def guard(self) -> Any:
        """What was decided, in words in its ``comment``; ``None`` where nothing was."""

    @property
    def source(self) -> str:
        """The program as a function in Python."""

    @property
    def name(self) -> str:
        """The name of the function."""


P = TypeVar("P", bound=Guarded)


def joined_sources(programs: Sequence[Guarded]) -> str:
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
        # Where x > 0.0 (line ...: x > 0)
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
        """Return values and derivatives. Raises :class:`~adviz.ProgramError` if there are more than ``MOST`` paths."""
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
        if len(self.programs) == MOST:
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
