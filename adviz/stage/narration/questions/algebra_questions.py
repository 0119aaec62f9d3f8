"""Questions about a factorization, asked before a step, each with the usual mistakes.

Before the first step: whether a block is simple. Before others: which vertex is split next, or what the expressions
cost afterwards; before the last, what an order of the levels costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ....algorithms.expressions import LocalJacobian, accumulated
from ....algorithms.expressions.local_jacobians import Order, order_by_name
from ....graph.linearized.cgraph import CGraph
from ....graph.linearized.checked_parts import Vertex
from ...scene import captions, formulas
from ...scene.captions import WrongNumber, choice_question, number_question
from ...scene.document import Question
from ..algebra_narration import Namer
from ..factored_moments import FactoredMoment, Way, vertices_of

EXACTLY = 0.0  # tolerance of an answer that is counted
MOST_CHOICES = 6
SIMPLE, COMPLEX = "yes, it is simple", "no, it is complex"


class Examiner:
    """Asks about the steps of a factorization; ``levels`` are the local Jacobians, if there are some to be seen."""

    def __init__(self, namer: Namer, way: Way, levels: Sequence[LocalJacobian] = ()):
        self.namer, self.way, self.levels = namer, way, levels

    def ask(self, before: FactoredMoment, now: FactoredMoment, number: int, is_last: bool) -> Question | None:
        """Return a question about a step that is about to be taken, the ``number``-th."""
        kinds: list[Callable[[], Question | None]] = [lambda: self._cost(before, now)]
        if now.kind in ("page", "together"):
            kinds = []
        if now.kind == "split" and self.way != "paths" and (number == 1 or not number % 2):
            kinds.insert(0, lambda: self._which(before, now))
        if number == 1:
            kinds.insert(0, lambda: self._is_simple(before))
        if is_last and number > 1:
            kinds.insert(0, self._levels)
        return next((asked for kind in kinds if (asked := kind())), None)

    def _is_simple(self, before: FactoredMoment) -> Question | None:
        graph, called = before.graph, self.namer.called
        shared = before.core.intermediates
        if len(graph.inputs) * len(graph.outputs) > 1 or not shared:
            return None
        (x,), (y,) = graph.inputs, graph.outputs
        one = shared[0]
        into, out = len(graph.predecessors(one)), len(graph.successors(one))
        left = f"{called(one)} keeps {captions.plural(into, 'edge')} in and {out} out, so it is left"
        why = f"Contract chains and parallel edges: {left}."
        hint = "It is simple if contracting chains, and adding parallel edges, leaves a single edge."
        return choice_question(f"Is the block from {called(x)} to {called(y)} simple?", COMPLEX, [(SIMPLE, why)], hint)

    # ---- which vertex ----

    def _which(self, before: FactoredMoment, now: FactoredMoment) -> Question | None:
        right = vertices_of(now.steps[0])[0]
        wrong = list(self._too_early(before.graph, before.core.intermediates, right))
        if not wrong:
            return None
        ends = "inputs" if self.way == "backward" else "outputs"
        hint = f"Splitting goes from the {ends} on: a vertex comes when none before it is on several paths."
        return choice_question("Which vertex is split next?", self.namer.called(right), wrong, hint, most=MOST_CHOICES)

    def _too_early(self, graph: CGraph, core: list[Vertex], right: Vertex) -> Iterator[tuple[str, str]]:
        """Yield vertices that are split after others, or never, with the reason."""
        called = self.namer.called
        is_backward = self.way == "backward"
        behind = graph.predecessors if is_backward else graph.successors
        word = "depends on" if is_backward else "is used by"
        for vertex in core:
            if vertex == right:
                continue
            first = next((other for other in behind(vertex) if other in core), None)
            if first is not None:
                yield called(vertex), f"{called(vertex)} {word} {called(first)}, which is split before it."
        for vertex in graph.intermediates:
            if vertex not in core:
                yield called(vertex), f"{called(vertex)} lies in a chain: it is on one path only, or in a simple block."

    # ---- costs ----

    def _cost(self, before: FactoredMoment, now: FactoredMoment) -> Question:
        work, old = now.multiplications, before.multiplications
        wrong: list[WrongNumber] = []
        if now.kind == "reference":
            name, expression = next(each for each in now.references.items() if each[0] not in before.references)
            written = name.translate(formulas.SUBSCRIPTS)
            tail, head = map(self.namer.called, (expression.tail, expression.head))
            what = f"What leads from {tail} to {head} is named {written}"
            why = f"That is the cost now; {written} is computed once, and not wherever it is used."
            hint = f"Count the products of {written} once, and one product for each factor {written}."
        elif now.kind == "join":
            one, other = map(self.namer.called, vertices_of(now.steps[0]))
            what = f"{one} and {other} are joined"
            why = "That is the cost now; what the two have in common stands outside a bracket then."
            hint = "A letter that two terms have in common is multiplied once, by their sum."
        else:
            vertex = self.namer.called(vertices_of(now.steps[0])[0])
            what = f"{vertex} is split"
            why = "That is the cost now; after the split some paths are chains and blocks, and are bracketed."
            if work > old:
                why = "That is the cost now; copies stand for paths of their own, so brackets are multiplied out."
            hint = "Copies are free. Where chains and blocks come about, brackets save products."
        if old != work:
            wrong.append((float(old), why))
        prompt = f"{what}. How many multiplications do the expressions take then?"
        return number_question(prompt, work, wrong, hint, tolerance=EXACTLY)

    # ---- levels ----

    def _levels(self) -> Question | None:
        if len(self.levels) < 3:
            return None
        order = order_by_name(self.levels, "left to right")
        work = accumulated(self.levels, order).multiplications
        best = accumulated(self.levels)
        wrong: list[WrongNumber] = []
        if (all_of_them := _with_ones(self.levels)) != work:
            wrong.append((float(all_of_them), "That counts products by the ones of copies, too; they are free."))
        if best.multiplications not in (work, all_of_them):
            wrong.append((float(best.multiplications), f"That is the cheapest order, {named(best.order)}."))
        hint = "Multiply letters by letters only: zeros are not there, and the ones of copies are free."
        prompt = f"The levels are multiplied in the order {named(order)}. How many multiplications does that take?"
        return number_question(prompt, work, wrong, hint, tolerance=EXACTLY)


def _with_ones(levels: Sequence[LocalJacobian]) -> int:
    """Return what multiplying from left to right would take if the ones of copies were letters."""
    filled = [LocalJacobian(each.rows, each.columns, dict.fromkeys(each.entries, 1.0)) for each in levels]
    return accumulated(filled, order_by_name(filled, "left to right")).multiplications


def named(order: Order) -> str:
    """Return an order of matrices, which are numbered from 1.

    >>> named(((0, 1), 2))
    '(J₁ J₂) J₃'
    """
    if isinstance(order, int):
        return f"J{order + 1}".translate(formulas.SUBSCRIPTS)
    return " ".join(named(each) if isinstance(each, int) else f"({named(each)})" for each in order)
