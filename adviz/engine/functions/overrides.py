"""Our versions of SciPy's functions: a call with a traced argument goes to them, every other call to SciPy's own.

NumPy's functions ask traced values what to do (``__array_function__``); SciPy's do not. While a program is traced, the
functions of SciPy that it comes to ask :func:`versions` (``tracing/namespaces.py``).

``MODULES`` says where our versions are. Such a module has three tables, by the names of the functions in SciPy's
module: ``FUNCTIONS``; ``METHODS`` of objects that may keep traced values; and ``SEARCHES``, which call functions that
may use traced values: their versions are called in any case, with SciPy's own as the first argument.
"""

from __future__ import annotations

import functools
import inspect
import operator
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from types import FunctionType
from typing import Any

from ..arrays.complex_pairs import Complex
from ..arrays.object_arrays import ObjectArray, as_numbers
from ..arrays.program_arrays import contents
from ..recording.tape import current_tape, untraced
from .arguments import Function, Overrides, holds_traced

MODULES = {
    "numpy": "functions.callbacks",
    "numpy.lib.stride_tricks": "writing.views",
    "scipy._lib._array_api": "scipy_functions.calling_scipy",
    "scipy._lib._util": "scipy_functions.calling_scipy",
    "scipy._lib.array_api_extra": "scipy_functions.calling_scipy",  # before SciPy 1.18
    "scipy._external.array_api_extra": "scipy_functions.calling_scipy",
    "scipy.special": "scipy_functions.special",
    "scipy.stats": "scipy_functions.distributions",
    "scipy.linalg": "scipy_functions.scipy_linalg",
    "scipy.fft": "scipy_functions.transforms",
    "scipy.signal": "scipy_functions.signals",
    "scipy.spatial.distance": "scipy_functions.distances",
    "scipy.integrate": "scipy_functions.integration",
    "scipy.optimize": "scipy_functions.optimization",
    "scipy.interpolate": "scipy_functions.interpolation",
    "scipy.ndimage._filters": "scipy_functions.images",
    "scipy.ndimage._interpolation": "scipy_functions.images",
    "scipy.sparse._coo": "scipy_functions.sparse_matrices",
}
"""Modules, and the modules of the engine that have our versions of their functions."""


_FIRST = operator.itemgetter(0)


class StandIn(functools.partial[Any]):
    """A function that stands in for another, and is equal to it.

    A program may keep it: where nothing is traced, it does what the other does.

    >>> from math import sin
    >>> another = StandIn(lambda x: 2.0, sin)
    >>> another(1.0), another is sin, another == sin, {sin: "known"}[another]
    (2.0, False, True, 'known')
    """

    original: Callable[..., Any]

    def __new__(cls, function: Callable[..., Any], original: Callable[..., Any]) -> StandIn:
        self = super().__new__(cls, function)
        functools.update_wrapper(self, original)
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

    def __reduce__(self) -> Any:
        return _FIRST, ((self.original,),)  # what is stored is the original

    def __copy__(self) -> StandIn:
        return self

    def __deepcopy__(self, memo: Any) -> StandIn:
        return self


ENGINE = __package__.rpartition(".")[0]

_pending = dict(MODULES)
_lock = threading.Lock()
_seen = 0
"""How many modules were imported when SciPy's were last looked for."""
_versions: dict[FunctionType, Function] = {}

STAND_INS: dict[int, StandIn] = {}
"""What stands in for functions that are not written in Python, by the id of the original."""


def versions() -> dict[FunctionType, Function]:
    """Our versions of the functions of those modules of ``MODULES`` that are imported; they get the function first.

    The Blocks of those modules are defined, too.
    """
    global _seen
    if len(sys.modules) != _seen:
        with _lock:
            for name, ours in list(_pending.items()):
                module = sys.modules.get(name)
                if module is not None and not getattr(module.__spec__, "_initializing", False):
                    del _pending[name]
                    _find(module, vars(import_module(f"{ENGINE}.{ours}")))
        _seen = len(sys.modules)
    return _versions


def _find(module: Any, rules: dict[str, Any]) -> None:
    for table, chooser in CHOOSERS.items():
        for qualified, version in rules.get(table, {}).items():
            function = functools.reduce(lambda owner, name: getattr(owner, name, None), qualified.split("."), module)
            chosen = functools.partial(_chosen, chooser, version)
            if isinstance(function, FunctionType):
                _versions[function] = chosen
            elif function is not None:  # older versions of SciPy may lack it
                STAND_INS[id(function)] = StandIn(functools.partial(chosen, function), function)


def _chosen(choose: Function, version: Any, original: Any, /, *args: Any, **settings: Any) -> Any:
    if current_tape() is None:
        return original(*args, **settings)
    return choose(version, original, contents(args), contents(settings))


def asking(function: Any) -> Function:
    """Return a function of SciPy as rules call it: what it is given may be traced, by an outer trace."""

    @functools.wraps(function)
    def called(*args: Any, **settings: Any) -> Any:
        return (
            function(*args, **settings) if current_tape() is None else versions()[function](function, *args, **settings)
        )

    return called


# ---- which version is called ----


def _on_arguments(version: Any, original: Any, args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    if holds_traced(args) or holds_traced(settings):
        _signature(original).bind(*args, **settings)  # raises for arguments that SciPy's own version would not take
        return version(*args, **settings)
    return _on_numbers(original, args, settings)


_signature = functools.cache(inspect.signature)


def _on_objects(version: Any, original: Any, args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    if holds_traced(_kept(args[0])) or holds_traced(args) or holds_traced(settings):
        return version(*args, **settings)
    return _on_numbers(original, args, settings)


def _kept(thing: Any) -> list[Any]:
    slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    attributes = getattr(thing, "__dict__", {})
    inner = _kept(attributes["_delegate_to"]) if "_delegate_to" in attributes else ()  # since SciPy 1.18
    return [*attributes.values(), *(getattr(thing, name, None) for name in slots), *inner]


def _on_numbers(original: Any, args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Return SciPy's own version; arrays of objects that are all numbers are arrays of floats."""
    plain = list(map(_as_numpys, args))
    named = {key: _as_numpys(value) for key, value in settings.items()}
    if any(map(callable, (*plain, *named.values()))):  # functions of the program are traced
        return original(*plain, **named)
    with untraced():
        return original(*plain, **named)


def _as_numpys(value: Any) -> Any:
    """Return numbers as NumPy has them: real ones out of an array of objects, complex ones out of their parts."""
    if isinstance(value, list | tuple):
        return type(value)(map(_as_numpys, value)) if any(type(part) is Complex for part in value) else value
    return value.plain() if type(value) is Complex else as_numbers(value) if type(value) is ObjectArray else value


CHOOSERS: Overrides = {
    "FUNCTIONS": _on_arguments,
    "METHODS": _on_objects,
    "SEARCHES": lambda version, original, args, settings: version(original, *args, **settings),
}
