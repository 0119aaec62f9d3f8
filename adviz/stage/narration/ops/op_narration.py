"""Sentences for what happens in an op graph: ops are built, and run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ....graph.timeline import Step
from ....lazy.op_steps import changes, subject
from ....lazy.ops import Op
from ....lazy.schemas import Schema
from ...scene import captions
from .op_words import called, is_literal, is_storage_view, kind, operand, outermost, spoken, tells_operand, whole_name

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
        told = f"{called(op)} is to store {value} in {into} when it runs. Nothing is stored now."
        if waiting:
            listed = captions.listed(captions.few(waiting, "…"))
            return f"{told} {listed} must run after it, since {'they come' if len(waiting) > 1 else 'it comes'} later."
        return f"{told} No other op waits for it."

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


# ---- compounds as one ----


def compound_built(schema: Schema, ops: Sequence[Op], value: Op | None) -> str:
    """Return what is said when those ops of a compound that are drawn have been built."""
    count = captions.plural(len(ops), "op")
    has = (
        f"whose value is {a(value)}" if value is not None else f"of which {listed([*map(called, _used(ops))])} are used"
    )
    return f"{whole_name(schema)} is built{_operands(' of', ops)}: {schema.name}, {count}, {has}. {NOTHING_COMPUTED}"


def compound_ran(schema: Schema, ops: Sequence[Op], value: Step | None) -> str:
    """Return what is said when ops of a compound have run, one after the other; ``value`` is the step of its value."""
    count = captions.plural(len(ops), "op")
    if value is None:
        return f"{count} of {schema.name} run, for {whole_name(schema)}: {listed([*map(called, ops)])}."
    told = next(valued(changed, after) for _, changed, _, after in changes(value) if changed is subject(value))
    return f"{whole_name(schema)} is computed{_operands(' from', ops)} by {schema.name}, {count}: {told}."


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
