"""What a sweep did, read off its Steps: which edge carried what, where contributions were added, and when.

A result that is returned is a node of its own in the graph; here it is the node that is returned, which gets the seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ...graph.graph import Graph
from ...graph.timeline import Step, Timeline, follow

ROUNDING = 1000  # units in the last place by which a sum may be off
EdgeKey = tuple[int, int]  # a node, and which of its operands that are nodes


class Sent(NamedTuple):
    """What an edge carried: the step, what was given to it, and the product with its local partial."""

    step: int
    given: Any
    product: Any


class Flow(NamedTuple):
    """One sweep over a graph.

    ``seeds`` are what it started with, by node; ``sent`` what the edges carried, in order; ``sums`` the steps in which
    nodes with several contributions have all of them; ``results`` the adjoints or tangents that came out. ``cost`` are
    the multiplications and additions of the engine, where more happens than is told.
    """

    graph: Graph
    reverse: bool
    seeded: int
    seeds: dict[int, Any]
    sent: dict[EdgeKey, Sent]
    sums: dict[int, int]
    results: dict[int, Any]
    steps: int
    cost: tuple[int, int] | None = None

    def source(self, edge: EdgeKey) -> int:
        """Return the node from which a derivative flows along an edge."""
        return edge[0] if self.reverse else self.graph.operand_nodes(edge[0])[edge[1]]

    def target(self, edge: EdgeKey) -> int:
        """Return the node to which a derivative flows along an edge."""
        return self.graph.operand_nodes(edge[0])[edge[1]] if self.reverse else edge[0]

    def contributions(self, node: int) -> list[EdgeKey]:
        """Return the edges along which contributions came to a node, in the order of their arrival."""
        return [edge for edge in self.sent if self.target(edge) == node]


def shown(graph: Graph, node: int) -> int:
    """Return the node that stands for a node in the picture: for an output the node that is returned."""
    while graph.blocks[node].name == "output" and graph.operand_nodes(node):
        (node,) = graph.operand_nodes(node)
    return node


def flow_of(graph: Graph, timeline: Timeline, reverse: bool) -> Flow | None:
    """Read a single sweep; ``None`` if the timeline is not that of one, as where several devices work at once.

    In a sweep every derivative is the sum of its seed and of what has arrived, so one that is not is no sweep either.

    >>> import adviz
    >>> graph = adviz.trace(lambda x, y: x * y, 3.0, 4.0)
    >>> flow = flow_of(graph, adviz.Timeline.record({}, adviz.toposort(graph)), True)
    >>> flow and (flow.sent[2, 0].product, dict(sorted(flow.results.items())))
    (4.0, {0: 4.0, 1: 3.0, 2: 1.0})
    """
    found = read(graph, timeline, reverse)
    if not found:
        return None
    flow, turns = found
    for node in flow.results:
        count = len(flow.contributions(node)) + (node in flow.seeds)
        if count > 1 and node in turns:
            flow.sums[node] = turns[node]
    return flow if adds_up(flow) else None


def read(graph: Graph, timeline: Timeline, reverse: bool) -> tuple[Flow, dict[int, int]] | None:
    """Return a sweep without its sums, and for each node the last step of its turn; ``None`` if it is none."""
    try:
        return _read(graph, timeline, "adjoint" if reverse else "tangent")
    except KeyError:  # the keys of its stage are not those of a sweep
        return None


def flows_of(graph: Graph, timeline: Timeline, reverse: bool, sweeps: int) -> list[Flow] | None:
    """Read several sweeps that follow each other; ``None`` if the timeline is not made of so many.

    Each begins with the Step that frees what the one before has left; its Steps are counted from there.
    """
    if not len(timeline):  # there is nothing to sweep over
        return None
    if sweeps == 1:
        result = [flow_of(graph, timeline, reverse)]
    else:
        steps = list(timeline)
        seeds = [k for k, step in enumerate(steps) if step.kind == "seed"]
        starts = [0, *(seed - 1 for seed in seeds[1:]), len(steps)]
        result = [flow_of(graph, Timeline({}, after_all(steps[a:b])), reverse) for a, b in pairwise(starts)]
    flows = [flow for flow in result if flow]
    return flows if len(flows) == len(result) == sweeps else None


def after_all(steps: list[Step]) -> list[Step]:
    """Return the Steps of a sweep where nothing is left of the one before: there is nothing to free."""
    first, *others = steps
    return [replace(first, edits=()), *others] if first.kind == "free" and not first.focus else steps


def placed_in(flow: Flow, steps: Sequence[int], last: int) -> Flow:
    """Return a sweep as part of a show, where its steps have other numbers, and its result is the step ``last``."""
    return flow._replace(
        seeded=steps[flow.seeded],
        sent={edge: sent._replace(step=steps[sent.step]) for edge, sent in flow.sent.items()},
        sums={node: steps[step] for node, step in flow.sums.items()},
        steps=last,
    )


def _read(graph: Graph, timeline: Timeline, what: str) -> tuple[Flow, dict[int, int]]:
    reverse = what == "adjoint"
    state: dict[Any, Any] = dict(timeline.start)
    flow = Flow(graph, reverse, 0, {}, {}, {}, {}, 0)
    seeded, steps = 0, 0
    turns: dict[int, int] = {}
    for number, step in enumerate(timeline):
        steps += 1
        follow(state, step)
        focus: Any = step.focus
        for edit in step.edits:
            key: Any = edit.key
            if isinstance(key, tuple) and key[0] == what and edit.after is not None:
                flow.results[shown(graph, key[1])] = edit.after
        if step.kind == "seed":
            seeded = number
            for node in focus:
                seed, already = state[what, node], flow.seeds.get(shown(graph, node))
                flow.seeds[shown(graph, node)] = seed if already is None else already + seed
        elif step.kind == "product":
            edge: Any = step.edits[0].key
            _, node, place = edge
            if graph.blocks[node].name != "output":
                given = state[what, node if reverse else graph.operand_nodes(node)[place]]
                flow.sent[node, place] = Sent(number, given, step.edits[0].after)
        if step.kind in ("accumulate", "visit"):
            turns[focus[0]] = number
    return flow._replace(seeded=seeded, steps=steps), turns


def adds_up(flow: Flow) -> bool:
    """Return whether every derivative is the sum of what it started with and of what has come."""
    return all(_adds_up(flow, node) for node in flow.results)


def _adds_up(flow: Flow, node: int) -> bool:
    """Whether the derivative of a node is the sum of what it started with and of what has come, but for rounding."""
    terms = [flow.sent[edge].product for edge in flow.contributions(node)]
    terms += [flow.seeds[node]] if node in flow.seeds else []
    result = np.asarray(flow.results[node])
    finite = [float(each) for term in terms for each in np.abs(np.ravel(term)) if np.isfinite(each)]
    rounding = ROUNDING * np.finfo(result.dtype if result.dtype.kind == "f" else float).eps
    with np.errstate(all="ignore"):
        total = sum(map(np.asarray, terms), np.zeros(()))
        return bool(np.allclose(total, result, rtol=0.0, atol=rounding * max(finite, default=0.0), equal_nan=True))


def key(edge: EdgeKey) -> str:
    """Return the name of an edge in a panel: ``head/place``."""
    return f"{edge[0]}/{edge[1]}"
