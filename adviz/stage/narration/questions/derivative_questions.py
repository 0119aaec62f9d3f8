"""Questions about derivatives, asked before an edge carries one or a node adds up: numbers, factors, shapes, reasons.

Each question knows wrong answers with what was probably mistaken; those of numbers are computed in ``wrong_answers``.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from ...scene import captions
from ...scene.document import Question
from ...scene.sentences import mathematics
from .. import local_partials, symbols
from ..contributions import Contributions
from ..flows import EdgeKey
from . import forms
from .forms import choice, number

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

    def seed(self) -> Question | None:
        """Return the question what the sweep starts with, and why."""
        return self._reverse_seed() if self.flow.reverse else self._forward_seed()

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
        return choice(prompt, right, wrong, f"The seed is ∂{name}/∂{name}.", nodes=[node])

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
        return choice(prompt, one if still is None else zero, wrong, hint, nodes=[node])

    # ---- what an edge carries ----

    def edge(self, edge: EdgeKey) -> Question | None:
        """Return the question about what an edge carries; ``None`` where enough edges alike have been asked about."""
        block = self.graph.blocks[edge[0]].name
        if self.parts.is_array(edge):
            group, asked = (block, False), self._about_array
        else:
            partial = self.parts.partial(edge)
            if not np.isfinite(partial):
                return None
            group, asked = (block, abs(partial) == 1), self._about_number
        if self.alike[group] >= MOST_ALIKE[group[1]]:
            return None
        question = asked(edge)
        self.alike[group] += question is not None
        return question

    def _about_number(self, edge: EdgeKey) -> Question | None:
        """Of a node with several operands the factor of the first is asked for, and the products of the others."""
        is_first = len(self.graph.operand_nodes(edge[0])) > 1 and edge[1] == 0
        return (self._factor(edge) if is_first else None) or self._product(edge)

    def _product(self, edge: EdgeKey) -> Question | None:
        sent = self.flow.sent[edge]
        if not np.isfinite(sent.product):
            return None
        source, given = self.names(self.flow.source(edge)), captions.decimals(sent.given)
        rule = local_partials.rule(self.graph, edge[0], self.names)
        hint = f"What arrives is the {self.word} of {source}, {given}, times the local partial on the edge. {rule}"
        wrong = forms.of_product(self.parts, edge)
        prompt = f"What does {self._said(self.flow.target(edge))} receive{self._way(edge)}?"
        return number(prompt, sent.product, wrong, hint.strip(), edge)

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
            for text, number, why in local_partials.mistaken_numbers(self.graph, *edge, self.names)
            if np.isfinite(number) and not forms.alike(number, partial)
        ]
        if not wrong:
            return None
        names = {"a": self.names(operand), "y": self.names(node)}
        derivative = symbols.fill("∂{y}/∂{a}", names)
        hint = (
            f"Hold everything but {names['a']} fixed. When {names['a']} grows a little, "
            f"how many times as much does {names['y']} grow?"
        )
        prompt = f"Which factor stands on this edge, {mathematics(derivative)}?"
        return choice(prompt, self.parts.symbol(edge), wrong, hint, edge=edge)

    def _told(self, why: str) -> str:
        """Return a general diagnosis of the reverse sweep as one of this sweep."""
        general = "That passes the adjoint on unchanged"
        return why if self.flow.reverse else re.sub(f"^{general}", general.replace("adjoint", self.word), why)

    def _about_array(self, edge: EdgeKey) -> Question | None:
        """Of a node with several operands the operation of the first is asked for, and the shapes of the others."""
        if not self.flow.reverse:  # what stands at the gates says how adjoints are passed on
            return self._shape(edge)
        if axes := self._axis(edge):
            return axes
        return (self._operation(edge) if edge[1] == 0 else None) or self._shape(edge) or self._operation(edge)

    def _operation(self, edge: EdgeKey) -> Question | None:
        """Ask what becomes of the adjoint of an array on an edge."""
        right, source = self.parts.symbol(edge), self.names(edge[0])
        target = self.names(self._operand(edge))
        told = f"{mathematics(target)} receives the adjoint of {mathematics(source)}."
        found = local_partials.mistakes(self.graph, *edge, self.names)
        wrong = [(UNCHANGED.get(text, text), why) for text, why in found]
        if not wrong:
            return None
        prompt = f"{told} What happens to it on this edge?"
        hint = f"The adjoint of {source} has the shape of {source}; what arrives must have the shape of {target}."
        if right.replace(TRANSPOSING, "") in [text for text, _ in found] and TRANSPOSING in right:
            prompt = f"{told} Which matrix is transposed, and on which side is it?"
        return choice(prompt, UNCHANGED.get(right, right), wrong, hint, edge=edge)

    def _axis(self, edge: EdgeKey) -> Question | None:
        """Ask over which axis the adjoint of a repeated operand is summed: for matrices."""
        node, operand = edge[0], self._operand(edge)
        axes, why = local_partials.summed_axes(self.graph, *edge, self.names)
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
        return choice(prompt, choices[axes], wrong, hint, edge=edge)

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
        return choice(prompt, _sized(shape), wrong, f"Look at the shape of {name}.", edge=edge)

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
        return number(prompt, total, forms.of_sum(self.parts, node), hint, nodes=[node])

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
        return choice(prompt, "they are added, entry by entry", wrong, hint, nodes=[node])


def _sized(shape: tuple[int, ...]) -> str:
    return captions.a(captions.kind(shape)) if shape else "a number"
