"""Words for what is on stage: labels of nodes, formulas, numbers in few characters. Plain text, never markup."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.graph import Graph
from ..graph.scopes import EXPRESSION

INFIX = {"add": "+", "subtract": "−", "multiply": "×", "divide": "÷", "matmul": "@", "power": "^"}
MOST_NUMBERS = 24
"""Arrays up to this many numbers are written out."""


def number(value: float, digits: int = 4) -> str:
    """A number in few characters: ``0.8415``, ``-3``, ``1.2e-08``, ``nan``.

    >>> number(0.84147098), number(-3.0), number(123456789.0)
    ('0.8415', '-3', '1.235e+08')
    """
    return f"{float(value):.{digits}g}"


def shape(value: Any) -> str:
    """A shape as people write it: ``3×4``.

    >>> shape((3, 4)), shape((5,))
    ('3×4', '5')
    """
    return "×".join(map(str, value))


def value(data: Any, digits: int = 4) -> str:
    """A value in a few characters: the number, or the shape of an array."""
    return f"[{shape(np.shape(data))}]" if np.ndim(data) else number(data, digits)


def literal(data: Any) -> str:
    """A constant of the program in a few characters."""
    if isinstance(data, slice):
        parts = [data.start, data.stop] if data.step is None else [data.start, data.stop, data.step]
        return ":".join("" if part is None else str(part) for part in parts)
    if isinstance(data, tuple):
        return ", ".join(map(literal, data))
    if isinstance(data, bool) or data is None or data is Ellipsis:
        return str(data) if data is not Ellipsis else "…"
    return value(data) if isinstance(data, int | float | np.ndarray | np.generic) else str(data)[:40]


def operand(graph: Graph, place: int) -> str:
    """An operand as it stands in a formula: ``v3`` or the constant."""
    return f"v{place}" if place >= 0 else literal(graph.literal(place))


def formula(graph: Graph, index: int) -> str:
    """How a node was computed: ``v12 = sin(v3)``, ``v5 = v3 × 2``, ``v7 = v2[0]``."""
    block, places = graph.blocks[index], graph.operands(index)
    if not places:
        return f"v{index} = {graph.name(index) or block.name}"
    words = [operand(graph, place) for place in places]
    if block.name in INFIX and len(words) == 2:
        return f"v{index} = {words[0]} {INFIX[block.name]} {words[1]}"
    if block.name == "index":
        return f"v{index} = {words[0]}[{words[1]}]"
    if block.name == "output":
        return f"v{index} = {words[0]}"
    return f"v{index} = {block.name}({', '.join(words)})"


def label(graph: Graph, index: int) -> str:
    """What stands in the node: the symbol, with a constant beside it (``× 2``), or the name of an input."""
    block, places = graph.blocks[index], graph.operands(index)
    if block.name == "input":
        return graph.names.get(index, "input")
    if block.name == "index":
        return f"[{literal(graph.literal(places[1]))}]" if places[1] < 0 else "[ ]"
    if block.name in INFIX and len(places) == 2:
        symbol = INFIX[block.name]
        if places[1] < 0 <= places[0]:
            return f"{symbol} {literal(graph.literal(places[1]))}"
        if places[0] < 0 <= places[1]:
            return f"{literal(graph.literal(places[0]))} {symbol}"
        return symbol
    return block.symbol


def detail(graph: Graph, index: int) -> str:
    """The second line of a node: its name in the source, and its value or shape."""
    name, text = graph.name(index), value(graph.values[index])
    one_of_many = graph.scopes.kinds[graph.scopes.of_node[index]] == EXPRESSION  # the name is that of the whole array
    if name is None or one_of_many or graph.blocks[index].name == "input":
        return text
    return f"{name} = {text}" if np.ndim(graph.values[index]) == 0 else f"{name} {text}"


def title(graph: Graph, index: int) -> str:
    """A node in one sentence, for those who hear it."""
    name, uses = graph.name(index), graph.times_used[index]
    words = [f"{graph.blocks[index].name}, node {index}"]
    if name:
        words.append(f"named {name}")
    words.append(
        f"value {value(graph.values[index])}"
        if not np.ndim(graph.values[index])
        else f"array {shape(np.shape(graph.values[index]))}"
    )
    words.append("not used by any output" if not graph.live[index] else f"used {times(uses)}")
    return ", ".join(words)


def times(count: int) -> str:
    """``once``, ``twice``, ``3 times``."""
    return {0: "by nothing else", 1: "once", 2: "twice"}.get(count, f"{count:,} times")


def plural(count: int, noun: str) -> str:
    """A count with its noun: ``1 node``, ``2,000 nodes``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
