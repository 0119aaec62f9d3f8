"""Arguments and results of a traced function: their nodes on the tape, array by array."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...graph.graph import ABSENT
from ...graph.scopes import NOWHERE
from .. import devices
from ..arrays.complex_pairs import has_complex
from ..arrays.object_arrays import ObjectArray, as_object_array, is_of_objects
from ..arrays.program_arrays import check_not_lost, computes_otherwise, contents, raw
from ..blocks import INPUT, OUTPUT
from ..devices import device_array, is_on_device, to_numpy
from ..recording.tape import Tape
from ..trace_errors import InputError, OutputError, TraceClosedError
from ..variable import Traced, Variable, alike, kind_for, scalars

FLOAT = np.dtype(float)


class Leaf(NamedTuple):
    """One array of an argument or a result: its nodes (one in the array grain, one per entry in the scalar grain).

    A result that does not depend on any input has no nodes, but a ``constant``. ``dtype`` is what an argument is of,
    ``like`` is an array of the library that it is of, if that is not NumPy.
    """

    nodes: list[int]
    shape: tuple[int, ...]
    constant: Any = None
    dtype: np.dtype = FLOAT
    like: Any = None


def input_of(tape: Tape, inputs: list[Leaf], name: str, value: Any, borrow: bool) -> Any:
    """Return the Variable (in the scalar grain: the object array of Variables) of one argument.

    Booleans have no derivative: they are not traced, and go to the device of the others. Where a trace of arrays is to
    hold at every point, they are, and so are arrays of integers, which stay integers: labels and masks.
    """
    if type(value) is not float and type(value) is not int:
        tape.has_arrays = True
    is_plain = type(value) is np.ndarray and value.dtype is FLOAT and value.ndim and value.base is None
    if borrow and is_plain and devices.LIBRARY.get() is None:
        variable = write_input(tape, name, value, NOWHERE)
        inputs.append(Leaf([variable.index], value.shape))
        return variable
    to_place = devices.to_device if tape.grain == "array" else to_numpy
    if tape.symbolic and tape.grain == "array" and _is_whole(value):
        kept = np.array(value)
        kept.flags.writeable = False
        variable = write_input(tape, name, kept if kept.ndim else kept[()], NOWHERE)
        inputs.append(Leaf([variable.index], kept.shape, dtype=kept.dtype))
        return variable
    if isinstance(value, bool | np.bool_) or getattr(getattr(value, "dtype", None), "kind", None) == "b":
        inputs.append(Leaf([], np.shape(value)))
        return to_place(value)
    data = to_place(real_data(f"Argument {name}", value, " Pass what is not to be traced as a keyword argument."))
    shape, dtype = np.shape(data), data.dtype if type(data) is np.ndarray or is_on_device(data) else FLOAT
    if type(data) is np.ndarray:
        data.flags.writeable = False  # recorded values do not change
    if tape.grain == "array" or not shape:
        whole = float(data) if type(data) is np.ndarray and not shape and dtype == FLOAT else data
        variable = write_input(tape, name, whole, NOWHERE)
        inputs.append(Leaf([variable.index], shape, dtype=dtype, like=device_array(data)))
        return variable
    entries = scalars(data)
    first = tape.count
    together = NOWHERE - 1 - first
    for place in np.ndindex(*shape):
        entry = entries[place] if isinstance(entries[place], Variable) else float(entries[place])
        entries[place] = write_input(tape, f"{name}[{', '.join(map(str, place))}]", entry, together)
    inputs.append(Leaf(list(range(first, tape.count)), shape, dtype=dtype))
    return as_object_array(entries)


def _is_whole(value: Any) -> bool:
    """Whether an argument is of integers or booleans by its type; a whole number of Python's may be any number."""
    plain = contents(value)
    return isinstance(plain, bool) or (isinstance(plain, np.ndarray | np.generic) and plain.dtype.kind in "biu")


def write_input(tape: Tape, name: str, data: Any, offset: int) -> Variable:
    """Write the row of an input with these data, which stay as they are."""
    variable = kind_for(data)()
    variable.tape, variable.data = tape, data
    variable.index = index = tape.write(INPUT.number, ABSENT, ABSENT, data, offset)
    tape.inputs.append(index)
    tape.names[index] = name
    return variable


def real_data(name: str, value: Any, advice: str = "") -> Any:
    """Return a copy of an argument or a tangent as an array of real numbers; what is traced already stays as it is."""
    value = contents(value)
    if isinstance(value, Variable):
        return alike(value)  # what is written to the argument is not written to the Variable of the outer trace
    if is_of_objects(value) and _is_traced(value):
        return as_object_array(value.copy()) if value.ndim else value[()]
    if computes_otherwise(value):
        advice = ": x.filled(0.0), and the mask as a keyword argument" if isinstance(value, np.ma.MaskedArray) else ""
        raise InputError(f"{name} is a {type(value).__name__}, which computes in its own way. Pass an array{advice}.")
    if is_on_device(value) and value.dtype.kind in "iufb":
        return value.astype(value.dtype if value.dtype.kind == "f" else float)  # a copy
    if hasattr(value, "__cuda_array_interface__"):
        raise InputError(
            f"{name} is on a GPU, where nothing is traced. Trace at an array of CuPy, or of NumPy; a program that is "
            "compiled of the function runs there with any library: ad.compile_jacobian(f, ..., backend=...)."
        )
    try:
        value = value.tolist() if isinstance(value, ObjectArray) else value  # of plain numbers
        data = np.array(float(value) if isinstance(value, int) else value)
    except (TypeError, ValueError, OverflowError):
        data = np.empty(0, object)
    if data.dtype.kind not in "iufb":
        kind = type(value).__name__ + (f" of dtype {data.dtype}" if isinstance(value, np.ndarray) else "")
        if data.dtype.kind == "c" or has_complex(value):
            advice = " Pass the real and the imaginary part, and put them together inside: x + 1j * y."
        raise InputError(f"{name} is {kind}, not real.{advice}")
    return data if data.dtype.kind == "f" else data.astype(float)


def output_of(tape: Tape, name: str, value: Any) -> Leaf:
    """Write the output node (or nodes) of one result."""
    if type(value) is Traced and value.tape is tape:
        return Leaf([_write_result(tape, name, value, NOWHERE)], np.shape(value.data))
    value = contents(value)
    if isinstance(value, Variable) and value.tape is tape:
        return Leaf([_write_result(tape, name, value, NOWHERE)], value.shape, like=device_array(value))
    if is_of_objects(value) and (not value.size or _is_traced(value, tape)):
        together = NOWHERE - 1 - tape.count
        entries = raw(value).ravel()
        if tape.symbolic and tape.grain == "array" and value.size:
            return output_of(tape, name, np.reshape(np.stack(list(entries)), value.shape))
        return Leaf([_write_result(tape, name, entry, together) for entry in entries], value.shape)
    check_not_lost(value)
    constant = _constant(tape, name, value)
    return Leaf([], np.shape(constant), constant, like=device_array(constant))


def _is_traced(entries: np.ndarray, tape: Tape | None = None) -> bool:
    """Return whether an object array has Variables (of ``tape``) among its entries."""
    return any(isinstance(entry, Variable) and tape in (None, entry.tape) for entry in entries.flat)


def _write_result(tape: Tape, name: str, value: Any, offset: int) -> int:
    """Return the output node of a Variable, or of a constant among Variables in an object array.

    A row that no instruction of the program made; rows of one result have one offset.
    """
    if isinstance(value, Variable) and value.tape is tape:
        if offset != NOWHERE and value.ndim:
            raise OutputError(f"{name} has an array of shape {value.shape} for an entry. Use np.stack.")
        operand, data = value.index, value.data
    else:
        constant = _constant(tape, name, value)
        data = constant if isinstance(constant, Variable) else float(constant)
        operand = tape.literal(data)
    tape.switch(0)
    return tape.write(OUTPUT.number, operand, ABSENT, data, offset)


def _constant(tape: Tape, name: str, value: Any) -> Any:
    """A result that does not depend on any input, as an array of real numbers; outer traces may go through it."""
    if isinstance(value, Variable):
        if value.tape.level > tape.level or value.tape.is_closed:
            raise TraceClosedError(f"{name} is a Variable of another trace.")
        return value
    if is_of_objects(value) and _is_traced(value):
        return as_object_array(np.vectorize(partial(_constant, tape, name), otypes="O")(value))
    if is_on_device(value):
        return real_data(name, value)
    if has_complex(value):
        raise OutputError(f"{name} is made of complex numbers. Return their real part, .real, or np.abs of them.")
    try:
        plain = np.asarray(value)
        constant = np.array(plain.tolist())  # numbers in an object array are found to be numbers
        constant = constant if plain.size else constant.reshape(plain.shape)
    except ValueError:  # rows of different lengths
        constant = np.empty(0, object)
    if constant.dtype.kind not in "iufb":
        raise OutputError(f"{name} is {None if value is None else type(value).__name__}, not made of real numbers.")
    return constant.astype(float)
