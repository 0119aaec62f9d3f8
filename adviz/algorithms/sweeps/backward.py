"""The backward passes, step by step: by the order of a tape, or by one that is found during the sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import zip_longest

import numpy as np

from ...graph.graph import Graph
from ...graph.timeline import Edit, State, Step
from .primitives import Backward, Edge, add, edges, put, stored_factors, stored_matrices, stored_values
from .seeds import GivenSeeds, Seeds, Value, checked_seeds

# ---- a topological order ----


def toposort(graph: Graph, seeds: GivenSeeds = None, *, state: State | None = None) -> Iterator[Step]:
    """Sweep in reverse: count the uses of nodes depth first, then take the last node that became complete.

    In the forward pass a node was given a closure for its vector-Jacobian products, which holds what the rule captures
    and lives as long as something refers to the node. All products of a node are computed in one call; its own adjoint
    has been popped, and is freed when the next one is popped. A first contribution is kept by reference, a second makes
    a fresh sum.

    ``seeds`` and the result are those of :func:`tape`; inputs that nothing flows back to have no adjoint
    (the original has one input, and returns what it popped last).

    Source: HIPS autograd, commit 442205df, ``autograd/core.py`` (``backward_pass``) and ``autograd/util.py``
    (``toposort``).

    >>> import adviz
    >>> graph = adviz.trace(lambda x: x * x, 3.0)
    >>> [step.focus for step in toposort(graph) if step.kind == "count"]
    [(0,), (0,), (0,), (0,)]
    """
    return _toposort(Backward(graph, seeds, state))


def _toposort(sweep: Backward) -> Iterator[Step]:
    outputs, childless = sweep.seeds.adjoints, sweep.ready
    yield sweep.seed(stored_factors(sweep.graph), *map(sweep.wait, outputs))
    stack, entered = [(node, False) for node in sweep.returned()], set[int]()
    while stack:
        node, is_use = stack.pop()
        if is_use:
            yield sweep.count(node)
        if node not in entered:
            entered.add(node)
            stack += [(operand, True) for operand in sweep.graph.operand_nodes(node)]
    yield from sweep.hand_over()
    while childless:
        node = childless.pop()
        yield sweep.visit(node)
        outgoing = yield from sweep.products(node)
        for edge in outgoing:
            yield sweep.accumulate(edge)
        yield from sweep.free(node)
        for edge in outgoing:
            yield Step("count", sweep.arrive(edge.operand), focus=(edge.operand,))


# ---- recursion: along each path by itself ----


def recursion(graph: Graph, seeds: GivenSeeds = None, *, state: State | None = None) -> Iterator[Step]:
    """Return the reverse sweep that counts first, then recurses depth first.

    A first sweep from the outputs counts for each node the edges on which it is used (each node is entered once; the
    original entered it once per path, and could then neither end in time nor be complete). Then each node passes its
    adjoint on, operand by operand, and recurses into an operand at once when that was its last use. Local Jacobians
    were stored as dense matrices in the forward pass, for dead nodes as well; nothing is freed.

    The stack is a list, not Python's, so that a chain of any length works. ``seeds`` and the result are those of
    :func:`tape`; inputs that nothing flows back to have no adjoint.

    Source: dragongrad 1.2 (cs207-FinalProject, commit d5ee88d2), ``define_path`` and ``Node.backward``.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: x * x, 3.0)
    >>> [step.kind for step in recursion(graph)][-5:]
    ['product', 'accumulate', 'product', 'accumulate', 'visit']
    """
    return _recursion(Backward(graph, seeds, state))


def _recursion(sweep: Backward) -> Iterator[Step]:
    returned, entered = sweep.returned(), set[int]()

    def define_path(node: int) -> Iterator[Step | int]:
        entered.add(node)
        for operand in sweep.graph.operand_nodes(node):
            yield sweep.count(operand)
            if operand not in entered:
                yield operand

    def backward(node: int) -> Iterator[Step | int]:
        yield sweep.visit(node)
        for edge in edges(sweep.graph, node):
            yield sweep.dense_product(edge)
            yield sweep.accumulate(edge, sweep.use(edge.operand, 1, "times_visited"))
            if sweep.state["times_visited", edge.operand] == sweep.state["times_used", edge.operand]:
                yield edge.operand

    yield sweep.seed(stored_matrices(sweep.graph))
    for node in returned:
        if node not in entered:
            yield from call(define_path, node)
    for output in sweep.seeds.adjoints:
        yield sweep.visit(output)
        for edge in edges(sweep.graph, output):
            yield sweep.dense_product(edge)
            yield sweep.accumulate(edge)
    for node in returned:
        if ("times_used", node) not in sweep.state:
            yield from call(backward, node)


def call(function: Callable[[int], Iterator[Step | int]], node: int) -> Iterator[Step]:
    """Yield the Steps of a recursive function of a node, which yields the nodes that it calls itself with.

    >>> def countdown(node):
    ...     yield Step(f"at {node}", ())
    ...     if node:
    ...         yield node - 1
    >>> len(list(call(countdown, 100_000)))
    100001
    """
    stack = [function(node)]
    while stack:
        for move in stack[-1]:
            if isinstance(move, int):
                stack.append(function(move))
                break
            yield move
        else:
            stack.pop()


# ---- counts of uses ----


def use_counts(
    graph: Graph, seeds: GivenSeeds = None, *, in_place: bool = False, state: State | None = None
) -> Iterator[Step]:
    """Return the reverse sweep with a stack of ready functions: Kahn's algorithm and the backward pass in one loop.

    A first sweep counts the uses of every function; a product that arrives takes one away, and the function whose last
    use that was is put on the stack, from which the next is taken. What rules saved is kept; an adjoint is freed with
    the last reference to it. The leaf of an input adds its adjoint to a gradient of its own.

    ``in_place=True`` IS WRONG, and is there to be seen: it adds as the original did, to the very array that arrived
    first. An addition passes the same array to both operands, so that the sum of one also becomes the adjoint of the
    other. The original gives 12 for the derivative of ``x**2 + x * 2 + x * y + y`` with respect to ``x`` at (1, 4),
    where 8 is right; later versions copy before they add, and so does the default.

    ``seeds`` and the result are those of :func:`tape`; inputs that nothing flows back to have no adjoint.

    Source: PyTorch 0.1.1, ``torch/autograd/engine.py``.

    >>> import adviz
    >>> graph = adviz.trace(lambda x, y: x**2 + x * 2 + x * y + y, 1.0, 4.0)
    >>> [adviz.replay({}, use_counts(graph, in_place=wrong))["adjoint", 0] for wrong in (False, True)]
    [8.0, 12.0]
    """
    return _use_counts((InPlace if in_place else Backward)(graph, seeds, state))


def _use_counts(sweep: Backward) -> Iterator[Step]:
    outputs, ready = sweep.seeds.adjoints, sweep.ready
    yield sweep.seed(stored_factors(sweep.graph), *map(sweep.wait, outputs))
    waiting = sweep.returned()
    seen = set(waiting)
    while waiting:
        for operand in sweep.graph.operand_nodes(waiting.pop()):
            yield sweep.count(operand)
            if operand not in seen:
                seen.add(operand)
                waiting.append(operand)
    yield from sweep.hand_over()
    while ready:
        node = ready.pop()
        yield sweep.visit(node)
        for edge in (yield from sweep.products(node)):
            yield sweep.accumulate(edge, *sweep.arrive(edge.operand))
        yield from leaf(sweep, node) if node in sweep.inputs else sweep.free(node)


def leaf(sweep: Backward, node: int) -> Iterator[Step]:
    """Add the adjoint of an input to a gradient that began as zeros."""
    adjoint = sweep.state["adjoint", node]
    gradient = put(sweep.state, ("adjoint", node), add(adjoint, 0.0))
    yield Step("accumulate", (gradient,), focus=(node,), additions=int(np.size(adjoint)))


class InPlace(Backward):
    """Moves that add to the array that is there, whatever else refers to it."""

    def accumulate(self, edge: Edge, *edits: Edit, comparisons: int = 0) -> Step:
        """Add a product to the one that arrived first, and to everything that is the same array."""
        present = self.state.get(("adjoint", edge.operand))
        step = super().accumulate(edge, *edits, comparisons=comparisons)
        same = [key for key, value in self.state.items() if value is present]
        total = self.state["adjoint", edge.operand]
        return replace(step, edits=(*step.edits, *(put(self.state, key, total) for key in same)))


# ---- reference counting ----


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


# ---- a heap of ranks ----


def rank_heap(graph: Graph, seeds: GivenSeeds = None, *, state: State | None = None) -> Iterator[Step]:
    """Return the reverse sweep over variables and the functions that made them, with a heap of functions.

    In the forward pass a function takes the highest rank among its operands, and its value ranks one higher; so
    whatever uses a value has a higher rank than what made it, and the heap never gives a function too early. Ties are
    won by the function that was found first. Only functions are visited: inputs have none. A value refers to its
    function, a function to its operands but only weakly to its value, so that the forward pass stores no more than what
    rules save. Sums are always fresh; an adjoint is freed once used, except for those of the outputs themselves.

    ``seeds`` and the result are those of :func:`tape`; inputs that nothing flows back to have no adjoint.

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


# ---- the order of the tape ----


def tape(graph: Graph, seeds: GivenSeeds = None, *, flags: bool = False, state: State | None = None) -> Iterator[Step]:
    """Return the reverse sweep in the reverse order of creation. No order has to be found, since creation is one.

    All forward values are stored, and the adjoint of every entry is set to zero before the sweep begins; nothing is
    freed before the tape is. The naive tape plays every entry, also those that have nothing to do with the outputs:
    they pass zeros on (and NaN, where their partials are infinite). With ``flags`` the tape is played from the last
    output asked for; an entry marks its operands when its turn comes, and unmarked entries are skipped.

    ``seeds`` are adjoints, or matrices with an adjoint in each row, by output; ``None`` stands for 1. The result is the
    adjoint of every input ``i`` on the part of the tape that was played, at ``("adjoint", i)``. Raises
    :class:`~.seeds.SeedError`.

    Source: DyNet, commit 740a9626, ``dynet/exec.cc`` (``SimpleExecutionEngine::backward``), which has the flags since
    2016; the naive tape is the one of PaddlePaddle's survey "Differentiable Programming through Dynamic Graph".

    >>> import adviz
    >>> graph = adviz.trace(lambda x: x * x, 3.0)
    >>> [step.focus for step in tape(graph) if step.kind == "visit"]
    [(2,), (1,), (0,)]
    """
    sweep = Backward(graph, seeds, state)
    entries = tape_entries(graph, sweep.seeds.adjoints) if flags else list(range(len(graph)))
    return play(sweep, entries, flags)


def play(sweep: Backward, entries: list[int], flags: bool = False) -> Iterator[Step]:
    """Play some entries of a tape backwards."""
    graph, state, outputs = sweep.graph, sweep.state, sweep.seeds.adjoints
    zeros = [put(state, ("adjoint", node), zero(graph, node, sweep.seeds)) for node in entries]
    marks = [put(state, ("flag", output), True) for output in outputs if flags]
    yield sweep.seed(stored_values(graph, entries), *zeros, *marks)
    for node in reversed(entries):
        if flags and ("flag", node) not in state:
            yield Step("skip", (), focus=(node,), comparisons=1)
            continue
        marks = [put(state, ("flag", operand), True) for operand in graph.operand_nodes(node) if flags]
        yield sweep.visit(node, *marks, comparisons=int(flags))
        for edge in edges(graph, node):
            yield sweep.product(edge)
            yield sweep.accumulate(edge)


def tape_entries(graph: Graph, outputs: Iterable[int]) -> list[int]:
    """Return the tape up to the last value that some outputs return, followed by these outputs.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: (x + 1.0, x + 2.0), 3.0)
    >>> tape_entries(graph, graph.outputs[:1])
    [0, 1, 3]
    """
    wanted = sorted(outputs)
    last = max((operand for output in wanted for operand in graph.operand_nodes(output)), default=-1)
    return [*range(last + 1), *wanted]


def parallel_tape(graph: Graph, seeds: GivenSeeds = None, *, state: State | None = None) -> Iterator[Step]:
    """Return the reverse sweep over a tape that was cut into parts, each played by a device of its own, all at once.

    Two entries are in one part if one feeds the other, or both feed a third, inputs aside: a loss of one batch each,
    say, with the same parameters. A device sums up adjoints of its own, under the keys ``("device", number, key)``;
    at the end those of the inputs are summed over the devices. Steps of the devices alternate.

    ``seeds`` are those of :func:`tape`. The result is the adjoint of every input ``i`` that some part uses.

    >>> import adviz
    >>> graph = adviz.trace(lambda w, x, z: (w * x, w * z), 2.0, 3.0, 4.0)
    >>> adviz.replay({}, parallel_tape(graph, dict.fromkeys(graph.outputs, 1.0)))["adjoint", 0]
    7.0
    """
    start = checked_seeds(graph, seeds)
    parts = [(part, wanted) for part in tape_parts(graph) if (wanted := start.only(part)).adjoints]
    return _parallel_tape(graph, parts, {} if state is None else state)


def _parallel_tape(graph: Graph, parts: list[tuple[list[int], Seeds]], state: State) -> Iterator[Step]:
    devices = [Backward(graph, wanted, {}) for _, wanted in parts]
    for moves in zip_longest(*(play(sweep, part) for sweep, (part, _) in zip(devices, parts, strict=True))):
        for number, step in enumerate(moves):
            if step is not None:
                edits = [put(state, ("device", number, edit.key), edit.after) for edit in step.edits]
                yield replace(step, edits=tuple(edits))
    for number, sweep in enumerate(devices):
        for node in [node for node in graph.inputs if ("adjoint", node) in sweep.state]:
            taken = put(state, ("device", number, ("adjoint", node)), None)
            present = state.get(("adjoint", node))
            total = taken.before if present is None else add(present, taken.before)
            additions = 0 if present is None else int(np.size(total))
            yield Step("accumulate", (taken, put(state, ("adjoint", node), total)), (node,), 0, additions)


def tape_parts(graph: Graph) -> list[list[int]]:
    """Return the live entries of a tape that are connected without the inputs, with the inputs that they use, in order.

    >>> import adviz
    >>> tape_parts(adviz.trace(lambda w, x, z: (w * x, w * z), 2.0, 3.0, 4.0))
    [[0, 1, 3, 5], [0, 2, 4, 6]]
    """
    inputs, part_of = set(graph.inputs), list(range(len(graph)))

    def part(node: int) -> int:
        while part_of[node] != node:
            part_of[node] = node = part_of[part_of[node]]
        return node

    live = [node for node in range(len(graph)) if graph.live[node] and node not in inputs]
    for node in live:
        for operand in graph.operand_nodes(node):
            if operand not in inputs:
                part_of[part(node)] = part(operand)
    parts: dict[int, set[int]] = {}
    for node in live:
        parts.setdefault(part(node), set()).update([node, *inputs.intersection(graph.operand_nodes(node))])
    return list(map(sorted, parts.values()))


def zero(graph: Graph, node: int, seeds: Seeds) -> Value:
    """Return the adjoint zero of a node, or as many rows of it as the seeds have."""
    shape, size = np.shape(graph.values[node]), np.size(graph.values[node])
    if seeds.rows is None:
        return np.zeros(shape) if shape else 0.0
    return np.zeros((seeds.rows, size))
