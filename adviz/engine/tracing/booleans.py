"""What operators and reductions make of comparisons that are nodes: what they make of NumPy's booleans, or Python's."""

from __future__ import annotations

from sys import _getframe
from types import FrameType
from typing import Any

import numpy as np

from ..blocks import BLOCK_OF, Block
from ..object_arrays import as_plain_array, is_of_objects
from ..rules.reshaping import CAST
from ..rules.selection import CONDITIONS
from ..variable import Variable

COUNTING = frozenset({np.add, np.multiply})
"""Ufuncs whose reductions take booleans for 0 and 1."""

CONNECTED = {
    BLOCK_OF[ufunc]: CONDITIONS[connective]
    for connective, ufuncs in ((np.logical_or, (np.add, np.maximum)), (np.logical_and, (np.multiply, np.minimum)))
    for ufunc in ufuncs
}
"""What NumPy's functions are of two booleans."""


def is_boolean_node(value: Any) -> bool:
    """Return whether a value is a comparison, or made of such, in a trace that is to hold at every point."""
    return isinstance(value, Variable) and value.dtype == bool


def has_number_nodes(value: Any) -> bool:
    """Return whether a value is traced, or has traced entries, that are no booleans."""
    entries = as_plain_array(value).flat if is_of_objects(value) else (value,)
    return any(isinstance(each, Variable) and each.dtype != bool for each in entries)


def alike(conditions: Any) -> Any:
    """Make all entries of conditions nodes, or none of them: two booleans of NumPy add up to True, and not to 2."""
    if not is_of_objects(conditions):
        return conditions
    entries = as_plain_array(conditions)
    nodes = [each for each in entries.flat if isinstance(each, Variable)]
    if not nodes:
        return entries.astype(bool)
    for place, entry in np.ndenumerate(entries):
        if not isinstance(entry, Variable):
            connective = np.logical_or if entry else np.logical_and  # c or True is True, c and False is False
            entries[place] = CONDITIONS[connective](nodes[0], entry)
    return conditions


def counted(entries: np.ndarray) -> np.ndarray:
    """Return entries with the numbers 1 and 0 in the place of booleans that are nodes."""
    result = entries.copy()
    for place, entry in np.ndenumerate(entries):
        if is_boolean_node(entry):
            result[place] = entry * 1.0
    return result


def of_booleans(block: Block, left: Any, right: Any) -> tuple[Block, Any, Any]:
    """Return a Block and its operands, some of which are nodes of booleans, as they are to be computed.

    Two booleans of NumPy's add up to a boolean; those of Python are whole numbers that are computed with. Where NumPy
    adds up the entries of a list, as in ``np.sum([x > 0, y > 0])``, they are numbers, too.

    >>> import adviz
    >>> f = lambda x: ((x[0] > 0) + (x[1] > 0)) * x[0]
    >>> f(np.ones(2)), adviz.compile_gradient(f, np.ones(2), grain="scalar")(np.ones(2)).value
    (np.float64(1.0), 1.0)
    """
    tape = left.tape if isinstance(left, Variable) else right.tape
    if not tape.has_arrays and not np.ndim(left) and not np.ndim(right):
        if tape.grain == "array":
            left, right = (CAST(side, np.dtype(int)) if is_boolean_node(side) else side for side in (left, right))
    elif all(is_boolean_node(side) or type(side) in (bool, np.bool_) for side in (left, right)):
        if block is BLOCK_OF[np.subtract]:
            np.subtract(True, True)  # raises NumPy's error
        block = block if _package_that_asks() == "numpy" else CONNECTED.get(block, block)
    return block, left, right


def _package_that_asks() -> str:
    frame: FrameType | None = _getframe(1)
    package = "adviz"
    while frame is not None and package == "adviz":
        package = frame.f_globals.get("__name__", "").partition(".")[0]
        frame = frame.f_back
    return package
