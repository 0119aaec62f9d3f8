"""The results of a program: arrays in which some numbers are outputs of the program, and the others zero."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeVar
from warnings import warn

import numpy as np

from ...engine.calls import is_container, kind_of, parts_of
from ...engine.trace_errors import OutputError
from .batches import Leaf
from .source_text import tuple_text

T = TypeVar("T")


class Part(NamedTuple):
    """An array of the results: its numbers in ``rows`` are the ``outputs``, the others are zero."""

    leaf: Leaf
    rows: tuple[int, ...]
    outputs: tuple[int, ...]

    def numbers(self, outputs: Sequence[T], zero: T) -> list[T]:
        """Return all numbers of the array: outputs, and zeros elsewhere.

        >>> Part(Leaf("y", (3,)), (0, 2), (1, 0)).numbers(["a", "b"], "0.0")
        ['b', '0.0', 'a']
        """
        result = [zero] * self.leaf.size
        for row, output in zip(self.rows, self.outputs, strict=True):
            result[row] = outputs[output]
        return result


def empty_results(
    parts: Sequence[Part], points: str, count: int, dtype: np.dtype
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the arrays of the results at ``count`` points, zeros where there is no output, and the row of each output.

    >>> empty_results([Part(Leaf("y", (3,)), (0, 2), (0, 1))], "last", 2, np.dtype(float))[1][0].shape
    (2,)
    """
    arrays, rows = [], []
    for leaf, places, _ in parts:
        make = np.empty if len(places) == leaf.size else np.zeros
        array = make(leaf.shape_of((count,), points), dtype)
        matrix = array.reshape(leaf.size, count) if points == "last" else array.reshape(count, leaf.size).T
        arrays.append(array)
        rows += [matrix[place] for place in places]
    return arrays, rows


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


class HessianProduct(NamedTuple):
    """The value of a function that returns one number, its gradient, and its Hessian times tangents.

    >>> import adviz
    >>> adviz.compile_hvp(lambda x: x**3, 1.0)((2.0,), (10.0,))
    HessianProduct(value=8.0, gradient=12.0, product=120.0)
    """

    value: Any
    gradient: Any
    product: Any


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


def check_is_number(name: str, title: str, result: Any) -> None:
    """Raise an :class:`~adviz.OutputError` for :func:`adviz.compile_gradient` and its like, unless this is a number."""
    if is_container(result) or np.shape(result):
        what = kind_of(result) if is_container(result) else f"an array of shape {np.shape(result)}"
        raise OutputError(f"{name} needs a function that returns one number; {title} returns {what}.")


def structure_text(template: Any, texts: Iterator[str]) -> str:
    """Write a structure with these leaves as Python does; named tuples as tuples, dataclasses as dicts.

    >>> structure_text({"a": [1.0, np.ones(2)]}, iter(["x", "y"]))
    "{'a': [x, y]}"
    """
    if not is_container(template):
        return next(texts)
    template = parts_of(template)
    if isinstance(template, dict):
        return "{" + ", ".join(f"{key!r}: {structure_text(inner, texts)}" for key, inner in template.items()) + "}"
    inside = [structure_text(inner, texts) for inner in template]
    return f"[{', '.join(inside)}]" if isinstance(template, list) else tuple_text(inside)
