"""The namespaces that a traced program runs in: those of its own modules, but for the few names that a trace needs.

``math.sqrt`` makes a plain number of whatever it gets, ``np.zeros`` a plain array that nothing traced can be written
into, and SciPy's functions ask no protocol. A program that is traced is to get others under these names; nobody else
is. So nothing is put into ``numpy``, ``math`` or ``scipy``. The functions of the program run as *twins*, which have the
same code and other globals: a :class:`Space` for each module, where such names lead to patches. Functions whose
names lead to nothing of the kind need no twin.

A twin is called in place of a function wherever the program has that function, as a method, in a table or as an
argument: for the length of the trace, the code of the function asks :class:`Dispatch` what to call, and other threads
are given the function as it was. Functions are found as the program comes to them: a name is converted when a twin
looks it up, and what is behind it is searched for functions then. What a program binds is bound in its modules at once:
a function that binds globals has those of its module, where the names that it reads lead to patches until the trace
ends. What is exchanged is put back as it was,
whatever way the trace ends; nothing else that is not adviz's own is changed.

Python's own modules are no part of any program, nor are packages with engines of their own
(:data:`~..tape.ENGINES`).
"""

from __future__ import annotations

import dis
import gc
import os
import platform
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from functools import partial
from itertools import pairwise
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..functions.registry import PATCHES, versions
from ..tape import is_of_programs, running_tapes
from .spaces import (
    ASKING,
    CACHED,
    CALLING,
    COMMON,
    HERE,
    LEAVES,
    PLAIN,
    SPECIAL,
    STANDING,
    Cache,
    Later,
    Names,
    Space,
    Twin,
    as_it_was,
    calling,
    is_of_library,
    present,
)

OF_CONTAINERS = frozenset({"builtins", "collections", "functools", "types"})
"""Modules of Python whose objects hold those of programs: containers, methods, properties, partial functions."""

MOST_ENTRIES, MOST_OBJECTS = 1 << 12, 1 << 15
"""Of a container, and in all, to be searched for functions."""

NUMBA = frozenset({"guvectorize", "jit", "njit", "numba", "vectorize"})
"""Names in functions that may have Numba look into their globals."""

_running: set[Program] = set()
"""The programs that are traced now, in all threads."""
_dispatches: WeakKeyDictionary[FunctionType, tuple[Dispatch, CodeType]] = WeakKeyDictionary()
_lock = threading.RLock()

platform.uname()  # Python remembers it: else a program that imports SciPy while it is traced would leave that behind


# ---- the names in a function ----

DYNAMIC = frozenset({"__builtins__", "__dict__", "__import__", "eval", "exec", "getattr", "globals", "locals", "vars"})
"""Names with which a program may look for others that are not in its code."""

MOST_CODES = 1 << 12
"""Whose names are remembered."""

FROM_OUTSIDE = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT")
"""How the names of operations begin that read globals, or variables of a closure."""

BINDING = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL"})
"""Operations that bind or delete globals."""


class CodeNames(NamedTuple):
    """The names in a function and in those inside it."""

    names: frozenset[str]
    """Of globals and of attributes."""
    outside: tuple[str, ...]
    """Of globals, and of variables of a closure."""
    alone: frozenset[str]
    """Those of them that are used without an attribute."""
    is_open: bool
    """Whether it imports something, may look for other names, or calls something else instead."""
    bound: frozenset[str]
    """Of globals that it binds or deletes."""
    reads_nothing: bool = False
    """Whether it has but its arguments."""


_OPEN = CodeNames(frozenset(), (), frozenset(), True, frozenset())
"""Of code that calls something else instead."""
_known: dict[int, tuple[CodeType, CodeNames]] = {}


def names_of(function: FunctionType) -> CodeNames:
    """Return what :class:`CodeNames` says, found once for each code; whatever the function calls meanwhile.

    >>> names = names_of(lambda x: np.sin(x) + helper(np.cos, x))
    >>> sorted(names.names), sorted(names.outside), sorted(names.alone)
    (['cos', 'helper', 'np', 'sin'], ['helper', 'np'], ['helper'])
    """
    code = function.__code__ if function.__code__.co_filename != CALLING else _code_of(function)
    known = _known.get(id(code))
    if known is None:
        if len(_known) >= MOST_CODES:
            _known.clear()
        known = _known[id(code)] = code, _read(code)
    return known[1]


def _read(code: CodeType) -> CodeNames:
    if code.co_filename == CALLING:
        return _OPEN
    codes = list(_with_inner(code))
    parts = [part for each in codes for part in pairwise(dis.get_instructions(each))]
    names = frozenset(name for each in codes for name in each.co_names)
    used = [(part.argval, following.opname) for part, following in parts if part.opname.startswith(FROM_OUTSIDE)]
    alone = frozenset(name for name, following in used if following not in ("LOAD_ATTR", "LOAD_METHOD"))
    bound = frozenset(part.argval for part, _ in parts if part.opname in BINDING)
    is_open = not names.isdisjoint(DYNAMIC) or any(part.opname == "IMPORT_NAME" for part, _ in parts)
    return CodeNames(names, tuple({name for name, _ in used}), alone, is_open, bound, not (used or bound or is_open))


def _with_inner(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if type(constant) is CodeType:
            yield from _with_inner(constant)


# ---- one function ----


class Dispatch:
    """What a function of a program calls while the program is traced."""

    __slots__ = ("original", "version")

    def __init__(self, function: FunctionType):
        self.original = _copy(function, function.__globals__, function.__closure__)
        annotations = "__annotate__" if hasattr(function, "__annotate__") else "__annotations__"  # since Python 3.14
        setattr(self.original, annotations, getattr(function, annotations))
        self.version = versions().get(function)

    def choose(self) -> Callable[..., Any]:
        """What to call: for other threads, and where adviz or a library computes with numbers, the function itself."""
        program = present()
        return self.original if program is None else program.twins.get(self) or program.twin(self)

    def fits(self, function: FunctionType, code: CodeType) -> bool:
        """Return whether the function is what it was, but for the code that it has meanwhile."""
        original = self.original
        return (
            (function.__code__ is code or function.__code__ is original.__code__)
            and function.__defaults__ is original.__defaults__
            and function.__kwdefaults__ is original.__kwdefaults__
        )


def _dispatch_of(function: FunctionType) -> tuple[Dispatch, CodeType]:
    """With the code that asks it, which it must not refer to: Python finds no cycles that go through code."""
    known = _dispatches.get(function)
    if known is None or not known[0].fits(function, known[1]):
        dispatch = Dispatch(function)
        known = _dispatches[function] = dispatch, calling(dispatch.choose, function.__code__)
    return known


def _code_of(function: FunctionType) -> CodeType:
    """Return the code of a function, whatever it calls meanwhile."""
    code = function.__code__
    if code.co_filename != CALLING:
        return code
    known = _dispatches.get(function)
    return code if known is None else known[0].original.__code__


def _copy(function: FunctionType, names: Names, closure: Any) -> FunctionType:
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, closure)
    copy.__kwdefaults__, copy.__qualname__ = function.__kwdefaults__, function.__qualname__
    copy.__doc__ = function.__doc__
    copy.__dict__.update(function.__dict__ or {})
    return copy


def _is_alone(function: FunctionType) -> bool:
    """Return whether there is nothing behind a function that a program could come to."""
    given = function.__defaults__ or function.__kwdefaults__
    return not given and names_of(function).reads_nothing and function not in versions()


def _defaults(function: FunctionType) -> tuple[Any, ...]:
    return (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())


def _content(cell: CellType) -> Any:
    """Return the value of a variable of a closure; ``None`` while it has none."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


# ---- the program ----


class Program:
    """What one thread traces, with all that it calls: its spaces, its twins, and what was exchanged for it."""

    def __init__(self) -> None:
        self.thread, self.tapes = threading.get_ident(), running_tapes()
        self.spaces: dict[int, Space] = {}  # by the id of the module's namespace
        self.own: set[int] = set()  # ids of the globals of twins
        self.common: dict[ModuleType, ModuleType] = {}
        self.twins: dict[Dispatch, Callable[..., Any]] = {}
        self.caches: dict[int, Cache] = {}  # by the id of the original
        self.exchanged: dict[FunctionType, tuple[Dispatch, CodeType]] = {}
        self.bound: list[tuple[Names, frozenset[str]]] = []  # namespaces of modules, and what functions bind in them
        self.cells: dict[int, tuple[CellType, CellType, Any]] = {}  # by id: a variable, as twins have it, what it had
        self.holding: dict[int, Any] = {}  # by id: what patches were put into
        self.tuples: list[tuple[Names, str, Any, Any]] = []  # namespaces, names, tuples, and those with patches
        self.seen: dict[int, Any] = {}  # holds what it has seen, so that ids stay their own
        self.functions: list[FunctionType] = []  # those that have twins

    def converted(self, value: Any) -> Any:
        """Return what the program gets for something: a patch, or the same, which is searched for functions."""
        if type(value) in PLAIN:
            return value
        if type(value) is FunctionType and id(value) not in PATCHES and (id(value) in self.seen or _is_alone(value)):
            return value
        patch = self._patch(value)
        if patch is not None:
            return patch
        if type(value) is tuple and self._is_made_anew(value):
            return tuple(map(self.converted, value))  # nobody can tell a tuple from its copy
        self.search(value)
        return value

    def _patch(self, value: Any) -> Any:
        """Return what the program gets instead of something; ``None`` for most."""
        if type(value) in PLAIN:
            return None
        if issubclass(type(value), ModuleType):
            return self._module(value)
        return PATCHES.get(id(value)) or (self._cache(value) if type(value) is CACHED else None)

    def _cache(self, value: Any) -> Cache | None:
        if not is_of_programs(value.__module__):
            return None
        if id(value) not in self.caches:
            self.caches[id(value)] = Cache(value)
            self.search(value)
        return self.caches[id(value)]

    def _has_patch(self, value: Any) -> bool:
        return self._patch(value) is not None

    def _is_made_anew(self, value: tuple[Any, ...]) -> bool:
        return len(value) < MOST_ENTRIES and any(map(self._has_patch, value))

    def _module(self, module: ModuleType) -> ModuleType | None:
        if type(module) is Twin:
            return None
        if module in COMMON:
            return self.common.get(module) or self.common.setdefault(module, COMMON[module].checked())
        return self.space(vars(module), module).twin if is_of_programs(module.__name__) else None

    def space(self, source: Names, module: ModuleType | None = None) -> Space:
        """Return the space for the namespace of a module, or of a twin from an earlier trace, which is empty now."""
        if type(later := source.get("__builtins__")) is Later:
            return self.space(later.space.source, module)
        space = self.spaces.get(id(source))
        if space is None:
            space = self.spaces[id(source)] = Space(self.converted, source, module)
            self.own.add(id(space.names))
        elif space.twin is None and module is not None:
            space.twin = Twin(module, space.attribute)
        return space

    def entry(self, f: Any) -> Any:
        """Return what to call in place of the function that is traced."""
        if type(f) is not FunctionType or id(f) in self.seen or f in versions():
            return self.converted(f)
        if self._needs_twin(f):
            return self._twin_of(f)
        self.seen[id(f)] = f
        self.search(*self._inside(f))
        return f

    def _needs_twin(self, function: FunctionType) -> bool:
        """Return whether a function of the program may come to something else than it would without a trace."""
        names = function.__globals__
        if id(names) in self.own or not is_of_programs(names.get("__name__")):
            return False
        code = names_of(function)
        if code.is_open or code.bound or function in versions() or type(names.get("__builtins__")) is Later:
            return True
        if not code.names.isdisjoint(ASKING) and not is_of_library(names):
            return True
        for name in code.outside:
            value = names.get(name)
            if type(value) not in PLAIN and self._is_changed(value, code, name):
                return True
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            if self._is_changed(_content(cell), code, name):
                return True
        if not (function.__defaults__ or function.__kwdefaults__):
            return False
        return any(self._is_changed(value, code) for value in _defaults(function))

    def _is_changed(self, value: Any, code: CodeNames, name: str | None = None) -> bool:
        """Return whether the program gets something else for what code has under a name."""
        kind = type(value)
        if kind in PLAIN:
            return False
        if issubclass(kind, ModuleType):
            special = SPECIAL.get(value)
            if special is None:
                return self._module(value) is not None
            return name is None or name in code.alone or not special.isdisjoint(code.names)
        return id(value) in PATCHES or kind is CACHED or (kind is tuple and self._is_made_anew(value))

    def twin(self, dispatch: Dispatch) -> Callable[..., Any]:
        """Return the twin of a function, or our version of one of SciPy's."""
        if dispatch.version is None:
            result: Callable[..., Any] = self._twin_of(dispatch.original)
        else:
            result = partial(dispatch.version, dispatch.original)
        self.twins[dispatch] = result
        return result

    def _twin_of(self, function: FunctionType) -> FunctionType:
        if id(function.__globals__) in self.own:
            return function
        self.functions.append(function)
        code, cells, space = names_of(function), function.__closure__, self.space(function.__globals__)
        if not code.names.isdisjoint(NUMBA):
            for name in code.names & space.source.keys():
                space.names[name] = self.converted(space.source[name])
        cells = cells and tuple(map(self._cell, cells))
        if code.bound:
            self._prepare(space, code)
            with space.its_builtins() if code.is_open else nullcontext():
                twin = _copy(function, space.source, cells)
        else:
            twin = _copy(function, space.names, cells)
        if twin.__defaults__:
            twin.__defaults__ = tuple(map(self.converted, twin.__defaults__))
        if twin.__kwdefaults__:
            twin.__kwdefaults__ = {name: self.converted(value) for name, value in twin.__kwdefaults__.items()}
        return twin

    def _prepare(self, space: Space, code: CodeNames) -> None:
        """Put patches into the namespace of a module, for a function that binds names in it."""
        self.bound.append((space.source, code.bound))
        space.bound |= code.bound
        space.forget(code.bound)
        for name in code.outside:
            value = space.source.get(name)
            converted = self.converted(value)
            self._hold(space.source, name, value)
            if type(value) is tuple and converted is not value:
                self.tuples.append((space.source, name, value, converted))
                space.source[name] = converted

    def _cell(self, cell: CellType) -> CellType:
        """A variable of a closure: the same, unless it has something that the program is to get a patch for."""
        if id(cell) not in self.cells:
            value = _content(cell)
            converted = self.converted(value)
            if converted is value:
                return cell
            self.cells[id(cell)] = cell, CellType(converted), converted
        return self.cells[id(cell)][1]

    def search(self, *values: Any) -> None:
        """Let the functions that are behind values call their twins; in containers, put patches for originals."""
        waiting = list(values)
        while waiting and len(self.seen) < MOST_OBJECTS:
            value = waiting.pop()
            if type(value) not in LEAVES and id(value) not in self.seen:
                self.seen[id(value)] = value
                if type(value) is not ModuleType:
                    waiting += self._behind(value)

    def _behind(self, value: Any) -> Iterable[Any]:
        """Return what is to be searched next."""
        kind = type(value)
        if kind is FunctionType:
            return self._function(value)
        if issubclass(kind, type):
            return self._class(value) if is_of_programs(value.__module__) else ()
        if issubclass(kind, ModuleType):
            return ()
        if kind is dict or kind is list:
            return self._container(value)
        if issubclass(kind, dict | list):
            return [kind, getattr(value, "__dict__", None), *self._container(value)]
        if kind is partial:
            self._partial(value)
        elif kind.__module__ not in OF_CONTAINERS and not is_of_programs(kind.__module__):
            return ()
        behind = gc.get_referents(value)
        if len(behind) > MOST_ENTRIES:
            return ()
        if hasattr(value, "__dict__") and any(map(self._has_patch, behind)):
            behind.append(vars(value))
        return behind

    def _function(self, function: FunctionType) -> Iterable[Any]:
        """Let a function ask what to call, if it needs a twin."""
        if self._needs_twin(function):
            self._exchange(function)
            return [*_defaults(function), *map(_content, function.__closure__ or ())]
        return self._inside(function)

    def _inside(self, function: FunctionType) -> Iterable[Any]:
        """Return what a function without a twin has and reads."""
        behind: list[Any] = []
        names = function.__globals__
        if function.__defaults__ or function.__kwdefaults__:
            behind += _defaults(function)
        if function.__closure__:
            behind += map(_content, function.__closure__)
        if id(names) not in self.own and is_of_programs(names.get("__name__")):
            behind += map(names.get, names_of(function).outside)
        return behind

    def _exchange(self, function: FunctionType) -> None:
        with _lock:
            dispatch, code = self.exchanged[function] = _dispatch_of(function)
            if function.__code__ is not code:
                function.__code__ = code
                function.__dict__.setdefault("__wrapped__", dispatch.original)  # where inspect looks

    def _class(self, kind: type) -> Iterable[Any]:
        behind: list[Any] = [*kind.__bases__, type(kind)]
        for name, value in list(vars(kind).items()):
            if type(value) in PLAIN:
                continue
            inner = value.__func__ if type(value) is staticmethod else value
            patch = self._patch(inner)
            if patch is None:
                behind.append(value)
            else:
                self.holding[id(kind)] = kind
                type.__setattr__(kind, name, staticmethod(patch) if inner is not value else patch)
        return behind

    def _container(self, value: Any) -> Iterable[Any]:
        is_dict = issubclass(type(value), dict)
        if len(value) > MOST_ENTRIES or (is_dict and "__builtins__" in value):  # the namespace of a module
            return ()
        behind = list(dict.items(value) if is_dict else enumerate(value))
        for key, entry in behind:
            self._hold(value, key, entry)
        return [entry for _, entry in behind]

    def _hold(self, container: Any, key: Any, value: Any) -> None:
        """Put a patch into a dictionary or a list, if there is one."""
        patch = self._patch(value)
        if patch is not None or type(value) in STANDING:  # another trace has put it there
            self.holding[id(container)] = container
        if patch is not None:
            (dict if issubclass(type(container), dict) else list).__setitem__(container, key, patch)

    def _partial(self, value: Any) -> None:
        function, *rest = value.__reduce__()[2]
        patch = PATCHES.get(id(function))
        if patch is not None:
            self.holding[id(value)] = value
            value.__setstate__((patch, *rest))

    def arrays(self) -> Iterator[tuple[str, np.ndarray]]:
        """Yield arrays that the program has not made, with the names that it has for them."""
        for value in [*self.functions, *self.seen.values()]:
            kind = type(value)
            held: Any = value if kind is dict else getattr(value, "__dict__", {})
            if kind is FunctionType:
                held = {name: value.__globals__.get(name) for name in names_of(value).outside}
                held |= zip(_code_of(value).co_freevars, map(_content, value.__closure__ or ()), strict=False)
            elif kind is list:
                held = dict(enumerate(value))
            for key, each in list(held.items()):
                if type(each) is np.ndarray:
                    yield key if type(key) is str and kind is not dict else "an entry", each

    def close(self) -> None:
        """Put everything back as it was. Where it is interrupted, it is to be called again."""
        if self not in _running:
            return
        with _lock:
            others = _running - {self}
            for function, (dispatch, code) in self.exchanged.items():
                if any(function in other.exchanged for other in others):
                    continue
                if function.__code__ is code:
                    function.__code__ = dispatch.original.__code__
                    if function.__dict__.get("__wrapped__") is dispatch.original:
                        del function.__dict__["__wrapped__"]
                if function.__closure__ or function.__dict__:  # which may refer to it
                    _dispatches.pop(function, None)
            for key, value in self.holding.items():
                if not any(key in other.holding for other in others):
                    _restore(value)
            for names, name, value, put in self.tuples:
                if names.get(name) is put:
                    names[name] = value
            for names, bound in self.bound:
                names.update({name: as_it_was(names[name]) for name in bound if type(names.get(name)) in STANDING})
            for cell, twin, put in self.cells.values():
                if _content(twin) is not put:
                    cell.cell_contents = as_it_was(_content(twin))
            self.twins.clear()
            for cache in self.caches.values():
                cache.results.clear()
            for space in self.spaces.values():
                if space.is_asked:
                    _restore(space.source)
                space.close()
            for table in (self.caches, self.spaces, self.seen, self.exchanged, self.holding, self.cells):
                table.clear()
            for each in (self.functions, self.tuples, self.bound):
                each.clear()
            _running.discard(self)
        if getattr(HERE, "program", None) is self:
            HERE.program = None


def _restore(holding: Any) -> None:
    """Put what patches stand for in their places, wherever the program has moved them."""
    kind = type(holding)
    if kind is partial:
        function, *rest = holding.__reduce__()[2]
        holding.__setstate__((as_it_was(function), *rest))
    elif issubclass(kind, type):
        for name, value in list(vars(holding).items()):
            inner = value.__func__ if type(value) is staticmethod else value
            if type(inner) in STANDING:
                original = as_it_was(inner)
                type.__setattr__(holding, name, staticmethod(original) if inner is not value else original)
    else:
        is_dict = issubclass(kind, dict)
        write = (dict if is_dict else list).__setitem__
        for key, value in list(dict.items(holding) if is_dict else enumerate(holding)):
            if type(value) in STANDING:
                write(holding, key, as_it_was(value))


def begin() -> tuple[Program, bool]:
    """Return the program of this thread, and whether it begins here: else it is that of a trace that runs already."""
    program = getattr(HERE, "program", None)
    if program is not None:
        if program.tapes:
            return program, False
        program.close()  # that of a trace which was interrupted before it ran
    program = Program()
    with _lock:
        _running.add(program)
    HERE.program = program
    return program, True


def _after_fork() -> None:
    """In a process that was forked there is one thread only: what others have exchanged is put back."""
    global _lock
    _lock = threading.RLock()
    for program in list(_running):
        if program.thread != threading.get_ident():
            program.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
