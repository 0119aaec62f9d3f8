"""Programs on arrays of other libraries than NumPy: the same source, in the words of the library."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ...engine.calls import leaves, rebuild
from ...engine.devices import in_numpy
from ...graph.errors import check_folder
from ...graph.graph import Graph
from ...graph.ipython import users_frames
from ..arrays.array_compiling import own_options
from ..arrays.array_program import ArrayProgram, Specialization
from ..arrays.costs import cost_of
from ..arrays.explanation import Explanation, again
from ..arrays.lowering import Lowered, traced
from ..backends.selection import library_named
from ..points.array_arguments import Key, as_example, key_of, plain
from ..program.watching import Watch
from ..program_errors import ProgramError
from ..sources.array_modules import function_of, graph_of, libraries_in, module_text
from ..sources.helpers import needed_by
from ..sources.writing import Row, Written
from .standard_library import StandardLibrary

# ---- programs on CuPy's arrays ----


CALLED = re.compile(r"(?<![\w.])(?:cp|cupyx)(?:\.\w+)+")


class CuPyLibrary:
    """CuPy, or a stand-in for it."""

    name = "cupy"

    def __init__(self, name: str, library: Any):
        self.library = library

    def is_own(self, value: Any) -> bool:
        """Return whether a value is an array on the device."""
        return isinstance(value, self.library.ndarray)

    def typed(self, array: Any, dtype: np.dtype[Any]) -> Any:
        """Return an array of its own in a dtype."""
        return array if array.dtype == dtype else array.astype(dtype)

    def copied(self, array: Any) -> Any:
        """Return a copy of an array on the device."""
        return array.copy()

    def arrays(self, named: Sequence[tuple[str, Any]]) -> list[Any]:
        """Return arguments as arrays on the device, in their own dtypes."""
        return [value if self.is_own(value) else self.library.asarray(plain(value, name)) for name, value in named]

    def example(self, example: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return an example of arguments in NumPy's arrays, in their own dtypes."""
        own = self.library.ndarray
        found = (as_example(x, key_of([x])[0]) if isinstance(x, own) else x for _, x in leaves(example, ""))
        structured: tuple[Any, ...] = tuple(rebuild(example, found))
        return structured

    def key(self, arrays: Sequence[Any]) -> Key:
        """Return shapes and dtypes."""
        return key_of(arrays)

    def written(self, lowered: Lowered) -> Written:
        """Return the source in NumPy, with CuPy's functions in place of NumPy's."""
        found = lowered.written()
        rows = [*found.rows[:2], *(row._replace(text=in_cupy(row.text)) for row in found.rows[2:])]
        made = found._replace(rows=rows)
        scope = self._imported(made)
        for row in rows[2:]:
            self._check(row, scope)
        return made

    def _check(self, row: Row, scope: dict[str, Any]) -> None:
        for called in CALLED.findall(row.text.partition("  # ")[0]):
            value: Any = scope
            head, *rest = called.split(".")
            value = scope[head]
            for part in rest:
                value = getattr(value, part, None)
            if value is None:
                where = f"\n  at {row.origin}" if row.origin else ""
                raise ProgramError(
                    f"CuPy has no {'.'.join(rest)}, which the program needs. Leave backend out, or write the function "
                    f"with other operations.{where}"
                )

    def _imported(self, written: Written) -> dict[str, Any]:
        """Return the modules that a source calls functions of."""
        scope: dict[str, Any] = {"cp": self.library}
        for library in _libraries(written):
            try:
                import_module(library)
                scope["cupyx"] = import_module("cupyx")
            except ImportError as reason:
                raise ProgramError(f"The program needs {library}, which cannot be imported: {reason}.") from reason
        return scope

    def scope(self, written: Written) -> dict[str, Any]:
        """Return what the names in a program mean."""
        constants = {name: self.library.asarray(value) for name, value in written.constants.items()}
        scope = self._imported(written) | constants
        for helper in needed_by(written.source).values():
            exec(in_cupy(helper), scope)
        return scope

    def finished(self, results: list[Any], arrays: Sequence[Any]) -> list[Any]:
        """Return results as arrays on the device."""
        own = self.library.ndarray
        return [each if isinstance(each, own) else self.library.asarray(each) for each in results]

    def module_text(self, written: Written, shapes: str) -> str:
        """Return the text of a module that imports CuPy."""
        text = in_cupy(module_text(written, shapes))
        imports = "".join(f"\nimport {library}" for library in _libraries(written))
        return text.replace("\nimport numpy as np", f"\nimport cupy as cp{imports}", 1)


def in_cupy(text: str) -> str:
    """Code in NumPy as code in CuPy; comments are the user's.

    >>> in_cupy("y = np.sin(x)  # np.sin(x)")
    'y = cp.sin(x)  # np.sin(x)'
    """
    code, mark, comment = text.partition("  # ")
    code = re.sub(r"(?<![\w.])np\.", "cp.", code)
    return re.sub(r"(?<![\w.])scipy\.", "cupyx.scipy.", code) + mark + comment


def _libraries(written: Written) -> list[str]:
    rows = [row._replace(text=row.text.replace("cupyx.scipy.", "scipy.")) for row in written.rows]
    return [f"cupyx.{library}" for library in libraries_in(written._replace(rows=rows))]


CALLED_OTHERWISE = {"torch": "array_api_compat.torch"}
"""Libraries whose functions have other names than the standard's, and the package that gives them those."""


class Library(Protocol):
    """What runs a program on arrays: ``name`` is that of the back end."""

    name: str

    def is_own(self, value: Any) -> bool:
        """Return whether a value is an array of the library."""

    def typed(self, array: Any, dtype: np.dtype[Any]) -> Any:
        """Return an array of the library as what has a dtype keeps it."""

    def copied(self, array: Any) -> Any:
        """Return a copy of an array of the library."""

    def arrays(self, named: Sequence[tuple[str, Any]]) -> list[Any]:
        """Return arguments, with their names, as arrays of the library."""

    def example(self, example: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return an example of arguments in NumPy's arrays, as a program is traced at."""

    def key(self, arrays: Sequence[Any]) -> Key:
        """Return what a program is written for: shapes and dtypes."""

    def written(self, lowered: Lowered) -> Written:
        """Return the source of a program; raises :class:`~adviz.ProgramError` for what the library cannot do."""

    def scope(self, written: Written) -> dict[str, Any]:
        """Return what the names in a source mean."""

    def finished(self, results: list[Any], arrays: Sequence[Any]) -> list[Any]:
        """Return the leaves of results as arrays of the library."""

    def module_text(self, written: Written, shapes: str) -> str:
        """Return the text of a module that has the program."""


def library_of(name: str) -> Library:
    """Return the library of a back end by its name. Raises :class:`~adviz.ProgramError` for one that runs no arrays.

    Numba's compiled loops gain where a program is many operations on numbers. A program on arrays is a few calls, most
    of its time is spent within them, and what calls NumPy leaves for a loop to gain, passes over memory, is saved by
    running it block by block; so there is no back end of Numba here.
    """
    if name == "numba":
        raise ProgramError(
            "backend='numba' compiles loops over numbers, and a program on arrays has none: its time is spent within "
            "NumPy. Leave backend out, or take grain='scalar' for a function of few operations at many points."
        )
    named = CALLED_OTHERWISE.get(name, name)
    library = library_named(named)
    return CuPyLibrary(name, library) if name == "cupy" else StandardLibrary(named, library)


class LibraryProgram(ArrayProgram):
    """What :func:`adviz.compile_gradient` and its like return with ``grain="array"`` and a ``backend``.

    It is an :class:`~.array_program.ArrayProgram` that takes and returns arrays of the library, which keep their device
    and their dtype; its ``source`` and the module that it is saved as are in the words of the library.

    >>> import adviz
    >>> program = adviz.compile_gradient(lambda x: np.sum(x * x), np.ones(3), grain="array", backend="array_api_strict")
    >>> program([1.0, 2.0, 3.0]).gradient
    Array([2., 4., 6.], dtype=array_api_strict.float64)
    >>> print(program.source)
    def lambda_gradient(x):
        \"\"\"The value of <lambda>, and its gradient with respect to x.\"\"\"
        value = xp.sum(x**2)
        x_adj = 2 * x
        return value, x_adj
    """

    def __init__(
        self,
        lowered: Callable[[tuple[Any, ...]], Lowered],
        primals: tuple[Any, ...],
        watch: Callable[[], Watch],
        library: Library,
        of_points: Callable[[], Callable[..., Any]] | None = None,
    ):
        self.backend, self._library = library.name, library
        super().__init__(lowered, primals, watch, of_points)

    def __call__(self, *arguments: Any) -> Any:
        """Return values and derivatives at a point, on the device of the arguments; arguments are not changed.

        Numbers and arrays of NumPy are copied to the device of the others. Raises what an
        :class:`~.array_program.ArrayProgram` raises; there is no warning of NaN and infinity.
        """
        self._watch.check()
        arrays = self._library.arrays(self.arguments.leaves(arguments))
        key = self._library.key(arrays)
        if key not in self._made and self._of_points is not None and self.arguments.has_points(arrays):
            self._at_points = self._at_points or self._of_points()
            return self._at_points(*arguments)
        function = self._functions.get(key) or self._function(key, arrays)
        with np.errstate(all="ignore"):  # some libraries compute with NumPy
            result, results = function(*self.arguments.structured(arrays))
        return rebuild(results, iter(self._library.finished(result, arrays)))

    def _function(self, key: Key, arrays: list[Any]) -> Callable[..., Any]:
        made = self._made.get(key) or self._specialized(
            key, [as_example(each, k) for each, k in zip(arrays, key, strict=True)]
        )
        self._functions[key] = function = function_of(made.written, made.template, self._library.scope(made.written))
        return function

    def _write(self, key: Key, lowered: Lowered) -> Specialization:
        written = self._library.written(lowered)
        in_words = lowered.written()
        cost = cost_of(lowered.found, in_words, lowered.bodies)
        explanation = Explanation(*lowered.fired, again(lowered, in_words, cost))
        return Specialization(lowered, written, lowered.template, cost, explanation)

    # ---- to inspect ----

    @cached_property
    def graph(self) -> Graph:
        """The program as a graph, traced at the example in the words of NumPy."""
        return graph_of(self._in_numpy, self.example)

    @property
    def traced_lines(self) -> list[Row]:
        """The lines in the words of NumPy that the nodes of :attr:`graph` come from."""
        return self._in_numpy.rows

    @cached_property
    def _in_numpy(self) -> Written:
        lowered = self._first.lowered
        assert lowered is not None  # another process has what it was written as
        return lowered.written().bare()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the program as a module that imports the library; raises ``FileNotFoundError`` for a missing folder.

        It imports a library of the standard as ``xp``: another one may stand in its place.
        """
        with users_frames():
            check_folder(Path(path))
            text = self._library.module_text(self._first.written, self.arguments.called(self._first_key))
            Path(path).write_text(text, encoding="utf-8")

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs: the sources, and the name of the library."""
        return super().__getstate__() | {"_in_numpy": self._in_numpy, "_library": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self._library = library_of(self.backend)


def library_program(
    library: Library,
    lowered: Callable[..., Lowered],
    f: Callable[..., Any],
    example: tuple[Any, ...],
    settings: Mapping[str, Any],
    options: Mapping[str, Any],
    of_points: Callable[[], Callable[..., Any]] | None = None,
) -> LibraryProgram:
    """Return the program that ``lowered`` makes of a function, with its own ``options``, on the arrays of a library.

    ``of_points`` makes the program that takes arguments with an axis of points more than the example. Raises
    :class:`~adviz.ProgramError` where a batch is to be added up, which is done on NumPy's arrays.
    """
    if options.get("batch") is not None:
        raise ProgramError("A batch is added up on NumPy's arrays and Dask's: leave backend out, or batch.")
    inputs, own = options.get("inputs"), own_options(options)

    def at(primals: tuple[Any, ...]) -> Lowered:
        with in_numpy():
            return lowered(traced(f, primals, settings, inputs), **own)

    return LibraryProgram(at, library.example(example), partial(Watch, f), library, of_points)
