"""What can be reached: the walk along edges of any kind."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def reachable(starts: Iterable[T], following: Callable[[T], Iterable[T]]) -> dict[T, None]:
    """Return ``starts`` and all that is reached from them, each once; ``following`` gives what is one edge away.

    >>> list(reachable([6], lambda k: [d for d in range(2, k) if k % d == 0]))
    [6, 2, 3]
    """
    result = dict.fromkeys(starts)
    waiting = list(result)
    while waiting:
        for each in following(waiting.pop()):
            if each not in result:
                result[each] = None
                waiting.append(each)
    return result
