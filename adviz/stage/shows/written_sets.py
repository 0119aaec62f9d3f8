"""Expressions, chains and blocks as the Scene holds them: parts that know their edges in the picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ...algorithms.expressions import ExpressionError, Letter, Product, Reference, Sum, complex_blocks, dependencies
from ...algorithms.expressions.decomposition import is_direct
from ...algorithms.expressions.terms import Expression, parts, walk
from ...graph.linearized.checked_parts import Edge
from ..narration.algebra_narration import Namer, PageMoment
from ..narration.factored_moments import FactoredMoment
from ..scene import captions
from ..scene.algebra_panels import Dependence, OutlineRow, WrittenPart, WrittenRow, WrittenSet

SORTS = {
    ("chain", True): "direct",
    ("chain", False): "indirect",
    ("block", True): "simple",
    ("block", False): "simple, indirect",
}
"""What is said of a chain or a block, by whether it is direct."""
MOST_NAMES = 6  # of vertices in a row
MOST_OF_A_SUM = 44  # the most characters of a chain or block in the outline


def written_set(moment: FactoredMoment, namer: Namer) -> WrittenSet:
    """Return the expressions after a step: references in their order, then the entries."""
    rows = [_reference(name, expression, moment, namer) for name, expression in moment.references.items()]
    page = moment.page if isinstance(moment, PageMoment) else None
    for (output, input_), expression in moment.rows.items():
        letter = namer.index(Letter(output, input_))
        rows.append({"name": letter, "kind": "letter", "edges": [], "parts": _parts(expression, moment, namer)})
    result: WrittenSet = {"rows": rows, "multiplications": moment.multiplications}
    return {**result, "page": page.number} if page else result


def _reference(name: str, expression: Expression, moment: FactoredMoment, namer: Namer) -> WrittenRow:
    edges = [edge for edge, part in moment.parts.items() if isinstance(part, Reference) and part.name == name]
    named = list(map(namer.thing, edges))
    parts = _parts(expression, moment if isinstance(moment, PageMoment) else None, namer)
    return {"name": name, "kind": "reference", "edges": named, "parts": parts}


def _parts(expression: Expression, moment: FactoredMoment | None, namer: Namer) -> list[WrittenPart]:
    """Return the parts of an expression in edges of the graph of a moment, or in letters of the graph at the start."""
    result: list[WrittenPart] = []
    waiting: list[tuple[Expression, int]] = [(expression, -1)]
    while waiting:
        each, of = waiting.pop()
        match each:
            case Product() | Sum():
                result.append(["product" if isinstance(each, Product) else "sum", of, "", ""])
                waiting += [(inner, len(result) - 1) for inner in reversed(parts(each))]
            case Reference(name):
                result.append(["reference", of, name, ""])
            case Letter():
                edge = each.tail, each.head
                leaf = moment.parts[edge] if moment else each
                is_named = isinstance(leaf, Reference)
                name = leaf.name if isinstance(leaf, Reference) else namer.index(leaf)
                result.append(["reference" if is_named else "letter", of, name, namer.thing(edge) if moment else ""])
    return result


# ---- chains and blocks ----


def outline(moment: FactoredMoment, namer: Namer) -> list[OutlineRow]:
    """Return the tree of chains and blocks after a step: first the core that is left, at the end the references."""
    rows = list(_core(moment, namer))
    depth = int(bool(rows))
    for expression in moment.core.edges.values():
        rows += _branch(expression, depth, moment, namer)
    if not isinstance(moment, PageMoment):
        rows += (_named(name, expression, moment, namer) for name, expression in moment.references.items())
    return rows


def _named(name: str, expression: Expression, moment: FactoredMoment, namer: Namer) -> OutlineRow:
    """Return what a reference stands for, with the edges that are there for it."""
    kind, text = _kind(expression), namer.text(expression)
    reference = namer.leaf(Reference(name, expression.head, expression.tail))
    words = f"{kind} {namer.ends(expression.tail, expression.head)}, computed once: {reference}"
    words += f" = {text}" if len(text) <= MOST_OF_A_SUM else ""
    edges = [edge for edge, part in moment.parts.items() if isinstance(part, Reference) and part.name == name]
    return {"depth": 0, "kind": kind, "words": words, "edges": list(map(namer.thing, edges))}


def _kind(expression: Expression) -> Literal["chain", "block"]:
    return "chain" if isinstance(expression, Product) else "block"


def _core(moment: FactoredMoment, namer: Namer) -> Iterator[OutlineRow]:
    core = moment.core
    if core.is_simple:
        return
    try:
        found = complex_blocks(moment.graph)
    except ExpressionError:
        found = []
    for block in found:
        inner = [vertex for vertex in core.intermediates if any(vertex in edge for edge in block.edges)]
        names = [namer.called(vertex) for vertex in inner if vertex not in (block.tail, block.head)]
        shared, have = captions.listed(names), "has" if len(names) == 1 else "have"
        words = f"block {namer.ends(block.tail, block.head)}, complex: {shared} {have} several edges in or out"
        yield {"depth": 0, "kind": "core", "words": words, "edges": list(map(namer.thing, block.edges))}
    if not found:
        edges = [namer.thing(edge) for part in core.edges.values() for edge in _edges(part)]
        names = list(map(namer.called, core.intermediates))
        left = captions.listed(names) if len(names) <= MOST_NAMES else f"{len(names)} vertices"
        yield {"depth": 0, "kind": "core", "words": f"core, complex: {left} cannot be contracted", "edges": edges}


def _branch(expression: Expression, depth: int, moment: FactoredMoment, namer: Namer) -> Iterator[OutlineRow]:
    """Yield a chain or a block with those in it."""
    waiting = [(expression, depth)]
    while waiting:
        each, at = waiting.pop()
        if not isinstance(each, Product | Sum):
            continue
        kind = _kind(each)
        sort = SORTS[kind, is_direct(each)]
        text = namer.text(moment.spelled(each))
        words = f"{kind} {namer.ends(each.tail, each.head)}, {sort}"
        words += f": {text}" if len(text) <= MOST_OF_A_SUM else ""
        yield {"depth": at, "kind": kind, "words": words, "edges": list(map(namer.thing, _edges(each)))}
        waiting += [(inner, at + 1) for inner in reversed(parts(each))]


def _edges(expression: Expression) -> list[Edge]:
    return [(each.tail, each.head) for each in walk(expression) if isinstance(each, Letter)]


# ---- dependencies ----


def dependence(moment: FactoredMoment, namer: Namer) -> Dependence:
    """Return which multiplications of the expressions after a step wait for which."""
    found = dependencies(moment.expressions)
    cycle = found.cycle or []
    pairs = [(one, other) for one, others in found.waits.items() for other in others]
    circle = zip(cycle, [*cycle[1:], *cycle[:1]], strict=True)
    pairs = list(dict.fromkeys([*pairs, *circle]))
    told = list(dict.fromkeys(each for pair in pairs for each in pair))
    return {
        "multiplications": [" · ".join(map(namer.factor, each)) for each in told],
        "waits": [[told.index(one), told.index(other)] for one, other in pairs],
        "cycle": [told.index(each) for each in cycle],
    }
