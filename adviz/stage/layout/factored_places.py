"""Where vertices and letters of a graph stand while it is factored: copies come out of what they are copies of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

import numpy as np

from ..scene.algebra_panels import Place
from .elimination_board import RIM, ROOM
from .elimination_places import DISC, End, Places, Wire, depths, first_places, relaxed, stage

TRIES, HIGHER = 4, 1.2  # how often, and by how much, a stage is made higher
ROUNDS, SHARE = 12, 0.1  # how often, and by what share of the way, things are drawn towards their neighbors
MOST_PATHS = 500  # whose order things are put in
TOUCHING = 1e-6  # lines that meet at an end do not cross


class Still(NamedTuple):
    """What there is after a step: vertices, edges, and by the key of each new one that of what it is a copy of."""

    ends: list[End]
    wires: list[Wire]
    sources: Mapping[str, str] = {}


def size(stills: Sequence[Still]) -> tuple[float, float]:
    """Return the width and the height of a stage that has room for every still."""
    result = [stage(still.ends, still.wires) for still in stills]
    crowd = max(_in_a_column(still) for still in stills)
    return max(w for w, _ in result), max([crowd * (DISC + ROOM) + 2 * RIM, *(h for _, h in result)])


def _in_a_column(still: Still) -> int:
    """Return how many intermediates, or edges, stand above each other at most: as many as are as deep."""
    before, after = depths(still.wires)
    inner = [end.key for end in still.ends if end.role == "intermediate"]
    vertices = Counter((before[key], after[key]) for key in inner if key in before)
    labels = Counter((before[wire.tail], after[wire.head]) for wire in still.wires)
    return max([*vertices.values(), *labels.values()], default=0)


def placed(stills: Sequence[Still]) -> tuple[float, float, list[Place]]:
    """Return the width and the height of a stage, and the places on it; it is higher where things would overlap."""
    w, h = size(stills)
    for _ in range(TRIES):
        result = places(stills, w, h)
        if not any(_overlap(still, cursor, result) for cursor, still in enumerate(stills)):
            break
        h = round(HIGHER * h, 1)
    return w, h, result


def _overlap(still: Still, cursor: int, found: Sequence[Place]) -> bool:
    """Return whether two things that are there after so many steps overlap."""
    at = {key: (x, y) for after, key, x, y in found if after <= cursor}
    boxes = [(*at[f"vertex/{end.key}"], end.w, DISC) for end in still.ends if f"vertex/{end.key}" in at]
    boxes += [(*at[f"label/{wire.key}"], wire.w, wire.h) for wire in still.wires]
    return any(
        abs(x - u) < (w + wide) / 2 and abs(y - v) < (h + high) / 2
        for (x, y, w, h), (u, v, wide, high) in combinations(boxes, 2)
    )


def places(stills: Sequence[Still], W: float, H: float) -> list[Place]:
    """Return where everything stands, and after how many steps.

    What is new stands where its source does until the step is over, so that the two are seen to come apart.

    >>> ends = [End("0", "input", 1), End("1", "output", 1)]
    >>> [key for _, key, *_ in places([Still(ends, [Wire("0.1", "0", "1", 92, 50)])], 780, 430)]
    ['vertex/0', 'vertex/1', 'label/0.1']
    """
    result: list[Place] = []
    known: Places = {}

    def keep(cursor: int, now: Mapping[str, tuple[float, float]]) -> None:
        result.extend([cursor, key, *place] for key, place in now.items() if known.get(key) != place)
        known.update(now)

    for cursor, (still, now) in enumerate(zip(stills, _settled(stills, W, H), strict=True)):
        if cursor:
            keep(cursor - 1, {new: known[old] for new, old in still.sources.items() if new not in known})
        keep(cursor, now)
    return result


def _settled(stills: Sequence[Still], W: float, H: float) -> list[Places]:
    """Return the places of each still, all settled from one of them: the last, or that in which the first thing ends.

    Going back, several copies that become one stand in their middle, so that the lines which are apart later do not
    cross then. It is the one from which fewer lines cross.
    """
    keys = [_keys(still) for still in stills]
    lost = [k for k, still in enumerate(stills) if k and keys[k - 1] - keys[k] - {*still.sources.values()}]
    tried = [_settled_from(base, stills, W, H) for base in {len(stills) - 1, min([*lost, len(stills)]) - 1}]
    return min(tried, key=lambda found: sum(map(_crossings, found, stills)))


def _keys(still: Still) -> set[str]:
    return {*(f"vertex/{end.key}" for end in still.ends), *(f"label/{wire.key}" for wire in still.wires)}


def _settled_from(base: int, stills: Sequence[Still], W: float, H: float) -> list[Places]:
    result = {base: _in_order(stills[base], W, H)}

    def settle(k: int, start: Places) -> None:
        result[k] = relaxed(_drawn_apart(start, stills[k]), stills[k].ends, stills[k].wires, W, H)

    for k in range(base - 1, -1, -1):
        after = result[k + 1]
        become: dict[str, list[tuple[float, float]]] = {key: [place] for key, place in after.items()}
        for new, old in stills[k + 1].sources.items():
            if new in after:
                become.setdefault(old, []).append(after[new])
        settle(k, {key: (fmean(x for x, _ in some), fmean(y for _, y in some)) for key, some in become.items()})
    for k in range(base + 1, len(stills)):
        before = result[k - 1]
        settle(k, {**before, **{new: before[old] for new, old in stills[k].sources.items() if new not in before}})
    return [result[k] for k in range(len(stills))]


def _in_order(still: Still, W: float, H: float) -> Places:
    """Return the first places, or those in which things stand in the order of the paths through them."""
    result = first_places(still.ends, still.wires, W, H)
    onward: dict[str, list[Wire]] = {}
    for wire in still.wires:
        onward.setdefault(wire.tail, []).append(wire)
    waiting: list[tuple[str, tuple[str, ...]]] = [(end.key, ()) for end in reversed(still.ends) if end.role == "input"]
    through: dict[str, list[int]] = {}
    count = 0
    while waiting and count < MOST_PATHS:
        vertex, path = waiting.pop()
        here = (*path, f"vertex/{vertex}")
        waiting += [(wire.head, (*here, f"label/{wire.key}")) for wire in reversed(onward.get(vertex, []))]
        if vertex not in onward:
            for key in here:
                through.setdefault(key, []).append(count)
            count += 1
    fixed = {f"vertex/{end.key}" for end in still.ends if end.role != "intermediate"}
    start = {key: (0.0, H * (fmean(paths) + 0.5) / count) for key, paths in through.items() if key not in fixed}
    other = relaxed({**result, **start}, still.ends, still.wires, W, H)
    return min(result, other, key=lambda each: _crossings(each, still))


def _crossings(places: Places, still: Still) -> int:
    """Return how many straight lines between centers cross."""
    ends = [(wire.key, end) for wire in still.wires for end in (wire.tail, wire.head)]
    lines = np.array([(*places[f"label/{key}"], *places[f"vertex/{end}"]) for key, end in ends]).reshape(-1, 4)
    start, along = lines[:, :2], lines[:, 2:] - lines[:, :2]

    def sides(points: np.ndarray) -> np.ndarray:
        """Return on which side of each line each point is."""
        to = points[None, :] - start[:, None]
        return along[:, None, 0] * to[..., 1] - along[:, None, 1] * to[..., 0]

    parted = sides(start) * sides(lines[:, 2:]) < -TOUCHING
    return int(np.triu(parted & parted.T, 1).sum())


def _drawn_apart(places: Places, still: Still) -> Places:
    """Return places in which what stands on one spot is drawn a little towards its neighbors, which gives an order."""
    near: dict[str, list[str]] = {}
    for wire in still.wires:
        for end in (wire.tail, wire.head):
            near.setdefault(f"label/{wire.key}", []).append(f"vertex/{end}")
            near.setdefault(f"vertex/{end}", []).append(f"label/{wire.key}")
    fixed = {f"vertex/{end.key}" for end in still.ends if end.role != "intermediate"}
    now = {key: place for key, place in places.items() if key in near}
    for _ in range(ROUNDS):
        drawn = {}
        for key, others in near.items():
            if key in fixed and key in now:
                continue
            known = [now[other] for other in others if other in now]
            x, y = now.get(key) or (known or [(0.0, 0.0)])[0]
            if known and (key in now or len(known) == len(others)):
                share = SHARE if key in now else 1.0
                drawn[key] = x, y + share * (fmean(other for _, other in known) - y)
        now |= drawn
    return now
