"""Formulas as marks: lines of text, with matrices set row by row between brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby, pairwise

from ..scene import formulas
from ..scene.text_widths import SPACE, fit, printable, width
from .marks import Curve, Mark, Text

SIZE = 15.0
LINE = 18.0  # from one line to the next
ENTRY, ROW = 13.0, 16.0  # of a matrix: the size of its entries, and from one row to the next
GAP, BRACKET = 12.0, 5.0  # px between columns, and of a bracket
BASE = 0.3  # of a size: how far a baseline is below the middle
SIDE = re.compile(r" (?== )")  # where a formula is broken into lines: between the sides of its equation

Table = list[list[str]]
Piece = str | Table
Line = list[Piece]


def lines(tree: formulas.Tree | None, room: float) -> list[Line]:
    """Return a formula in lines, broken between its sides; a side that is too long is broken between its words.

    >>> column = ["matrix", [[["num", "1"]], [["num", "2"]]]]
    >>> lines(formulas.row(["id", "x"], formulas.op("="), column, formulas.op("="), ["id", "y"]), 60)
    [['x = ', [['1'], ['2']]], ['= y']]
    """
    result: list[Line] = []
    for side in _sides(tree) if tree else ():
        for part in [side] if _width(side) <= room else _broken(side):
            joined = _merged([*result[-1], " ", *part]) if result else part
            if result and _width(joined) <= room:
                result[-1] = joined
            else:
                result.append([_within(piece, room) for piece in part])
    return result


def height(line: Line) -> float:
    """Return the height of a line in px."""
    return max(LINE, *(ROW * len(piece) + 4 for piece in line if not isinstance(piece, str)), 0.0)


def marks(line: Line, x: float, middle: float, fill: str) -> Iterator[Mark]:
    """Yield the marks of a line, given its left end and its middle."""
    for piece in line:
        if isinstance(piece, str):
            start = x + width(piece, SIZE) - width(piece.lstrip(), SIZE)  # not all renderers keep spaces at the ends
            yield Text(start, middle + BASE * LINE, piece.strip(), SIZE, fill, anchor="start")
        else:
            yield from _table(piece, x, middle, fill)
        x += _width([piece])


def _table(table: Table, x: float, middle: float, fill: str) -> Iterator[Mark]:
    top, bottom = (middle + sign * (ROW * len(table) / 2 + 1) for sign in (-1, 1))
    right = x + _width([table])
    for end, inside in ((x + 2, 1), (right - 2, -1)):
        corners = [(end + inside * BRACKET, top), (end, top), (end, bottom), (end + inside * BRACKET, bottom)]
        for (u, v), (w, z) in pairwise(corners):
            yield Curve([u, v, u, v, w, z, w, z], fill, 1.2)
    x += BRACKET + 4
    for column in zip(*table, strict=True):
        wide = max(width(entry, ENTRY) for entry in column)
        for row, entry in enumerate(column):
            yield Text(x + wide / 2, top + 1 + (row + 0.5) * ROW + BASE * ENTRY, entry, ENTRY, fill)
        x += wide + GAP


def _width(line: Line) -> float:
    return sum(width(piece, SIZE) if isinstance(piece, str) else _width_of_table(piece) for piece in line)


def _width_of_table(table: Table) -> float:
    columns = zip(*table, strict=True)
    return sum(max(width(entry, ENTRY) for entry in column) + GAP for column in columns) - GAP + 2 * BRACKET + 8


def _sides(tree: formulas.Tree) -> Iterator[Line]:
    """Yield the sides of an equation; matrices are set as such if one of them has several rows."""
    pieces = [*_pieces(tree)]
    if all(isinstance(piece, str) or len(piece) == 1 for piece in pieces):
        pieces = [printable(formulas.text(tree))]
    side: Line = []
    for piece in _merged(pieces):
        first, *others = SIDE.split(piece) if isinstance(piece, str) else [piece]
        side += [first] if first else []
        for other in others:
            yield side
            side = [other]
    yield side


def _pieces(tree: formulas.Tree) -> Iterator[Piece]:
    kind, *parts = tree
    if kind == "row":
        for part in parts:
            yield from _pieces(part)
    elif kind == "matrix":
        yield [[printable(formulas.text(entry)) for entry in row] for row in parts[0]]
    else:
        yield formulas.text(tree) if kind == "op" else printable(formulas.text(tree))


def _merged(line: Line) -> Line:
    groups = groupby(line, lambda piece: isinstance(piece, str))
    return [piece for is_text, group in groups for piece in (["".join(group)] if is_text else group)]  # type: ignore[arg-type]


def _broken(side: Line) -> Iterator[Line]:
    for piece in side:
        if isinstance(piece, str):
            yield from ([word] for word in SPACE.split(piece.strip()))
        else:
            yield [piece]


def _within(piece: Piece, room: float) -> Piece:
    """Return a piece that is no wider than a line."""
    if isinstance(piece, str) or _width_of_table(piece) > room:
        text = piece if isinstance(piece, str) else "; ".join(", ".join(row) for row in piece)
        return fit(text, SIZE, room)
    return piece
