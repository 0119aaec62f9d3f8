"""The rules of all functions of NumPy, and our versions of SciPy's: which Blocks, or other functions, each is made of.

``FUNCTIONS`` are carried out by Blocks on whole arrays (NumPy's own code does them on object arrays); ``COMPOSED`` are
written with other functions, and so work on object arrays too; ``PLAIN_FUNCTIONS`` ask about the data and are not
differentiated, but in a trace of arrays that is to hold at every point they are ``NODES``. NumPy's protocols look here
(``tracing/function_calls.py``). A rule is in the module of its subject, beside the table that names it.

NumPy's functions ask traced values what to do (``__array_function__``); SciPy's do not. While a program is traced, the
functions of SciPy that it comes to ask :func:`versions` (``tracing/namespaces.py``): a call with a traced argument goes
to our version, every other call to SciPy's own. ``MODULES`` says where our versions are. Such a module has three
tables, by the names of the functions in SciPy's module: ``FUNCTIONS``; ``METHODS`` of objects that may keep traced
values; and ``SEARCHES``, which call functions that may use traced values: their versions are called in any case, with
SciPy's own as the first argument. A module that serves several of SciPy's has them in ``OF_MODULES``, by its name.
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

import numpy as np

from ..arrays import contents
from ..object_arrays import Complex, ObjectArray, as_numbers, as_program_made
from ..rules.kinks import ARGMAX, ARGMIN, ARGPARTITION, ARGSORT, DIGITIZE, LEXSORT, SEARCHSORTED
from ..rules.selection import ALL, ANY
from ..tape import current_tape, untraced
from ..unsupported import sized_by_data
from . import arguments, entries, linalg, products, reductions
from .arguments import Function, Patches, Rules, data_of, holds_traced, is_saved, joined, name_of

# ---- truth values ----


def _quantified(block: Callable[..., Any], left_out: bool) -> Function:
    """``np.any`` and ``np.all``."""

    def apply(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = left_out,
        where: Any = True,
    ) -> Any:
        if where is not True and where is not np._NoValue:
            a = np.where(where, np.not_equal(a, 0), left_out)
        return block(a, axis, is_saved(keepdims))

    return apply


def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    """``np.isclose``, following NumPy."""
    near = np.less_equal(np.abs(np.subtract(a, b)), atol + rtol * np.abs(b)) & np.isfinite(b) | np.equal(a, b)
    return near | (np.isnan(a) & np.isnan(b)) if equal_nan else near


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    """``np.array_equal``."""
    if np.shape(a1) != np.shape(a2):
        return False
    same = np.equal(a1, a2)
    return np.all(same | (np.isnan(a1) & np.isnan(a2)) if equal_nan else same)


def array_equiv(a1: Any, a2: Any) -> Any:
    """``np.array_equiv``."""
    try:
        np.broadcast_shapes(np.shape(a1), np.shape(a2))
    except ValueError:
        return False
    return np.all(np.equal(a1, a2))


def isin(element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, **others: Any) -> Any:
    """``np.isin``: each entry compared with each."""
    result = np.any(np.equal(np.expand_dims(element, -1), np.ravel(test_elements)), axis=-1)
    return np.logical_not(result) if invert else result


def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """``np.count_nonzero``."""
    return np.sum(np.not_equal(a, 0), axis=axis, keepdims=keepdims)


def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """``np.linalg.matrix_rank``: the number of singular values that are not small beside the largest."""
    if np.ndim(A) < 2:
        return np.any(np.not_equal(A, 0)).astype(int)
    s = np.abs(np.linalg.eigvalsh(A)) if hermitian else np.linalg.svdvals(A)
    if tol is None:
        share = max(np.shape(A)[-2:]) * np.finfo(s.dtype).eps if rtol is None else np.expand_dims(rtol, -1)
        tol = np.max(s, axis=-1, keepdims=True) * share
    else:
        tol = np.expand_dims(tol, -1)
    return np.sum(np.greater(s, tol), axis=-1)


# ---- indices ----


def _extreme(block: Callable[..., Any]) -> Function:
    def apply(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Any:
        return block(a, axis, is_saved(keepdims))

    return apply


def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    """``np.argsort``."""
    return ARGSORT(np.ravel(a) if axis is None else a, -1 if axis is None else axis, "stable" if stable else kind)


def argpartition(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> Any:
    """``np.argpartition``."""
    return ARGPARTITION(np.ravel(a) if axis is None else a, kth, -1 if axis is None else axis, kind)


def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    """``np.searchsorted``."""
    return SEARCHSORTED(a if sorter is None else np.take(a, sorter), v, side)


def ix_(*args: Any) -> Any:
    """``np.ix_`` of indices."""
    count = len(args)
    return tuple(np.reshape(each, (1,) * k + (-1,) + (1,) * (count - k - 1)) for k, each in enumerate(args))


def _of_unknown_size(function: Any) -> Function:
    def unsupported(*args: Any, **settings: Any) -> Any:
        raise sized_by_data(name_of(function))

    return unsupported


NODES: Rules = {
    np.all: _quantified(ALL, True),
    np.any: _quantified(ANY, False),
    np.isclose: isclose,
    np.allclose: lambda a, b, *args, **settings: np.all(isclose(a, b, *args, **settings)),
    np.array_equal: array_equal,
    np.array_equiv: array_equiv,
    np.isin: isin,
    np.isposinf: lambda x, out=None: np.equal(x, np.inf),
    np.isneginf: lambda x, out=None: np.equal(x, -np.inf),
    np.isreal: lambda x: np.ones(np.shape(x), bool),
    np.iscomplex: lambda x: np.zeros(np.shape(x), bool),
    np.count_nonzero: count_nonzero,
    np.linalg.matrix_rank: matrix_rank,
    np.argmax: _extreme(ARGMAX),
    np.argmin: _extreme(ARGMIN),
    np.nanargmax: reductions.without_nan(np.argmax, -np.inf),
    np.nanargmin: reductions.without_nan(np.argmin, np.inf),
    np.argsort: argsort,
    np.argpartition: argpartition,
    np.lexsort: lambda keys, axis=-1: LEXSORT(axis, *map(joined, keys)),
    np.searchsorted: searchsorted,
    np.ix_: ix_,
    np.digitize: lambda x, bins, right=False: DIGITIZE(x, bins, right),
    **{function: _of_unknown_size(function) for function in (np.nonzero, np.argwhere, np.flatnonzero)},
}
"""The rules of those functions; arguments are the values that are asked about."""

QUANTIFIED: Rules = {np.logical_and: NODES[np.all], np.logical_or: NODES[np.any]}
"""The ufuncs whose ``reduce`` is one of them."""


# ---- all functions of NumPy ----


def _on_data(function: Function) -> Function:
    return lambda *args, **settings: as_program_made(
        function(*(data_of(arg, decides=False) for arg in args), **settings)
    )


FUNCTIONS: Rules = {np.real: lambda val: val, np.imag: lambda val: val.imag}
for _module in (entries, reductions, products, linalg):
    FUNCTIONS |= _module.FUNCTIONS

NUMPYS_OWN: tuple[Any, ...] = (np.split, np.hsplit, np.vsplit, np.dsplit, np.ptp)
"""Functions whose own code, in Python, is right for Variables."""
FUNCTIONS |= {function: function.__wrapped__ for function in NUMPYS_OWN}

COMPOSED: Rules = {}
for _module in (entries, reductions, products, linalg, arguments):
    COMPOSED |= _module.COMPOSED
OF_TYPES = (np.result_type, np.common_type, np.can_cast, np.min_scalar_type)
COMPOSED |= {function: _on_data(function) for function in OF_TYPES}

METHODS: dict[str, Rules] = {
    "reduce": reductions.REDUCTIONS,
    "accumulate": reductions.ACCUMULATIONS | entries.ACCUMULATIONS,
}
"""The rules of methods of ufuncs, on whole arrays."""

ON_MEMORY = {np.shares_memory, np.may_share_memory}
"""Functions that ask where arrays are."""

ON_SHAPES = ON_MEMORY | {
    *(np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj),
    *(np.array_repr, np.array_str, np.array2string),
}
"""Functions that do not ask for values, or only to show them."""

PLAIN_FUNCTIONS = ON_SHAPES | {
    *(np.linalg.matrix_rank, np.nanargmax, np.nanargmin, np.isin, np.array_equiv),
    *(np.argmax, np.argmin, np.argsort, np.argpartition, np.lexsort, np.argwhere, np.nonzero, np.flatnonzero),
    *(np.count_nonzero, np.searchsorted, np.digitize, np.all, np.any, np.allclose, np.isclose, np.array_equal),
    *(np.iscomplex, np.isreal, np.isposinf, np.isneginf),
}
"""Functions that ask about data, or give booleans and indices: computed on the data, not part of the graph."""

UNSUPPORTED = {
    **dict.fromkeys(
        (np.histogram, np.histogram2d, np.histogramdd), "Counts have no derivative; ask for them after tracing."
    ),
    np.polydiv: "Use np.polymul with the quotient.",
}
"""Functions that NumPy's own code would begin and not finish: what to do instead."""

PARAMETERS: dict[Any, list[int]] = {}
"""Ufuncs with operands, by position, with respect to which no derivative is known."""


# ---- our versions of SciPy's functions ----

MODULES = {
    "numpy": "functions.reductions",
    "numpy.lib.stride_tricks": "tracing.writes",
    "numpy.ma": "functions.masked_arrays",
    "scipy._lib._array_api": "scipy_functions.calling",
    "scipy._lib._util": "scipy_functions.calling",
    "scipy._lib.array_api_extra": "scipy_functions.calling",  # before SciPy 1.18
    "scipy._external.array_api_extra": "scipy_functions.calling",
    "scipy._lib.array_api_compat.numpy._aliases": "scipy_functions.calling",  # before SciPy 1.18
    "scipy._external.array_api_compat.numpy._aliases": "scipy_functions.calling",
    "scipy.special": "scipy_functions.special",
    "scipy.stats": "scipy_functions.distributions",
    "scipy.linalg": "scipy_functions.linalg",
    "scipy.fft": "scipy_functions.linear_maps",
    "scipy.signal": "scipy_functions.linear_maps",
    "scipy.spatial.distance": "scipy_functions.fitting",
    "scipy.integrate": "scipy_functions.integration",
    "scipy.optimize": "scipy_functions.fitting",
    "scipy.interpolate": "scipy_functions.fitting",
    "scipy.ndimage._filters": "scipy_functions.linear_maps",
    "scipy.ndimage._interpolation": "scipy_functions.linear_maps",
    "scipy.sparse._coo": "scipy_functions.linear_maps",
}
"""Modules, and the modules of the engine that have our versions of their functions."""


_FIRST = operator.itemgetter(0)


class Patch(functools.partial[Any]):
    """A function that stands in for another, and is equal to it.

    A program may keep it: where nothing is traced, it does what the other does.

    >>> from math import sin
    >>> another = Patch(lambda x: 2.0, sin)
    >>> another(1.0), another is sin, another == sin, {sin: "known"}[another]
    (2.0, False, True, 'known')
    """

    original: Callable[..., Any]

    def __new__(cls, function: Callable[..., Any], original: Callable[..., Any]) -> Patch:
        self = super().__new__(cls, function)
        functools.update_wrapper(self, original)
        self.original = original
        return self

    def __eq__(self, other: object) -> bool:
        return other is self or other is self.original

    def __hash__(self) -> int:
        return hash(self.original)

    def __get__(self, instance: object, owner: type | None = None) -> Patch:
        return self  # as an attribute of a class it is no method, and neither is its original

    def __repr__(self) -> str:
        return repr(self.original)

    def __reduce__(self) -> Any:
        return _FIRST, ((self.original,),)  # what is stored is the original

    def __copy__(self) -> Patch:
        return self

    def __deepcopy__(self, memo: Any) -> Patch:
        return self


ENGINE = __package__.rpartition(".")[0]

_pending = dict(MODULES)
_lock = threading.Lock()
_seen = 0
"""How many modules were imported when SciPy's were last looked for."""
_versions: dict[FunctionType, Function] = {}

PATCHES: dict[int, Patch] = {}
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
                    rules = vars(import_module(f"{ENGINE}.{ours}"))
                    _find(module, rules.get("OF_MODULES", {}).get(name, rules))
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
                PATCHES[id(function)] = Patch(functools.partial(chosen, function), function)


def _chosen(choose: Function, version: Any, original: Any, /, *args: Any, **settings: Any) -> Any:
    if current_tape() is None:
        return original(*args, **settings)
    return choose(version, original, contents(args), contents(settings))


def asking(module: str, name: str) -> Function:
    """Return a function of SciPy as rules call it: what it is given may be traced, by an outer trace."""

    def called(*args: Any, **settings: Any) -> Any:
        function = getattr(import_module(module), name)
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


CHOOSERS: Patches = {
    "FUNCTIONS": _on_arguments,
    "METHODS": _on_objects,
    "SEARCHES": lambda version, original, args, settings: version(original, *args, **settings),
}
