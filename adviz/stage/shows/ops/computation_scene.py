"""The Scene of a computation: the order in which ops run, values as they arrive, and where they live."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....graph.timeline import Edit, Step
from ....lazy.computations import Computation
from ....lazy.functional import changes, entry, subject
from ....lazy.memory.memory_plan import Layout, MemoryPlan
from ....lazy.ops import Op, ordered
from ...narration import op_narration
from ...narration.op_narration import called, is_literal
from ...narration.questions.op_questions import RunExaminer
from ...scene.document import MemoryBlock, MemoryLayout, MemoryPanel
from ...scene.document import Step as SceneStep
from ...scene.panels import GraphPanel
from ..options import Names, Show, ShowError, chosen_kinds, show_document
from ..told_runs import part
from . import op_picture
from .op_scene import PANELS, RUN, drawn, show, step_of

# ---- lanes of memory ----


WORDS = {
    "coloring": "values that never live at once share a buffer",
    "first fit": "each value takes the lowest free bytes that it fits in",
    "best fit": "each value takes the smallest gap that it fits in",
    "largest first": "the largest values get their bytes first",
}
NAIVE = "a buffer for each value"
IN_PLACE = "as planned, and a result may be written over an operand that nothing reads later"


def panel(plan: MemoryPlan, ops: Sequence[Op], at: list[int], run: str) -> MemoryPanel:
    """Return the panel of a plan; ``at`` are how many instructions are done after each step."""
    planned = planned_layout(plan)
    chosen = [("naive", NAIVE, plan.naive), ("planned", WORDS[planned.method], planned)]
    chosen.append(("in place", IN_PLACE, plan.in_place))
    number = {op: k for k, op in enumerate(ops)}
    return {
        "id": "memory",
        "kind": "memory",
        "run": run,
        "running": [name_of(each.op, each.name) for each in plan.running],
        "at": at,
        "layouts": [_layout(layout, method, words, number) for method, words, layout in chosen],
        "chosen": 1,
        "peak": plan.peak_at,
        "bound": plan.lower_bound,
    }


def planned_layout(plan: MemoryPlan) -> Layout:
    """Return the layout of fewest bytes in which nothing is written in place."""
    return min((layout for layout in plan.layouts if layout.method in WORDS), key=lambda layout: layout.peak)


def done(plan: MemoryPlan, ops: Sequence[Op]) -> list[int]:
    """Return how many instructions are done at first, and after each of some ops, in running order."""
    last = {each.op: k + 1 for k, each in enumerate(plan.running) if each.op is not None}
    stored = [k + 1 for k, each in enumerate(plan.running) if each.kind == "storage"]
    result = [max(stored, default=0) if not any(each.kind == "parameter" for each in plan.running) else 0]
    for op in ops:
        result.append(max(result[-1], last.get(op, 0)))
    if ops:
        result[-1] = len(plan.running)
    return result


def name_of(op: Op | None, name: str) -> str:
    """Return what a value is called in the picture of memory."""
    return name if op is None else called(op)


def _layout(layout: Layout, method: str, words: str, number: dict[Op, int]) -> MemoryLayout:
    index = {place.number: k for k, place in enumerate(layout.places)}
    blocks: list[MemoryBlock] = []
    for place in layout.places:
        block: MemoryBlock = {
            "node": number.get(place.op),
            "name": name_of(place.op, place.name),
            "first": place.first,
            "last": place.last,
            "offset": place.offset,
            "bytes": place.bytes,
        }
        if place.reused_from is not None:
            block["before"] = index[place.reused_from]
        if place.in_place:
            block["in_place"] = True
        blocks.append(block)
    return {"method": method, "words": words, "bytes": layout.peak, "blocks": blocks}


# ---- the Scene ----


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
    kinds = chosen_kinds(panels, PANELS, "graph", "memory", "code")
    ops = sorted(drawn(computation.schedule.order), key=lambda op: op.number)
    timeline = computation.timeline(*values)
    seen = [step for step in timeline if not is_literal(subject(step))]
    plan = computation.memory
    at = done(plan, [subject(step) for step in seen])
    scene, columns = op_picture.base(ops, computation.name)
    number = {op: k for k, op in enumerate(ops)}
    examiner = RunExaminer(computation, plan, planned_layout(plan))
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
    memory = panel(plan, ops, at, RUN)
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
    """Make what a composite op does one after the other a coarse step."""

    def explained(composite: op_picture.Composite, places: Sequence[int]) -> str:
        ran = {subject(seen[k]): seen[k] for k in places}
        value = composite.value
        return op_narration.composite_ran(composite.schema, [*ran], None if value is None else ran.get(value))

    number = {op: k for k, op in enumerate(ops)}
    op_picture.fold_steps(steps, [*map(subject, seen)], op_picture.composites(ops), number, explained)


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


# ---- ops as they are built ----


LAZY, IMMEDIATE = "lazy", "immediate"
LABELS = {LAZY: "build first, run later", IMMEDIATE: "compute at once"}


def build_scene(
    title: str, made: Sequence[Op], computation: Computation, values: Sequence[Any], *, panels: Names | None = None
) -> Show:
    """Show ops that were ``made`` for a computation, built and run, beside the values that they have at once."""
    kinds = [kind for kind in chosen_kinds(panels, PANELS, "graph", "code") if kind != "memory"]
    ops = sorted(drawn(dict.fromkeys([*computation.params, *ordered(made)])), key=lambda op: op.number)
    scene, columns = op_picture.base(ops, title)
    number = {op: k for k, op in enumerate(ops)}
    every = Computation([op for op in made if op.has_value], computation.params, computation.store, title)
    known = {op: op.initial for op in ops if op.is_constant}
    for step in every.timeline(*values):
        known |= {op: after for _, op, _, after in changes(step)}
    running = [step for step in computation.timeline(*values) if not is_literal(subject(step))]
    steps = [_line(op, number, known) for op in ops]
    needed = {*map(subject, running)}
    unused = [op for op in ops if op not in needed and not op.is_constant]
    steps.append(_returned(computation, ops, len(unused)))
    steps += [_run(step, number) for step in running]
    steps[-1]["caption"] += f" {op_narration.ending(len(running))}"
    shown = [
        op_picture.picture(ops, computation.ops, LAZY, unused=unused),
        _given(op_picture.picture(ops, computation.ops, IMMEDIATE)),
    ]
    made_panels: dict[str, list[Any]] = {"graph": shown, "code": [{"id": "code", "kind": "code"}]}
    document = show_document(
        scene,
        [panel for kind in kinds for panel in made_panels[kind]],
        steps,
        [{"id": run, "label": label, "kind": "ops"} for run, label in LABELS.items()],
        teach=False,
        invitation="The same lines, twice: on one side they build ops, on the other they compute. → runs a line.",
    )
    if not document["panels"]:
        raise ShowError("of these panels this show has none")
    return document, columns


def _given(panel: GraphPanel) -> GraphPanel:
    """Return the picture of what is computed at once: its inputs are no placeholders."""
    for node in panel["nodes"]:
        node["detail"] = node["detail"].replace("placeholder", "given")
        node["title"] = node["title"].replace(": placeholder", ": given")
    return panel


def _line(op: Op, number: dict[Op, int], known: dict[Op, Any]) -> SceneStep:
    """Return the step in which a line runs: it builds an op, and computes its value on the other side."""
    built = Step("build", (Edit(("built", op), None, True),), (op, *dict.fromkeys(op.all_deps)))
    computed = Step("run", (Edit(("built", op), None, True), Edit(("value", op), None, known[op])), built.focus)
    return _joint(
        step_of(built, LAZY, number, op_narration.built(op)),
        step_of(computed, IMMEDIATE, number, op_narration.evaluated(op, known[op])),
    )


def _run(step: Step, number: dict[Op, int]) -> SceneStep:
    """Return the step in which an op runs; no line of the source does."""
    result = step_of(step, LAZY, number, op_narration.runs(subject(step), step.edits[0].after))
    return {**result, "node": None}


def _returned(computation: Computation, ops: Sequence[Op], spared: int) -> SceneStep:
    """Return the step in which the function returns."""
    text = op_narration.compiled(len(ops), len(ops) - spared)
    results = [called(op) for op in computation.ops]
    nothing = Step("return", (), tuple(computation.ops))
    number = {op: k for k, op in enumerate(ops)}
    return _joint(
        {**step_of(nothing, LAZY, number, text), "node": None},
        {**step_of(nothing, IMMEDIATE, number, op_narration.is_done(results)), "node": None},
    )


def _joint(lazy: SceneStep, immediate: SceneStep) -> SceneStep:
    """Return what both sides do in the same moment as one step."""
    sentences = [f"{LABELS[each['run']].capitalize()}: {each['caption']}" for each in (lazy, immediate)]
    return {
        **lazy,
        "caption": " ".join(sentences),
        "focus": [*lazy["focus"], *immediate["focus"]],
        "edits": [*lazy["edits"], *immediate["edits"]],
        "parts": [part(lazy), part(immediate)],
    }
