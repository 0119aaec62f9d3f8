"""The reverse sweep that takes the function of the highest rank first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

from ....graph.graph import Graph
from ....graph.timeline import Edit, State, Step
from ..primitives import Backward, put, stored_factors
from ..seeds import GivenSeeds


def rank_heap(graph: Graph, seeds: GivenSeeds = None, *, state: State | None = None) -> Iterator[Step]:
    """Return the reverse sweep over variables and the functions that made them, with a heap of functions.

    In the forward pass a function takes the highest rank among its operands, and its value ranks one higher; so
    whatever uses a value has a higher rank than what made it, and the heap never gives a function too early. Ties are
    won by the function that was found first. Only functions are visited: inputs have none. A value refers to its
    function, a function to its operands but only weakly to its value, so that the forward pass stores no more than what
    rules save. Sums are always fresh; an adjoint is freed once used, except for those of the outputs themselves.

    ``seeds`` and the result are those of :func:`~.tape_order.tape`; inputs that nothing flows back to have no adjoint.

    Source: Chainer 5.0.0b1, commit a69103a4, ``chainer/variable.py`` (``_backward_main``) and
    ``chainer/function_node.py``.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: x * x, 3.0)
    >>> [step.focus for step in rank_heap(graph) if step.kind == "visit"]
    [(2,), (1,)]
    """
    return _rank_heap(Backward(graph, seeds, state))


def _rank_heap(sweep: Backward) -> Iterator[Step]:
    graph, state, outputs = sweep.graph, sweep.state, sweep.seeds.adjoints
    functions = [node for node in range(len(graph)) if node not in sweep.inputs]
    ranks = [put(state, ("rank", node), max(graph.levels[node] - 1, 0)) for node in functions]
    heap, seen = Heap(), set[int]()

    def candidate(node: int) -> Iterator[Edit]:
        if node not in sweep.inputs and node not in seen:
            priority = (-state["rank", node], len(seen))
            seen.add(node)
            heap.push(priority, node)
            yield put(state, ("ready", node), priority)

    result = [edit for output in outputs for edit in candidate(output)]
    yield sweep.seed(stored_factors(graph), *ranks, *result)
    while heap:
        node = heap.pop()
        yield sweep.visit(node, comparisons=heap.spent())
        for edge in (yield from sweep.products(node)):
            yield sweep.accumulate(edge, *candidate(edge.operand), comparisons=heap.spent())
        if node not in outputs:
            yield from sweep.free(node)


class Heap:
    """A heap of nodes by priority, the least first, that counts the comparisons of two of them.

    >>> heap = Heap()
    >>> for priority, node in [((-1, 0), 7), ((-3, 1), 8), ((-2, 2), 9)]:
    ...     heap.push(priority, node)
    >>> heap.pop(), heap.spent(), heap.spent()
    (8, 3, 0)
    """

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.comparisons = 0

    def __len__(self) -> int:
        return len(self.entries)

    def push(self, priority: tuple[int, int], node: int) -> None:
        """Add a node."""
        heappush(self.entries, Entry(self, priority, node))

    def pop(self) -> int:
        """Remove the node of the least priority."""
        return heappop(self.entries).node

    def spent(self) -> int:
        """Return comparisons since the last call."""
        comparisons, self.comparisons = self.comparisons, 0
        return comparisons


@dataclass(slots=True)
class Entry:
    """A node in a heap; each comparison of two is counted."""

    heap: Heap
    priority: tuple[int, int]
    node: int

    def __lt__(self, other: Entry) -> bool:
        self.heap.comparisons += 1
        return self.priority < other.priority
