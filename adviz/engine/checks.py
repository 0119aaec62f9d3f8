"""Whether derivatives are right: the Jacobians of a Block, and what any function says is its gradient."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .blocks import Block, Settings, as_operand
from .calls import is_container, kind_of, parts_of
from .derivatives import value_and_grad
from .trace import parameter_names
from .trace_errors import BlockError, GradientError

# ---- of a derivative ----


CLOSE = 1e-6
"""What is allowed, as a part of the largest entry of an array: a gradient by hand may round in another way."""
SHOWN = 3
"""Entries of an array that are shown, at most."""
HINT = "\n    "


def check_gradient(
    f: Callable[..., Any], gradient: Any, /, *args: Any, argnums: int | Sequence[int] = 0, **settings: Any
) -> None:
    """Compare a gradient that you have written yourself with the one that reverse mode computes.

    ``gradient`` is a function of the arguments of ``f``, or what such a function returned: a number or an array for one
    argument, a tuple of them for a sequence of ``argnums``, structured as :func:`adviz.grad` returns it. Raises
    :class:`~adviz.GradientError` if a shape or an entry is wrong, and says what was probably forgotten: a sum over the
    batch, a factor, a sign, a transpose.

    >>> def loss(W, b, x):
    ...     return np.sum((x @ W + b) ** 2)
    >>> def by_hand(W, b, x):
    ...     z_adj = 2 * (x @ W + b)
    ...     return x.T @ z_adj, z_adj
    >>> example = np.ones((3, 2)), np.ones(2), np.ones((4, 3))
    >>> check_gradient(loss, by_hand, *example, argnums=(0, 1))
    Traceback (most recent call last):
    adviz.engine.trace_errors.GradientError: The gradient of loss is wrong.
      with respect to b: an array of shape (4, 2), expected an array of shape (2,).
        Its sum over axis 0 is right: what every row uses receives the sum over the rows.
    """
    _, wanted = value_and_grad(f, argnums)(*args, **settings)
    result = gradient(*args, **settings) if callable(gradient) else gradient
    names = parameter_names(f, len(args))
    if isinstance(argnums, int | np.integer):
        pairs = _pairs(result, wanted, names[argnums])
    elif isinstance(result, tuple | list) and len(result) == len(wanted):
        triples = zip(result, wanted, argnums, strict=True)
        pairs = (pair for one, other, place in triples for pair in _pairs(one, other, names[place]))
    else:
        pairs = iter([("its arguments", result, wanted)])
    wrong = [f"with respect to {name}: {said}" for name, one, other in pairs if (said := _mistake(one, other))]
    if wrong:
        title = getattr(f, "__name__", type(f).__name__)
        raise GradientError("\n  ".join([f"The gradient of {title} is wrong.", *wrong]))


def _pairs(value: Any, wanted: Any, name: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the arrays of two structures with their names; where the structures differ, what stands there."""
    if not is_container(wanted):
        yield name, value, wanted
        return
    value, wanted = parts_of(value), parts_of(wanted)
    keys = list(wanted) if isinstance(wanted, dict) else list(range(len(wanted)))
    has_keys = is_container(value) and set(keys) == set(value if isinstance(value, dict) else range(len(value)))
    if not has_keys or isinstance(value, dict) is not isinstance(wanted, dict):
        yield name, value, wanted
        return
    for key in keys:
        yield from _pairs(value[key], wanted[key], f"{name}[{key!r}]")


def _mistake(given: Any, wanted: Any) -> str:
    """Return what is wrong with an array of a gradient, and what was probably forgotten; "" if it is right."""
    if is_container(given) or is_container(wanted) or given is None:
        return f"{kind_of(given)}, expected {kind_of(wanted)}."
    one, other = np.asarray(given, float), np.asarray(wanted, float)
    if one.shape != other.shape:
        return f"{kind_of(one)}, expected {kind_of(other)}.{_forgotten_sum(one, other) or _turned(one, other)}"
    wrong = np.argwhere(~_are_close(one, other))
    if not len(wrong):
        return ""
    worst = sorted(map(tuple, wrong.tolist()), key=lambda place: -abs(one[place] - other[place]))
    entries = ", ".join(f"{_place(place)}{one[place]:.6g} instead of {other[place]:.6g}" for place in worst[:SHOWN])
    more = f", and {len(worst) - SHOWN} more" if len(worst) > SHOWN else ""
    return f"{entries}{more}.{_turned(one, other) or _factor(one, other)}"


def _place(place: tuple[int, ...]) -> str:
    return f"entry {list(place)} is " if place else ""


def _are_close(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    result: np.ndarray = np.abs(one - other) <= CLOSE * np.max(np.abs(other), initial=1e-300)
    return result


def _forgotten_sum(one: np.ndarray, other: np.ndarray) -> str:
    for axis in range(one.ndim):
        total = one.sum(axis)
        if total.shape == other.shape and _are_close(total, other).all():
            return f"{HINT}Its sum over axis {axis} is right: what every row uses receives the sum over the rows."
    return ""


def _turned(one: np.ndarray, other: np.ndarray) -> str:
    is_turned = one.ndim == 2 and one.T.shape == other.shape and _are_close(one.T, other).all()
    return f"{HINT}Its transpose is right." if is_turned else ""


def _factor(one: np.ndarray, other: np.ndarray) -> str:
    """By which number all entries are wrong, if that is one."""
    if not other.any() or not one.any():
        return ""
    place = np.unravel_index(np.argmax(np.abs(other)), other.shape)
    factor = one[place] / other[place]
    if not factor or not _are_close(one / factor, other).all():
        return ""
    said = "The sign is wrong." if np.isclose(factor, -1) else f"All entries are {factor:.6g} times the right ones."
    return f"{HINT}{said}"


# ---- of a Block ----


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
    """Yield the entries of one local Jacobian that differ from what differences say."""
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
        numbers = {words: result[row, column] for words, result in said.items() if result is not None}
        digits = next(d for d in (6, 9, 12, 17) if d == 17 or len({f"{x:.{d}g}" for x in numbers.values()}) > 1)
        text = ", ".join(f"{words} {result:.{digits}g}" for words, result in numbers.items())
        yield f"operand {place}, row {row}, column {column}: {text}"


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
    """Return the derivative by complex steps (Squire and Trapp 1998); ``None`` where the value stays real."""
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
