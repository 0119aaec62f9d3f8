"""The moves that every sweep is made of, and the keys of the states they change.

Every sweep takes a graph first, then what is to be chosen, and yields a Step per move. Between the moves the ``state``
holds what has been computed so far: a mapping that the caller may pass in to read along, else a new one. All sweeps
use the same keys, and expect none of them in the state that they are given:

=======================  ==========================================================================================
key                      what it holds
=======================  ==========================================================================================
``i``                    the value of node ``i``, where a sweep computes values
``("stored", i)``        bytes that the forward pass left behind at node ``i`` for the way back
``("tangent", i)``       the tangent of node ``i``, or its whole Jacobian block with respect to all inputs
``("adjoint", i)``       the adjoint of node ``i`` as far as it is summed up; the result, where ``i`` is an input
``("product", i, k)``    the partial product on the edge between node ``i`` and its operand ``k``, not yet added
``("times_used", i)``    edges on which node ``i`` still waits for a contribution (in the recursion: all such edges)
``("times_visited", i)`` edges on which a contribution has arrived
``("ready", i)``         the place of node ``i`` in the list of nodes that are ready, or its priority
``("rank", i)``          the rank of the function that made node ``i``
``("flag", i)``          that node ``i`` takes part
``("references", i)``    how many things keep node ``i`` alive
``("device", d, key)``   what device ``d`` holds under the key, where several work at once
=======================  ==========================================================================================

The kinds of Steps are the same, too: ``seed`` (adjoints of the outputs, and what is stored), ``count`` (work for the
order only), ``visit`` (a node's turn), ``skip`` (a turn without work), ``product`` (along one edge), ``accumulate``
(the product is added to its sum) and ``free``. ``focus`` is the node, followed by the other end of the edge, if any.
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...graph.graph import Graph
from ...graph.timeline import Edit, State, Step
from .seeds import GivenSeeds, Seeds, Value, checked_seeds


class Edge(NamedTuple):
    """Operand number ``place`` of ``node``, with the local Jacobian of the node with respect to it."""

    node: int
    place: int
    operand: int
    jacobian: Any


def edges(graph: Graph, node: int) -> list[Edge]:
    """Return the edges from a node to its operands, in order and with repeats; literals have none."""
    with np.errstate(all="ignore"):
        return [Edge(node, place, *result) for place, result in enumerate(graph.local_jacobians(node))]


def put(state: State, key: Hashable, value: Any) -> Edit:
    """Set the value of a key, or remove the key for ``None``; return the edit."""
    edit = Edit(key, state.get(key), value)
    if value is None:
        state.pop(key, None)
    else:
        state[key] = value
    return edit


class Backward:
    """The moves of a reverse sweep; each changes the state and returns the Step.

    ``seeds`` are those of :func:`~.seeds.checked_seeds`; ``ready`` is a stack of the nodes whose turn may come.
    """

    def __init__(self, graph: Graph, seeds: GivenSeeds | Seeds, state: State | None):
        self.graph, self.state = graph, {} if state is None else state
        self.seeds = seeds if isinstance(seeds, Seeds) else checked_seeds(graph, seeds)
        self.inputs = frozenset(graph.inputs)
        self.ready: list[int] = []

    def seed(self, stored: Mapping[int, int], *edits: Edit) -> Step:
        """Begin with the bytes ``stored`` at each node and the adjoints of the outputs."""
        kept = [put(self.state, ("stored", node), size) for node, size in stored.items() if size]
        begun = [put(self.state, ("adjoint", node), seed) for node, seed in self.seeds.adjoints.items()]
        return Step("seed", (*kept, *edits, *begun), focus=tuple(self.seeds.adjoints))

    def count(self, node: int) -> Step:
        """Count one more edge on which a contribution to a node will arrive."""
        return Step("count", (self.use(node, 1),), focus=(node,))

    def use(self, node: int, change: int, word: str = "times_used") -> Edit:
        """Change a counter of a node."""
        return put(self.state, (word, node), self.state.get((word, node), 0) + change)

    def wait(self, node: int) -> Edit:
        """Put a node on the stack of ready nodes."""
        self.ready.append(node)
        return put(self.state, ("ready", node), len(self.ready) - 1)

    def returned(self) -> list[int]:
        """Return the nodes that the outputs return, each once."""
        return list(dict.fromkeys(node for output in self.seeds.adjoints for node in self.graph.operand_nodes(output)))

    def hand_over(self) -> Iterator[Step]:
        """Visit the outputs, which are on the stack: they pass their adjoints to what they return.

        Being returned is not a use, so nothing waits for this: it comes first. Then what has no uses is ready.
        """
        outputs, self.ready[:] = self.ready[::-1], []
        last = [output for output in outputs if self.graph.operand_nodes(output)][-1:]  # the others are constant
        for output in outputs:
            yield self.visit(output)
            for edge in (yield from self.products(output)):
                result = self.returned() if [output] == last else []
                yield self.accumulate(edge, *[self.wait(node) for node in result if not self._uses_left(node)])
            yield from self.free(output)

    def _uses_left(self, node: int) -> int:
        left: int = self.state.get(("times_used", node), 0)
        return left

    def arrive(self, node: int) -> tuple[Edit, ...]:
        """Count one edge less to wait for at a node, which is ready when none is left."""
        left = self.use(node, -1)
        return (left,) if left.after else (left, self.wait(node))

    def visit(self, node: int, *edits: Edit, comparisons: int = 0) -> Step:
        """Begin the turn of a node."""
        if ("ready", node) in self.state:
            edits = (put(self.state, ("ready", node), None), *edits)
        return Step("visit", edits, focus=(node,), comparisons=comparisons)

    def product(self, edge: Edge) -> Step:
        """Multiply the adjoint of a node by the local Jacobian with respect to one operand."""
        vectors = 1 if self.seeds.rows is None else self.seeds.rows
        return product(self.state, edge, self.pulled_back(edge), cost(edge.jacobian.normal().T, vectors))

    def products(self, node: int) -> Generator[Step, None, list[Edge]]:
        """Multiply the adjoint of a node along all of its edges; return the edges."""
        outgoing = edges(self.graph, node)
        for edge in outgoing:
            yield self.product(edge)
        return outgoing

    def dense_product(self, edge: Edge) -> Step:
        """Apply the Jacobian as a dense matrix, zeros and ones included; the result is always a new array."""
        vectors = 1 if self.seeds.rows is None else self.seeds.rows
        rows, columns = edge.jacobian.shape
        work = vectors * rows * columns, vectors * max(rows - 1, 0) * columns
        return product(self.state, edge, plain(np.array(self.pulled_back(edge))), work)

    def pulled_back(self, edge: Edge) -> Value:
        """Return the adjoint of a node, or each row of it, times the local Jacobian with respect to one operand."""
        adjoint = self.state["adjoint", edge.node]
        with np.errstate(all="ignore"):
            return plain(edge.jacobian.vjp(adjoint) if self.seeds.rows is None else adjoint @ edge.jacobian)

    def accumulate(self, edge: Edge, *edits: Edit, comparisons: int = 0) -> Step:
        """Add the product on an edge to the adjoint of its operand."""
        step = accumulate(self.state, edge, ("adjoint", edge.operand), (edge.operand, edge.node))
        return replace(step, edits=(*step.edits, *edits), comparisons=comparisons)

    def free(self, node: int) -> Iterator[Step]:
        """Free the adjoint of a node, unless it is the result."""
        if node not in self.inputs:
            yield Step("free", (put(self.state, ("adjoint", node), None),), focus=(node,))


def product(state: State, edge: Edge, value: Value, work: tuple[int, int]) -> Step:
    """Keep a partial product on its edge until it is added; ``work`` is multiplications and additions."""
    arrived = put(state, ("product", edge.node, edge.place), value)
    return Step("product", (arrived,), (edge.node, edge.operand), *work)


def accumulate(state: State, edge: Edge, key: tuple[str, int], focus: tuple[int, int]) -> Step:
    """Add the product on an edge to what a key holds: the first is kept as it is, later ones make a new sum."""
    taken = put(state, ("product", edge.node, edge.place), None)
    present, arrived = state.get(key), taken.before
    joined = put(state, key, arrived if present is None else add(present, arrived))
    return Step("accumulate", (taken, joined), focus, additions=0 if present is None else int(np.size(arrived)))


def add(one: Value, other: Value) -> Value:
    """Add without warnings: infinities and NaN come from the traced program."""
    with np.errstate(all="ignore"):
        return one + other


def plain(value: Value) -> Value:
    """Return a number as a float, an array as it is."""
    return value if np.ndim(value) else float(value)


def cost(form: Any, vectors: int = 1) -> tuple[int, int]:
    """Count multiplications and additions of a Jacobian in normal form times this many vectors.

    Entries known to be 0, 1 or -1 are not multiplied by; an entry that meets another in its row is added.
    """
    rows = form.shape[0]
    if form.structure in SUMS:
        rows = len({*form.places()[0].tolist()})
    additions = 0 if form.structure in ONE_ENTRY else max(form.nnz - rows, 0)
    return vectors * form.matvec_cost, vectors * additions


ONE_ENTRY = {"identity", "scalar", "diagonal", "selection", "broadcast", "zero"}
"""Structures with at most one entry in each row."""
SUMS = {"reduction", "sparse"}
"""Structures that list their entries; a row may have none or several."""


# ---- what a forward pass stores ----


def stored_values(graph: Graph, nodes: Iterable[int]) -> dict[int, int]:
    """Return bytes of the forward values of some nodes; memory that several share is counted once, at the first."""
    return _sizes({node: [graph.values[node]] for node in nodes})


def stored_factors(graph: Graph) -> dict[int, int]:
    """Return bytes of what the rules of live nodes save: the numbers in their local Jacobians.

    Dead nodes save nothing, since nothing refers to them any more.
    """
    live = [node for node in range(len(graph)) if graph.live[node]]
    return _sizes({node: _factors(graph, node) for node in live})


def stored_matrices(graph: Graph) -> dict[int, int]:
    """Return bytes of the local Jacobians of all nodes, each written out as a dense matrix."""
    size = [int(np.size(value)) for value in graph.values]
    return {node: 8 * size[node] * sum(size[k] for k in graph.operand_nodes(node)) for node in range(len(graph))}


def _factors(graph: Graph, node: int) -> list[Any]:
    """Return the numbers and arrays that the local Jacobians of a node hold, except for 1 and -1.

    A Jacobian that is known by its products only counts as the operand and the value.
    """
    held: list[Any] = []
    for edge in edges(graph, node):
        if edge.jacobian.structure == "operator":
            held += graph.values[edge.operand], graph.values[node]
        elif edge.jacobian.structure not in ("identity", "selection"):
            held += [factor for factor in vars(edge.jacobian).values() if isinstance(factor, np.ndarray | float)]
    return [factor for factor in held if isinstance(factor, np.ndarray) or abs(factor) != 1]


def _sizes(held: dict[int, list[Any]]) -> dict[int, int]:
    sizes, known = {}, set()
    for node, values in held.items():
        sizes[node] = 0
        for value in values:
            owner, size = memory(value)
            if owner is None or owner not in known:
                sizes[node] += size
                known.add(owner)
    return sizes


def memory(value: object) -> tuple[int | None, int]:
    """Identify the memory that holds a value, with its bytes; a number has memory of its own, of 8 bytes."""
    if not isinstance(value, np.ndarray) or not value.ndim:
        return None, 8
    while isinstance(value.base, np.ndarray):
        value = value.base
    return id(value), value.nbytes
