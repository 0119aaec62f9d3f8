"""Where vertices and letters of a graph stand while it is factored: copies come out of what they are copies of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..scene.panels import Place
from .elimination_places import End, Places, Wire, first_places, relaxed, stage


class Still(NamedTuple):
    """What there is after a step: vertices, edges, and by the key of each new one that of what it is a copy of."""

    ends: list[End]
    wires: list[Wire]
    sources: Mapping[str, str] = {}


def size(stills: Sequence[Still]) -> tuple[float, float]:
    """Return the width and the height of a stage that has room for every still."""
    found = [stage(still.ends, still.wires) for still in stills]
    return max(w for w, _ in found), max(h for _, h in found)


def places(stills: Sequence[Still], W: float, H: float) -> list[Place]:
    """Return where everything stands, and after how many steps.

    What is new stands where its source does until the step is over, so that the two are seen to come apart.

    >>> ends = [End("0", "input", 1), End("1", "output", 1)]
    >>> [key for _, key, *_ in places([Still(ends, [Wire("0.1", "0", "1", 92, 50)])], 780, 430)]
    ['vertex/0', 'vertex/1', 'label/0.1']
    """
    found: list[Place] = []
    known: Places = {}

    def keep(cursor: int, now: Mapping[str, tuple[float, float]]) -> None:
        found.extend([cursor, key, *place] for key, place in now.items() if known.get(key) != place)
        known.update(now)

    for cursor, still in enumerate(stills):
        if not cursor:
            keep(0, first_places(still.ends, still.wires, W, H))
            continue
        keep(cursor - 1, {new: known[old] for new, old in still.sources.items() if new not in known})
        keep(cursor, relaxed({**known}, still.ends, still.wires, W, H))
    return found
