"""What a sweep does, in words: for every Step a sentence with its numbers, a formula, and a question to a class.

A sentence says what happens now, with which numbers, where it adds up, and what has been stored or freed. Plain text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.sweeps.moves import Edge, edges
from ..graph.graph import Graph
from ..graph.timeline import Step
from . import captions, formulas
from .formulas import Tree

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

ANY_TURN, ANY_HINT = "nothing else has to come before", "Whatever uses a node has its turn before it."
TOLERANCE = 0.01
"""Of an answer, relative to the number where that is larger than 1."""
MOST_NAMED = 4
"""Nodes that a sentence names."""


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
        self.flow = "tangent" if self.forward else "cotangent"
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
            f"{self.called(node)} has {self.flow} {captions.numbers(self.state[self.flow, node])}"
            for node in act.nodes[:MOST_NAMED]
        ]
        more = len(act.nodes) - len(given)
        listed = captions.listed([*given, f"{more:,} more have theirs"] if more else given)
        if self.forward:
            return f"The sweep begins with the inputs: {listed}."
        zeros = f" all {len(self.graph):,} entries of the tape start at 0," if self.engine == "tape" else ""
        stored = captions.amount(sum(edit.after for edit in act.step.edits if _word(edit.key) == "stored"))
        return f"The forward pass has stored {stored};{zeros} {listed} to begin with."

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
        name, cotangent = self.called(act.node), captions.numbers(self.state["cotangent", act.node])
        if act.node in self.graph.inputs:
            return f"{name} is an input, where the sweep ends: the derivative by it is {cotangent}."
        comparisons = f" ({captions.plural(act.step.comparisons, 'comparison')})" if act.step.comparisons else ""
        idle = "" if self.graph.live[act.node] else "; no output depends on it, so it hands on nothing of use"
        reason = f"since {self._reason(act.node)}{comparisons}"
        return f"It is the turn of {name}, {reason}; its cotangent is {cotangent}{idle}."

    def _reason(self, node: int) -> str:
        if node in self.graph.outputs:
            return "it is an output"
        return TURNS.get(self.engine, ANY_TURN).format(rank=self.state.get(("rank", node)))

    def _tell_skip(self, act: Act) -> str:
        return f"{self.called(act.node)} is passed over: it is not marked, so what is asked for does not depend on it."

    def _tell_product(self, act: Act) -> str:
        edge = self._edge(act)
        arithmetic = self._arithmetic(edge, act.step.edits[0].after)
        if self.forward:
            return f"{self.called(edge.operand)} hands {arithmetic} on to {self.called(edge.node)}."
        return f"{self.called(edge.node)} hands {arithmetic} back to {self.called(edge.operand)}."

    def _arithmetic(self, edge: Edge, product: Any) -> str:
        factors = self._factors(edge)
        if all(np.ndim(factor) == 0 for factor in (*factors, product)):
            one, other = map(captions.number, factors)
            return f"{one} × {captions.bracketed(other)} = {captions.number(product)}"
        sizes, form = captions.shape(edge.jacobian.shape), edge.jacobian.structure
        given = captions.numbers(self._given(edge))
        return f"{given} times its local Jacobian ({form}, {sizes}), {captions.numbers(product)},"

    def _tell_accumulate(self, act: Act) -> str:
        where = self.called(act.node)
        total = self.state[self.flow, act.node]
        joined = next(edit for edit in act.step.edits if edit.key == (self.flow, act.node))
        if act.way is None:
            if self.forward:
                return f"{where} depends on no input: its tangent is 0."
            return f"The leaf of {where} adds its cotangent to its gradient, which is now {captions.numbers(total)}."
        arrived, after = captions.numbers(act.step.edits[0].before), captions.numbers(total)
        if joined.before is None:
            told = f"{where} receives {arrived}, and nothing was there before"
        elif np.ndim(total):
            told = f"{where} receives {arrived}, which adds up to {after}"
        else:
            terms = f"{captions.numbers(joined.before)} + {captions.bracketed(arrived)}"
            told = f"{where} receives {arrived}: {terms} = {after}"
        return f"{told}{self._shared(act)}{self._readiness(act)}."

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
        gone, left = captions.amount(act.before - act.after), captions.amount(act.after)
        if self.forward:
            return f"{name} was used for the last time: its value and tangent are freed ({gone}); {left} are alive."
        return f"{name} has handed on everything: its cotangent is freed ({gone}); {left} are alive."

    def _computed(self, node: int) -> str:
        operands = [self._literal_or_value(place) for place in self.graph.operands(node)]
        value = captions.numbers(self.graph.values[node])
        if not operands:
            return f"{self.called(node)} is given: {value}"
        symbols, figures = captions.formula(self.graph, node), captions.applied(self.graph, node, operands)
        steps = [symbols, figures, value] if figures != value else [symbols, value]
        return " = ".join(steps)

    def _literal_or_value(self, place: int) -> str:
        return captions.numbers(self.graph.values[place]) if place >= 0 else captions.operand(self.graph, place)

    def called(self, node: int) -> str:
        """A node as it is named on all panels, with its name in the program beside it."""
        name = self.graph.name(node)
        return f"v{node} ({captions.shortened(name)})" if name else f"v{node}"

    # ---- formulas ----

    def formula(self, act: Act) -> Tree | None:
        """The arithmetic of a Step with its numbers; ``None`` where it has none."""
        formula: Tree | None = self._by_kind("write", act)
        return formula

    def _write_seed(self, act: Act) -> Tree:
        node = act.node
        return formulas.chain(self.symbol(node), formulas.quantity(self.state[self.flow, node]))

    def _write_evaluate(self, act: Act) -> Tree:
        node = act.node
        places = self.graph.operands(node)
        value = formulas.quantity(self.graph.values[node])
        if not places:
            return formulas.chain(formulas.variable(node), value)
        symbols = [formulas.operand(self.graph, place) for place in places]
        figures = [formulas.figure(self.graph, place) for place in places]
        applied = [formulas.application(self.graph, node, parts) for parts in (symbols, figures)]
        return formulas.chain(formulas.variable(node), *applied[: 1 + (figures != [value])], value)

    def _write_visit(self, act: Act) -> Tree:
        if self.forward:
            return self._write_evaluate(act)
        node = act.node
        return formulas.chain(formulas.cotangent(node), formulas.quantity(self.state["cotangent", node]))

    def _write_product(self, act: Act) -> Tree:
        edge = self._edge(act)
        given, local = self.symbol(self._from(edge)), formulas.partial(edge.node, edge.operand)
        signs = [local, given] if self.forward else [given, local]
        figures = [formulas.quantity(factor, factor=True) for factor in self._factors(edge)]
        figures[0] = formulas.quantity(self._factors(edge)[0])
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
        """The two factors of a product, as they stand in the formula; Jacobians in full only if they are small."""
        given, (rows, columns) = self._given(edge), edge.jacobian.shape
        with np.errstate(all="ignore"):
            small = rows * columns <= formulas.MOST_ENTRIES
            local: Any = edge.jacobian.dense() if small else np.broadcast_to(0.0, (rows, columns))  # for its shape
        if np.ndim(given) == 0 and local.size == 1:
            local = float(local[0, 0])
        elif np.shape(given) == np.shape(self.graph.values[self._from(edge)]):  # one vector, not several as a matrix
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
        return _number(f"What does {start} hand {'on' if self.forward else 'back'} to {end}?", product, hint)

    def _ask_accumulate(self, act: Act) -> dict[str, Any] | None:
        total = self.state[self.flow, act.node]
        joined = next(edit for edit in act.step.edits if edit.key == (self.flow, act.node))
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


def _word(key: Any) -> Any:
    return key[0] if isinstance(key, tuple) else "value"
