"""Points: arguments as batches of points, that is, as a row for each number.

A leaf of the arguments has the shape that it had when the function was compiled, and one more axis for the points: the
first (an array of structures) or the last (a structure of arrays). A leaf without that axis is the same at all points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ...engine.calls import check_not_masked, is_container, kind_of, leaves, parts_of
from ...engine.trace_errors import InputError
from ...graph.wording import counted
from ..program_errors import ProgramError
from .source_text import tuple_text

AXES = {"first": 0, "last": -1}
"""The axis of the points, by the word for it."""


class Leaf(NamedTuple):
    """An array of the arguments or the results: its name, and its shape at one point."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of its entries at one point."""
        return prod(self.shape)

    def shape_of(self, length: tuple[int, ...], points: str) -> tuple[int, ...]:
        """Return the shape at points of shape ``length``, which is empty for a single point."""
        return length + self.shape if points == "first" else self.shape + length


class Batch(NamedTuple):
    """The arguments as matrices, one for each leaf, with a row for each number and a column for each point.

    A matrix has a single column if the leaf is the same at all points; ``length`` is ``None`` for a single point.
    """

    length: int | None
    dtype: np.dtype
    matrices: list[np.ndarray]

    @property
    def size(self) -> int:
        """The number of points."""
        return 1 if self.length is None else self.length


def plain_arrays(leaves: list[Leaf], values: Sequence[object]) -> list[np.ndarray]:
    """Convert values to NumPy arrays of one dtype. Raises :class:`~adviz.InputError` unless they are real numbers.

    >>> plain_arrays([Leaf("x", ()), Leaf("y", ())], [1, np.float32(2.0)])
    [array(1.), array(2.)]
    """
    arrays = [_array(leaf, value) for leaf, value in zip(leaves, values, strict=True)]
    dtypes = {array.dtype for array in arrays}
    if len(dtypes) <= 1 and all(each.isnative for each in dtypes):
        return arrays
    dtype = np.result_type(*dtypes)
    return [array if array.dtype == dtype else array.astype(dtype) for array in arrays]


def batch(
    arguments: tuple[object, ...],
    template: tuple[object, ...],
    expected: list[Leaf],
    points: str,
    convert: Callable[[list[Leaf], list[object]], list[Any]] = plain_arrays,
    reshape: Callable[..., Any] = np.ndarray.reshape,
) -> Batch:
    """Make a batch of arguments. Raises :class:`~adviz.InputError`, which names the argument and what was expected.

    ``template`` is the example that the program was compiled for, ``expected`` are its leaves. ``convert`` makes arrays
    of one dtype, and ``reshape`` is the function of their library.

    >>> batch((np.ones((5, 3)),), (np.ones(3),), [Leaf("x", (3,))], "first").matrices[0].shape
    (3, 5)
    """
    result = convert(expected, list(leaves_like(arguments, template)))
    counts = [_count(leaf, array, points) for leaf, array in zip(expected, result, strict=True)]
    sizes = {*counts} - {None}
    if len(sizes) > 1:
        named = zip(expected, counts, strict=True)
        text = ", ".join(f"{leaf.name} has {count}" for leaf, count in named if count is not None)
        raise InputError(f"The arguments have different numbers of points: {text}.")
    pieces = zip(expected, result, counts, strict=True)
    matrices = [_matrix(leaf, array, points, count, reshape) for leaf, array, count in pieces]
    return Batch(sizes.pop() if sizes else None, result[0].dtype if result else np.dtype(float), matrices)


def leaves_like(arguments: tuple[object, ...], template: tuple[object, ...]) -> Iterator[object]:
    """Yield the leaves of arguments, which must have the structure of the template."""
    if len(arguments) != len(template):
        raise InputError(f"The program takes {counted((len(template), 'argument'))}, not {len(arguments)}.")
    for number, (argument, example) in enumerate(zip(arguments, template, strict=True)):
        if not is_container(example):
            yield argument
        else:
            yield from _alike(argument, example, f"argument {number}")


def _alike(value: Any, example: Any, name: str) -> Iterator[object]:
    if not is_container(example):
        yield value
        return
    given, wanted = value, example
    value, example = parts_of(value), parts_of(example)
    if isinstance(example, dict):
        is_alike = isinstance(value, dict) and value.keys() == example.keys()
    else:
        is_alike = isinstance(value, tuple | list) and len(value) == len(example)
    if not is_alike:
        raise InputError(f"{name} is {kind_of(given)}; expected {kind_of(wanted)}, as the program was compiled for.")
    for key in example if isinstance(example, dict) else range(len(example)):
        yield from _alike(value[key], example[key], f"{name}[{key!r}]")


def _array(leaf: Leaf, value: object) -> np.ndarray:
    if type(value) is np.ndarray and value.dtype.kind == "f":
        return value
    if is_of_other_library(value):
        library = type(value).__module__.partition(".")[0]
        raise InputError(
            f"{leaf.name} is an array of {library}, which the program was not compiled for. "
            "Give compile_* the library as backend=, or the program an array of NumPy."
        )
    check_not_masked(value, leaf.name)
    try:
        array = np.asarray(value)
    except ValueError as reason:
        raise InputError(f"{leaf.name} is not an array of real numbers: {reason}") from None
    if array.dtype.kind not in "fiub":
        raise InputError(f"{leaf.name} is of dtype {array.dtype}, not of real numbers.")
    return array if array.dtype.kind == "f" else array.astype(float)


def is_of_other_library(value: object) -> bool:
    """Return whether a value is an array of another library than NumPy, such as one on a GPU."""
    return hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray)


def is_lazy(value: object) -> bool:
    """Return whether a value is an array of Dask."""
    return type(value).__module__.partition(".")[0] == "dask" and hasattr(value, "to_delayed")


def _count(leaf: Leaf, array: Any, points: str) -> int | None:
    """Return the number of points; ``None`` for an array that has no axis for them."""
    shape = array.shape
    if shape == leaf.shape:
        return None
    if shape and shape == leaf.shape_of((shape[AXES[points]],), points):
        return int(shape[AXES[points]])
    sides = [*map(str, leaf.shape)]
    many = ["N", *sides] if points == "first" else [*sides, "N"]
    raise InputError(
        f"{leaf.name} has the shape {tuple(shape)}; expected {tuple_text(sides)} for one point, "
        f"or {tuple_text(many)} for N points. The axis of the points is the {points}: see points= of compile_*."
    )


def _matrix(leaf: Leaf, array: Any, points: str, count: int | None, reshape: Callable[..., Any]) -> Any:
    if count is None:
        return reshape(array, (leaf.size, 1))
    return reshape(array, (count, leaf.size)).T if points == "first" else reshape(array, (leaf.size, count))


def check_layout(points: str) -> None:
    """Raise a :class:`~adviz.ProgramError` unless a word says where the axis of the points is."""
    if points not in AXES:
        raise ProgramError(f"points is {points!r}; it can be 'first' or 'last', the axis of the points.")


Which = int | Sequence[int] | None
T = TypeVar("T")


def selected(name: str, which: Which, items: Sequence[object], leaves_of_all: Sequence[T]) -> tuple[Any, list[T]]:
    """Return some of the arguments or results, or a single one if ``which`` is its number; and their leaves.

    Raises :class:`~adviz.ProgramError` for a number that is out of range.

    >>> selected("inputs", 1, (3.0, [np.ones(2)]), ["x", "y[0]"])
    ([array([1., 1.])], ['y[0]'])
    """
    numbers: Any = range(len(items)) if which is None else [which] if np.ndim(which) == 0 else which
    for k in numbers:
        if not isinstance(k, int | np.integer) or not -len(items) <= k < len(items):
            raise ProgramError(f"{name} has {k!r}; expected numbers from 0 to {len(items) - 1}.")
    left = iter(leaves_of_all)
    leaves_of = [[next(left) for _ in leaves(item, "")] for item in items]
    is_one = len(items) == 1 if which is None else np.ndim(which) == 0
    structure = items[numbers[0]] if is_one else tuple(items[k] for k in numbers)
    return structure, [leaf for k in numbers for leaf in leaves_of[k]]
