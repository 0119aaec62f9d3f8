"""Names in programs: rebinding them while a function is traced.

A program that says ``from math import sqrt`` holds the function itself: another ``math.sqrt`` would not reach it. With
this module you can

* let functions stand in for others, whatever names a program has given them: :class:`StandIns`;
* find the namespaces of the modules that a function's program is made of: :func:`namespaces`.

A stand-in takes the place of its original for all threads, and may be kept by the program: it has to do what the
original does, but for the values it is made for.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, update_wrapper
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

Namespace = dict[str, Any]

MOST_KNOWN = 256
"""Namespaces that are remembered; all are forgotten when there are more."""


class StandIn(partial[Any]):
    """A function that stands in for another, and is equal to it.

    Libraries that look functions up in tables, as Numba does, so find it as its original. Numba would otherwise refuse
    to compile ``math.log`` while a function is traced, and for good if it is imported meanwhile.

    >>> from math import sin
    >>> another = StandIn(lambda x: 2.0, sin)
    >>> another(1.0), another is sin, another == sin, {sin: "known"}[another]
    (2.0, False, True, 'known')
    """

    original: Callable[..., Any]

    def __new__(cls, function: Callable[..., Any], original: Callable[..., Any]) -> StandIn:
        self = super().__new__(cls, function)
        update_wrapper(self, original)
        self.original = original
        return self

    def __eq__(self, other: object) -> bool:
        return other is self or other is self.original

    def __hash__(self) -> int:
        return hash(self.original)

    def __get__(self, instance: object, owner: type | None = None) -> StandIn:
        return self  # as an attribute of a class it is no method, and neither is its original

    def __repr__(self) -> str:
        return repr(self.original)

    def __reduce__(self) -> str:  # by the name of the original
        return self.original.__qualname__


class Found(NamedTuple):
    """The names in a namespace that were bound to originals, when it had ``size`` names."""

    size: int
    originals: Namespace
    stand_ins: Namespace
    others: list[str]
    """Names that originals have, and that were bound to something else."""


@dataclass(slots=True)
class Swap:
    """A namespace in which names are bound to stand-ins now, and the number of requests for that."""

    namespace: Namespace
    found: Found
    asked: int = 1


class StandIns:
    """Functions that stand in for others wherever a program says their names, for as long as it is asked for.

    ``stand_ins`` says which original is to be replaced by what. A namespace may be asked for several times at once,
    from any thread; when the last who asked is done, its names are bound to the originals again, but for those that the
    program has bound to something else meanwhile. Where names are is looked up once, and again when the namespace
    has another number of names, or a name that was found, or that an original itself has, is bound anew.

    >>> from math import sin, sqrt
    >>> names = {"root": sqrt, "wave": sin}
    >>> with StandIns({sqrt: "another root"}).within(names):
    ...     names
    {'root': 'another root', 'wave': <built-in function sin>}
    >>> names["root"]
    <built-in function sqrt>
    """

    def __init__(self, stand_ins: Mapping[Callable[..., Any], Any]):
        self._stand_ins = dict(stand_ins)  # keeps the originals, and so their ids
        self._ids = {id(original): stand_in for original, stand_in in stand_ins.items()}
        self._usual = {original.__name__ for original in stand_ins}
        self._known: dict[int, Found] = {}
        self._swaps: dict[int, Swap] = {}
        self._lock = threading.Lock()

    @contextmanager
    def within(self, *namespaces: Namespace) -> Iterator[None]:
        """Bind names in the namespaces that are bound to originals to the stand-ins."""
        asked = self.put_into(*namespaces)
        try:
            yield
        finally:
            self.take_out_of(*asked)

    def put_into(self, *namespaces: Namespace) -> list[Namespace]:
        """Bind names in namespaces to the stand-ins until :meth:`take_out_of` was called as often.

        What that is to be called with is returned: the namespaces that have such names.
        """
        asked = [each for each in namespaces if not self._has_none(each)]
        if asked:
            with self._lock:
                for namespace in asked:
                    swap = self._swaps.get(id(namespace))
                    if swap is not None:
                        swap.asked += 1
                        continue
                    found = self._find(namespace)
                    self._swaps[id(namespace)] = Swap(namespace, found)
                    if found.originals:
                        namespace.update(found.stand_ins)
        return asked

    def take_out_of(self, *namespaces: Namespace) -> None:
        """Undo one :meth:`put_into`."""
        if not namespaces:
            return
        with self._lock:
            for namespace in namespaces:
                swap = self._swaps[id(namespace)]
                swap.asked -= 1
                if swap.asked:
                    continue
                del self._swaps[id(namespace)]
                for name, stand_in in swap.found.stand_ins.items():
                    if namespace.get(name) is stand_in:
                        namespace[name] = swap.found.originals[name]

    def _has_none(self, namespace: Namespace) -> bool:
        """Whether a namespace is known to have no names that are bound to originals, nor that originals have."""
        known = self._known.get(id(namespace))
        return known is not None and known.size == len(namespace) and not known.originals and not known.others

    def _find(self, namespace: Namespace) -> Found:
        """The names that are bound to originals; the namespace itself is not kept alive."""
        known = self._known.get(id(namespace))
        if known and self._holds(known, namespace):
            return known
        originals = {name: value for name, value in namespace.items() if id(value) in self._ids}
        stand_ins = {name: self._ids[id(original)] for name, original in originals.items()}
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        others = [name for name in self._usual if name in namespace and name not in originals]
        found = self._known[id(namespace)] = Found(len(namespace), originals, stand_ins, others)
        return found

    def _holds(self, known: Found, namespace: Namespace) -> bool:
        """Whether the names seem to be bound as they were; a cheap check."""
        return (
            len(namespace) == known.size
            and all(namespace.get(name) is original for name, original in known.originals.items())
            and not any(id(namespace.get(name)) in self._ids for name in known.others)
        )


# ---- the modules of a program ----

_PATHS = sysconfig.get_paths()
_ADVIZ = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIBRARIES = tuple(
    path + os.sep for path in (*(_PATHS[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")), _ADVIZ)
)
"""Folders of what is no user's program: Python's and installed packages, and adviz itself."""

INSTALLED = tuple(_PATHS[key] + os.sep for key in ("purelib", "platlib"))
ENGINES = frozenset(
    "IPython adviz autograd cupy cupyx dask ipykernel ipywidgets jax jaxlib matplotlib networkx numba numpy pandas "
    "plotly pytest scipy sklearn sympy tensorflow torch traitlets".split()
)
"""Packages that are no part of any program: what they compute is not traced, or traced by rules of adviz's own."""

Reached = tuple[int, str, list["weakref.ref[ModuleType]"]]
_reached: dict[int, Reached] = {}


def namespaces(f: Any) -> list[Namespace]:
    """The globals of a function, and those of the user's modules that their functions, classes and modules lead to.

    Libraries are left out. What is found is remembered until the globals have another number of names.

    >>> def f(x):
    ...     return x
    >>> [found is f.__globals__ for found in namespaces(f)]
    [True]
    """
    function = getattr(f, "__func__", f)
    if not isinstance(function, FunctionType):
        return []
    start = function.__globals__
    name = start.get("__name__", "")
    known = _reached.get(id(start))
    if known is None or known[:2] != (len(start), name):
        if len(_reached) >= MOST_KNOWN:
            _reached.clear()
        known = _reached[id(start)] = (len(start), name, list(map(weakref.ref, modules_reached(start))))
    if not known[2]:
        return [start]
    return [start, *(vars(module) for reference in known[2] if (module := reference()) is not None)]


def modules_reached(start: Namespace) -> list[ModuleType]:
    """The modules of a program that the values in a namespace lead to, one after the other; not that of the namespace.

    Installed modules are among them where they use NumPy.
    """
    found: dict[int, ModuleType] = {}
    waiting = [start]
    while waiting:
        names = {_home(value) for value in list(waiting.pop().values())} - {"", None}
        for module in map(sys.modules.get, names):
            if module is None or id(module) in found or vars(module) is start or is_library(module):
                continue
            if len(found) >= MOST_KNOWN or (_is_installed(module) and not _uses_numpy(vars(module))):
                continue
            found[id(module)] = module
            waiting.append(vars(module))
    return list(found.values())


def _home(value: Any) -> Any:
    """The name of the module that a value is from: its own, or that of its class."""
    kind = value if isinstance(value, type | FunctionType) else type(value)
    name = value.__name__ if isinstance(value, ModuleType) else kind.__module__
    return name if isinstance(name, str) else None


def is_library(module: ModuleType) -> bool:
    """Whether a module is no part of any program that is traced: built in, adviz, or a library with engines of its own.

    >>> import json, numpy
    >>> is_library(sys), is_library(json), is_library(numpy)
    (True, True, True)
    """
    path = getattr(module, "__file__", None)
    if not path or module.__name__.partition(".")[0] in ENGINES:
        return True
    return os.path.abspath(path).startswith(LIBRARIES) and not _is_installed(module)


def _is_installed(module: ModuleType) -> bool:
    return os.path.abspath(module.__file__ or "").startswith(INSTALLED)


def _uses_numpy(namespace: Namespace) -> bool:
    return any((_home(value) or "").partition(".")[0] == "numpy" for value in list(namespace.values()))
