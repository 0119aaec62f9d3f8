"""Ops in the order in which they run, as a function: what is stored becomes a value that is handed on.

Each time storage is written, there is a new version of it; an op that reads takes the version of its time, a view the
part of that version. So the results, and what storage holds at the end, are functions of parameters and of what storage
holds at the beginning, which are recorded on a tape by the Blocks of the ops.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..engine.apply import AbstractTape
from ..engine.rules.indexing import INDEX, SET
from ..engine.rules.reshaping import CAST, RESHAPE, TRANSPOSE
from ..engine.rules.selection import CHOICE, WHERE
from ..engine.tape import Tape, user_frame
from ..engine.trace import output_of, tracing, write_input
from ..engine.variable import Variable
from ..graph.graph import Graph
from ..graph.scopes import NOWHERE, Call
from ..graph.timeline import Edit, Step, Timeline
from .ops import Op, ordered

NEXT = "_next"
"""What is added to the name of storage for what it holds at the end."""


class Schedule(NamedTuple):
    """The ops of a computation in their order, the storage that it reads first, and the storage that it writes."""

    order: list[Op]
    reads: list[Op]
    writes: list[Op]


def scheduled(roots: Iterable[Op]) -> Schedule:
    """Return the order in which what ``roots`` need runs, and what of it is storage."""
    wanted = list(roots)
    order = ordered(wanted)
    writes = dict.fromkeys(op.args[0].storage for op in order if op.kind == "assign")
    reads = {op: None for op in order if op.is_assignable}
    return Schedule(order, list(reads), list(writes))


class Recorded(NamedTuple):
    """A graph of a schedule: ``rows`` by op, those of the ``results``, and of what storage holds at the ``end``."""

    graph: Graph
    rows: dict[int, Op]
    results: list[Any]
    end: dict[Op, Any]


def recorded(
    schedule: Schedule,
    results: Sequence[Op],
    begin: Mapping[Op, Any],
    title: str,
    is_abstract: bool = False,
    decides: bool = False,
    watch: Callable[[Op, Callable[[Op], Any]], None] = lambda op, read: None,
) -> Recorded:
    """Return the graph of a schedule; storage holds ``begin`` first, whose values are inputs.

    Where it ``is_abstract``, only shapes and dtypes of values count, and nothing is computed. Where it ``decides``, the
    graph is that of this point, as :func:`adviz.trace` makes it: conditions, and whole numbers, are no nodes.
    ``watch`` is told of each op after it has run, with a function that reads what ops have then.
    """
    frame: Any = user_frame()
    tape = AbstractTape(frame, least=0) if is_abstract else Tape("array", None, frame, symbolic=not decides)
    rows: dict[int, Op] = {}
    try:
        with np.errstate(all="ignore"), tracing(tape):
            run = _Run(tape, _inputs(tape, begin, rows), rows)
            for op in schedule.order:
                run.step(op)
                watch(op, run.read)
            result = [run.read(op) for op in results]
            end = {op: run.storage[op] for op in schedule.writes}
            named = [(op.name, value) for op, value in zip(results, result, strict=True)]
            named += [(f"{op.name}{NEXT}", value) for op, value in end.items()]
            marked = [output_of(tape, name, value) for name, value in named]
    finally:
        tape.close()
    made = [each.index for each in (*result, *end.values()) if isinstance(each, Variable)]
    outputs = [node for leaf in marked for node in leaf.nodes]
    graph = tape.graph(made if is_abstract else outputs, title)
    _place(graph, rows)
    return Recorded(graph, rows, result, end)


def applied(schedule: Schedule, results: Sequence[Op], begin: Mapping[Op, Any]) -> list[Any]:
    """Return the results of a schedule where some of what storage holds first is traced: on the tape of that."""
    tape = next(each.tape for each in begin.values() if isinstance(each, Variable))
    run = _Run(tape, dict(begin), {})
    for op in schedule.order:
        run.step(op)
    return [run.read(op) for op in results]


def _inputs(tape: Tape, begin: Mapping[Op, Any], rows: dict[int, Op]) -> dict[Op, Any]:
    """Return what storage holds first, as inputs of a graph, with the names of the storage."""
    result: dict[Op, Any] = {}
    for op, value in begin.items():
        result[op] = np.asarray(value, op.dtype)[()]
        if not _is_decided(tape, op):
            result[op] = write_input(tape, op.name, result[op], NOWHERE)
            rows[result[op].index] = op
    return result


def _is_decided(tape: Tape, op: Op) -> bool:
    """Tell whether the value of an op is not in the graph: it is not real, and the graph is that of one point."""
    return not tape.symbolic and np.dtype(op.dtype).kind != "f"


class _Run:
    """The values of ops and of storage on a tape, while the ops run one after the other."""

    def __init__(self, tape: Tape, storage: dict[Op, Any], rows: dict[int, Op]):
        self.tape, self.storage, self.rows = tape, storage, rows
        self.values: dict[Op, Any] = {}

    def step(self, op: Op) -> None:
        """Let one op run."""
        if op.kind == "constant":
            self.values[op] = op.initial
        elif op.kind == "assign":
            target, given = op.args
            whole = np.broadcast_to(self.read(given), target.shape or ()) if given.shape != target.shape else None
            value = self.read(given) if whole is None else whole
            self.values[op] = self._write(target, value, op)
        elif op.kind == "sequential" and op.args:
            self.values[op] = self.read(op.args[0])
        elif op.kind == "operation" and not (op.is_view and op.storage.is_assignable):
            data = list(map(self.read, op.operands))  # views are rows of their own
            start = self.tape.count
            self.values[op] = self._cast(self._applied(op, data), op)
            self._note(start, op)

    def _applied(self, op: Op, data: Sequence[Any]) -> Any:
        block: Any = op.block
        if _is_decided(self.tape, op):
            return block.compute(*(each.data if isinstance(each, Variable) else each for each in data))
        if block is WHERE:  # a number of double precision counts as one of Python's, and would take on the other's
            data = [data[0], *(self._cast(each, op) if isinstance(each, Variable) else each for each in data[1:])]
            return (CHOICE if self.tape.grain == "scalar" else block)(*data)
        return block(*data)

    def read(self, operand: Any) -> Any:
        """Return the value of an operand now: a setting, what an op computed, or what storage holds."""
        if not isinstance(operand, Op):
            return operand
        if operand in self.values:
            return self.values[operand]
        views, op = [], operand
        while op.is_view:
            views.append(op)
            op = op.operands[0]
        value = self.storage[op]
        for view in reversed(views):
            start = self.tape.count
            value = self._applied(view, [value, *view.operands[1:]])
            self._note(start, view)
        return value

    def _write(self, target: Op, value: Any, op: Op) -> Any:
        """Return a new version of storage, with a value in the part that a view shows."""
        start = self.tape.count
        value = stored = self._cast(value, target)
        while target.is_view:
            before = target.operands[0]
            value = PUT_BACK[target.block](self.read(before), value, target.operands[1])
            target = before
        self.storage[target] = value
        self._note(start, op)
        return stored

    @staticmethod
    def _cast(value: Any, target: Op) -> Any:
        """Return a value in the dtype of an op; what is computed from constants alone has that of NumPy's numbers."""
        if not isinstance(value, Variable):
            return np.asarray(value, target.dtype)[()]
        return value if value.dtype == target.dtype else CAST(value, target.dtype)

    def _note(self, start: int, op: Op) -> None:
        self.rows.update(dict.fromkeys(range(start, self.tape.count), op))


PUT_BACK: Mapping[Any, Callable[[Any, Any, Any], Any]] = {
    INDEX: lambda whole, value, key: SET(whole, value, key) if np.ndim(whole) else np.reshape(value, ()),
    RESHAPE: lambda whole, value, _: np.reshape(value, np.shape(whole)),
    TRANSPOSE: lambda whole, value, axes: np.transpose(value, None if axes is None else np.argsort(axes)),
}
"""How a whole is made of a part: the inverse of each view."""


def _place(graph: Graph, rows: Mapping[int, Op]) -> None:
    """Give the nodes of a graph the places and the names of their ops."""
    codes: dict[Any, int] = {}
    graph.names = dict(graph.names)
    for row in range(len(graph)):
        op = rows.get(row)
        if op is None:
            continue
        graph.calls[row] = codes.setdefault(op.code, len(codes) + 1) if op.code is not None else 0
        graph.offsets[row] = op.offset if op.code is not None else NOWHERE
        graph.names[row] = op.own_name
    graph.call_table = [Call(None, -1, NOWHERE), *(Call(code, 0, NOWHERE) for code in codes)]


# ---- steps ----

# What happens in an op graph, as Steps: ops are built, one after the other; ops run, and values arrive.
#
# A key is a word and an op: ``("built", op)`` is true from when an op is there, ``("value", op)`` is its value.


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
            value = read(each)
            value = np.array(value.data if isinstance(value, Variable) else value)[()]
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
