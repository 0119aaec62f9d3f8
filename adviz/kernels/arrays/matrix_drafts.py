"""Jacobians and Hessians as programs on arrays, by sweeps whose seeds are the rows of a matrix.

Source: Griewank and Walther, Evaluating Derivatives (2nd ed., 2008), sections 3.3 (vector modes) and 5.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...engine.blocks import BLOCK_OF
from ...engine.pytrees import leaves, rebuild
from ...engine.rules.reshaping import BROADCAST, CAST, RESHAPE
from ..derivations.derivation import Derivation, tangents
from ..derivations.translation import translated
from ..points.results import Curvature, Derivatives
from ..points.selected import Which, selected
from ..terms.array_terms import Term, Terms, in_order
from ..terms.batching import Batch
from ..terms.identities import identity
from .chain_products import Plan, best_plan, bottlenecks, narrowest, sweeps
from .drafts import TANGENT, Draft, Traced, check_is_real, check_order, listed, of_gradient
from .vector_sweeps import Place, Stage, Swept, note_rows


def jacobian_draft(of: Traced, *, order: str = "best", outputs: Which = None) -> Draft:
    """Values and the Jacobian.

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
    swept = Swept(of, [(way, p, q) for way, i, j in sweeps(plan) for p in stages[i] for q in stages[j]])
    blocks = swept.jacobian(plan, stages)
    count = len(of.outputs)
    jacobian = [blocks.get((y, x)) or _zeros(swept.terms, y, x) for y in stages[-1] for x in stages[0]]
    found = swept.found
    swept.finish([*found.results[:count], *jacobian])
    names = [x.name for x in stages[0]]
    template = Derivatives(of.result, repeated(of.result, of.structure))
    summary = f"The values of {of.graph.title}, and its Jacobian with respect to {listed(names)}."
    called = [_called(y.name * (count > 1), x.name * (len(names) > 1), "jac") for y in stages[-1] for x in stages[0]]
    parts = ("values", _heading(plan, names))
    preset = _names(swept.terms, jacobian, called)
    return Draft(found, of.graph.title, of.arguments, template, count, summary, parts, preset=preset)


def _names(terms: Terms, results: Sequence[Term], called: Sequence[str]) -> dict[Term, str]:
    """The names of results, but for those that are values of the user's function."""
    pairs = [*zip(results, called, strict=True)][::-1]  # of several names for one term, the first
    return {term: name for term, name in pairs if term.number >= terms.derivative_from}


def _called(*parts: str) -> str:
    """The name of a part of a Jacobian or a Hessian: ``x_jac``; of one that has no parts ``jac``."""
    return "_".join(filter(None, parts))


def _heading(plan: Plan, names: Sequence[str]) -> str:
    """What the derivatives are, part by part."""
    if plan.way == "product" or plan.first is not None:
        return "Jacobians"
    rows = listed(names) if plan.way == "forward" else "the result"
    return f"{'tangents' if plan.way == 'forward' else 'adjoints'}, a row for each number of {rows}"


def _stages(of: Traced) -> list[Stage]:
    """The arrays of the arguments, narrow ones that all paths go through, and the arrays of the results."""
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
    """The arrays to differentiate with respect to."""
    names = {id(leaf): name for name, leaf in of.named_leaves()}
    return [Place(leaf.nodes[0], names[id(leaf)], leaf.shape, leaf.dtype) for leaf in of.wanted]


def _real(dtype: Any) -> Any:
    return dtype if dtype.kind == "f" else np.dtype(float)


def _plan(of: Traced, stages: Sequence[Stage], ways: Sequence[str]) -> Plan:
    """The plan of the least cost, by the operations of single tangents and adjoints."""
    if len(ways) == 1:
        return Plan(ways[0], 0, len(stages) - 1, 0)

    def between(i: int, j: int) -> list[tuple[Place, Place]]:
        return [(p, q) for p in stages[i] for q in stages[j]]

    pairs = [pair for j in range(len(stages)) for i in range(j) for pair in between(i, j)]
    swept = Swept(of, [*(("forward", p, q) for p, q in pairs), *(("reverse", q, p) for p, q in pairs)])
    return best_plan(
        [sum(place.size for place in stage) for stage in stages],
        lambda i, j: swept.work([("forward", p, q) for p, q in between(i, j)]),
        lambda i, j: swept.work([("reverse", q, p) for p, q in between(i, j)]),
        ways,
    )


def _undefined_at(terms: Terms, block: Term, y: Place, at_kink: Sequence[Term]) -> Term:
    """A block of a Hessian, and NaN at a kink."""
    for each in at_kink:
        block = terms.apply(BLOCK_OF[np.add], block, terms.apply(CAST, each, y.dtype))
    return block


def _zeros(terms: Terms, y: Place, x: Place) -> Term:
    return terms.apply(BROADCAST, np.zeros((), y.dtype)[()] if y.dtype != float else 0.0, (*y.shape, *x.shape))


def repeated(outside: Any, inside: Any) -> Any:
    """A structure inside each leaf of another one."""
    return rebuild(outside, iter([inside] * sum(1 for _ in leaves(outside, ""))))


def hessian_draft(of: Traced, *, order: str = "forward") -> Draft:
    """Value, gradient and Hessian: sweeps on through the sweep back, a row for each number of the arguments."""
    check_order(order, "forward", "best")
    of.check_is_number("compile_hessian")
    check_is_real(of)
    outer, (value, *gradient) = of_gradient(of)
    gradient, at_kink = gradient[: len(of.wanted)], gradient[len(of.wanted) :]
    node_of = {id(leaf): node for leaf, node in zip(of.inputs, outer.graph.inputs, strict=True)}
    inputs, places = [node_of[id(leaf)] for leaf in of.wanted], _arguments(of)

    def derive(it: Derivation) -> Any:
        seeds = [it.input(f"{x.name}{TANGENT}", np.ones(x.shape, x.dtype)) for x in places]
        return [tangents(it, {node: seed}) for node, seed in zip(inputs, seeds, strict=True)]

    sweeps = outer.run(derive)
    results = [outer.values[y] if isinstance(y, int) else y.value for y in (value, *gradient)]
    known = {
        (p, q): sweep[y]
        for p, sweep in enumerate(sweeps)
        for q, y in enumerate(gradient)
        if isinstance(y, int) and y in sweep
    }
    marks = {node: value for sweep in reversed(sweeps) for node, value in sweep.items()}
    undefined = [outer.values[y] if isinstance(y, int) else y.value for y in at_kink]
    found = translated(outer, [*results, *known.values(), *undefined], marks, {}, TANGENT)
    terms, count = found.terms, len(results)
    made = dict(zip(known, found.results[count:], strict=False))
    undefined = found.results[count + len(made) :]
    seeds = {term.value: term for term in in_order(found.results) if term.name == "input"}
    hessian = []
    for p, x in enumerate(places):
        seed = terms.apply(RESHAPE, identity(terms, x.size, x.dtype), (x.size, *x.shape))
        batch = Batch(terms, x.size, {seeds[number]: seed} if (number := len(of.inputs) + p) in seeds else {})
        for q, y in enumerate(places):
            rows = batch.of(made[p, q]) if (p, q) in made else None
            block = _zeros(terms, x, y) if rows is None else terms.apply(RESHAPE, rows, (*x.shape, *y.shape))
            hessian.append(_undefined_at(terms, block, y, undefined))
        note_rows(found, batch)
    found.results, found.inputs = [*found.results[:count], *hessian], found.inputs[: len(of.inputs)]
    named = listed([x.name for x in places])
    several = len(places) > 1
    called = [_called(x.name * several, y.name * several, "hess") for x in places for y in places]
    return Draft(
        found,
        of.graph.title,
        of.arguments,
        Curvature(0.0, of.structure, repeated(of.structure, of.structure)),
        1,
        f"The value of {of.graph.title}, its gradient, and its Hessian with respect to {named}.",
        ("forward", f"backward, and along tangents, a row for each number of {named}"),
        preset=_names(terms, hessian, called),
    )
