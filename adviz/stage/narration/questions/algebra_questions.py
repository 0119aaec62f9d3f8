"""Questions about a factorization, asked before a step, each with the usual mistakes."""

from __future__ import annotations

from ....graph.linearized.checked_parts import Vertex
from ...scene import captions
from ...scene.document import Question
from ..algebra.algebra_narration import Namer
from ..algebra.factored_moments import FactoredMoment
from .forms import choice, number

EXACTLY = 0.0


class Examiner:
    """Asks about the steps of a factorization."""

    def __init__(self, namer: Namer):
        self.namer = namer

    def ask(self, before: FactoredMoment, now: FactoredMoment, turn: int) -> Question | None:
        """Return a question about a step that is about to be taken."""
        return self._cost(before, now)

    def _cost(self, before: FactoredMoment, now: FactoredMoment) -> Question | None:
        work = now.multiplications
        return number("How many multiplications do the expressions take then?", work, [], "", tolerance=EXACTLY)
