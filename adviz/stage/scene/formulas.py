"""Formulas as data: trees that the front end sets as MathML, and that are plain text everywhere else.

A tree is a list that begins with its kind: ``["row", a, b, …]``, ``["id", "v"]``, ``["num", "0.8"]``, ``["op", "="]``,
``["sub", base, index]``, ``["bar", x]``, ``["dot", x]``, ``["frac", a, b]``, ``["text", "…"]`` and
``["matrix", [[…], […]]]`` with trees for entries. What stands in the leaves is shown as it is, and never markup.

While a formula is put together its numbers are ``["quantity", value, factor]``; :func:`fitted` writes them out, as far
as a line holds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...graph.graph import WRITE, Graph
from . import captions

Tree = list[Any]

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
MARKS = {"bar": "\u0304", "dot": "\u0307"}
SPACED = {"=", "+=", "+", "·", "×", "−", "÷", "@", "^"}
LONGEST_SIDE = 72
"""Characters that a side of an equation has; arrays are written out as far as that allows."""
FINEST_TO_COARSEST = ((6, 4), (6, 3), (4, 3), (3, 3), (3, 2), (0, 4))
"""Ways to write an array: places for its rows and for its columns (the first ones, dots and the last), and digits.

Without a place it is named."""


def row(*parts: Tree) -> Tree:
    """Trees side by side."""
    return ["row", *parts]


def op(sign: str) -> Tree:
    """An operator, a bracket or a comma."""
    return ["op", sign]


def variable(node: int) -> Tree:
    """``v₃``, the value of node 3."""
    return ["sub", ["id", "v"], ["num", str(node)]]


def tangent(node: int) -> Tree:
    """``v̇₃``."""
    return ["sub", ["dot", ["id", "v"]], ["num", str(node)]]


def adjoint(node: int) -> Tree:
    """``v̄₃``."""
    return ["sub", ["bar", ["id", "v"]], ["num", str(node)]]


def partial(node: int, operand: int) -> Tree:
    """``∂v₅/∂v₃``, the local Jacobian on the edge between node 5 and its operand 3."""
    return ["frac", row(op("∂"), variable(node)), row(op("∂"), variable(operand))]


def quantity(value: Any, *, factor: bool = False) -> Tree:
    """Numbers that :func:`fitted` writes out; a negative ``factor`` in brackets."""
    return ["quantity", value, factor]


def fitted(tree: Tree) -> Tree:
    """A tree with its quantities written out, none of whose sides is longer than ``LONGEST_SIDE`` if that is possible.

    >>> text(fitted(quantity(-2.0, factor=True))), text(fitted(quantity(np.eye(2))))
    ('(-2)', '[1, 0; 0, 1]')
    >>> text(fitted(chain(variable(1), quantity(np.arange(9.0)))))
    'v₁ = [0, 1, 2, 3, …, 8]'
    >>> text(fitted(row(quantity(np.full((9, 9), 1 / 3)), op("·"), quantity(np.arange(9.0)))))
    '[0.333, …, 0.333; …; 0.333, …, 0.333] · [0, …, 8]'
    """
    ways = (_written(tree, *way) for way in FINEST_TO_COARSEST[:-1])
    return next((each for each in ways if _longest(each) <= LONGEST_SIDE), _written(tree, *FINEST_TO_COARSEST[-1]))


def _longest(tree: Tree) -> int:
    """The length of the longest side of an equation."""
    return max(map(len, text(tree).split(" = ")))


def _written(tree: Tree, places: int, digits: int) -> Tree:
    kind, *parts = tree
    if kind == "quantity":
        value, factor = parts
        return _array(np.asarray(value), places, digits) if np.ndim(value) else _number(value, factor)
    return [kind, *(_written(part, places, digits) if isinstance(part, list) else part for part in parts)]


def _number(value: Any, factor: bool) -> Tree:
    number: Tree = ["num", captions.number(value)]
    return row(op("("), number, op(")")) if factor and number[1].startswith("-") else number


def _array(array: np.ndarray, places: int, digits: int) -> Tree:
    """The corners of an array, with dots between them; what it is, where it cannot be written so."""
    if not places or array.ndim > 2 or not array.size:
        return unwritten(array.shape)
    table = np.atleast_2d(array)
    rows, columns = (captions.few(range(count), None, places) for count in table.shape)
    return ["matrix", [[_entry(table, i, j, digits) for j in columns] for i in rows]]


def _entry(table: np.ndarray, i: int | None, j: int | None, digits: int) -> Tree:
    if i is None or j is None:
        return ["text", "…" if i is not None else "⋮" if j is not None else "⋱"]
    return ["num", captions.number(table[i, j], digits)]


def unwritten(shape: Sequence[int]) -> Tree:
    """What stands for an array whose numbers are not written.

    >>> text(unwritten((30, 4)))
    '(30×4 matrix)'
    """
    return ["text", f"({captions.kind(shape)})"]


def chain(*sides: Tree | Iterable[Tree]) -> Tree:
    """Sides of an equation with ``=`` between them.

    >>> text(chain(variable(1), ["num", "2"]))
    'v₁ = 2'
    """
    parts: list[Any] = []
    for side in sides:
        parts += [op("="), side]
    return row(*parts[1:])


def text(tree: Tree) -> str:
    """A tree as plain text.

    >>> text(row(adjoint(3), op("+="), adjoint(5), op("·"), partial(5, 3), op("="), ["num", "1"]))
    'v̄₃ += v̄₅ · ∂v₅/∂v₃ = 1'
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
            return text(parts[0]) + MARKS[kind]
        case "frac":
            return f"{text(parts[0])}/{text(parts[1])}"
        case "matrix":
            return "[" + "; ".join(map(_line, parts[0])) + "]"
        case _:
            return str(parts[0])


def _line(entries: list[Tree]) -> str:
    words = [*map(text, entries)]
    return "…" if "⋮" in words else ", ".join(words)


# ---- how a node is computed ----


def operand(graph: Graph, place: int) -> Tree:
    """An operand as it stands in a formula: ``v₃``, or the constant."""
    return variable(place) if place >= 0 else ["text", captions.operand(graph, place)]


def figure(graph: Graph, place: int) -> Tree:
    """The value of an operand as it stands in a formula."""
    return quantity(graph.values[place], factor=True) if place >= 0 else operand(graph, place)


def application(graph: Graph, node: int, operands: list[Tree]) -> Tree:
    """A Block applied to trees: ``v₃ × v₄``, ``sin(v₃)``, ``v₂[0]``.

    >>> import adviz
    >>> text(application(adviz.trace(np.sin, 1.0), 1, [variable(0)]))
    'sin(v₀)'
    """
    name, words = graph.blocks[node].name, [captions.operand(graph, place) for place in graph.operands(node)]
    if name == "output":
        return operands[0]
    if name in captions.INFIX and len(operands) == 2:
        return row(operands[0], op(captions.INFIX[name]), operands[1])
    if name == "index" and len(operands) == 2:
        return row(operands[0], op("["), operands[1], op("]"))
    if name == WRITE and len(operands) == 3:
        return row(operands[0], ["text", " with "], operands[1], ["text", " at "], op("["), operands[2], op("]"))
    told = captions.few(operands[: len(captions.telling(words))], ["text", "…"])
    separated = [part for tree in told for part in (op(","), tree)][1:]
    return row(["id", captions.shortened(name)], op("("), *separated, op(")"))
