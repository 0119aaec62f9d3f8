"""Whether a function is still the one that was compiled: its code, and the values of the global names in it.

Without this a program would silently go on with the numbers of an edited notebook cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import is_
from types import CodeType, FunctionType, MappingProxyType, MethodType, UnionType
from typing import Any

import numpy as np

from ...engine.arrays import SETTLED, unsettled
from ..program_errors import ProgramError

MISSING = object()
WATCHED = int | float | str | list | tuple | dict | np.generic | np.ndarray | FunctionType
DEFAULTS = ("__defaults__", "__kwdefaults__")

Named = tuple[str, Callable[[], object]]
"""A name, and a function that looks it up."""


class Watch:
    """A function as it was when it was compiled: its code, and the values of its global and nonlocal names.

    Also watched are functions of the same module that it calls, defaults of arguments, the attributes of the object of
    a method or of a callable object, and the arguments of a partial application. So are attributes that it reads from a
    module, a class or an object, as in ``gas.gamma``; but not those two dots away, as in ``gas.air.gamma``. Arrays,
    lists, tuples and dicts are compared by the numbers in them.

    >>> import adviz
    >>> rate = 2.0
    >>> program = adviz.compile_jacobian(lambda x: rate * x, 3.0)
    >>> rate = 5.0
    >>> program(3.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    adviz.kernels.program_errors.ProgramError: <lambda> has changed since it was compiled: ...
    """

    def __init__(self, f: Any = None):
        function, bound = _unwrapped(f)
        self.functions = [(each, each.__code__) for each in _functions(function)]
        names = [*bound, *(named for each, _ in self.functions for named in _names_of(each))]
        self.names = [(name, look, _kept(look())) for name, look in names]

    def check(self) -> None:
        """Raise a :class:`~adviz.ProgramError` if something has changed."""
        for name, look, value in self.names:
            if (now := look()) is not value and not _same(now, value):
                raise self._error(f"{name} has another value")
        for function, code in self.functions:
            if function.__code__ is not code:
                raise self._error(f"{function.__name__} has other code")

    def _error(self, what: str) -> ProgramError:
        name = self.functions[0][0].__name__
        return ProgramError(f"{name} has changed since it was compiled: {what}. Compile it again.")

    def __reduce__(self) -> tuple[type[Watch], tuple[()]]:
        return Watch, ()  # in another process there is no function to be watched


def _unwrapped(f: Any) -> tuple[Any, list[Named]]:
    """Return the function inside partial applications, methods and callable objects; and what these bind to it."""
    bound: list[Named] = []
    while isinstance(f, partial):
        arguments = dict(enumerate(f.args)) | f.keywords
        bound += [(f"argument {key}", partial(arguments.get, key)) for key in arguments]
        f = f.func
    owner = f.__self__ if isinstance(f, MethodType) else None if isinstance(f, FunctionType) else f
    bound += [*_held(owner, object), *_held(type(owner))]
    f = getattr(f, "__func__", f)
    return f if isinstance(f, FunctionType) else getattr(type(f), "__call__", f), bound  # noqa: B004


def _held(owner: object, kinds: type | UnionType = WATCHED) -> Iterator[Named]:
    """Yield the attributes of a module, a class or an object that are of these kinds; no property is evaluated."""
    held = getattr(owner, "__dict__", None)
    if isinstance(held, dict | MappingProxyType):
        own = ((name, partial(held.get, name, MISSING)) for name in [*held] if not str(name).startswith("__"))
        yield from ((name, look) for name, look in own if isinstance(look(), kinds))


def _functions(f: object) -> list[FunctionType]:
    """Return a function, those of the same module that it names, those that they name, and so on."""
    result = [f] if isinstance(f, FunctionType) else []
    for function in result:
        named = (look() for _, look in _names_of(function))
        result += [
            each
            for each in dict.fromkeys(each for each in named if isinstance(each, FunctionType))
            if each.__globals__ is function.__globals__ and each not in result
        ]
    return result


def _names_of(function: FunctionType) -> Iterator[Named]:
    """Yield the global and nonlocal names in a function, attributes that it reads from them, and its defaults."""
    scope, words = function.__globals__, dict.fromkeys(_words(function.__code__))
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    result = [(name, partial(scope.get, name, MISSING)) for name in words if name in scope]
    result += [(name, partial(getattr, cell, "cell_contents", MISSING)) for name, cell in cells]
    yield from result
    for owner, look in result:
        yield from ((f"{owner}.{name}", inner) for name, inner in _held(look()) if name in words)
    yield from ((f"a default of {function.__name__}", partial(getattr, function, each)) for each in DEFAULTS)


def _words(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _words(constant)


def _kept(value: object, around: tuple[object, ...] = ()) -> object:
    """Return a copy of what can be changed in place; containers that contain themselves are not copied."""
    if any(value is each for each in around):
        return value
    if type(value) in SETTLED:
        return unsettled(value).copy()
    inside = partial(_kept, around=(*around, value))
    if isinstance(value, np.ndarray):
        return value.copy()
    if type(value) is tuple:
        entries = tuple(map(inside, value))
        return value if all(map(is_, entries, value)) else entries
    if type(value) is list:
        return [*map(inside, value)]
    if type(value) is dict:
        return {key: inside(inner) for key, inner in value.items()}
    return value


def _same(one: Any, other: Any) -> bool:
    """Tell whether two values compute the same: equal numbers, also in structures; functions of equal code."""
    if one is other:
        return True
    one = unsettled(one) if type(one) in SETTLED else one
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):  # what a trace left may be of another class
        return (one.shape, one.dtype) == (other.shape, other.dtype) and one.tobytes() == other.tobytes()
    if type(one) is not type(other):
        return False
    if isinstance(one, FunctionType):
        return one.__code__ == other.__code__
    if type(one) in (list, tuple):
        return len(one) == len(other) and (all(map(is_, one, other)) or all(map(_same, one, other)))
    if type(one) is dict:
        return one.keys() == other.keys() and all(_same(inner, other[key]) for key, inner in one.items())
    return isinstance(one, int | float | str | np.generic) and bool(one == other)
