"""CuPy as what runs a program on arrays: its functions are called as NumPy's, so the source is that of NumPy.

CuPy has not been run here on a GPU: tests call a stand-in, whose arrays refuse all that CuPy's do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from ...engine.pytrees import leaves, rebuild
from ..arrays.lowering import Lowered
from ..points.array_arguments import Key, as_example, key_of, plain
from ..program_errors import ProgramError
from ..sources.array_modules import libraries_in, module_text
from ..sources.helpers import HELPERS, needed_by
from ..sources.writing import Row, Written

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
            except ImportError as reason:
                raise ProgramError(f"The program needs {library}, which cannot be imported: {reason}.") from reason
            scope["cupyx"] = import_module("cupyx")
        return scope

    def scope(self, written: Written) -> dict[str, Any]:
        """Return what the names in a program mean."""
        constants = {name: self.library.asarray(value) for name, value in written.constants.items()}
        scope = self._imported(written) | constants
        for helper in needed_by(written.source):
            exec(in_cupy(HELPERS[helper]), scope)
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
