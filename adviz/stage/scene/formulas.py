"""Formulas as data: trees that the front end sets as MathML, and that are plain text elsewhere.

A tree is a list that begins with its kind: ``["row", a, b, …]``, ``["id", "v"]``, ``["num", "0.8"]``, ``["op", "="]``,
``["sub", base, index]``, ``["bar", x]``, ``["dot", x]``, ``["frac", a, b]``, ``["text", "…"]`` and
``["matrix", [[…], […]]]`` with trees for entries. The leaves are plain text, never markup.

While a formula is composed, its numbers are ``["quantity", value, factor]``; :func:`fitted` writes them out, as far as
there is room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ...graph.graph import WRITE, Graph
from . import captions

Tree = list[Any]

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
MARKS = {"bar": "\u0304", "dot": "\u0307"}
SPACED = {"=", "≈", "←", "+=", "+", "·", "×", "−", "÷", "@", "^"}
LONGEST_SIDE = 72  # the most characters of a side of an equation; arrays are written out as far as that allows
FINEST_TO_COARSEST = ((6, 4), (6, 3), (4, 3), (3, 3), (3, 2), (0, 4))
"""Ways to write an array: the number of rows and columns (the first ones, dots and the last), and digits.

With 0 rows only its kind is written."""


def row(*parts: Tree) -> Tree:
    """Return trees side by side."""
    return ["row", *parts]


def op(sign: str) -> Tree:
    """Return an operator, a bracket or a comma."""
    return ["op", sign]


def quantity(value: Any, *, factor: bool = False) -> Tree:
    """Return numbers that :func:`fitted` writes out; a negative ``factor`` in brackets."""
    return ["quantity", value, factor]


def fitted(tree: Tree, number: Callable[[Any], str] = captions.number) -> Tree:
    """Return a tree with its quantities written out, with no side longer than ``LONGEST_SIDE`` if that is possible.

    ``number`` writes a quantity that is a single number.

    >>> text(fitted(quantity(-2.0, factor=True))), text(fitted(quantity(np.eye(2))))
    ('(-2)', '[1, 0; 0, 1]')
    >>> text(fitted(chain(["id", "v"], quantity(np.arange(9.0)))))
    'v = [0, 1, 2, 3, …, 8]'
    >>> text(fitted(row(quantity(np.full((9, 9), 1 / 3)), op("·"), quantity(np.arange(9.0)))))
    '[0.333, …, 0.333; …; 0.333, …, 0.333] · [0, …, 8]'
    """
    for way in FINEST_TO_COARSEST:
        written = _written(tree, number, *way)
        if max(map(len, text(written).split(" = "))) <= LONGEST_SIDE:
            break
    return written


def _written(tree: Tree, number: Callable[[Any], str], most: int, digits: int) -> Tree:
    if tree[0] != "quantity":
        return [_written(part, number, most, digits) if isinstance(part, list) else part for part in tree]
    _, value, factor = tree
    if np.ndim(value):
        return _array(np.asarray(value), most, digits)
    written: Tree = ["num", number(value)]
    return row(op("("), written, op(")")) if factor and written[1].startswith(("-", "−")) else written


def _array(array: np.ndarray, most: int, digits: int) -> Tree:
    """Return the corners of an array, with dots between them; or its kind, if it cannot be written so."""
    if not most or array.ndim > 2 or not array.size:
        return unwritten(array.shape)
    table = np.atleast_2d(array)
    rows, columns = (captions.few(range(count), None, most) for count in table.shape)

    def entry(i: int | None, j: int | None) -> Tree:
        if i is None or j is None:
            return ["text", "…" if i is not None else "⋮" if j is not None else "⋱"]
        return ["num", captions.number(table[i, j], digits)]

    return ["matrix", [[entry(i, j) for j in columns] for i in rows]]


def unwritten(shape: Sequence[int]) -> Tree:
    """Return the kind of an array whose numbers are not written.

    >>> text(unwritten((30, 4)))
    '(30×4 matrix)'
    """
    return ["text", f"({captions.kind(shape)})"]


def chain(*sides: Tree | Iterable[Tree]) -> Tree:
    """Return the sides of an equation with ``=`` between them.

    >>> text(chain(["id", "v"], ["num", "2"]))
    'v = 2'
    """
    parts: list[Any] = []
    for side in sides:
        parts += [op("="), side]
    return row(*parts[1:])


def lines(trees: Sequence[Tree]) -> Tree:
    """Return trees one after the other, with commas between them."""
    parts = [part for tree in trees for part in (op(","), tree)][1:]
    return row(*parts)


def text(tree: Tree) -> str:
    """Return a tree as plain text.

    >>> text(row(["bar", ["id", "x"]], op("+="), ["num", "2"], op("·"), ["frac", ["id", "∂y"], ["id", "∂x"]]))
    'x̄ += 2 · ∂y/∂x'
    """
    kind, *parts = tree
    match kind:
        case "row":
            return "".join(map(text, parts))
        case "op":
            return f" {parts[0]} " if parts[0] in SPACED else ", " if parts[0] == "," else str(parts[0])
        case "sub":
            return text(parts[0]) + text(parts[1]).translate(SUBSCRIPTS)
        case "bar" | "dot":
            inner = text(parts[0])
            return (inner if inner.isalnum() else f"({inner})") + MARKS[kind]
        case "frac":
            return f"{text(parts[0])}/{text(parts[1])}"
        case "matrix":
            rows = [list(map(text, entries)) for entries in parts[0]]
            return "[" + "; ".join("…" if "⋮" in words else ", ".join(words) for words in rows) + "]"
        case _:
            return str(parts[0])


# ---- how a node is computed ----


def figure(graph: Graph, reference: int) -> Tree:
    """Return the value of an operand in a formula."""
    if reference < 0:
        return ["text", captions.operand(graph, reference)]
    return quantity(graph.values[reference], factor=True)


def application(graph: Graph, node: int, operands: list[Tree]) -> Tree:
    """Return a Block applied to trees: ``x × y``, ``sin(x)``, ``x[0]``.

    >>> import adviz
    >>> text(application(adviz.trace(np.sin, 1.0), 1, [["id", "x"]]))
    'sin(x)'
    """
    block = graph.blocks[node]
    name, words = block.name, [captions.operand(graph, each) for each in graph.operands(node)]
    if name == "output":
        return operands[0]
    if block.operator in captions.INFIX and len(operands) == 2:
        return row(operands[0], op(captions.INFIX[block.operator]), operands[1])
    if block.symbol == captions.TAKEN and len(operands) == 2:
        return row(operands[0], op("["), operands[1], op("]"))
    if name == WRITE and len(operands) == 3:
        return row(operands[0], ["text", " with "], operands[1], ["text", " at "], op("["), operands[2], op("]"))
    text = captions.few(operands[: len(captions.telling(words))], ["text", "…"])
    separated = [part for tree in text for part in (op(","), tree)][1:]
    return row(["text", captions.shortened(name)], op("("), *separated, op(")"))  # upright: no variable
