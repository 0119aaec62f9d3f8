"""From the tape of a derivation to terms, and what is known of them: names, places in the user's source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...engine.blocks import INPUT
from ...engine.variable import Variable
from ...graph.origins import Origin
from .array_rules import simplifying
from .derivation import Derivation
from .terms import Term, Terms


@dataclass
class Known:
    """What is known of a term: a name for it, the place in the user's source that it is due to, and its part."""

    name: str = ""
    origin: Origin | None = None
    is_derivative: bool = False


@dataclass
class Translation:
    """The terms of a derivation: those of its ``results``, and what is known of each of them.

    ``values`` has the term of each node of the graph.
    """

    terms: Terms
    results: list[Term]
    values: dict[int, Term]
    known: dict[Term, Known] = field(default_factory=dict)


def translated(
    derivation: Derivation,
    results: Sequence[Any],
    marks: Mapping[int, Any],
    constants: Mapping[int, float],
    suffix: str,
) -> Translation:
    """Terms of the ``results``, which are traced values or constants, by the rules of this folder.

    ``marks`` are the adjoints or tangents of nodes, whose names get the ``suffix``; ``constants`` are inputs of the
    tape that always have the same value, such as the adjoint 1 of a loss.
    """
    terms = simplifying()
    wanted = [each.index for each in (*results, *marks.values()) if isinstance(each, Variable)]
    graph = derivation.tape.graph(wanted, derivation.graph.title)
    of_row = _terms_of_rows(terms, graph, constants)
    made = [of_row[each.index] if isinstance(each, Variable) else terms.constant(each) for each in results]
    values = {
        node: of_row[value.index]
        for node, value in enumerate(derivation.values)
        if isinstance(value, Variable) and value.index in of_row
    }
    found = Translation(terms, made, values)
    _note_names(found, derivation, {node: of_row[each.index] for node, each in marks.items() if isinstance(each, Variable)}, suffix)
    _note_places(found, derivation, of_row)
    return found


def _terms_of_rows(terms: Terms, graph: Any, constants: Mapping[int, float]) -> dict[int, Term]:
    """The term of each row of the tape that something wanted depends on."""
    of_row: dict[int, Term] = {}
    inputs = {row: number for number, row in enumerate(row for row in graph.inputs if row not in constants)}
    needed = _needed(graph)
    for row, block in enumerate(graph.blocks):
        if row in constants:
            of_row[row] = terms.constant(constants[row])
        elif block is INPUT:
            value = np.asarray(graph.values[row])
            of_row[row] = terms.input(inputs[row], value.shape, value.dtype)
        elif needed[row]:
            operands = [of_row[k] if k >= 0 else graph.literal(k) for k in graph.operands(row)]
            of_row[row] = terms.apply(block, *operands)
    return of_row


def _needed(graph: Any) -> list[bool]:
    found = [False] * len(graph)
    for row in graph.outputs:
        found[row] = True
    for row in range(len(graph) - 1, -1, -1):
        if found[row]:
            for operand in graph.operand_nodes(row):
                found[operand] = True
    return found


def _note_names(found: Translation, derivation: Derivation, marks: Mapping[int, Term], suffix: str) -> None:
    """Names of the user's for values, and the same with a suffix for their adjoints; the first one counts."""
    graph = derivation.graph
    for node, term in found.values.items():
        if (name := graph.name(node)) and not term.is_constant:
            found.known.setdefault(term, Known(name, graph.origin(node)))
    for node, term in marks.items():
        name = graph.name(node)
        if name and node not in graph.outputs and not term.is_constant:
            known = found.known.setdefault(term, Known())
            if not known.name:
                known.name, known.origin, known.is_derivative = f"{name}{suffix}", graph.origin(node), True


def _note_places(found: Translation, derivation: Derivation, of_row: Mapping[int, Term]) -> None:
    """Where in the user's source a term comes from: its own operation, or that whose derivative it is part of."""
    graph = derivation.graph
    for node, start, end, is_derivative in derivation.wrote:
        for row in range(start, end):
            term = of_row.get(row)
            if term is not None and not term.is_constant and term.operation is not INPUT:
                known = found.known.setdefault(term, Known(is_derivative=is_derivative))
                known.origin = known.origin or graph.origin(node)
                known.is_derivative &= is_derivative
