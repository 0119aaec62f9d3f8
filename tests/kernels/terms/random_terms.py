"""Random terms, each made with rules and without, with their values at two points."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from adviz.engine.blocks import BLOCK_OF
from adviz.engine.functions.matrix_rules import SOLVE
from adviz.engine.rules.gathering import PLACE, SCATTER, SLOT
from adviz.engine.rules.indexing import DIAGONAL_MATRIX, INDEX
from adviz.engine.rules.powers import LOGISTIC
from adviz.engine.rules.reducing import MAX, MEAN, MIN, SUM
from adviz.engine.rules.reshaping import ARRANGE, BROADCAST, CAST, CONCATENATE, COPY, RESHAPE, TRANSPOSE
from adviz.engine.rules.selection import CONDITIONS, WHERE
from adviz.kernels.terms.arithmetic_rules import PAIRED, SINGLE
from adviz.kernels.terms.array_terms import POWER, Rule, Term, Terms
from adviz.kernels.terms.identities import identity
from adviz.kernels.terms.linear_rules import simplifying

from .values import value_of

OF_NAME = {block.name: block for block in (*BLOCK_OF.values(), *CONDITIONS.values(), LOGISTIC, COPY)}
SHAPES = [(), (3,), (2, 3), (3, 3), (2, 1), (1, 3), (1,), (1, 1), (2, 2, 3), (0,), (0, 3)]
NUMBERS = [0.0, 1.0, -1.0, 2.0, 0.5, -3.0, 1 / 3, 1, 2, True]
KEYS = [(None, ...), (slice(None), None), (0,), (slice(0, 1),), (..., -1), (slice(None),), (slice(1, None),)]
LARGEST = 1e4
OF_NUMBERS = [block for block in SINGLE if block.family != "condition"]
SIGNLESS = [block for block in PAIRED if block.name not in ("arctan2", "copysign", "nextafter")]
"""Without the functions that tell 0 from -0: rules do not keep the sign of zeros."""


class Pair(NamedTuple):
    """A term made without rules, the same made with rules, and the values of both at each point."""

    plain: Term
    simple: Term
    plain_values: tuple[Any, ...]
    simple_values: tuple[Any, ...]


class Grower:
    """Makes terms at random; ``fired`` counts the uses of each rule, by operation, name and law."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)
        self.plain, self.simple = Terms(), simplifying()
        self.fired: Counter[tuple[str, str, str]] = Counter()
        self.simple.rules = {
            operation: [self.counted(operation, each) for each in rules]
            for operation, rules in self.simple.rules.items()
        }
        self.pairs: list[Pair] = []
        self.inputs: list[Pair] = []

    def counted(self, operation: str, rule: Rule) -> Rule:
        """The same rule, which counts its uses."""

        def rewrite(terms: Terms, *operands: Term) -> Term | None:
            found = rule.rewrite(terms, *operands)
            if found is not None:
                self.fired[operation, rule.name, rule.law] += 1
            return found

        return Rule(rule.name, rule.law, rewrite)

    def begin_derivative(self) -> None:
        """What is made from now on may take any form."""
        self.simple.derivative_from = len(self.simple.known)

    # ---- what terms are made of ----

    def input(self, shape: tuple[int, ...], dtype: Any = float) -> Pair:
        """One more input, of random numbers."""
        number = len(self.inputs)
        values = tuple(self.rng.uniform(-2, 2, shape).astype(dtype)[()] for _ in range(2))
        if np.dtype(dtype).kind in "ib":
            values = tuple(self.rng.integers(0, 2, shape).astype(dtype)[()] for _ in range(2))
        dtype = np.dtype(dtype)
        found = Pair(self.plain.input(number, shape, dtype), self.simple.input(number, shape, dtype), values, values)
        self.pairs.append(found)
        self.inputs.append(found)
        return found

    def constant(self, value: Any) -> Pair:
        """A number or an array."""
        return Pair(self.plain.constant(value), self.simple.constant(value), (value, value), (value, value))

    def identity(self, count: int, dtype: Any = float) -> Pair:
        """The identity matrix, which is no constant."""
        terms = (identity(each, count, np.dtype(dtype)) for each in (self.plain, self.simple))
        return Pair(*terms, *[(np.eye(count, dtype=dtype),) * 2] * 2)

    def apply(self, operation: Any, *operands: Any) -> Pair | None:
        """An operation at pairs and settings; ``None`` where NumPy refuses it, or its values are not finite."""
        operation = OF_NAME[operation] if isinstance(operation, str) else operation
        settings = [each if isinstance(each, Pair) else self.constant(each) for each in operands]
        if operation is POWER and settings[0].plain.dtype == np.dtype(bool):
            return None  # NumPy's square of booleans is an int8, other powers of them are an int64
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            try:
                wanted = [operation.compute(*(each.plain_values[k] for each in settings)) for k in range(2)]
            except (TypeError, ValueError, IndexError, np.linalg.LinAlgError, np.exceptions.AxisError):
                return None
        if not all(np.isfinite(each).all() and np.all(np.abs(each) < LARGEST) for each in wanted):
            return None
        simple = self.simple.apply(operation, *(each.simple for each in settings))
        plain = self.plain.apply(operation, *(each.plain for each in settings))
        if plain.is_number:  # of Python's, where it is made of such
            wanted = [plain.value] * 2
        found = Pair(plain, simple, tuple(wanted), tuple(self.value(simple, k) for k in range(2)))
        self.pairs.append(found)
        return found

    def value(self, term: Term, point: int) -> Any:
        """The value of a term made with rules."""
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            return value_of(term, [each.plain_values[point] for each in self.inputs])

    # ---- random growth ----

    def pick(self) -> Pair:
        """One of the last pairs, or an earlier one."""
        late = self.rng.random() < 0.7
        first = max(0, len(self.pairs) - 3) if late else 0
        return self.pairs[int(self.rng.integers(first, len(self.pairs)))]

    def number(self) -> Pair:
        return self.constant(NUMBERS[int(self.rng.integers(len(NUMBERS)))])

    def axis(self, x: Pair) -> Any:
        count = len(x.plain.shape)
        return [None, -1, 0, (0,), tuple(range(count))][int(self.rng.integers(5))] if count else None

    def step(self) -> None:
        """Try one operation."""
        rng, x, y = self.rng, self.pick(), self.pick()
        kind = int(rng.integers(14))
        if kind < 3:
            names = (
                OF_NUMBERS if rng.random() < 0.3 else ["negative", "square", "reciprocal", "tanh", "positive", "copy"]
            )
            self.apply(names[int(rng.integers(len(names)))], x)
        elif kind < 7:
            names = SIGNLESS if rng.random() < 0.4 else ["add", "subtract", "multiply", "divide"]
            name = names[int(rng.integers(len(names)))]
            other = self.number() if rng.random() < 0.4 else y
            self.apply(name, *((x, other) if rng.random() < 0.6 else (other, x)))
        elif kind == 7:
            shape = SHAPES[int(rng.integers(len(SHAPES)))]
            self.apply(BROADCAST, x if rng.random() < 0.7 else self.number(), shape)
        elif kind == 8:
            shapes = [each for each in SHAPES if np.prod(each, dtype=int) == x.plain.size]
            shapes += [(-1,), (1, *x.plain.shape), (*x.plain.shape, 1)]
            self.apply(RESHAPE, x, shapes[int(rng.integers(len(shapes)))])
        elif kind == 9:
            axes = tuple(rng.permutation(len(x.plain.shape)).tolist())
            self.apply(TRANSPOSE, x, None if rng.random() < 0.5 else axes)
        elif kind == 10:
            self.apply([SUM, SUM, SUM, MEAN, MAX, MIN][int(rng.integers(6))], x, self.axis(x), bool(rng.integers(2)))
        elif kind == 11:
            self.apply(INDEX, x, KEYS[int(rng.integers(len(KEYS)))])
        elif kind == 12:
            self.apply("matmul" if rng.random() < 0.8 else SOLVE, x, y)
        else:
            self.rarely(x, y)

    def rarely(self, x: Pair, y: Pair) -> None:
        kind, n = int(self.rng.integers(9)), x.plain.shape[0] if x.plain.shape else 1
        if kind == 0:
            self.apply(WHERE, self.constant(bool(self.rng.integers(2))), x, y)
        elif kind == 1:
            self.apply(CAST, x, [np.dtype(float), np.dtype(np.float32)][int(self.rng.integers(2))])
        elif kind == 2 and x.plain.shape:
            self.apply(ARRANGE, x, "F")
        elif kind == 3 and x.plain.shape:
            self.apply(PLACE, x, (slice(0, n),), (n + 2, *x.plain.shape[1:]))
        elif kind == 4 and x.plain.shape:
            self.apply(PLACE, x, (None,), (1, *x.plain.shape))
        elif kind == 5 and len(x.plain.shape) == 1:
            self.apply(SCATTER, x, (n, n), (SLOT, SLOT), np.arange(n), np.arange(n))
        elif kind == 6 and len(x.plain.shape) == 1:
            self.apply(DIAGONAL_MATRIX, x, 0)
        elif kind == 7 and len(x.plain.shape) == 1:
            self.pairs.append(self.identity(n, x.plain.dtype or float))
        elif x.plain.shape:
            self.apply(CONCATENATE, 0, x, y)


def grown(seed: int, steps: int = 25, kinds: Sequence[Any] = (float, float, float, np.int64, bool)) -> Grower:
    """Terms that have grown at random from inputs of some shapes and dtypes."""
    grower = Grower(seed)
    for _ in range(4):
        shape = SHAPES[int(grower.rng.integers(len(SHAPES)))]
        grower.input(shape, kinds[int(grower.rng.integers(len(kinds)))])
    users = int(grower.rng.integers(8))
    for step in range(steps):
        if step == users:
            grower.begin_derivative()
        grower.step()
    return grower
