"""A sweep over a large graph, explained over its folds: the moves inside are joined, and each fold sends once.

The engine runs over the whole graph. What it does inside of a fold is one step, in which its costs are added up; then
come steps in which the exit of the fold sends to each entry. They are no work of the engine, and cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from itertools import accumulate, groupby
from typing import Any, NamedTuple, cast

import numpy as np

from ...scene.captions import carried
from ...scene.document import Edit, Step
from ..flows import EdgeKey, Flow, Sent, adds_up, read
from ..playing import FoldedNodes, Run, step_document, steps_of
from .folded_graph import Fold, FoldedGraph
from .gates import stem_of, through

MOST_STEPS = 2_000  # of a show that is explained so


class FoldedSweep(FoldedNodes):
    """The nodes that are left of a folded graph; the steps of an exit are joined with those behind it in its fold."""

    counted = False

    def __init__(self, graph: FoldedGraph):
        left = {node: k for k, node in enumerate(graph.kept)}
        owners = [left.get(node, len(left)) for node in range(len(graph))]
        super().__init__([*(f"n{node}" for node in graph.kept), "folded"], owners, graph.kept)
        self.graph = graph
        self.present: dict[int, int] = {}  # the exit visited last, by part

    def __contains__(self, node: int) -> bool:
        return self.is_folded[node] or node in self.graph.folds

    def group(self, node: int) -> Hashable:
        """Return the part that a node is in, with the exit visited last."""
        if node not in self:
            return None
        part = self.graph.part_of[node]
        if node in self.graph.folds:
            self.present[part] = node
        return part, self.present.get(part)


Products = dict[EdgeKey, tuple[Any, Any]]
"""What a fold is given and sends, by edges."""


class _Sends(NamedTuple):
    """What a fold sends between two steps of the engine, and the nodes that then have all contributions."""

    place: int
    products: Products
    complete: list[int]


def flow_over(graph: FoldedGraph, flow: Flow) -> Flow | None:
    """Return the sweep over folds of which ``flow`` is the one over all nodes; ``None`` where it cannot be seen so.

    What a fold sends counts as sent when the engine is through with it, or where the engine leaves nodes inside for
    later, when it begins there.
    """
    if flow.values is not None:
        return flow._replace(
            graph=graph, values={node: flow.values[node] for node in graph.kept if node in flow.values}
        )
    if flow.changes:
        return None
    products = {exit_: _products(flow, fold) for exit_, fold in graph.folds.items() if exit_ in flow.results}
    for when in (max, min):
        over = _over(graph, flow, products, when)
        arrived: dict[int, list[int]] = {}
        for edge, each in over.sent.items():
            arrived.setdefault(over.target(edge), []).append(each.step)
        if any(step >= each.step for edge, each in over.sent.items() for step in arrived.get(over.source(edge), ())):
            continue
        for node, steps in arrived.items():
            if len(steps) + (node in flow.seeds) > 1:
                over.sums[node] = max(steps)
        return _spread(over)
    return None


def _spread(flow: Flow) -> Flow:
    """Return a sweep in which what a node sends, and each sum, has a step of its own."""
    sends = [(each.step, 0, edge[0], edge) for edge, each in flow.sent.items()]
    sums = [(step, 1, node, (node, 0)) for node, step in flow.sums.items()]
    events = [[*group] for _, group in groupby(sorted(sends + sums, key=lambda each: each[:2]), lambda each: each[1:3])]
    steps = [*accumulate((events_[0][0] for events_ in events), lambda last, step: max(step, last + 1))]
    limits = [flow.steps - len(steps) + number for number in range(len(steps))]  # the last one is before the result
    sent: dict[EdgeKey, Sent] = {}
    added: dict[int, int] = {}
    for group, step in zip(events, map(min, steps, limits), strict=True):
        for _, is_sum, node, edge in group:
            if is_sum:
                added[node] = step
            else:
                sent[edge] = flow.sent[edge]._replace(step=step)
    return flow._replace(sent=sent, sums=added)


def _over(graph: FoldedGraph, flow: Flow, products: dict[int, Products], when: Callable[[list[int]], int]) -> Flow:
    """Return the sweep over folds, without its sums; ``products`` are what folds send, by their exits."""
    left, last = set(graph.kept), -1
    sent = {edge: each for edge, each in flow.sent.items() if edge[0] in left and edge[0] not in graph.folds}
    ends = {exit_: when(steps) for exit_ in products if (steps := _steps(flow, graph.folds[exit_]))}
    for exit_, step in sorted(ends.items(), key=lambda each: (each[1], -each[0])):
        last = max(step, last + 1)  # folds of one part may end together
        sent |= {edge: Sent(last, *each) for edge, each in products[exit_].items()}
    known = left.union(graph.inputs)  # those inside of a fold have derivatives, too
    results = {node: result for node, result in flow.results.items() if node in known}

    over = flow._replace(graph=graph, results=results, sent=sent, sums={})
    inputs = {*graph.inputs} if flow.reverse else ()

    def place(edge: EdgeKey) -> tuple[int, int]:
        return sent[edge].step, -target if (target := over.target(edge)) in inputs else -len(graph)

    return over._replace(sent={edge: sent[edge] for edge in sorted(sent, key=place)})  # the first parameter stays


def _steps(flow: Flow, fold: Fold) -> list[int]:
    """Return the steps in which nodes inside of a fold send."""
    inside = {*fold.inside}
    return [sent.step for (node, _), sent in flow.sent.items() if node in inside]


def folded_flow(graph: FoldedGraph, run: Run, steps: list[Step]) -> Flow | None:
    """Return a sweep over folds; ``None`` if it is no single sweep.

    ``steps`` are those of the engine, as :class:`FoldedSweep` joins them. Those in which folds send are put between.
    """
    single = read(graph.whole, run.timeline, run.kind == "reverse")
    step_of = steps_of(steps)
    if not single or len(steps) > MOST_STEPS or len(step_of) != single[0].steps:
        return None
    whole, visits = single
    left = set(graph.kept)
    flow = whole._replace(
        graph=graph,
        results={node: result for node, result in whole.results.items() if node in left},
        sent={
            edge: Sent(step_of[sent.step], *sent[1:])
            for edge, sent in whole.sent.items()
            if edge[0] in left and edge[0] not in graph.folds
        },
        seeded=step_of[whole.seeded],
        cost=(sum(step["cost"]["multiplications"] for step in steps), sum(step["cost"]["additions"] for step in steps)),
    )
    acting = sorted({node for node, _ in whole.sent} & {*graph.folds} & {*flow.results})
    visited = {node: step_of[number] for node, number in visits.items() if node in left}
    flow, steps[:] = _numbered(flow, visited, list(_sends(flow, acting, visited)), steps)
    return flow if adds_up(flow) and not flow.changes else None


def _sends(flow: Flow, acting: list[int], visited: dict[int, int]) -> Iterator[_Sends]:
    """Yield what folds send: in reverse after the engine was inside, in forward mode before it comes to the exit."""
    graph = cast(FoldedGraph, flow.graph)
    folds = [graph.folds[node] for node in acting]
    sender = _last_senders(flow, folds, visited) if flow.reverse else {}
    for fold in folds:
        complete = [entry for entry in fold.entries if sender.get(entry) == fold.exit]
        yield _Sends(visited[fold.exit] + flow.reverse, _products(flow, fold), complete)


def _products(flow: Flow, fold: Fold) -> Products:
    """Return what a fold is given and sends, by edges."""
    exit_ = fold.exit
    if flow.is_block:
        return _blocks(flow, fold)
    if flow.reverse:
        received = fold.pulled_back(flow.results[exit_])
        given = through(fold, stem_of(fold), flow.results[exit_])
        return {(exit_, k): (given, received[entry]) for k, entry in enumerate(fold.entries)}
    entering = [(k, entry, flow.results[entry]) for k, entry in enumerate(fold.entries) if entry in flow.results]
    return {(exit_, k): (tangent, fold.pushed_on({entry: tangent})) for k, entry, tangent in entering}


def _blocks(flow: Flow, fold: Fold) -> Products:
    """Return what a fold is given and sends where that are several derivatives at once: in rows, forward in columns."""
    values, exit_, result = flow.graph.values, fold.exit, Products()
    rows = [np.reshape(row, np.shape(values[exit_])) for row in flow.results[exit_]] if flow.reverse else []
    received = [fold.pulled_back(row) for row in rows]
    for k, entry in enumerate(fold.entries):
        if flow.reverse:
            result[exit_, k] = flow.results[exit_], np.stack([np.ravel(each[entry]) for each in received])
        elif entry in flow.results:
            columns = [np.reshape(column, np.shape(values[entry])) for column in flow.results[entry].T]
            pushed = [np.ravel(fold.pushed_on({entry: column})) for column in columns]
            result[exit_, k] = flow.results[entry], np.stack(pushed, axis=1)
    return result


def _last_senders(flow: Flow, folds: list[Fold], visited: dict[int, int]) -> dict[int, int]:
    """Return the exits of the folds after which nodes with several contributions have all, by these nodes.

    In a sweep back such a node is mostly visited later; an input has none.
    """
    arrivals: dict[int, list[tuple[int, int]]] = {node: [(visited.get(node, 0), -1)] for node in flow.results}
    for edge, sent in flow.sent.items():
        arrivals[flow.target(edge)].append((sent.step, -1))
    for fold in folds:
        for entry in fold.entries:
            arrivals[entry].append((visited[fold.exit], fold.exit))
    several = {node: max(those) for node, those in arrivals.items() if len(those) + (node in flow.seeds) > 2}
    return {node: exit_ for node, (_, exit_) in several.items() if exit_ >= 0}


def _numbered(flow: Flow, visited: dict[int, int], sends: list[_Sends], steps: list[Step]) -> tuple[Flow, list[Step]]:
    """Return a sweep with what folds send put between the steps, and all steps."""
    run = steps[0]["run"]
    at: dict[int, list[_Sends]] = {}
    for each in sends:
        at.setdefault(each.place, []).append(each)
    place: list[int] = []
    result: list[Step] = []
    sent: dict[EdgeKey, Sent] = {}
    complete: dict[int, int] = {}
    for number in range(len(steps) + 1):
        for each in at.get(number, ()):
            before = result[-1]
            for edge, (given, product) in each.products.items():
                sent[edge] = Sent(len(result), given, product)
                key = f"{run}/product/{edge[0]}/{edge[1]}"
                result.append(_step(before, "product", edge[0], [[key, None, carried(product)]]))
            for node in each.complete:
                complete[node] = len(result)
                result.append(_step(before, "accumulate", node, []))
        if number < len(steps):
            place.append(len(result))
            result.append(steps[number])
    sent |= {edge: each._replace(step=place[each.step]) for edge, each in flow.sent.items()}
    flow = flow._replace(
        sent=dict(sorted(sent.items(), key=lambda item: item[1].step)),
        seeded=place[flow.seeded],
        steps=len(result),
        sums={},
    )
    for node in flow.results:
        if len(flow.contributions(node)) + (node in flow.seeds) > 1 and node in visited:
            flow.sums[node] = complete.get(node, place[visited[node]])
    return flow, result


def _step(before: Step, kind: str, node: int, edits: list[Edit]) -> Step:
    """Return a step that is no work of the engine."""
    document = step_document(before["run"], kind, "")
    return {
        **document,
        "moves": 0,
        "node": node,
        "edits": edits,
        "bytes": before["bytes"],
        "peak": before["peak"],
        "coarse": False,
    }
