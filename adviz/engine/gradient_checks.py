"""Whether a gradient written by hand is the gradient, and what the usual mistakes look like."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .derivatives import value_and_grad
from .pytrees import is_container, kind_of, parts_of
from .trace import parameter_names
from .trace_errors import GradientError

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
    found = gradient(*args, **settings) if callable(gradient) else gradient
    names = parameter_names(f, len(args))
    if isinstance(argnums, int | np.integer):
        pairs = _pairs(found, wanted, names[argnums])
    elif isinstance(found, tuple | list) and len(found) == len(wanted):
        triples = zip(found, wanted, argnums, strict=True)
        pairs = (pair for one, other, place in triples for pair in _pairs(one, other, names[place]))
    else:
        pairs = iter([("its arguments", found, wanted)])
    wrong = [f"with respect to {name}: {said}" for name, one, other in pairs if (said := _mistake(one, other))]
    if wrong:
        title = getattr(f, "__name__", type(f).__name__)
        raise GradientError("\n  ".join([f"The gradient of {title} is wrong.", *wrong]))


def _pairs(found: Any, wanted: Any, name: str) -> Iterator[tuple[str, Any, Any]]:
    """The arrays of two structures with their names; where the structures differ, what stands there."""
    if not is_container(wanted):
        yield name, found, wanted
        return
    found, wanted = parts_of(found), parts_of(wanted)
    keys = list(wanted) if isinstance(wanted, dict) else list(range(len(wanted)))
    has_keys = is_container(found) and set(keys) == set(found if isinstance(found, dict) else range(len(found)))
    if not has_keys or isinstance(found, dict) is not isinstance(wanted, dict):
        yield name, found, wanted
        return
    for key in keys:
        yield from _pairs(found[key], wanted[key], f"{name}[{key!r}]")


def _mistake(found: Any, wanted: Any) -> str:
    """What is wrong with an array of a gradient, and what was probably forgotten; "" if it is right."""
    if is_container(found) or is_container(wanted) or found is None:
        return f"{kind_of(found)}, expected {kind_of(wanted)}."
    one, other = np.asarray(found, float), np.asarray(wanted, float)
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
    found: np.ndarray = np.abs(one - other) <= CLOSE * np.max(np.abs(other), initial=1e-300)
    return found


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
