"""The forward evaluation: as it happened, or as late as possible."""

from __future__ import annotations

from collections.abc import Sequence

from ...graph.graph import Graph
from ...graph.timeline import State, Step
from .backward.tape_order import tape_entries
from .primitives import Algorithm, put


def evaluation(graph: Graph) -> Algorithm:
    """The evaluation of a graph as an algorithm over states ``{node: value}``, at once and in order of creation.

    Every Step gives one node its value and looks at the node and its operands.

    >>> import adviz
    >>> from adviz.graph.timeline import Timeline
    >>> timeline = Timeline.record({}, evaluation(adviz.trace(lambda x: x * x, 3.0)))
    >>> timeline.at(2)
    {0: 3.0, 1: 9.0}
    """
    return lambda state: (_evaluate(graph, state, node) for node in range(len(graph)))


def lazy_evaluation(graph: Graph, outputs: Sequence[int], *, on_demand: bool = False) -> Algorithm:
    """The evaluation of some outputs when they are asked for; what the state has already is not evaluated again.

    A lazy tape evaluates everything up to the last value wanted, in order of creation, whether that value depends on
    it or not. With ``on_demand`` only what the outputs depend on is evaluated, as a graph of nodes allows.

    Source: DyNet, commit 740a9626, ``dynet/exec.cc`` (``incremental_forward``).

    >>> import adviz
    >>> graph = adviz.trace(lambda x: (x + 1.0, x + 2.0), 3.0)
    >>> [[step.focus[0] for step in lazy_evaluation(graph, graph.outputs[1:], on_demand=way)({})] for way in (0, 1)]
    [[0, 1, 2, 4], [0, 2, 4]]
    """
    entries = tape_entries(graph, outputs)
    if on_demand:
        needed = set(outputs).union(*map(graph.ancestors, outputs))
        entries = [node for node in entries if node in needed]
    return lambda state: (_evaluate(graph, state, node) for node in entries if node not in state)


def _evaluate(graph: Graph, state: State, node: int) -> Step:
    return Step("evaluate", (put(state, node, graph.values[node]),), focus=(node, *graph.operand_nodes(node)))
