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

import re
from collections.abc import Callable
from typing import NamedTuple

from ..errors import AdvizError

NUMBERS = ("bytes", "cost", "depth", "line", "node", "operations", "times_used", "value")
TEXTS = ("block", "dtype", "file", "function", "name", "scope", "shape")
FIELDS = (*TEXTS, "line")
STATES = ("dead", "input", "isinf", "isnan", "live", "output")
OF_NUMBERS = ("<", "<=", "=", "==", "!=", ">=", ">")
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

    def range(self, found: re.Match[str]) -> Term:
        name, low, high = found[1].lower(), float(found[3]), float(found[4])
        if name not in NUMBERS:
            raise self.error(
                f"There is no number “{found[1]}” with a range; there are {', '.join(NUMBERS)}.", found.start()
            )
        if high < low:
            raise self.error("A range ends with the higher number, as in line 12..20.", found.start(4))
        return Term("range", name, "..", (low, high))

    def condition(self, found: re.Match[str], depth: int) -> Term:
        name, comparison, whole = found[1].lower(), found[2], found[0].rstrip()
        if name in NUMBERS:
            return self.of_number(name, comparison, whole, found.start(2), depth)
        if name in TEXTS:
            return self.of_text(name, comparison, whole, found.start(2), depth)
        listed = f"numbers ({', '.join(NUMBERS)}) and texts ({', '.join(TEXTS)})"
        raise self.error(f"There is no “{found[1]}” to compare; there are {listed}.", found.start())

    def of_number(self, name: str, comparison: str, whole: str, place: int, depth: int) -> Term:
        if comparison not in OF_NUMBERS:
            raise self.error(f"“{name}” is a number: compare it with {', '.join(OF_NUMBERS)}.", place)
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

    def field(self, found: re.Match[str], depth: int) -> Term:
        name, start = found[1].lower(), self.at
        if name not in FIELDS:
            raise self.error(f"There is no field “{found[1]}:”; there are {', '.join(FIELDS)}.", found.start())
        quoted = self.match(_QUOTED)
        wanted = quoted[1] if quoted else self.word(depth)
        if not wanted:
            raise self.error(f"“{name}:” needs a text after it.", start)
        if name != "line":
            return Term("text", name, "~" if name == "scope" else "==", wanted)
        if not re.fullmatch("[0-9]+", wanted):
            raise self.error("“line:” wants the number of a line, as in line:12.", start)
        return Term("number", name, "==", float(wanted))
