"""Counts, numbers, values and constants in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

MOST_IN_A_NODE = 22  # the most characters of an array that is written out in a node
MOST_OPERANDS = 6  # the most operands that are written out
MOST_OF_A_LITERAL = 40


def counted(*counts: tuple[int, str]) -> str:
    """Count nouns: numbers with thousands separators, and plurals.

    >>> counted((1, "input"), (1_200, "edge"))
    '1 input, 1,200 edges'
    """
    return ", ".join(f"{n:,} {word}{'s' * (n != 1)}" for n, word in counts)


def number(value: float | np.ndarray, digits: int = 4) -> str:
    """Return a number in few characters: ``0.8415``, ``-3``, ``1.2e-08``, ``NaN``.

    >>> number(0.84147098), number(-3.0), number(123456789.0), number(float("nan"))
    ('0.8415', '-3', '1.235e+08', 'NaN')
    """
    return f"{float(value) + 0.0:.{digits}g}".replace("nan", "NaN")  # a negative zero is zero


def shape(value: Any) -> str:
    """Return a shape: ``3×4``.

    >>> shape((3, 4)), shape((5,))
    ('3×4', '5')
    """
    return "×".join(map(str, value))


def kind(sizes: Sequence[int]) -> str:
    """Return what has a shape, in words, so that the shape is not mistaken for a value.

    >>> kind((3,)), kind((2, 4)), kind((2, 3, 4))
    ('vector of length 3', '2×4 matrix', '2×3×4 array')
    """
    if len(sizes) == 1:
        return f"vector of length {sizes[0]:,}"
    return f"{shape(sizes)} {'matrix' if len(sizes) == 2 else 'array'}"


def entries(data: Any, digits: int = 4) -> str:
    """Return all numbers of an array, row by row.

    >>> entries(np.eye(2))
    '[1, 0; 0, 1]'
    """
    lines = np.reshape(data, (-1, np.shape(data)[-1])).tolist() if np.size(data) else []
    return "[" + "; ".join(", ".join(number(entry, digits) for entry in line) for line in lines) + "]"


def written_value(data: Any, digits: int = 4, most: int = MOST_IN_A_NODE) -> str:
    """Return a value in few characters: the number, the numbers of a small array, or the kind of a large one.

    >>> written_value(0.5), written_value(np.array([0.25, 1 / 3])), written_value(np.ones((2, 8)))
    ('0.5', '[0.25, 0.333]', '2×8 matrix')
    """
    if not np.ndim(data):
        return number(data, digits)
    written = entries(data, 3) if np.size(data) < most / 2 else ""
    return written if 0 < len(written) <= most else kind(np.shape(data))


def literal(data: Any) -> str:
    """Return a constant of the program in few characters.

    >>> literal(slice(1, None)), literal((0, slice(None), Ellipsis)), literal(2.0), literal(np.ones((3, 4)))
    ('1:', '0, :, …', '2', '(3×4 matrix)')
    """
    if isinstance(data, slice):
        parts = [data.start, data.stop] if data.step is None else [data.start, data.stop, data.step]
        return ":".join("" if part is None else str(part) for part in parts)
    if isinstance(data, tuple):
        return ", ".join(few([literal(entry) for entry in data], "…"))
    if isinstance(data, bool) or data is None or data is Ellipsis:
        return str(data) if data is not Ellipsis else "…"
    if isinstance(data, int | float | np.ndarray | np.generic):
        text = written_value(data)
        return f"({text})" if np.ndim(data) and not text.startswith("[") else text
    return str(data)[:MOST_OF_A_LITERAL]


def few(things: Sequence[Any], ellipsis: Any, most: int = MOST_OPERANDS) -> list[Any]:
    """Return all things, or of more than ``most`` the first ones, an ellipsis and the last.

    >>> few([1, 2, 3, 4, 5], "…", 4)
    [1, 2, '…', 5]
    """
    return [*things] if len(things) <= most else [*things[: most - 2], ellipsis, things[-1]]
