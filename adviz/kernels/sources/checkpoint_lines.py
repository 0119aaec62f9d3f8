"""Loops that keep few states: the lines of an iteration that is run again when its derivative needs it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from ...engine.blocks import INPUT
from ..terms.array_terms import Term, in_order
from .lines import Line


class Iteration(NamedTuple):
    """An iteration of a loop as it is written: the terms of its lines, and those that its derivative takes (``kept``).

    ``checkpoints`` are the states that are kept at the same time; ``None`` where each iteration keeps what its
    derivative takes. ``carried`` are the numbers of the parts of the state that derivatives depend on: where there are
    none, what they take is ``recomputed`` without any state. ``advanced`` are the lines that compute the carried parts;
    ``after`` is what the state becomes, by the numbers of the inputs that it is before. Loops ``within``, by their
    first nodes, are run again with all of an iteration.
    """

    forward: list[Term]
    derivative: list[Term]
    kept: list[Term]
    recomputed: list[Term]
    carried: set[int]
    advanced: list[Term]
    after: Mapping[int, Term]
    checkpoints: int | None
    within: Mapping[int, Iteration] = {}

    @property
    def way(self) -> str:
        """How the derivative gets what it takes: ``"nothing"``, ``"kept"``, ``"recomputed"`` or ``"checkpoints"``."""
        if not self.kept and all(each.way == "nothing" for each in self.within.values()):
            return "nothing"
        if self.checkpoints is None:
            return "kept"
        return "checkpoints" if self.carried else "recomputed"

    @property
    def is_all_advanced(self) -> bool:
        """Whether an iteration computes nothing else than the carried parts of the state."""
        return len(self.advanced) == len(self.forward)


def iteration_of(
    forward: list[Term],
    derivative: list[Term],
    kept: list[Term],
    after: Mapping[int, Term],
    checkpoints: int | None,
    within: Mapping[int, Iteration],
) -> Iteration:
    """Return the iteration whose lines compute these terms; by numbers of inputs, ``after`` is the next state."""
    needed = set(in_order([*kept, *(forward if within else ())]))
    carried, wanted = set[int](), _states(needed, after)
    while not wanted <= carried:
        carried |= wanted
        wanted = _states(in_order([after[number] for number in carried]), after)
    advances = set(in_order([*(after[number] for number in carried), *(forward if within else ())]))
    recomputed, advanced = ([term for term in forward if term in part] for part in (needed, advances))
    return Iteration(forward, derivative, kept, recomputed, carried, advanced, after, checkpoints, within)


def _states(terms: Iterable[Term], after: Container[int]) -> set[int]:
    """Return the numbers of the parts of the state among some terms."""
    return {term.value for term in terms if term.operation is INPUT and term.value in after}


def plain(term: Term, text: str, indent: int = 0, is_derivative: bool = False) -> Line:
    """Return a line without a comment."""
    return Line(term, (text,), "", None, is_derivative, indent)


def tupled(texts: Sequence[str]) -> str:
    """Return several values as a tuple, one as it is.

    >>> tupled(["a", "b"]), tupled(["a"])
    ('(a, b)', 'a')
    """
    return f"({', '.join(texts)})" if len(texts) > 1 else ", ".join(texts)
