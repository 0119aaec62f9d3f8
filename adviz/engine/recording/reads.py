"""Plain numbers of traced values, where a program only reads them: as text, for a decision, or as an index.

``float(x)`` must return a plain number, and what is computed with that has no derivative. Python does not say what it
is for; the source does. In ``print(float(x))``, ``"%.3f" % x``, ``float(x) < tolerance`` and ``rows[int(x)]`` the
number goes no further, and the program gets it: the graph has a node *read* there, on which nothing depends. Where it
may be computed with, a :class:`~adviz.ConversionError` is raised; so it is where no source is known, or where code in C
asks for the number. A whole number may go anywhere: ``int(x)`` is constant near ``x``, as ``np.trunc(x)`` is.
"""

from __future__ import annotations

import ast
import math
from types import FrameType
from typing import Any

import numpy as np

from ...graph.origins import Syntax, syntax_at
from ...graph.wengert_list import ABSENT
from ..rules.conditions import READ
from .refusals import cut_off, found_as
from .tape import Tape, user_frame

TEXT, DECISION, COMPUTATION = "text", "decision", "computation"
"""What a program has a number for, as far as its source tells; the last stands for everything else."""

_ON_THE_WAY = (float, int, abs, round, min, max)
"""Functions whose results are used as their arguments are."""
_IN_TEXT = (print, format, repr, str, ascii, str.format)
_IN_DECISIONS = (range, bool, math.isnan, math.isinf, math.isfinite, math.isclose, np.isnan, np.isinf, np.isfinite)
_LOGS = ("logging", "warnings", "_warnings")
"""Modules whose functions make text of what they are given."""
_OF_ALL_NAMES = ("locals", "vars", "eval", "exec")
"""What reaches a variable without its name."""


def plain_number(variable: Any, kind: Any, name: str) -> Any:
    """The number of a Variable, as a ``kind`` that is called ``name``; raises the refusal where it would be cut off."""
    frame, tape = user_frame(), variable.tape
    if frame is None or not isinstance(tape, Tape) or not _is_reading(frame, kind, tape.symbolic):
        raise cut_off(name)
    number = kind(variable.data)
    if not tape.symbolic:  # such a graph holds at every point, and there its text would be another one
        _note(tape, variable.index, float(number), frame)
    return number


def _note(tape: Tape, index: int, number: float, frame: FrameType) -> None:
    """Write the row of a reading, made where the program asked for it: it may be the library for logs that formats."""
    above: FrameType | None = frame
    while above is not None and above is not tape.root:
        if above.f_globals.get("__name__") in _LOGS and above.f_back is not None:
            frame = above.f_back
        above = above.f_back
    if frame is not tape.frame:
        tape.enter(frame)
    tape.write(READ.number, index, ABSENT, number, tape.origin.f_lasti)


def _is_reading(frame: FrameType, kind: Any, symbolic: bool) -> bool:
    """Return whether the instruction that runs in a frame makes a number that is then only read."""
    syntax = syntax_at(frame.f_code, frame.f_lasti)
    result: set[str] = set()
    for node in syntax.nodes:
        if isinstance(node, ast.Call) and _is_type_of_numbers(found_as(frame, node.func)):
            is_constant = issubclass(kind, int | np.integer) and not symbolic
            result |= {DECISION} if is_constant else _purposes(node, frame, syntax)
        else:
            result.add(TEXT if _is_formatted(frame, node) else COMPUTATION)
    return bool(result) and result <= ({TEXT} if symbolic else {TEXT, DECISION})


def _is_type_of_numbers(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, float | int | np.floating | np.integer)


def _is_formatted(frame: FrameType, node: ast.AST) -> bool:
    """Return whether an operation is the ``%`` of a text."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mod):
        return False
    return isinstance(node.left, ast.JoinedStr) or isinstance(found_as(frame, node.left), str)


def _purposes(node: ast.AST, frame: FrameType, syntax: Syntax, variables: frozenset[str] = frozenset()) -> set[str]:
    """What the value of an expression is for: by what is around it, and around the variable that it is given to."""
    above = syntax.parents.get(node)
    match above:
        case ast.FormattedValue() | ast.Expr():
            return {TEXT}
        case ast.Compare() | ast.Slice() | ast.UnaryOp(op=ast.Not()):
            return {DECISION}
        case ast.If(test=part) | ast.While(test=part) | ast.IfExp(test=part) | ast.Subscript(slice=part) if (
            part is node
        ):
            return {DECISION}
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return set() if name in variables else _purposes_of_variable(name, above, frame, syntax, variables | {name})
        case ast.NamedExpr() | ast.Lambda() | ast.Yield() | ast.YieldFrom() | ast.Await():
            return {COMPUTATION}
        case ast.expr() | ast.keyword():
            called = found_as(frame, above.func) if isinstance(above, ast.Call) and above.func is not node else float
            purpose = TEXT if _is_formatted(frame, above) else _purpose_in(called)
            return {purpose} if purpose else _purposes(above, frame, syntax, variables)
    return {COMPUTATION}


def _purpose_in(called: Any) -> str:
    """Return what a function has its arguments for; nothing where that is what its result is for."""
    if not callable(called):
        return COMPUTATION
    if called in _IN_TEXT or getattr(called, "__module__", "") in _LOGS:
        return TEXT
    return DECISION if called in _IN_DECISIONS else "" if called in _ON_THE_WAY else COMPUTATION


def _purposes_of_variable(
    name: str, assignment: ast.AST, frame: FrameType, syntax: Syntax, variables: frozenset[str]
) -> set[str]:
    """Return what a variable of a function is for, wherever the function has its name."""
    function: ast.AST | None = assignment
    while function is not None and not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        function = syntax.parents.get(function)
    result = {TEXT if function else COMPUTATION}
    for node in ast.walk(function) if function else ():
        match node:
            case ast.Name(id=known, ctx=ast.Load()) if known == name:
                result |= _purposes(node, frame, syntax, variables)
            case ast.AugAssign(target=ast.Name(id=known)) if known == name:
                result.add(COMPUTATION)
            case ast.Global(names=names) | ast.Nonlocal(names=names) if name in names:
                result.add(COMPUTATION)
            case ast.Name(id=known) if known in _OF_ALL_NAMES:
                result.add(COMPUTATION)
    return result
