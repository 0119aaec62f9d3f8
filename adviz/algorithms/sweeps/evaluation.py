"""The forward evaluation, as it happened: each node receives its value after its operands have theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...graph.graph import Graph
from ...graph.timeline import Edit, State, Step


def evaluation(graph: Graph) -> Callable[[State], Iterator[Step]]:
    """The evaluation of a graph as an algorithm over states ``{node: value}``.

    Every Step gives one node its value and looks at the node and its operands.

    >>> import adviz
    >>> from adviz.graph.timeline import Timeline
    >>> timeline = Timeline.record({}, evaluation(adviz.trace(lambda x: x * x, 3.0)))
    >>> timeline.at(2)
    {0: 3.0, 1: 9.0}
    """

    def steps(state: State) -> Iterator[Step]:
        for index, value in enumerate(graph.values):
            state[index] = value
            yield Step("evaluate", (Edit(index, None, value),), focus=(index, *graph.operand_nodes(index)))

    return steps
