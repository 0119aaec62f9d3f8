"""Rules by which terms are simplified when they are made: each has a name, and a law that a test checks.

A rule gets the operands of an operation and returns an equal term, or ``None`` where it does not apply. Every rule
leaves fewer operations, smaller arrays, or a form that another rule needs, so that rewriting ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .array_terms import Term

Rewrite = Callable[..., "Term | None"]


class Rule(NamedTuple):
    """A rewriting rule: its name, the law that it uses, in letters, and the function."""

    name: str
    law: str
    rewrite: Rewrite


RULES: dict[str, list[Rule]] = {}
"""By the operations that they rewrite, in the order in which they are tried."""


def rule(name: str, law: str, *operations: str) -> Callable[[Rewrite], Rewrite]:
    """Register a function as a rule for the operations of these names."""

    def register(rewrite: Rewrite) -> Rewrite:
        for operation in operations:
            RULES.setdefault(operation, []).append(Rule(name, law, rewrite))
        return rewrite

    return register


def laws() -> dict[str, list[str]]:
    """The laws by the names of the rules.

    >>> from . import arithmetic_rules
    >>> "-(-a) = a" in laws()["signs"]
    True
    """
    result: dict[str, list[str]] = {}
    for rules in RULES.values():
        for each in rules:
            laws_of = result.setdefault(each.name, [])
            if each.law not in laws_of:
                laws_of.append(each.law)
    return result


def fits(term: Term, result: Any) -> bool:
    """Whether a term has the shape and the dtype of what it is to replace."""
    shape, dtype = result
    return term.shape == shape and term.dtype == dtype
