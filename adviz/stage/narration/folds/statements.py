"""A graph told line by line: each statement of the function is one operation, and so is each iteration of a loop.

What a statement computes for others is an exit of its own; what several exits of one line share is one more. A function
whose only statement is a call of another one is told by the statements of that one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache, partial
from itertools import groupby, islice, takewhile
from typing import NamedTuple

import numpy as np

from ....graph.graph import Graph
from ....graph.origins import Statement, origin, statement_at
from ....graph.scopes import CALL, COMPREHENSIONS, ITERATION, LOOP
from ...scene import captions
from ...scene.formulas import short
from . import choosing
from .folded_graph import FoldedGraph, Place, drawn, is_additive, kept, parts_of

FEW_ON_NUMBERS, FEW_ON_ARRAYS = 14, 8  # of so few operations each is told by itself
FEW_IN_A_ROW, DEEPEST = 7, 6  # of arrays or more numbers, one needing the other in longer chains, the text is too small
MOST_INSIDE, MOST_EDGES = 12, 28  # of what is left, but for inputs
MOST_OF_LOOPS, MOST_OF_RUNS = 16, 20  # edges, where fewer groups of iterations, or of statements, would do
MOST_WITH_DEPTH = 14, 20  # edges and steps of the longest path on numbers, and on arrays, where fewer groups would do
LEGIBLE_OF_LOOPS = 7  # edges with which several groups of iterations are large enough to be read
MOST_DEPTH = 8  # steps of the longest path, where neighboring statements that give one name new values would be one
MOST_OPENED = 170  # nodes of a graph that can be seen when lines are opened
RUNS = 9, 6, 4, 3, 2  # of neighboring statements, where all together have too many results
FEW_IN_LINE = 8  # operations of an expression; of more its terms are told apart
FEW_INPUTS = 2  # of a line: more are not seen while it is closed, where there is no room
LONGEST, SHORT = 60, 44  # characters of a statement in a sentence, and in the picture
TRACED = 0  # the call that is traced
ASSIGNED = re.compile(r"(\w+) (?:\W{1,2})?= ")


class Line(NamedTuple):
    """The nodes of a statement in a call, or of an iteration of the loop that is the scope ``loop``.

    ``around`` is the iteration, as a scope, that the statement itself is in; -1 if there is none.
    """

    statement: Statement
    nodes: list[int]
    call: int
    around: int
    loop: int = -1
    iteration: int = 0


class Part(NamedTuple):
    """What is told as one: lines, or where there are none a call of a function of the user's.

    What it is called is found only if it is told; parts of one line have the same ``place``, once it is.
    """

    place: Callable[[], Place]
    nodes: list[int]
    lines: list[Line]
    call: int


def layers(
    graph: Graph, moving: Collection[int] = (), most: int | None = None, *, also_few: bool = False
) -> list[FoldedGraph]:
    """Return a graph folded line by line, and then with less and less folded: by what is inside of lines.

    Each has the parts of the one before opened that consist of parts themselves: iterations, statements of an iteration
    or of a function that is called; of others it has the operations. There is none where nothing is gained, or where
    too many lines would be left. Inputs that one line alone uses are inside of it where they are many, but for those
    that are ``moving`` in forward mode. Less is folded at most ``most`` times. ``also_few`` operations are told so.

    >>> import adviz
    >>> layers(adviz.trace(lambda x: x * x, 3.0))  # of few operations each is told by itself
    []
    """
    if not also_few and is_few(graph):
        return []
    nodes = {*range(len(graph))}.difference(graph.inputs, graph.outputs)
    most_with_depth = MOST_WITH_DEPTH[_has_arrays(graph)]
    loop: list[Part] = []  # all of it, where no group of iterations is left that could be followed
    for few, most_edges, groups in _foldings(graph):
        parts = _parts_of(graph, groups)
        if len(parts) == 1:
            loop = parts if parts[0].lines[0].iteration else []
            parts = _inside(graph, parts[0], few)
        if not 1 < len({*_left(graph, parts)}.intersection(nodes)) <= MOST_INSIDE:
            continue
        for hidden in (list, partial(_with_inputs, graph, moving=moving)):
            told = [*hidden(parts)]
            if (edges := _edges(graph, told, nodes)) > most_edges:
                continue
            result = _folded(graph, told)
            if result.folds and (most_edges > MOST_OF_LOOPS or edges + _depth(result) <= most_with_depth):
                return _with_inside(graph, result, parts, hidden, most)
    return _with_inside(graph, _folded(graph, loop), loop, list, most) if loop else []


def _left(graph: Graph, parts: Iterable[Part]) -> list[int]:
    """Return the nodes that are left where parts are folded."""
    return kept(graph, parts_of(graph, [part.nodes for part in parts]))


def _edges(graph: Graph, parts: Iterable[Part], nodes: Iterable[int]) -> int:
    """Return how many edges lead to those of some nodes that are left where parts are folded."""
    left, count = {*_left(graph, parts)}, 0
    entries: dict[int, set[int]] = {}
    for node in sorted(nodes):
        operands = graph.operand_nodes(node)
        inside = [operand for operand in operands if operand not in left]
        entries[node] = left.intersection(operands).union(*(entries.get(operand, ()) for operand in inside))
        if node in left:
            count += len(entries[node]) if inside else len(operands)  # what is no fold has an edge for each use
    return count


def _depth(told: FoldedGraph) -> int:
    levels: dict[int, int] = {}
    for node in told.kept:
        levels[node] = max((levels[operand] + 1 for operand in told.operand_nodes(node)), default=0)
    return max(levels.values())


def _with_inside(
    graph: Graph,
    told: FoldedGraph,
    parts: list[Part],
    hidden: Callable[[list[Part]], Iterable[Part]],
    most: int | None,
) -> list[FoldedGraph]:
    """Return what is told first, and then with more and more opened; none where something could never be seen."""
    inside = [*islice(takewhile(can_be_opened, _opened(graph, told, parts, hidden)), most)]
    is_all_told = inside or can_be_opened(graph) or {*graph.inputs} <= {*told.kept}
    return [told, *inside] if is_all_told else []


def can_be_opened(graph: Graph) -> bool:
    """Return whether so few nodes are left that all may be described."""
    return len(list(drawn(graph))) <= MOST_OPENED


def _with_inputs(graph: Graph, parts: list[Part], moving: Collection[int]) -> Iterator[Part]:
    """Yield parts with the inputs that are used nowhere else, where they are many."""
    part_of = parts_of(graph, [part.nodes for part in parts])
    for number, part in enumerate(parts):
        operands = {operand for node in part.nodes for operand in graph.operand_nodes(node)}
        inputs = operands.intersection(graph.inputs).difference(moving)
        own = sorted(node for node in inputs if all(part_of[user] == number for user in graph.users(node)))
        yield part._replace(nodes=[*own, *part.nodes]) if len(own) > FEW_INPUTS else part


def _folded(graph: Graph, parts: Iterable[Part]) -> FoldedGraph:
    return FoldedGraph(graph, [(part.place(), part.nodes) for part in parts])


def _opened(
    graph: Graph, told: FoldedGraph, parts: list[Part], hidden: Callable[[list[Part]], Iterable[Part]]
) -> Iterator[FoldedGraph]:
    """Yield the graph with parts opened again and again, as long as parts are inside, with their ``hidden`` inputs.

    Those that are not seen stay.
    """
    while parts := [inner for part in parts if {*told.kept} & {*part.nodes} for inner in _inside(graph, part)]:
        told = _folded(graph, hidden(parts))
        yield told


def is_few(graph: Graph) -> bool:
    """Return whether a graph has so few operations that each is told by itself, in a text that can be read."""
    if len(graph) > choosing.LARGEST:
        return False
    count = len(_operations(graph))
    if _has_arrays(graph):
        return count <= FEW_ON_ARRAYS and graph.depth <= DEEPEST
    return count <= FEW_IN_A_ROW or (count <= FEW_ON_NUMBERS and graph.depth <= DEEPEST)


def _has_arrays(graph: Graph) -> bool:
    return any(map(np.ndim, graph.values))


def _operations(graph: Graph) -> list[int]:
    return [node for node in range(len(graph)) if graph.operand_nodes(node) and node not in graph.outputs]


def _foldings(graph: Graph) -> Iterator[tuple[int, int, list[list[Line]]]]:
    """Yield the lines of a graph with more and more iterations, and then neighboring statements, together.

    Each comes with how many statements there may be inside, and how many edges.
    """
    lines = _lines(graph, _operations(graph), TRACED) if len(graph) <= choosing.LARGEST else []
    sizes = _sizes(max((line.iteration for line in lines), default=0)) if lines else []
    count = max(sizes, default=0)
    for size in sizes:
        if size and -(-count // size) >= choosing.FEWEST_GROUPS:
            yield MOST_INSIDE, LEGIBLE_OF_LOOPS, [*_groups(lines, size)]
    for size in sizes:
        groups = [*_groups(lines, size)]
        rebound = _rebound(groups)
        if len(rebound) < len(groups) and _depth(_folded(graph, _parts_of(graph, groups))) > MOST_DEPTH:
            yield MOST_INSIDE, MOST_OF_LOOPS if size else MOST_EDGES, rebound
        yield MOST_INSIDE, MOST_OF_LOOPS if size else MOST_EDGES, groups
    for most in (MOST_INSIDE, *RUNS) if lines else ():
        yield most, MOST_OF_LOOPS if sizes[-1] else MOST_OF_RUNS, _runs([*_groups(lines, sizes[-1])], most)


# ---- lines ----


def _lines(graph: Graph, nodes: list[int], call: int, around: int = -1, by_iteration: bool = True) -> list[Line]:
    """Return the lines of a call, or of an iteration in it, as they begin; none where the source is not known.

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
        is_in_loop = statement.is_in_loop and by_iteration
        loop, iteration = _iteration(graph, node, call, around) if is_in_loop else (-1, 0)
        key = (loop, iteration) if iteration else statement
        lines.setdefault(key, Line(statement, [], call, around, loop, iteration)).nodes.append(node)
    inner = callees.pop()
    return (
        _lines(graph, nodes, inner, by_iteration=by_iteration)
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


def _iteration(graph: Graph, node: int, call: int, around: int) -> tuple[int, int]:
    """Return the outermost loop in a call, or in an iteration there, that a node is made in, and which iteration."""
    tree, depth = graph.scopes, 0
    while call != TRACED:
        call, depth = graph.call_table[call].parent, depth + 1
    path = tree.path(tree.of_node[node])
    calls = [k for k, scope in enumerate(path) if tree.kinds[scope] == CALL]
    inner = path[calls[depth] :] if depth < len(calls) else []
    loop = -1
    for scope in inner[inner.index(around) + 1 :] if around in inner else inner:
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


def _rebound(groups: list[list[Line]]) -> list[list[Line]]:
    """Return what is told as one with neighboring statements together that give one name new values."""
    result: list[list[Line]] = []
    last = ""
    for group in groups:
        found = None if group[0].iteration else ASSIGNED.match(group[0].statement.text)
        name = found[1] if found else ""
        result[-1:] = [[*result[-1], *group]] if name and name == last else [*result[-1:], group]
        last = name
    return result


def _runs(groups: list[list[Line]], most: int) -> list[list[Line]]:
    """Return what is told as one with neighboring statements together, as far as there are more than ``most``."""
    size, result = -(-len(groups) // max(1, most)), list[list[Line]]()
    for is_loop, some in groupby(groups, lambda group: group[0].iteration > 0):
        alike = [*some]
        step = 1 if is_loop else size
        result += [[line for group in alike[k : k + step] for line in group] for k in range(0, len(alike), step)]
    return result


# ---- what is one ----


def _parts_of(graph: Graph, groups: list[list[Line]]) -> list[Part]:
    return [part for group in groups for part in _parts(graph, group)]


def _parts(graph: Graph, lines: list[Line]) -> Iterator[Part]:
    """Yield what is told as one: iterations, several statements, or the nodes that serve one exit of a statement."""
    place = cache(partial(_place, graph, lines))
    call = lines[0].call
    inside = [node for line in lines for node in line.nodes]
    if lines[0].iteration or len(lines) > 1:
        yield Part(place, inside, lines, call)
        return
    owners = _owners(graph, sorted(inside))
    for owner in sorted({*owners.values()}):
        yield Part(place, [node for node in inside if owners[node] == owner], lines, call)


def _inside(graph: Graph, part: Part, most: int = MOST_INSIDE) -> list[Part]:
    """Return the parts that a part consists of; none where there are only operations."""
    if len(part.nodes) == 1:
        return []
    lines = _lines_inside(graph, part)
    if lines:
        parts = _grouped(graph, part, lines, most)
    else:
        parts = [*_calls(graph, part)] if part.lines and not part.lines[0].iteration else []
        if all(len(inner.nodes) == 1 for inner in parts):
            parts = [*_terms(graph, part)] if len(part.nodes) > FEW_IN_LINE else []
    if len(parts) == 1:
        is_less = len(parts[0].nodes) < len(part.nodes) or part.lines != parts[0].lines
        return _inside(graph, parts[0], most) if is_less else []
    return parts if any(len(inner.nodes) > 1 for inner in parts) else []


def _grouped(graph: Graph, part: Part, lines: list[Line], most: int) -> list[Part]:
    """Return lines as parts: iterations in so few groups that what they pass to each other can be followed."""
    parts = list[Part]()
    for size in range(-(-len(part.lines) // choosing.MOST_GROUPS), max(1, -(-len(part.lines) // 2)) + 1):
        groups = _runs([*_groups(lines, max(1, size))], most)
        parts = _parts_of(graph, groups)
        if len(part.lines) < 2:
            break
        if _edges(graph, parts, part.nodes) <= MOST_EDGES:
            break
    return parts


def _lines_inside(graph: Graph, part: Part) -> list[Line]:
    """Return the iterations of several, the statements of one, or those of a function that is called."""
    if len(part.lines) > 1:
        return part.lines
    if not part.lines:
        return _lines(graph, part.nodes, part.call)
    (line,) = part.lines
    tree = graph.scopes
    around = next((scope for scope in tree.path(tree.of_node[part.nodes[0]]) if _is_of(graph, scope, line)), -1)
    return _lines(graph, part.nodes, part.call, around) if line.iteration else []


def _is_of(graph: Graph, scope: int, line: Line) -> bool:
    """Return whether a scope is the iteration that is told as a line."""
    tree = graph.scopes
    if tree.kinds[scope] != ITERATION or tree.ordinals[scope] != line.iteration:
        return False
    return line.loop in tree.path(scope)


def _calls(graph: Graph, part: Part) -> Iterator[Part]:
    """Yield the calls of functions of the user's in a statement, and the operations that it has itself."""
    own: list[int] = []
    calls: dict[int, list[int]] = {}
    for node in part.nodes:
        callee = _callee(graph, node, part.call)
        (own if callee == part.call else calls.setdefault(callee, [])).append(node)
    for callee, nodes in calls.items():
        yield Part(cache(partial(_place_of_call, graph, callee)), nodes, [], callee)
    for node in own:
        yield Part(part.place, [node], [], part.call)


def _terms(graph: Graph, part: Part) -> Iterator[Part]:
    """Yield the terms and factors of a long expression, what several of them share, and what is made of all of them."""
    inside, between = {*part.nodes}, list[int]()
    ends = [max(part.nodes)]
    while ends and (len(ends) == 1 or any(is_additive(graph.blocks[node]) for node in ends)):
        node = next((each for each in ends if is_additive(graph.blocks[each])), ends[0])
        ends.remove(node)
        between.append(node)
        ends += [operand for operand in dict.fromkeys(graph.operand_nodes(node)) if operand in inside]
    owners = _owners(graph, sorted(inside.difference(between)))
    for owner in sorted({*owners.values()}):
        place = cache(partial(_place_of_term, graph, owner))
        yield part._replace(place=place, nodes=[node for node in owners if owners[node] == owner])
    yield part._replace(nodes=sorted(between))


def _owners(graph: Graph, nodes: list[int]) -> dict[int, int]:
    """Return for each of some nodes the one that it alone serves, itself where it serves several or others."""
    owners: dict[int, int] = {}
    for node in reversed(nodes):
        served = {owners.get(user, -1) for user in graph.users(node)}
        owners[node] = node if len(served) != 1 or -1 in served else served.pop()
    return {node: owners[node] for node in nodes}


def _callee(graph: Graph, node: int, call: int) -> int:
    """Return which call in a statement of a call makes a node, or that call itself; comprehensions are no calls."""
    inner = call
    while (callee := _called(graph, node, inner)[0]) != inner:
        inner, code = callee, graph.call_table[callee].code
        if not code or code.co_name not in COMPREHENSIONS:
            return inner
    return call


def _place(graph: Graph, lines: list[Line]) -> Place:
    """Return what lines are called."""
    first, last = lines[0], lines[-1]
    if not first.iteration and len(lines) > 1:
        rows = [line.statement.line for line in lines]
        several = f"lines {min(rows)}–{max(rows)}"
        return Place(several, several, "", (0, 0))
    if not first.iteration:
        statement = first.statement
        text = short(statement.text, LONGEST)
        return Place(f"line {statement.line}, {text}", short(statement.text, SHORT), "", (0, 0), True)
    numbers = f"{first.iteration:,}" if len(lines) == 1 else f"{first.iteration:,}–{last.iteration:,}"
    brief = f"iteration{'s' * (len(lines) > 1)} {numbers}"
    head = short(graph.scope_label(first.loop), LONGEST)
    loop = first.loop, first.iteration, last.iteration
    return Place(f"{brief} of the loop {head}", captions.shortened(brief), "", (0, 0), loop=loop)


def _place_of_term(graph: Graph, node: int) -> Place:
    """Return what a part of an expression is called: as in the source."""
    where = graph.origin(node)
    text = " ".join(where.text.split()) if where else "a term"
    return Place(f"the term {short(text, LONGEST)}", short(text, SHORT), "", (0, 0), True)


def _place_of_call(graph: Graph, call: int) -> Place:
    """Return what a call is called: the expression of the caller's."""
    code, parent, offset = graph.call_table[call]
    where = origin(graph.call_table[parent].code, offset)
    text = " ".join(where.text.split()) if where and where.text else f"{code.co_name if code else 'f'}(…)"
    return Place(f"the call {short(text, LONGEST)}", short(text, SHORT), text.partition("(")[0], (0, 0))
