"""Whether a function is still the one that was compiled: its code, and the names of others that it uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

from .errors import ProgramError

MISSING = object()


class Watch:
    """What a function was when it was compiled: its code, and what its global and outer names stood for.

    >>> import adviz
    >>> rate = 2.0
    >>> program = adviz.compile_jacobian(lambda x: rate * x, 3.0)
    >>> rate = 5.0
    >>> program(3.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    adviz.kernels.errors.ProgramError: <lambda> has changed since it was compiled: rate is another. Compile it again.
    """

    def __init__(self, f: Any = None):
        self.function = f if isinstance(f, FunctionType) else None
        self.code = self.function.__code__ if self.function else None
        self.globals = _globals_of(self.function) if self.function else {}
        self.cells = list(_cells_of(self.function)) if self.function else []

    def check(self) -> None:
        """Raise a :class:`~.errors.ProgramError` if something is not as it was."""
        function = self.function
        if function is None:
            return
        scope = function.__globals__
        for name, value in self.globals.items():
            if scope.get(name, MISSING) is not value and not _same(scope.get(name, MISSING), value):
                raise self._changed(f"{name} is another")
        for name, cell, value in self.cells:
            if cell.cell_contents is not value and not _same(cell.cell_contents, value):
                raise self._changed(f"{name} is another")
        if function.__code__ is not self.code:
            raise self._changed("it has other code")

    def _changed(self, what: str) -> ProgramError:
        assert self.function
        return ProgramError(f"{self.function.__name__} has changed since it was compiled: {what}. Compile it again.")

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Watch, ()  # in another process there is no function to be watched


def _globals_of(function: FunctionType) -> dict[str, Any]:
    scope = function.__globals__
    return {name: scope[name] for name in _names(function.__code__) if name in scope}


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _cells_of(function: FunctionType) -> Iterator[tuple[str, Any, Any]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell, cell.cell_contents
        except ValueError:  # not filled yet
            continue


def _same(one: Any, other: Any) -> bool:
    """Whether two values compute the same: equal numbers, functions of equal code."""
    if isinstance(one, FunctionType) and isinstance(other, FunctionType):
        return one.__code__ == other.__code__
    return type(one) is type(other) and isinstance(one, int | float | str) and one == other
