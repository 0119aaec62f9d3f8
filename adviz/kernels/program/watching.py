"""Whether a function is still the one that was compiled: its code, and what the names of others in it stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import is_
from types import CodeType, FunctionType, MappingProxyType, MethodType
from typing import Any

import numpy as np

from ..program_errors import ProgramError

MISSING = object()
COMPUTED_WITH = int | float | str | list | tuple | dict | np.generic | np.ndarray | FunctionType
DEFAULTS = ("__defaults__", "__kwdefaults__")

Named = tuple[str, Callable[[], Any]]
"""A name, and a way to look it up."""


class Watch:
    """What a function was when it was compiled: its code, and what its global and outer names stood for.

    Functions of the same module that it calls are watched with it, defaults of arguments, and of a method, an object
    that is called or a partial application the attributes and arguments. So is what it takes from a module, a class or
    an object by name, as in ``gas.gamma``; but not what comes two dots away, as in ``gas.air.gamma``. Numbers in
    arrays, lists, tuples and dicts are compared.

    >>> import adviz
    >>> rate = 2.0
    >>> program = adviz.compile_jacobian(lambda x: rate * x, 3.0)
    >>> rate = 5.0
    >>> program(3.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    adviz.kernels.program_errors.ProgramError: <lambda> has changed since it was compiled: ...
    """

    def __init__(self, f: Any = None):
        self.functions = [(each, each.__code__) for each in _functions(_behind(f))]
        found = [*_bound(f), *(named for each, _ in self.functions for named in _names_of(each))]
        self.names = [(name, look, _kept(look())) for name, look in found]

    def check(self) -> None:
        """Raise a :class:`~adviz.ProgramError` if something is not as it was."""
        for name, look, value in self.names:
            if (now := look()) is not value and not _same(now, value):
                raise self._changed(f"{name} is another")
        for function, code in self.functions:
            if function.__code__ is not code:
                raise self._changed(f"{function.__name__} has other code")

    def _changed(self, what: str) -> ProgramError:
        name = self.functions[0][0].__name__
        return ProgramError(f"{name} has changed since it was compiled: {what}. Compile it again.")

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Watch, ()  # in another process there is no function to be watched


def _behind(f: Any) -> Any:
    """The function behind partial applications, methods, and objects that are called."""
    while isinstance(f, partial | MethodType):
        f = f.func if isinstance(f, partial) else f.__func__
    return f if isinstance(f, FunctionType) else getattr(type(f), "__call__", f)  # noqa: B004


def _bound(f: Any) -> Iterator[Named]:
    """What is bound to a function: arguments of a partial application, attributes of a method's object."""
    while isinstance(f, partial):
        arguments = dict(enumerate(f.args)) | f.keywords
        yield from ((f"argument {key}", partial(arguments.get, key)) for key in arguments)
        f = f.func
    owner = f.__self__ if isinstance(f, MethodType) else None if isinstance(f, FunctionType) else f
    yield from _held(owner, object)
    yield from _held(type(owner))


def _held(owner: Any, kinds: Any = COMPUTED_WITH) -> Iterator[Named]:
    """What a module, a class or an object has that is of these kinds, by name; nothing of it is run."""
    held = getattr(owner, "__dict__", None)
    if isinstance(held, dict | MappingProxyType):
        own = ((name, partial(held.get, name, MISSING)) for name in [*held] if not str(name).startswith("__"))
        yield from ((name, look) for name, look in own if isinstance(look(), kinds))


def _functions(f: Any) -> list[FunctionType]:
    """A function, and those of the same module that it names, and so on."""
    found = [f] if isinstance(f, FunctionType) else []
    for function in found:
        named = (look() for _, look in _names_of(function))
        found += [
            each
            for each in dict.fromkeys(each for each in named if isinstance(each, FunctionType))
            if each.__globals__ is function.__globals__ and each not in found
        ]
    return found


def _names_of(function: FunctionType) -> Iterator[Named]:
    """The names of others in a function, each with a way to look it up."""
    scope, words = function.__globals__, dict.fromkeys(_words(function.__code__))
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    found = [(name, partial(scope.get, name, MISSING)) for name in words if name in scope]
    found += [(name, partial(getattr, cell, "cell_contents", MISSING)) for name, cell in cells]
    yield from found
    for owner, look in found:
        yield from ((f"{owner}.{name}", inner) for name, inner in _held(look()) if name in words)
    yield from ((f"a default of {function.__name__}", partial(getattr, function, each)) for each in DEFAULTS)


def _words(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _words(constant)


def _kept(value: Any, around: tuple[Any, ...] = ()) -> Any:
    """What can be changed in place as a copy, but for what stands within itself."""
    if any(value is each for each in around):
        return value
    inside = partial(_kept, around=(*around, value))
    if isinstance(value, np.ndarray):
        return value.copy()
    if type(value) is tuple:
        kept = tuple(map(inside, value))
        return value if all(map(is_, kept, value)) else kept
    if type(value) is list:
        return [*map(inside, value)]
    if type(value) is dict:
        return {key: inside(inner) for key, inner in value.items()}
    return value


def _same(one: Any, other: Any) -> bool:
    """Whether two values compute the same: equal numbers, also in arrays and structures; functions of equal code."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, FunctionType):
        return one.__code__ == other.__code__
    if isinstance(one, np.ndarray):
        return (one.shape, one.dtype) == (other.shape, other.dtype) and one.tobytes() == other.tobytes()
    if type(one) in (list, tuple):
        return len(one) == len(other) and (all(map(is_, one, other)) or all(map(_same, one, other)))
    if type(one) is dict:
        return one.keys() == other.keys() and all(_same(inner, other[key]) for key, inner in one.items())
    return isinstance(one, int | float | str | np.generic) and bool(one == other)
