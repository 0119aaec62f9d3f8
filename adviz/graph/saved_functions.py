"""Functions of the user as data: what is known of a code object once it has been saved, without its instructions.

A saved graph tells where each node was made, on a machine without the source and under another version of Python. A
:class:`SavedFunction` answers as a code object does where places, loops and source text are asked for. It cannot be
run.
"""

from __future__ import annotations

import linecache
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO
from types import CodeType
from typing import Any

from .syntax_trees import parse

Position = tuple[int | None, int | None, int | None, int | None]


@dataclass(frozen=True, eq=False)
class SavedFunction:
    """What a code object says of a function, with the text of the statements around it.

    ``positions`` has an entry per two bytes of the instructions, ``flow`` what is known of its loops,
    ``text`` the statements of its file that it is part of, and ``text_line`` where they begin.
    """

    co_filename: str
    co_name: str
    co_qualname: str
    co_firstlineno: int
    last_line: int
    co_argcount: int
    co_kwonlyargcount: int
    co_varnames: tuple[str, ...]
    co_cellvars: tuple[str, ...]
    positions: list[Position]
    flow: Any
    starts: list[int]
    text_line: int
    text: str = field(repr=False)
    co_consts: tuple[Any, ...] = ()

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of its file up to its end; those that are not of its statement are blank."""
        return ("\n",) * (self.text_line - 1) + tuple(StringIO(self.text, newline="\n")) if self.text else ()

    def co_positions(self) -> list[Position]:
        """Return the places of the instructions, as code objects have them."""
        return self.positions


def saved(code: Any) -> SavedFunction | None:
    """Return a function that was saved; ``None`` for a code object."""
    return code if isinstance(code, SavedFunction) else None


def lines_of(code: CodeType) -> tuple[str, ...]:
    """Return the lines of the file that a function is in, as far as they are known."""
    known = saved(code)
    return known.lines if known else tuple(linecache.getlines(code.co_filename))


def line_of(code: CodeType, number: int) -> str:
    """Return one line of the file that a function is in, counted from 1; "" where it is not known."""
    known = saved(code)
    if known is None:
        return linecache.getline(code.co_filename, number)
    return known.lines[number - 1] if 0 < number <= len(known.lines) else ""


def statement_around(lines: tuple[str, ...], first: int, last: int) -> tuple[int, int]:
    """Return the first and the last line of the statements of a module that some lines are part of.

    >>> statement_around(("x = 1\\n", "class A:\\n", "    def f(self):\\n", "        return 2\\n"), 3, 4)
    (2, 4)
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            body = parse("".join(lines)).body
    except (SyntaxError, ValueError):
        return first, last
    for statement in body:
        decorators = getattr(statement, "decorator_list", [])
        start = min(each.lineno for each in (statement, *decorators))
        end = statement.end_lineno or start
        if start <= last and first <= end:
            first, last = min(first, start), max(last, end)
    return first, last
