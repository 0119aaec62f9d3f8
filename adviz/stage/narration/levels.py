"""Explain a sweep at the levels of nodes and of edges: the keyframes of the show, and what is said there.

An engine also counts, orders and frees; here only the calculus is explained. At the level of nodes there is a keyframe
for each node that passes its derivative on, and one for each node that adds several contributions up; at the level of
edges there is one after each contribution. Sentences name quantities as the source does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache, partial
from itertools import groupby, pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from ..scene import captions, formulas
from ..scene.captions import ending_in_result, marked, mathematics, result
from ..scene.document import Rest, Rests
from ..scene.flow_panel import Move
from ..scene.formulas import Tree
from .flows import Contributions, EdgeKey, Flow, ValueOrigin, broken, edge_of, is_one, key, not_finite, placed, shown
from .folds import gates
from .folds.folded_graph import Fold, FoldedGraph, drawn, holder, is_additive, whole
from .questions.sweep_questions import DerivativeExaminer
from .source_names import SourceNames

STEEPEST = 10.0  # how much larger than the result the change may be that a derivative predicts of it
MOST_NAMED = 4  # the most quantities that a sentence names
MOST_ENTRIES = 4  # the most entries of a vector that a sentence gives
MOST_PATHS = 2  # the most paths that a sentence names
WORK = ("multiplication", "addition")
FOLDED = (
    "Stacked nodes are folded: a call, some iterations or a part of the program. At their gates the local partials "
    "inside are multiplied along each path and summed."
)
LINES = "At the level Lines each box is one line of the function."
TERMS = "Boxes with a second outline are terms of the expression; inside are their operations."
LONGEST_RULE, MOST_LETTERS = 220, 14  # characters of a rule, and of the names in a longer one
Word = Literal["adjoint", "tangent", "Jacobian block", "value"]
ROUNDING = 1e-12  # the most of a sum, as a part of its largest term, that rounding may have left of it
LONGEST_PATH = 6  # the most nodes of a path that a sentence names


class JacobianLine(NamedTuple):
    """The row or column that one of several sweeps fills: the number of the sweep from 1, how many, and its entry.

    ``following`` is the entry that the next sweep is for; "" for the last.
    """

    number: int
    sweeps: int
    entry: str
    following: str


class SweepNarrator:
    """Explains one sweep; ``names`` are those of the source.

    One of several sweeps of a show begins after ``first`` steps, and fills a ``line`` of the Jacobian. Where the sweep
    is explained line by line, ``begun`` are the steps at which operations send: it rests before the next one does.
    A sweep ``on_bench`` is shown without formulas.
    """

    def __init__(
        self,
        flow: Flow,
        names: SourceNames,
        first: int = 0,
        line: JacobianLine | None = None,
        begun: Sequence[int] = (),
        on_bench: bool = False,
    ):
        self.flow, self.names, self.graph, self.begun = flow, names, flow.graph, begun
        self.first, self.line, self.on_bench = first, line, on_bench
        self.is_forward_block = flow.is_block and not flow.reverse
        moving: Word = "Jacobian block" if self.is_forward_block else "tangent"
        self.word: Word = "value" if flow.values is not None else "adjoint" if flow.reverse else moving
        self.parts = Contributions(flow, names.local(flow.graph))
        self._rule = cache(self._told_rule)
        self.outputs = list(dict.fromkeys(shown(self.graph, node) for node in self.graph.outputs))
        self.seeded = [node for node in flow.seeds if np.any(flow.seeds[node])] if flow.reverse else self.outputs
        self.is_single = len(self.seeded) == 1 and (not flow.reverse or is_one(flow.seeds[self.seeded[0]]))
        self.top = names(self.seeded[0]) if self.is_single else "the weighted sum"
        if line and flow.reverse:
            self.top = line.entry
        self.f = mathematics(self.top) if self.is_single or line else self.top
        self.apart = next(self._apart(), (None, ""))
        self.value_origin = ValueOrigin(whole(flow.graph), self.named)
        self.broken = {edge: text for edge in flow.sent if (text := self._broken(edge))}
        origin = self.value_origin.node
        self.first_value = None if origin is None else holder(self.graph, shown(self.graph, origin))
        self.first_broken = next(iter(self.broken), None) if origin is None else None

    def over(self, flow: Flow, begun: Sequence[int]) -> SweepNarrator:
        """Return the narrator of the same sweep over folds."""
        return SweepNarrator(flow, self.names, begun=begun, on_bench=self.on_bench)

    # ---- keyframes ----

    def moves(self) -> list[Move]:
        """Return what happens in the sweep, in order."""
        changes = [move("change", change.step, node) for node, change in self.flow.changes.items()]
        return sorted([*self._acts(), *changes], key=lambda move: move["step"])

    def _acts(self) -> list[Move]:
        """Return what is done in the sweep, in order."""
        flow = self.flow
        results = list(self.graph.inputs) if flow.reverse else self.outputs
        result = [move("seed", flow.seeded, *flow.seeds)]
        result += [move("send", sent.step, flow.target(edge), edge=key(edge)) for edge, sent in flow.sent.items()]
        result += [move("sum", step, node) for node, step in flow.sums.items()]
        result += [move("result", flow.steps, *results)]
        return sorted(result, key=lambda move: move["step"])  # stable: a node adds up after what arrives

    def keyframes(self, only: Collection[int] | None = None, is_by_edge: bool = True) -> dict[int, Rests]:
        """Return what is said at the levels of nodes and edges, by the step after which there is a keyframe.

        It is what is said of ``only`` these nodes, if they are given.
        """
        moves = self._acts()
        result: dict[int, Rests] = {}
        examiner = DerivativeExaminer(self.parts)
        edges = self._level([[move] for move in moves]) if is_by_edge else ()
        for move, (last, keyframe) in zip(moves if is_by_edge else (), edges, strict=True):
            result.setdefault(last, {})["edges"] = {**keyframe, "question": examiner.before(move)}
        for last, keyframe in self._level([list(group) for _, group in groupby(moves, self._visit)], only):
            result.setdefault(last, {})["nodes"] = keyframe
        return result

    def _level(self, groups: list[list[Move]], only: Collection[int] | None = None) -> Iterator[tuple[int, Rest]]:
        """Yield what is said after each group, with the last step before the next group."""
        first = next((edge for edge in self.flow.sent if self._is_telling(edge)), None)
        for group, after in pairwise([*groups, []]):
            if only is not None and self.acting(group[0]) not in only:
                continue
            following = next((step for step in self.begun if step > group[-1]["step"]), None)
            last = following - 1 if following else after[0]["step"] - 1 if after else group[-1]["step"]
            yield last, self._keyframe(group, first)

    def _visit(self, move: Move) -> tuple[str, int]:
        """Return what those moves have in common that are one step at the level of nodes."""
        if move["kind"] == "send":
            return "send", edge_of(move)[0]
        if move["kind"] == "sum":
            return "sum" if self.flow.reverse else "send", move["nodes"][0]
        return move["kind"], -1

    @staticmethod
    def acting(move: Move) -> int:
        """Return the node that has its turn in a move; -1 where the sweep begins or ends."""
        if move["kind"] == "send":
            return edge_of(move)[0]
        return move["nodes"][0] if move["kind"] == "sum" else -1

    # ---- what is said ----

    def briefly(self) -> dict[int, str]:
        """Return what is sent and what is complete, each in a short sentence, by its step."""
        flow, names = self.flow, self.names
        result: dict[int, str] = {}
        for edge, sent in flow.sent.items():
            start, end = names(flow.source(edge)), names(flow.target(edge))
            result[sent.step] = f"{start} passes {self.parts.explained(edge)} on to {end}."
        sums = {step: f"{names(node)} has all of its contributions." for node, step in flow.sums.items()}
        return sums | result

    def opening(self) -> Rest:
        """Return what is nodes before the sweep."""
        if independent := self.graph.independence():
            return keyframe("values", independent, None, list(self.graph.inputs))
        live = [node for node in drawn(self.graph) if self.graph.live[node] and self.graph.operand_nodes(node)]
        inner = [node for node in live if shown(self.graph, node) == node and node not in self.outputs]
        nodes = [*(inner if len(inner) < MOST_NAMED else []), *self.outputs[:MOST_NAMED]]
        written = ((self.named(node), self.value(self.graph.values[node])) for node in nodes)
        values = [f"{name} {'is' if value.startswith('a') else '='} {value}" for name, value in written]
        mark = "bar" if self.flow.reverse else "dot"
        asked = (
            f"Now find for each quantity how strongly {self.f} responds to it: the derivative of {self.f} "
            f"with respect to it, called its adjoint and written with a {mark}."
            if self.flow.reverse
            else f"Now find how fast each quantity changes as the inputs move: that is its tangent, with a {mark}."
        )
        if self.is_forward_block:
            asked = (
                "Now find for each quantity all of its derivatives at once: a matrix with a row for each of its "
                "entries, and a column for each entry of the inputs. That is its Jacobian block, written with a dot."
            )
        elif any(np.ndim(self.graph.values[node]) for node in self.graph.inputs):
            asked += f" The {self.word} of an array has its shape: one derivative for each entry."
        folds = list(self.graph.folds.values()) if isinstance(self.graph, FoldedGraph) else []
        is_of_lines = any(fold.place.is_line for fold in folds)
        are_terms = is_of_lines and all(fold.place.label.startswith("the term") for fold in folds)
        folded = TERMS if are_terms else LINES if is_of_lines else FOLDED if folds else ""
        texts = ["The values come first:", f"{captions.listed(values)}.", folded, self.value_origin.explained(), asked]
        return keyframe("values", " ".join(filter(None, texts)), None, self.outputs)

    def _keyframe(self, group: list[Move], first: EdgeKey | None) -> Rest:
        """Return what is said after some moves; ``first`` is the edge at which the chain rule is explained."""
        kind, nodes, line, formula = group[0]["kind"], group[0]["nodes"], self.line, None
        if kind == "seed":
            return keyframe(f"seed {mathematics(line.entry)}" if line else "seed", self._seeding(), None, nodes)
        if kind == "sum":
            (node,) = nodes
            formula = None if self.on_bench else self.parts.total(node)
            return keyframe(f"{self.named(node)} adds up", self._summing(node), formula, nodes)
        if kind == "result" and line:
            return keyframe(f"{self._direction()} {mathematics(line.entry)}", self._ending_line(line), None, nodes)
        if kind == "result":
            return keyframe("gradient" if self.flow.reverse else "result", self._ending(), None, nodes)
        edges = [edge_of(move) for move in group if move["kind"] == "send"]
        node = edges[0][0]
        if not self.on_bench:
            formula = formulas.lines([self.parts.product(edge) for edge in edges[:MOST_NAMED]])
        sent = self._sending(edges)
        if first not in edges and (path := self._path(edges)):
            sent = f"{sent[:-1]}{path}."
        texts = [sent, self._why(first) if first in edges else ""]
        if node == self.first_value:
            texts.append(f"But {self.value_origin.fact()}: this partial belongs to no point of the function.")
        elif self.first_broken in edges:
            texts.append(self.broken[self.first_broken])
        if len(group) > len(edges):  # forward mode adds up as soon as all is there
            texts, formula = [*texts, self._summing(node)], None if self.on_bench else self.parts.total(node)
        return keyframe(self.named(node), " ".join(filter(None, texts)), formula, [node])

    def _seeding(self) -> str:
        names, seeds = self.named, self.flow.seeds
        if self.is_forward_block:
            blocks = [f"{names(node)} has {self.value(seed)}" for node, seed in seeds.items()][:MOST_NAMED]
            return (
                "The sweep starts at the inputs. Each depends on its own entries alone, one for one, so the blocks are "
                f"rows of the identity: {captions.listed(blocks)}."
            )
        if not self.flow.reverse:
            moving = [
                f"{names(node)} moves at the rate {self.value(seed)}" for node, seed in seeds.items() if np.any(seed)
            ]
            still = [names(node) for node, seed in seeds.items() if not np.any(seed)]
            texts = moving[:MOST_NAMED]
            if still:
                texts.append(f"{captions.listed(still[:MOST_NAMED])} {'stands' if len(still) == 1 else 'stand'} still")
            return f"The sweep starts at the inputs: {captions.listed(texts)}."
        if len(seeds) == 1 and all(map(is_one, seeds.values())):
            name, own = names(*seeds), self.names(*seeds)
            return (
                f"Now work backwards, from the result to the inputs. {name} changes one for one with itself, "
                f"so its adjoint is {mathematics(f'∂{own}/∂{own}')} = {result('1', 1)}. "
                "From here on each quantity passes its adjoint on to what it was computed from, times a local partial: "
                "its slope with respect to that operand alone."
            )
        given = captions.listed([f"{self.value(seed)} for {names(node)}" for node, seed in seeds.items()][:MOST_NAMED])
        start = f"Now work backwards, from the results to the inputs. The adjoints to start with are given: {given}."
        return start if self.is_single else f"{start} These are the weights of the sum that is differentiated."

    def _told_rule(self, node: int) -> str:
        tell = partial(self.parts.local.rule, node, not self.flow.reverse, mathematics, self.parts.adjoint(node))
        return rule if len(rule := tell()) <= LONGEST_RULE else tell(MOST_LETTERS)

    def _sending(self, edges: list[EdgeKey]) -> str:
        flow = self.flow
        is_array = any(map(self.parts.is_array, edges))
        head = edges[0][0]
        rule, fold = self._rule(head), self.graph.blocks[head]
        is_line = isinstance(fold, Fold) and fold.is_told
        has_sums = flow.reverse and not isinstance(fold, Fold)  # of adjoints, where an operand was repeated
        if is_array and (is_line or (has_sums and any(self.parts.local.summed_axes(*edge)[0] for edge in edges))):
            return rule  # which says all
        verb, end = ("receives", flow.target) if flow.reverse else ("contributes", flow.source)
        passed = {edge: self.parts.explained(edge, mathematics) for edge in edges[:MOST_NAMED]}
        for edge, product in ((edge, flow.sent[edge].product) for edge in passed):
            passed[edge] = passed[edge] if np.ndim(product) else ending_in_result(passed[edge], product)
        parts = Counter((end(edge), text) for edge, text in passed.items())
        texts, named = list[str](), set[int]()
        for (node, text), count in parts.items():
            also = " also" if node in named else ""
            times = f" from each of its {'two' if count == 2 else count} uses" if count > 1 else ""
            texts.append(f"{self.named(node)}{also} {verb} {text}{times}")
            named.add(node)
        texts += [f"{more:,} more likewise"] if (more := len(edges) - MOST_NAMED) > 0 else []
        apart = self.apart[1] if self.apart[0] in edges else ""
        return " ".join(filter(None, [rule, apart, f"{'Here' if is_array else 'So'} {captions.clauses(texts)}."]))

    def _apart(self) -> Iterator[tuple[EdgeKey, str]]:
        """Yield edges of nodes of which one operand depends on another: the partials leave that out, which is said."""
        graph, heads = self.graph, dict[int, EdgeKey]()
        for edge in self.flow.sent if self.flow.reverse and not any(map(np.ndim, graph.values)) else ():
            heads.setdefault(edge[0], edge)
        for head, edge in heads.items():
            operands = [] if is_additive(graph.blocks[head]) else list(dict.fromkeys(graph.operand_nodes(head)))
            above = {one: graph.ancestors(one) for one in operands} if len(operands) > 1 else {}
            for one, on in ((one, on) for one in above for on in operands if on in above[one]):
                yield (
                    edge,
                    f"Each operand is varied alone here; that {self.named(one)} depends on {self.named(on)} as well "
                    "is counted along a path of its own.",
                )

    def _is_telling(self, edge: EdgeKey) -> bool:
        """Return whether an edge shows why derivatives are multiplied: in backprop, a number that is not 1."""
        sent, factor = self.flow.sent[edge], self.parts.symbol(edge)
        if not self.flow.reverse or edge[0] in self.flow.seeds or not np.any(sent.given):
            return False
        if self.parts.is_array(edge):
            is_factor = factor.startswith("⊙ ") and gates.terms_of(factor) == gates.parts_of(factor)
            return is_factor and np.shape(sent.given) == np.shape(sent.product)
        return self.parts.partial(edge) not in (0, 1, -1)

    def _why(self, edge: EdgeKey) -> str:
        flow, factor = self.flow, self.parts.symbol(edge).removeprefix("⊙ ")
        one, other, given = self.named(flow.target(edge)), self.named(edge[0]), flow.sent[edge].given
        symbol = mathematics(factor)
        if self.parts.is_array(edge):
            changed = f"A small change in an entry of {one} changes the matching entry of {other} by {symbol}"
            return f"Why multiply? {changed} times as much, and {self.f} by the adjoint of {other} times that."
        onward = "as much as that" if given == 1 else f"by {captions.decimals(given)} times that"
        changed = f"small change in {one} changes {other} by {symbol} times as much"
        begun = f"{self.f} in turn changes" if changed in self._rule(edge[0]) else f"A {changed}, and {self.f}"
        text = f"Why multiply? {begun} {onward}."
        of = next((node for node in self.graph.operand_nodes(edge[0]) if self.names(node) == factor), None)
        if of is None or not given or not self._only_passes(edge, of):
            return text
        received = f"the adjoint of {one} would be {captions.decimals(self.flow.results[flow.target(edge)] + given)}"
        if flow.target(edge) in self.graph.inputs:
            received += "; no other adjoint would change"
        if self.is_single:  # all that follows is linear in the product
            value = self.graph.values[self.seeded[0]] + given * self.graph.values[flow.target(edge)]
            received = f"{self.f} would be {captions.decimals(np.asarray(value).item())}, and {received}"
        return f"{text} If {symbol} were {captions.decimals(self.graph.values[of] + 1)}, {received}."

    def _only_passes(self, edge: EdgeKey, factor: int) -> bool:
        """Return whether another value of a factor changes nothing in the sweep but the product on one edge."""
        if self.graph.times_used[factor] != 1 or factor not in self.graph.inputs:
            return False
        waiting = [edge[0]]
        while waiting:
            for onward in self.flow.contributions(waiting.pop()):
                if not is_additive(self.graph.blocks[onward[0]]):
                    return False
                waiting.append(onward[0])
        return True

    def _broken(self, edge: EdgeKey) -> str:
        sent = self.flow.sent[edge]
        if not not_finite([sent.product]):  # then the local Jacobian need not be written out
            return ""
        with np.errstate(all="ignore"):
            partial = self.parts.jacobians(edge[0])[edge[1]][1]
            return broken(sent.given, partial.dense(), sent.product, "adjoint" if self.flow.reverse else "tangent")

    def _path(self, edges: list[EdgeKey]) -> str:
        """Return the paths along which numbers have come to inputs, if each has only one: the end of a sentence."""
        flow = self.flow
        ends = [edge for edge in edges if flow.reverse and flow.target(edge) in self.graph.inputs]
        if any(map(self.parts.is_array, ends)):
            return ""  # the picture shows it
        distinct = dict.fromkeys(tuple(self._onward(edge)) for edge in ends[:MOST_PATHS])
        paths = [path for path in distinct if path]
        text = captions.listed([" → ".join(map(self.named, path)) for path in paths])
        reached = captions.listed([self.named(path[0]) for path in paths])
        which = f"the effect along the path{'s' if len(paths) > 1 else ''} {text}"
        if len(ends) == len(edges):
            return f", {which}" if text else ""
        return f"; what {reached} {'receives' if len(paths) == 1 else 'receive'} is {which}" if text else ""

    def _onward(self, edge: EdgeKey) -> list[int]:
        """Return the path from the target of an edge to where the sweep started; empty if there are several."""
        flow = self.flow
        path = [flow.target(edge), edge[0]]
        while path[-1] not in flow.seeds:
            onward = flow.contributions(path[-1])
            if len(onward) != 1 or len(path) == LONGEST_PATH:
                return []
            path.append(onward[0][0])
        return path if len(path) > 2 else []

    def _summing(self, node: int) -> str:
        changed = [self.named(each) for each, change in self.flow.changes.items() if change.node == node]
        if not changed:
            return self._adding_up(node)
        which = f"{captions.listed(changed)}, which {'shares' if len(changed) == 1 else 'share'} the array"
        return f"{self._adding_up(node)} But this is added in place, and so it changes {which}."

    def _adding_up(self, node: int) -> str:
        flow, name, terms = self.flow, self.named(node), self.parts.terms(node)
        is_array = bool(np.ndim(flow.results[node]))
        added = "" if is_array else ending_in_result(self.parts.added(node), flow.results[node])
        if self.is_forward_block:
            total = self.value(flow.results[node])
            return f"{name} depends on the inputs through each of its operands, and their blocks add up: {total}."
        if not flow.reverse:
            added = f"the tangent of {name}, entry by entry" if is_array else added
            return f"{name} changes through each of its operands, and the changes add up: {added}."
        uses = f"{name} is used {captions.times(len(terms))}"
        if node in flow.seeds:
            uses = f"{name} is a result and is also used"
        if is_array:
            return f"{uses}, and effects along separate paths add: the adjoint is their sum, entry by entry."
        if any(terms) and abs(flow.results[node]) <= ROUNDING * max(map(abs, terms)):
            nothing = ", which is 0 up to rounding" if flow.results[node] else ""
            return (
                f"{uses}, and the paths pull in opposite directions: {added}{nothing}. "
                f"At this point a small change of {name} does not change {self.f}."
            )
        through = list(dict.fromkeys(self.named(edge[0]) for edge in flow.contributions(node)))
        if node in flow.seeds or len(through) < len(terms):
            return f"{uses}, and a change in {name} acts through all uses at once, so the effects add: {added}."
        ways = captions.listed(["directly" if way == self.f else f"through {way}" for way in through[:MOST_NAMED]])
        more = ", …," if len(through) > MOST_NAMED else ""
        return f"{uses}: a change in {name} acts on {self.f} {ways}{more} at once, so the effects add: {added}."

    def _ending(self) -> str:
        flow, names = self.flow, self.named
        if independent := self.graph.independence():
            return independent
        if self.is_forward_block:
            blocks = captions.listed([f"{names(node)} has {self.value(flow.results[node])}" for node in self.outputs])
            return f"One forward sweep with whole blocks has given the Jacobian, the blocks of the results: {blocks}."
        if not flow.reverse:
            rates = [f"{names(node)} changes at the rate {self.value(flow.results[node])}" for node in self.outputs]
            text = captions.listed(rates[:MOST_NAMED])
            warned = self._warning(self.outputs)
            return f"One forward sweep has given one derivative, in the direction of the seed: {text}.{warned}"
        nodes = [node for node in self.graph.inputs if node in flow.results]
        if not nodes:
            return f"{self.f} does not depend on any input, so every derivative is 0."
        text = captions.listed(captions.few([self._derivative(node) for node in nodes], "…", MOST_NAMED))
        given = (
            "the derivatives of the weighted sum"
            if not self.is_single
            else f"the gradient, the derivative of {self.f} with respect to each input"
            if self._has_numbers(nodes) and not flow.cost
            else "the gradient"
        )
        warning = self._warning(nodes)
        if flow.changes:
            warning = " But adding in place has changed adjoints on the way: not all of these are derivatives."
        begun = (
            "The sweep ends with these numbers" if warning else f"One backward sweep{self._work()} has given {given}"
        )
        unused = [names(node) for node in self.graph.inputs if node not in flow.results]
        more = f" {self.f} does not depend on {captions.listed(unused[:MOST_NAMED])}: that derivative is 0."
        return f"{begun}: {text}.{more if unused else ''}{warning or self._meaning(nodes)}"

    def _direction(self) -> str:
        """Return what a sweep fills of the Jacobian."""
        return "row" if self.flow.reverse else "column"

    def _ending_line(self, line: JacobianLine) -> str:
        """Return which row or column of the Jacobian a sweep has given."""
        flow, word = self.flow, self._direction()
        nodes = [node for node in (self.graph.inputs if flow.reverse else self.outputs) if node in flow.results]
        given = [
            f"∂{line.entry}/∂{self.names(node)}" if flow.reverse else f"∂{self.names(node)}/∂{line.entry}"
            for node in nodes
        ]
        texts = [
            f"{mathematics(name)} = {self._result(flow.results[node])}" for name, node in zip(given, nodes, strict=True)
        ]
        listed = captions.listed(captions.few(texts, "…", MOST_NAMED + 2))
        sweep = f"{'Reverse' if flow.reverse else 'Forward'} sweep {line.number} of {line.sweeps} has given the {word}"
        begun = f"{sweep} of {mathematics(line.entry)}{f': {listed}' if texts else ', which is zero'}."
        if line.following:
            return f"{begun}{self._warning(nodes)} The next sweep gives the {word} of {mathematics(line.following)}."
        ends = "results" if flow.reverse else "inputs"
        entries = f"{captions.plural(line.sweeps, 'sweep')}, one for each entry of the {ends}"
        return f"{begun}{self._warning(nodes)} The Jacobian is complete: it took {entries}."

    def _derivative(self, node: int) -> str:
        derivative, name = self.flow.results[node], mathematics(f"∂{self.top}/∂{self.names(node)}")
        if not self.is_single:
            return f"the adjoint of {self.named(node)} is {self._result(derivative)}"
        if np.ndim(derivative) > 1 or np.size(derivative) > MOST_ENTRIES:
            return f"{name} ({captions.shape(np.shape(derivative))})"
        if np.ndim(derivative):
            return f"{name} = {self.value(derivative)}"
        return f"{name} = {self._result(derivative)}"

    def _warning(self, nodes: list[int]) -> str:
        """Return that results are no derivatives, and where that began; "" where all is finite."""
        if self.value_origin.reaches_the_result:
            return (
                f" But {self.value_origin.fact()}, so these numbers are no derivatives: look at "
                f"{self.value_origin.place()}, where the first value that is not finite appeared."
            )
        first = next(iter(self.broken), None)
        if first is None or not not_finite(self.flow.results[node] for node in nodes):
            return ""
        place = placed(self.graph, first[0], self.named)
        return f" Not all of this is finite: look at {place}, whose local partial was the first that was not."

    def _meaning(self, nodes: list[int]) -> str:
        """Return what the first derivatives with respect to numbers mean."""
        size = float(np.max(np.abs(self.graph.values[self.seeded[0]]))) if self.is_single else 0.0
        every = ((name, slope, captions.small(value)) for name, slope, value in self._changed(nodes))
        least, most = math.ulp(size), STEEPEST * max(1.0, size)  # less is rounding
        changes = [each for each in every if least < abs(each[1] * each[2]) <= most]
        alone = " and nothing else changes" if len(self.graph.inputs) > 1 and self._has_numbers(nodes) else ""
        texts = [
            f"if {name} grows by {captions.decimals(by)}{'' if k else alone}, "
            f"{self.f} {'grows' if slope > 0 else 'falls'} by about {captions.decimals(abs(slope * by))}"
            for k, (name, slope, by) in enumerate(changes)
        ]
        if not texts or self.flow.is_block:
            return ""
        sentence = "; ".join(texts)
        if not self._has_numbers(nodes):
            sentence += f"; moving each entry slightly against the sign of its derivative lowers {self.f}"
        return f" {sentence[0].upper()}{sentence[1:]}."

    def _has_numbers(self, nodes: list[int]) -> bool:
        return not all(np.ndim(self.flow.results[node]) for node in nodes)

    def _changed(self, nodes: list[int]) -> list[tuple[str, float, float]]:
        """Return what grows in the last sentence, with its derivative and value: numbers, or the steepest entry."""
        names, results, values = self.named, self.flow.results, self.graph.values
        if self._has_numbers(nodes):
            numbers = [node for node in nodes if not np.ndim(results[node])]
            return [(names(node), float(results[node]), float(values[node])) for node in numbers[:MOST_PATHS]]
        node = next((node for node in nodes if np.size(results[node])), None)
        if node is None or not np.all(np.isfinite(results[node])):
            return []
        place = np.unravel_index(int(np.argmax(np.abs(results[node]))), np.shape(results[node]))
        name = mathematics(f"{names(node)}[{', '.join(map(str, place))}]")
        return [(name, float(results[node][place]), float(values[node][place]))]

    def _work(self) -> str:
        """Return what the sweep cost, as its meters say."""
        flow, count = self.flow, len(self.flow.sent)
        if flow.cost:
            work = captions.listed([captions.plural(each, word) for each, word in zip(flow.cost, WORK, strict=True)])
        elif any(map(self.parts.is_array, flow.sent)):
            work = f"passing each of {captions.plural(count, 'edge')} once"
        else:
            partials = [self.parts.partial(edge) for edge in flow.sent]
            known = {1: "1", -1: "−1", 0: "0"}
            trivial = sum(partial in known for partial in partials)
            factors = captions.listed([known[each] for each in known if each in partials]).replace(" and ", " or ")
            which = f"{trivial if trivial < count else 'all'} of them by {factors}" if count > 1 else f"by {factors}"
            left = f", {which}, which an engine leaves out," if trivial else ""
            sums = sum(len(self.parts.terms(node)) - 1 for node in flow.sums)
            added = captions.plural(sums, "addition") if sums else "no addition"
            added += ", since nothing is used twice" * (count > 1 and not sums)
            multiplied = captions.plural(count, "multiplication") if count else "no multiplication"
            work = f"{multiplied}{left} and {added}"
        return f" ({work})"

    def named(self, node: int) -> str:
        """Return the name of a node in a sentence."""
        return mathematics(self.names(node))

    def _result(self, data: Any) -> str:
        return self.value(data) if np.ndim(data) else result(self.value(data), data)

    def value(self, data: Any) -> str:
        """Return a value in a sentence."""
        return captions.numbers(data).replace("-", "−") if np.ndim(data) else captions.decimals(data)


def move(kind: Any, step: int, *nodes: int, edge: str = "") -> Move:
    """Return something that happens in a step."""
    return {"kind": kind, "step": step, "nodes": list(nodes), "edge": edge}


def keyframe(name: str, caption: str, formula: Tree | None, nodes: list[int]) -> Rest:
    """Return what is said where a show rests."""
    (short, named), (words, marks) = marked(name), marked(caption)
    result: Rest = {"name": short, "caption": words, "formula": formula, "nodes": nodes, "question": None}
    return {**result, "named": named, "marks": marks}
