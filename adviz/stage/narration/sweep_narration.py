"""What a sweep does, in words: for every Step a sentence with its numbers, a formula, and a question to a class.

A sentence says what happens now, with which numbers, where it adds up, and what has been stored or freed. Plain text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...algorithms.sweeps.primitives import Edge, edges
from ...graph.graph import WRITE, Graph
from ...graph.timeline import Step
from ..scene import captions, formulas
from ..scene.formulas import Tree

TURNS = {
    "recursion": "it has just received its last product, so the recursion goes into it",
    "tape": "it stands before the last one on the tape",
    "tape with flags": "it stands before the last one on the tape, and is marked",
    "toposort": "it is the last that became complete",
    "rank_heap": "its rank, {rank}, is the highest in the heap",
    "use_counts": "it is the last that became ready",
}
"""Why it is a node's turn, by engine."""

HINTS = {
    "recursion": "The recursion goes into an operand as soon as its last product has arrived.",
    "tape": "A tape is played backwards, entry by entry.",
    "tape with flags": "A tape is played backwards, entry by entry.",
    "toposort": "Of the nodes that wait for nothing, the one that became complete last comes first.",
    "rank_heap": "The highest rank comes first; of equal ranks the one that was found first.",
    "use_counts": "Of the nodes that are ready, the one that became ready last comes first.",
}
"""The rule behind the order, by engine."""

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
"""What is known of a local Jacobian, by its structure; of a dense one all numbers are."""

WRITTEN = ("which is the identity, but 0 at [{}]", "which puts what it gets at [{}]")
"""What is known of the local Jacobians of a write at a key, by the version before and by the value."""
ALL_WRITTEN = ("which is zero: all is overwritten", "which is the identity")

ANY_TURN, ANY_HINT = "nothing else has to come before", "Whatever uses a node has its turn before it."
TOLERANCE = 0.01
"""Of an answer, relative to the number where that is larger than 1."""
MOST_NAMED = 4
"""Nodes that a sentence names."""
MOST_DENSE = 2_500
"""Entries of a local Jacobian that is looked at for its formula."""


class Way(NamedTuple):
    """The edge that something travels along: from ``node`` to its ``place``-th operand that is a node, or back."""

    node: int
    operand: int
    place: int


class Act(NamedTuple):
    """A Step, the nodes it looks at, the edge it happens along, and the bytes alive before and after."""

    step: Step
    nodes: tuple[int, ...]
    way: Way | None
    before: int
    after: int

    @property
    def node(self) -> int:
        """The node it happens at."""
        return self.nodes[0]

    @property
    def made_ready(self) -> list[int]:
        """The nodes whose turn may come from now on."""
        keys: list[Any] = [edit.key for edit in self.step.edits if edit.after is not None]
        return [key[1] for key in keys if _word(key) == "ready"]


def act(step: Step, before: int, after: int) -> Act:
    """Where a Step of a sweep happens: at the first node of its focus, and along the edge to the other."""
    focus: Any = step.focus
    way = None
    if step.kind in ("product", "accumulate"):
        key: Any = step.edits[0].key
        if key[0] == "product":
            way = Way(key[1], focus[focus[0] == key[1]], key[2])
    return Act(step, focus, way, before, after)


class Narrator:
    """Tells one run of one engine over a graph; ``state`` is what the run changes, as it is after the Step told of."""

    def __init__(self, graph: Graph, engine: str, state: dict[Any, Any]):
        self.graph, self.engine, self.state = graph, engine, state
        self.forward = engine == "forward"
        self.flow, self.way = ("tangent", "on") if self.forward else ("cotangent", "back")
        self.symbol = formulas.tangent if self.forward else formulas.cotangent
        self._edges: tuple[int, list[Edge]] = (-1, [])

    def _edge(self, act: Act) -> Edge:
        """The edge of an act, with its local Jacobian; those of one node are worked out together."""
        if act.way is None:
            raise LookupError(f"nothing travels in a Step of kind {act.step.kind!r}")
        if self._edges[0] != act.way.node:
            self._edges = act.way.node, edges(self.graph, act.way.node)
        return self._edges[1][act.way.place]

    # ---- sentences ----

    def caption(self, act: Act) -> str:
        """What happens, in one sentence with numbers."""
        return self._by_kind("tell", act) or self._tell_other(act)

    def _by_kind(self, verb: str, act: Act) -> Any:
        """What there is to say of a Step of this kind; ``None`` where a timeline of one's own has not what it needs."""
        method: Callable[[Act], Any] | None = getattr(self, f"_{verb}_{act.step.kind}", None)
        try:
            return method(act) if method else None
        except (LookupError, StopIteration):
            return None

    def _tell_other(self, act: Act) -> str:
        where = captions.listed([self.called(node) for node in act.nodes[:MOST_NAMED]])
        return f"{act.step.kind.capitalize()}{where and f' at {where}'}."

    def _tell_seed(self, act: Act) -> str:
        given = [
            f"{'that' if k else f'the {self._flow(node)}'} of {self.called(node)} is {self._flowing(node)}"
            for k, node in enumerate(act.nodes[:MOST_NAMED])
        ]
        more = len(act.nodes) - len(given)
        listed = captions.listed([*given, f"{more:,} more have theirs"] if more else given)
        if self.forward:
            return f"The sweep begins with the inputs: {listed}."
        zeros = f" all {len(self.graph):,} entries of the tape start at 0," if self.engine == "tape" else ""
        stored = captions.amount(sum(edit.after for edit in act.step.edits if _word(edit.key) == "stored"))
        return f"The forward pass has stored {stored};{zeros} {listed} to begin with."

    def _flow(self, node: int, flowing: Any = None) -> str:
        """What flows to a node: the whole Jacobian block of it may flow in place of its tangent."""
        flowing = self.state[self.flow, node] if flowing is None else flowing
        block = self.forward and np.shape(flowing) != np.shape(self.graph.values[node])
        return "Jacobian block" if block else self.flow

    def _flowing(self, node: int) -> str:
        return captions.numbers(self.state[self.flow, node])

    def _tell_evaluate(self, act: Act) -> str:
        return f"{self._computed(act.node)}."

    def _tell_count(self, act: Act) -> str:
        node, left = act.node, self.state.get(("times_used", act.node), 0)
        change = next(edit for edit in act.step.edits if _word(edit.key) == "times_used")
        if (change.before or 0) < (change.after or 0):
            return f"One more use of {self.called(node)} is found: {captions.plural(left, 'use')} so far."
        return f"{self.called(node)} {self._waiting(left)}."

    def _tell_visit(self, act: Act) -> str:
        if self.forward:
            return f"{self._computed(act.node)}."
        name, cotangent = self.called(act.node), self._flowing(act.node)
        if act.node in self.graph.inputs:
            return f"{name} is an input, where the sweep ends: the derivative by it is {cotangent}."
        idle = "" if self.graph.live[act.node] else "; no output depends on it, so it hands on nothing of use"
        return f"{self.opening(act)}; its cotangent is {cotangent}{idle}."

    def opening(self, act: Act) -> str:
        """How a turn begins: with a value, or with the reason why it is this node's turn."""
        if self.forward:
            return self._computed(act.node)
        comparisons = f" ({captions.plural(act.step.comparisons, 'comparison')})" if act.step.comparisons else ""
        return f"It is the turn of {self.called(act.node)}, since {self._reason(act.node)}{comparisons}"

    def _reason(self, node: int) -> str:
        if node in self.graph.outputs:
            return "it is an output"
        return TURNS.get(self.engine, ANY_TURN).format(rank=self.state.get(("rank", node)))

    def _tell_skip(self, act: Act) -> str:
        return f"{self.called(act.node)} is passed over: it is not marked, so what is asked for does not depend on it."

    def _tell_product(self, act: Act) -> str:
        edge = self._edge(act)
        start, end, way = self.called(self._from(edge)), self.called(self._to(edge)), self.way
        return f"{start} hands {self.arithmetic(act)} {way} to {end}{self._origin(edge)}."

    def arithmetic(self, act: Act) -> str:
        """What is handed on in a product: with its factors, if those are numbers."""
        edge, product = self._edge(act), act.step.edits[0].after
        factors = self._factors(edge)
        if any(np.ndim(factor) for factor in (*factors, product)):
            return captions.numbers(product)
        one, other = map(captions.number, factors)
        return f"{one} × {captions.bracketed(other)} = {captions.number(product)}"

    def _origin(self, edge: Edge) -> str:
        """Of what a product of arrays is one."""
        if all(np.ndim(factor) == 0 for factor in self._factors(edge)):
            return ""
        given, local = captions.numbers(self._given(edge)), self._local(edge)
        return f": {local}, times {given}" if self.forward else f": {given} times {local}"

    def _local(self, edge: Edge) -> str:
        """A local Jacobian by what is known of it."""
        jacobian = edge.jacobian
        if jacobian.shape == (1, 1):
            return f"the local Jacobian, {captions.number(self._factors(edge)[not self.forward])}"
        matrix = captions.a(captions.kind(jacobian.shape))
        known = self._written(edge) or KNOWN_AS.get(jacobian.structure, "")
        return f"the local Jacobian, {matrix} {known}".rstrip()

    def _written(self, edge: Edge) -> str:
        """What is known of a local Jacobian of a write: by the version before, or by the value; "" of other nodes."""
        operands = self.graph.operands(edge.node)
        if self.graph.blocks[edge.node].name != WRITE or operands[2] >= 0:
            return ""
        place = [k for k, operand in enumerate(operands) if operand >= 0][edge.place]
        told = ALL_WRITTEN if self.graph.literal(operands[2]) is Ellipsis else WRITTEN
        return told[place].format(captions.operand(self.graph, operands[2]))

    def _tell_accumulate(self, act: Act) -> str:
        where = self.called(act.node)
        if act.way is None:
            if self.forward:
                return f"{where} depends on no input: its tangent is 0."
            return f"The leaf of {where} adds its cotangent to its gradient, which is now {self._flowing(act.node)}."
        told = f"{where} receives {captions.numbers(act.step.edits[0].before)}{self._sum(act)}"
        return f"{told}{self._shared(act)}{self._readiness(act)}."

    def _sum(self, act: Act) -> str:
        """What a product that arrives adds up to with what was there."""
        arrived, before = act.step.edits[0].before, self._joined(act).before
        after = self._flowing(act.node)
        if before is None:
            return ", and nothing was there before"
        if np.ndim(arrived):
            return f", which adds up to {after}"
        return f": {captions.number(before)} + {captions.bracketed(captions.number(arrived))} = {after}"

    def total(self, act: Act) -> str:
        """What the products of a turn have added up to at a node, if there is anything to add."""
        if self.forward:
            return f": its {self._flow(act.node)} is {self._flowing(act.node)}"
        return "" if self._joined(act).before is None else self._sum(act).replace(": ", ", where ", 1)

    def _joined(self, act: Act) -> Any:
        """The edit of what flows, at the node of an act."""
        return next(edit for edit in act.step.edits if edit.key == (self.flow, act.node))

    def _shared(self, act: Act) -> str:
        """A warning where others hold the very array that was added to."""
        keys: list[Any] = [edit.key for edit in act.step.edits[2:]]
        others = sorted({key[1] for key in keys if key[0] == self.flow and key[1] != act.node})
        if not others:
            return ""
        return f", and in {captions.listed(list(map(self.called, others)))}, too, since that is the same array"

    def _readiness(self, act: Act) -> str:
        """Whether more has to arrive, where the engine knows."""
        changed = {_word(edit.key): edit for edit in act.step.edits if edit.key in self._counters(act.node)}
        if self.engine == "rank_heap" and "ready" in changed:
            return f"; it goes on the heap with rank {self.state['rank', act.node]}"
        if "times_used" in changed:
            return f"; it {self._waiting(changed['times_used'].after)}"
        if "times_visited" in changed:
            left = self.state["times_used", act.node] - changed["times_visited"].after
            return f"; {self._left(left)}"
        return ""

    def _counters(self, node: int) -> list[tuple[str, int]]:
        return [(word, node) for word in ("times_used", "times_visited", "ready")]

    def _waiting(self, left: int) -> str:
        if left:
            return f"waits for {captions.plural(left, 'more product')}"
        return "is complete and joins the list of ready nodes"

    def _left(self, left: int) -> str:
        return f"{captions.plural(left, 'more product')} must arrive" if left else "that was the last product"

    def _tell_free(self, act: Act) -> str:
        if not act.nodes:
            return "Everything that flowed is freed, to make room for the next direction."
        name = self.called(act.node)
        gone = f" ({captions.amount(act.before - act.after)})" if act.before > act.after else ""
        left = f"{captions.amount(act.after)} {'is' if act.after == 1 else 'are'} alive"
        if self.forward:
            flow = self._flow(act.node, next(edit.before for edit in act.step.edits if _word(edit.key) == self.flow))
            return f"{name} was used for the last time: its value and {flow} are freed{gone}; {left}."
        return f"{name} has handed on everything: its cotangent is freed{gone}; {left}."

    def ending(self, sweeps: int) -> str:
        """What a run has found out, after the last of its sweeps; "" where the last Step says it."""
        if not self.forward:
            return self._gradient()
        if sweeps > 1:
            return f"This was the last of {sweeps:,} columns: the Jacobian is complete."
        found = [node for node in self.graph.outputs if (self.flow, node) in self.state]
        if not found:
            return ""
        blocks = self._flow(found[0]) != self.flow
        first = "the Jacobian of {}" if blocks else "in this direction the derivative of {}"
        told = [
            f"{('that of {}' if k else first).format(self.called(node))} is {self._flowing(node)}"
            for k, node in enumerate(found[:MOST_NAMED])
        ]
        return f"So {captions.listed(told)}."

    def _gradient(self) -> str:
        """The derivatives by the inputs; of a single one, its own Step tells."""
        found = [node for node in self.graph.inputs if (self.flow, node) in self.state]
        if len(found) < 2:
            return ""
        told = [f"{self._flowing(node)} by {self.called(node)}" for node in found[:MOST_NAMED]]
        more = len(found) - len(told)
        return f"So the derivatives are {captions.listed([*told, f'{more:,} more'] if more else told)}."

    def _computed(self, node: int) -> str:
        operands = [self._literal_or_value(place) for place in self.graph.operands(node)]
        value = captions.numbers(self.graph.values[node])
        if not operands:
            return f"{self.called(node)} is given: {value}"
        symbols, figures = captions.formula(self.graph, node), captions.applied(self.graph, node, operands)
        steps = [symbols, figures, value] if figures != value else [symbols, value]
        return " = ".join(steps)

    def _literal_or_value(self, place: int) -> str:
        return captions.literal(self.graph.values[place]) if place >= 0 else captions.operand(self.graph, place)

    def called(self, node: int) -> str:
        """A node as it is named on all panels, with its name in the program beside it."""
        name = self.graph.name(node)
        return f"v{node} ({captions.shortened(name)})" if name else f"v{node}"

    # ---- formulas ----

    def formula(self, act: Act) -> Tree | None:
        """The arithmetic of a Step with its numbers; ``None`` where it has none."""
        formula: Tree | None = self._by_kind("write", act)
        return formula and formulas.fitted(formula)

    def _write_seed(self, act: Act) -> Tree:
        node = act.node
        return formulas.chain(self.symbol(node), formulas.quantity(self.state[self.flow, node]))

    def _write_evaluate(self, act: Act) -> Tree:
        node = act.node
        places = self.graph.operands(node)
        value = formulas.quantity(self.graph.values[node])
        if not places:
            return formulas.chain(formulas.variable(node), value)
        symbols = formulas.application(self.graph, node, [formulas.operand(self.graph, place) for place in places])
        figures = formulas.application(self.graph, node, [formulas.figure(self.graph, place) for place in places])
        sides = [symbols] if self.graph.blocks[node].name == "output" else [symbols, figures]
        return formulas.chain(formulas.variable(node), *sides, value)

    def _write_visit(self, act: Act) -> Tree:
        if self.forward:
            return self._write_evaluate(act)
        node = act.node
        return formulas.chain(formulas.cotangent(node), formulas.quantity(self.state["cotangent", node]))

    def _write_product(self, act: Act) -> Tree:
        edge = self._edge(act)
        given, local = self.symbol(self._from(edge)), formulas.partial(edge.node, edge.operand)
        signs = [local, given] if self.forward else [given, local]
        figures = [
            formulas.unwritten(factor.shape) if _is_unknown(factor) else formulas.quantity(factor, factor=bool(k))
            for k, factor in enumerate(self._factors(edge))
        ]
        sides = [formulas.row(one, formulas.op("·"), other) for one, other in (signs, figures)]
        product = formulas.quantity(act.step.edits[0].after)
        return formulas.row(self.symbol(self._to(edge)), formulas.op("+="), formulas.chain(*sides, product))

    def _write_accumulate(self, act: Act) -> Tree:
        node = act.node
        total = self.state[self.flow, node]
        joined = next(edit for edit in act.step.edits if edit.key == (self.flow, node))
        if joined.before is None or act.way is None:
            return formulas.chain(self.symbol(node), formulas.quantity(total))
        terms = [
            formulas.quantity(joined.before),
            formulas.op("+"),
            formulas.quantity(act.step.edits[0].before, factor=True),
        ]
        return formulas.chain(self.symbol(node), formulas.row(*terms), formulas.quantity(total))

    def _from(self, edge: Edge) -> int:
        return edge.operand if self.forward else edge.node

    def _to(self, edge: Edge) -> int:
        return edge.node if self.forward else edge.operand

    def _given(self, edge: Edge) -> Any:
        return self.state[self.flow, self._from(edge)]

    def _factors(self, edge: Edge) -> list[Any]:
        """The two factors of a product, as they stand in the formula; of a large Jacobian only the shape."""
        given, (rows, columns) = self._given(edge), edge.jacobian.shape
        with np.errstate(all="ignore"):
            small = rows * columns <= MOST_DENSE
            local: Any = edge.jacobian.dense() if small else np.broadcast_to(0.0, (rows, columns))
        if local.size == 1:
            local = float(local[0, 0])
        elif np.ndim(given) and np.shape(given) == np.shape(self.graph.values[self._from(edge)]):  # one, not several
            given = np.reshape(given, (-1, 1) if self.forward else (1, -1))
        return [local, given] if self.forward else [given, local]

    # ---- questions ----

    def question(self, act: Act) -> dict[str, Any] | None:
        """What to ask before the Step reveals it; ``None`` where there is nothing to find out."""
        question: dict[str, Any] | None = self._by_kind("ask", act)
        return question

    def _ask_evaluate(self, act: Act) -> dict[str, Any] | None:
        node = act.node
        if not self.graph.operand_nodes(node) or np.ndim(self.graph.values[node]):
            return None
        operands = [self._literal_or_value(place) for place in self.graph.operands(node)]
        hint = f"{captions.formula(self.graph, node)} = {captions.applied(self.graph, node, operands)}."
        return _number(f"What is the value of {self.called(node)}?", self.graph.values[node], hint)

    def _ask_visit(self, act: Act) -> dict[str, Any] | None:
        if self.forward:
            return self._ask_evaluate(act)
        if act.node in self.graph.outputs:
            return None
        return {
            "kind": "node",
            "prompt": "Whose turn is next?",
            "answer": act.node,
            "hint": HINTS.get(self.engine, ANY_HINT),
        }

    def _ask_product(self, act: Act) -> dict[str, Any] | None:
        edge = self._edge(act)
        factors, product = self._factors(edge), act.step.edits[0].after
        if np.ndim(product) or any(np.ndim(factor) for factor in factors):
            return None
        start, end = self.called(self._from(edge)), self.called(self._to(edge))
        rule = captions.local_rule(self.graph, edge.node, edge.place)
        local = f"∂v{edge.node}/∂v{edge.operand}"
        given = captions.number(self._given(edge))
        hint = (
            f"The {self.flow} of {start} is {given}, and {local} = {rule}." if rule else f"It is {given} times {local}."
        )
        repeated = self.graph.operand_nodes(edge.node).count(edge.operand) > 1
        which = f", along the edge of operand {edge.place + 1}" if repeated else ""
        return _number(f"What does {start} hand {'on' if self.forward else 'back'} to {end}{which}?", product, hint)

    def _ask_accumulate(self, act: Act) -> dict[str, Any] | None:
        total = self.state[self.flow, act.node]
        joined = self._joined(act)
        if act.way is None or joined.before is None or np.ndim(total):
            return None
        present, arrived = captions.number(joined.before), captions.number(act.step.edits[0].before)
        hint = f"{present} is there, and {arrived} arrives: contributions to one node add up."
        return _number(f"What is the {self.flow} of {self.called(act.node)} now?", total, hint)

    def _ask_count(self, act: Act) -> dict[str, Any] | None:
        change = next(edit for edit in act.step.edits if _word(edit.key) == "times_used")
        if (change.before or 0) < (change.after or 0):
            return None
        return {
            "kind": "choice",
            "prompt": f"Has everything arrived at {self.called(act.node)}?",
            "answer": "no" if change.after else "yes",
            "choices": ["yes", "no"],
            "hint": "Count the edges on which it is used, and those on which a product has arrived.",
        }


def _number(prompt: str, answer: Any, hint: str) -> dict[str, Any]:
    shown = float(answer) if np.isfinite(answer) else captions.number(answer)
    return {"kind": "number", "prompt": prompt, "answer": shown, "tolerance": TOLERANCE, "hint": hint}


def _is_unknown(factor: Any) -> bool:
    """Whether a factor is a Jacobian that was not written out."""
    return np.size(factor) > MOST_DENSE


def _word(key: Any) -> Any:
    return key[0] if isinstance(key, tuple) else "value"
