"""Arguments and results made of tuples, lists, dicts and dataclasses: taken apart into leaves, and put together."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import fields
from types import NoneType
from typing import Any

import numpy as np

from .trace_errors import InputError

LEAVES = frozenset({np.ndarray, np.float64, float, int, str, NoneType})
"""Types of the most usual leaves."""


def is_container(value: Any) -> bool:
    """Whether a value is a structure of leaves; a list of plain numbers (nested, regular) is one array instead."""
    kind = type(value)  # of traced values, isinstance would have to ask what they pass for
    if kind in LEAVES:
        return False
    if issubclass(kind, list):
        return not _is_array_like(value)
    return issubclass(kind, (tuple, dict)) or hasattr(kind, "__dataclass_fields__")  # unions take longer


def is_dataclass(value: Any) -> bool:
    """Return whether a value is of a dataclass; its fields are its parts."""
    return hasattr(type(value), "__dataclass_fields__")


def parts_of(container: Any) -> Any:
    """Return the parts of a structure by their keys: those of a dataclass in a dict, other structures as they are."""
    if not is_dataclass(container):
        return container
    return {each.name: getattr(container, each.name) for each in fields(container)}


def _inside(name: str, container: Any, key: Any) -> str:
    return f"{name}.{key}" if is_dataclass(container) else f"{name}[{key!r}]"


def _is_array_like(value: list) -> bool:
    try:
        return _is_of_numbers(value) and bool(np.asarray(value).dtype != object)
    except ValueError:  # rows of different lengths
        return False


def _is_of_numbers(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_of_numbers, value))
    return isinstance(value, int | float | complex | str | np.generic)


def leaves(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the leaves of a structure in order, each with a name such as ``params['W'][0]``."""
    if not is_container(value):
        yield name, value
        return
    parts, is_named = parts_of(value), is_dataclass(value)
    for key, inner in parts.items() if isinstance(parts, dict) else enumerate(parts):
        inside = f"{name}.{key}" if is_named else f"{name}[{key!r}]"
        if type(inner) in LEAVES:
            yield inside, inner
        else:
            yield from leaves(inner, inside)


def rebuild(value: Any, new_leaves: Iterator[Any]) -> Any:
    """Return a structure like ``value`` with other leaves."""
    if not is_container(value):
        return next(new_leaves)
    if isinstance(value, dict):
        return {key: rebuild(inner, new_leaves) for key, inner in value.items()}
    if is_dataclass(value):
        renewed = copy(value)  # without its __init__, which may be for numbers only
        for key, inner in parts_of(value).items():
            object.__setattr__(renewed, key, rebuild(inner, new_leaves))
        return renewed
    rebuilt = [rebuild(inner, new_leaves) for inner in value]
    if isinstance(value, list):
        return rebuilt
    return type(value)(*rebuilt) if hasattr(value, "_fields") else tuple(rebuilt)


def matched(value: Any, like: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the leaves of a structure that must be as ``like`` is, in the order of ``like``, each with a name.

    A tuple may stand for a list and a dict may have another order; raises :class:`~adviz.InputError` that says what was
    expected and what was got.
    """
    if not is_container(like):
        found, expected = np.shape(value) if not is_container(value) else None, np.shape(like)
        if found != expected:
            raise InputError(f"{name} is {kind_of(value)}; expected {kind_of(like)}.")
        yield name, value
        return
    given, expected = parts_of(value), parts_of(like)
    is_structure = isinstance(value, list) or is_container(value)  # of plain numbers, too, where each is a leaf
    is_alike = is_structure and isinstance(expected, dict) is isinstance(given, dict)
    if not is_alike or is_dataclass(like) is not is_dataclass(value) or _keys(given) != _keys(expected):
        raise InputError(f"{name} is {kind_of(value)}; expected {kind_of(like)}.")
    for key, inner in expected.items() if isinstance(expected, dict) else enumerate(expected):
        yield from matched(given[key], inner, _inside(name, like, key))


def _keys(container: Any) -> Any:
    return set(container) if isinstance(container, dict) else len(container)


def kind_of(value: Any) -> str:
    """Describe a structure or a leaf in a few words."""
    if isinstance(value, dict):
        return f"a dict of {', '.join(map(repr, value)) or 'nothing'}"
    if is_dataclass(value):
        return f"a {type(value).__name__} of {', '.join(parts_of(value)) or 'nothing'}"
    if is_container(value):
        return f"a {type(value).__name__} of {len(value)}"
    if value is None or isinstance(value, str):
        return repr(value)
    return f"an array of shape {np.shape(value)}" if np.ndim(value) else "a number"
