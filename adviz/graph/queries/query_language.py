"""The query language of ``graph.find`` and of the Explorer's search box: from text to an expression tree.

    query     = both { "or" both }
    both      = negated { ["and"] negated }
    negated   = { "not" } term
    term      = "(" query ")" | condition | field | state | text
    condition = NUMBER ("<" | "<=" | "=" | "==" | "!=" | ">=" | ">") number | NUMBER number ".." number
              | TEXT ("=" | "==" | "!=" | "~") text
    field     = (TEXT | "line") ":" text
    state     = "dead" | "input" | "isinf" | "isnan" | "live" | "output"
    text      = word | '"' words '"'

Without a condition, ``and``, ``or`` or ``not`` a query is words, states and fields, and its parentheses are text. The
front end has the same grammar in ``widgets/src/graph/query-language.ts``; both are tested with the same queries.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..errors import AdvizError
from .node_columns import NodeColumns, Texts

Holds = Callable[[str], bool]


def are_among(columns: NodeColumns, nodes: list[int]) -> np.ndarray:
    result = np.zeros(len(columns.graph), bool)
    result[nodes] = True
    return result


COMPARISONS: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}
COLUMNS_OF_NUMBERS: dict[str, Callable[[NodeColumns], np.ndarray]] = {
    "bytes": lambda columns: columns.bytes,
    "cost": lambda columns: columns.operations,
    "depth": lambda columns: columns.depth,
    "node": lambda columns: np.arange(len(columns.graph)),
    "operations": lambda columns: columns.operations,
    "times_used": lambda columns: columns.times_used,
    "value": lambda columns: columns.value,
}
COLUMNS_OF_STATES: dict[str, Callable[[NodeColumns], np.ndarray]] = {
    "dead": lambda columns: ~columns.live,
    "input": lambda columns: are_among(columns, columns.graph.inputs),
    "isinf": lambda columns: columns.isinf,
    "isnan": lambda columns: columns.isnan,
    "live": lambda columns: columns.live,
    "output": lambda columns: are_among(columns, columns.graph.outputs),
}
COLUMNS_OF_TEXTS: dict[str, Callable[[NodeColumns], Texts]] = {
    "dtype": lambda columns: columns.dtype,
    "file": lambda columns: columns.file,
    "function": lambda columns: columns.function,
    "name": lambda columns: columns.name,
    "shape": lambda columns: columns.shape,
}
NUMBERS = tuple(sorted([*COLUMNS_OF_NUMBERS, "line"]))
TEXTS = tuple(sorted([*COLUMNS_OF_TEXTS, "block", "scope"]))
FIELDS = (*TEXTS, "line")
STATES = tuple(COLUMNS_OF_STATES)
OF_TEXTS = ("=", "==", "!=", "~")
DEEPEST = 50
"""The most parentheses inside each other."""

_DIGITS = r"[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?"
_NUMBER = re.compile(r"[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|inf(?:inity)?)", re.ASCII | re.IGNORECASE)
_CONDITION = re.compile(r"([a-z_]+)\s*(<=|>=|==|!=|<|>|=|~)\s*", re.ASCII | re.IGNORECASE)
_RANGE = re.compile(rf"([a-z_]+)(:|\s+)({_DIGITS})\s*\.\.\s*({_DIGITS})(?=[\s)]|$)", re.ASCII | re.IGNORECASE)
_FIELD = re.compile(r"([a-z_]+):", re.ASCII | re.IGNORECASE)
_BLANK = re.compile(r"\s")
_QUOTED = re.compile(r'"([^"]*)"')
_EITHER_QUOTE = re.compile(r"""(["'])(.*?)\1""", re.DOTALL)
_OPERATOR = re.compile(r"(and|or|not)(?=[\s()]|$)", re.ASCII | re.IGNORECASE)
_FORMAL = re.compile(
    r"\S\s+(?:and|or)\s+\S|(?:^|[\s(])not\s+\S|(?:^|[\s(])[a-z_]+\s*(?:[<>=~]|!=)", re.ASCII | re.IGNORECASE
)


class Term(NamedTuple):
    """What holds for a node, or does not: a ``kind`` of test of a quantity of that name.

    The kinds: ``"word"`` and ``"state"``; ``"number"``, with a bound, and ``"range"``, with two; ``"text"``.
    """

    kind: str
    name: str = ""
    comparison: str = ""
    operand: str | float | tuple[float, float] = ""


class Combined(NamedTuple):
    """Expressions of which all must hold (``"and"``), one must (``"or"``), or the only one must not (``"not"``)."""

    rule: str
    parts: tuple[Expression, ...]


Expression = Term | Combined
EVERY = Combined("and", ())
"""The expression of an empty query."""


class QueryError(AdvizError, ValueError):
    """A query cannot be read; ``at`` is the place of the character that is wrong, ``reason`` says what it is.

    >>> parse("block == add and times_used >")
    Traceback (most recent call last):
    adviz.graph.queries.query_language.QueryError: “times_used >” needs a number after it, as in times_used > 3.
      block == add and times_used >
                                   ^
    """

    def __init__(self, reason: str, query: str, at: int):
        super().__init__(f"{reason}\n  {_BLANK.sub(' ', query)}\n  {' ' * at}^")
        self.reason, self.query, self.at = reason, query, at


def parse(query: str) -> Expression:
    """Read a query; :data:`EVERY` for an empty one. Raises :class:`QueryError`.

    >>> parse("times_used > 3 or isnan")
    Combined(rule='or', parts=(Term(kind='number', name='times_used', comparison='>', operand=3.0), Term(kind='state', \
name='isnan', comparison='', operand='')))
    """
    reader = _Reader(query)
    if reader.ended():
        return EVERY
    return reader.either(0)


class _Reader:
    """A query and the place up to which it has been read."""

    def __init__(self, query: str):
        self.query, self.at = query, 0
        self.formal = _FORMAL.search(_QUOTED.sub('""', query)) is not None

    def error(self, reason: str, at: int | None = None) -> QueryError:
        return QueryError(reason, self.query, self.at if at is None else at)

    def ended(self) -> bool:
        """Skip blanks; whether nothing is left."""
        while self.at < len(self.query) and self.query[self.at].isspace():
            self.at += 1
        return self.at == len(self.query)

    def closes(self, depth: int) -> bool:
        """Return whether what is being read ends here."""
        return self.ended() or (depth > 0 and self.query[self.at] == ")")

    def operator(self) -> str:
        """Return the operator that stands here, in small letters; "" for none."""
        result = _OPERATOR.match(self.query, self.at) if self.formal and not self.ended() else None
        return result[1].lower() if result else ""

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read what matches, if it does."""
        result = pattern.match(self.query, self.at)
        self.at = result.end() if result else self.at
        return result

    # ---- operators ----

    def either(self, depth: int) -> Expression:
        parts = [self.both(depth)]
        while self.operator() == "or":
            self.at += len("or")
            parts.append(self.after("or", depth, self.both))
        return parts[0] if len(parts) == 1 else Combined("or", tuple(parts))

    def both(self, depth: int) -> Expression:
        parts = [self.negated(depth)]
        while not self.closes(depth) and self.operator() != "or":
            if self.operator() == "and":
                self.at += len("and")
                parts.append(self.after("and", depth, self.negated))
            else:
                parts.append(self.negated(depth))
        return parts[0] if len(parts) == 1 else Combined("and", tuple(parts))

    def negated(self, depth: int) -> Expression:
        times = 0
        while self.operator() == "not":
            self.at += len("not")
            if self.closes(depth):
                raise self.error("“not” needs a term after it.")
            times += 1
        expression = self.term(depth)
        return Combined("not", (expression,)) if times % 2 else expression

    def after(self, operator: str, depth: int, read: Callable[[int], Expression]) -> Expression:
        """Return what an operator needs on its right."""
        if self.closes(depth):
            raise self.error(f"“{operator}” needs a term after it.")
        return read(depth)

    # ---- terms ----

    def term(self, depth: int) -> Expression:
        if operator := self.operator():
            raise self.error(f"“{operator}” needs a term before it.")
        if self.formal and self.query[self.at] == "(":
            return self.group(depth)
        if result := self.match(_RANGE):
            return self.range(result)
        if result := self.match(_CONDITION):
            return self.condition(result, depth)
        if result := self.match(_FIELD):
            return self.field(result, depth)
        if result := self.match(_QUOTED):
            return Term("word", operand=result[1])
        word = self.word(depth)
        return Term("state", word.lower()) if word.lower() in STATES else Term("word", operand=word)

    def group(self, depth: int) -> Expression:
        start = self.at
        if depth == DEEPEST:
            raise self.error(f"More than {DEEPEST} parentheses are open here.")
        self.at += 1
        if self.closes(depth + 1):
            raise self.error("“(” needs a term after it.")
        expression = self.either(depth + 1)
        if self.ended():
            raise self.error("“(” is not closed; in quotes it is text.", start)
        self.at += 1
        return expression

    def word(self, depth: int) -> str:
        """Return the characters up to a blank, or to the parenthesis that closes a group around them."""
        start, opened = self.at, 0
        while self.at < len(self.query) and not (character := self.query[self.at]).isspace():
            if depth and character == ")" and not opened:
                break
            opened += (character == "(") - (character == ")")
            self.at += 1
        return self.query[start : self.at]

    def range(self, match: re.Match[str]) -> Term:
        name, low, high = match[1].lower(), float(match[3]), float(match[4])
        if name not in NUMBERS:
            raise self.error(
                f"There is no number “{match[1]}” with a range; there are {', '.join(NUMBERS)}.", match.start()
            )
        if high < low:
            raise self.error("A range ends with the higher number, as in line 12..20.", match.start(4))
        return Term("range", name, "..", (low, high))

    def condition(self, match: re.Match[str], depth: int) -> Term:
        name, comparison, whole = match[1].lower(), match[2], match[0].rstrip()
        if name in NUMBERS:
            return self.of_number(name, comparison, whole, match.start(2), depth)
        if name in TEXTS:
            return self.of_text(name, comparison, whole, match.start(2), depth)
        listed = f"numbers ({', '.join(NUMBERS)}) and texts ({', '.join(TEXTS)})"
        raise self.error(f"There is no “{match[1]}” to compare; there are {listed}.", match.start())

    def of_number(self, name: str, comparison: str, whole: str, place: int, depth: int) -> Term:
        if comparison not in COMPARISONS:
            raise self.error(f"“{name}” is a number: compare it with {', '.join(COMPARISONS)}.", place)
        start, bound = self.at, self.word(depth)
        if not _NUMBER.fullmatch(bound):
            raise self.error(f"“{whole}” needs a number after it, as in {name} {comparison} 3.", start)
        return Term("number", name, comparison, float(bound))

    def of_text(self, name: str, comparison: str, whole: str, place: int, depth: int) -> Term:
        if comparison not in OF_TEXTS:
            raise self.error(f"“{name}” is a text: compare it with {', '.join(OF_TEXTS)}.", place)
        if quoted := self.match(_EITHER_QUOTE):
            return Term("text", name, comparison, quoted[2])
        start, bound = self.at, self.word(depth)
        if not bound:
            raise self.error(f"“{whole}” needs a text after it.", start)
        if bound[0] in "\"'":
            raise self.error("The text that begins here has no closing quote.", start)
        return Term("text", name, comparison, bound)

    def field(self, match: re.Match[str], depth: int) -> Term:
        name, start = match[1].lower(), self.at
        if name not in FIELDS:
            raise self.error(f"There is no field “{match[1]}:”; there are {', '.join(FIELDS)}.", match.start())
        quoted = self.match(_QUOTED)
        wanted = quoted[1] if quoted else self.word(depth)
        if not wanted:
            raise self.error(f"“{name}:” needs a text after it.", start)
        if name != "line":
            return Term("text", name, "~" if name == "scope" else "==", wanted)
        if not re.fullmatch("[0-9]+", wanted):
            raise self.error("“line:” wants the number of a line, as in line:12.", start)
        return Term("number", name, "==", float(wanted))


# ---- what terms mean: each is a column of booleans over the nodes ----


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
    return COMPARISONS[term.comparison](COLUMNS_OF_NUMBERS[term.name](columns), bound)


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
    column = COLUMNS_OF_NUMBERS[term.name](columns)
    return (column >= low) & (column <= high)


def _text(columns: NodeColumns, term: Term) -> np.ndarray:
    wanted, is_part = str(term.operand), term.comparison == "~"
    if term.name == "scope":
        result = _scopes_with(columns, wanted, 0) if is_part else _scopes_called(columns, wanted)
    elif term.name == "block":
        result = _blocks(columns, *((containing(wanted), wanted.__eq__) if is_part else [pattern(wanted)] * 2))
    else:
        result = _texts(COLUMNS_OF_TEXTS[term.name](columns), containing(wanted) if is_part else pattern(wanted))
    return ~result if term.comparison == "!=" else result


def _word(columns: NodeColumns, term: Term) -> np.ndarray:
    """Match a text in a block, a scope, the source or a name; not the root scope, whose name would match all."""
    word = str(term.operand)
    result = _blocks(columns, containing(word), word.__eq__) | _scopes_with(columns, word, 1)
    return result | _texts(columns.source, containing(word)) | _texts(columns.name, containing(word))


def _texts(texts: Texts, test: Holds) -> np.ndarray:
    return np.array([*map(test, texts.table), test("")], bool)[texts.numbers]


def _blocks(columns: NodeColumns, is_name: Holds, is_symbol: Holds) -> np.ndarray:
    """Match Blocks by their name or their symbol, which is never searched for a part of it."""
    held = [is_name(block.name) or is_symbol(block.symbol) for block in columns.graph.block_table]
    return np.array(held, bool)[columns.block]


def _scopes_called(columns: NodeColumns, wanted: str) -> np.ndarray:
    """Match nodes in the scopes of a name and inside them; a comma in ``iteration 1,000`` may be left out."""
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
    "state": lambda columns, term: COLUMNS_OF_STATES[term.name](columns),
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
