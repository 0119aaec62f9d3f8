"""From a traced program to its linearized computational graph: a local Jacobian per edge, at the point of the trace.

Vertices are the nodes of the graph that reach an output, under their numbers, and all inputs. Literals are none. The
copy that every output is becomes one with its operand, if that is an intermediate which nothing else uses: then the
last operation is the output, as the literature counts. Between numbers a partial is a number, and an ``int`` if the
rule of the Block has 1, -1 or 0 for it at every point; between arrays it is a Jacobian that keeps its structure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, cast

import numpy as np

from ..graph.errors import OptionError
from ..graph.graph import Graph
from ..graph.linearized.cgraph import CGraph, Linearized
from ..graph.linearized.checked_parts import Vertex
from ..graph.linearized.labels import Label, plus
from ..graph.timeline import Step
from .blocks import INPUT, OUTPUT, Block
from .calls import check_call
from .jacobians.base import Jacobian, Sparse
from .jacobians.local import Diagonal
from .rules import selection
from .rules.selection import CHOICE
from .sweeps import ScalarSweeps, Sweeps
from .trace import record, trace, warn_of_independence
from .trace_errors import InputError

# ---- numbers of vertices ----


CONDITIONS = frozenset(selection.CONDITIONS.values())
LOGIC = CONDITIONS | {selection.CHOICE}
"""Blocks that take true and false as they are; for all others these are 1 and 0."""
NO_NODE = -1
"""Stands for what is not a node at the example."""


class Numbering(NamedTuple):
    """The vertex of each node, and three sets of nodes.

    ``between`` are the nodes on paths from inputs to outputs, without the edges into comparisons; ``returned`` those
    that are merged with an output; ``inner`` those that are intermediates at the example.
    """

    vertices: Sequence[int]
    between: set[int]
    returned: set[int]
    inner: set[int]


def numbering(graph: Graph) -> Numbering | None:
    """Number the vertices of a graph with comparisons or choices; ``None`` for one without: nodes keep their numbers.

    >>> import numpy as np
    >>> from adviz.engine.trace import record
    >>> recorded = record(lambda x: np.exp(np.where(x > 0, x, -x)), (1.0,), {}, "scalar", symbolic=True)
    >>> graph = recorded.trace().graph
    >>> [node.block.name for node in graph], numbering(graph).vertices
    (['input', 'greater', 'negative', 'where', 'exp', 'output'], [0, 4, 1, 5, 2, 3])
    """
    if not LOGIC.intersection(graph.block_table):
        return None
    alias_of: list[int] = []  # the node of the example that each node is
    reached: set[int] = set()
    for node, block in enumerate(graph.blocks):
        operands = taken = _numbers(graph, node)
        if block is selection.CHOICE:
            condition = graph.operands(node)[0]
            holds = graph.values[condition] if condition >= 0 else graph.literal(condition)
            taken = operands[:1] if holds else operands[1:]
        if block is INPUT or not reached.isdisjoint(operands):
            reached.add(node)
        known = [alias_of[each] if each >= 0 else NO_NODE for each in taken]
        is_node = block in (INPUT, OUTPUT) or max(known, default=NO_NODE) >= 0
        alias_of.append(known[0] if block is selection.CHOICE else node if is_node else NO_NODE)
    own = [node for node, alias in enumerate(alias_of) if node == alias]
    others = (node for node, alias in enumerate(alias_of) if node != alias)
    place = {node: number for number, node in enumerate([*own, *others])}
    needed, returned = _needed(graph, range(len(graph)), range(len(graph)))
    inner, ends = _needed(graph, own, alias_of)
    return Numbering(
        [place[node] for node in range(len(graph))],
        reached & (needed | {*graph.outputs}),
        returned,
        inner - ends - {NO_NODE, *graph.inputs},
    )


class Numbered(NamedTuple):
    """A linearized graph with the numbers of the example, and its labels; ``vertices`` is the vertex of each node.

    ``further`` are the intermediates that the linearization at the example does not have, since each choice is decided.
    """

    cgraph: CGraph
    labels: dict[tuple[Vertex, Vertex], Label]
    vertices: Sequence[int]
    further: Sequence[Vertex] = ()


def numbered(graph: Graph, cgraph: CGraph, partials: Mapping[tuple[Vertex, Vertex], Label]) -> Numbered:
    """Number the vertices of a linearized graph as at the example; only what is between inputs and outputs is kept.

    ``partials`` are labels by pairs of nodes of ``graph``.
    """
    result, inputs = numbering(graph), cgraph.inputs
    if result is None:
        whole = CGraph(cgraph.vertices, inputs, cgraph.outputs, partials, names=cgraph.names, title=graph.title)
        return Numbered(whole, dict(partials), range(len(graph)))
    merged = {y: graph.first[y] for y in graph.outputs if graph.first[y] in result.returned}
    outputs = tuple(merged.get(y, y) for y in graph.outputs)
    remaining, inner = (result.between | {*inputs, *outputs}) - merged.keys(), result.inner | {*inputs, *outputs}
    called: dict[Any, int] = {j: result.vertices[j] for j in sorted(remaining)}
    labels: dict[tuple[Vertex, Vertex], Label] = {
        (called[i], called[j]): label for (i, j), label in partials.items() if i in remaining and j in remaining
    }
    names = {called[j]: name for j, name in cgraph.names.items() if j in remaining}
    ends = [called[y] for y in outputs]
    whole = CGraph(called.values(), inputs, ends, labels, names=names, title=graph.title)
    return Numbered(whole, labels, result.vertices, [called[j] for j in called if j not in inner])


def _numbers(graph: Graph, node: int) -> tuple[int, ...]:
    """Return the operands with respect to which a node has a derivative."""
    block, operands = graph.blocks[node], graph.operands(node)
    return () if block in CONDITIONS else operands[1:] if block is selection.CHOICE else operands


def _needed(graph: Graph, nodes: Sequence[int], alias_of: Sequence[int]) -> tuple[set[int], set[int]]:
    """The nodes that results need; and which of them are merged with an output, as in :func:`adviz.linearize`."""
    returned = Counter(alias_of[graph.first[y]] for y in {*graph.outputs} if graph.first[y] >= 0)
    used: set[int] = set()
    for node in reversed(nodes):
        if node in used or node in returned:
            used.update(alias_of[each] for each in _numbers(graph, node) if each >= 0)
    once = {node for node, times in returned.items() if times == 1}
    return used | returned.keys(), once - used - {*graph.inputs}


UNITS = {1.0: 1, -1.0: -1, 0.0: 0}


def linearize(
    f: Callable[..., Any] | Graph | Any,
    /,
    *args: Any,
    grain: str = "array",
    prune: bool = True,
    choices: bool = False,
    **settings: Any,
) -> CGraph:
    """The linearized computational graph of ``f(*args, **settings)``, of a graph that was traced, or of an example.

    Arguments are those of :func:`adviz.trace`. Partials of an operand that stands twice are added. One of
    ``adviz.examples`` that is a program brings its arguments along, unless others are given; one that is a graph, such
    as ``adviz.examples["lion"]``, is linearized already. ``prune=False`` keeps dead nodes, from which no path leads to
    an output, so that their products are counted where an order makes any. ``choices=True``, in the scalar grain,
    keeps all operands of ``np.where`` and its like, with a partial of 1.0 or 0.0: the graph that programs have
    (:func:`adviz.compile_jacobian`), with the same numbers, so that orders of its vertices, edges or faces fit them at
    all points. Raises :class:`~adviz.InputError` for a graph with arguments, and what :func:`adviz.trace` raises.

    >>> graph = linearize(lambda x, y: x * x - y, 3.0, 2.0)
    >>> graph, {edge: graph.partial(*edge) for edge in graph.edges}
    (<CGraph: 2 inputs, 1 intermediate, 1 output, 3 edges>, {(0, 2): 6.0, (1, 3): -1, (2, 3): 1})
    """
    if isinstance(f, str):
        raise InputError(f"linearize needs a function or a graph, not a text; an example is adviz.examples[{f!r}].")
    if isinstance(f, Linearized):
        raise InputError(f"A {type(f).__name__} is linearized already: use it as it is.")
    if not callable(f):
        f, args = getattr(f, "program", f), args or getattr(f, "arguments", ())
    example = None if callable(f) else getattr(f, "graph", None)
    if (example or isinstance(f, Graph)) and (args or settings or grain != "array" or choices):
        raise InputError("A graph has been traced at its point: call linearize with the graph alone.")
    if example:
        return cast("CGraph", example())
    if not isinstance(f, Graph):
        check_call("linearize", f, args, settings, ["grain", "prune", "choices"], may_take_none=True)
    if choices:
        return _with_choices(f, args, grain, prune, settings)
    graph = f if isinstance(f, Graph) else trace(f, *args, grain=grain, **settings)
    cgraph = vertices(graph, prune=prune)
    for _ in linearization(graph, cgraph, prune):
        pass
    return cgraph


def _with_choices(f: Any, args: tuple[Any, ...], grain: str, prune: bool, settings: dict[str, Any]) -> CGraph:
    if grain != "scalar" or not prune:
        raise OptionError("choices=True needs grain='scalar', and leaves dead nodes out: prune is not an option there.")
    recorded = record(f, args, settings, grain, symbolic=True)
    graph = recorded.trace().graph
    warn_of_independence(recorded)
    blocks, whole = graph.blocks, vertices(graph)
    partials: dict[tuple[Any, Any], Any] = {}
    for j, edges in enumerate(Sweeps(graph).edges):
        for i, jacobian in edges if j in whole and blocks[j] not in CONDITIONS else ():
            if blocks[i] not in CONDITIONS:
                label = float(_label(jacobian)) if blocks[j] is CHOICE else _label(jacobian)
                partials[i, j] = plus(partials[i, j], label) if (i, j) in partials else label
    return numbered(graph, whole, partials).cgraph


def vertices(graph: Graph, named: bool = True, prune: bool = True) -> CGraph:
    """Return the vertices of the linearized graph, without edges yet; ``named`` as in the source, which takes its time.

    Dead nodes are left out unless ``prune`` is false.

    >>> vertices(trace(lambda x: x * x, 3.0)).outputs
    (1,)
    """
    blocks = graph.blocks
    inputs, operand_of = set(graph.inputs), {y: graph.first[y] for y in graph.outputs if blocks[y] is OUTPUT}
    returned = Counter(operand_of.values())
    used_by_dead = set() if prune else {i for j in _dead(graph) for i in graph.operand_nodes(j)}
    merged = {
        y: v
        for y, v in operand_of.items()
        if v >= 0 and v not in inputs and returned[v] == 1 and not graph.times_used[v] and v not in used_by_dead
    }
    remaining = [j for j, live in enumerate(graph.live) if j in inputs or ((live or not prune) and j not in merged)]
    names = {j: name for j in remaining if named and (name := graph.name(j))}
    names = {v: name for y, v in merged.items() if named and (name := graph.name(y))} | names
    sizes = {} if ScalarSweeps.applies(graph) else {j: np.size(graph.values[j]) for j in remaining}
    outputs = [merged.get(y, y) for y in graph.outputs]
    return CGraph(remaining, graph.inputs, outputs, {}, sizes, names, graph.title)


def _dead(graph: Graph) -> list[int]:
    return [j for j, live in enumerate(graph.live) if not live]


def linearization(graph: Graph, cgraph: CGraph, prune: bool = True) -> Iterator[Step]:
    """Give vertices their edges: one partial per Step, added where an operand stands twice.

    >>> graph = trace(lambda x: x * x, 3.0)
    >>> [(step.kind, step.edits[0].after) for step in linearization(graph, vertices(graph))]
    [('partial', 3.0), ('parallel', 6.0)]
    """
    dead = () if prune else _dead(graph)
    with np.errstate(all="ignore"):
        of_dead = [(i, j, _label(jacobian)) for j in dead for i, jacobian in graph.local_jacobians(j)]
    for i, j, partial in chain(_partials(graph), of_dead):
        if j in cgraph:
            known = cgraph.partial(i, j)
            kind, label = ("partial", partial) if known is None else ("parallel", plus(known, partial))
            additions = 0 if known is None else getattr(partial, "nnz", 1)
            yield Step(kind, (cgraph.set_partial(i, j, label),), (("edge", i, j),), additions=additions)


def _partials(graph: Graph) -> Iterator[tuple[int, int, Any]]:
    """Yield operand, node and label, for all operands of all nodes that reach an output."""
    if ScalarSweeps.applies(graph):
        yield from _scalar_partials(graph)
        return
    for j, edges in enumerate(Sweeps(graph).edges):
        for i, jacobian in edges:
            yield i, j, _label(jacobian)


def _scalar_partials(graph: Graph) -> Iterator[tuple[int, int, Any]]:
    sweep = ScalarSweeps(graph)
    constant = [[_is_constant(block, place) for place in (0, 1)] for block in graph.block_table]
    columns = (graph.live, graph.block_numbers, graph.first, graph.second)
    partials = sweep.by_first.tolist(), sweep.by_second.tolist()
    for j, (live, number, first, second, by_first, by_second) in enumerate(zip(*columns, *partials, strict=True)):
        if live:
            if first >= 0:
                yield first, j, UNITS.get(by_first, by_first) if constant[number][0] else by_first
            if second >= 0:
                yield second, j, UNITS.get(by_second, by_second) if constant[number][1] else by_second


def _is_constant(block: Block, place: int) -> bool:
    """Return whether a partial is the same number at every point: for NaN it then returns a plain float."""
    if place >= len(block.partials):
        return False
    with np.errstate(all="ignore"):
        return type(block.partials[place](*[np.float64("nan")] * (1 + len(block.partials)))) is float


def _label(jacobian: Jacobian) -> Any:
    """Return a number between numbers, else the Jacobian as it is."""
    if jacobian.shape != (1, 1):
        return jacobian
    number = jacobian.dense().item()
    return UNITS.get(number, number) if _is_unit(jacobian) else number


def _is_unit(jacobian: Jacobian) -> bool:
    if isinstance(jacobian, Diagonal):  # a number that the rule wrote down, not one of the data
        return type(jacobian.partial) is float
    form = jacobian.normal()
    return isinstance(form, Sparse) and form.is_unit
