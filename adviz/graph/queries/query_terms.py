"""What the terms of a query mean: each is a column of booleans over the nodes."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

import numpy as np

from .node_columns import NodeColumns, Texts
from .query_language import Combined, Expression, Term

Holds = Callable[[str], bool]

COMPARISONS: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
}
NUMBERS: dict[str, Callable[[NodeColumns], np.ndarray]] = {
    "bytes": lambda columns: columns.bytes,
    "cost": lambda columns: columns.operations,
    "depth": lambda columns: columns.depth,
    "node": lambda columns: np.arange(len(columns.graph)),
    "operations": lambda columns: columns.operations,
    "times_used": lambda columns: columns.times_used,
    "value": lambda columns: columns.value,
}
STATES: dict[str, Callable[[NodeColumns], np.ndarray]] = {
    "dead": lambda columns: ~columns.live,
    "input": lambda columns: _are(columns, columns.graph.inputs),
    "isinf": lambda columns: columns.isinf,
    "isnan": lambda columns: columns.isnan,
    "live": lambda columns: columns.live,
    "output": lambda columns: _are(columns, columns.graph.outputs),
}
TEXTS: dict[str, Callable[[NodeColumns], Texts]] = {
    "dtype": lambda columns: columns.dtype,
    "file": lambda columns: columns.file,
    "function": lambda columns: columns.function,
    "name": lambda columns: columns.name,
    "shape": lambda columns: columns.shape,
}


def holds(columns: NodeColumns, expression: Expression) -> np.ndarray:
    """Return for which nodes an expression holds.

    >>> import adviz
    >>> from .query_language import parse
    >>> holds(NodeColumns(adviz.trace(lambda x: x * x, 3.0)), parse("times_used > 1 or output")).tolist()
    [True, False, True]
    """
    if isinstance(expression, Combined):
        parts = (holds(columns, part) for part in expression.parts)
        if expression.rule == "not":
            return ~next(parts)
        start = expression.rule == "and"
        result = np.full(len(columns.graph), start)
        for part in parts:
            result = result & part if start else result | part
        return result
    return KINDS[expression.kind](columns, expression)


def _number(columns: NodeColumns, term: Term) -> np.ndarray:
    bound = term.operand
    assert isinstance(bound, float)
    if term.name == "line":
        return _line(columns, term.comparison, bound)
    return COMPARISONS[term.comparison](NUMBERS[term.name](columns), bound)


def _line(columns: NodeColumns, comparison: str, bound: float) -> np.ndarray:
    """Return a sub-expression of several lines is on each of them."""
    if comparison in ("=", "==", "!="):
        on_line = (columns.first_line <= bound) & (columns.last_line >= bound)
        return ~on_line if comparison == "!=" else on_line
    return COMPARISONS[comparison](columns.first_line if comparison[0] == "<" else columns.last_line, bound)


def _range(columns: NodeColumns, term: Term) -> np.ndarray:
    assert isinstance(term.operand, tuple)
    low, high = term.operand
    if term.name == "line":
        return (columns.first_line <= high) & (columns.last_line >= low)
    column = NUMBERS[term.name](columns)
    return (column >= low) & (column <= high)


def _state(columns: NodeColumns, term: Term) -> np.ndarray:
    return STATES[term.name](columns)


def _are(columns: NodeColumns, nodes: list[int]) -> np.ndarray:
    result = np.zeros(len(columns.graph), bool)
    result[nodes] = True
    return result


def _text(columns: NodeColumns, term: Term) -> np.ndarray:
    wanted, is_part = str(term.operand), term.comparison == "~"
    if term.name == "scope":
        result = _scopes_with(columns, wanted, 0) if is_part else _scopes_called(columns, wanted)
    elif term.name == "block":
        result = _blocks_with(columns, wanted) if is_part else _blocks_called(columns, wanted)
    else:
        result = _texts(TEXTS[term.name](columns), containing(wanted) if is_part else pattern(wanted))
    return ~result if term.comparison == "!=" else result


def _word(columns: NodeColumns, term: Term) -> np.ndarray:
    """A text in a block, a scope, the source or a name. The root scope is left out: its name would match every node."""
    word = str(term.operand)
    result = _blocks_with(columns, word) | _scopes_with(columns, word, 1)
    return result | _texts(columns.source, containing(word)) | _texts(columns.name, containing(word))


def _texts(texts: Texts, test: Holds) -> np.ndarray:
    return np.array([*map(test, texts.table), test("")], bool)[texts.numbers]


def _blocks_called(columns: NodeColumns, wanted: str) -> np.ndarray:
    test = pattern(wanted)
    held = [test(block.name) or test(block.symbol) for block in columns.graph.block_table]
    return np.array(held, bool)[columns.block]


def _blocks_with(columns: NodeColumns, word: str) -> np.ndarray:
    """Return blocks with a part of their name; a symbol must be all of it."""
    test = containing(word)
    held = [test(block.name) or block.symbol == word for block in columns.graph.block_table]
    return np.array(held, bool)[columns.block]


def _scopes_called(columns: NodeColumns, wanted: str) -> np.ndarray:
    """Nodes in the scopes of a name and in all scopes inside them; a comma in ``iteration 1,000`` may be left out."""
    labels, test = columns.scope_labels, pattern(wanted)
    held = [test(label) or ("," in label and test(label.replace(",", ""))) for label in labels.table]
    return columns.within(np.array(held, bool)[labels.numbers])


def _scopes_with(columns: NodeColumns, word: str, first: int) -> np.ndarray:
    """Return the same with a part of the name; scopes before ``first`` are not tested."""
    small = word.lower()
    held = np.array([small in words for words in columns.scope_words], bool)[columns.scope_labels.numbers]
    held[:first] = False
    return columns.within(held)


KINDS: dict[str, Callable[[NodeColumns, Term], np.ndarray]] = {
    "number": _number,
    "range": _range,
    "state": _state,
    "text": _text,
    "word": _word,
}


def pattern(wanted: str) -> Holds:
    """Return equality that ignores case, with ``*`` for anything.

    >>> pattern("mat*")("MatMul")
    True
    """
    expression = re.compile(".*".join(map(re.escape, wanted.lower().split("*"))), re.DOTALL)
    return lambda text: expression.fullmatch(text.lower()) is not None


def containing(wanted: str) -> Holds:
    """Return whether a text is part of another one, whatever the case."""
    word = wanted.lower()
    return lambda text: word in text.lower()
