"""Arguments and results made of tuples, lists and dicts of arrays: taken apart into leaves and put together again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .trace_errors import InputError


def is_container(value: Any) -> bool:
    """Whether a value is a structure of leaves; a list of plain numbers (nested, regular) is one array instead."""
    kind = type(value)  # of traced values, isinstance would have to ask what they pass for
    if issubclass(kind, list):
        return not _is_array_like(value)
    return issubclass(kind, (tuple, dict))  # a union takes three times as long


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
    """The leaves of a structure in order, each with a name such as ``params['W'][0]``."""
    if not is_container(value):
        yield name, value
        return
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield from leaves(inner, f"{name}[{key!r}]")


def rebuild(value: Any, new_leaves: Iterator[Any]) -> Any:
    """A structure like ``value`` with other leaves."""
    if not is_container(value):
        return next(new_leaves)
    if isinstance(value, dict):
        return {key: rebuild(inner, new_leaves) for key, inner in value.items()}
    rebuilt = [rebuild(inner, new_leaves) for inner in value]
    if isinstance(value, list):
        return rebuilt
    return type(value)(*rebuilt) if hasattr(value, "_fields") else tuple(rebuilt)


def matched(value: Any, like: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The leaves of a structure that must be as ``like`` is, in the order of ``like``, each with a name.

    A tuple may stand for a list and a dict may have another order; raises :class:`~adviz.InputError` that says what was
    expected and what was got.
    """
    if not is_container(like):
        found, expected = np.shape(value) if not is_container(value) else None, np.shape(like)
        if found != expected:
            raise InputError(f"{name} is {kind_of(value)}; expected {kind_of(like)}.")
        yield name, value
        return
    is_structure = isinstance(value, list) or is_container(value)  # of plain numbers, too, where each is a leaf
    if isinstance(like, dict) is not isinstance(value, dict) or not is_structure or _keys(value) != _keys(like):
        raise InputError(f"{name} is {kind_of(value)}; expected {kind_of(like)}.")
    for key, inner in like.items() if isinstance(like, dict) else enumerate(like):
        yield from matched(value[key], inner, f"{name}[{key!r}]")


def _keys(container: Any) -> Any:
    return set(container) if isinstance(container, dict) else len(container)


def kind_of(value: Any) -> str:
    """Describe a structure or a leaf in a few words."""
    if isinstance(value, dict):
        return f"a dict of {', '.join(map(repr, value)) or 'nothing'}"
    if is_container(value):
        return f"a {type(value).__name__} of {len(value)}"
    if value is None or isinstance(value, str):
        return repr(value)
    return f"an array of shape {np.shape(value)}" if np.ndim(value) else "a number"
