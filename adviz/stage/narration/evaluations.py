"""Explain an evaluation in the picture of a sweep: values come one after the other, and nothing flows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import takewhile

import numpy as np

from ...graph.graph import Graph
from ..scene import captions
from ..scene.document import Rest, Rests, Step
from ..scene.flow_panel import Move
from .flows import Flow, shown
from .folds.folded_graph import Fold, drawn
from .levels import SweepNarrator, keyframe, move
from .source_names import SourceNames

MOST_GIVEN = 6  # the most inputs of which a sentence says the values


def evaluation_of(graph: Graph, steps: Sequence[Step]) -> Flow:
    """Return an evaluation: in which of some steps each node that is drawn gets its value.

    >>> import adviz
    >>> steps = [{"edits": [["evaluation/value/0", None, 3.0]]}, {"edits": [["evaluation/value/1", None, 9.0]]}]
    >>> evaluation_of(adviz.trace(lambda x: x * x, 3.0), steps).values
    {0: 0, 1: 1}
    """
    seen = {node for node in drawn(graph) if shown(graph, node) == node}
    values: dict[int, int] = {}
    for number, step in enumerate(steps):
        for key, _, after in step["edits"]:
            what, node = key.split("/")[1:3]
            if what == "value" and after is not None and int(node) in seen:
                values.setdefault(int(node), number)
    return Flow(graph, False, 0, {}, {}, {}, {}, len(steps) - 1, values=values)


class EvaluationNarrator(SweepNarrator):
    """Explains an evaluation, whose ``steps`` say how each value is computed."""

    def __init__(self, flow: Flow, names: SourceNames, steps: Sequence[Step]):
        super().__init__(flow, names)
        self.steps = steps

    def over(self, flow: Flow, begun: Sequence[int]) -> EvaluationNarrator:
        """Return the narrator of the same evaluation over folds."""
        return EvaluationNarrator(flow, self.names, self.steps)

    def moves(self) -> list[Move]:
        """Return what happens in the evaluation, in order."""
        values = self.flow.values or {}
        return [*(move("value", step, node) for node, step in values.items()), move("result", self.flow.steps)]

    def keyframes(self, only: Collection[int] | None = None, is_by_edge: bool = True) -> dict[int, Rests]:
        """Return what is said of each value, and of those that are given together, by the step of the last of them."""
        values = self.flow.values or {}
        given = [*takewhile(self.graph.inputs.__contains__, values)]
        result: dict[int, Rests] = {}
        if given and only is None:
            result[values[given[-1]]] = {"nodes": self._given(given)}
        for node in list(values)[len(given) :]:
            if only is None or node in only:
                result[values[node]] = {"nodes": self._computed(node)}
        if only is None:
            text = f"All values are there: {captions.listed(list(map(self._valued, self.outputs)))}."
            result[self.flow.steps] = {"nodes": keyframe("result", text, None, self.outputs)}
        return result

    def opening(self) -> Rest:
        """Return what is said before the first value."""
        text = "Values are computed one after the other, each from those before it: follow them from left to right."
        return keyframe("start", text, None, [])

    def _valued(self, node: int) -> str:
        value = self.graph.values[node]
        return f"{self.named(node)} {'is' if np.ndim(value) else '='} {self.value(value)}"

    def _given(self, nodes: list[int]) -> Rest:
        texts = captions.few(list(map(self._valued, nodes)), "…", MOST_GIVEN)
        return keyframe("inputs", f"Given {'is' if len(nodes) == 1 else 'are'} {captions.listed(texts)}.", None, nodes)

    def _computed(self, node: int) -> Rest:
        step, fold = self.steps[(self.flow.values or {})[node]], self.graph.blocks[node]
        text, formula = step["caption"], step["formula"]
        if isinstance(fold, Fold):
            label = fold.place.label
            text, formula = f"{label[0].upper()}{label[1:]}: {self._valued(node)}.", None
        return {**keyframe(self.named(node), text, formula, [node]), "question": step["question"]}
