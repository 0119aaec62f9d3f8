"""Numbers of formulas as the rules of the Blocks have them: ``"-{a} / {b}²"`` at given values of its slots.

Only what is written there is read: numbers, slots, ``π``, ``e``, operators, powers, brackets, conditions, and a few
functions by name. A formula with anything else has no number. Nothing is executed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

import numpy as np

from ...engine.blocks import BLOCK_OF

TOKEN = re.compile(r"\s*(\{\w+\}|\d+(?:\.\d+)?|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|[A-Za-z_]\w*|[-−+·*/^()\[\]|⌊⌋√π<>=≤≥])")
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
FUNCTIONS: dict[str, Callable[[float], float]] = {
    **{block.name: ufunc for ufunc, block in BLOCK_OF.items() if len(block.partials) == 1},
    "ln": np.log,
    "√": np.sqrt,
}
"""Elementwise functions by their names, and as they are written."""
CONSTANTS = {"π": math.pi, "e": math.e}
COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "=": lambda a, b: a == b,
    "≤": lambda a, b: a <= b,
    "≥": lambda a, b: a >= b,
}


class _UnreadError(ValueError):
    """A formula with something that is not read here."""


def evaluate(formula: str, values: Mapping[str, float]) -> float | None:
    """Return the number of a formula at values of its slots; ``None`` if it has something that is not read here.

    >>> evaluate("-{a} / {b}²", {"a": 6.0, "b": 2.0}), evaluate("2 · cos {a}", {"a": 0.0}), evaluate("J ·", {})
    (-1.5, 2.0, None)
    """
    try:
        with np.errstate(all="ignore"):
            reader = _Reader(formula, values)
            result = reader.sum()
            return float(result) if reader.is_done else None
    except (_UnreadError, ZeroDivisionError, OverflowError):
        return None


class _Reader:
    """Reads a formula from left to right, the loosest operators first."""

    def __init__(self, formula: str, values: Mapping[str, float]):
        self.values, self.tokens = values, _tokens(formula)
        self.place = 0

    @property
    def is_done(self) -> bool:
        return self.place == len(self.tokens)

    def _is_next(self, *tokens: str) -> bool:
        return not self.is_done and self.tokens[self.place] in tokens

    def _take(self) -> str:
        if self.is_done:
            raise _UnreadError("the formula ends too early")
        self.place += 1
        return self.tokens[self.place - 1]

    def _expect(self, token: str) -> None:
        if self._take() != token:
            raise _UnreadError(f"{token} is missing")

    def sum(self) -> np.float64:
        result = self._product()
        while self._is_next("+", "-", "−"):
            result = result + self._product() if self._take() == "+" else result - self._product()
        return result

    def _product(self) -> np.float64:
        result = self._signed()
        while self._is_next("·", "*", "/"):
            result = result / self._signed() if self._take() == "/" else result * self._signed()
        return result

    def _signed(self) -> np.float64:
        if self._is_next("-", "−"):
            self._take()
            return -self._signed()
        return self._power()

    def _power(self) -> np.float64:
        base = self._atom()
        while not self.is_done:
            token = self.tokens[self.place]
            if token[0] in "⁻⁰¹²³⁴⁵⁶⁷⁸⁹":
                base = base ** float(self._take().translate(RAISED))
            elif token == "^":
                self._take()
                base = base ** self._signed()
            else:
                break
        return base

    def _atom(self) -> np.float64:
        token = self._take()
        if token == "(":
            return self._closed(self.sum(), ")")
        if token == "|":
            return abs(self._closed(self.sum(), "|"))
        if token == "⌊":
            return np.floor(self._closed(self.sum(), "⌋"))
        if token == "[":
            return np.float64(self._closed(self._condition(), "]"))
        if token in FUNCTIONS:
            return np.float64(FUNCTIONS[token](self._power() if not self._is_next("(") else self._atom()))
        if token in CONSTANTS:
            return np.float64(CONSTANTS[token])
        if token.startswith("{") and token[1:-1] in self.values:
            return np.float64(self.values[token[1:-1]])
        if token[0].isdigit():
            return np.float64(token)
        raise _UnreadError(f"{token} is not known")

    def _closed(self, found: np.float64, bracket: str) -> np.float64:
        self._expect(bracket)
        return found

    def _condition(self) -> np.float64:
        if self._is_next("not"):
            self._take()
            return np.float64(not self.sum())
        left = self.sum()
        if not self._is_next(*COMPARISONS):
            return np.float64(bool(left))
        return np.float64(COMPARISONS[self._take()](left, self.sum()))


def _tokens(formula: str) -> list[str]:
    result, place, text = [], 0, formula.rstrip()
    while place < len(text):
        token = TOKEN.match(text, place)
        if not token:
            raise _UnreadError(f"{text[place]} is not known")
        result.append(token[1])
        place = token.end()
    return result
