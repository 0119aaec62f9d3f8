"""What edges carry in a sweep, in words and in formulas: products with their factors, and what they add up to."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..scene import captions, formulas
from ..scene.formulas import Tree
from . import local_partials, symbols
from .flows import EdgeKey, Flow
from .folds.folded_graph import Fold
from .source_names import SourceNames

MOST_TERMS = 5  # the most terms of a sum that is written out


class Contributions(NamedTuple):
    """The products and sums of one sweep; ``names`` are those of the source."""

    flow: Flow
    names: SourceNames

    # ---- numbers ----

    def is_array(self, edge: EdgeKey) -> bool:
        """Return whether anything but numbers meets at an edge."""
        sent = self.flow.sent.get(edge)
        ends = (self.flow.source(edge), self.flow.target(edge))
        carried = (sent.given, sent.product) if sent else ()
        return any(map(np.ndim, (*carried, *(self.flow.graph.values[end] for end in ends))))

    def partial(self, edge: EdgeKey) -> float:
        """Return the local partial on an edge between numbers."""
        with np.errstate(all="ignore"):
            jacobian = self.flow.graph.local_jacobians(edge[0])[edge[1]][1]
            return float(np.reshape(jacobian.dense(), -1)[0])

    def symbol(self, edge: EdgeKey) -> str:
        """Return how the local partial on an edge is written."""
        return local_partials.symbol(self.flow.graph, *edge, self.names, not self.flow.reverse)

    def factors(self, edge: EdgeKey) -> str:
        """Return a product of numbers before it is multiplied out: ``1 · 0.5403``."""
        given = captions.decimals(self.flow.sent[edge].given)
        return f"{given} · {bracketed(captions.decimals(self.partial(edge)))}"

    def equation(self, edge: EdgeKey) -> str:
        """Return a product of numbers with its result: ``1 · 0.5403 = 0.5403``, or ``≈`` where digits are left out."""
        sent = self.flow.sent[edge]
        with np.errstate(all="ignore"):
            printed = np.multiply(printed_number(sent.given), printed_number(self.partial(edge)))
        result = captions.decimals(sent.product)
        return f"{self.factors(edge)} {'=' if captions.decimals(float(printed)) == result else '≈'} {result}"

    def terms(self, node: int) -> list[Any]:
        """Return the contributions to a node, in the order of their arrival."""
        begun = [self.flow.seeds[node]] if node in self.flow.seeds else []
        return begun + [self.flow.sent[edge].product for edge in self.flow.contributions(node)]

    def added(self, node: int) -> str:
        """Return the sum of the contributions to a number: ``2 + 0.5403 = 2.5403``."""
        terms = self.terms(node)
        first, *others = [captions.decimals(each) for each in terms]
        shown = captions.few([first, *map(bracketed, others)], "…", MOST_TERMS)
        total = captions.decimals(self.flow.results[node])
        with np.errstate(all="ignore"):
            printed = captions.decimals(float(np.sum([printed_number(each) for each in terms])))
        return f"{' + '.join(shown)} {'=' if printed == total else '≈'} {total}"

    # ---- words ----

    def told(self, edge: EdgeKey, mark: Callable[[str], str] = str) -> str:
        """Return what an edge passes on: ``1·cos x = 1·0.5403 = 0.5403``, or for arrays ``a 4×3 matrix``.

        ``mark`` is applied to the symbol of the partial.
        """
        sent = self.flow.sent[edge]
        if self.is_array(edge):
            shape = np.shape(sent.product)
            return captions.a(captions.kind(shape)) if shape else captions.decimals(sent.product)
        figures = self.equation(edge).replace(" · ", "·")
        symbol, given = self.symbol(edge), captions.decimals(sent.given)
        is_said = symbol == captions.decimals(self.partial(edge))
        return figures if is_said else f"{given}·{mark(grouped(symbol))} = {figures}"

    def _around(self, edge: EdgeKey) -> tuple[str, str]:
        """Return what stands before a derivative and after it where it passes a gate."""
        if isinstance(self.flow.graph.blocks[edge[0]], Fold):
            return "Jᵀ · " if self.flow.reverse else "J · ", ""
        return sides(self.symbol(edge))

    # ---- formulas ----

    def marked(self, node: int) -> Tree:
        """Return the adjoint or tangent of a node in a formula: its name under a bar or a dot."""
        name = self.names(node)
        if self.flow.reverse or len(name) == 1:
            return ["bar" if self.flow.reverse else "dot", ["id", name]]
        # Over several letters a dot would seem to belong to the one that it stands above.
        return formulas.row(["id", name if name.isidentifier() else f"({name})"], formulas.op("˙"))

    def product(self, edge: EdgeKey) -> Tree:
        """Return the product on an edge: ``x̄ += v̄ · cos x = 1 · 0.5403 = 0.5403``."""
        flow, symbol = self.flow, self.symbol(edge)
        given, left = self.marked(flow.source(edge)), formulas.row(self.marked(flow.target(edge)), formulas.op("+="))
        if self.is_array(edge):
            before, after = self._around(edge)
            return formulas.row(left, ["id", before], given, ["id", after])
        signs = formulas.row(given, formulas.op("·"), ["id", symbols.bracketed(symbol, symbols.PRODUCT)])
        figures = [["num", part] for part in re.split(r" [=≈] ", self.equation(edge))]
        return formulas.row(left, formulas.chain(signs, *figures))

    def total(self, node: int) -> Tree:
        """Return the sum at a node: ``x̄ = 2 + 0.5403 = 2.5403``."""
        result = self.flow.results[node]
        if np.ndim(result):
            count = captions.plural(len(self.flow.contributions(node)), "contribution")
            return formulas.chain(self.marked(node), ["text", f"the sum of {count}"])
        return formulas.row(self.marked(node), formulas.op("="), ["text", self.added(node)])


def bracketed(number: str) -> str:
    """Return a number as a second term or factor: in brackets if it is negative."""
    return f"({number})" if number.startswith("−") else number


def grouped(symbol: str) -> str:
    """Return a formula as a second factor: in brackets where it begins with a sign, is a quotient, or is a sum.

    >>> grouped("cos x"), grouped("1/x"), grouped("2·(x + y)")
    ('cos x', '(1/x)', '2·(x + y)')
    """
    depth = 0
    for place, character in enumerate(symbol):
        depth += (character in "([") - (character in ")]")
        if not depth and (character in "/+−" or symbol[place : place + 2] in ("− ", "- ")):
            return f"({symbol})"
    return symbol


def printed_number(value: Any) -> float:
    """Return a number as it is printed, so that printed terms can be compared with a printed result."""
    return float(captions.decimals(value).replace("−", "-").replace("∞", "inf"))


def sides(symbol: str) -> tuple[str, str]:
    """Return what stands before a derivative, and after it, where it passes a gate: ``Xᵀ ·``, ``· Wᵀ``, ``Σ rows``."""
    if "(…)" in symbol:
        before, _, after = symbol.partition("(…)")
        return before, after
    if symbol.startswith("["):
        return "", symbol
    if symbol.endswith("·"):
        return f"{symbol} ", ""
    if symbol == "1":
        return "", ""
    if symbol == "−1":
        return "−", ""
    if symbol.startswith(("⊙", "·", "at ", "part ", "as ", "⋆", "∗")):
        return "", f" {symbol}"
    return f"{symbol}(", ")"


def applied(given: str, symbol: str) -> str:
    """Return what becomes of a derivative at a gate: ``Xᵀ · h̄``, ``h̄ ⊙ (1 − h²)``, ``Σ rows(h̄)``.

    >>> applied("h̄", "· Wᵀ"), applied("h̄", "Σ rows"), applied("h̄", "1")
    ('h̄ · Wᵀ', 'Σ rows(h̄)', 'h̄')
    """
    before, after = sides(symbol)
    return f"{before}{given}{after}"
