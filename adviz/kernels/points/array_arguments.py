"""Arguments of a program on arrays: their structure, their leaves by name, their shapes and dtypes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.pytrees import kind_of, leaves, rebuild
from ...engine.trace_errors import InputError
from ...engine.tracing.leaves import real_data
from .batches import leaves_like

Key = tuple[tuple[tuple[int, ...], str], ...]
"""The shapes and dtypes of some arrays."""


def key_of(arrays: Sequence[Any]) -> Key:
    """The shapes and dtypes of some arrays."""
    return tuple([(each.shape, each.dtype.str) for each in arrays])


def plain(value: Any, name: str = "An argument") -> Any:
    """An argument as an array or a number of NumPy's; only arrays of NumPy's may be of integers or booleans."""
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fiub":
        return value
    if isinstance(value, bool):
        return np.bool_(value)
    return np.asarray(real_data(name, value))[()]


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

    def named(self) -> list[tuple[str, Any]]:
        """The leaves of the example with their names."""
        pairs = zip(self.parameters, self.example, strict=True)
        return [pair for name, value in pairs for pair in leaves(value, name)]

    def leaves(self, arguments: tuple[Any, ...]) -> list[tuple[str, Any]]:
        """The leaves of arguments with their names; raises :class:`~adviz.InputError` for another structure."""
        return list(zip(self.names, leaves_like(arguments, self.example), strict=True))

    def arrays(self, arguments: tuple[Any, ...]) -> list[Any]:
        """The leaves of arguments, as arrays and numbers of NumPy's."""
        return [
            each if type(each) is np.ndarray and each.dtype.kind in "fiub" else plain(each, name)
            for name, each in self.leaves(arguments)
        ]

    def structured(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Leaves in the structure of the arguments."""
        return tuple(rebuild(self.example, iter(arrays)))

    def primals(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """What of the arguments the user's function takes."""
        given = self.structured(arrays)
        found: tuple[Any, ...] = tuple(given[0]) if self.takes_primals else given
        return found

    def has_points(self, arrays: Sequence[Any]) -> bool:
        """Whether some arguments have one axis more than the example, and all others the shapes of the example."""
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
        """Shapes and dtypes in words: ``x (3,), t (3,) float32``."""
        named = zip(self.names, key, strict=True)
        return ", ".join(
            f"{name} {shape}{'' if dtype == '<f8' else f' {np.dtype(dtype)}'}" for name, (shape, dtype) in named
        )
