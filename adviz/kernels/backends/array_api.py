"""Programs on any library whose arrays follow the array API standard (data-apis.org/array-api).

Operators are those of the arrays, and functions are looked up by the names of the standard; an operation that is not in
the standard is the library's own function, or composed of standard ones. Arrays keep their device and their dtype; a
library can compile or differentiate a program as any function of its arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial, reduce
from importlib import import_module
from typing import Any

import numpy as np

from ...engine.trace_errors import InputError
from ..expressions.expressions import OPERATIONS
from ..points.batches import Batch, Leaf, batch
from ..points.results import Part
from ..points.source_text import compiled, place_names, point_names, tuple_text, written
from ..program_errors import missing_operation
from ..schedules import Instruction, Schedule
from .standard_functions import NAMES, bound_to

STANDARD = {name: each.numeric.standard for name, each in OPERATIONS.items() if each.numeric.standard}
"""The standard's names of functions that have other names in NumPy."""

SPECIAL = {"jax.numpy": ["jax.scipy.special"], "torch": ["torch.special"]}
"""The modules in which libraries have the functions of ``scipy.special``."""

OTHERWISE: dict[tuple[str, str], Callable[..., Any]] = {
    ("torch", "sign"): lambda xp, x: xp.where(x != x, x, xp.sign(x)),
    ("torch", "heaviside"): lambda xp, x, half: bound_to(xp)["heaviside"](x, half),
}
"""Replacements for functions of libraries that return a number for NaN."""


def function_of(xp: Any, name: str) -> Callable[..., Any]:
    """Return the function of a library for an operation. Raises :class:`~adviz.ProgramError` if there is none.

    >>> function_of(np, "arcsin") is np.asin
    True
    """
    if own := OTHERWISE.get((xp.__name__, name)):
        return partial(own, xp)
    for library in (xp, *map(import_module, SPECIAL.get(xp.__name__, ()))):
        for word in (STANDARD.get(name, name), name):
            if hasattr(library, word):
                result: Callable[..., Any] = getattr(library, word)
                return result
    if name not in NAMES:
        raise missing_operation(name, xp.__name__)
    composed: Callable[..., Any] = bound_to(xp)[name]
    return composed


def is_operator(instruction: Instruction) -> bool:
    """Return whether an instruction is a binary operator: one of its operands may then be a Python number."""
    return bool(OPERATIONS[instruction.operation].numeric.operator) and len(instruction.operands) == 2


def array_source(schedule: Schedule) -> tuple[str, list[int]]:
    """Write a function of rows, and of the constants that must be arrays: arguments of calls, and outputs.

    >>> import adviz
    >>> program = adviz.compile_gradient(lambda x: np.maximum(x, 0.5) * 0.5, 1.0, inputs=[])
    >>> print(array_source(program.schedule)[0])
    def program(x0, c4):
        v5 = maximum(x0, c4)
        v10 = 0.5 * v5
        return (v10,)
    """
    numbers = point_names(schedule)
    arrays = place_names(schedule)
    lines = [f"{arrays[each.place]} = {_written(each, numbers, arrays)}" for each in schedule.instructions]
    lines.append(f"return {tuple_text([arrays[place] for place in schedule.outputs])}")
    used = {*schedule.outputs}.union(*(each.operands for each in schedule.instructions if not is_operator(each)))
    taken = sorted(used & schedule.constants.keys())
    names = [arrays[place] for place in (*schedule.inputs, *taken)]
    return "\n    ".join([f"def program({', '.join(names)}):", *lines]), taken


def _written(instruction: Instruction, numbers: dict[int, str], arrays: dict[int, str]) -> str:
    if OPERATIONS[instruction.operation].numeric.is_connective:
        arrays = arrays | {k: f"({arrays[k]} != 0)" for k in instruction.operands if numbers[k] != arrays[k]}
    return written(instruction, numbers if is_operator(instruction) else arrays)


class Namespace:
    """A program on the arrays of a library."""

    is_on_numpy = False

    def __init__(self, schedule: Schedule, xp: Any):
        self.schedule, self.xp = schedule, xp
        source, self.constants = array_source(schedule)
        needed = dict.fromkeys(
            each.operation for each in schedule.instructions if not OPERATIONS[each.operation].numeric.operator
        )
        functions = {name: function_of(xp, name) for name in needed}
        self.function = compiled(source, functions | {"inf": math.inf, "nan": math.nan})
        self.batch = batch_on(xp)

    def __call__(self, given: Batch, parts: list[Part], points: str) -> list[Any]:
        xp = self.xp
        rows = [matrix[k, :] for matrix in given.matrices for k in range(matrix.shape[0])]
        like = rows[0] if rows else xp.asarray(0.0)
        number = partial(xp.asarray, dtype=like.dtype, **device_of(like))
        constants = [number(float(self.schedule.constants[place])) for place in self.constants]
        length = () if given.length is None else (given.length,)
        count = length or (1,)
        outputs = [xp.broadcast_to(row, count) for row in self.function(*rows, *constants)]
        zero = xp.broadcast_to(number(0.0), count)
        arrays = []
        for part in parts:
            numbers = part.numbers(outputs, zero)
            stacked = xp.stack(numbers, axis=-1 if points == "first" else 0) if numbers else number([])
            arrays.append(xp.reshape(stacked, part.leaf.shape_of(length, points)))
        return arrays


def batch_on(xp: Any) -> Callable[..., Batch]:
    """Return what makes a batch of arguments in the arrays of a library: :func:`~..points.batches.batch`."""
    return partial(batch, convert=partial(converted, xp), reshape=xp.reshape)


def converted(xp: Any, leaves: Sequence[Leaf], values: Sequence[Any]) -> list[Any]:
    """Convert values to arrays of a library, of one floating-point dtype, on the device of those that are already its.

    Raises :class:`~adviz.InputError` unless they are real numbers.
    """
    default = xp.asarray(0.0)
    own = [value for value in values if hasattr(value, "dtype") and not isinstance(value, np.ndarray | np.generic)]
    like = next((value for value in own if "float" in str(value.dtype)), default)
    arrays = [
        _array(xp, leaf, value, like, device_of(own[0]) if own else {})
        for leaf, value in zip(leaves, values, strict=True)
    ]
    widest = reduce(lambda one, other: one if xp.result_type(one, other) == one.dtype else other, arrays or [default])
    return [array if array.dtype == widest.dtype else cast(xp, array, widest.dtype) for array in arrays]


def device_of(array: Any) -> dict[str, Any]:
    """Return the device of an array, as a keyword argument: JAX needs none, and CuPy uses one device at a time."""
    is_said = hasattr(array, "device") and not type(array).__module__.startswith(("jax", "cupy"))
    return {"device": array.device} if is_said else {}


def _array(xp: Any, leaf: Leaf, value: Any, like: Any, device: dict[str, Any]) -> Any:
    if isinstance(value, np.ndarray | np.generic) or not hasattr(value, "dtype"):
        dtype = {} if hasattr(value, "dtype") else {"dtype": like.dtype}
        try:
            value = xp.asarray(value, **dtype, **device)
        except (TypeError, ValueError, RuntimeError) as reason:
            raise InputError(f"{leaf.name} is not an array of real numbers: {reason}") from None
    kind = str(value.dtype)
    if "float" in kind:
        return value
    if "int" in kind or "bool" in kind:
        return cast(xp, value, like.dtype)
    raise InputError(f"{leaf.name} is of dtype {kind}, not of real numbers.")


def cast(xp: Any, array: Any, dtype: Any) -> Any:
    """Convert an array to another dtype."""
    return xp.astype(array, dtype) if hasattr(xp, "astype") else array.to(dtype)  # PyTorch has only a method
