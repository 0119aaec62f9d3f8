"""Local Jacobians, with their structure kept.

A Jacobian maps the tangent of an operand (array of ``in_shape``) to the tangent of the value (array of ``out_shape``).
It can be applied (``jvp``), applied transposed (``vjp``), counted (``nonzeros``) and written out (``dense``: a matrix
of shape ``(out_size, in_size)``, row-major); only the last ever makes a dense matrix.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Shape = tuple[int, ...]


def unbroadcast(cotangent: Any, shape: Shape) -> Any:
    """Sum a cotangent over the axes along which an operand of ``shape`` was repeated.

    >>> unbroadcast(np.ones((2, 3)), (3,))
    array([2., 2., 2.])
    """
    current = getattr(cotangent, "shape", ())
    if current == shape:
        return cotangent
    extra = len(current) - len(shape)
    axes = tuple(k for k in range(len(current)) if k < extra or (shape[k - extra] == 1 and current[k] != 1))
    return np.sum(cotangent, axis=axes, keepdims=True).reshape(shape) if axes else np.reshape(cotangent, shape)


class Jacobian:
    """The linear map from one operand's tangent to the value's tangent."""

    structure = "dense"

    def __init__(self, out_shape: Shape, in_shape: Shape):
        self.out_shape, self.in_shape = out_shape, in_shape

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the matrix: size of the value by size of the operand."""
        return math.prod(self.out_shape), math.prod(self.in_shape)

    @property
    def nonzeros(self) -> int:
        """Entries that may differ from zero."""
        return math.prod(self.shape)

    def jvp(self, tangent: Any) -> Any:
        """The value's tangent from the operand's."""
        raise NotImplementedError

    def vjp(self, cotangent: Any) -> Any:
        """The operand's cotangent from the value's."""
        raise NotImplementedError

    def dense(self) -> np.ndarray:
        """The matrix itself, row-major over both shapes."""
        rows, columns = self.shape
        basis = np.eye(columns).reshape(columns, *self.in_shape)
        return np.stack([np.reshape(self.jvp(e), rows) for e in basis], axis=1) if columns else np.zeros((rows, 0))


class Diagonal(Jacobian):
    """Each entry of the value depends on one entry of the operand: elementwise functions, with broadcasting.

    ``partial`` is a number or an array that broadcasts to ``out_shape``.
    """

    def __init__(self, partial: Any, out_shape: Shape, in_shape: Shape):
        super().__init__(out_shape, in_shape)
        self.partial = partial

    @property
    def structure(self) -> str:  # type: ignore[override]
        """``identity``, ``scalar`` (a multiple of it), ``diagonal``, or ``broadcast`` (a column of diagonals)."""
        if math.prod(self.in_shape) != math.prod(self.out_shape):
            return "broadcast"
        if np.ndim(self.partial) == 0:
            return "identity" if self.partial == 1 else "scalar"
        return "diagonal"

    @property
    def nonzeros(self) -> int:
        return math.prod(self.out_shape)

    def jvp(self, tangent: Any) -> Any:
        return np.broadcast_to(np.multiply(self.partial, tangent), self.out_shape)

    def dense(self) -> np.ndarray:
        rows, columns = self.shape
        matrix = np.zeros((rows, columns))  # built entry by entry: 0 times an infinite partial would be NaN
        places = np.broadcast_to(np.arange(columns).reshape(self.in_shape), self.out_shape)
        matrix[np.arange(rows), places.ravel()] = np.broadcast_to(self.partial, self.out_shape).ravel()
        return matrix

    def vjp(self, cotangent: Any) -> Any:
        identity = type(self.partial) is float and self.partial == 1.0
        return unbroadcast(cotangent if identity else np.multiply(cotangent, self.partial), self.in_shape)


class Reshaping(Jacobian):
    """The same numbers in the same order, in another shape: the identity matrix."""

    structure = "identity"

    @property
    def nonzeros(self) -> int:
        return self.shape[0]

    def jvp(self, tangent: Any) -> Any:
        return np.reshape(tangent, self.out_shape)

    def vjp(self, cotangent: Any) -> Any:
        return np.reshape(cotangent, self.in_shape)


class Selection(Jacobian):
    """Each entry of the value is one entry of the operand: ``value = operand.flat[index]``."""

    structure = "selection"

    def __init__(self, index: np.ndarray, in_shape: Shape):
        super().__init__(index.shape, in_shape)
        self.index = index

    @property
    def nonzeros(self) -> int:
        return self.index.size

    def jvp(self, tangent: Any) -> Any:
        return np.ravel(tangent)[self.index]

    def vjp(self, cotangent: Any) -> Any:
        size = math.prod(self.in_shape)
        return np.bincount(self.index.ravel(), np.ravel(cotangent), size).reshape(self.in_shape)


class Window(Jacobian):
    """A slice: the value is the part ``key`` of the operand; with ``placed``, the operand is that part of the value."""

    structure = "selection"

    def __init__(self, key: Any, out_shape: Shape, in_shape: Shape, placed: bool = False):
        super().__init__(out_shape, in_shape)
        self.key, self.placed = key, placed

    @property
    def nonzeros(self) -> int:
        return min(self.shape)

    def jvp(self, tangent: Any) -> Any:
        return self._place(tangent, self.out_shape) if self.placed else np.asarray(tangent)[self.key]

    def vjp(self, cotangent: Any) -> Any:
        return np.asarray(cotangent)[self.key] if self.placed else self._place(cotangent, self.in_shape)

    def _place(self, part: Any, shape: Shape) -> np.ndarray:
        whole = np.zeros(shape, np.result_type(part))
        whole[self.key] = part
        return whole


class Reduction(Jacobian):
    """Weighted sums over axes: ``value = sum(weights * operand, axis)``; ``weights`` broadcasts to ``in_shape``."""

    structure = "reduction"

    def __init__(self, weights: Any, axis: Any, keepdims: bool, out_shape: Shape, in_shape: Shape):
        super().__init__(out_shape, in_shape)
        self.weights, self.axis, self.keepdims = weights, axis, keepdims

    @property
    def nonzeros(self) -> int:
        return self.shape[1]

    def jvp(self, tangent: Any) -> Any:
        return np.sum(np.multiply(self.weights, tangent), axis=self.axis, keepdims=self.keepdims)

    def vjp(self, cotangent: Any) -> Any:
        if self.axis is None:
            spread = np.reshape(cotangent, ())
        else:
            spread = cotangent if self.keepdims else np.expand_dims(cotangent, self.axis)
        return np.broadcast_to(np.multiply(spread, self.weights), self.in_shape)


class MatrixProduct(Jacobian):
    """One operand of ``left @ right``, the other one fixed: a Kronecker product with an identity."""

    structure = "kronecker"

    def __init__(self, fixed: Any, side: str, out_shape: Shape, in_shape: Shape):
        super().__init__(out_shape, in_shape)
        self.fixed, self.side = fixed, side

    @property
    def nonzeros(self) -> int:
        inner = np.shape(self.fixed)[-2 if self.side == "left" and np.ndim(self.fixed) > 1 else -1]
        return math.prod(self.out_shape) * inner

    def jvp(self, tangent: Any) -> Any:
        return np.matmul(tangent, self.fixed) if self.side == "left" else np.matmul(self.fixed, tangent)

    def vjp(self, cotangent: Any) -> Any:
        if len(self.in_shape) == len(self.out_shape) == np.ndim(self.fixed) == 2:
            return np.matmul(cotangent, self.fixed.T) if self.side == "left" else np.matmul(self.fixed.T, cotangent)
        vector = len(self.in_shape) == 1  # matmul promotes vectors to a row on the left, to a column on the right
        fixed = np.asarray(self.fixed)
        if self.side == "left":
            matrix = fixed[:, None] if fixed.ndim == 1 else fixed
            rows = np.expand_dims(cotangent, -1) if fixed.ndim == 1 else np.asarray(cotangent)
            rows = np.expand_dims(rows, -2) if vector else rows
            full = np.matmul(rows, np.swapaxes(matrix, -1, -2))
            return unbroadcast(full[..., 0, :] if vector else full, self.in_shape)
        matrix = fixed[None, :] if fixed.ndim == 1 else fixed
        columns = np.expand_dims(cotangent, -1) if vector else np.asarray(cotangent)
        columns = np.expand_dims(columns, -2) if fixed.ndim == 1 else columns
        full = np.matmul(np.swapaxes(matrix, -1, -2), columns)
        return unbroadcast(full[..., 0] if vector else full, self.in_shape)


class Dense(Jacobian):
    """A matrix with nothing known about it."""

    def __init__(self, matrix: np.ndarray, out_shape: Shape, in_shape: Shape):
        super().__init__(out_shape, in_shape)
        self.matrix = matrix

    def jvp(self, tangent: Any) -> Any:
        return (self.matrix @ np.ravel(tangent)).reshape(self.out_shape)

    def vjp(self, cotangent: Any) -> Any:
        return (np.ravel(cotangent) @ self.matrix).reshape(self.in_shape)

    def dense(self) -> np.ndarray:
        return self.matrix
