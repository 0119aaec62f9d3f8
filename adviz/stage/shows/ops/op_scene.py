"""The Scene of an op graph: its ops in the order in which they are built, with no values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

from ....graph.timeline import Step, Timeline
from ....lazy.functional import building, changes, subject
from ....lazy.ops import Op, ordered
from ...narration import op_narration
from ...narration.op_narration import is_literal
from ...narration.playing import step_document, total
from ...narration.questions import op_questions
from ...scene import document as documents
from ...scene.document import Edit, Panel, Question, Scene
from ...scene.document import Step as SceneStep
from ..options import Names, Show, ShowError, chosen_kinds, show_document
from . import op_picture

PanelKind = Literal["graph", "code", "memory"]
PANELS: tuple[PanelKind, ...] = get_args(PanelKind)
MOST = 300  # ops that are drawn: in a larger picture no word can be read
RUN = "ops"


def op_scene(ops: Op | Iterable[Op], *, panels: Names | None = None, teach: bool = False) -> Show:
    """Show ops and all that they depend on, in the order in which they were built.

    >>> import adviz
    >>> x = adviz.lazy.placeholder((2,))
    >>> document, _ = op_scene(x + x)
    >>> document["steps"][1]["caption"]
    'x + x is built of x: a vector of length 2. Nothing is computed.'
    """
    roots = [ops] if isinstance(ops, Op) else list(ops)
    kinds = chosen_kinds(panels, PANELS, "graph", "code")
    shown = drawn(ordered(roots))
    shown.sort(key=lambda op: op.number)
    scene, columns = op_picture.base(shown, title_of(roots))
    narrator, examiner = op_narration.BuildNarrator(shown), op_questions.BuildExaminer(shown)
    timeline = Timeline({}, building(shown))
    number = {op: k for k, op in enumerate(shown)}
    steps = [step_of(step, RUN, number, narrator.caption(subject(step)), examiner.ask(step)) for step in timeline]
    composites = op_picture.composites(shown)
    op_picture.fold_steps(
        steps,
        shown,
        composites,
        number,
        lambda each, _: op_narration.composite_built(each.schema, each.ops, each.value),
    )
    steps.append(step_of(Step("built", ()), RUN, number, op_narration.all_built(shown)))
    invitation = op_narration.opening(shown, "Building them computes nothing: → builds one after the other.")
    return show(scene, kinds, steps, shown, roots, invitation, teach), columns


def drawn(ops: Iterable[Op]) -> list[Op]:
    """Return the ops that are drawn: all but plain numbers, which the expressions say."""
    result = [op for op in ops if not is_literal(op)]
    if len(result) > MOST:
        raise ShowError(
            f"there are {len(result):,} ops, more than the {MOST} that can be read in a picture: show a part of them, "
            "such as op.select(layer=...), or follow a computation with ad.explore(computation.graph)"
        )
    if not result:
        raise ShowError("there are no ops to show but plain numbers")
    return result


def title_of(roots: Sequence[Op]) -> str:
    """Return the title of a show: the names of the ops that were asked for."""
    names = [op.own_name for op in roots if op.own_name]
    return ", ".join(names[:3]) or "op graph"


def step_of(
    step: Step,
    run: str,
    number: Mapping[Op, int],
    caption: str,
    question: Question | None = None,
    **more: Any,
) -> SceneStep:
    """Return a Step as that of a Scene."""
    focus = [number[op] for op in step.focus if isinstance(op, Op) and op in number]
    edits: list[Edit] = [
        [f"{run}/{what}/{number[op]}", op_picture.on_stage(before), op_picture.on_stage(after)]
        for what, op, before, after in changes(step)
        if op in number
    ]
    panel = "graph" if run == RUN else f"graph-{run}"
    result: SceneStep = {
        **step_document(run, step.kind, caption),
        "node": focus[0] if focus else None,
        "cost": {**total([]), "visits": 1},
        "focus": [f"{panel}/{k}" for k in focus],
        "edits": edits,
        "question": question,
    }
    return {**result, **more}  # type: ignore[typeddict-item]


def show(
    scene: Scene,
    kinds: Sequence[PanelKind],
    steps: list[SceneStep],
    ops: Sequence[Op],
    results: Sequence[Op],
    invitation: str,
    teach: bool,
    more: Mapping[PanelKind, list[Panel]] | None = None,
    label: str = "built, not run",
) -> documents.Show:
    """Return the Scene of one run over ops; ``more`` are panels beside picture and source."""
    made: dict[PanelKind, list[Panel]] = {"code": [{"id": "code", "kind": "code"}], **(more or {})}
    if "graph" in kinds:
        valued = "graph" in made
        made["graph"] = made.get("graph") or [op_picture.picture(ops, results, RUN, valued=valued, initial=True)]
    panels = [panel for kind in kinds for panel in made.get(kind, [])]
    if not panels:
        raise ShowError(f"of the panels {', '.join(kinds)} this show has none")
    runs: list[documents.Run] = [{"id": RUN, "label": label, "kind": "ops"}]
    return show_document(scene, panels, steps, runs, teach, invitation=invitation)
