"""Overrides of SciPy's functions: a call with a traced argument goes to our version, every other call to SciPy's own.

NumPy's functions ask traced values what to do (``__array_function__``); SciPy's do not, and programs import them by
name, so that another function under that name would not reach them. The function stays and its code is replaced, once,
when a trace first finds that its module was imported: the new code asks whether a trace runs in its thread and whether
an argument is traced. If not, SciPy's code runs with the arguments as they are. Signature, source and documentation of
the function stay what they were.

``MODULES`` says where our versions are. Such a module has three tables, by the names of the functions in SciPy's
module: ``FUNCTIONS``; ``METHODS`` of objects that may keep traced values; and ``SEARCHES``, which call functions that
may use traced values: their versions are called in any case, with SciPy's own as the first argument.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from importlib import import_module
from types import CodeType, FunctionType
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
    "scipy._lib.array_api_extra": "scipy_functions.calling_scipy",
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

BUILDING = "__build__"
"""The method of what stands for a value that is not there yet: it is asked what a function of SciPy is at it."""

ENGINE = __package__.rpartition(".")[0]

_pending = dict(MODULES)
_lock = threading.Lock()
_seen = 0
"""How many modules were imported when SciPy's were last looked for."""


def install_overrides() -> None:
    """Override the functions of those modules of ``MODULES`` that were imported since the last call."""
    global _seen
    if len(sys.modules) == _seen:
        return
    with _lock:
        _override_modules()
    _seen = len(sys.modules)


def _override_modules() -> None:
    for name, ours in list(_pending.items()):
        module = sys.modules.get(name)
        if module is not None and not getattr(module.__spec__, "_initializing", False):
            del _pending[name]
            rules = vars(import_module(f"{ENGINE}.{ours}"))
            for table, chooser in CHOOSERS.items():
                for qualified, version in rules.get(table, {}).items():
                    _override(module, qualified, functools.partial(chooser, version))


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
    return [*getattr(thing, "__dict__", {}).values(), *(getattr(thing, name, None) for name in slots)]


def _on_numbers(original: Any, args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """SciPy's own version; arrays of objects that are all numbers are arrays of floats."""
    plain = list(map(_as_numpys, args))
    named = {key: _as_numpys(value) for key, value in settings.items()}
    if any(map(callable, (*plain, *named.values()))):  # functions of the program are traced
        return original(*plain, **named)
    with untraced():
        return original(*plain, **named)


def _as_numpys(value: Any) -> Any:
    """Numbers as NumPy has them: real ones out of an array of objects, complex ones out of their parts."""
    if isinstance(value, list | tuple):
        return type(value)(map(_as_numpys, value)) if any(type(part) is Complex for part in value) else value
    return value.plain() if type(value) is Complex else as_numbers(value) if type(value) is ObjectArray else value


CHOOSERS: Overrides = {
    "FUNCTIONS": _on_arguments,
    "METHODS": _on_objects,
    "SEARCHES": lambda version, original, args, settings: version(original, *args, **settings),
}


# ---- the code of a function ----


def _override(module: Any, qualified: str, choose: Function) -> None:
    """Let a function of SciPy call ``choose`` while a trace runs in its thread; older versions of SciPy may lack it."""
    function = functools.reduce(lambda owner, name: getattr(owner, name, None), qualified.split("."), module)
    if not isinstance(function, FunctionType):
        return
    original = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    functools.update_wrapper(original, function)
    original.__kwdefaults__ = function.__kwdefaults__
    original.__dict__.pop("__wrapped__")
    original.__dict__.update(function.__dict__)

    def call(*args: Any, **settings: Any) -> Any:
        if current_tape() is None:
            builder = next((each for each in (*args, *settings.values()) if hasattr(type(each), BUILDING)), None)
            return original(*args, **settings) if builder is None else builder.__build__(function, args, settings)
        return choose(original, contents(args), contents(settings))

    function.__code__ = _calling(call, function.__code__)
    function.__dict__["__wrapped__"] = original  # where inspect finds the signature and the source


def _calling(call: Function, code: CodeType) -> CodeType:
    """Code that calls ``call``, with the free variables of ``code``, so that it fits a function that is a closure."""
    made = _template(code.co_freevars)
    constants = (call if constant == "the function to call" else constant for constant in made.co_consts)
    return made.replace(co_consts=tuple(constants), co_name=code.co_name, co_qualname=code.co_qualname)


@functools.cache
def _template(names: tuple[str, ...]) -> CodeType:
    lines = [
        "def make():",
        *(f"    {name} = None" for name in names),
        "    def override(*args, **settings):",
        f"        {'; '.join(names) or 'pass'}",
        "        call = 'the function to call'",
        "        return call(*args, **settings)",
        "    return override",
    ]
    space: dict[str, Any] = {}
    exec(compile("\n".join(lines), f"{__file__} (override)", "exec"), space)
    made: CodeType = space["make"]().__code__
    return made
