"""One warning for NaN and infinity in the results of an array program: the first operation that makes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.blocks import INPUT
from ...engine.recording.non_finite import is_finite as is_value_finite
from ...engine.recording.non_finite import non_finite
from ...engine.recording.tape import warn
from ...engine.trace_errors import NonFiniteWarning
from ..derivations.translation import Translation
from ..terms.array_terms import Term, in_order


def is_finite(results: Sequence[Any]) -> bool:
    """Whether no result has NaN or infinity."""
    return all(map(is_value_finite, results))


def report(found: Translation, arrays: Sequence[Any]) -> None:
    """Warn of the first operation that made NaN or infinity of finite operands, with its place in the user's source."""
    values: dict[Term, Any] = {}
    for term in in_order(found.results):
        if term.is_constant or term.operation is INPUT:
            values[term] = term.value if term.is_constant else arrays[term.value]
            continue
        operands = [values[each] for each in term.operands]
        with np.errstate(all="ignore"):
            values[term] = value = term.operation.compute(*operands)
        if not is_value_finite(value) and all(map(is_value_finite, operands)):
            known = found.known.get(term)
            origin = found.graph.origin(known.node) if known else None
            what = "the derivative of " if known and known.is_derivative else ""
            name = found.graph.blocks[known.node].name if known else term.name
            where = f"\n  at {origin}" if origin else ""
            warn(NonFiniteWarning(f"{non_finite(value)} arises in {what}{name} from finite operands.{where}"))
            return
