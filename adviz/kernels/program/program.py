"""Programs: straight-line code for values and derivatives, called on one point or on many.

A :class:`Program` is called like the function it was compiled from, with arrays of points for arguments. It can be
inspected: ``source``, ``graph``, ``cost``, ``order``; sent to another process; and saved as a module.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

from ...algorithms.elimination.orders import Order
from ...engine.pytrees import rebuild
from ...graph.errors import check_folder
from ...graph.graph import Graph
from ...graph.ipython import users_frames
from ...graph.origins import Source, source
from ...graph.wording import counted
from ..backends.selection import DOUBLE, Backend, backend_name, backend_of
from ..points.batches import Batch
from .contents import Contents
from .lazy_arrays import has_lazy, lazy_results
from .listing import Line, listing
from .modules import graph_of, module_text
from .reports import settle_or_report
from .settling import Settling
from .single import function_of_point
from .watching import Watch


@dataclass(eq=False, repr=False)
class Program(Contents):
    """What :func:`adviz.compile_jacobian` and its like return.

    ``schedule`` has its instructions, ``order`` is the elimination order that they come from, ``cost`` counts the
    operations at one point, and ``points`` says where the axis of the points is, ``"first"`` or ``"last"``.

    >>> import adviz
    >>> program = adviz.compile_jacobian(lambda x: x * x, 3.0)
    >>> program, program([1.0, 2.0]).jacobian
    (<Program <lambda>: 2 operations, 1 ns per point expected>, array([2., 4.]))
    """

    order: Order
    backend: Any
    threads: int | None
    watch: Watch
    codes: list[CodeType]
    settling: Settling | None = None
    has_kinks: bool = False
    """Whether results may be NaN without an operation that makes it."""

    def __post_init__(self) -> None:
        self.backend = backend_name(self.backend)
        self.is_on_numpy = self.backend == "numpy" or self._backend.is_on_numpy
        self._of_point: Callable[[Sequence[object]], Any] | None = None

    def __call__(self, *arguments: object) -> Any:
        """Values and derivatives at one point, or at as many as the arguments have; of Dask arrays, lazily.

        Raises :class:`~adviz.InputError` for arguments of other shapes than the example's, and
        :class:`~adviz.ProgramError` if the function has changed since it was compiled. Warns of the first operation
        that makes NaN or infinity of finite operands.
        """
        self.watch.check()
        if has_lazy(arguments, self.example):
            return lazy_results(self, arguments)
        if self._of_point and (found := self._single(arguments)) is not None:
            return found
        given = self.batch(arguments)
        if given.length is None and self.is_on_numpy and given.dtype == DOUBLE:
            self._of_point = self._of_point or function_of_point(self, self._backend)
            pairs = zip(self.arguments, given.matrices, strict=True)
            found = self._single([each.reshape(leaf.shape) if leaf.shape else each.item() for leaf, each in pairs])
            if found is not None:
                return found
        return self.on_batch(given)

    def batch(self, arguments: tuple[object, ...]) -> Batch:
        """Arguments as points."""
        return self._backend.batch(arguments, self.example, self.arguments, self.points)

    def on_batch(self, given: Batch) -> Any:
        """Values and derivatives at the points of a batch."""
        return self.finished(rebuild(self.template, iter(self.arrays(given))))

    def arrays(self, given: Batch) -> list[Any]:
        """The arrays of the results at the points of a batch."""
        heard: list[str] = []
        with np.errstate(all="call", under="ignore", call=lambda kind, flag: heard.append(kind)):
            arrays = self._backend(given, self.parts, self.points)
        if (heard or self.has_kinks) and self.is_on_numpy:
            settle_or_report(self, given, arrays, self.settling)
        if given.length is None and self.is_on_numpy:
            arrays = [array[0] if self.points == "first" else array[..., 0] for array in arrays]
        return arrays

    def _single(self, leaves: Sequence[object]) -> Any:
        """The results at a point; ``None`` where they are not finite, or the arguments are not as expected."""
        try:
            return self._of_point(leaves) if self._of_point else None
        except (ArithmeticError, ValueError):
            return None

    @cached_property
    def _backend(self) -> Backend:
        return backend_of(self.backend, self.schedule, self.threads)

    # ---- to inspect ----

    @cached_property
    def sources(self) -> list[Source]:
        """The source of the user's functions that were traced."""
        return list(map(source, self.codes))

    @cached_property
    def lines(self) -> list[Line]:
        """The lines of :attr:`source`, each with the expression it computes and its place in the user's source."""
        return listing(self)

    @property
    def source(self) -> str:
        """The program as a function in Python, one line for each operation, on one point or on arrays of points.

        Names are those of the traced function, comments say what a line is: the value it has there, or the partials
        that the chain rule multiplies. Arrays have the axis of the points last.

        >>> import adviz
        >>> print(adviz.compile_gradient(lambda x, y: x * y, 3.0, 2.0).source)  # doctest: +NORMALIZE_WHITESPACE
        def lambda_gradient(x, y):
            v2 = x * y                            # v2 = x * y
            return (v2, (y, x))
        """
        return "\n".join(line.text for line in self.lines)

    @cached_property
    def graph(self) -> Graph:
        """The program as a graph, traced at the example: to be explored, folded, played, linearized again."""
        return graph_of(self, self.lines)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the program as a module that imports only NumPy (and SciPy, if there are functions of SciPy in it).

        Its function takes and returns arrays that have the axis of the points last, as :attr:`source` does. Raises
        ``FileNotFoundError`` for a missing folder.
        """
        with users_frames():
            check_folder(Path(path))
            Path(path).write_text(module_text(self), encoding="utf-8")

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs: all but compiled code, and the function that was traced."""
        state = self.__dict__ | {"lines": self.lines, "notes": self.notes, "sources": self.sources}
        state |= {"codes": [], "explain": dict, "_of_point": None, "settling": None}
        return {key: value for key, value in state.items() if key not in ("_backend", "graph")}

    def __repr__(self) -> str:
        cost = self.cost
        operations = counted((cost.operations, "operation"))
        return f"<Program {self.name}: {operations}, {cost.nanoseconds:,.0f} ns per point expected>"
