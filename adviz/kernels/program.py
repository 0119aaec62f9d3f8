"""Programs: straight-line code for values and derivatives, called on one point or on many.

A :class:`Program` is called like the function it was compiled from, with arrays of points for arguments. It can be
looked at: ``source``, ``graph``, ``cost``, ``order``; sent to another process; and saved as a module.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from ..engine.structure import rebuild
from .backends import Backend, NumPy
from .points import Leaf, batch
from .reports import watched
from .results import Part, structured
from .schedule import Cost, Schedule
from .watching import Watch
from .writing import compiled, point_source, scalar_functions

DOUBLE = np.dtype(float)


class Program:
    """What :func:`adviz.compile_jacobian` and its like return.

    ``schedule`` has its instructions, ``order`` the elimination order that they come from, ``cost`` what one point
    takes, and ``points`` where the axis of the points is, ``"first"`` or ``"last"``.

    >>> import adviz
    >>> program = adviz.compile_jacobian(lambda x: x * x, 3.0)
    >>> program, program([1.0, 2.0]).jacobian
    (<Program <lambda>: 2 operations, 1 ns per point expected>, array([2., 4.]))
    """

    def __init__(
        self,
        name: str,
        schedule: Schedule,
        arguments: list[Leaf],
        example: tuple[Any, ...],
        parts: list[Part],
        template: Any,
        order: Any,
        points: str = "first",
        sparsity: Any = None,
        watch: Watch | None = None,
    ):
        self.name, self.schedule, self.order, self.points = name, schedule, order, points
        self.arguments, self.example = arguments, example
        self.parts, self.template, self.sparsity = parts, template, sparsity
        self.watch = watch or Watch()
        self._takes_numbers = all(not leaf.shape for leaf in arguments) and len(arguments) == len(example)

    def __call__(self, *arguments: Any) -> Any:
        """Values and derivatives at one point, or at as many as the arguments have.

        Raises :class:`~adviz.InputError` for arguments of other shapes than the example's, and
        :class:`~.errors.ProgramError` if the function has changed since it was compiled. Warns once where NaN or
        infinity is born.
        """
        self.watch.check()
        if self._takes_numbers and len(arguments) == len(self.arguments) and {*map(type, arguments)} == {float}:
            found = self._single(arguments)
            if found is not None:
                return found
        given = batch(arguments, self.example, self.arguments, self.points)
        if given.length is None and given.dtype == DOUBLE:
            found = self._single([number for matrix in given.matrices for number in matrix.ravel().tolist()])
            if found is not None:
                return found
        with watched(self, given):
            arrays = self._backend(given, self.parts, self.points)
        if given.length is None:
            arrays = [array[0] if self.points == "first" else array[..., 0] for array in arrays]
        return self._finished(rebuild(self.template, iter(arrays)))

    def _single(self, numbers: Any) -> Any:
        """The results at a point; ``None`` where Python has no answer, or NaN and infinity are to be reported."""
        if self._structured is None:
            return None
        try:
            found = self._structured(*numbers)
        except (ArithmeticError, ValueError):
            return None
        return None if found is None else self._finished(type(self.template)(*found))

    def _finished(self, found: Any) -> Any:
        return found if self.sparsity is None else found._replace(jacobian=self.sparsity._replace(data=found.jacobian))

    @cached_property
    def _structured(self) -> Callable[..., Any] | None:
        text = structured(self.schedule, self.parts, self.template)
        return compiled(point_source(self.schedule, "program", text), scalar_functions()) if text else None

    @cached_property
    def _backend(self) -> Backend:
        return NumPy(self.schedule)

    # ---- to look at ----

    @property
    def cost(self) -> Cost:
        """What one point takes."""
        return self.schedule.cost

    def __repr__(self) -> str:
        cost = self.cost
        return f"<Program {self.name}: {cost.operations:,} operations, {cost.nanoseconds:,.0f} ns per point expected>"
