"""Where a program runs: on NumPy, Numba, CuPy, or any other array library.

A back end is made for one schedule. It makes a batch of arguments and, called with one, returns the results in its own
kind of array, with the axis of the points where ``points`` says.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from importlib import import_module
from itertools import chain
from math import isfinite
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from ...engine.devices import set_library
from ..planning.schedule import Schedule
from ..points.batches import Batch, Leaf, batch
from ..points.results import Part, empty_results
from ..points.source_text import compiled, point_source, scalar_functions
from ..program_errors import ProgramError
from .array_api import Namespace
from .gpu import CuPy
from .numba_loops import Numba
from .numpy_blocks import Blocks

FEW = 6
"""Up to so many points are faster one by one, on Python's numbers: the Jacobian of the Roe flux takes 54 µs at six
points, and 95 µs in a block."""
DOUBLE = np.dtype(float)


class Backend(Protocol):
    """What runs one program.

    If it ``is_on_numpy``, its arrays are NumPy's, with an axis even for a single point, and a single point may be
    computed in another way: see :mod:`~..program.program`.
    """

    is_on_numpy: bool

    def batch(
        self, arguments: tuple[object, ...], example: tuple[object, ...], leaves: list[Leaf], points: str
    ) -> Batch:
        """Make a batch of arguments."""

    def __call__(self, given: Batch, parts: list[Part], points: str) -> list[Any]:
        """Return the arrays of the results."""


class NumPy:
    """Runs blocks of points on NumPy, and a few points one by one."""

    is_on_numpy = True
    batch = staticmethod(batch)

    def __init__(self, schedule: Schedule, threads: int | None = 1):
        self.schedule, self.blocks = schedule, Blocks(schedule, threads)
        self._point: Callable[..., tuple[float, ...]] | None = None

    def __call__(self, given: Batch, parts: list[Part], points: str) -> list[np.ndarray]:
        arrays, rows = empty_results(parts, points, given.size, given.dtype)
        if not (given.size <= FEW and given.dtype == DOUBLE and self._one_by_one(given, rows)):
            inputs = [row for matrix in given.matrices for row in matrix]
            self.blocks(inputs, rows, given.dtype)
        return arrays

    def _one_by_one(self, given: Batch, rows: list[np.ndarray]) -> bool:
        """Fill the rows on Python's numbers. Returns whether that was possible, and all results are finite."""
        self._point = self._point or compiled(point_source(self.schedule), scalar_functions())
        columns = [np.broadcast_to(matrix, (len(matrix), given.size)).T.tolist() for matrix in given.matrices]
        try:
            result = [self._point(*chain.from_iterable(point)) for point in zip(*columns, strict=True)]
        except (ArithmeticError, ValueError):
            return False
        for row, outputs in zip(rows, zip(*result, strict=True), strict=bool(result)):
            row[:] = outputs
        return all(map(isfinite, chain.from_iterable(result)))


# ---- which one ----

_present: ContextVar[str] = ContextVar("backend", default="numpy")


def set_backend(backend: str | ModuleType | None) -> None:
    """Choose where programs compiled from now on run, unless they have a ``backend`` of their own.

    ``backend`` is one of those of :func:`adviz.compile_jacobian`. With ``"cupy"`` functions are traced and
    differentiated on the GPU, too: NumPy arrays among the arguments are moved there, and derivatives stay there. Other
    libraries do not implement NumPy's protocols; with them, tracing is on NumPy's arrays.

    Like a mode, it holds for the current thread. Raises :class:`~adviz.ProgramError` for back ends that are unknown or
    not installed.

    >>> set_backend("numba")
    >>> present_backend()
    'numba'
    >>> set_backend("numpy")
    """
    name = backend_name(backend)
    set_library(library_named(name))
    _present.set(name)


def present_backend() -> str:
    """Return the name of the back end of programs that are compiled now."""
    return _present.get()


def backend_name(backend: str | ModuleType | None) -> str:
    """Return the name of a back end or an array library; for ``None`` the one that :func:`set_backend` chose.

    >>> backend_name(None), backend_name(np)
    ('numpy', 'numpy')
    """
    if backend is None:
        return present_backend()
    name = backend.__name__ if isinstance(backend, ModuleType) else backend
    if not isinstance(name, str):
        raise ProgramError(f"backend is {backend!r}; it can be {NAMES}.")
    return name


def backend_of(name: str, schedule: Schedule, threads: int | None = 1) -> Backend:
    """Make the back end of a program. Raises :class:`~adviz.ProgramError` if an operation or a library is missing.

    >>> from ..planning.schedule import Schedule
    >>> backend_of("numpy", Schedule((), {}, (), ())).is_on_numpy
    True
    """
    library = library_named(name)
    if name == "numpy":
        return NumPy(schedule, threads)
    if name == "numba":
        return Numba(schedule, library, threads)
    return (CuPy if name == "cupy" else Namespace)(schedule, library)


EXTRAS = "numba", "cupy"
"""Libraries that an extra of adviz installs."""
NAMES = "'numpy', 'numba', 'cupy', or an array library such as torch, jax.numpy, array_api_strict"


def library_named(name: str) -> Any:
    """Return the module of a back end. Raises :class:`~adviz.ProgramError` if there is none, or it has no arrays."""
    try:
        library = import_module(name)
    except ImportError as reason:
        package = f"'adviz[{name}]'" if name in EXTRAS else name.partition(".")[0]
        raise ProgramError(
            f"The back end {name} needs a library that cannot be imported ({reason}): pip install {package}"
        ) from reason
    if name != "numba" and not hasattr(library, "asarray"):
        raise ProgramError(f"{name} has no arrays; backend can be {NAMES}.")
    return library
