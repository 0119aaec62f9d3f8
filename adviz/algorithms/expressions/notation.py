"""The notation of the paper, read: ``e17 = e12(e24 X + e25 e57)``.

A letter is ``e`` with two digits, or with the names of its ends in brackets: ``e12``, ``e[10,3]``, ``e[y,x]``, head
first; a name with a comma or a bracket in it stands in quotes, as in JSON: ``e["f[0]",x]``. Names of references are
other words. A line defines an entry (a letter) or a reference; a reference is defined before it is used. Factors stand
side by side; ``·`` and ``*`` may stand between them. Brackets around a product stay: ``(e12 e24) e45`` says which
factors are multiplied first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple, NoReturn

from ...graph.linearized.checked_parts import Vertex
from .terms import (
    Expression,
    ExpressionError,
    Expressions,
    Letter,
    Product,
    Reference,
    added,
)

END = r'(?:\s*"(?:[^"\\]|\\.)*"\s*|[^\[\],"]+)'
TOKEN = re.compile(rf"\s*(?:(?P<letter>e\d\d(?!\d)|e\[{END},{END}\])|(?P<name>[^\W\d]\w*)|(?P<sign>[()+·*]))")
LONGEST = 100_000  # characters of a text
DEEPEST = 200  # brackets in each other


class Token(NamedTuple):
    """A piece of a line: its kind (``letter``, ``name``, ``sign`` or ``end``), its text, and where it begins."""

    kind: str
    text: str
    place: int


def parsed(text: str) -> Expressions:
    """Return the set of expressions that a text defines, one in each line.

    Raises :class:`ExpressionError` that shows the place: for what cannot be read, factors that do not meet, terms
    between different vertices, names that are not defined, and lines that define the same.

    >>> found = parsed("X = e45 e57 + e46 e67\\ne17 = e14 X")
    >>> print(found)
    X = e45 e57 + e46 e67
    e17 = e14 X
    >>> parsed("e17 = e14 e56")
    Traceback (most recent call last):
    adviz.algorithms.expressions.terms.ExpressionError: e14 and e56 cannot be multiplied: e14 leads from 4 to 1, and \
e56 from 6 to 5. A factor begins where that to its right ends.
      e17 = e14 e56
            ^
    """
    if not isinstance(text, str):
        raise TypeError(f"Expected a text such as 'e17 = e12 e27', not a {type(text).__name__}.")
    if len(text) > LONGEST:
        raise ExpressionError(f"The text has {len(text):,} characters, more than {LONGEST:,}.")
    entries: dict[tuple[Vertex, Vertex], Expression] = {}
    references: dict[str, Expression] = {}
    for line in filter(str.strip, text.splitlines()):
        name, equals, _ = line.partition("=")
        if not equals:
            _fail(line, 0, "This line has no '=': write e17 = e12 e27, or X = e12 e27.")
        word = name.strip()
        reader = _Line(line, len(name) + 1, references)
        expression = reader.whole()
        match = TOKEN.fullmatch(word)
        if match and match["letter"]:
            letter = _letter(word)
            if (letter.head, letter.tail) in entries:
                _fail(line, line.index(word), f"{word} is defined twice.")
            if (expression.head, expression.tail) != (letter.head, letter.tail):
                _fail(
                    line,
                    len(name) + 1,
                    f"{word} does not close: what is behind '=' leads from {expression.tail!r} to {expression.head!r}.",
                )
            entries[letter.head, letter.tail] = expression
        elif match and match["name"]:
            if word in references:
                _fail(line, line.index(word), f"{word} is defined twice.")
            references[word] = expression
        else:
            _fail(line, 0, "Before '=' stands an entry such as e17, or the name of a reference such as X.")
    if not entries:
        raise ExpressionError("There is no entry. A line such as e17 = e12 e27 defines one: the Jacobian of 1 by 7.")
    return Expressions(entries, references)


def _fail(line: str, place: int, reason: str) -> NoReturn:
    raise ExpressionError(f"{reason}\n  {line}\n  {' ' * place}^") from None


def _letter(word: str) -> Letter:
    ends = re.findall(END, word[2:-1]) if word[1] == "[" else list(word[1:])
    head, tail = (_vertex(end.strip()) for end in ends)
    return Letter(head, tail)


def _vertex(end: str) -> Vertex:
    if end.startswith('"'):
        try:
            return str(json.loads(end))
        except ValueError:
            raise ExpressionError(f"{end} is no name: inside quotes a backslash is written twice.") from None
    return int(end) if re.fullmatch(r"-?\d+", end) else end


def _product(*factors: Expression) -> Expression:
    """Return a product whose inner brackets stay: they say which factors are multiplied first."""
    return Product(factors) if len(factors) > 1 else factors[0]


class _Line:
    """A line that is read from left to right."""

    def __init__(self, line: str, start: int, references: dict[str, Expression]):
        self.line, self.references, self.depth = line, references, 0
        self.tokens, place = list[Token](), start
        while line[place:].strip():
            match = TOKEN.match(line, place)
            if not match or not match.lastgroup:
                at = place + len(line[place:]) - len(line[place:].lstrip())
                _fail(line, at, f"{line[at]!r} cannot be read: write letters such as e12, names, brackets and '+'.")
            self.tokens.append(Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)))
            place = match.end()
        self.tokens.append(Token("end", "", len(line)))
        self.at = 0

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def whole(self) -> Expression:
        """Return the expression that the rest of the line is."""
        expression = self.sum()
        if self.next.kind != "end":
            _fail(self.line, self.next.place, f"{self.next.text!r} closes nothing.")
        return expression

    def sum(self) -> Expression:
        """Return a sum of products, or one product."""
        place, terms = self.next.place, [self.product()]
        while self.next.text == "+":
            self.at += 1
            terms.append(self.product())
        return self._made(added, terms, place)

    def product(self) -> Expression:
        """Return a product of factors, or one factor."""
        place, factors = self.next.place, [self.factor()]
        while self.next.kind in ("letter", "name") or self.next.text in ("(", "·", "*"):
            self.at += self.next.text in ("·", "*")
            factors.append(self.factor())
        return self._made(_product, factors, place)

    def factor(self) -> Expression:
        """Return a letter, a reference or what is in brackets."""
        kind, text, place = self.next
        self.at += 1
        if kind == "letter":
            return self._made(_letter, [text], place)
        if kind == "name":
            if text not in self.references:
                _fail(self.line, place, f"{text} is not defined before it: write a line {text} = … above this one.")
            known = self.references[text]
            return Reference(text, known.head, known.tail)
        if text != "(":
            _fail(self.line, place, "Here a letter such as e12, a name or a bracket is missing.")
        self.depth += 1
        if self.depth > DEEPEST:
            _fail(self.line, place, f"More than {DEEPEST} brackets are open here.")
        inside = self.sum()
        if self.next.text != ")":
            _fail(self.line, place, "This bracket is not closed.")
        self.at, self.depth = self.at + 1, self.depth - 1
        return inside

    def _made(self, make: Callable[..., Expression], parts: Iterable[object], place: int) -> Expression:
        try:
            return make(*parts)
        except ExpressionError as error:
            _fail(self.line, place, str(error))
