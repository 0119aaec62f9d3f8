"""What is freed when Variables are dropped: everything that nothing refers to any more, at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....graph.graph import Graph
from ....graph.timeline import State, Step
from ..primitives import put, stored_values


def reference_counting(
    graph: Graph, dropped: Sequence[int], *, tape: bool = False, state: State | None = None
) -> Iterator[Step]:
    """Free the forward values of a graph while the Variables of some outputs are ``dropped``, one after the other.

    The user holds the inputs and the outputs, a node holds its operands. A node to which nothing refers is freed, and
    releases its operands; so a part of a graph is freed with its last Variable (dead nodes have been freed before the
    first). A ``tape`` holds every node, and nothing is freed before the tape is.

    A ``visit`` is the end of a Variable, ``count`` the end of one reference.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: (x + 1.0, x + 2.0), 3.0)
    >>> [step.focus for step in reference_counting(graph, graph.outputs[:1]) if step.kind == "free"]
    [(3,), (1,)]
    """
    held = {*graph.inputs, *graph.outputs}
    counts = [len(graph.users(node)) + (node in held) + tape for node in range(len(graph))]
    return _reference_counting(graph, dropped, counts, {} if state is None else state)


def _reference_counting(graph: Graph, dropped: Sequence[int], counts: list[int], state: State) -> Iterator[Step]:
    def release(node: int, kind: str) -> Step:
        return Step(kind, (put(state, ("references", node), state["references", node] - 1),), focus=(node,))

    def free(node: int) -> Iterator[Step]:
        waiting = [node]
        while waiting:
            node = waiting.pop()
            yield Step("free", (put(state, ("stored", node), None), put(state, ("references", node), None)), (node,))
            for operand in graph.operand_nodes(node):
                yield release(operand, "count")
                if not state["references", operand]:
                    waiting.append(operand)

    stored = [put(state, ("stored", node), size) for node, size in stored_values(graph, range(len(graph))).items()]
    yield Step("seed", (*stored, *(put(state, ("references", node), count) for node, count in enumerate(counts))))
    for node, count in enumerate(counts):
        if not count:
            yield from free(node)
    for node in dropped:
        yield release(node, "visit")
        if not state["references", node]:
            yield from free(node)
