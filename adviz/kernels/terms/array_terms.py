"""Terms: the operations of an array program, with their operands, shapes and dtypes; equal terms are one object.

An operation is a Block of the engine, so that what a term means is said in one place: ``operation.compute(*operands)``.
Constants and settings, such as an axis, are terms too, which keep their ``value``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from ...engine.blocks import BLOCK_OF, INPUT, Block, Record
from ...engine.rules import abstract_values
from ...engine.rules.abstract_values import shape_dtype_of, sizes_of
from ...engine.rules.gathering import GATHER
from ...engine.rules.matrix_products import EINSUM, MATMUL
from ...engine.rules.reshaping import BROADCAST, TRANSPOSE

ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, MAXIMUM, MINIMUM = (
    BLOCK_OF[each] for each in (np.add, np.subtract, np.multiply, np.divide, np.power, np.maximum, np.minimum)
)
NEGATIVE, POSITIVE, SQUARE, EXP, LOG, COSH = (
    BLOCK_OF[each] for each in (np.negative, np.positive, np.square, np.exp, np.log, np.cosh)
)
LOGARITHMS = [BLOCK_OF[each] for each in (np.log, np.log2, np.log10)]
Shape = tuple[int, ...]
SMALL = 16
FOLDED = 1 << 16
"""Constants of more numbers are not made; they would be kept for as long as the program is."""


class Term:
    """One operation, input or constant; compared by identity, since :class:`Terms` makes equal ones once.

    ``operation`` is ``None`` for a constant, which has a ``value``; the value of an input is its number.

    >>> from adviz.engine.blocks import BLOCK_OF
    >>> terms = Terms()
    >>> x = terms.input(0, (3,), np.dtype(float))
    >>> terms.apply(np.sin, x) is terms.apply(np.sin, x), terms.apply(np.sin, x)
    (True, <Term 1: sin (3,) float64>)
    """

    __slots__ = ("dtype", "number", "operands", "operation", "shape", "value")

    def __init__(
        self, number: int, operation: Any, operands: tuple[Term, ...], shape: Shape, dtype: Any, value: Any = None
    ):
        self.number, self.operation, self.operands = number, operation, operands
        self.shape, self.dtype, self.value = shape, dtype, value

    @property
    def name(self) -> str:
        """The name of the operation, ``"constant"`` or ``"input"``."""
        return self.operation.name if self.operation is not None else "constant"

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """Bytes of its value."""
        return self.size * getattr(self.dtype, "itemsize", 8)

    @property
    def is_constant(self) -> bool:
        """Whether it is the same at every point."""
        return self.operation is None

    @property
    def is_number(self) -> bool:
        """Whether it is a constant number, rather than an array or a setting."""
        return self.operation is None and isinstance(self.value, float | int | np.number)

    def is_value(self, value: float) -> bool:
        """Return whether it is this number."""
        return self.is_number and bool(self.value == value)

    @property
    def is_view(self) -> bool:
        """Whether it computes nothing: an operand, looked at in another way."""
        return self.operation is not None and self.operation.is_view

    @property
    def noun(self) -> str:
        """What it is called, if nothing else gives it a name."""
        return (self.operation.noun if self.operation is not None else "") or self.name

    @property
    def operator(self) -> str:
        """The operator that it is written with, if it is."""
        return self.operation.operator if self.operation is not None else ""

    def is_of(self, *operations: Any) -> bool:
        """Return whether it is the result of one of these operations."""
        return self.operation in operations

    def __repr__(self) -> str:
        if self.is_constant:
            return f"<Term {self.number}: constant {self.value!r}>"
        return f"<Term {self.number}: {self.name} {self.shape} {self.dtype}>"


OF_VALUES = {"neutral elements", "axes", "broadcasts", "reshapes", "transposes", "products", "textbook forms"}
"""The rules that values of the user's function are simplified by; they have the form that the user gave them."""


DEEPEST = 40
"""Rules that are used within each other at most: they push a factor through this many quotients, and no more."""


class Terms:
    """Makes terms: simplified by rules, each counted in ``fired`` by its name and law, and none twice.

    ``rules`` are by the name of the operation that they rewrite; each returns ``None`` where it does not apply. Terms
    with smaller numbers than ``derivative_from`` are values of the user's function, which stay as they are written.
    ``operation`` is the one that a rule is asked to rewrite: there may be several of a name.
    """

    def __init__(self, rules: dict[str, list[Any]] | None = None):
        self.rules = rules or {}
        self.known: dict[Any, Term] = {}
        self.fired: dict[tuple[str, str], list[int]] = {}
        self.derivative_from: float = math.inf
        self.operation: Any = None
        self.depth = 0

    @property
    def users_until(self) -> float:
        """Terms with smaller numbers are there already when the derivative is made."""
        return 0 if self.derivative_from == math.inf else self.derivative_from

    @cached_property
    def divisors(self) -> set[Term] | None:
        """What the user's function divides by, or takes the logarithm of; ``None`` where no operation is the user's."""
        values = [term for term in self.known.values() if term.operands and term.number < self.derivative_from]
        return {term.operands[-1] for term in values if term.is_of(DIVIDE, *LOGARITHMS)} if values else None

    def input(self, number: int, shape: Shape, dtype: Any) -> Term:
        """Return the argument of this number."""
        return self._made(("input", number), INPUT, (), shape, dtype, number)

    def constant(self, value: Any) -> Term:
        """Return a number, an array, or a setting of any kind."""
        if isinstance(value, Term):
            return value
        if isinstance(value, np.ndarray) and not value.ndim:
            value = value[()]
        shape, dtype = (value.shape, value.dtype) if isinstance(value, np.ndarray | np.generic) else ((), None)
        return self._made(key_of(value), None, (), shape, dtype, value)

    def apply(self, function: Any, *operands: Any) -> Term:
        """Return the result of a ufunc or a Block at terms, numbers and settings: the simplest term that equals it."""
        operation = function if isinstance(function, Block) else BLOCK_OF[function]
        given = tuple(map(self.constant, operands))
        if all(operand.is_constant for operand in given):
            folded = _folded(operation, given)
            if folded is not None:
                self.note("constants folded", "what is made of constants is a constant", work(operation, given))
                return self.constant(folded)
        if self.depth < DEEPEST:
            self.depth += 1
            try:
                result = self._rewritten(operation, given)
            finally:
                self.depth -= 1
            if result is not None:
                return result
        return self.plain(operation, *given)

    def _rewritten(self, operation: Block, given: tuple[Term, ...]) -> Term | None:
        """Return what the first rule that applies makes of an operation; rules apply operations of their own."""
        outer, self.operation = self.operation, operation
        try:
            for rule in self.rules.get(operation.name, ()):
                if self.derivative_from == math.inf and rule.name not in OF_VALUES:
                    continue
                before = len(self.known)
                result = rule.rewrite(self, *given)
                if result is not None:
                    now = work(result.operation, result.operands) if result.number >= before and result.operands else 0
                    self.note(rule.name, rule.law, work(operation, given) - now)
                    return result
            return None
        finally:
            self.operation = outer

    def plain(self, operation: Block, *operands: Term) -> Term:
        """Return the same without rules."""
        key = (id(operation), *(operand.number for operand in operands))
        if key in self.known:
            return self.known[key]
        shape, dtype = shape_dtype_of(operation, operands)
        return self._made(key, operation, operands, shape, dtype)

    def made(self, operation: Block, *operands: Term) -> Term | None:
        """Return the term of an operation at operands, if it has been made."""
        return self.known.get((id(operation), *(operand.number for operand in operands)))

    def note(self, rule: str, law: str, saved: int) -> None:
        """Count a use of a rule by one of its laws, and the operations on numbers that it saved."""
        counts = self.fired.setdefault((rule, law), [0, 0])
        counts[0] += 1
        counts[1] += saved

    @contextmanager
    def on_trial(self) -> Iterator[None]:
        """Let terms be made that may not be needed: uses of rules are not counted meanwhile."""
        fired = {name: [*counts] for name, counts in self.fired.items()}
        yield
        self.fired = fired

    def _made(
        self, key: Any, operation: Any, operands: tuple[Term, ...], shape: Shape, dtype: Any, value: Any = None
    ) -> Term:
        if key not in self.known:
            self.known[key] = Term(len(self.known), operation, operands, shape, dtype, value)
        return self.known[key]


def key_of(value: Any) -> Any:
    """Return what equal constants have in common, and different ones do not; zeros of different sign are different.

    >>> key_of(1.0) == key_of(1), key_of((1, slice(2))) == key_of((1, slice(2))), key_of(0.0) == key_of(-0.0)
    (False, True, False)
    """
    if isinstance(value, np.ndarray):
        return "array", value.dtype.str, value.shape, value.tobytes() if value.size <= FOLDED else id(value)
    if isinstance(value, tuple | list):
        return type(value), *map(key_of, value)
    if isinstance(value, slice):
        return slice, *map(key_of, (value.start, value.stop, value.step))
    return type(value), repr(value)


def _folded(operation: Block, operands: Sequence[Term]) -> Any:
    """Return the value of an operation on constants; ``None`` if it would take more memory than they do."""
    shape, dtype = shape_dtype_of(operation, operands)
    if dtype is None or math.prod(shape) > max(FOLDED, *(operand.size for operand in operands)):
        return None
    if operation is BROADCAST and math.prod(shape) > 1:
        return None  # what is used with it repeats it by itself
    if operation is TRANSPOSE and math.prod(shape) > SMALL:
        return None  # a view of the same array, and rules see that it is one
    with np.errstate(all="ignore"):
        result = operation.compute(*(operand.value for operand in operands))
    weak = all(operand.dtype is None for operand in operands)  # numbers of Python's, which take on any dtype
    return float(result) if weak and np.ndim(result) == 0 and np.asarray(result).dtype == np.dtype(float) else result


def work(operation: Any, operands: Sequence[Term]) -> int:
    """Return operations on numbers that an operation takes, about: its products and sums, or its entries."""
    if operation is MATMUL:
        return 2 * math.prod(shape_dtype_of(operation, operands)[0]) * (operands[0].shape or (1,))[-1]
    if operation.is_view:
        return 0
    if operation is EINSUM:
        subscripts, *arrays = operands
        sizes = sizes_of(subscripts.value, [each.shape for each in arrays])
        is_sum = not set(sizes) <= set(subscripts.value.partition("->")[2])
        return math.prod(sizes.values()) * (max(len(arrays) - 1, 1) + (is_sum and len(arrays) > 1))
    return max(math.prod(shape_dtype_of(operation, operands)[0]), *(operand.size for operand in operands), 0)


def viewed(term: Term) -> Term | None:
    """Return the array whose memory a term may share in NumPy; ``None`` where it has its own.

    Entries at numbers are a view, as they are at an ``int``, and so is an einsum of one array that adds up nothing.

    >>> from adviz.engine.rules.gathering import GATHER, SLOT
    >>> terms = Terms()
    >>> x, k = terms.input(0, (3, 2), np.dtype(float)), terms.input(1, (), np.dtype(int))
    >>> [viewed(terms.apply(GATHER, x, (SLOT,), rows)) is x for rows in (k, np.arange(2))]
    [True, False]
    """
    if term.is_of(GATHER):
        return term.operands[0] if not any(index.shape for index in term.operands[2:]) else None
    if term.is_of(EINSUM):
        subscripts, *arrays = term.operands
        taken, _, given = subscripts.value.partition("->")
        return arrays[0] if len(arrays) == 1 and set(taken) <= set(given) else None
    return term.operands[0] if term.is_view else None


def in_order(
    wanted: Sequence[Term],
    reach: Callable[[Term], bool] = lambda term: True,
    needs: Callable[[Term], Sequence[Term]] = attrgetter("operands"),
) -> list[Term]:
    """Return all terms that some are made of, operands first, or what else each ``needs``."""
    result: dict[Term, None] = {}
    pending: list[tuple[Term, Iterator[Term]]] = []
    for term in wanted:
        if term in result:
            continue
        pending.append((term, iter(needs(term))))
        while pending:
            top, rest = pending[-1]
            operand = next((each for each in rest if each not in result), None)
            if operand is not None and reach(operand):
                pending.append((operand, iter(needs(operand))))
            elif operand is None:
                result[top] = None
                pending.pop()
    return list(result)


def reached(terms: Iterable[Term], lines: Container[Term]) -> tuple[list[Term], list[Term]]:
    """Return the lines that terms are made of, and what they are made of on the way there."""
    read, between = dict[Term, None](), dict[Term, None]()
    pending = list(terms)
    while pending:
        each = pending.pop()
        if each in lines:
            read[each] = None
        elif each not in between:
            between[each] = None
            pending += each.operands
    return list(read), list(between)


# ---- rewriting ----

# Rules by which terms are simplified when they are made: each has a name, and a law that a test checks.
#
# A rule gets the operands of an operation and returns an equal term, or `None` where it does not apply. Every rule
# leaves fewer operations, smaller arrays, or a form that another rule needs, so that rewriting ends.


Rewrite = Callable[..., "Term | None"]


class Rule(NamedTuple):
    """A rewriting rule: its name, the law that it uses, in letters, and the function."""

    name: str
    law: str
    rewrite: Rewrite


RULES: dict[str, list[Rule]] = {}
"""By the operations that they rewrite, in the order in which they are tried."""


def rule(name: str, law: str, *operations: Any) -> Callable[[Rewrite], Rewrite]:
    """Register a function as a rule for these operations, and others of their names."""

    def register(rewrite: Rewrite) -> Rewrite:
        for operation in operations:
            RULES.setdefault(operation.name, []).append(Rule(name, law, rewrite))
        return rewrite

    return register


def laws() -> dict[str, list[str]]:
    """Return the laws by the names of the rules.

    >>> from . import arithmetic_rules
    >>> "-(-a) = a" in laws()["signs"]
    True
    """
    result: dict[str, list[str]] = {}
    for rules in RULES.values():
        for each in rules:
            laws_of = result.setdefault(each.name, [])
            if each.law not in laws_of:
                laws_of.append(each.law)
    return result


def fits(term: Term, result: Any) -> bool:
    """Return whether a term has the shape and the dtype of what it is to replace."""
    shape, dtype = result
    return term.shape == shape and term.dtype == dtype


# ---- what loops make ----


class Made(NamedTuple):
    """Which loop makes a term, by its first node, in which part of the program, and what of it the term is.

    ``seeds`` are the places of what the loop leaves whose adjoints are the operands. A term that is the tangent of such
    a value or adjoint has as further operands the tangents of what is ``moved``: of operands forward, by their numbers,
    and of seeds backward.
    """

    loop: int
    part: str
    key: Any
    seeds: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: Any
    moved: tuple[int, ...] | None = None


def made_of(term: Term) -> Made:
    """Return which loop makes a term, and what of it the term is."""
    made: Made = term.operands[0].value
    return made


def seeds_of(term: Term) -> dict[int, Term]:
    """Return the adjoints of what a loop leaves, by places: operands of one that it passes back."""
    return dict(zip(made_of(term).seeds, term.operands[1:], strict=False))


def seeds_dot_of(term: Term) -> dict[int, Term]:
    """Return the tangents of such adjoints."""
    made = made_of(term)
    return dict(zip(made.moved or (), term.operands[1 + len(made.seeds) :], strict=False))


class LoopOperation(Record):
    """The operation of such terms: its first operand is a constant :class:`Made`, others are what the loop takes."""

    name = "loop"
    abstract_eval = staticmethod(abstract_values.made_by_loop)


LOOP: Any = LoopOperation()
"""It is compared by identity, and not computed by itself."""


def together(made: Sequence[Term]) -> Callable[[Term], Sequence[Term]]:
    """Return what has to be there for a term: its operands, and for what a loop makes, those of all that it makes.

    ``made`` is all that loops make. A loop is written once, with the tangents that go with its values, or with its
    adjoints; these have further operands, which depend on nothing that the same loop makes.
    """
    operands: dict[Any, dict[Term, None]] = {}
    for term in made:
        operands.setdefault(term.operands[0].value[:2], {}).update(dict.fromkeys(term.operands))
    result = {term: tuple(operands[term.operands[0].value[:2]]) for term in made}
    return lambda term: result.get(term, term.operands)
