"""Modules as a program sees them that is traced: with patches under some names, which nobody else gets.

And the code of a program: the names that are in it, and code that calls something else instead.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import inspect
import math
import operator
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, cast

import numpy as np

from ..arrays import ProgramArray
from ..functions.arguments import holds_traced
from ..functions.registry import PATCHES, Patch
from ..object_arrays import Complex, ObjectArray
from ..tape import TRACED
from ..variable import DeviceTraced, Traced
from . import constructors

# ---- codes ----


CALLING = f"{__file__} (calling)"
"""The file of code that :func:`calling` makes."""


def calling(choose: Callable[[], Any], code: CodeType) -> CodeType:
    """Code that calls what ``choose`` says, with the free variables of ``code`` and of its kind, so that it fits."""
    kind = next((flag for flag in RETURNED if code.co_flags & flag), 0)
    made = _template(code.co_freevars, kind)
    constants = (choose if constant == "the function to call" else constant for constant in made.co_consts)
    return made.replace(co_consts=tuple(constants), co_name=code.co_name, co_qualname=code.co_qualname)


RETURNED = {
    inspect.CO_GENERATOR: "return (yield from {})",
    inspect.CO_COROUTINE: "return await {}",
    inspect.CO_ASYNC_GENERATOR: "async for {own}each in {}: yield {own}each",
}
"""How generators and coroutines hand on what another one gives, by the flags of their code."""


@functools.cache
def _template(names: tuple[str, ...], kind: int) -> CodeType:
    own = "_" * (1 + max(map(len, names), default=0))  # no name of the function's
    called = RETURNED.get(kind, "return {}").format(f"{own}choose()(*{own}args, **{own}settings)", own=own)
    lines = [
        "def make():",
        *(f"    {name} = None" for name in names),
        f"    {'async ' * (kind not in (0, inspect.CO_GENERATOR))}def dispatch(*{own}args, **{own}settings):",
        f"        {'; '.join(names) or 'pass'}",
        f"        {own}choose = 'the function to call'",
        f"        {called}",
        "    return dispatch",
    ]
    space: dict[str, Any] = {}
    exec(compile("\n".join(lines), CALLING, "exec"), space)
    made: CodeType = space["make"]().__code__
    return made


# ---- types of Python ----


class _Asked(type):
    """The class of ``TYPE``, which is called as ``type`` is."""

    def __call__(cls, *args: Any, **settings: Any) -> Any:
        if cls is not TYPE:  # a class of the program that is derived from it
            return super().__call__(*args, **settings)
        if len(args) != 1 or settings:
            return type(*args, **settings)
        kind = numpy_type(args[0])
        return TYPE if kind is type else kind

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, type) if cls is TYPE else super().__instancecheck__(value)

    def __subclasscheck__(cls, kind: Any) -> bool:
        return issubclass(kind, type) if cls is TYPE else super().__subclasscheck__(kind)


TYPE = _Asked("type", (type,), {})
"""What stands in for ``type``."""


def numpy_type(value: Any) -> type:
    """The type of a value where nothing is traced: a number is one of Python's where all arguments are such numbers.

    >>> import adviz
    >>> adviz.grad(lambda x: x**2 if type(x) is np.ndarray else 3.0 * x)(2.0)
    3.0
    """
    kind = type(value)
    if issubclass(kind, ProgramArray | ObjectArray):
        return np.ndarray if value.ndim or value.dtype.hasobject else value.dtype.type
    if issubclass(kind, Complex):
        return np.ndarray if value.ndim else np.complex128
    if not issubclass(kind, Traced):
        return kind
    if value.ndim:
        return np.ndarray
    return value.kind_of_number


def has_attribute(value: Any, name: str) -> bool:
    """``hasattr``, which tells of what is traced what it tells of NumPy's arrays and numbers."""
    kind = numpy_type(value)
    if kind is type(value) or isinstance(value, DeviceTraced):
        return hasattr(value, name)
    return hasattr(np.float64 if kind is float and value.index not in value.tape.inputs else kind, name)


def attribute(value: Any, name: str, *default: Any) -> Any:
    """``getattr``, with the default where :func:`has_attribute` says no of what is traced."""
    if default and numpy_type(value) is not type(value) and not has_attribute(value, name):
        return default[0]
    return getattr(value, name, *default)


ASKING: dict[str, Any] = {"type": TYPE, "hasattr": has_attribute, "getattr": attribute}
"""What stands in for built-in functions that ask what a value is."""

# ---- modules ----


Names = dict[str, Any]

ASKED_BY_PYTHON = ("__name__", "__file__", "__package__", "__path__", "__spec__", "__loader__", "__warningregistry__")
"""What Python itself looks up in the globals of a function."""

FOUND_LATER = ("__name__", "__builtins__", "__warningregistry__")
"""What is left in the globals of twins that outlive the trace: other names are looked up in the module again."""

PLAIN = frozenset(
    {*(int, float, complex, bool, str, bytes, bytearray, slice, range, CodeType), *map(type, (None, ...))}
    | {np.ndarray, np.ufunc, np.dtype, *np.sctypeDict.values()}
)
LEAVES = PLAIN | {type(len), type(np.sum), object, *map(type, vars(FunctionType).values())}
"""Types of what has no functions of a program behind it; for those in ``PLAIN`` nothing stands in."""

ABSENT: Any = object()
HEAP = 1 << 9  # the flag of classes that are made at run time, Py_TPFLAGS_HEAPTYPE

for _patches in (constructors.MATH_PATCHES, constructors.PATCHES):
    PATCHES |= {id(each.original): each for each in _patches.values()}
PATCHES |= {id(original): each for original, each in constructors.RANDOM.items()}

HERE = threading.local()
"""``program``: the program that is traced in this thread."""


def present() -> Any:
    """The program of this thread, where it is traced now: not while adviz or a library computes with plain numbers."""
    program = getattr(HERE, "program", None)
    return program if program is not None and program.tapes and program.tapes[-1] is not None else None


def as_it_was(value: Any) -> Any:
    """Return what a patch stands for; everything else as it is."""
    kind = type(value)
    if kind is constructors.Drawing:
        return value.__base__
    return value.original if kind in STANDING else value


class Twin(ModuleType):
    """A module as a program has it, equal to the module; what the program binds in it is bound in the module."""

    __slots__ = ("look_up", "original")

    def __init__(self, module: ModuleType, look_up: Callable[[str], Any]):
        super().__init__(module.__name__, module.__doc__)
        for name, value in (("original", module), ("look_up", look_up)):
            ModuleType.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        return self.look_up(name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.original, name, as_it_was(value))
        names_in(self).pop(name, None)

    def __delattr__(self, name: str) -> None:
        delattr(self.original, name)
        names_in(self).pop(name, None)

    @property
    def __dict__(self) -> Names:  # type: ignore[override]
        return vars(self.original)

    def __dir__(self) -> list[str]:
        return dir(self.original)

    def __eq__(self, other: object) -> bool:
        return other is self or other is self.original

    def __hash__(self) -> int:
        return hash(self.original)

    def __repr__(self) -> str:
        return repr(self.original)


def is_of_library(names: Names) -> bool:
    """Return whether these are the globals of NumPy or SciPy, which ask what a traced value is."""
    return str(names.get("__name__")).partition(".")[0] in TRACED


class Cache(Patch):
    """What stands in for a function whose results Python keeps: it keeps those of traced values for these alone.

    Python would take a result that it has from before for a number with the same value, and no derivative.
    """

    original: Any

    def __new__(cls, original: Any) -> Cache:
        return cast(Cache, super().__new__(cls, original.__wrapped__, original))

    def __init__(self, original: Any):
        self.results: dict[Any, Any] = {}

    def __call__(self, /, *args: Any, **settings: Any) -> Any:
        if not (holds_traced(args) or holds_traced(settings)):
            return self.original(*args, **settings)
        key = tuple(map(_identity, args)), tuple((name, _identity(each)) for name, each in settings.items())
        if key not in self.results:
            self.results[key] = self.original.__wrapped__(*args, **settings)
        return self.results[key]

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)


def _identity(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_identity, value))
    return (value.tape, value.index) if isinstance(value, Traced) else value


CACHED = type(functools.cache(id))
STANDING = frozenset({Cache, Patch, Twin, constructors.Drawing})
"""Types of patches."""


_NAMES: Any = vars(ModuleType)["__dict__"]


def names_in(module: ModuleType) -> Names:
    """Return the namespace of a module itself, where that is a twin."""
    names: Names = _NAMES.__get__(module)
    return names


OF_PYTHON = frozenset(vars(builtins))
"""Names of built-in functions, which nobody binds."""


class Later(dict[str, Any]):
    """The ``__builtins__`` of twins: asked for a name that their globals do not have."""

    space: Space

    def __missing__(self, name: str) -> Any:
        value = self.space.source.get(name, ABSENT)
        if type(value) in PLAIN:
            return value
        if value is ABSENT:
            value = vars(builtins)[name]
            if name in OF_PYTHON:
                self[name] = value
            return value
        return self.space.look_up(name)


class Space:
    """The globals of those functions of a module that a program calls, and the module as the program has it.

    They have patches only: every other name is looked up in the namespace of the module when it is asked for. What a
    program binds is bound there, too: functions that bind globals have the module's own.
    """

    __slots__ = ("bound", "builtins", "converted", "given", "is_asked", "is_closed", "names", "source", "twin")

    def __init__(self, converted: Callable[[Any], Any], source: Names, module: ModuleType | None):
        self.converted, self.source, self.is_closed = converted, source, False
        self.twin: Any = None if module is None else Twin(module, self.attribute)
        self.is_asked = False  # the program has been given ``source``, and may have put patches there
        self.bound: set[str] = set()  # names that functions bind
        self.given: list[Names] = []  # namespaces of the program's own, with ``builtins``
        own: Names = {"__import__": self._import, "exec": self._exec, "eval": self._eval}
        if not is_of_library(source):
            own |= ASKING
        self.builtins = own
        later = Later(own, globals=self._globals)
        later.space = self
        self.names: Names = {name: source[name] for name in ASKED_BY_PYTHON if name in source}
        self.names["__builtins__"] = later

    def look_up(self, name: str) -> Any:
        """Return the value of a name in the module."""
        value = self.source[name]
        if self.is_closed:
            return value
        converted = self.converted(value)
        if type(converted) is Twin and name not in self.bound:  # functions may be bound anew in many ways
            self.names[name] = converted
        return converted

    def attribute(self, name: str) -> Any:
        """Return the value of an attribute of the module."""
        value = getattr(self.twin.original, name)
        return value if self.is_closed else self.converted(value)

    def forget(self, names: Iterable[str]) -> None:
        """Look these names up again."""
        for name in names:
            self.names.pop(name, None)

    @contextmanager
    def its_builtins(self) -> Iterator[None]:
        """Let a function that is made with the namespace of the module have the program's own built-in functions."""
        known = self.source.get("__builtins__", ABSENT)
        self.source["__builtins__"] = {**vars(builtins), **self.builtins}
        try:
            yield
        finally:
            if known is ABSENT:
                del self.source["__builtins__"]
            else:
                self.source["__builtins__"] = known

    def _globals(self) -> Names:
        self.is_asked = True
        return self.source

    def _import(self, *args: Any, **settings: Any) -> Any:
        result = builtins.__import__(*args, **settings)
        return result if self.is_closed else self.converted(result)

    def _exec(self, code: Any, names: Names | None = None, /, *more: Any, **settings: Any) -> None:
        self._run(builtins.exec, sys._getframe(1), code, names, *more, **settings)

    def _eval(self, code: Any, names: Names | None = None, /, *more: Any, **settings: Any) -> Any:
        return self._run(builtins.eval, sys._getframe(1), code, names, *more, **settings)

    def _run(self, run: Any, frame: FrameType, code: Any, names: Names | None, *more: Any, **settings: Any) -> Any:
        """Run a text: what it binds in the globals of the program is bound in the module."""
        if names is not None and names is not self.source:
            if "__builtins__" not in names:
                names["__builtins__"] = {**vars(builtins), **self.builtins}
                self.given.append(names)
            return run(code, names, *more, **settings)
        before = self.names.copy()
        try:
            return run(code, self.names, *(more or (() if names is self.source else (frame.f_locals,))), **settings)
        finally:
            for name, value in list(self.names.items()):
                original = as_it_was(value)
                is_patch = original is not value and original is self.source.get(name, ABSENT)  # for what is there
                if before.get(name, ABSENT) is not value and not is_patch:
                    self.source[name] = original
                    self.forget([name])

    def close(self) -> None:
        """Forget all names."""
        self.is_closed = True
        if "__warningregistry__" in self.names:  # of what Python has warned once, it does not warn again
            self.source.setdefault("__warningregistry__", self.names["__warningregistry__"])
        self.forget(self.names.keys() - set(FOUND_LATER))
        for names in self.given:
            names["__builtins__"] = vars(builtins)
        self.given.clear()


class Common:
    """NumPy, ``math`` or ``importlib``, as all programs see it: most is the same for all of them, and stays there."""

    __slots__ = ("known", "module", "names", "twin")

    def __init__(self, module: ModuleType):
        self.module, self.twin = module, Twin(module, self._attribute)
        self.names, self.known = names_in(self.twin), dict[str, Any]()

    def _attribute(self, name: str) -> Any:
        value, program = getattr(self.module, name), present()
        is_static = _is_static(value)
        if is_static and name in vars(self.module):
            self.known[name] = value
            value = self.names[name] = PATCHES.get(id(value), value)
        return value if is_static or program is None else program.converted(value)

    def checked(self) -> ModuleType:
        """Return the module for programs, without what somebody has changed since."""
        if not all(map(operator.is_, map(vars(self.module).get, self.known), self.known.values())):
            for name in self.known:
                self.names.pop(name, None)
            self.known.clear()
        return self.twin


def _is_static(value: Any) -> bool:
    """Return whether nothing of a program is behind something: it is not written in Python."""
    return type(value) in LEAVES or (type(value) is type and not value.__flags__ & HEAP)


def _reload(module: ModuleType) -> Any:
    """``importlib.reload``, which takes the module itself only."""
    result, program = importlib.reload(as_it_was(module)), present()
    return result if program is None else program.converted(result)


def _keeping(decorator: Any, *args: Any, **settings: Any) -> Any:
    """``functools.cache`` and ``lru_cache`` in a program, which decorates functions of its own while it is traced."""
    made = decorator(*args, **settings)
    if present() is None:
        return made
    return Cache(made) if type(made) is CACHED else lambda function: Cache(made(function))


PATCHES[id(importlib.reload)] = Patch(_reload, importlib.reload)
for _keep in (functools.cache, functools.lru_cache):
    PATCHES[id(_keep)] = Patch(functools.partial(_keeping, _keep), _keep)
COMMON = {module: Common(module) for module in (np, math, importlib, functools)}


def _special(module: ModuleType) -> frozenset[str]:
    known = vars(module)
    plain = {name for name, value in known.items() if _is_static(value) and id(value) not in PATCHES}
    return frozenset({*dir(module), *known} - plain)  # NumPy imports some of its modules when they are asked for


SPECIAL = {module: _special(module) for module in COMMON}
"""What a program may get from them that is not what is in them."""
