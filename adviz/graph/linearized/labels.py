"""The labels of edges: partials that are multiplied head times tail, and added where edges are parallel.

A label is a matrix, rows for the head and columns for the tail: an array, or a Jacobian that keeps its structure.
Between vertices of one entry it is a number; between others of equal size a number stands for that multiple of the
identity. An integer is a constant of the program, and sums and products of integers are integers again, but infinite
beyond what floats can tell.
"""

from __future__ import annotations

import math
import sys
from numbers import Real
from typing import Any

Label = Any


def shape(label: Label) -> tuple[int, ...]:
    """Return rows and columns of a label; those of a number are one and one.

    >>> shape(2.5)
    (1, 1)
    """
    return (1, 1) if isinstance(label, Real) else tuple(label.shape)


def product(head: Label, tail: Label) -> Label:
    """c_kj times c_ji, a number where the result has one row and one column.

    >>> product(3, 2), product(3.0, 2)
    (6, 6.0)
    """
    if isinstance(head, Real) or isinstance(tail, Real):
        return _within_floats(head * tail)
    result = head @ tail
    return dense(result).item() if shape(result) == (1, 1) else result


def plus(one: Label, other: Label) -> Label:
    """Return the label of two parallel edges in one.

    >>> plus(1, 1), plus(1, 0.5)
    (2, 1.5)
    """
    if isinstance(one, Real) != isinstance(other, Real):
        number, matrix = (one, other) if isinstance(one, Real) else (other, one)
        result = dense(matrix).copy()
        result.flat[:: len(result) + 1] += number  # a multiple of the identity
        return result
    if hasattr(one, "dense") != hasattr(other, "dense"):
        return dense(one) + dense(other)
    return _within_floats(one + other)


def dense(label: Label) -> Label:
    """Return a Jacobian as an array; arrays and numbers as they are.

    >>> dense(2)
    2
    """
    return label.dense() if hasattr(label, "dense") else label


def is_finite(label: Label) -> bool:
    """Return whether a label has neither NaN nor infinity.

    >>> is_finite(1.0), is_finite(float("nan"))
    (True, False)
    """
    numbers = [label] if isinstance(label, Real) else dense(label).ravel().tolist()
    return all(math.isfinite(_within_floats(number)) for number in numbers)


def _within_floats(label: Label) -> Label:
    if isinstance(label, int) and label.bit_length() >= sys.float_info.max_exp:
        return math.inf if label > 0 else -math.inf
    return label


def text(label: Label) -> str:
    """Return a label in few characters: numbers of four digits, matrices by their shape and structure.

    >>> text(-1), text(2 / 3)
    ('-1', '0.6667')
    """
    if isinstance(label, Real):
        return f"{label:.4g}"
    return " ".join(["×".join(map(str, shape(label))), getattr(label, "structure", "")]).strip()
