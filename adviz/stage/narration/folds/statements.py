"""A graph told line by line: each statement of the function is one operation, and so is each iteration of a loop.

What a statement computes for others is an exit of its own; what several exits of one line share is one more. A function
whose only statement is a call of another one is told by the statements of that one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

import numpy as np

from ....graph.graph import Graph
from ....graph.origins import Statement, statement_at
from ....graph.scopes import CALL, ITERATION, LOOP
from ...scene import captions
from ..symbols import short
from . import choosing
from .folded_graph import FoldedGraph, Place

FEW_ON_NUMBERS, FEW_ON_ARRAYS = 14, 8  # of so few operations each is told by itself
MOST_INSIDE, MOST_EDGES = 12, 28  # of what is left, but for inputs
MOST_OF_LOOPS = 16  # edges, where fewer groups of iterations would do
LONGEST, SHORT = 60, 44  # characters of a statement in a sentence, and in the picture
TRACED = 0  # the call that is traced


class Line(NamedTuple):
    """The nodes of a statement, or of an iteration of the loop that is the scope ``loop``."""

    statement: Statement
    nodes: list[int]
    loop: int = -1
    iteration: int = 0


def folded(graph: Graph) -> FoldedGraph | None:
    """Return a graph folded line by line; ``None`` where nothing is gained, or where too many lines would be left.

    >>> import adviz
    >>> folded(adviz.trace(lambda x: x * x, 3.0))  # of few operations each is told by itself
    """
    if is_few(graph):
        return None
    for size, groups in _foldings(graph):
        result = FoldedGraph(graph, [part for group in groups for part in _parts(graph, group)])
        if result.folds and _is_readable(result, MOST_OF_LOOPS if size else MOST_EDGES):
            return result
    return None


def boxes(graph: Graph) -> list[tuple[Place, list[int]]] | None:
    """Return the statements of a graph, each with all its nodes; ``None`` where they would be too many, or only one.

    >>> import adviz
    >>> def halves(x):
    ...     for _ in range(20):
    ...         x = x / 2 + 1
    ...     return x
    >>> [place.short for place, _ in boxes(adviz.trace(halves, 1.0))][:2]
    ['iterations 1–4', 'iterations 5–8']
    """
    for _, groups in _foldings(graph):
        parts = [(_place(graph, group), [node for line in group for node in line.nodes]) for group in groups]
        if 1 < len(parts) <= MOST_INSIDE and _is_ordered(graph, [nodes for _, nodes in parts]):
            return parts
    return None


def inside(graph: Graph, nodes: list[int]) -> list[tuple[Place, list[int]]]:
    """Return the iterations in a box, or the statements in an iteration or a call; none where there is nothing such.

    >>> import adviz
    >>> def step(x):
    ...     y = x * x + 1.0
    ...     return x - y / (2.0 * x) * 0.5
    >>> graph = adviz.trace(lambda x: step(step(x) + 1.0), 1.5)
    >>> [place.short for place, _ in inside(graph, range(1, 7))]
    ['y = x * x + 1.0', 'return x - y / (2.0 * x) * 0.5']
    """
    for by_iteration in (True, False):
        lines = _lines(graph, nodes, TRACED, by_iteration)
        if len(lines) > 1:
            parts = [(_place(graph, [line]), line.nodes) for line in lines]
            return parts if len(parts) <= MOST_INSIDE and _is_ordered(graph, [part for _, part in parts]) else []
    return []


def is_few(graph: Graph) -> bool:
    """Return whether a graph has so few operations that each is told by itself."""
    few = FEW_ON_ARRAYS if any(map(np.ndim, graph.values)) else FEW_ON_NUMBERS
    return len(graph) <= choosing.LARGEST and len(_operations(graph)) <= few


def _operations(graph: Graph) -> list[int]:
    return [node for node in range(len(graph)) if graph.operand_nodes(node) and node not in graph.outputs]


def _foldings(graph: Graph) -> Iterator[tuple[int, list[list[Line]]]]:
    """Yield the lines of a graph with more and more iterations together: how many, and what is told as one."""
    lines = _lines(graph, _operations(graph), TRACED) if len(graph) <= choosing.LARGEST else []
    for size in _sizes(max((line.iteration for line in lines), default=0)) if lines else ():
        yield size, [*_groups(lines, size)]


def _is_ordered(graph: Graph, parts: list[list[int]]) -> bool:
    """Return whether all of a part is computed before anything that uses it, so that no part depends on itself."""
    last = {node: nodes[-1] for nodes in parts for node in nodes}
    edges = ((operand, node) for node in range(len(graph)) for operand in graph.operand_nodes(node))
    ends = ((last.get(operand, operand), node) for operand, node in edges if last.get(operand) != last.get(node, -1))
    return all(end < node for end, node in ends)


def _is_readable(graph: FoldedGraph, most: int) -> bool:
    inside = [node for node in graph.kept if graph.blocks[node].name not in ("input", "output")]
    return 1 < len(inside) <= MOST_INSIDE and sum(len(graph.operand_nodes(node)) for node in inside) <= most


# ---- lines ----


def _lines(graph: Graph, nodes: list[int], call: int, by_iteration: bool = True) -> list[Line]:
    """Return the lines of a call, in the order in which they begin; none where the source is not known.

    ``by_iteration``, all that is made in an iteration of a loop is one line.
    """
    lines: dict[object, Line] = {}
    callees = set[int]()
    code = graph.call_table[call].code
    for node in nodes:
        callee, offset = _called(graph, node, call)
        statement = statement_at(code, offset) if code else None
        if statement is None:
            return []
        callees.add(callee)
        loop, iteration = _iteration(graph, node, call) if statement.is_in_loop and by_iteration else (-1, 0)
        key = (loop, iteration) if iteration else statement
        lines.setdefault(key, Line(statement, [], loop, iteration)).nodes.append(node)
    inner = callees.pop()
    return (
        _lines(graph, nodes, inner, by_iteration)
        if len(lines) == 1 and not callees and inner != call
        else [*lines.values()]
    )


def _called(graph: Graph, node: int, call: int) -> tuple[int, int]:
    """Return which call directly in a call makes a node, or that call itself, and where in it."""
    made, offset = graph.calls[node], graph.offsets[node]
    while made != call:
        inner, (_, parent, place) = made, graph.call_table[made]
        if parent == call:
            return inner, place
        made, offset = parent, place
    return made, offset


def _iteration(graph: Graph, node: int, call: int) -> tuple[int, int]:
    """Return the outermost loop in a call that a node is made in, and the number of the iteration."""
    tree, depth = graph.scopes, 0
    while call != TRACED:
        call, depth = graph.call_table[call].parent, depth + 1
    path = tree.path(tree.of_node[node])
    calls = [k for k, scope in enumerate(path) if tree.kinds[scope] == CALL]
    loop = -1
    for scope in path[calls[depth] :] if depth < len(calls) else ():
        if tree.kinds[scope] == LOOP:
            loop = scope
        elif tree.kinds[scope] == ITERATION:
            return loop, tree.ordinals[scope]
    return -1, 0


def _sizes(count: int) -> list[int]:
    """Return how many iterations may be told as one, the best first; 0 where there is no loop."""
    return (
        [*[1] * (count <= choosing.MOST_GROUPS), *choosing.group_sizes(count), -(-count // 2), count] if count else [0]
    )


def _groups(lines: list[Line], size: int) -> Iterator[list[Line]]:
    """Yield lines one by one, but so many iterations of a loop together."""

    def key(line: Line) -> object:
        return (line.loop, -(-line.iteration // size)) if line.iteration else line.statement

    for _, group in groupby(lines, key):
        yield [*group]


# ---- what is one ----


def _parts(graph: Graph, lines: list[Line]) -> Iterator[tuple[Place, list[int]]]:
    """Yield what is told as one: iterations, or the nodes that serve an exit of a statement and no other."""
    place = _place(graph, lines)
    inside = [node for line in lines for node in line.nodes]
    if lines[0].iteration:
        yield place, inside
        return
    owners: dict[int, int] = {}
    for node in sorted(inside, reverse=True):
        served = {owners.get(user, -1) for user in graph.users(node)}
        owners[node] = node if len(served) != 1 or -1 in served else served.pop()
    for owner in sorted({*owners.values()}):
        yield place, [node for node in inside if owners[node] == owner]


def _place(graph: Graph, lines: list[Line]) -> Place:
    """Return what lines are called."""
    first, last = lines[0], lines[-1]
    if not first.iteration:
        statement = first.statement
        text = short(statement.text, LONGEST)
        return Place(f"line {statement.line}, {text}", short(statement.text, SHORT), "", (0, 0), True)
    numbers = f"{first.iteration:,}" if len(lines) == 1 else f"{first.iteration:,}–{last.iteration:,}"
    brief = f"iteration{'s' * (len(lines) > 1)} {numbers}"
    head = short(graph.scope_label(first.loop), LONGEST)
    return Place(f"{brief} of the loop {head}", captions.shortened(brief), "", (0, 0))
