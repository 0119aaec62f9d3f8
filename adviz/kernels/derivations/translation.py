"""From the tape of a derivation to terms, and back; and the nodes of the user's function that terms are due to."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...engine.blocks import INPUT, OUTPUT
from ...engine.rules.abstract_values import shape_dtype_of
from ...engine.rules.gathering import GATHER, PUT, is_simple, split
from ...engine.rules.indexing import INDEX, SET
from ...engine.rules.matrix_products import MATMUL
from ...engine.rules.reducing import MAX, MEAN, MIN, SUM
from ...engine.rules.reshaping import RESHAPE, TRANSPOSE
from ...engine.trace import input_of
from ...engine.variable import Variable
from ...graph.graph import Graph
from ...graph.scopes import NOWHERE
from ..terms.arithmetic_rules import factored
from ..terms.array_terms import DIVIDE, LOOP, MULTIPLY, NEGATIVE, Made, Term, Terms, in_order
from ..terms.linear_rules import simplifying
from ..terms.product_chains import in_cheapest_order
from ..terms.shape_rules import axes_of
from .derivation import Derivation, LoopValue, writing_on_tape

# ---- sums of products ----

# A last pass over terms: sums of products, which nothing else needs, as products of vectors and matrices.
#
# `np.sum(a * w, axis=1)` writes an array of the shape of `a` and reads it again; `a @ w` reads `a` once, and NumPy
# gives it to BLAS. A product that is there anyway is added up as it is.


NAME, LAW = "sums", "sum(v * w) = v @ w, sum(v[:, None] * a, axis=0) = v @ a, sum(a * w, axis=1) = a @ w"


def multiplied(terms: Terms, results: Sequence[Term]) -> dict[Term, Term]:
    """Return for each term of the results the one to take."""
    order = in_order(results)
    uses = Counter(operand for term in order for operand in term.operands)
    uses.update(results)
    result: dict[Term, Term] = {}
    for term in order:
        operands = [result[each] for each in term.operands]
        if operands == list(term.operands):
            result[term] = term
        else:  # what had its axes kept may be taken in its own shape now
            make = terms.apply if term.is_of(RESHAPE, TRANSPOSE) else terms.plain
            result[term] = make(term.operation, *operands)
        is_derived = term.number >= terms.derivative_from and terms.derivative_from < math.inf
        if is_derived and result[term].is_of(SUM) and uses[term.operands[0]] == 1:
            product = result[term].operands[0]
            if (other := _product(terms, product, result[term])) is not None:
                terms.note(NAME, LAW, product.size)
                result[term] = other
    return result


def _product(terms: Terms, a: Term, total: Term) -> Term | None:
    """Return the sum of ``a`` as a product, if it is one."""
    if not a.is_of(MULTIPLY) or len(a.shape) not in (1, 2) or a.dtype.kind != "f":
        return None
    axes = axes_of(a, total.operands[1])
    for one, other in (a.operands, a.operands[::-1]):
        if one.dtype != a.dtype or other.dtype != a.dtype or other.shape != a.shape:
            continue
        is_row = len(a.shape) == 2 and one.shape in (a.shape[1:], (1, *a.shape[1:]))
        is_column = one.shape == (a.shape if len(a.shape) == 1 else (a.shape[0], 1))
        if (axes == (0,) and is_column) or (axes == (1,) and is_row):
            v = terms.apply(RESHAPE, one, (one.size,))
            result = terms.apply(MATMUL, *((v, other) if axes == (0,) else (other, v)))
            return terms.apply(RESHAPE, result, total.shape)
    return None


def reused(terms: Terms, results: Sequence[Term]) -> dict[Term, Term]:
    """Choose the terms to take for those of the results: ``sum(a / 8)`` for ``sum(a) / 8``, where ``a / 8`` is there.

    Rules take numbers out of sums, so that they meet others; where they met none, this saves an operation.

    >>> import numpy as np
    >>> from ..terms.linear_rules import simplifying
    >>> terms = simplifying()
    >>> terms.derivative_from = 0
    >>> x = terms.input(0, (3,), np.dtype(float))
    >>> part = terms.apply(np.divide, x, 8.0)
    >>> total = terms.apply(SUM, part, None, False)
    >>> total.name, reused(terms, [part, total])[total].operands[0] is part
    ('divide', True)
    """
    order = in_order(results)
    uses = Counter([*results, *(operand for term in order for operand in term.operands)])
    there = {factored(term): term for term in order if term.is_of(MULTIPLY, DIVIDE, NEGATIVE)}
    result: dict[Term, Term] = {}
    for term in order:
        core, factor = factored(term)
        if core is not term and core.is_of(SUM):
            inner, *settings = core.operands
            base, inside = factored(inner)
            whole = there.get((base, factor * inside))
            if whole is not None:
                result[term] = terms.plain(SUM, result.get(whole, whole), *settings)
                continue
        if _drops_axes(term, terms) and uses[term.operands[0]] == 1:
            a, axis, _ = term.operands[0].operands
            operation = term.operands[0].operation
            result[term] = terms.plain(operation, result.get(a, a), axis, terms.constant(False))
            continue
        operands = [result.get(each, each) for each in term.operands]
        result[term] = term if operands == list(term.operands) else terms.plain(term.operation, *operands)
    return result


def _drops_axes(term: Term, terms: Terms) -> bool:
    """Return whether a term is a sum or its like that keeps its axes, which are then taken away; not the user's."""
    if not term.is_of(RESHAPE):
        return False
    reduction = term.operands[0]
    is_new = reduction.number >= terms.users_until
    if not (is_new and reduction.is_of(SUM, MEAN, MAX, MIN) and reduction.operands[2].value):
        return False
    a, axis, _ = reduction.operands
    return bool(shape_dtype_of(reduction.operation, [a, axis, terms.constant(False)])[0] == term.shape)


@dataclass
class Known:
    """What is known of a term: the node of the user's function that it is due to, and how.

    It is the value of that node; or, if ``is_derivative``, its adjoint or tangent (``is_mark``), or something that the
    derivative of that node takes.
    """

    node: int
    is_derivative: bool = False
    is_mark: bool = False


@dataclass
class Translation:
    """The terms of a derivation: those of its ``results``, and what is known of each of them.

    ``graph`` is that of the function, ``suffix`` what is added to a name of a value for its adjoint or tangent, and
    ``inputs`` has the names of the inputs.
    """

    graph: Graph
    terms: Terms
    results: list[Term]
    suffix: str
    inputs: list[str] = field(default_factory=list)
    known: dict[Term, Known] = field(default_factory=dict)


def translated(
    derivation: Derivation,
    results: Sequence[Any],
    marks: Mapping[int, Any],
    constants: Mapping[int, Any],
    suffix: str,
) -> Translation:
    """Return terms of the ``results``, which are traced values or constants, by the rules of this folder.

    ``marks`` are the adjoints or tangents of nodes, whose names get the ``suffix``; ``constants`` are inputs of the
    tape that always have the same value, such as the adjoint 1 of a loss.
    """
    terms = simplifying()
    for_loops = [operand for value in derivation.made_by_loops.values() for operand in value.operands]
    wanted = [each.index for each in (*results, *marks.values(), *for_loops) if isinstance(each, Variable)]
    graph = derivation.tape.graph(wanted, derivation.graph.title)
    start = min((row for _, row, _, is_derivative in derivation.wrote if is_derivative), default=len(graph))
    of_row = terms_of_rows(terms, graph, constants, start, derivation.made_by_loops)
    made = [of_row[each.index] if isinstance(each, Variable) else terms.constant(each) for each in results]
    there, made_for = improved(terms, made)
    made, of_row = [there[term] for term in made], {row: there.get(term, term) for row, term in of_row.items()}
    given = (row for row in graph.inputs if row not in constants and row not in derivation.made_by_loops)
    inputs = [derivation.tape.names[row] for row in given]
    result = Translation(derivation.graph, terms, made, suffix, inputs)
    values = ((node, value) for node, value in enumerate(derivation.values) if isinstance(value, Variable))
    _note(result, {node: of_row[value.index] for node, value in values if value.index in of_row}, is_mark=False)
    _note(
        result, {node: of_row[each.index] for node, each in marks.items() if isinstance(each, Variable)}, is_mark=True
    )
    for node, start, end, is_derivative in derivation.wrote:
        for row in range(start, end):
            if row in of_row and of_row[row].operands:
                result.known.setdefault(of_row[row], Known(node, is_derivative))
    for product, term in made_for.items():
        if (known := result.known.get(term)) is not None and product.operands:
            result.known.setdefault(product, Known(known.node, True))
    return result


def improved(terms: Terms, made: Sequence[Term]) -> tuple[dict[Term, Term], dict[Term, Term]]:
    """Return what each term of ``made`` and below is to be, as whole expressions allow; products, and for what."""
    there = reused(terms, made)
    there = _then(there, multiplied(terms, [there[term] for term in made]))
    again, made_for = in_cheapest_order(terms, [there[term] for term in made])
    return _then(there, again), {product: again[term] for product, term in made_for.items()}


def _then(first: Mapping[Term, Term], second: Mapping[Term, Term]) -> dict[Term, Term]:
    """Return what each term is to be after two passes."""
    return {term: second.get(other, other) for term, other in first.items()}


def terms_of_rows(
    terms: Terms, graph: Graph, constants: Mapping[int, Any], start: int, by_loops: Mapping[int, LoopValue]
) -> dict[int, Term]:
    """Return the term of each row of the tape that something wanted depends on; the derivative begins at row ``start``.

    There numbers are Python's, so that derivatives in single precision stay in single precision.
    """
    of_row: dict[int, Term] = {}
    given = (row for row in graph.inputs if row not in constants and row not in by_loops)
    inputs = {row: number for number, row in enumerate(given)}
    needed = graph.live
    for row, block in enumerate(graph.blocks):
        if row == start:
            terms.derivative_from = len(terms.known)
        if row in constants:
            of_row[row] = terms.constant(constants[row])
        elif row in by_loops:
            value, made = np.asarray(graph.values[row]), by_loops[row]
            moved = None if made.moved is None else tuple(made.moved)
            info = terms.constant(
                Made(made.loop, made.part, made.key, tuple(made.seeds), value.shape, value.dtype, moved)
            )
            data = (of_row[each.index] if isinstance(each, Variable) else each for each in made.operands)
            of_row[row] = terms.plain(LOOP, info, *map(terms.constant, data))
        elif block is INPUT:
            value = np.asarray(graph.values[row])
            of_row[row] = terms.input(inputs[row], value.shape, value.dtype)
        elif needed[row]:
            operands = [of_row[k] if k >= 0 else graph.literal(k) for k in graph.operands(row)]
            if row >= start:
                operands = list(map(_as_number, operands))
            of_row[row] = terms.apply(*_with_plain_key(block, operands))
    return of_row


def _as_number(operand: Any) -> Any:
    """Return a number of NumPy's in double precision as one of Python's."""
    is_number = isinstance(operand, np.generic | np.ndarray) and not operand.ndim
    return float(operand) if is_number and operand.dtype == np.dtype(float) else operand


def _with_plain_key(block: Any, operands: list[Any]) -> tuple[Any, ...]:
    """Return an operation whose key has arrays of indices as the one that takes these as operands."""
    if block is INDEX and not is_simple(operands[1]):
        form, indices = split(operands[1])
        return GATHER, operands[0], form, *indices
    if block is SET and not is_simple(operands[2]):
        form, indices = split(operands[2])
        return PUT, *operands[:2], form, *indices
    return block, *operands


def _note(translation: Translation, terms: Mapping[int, Term], is_mark: bool) -> None:
    """Note what values or marks terms are: of several nodes, the first that the user has named counts."""
    graph = translation.graph
    for node, term in terms.items():
        if term.is_constant or graph.blocks[node] is OUTPUT:
            continue
        known = translation.known.setdefault(term, Known(node, is_mark, is_mark))
        is_better = not graph.name(known.node) or (is_mark and graph.blocks[node] is INPUT)
        if known.is_mark == is_mark and is_better and graph.name(node):
            known.node = node


def graph_of(translation: Translation) -> tuple[Graph, list[int | Term], dict[int, LoopValue]]:
    """Return terms as a graph, to be differentiated again, each result's node, or a constant, and what loops make.

    Nodes have names and places in the user's source as the terms do. Inputs are those of the terms, and after them, by
    node, what loops make.
    """
    first, values, looped = translation.graph, dict[Term, Any](), dict[int, LoopValue]()
    order = sorted(in_order(translation.results), key=lambda term: term.number)
    with writing_on_tape() as tape:
        inputs = [input_of(tape, [], name, value, False) for name, value in _inputs_of(translation, order)]
        for term in order:
            operands = [values[each] for each in term.operands]
            if term.is_constant or term.operation is INPUT:
                values[term] = term.value if term.is_constant else inputs[term.value]
            elif term.operation is LOOP:
                values[term] = input_of(tape, [], "state", np.ones(term.shape, term.dtype)[()], False)
                made, *given = operands
                seeds = dict(zip(made.seeds, given, strict=False))
                looped[values[term].index] = LoopValue(made.loop, made.part, made.key, given, seeds)
            else:
                values[term] = term.operation(*operands)
        results = (values[term] for term in translation.results)
        rows = [each.index if isinstance(each, Variable) else translation.terms.constant(each) for each in results]
        for_loops = [each.index for made in looped.values() for each in made.operands if isinstance(each, Variable)]
        graph = tape.graph([*(row for row in rows if isinstance(row, int)), *for_loops], first.title)
    graph.call_table = first.call_table
    graph.names = dict.fromkeys(range(len(graph)), "") | {x.index: tape.names[x.index] for x in inputs}
    for row in range(len(graph)):
        graph.calls[row], graph.offsets[row] = 0, NOWHERE
    for term, value in values.items():
        if isinstance(value, Variable) and (known := translation.known.get(term)) is not None:
            graph.calls[value.index], graph.offsets[value.index] = first.calls[known.node], first.offsets[known.node]
            name = first.name(known.node) if known.is_mark or not known.is_derivative else ""
            if name and term.operation is not INPUT:
                graph.names[value.index] = f"{name}{translation.suffix if known.is_derivative else ''}"
    return graph, rows, looped


def _inputs_of(translation: Translation, order: Sequence[Term]) -> list[tuple[str, Any]]:
    """Return the inputs of terms by their names, with examples: those of the graph, and what a derivative takes."""
    graph = translation.graph
    given = [(graph.name(x) or "x", graph.values[x]) for x in graph.inputs]
    used = {term.value: np.ones(term.shape, term.dtype)[()] for term in order if term.operation is INPUT}
    return [*given, *((name, used.get(k, 0.0)) for k, name in enumerate(translation.inputs[len(given) :], len(given)))]
