"""Loops that keep few states: the lines of an iteration that is run again when its derivative needs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...engine.blocks import INPUT
from ..terms.array_terms import Term, in_order
from .lines import Line


class Iteration(NamedTuple):
    """An iteration of a loop as it is written: the terms of its lines, and those that its derivative takes.

    ``checkpoints`` are the states that are kept at the same time; ``None`` where each iteration keeps what its
    derivative takes. If the derivative takes nothing that depends on the state (``is_free``), it can be ``recomputed``
    without any.
    """

    forward: list[Term]
    derivative: list[Term]
    kept: list[Term]
    recomputed: list[Term]
    is_free: bool
    checkpoints: int | None

    @property
    def way(self) -> str:
        """How the derivative gets what it takes: ``"nothing"``, ``"kept"``, ``"recomputed"`` or ``"checkpoints"``."""
        if not self.kept:
            return "nothing"
        if self.checkpoints is None:
            return "kept"
        return "recomputed" if self.is_free else "checkpoints"


def iteration_of(lines: Sequence[Line], kept: list[Term], states: int, checkpoints: int | None) -> Iteration:
    """The iteration of these lines; its first inputs are the ``states``."""
    forward, derivative = ([line.term for line in lines if line.is_derivative is part] for part in (False, True))
    needed = set(in_order(kept))
    is_free = not any(term.operation is INPUT and term.value < states for term in needed)
    return Iteration(forward, derivative, kept, [term for term in forward if term in needed], is_free, checkpoints)


class StepNames(NamedTuple):
    """The names of a loop with checkpoints: the function of an iteration, its state, what it gives, the counter."""

    step: str
    state: str
    steps: str
    counter: str


def checkpointed_lines(
    term: Term,
    lines: Sequence[Line],
    names: StepNames,
    state: Mapping[str, bool],
    returned: tuple[str, str],
    iterations: int,
    checkpoints: int,
) -> list[Line]:
    """A loop whose iteration is a function: it returns the state after it, and what its derivative takes.

    ``lines`` are those of an iteration; ``state`` has the names of the state, and whether an iteration takes it.
    """
    before = list(state)
    given = together([name if is_taken else "None" for name, is_taken in state.items()])
    head = [f"def {names.step}({names.counter}, {before[0] if len(before) == 1 else names.state}):"]
    unpacked = ", ".join(name if is_taken else "_" for name, is_taken in state.items())
    inside = [f"{unpacked} = {names.state}"] if len(before) > 1 else []
    after = [
        f"{names.steps} = checkpointed({names.step}, {given}, {iterations}, checkpoints={checkpoints})",
        f"{', '.join(before)} = next({names.steps})",
    ]
    return [
        *(plain(term, text) for text in head),
        *(plain(term, text, 1) for text in inside),
        *(line._replace(indent=line.indent + 1) for line in lines),
        plain(term, f"return {', '.join(returned)}", 1),
        *(plain(term, text) for text in after),
    ]


def plain(term: Term, text: str, indent: int = 0, is_derivative: bool = False) -> Line:
    """A line without a comment."""
    return Line(term, (text,), "", None, is_derivative, indent)


def together(texts: Sequence[str]) -> str:
    """Several values as a tuple, one as it is.

    >>> together(["a", "b"]), together(["a"])
    ('(a, b)', 'a')
    """
    return f"({', '.join(texts)})" if len(texts) > 1 else ", ".join(texts)
