"""The tables of what NumPy's functions are on traced values, and what all calls of them have in common."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from ..apply import as_vectors
from ..arrays.object_arrays import ObjectArray, as_numbers, as_object_array, has_only_numbers
from ..complex_numbers import complex_functions
from ..functions import registry
from ..functions.arguments import missing, name_of, target_of
from ..functions.casts import parts
from ..recording import modes
from ..recording.tape import current_tape
from ..trace_errors import ArrayWriteError, MissingBlockError
from ..writing import writing_functions

COMPOSED = registry.COMPOSED | complex_functions.COMPOSED | writing_functions.COMPOSED
KNOWN = registry.FUNCTIONS.keys() | COMPOSED.keys()
OF_SEQUENCES = {
    *(np.stack, np.concatenate, np.vstack, np.hstack, np.dstack, np.column_stack, np.block, np.meshgrid),
    *(np.broadcast_arrays, np.choose, np.select, np.linalg.multi_dot, np.ix_, np.lexsort, np.piecewise),
}
"""Functions of sequences of arrays."""


def by_rule(rule: Callable[..., Any], function: Any, args: Any, settings: Any) -> Any:
    """What a rule gives; settings of NumPy's that it does not have are refused by name."""
    try:
        return rule(*args, **settings)
    except TypeError as error:
        try:
            signature(rule).bind(*args, **settings)
        except TypeError:
            names = signature(rule).parameters
            more = " and ".join([key for key in settings if key not in names]) or f"{len(args)} arguments"
            raise missing(f"{name_of(function)} with {more}", "Write it out.") from error
        raise


def as_one_evaluation(carry_out: Callable[..., Any]) -> Callable[..., Any]:
    """Note on the tape that all nodes made meanwhile are of one evaluation of one expression.

    What cannot be done entry by entry is done on plain arrays where no entry is traced.
    """

    def evaluate(*args: Any) -> Any:
        tape = current_tape()
        if tape is None:
            return carry_out(*args) if modes.in_numpy() else as_vectors(modes.by_numpy(carry_out, args))
        start = tape.count
        try:
            return carry_out(*args)
        except (MissingBlockError, ArrayWriteError, TypeError):
            function, *method, operands, settings = args
            targets = operands[:1] if method == ["at"] else [target_of(function, operands, settings)]
            if ObjectArray in map(type, parts(targets)) or not has_only_numbers((operands, settings)):
                raise
            called = getattr(function, *method) if method else function
            return called(*as_numbers(operands), **as_numbers(settings))
        finally:
            tape.evaluated(start)

    return evaluate


def is_symbolic() -> bool:
    """Whether the trace that runs is to hold at every point."""
    tape = current_tape()
    return tape is not None and tape.symbolic


def result_of_entries(value: Any) -> Any:
    """What NumPy's loops over objects gave; Python's numbers, such as the sum of no objects, are NumPy's again."""
    if type(value) in (int, float):
        return np.float64(value)
    is_number = isinstance(value, np.ndarray) and value.dtype == object and not value.ndim
    return value[()] if is_number else as_object_array(value)
