"""What ops that are built now are given: metadata, and what must run before them.

Both are of a thread, and end with the ``with`` statement that began them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Literal

from ..graph.errors import OptionError

Rule = Literal["creation", "inferred"]
RULES: tuple[Rule, ...] = ("creation", "inferred")


class _Contexts(threading.local):
    def __init__(self) -> None:
        self.metadata: list[dict[str, Any]] = []
        self.user_deps: list[dict[Any, dict[Any, None]]] = [{}]
        self.rules: list[Rule] = ["creation"]
        self.schemas: list[Any] = [None]
        self.captures: list[list[Any]] = []


_here = _Contexts()


@contextmanager
def _pushed(stack: list[Any], value: Any) -> Iterator[Any]:
    stack.append(value)
    try:
        yield value
    finally:
        stack.pop()


@contextmanager
def metadata(**given: Any) -> Iterator[None]:
    """Mark all ops that are built meanwhile, to select them by.

    >>> import adviz
    >>> with metadata(layer="hidden"):
    ...     h = adviz.lazy.constant(1.0) * 2
    >>> h.metadata, h.select(layer="hidden") == [*h.args, h]
    ({'layer': 'hidden'}, True)
    """
    with _pushed(_here.metadata, given):
        yield


def with_metadata(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a decorator of methods: ops that they build are marked with the attribute ``metadata`` of their object.

    :func:`metadata` is a decorator as well, of any function: ``@metadata(layer="hidden")``.

    >>> import adviz
    >>> class Layer:
    ...     metadata = {"layer": "hidden"}
    ...
    ...     @with_metadata
    ...     def __call__(self, x):
    ...         return x * x
    >>> Layer()(adviz.lazy.placeholder()).metadata
    {'layer': 'hidden'}
    """

    @wraps(method)
    def marked(self: Any, *args: Any, **settings: Any) -> Any:
        if not isinstance(self.metadata, dict):
            raise OptionError(f"Metadata of ops are a dictionary, and these are {self.metadata!r}.")
        with metadata(**self.metadata):
            return method(self, *args, **settings)

    return marked


def current_metadata() -> dict[str, Any]:
    """Return what ops that are built now are marked with."""
    return {key: value for each in _here.metadata for key, value in each.items()}


@contextmanager
def within(schema: Any) -> Iterator[None]:
    """Let all ops that are built meanwhile be a part of a schema."""
    with _pushed(_here.schemas, schema):
        yield


def current_schema() -> Any:
    """Return what ops that are built now are a part of; ``None`` for nothing."""
    return _here.schemas[-1]


@contextmanager
def captured() -> Iterator[list[Any]]:
    """Collect the ops that are built meanwhile, in a list; also those that no other op will depend on.

    >>> import adviz
    >>> with captured() as ops:
    ...     y = adviz.lazy.placeholder() + 1
    >>> [op.kind for op in ops if op.has_value]
    ['placeholder', 'constant', 'operation']
    """
    with _pushed(_here.captures, []) as ops:
        yield ops


def capture(op: Any) -> None:
    """Tell all who collect ops of one that is built."""
    for ops in _here.captures:
        ops.append(op)


@contextmanager
def isolated() -> Iterator[None]:
    """Let assignments that are built meanwhile order nothing outside: they run only where they are asked for.

    >>> import adviz
    >>> w = adviz.lazy.variable((), 0.0)
    >>> with isolated():
    ...     update = adviz.lazy.assign(w, w + 1)
    >>> read, step = adviz.lazy.computation(w), adviz.lazy.computation([w, update])
    >>> read(), step()[0], read()
    (0.0, 1.0, 1.0)
    """
    with _pushed(_here.user_deps, {}):
        yield


@contextmanager
def ordering(rule: Rule) -> Iterator[None]:
    """Say how reading and assigning are ordered among the ops that are built meanwhile.

    ``"creation"``, the rule unless another is given: what is built after an assignment runs after it. ``"inferred"``:
    an assignment orders nothing, and runs only where it is asked for; within a :func:`~adviz.lazy.sequential` reading
    and writing are kept in the order of its ops.
    """
    if rule not in RULES:
        raise OptionError(f"The rule is {rule!r}; it can be {' or '.join(map(repr, RULES))}.")
    with _pushed(_here.rules, rule):
        yield


def current_rule() -> Rule:
    """Return how reading and assigning are ordered now."""
    return _here.rules[-1]


def user_deps(storage: Any) -> dict[Any, None]:
    """Return what must run before storage is used next."""
    return _here.user_deps[-1].get(storage, {})


def set_user_deps(storage: Any, deps: dict[Any, None]) -> None:
    """Say what must run before storage is used next."""
    if current_rule() == "creation":
        _here.user_deps[-1][storage] = deps
