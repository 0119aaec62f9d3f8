"""The rules of entries that are added up at arrays of indices which are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.rules.gathering import SLOT
from ...engine.rules.outlines import outline_of
from ...engine.rules.reducing import SUM
from ...engine.rules.reshaping import RESHAPE
from .array_terms import Term, Terms
from .rewriting import fits, rule


def are_single(form: Sequence[Any], indices: Sequence[Any]) -> bool:
    """Whether no entry is taken twice at a form with these arrays of indices: all of one axis, and all different.

    >>> are_single((SLOT, SLOT), [np.arange(3), np.array([1, 1, 0])]), are_single((SLOT,), [np.array([1, 1])])
    (True, False)
    """
    plain = [np.asarray(each) for each in indices]
    if not plain or len(plain) != sum(part is SLOT for part in form) or any(each.ndim != 1 for each in plain):
        return False
    if any(each.dtype.kind not in "iu" or (each < 0).any() for each in plain) or len({each.size for each in plain}) > 1:
        return False
    rows = np.stack(plain, axis=1)
    return len(np.unique(rows, axis=0)) == len(rows)


@rule("sums", "the sum of a row of zeros and one entry v is v", "sum")
def _one_in_each_row(terms: Terms, a: Term, axis: Term, keepdims: Term) -> Term | None:
    if not a.is_of("scatter") or axis.value not in (1, (1,)) or len(a.shape) != 2:
        return None
    part, _, form, *indices = a.operands
    is_plain = len(indices) == 2 and all(slot is SLOT for slot in form.value) and indices[0].is_constant
    if not is_plain or not np.array_equal(indices[0].value, np.arange(a.shape[0])):
        return None
    wanted = outline_of(SUM, [a, axis, keepdims])
    found = terms.apply(RESHAPE, part, wanted[0])
    return found if fits(found, wanted) else None
