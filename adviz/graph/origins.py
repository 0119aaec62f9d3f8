"""Where in the user's source an instruction stands, down to the column.

Resolved only when asked, from a code object and an instruction offset. Columns count characters, as editors do;
Python's own tables count UTF-8 bytes.
"""

from __future__ import annotations

import ast
import linecache
from types import CodeType
from typing import NamedTuple

from .loops import per_code


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
        where = f"{self.file}:{self.line}:{self.column + 1}, in {self.function}"
        text = " ".join(self.text.split())
        return f"{where}: {text if len(text) <= 100 else text[:99] + '…'}" if text else where


class Source(NamedTuple):
    """The text of a function (no common indentation is removed) and its first line number."""

    path: str
    name: str
    line: int
    text: str


def origin(code: CodeType | None, offset: int) -> Origin | None:
    """The sub-expression that an instruction carries out; ``None`` where Python kept no position."""
    if code is None or offset < 0:
        return None
    line, end_line, column, end_column = _positions(code)[offset // 2]
    if line is None:
        return None
    if end_line is None or column is None or end_column is None:
        text = linecache.getline(code.co_filename, line).rstrip("\n")
        return Origin(code.co_filename, code.co_qualname, line, 0, line, len(text), text.strip())
    lines = [linecache.getline(code.co_filename, number).rstrip("\n") for number in range(line, end_line + 1)]
    column, end_column = _characters(lines[0], column), _characters(lines[-1], end_column)
    lines[-1] = lines[-1][:end_column]
    lines[0] = lines[0][column:]
    return Origin(code.co_filename, code.co_qualname, line, column, end_line, end_column, "\n".join(lines))


@per_code
def _positions(code: CodeType) -> list[tuple[int | None, int | None, int | None, int | None]]:
    return list(code.co_positions())


def _characters(line: str, byte_column: int) -> int:
    """A column in characters from one in UTF-8 bytes."""
    return byte_column if line.isascii() else len(line.encode()[:byte_column].decode(errors="replace"))


@per_code
def source(code: CodeType) -> Source:
    """The text of the function a code object belongs to; the text is empty where the source is not to be had."""
    first = code.co_firstlineno
    numbers = [line for position in _positions(code) for line in position[:2] if line is not None]
    numbers += [line for const in code.co_consts if isinstance(const, CodeType) for line in _lines(const)]
    last = max(numbers, default=first)
    lines = [linecache.getline(code.co_filename, number) for number in range(first, last + 1)]
    return Source(code.co_filename, code.co_name, first, "".join(lines).rstrip("\n"))


def _lines(code: CodeType) -> list[int]:
    return [line for position in _positions(code) for line in position[:2] if line is not None]


def loop_header(code: CodeType, start: int, end: int) -> str:
    """The head of a loop as its author wrote it, such as ``for k in range(n)``; ``loop`` where there is no source."""
    lines = [line for line, *_ in _positions(code)[start // 2 : end // 2 + 1] if line is not None]
    best, size = "loop", float("inf")
    for head, first, last in _loop_statements(code):
        if lines and first <= min(lines) and max(lines) <= last and last - first < size:
            best, size = head, last - first
    return best


@per_code
def _syntax(code: CodeType) -> ast.AST:
    """The syntax tree of a function's text, with line numbers of its file; empty where the text does not parse."""
    text, shift = source(code).text, code.co_firstlineno - 1
    if text[:1].isspace():  # a method or a nested function: give its indentation a block to belong to
        text, shift = "if True:\n" + text, shift - 1
    try:
        return ast.increment_lineno(ast.parse(text), shift)
    except SyntaxError:  # a lambda in the middle of a call, or no source at all
        return ast.Module([], [])


@per_code
def _loop_statements(code: CodeType) -> list[tuple[str, int, int]]:
    """Heads of the loops and comprehensions in a function, each with its first and last line."""
    found = []
    for node in ast.walk(_syntax(code)):
        if isinstance(node, ast.While):
            head = f"while {ast.unparse(node.test)}"
        elif isinstance(node, ast.For | ast.AsyncFor):
            head = f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}"
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            head = f"for {ast.unparse(node.generators[0].target)} in {ast.unparse(node.generators[0].iter)}"
        else:
            continue
        found.append((head, node.lineno, node.end_lineno or node.lineno))
    return found


@per_code
def assigned_names(code: CodeType) -> dict[tuple[int, int, int, int], str]:
    """Names of values by the place of their expression: ``{place of np.tanh(a): "h"}`` for ``h = np.tanh(a)``."""
    names = {}
    for node in ast.walk(_syntax(code)):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names[_place(code, node.value)] = node.targets[0].id
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            names[_place(code, node)] = node.target.id  # the operation's place is the whole statement
    return names


def _place(code: CodeType, node: ast.expr | ast.AugAssign) -> tuple[int, int, int, int]:
    end_line = node.end_lineno or node.lineno
    first, last = (linecache.getline(code.co_filename, line) for line in (node.lineno, end_line))
    return node.lineno, _characters(first, node.col_offset), end_line, _characters(last, node.end_col_offset or 0)
