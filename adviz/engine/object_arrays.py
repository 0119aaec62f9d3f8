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
from contextlib import contextmanager, nullcontext
from numbers import Number
from types import CodeType, EllipsisType, FrameType, FunctionType, NoneType
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
            if "scipy.special" in sys.modules:
                _divert()
        _traces += 1
    tapes = _thread.__dict__.setdefault("tapes", [])
    tapes.append(tape)
    try:
        with _transforms():
            yield
    finally:
        tapes.pop()
        with _lock:
            _traces -= 1
            if not _traces:
                vars(np).update(_originals)
                for function, code in _codes.items():
                    function.__code__ = code
                _codes.clear()


def _transforms() -> Any:
    """Let ``scipy.fft``, if it is there, transform traced values in this thread."""
    if "scipy.fft" not in sys.modules:
        return nullcontext()
    from .rules.fourier import Transforms

    return sys.modules["scipy.fft"].set_backend(Transforms)


def current_tape() -> Tape | None:
    """The tape of the innermost trace that runs in this thread."""
    tapes = getattr(_thread, "tapes", None)
    return tapes[-1] if tapes else None


STARRED = inspect.CO_VARARGS, inspect.CO_VARKEYWORDS


def _among_numbers(frame: FrameType | None) -> bool:
    """Whether a frame is in a library's function that was called without anything traced: arrays are plain there."""
    calls = []
    while frame is not None and _is_a_librarys(frame):
        calls.append(_arguments(frame))
        frame = frame.f_back
    functions_aside = ([one for one in each if not callable(one)] for each in calls[:-1])  # those are the library's
    return bool(calls) and has_only_numbers(calls[-1]) and all(map(has_only_numbers, functions_aside))


def _is_a_librarys(frame: FrameType) -> bool:
    """Whether NumPy's or SciPy's code runs in a frame."""
    name: str = frame.f_globals.get("__name__", "")
    return name.startswith(("numpy.", "scipy."))


def _arguments(frame: FrameType) -> list[Any]:
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount + sum(bool(code.co_flags & flag) for flag in STARRED)
    return [frame.f_locals.get(name, frame) for name in code.co_varnames[:count]]  # the frame for what was deleted


@functools.cache
def _constructor(original: Callable[..., Any]) -> Callable[..., Any]:
    from .complex_numbers import pairs

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
            if fills and made.dtype.kind == "c" and not _is_a_librarys(caller):
                return pairs.filled(made)
            if tape.grain == "scalar" and fills and made.dtype.kind == "f":
                made = made.astype(object)  # so that traced numbers can be written into it
            made = as_object_array(made)
            return pairs.told_apart(made) if args and isinstance(args[0], list | tuple) else made
        except (ConversionError, ValueError) as error:
            value, dtype = (*args, None)[:2]
            dtype = settings.get("dtype", dtype)
            if pairs.is_meant(args, dtype):
                return pairs.MADE[original.__name__](*args, **settings)
            if not isinstance(error.__cause__ or error, ConversionError) or np.dtype(dtype).kind != "f":
                raise
            # Floats were asked for, as in np.asarray(x, float): traced numbers are real, and stay traced.
            return as_object_array(original(value, dtype=object))

    return construct


# ---- SciPy's functions in Python ----

_codes: dict[FunctionType, CodeType] = {}
"""The code of SciPy's functions that do something else while a function is traced."""


def _divert() -> None:
    """Let SciPy's functions that insist on ``np.asarray`` ask :func:`_instead`.

    Programs import them by name, so that another function under that name would not reach them: the function stays,
    its code changes.
    """
    from .rules.special import COMPOSED

    special = sys.modules["scipy.special"]
    for name in COMPOSED:
        function = getattr(special, name)
        _codes[function] = function.__code__
        function.__code__ = _detour(name)


@functools.cache
def _detour(name: str) -> CodeType:
    def detour(*args: Any, **settings: Any) -> Any:
        from adviz.engine.object_arrays import _instead

        return _instead("name of the function", args, settings)

    constants = (name if constant == "name of the function" else constant for constant in detour.__code__.co_consts)
    return detour.__code__.replace(co_consts=tuple(constants))


def _instead(name: str, args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """What SciPy's function ``name`` does while a function is traced: as ever, unless it gets traced values."""
    from .blocks import is_traced
    from .rules.special import COMPOSED

    if current_tape() is not None:
        first, *others = args
        args = (np.asarray(first) if isinstance(first, list | tuple) else as_object_array(first), *others)
        if any(is_traced(value) or isinstance(value, ObjectArray) for value in (*args, *settings.values())):
            return COMPOSED[name](*args, **settings)
    function = getattr(sys.modules["scipy.special"], name)
    original = FunctionType(_codes[function], function.__globals__, name, function.__defaults__)
    original.__kwdefaults__ = function.__kwdefaults__
    return original(*args, **settings)
