"""Which arrays of a trace share memory, exactly as in NumPy.

The values of a trace are NumPy's own arrays, and a view of an array is made by NumPy, so that two traced arrays share
memory where their values do. Recorded values never change. A write therefore makes a new version of the
whole memory, a node like any other (``writing/writes.py``), and every array on that memory becomes
:class:`~.variable.Outdated`: when it is next used, it becomes a view of the version that is then the latest.

Arrays are noted here when the first view of them is made. Programs that neither take views nor write pay nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...graph.files.saved_values import NAMED


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
    found = memory[tuple(key)]
    same = isinstance(found, np.ndarray) and geometry(found, memory).is_like(view)
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
            memory = tape.memories.get(id(owner))
            if memory is None:
                tape.memories[id(owner)] = Memory(None, [operand, made])
            else:
                memory.fresh.append(made)
            return
