"""What stands in for NumPy's constructors while a function is traced: ``np.array``, ``np.zeros`` and their like.

``np.array`` and ``np.asarray`` return plain arrays whatever they are given, and plain arrays do not answer protocols.
In a program that is traced (``namespaces.py``), the functions in ``CONSTRUCTORS`` therefore return an
:class:`~..object_arrays.ObjectArray` where NumPy returns an array of objects (in the array grain one Variable of
all entries), and those in ``MAKERS`` a :class:`~..arrays.ProgramArray`. Libraries that compute with
numbers only get NumPy's own arrays.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
import sys
from collections.abc import Callable, Iterable, Sequence
from types import FrameType
from typing import Any

import numpy as np

from .. import object_arrays
from ..apply import array_of
from ..arrays import ProgramArray, as_program_array, contents, filled, numbers_of, raw
from ..functions.registry import Patch
from ..object_arrays import ObjectArray, as_object_array, has_only_numbers
from ..rules.reshaping import CAST
from ..tape import current_tape, user_origin
from ..trace_errors import ConversionError, MissingBlockError
from ..variable import DeviceTraced, Traced, Variable, alike, has_traced, is_computed
from . import writes
from .function_calls import call_function
from .methods import as_program_arrays, is_untraced

CONSTRUCTORS = "array asarray asarray_chkfinite asanyarray ascontiguousarray asfortranarray".split()
"""What makes an array of a sequence, or of another array."""

MAKERS = "arange asmatrix bmat empty eye frombuffer fromfunction fromiter full identity indices ones tri zeros".split()
"""What makes an array of nothing, which programs then write into."""

OF_ARRAYS = (
    "append atleast_1d atleast_2d column_stack concatenate copy cumsum diag diagflat diff empty_like full_like "
    "geomspace hstack linspace logspace meshgrid ones_like outer ravel repeat reshape roll select sort squeeze stack "
    "take tile vstack where zeros_like"
).split()
"""What makes an array of others, which programs then write into."""

LIBRARIES = frozenset({"numpy", "scipy"})
"""Packages whose functions may be part of a traced program; where nothing traced is, they get NumPy's own arrays."""

EMPTY = np.empty


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
        if _is_library(caller):
            is_untraced = is_of_a_value and args and type(args[0]) is np.ndarray and not args[0].dtype.hasobject
            if is_untraced or _among_numbers(caller):
                return original(*args, **settings)
            if is_of_a_value:
                return _or_complex(_made_of_objects, original, args, settings)
            return MADE.get(original.__name__, _made)(original, *args, **settings)
        return _or_complex(_for_a_program, original, args, settings)

    return construct


def _for_a_program(original: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    return object_arrays.told_apart(MADE.get(original.__name__, _made)(original, *args, **settings))


def _or_complex(
    make: Callable[..., Any], original: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]
) -> Any:
    """Return what a constructor makes, or complex numbers, if they are what it failed at."""
    try:
        return make(original, args, settings)
    except (ConversionError, MissingBlockError, ValueError):
        if original.__name__ in object_arrays.MADE and object_arrays.is_meant(args, settings):
            return object_arrays.MADE[original.__name__](*args, **settings)
        raise


def _made(original: Callable[..., Any], *args: Any, **settings: Any) -> Any:
    """Return what a traced program gets of a constructor that is given no array."""
    made = original(*args, **settings)
    if original is EMPTY and made.dtype.kind in "fiub":  # code in C that asks for it may need an array that owns memory
        return np.ndarray.__new__(ProgramArray, made.shape, made.dtype, order="F" if np.isfortran(made) else "C")
    return tuple(map(as_program_array, made)) if type(made) is tuple else as_program_array(as_object_array(made))


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
        if original.__name__ != "array" or settings.get("copy", True):
            is_array = isinstance(value, ObjectArray) and original.__name__ != "array"
            return value if is_array else as_object_array(original(value, dtype=object))
        return value if isinstance(value, ObjectArray) else as_object_array(original(value, dtype=object, copy=None))


def array_for_a_program(original: Callable[..., Any], *args: Any, **settings: Any) -> Any:
    """``np.array``, ``np.asarray`` and their like: traced values stay traced."""
    value, *others = args or (settings.get("object", settings.get("a")),)
    dtype = settings.get("dtype", others[0] if others else None)
    tape = current_tape()
    in_array_grain = tape is not None and tape.grain == "array" and (dtype is None or np.dtype(dtype).kind == "f")
    if in_array_grain and has_traced(value):
        result = array_of(contents(value))
        if isinstance(result, Variable):
            return _as_asked(original, value, result, dtype, settings)
    if isinstance(value, ObjectArray) and settings.get("copy") is False and np.dtype(dtype or float).kind == "f":
        return value[(None,) * (settings.get("ndmin", 0) - value.ndim)]
    if type(value) is ProgramArray and filled(value) is None and original.__name__ != "array":
        return as_program_arrays(original(raw(value), *others, **settings))
    return as_program_array(_made_of_objects(original, (contents(value), *others) if args else (), contents(settings)))


def _as_asked(original: Callable[..., Any], value: Any, array: Any, dtype: Any, settings: dict[str, Any]) -> Any:
    """A Variable of the type, the order in memory and the axes that were asked for; a copy where NumPy copies."""
    name, order = original.__name__, settings.get("order") or "K"
    order = {"ascontiguousarray": "C", "asfortranarray": "F"}.get(name, order)
    if dtype is not None and array.dtype != dtype:
        array = CAST(array, np.dtype(dtype))
    elif isinstance(value, Variable | ProgramArray):
        flags = getattr(numbers_of(array), "flags", None)
        is_ordered = order in "KA" or flags is None or flags[f"{order}_CONTIGUOUS"]
        if (name == "array" and settings.get("copy", True) is True) or settings.get("copy") is True or not is_ordered:
            array = array.copy(order)
    lacking = settings.get("ndmin", int(name.startswith(("ascont", "asfort")))) - array.ndim
    if lacking > 0:
        return array[(None,) * lacking]
    return array if array.ndim else alike(array)  # an array of a number is not that number: it may be written to


def _full(original: Callable[..., Any], shape: Any, fill_value: Any, *args: Any, **settings: Any) -> Any:
    if not has_traced(fill_value):
        return _made(original, shape, contents(fill_value), *args, **settings)
    if is_computed(fill_value):
        return np.broadcast_to(fill_value, shape).copy()
    names = dict(zip(("dtype", "order"), args, strict=False))
    made = as_program_array(np.empty(shape, **{"dtype": float, **names, **settings}))
    writes.write(made, ..., fill_value)
    return made


def _of_arrays(original: Callable[..., Any], *args: Any, **settings: Any) -> Any:
    """Return functions that NumPy's protocols reach."""
    if is_untraced(*args, *settings.values()):
        return _made(original, *contents(args), **contents(settings))
    return original(*args, **settings)


def _select(original: Callable[..., Any], condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """``np.select``, which asks its default not whether it is traced."""
    if has_traced(default):
        return call_function(original, (condlist, choicelist, default), {})
    return _of_arrays(original, condlist, choicelist, default)


def _take(original: Callable[..., Any], a: Any, indices: Any, *args: Any, **settings: Any) -> Any:
    """``np.take``, which asks its indices not whether they are traced."""
    if is_computed(indices):
        return call_function(original, (a, indices, *args), settings)
    return _of_arrays(original, a, indices, *args, **settings)


def _frombuffer(original: Callable[..., Any], buffer: Any, *args: Any, **settings: Any) -> Any:
    """``np.frombuffer``, which would read addresses of objects as numbers."""
    if has_traced(buffer):
        raise MissingBlockError(
            "adviz has no Block for np.frombuffer: a traced value is no plain memory.", user_origin()
        )
    return _made(original, buffer, *args, **settings)


def _matrix(original: Callable[..., Any], data: Any, *args: Any, **settings: Any) -> Any:
    """``np.asmatrix`` and ``np.bmat``, which would read the memory of what they do not know."""
    return original(_as_objects(data), *args, **settings)


def _as_objects(data: Any) -> Any:
    if isinstance(data, list | tuple):
        return type(data)(map(_as_objects, data))
    return np.asarray(data) if isinstance(data, Variable) else data


MADE: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(CONSTRUCTORS, array_for_a_program),
    **dict.fromkeys(OF_ARRAYS, _of_arrays),
    **dict.fromkeys(("asmatrix", "bmat"), _matrix),
    "frombuffer": _frombuffer,
    "full": _full,
    "select": _select,
    "take": _take,
}
"""What a traced program gets of those that may be given something traced."""

ORIGINALS = {name: vars(np)[name] for name in (*CONSTRUCTORS, *MAKERS, *OF_ARRAYS)}
PATCHES = {name: Patch(_constructor(original), original) for name, original in ORIGINALS.items()}
"""What stands in for NumPy's constructors in a program that is traced."""


# ---- random numbers, which programs write into too ----


class Drawing(type):
    """The class of what stands in for NumPy's classes of generators."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.__mro__[1])  # others have made it


def _drawn(method: Callable[..., Any], *args: Any, **settings: Any) -> Any:
    if current_tape() is None:
        return method(*args, **settings)
    if method.__name__ == "shuffle" and args and has_traced(args[0]):
        return _shuffled(method, *args, **settings)
    out = settings.get("out")
    if out is None or not has_traced(out):
        return as_program_array(method(*contents(args), **settings))
    settings["out"] = np.empty(np.shape(out), settings.get("dtype", float))
    out[...] = method(*args, **settings)
    return out


def _shuffled(shuffle: Callable[..., Any], x: Any, axis: int = 0) -> None:
    """``rng.shuffle``: the same draws, of places."""
    order = np.arange(np.shape(x)[axis])
    shuffle(order)
    x[...] = np.take(x, order, axis)


def _drawing(kind: Any) -> Any:
    def attribute(self: Any, name: str) -> Any:
        result = kind.__getattribute__(self, name)
        return functools.partial(_drawn, result) if callable(result) and name[0] != "_" else result

    names = {"__getattribute__": attribute, "__doc__": kind.__doc__, "__module__": kind.__module__}
    return Drawing(kind.__name__, (kind,), names)


GENERATOR, STATE = map(_drawing, (np.random.Generator, np.random.RandomState))
RANDOM: dict[Any, Any] = {np.random.Generator: GENERATOR, np.random.RandomState: STATE}
RANDOM[np.random.default_rng] = Patch(
    lambda *args, **settings: GENERATOR(np.random.default_rng(*args, **settings).bit_generator), np.random.default_rng
)
_shared: Any = np.random.mtrand._rand
RANDOM |= {
    function: Patch(functools.partial(_drawn, function), function)
    for name, function in vars(np.random).items()
    if getattr(function, "__self__", None) is _shared and name not in ("seed", "get_state", "set_state")
}
"""What stands in for functions and classes of ``np.random``."""


# ---- functions of math ----


KINDS = frozenset((Traced, DeviceTraced, ObjectArray))
"""What a traced value can be an instance of."""


# ---- what the functions are on traced numbers ----


def root_of_squares(*numbers: Any) -> Any:
    """``math.hypot`` of any number of traced numbers."""
    if len(numbers) < 3:
        return np.hypot(*numbers, *(0.0,) * (2 - len(numbers)))
    return np.sqrt(total([number * number for number in numbers]))


def total(numbers: Sequence[Any]) -> Any:
    """``math.fsum``."""
    return np.sum(np.stack(numbers))


def remainder(x: Any, y: Any) -> Any:
    """``math.remainder``: from the nearest multiple of ``y``, of two equally near the even one; without rounding."""
    rest = np.fmod(x, 2.0 * y)
    size, unit = np.abs(rest), np.abs(y)
    signed = np.copysign(y, rest)
    return number(np.where(size <= unit / 2, rest, np.where(size < 1.5 * unit, rest - signed, rest - 2.0 * signed)))


def scaled(x: Any, exponent: Any) -> Any:
    """``math.ldexp``, in two steps: the power of two alone may be too large."""
    half = operator.index(exponent) // 2
    return x * np.ldexp(1.0, half) * np.ldexp(1.0, operator.index(exponent) - half)


def is_close(a: Any, b: Any, *, rel_tol: Any = 1e-9, abs_tol: Any = 0.0) -> Any:
    """``math.isclose``."""
    tolerance = np.maximum(rel_tol * np.maximum(np.abs(a), np.abs(b)), abs_tol)
    near = np.logical_and(np.isfinite(a), np.isfinite(b))
    return np.logical_or(np.equal(a, b), np.logical_and(near, np.less_equal(np.abs(a - b), tolerance)))


def of_scipy(name: str, here: str) -> Callable[[Any], Any]:
    """Return a function of ``scipy.special``, which is imported when it is needed."""

    def function(x: Any) -> Any:
        try:
            import scipy.special as special
        except ModuleNotFoundError:
            advice = "Run `pip install scipy`, or make a Block of your own: adviz.Block."
            raise MissingBlockError(f"math.{here} of a traced value needs SciPy. {advice}", user_origin()) from None
        return getattr(special, name)(x)

    return function


OF_ONE: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in "cbrt cos cosh degrees exp exp2 expm1 fabs frexp isfinite isinf".split()},
    **{name: getattr(np, name) for name in "isnan log10 log1p log2 modf radians sin sinh sqrt tan tanh".split()},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ("cos", "cosh", "sin", "sinh", "tan", "tanh")},
    **{name: of_scipy(name, name) for name in ("erf", "erfc", "gamma")},
    "lgamma": of_scipy("gammaln", "lgamma"),
    **{name: getattr(math, name) for name in ("ceil", "floor", "trunc")},  # of a traced number it is a traced number
}
"""Functions of one number."""

OF_NUMBERS: dict[str, Callable[..., Any]] = {
    "atan2": np.arctan2,
    "copysign": np.copysign,
    "fma": lambda x, y, z: x * y + z,
    "fmod": np.fmod,
    "hypot": root_of_squares,
    "isclose": is_close,
    "ldexp": scaled,
    "log": lambda x, base=None: np.log(x) if base is None else np.log(x) / np.log(base),
    "nextafter": np.nextafter,
    "pow": np.power,
    "remainder": remainder,
}
"""Functions of several numbers."""

OF_SEQUENCES: dict[str, Callable[..., Any]] = {
    "dist": lambda p, q: root_of_squares(*map(operator.sub, p, q)),
    "fsum": total,
}
"""Functions of sequences of numbers."""

TRACED = {**OF_ONE, **OF_NUMBERS, **OF_SEQUENCES}
"""What each function is on traced numbers."""

PREDICATES = {"isclose", "isfinite", "isinf", "isnan"}
"""What has an answer and no derivative."""


# ---- patches ----


def number(value: Any) -> Any:
    """A traced number; to ``math``, as to NumPy, an array of one entry is one. Everything else stays as it is."""
    if type(value) not in KINDS or value.size != 1:
        return value
    single = np.reshape(value, ()) if value.ndim else value
    return single[()] if type(single) is ObjectArray else single


EVERYWHERE = object()
"""Instead of numbers, when there is more than one point."""


def at_this_point(value: Any) -> Any:
    """Return the plain values of traced numbers at the point of the trace, also inside sequences and dicts."""
    if isinstance(value, list | tuple | dict):
        entries = [at_this_point(entry) for entry in (value.values() if isinstance(value, dict) else value)]
        if any(entry is EVERYWHERE for entry in entries):
            return EVERYWHERE
        return dict(zip(value, entries, strict=True)) if isinstance(value, dict) else entries
    while isinstance(value, Traced) and not value.ndim:
        if value.tape.symbolic or type(value) is DeviceTraced:
            return EVERYWHERE
        value = value.data
    return value


def traced(name: str, original: Callable[..., Any], args: Sequence[Any], settings: dict[str, Any]) -> Any:
    """A function of ``math`` on what has traced numbers in it; it raises what it raises at the point of the trace.

    That is not asked where a trace is to hold at every point, or the numbers are on a device.
    """
    point = at_this_point([args, settings])
    result = None if point is EVERYWHERE else original(*point[0], **point[1])
    return result if name in PREDICATES and result is not None else TRACED[name](*args, **settings)


def of_one(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """Return the patch for a function of one number."""

    @functools.wraps(original)
    def patch(x: Any, /) -> Any:
        return traced(name, original, (number(x),), {}) if type(x) in KINDS else original(x)

    return patch


def of_numbers(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """Return the patch for a function of several numbers."""

    @functools.wraps(original)
    def patch(*args: Any, **settings: Any) -> Any:
        if KINDS.isdisjoint(map(type, args)) and KINDS.isdisjoint(map(type, settings.values())):
            return original(*args, **settings)
        named = {key: number(value) for key, value in settings.items()}
        return traced(name, original, tuple(map(number, args)), named)

    return patch


def of_sequences(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """Return the patch for a function of sequences of numbers."""

    @functools.wraps(original)
    def patch(*args: Any) -> Any:
        read = [each if isinstance(each, list | tuple) else [*each] for each in args if isinstance(each, Iterable)]
        if len(read) < len(args) or all(KINDS.isdisjoint(map(type, each)) for each in read):
            return original(*(read if len(read) == len(args) else args))
        return traced(name, original, [list(map(number, each)) for each in read], {})

    return patch


KIND_OF_PATCH = ((OF_ONE, of_one), (OF_NUMBERS, of_numbers), (OF_SEQUENCES, of_sequences))
MATH_PATCHES = {
    name: Patch(patch(name, vars(math)[name]), vars(math)[name])
    for table, patch in KIND_OF_PATCH
    for name in table
    if name in vars(math)  # Python has added some
}
"""What stands in for the functions of ``math`` in a program that is traced."""
