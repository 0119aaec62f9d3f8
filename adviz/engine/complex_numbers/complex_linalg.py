"""Linear algebra of complex matrices.

Systems of equations are solved in real numbers, with ``[[re, -im], [im, re]]`` for each matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.complex_pairs import Complex, as_complex, is_zero
from ..functions import linalg
from ..functions.arguments import data_of
from .complex_ufuncs import over


def _in_real_numbers(z: Complex) -> Any:
    """The real matrix that maps stacked real and imaginary parts as a complex matrix maps the numbers."""
    return np.concatenate(
        [np.concatenate([z.real, -z.imag], axis=-1), np.concatenate([z.imag, z.real], axis=-1)], axis=-2
    )


def _upper_and_lower(found: Any, rows: int, columns: int | None = None) -> Complex:
    return Complex(found[..., :rows, :columns], found[..., rows:, :columns])


def solve(a: Any, b: Any) -> Complex:
    """``np.linalg.solve``: ``b`` is a vector if it has one axis."""
    a, b = as_complex(a), as_complex(b)
    if b.ndim == 1:
        return solve(a, b[:, None])[..., 0]
    size = a.shape[-1]
    if is_zero(a.imag):
        found = np.linalg.solve(a.real, np.concatenate([b.real, b.imag], axis=-1))
        return Complex(found[..., : b.shape[-1]], found[..., b.shape[-1] :])
    return _upper_and_lower(np.linalg.solve(_in_real_numbers(a), np.concatenate([b.real, b.imag], axis=-2)), size)


def inv(a: Any) -> Complex:
    """``np.linalg.inv``."""
    size = a.shape[-1]
    return _upper_and_lower(np.linalg.inv(_in_real_numbers(a)), size, size)


def pinv(a: Any, *args: Any, **settings: Any) -> Complex:
    """``np.linalg.pinv``: the singular values of the real matrix are those of the complex one, each twice."""
    m, n = a.shape[-2:]
    return _upper_and_lower(np.linalg.pinv(_in_real_numbers(a), *args, **settings), n, m)


def det(a: Any) -> Any:
    """``np.linalg.det``: the product of the pivots, each the largest of its column, as in real elimination."""
    if a.ndim > 2:
        return np.stack([det(matrix) for matrix in a])
    found, size = Complex(1.0, 0.0), len(a)
    for rest in range(size - 1, -1, -1):
        j = next((j for j in range(rest + 1) if any(bool(entry != 0) for entry in data_of(a[:, j]))), None)
        if j is None:  # only zeros are left
            return found * np.prod(np.diagonal(a))
        sizes = list(map(abs, data_of(a[:, j])))
        i = max(range(rest + 1), key=sizes.__getitem__)
        pivot = a[i, j]
        others = [k for k in range(rest + 1) if k != i], [k for k in range(rest + 1) if k != j]
        found = found * (-pivot if (i + j) % 2 else pivot)
        if rest:
            factors = a[others[0]][:, j] / pivot
            a = a[others[0]][:, others[1]] - np.multiply.outer(factors, a[i][others[1]])
    return found


def slogdet(a: Any) -> Any:
    """``np.linalg.slogdet``: the sign is a complex number of modulus 1."""
    found = det(a)
    size = np.abs(found)
    return linalg.SlogdetResult(over(found, as_complex(size)), np.log(size))
