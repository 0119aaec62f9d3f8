"""What IPython and Jupyter show of the user's program, where they run: names of cells, tracebacks of its own frames.

In plain Python nothing here changes anything: files keep their paths, and tracebacks are whole. So they are in IPython
for programs that ask: ``error.__traceback__`` is never cut, only what a cell shows of it.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import CodeType, TracebackType
from typing import Any

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_EXAMPLES = os.path.join(_HERE, "algorithms", "examples") + os.sep
"""Programs to look at, as if a user had written them."""
_LIBRARY = tuple(sysconfig.get_paths()[key] + os.sep for key in ("stdlib", "platstdlib"))
_INSTALLED = tuple(sysconfig.get_paths()[key] + os.sep for key in ("purelib", "platlib"))
_CALLED = tuple(folder + name + os.sep for folder in _INSTALLED for name in ("numpy", "traitlets", "ipywidgets"))
"""Packages that adviz calls for the user."""


def shell() -> Any:
    """Return the running shell of IPython, or ``None`` in plain Python. IPython is never imported for this."""
    result = sys.modules.get("IPython")
    return result.get_ipython() if result is not None and hasattr(result, "get_ipython") else None


def called(path: str) -> str:
    """Name a file as its user knows it: a cell, whose file is temporary, as ``Cell In[4]``; else by the path.

    >>> called("model.py")
    'model.py'
    """
    name = cell(path)
    return path if name is None else name


def cell(path: str) -> str | None:
    """Return the name that IPython gives to a cell with this path; ``None`` for a file.

    A graph that was saved in a notebook has the name instead of the path.

    >>> cell("Cell In[4]"), cell("model.py")
    ('Cell In[4]', None)
    """
    if path.startswith("Cell In["):
        return path
    running = shell()
    name = getattr(getattr(running, "compile", None), "format_code_name", lambda _: None)(path)
    return " ".join(name) if name else None


def is_adviz(code: CodeType) -> bool:
    """Return whether code is adviz's own; its examples count as the user's."""
    return code.co_filename.startswith(_HERE) and not code.co_filename.startswith(_EXAMPLES)


# ---- tracebacks ----


class Rendering:
    """Shows one exception in IPython without adviz's frames: the value of its attribute ``_render_traceback_``.

    It does not refer to the exception, which would then be part of a cycle and live on with all that its frames hold.
    IPython makes the exception that it shows ``sys.last_value``, and so it is found.
    """

    def __call__(self) -> list[str]:
        candidates = (getattr(sys, "last_value", None), sys.exc_info()[1])
        result = next((one for one in candidates if getattr(one, "_render_traceback_", None) is self), None)
        return traceback.format_exc().splitlines() if result is None else rendered(result)

    def __reduce__(self) -> tuple[Any, ...]:
        return Rendering, ()


@contextmanager
def users_frames() -> Iterator[None]:
    """Let IPython show what a block raises without adviz's frames; in plain Python nothing is different.

    >>> with users_frames():
    ...     raise FileNotFoundError("there is no folder 'talks'")
    Traceback (most recent call last):
    FileNotFoundError: there is no folder 'talks'
    """
    try:
        yield
    except BaseException as error:
        show_users_frames(error)
        raise


def show_users_frames(error: BaseException) -> None:
    """Let IPython, where it runs, show an exception without adviz's frames."""
    if shell() is not None and not hasattr(error, "_render_traceback_"):
        with suppress(AttributeError, TypeError):  # exceptions may refuse attributes
            error._render_traceback_ = Rendering()  # type: ignore[attr-defined]


def rendered(error: BaseException) -> list[str]:
    """Return an exception as IPython shows it, without frames of adviz and of libraries that these call."""
    running = shell()
    if running is None:
        return "".join(traceback.format_exception(error)).splitlines()
    with _users_frames(error):
        lines: list[str] = running.InteractiveTB.structured_traceback(type(error), error, error.__traceback__)
    return lines


@contextmanager
def _users_frames(error: BaseException) -> Iterator[None]:
    """Let exceptions that are shown together have shortened tracebacks for a while."""
    whole: dict[int, tuple[BaseException, TracebackType | None]] = {}
    each: BaseException | None = error
    while each is not None and id(each) not in whole:
        whole[id(each)] = each, each.__traceback__
        each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)
    try:
        for one, steps in whole.values():
            one.__traceback__ = users_steps(steps)
        yield
    finally:
        for one, steps in whole.values():
            one.__traceback__ = steps


def users_steps(step: TracebackType | None) -> TracebackType | None:
    """Return a traceback without adviz's frames, and without those of NumPy and Python's library that these lead to.

    All of it, if nothing else is in it.
    """
    kept: list[TracebackType] = []
    whole, is_hidden = step, False
    while step is not None:
        is_hidden = is_adviz(step.tb_frame.f_code) or (is_hidden and _is_library(step.tb_frame.f_code))
        if not is_hidden:
            kept.append(step)
        step = step.tb_next
    result = None
    for each in reversed(kept):
        result = TracebackType(result, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return result or whole


def _is_library(code: CodeType) -> bool:
    """Return whether code is Python's, NumPy's or that of widgets; other packages may be what is differentiated."""
    path = code.co_filename
    if path.startswith(_INSTALLED):
        return path.startswith(_CALLED)
    return path.startswith(_LIBRARY) or path.startswith("<__array_function__")
