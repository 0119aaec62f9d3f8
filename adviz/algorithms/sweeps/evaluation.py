"""The forward evaluation: as it happened, or as late as possible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...graph.graph import Graph
from ...graph.timeline import State, Step
from .backward.tape_order import tape_entries
from .primitives import put


def evaluation(graph: Graph, *, state: State | None = None) -> Iterator[Step]:
    """Evaluate a graph at once, in order of creation.

    Every Step gives one node its value, under the node's index, and looks at the node and its operands.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: x * x, 3.0)
    >>> adviz.Timeline.record(graph, evaluation(graph)).at(2)
    {0: 3.0, 1: 9.0}
    """
    return _evaluated(graph, range(len(graph)), state)


def lazy_evaluation(
    graph: Graph, outputs: Sequence[int], *, on_demand: bool = False, state: State | None = None
) -> Iterator[Step]:
    """Evaluate some outputs when they are asked for, except what ``state`` has already.

    A lazy tape evaluates everything up to the last value wanted, in order of creation, whether that value depends on
    it or not. With ``on_demand`` only what the outputs depend on is evaluated, as a graph of nodes allows.

    Source: DyNet, commit 740a9626, ``dynet/exec.cc`` (``incremental_forward``).

    >>> import adviz
    >>> graph = adviz.trace(lambda x: (x + 1.0, x + 2.0), 3.0)
    >>> [[step.focus[0] for step in lazy_evaluation(graph, graph.outputs[1:], on_demand=way)] for way in (False, True)]
    [[0, 1, 2, 4], [0, 2, 4]]
    """
    entries = tape_entries(graph, outputs)
    if on_demand:
        needed = set(outputs).union(*map(graph.ancestors, outputs))
        entries = [node for node in entries if node in needed]
    return _evaluated(graph, entries, state)


def _evaluated(graph: Graph, nodes: Iterable[int], state: State | None) -> Iterator[Step]:
    state = {} if state is None else state
    for node in nodes:
        if node not in state:
            yield Step("evaluate", (put(state, node, graph.values[node]),), (node, *graph.operand_nodes(node)))
