"""Values that are made once, and become references where they are used several times: equal ones of :class:`Shared`.

A value is told from all others by what it is where letters are random numbers modulo a prime. Two values are then
equal as polynomials, or by an accident whose odds are the number of operations to 2·10¹⁸ (J. T. Schwartz, Fast
probabilistic algorithms for verification of polynomial identities, J. ACM 27 (1980)).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from operator import add
from random import Random
from typing import Any, NamedTuple

from ...graph.linearized.checked_parts import Vertex
from .terms import Expression, Expressions, Letter, Product, Reference, added, multiplied

PRIME = 2**61 - 1


class Residue(int):
    """A number modulo a prime.

    >>> Residue(PRIME - 1) + 2, Residue(2**60) * 4
    (1, 2)
    """

    def __add__(self, other: int) -> Residue:
        return Residue((int(self) + int(other)) % PRIME)

    def __mul__(self, other: int) -> Residue:
        return Residue(int(self) * int(other) % PRIME)


def residue_of(letter: Letter) -> Residue:
    """Return the random number of a letter, which depends on nothing but its ends.

    >>> residue_of(Letter(1, 2)) == residue_of(Letter(1, 2)) != residue_of(Letter(2, 1))
    True
    """
    return Residue(Random(f"{letter.head!r},{letter.tail!r}").randrange(PRIME))


class Value(NamedTuple):
    """What identifies a value: its ends, and what it is where letters are random."""

    head: Vertex
    tail: Vertex
    residue: Residue


class Shared:
    """Values, each made in one way: the first that was found.

    >>> shared = Shared()
    >>> a, b, c = map(shared.letter, [Letter(1, 2), Letter(2, 3), Letter(2, 3)])
    >>> shared.product(a, b) == shared.product(a, c)
    True
    """

    def __init__(self) -> None:
        self.made: dict[Value, Letter | tuple[str, tuple[Value, ...]]] = {}

    def letter(self, letter: Letter) -> Value:
        """Return the value of a letter."""
        return self._kept(Value(letter.head, letter.tail, residue_of(letter)), letter)

    def product(self, left: Value, right: Value) -> Value:
        """Return a product, from the output to the input."""
        return self._kept(Value(left.head, right.tail, left.residue * right.residue), ("product", (left, right)))

    def sum(self, terms: Iterable[Value]) -> Value:
        """Return a sum; a factor that products among its terms have in common, on one side, is taken out."""
        flat = [inner for each in terms for inner in self._terms(each)]
        for side in (0, 1):
            flat = self._common(flat, side)
        if len(flat) == 1:
            return flat[0]
        total = reduce(add, (each.residue for each in flat))
        return self._kept(Value(flat[0].head, flat[0].tail, total), ("sum", tuple(flat)))

    def _terms(self, value: Value) -> tuple[Value, ...]:
        kind = self.made[value]
        return kind[1] if isinstance(kind, tuple) and kind[0] == "sum" else (value,)

    def _common(self, terms: list[Value], side: int) -> list[Value]:
        """Take out a factor that several products have on the left (side 0) or on the right (1)."""
        groups: dict[Value, list[Value]] = {}
        for each in terms:
            kind = self.made[each]
            groups.setdefault(kind[1][side] if isinstance(kind, tuple) and kind[0] == "product" else each, []).append(
                each
            )
        result = []
        for factor, group in groups.items():
            if len(group) == 1:
                result += group
            else:
                rest = self.sum(self.made[each][1][1 - side] for each in group)  # type: ignore[index]
                result.append(self.product(factor, rest) if side == 0 else self.product(rest, factor))
        return result

    def _kept(self, value: Value, made: Letter | tuple[str, tuple[Value, ...]]) -> Value:
        self.made.setdefault(value, made)
        return value

    def expressions(self, entries: Mapping[tuple[Vertex, Vertex], Value]) -> Expressions:
        """Return entries as expressions: what is used several times is a reference."""
        parts: dict[Value, Part] = {}
        for value in self._needed(entries.values()):
            made = self.made[value]
            parts[value] = (
                Part("leaf", (made,)) if isinstance(made, Letter) else Part(made[0], tuple(map(parts.get, made[1])))
            )
        return written_parts({entry: [parts[value]] for entry, value in entries.items()}, parts.values(), multiplied)

    def multiplications(self, values: Iterable[Value]) -> int:
        """Return how many products some values take together."""
        return sum(isinstance(made := self.made[each], tuple) and made[0] == "product" for each in self._needed(values))

    def _needed(self, values: Iterable[Value]) -> Iterator[Value]:
        """Yield what some values are made of, each once, inner ones first."""
        seen: set[Value] = set()
        waiting = [(value, False) for value in reversed(list(values))]
        while waiting:
            value, is_ready = waiting.pop()
            if is_ready:
                yield value
            elif value not in seen:
                seen.add(value)
                made = self.made[value]
                waiting.append((value, True))
                waiting += [(each, False) for each in reversed(() if isinstance(made, Letter) else made[1])]


class Part:
    """A product or a sum of parts, or a leaf, which is an expression, and how often it is used."""

    def __init__(self, kind: str, of: tuple[Any, ...]):
        self.kind, self.of, self.uses = kind, of, 0
        for each in of if kind != "leaf" else ():
            each.uses += 1


def _in_order(left: Expression, right: Expression) -> Product:
    """Return a product as it is made: from the left, so that no brackets are needed there."""
    return Product((*left.factors, right) if isinstance(left, Product) else (left, right))


def written_parts(
    entries: Mapping[tuple[Vertex, Vertex], list[Part]],
    order: Iterable[Part],
    multiply: Callable[..., Expression] = _in_order,
) -> Expressions:
    """Return entries, each a sum of parts, with a reference for what is used several times.

    ``order`` has all parts, each after those that it is made of. Brackets say in what order factors are multiplied,
    unless ``multiply`` leaves them out.

    >>> a, b = Part("leaf", (Letter(1, 2),)), Part("leaf", (Letter(2, 3),))
    >>> product = Part("product", (a, b))
    >>> print(written_parts({(1, 3): [product, product]}, [a, b, product]))
    X1 = e12 e23
    e13 = X1 + X1
    """
    for terms in entries.values():
        for part in terms:
            part.uses += 1
    known: dict[Part, Expression] = {}
    references: dict[str, Expression] = {}
    for part in order:
        if not part.uses:
            continue
        if part.kind == "leaf":
            whole = part.of[0]
        else:
            whole = (multiply if part.kind == "product" else added)(*(known[each] for each in part.of))
        if part.uses > 1 and not isinstance(whole, Letter):
            name = f"X{len(references) + 1}"
            references[name] = whole
            whole = Reference(name, whole.head, whole.tail)
        known[part] = whole
    return Expressions({entry: added(*(known[each] for each in terms)) for entry, terms in entries.items()}, references)
