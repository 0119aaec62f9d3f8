"""Running a loop backward with few states kept: the schedule of binomial checkpointing, and how many steps it takes.

The schedule is written as a text, because programs bring it along; :func:`revolve` is the function of that text.

Source: Griewank and Walther, Algorithm 799: revolve, ACM Transactions on Mathematical Software 26 (2000); proofs are in
Griewank and Walther, Evaluating Derivatives (2nd ed., 2008), section 12.3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from math import comb
from typing import Any

from ...graph.errors import OptionError
from ..program_errors import ProgramError

REVOLVE = '''
def revolve(n, checkpoints):
    """Yield the actions that reverse n iterations, the last one first, while few states are kept.

    ("keep", k): keep the state before iteration k, until that is reversed; ("restore", k): go back to it;
    ("advance", k): run iteration k; ("reverse", k): run it, and then its derivative. At most so many
    checkpoints are kept at the same time, and no schedule advances less often: Griewank and Walther,
    Algorithm 799: revolve, ACM Transactions on Mathematical Software 26 (2000).
    """
    kept, at = [0], 0
    yield "keep", 0
    for last in reversed(range(n)):
        if at > last:
            at = kept[-1]
            yield "restore", at
        while at < last:
            length, usable = last + 1 - at, checkpoints + 1 - len(kept)
            repeats, before, reach = 0, 0, 1
            while reach < length:  # iterations that can be reversed if each advances so many times
                repeats += 1
                before, reach = reach, reach * (usable + repeats) // repeats
            stop = at + min(before, length - before * usable // (usable + repeats - 1))
            for k in range(at, stop):
                yield "advance", k
            at = stop
            if at < last:
                kept.append(at)
                yield "keep", at
        yield "reverse", last
        at = last + 1
        if kept[-1] == last:
            kept.pop()
'''
Action = tuple[str, int]
_scope: dict[str, Any] = {}
exec(REVOLVE, _scope)
revolve: Callable[[int, int], Iterator[Action]] = _scope["revolve"]
"""The actions that reverse so many iterations with so many checkpoints: what the text says."""

UNITS = {"bytes": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
UNITS |= {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}


def fewest_advances(n: int, checkpoints: int) -> int:
    """Return how often an iteration is advanced past, at least, to reverse ``n`` of them with so many ``checkpoints``.

    With r the smallest number for which binom(c + r, c) ≥ n, that is r n - binom(c + r, c + 1): no iteration is
    advanced past more than r times. The run that precedes its derivative is not counted.

    >>> fewest_advances(10, 3), fewest_advances(10, 1)
    (15, 45)
    """
    repeats = 0
    while comb(checkpoints + repeats, checkpoints) < n:
        repeats += 1
    return repeats * n - comb(checkpoints + repeats, checkpoints + 1)


def most_kept(n: int, checkpoints: int) -> int:
    """Return how many states :func:`revolve` keeps at the same time, at most.

    >>> most_kept(10, 3), most_kept(2, 3)
    (3, 1)
    """
    return min(checkpoints, max(n - 1, 1))


def checkpoint_count(checkpoints: object, state_bytes: int) -> int:
    """Return the number of checkpoints that is meant by a number, or by a text of bytes, in which so many states fit.

    Raises :class:`~adviz.OptionError` for anything else, and :class:`~adviz.ProgramError` where no state fits.

    >>> checkpoint_count(5, 1000), checkpoint_count("64 kB", 1000)
    (5, 64)
    """
    if isinstance(checkpoints, int) and not isinstance(checkpoints, bool) and checkpoints > 0:
        return checkpoints
    text = checkpoints.strip().lower() if isinstance(checkpoints, str) else ""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]+)", text, re.ASCII)
    if found is None or found[2] not in UNITS:
        raise OptionError(
            f"checkpoints is {checkpoints!r}; it can be a number of states, such as 5, or the bytes that they may "
            'take, such as "64 MB".'
        )
    limit = int(float(found[1]) * UNITS[found[2]])
    if limit < state_bytes:
        raise ProgramError(
            f"checkpoints is {checkpoints!r}, but one state takes {state_bytes:,} bytes. Allow as many at least."
        )
    return limit // max(state_bytes, 1)
