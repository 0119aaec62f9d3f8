"""How many floating-point operations a Block takes, as :meth:`Graph.by` and queries count them; records name these.

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

from ..blocks import Count

Shape = tuple[int, ...]


def _shape(operand: Any) -> Shape:
    return tuple(getattr(operand, "shape", ()))


def _size(operand: Any) -> int:
    return math.prod(_shape(operand))


def fewer_by_results(y: Shape, operands: Sequence[Any]) -> float:
    """Two numbers become one, until the results are left."""
    return _size(operands[0]) - math.prod(y)


def size_of_operand(y: Shape, operands: Sequence[Any]) -> float:
    """The additions of a sum, and one division per result."""
    return _size(operands[0])


def log_sum_exp(y: Shape, operands: Sequence[Any]) -> float:
    """The largest entry, its subtraction, exponentials, their sum, a logarithm and an addition."""
    return 4 * _size(operands[0])


def cumulative(y: Shape, operands: Sequence[Any]) -> float:
    """One operation for each entry but the first of each lane."""
    axis = operands[1] if len(operands) > 1 and operands[1] is not None else -1
    length = y[int(axis)] if y else 1
    return math.prod(y) - math.prod(y) // length if length else 0


def matmul(y: Shape, operands: Sequence[Any]) -> float:
    return math.prod(y) * max(2 * _shape(operands[0])[-1] - 1, 0)


def einsum(y: Shape, operands: Sequence[Any]) -> float:
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


def convolve(y: Shape, operands: Sequence[Any]) -> float:
    """Every pair of entries multiplied, and the products added where they meet."""
    products = _size(operands[0]) * _size(operands[1])
    return 2 * products - math.prod(y) if products else 0


def fourier(y: Shape, operands: Sequence[Any]) -> float:
    """The value has real and imaginary parts stacked in front."""
    points, axes = math.prod(y[1:]), operands[1] if len(operands) > 1 else None
    along = math.prod(y[1:][k] for k in axes) if axes is not None else points
    return 5 * points * math.log2(along) if points else 0


def sorting(y: Shape, operands: Sequence[Any]) -> float:
    """n log2(n) comparisons of a lane of n entries."""
    size = math.prod(y)
    return size * math.ceil(math.log2(y[-1])) if size and y else 0


def searching(y: Shape, operands: Sequence[Any]) -> float:
    """A bisection for each result, of the longer operand."""
    return math.prod(y) * math.ceil(math.log2(max(*map(_size, operands[:2]), 1) + 1))


def cubic(cubes: float) -> Count:
    """A multiple of n³ for each matrix of n rows and columns."""

    def rule(y: Shape, operands: Sequence[Any]) -> float:
        *stack, n, _ = _shape(operands[0])
        return math.prod(stack) * cubes * n**3

    return rule


def solve(y: Shape, operands: Sequence[Any]) -> float:
    """An LU decomposition, and two triangular solves for each column on the right."""
    *stack, n, _ = _shape(operands[0])
    return math.prod(stack) * 2 / 3 * n**3 + 2 * n * math.prod(y)


def oblong(formula: Callable[[int, int], float]) -> Count:
    """A function of the longer and the shorter side of each matrix."""

    def rule(y: Shape, operands: Sequence[Any]) -> float:
        *stack, m, n = _shape(operands[0])
        return math.prod(stack) * formula(max(m, n), min(m, n))

    return rule


def size_of_last(y: Shape, operands: Sequence[Any]) -> float:
    """One addition for each entry of the last operand."""
    return _size(operands[-1])
