"""Scopes that are made alike, as one each: all iterations of a loop, or those of its iterations with equal contents."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..scopes import ITERATION, PART, ScopeTree

MOST_RANGES = 3
"""Ranges of iterations that are written out."""


class ScopeGroups(NamedTuple):
    """Groups of scopes: the first scope of each and the group around it (-1 for none); the group of every scope."""

    firsts: list[int]
    parents: list[int]
    numbers: np.ndarray


def alike(tree: ScopeTree, by_iteration: bool = False) -> ScopeGroups:
    """Group the scopes: those of one call in the source, and those of one loop with its iterations and parts.

    With ``by_iteration``, the iterations of a loop with equal contents are a group of their own.
    """
    known: dict[Any, int] = {}
    firsts, parents, groups = list[int](), list[int](), list[int]()
    places = zip(tree.kinds, tree.parents, tree.places, tree.signatures, strict=True)
    for scope, (kind, parent, (code, offset), signature) in enumerate(places):
        around = groups[parent] if parent >= 0 else -1
        if kind == ITERATION and by_iteration:
            key: Any = (around, signature)
        elif kind in (ITERATION, PART) and parent >= 0:
            groups.append(around)
            continue
        else:
            key = (around, kind, id(code), offset)
        group = known.setdefault(key, len(known))
        if group == len(firsts):
            firsts.append(scope)
            parents.append(around)
        groups.append(group)
    return ScopeGroups(firsts, parents, np.array(groups, np.int32))


def iteration_names(tree: ScopeTree, groups: ScopeGroups) -> dict[int, str]:
    """Return what each group of iterations is called, such as ``iterations 1–37, 39–100``."""
    kinds, ordinals = np.frombuffer(tree.kinds, np.int8), np.frombuffer(tree.ordinals, np.int32)
    iterations = np.flatnonzero(kinds == ITERATION)
    pairs = np.unique(groups.numbers[iterations].astype(np.int64) << 32 | ordinals[iterations])  # nested ones repeat
    starts = np.flatnonzero(np.diff(pairs >> 32, prepend=-1))
    ends = [*starts[1:].tolist(), len(pairs)]
    return {
        int(pairs[start] >> 32): iterations_text(pairs[start:end] & 0xFFFFFFFF)
        for start, end in zip(starts.tolist(), ends[: len(starts)], strict=True)
    }


def iterations_text(ordinals: np.ndarray) -> str:
    """Return what the iterations with these numbers, in order, are called.

    >>> iterations_text(np.array([38])), iterations_text(np.array([1, 2, 3, 5]))
    ('iteration 38', 'iterations 1–3, 5')
    >>> iterations_text(np.arange(1, 3000, 3))
    'iterations 1, 4, 7, … (1,000 of them)'
    """
    breaks = [0, *(np.flatnonzero(np.diff(ordinals) > 1) + 1).tolist(), len(ordinals)]
    ends = [(ordinals[start], ordinals[end - 1]) for start, end in pairwise(breaks[: MOST_RANGES + 1])]
    ranges = ", ".join(f"{first:,}" if first == last else f"{first:,}–{last:,}" for first, last in ends)
    more = f", … ({len(ordinals):,} of them)" if len(breaks) > MOST_RANGES + 1 else ""
    return f"iteration{'s' if len(ordinals) > 1 else ''} {ranges}{more}"
