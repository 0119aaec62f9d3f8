"""What a user calls adviz with: calls that cannot be meant are refused, structures of arguments are taken apart.

The errors are in the terms of the call that the user wrote, and come before the function runs. Arguments and results
are made of tuples, lists, dicts and dataclasses: their leaves are numbers and arrays.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import fields
from difflib import get_close_matches
from functools import partial, wraps
from inspect import Parameter
from types import NoneType
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ..graph.errors import OptionError
from .trace_errors import InputError

NEAR = 0.5
"""The least similarity between an unknown option and the option that is suggested for it."""
LONGEST = 24
"""The most characters of a value that an error repeats; a longer one has the name of its parameter."""

BY_POSITION = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.VAR_POSITIONAL)
P = ParamSpec("P")
R = TypeVar("R")


def check_call(
    name: str,
    f: Any,
    args: Sequence[object],
    settings: Mapping[str, object],
    options: Sequence[str],
    *,
    may_take_none: bool = False,
) -> None:
    """Check ``name(f, *args, **settings)``, where all ``settings`` are meant for ``f``; see the functions below.

    >>> check_call("explore", lambda: 3.0, (), {}, ["grain"])
    Traceback (most recent call last):
    adviz.engine.trace_errors.InputError: <lambda> has no argument to differentiate with respect to: it takes no ...
    """
    check_function(name, f)
    check_options(name, f, settings, options)
    check_arguments(name, f, args, settings, may_take_none=may_take_none)


def check_function(name: str, f: object, arguments: str = "x") -> None:
    """Raise :class:`~adviz.InputError` for anything that cannot be called; ``name`` is what the user called.

    >>> check_function("explore", 3.0)
    Traceback (most recent call last):
    adviz.engine.trace_errors.InputError: explore needs a function, not float. Write ad.explore(f, x), not ...
    """
    if not callable(f):
        raise InputError(
            f"{name} needs a function, not {type(f).__name__}. Write ad.{name}(f, {arguments}), not ad.{name}(f(x))."
        )


def check_arguments(
    name: str,
    f: Callable[..., Any],
    args: Sequence[object],
    settings: Mapping[str, object],
    *,
    makes_function: bool = False,
    may_take_none: bool = False,
) -> None:
    """Raise :class:`~adviz.InputError` if nothing was passed by position: keyword arguments are not differentiated.

    ``makes_function`` is for those such as ``grad``, whose result is called with the arguments. A function without
    parameters is refused as well, unless it ``may_take_none``.

    >>> check_arguments("trace", lambda x, n: x**n, (), {"x": 3.0, "n": 2})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    adviz.engine.trace_errors.InputError: ... Write ad.trace(f, 3.0, 2).
    """
    signature = None if args else _signature(f)
    if signature is None:
        return
    title = _title(f)
    if not any(each.kind in BY_POSITION for each in signature.parameters.values()):
        if signature.parameters or not may_take_none:
            how = "takes arguments by keyword only" if signature.parameters else "takes no arguments"
            raise InputError(f"{title} has no argument to differentiate with respect to: it {how}.")
        return
    start = f"ad.{name}({_written(f)})(" if makes_function else f"ad.{name}({_written(f)}, "
    advice = f"Write {start}{', '.join(_arguments(signature, settings))})."
    if not settings:
        raise InputError(f"{name} got no argument of {title} to differentiate with respect to. {advice}")
    verb = "was" if len(settings) == 1 else "were"
    raise InputError(
        f"{name} got no argument by position, so there is nothing to differentiate with respect to: "
        f"{_listed(settings)} {verb} passed by keyword, and keyword arguments are settings of {title}, which are not "
        f"differentiated. {advice}"
    )


def check_options(name: str, f: object, settings: Iterable[str], options: Sequence[str]) -> None:
    """Raise ``OptionError`` for a keyword that is neither an option of what was called nor a parameter of ``f``.

    >>> check_options("trace", lambda x: x, ["granularity"], ["grain"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    adviz.graph.errors.OptionError: 'granularity' is neither an option of trace nor a parameter of <lambda>(x); ...
    """
    for option in settings:
        if not takes(f, option):
            known = _hint(f"{name}'s", option, options)
            called = f"{_title(f)}({', '.join(_parameters(f))})"
            raise OptionError(f"{option!r} is neither an option of {name} nor a parameter of {called}{known}")


def with_options_checked(make: Callable[P, R]) -> Callable[P, R]:
    """Let a function that takes a function, and returns one, name its options where it is given another.

    >>> import adviz
    >>> adviz.grad(lambda x: x, argnum=0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    adviz.graph.errors.OptionError: grad has no option 'argnum'; did you mean argnums=? ...
    """
    function, *options = inspect.signature(make).parameters

    @wraps(make)
    def checked(*args: P.args, **given: P.kwargs) -> R:
        for option in given:
            if option != function and option not in options:
                f = args[0] if args else given.get(function)
                text = _hint("Its", option, options)
                if (parameters := _parameters(f)) and takes(f, option):
                    written = f"ad.{make.__name__}({_written(f)})({', '.join(parameters)})"
                    text = f". It makes a function, which takes the arguments of {_title(f)}: write {written}."
                raise OptionError(f"{make.__name__} has no option {option!r}{text}")
        return make(*args, **given)

    return checked


def takes(f: object, name: str) -> bool:
    """Whether a function takes a keyword, as far as its signature is known; a decorator may take more than it wraps."""
    if not callable(f):
        return False
    for follow_wrapped in (True, False):
        try:
            parameters = inspect.signature(f, follow_wrapped=follow_wrapped).parameters
        except (TypeError, ValueError):
            return True
        if name in parameters or any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values()):
            return True
    return False


def _hint(owner: str, option: str, options: Sequence[str]) -> str:
    """Return the option that is like an unknown one, if any, and all options."""
    near = get_close_matches(option, options, 1, NEAR)
    known = f"options are {_listed(options)}" if len(options) > 1 else f"only option is {options[0]}"
    return f"{f'; did you mean {near[0]}=?' if near else '.'} {owner} {known}."


def _arguments(signature: inspect.Signature, settings: Mapping[str, object]) -> list[str]:
    """The arguments as they are to be written: by position as far as possible, names for values that are not known."""
    written: list[str] = []
    left, skipped = dict(settings), False
    for each in signature.parameters.values():
        if each.kind is Parameter.VAR_POSITIONAL and not written:
            written.append(f"*{each.name}")
        elif each.kind not in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD) or skipped:
            continue
        elif each.name in left:
            written.append(_value(each.name, left.pop(each.name)))
        elif each.default is Parameter.empty or not written:
            written.append(each.name)
        else:
            skipped = True
    return written + [f"{name}={_value(name, value)}" for name, value in left.items()]


def _value(name: str, value: object) -> str:
    """Return a number as the user wrote it, roughly; the name of its parameter for anything that is long."""
    text = repr(value) if isinstance(value, int | float | str | list | tuple | None) else ""
    return text if 0 < len(text) <= LONGEST and "array" not in text else name


def _parameters(f: object) -> list[str]:
    signature = _signature(f)
    return _arguments(signature, {}) if signature else []


def _signature(f: object) -> inspect.Signature | None:
    try:
        return inspect.signature(f)  # type: ignore[arg-type]
    except (TypeError, ValueError):  # functions written in C may not say what they take
        return None


def _title(f: object) -> str:
    while isinstance(f, partial):
        f = f.func
    return getattr(f, "__name__", type(f).__name__)


def _written(f: object) -> str:
    return title if (title := _title(f)).isidentifier() else "f"


def _listed(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


# ---- structures ----

LEAVES = frozenset({np.ndarray, np.float64, float, int, str, NoneType})
"""Types of the most usual leaves."""


def is_container(value: Any) -> bool:
    """Whether a value is a structure of leaves; a list of plain numbers (nested, regular) is one array instead."""
    kind = type(value)  # of traced values, isinstance would have to ask what they pass for
    if kind in LEAVES:
        return False
    if issubclass(kind, list):
        return not _is_array_like(value)
    return issubclass(kind, (tuple, dict)) or hasattr(kind, "__dataclass_fields__")  # unions take longer


def is_dataclass(value: Any) -> bool:
    """Return whether a value is of a dataclass; its fields are its parts."""
    return hasattr(type(value), "__dataclass_fields__")


def parts_of(container: Any) -> Any:
    """Return the parts of a structure by their keys: those of a dataclass in a dict, other structures as they are."""
    if not is_dataclass(container):
        return container
    return {each.name: getattr(container, each.name) for each in fields(container)}


def _inside(name: str, container: Any, key: Any) -> str:
    return f"{name}.{key}" if is_dataclass(container) else f"{name}[{key!r}]"


def _is_array_like(value: list) -> bool:
    try:
        return _is_of_numbers(value) and bool(np.asarray(value).dtype != object)
    except ValueError:  # rows of different lengths
        return False


def _is_of_numbers(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_of_numbers, value))
    return isinstance(value, int | float | complex | str | np.generic)


class Masked(np.ndarray):
    """A masked array in a trace: its numbers that are not under the mask, traced, row by row; and where they are.

    ``places`` is a masked array that numbers them. The memory holds none of it; it is there so that the object can
    become a masked array of numbers when the trace has ended.
    """

    values: Any
    places: Any

    def __new__(cls, values: Any, places: Any) -> Masked:
        """Make one with the same object for each entry, in memory that is never let go."""
        self = np.ndarray.view(np.broadcast_to(NOTHING, np.shape(places)), cls)
        self.values, self.places = values, places
        return self

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return np.ma.MaskedArray


NOTHING = np.array(None)
"""The entry of all of them, which ``functions/masked_arrays.py`` gives words for code that computes with it."""


def is_masked(value: Any) -> bool:
    """Return whether a value is a masked array, traced or not."""
    kind, ma = type(value), sys.modules.get("numpy.ma")  # which NumPy imports when it is asked for
    return kind is Masked or (ma is not None and issubclass(kind, ma.MaskedArray))


def mask_of(value: Any) -> np.ndarray:
    """Return the mask of a masked array, in full."""
    return np.ma.getmaskarray(value.places if type(value) is Masked else value)


def numbers_of_masked(value: Any) -> Any:
    """Return the numbers of a masked array that are not under the mask, in a row."""
    return value.values if type(value) is Masked else np.ma.getdata(value)[~np.ma.getmaskarray(value)]


def places_of(mask: np.ndarray) -> Any:
    """Number the entries that are not under a mask."""
    numbers = np.zeros(mask.shape, int)
    numbers[~mask] = np.arange(np.count_nonzero(~mask))
    return np.ma.array(numbers, mask=mask)


ADVICE_FOR_MASKED = "Pass an array: x.filled(0.0), and the mask as a keyword argument."


def check_not_masked(value: Any, name: str) -> None:
    """Raise :class:`~adviz.InputError` for a structure with masked arrays in it."""
    if is_container(value):
        parts = parts_of(value)
        for key, inner in parts.items() if isinstance(parts, dict) else enumerate(parts):
            check_not_masked(inner, _inside(name, value, key))
    elif is_masked(value):
        raise InputError(f"{name} is a MaskedArray, which computes in its own way. {ADVICE_FOR_MASKED}")


def _masked_like(value: Any, numbers: Any, is_outer: bool) -> Any:
    """Return a masked array with the mask of ``value`` and other numbers, which may be arrays of one shape.

    They are in a row along the first axis of ``numbers`` if that ``is_outer``, else along the last one.
    """
    mask = mask_of(value)
    if type(numbers) is Masked:
        return numbers
    if hasattr(numbers, "tape") or (isinstance(numbers, np.ndarray) and numbers.dtype == object):
        if np.ndim(numbers) > 1:
            raise InputError("Derivatives by a masked array that is differentiated again are vectors: pass x.filled().")
        return Masked(numbers, places_of(mask))
    if is_outer:
        result = np.ma.masked_all((*mask.shape, *np.shape(numbers)[1:]), np.asarray(numbers).dtype)
        result[~mask] = numbers
    else:
        result = np.ma.masked_all((*np.shape(numbers)[:-1], *mask.shape), np.asarray(numbers).dtype)
        result[..., ~mask] = numbers
    return result


def leaves(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the leaves of a structure in order, each with a name such as ``params['W'][0]``.

    Of masked arrays they are the numbers that are not masked.
    """
    if not is_container(value):
        yield name, numbers_of_masked(value) if is_masked(value) else value
        return
    parts, is_named = parts_of(value), is_dataclass(value)
    for key, inner in parts.items() if isinstance(parts, dict) else enumerate(parts):
        inside = f"{name}.{key}" if is_named else f"{name}[{key!r}]"
        if type(inner) in LEAVES:
            yield inside, inner
        else:
            yield from leaves(inner, inside)


def rebuild(value: Any, new_leaves: Iterator[Any], is_outer: bool = False) -> Any:
    """Return a structure like ``value`` with other leaves: for masked arrays their numbers that are not masked.

    If it ``is_outer``, leaves are structures themselves, or arrays with further axes behind those of ``value``.
    """
    if type(value) in LEAVES:
        return next(new_leaves)
    if is_masked(value):
        return _masked_like(value, next(new_leaves), is_outer)
    if not is_container(value):
        return next(new_leaves)
    if isinstance(value, dict):
        return {key: rebuild(inner, new_leaves, is_outer) for key, inner in value.items()}
    if is_dataclass(value):
        renewed = copy(value)  # without its __init__, which may be for numbers only
        for key, inner in parts_of(value).items():
            object.__setattr__(renewed, key, rebuild(inner, new_leaves, is_outer))
        return renewed
    rebuilt = [rebuild(inner, new_leaves, is_outer) for inner in value]
    if isinstance(value, list):
        return rebuilt
    return type(value)(*rebuilt) if hasattr(value, "_fields") else tuple(rebuilt)


def with_numbers_of_numpy(value: Any) -> Any:
    """Return a structure whose arrays are copies, and whose floats and lists of numbers are NumPy's, as in a trace.

    >>> with np.errstate(invalid="ignore"):
    ...     with_numbers_of_numpy((-1.0, 2))[0] ** 0.5  # where Python's number has a complex root
    np.float64(nan)
    """
    return rebuild(value, (np.array(x)[()] if type(x) in (float, list) else copy(x) for _, x in leaves(value, "")))


def matched(value: Any, like: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the leaves of a structure that must be as ``like`` is, in the order of ``like``, each with a name.

    A tuple may stand for a list and a dict may have another order; raises :class:`~adviz.InputError` that says what was
    expected and what was got.
    """
    if not is_container(like):
        result, expected = np.shape(value) if not is_container(value) else None, np.shape(like)
        if result != expected:
            raise InputError(f"{name} is {kind_of(value)}; expected {kind_of(like)}.")
        if is_masked(like):
            value = value.values if type(value) is Masked else np.ma.filled(value, 0.0)[~mask_of(like)]
        yield name, value
        return
    given, expected = parts_of(value), parts_of(like)
    is_structure = isinstance(value, list) or is_container(value)  # of plain numbers, too, where each is a leaf
    is_alike = is_structure and isinstance(expected, dict) is isinstance(given, dict)
    if not is_alike or is_dataclass(like) is not is_dataclass(value) or _keys(given) != _keys(expected):
        raise InputError(f"{name} is {kind_of(value)}; expected {kind_of(like)}.")
    for key, inner in expected.items() if isinstance(expected, dict) else enumerate(expected):
        yield from matched(given[key], inner, _inside(name, like, key))


def _keys(container: Any) -> Any:
    return set(container) if isinstance(container, dict) else len(container)


def kind_of(value: Any) -> str:
    """Describe a structure or a leaf in a few words."""
    if isinstance(value, dict):
        return f"a dict of {', '.join(map(repr, value)) or 'nothing'}"
    if is_dataclass(value):
        return f"a {type(value).__name__} of {', '.join(parts_of(value)) or 'nothing'}"
    if is_container(value):
        return f"a {type(value).__name__} of {len(value)}"
    if value is None or isinstance(value, str):
        return repr(value)
    return f"an array of shape {np.shape(value)}" if np.ndim(value) else "a number"
