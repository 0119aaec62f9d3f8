"""What storage holds in files of named arrays, without pickle."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...engine.recording.tape import user_origin
from ...graph.errors import check_folder
from ...graph.syntax_trees import PARSING
from ..op_errors import ComputationError
from ..ops import Op
from .stores import Store, held, shared, storage, store_all


def save(path: str | os.PathLike[str], ops: Iterable[Op], store: Store | None = None) -> None:
    """Write what the storage of ops holds to an ``.npz`` file, by name: it is there as a whole or not at all."""
    target, kept = Path(path), shared if store is None else store
    check_folder(target)
    with kept.lock:
        values = {name: np.asarray(kept[op]) for name, op in _named(ops).items()}
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
    kept, named = shared if store is None else store, _named(ops)
    with Path(path).open("rb") as stream, _opened(stream, path) as file:
        if missing := [name for name in named if name not in file]:
            raise ComputationError(
                f"{path} has no value for {', '.join(missing)}; it has {', '.join(file)}.", user_origin()
            )
        values = {name: _read(file, name, path) for name in named}
    for name, op in named.items():
        if (values[name].shape, values[name].dtype) != (op.shape, op.dtype):
            found = f"{values[name].shape} {values[name].dtype}"
            raise ComputationError(f"{name} is {op.shape} {op.dtype}, and in {path} it is {found}.", op.origin)
    with kept.lock:
        store_all([kept.cell(op) for op in named.values()], [held(each) for each in values.values()])


def _opened(stream: Any, path: str | os.PathLike[str]) -> Any:
    """The arrays of a file; raises :class:`ComputationError` if it is another one."""
    try:
        file = np.load(stream, allow_pickle=False)
    except (ValueError, EOFError, zipfile.BadZipFile):
        file = None
    if not isinstance(file, np.lib.npyio.NpzFile):
        raise ComputationError(f"{path} is no .npz file; what ad.lazy.save has written is one.", user_origin())
    return file


def _read(file: Any, name: str, path: Any) -> np.ndarray:
    """One array of a file; raises :class:`ComputationError` where it is damaged, or not made of numbers."""
    try:
        with PARSING:
            found: np.ndarray = file[name]
    except (ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        raise ComputationError(f"{name} cannot be read from {path}: {error}.", user_origin()) from error
    return found


def _named(ops: Iterable[Op]) -> dict[str, Op]:
    if isinstance(ops, Op):
        raise ComputationError(f"{ops.name} is one op; what is kept in a file is a list, [{ops.name}].", user_origin())
    if isinstance(ops, str | os.PathLike) or not isinstance(ops, Iterable):
        raise ComputationError(f"The path comes first, then the ops, and these are {ops!r}.", user_origin())
    wanted = list(map(storage, ops.values() if isinstance(ops, Mapping) else ops))
    return dict(zip(unique([op.name for op in wanted]), wanted, strict=True))


def unique(names: Iterable[str]) -> list[str]:
    """The same names, numbered where one comes again."""
    found: dict[str, None] = {}
    for name in names:
        number, unique = 2, name
        while unique in found:
            unique, number = f"{name}_{number}", number + 1
        found[unique] = None
    return list(found)
