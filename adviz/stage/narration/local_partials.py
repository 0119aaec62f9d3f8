"""Local partials in words: the symbol on an edge, the sentence of a rule, and the mistakes that people make.

All of it is put together from the words of the Blocks (:class:`~adviz.engine.blocks.Words`), with the names that the
caller gives to the nodes: ``names(node)`` is ``x``, ``h`` or ``x·y``. Plain text, never markup.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from ...engine.blocks import SimpleBlock, Words
from ...graph.graph import Graph
from ..scene import captions, formulas
from .folds import gates
from .folds.folded_graph import Fold, whole

# ---- tangents of arrays ----


JACOBIAN = "J ·"
LINEAR = "Small changes act linearly: the tangent is multiplied by the local Jacobian J."
ENTRY_BY_ENTRY = "Entry by entry, the tangent of each operand is multiplied by its local partial."


Names = Callable[[int], str]
Mark = Callable[[str], str]

LETTERS = "abcde"  # the operands in a template
LONGEST_SYMBOL = 34  # the most characters on a gate
MOST_WRITTEN = 4  # the most numbers of a constant array that are written out
UNTOLD = Words().rule
MOST_REASONS = 2  # of a line
WHY = re.compile(r"[:,] entry by entry|: it |; so |, so,? |\. ")
"""Where a rule goes on from the reason to what is received."""
TELLING = re.compile("[⊙ᵀ]")
"""What is in the symbol of an operation that does more than add, repeat or rearrange."""
LOGISTIC = 4  # operations of 1/(1 + exp(−x))
MODULE = re.compile(r"\bnp\.")
NAME = re.compile(r"[\w⁽⁾]+")
UNKNOWN = ("J ", "Jᵀ ")
EACH = "each entry of "


class Use(NamedTuple):
    """A node with its operands: which of them are nodes, their texts, and their values."""

    graph: Graph
    node: int
    block: Any
    value: Any
    places: list[int]  # the operands that are nodes
    words: dict[str, str]
    values: list[Any]
    is_elementwise: bool
    is_scalar: bool
    mark: Mark = str  # what is done with mathematics in a sentence


class LocalPartials:
    """The local partials of a graph in words; ``names`` are what the caller calls its nodes.

    ``inside`` are those inside of folds; these ones where nothing is folded.

    >>> import adviz
    >>> graph = adviz.trace(lambda x, y: np.sin(x) * (x + y), 1.0, 2.0)
    >>> partials = LocalPartials(graph, ["x", "y", "sin(x)", "x + y", "f", "f"].__getitem__)
    >>> partials.symbol(2, 0), partials.symbol(4, 0), partials.symbol(3, 0)
    ('cos x', 'x + y', '1')
    >>> partials.rule(2)
    'The derivative of sin is cos: ∂sin(x)/∂x = cos x.'
    >>> partials.mistaken_numbers(2, 0)[0][:2]
    ('−cos x', -0.5403023058681398)
    """

    def __init__(self, graph: Graph, names: Names, inside: LocalPartials | None = None):
        self.graph, self.names = graph, names
        self.inside = inside or (self if graph is whole(graph) else LocalPartials(whole(graph), names))
        self._use = cache(partial(_use, graph, names))
        self._written, self._known = cache(self._symbol), cache(self._mistaken)

    def symbol(self, node: int, place: int, forward: bool = False, given: Any = None) -> str:
        """Return the local partial on the edge to the ``place``-th operand that is a node, as it is written.

        Between numbers it is the partial; else it says how the adjoint of the value is passed on to that operand, or
        with ``forward`` how the tangent of the operand enters that of the value. ``given`` is the adjoint of a fold.
        """
        fold = self.graph.blocks[node]
        if isinstance(fold, Fold):
            is_number = fold.is_number(place)
            along = partial(self.inside.along, forward=forward, is_number=is_number)
            text = gates.product(fold, place, along) if is_number else gates.gate(fold, place, along, forward, given)
            if text:
                return text
        return self._written(node, place, forward)

    def _symbol(self, node: int, place: int, forward: bool) -> str:
        """Return the local partial on an edge by the words of its Block, with names cut as far as it is too long."""
        for most in (formulas.LONGEST, 12, 8):
            use = self._use(node, most)
            written = _forward_symbol if forward and not isinstance(use.block, Fold) else _symbol
            result = written(use, use.places[place]).replace("ᵀᵀ", "")
            if len(result) <= LONGEST_SYMBOL:
                return result
        return JACOBIAN if forward and not use.is_scalar else _own(use, use.places[place])

    def along(self, path: gates.Path, forward: bool = False, is_number: bool = False) -> list[str]:
        """Return how the edges of a path are written: those of ``y = 1/(1 + exp(−x))`` as one, in terms of ``y``.

        Between numbers they are factors, with a dot unless the path itself leads from a number to a number.
        """
        result: list[str] = []
        while path:
            (node, place), name = path[0], self.names(path[0][0])
            is_one = NAME.fullmatch(name) and self._is_logistic(path[:LOGISTIC])
            logistic = "⊙ {0} ⊙ (1 − {0})" if np.ndim(self.graph.values[node]) else "{0}·(1 − {0})"
            symbol = logistic.format(name) if is_one else self.symbol(node, place, forward)
            is_factor = not is_number and self._use(node, formulas.LONGEST).is_scalar and symbol not in ("1", "−1")
            result.append(f"· {formulas.bracketed(symbol, formulas.PRODUCT)}" if is_factor else symbol)
            path = path[LOGISTIC if is_one else 1 :]
        return result

    def _is_logistic(self, path: gates.Path) -> bool:
        """Return whether a path leads back from 1/(1 + exp(−x)) to x, by values and by what an adjoint becomes."""
        if len(path) < LOGISTIC:
            return False
        (first, _), (last, place) = path[0], path[-1]
        y, entry = self.graph.values[first], self.graph.local_jacobians(last)[place][0]
        with np.errstate(all="ignore"):
            if not np.array_equal(y, 1 / (1 + np.exp(-self.graph.values[entry]))):
                return False
            given = np.ones(np.shape(y))
            for node, place in path:
                given = self.graph.local_jacobians(node)[place][1].vjp(given)
            return np.allclose(given, y * (1 - y))

    def stem(self, node: int) -> str:
        """Return what an adjoint of a node passes before it is sent to its operands; "" if there is no such gate."""
        fold = self.graph.blocks[node]
        stem = gates.stem_of(fold) if isinstance(fold, Fold) else []
        text = gates.composed(self.inside.along(stem))
        if not gates.is_short(text):
            last, place = stem[-1]
            behind = fold.edges[last][place][0]
            text = f"J {np.size(self.graph.values[node])}×{np.size(whole(self.graph).values[behind])}"
        return "" if text in ("1", "reshape") else text

    def _line(self, fold: Fold, forward: bool, mark: Mark, given: Any) -> str:
        """Return the rule of a line: why, and what each entry receives, or with ``forward`` contributes.

        Of what is several lines or a call it says no reasons, which are many.
        """
        if not fold.place.is_line:
            return f"{fold.through} {self._forward(fold, mark) if forward else self._backward(fold, mark, given)}"
        silent = gates.silent(fold, given)
        nodes = [node for node in reversed(fold.inside) if node not in silent]
        symbol = self.inside.symbol
        telling = [
            node for node in nodes if any(TELLING.search(symbol(node, place)) for place in range(len(fold.edges[node])))
        ]
        rules = [self.inside.rule(node, forward, mark) for node in telling or nodes]
        why = dict.fromkeys(WHY.split(rule)[0].rstrip(".") for rule in rules)
        first, *others = [*why][:MOST_REASONS]
        reason = "; ".join([first, *(f"{each[0].lower()}{each[1:]}" for each in others)])
        place = "this term" if fold.place.brief.startswith("the term") else fold.place.brief
        sent = self._backward(fold, mark, given) if not forward else self._forward(fold, mark)
        rest = f" Nothing comes back along the path through {mark(self.names(silent[0]))}." if silent else ""
        return f"{reason}. So in {place}, {sent}{rest}"

    def _backward(self, fold: Fold, mark: Mark, given: Any) -> str:
        stem, exit_ = self.stem(fold.exit), self.names(fold.exit)
        adjoint = mark(exit_ + formulas.MARKS["bar"]) if len(exit_) == 1 else f"the adjoint of {mark(exit_)}"
        what = "it" if stem else adjoint
        passed = f"{adjoint} times a Jacobian J" if stem.startswith(UNKNOWN) else gates.worded(stem, adjoint, mark)
        first = f"what is passed on is {passed}: " if stem else ""
        texts, added, unknown = [], [], list[str]()
        symbols_ = [self.symbol(fold.exit, place, given=given) for place in range(len(fold.entries))]
        is_told_together = sum(gate.startswith(UNKNOWN) for gate in symbols_) > 1
        for place, (entry, gate) in enumerate(zip(fold.entries, symbols_, strict=True)):
            shape = np.shape(self.graph.values[entry])
            called = f"{mark(self.names(entry))} ({captions.shape(shape)})" if shape else mark(self.names(entry))
            if is_told_together and gate.startswith(UNKNOWN):
                unknown.append(called)
            else:
                texts.append(f"{called} receives {self._passed_on(fold, entry, gate, what, mark)}")
            added.append(gates.added(fold, place, given, lambda node: mark(self.names(node)), gate.startswith(UNKNOWN)))
        if unknown:
            slopes = f"the slopes of {EACH * bool(np.ndim(self.graph.values[fold.exit]))}{mark(exit_)}"
            texts.append(
                f"{captions.listed(unknown)} receive {what} times their Jacobians J, {slopes} with respect to each of "
                "their entries"
            )
        return " ".join([f"{first}{captions.clauses(texts)}.", *filter(None, added)])

    def _passed_on(self, fold: Fold, entry: int, gate: str, what: str, mark: Mark) -> str:
        """Return what a derivative has become behind a gate of a fold, in words."""
        if not gate.startswith(UNKNOWN):
            return gates.worded(gate, what, mark)
        one, other = (self.graph.values[node] for node in (fold.exit, entry))
        exit_, entry_ = mark(self.names(fold.exit)), mark(self.names(entry))
        slope = f"{EACH * bool(np.ndim(one))}{exit_} with respect to {EACH * bool(np.ndim(other))}{entry_}"
        return f"{what} times the Jacobian J, the slope of {slope}"

    def _forward(self, fold: Fold, mark: Mark) -> str:
        texts = []
        for place, entry in enumerate(fold.entries):
            gate = self.symbol(fold.exit, place, forward=True)
            texts.append(
                f"{mark(self.names(entry))} contributes {self._passed_on(fold, entry, gate, 'its tangent', mark)}"
            )
        return f"{captions.clauses(texts)}."

    def rule(
        self, node: int, forward: bool = False, mark: Mark = str, given: Any = None, most: int = formulas.LONGEST
    ) -> str:
        """Return the rule by which a node passes its adjoint on, or with ``forward`` tangents, in a sentence or two.

        ``mark`` is applied to the mathematics in it. ``given`` is the adjoint of a fold, and names are
        cut to ``most`` characters.
        """
        use = self._use(node, most)._replace(mark=mark)
        if not use.places:
            return ""
        words: Words = use.block.words
        if isinstance(use.block, Fold):
            fold: Fold = use.block
            if fold.is_told and not all(map(fold.is_number, range(len(fold.entries)))):
                return self._line(fold, forward, mark, given)
            return fold.rule(lambda each: mark(self.names(each)), lambda place: mark(self.symbol(node, place)))
        if use.is_scalar:
            return _filled(use, _scalar_rule(use, words))
        text = _chosen(use, words.arrays) or words.rule
        if forward:
            return _filled(use, _forward_rule(use, text))
        if text == UNTOLD:
            text = _own_sentences(use)
        elif use.is_elementwise:
            text = _entry_by_entry(use, text)
        sentences = [_filled(use, text)]
        if use.is_elementwise:
            sentences += [_served(use, place, _summed(use, place)) for place in dict.fromkeys(use.places)]
        return " ".join(filter(None, sentences))

    def mistakes(self, node: int, place: int) -> list[tuple[str, str]]:
        """Return the wrong factors that people take on an edge, as formulas, each with its diagnosis.

        >>> import adviz
        >>> LocalPartials(adviz.trace(np.cos, 1.0), ["x", "cos(x)"].__getitem__).mistakes(1, 0)[0]
        ('sin x', 'The sign is missing: cos falls where sin is positive, so its derivative is −sin.')
        """
        return [(text, why) for text, why, _ in self._known(node, place)]

    def mistaken_numbers(self, node: int, place: int) -> list[tuple[str, float, str]]:
        """Return wrong factors between numbers whose numbers are known: formulas, numbers and diagnoses."""
        use = self._use(node, formulas.LONGEST)
        if not use.is_scalar:
            return []
        values = {_slot(k): value for k, value in enumerate(use.values) if _is_number(value)} | {"y": use.value}
        numbers = [
            (text, formulas.evaluate(wrong, values) if wrong else -_slope(use, use.places[place]), why)
            for text, why, wrong in self._known(node, place)
        ]
        return [(text, result, why) for text, result, why in numbers if result is not None]

    def summed_axes(self, node: int, place: int) -> tuple[tuple[int, ...], str]:
        """Return the axes of a value along which an operand was repeated, and why its adjoint is summed over them.

        >>> import adviz
        >>> graph = adviz.trace(lambda X, b: X + b, np.ones((4, 3)), np.ones(3))
        >>> LocalPartials(graph, ["X", "b", "X + b"].__getitem__).summed_axes(2, 1)
        ((0,), 'b acts through every row, so its adjoint is the sum over the rows.')
        """
        use = self._use(node, formulas.LONGEST)
        number = use.places[place]
        axes = _summed(use, number) if use.is_elementwise else ()
        return axes, _served(use, number, axes)

    def _mistaken(self, node: int, place: int) -> list[tuple[str, str, str]]:
        """Return the mistakes on an edge: as formulas, with diagnoses, and with templates where they have some."""
        use, right = self._use(node, formulas.LONGEST), self.symbol(node, place)
        number, by_text = use.places[place], dict[str, tuple[str, str, str]]()
        for each in (*_known_mistakes(use, number), *_made_mistakes(use, number, right)):
            if each[0] != right:
                by_text.setdefault(each[0], each)
        return list(by_text.values())


def _known_mistakes(use: Use, number: int) -> Iterator[tuple[str, str, str]]:
    """Yield the mistakes that are written down with the rules: as they are read, why they are wrong, the template."""
    own = _chosen(use, use.block.words.mistakes)
    elementwise = use.is_elementwise or use.is_scalar
    general = GENERAL if elementwise and use.block.family != "output" else []
    for wrong, why in [*(own[min(number, len(own) - 1)] if own else ()), *general]:
        text = _formula(use, wrong)
        yield _gate_of(use, number, wrong, text) if elementwise else text, _filled(use, why), wrong


def _made_mistakes(use: Use, number: int, right: str) -> Iterator[tuple[str, str, str]]:
    """Yield the mistakes that can be made with a symbol: a sum that is missing or over other axes, and a wrong sign."""
    if (use.is_elementwise or use.is_scalar) and (axes := _summed(use, number)):
        why = _served(use, number, axes)
        yield _unsummed(right), f"The sum is missing: {why}", ""
        if axes in gates.AXES and np.ndim(use.value) == len(gates.AXES):
            other = gates.AXES[(1 - axes[0],)]
            yield right.replace(gates.AXES[axes], other), f"That sums over the {other}: {why}", ""
    if use.is_scalar and right not in ("0", "1", "−1") and not right.startswith("["):
        yield _negated(right), _wrong_sign(use, number), ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.generic | np.ndarray) and not np.ndim(value)


def _slope(use: Use, number: int) -> float:
    """Return a partial between numbers."""
    with np.errstate(all="ignore"):
        jacobian = use.graph.local_jacobians(use.node)[use.places.index(number)][1]
        return float(np.ravel(jacobian.dense())[0])


def _negated(formula: str) -> str:
    if formula.startswith("−") and formulas.level(formula[1:]) > formulas.SUM:
        return formula[1:]
    return f"−{formulas.bracketed(formula, formulas.PRODUCT)}"


def _wrong_sign(use: Use, number: int) -> str:
    """Return the diagnosis of a wrong sign, with what the value does where the numbers tell it."""
    slope = _slope(use, number)
    if not slope or np.isnan(slope):
        return "The sign is wrong."
    moves, sign = ("rises", "positive") if slope > 0 else ("falls", "negative")
    return f"The sign is wrong: as {use.words[_slot(number)]} grows, {use.words['y']} {moves}, so it is {sign} here."


GENERAL = [
    ("{y}", "That is the value of {y}; the factor on the edge is its derivative."),
    ("1", "That passes the adjoint on unchanged; the factor of this edge is missing."),
]
"""Mistakes that can be made with every rule of numbers."""


# ---- symbols ----


def _symbol(use: Use, number: int) -> str:
    formula = _partial(use, number)
    if formula and (use.is_scalar or use.is_elementwise):
        return _gate_of(use, number, formula, _formula(use, formula))
    return _formula(use, own[0], number) if (own := _gates(use, number)) else _own(use, number)


def _forward_symbol(use: Use, number: int) -> str:
    """Return how the tangent of an operand enters that of the value."""
    if use.is_scalar:
        return _symbol(use, number)
    if use.is_elementwise:
        written = _symbol(use, number)
        return _unsummed(written) if "Σ" in written else written  # an operand that is repeated is broadcast
    own = _gates(use, number)
    return _formula(use, own[1], number) if len(own) > 1 else JACOBIAN


def _gates(use: Use, number: int) -> tuple[str, ...]:
    """Return what the adjoint of the value is multiplied by, and the tangent of an operand, as far as that is known."""
    gates = use.block.words.gates
    gate = _chosen(use, gates[min(number, len(gates) - 1)]) if gates else ()
    texts = (gate,) if isinstance(gate, str) else gate
    is_of_one = use.is_scalar and texts and texts[0].startswith("broadcast")
    return ("1",) if is_of_one else texts  # the sum of one number, or the mean, is that number


def _chosen(use: Use, words: Any) -> Any:
    """Return words that may depend on value and operands."""
    return words(use.value, *use.values) if callable(words) else words


def _slot(number: int) -> str:
    """Return what stands for an operand in a template."""
    return LETTERS[number] if number < len(LETTERS) else f"operand{number}"


def _partial(use: Use, number: int) -> str:
    """Return the formula of a partial, the short one where there is one; "" if none is known."""
    formulas = use.block.words.short or use.block.formulas
    return formulas[number] if number < len(formulas) else ""


def _own(use: Use, number: int) -> str:
    """Return a derivative without its formula: ``f′(x)`` or ``∂f/∂x``; of arrays a Jacobian by its shape."""
    if not (use.is_scalar or use.is_elementwise):
        return f"Jᵀ {np.size(use.value)}×{np.size(use.values[number])}"
    called, operand = formulas.short(use.block.symbol), use.words[_slot(number)]
    if called.isidentifier() and len(use.values) == 1:
        text = f"{called}′({operand})"
    else:  # an operator has no name: its value has one
        above = called if called.isidentifier() else use.words["y"]
        text = "/".join(f"∂{formulas.bracketed(each, formulas.CALL)}" for each in (above, operand))
    return _gate_of(use, number, "{y}", text)


def _gate_of(use: Use, number: int, template: str, text: str) -> str:
    """Return how an adjoint is multiplied entry by entry with a partial, and summed where its operand was repeated."""
    if use.is_scalar:
        return text
    summed = gates.sum_over(_summed(use, number), np.ndim(use.value))
    if text == "0":
        return "0"
    if text in ("1", "−1"):
        return text.replace("1", summed) if summed else text
    used = [use.values[LETTERS.index(key)] if key != "y" else use.value for key in re.findall(r"\{(\w)\}", template)]
    sign = "⊙" if any(map(np.ndim, used)) else "·"
    factor = formulas.bracketed(text, formulas.PRODUCT)
    return f"{sign} {factor}, {summed}" if summed else f"{sign} {factor}"


def _summed(use: Use, number: int) -> tuple[int, ...]:
    """Return the axes of the value along which an operand was repeated."""
    outer, inner = np.shape(use.value), np.shape(use.values[number])
    extra = len(outer) - len(inner)
    return tuple(k for k, size in enumerate(outer) if k < extra or (inner[k - extra] == 1 and size != 1))


def _unsummed(text: str) -> str:
    """Return the symbol of an edge without its sum."""
    before = text.rpartition("Σ")[0].rstrip(", ")
    return before if before not in ("", "−") else f"{before}1"


# ---- sentences ----


def _scalar_rule(use: Use, words: Words) -> str:
    """Return the template of the sentence for numbers."""
    with np.errstate(all="ignore"):
        for holds, case in words.cases:
            if holds(use.value, *use.values):
                return case
    operands = use.graph.operands(use.node)
    if words.twice and len(operands) == 2 and operands[0] == operands[1]:
        return words.twice
    return words.rule if words.rule != UNTOLD else _own_sentences(use)


def _own_sentences(use: Use) -> str:
    """Return a template of a sentence for each partial of a Block that has no words."""
    return " ".join(
        f"The local partial of {{y}} with respect to {{{_slot(number)}}} is {_explained_own(use, number)}."
        for number in dict.fromkeys(use.places)
    )


def _explained_own(use: Use, number: int) -> str:
    text = formulas.literally(_symbol(use, number))
    if use.is_scalar:
        return use.mark(text)
    if use.is_elementwise:
        return f"{use.mark(text.removeprefix('⊙ ').removeprefix('· '))}, entry by entry"
    return f"its Jacobian, a {np.size(use.value)}×{np.size(use.values[number])} matrix"


def _entry_by_entry(use: Use, text: str) -> str:
    """Return a template of a rule of numbers as one of arrays."""
    if "{partials}" not in text:
        return text
    given = {number: _symbol(use, number) for number in dict.fromkeys(use.places)}
    unsummed = {number: _unsummed(gate) if "Σ" in gate else gate for number, gate in given.items()}
    listed = captions.listed(
        [
            f"{{{_slot(k)}}} receives {formulas.literally(gates.received(gate, use.mark))}"
            for k, gate in unsummed.items()
        ]
    )
    if any("⊙" in gate for gate in given.values()):
        return _per_entry(text, listed)
    return text.replace("{partials}", listed)


def _forward_rule(use: Use, text: str) -> str:
    """Return the template of the sentence for tangents of arrays."""
    if not use.is_elementwise:
        return use.block.words.forward or LINEAR
    if "{partials}" not in text or "adjoint" in text:
        return ENTRY_BY_ENTRY
    listed = [
        f"the tangent of {{{_slot(number)}}} {formulas.literally(gates.passed_on(_forward_symbol(use, number)))}"
        for number in dict.fromkeys(use.places)
    ]
    return _per_entry(text, captions.listed(listed))


def _per_entry(text: str, listed: str) -> str:
    """Return a template with what is done with each entry in the place of the partials."""
    for sign, meaning in ((": ", ": entry by entry, "), (", ", ", so, entry by entry, ")):
        text = text.replace(f"{sign}{{partials}}", meaning + listed)
    return text.replace("{partials}", listed)


def _served(use: Use, number: int, axes: tuple[int, ...]) -> str:
    """Return why the adjoint of an operand is summed over some axes; "" where there are none."""
    if not axes:
        return ""
    name, count = use.words[_slot(number)], np.ndim(use.value)
    whom = "entry" if len(axes) == count else gates.AXES[axes].rstrip("s") if count == 2 else "layer"
    over = (
        "all entries"
        if len(axes) == count
        else f"the {gates.AXES[axes]}"
        if count == 2
        else gates.sum_over(axes, count)[2:]
    )
    whole = "" if _unsummed(_symbol(use, number)) == "1" else " of that"
    return f"{use.mark(name)} acts through every {whom}, so its adjoint is the sum{whole} over {over}."


def _filled(use: Use, template: str) -> str:
    """Return a template with the names and numbers of a node."""
    text = re.sub(
        r"\[([a-hA-H]+):([^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*)\]",
        lambda match: match[2] if _holds(use, match[1]) else "",
        template,
    )
    if "{partials}" in text:
        partials = captions.listed([_equation(use, number) for number in dict.fromkeys(use.places)])
        text = text.replace("{partials}", formulas.literally(partials))
    return formulas.fill(formulas.tight(text), use.words, use.mark)


def _holds(use: Use, mark: str) -> bool:
    """Return whether the operands that a mark names are nodes; in capitals, whether only that one is."""
    places = {LETTERS.index(letter) for letter in mark.lower()}
    differentiated = set(use.places)
    return places == differentiated if mark.isupper() else places <= differentiated


def _equation(use: Use, number: int) -> str:
    if "…" in use.words["y"]:
        return f"the partial with respect to {use.mark(use.words[_slot(number)])} is {use.mark(_symbol(use, number))}"
    return use.mark(formulas.fill(f"∂{{y}}/∂{{{_slot(number)}}} = ", use.words) + _symbol(use, number))


def _formula(use: Use, template: str, number: int = 0) -> str:
    words = {**use.words, "part": str(number)}
    written = formulas.tight(template) if use.is_elementwise else template
    return formulas.simplified(formulas.fill(written, words))


# ---- names ----


def _use(graph: Graph, names: Names, node: int, most: int) -> Use:
    operands, block, value = graph.operands(node), graph.blocks[node], graph.values[node]
    values = [graph.values[operand] if operand >= 0 else graph.literal(operand) for operand in operands]
    places = [place for place, operand in enumerate(operands) if operand >= 0]
    texts = [
        formulas.short(names(operand), most) if operand >= 0 else _constant(graph, node, place)
        for place, operand in enumerate(operands)
    ]
    key = next((text for operand, text in zip(operands, texts, strict=True) if operand < 0), "")
    words = {_slot(number): text for number, text in enumerate(texts)}
    words |= {"y": formulas.short(names(node), most), "n": "", "key": key, "shape": "", "size": ""}
    words |= {"places": key.removeprefix("[").removesuffix("]"), "f": formulas.short(block.name)}
    if places:
        first = values[places[0]]
        words["n"] = f"{np.size(first) / max(np.size(value), 1):g}"
        words["shape"] = captions.shape(np.shape(first))
        words["size"] = f"{np.size(value)}×{np.size(first)}"
    is_elementwise = bool(block.partials or block.words.short) or isinstance(block, SimpleBlock)
    is_scalar = not np.ndim(value) and not any(np.ndim(values[place]) for place in places)
    return Use(graph, node, block, value, places, words, values, is_elementwise, is_scalar)


def _constant(graph: Graph, node: int, place: int) -> str:
    """Return a constant as its name in the source, or as its value."""
    value = graph.literal(graph.operands(node)[place])
    is_condition = isinstance(value, bool | np.bool_) or (isinstance(value, np.ndarray) and value.dtype.kind == "b")
    is_key = isinstance(value, tuple) and any(map(np.ndim, value))
    is_large = isinstance(value, np.ndarray) and value.size > MOST_WRITTEN
    others = ast.Tuple if is_key else ast.Call if is_large else ast.Name
    kind = ast.expr if is_condition else ast.Name | ast.Attribute | others
    if written := captions.written(graph, node, place, kind):
        return formulas.short(MODULE.sub("", written[1:-1] if is_key and written.startswith("(") else written))
    if is_condition and graph.blocks[node].family == "selection":
        return "condition"
    if is_large:
        return "const"
    return formulas.tight(captions.literal(value))
