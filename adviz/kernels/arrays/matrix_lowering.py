"""Jacobians and Hessians as programs on arrays, by sweeps whose seeds are the rows of a matrix.

Source: Griewank and Walther, Evaluating Derivatives (2nd ed., 2008), sections 3.3 (vector modes) and 5.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from ...engine.blocks import BLOCK_OF
from ...engine.calls import leaves, rebuild
from ...engine.rules.reshaping import BROADCAST, CAST, RESHAPE, TRANSPOSE
from ...graph.graph import Graph
from ..derivations.derivation import Derivation, adjoints, tangents, varied
from ..derivations.translation import translated
from ..points.batches import Which, selected
from ..points.results import Curvature, Derivatives
from ..terms.array_terms import Term, Terms, in_order, work
from ..terms.batching import Batch
from ..terms.identities import identity
from .lowering import (
    ADJOINT,
    TANGENT,
    Lowered,
    Traced,
    check_is_real,
    check_order,
    listed,
    of_gradient,
    values_at,
    values_of,
)

# ---- products of local Jacobians along chains ----


MOST = 6
"""Bottlenecks that are considered; of more, the smallest are."""


class Plan(NamedTuple):
    """How the Jacobian from one stage of a chain to a later one is made.

    ``way`` is "forward" or "reverse": a sweep on or back through what is left of the way, beginning with the Jacobian
    of the ``first`` plan, or with the identity if that is ``None``; or "product": ``first`` times ``second``.
    """

    way: str
    start: int
    end: int
    cost: int
    first: Plan | None = None
    second: Plan | None = None


def bottlenecks(graph: Graph, inputs: Sequence[int], outputs: Iterable[int]) -> list[int]:
    """Return the nodes between, through which all paths from the inputs to the outputs go, in their order.

    >>> import adviz
    >>> bottlenecks(adviz.trace(lambda x: np.exp(np.sum(x)) * np.ones(3), np.ones(4)), [0], [3])
    [1, 2]
    """
    outputs = list(outputs)
    reaches = [False] * len(graph)
    for node in outputs:
        reaches[node] = True
    for node in range(len(graph) - 1, -1, -1):
        if reaches[node]:
            for operand in graph.operand_nodes(node):
                reaches[operand] = True
    depends = varied(graph, inputs)
    is_between = [one and other for one, other in zip(depends, reaches, strict=True)]
    edges = [(u, v) for v in range(len(graph)) if is_between[v] for u in graph.operand_nodes(v) if is_between[u]]
    edges += [(-1, x) for x in inputs if is_between[x]] + [(y, len(graph)) for y in outputs if is_between[y]]
    jumped = np.zeros(len(graph) + 1, int)
    for u, v in edges:
        jumped[u + 1] += 1
        jumped[v] -= 1
    over = np.cumsum(jumped)
    ends = {*inputs, *outputs}
    return [v for v in range(len(graph)) if is_between[v] and not over[v] and v not in ends]


def narrowest(nodes: Sequence[int], sizes: Sequence[int], most: int) -> list[int]:
    """Return the nodes of the least sizes below ``most``, up to :data:`MOST`: of equal neighbours the first.

    >>> narrowest([3, 4, 5, 6], [5, 5, 20, 2], 10)
    [3, 6]
    """
    runs = [(size, next(run)[0]) for size, run in groupby(zip(nodes, sizes, strict=True), itemgetter(1))]
    around = [math.inf, *(size for size, _ in runs), math.inf]
    triples = zip(around, runs, around[2:], strict=False)
    kept = [run for before, run, after in triples if before > run[0] < min(after, most)]
    return sorted(node for _, node in sorted(kept)[:MOST])


def best_plan(
    sizes: Sequence[int], forward: Callable[[int, int], int], reverse: Callable[[int, int], int], ways: Sequence[str]
) -> Plan:
    """Return the plan of the least cost for a chain whose stages have these numbers of entries.

    ``forward(i, j)`` and ``reverse(i, j)`` are the operations of one tangent or adjoint between two stages, ``ways``
    those that are allowed.

    >>> through_a_bottleneck = best_plan([100, 5, 100], lambda i, j: 3000, lambda i, j: 3000, ["forward", "reverse"])
    >>> through_a_bottleneck.way, through_a_bottleneck.cost
    ('product', 130000)
    """

    @cache
    def found(i: int, j: int) -> Plan:
        plans = []
        if "forward" in ways:
            plans.append(Plan("forward", i, j, sizes[i] * forward(i, j)))
        if "reverse" in ways:
            plans.append(Plan("reverse", i, j, sizes[j] * reverse(i, j)))
        for k in range(i + 1, j) if len(ways) > 1 else ():
            one, other = found(i, k), found(k, j)
            product = 2 * sizes[i] * sizes[k] * sizes[j]
            plans += [
                Plan("forward", i, j, one.cost + sizes[i] * forward(k, j), one),
                Plan("reverse", i, j, other.cost + sizes[j] * reverse(i, k), other),
                Plan("product", i, j, one.cost + other.cost + product, one, other),
            ]
        return min(plans, key=lambda plan: plan.cost)

    return found(0, len(sizes) - 1)


def sweeps(plan: Plan) -> list[tuple[str, int, int]]:
    """Return the sweeps that a plan takes: the way, the stage of the seeds, and the stage at which it arrives."""
    inner = [each for part in (plan.first, plan.second) if part is not None for each in sweeps(part)]
    if plan.way == "forward":
        return [*inner, ("forward", plan.first.end if plan.first else plan.start, plan.end)]
    if plan.way == "reverse":
        return [*inner, ("reverse", plan.first.start if plan.first else plan.end, plan.start)]
    return inner


# ---- sweeps of several vectors ----

# Tangents and adjoints along all seeds at once: sweeps whose seeds are the rows of a matrix.
#
# Source: Griewank and Walther, Evaluating Derivatives (2nd ed., 2008), section 3.3 (vector modes).


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

    ``values`` says what the results are, which ``translation`` has first; reverse sweeps arrive at some ``inputs``.
    ``made`` is the tangent or adjoint of each sweep that arrives.
    """

    def __init__(
        self,
        derivation: Derivation,
        values: Callable[[Derivation], list[Any]],
        along: Sequence[Along],
        inputs: Sequence[int] = (),
    ):
        seeds: dict[Seed, Any] = {}
        known: dict[Seed, Mapping[int, Any]] = {}

        def derive(it: Derivation) -> Any:
            for way, start in dict.fromkeys((way, p) for way, p, _ in along if p.node is not None):
                seed = it.input(f"{start.name}{SUFFIXES[way]}", np.ones(start.shape, start.dtype))
                given: dict[Any, Any] = {start.node: seed}
                seeds[way, start] = seed
                known[way, start] = tangents(it, given) if way == "forward" else adjoints(it, given, inputs)
            return values(it)

        results = derivation.run(derive)
        there = {
            (way, p, q): known[way, p][q.node]
            for way, p, q in along
            if (way, p) in known and q.node is not None and q.node in known[way, p]
        }
        marks = {node: value for sweep in reversed(known.values()) for node, value in sweep.items()}
        suffix = SUFFIXES["reverse" if all(way == "reverse" for way, _, _ in along) else "forward"]
        self.translation = translated(derivation, [*results, *there.values()], marks, {}, suffix)
        self.terms, self.count = self.translation.terms, len(derivation.graph.inputs)
        self.made: dict[Along, Term] = dict(zip(there, self.translation.results[len(results) :], strict=True))
        numbers = {key: number for number, key in enumerate(seeds, self.count)}
        inputs_of = {each.value: each for each in in_order(self.translation.results) if each.name == "input"}
        self.seeds = {key: inputs_of[number] for key, number in numbers.items() if number in inputs_of}
        self.batches: list[Batch] = []

    def work(self, along: Sequence[Along]) -> int:
        """Return the operations of sweeps, about, without those that do not depend on their seeds."""
        terms = [self.made[each] for each in along if each in self.made]
        depends = {self.seeds[each[:2]] for each in along if each[:2] in self.seeds}
        total = 0
        for term in in_order(terms):
            if any(operand in depends for operand in term.operands):
                depends.add(term)
                total += work(term.operation, term.operands)
        return total

    def jacobian(self, plan: Plan, stages: Sequence[Stage]) -> dict[tuple[Place, Place], Term]:
        """Return the Jacobians from the arrays of one stage to those of another as matrices, without zeros."""
        ins, outs = stages[plan.start], stages[plan.end]
        if plan.way == "product":
            assert plan.first is not None
            assert plan.second is not None
            (middle,) = stages[plan.first.end]
            before, after = self.jacobian(plan.first, stages), self.jacobian(plan.second, stages)
            return {
                (y, x): self.block(
                    self.terms.apply(MATMUL, self._matrix(after, y, middle), self._matrix(before, middle, x)), y, x
                )
                for y in outs
                for x in ins
                if (y, middle) in after and (middle, x) in before
            }
        given = None if plan.first is None else self.jacobian(plan.first, stages)
        return self._swept(plan, stages, given)

    def _swept(self, plan: Plan, stages: Sequence[Stage], given: Any) -> dict[tuple[Place, Place], Term]:
        """Return Jacobians by a sweep on or back from the identity, or from given Jacobians."""
        result, is_on = {}, plan.way == "forward"
        sources, targets = stages[plan.start], stages[plan.end]
        if not is_on:
            sources, targets = targets, sources
        for source in sources:
            start, rows = source, None
            if plan.first is not None:
                (start,) = stages[plan.first.end if is_on else plan.first.start]
                pair = (start, source) if is_on else (source, start)
                if pair not in given:
                    continue
                rows = self._turned(self._matrix(given, *pair)) if is_on else self._matrix(given, *pair)
            batch = self.batch(plan.way, start, source.size, rows)
            for target in targets:
                if batch is not None and (made := self.made.get((plan.way, start, target))) is not None:
                    pair, term = (target, source) if is_on else (source, target), batch.of(made)
                    if is_on:
                        term = self._turned(self.terms.apply(RESHAPE, term, (source.size, target.size)))
                    result[pair] = self.block(term, *pair)
        return result

    def batch(self, way: str, start: Place, count: int, rows: Term | None = None) -> Batch | None:
        """Return the terms of a sweep with rows for its seed, the identity if there are none given."""
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

    def block(self, term: Term, y: Place, x: Place) -> Term:
        """Return a matrix in the shapes of what it is between."""
        return self.terms.apply(RESHAPE, term, (*y.shape, *x.shape))

    def finish(self, results: list[Term]) -> None:
        """Take other results, and note of terms with rows what is known of those without."""
        translation = self.translation
        translation.results, translation.inputs = results, translation.inputs[: self.count]
        for term, rows in (pair for batch in self.batches for pair in batch.rows.items()):
            if term in translation.known and rows.operands:
                translation.known.setdefault(rows, translation.known[term])


def _swept(of: Traced, along: Sequence[Along]) -> Swept:
    """Return sweeps through a function, with its values."""
    return Swept(Derivation(of.graph), lambda it: values_of(it, of), along, [leaf.nodes[0] for leaf in of.wanted])


# ---- Jacobians and Hessians ----


def lower_jacobian(of: Traced, *, order: str = "best", outputs: Which = None) -> Lowered:
    """Return values and the Jacobian.

    The ``order`` is "forward", a row for each number of the arguments; "reverse", a row for each number of the results;
    or "best": what takes the least operations on numbers, also in parts, between arrays through which all paths go.
    """
    check_order(order, "best", "forward", "reverse")
    check_is_real(of)
    if outputs is not None:
        result, results = selected("outputs", outputs, of.result, of.outputs)
        of = replace(of, result=result, outputs=results)
    stages = _stages(of)
    stages = stages if order == "best" else [stages[0], stages[-1]]
    plan = _plan(of, stages, ("forward", "reverse") if order == "best" else (order,))
    swept = _swept(of, [(way, p, q) for way, i, j in sweeps(plan) for p in stages[i] for q in stages[j]])
    blocks = swept.jacobian(plan, stages)
    count = len(of.outputs)
    jacobian = [blocks.get((y, x)) or _zeros(swept.terms, y, x) for y in stages[-1] for x in stages[0]]
    translation = swept.translation
    swept.finish([*translation.results[:count], *jacobian])
    names = [x.name for x in stages[0]]
    template = Derivatives(of.result, repeated(of.result, of.structure))
    summary = f"The values of {of.graph.title}, and its Jacobian with respect to {listed(names)}."
    called = [_called(y.name * (count > 1), x.name * (len(names) > 1), "jac") for y in stages[-1] for x in stages[0]]
    parts = ("values", _heading(plan, names))
    preset = _names(swept.terms, jacobian, called)
    return Lowered(translation, of.graph.title, of.arguments, template, count, summary, parts, preset=preset)


def _names(terms: Terms, results: Sequence[Term], called: Sequence[str]) -> dict[Term, str]:
    """Return the names of results, but for those that are values of the user's function."""
    pairs = [*zip(results, called, strict=True)][::-1]  # of several names for one term, the first
    return {term: name for term, name in pairs if term.number >= terms.derivative_from}


def _called(*parts: str) -> str:
    """Return the name of a part of a Jacobian or a Hessian: ``x_jac``; of one that has no parts ``jac``."""
    return "_".join(filter(None, parts))


def _heading(plan: Plan, names: Sequence[str]) -> str:
    """Return what the derivatives are, part by part."""
    if plan.way == "product" or plan.first is not None:
        return "Jacobians"
    rows = listed(names) if plan.way == "forward" else "the result"
    return f"{'tangents' if plan.way == 'forward' else 'adjoints'}, a row for each number of {rows}"


def _stages(of: Traced) -> list[Stage]:
    """Return the arrays of the arguments, narrow ones that all paths go through, and the arrays of the results."""
    first = _arguments(of)
    named = zip(leaves(of.result, "result"), of.outputs, strict=True)
    last = [
        Place(leaf.nodes[0] if leaf.nodes else None, name, leaf.shape, _real(leaf.dtype)) for (name, _), leaf in named
    ]
    most = max(sum(place.size for place in stage) for stage in (first, last))
    inputs, outputs = ([each.node for each in stage if each.node is not None] for stage in (first, last))
    between = bottlenecks(of.graph, inputs, outputs)
    values = [np.asarray(of.graph.values[node]) for node in between]
    narrow = narrowest(between, [value.size for value in values], most)
    kept = [(node, value) for node, value in zip(between, values, strict=True) if node in narrow]
    return [
        first,
        *([Place(node, of.graph.name(node) or "value", value.shape, value.dtype)] for node, value in kept),
        last,
    ]


def _arguments(of: Traced) -> list[Place]:
    """Return the arrays to differentiate with respect to."""
    names = {id(leaf): name for name, leaf in of.named_leaves()}
    return [Place(leaf.nodes[0], names[id(leaf)], leaf.shape, leaf.dtype) for leaf in of.wanted]


def _real(dtype: Any) -> Any:
    return dtype if dtype.kind == "f" else np.dtype(float)


def _plan(of: Traced, stages: Sequence[Stage], ways: Sequence[str]) -> Plan:
    """Return the plan of the least cost, by the operations of single tangents and adjoints."""
    if len(ways) == 1:
        return Plan(ways[0], 0, len(stages) - 1, 0)

    def between(i: int, j: int) -> list[tuple[Place, Place]]:
        return [(p, q) for p in stages[i] for q in stages[j]]

    pairs = [pair for j in range(len(stages)) for i in range(j) for pair in between(i, j)]
    swept = _swept(of, [*(("forward", p, q) for p, q in pairs), *(("reverse", q, p) for p, q in pairs)])
    return best_plan(
        [sum(place.size for place in stage) for stage in stages],
        lambda i, j: swept.work([("forward", p, q) for p, q in between(i, j)]),
        lambda i, j: swept.work([("reverse", q, p) for p, q in between(i, j)]),
        ways,
    )


def _undefined_at(terms: Terms, block: Term, y: Place, at_kink: Sequence[Term]) -> Term:
    """Return a block of a Hessian, and NaN at a kink."""
    for each in at_kink:
        block = terms.apply(BLOCK_OF[np.add], block, terms.apply(CAST, each, y.dtype))
    return block


def _zeros(terms: Terms, y: Place, x: Place) -> Term:
    return terms.apply(BROADCAST, np.zeros((), y.dtype)[()] if y.dtype != float else 0.0, (*y.shape, *x.shape))


def repeated(outside: Any, inside: Any) -> Any:
    """Return a structure inside each leaf of another one; its leaves are arrays, since a list of numbers would be one.

    >>> repeated([np.zeros(()), np.zeros(())], 1.0)
    [array(0.), array(0.)]
    """
    inside = rebuild(inside, (np.zeros(np.shape(leaf)) for _, leaf in leaves(inside, "")))
    return rebuild(outside, iter([inside] * sum(1 for _ in leaves(outside, ""))))


def lower_hessian(of: Traced, *, order: str = "forward") -> Lowered:
    """Return value, gradient and Hessian: sweeps on through the sweep back, a row for each number of the arguments."""
    check_order(order, "forward", "best")
    of.check_is_number("compile_hessian")
    check_is_real(of)
    derivation, rows = of_gradient(of)
    count = 1 + len(of.wanted)
    node_of = {id(leaf): node for leaf, node in zip(of.inputs, derivation.graph.inputs, strict=True)}
    places = [x._replace(node=node_of[id(leaf)]) for x, leaf in zip(_arguments(of), of.wanted, strict=True)]
    ends = [x._replace(node=y if isinstance(y, int) else None) for x, y in zip(places, rows[1:count], strict=True)]

    swept = Swept(derivation, lambda it: values_at(it, rows), [("forward", x, y) for x in places for y in ends])
    terms, results = swept.terms, swept.translation.results[: len(rows)]
    hessian = []
    for x in places:
        batch = swept.batch("forward", x, x.size)
        for y, end in zip(places, ends, strict=True):
            made = swept.made.get(("forward", x, end))
            block = _zeros(terms, x, y) if made is None or batch is None else swept.block(batch.of(made), x, y)
            hessian.append(_undefined_at(terms, block, y, results[count:]))
    swept.finish([*results[:count], *hessian])
    named = listed([x.name for x in places])
    several = len(places) > 1
    called = [_called(x.name * several, y.name * several, "hess") for x in places for y in places]
    summary = f"The value of {of.graph.title}, its gradient, and its Hessian with respect to {named}."
    template = Curvature(0.0, of.structure, repeated(of.structure, of.structure))
    parts = ("forward", f"backward, and along tangents, a row for each number of {named}")
    preset = _names(terms, hessian, called)
    return Lowered(swept.translation, of.graph.title, of.arguments, template, 1, summary, parts, preset=preset)
