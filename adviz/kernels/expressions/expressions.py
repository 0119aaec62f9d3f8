"""Expressions: what a program computes, each different one once.

An expression is an integer, its place in :class:`Expressions`; minus that integer is the expression negated, so that
signs move to where they cost nothing. Equal operations on equal operands are one expression (hash-consing; E. Goto,
Monocopy and associative algorithms in an extended Lisp, 1974), constants are folded, and operations that change
nothing are left out: x + 0, 1 x, x / 1. A :class:`Symbol` is an expression that the rules of Blocks can compute with.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from copy import copy
from functools import cache
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from ...engine.blocks import BLOCK_OF, Numeric
from ...engine.rules.selection import CHOICE, CONDITIONS
from ...engine.trace_errors import MissingBlockError
from ..program_errors import ProgramError


class Operation(NamedTuple):
    """An operation of a program; see :class:`~adviz.engine.blocks.Numeric`."""

    name: str
    numpy: Any
    scalar: Callable[..., Any]
    numeric: Numeric = Numeric(10.0)
    is_condition: bool = False


BLOCKS = {**BLOCK_OF, **CONDITIONS, np.where: CHOICE}
OPERATIONS: dict[str, Operation] = {
    block.name: Operation(block.name, ufunc, block.scalar_fn, block.numeric, block.family == "condition")
    for ufunc, block in BLOCKS.items()
    if block.numeric is not None
}
"""By NumPy's names; functions of SciPy are added when a program first uses them."""


def know(names: Iterable[str]) -> None:
    """Add SciPy's functions of these names to the table; another process may have found them."""
    for name in names:
        if name not in OPERATIONS:
            from scipy.special import _ufuncs

            operation_of(getattr(_ufuncs, name))


def operation_of(ufunc: np.ufunc) -> Operation:
    """Find the operation of a ufunc of NumPy or SciPy. Raises :class:`~adviz.ProgramError` for any other function.

    >>> operation_of(np.sin).numeric.parity
    -1
    """
    name = ufunc.__name__
    known = OPERATIONS.get(name)
    if known is not None and known.numpy is ufunc:
        return known
    from scipy.special import _ufuncs  # has those that scipy.special exports, and those that it calls itself

    if getattr(_ufuncs, name, None) is not ufunc:
        raise ProgramError(f"A program has no operation for {name}, which is a ufunc of neither NumPy nor SciPy.")
    if known is not None:  # SciPy's log1p is NumPy's
        return known
    numeric = (BLOCK_OF[ufunc].numeric if ufunc in BLOCK_OF else None) or Numeric(10.0)
    scalar = numeric.scalar or (lambda *operands: ufunc(*operands).item())
    return OPERATIONS.setdefault(name, Operation(name, ufunc, scalar, numeric))


@cache
def partner(name: str) -> str | None:
    """Return the operation that is computed together with another one of the same operand.

    >>> partner("sin"), partner("tan")
    ('cos', None)
    """
    pair = OPERATIONS[name].numeric.pair
    pairs = {each.numeric.pair: other for other, each in OPERATIONS.items()}
    return pairs.get((pair[0], 1 - pair[1])) if pair is not None else None


INPUT, CONSTANT = "input", "constant"


class Expressions:
    """The columns ``operations`` (names) and ``operands`` (tuples of places; the value of a constant).

    Places count from 1. The operands of an operation come before it.

    >>> known = Expressions()
    >>> x, y = known.input(), known.input()
    >>> known.subtract(x, y), known.subtract(y, x), known.multiply(x, -y) == known.multiply(-y, x)
    (5, -5, True)
    """

    def __init__(self) -> None:
        self.operations: list[str] = [""]
        self.operands: list[tuple[Any, ...]] = [()]
        self._known: dict[tuple[str, tuple[Any, ...]], int] = {}
        self._switches: set[int] = set()  # choices between 1 and 0
        self.zero, self.one = self.constant(0.0), self.constant(1.0)

    def __len__(self) -> int:
        return len(self.operations)

    def copy(self) -> Expressions:
        """Return a copy that expressions can be added to independently."""
        other = copy(self)
        other.operations, other.operands = self.operations.copy(), self.operands.copy()
        other._known, other._switches = self._known.copy(), self._switches.copy()
        return other

    # ---- leaves ----

    def input(self) -> int:
        """Return a new input."""
        self.operations.append(INPUT)
        self.operands.append(())
        return len(self.operations) - 1

    def constant(self, value: float) -> int:
        """Return a constant of the program."""
        if math.copysign(1.0, value) < 0:
            return -self.constant(-value)
        return self._intern(CONSTANT, ("NaN",) if value != value else (float(value),))

    def value(self, place: int) -> float | None:
        """Return the value of a constant; ``None`` for any other expression."""
        if self.operations[abs(place)] != CONSTANT:
            return None
        value = float(self.operands[abs(place)][0])
        return value if place > 0 else -value

    def is_condition(self, place: int) -> bool:
        """Return whether an expression is true or false rather than a number."""
        known = OPERATIONS.get(self.operations[abs(place)])
        return known is not None and known.is_condition

    def _intern(self, operation: str, operands: tuple[Any, ...]) -> int:
        key = (operation, operands)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = len(self.operations)
            self.operations.append(operation)
            self.operands.append(operands)
        return known

    def _made(self, operation: str, a: int, b: int) -> int:
        """Return an operation on two expressions without signs: folded if they are constants."""
        key = operation, (a, b)
        known = self._known.get(key)
        if known is None:
            operations = self.operations
            if operations[a] == operations[b] == CONSTANT:
                return self._fold(operation, (a, b))
            known = self._known[key] = len(operations)
            operations.append(operation)
            self.operands.append(key[1])
        return known

    # ---- arithmetic ----

    def add(self, a: int, b: int) -> int:
        """a + b."""
        if a < 0:
            return -self.add(-a, -b) if b < 0 else self._difference(b, -a)
        if b < 0:
            return self._difference(a, -b)
        if a > b:
            a, b = b, a
        if a == self.zero:
            return b
        return self._made("add", a, b) if a != b else self.multiply(self.constant(2.0), a)

    def subtract(self, a: int, b: int) -> int:
        """a - b."""
        return self.add(a, -b)

    def _difference(self, a: int, b: int) -> int:
        """a - b of expressions without signs; if b - a is already known, the negative of that."""
        if b == self.zero:
            return a
        if a == self.zero:
            return -b
        known = self._known.get(("subtract", (b, a)))
        return -known if known and a != b else self._made("subtract", a, b)

    def multiply(self, a: int, b: int) -> int:
        """a b."""
        sign = 1
        if a < 0:
            a, sign = -a, -sign
        if b < 0:
            b, sign = -b, -sign
        if a > b:
            a, b = b, a
        if a == self.one:  # zero and one are the first of all
            return sign * b
        return sign * (a if b == self.one else self._made("multiply", a, b))

    def product(self, a: int, b: int) -> int:
        """a b of partials: 0 times anything is 0, and an operand that is not chosen adds 0, even if it is infinite."""
        low, high = abs(a), abs(b)
        if low > high:
            low, high = high, low
        if low == self.zero:  # which is the first of all
            return low
        if self._switches and not self._switches.isdisjoint((low, high)):
            switch, factor = (low, high) if low in self._switches else (high, low)
            condition, *chosen = self.operands[switch]
            result = self.where(condition, *(factor if each == self.one else each for each in chosen))
            return result if (a < 0) == (b < 0) else -result
        return self.multiply(a, b)

    def divide(self, a: int, b: int) -> int:
        """a / b."""
        sign = 1 if (a < 0) == (b < 0) else -1
        a, b = abs(a), abs(b)
        if b == self.one:
            return sign * a
        return sign * self._made("divide", a, b)

    def power(self, base: int, exponent: int) -> int:
        """base^exponent; as a square, root or reciprocal where NumPy computes it that way."""
        value = self.value(exponent)
        if value in POWERS:
            return POWERS[value](self, base)
        return self._interned("power", base, exponent)

    def power_by_products(self, base: int, exponent: int) -> int:
        """base^exponent, with small integer exponents as products: faster, and the last digit may differ."""
        value = self.value(exponent)
        square = self.multiply(base, base)
        if value == 3.0:
            return self.multiply(square, base)
        if value == 4.0:
            return self.multiply(square, square)
        return self.divide(self.one, square) if value == -2.0 else self.power(base, exponent)

    # ---- choices ----

    def where(self, condition: int, a: int, b: int) -> int:
        """a where the condition holds, b elsewhere."""
        known = self.value(condition)
        if known is not None:
            return a if known else b
        if a == b:
            return a
        if a < 0 and b < 0:
            return -self.where(condition, -a, -b)
        place = self._intern("where", (self.condition(condition), self.plain(a), self.plain(b)))
        if {a, b} == {self.zero, self.one}:
            self._switches.add(place)
        return place

    def condition(self, place: int) -> int:
        """Return a number as the condition that it is not 0; conditions as they are."""
        return place if self.is_condition(place) else self.apply(np.not_equal, [place, self.zero])

    def number(self, place: int) -> int:
        """Return a condition as the number 1 or 0; numbers as they are."""
        return self.where(place, self.one, self.zero) if self.is_condition(place) else place

    # ---- any operation ----

    def plain(self, place: int) -> int:
        """Return an expression without a sign: negated by an operation, or another constant."""
        if place < 0 and (value := self.value(place)):  # minus zero cannot be told from zero here
            return self._intern(CONSTANT, (value,)) if value == value else -place
        return place if place > 0 else self._intern("negative", (-place,))

    def apply(self, ufunc: np.ufunc, operands: list[int]) -> int:
        """Apply a ufunc of NumPy or SciPy. Raises :class:`~adviz.ProgramError` for any other function."""
        block, name = BLOCK_OF.get(ufunc), ufunc.__name__
        if block is not None and block.simpler is not None:
            return block.simpler(self, *map(self.number, operands))
        operation = operation_of(ufunc)
        operands = [self.condition(each) if operation.numeric.is_connective else self.number(each) for each in operands]
        if operation.numeric.parity and operands[0] < 0:
            return operation.numeric.parity * self._interned(name, -operands[0])
        return self._interned(name, *operands)

    def symmetric(self, ufunc: np.ufunc, *operands: int) -> int:
        """Apply a ufunc whose operands may change their places and their signs."""
        return self._interned(ufunc.__name__, *sorted(map(abs, operands)))

    def _interned(self, name: str, *operands: int) -> int:
        if all(self.operations[abs(operand)] == CONSTANT for operand in operands):
            return self._fold(name, operands)
        return self._intern(name, tuple(map(self.plain, operands)))

    def _fold(self, name: str, operands: tuple[int, ...]) -> int:
        """Return the constant that an operation on constants gives."""
        with np.errstate(all="ignore"):
            return self.constant(float(OPERATIONS[name].numpy(*map(self.value, operands))))


POWERS: dict[float | None, Callable[[Expressions, int], int]] = {
    0.0: lambda known, x: known.one,
    1.0: lambda known, x: x,
    2.0: lambda known, x: known.multiply(x, x),
    0.5: lambda known, x: known.apply(np.sqrt, [x]),
    -1.0: lambda known, x: known.divide(known.one, x),
}
"""Powers that are written without ``power``."""


class Symbol(NDArrayOperatorsMixin):
    """An expression that the rules of Blocks can compute with: operators, ufuncs and ``np.where`` make expressions.

    Division by a variable is multiplication by its reciprocal, which all partials of a quotient share.
    """

    __slots__ = ("known", "place")

    def __init__(self, known: Expressions, place: int):
        self.known, self.place = known, place

    @property
    def data(self) -> Symbol:
        """Itself: the rules of users' Blocks ask for the ``data`` of an operand."""
        return self

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *operands: Symbol | float, **settings: Any) -> Any:
        if method != "__call__" or any(type(out) is not Symbol for out in settings.pop("out", ())) or settings:
            return NotImplemented  # an ``out`` that is a Symbol comes from an operator such as -=
        known, places = self.known, [place_of(self.known, operand) for operand in operands]
        if ufunc is np.divide and known.value(places[0]) is None:
            return Symbol(known, known.product(places[0], known.divide(known.one, places[1])))
        if ufunc is np.power:
            return Symbol(known, known.power_by_products(*places))
        return Symbol(known, known.apply(ufunc, places))

    def __array_function__(self, function: Any, types: Any, args: Any, settings: Any) -> Any:
        if function not in FUNCTIONS or settings:
            raise MissingBlockError(f"A rule uses np.{function.__name__}, which a program has no operation for.")
        return FUNCTIONS[function](self.known, *args)

    def __bool__(self) -> bool:
        raise MissingBlockError("A rule decides by a value. Use np.where, so that it holds at every point.")

    def __add__(self, other: Symbol | float) -> Symbol:
        return Symbol(self.known, self.known.add(*self._numbers(other)))

    def __mul__(self, other: Symbol | float) -> Symbol:
        return Symbol(self.known, self.known.product(*self._numbers(other)))

    def _numbers(self, other: Symbol | float) -> tuple[int, int]:
        return self.known.number(self.place), self.known.number(place_of(self.known, other))

    __radd__ = __iadd__ = __add__
    __rmul__ = __imul__ = __mul__
    __eq__, __hash__ = object.__eq__, object.__hash__


Real.register(Symbol)  # for eliminations it labels an edge between vertices of one entry


def _where(known: Expressions, condition: Symbol | float, *choices: Symbol | float) -> Symbol:
    places = (known.number(place_of(known, choice)) for choice in choices)
    return Symbol(known, known.where(place_of(known, condition), *places))


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: _where,
    np.clip: lambda known, x, low, high: np.minimum(np.maximum(x, low), high),
    np.copy: lambda known, x: x,
}
"""Functions in rules that are not ufuncs."""


def place_of(known: Expressions, operand: Symbol | float) -> int:
    """Return the expression that a Symbol or a plain number stands for."""
    return operand.place if isinstance(operand, Symbol) else known.constant(float(operand))
