"""Questions about a sweep, to be asked before a Step reveals the answer."""

from __future__ import annotations

import numpy as np

from ....algorithms.sweeps.seeds import Value
from ...scene import captions
from ...scene.document import Question
from .. import local_partials
from ..source_names import sentence
from ..sweep_narration import Act, Narrator, by_kind

HINTS = {
    "recursion": "The recursion enters an operand as soon as its last contribution has arrived.",
    "tape": "A tape is played backwards, entry by entry.",
    "tape with flags": "A tape is played backwards, entry by entry.",
    "toposort": "Of the nodes that wait for nothing, the one that became complete last comes first.",
    "rank_heap": "The highest rank comes first; of equal ranks, the one that was found first.",
    "use_counts": "Of the nodes that are ready, the one that became ready last comes first.",
}
"""The rule behind the order, by engine."""
TOLERANCE = 0.01  # tolerance of an answer, relative to a number larger than 1


class SweepExaminer:
    """Asks about the Steps that a Narrator narrates."""

    def __init__(self, narrator: Narrator):
        self.narrator, self.graph = narrator, narrator.graph

    def question(self, act: Act) -> Question | None:
        """Return the question about a Step; ``None`` if there is nothing to find out."""
        question: Question | None = by_kind(self, "ask", act)
        return question

    def _ask_evaluate(self, act: Act) -> Question | None:
        node, graph = act.node, self.graph
        if not graph.operand_nodes(node) or np.ndim(graph.values[node]):
            return None
        narrator = self.narrator
        text = " = ".join(dict.fromkeys([*narrator.called.sides(node), narrator.with_numbers(node)]))
        hint = self._itself(node) or f"{text}."
        return _number(f"What is the value of {narrator.called(node)}?", graph.values[node], sentence(hint))

    def _ask_visit(self, act: Act) -> Question | None:
        if self.narrator.forward:
            return self._ask_evaluate(act)
        if act.node in self.graph.outputs:
            return None
        hint = HINTS.get(self.narrator.engine, "A node is visited after all nodes that use it.")
        return {"kind": "node", "prompt": "Which node is visited next?", "answer": act.node, "hint": hint}

    def _ask_product(self, act: Act) -> Question | None:
        narrator, edge, product = self.narrator, self.narrator.edge(act), act.step.edits[0].after
        if np.ndim(product) or any(map(np.ndim, narrator.factors(edge))):
            return None
        start, end = narrator.called(narrator.source(edge)), narrator.called(narrator.target(edge))
        rule, local = captions.local_rule(self.graph, edge.node, edge.place), "/".join(narrator.partial(edge))
        if narrator.names:
            rule = local_partials.symbol(self.graph, edge.node, edge.place, narrator.names)
        given = narrator.number(narrator.given(edge))
        factor = self._itself(edge.node) or f"{local} = {rule}."
        known = f"The {narrator.flow} of {start} is {given}, and {factor}"
        repeated = self.graph.operand_nodes(edge.node).count(edge.operand) > 1
        which = f", along the edge of operand {edge.place + 1}" if repeated else ""
        prompt = f"What does {start} pass {narrator.way} to {end}{which}?"
        return _number(prompt, product, known if rule else f"It is {given} times {local}.")

    def _itself(self, node: int) -> str:
        """Return that a result is the node that is returned; "" for any other node."""
        called = self.narrator.called
        return (
            f"{called(node)} is {called(self.graph.operand_nodes(node)[0])} itself." if called.is_result(node) else ""
        )

    def _ask_accumulate(self, act: Act) -> Question | None:
        narrator, change = self.narrator, act.edit(self.narrator.flow, act.node)
        if act.way is None or change.before is None or np.ndim(change.after):
            return None
        present, arrived = narrator.number(change.before), narrator.number(act.step.edits[0].before)
        hint = f"{present} is there, and {arrived} arrives: contributions to one node add up."
        return _number(f"What is the {narrator.flow} of {narrator.called(act.node)} now?", change.after, hint)

    def _ask_count(self, act: Act) -> Question | None:
        change = act.edit("times_used")
        if (change.before or 0) < (change.after or 0):
            return None
        return {
            "kind": "choice",
            "prompt": f"Has everything arrived at {self.narrator.called(act.node)}?",
            "answer": "no" if change.after else "yes",
            "choices": ["yes", "no"],
            "hint": "Count the edges on which it is used, and those on which a product has arrived.",
        }


def _number(prompt: str, answer: Value, hint: str) -> Question:
    shown = float(answer) if np.isfinite(answer) else captions.number(answer)
    return {"kind": "number", "prompt": prompt, "answer": shown, "tolerance": TOLERANCE, "hint": hint}
