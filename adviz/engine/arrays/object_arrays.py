"""Object arrays of scalar Variables: what code gets that insists on ``np.asarray``, or builds ``np.array([a, b, …])``.

NumPy's own loops over objects call a method of each entry. They fail on plain numbers among the entries (a float has
no ``sin``), know no ``isnan`` or ``logaddexp``, and let NaN get lost in ``maximum``. An :class:`ObjectArray` answers
NumPy's protocols instead, so that every ufunc and function does entry by entry what it does on numbers; ``dispatch.py``
says how.

``np.array`` and ``np.asarray`` return plain arrays whatever they are given, and plain arrays do not answer protocols.
While a function is traced, and in its thread only, the functions in ``CONSTRUCTORS`` therefore return an ObjectArray
where NumPy returns an array of objects (in the array grain one Variable of all entries), and those in ``MAKERS`` a
:class:`~.program_arrays.ProgramArray`. Code that fetched ``asarray`` from NumPy before gets the plain array, which
traces as well as NumPy's loops go. Libraries that compute with numbers only get NumPy's own arrays.

Arrays without a traced entry are as good as plain ones to what knows no objects: see :func:`has_only_numbers`.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Number
from types import EllipsisType, FrameType, MethodType, NoneType
from typing import Any

import numpy as np

from ..recording.names_in_programs import ENGINES
from ..recording.tape import Tape, current_tape, running_tapes
from ..trace_errors import ConversionError, MissingBlockError
from .program_arrays import ProgramArray, as_program_array, settle


class ObjectArray(np.ndarray):
    """An array of Variables and plain numbers, of dtype object; can be written to, like any array."""


def as_object_array(value: Any) -> Any:
    """Arrays of objects as an :class:`ObjectArray` on the same memory; everything else as it is."""
    if isinstance(value, np.ndarray) and value.dtype == object and type(value) is np.ndarray:
        return value.view(ObjectArray)
    return value


def as_plain_array(value: Any) -> Any:
    """An :class:`ObjectArray` as NumPy's own class on the same memory; everything else as it is."""
    return value.view(np.ndarray) if type(value) is ObjectArray else value


PLAIN = (Number, np.generic, np.dtype, np.ndarray, type, str, bytes, slice, EllipsisType, NoneType)


def has_only_numbers(value: Any) -> bool:
    """Whether nothing that is traced is in an argument, nor can come in, as through a function; also in sequences."""
    if isinstance(value, list | tuple | dict):
        return all(map(has_only_numbers, value.values() if isinstance(value, dict) else value))
    if isinstance(value, np.ndarray) and value.dtype == object:
        return all(isinstance(entry, Number) for entry in value.flat)
    if isinstance(value, PLAIN):
        return True
    return type(getattr(value, "plain", None)) is MethodType and value.plain() is not value  # complex, of plain parts


def as_numbers(value: Any) -> Any:
    """Object arrays of numbers as arrays of floats, also inside sequences; everything else as it is."""
    if isinstance(value, list | tuple):
        return type(value)(map(as_numbers, value))
    if isinstance(value, dict):
        return {key: as_numbers(entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray) and value.dtype == object:
        return as_plain_array(value).astype(
            complex if any(isinstance(entry, complex) for entry in value.flat) else float
        )
    return value


# ---- while a function is traced ----

CONSTRUCTORS = ("array", "asarray", "asarray_chkfinite", "asanyarray", "ascontiguousarray", "asfortranarray")
"""What makes an array of a sequence, or of another array."""

MAKERS = (
    *("arange", "empty", "eye", "fromfunction", "fromiter", "full", "identity", "indices", "ones", "tri", "zeros"),
)
OF_ARRAYS = (
    *(
        "append",
        "atleast_1d",
        "atleast_2d",
        "column_stack",
        "concatenate",
        "copy",
        "cumsum",
        "diag",
        "diagflat",
        "diff",
    ),
    *(
        "empty_like",
        "full_like",
        "geomspace",
        "hstack",
        "linspace",
        "logspace",
        "meshgrid",
        "ones_like",
        "outer",
        "ravel",
    ),
    *("repeat", "reshape", "roll", "select", "sort", "squeeze", "stack", "tile", "vstack", "where", "zeros_like"),
)
"""What else programs make arrays with, of nothing and of others, and then write into them."""

LIBRARIES = frozenset({"numpy", "scipy"})
"""Packages whose functions may be part of a traced program; where nothing traced is, they get NumPy's own arrays."""
_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

EMPTY = np.empty
_lock = threading.Lock()
_traces = 0
"""Traces that are running now, in all threads; NumPy is as it was when there are none."""


@contextmanager
def tracing(tape: Tape) -> Iterator[None]:
    """Write to ``tape`` what this thread computes; NumPy's constructors give what can be written to. May be nested."""
    global _traces
    with _lock:
        if not _traces:
            vars(np).update(_STANDING_IN)
        _traces += 1
    tapes = running_tapes()
    tapes.append(tape)
    try:
        yield
    finally:
        try:
            settle(tape, tapes[0])
        finally:
            tapes.pop()
            with _lock:
                _traces -= 1
                if not _traces:
                    vars(np).update(_ORIGINALS)


@contextmanager
def untraced(tape: Tape | None = None) -> Iterator[None]:
    """Let this thread compute with plain numbers, in libraries that need plain arrays, as if no trace ran in it.

    With a ``tape``, as if that trace ran: where such a library calls a function of the program's.
    """
    tapes = running_tapes()
    tapes.append(tape)  # type: ignore[arg-type]
    try:
        yield
    finally:
        tapes.pop()


STARRED = inspect.CO_VARARGS, inspect.CO_VARKEYWORDS


def _is_library(frame: FrameType | None) -> bool:
    return frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in LIBRARIES


def _among_numbers(frame: FrameType | None) -> bool:
    """Whether a frame is in a library's function that was called without anything traced: arrays are plain there."""
    calls = []
    while frame is not None and _is_library(frame):
        calls.append(_arguments(frame))
        frame = frame.f_back
    functions_aside = ([one for one in each if not callable(one)] for each in calls[:-1])  # those are the library's
    return bool(calls) and has_only_numbers(calls[-1]) and all(map(has_only_numbers, functions_aside))


def _arguments(frame: FrameType) -> list[Any]:
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount + sum(bool(code.co_flags & flag) for flag in STARRED)
    return [frame.f_locals.get(name, frame) for name in code.co_varnames[:count]]  # the frame for what was deleted


@functools.cache
def _constructor(original: Callable[..., Any]) -> Callable[..., Any]:
    is_of_a_value = original.__name__ in CONSTRUCTORS

    @functools.wraps(original)
    def construct(*args: Any, **settings: Any) -> Any:
        tape = current_tape()
        if tape is None or (args and hasattr(type(args[0]), "tape") and not is_of_a_value):
            return original(*args, **settings)  # NumPy asks the Variable
        caller = sys._getframe(1)
        if caller.f_code.co_filename.startswith(_HERE):
            return _made_of_objects(original, args, settings)
        package = caller.f_globals.get("__name__", "").partition(".")[0]
        if package in ENGINES and package not in LIBRARIES:
            return original(*args, **settings)
        if package in LIBRARIES:
            is_plain = is_of_a_value and args and type(args[0]) is np.ndarray and not args[0].dtype.hasobject
            if is_plain or _among_numbers(caller):
                return original(*args, **settings)
            if is_of_a_value:
                return _or_complex(_made_of_objects, original, args, settings)
            return MADE.get(original.__name__, _made)(original, *args, **settings)
        return _or_complex(_for_a_program, original, args, settings)

    return construct


def _for_a_program(original: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    from .complex_pairs import told_apart

    return told_apart(MADE.get(original.__name__, _made)(original, *args, **settings))


def _or_complex(
    make: Callable[..., Any], original: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]
) -> Any:
    """What a constructor makes, or complex numbers, if they are what it failed at."""
    from . import complex_pairs as pairs

    try:
        return make(original, args, settings)
    except (ConversionError, MissingBlockError, ValueError):
        if original.__name__ in pairs.MADE and pairs.is_meant(args, settings):
            return pairs.MADE[original.__name__](*args, **settings)
        raise


def _made(original: Callable[..., Any], *args: Any, **settings: Any) -> Any:
    """What a traced program gets of a constructor that is given no array."""
    made = original(*args, **settings)
    if original is EMPTY and made.dtype.kind in "fiub":  # code in C that asks for it may need an array that owns memory
        return np.ndarray.__new__(ProgramArray, made.shape, made.dtype, order="F" if np.isfortran(made) else "C")
    return tuple(map(as_program_array, made)) if type(made) is tuple else as_program_array(as_object_array(made))


MADE: dict[str, Callable[..., Any]] = {}
"""What a traced program gets of those that may be given something traced; ``dispatch.py`` fills it in."""


def _made_of_objects(original: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """What the engine itself gets, and libraries among traced values: arrays of objects are an :class:`ObjectArray`."""
    try:
        return as_object_array(original(*args, **settings))
    except (ConversionError, ValueError) as error:
        value, dtype = (*args, None)[:2]
        dtype = settings.get("dtype", dtype)
        if not isinstance(error.__cause__ or error, ConversionError) or np.dtype(dtype).kind != "f":
            raise
        # Floats were asked for, as in np.asarray(x, float): traced numbers are real, and stay traced.
        if isinstance(value, ObjectArray) and (settings.get("copy") is False or original.__name__ != "array"):
            return value
        return as_object_array(original(value, dtype=object))


_ORIGINALS = {name: vars(np)[name] for name in (*CONSTRUCTORS, *MAKERS, *OF_ARRAYS)}
_STANDING_IN = {name: _constructor(original) for name, original in _ORIGINALS.items()}
STAND_INS = {original: _STANDING_IN[name] for name, original in _ORIGINALS.items()}
"""What takes the place of NumPy's constructors in all threads; where nothing is traced, it does what they do."""
