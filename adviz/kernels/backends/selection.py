"""Where a program runs: NumPy, and whatever else has arrays.

A back end is made for one schedule. It takes arguments apart into a batch, and called with that it returns the arrays
of the results' parts, in its own kind of array, with the axis of the points where ``points`` says.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from ...engine.devices import set_library
from ..planning.schedule import Schedule
from ..points.batches import Batch, Leaf, batch
from ..points.results import Part, Room
from ..points.source_text import compiled, point_source, scalar_functions
from ..program_errors import ProgramError
from .array_api import Namespace
from .gpu import CuPy
from .numba_loops import Numba
from .numpy_blocks import Blocks

FEW = 12
"""So many points are quicker one by one, on Python's numbers."""
DOUBLE = np.dtype(float)


class Backend(Protocol):
    """What runs one program.

    One that ``is_on_numpy`` takes and makes NumPy's arrays, so that one point may as well be computed apart, see
    :mod:`.single`; its arrays have an axis for a single point, too.
    """

    is_on_numpy: bool

    def batch(self, arguments: tuple[Any, ...], example: tuple[Any, ...], leaves: list[Leaf], points: str) -> Batch:
        """Arguments as matrices."""

    def __call__(self, given: Batch, parts: list[Part], points: str) -> list[Any]:
        """The arrays of the results."""


class NumPy:
    """Blocks of points on NumPy; a few points one by one."""

    is_on_numpy = True
    batch = staticmethod(batch)

    def __init__(self, schedule: Schedule):
        self.schedule, self.blocks = schedule, Blocks(schedule)
        self._point: Any = None
        self._room: Room | None = None

    def __call__(self, given: Batch, parts: list[Part], points: str) -> list[np.ndarray]:
        self._room = self._room or Room(parts, points)
        arrays, rows = self._room(given.size, given.dtype)
        if not (given.size <= FEW and given.dtype == DOUBLE and self._one_by_one(given, rows)):
            inputs = [row for matrix in given.matrices for row in matrix]
            self.blocks(inputs, rows, given.dtype)
        return arrays

    def _one_by_one(self, given: Batch, rows: list[np.ndarray]) -> bool:
        """Whether Python's numbers had an answer, and a finite one, at all points."""
        self._point = self._point or compiled(point_source(self.schedule), scalar_functions())
        numbers = [np.broadcast_to(matrix, (len(matrix), given.size)).tolist() for matrix in given.matrices]
        try:
            found = [self._point(*point) for point in zip(*(row for rows in numbers for row in rows), strict=True)]
        except (ArithmeticError, ValueError):
            return False
        for row, outputs in zip(rows, zip(*found, strict=True), strict=bool(found)):
            row[...] = outputs
        return all(bool(np.isfinite(row).all()) for row in rows)


# ---- which one ----

_present: ContextVar[str] = ContextVar("backend", default="numpy")


def set_backend(backend: Any) -> None:
    """Choose where programs compiled from now on run, unless they are told: see ``backend`` of ``compile_jacobian``.

    With ``"cupy"`` what is traced and differentiated is on the GPU, too: NumPy's arrays among arguments are brought
    there, and derivatives stay there. Other libraries take no part in NumPy's protocols; there NumPy's arrays stay.

    Like a mode, it is that of a thread. Raises :class:`~adviz.ProgramError` for what is no back end, or not installed.

    >>> set_backend("numba")
    >>> present_backend()
    'numba'
    >>> set_backend("numpy")
    """
    name = backend_name(backend)
    set_library(_library(name))
    _present.set(name)


def present_backend() -> str:
    """The name of the back end that programs compiled now will have."""
    return _present.get()


def backend_name(backend: Any) -> str:
    """The name of a back end, or of an array library; that chosen by :func:`set_backend` for ``None``.

    >>> backend_name(None), backend_name(np)
    ('numpy', 'numpy')
    """
    if backend is None:
        return present_backend()
    name = backend.__name__ if isinstance(backend, ModuleType) else backend
    if not isinstance(name, str):
        raise ProgramError(f"backend is {backend!r}; it can be {NAMES}.")
    return name


def backend_of(name: str, schedule: Schedule) -> Backend:
    """The back end of a program. Raises :class:`~adviz.ProgramError` where an operation, or a library, is missing.

    >>> from ..planning.schedule import Schedule
    >>> backend_of("numpy", Schedule((), {}, (), ())).is_on_numpy
    True
    """
    library = _library(name)
    if name == "numpy":
        return NumPy(schedule)
    return COMPILED.get(name, Namespace)(schedule, library)


COMPILED: dict[str, Callable[..., Backend]] = {"numba": Numba, "cupy": CuPy}
NAMES = "'numpy', 'numba', 'cupy', or an array library such as torch, jax.numpy, array_api_strict"


def _library(name: str) -> Any:
    """The library of a back end."""
    try:
        library = import_module(name)
    except ImportError as reason:
        package = f"'adviz[{name}]'" if name in COMPILED else name.partition(".")[0]
        raise ProgramError(
            f"The back end {name} needs a library that cannot be imported ({reason}): pip install {package}"
        ) from reason
    if name != "numba" and not hasattr(library, "asarray"):
        raise ProgramError(f"{name} has no arrays; backend can be {NAMES}.")
    return library
