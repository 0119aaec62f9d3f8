"""Object arrays of scalar Variables: what code gets that insists on ``np.asarray``, or builds ``np.array([a, b, …])``.

NumPy's own loops over objects call a method of each entry. They fail on plain numbers among the entries (a float has
no ``sin``), know no ``isnan`` or ``logaddexp``, and let NaN get lost in ``maximum``. An :class:`ObjectArray` answers
NumPy's protocols instead, so that every ufunc and function does entry by entry what it does on numbers; ``dispatch.py``
says how.

``np.array`` and ``np.asarray`` return plain arrays whatever they are given, and plain arrays do not answer protocols.
While a function is traced, and in its thread only, the functions in ``CONSTRUCTORS`` therefore return an ObjectArray
where NumPy returns an array of objects. Code that fetched ``asarray`` from NumPy before gets the plain array, which
traces as well as NumPy's loops go.

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
from types import EllipsisType, FrameType, NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import ConversionError

if TYPE_CHECKING:
    from .tape import Tape


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
    return isinstance(value, PLAIN)


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

CONSTRUCTORS = (
    "array",
    "asarray",
    "asarray_chkfinite",
    "asanyarray",
    "ascontiguousarray",
    "asfortranarray",
    "empty",
    "full",
    "ones",
    "zeros",
)

FILLED = {"empty", "full", "ones", "zeros"}
"""What programs fill entry by entry; the derivatives of an inner trace do not."""
_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep

_lock = threading.Lock()
_originals: dict[str, Callable[..., Any]] = {}
_thread = threading.local()
"""``tapes``: those of the traces that run in this thread, the innermost last."""
_traces = 0
"""Traces that are running now, in all threads; NumPy is as it was when there are none."""


@contextmanager
def tracing(tape: Tape) -> Iterator[None]:
    """Write to ``tape`` what this thread computes; NumPy's constructors return ObjectArrays. May be nested."""
    global _traces
    with _lock:
        if not _traces:
            _originals.update({name: vars(np)[name] for name in CONSTRUCTORS})
            vars(np).update({name: _constructor(original) for name, original in _originals.items()})
        _traces += 1
    tapes = _thread.__dict__.setdefault("tapes", [])
    tapes.append(tape)
    try:
        yield
    finally:
        tapes.pop()
        with _lock:
            _traces -= 1
            if not _traces:
                vars(np).update(_originals)


def current_tape() -> Tape | None:
    """The tape of the innermost trace that runs in this thread."""
    tapes = getattr(_thread, "tapes", None)
    return tapes[-1] if tapes else None


@contextmanager
def untraced(tape: Tape | None = None) -> Iterator[None]:
    """Let this thread compute with plain numbers, in libraries that need plain arrays, as if no trace ran in it.

    With a ``tape``, as if that trace ran: where such a library calls a function of the program's.
    """
    tapes = _thread.__dict__.setdefault("tapes", [])
    tapes.append(tape)
    try:
        yield
    finally:
        tapes.pop()


STARRED = inspect.CO_VARARGS, inspect.CO_VARKEYWORDS


def _among_numbers(frame: FrameType | None) -> bool:
    """Whether a frame is in a library's function that was called without anything traced: arrays are plain there."""
    calls = []
    while frame is not None and frame.f_globals.get("__name__", "").startswith(("numpy.", "scipy.")):
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
    @functools.wraps(original)
    def construct(*args: Any, **settings: Any) -> Any:
        tape = current_tape()
        if tape is None:
            return original(*args, **settings)
        caller = sys._getframe(1)
        if tape.grain == "scalar" and has_only_numbers((args, settings)) and _among_numbers(caller):
            return original(*map(as_numbers, args), **settings)
        try:
            made = original(*args, **settings)
            fills = original.__name__ in FILLED and not caller.f_code.co_filename.startswith(_HERE)
            if tape.grain == "scalar" and fills and made.dtype.kind == "f":
                made = made.astype(object)  # so that traced numbers can be written into it
            return as_object_array(made)
        except (ConversionError, ValueError) as error:
            value, dtype = (*args, None)[:2]
            dtype = settings.get("dtype", dtype)
            if not isinstance(error.__cause__ or error, ConversionError) or np.dtype(dtype).kind != "f":
                raise
            # Floats were asked for, as in np.asarray(x, float): traced numbers are real, and stay traced.
            return as_object_array(original(value, dtype=object))

    return construct
