"""Code of a program: whose it is, the names that are in it, and code that calls something else instead."""

from __future__ import annotations

import dis
import functools
import inspect
import os
import sys
import sysconfig
from collections.abc import Callable, Iterator
from itertools import pairwise
from types import CodeType
from typing import Any, NamedTuple

# ---- packages ----


_PATHS = sysconfig.get_paths()
_ADVIZ = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIBRARIES = tuple(
    path + os.sep for path in (*(_PATHS[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")), _ADVIZ)
)
"""Folders of what is no user's program: Python's and installed packages, and adviz itself."""

ENGINES = frozenset(
    "IPython adviz autograd cupy cupyx dask ipykernel ipywidgets jax jaxlib matplotlib networkx numba numpy pandas "
    "plotly pytest scipy sklearn sympy tensorflow torch traitlets".split()
)
"""Packages that are no part of any program: what they compute is not traced, or traced by rules of adviz's own."""

TRACED = frozenset({"numpy", "scipy", "math"})
"""Of these and of Python's modules, those whose functions are called with traced values."""

_EXAMPLES = "adviz.algorithms.examples"


@functools.cache
def is_of_programs(module: Any) -> bool:
    """Return whether the functions of a module, by its name, are traced with the program that calls them.

    >>> [is_of_programs(name) for name in ("__main__", "my_models.layers", "scipy.stats", "json", "adviz.graph")]
    [True, True, True, False, False]
    """
    if not isinstance(module, str) or module.startswith(_EXAMPLES):
        return True
    package = module.partition(".")[0]
    return package in TRACED or not (package in ENGINES or package in sys.stdlib_module_names)


# ---- codes ----


DYNAMIC = frozenset({"__builtins__", "__dict__", "__import__", "eval", "exec", "getattr", "globals", "locals", "vars"})
"""Names with which a program may look for others that are not in its code."""

MOST_CODES = 1 << 12
"""Whose names are remembered."""

FROM_OUTSIDE = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT")
"""How the names of operations begin that read globals, or variables of a closure."""

BINDING = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL"})
"""Operations that bind or delete globals."""

CALLING = f"{__file__} (calling)"
"""The file of code that :func:`calling` makes."""


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


_OPEN = CodeNames(frozenset(), (), frozenset(), True, frozenset())
_known: dict[int, tuple[CodeType, CodeNames]] = {}


def names_of(code: CodeType) -> CodeNames:
    """Return what :class:`CodeNames` says, found once for each code.

    >>> found = names_of((lambda x: np.sin(x) + helper(np.cos, x)).__code__)
    >>> sorted(found.names), sorted(found.outside), sorted(found.alone)
    (['cos', 'helper', 'np', 'sin'], ['helper', 'np'], ['helper'])
    """
    if code.co_filename == CALLING:
        return _OPEN
    known = _known.get(id(code))
    if known is None:
        if len(_known) >= MOST_CODES:
            _known.clear()
        known = _known[id(code)] = code, _read(code)
    return known[1]


def _read(code: CodeType) -> CodeNames:
    codes = list(_with_inner(code))
    parts = [part for each in codes for part in pairwise(dis.get_instructions(each))]
    names = frozenset(name for each in codes for name in each.co_names)
    used = [(part.argval, following.opname) for part, following in parts if part.opname.startswith(FROM_OUTSIDE)]
    alone = frozenset(name for name, following in used if following not in ("LOAD_ATTR", "LOAD_METHOD"))
    bound = frozenset(part.argval for part, _ in parts if part.opname in BINDING)
    is_open = not names.isdisjoint(DYNAMIC) or any(part.opname == "IMPORT_NAME" for part, _ in parts)
    return CodeNames(names, tuple({name for name, _ in used}), alone, is_open, bound)


def _with_inner(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if type(constant) is CodeType:
            yield from _with_inner(constant)


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
