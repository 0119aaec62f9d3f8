"""Floating-point operations of a Block, by a rule for each: the table of what :meth:`Graph.by` and queries count.

An addition, a multiplication, a division, a comparison and an elementary function such as ``sin`` are one operation
each, on each number. What only moves, selects or looks at numbers is none. A sum of n numbers is n - 1 additions, a
product of an (m, k) and a (k, n) matrix m n (2 k - 1) operations, as in the textbook. Decompositions are counted by
the leading terms of their standard algorithms on dense matrices (Golub and Van Loan, Matrix Computations, 4th edition,
chapters 3 to 8), Fourier transforms as 5 n log2(n) (Van Loan, Computational Frameworks for the Fast Fourier
Transform, 1992).

>>> import adviz, numpy as np
>>> adviz.trace(lambda a, b: np.sin(a @ b), np.ones((2, 3)), np.ones((3, 5))).columns.operations.tolist()
[0, 0, 50, 10, 0]
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from ..blocks import OPERATIONS, Count

Shape = tuple[int, ...]

FREE = frozenset(
    "input output read copy astype positive gather scatter put arrange reshape transpose flip roll repeat tile "
    "sliding_window_view broadcast_to concatenate stack index take diagonal set pad diag view place where conjugate "
    "logical_and logical_or logical_xor logical_not".split()
)
"""Blocks that compute no number."""


def _shape(operand: Any) -> Shape:
    return tuple(getattr(operand, "shape", ()))


def _size(operand: Any) -> int:
    return math.prod(_shape(operand))


def _less_results(y: Shape, operands: Sequence[Any]) -> float:
    """Two numbers become one, until the results are left."""
    return _size(operands[0]) - math.prod(y)


def _mean(y: Shape, operands: Sequence[Any]) -> float:
    """The additions of a sum, and one division per result."""
    return _size(operands[0])


def _log_sum_exp(y: Shape, operands: Sequence[Any]) -> float:
    """The largest entry, its subtraction, exponentials, their sum, a logarithm and an addition."""
    return 4 * _size(operands[0])


def _cumulative(y: Shape, operands: Sequence[Any]) -> float:
    """One operation for each entry but the first of each lane."""
    axis = operands[1] if len(operands) > 1 and operands[1] is not None else -1
    length = y[int(axis)] if y else 1
    return math.prod(y) - math.prod(y) // length if length else 0


def _matmul(y: Shape, operands: Sequence[Any]) -> float:
    return math.prod(y) * max(2 * _shape(operands[0])[-1] - 1, 0)


def _einsum(y: Shape, operands: Sequence[Any]) -> float:
    """All factors of every term multiplied, and the terms added: no order of contraction is assumed."""
    subscripts, *arrays = operands
    labels = re.split(",|->", subscripts)[: len(arrays)]
    sizes = {
        label: n
        for each, array in zip(labels, arrays, strict=True)
        for label, n in zip(each, _shape(array), strict=True)
    }
    terms = math.prod(sizes.values())
    return terms * (len(arrays) - 1) + max(terms - math.prod(y), 0)


def _convolve(y: Shape, operands: Sequence[Any]) -> float:
    """Every pair of entries multiplied, and the products added where they meet."""
    products = _size(operands[0]) * _size(operands[1])
    return 2 * products - math.prod(y) if products else 0


def _fourier(y: Shape, operands: Sequence[Any]) -> float:
    """The value has real and imaginary parts stacked in front."""
    points, axes = math.prod(y[1:]), operands[1] if len(operands) > 1 else None
    along = math.prod(y[1:][k] for k in axes) if axes is not None else points
    return 5 * points * math.log2(along) if points else 0


def _sorted(y: Shape, operands: Sequence[Any]) -> float:
    """n log2(n) comparisons of a lane of n entries."""
    size = math.prod(y)
    return size * math.ceil(math.log2(y[-1])) if size and y else 0


def _searched(y: Shape, operands: Sequence[Any]) -> float:
    """A bisection for each result, of the longer operand."""
    return math.prod(y) * math.ceil(math.log2(max(*map(_size, operands[:2]), 1) + 1))


def _square(cubes: float) -> Count:
    """A multiple of n³ for each matrix of n rows and columns."""

    def rule(y: Shape, operands: Sequence[Any]) -> float:
        *stack, n, _ = _shape(operands[0])
        return math.prod(stack) * cubes * n**3

    return rule


def _solve(y: Shape, operands: Sequence[Any]) -> float:
    """An LU decomposition, and two triangular solves for each column on the right."""
    *stack, n, _ = _shape(operands[0])
    return math.prod(stack) * 2 / 3 * n**3 + 2 * n * math.prod(y)


def _oblong(formula: Callable[[int, int], float]) -> Count:
    """A function of the longer and the shorter side of each matrix."""

    def rule(y: Shape, operands: Sequence[Any]) -> float:
        *stack, m, n = _shape(operands[0])
        return math.prod(stack) * formula(max(m, n), min(m, n))

    return rule


COUNTS: dict[str, Count] = {
    "sum": _less_results,
    "prod": _less_results,
    "max": _less_results,
    "min": _less_results,
    "argmax": _less_results,
    "argmin": _less_results,
    "all": lambda y, operands: 0,
    "any": lambda y, operands: 0,
    "mean": _mean,
    "logsumexp": _log_sum_exp,
    "bincount": lambda y, operands: _size(operands[0]),
    "add_at": lambda y, operands: _size(operands[-1]),
    "cumsum": _cumulative,
    "cumprod": _cumulative,
    "matmul": _matmul,
    "einsum": _einsum,
    "convolve": _convolve,
    "fft": _fourier,
    "ifft": _fourier,
    "argsort": _sorted,
    "argpartition": _sorted,
    "lexsort": _sorted,
    "searchsorted": _searched,
    "digitize": _searched,
    "solve": _solve,
    "inv": _square(2),
    "det": _square(2 / 3),
    "logabsdet": _square(2 / 3),
    "signdet": _square(2 / 3),
    "cholesky": _square(1 / 3),
    "eigvalsh": _square(4 / 3),
    "eigh": _square(9),
    "eigvals": _square(10),
    "eig": _square(25),
    "qr": _oblong(lambda m, n: 4 * m * n**2 - 4 / 3 * n**3),
    "svdvals": _oblong(lambda m, n: 4 * m * n**2 - 4 / 3 * n**3),
    "svd": _oblong(lambda m, n: 6 * m * n**2 + 20 * n**3),
    "pinv": _oblong(lambda m, n: 6 * m * n**2 + 20 * n**3 + 2 * m * n**2),
}
"""Rules of Blocks that do not take one operation per entry of the value, by name."""


OPERATIONS.update(dict.fromkeys(FREE, 0))
OPERATIONS.update(COUNTS)
