"""Formulas as data: trees that the front end sets as MathML, and that are plain text everywhere else.

A tree is a list that begins with its kind: ``["row", a, b, …]``, ``["id", "v"]``, ``["num", "0.8"]``, ``["op", "="]``,
``["sub", base, index]``, ``["bar", x]``, ``["dot", x]``, ``["frac", a, b]``, ``["text", "…"]`` and
``["matrix", [[…], […]]]`` with trees for entries. What stands in the leaves is shown as it is, and never markup.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..graph.graph import Graph
from . import captions

Tree = list[Any]

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
MARKS = {"bar": "\u0304", "dot": "\u0307"}
SPACED = {"=", "+=", "+", "·", "×", "−", "÷", "@", "^"}
MOST_ENTRIES = 12
"""Matrices of up to so many numbers are written out."""


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


def cotangent(node: int) -> Tree:
    """``v̄₃``."""
    return ["sub", ["bar", ["id", "v"]], ["num", str(node)]]


def partial(node: int, operand: int) -> Tree:
    """``∂v₅/∂v₃``, the local Jacobian on the edge between node 5 and its operand 3."""
    return ["frac", row(op("∂"), variable(node)), row(op("∂"), variable(operand))]


def quantity(value: Any, *, factor: bool = False) -> Tree:
    """Numbers as they stand in a formula; a negative ``factor`` in brackets, large arrays by their shape and norm.

    >>> text(quantity(-2.0, factor=True)), text(quantity(np.eye(2))), text(quantity(np.ones((40, 40))))
    ('(-2)', '[1 0; 0 1]', '[40×40]')
    """
    if np.ndim(value) == 0:
        number: Tree = ["num", captions.number(value)]
        return row(op("("), number, op(")")) if factor and number[1].startswith("-") else number
    array = np.asarray(value)
    if array.ndim > 2 or array.size > MOST_ENTRIES or not array.size:
        return ["text", captions.value(array)]
    return ["matrix", [[["num", captions.number(entry)] for entry in line] for line in np.atleast_2d(array)]]


def chain(*sides: Tree | Iterable[Tree]) -> Tree:
    """Sides of an equation with ``=`` between them.

    >>> text(chain(variable(1), quantity(2.0)))
    'v₁ = 2'
    """
    parts: list[Any] = []
    for side in sides:
        parts += [op("="), side]
    return row(*parts[1:])


def text(tree: Tree) -> str:
    """A tree as plain text.

    >>> text(row(cotangent(3), op("+="), cotangent(5), op("·"), partial(5, 3), op("="), quantity(1.0)))
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
            return "[" + "; ".join(" ".join(map(text, line)) for line in parts[0]) + "]"
        case _:
            return str(parts[0])


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
    name = graph.blocks[node].name
    if name == "output":
        return operands[0]
    if name in captions.INFIX and len(operands) == 2:
        return row(operands[0], op(captions.INFIX[name]), operands[1])
    if name == "index" and len(operands) == 2:
        return row(operands[0], op("["), operands[1], op("]"))
    separated = [part for tree in operands for part in (op(","), tree)][1:]
    return row(["id", name], op("("), *separated, op(")"))
