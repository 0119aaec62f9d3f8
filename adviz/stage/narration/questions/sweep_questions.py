"""Questions about a sweep, to be asked before a Step or an edge reveals the answer.

Moves of an engine are asked about one by one; at the level of edges numbers, factors, shapes and reasons are asked for,
with diagnoses of wrong answers. Formulas are told apart from words in prompts, not in answers, hints and diagnoses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ....algorithms.sweeps.seeds import Value
from ...scene import captions, formulas
from ...scene.captions import WrongNumber, choice_question, mathematics, number_question
from ...scene.document import Question
from ...scene.flow_panel import Move
from ..flows import Contributions, EdgeKey, edge_of
from ..source_names import sentence
from ..sweep_narration import Act, Narrator, by_kind

# ---- moves of an engine ----


HINTS = {
    "recursion": "The recursion enters an operand as soon as its last contribution has arrived.",
    "tape": "A tape is played backwards, entry by entry.",
    "tape with flags": "A tape is played backwards, entry by entry.",
    "toposort": "Of the nodes that wait for nothing, the one that became complete last comes first.",
    "rank_heap": "The highest rank comes first; of equal ranks, the one that was found first.",
    "use_counts": "Of the nodes that are ready, the one that became ready last comes first.",
}
"""The rule behind the order, by engine."""
TOLERANCE = 0.01  # of an answer, relative to a number larger than 1


class SweepExaminer:
    """Asks about the Steps that a Narrator narrates."""

    def __init__(self, narrator: Narrator):
        self.narrator, self.graph = narrator, narrator.graph
        self.local = narrator.names.local(narrator.names.whole)

    def question(self, act: Act) -> Question | None:
        """Return the question about a Step; ``None`` if there is nothing to find out."""
        question: Question | None = by_kind(self, "ask", act)
        return question

    def _ask_evaluate(self, act: Act) -> Question | None:
        node, graph = act.node, self.graph
        if not graph.operand_nodes(node) or np.ndim(graph.values[node]):
            return None
        narrator = self.narrator
        text = " = ".join(dict.fromkeys([*narrator.called.sides(node), narrator.with_numbers(node)]))
        hint = self._itself(node) or f"{text}."
        return _number(f"What is the value of {narrator.called(node)}?", graph.values[node], sentence(hint))

    def _ask_visit(self, act: Act) -> Question | None:
        if self.narrator.forward:
            return self._ask_evaluate(act)
        if act.node in self.graph.outputs:
            return None
        hint = HINTS.get(self.narrator.engine, "A node is visited after all nodes that use it.")
        return {"kind": "node", "prompt": "Which node is visited next?", "answer": act.node, "hint": hint}

    def _ask_product(self, act: Act) -> Question | None:
        narrator, edge, product = self.narrator, self.narrator.edge(act), act.step.edits[0].after
        if np.ndim(product) or any(map(np.ndim, narrator.factors(edge))):
            return None
        start, end = narrator.called(narrator.source(edge)), narrator.called(narrator.target(edge))
        local, rule = "/".join(narrator.partial(edge)), self.local.symbol(edge.node, edge.place)
        given = captions.decimals(narrator.given(edge))
        factor = self._itself(edge.node) or f"{local} = {rule}."
        known = f"The {narrator.flow} of {start} is {given}, and {factor}"
        repeated = self.graph.operand_nodes(edge.node).count(edge.operand) > 1
        which = f", along the edge of operand {edge.place + 1}" if repeated else ""
        prompt = f"What does {start} pass {narrator.way} to {end}{which}?"
        return _number(prompt, product, known if rule else f"It is {given} times {local}.")

    def _itself(self, node: int) -> str:
        """Return that a result is the node that is returned; "" for any other node."""
        called = self.narrator.called
        return (
            f"{called(node)} is {called(self.graph.operand_nodes(node)[0])} itself." if called.is_result(node) else ""
        )

    def _ask_accumulate(self, act: Act) -> Question | None:
        narrator, change = self.narrator, act.edit(self.narrator.flow, act.node)
        if act.way is None or change.before is None or np.ndim(change.after):
            return None
        present, arrived = captions.decimals(change.before), captions.decimals(act.step.edits[0].before)
        hint = f"{present} is there, and {arrived} arrives: contributions to one node add up."
        return _number(f"What is the {narrator.flow} of {narrator.called(act.node)} now?", change.after, hint)

    def _ask_count(self, act: Act) -> Question | None:
        change = act.edit("times_used")
        if (change.before or 0) < (change.after or 0):
            return None
        return {
            "kind": "choice",
            "prompt": f"Has everything arrived at {self.narrator.called(act.node)}?",
            "answer": "no" if change.after else "yes",
            "choices": ["yes", "no"],
            "hint": "Count the edges on which it is used, and those on which a product has arrived.",
        }


def _number(prompt: str, answer: Value, hint: str) -> Question:
    shown = float(answer) if np.isfinite(answer) else captions.number(answer)
    return {"kind": "number", "prompt": prompt, "answer": shown, "tolerance": TOLERANCE, "hint": hint}


# ---- edges and nodes ----


MOST_ALIKE = {True: 2, False: 6}  # edges asked about with the same Block, where their partials are ±1 and otherwise
MOST_LISTED = 5  # contributions that a question lists
UNCHANGED = {"1": "1: it stays as it is", "−1": "−1: its sign changes", "0": "0: nothing passes"}
TRANSPOSING = "ᵀ"


class DerivativeExaminer:
    """Asks about one sweep, edge by edge, in the order of the sweep: of many edges alike it asks about some."""

    def __init__(self, parts: Contributions):
        self.parts, self.flow, self.names = parts, parts.flow, parts.names
        self.graph = parts.flow.graph
        self.word = "adjoint" if self.flow.reverse else "tangent"
        self.alike: Counter[tuple[str, bool]] = Counter()

    # ---- where the sweep starts ----

    def before(self, move: Move) -> Question | None:
        """Return the question before a move; ``None`` if there is nothing to find out."""
        match move["kind"]:
            case "seed":
                return self._reverse_seed() if self.flow.reverse else self._forward_seed()
            case "send":
                return self.edge(edge_of(move))
            case "sum":
                return self.sum(move["nodes"][0])
        return None

    def _reverse_seed(self) -> Question | None:
        seeds, names = self.flow.seeds, self.names
        node = next(iter(seeds), None)
        if node is None or len(seeds) > 1 or np.ndim(seeds[node]) or seeds[node] != 1:
            return None
        name, value = names(node), self.graph.values[node]
        right = f"1, because {name} changes one for one with itself"
        why = f"With 0, every product would be 0. How much does {name} change when {name} itself grows by 1?"
        wrong = [(f"0, because nothing has arrived at {name} yet", why)]
        if not np.ndim(value) and value not in (0, 1):
            text = f"{captions.decimals(value)}, because that is the value of {name}"
            why = (
                f"That is the value of {name}. An adjoint is a derivative, here that of {name} with respect to itself."
            )
            wrong.insert(0, (text, why))
        prompt = f"The sweep starts at {mathematics(name)}. What is its adjoint there, the seed, and why?"
        return choice_question(prompt, right, wrong, f"The seed is ∂{name}/∂{name}.", nodes=[node])

    def _forward_seed(self) -> Question | None:
        seeds, names = self.flow.seeds, self.names
        numbers = {node: float(seed) for node, seed in seeds.items() if not np.ndim(seed)}
        if len(numbers) < len(seeds) or not set(numbers.values()) <= {0.0, 1.0} or 1.0 not in numbers.values():
            return None
        moving = next(node for node, seed in numbers.items() if seed)
        still = next((node for node, seed in numbers.items() if not seed), None)
        node = moving if still is None else still
        name, value = names(node), float(self.graph.values[node])
        zero, one = (
            f"0, because {name} stands still in this sweep",
            f"1, because {name} changes one for one with itself",
        )
        why = f"In this sweep only {names(moving)} moves; {name} stands still, so its rate of change is 0."
        wrong = [(one, why)] if still is not None else [(zero, f"{name} is what moves in this sweep.")]
        if value not in (0, 1):
            text = f"That is the value of {name}. A tangent is a rate of change."
            wrong.append((f"{captions.decimals(value)}, because that is the value of {name}", text))
        said = self._said(node)
        prompt = f"The sweep follows {self._said(moving)}. Which tangent does {said} start with, the seed, and why?"
        hint = f"The tangent of {name} says how fast {name} changes while {names(moving)} moves at the rate 1."
        return choice_question(prompt, one if still is None else zero, wrong, hint, nodes=[node])

    # ---- what an edge carries ----

    def edge(self, edge: EdgeKey) -> Question | None:
        """Return the question about what an edge carries; ``None`` where enough edges alike have been asked about."""
        block = self.graph.blocks[edge[0]].name
        is_array = self.parts.is_array(edge)
        partial = 0.0 if is_array else self.parts.partial(edge)
        group = block, abs(partial) == 1
        if not np.isfinite(partial) or self.alike[group] >= MOST_ALIKE[group[1]]:
            return None
        question: Question | None = None
        if is_array:
            question = self._about_array(edge)
        elif len(self.graph.operand_nodes(edge[0])) > 1 and edge[1] == 0:  # the first of several operands
            question = self._factor(edge)
        question = question if question or is_array else self._product(edge)
        self.alike[group] += question is not None
        return question

    def _product(self, edge: EdgeKey) -> Question | None:
        sent = self.flow.sent[edge]
        if not np.isfinite(sent.product):
            return None
        source, given = self.names(self.flow.source(edge)), captions.decimals(sent.given)
        rule = self.parts.local.rule(edge[0])
        hint = f"What arrives is the {self.word} of {source}, {given}, times the local partial on the edge. {rule}"
        wrong = _distinct(_wrong_products(self.parts, edge), float(sent.product))
        prompt = f"What does {self._said(self.flow.target(edge))} receive{self._way(edge)}?"
        return number_question(prompt, sent.product, wrong, hint.strip(), edge)

    def _way(self, edge: EdgeKey) -> str:
        """Return `` through sin(x)``; a use is named where there are several of them."""
        flow, names = self.flow, self._said
        used = [place for place, node in enumerate(self.graph.operand_nodes(edge[0])) if node == self._operand(edge)]
        if len(used) > 1:
            which, way = used.index(edge[1]) + 1, "through" if flow.reverse else "from"
            return f" {way} use {which} of {names(self._operand(edge))} in {names(edge[0])}"
        through = "through" if flow.reverse and flow.source(edge) not in flow.seeds else "from"
        return f" {through} {names(flow.source(edge))}"

    def _said(self, node: int) -> str:
        return mathematics(self.names(node))

    def _operand(self, edge: EdgeKey) -> int:
        return self.graph.operand_nodes(edge[0])[edge[1]]

    def _factor(self, edge: EdgeKey) -> Question | None:
        """Ask for the local partial; wrong ones that have the same number here are left out."""
        operand, node = self._operand(edge), edge[0]
        partial = self.parts.partial(edge)
        wrong = [
            (text, self._told(why))
            for text, number, why in self.parts.local.mistaken_numbers(*edge)
            if np.isfinite(number) and not alike(number, partial)
        ]
        if not wrong:
            return None
        names = {"a": self.names(operand), "y": self.names(node)}
        derivative = formulas.fill("∂{y}/∂{a}", names)
        hint = (
            f"Hold everything but {names['a']} fixed. When {names['a']} grows a little, "
            f"how many times as much does {names['y']} grow?"
        )
        prompt = f"Which factor stands on this edge, {mathematics(derivative)}?"
        return choice_question(prompt, self.parts.symbol(edge), wrong, hint, edge=edge)

    def _told(self, why: str) -> str:
        """Return a general diagnosis of the reverse sweep as one of this sweep."""
        general = "That passes the adjoint on unchanged"
        return why if self.flow.reverse else re.sub(f"^{general}", general.replace("adjoint", self.word), why)

    def _about_array(self, edge: EdgeKey) -> Question | None:
        """Ask for the operation of the first of several operands of a node, and for the shapes of the others."""
        if not self.flow.reverse:  # what stands at the gates says how adjoints are passed on
            return self._shape(edge)
        if axes := self._axis(edge):
            return axes
        return (self._operation(edge) if edge[1] == 0 else None) or self._shape(edge) or self._operation(edge)

    def _operation(self, edge: EdgeKey) -> Question | None:
        """Ask what becomes of the adjoint of an array on an edge."""
        right, source = self.parts.symbol(edge), self.names(edge[0])
        target = self.names(self._operand(edge))
        fact = f"{mathematics(target)} receives the adjoint of {mathematics(source)}."
        mistakes = self.parts.local.mistakes(*edge)
        wrong = [(UNCHANGED.get(text, text), why) for text, why in mistakes]
        if not wrong:
            return None
        prompt = f"{fact} What happens to it on this edge?"
        hint = f"The adjoint of {source} has the shape of {source}; what arrives must have the shape of {target}."
        if right.replace(TRANSPOSING, "") in [text for text, _ in mistakes] and TRANSPOSING in right:
            prompt = f"{fact} Which matrix is transposed, and on which side is it?"
        return choice_question(prompt, UNCHANGED.get(right, right), wrong, hint, edge=edge)

    def _axis(self, edge: EdgeKey) -> Question | None:
        """Ask over which axis the adjoint of a repeated operand is summed: for matrices."""
        node, operand = edge[0], self._operand(edge)
        axes, why = self.parts.local.summed_axes(*edge)
        shape = np.shape(self.graph.values[node])
        if not axes or len(shape) != 2:
            return None
        choices = {
            (0,): "over axis 0: the rows are added up",
            (1,): "over axis 1: the columns are added up",
            (0, 1): "over both axes: all entries are added up",
            (): "over none: it stays as it is",
        }
        name, own = self.names(operand), np.shape(self.graph.values[operand])
        like = captions.kind(own) if own else "number"
        real = {over: [axis for axis in over if shape[axis] != 1] for over in choices}
        wrong = [
            (text, why if other else f"The result would have the shape {captions.shape(shape)}. {why}")
            for other, text in choices.items()
            if real[other] != real[axes]
        ]
        prompt = (
            f"{mathematics(name)} is {captions.a(like)}, {self._said(node)} {captions.a(captions.kind(shape))}. "
            f"Over which axis is the adjoint summed on its way to {mathematics(name)}?"
        )
        hint = f"What {name} receives has the shape of {name}. Along which axis was {name} repeated?"
        return choice_question(prompt, choices[axes], wrong, hint, edge=edge)

    def _shape(self, edge: EdgeKey) -> Question | None:
        flow, values = self.flow, self.graph.values
        target, source = flow.target(edge), flow.source(edge)
        name, shape = self.names(target), np.shape(values[target])
        if np.shape(flow.sent[edge].product) != shape:
            return None
        each = "An adjoint" if flow.reverse else "A tangent"
        own = f"{each} has the shape of its value, and {name} is {_sized(shape)}."
        others = {
            shape[::-1]: f"That is transposed: {own}",
            np.shape(values[source]): f"That is the shape of {self.names(source)}, from which it comes. {own}",
            (): f"The derivative of a number with respect to each entry of {name} is asked for: one for each entry.",
            (int(np.prod(shape)),): f"The entries are as many, but {own[0].lower()}{own[1:]}",
        }
        for node in self.graph.operand_nodes(edge[0]):
            others.setdefault(np.shape(values[node]), f"That is the shape of {self.names(node)}. {own}")
        wrong = [(_sized(other), why) for other, why in others.items() if other != shape]
        if not wrong:
            return None
        prompt = f"What is the shape of the contribution to {mathematics(name)}{self._way(edge)}?"
        return choice_question(prompt, _sized(shape), wrong, f"Look at the shape of {name}.", edge=edge)

    # ---- what a node adds up ----

    def sum(self, node: int) -> Question | None:
        """Return the question what becomes of the contributions to a node."""
        total, name, terms = self.flow.results[node], self.names(node), self.parts.terms(node)
        if np.ndim(total):
            return self._array_sum(node, len(terms))
        if not np.isfinite(total):
            return None
        said = mathematics(name)
        shown = captions.few([captions.decimals(term) for term in terms], "…", MOST_LISTED)
        prompt = f"{captions.listed(shown)} have arrived at {said}. What is the {self.word} of {said}?"
        hint = f"A change in {name} acts along all paths at once, so the effects of the paths add."
        if not self.flow.reverse:
            hint = f"{name} changes through each of its operands at once, so the changes add."
        wrong = _distinct(_wrong_sums(self.parts, node), float(total))
        return number_question(prompt, total, wrong, hint, nodes=[node])

    def _array_sum(self, node: int, count: int) -> Question | None:
        name = self.names(node)
        said = mathematics(name)
        prompt = f"{count} contributions have arrived at {said}. How do they become the {self.word} of {said}?"
        wrong = [
            ("they are multiplied, entry by entry", "Along a path, partials multiply; separate paths add."),
            ("the last one replaces the others", f"All uses of {name} count: none of the contributions is forgotten."),
            (
                "they are put side by side",
                f"Then it would be larger than {name}; an adjoint has the shape of its value.",
            ),
        ]
        if not self.flow.reverse:
            wrong[1:] = [("the last one replaces the others", f"All operands of {name} count, not only the last one.")]
        hint = f"A change in {name} acts along all paths at once."
        return choice_question(prompt, "they are added, entry by entry", wrong, hint, nodes=[node])


def _sized(shape: tuple[int, ...]) -> str:
    return captions.a(captions.kind(shape)) if shape else "a number"


# ---- wrong answers ----

# Wrong numbers are computed from what people mistake: the value for the derivative, one factor for the other, a sum for
# a product, the total for a share, a contribution forgotten, the adjoint not yet multiplied, a wrong sign, degrees for
# radians. Where two mistakes give the same number the first is told; one that gives the right number is none.

MOST = 12  # the most wrong answers that are told apart
CLOSE = 0.012  # numbers that are so close, relative to the right one, cannot be told apart
LARGEST_SUM = 8  # of so many contributions each may be forgotten


def alike(number: float, right: float) -> bool:
    """Return whether a wrong number cannot be told from the right one, as one that is rounded could not.

    >>> alike(0.5403, 0.5404), alike(0.002, -0.002), alike(0.0, 0.0)
    (True, False, True)
    """
    return abs(number - right) <= CLOSE * abs(right) or captions.decimals(number) == captions.decimals(right)


def _distinct(options: Iterable[WrongNumber], right: float) -> list[WrongNumber]:
    result, written = list[WrongNumber](), {captions.decimals(right)}
    with np.errstate(all="ignore"):
        for number, why in options:
            text = captions.decimals(number)
            if np.isfinite(number) and text not in written and abs(number - right) > CLOSE * abs(right):
                result.append((float(number), why))
                written.add(text)
    return result[:MOST]


def _wrong_products(parts: Contributions, edge: EdgeKey) -> Iterator[WrongNumber]:
    flow, names, graph = parts.flow, parts.names, parts.flow.graph
    source, target, sent = flow.source(edge), flow.target(edge), flow.sent[edge]
    given, partial, word = float(sent.given), parts.partial(edge), "adjoint" if flow.reverse else "tangent"
    factors = [each for each in parts.local.mistaken_numbers(*edge) if each[0] != "1"]
    for text, factor, why in factors:
        yield given * factor, f"{captions.decimals(given * factor)} comes from the factor {text}. {why}"
    yield from _in_degrees(parts, edge)
    leaves = f"{captions.decimals(given)} is the {word} of {names(source)}, what leaves {names(source)}."
    yield given, f"{leaves} It has still to be multiplied by the local partial on the edge."
    fact = f"{captions.decimals(partial)} is the local partial on the edge alone."
    yield partial, f"{fact} It has to be multiplied by the {word} of {names(source)}, {captions.decimals(given)}."
    yield given + partial, "Along a path, partials multiply; only separate paths add."
    yield from _of_other_paths(parts, edge)
    for text, factor, why in factors:
        alone = captions.decimals(factor)
        yield factor, f"{alone} is {text}. {why}" if text != alone else why
    asked = f"Asked for is the {word} of {names(source)} times the local partial."
    for node in (edge[0], target, source):
        value = graph.values[node]
        yield float(value), f"{captions.decimals(value)} is the value of {names(node)}. {asked}"
    yield -given * partial, "The size is right, the sign is not: look at the signs of the two factors."


def _in_degrees(parts: Contributions, edge: EdgeKey) -> Iterator[WrongNumber]:
    """Yield what a calculator gives that is set to degrees."""
    graph, (node, place) = parts.flow.graph, edge
    block, operand = graph.blocks[node], graph.operand_nodes(node)[place]
    if not block.words.in_radians:
        return
    turned = np.radians(graph.values[operand])
    factor = float(block.partials[place](block.compute(turned), turned))
    name, value = parts.names(operand), captions.decimals(graph.values[operand])
    why = (
        f"{captions.decimals(factor)} is what comes out where {name} = {value} is taken for degrees; it is in radians."
    )
    yield float(parts.flow.sent[edge].given) * factor, why


def _of_other_paths(parts: Contributions, edge: EdgeKey) -> Iterator[WrongNumber]:
    """Yield all that the target of an edge receives, and what it receives along other edges."""
    flow, names = parts.flow, parts.names
    source, target = flow.source(edge), flow.target(edge)
    if len(parts.terms(target)) < 2:
        return
    total, through = flow.results[target], f"Asked for is only what comes through {names(source)}."
    yield float(total), f"{captions.decimals(total)} is all that {names(target)} receives, over all paths. {through}"
    for other in flow.contributions(target):
        carried = flow.sent[other].product
        if other != edge:
            text = f"{captions.decimals(carried)} is what {names(target)} receives through {names(flow.source(other))}."
            yield float(carried), f"{text} {through}"


def _wrong_sums(parts: Contributions, node: int) -> Iterator[WrongNumber]:
    flow, name = parts.flow, parts.names(node)
    terms = [float(term) for term in parts.terms(node)]
    total = float(flow.results[node])
    yield float(np.prod(terms)), "Along a path, partials multiply; contributions of separate paths add."
    ways = [parts.names(flow.source(edge)) for edge in flow.contributions(node)]
    begun = len(terms) - len(ways)
    for place, term in enumerate(terms[:LARGEST_SUM]):
        way = f" through {ways[place - begun]}" if place >= begun else ", the seed"
        text = captions.decimals(term)
        yield total - term, f"That leaves out one contribution: what {name} receives{way}, {text}."
    yield float(np.sum(np.abs(terms))), "The signs count: a negative contribution takes away from the others."
    for term in terms[:LARGEST_SUM]:
        text = f"Contributions add with their own signs: {captions.decimals(term)} is not subtracted."
        yield total - 2 * term, text
    yield total / len(terms), "That is their mean. The effects of separate paths add; they are not averaged."
    value: Any = flow.graph.values[node]
    word = "adjoint" if flow.reverse else "tangent"
    text = f"{captions.decimals(value)} is the value of {name}. Asked for is its {word}, the sum of what has arrived."
    yield float(value), text
