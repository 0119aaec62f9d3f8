"""Tracing: run an ordinary function on Variables and keep what it computed as a Graph."""

from __future__ import annotations

import copy
import inspect
import math
import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from dis import opname
from functools import partial
from inspect import CO_VARARGS
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from ..graph.errors import AdvizError
from ..graph.graph import ABSENT, Graph
from ..graph.origins import Origin, origin
from ..graph.scopes import NOWHERE
from ..graph.versions import stored
from . import devices
from .arrays.complex_pairs import has_complex
from .arrays.object_arrays import ObjectArray, as_object_array
from .arrays.program_arrays import as_program_array, check_not_lost, contents
from .blocks import INPUT, OUTPUT
from .devices import device_array, is_on_device, to_numpy
from .functions.overrides import install_overrides
from .pytrees import is_container, leaves, rebuild
from .recording.names_in_programs import namespaces
from .recording.tape import Tape, internal, warn
from .trace_errors import (
    ArrayWriteError,
    BranchError,
    ConversionError,
    IndependentOutputWarning,
    InputError,
    MissingBlockError,
    NonFiniteWarning,
    OutputError,
    TraceClosedError,
)
from .tracing import array_methods as array_methods  # gives arrays that programs make NumPy's functions and methods
from .tracing import attributes as attributes  # gives Variables what else arrays have
from .tracing import dispatch as dispatch  # gives Variables NumPy's functions and methods
from .tracing.constructors import tracing
from .tracing.python_math import mathematics
from .variable import Variable, alike, kind_for, scalars
from .writing import transposes as transposes  # and what derivatives of moved entries need

GRAINS = ("array", "scalar")
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


class Record(NamedTuple):
    """What a run of a function wrote on a tape, and how its inputs and outputs make up the arguments and the result."""

    tape: Tape
    inputs: list[Leaf]
    outputs: list[Leaf]
    result: Any
    title: str

    def trace(self) -> Trace:
        """The same with a graph; warns where NaN or infinity was born."""
        graph = self.tape.graph([node for leaf in self.outputs for node in leaf.nodes], self.title)
        _warn_of_non_finite(graph)
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
    arguments are passed on as they are. ``grain="array"`` makes one node per array operation, ``grain="scalar"`` one
    per operation on numbers: arguments then arrive as object arrays. Arrays of CuPy stay on the GPU with all that
    NumPy's functions make of them; in the scalar grain their numbers are read out.

    ``f`` may write into arrays, those that it makes and those that it is given. Traced arguments are copied first: the
    caller's stay as they are. Into other arguments NumPy's numbers are written. Arrays that are neither, such as global
    ones, cannot be followed, and a traced value that is written into them is an :class:`~adviz.ArrayWriteError`.

    Raises :class:`~adviz.InputError` for arguments that are not real numbers, and named errors with the place in the
    source for operations that would cut a value off from the graph. Warns where NaN or infinity is born.

    >>> import numpy as np
    >>> graph = trace(lambda x: np.sin(x) * x, 2.0)
    >>> [node.block.name for node in graph], list(graph.times_used)
    (['input', 'sin', 'multiply', 'output'], [2, 1, 0, 0])
    """
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

    Others are passed on as they are, or brought to the library of :func:`~.arrays.set_library`. Arrays among Variables
    are copied, unless their owner is trusted not to write to them as long as the record is needed (``borrow``). A
    ``symbolic`` record holds at every point: comparisons and choices are nodes, and what would be decided by the data
    is refused with a :class:`~adviz.BranchError`; unless it ``decides`` as at this point, and the tape keeps what was
    decided.
    """
    if not callable(f):
        raise InputError(f"trace needs a function, not {type(f).__name__}. Write ad.trace(f, x), not ad.trace(f(x)).")
    if grain not in GRAINS:
        raise ValueError(f"grain is {grain!r}; it can be {' or '.join(map(repr, GRAINS))}")
    function = _function_of(f)
    tape = Tape(grain, getattr(function, "__code__", None), sys._getframe(), symbolic)
    tape.decisions = {} if decides else None
    names = parameter_names(f, len(args))
    inputs: list[Leaf] = []
    arguments = list(args)
    if grain == "array" and devices.library() is not None:
        arguments = [rebuild(each, (devices.to_device(leaf) for _, leaf in leaves(each, ""))) for each in args]
    traced = range(len(args)) if argnums is None else argnums
    for place in traced:
        variables = [_input(tape, inputs, name, leaf, borrow) for name, leaf in leaves(args[place], names[place])]
        arguments[place] = rebuild(args[place], iter(variables))
    if len(traced) < len(arguments):
        arguments = [each if place in traced else as_program_array(each) for place, each in enumerate(arguments)]
    if settings:
        settings = {name: as_program_array(each) for name, each in settings.items()}
    install_overrides()
    try:
        # NaN and infinity are reported once, with the place they were born.
        modules = namespaces(function)
        with np.errstate(all="ignore"), tracing(tape), mathematics(*modules):
            result = f(*arguments, **settings)
            outputs = [_output(tape, name, leaf) for name, leaf in leaves(result, "result")]
        if tape.unheard is not None:
            raise tape.unheard
        if is_container(result):  # one result needs no name
            for (name, _), leaf in zip(leaves(result, "result"), outputs, strict=True):
                tape.names |= dict.fromkeys(leaf.nodes, name)
    except Exception as error:
        explained = _explained(error)
        if tape.told and not isinstance(explained, AdvizError):
            explained = tape.told[0]
        if explained is error:
            raise
        raise explained.with_traceback(error.__traceback__) from None
    finally:
        tape.close()
    title = getattr(f, "__name__", getattr(function, "__name__", type(f).__name__))
    return Record(tape, inputs, outputs, result, title)


def warn_of_independence(recorded: Record) -> None:
    """Name the results that no input takes part in."""
    if all(leaf.constant is None for leaf in recorded.outputs):
        return
    for (name, _), leaf in zip(leaves(recorded.result, "result"), recorded.outputs, strict=True):
        if leaf.constant is not None:
            message = f"{name} of {recorded.title} does not depend on any input; its derivative is zero."
            warn(IndependentOutputWarning(message))


def _function_of(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function behind partial applications, decorators and objects that can be called."""
    while isinstance(f, partial):
        f = f.func
    f = inspect.unwrap(f)
    return f if hasattr(f, "__name__") else getattr(type(f), "__call__", f)  # noqa: B004


def parameter_names(f: Callable[..., Any], count: int) -> list[str]:
    """Names of the positional parameters, ``*args`` spelled out; ``x0, x1, …`` where Python does not know them."""
    if type(f) is FunctionType and not f.__dict__:  # quicker, where nothing like __wrapped__ says otherwise
        code = f.__code__
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


def _input(tape: Tape, inputs: list[Leaf], name: str, value: Any, borrow: bool) -> Any:
    """The Variable (in the scalar grain: the object array of Variables) that stands for one argument.

    Booleans choose, they have no derivative: they are not traced, but are where the others are.
    """
    is_plain = type(value) is np.ndarray and value.dtype is FLOAT and value.ndim and value.base is None
    if borrow and is_plain and devices.library() is None:
        variable = _write_input(tape, name, value, NOWHERE)
        inputs.append(Leaf([variable.index], value.shape))
        return variable
    brought = devices.to_device if tape.grain == "array" else to_numpy
    if isinstance(value, bool | np.bool_) or getattr(getattr(value, "dtype", None), "kind", None) == "b":
        inputs.append(Leaf([], np.shape(value)))
        return brought(value)
    data = brought(real_data(f"Argument {name}", value, " Pass what is not to be traced as a keyword argument."))
    shape, dtype = np.shape(data), data.dtype if type(data) is np.ndarray or is_on_device(data) else FLOAT
    if type(data) is np.ndarray:
        data.flags.writeable = False  # what is written down stays as it is
    if tape.grain == "array" or not shape:
        whole = float(data) if type(data) is np.ndarray and not shape and dtype == FLOAT else data
        variable = _write_input(tape, name, whole, NOWHERE)
        inputs.append(Leaf([variable.index], shape, dtype=dtype, like=device_array(data)))
        return variable
    entries = scalars(data)
    first = tape.count
    together = NOWHERE - 1 - first
    for place in np.ndindex(*shape):
        entry = entries[place] if isinstance(entries[place], Variable) else float(entries[place])
        entries[place] = _write_input(tape, f"{name}[{', '.join(map(str, place))}]", entry, together)
    inputs.append(Leaf(list(range(first, tape.count)), shape, dtype=dtype))
    return as_object_array(entries)


def _write_input(tape: Tape, name: str, data: Any, offset: int) -> Variable:
    variable = kind_for(data)()
    variable.tape, variable.data = tape, data
    variable.index = index = tape.write(INPUT.number, ABSENT, ABSENT, data, offset)
    tape.inputs.append(index)
    tape.names[index] = name
    return variable


def _write_output(tape: Tape, operand: int, data: Any, offset: int) -> int:
    """One row that no instruction of the program made; rows of one result have one offset."""
    tape.switch(0)
    return tape.write(OUTPUT.number, operand, ABSENT, data, offset)


def real_data(name: str, value: Any, advice: str = "") -> Any:
    """A copy of an argument or a tangent as an array of real numbers; what is traced already stays as it is."""
    value = contents(value)
    if isinstance(value, Variable):
        return alike(value)  # what is written to the argument is not written to the Variable of the outer trace
    if isinstance(value, np.ndarray) and value.dtype == object and _is_traced(value):
        return as_object_array(value.copy()) if value.ndim else value[()]
    if isinstance(value, np.matrix | np.ma.MaskedArray):
        raise InputError(f"{name} is a {type(value).__name__}, which computes in its own way. Pass an array.")
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
        kind = (
            f"{type(value).__name__} of dtype {data.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
        )
        if data.dtype.kind == "c" or has_complex(value):
            advice = " Pass the real and the imaginary part, and put them together inside: x + 1j * y."
        raise InputError(f"{name} is {kind}, not real.{advice}")
    return data if data.dtype.kind == "f" else data.astype(float)


def _output(tape: Tape, name: str, value: Any) -> Leaf:
    """Write the output node (or nodes) of one result."""
    value = contents(value)
    if isinstance(value, Variable) and value.tape is tape:
        return Leaf([_write_result(tape, name, value, NOWHERE)], value.shape, like=device_array(value))
    if isinstance(value, np.ndarray) and value.dtype == object and (not value.size or _is_traced(value, tape)):
        together = NOWHERE - 1 - tape.count
        return Leaf([_write_result(tape, name, entry, together) for entry in value.ravel()], value.shape)
    check_not_lost(value)
    constant = _constant(tape, name, value)
    return Leaf([], np.shape(constant), constant, like=device_array(constant))


def _is_traced(entries: np.ndarray, tape: Tape | None = None) -> bool:
    """Whether an object array has Variables (of ``tape``) among its entries."""
    return any(isinstance(entry, Variable) and tape in (None, entry.tape) for entry in entries.flat)


def _write_result(tape: Tape, name: str, value: Any, offset: int) -> int:
    """The output node of a Variable, or of a constant among Variables in an object array."""
    if isinstance(value, Variable) and value.tape is tape:
        if offset != NOWHERE and value.ndim:
            raise OutputError(f"{name} has an array of shape {value.shape} for an entry. Use np.stack.")
        return _write_output(tape, value.index, value.data, offset)
    constant = _constant(tape, name, value)
    constant = constant if isinstance(constant, Variable) else float(constant)
    return _write_output(tape, tape.literal(constant), constant, offset)


def _constant(tape: Tape, name: str, value: Any) -> Any:
    """A result that does not depend on any input, as an array of real numbers; outer traces may go through it."""
    if isinstance(value, Variable):
        if value.tape.level > tape.level or value.tape.is_closed:
            raise TraceClosedError(f"{name} is a Variable of another trace.")
        return value
    if isinstance(value, np.ndarray) and value.dtype == object and _is_traced(value):
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
        advice = " Does it return what it computed?" if value is None else ""
        raise OutputError(f"{name} is {type(value).__name__}, not made of real numbers.{advice}")
    return constant.astype(float)


WORDS = [
    (
        "arrays used as indices",
        BranchError,
        "A traced array was used as an index: what it picks depends on values. Use np.where for a choice per entry.",
    ),
    *(
        (
            words,
            MissingBlockError,
            "A function of CuPy's own got a traced value. Call NumPy's of that name, which works "
            "on CuPy's arrays, too; and make new arrays instead of writing into CuPy's.",
        )
        for words in ("Unsupported type <class 'adviz", "has incorrect type (expected cupy")
    ),
    *(
        (
            words,
            InputError,
            "An array of NumPy, or a list, met an array of another library. Bring it there, as with "
            "cupy.asarray, or pass it as an argument.",
        )
        for words in ("Unsupported type <class", "Only cupy arrays can be concatenated")
    ),
    (
        "all returned NotImplemented from __array_ufunc__",
        MissingBlockError,
        "The library of these arrays does not have this function.",
    ),
    (
        "Implicit conversion to a NumPy array is not allowed",
        ConversionError,
        "Something here works in NumPy only, and CuPy's arrays are not copied there unasked. Use x.get(), before "
        "tracing.",
    ),
    (
        "truth value of an array",
        BranchError,
        "An array was used as a condition. Use np.where for a choice per entry, or .all() / .any() of the comparison.",
    ),
    (
        "no callable",
        MissingBlockError,
        "NumPy cannot do this on a list or a plain object array that mixes traced and plain numbers. "
        "Build the array with np.array (not a name imported from numpy), or with np.stack.",
    ),
    (
        "not supported for the input types",
        MissingBlockError,
        "NumPy cannot do this on a list or a plain object array of traced values. "
        "Build the array with np.array (not a name imported from numpy), or with np.stack.",
    ),
    *(
        (
            words,
            ConversionError,
            "A whole array was turned into one plain number. Functions of the math module work on plain numbers only; "
            "use NumPy's.",
        )
        for words in ("only 0-dimensional arrays can be converted", "only length-1 arrays can be converted")
    ),
    (
        "read-only",
        ArrayWriteError,
        "Values that were written down stay as they are. What np.asarray gives of a traced array shares its values: "
        "take np.array or .copy() of it to write to.",
    ),
    (
        "Cannot cast ufunc",
        MissingBlockError,
        "NumPy cannot do this on a list or a plain object array of traced values. "
        "Build the array with np.array (not a name imported from numpy), or with np.stack.",
    ),
]
"""What NumPy says when an object array of Variables is used as if it held numbers, and what it means."""


OF_OBJECTS = (
    "object arrays are not supported",
    "unsupported data type",
    "'object' not supported",
    "dtype('O')",
    "dtype object",
    "ObjectDType",
    "No matching signature found",
    "Buffer dtype mismatch",
    "not inexact",
    "cannot be cast to float",
    "dtype=object is not supported",
    "array type not supported",
    "common type for non-numeric array",
    "not a proper array of floats",
)
"""What SciPy's compiled functions say of object arrays and of Variables."""


def _explained(error: Exception) -> Exception:
    """NumPy's and SciPy's errors, said in the words of the user's program; other errors stay as they are."""
    text, cause = str(error), error.__cause__ or error.__context__
    refused = any(isinstance(one, ConversionError | ArrayWriteError) for one in (error, cause))
    if refused or any(words in text for words in OF_OBJECTS):
        name, place = _scipys_function(error)
        if name:
            advice = "Write it out with NumPy's functions, or make a Block of your own: adviz.Block."
            return MissingBlockError(f"adviz has no Block for {name}. {advice}", place)
    if isinstance(error, AdvizError):
        return error
    if _is_users_own(error):
        return error
    for words, kind, meaning in WORDS:
        if words in text:
            return kind(f"{meaning} (NumPy: {text})", _place_of(error))
    if isinstance(cause, AdvizError):
        return cause
    place = _place_of(error)
    note = f"  at {place}"
    if place and note not in getattr(error, "__notes__", ()):  # a trace inside a trace has added it
        error.add_note(note)
    return error


def _is_users_own(error: Exception) -> bool:
    """Whether a ``raise`` in the user's program raised an exception, not NumPy or Python."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    if step is None or internal(step.tb_frame.f_code):
        return False
    return opname[step.tb_frame.f_code.co_code[step.tb_lasti]] == "RAISE_VARARGS"


def _scipys_function(error: Exception) -> tuple[str, Origin | None]:
    """The function of SciPy (its module, if it has no public name) that failed, if any, and where it was called."""
    functions, modules, place, step = [], [], None, error.__traceback__
    while step is not None:
        code, name = step.tb_frame.f_code, step.tb_frame.f_globals.get("__name__", "")
        if name.startswith("scipy."):
            path = [part for part in name.split(".") if part[0] != "_"]
            modules += [".".join(path[:count]) for count in range(2, len(path) + 1)]
            function, *method = code.co_qualname.split(".")
            public = [module for module in modules if hasattr(sys.modules.get(module), function)]
            functions += [
                ".".join([module, function, *(part for part in method if part[0] != "_")]) for module in public
            ]
        elif not internal(code):
            functions, modules, place = [], [], origin(code, step.tb_lasti)
        step = step.tb_next
    return next(iter(functions + modules), ""), place


def _place_of(error: Exception) -> Origin | None:
    """The innermost place in the user's program that an exception passed through."""
    place, step = None, error.__traceback__
    while step is not None:
        if not internal(step.tb_frame.f_code):
            place = origin(step.tb_frame.f_code, step.tb_lasti)
        step = step.tb_next
    return place


def to_be_shown(graph: Graph) -> Graph:
    """The graph with its values in NumPy: itself, unless arrays of another library are in it.

    >>> graph = trace(lambda x: x * x, 3.0)
    >>> to_be_shown(graph) is graph
    True
    """
    if isinstance(graph.values, array) or devices.device_array(*stored(graph.values), *graph.literals) is None:
        return graph
    shown = copy.copy(graph)
    shown.values, shown.literals = [*map(to_numpy, graph.values)], [*map(to_numpy, graph.literals)]
    return shown


def _warn_of_non_finite(graph: Graph) -> None:
    """Name the first node whose value is not finite although its operands are."""
    values = graph.values

    def operands(index: int) -> Iterator[Any]:
        return (values[place] if place >= 0 else graph.literal(place) for place in graph.operands(index))

    if isinstance(values, array):
        suspects: Any = np.flatnonzero(~np.isfinite(np.frombuffer(values))).tolist()
    else:
        places: Any = range(len(graph))
        flags = [np.isfinite(value).all() for value in stored(values) if is_on_device(value)]
        if flags and bool(np.all(np.stack(flags))):  # one question to the device, not one per node
            places = [k for k in places if not is_on_device(values[k])]
        suspects = (index for index in places if not _finite(values[index]))
    marks = {*graph.inputs, *graph.outputs}
    for index in suspects:
        if index not in marks and all(map(_finite, operands(index))):
            value, place = values[index], graph.origin(index)
            born = "NaN" if np.isnan(value).any() else "infinity"
            where = f"\n  at {place}" if place else ""
            message = f"{born} was born in node {index}, {graph.label(index)}, from finite operands.{where}"
            warn(NonFiniteWarning(message))
            return


def _finite(value: Any) -> bool:
    """Whether a value has no NaN and no infinity; settings have none, and of what is traced an outer trace tells."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, np.ndarray | np.number):
        return value.dtype == object or bool(np.isfinite(value).all())
    return not is_on_device(value) or bool(np.isfinite(value).all())
