"""Names of nodes as a reader of the source knows them: ``x``, ``h``, ``sin(x)``, ``x·y``.

A node that the program gives a name has that name; where several nodes have the same one, as in a loop, they are
numbered like iterates: ``h⁽¹⁾``, ``h⁽²⁾``; an input from which they start keeps its name: ``x``, ``x⁽¹⁾``. Any other
node is written as the expression that computes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ...engine.rules.reshaping import TRANSPOSE
from ...graph.graph import WRITE, Graph
from ...graph.scopes import EXPRESSION
from ..scene import captions
from .flows import shown
from .folds.folded_graph import Fold, whole

RESULT = "the result"  # what an output is called where nodes have names: it is the node that is returned
LONGEST = 18  # the most characters of an expression in a name
LONGEST_SIDE = 40  # the most characters of an expression that stands beside a name
LONGEST_OPERAND = 10  # the most characters of a nameless operand in it
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

SUM, PRODUCT, SIGN, POWER, ATOM = range(5)
INFIX = {
    "+": (" + ", SUM),
    "-": (" − ", SUM),
    "*": ("·", PRODUCT),
    "/": (" / ", PRODUCT),
    "@": (" @ ", PRODUCT),
}
"""How operators are written, and how strongly they bind."""
GROUPED_AT_RIGHT = {"-", "/", "@"}
SHORT_POWERS = {"2": "²", "3": "³"}


class SourceNames:
    """The names of some nodes of a graph; ``shown`` are the nodes that need different names.

    >>> import adviz, numpy as np
    >>> graph = adviz.trace(lambda x, y: np.sin(x) + x * y, 1.0, 2.0)
    >>> names = SourceNames(graph, range(5))
    >>> [names(node) for node in range(5)]
    ['x', 'y', 'sin(x)', 'x·y', 'f']
    """

    def __init__(self, graph: Graph, shown: Iterable[int], title: str = "f"):
        self.graph = graph
        self.found: dict[int, tuple[str, int]] = {}
        self.function = captions.shortened(title) if title.isidentifier() else "f"
        self._name_results()
        shown = list(shown)
        alike = Counter(self(node) for node in shown)
        for node in self._results():
            if alike[self(node)] > 1:  # a variable that the program sets again and again, and returns in the end
                alike[self(node)] -= 1
                self.found[node] = self.function, ATOM
        turn: Counter[str] = Counter()
        for node in shown:
            name, strength = self._bound(node)
            if alike[name] > 1 and name not in turn and graph.blocks[node].name == "input":
                turn[name] = 0
            elif alike[name] > 1:
                turn[name] += 1
                numbered = f"{self._bracketed(node, ATOM)}⁽{str(turn[name]).translate(SUPERSCRIPTS)}⁾"
                self.found[node] = numbered, max(strength, POWER)

    def __call__(self, node: int) -> str:
        """Return the name of a node."""
        return self._bound(node)[0]

    def expression(self, node: int) -> str:
        """Return how a node is computed, in the names of its operands; "" if that is long, or if it is not computed."""
        if whole(self.graph).blocks[node].name in ("input", "output", WRITE):
            return ""
        text, _ = self._expression(node)
        return text if len(text) <= LONGEST_SIDE else ""

    def factor(self, node: int) -> str:
        """Return the name of a node as a factor: sums in brackets."""
        return self._bracketed(node, PRODUCT)

    def _name_results(self) -> None:
        """The result is called after the function, unless the program has a name for it."""
        graph = self.graph
        several = len(graph.outputs) > 1
        alike = Counter(graph.names.get(output) for output in graph.outputs)
        for number, output in enumerate(graph.outputs):
            (node,) = graph.operand_nodes(output) or (None,)
            if node is None or node in self.found or self._given(node):
                continue
            name = graph.names.get(output, "")  # of several entries in one array all have the same
            place = name.removeprefix("result") if name.startswith("result[") and alike[name] == 1 else f"[{number}]"
            self.found[node] = (f"{self.function}{captions.shortened(place)}" if several else self.function), ATOM

    def _results(self) -> list[int]:
        """Return the node that is the only result."""
        result = [node for output in self.graph.outputs for node in self.graph.operand_nodes(output)]
        return result if len(result) == 1 and self.graph.blocks[result[0]].name != "input" else []

    def _given(self, node: int) -> str:
        """Return the name that the program gives a node; "" if it gives none, or gives it to a whole array."""
        graph = self.graph
        is_part = graph.scopes.kinds[graph.scopes.of_node[node]] == EXPRESSION
        if is_part and graph.blocks[node].name not in ("input", WRITE):
            return ""
        return captions.shortened(graph.name(node) or "")

    def _bound(self, node: int) -> tuple[str, int]:
        """Return the name of a node, and how strongly it binds. Operands come first: they have smaller numbers."""
        open_ = [node]
        while open_:
            each = open_[-1]
            waiting = [] if each in self.found or self._given(each) else self._unknown(each)
            if waiting:
                open_ += waiting
                continue
            open_.pop()
            if each not in self.found:
                self.found[each] = self._named(each)
        return self.found[node]

    def _unknown(self, node: int) -> list[int]:
        operands = {*self.graph.operand_nodes(node), *whole(self.graph).operand_nodes(node)}
        return [each for each in operands if each not in self.found]

    def _named(self, node: int) -> tuple[str, int]:
        if given := self._given(node):
            return given, ATOM
        block = self._called(node) or whole(self.graph).blocks[node].name
        if block == "input":
            return f"v{node}", ATOM
        text, strength = self._expression(node)
        if len(text) <= LONGEST:
            return text, strength
        text, strength = self._expression(node, LONGEST_OPERAND)
        return (text, strength) if len(text) <= LONGEST else (f"{block}(…)", ATOM)

    def _called(self, node: int) -> str:
        """Return the function that a folded node is a call of; "" for any other node."""
        fold = self.graph.blocks[node]
        return captions.shortened(fold.place.called) if isinstance(fold, Fold) else ""

    def _expression(self, node: int, longest: int = 10**6) -> tuple[str, int]:
        """Return how a node is computed, with operands of more than ``longest`` characters left out."""
        called = self._called(node)
        graph = self.graph if called else whole(self.graph)
        record, operands = graph.blocks[node], graph.operands(node)
        block, sign = record.name, record.operator

        def word(place: int, strength: int) -> str:
            operand = operands[place]
            if operand < 0:
                text = captions.constant(graph, node, place).replace("-", "−")
                return f"({text})" if text.startswith("−") and strength > SUM else text
            text = self._bracketed(operand, strength)
            return text if len(text) <= longest else "…"

        if sign in INFIX and len(operands) == 2:
            between, strength = INFIX[sign]
            return f"{word(0, strength)}{between}{word(1, strength + (sign in GROUPED_AT_RIGHT))}", strength
        if block == "output":
            return self._bound(operands[0]) if operands[0] >= 0 else (word(0, SUM), ATOM)
        if sign == "-":
            is_product = operands[0] >= 0 and self._bound(operands[0])[1] == PRODUCT  # −x·y divides as x·y does
            return f"−{word(0, PRODUCT)}", PRODUCT if is_product else SIGN
        if sign == "**" and (len(operands) == 1 or operands[1] < 0):
            exponent = "2" if len(operands) == 1 else captions.literal(graph.literal(operands[1])).replace("-", "−")
            return word(0, ATOM) + SHORT_POWERS.get(exponent, f"^{exponent}"), POWER
        if record.symbol == captions.TAKEN and len(operands) == 2:
            return f"{word(0, ATOM)}[{word(1, SUM)}]", ATOM
        if record is TRANSPOSE:
            return f"{word(0, ATOM)}ᵀ", ATOM
        words = captions.telling([word(place, SUM) for place in range(len(operands))])
        return f"{called or captions.shortened(block)}({', '.join(captions.few(words, '…', 4))})", ATOM

    def _bracketed(self, node: int, strength: int) -> str:
        text, own = self._bound(node)
        return text if own >= strength else f"({text})"


class NodeNames:
    """What a run calls its nodes: as its picture does, or by their numbers where the picture has no ``names``.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: x * x, 3.0)
    >>> numbers, names = NodeNames(graph, None), NodeNames(graph, SourceNames(graph, range(2)))
    >>> [numbers(node) for node in range(3)], [names(node) for node in range(3)]
    (['v0 (x)', 'v1', 'v2'], ['x', 'f', 'the result'])
    >>> numbers.sides(1), names.sides(1)
    (['v1 = v0 × v0'], ['f', 'x·x'])
    """

    def __init__(self, graph: Graph, names: SourceNames | None):
        self.graph, self.names = graph, names
        self._returned = [shown(graph, node) for node in graph.outputs]

    def __call__(self, node: int) -> str:
        """Return the name of a node on all panels; a number with the name that the node has in the program."""
        if not self.names:
            name = self.graph.name(node)
            return f"v{node} ({captions.shortened(name)})" if name else f"v{node}"
        if not self.is_result(node):
            return self.names(node)
        if len(self._returned) == 1:
            return RESULT
        returned = shown(self.graph, node)
        several = self._returned.count(returned) > 1
        return f"{RESULT} {f'[{self.graph.outputs.index(node)}]' if several else self.names(returned)}"

    def sides(self, node: int) -> list[str]:
        """Return a node and how it is computed, as far as its name does not say so."""
        if not self.names:
            return [captions.formula(self.graph, node)]
        return [*dict.fromkeys(filter(None, [self(node), self.names.expression(node)]))]

    def is_result(self, node: int) -> bool:
        """Return whether a node is an output that is called a result."""
        return bool(self.names) and self.graph.blocks[node].name == "output"


def sentence(text: str) -> str:
    """Return a sentence with a capital letter where it begins with "the result"; a name of the source stays as it is.

    >>> sentence("the result is 3."), sentence("x is given: 3.")
    ('The result is 3.', 'x is given: 3.')
    """
    return text[0].upper() + text[1:] if text.startswith(RESULT) else text
