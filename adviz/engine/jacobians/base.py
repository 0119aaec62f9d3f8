"""Jacobians, and the two normal forms that any of them can take: entries with their places, and a linear map.

A Jacobian is the linear map from the tangent of an operand (array of ``in_shape``) to the tangent of the value (array
of ``out_shape``); its matrix is row-major over both shapes. Whatever a rule says about it, it has one of five normal
forms, closed under ``@``, ``+`` and ``.T``:

* :class:`Sparse`, entries with their places: identity, its multiples, diagonals, selections, broadcasts, reductions;
* :class:`LinearMap`, known by its products with vectors only;
* :class:`~.algebra.RankOne`, :class:`~.algebra.Kronecker`, :class:`~.algebra.Dense`.

Products and sums of two normal forms are rules in tables, which :mod:`~adviz.engine.jacobians.algebra` fills.
Multiplications are counted as they are done with this structure used: none for an entry that is known to be 0, 1 or
-1, and none for what stays a pair of factors. Additions are not counted.
"""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..devices import as_like, device_array, is_on_device, on_one_device

Shape = tuple[int, ...]
Index = np.ndarray | None
"""Numbers of rows or of columns; ``None`` stands for all of them in order."""


class ProductRule(NamedTuple):
    """When it applies to two normal forms, their product, and the multiplications that this takes."""

    applies: Callable[[Any, Any], bool]
    product: Callable[[Any, Any], Form]
    multiplications: Callable[[Any, Any], int]


class SumRule(NamedTuple):
    """When it applies to two normal forms, and their sum."""

    applies: Callable[[Any, Any], bool]
    sum: Callable[[Any, Any], Form]


PRODUCTS: list[ProductRule] = []
SUMS: list[SumRule] = []
"""Of a product and of a sum, the first rule that applies is taken."""


def add_at(part: Any, index: np.ndarray, shape: Shape) -> Any:
    """Zeros of ``shape`` with each entry of ``part`` added at a flat ``index``; the transpose of taking them there.

    >>> add_at(np.array([1.0, 2.0, 4.0]), np.array([3, 0, 3]), (2, 2))
    array([[2., 0.],
           [0., 5.]])
    """
    if type(part) is not np.ndarray and hasattr(part, "add_at"):
        return part.add_at(index, shape)
    if not index.size:  # where np.bincount would count
        return as_like(np.zeros(shape), part)
    return np.bincount(as_like(index.ravel(), part), np.ravel(part), math.prod(shape)).reshape(shape)


class Jacobian:
    """The linear map from one operand's tangent to the value's tangent.

    A subclass has at least ``jvp`` and ``vjp``. Products with Jacobians and with matrices, sums and multiples::

        a @ b    a @ matrix    matrix @ a    a + b    3 * a    -a    a.T    a.dense()    a.multiplications(b)

    >>> a = Sparse(None, None, np.array([2.0, 3.0]), (2,), (2,))
    >>> a, a @ a, a @ np.ones(2), a.multiplications(a)
    (<Jacobian 2x2 diagonal>, <Jacobian 2x2 diagonal>, array([2., 3.]), 2)
    """

    __array_ufunc__ = None  # so that ``matrix @ jacobian`` is asked of the Jacobian

    def __init__(self, out_shape: Shape, in_shape: Shape):
        self.out_shape, self.in_shape = out_shape, in_shape

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the matrix: size of the value by size of the operand."""
        return math.prod(self.out_shape), math.prod(self.in_shape)

    @property
    def structure(self) -> str:
        """The structure of the matrix, in one word."""
        return "operator"

    @property
    def nnz(self) -> int:
        """Entries that may differ from zero."""
        return math.prod(self.shape)

    @property
    def multiple(self) -> float | None:
        """The number w, where the matrix is known to be w times the identity."""
        return None

    @property
    def T(self) -> Jacobian:
        """The transpose."""
        return self.normal().T

    def jvp(self, tangent: Any) -> Any:
        """Return the value's tangent from the operand's."""
        raise NotImplementedError

    def vjp(self, adjoint: Any) -> Any:
        """Return the operand's adjoint from the value's."""
        raise NotImplementedError

    def normal(self) -> Form:
        """Return the same map in one of the five normal forms."""
        return LinearMap(self.jvp, self.vjp, self.out_shape, self.in_shape)

    def dense(self) -> np.ndarray:
        """Return the matrix itself."""
        return self.normal().dense()

    def apply(self, matrix: Any) -> Any:
        """Return the product with a matrix of shape ``(in_size, any)``."""
        return self.normal().apply(matrix)

    def between(self, out_shape: Shape, in_shape: Shape) -> Jacobian:
        """Return the same matrix, between arrays of other shapes."""
        same = (self.out_shape, self.in_shape) == (out_shape, in_shape)
        return self if same else self.normal().between(out_shape, in_shape)

    def times(self, other: Jacobian) -> Jacobian:
        """Return the product ``self @ other``: head times tail. Raises ``ValueError`` if the sizes between them differ.

        >>> column, row = Sparse(None, None, 2.0, (3,), (3,)), Zero((3,), (2,))
        >>> column.times(row)
        <Jacobian 3x2 zero>
        """
        check_product(self.shape, other.shape)
        if self.multiple is not None:
            return (other * self.multiple).between(self.out_shape, other.in_shape)
        if other.multiple is not None:
            return (self * other.multiple).between(self.out_shape, other.in_shape)
        left, right = self.normal(), other.normal()
        return next(rule.product(left, right) for rule in PRODUCTS if rule.applies(left, right))

    def multiplications(self, other: Jacobian) -> int:
        """Return multiplications of numbers that the product ``self @ other`` takes."""
        check_product(self.shape, other.shape)
        for factor, rest in ((self, other), (other, self)):
            if factor.multiple is not None:
                return 0 if factor.multiple in (0, 1, -1) else rest.normal().scale_cost
        left, right = self.normal(), other.normal()
        return next(rule.multiplications(left, right) for rule in PRODUCTS if rule.applies(left, right))

    def plus(self, other: Jacobian) -> Jacobian:
        """Return the sum ``self + other``. Raises ``ValueError`` if the shapes of the matrices differ."""
        if self.shape != other.shape:
            raise ValueError(f"a sum of Jacobians of shapes {self.shape} and {other.shape}")
        left, right = self.normal(), other.normal()
        if isinstance(left, Sparse) and not left.nnz:
            return other.between(self.out_shape, self.in_shape)
        if isinstance(right, Sparse) and not right.nnz:
            return self
        return next(rule.sum(left, right) for rule in SUMS if rule.applies(left, right))

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Jacobian):
            return self.times(other)
        if not isinstance(other, np.ndarray) and not is_on_device(other):
            return NotImplemented
        check_product(self.shape, other.shape)
        return self.apply(other) if other.ndim == 2 else self.apply(other[:, None])[:, 0]

    def __rmatmul__(self, other: Any) -> Any:
        if not isinstance(other, np.ndarray) and not is_on_device(other):
            return NotImplemented
        check_product(other.shape, self.shape)
        return (self.T @ other.T).T

    def __add__(self, other: Any) -> Any:
        return self.plus(other) if isinstance(other, Jacobian) else NotImplemented

    def __mul__(self, number: Any) -> Any:
        if isinstance(number, Jacobian) or np.ndim(number) != 0:
            return NotImplemented
        if number == 0:
            return Zero(self.out_shape, self.in_shape)
        return self if number == 1 else self.normal().scaled(float(number))

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        return self * -1.0

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.dense(), dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<Jacobian {rows}x{columns} {self.structure}>"


def check_product(left: Shape, right: Shape) -> None:
    """Raise a ``ValueError`` that names both shapes if these matrices (or vectors) have no product."""
    if len(left) not in (1, 2) or len(right) not in (1, 2) or left[-1] != right[0]:
        raise ValueError(f"matrices of shapes {left} and {right} have no product")


class Form(Jacobian):
    """A Jacobian in normal form; its numbers depend on the sizes of both sides only, not on the shapes."""

    @property
    def scaling(self) -> int:
        """The former name of :attr:`scale_cost`."""
        return self._renamed("scaling", "scale_cost")

    @property
    def applying(self) -> int:
        """The former name of :attr:`matvec_cost`."""
        return self._renamed("applying", "matvec_cost")

    def _renamed(self, old: str, new: str) -> int:
        warnings.warn(f"{old} is called {new} now.", DeprecationWarning, stacklevel=3)
        result: int = getattr(self, new)
        return result

    @property
    def scale_cost(self) -> int:
        """Multiplications that the product with a number takes."""
        return self.nnz

    @property
    def matvec_cost(self) -> int:
        """Multiplications that the product with a vector takes."""
        return self.nnz

    def normal(self) -> Form:
        return self

    def entries(self) -> Sparse:
        """Return the same matrix, entry by entry."""
        rows, columns = np.divmod(np.arange(math.prod(self.shape)), max(self.shape[1], 1))
        return Sparse(rows, columns, self.dense().ravel(), self.out_shape, self.in_shape)

    def between(self, out_shape: Shape, in_shape: Shape) -> Form:
        moved = copy.copy(self)
        moved.out_shape, moved.in_shape = out_shape, in_shape
        return moved

    def scaled(self, number: float) -> Form:
        """Return the product with a number."""
        raise NotImplementedError

    def jvp(self, tangent: Any) -> Any:
        return np.reshape(self.apply(np.reshape(tangent, (-1, 1))), self.out_shape)

    def vjp(self, adjoint: Any) -> Any:
        return self.T.jvp(adjoint)


class Sparse(Form):
    """Entries ``weights`` at ``rows`` and ``columns``, no two of them at one place.

    Rows that are ``None`` are all rows in order, one entry each, and so are columns: a diagonal has neither, a
    selection only columns, a sum only rows. ``weights`` is a float if all are the same, else an array.

    >>> first = Sparse(None, np.array([0]), 1.0, (1,), (3,))
    >>> first.T @ first, (first.T @ first).dense().diagonal()
    (<Jacobian 3x3 selection>, array([1., 0., 0.]))
    """

    def __init__(self, rows: Index, columns: Index, weights: Any, out_shape: Shape, in_shape: Shape):
        super().__init__(out_shape, in_shape)
        self.rows, self.columns, self.weights = rows, columns, weights

    @property
    def structure(self) -> str:
        """One word for the largest number of entries in a row and in a column."""
        if self.rows is None and self.columns is None:
            return {None: "diagonal", 1.0: "identity"}.get(self.multiple, "scalar")
        words = [["selection", "reduction"], ["broadcast", "sparse"]]
        return words[_repeats(self.columns)][_repeats(self.rows)] if self.nnz else "zero"

    @property
    def nnz(self) -> int:
        index = self.columns if self.rows is None else self.rows
        return self.shape[0] if index is None else index.size

    @property
    def multiple(self) -> float | None:
        if self.rows is None and self.columns is None and (type(self.weights) is float or self.shape == (1, 1)):
            return float(np.reshape(self.weights, ()))
        return None

    @property
    def is_unit(self) -> bool:
        """Whether all entries are known to be 1, or all to be -1."""
        return type(self.weights) is float and abs(self.weights) == 1

    @property
    def scale_cost(self) -> int:
        return 0 if self.is_unit else min(self.nnz, 1) if type(self.weights) is float else self.nnz

    @property
    def matvec_cost(self) -> int:
        return 0 if self.is_unit else self.nnz

    @property
    def T(self) -> Sparse:
        return Sparse(self.columns, self.rows, self.weights, self.in_shape, self.out_shape)

    def entries(self) -> Sparse:
        return self

    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """Return rows and columns, written out."""
        every = np.arange(self.nnz)
        return every if self.rows is None else self.rows, every if self.columns is None else self.columns

    def scaled(self, number: float) -> Sparse:
        return Sparse(self.rows, self.columns, self.weights * number, self.out_shape, self.in_shape)

    def dense(self) -> np.ndarray:
        # written entry by entry: 0 times an infinite weight would be NaN
        matrix = as_like(np.zeros(self.shape), self.weights)
        matrix[self.places()] = self.weights
        return matrix

    def apply(self, matrix: Any) -> Any:
        part = matrix if self.columns is None else matrix[self.columns]
        if type(self.weights) is not float:
            part, weights = on_one_device(part, self.weights)
            part = part * np.reshape(weights, (-1, 1))
        elif self.weights != 1:
            part = part * self.weights
        if self.rows is None:
            return part
        shape = self.shape[0], matrix.shape[1]
        return add_at(part, self.rows[:, None] * shape[1] + np.arange(shape[1]), shape)


class Zero(Sparse):
    """The matrix without entries.

    >>> Zero((2,), (3,)) + Zero((2,), (3,))
    <Jacobian 2x3 zero>
    """

    def __init__(self, out_shape: Shape, in_shape: Shape):
        nowhere = np.arange(0)
        super().__init__(nowhere, nowhere, 1.0, out_shape, in_shape)


class LinearMap(Form):
    """A Jacobian known by its two products: ``jvp`` of a tangent and ``vjp`` of an adjoint.

    Both take arrays of the library of what the map is ``like``, if that is not NumPy.

    >>> reverse = LinearMap(np.flip, np.flip, (2,), (2,))
    >>> reverse @ reverse, (reverse @ np.eye(2)).tolist()
    (<Jacobian 2x2 operator>, [[0.0, 1.0], [1.0, 0.0]])
    """

    def __init__(
        self, jvp: Callable[[Any], Any], vjp: Callable[[Any], Any], out_shape: Shape, in_shape: Shape, like: Any = None
    ):
        super().__init__(out_shape, in_shape)
        self.jvp, self.vjp, self.like = jvp, vjp, like  # type: ignore[assignment,method-assign]

    @property
    def scale_cost(self) -> int:
        return 0

    @property
    def T(self) -> LinearMap:
        return LinearMap(self.vjp, self.jvp, self.in_shape, self.out_shape, self.like)

    def between(self, out_shape: Shape, in_shape: Shape) -> LinearMap:
        outwards = Sparse(None, None, 1.0, out_shape, self.out_shape)
        return composed(composed(outwards, self), Sparse(None, None, 1.0, self.in_shape, in_shape))

    def scaled(self, number: float) -> LinearMap:
        return composed(Sparse(None, None, number, self.out_shape, self.out_shape), self)

    def dense(self) -> np.ndarray:
        rows, columns = self.shape
        return self.T.dense().T if columns > rows else self.apply(np.eye(columns))

    def apply(self, matrix: Any) -> Any:
        matrix = as_like(matrix, self.like)
        columns = [np.reshape(self.jvp(np.reshape(column, self.in_shape)), -1) for column in matrix.T]
        return np.stack(columns, axis=1) if columns else as_like(np.zeros((self.shape[0], 0)), matrix)


def composed(a: Form, b: Form) -> LinearMap:
    """Return one map after another, ``b`` first."""

    def jvp(tangent: Any) -> Any:
        return a.jvp(np.reshape(b.jvp(tangent), a.in_shape))

    def vjp(adjoint: Any) -> Any:
        return b.vjp(np.reshape(a.vjp(adjoint), b.out_shape))

    return LinearMap(jvp, vjp, a.out_shape, b.in_shape, device_array(*(getattr(form, "like", None) for form in (a, b))))


def _repeats(index: Index) -> bool:
    return index is not None and bool(np.bincount(index).max(initial=0) > 1)
