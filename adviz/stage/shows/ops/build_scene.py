"""The Scene of a function that is built first and run later, beside the same function that computes at once.

Both halves have the same ops and one clock: while a line builds an op on one side, it computes a value on the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....graph.timeline import Edit, Step
from ....lazy.computations import Computation
from ....lazy.op_steps import changes, subject
from ....lazy.ops import Op, ordered
from ...narration.ops import build_narration
from ...narration.ops.op_words import called, is_literal
from ...scene import document as documents
from ...scene.document import Part
from ...scene.document import Step as SceneStep
from ...scene.panels import GraphPanel
from ..options import Names, Show, ShowError
from . import op_picture
from .op_scene import chosen_panels, drawn, step_of

LAZY, IMMEDIATE = "lazy", "immediate"
LABELS = {LAZY: "build first, run later", IMMEDIATE: "compute at once"}


def build_scene(
    title: str, made: Sequence[Op], computation: Computation, values: Sequence[Any], *, panels: Names | None = None
) -> Show:
    """Show ops that were ``made`` for a computation, built and run, beside the values that they have at once."""
    kinds = [kind for kind in chosen_panels(panels, "graph", "code") if kind != "memory"]
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
    steps[-1]["caption"] += f" {build_narration.ending(len(running))}"
    shown = [
        op_picture.picture(ops, computation.ops, LAZY, unused=unused),
        _given(op_picture.picture(ops, computation.ops, IMMEDIATE)),
    ]
    made_panels: dict[str, list[Any]] = {"graph": shown, "code": [{"id": "code", "kind": "code"}]}
    document: documents.Show = {
        "version": scene["version"],
        "title": scene["title"],
        "panels": [panel for kind in kinds for panel in made_panels[kind]],
        "steps": steps,
        "invitation": "The same lines, twice: on one side they build ops, on the other they compute. → runs a line.",
        "runs": [{"id": run, "label": label, "kind": "ops"} for run, label in LABELS.items()],
        "inputs": [],
        "teach": False,
        "source": scene["source"],
        "tables": scene["tables"],
        "columns": scene["columns"],
    }
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
    told = build_narration.built(op), build_narration.evaluated(op, known[op])
    return _joint(
        step_of(built, LAZY, number, told[0]),
        step_of(computed, IMMEDIATE, number, told[1]),
    )


def _run(step: Step, number: dict[Op, int]) -> SceneStep:
    """Return the step in which an op runs; no line of the source does."""
    result = step_of(step, LAZY, number, build_narration.ran(subject(step), step.edits[0].after))
    return {**result, "node": None}


def _returned(computation: Computation, ops: Sequence[Op], spared: int) -> SceneStep:
    """Return the step in which the function returns."""
    told = build_narration.compiled(len(ops), len(ops) - spared)
    results = [called(op) for op in computation.ops]
    nothing = Step("return", (), tuple(computation.ops))
    number = {op: k for k, op in enumerate(ops)}
    return _joint(
        {**step_of(nothing, LAZY, number, told), "node": None},
        {**step_of(nothing, IMMEDIATE, number, build_narration.is_done(results)), "node": None},
    )


def _joint(lazy: SceneStep, immediate: SceneStep) -> SceneStep:
    """Return what both sides do in the same moment as one step."""
    parts: list[Part] = []
    for each in (lazy, immediate):
        part: Part = {
            "run": each["run"],
            "kind": each["kind"],
            "node": each["node"],
            "edge": None,
            "formula": None,
            "cost": each["cost"],
            "bytes": 0,
            "peak": 0,
            "caption": each["caption"],
        }
        parts.append(part)
    sentences = [f"{LABELS[each['run']].capitalize()}: {each['caption']}" for each in (lazy, immediate)]
    return {
        **lazy,
        "caption": " ".join(sentences),
        "focus": [*lazy["focus"], *immediate["focus"]],
        "edits": [*lazy["edits"], *immediate["edits"]],
        "parts": parts,
    }
