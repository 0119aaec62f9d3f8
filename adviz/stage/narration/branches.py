"""The branches that a run has taken because of traced values: where its gradient holds, and what did not run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from types import CodeType
from typing import NamedTuple

from ...engine.tracing.decisions import Decision
from ...graph.graph import Graph
from ...graph.origins import origin, parsed
from ...graph.saved_functions import lines_of
from ..scene import captions
from ..scene.formulas import short
from ..scene.panels import Span

Choice = ast.If | ast.IfExp | ast.While

LONGEST = 40  # characters of a condition
MOST = 3  # conditions that a sentence names
OPPOSITES: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Lt: ast.GtE(),
    ast.LtE: ast.Gt(),
    ast.Gt: ast.LtE(),
    ast.GtE: ast.Lt(),
    ast.Eq: ast.NotEq(),
    ast.NotEq: ast.Eq(),
}


class Branch(NamedTuple):
    """A choice in the source, and how it came out; ``None``: now so and then so."""

    code: CodeType
    choice: Choice
    holds: bool | None
    times: int


def branches(decisions: Iterable[Decision]) -> list[Branch]:
    """Return the choices that traced values have decided, in the order of their first decisions.

    >>> from adviz.engine.tracing.decisions import decisions
    >>> import adviz
    >>> with decisions() as found:
    ...     graph = adviz.trace(lambda x: x if x > 0 else -x, -3.0)
    >>> [(ast.unparse(branch.choice), branch.holds) for branch in branches(found)]
    [('x if x > 0 else -x', False)]
    """
    outcomes: dict[tuple[CodeType, ast.expr], list[bool]] = {}
    choices: dict[tuple[CodeType, Choice], dict[ast.expr, list[bool]]] = {}
    for code, offset, holds in decisions:
        found = _choice_at(code, offset) if isinstance(holds, bool) else None
        if found:
            choice, comparison = found
            outcome = outcomes.setdefault((code, comparison), [])
            outcome.append(bool(holds))
            choices.setdefault((code, choice), {})[comparison] = outcome
    return [
        Branch(code, choice, _holds(choice.test, known), max(map(len, known.values())))
        for (code, choice), known in choices.items()
    ]


def _choice_at(code: CodeType, offset: int) -> tuple[Choice, ast.expr] | None:
    """Return the choice that an instruction decides, and its comparison there."""
    place = origin(code, offset)
    if place is None:
        return None
    line = lines_of(code)[place.line - 1] if place.line <= len(lines_of(code)) else ""
    at = (place.line, len(line[: place.column].encode()))
    for choice in _choices(code):
        for node in ast.walk(choice.test):
            if isinstance(node, ast.Compare) and (node.lineno, node.col_offset) == at:
                return choice, node
    return None


def _choices(code: CodeType) -> Iterator[Choice]:
    first = code.co_firstlineno
    for statement in parsed(lines_of(code)).body:
        if statement.lineno <= first <= (statement.end_lineno or first) or code.co_name == "<module>":
            yield from (node for node in ast.walk(statement) if isinstance(node, Choice))


def _holds(test: ast.expr, known: dict[ast.expr, list[bool]]) -> bool | None:
    """Return whether a test holds, as far as that follows from its comparisons."""
    match test:
        case ast.Compare() if test in known:
            outcomes = {all(known[test])} if len(test.ops) > 1 else {*known[test]}
            return outcomes.pop() if len(outcomes) == 1 else None
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = _holds(operand, known)
            return None if inner is None else not inner
        case ast.BoolOp(op=op, values=values):
            ends = isinstance(op, ast.Or)
            parts = [_holds(each, known) for each in values]
            if ends in parts:
                return ends
            return None if None in parts else not ends
    return None


# ---- in words ----


def holding(found: Sequence[Branch]) -> str:
    """Return a sentence that says where a gradient holds; "" where nothing was decided."""
    texts = list(dict.fromkeys(map(_text, found)))
    if not texts:
        return ""
    listed = captions.listed(captions.few(texts, "…", MOST))
    skipped = any(isinstance(each.choice, ast.If | ast.IfExp) and each.holds is not None for each in found)
    rest = ": a branch not taken is not differentiated" if skipped else ""
    return f" This derivative holds while {listed}{rest}."


def _text(branch: Branch) -> str:
    choice = branch.choice
    place = f"(line {choice.test.lineno})"
    if isinstance(choice, ast.While):
        return (
            f"the loop {place} takes {captions.plural(max(0, branch.times - (branch.holds is not True)), 'iteration')}"
        )
    if branch.holds is None:
        return f"{short(ast.unparse(choice.test), LONGEST)} {place} comes out as it did each time"
    return f"{condition(choice.test, branch.holds)} {place}"


def condition(test: ast.expr, holds: bool) -> str:
    """Return what is known where a test holds, or does not.

    >>> test = ast.parse("x > 0", mode="eval").body
    >>> condition(test, True), condition(test, False)
    ('x > 0', 'x ≤ 0')
    """
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if not holds and type(op) in OPPOSITES:
            opposite = OPPOSITES[type(op)]
            return short(_signs(ast.unparse(ast.Compare(left, [opposite], [right]))), LONGEST)
    text = short(_signs(ast.unparse(test)), LONGEST)
    return text if holds else f"not ({text})"


def _signs(text: str) -> str:
    return text.replace("<=", "≤").replace(">=", "≥").replace("!=", "≠").replace("==", "=")


def changed(base: Sequence[Decision], other: Sequence[Decision]) -> str | None:
    """Return what is decided otherwise than in ``base``, in words; ``None`` where nothing is."""
    pairs = zip(base, other, strict=False)
    found = next((one for one, another in pairs if one != another), None)
    if found is None:
        if len(base) == len(other):
            return None
        found = (base if len(base) > len(other) else other)[min(len(base), len(other))]
    place = origin(found.code, found.offset)
    return "" if place is None else f"{short(_signs(place.text), LONGEST)} (line {place.line})".strip()


# ---- in the source ----


def skipped(graph: Graph, found: Sequence[Branch]) -> list[Span]:
    """Return the stretches of source that were not run because of what was decided."""
    return [
        _span(graph.codes.index(code), stretch)
        for code, branches_there in groupby(found, key=lambda branch: branch.code)
        if code in graph.codes
        for branch in branches_there
        for stretch in _not_run(branch)
    ]


def _not_run(branch: Branch) -> list[Sequence[ast.stmt | ast.expr]]:
    """Return what a choice has left out."""
    choice, holds = branch.choice, branch.holds
    if holds is None or (isinstance(choice, ast.While) and holds):
        return []
    parts = choice.orelse if holds else choice.body
    each = [parts] if isinstance(parts, ast.expr) else parts
    return [each] if each else []


def _span(file: int, nodes: Sequence[ast.stmt | ast.expr]) -> Span:
    first, last = nodes[0], nodes[-1]
    return [file, first.lineno, first.col_offset, last.end_lineno or last.lineno, last.end_col_offset or 0, None]
