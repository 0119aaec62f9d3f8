"""What happens in an op graph, as Steps: ops are built, one after the other; ops run, and values arrive.

A key is a word and an op: ``("built", op)`` is true from when an op is there, ``("value", op)`` is its value.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ..engine.variable import Variable
from ..graph.timeline import Edit, Step, Timeline
from .functional import Schedule, recorded
from .ops import Op

RUNS = {"placeholder": "give", "assign": "assign", "doall": "order", "sequential": "order"}
"""The kinds of Steps by that of the op; all other ops are computed, or show a part of storage."""


def building(ops: Iterable[Op]) -> Iterator[Step]:
    """Yield ops that are built, in that order: nothing is computed.

    >>> import adviz
    >>> x = adviz.lazy.placeholder((2,))
    >>> [step.edits[0].key[1].name for step in building((x + x).ordered_ops())]
    ['x', 'add']
    """
    for op in ops:
        yield Step("build", (Edit(("built", op), None, True),), (op, *dict.fromkeys(op.all_deps)))


def running(schedule: Schedule, begin: Mapping[Op, Any], title: str = "") -> Timeline:
    """Return ops that run in the order of a schedule; storage holds ``begin`` at first, among it the parameters.

    Parameters arrive in a Step each; constants and what else storage holds are there from the start. An assignment
    changes the value of the storage, and of all views of it that have been read.

    >>> import adviz
    >>> w = adviz.lazy.variable((), 1.0)
    >>> step = adviz.lazy.assign(w, w + 1)
    >>> from .functional import scheduled
    >>> timeline = running(scheduled([step]), {w: 1.0})
    >>> [each.kind for each in timeline], float(timeline.at(2)["value", w])
    (['run', 'assign'], 2.0)
    """
    is_given = {op for op in begin if op.kind == "placeholder"}
    known: dict[Op, Any] = {op: op.initial for op in schedule.order if op.is_constant}
    known |= {op: value for op, value in begin.items() if op not in is_given}
    start: dict[Hashable, Any] = {("value", op): value for op, value in known.items()}
    steps: list[Step] = []

    def watch(op: Op, read: Any) -> None:
        if op.is_constant or (op.is_persistent and op not in is_given):
            return
        seen = [op] if op.has_value else []
        if op.kind == "assign":
            seen += [
                each for each in known if each.storage is op.args[0].storage and (each.is_view or each.is_persistent)
            ]
        edits = []
        for each in dict.fromkeys(seen):
            value = _plain(read(each))
            edits.append(Edit(("value", each), known.get(each), value))
            known[each] = value
        kind = "view" if op.is_view and op.storage.is_assignable else RUNS.get(op.kind, "run")
        steps.append(Step(kind, tuple(edits), (op, *dict.fromkeys(op.args))))

    recorded(schedule, [], begin, title, watch=watch)
    return Timeline(start, steps)


def subject(step: Step) -> Op:
    """Return the op that a Step is about."""
    op: Any = step.focus[0]
    return op


def changes(step: Step) -> Iterator[tuple[str, Op, Any, Any]]:
    """Yield what a Step changes: the word and the op of each key, and the value before and after."""
    for key, before, after in step.edits:
        yield *entry(key), before, after


def entry(key: Hashable) -> tuple[str, Op]:
    """Return the word and the op of a key."""
    pair: Any = key
    return pair


def _plain(value: Any) -> Any:
    return np.array(value.data if isinstance(value, Variable) else value)[()]
