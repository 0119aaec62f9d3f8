"""What a ufunc (or a method of one) does where a Variable or an object array of Variables takes part.

A ufunc on Variables is a Block. On object arrays, and in the scalar grain, it is carried out entry by entry.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..apply import ComplexEntriesError, apply_block, array_of, by_entries
from ..arrays.complex_pairs import as_complex, has_complex
from ..arrays.object_arrays import ObjectArray, as_plain_array, is_of_objects
from ..arrays.program_arrays import as_program_array, contents
from ..blocks import BLOCK_OF
from ..complex_numbers import complex_dispatch
from ..functions import casts
from ..functions.arguments import data_of, missing, name_of, symbolic_or_data
from ..functions.casts import OF_TYPES, OF_UFUNCS, is_fortran, laid_out, typed_inputs
from ..functions.entrywise import elementwise
from ..functions.overrides import versions
from ..functions.rearranging import where_it_holds
from ..functions.registry import METHODS, PARAMETERS
from ..rules.selection import CONDITIONS, CONNECTIVES
from ..variable import Variable, has_traced, is_symbolic_array, scalars
from ..writing import writes, writing_functions
from .function_calls import COMPOSED, as_one_evaluation, by_rule, is_symbolic, result_of_entries
from .questions import QUANTIFIED

PLAIN_UFUNCS = {
    *(np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal),
    *(np.isnan, np.isinf, np.isfinite, np.signbit, np.logical_and, np.logical_or, np.logical_xor, np.logical_not),
}
"""Ufuncs whose values are booleans: computed on the data, not part of the graph."""

RIGHT_ON_OBJECTS = {np.add, np.subtract, np.multiply, np.negative, np.positive, np.square, np.matmul}
"""Ufuncs whose loop over objects gives on numbers what their loop over floats gives."""

RIGHT_ON_VARIABLES = {np.divide, np.power, np.floor_divide, np.remainder, np.absolute} | {
    ufunc for ufunc in BLOCK_OF if ufunc.nin == 1 and "O->O" in ufunc.types and ufunc is not np.sign
}
"""Ufuncs whose loop over objects uses the operator or the method of that name: right where all are Variables."""


def _operand(value: Any) -> Any:
    """Return a sequence as an array."""
    if type(value) is not list and type(value) is not tuple:
        return value
    return array_of(value) if has_traced(value) else np.asarray(value)


@as_one_evaluation
def call_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Return what a ufunc (or a method of one) gives where a Variable or an object array takes part."""
    if any(map(has_complex, inputs)):
        return complex_dispatch.call_ufunc(ufunc, method, inputs, settings)
    if ufunc not in BLOCK_OF and "scipy.special" in sys.modules:
        versions()  # scipy.special was imported during this trace
    if any(isinstance(inputs[place], Variable | ObjectArray) for place in PARAMETERS.get(ufunc, ())):
        advice = "The derivative with respect to it has no closed form."
        raise missing(f"{ufunc.__name__} of a traced parameter", advice)
    targets = [target for target in settings.get("out", ()) if target is not None]
    if method == "at" and not isinstance(inputs[0], ObjectArray):
        return writing_functions.write_at(ufunc, *inputs)
    inputs = contents(inputs)
    if list in map(type, inputs):
        inputs = tuple(array_of(entry) if type(entry) is list and has_traced(entry) else entry for entry in inputs)
    if targets:
        return _ufunc_into(ufunc, method, inputs, settings)
    settings = contents({key: value for key, value in settings.items() if key != "out"})
    if not any(isinstance(entry, Variable | ObjectArray | list) for entry in (*inputs, settings.get("where"))):
        return getattr(ufunc, method)(*inputs, **settings)
    if method == "__call__" and settings.get("where", True) is not True:
        raise missing(
            f"{name_of(ufunc)} with where and without out",
            "What is left out is whatever was in memory. Use np.where, or pass out=.",
        )
    if ufunc in PLAIN_UFUNCS and not is_symbolic():
        asked_about = tuple(map(symbolic_or_data, inputs))
        if method == "__call__" and any(map(is_symbolic_array, asked_about)):  # of an outer trace
            return elementwise(CONDITIONS[ufunc])(*asked_about)
        return as_program_array(getattr(ufunc, method)(*asked_about, **settings))
    settings = {key: value for key, value in settings.items() if key != "subok"}  # traced arrays are of one class
    if unknown := settings.keys() - OF_UFUNCS:
        raise TypeError(f"{name_of(ufunc)}() got an unexpected keyword argument {unknown.pop()!r}")
    asked = {key: settings.pop(key) for key in OF_TYPES if key in settings}
    if asked != {"dtype": None} and asked and not casts.is_object(asked.get("dtype")):
        inputs, steps = typed_inputs(ufunc, method, inputs, settings, asked)
        if steps is not None:
            return steps
    order = settings.pop("order", "K")
    if order in (None, "K") or method != "__call__":
        return _ufunc(ufunc, method, inputs, settings)
    if order == "A":
        order = "F" if all(is_fortran(entry) for entry in inputs if np.ndim(entry)) else "C"
    result = _ufunc(ufunc, method, inputs, settings)
    return tuple(laid_out(part, order) for part in result) if isinstance(result, tuple) else laid_out(result, order)


def _alike(conditions: Any) -> Any:
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


def _ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Return the same, without settings for types and memory."""
    if ufunc is np.arctan2 and method == "reduce":
        raise missing("np.arctan2.reduce", "Write it out: it begins with 0, and its order counts.")
    if ufunc in COMPOSED and method == "__call__":
        return by_rule(COMPOSED[ufunc], ufunc, inputs, settings)
    if method == "__call__" and is_symbolic() and (block := CONDITIONS.get(CONNECTIVES.get(ufunc, ufunc))):
        if ufunc in CONNECTIVES and any(isinstance(each, Variable) and each.dtype.kind != "b" for each in inputs):
            raise missing(f"{name_of(ufunc)} of traced numbers", "It works on comparisons and other booleans.")
        return _alike(elementwise(block)(*inputs))
    if method == "reduce" and ufunc in QUANTIFIED and any(map(is_symbolic_array, inputs)):
        return by_rule(QUANTIFIED[ufunc], ufunc, inputs, {"axis": 0, **settings})
    if ufunc in PLAIN_UFUNCS:
        return as_program_array(getattr(ufunc, method)(*map(data_of, inputs), **settings))
    if any(map(is_of_objects, inputs)):
        return ufunc_by_entries(ufunc, method, inputs, settings)
    if ufunc in METHODS.get(method, ()):
        settings.setdefault("axis", 0)
        return by_rule(METHODS[method][ufunc], ufunc, inputs, settings)
    if method == "outer":
        first, second = inputs
        return ufunc(np.reshape(first, np.shape(first) + (1,) * np.ndim(second)), second)
    if ufunc in BLOCK_OF and method == "__call__" and not settings:
        operands = map(_operand, inputs)
        return apply_block(BLOCK_OF[ufunc], tuple(operands))
    return ufunc_by_entries(ufunc, method, inputs, settings)


def _ufunc_into(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Return a ufunc with ``out``, computed only ``where`` it is asked for."""
    targets, where = settings["out"], settings.get("where", True)
    others = {key: value for key, value in settings.items() if key not in ("out", "where")}
    if where is True or method != "__call__":
        others |= {"where": contents(where)} if where is not True else {}
        result = getattr(ufunc, method)(*inputs, **others)
        return writing_functions.write_into(targets, result, settings.get("casting", "same_kind"))
    shape = np.broadcast_shapes(*map(np.shape, targets))
    mask = np.broadcast_to(symbolic_or_data(contents(where)), shape)
    if is_symbolic_array(mask):
        result = ufunc(*where_it_holds(mask, *contents(inputs), otherwise=_regular(ufunc)), **others)
        parts = result if isinstance(result, tuple) else (result,)
        chosen = tuple(np.where(mask, part, contents(target)) for part, target in zip(parts, targets, strict=True))
        return writing_functions.write_into(targets, chosen, settings.get("casting", "same_kind"))
    result = ufunc(*(np.broadcast_to(entry, shape)[mask] for entry in inputs), **others)
    for target, each in zip(targets, result if isinstance(result, tuple) else (result,), strict=True):
        writing_functions.check_casting(each, target, settings.get("casting", "same_kind"))
        writes.write(target, mask, each)
    return targets[0] if len(targets) == 1 else targets


def _regular(ufunc: np.ufunc) -> float | None:
    """Return a number at which a ufunc and its slopes are finite, if a simple one is."""
    with np.errstate(all="ignore"):
        for number in (0.5, 2.0) if ufunc.nout == 1 else ():
            partials = BLOCK_OF[ufunc].partials if ufunc in BLOCK_OF else ()
            value = ufunc(*[np.float64(number)] * ufunc.nin)
            if np.isfinite([value, *(each(value, *[np.float64(number)] * ufunc.nin) for each in partials)]).all():
                return number
    return None


def ufunc_by_entries(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Return a ufunc (or a method of one) on object arrays: on each entry what it is on a number."""
    if method == "reduce" and isinstance(settings.get("where"), ObjectArray | Variable):  # conditions that are nodes
        where, left_out = settings["where"], settings.get("initial", ufunc.identity)
        if left_out is None or left_out is np._NoValue:
            raise ValueError(f"{name_of(ufunc)} with where needs initial, the value where nothing is left")
        inputs = (np.where(where, inputs[0], left_out),)
        settings = {key: value for key, value in settings.items() if key != "where"}
    elif method == "reduce" and settings.get("where", True) is not True and ufunc.identity is not None:
        settings = {"initial": float(ufunc.identity), **settings}  # which NumPy does not know of objects
    operands = [scalars(entry) if isinstance(entry, Variable) else as_plain_array(entry) for entry in inputs]
    try:
        result = getattr(_loop(ufunc, operands), method)(*operands, **settings)
    except ComplexEntriesError:
        return complex_dispatch.call_ufunc(ufunc, method, list(map(as_complex, inputs)), settings)
    return result_of_entries(result)


def _loop(ufunc: np.ufunc, operands: list[Any]) -> Any:
    """Return the ufunc that does to the entries of object arrays what ``ufunc`` does to floats."""
    if ufunc in RIGHT_ON_OBJECTS or all(set(types) <= set("O->") for types in ufunc.types):
        return ufunc
    if ufunc in RIGHT_ON_VARIABLES and all(map(_is_of_variables, operands)):
        return ufunc
    block = BLOCK_OF.get(ufunc)
    if block is None:
        name = name_of(ufunc)
        raise missing(name, f"adviz.define({name}, lambda y, x: ...), one partial per operand, adds one.")
    return by_entries(block, ufunc.nin, ufunc.identity)


def _is_of_variables(operand: Any) -> bool:
    """Return whether an operand has no plain numbers among objects."""
    if is_of_objects(operand):
        return all(isinstance(entry, Variable) for entry in operand.flat)
    return True
