"""Loops that keep few states: the lines of an iteration that is run again when its derivative needs it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
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


class Stepping(NamedTuple):
    """The texts of a loop with checkpoints: the names that it makes, and the state before and after an iteration.

    ``step`` is the function of an iteration, ``advance`` one that computes no more of the state than is ``carried``,
    ``all_of`` the name of the whole state, ``steps`` that of what derivatives take. ``before`` has ``None`` where no
    iteration takes a part of the state that it leaves.
    """

    step: str
    advance: str
    all_of: str
    steps: str
    counter: str
    names: Sequence[str]
    before: Sequence[str | None]
    after: Sequence[str]
    kept: Sequence[str]

    def lines(self, term: Term, lines: Sequence[Line], iteration: Iteration, iterations: int) -> Iterator[Line]:
        """Yield the lines of the loop; ``lines`` are those of an iteration."""
        yield from self._function(term, self.step, lines, f"{tupled(self.after)}, {tupled(self.kept)}")
        more = ""
        if not iteration.is_all_advanced:
            pairs = zip(iteration.after, zip(self.before, self.after, strict=True), strict=True)
            texts = [after if number in iteration.carried else before or "None" for number, (before, after) in pairs]
            needed = [line for line in lines if line.term in iteration.advanced]
            yield from self._function(term, self.advance, needed, ", ".join(texts))
            more = f", advance={self.advance}"
        given = tupled([name or "None" for name in self.before])
        arguments = f"{self.step}, {given}, {iterations}, checkpoints={iteration.checkpoints}{more}"
        yield plain(term, f"{self.steps} = checkpointed({arguments})")
        yield plain(term, f"{', '.join(self.names)} = next({self.steps})")

    def _function(self, term: Term, name: str, lines: Sequence[Line], returned: str) -> Iterator[Line]:
        """Yield an iteration as a function of the counter and the state."""
        taken = [name or "_" for name in self.before]
        yield plain(term, f"def {name}({self.counter}, {taken[0] if len(taken) == 1 else self.all_of}):")
        if len(taken) > 1:
            yield plain(term, f"{', '.join(taken)} = {self.all_of}", 1)
        yield from (line._replace(indent=line.indent + 1) for line in lines)
        yield plain(term, f"return {returned}", 1)


def plain(term: Term, text: str, indent: int = 0, is_derivative: bool = False) -> Line:
    """Return a line without a comment."""
    return Line(term, (text,), "", None, is_derivative, indent)


def tupled(texts: Sequence[str]) -> str:
    """Return several values as a tuple, one as it is.

    >>> tupled(["a", "b"]), tupled(["a"])
    ('(a, b)', 'a')
    """
    return f"({', '.join(texts)})" if len(texts) > 1 else ", ".join(texts)
