"""Questions about op graphs: what runs before what, whether storage changes, and whose bytes are free."""

from __future__ import annotations

from collections.abc import Sequence

from ....graph.timeline import Step
from ....lazy.computations import Computation
from ....lazy.functional import subject
from ....lazy.memory.memory_plan import Layout, MemoryPlan
from ....lazy.ops import Op, ordered
from ...scene import captions
from ...scene.captions import choice_question
from ...scene.document import Question
from ..op_narration import called

MOST_OF_BUFFERS = 3  # the most questions about whose bytes are free


class BuildExaminer:
    """Asks at ops that wait for an assignment which ops run before them."""

    def __init__(self, ops: Sequence[Op]):
        self.ops = ops

    def ask(self, step: Step) -> Question | None:
        """Return the question that is asked before an op is shown as built, if there is one."""
        op = subject(step)
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
        return choice_question(
            f"Besides what {called(op)} is made of: which op runs before {called(op)}?",
            right,
            wrong[::-1],
            f"{called(op)} reads {storage}. What was assigned to it before?",
        )


class RunExaminer:
    """Asks of a computation whether storage changes, and whose bytes are free."""

    def __init__(self, computation: Computation, plan: MemoryPlan, layout: Layout):
        self.computation, self.plan, self.layout = computation, plan, layout
        self.storage = self._storage()
        self.left = MOST_OF_BUFFERS

    def ask(self, k: int, start: int, stop: int) -> Question | None:
        """Return the question before a step, which runs the instructions from ``start`` up to ``stop``."""
        if k < len(self.storage):
            return self._changes(self.storage[k])
        return next(filter(None, map(self._free, range(start, stop))), None) if self.left else None

    def _storage(self) -> list[Op]:
        """Return what is asked about: storage that changes, and storage that does not."""
        saved = set(self.computation.kept)
        sorts = [[op for op in self.computation.states if (op in saved) is is_saved] for is_saved in (True, False)]
        return [ops[0] for ops in sorts if ops]

    def _changes(self, op: Op) -> Question:
        name = called(op)
        stores = [
            each for each in self.computation.schedule.order if each.kind == "assign" and each.args[0].storage is op
        ]
        right, wrong = ("yes", "no") if op in self.computation.kept else ("no", "yes")
        why = f"Nothing that runs stores in {name}; what was built isolated runs only where it is asked for."
        if right == "yes":
            why = f"{called(stores[-1])} stores in {name}, and it is among what runs."
        prompt, hint = f"Does {name} change when this runs?", f"Look for what stores in {name}."
        return choice_question(prompt, right, [(wrong, why)], hint)

    def _free(self, number: int) -> Question | None:
        """Return the question whose bytes a value takes that had another value before."""
        places = self.layout.of_number
        place = places.get(number)
        if place is None or place.reused_from is None or place.in_place:
            return None
        right = self._name(place.reused_from)
        wrong = []
        for other in self.layout.places:
            if other.first < place.first <= other.last:
                running = self.plan.running
                until = (
                    f"{self._name(other.last)} still reads it" if other.last < len(running) else "it is kept to the end"
                )
                wrong.append((self._name(other.number), f"{self._name(other.number)} lives: {until}."))
        if len(wrong) < 2 or right in dict(wrong):
            return None
        self.left -= 1
        prompt = f"{self._name(number)} needs {captions.amount(place.bytes)}. Whose buffer is free now?"
        return choice_question(
            prompt, right, wrong, "A buffer is free when nothing that is still to run reads its value."
        )

    def _name(self, number: int) -> str:
        running = self.plan.running[number]
        return running.name if running.op is None else called(running.op)
