"""What a term means: its value, each operation computed by its Block."""

from collections.abc import Mapping, Sequence
from typing import Any

from adviz.kernels.terms.array_terms import Term, in_order


def value_of(term: Term, inputs: Sequence[Any] | Mapping[int, Any]) -> Any:
    """The value of a term at inputs, which are known by their numbers."""
    known: dict[Term, Any] = {}
    for each in in_order([term]):
        if each.is_constant:
            known[each] = each.value
        elif each.name == "input":
            known[each] = inputs[each.value]
        else:
            known[each] = each.operation.compute(*(known[operand] for operand in each.operands))
    return known[term]
