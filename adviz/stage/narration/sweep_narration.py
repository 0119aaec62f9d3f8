"""Narrate a sweep: for every Step a sentence with its numbers, and a formula.

A sentence says what happens, with which numbers, what that adds up to, and what has been stored or freed. Plain text.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np

from ...algorithms.sweeps.primitives import Edge, edges
from ...algorithms.sweeps.seeds import Value
from ...graph.graph import WRITE, Graph
from ...graph.timeline import Edit, State, Step
from ..scene import captions, formulas
from ..scene.formulas import Tree, fill
from .flows import ValueOrigin, broken, not_finite, shown
from .source_names import NodeNames, SourceNames, sentence

REASONS = {
    "recursion": "it has just received its last contribution, so the recursion enters it",
    "tape": "it is the previous entry of the tape",
    "tape with flags": "it is the previous entry of the tape, and is marked",
    "toposort": "it is the last node that became complete",
    "rank_heap": "its rank, {rank}, is the highest in the heap",
    "use_counts": "it is the last node that became ready",
}
"""Why a node is visited next, by engine."""

KNOWN_AS = {
    "identity": "which is the identity",
    "scalar": "which is a multiple of the identity",
    "diagonal": "known by its diagonal",
    "broadcast": "whose rows have one entry each",
    "selection": "whose rows have one entry each",
    "reduction": "whose columns have one entry each",
    "sparse": "known by its nonzero entries",
    "rank-one": "known as a product of two vectors",
    "kronecker": "known as a Kronecker product",
    "operator": "known by its products only",
    "zero": "which is zero",
}
"""What is known of a local Jacobian, by its structure; of a dense one all numbers are known."""

WRITTEN = ("which is the identity, but 0 at [{}]", "which places the value at [{}]")
"""The local Jacobians of a write at a key, with respect to the earlier version and to the value."""
ALL_WRITTEN = ("which is zero: all is overwritten", "which is the identity")

Key = tuple[Any, ...]
"""A key of a sweep: its word, its node, and what there may be more."""

MOST_SIGNS = 4  # the most characters around ``+=``
MOST_NAMED = 4  # the most nodes that a sentence names
MOST_DENSE = 2_500  # the most entries of a local Jacobian that is written out in a formula


class Way(NamedTuple):
    """The edge along which something flows: between ``node`` and its ``place``-th operand that is a node."""

    node: int
    operand: int
    place: int


class Act(NamedTuple):
    """A Step, its nodes, the edge along which it happens, and the bytes alive before and after."""

    step: Step
    nodes: tuple[int, ...]
    way: Way | None
    before: int
    after: int

    @property
    def node(self) -> int:
        """The node at which it happens."""
        return self.nodes[0]

    @property
    def made_ready(self) -> list[int]:
        """The nodes that may be visited from now on."""
        keys = [parts(edit.key) for edit in self.step.edits if edit.after is not None]
        return [key[1] for key in keys if key[0] == "ready"]

    def edit(self, *key: str | int) -> Edit:
        """Return the first edit whose key begins like this; raise ``StopIteration`` if there is none."""
        return next(edit for edit in self.step.edits if parts(edit.key)[: len(key)] == key)


def act(step: Step, before: int, after: int) -> Act:
    """Locate a Step of a sweep: at the first node of its focus, and along the edge to the second."""
    focus: tuple[Any, ...] = step.focus
    way = None
    if step.kind in ("product", "accumulate"):
        key = parts(step.edits[0].key)
        if key[0] == "product":
            way = Way(key[1], focus[focus[0] == key[1]], key[2])
    return Act(step, focus, way, before, after)


class Narrator:
    """Narrates one run of one engine over a graph; ``state`` is the state after the Step being narrated.

    ``names`` are those of the picture.
    """

    def __init__(self, graph: Graph, engine: str, state: State, names: SourceNames):
        self.graph, self.engine, self.state, self.names = graph, engine, state, names
        self.called = NodeNames(graph, names)
        self.forward = engine == "forward"
        self.flow, self.way = ("tangent", "on") if self.forward else ("adjoint", "back")
        self.value_origin = ValueOrigin(graph, self.called)
        self.broken: Way | None = None  # the edge with the first derivative that is not finite
        self._edges: tuple[int, list[Edge]] = (-1, [])

    def edge(self, act: Act) -> Edge:
        """Return the edge of an act, with its local Jacobian; those of one node are computed together."""
        if act.way is None:
            raise LookupError(f"nothing travels in a Step of kind {act.step.kind!r}")
        if self._edges[0] != act.way.node:
            self._edges = act.way.node, edges(self.graph, act.way.node)
        return self._edges[1][act.way.place]

    # ---- sentences ----

    def caption(self, act: Act) -> str:
        """Return what happens, in one sentence with numbers."""
        text: str | None = by_kind(self, "explain", act)
        where = captions.listed([self.called(node) for node in act.nodes[:MOST_NAMED]])
        return sentence(text or f"{act.step.kind.capitalize()}{where and f' at {where}'}.")

    def _explain_seed(self, act: Act) -> str:
        given = [
            f"{'that' if k else f'the {self._flow(node)}'} of {self._named(node)} is {self._flowing(node)}"
            for k, node in enumerate(act.nodes[:MOST_NAMED])
        ]
        more = len(act.nodes) - len(given)
        listed = captions.listed([*given, f"{more:,} more have theirs"] if more else given)
        if self.forward:
            return f"The sweep begins with the inputs: {listed}."
        zeros = f" All {len(self.graph):,} entries of the tape start at 0." if self.engine == "tape" else ""
        stored = captions.amount(sum(edit.after for edit in act.step.edits if parts(edit.key)[0] == "stored"))
        text = f"The forward pass has stored {stored}.{zeros} The sweep begins with the outputs: {listed}."
        return f"{text} {self.value_origin.explained()}".strip()

    def _named(self, node: int) -> str:
        """Return the name of what is returned, or of an output that is one of several in its place."""
        returned = shown(self.graph, node)
        among = [output for output in self.graph.outputs if shown(self.graph, output) == returned]
        return self.called(node if len(among) > 1 or returned in self.graph.inputs else returned)

    def _flow(self, node: int, flowing: Value | None = None) -> str:
        """Return what flows to a node, in words: instead of its tangent it may be its whole Jacobian block."""
        flowing = self.state[self.flow, node] if flowing is None else flowing
        block = self.forward and np.shape(flowing) != np.shape(self.graph.values[node])
        return "Jacobian block" if block else self.flow

    def _flowing(self, node: int) -> str:
        return self.numbers(self.state[self.flow, node])

    def _explain_evaluate(self, act: Act) -> str:
        text = f"{self._computed(act.node)}."
        return f"{text} {self.value_origin.explained()}" if act.node == self.value_origin.node else text

    def _explain_count(self, act: Act) -> str:
        name, left = self.called(act.node), self.state.get(("times_used", act.node), 0)
        change = act.edit("times_used")
        if (change.before or 0) < (change.after or 0):
            return f"One more use of {name} is found: {captions.plural(left, 'use')} so far."
        return f"{name} {_waiting(left)}."

    def _explain_visit(self, act: Act) -> str:
        if self.forward:
            return self._explain_evaluate(act)
        name, adjoint = self.called(act.node), self._flowing(act.node)
        if act.node in self.graph.inputs:
            return f"The sweep ends at the input {name}: the derivative with respect to it is {adjoint}."
        idle = "" if self.graph.live[act.node] else "; no output depends on it, so it passes nothing useful on"
        return f"{self.opening(act)}; its adjoint is {adjoint}{idle}."

    def opening(self, act: Act) -> str:
        """Return how the visit of a node begins: with its value, or with the reason why it is visited next."""
        if self.forward:
            return self._computed(act.node)
        comparisons = f" ({captions.plural(act.step.comparisons, 'comparison')})" if act.step.comparisons else ""
        reason = REASONS.get(self.engine, "no other node has to come before it")
        reason = "it is an output" if act.node in self.graph.outputs else reason
        text = reason.format(rank=self.state.get(("rank", act.node)))
        return f"{self.called(act.node)} is visited next, since {text}{comparisons}"

    def _explain_skip(self, act: Act) -> str:
        return f"{self.called(act.node)} is skipped: it is not marked, so no requested derivative depends on it."

    def _explain_product(self, act: Act) -> str:
        edge = self.edge(act)
        start, end, way = self.called(self.source(edge)), self.called(self.target(edge)), self.way
        text = f"{start} passes {self.arithmetic(act)} {way} to {end}{self._origin(edge)}."
        if self.broken not in (None, act.way) or self.value_origin.node is not None:
            return text
        warned = self._broken(edge, act)
        self.broken = act.way if warned else None
        return f"{text} {warned}".strip()

    def _broken(self, edge: Edge, act: Act) -> str:
        product = act.step.edits[0].after
        if not not_finite([product]):  # then the local Jacobian need not be written out
            return ""
        with np.errstate(all="ignore"):
            return broken(self.given(edge), edge.jacobian.dense(), product, self.flow)

    def arithmetic(self, act: Act) -> str:
        """Return the product that is passed on: with its factors, if those are numbers."""
        product, edge = act.step.edits[0].after, self.edge(act)
        if not self.forward and act.node in self.graph.outputs:  # it is the node that it passes this to
            return f"its adjoint {self.numbers(product)}"
        if np.ndim(product) or self._is_array(edge):
            return self.numbers(product)
        one, other = map(captions.decimals, self.factors(edge))
        return f"{one} × {captions.bracketed(other)} = {captions.decimals(product)}"

    def _origin(self, edge: Edge) -> str:
        """Return the factors of a product of arrays, in words."""
        jacobian = edge.jacobian
        if not self._is_array(edge):
            return ""
        if jacobian.shape == (1, 1):
            local = captions.decimals(self.factors(edge)[not self.forward])
        else:
            known = self._written(edge) or KNOWN_AS.get(jacobian.structure, "")
            local = f"{captions.a(captions.kind(jacobian.shape))} {known}".rstrip()
        given = self.numbers(self.given(edge))
        return (
            f": the local Jacobian, {local}, times {given}"
            if self.forward
            else f": {given} times the local Jacobian, {local}"
        )

    def _written(self, edge: Edge) -> str:
        """Return what is known of a local Jacobian of a write, and "" for other nodes."""
        operands = self.graph.operands(edge.node)
        if self.graph.blocks[edge.node].name != WRITE or operands[2] >= 0:
            return ""
        place = [k for k, operand in enumerate(operands) if operand >= 0][edge.place]
        text = ALL_WRITTEN if self.graph.literal(operands[2]) is Ellipsis else WRITTEN
        return text[place].format(captions.operand(self.graph, operands[2]))

    def _explain_accumulate(self, act: Act) -> str:
        name = self.called(act.node)
        if act.way is None:
            if self.forward:
                return f"{name} depends on no input: its tangent is 0."
            return f"The leaf {name} adds its adjoint to its gradient, which is now {self._flowing(act.node)}."
        which = "first" if act.edit(self.flow, act.node).before is None else "next"
        arrived = self.numbers(act.step.edits[0].before)
        text = f"The {which} contribution to the {self._flow(act.node)} of {name} is {arrived}{self._sum(act)}"
        return f"{text}{self._shared(act)}{self._readiness(act)}."

    def _sum(self, act: Act, start: str = ": ") -> str:
        """Return what a contribution adds up to with the earlier ones; "" for the first."""
        arrived, before = act.step.edits[0].before, act.edit(self.flow, act.node).before
        after = self._flowing(act.node)
        if before is None:
            return ""
        if np.ndim(arrived):
            return f", which adds up to {after}"
        return f"{start}{captions.decimals(before)} + {captions.bracketed(captions.decimals(arrived))} = {after}"

    def total(self, act: Act) -> str:
        """Return what the contributions of a visit have added up to at a node, if there is anything to add."""
        if self.forward:
            return f": its {self._flow(act.node)} is {self._flowing(act.node)}"
        return self._sum(act, ", where ")

    def _shared(self, act: Act) -> str:
        """Return a warning if other nodes hold the very array that was added to."""
        keys = [parts(edit.key) for edit in act.step.edits[2:]]
        others = sorted({key[1] for key in keys if key[0] == self.flow and key[1] != act.node})
        if not others:
            return ""
        share = "shares" if len(others) == 1 else "share"
        return f", which also changes {captions.listed(list(map(self.called, others)))}, which {share} the array"

    def _readiness(self, act: Act) -> str:
        """Return whether more contributions have to arrive, if the engine knows."""
        name, node = self.called(act.node), act.node
        counters = [(word, node) for word in ("times_used", "times_visited", "ready")]
        changed = {parts(edit.key)[0]: edit for edit in act.step.edits if edit.key in counters}
        if self.engine == "rank_heap" and "ready" in changed:
            return f"; {name} goes on the heap with rank {self.state['rank', node]}"
        if "times_used" in changed:
            return f"; {name} {_waiting(changed['times_used'].after)}"
        if "times_visited" in changed:
            left = self.state["times_used", node] - changed["times_visited"].after
            return f"; {left:,} more must arrive" if left else "; that was the last one"
        return ""

    def _explain_free(self, act: Act) -> str:
        if not act.nodes:
            return f"All {'values and tangents' if self.forward else 'adjoints'} are freed before the next sweep."
        name = self.called(act.node)
        gone = f" ({captions.amount(act.before - act.after)})" if act.before > act.after else ""
        left = f"{captions.amount(act.after)} {'is' if act.after == 1 else 'are'} alive"
        if self.forward:
            flow = self._flow(act.node, act.edit(self.flow).before)
            return f"{name} was used for the last time: its value and {flow} are freed{gone}; {left}."
        return f"{name} has passed everything on: its adjoint is freed{gone}; {left}."

    def ending(self, sweeps: int) -> str:
        """Return the result of a run after the last of its sweeps; "" if the last Step says it."""
        if independent := self.graph.independence():
            return independent
        if sweeps > 1:
            lines = "columns" if self.forward else "rows"
            return f"This was the last of {sweeps:,} {lines}: the Jacobian is complete."
        reached = [node for node in self.graph.inputs if (self.flow, node) in self.state]
        if not self.forward:
            texts = [f"{self._flowing(node)} with respect to {self.called(node)}" for node in reached[:MOST_NAMED]]
            texts += [f"{more:,} more"] if (more := len(reached) - len(texts)) else []
            given = f"So the derivatives are {captions.listed(texts)}." if len(reached) > 1 else ""  # one has a Step
            is_spoiled = reached and self.value_origin.reaches_the_result
            warned = f"But {self.value_origin.fact()}, so these numbers are no derivatives." if is_spoiled else ""
            return f"{given} {warned}".strip()
        reached = [node for node in self.graph.outputs if (self.flow, node) in self.state]
        if not reached:
            return ""
        blocks = self._flow(reached[0]) != self.flow
        first = "the Jacobian of {}" if blocks else "in this direction the derivative of {}"
        texts = [
            f"{('that of {}' if k else first).format(self.called(node))} is {self._flowing(node)}"
            for k, node in enumerate(reached[:MOST_NAMED])
        ]
        return f"So {captions.listed(texts)}."

    def _computed(self, node: int) -> str:
        value = self.numbers(self.graph.values[node])
        if not self.graph.operands(node):
            return f"{self.called(node)} is given: {value}"
        if self.called.is_result(node):
            return f"{self.called(node)} is {value}"
        return " = ".join(dict.fromkeys([*self.called.sides(node), self.with_numbers(node), value]))

    def with_numbers(self, node: int) -> str:
        """Return the formula of a node, with numbers for its operands: ``3 × 2``."""
        graph = self.graph
        words = [
            captions.operand(graph, operand)
            if operand < 0
            else captions.literal(graph.values[operand])
            if np.ndim(graph.values[operand])
            else captions.decimals(graph.values[operand])
            for operand in graph.operands(node)
        ]
        return captions.applied(graph, node, words)

    def numbers(self, value: Any) -> str:
        """Return a number, or an array in few words."""
        return captions.numbers(value) if np.ndim(value) else captions.decimals(value)

    def partial(self, edge: Edge) -> list[str]:
        """Return the two parts of the local partial of an edge: ``∂(x·y)`` and ``∂x``."""
        return [fill("∂{a}", {"a": self.names(node)}) for node in (edge.node, edge.operand)]

    def returned(self, output: int) -> str:
        """Return what comes of being returned, which is no operation; "" where nothing is there yet, or any more."""
        node = shown(self.graph, output)
        flowing = self.state.get((self.flow, node))
        name = self.called(node)
        if flowing is None:
            return ""
        if self.forward:
            return f"{name} is returned, and with it its {self._flow(node)}, {self.numbers(flowing)}."
        return f"{name} is returned, so the sweep goes on there: its adjoint is {self.numbers(flowing)}."

    # ---- formulas ----

    def formula_of(self, node: int) -> Tree | None:
        """Return the adjoint or tangent of a node as it is; ``None`` where there is none."""
        flowing = self.state.get((self.flow, node))
        if flowing is None:
            return None
        return formulas.fitted(formulas.chain(self.symbol(node), formulas.quantity(flowing)), captions.decimals)

    def symbol(self, node: int) -> Tree:
        """Return the adjoint or tangent of a node in a formula."""
        return ["dot" if self.forward else "bar", ["id", self.names(node)]]

    def formula(self, act: Act) -> Tree | None:
        """Return the arithmetic of a Step with its numbers; ``None`` if it has none, or is about no named node."""
        if any(map(self.called.is_result, act.nodes[:2])):
            return None
        try:
            formula = self._formula(act)
        except (LookupError, StopIteration):  # a timeline of the user's own lacks what this needs
            return None
        return formula and formulas.fitted(formula, captions.decimals)

    def _formula(self, act: Act) -> Tree | None:
        node, graph, kind = act.node, self.graph, act.step.kind
        if kind == "product":
            return self._product(self.edge(act), act.step.edits[0].after)
        if kind == "evaluate" or (kind == "visit" and self.forward):
            sides: list[Tree] = [["id", side] for side in self.called.sides(node)]
            if operands := graph.operands(node):
                figures = [formulas.figure(graph, operand) for operand in operands]
                sides.append(formulas.application(graph, node, figures))
            return formulas.chain(*sides, formulas.quantity(graph.values[node]))
        if kind not in ("seed", "visit", "accumulate"):
            return None
        sides = [self.symbol(node)]
        before = act.edit(self.flow, node).before if kind == "accumulate" else None
        if before is not None and act.way:
            arrived = formulas.quantity(act.step.edits[0].before, factor=True)
            sides.append(formulas.row(formulas.quantity(before), formulas.op("+"), arrived))
        return formulas.chain(*sides, formulas.quantity(self.state[self.flow, node]))

    def _product(self, edge: Edge, product: Value) -> Tree:
        given, local = self.symbol(self.source(edge)), ["frac", *(["id", end] for end in self.partial(edge))]
        signs = [local, given] if self.forward else [given, local]
        figures = [
            formulas.unwritten(np.shape(factor))
            if np.size(factor) > MOST_DENSE  # a Jacobian that was not written out
            else formulas.quantity(factor, factor=bool(k))
            for k, factor in enumerate(self.factors(edge))
        ]
        sides = [formulas.row(one, formulas.op("·"), other) for one, other in (signs, figures)]
        end = self.symbol(self.target(edge))
        if len(formulas.text(end) + formulas.text(sides[0])) > formulas.LONGEST_SIDE - MOST_SIGNS:  # of long names
            del sides[0]
        return formulas.row(end, formulas.op("+="), formulas.chain(*sides, formulas.quantity(product)))

    # ---- products ----

    def source(self, edge: Edge) -> int:
        """Return the node from which something flows along an edge."""
        return edge.operand if self.forward else edge.node

    def target(self, edge: Edge) -> int:
        """Return the node to which something flows along an edge."""
        return edge.node if self.forward else edge.operand

    def given(self, edge: Edge) -> Value:
        """Return the tangent or adjoint that flows along an edge, before it is multiplied."""
        return self.state[self.flow, self.source(edge)]

    def _is_array(self, edge: Edge) -> bool:
        """Return whether a factor of a product is an array."""
        return edge.jacobian.shape != (1, 1) or bool(np.ndim(self.given(edge)))

    def factors(self, edge: Edge) -> list[Value]:
        """Return the two factors of a product, as they stand in the formula; of a large Jacobian only the shape."""
        given, (rows, columns) = self.given(edge), edge.jacobian.shape
        with np.errstate(all="ignore"):
            small = rows * columns <= MOST_DENSE
            local: np.ndarray = edge.jacobian.dense() if small else np.broadcast_to(0.0, (rows, columns))
        factor: Value = local
        if local.size == 1:
            factor = float(local[0, 0])
        elif np.ndim(given) and np.shape(given) == np.shape(self.graph.values[self.source(edge)]):  # one, not several
            given = np.reshape(given, (-1, 1) if self.forward else (1, -1))
        return [factor, given] if self.forward else [given, factor]


def by_kind(speaker: object, verb: str, act: Act) -> Any:
    """Call the method of a speaker for a verb and the kind of a Step, such as ``_explain_visit``.

    Return ``None`` if there is none, or if a timeline of the user's own lacks what it needs.
    """
    method: Callable[[Act], Any] | None = getattr(speaker, f"_{verb}_{act.step.kind}", None)
    try:
        return method(act) if method else None
    except (LookupError, StopIteration):
        return None


def parts(key: Hashable) -> Key:
    """Return a key of a sweep as a tuple that begins with its word; that of a value is the node alone."""
    return key if isinstance(key, tuple) else ("value", key)


def _waiting(left: int) -> str:
    return f"waits for {captions.plural(left, 'more contribution')}" if left else "is complete and joins the ready list"
