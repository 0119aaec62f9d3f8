"""Programs on arrays of other libraries than NumPy: the same source, in the words of the library."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial, reduce
from importlib import import_module
from itertools import compress
from typing import Any

import numpy as np

from ...engine.blocks import INPUT
from ...engine.calls import leaves, rebuild
from ...engine.devices import in_numpy
from ...engine.trace_errors import InputError
from ...graph.graph import Graph
from ..arrays.array_compiling import own_options
from ..arrays.array_program import ArrayProgram, Explanation, Specialization, again
from ..arrays.costs import cost_of
from ..arrays.lowering import Lowered, traced
from ..backends.array_api import SPECIAL, cast
from ..backends.selection import library_named
from ..backends.standard_functions import NAMES, bound_to, needed_by, on, source_of
from ..points.array_arguments import KINDS, Key, as_example, example_in_numpy, key_of, plain
from ..points.batches import is_of_other_library
from ..program.watching import Watch
from ..program_errors import ProgramError
from ..sources.array_modules import function_of, graph_of, libraries_in, module_head, module_text
from ..sources.helpers import OF_LOOPS
from ..sources.helpers import needed_by as helpers_in
from ..sources.operator_printing import Printed
from ..sources.printing import Printer
from ..sources.writing import Row, Written
from ..terms.array_terms import Term, in_order
from .standard_printing import Standard, printed_in

# ---- programs on arrays of the standard ----

# A program on the arrays of a library that follows the array API standard is written once for real numbers, and runs in
# the precision of its arguments: arrays that are made on the way take the dtype and the device of an argument.


FOREIGN = re.compile(r"(?<![\w.])(?:np|scipy)\.\w")


class StandardLibrary:
    """A library whose arrays follow the standard, by its ``name``.

    >>> StandardLibrary("numpy", np).key([np.ones((2, 3), np.float32)])
    (((2, 3), '<f8'),)
    """

    def __init__(self, name: str, library: Any):
        self.name, self.library = name, library

    # ---- arguments ----

    def arrays(self, named: Sequence[tuple[str, Any]]) -> list[Any]:
        """Return arguments as arrays of the library: real numbers in the widest dtype among them, on one device.

        Numbers, and arrays of NumPy, take the dtype and the device of the library's own arrays, if there are any.
        """
        xp = self.library
        given = [value for _, value in named if self.is_own(value)]
        device = on(given[0]) if given else {}
        result = [value if self.is_own(value) else self._array(name, value, device) for name, value in named]
        for (name, _), each in zip(named, result, strict=True):
            kind_of_numbers(name, each)
        is_real = ["float" in str(each.dtype) for each in result]
        real = [each for each in given if "float" in str(each.dtype)] or list(compress(result, is_real))
        dtype = reduce(lambda one, other: xp.result_type(one, other.dtype), real[1:], real[0].dtype) if real else None
        return [
            cast(xp, each, dtype) if real_one and each.dtype != dtype else each
            for each, real_one in zip(result, is_real, strict=True)
        ]

    def is_own(self, value: Any) -> bool:
        """Return whether a value is an array of the library."""
        if not hasattr(value, "dtype"):
            return False
        own = self.library.__name__.removeprefix("array_api_compat.").partition(".")[0]
        return type(value).__module__.startswith(own)

    def typed(self, array: Any, dtype: np.dtype[Any]) -> Any:
        """Return an array of its own as what has a dtype keeps it: of the same kind of numbers, and not wider.

        >>> StandardLibrary("numpy", np).typed(np.ones(2), np.dtype(np.float32)).dtype
        dtype('float32')
        """
        xp = self.library
        if np.dtype(kind_of_numbers("An array", array)).kind != dtype.kind:
            array = cast(xp, array, xp.asarray(dtype.type(0).item()).dtype)
        bits = re.search(r"\d+$", str(array.dtype))
        is_wider = bits is not None and int(bits[0]) > 8 * dtype.itemsize
        return cast(xp, array, getattr(xp, dtype.name)) if is_wider else array

    def copied(self, array: Any) -> Any:
        """Return a copy of an array of its own."""
        return self.library.asarray(array, copy=True)

    def _array(self, name: str, value: Any, device: dict[str, Any]) -> Any:
        if is_of_other_library(value):
            library = type(value).__module__.partition(".")[0]
            raise InputError(f"{name} is an array of {library}; the program was compiled for those of {self.name}.")
        value = plain(value, name)
        return self.library.asarray(np.ascontiguousarray(value) if np.ndim(value) else value.item(), **device)

    def example(self, example: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return an example of arguments in NumPy's arrays, real numbers in double precision."""
        converted = (
            np.asarray(x, float)[()] if isinstance(x, np.ndarray | np.generic) and x.dtype.kind == "f" else x
            for _, x in leaves(example_in_numpy(example), "")
        )
        structured: tuple[Any, ...] = tuple(rebuild(example, converted))
        return structured

    def key(self, arrays: Sequence[Any]) -> Key:
        """Shapes, and the kinds of the numbers."""
        return tuple((tuple(each.shape), kind_of_numbers("An argument", each)) for each in arrays)

    # ---- the program ----

    def written(self, lowered: Lowered) -> Written:
        """Return the source of a program; loops that the library cannot run are written iteration by iteration."""
        result = lowered.written(self._printer_for)
        if self._is_foreign(result) and lowered.unrolled is not None and not lowered.checkpoints:
            result = lowered.unrolled().written(self._printer_for)
        if self._is_foreign(result):
            raise ProgramError(f"{result.title} needs functions of NumPy that are not in {self.name}. {self._advice}")
        return result

    def _is_foreign(self, written: Written) -> bool:
        return any(FOREIGN.search(row.text.partition("  # ")[0]) for row in written.rows[2:])

    @property
    def _advice(self) -> str:
        return "Leave backend out, or write the function with other operations."

    def _printer_for(self, inputs: Mapping[int, str], results: Sequence[Term]) -> Printer:
        given = (each for each in in_order(results) if each.operation is INPUT and each.dtype.kind == "f")
        like = next((inputs[each.value] for each in given if each.value in inputs), "xp.asarray(0.0)")
        by = Standard(self.library, like)
        return Printer(
            partial(printed_in, by),
            by.constant,
            by.constant_array,
            by.zeros,
            changes_arrays=False,
            entry="{}[{}, ...]".format,
            added=_added,
            copied=lambda each: Printed(f"xp.asarray({each.text}, copy=True)"),
            finished=lambda each: each,
            taken=("xp", "special", *NAMES),
            said=f"a program on the arrays of {self.name}",
            advice=self._advice,
        )

    def scope(self, written: Written) -> dict[str, Any]:
        """Return what the names in a program mean."""
        modules = self._special(written)
        special = {"special": import_module(modules[0])} if modules else {}
        constants = {name: np.ascontiguousarray(value) for name, value in written.constants.items()}
        scope = {**bound_to(self.library), **special, **constants}
        for text in _of_loops(written):
            exec(text, scope)
        return scope

    def _special(self, written: Written) -> list[str]:
        is_needed = "special." in written.source
        return SPECIAL.get(self.library.__name__, [])[:1] if is_needed else []

    def finished(self, results: list[Any], arrays: Sequence[Any]) -> list[Any]:
        """Return results as arrays, even where they are the same number at all points."""
        like = next((each for each in arrays if "float" in str(each.dtype)), self.library.asarray(0.0))
        return [
            each if hasattr(each, "dtype") else self.library.asarray(each, dtype=like.dtype, **on(like))
            for each in results
        ]

    def module_text(self, written: Written, shapes: str) -> str:
        """Return the text of a module that imports the library, and has all that it lacks."""
        sources = [*(source_of(name) for name in needed_by(written.source)), *_of_loops(written)]
        of_python = ["import math"] if any("math." in text for text in sources) else []
        of_python += ["from typing import Any"] if sources else []
        special = [f"import {module} as special" for module in self._special(written)]
        imports = [f"import {self.library.__name__} as xp", *special]
        constants = [f"{name} = {_listed(value)}" for name, value in written.constants.items()]
        head = ["\n".join(each) for each in (of_python, imports, constants) if each]
        functions = "".join(f"\n\n\n{text}" for text in (*sources, written.source))
        return "\n\n".join([module_head(written, shapes), *head]) + f"{functions}\n"


def kind_of_numbers(name: str, array: Any) -> str:
    """Name what an array's numbers are in NumPy: "<f8", "<i8" or "|b1". Raises :class:`~adviz.InputError` for others.

    >>> kind_of_numbers("x", np.ones(2, np.float32))
    '<f8'
    """
    text = str(array.dtype)
    if "complex" not in text:
        for word, kind in KINDS:
            if word in text:
                return kind
    raise InputError(f"{name} is of dtype {text}, not of real numbers.")


def is_abstract(array: Any) -> bool:
    """Return whether an array has no numbers yet: it stands for others while JAX transforms a function.

    >>> is_abstract(np.ones(2))
    False
    """
    return any(kind.__name__ == "Tracer" for kind in type(array).__mro__)


def _of_loops(written: Written) -> list[str]:
    """Return the texts of the functions that loops with checkpoints call, which know nothing of arrays."""
    return [text for name, text in helpers_in(written.source).items() if name in OF_LOOPS]


def _added(name: str, key: str, text: str) -> str:
    """Return the statement that adds to the entries at a key, which is written as in square brackets."""
    parts = [f"slice({', '.join(end.strip() or 'None' for end in part.split(':'))})" if ":" in part else part
             for part in key.split(", ")]  # fmt: skip
    return f"{name} = added({name}, {text}, ({', '.join(parts)}, ...))"


def _listed(value: np.ndarray) -> str:
    """Return an array as lists of numbers."""
    return repr(value.tolist()).replace("nan", "float('nan')").replace("inf", "float('inf')")


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
        converted = (as_example(x, key_of([x])[0]) if isinstance(x, own) else x for _, x in leaves(example, ""))
        structured: tuple[Any, ...] = tuple(rebuild(example, converted))
        return structured

    def key(self, arrays: Sequence[Any]) -> Key:
        """Return shapes and dtypes."""
        return key_of(arrays)

    def written(self, lowered: Lowered) -> Written:
        """Return the source in NumPy, with CuPy's functions in place of NumPy's."""
        of_numpy = lowered.written()
        rows = [*of_numpy.rows[:2], *(row._replace(text=in_cupy(row.text)) for row in of_numpy.rows[2:])]
        made = of_numpy._replace(rows=rows)
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
        for helper in helpers_in(written.source).values():
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
    """Return code in NumPy as code in CuPy; comments are the user's.

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


Library = CuPyLibrary | StandardLibrary
"""What runs a program on arrays: ``name`` is that of the back end."""


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
            return self._of_points()(*arguments)
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
        cost = cost_of(lowered.translation, in_words, lowered.bodies)
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
        return lowered.written()

    def _module_text(self, shapes: str) -> str:
        return self._library.module_text(self.written, shapes)

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
