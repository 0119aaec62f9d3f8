"""Parts of a derivative that can be computed before the others: lines of their own let go of what they take.

They are parts that Python computes first as well, where they are written within a line: results do not change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..sources.lines import Writer
from ..sources.operator_printing import COMMUTES, OPERATORS, Printed, as_quotient
from ..terms.array_terms import FREE, Term

Span = tuple[int, int]
"""The first and the last value of the function that an expression takes, by the numbers of their terms."""


def early_parts(writer: Writer) -> set[Term]:
    """Return the parts of what a writer has written that can be computed before the rest of their lines.

    Those are parts of sums but for the latest, and parts that take only later values of the function than the rest.
    """
    spans, result = _spans(writer), set[Term]()
    roots = [term for term in writer.standing if term not in writer.of_values and term not in writer.sums]
    pending = [(root, False, False) for root in roots]
    while pending:
        term, is_spliced, decides = pending.pop()
        for each, is_within, has_sign in _printed(term, writer.printed, is_spliced, decides):
            is_new = bool(each.operands) and each not in writer.standing and each not in writer.of_values
            if is_new and each not in writer.absorbed and each.name != "loop":
                pending.append((each, is_within, has_sign))
                is_turned = has_sign and writer.printed[each].text.startswith("-")
                if not (is_within or is_turned) and each.name not in FREE and _is_early(term, each, spans):
                    result.add(each)
    return result


def _spans(writer: Writer) -> dict[Term, Span]:
    """Return what each term takes where it is written; other lines of the derivative count for nothing."""
    result: dict[Term, Span] = {}
    for term in writer.order:
        if term in writer.standing:
            spans = [(term.number, term.number)] if term in writer.of_values else []
        else:
            spans = [result[each] for each in term.operands if each in result]
        if spans:
            result[term] = min(first for first, _ in spans), max(last for _, last in spans)
    return result


def _is_early(term: Term, part: Term, spans: Mapping[Term, Span]) -> bool:
    if term.is_of("add", "subtract"):
        return part.number < max(each.number for each in term.operands)
    others = [spans[each] for each in term.operands if each is not part and each in spans]
    return part in spans and bool(others) and spans[part][0] > max(last for _, last in others)


def _printed(
    term: Term, printed: Mapping[Term, Printed], is_spliced: bool, decides: bool
) -> Iterator[tuple[Term, bool, bool]]:
    """The operands of a term; whether each is spliced into a chain, since ``b + c`` is no part of ``a + b + c``; and
    whether the sign that it begins with ``decides`` on the order in which a sum is written. The sign of a product may
    be that of any factor, to the last bit."""
    if term.name not in OPERATORS:
        passes_on = term.name in {*FREE, "negative"}
        yield from ((each, passes_on and is_spliced, passes_on and decides) for each in term.operands)
        return
    _, strength = OPERATORS[term.name]
    first, second = term.operands
    is_turned = term.name == "multiply" and second.is_number
    is_turned |= term.name == "add" and printed[first].text.startswith("-") and not printed[second].text.startswith("-")
    if is_turned:
        first, second = second, first
    is_quotient = term.name == "multiply" and as_quotient(first, printed[second], second) is not None
    is_sum, is_chain = term.name == "add", term.name in COMMUTES and not is_quotient
    yield first, is_spliced and printed[first].strength == strength, is_sum or decides
    within = is_chain or (is_quotient and is_spliced)
    yield second, within and printed[second].strength == strength, is_sum or (is_quotient and decides)
