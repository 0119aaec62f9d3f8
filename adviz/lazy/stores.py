"""What the storage of ops holds from call to call, and the files that keep it."""

from __future__ import annotations

import os
import threading
import weakref
import zipfile
import zlib
from collections import deque
from collections.abc import Iterable, Mapping
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

from ..engine.tape import user_origin
from ..graph.errors import check_folder
from ..graph.syntax_trees import PARSING
from ..kernels.libraries.library_program import Library
from .op_errors import ComputationError
from .ops import Op
from .storing import fitting, in_numpy

# ---- stores ----


class Cell:
    """What the storage of one op holds: an array that nobody changes, or a number of NumPy's or Python's.

    The array is of the library that the computation that stored it runs on. A ``copy`` for another library is kept
    beside it, with what it is a copy of: reading changes nothing, not even the precision.
    """

    __slots__ = ("copy", "value")

    def __init__(self, value: Any):
        self.value = value
        self.copy: tuple[Any, Any, Any] = (None, None, None)

    def in_numpy(self, op: Op) -> Any:
        """Return the value as an array or a number of NumPy's, in the dtype of its op."""
        if self.value is None or isinstance(self.value, np.ndarray | np.generic | float):
            return self.value
        return held(fitting(op, self.value))

    def in_library(self, library: Library, key: Any) -> Any:
        """Return the value as a library's array, if it was copied for the same ``key``; else as one of NumPy's."""
        if library.is_own(self.value):
            return self.value
        of, of_key, array = self.copy
        return array if of is self.value and of_key == key else in_numpy(self.value)


class Store:
    """What the storage of ops holds, by op; one computation at a time reads and changes it.

    All computations share one store, so that training in one is seen in another; one with a store of its own disturbs
    no other, also in another thread. What a computation of another library stored stays on the device of that library;
    to look at it is to copy it to NumPy.

    >>> import adviz
    >>> w, mine = adviz.lazy.variable((), 1.0), Store()
    >>> adviz.lazy.computation(adviz.lazy.assign(w, w + 1), store=mine)(), mine[w], shared[w]
    (2.0, 2.0, 1.0)
    """

    def __init__(self) -> None:
        self._cells: weakref.WeakKeyDictionary[Op, Cell] = weakref.WeakKeyDictionary()
        self.lock = threading.RLock()
        self.is_elsewhere = False
        """Whether a computation of another library than NumPy may have stored its arrays."""

    def __getitem__(self, op: Op) -> Any:
        """Copy to NumPy what storage holds; raises :class:`~.op_errors.ComputationError` if that is nothing."""
        with self.lock:
            value = self.cell(storage(op)).in_numpy(op)
        if value is None:
            raise ComputationError(f"{op.name} holds no value yet.", op.origin)
        return value.copy() if isinstance(value, np.ndarray) else value

    def __setitem__(self, op: Op, value: Any) -> None:
        """Store a value, of the shape of the op or repeated to it."""
        with self.lock:
            self.cell(storage(op)).value = held(fitting(op, value))

    def cell(self, op: Op) -> Cell:
        """Say where the value of an op is held: with its initial value, if none was stored yet."""
        with self.lock:
            result = self._cells.get(op)
            if result is None:
                result = self._cells[op] = Cell(None if op.initial is None else held(op.initial))
            return result


def storage(op: Any) -> Op:
    """Return an op that holds a value; raises :class:`~.op_errors.ComputationError` for anything else."""
    if not isinstance(op, Op) or not op.is_assignable:
        what = f"{op.name}, which is {op.what}" if isinstance(op, Op) else type(op).__name__
        raise ComputationError(f"A store holds what is in variables and placeholders, and not {what}.", user_origin())
    return op


def store_all(cells: Iterable[Cell], values: Iterable[Any]) -> None:
    """Store a value in each cell: in all or in none, also where a person interrupts.

    Python interrupts between two instructions of its own; this is one.
    """
    deque(map(setattr, cells, repeat("value"), values), maxlen=0)


def held(value: np.ndarray) -> Any:
    """Return an array as programs return it: one number as such, of Python's where it is in double precision."""
    if value.ndim:
        return value
    return value.item() if value.dtype == np.dtype(float) else value[()]


shared = Store()
"""The store of computations that have none of their own."""


# ---- files ----


def save(path: str | os.PathLike[str], ops: Iterable[Op], store: Store | None = None) -> None:
    """Write what the storage of ops holds to an ``.npz`` file, by name: it is there as a whole or not at all."""
    target, chosen = Path(path), shared if store is None else store
    check_folder(target)
    with chosen.lock:
        values = {name: np.asarray(chosen[op]) for name, op in _named(ops).items()}
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with zipfile.ZipFile(partial, "w") as file:  # as np.savez does, which takes no array of the name "file"
            for name, value in values.items():
                with file.open(f"{name}.npy", "w", force_zip64=True) as entry:
                    np.lib.format.write_array(entry, value, allow_pickle=False)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def load(path: str | os.PathLike[str], ops: Iterable[Op], store: Store | None = None) -> None:
    """Take what the storage of ops holds from a file that :func:`save` wrote.

    Raises :class:`ComputationError`, and changes nothing, if a name is missing, or a shape or dtype differs.
    """
    chosen, named = shared if store is None else store, _named(ops)
    with Path(path).open("rb") as stream, _opened(stream, path) as file:
        if missing := [name for name in named if name not in file]:
            raise ComputationError(
                f"{path} has no value for {', '.join(missing)}; it has {', '.join(file)}.", user_origin()
            )
        values = {name: _read(file, name, path) for name in named}
    for name, op in named.items():
        if (values[name].shape, values[name].dtype) != (op.shape, op.dtype):
            there = f"{values[name].shape} {values[name].dtype}"
            raise ComputationError(f"{name} is {op.shape} {op.dtype}, and in {path} it is {there}.", op.origin)
    with chosen.lock:
        store_all([chosen.cell(op) for op in named.values()], [held(each) for each in values.values()])


def _opened(stream: Any, path: str | os.PathLike[str]) -> Any:
    """Return the arrays of a file; raises :class:`ComputationError` if it is another one."""
    try:
        file = np.load(stream, allow_pickle=False)
    except (ValueError, EOFError, zipfile.BadZipFile):
        file = None
    if not isinstance(file, np.lib.npyio.NpzFile):
        raise ComputationError(f"{path} is no .npz file; what ad.lazy.save has written is one.", user_origin())
    return file


def _read(file: Any, name: str, path: Any) -> np.ndarray:
    """Return one array of a file; raises :class:`ComputationError` where it is damaged, or not made of numbers."""
    try:
        with PARSING:
            result: np.ndarray = file[name]
    except (ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        raise ComputationError(f"{name} cannot be read from {path}: {error}.", user_origin()) from error
    return result


def _named(ops: Iterable[Op]) -> dict[str, Op]:
    if isinstance(ops, Op):
        raise ComputationError(f"{ops.name} is one op; what is kept in a file is a list, [{ops.name}].", user_origin())
    if isinstance(ops, str | os.PathLike) or not isinstance(ops, Iterable):
        raise ComputationError(f"The path comes first, then the ops, and these are {ops!r}.", user_origin())
    wanted = list(map(storage, ops.values() if isinstance(ops, Mapping) else ops))
    return dict(zip(unique([op.name for op in wanted]), wanted, strict=True))


def unique(names: Iterable[str]) -> list[str]:
    """Return the same names, numbered where one comes again."""
    result: dict[str, None] = {}
    for name in names:
        number, unique = 2, name
        while unique in result:
            unique, number = f"{name}_{number}", number + 1
        result[unique] = None
    return list(result)
