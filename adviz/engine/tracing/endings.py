"""When a trace ends: traced values that outlive it become numbers, errors are told in the terms of the traced program.

Values that a program keeps in its objects become the numbers and arrays that they were. Nothing lists them while a
trace runs, which would slow it down. They all refer to the tape, so that its reference count tells how many there are;
and the garbage collector finds them, mostly among the youngest objects.

An error of NumPy, SciPy or CuPy says what was wrong, where, and what to do. The graph of a function that raised an
exception, what it had computed until then, is kept with the exception. It shares its values with the tape, which the
exception's traceback keeps alive as well; nothing in it refers to the exception, so that all is let go when the
exception is.
"""

from __future__ import annotations

import contextlib
import gc
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dis import opname
from functools import cached_property
from importlib import import_module
from numbers import Number
from types import TracebackType
from typing import Any

import numpy as np

from ...graph import ipython
from ...graph.errors import AdvizError, no_attribute
from ...graph.graph import Graph
from ...graph.origins import Origin, origin
from ..arrays import (
    SETTLED,
    Memory,
    ProgramArray,
    SettledArray,
    SettledComplexArray,
    SettledComplexNumber,
    SettledNumber,
    geometry,
    has_lost,
    is_dense,
    memory_of,
    numbers_of,
    owner_of,
    raw,
    unsettled,
    writable,
)
from ..calls import Masked
from ..devices import device_array, is_on_device
from ..functions.arguments import holds_traced
from ..object_arrays import Complex, ObjectArray, as_plain_array
from ..tape import Tape, internal, running_tapes
from ..trace_errors import ArrayWriteError, BranchError, ConversionError, InputError, MissingBlockError, OutputError
from ..unsupported import AS_INDEX, AS_LIST, OF_MEMORY, READ_ONLY, of_plain_numbers, value_of
from ..variable import SET_CLASS, DeviceTraced, Traced, Variable, has_traced
from .writes import Outdated, held_memory, viewed

# ---- errors in the terms of the program ----

WITH_STACK = "Build the array with np.array (not a name imported from numpy), or with np.stack."

OF_ONE_NUMBER = ("only 0-dimensional arrays can be converted", "only length-1 arrays can be converted")
"""What NumPy says when an array is turned into one number."""

OF_INDICES = ("only integers, slices (`:`)",)
"""What it says of what is no index."""

_OURS = ("Traced", "ObjectArray")
"""What traced values are called in errors of Python's."""

_OF_BITS = ("<<", ">>", "&", "|", "^")

PLAIN = (
    *("required argument is not a float", "argument must be int or float", "unmarshallable object"),
    *("to NumPy datetime", "to NumPy timedelta"),
)
"""What functions in C say of what is no plain number, and no memory."""

MEANINGS: list[tuple[tuple[str, ...], type[AdvizError], str]] = [
    (
        ("arrays used as indices",),
        BranchError,
        AS_INDEX,
    ),
    (
        ("Unsupported type <class 'adviz", ", got Traced)", ", got DeviceTraced)"),
        MissingBlockError,
        "A function of CuPy's own got a traced value. Call NumPy's of that name, which works on CuPy's arrays, too; "
        "and make new arrays instead of writing into CuPy's.",
    ),
    (
        ("Unsupported type <class", "has incorrect type (expected cupy", "Only cupy arrays can be concatenated"),
        InputError,
        "An array of NumPy, or a list, met an array of another library. Copy it to the device, as with cupy.asarray, "
        "or pass it as an argument.",
    ),
    (
        ("all returned NotImplemented from __array_ufunc__",),
        MissingBlockError,
        "The library of these arrays does not have this function.",
    ),
    (
        ("Implicit conversion to a NumPy array is not allowed",),
        ConversionError,
        "Something here works in NumPy only, and CuPy's arrays are not copied there unasked. Use x.get(), before "
        "tracing.",
    ),
    (
        ("truth value of an array", "truth value of an empty array"),
        BranchError,
        "An array was used as a condition. Use np.where for a choice per entry, or .all() / .any() of the comparison.",
    ),
    (
        ("no callable",),
        MissingBlockError,
        f"NumPy cannot do this on a list or a plain object array that mixes traced and plain numbers. {WITH_STACK}",
    ),
    (
        (
            "object supporting the buffer API required",
            *(f"bytes-like object{words}{kind}" for words in (" is required, not '", ", ") for kind in _OURS),
            *(f"'{kind}' object to bytearray" for kind in _OURS),
        ),
        ConversionError,
        OF_MEMORY,
    ),
    (
        (
            "from dtype('O')",
            *(f"{words}{kind}" for words in ("not ", "not '", "conversion from ", "component: ") for kind in _OURS),
        ),
        MissingBlockError,
        "A compiled function got traced values where it takes plain numbers. Write it out with NumPy's functions; "
        "a random number with a traced mean and scale as mean + scale * rng.standard_normal(size).",
    ),
    (
        (
            *PLAIN,
            *(f"{words} a '{kind}'" for words in ("apply to", "received") for kind in _OURS),  # as of float.__add__
            *(f"'{kind}' is not supported" for kind in _OURS),
            *(f"'{other}' and '{kind}'" for other in ("datetime.timedelta", "Fraction") for kind in _OURS),
            *(f"for {sign}: {left}'{kind}'" for sign in _OF_BITS for left in ("", "'int' and ") for kind in _OURS),
        ),
        ConversionError,
        "Traced values are no plain numbers, which are all that is taken here. Compute with NumPy's functions, and do "
        "this after tracing.",
    ),
    (
        ("only integer scalar arrays can be converted to a scalar index", "integer, got 'Variable", *OF_INDICES),
        ConversionError,
        "A traced array was used as an index or a count. Pass whole numbers as keyword arguments: those are not "
        "traced.",
    ),
    (
        ("NPY_ITER_REFS_OK",),
        MissingBlockError,
        "np.nditer goes over the memory of arrays, and what is traced has none. Use x.flat, or np.ndenumerate.",
    ),
    (
        ("not supported for the input types",),
        MissingBlockError,
        f"NumPy cannot do this on a list or a plain object array of traced values. {WITH_STACK}",
    ),
    (
        OF_ONE_NUMBER,
        ConversionError,
        "A whole array was turned into one plain number. Functions of the math module work on plain numbers only; use "
        "NumPy's.",
    ),
    (
        ("read-only",),
        ArrayWriteError,
        READ_ONLY,
    ),
    (
        ("__array__ method not producing an array",),
        MissingBlockError,
        "An object's __array__ gave a traced value, and NumPy takes plain arrays only. Call the function on what is in "
        "the object.",
    ),
    (
        ("__bool__ should return bool",),
        ConversionError,
        "A __bool__ returned a comparison of traced values, which is no bool. Write bool(...) around it.",
    ),
    (
        tuple(f"of '{kind}' object has no setter" for kind in _OURS),
        ArrayWriteError,
        "What a traced array says of its memory cannot be set. Use x.astype, or x.reshape.",
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
    "Unsupported array type",
    "common type for non-numeric array",
    "not a proper array of floats",
    "Traced is not a supported array type",
    "can't convert type 'Traced'",
    "x.view of another type",
    "Invalid call to pythranized function",
    "must be of type numpy.float64",
    "out of bounds for int",
    "int too large to convert to C",
    "Expected an int as second argument",
)
"""What SciPy's functions, and those of other libraries, say of object arrays and of Variables."""

OF_ARRAYS = (
    *("read-only", "setting an array element with a sequence", "data type not supported", "real dtype"),
    *("incompatible function arguments", "should have same dtype", "format O not supported", "JSON serializable"),
    *("type not understood", "type other than float", "matrix type must be", "of numeric data type", "invalid input"),
    "maximum recursion depth",
)
"""What they say of other arrays, too."""

OF_NAN = (
    *("only finite values", "must be finite", "contain NaN", "contain infs or NaNs", "contain values inf, nan"),
    *("invalid numeric", "did not converge"),
)
"""What they say of numbers, such as those in the memory of an array with traced values in it."""

LIBRARIES = re.compile(r"(scipy|numpy\.(ma|ctypeslib)|statistics|json|fractions|mpmath|sympy)(\.|$)")
"""Modules whose functions are named, when they fail at something traced."""

BLAMED = (
    *("arrays used as indices", "no callable", "not supported for the input types", "read-only"),
    *PLAIN,
    "object supporting the buffer API required",
    "only integer scalar arrays can be converted to a scalar index",
    *OF_INDICES,
)
"""What NumPy says of arrays that are not traced, too: it means the above only where something traced is named."""

_OF_ANOTHER_KIND = re.compile(
    r"argument \d+ of type (?P<kind>dict|list|tuple|set|str|NoneType) which has no callable (?P<function>\w+) method"
)
"""What NumPy says of a structure or a text where it takes an array."""

UNFIT = "mismatch in its core dimension"
"""What ``np.matmul`` says of shapes that do not fit."""


def explained(error: Exception) -> Exception:
    """Return NumPy's and SciPy's errors, said in the words of the user's program; other errors stay as they are."""
    text, cause = str(error), error.__cause__ or error.__context__
    refused = any(isinstance(one, ConversionError | ArrayWriteError) for one in (error, cause))
    refused = refused or (isinstance(error, MissingBlockError) and text.startswith("adviz has no Block for np."))
    refused = refused or _is_of_plain_values(error)
    if refused or any(phrase in text for phrase in OF_OBJECTS + OF_ARRAYS + OF_NAN):
        is_reason = _reason_of(text) if not refused else None
        name, place = _librarys_function(error, is_reason)
        if "read-only" in text and _is_method_of_traced(name, error):
            name = ""
        if name and not (isinstance(error, AdvizError) and name in sys.modules):  # it knows better what is missing
            advice = "Write it out with NumPy's functions, or make a Block of your own: adviz.Block."
            if name.startswith("json"):
                advice = "It writes plain numbers only: call it after tracing."
            return MissingBlockError(f"adviz has no Block for {name}. {advice}", place)
    if isinstance(error, AdvizError) or _is_users_own(error):
        return error
    step = _users_step(error)
    if step and any(phrase in text for phrase in OF_ONE_NUMBER):
        refusal = of_plain_numbers(step.tb_frame, origin(step.tb_frame.f_code, step.tb_lasti))
        if refusal is not None:
            return refusal
    if other := _OF_ANOTHER_KIND.search(text):
        function, kind_of_it = other["function"], other["kind"]
        advice = " Take an array or a number from it by its key." if kind_of_it == "dict" else ""
        result = f"np.{function} got a {kind_of_it} where it takes numbers and arrays.{advice}"
        return InputError(f"{result} (NumPy: {text})", place_of(error))
    if UNFIT in text and (shapes := _shapes_of_product(error)):
        error.args = (f"The shapes do not fit: {shapes}. (NumPy: {text})",)
    for phrases, kind, meaning in MEANINGS:
        if any(phrase in text and (phrase not in BLAMED or _names_traced(step)) for phrase in phrases):
            return kind(f"{meaning} (NumPy: {text})", place_of(error))
    if isinstance(cause, AdvizError):
        return cause
    if _is_of_lists(error, step):
        return ConversionError(AS_LIST, place_of(error))
    if isinstance(error, AttributeError) and _is_of_plain_values(error):
        advice = "Compute with NumPy's functions, and do this after tracing."
        return ConversionError(
            f"A traced value has no {error.name}, which reads a plain number. {advice}", place_of(error)
        )
    if isinstance(error, AttributeError) and isinstance(error.obj, Variable) and error.name:
        known = no_attribute(error.name, dir(error.obj), "a traced value")
        error.args, error.obj = known.args, known.obj
    place = place_of(error)
    note = f"  at {place}"
    if place and note not in getattr(error, "__notes__", ()):  # a trace inside a trace has added it
        error.add_note(note)
    return error


def _is_of_plain_values(error: Exception) -> bool:
    """Return whether a traced value was asked for what a number or an array of NumPy's has in its place."""
    if not isinstance(error, AttributeError) or not isinstance(error.obj, Variable) or not error.name:
        return False
    return hasattr(np.ndarray if error.obj.ndim else np.float64, error.name)


def _is_of_lists(error: Exception, step: TracebackType | None) -> bool:
    """Return whether a traced array was asked for a method of lists; Variables have an ``index`` of their own."""
    if isinstance(error, AttributeError):
        return isinstance(error.obj, Variable | ObjectArray) and hasattr(list, error.name or "")
    place = place_of(error)
    is_called = isinstance(error, TypeError) and place is not None and ".index(" in place.text
    return is_called and str(error).endswith("is not callable") and _names_traced(step)


def _shapes_of_product(error: Exception) -> str:
    """The shapes of the two operands of ``np.matmul``, as in ``(3, 2) @ (3,)``, if adviz called it; else nothing."""
    *_, last = None, *_steps(error)
    if last is None or not internal(last.tb_frame.f_code) or str(error).startswith("The shapes"):
        return ""
    known = last.tb_frame.f_locals
    operands = [known["a"], known["b"]] if "a" in known and "b" in known else known.get("operands", known.get("data"))
    return " @ ".join(str(np.shape(each)) for each in operands) if operands and len(operands) == 2 else ""


def _is_users_own(error: Exception) -> bool:
    """Return whether a ``raise`` in the user's program raised an exception, not NumPy or Python."""
    *_, last = None, *_steps(error)
    if last is None or internal(last.tb_frame.f_code):
        return False
    return opname[last.tb_frame.f_code.co_code[last.tb_lasti]] == "RAISE_VARARGS"


def _names_traced(step: TracebackType | None, is_reason: Callable[[Any], bool] = has_traced) -> bool:
    """Return whether a name in the expression of the user's that failed stands for something traced."""
    if step is None:
        return False
    frame, place = step.tb_frame, origin(step.tb_frame.f_code, step.tb_lasti)
    names = re.findall(r"\w+", place.text if place else "") or list(frame.f_locals)  # of a source that is not there
    return any(is_reason(value_of(name, frame)) for name in names)


def _reason_of(text: str) -> Callable[[Any], bool] | None:
    """Return the question whether a value may be the reason of what was said of arrays; ``None`` if nothing else is."""
    if any(phrase in text for phrase in OF_NAN):
        return _was_written
    return holds_traced if any(phrase in text for phrase in OF_ARRAYS) else None


def _was_written(value: Any) -> bool:
    """Return whether NaN was read where there is none: an array had traced values in it, or is a copy of its memory."""
    if isinstance(value, list | tuple):
        return any(map(_was_written, value))
    if type(value) is ProgramArray or has_traced(value):  # NaN is not what the program put there
        numbers = numbers_of(value)
        return isinstance(value, ObjectArray) or bool(np.isfinite(raw(np.asarray(numbers))).all())
    return has_lost(value)


def _librarys_function(error: Exception, is_reason: Callable[[Any], bool] | None) -> tuple[str, Origin | None]:
    """The function of a library (its module, if it has no public name) that failed, if any, and where it was called."""
    functions, modules, place, is_traced, from_there = list[str](), list[str](), None, is_reason is None, None
    for step in _steps(error):
        code, name = step.tb_frame.f_code, step.tb_frame.f_globals.get("__name__", "")
        if LIBRARIES.match(name):
            is_traced = is_traced or is_reason is None or is_reason(list(step.tb_frame.f_locals.values()))
            path = [part for part in name.split(".") if part[0] != "_"]
            modules += [".".join(path[:count]) for count in range(min(2, len(path)), len(path) + 1)]
            function, *method = code.co_qualname.split(".")
            if function[0] == "_" and method:  # a class of theirs that is the base of a public one
                function = type(step.tb_frame.f_locals.get("self")).__name__
            is_local = "<locals>" in method
            public = [each for each in modules if hasattr(sys.modules.get(each), function) and not is_local]
            shown = [function, *(part for part in method if part[0] != "_")]
            functions += [".".join([module, *shown]) for module in public]
        elif not internal(code) and not code.co_filename.startswith("<frozen"):
            functions, modules, place, is_traced = [], [], origin(code, step.tb_lasti), is_reason is None
            from_there = step
    if not is_traced and _names_traced(from_there, is_reason or has_traced):
        modules, is_traced = modules or [""], True  # as of a function that is in C
    if not functions and modules and place and (called := re.match(r"[\w.]+(?=\()", place.text)):
        functions.append(called[0])  # it is not written in Python
    return next(iter(functions + modules), "") if is_traced else "", place


def _is_method_of_traced(name: str, error: Exception) -> bool:
    """Return whether a name, as the program has it, is that of a method of something traced."""
    step = _users_step(error)
    return step is not None and has_traced(value_of(name.partition(".")[0], step.tb_frame))


def place_of(error: Exception) -> Origin | None:
    """Return the innermost place in the user's program that an exception passed through."""
    last = _users_step(error)
    return origin(last.tb_frame.f_code, last.tb_lasti) if last else None


def _users_step(error: Exception) -> TracebackType | None:
    *_, last = None, *(step for step in _steps(error) if not internal(step.tb_frame.f_code))
    return last


def _steps(error: Exception) -> Iterator[TracebackType]:
    step = error.__traceback__
    while step is not None:
        yield step
        step = step.tb_next


# ---- values that outlive their trace ----

TRACED = frozenset({Traced, DeviceTraced, Outdated})
KINDS = TRACED | {Complex, ObjectArray, Masked}


def settle_survivors(tape: Tape, references: int, error: BaseException | None) -> None:
    """Make numbers and arrays of the traced values of a closed tape that something refers to.

    Those of an inner trace become what they are to the trace around it, where that goes on.
    """
    count = references - _in_frames(error, tape)
    if count <= 0:
        return
    result: list[Any] = []
    survivors: list[Any] = []
    for generation in range(3):
        result += [each for each in gc.get_objects(generation) if type(each) in KINDS]
        survivors = [each for each in result if type(each) in TRACED and getattr(each, "tape", None) is tape]
        if len(survivors) >= count:
            break
    survivors.sort(key=lambda each: type(each) is not Outdated)  # the others are the memory that these are views of
    values = list(map(_value, survivors))
    owners = Counter(id(owner_of(value)) for value in values if isinstance(value, np.ndarray))
    copies: dict[int, np.ndarray] = {}
    for survivor, value in zip(survivors, values, strict=True):
        SET_CLASS(survivor, Traced)
        if isinstance(value, Variable):
            survivor.tape, survivor.index, survivor.data = value.tape, value.index, value.data
            SET_CLASS(survivor, type(value))
            if (memory := memory_of(survivor)) is not None:
                memory.fresh.append(survivor)
            continue
        survivor.data = own = _copy(value, owners, copies)
        del survivor.tape
        with contextlib.suppress(AttributeError):  # an interrupt came before it had its place on the tape
            del survivor.index
        SET_CLASS(survivor, SettledArray if np.ndim(own) else SettledNumber)
    of_objects = [each for each in result if type(each) is ObjectArray]
    alone = Counter(id(owner_of(array)) for array in of_objects)
    settled = {*map(id, survivors)}
    settled |= {id(array) for array in of_objects if _settle_entries(array, alone[id(owner_of(array))] == 1)}
    for z in (each for each in result if type(each) is Complex):
        if (
            not settled.isdisjoint(map(id, (z.real, z.imag)))
            and device_array(*map(unsettled, (z.real, z.imag))) is None
        ):
            numbers = z.plain()
            if numbers is not z:
                z._real = numbers
                del z._imag
                SET_CLASS(z, SettledComplexArray if numbers.ndim else SettledComplexNumber)
    for x in (each for each in result if type(each) is Masked):
        import_module("..functions.masked_arrays", __package__).settle(x)  # with which NumPy imports np.ma


def _in_frames(error: BaseException | None, tape: Tape) -> int:
    """Return how many variables of the functions that an exception has left are the tape."""
    count, seen = 0, {id(sys._getframe(2))}  # that of the trace, whose own variable is not counted
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        traceback = error.__traceback__
        while traceback is not None:
            frame, traceback = traceback.tb_frame, traceback.tb_next
            if id(frame) not in seen:
                seen.add(id(frame))
                count += sum(value is tape for value in frame.f_locals.values())
        error = error.__cause__ or error.__context__
    return count


def _value(survivor: Any) -> Any:
    """Return what a traced value is outside its trace: numbers, or a Variable of the trace around it."""
    if type(survivor) is not Outdated:
        return survivor.data
    memory, where = held_memory(survivor)
    if isinstance(memory.latest.data, Variable):
        return viewed(Memory(memory.latest.data), where)
    return where.of(memory.numbers) if np.ndim(memory.numbers) else np.full(where.shape, memory.numbers)


def _copy(value: Any, owners: Mapping[int, int], copies: dict[int, np.ndarray]) -> Any:
    """Return numbers that may be written to, which those of the graph may not; views of one memory stay that."""
    if not isinstance(value, np.ndarray):
        return value.copy() if is_on_device(value) else np.asarray(value)[()]
    owner = owner_of(value)
    if owners[id(owner)] > 1 and owner.dtype == value.dtype and is_dense(owner):
        if id(owner) not in copies:
            copies[id(owner)] = owner.copy("K")
        own = geometry(value, owner).of(copies[id(owner)])
    else:
        own = value.copy("K")
    own.flags.writeable = 0 not in value.strides  # as that of np.broadcast_to
    return own


def _settle_entries(array: ObjectArray, is_alone: bool) -> bool:
    """Put numbers in place of what is settled among objects, if any is; one alone on its memory gets floats there."""
    entries = as_plain_array(array)
    places = [place for place in np.ndindex(entries.shape) if type(entries[place]) in SETTLED]
    if not places:
        return False
    try:
        with writable(owner_of(entries)), writable(entries):
            for place in places:
                entries[place] = unsettled(entries[place])
    except ValueError:  # memory that NumPy lets nobody write to: what is settled is in it as objects
        return False
    if is_alone and array.base is not None and all(isinstance(entry, Number) for entry in entries.flat):
        dtypes = {getattr(entry, "dtype", None) for entry in entries.flat}
        numbers, is_fortran = entries.astype(dtypes.pop() if len(dtypes) == 1 else float), entries.flags.fnc
        vars(array)["objects"] = array.base  # plain views that code of NumPy's may have of this memory go on reading it
        state: Any = (1, numbers.shape, numbers.dtype, is_fortran, numbers.tobytes("F" if is_fortran else "C"))
        np.ndarray.__setstate__(array, state)
        if 0 in entries.strides:
            array.flags.writeable = False
        SET_CLASS(array, ProgramArray)
    return True


# ---- the graph of a trace that an exception has ended ----

NOTE = "adviz kept the graph up to this line: import sys; ad.explore(sys.last_value.graph)"
NOTE_OF_WHOLE = "adviz kept the graph: import sys; ad.explore(sys.last_value.graph)"
"""For a function that ran to its end, and returned what cannot be differentiated."""


class Unfinished(Graph):
    """A graph without outputs. Since nobody knows what the function would have used, every node counts as live.

    It cannot be pickled, and is left out where its exception is, as on the way from one process to another.

    >>> import adviz
    >>> try:
    ...     adviz.trace(lambda x: [x * x][1], 3.0)
    ... except IndexError as error:
    ...     error.graph
    <Graph of <lambda>, up to IndexError: 2 nodes, 2 edges>
    """

    @cached_property
    def live(self) -> bytearray:
        """1 for each node."""
        return bytearray(b"\1") * len(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()

    def __copy__(self) -> Unfinished:
        copied = object.__new__(Unfinished)
        vars(copied).update(vars(self))
        return copied


def keep_graph(error: Exception, tape: Tape, title: str) -> None:
    """Give an exception that ends a trace the attribute ``graph``, and in IPython a note that says so.

    Only the outermost of nested traces does: its values are plain. An attribute of that name that the exception has of
    its own stays. IPython also learns to show the exception without adviz's frames.
    """
    if running_tapes() or isinstance(error, MemoryError):
        return
    with contextlib.suppress(AttributeError, TypeError):  # exceptions may refuse attributes
        if isinstance(getattr(error, "graph", None), Unfinished | None) and tape.count:
            error.graph = tape.graph([], f"{title}, up to {type(error).__name__}", Unfinished)  # type: ignore[attr-defined]
        if ipython.shell() is None:
            return
        ipython.show_users_frames(error)
        note = NOTE_OF_WHOLE if isinstance(error, OutputError) else NOTE
        if tape.count > len(tape.inputs) and note not in getattr(error, "__notes__", ()):
            error.add_note(note)
