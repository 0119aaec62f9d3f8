"""What is freed when Variables go: everything that nothing refers to any more, at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....graph.graph import Graph
from ....graph.timeline import State, Step
from ..primitives import Algorithm, put, stored_values


def reference_counting(graph: Graph, dropped: Sequence[int], *, tape: bool = False) -> Algorithm:
    """The forward values of a graph while the Variables of some outputs are ``dropped``, one after the other.

    The user holds the inputs and the outputs, a node holds its operands. A node to which nothing refers is freed, and
    lets go of its operands; so a part of a graph goes with its last Variable (dead nodes have gone before the first).
    A ``tape`` holds every node, and nothing is freed before the tape is.

    A ``visit`` is the end of a Variable, ``count`` the end of one reference.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: (x + 1.0, x + 2.0), 3.0)
    >>> steps = list(reference_counting(graph, graph.outputs[:1])({}))
    >>> [step.focus for step in steps if step.kind == "free"]
    [(3,), (1,)]
    """
    held = {*graph.inputs, *graph.outputs}

    def steps(state: State) -> Iterator[Step]:
        counts = [len(graph.users(node)) + (node in held) + tape for node in range(len(graph))]
        stored = [put(state, ("stored", node), size) for node, size in stored_values(graph, range(len(graph))).items()]
        yield Step("seed", (*stored, *(put(state, ("references", node), count) for node, count in enumerate(counts))))
        for node, count in enumerate(counts):
            if not count:
                yield from free(state, node)
        for node in dropped:
            yield let_go(state, node, "visit")
            if not state["references", node]:
                yield from free(state, node)

    def let_go(state: State, node: int, kind: str) -> Step:
        return Step(kind, (put(state, ("references", node), state["references", node] - 1),), focus=(node,))

    def free(state: State, node: int) -> Iterator[Step]:
        waiting = [node]
        while waiting:
            node = waiting.pop()
            yield Step("free", (put(state, ("stored", node), None), put(state, ("references", node), None)), (node,))
            for operand in graph.operand_nodes(node):
                yield let_go(state, operand, "count")
                if not state["references", operand]:
                    waiting.append(operand)

    return steps
