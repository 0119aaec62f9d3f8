"""Tangents and adjoints along all seeds at once: sweeps whose seeds are the rows of a matrix.

Source: Griewank and Walther, Evaluating Derivatives (2nd ed., 2008), section 3.3 (vector modes).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.blocks import BLOCK_OF
from ...engine.rules.reshaping import RESHAPE, TRANSPOSE
from ..derivations.derivation import Derivation, adjoints, tangents
from ..derivations.translation import Translation, translated
from ..terms.array_terms import Term, in_order, work
from ..terms.batching import Batch
from ..terms.identities import identity
from .chain_products import Plan
from .drafts import ADJOINT, TANGENT, Traced, values_of

MATMUL = BLOCK_OF[np.matmul]
SUFFIXES = {"forward": TANGENT, "reverse": ADJOINT}


class Place(NamedTuple):
    """An array that the chain rule goes through: its node (``None`` for a constant), and what it is like."""

    node: int | None
    name: str
    shape: tuple[int, ...]
    dtype: Any

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)


Stage = Sequence[Place]
"""Arrays that all derivatives go through: the arguments, a bottleneck, or the results."""
Seed = tuple[str, Place]
Along = tuple[str, Place, Place]
"""A sweep: "forward" or "reverse", the array of its seed, and that of the tangent or adjoint."""


class Swept:
    """The values of a function, and tangents and adjoints along seeds at some of its nodes, as terms.

    ``found`` has the results first; ``made`` the tangent or adjoint of each sweep that arrives.
    """

    def __init__(self, of: Traced, along: Sequence[Along]):
        derivation = Derivation(of.graph)
        inputs = [leaf.nodes[0] for leaf in of.wanted]
        seeds: dict[Seed, Any] = {}
        known: dict[Seed, Mapping[int, Any]] = {}

        def derive(it: Derivation) -> Any:
            for way, start in dict.fromkeys((way, p) for way, p, _ in along if p.node is not None):
                seed = it.input(f"{start.name}{SUFFIXES[way]}", np.ones(start.shape, start.dtype))
                given: dict[Any, Any] = {start.node: seed}
                seeds[way, start] = seed
                known[way, start] = tangents(it, given) if way == "forward" else adjoints(it, given, inputs)
            return values_of(it, of)

        values = derivation.run(derive)
        there = {
            (way, p, q): known[way, p][q.node]
            for way, p, q in along
            if (way, p) in known and q.node is not None and q.node in known[way, p]
        }
        marks = {node: value for sweep in reversed(known.values()) for node, value in sweep.items()}
        suffix = SUFFIXES["reverse" if all(way == "reverse" for way, _, _ in along) else "forward"]
        self.found = translated(derivation, [*values, *there.values()], marks, {}, suffix)
        self.terms, self.count = self.found.terms, len(of.inputs)
        self.made: dict[Along, Term] = dict(zip(there, self.found.results[len(values) :], strict=True))
        numbers = {key: number for number, key in enumerate(seeds, self.count)}
        inputs_of = {each.value: each for each in in_order(self.found.results) if each.name == "input"}
        self.seeds = {key: inputs_of[number] for key, number in numbers.items() if number in inputs_of}
        self.batches: list[Batch] = []

    def work(self, along: Sequence[Along]) -> int:
        """The operations of sweeps, about, without those that do not depend on their seeds."""
        terms = [self.made[each] for each in along if each in self.made]
        depends = {self.seeds[each[:2]] for each in along if each[:2] in self.seeds}
        total = 0
        for term in in_order(terms):
            if any(operand in depends for operand in term.operands):
                depends.add(term)
                total += work(term.operation, term.operands)
        return total

    def jacobian(self, plan: Plan, stages: Sequence[Stage]) -> dict[tuple[Place, Place], Term]:
        """The Jacobians from the arrays of one stage to those of another as matrices, without those that are zero."""
        ins, outs = stages[plan.start], stages[plan.end]
        if plan.way == "product":
            assert plan.first is not None
            assert plan.second is not None
            (middle,) = stages[plan.first.end]
            before, after = self.jacobian(plan.first, stages), self.jacobian(plan.second, stages)
            return {
                (y, x): self._block(
                    self.terms.apply(MATMUL, self._matrix(after, y, middle), self._matrix(before, middle, x)), y, x
                )
                for y in outs
                for x in ins
                if (y, middle) in after and (middle, x) in before
            }
        given = None if plan.first is None else self.jacobian(plan.first, stages)
        return self._on(plan, stages, given) if plan.way == "forward" else self._back(plan, stages, given)

    def _on(self, plan: Plan, stages: Sequence[Stage], given: Any) -> dict[tuple[Place, Place], Term]:
        """Jacobians by a sweep on from the identity, or from given Jacobians."""
        found = {}
        for x in stages[plan.start]:
            start = x if given is None else stages[plan.first.end][0]  # type: ignore[union-attr]
            if given is not None and (start, x) not in given:
                continue
            rows = None if given is None else self._turned(self._matrix(given, start, x))
            batch = self._batch("forward", start, x.size, rows)
            for y in stages[plan.end]:
                if batch is not None and (made := self.made.get(("forward", start, y))) is not None:
                    turned = self._turned(self.terms.apply(RESHAPE, batch.of(made), (x.size, y.size)))
                    found[y, x] = self._block(turned, y, x)
        return found

    def _back(self, plan: Plan, stages: Sequence[Stage], given: Any) -> dict[tuple[Place, Place], Term]:
        """Jacobians by a sweep back from the identity, or from given Jacobians."""
        found = {}
        for y in stages[plan.end]:
            start = y if given is None else stages[plan.first.start][0]  # type: ignore[union-attr]
            if given is not None and (y, start) not in given:
                continue
            rows = None if given is None else self._matrix(given, y, start)
            batch = self._batch("reverse", start, y.size, rows)
            for x in stages[plan.start]:
                if batch is not None and (made := self.made.get(("reverse", start, x))) is not None:
                    found[y, x] = self._block(batch.of(made), y, x)
        return found

    def _batch(self, way: str, start: Place, count: int, rows: Term | None) -> Batch | None:
        """The terms of a sweep with rows for its seed, the identity if there are none given."""
        if (way, start) not in self.seeds:
            return None
        rows = identity(self.terms, count, start.dtype) if rows is None else rows
        seed = self.terms.apply(RESHAPE, rows, (count, *start.shape))
        self.batches.append(Batch(self.terms, count, {self.seeds[way, start]: seed}))
        return self.batches[-1]

    def _matrix(self, blocks: Mapping[tuple[Place, Place], Term], y: Place, x: Place) -> Term:
        return self.terms.apply(RESHAPE, blocks[y, x], (y.size, x.size))

    def _turned(self, matrix: Term) -> Term:
        return self.terms.apply(TRANSPOSE, matrix, (1, 0))

    def _block(self, found: Term, y: Place, x: Place) -> Term:
        return self.terms.apply(RESHAPE, found, (*y.shape, *x.shape))

    def finish(self, results: list[Term]) -> None:
        """Take other results, and note of terms with rows what is known of those without."""
        found = self.found
        found.results, found.inputs = results, found.inputs[: self.count]
        for batch in self.batches:
            note_rows(found, batch)


def note_rows(found: Translation, batch: Batch) -> None:
    """Note of terms with rows what is known of those without."""
    for term, rows in batch.rows.items():
        if term in found.known and rows.operands:
            found.known.setdefault(rows, found.known[term])
