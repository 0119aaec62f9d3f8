"""Where NaN and infinity begin, in sentences: in the values of a graph, and in what a sweep sends along edges."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

import numpy as np

from ...engine.sweeps import is_finite, non_finite, origins_of_values
from ...graph.graph import Graph
from ..scene import captions

Name = Callable[[int], str]
SIGNS = {"NaN": "NaN", "infinity": "∞"}


class ValueOrigin:
    """The first value of a graph that is not finite, if any, and what to say of it.

    >>> import adviz, numpy as np, warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     graph = adviz.trace(lambda x: np.log(x) + x, -1.0)
    >>> origin = ValueOrigin(graph, lambda node: f"v{node}")
    >>> origin.fact(), origin.place()
    ('log(−1) has no real value', 'v1, line 2')
    """

    def __init__(self, graph: Graph, name: Name):
        self.graph, self.name = graph, name
        inputs = (node for node in graph.inputs if graph.live[node] and not is_finite(graph.values[node]))
        begun = (node for node in origins_of_values(graph) if graph.live[node])
        self.node = next(chain(inputs, begun), None)

    @property
    def reaches_the_result(self) -> bool:
        """Whether a result is not finite."""
        return self.node is not None and not all(is_finite(self.graph.values[node]) for node in self.graph.outputs)

    def told(self) -> str:
        """Return what is said of the values before a sweep; "" if all are finite."""
        if self.node is None:
            return ""
        what = SIGNS[non_finite(self.graph.values[self.node])]
        after = "NaN" if what == "NaN" else "infinite or NaN"
        spread = (
            f"What is computed from it is {after} as well"
            if self.reaches_the_result
            else "The result is finite all the same, but its derivatives may not be"
        )
        return f"{self.fact()}. {spread}: look at {self.place()}, where the first {what} appeared."

    def fact(self) -> str:
        """Return what is wrong: ``log(−1) has no real value``."""
        node, graph = self.node, self.graph
        if node is None:
            return ""
        value = graph.values[node]
        what = SIGNS[non_finite(value)]
        if np.ndim(value):
            counts = {"NaN": int(np.isnan(value).sum()), "infinite": int(np.isinf(value).sum())}
            (word, count), *others = [each for each in counts.items() if each[1]]
            text = f"{count:,} of the {value.size:,} entries of {self.name(node)} {be(count)} {word}"
            return " and ".join([text, *(f"{more:,} {be(more)} {other}" for other, more in others)])
        if not graph.operands(node):
            return f"{self.name(node)}, an argument, is {what}"
        call = captions.applied(graph, node, [self._figure(operand) for operand in graph.operands(node)])
        return f"{call} has no real value" if what == "NaN" else f"{call} is {captions.decimals(value)}"

    def place(self) -> str:
        """Return where it begins: ``log(a), line 6``."""
        return placed(self.graph, self.node, self.name)

    def _figure(self, operand: int) -> str:
        if operand < 0:
            return captions.operand(self.graph, operand)
        value = self.graph.values[operand]
        return captions.value(value) if np.ndim(value) else captions.decimals(value)


def be(count: int) -> str:
    """Return the verb for so many things."""
    return "is" if count == 1 else "are"


def placed(graph: Graph, node: int | None, name: Name) -> str:
    """Return the name of a node with its line."""
    if node is None:
        return ""
    origin = graph.origin(node)
    return f"{name(node)}, line {origin.line}" if origin else name(node)


def broken(given: Any, partial: Any, product: Any, flow: str = "adjoint") -> str:
    """Return what to say where a finite derivative is multiplied to one that is not; "" where it is not so.

    >>> broken(1.0, np.inf, np.inf)
    'The local partial is infinite here: this is the first adjoint that is not finite.'
    """
    if not is_finite(given) or is_finite(product):
        return ""
    entries = np.asarray(partial, float)
    reason = (
        f"The local partial is {'undefined' if np.isnan(entries).any() else 'infinite'} here"
        if not is_finite(entries)
        else "The product is too large for a floating-point number"
    )
    return f"{reason}: this is the first {flow} that is not finite."


def not_finite(values: Iterable[Any]) -> bool:
    """Return whether any of some numbers and arrays is not finite."""
    return not all(map(is_finite, values))
