"""The results of a program: arrays in which some numbers are outputs of the program, and the others zero."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple
from warnings import warn

import numpy as np

from ...engine.pytrees import is_container
from .batches import Leaf
from .source_text import tuple_text


class Part(NamedTuple):
    """An array of the results: its numbers in ``rows`` are the ``outputs``, the others are zero."""

    leaf: Leaf
    rows: tuple[int, ...]
    outputs: tuple[int, ...]

    def numbers(self, outputs: Sequence[Any], zero: Any) -> list[Any]:
        """All numbers of the array: outputs, and zeros elsewhere.

        >>> Part(Leaf("y", (3,)), (0, 2), (1, 0)).numbers(["a", "b"], "0.0")
        ['b', '0.0', 'a']
        """
        found = [zero] * self.leaf.size
        for row, output in zip(self.rows, self.outputs, strict=True):
            found[row] = outputs[output]
        return found


class Room:
    """Memory for results, planned once: parts without zeros are in one piece, which gets large pages if it is large."""

    def __init__(self, parts: Sequence[Part], points: str):
        self.parts, self.is_last = parts, points == "last"
        self.filled = [len(part.rows) == part.leaf.size for part in parts]
        self.starts = list(
            accumulate((len(part.rows) * filled for part, filled in zip(parts, self.filled, strict=True)), initial=0)
        )
        self.is_of_numbers = not any(part.leaf.shape for part in parts)
        self.is_plain = all(self.filled) and (self.is_last or self.is_of_numbers)

    def __call__(self, count: int, dtype: np.dtype) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The arrays of the results, zeros where there is no output, and the row of each output."""
        memory = np.empty((self.starts[-1], count), dtype)
        if self.is_plain:  # outputs are in the order of the parts
            plain = list(memory)
            return plain if self.is_of_numbers else [self._array(memory, k) for k in range(len(self.parts))], plain
        arrays, rows = [], []
        for k, (part, filled) in enumerate(zip(self.parts, self.filled, strict=True)):
            flat = memory[self.starts[k] : self.starts[k + 1]] if filled else np.zeros((part.leaf.size, count), dtype)
            if self.is_last or not part.leaf.shape:
                arrays.append(flat.reshape(*part.leaf.shape, count))
            else:
                arrays.append(flat.reshape(count, *part.leaf.shape))
                flat = flat.reshape(count, part.leaf.size).T
            rows += [flat[row] for row in part.rows]
        return arrays, rows

    def _array(self, memory: np.ndarray, k: int) -> np.ndarray:
        start, shape = self.starts[k], self.parts[k].leaf.shape
        return memory[start : self.starts[k + 1]].reshape(*shape, memory.shape[1]) if shape else memory[start]


class Derivatives(NamedTuple):
    """Values, structured as the function's result; Jacobians have that structure outside, and the arguments' inside.

    >>> import adviz
    >>> adviz.compile_jacobian(lambda x, y: (x * y, x), 1.0, 1.0)(2.0, 3.0)
    Derivatives(values=(6.0, 2.0), jacobian=((3.0, 2.0), (1.0, 0.0)))
    """

    values: Any
    jacobian: Any


class Gradient(NamedTuple):
    """The value of a function that returns one number, and its derivative with respect to each argument.

    >>> import adviz
    >>> adviz.compile_gradient(lambda x, y: x * y, 1.0, 1.0)(2.0, 3.0)
    Gradient(value=6.0, gradient=(3.0, 2.0))
    """

    value: Any
    gradient: Any


class Curvature(NamedTuple):
    """The value of a function that returns one number, its gradient, and its Hessian.

    >>> import adviz
    >>> adviz.compile_hessian(lambda x: x**3, 1.0)(2.0)
    Curvature(value=8.0, gradient=12.0, hessian=12.0)
    """

    value: Any
    gradient: Any
    hessian: Any


class Pushed(NamedTuple):
    """Values, and their derivatives along tangents of the arguments.

    >>> import adviz
    >>> adviz.compile_jvp(lambda x: x * x, 1.0)((3.0,), (10.0,))
    Pushed(values=9.0, tangents=60.0)
    """

    values: Any
    tangents: Any


class Pulled(NamedTuple):
    """Values, and the adjoints of the arguments.

    >>> import adviz
    >>> adviz.compile_vjp(lambda x: x * x, 1.0)((3.0,), 10.0)
    Pulled(values=9.0, adjoints=(60.0,))
    """

    values: Any
    adjoints: Any

    @property
    def cotangents(self) -> Any:
        """The adjoints, by their former name."""
        warn("cotangents is called adjoints now.", DeprecationWarning, stacklevel=2)
        return self.adjoints


class Coo(NamedTuple):
    """A sparse matrix at each point: entries ``data``, in ``rows`` and ``columns`` that are the same at all points.

    There is a row for each number of the results, and a column for each number of the arguments.

    >>> import adviz
    >>> program = adviz.compile_jacobian(lambda x: x * x, np.ones(2), form="coo")
    >>> program(np.array([1.0, 2.0])).jacobian
    Coo(data=array([2., 4.]), rows=array([0, 1]), columns=array([0, 1]), shape=(2, 2))
    """

    data: Any
    rows: np.ndarray
    columns: np.ndarray
    shape: tuple[int, int]


class Csr(NamedTuple):
    """A sparse matrix by rows: row ``p`` has the entries ``indptr[p]`` to ``indptr[p + 1]``, in columns ``indices``.

    >>> import adviz
    >>> program = adviz.compile_jacobian(lambda x: x * x, np.ones(2), form="csr")
    >>> program(np.array([1.0, 2.0])).jacobian
    Csr(data=array([2., 4.]), indices=array([0, 1]), indptr=array([0, 1, 2]), shape=(2, 2))
    """

    data: Any
    indices: np.ndarray
    indptr: np.ndarray
    shape: tuple[int, int]


class Outputs:
    """The outputs of a program in the making, and the parts of its results that they are in."""

    def __init__(self, zero: int) -> None:
        self.zero = zero
        self.places: list[int] = []
        self.parts: list[Part] = []

    def add(self, name: str, shape: tuple[int, ...], places: Sequence[int]) -> None:
        """Add an array of these expressions; those that are always zero are no outputs."""
        rows = [row for row, place in enumerate(places) if abs(place) != self.zero]
        start = len(self.places)
        self.places += [places[row] for row in rows]
        self.parts.append(Part(Leaf(name, shape), tuple(rows), tuple(range(start, len(self.places)))))


def structure_text(template: Any, texts: Iterator[str]) -> str:
    """Write a structure with these leaves as Python does; named tuples as tuples.

    >>> structure_text({"a": [1.0, np.ones(2)]}, iter(["x", "y"]))
    "{'a': [x, y]}"
    """
    if not is_container(template):
        return next(texts)
    if isinstance(template, dict):
        return "{" + ", ".join(f"{key!r}: {structure_text(inner, texts)}" for key, inner in template.items()) + "}"
    inside = [structure_text(inner, texts) for inner in template]
    return f"[{', '.join(inside)}]" if isinstance(template, list) else tuple_text(inside)
