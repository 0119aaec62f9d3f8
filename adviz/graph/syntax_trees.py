"""Python source as a syntax tree, from any thread."""

import ast
from threading import Lock
from typing import Any

PARSING = Lock()
"""Held while Python makes a syntax tree; NumPy makes one of the header of each array in a file, too."""


def parse(source: str, mode: str = "exec") -> Any:
    """Call ``ast.parse`` by one thread at a time.

    Python counts how deep a tree is in one place for all threads, and raises a ``SystemError`` where they take turns
    (https://github.com/python/cpython/issues/106905).

    >>> parse("x + 1", "eval").body.right.value
    1
    """
    with PARSING:
        return ast.parse(source, mode=mode)
