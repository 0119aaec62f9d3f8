"""The base class of all errors of adviz."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from . import ipython
from .origins import Origin


class AdvizError(Exception):
    """Any error that adviz raises; ``origin`` is the place in the user's source, if known.

    ``graph`` is the :class:`~adviz.Graph` of what the function had computed, if it was being traced (see
    :func:`adviz.trace`). IPython shows the error without adviz's own frames; its traceback has them.

    >>> import adviz
    >>> try:
    ...     adviz.trace(lambda x: float(x), 1.0)
    ... except AdvizError as error:
    ...     print(error.origin.line)
    2
    """

    graph: Any = None

    def __init__(self, message: str, origin: Origin | None = None):
        super().__init__(f"{message}\n  at {origin}" if origin else message)
        self.origin = origin

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows."""
        return ipython.rendered(self)


class OptionError(AdvizError, TypeError, ValueError):
    """An option has a value that it cannot have, or there is no option of that name.

    >>> import adviz
    >>> adviz.trace(lambda x: x, 1.0, grain="rice")
    Traceback (most recent call last):
    adviz.graph.errors.OptionError: grain is 'rice'; it can be 'array' or 'scalar'
    """


def check_folder(path: Path) -> None:
    """Raise ``FileNotFoundError`` if the folder of a file does not exist; called before the file is made.

    >>> check_folder(Path("talks/sweep.html"))
    Traceback (most recent call last):
    FileNotFoundError: there is no folder 'talks' for sweep.html; make it first, or save elsewhere
    """
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"there is no folder {str(path.parent)!r} for {path.name}; make it first, or save elsewhere"
        )


def no_attribute(name: str, names: Iterable[str], owner: str = "module 'adviz'") -> AttributeError:
    """Return the error for a name that adviz, or a thing of it, does not have, with the one that may be meant.

    Python itself suggests names only where it prints a traceback, which notebooks do not leave to it. IPython shows no
    frame of adviz.

    >>> print(no_attribute("show_backwards", ["show_backward", "show_forward"]))
    module 'adviz' has no attribute 'show_backwards'; did you mean 'show_backward'?
    """
    near = [] if name.startswith("_") else get_close_matches(name, names, 1)  # Python itself asks for names with _
    error = AttributeError(  # with an object of its own, or Python would add a suggestion to this one
        f"{owner} has no attribute {name!r}{f'; did you mean {near[0]!r}?' if near else ''}",
        name=name,
        obj=None,
    )
    ipython.show_users_frames(error)
    return error
