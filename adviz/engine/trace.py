"""Tracing: run an ordinary function on Variables and keep what it computed as a Graph."""

from __future__ import annotations

import contextlib
import copy
import inspect
import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from inspect import CO_VARARGS
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from ..graph.errors import AdvizError, OptionError
from ..graph.graph import ABSENT, Graph
from ..graph.origins import head_of
from ..graph.scopes import NOWHERE
from ..graph.versions import stored
from . import devices
from .arrays import as_program_array, check_kept, check_not_lost, computes_otherwise, contents, raw, settle
from .blocks import INPUT, OUTPUT
from .calls import LEAVES, check_call, check_not_masked, is_container, is_masked, leaves, rebuild
from .devices import LIBRARY, device_array, is_on_device, to_device, to_numpy
from .functions.registry import versions
from .object_arrays import ObjectArray, as_numbers, as_object_array, has_complex, is_of_objects
from .sweeps import warn_of_values
from .tape import FLOAT, Tape, running_tapes, warn
from .trace_errors import IndependentOutputWarning, InputError, OutputError, TraceClosedError
from .tracing import methods as methods
from .tracing import namespaces
from .tracing.endings import explained, keep_graph, settle_survivors
from .variable import Traced, Variable, alike, kind_for, scalars

# ---- arguments and results ----


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
        constant = np.array(value)
        constant.flags.writeable = False
        variable = write_input(tape, name, constant if constant.ndim else constant[()], NOWHERE)
        inputs.append(Leaf([variable.index], constant.shape, dtype=constant.dtype))
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
    variable = Traced() if type(data) is np.ndarray or type(data) is float else kind_for(data)()
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
    check_not_masked(value, name)
    if computes_otherwise(value):
        raise InputError(f"{name} is a {type(value).__name__}, which computes in its own way. Pass an array.")
    if is_on_device(value) and value.dtype.kind in "iufb":
        return value.astype(value.dtype if value.dtype.kind == "f" else float)  # a copy
    if hasattr(value, "__cuda_array_interface__"):
        raise InputError(
            f"{name} is on a GPU, where nothing is traced. Trace at an array of CuPy, or of NumPy; a program that is "
            "compiled of the function runs there with any library: ad.compile_jacobian(f, ..., backend=...)."
        )
    try:
        value = as_numbers(value) if isinstance(value, ObjectArray) else value
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
        if tape.call:
            tape.switch(0)
        return Leaf([tape.write(OUTPUT.number, value.index, ABSENT, value.data, NOWHERE)], np.shape(value.data))
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
    if tape.call:
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


# ---- a trace ----


@contextlib.contextmanager
def tracing(tape: Tape) -> Iterator[None]:
    """Write to ``tape`` what this thread computes. May be nested."""
    tapes = running_tapes()
    tapes.append(tape)
    try:
        yield
    finally:
        try:
            if tapes[0].filled:
                settle(tape, tapes[0])
        finally:
            tapes.pop()


GRAINS = ("array", "scalar")


class Record(NamedTuple):
    """What a run of a function wrote on a tape, and how its inputs and outputs make up the arguments and the result."""

    tape: Tape
    inputs: list[Leaf]
    outputs: list[Leaf]
    result: Any
    title: str

    def trace(self) -> Trace:
        """Return the same with a graph; warns where NaN or infinity arises."""
        graph = self.tape.graph([node for leaf in self.outputs for node in leaf.nodes], self.title)
        warn_of_values(graph)
        return Trace(graph, self.inputs, self.outputs, self.result)


class Trace(NamedTuple):
    """A graph, and how its inputs and outputs make up the arguments and the result of the function."""

    graph: Graph
    inputs: list[Leaf]
    outputs: list[Leaf]
    result: Any


def trace(f: Callable[..., Any], /, *args: Any, grain: str = "array", **settings: Any) -> Graph:
    """Run ``f(*args, **settings)`` and return the graph of what it computed.

    Positional arguments (numbers, arrays, lists of numbers, and tuples, lists and dicts of those) are traced; keyword
    arguments are passed on as they are. Of masked arrays (``np.ma``) the numbers that are not masked are traced;
    derivatives by them are masked arrays. ``grain="array"`` makes one node per array operation, ``grain="scalar"`` one
    per operation on numbers: arguments then arrive as object arrays. Arrays of CuPy stay on the GPU with all that
    NumPy's functions make of them; in the scalar grain their numbers are read out.

    ``f`` may write into arrays, those that it makes and those that it is given. Traced arguments are copied first: the
    caller's stay as they are. Into other arguments NumPy's numbers are written. Arrays that are neither, such as global
    ones, cannot be followed, and a traced value that is written into them is an :class:`~adviz.ArrayWriteError`.

    Raises :class:`~adviz.InputError` for arguments that are not real numbers, and named errors with the place in the
    source for operations that would cut a value off from the graph. Warns where NaN or infinity arises. An exception
    that ends ``f``, one of its own too, gets the attribute ``graph``: what was traced until then, to be explored with
    ``ad.explore(error.graph)``. It has no outputs, and lives as long as the exception.

    >>> import numpy as np
    >>> graph = trace(lambda x: np.sin(x) * x, 2.0)
    >>> [node.block.name for node in graph], list(graph.times_used)
    (['input', 'sin', 'multiply', 'output'], [2, 1, 0, 0])
    """
    check_call("trace", f, args, settings, ["grain"], may_take_none=True)
    recorded = record(f, args, settings, grain)
    traced = recorded.trace()
    warn_of_independence(recorded)
    return traced.graph


def record(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    settings: dict[str, Any],
    grain: str = "array",
    argnums: Sequence[int] | None = None,
    borrow: bool = False,
    symbolic: bool = False,
    decides: bool = False,
) -> Record:
    """Run ``f``; only the positional arguments in ``argnums`` (all, if ``None``) become Variables, in that order.

    Others are passed on as they are, or copied to the library of :func:`~.devices.set_library`. Arrays among Variables
    are copied, unless their owner is trusted not to write to them as long as the record is needed (``borrow``). A
    ``symbolic`` record holds at every point: comparisons and choices are nodes, and what would be decided by the data
    is refused with a :class:`~adviz.BranchError`; unless it ``decides`` as at this point, and the tape keeps what was
    decided. On arrays, indices are nodes, too, and arrays of integers and booleans are inputs that keep their type.
    """
    if grain not in GRAINS:
        raise OptionError(f"grain is {grain!r}; it can be {' or '.join(map(repr, GRAINS))}")
    function = f if type(f) is FunctionType and not f.__dict__ else _function_of(f)
    title = getattr(f, "__name__", getattr(function, "__name__", type(f).__name__))
    code = getattr(function, "__code__", None)
    tape = Tape(grain, code, sys._getframe(), symbolic)
    tape.decisions, tape.ties = {} if decides else None, [] if symbolic else None
    references = partial(sys.getrefcount, tape)
    at_first = references()
    arguments, inputs = _as_variables(tape, f, args, argnums, borrow)
    versions()
    program, is_outermost = namespaces.begin()
    try:
        # NaN and infinity are reported once, with the place where they arise.
        with np.errstate(all="ignore"), tracing(tape):
            others = [] if argnums is None else [each for place, each in enumerate(args) if place not in argnums]
            if others or settings:
                program.search(*others, *settings.values())
            result = program.entry(f)(*arguments, **{name: as_program_array(each) for name, each in settings.items()})
            outputs, result = _outputs(tape, result, title, code, program)
        if tape.refused or tape.unseen:
            tape.raise_unreported()
    except Exception as error:
        clearer = _meant(error, tape, title)
        try:
            if clearer is error:
                raise
            raise clearer.with_traceback(error.__traceback__) from None
        finally:
            del clearer  # or the exception would keep itself alive, by its traceback and this frame, and all arrays
    finally:
        try:
            tape.close()
            if is_outermost:
                program.close()
            arguments.clear()
            if (more := references() - at_first) > 0:
                settle_survivors(tape, more, sys.exc_info()[1])
        finally:  # again, if it was interrupted
            if is_outermost:
                program.close()
    return Record(tape, inputs, outputs, result, title)


def _outputs(
    tape: Tape, result: Any, title: str, code: CodeType | None, program: namespaces.Program
) -> tuple[list[Leaf], Any]:
    """Return the leaves of a result, written to the tape, and a structure like it in which nothing traced is left.

    The leaves of a structure have names. Those of the structure that is returned are arrays of their shapes.
    """
    if result is None:
        raise OutputError(f"{title} returned None; did you forget to return the result?", head_of(code))
    if type(result) is not Traced and is_masked(result) and not np.ndim(result):
        raise OutputError(f"{title} returned a number that is masked.", head_of(code))
    named = [("result", result)] if type(result) is Traced else leaves(result, "result")
    outputs = [(name, output_of(tape, name, leaf)) for name, leaf in named]
    if tape.filled:
        check_kept(program.arrays(), head_of(code))
    written = [leaf for _, leaf in outputs]
    if type(result) is Traced:
        return written, np.empty(written[0].shape)
    if is_container(result):  # one result needs no name
        tape.names |= {node: name for name, leaf in outputs for node in leaf.nodes}
    return written, rebuild(result, (np.empty(leaf.shape) for leaf in written))


def _meant(error: Exception, tape: Tape, title: str) -> Exception:
    """The exception for the user instead of one that ended a trace, or the same one; it has the graph up to there."""
    result = explained(error)
    if not isinstance(result, AdvizError):
        hidden = tape.refused[-1:] if isinstance(error, TypeError) else []  # operands that caught it are "unsupported"
        result = next(iter((*tape.thread_errors, *hidden)), result)
    keep_graph(result, tape, title)
    return result


def _as_variables(
    tape: Tape, f: Callable[..., Any], args: tuple[Any, ...], argnums: Sequence[int] | None, borrow: bool
) -> tuple[list[Any], list[Leaf]]:
    """Return the positional arguments, with Variables for those to be traced; and the leaves of these."""
    names, inputs, arguments = parameter_names(f, len(args)), list[Leaf](), list(args)
    if tape.grain == "array" and LIBRARY.get() is not None:
        arguments = [rebuild(each, (to_device(leaf) for _, leaf in leaves(each, ""))) for each in args]
    traced = range(len(args)) if argnums is None else argnums
    for place in traced:
        if type(args[place]) in LEAVES:
            arguments[place] = input_of(tape, inputs, names[place], args[place], borrow)
            continue
        if tape.symbolic:
            check_not_masked(args[place], names[place])
        parts = list(leaves(args[place], names[place]))
        variables = [input_of(tape, inputs, name, leaf, borrow) for name, leaf in parts]
        tape.lists += [variable for variable, (_, leaf) in zip(variables, parts, strict=True) if type(leaf) is list]
        arguments[place] = rebuild(args[place], iter(variables))
    if len(traced) < len(arguments):
        arguments = [each if place in traced else as_program_array(each) for place, each in enumerate(arguments)]
    return arguments, inputs


def warn_of_independence(recorded: Record) -> None:
    """Name the results that no input takes part in."""
    constants = [place for place, leaf in enumerate(recorded.outputs) if leaf.constant is not None]
    if constants:
        names = [name for name, _ in leaves(recorded.result, "result")]
        for place in constants:
            message = f"{names[place]} of {recorded.title} does not depend on any input; its derivative is zero."
            warn(IndependentOutputWarning(message))


def _function_of(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function behind partial applications, decorators and objects that can be called."""
    while isinstance(f, partial):
        f = f.func
    f = inspect.unwrap(f)
    return f if hasattr(f, "__name__") else getattr(type(f), "__call__", f)  # noqa: B004


def parameter_names(f: Callable[..., Any], count: int) -> list[str]:
    """Names of the positional parameters, ``*args`` spelled out; ``x0, x1, …`` where Python does not know them."""
    if type(f) is FunctionType and not f.__dict__:  # about which nothing such as ``__wrapped__`` says otherwise
        code = f.__code__
        if count <= code.co_argcount:
            return list(code.co_varnames[:count])
        names = list(code.co_varnames[: code.co_argcount])
        rest = code.co_varnames[code.co_argcount + code.co_kwonlyargcount] if code.co_flags & CO_VARARGS else "x"
        return (names + [f"{rest}[{k}]" for k in range(count)])[:count]
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return [f"x{k}" for k in range(count)]
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = next((p.name for p in parameters if p.kind == p.VAR_POSITIONAL), "x")
    return (names + [f"{rest}[{k}]" for k in range(count)])[:count]


def to_be_shown(graph: Graph) -> Graph:
    """Return the graph with its values in NumPy: itself, unless arrays of another library are in it.

    >>> graph = trace(lambda x: x * x, 3.0)
    >>> to_be_shown(graph) is graph
    True
    """
    if isinstance(graph.values, array) or device_array(*stored(graph.values), *graph.literals) is None:
        return graph
    shown = copy.copy(graph)
    shown.values, shown.literals = [*map(to_numpy, graph.values)], [*map(to_numpy, graph.literals)]
    return shown
