"""Values and constants of a graph as numbers and JSON, and back, without pickle.

Floats are a column; everything else is a JSON value with a tag: texts, tuples, slices, dictionaries, and arrays, which
keep their dtype, their strides and the memory that they share with each other. What was written to stays a chain of
versions. Objects of other kinds cannot be saved, and are named by the error.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..errors import AdvizError
from ..versions import Chain, Values, Version, stored
from .container import GraphFileError, read_at

NAMED: dict[str, type] = {}
"""Named tuples that may be constants, by name; the rooms to the right add theirs."""
KINDS = "biufcSUmM"
"""The kinds of dtypes that have no objects in them."""
MOST_ENTRIES = 1 << 28
"""Of an array that repeats few numbers, by strides of 0."""


class ValuesError(AdvizError, ValueError):
    """A value is needed, and the graph was saved without values.

    >>> float(UNSAVED)
    Traceback (most recent call last):
    adviz.graph.files.saved_values.ValuesError: This graph was saved without values: use graph.save(path, values=True).
    """


class Unsaved:
    """A value that was not saved: only what it was is known, by default that it was a number.

    >>> UNSAVED, UNSAVED.shape
    (<float64 of shape (), not saved>, ())
    """

    shape: tuple[int, ...] = ()
    dtype = np.dtype(float)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise ValuesError("This graph was saved without values: use graph.save(path, values=True).")

    __array__ = __float__ = __int__ = __bool__ = __len__ = __iter__ = __getitem__ = _refuse
    __array_ufunc__ = _refuse

    def __repr__(self) -> str:
        return f"<{self.dtype} of shape {self.shape}, not saved>"


class UnsavedArray(Unsaved):
    """An array that was not saved: its shape and its dtype; ``base`` has the bytes of the memory that it is in."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype, base: UnsavedMemory):
        self.shape, self.dtype, self.base = shape, dtype, base

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize


class UnsavedMemory(NamedTuple):
    """The memory of arrays that were not saved."""

    nbytes: int


UNSAVED = Unsaved()
"""The value of all numbers that were not saved."""


def is_saved(value: Any) -> bool:
    """Return whether a value is there: it may not have been saved.

    >>> is_saved(2.0), is_saved(UNSAVED)
    (True, False)
    """
    return not isinstance(value, Unsaved)


class UnsavedValues(Sequence[Any]):
    """Stand-ins for the values of a graph that was saved without them, made on request.

    ``kinds`` has for each node a place in ``table``, which has ``None`` for a number, or the dtype and the shape of an
    array; ``owners`` numbers the memory that arrays are in, 0 for numbers, and ``owner_bytes`` has its sizes.

    >>> values = UnsavedValues(np.array([0, 1]), np.array([0, 1]), np.array([0, 24]), [None, ("<f8", (3,))])
    >>> list(values), values[1].nbytes
    ([<float64 of shape (), not saved>, <float64 of shape (3,), not saved>], 24)
    """

    def __init__(self, kinds: np.ndarray, owners: np.ndarray, owner_bytes: np.ndarray, table: Sequence[Any]):
        self.kinds, self.owners, self.owner_bytes = kinds, owners, owner_bytes
        self.table = [None if each is None else (_dtype(each[0]), tuple(map(int, each[1]))) for each in table]
        self._memory: list[UnsavedMemory] | None = None

    def __len__(self) -> int:
        return len(self.kinds)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        return self._value(int(self.kinds[index]), int(self.owners[index]))

    def __iter__(self) -> Iterator[Any]:
        return map(self._value, self.kinds.tolist(), self.owners.tolist())

    def _value(self, kind: int, owner: int) -> Any:
        outline = self.table[kind]
        if outline is None:
            return UNSAVED
        if self._memory is None:
            self._memory = list(map(UnsavedMemory, self.owner_bytes.tolist()))
        return UnsavedArray(outline[1], outline[0], self._memory[owner])


def are_saved(values: Any) -> bool:
    """Return whether a graph has its values: they may not have been saved.

    >>> are_saved([1.0, 2.0])
    True
    """
    return not isinstance(values, UnsavedValues)


# ---- what values are, for graphs that are saved without them ----


def outlines_of(values: Any) -> UnsavedValues:
    """Return what values are.

    >>> outlines_of([2.0, np.ones(3)]).table
    [None, (dtype('float64'), (3,))]
    """
    count = len(values)
    if isinstance(values, UnsavedValues):
        return values
    if isinstance(values, array):
        zeros = np.zeros(count, np.uint8)
        return UnsavedValues(zeros, zeros, zeros[:1], [None])
    table: dict[Any, int] = {None: 0}
    numbers: dict[int, int] = {}
    kinds, owners, sizes = array("i"), array("i"), [0]
    for value in stored(values):
        kind = number = 0
        if type(value) is not float and hasattr(value, "nbytes"):
            outline, owner = _outline(value)
            kind = table.setdefault(outline, len(table))
            number = numbers.setdefault(id(owner), len(sizes))
            if number == len(sizes):
                sizes.append(owner.nbytes)
        kinds.append(kind)
        owners.append(number)
    named = [None if each is None else (np.dtype(str(each[0])).str, each[1]) for each in table]
    kinds_column, owners_column = (np.frombuffer(column, np.int32) for column in (kinds, owners))
    return UnsavedValues(kinds_column, owners_column, np.array(sizes), named)


def _outline(value: Any) -> tuple[Any, Any]:
    """Return the dtype and the shape of an array, and what owns its memory."""
    owner = value
    while hasattr(base := getattr(owner, "base", None), "nbytes"):
        owner = base
    shown = value.chain.outline if type(value) is Version else value
    return (shown.dtype, shown.shape), owner


# ---- values ----


class Keeping:
    """Objects on their way into a file: JSON values for them, and the memory of the arrays among them."""

    def __init__(self) -> None:
        self.memory: list[bytes] = []
        self.chains: list[Any] = []
        self._known: dict[int, tuple[Any, int]] = {}  # with what has the id, so that it stays its own
        self._kinds: dict[type, Callable[[Any], Any]] = {
            tuple: lambda each: ["tuple", list(map(self.encoded, each))],
            list: lambda each: ["list", list(map(self.encoded, each))],
            dict: lambda each: ["dict", [[self.encoded(key), self.encoded(value)] for key, value in each.items()]],
            slice: lambda each: ["slice", [self.encoded(part) for part in (each.start, each.stop, each.step)]],
            type(...): lambda _: ["ellipsis"],
            complex: lambda each: ["complex", each.real, each.imag],
            np.ndarray: lambda each: ["array", *self._array(each)],
            Version: lambda each: ["version", self._number(each.chain, self._add_chain), each.place],
        }

    def encoded(self, value: Any) -> Any:
        """Return the JSON value of an object. Raises :class:`GraphFileError` for one of a kind that cannot be saved."""
        kind = type(value)
        if kind in (float, int, bool, str, type(None)):
            return value
        if kind in self._kinds:
            return self._kinds[kind](value)
        if isinstance(value, np.generic) and value.dtype.kind in KINDS:
            return ["number", *self._array(np.asarray(value))]
        if isinstance(value, np.dtype) and value.kind in KINDS:
            return ["dtype", value.str]
        if kind in NAMED.values():
            return ["named", kind.__name__, list(map(self.encoded, value))]
        if hasattr(value, "__dlpack__"):
            return self.encoded(np.asarray(value.get() if hasattr(value, "get") else np.from_dlpack(value)))
        raise GraphFileError(
            f"The value {value!r:.80}, of type {kind.__name__}, cannot be saved: it is not made of numbers."
        )

    def _array(self, each: np.ndarray) -> list[Any]:
        if each.dtype.kind not in KINDS:
            raise GraphFileError(f"An array of dtype {each.dtype} cannot be saved: it is not made of numbers.")
        owner = each
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        if not (owner.flags.c_contiguous or owner.flags.f_contiguous) or owner.dtype.kind not in KINDS:
            owner = each = each.copy()
        offset = 0
        if owner is not each and each.size:
            offset = each.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        place = [each.dtype.str, list(each.shape), list(each.strides), offset]
        return [*place, self._number(owner, self._add), each.flags.writeable]

    def _number(self, owner: Any, add: Callable[[Any], int]) -> int:
        if id(owner) not in self._known:
            self._known[id(owner)] = owner, add(owner)
        return self._known[id(owner)][1]

    def _add(self, owner: np.ndarray) -> int:
        self.memory.append(owner.tobytes("A"))
        return len(self.memory) - 1

    def _add_chain(self, chain: Chain) -> int:
        at, whole = chain.whole
        writes = [[self.encoded(key), self.encoded(before), self.encoded(after)] for key, before, after in chain.writes]
        self.chains.append([at, self.encoded(whole), writes])
        return len(self.chains) - 1


def columns_of_objects(name: str, objects: Sequence[Any], keeping: Keeping) -> tuple[dict[str, np.ndarray], list[Any]]:
    """Return objects as two columns and a list: which are floats, the floats, and JSON values for the others."""
    are_others = np.frombuffer(bytes(type(each) is not float for each in objects), np.uint8)
    floats = np.array([each for each in objects if type(each) is float], float)
    others = [keeping.encoded(each) for each in objects if type(each) is not float]
    return {f"{name}_are_others": are_others, f"{name}_floats": floats}, others


class Reading:
    """Objects on their way out of a file. What is not as :class:`Keeping` writes it is refused with its place."""

    def __init__(self, file: str, memory: bytes, sizes: Sequence[int], chains: Any):
        self.file = file
        starts = np.cumsum([0, *sizes]).tolist()
        if min(sizes, default=0) < 0 or starts[-1] != len(memory):
            raise GraphFileError(
                f"{file} is damaged: its arrays take {starts[-1]:,} bytes, and {len(memory):,} are there."
            )
        view = memoryview(memory)
        self._memory = [np.frombuffer(bytearray(view[start:end]), np.uint8) for start, end in pairwise(starts)]
        self._owners: dict[tuple[int, bool], np.ndarray] = {}
        self._kinds: dict[str, Callable[..., Any]] = {
            "tuple": lambda each: tuple(map(self.read, each)),
            "list": lambda each: list(map(self.read, each)),
            "dict": lambda each: {self.read(key): self.read(value) for key, value in each},
            "slice": lambda each: slice(*map(self.read, each)),
            "ellipsis": lambda: ...,
            "complex": complex,
            "array": self._array,
            "number": lambda *each: self._array(*each)[()],
            "dtype": _dtype,
            "named": lambda name, parts: NAMED[name](*map(self.read, parts)),
            "version": lambda chain, place: Version(self._chains[chain], range(len(self._chains[chain].writes))[place]),
        }
        self._chains: list[Chain] = []
        self._chains += [
            read_at(file, f"chains[{k}] is not a value", self._chain, each) for k, each in enumerate(chains)
        ]

    def read(self, saved: Any) -> Any:
        """Return the object that a JSON value stands for."""
        if not isinstance(saved, list):
            if isinstance(saved, dict):
                raise ValueError("an object of JSON stands for nothing")
            return saved
        return self._kinds[saved[0]](*saved[1:])

    def _array(
        self, dtype: str, shape: list[int], strides: list[int], offset: int, owner: int, is_writeable: bool
    ) -> np.ndarray:
        memory = self._memory[range(len(self._memory))[owner]]
        if math.prod(shape) > max(MOST_ENTRIES, len(memory)):
            raise ValueError(f"an array of shape {tuple(shape)}")
        kind = _dtype(dtype)
        result = np.ndarray(shape, kind, memory, offset, strides)
        result.flags.writeable = is_writeable
        if [math.prod(shape) * kind.itemsize, offset] == [len(memory), 0]:  # all of its memory, which it owns
            known = self._owners.setdefault((owner, is_writeable), result)
            if (known.shape, known.strides, known.dtype) == (result.shape, result.strides, kind):
                return known
        return result

    def _chain(self, saved: Any) -> Chain:
        at, whole, writes = saved
        chain = Chain(self.read(whole))
        chain.writes = [tuple(map(self.read, write)) for write in writes]
        chain.whole = (range(len(writes) + 1)[at], chain.whole[1])
        for key, before, after in chain.writes:
            if not np.shape(chain.outline[key]) == np.shape(before) == np.shape(after):
                raise ValueError("what is written is of another shape than what it replaces")
        return chain

    def objects(self, name: str, columns: Sequence[np.ndarray], others: list[Any]) -> list[Any]:
        """Return the objects that :func:`columns_of_objects` wrote."""
        flags, floats = columns[0].astype(bool), columns[1].astype(float)
        if len(floats) + len(others) != len(flags) or int(flags.sum()) != len(others):
            raise GraphFileError(
                f"{self.file} is damaged: {name} has {len(flags):,} entries, but {len(floats):,} floats and "
                f"{len(others):,} others are there."
            )
        result = [0.0] * len(flags)
        numbers, places = floats.tolist(), np.flatnonzero(flags).tolist()
        for place, number in zip(np.flatnonzero(~flags).tolist(), numbers, strict=True):
            result[place] = number
        for place, saved in zip(places, others, strict=True):
            result[place] = read_at(self.file, f"{name}[{place}] is not a value", self.read, saved)
        return result


def _dtype(name: str) -> np.dtype:
    kind = np.dtype(name)
    if not isinstance(name, str) or kind.kind not in KINDS or kind.fields or kind.subdtype:
        raise ValueError(f"the dtype {name!r}")
    return kind


def values_with_versions(values: list[Any]) -> Sequence[Any]:
    """Return values as a graph has them."""
    return Values(values) if any(type(each) is Version for each in values) else values
