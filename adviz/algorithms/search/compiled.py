"""Functions that Numba compiles; imported only where numba is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def njit(function: Callable[..., Any], **options: Any) -> Any:
    """A function that is compiled when it is called first, and kept on disk if there is a place for it.

    >>> njit(lambda x: x + 1.0)(2.0)
    3.0
    """
    compiled: Any = numba.njit
    try:
        return compiled(cache=True, **options)(function)
    except RuntimeError:  # neither the package nor a home can be written to
        return compiled(**options)(function)
