"""Local Jacobians as the rules of Blocks make them, with their structure kept.

Making one costs microseconds and ``jvp`` and ``vjp`` are direct; both work on Variables too, in the tangents as in the
numbers of the Jacobian. Entry by entry, in normal forms (:mod:`~adviz.engine.jacobians.algebra`), they are written
out when a product, a sum, a transpose or the matrix itself asks for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..devices import as_like
from .algebra import Dense, Kronecker, RankOne, in_order, kronecker
from .base import Form, Index, Jacobian, LinearMap, Shape, Sparse, Zero, add_at

__all__ = [
    "Choice",
    "Dense",
    "Diagonal",
    "Flat",
    "Jacobian",
    "Kronecker",
    "LinearMap",
    "MatrixProduct",
    "Movement",
    "RankOne",
    "Reduction",
    "Reshaping",
    "Selection",
    "Sparse",
    "Window",
    "Zero",
    "add_at",
    "place",
    "unbroadcast",
]


def unbroadcast(adjoint: Any, shape: Shape) -> Any:
    """Sum an adjoint over the axes along which an operand of ``shape`` was repeated.

    >>> unbroadcast(np.ones((2, 3)), (3,))
    array([2., 2., 2.])
    """
    current = getattr(adjoint, "shape", ())
    if current == shape:
        return adjoint
    extra = len(current) - len(shape)
    axes = tuple(k for k in range(len(current)) if k < extra or (shape[k - extra] == 1 and current[k] != 1))
    if not axes:
        return np.reshape(adjoint, shape)
    total = np.add.reduce(adjoint, axes) if type(adjoint) is np.ndarray else np.sum(adjoint, axis=axes)
    return total if total.shape == shape else np.reshape(total, shape)


def place(part: Any, key: Any, shape: Shape) -> Any:
    """Return zeros of ``shape`` with ``part`` written at ``key``, a key of slices; the transpose of taking it there.

    >>> place(np.array([1.0, 2.0]), slice(None, None, 2), (3,))
    array([1., 0., 2.])
    """
    if hasattr(part, "place"):
        return part.place(key, shape)
    whole = as_like(np.zeros(shape, getattr(part, "dtype", float)), part)
    whole[key] = part
    return whole


class Diagonal(Jacobian):
    """Each entry of the value depends on one entry of the operand: elementwise functions, with broadcasting.

    ``partial`` is a number or an array that broadcasts to ``out_shape``.

    >>> Diagonal(np.array([2.0, 3.0]), (2,), (2,)).dense()
    array([[2., 0.],
           [0., 3.]])
    >>> Diagonal(2.0, (2,), (2,)), Diagonal(1.0, (3, 2), (2,))
    (<Jacobian 2x2 scalar>, <Jacobian 6x2 broadcast>)
    """

    def __init__(self, partial: Any, out_shape: Shape, in_shape: Shape):
        super().__init__(out_shape, in_shape)
        self.partial = partial

    @property
    def structure(self) -> str:
        """``zero``, ``identity``, ``scalar`` (a multiple of it), ``diagonal``, or ``broadcast``: diagonals on end."""
        if self._is_zero():
            return "zero"
        if math.prod(self.in_shape) != math.prod(self.out_shape):
            return "broadcast"
        return {None: "diagonal", 1.0: "identity"}.get(self.multiple, "scalar")

    @property
    def nnz(self) -> int:
        return 0 if self._is_zero() else math.prod(self.out_shape)

    @property
    def multiple(self) -> float | None:
        of_one_size = math.prod(self.in_shape) == math.prod(self.out_shape)
        return float(self.partial) if of_one_size and np.ndim(self.partial) == 0 else None

    def _is_zero(self) -> bool:
        return np.ndim(self.partial) == 0 and self.partial == 0

    def normal(self) -> Form:
        if self._is_zero():
            return Zero(self.out_shape, self.in_shape)
        columns, weights = _repeated(self.in_shape, self.out_shape), _weights(self.partial, self.out_shape)
        return Sparse(None, columns, weights, self.out_shape, self.in_shape)

    def jvp(self, tangent: Any) -> Any:
        product = self.partial * tangent
        same = getattr(product, "shape", ()) == self.out_shape
        return product if same else np.broadcast_to(product, self.out_shape)

    def vjp(self, adjoint: Any) -> Any:
        identity = type(self.partial) is float and self.partial == 1.0
        return unbroadcast(adjoint if identity else adjoint * self.partial, self.in_shape)


class Choice(Diagonal):
    """One where an entry is chosen, 0 by structure where it is left out."""


class Reshaping(Jacobian):
    """The same numbers in the same order, in another shape: the identity matrix.

    >>> Reshaping((2, 3), (6,))
    <Jacobian 6x6 identity>
    """

    structure = "identity"
    multiple = 1.0

    @property
    def nnz(self) -> int:
        return self.shape[0]

    @property
    def T(self) -> Reshaping:
        return Reshaping(self.in_shape, self.out_shape)

    def normal(self) -> Form:
        return Sparse(None, None, 1.0, self.out_shape, self.in_shape)

    def jvp(self, tangent: Any) -> Any:
        return np.reshape(tangent, self.out_shape)

    def vjp(self, adjoint: Any) -> Any:
        return np.reshape(adjoint, self.in_shape)


class Selection(Jacobian):
    """Each entry of the value is one entry of the operand: ``value = operand.flat[index]``.

    >>> Selection(np.array([2, 0]), (3,)).jvp(np.array([5.0, 6.0, 7.0]))
    array([7., 5.])
    """

    structure = "selection"

    def __init__(self, index: np.ndarray, in_shape: Shape):
        super().__init__(index.shape, in_shape)
        self.index = index

    @property
    def nnz(self) -> int:
        return self.index.size

    def normal(self) -> Form:
        return Sparse(None, in_order(self.index.ravel(), self.shape[1]), 1.0, self.out_shape, self.in_shape)

    def jvp(self, tangent: Any) -> Any:
        return np.reshape(tangent, -1)[self.index]

    def vjp(self, adjoint: Any) -> Any:
        return add_at(adjoint, self.index, self.in_shape)


class Movement(Jacobian):
    """Entries moved and repeated by a function: ``move``, and its transpose ``back``, which adds up what was repeated.

    With ``placed`` every entry is put among zeros, at a place of its own.

    >>> reverse = Movement(np.flip, np.flip, (3,), (3,))
    >>> reverse.vjp(np.array([5.0, 6.0, 7.0])), (reverse @ np.eye(3)).tolist()[0]
    (array([7., 6., 5.]), [0.0, 0.0, 1.0])
    """

    structure = "selection"

    def __init__(
        self,
        move: Callable[[Any], Any],
        back: Callable[[Any], Any],
        out_shape: Shape,
        in_shape: Shape,
        placed: bool = False,
    ):
        super().__init__(out_shape, in_shape)
        self.move, self.back, self.placed = move, back, placed

    @property
    def nnz(self) -> int:
        return self.shape[int(self.placed)]

    def jvp(self, tangent: Any) -> Any:
        return self.move(tangent)

    def vjp(self, adjoint: Any) -> Any:
        return self.back(adjoint)

    def normal(self) -> Form:
        """Return what goes where is found by moving the numbers of the entries."""
        moved = np.asarray(self.move(np.arange(self.placed, self.shape[1] + self.placed).reshape(self.in_shape)))
        if not self.placed:
            return Selection(moved, self.in_shape).normal()
        places = np.argsort(moved, axis=None, kind="stable")[self.shape[0] - self.shape[1] :]
        return Sparse(in_order(places, self.shape[0]), None, 1.0, self.out_shape, self.in_shape)


class Window(Jacobian):
    """A slice: the value is the part ``key`` of the operand; with ``placed``, the operand is that part of the value.

    >>> Window(slice(1, None), (2,), (3,)).vjp(np.array([5.0, 6.0]))
    array([0., 5., 6.])
    """

    structure = "selection"

    def __init__(self, key: Any, out_shape: Shape, in_shape: Shape, placed: bool = False):
        super().__init__(out_shape, in_shape)
        self.key, self.placed = key, placed

    @property
    def nnz(self) -> int:
        return min(self.shape)

    @property
    def T(self) -> Window:
        return Window(self.key, self.in_shape, self.out_shape, not self.placed)

    def normal(self) -> Form:
        whole = self.out_shape if self.placed else self.in_shape
        index = np.arange(math.prod(whole)).reshape(whole)[self.key].ravel()
        rows, columns = (index, None) if self.placed else (None, index)
        return Sparse(rows, columns, 1.0, self.out_shape, self.in_shape)

    def jvp(self, tangent: Any) -> Any:
        if self.placed:
            return place(tangent, self.key, self.out_shape)
        part: Any = np.float64(tangent) if type(tangent) is float else tangent
        return part[self.key]

    def vjp(self, adjoint: Any) -> Any:
        return self.T.jvp(adjoint)


class Flat(Zero):
    """Of a value that is piecewise constant: truth values, indices. Its products are plain zeros.

    >>> Flat((), (2,)).vjp(1.0)
    array([0., 0.])
    """

    def jvp(self, tangent: Any) -> Any:
        return as_like(np.zeros(self.out_shape), tangent)

    def vjp(self, adjoint: Any) -> Any:
        return as_like(np.zeros(self.in_shape), adjoint)


class Reduction(Jacobian):
    """Weighted sums over axes: ``value = sum(weights * operand, axis)``; ``weights`` broadcasts to ``in_shape``.

    >>> Reduction(1.0, 1, False, (2,), (2, 2)).dense()
    array([[1., 1., 0., 0.],
           [0., 0., 1., 1.]])
    """

    structure = "reduction"

    def __init__(self, weights: Any, axis: Any, keepdims: Any, out_shape: Shape, in_shape: Shape):
        super().__init__(out_shape, in_shape)
        self.weights, self.axis, self.keepdims = weights, axis, keepdims

    @property
    def nnz(self) -> int:
        return self.shape[1]

    def normal(self) -> Form:
        rows, weights = _repeated(self.kept_shape, self.in_shape), _weights(self.weights, self.in_shape)
        return Sparse(rows, None, weights, self.out_shape, self.in_shape)

    def jvp(self, tangent: Any) -> Any:
        if type(self.weights) is float:  # fewer multiplications after the sum
            return np.sum(tangent, axis=self.axis, keepdims=self.keepdims) * self.weights
        return np.sum(np.multiply(self.weights, tangent), axis=self.axis, keepdims=self.keepdims)

    def vjp(self, adjoint: Any) -> Any:
        remaining = self.kept_shape
        spread = adjoint if np.shape(adjoint) == remaining else np.reshape(adjoint, remaining)
        if type(self.weights) is not float or self.weights != 1.0:
            spread = spread * self.weights
        return spread if np.shape(spread) == self.in_shape else np.broadcast_to(spread, self.in_shape)

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes that are summed over, counted from the first."""
        count = len(self.in_shape)
        if self.axis is None:
            return tuple(range(count))
        return tuple(axis % count for axis in (self.axis if isinstance(self.axis, tuple) else (self.axis,)))

    @property
    def kept_shape(self) -> Shape:
        """The shape of the value with the axes that are summed over kept."""
        return tuple(1 if k in self.axes else size for k, size in enumerate(self.in_shape))


class MatrixProduct(Jacobian):
    """One operand of ``left @ right``, the other one fixed: a Kronecker product with an identity.

    ``side`` tells which operand it is, ``"left"`` or ``"right"``; shapes are those of ``np.matmul``.

    >>> MatrixProduct(np.array([[5.0], [6.0]]), "left", (2, 1), (2, 2)).dense()
    array([[5., 6., 0., 0.],
           [0., 0., 5., 6.]])
    """

    structure = "kronecker"

    def __init__(self, fixed: Any, side: str, out_shape: Shape, in_shape: Shape):
        super().__init__(out_shape, in_shape)
        self.fixed, self.side = fixed, side

    @property
    def nnz(self) -> int:
        inner = np.shape(self.fixed)[-2 if self.side == "left" and np.ndim(self.fixed) > 1 else -1]
        return math.prod(self.out_shape) * inner

    def normal(self) -> Form:
        if np.ndim(self.fixed) > 2:
            return self._entries()
        matrix = _matrix(self.fixed, self.side)
        if self.side == "left":
            return self._times_identities(self.in_shape[:-1], matrix.T, ())
        return self._times_identities(self.in_shape[:-2], matrix, self.in_shape[1:][-1:])

    def _times_identities(self, before: Shape, matrix: Any, after: Shape) -> Form:
        """Return a Kronecker product of three factors: a matrix between two identities."""
        (p, n), identity = matrix.shape, Reshaping(after, after)
        inner = kronecker(Dense(matrix, (p,), (n,)), identity, (p, *after), (n, *after))
        return kronecker(Reshaping(before, before), inner, self.out_shape, self.in_shape)

    def _entries(self) -> Form:
        """Return the entries for a stack of matrices, which is no Kronecker product."""
        left = self.side == "left"
        numbers = np.arange(self.shape[1]).reshape(self.in_shape)
        operand = numbers if numbers.ndim > 1 else numbers[None, :] if left else numbers[:, None]
        first, second = (operand, self.fixed) if left else (self.fixed, operand)
        first, second = first[..., :, None, :], np.swapaxes(second, -1, -2)[..., None, :, :]
        places, weights = (first, second) if left else (second, first)
        full = np.broadcast_shapes(first.shape, second.shape)
        rows = np.arange(self.shape[0]).reshape(*full[:-1], 1)
        rows, columns, weights = (np.broadcast_to(part, full).ravel() for part in (rows, places, weights))
        return Sparse(rows, columns, weights, self.out_shape, self.in_shape)

    def jvp(self, tangent: Any) -> Any:
        return np.matmul(tangent, self.fixed) if self.side == "left" else np.matmul(self.fixed, tangent)

    def vjp(self, adjoint: Any) -> Any:
        left = self.side == "left"
        if np.ndim(self.fixed) == 2 and len(self.in_shape) == len(self.out_shape):
            return np.matmul(adjoint, self.fixed.T) if left else np.matmul(self.fixed.T, adjoint)
        transposed = np.swapaxes(_matrix(self.fixed, self.side), -1, -2)
        # matmul promotes vectors to a row on the left, to a column on the right; the value lacks that axis then.
        lacking = (len(self.in_shape) == 1, np.ndim(self.fixed) == 1)
        row, column = lacking if left else lacking[::-1]
        shape = (*self.out_shape, 1) if column else self.out_shape
        adjoint = np.reshape(adjoint, (*shape[:-1], 1, *shape[-1:]) if row else shape)
        full = np.matmul(adjoint, transposed) if left else np.matmul(transposed, adjoint)
        if len(self.in_shape) == 1:
            full = full[..., 0, :] if left else full[..., 0]
        return unbroadcast(full, self.in_shape)


def _matrix(fixed: Any, side: str) -> Any:
    """Return the fixed operand, at least a matrix: a column beside a left operand, a row beside a right one."""
    if np.ndim(fixed) > 1:
        return fixed
    return fixed[:, None] if side == "left" else fixed[None, :]


def _repeated(small: Shape, large: Shape) -> Index:
    """For each entry of an array of the large shape, the number of the one that is repeated there."""
    if math.prod(small) == math.prod(large):
        return None
    return np.broadcast_to(np.arange(math.prod(small)).reshape(small), large).ravel()


def _weights(numbers: Any, shape: Shape) -> Any:
    """Return numbers that broadcast to a shape, as weights of entries: one float, or one after the other."""
    if np.ndim(numbers) == 0:
        return float(numbers)
    return np.reshape(numbers if numbers.shape == shape else np.broadcast_to(numbers, shape), -1)
