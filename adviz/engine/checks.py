"""Whether a Block's Jacobians are the derivatives of its value."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from .blocks import Block, Settings, as_operand
from .trace_errors import BlockError

STEP = 1e-6
"""Of central differences, relative to the entry."""

CENTRAL, COMPLEX = (1e-6, 1e-9), (1e-10, 1e-14)
"""What is allowed: a part of the largest entry of the Jacobian, and one of the value, whose rounding steps divide."""


def check_block(block: Block, *points: Any, **settings: Any) -> None:
    """Compare the Jacobians of a Block at some operands with central differences and complex steps.

    ``points`` are the operands: numbers or arrays. Complex steps are taken where ``data_fn`` computes with complex
    numbers, and know all digits; central differences know about eight. Raises :class:`~adviz.BlockError` with the
    entries that are wrong.

    >>> from adviz import SimpleBlock
    >>> class cube(SimpleBlock):
    ...     def data_fn(self, x):
    ...         return x.data**3
    ...
    ...     def gradient_fn(self, x):
    ...         return 2 * x.data**2
    >>> check_block(cube(), [1.0, 2.0])
    Traceback (most recent call last):
    adviz.engine.trace_errors.BlockError: The Jacobian of the Block cube is wrong.
      operand 0, row 0, column 0: the Block says 2, central differences 3, complex steps 3
      operand 0, row 1, column 1: the Block says 8, central differences 12, complex steps 12
    """
    if not isinstance(block, Block):
        raise TypeError("check_block needs a Block: an instance, such as check_block(my_block(), point)")
    operands = [np.array(point, float) for point in points]
    further = (Settings(settings),) if settings else ()
    value = np.asarray(block.compute(*operands, *further))
    jacobians = block.local_jacobians(value, [*operands, *further], range(len(operands)))
    wrong = [
        line
        for place, jacobian in enumerate(jacobians)
        if jacobian is not None
        for line in _wrong_entries(block, operands, place, jacobian.dense(), further)
    ]
    if wrong:
        more = [f"and {len(wrong) - 5} more"] if len(wrong) > 5 else []
        raise BlockError("\n  ".join([f"The Jacobian of the Block {block.name} is wrong.", *wrong[:5], *more]))


def _wrong_entries(
    block: Block, operands: list[np.ndarray], place: int, matrix: np.ndarray, further: tuple[Settings, ...]
) -> Iterator[str]:
    """The entries of one local Jacobian that differ from what differences say."""
    if not matrix.size:
        return
    size = float(np.max(np.abs(block.compute(*operands, *further))))
    central = np.stack([*_central(block, operands, place, further)], axis=1)
    exact = _complex_steps(block, operands, place, further)
    if exact is not None and not np.allclose(exact, central, rtol=1e-3, atol=1e-3 * np.max(np.abs(central))):
        exact = None  # the function is not holomorphic: it took an absolute value, say
    known, (relative, rounding) = (central, CENTRAL) if exact is None else (exact, COMPLEX)
    allowed = relative * np.max(np.abs(known)) + rounding * size
    for row, column in np.argwhere(~(np.abs(matrix - known) <= allowed)):
        said = {"the Block says": matrix, "central differences": central, "complex steps": exact}
        numbers = {words: found[row, column] for words, found in said.items() if found is not None}
        digits = next(d for d in (6, 9, 12, 17) if d == 17 or len({f"{x:.{d}g}" for x in numbers.values()}) > 1)
        told = ", ".join(f"{words} {found:.{digits}g}" for words, found in numbers.items())
        yield f"operand {place}, row {row}, column {column}: {told}"


def _shifted(operands: list[np.ndarray], place: int, entry: int, by: complex) -> list[np.ndarray]:
    changed = operands[place].astype(type(by))
    changed.reshape(-1)[entry] += by
    return [*operands[:place], changed, *operands[place + 1 :]]


def _central(block: Block, operands: list[np.ndarray], place: int, further: tuple[Any, ...]) -> Iterator[np.ndarray]:
    for entry in range(operands[place].size):
        step = STEP * max(1.0, abs(float(operands[place].reshape(-1)[entry])))
        ahead, behind = (block.compute(*_shifted(operands, place, entry, by), *further) for by in (step, -step))
        yield np.ravel(np.subtract(ahead, behind)) / (2 * step)


def _complex_steps(block: Block, operands: list[np.ndarray], place: int, further: tuple[Any, ...]) -> np.ndarray | None:
    """The derivative by complex steps (Squire and Trapp 1998); ``None`` where the value stays real."""
    columns, settings = [], further[0].values if further else {}
    for entry in range(operands[place].size):
        shifted = map(as_operand, _shifted(operands, place, entry, 1e-30j))
        with warnings.catch_warnings():
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            try:
                value = np.asarray(block.data_fn(*shifted, **settings))
            except (TypeError, ValueError, np.exceptions.ComplexWarning):
                return None
        if value.dtype.kind != "c":
            return None
        columns.append(np.ravel(value.imag) / 1e-30)
    return np.stack(columns, axis=1) if columns else None
