"""The place of an instruction in the user's source, down to the column.

Resolved on request only, from a code object and an instruction offset. Columns count characters, as editors do;
Python's own tables count UTF-8 bytes.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache
from types import CodeType, UnionType
from typing import Any, NamedTuple, cast

from . import ipython
from .loops import per_code
from .saved_functions import line_of, lines_of, saved
from .syntax_trees import parse


class Origin(NamedTuple):
    """A stretch of source: lines count from 1, columns from 0, the end is exclusive; ``text`` may be empty."""

    file: str
    function: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str

    def __str__(self) -> str:
        where = f"{place_called(self.file, self.line, self.column)}, in {self.function}"
        text = " ".join(self.text.split())
        return f"{where}: {text if len(text) <= 100 else text[:99] + '…'}" if text else where


def place_called(file: str, line: int, column: int | None = None) -> str:
    """Return a place as its user knows it: ``Cell In[4], line 3`` in a notebook, ``model.py:3:7`` in a file.

    >>> place_called("model.py", 3, 6)
    'model.py:3:7'
    """
    cell = ipython.cell(file)
    if cell is not None:
        return f"{cell}, line {line}"
    return f"{file}:{line}" if column is None else f"{file}:{line}:{column + 1}"


class Source(NamedTuple):
    """The text of a function (no common indentation is removed) and its first line number."""

    path: str
    name: str
    line: int
    text: str


def origin(code: CodeType | None, offset: int) -> Origin | None:
    """Return the sub-expression that an instruction carries out; ``None`` where Python kept no position."""
    if code is None or offset < 0:
        return None
    line, end_line, column, end_column = _positions(code)[offset // 2]
    if line is None:
        return None
    if end_line is not None and column is not None and end_column is not None:
        return _stretch(code, _Place(line, end_line, column, end_column))
    text = line_of(code, line).rstrip("\n")
    return Origin(code.co_filename, code.co_qualname, line, 0, line, len(text), text.strip())


def _stretch(code: CodeType, place: _Place) -> Origin:
    """Return a stretch of source with its text, and with columns in characters."""
    line, end_line, column, end_column = place
    lines = [line_of(code, number).rstrip("\n") for number in range(line, end_line + 1)]
    column, end_column = characters(lines[0], column), characters(lines[-1], end_column)
    lines[-1] = lines[-1][:end_column]
    lines[0] = lines[0][column:]
    return Origin(code.co_filename, code.co_qualname, line, column, end_line, end_column, "\n".join(lines))


@per_code
def _positions(code: CodeType) -> list[tuple[int | None, int | None, int | None, int | None]]:
    return list(code.co_positions())


HEAD = re.compile(r"\s*(async\s+)?(def|class)\b")
"""How the line begins that a function has below its decorators, which may take several lines each."""


def head_of(code: CodeType | None) -> Origin | None:
    """Return the line with the ``def`` of a function, below its decorators, or that of a lambda."""
    if code is None:
        return None
    number = code.co_firstlineno
    if line_of(code, number).lstrip().startswith("@"):
        below = range(number, last_line(code) + 1)
        number = next((each for each in below if HEAD.match(line_of(code, each))), number)
    line = line_of(code, number).rstrip()
    start = len(line) - len(line.lstrip())
    return Origin(code.co_filename, code.co_qualname, number, start, number, len(line), line.lstrip())


def written_operand(
    made: Origin | None, place: int, count: int, kind: type[ast.expr] | UnionType = ast.Name | ast.Attribute
) -> str:
    """Return one of the ``count`` operands of an expression as it is written there, if it is of this kind; else "".

    >>> made = Origin("model.py", "f", 1, 0, 1, 5, "X @ W")
    >>> written_operand(made, 0, 2), written_operand(made, 0, 3)
    ('X', '')
    """
    operands = _operands(made.text.strip()) if made else []
    result = operands[place] if len(operands) == count else None
    return ast.unparse(result) if isinstance(result, kind) else ""


@lru_cache(maxsize=1024)
def written_call(text: str) -> tuple[str, str]:
    """Return the function that an expression calls, without modules, and its arguments without keywords; else "".

    A method is given what it is called of, as ``np.var(x)`` is for ``x.var()``.

    >>> written_call("np.linalg.norm(x - y, axis=0)"), written_call("(x + y).var()"), written_call("f(x) + 1")
    (('norm', 'x - y'), ('var', 'x + y'), ('', ''))
    """
    try:
        tree = parse(text, mode="eval").body
    except SyntaxError:
        return "", ""
    match tree:
        case ast.Call(func=ast.Name(id=name), args=given):
            pass
        case ast.Call(func=ast.Attribute(attr=name, value=of), args=given):
            given = [of] if all(isinstance(each, ast.Constant) for each in given) else given
        case _:
            return "", ""
    return name, ", ".join(map(ast.unparse, given))


@lru_cache(maxsize=1024)
def _operands(text: str) -> list[ast.expr]:
    """Return the two sides of an operator, the arguments of a call, or an array and its index, as a text has them."""
    try:
        tree = parse(text, mode="eval").body
    except SyntaxError:
        return []
    match tree:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Subscript(value=value, slice=key):
            return [value, key]
        case ast.Call(args=args):
            return args
    return []


def characters(line: str, byte_column: int) -> int:
    """Return a column in characters from one in UTF-8 bytes."""
    return byte_column if line.isascii() else len(line.encode()[:byte_column].decode(errors="replace"))


@per_code
def source(code: CodeType) -> Source:
    """Return the text of the function that a code object belongs to; empty if the source is not available."""
    first = code.co_firstlineno
    last = last_line(code)
    lines = [line_of(code, number) for number in range(first, last + 1)]
    return Source(code.co_filename, code.co_name, first, "".join(lines).rstrip("\n"))


def last_line(code: CodeType) -> int:
    """Return the last line of a function."""
    known = saved(code)
    return known.last_line if known else max(_lines(code), default=code.co_firstlineno)


def _lines(code: CodeType) -> Iterator[int]:
    """Yield the lines of the instructions of a code object and of the functions inside it."""
    for line, end_line, *_ in _positions(code):
        yield from (number for number in (line, end_line) if number is not None)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _lines(constant)


# ---- from the syntax tree of the file: heads of loops, names of values ----


class _Place(NamedTuple):
    """A stretch of source as Python's tables have it, with columns in UTF-8 bytes."""

    line: int
    end_line: int
    column: int
    end_column: int

    def holds(self, other: _Place) -> bool:
        starts_before = (self.line, self.column) <= (other.line, other.column)
        return starts_before and (other.end_line, other.end_column) <= (self.end_line, self.end_column)


_Whole = tuple[int, int, int, int]


class _Syntax(NamedTuple):
    """Heads of loops and comprehensions, names of values, and of what is written to, by place."""

    loops: dict[_Place, tuple[str, _Place]]
    names: dict[_Place, str]
    written: dict[_Place, str]


def loop_header(code: CodeType, body: Iterable[int]) -> str:
    """Return the head of a loop as it was written, such as ``for k in range(n)``; ``loop`` without a source."""
    result = _head_around(code, body)
    return result[0] if result else "loop"


def loop_origin(code: CodeType, body: Iterable[int]) -> Origin | None:
    """Return the head of a loop in the source; ``None`` where there is no source."""
    result = _head_around(code, body)
    return _stretch(code, result[1]) if result else None


def _head_around(code: CodeType, body: Iterable[int]) -> tuple[str, _Place] | None:
    """Return the head of the innermost loop around some instructions."""
    places, loops = _places(code), _syntax(code).loops
    inside = [place for offset in body if (place := places[offset // 2])]
    around = [place for place in loops if inside and all(map(place.holds, inside))]
    if not around:
        return None
    return loops[max(around, key=lambda place: (place.line, place.column, -place.end_line, -place.end_column))]


def assigned_name(code: CodeType | None, offset: int) -> str | None:
    """Name the variable that gets what an instruction computes: ``h`` for the call in ``h = np.tanh(a)``."""
    place = _place_at(code, offset)
    return _syntax(code).names.get(place) if code and place else None


def written_name(code: CodeType | None, offset: int) -> str | None:
    """Name the array that an instruction writes into: ``out`` for ``out[i] = x`` and ``np.exp(x, out=out)``."""
    place = _place_at(code, offset)
    return _syntax(code).written.get(place) if code and place else None


class Syntax(NamedTuple):
    """The calls and operations that may be at an instruction, and what each node of the syntax tree is a part of."""

    nodes: list[ast.AST]
    parents: dict[ast.AST, ast.AST]


def syntax_at(code: CodeType, offset: int) -> Syntax:
    """Return the syntax tree around an instruction; no nodes where there is no source."""
    places, parents = _tree_of(lines_of(code), _first_line(code))
    place = _place_at(code, offset)
    return Syntax(places.get(place, []) if place else [], parents)


@lru_cache(maxsize=64)
def _tree_of(lines: tuple[str, ...], inside: int | None) -> tuple[dict[_Place, list[ast.AST]], dict[ast.AST, ast.AST]]:
    """Return calls, operations and formatted values by their places, and parents of nodes, as far as ``_syntax_of``."""
    nodes = [node for each in _statements(lines, inside) for node in ast.walk(each)]
    places: dict[_Place, list[ast.AST]] = {}
    for node in nodes:
        if isinstance(node, ast.Call | ast.BinOp | ast.FormattedValue):
            places.setdefault(_place(node), []).append(node)
    return places, {child: node for node in nodes for child in ast.iter_child_nodes(node)}


class Statement(NamedTuple):
    """A statement of a function: its lines, how it begins, and whether it is or stands in a loop of that function."""

    line: int
    end_line: int
    text: str
    is_in_loop: bool


def statement_at(code: CodeType, offset: int) -> Statement | None:
    """Return the innermost statement that an instruction belongs to; ``None`` where there is no source."""
    place = _place_at(code, offset)
    known = _statements_of(lines_of(code), _first_line(code)) if place else []
    around = [each for each in known if place and each[0].holds(place)]
    return max(around, key=lambda each: (each[0].line, each[0].column))[1] if around else None


@lru_cache(maxsize=64)
def _statements_of(lines: tuple[str, ...], inside: int | None) -> list[tuple[_Place, Statement]]:
    return [*_nested(_statements(lines, inside), False)]


def _nested(statements: Iterable[ast.stmt], is_in_loop: bool) -> Iterator[tuple[_Place, Statement]]:
    """Yield statements, those in their bodies after them; a function that is defined in a loop is not in that loop."""
    for each in statements:
        text = ast.unparse(each).split("\n", 1)[0]
        is_function = isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        is_loop = is_in_loop or isinstance(each, ast.For | ast.AsyncFor | ast.While)
        yield _place(each), Statement(each.lineno, each.end_lineno or each.lineno, text, is_loop)
        for field in ("body", "orelse", "finalbody"):
            yield from _nested(getattr(each, field, ()), is_loop and not is_function)
        for handler in getattr(each, "handlers", getattr(each, "cases", ())):
            yield from _nested(handler.body, is_loop)


def _place_at(code: CodeType | None, offset: int) -> _Place | None:
    return None if code is None or offset < 0 else _places(code)[offset // 2]


@per_code
def _places(code: CodeType) -> list[_Place | None]:
    """Return the places of all instructions; ``None`` where Python did not keep all of it."""
    return [None if None in position else _Place(*cast(_Whole, position)) for position in _positions(code)]


@per_code
def _syntax(code: CodeType) -> _Syntax:
    return _syntax_of(lines_of(code), _first_line(code))


def _first_line(code: CodeType) -> int | None:
    """Return the line in which a function begins; ``None`` for the code of a module."""
    return None if code.co_name == "<module>" else code.co_firstlineno


@lru_cache(maxsize=16)
def parsed(lines: tuple[str, ...]) -> ast.Module:
    """Return the syntax tree of a file; an empty one if there is no source, or if it does not parse."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return parse("".join(lines))
    except (SyntaxError, ValueError):
        return ast.Module([], [])


@lru_cache(maxsize=64)
def _syntax_of(lines: tuple[str, ...], inside: int | None) -> _Syntax:
    """Return the names and loops of a file; only of the statements around a line, where it is ``inside`` a function."""
    nodes = [node for statement in _statements(lines, inside) for node in ast.walk(statement)]
    loops = {_place(node): _head(node) for node in nodes if isinstance(node, _LOOPS)}
    names: dict[_Place, str] = {}
    for target, value in (pair for node in nodes for pair in assigned(node)):
        names.setdefault(_place(value), target.id)
    written = {_place(place): name for node in nodes for place, target in _writes(node) if (name := _root(target))}
    return _Syntax(loops, names, written)


def _statements(lines: tuple[str, ...], inside: int | None) -> list[ast.stmt]:
    return [each for each in parsed(lines).body if inside is None or _is_around(each, inside)]


def _is_around(statement: ast.stmt, line: int) -> bool:
    start = min([statement.lineno, *(each.lineno for each in getattr(statement, "decorator_list", ()))])
    return start <= line <= (statement.end_lineno or start)


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SEQUENCES = (ast.Tuple, ast.List)
_LOOPS = (ast.While, ast.For, ast.AsyncFor, *_COMPREHENSIONS)


def _head(node: ast.AST) -> tuple[str, _Place]:
    """Return the head of a loop: normalized, and where it stands."""
    if isinstance(node, ast.While):
        return f"while {ast.unparse(node.test)}", _between(node, node.test)
    turns = node.generators[0] if isinstance(node, _COMPREHENSIONS) else node
    assert isinstance(turns, ast.For | ast.AsyncFor | ast.comprehension)
    start = turns.target if isinstance(turns, ast.comprehension) else turns
    return f"for {ast.unparse(turns.target)} in {ast.unparse(turns.iter)}", _between(start, turns.iter)


def _between(start: ast.AST, end: ast.AST) -> _Place:
    first, last = _place(start), _place(end)
    return _Place(first.line, last.end_line, first.column, last.end_column)


def assigned(node: ast.AST) -> Iterator[tuple[ast.Name, ast.AST]]:
    """Yield the names that a statement or ``:=`` assigns to, each with what it is assigned."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _paired(target, node.value)
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        yield from _paired(node.target, node.value)
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        yield node.target, node  # the operation's place is the whole statement


def _paired(target: ast.AST, value: ast.AST) -> Iterator[tuple[ast.Name, ast.AST]]:
    if isinstance(target, ast.Name):
        yield target, value
    elif isinstance(target, _SEQUENCES) and isinstance(value, _SEQUENCES) and len(target.elts) == len(value.elts):
        for one, other in zip(target.elts, value.elts, strict=True):
            yield from _paired(one, other)


_WRITING = {"at", "copyto", "fill_diagonal", "place", "putmask", "put_along_axis"}
"""Functions that write into their first argument."""
_WRITING_METHODS = {"fill", "sort", "partition"}


def _writes(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield the places whose instructions write into an array, each with the target."""
    if isinstance(node, ast.Assign):
        targets = [inner for target in node.targets for inner in ast.walk(target)]
        yield from ((target, target) for target in targets if isinstance(target, ast.Subscript))
    elif isinstance(node, ast.AugAssign):
        yield from ((node, node.target), (node.target, node.target))
    elif isinstance(node, ast.Call):
        out = next((keyword.value for keyword in node.keywords if keyword.arg == "out"), None)
        if out is not None:
            yield node, out
        elif isinstance(node.func, ast.Attribute) and node.func.attr in _WRITING and node.args:
            yield node, node.args[0]
        elif isinstance(node.func, ast.Attribute) and node.func.attr in _WRITING_METHODS:
            yield node, node.func.value


def _root(target: ast.AST) -> str | None:
    """Return the name of an array of which all or a part is written to; ``None`` if it has no name."""
    while isinstance(target, ast.Subscript):
        target = target.value
    return ast.unparse(target) if isinstance(target, ast.Name | ast.Attribute) else None


def _place(node: Any) -> _Place:
    return _Place(node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)
