"""How the results of a program are made of its outputs: arrays of which some numbers are outputs, the others zero."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..engine.structure import is_container
from .points import Leaf
from .schedule import Schedule
from .writing import point_names, tuple_text


class Part(NamedTuple):
    """One array of the results: which of its numbers (``rows``) are which outputs."""

    leaf: Leaf
    rows: tuple[int, ...]
    outputs: tuple[int, ...]


class Room:
    """Memory for results, planned once: parts that are filled are one piece, which if large comes in large pages."""

    def __init__(self, parts: Sequence[Part], points: str):
        self.parts = [(part, part.leaf.size, len(part.rows) == part.leaf.size) for part in parts]
        self.is_last = points == "last"
        self.count = sum(len(part.outputs) for part in parts)
        self.rows = sum(size for _, size, is_filled in self.parts if is_filled)

    def __call__(self, count: int, dtype: np.dtype) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The arrays of the results, zeros where nothing will be written; and for each output the row it goes to."""
        memory, start = np.empty(self.rows * count, dtype), 0
        arrays: list[np.ndarray] = []
        rows: list[Any] = [None] * self.count
        for part, size, is_filled in self.parts:
            stop = start + size * count if is_filled else start
            flat = memory[start:stop] if is_filled else np.zeros(size * count, dtype)
            start, shape = stop, part.leaf.shape
            if not shape:
                arrays.append(flat)
                matrix: Any = [flat]
            elif self.is_last:
                arrays.append(flat.reshape(*shape, count))
                matrix = flat.reshape(size, count)
            else:
                arrays.append(flat.reshape(count, *shape))
                matrix = flat.reshape(count, size).T
            for row, number in zip(part.rows, part.outputs, strict=True):
                rows[number] = matrix[row]
        return arrays, rows


class Derivatives(NamedTuple):
    """Values, structured as the function's result; Jacobians have that structure outside and the arguments' inside."""

    values: Any
    jacobian: Any


class Gradient(NamedTuple):
    """The value of a function that returns one number, and its derivative by each argument."""

    value: Any
    gradient: Any


class Curvature(NamedTuple):
    """The value of a function that returns one number, its gradient, and its Hessian."""

    value: Any
    gradient: Any
    hessian: Any


class Pushed(NamedTuple):
    """Values, and how they change along tangents of the arguments."""

    values: Any
    tangents: Any


class Pulled(NamedTuple):
    """Values, and cotangents of the arguments."""

    values: Any
    cotangents: Any


class Coo(NamedTuple):
    """A sparse matrix at each point: numbers ``data``, in ``rows`` and ``columns`` that are the same at all points.

    Rows count the numbers of the results and columns those of the arguments.
    """

    data: Any
    rows: np.ndarray
    columns: np.ndarray
    shape: tuple[int, int]


class Csr(NamedTuple):
    """The same by rows: row ``p`` has the entries from ``indptr[p]`` to ``indptr[p + 1]``, in columns ``indices``."""

    data: Any
    indices: np.ndarray
    indptr: np.ndarray
    shape: tuple[int, int]


class Outputs:
    """The outputs of a program that is being put together, and the parts of its results that they go to."""

    def __init__(self, zero: int) -> None:
        self.zero = zero
        self.places: list[int] = []
        self.parts: list[Part] = []

    def add(self, name: str, shape: tuple[int, ...], places: Sequence[int]) -> None:
        """One more array, of these expressions; what is always zero is no output."""
        rows = [row for row, place in enumerate(places) if abs(place) != self.zero]
        start = len(self.places)
        self.places += [places[row] for row in rows]
        self.parts.append(Part(Leaf(name, shape), tuple(rows), tuple(range(start, len(self.places)))))


def structured(schedule: Schedule, parts: Sequence[Part], template: Any) -> str:
    """The results as an expression in the names of a program of one point; empty if only calls can make them."""
    names = point_names(schedule)
    texts = []
    for leaf, rows, outputs in parts:
        numbers = ["0.0"] * leaf.size
        for row, output in zip(rows, outputs, strict=True):
            numbers[row] = names[schedule.outputs[output]]
        shape = f".reshape({leaf.shape})" if len(leaf.shape) > 1 else ""
        texts.append(f"array([{', '.join(numbers)}]){shape}" if leaf.shape else numbers[0])
    return _nested(template, iter(texts)) or ""


def _nested(template: Any, texts: Iterator[str], outermost: bool = True) -> str | None:
    """A structure like the template, as Python writes it; ``None`` for one that is not of tuples and lists."""
    if not is_container(template):
        return next(texts)
    if type(template) not in (tuple, list) and not outermost:
        return None
    inside = [_nested(inner, texts, False) for inner in template]
    if None in inside:
        return None
    known = [text for text in inside if text is not None]
    return f"[{', '.join(known)}]" if type(template) is list else tuple_text(known)
