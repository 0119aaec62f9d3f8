"""What the terms of a program are called: as in the user's source, ``h_adj`` for adjoints, ``h_dot`` for tangents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from ...engine.blocks import OUTPUT
from ...engine.rules.reshaping import RESHAPE
from ...graph.graph import Graph
from ..derivations.translation import Translation
from ..points.source_text import new_name
from ..terms.array_terms import Term

CALLED = "()"
"""What the name of a function ends with where a node is what it returns."""


class Names:
    """Names of terms, all different; ``values`` are the results of the user's function.

    Some terms have names that are wanted (``preset``), or that they are to have although they are taken (``exact``).
    """

    def __init__(
        self,
        translation: Translation,
        parameters: Mapping[int, str],
        taken: Iterable[str],
        values: Sequence[Term] = (),
        preset: Mapping[Term, str] | None = None,
        exact: Mapping[Term, str] | None = None,
    ):
        self.translation, self.parameters, self.values = translation, parameters, values
        self.preset, self.exact = preset or {}, exact or {}
        self.used = dict.fromkeys((*taken, *parameters.values()), 2)

    def of_input(self, term: Term) -> str:
        """Return the name of an input."""
        return self.parameters[term.value]

    def of(self, term: Term) -> str:
        """Return the name of a term."""
        return self.exact.get(term) or self.new(self.wanted(term))

    def wanted(self, term: Term) -> str:
        """Return what to call a term: the user's name, or a part of the value or adjoint that it belongs to."""
        if term in self.preset:
            return self.preset[term]
        if term in self.values and not self.is_users(term):
            return "value"
        known, base = self.translation.known.get(term), term
        while base.is_of(RESHAPE) and known is None:
            base = base.operands[0]
        word = base.noun
        if known is None:
            return word
        if known.is_derivative:
            adjoint = f"{self.of_node(known.node)}{self.translation.suffix}"
            return adjoint if known.is_mark else f"{adjoint}_{word}"
        return self.of_node(known.node)

    def is_users(self, term: Term) -> bool:
        """Return whether the user has named a term, or the value whose adjoint it is."""
        known = self.translation.known.get(term)
        return known is not None and (known.is_mark or not known.is_derivative) and bool(self._users[known.node])

    def of_node(self, node: int) -> str:
        """Return the user's name for a node, or the name of the value around it with the operation: ``h_sum``."""
        graph = self.translation.graph
        if name := self._users[node]:
            return name
        word = graph.blocks[node].noun or graph.blocks[node].name
        around = self._around[node]
        return around.removesuffix(CALLED) if around.endswith(CALLED) else f"{around}_{word}" if around else word

    @cached_property
    def _users(self) -> list[str]:
        graph = self.translation.graph
        return ["" if block is OUTPUT else graph.name(node) or "" for node, block in enumerate(graph.blocks)]

    @cached_property
    def _around(self) -> list[str]:
        """For each node the name of the value that its expression in the user's source computes."""
        return values_around(self.translation.graph, self._users)

    def new(self, wanted: str, otherwise: str = "v") -> str:
        """Return an identifier that is not used yet."""
        return new_name(wanted, otherwise, self.used)


def values_around(graph: Graph, names: Sequence[str]) -> list[str]:
    """Return for each node the name of the value that its expression computes.

    That is the next value that is assigned on the same lines of the source, or else the first, as for what a derivative
    takes besides; or what is returned: "value", or the name of the function that the user's function calls, with
    brackets where it is what that returns.
    """
    result, following, last = [""] * len(graph), "", None
    main = next((each.function for each in map(graph.origin, range(len(graph))) if each is not None), "")
    last_of = {call: node for node, call in enumerate(graph.calls)}
    assigned: dict[tuple[str, int], str] = {}
    for node, name in enumerate(names):
        if name and (origin := graph.origin(node)) is not None:
            assigned.setdefault((origin.file, origin.line), name)
    for node in range(len(graph) - 1, -1, -1):
        origin = graph.origin(node)
        if origin is None:
            continue
        if names[node]:
            following, last = names[node], origin
        elif last is not None and last.file == origin.file and last.line <= origin.line <= last.end_line:
            result[node] = following
        elif (origin.file, origin.line) in assigned:
            result[node] = assigned[origin.file, origin.line]
        else:
            called = origin.function.rpartition(".")[2]
            is_last = last_of[graph.calls[node]] == node
            result[node] = ("" if following else "value") if origin.function == main else f"{called}{CALLED * is_last}"
    return result
