"""Narrate an elimination: for every Step a sentence with its numbers, and a formula.

The page says the same about the moves made there (``widgets/src/elimination/elimination-words.ts``); goldens pin both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np

from ...graph.linearized.checked_parts import Vertex
from ...graph.linearized.labels import Label, dense, product
from ...graph.linearized.line_graph import LineGraph, LineNode
from ...graph.timeline import Step
from ..scene import captions, formulas
from ..scene.formulas import Tree
from .both_sides import BothSides, Move, Seen

NOUNS = {"fill_in": "fill-in", "absorb": "absorption", "merge": "merge"}


class Narrator:
    """Narrates an elimination; what it says about a Step is read off the two sides after the Step."""

    def __init__(self, sides: BothSides):
        self.sides = sides
        self.labels = [captions.shortened(sides.graph.name(vertex)) for vertex in sides.keys.vertices]
        self.indices = indices(sides.keys.vertices)
        self.names = names(self.labels, self.indices)

    # ---- names ----

    def called(self, vertex: Vertex) -> str:
        """Return the name of a vertex in a sentence."""
        return self.names[self.sides.keys.number(vertex)]

    def edge(self, e: LineNode) -> str:
        """Return the name of an edge: ``v1 → v3``."""
        return f"{self.called(e[0])} → {self.called(e[1])}"

    def symbol(self, e: LineNode) -> str:
        """Return the symbol of an edge or a node: ``c₃₁``, ``c₃₁′`` for a twin."""
        return formulas.text(self.variable(e))

    def variable(self, e: LineNode) -> Tree:
        """Return the same for a formula."""
        tail, head = (self.indices[self.sides.keys.number(end)] for end in e[:2])
        comma = "," if len(tail) + len(head) > 2 else ""
        return ["sub", ["id", "c" + "′" * (e[2] - 1 if len(e) > 2 else 0)], ["num", f"{head}{comma}{tail}"]]

    # ---- sentences ----

    def caption(self, seen: Seen) -> str:
        """Return what happens in a Step."""
        step = seen.step
        match step.kind:
            case "fill_in" | "absorb":
                return self._tell_product(seen)
            case "merge":
                one, two = line_nodes(seen.step)
                before = next(edit.before for edit in step.edits if edit.key == ("node", one))
                terms = f"{self.symbol(one)} + {self.symbol(two)}"
                numbers = self._sum(before, step.edits[0].after)
                return f"Twins merge, since they have the same neighbors now: {terms}{numbers}."
            case _:
                return self._removed(step.focus[0])

    def _tell_product(self, seen: Seen) -> str:
        tail, head, made = line_nodes(seen.step)
        before, after = seen.step.edits[0].before, seen.step.edits[0].after
        factors = self.label(head), self.label(tail)
        gain = f"{self.symbol(head)} · {self.symbol(tail)}{self._times(*factors)}"
        if seen.step.kind == "fill_in":
            return f"{self.symbol(made)} is filled in: {gain}."
        return f"{self.symbol(made)} absorbs {gain}{self._sum(before, after, ': ')}."

    def _times(self, head: Label, tail: Label) -> str:
        """Return the numbers of a product of numbers; for other products the value, or its shape."""
        result = dense(product(head, tail))
        if np.ndim(result):
            return f", {captions.a(captions.kind(np.shape(result)))}"
        numbers = [] if np.ndim(head) else [captions.bracketed(captions.signed(label)) for label in (head, tail)]
        return "".join(f" = {side}" for side in [*([" · ".join(numbers)] if numbers else []), captions.signed(result)])

    def _sum(self, before: Label, after: Label, start: str = " = ") -> str:
        """Return the terms of a sum of numbers; "" for matrices."""
        before, after = dense(before), dense(after)
        if np.ndim(after):
            return ""
        gain = captions.bracketed(captions.signed(after - before))
        return f"{start}{captions.signed(before)} + {gain} = {captions.signed(after)}"

    def _removed(self, key: Any) -> str:
        match key:
            case ("vertex", j):
                return f"{self.called(j)} is eliminated; its remaining edges are removed."
            case ("edge", *ends):
                return f"The edge {self.edge(tuple(ends))} is removed: its products are computed."
            case ("face", e, f):
                return f"The face from {self.symbol(e)} to {self.symbol(f)} is removed: its product is computed."
            case _:
                return f"{self.symbol(key[1])} is removed: no path leads through it any more."

    def whole(self, move: Move, around: tuple[int, int] | None, done: list[Seen]) -> str:
        """Return what a whole move did; ``around`` are |P_j| and |S_j| of a vertex."""
        work = sum(seen.step.multiplications for seen in done)
        kinds = [seen.step.kind for seen in done]
        multiplications = captions.plural(work, "multiplication")
        if around and prod(around) == work:
            multiplications = f"{around[0]} × {around[1]} = {multiplications}"
        elif around:
            products = captions.plural(prod(around), "product")
            multiplications = f"{around[0]} × {around[1]} = {products}, {multiplications}"
        counts = [captions.plural(kinds.count(kind), noun) for kind, noun in NOUNS.items() if kind in kinds]
        return f"{self.named(move)}: {captions.listed([multiplications, *counts])}."

    def around(self, move: Move) -> tuple[int, int] | None:
        """Return |P_j| and |S_j| of a vertex that is about to be eliminated."""
        if self.sides.technique != "vertex":
            return None
        return len(self.sides.graph.predecessors(move)), len(self.sides.graph.successors(move))

    def named(self, move: Move, when: str = "") -> str:
        """Return a move as the beginning of a sentence; ``when`` may be "next"."""
        match self.sides.technique:
            case "vertex":
                words = f"{self.called(move)} is eliminated"
            case "edge":
                words = f"The edge {self.edge(move[1:])} is {move[0]}-eliminated"
            case _:
                words = f"The face from {self.symbol(move[0])} to {self.symbol(move[1])} is eliminated"
        return f"{words} {when}".strip()

    # ---- formulas ----

    def formula(self, seen: Seen) -> Tree | None:
        """Return the arithmetic of a Step, ``c₅₂ ← c₅₂ + c₅₄ · c₄₂ = 2 + 0.8 · 1.25 = 2 + 1 = 3``, or ``None``."""
        if seen.step.kind == "merge":
            one, two = map(self.variable, line_nodes(seen.step))
            return formulas.row(one, formulas.op("+="), two)
        if seen.step.kind not in ("fill_in", "absorb"):
            return None
        tail, head, made = line_nodes(seen.step)
        factors = self.label(head), self.label(tail)
        signs = formulas.row(self.variable(head), formulas.op("·"), self.variable(tail))
        figures = formulas.row(
            formulas.quantity(factors[0], factor=True), formulas.op("·"), formulas.quantity(factors[1], factor=True)
        )
        gain = dense(product(*factors))
        if seen.step.kind == "fill_in":
            return formulas.fitted(formulas.chain(self.variable(made), signs, figures, formulas.quantity(gain)))
        edit = seen.step.edits[0]
        old, plus = formulas.quantity(dense(edit.before)), formulas.op("+")
        sides = [
            formulas.row(self.variable(made), plus, signs),
            *([] if np.ndim(gain) else [formulas.row(old, plus, figures)]),  # of arrays there is no room for factors
            formulas.row(old, plus, formulas.quantity(gain, factor=True)),
            formulas.quantity(dense(edit.after)),
        ]
        return formulas.fitted(formulas.row(self.variable(made), formulas.op("←"), formulas.chain(*sides)))

    def label(self, e: LineNode) -> Label:
        """Return the label of a factor, which the Step has not changed."""
        side = self.sides.side
        return dense(side.label(e) if isinstance(side, LineGraph) else side.partial(*e))


def line_nodes(step: Step) -> list[LineNode]:
    """Return the edges, or the nodes of the line graph, in the focus of a Step."""
    return [key[1] if key[0] == "node" else key[1:] for key in step.focus if isinstance(key, tuple)]


def names(labels: list[str], indices: list[str]) -> list[str]:
    """Return the names of vertices in a sentence: with their indices where several have the same name.

    >>> names(["x", "r", "r"], ["0", "1", "2"])
    ['x', 'r (v1)', 'r (v2)']
    """
    counts = Counter(labels)
    return [f"{label} (v{index})" if counts[label] > 1 else label for label, index in zip(labels, indices, strict=True)]


def indices(vertices: Iterable[Vertex]) -> list[str]:
    """Return the indices of vertices in c₃₁: the vertices themselves if all are whole numbers, else their numbers."""
    listed = list(vertices)
    whole = all(isinstance(vertex, int) and vertex >= 0 for vertex in listed)
    return [str(vertex if whole else number) for number, vertex in enumerate(listed)]
