"""What is folded where a sweep is shown: as little as leaves a picture that can be read.

At first every scope in the function is a fold; where that leaves too much, every stretch of the evaluation. Folds are
then opened in place, those of one kind together and the largest first, as long as few nodes are left: a loop becomes
its iterations, several together where they are many.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ....graph.graph import Graph
from ....graph.scopes import CALL, EXPRESSION, ITERATION, LOOP, PART
from ...scene import captions
from ...scene.formulas import short
from .folded_graph import FoldedGraph, Place

MOST_DRAWN = 40  # nodes in all
MOST_INPUTS = 20  # of more, side by side, nothing could be read
MOST_INSIDE = 12  # nodes but for inputs: up to so many, and so many edges between all, folds are opened
MOST_EDGES = 20
MOST_GROUPS, FEWEST_GROUPS = 8, 3  # of iterations
ROUND = 1.5  # so many times as many iterations may be in a group where all groups are then alike
LARGEST = 10_000  # nodes of a graph that is shown so
LONGEST = 40  # characters of a line of source in a sentence
SHORT = 20  # and in a node


class Unit(NamedTuple):
    """Neighboring scopes that are one fold."""

    first: int
    end: int
    is_group: bool = False


def folded(graph: Graph) -> FoldedGraph | None:
    """Return a graph folded so that it can be read; ``None`` where that cannot be done.

    >>> import adviz
    >>> def newton(x):
    ...     for _ in range(50):
    ...         x = x - (x * x - 2.0) / (2.0 * x)
    ...     return x
    >>> folds = folded(adviz.trace(newton, 1.5))
    >>> len(folds), len(folds.kept), folds.folds[folds.kept[1]].place.short
    (252, 7, 'iterations 1–10')
    """
    if len(graph) > LARGEST or len(graph.inputs) > MOST_INPUTS:
        return None
    units = _opened(graph, _begun(graph))
    result = _folded(graph, units)
    if not _is_readable(result):
        result = next(filter(_is_readable, _stretches(graph)), result)
    drawn = sum(graph.blocks[node].name != "output" for node in result.kept)
    return result if result.folds and drawn <= MOST_DRAWN else None


def _begun(graph: Graph) -> list[Unit]:
    """Return the scopes in the function as folds; parts of long straight-line code are put together."""
    tree = graph.scopes
    units = [Unit(child, tree.ends[child]) for child in tree.children(0)]
    parts = [unit.first for unit in units if tree.kinds[unit.first] == PART]
    others = [unit for unit in units if tree.kinds[unit.first] != PART]
    for size in range(1, -(-len(parts) // FEWEST_GROUPS) + 1):
        units = sorted([*others, *_groups(graph, parts, size)])
        if _is_readable(_folded(graph, units)):
            break
    return units


def _stretches(graph: Graph) -> Iterator[FoldedGraph]:
    """Yield graphs folded into stretches of the evaluation, for what scopes do not tell apart, such as a long sum."""
    beside = {*graph.inputs, *graph.outputs}
    nodes = [node for node in range(len(graph)) if node not in beside]
    for count in range(MOST_GROUPS, 0, -1):
        bounds = [len(nodes) * k // count for k in range(count + 1)]
        yield FoldedGraph(
            graph,
            [
                (Place(f"part {k} of {graph.scope_label(0)}", f"part {k}", "", (0, 0)), nodes[start:end])
                for k, (start, end) in enumerate(pairwise(bounds), 1)
            ],
        )


def _folded(graph: Graph, units: list[Unit]) -> FoldedGraph:
    return FoldedGraph(graph, [(_place(graph, unit), _nodes(graph, unit)) for unit in units])


def _is_readable(graph: FoldedGraph) -> bool:
    """Return whether few nodes and edges are left."""
    inside = [node for node in graph.kept if graph.blocks[node].name not in ("input", "output")]
    return len(inside) <= MOST_INSIDE and sum(len(graph.operand_nodes(node)) for node in inside) <= MOST_EDGES


def _opened(graph: Graph, units: list[Unit]) -> list[Unit]:
    """Return what is left of folds after those have been opened that can be."""
    closed: set[object] = set()
    while True:
        kinds: dict[object, list[Unit]] = {}
        for unit in units:
            if not unit.is_group and (kind := _kind(graph, unit)) not in closed:
                kinds.setdefault(kind, []).append(unit)
        if not kinds:
            return units
        kind, alike = max(kinds.items(), key=lambda each: sum(len(_nodes(graph, unit)) for unit in each[1]))
        for opened in _ways(graph, alike):
            trial = [new for unit in units for new in opened.get(unit, [unit])]
            if _is_readable(_folded(graph, trial)):
                units = trial
                break
        else:
            closed.add(kind)


def _kind(graph: Graph, unit: Unit) -> object:
    """Return what folds have in common that are opened together: the function, or the place in the source."""
    kind, (code, offset) = graph.scopes.kinds[unit.first], graph.scopes.places[unit.first]
    return kind, id(code), -1 if kind == CALL else offset


def _ways(graph: Graph, units: list[Unit]) -> Iterator[dict[Unit, list[Unit]]]:
    """Yield ways to open some folds, the finest first."""
    tree = graph.scopes
    inner = {unit: list(_inside(graph, unit.first)) for unit in units}
    yield {unit: [Unit(scope, tree.ends[scope]) for scope in result] for unit, result in inner.items()}
    if all(tree.kinds[unit.first] == LOOP for unit in units):
        for size in group_sizes(max(map(len, inner.values()))):
            yield {unit: list(_groups(graph, result, size)) for unit, result in inner.items()}


def group_sizes(count: int) -> list[int]:
    """Return how many iterations of a loop may be one fold, the best first: one size for each number of folds.

    >>> group_sizes(50)[:3], group_sizes(20)
    ([10, 7, 8], [4, 3, 5, 7])
    """

    def cost(size: int) -> float:
        return size if count % size else size / ROUND

    sizes = range(max(2, -(-count // MOST_GROUPS)), -(-count // FEWEST_GROUPS) + 1)
    best = {-(-count // size): size for size in sorted(sizes, key=cost, reverse=True)}
    return sorted(best.values(), key=cost)


def _inside(graph: Graph, scope: int) -> Iterator[int]:
    """Yield the scopes directly inside a scope; of a loop the iterations, whatever parts they are in."""
    tree = graph.scopes
    for child in tree.children(scope):
        if tree.kinds[scope] in (LOOP, PART) and tree.kinds[child] == PART and _loop(graph, child) >= 0:
            yield from _inside(graph, child)
        else:
            yield child


def _loop(graph: Graph, scope: int) -> int:
    """Return the loop of which a scope is a part, or -1."""
    tree = graph.scopes
    while tree.kinds[scope] == PART:
        scope = tree.parents[scope]
    return scope if tree.kinds[scope] == LOOP else -1


def _groups(graph: Graph, scopes: list[int], size: int) -> Iterator[Unit]:
    """Yield groups of neighbors, of at most this size, as even as they can be."""
    count = -(-len(scopes) // size)
    bounds = [scopes[len(scopes) * k // count] for k in range(count)]
    bounds += [graph.scopes.ends[scopes[-1]]] if scopes else []
    for first, end in pairwise(bounds):
        yield Unit(first, end, graph.scopes.kinds[first] != PART or end > graph.scopes.ends[first])


def _nodes(graph: Graph, unit: Unit) -> list[int]:
    """Return the nodes of a fold: neither inputs nor outputs, which are always seen."""
    scopes = np.frombuffer(graph.scopes.of_node, np.int32)
    beside = {*graph.inputs, *graph.outputs}
    result = np.flatnonzero((scopes >= unit.first) & (scopes < unit.end)).tolist()
    return [node for node in result if node not in beside]


# ---- words ----


def _place(graph: Graph, unit: Unit) -> Place:
    """Return what a fold stands for, in words."""
    tree, first = graph.scopes, unit.first
    kind, text = tree.kinds[first], graph.scope_label(first)
    label, brief, called = f"the part {text}", text, ""
    if kind == CALL:
        label, brief, called = f"the call of {text}", f"{text}(…)", text
    elif kind == ITERATION:
        head = short(graph.scope_label(_owner(graph, first)), LONGEST)
        brief = _numbered("iteration", list(_inside(graph, _owner(graph, first))), graph, unit)
        label = f"{brief} of the loop {head}"
    elif kind == LOOP:
        count = captions.plural(len(list(_inside(graph, first))), "iteration")
        owner = _owner(graph, first)
        where = f" in {graph.scope_label(owner)}" if owner and tree.kinds[owner] == CALL else ""
        label, brief = f"the loop {short(text, LONGEST)}{where} with its {count}", count
    elif kind == PART:
        brief = _numbered("part", tree.children(tree.parents[first]), graph, unit)
        label = f"{brief} of {graph.scope_label(_owner(graph, first))}"
    elif kind == EXPRESSION:
        label = f"the expression {short(text, LONGEST)}"
    return Place(label, short(brief, SHORT), called, (first, unit.end))


def _numbered(noun: str, scopes: list[int], graph: Graph, unit: Unit) -> str:
    """Return which of some neighbors are in a fold: ``iterations 1–5``."""
    numbers = [graph.scopes.ordinals[scope] for scope in scopes if unit.first <= scope < unit.end]
    return f"{noun} {numbers[0]:,}" if len(numbers) == 1 else f"{noun}s {numbers[0]:,}–{numbers[-1]:,}"


def _owner(graph: Graph, scope: int) -> int:
    """Return the scope that a scope is in, whatever parts are between."""
    tree = graph.scopes
    scope = tree.parents[scope]
    while tree.kinds[scope] == PART:
        scope = tree.parents[scope]
    return scope
