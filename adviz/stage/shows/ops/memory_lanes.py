"""A memory plan as the panel that draws it: each value once without sharing, once planned, once written in place."""

from __future__ import annotations

from collections.abc import Sequence

from ....lazy.memory.memory_plan import Layout, MemoryPlan
from ....lazy.ops import Op
from ...narration.ops.op_words import called
from ...scene.document import MemoryBlock, MemoryLayout, MemoryPanel

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
    found = [max(stored, default=0) if not any(each.kind == "parameter" for each in plan.running) else 0]
    for op in ops:
        found.append(max(found[-1], last.get(op, 0)))
    if ops:
        found[-1] = len(plan.running)
    return found


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
