"""Arguments of a program on arrays: their structure, their leaves by name, their shapes and dtypes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.arrays import computes_otherwise
from ...engine.calls import kind_of, leaves, rebuild
from ...engine.devices import to_numpy
from ...engine.trace import real_data
from ...engine.trace_errors import InputError
from .batches import is_of_other_library, leaves_like

Key = tuple[tuple[tuple[int, ...], str], ...]
"""The shapes and dtypes of some arrays."""


def key_of(arrays: Sequence[Any]) -> Key:
    """Return the shapes and dtypes of some arrays."""
    return tuple([(each.shape, each.dtype.str) for each in arrays])


def plain(value: Any, name: str = "An argument") -> Any:
    """Return an argument as an array or a number of NumPy's; only arrays of NumPy's may be of integers or booleans."""
    is_plain = isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fiub"
    if is_plain and not computes_otherwise(value):
        return np.asarray(value) if isinstance(value, np.ndarray) else value
    if isinstance(value, bool):
        return np.bool_(value)
    return np.asarray(real_data(name, value))[()]


KINDS = (("float", "<f8"), ("int", "<i8"), ("bool", "|b1"))
"""What numbers of each kind are in NumPy's arrays, by what the names of their dtypes have in common."""


def example_in_numpy(example: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return an example with arrays of NumPy in place of those of other libraries, of real numbers or truth values.

    >>> import jax.numpy as jnp
    >>> example_in_numpy((jnp.ones(2), 3.0))
    (array([1., 1.]), 3.0)
    """
    converted = (_in_numpy(value) if is_of_other_library(value) else value for _, value in leaves(example, ""))
    structured: tuple[Any, ...] = tuple(rebuild(example, converted))
    return structured


def _in_numpy(array: Any) -> Any:
    dtype = next((kind for word, kind in KINDS if word in str(array.dtype)), None)
    return array if dtype is None else as_example(array, (tuple(array.shape), dtype))


def as_example(array: Any, key: tuple[tuple[int, ...], str]) -> Any:
    """Return an array as one of NumPy's, of a shape and a dtype; other numbers where its own are not known."""
    shape, dtype = key
    try:
        return np.array(to_numpy(array)).astype(dtype)[()]
    except Exception:  # each library has its own: on a device, or while a function of it is traced
        pass
    if np.dtype(dtype).kind != "f":
        return np.zeros(shape, dtype)[()]
    result = 1 + 0.1 * np.cos(np.arange(float(np.prod(shape)))).reshape(shape)
    is_square = len(shape) > 1 and shape[-1] == shape[-2]
    return (result + 2 * shape[-1] * np.eye(shape[-1]) if is_square else result).astype(dtype)[()]


class Arguments:
    """What a program takes: an ``example`` of its arguments, their ``parameters`` by name, and ``names`` of all leaves.

    Where it ``takes_primals``, the first argument is a tuple of those of the user's function.

    >>> arguments = Arguments((np.ones(3), [1.0, 2.0]), ["x", "y"])
    >>> arguments.names, arguments.called(key_of(arguments.arrays((np.ones(2), (3.0, 4.0)))))
    (['x', 'y'], 'x (2,), y (2,)')
    """

    def __init__(self, example: tuple[Any, ...], parameters: Sequence[str], takes_primals: bool = False):
        self.example, self.parameters, self.takes_primals = example, list(parameters), takes_primals
        self.names = [name for name, _ in self.named()]
        self._kinds = [np.asarray(value).dtype.kind for _, value in self.named()]

    def named(self) -> list[tuple[str, Any]]:
        """Return the leaves of the example with their names."""
        pairs = zip(self.parameters, self.example, strict=True)
        return [pair for name, value in pairs for pair in leaves(value, name)]

    def leaves(self, arguments: tuple[Any, ...]) -> list[tuple[str, Any]]:
        """Return the leaves of arguments with their names; raises :class:`~adviz.InputError` for another structure."""
        return list(zip(self.names, leaves_like(arguments, self.example), strict=True))

    def arrays(self, arguments: tuple[Any, ...]) -> list[Any]:
        """Return the leaves of arguments, as arrays and numbers of NumPy; real ones where those of the example are."""
        arrays = (
            each if type(each) is np.ndarray and each.dtype.kind in "fiub" else plain(each, name)
            for name, each in self.leaves(arguments)
        )
        pairs = zip(arrays, self._kinds, strict=True)
        return [each.astype(float) if kind == "f" and each.dtype.kind != "f" else each for each, kind in pairs]

    def structured(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Return leaves in the structure of the arguments."""
        return tuple(rebuild(self.example, iter(arrays)))

    def primals(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Return what of the arguments the user's function takes."""
        given = self.structured(arrays)
        result: tuple[Any, ...] = tuple(given[0]) if self.takes_primals else given
        return result

    def has_points(self, arrays: Sequence[Any]) -> bool:
        """Tell whether some arguments have one axis more than the example, and all others the shapes of the example."""
        shapes = [(np.shape(value), array.shape) for (_, value), array in zip(self.named(), arrays, strict=True)]
        more = [shape[1:] == own and len(shape) == len(own) + 1 for own, shape in shapes]
        return any(more) and all(is_more or own == shape for is_more, (own, shape) in zip(more, shapes, strict=True))

    def check_shapes(self, arrays: Sequence[Any], expected: Sequence[Any]) -> None:
        """Raise an :class:`~adviz.InputError` for an array of another shape than the argument that is expected."""
        shapes = [np.shape(value) for argument in expected for _, value in leaves(argument, "")]
        for name, shape, array in zip(self.names, shapes, arrays, strict=True):
            if shape != array.shape:
                raise InputError(f"{name} is {kind_of(array)}; expected an array of shape {shape}.")

    def called(self, key: Key) -> str:
        """Return shapes and dtypes in words: ``x (3,), t (3,) float32``."""
        named = zip(self.names, key, strict=True)
        return ", ".join(
            f"{name} {shape}{'' if dtype == '<f8' else f' {np.dtype(dtype)}'}" for name, (shape, dtype) in named
        )
