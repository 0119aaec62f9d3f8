"""Any library whose arrays follow the array API standard, as what runs a program on arrays.

The program is written once for real numbers, and runs in the precision of its arguments: those that are made on the way
take the dtype and the device of an argument.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial, reduce
from importlib import import_module
from itertools import compress
from typing import Any

import numpy as np

from ...engine.blocks import INPUT
from ...engine.calls import leaves, rebuild
from ...engine.trace_errors import InputError
from ..arrays.lowering import Lowered
from ..backends.array_api import SPECIAL, cast
from ..backends.standard_functions import NAMES, bound_to, needed_by, on, source_of
from ..points.array_arguments import KINDS, Key, example_in_numpy, plain
from ..points.batches import is_of_other_library
from ..program_errors import ProgramError
from ..sources.array_modules import module_head
from ..sources.helpers import OF_LOOPS
from ..sources.helpers import needed_by as helpers_in
from ..sources.operator_printing import Printed
from ..sources.printing import Printer
from ..sources.writing import Written
from ..terms.array_terms import Term, in_order
from .standard_printing import printed_in
from .standard_words import Standard

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
        found = (
            np.asarray(x, float)[()] if isinstance(x, np.ndarray | np.generic) and x.dtype.kind == "f" else x
            for _, x in leaves(example_in_numpy(example), "")
        )
        structured: tuple[Any, ...] = tuple(rebuild(example, found))
        return structured

    def key(self, arrays: Sequence[Any]) -> Key:
        """Shapes, and the kinds of the numbers."""
        return tuple((tuple(each.shape), kind_of_numbers("An argument", each)) for each in arrays)

    # ---- the program ----

    def written(self, lowered: Lowered) -> Written:
        """Return the source of a program; loops that the library cannot run are written iteration by iteration."""
        result = lowered.written(self._speaker)
        if self._is_foreign(result) and lowered.unrolled is not None and not lowered.checkpoints:
            result = lowered.unrolled().written(self._speaker)
        if self._is_foreign(result):
            raise ProgramError(f"{result.title} needs functions of NumPy that are not in {self.name}. {self._advice}")
        return result

    def _is_foreign(self, written: Written) -> bool:
        return any(FOREIGN.search(row.text.partition("  # ")[0]) for row in written.rows[2:])

    @property
    def _advice(self) -> str:
        return "Leave backend out, or write the function with other operations."

    def _speaker(self, inputs: Mapping[int, str], results: Sequence[Term]) -> Printer:
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
    """What the numbers of an array are in NumPy's: "<f8", "<i8" or "|b1". Raises :class:`~adviz.InputError` for others.

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
