"""The reverse sweep over a tape: what was recorded last is differentiated first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import zip_longest

import numpy as np

from ....graph.graph import Graph
from ....graph.timeline import State, Step
from ..primitives import Backward, add, edges, put, stored_values
from ..seeds import GivenSeeds, Seeds, Value, checked_seeds


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
