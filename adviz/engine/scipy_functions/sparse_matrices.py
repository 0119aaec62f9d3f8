"""``scipy.sparse`` times traced arrays: a sparse matrix of constants is a linear map."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.complex_pairs import is_complex
from ..functions.arguments import Overrides, joined, missing
from ..writing.views import added_at


def product(matrix: Any, other: Any) -> Any:
    """``matrix @ other``: what meets an entry of the matrix, times that entry, added up for each row."""
    other = joined(other)
    shape = np.shape(other)
    if not shape:
        return matrix._mul_scalar(other)
    if matrix.ndim == 1:
        return product(matrix.reshape(1, -1), other)[0]
    if matrix.ndim > 2 or len(shape) > 2:
        raise missing("a product of a sparse array of more than two axes", "Use a matrix, and a vector or a matrix.")
    if matrix.shape[1] != shape[0]:
        raise ValueError(f"matmul: the shapes do not fit: {matrix.shape} @ {shape}")
    if is_complex(other):
        return product(matrix, other.real) + 1j * product(matrix, other.imag)
    if matrix.dtype.kind == "c":
        return product(matrix.real, other) + 1j * product(matrix.imag, other)
    entries = matrix.tocoo()
    rows, weights = entries.row, np.asarray(entries.data, float)
    if len(shape) == 2:
        rows, weights = rows[:, None] * shape[1] + np.arange(shape[1]), weights[:, None]
    return added_at(other[entries.col] * weights, rows, (matrix.shape[0], *shape[1:]))


FUNCTIONS: Overrides = {
    "_spbase._matmul_dispatch": product,
    "_coo_base._matmul_dispatch": product,
    "_spbase.__add__": lambda matrix, other: matrix.toarray() + other,
    "_spbase.__sub__": lambda matrix, other: matrix.toarray() - other,
    "_spbase.__rsub__": lambda matrix, other: other - matrix.toarray(),
}
