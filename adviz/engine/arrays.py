"""Arrays of a trace: which of them share memory, those that the program makes, and what they are when it has ended.

The values of a trace are NumPy's own arrays, and a view of an array is made by NumPy, so that two traced arrays share
memory where their values do. Recorded values never change. A write therefore makes a new version of the
whole memory, a node like any other (``tracing/writes.py``), and every array on that memory becomes
:class:`~.writes.Outdated`: when it is next used, it becomes a view of the version that is then the latest.
Arrays are noted here when the first view of them is made. Programs that neither take views nor write pay nothing.

``out = np.zeros(n)`` gives a traced program a :class:`ProgramArray`: an array of floats in memory of its own, that
whatever code may read and write. When a traced value is written into it, a :class:`Filled` takes the place of its
contents: from then on the array and all views of it, also those that were taken before, stand for traced values, and
what is done with them is traced.

Code that reads the memory itself would now lose derivatives without a word. Until the trace ends, the memory therefore
holds NaN of a kind of its own (``LOST``), which :func:`check_not_lost` knows again. When the trace ends, in an error
too, the memory gets the numbers that NumPy would have written there.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ..graph.files.saved_values import NAMED
from ..graph.origins import Origin
from .tape import Tape, outermost_tape, user_origin
from .trace_errors import ArrayWriteError, ConversionError

# ---- shared memory ----


class Geometry(NamedTuple):
    """Where the entries of a view are in its memory: the first one, and the steps along its axes, in bytes."""

    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def of(self, memory: np.ndarray) -> np.ndarray:
        """Return the view of another dense array that is laid out alike; NumPy checks that it is inside.

        >>> x = np.arange(6.0).reshape(2, 3)
        >>> geometry(x[:, 1:], x).of(10 * x)
        array([[10., 20.],
               [40., 50.]])
        """
        return np.ndarray(self.shape, memory.dtype, in_one_row(memory), self.offset, self.strides)

    def is_like(self, other: Geometry) -> bool:
        """Whether two views have the same entries at the same places; steps along axes of length 1 do not matter."""
        steps = zip(self.shape, self.strides, other.strides, strict=False)
        return self[:2] == other[:2] and all(one == another for size, one, another in steps if size > 1)

    def positions(self, memory: np.ndarray) -> np.ndarray:
        """For each entry of the view its place in the memory, counted row by row.

        >>> x = np.arange(6.0).reshape(2, 3)
        >>> geometry(x[:, 1:].T, x).positions(x)
        array([[1, 4],
               [2, 5]])
        """
        places = np.empty_like(memory, np.int64)
        places[...] = np.arange(memory.size).reshape(memory.shape)
        steps = np.indices(self.shape, sparse=True)
        slots = sum((stride * k for stride, k in zip(self.strides, steps, strict=True)), np.array(self.offset))
        result: np.ndarray = in_one_row(places)[np.broadcast_to(slots, self.shape) // memory.itemsize]
        return result


NAMED["Geometry"] = Geometry  # a graph in a file may have them among its constants


def in_one_row(memory: np.ndarray) -> np.ndarray:
    """Return a dense array as one row, in the order of its memory."""
    axes = sorted(range(memory.ndim), key=lambda axis: -memory.strides[axis])
    return memory.transpose(axes).reshape(-1)


def address(array: np.ndarray) -> int:
    """Return the address of an array's first entry."""
    result: int = array.__array_interface__["data"][0]
    return result


def geometry(view: np.ndarray, memory: np.ndarray) -> Geometry:
    """Where a view of an array is in it."""
    return Geometry(address(view) - address(memory), view.shape, view.strides)


def key_of(view: Geometry, memory: np.ndarray) -> Any:
    """Return the whole numbers and slices that make a view of an array; ``None`` if none do.

    >>> x = np.arange(12.0).reshape(3, 4)
    >>> key_of(geometry(x[1:, ::2], x), x), key_of(geometry(x[2, ::-1], x), x), key_of(geometry(x.T, x), x)
    ((slice(1, None, None), slice(None, None, 2)), (2, slice(None, None, -1)), None)
    """
    starts, left = [0] * memory.ndim, view.offset
    for axis in sorted(range(memory.ndim), key=lambda axis: -memory.strides[axis]):
        starts[axis], left = divmod(left, memory.strides[axis]) if memory.shape[axis] > 1 else (0, left)
    key: list[Any] = []
    axes = list(zip(view.shape, view.strides, strict=True))
    for start, size, stride in zip(starts, memory.shape, memory.strides, strict=True):
        count, step = axes[0] if axes else (0, 0)
        step = step // stride if count > 1 and step % stride == 0 else int(count == 1)
        last = start + step * (count - 1)
        if step and 0 <= last < size:
            key.append(_slice(start, last, step, size))
            axes.pop(0)
        else:
            key.append(start)
    if left or axes or any(isinstance(k, int) and k >= size for k, size in zip(key, memory.shape, strict=True)):
        return None
    result = memory[tuple(key)]
    same = isinstance(result, np.ndarray) and geometry(result, memory).is_like(view)
    return tuple(key) if same else None


def _slice(first: int, last: int, step: int, size: int) -> slice:
    """Return the slice from one place to another, written as short as can be."""
    if step > 0:
        start, stop = first or None, last + step if last + step < size else None
    else:
        start, stop = first if first < size - 1 else None, last - 1 if last + step >= 0 else None
        stop = stop if stop is None or stop >= 0 else None
    return slice(start, stop, step if step != 1 else None)


def is_dense(array: np.ndarray) -> bool:
    """Return whether an array fills its memory, without gaps, with axes in any order but none reversed.

    >>> x = np.zeros((2, 3, 4))
    >>> is_dense(x.T), is_dense(x[:, 1:]), is_dense(x[::-1])
    (True, False, False)
    """
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return True
    step = array.itemsize
    for stride, size in sorted(zip(array.strides, array.shape, strict=True)):
        if size > 1 and stride != step:
            return False
        step *= size if size > 1 else 1
    return True


def owner_of(array: Any) -> Any:
    """Return the array that owns the memory of another; what is no array owns its own.

    >>> x = np.zeros(4)
    >>> owner_of(x[1:].reshape(3, 1)) is x, owner_of(x) is x
    (True, True)
    """
    while isinstance(getattr(array, "base", None), np.ndarray):
        array = array.base
    return array


def numbers_of(value: Any) -> Any:
    """Return the plain data behind a Variable, also behind one whose data are Variables of an outer trace."""
    while hasattr(value, "tape"):
        value = value.data
    return value


class Memory:
    """Memory that traced arrays share: its latest version, and the arrays that are up to date with it.

    ``latest`` is a Variable of its own, which nobody else holds, and whose value covers all of the memory; or the plain
    numbers that were there before anything traced was written.
    """

    __slots__ = ("fresh", "latest")

    def __init__(self, latest: Any, fresh: list[Any] | None = None):
        self.latest = latest
        self.fresh: list[Any] = [] if fresh is None else fresh

    @property
    def numbers(self) -> Any:
        """The plain data of the latest version."""
        return numbers_of(self.latest)

    def where(self, array: Any) -> Geometry:
        """Where a traced array that is up to date is in this memory."""
        return geometry(numbers_of(array), self.numbers)


def memory_of(array: Any) -> Memory | None:
    """Return the memory that a traced array shares with others, if it does."""
    result: Memory | None = array.tape.memories.get(id(owner_of(numbers_of(array))))
    if result is not None and result.latest is None:
        result.latest = result.fresh[0].alike()  # the array of which the first view was made
    return result


def note_sharing(tape: Any, made: Any, operands: Any) -> None:
    """Note that a value is a view of an operand, if it is: what is written to one is then seen by the other."""
    numbers = made.data
    owner: Any = numbers.base if type(numbers) is np.ndarray else numbers_of(numbers)
    owner = owner if getattr(owner, "base", None) is None else owner_of(owner)
    for operand in operands:
        if not hasattr(operand, "tape") or operand.tape is not tape:
            continue
        shared = operand.data if type(operand.data) is np.ndarray else numbers_of(operand)
        if shared is owner or (type(shared) is np.ndarray and owner_of(shared) is owner):
            if operand.index in tape.locked:
                tape.locked.add(made.index)
            memory = tape.memories.get(id(owner))
            if memory is None:
                tape.memories[id(owner)] = Memory(None, [operand, made])
            else:
                memory.fresh.append(made)
            return


# ---- after the trace ----


class Handle:
    """The slots of a Variable, and of what it becomes."""

    __slots__ = ("data", "index", "tape")


class Pair:
    """The slots of complex numbers whose parts are traced, and of what they become: then the first has both parts."""

    __slots__ = ("_imag", "_real")


def unsettled(value: Any) -> Any:
    """Return NumPy's own number or array behind what a trace left, also inside sequences; everything else as it is."""
    kind = type(value)
    if kind in SETTLED:
        return value.data
    if kind is list or kind is tuple:
        return kind(map(unsettled, value))
    if kind is dict:
        return {key: unsettled(each) for key, each in value.items()}
    return value


def _method(name: str) -> Callable[..., Any]:
    return lambda self, *args, **settings: getattr(self.data, name)(*unsettled(args), **unsettled(settings))


def _array_ufunc(self: Any, ufunc: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
    return getattr(ufunc, method)(*unsettled(inputs), **unsettled(settings))


def _array_function(self: Any, function: Callable[..., Any], types: Any, args: Any, settings: Any) -> Any:
    args, settings = unsettled(args), unsettled(settings)
    if SETTLED.issuperset(types):
        return np.ndarray.__array_function__(np.empty(0), function, (), args, settings)
    return function(*args, **settings)


def _attribute(self: Any, name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(self.data, name)


OF_ALL = (
    *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__repr__", "__str__", "__format__"),
    *("__reduce__", "__reduce_ex__", "__dir__"),
)
"""What every object has, and these have of what they hold."""
NOT_ASKED = {
    *("__array_wrap__", "__array_finalize__", "__buffer__", "__class_getitem__", "__getnewargs__", "__setstate__"),
    *("__dlpack__", "__dlpack_device__"),  # or ``devices.py`` would take them for another library's
}


def _passes_for(self: Any) -> type:
    """What it holds, except to ``np.ma``, which makes a view of the type of what is an instance of ``np.ndarray``."""
    asks = sys._getframe(1).f_globals.get("__name__")
    return type(self) if asks == "numpy.ma.core" else type(self.data)


def _kind(name: str, slots: type, held: type, **more: Any) -> type:
    """Return a class with the methods of what it holds."""
    own = (each for each in dir(held) if each.startswith("__") and not hasattr(object, each))
    methods = {each: _method(each) for each in (*own, *OF_ALL) if callable(getattr(held, each))}
    named: dict[str, Any] = {
        **{each: method for each, method in methods.items() if each not in NOT_ASKED},
        "__array__": lambda self, dtype=None, copy=None: np.array(self.data, dtype, copy=copy),
        "__class__": property(_passes_for),
        "__getattr__": _attribute,
        "__new__": lambda cls, *args, **settings: held(*args, **settings),
        "__setattr__": lambda self, key, value: setattr(self.data, key, unsettled(value)),
        "__slots__": (),
        "__doc__": f"What was traced, and is now {held.__name__}.",
    }
    if held is not np.ndarray:
        named["__iter__"] = None  # or Python would count through __getitem__
    else:
        named |= {"__array_ufunc__": _array_ufunc, "__array_function__": _array_function}
    return type(name, (slots,), named | more)


_WHOLE = {"data": property(lambda self: self._real)}

SettledNumber = _kind("SettledNumber", Handle, np.float64)
SettledArray = _kind("SettledArray", Handle, np.ndarray)
SettledComplexNumber = _kind("SettledComplexNumber", Pair, np.complex128, **_WHOLE)
SettledComplexArray = _kind("SettledComplexArray", Pair, np.ndarray, **_WHOLE)
SETTLED = frozenset({SettledNumber, SettledArray, SettledComplexNumber, SettledComplexArray})
"""Classes of what traced values become."""


# ---- arrays that a program makes ----

LOST = struct.unpack("<d", bytes.fromhex("ad01ad01ad01fc7f"))[0]
"""NaN with a payload of its own: in place of numbers that stand for traced values."""

LOST_BITS = np.float64(LOST).view(np.uint64)

LARGEST = 1 << 20
"""Entries of an array that is looked through at the end of a trace, at most."""


class ProgramArray(np.ndarray):
    """An array that a traced program made, or was given; ``tracing/methods.py`` gives it its methods."""

    def __reduce__(self) -> Any:
        if filled(self) is not None:
            raise lost()
        return raw(self).__reduce__()


def raw(array: np.ndarray) -> np.ndarray:
    """Return the memory of an array as NumPy's own class, whatever is in it."""
    return np.ndarray.view(array, np.ndarray)


class Filled:
    """What is in the memory of a plain array in place of numbers.

    In the array grain ``contents`` is a :class:`Memory`, whose latest version is a Variable; in the scalar
    grain it is an array of objects, one per number, laid out in the same order.
    """

    __slots__ = ("contents", "owner")

    def __init__(self, owner: np.ndarray, contents: Memory | np.ndarray):
        self.owner, self.contents = raw(owner), contents

    def at(self, where: Geometry) -> Any:
        """Return what a view stands for: a Variable, or an array of objects. ``tracing/writes.py`` says which."""
        raise NotImplementedError

    def numbers(self) -> np.ndarray:
        """Return the plain numbers that NumPy would have written there."""
        if isinstance(self.contents, Memory):
            return np.asarray(numbers_of(self.contents.latest))
        result = np.empty_like(self.owner)
        for place in np.ndindex(result.shape):
            result[place] = numbers_of(self.contents[place])
        return result

    def level(self) -> int:
        """Return the level of the innermost trace whose values are in it; 0 if there are none."""
        if isinstance(self.contents, Memory):
            return int(self.contents.latest.tape.level)
        return max((entry.tape.level for entry in self.contents.flat if hasattr(entry, "tape")), default=0)

    def view(self, where: Geometry) -> np.ndarray:
        """In the scalar grain: the objects of a view."""
        assert isinstance(self.contents, np.ndarray)
        scale = self.contents.itemsize / self.owner.itemsize
        first = self.contents.transpose(sorted(range(self.owner.ndim), key=lambda axis: -self.owner.strides[axis]))
        row = first.reshape(-1)[where.offset // self.owner.itemsize :]
        strides = [int(stride * scale) for stride in where.strides]
        return np.lib.stride_tricks.as_strided(row, where.shape, strides)


def computes_otherwise(value: Any) -> bool:
    """Return whether an array is of a class that computes in its own way: a matrix, or one with masked entries."""
    is_of_subclass = isinstance(value, np.ndarray) and type(value) is not np.ndarray
    return is_of_subclass and isinstance(value, np.matrix | np.ma.MaskedArray)


def contents(value: Any) -> Any:
    """A :class:`ProgramArray` as what is in it: traced values, or numbers on the same memory; in sequences, too."""
    kind = type(value)
    if kind is ProgramArray:
        known = filled(value)
        return raw(value) if known is None else known.at(position(value))
    if kind is np.ndarray or kind is np.float64 or kind is float:
        check_not_lost(value)
    if kind in SETTLED:
        return value.data
    if kind is list or kind is tuple:
        return kind(map(contents, value))
    if kind is dict:
        return {key: contents(entry) for key, entry in value.items()}
    return value


def as_program_array(value: Any) -> Any:
    """Return a plain array of numbers as a :class:`ProgramArray` on the same memory; everything else as it is."""
    if type(value) is np.ndarray and value.dtype.kind in "fiub":
        if value.base is not None and value.ndim > np.ndim(owner_of(value)) == 0:
            value = value.copy()  # a number that became an array
        return value.view(ProgramArray)
    return value


ANY_FILLED: set[int] = set()
"""Addresses of the memory in which traced values are now, in all threads."""


def filled(array: Any) -> Filled | None:
    """Return what was written into the memory of an array, if something traced was."""
    if not ANY_FILLED:
        return None
    tape = outermost_tape()
    if tape is None or not tape.filled:
        return None
    result: Filled | None = tape.filled.get(address(owner_of(array)))
    return result


def position(array: np.ndarray) -> Geometry:
    """Where an array is in the memory that it is a view of."""
    return geometry(array, owner_of(array))


def lost() -> ConversionError:
    """Return the error for code that reads the memory of an array with traced values in it."""
    return ConversionError(
        "The numbers of an array were read by code that is not traced, and traced values had been written into it: "
        "their derivatives would be lost. Use functions of NumPy there, or pass a plain array.",
        user_origin(),
    )


def check_not_lost(value: Any) -> None:
    """Raise :class:`~adviz.ConversionError` for numbers that were read from the memory of filled arrays."""
    if not ANY_FILLED:
        return
    tape = outermost_tape()
    if tape is None or not tape.filled or not isinstance(value, float | np.ndarray):
        return
    numbers = raw(np.atleast_1d(value))
    if numbers.dtype == np.float64 and np.equal(numbers.view(np.uint64), LOST_BITS).any():
        raise lost()


def has_lost(value: Any) -> bool:
    """Return whether what is in memory are not the numbers: of an array with traced values in it, or a copy of that."""
    if isinstance(value, list | tuple):
        return any(map(has_lost, value))
    if not isinstance(value, float | np.ndarray) or getattr(value, "dtype", None) not in (None, np.dtype(float)):
        return False
    return bool(np.equal(np.ascontiguousarray(value, float).view(np.uint64), LOST_BITS).any())


def check_kept(arrays: Iterable[tuple[str, np.ndarray]], place: Origin | None) -> None:
    """Raise :class:`~adviz.ArrayWriteError` where NumPy has copied such numbers into an array that outlives the trace.

    ``kept[0] = written`` copies memory, and calls no method of ours. What was there before is lost: the entries become
    ordinary NaN.
    """
    for name, array in arrays:
        if array.size > LARGEST or array.dtype != np.float64 or not array.flags.writeable or filled(array) is not None:
            continue
        if not np.isnan(array).any():
            continue
        copied = np.ascontiguousarray(array).view(np.uint64) == LOST_BITS
        if copied.any():
            array[copied.reshape(array.shape)] = np.nan
            named = f"`{name}`, " if name.isidentifier() else ""
            raise ArrayWriteError(
                f"Traced values were copied into {named}an array that was not made in the traced function. Append the "
                "written array itself to a list, or copy it into an array that the function makes.",
                place,
            )


def fill(contents: Filled) -> None:
    """Let traced values take the place of the numbers in an array, if they have not yet."""
    tape = outermost_tape()
    assert tape is not None
    if address(contents.owner) not in tape.filled:
        tape.filled[address(contents.owner)] = contents
        ANY_FILLED.add(address(contents.owner))
        with writable(contents.owner):
            contents.owner.fill(LOST)


def settle(tape: Tape, outermost: Tape) -> None:
    """When a trace ends: what it wrote into arrays becomes plain, or what it is to the trace around it."""
    for key, each in list(outermost.filled.items()):
        if each.level() < tape.level:
            continue
        if isinstance(each.contents, Memory):
            outer = each.contents.latest.data
            if tape is not outermost and hasattr(outer, "tape"):
                each.contents = Memory(outer)
                outer.tape.memories[id(owner_of(numbers_of(outer)))] = each.contents
                continue
        elif tape is not outermost:
            for place in np.ndindex(each.contents.shape):
                entry = each.contents[place]
                each.contents[place] = entry.data if getattr(entry, "tape", None) is tape else entry
            if each.level():
                continue
        with writable(each.owner):
            each.owner[...] = each.numbers()
        del outermost.filled[key]
        ANY_FILLED.discard(key)


@contextmanager
def writable(owner: np.ndarray) -> Iterator[None]:
    """The memory of an array may have been locked since it was written to."""
    locked = not owner.flags.writeable
    if locked:
        owner.flags.writeable = True
    try:
        yield
    finally:
        if locked:
            owner.flags.writeable = False
