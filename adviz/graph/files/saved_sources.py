"""The user's functions as JSON, and back: places, loops, and the text of the statements they are in."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from types import CodeType
from typing import Any

from .. import ipython
from ..loops import ControlFlow, control_flow, instruction_starts
from ..origins import last_line
from ..saved_functions import Position, SavedFunction, lines_of, saved, statement_around
from .container import all_of

MOST_LINES = 1_000_000
"""Of a file of the user."""
FIELDS: dict[str, type | tuple[type, ...]] = {
    "file": str,
    "name": str,
    "qualified_name": str,
    "first_line": int,
    "last_line": int,
    "text_line": int,
    "text": str,
    "arguments": int,
    "keyword_arguments": int,
    "variables": list,
    "cells": list,
    "positions": list,
    "starts": list,
    "flow": dict,
}
"""What a file has of each function."""


def saved_function(code: CodeType) -> SavedFunction:
    """Return what is known of a code object, as data; one that was kept already is returned as it is.

    >>> found = saved_function((lambda x: x * x).__code__)
    >>> found.co_name, found.co_varnames
    ('<lambda>', ('x',))
    """
    known = saved(code)
    if known is not None:
        return known
    lines, last = lines_of(code), last_line(code)
    first, end = statement_around(lines, code.co_firstlineno, last)
    return SavedFunction(
        ipython.called(code.co_filename),
        code.co_name,
        code.co_qualname,
        code.co_firstlineno,
        last,
        code.co_argcount,
        code.co_kwonlyargcount,
        code.co_varnames,
        code.co_cellvars,
        list(code.co_positions()),
        ControlFlow.from_lists(**control_flow(code).as_lists()),
        instruction_starts(code),
        first,
        "".join(lines[first - 1 : end]),
    )


def document_of(function: SavedFunction) -> dict[str, Any]:
    """Return a function as JSON."""
    values = (
        function.co_filename,
        function.co_name,
        function.co_qualname,
        function.co_firstlineno,
        function.last_line,
        function.text_line,
        function.text,
        function.co_argcount,
        function.co_kwonlyargcount,
        list(function.co_varnames),
        list(function.co_cellvars),
        [[-1 if part is None else part for part in place] for place in function.positions],
        function.starts,
        function.flow.as_lists(),
    )
    return dict(zip(FIELDS, values, strict=True))


def function_of(document: Any) -> SavedFunction:
    """Return the function of a JSON document. Raises ``ValueError`` that says what is wrong."""
    _expect(isinstance(document, dict) and document.keys() == FIELDS.keys(), "its fields are others")
    for field, kind in FIELDS.items():
        _expect(isinstance(document[field], kind), f"{field} is of another type")
    numbers = ("first_line", "last_line", "text_line", "arguments", "keyword_arguments")
    _expect(all(0 <= document[field] <= MOST_LINES for field in numbers), "a line is too far down")
    names = [*document["variables"], *document["cells"]]
    _expect(all_of(str, names), "a variable has no name")
    positions = document["positions"]
    _expect(all(_is_position(place) for place in positions), "positions has a place that is none")
    starts = document["starts"]
    _expect(len(starts) == len(positions) and _are_starts(starts), "starts are not those of instructions")
    return SavedFunction(
        document["file"],
        document["name"],
        document["qualified_name"],
        document["first_line"],
        document["last_line"],
        document["arguments"],
        document["keyword_arguments"],
        tuple(document["variables"]),
        tuple(document["cells"]),
        [_position(*place) for place in positions],
        _flow(document["flow"], set(starts)),
        starts,
        max(document["text_line"], 1),
        document["text"],
    )


def _expect(holds: bool, words: str) -> None:
    if not holds:
        raise ValueError(words)


def _is_position(place: Any) -> bool:
    if not isinstance(place, list) or len(place) != 4 or not all_of(int, place):
        return False
    line, end_line, column, end_column = place
    return max(place) <= MOST_LINES and (end_line < 0 or line <= end_line) and min(line, column, end_column) >= -1


def _position(line: int, end_line: int, column: int, end_column: int) -> Position:
    def known(part: int) -> int | None:
        return None if part < 0 else part

    return known(line), known(end_line), known(column), known(end_column)


def _are_starts(starts: list[Any]) -> bool:
    """Return whether entries are, for every two bytes, the offset of the instruction that they are part of."""
    return all_of(int, starts) and all(
        each in (2 * place, before) for place, (each, before) in enumerate(zip(starts, [0, *starts], strict=False))
    )


def _flow(document: dict[str, Any], offsets: set[int]) -> ControlFlow:
    """Return the control flow that a document describes, all of whose offsets are those of instructions."""
    parts: tuple[str, ...] = ("starts", "calls", "following", "loops")
    _expect(
        document.keys() == set(parts) and all(isinstance(document[each], list) for each in parts), "flow is no flow"
    )
    starts, calls, following, loops = (document[each] for each in parts)
    _expect(set(starts) == offsets and starts == sorted(offsets), "flow is of other instructions")
    _expect(len(following) == len(starts), "flow does not lead on from every instruction")
    for body, rounds in loops:
        _expect(bool(body) and bool(rounds), "a loop is empty")
        _known_in(chain(body, *rounds), offsets)
    _known_in(chain(calls, *following), offsets)
    return ControlFlow.from_lists(starts, calls, following, loops)


def _known_in(values: Iterable[Any], offsets: set[int]) -> None:
    _expect(all(isinstance(each, int) and each in offsets for each in values), "flow leads to where no instruction is")
