"""One warning for NaN and infinity in the results of an array program: the first operation that makes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.blocks import INPUT
from ...engine.recording.non_finite import is_finite as is_value_finite
from ...engine.recording.non_finite import non_finite
from ...engine.recording.tape import warn
from ...engine.trace_errors import NonFiniteWarning
from ..derivations.translation import Translation
from ..terms.array_terms import Term, in_order
from ..terms.loop_terms import LOOP


def is_finite(results: Sequence[Any]) -> bool:
    """Whether no result has NaN or infinity."""
    return all(map(is_value_finite, results))


class Computed(NamedTuple):
    """A value, whether all of its operands were finite, what it is of, and its place in the user's source."""

    value: Any
    is_first: bool
    name: str
    origin: Any


def report(found: Translation, arrays: Sequence[Any]) -> None:
    """Warn of the first operation that made NaN or infinity of finite operands, with its place in the user's source."""
    has_loops = any(term.operation is LOOP for term in in_order(found.results))
    with np.errstate(all="ignore"):
        for each in (_by_graph if has_loops else _by_terms)(found, arrays):
            if each.is_first and not is_value_finite(each.value):
                where = f"\n  at {each.origin}" if each.origin else ""
                what = f"{non_finite(each.value)} arises in {each.name} from finite operands."
                warn(NonFiniteWarning(what + where))
                return
    if has_loops:
        warn(NonFiniteWarning(f"NaN or infinity arises in the derivative of {found.graph.title}, in a loop."))


def _by_terms(found: Translation, arrays: Sequence[Any]) -> Iterator[Computed]:
    values: dict[Term, Any] = {}
    for term in in_order(found.results):
        if term.is_constant or term.operation is INPUT:
            values[term] = term.value if term.is_constant else arrays[term.value]
            continue
        operands = [values[each] for each in term.operands]
        values[term] = term.operation.compute(*operands)
        known = found.known.get(term)
        what = "the derivative of " if known and known.is_derivative else ""
        name = found.graph.blocks[known.node].name if known else term.name
        origin = found.graph.origin(known.node) if known else None
        yield Computed(values[term], all(map(is_value_finite, operands)), f"{what}{name}", origin)


def _by_graph(found: Translation, arrays: Sequence[Any]) -> Iterator[Computed]:
    """The values of the function, iteration by iteration: its terms have loops as a whole."""
    graph, values = found.graph, dict[int, Any]()
    given = iter(arrays)
    for node, block in enumerate(graph.blocks):
        if block is INPUT:
            values[node] = next(given)
        elif graph.live[node]:
            operands = [values[k] if k >= 0 else graph.literal(k) for k in graph.operands(node)]
            values[node] = block.compute(*operands)
            yield Computed(values[node], all(map(is_value_finite, operands)), block.name, graph.origin(node))
