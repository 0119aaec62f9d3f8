"""Equal numbers that decide what a function does: derivatives of derivatives are asked of the points around them.

An order, the place of the largest entry and the interval that a number is in are computed on plain numbers. Where an
outer trace records the derivative of what is made of them, it is to know of numbers that are equal there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import contents
from ..devices import as_like
from ..object_arrays import as_plain_array, is_of_objects
from ..rules.elementwise import holds_objects, note_tie
from ..rules.kinks import FIRST, LAST, in_intervals, neighbours
from ..tape import running_tapes
from ..variable import Variable, scalars
from .arguments import Rules, joined


def note_ties(x: Any, z: Any = 0.0) -> None:
    """Note equal numbers where an outer trace records the derivative of what is decided."""
    if is_of_objects(x) or is_of_objects(z):
        for one, other in np.broadcast(as_plain_array(scalars(x)), as_plain_array(scalars(z))):
            if is_nested(one) or is_nested(other):
                note_ties(one, other)
            elif isinstance(one, Variable) or isinstance(other, Variable):
                return  # so are the other entries, which are of the same trace
    elif is_nested(x) or is_nested(z):
        one, other = (each.data if isinstance(each, Variable) else contents(each) for each in (x, z))
        note_tie(as_like(one, other), as_like(other, one))


def is_nested(x: Any) -> bool:
    """Return whether a value is traced by two traces."""
    return isinstance(x, Variable) and (isinstance(x.data, Variable) or holds_objects(x.data))


def note_steps(later: Any, earlier: Any, axis: int) -> None:
    """Note the entries along an axis that are equal to those before them."""
    note_ties(np.moveaxis(later, axis, 0)[1:], np.moveaxis(earlier, axis, 0)[:-1])


def _may_be_nested(x: Any) -> bool:
    return is_nested(x) or is_of_objects(x) or isinstance(x, list | tuple)


def note_decision(function: Any, args: Sequence[Any], settings: dict[str, Any]) -> None:
    """Note the equal numbers among the arguments of a function of ``DECIDED``."""
    if function in DECIDED and len(running_tapes()) > 1 and any(map(_may_be_nested, args)):
        note_ties(*DECIDED[function](*args, **settings))


DECIDED: Rules = {
    **dict.fromkeys((np.argmax, np.nanargmax), lambda a, axis=None, **others: neighbours(a, axis, LAST)),
    **dict.fromkeys((np.argmin, np.nanargmin), lambda a, axis=None, **others: neighbours(a, axis, FIRST)),
    **dict.fromkeys((np.argsort, np.unique), lambda a, axis=-1, *others, **settings: neighbours(a, axis)),
    **dict.fromkeys((np.argpartition, np.partition), lambda a, kth, axis=-1, *others, **settings: neighbours(a, axis)),
    np.lexsort: lambda keys, axis=-1: neighbours(joined(keys[-1]), axis),
    np.searchsorted: lambda a, v, *others, **settings: in_intervals(v, a),
    np.digitize: lambda x, bins, *others, **settings: in_intervals(x, bins),
    np.unwrap: lambda p, discont=None, axis=-1, *, period=2 * np.pi: (
        np.remainder(np.diff(p, axis=axis) + period / 2, period),
        0.0,
    ),
    np.interp: lambda x, xp, *others, **settings: in_intervals(x, xp),
    **dict.fromkeys(
        (np.nonzero, np.flatnonzero, np.argwhere, np.count_nonzero, np.any, np.all),
        lambda a, *others, **settings: (a, 0.0),
    ),
}
"""Functions of numbers that decide something where two of them are equal: which."""
