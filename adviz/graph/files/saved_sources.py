"""The user's functions as JSON, and back: places, loops, and the text of the statements they are in."""

from __future__ import annotations

from itertools import chain
from types import CodeType
from typing import Any

from .. import ipython
from ..loops import ControlFlow, control_flow, instruction_starts
from ..origins import last_line
from ..saved_functions import SavedFunction, lines_of, saved, statement_around
from .container import all_of

MOST_LINES = 1_000_000
"""Of a file of the user."""
FIELDS: dict[str, tuple[str, type]] = {
    "file": ("co_filename", str),
    "name": ("co_name", str),
    "qualified_name": ("co_qualname", str),
    "first_line": ("co_firstlineno", int),
    "last_line": ("last_line", int),
    "text_line": ("text_line", int),
    "text": ("text", str),
    "arguments": ("co_argcount", int),
    "keyword_arguments": ("co_kwonlyargcount", int),
    "variables": ("co_varnames", list),
    "cells": ("co_cellvars", list),
    "positions": ("positions", list),
    "starts": ("starts", list),
    "flow": ("flow", dict),
}
"""What a file has of each function: the attribute of a :class:`~..saved_functions.SavedFunction`, and the type."""


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
    own = {name: getattr(code, name) for name, _ in FIELDS.values() if name.startswith("co_")}
    return SavedFunction(
        **own | {"co_filename": ipython.called(code.co_filename)},
        last_line=last,
        positions=list(code.co_positions()),
        flow=ControlFlow.from_lists(**control_flow(code).as_lists()),
        starts=instruction_starts(code),
        text_line=first,
        text="".join(lines[first - 1 : end]),
    )


def document_of(function: SavedFunction) -> dict[str, Any]:
    """Return a function as JSON."""
    positions = [[-1 if part is None else part for part in place] for place in function.positions]
    changed = {"positions": positions, "flow": function.flow.as_lists()}
    changed |= {"variables": list(function.co_varnames), "cells": list(function.co_cellvars)}
    return {field: changed.get(field, getattr(function, name)) for field, (name, _) in FIELDS.items()}


def function_of(document: Any) -> SavedFunction:
    """Return the function of a JSON document. Raises ``ValueError`` that says what is wrong."""
    _expect(isinstance(document, dict) and document.keys() == FIELDS.keys(), "its fields are others")
    for field, (_, kind) in FIELDS.items():
        _expect(isinstance(document[field], kind), f"{field} is of another type")
    numbers = ("first_line", "last_line", "text_line", "arguments", "keyword_arguments")
    _expect(all(0 <= document[field] <= MOST_LINES for field in numbers), "a line is too far down")
    names = [*document["variables"], *document["cells"]]
    _expect(all_of(str, names), "a variable has no name")
    positions = document["positions"]
    _expect(all(_is_position(place) for place in positions), "positions has a place that is none")
    starts = document["starts"]
    _expect(len(starts) == len(positions) and _are_starts(starts), "starts are not those of instructions")
    read = {name: document[field] for field, (name, _) in FIELDS.items()}
    read |= {"co_varnames": tuple(document["variables"]), "co_cellvars": tuple(document["cells"])}
    read["positions"] = [tuple(None if part < 0 else part for part in place) for place in positions]
    read["flow"] = _flow(document["flow"], set(starts))
    return SavedFunction(**read | {"text_line": max(document["text_line"], 1)})


def _expect(holds: bool, words: str) -> None:
    if not holds:
        raise ValueError(words)


def _is_position(place: Any) -> bool:
    if not isinstance(place, list) or len(place) != 4 or not all_of(int, place):
        return False
    line, end_line, column, end_column = place
    return max(place) <= MOST_LINES and (end_line < 0 or line <= end_line) and min(line, column, end_column) >= -1


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
    values = chain(calls, *following, *(chain(body, *rounds) for body, rounds in loops))
    _expect(all(isinstance(each, int) and each in offsets for each in values), "flow leads to where no instruction is")
    return ControlFlow.from_lists(starts, calls, following, loops)
