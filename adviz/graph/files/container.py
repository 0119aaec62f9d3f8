"""A file of named columns: compressed, each with its checksum, nothing in it but numbers and JSON.

The file begins with ``MAGIC``, the version, the length of the header and the checksum of the header; the header is a
JSON document that lists the columns, and the columns follow it, one after the other, as they are listed. All numbers
are little-endian, checksums are CRC-32. Whole numbers may be stored as differences of neighbors, which compress better.
There is no code in such a file, no pickle and no path, and what a column takes in memory is known, and bounded, before
it is decompressed.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import AdvizError, check_folder

MAGIC = b"\x89adviz\r\n"
"""With an octet over 127 and a line break of Windows, as PNG has them: a transfer as text would change both."""
VERSION = 1
START = struct.Struct("<8sIII")
MOST_BYTES = 2 << 30
"""The most bytes that a file may take in memory, unless more are allowed."""
MOST_HEADER = 1 << 20
RATIO = 1032
"""The most that DEFLATE compresses: a longest match of 258 bytes in two bits."""
TYPES = {name: np.dtype(name) for name in ("|u1", "<u2", "<u4", "<i4", "<i8", "<f8")}
LEVEL = 1
"""Of the compression; differences of neighbors leave little for a higher one."""


class GraphFileError(AdvizError, ValueError):
    """A file is not a graph that adviz saved: it is damaged, of another version, or says what cannot be true.

    >>> import adviz, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "g.adviz"
    >>> _ = path.write_bytes(b"PK\\x03\\x04 a zip archive, say")
    >>> try:
    ...     adviz.load(path)
    ... except GraphFileError as error:
    ...     print(error)
    g.adviz is not a graph that adviz saved: it does not begin as one.
    """


class Column(NamedTuple):
    """How a column is stored: its type, its number of entries, its compressed bytes and their checksum.

    ``coding`` is ``"plain"``, or ``"differences"`` of neighbors, the first entry being that from 0.
    """

    name: str
    type: str
    length: int
    coding: str
    bytes: int
    checksum: int

    @property
    def in_memory(self) -> int:
        """The bytes that its entries take in memory: each becomes an object, or at least a wide number."""
        return self.length * (1 if self.name == "memory" else 32 if self.name == "document" else 8)


def write(path: str | Path, columns: Mapping[str, np.ndarray | bytes]) -> Path:
    """Write columns of numbers, and of bytes as such, into a file; what was in it is replaced once all is written.

    Raises ``FileNotFoundError`` if there is no such folder.
    """
    path = Path(path)
    check_folder(path)
    listed, parts = [], []
    for name, column in columns.items():
        coding, numbers = _coded(np.frombuffer(column, np.uint8) if isinstance(column, bytes) else column)
        part = zlib.compress(numbers.data if numbers.size else b"", LEVEL)
        type_of = numbers.dtype.newbyteorder("<").str
        listed.append(Column(name, type_of, len(numbers), coding, len(part), zlib.crc32(part)))
        parts.append(part)
    header = json.dumps({"format": "adviz Graph", "columns": [each._asdict() for each in listed]}).encode()
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as file:
        file.write(START.pack(MAGIC, VERSION, len(header), zlib.crc32(header)))
        file.writelines((header, *parts))
    return partial.replace(path)


def _coded(column: np.ndarray) -> tuple[str, np.ndarray]:
    """Return the coding of a column and its numbers in it, in the narrowest of the types that holds them."""
    numbers = np.ascontiguousarray(column)
    if numbers.dtype.kind == "f" or numbers.dtype == np.uint8:
        return "plain", numbers.astype(numbers.dtype.newbyteorder("<"), copy=False)
    wide = numbers.astype(np.int64, copy=False)
    if len(wide) and wide.min() >= 0 and wide.max() < 256:
        return "plain", wide.astype(np.uint8)
    differences = np.diff(wide, prepend=0)
    fits = not len(wide) or np.abs(differences).max() < 2**31
    return "differences", differences.astype("<i4" if fits else "<i8")


def read(path: str | Path, most_bytes: int = MOST_BYTES) -> dict[str, np.ndarray]:
    """Return the columns of a file by name.

    Raises :class:`GraphFileError` with the place for a file that is not whole, and ``FileNotFoundError`` if there is
    none.
    """
    path = Path(path)
    data = path.read_bytes()
    listed, place = _header(path.name, data)
    needed = sum(each.in_memory for each in listed)
    if needed > most_bytes:
        raise GraphFileError(
            f"{path.name} takes {needed:,} bytes in memory, and {most_bytes:,} are allowed. If you know where it is "
            f"from, allow more: ad.load(path, most_bytes={needed})."
        )
    stored = sum(each.bytes for each in listed)
    if place + stored != len(data):
        raise GraphFileError(
            f"{path.name} is {'truncated' if place + stored > len(data) else 'too long'}: "
            f"it has {len(data):,} bytes, and its header lists {place + stored:,}."
        )
    result = {}
    for each in listed:
        result[each.name] = _column(path.name, each, data[place : place + each.bytes])
        place += each.bytes
    return result


def _header(file: str, data: bytes) -> tuple[list[Column], int]:
    """Return the columns that a file lists, and where they begin."""
    if data[: len(MAGIC)] != MAGIC:
        raise GraphFileError(f"{file} is not a graph that adviz saved: it does not begin as one.")
    if len(data) < START.size:
        raise GraphFileError(f"{file} is truncated: it has {len(data)} bytes, and its start alone takes {START.size}.")
    _, version, length, checksum = START.unpack_from(data)
    if version != VERSION:
        raise GraphFileError(f"{file} is of version {version}; this adviz reads version {VERSION}.")
    header = data[START.size : START.size + length]
    if length > MOST_HEADER or len(header) < length:
        raise GraphFileError(f"{file} is truncated: its header has {length:,} bytes, and {len(header):,} are there.")
    if zlib.crc32(header) != checksum:
        raise GraphFileError(f"{file} is damaged: the header does not have its checksum.")
    document = parsed(file, "the header", header)
    if not isinstance(document, dict) or not isinstance(columns := document.get("columns"), list):
        raise GraphFileError(f"{file} is not a graph that adviz saved: its header lists no columns.")
    listed = [_listed(file, f"columns[{k}]", each) for k, each in enumerate(columns)]
    if len({each.name for each in listed}) < len(listed):
        raise GraphFileError(f"{file} is damaged: its header lists a column twice.")
    return listed, START.size + length


def _listed(file: str, place: str, entry: Any) -> Column:
    """Return a column as the header lists it, checked."""
    kinds = Column.__annotations__
    if not isinstance(entry, dict) or entry.keys() != kinds.keys():
        raise GraphFileError(f"{file} is damaged: {place} of its header does not have the fields {', '.join(kinds)}.")
    column = Column(**entry)
    texts, numbers = (column.name, column.type, column.coding), (column.length, column.bytes, column.checksum)
    is_known = column.type in TYPES and column.coding in ("plain", "differences") if all_of(str, texts) else False
    if not is_known or not all_of(int, numbers) or min(numbers) < 0:
        raise GraphFileError(f"{file} is damaged: {place} of its header is not of a known kind.")
    if column.length * TYPES[column.type].itemsize > RATIO * (column.bytes + 1):
        raise GraphFileError(
            f"{file} is damaged: column {column.name!r} would have {column.length:,} entries, "
            f"more than {column.bytes:,} compressed bytes can hold."
        )
    return column


def all_of(kind: type, entries: Any) -> bool:
    """Return whether all entries are of a type; truth values are no numbers.

    >>> all_of(int, [1, 2]), all_of(int, [1, True]), all_of(str, ["a", 1])
    (True, False, False)
    """
    return all(isinstance(each, kind) and (kind is bool or not isinstance(each, bool)) for each in entries)


def _column(file: str, column: Column, part: bytes) -> np.ndarray:
    """Return the entries of a column. No more is decompressed than its header says."""
    if zlib.crc32(part) != column.checksum:
        raise GraphFileError(f"{file} is damaged: column {column.name!r} does not have its checksum.")
    kind = TYPES[column.type]
    needed = column.length * kind.itemsize
    machine = zlib.decompressobj()
    try:
        data = machine.decompress(part, needed + 1)
    except zlib.error as error:
        raise GraphFileError(f"{file} is damaged: column {column.name!r} cannot be decompressed ({error}).") from None
    if len(data) != needed or not machine.eof or machine.unused_data:
        raise GraphFileError(
            f"{file} is damaged: column {column.name!r} does not have the {column.length:,} entries that its header "
            "says."
        )
    numbers = np.frombuffer(data, kind)
    return np.cumsum(numbers, dtype=np.int64) if column.coding == "differences" else numbers


def read_at(file: str, place: str, read: Callable[..., Any], *given: Any) -> Any:
    """Read a place of a file; anything wrong there raises a :class:`GraphFileError` that names it."""
    try:
        return read(*given)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise GraphFileError(f"{file} is damaged: {place}: {' '.join(str(error).split())}.") from None


def parsed(file: str, place: str, text: bytes) -> Any:
    """Return a JSON document in a file."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GraphFileError(f"{file} is damaged: {place} is not a JSON document ({error}).") from None
