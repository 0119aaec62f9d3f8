"""A last pass over terms: products of several matrices and vectors of a derivative, in the order that costs least.

What the user has written is multiplied as it is written, and its products are there for the derivative to use. So is
every product that something else than a product needs. The least cost of each chain, by dynamic programming, is
compared with that of the products as they are which nothing else needs any more; of both, the cheaper one is taken.

Source: Godbole, On efficient computation of matrix chain products, IEEE Transactions on Computers C-22 (1973); Cormen,
Leiserson, Rivest and Stein, Introduction to Algorithms (4th ed., 2022), section 14.2.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ...engine.rules.matrix_products import MATMUL
from ...engine.rules.reshaping import RESHAPE, TRANSPOSE
from .arithmetic_rules import scale, scaled
from .array_terms import DIVIDE, MULTIPLY, NEGATIVE, Term, Terms, in_order, work

NAME, LAW = "products", "(a @ b) @ c = a @ (b @ c), in the order that costs least"
MOST = 12
"""Factors of a chain; what would be more is taken as it is."""
FORMS = MATMUL, MULTIPLY, DIVIDE, NEGATIVE, TRANSPOSE, RESHAPE
"""What chains are seen through."""
LEAST = 0.25
"""The share of its operations that another order has to save: a derivative is easier to read in its own order."""


class Factor(NamedTuple):
    """A matrix, or a vector as a column, times a number, over a number; ``is_turned`` says whether it is transposed."""

    base: Term
    is_turned: bool = False
    above: float = 1.0
    below: float = 1.0

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.base.shape if len(self.base.shape) == 2 else (self.base.size, 1)
        return (columns, rows) if self.is_turned else (rows, columns)

    @property
    def turned(self) -> Factor:
        """Its transpose."""
        return self._replace(is_turned=not self.is_turned)


Factors = tuple[Factor, ...]


def turned(factors: Sequence[Factor]) -> Factors:
    """Return the factors of the transpose of a product."""
    return tuple(factor.turned for factor in reversed(factors))


class Chain(NamedTuple):
    """A product of factors, times the number ``above`` over ``below``."""

    factors: Factors
    above: float = 1.0
    below: float = 1.0


def chain_of(term: Term) -> Chain:
    """Return a term as a product of factors, which are no products but vectors: chains are cheapest divided there."""
    done: list[Factor] = []
    pending, above, below = [Factor(term)], 1.0, 1.0
    while pending:
        factor = pending.pop()
        expanded = _expanded(factor.base)
        is_vector = len(factor.base.shape) == 1 and factor.base is not term
        if expanded is None or is_vector or len(done) + len(pending) + len(expanded.factors) > MOST:
            done.append(factor)
            continue
        above, below = above * expanded.above, below * expanded.below
        pending += reversed(turned(expanded.factors) if factor.is_turned else expanded.factors)
    return Chain(tuple(done), above, below)


def _expanded(term: Term) -> Chain | None:
    """Return a term as factors, if it is a product, or another term in another form or times a number."""
    if not term.is_of(*FORMS) or term.dtype is None or term.dtype.kind != "f" or len(term.shape) not in (1, 2):
        return None
    base, above, below = scale(term.operands[0] if term.is_of(NEGATIVE) else term)
    if base is not term:
        above = -above if term.is_of(NEGATIVE) else above
        return Chain((Factor(base),), above, below) if base.shape == term.shape and _factors(base) else None
    result = _factors(term)
    return Chain(result) if result and all(factor.base.dtype == term.dtype for factor in result) else None


def _factors(term: Term) -> Factors | None:
    if not term.operands:
        return None
    a, b = (*term.operands, term)[:2]
    if term.is_of(MATMUL) and len(a.shape) <= 2 and len(b.shape) <= 2:
        return (Factor(a), Factor(b)) if len(a.shape) == 2 else (Factor(b, True), Factor(a))
    if term.is_of(TRANSPOSE) and len(term.shape) == 2 and b.value in (None, (1, 0)):
        return (Factor(a, True),)
    if term.is_of(RESHAPE) and len(a.shape) + len(term.shape) == 3:
        matrix = term.shape if len(term.shape) == 2 else a.shape
        return (Factor(a, matrix[0] == 1 and matrix[1] != 1),) if 1 in matrix else None
    if term.is_of(MULTIPLY) and len(term.shape) == 2:
        for column, row in ((a, b), (b, a)):
            if column.shape == (term.shape[0], 1) and row.shape in (term.shape[1:], (1, term.shape[1])):
                return Factor(column), Factor(row, len(row.shape) == 1)
    return None


def is_product(term: Term) -> bool:
    """Return whether a term is the product of two factors."""
    result = _expanded(term)
    return result is not None and len(result.factors) == 2


class Plan(NamedTuple):
    """How a product is multiplied: its factors, what it costs, and its two parts, if it is not there already."""

    factors: Factors
    cost: int
    parts: tuple[Plan, Plan] | None = None

    def made(self) -> Iterator[Plan]:
        """Yield the products that are to be made, parts first."""
        for part in self.parts or ():
            yield from part.made()
        if self.parts:
            yield self


def planned(factors: Factors, there: Mapping[Factors, object]) -> Plan:
    """Return the cheapest order of a chain, where some products are ``there`` already."""
    best: dict[tuple[int, int], Plan] = {}
    for length in range(1, len(factors) + 1):
        for start in range(len(factors) - length + 1):
            part = factors[start : start + length]
            if length == 1 or part in there or turned(part) in there:
                best[start, start + length] = Plan(part, 0)
                continue
            pairs = ((best[start, middle], best[middle, start + length]) for middle in range(start + 1, start + length))
            plans = (Plan(part, one.cost + other.cost + _cost(one, other), (one, other)) for one, other in pairs)
            best[start, start + length] = min(plans, key=lambda plan: plan.cost)
    return best[0, len(factors)]


def _cost(a: Plan, b: Plan) -> int:
    """Return operations on numbers of a product."""
    inner = b.factors[0].shape[0]
    return a.factors[0].shape[0] * b.factors[-1].shape[1] * (1 if inner == 1 else 2 * inner)


def in_cheapest_order(terms: Terms, results: Sequence[Term]) -> tuple[dict[Term, Term], dict[Term, Term]]:
    """Return for each term of the results the one to take; and for each product made for it, the one it is for."""
    order = in_order(results)
    derived = {term for term in order if term.number >= terms.derivative_from}
    used_by: dict[Term, list[Term]] = {}
    for term in order:
        for operand in term.operands:
            used_by.setdefault(operand, []).append(term)
    inside = _inside(order, derived, {*results}, used_by)
    made = Made(terms, {term: term for term in order}, {term: len(used_by.get(term, ())) for term in inside})
    for term in order:
        if term not in derived and is_product(term) and (chain := chain_of(term))[1:] == (1.0, 1.0):
            made.there[chain.factors] = term
    for term in order:
        operands = [made.made_of[each] for each in term.operands]
        is_end = term in derived and term not in inside and is_product(term)
        if is_end and (cheaper := made.cheaper(term)) is not None:
            made.made_of[term] = made.product(term, cheaper)
        elif operands != list(term.operands):
            made.made_of[term] = terms.plain(term.operation, *operands)
    return made.made_of, made.made_for


def _inside(
    order: Sequence[Term], derived: Container[Term], wanted: Container[Term], used_by: Mapping[Term, list[Term]]
) -> set[Term]:
    """Return the matrices of a derivative that nothing needs but products, as factors."""
    inside = set[Term]()
    for term in reversed(order):
        may_be_inside = term in derived and term not in wanted and len(term.shape) == 2
        if may_be_inside and all(_is_factor(term, user, inside, derived) for user in used_by.get(term, [])):
            inside.add(term)
    return inside


def _is_factor(term: Term, user: Term, inside: Container[Term], derived: Container[Term]) -> bool:
    """Return whether a term is needed as a factor of a product only."""
    result = _expanded(user)
    if user not in derived or result is None or all(factor.base is not term for factor in result.factors):
        return False
    return len(result.factors) == 2 or user in inside


@dataclass
class Made:
    """Products that are made: ``made_of`` has the term for each term, ``there`` the products by their factors.

    ``uses`` says how many products need each matrix that nothing else needs.
    """

    terms: Terms
    made_of: dict[Term, Term]
    uses: dict[Term, int]
    there: dict[Factors, Term] = field(default_factory=dict)
    made_for: dict[Term, Term] = field(default_factory=dict)

    def cheaper(self, end: Term) -> Chain | None:
        """Return a product as the chain to multiply anew, if that saves enough of what is needed for it alone."""
        chain = self._chain(end)
        if any(len(factor.base.shape) == 2 and is_product(factor.base) for factor in chain.factors):
            return None  # a chain of more factors than are considered
        uses, now = dict(self.uses), 0
        pending = [end]
        while pending:
            term = pending.pop()
            now += work(term.operation, term.operands) if is_product(term) else 0
            expanded = _expanded(term)
            for factor in expanded.factors if expanded else ():
                if factor.base in uses:
                    uses[factor.base] -= 1
                    pending += [] if uses[factor.base] else [factor.base]
        saved = now - planned(chain.factors, self.there).cost
        if saved <= LEAST * now:
            return None
        self.uses = uses
        self.terms.note(NAME, LAW, saved)
        return chain

    def _chain(self, term: Term) -> Chain:
        """Return a term as a chain; its number is at a vector that is there with it, or else at the shortest."""
        factors, above, below = chain_of(term)
        vectors = [
            k for k, factor in enumerate(factors) if len(factor.base.shape) == 1 and factor.base.size < term.size
        ]
        if not vectors or above == below == 1:
            return Chain(factors, above, below)
        number = self.terms.constant(above)
        there = {k: self.terms.made(MULTIPLY, number, factors[k].base) is not None and below == 1 for k in vectors}
        place = min(vectors, key=lambda k: (not there[k], factors[k].base.size))
        one = factors[place]._replace(above=above, below=below)
        return Chain((*factors[:place], one, *factors[place + 1 :]))

    def product(self, term: Term, chain: Chain) -> Term:
        """Return a term as the product of its chain."""
        plan = planned(chain.factors, self.there)
        for part in plan.made():
            one, other = map(self._matrix, (each.factors for each in part.parts or ()))
            self.there[part.factors] = result = self._product(part, one, other)
            while result.is_of(RESHAPE, TRANSPOSE):
                result = result.operands[0]
            self.made_for.setdefault(result, term)
        result = self._in_shape(self._matrix(plan.factors), term.shape)
        return scaled(self.terms, result, chain.above, chain.below, (term.shape, term.dtype)) or term

    def _product(self, part: Plan, a: Term, b: Term) -> Term:
        """Return a product as the transpose of another where that takes fewer transposes, or is a vector."""
        is_row = part.factors[0].shape[0] == 1 and part.factors[-1].shape[1] != 1
        if is_row or all(factor.is_turned for factor in part.factors):
            a, b = self._turned(b), self._turned(a)
            return self._turned(self.terms.apply(MATMUL, a, b))
        return self.terms.apply(MATMUL, a, b)

    def _turned(self, a: Term) -> Term:
        return self.terms.apply(TRANSPOSE, a, (1, 0))

    def _matrix(self, factors: Factors) -> Term:
        """Return a factor, or a product that is there, as a matrix."""
        if len(factors) == 1:
            base, is_turned, above, below = factors[0]
            result = self.made_of[base]
            result = scaled(self.terms, result, above, below, (result.shape, result.dtype)) or result
        else:
            is_turned = factors not in self.there
            result = self.there[turned(factors) if is_turned else factors]
        result = self._in_shape(result, (result.size, 1)) if len(result.shape) == 1 else result
        return self._turned(result) if is_turned else result

    def _in_shape(self, term: Term, shape: tuple[int, ...]) -> Term:
        return term if term.shape == shape else self.terms.apply(RESHAPE, term, shape)
