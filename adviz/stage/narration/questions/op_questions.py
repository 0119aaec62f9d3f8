"""Questions about op graphs: what runs before what, whether storage changes, and whose bytes are free."""

from __future__ import annotations

from collections.abc import Sequence

from ....graph.timeline import Step
from ....lazy.ops import Op, ordered
from ...scene.document import Question
from ..ops.op_words import called
from .forms import choice


class BuildExaminer:
    """Asks at ops that wait for an assignment which ops run before them."""

    def __init__(self, ops: Sequence[Op]):
        self.ops = ops

    def ask(self, step: Step) -> Question | None:
        """Return the question that is asked before an op is shown as built, if there is one."""
        op = step.focus[0]
        assert isinstance(op, Op)
        before = [each for each in op.control_deps if each.kind == "assign"]
        if not before or op.kind in ("doall", "sequential"):
            return None
        needed = set(ordered([op]))
        right = called(before[0])
        storage = called(before[0].args[0].storage)
        wrong = [
            (called(other), f"Nothing leads from {called(other)} to {called(op)}: no value, and no dashed edge.")
            for other in self.ops
            if other not in needed and other.number < op.number and called(other) != right
        ]
        wrong.append(("nothing else", f"{called(op)} reads {storage} after the assignment: that must have run."))
        return choice(
            f"Besides what {called(op)} is made of: which op runs before {called(op)}?",
            right,
            wrong[::-1],
            f"{called(op)} reads {storage}. What was assigned to it before?",
        )
