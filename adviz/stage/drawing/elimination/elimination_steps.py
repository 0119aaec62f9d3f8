"""The steps of an elimination as they are seen: how long each takes, what is multiplied, what is there, and where.

The same as ``elimination-steps.ts`` of the front end. What is there has keys without the run: ``vertex/3``,
``node/1.3``, ``face/0.1/1.3``; places have ``vertex/3`` and ``label/1.3``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...scene.algebra_panels import Place
from ...scene.document import Step
from ...scene.short_text import OnStage
from ..flow_motion import Point, eased, within

TIMES = {"fill_in": 2100, "absorb": 2100, "merge": 1000, "remove": 600}
"""Milliseconds that a step takes."""
RELAXING = 800  # more, where a move ends and places change
HUES = 6

# The parts of a product's time, as the shares at which they end: its factors are pointed out, meet, and land.
POINTED, MET, LANDED = 0.12, 0.55, 0.85

State = Mapping[str, OnStage]


class Multiplied(NamedTuple):
    """A product: its labels by the edges they stand for, the hue it wears, and whether it is a fill-in."""

    head: str
    tail: str
    result: str
    hue: str
    fresh: bool

    @property
    def face(self) -> str:
        """The face that is eliminated."""
        return f"{self.tail}/{self.head}"

    @property
    def via(self) -> str:
        """The vertex that the two factors share."""
        return self.tail.split(".")[1]


class Beat(NamedTuple):
    """A step of one run: its edits without the run, and the first and the last step of its move."""

    kind: str
    edits: list[tuple[str, OnStage, OnStage]]
    product: Multiplied | None
    merge: tuple[str, str] | None
    first: int
    last: int


def beats(steps: Sequence[Step], run: str) -> list[Beat]:
    """Return the steps of a run."""
    result: list[Beat] = []
    first, products = 0, 0
    for step in steps:
        part = next((part for part in step.get("parts", [step]) if part["run"] == run), None)
        if part is None:
            continue
        if step["coarse"]:
            first = len(result)
        product, merge = part.get("product"), part.get("merge")
        start = f"{run}/"
        edits = [(key[len(start) :], old, new) for key, old, new in step["edits"] if key.startswith(start)]
        made = None
        if product:
            head, tail = map(thing_of, product["factors"])
            made = Multiplied(head, tail, thing_of(product["result"]), f"pair-{products % HUES + 1}", product["fresh"])
            products += 1
        merged = (thing_of(merge["from"]), thing_of(merge["into"])) if merge else None
        result.append(Beat(part["kind"], edits, made, merged, first, first))
    last = len(result) - 1
    for k in range(len(result) - 1, -1, -1):
        result[k] = result[k]._replace(last=last)
        if result[k].first == k:
            last = k - 1
    return result


def thing_of(key: str) -> str:
    """Return what a key names.

    >>> thing_of("node/1.3")
    '1.3'
    """
    return key.split("/", 1)[1]


def duration(played: Sequence[Beat], start: int, stop: int) -> float:
    """Return how many milliseconds the steps between two cursors take."""
    return sum(_time(played, k) for k in range(start, stop))


def _time(played: Sequence[Beat], k: int) -> float:
    return TIMES.get(played[k].kind, 600) + RELAXING * (played[k].last == k)


class Instant(NamedTuple):
    """Which step is on its way, how far it is, and how far what is left has moved to its next places."""

    step: int
    share: float
    relaxed: float


def instant(played: Sequence[Beat], start: int, stop: int, progress: float) -> Instant:
    """Return where a picture is when so much (0 to 1) of the way between two cursors is done; step -1 is the start."""
    if progress >= 1 or stop <= start:
        return Instant(stop - 1, 1.0, 1.0)
    time = progress * duration(played, start, stop)
    k = start
    while k < stop - 1 and time >= _time(played, k):
        time -= _time(played, k)
        k += 1
    own = TIMES.get(played[k].kind, 600)
    return Instant(k, within(time, 0, own), eased(within(time, own, own + RELAXING)))


def state_at(start: State, played: Sequence[Beat], cursor: int) -> dict[str, OnStage]:
    """Return what is there after so many steps of the run."""
    state = dict(start)
    for beat in played[:cursor]:
        for key, _, after in beat.edits:
            if after is None:
                state.pop(key, None)
            else:
                state[key] = after
    return state


def places_at(places: Sequence[Place], cursor: int) -> dict[str, Point]:
    """Return where everything is after so many steps of the run."""
    return {key: (x, y) for after, key, x, y in places if after <= cursor}
