"""Modules as a program sees them that is traced: with stand-ins under some names, which nobody else gets."""

from __future__ import annotations

import builtins
import math
import operator
import sys
import threading
from collections.abc import Callable
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ..functions.overrides import STAND_INS, StandIn
from . import constructors, python_math

Names = dict[str, Any]

ASKED_BY_PYTHON = ("__name__", "__file__", "__package__", "__path__", "__spec__", "__loader__", "__warningregistry__")
"""What Python itself looks up in the globals of a function."""

FOUND_LATER = ("__name__", "__builtins__", "__getattr__")
"""What is left in the globals of twins that outlive the trace: other names are looked up in the module again."""

PLAIN = frozenset(
    {*(int, float, complex, bool, str, bytes, bytearray, slice, range, CodeType), *map(type, (None, ...))}
    | {np.ndarray, np.ufunc, np.dtype, *np.sctypeDict.values()}
)
LEAVES = PLAIN | {type(len), type(np.sum), object, *map(type, vars(FunctionType).values())}
"""Types of what has no functions of a program behind it; for those in ``PLAIN`` nothing stands in."""

ABSENT: Any = object()
HEAP = 1 << 9  # the flag of classes that are made at run time, Py_TPFLAGS_HEAPTYPE

for _stand_ins in (python_math.STAND_INS, constructors.STAND_INS):
    STAND_INS |= {id(each.original): each for each in _stand_ins.values()}
STAND_INS |= {id(original): each for original, each in constructors.RANDOM.items()}

HERE = threading.local()
"""``program``: the program that is traced in this thread."""


def present() -> Any:
    """The program of this thread, where it is traced now: not while adviz or a library computes with plain numbers."""
    program = getattr(HERE, "program", None)
    return program if program is not None and program.tapes and program.tapes[-1] is not None else None


def as_it_was(value: Any) -> Any:
    """What a stand-in stands for; everything else as it is."""
    if type(value) is ModuleType:
        names = vars(value).get("__builtins__")
        return names.space.module if type(names) is Later else COMMON_TWINS.get(value, value)
    if type(value) is constructors.Drawing:
        return value.__base__
    return value.original if type(value) is StandIn else value


class Later(dict[str, Any]):
    """The ``__builtins__`` of twins: asked for a name that their globals do not have yet."""

    space: Space

    def __missing__(self, name: str) -> Any:
        return self.space.look_up(name)


class Space:
    """A module as a program sees it: a module whose namespace the program's functions have for their globals.

    It is empty at first. A name is looked up in the module itself, once, and converted; what the program binds is
    written back to the module when the trace ends. After that, functions that outlive it find all names there.
    """

    __slots__ = ("converted", "is_closed", "module", "names", "put", "references", "source", "twin")

    def __init__(self, converted: Callable[[Any], Any], source: Names, module: ModuleType | None):
        self.converted, self.source, self.module, self.is_closed = converted, source, module, False
        self.twin = ModuleType("program")
        self.names = vars(self.twin)
        for name in ASKED_BY_PYTHON:
            if name in source:
                self.names[name] = source[name]
        later = self.names["__builtins__"] = Later()
        later.space, later["__import__"] = self, self._import
        self.names["__getattr__"] = self._attribute
        self.put = self.names.copy()
        self.references = self._references()

    def _references(self) -> int:
        return sys.getrefcount(self.names) + sys.getrefcount(self.twin)

    def look_up(self, name: str) -> Any:
        """The value of a global name, or of one of Python's."""
        return self._kept(name, self.source[name] if name in self.source else vars(builtins)[name])

    def _attribute(self, name: str) -> Any:
        if self.module is None:
            raise AttributeError(name)
        return self._kept(name, getattr(self.module, name))

    def _kept(self, name: str, value: Any) -> Any:
        if not self.is_closed:
            value = self.names[name] = self.put[name] = self.converted(value)
        return value

    def _import(self, *args: Any, **settings: Any) -> Any:
        found = builtins.__import__(*args, **settings)
        return found if self.is_closed else self.converted(found)

    def close(self) -> None:
        """Write back what the program has bound or deleted, and forget all names."""
        if self.is_closed:
            return
        is_kept = self._references() > self.references  # by what outlives the trace
        names, put = self.names, self.put
        if len(names) != len(put) or not all(map(operator.is_, names.values(), put.values())):
            for name in put.keys() - names.keys():
                self.source.pop(name, None)
            bound = {name: value for name, value in names.items() if put.get(name, ABSENT) is not value}
            self.source.update(zip(bound, map(as_it_was, bound.values()), strict=True))
        self.is_closed = True
        kept: Names = {name: names[name] for name in FOUND_LATER if name in names} if is_kept else {}
        names.clear()
        names.update(kept)
        put.clear()


class Common:
    """NumPy, or ``math``, as all programs see it: most of what is in it is the same for all, and stays there."""

    __slots__ = ("known", "module", "names", "own", "twin")

    def __init__(self, module: ModuleType):
        self.module, self.twin = module, ModuleType(module.__name__, module.__doc__)
        self.names = vars(self.twin)
        self.names["__getattr__"] = self._attribute
        self.known: Names = {}
        self.own = len(self.names)

    def _attribute(self, name: str) -> Any:
        value, program = getattr(self.module, name), present()
        is_static = _is_static(value)
        if is_static and name in vars(self.module):
            self.known[name] = value
            value = self.names[name] = STAND_INS.get(id(value), value)
        return value if is_static or program is None else program.converted(value)

    def checked(self) -> ModuleType:
        """The module for programs: without what somebody has changed since; what a program has bound is moved to it."""
        known, there = self.known, vars(self.module)
        if self.is_bound() or not all(map(operator.is_, map(there.get, known), known.values())):
            for name in list(self.names)[self.own :]:
                value = self.names.pop(name)
                if name not in known:
                    there[name] = as_it_was(value)
            known.clear()
        return self.twin

    def is_bound(self) -> bool:
        """Whether a program has bound names in it."""
        return len(self.names) != len(self.known) + self.own


def _is_static(value: Any) -> bool:
    """Whether nothing of a program is behind something: it is not written in Python."""
    return type(value) in LEAVES or (type(value) is type and not value.__flags__ & HEAP)


COMMON = {module: Common(module) for module in (np, math)}


def _special(module: ModuleType) -> frozenset[str]:
    known = vars(module)
    plain = {name for name, value in known.items() if _is_static(value) and id(value) not in STAND_INS}
    return frozenset({*dir(module), *known} - plain)  # NumPy imports some of its modules when they are asked for


SPECIAL = {module: _special(module) for module in COMMON}
"""What a program may get from them that is not what is in them."""
COMMON_TWINS = {each.twin: each.module for each in COMMON.values()}
