"""Sentences for what happens in an op graph: ops are built, and run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...graph.timeline import Step
from ...lazy.axes import Axis
from ...lazy.composites import Schema
from ...lazy.functional import changes, subject
from ...lazy.ops import Op
from ..scene import captions

# ---- words ----


LONGEST = 22  # characters of an expression that a box is named after
LONGEST_SPOKEN = 60  # and of one in a sentence
ROOM = 28  # characters of what a box says below its name
LIBRARIES = re.compile(r"\b(?:np|ad\.lazy|adviz\.lazy|lazy)\.")
KINDS = {
    "placeholder": "placeholder",
    "variable": "variable",
    "persistent": "persistent",
    "constant": "constant",
    "doall": "makes ops run",
    "sequential": "one after the other",
    "initialize": "initializer",
}


def called(op: Op) -> str:
    """Return the name of an op in sentences; where it has none, its expression, or what it does.

    >>> import adviz
    >>> x = adviz.lazy.placeholder((2,))
    >>> called(x), called((x * x + 1).args[0]), called(adviz.lazy.constant(2.0))
    ('x', 'x * x', '2')
    """
    if op.kind == "constant" and op.shape == ():
        return captions.number(op.initial).replace("-", "−")
    return captions.shortened(op.own_name) if op.own_name else _expression(op) or _worded(op)


def _expression(op: Op) -> str:
    """Return the expression that built an op, if it is short; a part of a derivative was written nowhere."""
    is_written = op.derived_from is None and op.kind == "operation" and not (op.is_step or is_inner(op))
    text = written(op) if is_written else ""
    return text if 0 < len(text) <= LONGEST and "=" not in text else ""


def spoken(op: Op) -> str:
    """Return what an op is called where it is told of: its expression may be longer than a box has room for.

    What has neither a name nor an expression is told with its operand, if that is one.

    >>> import adviz
    >>> x, W = adviz.lazy.placeholder((2, 3)), adviz.lazy.variable((3, 4), 0.0)
    >>> (first, _) = adviz.lazy.deriv((x @ W).sum(), W).args
    >>> called(first), spoken(first), spoken((x - x * x + x * x * x + 1).args[0])
    ('transpose', 'transpose of x', 'x - x * x + x * x * x')
    """
    name = called(op)
    if op.kind != "operation" or name != op.what:
        return name
    if op.derived_from is None and not (op.is_step or is_inner(op)):
        text = written(op)
        return text if 0 < len(text) <= LONGEST_SPOKEN and "=" not in text else name
    return f"{name} of {called(op.args[0])}" if len(op.args) == 1 else name


def tells_operand(op: Op) -> bool:
    """Return whether an op is told with its operand."""
    return len(op.args) == 1 and spoken(op) == f"{op.what} of {called(op.args[0])}"


def operand(op: Op) -> str:
    """Return what an op is called where another one is told of, that takes its value: in few words."""
    name = spoken(op)
    return name if len(name) <= LONGEST else called(op)


def written(op: Op) -> str:
    """Return the expression of the program that built an op, without the names of libraries; "" where there is none."""
    place = op.origin
    return " ".join(LIBRARIES.sub("", place.text).split()) if place else ""


def _worded(op: Op) -> str:
    if op.kind == "assign":
        return f"assign {called(op.args[0].storage)}"
    whole = outermost(op)
    return whole.name if whole is not None and value_of(whole) is op else op.what


# ---- composite ops ----


def outermost(op: Op) -> Schema | None:
    """Return the composite op that an op was built in; of one inside another, the outer one."""
    around = composites_around(op)
    return around[0] if around else None


def composites_around(op: Op) -> list[Schema]:
    """Return the composite ops that an op was built in, the outermost first."""
    result: list[Schema] = []
    schema = op.part_of
    while schema is not None:
        result.insert(0, schema)
        schema = schema.part_of
    return result


def value_of(schema: Schema) -> Op | None:
    """Return the op that is the value of a composite op.

    >>> import adviz
    >>> p = adviz.lazy.softmax(adviz.lazy.placeholder((3,)))
    >>> value_of(p.part_of) is p, is_inner(p.args[0])
    (True, True)
    """
    return next((op for op in reversed(schema.ops) if not op.is_step), None)


def is_inner(op: Op) -> bool:
    """Return whether an op is a part of a composite op, and not its value, whose expression is the program's."""
    whole = outermost(op)
    return whole is not None and value_of(whole) is not op


def whole_name(schema: Schema) -> str:
    """Return the name of a composite op in sentences: that of its value."""
    value = value_of(schema)
    return called(value) if value is not None else schema.name


def whole_detail(schema: Schema) -> str:
    """Return what a composite op is, and of what shape, as its box says them below its name.

    >>> import adviz
    >>> p = adviz.lazy.softmax(adviz.lazy.placeholder((3,)))
    >>> p.name = "p"
    >>> whole_detail(p.part_of)
    'softmax [3]'
    """
    value, word = value_of(schema), schema.name if whole_name(schema) != schema.name else ""
    return " ".join(filter(None, [word, shape_of(value) if value is not None else ""]))


# ---- what an op says of itself ----


def detail(op: Op) -> str:
    """Return the kind and the shape of an op, as its box says them below its name.

    >>> import adviz
    >>> detail(adviz.lazy.placeholder((2, 3), name="x")), detail(adviz.lazy.constant(1.0))
    ('placeholder [2×3]', '')
    """
    if op.kind == "constant" and op.shape == ():
        return ""
    if op.kind == "assign":
        return f"assign to {called(op.args[0])}"
    word = KINDS.get(op.kind) or ("view" if is_storage_view(op) else op.what)
    if word == called(op):
        word = ""
    numbers = [called(arg) for arg in op.args if is_literal(arg)]
    if numbers and called(op) != _expression(op):
        word = f"{word} with {captions.listed(numbers)}".strip()
    shape = shape_of(op) if op.shape else "" if word else "number"
    if op.axes and len(word) + len(shape) >= ROOM:
        return shape
    return " ".join(filter(None, [word, shape]))


def shape_of(op: Op) -> str:
    """Return the shape of an op as its box says it: the lengths of its axes, with their names if they have some.

    >>> import adviz
    >>> unit, batch = adviz.lazy.axis("unit", 10), adviz.lazy.axis("batch", 32)
    >>> shape_of(adviz.lazy.placeholder((unit, batch))), shape_of(adviz.lazy.placeholder((2, 3)))
    ('unit 10 × batch 32', '[2×3]')
    """
    if op.axes:
        return " × ".join(f"{named(axis)} {axis.length}" for axis in op.axes)
    return f"[{captions.shape(op.shape)}]" if op.shape else ""


def named(axis: Axis) -> str:
    """Return the name of an axis, with the part of it that it is, and what tells it from its duals."""
    return captions.shortened(repr(axis).removesuffix(f" ({axis.length})"))


def is_literal(op: Op) -> bool:
    """Return whether an op is a plain number of an expression, which that says already."""
    return op.kind == "constant" and op.shape == () and op.given_name in ("", f"{op.initial:g}")


def is_storage_view(op: Op) -> bool:
    """Return whether an op shows a part of storage, and computes nothing."""
    return op.is_view and op.storage.is_assignable


def title(op: Op) -> str:
    """Return all that is to be said of an op in a line."""
    parts = [f"{called(op)}: {KINDS.get(op.kind, op.what)}"]
    if op.has_value:
        parts.append(f"{np.dtype(op.dtype)} {kind(op)}")
    if op.derived_from is not None:
        of = op.derived_from if op.adjoint_of is None else op.adjoint_of
        parts.append(f"part of a derivative, {'adjoint of' if op.adjoint_of is not None else 'from'} {called(of)}")
    parts += [f"{key} {value}" for key, value in op.metadata.items()]
    if op.control_deps:
        parts.append(f"must run after {captions.listed(captions.few([*map(called, op.control_deps)], '…'))}")
    parts.append(op.file_info)
    return "; ".join(parts)


def kind(op: Op) -> str:
    """Return what has the shape of an op, in words.

    >>> import adviz
    >>> kind(adviz.lazy.placeholder((2, 3))), kind(adviz.lazy.placeholder())
    ('2×3 matrix', 'number')
    """
    if op.axes:
        noun = captions.kind(op.shape).split(" of ")[0].split(" ")[-1] if op.shape else "array"
        return f"{noun} with {'the axis' if len(op.axes) == 1 else 'the axes'} {shape_of(op)}"
    return captions.kind(op.shape) if op.shape else "number"


NOTHING_COMPUTED = "Nothing is computed."


def a(op: Op) -> str:
    """Return what an op stands for, with an article."""
    return captions.a(kind(op))


class BuildNarrator:
    """Says what each op is when it is built; ``ops`` are all that will be."""

    def __init__(self, ops: Sequence[Op]):
        self.waiting: dict[Op, list[Op]] = {}
        for op in ops:
            for before in op.control_deps:
                self.waiting.setdefault(before, []).append(op)

    def caption(self, op: Op) -> str:
        """Return what is said when an op has been built."""
        name = called(op)
        match op.kind:
            case "placeholder":
                return f"{name} is a placeholder: its value, {a(op)}, comes from outside when a computation runs."
            case "variable" | "persistent":
                trained = "a variable" if op.is_trainable else "persistent"
                return f"{name} is {trained}: storage for {a(op)} that lasts from one call to the next."
            case "constant":
                return f"{name} is a constant, {a(op)}."
            case "assign":
                return self._assignment(op)
            case "doall":
                return f"{name} has no value: it makes {self._those(op)} run, in any order that their edges allow."
            case "sequential":
                return f"{name} makes {self._those(op)} run one after the other, and has the value of the last."
        return " ".join(filter(None, [self._operation(op), self._order(op)]))

    def _operation(self, op: Op) -> str:
        of = captions.listed(captions.few([*dict.fromkeys(map(operand, op.args))], "…"))
        if is_storage_view(op):
            of = called(op.storage)
            shown = f"a part of {of}" if op.what == "index" else f"{of} in another shape"
            return f"{called(op)} shows {shown}: what is stored there is seen in it."
        if op.adjoint_of is not None:
            return f"{called(op)} is the adjoint of {called(op.adjoint_of)}, made of {of}: {a(op)}. {NOTHING_COMPUTED}"
        name = spoken(op)
        made = f"{name} is built" if tells_operand(op) or not of else f"{name} is built of {of}"
        return f"{made}: {a(op)}. {NOTHING_COMPUTED}"

    def _assignment(self, op: Op) -> str:
        into, value = called(op.args[0]), spoken(op.args[1])
        waiting = [called(each) for each in self.waiting.get(op, [])]
        text = f"{called(op)} is to store {value} in {into} when it runs. Nothing is stored now."
        if waiting:
            listed = captions.listed(captions.few(waiting, "…"))
            return f"{text} {listed} must run after it, since {'they come' if len(waiting) > 1 else 'it comes'} later."
        return f"{text} No other op waits for it."

    def _order(self, op: Op) -> str:
        before = [each for each in op.control_deps if each not in op.args]
        if not before:
            return ""
        stored = {called(each.args[0].storage): None for each in before if each.kind == "assign"}
        why = f", which stores in {captions.listed([*stored])}" if stored else ""
        return f"It must run after {captions.listed(captions.few([*map(called, before)], '…'))}{why}."

    @staticmethod
    def _those(op: Op) -> str:
        return captions.listed(captions.few([*map(called, op.control_deps)], "…"))


def ran(step: Step) -> str:
    """Return what is said when an op has run."""
    op = subject(step)
    new = {changed: (before, after) for _, changed, before, after in changes(step)}
    if step.kind == "order":
        return f"{called(op)}: all that it makes run has run."
    value = valued(op, new[op][1])
    if step.kind == "give":
        return f"{called(op)} is given: {value}."
    if step.kind == "view":
        return f"{called(op)} shows what {called(op.storage)} holds now: {value}."
    if step.kind == "assign":
        storage = op.args[0].storage
        held = new[storage][0] if storage in new else None
        before = "" if held is None else f", which held {valued(storage, held)}"
        part = "" if op.args[0] is storage else f"a part of {called(storage)}, "
        return f"{called(op)} stores {value} in {part}{called(op.args[0])}{before}."
    name, of = spoken(op), _from(op)
    if op.adjoint_of is not None and not op.own_name:
        return f"{called(op)}, the adjoint of {called(op.adjoint_of)}, is computed{of}: {value}."
    return f"{name} is computed{'' if tells_operand(op) else of}: {value}."


def _from(op: Op) -> str:
    names = [*dict.fromkeys(operand(arg) for arg in op.args if not is_literal(arg))]
    return f" from {captions.listed(captions.few(names, '…'))}" if names else ""


# ---- composite ops as one ----


def composite_built(schema: Schema, ops: Sequence[Op], value: Op | None) -> str:
    """Return what is said when those ops of a composite op that are drawn have been built."""
    count = captions.plural(len(ops), "op")
    has = (
        f"whose value is {a(value)}" if value is not None else f"of which {listed([*map(called, _used(ops))])} are used"
    )
    return f"{whole_name(schema)} is built{_operands(' of', ops)}: {schema.name}, {count}, {has}. {NOTHING_COMPUTED}"


def composite_ran(schema: Schema, ops: Sequence[Op], value: Step | None) -> str:
    """Return what is said when ops of a composite op have run in turn; ``value`` is the step of its value."""
    count = captions.plural(len(ops), "op")
    if value is None:
        return f"{count} of {schema.name} run, for {whole_name(schema)}: {listed([*map(called, ops)])}."
    text = next(valued(changed, after) for _, changed, _, after in changes(value) if changed is subject(value))
    return f"{whole_name(schema)} is computed{_operands(' from', ops)} by {schema.name}, {count}: {text}."


def _operands(word: str, ops: Sequence[Op]) -> str:
    """Return what ops take from outside, after a word."""
    args = [arg for op in ops for arg in op.args if arg not in ops and not is_literal(arg)]
    names = [*dict.fromkeys(whole_name(schema) if (schema := outermost(arg)) else called(arg) for arg in args)]
    return f"{word} {listed(names)}" if names else ""


def _used(ops: Sequence[Op]) -> list[Op]:
    """Return those ops whose values no other of them takes."""
    taken = {arg for op in ops for arg in op.args}
    return [op for op in ops if op not in taken]


def valued(op: Op, value: Any) -> str:
    """Return a value in a sentence: a number, a few numbers, or of what shape it is."""
    if np.ndim(value) and np.size(value) > captions.MOST_IN_A_SENTENCE:
        return a(op)
    return captions.value(value, most=60).replace("-", "−")


def all_built(ops: Iterable[Op]) -> str:
    """Return what is said when all ops are built."""
    count = captions.plural(sum(1 for _ in ops), "op")
    return f"{count} built, and none has run. Select an op to see the line that built it, or a line to see its ops."


def opening(ops: Iterable[Op], words: str) -> str:
    """Return what is said before the first step."""
    count = captions.plural(sum(1 for op in ops if not is_literal(op)), "op")
    return f"{count}. {words}"


def listed(names: list[str]) -> str:
    """Return names in a sentence, a few of them."""
    return captions.listed(captions.few(names, "…"))


# ---- ops that are built ----


def built(op: Op) -> str:
    """Return what is said when a line has built an op."""
    if op.kind == "placeholder":
        return f"{called(op)} is a placeholder for {a(op)}: it has no value."
    return f"The line builds {called(op)}: {a(op)} to be. Nothing is computed."


def evaluated(op: Op, value: object) -> str:
    """Return what is said when a line has computed a value at once."""
    text = valued(op, value)
    if op.kind in ("placeholder", "constant"):
        return f"{called(op)} is there: {text}."
    return f"The line computes {called(op)}: {text}."


def compiled(ops: int, needed: int) -> str:
    """Return what is said when all is built, before anything runs."""
    left = ops - needed
    spared = (
        f" {'One op is' if left == 1 else f'{left} ops are'} needed for no result, and will not run." if left else ""
    )
    return f"f has returned, and nothing is computed: the graph is whole before it runs.{spared}"


def is_done(results: list[str]) -> str:
    """Return what is said of computing at once when the function has returned."""
    return f"f has returned {listed(results)}: all is computed, and the graph was never there."


def runs(op: Op, value: object) -> str:
    """Return what is said where an op runs, once all are built."""
    text = valued(op, value)
    if op.kind == "placeholder":
        return f"A value comes for {called(op)}: {text}. No line of f runs now."
    return f"{called(op)} runs: {text}."


def ending(count: int) -> str:
    """Return what is said at the end of what was built first."""
    return f"To compute again with other values, the {count} ops run again, and f is not called."
