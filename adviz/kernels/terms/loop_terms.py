"""Terms that a loop of a program makes: what it leaves, and the adjoints that it passes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...engine.rules import outlines
from .array_terms import Term


class Made(NamedTuple):
    """Which loop makes a term, by its first node, in which part of the program, and what of it the term is.

    ``seeds`` are the places of what the loop leaves whose adjoints are the operands. A term that is the tangent of such
    a value or adjoint has as further operands the tangents of what is ``moved``: of operands forward, by their numbers,
    and of seeds backward.
    """

    loop: int
    part: str
    key: Any
    seeds: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: Any
    moved: tuple[int, ...] | None = None


def made_of(term: Term) -> Made:
    """Which loop makes a term, and what of it the term is."""
    made: Made = term.operands[0].value
    return made


def seeds_of(term: Term) -> dict[int, Term]:
    """The adjoints of what a loop leaves, by places: operands of one that it passes back."""
    return dict(zip(made_of(term).seeds, term.operands[1:], strict=False))


def seeds_dot_of(term: Term) -> dict[int, Term]:
    """The tangents of such adjoints."""
    made = made_of(term)
    return dict(zip(made.moved or (), term.operands[1 + len(made.seeds) :], strict=False))


class LoopOperation:
    """The operation of such terms: its first operand is a constant :class:`Made`, others are what the loop takes."""

    name = "loop"
    partials = ()
    outline = staticmethod(outlines.made_by_loop)


LOOP: Any = LoopOperation()
"""It is compared by identity, and not computed by itself."""


def together(made: Sequence[Term]) -> Callable[[Term], Sequence[Term]]:
    """What has to be there for a term: its operands, and for what a loop makes, those of all that it makes.

    ``made`` is all that loops make. A loop is written once, with the tangents that go with its values, or with its
    adjoints; these have further operands, which depend on nothing that the same loop makes.
    """
    operands: dict[Any, dict[Term, None]] = {}
    for term in made:
        operands.setdefault(term.operands[0].value[:2], {}).update(dict.fromkeys(term.operands))
    found = {term: tuple(operands[term.operands[0].value[:2]]) for term in made}
    return lambda term: found.get(term, term.operands)
