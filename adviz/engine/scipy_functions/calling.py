"""Calling SciPy's own functions with plain numbers, and choosing by conditions, which may be traced."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..functions.arguments import Patches, data_of, holds_traced, joined
from ..tape import current_tape, untraced
from ..tracing.constructors import ORIGINALS, array_for_a_program
from ..tracing.function_calls import is_symbolic
from ..variable import Variable


def holds(condition: Any) -> bool:
    """Whether a condition is known to hold everywhere: one that is a node, or holds at some entries only, is not."""
    return not isinstance(condition, Variable) and np.asarray(condition).dtype == bool and bool(np.all(condition))


def chosen(condition: Any, value: Callable[[Any], Any], outside: Any, z: Any, within: Any) -> Any:
    """``value(z)`` where a condition holds, and ``outside`` elsewhere; the formula gets only the former."""
    if holds(condition):
        return value(z)
    return np.where(condition, value(np.where(condition, z, within)), outside)


class Watched:
    """A function of the program as SciPy's searches can call it: its results are plain; notes whether some were traced.

    Nodes that it makes from traced values are part of the graph, though nothing depends on them.
    """

    def __init__(self, function: Any, args: Any = ()):
        self.function, self.args, self.is_traced = function, args if isinstance(args, tuple) else (args,), False
        self.tape = current_tape()

    def __call__(self, *numbers: Any) -> Any:
        with untraced(self.tape):
            value = self.function(*numbers, *self.args)
        if not holds_traced(value):
            return value
        self.is_traced = True
        return data_of(value)


def searched(original: Any, settings: dict[str, Any]) -> Any:
    """Return the value of SciPy's own version on plain numbers; the functions that it calls are traced."""
    with untraced():
        return original(**settings)


OF_ONE = frozenset({"random_state", "rng", "seed"})
"""Names that SciPy has for one argument: it takes at most one of them."""


def bound(original: Any, args: tuple[Any, ...], settings: dict[str, Any]) -> dict[str, Any]:
    """Return all arguments of a call by name, defaults included."""
    call = inspect.signature(original).bind(*args, **settings)
    absent = OF_ONE - call.arguments.keys()
    call.apply_defaults()
    named = {name: value for name, value in call.arguments.items() if name not in absent}
    for name, parameter in call.signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            named |= named.pop(name)
    return named


def grain() -> str:
    """Return the grain of the trace that runs."""
    tape = current_tape()
    return "array" if tape is None else tape.grain


def apply_where(cond: Any, args: Any, f1: Any, f2: Any = None, /, *, fill_value: Any = None, xp: Any = None) -> Any:
    """Return one function where a condition holds, another one or a number elsewhere, each on its own entries."""
    args = tuple(map(joined, args)) if isinstance(args, tuple | list) else (args,)
    other = f2 if f2 is not None else (lambda *args: np.nan if fill_value is None else fill_value)
    if is_symbolic():
        return np.where(cond, f1(*args), other(*args))
    cond = np.asarray(data_of(cond))
    if cond.all() or not cond.any():
        return np.broadcast_to(
            (f1 if cond.all() else other)(*args), np.broadcast_shapes(cond.shape, *map(np.shape, args))
        )
    return np.where(cond, f1(*_within(cond, args)), other(*_within(~cond, args)))


def _within(cond: Any, args: tuple[Any, ...]) -> list[Any]:
    """Return arguments, with those of the first entry where a condition holds repeated where it does not."""
    place = np.unravel_index(int(np.argmax(cond)), np.shape(cond))
    whole = [np.broadcast_to(arg, np.broadcast_shapes(np.shape(cond), np.shape(arg))) for arg in args]
    return [np.where(cond, arg, data_of(arg)[(..., *place)]) for arg in whole]


def as_namespaced_array(
    array: Any, dtype: Any = None, order: Any = None, copy: Any = None, *, xp: Any = None, **settings: Any
) -> Any:
    """What SciPy's functions for any array library make of an argument: one Variable of all entries in that grain."""
    original = ORIGINALS["array" if copy is True else "asarray"]
    return array_for_a_program(original, array, dtype=dtype, order=order)


def updated(self: Any, kind: Any, in_place: Any, out_of_place: Any, y: Any, *args: Any, **settings: Any) -> Any:
    """Return ``at(x)[key].add(y)`` and its like: an array that is written to in one place, and else the same."""
    x = self._x.copy()
    x[self._idx] = y if in_place is None else in_place(x[self._idx], y)
    return x


METHODS: Patches = {"at._op": updated}

FUNCTIONS: Patches = {
    **dict.fromkeys(("_asarray", "asarray"), as_namespaced_array),
    "apply_where": apply_where,
    "_lazywhere": lambda cond, arrays, f, fillvalue=None, f2=None: apply_where(  # its name before SciPy 1.16
        cond, tuple(arrays), f, f2, fill_value=fillvalue
    ),
}
