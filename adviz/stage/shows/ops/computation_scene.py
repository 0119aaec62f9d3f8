"""The Scene of a computation: the order in which ops run, values as they arrive, and where they live."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....graph.timeline import Step
from ....lazy.computations import Computation
from ....lazy.op_steps import entry, subject
from ....lazy.ops import Op
from ...narration.ops import op_narration
from ...narration.ops.op_words import is_literal
from ...narration.questions.op_questions import RunExaminer
from ...scene.document import Step as SceneStep
from ..options import Names, Show
from . import compound_boxes, memory_lanes, op_picture
from .op_scene import RUN, chosen_panels, drawn, show, step_of


def computation_scene(
    computation: Computation, values: Sequence[Any], *, panels: Names | None = None, teach: bool = False
) -> Show:
    """Show the ops of a computation running at values of its parameters; what storage holds stays as it is.

    >>> import adviz
    >>> x = adviz.lazy.placeholder(())
    >>> document, _ = computation_scene(adviz.lazy.computation(x * x + 1, x), [3.0])
    >>> [step["caption"] for step in document["steps"]][:2]
    ['x is given: 3.', 'x * x is computed from x: 9.']
    """
    kinds = chosen_panels(panels, "graph", "memory", "code")
    ops = sorted(drawn(computation.schedule.order), key=lambda op: op.number)
    timeline = computation.timeline(*values)
    seen = [step for step in timeline if not is_literal(subject(step))]
    plan = computation.memory
    at = memory_lanes.done(plan, [subject(step) for step in seen])
    scene, columns = op_picture.base(ops, computation.name)
    number = {op: k for k, op in enumerate(ops)}
    examiner = RunExaminer(computation, plan, memory_lanes.planned_layout(plan))
    steps: list[SceneStep] = []
    most = 0
    for k, step in enumerate(seen):
        live = plan.live[at[k + 1] - 1] if at[k + 1] else 0
        most = max(most, live)
        asked = examiner.ask(k, at[k], at[k + 1])
        steps.append(step_of(step, RUN, number, op_narration.ran(step), asked, bytes=live, peak=most))
    _fold(steps, seen, ops)
    _end(steps, _ending(computation))
    picture = op_picture.picture(ops, computation.ops, RUN)
    memory = memory_lanes.panel(plan, ops, at, RUN)
    first = {entry(key): value for key, value in timeline.start.items()}
    start = {
        f"{RUN}/{what}/{number[op]}": op_picture.on_stage(value) for (what, op), value in first.items() if op in number
    }
    words = op_narration.opening(ops, "→ runs one after the other: each after all that its edges come from.")
    more: dict[Any, list[Any]] = {"graph": [picture], "memory": [memory]}
    shown = show(scene, kinds, steps, ops, computation.ops, words, teach, more, "running")
    shown["start"] = start
    return shown, columns


def _fold(steps: list[SceneStep], seen: Sequence[Step], ops: Sequence[Op]) -> None:
    """Make what a compound does one after the other a coarse step."""

    def told(compound: compound_boxes.Compound, turn: Sequence[int]) -> str:
        ran = {subject(seen[k]): seen[k] for k in turn}
        value = compound.value
        return op_narration.compound_ran(compound.schema, [*ran], None if value is None else ran.get(value))

    number = {op: k for k, op in enumerate(ops)}
    compound_boxes.fold_steps(steps, [*map(subject, seen)], compound_boxes.compounds(ops), number, told)


def _end(steps: Sequence[SceneStep], words: str) -> None:
    """Say something after the last step, and after the last coarse one."""
    if not steps:
        return
    steps[-1]["caption"] += f" {words}"
    last = next(step for step in reversed(steps) if step["coarse"])
    if "whole" in last:
        last["whole"] += f" {words}"


def _ending(computation: Computation) -> str:
    changed = [op.name for op in computation.kept]
    if not changed:
        return "All has run; no storage changes."
    return f"All has run; a call changes {op_narration.listed(changed)}."
